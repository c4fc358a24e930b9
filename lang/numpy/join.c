/*
 * join.c - arrays put together and taken apart, turned, sorted, and products of matrices.
 */
#include "lang/numpy/numpy.h"

enum { ARRAYS_MAX = 1024 };

/* The items of a sequence as arrays of one dtype, taken from mem_new; *n of them. NULL with err set. */
static Tensor **arrays_of(Session *s, Value sequence, int *n, Err *err)
{
    DType common = DT_NONE;
    List *items = value_to_list(s, sequence, err);
    Tensor **t = NULL;
    *n = 0;
    if (!items)
        return NULL;
    if (!items->n)
        err_set(err, ERR_VALUE, "need at least one array to concatenate");
    else if (items->n > ARRAYS_MAX * 64)
        err_set(err, ERR_VALUE, "too many arrays to join: %lld", (long long)items->n);
    else if (!(t = mem_new(s->heap, (size_t)items->n * sizeof *t)))
        err_memory(err, (size_t)items->n * sizeof *t);
    bool ok = t;
    for (int64_t k = 0; ok && k < items->n; k++) {
        ok = (t[k] = np_array(s, items->item[k], DT_NONE, err)) != NULL;
        *n += ok;
        if (ok)
            common = common == DT_NONE ? tensor_dtype(t[k]) : np_promote(common, tensor_dtype(t[k]));
    }
    for (int k = 0; ok && k < *n; k++) {
        Tensor *cast = np_cast(s, t[k], common, err);
        ok = cast;
        if (ok) {
            tensor_release(t[k]);
            t[k] = cast;
        }
    }
    object_release(&items->head);
    if (ok)
        return t;
    while (t && *n)
        tensor_release(t[--*n]);
    mem_free(s->heap, t);
    return NULL;
}

static void arrays_free(Session *s, Tensor **t, int n)
{
    while (n)
        tensor_release(t[--n]);
    mem_free(s->heap, t);
}

enum { J_CONCATENATE, J_STACK, J_VSTACK, J_HSTACK, J_COLUMNS };

static bool can_join(Tensor **t, int n, int how, int axis, Err *err)
{
    for (int k = 1; k < n; k++) {
        if (tensor_ndim(t[k]) != tensor_ndim(t[0]))
            return how == J_STACK ? err_set(err, ERR_VALUE, "all input arrays must have the same shape")
                 : err_set(err, ERR_VALUE, "all the input arrays must have same number of dimensions, but the array at index 0 has %d dimension(s) "
                           "and the array at index %d has %d dimension(s)", tensor_ndim(t[0]), k, tensor_ndim(t[k]));
        for (int d = 0; d < tensor_ndim(t[0]); d++)
            if (tensor_shape(t[k])[d] != tensor_shape(t[0])[d] && (how == J_STACK || d != axis))
                return how == J_STACK ? err_set(err, ERR_VALUE, "all input arrays must have the same shape")
                     : err_set(err, ERR_VALUE, "all the input array dimensions except for the concatenation axis must match exactly, but along "
                               "dimension %d, the array at index 0 has size %lld and the array at index %d has size %lld", d,
                               (long long)tensor_shape(t[0])[d], k, (long long)tensor_shape(t[k])[d]);
    }
    return true;
}

NATIVE(np_join)
{
    static const OpId ids[] = { OP_cat, OP_stack, OP_vstack, OP_hstack, OP_column_stack };
    int how = (int)arg[-1].i, n, axis = 0;
    (void)self;
    *out = value_unset();
    Tensor **t = arrays_of(s, arg[0], &n, err), *made = NULL;
    if (!t)
        return false;
    bool ok = true;
    if (how == J_CONCATENATE && value_is_none(arg[1])) {
        for (int k = 0; ok && k < n; k++) {
            Tensor *flat = np_op(s, OP_reshape, 2, (Arg[]){ arg_t(t[k]), arg_ints(1, (int64_t[]){ -1 }) }, err);
            ok = flat;
            if (ok) {
                tensor_release(t[k]);
                t[k] = flat;
            }
        }
    } else if (how == J_CONCATENATE && !tensor_ndim(t[0]))
        ok = err_set(err, ERR_VALUE, "zero-dimensional arrays cannot be concatenated");
    else if (how <= J_STACK)
        ok = np_axis(s, arg[1], tensor_ndim(t[0]) + (how == J_STACK), &axis, err);
    if (ok && how <= J_STACK)
        ok = can_join(t, n, how, axis, err);
    if (ok)
        made = np_op(s, ids[how], how <= J_STACK ? 2 : 1, (Arg[]){ { .kind = ARG_TENSORS, .n = n, .tensors = t }, arg_i(axis) }, err);
    arrays_free(s, t, n);
    return array_out(made, out);
}

