/*
 * reduce.h - the CPU's reductions: many elements into one, a run at a time.
 */
#ifndef TENSOR_CPU_REDUCE_H
#define TENSOR_CPU_REDUCE_H
#include "tensor/impl.h"

typedef enum Reducer { REDUCE_SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL, REDUCE_NONZERO, REDUCE_NANSUM, REDUCERS } Reducer;

/* What has been seen so far. Floats are summed in double precision. */
typedef struct Acc {
    double  f;
    int64_t i;                          /* whole numbers */
    int64_t n, at;                      /* how many elements; where the extreme stands */
    bool    nan;
} Acc;
/* Takes n elements at p, `step` bytes apart, the first of which has the number `at`. */
typedef void (*ReduceRun)(Acc *acc, const char *p, int64_t n, int64_t step, int64_t at);
ReduceRun reduce_run(Reducer reducer, DType dtype);
void      reduce_begin(Reducer reducer, DKind kind, Acc *acc);

/* Elements of t seen as results times what is reduced into each. */
typedef struct Reduction {
    int     outer, inner;               /* dims of the results; reduced dims, in order */
    int64_t outer_shape[DIMS_MAX], outer_stride[DIMS_MAX], inner_shape[DIMS_MAX], inner_stride[DIMS_MAX];    /* bytes */
    int64_t results, each;
    const char *data;
} Reduction;
void reduction_of(Reduction *r, const Tensor *t, uint64_t dims);
/* Where the elements of result k begin. */
const char *reduction_base(const Reduction *r, int64_t k);
/* Calls `run` for every stretch of result k. */
void reduction_walk(const Reduction *r, const char *base, ReduceRun run, Acc *acc);
#endif
