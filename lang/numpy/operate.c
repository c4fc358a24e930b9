/*
 * operate.c - operations of the tensor library as NumPy means them: its promotion, its defaults, its kinds of errors, and
 * scalars where it answers scalars.
 */
#include "lang/numpy/numpy.h"

/* ---- calls ---------------------------------------------------------------------------------------------------- */
/* What is RuntimeError in PyTorch is ValueError in NumPy, but for memory. */
bool np_error(Err *err)
{
    if (err->kind == ERR_RUNTIME)
        err->kind = strstr(err->message, "no memory") ? ERR_MEMORY : ERR_VALUE;
    return false;
}

bool np_call(Session *s, OpId id, Call *call, Err *err)
{
    DType kept = s->ctx.default_dtype;
    bool grad = s->ctx.grad_mode;
    s->ctx.default_dtype = DT_F64;
    s->ctx.grad_mode = false;
    bool ok = op_call(&s->ctx, id, call, err);
    s->ctx.default_dtype = kept;
    s->ctx.grad_mode = grad;
    if (!ok)
        np_error(err);
    long long index, dim, size;
    if (!ok && err->kind == ERR_INDEX && sscanf(err->message, "index %lld is out of range for dimension %lld with size %lld", &index, &dim, &size) == 3)
        err_set(err, ERR_INDEX, "index %lld is out of bounds for axis %lld with size %lld", index, dim, size);
    for (int k = 0; ok && k < call->outs; k++)
        if (call->out[k])
            ((Object *)call->out[k])->type = TYPE_NDARRAY;
    for (int k = 0; ok && k < call->many_count; k++)
        ((Object *)call->many[k])->type = TYPE_NDARRAY;
    return ok;
}

Tensor *np_op(Session *s, OpId id, int n, const Arg *arg, Err *err)
{
    Call call;
    call.args = n;
    call.inplace = false;
    call.given = call.outs = call.many_count = 0;
    call.many = NULL;
    memset(call.out, 0, sizeof call.out);
    memcpy(call.arg, arg, (size_t)n * sizeof *arg);
    if (!np_call(s, id, &call, err))
        return NULL;
    ((Object *)call.out[0])->type = TYPE_NDARRAY;
    return call.out[0];
}

Arg arg_number(Number n)
{
    return n.kind == DKIND_FLOAT ? arg_f(n.f) : n.kind == DKIND_INT ? arg_i(n.i) : arg_b(n.b);
}

bool array_or_scalar(Session *s, Tensor *taken, Value *out, Err *err)
{
    Number number;
    *out = value_unset();
    if (!taken)
        return false;
    if (tensor_ndim(taken))
        return array_out(taken, out);
    bool ok = tensor_item(taken, &number, err) && scalar_value(s, tensor_dtype(taken), number, out, err);
    tensor_release(taken);
    return ok;
}

Tensor *np_empty(Session *s, DType dtype, int ndim, const int64_t *shape, Err *err)
{
    Tensor *t = tensor_empty(&s->ctx, dtype, (Device){ 0, 0 }, ndim, shape, err);
    if (t)
        ((Object *)t)->type = TYPE_NDARRAY;
    else
        np_error(err);
    return t;
}

Tensor *np_cast(Session *s, Tensor *t, DType dtype, Err *err)
{
    if (dtype == DT_NONE || tensor_dtype(t) == dtype)
        return tensor_retain(t);
    return np_op(s, OP_cast, 2, (Arg[]){ arg_t(t), arg_dtype(dtype) }, err);
}

bool np_writable(const Tensor *t, Err *err)
{
    return !(((const Object *)t)->flags & ARRAY_READ_ONLY) || err_set(err, ERR_VALUE, "assignment destination is read-only");
}

