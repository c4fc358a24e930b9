/* create_from.c - tensors laid out from others: triangles, diagonals, grids, products and combinations. */
#include "tensor/part.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/create.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define SELF Tensor *t = call->arg[0].tensor; (void)plan, (void)op

/* tril and triu: the matrices of the last two dimensions, with zeros on one side of a diagonal. */
FORWARD(triangle)
{
    SELF;
    int64_t shift = call_int(call, 1, 0);
    if (t->ndim < 2)
        return err_set(err, ERR_RUNTIME,
                       "%s() takes a matrix or a batch of matrices, this tensor has %d dimension%s",
                       op_info[op].name, t->ndim, t->ndim == 1 ? "" : "s");
    Tensor *to = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err);
    if (!to)
        return false;
    if (!call->inplace && !copy_elements(ctx, to, t, COPY_REASONS, err))
        return false;
    int last = t->ndim - 1;
    int64_t rows = shape_of(t)[last - 1], columns = shape_of(t)[last];
    int64_t at[DIMS_MAX] = { 0 }, row = strides_of(to)[last - 1], column = strides_of(to)[last];
    size_t size = dtype_size((DType)to->dtype);
    char *matrix = data_of(to);
    for (int64_t left = rows && columns ? t->numel / (rows * columns) : 0; left > 0; left--) {
        for (int64_t r = 0; r < rows; r++) {
            int64_t edge = r + shift + (op == OP_tril), begin = 0, end = columns;
            edge = edge < 0 ? 0 : edge > columns ? columns : edge;
            if (op == OP_tril)
                begin = edge;
            else
                end = edge;
            for (int64_t c = begin; c < end; c++)
                memset(matrix + (r * row + c * column) * (int64_t)size, 0, size);
        }
        for (int d = last - 2; d >= 0; d--) {
            matrix += strides_of(to)[d] * (int64_t)size;
            if (++at[d] < shape_of(to)[d])
                break;
            matrix -= strides_of(to)[d] * shape_of(to)[d] * (int64_t)size;
            at[d] = 0;
        }
    }
    return call_finish(ctx, op, call, err);
}

/* A new tensor of zeros, and `t` on the diagonal of the dimensions a and b of it. */
static bool embed(Context *ctx, Call *call, const Tensor *t, int64_t shift, int a, int b, Err *err)
{
    int64_t shape[DIMS_MAX], strides[DIMS_MAX], zeros[DIMS_MAX];
    int n = t->ndim + 1, rest = 0;
    int64_t side = shape_of(t)[t->ndim - 1] + (shift < 0 ? -shift : shift);
    for (int d = 0; d < n; d++)
        shape[d] = d == a || d == b ? side : shape_of(t)[rest++];
    Tensor *to = tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, n, shape, NULL, err);
    if (!call_take(call, to) || !fill_elements(ctx, to, (Number){ .kind = DKIND_INT, .i = 0 }, err))
        return false;
    rest = 0;
    for (int d = 0; d < n; d++)
        if (d != a && d != b)
            strides[rest++] = strides_of(to)[d];
    strides[rest] = strides_of(to)[a] + strides_of(to)[b];
    memcpy(zeros, strides_of(t), sizeof(int64_t) * t->ndim);
    int64_t offset = shift > 0 ? shift * strides_of(to)[b] : -shift * strides_of(to)[a];
    size_t size = dtype_size((DType)t->dtype);
    if (t->numel)
        move_elements(size, t->ndim, shape_of(t), data_of(to) + (size_t)offset * size, strides, data_of(t),
                      zeros);
    return true;
}

