/*
 * view.c - views: another shape, other strides,
     another offset over the same storage. No element is touched here.
 */
#include "tensor/part.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/view.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define UNUSED (void)plan, (void)op
#define SELF Tensor *t = call->arg[0].tensor; UNUSED

typedef struct Dims {                   /* of a view under construction */
    int     n;
    int64_t shape[DIMS_MAX + 2], strides[DIMS_MAX + 2], offset;
} Dims;

static void dims_of(Dims *dims, const Tensor *t)
{
    dims->n = t->ndim;
    dims->offset = t->offset;
    memcpy(dims->shape, shape_of(t), sizeof(int64_t) * t->ndim);
    memcpy(dims->strides, strides_of(t), sizeof(int64_t) * t->ndim);
}

static void dims_add(Dims *dims, int64_t size, int64_t stride)
{
    dims->shape[dims->n] = size;
    dims->strides[dims->n++] = stride;
}

static void dims_remove(Dims *dims, int dim)
{
    size_t after = sizeof(int64_t) * (size_t)(dims->n - dim - 1);
    memmove(dims->shape + dim, dims->shape + dim + 1, after);
    memmove(dims->strides + dim, dims->strides + dim + 1, after);
    dims->n--;
}

static bool result(Context *ctx, OpId id, Call *call, Tensor *t, const Dims *dims, Err *err)
{
    return call_view(ctx, id, call, t, dims->n, dims->shape, dims->strides, dims->offset, err);
}

/* ---- reshaping ------------------------------------------------------------------------------------------ */
static bool view_as_sizes(Context *ctx, OpId id, Call *call, Tensor *t, int n, const int64_t *sizes, Err *err)
{
    int64_t to[DIMS_MAX], strides[DIMS_MAX];
    if (!ndim_fits(n, err) || !shape_infer(t->numel, n, sizes, to, err))
        return false;
    if (shape_view(t->ndim, shape_of(t), strides_of(t), n, to, strides))
        return call_view(ctx, id, call, t, n, to, strides, t->offset, err);
    char from[200], layout[200], wanted[200];
    shape_print_to(from, sizeof from, t->ndim, shape_of(t));
    shape_print_to(layout, sizeof layout, t->ndim, strides_of(t));
    shape_print_to(wanted, sizeof wanted, n, to);
    err_set(err, ERR_RUNTIME,
            "a tensor of shape %s and strides %s has no view of shape %s: its elements do not lie in that order",
            from, layout, wanted);
    return err_hint(err, "reshape(%s) copies its %lld bytes into that order", wanted,
                    (long long)t->numel * (long long)dtype_size((DType)t->dtype));
}

static Tensor *reshape_copy(Context *ctx, Tensor *t, int n, const int64_t *to, Err *err)
{
    Tensor *copy = tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, n, to, NULL, err);
    if (!copy)
        return NULL;
    Part part;                          /* the copy, seen with the shape of what is copied */
    part_dims(&part, copy, t->ndim, shape_of(t), NULL, copy->offset);
    if (copy_elements(ctx, &part.t, t, COPY_NOT_CONTIGUOUS, err))
        return copy;
    tensor_release(copy);
    return NULL;
}

Tensor *tensor_reshape(Context *ctx, Tensor *t, int n, const int64_t *sizes, Err *err)
{
    int64_t to[DIMS_MAX], strides[DIMS_MAX];
    if (!ndim_fits(n, err) || !shape_infer(t->numel, n, sizes, to, err))
        return NULL;
    if (shape_view(t->ndim, shape_of(t), strides_of(t), n, to, strides))
        return tensor_new_view(ctx, t, n, to, strides, t->offset, err);
    return reshape_copy(ctx, t, n, to, err);
}

FORWARD(view)
{
    SELF;
    int n;
    const int64_t *sizes = call_ints(call, 1, &n);
    return view_as_sizes(ctx, op, call, t, n, sizes, err);
}

FORWARD(view_as)
{
    SELF;
    Tensor *other = call->arg[1].tensor;
    return view_as_sizes(ctx, op, call, t, other->ndim, shape_of(other), err);
}

FORWARD(reshape)
{
    SELF;
    int n;
    const int64_t *sizes = call_ints(call, 1, &n);
    return call_take(call, tensor_reshape(ctx, t, n, sizes, err));
}

FORWARD(reshape_as)
{
    SELF;
    Tensor *other = call->arg[1].tensor;
    return call_take(call, tensor_reshape(ctx, t, other->ndim, shape_of(other), err));
}

