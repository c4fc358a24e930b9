/*
 * select.c - what needs the elements of a stretch in order: median, mode, quantile; and answers that are no tensors: equal, allclose;
 * bincount.
 */
#include "tensor/part.h"
#include <math.h>
#include <stdlib.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/reduce.def"
#undef OP
#define SELF Tensor *t = call_tensor(call, 0); (void)plan; (void)op

/* ---- stretches in order -------------------------------------------------------------------------------------------- */
typedef struct Item { Number x; int64_t at; } Item;

/* NaNs last; equal ones in their old order. */
static int by_value(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    double x = number_double(a->x), y = number_double(b->x);
    if (isnan(x) || isnan(y))
        return isnan(x) != isnan(y) ? (isnan(x) ? 1 : -1) : a->at < b->at ? -1 : 1;
    if (a->x.kind == DKIND_INT && a->x.i != b->x.i)
        return a->x.i < b->x.i ? -1 : 1;
    return x != y ? (x < y ? -1 : 1) : a->at < b->at ? -1 : 1;
}

/* Which item of n sorted ones is the result. */
static int64_t chosen(OpId op, const Item *item, int64_t n)
{
    int64_t numbers = n;
    while (numbers && isnan(number_double(item[numbers - 1].x)))
        numbers--;
    if (op == OP_nanmedian || op == OP_nanmedian_dim)
        return numbers ? (numbers - 1) / 2 : n - 1;
    if (op != OP_mode) {                                /* a median with a NaN is the first NaN */
        return numbers < n ? numbers : (n - 1) / 2;
    }
    int64_t best = 0, most = 0;
    for (int64_t k = 0; k < n; ) {
        int64_t end = k + 1;
        while (end < n && number_double(item[end].x) == number_double(item[k].x))
            end++;
        if (end - k > most) {
            most = end - k;
            best = end - 1;                             /* its last place, as PyTorch answers */
        }
        k = end;
    }
    return best;
}

static Item *sorted_line(Context *ctx, const Tensor *in, int64_t start, int64_t n, int64_t step, Err *err)
{
    Item *item = mem_new(ctx->heap, (size_t)n * sizeof *item);
    int64_t size = (int64_t)dtype_size((DType)in->dtype);
    if (!item)
        return err_memory(err, (size_t)n * sizeof *item), NULL;
    for (int64_t i = 0; i < n; i++)
        item[i] = (Item){ number_load((DType)in->dtype, data_of(in) + (start + i * step) * size), i };
    qsort(item, (size_t)n, sizeof *item, by_value);
    return item;
}

FORWARD(median)
{
    SELF;
    int dim = 0;
    bool all = op == OP_median || op == OP_nanmedian, keepdim = !all && call_bool(call, 2, false);
    int64_t shape[DIMS_MAX], n = t->numel, inner = 1;
    int ndim = 0;
    if (!all && !shape_dim(call_int(call, 1, -1), t->ndim, &dim, err))
        return false;
    for (int d = 0; !all && d < t->ndim; d++)
        if (d != dim)
            shape[ndim++] = shape_of(t)[d];
        else if (keepdim)
            shape[ndim++] = 1;
    if (!all && t->ndim) {
        n = shape_of(t)[dim];
        for (int d = dim + 1; d < t->ndim; d++)
            inner *= shape_of(t)[d];
    }
    Tensor *in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err);
    Tensor *out = in ? call_result(ctx, op, call, 0, (DType)t->dtype, ndim, shape, NULL, err) : NULL;
    Tensor *at = out && !all ? call_result(ctx, op, call, 1, DT_I64, ndim, shape, NULL, err) : NULL;
    bool ok = out && (all || at);
    if (ok && !n && out->numel) {
        if (all && dtype_kind((DType)t->dtype) == DKIND_FLOAT)
            number_store((DType)out->dtype, data_of(out), (Number){ DKIND_FLOAT, { .f = NAN } });
        else
            ok = err_set(err, ERR_INDEX, "%s() of no elements has no result", op_info[op].name);
    } else
        for (int64_t k = 0; ok && k < out->numel; k++) {
            Item *item = sorted_line(ctx, in, k / inner * inner * n + k % inner, n, inner, err);
            if (!(ok = item))
                break;
            int64_t place = chosen(op, item, n);
            number_store((DType)out->dtype, data_of(out) + k * (int64_t)dtype_size((DType)out->dtype), item[place].x);
            if (at)
                ((int64_t *)data_of(at))[k] = item[place].at;
            mem_free(ctx->heap, item);
            ok = (k & 63) != 63 || !interrupted(ctx, err);
        }
    tensor_release(in);
    return ok;
}

