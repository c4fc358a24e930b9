/*
 * shape.c - arrays in another shape, order or dtype: views where NumPy makes views, copies where it copies; and an array's own
 * methods.
 */
#include "lang/numpy/numpy.h"

static bool one(Session *s, Value v, OpId id, int n, Arg *arg, Value *out, Err *err)
{
    Tensor *t = np_array(s, v, DT_NONE, err);
    *out = value_unset();
    if (!t)
        return false;
    arg[0] = arg_t(t);
    Tensor *made = np_op(s, id, n, arg, err);
    if (made && ((Object *)t)->flags & ARRAY_READ_ONLY && tensor_storage(made) == tensor_storage(t))
        ((Object *)made)->flags |= ARRAY_READ_ONLY;
    tensor_release(t);
    return array_out(made, out);
}

static bool row_major(Value order, Err *err)
{
    if (value_is_none(order) || (value_is(order, TYPE_STR) && strchr("CKA", ((Str *)order.object)->s[0])))
        return true;
    err_set(err, ERR_NOT_IMPLEMENTED, "another order of elements than 'C' is not supported by Locus");
    return err_hint(err, "a.T.reshape(…).T reads column by column");
}

/* reshape(2, 3), reshape((2, 3)), np.reshape(a, (2, 3)). */
NATIVE(np_reshape)
{
    THE_ARRAY;
    int64_t shape[64], known = 1;
    int ndim, open = -1;
    Value wanted = arg[0];
    if (value_is(wanted, TYPE_TUPLE) && !value_is_unset(self) && ((Tuple *)wanted.object)->n == 1 && !value_is_int(((Tuple *)wanted.object)->item[0]))
        wanted = ((Tuple *)wanted.object)->item[0];
    if (!row_major(arg[1], err) || !np_shape(s, wanted, &ndim, shape, err))
        return false;
    Tensor *t = np_array(s, first, DT_NONE, err);
    if (!t)
        return false;
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            open = open < 0 ? d : 64;
        else
            known *= shape[d];
    int64_t n = tensor_numel(t);
    if (open == 64 || (open < 0 ? known != n : known == 0 || n % known)) {
        Text text = { 0 };
        if (open == 0 && ndim > 1) {                    /* NumPy leaves an open first size out */
            np_shape_text(&text, ndim - 1, shape + 1);
            if (ndim == 2 && text.n > 2)
                text.n -= 2, text_char(&text, ')');
        } else
            np_shape_text(&text, ndim, shape);
        if (open == 64)
            err_set(err, ERR_VALUE, "can only specify one unknown dimension");
        else
            err_set(err, ERR_VALUE, "cannot reshape array of size %lld into shape %s", (long long)n, text_end(&text) ? text.s : "");
        text_free(&text);
        tensor_release(t);
        return false;
    }
    bool ok = one(s, array_take(t), OP_reshape, 2, (Arg[]){ arg_none(), arg_ints(ndim, shape) }, out, err);
    tensor_release(t);
    return ok;
}

/* ravel is a view where it can be, flatten always a copy. */
NATIVE(np_flat)
{
    bool copy = arg[-1].i;
    THE_ARRAY;
    Value flat;
    if (!row_major(arg[0], err))
        return false;
    if (!one(s, first, OP_reshape, 2, (Arg[]){ arg_none(), arg_ints(1, (int64_t[]){ -1 }) }, &flat, err))
        return *out = value_unset(), false;
    if (!copy || !value_is_array(first) || tensor_storage(value_tensor(flat)) != tensor_storage(value_tensor(first)))
        return *out = flat, true;
    bool ok = one(s, flat, OP_clone, 1, (Arg[1]){ arg_none() }, out, err);
    value_release(flat);
    return ok;
}

