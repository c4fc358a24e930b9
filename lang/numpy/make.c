/*
 * make.c - arrays from sizes, numbers and other things.
 */
#include "lang/numpy/numpy.h"
#include <math.h>

/* np.array copies, np.asarray takes what is an array already. */
enum { A_ARRAY, A_ASARRAY, A_CONTIGUOUS };

NATIVE(np_make_array)
{
    int how = (int)arg[-1].i;
    DType dtype;
    int64_t ndmin = 0;
    bool copy = how == A_ARRAY;
    (void)self;
    *out = value_unset();
    if (!np_dtype_from(s, arg[1], &dtype, err) || (how == A_ARRAY && (!value_truth(s, arg[2], &copy, err) || !value_index(s, arg[3], "ndmin", &ndmin, err))))
        return false;
    Tensor *t = np_array(s, arg[0], dtype, err);
    bool own = value_is_array(arg[0]) || value_is(arg[0], TYPE_TENSOR);
    if (t && own && ((copy && tensor_storage(t) == tensor_storage(value_tensor(arg[0]))) || (how == A_CONTIGUOUS && !tensor_is_contiguous(t)))) {
        Tensor *copied = np_op(s, how == A_CONTIGUOUS ? OP_contiguous : OP_clone, 1, (Arg[]){ arg_t(t) }, err);
        tensor_release(t);
        t = copied;
    }
    while (t && tensor_ndim(t) < ndmin) {
        Tensor *wider = np_op(s, OP_unsqueeze, 2, (Arg[]){ arg_t(t), arg_i(0) }, err);
        tensor_release(t);
        t = wider;
    }
    return array_out(t, out);
}

static bool filled(Session *s, Tensor *taken, const Number *number, Value *out, Err *err)
{
    Call call = { .args = 2, .inplace = true };
    *out = value_unset();
    if (!taken)
        return false;
    if (number && tensor_numel(taken)) {
        call.arg[0] = arg_t(taken);
        call.arg[1] = arg_number(*number);
        if (!np_call(s, OP_fill, &call, err)) {
            tensor_release(taken);
            return false;
        }
        tensor_release(call.out[0]);
    }
    return array_out(taken, out);
}

enum { M_EMPTY, M_ZEROS, M_ONES };

static bool row_major_only(Value order, Err *err)
{
    return value_is_none(order) || (value_is(order, TYPE_STR) && strchr("CKA", ((Str *)order.object)->s[0]))
        || err_set(err, ERR_NOT_IMPLEMENTED, "another order of elements than 'C' is not supported by Locus");
}

NATIVE(np_sized)
{
    static const OpId ids[] = { [M_EMPTY] = OP_empty, [M_ZEROS] = OP_zeros, [M_ONES] = OP_ones };
    int what = (int)arg[-1].i, ndim;
    DType dtype;
    int64_t shape[64];
    (void)self;
    *out = value_unset();
    if (!np_dtype_from(s, arg[1], &dtype, err) || !row_major_only(arg[2], err) || !np_shape(s, arg[0], &ndim, shape, err))
        return false;
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return err_set(err, ERR_VALUE, "negative dimensions are not allowed");
    return array_out(np_op(s, ids[what], 2, (Arg[]){ arg_ints(ndim, shape), arg_dtype(dtype == DT_NONE ? DT_F64 : dtype) }, err), out);
}

NATIVE(np_full)
{
    DType dtype;
    int64_t shape[64];
    int ndim;
    Number number;
    (void)self;
    *out = value_unset();
    if (!np_dtype_from(s, arg[2], &dtype, err) || !np_shape(s, arg[0], &ndim, shape, err))
        return false;
    Tensor *value = np_array(s, arg[1], DT_NONE, err);
    if (!value)
        return false;
    dtype = dtype == DT_NONE ? tensor_dtype(value) : dtype;
    bool one = tensor_numel(value) == 1 && !tensor_ndim(value);
    bool ok = (!one || tensor_item(value, &number, err)) && filled(s, np_empty(s, dtype, ndim, shape, err), one ? &number : NULL, out, err);
    if (ok && !one)
        ok = type_ndarray.set_item(s, *out, (Value){ V_ELLIPSIS, { 0 } }, array_take(value), err) || (value_release(*out), false);
    tensor_release(value);
    return ok;
}

