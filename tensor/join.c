/*
 * join.c - tensors put together along a dimension: cat, stack and their relatives.
 * The result is row-major; a part whose dtype is not the result's is converted on its way, without a tensor in between.
 */
#include "tensor/part.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/join.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define TENSORS int n = call->arg[0].n; Tensor **tensors = call->arg[0].tensors; (void)plan

/* A tensor without elements and of one dimension joins anything: the usual start of a loop that grows. */
static bool is_nothing(const Tensor *t)
{
    return t->ndim == 1 && shape_of(t)[0] == 0;
}

/* Dims of a tensor as its op sees them: vstack sees a vector as a row, and so on. */
typedef void (*See)(const Tensor *t, Part *part);

static void as_is(const Tensor *t, Part *part)
{
    part_whole(part, t);
}

static void see(const Tensor *t, Part *part, int n, const int64_t *shape, const int64_t *strides)
{
    part_dims(part, t, n, shape, strides, t->offset);
}

static void as_vector(const Tensor *t, Part *part)
{
    int64_t one = 1;
    if (t->ndim == 0)
        see(t, part, 1, &one, &one);
    else
        part_whole(part, t);
}

static void as_row(const Tensor *t, Part *part)
{
    int64_t size = t->ndim ? shape_of(t)[0] : 1, stride = t->ndim ? strides_of(t)[0] : 1;
    if (t->ndim < 2)
        see(t, part, 2, (int64_t[]){ 1, size }, (int64_t[]){ size * stride, stride });
    else
        part_whole(part, t);
}

static void as_column(const Tensor *t, Part *part)
{
    int64_t size = t->ndim ? shape_of(t)[0] : 1, stride = t->ndim ? strides_of(t)[0] : 1;
    if (t->ndim < 2)
        see(t, part, 2, (int64_t[]){ size, 1 }, (int64_t[]){ stride, 1 });
    else
        part_whole(part, t);
}

static void as_depth(const Tensor *t, Part *part)
{
    as_row(t, part);
    if (t->ndim <= 2)
        part_dims(part, &part->t, 3, (int64_t[]){ part->dims[0], part->dims[1], 1 },
                  (int64_t[]){ part->dims[2], part->dims[3], 1 }, t->offset);
}

static bool joined_dtype(OpId id, int n, Tensor **tensors, DType *dtype, Err *err)
{
    if (n == 0)
        return err_set(err, ERR_RUNTIME, "%s() needs at least one tensor", op_info[id].name);
    *dtype = (DType)tensors[0]->dtype;
    for (int i = 1; i < n; i++)
        *dtype = dtype_promote(*dtype, (DType)tensors[i]->dtype);
    return true;
}

static bool sizes_fit(OpId id, const Tensor *first, const Tensor *t, int i, int dim, Err *err)
{
    bool fits = first->ndim == t->ndim;
    for (int d = 0; fits && d < t->ndim; d++)
        fits = d == dim || shape_of(first)[d] == shape_of(t)[d];
    if (fits)
        return true;
    char a[200], b[200];
    shape_print_to(a, sizeof a, first->ndim, shape_of(first));
    shape_print_to(b, sizeof b, t->ndim, shape_of(t));
    if (first->ndim != t->ndim)
        return err_set(err, ERR_RUNTIME,
                       "%s(): tensor %d has shape %s, another one %s: the numbers of dimensions differ",
                       op_info[id].name, i, b, a);
    return err_set(err, ERR_RUNTIME,
                   "%s(): tensor %d has shape %s, which does not fit %s except along dimension %d",
                       op_info[id].name,
                   i, b, a, dim);
}

