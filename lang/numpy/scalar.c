/*
 * scalar.c - NumPy's scalars: numbers that keep their dtype. They are immutable objects without a storage; among themselves they
 * compute in their dtype, with a Python number in their own, and a tensor takes them for Python numbers.
 */
#include "lang/numpy/numpy.h"
#include "lang/run/frame.h"
#include <math.h>

static NpScalar *self_of(Value v) { return (NpScalar *)v.object; }

double number_as_double(Number n) { return n.kind == DKIND_FLOAT ? n.f : n.kind == DKIND_INT ? (double)n.i : n.b; }
int64_t number_as_int(Number n) { return n.kind == DKIND_FLOAT ? (int64_t)n.f : n.kind == DKIND_INT ? n.i : n.b; }

Value number_to_value(Session *s, Number n)
{
    return n.kind == DKIND_FLOAT ? float_new(s, n.f) : n.kind == DKIND_INT ? int_new(s, n.i) : value_bool(n.b);
}

bool scalar_value(Session *s, DType dtype, Number number, Value *out, Err *err)
{
    /* Its class is there from now on: asking for it later cannot fail. */
    NpScalar *made = np_scalar_class(s, dtype, err) ? heap_object_new(s->heap, sizeof *made, TYPE_NPSCALAR, err) : NULL;
    if (!made)
        return *out = value_unset(), false;
    number_cast(dtype, &number);
    made->dtype = dtype;
    made->number = number;
    *out = value_object_take(made);
    return true;
}

/* ---- classes ------------------------------------------------------------------------------------------------- */
static const struct { const char *name; int base; } abstract[ABSTRACT_CLASSES] = {
    { "generic", -1 }, { "number", 0 }, { "integer", 1 }, { "signedinteger", 2 }, { "inexact", 1 }, { "floating", 4 },
};

const char *npscalar_type_name(DType dtype)
{
    static const char *const names[DT_COUNT] = {
#define DTYPE(id, name, suffix, type, kind) "numpy." name,
#include "tensor/dtypes.def"
    };
    return names[dtype];
}

static Class *abstract_class(Session *s, int which, Err *err)
{
    NumPy *n = numpy_state(s, err);
    if (!n)
        return NULL;
    if (!n->abstract[which]) {
        Class *base = abstract[which].base < 0 ? class_of_type(s, TYPE_INSTANCE, V_OBJECT) : abstract_class(s, abstract[which].base, err);
        if (!base || !(n->abstract[which] = class_new_builtin(s, abstract[which].name, base, TYPE_NPSCALAR, ERR_NONE, err)))
            return NULL;
        n->abstract[which]->module = "numpy";
    }
    return n->abstract[which];
}

Class *np_abstract_class(Session *s, const char *name, Err *err)
{
    for (int k = 0; k < ABSTRACT_CLASSES; k++)
        if (!strcmp(abstract[k].name, name))
            return abstract_class(s, k, err);
    return NULL;
}

/* np.float32('…') is not taken; a number, an array (an array comes back), nothing (0). */
static bool make_scalar(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    DType dtype = DT_NONE;
    Number number = { .kind = DKIND_INT, .i = 0 };
    (void)names;
    np_dtype_known(s, value_object_take(cls), &dtype);
    if (n > 1 || nkw)
        return err_set(err, ERR_TYPE, "%s() takes one number", cls->name->s);
    if (n && !value_to_number(args[0], &number)) {
        if (value_is(args[0], TYPE_STR)) {
            Value made;
            Class *real = dtype_kind(dtype) == DKIND_FLOAT ? class_of_type(s, TYPE_NONE, V_FLOAT) : class_of_type(s, TYPE_NONE, V_INT);
            if (!real || !value_call(s, value_object_take(real), args, 1, 0, NULL, &made, err))
                return false;
            bool fits = value_to_number(made, &number) || err_set(err, ERR_OVERFLOW, "Python integer out of bounds for %s", dtype_name(dtype));
            value_release(made);
            return fits && scalar_value(s, dtype, number, out, err);
        }
        return array_or_scalar(s, np_array(s, args[0], dtype, err), out, err);
    }
    if (n && value_tag(args[0]) == V_INT && dtype_kind(dtype) == DKIND_INT) {
        DTypeInfo info;
        dtype_info(dtype, &info);
        if (number.i < info.imin || number.i > info.imax)
            return err_set(err, ERR_OVERFLOW, "Python integer %lld out of bounds for %s", (long long)number.i, dtype_name(dtype));
    }
    return scalar_value(s, dtype, number, out, err);
}

