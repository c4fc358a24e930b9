/*
 * elementwise_more.c - element-wise operations of three operands or with parameters: where, masked_fill, clamp, lerp and the like.
 */
#include "tensor/cpu/map.h"
#include "tensor/part.h"
#include "tensor/plan.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/elementwise_more.def"
#undef OP

/* ---- operands of one dtype and shape ---------------------------------------------------------------------------------- */
enum { OPERANDS = 3 };
typedef struct Operands {
    Tensor *tensor[OPERANDS], *made[OPERANDS];          /* as they are used; owned copies */
    Number  number[OPERANDS];                           /* where there is no tensor */
    int     ndim;
    int64_t shape[DIMS_MAX];
} Operands;

static void operands_free(Operands *o)
{
    for (int k = 0; k < OPERANDS; k++)
        tensor_release(o->made[k]);
}

/* Argument `from` + k becomes operand k, in `dtype`; a 0-d tensor of another dtype becomes a number. */
static bool operands_take(Context *ctx, const Call *call, int from, int n, DType dtype, Operands *o, Err *err)
{
    *o = (Operands){ .ndim = 0 };
    for (int k = 0; k < n; k++) {
        Tensor *t = call_tensor(call, from + k);
        if (!t) {
            arg_kind_number(&call->arg[from + k], &o->number[k]);
            number_wrap(dtype, &o->number[k]);
            continue;
        }
        if (!shape_broadcast(o->ndim, o->shape, t->ndim, shape_of(t), &o->ndim, o->shape, err))
            return false;
        if (t->dtype == dtype)
            o->tensor[k] = t;
        else if (!(o->tensor[k] = o->made[k] = copy_new(ctx, t, dtype, true, COPY_DTYPE, err)))
            return false;
    }
    return true;
}

/* ---- where ------------------------------------------------------------------------------------------------------------ */
FORWARD(where)
{
    Tensor *condition = call_tensor(call, 0);
    DType dtype = dtype_result(ctx, call, 1, 2);
    int64_t strides[DIMS_MAX], shape[DIMS_MAX];
    Operands o;
    int ndim;
    (void)plan;
    if (condition->dtype != DT_BOOL && condition->dtype != DT_U8)
        return err_set(err, ERR_RUNTIME, "where() chooses by a bool tensor, not by one of %s", dtype_name((DType)condition->dtype));
    bool ok = operands_take(ctx, call, 1, 2, dtype, &o, err)
           && shape_broadcast(o.ndim, o.shape, condition->ndim, shape_of(condition), &ndim, shape, err);
    Tensor *all[3] = { condition, o.tensor[0], o.tensor[1] }, *out = NULL;
    if (ok) {
        plan_strides(ndim, shape, all, 3, strides);
        out = call_result(ctx, op, call, 0, dtype, ndim, shape, strides, err);
    }
    if (out && (DType)out->dtype != dtype)
        ok = err_set(err, ERR_RUNTIME, "where(): out= must be %s", dtype_name(dtype)), out = NULL;
    ok = ok && out && map_choose(ctx, out, condition, o.tensor, o.number, err);
    operands_free(&o);
    return ok && call_finish(ctx, op, call, err);
}

FORWARD(masked_fill)
{
    Tensor *t = call_tensor(call, 0), *mask = call_tensor(call, 1), *value = call_tensor(call, 2), *out;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    Number number[2] = { { 0 }, { 0 } };
    int ndim;
    (void)plan;
    if (mask->dtype != DT_BOOL)
        return err_set(err, ERR_RUNTIME, "masked_fill() takes a bool mask, not one of %s", dtype_name((DType)mask->dtype));
    if (value && value->ndim)
        return err_set(err, ERR_RUNTIME, "masked_fill() takes a number or a 0-d tensor, not one of %d dimensions", value->ndim);
    if (value ? !tensor_item(value, &number[0], err) : (arg_kind_number(&call->arg[2], &number[0]), false))
        return false;
    if (!shape_broadcast(t->ndim, shape_of(t), mask->ndim, shape_of(mask), &ndim, shape, err))
        return false;
    shape_row_major(t->ndim, shape_of(t), strides);
    bool same = ndim == t->ndim && !memcmp(shape, shape_of(t), (size_t)ndim * sizeof *shape);
    if (!(out = call_result(ctx, op, call, 0, (DType)t->dtype, ndim, shape, same ? strides : NULL, err)))
        return false;
    Tensor *from[2] = { NULL, t };
    return map_choose(ctx, out, mask, from, number, err) && call_finish(ctx, op, call, err);
}

