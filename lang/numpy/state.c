/*
 * state.c - the state of the module numpy, its dtypes and its promotion.
 */
#include "lang/numpy/numpy.h"
#include "lang/run/frame.h"

NumPy *numpy_state(Session *s, Err *err)
{
    if (s->numpy)
        return s->numpy;
    NumPy *made = mem_new(s->heap, sizeof *made);
    if (!made)
        return err_memory(err, sizeof *made), NULL;
    memset(made, 0, sizeof *made);
    made->precision = 8;
    made->threshold = 1000;
    made->edgeitems = 3;
    made->linewidth = 75;
    made->twister_at = TWISTER_WORDS + 1;
    return s->numpy = made;
}

void numpy_close(Session *s)
{
    NumPy *n = s->numpy;
    if (!n)
        return;
    for (int k = 0; k < DT_COUNT; k++) {
        if (n->dtype[k])
            object_release(&n->dtype[k]->head);
        if (n->scalar[k])
            object_release(&n->scalar[k]->head);
    }
    for (int k = 0; k < ABSTRACT_CLASSES; k++)
        if (n->abstract[k])
            object_release(&n->abstract[k]->head);
    mem_free(s->heap, n);
    s->numpy = NULL;
}

/* ---- promotion ---------------------------------------------------------------------------------------------- */
static DType float_for(DType whole)
{
    return whole == DT_I64 || whole == DT_I32 ? DT_F64 : whole == DT_I16 ? DT_F32 : DT_F16;
}

DType np_promote(DType a, DType b)
{
    if (a == b || b == DT_BOOL)
        return a;
    if (a == DT_BOOL)
        return b;
    bool whole_a = dtype_kind(a) == DKIND_INT, whole_b = dtype_kind(b) == DKIND_INT;
    if (whole_a && whole_b)
        return dtype_promote(a, b);
    a = whole_a ? float_for(a) : a;
    b = whole_b ? float_for(b) : b;
    return dtype_size(a) > dtype_size(b) ? a : b;
}

DType np_weak(DType dtype, DKind number)
{
    if (number <= dtype_kind(dtype))
        return dtype;
    return number == DKIND_FLOAT ? DT_F64 : number == DKIND_INT ? DT_I64 : DT_BOOL;
}

/* ---- np.dtype ------------------------------------------------------------------------------------------------ */
bool np_dtype_value(Session *s, DType dtype, Value *out, Err *err)
{
    NumPy *n = numpy_state(s, err);
    if (!n)
        return false;
    if (!n->dtype[dtype]) {
        NpDType *made = heap_object_new(s->heap, sizeof *made, TYPE_NPDTYPE, err);
        if (!made)
            return false;
        made->dtype = dtype;
        n->dtype[dtype] = made;
    }
    *out = value_retain(value_object_take(n->dtype[dtype]));
    return true;
}

static bool dtype_of_name(const char *name, DType *dtype)
{
    static const struct { const char *name; DType dtype; } names[] = {
        { "bool", DT_BOOL }, { "bool_", DT_BOOL }, { "?", DT_BOOL }, { "uint8", DT_U8 }, { "u1", DT_U8 }, { "B", DT_U8 },
        { "int8", DT_I8 }, { "i1", DT_I8 }, { "b", DT_I8 }, { "int16", DT_I16 }, { "i2", DT_I16 }, { "h", DT_I16 },
        { "int32", DT_I32 }, { "i4", DT_I32 }, { "i", DT_I32 }, { "int64", DT_I64 }, { "i8", DT_I64 }, { "int", DT_I64 }, { "l", DT_I64 },
        { "float16", DT_F16 }, { "f2", DT_F16 }, { "half", DT_F16 }, { "e", DT_F16 }, { "float32", DT_F32 }, { "f4", DT_F32 },
        { "single", DT_F32 }, { "f", DT_F32 }, { "float64", DT_F64 }, { "f8", DT_F64 }, { "float", DT_F64 }, { "double", DT_F64 },
        { "d", DT_F64 },
    };
    name += *name == '<' || *name == '=' || *name == '|';
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k].name, name))
            return *dtype = names[k].dtype, true;
    return false;
}

