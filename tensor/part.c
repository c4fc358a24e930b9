/* part.c - handles on the C stack, and the ways in which views and lists of views become results. */
#include "tensor/part.h"

Tensor *part_dims(Part *part, const Tensor *t, int ndim, const int64_t *shape, const int64_t *strides,
                  int64_t offset)
{
    int64_t *to = part->dims;
    int64_t numel = 1;
    if (t != &part->t)
        part->t = *t;
    for (int d = 0; d < ndim; d++)
        numel *= shape[d];
    if (ndim)
        memmove(to, shape, sizeof *to * (size_t)ndim);
    if (ndim && strides)
        memmove(to + ndim, strides, sizeof *to * (size_t)ndim);
    else
        shape_row_major(ndim, to, to + ndim);
    part->t.dims = to;
    part->t.ndim = (uint8_t)ndim;
    part->t.offset = offset;
    part->t.numel = numel;
    return &part->t;
}

Tensor *part_whole(Part *part, const Tensor *t)
{
    return part_dims(part, t, t->ndim, shape_of(t), strides_of(t), t->offset);
}

void part_narrow(Part *part, int dim, int64_t start, int64_t length, int64_t step)
{
    Tensor *t = &part->t;
    int64_t *stride = &t->dims[t->ndim + dim];
    t->offset += start * *stride;
    *stride *= step;
    t->dims[dim] = length;
    t->numel = 1;
    for (int d = 0; d < t->ndim; d++)
        t->numel *= t->dims[d];
}

#define MOVE(T)                                                                            \
    for (int64_t i = 0; i < n; i++)                                                        \
        ((T *)to)[i * a] = ((const T *)from)[i * b];                                       \
    break
static void move_row(size_t size, int64_t n, char *to, int64_t a, const char *from, int64_t b)
{
    if (a == 1 && b == 1) {
        memcpy(to, from, size * (size_t)n);
        return;
    }
    switch (size) {
    case 1: MOVE(uint8_t);
    case 2: MOVE(uint16_t);
    case 4: MOVE(uint32_t);
    default: MOVE(uint64_t);
    }
}

void move_elements(size_t size, int ndim, const int64_t *shape, char *to, const int64_t *to_strides,
                   const char *from,
                   const int64_t *from_strides)
{
    int64_t sizes[DIMS_MAX + 1], a[DIMS_MAX + 1], b[DIMS_MAX + 1], at[DIMS_MAX + 1] = { 0 },
        bytes = (int64_t)size;
    int n = 0;
    for (int d = 0; d < ndim; d++) {    /* neighbours that are one run in both become one dimension */
        if (shape[d] == 0)
            return;
        if (shape[d] == 1)
            continue;
        if (n && a[n - 1] == to_strides[d] * shape[d] && b[n - 1] == from_strides[d] * shape[d]) {
            sizes[n - 1] *= shape[d];
        } else {
            sizes[n++] = shape[d];
        }
        a[n - 1] = to_strides[d];
        b[n - 1] = from_strides[d];
    }
    if (n == 0) {
        memcpy(to, from, size);
        return;
    }
    int last = n - 1;
    for (;;) {
        move_row(size, sizes[last], to, a[last], from, b[last]);
        int d = last - 1;
        for (; d >= 0; d--) {
            to += a[d] * bytes;
            from += b[d] * bytes;
            if (++at[d] < sizes[d])
                break;
            to -= a[d] * sizes[d] * bytes;
            from -= b[d] * sizes[d] * bytes;
            at[d] = 0;
        }
        if (d < 0)
            return;
    }
}

bool call_take(Call *call, Tensor *result)
{
    if (!result)
        return false;
    call->out[0] = result;
    call->outs = 1;
    return true;
}

/* The handle changes, no element does: the write names nobody else. */
static void handle_changed(Context *ctx, OpId id, Tensor *t)
{
    t->version->writes++;
    if (!ctx->heap->record)
        return;
    Event *event = record_add(ctx->heap->record, EVENT_WRITE);
    event->op = (uint16_t)id;
    event->object = t->head.serial;
    event->storage = t->storage->head.serial;
    event->dtype = t->dtype;
    event->version = t->version->writes;
}

