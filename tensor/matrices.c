/*
 * matrices.c - a tensor as a batch of matrices in double precision.
 */
#include "tensor/matrices.h"

bool matrices_open(Context *ctx, OpId op, Tensor *t, bool square, Matrices *x, Err *err)
{
    char shape[200];
    int n = t->ndim;
    *x = (Matrices){ .dtype = (DType)t->dtype };
    shape_print_to(shape, sizeof shape, n, shape_of(t));
    if (n < 2)
        return err_set(err, ERR_RUNTIME, "%s() takes matrices, tensors of 2 dimensions or more, not the shape %s", op_info[op].name, shape);
    if (square && shape_of(t)[n - 1] != shape_of(t)[n - 2])
        return err_set(err, ERR_RUNTIME, "%s() takes square matrices, not the shape %s", op_info[op].name, shape);
    if (t->dtype != DT_F32 && t->dtype != DT_F64)
        return err_set(err, ERR_RUNTIME, "%s() takes float32 and float64 tensors, not %s", op_info[op].name, dtype_name((DType)t->dtype));
    if (!(x->in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err)))
        return false;
    x->batch = n - 2;
    x->shape = shape_of(x->in);
    x->m = x->shape[n - 2];
    x->n = x->shape[n - 1];
    x->count = 1;
    for (int d = 0; d < n - 2; d++)
        x->count *= x->shape[d];
    return true;
}

double *matrices_room(Context *ctx, Matrices *x, int64_t doubles, Err *err)
{
    size_t bytes = ((size_t)doubles + 1) * sizeof *x->room;
    x->room = mem_new(ctx->heap, bytes);
    if (!x->room)
        err_memory(err, bytes);
    return x->room;
}

void matrices_close(Context *ctx, Matrices *x)
{
    tensor_release(x->in);
    mem_free(ctx->heap, x->room);
}

void matrices_read(const Matrices *x, int64_t k, double *to)
{
    const char *from = data_of(x->in) + (size_t)(k * x->m * x->n) * dtype_size(x->dtype);
    for (int64_t i = 0; i < x->m; i++)
        for (int64_t j = 0; j < x->n; j++)
            to[j * x->m + i] = x->dtype == DT_F32 ? (double)((const float *)from)[i * x->n + j] : ((const double *)from)[i * x->n + j];
}

Tensor *matrices_result(Context *ctx, OpId op, Call *call, int k, const Matrices *x, int64_t rows, int64_t columns, Err *err)
{
    int64_t shape[DIMS_MAX], strides[DIMS_MAX];
    int n = x->batch;
    memcpy(shape, x->shape, (size_t)n * sizeof *shape);
    if (rows >= 0)
        shape[n++] = rows;
    if (columns >= 0)
        shape[n++] = columns;
    shape_row_major(n, shape, strides);
    if (rows >= 0) {
        strides[n - 2] = 1;
        strides[n - 1] = rows > 1 ? rows : 1;
    }
    return call_result(ctx, op, call, k, x->dtype, n, shape, strides, err);
}

void matrices_write(Tensor *result, int64_t k, int64_t count, const double *from)
{
    float *narrow = (float *)result->storage->data + k * count;
    if (result->dtype == DT_F64)
        memcpy((double *)result->storage->data + k * count, from, (size_t)count * sizeof *from);
    else
        for (int64_t i = 0; i < count; i++)
            narrow[i] = (float)from[i];
}
