/*
 * tensor_object.c - tensors as objects of the language: operators, indexing, attributes, and the methods that are more than a
 * row of the table of operations.
 */
#include "lang/run/signature.h"
#include "lang/numpy/numpy.h"
#include "lang/types/torch_types.h"
#include <stdio.h>
#include <string.h>

static Tensor *self_of(Value v) { return value_tensor(v); }
static Value not_implemented(void) { return (Value){ V_NOT_IMPLEMENTED, { 0 } }; }

/* ---- operators ------------------------------------------------------------------------------------------ */
static const OpId binary_ops[BIN_COUNT] = {
    [BIN_ADD] = OP_add, [BIN_SUB] = OP_sub, [BIN_MUL] = OP_mul, [BIN_TRUEDIV] = OP_div, [BIN_FLOORDIV] = OP_floor_divide,
    [BIN_MOD] = OP_remainder, [BIN_POW] = OP_pow, [BIN_LSHIFT] = OP_bitwise_left_shift,
    [BIN_RSHIFT] = OP_bitwise_right_shift, [BIN_AND] = OP_bitwise_and, [BIN_OR] = OP_bitwise_or, [BIN_XOR] = OP_bitwise_xor,
};
static const OpId compare_ops[] = {
    [CMP_LT] = OP_lt, [CMP_LE] = OP_le, [CMP_EQ] = OP_eq, [CMP_NE] = OP_ne, [CMP_GT] = OP_gt, [CMP_GE] = OP_ge,
};

/* Both operands into a call; false, with nothing said, when one is neither tensor nor number. An int beyond 64 bits is an error. */
static bool operands(Value a, Value b, Call *call, Err *err)
{
    call->args = 2;
    call->inplace = false;
    call->given = 0;
    if (value_is(a, TYPE_INT) || value_is(b, TYPE_INT))
        return err_set(err, ERR_OVERFLOW, "the int does not fit into 64 bits");
    return operand_from_value(a, &call->arg[0]) && operand_from_value(b, &call->arg[1]);
}

static bool by_name(Session *s, const char *name, Value *args, int n, Value *out, Err *err)
{
    OpGroup *group = op_group_find(s, FACE_FUNCTION, name, strlen(name));
    return group ? op_group_call(s, group, args, n, 0, NULL, out, err) : err_memory(err, sizeof *group);
}

static bool tensor_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Call call;
    err->kind = ERR_NONE;
    if (op == BIN_MATMUL && value_is(a, TYPE_TENSOR) && value_is(b, TYPE_TENSOR))
        return by_name(s, "matmul", (Value[]){ a, b }, 2, out, err);
    if (!operands(a, b, &call, err) || op == BIN_MATMUL) {
        *out = not_implemented();
        return err->kind == ERR_NONE;
    }
    if (!op_call(&s->ctx, binary_ops[op], &call, err))
        return false;
    *out = value_tensor_take(call.out[0]);
    return true;
}

static bool tensor_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Call call;
    err->kind = ERR_NONE;
    if (!operands(a, b, &call, err) || op == BIN_MATMUL) {
        *out = not_implemented();
        return err->kind == ERR_NONE;
    }
    call.inplace = true;
    if (!op_call(&s->ctx, binary_ops[op], &call, err))
        return false;
    *out = value_tensor_take(call.out[0]);
    return true;
}

static bool tensor_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    if (op == UN_POS) {
        *out = value_retain(a);
        return true;
    }
    Tensor *result = op_unary(&s->ctx, op == UN_NEG ? OP_neg : OP_bitwise_not, self_of(a), err);
    *out = result ? value_tensor_take(result) : value_unset();
    return result;
}

static bool tensor_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    Call call;
    err->kind = ERR_NONE;
    if (!operands(a, b, &call, err)) {
        *out = not_implemented();
        return err->kind == ERR_NONE;
    }
    if (!op_call(&s->ctx, compare_ops[op], &call, err))
        return false;
    *out = value_tensor_take(call.out[0]);
    return true;
}

