/*
 * array.c - ndarrays as objects of the language: operators, items, attributes.
 */
#include "lang/numpy/numpy.h"

static Tensor *self_of(Value v) { return value_tensor(v); }

/* ---- operators ------------------------------------------------------------------------------------------------ */
/* ndarray + Tensor is no sum (Tensor + ndarray is one). */
static bool array_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Rule rule;
    err->kind = ERR_NONE;
    *out = not_implemented_value();
    if (value_is(b, TYPE_TENSOR) && (op != BIN_MATMUL || value_is_array(a)))
        return true;
    if (op == BIN_MATMUL && value_is(a, TYPE_TENSOR)) {         /* a Tensor @ an array is a Tensor */
        if (!np_matmul(s, a, b, out, err))
            return false;
        Tensor *product = np_array(s, *out, DT_NONE, err);
        value_release(*out);
        if (product)
            ((Object *)product)->type = TYPE_TENSOR;
        return array_out(product, out);
    }
    if (op == BIN_MATMUL) {
        if ( (!value_is_array(a) && !value_is(a, TYPE_LIST)) || (!value_is_array(b) && !value_is(b, TYPE_LIST)))
            return true;
        return np_matmul(s, a, b, out, err);
    }
    OpId id = np_binary_op(op, &rule);
    return np_binary(s, id, rule, a, b, value_unset(), out, err);
}

static bool array_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Rule rule;
    if (!value_is_array(a) || op == BIN_MATMUL) {
        *out = not_implemented_value();
        return true;
    }
    return np_inplace(s, np_binary_op(op, &rule), op, a, b, out, err);
}

static bool array_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    if (op == UN_POS)
        return array_out(np_op(s, OP_clone, 1, (Arg[]){ arg_t(self_of(a)) }, err), out);
    return np_unary(s, op == UN_NEG ? OP_neg : OP_bitwise_not, RULE_SAME, a, value_unset(), out, err);
}

static bool array_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    static const OpId ids[] = {
        [CMP_LT] = OP_lt, [CMP_LE] = OP_le, [CMP_EQ] = OP_eq, [CMP_NE] = OP_ne, [CMP_GT] = OP_gt, [CMP_GE] = OP_ge,
    };
    if (!np_binary(s, ids[op], RULE_TRUTH, a, b, value_unset(), out, err))
        return false;
    Value other = value_is_array(a) ? b : a;
    if (value_tag(*out) != V_NOT_IMPLEMENTED || (op != CMP_EQ && op != CMP_NE) || value_is(other, TYPE_INSTANCE))
        return true;
    Tensor *t = self_of(value_is_array(a) ? a : b);     /* None, a text: no element is equal to it */
    return array_or_scalar(s, np_op(s, OP_full, 3, (Arg[]){ arg_ints(tensor_ndim(t), tensor_shape(t)), arg_b(op == CMP_NE), arg_dtype(DT_BOOL) }, err), out, err);
}

static bool array_truth(Session *s, Value self, bool *truth, Err *err)
{
    Number number;
    (void)s;
    if (tensor_numel(self_of(self)) != 1)
        return err_set(err, ERR_VALUE, tensor_numel(self_of(self)) ? "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
                       : "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.");
    if (!tensor_item(self_of(self), &number, err))
        return false;
    *truth = number_as_double(number) != 0;
    return true;
}

/* ---- text ------------------------------------------------------------------------------------------------------ */
static bool array_repr(Session *s, Value self, Text *text, Err *err) { return array_text(s, self_of(self), true, text, err); }
static bool array_str(Session *s, Value self, Text *text, Err *err) { return array_text(s, self_of(self), false, text, err); }

static bool array_format(Session *s, Value self, const char *spec, size_t n, Text *text, Err *err)
{
    Number number;
    if (!n)
        return array_str(s, self, text, err);
    if (tensor_ndim(self_of(self)))
        return err_set(err, ERR_TYPE, "unsupported format string passed to numpy.ndarray.__format__");
    return tensor_item(self_of(self), &number, err) && value_format(s, number_to_value(s, number), spec, n, text, err);
}

