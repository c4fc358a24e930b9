/*
 * session.h - the one header of lang/ for front ends: run source text, watch what happens, ask about names.
 * A session is one interpreter: globals, heap, random streams, history of results. Two sessions share nothing.
 * A front end never sees a value: it gets text, events and snapshots, all plain data.
 */
#ifndef LANG_SESSION_H
#define LANG_SESSION_H
#include "tensor/err.h"
#include "tensor/event.h"
#include "tensor/heap.h"
#include "tensor/tensor.h"

typedef struct Session Session;
typedef enum Stream { STREAM_OUT, STREAM_ERR } Stream;
typedef enum Completeness { INPUT_COMPLETE, INPUT_INCOMPLETE, INPUT_INVALID } Completeness;

/* ---- snapshots: what a name holds, as plain data ------------------------------------------------------- */
typedef enum FactKind {
    FACT_NONE, FACT_BOOL, FACT_INT, FACT_FLOAT, FACT_STR, FACT_LIST, FACT_TUPLE, FACT_TENSOR,
    FACT_DICT, FACT_INSTANCE,           /* holders too; in the trace they are "other" */
    FACT_OTHER,                         /* dtype, range, set …: only its type's name */
    FACT_HIDDEN                         /* module, function, class, builtin: left out of displays and traces */
} FactKind;

typedef struct TensorFact {
    Tensor  *tensor;                    /* borrowed: valid until the session runs again; for tensor_element */
    uint64_t storage;                   /* serial */
    DType    dtype;
    Device   device;
    int      ndim;
    const int64_t *shape, *stride;      /* borrowed */
    int64_t  offset, numel, version;
    int64_t  bytes, reserved;           /* of the whole storage */
    uint64_t data, block;               /* addresses: of its first element, of the storage */
    bool     requires_grad, is_leaf, is_view, is_contiguous;
} TensorFact;

typedef struct Fact {
    FactKind    kind;
    const char *type;                   /* "int", "Tensor", "torch.dtype" … */
    uint64_t    id;                     /* what id() returns */
    uint64_t    object;                 /* serial: tensors, lists, tuples, dicts, instances; else 0 */
    bool        b;
    double      f;
    const char *text;                   /* INT: decimal digits; STR: its UTF-8; OTHER: short repr */
    size_t      text_size;
    const char *key;                    /* element of a dict (repr of its key) or attribute of an instance; else NULL */
    TensorFact *tensor;                 /* TENSOR */
    struct Fact *item;                  /* elements, entries, attributes; cycles are cut (items 0) */
    size_t      items;
    size_t      length;                 /* how many there are in all, the cut ones too */
    bool        cut;                    /* more elements than session_snapshot was asked for */
    bool        holds_tensor;           /* it is one, or one is inside */
} Fact;

typedef struct NamedFact { const char *name; Fact fact; } NamedFact;
typedef struct Snapshot {
    NamedFact *name;                    /* globals in the order they were first bound; `_` and Out are not among them */
    size_t     names;
    NamedFact *hidden;                  /* what else holds objects: "_", "Out[3]", "last error" */
    size_t     hidden_names;
    struct Arena *arena;                /* everything above lies in it */
} Snapshot;
/* Every global name and what it holds, lists and the like down to `depth` levels and `width` elements each. NULL: no memory. */
Snapshot *session_snapshot(Session *session, int depth, size_t width);
/* The same of names that hold a tensor, a list and the like alone: made after each statement, so others may cost nothing. */
Snapshot *session_snapshot_holders(Session *session, int depth, size_t width);
void      snapshot_free(Snapshot *snapshot);            /* NULL is allowed */
HeapTotals session_totals(const Session *session);

/* ---- what a statement did ------------------------------------------------------------------------------ */
typedef struct Traceback {              /* one call of the chain, outermost first */
    const char *file;                   /* "script.py", "<stdin>", "<cell 3>" */
    const char *function;               /* "<module>", "f" */
    const char *line;                   /* the source line, without newline; or NULL */
    Place       place;                  /* what the caret marks */
} Traceback;

typedef struct ErrorInfo {
    const char *type;                   /* "RuntimeError" */
    const char *message;                /* str(e); may have newlines */
    const char *hint;                   /* "" for none */
    int         line;                   /* in the outermost source, from 1 */
    Traceback  *call;
    size_t      calls;
    bool        is_exit;                /* SystemExit: exit_status holds what sys.exit asked for */
    int         exit_status;
    bool        exit_says;              /* it asked with something else than a number: the message is to be shown */
    struct ErrorInfo *cause, *context;  /* raise … from, or raised while handling; NULL: none */
} ErrorInfo;