static bool tensor_truth(Session *s, Value self, bool *truth, Err *err)
{
    Number number;
    (void)s;
    if (tensor_numel(self_of(self)) != 1) {
        err_set(err, ERR_RUNTIME, "a tensor of %lld elements is neither true nor false", (long long)tensor_numel(self_of(self)));
        return err_hint(err, "x.any() and x.all() answer with one bool");
    }
    if (!tensor_item(self_of(self), &number, err))
        return false;
    *truth = number.kind == DKIND_FLOAT ? number.f != 0 : number.kind == DKIND_INT ? number.i != 0 : number.b;
    return true;
}

/* ---- text ------------------------------------------------------------------------------------------------ */
static bool tensor_repr(Session *s, Value self, Text *text, Err *err)
{
    return tensor_print(&s->ctx, self_of(self), text, err);
}

static bool item_value(Session *s, const Tensor *t, Value *out, Err *err)
{
    Number number;
    if (!tensor_item(t, &number, err))
        return false;
    *out = number.kind == DKIND_FLOAT ? float_new(s, number.f) : number.kind == DKIND_INT ? int_new(s, number.i) : value_bool(number.b);
    return true;
}

static bool tensor_format(Session *s, Value self, const char *spec, size_t n, Text *text, Err *err)
{
    Value item;
    if (tensor_ndim(self_of(self)) == 0 && !tensor_requires_grad(self_of(self)))
        return item_value(s, self_of(self), &item, err) && value_format(s, item, spec, n, text, err);
    if (n)
        return err_set(err, ERR_TYPE, "a tensor of %d dimensions takes no format spec: '%.*s'", tensor_ndim(self_of(self)), (int)n, spec);
    return tensor_repr(s, self, text, err);
}

/* ---- items ----------------------------------------------------------------------------------------------- */
static bool tensor_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s;
    if (!tensor_ndim(self_of(self)))
        return err_set(err, ERR_TYPE, "len() of a 0-d tensor");
    *length = tensor_shape(self_of(self))[0];
    return true;
}

static bool tensor_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    IndexList list;
    Call call;
    if (!index_from_value(s, key, &list, err))
        return false;
    call.args = 2;
    call.inplace = false;
    call.given = 0;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = self_of(self) };
    call.arg[1] = (Arg){ .kind = ARG_INDEX, .n = list.n, .index = list.item };
    bool ok = op_call(&s->ctx, OP_index, &call, err);
    index_free(&list);
    *out = ok ? value_tensor_take(call.out[0]) : value_unset();
    return ok;
}

static bool tensor_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    IndexList list;
    Call call;
    Arg operand;
    err->kind = ERR_NONE;
    if (!operand_from_value(value, &operand))
        return err_set(err, value_is(value, TYPE_INT) ? ERR_OVERFLOW : ERR_TYPE, "a tensor's elements are set to a Tensor or a number, not to %s",
                       value_type_name(value));
    if (!index_from_value(s, key, &list, err))
        return false;
    call.args = 3;
    call.inplace = true;
    call.given = 0;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = self_of(self) };
    call.arg[1] = (Arg){ .kind = ARG_INDEX, .n = list.n, .index = list.item };
    call.arg[2] = operand;
    bool ok = op_call(&s->ctx, OP_index_put_, &call, err);
    index_free(&list);
    if (ok)
        tensor_release(call.out[0]);
    return ok;
}

static bool tensor_del_item(Session *s, Value self, Value key, Err *err)
{
    (void)s, (void)self, (void)key;
    return err_set(err, ERR_TYPE, "a tensor's elements cannot be deleted");
}

/* All slices along the first dimension are made at once, as PyTorch does. */
static bool tensor_iter(Session *s, Value self, Value *out, Err *err)
{
    Call call;
    Value slices;
    if (!tensor_ndim(self_of(self)))
        return err_set(err, ERR_TYPE, "a 0-d tensor has nothing to go over");
    call.args = 2;
    call.inplace = false;
    call.given = 0;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = self_of(self) };
    call.arg[1] = (Arg){ .kind = ARG_INT, .i = 0 };
    if (!op_call(&s->ctx, OP_unbind, &call, err) || !op_result(s, OP_unbind, &call, &slices, err))
        return false;
    bool ok = value_iter(s, slices, out, err);
    value_release(slices);
    return ok;
}