static bool array_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)self, (void)hash;
    return err_set(err, ERR_TYPE, "unhashable type: 'numpy.ndarray'");
}

/* ---- items ----------------------------------------------------------------------------------------------------- */
static bool array_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s;
    if (!tensor_ndim(self_of(self)))
        return err_set(err, ERR_TYPE, "len() of unsized object");
    *length = tensor_shape(self_of(self))[0];
    return true;
}

/* An index of ints alone: how many, wrapped; -1: it is another, -2: err is set. */
static int plain_index(Session *s, const Tensor *t, Value key, int64_t *index, Err *err)
{
    Value *item = &key;
    int64_t n = 1;
    if (value_is(key, TYPE_TUPLE))
        item = ((Tuple *)key.object)->item, n = ((Tuple *)key.object)->n;
    if (n > 64)
        return -1;
    for (int64_t k = 0; k < n; k++) {
        bool whole = value_tag(item[k]) == V_INT || (value_is(item[k], TYPE_NPSCALAR) && ((NpScalar *)item[k].object)->number.kind == DKIND_INT);
        if (!whole || !value_index(s, item[k], "an index", &index[k], err))
            return -1;
    }
    if (n > tensor_ndim(t))
        return err_set(err, ERR_INDEX, "too many indices for array: array is %d-dimensional, but %lld were indexed", tensor_ndim(t), (long long)n), -2;
    for (int64_t k = 0; k < n; k++) {
        int64_t size = tensor_shape(t)[k];
        if (index[k] < -size || index[k] >= size)
            return err_set(err, ERR_INDEX, "index %lld is out of bounds for axis %lld with size %lld", (long long)index[k], (long long)k, (long long)size), -2;
        index[k] += index[k] < 0 ? size : 0;
    }
    return (int)n;
}

static bool has_back_step(const IndexList *list)
{
    for (int k = 0; k < list->n; k++)
        if (list->item[k].kind == INDEX_SLICE && list->item[k].step < 0)
            return true;
    return false;
}

static bool is_picking(const IndexList *list)
{
    for (int k = 0; k < list->n; k++)
        if (list->item[k].kind == INDEX_TENSOR || list->item[k].kind == INDEX_BOOL)
            return true;
    return false;
}

static bool read_key(Session *s, Value key, IndexList *list, Err *err)
{
    if (!index_from_value(s, key, list, err)) {
        np_error(err);
        if (err->kind != ERR_MEMORY)
            err_set(err, ERR_INDEX, "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices");
        return false;
    }
    if (!has_back_step(list))
        return true;
    index_free(list);
    err_set(err, ERR_NOT_IMPLEMENTED, "a view that steps backwards is not supported by Locus");
    return err_hint(err, "np.flip(a) makes a copy in the other order");
}

static bool array_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Tensor *t = self_of(self);
    IndexList list;
    int64_t index[64];
    *out = value_unset();
    if (value_is(key, TYPE_TENSOR) && tensor_numel(value_tensor(key)) == 1 && dtype_kind(tensor_dtype(value_tensor(key))) == DKIND_INT) {
        if (!value_index(s, key, "an index", index, err))
            return false;
        key = (Value){ V_INT, { .i = index[0] } };      /* NumPy asks it for a number */
    }
    int n = plain_index(s, t, key, index, err);
    if (n == -2)
        return false;
    if (n == tensor_ndim(t) && n > 0)
        return scalar_value(s, tensor_dtype(t), tensor_element(t, index), out, err);
    if (!read_key(s, key, &list, err))
        return false;
    Tensor *part = np_op(s, OP_index, 2, (Arg[]){ arg_t(t), { .kind = ARG_INDEX, .n = list.n, .index = list.item } }, err);
    bool whole = list.n == 0 || is_picking(&list);      /* a[()] and a[mask of a 0-d array] */
    index_free(&list);
    if (part && ((Object *)t)->flags & ARRAY_READ_ONLY && tensor_base(part))
        ((Object *)part)->flags |= ARRAY_READ_ONLY;
    if (!part && err->kind == ERR_VALUE)
        err->kind = ERR_INDEX;
    return whole && part && !tensor_ndim(part) ? array_or_scalar(s, part, out, err) : array_out(part, out);
}