NATIVE(np_transpose)
{
    THE_ARRAY;
    int64_t dims[64];
    int n, axis;
    Value axes = arg[0];
    if (value_is(axes, TYPE_TUPLE) && !value_is_unset(self)) {
        const Tuple *given = (Tuple *)axes.object;
        axes = given->n == 0 ? value_none() : given->n == 1 && !value_is_int(given->item[0]) ? given->item[0] : axes;
    }
    if (value_is_none(axes))
        return one(s, first, OP_T, 1, (Arg[1]){ arg_none() }, out, err);
    Tensor *t = np_array(s, first, DT_NONE, err);
    bool ok = t && np_shape(s, axes, &n, dims, err)
           && (n == tensor_ndim(t) || err_set(err, ERR_VALUE, "axes don't match array"));
    for (int d = 0; ok && d < n; d++) {
        ok = np_axis(s, int_new(s, dims[d]), n, &axis, err);
        dims[d] = ok ? axis : 0;
    }
    ok = ok && one(s, array_take(t), OP_permute, 2, (Arg[]){ arg_none(), arg_ints(n, dims) }, out, err);
    tensor_release(t);
    return ok;
}

NATIVE(np_swapaxes)
{
    THE_ARRAY;
    int64_t x, y;
    return value_index(s, arg[0], "axis1", &x, err) && value_index(s, arg[1], "axis2", &y, err)
        && one(s, first, OP_swapaxes, 3, (Arg[]){ arg_none(), arg_i(x), arg_i(y) }, out, err);
}

NATIVE(np_squeeze)
{
    THE_ARRAY;
    uint64_t mask;
    int64_t dims[64];
    int n = 0;
    if (value_is_none(arg[0]))
        return one(s, first, OP_squeeze, 1, (Arg[1]){ arg_none() }, out, err);
    Tensor *t = np_array(s, first, DT_NONE, err);
    bool ok = t && np_axes(s, arg[0], tensor_ndim(t), &mask, err);
    for (int d = 0; ok && d < tensor_ndim(t); d++)
        if (mask >> d & 1) {
            ok = tensor_shape(t)[d] == 1 || err_set(err, ERR_VALUE, "cannot select an axis to squeeze out which has size not equal to one");
            dims[n++] = d;
        }
    ok = ok && one(s, array_take(t), OP_squeeze, 2, (Arg[]){ arg_none(), arg_ints(n, dims) }, out, err);
    tensor_release(t);
    return ok;
}

NATIVE(np_repeat)
{
    THE_ARRAY;
    int64_t times;
    int axis = 0;
    if (!value_index(s, arg[0], "repeats", &times, err))
        return false;
    if (times < 0)
        return err_set(err, ERR_VALUE, "repeats may not contain negative values.");
    Tensor *t = np_array(s, first, DT_NONE, err);
    bool ok = t && (value_is_none(arg[1]) || np_axis(s, arg[1], tensor_ndim(t), &axis, err))
           && one(s, array_take(t), OP_repeat_interleave, 3, (Arg[]){ arg_none(), arg_i(times), value_is_none(arg[1]) ? arg_none() : arg_i(axis) }, out, err);
    tensor_release(t);
    return ok;
}

NATIVE(np_clip)
{
    THE_ARRAY;
    Value low = value_unset();
    OpId maximum = OP_maximum, minimum = OP_minimum;
    if (value_is_none(arg[0]) && value_is_none(arg[1]))
        return one(s, first, OP_clone, 1, (Arg[1]){ arg_none() }, out, err);
    if (!value_is_none(arg[0]) && !np_binary(s, maximum, RULE_SAME, first, arg[0], value_is_none(arg[1]) ? arg[2] : value_unset(), &low, err))
        return false;
    if (value_is_none(arg[1]))
        return *out = low, true;
    bool ok = np_binary(s, minimum, RULE_SAME, value_is_unset(low) ? first : low, arg[1], arg[2], out, err);
    value_release(low);
    return ok;
}

NATIVE(np_round)
{
    THE_ARRAY;
    int64_t decimals;
    if (!value_index(s, arg[0], "decimals", &decimals, err))
        return false;
    Tensor *t = np_array(s, first, DT_NONE, err);
    Tensor *made = !t ? NULL : decimals && dtype_kind(tensor_dtype(t)) == DKIND_FLOAT
                 ? np_op(s, OP_round_to, 2, (Arg[]){ arg_t(t), arg_i(decimals) }, err)
                 : np_op(s, dtype_kind(tensor_dtype(t)) == DKIND_FLOAT ? OP_round : OP_clone, 1, (Arg[]){ arg_t(t) }, err);
    tensor_release(t);
    return array_or_scalar(s, made, out, err);
}

