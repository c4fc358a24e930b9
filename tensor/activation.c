/*
 * activation.c - activations of torch.nn.functional: formulas of map.def with their parameters, and those that are made of others.
 */
#include "tensor/compose.h"
#include "tensor/cpu/map.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/nn.def"
#undef OP

/* For each row: how many parameters follow the tensor (`inplace` behind them), which formula, and what it has besides. */
typedef struct Activation {
    OpId   formula;
    int    params;
    bool   ints;                        /* whole numbers go as well */
    double fixed[3];                    /* parameters beyond those that are given */
} Activation;

static const double SELU_ALPHA = 1.6732632423543772848170429916717, SELU_SCALE = 1.0507009873554804934193349852946;

static Activation activation_of(OpId op, const Call *call)
{
    switch (op) {
    case OP_elu: return (Activation){ OP_elu, 1, false, { 0, 1, 1 } };
    case OP_selu: return (Activation){ OP_elu, 0, false, { SELU_ALPHA, SELU_SCALE, 1 } };
    case OP_celu: return (Activation){ OP_elu, 1, false, { 0, 1, 1 / call_float(call, 1, 1) } };
    case OP_leaky_relu: case OP_softshrink: case OP_hardshrink: return (Activation){ op, 1, false, { 0 } };
    case OP_hardtanh: case OP_threshold: return (Activation){ op, 2, true, { 0 } };
    case OP_softplus: return (Activation){ op, 2, false, { 0 } };
    case OP_relu6: return (Activation){ OP_hardtanh, 0, true, { 0, 6, 0 } };
    default: return (Activation){ op, 0, false, { 0 } };
    }
}

FORWARD(activation)
{
    Tensor *t = call_tensor(call, 0), *out;
    Activation a = activation_of(op, call);
    int64_t strides[DIMS_MAX];
    Number none = { 0 };
    double p[3];
    (void)plan;
    if (op == OP_gelu && call_has(call, 1)) {
        if (!strcmp(call->arg[1].str, "tanh"))
            a.formula = OP_gelu_tanh;
        else if (strcmp(call->arg[1].str, "none"))
            return err_set(err, ERR_RUNTIME, "gelu(): approximate is 'none' or 'tanh', not '%s'", call->arg[1].str);
    }
    if (t->dtype == DT_BOOL || (!a.ints && dtype_kind((DType)t->dtype) != DKIND_FLOAT))
        return err_set(err, ERR_RUNTIME, "%s() is not there for %s", op_info[op].name, dtype_name((DType)t->dtype));
    for (int k = 0; k < 3; k++)
        p[k] = k < a.params ? call_float(call, k + 1, 0) : a.fixed[k];
    if (op != OP_gelu && call_bool(call, a.params + 1, false))
        call->inplace = true;
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    out = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), strides, err);
    return out && map_elements(ctx, a.formula, out, 1, &t, &none, (DType)t->dtype, p, err) && call_finish(ctx, op, call, err);
}

FORWARD(relu_into)
{
    Call relu = { .args = 1, .inplace = call_bool(call, 1, false) };
    relu.arg[0] = call->arg[0];
    (void)plan, (void)op;
    return op_call(ctx, OP_relu, &relu, err) && call_take(call, relu.out[0]);
}

/* One slope for all, or one for each channel (dimension 1). */
FORWARD(prelu)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0), *weight = call_tensor(call, 1);
    int64_t shape[DIMS_MAX], channels = t->ndim < 2 ? 1 : shape_of(t)[1];
    if (weight->numel != 1 && weight->numel != channels)
        return err_set(err, ERR_RUNTIME, "prelu(): %lld slopes for %lld channels", (long long)weight->numel, (long long)channels);
    for (int d = 0; d < t->ndim; d++)
        shape[d] = d == 1 ? weight->numel : 1;
    Tensor *slope = t->ndim < 2 ? weight : DO(reshape, T(weight), INTS(shape, t->ndim));
    Tensor *positive = DO(gt, T(t), I(0));
    return compose_end(c, op, call, DO(where, T(positive), T(t), T(DO(mul, T(t), T(slope)))));
}

/* The first half times the sigmoid of the second. */
FORWARD(glu)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    int dim;
    if (!t->ndim || !shape_dim(call_int(call, 1, -1), t->ndim, &dim, err))
        return t->ndim ? false : err_set(err, ERR_RUNTIME, "glu() does not take tensors of 0 dimensions");
    int64_t size = shape_of(t)[dim];
    if (size % 2)
        return err_set(err, ERR_RUNTIME, "glu() halves dimension %d, whose size %lld is odd", dim, (long long)size);
    Tensor *first = DO(narrow, T(t), I(dim), I(0), I(size / 2)), *second = DO(narrow, T(t), I(dim), I(size / 2), I(size / 2));
    return compose_end(c, op, call, DO(mul, T(first), T(DO(sigmoid, T(second)))));
}

FORWARD(softmin)
{
    COMPOSE;
    return compose_end(c, op, call, DO(softmax, T(DO(neg, call->arg[0])), call->arg[1], call->arg[2]));
}

/* Without a dimension: the first of tensors of 0, 1 and 3 dimensions, else the second. */
FORWARD(softmax_any)
{
    COMPOSE;
    int ndim = call_tensor(call, 0)->ndim;
    Arg dim = call_has(call, 1) ? call->arg[1] : I(ndim == 0 || ndim == 1 || ndim == 3 ? 0 : 1);
    return compose_end(c, op, call, op == OP_softmax_any ? DO(softmax, call->arg[0], dim, call->arg[3])
                                                          : DO(log_softmax, call->arg[0], dim, call->arg[3]));
}
