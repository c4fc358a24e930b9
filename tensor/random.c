/*
 * random.c - operations that draw from a random stream. Elements are drawn in the order in which they lie in memory.
 */
#include <math.h>
#include "tensor/generator.h"
#include "tensor/part.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/random.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define UNUSED (void)plan, (void)op
#define SELF Tensor *t = call->arg[0].tensor; UNUSED

static Generator *stream(Context *ctx, const Call *call, int k)
{
    return k < call->args && call->arg[k].kind == ARG_GENERATOR ? call->arg[k].generator : ctx->generator;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */
typedef struct Draw {
    Generator *generator;
    DType      dtype;
    double     a, b;                    /* from and to, mean and deviation, rate, probability */
    uint64_t   range;
    int64_t    base;
} Draw;
typedef Number (*Drawn)(const Draw *draw);

static Number real(double f)
{
    return (Number){ .kind = DKIND_FLOAT, .f = f };
}

static Number drawn_uniform(const Draw *draw)
{
    if (draw->dtype == DT_F64)
        return real(fma(random_unit(draw->generator), draw->b - draw->a, draw->a));
    int digits = draw->dtype == DT_F32 ? 24 : draw->dtype == DT_F16 ? 11 : 8;
    float unit = ldexpf((float)(random_32(draw->generator) & ((1u << digits) - 1)), -digits);
    return real(fmaf(unit, (float)draw->b - (float)draw->a, (float)draw->a));
}

static Number drawn_normal(const Draw *draw)
{
    return real(fma(random_normal(draw->generator), draw->b, draw->a));
}

static Number drawn_exponential(const Draw *draw)
{
    return real(-1.0 / draw->a * log1p(-random_unit(draw->generator)));
}

static Number drawn_bernoulli(const Draw *draw)
{
    return (Number){ .kind = DKIND_BOOL, .b = random_unit(draw->generator) < draw->a };
}

static Number drawn_int(const Draw *draw)
{
    uint64_t bits = draw->range >> 32 ? random_64(draw->generator) : random_32(draw->generator);
    return (Number){ .kind = DKIND_INT, .i = (int64_t)(bits % draw->range) + draw->base };
}

static Number drawn_any(const Draw *draw)
{
    bool wide = draw->dtype == DT_F64 || draw->dtype == DT_I64;
    uint64_t bits = wide ? random_64(draw->generator) : random_32(draw->generator);
    return (Number){ .kind = DKIND_INT, .i = (int64_t)(draw->range ? bits % draw->range : bits) };
}

/* Fills t in the order of its strides, largest outermost. */
static bool draw_all(Context *ctx, const Tensor *t, Drawn drawn, const Draw *draw, Err *err)
{
    int order[DIMS_MAX], n = t->ndim;
    int64_t at[DIMS_MAX] = { 0 }, size = (int64_t)dtype_size((DType)t->dtype);
    char *to = data_of(t);
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && strides_of(t)[order[k - 1]] < strides_of(t)[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int64_t i = 0; i < t->numel; i++) {
        if ((i & 0xfffff) == 0xfffff && interrupted(ctx, err))
            return false;
        number_store((DType)t->dtype, to, drawn(draw));
        for (int k = n - 1; k >= 0; k--) {
            int d = order[k];
            to += strides_of(t)[d] * size;
            if (++at[d] < shape_of(t)[d])
                break;
            to -= strides_of(t)[d] * shape_of(t)[d] * size;
            at[d] = 0;
        }
    }
    return true;
}

static bool only_floats(OpId id, const Tensor *t, Err *err)
{
    return dtype_kind((DType)t->dtype) == DKIND_FLOAT
        || err_set(err, ERR_RUNTIME, "%s() draws floats, a tensor of %s cannot hold them", op_info[id].name,
                   dtype_name((DType)t->dtype));
}

static bool fill_uniform(Context *ctx, OpId id, Generator *generator, const Tensor *t, double from, double to,
                         Err *err)
{
    Draw draw = { .generator = generator, .dtype = (DType)t->dtype, .a = from, .b = to };
    if (!only_floats(id, t, err))
        return false;
    if (!(from <= to))
        return err_set(err, ERR_RUNTIME, "uniform_(): from %g to %g is no range", from, to);
    if (t->dtype == DT_F32 && shape_is_contiguous(t->ndim, shape_of(t), strides_of(t)))
        return uniform_fill_f32(generator, (float *)data_of(t), t->numel, (float)from, (float)to), true;
    if (t->dtype == DT_F64 && shape_is_contiguous(t->ndim, shape_of(t), strides_of(t)))
        return uniform_fill_f64(generator, (double *)data_of(t), t->numel, from, to), true;
    return draw_all(ctx, t, drawn_uniform, &draw, err);
}

static bool fill_normal(Context *ctx, OpId id, Generator *generator, const Tensor *t, double mean, double std,
                        Err *err)
{
    Draw draw = { .generator = generator, .dtype = (DType)t->dtype, .a = mean, .b = std };
    if (!only_floats(id, t, err))
        return false;
    if (!(std >= 0))
        return err_set(err, ERR_RUNTIME, "%s(): the standard deviation must not be negative, but it is %g",
                       op_info[id].name, std);
    if (t->numel < 16 || !shape_is_contiguous(t->ndim, shape_of(t), strides_of(t)))
        return draw_all(ctx, t, drawn_normal, &draw, err);
    if (t->dtype == DT_F32)
        normal_fill_f32(generator, (float *)data_of(t), t->numel, (float)mean, (float)std);
    else
        normal_fill_wide(generator, (DType)t->dtype, data_of(t), t->numel, mean, std);
    return true;
}

static bool fill_ints(Context *ctx, OpId id, Generator *generator, const Tensor *t, int64_t low, int64_t high,
                      Err *err)
{
    const char *name = op_info[id].name;
    Number least = { .kind = DKIND_INT, .i = low }, most = { .kind = DKIND_INT, .i = high - 1 };
    if (low >= high)
        return err_set(err, ERR_RUNTIME, "%s(): there is no integer from %lld up to, but not including, %lld",
                       name, (long long)low,
                       (long long)high);
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT && t->dtype != DT_BOOL
        && (!number_fits((DType)t->dtype, least) || !number_fits((DType)t->dtype, most)))
        return err_set(err, ERR_RUNTIME, "%s(): integers from %lld to %lld do not fit into %s", name,
                       (long long)low, (long long)high - 1,
                       dtype_name((DType)t->dtype));
    Draw draw = { .generator = generator, .dtype = (DType)t->dtype, .range = (uint64_t)high - (uint64_t)low,
                 .base = low };
    if (t->dtype == DT_I64 && !(draw.range >> 32) && shape_is_contiguous(t->ndim, shape_of(t), strides_of(t))) {
        enum { PIECE = 512 };
        uint32_t word[PIECE], range = (uint32_t)draw.range;
        int64_t *to = (int64_t *)data_of(t);
        for (int64_t i = 0; i < t->numel; i += PIECE) {
            int64_t part = t->numel - i < PIECE ? t->numel - i : PIECE;
            random_words(generator, word, part);
            for (int64_t k = 0; k < part; k++)
                to[i + k] = (int64_t)(word[k] % range) + low;
        }
        return true;
    }
    return draw_all(ctx, t, drawn_int, &draw, err);
}

