/* index.h - positions and masks as arrays of 64-bit integers, which is what the loops of indexing read. */
#ifndef TENSOR_INDEX_H
#define TENSOR_INDEX_H
#include "tensor/part.h"

/* The elements of an integer tensor in row-major order, from mem_new; each below 0 counts from `size` when wrap is set.
 * IndexError for one outside of [0, size). NULL with err set. */
int64_t *index_values(Context *ctx, const Tensor *t, int64_t size, int dim, bool wrap, Err *err);
/* Where `mask` (any dtype: not 0) is true: its `count` positions, one array for each dimension after the other. */
int64_t *index_true(Context *ctx, const Tensor *mask, int64_t *count, Err *err);
bool     index_dtype(DType dtype);      /* may positions have it? */
bool     index_is_true(DType dtype, const char *at);
#endif