static bool tensor_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    Value equal;
    if (!tensor_compare(s, CMP_EQ, self, item, &equal, err))
        return false;
    if (value_tag(equal) != V_OBJECT)
        return err_set(err, ERR_RUNTIME, "a tensor is asked for a Tensor or a number, not for %s", value_type_name(item));
    Value any;
    bool ok = by_name(s, "any", &equal, 1, &any, err);
    value_release(equal);
    if (!ok)
        return false;
    ok = tensor_truth(s, any, found, err);
    value_release(any);
    return ok;
}

/* ---- attributes ------------------------------------------------------------------------------------------ */
typedef enum Attribute {
    AT_NONE, AT_SHAPE, AT_DTYPE, AT_DEVICE, AT_NDIM, AT_REQUIRES_GRAD, AT_IS_LEAF, AT_GRAD, AT_GRAD_FN, AT_VERSION, AT_BASE,
    AT_ITEMSIZE, AT_NBYTES, AT_IS_CUDA, AT_IS_CPU, AT_FALSE
} Attribute;
static const struct { const char *name; Attribute at; } attributes[] = {
    { "shape", AT_SHAPE }, { "dtype", AT_DTYPE }, { "device", AT_DEVICE }, { "ndim", AT_NDIM }, { "requires_grad", AT_REQUIRES_GRAD },
    { "is_leaf", AT_IS_LEAF }, { "grad", AT_GRAD }, { "grad_fn", AT_GRAD_FN }, { "_version", AT_VERSION }, { "_base", AT_BASE },
    { "itemsize", AT_ITEMSIZE }, { "nbytes", AT_NBYTES }, { "is_cuda", AT_IS_CUDA },
    { "is_cpu", AT_IS_CPU }, { "is_sparse", AT_FALSE }, { "is_quantized", AT_FALSE }, { "is_meta", AT_FALSE }, { "is_mps", AT_FALSE },
    { "is_mkldnn", AT_FALSE }, { "is_nested", AT_FALSE }, { "is_xpu", AT_FALSE },
};

static bool get_attribute(Session *s, Attribute at, const Tensor *t, Value *out, Err *err)
{
    switch (at) {
    case AT_SHAPE: return size_value(s, tensor_ndim(t), tensor_shape(t), out, err);
    case AT_DTYPE: return dtype_value(s, tensor_dtype(t), out, err);
    case AT_DEVICE: return device_value(s, tensor_device(t), out, err);
    case AT_NDIM: *out = int_new(s, tensor_ndim(t)); break;
    case AT_REQUIRES_GRAD: *out = value_bool(tensor_requires_grad(t)); break;
    case AT_IS_LEAF: *out = value_bool(tensor_is_leaf(t)); break;
    case AT_VERSION: *out = int_new(s, tensor_version(t)); break;
    case AT_BASE: *out = tensor_base(t) ? value_tensor_take(tensor_retain(tensor_base(t))) : value_none(); break;
    case AT_ITEMSIZE: *out = int_new(s, (int64_t)dtype_size(tensor_dtype(t))); break;
    case AT_NBYTES: *out = int_new(s, tensor_numel(t) * (int64_t)dtype_size(tensor_dtype(t))); break;
    case AT_IS_CUDA: *out = value_bool(tensor_device(t).type == DEVICE_CUDA); break;
    case AT_IS_CPU: *out = value_bool(tensor_device(t).type == DEVICE_CPU); break;
    case AT_FALSE: *out = value_bool(false); break;
    default: *out = value_none();
    }
    return true;
}

static Dict *extra_dict(const Tensor *t) { return tensor_extra(t); }

