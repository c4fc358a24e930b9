/*
 * module.c - the module numpy: its tables of functions, constants and classes.
 */
#include "lang/numpy/numpy.h"
#include <math.h>

static const NativeRow *const tables[] = { make_rows, ufunc_rows, reduce_rows, shape_rows, join_rows, npfile_rows };

static const struct { const char *name; double f; } constants[] = {
    { "pi", 3.141592653589793 }, { "e", 2.718281828459045 }, { "inf", INFINITY }, { "nan", NAN }, { "euler_gamma", 0.5772156649015329 },
};
static const struct { const char *name; DType dtype; } types[] = {
    { "bool_", DT_BOOL }, { "bool", DT_BOOL }, { "uint8", DT_U8 }, { "int8", DT_I8 }, { "int16", DT_I16 }, { "int32", DT_I32 },
    { "int64", DT_I64 }, { "int_", DT_I64 }, { "intp", DT_I64 }, { "longlong", DT_I64 }, { "float16", DT_F16 }, { "half", DT_F16 },
    { "float32", DT_F32 }, { "single", DT_F32 }, { "float64", DT_F64 }, { "double", DT_F64 },
};
static const char *const abstracts[] = { "generic", "number", "integer", "signedinteger", "inexact", "floating" };
static const char *const refused[] = { "uint16", "uint32", "uint64", "complex64", "complex128", "object_", "str_", "float128", "longdouble", "matrix" };

static Module *random_module(Session *s, Err *err) { return module_new(s, "numpy.random", random_numpy_rows, err); }
static Module *linalg_module(Session *s, Err *err) { return module_new(s, "numpy.linalg", linalg_numpy_rows, err); }
static const struct { const char *name; Module *(*make)(Session *s, Err *err); } modules[] = {
    { "random", random_module }, { "linalg", linalg_module },
};

/* ---- functions that are no arithmetic --------------------------------------------------------------------------- */
NATIVE(np_set_printoptions)
{
    NumPy *n = numpy_state(s, err);
    int *const place[] = { n ? &n->precision : NULL, n ? &n->threshold : NULL, n ? &n->edgeitems : NULL, n ? &n->linewidth : NULL };
    int64_t given;
    Number number;
    (void)self;
    *out = value_none();
    for (int k = 0; n && k < 4; k++) {
        if (value_is_none(arg[k]))
            continue;
        if (value_to_number(arg[k], &number) && number.kind == DKIND_FLOAT)
            given = INT32_MAX;                          /* sys.maxsize, np.inf: all of them */
        else if (!value_index(s, arg[k], "an option", &given, err))
            return false;
        *place[k] = given > INT32_MAX ? INT32_MAX : given < 0 ? 0 : (int)given;
    }
    if (n && !value_is_none(arg[4])) {
        bool on;
        if (!value_truth(s, arg[4], &on, err))
            return false;
        n->suppress = on;
    }
    return n;
}

static bool dtype_info_value(Session *s, Value v, bool whole, DTypeInfo *info, DType *dtype, Err *err)
{
    if (value_is(v, TYPE_NPSCALAR) || value_is_array(v))
        *dtype = value_is_array(v) ? tensor_dtype(value_tensor(v)) : ((NpScalar *)v.object)->dtype;
    else if (!np_dtype_from(s, v, dtype, err))
        return false;
    if (*dtype == DT_NONE || (dtype_kind(*dtype) == DKIND_FLOAT) == whole || *dtype == DT_BOOL || !dtype_info(*dtype, info))
        return err_set(err, ERR_VALUE, "%s takes a dtype of the other kind", whole ? "iinfo()" : "finfo()");
    return true;
}