/* ---- what is made of other operations ---------------------------------------------------------------------------------- */
/* out OP= arg, as part of making out: no event, no version. */
static bool go_on(Context *ctx, OpId id, Tensor *out, const Arg *arg, Err *err)
{
    Record *record = ctx->heap->record;
    int64_t writes = out->version->writes;
    Call call = { .args = 2, .inplace = true };
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = out };
    call.arg[1] = *arg;
    ctx->heap->record = NULL;
    bool ok = op_call(ctx, id, &call, err);
    ctx->heap->record = record;
    if (ok)
        tensor_release(out);
    out->version->writes = writes;
    return ok;
}

/* The first step of a call that may be in place or have an out=. */
static bool first_step(Context *ctx, OpId id, Call *call, const Arg *a, const Arg *b, Err *err)
{
    Call step = { .args = 2, .inplace = call->inplace, .given = call->given };
    step.arg[0] = *a;
    step.arg[1] = *b;
    for (int k = 0; k < call->given; k++)
        step.out[k] = call->out[k];
    if (!op_call(ctx, id, &step, err))
        return false;
    if (call->given)
        tensor_release(step.out[0]);                    /* the caller's call holds it already */
    else
        call_take(call, step.out[0]);
    return true;
}

FORWARD(clamp)
{
    const Arg none = { .kind = ARG_NONE };
    const Arg *low = op == OP_clamp_max ? &none : call_has(call, 1) ? &call->arg[1] : &none;
    const Arg *high = op == OP_clamp_max ? &call->arg[1] : op == OP_clamp && call_has(call, 2) ? &call->arg[2] : &none;
    (void)plan;
    if (low->kind == ARG_NONE && high->kind == ARG_NONE)
        return err_set(err, ERR_RUNTIME, "clamp() needs min, max or both");
    if (low->kind != ARG_NONE && high->kind != ARG_NONE && (low->kind == ARG_TENSOR) != (high->kind == ARG_TENSOR))
        return err_set(err, ERR_TYPE, "clamp(): min and max are both numbers or both tensors");
    if (low->kind == ARG_NONE)
        return first_step(ctx, OP_minimum, call, &call->arg[0], high, err);
    if (high->kind == ARG_NONE)
        return first_step(ctx, OP_maximum, call, &call->arg[0], low, err);
    /* The result's dtype is that of all three: a bound of a higher kind comes first. */
    bool high_first = high->kind == ARG_FLOAT && low->kind != ARG_FLOAT && low->kind != ARG_TENSOR;
    if (high->kind == ARG_TENSOR && low->kind == ARG_TENSOR && !call->inplace && !call->given) {
        Tensor *part = op_binary(ctx, OP_maximum, call_tensor(call, 0), low->tensor, err);
        Tensor *whole = part ? op_binary(ctx, OP_minimum, part, high->tensor, err) : NULL;
        tensor_release(part);
        return call_take(call, whole);
    }
    return first_step(ctx, high_first ? OP_minimum : OP_maximum, call, &call->arg[0], high_first ? high : low, err)
        && go_on(ctx, high_first ? OP_maximum : OP_minimum, call->out[0], high_first ? low : high, err);
}

FORWARD(div_mode)
{
    const char *mode = call_has(call, 2) ? call->arg[2].str : "";
    OpId id = !*mode ? OP_div : !strcmp(mode, "floor") ? OP_floor_divide : OP_div_trunc;
    (void)op, (void)plan;
    if (*mode && strcmp(mode, "floor") && strcmp(mode, "trunc"))
        return err_set(err, ERR_RUNTIME, "div(): rounding_mode is None, 'trunc' or 'floor', not '%s'", mode);
    return first_step(ctx, id, call, &call->arg[0], &call->arg[1], err);
}

