/*
 * runner.h - a run of source text: the statement in progress, last results, the last error.
 */
#ifndef LANG_RUN_RUNNER_H
#define LANG_RUN_RUNNER_H
#include "lang/run/frame.h"

struct Runner {
    RunMode   mode;
    int       cell;
    int       number;                   /* of the statement, in the session (a script: in the script) */
    bool      inside;                   /* a statement is in progress */
    bool      quiet;                    /* RUN_SILENT: nothing is told */
    uint32_t  flags;                    /* of its STATEMENT */
    Place     place;                    /* of the statement */
    Frame    *frame;                    /* that it runs in, while it is in progress; borrowed */
    Value     result;                   /* owned: of an expression statement; unset: none */
    Text      text;                     /* owned: its repr, where somebody wants it */
    bool      echo;
    Value     last;                     /* owned: `_` */
    Dict     *out;                      /* owned: Out, of cells */
    Exception *last_error;              /* owned */
    ErrorInfo *error;                   /* owned: what it was, until the next run */
    struct Arena *error_arena;          /* owned: its texts */
};

bool  runner_open(Session *s, Err *err);
void  runner_close(Session *s);
/* Everything about an exception, in the runner's arena: kept until the next. NULL: no memory. */
const ErrorInfo *runner_error(Session *s, Exception *exception, Err *err);
/* The same for an error of the parser, which no object stands for. */
const ErrorInfo *runner_syntax_error(Session *s, const Err *err, Place where);
bool  runner_error_text(Session *s, Exception *exception, Text *text);     /* what is printed for it when nothing catches it */
void  runner_forget_error(Session *s);
/* Tells the observer that a statement has ended. */
void  runner_tell(Session *s, const ErrorInfo *error);
#endif
