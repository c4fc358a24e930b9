/*
 * elementwise.c - the forward function and the rules of element-wise operations: promotion, broadcasting, the layout of the
 * result, checks before anything is written, then the walk over the kernels of the CPU.
 */
#include "tensor/cpu/elementwise.h"
#include "tensor/plan.h"

#define RULE(kind, name) bool kind##_##name(Context *ctx, OpId id, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, of_dtype, of_shape, of_forward, grad) \
    RULE(dtype, of_dtype); RULE(shape, of_shape); RULE(forward, of_forward);
#include "tensor/ops/elementwise.def"
#include "tensor/ops/special.def"
#undef OP

/* ---- dtype rules ---------------------------------------------------------------------------------------- */
static bool promote(Context *ctx, Call *call, Plan *plan)
{
    plan->dtype = plan->compute = dtype_result(ctx, call, 0, call->args);
    return true;
}

static bool refuse_bool(OpId id, const char *instead, Err *err)
{
    err_set(err, ERR_RUNTIME, "%s() takes no bool tensors", op_info[id].id);
    return err_hint(err, "%s", instead);
}

RULE(dtype, arithmetic)
{
    (void)id;
    (void)err;
    return promote(ctx, call, plan);
}

RULE(dtype, square)
{
    (void)id;
    (void)err;
    promote(ctx, call, plan);
    if (plan->dtype == DT_BOOL)
        plan->dtype = plan->compute = DT_I64;
    return true;
}

RULE(dtype, difference)
{
    for (int k = 0; k < 2; k++)
        if (call->arg[k].kind == ARG_BOOL || (call_tensor(call, k) && call_tensor(call, k)->dtype == DT_BOOL))
            return refuse_bool(id, "for masks, ^ or logical_xor() gives where they differ", err);
    return promote(ctx, call, plan);
}

RULE(dtype, negation)
{
    return call_tensor(call, 0)->dtype == DT_BOOL ? refuse_bool(id, "for masks, ~ or logical_not() turns them round", err)
                                                  : promote(ctx, call, plan);
}

RULE(dtype, numeric)
{
    promote(ctx, call, plan);
    return plan->dtype != DT_BOOL || err_set(err, ERR_RUNTIME, "%s() is not there for bool tensors", op_info[id].id);
}

RULE(dtype, only_float)
{
    promote(ctx, call, plan);
    return dtype_kind(plan->dtype) == DKIND_FLOAT
        || err_set(err, ERR_RUNTIME, "%s() is there for floating tensors, not for %s", op_info[id].id, dtype_name(plan->dtype));
}

RULE(dtype, one_dtype)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    promote(ctx, call, plan);
    return a->dtype == b->dtype
        || err_set(err, ERR_RUNTIME, "%s() takes tensors of one dtype, not %s and %s", op_info[id].id, dtype_name((DType)a->dtype),
                   dtype_name((DType)b->dtype));
}

RULE(dtype, floating)
{
    (void)id;
    (void)err;
    promote(ctx, call, plan);
    if (dtype_kind(plan->dtype) != DKIND_FLOAT)
        plan->dtype = plan->compute = ctx->default_dtype;
    return true;
}

RULE(dtype, truth)
{
    (void)id;
    (void)err;
    promote(ctx, call, plan);
    plan->dtype = DT_BOOL;
    return true;
}

RULE(dtype, whole)
{
    promote(ctx, call, plan);
    if (dtype_kind(plan->dtype) != DKIND_FLOAT)
        return true;
    return err_set(err, ERR_RUNTIME, "%s() takes bools and ints, not %s", op_info[id].id, dtype_name(plan->dtype));
}

/* In the dtype that is computed in: 256 is 0 in uint8. */
static bool has_zero(const Arg *arg, DType compute)
{
    int64_t index[DIMS_MAX] = { 0 };
    if (arg->kind != ARG_TENSOR) {
        Number number = { 0 };
        arg_kind_number(arg, &number);
        number_wrap(compute, &number);
        return number_int(number) == 0;
    }
    const Tensor *t = arg->tensor;
    for (int64_t k = 0; k < t->numel; k++) {
        if (number_int(tensor_element(t, index)) == 0)
            return true;
        for (int d = t->ndim - 1; d >= 0 && ++index[d] == shape_of(t)[d]; d--)
            index[d] = 0;
    }
    return false;
}

/* Whole numbers have no quotient by 0: said before anything is written. */
RULE(dtype, dividing)
{
    promote(ctx, call, plan);
    if (plan->dtype == DT_BOOL && id != OP_remainder && id != OP_fmod)
        plan->dtype = plan->compute = DT_I64;
    if (plan->dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "%s() takes no bool tensors", op_info[id].id);
    if (dtype_kind(plan->compute) != DKIND_FLOAT && has_zero(&call->arg[1], plan->compute))
        return err_set(err, ERR_RUNTIME, "ZeroDivisionError: %s() of ints by 0", op_info[id].id);
    return true;
}