/* Unlike flatten() it copies whatever is not row-major, even where a view would do. */
FORWARD(ravel)
{
    SELF;
    int64_t flat = t->numel, one = 1;
    if (tensor_is_contiguous(t))
        return call_view(ctx, op, call, t, 1, &flat, &one, t->offset, err);
    return call_take(call, reshape_copy(ctx, t, 1, &flat, err));
}

FORWARD(flatten)
{
    SELF;
    int start, end;
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &start, err) || !shape_dim(call_int(call, 2, -1), t->ndim,
            &end, err))
        return false;
    if (start > end)
        return err_set(err, ERR_RUNTIME,
                       "flatten() from dimension %d to %d: the last must not come before the first", start,
                           end);
    if (t->ndim > 0 && start == end)
        return call_take(call, tensor_retain(t));
    int64_t sizes[DIMS_MAX], joined = 1;
    int n = 0;
    for (int d = 0; d < start; d++)
        sizes[n++] = shape_of(t)[d];
    for (int d = start; d <= end && d < t->ndim; d++)
        joined *= shape_of(t)[d];
    sizes[n++] = joined;
    for (int d = end + 1; d < t->ndim; d++)
        sizes[n++] = shape_of(t)[d];
    return call_take(call, tensor_reshape(ctx, t, n, sizes, err));
}

FORWARD(unflatten)
{
    SELF;
    int dim, n;
    int64_t sizes[2 * DIMS_MAX];
    const int64_t *parts = call_ints(call, 2, &n);
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    if (n == 0 || t->ndim == 0)
        return err_set(err, ERR_RUNTIME, "unflatten() needs a dimension and at least one size for it");
    if (!ndim_fits(t->ndim - 1 + n, err) || !shape_infer(shape_of(t)[dim], n, parts, sizes + dim, err))
        return false;
    memcpy(sizes, shape_of(t), sizeof(int64_t) * (size_t)dim);
    memcpy(sizes + dim + n, shape_of(t) + dim + 1, sizeof(int64_t) * (size_t)(t->ndim - dim - 1));
    return view_as_sizes(ctx, op, call, t, t->ndim - 1 + n, sizes, err);
}

/* The bytes read as another dtype: the last dimension grows or shrinks where the sizes of an element differ. */
FORWARD(view_dtype)
{
    SELF;
    Dims dims;
    dims_of(&dims, t);
    DType to = call_dtype(call, 1);
    int64_t from_size = (int64_t)dtype_size((DType)t->dtype), to_size = (int64_t)dtype_size(to),
        last = t->ndim - 1;
    const char *from_name = dtype_name((DType)t->dtype), *to_name = dtype_name(to);
    if (from_size != to_size) {
        if (t->ndim == 0)
            return err_set(err, ERR_RUNTIME,
                           "a tensor without dimensions cannot be viewed as %s: an element of %s has another size",
                           to_name, from_name);
        if (dims.strides[last] != 1)
            return err_set(err, ERR_RUNTIME, "to view %s as %s the last stride must be 1, but it is %lld",
                           from_name, to_name,
                           (long long)dims.strides[last]);
        int64_t ratio = from_size > to_size ? from_size / to_size : to_size / from_size;
        bool shrink = from_size > to_size;              /* smaller elements, more of them */
        for (int d = 0; d <= last && !shrink; d++)
            if (d < last ? dims.strides[d] % ratio : dims.shape[d] % ratio)
                return err_set(err, ERR_RUNTIME,
                               "to view %s as %s the last size and the other strides must be divisible by %lld",
                               from_name, to_name, (long long)ratio);
        if (!shrink && dims.offset % ratio)
            return err_set(err, ERR_RUNTIME,
                           "to view %s as %s the storage offset %lld must be divisible by %lld", from_name,
                               to_name,
                           (long long)dims.offset, (long long)ratio);
        for (int d = 0; d < last; d++)
            dims.strides[d] = shrink ? dims.strides[d] * ratio : dims.strides[d] / ratio;
        dims.shape[last] = shrink ? dims.shape[last] * ratio : dims.shape[last] / ratio;
        dims.offset = shrink ? dims.offset * ratio : dims.offset / ratio;
    }
    return call_take(call, tensor_new(ctx, t->storage, to, dims.n, dims.shape, dims.strides, dims.offset,
                                      NULL, t->version, err));
}

/* ---- other orders of the dimensions --------------------------------------------------------------------- */
static bool permuted(Context *ctx, OpId id, Call *call, Tensor *t, const int *order, Err *err)
{
    Dims dims = { .offset = t->offset };
    for (int d = 0; d < t->ndim; d++)
        dims_add(&dims, shape_of(t)[order[d]], strides_of(t)[order[d]]);
    return result(ctx, id, call, t, &dims, err);
}

