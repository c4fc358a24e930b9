/*
 * torch_info.c - torch.finfo, torch.iinfo and the memory formats.
 */
#include "lang/modules/torch.h"
#include "lang/types/native.h"
#include "lang/types/torch_types.h"
#include <string.h>

/* ---- finfo, iinfo --------------------------------------------------------------------------------------------------- */
static DTypeInfo info_of(Value self)
{
    DTypeInfo info;
    dtype_info((DType)((NativeObject *)self.object)->number, &info);
    return info;
}

static bool info_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    DTypeInfo info = info_of(self);
    DType dtype = (DType)((NativeObject *)self.object)->number;
    bool whole = dtype_kind(dtype) == DKIND_INT;
    const struct { const char *name; double f; } fields[] = {
        { "max", info.max }, { "min", info.min }, { "eps", info.eps }, { "tiny", info.tiny }, { "smallest_normal", info.smallest_normal },
        { "resolution", info.resolution },
    };
    *out = value_unset();
    if (!strcmp(name->s, "bits"))
        *out = int_new(s, info.bits);
    else if (whole && (!strcmp(name->s, "max") || !strcmp(name->s, "min")))
        *out = int_new(s, name->s[1] == 'a' ? info.imax : info.imin);
    else if (!strcmp(name->s, "dtype"))
        return str_out(str_new(s, dtype_name(dtype), (int64_t)strlen(dtype_name(dtype)), err), out);
    else
        for (size_t k = 0; !whole && k < sizeof fields / sizeof *fields; k++)
            if (!strcmp(fields[k].name, name->s))
                *out = float_new(s, fields[k].f);
    return true;
}

static bool info_repr(Session *s, Value self, Text *text, Err *err)
{
    DTypeInfo i = info_of(self);
    DType dtype = (DType)((NativeObject *)self.object)->number;
    (void)s, (void)err;
    if (dtype_kind(dtype) == DKIND_INT)
        text_print(text, "iinfo(min=%lld, max=%lld, dtype=%s)", (long long)i.imin, (long long)i.imax, dtype_name(dtype));
    else
        text_print(text, "finfo(resolution=%g, min=%g, max=%g, eps=%g, smallest_normal=%g, tiny=%g, dtype=%s)", i.resolution, i.min, i.max, i.eps,
                   i.smallest_normal, i.tiny, dtype_name(dtype));
    return true;
}

static void info_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    static const char *const names[] = { "max", "min", "eps", "tiny", "smallest_normal", "resolution", "bits", "dtype" };
    (void)s, (void)self;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        each(to, names[k]);
}

static const Type finfo_row = { .name = "finfo", .repr = info_repr, .get_attr = info_get_attr, .dir = info_dir };
static const Type iinfo_row = { .name = "iinfo", .repr = info_repr, .get_attr = info_get_attr, .dir = info_dir };

bool torch_info(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    bool whole = arg[-1].i == 1;
    DType dtype = s->ctx.default_dtype;
    (void)self;
    if (!value_is_unset(arg[0]) && !dtype_from_value(s, arg[0], &dtype))
        return err_set(err, ERR_TYPE, "%s() takes a torch.dtype, not %s", whole ? "iinfo" : "finfo", value_type_name(arg[0]));
    if (dtype_kind(dtype) != (whole ? DKIND_INT : DKIND_FLOAT))
        return err_set(err, ERR_TYPE, "torch.%s", whole ? "iinfo() is for whole numbers; floats have torch.finfo()" : "finfo() is for floats; whole numbers have torch.iinfo()");
    NativeObject *made = native_new(s, whole ? &iinfo_row : &finfo_row, value_unset(), value_unset(), value_unset(), err);
    if (!made)
        return false;
    made->number = dtype;
    *out = value_object_take(made);
    return true;
}

/* ---- memory formats ----------------------------------------------------------------------------------------------------- */
static const char *const formats[] = { "contiguous_format", "preserve_format", "channels_last" };

static bool format_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_print(text, "torch.%s", formats[((NativeObject *)self.object)->number]);
    return true;
}

static bool format_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    int64_t x, y;
    (void)s, (void)err;
    *out = not_implemented_value();
    if ((op == CMP_EQ || op == CMP_NE) && memory_format(a, &x) && memory_format(b, &y))
        *out = value_bool((x == y) == (op == CMP_EQ));
    return true;
}

static const Type format_row = { .name = "memory_format", .repr = format_repr, .compare = format_compare };

bool memory_format(Value v, int64_t *format)
{
    if (!is_native(v, &format_row))
        return false;
    *format = ((NativeObject *)v.object)->number;
    return true;
}

bool torch_format(Session *s, const char *name, Value *out, Err *err)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (strcmp(formats[k], name))
            continue;
        NativeObject *made = native_new(s, &format_row, value_unset(), value_unset(), value_unset(), err);
        if (!made)
            return false;
        made->number = (int64_t)k;
        *out = value_object_take(made);
        return true;
    }
    return false;
}