/* Between neighbours by the straight line, as quantile(interpolation='linear'). */
FORWARD(quantile)
{
    SELF;
    double q[64];
    int64_t many = 1, shape[DIMS_MAX], n = t->numel, inner = 1;
    int ndim = 0, dim = 0;
    Tensor *given = call_tensor(call, 1);
    if (given && given->ndim > 1)
        return err_set(err, ERR_RUNTIME, "quantile(): q is a number or has one dimension");
    if (given && given->dtype != t->dtype)
        return err_set(err, ERR_RUNTIME, "quantile(): q is %s, and the tensor is %s", dtype_name((DType)given->dtype),
                       dtype_name((DType)t->dtype));
    if (given && given->numel > 64)
        return err_set(err, ERR_RUNTIME, "quantile(): at most 64 values of q");
    many = given ? given->numel : 1;
    for (int64_t k = 0; k < many; k++) {
        q[k] = given ? number_double(tensor_element(given, &k)) : call_float(call, 1, 0);
        if (!(q[k] >= 0 && q[k] <= 1))
            return err_set(err, ERR_RUNTIME, "quantile(): q goes from 0 to 1");
    }
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "quantile() needs a floating dtype, and the tensor is %s", dtype_name((DType)t->dtype));
    bool by_dim = call_has(call, 2);
    if (by_dim && !shape_dim(call_int(call, 2, 0), t->ndim, &dim, err))
        return false;
    if (given && given->ndim)
        shape[ndim++] = many;
    for (int d = 0; d < t->ndim; d++)
        if (by_dim && d != dim)
            shape[ndim++] = shape_of(t)[d];
        else if (call_bool(call, 3, false))
            shape[ndim++] = 1;
    if (by_dim && t->ndim) {
        n = shape_of(t)[dim];
        for (int d = dim + 1; d < t->ndim; d++)
            inner *= shape_of(t)[d];
    }
    if (!n)
        return err_set(err, ERR_RUNTIME, "quantile() of no elements has no result");
    Tensor *in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err);
    Tensor *out = in ? call_result(ctx, op, call, 0, (DType)t->dtype, ndim, shape, NULL, err) : NULL;
    int64_t results = out && many ? out->numel / many : 0;
    bool ok = out;
    for (int64_t k = 0; ok && k < results; k++) {
        Item *item = sorted_line(ctx, in, k / inner * inner * n + k % inner, n, inner, err);
        if (!(ok = item))
            break;
        for (int64_t j = 0; j < many; j++) {
            double place = q[j] * (double)(n - 1), low = floor(place), part = place - low;
            double a = item[(int64_t)low].x.f, b = item[(int64_t)low + (part > 0)].x.f, last = item[n - 1].x.f;
            number_store((DType)out->dtype, data_of(out) + (j * results + k) * (int64_t)dtype_size((DType)out->dtype),
                         (Number){ DKIND_FLOAT, { .f = isnan(last) ? last : a + (b - a) * part } });
        }
        mem_free(ctx->heap, item);
    }
    tensor_release(in);
    return ok;
}

/* ---- answers that are no tensors ------------------------------------------------------------------------------------- */
static bool answer(Call *call, bool truth)
{
    call->number = (Number){ DKIND_BOOL, { .b = truth } };
    call->has_number = true;
    return true;
}

static bool same_shape(const Tensor *a, const Tensor *b)
{
    return a->ndim == b->ndim && !memcmp(shape_of(a), shape_of(b), (size_t)a->ndim * sizeof(int64_t));
}