/* split(a, 3) in equal parts, split(a, [2, 5]) at positions; array_split in parts that differ by one. */
enum { S_SPLIT, S_ARRAY, S_VERTICAL, S_HORIZONTAL };

NATIVE(np_split)
{
    int how = (int)arg[-1].i, axis = 0, cuts;
    int64_t at[64], parts = 0;
    (void)self;
    *out = value_unset();
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    if (!t)
        return false;
    bool ok = how <= S_ARRAY ? np_axis(s, arg[2], tensor_ndim(t), &axis, err) : true;
    axis = how == S_HORIZONTAL && tensor_ndim(t) > 1 ? 1 : axis;
    Call call = { .args = 3 };
    call.arg[0] = arg_t(t);
    call.arg[2] = arg_i(axis);
    bool by_number = value_is_int(arg[1]);
    if (ok && by_number) {
        ok = value_index(s, arg[1], "sections", &parts, err) && (parts > 0 || err_set(err, ERR_VALUE, "number sections must be larger than 0."));
        if (ok && how != S_ARRAY && tensor_shape(t)[axis] % parts)
            ok = err_set(err, ERR_VALUE, "array split does not result in an equal division");
        call.arg[1] = arg_i(parts);
    } else if (ok) {
        ok = np_shape(s, arg[1], &cuts, at, err);
        call.arg[1] = arg_ints(ok ? cuts : 0, at);
    }
    if (ok && (ok = np_call(s, by_number ? OP_tensor_split : OP_tensor_split_at, &call, err))) {
        List *list = list_new(s, call.many_count, err);
        for (int k = 0; k < call.many_count; k++) {
            ok = ok && list && list_append(s, list, array_take(call.many[k]), err);
            tensor_release(call.many[k]);
        }
        mem_free(s->heap, call.many);
        *out = list ? value_object_take(list) : value_unset();
    }
    tensor_release(t);
    return ok;
}

/* append(a, b) makes a new array, as concatenate does: nothing is added to a. */
NATIVE(np_append)
{
    Tuple *both = tuple_new(s, 2, err);
    if (!both)
        return *out = value_unset(), false;
    both->item[0] = value_retain(arg[0]);
    both->item[1] = value_retain(arg[1]);
    Value args[3] = { { V_INT, { .i = J_CONCATENATE } }, value_object_take(both), arg[2] };
    bool ok = np_join(s, self, args + 1, out, err);
    object_release(&both->head);
    return ok;
}

/* Each element less the one before it. */
NATIVE(np_diff)
{
    int axis = 0;
    int64_t times;
    (void)self;
    *out = value_unset();
    Tensor *t = value_index(s, arg[1], "n", &times, err) ? np_array(s, arg[0], DT_NONE, err) : NULL;
    bool ok = t && np_axis(s, arg[2], tensor_ndim(t), &axis, err) && (times >= 0 || err_set(err, ERR_VALUE, "order must be non-negative"));
    for (; ok && times > 0 && tensor_shape(t)[axis] > 0; times--) {
        int64_t n = tensor_shape(t)[axis] - 1;
        Tensor *later = np_op(s, OP_narrow, 4, (Arg[]){ arg_t(t), arg_i(axis), arg_i(1), arg_i(n) }, err);
        Tensor *earlier = later ? np_op(s, OP_narrow, 4, (Arg[]){ arg_t(t), arg_i(axis), arg_i(0), arg_i(n) }, err) : NULL;
        Tensor *apart = earlier ? np_op(s, tensor_dtype(t) == DT_BOOL ? OP_ne : OP_sub, 2, (Arg[]){ arg_t(later), arg_t(earlier) }, err) : NULL;
        tensor_release(later);
        tensor_release(earlier);
        tensor_release(t);
        t = apart;
        ok = t;
    }
    if (ok)
        return array_out(t, out);
    tensor_release(t);
    return false;
}

enum { F_ARGWHERE, F_ISIN, F_BINCOUNT };

NATIVE(np_find)
{
    static const OpId ids[] = { OP_argwhere, OP_isin, OP_bincount };
    int what = (int)arg[-1].i;
    (void)self;
    *out = value_unset();
    Tensor *t = np_array(s, arg[0], DT_NONE, err), *other = NULL, *made = NULL;
    if (t && what == F_ISIN)
        other = np_array(s, arg[1], tensor_dtype(t), err);
    if (t && (what != F_ISIN || other))
        made = np_op(s, ids[what], what == F_ISIN ? 2 : 1, (Arg[]){ arg_t(t), other ? arg_t(other) : arg_none() }, err);
    tensor_release(t);
    tensor_release(other);
    return array_or_scalar(s, made, out, err);
}