static bool join(Context *ctx, OpId id, Call *call, int n, Tensor **tensors, int64_t along, See seen,
                 Err *err)
{
    DType dtype = DT_NONE;
    Part first, part, place;
    int64_t shape[DIMS_MAX], total = 0, done = 0;
    int dim = 0;
    bool any = false;
    if (!joined_dtype(id, n, tensors, &dtype, err))
        return false;
    for (int i = 0; i < n; i++) {
        seen(tensors[i], &part);
        if (part.t.ndim == 0)
            return err_set(err, ERR_RUNTIME, "%s(): tensor %d has no dimensions", op_info[id].name, i)
                || err_hint(err, "stack() puts numbers side by side");
        if (is_nothing(&part.t))
            continue;
        if (!any) {
            any = true;
            seen(tensors[i], &first);
            if (!shape_dim(along, first.t.ndim, &dim, err))
                return false;
        }
        if (!sizes_fit(id, &first.t, &part.t, i, dim, err))
            return false;
        total += shape_of(&part.t)[dim];
    }
    if (!any)
        seen(tensors[0], &first);
    memcpy(shape, shape_of(&first.t), sizeof(int64_t) * first.t.ndim);
    shape[dim] = total;
    Tensor *to = call_result(ctx, id, call, 0, dtype, first.t.ndim, shape, NULL, err);
    if (!to)
        return false;
    for (int i = 0; i < n; i++) {
        seen(tensors[i], &part);
        if (is_nothing(&part.t))
            continue;
        if (call->given && !inplace_check_overlap(to, tensors[i], err))
            return false;
        int64_t length = shape_of(&part.t)[dim];
        part_whole(&place, to);
        part_narrow(&place, dim, done, length, 1);
        done += length;
        if (place.t.numel && place.t.dtype == part.t.dtype)
            move_elements(dtype_size(dtype), part.t.ndim, shape_of(&part.t), data_of(&place.t),
                          strides_of(&place.t),
                          data_of(&part.t), strides_of(&part.t));
        else if (!copy_elements(ctx, &place.t, &part.t, COPY_REASONS, err))
            return false;
    }
    return call_finish(ctx, id, call, err);
}

FORWARD(cat)
{
    TENSORS;
    return join(ctx, op, call, n, tensors, call_int(call, 1, 0), as_is, err);
}

FORWARD(hstack)
{
    TENSORS;
    return join(ctx, op, call, n, tensors, n && tensors[0]->ndim > 1 ? 1 : 0, as_vector, err);
}

FORWARD(vstack)
{
    TENSORS;
    return join(ctx, op, call, n, tensors, 0, as_row, err);
}

FORWARD(dstack)
{
    TENSORS;
    return join(ctx, op, call, n, tensors, 2, as_depth, err);
}

FORWARD(column_stack)
{
    TENSORS;
    return join(ctx, op, call, n, tensors, 1, as_column, err);
}

FORWARD(stack)
{
    TENSORS;
    DType dtype = DT_NONE;
    int dim;
    int64_t shape[DIMS_MAX + 1], strides[DIMS_MAX];
    if (!joined_dtype(op, n, tensors, &dtype, err))
        return false;
    const Tensor *first = tensors[0];
    if (!ndim_fits(first->ndim + 1, err) || !shape_dim(call_int(call, 1, 0), first->ndim + 1, &dim, err))
        return false;
    for (int i = 1; i < n; i++)
        if (!sizes_fit(op, first, tensors[i], i, -1, err))
            return err_hint(err, "stack() takes tensors of one shape, cat() joins along a dimension that they have");
    for (int d = 0, from = 0; d <= first->ndim; d++)
        shape[d] = d == dim ? n : shape_of(first)[from++];
    Tensor *to = call_result(ctx, op, call, 0, dtype, first->ndim + 1, shape, NULL, err);
    if (!to)
        return false;
    for (int d = 0, from = 0; d <= first->ndim; d++)
        if (d != dim)
            strides[from++] = strides_of(to)[d];
    for (int i = 0; i < n; i++) {
        Part place;
        part_dims(&place, to, first->ndim, shape_of(first), strides, to->offset + i * strides_of(to)[dim]);
        if (call->given && !inplace_check_overlap(to, tensors[i], err))
            return false;
        if (!copy_elements(ctx, &place.t, tensors[i], COPY_REASONS, err))
            return false;
    }
    return call_finish(ctx, op, call, err);
}