/* ---- new tensors: dtype, device and requires_grad stand from argument k on ---------------------------------- */
static Tensor *make(Context *ctx, OpId id, Call *call, int k, DType inferred, int ndim, const int64_t *shape,
                    const int64_t *strides, Err *err)
{
    DType dtype = call_has(call, k) ? call_dtype(call, k) : inferred;
    const Arg *where = k + 1 < call->args ? &call->arg[k] + 1 : NULL;
    if (!ndim_fits(ndim, err) || shape_numel(ndim, shape, err) < 0)
        return NULL;
    if (call->given)
        return call_result(ctx, id, call, 0, call_has(call, k) ? dtype : (DType)call->out[0]->dtype, ndim,
                           shape, NULL, err);
    Device device = where && where->kind == ARG_DEVICE ? where->device : (Device){ 0, 0 };
    Tensor *t = tensor_new_dense(ctx, dtype, device, ndim, shape, strides, err);
    return call_take(call, t) ? t : NULL;
}

static bool made(Context *ctx, OpId id, Call *call, int k, bool ok, Err *err)
{
    if (!ok || call->given)
        return ok && call_finish(ctx, id, call, err);
    return !call_bool(call, k + 2, false) || tensor_set_requires_grad(ctx, call->out[0], true, err);
}

FORWARD(rand)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 0, &n);
    Tensor *t = make(ctx, op, call, 2, ctx->default_dtype, n, size, NULL, err);
    return t && made(ctx, op, call, 2, fill_uniform(ctx, op, stream(ctx, call, 1), t, 0, 1, err), err);
}