RULE(dtype, power)
{
    promote(ctx, call, plan);
    if (dtype_kind(plan->compute) != DKIND_FLOAT && call->arg[1].kind == ARG_INT && call->arg[1].i < 0) {
        err_set(err, ERR_RUNTIME, "ints have no negative powers that are ints: %lld", (long long)call->arg[1].i);
        return err_hint(err, "a float tensor has them: x.float() ** %lld", (long long)call->arg[1].i);
    }
    return (void)id, true;
}

/* ---- shapes --------------------------------------------------------------------------------------------- */
RULE(shape, elementwise)
{
    plan->ndim = -1;
    (void)ctx;
    for (int k = 0; k < call->args; k++) {
        const Tensor *t = call_tensor(call, k);
        if (!t)
            continue;
        if (plan->ndim < 0) {
            plan->ndim = t->ndim;
            memcpy(plan->shape, shape_of(t), t->ndim * sizeof *plan->shape);
        } else if (plan->ndim != t->ndim || !same_dims(t->ndim, plan->shape, shape_of(t))) {
            int64_t shape[DIMS_MAX];
            int ndim;
            if (!shape_broadcast(plan->ndim, plan->shape, t->ndim, shape_of(t), &ndim, shape, err))
                return false;
            plan->ndim = ndim;
            memcpy(plan->shape, shape, (size_t)ndim * sizeof *shape);
        }
    }
    return plan->ndim >= 0 || err_set(err, ERR_TYPE, "%s() takes at least one Tensor", op_info[id].id);
}

/* ---- the walk ------------------------------------------------------------------------------------------- */
typedef struct Walk { RunKernel kernel; Run run; Steps steps; int64_t size, size_out; } Walk;      /* of an operand's element, of a result's */

/* Elements [begin, end) of the outer dimensions; the innermost is one run. */
static void walk_outer(void *data, int64_t begin, int64_t end)
{
    const Walk *w = data;
    const Steps *s = &w->steps;
    Run run = w->run;
    int outer = s->ndim - 1;
    int64_t index[DIMS_MAX], rest = begin;
    const char *base[3] = { run.out, run.a, run.b };
    for (int d = outer - 1; d >= 0; d--) {
        index[d] = rest % s->shape[d];
        rest /= s->shape[d];
    }
    for (int64_t k = begin; k < end; k++) {
        const char *at[3];
        for (int o = 0; o < 3; o++) {
            at[o] = base[o];
            for (int d = 0; at[o] && d < outer; d++)
                at[o] += index[d] * s->stride[o][d];
        }
        run.out = (char *)at[0];
        run.a = at[1];
        run.b = at[2];
        w->kernel(&run);
        for (int d = outer - 1; d >= 0 && ++index[d] == s->shape[d]; d--)
            index[d] = 0;
    }
}

/* One long run, cut between threads. */
static void walk_inner(void *data, int64_t begin, int64_t end)
{
    const Walk *w = data;
    Run run = w->run;
    run.n = end - begin;
    run.out += begin * run.step[0];
    run.a += run.a ? begin * run.step[1] : 0;
    run.b += run.b ? begin * run.step[2] : 0;
    w->kernel(&run);
}

enum { GRAIN = 1 << 15 };

static bool walk(Context *ctx, Walk *w, Err *err)
{
    Steps *s = &w->steps;
    if (!s->ndim) {                                     /* a single element */
        w->run.n = 1;
        w->run.dense = false;
        w->kernel(&w->run);
        return true;
    }
    int inner = s->ndim - 1;
    int64_t outer = 1;
    for (int d = 0; d < inner; d++)
        outer *= s->shape[d];
    w->run.n = s->shape[inner];
    for (int o = 0; o < 3; o++)
        w->run.step[o] = o < s->operands ? s->stride[o][inner] : 0;
    w->run.dense = w->run.step[0] == w->size_out && (!w->run.a || w->run.step[1] == w->size) && (!w->run.b || w->run.step[2] == w->size);
    if (outer == 1)
        return parallel_for(ctx, w->run.n, GRAIN, walk_inner, w, err);
    return parallel_for(ctx, outer, w->run.n < GRAIN ? GRAIN / w->run.n : 1, walk_outer, w, err);
}

/* An operand in the dtype that is computed in: a tensor as it is, a cast copy of one, or a number (a 0-d tensor of another
 * dtype is read as one). `made` owns the copy. */
static bool operand_for(Context *ctx, const Call *call, int k, DType compute, Tensor **operand, Tensor **made, Number *number, Err *err)
{
    *operand = *made = NULL;
    if (k >= call->args)
        return true;
    Tensor *t = call_tensor(call, k);
    if (!t) {
        arg_kind_number(&call->arg[k], number);
        number_wrap(compute, number);
        return true;
    }
    if (t->dtype == compute) {
        *operand = t;
        return true;
    }
    if (t->ndim == 0) {
        if (!tensor_item(t, number, err))
            return false;
        number_wrap(compute, number);
        return true;
    }
    *operand = *made = copy_new(ctx, t, compute, true, COPY_DTYPE, err);
    return *made;
}