NATIVE(np_nonzero)
{
    THE_ARRAY;
    (void)arg;
    Tensor *t = np_array(s, first, DT_NONE, err);
    Call call = { .args = 2 };
    call.arg[0] = t ? arg_t(t) : arg_none();
    call.arg[1] = arg_b(true);
    bool ok = t && np_call(s, OP_nonzero_tuple, &call, err) && op_result(s, OP_nonzero_tuple, &call, out, err);
    tensor_release(t);
    return ok;
}

NATIVE(np_diagonal)
{
    THE_ARRAY;
    int64_t offset;
    if (!value_index(s, arg[0], "offset", &offset, err) || !one(s, first, OP_diagonal, 4, (Arg[]){ arg_none(), arg_i(offset), arg_i(0), arg_i(1) }, out, err))
        return false;
    out->object->flags |= ARRAY_READ_ONLY;
    return true;
}

NATIVE(np_trace)
{
    THE_ARRAY;
    (void)arg;
    Value diagonal;
    if (!one(s, first, OP_diagonal, 4, (Arg[]){ arg_none(), arg_i(0), arg_i(0), arg_i(1) }, &diagonal, err))
        return false;
    Tensor *t = value_tensor(diagonal);
    Tensor *sum = np_sum(s, t, (uint64_t)1 << (tensor_ndim(t) - 1), false, DT_NONE, err);
    value_release(diagonal);
    return array_or_scalar(s, sum, out, err);
}

NATIVE(np_argsort)
{
    THE_ARRAY;
    int64_t axis = -1;
    (void)err;
    if (!value_is_none(arg[0]) && !value_index(s, arg[0], "axis", &axis, err))
        return false;
    return one(s, first, OP_argsort, 4, (Arg[]){ arg_none(), arg_i(axis), arg_b(false), arg_b(true) }, out, err);
}

NATIVE(np_take)
{
    THE_ARRAY;
    int axis = 0;
    Tensor *t = np_array(s, first, DT_NONE, err), *index = t ? np_array(s, arg[0], DT_I64, err) : NULL, *made = NULL;
    Tensor *flat = index ? np_op(s, OP_reshape, 2, (Arg[]){ arg_t(index), arg_ints(1, (int64_t[]){ -1 }) }, err) : NULL;
    if (flat && value_is_none(arg[1]))
        made = np_op(s, OP_take, 2, (Arg[]){ arg_t(t), arg_t(index) }, err);
    else if (flat && np_axis(s, arg[1], tensor_ndim(t), &axis, err))
        made = tensor_ndim(index) > 1 ? (err_set(err, ERR_NOT_IMPLEMENTED, "take() along an axis takes a list of indices"), NULL)
             : np_op(s, OP_index_select, 3, (Arg[]){ arg_t(t), arg_i(axis), arg_t(flat) }, err);
    tensor_release(t);
    tensor_release(index);
    tensor_release(flat);
    return array_or_scalar(s, made, out, err);
}

NATIVE(np_dot)
{
    THE_ARRAY;
    Tensor *a = np_array(s, first, DT_NONE, err), *b = a ? np_array(s, arg[0], DT_NONE, err) : NULL;
    bool ok = b;
    if (b && (!tensor_ndim(a) || !tensor_ndim(b)))
        ok = np_binary(s, OP_mul, RULE_SAME, array_take(a), array_take(b), value_unset(), out, err);
    else if (b) {
        int na = tensor_ndim(a), nb = tensor_ndim(b), axis = nb > 1 ? nb - 2 : 0;
        if (tensor_shape(a)[na - 1] != tensor_shape(b)[axis]) {
            Text text = { 0 };
            np_shape_text(&text, na, tensor_shape(a));
            text_put(&text, " and ");
            np_shape_text(&text, nb, tensor_shape(b));
            ok = err_set(err, ERR_VALUE, "shapes %s not aligned: %lld (dim %d) != %lld (dim %d)", text_end(&text) ? text.s : "",
                         (long long)tensor_shape(a)[na - 1], na - 1, (long long)tensor_shape(b)[axis], axis);
            text_free(&text);
        } else if (nb > 2) {
            ok = err_set(err, ERR_NOT_IMPLEMENTED, "dot() with an array of %d dimensions is not supported by Locus", nb);
            err_hint(err, "a @ b multiplies stacks of matrices");
        } else
            ok = np_matmul(s, array_take(a), array_take(b), out, err);
    }
    tensor_release(a);
    tensor_release(b);
    return ok;
}

