/*
 * random.c - np.random: NumPy's legacy stream (RandomState over MT19937), number for number.
 * M. Matsumoto, T. Nishimura: Mersenne Twister (1998); normal numbers by the polar method.
 */
#include "lang/numpy/numpy.h"
#include <math.h>
#include <sys/random.h>

enum { N = TWISTER_WORDS, M = 397 };

static void seed_word(NumPy *n, uint32_t seed)
{
    for (uint32_t k = 0; k < N; k++) {
        n->twister[k] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + k + 1;
    }
    n->twister_at = N;
    n->has_gauss = false;
}

static void seed_words(NumPy *n, const uint32_t *key, int length)
{
    uint32_t *mt = n->twister;
    int i = 1, j = 0;
    seed_word(n, 19650218u);
    for (int k = N > length ? N : length; k; k--) {
        mt[i] = (mt[i] ^ (mt[i - 1] ^ mt[i - 1] >> 30) * 1664525u) + key[j] + (uint32_t)j;
        if (++i >= N)
            mt[0] = mt[N - 1], i = 1;
        j = j + 1 < length ? j + 1 : 0;
    }
    for (int k = N - 1; k; k--) {
        mt[i] = (mt[i] ^ (mt[i - 1] ^ mt[i - 1] >> 30) * 1566083941u) - (uint32_t)i;
        if (++i >= N)
            mt[0] = mt[N - 1], i = 1;
    }
    mt[0] = 0x80000000u;
}

static void seed_fresh(NumPy *n)
{
    uint32_t key[8];
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        memset(key, 0x5a, sizeof key);
    seed_words(n, key, 8);
}

static NumPy *stream(Session *s, Err *err)
{
    NumPy *n = numpy_state(s, err);
    if (n && n->twister_at > N)
        seed_fresh(n);
    return n;
}