static bool swapped(Context *ctx, OpId id, Call *call, Tensor *t, int a, int b, Err *err)
{
    int order[DIMS_MAX];
    for (int d = 0; d < t->ndim; d++)
        order[d] = d == a ? b : d == b ? a : d;
    return permuted(ctx, id, call, t, order, err);
}

FORWARD(transpose)
{
    SELF;
    int a, b;
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &a, err) || !shape_dim(call_int(call, 2, 0), t->ndim, &b,
            err))
        return false;
    return swapped(ctx, op, call, t, a, b, err);
}

FORWARD(t)
{
    SELF;
    if (t->ndim > 2)
        return err_set(err, ERR_RUNTIME, "t() takes a tensor of at most 2 dimensions, this one has %d",
                       t->ndim);
    return swapped(ctx, op, call, t, 0, t->ndim - 1, err);
}

FORWARD(T)
{
    SELF;
    int order[DIMS_MAX];
    for (int d = 0; d < t->ndim; d++)
        order[d] = t->ndim - 1 - d;
    return permuted(ctx, op, call, t, order, err);
}

FORWARD(mT)
{
    SELF;
    if (t->ndim == 1)
        return err_set(err, ERR_RUNTIME,
                       "%s is for matrices and batches of matrices, this tensor has 1 dimension",
                           op_info[op].name);
    return swapped(ctx, op, call, t, t->ndim - 2, t->ndim - 1, err);
}

FORWARD(H)
{
    SELF;
    if (t->ndim != 2 && t->ndim != 0)
        return err_set(err, ERR_RUNTIME, "H is for matrices, this tensor has %d dimension%s", t->ndim,
                       t->ndim == 1 ? "" : "s");
    return swapped(ctx, op, call, t, 0, t->ndim - 1, err);
}

FORWARD(permute)
{
    SELF;
    int n, order[DIMS_MAX];
    uint64_t seen = 0;
    const int64_t *dims = call_ints(call, 1, &n);
    if (n != t->ndim)
        return err_set(err, ERR_RUNTIME, "permute() of a tensor of %d dimensions needs %d of them, %d given",
                       t->ndim, t->ndim, n);
    for (int i = 0; i < n; i++) {
        if (!shape_dim(dims[i], t->ndim, &order[i], err))
            return false;
        if (seen & (uint64_t)1 << order[i])
            return err_set(err, ERR_RUNTIME, "permute() got dimension %d twice", order[i]);
        seen |= (uint64_t)1 << order[i];
    }
    return permuted(ctx, op, call, t, order, err);
}

FORWARD(movedim)
{
    SELF;
    int n, m, order[DIMS_MAX], from = 0;
    uint64_t taken = 0, placed = 0;
    const int64_t *source = call_ints(call, 1, &n), *destination = call_ints(call, 2, &m);
    if (n != m)
        return err_set(err, ERR_RUNTIME,
                       "movedim() moves as many dimensions as it has places for: %d and %d given", n, m);
    for (int i = 0; i < n; i++) {
        int a, b;
        if (!shape_dim(source[i], t->ndim, &a, err) || !shape_dim(destination[i], t->ndim, &b, err))
            return false;
        if (taken & (uint64_t)1 << a || placed & (uint64_t)1 << b)
            return err_set(err, ERR_RUNTIME, "movedim() got dimension %d twice", taken & (uint64_t)1 << a ? a
                           : b);
        taken |= (uint64_t)1 << a;
        placed |= (uint64_t)1 << b;
        order[b] = a;
    }
    for (int d = 0; d < t->ndim; d++) {
        if (placed & (uint64_t)1 << d)
            continue;
        while (taken & (uint64_t)1 << from)
            from++;
        order[d] = from++;
    }
    return permuted(ctx, op, call, t, order, err);
}

/* ---- dimensions that come and go ------------------------------------------------------------------------- */
FORWARD(squeeze)
{
    SELF;
    int n;
    uint64_t mask = ~(uint64_t)0;
    const int64_t *which = call_ints(call, 1, &n);
    if (which && !shape_dims(which, n, t->ndim, &mask, err))
        return false;
    Dims dims = { .offset = t->offset };
    for (int d = 0; d < t->ndim; d++)
        if (shape_of(t)[d] != 1 || !(mask & (uint64_t)1 << d))
            dims_add(&dims, shape_of(t)[d], strides_of(t)[d]);
    return result(ctx, op, call, t, &dims, err);
}

