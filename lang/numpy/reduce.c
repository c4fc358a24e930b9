/*
 * reduce.c - many elements into one: sums in NumPy's order of additions, means, extremes, running results.
 */
#include "lang/numpy/numpy.h"
#include <math.h>

/* ---- sums ------------------------------------------------------------------------------------------------------ */
/* Pairwise, eight running sums within blocks of 128: the last digits are NumPy's. `step` in bytes. */
#define PAIRWISE(NAME, T, READ)                                                                 \
    static T NAME(const char *at, int64_t n, int64_t step)                                      \
    {                                                                                           \
        if (n < 8) {                                                                            \
            T sum = -0.0f;                                                                      \
            for (int64_t k = 0; k < n; k++)                                                     \
                sum += READ(at + k * step);                                                     \
            return sum;                                                                         \
        }                                                                                       \
        if (n <= 128) {                                                                         \
            T r[8];                                                                             \
            for (int j = 0; j < 8; j++)                                                         \
                r[j] = READ(at + j * step);                                                     \
            int64_t k = 8;                                                                      \
            for (; k < n - n % 8; k += 8)                                                       \
                for (int j = 0; j < 8; j++)                                                     \
                    r[j] += READ(at + (k + j) * step);                                          \
            T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));          \
            for (; k < n; k++)                                                                  \
                sum += READ(at + k * step);                                                     \
            return sum;                                                                         \
        }                                                                                       \
        int64_t half = n / 2;                                                                   \
        half -= half % 8;                                                                       \
        return NAME(at, half, step) + NAME(at + half * step, n - half, step);                   \
    }
#define READ_F64(p) (*(const double *)(p))
#define READ_F32(p) (*(const float *)(p))
PAIRWISE(pairwise_f64, double, READ_F64)
PAIRWISE(pairwise_f32, float, READ_F32)

typedef struct Axis_ { int64_t size, step; } Axis_;    /* step in bytes */

/* The reduced dimensions, the largest step first; those that make one run are merged. */
static int reduced_axes(const Tensor *t, uint64_t mask, Axis_ *axis)
{
    int n = 0, merged = 0;
    for (int d = 0; d < tensor_ndim(t); d++)
        if (mask >> d & 1 && tensor_shape(t)[d] != 1)
            axis[n++] = (Axis_){ tensor_shape(t)[d], tensor_strides(t)[d] * (int64_t)dtype_size(tensor_dtype(t)) };
    for (int k = 1; k < n; k++)
        for (int j = k; j > 0 && axis[j].step > axis[j - 1].step; j--) {
            Axis_ other = axis[j];
            axis[j] = axis[j - 1];
            axis[j - 1] = other;
        }
    for (int k = 1; k < n; k++) {
        if (axis[merged].step == axis[k].size * axis[k].step)
            axis[merged] = (Axis_){ axis[merged].size * axis[k].size, axis[k].step };
        else
            axis[++merged] = axis[k];
    }
    return n ? merged + 1 : 0;
}

/* Is the innermost loop over kept elements? Then NumPy adds row to row, one by one. */
static bool kept_is_inner(const Tensor *t, uint64_t mask)
{
    int64_t least[2] = { INT64_MAX, INT64_MAX };
    for (int d = 0; d < tensor_ndim(t); d++)
        if (tensor_shape(t)[d] != 1 && tensor_strides(t)[d] < least[mask >> d & 1])
            least[mask >> d & 1] = tensor_strides(t)[d];
    return least[0] < least[1];
}

static double sum_of(DType dtype, const char *at, const Axis_ *axis, int n, bool one_by_one)
{
    if (!n)
        return dtype == DT_F32 ? (double)READ_F32(at) : READ_F64(at);
    if (n == 1 && !one_by_one)
        return dtype == DT_F32 ? (double)(0.0f + pairwise_f32(at, axis->size, axis->step)) : 0.0 + pairwise_f64(at, axis->size, axis->step);
    double sum = 0;
    for (int64_t k = 0; k < axis->size; k++) {
        double part = sum_of(dtype, at + k * axis->step, axis + 1, n - 1, one_by_one);
        sum = dtype == DT_F32 ? (double)((float)sum + (float)part) : sum + part;
    }
    return sum;
}

static Tensor *reduced_shape(Session *s, const Tensor *t, uint64_t mask, bool keepdims, DType dtype, Err *err)
{
    int64_t shape[64];
    int ndim = 0;
    for (int d = 0; d < tensor_ndim(t); d++)
        if (!(mask >> d & 1))
            shape[ndim++] = tensor_shape(t)[d];
        else if (keepdims)
            shape[ndim++] = 1;
    return np_empty(s, dtype, ndim, shape, err);
}