FORWARD(randn)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 0, &n);
    Tensor *t = make(ctx, op, call, 2, ctx->default_dtype, n, size, NULL, err);
    return t && made(ctx, op, call, 2, fill_normal(ctx, op, stream(ctx, call, 1), t, 0, 1, err), err);
}

FORWARD(randint)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 1, &n);
    Tensor *t = make(ctx, op, call, 3, DT_I64, n, size, NULL, err);
    return t && made(ctx, op, call, 3, fill_ints(ctx, op, stream(ctx, call, 2), t, 0, call_int(call, 0, 0),
                                                 err), err);
}

FORWARD(randint_from)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 2, &n);
    Tensor *t = make(ctx, op, call, 4, DT_I64, n, size, NULL, err);
    return t && made(ctx, op, call, 4, fill_ints(ctx, op, stream(ctx, call, 3), t, call_int(call, 0, 0),
                                                 call_int(call, 1, 0), err), err);
}

/* Each place is exchanged with one that is not behind it. */
FORWARD(randperm)
{
    UNUSED;
    int64_t n = call_int(call, 0, 0);
    Generator *generator = stream(ctx, call, 1);
    if (n < 0)
        return err_set(err, ERR_RUNTIME,
                       "randperm(): the number of elements must not be negative, but it is %lld",
                           (long long)n);
    Tensor *t = make(ctx, op, call, 2, DT_I64, 1, &n, NULL, err);
    if (!t)
        return false;
    if (n && !number_fits((DType)t->dtype, (Number){ .kind = DKIND_INT, .i = n - 1 }))
        return err_set(err, ERR_RUNTIME, "randperm(): %lld is too large for %s", (long long)n - 1,
                       dtype_name((DType)t->dtype));
    int64_t size = (int64_t)dtype_size((DType)t->dtype), step = size * strides_of(t)[0];
    char *data = data_of(t), kept[8];
    if (t->dtype == DT_I64 && step == size) {
        int64_t *at = (int64_t *)data;
        for (int64_t i = 0; i < n; i++)
            at[i] = i;
        for (int64_t i = 0; i < n - 1; i++) {
            int64_t z = (int64_t)((n - i) >> 32 ? random_32(generator) % (uint64_t)(n - i) : random_32(generator) % (uint32_t)(n - i)), swap = at[i];
            at[i] = at[i + z];
            at[i + z] = swap;
        }
        return made(ctx, op, call, 2, true, err);
    }
    for (int64_t i = 0; i < n; i++)
        number_store((DType)t->dtype, data + i * step, (Number){ .kind = DKIND_INT, .i = i });
    for (int64_t i = 0; i < n - 1; i++) {
        char *a = data + i * step, *b = a + (int64_t)(random_32(generator) % (uint64_t)(n - i)) * step;
        memcpy(kept, a, (size_t)size);
        memmove(a, b, (size_t)size);
        memcpy(b, kept, (size_t)size);
    }
    return made(ctx, op, call, 2, true, err);
}

static Tensor *make_like(Context *ctx, OpId id, Call *call, int k, Err *err)
{
    int64_t strides[DIMS_MAX];
    const Tensor *t = call->arg[0].tensor;
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    return make(ctx, id, call, k, (DType)t->dtype, t->ndim, shape_of(t), strides, err);
}

FORWARD(rand_like)
{
    UNUSED;
    Tensor *t = make_like(ctx, op, call, 1, err);
    return t && made(ctx, op, call, 1, fill_uniform(ctx, op, ctx->generator, t, 0, 1, err), err);
}

FORWARD(randn_like)
{
    UNUSED;
    Tensor *t = make_like(ctx, op, call, 1, err);
    return t && made(ctx, op, call, 1, fill_normal(ctx, op, ctx->generator, t, 0, 1, err), err);
}

