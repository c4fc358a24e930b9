/*
 * index_dim.c - picking by one list of positions along a dimension (index_select, index_add …),
     by flat positions
 * (take, put_) and by masks (masked_select, masked_scatter),
     and the way back from a mask to positions (nonzero).
 */
#include "tensor/index.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/index.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define SELF Tensor *t = call->arg[0].tensor; (void)plan, (void)op

/* The tensor that an index_… form writes: self in place, else a copy of it, row-major or laid out like self. */
static Tensor *written(Context *ctx, OpId id, Call *call, Tensor *t, bool like, Err *err)
{
    if (call->inplace)
        return call_result(ctx, id, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err);
    Tensor *copy = like ? copy_like(ctx, t, err) : copy_new(ctx, t, (DType)t->dtype, false, COPY_CLONE, err);
    return call_take(call, copy) ? copy : NULL;
}

static bool is_index(OpId id, const Tensor *index, int most_dims, Err *err)
{
    if (!index_dtype((DType)index->dtype))
        return err_set(err, ERR_RUNTIME, "%s(): the index must hold integers, not %s", op_info[id].name,
                       dtype_name((DType)index->dtype));
    if (index->ndim > most_dims)
        return err_set(err, ERR_INDEX, "%s(): the index must be a vector, this one has %d dimensions",
                       op_info[id].name, index->ndim);
    return true;
}

/* A dimension of x taken apart: place i of it is `stride` elements from the start, and has this shape. */
typedef struct Slices {
    int     dim, rest;
    int64_t size, stride, count;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    char   *data;
    size_t  bytes;
} Slices;

static void slices_of(Slices *s, const Tensor *t, int dim)
{
    s->dim = dim;
    s->rest = 0;
    s->count = 1;
    s->size = t->ndim ? shape_of(t)[dim] : 1;
    s->stride = t->ndim ? strides_of(t)[dim] : 1;
    s->data = data_of(t);
    s->bytes = dtype_size((DType)t->dtype);
    for (int d = 0; d < t->ndim; d++) {
        if (d == dim)
            continue;
        s->shape[s->rest] = shape_of(t)[d];
        s->strides[s->rest++] = strides_of(t)[d];
        s->count *= shape_of(t)[d];
    }
}

static char *slice_at(const Slices *s, int64_t i)
{
    return s->data + i * s->stride * (int64_t)s->bytes;
}

static void slice_move(const Slices *to, int64_t i, const Slices *from, int64_t k)
{
    if (to->count == 1)
        memcpy(slice_at(to, i), slice_at(from, k), to->bytes);
    else
        move_elements(to->bytes, to->rest, to->shape, slice_at(to, i), to->strides, slice_at(from, k),
                      from->strides);
}

FORWARD(index_select)
{
    SELF;
    int dim;
    Tensor *index = call->arg[2].tensor, *to;
    int64_t shape[DIMS_MAX];
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err) || !is_index(op, index, 1, err))
        return false;
    if (t->ndim == 0 && index->numel != 1)
        return err_set(err, ERR_INDEX,
                       "index_select() of a tensor without dimensions takes one index, %lld given",
                           (long long)index->numel);
    memcpy(shape, shape_of(t), sizeof(int64_t) * t->ndim);
    shape[dim] = t->ndim ? index->numel : 1;
    int64_t *at = index_values(ctx, index, t->ndim ? shape_of(t)[dim] : 1, dim, false, err);
    if (!at)
        return false;
    to = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape, NULL, err);
    if (to) {
        Slices source, target;
        slices_of(&source, t, dim);
        slices_of(&target, to, dim);
        for (int64_t i = 0; i < index->numel && to->numel; i++)
            slice_move(&target, i, &source, at[i]);
    }
    mem_free(ctx->heap, at);
    return to && call_finish(ctx, op, call, err);
}

