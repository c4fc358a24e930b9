/*
 * linalg.c - products of vectors, matrices and batches of them: which shapes go together, then one product for each pair.
 */
#include "tensor/cpu/matmul.h"
#include "tensor/part.h"

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/linalg.def"
#undef OP

/* ---- checks ------------------------------------------------------------------------------------------------------ */
static bool mismatch(const Tensor *a, const Tensor *b, int64_t left, int64_t right, Err *err)
{
    char shape_a[200], shape_b[200];
    shape_print_to(shape_a, sizeof shape_a, a->ndim, shape_of(a));
    shape_print_to(shape_b, sizeof shape_b, b->ndim, shape_of(b));
    err_set(err, ERR_RUNTIME, "shapes %s and %s cannot be multiplied: %lld columns against %lld rows", shape_a, shape_b, (long long)left, (long long)right);
    if (a->ndim == 2 && b->ndim == 2 && shape_of(a)[1] == shape_of(b)[1])
        err_hint(err, "the second one transposed goes: a @ b.t()");
    else if (a->ndim == 2 && b->ndim == 2 && shape_of(a)[0] == shape_of(b)[0])
        err_hint(err, "the first one transposed goes: a.t() @ b");
    return false;
}

static bool same_dtype(const Tensor *a, const Tensor *b, Err *err)
{
    if (a->dtype != b->dtype) {
        err_set(err, ERR_RUNTIME, "a product needs one dtype, not %s and %s", dtype_name((DType)a->dtype), dtype_name((DType)b->dtype));
        return err_hint(err, "x.to(y.dtype) makes them alike");
    }
    return a->dtype != DT_BOOL || err_set(err, ERR_RUNTIME, "products of bool tensors are not there");
}

static bool dims_of_row(OpId op, const Tensor *a, const Tensor *b, Err *err)
{
    static const struct { OpId op; int a, b; } rows[] = { { OP_mm, 2, 2 }, { OP_mv, 2, 1 }, { OP_dot, 1, 1 }, { OP_vdot, 1, 1 }, { OP_bmm, 3, 3 } };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == op && (a->ndim != rows[k].a || b->ndim != rows[k].b)) {
            err_set(err, ERR_RUNTIME, "%s() takes tensors of %d and %d dimensions, not of %d and %d", op_info[op].id, rows[k].a, rows[k].b, a->ndim, b->ndim);
            return err_hint(err, "@ takes any number of dimensions");
        }
    return (a->ndim && b->ndim) || err_set(err, ERR_RUNTIME, "a product needs tensors of at least one dimension; * multiplies by a number");
}

/* ---- the product of any ranks ------------------------------------------------------------------------------------- */
typedef struct Side { int64_t rows, columns, row, column; int batch; const int64_t *shape, *stride; } Side;

/* A vector on the left is one row, on the right one column. */
static Side side_of(const Tensor *t, bool left)
{
    const int64_t *shape = shape_of(t), *stride = strides_of(t);
    if (t->ndim == 1)
        return left ? (Side){ 1, shape[0], 0, stride[0], 0, shape, stride } : (Side){ shape[0], 1, stride[0], 0, 0, shape, stride };
    int n = t->ndim;
    return (Side){ shape[n - 2], shape[n - 1], stride[n - 2], stride[n - 1], n - 2, shape, stride };
}

static int64_t batch_offset(const Side *side, int batch, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < side->batch; d++)
        at += side->shape[d] == 1 ? 0 : index[batch - side->batch + d] * side->stride[d];
    return at;
}

