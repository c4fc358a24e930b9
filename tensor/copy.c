/*
 * copy.c - the only place that copies elements, so the only source of copy events.
 */
#include "tensor/impl.h"

static void report(Context *ctx, const Tensor *dst, const Tensor *src, CopyReason reason)
{
    if (!ctx->heap->record || reason == COPY_REASONS)
        return;
    Event *event = record_add(ctx->heap->record, EVENT_COPY);
    event->storage = dst->storage->head.serial;
    event->other = src->storage->head.serial;
    event->bytes = dst->numel * (int64_t)dtype_size((DType)dst->dtype);
    event->reason = (uint8_t)reason;
    event->dtype = dst->dtype;
    event->from_dtype = src->dtype;
    event->op = ctx->op;
    event->object = src->head.serial;
    event->ndim = src->ndim < EVENT_DIMS ? src->ndim : EVENT_DIMS;
    memcpy(event->shape, shape_of(src), event->ndim * sizeof *event->shape);
    memcpy(event->stride, strides_of(src), event->ndim * sizeof *event->stride);
}

/* A walk over dst's elements in row-major order, with the addresses in both. */
typedef struct Walk {
    char   *to;
    const char *from;
    int64_t index[DIMS_MAX], to_step[DIMS_MAX], from_step[DIMS_MAX];
} Walk;

static bool walk_begin(Walk *w, Tensor *dst, const Tensor *src, Err *err)
{
    int64_t shape[DIMS_MAX];
    int ndim, lead = dst->ndim - src->ndim;
    char text_dst[200], text_src[200];
    if (!shape_broadcast(dst->ndim, shape_of(dst), src->ndim, shape_of(src), &ndim, shape, err))
        return false;
    if (ndim != dst->ndim || memcmp(shape, shape_of(dst), (size_t)ndim * sizeof *shape)) {
        shape_print_to(text_dst, sizeof text_dst, dst->ndim, shape_of(dst));
        shape_print_to(text_src, sizeof text_src, src->ndim, shape_of(src));
        return err_set(err, ERR_RUNTIME, "values of shape %s do not fit into shape %s", text_src, text_dst);
    }
    w->to = data_of(dst);
    w->from = data_of(src);
    for (int d = 0; d < ndim; d++) {
        w->index[d] = 0;
        w->to_step[d] = strides_of(dst)[d] * (int64_t)dtype_size((DType)dst->dtype);
        w->from_step[d] = d < lead || shape_of(src)[d - lead] == 1 ? 0
                        : strides_of(src)[d - lead] * (int64_t)dtype_size((DType)src->dtype);
    }
    return true;
}

static void walk_next(Walk *w, const Tensor *dst, int outer)
{
    for (int d = outer - 1; d >= 0; d--) {
        w->to += w->to_step[d];
        w->from += w->from_step[d];
        if (++w->index[d] < shape_of(dst)[d])
            return;
        w->to -= w->to_step[d] * shape_of(dst)[d];
        w->from -= w->from_step[d] * shape_of(dst)[d];
        w->index[d] = 0;
    }
}

static void copy_run(const Walk *w, int64_t n, int64_t to_step, int64_t from_step, DType to, DType from)
{
    char *p = w->to;
    const char *q = w->from;
    size_t size = dtype_size(to);
    if (to == from && to_step == (int64_t)size && from_step == to_step)
        memcpy(p, q, (size_t)n * size);
    else if (to == from && size == 4)
        for (int64_t i = 0; i < n; i++, p += to_step, q += from_step)
            memcpy(p, q, 4);
    else if (to == from && size == 8)
        for (int64_t i = 0; i < n; i++, p += to_step, q += from_step)
            memcpy(p, q, 8);
    else if (to == from)
        for (int64_t i = 0; i < n; i++, p += to_step, q += from_step)
            memcpy(p, q, size);
    else
        for (int64_t i = 0; i < n; i++, p += to_step, q += from_step)
            number_store(to, p, number_load(from, q));
}

bool copy_elements(Context *ctx, Tensor *dst, const Tensor *src, CopyReason reason, Err *err)
{
    Walk w;
    if (!walk_begin(&w, dst, src, err))
        return false;
    if (dst->numel) {
        int outer = dst->ndim ? dst->ndim - 1 : 0;
        int64_t n = dst->ndim ? shape_of(dst)[outer] : 1;
        for (int64_t k = 0; k < dst->numel / n; k++) {
            if ((k & 1023) == 1023 && interrupted(ctx, err))
                return false;
            copy_run(&w, n, dst->ndim ? w.to_step[outer] : 0, dst->ndim ? w.from_step[outer] : 0, (DType)dst->dtype, (DType)src->dtype);
            walk_next(&w, dst, outer);
        }
    }
    report(ctx, dst, src, reason);
    return true;
}

Tensor *copy_new(Context *ctx, const Tensor *src, DType dtype, bool preserve, CopyReason reason, Err *err)
{
    int64_t strides[DIMS_MAX];
    if (preserve)
        shape_like(src->ndim, shape_of(src), strides_of(src), strides);
    Tensor *made = tensor_new_dense(ctx, dtype, src->storage->device, src->ndim, shape_of(src), preserve ? strides : NULL, err);
    if (made && !copy_elements(ctx, made, src, reason, err)) {
        tensor_release(made);
        return NULL;
    }
    return made;
}

Tensor *copy_dense(Context *ctx, Tensor *t, DType dtype, CopyReason reason, Err *err)
{
    return t->dtype == dtype && tensor_is_contiguous(t) ? tensor_retain(t) : copy_new(ctx, t, dtype, false, reason, err);
}

bool fill_elements(Context *ctx, Tensor *dst, Number number, Err *err)
{
    char value[8];
    size_t size = dtype_size((DType)dst->dtype);
    Walk w;
    number_store((DType)dst->dtype, value, number);
    if (!walk_begin(&w, dst, dst, err))
        return false;
    for (int64_t k = 0; k < dst->numel; k++) {
        if ((k & 0xfffff) == 0xfffff && interrupted(ctx, err))
            return false;
        memcpy(w.to, value, size);
        walk_next(&w, dst, dst->ndim);
    }
    return true;
}

bool interrupted(Context *ctx, Err *err)
{
    return ctx->interrupted && *ctx->interrupted && (err_set(err, ERR_KEYBOARD_INTERRUPT, "interrupted"), true);
}
