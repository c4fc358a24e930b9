/*
 * modules.h - the modules that can be imported, and what their files share.
 */
#ifndef LANG_MODULES_MODULES_H
#define LANG_MODULES_MODULES_H
#include "lang/run/state.h"
#include <string.h>

Module *module_builtins(Session *s, Err *err);
#define MODULE(name, make) Module *make(Session *s, Err *err);
#include "lang/modules/modules.def"

/* prelude.c: modules written in the language. library_module: NULL with err untouched when there is none of that name. */
Module *library_module(Session *s, const char *name, Err *err);
Module *library_more(Module *m, const char *name);     /* notes that there is more of it in the language; passes it on */
/* inert.c: a module that does nothing (plots); NULL with err untouched for other names. */
Module *inert_module(Session *s, const char *name, Err *err);
void library_names(void (*each)(void *to, const char *name), void *to);

/* A function of a module: arguments bound as its row's signature says. */
#define NATIVE(name) static bool name(Session *s, Value self, Value *arg, Value *out, Err *err)
/* Row functions rarely need all of their parameters. */
#define UNUSED (void)s, (void)self, (void)arg, (void)out, (void)err

/* Classes of built-in types as functions: int, str, list … (builtins_types.c). */
bool builtins_add_types(Session *s, Module *m, Err *err);
extern const NativeRow builtins_more[];                 /* builtins_more.c: attributes, reflection, input and output */

extern const NativeRow itertools_choices[];             /* itertools_choose.c: product, permutations, combinations */
Tuple *value_to_tuple(Session *s, Value iterable, Err *err);            /* a new tuple of the items */

/* Calls v.NAME(args…) if there is such an attribute; *found says so. */
bool call_method(Session *s, Value v, const char *name, Value *args, int n, bool *found, Value *out, Err *err);
/* Is the error that is set of this kind or one under it? */
bool error_is(Session *s, const Err *err, ErrKind kind);
void error_clear(Session *s, Err *err);                 /* forgets an error that is set */
/* Raises an exception of this kind with these arguments. Returns false. */
bool raise_with(Session *s, ErrKind kind, Value *args, int n, Err *err);
bool builtin_round_value(Session *s, const Value *pair, int n, Value *out, Err *err);      /* round(number[, places]) */
bool value_to_double(Session *s, Value v, double *f, Err *err);         /* numbers, tensors of one element, __float__ */
bool int_from_double(Session *s, double f, Value *out, Err *err);         /* int(f) */
bool print_values(Session *s, Stream to, const Tuple *values, const char *sep, size_t sep_n, const char *end, size_t end_n, Err *err);
/* A text argument: TypeError that names it for another type. */
bool want_str(Value v, const char *what, Str **str, Err *err);
/* A path: a text, or what has __fspath__ (kept for the session for a while). */
bool want_path_str(Session *s, Value v, const char *what, Str **str, Err *err);
bool add_constant(Session *s, Module *m, const char *name, Value taken, Err *err);      /* module_set, which releases on failure too */
#endif
