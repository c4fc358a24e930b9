/*
 * op.c - the table of operations and the one path they all take: rules, checks, allocation, forward, versions.
 */
#include "tensor/part.h"

bool dtype_own(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
bool shape_own(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad)                                    \
    bool dtype_##dtype(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);                                \
    bool shape_##shape(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);                                \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops.def"

const Op ops[OP_COUNT + 1] = {
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad)                                     \
    [OP_##id] = { dtype_##dtype, shape_##shape, forward_##forward },
#include "tensor/ops.def"
    [OP_COUNT] = { 0 }
};

const OpInfo op_info[OP_COUNT + 1] = {
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad)                                     \
    [OP_##id] = { #id, name, forms, signature, result, #grad },
#include "tensor/ops.def"
    [OP_COUNT] = { 0 }
};

/* Takes one more reference to each tensor that the caller gave for out=. */
static void retain_given(Call *call)
{
    for (int k = 0; k < call->given; k++) {
        tensor_retain(call->out[k]);
        call->staged[k] = NULL;
    }
}

/* Brings results that were computed apart to the tensors of out=; lets go of them also after an error. */
static bool unstage(Context *ctx, Call *call, bool ok, Err *err)
{
    for (int k = 0; k < call->given; k++)
        if (call->staged[k]) {
            ok = ok && copy_elements(ctx, call->out[k], call->staged[k], COPY_DTYPE, err);
            tensor_release(call->staged[k]);
            call->staged[k] = NULL;
        }
    return ok;
}

static bool given_result(Context *ctx, OpId id, Call *call, int k, DType dtype, int ndim, const int64_t *shape, const int64_t *planned,
                         Err *err);

/* Rows of the form O: they compute as without out=, and the results are brought to its tensors. */
static bool call_then_copy(Context *ctx, OpId id, Call *call, Err *err)
{
    Tensor *given[CALL_OUTS], *made[CALL_OUTS];
    int n = call->given;
    memcpy(given, call->out, sizeof given);
    call->given = 0;
    if (!op_call(ctx, id, call, err))
        return false;
    bool ok = call->outs == n || err_set(err, ERR_TYPE, "%s(): out= takes %d tensors", op_info[id].id, call->outs);
    memcpy(made, call->out, sizeof made);
    for (int k = 0; ok && k < n; k++) {
        const Tensor *from = made[k];
        call->out[k] = tensor_retain(given[k]);
        ok = given_result(ctx, id, call, k, (DType)from->dtype, from->ndim, shape_of(from), NULL, err)
          && inplace_check(ctx, id, given[k], err) && copy_elements(ctx, given[k], from, COPY_DTYPE, err);
        if (ok)
            inplace_done(ctx, id, given[k]);
        tensor_release(made[k]);
        made[k] = NULL;
    }
    if (!ok) {
        for (int k = 0; k < CALL_OUTS; k++)
            if (made[k] != call->out[k])
                tensor_release(made[k]);
        call_drop(call);
    }
    return ok;
}

bool op_call(Context *ctx, OpId id, Call *call, Err *err)
{
    const Op *op = &ops[id];
    if (call->given && strchr(op_info[id].forms, 'O'))
        return call_then_copy(ctx, id, call, err);
    uint16_t outer = ctx->op;
    Plan plan;
    plan.strides_set = plan.keepdim = false;
    plan.dims = 0;
    call->outs = call->given;
    call->many = NULL;
    call->many_count = 0;
    call->has_number = false;
    for (int k = call->given; k < CALL_OUTS; k++)
        call->out[k] = NULL;
    retain_given(call);
    ctx->op = (uint16_t)id;
    bool ok = op->dtype(ctx, id, call, &plan, err) && op->shape(ctx, id, call, &plan, err)
           && op->forward(ctx, id, call, &plan, err);
    if (call->given)
        ok = unstage(ctx, call, ok, err);
    ctx->op = outer;
    if (!ok)
        call_drop(call);
    return ok;
}

void call_drop(Call *call)
{
    for (int k = 0; k < CALL_OUTS; k++) {
        tensor_release(call->out[k]);
        call->out[k] = NULL;
    }
    call->outs = 0;
}

static bool same_shape(const Tensor *t, int ndim, const int64_t *shape)
{
    return t->ndim == ndim && same_dims(ndim, shape_of(t), shape);
}

static bool in_place_result(Context *ctx, OpId id, Call *call, DType dtype, int ndim, const int64_t *shape, Err *err)
{
    Tensor *self = call_tensor(call, 0);
    char wanted[200], has[200];
    if (!same_shape(self, ndim, shape)) {
        shape_print_to(wanted, sizeof wanted, ndim, shape);
        shape_print_to(has, sizeof has, self->ndim, shape_of(self));
        return err_set(err, ERR_RUNTIME, "the result has the shape %s, which does not fit in place into a tensor of shape %s", wanted, has);
    }
    if (!dtype_can_cast(dtype, (DType)self->dtype)) {
        err_set(err, ERR_RUNTIME, "the result is %s, which cannot be written into a tensor of %s", dtype_name(dtype),
                dtype_name((DType)self->dtype));
        return err_hint(err, "out of place it makes a new tensor of %s: x = x + y instead of x += y", dtype_name(dtype));
    }
    if (!inplace_check(ctx, id, self, err))
        return false;
    call->out[0] = tensor_retain(self);
    return true;
}

/* Operations that have no result of another dtype than they compute. */
static bool wants_same_dtype(OpId id, DType dtype)
{
    switch (id) {
    case OP_neg: case OP_abs: case OP_sign: case OP_floor: case OP_ceil: case OP_trunc: case OP_round: case OP_bitwise_not:
    case OP_amax: case OP_amin: case OP_matmul: case OP_mm: case OP_mv: case OP_dot: case OP_bmm: case OP_gather:
        return true;
    case OP_sum: case OP_nansum: case OP_prod: case OP_cumsum: case OP_cumprod:
        return false;
    default:
        return dtype == DT_I64 && ops[id].shape == shape_own && id != OP_cat && id != OP_stack;     /* indices */
    }
}

/* out= takes the result's shape (and strides, NULL: row-major); its storage grows when it has no room. */
static bool given_result(Context *ctx, OpId id, Call *call, int k, DType dtype, int ndim, const int64_t *shape, const int64_t *planned,
                         Err *err)
{
    Tensor *out = call->out[k];
    char wanted[200], has[200];
    if (!dtype_can_cast(dtype, (DType)out->dtype))
        return err_set(err, ERR_RUNTIME, "the result is %s, which cannot be written into out= of %s", dtype_name(dtype),
                       dtype_name((DType)out->dtype));
    if (out->dtype != dtype && wants_same_dtype(id, dtype))
        return err_set(err, ERR_RUNTIME, "%s(): the result is %s, and out= is %s", op_info[id].id, dtype_name(dtype),
                       dtype_name((DType)out->dtype));
    if (same_shape(out, ndim, shape))
        return true;
    int64_t strides[DIMS_MAX], numel = shape_numel(ndim, shape, err);
    if (numel < 0)
        return false;
    if (planned)
        memcpy(strides, planned, (size_t)ndim * sizeof *strides);
    else
        shape_row_major(ndim, shape, strides);
    size_t bytes = (size_t)(out->offset + numel) * dtype_size((DType)out->dtype);
    if (bytes > out->storage->bytes && out->base) {
        shape_print_to(wanted, sizeof wanted, ndim, shape);
        shape_print_to(has, sizeof has, out->ndim, shape_of(out));
        return err_set(err, ERR_RUNTIME, "out= is a view of shape %s without room for the result of shape %s", has, wanted);
    }
    return (bytes <= out->storage->bytes || storage_grow(ctx, out->storage, bytes, err))
        && tensor_set_dims(out, ndim, shape, strides, out->offset, err);
}

Tensor *call_result(Context *ctx, OpId id, Call *call, int k, DType dtype, int ndim, const int64_t *shape, const int64_t *strides, Err *err)
{
    if (k < call->given) {
        if (!given_result(ctx, id, call, k, dtype, ndim, shape, strides, err) || !inplace_check(ctx, id, call->out[k], err))
            return NULL;
        if (ops[id].forward != forward_elementwise && (call->out[k]->dtype != dtype || !tensor_is_contiguous(call->out[k]))) {
            call->staged[k] = tensor_new_dense(ctx, dtype, (Device){ 0, 0 }, ndim, shape, NULL, err);
            call->outs = call->outs > k ? call->outs : k + 1;
            return call->staged[k];
        }
    } else if (call->inplace && k == 0) {
        if (!in_place_result(ctx, id, call, dtype, ndim, shape, err))
            return NULL;
    } else if (!(call->out[k] = tensor_new_dense(ctx, dtype, (Device){ 0, 0 }, ndim, shape, strides, err)))
        return NULL;
    if (call->outs <= k)
        call->outs = k + 1;
    return call->out[k];
}

bool call_finish(Context *ctx, OpId id, Call *call, Err *err)
{
    (void)err;
    if (call->inplace && call->outs)
        inplace_done(ctx, id, call->out[0]);
    for (int k = 0; k < call->given; k++)
        inplace_done(ctx, id, call->out[k]);
    return true;
}

/* For rows whose forward function decides by itself. */
bool dtype_own(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
{
    return (void)ctx, (void)op, (void)call, (void)plan, (void)err, true;
}

bool shape_own(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
{
    return (void)ctx, (void)op, (void)call, (void)plan, (void)err, true;
}

static Tensor *only_result(Context *ctx, OpId id, Call *call, Err *err)
{
    call->inplace = false;
    call->given = 0;
    return op_call(ctx, id, call, err) ? call->out[0] : NULL;
}

Tensor *op_unary(Context *ctx, OpId id, Tensor *a, Err *err)
{
    Call call;
    call.args = 1;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = a };
    return only_result(ctx, id, &call, err);
}

Tensor *op_binary(Context *ctx, OpId id, Tensor *a, Tensor *b, Err *err)
{
    Call call;
    call.args = 2;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = a };
    call.arg[1] = (Arg){ .kind = ARG_TENSOR, .tensor = b };
    return only_result(ctx, id, &call, err);
}
