/* cover.h - which elements of a storage a tensor reaches, to the element: for maps and for what two tensors share. */
#ifndef SHOW_COVER_H
#define SHOW_COVER_H
#include "tensor/heap.h"

typedef struct Cover {
    Heap    *heap;                      /* borrowed */
    uint64_t *bit;                      /* owned: one for each unit of the storage; NULL: too many, `low` to `high` is all that is known */
    int64_t  units, low, high;          /* high is exclusive; low == high: it reaches nothing */
} Cover;

enum { COVER_UNITS = 1 << 28 };         /* storages with more units are known by their range only */

/* A storage of `units`; sizes and strides of the tensor in units too (scale = units in one of its elements). False: no memory. */
bool    cover_make(Heap *heap, Cover *cover, int64_t units, int ndim, const int64_t *shape, const int64_t *stride, int64_t offset,
                   int64_t scale);
void    cover_free(Cover *cover);
int64_t cover_count(const Cover *cover);                                /* how many units it reaches, each once */
int64_t cover_both(const Cover *a, const Cover *b);                     /* how many both reach */
/* Of the units [from, to): 0 none, 1 some, 2 all. */
int     cover_part(const Cover *cover, int64_t from, int64_t to);
#endif