static bool tensor_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Tensor *t = self_of(self);
    *out = value_unset();
    if (extra_dict(t)) {
        Value *found = dict_find_str(extra_dict(t), name);
        if (found)
            return *out = value_retain(*found), true;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!strcmp(attributes[i].name, name->s))
            return get_attribute(s, attributes[i].at, t, out, err);
    if (!op_groups_open(s, err))
        return false;
    OpGroup *group = op_group_find(s, FACE_ATTRIBUTE, name->s, (size_t)name->size);
    if (group)
        return op_group_call(s, group, &self, 1, 0, NULL, out, err);
    if (!(group = op_group_find(s, FACE_METHOD, name->s, (size_t)name->size)))
        group = op_group_find(s, FACE_INPLACE, name->s, (size_t)name->size);
    if (!group)
        return true;
    Builtin *bound = builtin_new(s, NULL, self, err);
    if (!bound)
        return false;
    bound->group = group;
    *out = value_object_take(bound);
    return true;
}

Builtin *tensor_find_method(Session *s, Str *name, Err *err)
{
    OpGroup *group = op_group_find(s, FACE_METHOD, name->s, (size_t)name->size);
    if (!group)
        group = op_group_find(s, FACE_INPLACE, name->s, (size_t)name->size);
    err->kind = ERR_NONE;
    return group ? op_group_builtin(s, group, err) : NULL;
}

static bool tensor_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Tensor *t = self_of(self);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!strcmp(attributes[i].name, name->s)) {
            if (attributes[i].at == AT_REQUIRES_GRAD && value_tag(value) == V_BOOL)
                return tensor_set_requires_grad(&s->ctx, t, value.b, err);
            if (attributes[i].at == AT_GRAD && (value_is_none(value) || value_is_unset(value)))
                return true;                            /* there is none yet */
            return err_set(err, ERR_ATTRIBUTE, "attribute '%s' of a tensor cannot be set", name->s);
        }
    if (!strcmp(name->s, "data"))
        return value_is(value, TYPE_TENSOR) ? tensor_set_data(t, value_tensor(value), err)
                                            : err_set(err, ERR_TYPE, "x.data is set to a Tensor, not to %s", value_type_name(value));
    Value key = value_object_take(name);
    if (value_is_unset(value)) {
        bool found = false;
        if (extra_dict(t) && !dict_delete(s, extra_dict(t), key, &found, err))
            return false;
        return found || err_set(err, ERR_ATTRIBUTE, "'Tensor' object has no attribute '%s'", name->s);
    }
    if (!extra_dict(t)) {
        Dict *dict = dict_new(s, err);
        if (!dict)
            return false;
        tensor_set_extra(t, dict);
    }
    return dict_set(s, extra_dict(t), key, value, err);
}

/* ---- methods that are more than a row -------------------------------------------------------------------- */
static bool method_size(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tensor *t = self_of(self);
    int64_t dim;
    if (value_is_none(arg[0]))
        return size_value(s, tensor_ndim(t), tensor_shape(t), out, err);
    if (!value_index(s, arg[0], "dim", &dim, err))
        return false;
    int64_t range = tensor_ndim(t) ? tensor_ndim(t) : 1;
    if (dim < -range || dim >= range || !tensor_ndim(t))
        return err_set(err, ERR_INDEX, "dim %lld is out of range for a tensor of %d dimensions", (long long)dim, tensor_ndim(t));
    dim += dim < 0 ? range : 0;
    *out = int_new(s, arg[-1].i ? tensor_strides(t)[dim] : tensor_shape(t)[dim]);
    return true;
}

static bool method_stride(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tensor *t = self_of(self);
    if (!value_is_none(arg[0]))
        return method_size(s, self, arg, out, err);
    Tuple *tuple = tuple_new(s, tensor_ndim(t), err);
    if (!tuple)
        return false;
    for (int d = 0; d < tensor_ndim(t); d++)
        tuple->item[d] = int_new(s, tensor_strides(t)[d]);
    *out = value_object_take(tuple);
    return true;
}

enum Fact_ { F_DIM, F_NUMEL, F_OFFSET, F_DATA_PTR, F_ELEMENT_SIZE, F_CONTIGUOUS, F_FLOATING, F_IS_LEAF, F_SHARED, F_SIGNED, F_COMPLEX, F_DEVICE, F_FALSE };

