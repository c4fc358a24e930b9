/*
 * normal.c - functions of torch.nn.functional that weigh, compare and normalise: linear maps, embeddings, distances, norms of
 * layers and batches, dropout.
 */
#include "tensor/compose.h"

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/nn.def"
#undef OP

/* ---- maps with weights -------------------------------------------------------------------------------------------------- */
FORWARD(linear)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *weight = call_tensor(call, 1);
    if (weight->ndim > 2 || weight->ndim < 1)
        return err_set(err, ERR_RUNTIME, "linear(): weight is a matrix (out, in), not a tensor of %d dimensions", weight->ndim);
    if (x->ndim && shape_of(x)[x->ndim - 1] != shape_of(weight)[weight->ndim - 1]) {
        char left[200], right[200];
        shape_print_to(left, sizeof left, x->ndim, shape_of(x));
        shape_print_to(right, sizeof right, weight->ndim, shape_of(weight));
        err_set(err, ERR_RUNTIME, "linear(): an input of shape %s has %lld features, and a weight of shape %s (out, in) takes %lld", left,
                (long long)shape_of(x)[x->ndim - 1], right, (long long)shape_of(weight)[weight->ndim - 1]);
        return err_hint(err, "the last dimension of the input is multiplied with each row of the weight");
    }
    Tensor *product = DO(matmul, T(x), T(weight->ndim == 2 ? DO(t, T(weight)) : weight));
    return compose_end(c, op, call, call_tensor(call, 2) ? DO(add, T(product), call->arg[2]) : product);
}

/* x1ᵀ W x2 for each of W's matrices. */
FORWARD(bilinear)
{
    COMPOSE;
    Tensor *weight = call_tensor(call, 2);
    if (weight->ndim != 3)
        return err_set(err, ERR_RUNTIME, "bilinear(): weight is of shape (out, in1, in2), not of %d dimensions", weight->ndim);
    Tensor *operands[3] = { call_tensor(call, 0), weight, call_tensor(call, 1) };
    Tensor *product = DO(einsum, STR("...i,oij,...j->...o"), TENSORS(operands, 3));
    return compose_end(c, op, call, call_tensor(call, 3) ? DO(add, T(product), call->arg[3]) : product);
}

FORWARD(embedding)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *weight = call_tensor(call, 1);
    int64_t shape[DIMS_MAX], flat = -1, index[DIMS_MAX] = { 0 };
    if (x->dtype != DT_I64 && x->dtype != DT_I32) {
        err_set(err, ERR_RUNTIME, "embedding(): the input holds row numbers in an int64 or int32 tensor, not in one of %s", dtype_name((DType)x->dtype));
        return err_hint(err, "x.long() makes them whole numbers");
    }
    if (weight->ndim != 2)
        return err_set(err, ERR_RUNTIME, "embedding(): weight is a matrix, not a tensor of %d dimensions", weight->ndim);
    if (call_has(call, 3))
        return err_set(err, ERR_NOT_IMPLEMENTED, "embedding(): max_norm= is not supported by Locus");
    for (int64_t k = 0; k < x->numel; k++) {
        int64_t row = number_int(tensor_element(x, index));
        if (row < 0 || row >= shape_of(weight)[0])
            return err_set(err, ERR_INDEX, "embedding(): there is no row %lld, the weight has %lld", (long long)row, (long long)shape_of(weight)[0]);
        for (int d = x->ndim - 1; d >= 0 && ++index[d] == shape_of(x)[d]; d--)
            index[d] = 0;
    }
    memcpy(shape, shape_of(x), (size_t)x->ndim * sizeof *shape);
    shape[x->ndim] = shape_of(weight)[1];
    Tensor *rows = DO(index_select, T(weight), I(0), T(DO(reshape, T(x), INTS(&flat, 1))));
    return compose_end(c, op, call, DO(view, T(rows), INTS(shape, x->ndim + 1)));
}

