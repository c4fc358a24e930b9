/*
 * elementwise.h - the CPU's kernels of element-wise operations: one stretch of elements at a time.
 */
#ifndef TENSOR_CPU_ELEMENTWISE_H
#define TENSOR_CPU_ELEMENTWISE_H
#include "tensor/impl.h"

typedef struct Run {
    int64_t     n;
    bool        dense;                  /* each operand's elements lie one behind the other */
    char       *out;
    const char *a, *b;                  /* NULL: the number below */
    int64_t     step[3];                /* bytes: out, a, b */
    Number      number[2];
} Run;
typedef void (*RunKernel)(const Run *run);
/* NULL: the operation has none for this dtype. `truth`: its results are bools. */
RunKernel elementwise_kernel(OpId id, DType dtype, bool *truth);
#endif
