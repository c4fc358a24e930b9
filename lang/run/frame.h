/*
 * frame.h - functions, frames and generators: what runs, and what the files of run/ share.
 * A frame is one block: header, slots, operand stack. Frames of calls lie on the session's frame stack, which never moves;
 * a generator owns its frame, and resuming links it in.
 */
#ifndef LANG_RUN_FRAME_H
#define LANG_RUN_FRAME_H
#include "lang/run/state.h"
#include "lang/syntax/code.h"

typedef struct Function {
    Object head;                        /* TYPE_FUNCTION */
    Code  *code;                        /* owned, like all below; NULL where there is none */
    Str   *name, *qualname;
    Tuple *defaults, *closure;
    Dict  *keyword_defaults, *annotations, *dict;
    Value  doc;
} Function;

typedef struct Frame {
    struct Frame *back;                 /* who called; borrowed */
    Function     *function;             /* owned; NULL for a module's code */
    Code         *code;                 /* owned */
    Value        *slot, *stack, *top;   /* in this block; top: first free place of the stack while it does not run */
    const Instr  *pc;                   /* the instruction that runs */
    Dict         *names;                /* owned: of a class body; else NULL */
    Value         instance;             /* owned: of the class whose __init__ this is; else unset */
    int           waiting;              /* values on the caller's stack that are dropped when this returns: the class and its arguments */
    bool          entry;                /* returning from it leaves vm_run */
    bool          generator;            /* it lies in a generator, not on the frame stack */
} Frame;

typedef struct GeneratorFrame {
    Object head;                        /* TYPE_GENERATOR */
    Frame *frame;                       /* owned; NULL when it has ended */
    Str   *name;                        /* owned */
    bool   running, started;
    Value  result;                      /* of its return: StopIteration.value */
} GeneratorFrame;

typedef enum RunStatus { RUN_RETURNED, RUN_YIELDED, RUN_FAILED } RunStatus;

/* One place that an exception passed: with the locals of the frame that ended there. */
typedef struct Traceback_ {
    Object head;                        /* TYPE_TRACEBACK */
    struct Traceback_ *next;            /* owned: one call further in */
    Code  *code;                        /* owned */
    Place  place;
    int    locals;
    Value  local[];                     /* owned */
} Traceback_;

/* ---- call.c ---- */
/* A frame for the function with its arguments bound (they are retained). NULL: TypeError, RecursionError, no memory. */
Frame *frame_new(Session *s, Function *function, const Value *args, int n, int nkw, Tuple *names, Err *err);
/* The same for a plain function called with just as many arguments as it has: they and the function are moved in. NULL: it is not
 * that simple, nothing was moved. */
Frame *frame_quick(Session *s, Function *function, Value *args, int n);
Frame *frame_new_module(Session *s, Code *code, Err *err);
/* Lets go of the slots in order, then of the frame. */
void   frame_end(Session *s, Frame *frame);
void   frame_release(Session *s, Frame *frame);         /* what it holds, not its block */
/* Calls a language function from C. */
bool   function_call(Session *s, Function *function, const Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);
bool   frames_open(Session *s, Err *err);               /* the frame stack of a session */
void   frames_close(Session *s);
Place  frame_place(const Frame *frame);                 /* of the instruction that runs */