Tensor *np_array(Session *s, Value v, DType dtype, Err *err)
{
    Value shared;
    Tensor *made;
    if (value_is_array(v))
        return np_cast(s, value_tensor(v), dtype, err);
    if (value_is(v, TYPE_TENSOR)) {
        if (!array_of_tensor(s, value_tensor(v), &shared, err))
            return NULL;
        made = np_cast(s, value_tensor(shared), dtype, err);
        value_release(shared);
        return made;
    }
    if (value_is(v, TYPE_RANGE)) {
        List *items = value_to_list(s, v, err);
        made = items ? np_array(s, value_object_take(items), dtype, err) : NULL;
        if (items)
            object_release(&items->head);
        return made;
    }
    return array_from_value(s, v, dtype, &made, err) || np_error(err) ? made : NULL;
}

/* ---- shapes and axes -------------------------------------------------------------------------------------------- */
void np_shape_text(Text *text, int n, const int64_t *shape)
{
    text_char(text, '(');
    for (int d = 0; d < n; d++)
        text_print(text, n == 1 ? "%lld," : d ? ",%lld" : "%lld", (long long)shape[d]);
    text_char(text, ')');
}

bool np_broadcast(const Tensor *a, const Tensor *b, Err *err)
{
    int na = tensor_ndim(a), nb = tensor_ndim(b);
    for (int d = 1; d <= na && d <= nb; d++) {
        int64_t x = tensor_shape(a)[na - d], y = tensor_shape(b)[nb - d];
        if (x == y || x == 1 || y == 1)
            continue;
        Text text = { 0 };
        np_shape_text(&text, na, tensor_shape(a));
        text_char(&text, ' ');
        np_shape_text(&text, nb, tensor_shape(b));
        char *both = text_end(&text);
        err_set(err, ERR_VALUE, "operands could not be broadcast together with shapes %s ", both ? both : "");
        text_free(&text);
        return false;
    }
    return true;
}

bool np_shape(Session *s, Value v, int *ndim, int64_t shape[64], Err *err)
{
    if (value_is_int(v) || value_is(v, TYPE_NPSCALAR)) {
        *ndim = 1;
        return value_index(s, v, "a size", shape, err);
    }
    List *items = value_to_list(s, v, err);
    if (!items)
        return false;
    bool ok = items->n <= 64 || err_set(err, ERR_VALUE, "maximum supported dimension for an ndarray is currently 64, found %lld", (long long)items->n);
    *ndim = ok ? (int)items->n : 0;
    for (int d = 0; ok && d < *ndim; d++)
        ok = value_index(s, items->item[d], "a size", &shape[d], err);
    object_release(&items->head);
    return ok;
}

bool np_axis(Session *s, Value v, int ndim, int *axis, Err *err)
{
    int64_t given;
    if (!value_index(s, v, "an axis", &given, err))
        return false;
    if (given < -ndim || given >= ndim)
        return err_set(err, ERR_INDEX, "axis %lld is out of bounds for array of dimension %d", (long long)given, ndim);
    *axis = (int)(given < 0 ? given + ndim : given);
    return true;
}

bool np_axes(Session *s, Value v, int ndim, uint64_t *mask, Err *err)
{
    int axis = 0;
    *mask = ndim == 64 ? ~(uint64_t)0 : ((uint64_t)1 << ndim) - 1;
    if (value_is_none(v))
        return true;
    *mask = 0;
    if (!value_is(v, TYPE_TUPLE) && !value_is(v, TYPE_LIST)) {
        bool ok = np_axis(s, v, ndim, &axis, err);
        *mask = ok ? (uint64_t)1 << axis : 0;
        return ok;
    }
    List *items = value_to_list(s, v, err);
    bool ok = items;
    for (int64_t k = 0; ok && k < items->n; k++) {
        ok = np_axis(s, items->item[k], ndim, &axis, err)
          && (!(*mask >> axis & 1) || err_set(err, ERR_VALUE, "duplicate value in 'axis'"));
        *mask |= ok ? (uint64_t)1 << axis : 0;
    }
    if (items)
        object_release(&items->head);
    return ok;
}

bool np_overlap(const Tensor *a, const Tensor *b)
{
    return tensor_storage(a) == tensor_storage(b) && !tensor_is_set_to(a, b) && tensor_overlap(a, b);
}