static bool value_fits(Tensor *t, Value value, Err *err)
{
    DTypeInfo info;
    DType dtype = tensor_dtype(t);
    if (value_tag(value) != V_INT || dtype_kind(dtype) != DKIND_INT)
        return true;
    dtype_info(dtype, &info);
    return (value.i >= info.imin && value.i <= info.imax)
        || err_set(err, ERR_OVERFLOW, "Python integer %lld out of bounds for %s", (long long)value.i, dtype_name(dtype));
}

static bool set_number(Session *s, Tensor *t, const int64_t *index, int n, Number number, Err *err)
{
    IndexItem item[64];
    Call call;
    for (int k = 0; k < n; k++)
        item[k] = (IndexItem){ .kind = INDEX_INT, .start = index[k] };
    call.args = 3;
    call.inplace = true;
    call.given = call.outs = call.many_count = 0;
    memset(call.out, 0, sizeof call.out);
    call.arg[0] = arg_t(t);
    call.arg[1] = (Arg){ .kind = ARG_INDEX, .n = n, .index = item };
    call.arg[2] = arg_number(number);
    if (!np_call(s, OP_index_put_, &call, err))
        return false;
    tensor_release(call.out[0]);
    return true;
}

/* The values as an array of t's dtype where an index array picks, not the elements that are about to be written. */
static Tensor *values_for(Session *s, Tensor *t, const IndexList *list, Value value, Err *err)
{
    Tensor *values = np_array(s, value, DT_NONE, err);
    if (!values)
        return NULL;
    Tensor *made = is_picking(list) ? np_cast(s, values, tensor_dtype(t), err)
                 : tensor_storage(values) == tensor_storage(t) && tensor_overlap(values, t) ? np_op(s, OP_clone, 1, (Arg[]){ arg_t(values) }, err)
                 : tensor_retain(values);
    tensor_release(values);
    return made;
}

static bool array_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    Tensor *t = self_of(self);
    IndexList list;
    Number number;
    Call call;
    int64_t index[64];
    err->kind = ERR_NONE;
    if (!np_writable(t, err) || !value_fits(t, value, err))
        return false;
    bool plain = value_to_number(value, &number);
    int n = plain_index(s, t, key, index, err);
    if (n == -2)
        return false;
    if (n == tensor_ndim(t) && n > 0) {
        if (!plain) {
            Tensor *one = np_array(s, value, DT_NONE, err);
            bool single = one && (tensor_numel(one) == 1 || err_set(err, ERR_VALUE, "setting an array element with a sequence."))
                       && tensor_item(one, &number, err);
            tensor_release(one);
            if (!single)
                return false;
        }
        return set_number(s, t, index, n, number, err);
    }
    if (!read_key(s, key, &list, err))
        return false;
    Tensor *values = plain ? NULL : values_for(s, t, &list, value, err);
    bool ok = plain || values;
    if (ok) {
        call.args = 3;
        call.inplace = true;
        call.given = call.outs = call.many_count = 0;
        memset(call.out, 0, sizeof call.out);
        call.arg[0] = arg_t(t);
        call.arg[1] = (Arg){ .kind = ARG_INDEX, .n = list.n, .index = list.item };
        call.arg[2] = plain ? arg_number(number) : arg_t(values);
        if ((ok = np_call(s, OP_index_put_, &call, err)))
            tensor_release(call.out[0]);
    }
    index_free(&list);
    tensor_release(values);
    return ok;
}

static bool array_del_item(Session *s, Value self, Value key, Err *err)
{
    (void)s, (void)self, (void)key;
    return err_set(err, ERR_VALUE, "cannot delete array elements");
}