/* self ± alpha * other; rsub: other - self. */
FORWARD(scaled)
{
    (void)plan;
    if (op == OP_rsub)
        return first_step(ctx, OP_sub, call, &call->arg[1], &call->arg[0], err);
    Call product = { .args = 2 };
    product.arg[0] = call->arg[1];
    product.arg[1] = call->arg[2];
    if (call->arg[1].kind != ARG_TENSOR) {              /* a number by a number */
        Number a, b;
        arg_kind_number(&call->arg[1], &a);
        arg_kind_number(&call->arg[2], &b);
        Arg by = a.kind == DKIND_FLOAT || b.kind == DKIND_FLOAT ? (Arg){ .kind = ARG_FLOAT, .f = number_double(a) * number_double(b) }
                                                                : (Arg){ .kind = ARG_INT, .i = number_int(a) * number_int(b) };
        return first_step(ctx, op == OP_add_scaled ? OP_add : OP_sub, call, &call->arg[0], &by, err);
    }
    if (dtype_kind((DType)call->arg[1].tensor->dtype) != DKIND_FLOAT && call->arg[2].kind == ARG_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s(): a float alpha needs floating tensors", op_info[op].name);
    if (!op_call(ctx, OP_mul, &product, err))
        return false;
    Arg by = { .kind = ARG_TENSOR, .tensor = product.out[0] };
    bool ok = first_step(ctx, op == OP_add_scaled ? OP_add : OP_sub, call, &call->arg[0], &by, err);
    tensor_release(product.out[0]);
    return ok;
}

/* ---- one formula for an element, with parameters ------------------------------------------------------------------------ */
static double largest(DType dtype)
{
    DTypeInfo info;
    dtype_info(dtype, &info);
    return info.max;
}

/* The parameters follow the n operands. */
static void read_params(const Call *call, OpId op, int n, DType dtype, double *p)
{
    for (int k = 0; k < 3; k++)
        p[k] = call_float(call, n + k, 0);
    if (op == OP_round_to)
        p[1] = pow(10, fabs(p[0]));
    if (op == OP_isclose)
        p[2] = call_bool(call, 4, false);
    if (op == OP_nan_to_num && dtype_kind(dtype) == DKIND_FLOAT) {
        p[1] = call_has(call, 2) ? p[1] : largest(dtype);
        p[2] = call_has(call, 3) ? p[2] : -largest(dtype);
    }
}

FORWARD(map)
{
    int n = op == OP_nan_to_num || op == OP_round_to ? 1 : op == OP_isclose ? 2 : 3;
    DType dtype = dtype_result(ctx, call, 0, n), compute = dtype;
    int64_t strides[DIMS_MAX];
    double p[3];
    Operands o;
    (void)plan;
    read_params(call, op, n, dtype, p);
    if ((op == OP_addcdiv || op == OP_lerp) && dtype_kind(dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, op == OP_lerp ? "lerp() needs floating tensors, and these are %s"
                       : "addcdiv() needs floating tensors, and these are %s; divide first: torch.div(tensor1, tensor2)", dtype_name(dtype));
    for (int k = 1; op == OP_lerp && k < 3; k++)
        if (call_tensor(call, k) && call_tensor(call, k)->dtype != call_tensor(call, 0)->dtype)
            return err_set(err, ERR_RUNTIME, "lerp(): the tensors are of one dtype, not %s and %s",
                           dtype_name((DType)call_tensor(call, 0)->dtype), dtype_name((DType)call_tensor(call, k)->dtype));
    if (op == OP_isclose && call_tensor(call, 0)->dtype != call_tensor(call, 1)->dtype)
        return err_set(err, ERR_RUNTIME, "isclose() compares tensors of one dtype");
    if (op == OP_isclose && dtype_kind(dtype) != DKIND_FLOAT)
        compute = DT_F64;
    bool ok = operands_take(ctx, call, 0, n, compute, &o, err);
    Tensor *out = NULL;
    if (ok) {
        plan_strides(o.ndim, o.shape, o.tensor, n, strides);
        out = call_result(ctx, op, call, 0, op == OP_isclose ? DT_BOOL : dtype, o.ndim, o.shape, strides, err);
    }
    ok = ok && out && map_elements(ctx, op, out, n, o.tensor, o.number, compute, p, err);
    operands_free(&o);
    return ok && call_finish(ctx, op, call, err);
}
