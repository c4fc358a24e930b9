/*
 * gather.c - elements picked and placed along a dimension by a tensor of positions: gather, scatter, scatter_add.
 */
#include "tensor/part.h"

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/sort.def"
#undef OP

static bool check(OpId op, const Tensor *t, const Tensor *index, int dim, const char *what, Err *err)
{
    if (index->dtype != DT_I64)
        return err_set(err, ERR_RUNTIME, "%s(): positions are int64, not %s", op_info[op].id, dtype_name((DType)index->dtype));
    if ((t->ndim ? t->ndim : 1) != (index->ndim ? index->ndim : 1))
        return err_set(err, ERR_RUNTIME, "%s(): the positions have %d dimensions and %s has %d", op_info[op].id, index->ndim, what, t->ndim);
    for (int d = 0; d < index->ndim && d < t->ndim; d++)
        if (d != dim && shape_of(index)[d] > shape_of(t)[d])
            return err_set(err, ERR_RUNTIME, "%s(): the positions are %lld long in dimension %d, %s only %lld", op_info[op].id,
                           (long long)shape_of(index)[d], d, what, (long long)shape_of(t)[d]);
    return true;
}

/* Every position must be there before anything is written. */
static bool in_range(OpId op, const Tensor *index, int64_t length, int dim, Err *err)
{
    int64_t at[DIMS_MAX] = { 0 }, k = 0;
    if (tensor_is_contiguous(index))                    /* until one is out of range: the loop below says so */
        for (const int64_t *x = (const int64_t *)data_of(index); k < index->numel && *x >= 0 && *x < length; x++)
            k++;
    if (k == index->numel)
        return true;
    for (k = 0; k < index->numel; k++) {
        int64_t x = tensor_element(index, at).i;
        if (x < 0 || x >= length)
            return err_set(err, ERR_RUNTIME, "%s(): position %lld is out of range: dimension %d has %lld elements", op_info[op].id, (long long)x, dim,
                           (long long)length);
        for (int d = index->ndim - 1; d >= 0 && ++at[d] == shape_of(index)[d]; d--)
            at[d] = 0;
    }
    return true;
}

/* Both row-major and of one dimension: the everyday case. */
static bool is_line(const Tensor *t) { return t->ndim == 1 && (strides_of(t)[0] == 1 || t->numel <= 1); }

#define PICK(type)                                                                                      \
    for (int64_t k = 0; k < index->numel; k++)                                                          \
        ((type *)data_of(out))[k] = ((const type *)data_of(t))[from[k]]
static void gather_line(Tensor *out, const Tensor *t, const Tensor *index)
{
    const int64_t *from = (const int64_t *)data_of(index);
    switch (dtype_size((DType)t->dtype)) {
    case 1: PICK(uint8_t); break;
    case 2: PICK(uint16_t); break;
    case 4: PICK(uint32_t); break;
    default: PICK(uint64_t);
    }
}

/* The address of the element of t at `at`, with `x` in place of the position along dim. */
static char *element(const Tensor *t, const int64_t *at, int dim, int64_t x)
{
    int64_t offset = 0;
    for (int d = 0; d < t->ndim; d++)
        offset += (d == dim ? x : at[d]) * strides_of(t)[d];
    return data_of(t) + offset * (int64_t)dtype_size((DType)t->dtype);
}

FORWARD(gather)
{
    Tensor *t = call_tensor(call, 0);
    const Tensor *index = call_tensor(call, op == OP_gather ? 2 : 1);
    int64_t at[DIMS_MAX] = { 0 };
    int dim;
    (void)plan;
    if (!shape_dim(call_int(call, op == OP_gather ? 1 : 2, 0), t->ndim, &dim, err) || !check(op, t, index, dim, "the tensor", err)
        || !in_range(op, index, t->ndim ? shape_of(t)[dim] : 1, dim, err))
        return false;
    Tensor *out = call_result(ctx, op, call, 0, (DType)t->dtype, index->ndim, shape_of(index), NULL, err);
    if (out && is_line(out) && is_line(t) && is_line(index))
        return gather_line(out, t, index), call_finish(ctx, op, call, err);
    for (int64_t k = 0; out && k < out->numel; k++) {
        memcpy(element(out, at, -1, 0), element(t, at, dim, tensor_element(index, at).i), dtype_size((DType)t->dtype));
        for (int d = index->ndim - 1; d >= 0 && ++at[d] == shape_of(index)[d]; d--)
            at[d] = 0;
    }
    return out && call_finish(ctx, op, call, err);
}

/* What `reduce` does to the number that is there. */
static Number combine(const char *how, Number old, Number with)
{
    bool is_float = old.kind == DKIND_FLOAT;
    if (*how == 'm')
        return is_float ? (Number){ DKIND_FLOAT, { .f = old.f * number_double(with) } } : (Number){ DKIND_INT, { .i = number_int(old) * number_int(with) } };
    return is_float ? (Number){ DKIND_FLOAT, { .f = old.f + number_double(with) } } : (Number){ DKIND_INT, { .i = number_int(old) + number_int(with) } };
}

FORWARD(scatter)
{
    Tensor *t = call_tensor(call, 0), *src = call_tensor(call, 3), *out;
    const Tensor *index = call_tensor(call, 2);
    const char *how = op == OP_scatter_add ? "add" : call_has(call, 4) ? call->arg[4].str : "";
    int64_t at[DIMS_MAX] = { 0 };
    int dim;
    Number number = { DKIND_INT, { 0 } };
    (void)plan;
    if (*how && strcmp(how, "add") && strcmp(how, "multiply"))
        return err_set(err, ERR_RUNTIME, "%s(): reduce is 'add' or 'multiply', not '%s'", op_info[op].id, how);
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err) || !check(op, t, index, dim, "the tensor", err)
        || (src && !check(op, src, index, -1, "src", err)) || !in_range(op, index, t->ndim ? shape_of(t)[dim] : 1, dim, err))
        return false;
    if (src && src->dtype != t->dtype)
        return err_set(err, ERR_RUNTIME, "%s(): src is %s and the tensor %s", op_info[op].id, dtype_name((DType)src->dtype), dtype_name((DType)t->dtype));
    if (!src)
        arg_kind_number(&call->arg[3], &number);
    if (!(out = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err)) || (out != t && !copy_elements(ctx, out, t, COPY_REASONS, err)))
        return false;
    if (out->dtype == DT_F32 && src && !strcmp(how, "add") && is_line(out) && is_line(index) && is_line(src)) {
        const int64_t *to = (const int64_t *)data_of(index);
        for (int64_t k = 0; k < index->numel; k++)
            ((float *)data_of(out))[to[k]] += ((const float *)data_of(src))[k];
        return call_finish(ctx, op, call, err);
    }
    for (int64_t k = 0; k < index->numel; k++) {
        char *place = element(out, at, dim, tensor_element(index, at).i);
        Number value = src ? number_load((DType)src->dtype, element(src, at, -1, 0)) : number;
        number_store((DType)out->dtype, place, *how ? combine(how, number_load((DType)out->dtype, place), value) : value);
        for (int d = index->ndim - 1; d >= 0 && ++at[d] == shape_of(index)[d]; d--)
            at[d] = 0;
    }
    return call_finish(ctx, op, call, err);
}
