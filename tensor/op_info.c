/* op_info.c - what the rows of the table of operations say of themselves: names, forms, signatures. */
#include "tensor/tensor.h"

const OpInfo op_info[OP_COUNT + 1] = {
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    [OP_##id] = { #id, name, forms, signature, result, #grad },
#include "tensor/ops.def"
    [OP_COUNT] = { 0 }
};
