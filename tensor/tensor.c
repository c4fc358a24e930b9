/*
 * tensor.c - the handle: how it is made and let go, what it says of itself, and the version that a family of handles shares.
 */
#include "tensor/impl.h"

/* ---- versions ------------------------------------------------------------------------------------------- */
static Version *version_retain(Version *version)
{
    version->count++;
    if (version->inside)
        storage_retain(version->inside);
    return version;
}

static void version_release(Heap *heap, Version *version)
{
    Storage *inside = version->inside;
    if (!--version->count && !inside)
        mem_free(heap, version);
    storage_release(inside);
}

/* A family of its own: the place inside the storage when nobody uses it yet. */
static Version *version_new(Context *ctx, Storage *storage, Err *err)
{
    if (!storage->oldest && !storage->first.count)
        return version_retain(&storage->first);
    Version *version = mem_new(ctx->heap, sizeof *version);
    if (!version)
        return err_memory(err, sizeof *version), NULL;
    *version = (Version){ .count = 1 };
    return version;
}

/* ---- handles -------------------------------------------------------------------------------------------- */
static void report_new(Context *ctx, const Tensor *t)
{
    Event *event = record_add(ctx->heap->record, EVENT_TENSOR);
    event->object = t->head.serial;
    event->storage = t->storage->head.serial;
    event->other = t->base ? t->base->head.serial : 0;
    event->dtype = t->dtype;
    event->op = ctx->op;
    event->offset = t->offset;
    event->ndim = t->ndim < EVENT_DIMS ? t->ndim : EVENT_DIMS;
    memcpy(event->shape, shape_of(t), event->ndim * sizeof *event->shape);
    memcpy(event->stride, strides_of(t), event->ndim * sizeof *event->stride);
}

/* How many elements; -1 with err set: a shape that expands to more than there are numbers for. */
static int64_t count_elements(int ndim, const int64_t *shape, Err *err)
{
    int64_t numel = 1;
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(numel, shape[d], &numel))
            return shape_numel(ndim, shape, err);       /* says so, unless another dimension is 0 */
    return numel;
}

static void set_dims(Tensor *t, int64_t *room, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset)
{
    if (ndim) { /* the dimensions of a scalar may be given as NULL */
        memmove(room, shape, (size_t)ndim * sizeof *room);
        memmove(room + ndim, strides, (size_t)ndim * sizeof *room);
    }
    t->dims = room;
    t->ndim = (uint8_t)ndim;
    t->offset = offset;
}

static void link_over(Tensor *t, Storage *storage)
{
    t->storage = storage_retain(storage);
    t->newer = NULL;
    t->older = storage->newest;
    *(storage->newest ? &storage->newest->newer : &storage->oldest) = t;
    storage->newest = t;
}

static void unlink_from(Tensor *t)
{
    *(t->older ? &t->older->newer : &t->storage->oldest) = t->newer;
    *(t->newer ? &t->newer->older : &t->storage->newest) = t->older;
}

Tensor *tensor_new(Context *ctx, Storage *storage, DType dtype, int ndim, const int64_t *shape, const int64_t *strides,
                   int64_t offset, Tensor *base, Version *version, Err *err)
{
    int64_t numel = count_elements(ndim, shape, err);
    Tensor *t = numel < 0 ? NULL : heap_object_new(ctx->heap, sizeof *t, TYPE_TENSOR, err);
    if (!t)
        return NULL;
    int64_t *room = t->inlined;
    if (ndim > DIMS_INLINE && !(room = mem_new(ctx->heap, 2 * (size_t)ndim * sizeof *room))) {
        heap_object_free(t, sizeof *t);
        return err_memory(err, 2 * (size_t)ndim * sizeof *room), NULL;
    }
    if (!(t->version = version ? version_retain(version) : version_new(ctx, storage, err))) {
        if (room != t->inlined)
            mem_free(ctx->heap, room);
        heap_object_free(t, sizeof *t);
        return NULL;
    }
    set_dims(t, room, ndim, shape, strides, offset);
    t->numel = numel;
    t->head.serial = ctx->heap->totals.next_object++;
    t->base = base ? tensor_retain(base) : NULL;
    t->dtype = (uint8_t)dtype;
    t->requires_grad = t->flags = 0;
    t->autograd = NULL;
    t->extra = NULL;
    link_over(t, storage);
    if (ctx->heap->record)
        report_new(ctx, t);
    return t;
}

Tensor *tensor_new_dense(Context *ctx, DType dtype, Device device, int ndim, const int64_t *shape, const int64_t *strides, Err *err)
{
    int64_t row_major[DIMS_MAX], numel = shape_numel(ndim, shape, err);
    if (numel < 0)
        return NULL;
    if (numel > INT64_MAX / (int64_t)dtype_size(dtype))
        return err_set(err, ERR_RUNTIME, "a tensor of %lld elements has more than 2**63 bytes", (long long)numel), NULL;
    if (!strides)
        shape_row_major(ndim, shape, row_major);
    Storage *storage = storage_new(ctx, device, (size_t)numel * dtype_size(dtype), err);
    if (!storage)
        return NULL;
    Tensor *t = tensor_new(ctx, storage, dtype, ndim, shape, strides ? strides : row_major, 0, NULL, NULL, err);
    storage_release(storage);
    return t;
}

Tensor *tensor_new_view(Context *ctx, Tensor *t, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset, Err *err)
{
    /* As in NumPy, a base stands for its views only as far as they are of one type. */
    Tensor *base = t->base && t->base->head.type == t->head.type ? t->base : t;
    return tensor_new(ctx, t->storage, (DType)t->dtype, ndim, shape, strides, offset, base, t->version, err);
}