/* zeros_like and its kin: the layout of the array, too. */
NATIVE(np_like)
{
    static const OpId ids[] = { OP_empty_like, OP_zeros_like, OP_ones_like, OP_full_like };
    int what = (int)arg[-1].i;
    DType dtype;
    Number number = { .kind = DKIND_INT };
    (void)self;
    *out = value_unset();
    Value wanted = what == 3 ? arg[2] : arg[1];
    if (!np_dtype_from(s, wanted, &dtype, err) || (what == 3 && !value_to_number(arg[1], &number)
        && !err_set(err, ERR_TYPE, "full_like() takes a number, not %s", value_type_name(arg[1]))))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    dtype = t && dtype == DT_NONE ? tensor_dtype(t) : dtype;
    Arg all[3] = { t ? arg_t(t) : arg_none(), what == 3 ? arg_number(number) : arg_dtype(dtype), arg_dtype(dtype) };
    Tensor *made = t ? np_op(s, ids[what], what == 3 ? 3 : 2, all, err) : NULL;
    tensor_release(t);
    return array_out(made, out);
}

/* ---- ranges ----------------------------------------------------------------------------------------------------- */
/* Element k of a range, as NumPy fills it: the difference of the first two, times k. */
static Tensor *fill_range(Session *s, DType dtype, int64_t n, Number start, double delta, int64_t whole_delta, Err *err)
{
    enum { AT_ONCE = 256 };
    Number number[AT_ONCE];
    Tensor *t = np_empty(s, dtype, 1, &n, err);
    for (int64_t k = 0; t && k < n; k += AT_ONCE) {
        int count = n - k < AT_ONCE ? (int)(n - k) : AT_ONCE;
        for (int j = 0; j < count; j++)
            number[j] = start.kind == DKIND_FLOAT ? (Number){ .kind = DKIND_FLOAT, .f = start.f + (double)(k + j) * delta }
                      : (Number){ .kind = DKIND_INT, .i = start.i + (k + j) * whole_delta };
        if (!tensor_store(&s->ctx, t, k, number, count, err)) {
            tensor_release(t);
            return NULL;
        }
    }
    return t;
}

NATIVE(np_arange)
{
    Number bound[3] = { { .kind = DKIND_INT, .i = 0 }, { .kind = DKIND_INT, .i = 0 }, { .kind = DKIND_INT, .i = 1 } };
    DType dtype, of = DT_I64;
    bool floats = false;
    (void)self;
    *out = value_unset();
    if (!np_dtype_from(s, arg[3], &dtype, err))
        return false;
    Value start = value_is_none(arg[1]) ? value_none() : arg[0], stop = value_is_none(arg[1]) ? arg[0] : arg[1];
    const Value given[3] = { start, stop, arg[2] };
    for (int k = 0; k < 3; k++) {
        if (value_is_none(given[k]))
            continue;
        if (!value_to_number(given[k], &bound[k]))
            return err_set(err, ERR_TYPE, "arange() takes numbers, not %s", value_type_name(given[k]));
        floats = floats || bound[k].kind == DKIND_FLOAT;
        if (value_is(given[k], TYPE_NPSCALAR))
            of = np_promote(of, ((NpScalar *)given[k].object)->dtype);
    }
    of = floats ? DT_F64 : of;
    dtype = dtype == DT_NONE ? of : dtype;
    double first = number_as_double(bound[0]), last = number_as_double(bound[1]), step = number_as_double(bound[2]);
    if (step == 0)
        return err_set(err, floats ? ERR_VALUE : ERR_ZERO_DIVISION, floats ? "Maximum allowed size exceeded" : "division by zero");
    double length = ceil((last - first) / step);
    if (!(length < 1e15))
        return err_set(err, ERR_VALUE, "Maximum allowed size exceeded");
    int64_t n = length > 0 ? (int64_t)length : 0;
    if (floats || dtype_kind(dtype) == DKIND_FLOAT) {
        Number from = { .kind = DKIND_FLOAT, .f = first }, next = { .kind = DKIND_FLOAT, .f = first + step };
        if (dtype != DT_F64 && dtype_kind(dtype) == DKIND_FLOAT) {
            number_cast(dtype, &from);
            number_cast(dtype, &next);
        } else if (dtype_kind(dtype) == DKIND_INT) {    /* the first two are cut before the difference is taken */
            from = (Number){ .kind = DKIND_INT, .i = (int64_t)first };
            return array_out(fill_range(s, dtype, n, from, 0, (int64_t)(first + step) - (int64_t)first, err), out);
        }
        return array_out(fill_range(s, dtype, n, from, next.f - from.f, 0, err), out);
    }
    Number from = { .kind = DKIND_INT, .i = number_as_int(bound[0]) };
    return array_out(fill_range(s, dtype, n, from, 0, number_as_int(bound[2]), err), out);
}

