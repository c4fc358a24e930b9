/*
 * torch_types.c - the small objects around tensors: torch.dtype, torch.device, torch.Generator; making a torch.Size.
 */
#include "lang/types/torch_types.h"
#include "lang/run/signature.h"
#include <string.h>

/* ---- torch.dtype ---------------------------------------------------------------------------------------- */
bool dtype_value(Session *s, DType dtype, Value *out, Err *err)
{
    Object **kept = &s->dtype_object[dtype];
    if (!*kept) {
        DTypeObject *made = heap_object_new(s->heap, sizeof *made, TYPE_DTYPE, err);
        if (!made)
            return false;
        made->dtype = dtype;
        *kept = &made->head;
    }
    *out = value_retain(value_object_take(*kept));
    return true;
}

bool dtype_from_value(Session *s, Value v, DType *dtype)
{
    if (value_is(v, TYPE_DTYPE))
        *dtype = ((DTypeObject *)v.object)->dtype;
    else if (value_is(v, TYPE_CLASS)) {
        const Class *cls = (Class *)v.object;
        if (cls == s->tag_class[V_FLOAT])
            *dtype = DT_F64;
        else if (cls == s->tag_class[V_INT])
            *dtype = DT_I64;
        else if (cls == s->tag_class[V_BOOL])
            *dtype = DT_BOOL;
        else
            return false;
    } else
        return false;
    return true;
}

static void dtype_drop(Object *self)
{
    heap_object_free(self, sizeof(DTypeObject));
}

static bool dtype_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s;
    (void)err;
    text_print(text, "torch.%s", dtype_name(((DTypeObject *)self.object)->dtype));
    return true;
}

static bool dtype_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    DType dtype = ((DTypeObject *)self.object)->dtype;
    *out = value_unset();
    if (!strcmp(name->s, "itemsize"))
        *out = value_int(s, (int64_t)dtype_size(dtype));
    else if (!strcmp(name->s, "is_floating_point"))
        *out = value_bool(dtype_kind(dtype) == DKIND_FLOAT);
    else if (!strcmp(name->s, "is_complex"))
        *out = value_bool(false);
    else if (!strcmp(name->s, "is_signed"))
        *out = value_bool(dtype != DT_BOOL && dtype != DT_U8);
    (void)err;
    return true;
}

static void dtype_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    static const char *const names[] = { "itemsize", "is_floating_point", "is_complex", "is_signed" };
    (void)s;
    (void)self;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        each(to, names[i]);
}

const Type type_dtype = { .name = "dtype", .drop = dtype_drop, .repr = dtype_repr, .get_attr = dtype_get_attr, .dir = dtype_dir };

/* ---- torch.device --------------------------------------------------------------------------------------- */
bool device_value(Session *s, Device device, Value *out, Err *err)
{
    DeviceObject *made = heap_object_new(s->heap, sizeof *made, TYPE_DEVICE, err);
    if (!made)
        return false;
    made->device = device;
    made->indexed = device.type != DEVICE_CPU;
    *out = value_object_take(made);
    return true;
}

bool device_from_value(Session *s, Value v, Device *device, Err *err)
{
    (void)s;
    err->kind = ERR_NONE;
    if (value_is(v, TYPE_DEVICE))
        *device = ((DeviceObject *)v.object)->device;
    else if (value_is(v, TYPE_STR)) {
        if (!device_parse(((Str *)v.object)->s, device, err))
            return false;
    } else if (value_tag(v) == V_INT && v.i >= 0 && v.i < 256)
        *device = (Device){ DEVICE_CUDA, (uint8_t)v.i };
    else
        return false;
    return true;
}

static void device_drop(Object *self)
{
    heap_object_free(self, sizeof(DeviceObject));
}

static void device_text(const DeviceObject *d, Text *text, bool repr)
{
    const char *type = d->device.type == DEVICE_CPU ? "cpu" : "cuda";
    if (repr && d->indexed)
        text_print(text, "device(type='%s', index=%d)", type, d->device.index);
    else if (repr)
        text_print(text, "device(type='%s')", type);
    else if (d->indexed)
        text_print(text, "%s:%d", type, d->device.index);
    else
        text_put(text, type);
}

