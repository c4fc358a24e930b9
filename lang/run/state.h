/*
 * state.h - the state of a session, for the files of lang/. All state hangs here; nothing is global.
 */
#ifndef LANG_RUN_STATE_H
#define LANG_RUN_STATE_H
#include "lang/session.h"
#include "lang/types/value.h"

typedef struct GlobalSlot { Str *name; Value value; } GlobalSlot;   /* owned both; value unset: unbound */

struct Session {
    Context   ctx;                      /* of tensor/ */
    Heap     *heap;                     /* == ctx.heap */
    uint64_t  number_serial;            /* the next number's */
    Observer  observer;
    SessionOptions options;

    GlobalSlot *global;                 /* slots of global names, in the order they were first seen */
    int       globals, global_capacity;
    Dict     *global_index;             /* Str -> V_INT slot */
    int       script;                   /* the source of the script that runs; 0: none */
    Module   *builtins;                 /* its dict is the last place a name is looked up */
    Dict     *modules;                  /* Str -> Module that was imported */
    Module   *main_module;              /* __main__: named, has no members of its own */

    struct Interned *interned;          /* table of names (str.c) */
    Class    *type_class[TYPE_COUNT];   /* made at first use (class.c) */
    Class    *tag_class[V_OBJECT];      /* NoneType, bool, int, float, ellipsis, NotImplementedType */
    Class    *error_class[ERR_COUNT];
    Class    *object_class;
    Dict     *named_class;              /* of iterators and small objects of modules: name -> class, made at first use */
    uint32_t  class_changes;            /* grows with every class made and every attribute of one set: caches look at it */
    struct SpecialCache { const Class *cls; uint32_t version, special; Value *found; } special_cache[256];  /* run/instance.c */
    Str      *special[80];              /* names of special methods (run/special.def), made at first use */
    Object   *dtype_object[DT_COUNT];   /* owned: torch.float32 … one for the session */

    Exception *raised;                  /* owned: what ERR_RAISED refers to */
    Exception *spare_exception;         /* owned: MemoryError for when there is no memory for another */
    Str       *module_name;             /* owned: "<module>", which each code of a text is called */
    Exception *handled;                 /* owned: what a bare `raise` raises again, sys.exc_info */
    struct Frame *frame;                /* the one that runs */
    char     *frames, *frame_top, *frame_end;   /* the frame stack: reserved once, never moves */
    int       depth, depth_limit;       /* of calls of the language */
    volatile int interrupt;             /* ctx.interrupted points here */
    int       interrupt_fd;             /* eventfd: ends every wait */

    struct Signatures *signatures;      /* cache of parsed signatures (signature.c) */
    struct OpGroups   *op_groups;       /* names of operations to overloads (signature.c) */
    struct Sources    *sources;         /* every text that was run (syntax/source.c) */
    struct Natives    *natives;         /* methods of built-in types by name (value.c) */
    Record   *record;
    struct Runner     *runner;          /* statement in progress, `_`, Out, last error (session.c) */
    int64_t   collect_at;               /* live bytes at which cycles are looked for */
    struct DropQueue  *drop_queue;
    int       drop_depth;
    char     *stack_end;                /* C stack: recursion stops before it */
    struct NumPy *numpy;                /* owned: the state of the module numpy (numpy/state.c); NULL before it is used */
    Value     path[4];                  /* owned: the latest answers of __fspath__, for as long as a call needs them */
    unsigned  path_at;
    bool      told_inert;               /* it was said that plots are not drawn */
    void     *random_module;            /* state of Python's own random streams (modules/random.c) */
};

static inline Value int_new(Session *s, int64_t i)
{
    return (Value){ V_INT | ((i >= -5 && i <= 256) ? 0 : ++s->number_serial << 8), { .i = i } };
}
static inline Value float_new(Session *s, double f)
{
    return (Value){ V_FLOAT | ++s->number_serial << 8, { .f = f } };
}
/* Raises an exception object: err gets ERR_RAISED, the session a reference. Returns false. */
bool session_raise(Session *s, Exception *exception, Err *err);
/* The exception object of any Err that is set (made now from kind, message and hint), a new reference; err is cleared. */
Exception *session_exception(Session *s, Err *err);
bool session_enough_stack(const Session *s);                /* false: too deep in C for another level */
bool recursion_error(Err *err);                             /* sets RecursionError, returns false */
/* Prints for the program: to the observer's text. */
void session_write(Session *s, Stream to, const char *utf8, size_t n);    /* n 0: what was written is wanted now */
/* An imported module by dotted name: a new reference, ModuleNotFoundError when there is none. modules/modules.def lists them. */
Module *session_import(Session *s, const char *name, Err *err);
/* Provided by modules/: the part of a module that is written in the language joins its members. */
bool module_load_more(Session *s, Module *m, Err *err);
/* Provided by modules/: is it a value of a module that does nothing? */
bool value_is_inert(Value v);
/* Provided by run/: calls `each` for what holds objects besides names: "_", "Out[3]", "last error" (values borrowed). */
void session_holders(Session *s, void (*each)(void *to, const char *name, Value v), void *to);
bool session_is_out(const Session *s, Value v);             /* is it the dict of a notebook's results? */
/* Provided by run/, for help and completion: the code of a FUNCTION and its defaults (NULL: none); all borrowed. */
const struct Code *function_code(Value function, Tuple **defaults, Dict **keyword_defaults);
void numpy_close(Session *s);                               /* numpy/state.c */
/* Provided by modules/: the dotted name of every module that can be imported. */
void session_module_names(Session *s, void (*each)(void *to, const char *name), void *to);
/* session.c: the value of one expression, computed silently: a new reference. */
bool session_compute(Session *s, const char *utf8, size_t n, Value *out, Err *err);
/* snapshot.c: one value as plain data in an arena (syntax/ast.h) of the caller's; false: no memory. For Statement.value. */
struct Arena;
bool snapshot_fact(Session *s, struct Arena *arena, Value v, int depth, size_t width, Fact *fact);
/* The place a BIND event is reported from: tells the record that `target` now holds `v` and held `was`. No-op when not watched. */
void session_bind_event(Session *s, const char *target, size_t n, Value v, Value was);
#endif