FORWARD(unsqueeze)
{
    SELF;
    int dim;
    Dims dims = { .offset = t->offset };
    if (!shape_dim(call_int(call, 1, 0), t->ndim + 1, &dim, err))
        return false;
    for (int d = 0; d < t->ndim; d++) {
        if (d == dim)
            dims_add(&dims, 1, shape_of(t)[d] * strides_of(t)[d]);
        dims_add(&dims, shape_of(t)[d], strides_of(t)[d]);
    }
    if (dim == t->ndim)
        dims_add(&dims, 1, 1);
    return result(ctx, op, call, t, &dims, err);
}

static bool expanded(Context *ctx, OpId id, Call *call, Tensor *t, int n, const int64_t *sizes, Err *err)
{
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    return expand_dims(t, n, sizes, shape, strides, err) && call_view(ctx, id, call, t, n, shape, strides,
                                                                      t->offset, err);
}

FORWARD(expand)
{
    SELF;
    int n;
    const int64_t *sizes = call_ints(call, 1, &n);
    return expanded(ctx, op, call, t, n, sizes, err);
}

FORWARD(expand_as)
{
    SELF;
    Tensor *other = call->arg[1].tensor;
    return expanded(ctx, op, call, t, other->ndim, shape_of(other), err);
}

FORWARD(atleast_1d)
{
    SELF;
    int64_t one = 1;
    return t->ndim >= 1 ? call_take(call, tensor_retain(t)) : view_as_sizes(ctx, op, call, t, 1, &one, err);
}

FORWARD(atleast_2d)
{
    SELF;
    if (t->ndim >= 2)
        return call_take(call, tensor_retain(t));
    Dims dims = { .offset = t->offset };
    int64_t size = t->ndim ? shape_of(t)[0] : 1, stride = t->ndim ? strides_of(t)[0] : 1;
    dims_add(&dims, 1, size * stride);
    dims_add(&dims, size, stride);
    return result(ctx, op, call, t, &dims, err);
}

FORWARD(atleast_3d)
{
    SELF;
    if (t->ndim >= 3)
        return call_take(call, tensor_retain(t));
    Dims dims = { .offset = t->offset };
    if (t->ndim < 2) {
        int64_t size = t->ndim ? shape_of(t)[0] : 1, stride = t->ndim ? strides_of(t)[0] : 1;
        dims_add(&dims, 1, size * stride);
        dims_add(&dims, size, stride);
    } else {
        dims_of(&dims, t);
    }
    dims_add(&dims, 1, 1);
    return result(ctx, op, call, t, &dims, err);
}

/* ---- parts of a tensor ----------------------------------------------------------------------------------- */
FORWARD(narrow)
{
    SELF;
    int dim;
    Part part;
    int64_t start = call_int(call, 2, 0), length = call_int(call, 3, 0);
    if (t->ndim == 0)
        return err_set(err, ERR_RUNTIME, "narrow() needs a tensor with at least one dimension");
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    int64_t size = shape_of(t)[dim];
    if (length < 0)
        return err_set(err, ERR_RUNTIME, "narrow(): the length %lld is negative", (long long)length);
    if (start < -size || start > size)
        return err_set(err, ERR_INDEX, "narrow(): start %lld is out of range for dimension %d with size %lld",
                       (long long)start, dim,
                       (long long)size);
    start += start < 0 ? size : 0;
    if (length > size - start)
        return err_set(err, ERR_RUNTIME,
                       "narrow(): start %lld and length %lld go beyond dimension %d with size %lld",
                       (long long)start, (long long)length, dim, (long long)size);
    part_whole(&part, t);
    part_narrow(&part, dim, start, length, 1);
    return call_view(ctx, op, call, t, t->ndim, shape_of(&part.t), strides_of(&part.t), part.t.offset, err);
}

FORWARD(select)
{
    SELF;
    int dim;
    Dims dims;
    int64_t index = call_int(call, 2, 0);
    if (t->ndim == 0)
        return err_set(err, ERR_INDEX, "select() needs a tensor with at least one dimension");
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    int64_t size = shape_of(t)[dim];
    if (index < -size || index >= size)
        return err_set(err, ERR_INDEX, "index %lld is out of range for dimension %d with size %lld",
                       (long long)index, dim,
                       (long long)size);
    dims_of(&dims, t);
    dims.offset += (index < 0 ? index + size : index) * dims.strides[dim];
    dims_remove(&dims, dim);
    return result(ctx, op, call, t, &dims, err);
}