static Tensor *float_sum(Session *s, Tensor *t, uint64_t mask, bool keepdims, Err *err)
{
    Axis_ axis[64];
    int64_t index[64] = { 0 };
    DType dtype = tensor_dtype(t);
    int n = reduced_axes(t, mask, axis), ndim = tensor_ndim(t);
    bool one_by_one = kept_is_inner(t, mask);
    Tensor *sum = reduced_shape(s, t, mask, keepdims, dtype, err);
    if (!sum)
        return NULL;
    bool empty = false;
    for (int d = 0; d < ndim; d++)
        empty = empty || (mask >> d & 1 && !tensor_shape(t)[d]);
    for (int64_t k = 0; k < tensor_numel(sum); k++) {
        int64_t at = 0;
        for (int d = 0; d < ndim; d++)
            at += index[d] * tensor_strides(t)[d] * (int64_t)dtype_size(dtype);
        Number value = { .kind = DKIND_FLOAT, .f = empty ? 0 : sum_of(dtype, (const char *)tensor_data(t) + at, axis, n, one_by_one) };
        if (!tensor_store(&s->ctx, sum, k, &value, 1, err)) {
            tensor_release(sum);
            return NULL;
        }
        for (int d = ndim - 1; d >= 0; d--)
            if (!(mask >> d & 1)) {
                if (++index[d] < tensor_shape(t)[d])
                    break;
                index[d] = 0;
            }
    }
    return sum;
}

static int mask_dims(uint64_t mask, int64_t *dims)
{
    int n = 0;
    for (int d = 0; d < 64; d++)
        if (mask >> d & 1)
            dims[n++] = d;
    return n;
}

/* An operation of the library over some dimensions; none of them: nothing to reduce, a copy in the result's dtype. */
static Tensor *reduce_by(Session *s, OpId id, Tensor *t, uint64_t mask, bool keepdims, DType dtype, Err *err)
{
    int64_t dims[64];
    int n = mask_dims(mask, dims);
    Arg arg[] = { arg_t(t), arg_ints(n, dims), arg_b(keepdims), arg_dtype(dtype) };
    if (!n && tensor_ndim(t) && (id == OP_amax || id == OP_amin))
        return np_op(s, OP_clone, 1, arg, err);
    if (!tensor_ndim(t) && (id == OP_amax || id == OP_amin || id == OP_sum))
        return id == OP_sum ? np_op(s, OP_sum_all, 2, (Arg[]){ arg_t(t), arg_dtype(dtype) }, err) : np_op(s, OP_clone, 1, arg, err);
    return np_op(s, id, id == OP_amax || id == OP_amin || id == OP_all || id == OP_any ? 3 : 4, arg, err);
}

Tensor *np_sum(Session *s, Tensor *t, uint64_t mask, bool keepdims, DType dtype, Err *err)
{
    if (dtype == DT_NONE && tensor_dtype(t) == DT_U8)
        return err_set(err, ERR_NOT_IMPLEMENTED, "the sum of uint8 is uint64, which Locus does not have"),
               err_hint(err, "a.sum(dtype=np.int64) names another"), NULL;
    DType in = dtype != DT_NONE ? dtype : dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_I64;
    Tensor *cast = dtype_kind(in) == DKIND_FLOAT ? np_cast(s, t, in, err) : tensor_retain(t), *sum = NULL;
    if (cast)
        sum = in == DT_F64 || in == DT_F32 ? float_sum(s, cast, mask, keepdims, err) : reduce_by(s, OP_sum, cast, mask, keepdims, in, err);
    tensor_release(cast);
    return sum;
}

/* ---- means and variances ------------------------------------------------------------------------------------------ */
static int64_t count_of(const Tensor *t, uint64_t mask)
{
    int64_t n = 1;
    for (int d = 0; d < tensor_ndim(t); d++)
        n *= mask >> d & 1 ? tensor_shape(t)[d] : 1;
    return n;
}

static Tensor *divided(Session *s, Tensor *taken, double by, Err *err)
{
    Call call = { .args = 2, .inplace = true };
    if (!taken)
        return NULL;
    call.arg[0] = arg_t(taken);
    call.arg[1] = arg_f(by);
    bool ok = np_call(s, OP_div, &call, err);
    if (ok)
        tensor_release(call.out[0]);
    else
        tensor_release(taken);
    return ok ? taken : NULL;
}

