/*
 * special.c - element-wise functions that are made of others: powers in double precision, ldexp, frexp, logit within bounds.
 */
#include "tensor/compose.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/special.def"
#undef OP

/* Whatever the operands are, the power is computed in float64. */
FORWARD(float_power)
{
    COMPOSE;
    Arg wide[2];
    if (!call_tensor(call, 0) && !call_tensor(call, 1))
        return err_set(err, ERR_TYPE, "float_power() takes at least one Tensor");
    if (call->inplace && call_tensor(call, 0)->dtype != DT_F64)
        return err_set(err, ERR_RUNTIME, "float_power_() works on float64 tensors alone, not on %s", dtype_name((DType)call_tensor(call, 0)->dtype));
    for (int k = 0; k < 2; k++) {
        Number number = { 0 };
        if (call_tensor(call, k))
            wide[k] = T(compose_cast(c, call_tensor(call, k), DT_F64));
        else
            wide[k] = (arg_kind_number(&call->arg[k], &number), F(number_double(number)));
    }
    return compose_end(c, op, call, DO(pow, wide[0], wide[1]));
}

FORWARD(ldexp)
{
    COMPOSE;
    return compose_end(c, op, call, DO(mul, call->arg[0], T(DO(pow, F(2), call->arg[1]))));
}

FORWARD(frexp)
{
    Tensor *t = call_tensor(call, 0), *in;
    (void)plan;
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "frexp() is there for floating tensors, not for %s", dtype_name((DType)t->dtype));
    if (!(in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err)))
        return false;
    Tensor *mantissa = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err);
    Tensor *exponent = mantissa ? call_result(ctx, op, call, 1, DT_I32, t->ndim, shape_of(t), NULL, err) : NULL;
    size_t size = dtype_size((DType)t->dtype);
    for (int64_t k = 0; exponent && k < in->numel; k++) {
        int e = 0;
        double m = frexp(number_double(number_load((DType)t->dtype, data_of(in) + (size_t)k * size)), &e);
        number_store((DType)t->dtype, data_of(mantissa) + (size_t)k * size, (Number){ .kind = DKIND_FLOAT, .f = m });
        ((int32_t *)data_of(exponent))[k] = e;
    }
    tensor_release(in);
    return exponent;
}

/* logit(x, eps): x is brought into [eps, 1 - eps] before. */
FORWARD(logit_eps)
{
    COMPOSE;
    double eps = call_float(call, 1, -1);
    Arg x = call->arg[0];
    if (dtype_kind((DType)x.tensor->dtype) != DKIND_FLOAT)
        x = T(compose_cast(c, x.tensor, ctx->default_dtype));
    return compose_end(c, op, call, DO(logit, call_has(call, 1) ? T(DO(clamp, x, F(eps), F(1 - eps))) : x));
}

FORWARD(positive)
{
    Tensor *t = call_tensor(call, 0);
    (void)ctx, (void)plan, (void)op;
    if (t->dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "positive() takes no bool tensors");
    return call_take(call, tensor_retain(t));
}

/* The logarithm of the multivariate gamma function: p (p - 1) / 4 · log π + Σ lgamma(x - j / 2). */
FORWARD(mvlgamma)
{
    COMPOSE;
    int64_t p = call_int(call, 1, 1);
    Tensor *sum = NULL;
    if (p < 1 || p > 16)
        return err_set(err, ERR_RUNTIME, "mvlgamma(): p must be from 1 to 16, not %lld", (long long)p);
    for (int64_t j = 0; j < p; j++) {
        Tensor *term = DO(lgamma, T(DO(sub, call->arg[0], F((double)j / 2))));
        sum = sum ? DO(add, T(sum), T(term)) : term;
    }
    return compose_end(c, op, call, DO(add, T(sum), F((double)(p * (p - 1)) / 4 * log(3.14159265358979323846))));
}
