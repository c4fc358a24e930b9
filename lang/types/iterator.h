/*
 * iterator.h - iterators made in C: one layout, and a row for each kind that says what comes next.
 */
#ifndef LANG_TYPES_ITERATOR_H
#define LANG_TYPES_ITERATOR_H
#include "lang/types/rows.h"

typedef struct Iterator Iterator;
typedef struct IteratorKind {
    const char *name;                   /* "list_iterator" */
    IterStatus (*next)(Session *s, Iterator *it, Value *out, Err *err);
    int64_t (*left)(const Iterator *it);        /* how many are to come; NULL: unknown */
} IteratorKind;
struct Iterator {
    Object   head;
    const IteratorKind *kind;
    int64_t  at, step, end;             /* what the kind makes of them */
    Value    over, with;                /* owned; unset once it has come to its end */
};
/* `over` and `with` are retained. */
Iterator *iterator_new(Session *s, const IteratorKind *kind, Value over, Value with, Err *err);
/* Lets go of what it walks over: it is at its end. Returns ITER_END. */
IterStatus iterator_end(Iterator *it);
extern const IteratorKind iterator_range;      /* at: the next int; end: how many are to come */
#endif