/* c lies row-major: (batch…, rows of a, columns of b), whatever its shape says of vectors. */
static bool multiply(Context *ctx, const Tensor *ta, const Tensor *tb, const Side *a, const Side *b, int batch, const int64_t *shape, char *c, Err *err)
{
    int64_t size = (int64_t)dtype_size((DType)ta->dtype), count = 1, index[DIMS_MAX] = { 0 }, each = a->rows * b->columns;
    for (int d = 0; d < batch; d++)
        count *= shape[d];
    Product p = { (DType)ta->dtype, a->rows, b->columns, a->columns, NULL, NULL, NULL, a->row, a->column, b->row, b->column };
    if (!each)
        return true;
    if (!a->columns) {
        memset(c, 0, (size_t)(count * each * size));
        return true;
    }
    /* A batch of matrices that lie behind each other times one matrix is one large product. */
    if (batch && !b->batch && a->batch == batch && a->row == a->columns && a->column == 1 && shape_is_contiguous(ta->ndim, shape_of(ta), strides_of(ta))) {
        p.m *= count;
        count = 1;
    }
    for (int64_t k = 0; k < count; k++) {
        p.a = data_of(ta) + batch_offset(a, batch, index) * size;
        p.b = data_of(tb) + batch_offset(b, batch, index) * size;
        p.c = c + k * each * size;
        if (!product_run(ctx, &p, err) || ((k & 15) == 15 && interrupted(ctx, err)))
            return false;
        for (int d = batch - 1; d >= 0 && ++index[d] == shape[d]; d--)
            index[d] = 0;
    }
    return true;
}

static bool product_into(Context *ctx, OpId op, Call *call, const Tensor *ta, const Tensor *tb, Err *err)
{
    Side a = side_of(ta, true), b = side_of(tb, false);
    int64_t shape[DIMS_MAX];
    int batch, ndim;
    if (!same_dtype(ta, tb, err))
        return false;
    if (a.columns != b.rows)
        return mismatch(ta, tb, a.columns, b.rows, err);
    if (op == OP_bmm && a.shape[0] != b.shape[0])
        return mismatch(ta, tb, a.shape[0], b.shape[0], err);
    if (!shape_broadcast(a.batch, a.shape, b.batch, b.shape, &batch, shape, err))
        return false;
    ndim = batch;
    if (ta->ndim > 1)
        shape[ndim++] = a.rows;
    if (tb->ndim > 1)
        shape[ndim++] = b.columns;
    Tensor *out = call_result(ctx, op, call, 0, (DType)ta->dtype, ndim, shape, NULL, err), *room = NULL;
    if (!out)
        return false;
    if (out->dtype != ta->dtype || !tensor_is_contiguous(out) || tensor_overlap(out, ta) || tensor_overlap(out, tb))
        if (!(room = tensor_new_dense(ctx, (DType)ta->dtype, (Device){ 0, 0 }, ndim, shape, NULL, err)))
            return false;
    bool ok = !out->numel || multiply(ctx, ta, tb, &a, &b, batch, shape, data_of(room ? room : out), err);
    ok = ok && (!room || copy_elements(ctx, out, room, COPY_REASONS, err)) && call_finish(ctx, op, call, err);
    tensor_release(room);
    return ok;
}

FORWARD(matmul)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    (void)plan;
    if (!dims_of_row(op, a, b, err) || !product_into(ctx, op, call, a, b, err))
        return false;
    if (a->ndim == 1 && b->ndim == 2 && !call->given)   /* PyTorch drops the row's dimension in place, which counts */
        call->out[0]->version->writes++;
    return true;
}

/* inner(): along the last dimension of both; with a number it is a product. */
FORWARD(inner)
{
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    (void)plan;
    if (!a->ndim || !b->ndim)
        return call_take(call, op_binary(ctx, OP_mul, a, b, err));
    if (a->ndim > 2 || b->ndim > 2) {                   /* the last dimension of each is summed over */
        int64_t axes[] = { 1, a->ndim - 1, b->ndim - 1 };
        Call sum = { .args = 3 };
        sum.arg[0] = call->arg[0];
        sum.arg[1] = call->arg[1];
        sum.arg[2] = (Arg){ .kind = ARG_INTS, .n = 3, .ints = axes };
        return op_call(ctx, OP_tensordot_axes, &sum, err) && call_take(call, sum.out[0]);
    }
    int64_t shape[2], strides[2];
    int n = b->ndim;
    memcpy(shape, shape_of(b), (size_t)n * sizeof *shape);
    memcpy(strides, strides_of(b), (size_t)n * sizeof *strides);
    if (n == 2) {                                       /* a view, turned */
        shape[0] = shape_of(b)[1], shape[1] = shape_of(b)[0];
        strides[0] = strides_of(b)[1], strides[1] = strides_of(b)[0];
    }
    Tensor *turned = tensor_new_view(ctx, b, n, shape, strides, b->offset, err);
    bool ok = turned && product_into(ctx, op, call, a, turned, err);
    tensor_release(turned);
    return ok;
}