typedef struct Statement {
    int         number;                 /* from 1 in the session (a script: in the script) */
    int         line, end_line;         /* of its source text, from 1 */
    int         source;                 /* Place.source of the text */
    const char *text;                   /* the statement's own source text, as written */
    size_t      text_size;
    bool        is_compound;            /* for, while, if, with, try, def, class */
    bool        is_expression;
    bool        echo;                   /* its value is to be shown: at a prompt, or a cell's expression; never in a script */
    const char *result;                 /* repr of an expression statement's value, UTF-8; NULL: None, or no expression */
    size_t      result_size;
    const Fact *value;                  /* what the value is; NULL when result is NULL */
    const ErrorInfo *error;             /* NULL: it went well */
    const Record *record;               /* its events; NULL when nobody asked for events */
} Statement;                            /* all of it is borrowed: valid during the call */

/*
 * Who watches. Any function may be NULL. They are called on the thread that runs the session, and must not
 * run anything in it, but may ask for snapshots (statement, command) and totals.
 */
typedef struct Observer {
    void  *self;                                            /* handed back on every call */
    void (*text)(void *self, Stream to, const char *utf8, size_t n);        /* print, and warnings; n 0: flush */
    void (*statement)(void *self, const Statement *done);   /* a top-level statement has ended, well or not */
    bool (*input)(void *self, const char *prompt, bool password, char **line, Err *err);    /* malloc'ed, no newline; EOFError at the end */
    bool (*command)(void *self, const char *line, size_t n, Err *err);      /* a `%` line or `obj?`, where the parser met it */
} Observer;

typedef struct SessionOptions {
    bool fixed_addresses;
    bool report_leaks;                  /* session_free says on standard error what was not let go of */
    bool events;                        /* keep a record for each statement (session_watch changes it) */
    int  argc;                          /* sys.argv */
    char **argv;                        /* borrowed for the session's life */
} SessionOptions;

Session *session_new(const Observer *observer, const SessionOptions *options, Err *err);
void     session_free(Session *session);                /* lets go of everything; NULL is allowed */
void     session_watch(Session *session, bool events);
Heap    *session_heap(Session *session);

typedef enum RunMode {
    RUN_SCRIPT,                         /* a file: no values shown, no `%` commands, stops at the first error */
    RUN_PROMPT,                         /* a typed statement: values shown, `_` bound, `%` commands and obj? */
    RUN_CELL,                           /* a notebook cell: only a last expression is shown and becomes Out[n] */
    RUN_SILENT                          /* user_expressions and the like: no statement callbacks, no `_` */
} RunMode;
/*
 * Runs source text (UTF-8, n bytes). `name` is what tracebacks call it; `cell` the notebook's number for Out[n].
 * True: it ran to the end. False: err has the error that stopped it (the observer was told with all details, also of
 * a SyntaxError: one statement with the error). The session goes on either way.
 */
bool session_run(Session *session, RunMode mode, const char *name, const char *utf8, size_t n, int cell, Err *err);
/* The repr of one expression (new text from malloc), for user_expressions. */
char *session_evaluate(Session *session, const char *utf8, size_t n, Err *err);
/* The last error in full, until the next run; NULL when it went well. */
const ErrorInfo *session_error(const Session *session);
/* Is the text whole? The parser's own answer. indent: columns that the next line should begin with. */
Completeness session_check(Session *session, const char *utf8, size_t n, int *indent);
void     session_interrupt(Session *session);           /* safe in a signal handler and from any thread */
void     session_clear_interrupt(Session *session);
int      session_interrupt_fd(const Session *session);    /* can be read while an interrupt waits: ends the waits of observers */
/* For front ends to call when nothing was asked for 10 seconds: gives back the pages of freed blocks. No event, no other address. */
void     session_idle(Session *session);
void     session_reset(Session *session);               /* %reset: unbinds every global, `_` and Out */
bool     session_delete(Session *session, const char *name, Err *err);  /* %xdel NAME: the name and what _, Out, errors hold of it */
/* The text of `place` (the expression that an event names): borrowed until the session ends, not terminated; NULL: unknown. */
const char *session_place_text(const Session *session, Place place, size_t *n);
const char *session_source_line(const Session *session, int source, int line, size_t *n);
/* Draws an error as Python does, with caret, chain and hint. `color`: with ANSI colours. */
void     session_print_error(const ErrorInfo *error, bool color, Text *text);

/* ---- help for the one who types ------------------------------------------------------------------------ */
typedef struct Completion { char **match; size_t count; size_t start, end; } Completion;    /* byte offsets into the text */
/* Candidates at byte `cursor`; works on text that does not parse, and never runs code. start..end is what a match replaces. */
bool     session_complete(Session *session, const char *utf8, size_t n, size_t cursor, Completion *completion);
void     completion_free(Completion *completion);
/* Help on the name or call around byte `cursor`: new text from malloc, or NULL when there is none. detail 0 or 1. */
char    *session_inspect(Session *session, const char *utf8, size_t n, size_t cursor, int detail);
#endif