static bool info_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const NativeObject *o = (NativeObject *)self.object;
    DType dtype = (DType)o->number;
    DTypeInfo info;
    *out = value_unset();
    dtype_info(dtype, &info);
    if (!strcmp(name->s, "bits"))
        return *out = int_new(s, info.bits), true;
    if (!strcmp(name->s, "dtype"))
        return np_dtype_value(s, dtype, out, err);
    if (dtype_kind(dtype) != DKIND_FLOAT) {
        if (!strcmp(name->s, "max") || !strcmp(name->s, "min"))
            *out = int_new(s, name->s[1] == 'a' ? info.imax : info.imin);
        return true;
    }
    const struct { const char *name; double f; } facts[] = {
        { "max", info.max }, { "min", info.min }, { "eps", info.eps }, { "tiny", info.tiny }, { "smallest_normal", info.smallest_normal },
        { "resolution", info.resolution },
    };
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        if (!strcmp(facts[k].name, name->s))
            return scalar_value(s, dtype, (Number){ .kind = DKIND_FLOAT, .f = facts[k].f }, out, err);
    return true;
}

static const Type type_info = { .name = "finfo", .get_attr = info_get_attr };

NATIVE(np_info)
{
    DTypeInfo info;
    DType dtype;
    (void)self;
    if (!dtype_info_value(s, arg[0], arg[-1].i, &info, &dtype, err))
        return false;
    NativeObject *made = native_new(s, &type_info, value_unset(), value_unset(), value_unset(), err);
    *out = made ? value_object_take(made) : value_unset();
    if (made)
        made->number = dtype;
    return made;
}

NATIVE(np_dtype_row)
{
    DType dtype;
    (void)self;
    return np_dtype_from(s, arg[0], &dtype, err) && np_dtype_value(s, dtype == DT_NONE ? DT_F64 : dtype, out, err);
}

enum { W_NDIM, W_SIZE, W_SHAPE, W_ISSCALAR };

NATIVE(np_what)
{
    int what = (int)arg[-1].i;
    (void)self;
    Number number;
    if (what == W_ISSCALAR)
        return *out = value_bool(value_to_number(arg[0], &number) || value_is(arg[0], TYPE_STR)), true;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    if (!t)
        return false;
    Tuple *shape = what == W_SHAPE ? tuple_new(s, tensor_ndim(t), err) : NULL;
    for (int d = 0; shape && d < tensor_ndim(t); d++)
        shape->item[d] = int_new(s, tensor_shape(t)[d]);
    *out = what == W_NDIM ? int_new(s, tensor_ndim(t)) : what == W_SIZE ? int_new(s, tensor_numel(t)) : shape ? value_object_take(shape) : value_unset();
    tensor_release(t);
    return what != W_SHAPE || shape;
}

NATIVE(np_array_repr)
{
    Text text = { 0 };
    (void)self;
    Tensor *t = np_array(s, arg[0], DT_NONE, err);
    bool ok = t && array_text(s, t, arg[-1].i, &text, err);
    tensor_release(t);
    return ok ? text_out(s, &text, out, err) : (text_free(&text), false);
}

NATIVE(np_types)
{
    DType a, b;
    (void)self;
    if (!np_dtype_from(s, arg[0], &a, err) || !np_dtype_from(s, arg[1], &b, err))
        return false;
    return np_dtype_value(s, np_promote(a == DT_NONE ? DT_F64 : a, b == DT_NONE ? DT_F64 : b), out, err);
}

/* A dtype or class under another class: np.issubdtype(a.dtype, np.floating). */
NATIVE(np_issubdtype)
{
    Class *cls[2] = { NULL, NULL };
    (void)self;
    for (int k = 0; k < 2; k++) {
        DType dtype;
        if (np_dtype_known(s, arg[k], &dtype)) {
            if (!(cls[k] = np_scalar_class(s, dtype, err)))
                return false;
        } else if (value_is(arg[k], TYPE_CLASS))
            cls[k] = (Class *)arg[k].object;
        else
            return err_set(err, ERR_TYPE, "issubdtype() takes dtypes, not %s", value_type_name(arg[k]));
    }
    *out = value_bool(class_is_subclass(cls[0], cls[1]));
    return true;
}