static bool method_fact(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tensor *t = self_of(self);
    (void)err;
    switch (arg[-1].i) {
    case F_DIM: *out = int_new(s, tensor_ndim(t)); break;
    case F_NUMEL: *out = int_new(s, tensor_numel(t)); break;
    case F_OFFSET: *out = int_new(s, tensor_offset(t)); break;
    case F_DATA_PTR: *out = int_new(s, (int64_t)(uintptr_t)tensor_data(t)); break;
    case F_ELEMENT_SIZE: *out = int_new(s, (int64_t)dtype_size(tensor_dtype(t))); break;
    case F_CONTIGUOUS: *out = value_bool(tensor_is_contiguous(t)); break;
    case F_FLOATING: *out = value_bool(dtype_kind(tensor_dtype(t)) == DKIND_FLOAT); break;
    case F_SIGNED: *out = value_bool(tensor_dtype(t) != DT_BOOL && tensor_dtype(t) != DT_U8); break;
    case F_DEVICE: *out = int_new(s, tensor_device(t).type == DEVICE_CPU ? -1 : tensor_device(t).index); break;
    default: *out = value_bool(false);
    }
    return true;
}

static bool method_nonzero(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    bool truth = false;
    (void)arg;
    if (!tensor_truth(s, self, &truth, err))
        return false;
    *out = value_bool(truth);
    return true;
}

static bool method_same_size(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tensor *a = self_of(self);
    (void)s;
    if (!value_is(arg[0], TYPE_TENSOR))
        return err_set(err, ERR_TYPE, "is_same_size() takes a Tensor, not %s", value_type_name(arg[0]));
    const Tensor *b = value_tensor(arg[0]);
    *out = value_bool(tensor_ndim(a) == tensor_ndim(b) && !memcmp(tensor_shape(a), tensor_shape(b), (size_t)tensor_ndim(a) * sizeof(int64_t)));
    return true;
}

/* Calls a function with each element in turn, in row-major order, and puts what it answers in its place. */
static bool method_apply(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Tensor *t = self_of(self);
    const int64_t *shape = tensor_shape(t), *strides = tensor_strides(t);
    int64_t index[64] = { 0 }, base = tensor_offset(t);
    int n = tensor_ndim(t);
    OpGroup *fill = op_groups_open(s, err) ? op_group_find(s, FACE_INPLACE, "fill_", 5) : NULL;
    if (!fill)
        return false;
    for (int64_t k = 0; k < tensor_numel(t); k++) {
        Value answer, element, filled;
        Number number = tensor_element(t, index);
        Value x = number.kind == DKIND_FLOAT ? float_new(s, number.f) : number.kind == DKIND_INT ? int_new(s, number.i) : value_bool(number.b);
        bool ok = value_call(s, arg[0], &x, 1, 0, NULL, &answer, err);
        value_release(x);
        if (!ok)
            return false;
        int64_t at = base;
        for (int d = 0; d < n; d++)
            at += index[d] * strides[d];
        Call view = { .args = 4 };
        view.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = t };
        view.arg[1] = (Arg){ .kind = ARG_INTS, .n = 0, .ints = index };
        view.arg[2] = (Arg){ .kind = ARG_INTS, .n = 0, .ints = index };
        view.arg[3] = (Arg){ .kind = ARG_INT, .i = at };
        ok = op_call(&s->ctx, OP_as_strided, &view, err);
        if (ok) {
            element = value_tensor_take(view.out[0]);
            Value both[2] = { element, answer };
            ok = op_group_call(s, fill, both, 2, 0, NULL, &filled, err);
            value_release(element);
            if (ok)
                value_release(filled);
        }
        value_release(answer);
        if (!ok)
            return false;
        for (int d = n - 1; d >= 0 && ++index[d] == shape[d]; d--)
            index[d] = 0;
    }
    *out = value_retain(self);
    return true;
}

static bool method_item(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)arg;
    if (tensor_numel(self_of(self)) == 1)
        return item_value(s, self_of(self), out, err);
    err_set(err, ERR_RUNTIME, "item() needs a tensor of one element, and this has %lld", (long long)tensor_numel(self_of(self)));
    return err_hint(err, "x.tolist() gives all of them");
}

static bool method_tolist(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)arg;
    return tensor_to_list(s, self_of(self), out, err);
}