bool np_dtype_known(Session *s, Value v, DType *dtype)
{
    if (value_is(v, TYPE_NPDTYPE))
        return *dtype = ((NpDType *)v.object)->dtype, true;
    if (value_is(v, TYPE_STR))
        return dtype_of_name(((Str *)v.object)->s, dtype);
    for (int k = 0; s->numpy && value_is(v, TYPE_CLASS) && k < DT_COUNT; k++)
        if (s->numpy->scalar[k] == (Class *)v.object)
            return *dtype = (DType)k, true;
    return value_is(v, TYPE_CLASS) && dtype_from_value(s, v, dtype);
}

bool np_dtype_from(Session *s, Value v, DType *dtype, Err *err)
{
    *dtype = DT_NONE;
    if (value_is_none(v) || value_is_unset(v) || np_dtype_known(s, v, dtype))
        return true;
    if (value_is(v, TYPE_DTYPE))
        return err_set(err, ERR_TYPE, "Cannot interpret 'torch.%s' as a data type", dtype_name(((DTypeObject *)v.object)->dtype));
    if (value_is(v, TYPE_STR))
        return err_set(err, ERR_TYPE, "data type '%.40s' not understood", ((Str *)v.object)->s)
            || err_hint(err, "arrays hold bool, uint8, int8 to int64 and float16 to float64 here");
    return err_set(err, ERR_TYPE, "Cannot interpret %s as a data type", value_type_name(v));
}

static void dtype_drop(Object *self) { heap_object_free(self, sizeof(NpDType)); }

static DType dtype_self(Value v) { return ((NpDType *)v.object)->dtype; }

static bool dtype_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_print(text, "dtype('%s')", dtype_name(dtype_self(self)));
    return true;
}

static bool dtype_str(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_put(text, dtype_name(dtype_self(self)));
    return true;
}

static bool dtype_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    DType x, y;
    (void)err;
    *out = not_implemented_value();
    if (op == CMP_EQ || op == CMP_NE) {
        bool same = np_dtype_known(s, a, &x) && np_dtype_known(s, b, &y) && x == y;
        *out = value_bool(same == (op == CMP_EQ));
    }
    return true;
}

static bool dtype_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)err;
    *hash = 7919u + (uint64_t)dtype_self(self);
    return true;
}

static bool text_attr(Session *s, const char *text, Value *out, Err *err)
{
    return str_out(str_new(s, text, (int64_t)strlen(text), err), out);
}

static bool dtype_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    static const char kinds[] = { 'b', 'i', 'f' };
    DType dtype = dtype_self(self);
    char text[8];
    *out = value_unset();
    if (!strcmp(name->s, "name"))
        return text_attr(s, dtype_name(dtype), out, err);
    if (!strcmp(name->s, "itemsize") || !strcmp(name->s, "alignment"))
        return *out = int_new(s, (int64_t)dtype_size(dtype)), true;
    if (!strcmp(name->s, "kind"))
        return text_attr(s, dtype == DT_U8 ? "u" : (char[]){ kinds[dtype_kind(dtype)], 0 }, out, err);
    if (!strcmp(name->s, "str")) {
        snprintf(text, sizeof text, "%c%c%d", dtype_size(dtype) == 1 ? '|' : '<', dtype == DT_U8 ? 'u' : kinds[dtype_kind(dtype)], (int)dtype_size(dtype));
        return text_attr(s, text, out, err);
    }
    if (!strcmp(name->s, "type")) {
        Class *cls = np_scalar_class(s, dtype, err);
        *out = cls ? value_retain(value_object_take(cls)) : value_unset();
        return cls;
    }
    return true;
}

static void dtype_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    static const char *const names[] = { "name", "itemsize", "alignment", "kind", "str", "type" };
    (void)s, (void)self;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        each(to, names[k]);
}

const Type type_npdtype = {
    .name = "dtype", .drop = dtype_drop, .repr = dtype_repr, .str = dtype_str, .compare = dtype_compare, .hash = dtype_hash,
    .get_attr = dtype_get_attr, .dir = dtype_dir,
};
