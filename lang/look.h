/*
 * look.h - for completion and help: what stands around the cursor, and what names mean, without running
 * anything.
 */
#ifndef LANG_LOOK_H
#define LANG_LOOK_H
#include "lang/run/state.h"

typedef enum AroundKind {
    AROUND_NOTHING,                     /* a string, a comment, a number */
    AROUND_NAME, AROUND_ATTRIBUTE,      /* a name; one behind a dot */
    AROUND_MODULE, AROUND_MEMBER        /* import HERE; from module import HERE */
} AroundKind;

typedef struct Around {
    AroundKind kind;
    size_t start, end;                  /* the word under the cursor, to the cursor or to its end */
    /* Dotted names, as stretches of the text; empty: none. */
    size_t owner, owner_end;            /* before the dot, or the module */
    size_t callee, callee_end;          /* of the call that the cursor is in, where a keyword could stand */
    bool   argument;                    /* the word is the beginning of an argument of it */
    bool   of_string;                   /* before the dot stands a string */
} Around;

/* whole: the word reaches to its end behind the cursor, and the call counts wherever in it the cursor is. */
void look_around(Session *s, const char *utf8, size_t n, size_t cursor, bool whole, Around *around);
/* What dotted names mean: plain dicts, modules, classes and getters in C are looked into, nothing of the
 * program runs.
 * A new reference; unset when it cannot be told. */
Value look_up(Session *s, const char *chain, size_t n);
Value look_attribute(Session *s, Value owner, Str *name);
/* Every name that may stand behind the value and a dot. */
void look_members(Session *s, Value owner, void (*each)(void *to, const char *name), void *to);
/* Calls `each` for the parameters that may be given by name. */
void look_parameters(Session *s, Value callee, void (*each)(void *to, const char *name), void *to);
/* "(x, y=2, *args)"; false: it cannot be told. */
bool look_signature(Session *s, Value callee, Text *text);
const char *look_doc(Session *s, Value v, size_t *n);   /* borrowed; NULL: none */
#endif