/* np.float64 is a float too: its order of classes has one more. */
static bool also_float(Session *s, Class *cls, Err *err)
{
    Class *real = class_of_type(s, TYPE_NONE, V_FLOAT);
    Tuple *old = cls->mro, *mro = real ? tuple_new(s, old->n + 1, err) : NULL;
    if (!mro)
        return false;
    for (int64_t k = 0; k < old->n; k++)
        mro->item[k + (k == old->n - 1)] = k ? value_retain(old->item[k]) : old->item[k];
    mro->item[old->n - 1] = value_retain(value_object_take(real));
    mro->head.flags |= TUPLE_FIRST_BORROWED;
    cls->mro = mro;
    old->item[0] = value_unset();
    object_release(&old->head);
    return true;
}

Class *np_scalar_class(Session *s, DType dtype, Err *err)
{
    NumPy *n = numpy_state(s, err);
    if (!n)
        return NULL;
    if (!n->scalar[dtype]) {
        Class *base = abstract_class(s, dtype == DT_BOOL ? 0 : dtype_kind(dtype) == DKIND_FLOAT ? 5 : dtype == DT_U8 ? 2 : 3, err);
        if (!base || !(n->scalar[dtype] = class_new_builtin(s, dtype_name(dtype), base, TYPE_NPSCALAR, ERR_NONE, err)))
            return NULL;
        n->scalar[dtype]->module = "numpy";
        n->scalar[dtype]->make = make_scalar;
        if (dtype == DT_F64 && !also_float(s, n->scalar[dtype], err))
            return NULL;
    }
    return n->scalar[dtype];
}

/* ---- arithmetic ---------------------------------------------------------------------------------------------- */
static double floor_divide(double a, double b, double *remainder)
{
    double mod = fmod(a, b), quotient;
    if (b == 0)
        return *remainder = mod, a / b;
    quotient = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) {
        mod += b;
        quotient -= 1;
    } else if (mod == 0)
        mod = copysign(0, b);
    *remainder = mod;
    return quotient == 0 ? copysign(0, a / b) : floor(quotient) + (quotient - floor(quotient) > 0.5);
}

static bool of_floats(BinaryOp op, DType in, double a, double b, double *f)
{
    double mod;
    switch (op) {
    case BIN_ADD: *f = a + b; return true;
    case BIN_SUB: *f = a - b; return true;
    case BIN_MUL: *f = a * b; return true;
    case BIN_TRUEDIV: *f = a / b; return true;
    case BIN_FLOORDIV: *f = floor_divide(a, b, &mod); return true;
    case BIN_MOD: floor_divide(a, b, f); return true;
    case BIN_POW: *f = in == DT_F64 ? pow(a, b) : (double)powf((float)a, (float)b); return true;
    default: return false;
    }
}

static bool of_ints(BinaryOp op, int64_t a, int64_t b, int64_t *i, Err *err)
{
    switch (op) {
    case BIN_ADD: *i = a + b; return true;
    case BIN_SUB: *i = a - b; return true;
    case BIN_MUL: *i = a * b; return true;
    case BIN_FLOORDIV: case BIN_MOD: {
        if (b == 0 || b == -1) {                        /* by zero: 0, as NumPy answers (with a warning) */
            *i = b && op == BIN_FLOORDIV ? -a : 0;
            return true;
        }
        int64_t quotient = a / b, mod = a % b;
        bool down = mod && (mod < 0) != (b < 0);
        *i = op == BIN_MOD ? mod + (down ? b : 0) : quotient - down;
        return true;
    }
    case BIN_POW:
        if (b < 0)
            return err_set(err, ERR_VALUE, "Integers to negative integer powers are not allowed.");
        for (*i = 1; b; b >>= 1, a *= a)
            *i *= b & 1 ? a : 1;
        return true;
    case BIN_LSHIFT: *i = b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b); return true;
    case BIN_RSHIFT: *i = b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b; return true;
    case BIN_AND: *i = a & b; return true;
    case BIN_OR: *i = a | b; return true;
    case BIN_XOR: *i = a ^ b; return true;
    default: return false;
    }
}