NATIVE(np_copy)
{
    THE_ARRAY;
    (void)arg;
    return one(s, first, OP_clone, 1, (Arg[1]){ arg_none() }, out, err);
}

NATIVE(np_searchsorted)
{
    THE_ARRAY;
    bool right = value_is(arg[1], TYPE_STR) && !strcmp(((Str *)arg[1].object)->s, "right");
    Tensor *t = np_array(s, first, DT_NONE, err), *v = t ? np_array(s, arg[0], DT_NONE, err) : NULL, *made = NULL;
    DType common = v ? np_promote(tensor_dtype(t), tensor_dtype(v)) : DT_NONE;
    Tensor *x = v ? np_cast(s, t, common, err) : NULL, *y = x ? np_cast(s, v, common, err) : NULL;
    if (y)
        made = np_op(s, OP_searchsorted, 3, (Arg[]){ arg_t(x), arg_t(y), arg_b(right) }, err);
    tensor_release(t);
    tensor_release(v);
    tensor_release(x);
    tensor_release(y);
    return array_or_scalar(s, made, out, err);
}

#define SHAPE_TABLE(A)                                                                                                   \
    { "ravel", np_flat, A "order = None", 0, "In one dimension: a view where that is possible." },                       \
    { "squeeze", np_squeeze, A "axis = None", 0, "Without the dimensions of size 1." },                                  \
    { "swapaxes", np_swapaxes, A "axis1, axis2", 0, NULL },                                                              \
    { "repeat", np_repeat, A "repeats, axis = None", 0, NULL },                                                          \
    { "nonzero", np_nonzero, A, 0, "The positions of what is not zero, an array for each dimension." },                  \
    { "diagonal", np_diagonal, A "offset = 0", 0, NULL },                                                                \
    { "trace", np_trace, A, 0, NULL },                                                                                   \
    { "argsort", np_argsort, A "axis = -1", 0, "The positions that would sort it." },                                    \
    { "take", np_take, A "indices, axis = None", 0, NULL },                                                              \
    { "dot", np_dot, A "b", 0, "The product of vectors or matrices." },                                                  \
    { "searchsorted", np_searchsorted, A "v, side = 'left'", 0, NULL }

const NativeRow shape_methods[] = {
    SHAPE_TABLE(""),
    { "reshape", np_reshape, "*shape, order = None", 0, "In another shape: a view where that is possible." },
    { "transpose", np_transpose, "*axes", 0, "A view with the dimensions in another order." },
    { "flatten", np_flat, "order = None", 1, "A copy in one dimension." },
    { "copy", np_copy, "order = None", 0, "A copy with elements of its own." },
    { "clip", np_clip, "min = None, max = None, out = None", 0, NULL },
    { "round", np_round, "decimals = 0", 0, NULL },
    { 0 },
};
const NativeRow shape_rows[] = {
    SHAPE_TABLE("a, "),
    { "reshape", np_reshape, "a, shape, order = None", 0, "In another shape: a view where that is possible." },
    { "transpose", np_transpose, "a, axes = None", 0, "A view with the dimensions in another order." },
    { "copy", np_copy, "a, order = None", 0, "A copy with elements of its own." },
    { "clip", np_clip, "a, a_min|min = None, a_max|max = None, out = None", 0, NULL },
    { "round", np_round, "a, decimals = 0", 0, NULL },
    { "around", np_round, "a, decimals = 0", 0, NULL },
    { 0 },
};