static bool device_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s;
    (void)err;
    device_text((DeviceObject *)self.object, text, true);
    return true;
}

static bool device_str(Session *s, Value self, Text *text, Err *err)
{
    (void)s;
    (void)err;
    device_text((DeviceObject *)self.object, text, false);
    return true;
}

static bool device_same(const DeviceObject *a, const DeviceObject *b)
{
    return a->device.type == b->device.type && a->indexed == b->indexed && (!a->indexed || a->device.index == b->device.index);
}

static bool device_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s;
    (void)err;
    *out = (Value){ V_NOT_IMPLEMENTED, { 0 } };
    if (value_is(a, TYPE_DEVICE) && value_is(b, TYPE_DEVICE) && (op == CMP_EQ || op == CMP_NE))
        *out = value_bool(device_same((DeviceObject *)a.object, (DeviceObject *)b.object) == (op == CMP_EQ));
    return true;
}

static bool device_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const DeviceObject *d = (DeviceObject *)self.object;
    (void)s;
    (void)err;
    *hash = (uint64_t)d->device.type * 1009 + (d->indexed ? d->device.index + 1u : 0u);
    return true;
}

static bool device_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const DeviceObject *d = (DeviceObject *)self.object;
    *out = value_unset();
    if (!strcmp(name->s, "index"))
        *out = d->indexed ? value_int(s, d->device.index) : value_none();
    else if (!strcmp(name->s, "type")) {
        Str *text = str_intern(s, d->device.type == DEVICE_CPU ? "cpu" : "cuda", d->device.type == DEVICE_CPU ? 3 : 4, err);
        if (!text)
            return false;
        *out = value_object_take(text);
    }
    return true;
}

static void device_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    (void)s;
    (void)self;
    each(to, "index");
    each(to, "type");
}

const Type type_device = {
    .name = "device", .drop = device_drop, .repr = device_repr, .str = device_str, .hash = device_hash, .compare = device_compare,
    .get_attr = device_get_attr, .dir = device_dir,
};

/* ---- torch.Size ----------------------------------------------------------------------------------------- */
bool size_value(Session *s, int n, const int64_t *shape, Value *out, Err *err)
{
    Tuple *size = tuple_new(s, n, err);
    if (!size)
        return false;
    size->head.type = TYPE_SIZE;
    for (int d = 0; d < n; d++)
        size->item[d] = value_int(s, shape[d]);
    *out = value_object_take(size);
    return true;
}

/* ---- torch.Generator ------------------------------------------------------------------------------------ */
static void generator_drop(Object *self)
{
    GeneratorObject *g = (GeneratorObject *)self;
    if (g->owned)
        generator_free(g->generator);
    heap_object_free(self, sizeof *g);
}

static bool generator_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s;
    (void)err;
    text_print(text, "<torch._C.Generator object at 0x%llx>", (unsigned long long)(uintptr_t)self.object);
    return true;
}

static bool generator_manual_seed(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    int64_t seed;
    if (!value_index(s, arg[0], "the seed", &seed, err))
        return false;
    generator_seed(((GeneratorObject *)self.object)->generator, (uint64_t)seed);
    *out = value_retain(self);
    return true;
}

static bool generator_initial(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)arg;
    (void)err;
    *out = value_int(s, (int64_t)generator_initial_seed(((GeneratorObject *)self.object)->generator));
    return true;
}

static const NativeRow generator_methods[] = {
    { "manual_seed", generator_manual_seed, "seed: int", 0, "Starts the stream that belongs to a seed." },
    { "initial_seed", generator_initial, "", 0, "The seed that the stream was started with." },
    { 0 },
};

const Type type_generator_rng = {
    .name = "Generator", .drop = generator_drop, .repr = generator_repr, .methods = generator_methods,
};