/* ---- operands ----------------------------------------------------------------------------------------------------- */
typedef struct Operand {
    Tensor *t;                          /* owned; NULL: a number */
    Number  number;
    DType   dtype;                      /* DT_NONE: a Python number, which follows the other operand */
    bool    is_tensor;                  /* a torch.Tensor: the result is one */
} Operand;

static bool operand(Session *s, Value v, Operand *o, bool *known, Err *err)
{
    *o = (Operand){ .dtype = DT_NONE };
    *known = true;
    if (value_is(v, TYPE_NPSCALAR))
        o->dtype = ((NpScalar *)v.object)->dtype;
    if (value_to_number(v, &o->number))
        return true;
    if (value_is(v, TYPE_INT))
        return err_set(err, ERR_OVERFLOW, "the int does not fit into 64 bits");
    o->is_tensor = value_is(v, TYPE_TENSOR);
    if (value_is_array(v) || o->is_tensor)
        o->t = tensor_retain(value_tensor(v));
    else if (value_is(v, TYPE_LIST) || value_is(v, TYPE_TUPLE) || value_is(v, TYPE_SIZE) || value_is(v, TYPE_RANGE)) {
        if (!(o->t = np_array(s, v, DT_NONE, err)))
            return false;
    } else
        return *known = false, true;
    o->dtype = tensor_dtype(o->t);
    return true;
}

static DType own_dtype(const Operand *o)
{
    return o->dtype != DT_NONE ? o->dtype : o->number.kind == DKIND_FLOAT ? DT_F64 : o->number.kind == DKIND_INT ? DT_I64 : DT_BOOL;
}

static DType common_dtype(const Operand *a, const Operand *b)
{
    if ((a->dtype == DT_NONE) == (b->dtype == DT_NONE))
        return np_promote(own_dtype(a), own_dtype(b));
    return a->dtype == DT_NONE ? np_weak(b->dtype, a->number.kind) : np_weak(a->dtype, b->number.kind);
}

static DType float_dtype(DType dtype)
{
    switch (dtype) {
    case DT_BOOL: case DT_U8: case DT_I8: return DT_F16;
    case DT_I16: return DT_F32;
    case DT_I32: case DT_I64: return DT_F64;
    default: return dtype;
    }
}

/* A Python int must fit into the dtype it is to have. */
static bool fits(const Operand *o, DType dtype, Err *err)
{
    DTypeInfo info;
    if (o->dtype != DT_NONE || o->number.kind != DKIND_INT || dtype_kind(dtype) != DKIND_INT)
        return true;
    dtype_info(dtype, &info);
    return (o->number.i >= info.imin && o->number.i <= info.imax)
        || err_set(err, ERR_OVERFLOW, "Python integer %lld out of bounds for %s", (long long)o->number.i, dtype_name(dtype));
}

/* The operand in `dtype`; a number stays one, unless the operation takes tensors alone. */
static bool bring(Session *s, Operand *o, DType dtype, bool whole, Err *err)
{
    if (!o->t && !whole)
        return true;
    if (!o->t) {
        number_cast(dtype, &o->number);
        if (!(o->t = np_empty(s, dtype, 0, NULL, err)))
            return false;
        return tensor_store(&s->ctx, o->t, 0, &o->number, 1, err);
    }
    Tensor *cast = np_cast(s, o->t, dtype, err);
    if (cast) {
        tensor_release(o->t);
        o->t = cast;
    }
    return cast;
}

static Arg operand_arg(const Operand *o) { return o->t ? arg_t(o->t) : arg_number(o->number); }