FORWARD(one_hot)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0);
    int64_t classes = call_int(call, 1, -1), shape[DIMS_MAX], most = -1, index[DIMS_MAX] = { 0 };
    if (x->dtype != DT_I64)
        return err_set(err, ERR_RUNTIME, "one_hot() takes class numbers in an int64 tensor, not in one of %s", dtype_name((DType)x->dtype));
    for (int64_t k = 0; k < x->numel; k++) {
        int64_t class = tensor_element(x, index).i;
        if (class < 0)
            return err_set(err, ERR_RUNTIME, "one_hot(): class numbers are not negative, and %lld is", (long long)class);
        most = class > most ? class : most;
        for (int d = x->ndim - 1; d >= 0 && ++index[d] == shape_of(x)[d]; d--)
            index[d] = 0;
    }
    if (classes < -1 || classes == 0 || (classes > 0 && most >= classes) || (classes == -1 && !x->numel))
        return err_set(err, ERR_RUNTIME, "one_hot(): the classes go up to %lld, and num_classes is %lld", (long long)most, (long long)classes);
    memcpy(shape, shape_of(x), (size_t)x->ndim * sizeof *shape);
    shape[x->ndim] = classes == -1 ? most + 1 : classes;
    Tensor *zeros = DO(zeros, INTS(shape, x->ndim + 1), DT(DT_I64));
    Tensor *at = DO(unsqueeze, T(x), I(-1));
    return compose_end(c, op, call, DO(scatter, T(zeros), I(-1), T(at), I(1)));
}

/* ---- distances ---------------------------------------------------------------------------------------------------------- */
FORWARD(normalize)
{
    COMPOSE;
    Tensor *norm = DO(norm, call->arg[0], call->arg[1], call->arg[2], B(true));
    return compose_end(c, op, call, DO(div, call->arg[0], T(DO(clamp_min, T(norm), call->arg[3]))));
}