/* ---- methods of arrays alone ------------------------------------------------------------------------------------------ */
NATIVE(array_astype)
{
    DType dtype;
    bool copy;
    if (!np_dtype_from(s, arg[0], &dtype, err) || !value_truth(s, arg[1], &copy, err))
        return false;
    Tensor *t = value_tensor(self);
    dtype = dtype == DT_NONE ? DT_F64 : dtype;
    return array_out(copy && dtype == tensor_dtype(t) ? np_op(s, OP_clone, 1, (Arg[]){ arg_t(t) }, err) : np_cast(s, t, dtype, err), out);
}

NATIVE(array_tolist)
{
    (void)arg;
    return tensor_to_list(s, value_tensor(self), out, err);
}

NATIVE(array_item)
{
    const Tuple *given = (Tuple *)arg[0].object;
    Value item, key = given->n == 1 ? given->item[0] : arg[0];
    Number number;
    Tensor *t = value_tensor(self);
    if (!given->n) {
        if (tensor_numel(t) != 1)
            return err_set(err, ERR_VALUE, "can only convert an array of size 1 to a Python scalar");
        return tensor_item(t, &number, err) && (*out = number_to_value(s, number), true);
    }
    Tensor *flat = given->n == 1 && tensor_ndim(t) != 1 ? np_op(s, OP_reshape, 2, (Arg[]){ arg_t(t), arg_ints(1, (int64_t[]){ -1 }) }, err) : tensor_retain(t);
    bool ok = flat && type_ndarray.get_item(s, array_take(flat), key, &item, err);
    if (ok && !value_to_number(item, &number))
        ok = err_set(err, ERR_VALUE, "incorrect number of indices for array");
    if (ok)
        *out = number_to_value(s, number);
    if (ok)
        value_release(item);
    tensor_release(flat);
    return ok;
}

NATIVE(array_fill)
{
    *out = value_none();
    return type_ndarray.set_item(s, self, (Value){ V_ELLIPSIS, { 0 } }, arg[0], err);
}

NATIVE(array_view)
{
    DType dtype;
    if (!np_dtype_from(s, arg[0], &dtype, err))
        return false;
    if (dtype == DT_NONE)
        return array_out(np_op(s, OP_alias, 1, (Arg[]){ arg_t(value_tensor(self)) }, err), out);
    return array_out(np_op(s, OP_view_dtype, 2, (Arg[]){ arg_t(value_tensor(self)), arg_dtype(dtype) }, err), out);
}

/* Sorting in place: the sorted elements are written back. */
NATIVE(array_sort)
{
    int64_t axis;
    Tensor *t = value_tensor(self);
    if (!value_index(s, arg[0], "axis", &axis, err) || !np_writable(t, err))
        return false;
    Call call = { .args = 4 };
    call.arg[0] = arg_t(t);
    call.arg[1] = arg_i(axis);
    call.arg[2] = arg_b(false);
    call.arg[3] = arg_b(true);
    if (!np_call(s, OP_sort, &call, err))
        return false;
    bool ok = type_ndarray.set_item(s, self, (Value){ V_ELLIPSIS, { 0 } }, array_take(call.out[0]), err);
    tensor_release(call.out[0]);
    tensor_release(call.out[1]);
    *out = value_none();
    return ok;
}

NATIVE(array_self)
{
    DType dtype;
    return np_dtype_from(s, arg[0], &dtype, err) && array_out(np_cast(s, value_tensor(self), dtype, err), out);
}

NATIVE(array_abs)
{
    (void)arg;
    return np_unary(s, OP_abs, RULE_SAME, self, value_unset(), out, err);
}

const NativeRow array_methods[] = {
    { "astype", array_astype, "dtype, copy: bool = True", 0, "A copy in another dtype." },
    { "tolist", array_tolist, "", 0, "Its elements as nested lists." },
    { "item", array_item, "*args", 0, "An element as a Python number." },
    { "fill", array_fill, "value", 0, "Writes one number into all elements." },
    { "view", array_view, "dtype = None", 0, "Another array over the same elements." },
    { "sort", array_sort, "axis = -1", 0, "Sorts it in place." },
    { "__array__", array_self, "dtype = None", 0, NULL },
    { "__abs__", array_abs, "", 0, NULL },
    { 0 },
};