FORWARD(outer)
{
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    (void)plan;
    if (a->ndim != 1 || b->ndim != 1)
        return err_set(err, ERR_RUNTIME, "outer() takes two vectors, not tensors of %d and %d dimensions", a->ndim, b->ndim);
    int64_t shape[2] = { a->numel, 1 }, strides[2] = { strides_of(a)[0], 1 };
    Tensor *column = tensor_new_view(ctx, a, 2, shape, strides, a->offset, err);
    Call product = { .args = 2, .given = call->given };
    product.out[0] = call->out[0];
    product.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = column };
    product.arg[1] = (Arg){ .kind = ARG_TENSOR, .tensor = b };
    bool ok = column && op_call(ctx, OP_mul, &product, err);
    tensor_release(column);
    if (ok && call->given)
        tensor_release(product.out[0]);
    (void)op;
    return ok && (call->given || call_take(call, product.out[0]));
}

static Arg scaled_by(const Call *call, int k)
{
    return call_has(call, k) ? call->arg[k] : (Arg){ .kind = ARG_INT, .i = 1 };
}

static bool is_one(const Arg *arg)
{
    return arg->kind == ARG_INT ? arg->i == 1 : arg->kind == ARG_FLOAT ? arg->f == 1 : arg->b;
}

static Tensor *scaled(Context *ctx, Tensor *taken, const Arg *by, Err *err)
{
    Call call = { .args = 2 };
    if (!taken || is_one(by))
        return taken;
    call.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = taken };
    call.arg[1] = *by;
    bool ok = op_call(ctx, OP_mul, &call, err);
    tensor_release(taken);
    return ok ? call.out[0] : NULL;
}

/* beta * self + alpha * (product) */
FORWARD(addmm)
{
    Tensor *a = call_tensor(call, 1), *b = call_tensor(call, 2), *self = call_tensor(call, 0);
    Arg beta = scaled_by(call, 3), alpha = scaled_by(call, 4);
    Call product = { .args = 2 };
    (void)plan;
    if (op != OP_addr && !dims_of_row(op == OP_addmm ? OP_mm : op == OP_addmv ? OP_mv : OP_bmm, a, b, err))
        return false;
    if (!same_dtype(self, a, err))
        return false;
    product.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = a };
    product.arg[1] = (Arg){ .kind = ARG_TENSOR, .tensor = b };
    if (!op_call(ctx, op == OP_addr ? OP_outer : op == OP_baddbmm ? OP_bmm : OP_matmul, &product, err))
        return false;
    Tensor *right = scaled(ctx, product.out[0], &alpha, err);
    Tensor *left = right ? scaled(ctx, tensor_retain(self), &beta, err) : NULL;
    Call sum = { .args = 2, .given = call->given };
    sum.out[0] = call->out[0];
    sum.arg[0] = (Arg){ .kind = ARG_TENSOR, .tensor = left };
    sum.arg[1] = (Arg){ .kind = ARG_TENSOR, .tensor = right };
    bool ok = left && op_call(ctx, OP_add, &sum, err);
    tensor_release(left);
    tensor_release(right);
    if (!ok)
        return false;
    if (call->given)
        return tensor_release(sum.out[0]), true;
    if (!call->inplace)
        return call_take(call, sum.out[0]);
    Tensor *out = call_result(ctx, op, call, 0, (DType)sum.out[0]->dtype, sum.out[0]->ndim, shape_of(sum.out[0]), NULL, err);
    ok = out && copy_elements(ctx, out, sum.out[0], COPY_REASONS, err) && call_finish(ctx, op, call, err);
    tensor_release(sum.out[0]);
    return ok;
}