/* x1·x2 / (max(|x1|, eps) max(|x2|, eps)) */
FORWARD(cosine_similarity)
{
    COMPOSE;
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    if (dtype_kind((DType)a->dtype) != DKIND_FLOAT || dtype_kind((DType)b->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "cosine_similarity() takes floating tensors, not %s and %s", dtype_name((DType)a->dtype), dtype_name((DType)b->dtype));
    int64_t shape[DIMS_MAX];
    int ndim;
    if (!shape_broadcast(a->ndim, shape_of(a), b->ndim, shape_of(b), &ndim, shape, err))
        return false;
    Tensor *both[2] = { DO(expand, T(a), INTS(shape, ndim)), DO(expand, T(b), INTS(shape, ndim)) };
    for (int k = 0; k < 2; k++) {
        Tensor *norm = DO(norm, T(both[k]), I(2), call->arg[2], B(true));
        both[k] = DO(div, T(both[k]), T(DO(clamp_min, T(norm), call->arg[3])));
    }
    return compose_end(c, op, call, DO(sum, T(DO(mul, T(both[0]), T(both[1]))), call->arg[2]));
}

FORWARD(pairwise_distance)
{
    COMPOSE;
    Tensor *difference = DO(add, T(DO(sub, call->arg[0], call->arg[1])), call->arg[3]);
    return compose_end(c, op, call, DO(norm, T(difference), call->arg[2], I(-1), B(call_bool(call, 4, false))));
}

/* ---- norms of layers ---------------------------------------------------------------------------------------------------- */
/* (x - mean) / sqrt(var + eps) over the dims, by this tensor's own statistics. */
static Tensor *standardised(Compose *c, Tensor *x, const int64_t *dims, int n, double eps)
{
    Tensor *mean = DO(mean, T(x), INTS(dims, n), B(true)), *var = DO(var, T(x), INTS(dims, n), B(false), B(true));
    Tensor *scale = DO(rsqrt, T(DO(add, T(var), F(eps))));
    return DO(mul, T(DO(sub, T(x), T(mean))), T(scale));
}

static Tensor *scaled(Compose *c, Tensor *x, Tensor *weight, Tensor *bias)
{
    x = weight ? DO(mul, T(x), T(weight)) : x;
    return bias ? DO(add, T(x), T(bias)) : x;
}

/* The last n dims are those of normalized_shape. */
static bool ends_with(OpId op, const Tensor *x, const Arg *arg, int64_t *dims, int *n, Err *err)
{
    char left[200], right[200];
    *n = arg->kind == ARG_INTS ? arg->n : 1;
    const int64_t *shape = arg->kind == ARG_INTS ? arg->ints : &arg->i;
    bool ok = *n >= 1 && *n <= x->ndim && !memcmp(shape, shape_of(x) + x->ndim - *n, (size_t)*n * sizeof *shape);
    for (int k = 0; ok && k < *n; k++)
        dims[k] = x->ndim - *n + k;
    if (ok)
        return true;
    shape_print_to(left, sizeof left, x->ndim, shape_of(x));
    shape_print_to(right, sizeof right, *n, shape);
    return err_set(err, ERR_RUNTIME, "%s(): an input of shape %s does not end in the shape %s", op_info[op].name, left, right);
}

FORWARD(layer_norm)
{
    COMPOSE;
    int64_t dims[DIMS_MAX];
    int n;
    if (!ends_with(op, call_tensor(call, 0), &call->arg[1], dims, &n, err))
        return false;
    Tensor *result = standardised(c, call_tensor(call, 0), dims, n, call_float(call, 4, 1e-5));
    return compose_end(c, op, call, scaled(c, result, call_tensor(call, 2), call_tensor(call, 3)));
}

FORWARD(rms_norm)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0);
    int64_t dims[DIMS_MAX];
    DTypeInfo info;
    int n;
    if (!ends_with(op, x, &call->arg[1], dims, &n, err))
        return false;
    dtype_info((DType)x->dtype, &info);
    Tensor *mean = DO(mean, T(DO(square, T(x))), INTS(dims, n), B(true));
    Tensor *scale = DO(rsqrt, T(DO(add, T(mean), F(call_float(call, 3, info.eps)))));
    return compose_end(c, op, call, scaled(c, DO(mul, T(x), T(scale)), call_tensor(call, 2), NULL));
}

/* Sizes under which a vector of one number a channel goes with x: (1, channels, 1, …). */
static Tensor *by_channel(Compose *c, const Tensor *x, Tensor *vector)
{
    int64_t shape[DIMS_MAX];
    for (int d = 0; d < x->ndim; d++)
        shape[d] = d == 1 ? -1 : 1;
    return vector ? DO(reshape, T(vector), INTS(shape, x->ndim)) : NULL;
}

FORWARD(group_norm)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0);
    int64_t groups = call_int(call, 1, 1), dims[] = { 2 };
    if (x->ndim < 2 || groups < 1 || shape_of(x)[1] % groups)
        return err_set(err, ERR_RUNTIME, "group_norm(): %lld channels do not make %lld groups", x->ndim < 2 ? 0LL : (long long)shape_of(x)[1], (long long)groups);
    int64_t shape[] = { shape_of(x)[0], groups, -1 };
    Tensor *parts = standardised(c, DO(reshape, T(x), INTS(shape, 3)), dims, 1, call_float(call, 4, 1e-5));
    Tensor *result = DO(reshape, T(parts), INTS(shape_of(x), x->ndim));
    return compose_end(c, op, call, scaled(c, result, by_channel(c, x, call_tensor(call, 2)), by_channel(c, x, call_tensor(call, 3))));
}

/* running = (1 - momentum) running + momentum * now, in place. */
static bool move_average(Compose *c, Tensor *running, Tensor *now, double momentum)
{
    if (!running)
        return true;
    Tensor *sum = DO(add, T(DO(mul, T(running), F(1 - momentum))), T(DO(mul, T(now), F(momentum))));
    Call copy = { .args = 2, .inplace = true };
    copy.arg[0] = T(running);
    copy.arg[1] = T(sum);
    if (!sum || !op_call(c->ctx, OP_copy, &copy, c->err))
        return false;
    return compose_keep(c, copy.out[0]);
}

