/*
 * map.h - element-wise operations of up to three operands and parameters, and the choice between two operands, run after run.
 */
#ifndef TENSOR_CPU_MAP_H
#define TENSOR_CPU_MAP_H
#include "tensor/impl.h"

enum { MAP_OPERANDS = 3 };
/*
 * out = the formula of `op` in map.def for operands of one dtype (NULL: the number) that broadcast to out's shape; out has their
 * dtype or is bool.
 */
bool map_elements(Context *ctx, OpId op, Tensor *out, int n, Tensor *const *operand, const Number *number, DType dtype,
                  const double *param, Err *err);
/* out = condition ? a : b; a and b have out's dtype, or are NULL and the number. */
bool map_choose(Context *ctx, Tensor *out, Tensor *condition, Tensor *const *operand, const Number *number, Err *err);
#endif
