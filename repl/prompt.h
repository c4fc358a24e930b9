/*
 * prompt.h - a statement from the terminal, over as many lines as it takes: editing, history, completion, indentation.
 */
#ifndef REPL_PROMPT_H
#define REPL_PROMPT_H
#include "repl/script.h"

typedef struct Prompt Prompt;
/* NULL: no memory. The history is kept in $LOCUS_HISTORY, $XDG_STATE_HOME/locus/history or ~/.local/state/locus/history. */
Prompt *prompt_open(Session *session, struct Show *show, bool color);
void    prompt_close(Prompt *prompt);   /* writes the history; NULL is allowed */
/* The next whole statement (new text from malloc); NULL at Ctrl-D. Ctrl-C abandons what was typed and asks again. */
char   *prompt_statement(Prompt *prompt);
/* The observer's `input`. */
bool    prompt_input(void *self, const char *prompt, bool password, char **line, Err *err);
#endif