FORWARD(diagonal)
{
    SELF;
    int a, b;
    Dims dims;
    int64_t shift = call_int(call, 1, 0);
    if (!shape_dim(call_int(call, 2, 0), t->ndim, &a, err) || !shape_dim(call_int(call, 3, 1), t->ndim, &b,
            err))
        return false;
    if (a == b)
        return err_set(err, ERR_RUNTIME,
                       "diagonal() needs two dimensions that differ, dimension %d is given twice", a);
    dims_of(&dims, t);
    int64_t stride_a = dims.strides[a], stride_b = dims.strides[b];
    int64_t rows = dims.shape[a] + (shift < 0 ? shift : 0), columns = dims.shape[b] - (shift > 0 ? shift : 0);
    int64_t size = rows < columns ? rows : columns;
    if (size <= 0)
        size = 0;
    else
        dims.offset += shift > 0 ? shift * stride_b : -shift * stride_a;
    dims_remove(&dims, a > b ? a : b);
    dims_remove(&dims, a > b ? b : a);
    dims_add(&dims, size, stride_a + stride_b);
    return result(ctx, op, call, t, &dims, err);
}

FORWARD(unfold)
{
    SELF;
    int dim;
    Dims dims;
    int64_t size = call_int(call, 2, 0), step = call_int(call, 3, 1);
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    int64_t whole = t->ndim ? shape_of(t)[dim] : 1, stride = t->ndim ? strides_of(t)[dim] : 1;
    if (size < 0 || size > whole)
        return err_set(err, ERR_RUNTIME,
                       "unfold(): windows of %lld elements do not fit into dimension %d with size %lld",
                       (long long)size, dim, (long long)whole);
    if (step <= 0)
        return err_set(err, ERR_RUNTIME, "unfold(): step must be greater than 0, but it is %lld",
                       (long long)step);
    dims_of(&dims, t);
    if (t->ndim) {
        dims.shape[dim] = (whole - size) / step + 1;
        dims.strides[dim] = stride * step;
    }
    dims_add(&dims, size, stride);
    return result(ctx, op, call, t, &dims, err);
}

FORWARD(as_strided)
{
    SELF;
    int n, m;
    const int64_t *shape = call_ints(call, 1, &n), *strides = call_ints(call, 2, &m);
    int64_t offset = call_int(call, 3, t->offset), last = offset, numel;
    if (n != m)
        return err_set(err, ERR_RUNTIME, "as_strided(): %d sizes, but %d strides", n, m);
    if (!ndim_fits(n, err) || (numel = shape_numel(n, shape, err)) < 0)
        return false;
    if (offset < 0)
        return err_set(err, ERR_RUNTIME, "as_strided(): the storage offset %lld is negative",
                       (long long)offset);
    int64_t held = (int64_t)(t->storage->bytes / dtype_size((DType)t->dtype));
    for (int d = 0; d < n; d++) {
        int64_t reach;
        if (strides[d] < 0)
            return err_set(err, ERR_RUNTIME, "as_strided(): stride %lld is negative, which no tensor has",
                           (long long)strides[d]);
        if (numel && (__builtin_mul_overflow(shape[d] - 1, strides[d], &reach) || __builtin_add_overflow(last,
                reach, &last)))
            return err_set(err, ERR_RUNTIME, "as_strided(): these sizes and strides are too large");
    }
    if (numel && last >= held)
        return err_set(err, ERR_RUNTIME,
                       "as_strided() would reach element %lld of a storage that holds %lld (%zu bytes)",
                       (long long)last, (long long)held, t->storage->bytes);
    return call_view(ctx, op, call, t, n, shape, strides, offset, err);
}

/* ---- the same elements ----------------------------------------------------------------------------------- */
FORWARD(alias)
{
    SELF;
    return call_view(ctx, op, call, t, t->ndim, shape_of(t), strides_of(t), t->offset, err);
}

/* Counts its writes with t, but is no view of it: no history leads back. */
FORWARD(detach)
{
    SELF;
    return call_take(call, tensor_new(ctx, t->storage, (DType)t->dtype, t->ndim, shape_of(t), strides_of(t),
                                      t->offset, NULL,
                                      t->version, err));
}

/* Writes through `.data` are not counted in t's version: a family of its own. */
FORWARD(data)
{
    SELF;
    return call_take(call, tensor_new(ctx, t->storage, (DType)t->dtype, t->ndim, shape_of(t), strides_of(t),
                                      t->offset, NULL,
                                      NULL, err));
}