FORWARD(index_fill)
{
    SELF;
    int dim;
    Tensor *index = call->arg[2].tensor, *to;
    Number value;
    uint64_t bytes;
    int64_t zeros[DIMS_MAX] = { 0 };
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err) || !is_index(op, index, 1, err))
        return false;
    if (call->arg[3].kind == ARG_TENSOR) {
        const Tensor *from = call->arg[3].tensor;
        if (from->ndim)
            return err_set(err, ERR_RUNTIME,
                           "index_fill() takes a number or a tensor without dimensions, this one has %d",
                               from->ndim);
        value = number_load((DType)from->dtype, data_of(from));
    } else {
        arg_kind_number(&call->arg[3], &value);
        if (!number_fits((DType)t->dtype, value))
            return err_set(err, ERR_RUNTIME, "%g cannot be represented as %s", number_double(value),
                           dtype_name((DType)t->dtype));
    }
    number_store((DType)t->dtype, &bytes, value);
    int64_t *at = index_values(ctx, index, t->ndim ? shape_of(t)[dim] : 1, dim, true, err);
    if (!at)
        return false;
    to = written(ctx, op, call, t, true, err);
    if (to) {
        Slices target;
        slices_of(&target, to, dim);
        for (int64_t i = 0; i < index->numel && to->numel; i++)
            move_elements(target.bytes, target.rest, target.shape, slice_at(&target, at[i]), target.strides,
                          (char *)&bytes, zeros);
    }
    mem_free(ctx->heap, at);
    return to && call_finish(ctx, op, call, err);
}

static bool source_fits(OpId id, const Tensor *t, const Tensor *index, const Tensor *source, int dim,
                        Err *err)
{
    const char *name = op_info[id].name;
    bool fits = source->ndim == t->ndim;
    if (source->dtype != t->dtype)
        return err_set(err, ERR_RUNTIME, "%s(): the source is %s, but the tensor is %s", name,
                       dtype_name((DType)source->dtype),
                       dtype_name((DType)t->dtype));
    for (int d = 0; fits && d < t->ndim; d++)
        fits = shape_of(source)[d] == (d == dim ? index->numel : shape_of(t)[d]);
    if (fits && (t->ndim || index->numel == 1))
        return true;
    char a[200], b[200];
    shape_print_to(a, sizeof a, source->ndim, shape_of(source));
    shape_print_to(b, sizeof b, t->ndim, shape_of(t));
    return err_set(err, ERR_RUNTIME,
                   "%s(): a source of shape %s does not fit %lld positions along dimension %d of a tensor of shape %s",
                   name, a, (long long)index->numel, dim, b);
}

/* to += alpha * from, element by element in the dtype's own arithmetic. */
static void add_scaled(DType dtype, int n, const int64_t *shape, char *to, const int64_t *a, const char *from,
                       const int64_t *b,
                       Number alpha)
{
    int64_t size = (int64_t)dtype_size(dtype);
    if (n > 0) {
        for (int64_t i = 0; i < shape[0]; i++)
            add_scaled(dtype, n - 1, shape + 1, to + i * a[0] * size, a + 1, from + i * b[0] * size, b + 1,
                       alpha);
        return;
    }
    if (dtype == DT_F32) {
        *(float *)to += *(const float *)from * (float)number_double(alpha);
        return;
    }
    Number sum = number_load(dtype, to), more = number_load(dtype, from);
    if (sum.kind == DKIND_FLOAT)
        sum.f += more.f * number_double(alpha);
    else if (sum.kind == DKIND_INT)
        sum.i += more.i * number_int(alpha);
    else
        sum.b |= more.b && number_int(alpha);
    number_store(dtype, to, sum);
}

static bool index_from(Context *ctx, OpId op, Call *call, Tensor *t, bool add, Err *err)
{
    int dim;
    Tensor *index = call->arg[2].tensor, *source = call->arg[3].tensor, *to;
    Number alpha = { .kind = DKIND_INT, .i = 1 };
    if (add && call_has(call, 4))
        arg_kind_number(&call->arg[4], &alpha);
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err) || !is_index(op, index, 1, err)
        || !source_fits(op, t, index, source, dim, err))
        return false;
    if (alpha.kind > dtype_kind((DType)t->dtype))
        return err_set(err, ERR_RUNTIME, "%s(): alpha must not be a float for a tensor of %s",
                       op_info[op].name, dtype_name((DType)t->dtype));
    int64_t *at = index_values(ctx, index, t->ndim ? shape_of(t)[dim] : 1, dim, false, err);
    if (!at)
        return false;
    to = !call->inplace || inplace_check_apart(t, source, err) ? written(ctx, op, call, t, false, err) : NULL;
    if (to) {
        Slices target, from;
        slices_of(&target, to, dim);
        slices_of(&from, source, dim);
        for (int64_t i = 0; i < index->numel && to->numel; i++) {
            if (add)
                add_scaled((DType)to->dtype, target.rest, target.shape, slice_at(&target, at[i]),
                           target.strides, slice_at(&from, i),
                           from.strides, alpha);
            else
                slice_move(&target, at[i], &from, i);
        }
    }
    mem_free(ctx->heap, at);
    return to && call_finish(ctx, op, call, err);
}