static uint32_t next_word(NumPy *n)
{
    uint32_t *mt = n->twister;
    if (n->twister_at >= N) {
        for (int k = 0; k < N; k++) {
            uint32_t y = (mt[k] & 0x80000000u) | (mt[(k + 1) % N] & 0x7fffffffu);
            mt[k] = mt[(k + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        n->twister_at = 0;
    }
    uint32_t y = mt[n->twister_at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static double next_double(NumPy *n)
{
    uint32_t a = next_word(n) >> 5, b = next_word(n) >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

static double next_gauss(NumPy *n)
{
    double x, y, r;
    if (n->has_gauss) {
        n->has_gauss = false;
        return n->gauss;
    }
    do {
        x = 2.0 * next_double(n) - 1.0;
        y = 2.0 * next_double(n) - 1.0;
        r = x * x + y * y;
    } while (r >= 1.0 || r == 0.0);
    double f = sqrt(-2.0 * log(r) / r);
    n->gauss = f * x;
    n->has_gauss = true;
    return f * y;
}

/* 0 … most, by refusing what is beyond: under a mask of ones. */
static uint64_t next_below(NumPy *n, uint64_t most)
{
    uint64_t mask = most, value;
    for (int shift = 1; shift < 64; shift *= 2)
        mask |= mask >> shift;
    if (!most)
        return 0;
    do {
        value = most <= UINT32_MAX ? next_word(n) : (uint64_t)next_word(n) << 32 | next_word(n);
        value &= mask;
    } while (value > most);
    return value;
}

#define STREAM NumPy *n = stream(s, err); (void)self; *out = value_unset(); if (!n) return false

/* ---- arrays of numbers ---------------------------------------------------------------------------------------- */
typedef struct Draw { enum { D_DOUBLE, D_GAUSS, D_EXPONENTIAL, D_INT } what; double at, scale; int64_t low; uint64_t most; } Draw;

static Number draw(NumPy *n, const Draw *d)
{
    switch (d->what) {
    case D_DOUBLE: return (Number){ .kind = DKIND_FLOAT, .f = d->at + d->scale * next_double(n) };
    case D_GAUSS: return (Number){ .kind = DKIND_FLOAT, .f = d->at + d->scale * next_gauss(n) };
    case D_EXPONENTIAL: return (Number){ .kind = DKIND_FLOAT, .f = d->scale * -log1p(-next_double(n)) };
    default: return (Number){ .kind = DKIND_INT, .i = d->low + (int64_t)next_below(n, d->most) };
    }
}

static bool draw_array(Session *s, NumPy *n, const Draw *d, DType dtype, int ndim, const int64_t *shape, Value *out, Err *err)
{
    for (int k = 0; k < ndim; k++)
        if (shape[k] < 0)
            return err_set(err, ERR_VALUE, "negative dimensions are not allowed");
    Tensor *t = np_empty(s, dtype, ndim, shape, err);
    for (int64_t k = 0; t && k < tensor_numel(t); k++) {
        Number number = draw(n, d);
        if (dtype == DT_F64)
            ((double *)tensor_data(t))[k] = number.f;
        else if (dtype == DT_I64)
            ((int64_t *)tensor_data(t))[k] = number.i;
        else if (!tensor_store(&s->ctx, t, k, &number, 1, err)) {
            tensor_release(t);
            return false;
        }
    }
    return array_out(t, out);
}

/* Without a size a Python number comes. */
static bool draw_sized(Session *s, NumPy *n, const Draw *d, DType dtype, Value size, Value *out, Err *err)
{
    int64_t shape[64];
    int ndim;
    if (value_is_none(size)) {
        *out = number_to_value(s, draw(n, d));
        return true;
    }
    return np_shape(s, size, &ndim, shape, err) && draw_array(s, n, d, dtype, ndim, shape, out, err);
}

NATIVE(random_seed)
{
    STREAM;
    int64_t seed;
    *out = value_none();
    if (value_is_none(arg[0]))
        return seed_fresh(n), true;
    if (value_is(arg[0], TYPE_LIST) || value_is(arg[0], TYPE_TUPLE)) {
        int64_t key[64];
        uint32_t words[64];
        int length;
        if (!np_shape(s, arg[0], &length, key, err))
            return false;
        for (int k = 0; k < length; k++)
            words[k] = (uint32_t)key[k];
        return length ? (seed_words(n, words, length), true) : err_set(err, ERR_VALUE, "Seed must be non-empty");
    }
    if (!value_index(s, arg[0], "the seed", &seed, err))
        return false;
    if (seed < 0 || seed > UINT32_MAX)
        return err_set(err, ERR_VALUE, "Seed must be between 0 and 2**32 - 1");
    seed_word(n, (uint32_t)seed);
    return true;
}

/* rand(2, 3) and randn(2, 3): sizes one by one. */
NATIVE(random_sizes)
{
    STREAM;
    const Tuple *sizes = (Tuple *)arg[0].object;
    Draw d = { .what = arg[-1].i ? D_GAUSS : D_DOUBLE, .at = 0, .scale = 1 };
    int64_t shape[64];
    int ndim;
    if (!sizes->n)
        return *out = number_to_value(s, draw(n, &d)), true;
    return np_shape(s, arg[0], &ndim, shape, err) && draw_array(s, n, &d, DT_F64, ndim, shape, out, err);
}

NATIVE(random_random)
{
    STREAM;
    return draw_sized(s, n, &(Draw){ .what = arg[-1].i ? D_GAUSS : D_DOUBLE, .at = 0, .scale = 1 }, DT_F64, arg[0], out, err);
}

/* normal(loc, scale), uniform(low, high): numbers, or arrays of them (which are broadcast by arithmetic on the draws). */
NATIVE(random_scaled)
{
    int what = (int)arg[-1].i;
    STREAM;
    double x, y;
    if (value_is_array(arg[0]) || value_is_array(arg[1]))
        return err_set(err, ERR_NOT_IMPLEMENTED, "random numbers with an array of parameters are not supported by Locus")
            || err_hint(err, "loc + scale * np.random.randn(n) is the same");
    if (!value_to_double(s, arg[0], &x, err) || !value_to_double(s, arg[1], &y, err))
        return false;
    if (what == D_GAUSS && (y < 0 || signbit(y)))
        return err_set(err, ERR_VALUE, "scale < 0");
    return draw_sized(s, n, &(Draw){ .what = what, .at = x, .scale = what == D_GAUSS ? y : y - x }, DT_F64, arg[2], out, err);
}

NATIVE(random_exponential)
{
    STREAM;
    double scale;
    return value_to_double(s, arg[0], &scale, err)
        && draw_sized(s, n, &(Draw){ .what = D_EXPONENTIAL, .scale = scale }, DT_F64, arg[1], out, err);
}

NATIVE(random_randint)
{
    STREAM;
    int64_t low, high;
    DType dtype;
    if (!value_index(s, arg[0], "low", &low, err) || !np_dtype_from(s, arg[3], &dtype, err))
        return false;
    if (value_is_none(arg[1]))
        high = low, low = 0;
    else if (!value_index(s, arg[1], "high", &high, err))
        return false;
    if (low >= high)
        return err_set(err, ERR_VALUE, value_is_none(arg[1]) ? "high <= 0" : "low >= high");
    dtype = dtype == DT_NONE ? DT_I64 : dtype;
    if (dtype != DT_I64 && dtype != DT_I32)
        return err_set(err, ERR_NOT_IMPLEMENTED, "randint() of dtype %s is not supported by Locus", dtype_name(dtype));
    return draw_sized(s, n, &(Draw){ .what = D_INT, .low = low, .most = (uint64_t)(high - 1) - (uint64_t)low }, dtype, arg[2], out, err);
}

/* ---- orders ----------------------------------------------------------------------------------------------------- */
static Tensor *shuffled_range(Session *s, NumPy *n, int64_t count, Err *err)
{
    Tensor *t = np_empty(s, DT_I64, 1, &count, err);
    int64_t *at = t ? tensor_data(t) : NULL;
    for (int64_t k = 0; at && k < count; k++)
        at[k] = k;
    for (int64_t k = count - 1; at && k > 0; k--) {
        int64_t other = (int64_t)next_below(n, (uint64_t)k), kept = at[k];
        at[k] = at[other];
        at[other] = kept;
    }
    return t;
}

static Tensor *picked(Session *s, Tensor *t, Tensor *order, Err *err)
{
    return np_op(s, OP_index_select, 3, (Arg[]){ arg_t(t), arg_i(0), arg_t(order) }, err);
}

NATIVE(random_permutation)
{
    STREAM;
    int64_t count;
    if (value_is_int(arg[0]) || value_is(arg[0], TYPE_NPSCALAR))
        return value_index(s, arg[0], "x", &count, err) && array_out(shuffled_range(s, n, count, err), out);
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Tensor *order = t && tensor_ndim(t) ? shuffled_range(s, n, tensor_shape(t)[0], err) : NULL;
    Tensor *made = order ? picked(s, t, order, err) : NULL;
    if (t && !tensor_ndim(t))
        err_set(err, ERR_VALUE, "x must be an integer or at least 1-dimensional");
    tensor_release(t);
    tensor_release(order);
    return array_out(made, out);
}

NATIVE(random_shuffle)
{
    STREAM;
    *out = value_none();
    if (value_is(arg[0], TYPE_LIST)) {
        List *list = (List *)arg[0].object;
        for (int64_t k = list->n - 1; k > 0; k--) {
            int64_t other = (int64_t)next_below(n, (uint64_t)k);
            Value kept = list->item[k];
            list->item[k] = list->item[other];
            list->item[other] = kept;
        }
        return true;
    }
    if (!value_is_array(arg[0]) || !tensor_ndim(value_tensor(arg[0])))
        return err_set(err, ERR_TYPE, "shuffle() takes a list or an array, not %s", value_type_name(arg[0]));
    Tensor *t = value_tensor(arg[0]), *order = np_writable(t, err) ? shuffled_range(s, n, tensor_shape(t)[0], err) : NULL;
    Tensor *made = order ? picked(s, t, order, err) : NULL;
    bool ok = made && type_ndarray.set_item(s, arg[0], (Value){ V_ELLIPSIS, { 0 } }, array_take(made), err);
    tensor_release(order);
    tensor_release(made);
    return ok;
}

/* Positions drawn with the probabilities p: where uniform numbers fall among the running sums. */
static Tensor *weighted(Session *s, NumPy *n, Value p, int64_t population, int ndim, const int64_t *shape, Err *err)
{
    Tensor *weight = np_array(s, p, DT_F64, err);
    Tensor *dense = weight ? np_op(s, OP_contiguous, 1, (Arg[]){ arg_t(weight) }, err) : NULL, *t = NULL;
    tensor_release(weight);
    if (!dense)
        return NULL;
    if (tensor_ndim(dense) != 1 || tensor_numel(dense) != population)
        err_set(err, ERR_VALUE, tensor_ndim(dense) != 1 ? "'p' must be 1-dimensional" : "'a' and 'p' must have same size");
    else {
        double *cdf = mem_new(s->heap, (size_t)population * sizeof *cdf), sum = 0;
        const double *w = tensor_data(dense);
        for (int64_t k = 0; cdf && k < population; k++)
            cdf[k] = sum += w[k];
        if (!cdf)
            err_memory(err, (size_t)population * sizeof *cdf);
        else if (fabs(sum - 1) > 1.5e-8)
            err_set(err, ERR_VALUE, "probabilities do not sum to 1");
        else if ((t = np_empty(s, DT_I64, ndim, shape, err)))
            for (int64_t k = 0; k < tensor_numel(t); k++) {
                double u = next_double(n);
                int64_t at = 0;
                while (at < population - 1 && cdf[at] / sum <= u)
                    at++;
                ((int64_t *)tensor_data(t))[k] = at;
            }
        mem_free(s->heap, cdf);
    }
    tensor_release(dense);
    return t;
}

NATIVE(random_choice)
{
    STREAM;
    int64_t population, shape[64], count = 1;
    int ndim = 0;
    bool replace, by_number = value_is_int(arg[0]) || value_is(arg[0], TYPE_NPSCALAR);
    if (!value_truth(s, arg[2], &replace, err) || (!value_is_none(arg[1]) && !np_shape(s, arg[1], &ndim, shape, err)))
        return false;
    Tensor *t = by_number ? NULL : np_array(s, arg[0], DT_NONE, err), *index = NULL;
    if (!by_number && !t)
        return false;
    bool ok = by_number ? value_index(s, arg[0], "a", &population, err)
            : tensor_ndim(t) == 1 ? (population = tensor_numel(t), true) : err_set(err, ERR_VALUE, "a must be 1-dimensional");
    for (int d = 0; d < ndim; d++)
        count *= shape[d];
    if (ok && population <= 0)
        ok = err_set(err, ERR_VALUE, "a must be greater than 0 unless no samples are taken");
    if (ok && !value_is_none(arg[3])) {
        ok = replace || err_set(err, ERR_NOT_IMPLEMENTED, "choice(replace=False, p=…) is not supported by Locus");
        index = ok ? weighted(s, n, arg[3], population, ndim, shape, err) : NULL;
    } else if (ok && replace) {
        Value drawn = value_unset();
        ok = draw_array(s, n, &(Draw){ .what = D_INT, .low = 0, .most = (uint64_t)population - 1 }, DT_I64, ndim, shape, &drawn, err);
        index = ok ? value_tensor(drawn) : NULL;
    } else if (ok) {
        Tensor *order = count > population ? (err_set(err, ERR_VALUE, "Cannot take a larger sample than population when replace is False"), NULL)
                      : shuffled_range(s, n, population, err);
        Tensor *head = order ? np_op(s, OP_narrow, 4, (Arg[]){ arg_t(order), arg_i(0), arg_i(0), arg_i(count) }, err) : NULL;
        Tensor *own = head ? np_op(s, OP_clone, 1, (Arg[]){ arg_t(head) }, err) : NULL;
        index = own ? np_op(s, OP_reshape, 2, (Arg[]){ arg_t(own), arg_ints(ndim, shape) }, err) : NULL;
        tensor_release(order);
        tensor_release(head);
        tensor_release(own);
    }
    Tensor *made = index && t ? np_op(s, OP_take, 2, (Arg[]){ arg_t(t), arg_t(index) }, err) : index ? tensor_retain(index) : NULL;
    Number number;
    tensor_release(t);
    tensor_release(index);
    if (made && by_number && value_is_none(arg[1])) {   /* a Python int */
        ok = tensor_item(made, &number, err);
        tensor_release(made);
        *out = ok ? number_to_value(s, number) : value_unset();
        return ok;
    }
    return value_is_none(arg[1]) ? array_or_scalar(s, made, out, err) : array_out(made, out);
}

NATIVE(random_refused)
{
    UNUSED;
    err_set(err, ERR_NOT_IMPLEMENTED, "np.random.%s is not supported by Locus", arg[-1].i ? "RandomState" : "default_rng");
    return err_hint(err, "np.random.seed(n) starts the stream of np.random.rand, randn, randint …");
}

const NativeRow random_numpy_rows[] = {
    { "seed", random_seed, "seed = None", 0, "Starts the stream that belongs to a seed." },
    { "rand", random_sizes, "*sizes", 0, "Numbers from 0 up to, and without, 1." },
    { "randn", random_sizes, "*sizes", 1, "Normal numbers." },
    { "random", random_random, "size = None", 0, NULL },
    { "random_sample", random_random, "size = None", 0, NULL },
    { "standard_normal", random_random, "size = None", 1, NULL },
    { "randint", random_randint, "low, high = None, size = None, dtype = None", 0, "Whole numbers from low up to, and without, high." },
    { "normal", random_scaled, "loc = 0.0, scale = 1.0, size = None", D_GAUSS, NULL },
    { "uniform", random_scaled, "low = 0.0, high = 1.0, size = None", D_DOUBLE, NULL },
    { "exponential", random_exponential, "scale = 1.0, size = None", 0, NULL },
    { "choice", random_choice, "a, size = None, replace: bool = True, p = None", 0, NULL },
    { "permutation", random_permutation, "x", 0, "A shuffled range, or a shuffled copy." },
    { "shuffle", random_shuffle, "x", 0, "Shuffles in place, along the first dimension." },
    { "default_rng", random_refused, "seed = None", 0, NULL },
    { "RandomState", random_refused, "seed = None", 1, NULL },
    { 0 },
};