FORWARD(randint_like)
{
    UNUSED;
    Tensor *t = make_like(ctx, op, call, 2, err);
    return t && made(ctx, op, call, 2, fill_ints(ctx, op, ctx->generator, t, 0, call_int(call, 1, 0), err),
                     err);
}

FORWARD(randint_like_from)
{
    UNUSED;
    Tensor *t = make_like(ctx, op, call, 3, err);
    return t && made(ctx, op, call, 3, fill_ints(ctx, op, ctx->generator, t, call_int(call, 1, 0),
                                                 call_int(call, 2, 0), err), err);
}

FORWARD(normal_size)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 2, &n);
    Tensor *t = make(ctx, op, call, 4, ctx->default_dtype, n, size, NULL, err);
    return t && made(ctx, op, call, 4, fill_normal(ctx, op, stream(ctx, call, 3), t, call_float(call, 0, 0),
                                                   call_float(call, 1, 1), err), err);
}

/* mean or deviation, or both, are tensors: mean 0 and deviation 1 are drawn, then scaled and shifted. */
FORWARD(normal_tensors)
{
    UNUSED;
    int n = 0;
    int64_t shape[DIMS_MAX], so_far[DIMS_MAX], at[DIMS_MAX] = { 0 };
    const Tensor *given[2] = { call_tensor(call, 0), call_tensor(call, 1) };
    Part part[2];
    DType dtype = DT_NONE;
    for (int k = 0; k < 2; k++) {
        if (!given[k])
            continue;
        dtype = dtype == DT_NONE ? (DType)given[k]->dtype : dtype_promote(dtype, (DType)given[k]->dtype);
        memcpy(so_far, shape, sizeof(int64_t) * (size_t)n);
        if (!only_floats(op, given[k], err) || !shape_broadcast(n, so_far, given[k]->ndim, shape_of(given[k]),
                                                                &n, shape, err))
            return false;
    }
    Tensor *t = tensor_new_dense(ctx, dtype, (Device){ 0, 0 }, n, shape, NULL, err);
    if (!call_take(call, t) || !fill_normal(ctx, op, stream(ctx, call, 2), t, 0, 1, err))
        return false;
    for (int k = 0; k < 2; k++) {
        int64_t sizes[DIMS_MAX], strides[DIMS_MAX];
        if (given[k]) {
            expand_dims(given[k], n, shape, sizes, strides, err);
            part_dims(&part[k], given[k], n, sizes, strides, given[k]->offset);
        }
    }
    for (int64_t i = 0; i < t->numel; i++) {
        double value[2] = { call_float(call, 0, 0), call_float(call, 1, 1) };
        for (int k = 0; k < 2; k++)
            if (given[k])
                value[k] = number_double(tensor_element(&part[k].t, at));
        char *to = data_of(t) + (size_t)i * dtype_size(dtype);
        if (!(value[1] >= 0))
            return err_set(err, ERR_RUNTIME,
                           "normal(): the standard deviation must not be negative, but it is %g", value[1]);
        number_store(dtype, to, real(number_double(number_load(dtype, to)) * value[1]));
        number_store(dtype, to, real(number_double(number_load(dtype, to)) + value[0]));
        for (int d = n - 1; d >= 0 && ++at[d] == shape[d]; d--)
            at[d] = 0;
    }
    return true;
}

/* ---- in place ------------------------------------------------------------------------------------------------ */
static Tensor *target(Context *ctx, OpId id, Call *call, Tensor *t, Err *err)
{
    call->inplace = true;
    return call_result(ctx, id, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err);
}

FORWARD(uniform)
{
    SELF;
    return target(ctx, op, call, t, err)
        && fill_uniform(ctx, op, stream(ctx, call, 3), t, call_float(call, 1, 0), call_float(call, 2, 1), err)
        && call_finish(ctx, op, call, err);
}

FORWARD(normal)
{
    SELF;
    return target(ctx, op, call, t, err)
        && fill_normal(ctx, op, stream(ctx, call, 3), t, call_float(call, 1, 0), call_float(call, 2, 1), err)
        && call_finish(ctx, op, call, err);
}