static bool array_iter(Session *s, Value self, Value *out, Err *err)
{
    Tensor *t = self_of(self);
    if (!tensor_ndim(t))
        return err_set(err, ERR_TYPE, "iteration over a 0-d array");
    List *items = list_new(s, tensor_shape(t)[0], err);
    bool ok = items;
    for (int64_t k = 0; ok && k < tensor_shape(t)[0]; k++) {
        Value item;
        ok = array_get_item(s, self, (Value){ V_INT, { .i = k } }, &item, err) && list_append(s, items, item, err);
        value_release(item);
    }
    ok = ok && value_iter(s, value_object_take(items), out, err);
    if (items)
        object_release(&items->head);
    return ok;
}

static bool array_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    Value equal;
    if (!array_compare(s, CMP_EQ, self, item, &equal, err))
        return false;
    *found = false;
    if (value_is_array(equal)) {
        Tensor *any = np_op(s, OP_any, 1, (Arg[]){ arg_t(value_tensor(equal)) }, err);
        Number truth;
        bool ok = any && tensor_item(any, &truth, err);
        *found = ok && truth.b;
        tensor_release(any);
        value_release(equal);
        return ok;
    }
    bool ok = value_tag(equal) == V_NOT_IMPLEMENTED || value_truth(s, equal, found, err);
    value_release(equal);
    return ok;
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */
typedef enum Flag { C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA, WRITEABLE, ALIGNED, WRITEBACK, FLAGS } Flag;
static const char *const flag_names[FLAGS] = { "C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY" };

static bool column_major(const Tensor *t)
{
    int64_t expected = 1;
    for (int d = 0; d < tensor_ndim(t); d++) {
        if (tensor_shape(t)[d] != 1 && tensor_strides(t)[d] != expected && tensor_numel(t))
            return false;
        expected *= tensor_shape(t)[d];
    }
    return true;
}

static bool flag_of(const Tensor *t, Flag flag)
{
    switch (flag) {
    case C_CONTIGUOUS: return tensor_is_contiguous(t);
    case F_CONTIGUOUS: return column_major(t);
    case OWNDATA: return !tensor_base(t) && !(((const Object *)t)->flags & ARRAY_SHARES);
    case WRITEABLE: return !(((const Object *)t)->flags & ARRAY_READ_ONLY);
    default: return flag == ALIGNED;
    }
}

static const Tensor *flags_owner(Value self) { return value_tensor(((NativeObject *)self.object)->held[0]); }

static bool flags_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    for (int k = 0; k < FLAGS; k++)
        text_print(text, "  %s : %s\n", flag_names[k], flag_of(flags_owner(self), (Flag)k) ? "True" : "False");
    return true;
}

static bool flags_find(Value self, const Str *name, bool upper, Value *out)
{
    *out = value_unset();
    for (int k = 0; k < FLAGS; k++)
        if (upper ? !strcmp(name->s, flag_names[k]) : !strcasecmp(name->s, flag_names[k]) && name->s[0] >= 'a')
            return *out = value_bool(flag_of(flags_owner(self), (Flag)k)), true;
    return false;
}

static bool flags_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    (void)s, (void)err;
    flags_find(self, name, false, out);
    if (value_is_unset(*out) && !strcmp(name->s, "contiguous"))
        *out = value_bool(flag_of(flags_owner(self), C_CONTIGUOUS));
    return true;
}

static bool flags_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    (void)s;
    return (value_is(key, TYPE_STR) && flags_find(self, (Str *)key.object, true, out)) || err_set(err, ERR_KEY, "Unknown flag");
}

