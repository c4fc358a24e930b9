/* view_many.c - operations that give several views at once (split, chunk, unbind …), and resize_. */
#include "tensor/part.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/view.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define SELF Tensor *t = call->arg[0].tensor; (void)plan, (void)op

/* One more result: `length` places of dimension `dim` from `start` on. */
static bool piece(Context *ctx, Call *call, Tensor *t, int dim, int64_t start, int64_t length, Err *err)
{
    Part part;
    part_whole(&part, t);
    part_narrow(&part, dim, start, length, 1);
    return call_more(ctx, call, tensor_new_view(ctx, t, t->ndim, shape_of(&part.t), strides_of(&part.t),
                                                part.t.offset, err));
}

static bool splittable(OpId id, const Tensor *t, int64_t dim, int *wrapped, Err *err)
{
    if (t->ndim == 0)
        return err_set(err, ERR_RUNTIME, "%s() needs a tensor with at least one dimension", op_info[id].name);
    return shape_dim(dim, t->ndim, wrapped, err);
}

static bool split_equal(Context *ctx, Call *call, Tensor *t, int dim, int64_t size, Err *err)
{
    int64_t whole = shape_of(t)[dim];
    if (size < 0)
        return err_set(err, ERR_RUNTIME, "split(): the size of a part must not be negative, but it is %lld",
                       (long long)size);
    if (size == 0 && whole != 0)
        return err_set(err, ERR_RUNTIME, "split(): parts of size 0 never cover a dimension of size %lld",
                       (long long)whole);
    int64_t n = size == 0 ? 1 : (whole + size - 1) / size;
    n = n < 1 ? 1 : n;
    if (!call_many(ctx, call, n, err))
        return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t left = whole - i * size;
        if (!piece(ctx, call, t, dim, i * size, left < size ? left : size, err))
            return false;
    }
    return true;
}

FORWARD(split)
{
    SELF;
    int dim;
    return splittable(op, t, call_int(call, 2, 0), &dim, err) && split_equal(ctx, call, t, dim, call_int(call,
            1, 0), err);
}

FORWARD(split_sizes)
{
    SELF;
    int dim, n;
    int64_t start = 0;
    const int64_t *sizes = call_ints(call, 1, &n);
    if (!splittable(op, t, call_int(call, 2, 0), &dim, err))
        return false;
    for (int i = 0; i < n; i++) {
        if (sizes[i] < 0)
            return err_set(err, ERR_RUNTIME,
                           "split(): the size of a part must not be negative, but it is %lld",
                               (long long)sizes[i]);
        start += sizes[i];
    }
    if (start != shape_of(t)[dim])
        return err_set(err, ERR_RUNTIME, "split(): the sizes add up to %lld, but dimension %d has size %lld",
                       (long long)start, dim,
                       (long long)shape_of(t)[dim]);
    if (!call_many(ctx, call, n, err))
        return false;
    start = 0;
    for (int i = 0; i < n; start += sizes[i++])
        if (!piece(ctx, call, t, dim, start, sizes[i], err))
            return false;
    return true;
}

FORWARD(chunk)
{
    SELF;
    int dim;
    int64_t chunks = call_int(call, 1, 1);
    if (!splittable(op, t, call_int(call, 2, 0), &dim, err))
        return false;
    if (chunks <= 0)
        return err_set(err, ERR_RUNTIME,
                       "chunk(): the number of chunks must be greater than 0, but it is %lld",
                           (long long)chunks);
    int64_t whole = shape_of(t)[dim];
    if (whole > 0)
        return split_equal(ctx, call, t, dim, (whole + chunks - 1) / chunks, err);
    if (!call_many(ctx, call, chunks, err))
        return false;
    while (chunks-- > 0)
        if (!piece(ctx, call, t, dim, 0, 0, err))
            return false;
    return true;
}

static bool split_sections(Context *ctx, Call *call, Tensor *t, int dim, int64_t sections, Err *err)
{
    if (sections <= 0)
        return err_set(err, ERR_RUNTIME,
                       "%s(): the number of sections must be greater than 0, but it is %lld", "tensor_split",
                       (long long)sections);
    int64_t whole = shape_of(t)[dim], least = whole / sections, longer = whole % sections, start = 0;
    if (!call_many(ctx, call, sections, err))
        return false;
    for (int64_t i = 0; i < sections; i++) {
        int64_t length = least + (i < longer);
        if (!piece(ctx, call, t, dim, start, length, err))
            return false;
        start += length;
    }
    return true;
}

static bool split_at(Context *ctx, Call *call, Tensor *t, int dim, int n, const int64_t *at, Err *err)
{
    int64_t whole = shape_of(t)[dim];
    if (!call_many(ctx, call, n + 1, err))
        return false;
    for (int i = 0; i <= n; i++) {
        int64_t start = i ? at[i - 1] : 0, stop = i < n ? at[i] : whole;
        slice_bounds(whole, true, &start, i < n, &stop);
        if (!piece(ctx, call, t, dim, start, stop - start, err))
            return false;
    }
    return true;
}