FORWARD(index_add)
{
    SELF;
    return index_from(ctx, op, call, t, true, err);
}

FORWARD(index_copy)
{
    SELF;
    return index_from(ctx, op, call, t, false, err);
}

/* ---- flat positions ---------------------------------------------------------------------------------------- */
static char *element(const Tensor *t, int64_t flat)
{
    int64_t at = 0;
    for (int d = t->ndim - 1; d >= 0; d--) {
        at += flat % shape_of(t)[d] * strides_of(t)[d];
        flat /= shape_of(t)[d];
    }
    return data_of(t) + at * (int64_t)dtype_size((DType)t->dtype);
}

FORWARD(take)
{
    SELF;
    Tensor *index = call->arg[1].tensor, *to;
    if (!is_index(op, index, DIMS_MAX, err))
        return false;
    int64_t *at = index_values(ctx, index, t->numel, 0, true, err);
    if (!at)
        return false;
    to = tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, index->ndim, shape_of(index), NULL, err);
    size_t size = dtype_size((DType)t->dtype);
    for (int64_t i = 0; to && i < index->numel; i++)
        memcpy(data_of(to) + (size_t)i * size, element(t, at[i]), size);
    mem_free(ctx->heap, at);
    return call_take(call, to);
}

FORWARD(put)
{
    SELF;
    Tensor *index = call->arg[1].tensor, *source = call->arg[2].tensor, *to;
    if (!is_index(op, index, DIMS_MAX, err))
        return false;
    if (source->dtype != t->dtype)
        return err_set(err, ERR_RUNTIME, "put_(): the source is %s, but the tensor is %s",
                       dtype_name((DType)source->dtype),
                       dtype_name((DType)t->dtype));
    if (source->numel != index->numel)
        return err_set(err, ERR_INDEX, "put_(): %lld positions, but %lld values", (long long)index->numel,
                       (long long)source->numel);
    int64_t *at = index_values(ctx, index, t->numel, 0, true, err);
    if (!at)
        return false;
    to = !call->inplace || inplace_check_apart(t, source, err) ? written(ctx, op, call, t, true, err) : NULL;
    for (int64_t i = 0; to && i < index->numel; i++) {
        if (call_bool(call, 3, false))
            add_scaled((DType)to->dtype, 0, NULL, element(to, at[i]), NULL, element(source, i), NULL,
                       (Number){ .kind = DKIND_INT, .i = 1 });
        else
            memcpy(element(to, at[i]), element(source, i), dtype_size((DType)to->dtype));
    }
    mem_free(ctx->heap, at);
    return to && call_finish(ctx, op, call, err);
}

/* ---- masks ------------------------------------------------------------------------------------------------- */
/* Both seen with their common shape; the mask must be of bools. */
static bool masked(OpId id, const Tensor *t, const Tensor *mask, Part *a, Part *b, Err *err)
{
    int n;
    int64_t shape[DIMS_MAX], to[DIMS_MAX], strides[DIMS_MAX];
    if (mask->dtype != DT_BOOL && mask->dtype != DT_U8)
        return err_set(err, ERR_RUNTIME, "%s(): the mask must hold bools, not %s", op_info[id].name,
                       dtype_name((DType)mask->dtype));
    if (!shape_broadcast(t->ndim, shape_of(t), mask->ndim, shape_of(mask), &n, shape, err) || !expand_dims(t,
            n, shape, to, strides, err))
        return false;
    part_dims(a, t, n, to, strides, t->offset);
    if (!expand_dims(mask, n, shape, to, strides, err))
        return false;
    part_dims(b, mask, n, to, strides, mask->offset);
    return true;
}