/* Writing is taken away from a name's own view of the elements; given back where the elements are its own. */
static bool flags_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    bool on;
    Object *array = ((NativeObject *)self.object)->held[0].object;
    if (strcmp(name->s, "writeable") || value_is_unset(value))
        return err_set(err, ERR_ATTRIBUTE, "flag '%s' of an array cannot be set", name->s);
    if (!value_truth(s, value, &on, err))
        return false;
    if (on && array->flags & ARRAY_READ_ONLY && (!flag_of((Tensor *)array, OWNDATA)))
        return err_set(err, ERR_VALUE, "cannot set WRITEABLE flag to True of this array");
    array->flags = (uint16_t)(on ? array->flags & ~ARRAY_READ_ONLY : array->flags | ARRAY_READ_ONLY);
    return true;
}

static const Type type_flags = { .name = "flagsobj", .repr = flags_repr, .get_attr = flags_get_attr, .get_item = flags_get_item, .set_attr = flags_set_attr };

/* ---- attributes ---------------------------------------------------------------------------------------------------- */
static bool dims_value(Session *s, const Tensor *t, bool strides, Value *out, Err *err)
{
    Tuple *made = tuple_new(s, tensor_ndim(t), err);
    for (int d = 0; made && d < tensor_ndim(t); d++)
        made->item[d] = int_new(s, strides ? tensor_strides(t)[d] * (int64_t)dtype_size(tensor_dtype(t)) : tensor_shape(t)[d]);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

/* The array that a view is of. Over a tensor's elements it is another tensor, made when it is first asked for. */
static bool base_value(Session *s, Tensor *t, Value *out, Err *err)
{
    if (!tensor_base(t) && ((Object *)t)->flags & ARRAY_SHARES) {
        Tensor *base = tensor_share(&s->ctx, t, err);
        if (!base)
            return false;
        tensor_set_base(t, base);
    }
    *out = tensor_base(t) ? array_take(tensor_retain(tensor_base(t))) : value_none();
    return true;
}

/* ndarray.data prints as a memory view of the elements; nothing else can be done with it. */
static bool memory_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_print(text, "<memory at 0x%llx>", (unsigned long long)(uintptr_t)tensor_data(flags_owner(self)));
    return true;
}

static const Type type_memory = { .name = "memoryview", .repr = memory_repr };

static bool ctypes_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    (void)err;
    *out = strcmp(name->s, "data") ? value_unset() : int_new(s, (int64_t)(uintptr_t)tensor_data(flags_owner(self)));
    return true;
}

static const Type type_ctypes = { .name = "_ctypes", .get_attr = ctypes_attr };