FORWARD(exponential)
{
    SELF;
    Draw draw = { .generator = stream(ctx, call, 2), .dtype = (DType)t->dtype, .a = call_float(call, 1, 1) };
    if (!only_floats(op, t, err))
        return false;
    if (!(draw.a > 0))
        return err_set(err, ERR_RUNTIME, "exponential_(): lambd must be greater than 0, but it is %g",
                       draw.a);
    return target(ctx, op, call, t, err) && draw_all(ctx, t, drawn_exponential, &draw, err)
        && call_finish(ctx, op, call, err);
}

FORWARD(random)
{
    SELF;
    static const int digits[DT_COUNT] = { [DT_BOOL] = 1, [DT_U8] = 8, [DT_I8] = 7, [DT_I16] = 15,
                                         [DT_I32] = 31, [DT_I64] = 63,
                                          [DT_F16] = 11, [DT_BF16] = 8, [DT_F32] = 24, [DT_F64] = 53 };
    Draw draw = { .generator = stream(ctx, call, 1), .dtype = (DType)t->dtype };
    draw.range = ((uint64_t)1 << digits[t->dtype]) + (dtype_kind((DType)t->dtype) == DKIND_FLOAT);
    return target(ctx, op, call, t, err) && draw_all(ctx, t, drawn_any, &draw, err) && call_finish(ctx, op,
            call, err);
}

FORWARD(random_to)
{
    SELF;
    return target(ctx, op, call, t, err) && fill_ints(ctx, op, stream(ctx, call, 2), t, 0, call_int(call, 1,
            0), err)
        && call_finish(ctx, op, call, err);
}

FORWARD(random_from_to)
{
    SELF;
    return target(ctx, op, call, t, err)
        && fill_ints(ctx, op, stream(ctx, call, 3), t, call_int(call, 1, 0), call_int(call, 2, 0), err)
        && call_finish(ctx, op, call, err);
}

static bool probability(double p, Err *err)
{
    return (p >= 0 && p <= 1) || err_set(err, ERR_RUNTIME,
                                         "bernoulli(): a probability lies between 0 and 1, not %g", p);
}

FORWARD(bernoulli_p)
{
    SELF;
    Draw draw = { .generator = stream(ctx, call, 2), .dtype = (DType)t->dtype, .a = call_float(call, 1,
            0.5) };
    int64_t strides[DIMS_MAX];
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    if (!probability(draw.a, err))
        return false;
    Tensor *to = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), strides, err);
    return to && draw_all(ctx, to, drawn_bernoulli, &draw, err) && call_finish(ctx, op, call, err);
}

/* One draw for each element of `to`, of the bits that p's dtype has. */
static bool fill_bernoulli(Generator *generator, const Tensor *to, const Tensor *p, Err *err)
{
    int64_t at[DIMS_MAX] = { 0 }, size = (int64_t)dtype_size((DType)to->dtype);
    Draw unit = { .generator = generator, .dtype = p->dtype == DT_F64 ? DT_F64 : DT_F32, .b = 1 };
    for (int64_t i = 0; i < to->numel; i++) {
        double chance = number_double(tensor_element(p, at));
        char *here = data_of(to);
        if (!probability(chance, err))
            return false;
        for (int d = 0; d < to->ndim; d++)
            here += at[d] * strides_of(to)[d] * size;
        number_store((DType)to->dtype, here, (Number){ .kind = DKIND_BOOL,
                                                      .b = drawn_uniform(&unit).f < chance });
        for (int d = to->ndim - 1; d >= 0 && ++at[d] == shape_of(to)[d]; d--)
            at[d] = 0;
    }
    return true;
}

FORWARD(bernoulli)
{
    SELF;
    int64_t strides[DIMS_MAX];
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    if (!only_floats(op, t, err))
        return false;
    Tensor *to = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), strides, err);
    return to && fill_bernoulli(stream(ctx, call, 1), to, t, err) && call_finish(ctx, op, call, err);
}

FORWARD(bernoulli_t)
{
    SELF;
    const Tensor *p = call->arg[1].tensor;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    Part part;
    if (!only_floats(op, p, err) || !expand_dims(p, t->ndim, shape_of(t), shape, strides, err) || !target(ctx,
            op, call, t, err))
        return false;
    part_dims(&part, p, t->ndim, shape, strides, p->offset);
    return fill_bernoulli(stream(ctx, call, 2), t, &part.t, err) && call_finish(ctx, op, call, err);
}

