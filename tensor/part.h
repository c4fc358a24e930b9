/*
 * part.h - what the files on views, indexing and joining share.
 * A Part is a handle on the C stack for the length of a loop: it is no object, no event names it,
     and it takes no memory.
 */
#ifndef TENSOR_PART_H
#define TENSOR_PART_H
#include "tensor/impl.h"

typedef struct Part {
    Tensor  t;                          /* serial, storage and version of the tensor it is a part of; borrowed */
    int64_t dims[2 * DIMS_MAX];
} Part;

Tensor *part_whole(Part *part, const Tensor *t);
/* Another shape over the same storage; strides NULL: row-major. */
Tensor *part_dims(Part *part, const Tensor *t, int ndim, const int64_t *shape, const int64_t *strides,
                  int64_t offset);
/* Keeps `length` elements of axis `dim`, every step-th from `start` on. */
void    part_narrow(Part *part, int dim, int64_t start, int64_t length, int64_t step);

/* Copies elements of `size` bytes from one place to another; strides in elements, of any sign, 0 repeats. */
void    move_elements(size_t size, int ndim, const int64_t *shape, char *to, const int64_t *to_strides,
                      const char *from,
                      const int64_t *from_strides);

/* ---- results ------------------------------------------------------------------------------------------- */
/* Hands `result` (owned) to the call as its only result; false for NULL. */
bool    call_take(Call *call, Tensor *result);
/* A view of t as the call's result; in place, t itself gets these dims. */
bool    call_view(Context *ctx, OpId id, Call *call, Tensor *t, int ndim, const int64_t *shape,
                  const int64_t *strides,
                  int64_t offset, Err *err);
/* Room for n results in call->many, and the next of them (owned; false for NULL: the earlier ones are released). */
bool    call_many(Context *ctx, Call *call, int64_t n, Err *err);
bool    call_more(Context *ctx, Call *call, Tensor *result);
/* An argument that is one int or several: where they are, and how many. */
const int64_t *call_ints(const Call *call, int k, int *n);
bool    ndim_fits(int64_t ndim, Err *err);      /* at most DIMS_MAX */
/* Sizes and strides for seeing (shape, strides) as `to`, where -1 keeps a size; RuntimeError where that does not go. */
bool    expand_dims(const Tensor *t, int n, const int64_t *to, int64_t *shape, int64_t *strides, Err *err);
/* A copy of t with those strides. */
Tensor *copy_like(Context *ctx, const Tensor *t, Err *err);
/* Python's clamping of a slice's bounds. */
void    slice_bounds(int64_t size, bool has_start, int64_t *start, bool has_stop, int64_t *stop);
/* A larger block for the same storage, with its bytes; every tensor over it sees the new address. */
bool    storage_grow(Context *ctx, Storage *storage, size_t bytes, Err *err);
/* t with these sizes: a view where the strides allow it, else a copy. */
Tensor *tensor_reshape(Context *ctx, Tensor *t, int n, const int64_t *sizes, Err *err);
#endif