static void next(int64_t *index, int ndim, const int64_t *shape)
{
    for (int d = ndim - 1; d >= 0 && ++index[d] == shape[d]; d--)
        index[d] = 0;
}

FORWARD(equal)
{
    SELF;
    const Tensor *other = call_tensor(call, 1);
    int64_t index[DIMS_MAX] = { 0 };
    (void)ctx, (void)err;
    bool same = same_shape(t, other);
    for (int64_t k = 0; same && k < t->numel; k++) {
        Number a = tensor_element(t, index), b = tensor_element(other, index);
        same = a.kind == DKIND_FLOAT || b.kind == DKIND_FLOAT ? number_double(a) == number_double(b) : number_int(a) == number_int(b);
        next(index, t->ndim, shape_of(t));
    }
    return answer(call, same);
}

FORWARD(allclose)
{
    SELF;
    const Tensor *other = call_tensor(call, 1);
    int64_t shape[DIMS_MAX], index[DIMS_MAX] = { 0 }, numel = 1;
    double rtol = call_float(call, 2, 1e-5), atol = call_float(call, 3, 1e-8);
    bool close = true, equal_nan = call_bool(call, 4, false);
    int ndim;
    (void)ctx;
    if (t->dtype != other->dtype)
        return err_set(err, ERR_RUNTIME, "allclose() compares tensors of one dtype, not %s and %s", dtype_name((DType)t->dtype), dtype_name((DType)other->dtype));
    if (!shape_broadcast(t->ndim, shape_of(t), other->ndim, shape_of(other), &ndim, shape, err))
        return false;
    for (int d = 0; d < ndim; d++)
        numel *= shape[d];
    for (int64_t k = 0; close && k < numel; k++) {
        int64_t in_a[DIMS_MAX], in_b[DIMS_MAX];
        for (int d = 0; d < t->ndim; d++)
            in_a[d] = shape_of(t)[d] == 1 ? 0 : index[d + ndim - t->ndim];
        for (int d = 0; d < other->ndim; d++)
            in_b[d] = shape_of(other)[d] == 1 ? 0 : index[d + ndim - other->ndim];
        double a = number_double(tensor_element(t, in_a)), b = number_double(tensor_element(other, in_b));
        close = a == b || (equal_nan && isnan(a) && isnan(b)) || (isfinite(a) && isfinite(b) && fabs(a - b) <= atol + rtol * fabs(b));
        next(index, ndim, shape);
    }
    return answer(call, close);
}

FORWARD(bincount)
{
    SELF;
    Tensor *weights = call_tensor(call, 1);
    int64_t most = -1, least = call_int(call, 2, 0);
    if (t->ndim != 1 || dtype_kind((DType)t->dtype) != DKIND_INT)
        return err_set(err, ERR_RUNTIME, "bincount() counts a tensor of ints of one dimension");
    if (weights && !same_shape(t, weights))
        return err_set(err, ERR_RUNTIME, "bincount(): weights have the shape of the counted tensor");
    for (int64_t k = 0; k < t->numel; k++) {
        int64_t x = tensor_element(t, &k).i;
        if (x < 0)
            return err_set(err, ERR_RUNTIME, "bincount() counts ints from 0 on, and there is a %lld", (long long)x);
        most = x > most ? x : most;
    }
    int64_t bins = most + 1 > least ? most + 1 : least;
    DType dtype = !weights ? DT_I64 : weights->dtype == DT_F32 ? DT_F32 : DT_F64;
    Tensor *out = call_result(ctx, op, call, 0, dtype, 1, &bins, NULL, err);
    if (!out)
        return false;
    if (out->numel)
        memset(data_of(out), 0, (size_t)out->numel * dtype_size(dtype));
    for (int64_t k = 0; k < t->numel; k++) {
        char *place = data_of(out) + tensor_element(t, &k).i * (int64_t)dtype_size(dtype);
        Number so_far = number_load(dtype, place);
        if (weights)
            so_far.f += number_double(tensor_element(weights, &k));
        else
            so_far.i++;
        number_store(dtype, place, so_far);
    }
    return true;
}
