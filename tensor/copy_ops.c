/*
 * copy_ops.c - the operations that copy or fill: clone, contiguous, casts, copy_, fill_, zero_.
 */
#include "tensor/impl.h"

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/copy.def"
#undef OP

/* One result that was made or is an operand itself. */
static bool take(Call *call, Tensor *t)
{
    call->out[0] = t;
    call->outs = t != NULL;
    return t;
}

static bool known_format(const Call *call, OpId op, Err *err)
{
    return call_int(call, 1, 0) < 2 || err_set(err, ERR_NOT_IMPLEMENTED, "%s(): torch.channels_last is not supported by Locus", op_info[op].id);
}

FORWARD(cast)
{
    (void)op, (void)plan;
    return take(call, copy_new(ctx, call_tensor(call, 0), call_dtype(call, 1), true,
                               call_tensor(call, 0)->dtype == call_dtype(call, 1) ? COPY_CLONE : COPY_DTYPE, err));
}

FORWARD(clone)
{
    const Tensor *t = call_tensor(call, 0);
    (void)plan;
    return known_format(call, op, err) && take(call, copy_new(ctx, t, (DType)t->dtype, !call_has(call, 1) || call_int(call, 1, 1) == 1, COPY_CLONE, err));
}

FORWARD(contiguous)
{
    Tensor *t = call_tensor(call, 0);
    (void)plan;
    return known_format(call, op, err) && take(call, copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err));
}

/* The tensor that is written, checked, as the call's result. */
static Tensor *written(Context *ctx, OpId op, Call *call, Err *err)
{
    Tensor *t = call_tensor(call, 0);
    if (!inplace_check(ctx, op, t, err))
        return NULL;
    take(call, tensor_retain(t));
    return t;
}

static bool fill_with(Context *ctx, OpId op, Call *call, Number number, Err *err)
{
    Tensor *t = call->inplace ? written(ctx, op, call, err) : NULL;
    if (!call->inplace) {
        const Tensor *like = call_tensor(call, 0);
        int64_t strides[DIMS_MAX];
        shape_like(like->ndim, shape_of(like), strides_of(like), strides);
        take(call, t = tensor_new_dense(ctx, (DType)like->dtype, like->storage->device, like->ndim, shape_of(like), strides, err));
    }
    if (!t)
        return false;
    if (!number_fits((DType)t->dtype, number))
        return err_set(err, ERR_RUNTIME, "the value does not fit into %s", dtype_name((DType)t->dtype));
    if (!fill_elements(ctx, t, number, err))
        return false;
    if (call->inplace)
        inplace_done(ctx, op, t);
    return true;
}

FORWARD(fill)
{
    Number number;
    Tensor *value = call_tensor(call, 1);
    (void)plan;
    if (!value)
        arg_kind_number(&call->arg[1], &number);
    else if (value->ndim)
        return err_set(err, ERR_RUNTIME, "fill_() takes a number or a 0-d tensor, not one of %d dimensions", value->ndim);
    else if (!tensor_item(value, &number, err))
        return false;
    return fill_with(ctx, op, call, number, err);
}

FORWARD(zero)
{
    (void)plan;
    return fill_with(ctx, op, call, (Number){ DKIND_INT, { .i = 0 } }, err);
}

FORWARD(fill_diagonal)
{
    Tensor *t = call_tensor(call, 0);
    Number number;
    (void)plan;
    arg_kind_number(&call->arg[1], &number);
    if (t->ndim < 2)
        return err_set(err, ERR_RUNTIME, "fill_diagonal_() needs at least 2 dimensions, and the tensor has %d", t->ndim);
    int64_t n = shape_of(t)[0], step = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (t->ndim > 2 && shape_of(t)[d] != shape_of(t)[0])
            return err_set(err, ERR_RUNTIME, "fill_diagonal_() of more than 2 dimensions needs all of one size");
        n = shape_of(t)[d] < n ? shape_of(t)[d] : n;
        step += strides_of(t)[d];
    }
    if (!(t = written(ctx, op, call, err)))
        return false;
    const int64_t size = (int64_t)dtype_size((DType)t->dtype), rows = shape_of(t)[0], columns = shape_of(t)[1];
    for (int64_t k = 0; k < n; k++)
        number_store((DType)t->dtype, data_of(t) + k * step * size, number);
    if (t->ndim == 2 && call_bool(call, 2, false))      /* wrap: begins again one row below the square */
        for (int64_t at = n * (columns + 1); columns && at < rows * columns; at += columns + 1)
            number_store((DType)t->dtype, data_of(t) + (at / columns * strides_of(t)[0] + at % columns * strides_of(t)[1]) * size, number);
    inplace_done(ctx, op, t);
    return true;
}

FORWARD(copy)
{
    Tensor *source = call_tensor(call, 1), *t, *held = NULL;
    Number number;
    (void)plan;
    if (!source) {
        arg_kind_number(&call->arg[1], &number);
        return fill_with(ctx, op, call, number, err);
    }
    if (!(t = written(ctx, op, call, err)) || !inplace_check_overlap(t, source, err))
        return false;
    if (tensor_is_set_to(t, source) && t->dtype == source->dtype) {
        inplace_done(ctx, op, t);
        return true;
    }
    if (tensor_overlap(t, source) && !(source = held = copy_new(ctx, source, (DType)source->dtype, true, COPY_ASSIGN, err)))
        return false;
    bool ok = copy_elements(ctx, t, source, t->dtype == source->dtype ? COPY_ASSIGN : COPY_DTYPE, err);
    tensor_release(held);
    if (ok)
        inplace_done(ctx, op, t);
    return ok;
}