FORWARD(masked_select)
{
    SELF;
    Part seen, mask;
    int64_t count, *at;
    if (!masked(op, t, call->arg[1].tensor, &seen, &mask, err) || !(at = index_true(ctx, &mask.t, &count,
            err)))
        return false;
    Tensor *to = call_result(ctx, op, call, 0, (DType)t->dtype, 1, &count, NULL, err);
    int64_t size = (int64_t)dtype_size((DType)t->dtype);
    for (int64_t i = 0; to && i < count; i++) {
        const char *from = data_of(&seen.t);
        for (int d = 0; d < seen.t.ndim; d++)
            from += at[d * count + i] * strides_of(&seen.t)[d] * size;
        memcpy(data_of(to) + i * strides_of(to)[0] * size, from, (size_t)size);
    }
    mem_free(ctx->heap, at);
    return to && call_finish(ctx, op, call, err);
}

FORWARD(masked_scatter)
{
    SELF;
    Part seen, mask;
    Tensor *source = call->arg[2].tensor, *to = NULL;
    int64_t count, *at;
    if (source->dtype != t->dtype)
        return err_set(err, ERR_RUNTIME, "masked_scatter(): the source is %s, but the tensor is %s",
                       dtype_name((DType)source->dtype),
                       dtype_name((DType)t->dtype));
    if (!masked(op, t, call->arg[1].tensor, &seen, &mask, err))
        return false;
    if (seen.t.ndim != t->ndim || memcmp(shape_of(&seen.t), shape_of(t), sizeof(int64_t) * t->ndim))
        return err_set(err, ERR_RUNTIME, "masked_scatter(): the mask has more elements than the tensor");
    if (!(at = index_true(ctx, &mask.t, &count, err)))
        return false;
    if (count > source->numel)
        err_set(err, ERR_RUNTIME,
                "masked_scatter(): the mask has %lld true elements, but the source only %lld",
                    (long long)count,
                (long long)source->numel);
    else
        to = written(ctx, op, call, t, false, err);
    int64_t size = (int64_t)dtype_size((DType)t->dtype);
    for (int64_t i = 0; to && i < count; i++) {
        char *here = data_of(to);
        for (int d = 0; d < to->ndim; d++)
            here += at[d * count + i] * strides_of(to)[d] * size;
        memcpy(here, element(source, i), (size_t)size);
    }
    mem_free(ctx->heap, at);
    return to && call_finish(ctx, op, call, err);
}

/* Positions stand column by column in memory, as the tensor (n, ndim) seen the other way round. */
static Tensor *positions(Context *ctx, const Tensor *t, Err *err)
{
    int64_t count, *at = index_true(ctx, t, &count, err);
    if (!at)
        return NULL;
    int64_t shape[2] = { count, t->ndim }, strides[2] = { 1, count };
    Tensor *to = tensor_new_dense(ctx, DT_I64, t->storage->device, 2, shape, strides, err);
    if (to && to->numel)
        memcpy(data_of(to), at, sizeof(int64_t) * (size_t)to->numel);
    mem_free(ctx->heap, at);
    return to;
}

FORWARD(nonzero)
{
    SELF;
    return call_take(call, positions(ctx, t, err));
}

FORWARD(nonzero_tuple)
{
    SELF;
    if (op == OP_nonzero_tuple && !call_bool(call, 1, false))
        return call_take(call, positions(ctx, t, err));
    Part part;                          /* a tensor without dimensions counts as a vector of one element */
    int64_t one = 1;
    Tensor *seen = t->ndim ? t : part_dims(&part, t, 1, &one, &one, t->offset);
    Tensor *all = positions(ctx, seen, err);
    bool ok = all && call_many(ctx, call, seen->ndim, err);
    for (int d = 0; ok && d < seen->ndim; d++) {
        int64_t count = shape_of(all)[0];
        ok = call_more(ctx, call, tensor_new_view(ctx, all, 1, &count, &one, d * count, err));
    }
    tensor_release(all);
    return ok;
}