FORWARD(diag)
{
    SELF;
    int64_t shift = call_int(call, 1, 0);
    if (t->ndim == 1)
        return embed(ctx, call, t, shift, 0, 1, err);
    if (t->ndim != 2)
        return err_set(err, ERR_RUNTIME, "diag() takes a vector or a matrix, this tensor has %d dimensions",
                       t->ndim);
    int64_t rows = shape_of(t)[0] + (shift < 0 ? shift : 0),
        columns = shape_of(t)[1] - (shift > 0 ? shift : 0);
    int64_t n = rows < columns ? rows : columns, one = 1;
    n = n < 0 ? 0 : n;
    Tensor *to = tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, 1, &n, NULL, err);
    if (!call_take(call, to))
        return false;
    int64_t step = strides_of(t)[0] + strides_of(t)[1], offset = shift > 0 ? shift * strides_of(t)[1]
        : -shift * strides_of(t)[0];
    size_t size = dtype_size((DType)t->dtype);
    if (n)
        move_elements(size, 1, &n, data_of(to), &one, data_of(t) + (size_t)offset * size, &step);
    return true;
}

FORWARD(diag_embed)
{
    SELF;
    int a, b;
    if (t->ndim == 0)
        return err_set(err, ERR_RUNTIME, "diag_embed() needs a tensor with at least one dimension");
    if (!ndim_fits(t->ndim + 1, err) || !shape_dim(call_int(call, 2, -2), t->ndim + 1, &a, err)
        || !shape_dim(call_int(call, 3, -1), t->ndim + 1, &b, err))
        return false;
    if (a == b)
        return err_set(err, ERR_RUNTIME,
                       "diag_embed() needs two dimensions that differ, dimension %d is given twice", a);
    return embed(ctx, call, t, call_int(call, 1, 0), a, b, err);
}

FORWARD(diagflat)
{
    SELF;
    int64_t flat = t->numel;
    Tensor *row = tensor_reshape(ctx, t, 1, &flat, err);
    bool ok = row && embed(ctx, call, row, call_int(call, 1, 0), 0, 1, err);
    tensor_release(row);
    return ok;
}

/* ---- grids ------------------------------------------------------------------------------------------------ */
static bool is_vector(OpId id, const Tensor *t, Err *err)
{
    return t->ndim <= 1 || err_set(err, ERR_RUNTIME,
                                   "%s() takes vectors, one of the tensors has %d dimensions",
                                       op_info[id].name,
                                   t->ndim);
}

FORWARD(meshgrid)
{
    (void)plan;
    int n = call->arg[0].n;
    Tensor **tensors = call->arg[0].tensors;
    const char *indexing = call_has(call, 1) ? call->arg[1].str : "ij";
    bool swap = !strcmp(indexing, "xy") && n >= 2;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    if (strcmp(indexing, "xy") && strcmp(indexing, "ij"))
        return err_set(err, ERR_RUNTIME, "meshgrid(): indexing is 'ij' or 'xy', not '%s'", indexing);
    if (n == 0)
        return err_set(err, ERR_RUNTIME, "meshgrid() needs at least one tensor");
    if (!ndim_fits(n, err))
        return false;
    for (int i = 0; i < n; i++) {
        if (!is_vector(op, tensors[i], err))
            return false;
        if (tensors[i]->dtype != tensors[0]->dtype)
            return err_set(err, ERR_RUNTIME, "meshgrid() takes tensors of one dtype, not of %s and %s",
                           dtype_name((DType)tensors[0]->dtype), dtype_name((DType)tensors[i]->dtype));
        shape[swap && i < 2 ? 1 - i : i] = tensors[i]->numel;
    }
    if (!call_many(ctx, call, n, err))
        return false;
    for (int i = 0; i < n; i++) {       /* a view that repeats the vector along all other axes */
        int64_t sizes[DIMS_MAX], seen[DIMS_MAX];
        int axis = swap && i < 2 ? 1 - i : i;
        Part part;
        for (int d = 0; d < n; d++)
            sizes[d] = d == axis ? tensors[i]->numel : 1;
        shape_view(tensors[i]->ndim, shape_of(tensors[i]), strides_of(tensors[i]), n, sizes, strides);
        part_dims(&part, tensors[i], n, sizes, strides, tensors[i]->offset);
        expand_dims(&part.t, n, shape, seen, strides, err);
        if (!call_more(ctx, call, tensor_new_view(ctx, tensors[i], n, shape, strides, tensors[i]->offset,
                                                  err)))
            return false;
    }
    return true;
}