bool scalar_arithmetic(BinaryOp op, DType in, Number a, Number b, DType *of, Number *result, Err *err)
{
    bool bits = op >= BIN_AND;
    *of = in;
    if (op == BIN_TRUEDIV && dtype_kind(in) != DKIND_FLOAT)
        *of = in = DT_F64;
    if (in == DT_BOOL && op == BIN_SUB)
        return err_set(err, ERR_TYPE, "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                       "or the logical_xor function instead.");
    if (in == DT_BOOL && !bits && op != BIN_ADD && op != BIN_MUL)
        *of = in = DT_I8;
    if (dtype_kind(in) == DKIND_FLOAT) {
        *result = (Number){ .kind = DKIND_FLOAT };
        if (!of_floats(op, in, number_as_double(a), number_as_double(b), &result->f))
            return err_set(err, ERR_TYPE, "ufunc '%s' not supported for the input types", binary_symbol(op));
    } else {
        *result = (Number){ .kind = DKIND_INT };
        if (!of_ints(op, number_as_int(a), number_as_int(b), &result->i, err))
            return err->kind ? false : err_set(err, ERR_TYPE, "ufunc '%s' not supported for the input types", binary_symbol(op));
    }
    number_cast(in, result);
    return true;
}

static bool scalar_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Rule rule;
    if (value_is(a, TYPE_TENSOR) || value_is(b, TYPE_TENSOR)) {
        *out = not_implemented_value();                 /* the tensor takes it for a number */
        if (value_is(b, TYPE_TENSOR))
            return type_tensor.binary(s, op, a, b, out, err);
        return true;
    }
    if (op == BIN_MATMUL) {
        *out = not_implemented_value();
        return true;
    }
    if (value_is(a, TYPE_LIST) || value_is(b, TYPE_LIST) || value_is(a, TYPE_TUPLE) || value_is(b, TYPE_TUPLE)) {
        Value list = value_is(a, TYPE_NPSCALAR) ? b : a, n = value_is(a, TYPE_NPSCALAR) ? a : b;
        if (op == BIN_MUL && self_of(n)->number.kind == DKIND_INT)      /* [0] * np.int64(3) repeats */
            return value_binary(s, op, list, number_to_value(s, self_of(n)->number), out, err);
    }
    OpId id = np_binary_op(op, &rule);
    return np_binary(s, id, rule, a, b, value_unset(), out, err);
}

static bool scalar_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    Number x, y;
    *out = not_implemented_value();
    if (value_is(a, TYPE_TENSOR) || value_is(b, TYPE_TENSOR)) {
        if (value_is(b, TYPE_TENSOR))
            return type_tensor.compare(s, op, a, b, out, err);
        return true;
    }
    if (value_is_array(a) || value_is_array(b))
        return type_ndarray.compare(s, op, a, b, out, err);
    if (!value_to_number(a, &x) || !value_to_number(b, &y))
        return true;
    DType dtype = value_is(a, TYPE_NPSCALAR) ? self_of(a)->dtype : self_of(b)->dtype;
    Number *weak = value_is(a, TYPE_NPSCALAR) ? value_is(b, TYPE_NPSCALAR) ? NULL : &y : &x;
    if (weak && dtype_kind(dtype) == DKIND_FLOAT)
        number_cast(dtype, weak);                       /* np.float32(0.1) == 0.1 */
    double f = number_as_double(x), g = number_as_double(y);
    int64_t i = number_as_int(x), j = number_as_int(y);
    bool floats = x.kind == DKIND_FLOAT || y.kind == DKIND_FLOAT;
    bool less = floats ? f < g : i < j, equal = floats ? f == g : i == j, nan = floats && (f != f || g != g);
    bool answer = op == CMP_LT ? less : op == CMP_LE ? less || equal : op == CMP_EQ ? equal : op == CMP_NE ? !equal
                : op == CMP_GT ? !less && !equal && !nan : !less && !nan;
    return scalar_value(s, DT_BOOL, (Number){ .kind = DKIND_BOOL, .b = answer }, out, err);
}

static bool scalar_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    Number n = self_of(a)->number;
    DType dtype = self_of(a)->dtype;
    if (op == UN_POS)
        return *out = value_retain(a), true;
    if (op == UN_NEG && dtype == DT_BOOL)
        return err_set(err, ERR_TYPE, "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead.");
    if (op == UN_INVERT && n.kind == DKIND_FLOAT)
        return err_set(err, ERR_TYPE, "bad operand type for unary ~: '%s'", npscalar_type_name(dtype));
    if (n.kind == DKIND_FLOAT)
        n.f = -n.f;
    else if (n.kind == DKIND_INT)
        n.i = op == UN_NEG ? -n.i : ~n.i;
    else
        n.b = !n.b;
    return scalar_value(s, dtype, n, out, err);
}

/* ---- text, truth, hash ----------------------------------------------------------------------------------------- */
static bool scalar_str(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    scalar_text(self_of(self)->dtype, self_of(self)->number, text);
    return true;
}

