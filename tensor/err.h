/*
 * err.h - how a failure travels: a function returns false or NULL and has filled in an Err.
 * An Err has fixed arrays, so that reporting "no memory" takes none. Only `kind` is reset on the way in.
 * Line and caret are added once, by the interpreter, which knows the place in the source.
 */
#ifndef TENSOR_ERR_H
#define TENSOR_ERR_H
#include <stdbool.h>
#include <stddef.h>

typedef enum ErrKind {
    ERR_NONE,
    ERR_RAISED,                         /* the exception is an object that the session holds; passed on untouched */
#define ERROR(kind, name, parent) ERR_##kind,
#include "tensor/errors.def"
    ERR_COUNT
} ErrKind;

typedef struct Err {
    ErrKind kind;
    char    message[1000];              /* UTF-8, no newline at the end; cut with "…" where too long */
    char    hint[500];                  /* empty: none */
} Err;

/* Sets kind and message and clears the hint. Always returns false, so that a check is one line. */
bool err_set(Err *err, ErrKind kind, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
/* Adds a hint to an error that is set. Returns false. */
bool err_hint(Err *err, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
bool err_memory(Err *err, size_t bytes) __attribute__((cold));     /* MemoryError; returns false */
/* The Python name of a kind, "TypeError"; and the kind of its parent class (ERR_BASE is its own). */
const char *err_name(ErrKind kind);
ErrKind     err_parent(ErrKind kind);
#endif
