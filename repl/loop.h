/* loop.h - the prompt: read a statement, run it, show what it did, until Ctrl-D. */
#ifndef REPL_LOOP_H
#define REPL_LOOP_H
#include "repl/script.h"

/* Returns the exit status. */
int loop_run(const Options *options);
#endif