FORWARD(cartesian_prod)
{
    (void)plan;
    int n = call->arg[0].n;
    Tensor **tensors = call->arg[0].tensors;
    int64_t rows = 1, after = 1;
    if (n == 0)
        return err_set(err, ERR_RUNTIME, "cartesian_prod() needs at least one tensor");
    for (int i = 0; i < n; i++) {
        if (!is_vector(op, tensors[i], err))
            return false;
        if (tensors[i]->dtype != tensors[0]->dtype)
            return err_set(err, ERR_RUNTIME, "cartesian_prod() takes tensors of one dtype");
        rows *= tensors[i]->numel;
    }
    if (n == 1)
        return call_take(call, tensor_retain(tensors[0]));
    int64_t shape[2] = { rows, n };
    Tensor *to = tensor_new_dense(ctx, (DType)tensors[0]->dtype, tensors[0]->storage->device, 2, shape, NULL,
                                  err);
    if (!call_take(call, to))
        return false;
    size_t size = dtype_size((DType)to->dtype);
    for (int i = n - 1; rows
         && i >= 0; i--) {     /* column i: each element `after` times, all of it again and again */
        int64_t count = tensors[i]->numel, blocks[3] = { rows / (count * after), count, after };
        int64_t strides[3] = { count * after * n, after * n, n };
        int64_t from[3] = { 0, tensors[i]->ndim ? strides_of(tensors[i])[0] : 0, 0 };
        move_elements(size, 3, blocks, data_of(to) + (size_t)i * size, strides, data_of(tensors[i]), from);
        after *= count;
    }
    return true;
}

FORWARD(combinations)
{
    SELF;
    int64_t r = call_int(call, 1, 2), n = t->numel, count = 1;
    bool again = call_bool(call, 2, false);
    if (t->ndim != 1)
        return err_set(err, ERR_RUNTIME, "combinations() takes a vector, this tensor has %d dimensions",
                       t->ndim);
    if (r < 0)
        return err_set(err, ERR_RUNTIME, "combinations() of %lld elements: the number must not be negative",
                       (long long)r);
    int64_t shape[2] = { 0, r };
    if (r == 0)
        return call_take(call, tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, 1, shape, NULL,
                                                err));
    int64_t pool = again ? n + r - 1 : n;
    for (int64_t i = 0; i < r; i++)     /* binomial coefficient: every partial product divides */
        if (pool < r || n == 0 || __builtin_mul_overflow(count, pool - i, &count))
            count = 0;
        else
            count /= i + 1;
    shape[0] = count;
    Tensor *to = tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, 2, shape, NULL, err);
    int64_t *at = mem_new(ctx->heap, sizeof(int64_t) * (size_t)r);
    if (!call_take(call, to) || !at) {
        mem_free(ctx->heap, at);
        return to ? err_memory(err, sizeof(int64_t) * (size_t)r) : false;
    }
    for (int64_t i = 0; i < r; i++)
        at[i] = again ? 0 : i;
    size_t size = dtype_size((DType)t->dtype);
    for (int64_t row = 0; row < count; row++) {
        for (int64_t i = 0; i < r; i++)
            memcpy(data_of(to) + (size_t)(row * r + i) * size,
                   data_of(t) + (size_t)(at[i] * strides_of(t)[0]) * size, size);
        int64_t i = r - 1;
        while (i >= 0 && at[i] == (again ? n - 1 : n - r + i))
            i--;
        if (i < 0)
            break;
        at[i]++;
        for (int64_t j = i + 1; j < r; j++)
            at[j] = again ? at[i] : at[j - 1] + 1;
    }
    mem_free(ctx->heap, at);
    return true;
}