/* Where the result goes: an array given by out=, of the result's shape. */
static bool take_result(Value result, Call *call, const Tensor *a, const Tensor *b, Err *err)
{
    int ndim = 0;
    int64_t shape[64];
    call->given = 0;
    memset(call->out, 0, sizeof call->out);
    if (value_is_unset(result) || value_is_none(result))
        return true;
    if (value_is(result, TYPE_TUPLE) && ((Tuple *)result.object)->n == 1)
        result = ((Tuple *)result.object)->item[0];
    if (!value_is_array(result))
        return err_set(err, ERR_TYPE, "return arrays must be of ArrayType");
    Tensor *t = value_tensor(result);
    const int64_t none[1] = { 0 };
    if (!shape_broadcast(a ? tensor_ndim(a) : 0, a ? tensor_shape(a) : none, b ? tensor_ndim(b) : 0, b ? tensor_shape(b) : none, &ndim, shape, err))
        return false;
    if (ndim != tensor_ndim(t) || (ndim && memcmp(shape, tensor_shape(t), (size_t)ndim * sizeof *shape)))
        return err_set(err, ERR_VALUE, "non-broadcastable output operand of another shape");
    call->given = 1;
    call->out[0] = t;
    return np_writable(t, err);
}

static bool finish(Session *s, Call *call, bool is_tensor, Value result, Value *out, Err *err)
{
    if (call->given || is_tensor) {
        ((Object *)call->out[0])->type = is_tensor && !call->given ? TYPE_TENSOR : TYPE_NDARRAY;
        *out = array_take(call->out[0]);
        return true;
    }
    (void)result;
    return array_or_scalar(s, call->out[0], out, err);
}

/* ---- two operands ---------------------------------------------------------------------------------------------------- */
OpId np_binary_op(BinaryOp op, Rule *rule)
{
    static const struct { OpId id; Rule rule; } rows[BIN_COUNT] = {
        [BIN_ADD] = { OP_add, RULE_SAME }, [BIN_SUB] = { OP_sub, RULE_SAME }, [BIN_MUL] = { OP_mul, RULE_SAME },
        [BIN_TRUEDIV] = { OP_div, RULE_DIVIDE }, [BIN_FLOORDIV] = { OP_floor_divide, RULE_SAME }, [BIN_MOD] = { OP_remainder, RULE_SAME },
        [BIN_POW] = { OP_pow, RULE_SAME }, [BIN_LSHIFT] = { OP_bitwise_left_shift, RULE_BITS },
        [BIN_RSHIFT] = { OP_bitwise_right_shift, RULE_BITS }, [BIN_AND] = { OP_bitwise_and, RULE_BITS },
        [BIN_OR] = { OP_bitwise_or, RULE_BITS }, [BIN_XOR] = { OP_bitwise_xor, RULE_BITS },
    };
    *rule = rows[op].rule;
    return rows[op].id;
}

static bool numbers_alone(Session *s, OpId id, const Operand *a, const Operand *b, DType common, bool *done, Value *out, Err *err)
{
    Number result;
    DType of;
    Rule rule;
    *done = false;
    for (int op = 0; op < BIN_COUNT; op++)
        if (op != BIN_MATMUL && np_binary_op((BinaryOp)op, &rule) == id) {
            Number x = a->number, y = b->number;
            number_cast(common, &x);
            number_cast(common, &y);
            *done = true;
            return scalar_arithmetic((BinaryOp)op, common, x, y, &of, &result, err) && scalar_value(s, of, result, out, err);
        }
    return true;
}