/* A tensor of `dtype`: itself when it has that dtype already and no copy was asked for. */
static bool cast(Session *s, Value self, DType dtype, bool copy, Value *out, Err *err)
{
    Call call;
    if (tensor_dtype(self_of(self)) == dtype && !copy)
        return *out = value_retain(self), true;
    call.args = 2;
    call.inplace = false;
    call.given = 0;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = self_of(self) };
    call.arg[1] = (Arg){ .kind = ARG_DTYPE, .dtype = dtype };
    if (!op_call(&s->ctx, OP_cast, &call, err))
        return false;
    *out = value_tensor_take(call.out[0]);
    return true;
}

static bool method_cast(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    return cast(s, self, (DType)arg[-1].i, false, out, err);
}

static bool only_cpu(Device device, Err *err)
{
    if (device.type == DEVICE_CPU)
        return true;
    err_set(err, ERR_RUNTIME, "there is no device cuda:%d here: tensors live on the cpu", device.index);
    return err_hint(err, "torch.cuda.is_available() tells before asking");
}

/* to(dtype), to(device), to(device, dtype), to(other), with copy= and non_blocking=. */
static bool method_to(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Tuple *given = (Tuple *)arg[0].object;
    Value all[4] = { value_unset(), value_unset(), arg[1], arg[2] };
    DType dtype = tensor_dtype(self_of(self));
    Device device = { 0, 0 };
    if (given->n > 2)
        return err_set(err, ERR_TYPE, "to() takes a dtype, a device, both, or another tensor");
    for (int64_t k = 0; k < given->n; k++)
        all[k] = given->item[k];
    for (int k = 0; k < 4; k++) {
        err->kind = ERR_NONE;
        if (value_is_unset(all[k]) || value_is_none(all[k]))
            continue;
        if (value_is(all[k], TYPE_TENSOR)) {
            dtype = tensor_dtype(value_tensor(all[k]));
            device = tensor_device(value_tensor(all[k]));
        } else if (!dtype_from_value(s, all[k], &dtype) && !device_from_value(s, all[k], &device, err))
            return err->kind ? false : err_set(err, ERR_TYPE, "to() takes a dtype, a device or another tensor, not %s", value_type_name(all[k]));
    }
    return only_cpu(device, err) && cast(s, self, dtype, value_tag(arg[3]) == V_BOOL && arg[3].b, out, err);
}

static bool method_type(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    static const char *const names[DT_COUNT] = {
        "torch.BoolTensor", "torch.ByteTensor", "torch.CharTensor", "torch.ShortTensor", "torch.IntTensor", "torch.LongTensor",
        "torch.HalfTensor", "torch.BFloat16Tensor", "torch.FloatTensor", "torch.DoubleTensor",
    };
    DType dtype;
    if (value_is_none(arg[0])) {
        const char *name = names[tensor_dtype(self_of(self))];
        Str *text = str_new(s, name, (int64_t)strlen(name), err);
        *out = text ? value_object_take(text) : value_unset();
        return text;
    }
    if (dtype_from_value(s, arg[0], &dtype))
        return cast(s, self, dtype, false, out, err);
    for (int k = 0; value_is(arg[0], TYPE_STR) && k < DT_COUNT; k++)
        if (!strcmp(names[k], ((Str *)arg[0].object)->s))
            return cast(s, self, (DType)k, false, out, err);
    return err_set(err, ERR_TYPE, "type() takes a dtype, not %s", value_type_name(arg[0]));
}

static bool method_type_as(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    if (!value_is(arg[0], TYPE_TENSOR))
        return err_set(err, ERR_TYPE, "type_as() takes a Tensor, not %s", value_type_name(arg[0]));
    return cast(s, self, tensor_dtype(value_tensor(arg[0])), false, out, err);
}

static bool method_cpu(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s;
    if (arg[-1].i && !only_cpu((Device){ DEVICE_CUDA, 0 }, err))
        return false;
    *out = value_retain(self);
    return true;
}

static bool method_requires_grad(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    bool on;
    if (!value_truth(s, arg[0], &on, err) || !tensor_set_requires_grad(&s->ctx, self_of(self), on, err))
        return false;
    *out = value_retain(self);
    return true;
}