enum { L_LINEAR, L_POWERS };

NATIVE(np_linspace)
{
    double start, stop, base = 10;
    int64_t n;
    bool end, powers = arg[-1].i == L_POWERS, with_step = false;
    DType dtype;
    (void)self;
    *out = value_unset();
    if (!value_to_double(s, arg[0], &start, err) || !value_to_double(s, arg[1], &stop, err) || !value_index(s, arg[2], "num", &n, err)
        || !value_truth(s, arg[3], &end, err) || !np_dtype_from(s, arg[4], &dtype, err)
        || (powers ? !value_to_double(s, arg[5], &base, err) : !value_truth(s, arg[5], &with_step, err)))
        return false;
    if (n < 0)
        return err_set(err, ERR_VALUE, "Number of samples, %lld, must be non-negative.", (long long)n);
    Tensor *t = np_empty(s, DT_F64, 1, &n, err);
    if (!t)
        return false;
    int64_t parts = end ? n - 1 : n;
    double step = parts > 0 ? (stop - start) / (double)parts : NAN;
    for (int64_t k = 0; k < n; k++) {
        double at = parts > 0 ? step == 0 ? (double)k / (double)parts * (stop - start) + start : (double)k * step + start : start;
        at = end && n > 1 && k == n - 1 ? stop : at;
        Number number = { .kind = DKIND_FLOAT, .f = powers ? pow(base, at) : at };
        if (dtype != DT_NONE && dtype_kind(dtype) == DKIND_INT)
            number.f = floor(number.f);
        if (!tensor_store(&s->ctx, t, k, &number, 1, err)) {
            tensor_release(t);
            return false;
        }
    }
    if (dtype != DT_NONE && dtype != DT_F64) {
        Tensor *cast = np_cast(s, t, dtype, err);
        tensor_release(t);
        t = cast;
    }
    if (!with_step || !t)
        return array_out(t, out);
    Tuple *both = tuple_new(s, 2, err);
    if (!both || !scalar_value(s, DT_F64, (Number){ .kind = DKIND_FLOAT, .f = step }, &both->item[1], err)) {
        tensor_release(t);
        return false;
    }
    both->item[0] = array_take(t);
    *out = value_object_take(both);
    return true;
}

/* ---- matrices ------------------------------------------------------------------------------------------------------ */
NATIVE(np_eye)
{
    int64_t n, m, k = 0;
    DType dtype;
    (void)self;
    *out = value_unset();
    if (!value_index(s, arg[0], "N", &n, err) || !np_dtype_from(s, arg[3], &dtype, err) || !value_index(s, arg[2], "k", &k, err))
        return false;
    m = n;
    if (!value_is_none(arg[1]) && !value_index(s, arg[1], "M", &m, err))
        return false;
    if (n < 0 || m < 0)
        return err_set(err, ERR_VALUE, "negative dimensions are not allowed");
    dtype = dtype == DT_NONE ? DT_F64 : dtype;
    if (!k)
        return array_out(np_op(s, OP_eye, 3, (Arg[]){ arg_i(n), arg_i(m), arg_dtype(dtype) }, err), out);
    Tensor *made = np_op(s, OP_zeros, 2, (Arg[]){ arg_ints(2, (int64_t[]){ n, m }), arg_dtype(dtype) }, err);
    Number unit = { .kind = DKIND_INT, .i = 1 };
    for (int64_t r = 0; made && r < n; r++)
        if (r + k >= 0 && r + k < m && !tensor_store(&s->ctx, made, r * m + r + k, &unit, 1, err)) {
            tensor_release(made);
            made = NULL;
        }
    return array_out(made, out);
}

enum { T_TRIL, T_TRIU, T_DIAG };