static bool allowed(OpId id, Rule rule, DType common, Err *err)
{
    if (common == DT_BOOL && id == OP_sub)
        return err_set(err, ERR_TYPE, "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                       "or the logical_xor function instead.");
    if (rule == RULE_BITS && dtype_kind(common) == DKIND_FLOAT)
        return err_set(err, ERR_TYPE, "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced to any "
                       "supported types according to the casting rule ''safe''", op_info[id].id);
    return true;
}

static bool both(Session *s, OpId id, Rule rule, Operand *a, Operand *b, Value result, Value *out, Err *err)
{
    Call call;
    DType common = common_dtype(a, b);
    if (!allowed(id, rule, common, err) || (rule != RULE_TRUTH && (!fits(a, common, err) || !fits(b, common, err))))
        return false;
    if (id == OP_pow && !b->t && dtype_kind(common) == DKIND_INT && b->number.kind == DKIND_INT && b->number.i < 0)
        return err_set(err, ERR_VALUE, "Integers to negative integer powers are not allowed.");
    if (!a->t && !b->t && value_is_unset(result)) {
        bool done;
        if (!numbers_alone(s, id, a, b, common, &done, out, err) || done)
            return done && err->kind == ERR_NONE;
    }
    if (common == DT_BOOL && (id == OP_pow || id == OP_floor_divide || id == OP_remainder))
        common = DT_I8;
    common = rule == RULE_DIVIDE && dtype_kind(common) != DKIND_FLOAT ? DT_F64 : rule == RULE_FLOAT ? float_dtype(common) : common;
    bool whole = op_info[id].signature[4] == ',';       /* "self, other": tensors alone */
    call.args = 2;
    call.inplace = false;
    call.outs = call.many_count = 0;
    call.many = NULL;
    call.arg[0] = operand_arg(a);
    call.arg[1] = operand_arg(b);
    DType kept = s->ctx.default_dtype;
    s->ctx.default_dtype = DT_F64;
    bool as_is = (a->t || b->t) && !whole && call_promote(&s->ctx, &call) == common;
    s->ctx.default_dtype = kept;
    if (!as_is && (!bring(s, a, common, whole || (!a->t && !b->t), err) || !bring(s, b, common, whole, err)))
        return false;
    if (a->t && b->t && !np_broadcast(a->t, b->t, err))
        return false;
    call.arg[0] = operand_arg(a);
    call.arg[1] = operand_arg(b);
    return take_result(result, &call, a->t, b->t, err) && np_call(s, id, &call, err)
        && finish(s, &call, a->is_tensor || b->is_tensor, result, out, err);
}

bool np_binary(Session *s, OpId id, Rule rule, Value va, Value vb, Value result, Value *out, Err *err)
{
    Operand a, b = { .t = NULL };
    bool known_a, known_b = false;
    err->kind = ERR_NONE;
    *out = not_implemented_value();
    bool ok = operand(s, va, &a, &known_a, err) && operand(s, vb, &b, &known_b, err);
    if (ok && known_a && known_b)
        ok = both(s, id, rule, &a, &b, result, out, err);
    tensor_release(a.t);
    tensor_release(b.t);
    return ok;
}

/* ---- one operand -------------------------------------------------------------------------------------------------------- */
bool np_unary(Session *s, OpId id, Rule rule, Value v, Value result, Value *out, Err *err)
{
    Operand a;
    Call call;
    bool known;
    *out = value_unset();
    if (!operand(s, v, &a, &known, err))
        return tensor_release(a.t), false;
    if (!known)
        return err_set(err, ERR_TYPE, "%s() takes arrays and numbers, not %s", op_info[id].id, value_type_name(v));
    DType dtype = own_dtype(&a), in = rule == RULE_FLOAT ? float_dtype(dtype) : dtype;
    if (dtype == DT_BOOL && (id == OP_neg || id == OP_square || id == OP_sign || id == OP_floor || id == OP_ceil || id == OP_trunc))
        in = id == OP_neg || id == OP_sign ? DT_NONE : id == OP_square ? DT_I8 : DT_F16;
    bool ok = in != DT_NONE || err_set(err, ERR_TYPE, id == OP_neg ? "The numpy boolean negative, the `-` operator, is not supported, use the `~` "
                                       "operator or the logical_not function instead." : "ufunc 'sign' did not contain a loop for bool");
    if (id == OP_bitwise_not && ok && dtype_kind(in) == DKIND_FLOAT)
        ok = err_set(err, ERR_TYPE, "ufunc 'invert' not supported for the input types");
    call.args = 1;
    call.inplace = false;
    call.outs = call.many_count = 0;
    call.many = NULL;
    if (id == OP_abs && dtype == DT_BOOL && ok) {       /* |True| is True */
        ok = bring(s, &a, dtype, true, err);
        call.out[0] = ok ? tensor_retain(a.t) : NULL;
        call.given = 0;
    } else {
        ok = ok && bring(s, &a, in, true, err) && take_result(result, &call, a.t, NULL, err);
        call.arg[0] = ok ? arg_t(a.t) : arg_none();
        ok = ok && np_call(s, id, &call, err);
    }
    ok = ok && finish(s, &call, a.is_tensor, result, out, err);
    tensor_release(a.t);
    return ok;
}

/* ---- in place ------------------------------------------------------------------------------------------------------------- */
bool np_inplace(Session *s, OpId id, BinaryOp op, Value va, Value vb, Value *out, Err *err)
{
    static const char *const names[BIN_COUNT] = { "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "matmul",
                                                  "left_shift", "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor" };
    Tensor *t = value_tensor(va);
    Operand a = { .t = t, .dtype = tensor_dtype(t) }, b;
    Call call;
    bool known;
    Rule rule;
    np_binary_op(op, &rule);
    err->kind = ERR_NONE;
    *out = not_implemented_value();
    bool ok = operand(s, vb, &b, &known, err);
    if (!ok || !known || b.is_tensor)
        return tensor_release(b.t), ok;
    DType common = common_dtype(&a, &b);
    DType made = rule == RULE_DIVIDE && dtype_kind(common) != DKIND_FLOAT ? DT_F64 : common;
    ok = np_writable(t, err) && allowed(id, rule, common, err) && fits(&b, common, err);
    if (ok && dtype_kind(made) > dtype_kind(tensor_dtype(t)))
        ok = err_set(err, ERR_TYPE, "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule 'same_kind'", names[op],
                     dtype_name(made), dtype_name(tensor_dtype(t)));
    if (ok && b.t) {
        ok = np_broadcast(t, b.t, err);
        if (ok && np_overlap(t, b.t)) {                 /* NumPy reads what was there before */
            Tensor *copy = np_op(s, OP_clone, 1, (Arg[]){ arg_t(b.t) }, err);
            ok = copy;
            tensor_release(b.t);
            b.t = copy;
        }
    }
    if (ok && b.t && tensor_ndim(b.t) > tensor_ndim(t))
        ok = err_set(err, ERR_VALUE, "non-broadcastable output operand of another shape than the broadcast one");
    if (ok) {
        call.args = 2;
        call.inplace = true;
        call.given = call.outs = call.many_count = 0;
        call.many = NULL;
        memset(call.out, 0, sizeof call.out);
        call.arg[0] = arg_t(t);
        call.arg[1] = operand_arg(&b);
        if ((ok = np_call(s, id, &call, err)))
            *out = array_take(call.out[0]);
    }
    tensor_release(b.t);
    return ok;
}

/* ---- products --------------------------------------------------------------------------------------------------------------- */
static bool aligned(const Tensor *a, const Tensor *b, Err *err)
{
    int na = tensor_ndim(a), nb = tensor_ndim(b);
    if (!na || !nb)
        return err_set(err, ERR_VALUE, "matmul: Input operand %d does not have enough dimensions (has 0, gufunc core with signature "
                       "(n?,k),(k,m?)->(n?,m?) requires 1)", na ? 1 : 0);
    int64_t x = tensor_shape(a)[na - 1], y = tensor_shape(b)[nb > 1 ? nb - 2 : 0];
    return x == y || err_set(err, ERR_VALUE, "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                             "(n?,k),(k,m?)->(n?,m?) (size %lld is different from %lld)", (long long)y, (long long)x);
}

bool np_matmul(Session *s, Value va, Value vb, Value *out, Err *err)
{
    Tensor *a = np_array(s, va, DT_NONE, err), *b = a ? np_array(s, vb, DT_NONE, err) : NULL, *product = NULL;
    if (b && aligned(a, b, err)) {
        DType common = np_promote(tensor_dtype(a), tensor_dtype(b)), in = common == DT_BOOL ? DT_U8 : common;
        Tensor *x = np_cast(s, a, in, err), *y = x ? np_cast(s, b, in, err) : NULL;
        product = y ? np_op(s, OP_matmul, 2, (Arg[]){ arg_t(x), arg_t(y) }, err) : NULL;
        tensor_release(x);
        tensor_release(y);
        if (product && in != common) {
            Tensor *truth = np_cast(s, product, common, err);
            tensor_release(product);
            product = truth;
        }
    }
    tensor_release(a);
    tensor_release(b);
    return array_or_scalar(s, product, out, err);
}