static Tensor *mean_of(Session *s, Tensor *t, uint64_t mask, bool keepdims, DType dtype, Err *err)
{
    bool half = tensor_dtype(t) == DT_F16 && dtype == DT_NONE;
    DType in = dtype != DT_NONE ? dtype : half ? DT_F32 : dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_F64;
    Tensor *mean = divided(s, np_sum(s, t, mask, keepdims, in, err), (double)count_of(t, mask), err);
    if (!mean || !half)
        return mean;
    Tensor *narrow = np_cast(s, mean, DT_F16, err);
    tensor_release(mean);
    return narrow;
}

/* The mean of the squares of what is left over the mean. The differences are a temporary of the array's size, as NumPy's are. */
static Tensor *variance_of(Session *s, Tensor *t, uint64_t mask, bool keepdims, double ddof, bool root, Err *err)
{
    DType in = dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_F64;
    Tensor *mean = mean_of(s, t, mask, true, in == DT_F16 ? DT_F32 : DT_NONE, err), *apart = NULL, *sum = NULL;
    if (mean)
        apart = np_op(s, OP_sub, 2, (Arg[]){ arg_t(t), arg_t(mean) }, err);
    if (apart) {
        Call call = { .args = 2, .inplace = true };
        call.arg[0] = call.arg[1] = arg_t(apart);
        if (np_call(s, OP_mul, &call, err)) {
            tensor_release(call.out[0]);
            double n = (double)count_of(t, mask) - ddof;
            sum = divided(s, np_sum(s, apart, mask, keepdims, DT_NONE, err), n > 0 ? n : 0, err);
        }
    }
    tensor_release(mean);
    tensor_release(apart);
    if (sum && root) {
        Call call = { .args = 1, .inplace = true };
        call.arg[0] = arg_t(sum);
        if (!np_call(s, OP_sqrt, &call, err)) {
            tensor_release(sum);
            return NULL;
        }
        tensor_release(call.out[0]);
    }
    return sum;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */
enum { R_SUM, R_PROD, R_MEAN, R_MAX, R_MIN, R_ALL, R_ANY, R_PTP };

static bool extremes_exist(const Tensor *t, uint64_t mask, int what, Err *err)
{
    return count_of(t, mask) || err_set(err, ERR_VALUE, "zero-size array to reduction operation %s which has no identity",
                                        what == R_MIN ? "minimum" : "maximum");
}

static Tensor *reduced(Session *s, int what, Tensor *t, uint64_t mask, bool keepdims, DType dtype, Err *err)
{
    switch (what) {
    case R_SUM: return np_sum(s, t, mask, keepdims, dtype, err);
    case R_MEAN: return mean_of(s, t, mask, keepdims, dtype, err);
    case R_ALL: case R_ANY: {
        Tensor *truth = np_cast(s, t, DT_BOOL, err);
        Tensor *one = truth ? reduce_by(s, what == R_ALL ? OP_all : OP_any, truth, mask, keepdims, DT_NONE, err) : NULL;
        tensor_release(truth);
        return one;
    }
    case R_MAX: case R_MIN:
        return extremes_exist(t, mask, what, err) ? reduce_by(s, what == R_MAX ? OP_amax : OP_amin, t, mask, keepdims, DT_NONE, err) : NULL;
    default: {
        Tensor *high = extremes_exist(t, mask, what, err) ? reduce_by(s, OP_amax, t, mask, keepdims, DT_NONE, err) : NULL;
        Tensor *low = high ? reduce_by(s, OP_amin, t, mask, keepdims, DT_NONE, err) : NULL;
        Tensor *between = low ? np_op(s, OP_sub, 2, (Arg[]){ arg_t(high), arg_t(low) }, err) : NULL;
        tensor_release(high);
        tensor_release(low);
        return between;
    }
    }
}

/* prod() of the library takes one dimension: the largest first. */
static Tensor *product(Session *s, Tensor *t, uint64_t mask, bool keepdims, DType dtype, Err *err)
{
    DType in = dtype != DT_NONE ? dtype : dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_I64;
    Tensor *now = np_cast(s, t, in, err);
    if (now && !tensor_ndim(t)) {
        Tensor *one = np_op(s, OP_clone, 1, (Arg[]){ arg_t(now) }, err);
        tensor_release(now);
        return one;
    }
    for (int d = tensor_ndim(t) - 1; now && d >= 0; d--)
        if (mask >> d & 1) {
            Tensor *next = np_op(s, OP_prod, 4, (Arg[]){ arg_t(now), arg_i(d), arg_b(keepdims), arg_dtype(in) }, err);
            tensor_release(now);
            now = next;
        }
    return now;
}

NATIVE(np_reduce)
{
    int what = (int)arg[-1].i;
    THE_ARRAY;
    bool typed = what <= R_MEAN, keepdims;
    uint64_t mask;
    DType dtype = DT_NONE;
    *out = value_unset();
    if ((typed && !np_dtype_from(s, arg[1], &dtype, err)) || !value_truth(s, arg[typed ? 2 : 1], &keepdims, err))
        return false;
    Tensor *t = np_array(s, first, DT_NONE, err);
    Tensor *made = !t || !np_axes(s, arg[0], tensor_ndim(t), &mask, err) ? NULL
                 : what == R_PROD ? product(s, t, mask, keepdims, dtype, err) : reduced(s, what, t, mask, keepdims, dtype, err);
    tensor_release(t);
    if (made && value_is(first, TYPE_TENSOR) && tensor_ndim(made))
        return ((Object *)made)->type = TYPE_NDARRAY, array_out(made, out);
    return array_or_scalar(s, made, out, err);
}

NATIVE(np_variance)
{
    bool root = arg[-1].i;
    THE_ARRAY;
    uint64_t mask;
    double ddof;
    bool keepdims;
    *out = value_unset();
    if (!value_to_double(s, arg[1], &ddof, err) || !value_truth(s, arg[2], &keepdims, err))
        return false;
    Tensor *t = np_array(s, first, DT_NONE, err);
    Tensor *made = t && np_axes(s, arg[0], tensor_ndim(t), &mask, err) ? variance_of(s, t, mask, keepdims, ddof, root, err) : NULL;
    tensor_release(t);
    return array_or_scalar(s, made, out, err);
}

static Tensor *flat_of(Session *s, Tensor *t, Err *err)
{
    return np_op(s, OP_reshape, 2, (Arg[]){ arg_t(t), arg_ints(1, (int64_t[]){ -1 }) }, err);
}

/* argmax and argmin: without an axis the position among all elements. */
NATIVE(np_arg)
{
    bool least = arg[-1].i, keepdims;
    int axis = 0;
    THE_ARRAY;
    *out = value_unset();
    if (!value_truth(s, arg[1], &keepdims, err))
        return false;
    Tensor *t = np_array(s, first, DT_NONE, err), *made = NULL;
    if (t && !tensor_numel(t))
        err_set(err, ERR_VALUE, "attempt to get %s of an empty sequence", least ? "argmin" : "argmax");
    else if (t && (value_is_none(arg[0]) || np_axis(s, arg[0], tensor_ndim(t), &axis, err))) {
        Tensor *in = tensor_dtype(t) == DT_BOOL ? np_cast(s, t, DT_U8, err) : tensor_retain(t);
        made = in ? np_op(s, least ? OP_argmin : OP_argmax, 3, (Arg[]){ arg_t(in), value_is_none(arg[0]) ? arg_none() : arg_i(axis), arg_b(keepdims) }, err)
                  : NULL;
        tensor_release(in);
    }
    tensor_release(t);
    return array_or_scalar(s, made, out, err);
}

NATIVE(np_cumulate)
{
    bool products = arg[-1].i;
    int axis = 0;
    DType dtype;
    THE_ARRAY;
    *out = value_unset();
    if (!np_dtype_from(s, arg[1], &dtype, err))
        return false;
    Tensor *t = np_array(s, first, DT_NONE, err), *made = NULL;
    if (t && dtype == DT_NONE && tensor_dtype(t) == DT_U8) {
        err_set(err, ERR_NOT_IMPLEMENTED, "running sums of uint8 are uint64, which Locus does not have");
        err_hint(err, "dtype=np.int64 names another");
    } else if (t && (value_is_none(arg[0]) || np_axis(s, arg[0], tensor_ndim(t), &axis, err))) {
        Tensor *flat = value_is_none(arg[0]) ? flat_of(s, t, err) : tensor_retain(t);
        DType in = dtype != DT_NONE ? dtype : dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_I64;
        made = flat ? np_op(s, products ? OP_cumprod : OP_cumsum, 3, (Arg[]){ arg_t(flat), arg_i(axis), arg_dtype(in) }, err) : NULL;
        tensor_release(flat);
    }
    tensor_release(t);
    return array_out(made, out);
}

static bool middle(Session *s, Tensor *t, Value q, Value axis_value, bool keepdims, Value *out, Err *err)
{
    int axis = 0;
    double at;
    DType in = dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_F64;
    if (!value_to_double(s, q, &at, err) || (!value_is_none(axis_value) && !np_axis(s, axis_value, tensor_ndim(t), &axis, err)))
        return false;
    Tensor *cast = np_cast(s, t, in, err);
    Tensor *made = cast ? np_op(s, OP_quantile, 4, (Arg[]){ arg_t(cast), arg_f(at), value_is_none(axis_value) ? arg_none() : arg_i(axis), arg_b(keepdims) }, err)
                        : NULL;
    tensor_release(cast);
    return array_or_scalar(s, made, out, err);
}

NATIVE(np_median)
{
    bool keepdims;
    (void)self;
    *out = value_unset();
    Tensor *t = value_truth(s, arg[2], &keepdims, err) ? np_array(s, arg[0], DT_NONE, err) : NULL;
    bool ok = t && middle(s, t, float_new(s, 0.5), arg[1], keepdims, out, err);
    tensor_release(t);
    return ok;
}

NATIVE(np_quantile)
{
    bool keepdims;
    double q;
    double scale = arg[-1].i ? 100 : 1;
    (void)self;
    *out = value_unset();
    if (!value_to_double(s, arg[1], &q, err) || !value_truth(s, arg[3], &keepdims, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    bool ok = t && middle(s, t, float_new(s, q / scale), arg[2], keepdims, out, err);
    tensor_release(t);
    return ok;
}

NATIVE(np_count_nonzero)
{
    (void)self;
    *out = value_unset();
    Tensor *t = np_array(s, arg[0], DT_BOOL, err);
    uint64_t mask;
    Tensor *made = t && np_axes(s, arg[1], tensor_ndim(t), &mask, err) ? np_sum(s, t, mask, false, DT_I64, err) : NULL;
    tensor_release(t);
    Number number;
    if (made && value_is_none(arg[1])) {                /* a Python int, in NumPy too */
        bool ok = tensor_item(made, &number, err);
        tensor_release(made);
        *out = ok ? number_to_value(s, number) : value_unset();
        return ok;
    }
    return array_or_scalar(s, made, out, err);
}

#define REDUCE_TABLE(A)                                                                              \
    { "sum", np_reduce, A "axis = None, dtype = None, keepdims: bool = False", R_SUM, "The sum of the elements." },          \
    { "prod", np_reduce, A "axis = None, dtype = None, keepdims: bool = False", R_PROD, "The product of the elements." },    \
    { "mean", np_reduce, A "axis = None, dtype = None, keepdims: bool = False", R_MEAN, "The mean of the elements." },       \
    { "max", np_reduce, A "axis = None, keepdims: bool = False", R_MAX, "The largest element." },                            \
    { "min", np_reduce, A "axis = None, keepdims: bool = False", R_MIN, "The smallest element." },                           \
    { "all", np_reduce, A "axis = None, keepdims: bool = False", R_ALL, NULL },                                              \
    { "any", np_reduce, A "axis = None, keepdims: bool = False", R_ANY, NULL },                                              \
    { "var", np_variance, A "axis = None, ddof = 0, keepdims: bool = False", 0, "The variance, over n (not n - 1)." },       \
    { "std", np_variance, A "axis = None, ddof = 0, keepdims: bool = False", 1, "The root of the variance." },               \
    { "argmax", np_arg, A "axis = None, keepdims: bool = False", 0, "Where the largest element is." },                       \
    { "argmin", np_arg, A "axis = None, keepdims: bool = False", 1, "Where the smallest element is." },                      \
    { "cumsum", np_cumulate, A "axis = None, dtype = None", 0, "Running sums." },                                            \
    { "cumprod", np_cumulate, A "axis = None, dtype = None", 1, "Running products." }

const NativeRow reduce_methods[] = { REDUCE_TABLE(""), { 0 } };
const NativeRow reduce_rows[] = {
    REDUCE_TABLE("a, "),
    { "amax", np_reduce, "a, axis = None, keepdims: bool = False", R_MAX, NULL },
    { "amin", np_reduce, "a, axis = None, keepdims: bool = False", R_MIN, NULL },
    { "ptp", np_reduce, "a, axis = None, keepdims: bool = False", R_PTP, NULL },
    { "median", np_median, "a, axis = None, keepdims: bool = False", 0, "The middle one of the sorted elements." },
    { "quantile", np_quantile, "a, q, axis = None, keepdims: bool = False", 0, NULL },
    { "percentile", np_quantile, "a, q, axis = None, keepdims: bool = False", 1, NULL },
    { "count_nonzero", np_count_nonzero, "a, axis = None", 0, NULL },
    { 0 },
};
