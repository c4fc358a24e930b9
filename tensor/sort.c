/*
 * sort.c - elements in order: sort, topk, unique, and places in sorted ones. NaN counts as the largest, as in PyTorch.
 */
#include "tensor/part.h"
#include <math.h>
#include <stdlib.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/sort.def"
#undef OP

typedef struct Item { Number x; int64_t at; } Item;

static int compare(const Number *a, const Number *b)
{
    if (a->kind == DKIND_INT)
        return (a->i > b->i) - (a->i < b->i);
    double x = number_double(*a), y = number_double(*b);
    if (isnan(x) || isnan(y))
        return (int)isnan(x) - (int)isnan(y) > 0 ? 1 : (isnan(x) && isnan(y)) ? 0 : -1;
    return (x > y) - (x < y);
}

static int rising(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    int order = compare(&a->x, &b->x);
    return order ? order : a->at < b->at ? -1 : 1;
}

static int falling(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    int order = compare(&b->x, &a->x);
    return order ? order : a->at < b->at ? -1 : 1;
}

/* ---- along a dimension --------------------------------------------------------------------------------------------------- */
typedef struct Lines { int64_t count, length, inner; } Lines;

static Lines lines_of(const Tensor *t, int dim)
{
    Lines lines = { 1, t->ndim ? shape_of(t)[dim] : 1, 1 };
    for (int d = 0; d < t->ndim; d++) {
        lines.inner *= d > dim ? shape_of(t)[d] : 1;
        lines.count *= d != dim ? shape_of(t)[d] : 1;
    }
    return lines;
}

static int64_t start_of(const Lines *lines, int64_t k, int64_t length)
{
    return k / lines->inner * lines->inner * length + k % lines->inner;
}

static void load_line(const Tensor *dense, const Lines *lines, int64_t k, Item *item)
{
    int64_t size = (int64_t)dtype_size((DType)dense->dtype), start = start_of(lines, k, lines->length);
    for (int64_t i = 0; i < lines->length; i++)
        item[i] = (Item){ number_load((DType)dense->dtype, data_of(dense) + (start + i * lines->inner) * size), i };
}

/* Writes n items from `from` on into line k of results whose lines are n long. */
static void store_line(const Lines *lines, int64_t k, const Item *from, int64_t n, Tensor *values, Tensor *indices)
{
    int64_t start = start_of(lines, k, n);
    for (int64_t i = 0; i < n; i++) {
        if (values)
            number_store((DType)values->dtype, data_of(values) + (start + i * lines->inner) * (int64_t)dtype_size((DType)values->dtype), from[i].x);
        if (indices)
            ((int64_t *)data_of(indices))[start + i * lines->inner] = from[i].at;
    }
}

/* Sorts each line and keeps n items of it from `first` on. */
static bool sorted_lines(Context *ctx, Tensor *t, int dim, bool descending, int64_t first, int64_t n, Tensor *values, Tensor *indices, Err *err)
{
    Lines lines = lines_of(t, dim);
    Tensor *in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err);
    Item *item = in ? mem_new(ctx->heap, (size_t)(lines.length + 1) * sizeof *item) : NULL;
    bool ok = item || (in && err_memory(err, (size_t)lines.length * sizeof *item));
    for (int64_t k = 0; ok && lines.length && k < lines.count; k++) {
        load_line(in, &lines, k, item);
        qsort(item, (size_t)lines.length, sizeof *item, descending ? falling : rising);
        store_line(&lines, k, item + first, n, values, indices);
        ok = (k & 63) != 63 || !interrupted(ctx, err);
    }
    mem_free(ctx->heap, item);
    tensor_release(in);
    return ok;
}

/* The same for all items, into results that need not be row-major. NULL: not wanted. */
static bool sorted_into(Context *ctx, Tensor *t, int dim, bool descending, Tensor *values, Tensor *indices, Err *err)
{
    Tensor *result[2] = { values, indices }, *dense[2] = { NULL, NULL };
    bool ok = true;
    for (int k = 0; ok && k < 2; k++)
        if (result[k] && !tensor_is_contiguous(result[k]))
            ok = (dense[k] = tensor_new_dense(ctx, (DType)result[k]->dtype, (Device){ 0, 0 }, t->ndim, shape_of(t), NULL, err));
    ok = ok && sorted_lines(ctx, t, dim, descending, 0, t->ndim ? shape_of(t)[dim] : 1, dense[0] ? dense[0] : values,
                            dense[1] ? dense[1] : indices, err);
    for (int k = 0; k < 2; k++)
        if (dense[k]) {
            ok = ok && copy_elements(ctx, result[k], dense[k], COPY_NOT_CONTIGUOUS, err);
            tensor_release(dense[k]);
        }
    return ok;
}