/* ---- one array turned or repeated ------------------------------------------------------------------------------- */
NATIVE(np_flip)
{
    uint64_t mask;
    int64_t dims[64];
    int n = 0, fixed = (int)arg[-1].i;
    (void)self;
    *out = value_unset();
    Tensor *t = np_array(s, arg[0], DT_NONE, err), *made = NULL;
    if (t && np_axes(s, fixed < 0 ? arg[1] : int_new(s, fixed), tensor_ndim(t), &mask, err)) {
        for (int d = 0; d < tensor_ndim(t); d++)
            if (mask >> d & 1)
                dims[n++] = d;
        made = np_op(s, OP_flip, 2, (Arg[]){ arg_t(t), arg_ints(n, dims) }, err);
    }
    tensor_release(t);
    return array_out(made, out);
}

NATIVE(np_roll)
{
    int64_t shift;
    int axis = 0;
    (void)self;
    *out = value_unset();
    if (!value_index(s, arg[1], "shift", &shift, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err), *made = NULL;
    bool whole = value_is_none(arg[2]);
    if (t && (whole || np_axis(s, arg[2], tensor_ndim(t), &axis, err)))
        made = np_op(s, OP_roll, 3, (Arg[]){ arg_t(t), arg_ints(1, &shift), whole ? arg_none() : arg_ints(1, (int64_t[]){ axis }) }, err);
    tensor_release(t);
    return array_out(made, out);
}

enum { X_TILE, X_EXPAND_DIMS, X_BROADCAST };

NATIVE(np_expand)
{
    static const OpId ids[] = { OP_tile, OP_unsqueeze, OP_expand };
    int what = (int)arg[-1].i, n, axis;
    int64_t shape[64];
    (void)self;
    *out = value_unset();
    Tensor *t = np_array(s, arg[0], DT_NONE, err), *made = NULL;
    if (t && what == X_EXPAND_DIMS && np_axis(s, arg[1], tensor_ndim(t) + 1, &axis, err))
        made = np_op(s, ids[what], 2, (Arg[]){ arg_t(t), arg_i(axis) }, err);
    else if (t && what != X_EXPAND_DIMS && np_shape(s, arg[1], &n, shape, err))
        made = np_op(s, ids[what], 2, (Arg[]){ arg_t(t), arg_ints(n, shape) }, err);
    if (made && what == X_BROADCAST)
        ((Object *)made)->flags |= ARRAY_READ_ONLY;
    tensor_release(t);
    return array_out(made, out);
}

NATIVE(np_moveaxis)
{
    int64_t from, to;
    (void)self;
    *out = value_unset();
    if (!value_index(s, arg[1], "source", &from, err) || !value_index(s, arg[2], "destination", &to, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Tensor *made = t ? np_op(s, OP_movedim, 3, (Arg[]){ arg_t(t), arg_ints(1, &from), arg_ints(1, &to) }, err) : NULL;
    tensor_release(t);
    return array_out(made, out);
}

enum { A1D = 1, A2D, A3D };

NATIVE(np_atleast)
{
    static const OpId ids[] = { 0, OP_atleast_1d, OP_atleast_2d, OP_atleast_3d };
    (void)self;
    *out = value_unset();
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Tensor *made = t ? np_op(s, ids[arg[-1].i], 1, (Arg[]){ arg_t(t) }, err) : NULL;
    tensor_release(t);
    return array_out(made, out);
}

/* ---- sorting ------------------------------------------------------------------------------------------------------- */
NATIVE(np_sort)
{
    int64_t axis = -1;
    (void)self;
    *out = value_unset();
    if (!value_is_none(arg[1]) && !value_index(s, arg[1], "axis", &axis, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Call call = { .args = 4 };
    call.arg[0] = t ? arg_t(t) : arg_none();
    call.arg[1] = arg_i(axis);
    call.arg[2] = arg_b(false);
    call.arg[3] = arg_b(true);
    bool ok = t && np_call(s, OP_sort, &call, err);
    tensor_release(t);
    if (!ok)
        return false;
    tensor_release(call.out[1]);
    return array_out(call.out[0], out);
}

NATIVE(np_unique)
{
    bool index, inverse, counts;
    (void)self;
    *out = value_unset();
    if (!value_truth(s, arg[1], &index, err) || !value_truth(s, arg[2], &inverse, err) || !value_truth(s, arg[3], &counts, err))
        return false;
    if (index)
        return err_set(err, ERR_NOT_IMPLEMENTED, "unique(return_index=True) is not supported by Locus");
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    Call call = { .args = 4 };
    call.arg[0] = t ? arg_t(t) : arg_none();
    call.arg[1] = arg_b(true);
    call.arg[2] = arg_b(inverse);
    call.arg[3] = arg_b(counts);
    bool ok = t && np_call(s, OP_unique, &call, err) && op_result(s, OP_unique, &call, out, err);
    tensor_release(t);
    return ok;
}

/* ---- products ------------------------------------------------------------------------------------------------------- */
NATIVE(np_matmul_row)
{
    (void)self;
    return np_matmul(s, arg[0], arg[1], out, err);
}

enum { P_INNER, P_OUTER, P_CROSS, P_KRON };

NATIVE(np_product)
{
    static const OpId ids[] = { OP_inner, OP_outer, OP_cross, OP_kron };
    int what = (int)arg[-1].i;
    Tensor *t[2] = { NULL, NULL }, *cast[2] = { NULL, NULL }, *made = NULL;
    (void)self;
    *out = value_unset();
    for (int k = 0; k < 2 && (k == 0 || t[0]); k++) {
        t[k] = np_array(s, arg[k], DT_NONE, err);
        if (t[k] && what == P_OUTER && tensor_ndim(t[k]) != 1) {
            Tensor *flat = np_op(s, OP_reshape, 2, (Arg[]){ arg_t(t[k]), arg_ints(1, (int64_t[]){ -1 }) }, err);
            tensor_release(t[k]);
            t[k] = flat;
        }
    }
    if (t[0] && t[1]) {
        DType common = np_promote(tensor_dtype(t[0]), tensor_dtype(t[1]));
        cast[0] = np_cast(s, t[0], common, err);
        cast[1] = cast[0] ? np_cast(s, t[1], common, err) : NULL;
        made = cast[1] ? np_op(s, ids[what], 2, (Arg[]){ arg_t(cast[0]), arg_t(cast[1]) }, err) : NULL;
    }
    for (int k = 0; k < 2; k++) {
        tensor_release(t[k]);
        tensor_release(cast[k]);
    }
    return array_or_scalar(s, made, out, err);
}

NATIVE(np_einsum)
{
    Str *equation;
    int n;
    (void)self;
    *out = value_unset();
    if (!want_str(arg[0], "einsum()'s subscripts", &equation, err))
        return false;
    Tensor **t = arrays_of(s, arg[1], &n, err);
    Tensor *made = t ? np_op(s, OP_einsum, 2, (Arg[]){ { .kind = ARG_STR, .str = equation->s }, { .kind = ARG_TENSORS, .n = n, .tensors = t } }, err) : NULL;
    if (t)
        arrays_free(s, t, n);
    return array_or_scalar(s, made, out, err);
}

/* ---- np.linalg --------------------------------------------------------------------------------------------------------- */
enum { LA_INV, LA_DET, LA_SOLVE, LA_POWER };

NATIVE(linalg_one)
{
    static const OpId ids[] = { OP_inv, OP_det, OP_solve, OP_matrix_power };
    int what = (int)arg[-1].i;
    int64_t power = 0;
    (void)self;
    *out = value_unset();
    if (what == LA_POWER && !value_index(s, arg[1], "n", &power, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err), *b = NULL, *made = NULL;
    DType in = t && dtype_kind(tensor_dtype(t)) != DKIND_FLOAT && what != LA_POWER ? DT_F64 : t ? tensor_dtype(t) : DT_F64;
    Tensor *cast = t ? np_cast(s, t, in, err) : NULL;
    if (cast && what == LA_SOLVE)
        b = np_array(s, arg[1], in, err);
    if (cast && (what != LA_SOLVE || b))
        made = np_op(s, ids[what], what >= LA_SOLVE ? 2 : 1, (Arg[]){ arg_t(cast), b ? arg_t(b) : arg_i(power) }, err);
    tensor_release(t);
    tensor_release(cast);
    tensor_release(b);
    return array_or_scalar(s, made, out, err);
}

NATIVE(linalg_norm)
{
    uint64_t mask;
    int64_t dims[64];
    int n = 0;
    Number p = { .kind = DKIND_INT, .i = 2 };
    bool keepdims;
    (void)self;
    *out = value_unset();
    if (!value_truth(s, arg[3], &keepdims, err))
        return false;
    Tensor *t = np_array(s, arg[0], DT_NONE, err), *cast = NULL, *made = NULL;
    bool matrix = t && !value_is_none(arg[1]) && (value_is_none(arg[2]) ? tensor_ndim(t) == 2 : value_is(arg[2], TYPE_TUPLE));
    bool frobenius = matrix && value_is(arg[1], TYPE_STR) && !strcmp(((Str *)arg[1].object)->s, "fro");
    if (t && matrix && !frobenius) {
        err_set(err, ERR_NOT_IMPLEMENTED, "norms of matrices but the one of all elements are not supported by Locus");
    } else if (t && (frobenius || value_is_none(arg[1]) || value_to_number(arg[1], &p) || err_set(err, ERR_VALUE, "Invalid norm order for vectors."))
               && np_axes(s, arg[2], tensor_ndim(t), &mask, err)) {
        for (int d = 0; d < tensor_ndim(t); d++)
            if (mask >> d & 1)
                dims[n++] = d;
        cast = np_cast(s, t, dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? tensor_dtype(t) : DT_F64, err);
        made = cast ? np_op(s, OP_vector_norm, 4, (Arg[]){ arg_t(cast), arg_number(p), arg_ints(n, dims), arg_b(keepdims) }, err) : NULL;
    }
    tensor_release(t);
    tensor_release(cast);
    return array_or_scalar(s, made, out, err);
}

const NativeRow linalg_numpy_rows[] = {
    { "norm", linalg_norm, "x, ord = None, axis = None, keepdims: bool = False", 0, NULL },
    { "inv", linalg_one, "a", LA_INV, NULL },
    { "det", linalg_one, "a", LA_DET, NULL },
    { "solve", linalg_one, "a, b", LA_SOLVE, NULL },
    { "matrix_power", linalg_one, "a, n", LA_POWER, NULL },
    { 0 },
};

const NativeRow join_rows[] = {
    { "concatenate", np_join, "arrays, axis = 0", J_CONCATENATE, "Arrays one behind the other along a dimension: a copy." },
    { "stack", np_join, "arrays, axis = 0", J_STACK, "Arrays along a new dimension: a copy." },
    { "vstack", np_join, "tup", J_VSTACK, NULL },
    { "hstack", np_join, "tup", J_HSTACK, NULL },
    { "column_stack", np_join, "tup", J_COLUMNS, NULL },
    { "split", np_split, "ary, indices_or_sections, axis = 0", S_SPLIT, "Views of the parts." },
    { "array_split", np_split, "ary, indices_or_sections, axis = 0", S_ARRAY, NULL },
    { "vsplit", np_split, "ary, indices_or_sections", S_VERTICAL, NULL },
    { "hsplit", np_split, "ary, indices_or_sections", S_HORIZONTAL, NULL },
    { "append", np_append, "arr, values, axis = None", 0, "A new array with the values behind those of the first." },
    { "diff", np_diff, "a, n = 1, axis = -1", 0, "Each element less the one before." },
    { "argwhere", np_find, "a", F_ARGWHERE, NULL },
    { "isin", np_find, "element, test_elements", F_ISIN, NULL },
    { "bincount", np_find, "x", F_BINCOUNT, NULL },
    { "flip", np_flip, "m, axis = None", -1, "The elements in the other order: a copy, where NumPy makes a view." },
    { "flipud", np_flip, "m", 0, NULL },
    { "fliplr", np_flip, "m", 1, NULL },
    { "roll", np_roll, "a, shift, axis = None", 0, NULL },
    { "tile", np_expand, "A, reps", X_TILE, NULL },
    { "expand_dims", np_expand, "a, axis", X_EXPAND_DIMS, NULL },
    { "broadcast_to", np_expand, "array, shape", X_BROADCAST, "A view that must not be written." },
    { "moveaxis", np_moveaxis, "a, source, destination", 0, NULL },
    { "atleast_1d", np_atleast, "a", A1D, NULL },
    { "atleast_2d", np_atleast, "a", A2D, NULL },
    { "atleast_3d", np_atleast, "a", A3D, NULL },
    { "sort", np_sort, "a, axis = -1", 0, "A sorted copy." },
    { "unique", np_unique, "ar, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False", 0, NULL },
    { "matmul", np_matmul_row, "x1, x2, /", 0, NULL },
    { "inner", np_product, "a, b", P_INNER, NULL },
    { "outer", np_product, "a, b", P_OUTER, NULL },
    { "cross", np_product, "a, b", P_CROSS, NULL },
    { "kron", np_product, "a, b", P_KRON, NULL },
    { "vdot", np_product, "a, b", P_INNER, NULL },
    { "einsum", np_einsum, "subscripts, *operands", 0, NULL },
    { 0 },
};
