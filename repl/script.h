/*
 * script.h - running a file, or text given with -c, from start to end: standard output is exactly Python's, memory lines go to
 * standard error.
 */
#ifndef REPL_SCRIPT_H
#define REPL_SCRIPT_H
#include "show/show.h"

typedef struct Options {
    const char *trace;                  /* file, or NULL */
    Level       level;
    bool        color, fixed_addresses;
    int         argc;                   /* sys.argv of the program */
    char      **argv;
} Options;

/* What every run of the program shares: a session, its display, the layout of this terminal. */
typedef struct Program {
    Session *session;
    Show    *show;
    Layout   layout;
    Options  options;
    int      status;                    /* what sys.exit asked for, or 1 after an error */
    bool     exits;                     /* sys.exit was called */
    bool     tracing;
} Program;

bool program_open(Program *program, const Options *options, const Observer *observer, Err *err);
void program_close(Program *program);
/* Text to standard output or standard error, in the order it was written; n 0: what was written goes out now. */
void program_write(Stream to, const char *utf8, size_t n);
/* The observer's function for scripts, also used by the prompt. */
void program_text(void *self, Stream to, const char *utf8, size_t n);
bool program_input(void *self, const char *prompt, bool password, char **line, Err *err);
/* Shows an error as Python would; remembers the exit status. */
void program_error(Program *program, const ErrorInfo *error);

/* The whole of a file; "-" is standard input. NULL with err set when it cannot be read. */
char *read_whole(const char *path, size_t *n, Err *err);
/* Runs the text as a script. Returns the exit status. */
int script_run(const Options *options, const char *name, const char *utf8, size_t n);
#endif