FORWARD(sort)
{
    Tensor *t = call_tensor(call, 0), *values = NULL, *indices = NULL;
    int dim = 0;
    (void)plan;
    if (op != OP_msort && !shape_dim(call_int(call, 1, -1), t->ndim, &dim, err))
        return false;
    int64_t strides[DIMS_MAX];
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    if (op != OP_argsort && !(values = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), strides, err)))
        return false;
    if (op != OP_msort && !(indices = call_result(ctx, op, call, op == OP_sort, DT_I64, t->ndim, shape_of(t), strides, err)))
        return false;
    return sorted_into(ctx, t, dim, op != OP_msort && call_bool(call, 2, false), values, indices, err);
}

FORWARD(topk)
{
    Tensor *t = call_tensor(call, 0);
    int64_t k = call_int(call, 1, 0), shape[DIMS_MAX];
    bool kth = op == OP_kthvalue, keepdim = kth && call_bool(call, 3, false), largest = !kth && call_bool(call, 3, true);
    int dim, ndim = 0;
    (void)plan;
    if (!shape_dim(call_int(call, 2, -1), t->ndim, &dim, err))
        return false;
    if (t->dtype == DT_BOOL && !kth)
        return err_set(err, ERR_RUNTIME, "topk() is not there for bool tensors");
    int64_t length = t->ndim ? shape_of(t)[dim] : 1;
    if (k < kth || k > length)
        return err_set(err, ERR_RUNTIME, "%s(): k is %lld, and there are %lld elements along dim %d", op_info[op].id, (long long)k, (long long)length, dim);
    for (int d = 0; d < t->ndim; d++)
        if (d != dim)
            shape[ndim++] = shape_of(t)[d];
        else if (!kth || keepdim)
            shape[ndim++] = kth ? 1 : k;
    Tensor *values = call_result(ctx, op, call, 0, (DType)t->dtype, ndim, shape, NULL, err);
    Tensor *indices = values ? call_result(ctx, op, call, 1, DT_I64, ndim, shape, NULL, err) : NULL;
    return indices && sorted_lines(ctx, t, dim, largest, kth ? k - 1 : 0, kth ? 1 : k, values, indices, err);
}

/* ---- unique --------------------------------------------------------------------------------------------------------------- */
FORWARD(unique)
{
    Tensor *t = call_tensor(call, 0), *in, *inverse = NULL, *counts = NULL;
    bool runs = op == OP_unique_consecutive, with_inverse = call_bool(call, runs ? 1 : 2, false), with_counts = call_bool(call, runs ? 2 : 3, false);
    int64_t n = t->numel, found = 0;
    Lines lines = { 1, n, 1 };
    (void)plan;
    if (!(in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err)))
        return false;
    Item *item = mem_new(ctx->heap, (size_t)(n + 1) * sizeof *item);
    int64_t *group = item ? mem_new(ctx->heap, (size_t)(n + 1) * sizeof *group) : NULL;
    bool ok = group || err_memory(err, (size_t)n * sizeof *item);
    if (ok && n) {
        load_line(in, &lines, 0, item);
        if (!runs)
            qsort(item, (size_t)n, sizeof *item, rising);
        for (int64_t k = 0; k < n; k++) {
            found += k == 0 || compare(&item[k].x, &item[k - 1].x) != 0 || isnan(number_double(item[k].x));
            group[k] = found - 1;
        }
    }
    Tensor *values = ok ? call_result(ctx, op, call, 0, (DType)t->dtype, 1, &found, NULL, err) : NULL;
    int outs = 1;
    if (values && with_inverse)
        inverse = call_result(ctx, op, call, outs++, DT_I64, t->ndim, shape_of(t), NULL, err);
    if (values && with_counts && (inverse || !with_inverse))
        counts = call_result(ctx, op, call, outs++, DT_I64, 1, &found, NULL, err);
    ok = values && (inverse || !with_inverse) && (counts || !with_counts);
    if (ok && counts && found)
        memset(data_of(counts), 0, (size_t)found * sizeof(int64_t));
    for (int64_t k = 0; ok && k < n; k++) {
        number_store((DType)values->dtype, data_of(values) + group[k] * (int64_t)dtype_size((DType)values->dtype), item[k].x);
        if (inverse)
            ((int64_t *)data_of(inverse))[item[k].at] = group[k];
        if (counts)
            ((int64_t *)data_of(counts))[group[k]]++;
    }
    mem_free(ctx->heap, group);
    mem_free(ctx->heap, item);
    tensor_release(in);
    return ok;
}

