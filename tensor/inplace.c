/*
 * inplace.c - what every write in place checks and reports: overlap, leaves, version, the other tensors it changed.
 */
#include "tensor/impl.h"

/* The elements' reach in bytes from the storage's start, [*begin, *end); false without elements. */
static bool reach(const Tensor *t, int64_t *begin, int64_t *end)
{
    int64_t size = (int64_t)dtype_size((DType)t->dtype), last = t->offset;
    for (int d = 0; d < t->ndim; d++)
        last += (shape_of(t)[d] - 1) * strides_of(t)[d];
    *begin = t->offset * size;
    *end = (last + 1) * size;
    return t->numel != 0;
}

/* Is there an element of t at byte offset `at`? Strides are taken from the largest down, as in a number system: exact where no
 * dim reaches into the next larger one's step, which holds for all that views of dense tensors make. */
static bool has_element_at(const Tensor *t, int64_t at)
{
    int64_t size = (int64_t)dtype_size((DType)t->dtype), rest = at - t->offset * size;
    bool used[DIMS_MAX] = { false };
    for (int k = 0; k < t->ndim; k++) {
        int best = -1;
        for (int d = 0; d < t->ndim; d++)
            if (!used[d] && (best < 0 || strides_of(t)[d] > strides_of(t)[best]))
                best = d;
        used[best] = true;
        int64_t step = strides_of(t)[best] * size;
        if (step <= 0)
            continue;
        int64_t index = rest / step;
        if (index >= shape_of(t)[best])
            index = shape_of(t)[best] - 1;
        rest -= index > 0 ? index * step : 0;
    }
    return rest >= 0 && rest < size;
}

bool tensor_overlap(const Tensor *a, const Tensor *b)
{
    int64_t begin_a, end_a, begin_b, end_b, index[DIMS_MAX] = { 0 };
    if (a->storage != b->storage || !reach(a, &begin_a, &end_a) || !reach(b, &begin_b, &end_b) || end_a <= begin_b || end_b <= begin_a)
        return false;
    enum { LOOK_AT = 1 << 16 };                         /* beyond so many elements the ranges decide */
    if (a->numel > b->numel) {
        const Tensor *swap = a;
        a = b;
        b = swap;
    }
    if (a->numel > LOOK_AT || shape_is_contiguous(b->ndim, shape_of(b), strides_of(b)))
        return true;
    for (int64_t k = 0; k < a->numel; k++) {
        int64_t at = a->offset;
        for (int d = 0; d < a->ndim; d++)
            at += index[d] * strides_of(a)[d];
        if (has_element_at(b, at * (int64_t)dtype_size((DType)a->dtype)))
            return true;
        for (int d = a->ndim - 1; d >= 0 && ++index[d] == shape_of(a)[d]; d--)
            index[d] = 0;
    }
    return false;
}

bool inplace_check(Context *ctx, OpId id, Tensor *t, Err *err)
{
    (void)id;
    for (int d = 0; d < t->ndim; d++)
        if (shape_of(t)[d] > 1 && strides_of(t)[d] == 0) {
            err_set(err, ERR_RUNTIME, "several elements of the tensor to write share one place in memory (dim %d has stride 0)", d);
            return err_hint(err, "clone() gives every element a place of its own");
        }
    if (ctx->grad_mode && t->requires_grad && !t->autograd) {
        err_set(err, ERR_RUNTIME, "a leaf tensor that requires grad is written in place");
        return err_hint(err, "write it inside `with torch.no_grad():`");
    }
    return true;
}

/* Are the elements laid out in the same way? Dims of size 1 say nothing. */
static bool same_layout(const Tensor *a, const Tensor *b)
{
    int i = 0, j = 0;
    for (;;) {
        for (; i < a->ndim && shape_of(a)[i] == 1; i++)
            continue;
        for (; j < b->ndim && shape_of(b)[j] == 1; j++)
            continue;
        if (i == a->ndim || j == b->ndim)
            return i == a->ndim && j == b->ndim;
        if (shape_of(a)[i] != shape_of(b)[j] || strides_of(a)[i++] != strides_of(b)[j++])
            return false;
    }
}

/* What PyTorch's get_overlap_status answers: only dense tensors are compared, by their ranges. */
typedef enum Overlap { OVERLAP_NONE, OVERLAP_PART, OVERLAP_WHOLE } Overlap;
static Overlap overlap_of(const Tensor *a, const Tensor *b)
{
    int64_t begin[2], end[2];
    if (a == b)
        return OVERLAP_WHOLE;
    if (a->storage != b->storage || !reach(a, &begin[0], &end[0]) || !reach(b, &begin[1], &end[1])
        || !shape_is_dense(a->ndim, shape_of(a), strides_of(a)) || !shape_is_dense(b->ndim, shape_of(b), strides_of(b))
        || end[0] <= begin[1] || end[1] <= begin[0])
        return OVERLAP_NONE;
    return begin[0] == begin[1] && end[0] == end[1] && same_layout(a, b) ? OVERLAP_WHOLE : OVERLAP_PART;
}

bool inplace_check_apart(const Tensor *written, const Tensor *input, Err *err)
{
    if (overlap_of(written, input) == OVERLAP_NONE)
        return true;
    err_set(err, ERR_RUNTIME, "the tensor that is written and one that is read share elements");
    return err_hint(err, "clone() the one that is read");
}

bool inplace_check_overlap(const Tensor *written, const Tensor *input, Err *err)
{
    if (overlap_of(written, input) != OVERLAP_PART)
        return true;
    err_set(err, ERR_RUNTIME, "the tensor that is written and one that is read share some of their elements, but not all");
    return err_hint(err, "clone() the one that is read");
}

void inplace_done(Context *ctx, OpId id, Tensor *t)
{
    t->version->writes++;
    Record *record = ctx->heap->record;
    if (!record)
        return;
    Event *event = record_add(record, EVENT_WRITE);
    event->object = t->head.serial;
    event->storage = t->storage->head.serial;
    event->op = (uint16_t)id;
    event->version = t->version->writes;
    for (const Tensor *other = t->storage->oldest; other; other = other->newer)
        if (other->head.serial != t->head.serial && tensor_overlap(t, other))
            record_alias(record, event, other->head.serial);
}