static bool method_new_tensor(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype = tensor_dtype(self_of(self));
    Tensor *made;
    if (!value_is_none(arg[1]) && !dtype_from_value(s, arg[1], &dtype))
        return err_set(err, ERR_TYPE, "new_tensor(): argument 'dtype' must be a torch.dtype, not %s", value_type_name(arg[1]));
    if (!tensor_from_value(s, arg[0], dtype, &made, err))
        return false;
    *out = value_tensor_take(made);
    return true;
}

static bool method_set_to(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s;
    if (!value_is(arg[0], TYPE_TENSOR))
        return err_set(err, ERR_TYPE, "is_set_to() takes a Tensor, not %s", value_type_name(arg[0]));
    *out = value_bool(tensor_is_set_to(self_of(self), value_tensor(arg[0])));
    return true;
}

static bool method_storage(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)arg, (void)err;
    *out = value_object_take(storage_retain(tensor_storage(self_of(self))));
    return true;
}

static bool method_numpy(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    bool force;
    if (!value_truth(s, arg[0], &force, err))
        return false;
    if (!force || !tensor_requires_grad(self_of(self)))
        return array_of_tensor(s, self_of(self), out, err);
    Tensor *apart = op_unary(&s->ctx, OP_detach, self_of(self), err);
    bool ok = apart && array_of_tensor(s, apart, out, err);
    tensor_release(apart);
    return ok;
}

static bool method_array(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    DType dtype;
    *out = value_unset();
    return np_dtype_from(s, arg[0], &dtype, err) && array_out(np_array(s, self, dtype, err), out);
}

static bool method_refused(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self, (void)out;
    static const char *const what[] = { "backward() needs autograd", "hooks need autograd" };
    return err_set(err, ERR_NOT_IMPLEMENTED, "%s, which Locus does not have yet", what[arg[-1].i]);
}

static const NativeRow methods[] = {
    { "size", method_size, "dim = None", 0, "The sizes, or the one of a dimension." },
    { "stride", method_stride, "dim = None", 1, "How many elements apart neighbours of each dimension lie." },
    { "dim", method_fact, "", F_DIM, "How many dimensions." },
    { "ndimension", method_fact, "", F_DIM, NULL },
    { "numel", method_fact, "", F_NUMEL, "How many elements." },
    { "nelement", method_fact, "", F_NUMEL, NULL },
    { "storage_offset", method_fact, "", F_OFFSET, "Where its first element lies in the storage, in elements." },
    { "data_ptr", method_fact, "", F_DATA_PTR, "The address of its first element." },
    { "element_size", method_fact, "", F_ELEMENT_SIZE, "Bytes of an element." },
    { "is_contiguous", method_fact, "", F_CONTIGUOUS, "Do its elements lie in order, without gaps?" },
    { "is_floating_point", method_fact, "", F_FLOATING, NULL },
    { "is_signed", method_fact, "", F_SIGNED, NULL },
    { "is_complex", method_fact, "", F_COMPLEX, NULL },
    { "is_shared", method_fact, "", F_SHARED, NULL },
    { "is_pinned", method_fact, "", F_FALSE, NULL },
    { "is_conj", method_fact, "", F_FALSE, NULL },
    { "get_device", method_fact, "", F_DEVICE, "The number of its device; -1 on the CPU." },
    { "is_nonzero", method_nonzero, "", 0, "Is its only element something else than 0?" },
    { "is_same_size", method_same_size, "other", 0, NULL },
    { "apply_", method_apply, "callable", 0, "Calls a function with each element, and puts what it answers in its place." },
    { "item", method_item, "", 0, "Its only element, as a number." },
    { "tolist", method_tolist, "", 0, "Its elements as nested lists." },
    { "to", method_to, "*args, dtype = None, device = None, copy: bool = False, non_blocking: bool = False", 0,
      "This tensor in another dtype or on another device: itself when it is so already." },
    { "type", method_type, "dtype = None", 0, NULL },
    { "type_as", method_type_as, "other", 0, NULL },
    { "float", method_cast, "", DT_F32, NULL }, { "double", method_cast, "", DT_F64, NULL },
    { "half", method_cast, "", DT_F16, NULL }, { "bfloat16", method_cast, "", DT_BF16, NULL },
    { "long", method_cast, "", DT_I64, NULL }, { "int", method_cast, "", DT_I32, NULL },
    { "short", method_cast, "", DT_I16, NULL }, { "char", method_cast, "", DT_I8, NULL },
    { "byte", method_cast, "", DT_U8, NULL }, { "bool", method_cast, "", DT_BOOL, NULL },
    { "cpu", method_cpu, "", 0, NULL }, { "cuda", method_cpu, "", 1, NULL },
    { "requires_grad_", method_requires_grad, "requires_grad: bool = True", 0, NULL },
    { "new_tensor", method_new_tensor, "data, *, dtype = None", 0, NULL },
    { "is_set_to", method_set_to, "tensor", 0, NULL },
    { "untyped_storage", method_storage, "", 0, "The block of bytes that it views." },
    { "storage", method_storage, "", 0, NULL },
    { "backward", method_refused, "*args, **kwargs", 0, NULL },
    { "numpy", method_numpy, "*, force: bool = False", 0, "An ndarray over the same storage." },
    { "__array__", method_array, "dtype = None", 0, NULL },
    { "register_hook", method_refused, "hook", 1, NULL },
    { 0 },
};