bool call_view(Context *ctx, OpId id, Call *call, Tensor *t, int ndim, const int64_t *shape,
               const int64_t *strides,
               int64_t offset, Err *err)
{
    if (!ndim_fits(ndim, err))
        return false;
    if (!call->inplace)
        return call_take(call, tensor_new_view(ctx, t, ndim, shape, strides, offset, err));
    if (t->requires_grad && ctx->grad_mode && tensor_is_leaf(t))
        return err_set(err, ERR_RUNTIME, "a leaf that requires grad cannot be changed in place by %s_()",
                       op_info[id].name);
    if (!tensor_set_dims(t, ndim, shape, strides, offset, err))
        return false;
    handle_changed(ctx, id, t);
    return call_take(call, tensor_retain(t));
}

bool call_many(Context *ctx, Call *call, int64_t n, Err *err)
{
    call->many_count = 0;
    if (n > INT32_MAX)                                  /* more than can be counted, and than there is memory for */
        return call->many = NULL, err_set(err, ERR_RUNTIME, "%lld parts are more than there is room for", (long long)n);
    call->many = mem_new(ctx->heap, sizeof(Tensor *) * (size_t)(n ? n : 1));
    return call->many || err_memory(err, sizeof(Tensor *) * (size_t)n);
}

bool call_more(Context *ctx, Call *call, Tensor *result)
{
    if (result) {
        call->many[call->many_count++] = result;
        return true;
    }
    while (call->many_count > 0)
        tensor_release(call->many[--call->many_count]);
    mem_free(ctx->heap, call->many);
    call->many = NULL;
    return false;
}

const int64_t *call_ints(const Call *call, int k, int *n)
{
    *n = 0;
    if (!call_has(call, k))
        return NULL;
    const Arg *arg = &call->arg[k];
    *n = arg->kind == ARG_INTS ? arg->n : 1;
    return arg->kind == ARG_INTS ? arg->ints : &arg->i;
}

bool ndim_fits(int64_t ndim, Err *err)
{
    if (ndim <= DIMS_MAX)
        return true;
    return err_set(err, ERR_RUNTIME, "a tensor has at most %d dimensions, this one would have %lld", DIMS_MAX,
                   (long long)ndim);
}

bool expand_dims(const Tensor *t, int n, const int64_t *to, int64_t *shape, int64_t *strides, Err *err)
{
    char from[200], wanted[200];
    if (!ndim_fits(n, err))
        return false;
    if (n < t->ndim) {
        shape_print_to(from, sizeof from, t->ndim, shape_of(t));
        shape_print_to(wanted, sizeof wanted, n, to);
        return err_set(err, ERR_RUNTIME,
                       "%s has fewer dimensions than the tensor of shape %s that is to be expanded to it",
                       wanted, from);
    }
    for (int i = n - 1; i >= 0; i--) {
        int d = i - (n - t->ndim);
        int64_t size = d >= 0 ? shape_of(t)[d] : 1;
        shape[i] = to[i];
        strides[i] = d >= 0 ? strides_of(t)[d] : t->ndim == 0 ? 0 : shape[i + 1] * strides[i + 1];
        if (to[i] == -1) {
            if (d < 0)
                return err_set(err, ERR_RUNTIME,
                               "-1 keeps the size of an existing dimension, but dimension %d of the result "
                               "is a new one", i);
            shape[i] = size;
        } else if (to[i] < 0) {
            return err_set(err, ERR_RUNTIME, "%lld is no size for dimension %d", (long long)to[i], i);
        } else if (to[i] != size) {
            if (size != 1) {
                shape_print_to(from, sizeof from, t->ndim, shape_of(t));
                shape_print_to(wanted, sizeof wanted, n, to);
                err_set(err, ERR_RUNTIME,
                        "a tensor of shape %s cannot be expanded to %s: dimension %d has size %lld, not %lld",
                        from, wanted, i, (long long)size, (long long)to[i]);
                return err_hint(err, "only dimensions of size 1 can be expanded");
            }
            strides[i] = 0;
        }
    }
    return true;
}

void slice_bounds(int64_t size, bool has_start, int64_t *start, bool has_stop, int64_t *stop)
{
    int64_t a = has_start ? *start : 0, b = has_stop ? *stop : size;
    if (a < 0)
        a += size;
    if (b < 0)
        b += size;
    a = a < 0 ? 0 : a > size ? size : a;
    b = b < a ? a : b > size ? size : b;
    *start = a;
    *stop = b;
}

Tensor *copy_like(Context *ctx, const Tensor *t, Err *err)
{
    int64_t strides[DIMS_MAX];
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    Tensor *copy = tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, t->ndim, shape_of(t), strides, err);
    if (!copy || copy_elements(ctx, copy, t, COPY_CLONE, err))
        return copy;
    tensor_release(copy);
    return NULL;
}