/* ---- places in sorted ones --------------------------------------------------------------------------------------------------- */
/* Along the last dimension; `index` says where in the others, and is NULL for a vector. */
static int64_t place_of(const Tensor *sorted, const int64_t *index, double x, bool right)
{
    int64_t low = 0, high = shape_of(sorted)[sorted->ndim - 1], at[DIMS_MAX];
    for (int d = 0; index && d < sorted->ndim; d++)
        at[d] = index[d];
    while (low < high) {
        int64_t middle = at[sorted->ndim - 1] = low + (high - low) / 2;
        double y = number_double(tensor_element(sorted, at));
        if (right ? y <= x : y < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

FORWARD(searchsorted)
{
    int of = op == OP_searchsorted ? 1 : 0;
    const Tensor *sorted = call_tensor(call, 1 - of), *values = call_tensor(call, of);
    const char *side = op == OP_searchsorted && call_has(call, 4) ? call->arg[4].str : "";
    bool right = call_bool(call, 3, false) || !strcmp(side, "right"), rows = sorted->ndim > 1, narrow = call_bool(call, 2, false);
    int64_t index[DIMS_MAX] = { 0 };
    (void)plan;
    if (*side && strcmp(side, "left") && strcmp(side, "right"))
        return err_set(err, ERR_RUNTIME, "searchsorted(): side is 'left' or 'right', not '%s'", side);
    bool fits = sorted->ndim == 1 || (op == OP_searchsorted && sorted->ndim > 1 && values && values->ndim == sorted->ndim
                                      && !memcmp(shape_of(values), shape_of(sorted), (size_t)(sorted->ndim - 1) * sizeof *index));
    if (!fits)
        return err_set(err, ERR_RUNTIME, op == OP_searchsorted
                       ? "searchsorted(): sorted rows and what is sought agree in all dimensions but the last, or the sorted ones are a vector"
                       : "bucketize(): the boundaries are a vector");
    Tensor *out = call_result(ctx, op, call, 0, narrow ? DT_I32 : DT_I64, values ? values->ndim : 0, values ? shape_of(values) : NULL, NULL, err);
    for (int64_t k = 0; out && k < out->numel; k++) {
        double x = values ? number_double(tensor_element(values, index)) : call_float(call, of, 0);
        int64_t place = place_of(sorted, rows ? index : NULL, x, right);
        if (narrow)
            ((int32_t *)data_of(out))[k] = (int32_t)place;
        else
            ((int64_t *)data_of(out))[k] = place;
        for (int d = out->ndim - 1; d >= 0 && ++index[d] == shape_of(out)[d]; d--)
            index[d] = 0;
    }
    return out;
}

FORWARD(isin)
{
    const Tensor *elements = call_tensor(call, 0);
    Tensor *test = call_tensor(call, 1), *sorted = NULL;
    bool invert = call_bool(call, 2, false);
    int64_t index[DIMS_MAX] = { 0 };
    (void)plan;
    Tensor *out = call_result(ctx, op, call, 0, DT_BOOL, elements->ndim, shape_of(elements), NULL, err);
    if (!out)
        return false;
    if (test) {
        int64_t n = test->numel;
        Tensor *flat = copy_new(ctx, test, (DType)test->dtype, false, COPY_REASONS, err);
        if (!flat || !tensor_set_dims(flat, 1, &n, (int64_t[]){ 1 }, 0, err) || !(sorted = op_unary(ctx, OP_msort, flat, err))) {
            tensor_release(flat);
            return false;
        }
        tensor_release(flat);
    }
    for (int64_t k = 0; k < out->numel; k++) {
        double x = number_double(tensor_element(elements, index));
        bool found = !test && x == call_float(call, 1, 0);
        if (test) {
            int64_t at = place_of(sorted, NULL, x, false);
            found = at < sorted->numel && number_double(tensor_element(sorted, &at)) == x;
        }
        data_of(out)[k] = found != invert;
        for (int d = out->ndim - 1; d >= 0 && ++index[d] == shape_of(out)[d]; d--)
            index[d] = 0;
    }
    tensor_release(sorted);
    return true;
}