void tensor_drop(Object *self)
{
    self->count = 1;                                    /* tensor/ counts on from the last reference */
    tensor_release((Tensor *)self);
}

void tensor_visit(Object *self, Visitor *visitor)
{
    const Tensor *t = (const Tensor *)self;
    if (tensor_base(t))
        visitor->edge(visitor, value_tensor_take(tensor_base(t)), "base of a view", NULL, 0);
    if (tensor_extra(t))
        visitor->edge(visitor, value_object_take(tensor_extra(t)), "attributes", NULL, 0);
}

static void tensor_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    (void)self;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        each(to, attributes[i].name);
    op_group_names(s, FACE_METHOD, each, to);
    op_group_names(s, FACE_INPLACE, each, to);
    op_group_names(s, FACE_ATTRIBUTE, each, to);
}

const Type type_tensor = {
    .name = "Tensor", .drop = tensor_drop, .visit = tensor_visit, .repr = tensor_repr, .truth = tensor_truth,
    .compare = tensor_compare, .binary = tensor_binary, .inplace = tensor_inplace, .unary = tensor_unary, .length = tensor_length,
    .get_item = tensor_get_item, .set_item = tensor_set_item, .del_item = tensor_del_item, .contains = tensor_contains,
    .iter = tensor_iter, .get_attr = tensor_get_attr, .set_attr = tensor_set_attr, .format = tensor_format, .methods = methods,
    .dir = tensor_dir,
};

/* ---- the storage as an object ---------------------------------------------------------------------------- */
static void storage_drop(Object *self)
{
    self->count = 1;
    storage_release((Storage *)self);
}

static bool storage_repr(Session *s, Value self, Text *text, Err *err)
{
    const Storage *storage = (Storage *)self.object;
    (void)s, (void)err;
    text_print(text, "<torch.UntypedStorage of %zu bytes at 0x%llx>", storage_bytes(storage), (unsigned long long)(uintptr_t)storage_data(storage));
    return true;
}

static bool storage_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = (int64_t)storage_bytes((Storage *)self.object);
    return true;
}

static bool storage_fact(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Storage *storage = (Storage *)self.object;
    (void)err;
    *out = int_new(s, arg[-1].i ? (int64_t)(uintptr_t)storage_data(storage) : (int64_t)storage_bytes(storage));
    return true;
}

static const NativeRow storage_methods[] = {
    { "data_ptr", storage_fact, "", 1, "The address of its first byte." },
    { "nbytes", storage_fact, "", 0, "How many bytes." },
    { "size", storage_fact, "", 0, NULL },
    { 0 },
};

const Type type_storage = {
    .name = "UntypedStorage", .drop = storage_drop, .repr = storage_repr, .length = storage_length, .methods = storage_methods,
};