/* ---- multinomial ---------------------------------------------------------------------------------------------- */
/* Positions by their weights, each as often as it comes: a search in the running sums. */
static void sample_again(Generator *generator, DType dtype, double *weight, int64_t n, int64_t *to,
                         int64_t samples)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        weight[i] = sum = dtype == DT_F32 ? (float)sum + (float)weight[i] : sum + weight[i];
    for (int64_t i = 0; i < n; i++)
        weight[i] = dtype == DT_F32 ? (float)weight[i] / (float)sum : weight[i] / sum;
    weight[n - 1] = 1;
    for (int64_t k = 0; k < samples; k++) {
        double u = random_unit(generator);
        int64_t left = 0, right = n;
        while (left < right) {
            int64_t middle = left + (right - left) / 2;
            if (weight[middle] < u)
                left = middle + 1;
            else
                right = middle;
        }
        to[k] = left;
    }
}

/* Each position once: the largest of weight / exponential come first. */
static void sample_once(double *weight, int64_t n, int64_t *to, int64_t samples)
{
    for (int64_t k = 0; k < samples; k++) {
        int64_t best = 0;
        for (int64_t i = 1; i < n; i++)
            if (weight[i] > weight[best])
                best = i;
        to[k] = best;
        weight[best] = -1;
    }
}

static bool weights_of(const Tensor *t, int64_t row, double *weight, int64_t n, int64_t samples, bool again,
                       Err *err)
{
    int64_t at[2] = { row, 0 }, able = 0;
    for (int64_t i = 0; i < n; i++) {
        at[t->ndim - 1] = i;
        weight[i] = number_double(tensor_element(t, at));
        if (!(weight[i] >= 0) || isinf(weight[i]))
            return err_set(err, ERR_RUNTIME,
                           "multinomial(): a weight is finite and not negative, but one is %g", weight[i]);
        able += weight[i] > 0;
    }
    if (able == 0 || (!again && able < samples))
        return err_set(err, ERR_RUNTIME,
                       "multinomial(): %lld samples wanted, but only %lld weights are greater than 0",
                       (long long)samples, (long long)able);
    return true;
}

FORWARD(multinomial)
{
    SELF;
    int64_t samples = call_int(call, 1, 1), shape[2], n = t->ndim ? shape_of(t)[t->ndim - 1] : 0;
    bool again = call_bool(call, 2, false), ok = true;
    Generator *generator = stream(ctx, call, 3);
    if (t->ndim < 1 || t->ndim > 2)
        return err_set(err, ERR_RUNTIME,
                       "multinomial() takes a vector or a matrix of weights, this tensor has %d dimensions",
                           t->ndim);
    if (!only_floats(op, t, err))
        return false;
    if (samples <= 0 || n == 0 || (!again && samples > n))
        return err_set(err, ERR_RUNTIME, "multinomial(): %lld samples cannot be taken from %lld weights%s",
                       (long long)samples, (long long)n,
                       again ? "" : " without replacement");
    shape[0] = t->ndim == 2 ? shape_of(t)[0] : 1;
    int64_t rows = shape[0];
    shape[t->ndim - 1] = samples;
    Tensor *to = tensor_new_dense(ctx, DT_I64, t->storage->device, t->ndim, shape, NULL, err);
    double *weight = mem_new(ctx->heap, sizeof *weight * (size_t)(n * rows + 1));
    ok = call_take(call, to) && (weight || err_memory(err, sizeof *weight * (size_t)(n * rows + 1)));
    for (int64_t r = 0; ok && r < rows; r++)
        ok = weights_of(t, r, weight + r * n, n, samples, again, err);
    bool once = !again || samples == 1;
    Draw rate = { .generator = generator, .a = 1 };
    for (int64_t i = 0; ok && once && i < n * rows; i++) {
        double e = drawn_exponential(&rate).f;
        weight[i] = t->dtype == DT_F32 ? (double)((float)weight[i] / (float)e) : weight[i] / e;
    }
    for (int64_t r = 0; ok && r < rows; r++) {
        int64_t *into = (int64_t *)data_of(to) + r * samples;
        if (once)
            sample_once(weight + r * n, n, into, samples);
        else
            sample_again(generator, (DType)t->dtype, weight + r * n, n, into, samples);
    }
    mem_free(ctx->heap, weight);
    return ok;
}