NATIVE(np_triangle)
{
    static const OpId ids[] = { OP_tril, OP_triu, OP_diag };
    OpId id = ids[arg[-1].i];
    int64_t k;
    (void)self;
    *out = value_unset();
    if (!value_index(s, arg[1], "k", &k, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Tensor *made = t ? np_op(s, id, 2, (Arg[]){ arg_t(t), arg_i(k) }, err) : NULL;
    tensor_release(t);
    return array_out(made, out);
}

NATIVE(np_meshgrid)
{
    const Tuple *given = (Tuple *)arg[0].object;
    Str *how;
    Tensor *t[16];
    int n = 0;
    (void)self;
    *out = value_unset();
    if (!want_str(arg[1], "indexing", &how, err))
        return false;
    bool ok = given->n <= 16 || err_set(err, ERR_VALUE, "meshgrid() takes at most 16 arrays here");
    for (; ok && n < given->n; n++)
        if (!(t[n] = np_array(s, given->item[n], DT_NONE, err)))
            break;
    ok = ok && n == given->n;
    Tuple *made = ok ? tuple_new(s, n, err) : NULL;
    if (made) {
        int64_t shape[16];
        bool xy = !strcmp(how->s, "xy") && n > 1;
        for (int k = 0; k < n; k++)
            shape[xy && k < 2 ? 1 - k : k] = tensor_numel(t[k]);
        for (int k = 0; ok && k < n; k++) {             /* NumPy's are copies */
            int64_t line[16];
            for (int d = 0; d < n; d++)
                line[d] = 1;
            line[xy && k < 2 ? 1 - k : k] = tensor_numel(t[k]);
            Tensor *flat = np_op(s, OP_reshape, 2, (Arg[]){ arg_t(t[k]), arg_ints(n, line) }, err);
            Tensor *wide = flat ? np_op(s, OP_expand, 2, (Arg[]){ arg_t(flat), arg_ints(n, shape) }, err) : NULL;
            Tensor *dense = wide ? np_op(s, OP_clone, 2, (Arg[]){ arg_t(wide), arg_i(0) }, err) : NULL;
            tensor_release(flat);
            tensor_release(wide);
            ok = dense;
            made->item[k] = dense ? array_take(dense) : value_none();
        }
    }
    while (n)
        tensor_release(t[--n]);
    if (made && !ok)
        object_release(&made->head);
    *out = made && ok ? value_object_take(made) : value_unset();
    return made && ok;
}

const NativeRow make_rows[] = {
    { "array", np_make_array, "object, dtype = None, *, copy: bool = True, ndmin = 0", A_ARRAY, "A new array with the numbers of nested lists, or a copy." },
    { "asarray", np_make_array, "a, dtype = None", A_ASARRAY, "An array of it: itself where nothing changes." },
    { "asanyarray", np_make_array, "a, dtype = None", A_ASARRAY, NULL },
    { "ascontiguousarray", np_make_array, "a, dtype = None", A_CONTIGUOUS, NULL },
    { "empty", np_sized, "shape, dtype = None, order = None", M_EMPTY, "An array that is not initialised." },
    { "zeros", np_sized, "shape, dtype = None, order = None", M_ZEROS, NULL },
    { "ones", np_sized, "shape, dtype = None, order = None", M_ONES, NULL },
    { "full", np_full, "shape, fill_value, dtype = None", 0, NULL },
    { "empty_like", np_like, "a, dtype = None", 0, NULL },
    { "zeros_like", np_like, "a, dtype = None", 1, NULL },
    { "ones_like", np_like, "a, dtype = None", 2, NULL },
    { "full_like", np_like, "a, fill_value, dtype = None", 3, NULL },
    { "arange", np_arange, "start, stop = None, step = None, dtype = None", 0, "Numbers from start up to, and without, stop." },
    { "linspace", np_linspace, "start, stop, num = 50, endpoint: bool = True, dtype = None, retstep: bool = False", L_LINEAR, "Numbers at even distances." },
    { "logspace", np_linspace, "start, stop, num = 50, endpoint: bool = True, dtype = None, base = 10.0", L_POWERS, NULL },
    { "eye", np_eye, "N, M = None, k = 0, dtype = None", 0, NULL },
    { "identity", np_eye, "n, M = None, k = 0, dtype = None", 0, NULL },
    { "tril", np_triangle, "m, k = 0", T_TRIL, NULL },
    { "triu", np_triangle, "m, k = 0", T_TRIU, NULL },
    { "diag", np_triangle, "v, k = 0", T_DIAG, NULL },
    { "meshgrid", np_meshgrid, "*xi, indexing = 'xy'", 0, NULL },
    { 0 },
};