FORWARD(tensor_split)
{
    SELF;
    int dim;
    return splittable(op, t, call_int(call, 2, 0), &dim, err)
        && split_sections(ctx, call, t, dim, call_int(call, 1, 1), err);
}

FORWARD(tensor_split_at)
{
    SELF;
    int dim, n;
    const int64_t *at = call_ints(call, 1, &n);
    return splittable(op, t, call_int(call, 2, 0), &dim, err) && split_at(ctx, call, t, dim, n, at, err);
}

static bool split_along(Context *ctx, OpId id, Call *call, Tensor *t, int least, int dim, Err *err)
{
    if (t->ndim < least)
        return err_set(err, ERR_RUNTIME, "%s() needs a tensor with at least %d dimension%s, this one has %d",
                       op_info[id].name, least,
                       least == 1 ? "" : "s", t->ndim);
    int n;
    const int64_t *at = call_ints(call, 1, &n);
    if (call->arg[1].kind == ARG_INTS)
        return split_at(ctx, call, t, dim, n, at, err);
    if (at[0] > 0 && shape_of(t)[dim] % at[0])
        return err_set(err, ERR_RUNTIME,
                       "%s(): dimension %d with size %lld does not divide into %lld equal parts",
                           op_info[id].name,
                       dim, (long long)shape_of(t)[dim], (long long)at[0]);
    return split_sections(ctx, call, t, dim, at[0], err);
}

FORWARD(hsplit)
{
    SELF;
    return split_along(ctx, op, call, t, 1, t->ndim == 1 ? 0 : 1, err);
}

FORWARD(vsplit)
{
    SELF;
    return split_along(ctx, op, call, t, 2, 0, err);
}

FORWARD(unbind)
{
    SELF;
    int dim;
    if (t->ndim == 0)
        return err_set(err, ERR_INDEX, "unbind() needs a tensor with at least one dimension");
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    int64_t n = shape_of(t)[dim], shape[DIMS_MAX], strides[DIMS_MAX];
    int rest = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (d == dim)
            continue;
        shape[rest] = shape_of(t)[d];
        strides[rest++] = strides_of(t)[d];
    }
    if (n > INT32_MAX)
        return err_set(err, ERR_RUNTIME, "unbind(): %lld parts are too many", (long long)n);
    if (!call_many(ctx, call, n, err))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!call_more(ctx, call, tensor_new_view(ctx, t, rest, shape, strides,
                                                  t->offset + i * strides_of(t)[dim], err)))
            return false;
    return true;
}

FORWARD(broadcast_tensors)
{
    (void)plan, (void)op;
    int ndim = 0, count = call->arg[0].n;
    int64_t shape[DIMS_MAX], to[DIMS_MAX], strides[DIMS_MAX];
    Tensor **tensors = call->arg[0].tensors;
    for (int i = 0; i < count; i++) {
        memcpy(to, shape, sizeof(int64_t) * (size_t)ndim);
        if (!shape_broadcast(ndim, to, tensors[i]->ndim, shape_of(tensors[i]), &ndim, shape, err))
            return false;
    }
    if (!call_many(ctx, call, count, err))
        return false;
    for (int i = 0; i < count; i++) {
        Tensor *t = tensors[i];
        bool as_is = t->ndim == ndim && !memcmp(shape_of(t), shape, sizeof(int64_t) * (size_t)ndim);
        Tensor *one = as_is ? tensor_retain(t)
                    : expand_dims(t, ndim, shape, to, strides, err)
                    ? tensor_new_view(ctx, t, ndim, to, strides, t->offset, err) : NULL;
        if (!call_more(ctx, call, one))
            return false;
    }
    return true;
}

bool storage_grow(Context *ctx, Storage *storage, size_t bytes, Err *err)
{
    void *block;
    size_t reserved;
    if (bytes <= storage->bytes)
        return true;
    if (!heap_data_new(ctx->heap, storage->head.serial, bytes, &block, &reserved, err))
        return false;
    memcpy(block, storage->data, storage->bytes);
    heap_data_free(ctx->heap, storage->head.serial, storage->bytes, storage->data, storage->reserved);
    storage->data = block;
    storage->bytes = bytes;
    storage->reserved = reserved;
    return true;
}

/* Another size for the same handle, row-major. */
FORWARD(resize)
{
    SELF;
    int n;
    int64_t strides[DIMS_MAX];
    const int64_t *shape = call_ints(call, 1, &n);
    int64_t numel = ndim_fits(n, err) ? shape_numel(n, shape, err) : -1;
    if (numel < 0)
        return false;
    if (t->requires_grad)
        return err_set(err, ERR_RUNTIME, "resize_() is not for tensors that require grad");
    if (numel && !storage_grow(ctx, t->storage, (size_t)(t->offset + numel) * dtype_size((DType)t->dtype),
                               err))
        return false;
    shape_row_major(n, shape, strides);
    if (!tensor_set_dims(t, n, shape, strides, t->offset, err))
        return false;
    t->version->writes++;
    return call_take(call, tensor_retain(t));
}