static const NativeRow own_rows[] = {
    { "issubdtype", np_issubdtype, "arg1, arg2", 0, NULL },
    { "set_printoptions", np_set_printoptions, "precision = None, threshold = None, edgeitems = None, linewidth = None, suppress = None", 0, NULL },
    { "finfo", np_info, "dtype", 0, "The range and precision of a floating dtype." },
    { "iinfo", np_info, "type", 1, "The range of a dtype of whole numbers." },
    { "dtype", np_dtype_row, "dtype", 0, "A dtype by its name or type." },
    { "ndim", np_what, "a", W_NDIM, NULL },
    { "size", np_what, "a", W_SIZE, NULL },
    { "shape", np_what, "a", W_SHAPE, NULL },
    { "isscalar", np_what, "element", W_ISSCALAR, NULL },
    { "array_repr", np_array_repr, "arr", 1, NULL },
    { "array_str", np_array_repr, "a", 0, NULL },
    { "promote_types", np_types, "type1, type2", 0, NULL },
    { 0 },
};

/* ---- members -------------------------------------------------------------------------------------------------------- */
static bool made_class(Class *cls, Value *out)
{
    *out = cls ? value_retain(value_object_take(cls)) : value_unset();
    return cls;
}

/* np.ndarray is named, not called. */
static Class *array_class(Session *s, Err *err)
{
    Class *cls = class_of_type(s, TYPE_NDARRAY, V_OBJECT);
    if (!cls)
        return err_memory(err, sizeof *cls), NULL;
    cls->module = "numpy";
    return cls;
}

static bool numpy_find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const NativeRow *row = tables[k]; row->name; row++)
            if (!strcmp(row->name, name->s)) {
                Builtin *made = builtin_new(s, row, value_unset(), err);
                *out = made ? value_object_take(made) : value_unset();
                return made;
            }
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        if (!strcmp(constants[k].name, name->s))
            return *out = float_new(s, constants[k].f), true;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(types[k].name, name->s))
            return made_class(np_scalar_class(s, types[k].dtype, err), out);
    for (size_t k = 0; k < sizeof abstracts / sizeof *abstracts; k++)
        if (!strcmp(abstracts[k], name->s))
            return made_class(np_abstract_class(s, name->s, err), out);
    for (size_t k = 0; k < sizeof modules / sizeof *modules; k++)
        if (!strcmp(modules[k].name, name->s)) {
            Module *made = modules[k].make(s, err);
            *out = made ? value_object_take(made) : value_unset();
            return made;
        }
    if (!strcmp(name->s, "ndarray"))
        return made_class(array_class(s, err), out);
    if (!strcmp(name->s, "newaxis"))
        return *out = value_none(), true;
    if (!strcmp(name->s, "True_") || !strcmp(name->s, "False_"))
        return scalar_value(s, DT_BOOL, (Number){ .kind = DKIND_BOOL, .b = name->s[0] == 'T' }, out, err);
    if (!strcmp(name->s, "__version__"))
        return str_out(str_new(s, "2.2.0+locus", 11, err), out);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (!strcmp(refused[k], name->s))
            return err_set(err, ERR_NOT_IMPLEMENTED, "np.%s is not supported by Locus", name->s);
    return false;
}

static void numpy_names(Session *s, Module *m, void (*each)(void *to, const char *name), void *to)
{
    static const char *const others[] = { "ndarray", "newaxis" };
    (void)s, (void)m;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const NativeRow *row = tables[k]; row->name; row++)
            each(to, row->name);
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        each(to, constants[k].name);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        each(to, types[k].name);
    for (size_t k = 0; k < sizeof abstracts / sizeof *abstracts; k++)
        each(to, abstracts[k]);
    for (size_t k = 0; k < sizeof modules / sizeof *modules; k++)
        each(to, modules[k].name);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        each(to, others[k]);
}

Module *module_numpy(Session *s, Err *err)
{
    if (!numpy_state(s, err))
        return NULL;
    Module *made = module_new(s, "numpy", own_rows, err);
    if (!made)
        return NULL;
    made->find = numpy_find;
    made->names = numpy_names;
    return made;
}