/* ---- vm.c, vm_ops.c ---- */
/* Runs the frame (which is linked in) to its end, or to its next yield. The frame is ended unless it yielded. */
RunStatus vm_run(Session *s, Frame *frame, Value *out, Err *err);
/* The same, with err raised where the frame stands. */
RunStatus vm_throw(Session *s, Frame *frame, Value *out, Err *err);
bool vm_unpack(Session *s, Value v, int before, int after, bool star, Value *top, Err *err);
bool vm_format(Session *s, Value v, uint32_t conversion, const Value *spec, Value *out, Err *err);
bool vm_import(Session *s, Frame *frame, Str *name, bool leaf, Value *out, Err *err);
bool vm_import_from(Session *s, Value module, Str *name, Value *out, Err *err);
bool vm_import_star(Session *s, Value module, Err *err);
bool vm_call_spread(Session *s, Value callee, Value args, Value keywords, Value *out, Err *err);
bool vm_global(Session *s, int slot, Value *out, Err *err);
bool vm_set_global(Session *s, Frame *frame, int slot, Value taken, Err *err);
bool vm_del_global(Session *s, int slot, Err *err);
bool vm_function(Session *s, Frame *frame, Code *code, uint32_t bits, Value **top, Value *out, Err *err);
bool vm_exception_match(Session *s, Value exception, Value classes, bool *matches, Err *err);
bool vm_raise(Session *s, int n, Value *args, Err *err);
bool vm_with(Session *s, Value manager, Value *exit, Value *entered, Err *err);
bool vm_concat(Session *s, const Value *parts, int n, Value *out, Err *err);
bool vm_merge_keywords(Session *s, Dict *to, Value mapping, Err *err);
bool vm_unbound(Session *s, const Frame *frame, int slot, Err *err);

/* ---- function.c ---- */
Function *function_new(Session *s, Code *code, Err *err);

/* ---- class.c ---- */
bool class_build(Session *s, Str *name, Tuple *bases, Function *body, Value *out, Err *err);
/* type(name, bases, dict) */
bool class_of_parts(Session *s, Str *name, Tuple *bases, Dict *from, Value *out, Err *err);
/* An attribute of a class, its own or inherited: borrowed, NULL when there is none. */
Value *class_lookup(const Class *cls, Str *name);
Class *class_new_builtin(Session *s, const char *name, Class *base, TypeId type, ErrKind error, Err *err);
/* A new object of a class of the language; __init__ is not called. */
bool class_instance(Session *s, Class *cls, Value *out, Err *err);
/* The frame of __init__ with a new object of the class, whose call gives that object (Frame.instance); the arguments are retained.
 * NULL with err clear: class_call does it. */
Frame *class_enter(Session *s, Class *cls, const Value *args, int n, Err *err);
bool class_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);
void classes_free(Session *s);
bool method_new(Session *s, Value function, Value self, Value *out, Err *err);
/* What an attribute found in a class gives for an instance: functions become methods, properties are asked. Takes `found` as borrowed. */
bool class_bind(Session *s, Value found, Value self, Class *cls, Value *out, Err *err);

/* ---- exception.c ---- */
Exception *exception_new(Session *s, Class *cls, Tuple *args, Err *err);
bool exception_make(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err);
void exception_trace(Session *s, Exception *exception, Frame *frame, bool take_locals);
/* The session's raised exception, taken (a new reference). */
Exception *exception_take(Session *s, Err *err);
bool exception_message(Session *s, Exception *exception, Text *text, Err *err);

/* ---- generator.c ---- */
bool generator_object(Session *s, Frame *frame, Value *out, Err *err);  /* takes the frame off the frame stack */

/* The next value, or its end, with `sent` as the value of the yield it stands at. */
IterStatus generator_send(Session *s, Value self, Value sent, Value *out, Err *err);
/* Ends a generator without running its finally blocks: what only a cycle keeps. */
void generator_cut(Object *self);

/* ---- runner.c: what module code tells the session ---- */
void run_statement(Session *s, Frame *frame, uint32_t flags);
void run_statement_end(Session *s, Frame *frame);
bool run_result(Session *s, Frame *frame, Value taken, uint32_t flags, Err *err);
bool run_command(Session *s, Value text, Err *err);
void run_bind(Session *s, Frame *frame, Value v, Value was);            /* a BIND event whose target is the instruction's text */
void run_free(Session *s);
/* Another Python line of the program: where an event or an error is. */
void run_where(void *self, Event *row);

/* The collector (types/cycle.c): frees what only cycles keep; how many objects it freed. */
int64_t cycle_collect(Session *s);
/* Waits until one of the descriptors can be read, the time is over (ms < 0: never), or an interrupt comes: KeyboardInterrupt. */
bool session_wait(Session *s, int fd, int64_t ms, bool *ready, Err *err);
#endif