/* batch_norm: over all dimensions but the channels; instance_norm: over each sample's own. */
FORWARD(batch_norm)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0), *mean = call_tensor(call, 1), *var = call_tensor(call, 2), *result;
    bool each = op == OP_instance_norm, training = call_bool(call, 5, each);
    double momentum = call_float(call, 6, 0.1), eps = call_float(call, 7, 1e-5);
    int64_t dims[DIMS_MAX];
    int n = 0;
    if (x->ndim < 2 || (each && x->ndim < 3))
        return err_set(err, ERR_RUNTIME, "%s(): an input of %d dimensions has no channels", op_info[op].name, x->ndim);
    for (int d = 0; d < x->ndim; d++)
        if (d > 1 || (d == 0 && !each))
            dims[n++] = d;
    int64_t count = shape_of(x)[1] ? x->numel / shape_of(x)[1] / (each && shape_of(x)[0] ? shape_of(x)[0] : 1) : 0;
    if (training && count == 1)
        return err_set(err, ERR_VALUE, "%s(): one value a channel has no spread: training needs more", op_info[op].name);
    if (!training && (!mean || !var))
        return err_set(err, ERR_RUNTIME, "%s(): running_mean and running_var are needed outside of training", op_info[op].name);
    if (training) {
        result = standardised(c, x, dims, n, eps);
        if (mean || var) {
            Tensor *now = DO(mean, T(x), INTS(dims, n)), *spread = DO(var, T(x), INTS(dims, n), B(true));
            int64_t first = 0;
            if (each)
                now = DO(mean, T(now), INTS(&first, 1)), spread = DO(mean, T(spread), INTS(&first, 1));
            if (!move_average(c, mean, now, momentum) || !move_average(c, var, spread, momentum))
                return compose_fail(c);
        }
    } else {
        Tensor *scale = DO(rsqrt, T(DO(add, T(by_channel(c, x, var)), F(eps))));
        result = DO(mul, T(DO(sub, T(x), T(by_channel(c, x, mean)))), T(scale));
    }
    return compose_end(c, op, call, scaled(c, result, by_channel(c, x, call_tensor(call, 3)), by_channel(c, x, call_tensor(call, 4))));
}

/* ---- dropout ------------------------------------------------------------------------------------------------------------ */
/* Elements (dropout2d: channels) become 0 with probability p, the others grow by 1 / (1 - p). */
FORWARD(dropout)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0);
    double p = call_float(call, 1, 0.5);
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    if (!(p >= 0 && p <= 1))
        return err_set(err, ERR_VALUE, "%s(): p is a probability from 0 to 1, not %g", op_info[op].name, p);
    call->inplace = call_bool(call, 3, false);
    if (p == 0 || !call_bool(call, 2, true) || !x->numel)
        return call_take(call, tensor_retain(x));
    if (dtype_kind((DType)x->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() takes floating tensors, not %s: 1 / (1 - p) is no whole number", op_info[op].name, dtype_name((DType)x->dtype));
    for (int d = 0; d < x->ndim; d++)
        shape[d] = op == OP_dropout || d < 2 ? shape_of(x)[d] : 1;
    shape_like(x->ndim, shape_of(x), strides_of(x), strides);
    if (p == 1)
        return compose_end(c, op, call, DO(mul, T(x), T(DO(zeros, INTS(shape, x->ndim), DT((DType)x->dtype)))));
    Tensor *noise = compose_keep(c, tensor_new_dense(ctx, (DType)x->dtype, (Device){ 0, 0 }, x->ndim, shape, op == OP_dropout ? strides : NULL, err));
    Tensor *kept = noise ? DO(bernoulli_p, T(noise), F(1 - p)) : NULL;
    return compose_end(c, op, call, DO(mul, T(x), T(DO(div, T(kept), F(1 - p)))));
}
