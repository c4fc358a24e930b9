/* pick.h - an index x[…] taken apart: what its ints, slices and None leave of x, and what its tensors pick from that. */
#ifndef TENSOR_PICK_H
#define TENSOR_PICK_H
#include "tensor/index.h"

typedef struct Pick {                   /* one dimension and the positions picked along it */
    int      dim, ndim;                 /* of the part; of the index */
    const int64_t *shape, *strides;     /* of the index tensor; its positions in `at` are row-major */
    int64_t *at;                        /* owned by the first of the dimensions of a mask */
    int64_t  count;                     /* of a mask: its shape */
    bool     owned;
} Pick;

typedef struct Picked {
    Part     part;                      /* x after ints, slices and None */
    int      slots;
    const IndexItem *slot[DIMS_MAX];    /* what picks along a dimension of it; NULL: all is kept. A mask needs one slot */
    int      picks, masks;
    Pick     pick[DIMS_MAX];
    int      ndim, first;               /* of the broadcast index; where it stands in the result */
    int64_t  shape[DIMS_MAX], count;
    int64_t *offset;                    /* owned: for each position the elements to go from the part's start */
    int      rest;                      /* dimensions of the part that are kept */
    int64_t  rest_shape[DIMS_MAX], rest_strides[DIMS_MAX];
    int      result_ndim;
    int64_t  result[DIMS_MAX];
} Picked;

/* Reads an index. picked_free is due also when it fails. */
bool picked_read(Context *ctx, Picked *picked, Tensor *t, const Arg *index, Err *err);
void picked_free(Context *ctx, Picked *picked);
#endif
