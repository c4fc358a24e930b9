/*
 * plan.h - how an element-wise operation walks its operands, and the strides that its result gets before it is allocated.
 */
#ifndef TENSOR_PLAN_H
#define TENSOR_PLAN_H
#include "tensor/impl.h"

/* The operands of one walk: 0 is the result. Strides in bytes over the common shape, 0 where broadcast. */
typedef struct Steps {
    int     ndim, operands;
    int64_t shape[DIMS_MAX];
    int64_t stride[4][DIMS_MAX];
} Steps;

/*
 * The strides of a result of `shape` for the given operands (NULL entries are numbers): dimensions are ordered by the operands'
 * strides, the first operand decides, a tie goes to the next; all row-major and of one shape: row-major.
 */
void plan_strides(int ndim, const int64_t *shape, Tensor *const *operand, int operands, int64_t *strides);
/* Fills in the walk for result and operands, and takes together dimensions that lie one behind the other everywhere. */
void plan_steps(Steps *steps, Tensor *result, Tensor *const *operand, int operands);
#endif