static bool scalar_repr(Session *s, Value self, Text *text, Err *err)
{
    DType dtype = self_of(self)->dtype;
    if (dtype == DT_BOOL)
        return text_put(text, self_of(self)->number.b ? "np.True_" : "np.False_"), true;
    text_print(text, "np.%s(", dtype_name(dtype));
    scalar_str(s, self, text, err);
    text_char(text, ')');
    return true;
}

static bool scalar_truth(Session *s, Value self, bool *truth, Err *err)
{
    (void)s, (void)err;
    *truth = number_as_double(self_of(self)->number) != 0;
    return true;
}

static bool scalar_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    return value_hash(s, number_to_value(s, self_of(self)->number), hash, err);
}

static bool scalar_format(Session *s, Value self, const char *spec, size_t n, Text *text, Err *err)
{
    if (!n)
        return scalar_str(s, self, text, err);
    return value_format(s, number_to_value(s, self_of(self)->number), spec, n, text, err);
}

static bool scalar_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const NpScalar *n = self_of(self);
    *out = value_unset();
    if (!strcmp(name->s, "dtype"))
        return np_dtype_value(s, n->dtype, out, err);
    if (!strcmp(name->s, "shape") || !strcmp(name->s, "strides")) {
        Tuple *none = tuple_new(s, 0, err);
        *out = none ? value_object_take(none) : value_unset();
        return none;
    }
    if (!strcmp(name->s, "ndim"))
        *out = int_new(s, 0);
    else if (!strcmp(name->s, "size"))
        *out = int_new(s, 1);
    else if (!strcmp(name->s, "nbytes") || !strcmp(name->s, "itemsize"))
        *out = int_new(s, (int64_t)dtype_size(n->dtype));
    else if (!strcmp(name->s, "T") || !strcmp(name->s, "real"))
        *out = value_retain(self);
    else if (!strcmp(name->s, "base"))
        *out = value_none();
    else                                                /* what else an array can do, this can: on an array of it */
        for (const NativeRow *const *table = (const NativeRow *const[]){ reduce_methods, shape_methods, NULL }; *table; table++)
            for (const NativeRow *row = *table; row->name; row++)
                if (!strcmp(row->name, name->s)) {
                    Tensor *array = np_array(s, self, DT_NONE, err);
                    Builtin *made = array ? builtin_new(s, row, array_take(array), err) : NULL;
                    if (array)
                        tensor_release(array);
                    *out = made ? value_object_take(made) : value_unset();
                    return made;
                }
    return true;
}

NATIVE(scalar_item)
{
    (void)arg, (void)err;
    *out = number_to_value(s, self_of(self)->number);
    return true;
}

NATIVE(scalar_astype)
{
    DType dtype;
    return np_dtype_from(s, arg[0], &dtype, err) && scalar_value(s, dtype == DT_NONE ? DT_F64 : dtype, self_of(self)->number, out, err);
}

NATIVE(scalar_copy)
{
    UNUSED;
    *out = value_retain(self);
    return true;
}

NATIVE(scalar_abs)
{
    Number n = self_of(self)->number;
    (void)arg;
    if (n.kind == DKIND_FLOAT)
        n.f = fabs(n.f);
    else if (n.kind == DKIND_INT)
        n.i = n.i < 0 ? -n.i : n.i;
    return scalar_value(s, self_of(self)->dtype, n, out, err);
}

NATIVE(scalar_round)
{
    Value rounded, pair[2] = { number_to_value(s, self_of(self)->number), arg[0] };
    Number n;
    bool ok = builtin_round_value(s, pair, value_is_none(arg[0]) ? 1 : 2, &rounded, err);
    if (!ok || value_is_none(arg[0]) || !value_to_number(rounded, &n))
        return *out = ok ? rounded : value_unset(), ok;
    return scalar_value(s, self_of(self)->dtype, n, out, err);
}

static const NativeRow scalar_methods[] = {
    { "item", scalar_item, "", 0, "The number itself, as Python's." },
    { "tolist", scalar_item, "", 0, NULL },
    { "astype", scalar_astype, "dtype", 0, "In another dtype." },
    { "copy", scalar_copy, "", 0, NULL },
    { "__abs__", scalar_abs, "", 0, NULL },
    { "__round__", scalar_round, "ndigits = None", 0, NULL },
    { 0 },
};

static void scalar_drop(Object *self) { heap_object_free(self, sizeof(NpScalar)); }

const Type type_npscalar = {
    .name = "generic", .drop = scalar_drop, .repr = scalar_repr, .str = scalar_str, .hash = scalar_hash, .truth = scalar_truth,
    .compare = scalar_compare, .binary = scalar_binary, .unary = scalar_unary, .get_attr = scalar_get_attr, .format = scalar_format,
    .methods = scalar_methods,
};