/* The written tensor may be an operand itself, but not overlap one partly. */
static bool check_overlaps(const Call *call, const Tensor *written, Err *err)
{
    for (int k = 0; k < call->args; k++)
        if (call_tensor(call, k) && !inplace_check_overlap(written, call_tensor(call, k), err))
            return false;
    return true;
}

/* The everyday case: operands of one shape and dtype, all row-major, the result made anew or the first operand. */
static bool is_plain(const Call *call, const Plan *plan)
{
    if (call->given || (call->inplace && call_tensor(call, 0)->dtype != plan->dtype))
        return false;
    for (int k = 0; k < call->args; k++) {
        const Tensor *t = call_tensor(call, k);
        if (t && (t->ndim != plan->ndim || t->dtype != plan->compute || !same_dims(t->ndim, shape_of(t), plan->shape)
                  || !tensor_is_contiguous(t)))
            return false;
    }
    return true;
}

static bool forward_plain(Context *ctx, OpId id, Call *call, Plan *plan, RunKernel kernel, Err *err)
{
    Walk w;
    Tensor *out = call_result(ctx, id, call, 0, plan->dtype, plan->ndim, plan->shape, NULL, err);
    if (!out || (call->inplace && !check_overlaps(call, out, err)))
        return false;
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    w.kernel = kernel;
    w.run = (Run){ .n = out->numel, .dense = true, .out = data_of(out), .a = a ? data_of(a) : NULL, .b = b ? data_of(b) : NULL };
    w.run.step[0] = (int64_t)dtype_size(plan->dtype);
    w.run.step[1] = w.run.step[2] = (int64_t)dtype_size(plan->compute);
    for (int k = 0; k < call->args && k < 2; k++)
        if (!call_tensor(call, k)) {
            arg_kind_number(&call->arg[k], &w.run.number[k]);
            number_wrap(plan->compute, &w.run.number[k]);
        }
    if (out->numel <= GRAIN)
        kernel(&w.run);
    else if (!parallel_for(ctx, out->numel, GRAIN, walk_inner, &w, err))
        return false;
    return !call->inplace || call_finish(ctx, id, call, err);
}

RULE(forward, elementwise)
{
    Walk w;
    Tensor *operand[2], *made[2] = { NULL, NULL }, *target, *out = NULL;
    int64_t strides[DIMS_MAX];
    bool truth, ok = false;
    w.kernel = elementwise_kernel(id, plan->compute, &truth);
    if (!w.kernel)
        return err_set(err, ERR_RUNTIME, "%s() is not there for %s", op_info[id].id, dtype_name(plan->compute));
    if (is_plain(call, plan))
        return forward_plain(ctx, id, call, plan, w.kernel, err);
    w.run = (Run){ 0 };
    bool written = call->inplace || call->given;        /* whether it may be is asked before anything is allocated */
    if (written) {
        Tensor *given[2] = { call_tensor(call, 0), call_tensor(call, 1) };
        plan_strides(plan->ndim, plan->shape, given, 2, strides);
    }
    target = written ? call_result(ctx, id, call, 0, plan->dtype, plan->ndim, plan->shape, strides, err) : NULL;
    if (written && (!target || !check_overlaps(call, target, err)))
        return false;
    for (int k = 0; k < 2; k++)
        if (!operand_for(ctx, call, k, plan->compute, &operand[k], &made[k], &w.run.number[k], err))
            goto done;
    plan_strides(plan->ndim, plan->shape, operand, 2, strides);
    if (!target && !(target = call_result(ctx, id, call, 0, plan->dtype, plan->ndim, plan->shape, strides, err)))
        goto done;
    out = target->dtype == plan->dtype ? target : NULL;
    if (!out && !(out = tensor_new_dense(ctx, plan->dtype, (Device){ 0, 0 }, plan->ndim, plan->shape, strides, err)))
        goto done;                                      /* computed in another dtype than the tensor that is written */
    ok = true;
    if (out->numel) {
        plan_steps(&w.steps, out, operand, 2);
        w.size = (int64_t)dtype_size(plan->compute);
        w.size_out = (int64_t)dtype_size(plan->dtype);
        w.run.out = data_of(out);
        w.run.a = operand[0] ? data_of(operand[0]) : NULL;
        w.run.b = operand[1] ? data_of(operand[1]) : NULL;
        ok = walk(ctx, &w, err);
    }
    ok = ok && (out == target || copy_elements(ctx, target, out, COPY_DTYPE, err)) && call_finish(ctx, id, call, err);
done:
    if (out && out != call->out[0])
        tensor_release(out);
    tensor_release(made[0]);
    tensor_release(made[1]);
    return ok;
}