Tensor *tensor_share(Context *ctx, Tensor *t, Err *err)
{
    return tensor_new(ctx, t->storage, (DType)t->dtype, t->ndim, shape_of(t), strides_of(t), t->offset, NULL, NULL, err);
}

Tensor *tensor_over(Context *ctx, Tensor *t, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset, Err *err)
{
    Tensor *made = tensor_new(ctx, t->storage, (DType)t->dtype, ndim, shape, strides, offset, NULL, NULL, err);
    if (made)
        made->version->writes = 1;                      /* setting its storage counts as a write in PyTorch */
    return made;
}

void tensor_set_base(Tensor *t, Tensor *taken)
{
    tensor_release(t->base);
    t->base = taken;
}

bool tensor_set_dims(Tensor *t, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset, Err *err)
{
    int64_t numel = count_elements(ndim, shape, err);
    if (numel < 0)
        return false;
    Heap *heap = heap_of(t);
    int64_t *old = t->dims, *room = t->inlined, kept[2 * DIMS_INLINE];
    if (ndim > DIMS_INLINE && !(room = mem_new(heap, 2 * (size_t)ndim * sizeof *room)))
        return err_memory(err, 2 * (size_t)ndim * sizeof *room);
    if (ndim <= DIMS_INLINE) {                          /* shape and strides may be the tensor's own */
        memcpy(kept, shape, (size_t)ndim * sizeof *kept);
        memcpy(kept + DIMS_INLINE, strides, (size_t)ndim * sizeof *kept);
        shape = kept;
        strides = kept + DIMS_INLINE;
    }
    set_dims(t, room, ndim, shape, strides, offset);
    t->numel = numel;
    if (old != t->inlined)
        mem_free(heap, old);
    return true;
}

bool tensor_set_data(Tensor *t, Tensor *other, Err *err)
{
    Storage *old = t->storage;
    if (dtype_kind((DType)t->dtype) != dtype_kind((DType)other->dtype))
        return err_set(err, ERR_RUNTIME, "x.data = y: x is %s and y is %s", dtype_name((DType)t->dtype), dtype_name((DType)other->dtype));
    if (!tensor_set_dims(t, other->ndim, shape_of(other), strides_of(other), other->offset, err))
        return false;
    t->dtype = other->dtype;
    if (old == other->storage)
        return true;
    unlink_from(t);
    link_over(t, other->storage);
    storage_release(old);
    return true;
}

Tensor *tensor_retain(Tensor *tensor)
{
    tensor->head.count++;
    return tensor;
}

void tensor_release(Tensor *t)
{
    if (!t || --t->head.count)
        return;
    Heap *heap = heap_of(t);
    if (heap->record)
        record_add(heap->record, EVENT_DROP)->object = t->head.serial;
    if (t->extra)
        heap->drop_extra(t->extra);
    unlink_from(t);
    Storage *storage = t->storage;
    Tensor *base = t->base;
    version_release(heap, t->version);
    if (t->dims != t->inlined)
        mem_free(heap, t->dims);
    heap_object_free(t, sizeof *t);
    storage_release(storage);
    tensor_release(base);                               /* a base is a root: one level deep */
}

/* ---- facts ---------------------------------------------------------------------------------------------- */
DType tensor_dtype(const Tensor *t) { return (DType)t->dtype; }
Device tensor_device(const Tensor *t) { return t->storage->device; }
int tensor_ndim(const Tensor *t) { return t->ndim; }
const int64_t *tensor_shape(const Tensor *t) { return shape_of(t); }
const int64_t *tensor_strides(const Tensor *t) { return strides_of(t); }
int64_t tensor_numel(const Tensor *t) { return t->numel; }
int64_t tensor_offset(const Tensor *t) { return t->offset; }
int tensor_storage_holds(const Tensor *t) { return t->version == &t->storage->first ? 2 : 1; }
Storage *tensor_storage(const Tensor *t) { return t->storage; }
void *tensor_data(const Tensor *t) { return t->numel ? data_of(t) : NULL; }
int64_t tensor_version(const Tensor *t) { return t->version->writes; }
Tensor *tensor_base(const Tensor *t) { return t->base; }
uint64_t tensor_serial(const Tensor *t) { return t->head.serial; }
bool tensor_is_contiguous(const Tensor *t) { return shape_is_contiguous(t->ndim, shape_of(t), strides_of(t)); }
bool tensor_is_leaf(const Tensor *t) { return !t->autograd; }
bool tensor_requires_grad(const Tensor *t) { return t->requires_grad; }
Tensor *tensor_next_sharer(const Tensor *t) { return t->newer; }
void *tensor_extra(const Tensor *t) { return t->extra; }
void tensor_set_extra(Tensor *t, void *extra) { t->extra = extra; }

bool tensor_set_requires_grad(Context *ctx, Tensor *t, bool on, Err *err)
{
    (void)ctx;
    if (on && dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "only tensors of a floating dtype can require grad, not %s", dtype_name((DType)t->dtype));
    t->requires_grad = on;
    return true;
}

bool tensor_is_set_to(const Tensor *a, const Tensor *b)
{
    size_t dims = 2 * (size_t)a->ndim * sizeof *a->dims;
    return a->storage == b->storage && a->offset == b->offset && a->ndim == b->ndim && !memcmp(a->dims, b->dims, dims);
}

Number tensor_element(const Tensor *t, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < t->ndim; d++)
        at += index[d] * strides_of(t)[d];
    return number_load((DType)t->dtype, data_of(t) + at * (int64_t)dtype_size((DType)t->dtype));
}

bool tensor_item(const Tensor *t, Number *number, Err *err)
{
    static const int64_t first[DIMS_MAX];
    if (t->numel != 1)
        return err_set(err, ERR_RUNTIME, "a tensor of %lld elements is no single number", (long long)t->numel);
    *number = tensor_element(t, first);
    return true;
}