static bool held(Session *s, const Type *row, Value self, Value *out, Err *err)
{
    NativeObject *made = native_new(s, row, self, value_unset(), value_unset(), err);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

static bool interface_value(Session *s, Tensor *t, Value *out, Err *err)
{
    Dict *made = dict_new(s, err);
    Tuple *data = made ? tuple_new(s, 2, err) : NULL;
    Value shape = value_unset();
    Str *key[2] = { data ? str_intern(s, "data", 4, err) : NULL, data ? str_intern(s, "shape", 5, err) : NULL };
    if (data) {
        data->item[0] = int_new(s, (int64_t)(uintptr_t)tensor_data(t));
        data->item[1] = value_bool(((Object *)t)->flags & ARRAY_READ_ONLY);
    }
    bool ok = key[0] && key[1] && dims_value(s, t, false, &shape, err) && dict_set(s, made, value_object_take(key[0]), value_object_take(data), err)
           && dict_set(s, made, value_object_take(key[1]), shape, err);
    value_release(shape);
    for (int k = 0; k < 2; k++)
        if (key[k])
            object_release(&key[k]->head);
    if (data)
        object_release(&data->head);
    if (!ok && made)
        object_release(&made->head);
    *out = ok ? value_object_take(made) : value_unset();
    return ok;
}

static const char *const attributes[] = { "shape", "strides", "dtype", "ndim", "size", "nbytes", "itemsize", "T", "base", "flags", "data", "real",
                                          "ctypes", "flat", "__array_interface__" };

static bool array_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Tensor *t = self_of(self);
    *out = value_unset();
    if (!strcmp(name->s, "shape") || !strcmp(name->s, "strides"))
        return dims_value(s, t, name->s[1] == 't', out, err);
    if (!strcmp(name->s, "dtype"))
        return np_dtype_value(s, tensor_dtype(t), out, err);
    if (!strcmp(name->s, "ndim"))
        *out = int_new(s, tensor_ndim(t));
    else if (!strcmp(name->s, "size"))
        *out = int_new(s, tensor_numel(t));
    else if (!strcmp(name->s, "nbytes"))
        *out = int_new(s, tensor_numel(t) * (int64_t)dtype_size(tensor_dtype(t)));
    else if (!strcmp(name->s, "itemsize"))
        *out = int_new(s, (int64_t)dtype_size(tensor_dtype(t)));
    else if (!strcmp(name->s, "T"))
        return array_out(np_op(s, OP_T, 1, (Arg[]){ arg_t(t) }, err), out);
    else if (!strcmp(name->s, "real"))
        *out = value_retain(self);
    else if (!strcmp(name->s, "base"))
        return base_value(s, t, out, err);
    else if (!strcmp(name->s, "flags"))
        return held(s, &type_flags, self, out, err);
    else if (!strcmp(name->s, "data"))
        return held(s, &type_memory, self, out, err);
    else if (!strcmp(name->s, "ctypes"))
        return held(s, &type_ctypes, self, out, err);
    else if (!strcmp(name->s, "flat")) {
        Tensor *flat = np_op(s, OP_reshape, 2, (Arg[]){ arg_t(t), arg_ints(1, (int64_t[]){ -1 }) }, err);
        bool ok = flat && array_iter(s, array_take(flat), out, err);
        tensor_release(flat);
        return ok;
    } else if (!strcmp(name->s, "__array_interface__"))
        return interface_value(s, t, out, err);
    else
        for (const NativeRow *const *table = (const NativeRow *const[]){ shape_methods, reduce_methods, NULL }; *table; table++)
            for (const NativeRow *row = *table; row->name; row++)
                if (!strcmp(row->name, name->s)) {
                    Builtin *made = builtin_new(s, row, self, err);
                    *out = made ? value_object_take(made) : value_unset();
                    return made;
                }
    return true;
}

static bool array_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Tensor *t = self_of(self);
    int64_t shape[64];
    int ndim;
    if (strcmp(name->s, "shape") || value_is_unset(value)) {
        for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
            if (!strcmp(attributes[k], name->s))
                return err_set(err, ERR_ATTRIBUTE, "attribute '%s' of 'numpy.ndarray' objects is not writable", name->s);
        return err_set(err, ERR_ATTRIBUTE, "'numpy.ndarray' object has no attribute '%s'", name->s);
    }
    if (!np_shape(s, value, &ndim, shape, err))
        return false;
    Tensor *view = np_op(s, OP_view, 2, (Arg[]){ arg_t(t), arg_ints(ndim, shape) }, err);
    if (!view)
        return false;
    bool ok = tensor_set_data(t, view, err);
    tensor_release(view);
    return ok;
}

static void array_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    (void)s, (void)self;
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
        if (attributes[k][0] != '_')
            each(to, attributes[k]);
    for (const NativeRow *const *table = (const NativeRow *const[]){ shape_methods, reduce_methods, NULL }; *table; table++)
        for (const NativeRow *row = *table; row->name; row++)
            each(to, row->name);
}

const Type type_ndarray = {
    .name = "ndarray", .drop = tensor_drop, .visit = tensor_visit, .repr = array_repr, .str = array_str, .truth = array_truth, .hash = array_hash,
    .compare = array_compare, .binary = array_binary, .inplace = array_inplace, .unary = array_unary, .length = array_length,
    .get_item = array_get_item, .set_item = array_set_item, .del_item = array_del_item, .contains = array_contains,
    .iter = array_iter, .get_attr = array_get_attr, .set_attr = array_set_attr, .format = array_format, .methods = array_methods,
    .dir = array_dir,
};
