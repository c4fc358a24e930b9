/*
 * plan.c - the layout of results, and walks over operands of one shape.
 * The order of dimensions is found by an insertion sort as PyTorch's TensorIterator describes it: from the innermost dimension on,
 * a dimension moves inwards past another when the first operand that tells them apart has the smaller stride there.
 */
#include "tensor/plan.h"

static int64_t stride_at(const Tensor *t, int ndim, int d)
{
    int at = d - (ndim - t->ndim);
    return at < 0 || shape_of(t)[at] == 1 ? 0 : strides_of(t)[at];
}

/* > 0: dimension a lies outside of b; < 0: inside; 0: no operand tells. */
static int compare_dims(int ndim, const int64_t *shape, Tensor *const *operand, int operands, int a, int b)
{
    for (int k = 0; k < operands; k++) {
        if (!operand[k])
            continue;
        int64_t stride_a = stride_at(operand[k], ndim, a), stride_b = stride_at(operand[k], ndim, b);
        if (stride_a == 0 || stride_b == 0)
            continue;
        if (stride_a != stride_b)
            return stride_a < stride_b ? -1 : 1;
        if (shape[a] > shape[b])
            return 1;
    }
    return 0;
}

void plan_strides(int ndim, const int64_t *shape, Tensor *const *operand, int operands, int64_t *strides)
{
    int order[DIMS_MAX];                                /* innermost first */
    bool row_major = true;
    for (int k = 0; k < operands && row_major; k++)
        row_major = !operand[k] || (operand[k]->ndim == ndim && same_dims(ndim, shape_of(operand[k]), shape)
                                    && tensor_is_contiguous(operand[k]));
    if (row_major) {
        shape_row_major(ndim, shape, strides);
        return;
    }
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    for (int i = 1; i < ndim; i++)
        for (int at = i, j = i - 1; j >= 0; j--) {
            int compared = compare_dims(ndim, shape, operand, operands, order[j], order[at]);
            if (compared < 0)
                break;
            if (compared > 0) {
                int swap = order[j];
                order[j] = order[at];
                order[at] = swap;
                at = j;
            }
        }
    int64_t step = 1;
    for (int i = 0; i < ndim; i++) {
        strides[order[i]] = step;
        step *= shape[order[i]] > 1 ? shape[order[i]] : 1;
    }
}

void plan_steps(Steps *steps, Tensor *result, Tensor *const *operand, int operands)
{
    Tensor *all[4] = { result };
    int order[DIMS_MAX], ndim = result->ndim, n = 0;
    for (int k = 0; k < operands; k++)
        all[k + 1] = operand[k];
    /* Outermost first: by the result's strides, so that it is written in the order of its memory. */
    for (int d = 0; d < ndim; d++) {
        if (shape_of(result)[d] == 1)
            continue;
        int at = n++;
        for (; at && strides_of(result)[order[at - 1]] < strides_of(result)[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    steps->ndim = 0;
    steps->operands = operands + 1;
    for (int i = 0; i < n; i++) {
        int64_t stride[4] = { 0 };
        int last = steps->ndim - 1;
        bool joins = last >= 0;
        for (int k = 0; k <= operands; k++) {
            if (all[k])
                stride[k] = stride_at(all[k], ndim, order[i]) * (int64_t)dtype_size((DType)all[k]->dtype);
            joins = joins && steps->stride[k][last] == stride[k] * shape_of(result)[order[i]];
        }
        if (joins)
            steps->shape[last] *= shape_of(result)[order[i]];
        else
            steps->shape[last = steps->ndim++] = shape_of(result)[order[i]];
        for (int k = 0; k <= operands; k++)
            steps->stride[k][last] = stride[k];
    }
}
