/*
 * more.c - operations that are made of others: differences, statistics, distances, and parts written into copies.
 */
#include "tensor/compose.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/more.def"
#undef OP

static const int64_t LAST = -1;

/* Elements [from, size - less) of a dimension. */
static Tensor *inner_part(Compose *c, Tensor *t, int64_t dim, int64_t from, int64_t less)
{
    int d;
    if (t && !t->ndim)
        err_set(c->err, ERR_INDEX, "a tensor of 0 dimensions has no neighbours");
    if (!t || !t->ndim || !shape_dim(dim, t->ndim, &d, c->err))
        return compose_keep(c, NULL);
    int64_t length = shape_of(t)[d] - from - less;
    return DO(narrow, T(t), I(d), I(length < 0 ? 0 : from), I(length < 0 ? 0 : length));
}

/* ---- along a dimension ---------------------------------------------------------------------------------------------------- */
FORWARD(diff)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    int64_t n = call_int(call, 1, 1), dim = call_int(call, 2, -1);
    if (!t->ndim || n < 0)
        return err_set(err, ERR_RUNTIME, t->ndim ? "diff(): n must not be negative" : "diff() takes tensors of one dimension or more");
    if (call_tensor(call, 3) || call_tensor(call, 4)) {
        Tensor *all[3];
        int count = 0;
        if (call_tensor(call, 3))
            all[count++] = call_tensor(call, 3);
        all[count++] = t;
        if (call_tensor(call, 4))
            all[count++] = call_tensor(call, 4);
        t = DO(cat, TENSORS(all, count), I(dim));
    }
    if (t && n == 0)
        t = DO(clone, T(t));
    for (; t && n > 0; n--) {
        Tensor *later = inner_part(c, t, dim, 1, 0), *earlier = inner_part(c, t, dim, 0, 1);
        t = t->dtype == DT_BOOL ? DO(logical_xor, T(later), T(earlier)) : DO(sub, T(later), T(earlier));
        if (c->n > COMPOSE_STEPS - 8)
            return compose_fail(c) || err_set(err, ERR_NOT_IMPLEMENTED, "diff() of so high an order is not supported by Locus");
    }
    return compose_end(c, op, call, t);
}

/* The areas between neighbours: (y0 + y1) / 2 times the distance. */
FORWARD(trapezoid)
{
    COMPOSE;
    bool by_x = op == OP_trapezoid_x || op == OP_cumulative_trapezoid_x;
    Tensor *y = call_tensor(call, 0), *x = by_x ? call_tensor(call, 1) : NULL;
    int64_t dim = call_int(call, 2, -1);
    Tensor *sums = DO(add, T(inner_part(c, y, dim, 1, 0)), T(inner_part(c, y, dim, 0, 1))), *areas;
    if (x) {
        Tensor *steps = DO(diff, T(x), I(1), I(x->ndim == 1 ? -1 : dim));
        int d;
        if (x->ndim == 1 && y->ndim > 1 && shape_dim(dim, y->ndim, &d, err)) {
            int64_t shape[DIMS_MAX];
            for (int k = 0; k < y->ndim; k++)
                shape[k] = k == d ? -1 : 1;
            steps = DO(reshape, T(steps), INTS(shape, y->ndim));
        }
        areas = DO(div, T(DO(mul, T(sums), T(steps))), F(2));
    } else
        areas = DO(mul, T(sums), F(call_float(call, 1, 1) / 2));
    bool running = op == OP_cumulative_trapezoid || op == OP_cumulative_trapezoid_x;
    return compose_end(c, op, call, running ? DO(cumsum, T(areas), I(dim)) : DO(sum, T(areas), INTS(&dim, 1)));
}

/* log of running sums of exp: the running maximum keeps it in range. */
FORWARD(logcumsumexp)
{
    COMPOSE;
    Arg dim = call->arg[1];
    if (dtype_kind((DType)call_tensor(call, 0)->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "logcumsumexp() is not there for %s", dtype_name((DType)call_tensor(call, 0)->dtype));
    Tensor *t = compose_cast(c, call_tensor(call, 0), DT_F64);
    Tensor *most = DO(amax, T(t), INTS(&dim.i, 1), B(true)), *finite = DO(where, T(DO(isfinite, T(most))), T(most), F(0));
    Tensor *sums = DO(cumsum, T(DO(exp, T(DO(sub, T(t), T(finite))))), dim);
    Tensor *result = DO(add, T(DO(log, T(sums))), T(finite));
    return compose_end(c, op, call, compose_cast(c, result, (DType)call_tensor(call, 0)->dtype));
}

/* The quantile of what is a number in row k; NaN where nothing is. Owned. */
static Tensor *quantile_of_row(Context *ctx, Tensor *rows, int64_t k, Arg q, Err *err)
{
    Compose compose = { .ctx = ctx, .err = err }, *const c = &compose;
    int64_t one = 1;
    Tensor *row = DO(select, T(rows), I(0), I(k)), *there = DO(masked_select, T(row), T(DO(logical_not, T(DO(isnan, T(row))))));
    if (there && !there->numel)
        there = DO(full, INTS(&one, 1), F(NAN), DT((DType)rows->dtype));
    Tensor *value = DO(quantile, T(there), q);
    if (value)
        tensor_retain(value);
    compose_fail(c);
    return value;
}

FORWARD(nanquantile)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0), *result = NULL;
    int64_t shape[DIMS_MAX + 1], done = 0;
    int dim = 0, n = 0;
    if (call_has(call, 2) && !shape_dim(call_int(call, 2, 0), t->ndim, &dim, err))
        return false;
    if (!t->numel)
        return err_set(err, ERR_RUNTIME, "nanquantile() of no elements");
    Tensor *rows = call_has(call, 2) ? DO(reshape, T(DO(movedim, T(t), I(dim), I(-1))), INTS(((int64_t[]){ -1, t->ndim ? shape_of(t)[dim] : 1 }), 2))
                                     : DO(reshape, T(t), INTS(((int64_t[]){ 1, -1 }), 2));
    int64_t count = rows ? shape_of(rows)[0] : 0;
    Tensor **value = rows ? mem_new(ctx->heap, ((size_t)count + 1) * sizeof *value) : NULL;
    if (!value)
        return compose_fail(c) || (rows && err_memory(err, ((size_t)count + 1) * sizeof *value));
    while (done < count && (value[done] = quantile_of_row(ctx, rows, done, call->arg[1], err)))
        done++;
    if (done == count && count) {
        result = DO(stack, TENSORS(value, (int)count), I(-1));
        if (result && result->ndim > 1)                 /* several quantiles stand in front */
            shape[n++] = shape_of(result)[0];
        for (int d = 0; d < t->ndim; d++)
            if (call_has(call, 2) && d != dim)
                shape[n++] = shape_of(t)[d];
            else if (call_bool(call, 3, false))
                shape[n++] = 1;
        result = DO(reshape, T(result), INTS(shape, n));
    }
    while (done)
        tensor_release(value[--done]);
    mem_free(ctx->heap, value);
    return compose_end(c, op, call, result);
}

/* ---- statistics ----------------------------------------------------------------------------------------------------------- */
/* Rows are variables, columns observations. */
FORWARD(cov)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    int64_t least = 1, correction = call_int(call, 1, 1);
    if (t->ndim > 2 || t->dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "cov() takes a vector or a matrix of numbers, not a tensor of %d dimensions of %s", t->ndim, dtype_name((DType)t->dtype));
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        t = compose_cast(c, t, ctx->default_dtype);
    Tensor *rows = t->ndim == 2 ? t : DO(reshape, T(t), INTS(((int64_t[]){ 1, -1 }), 2));
    if (!rows)
        return compose_fail(c);
    int64_t n = shape_of(rows)[1] - correction;
    Tensor *apart = DO(sub, T(rows), T(DO(mean, T(rows), INTS(&least, 1), B(true))));
    Tensor *product = DO(div, T(DO(mm, T(apart), T(DO(t, T(apart))))), I(n > 0 ? n : 0));
    return compose_end(c, op, call, t->ndim == 2 ? product : DO(squeeze, T(product)));
}

FORWARD(corrcoef)
{
    COMPOSE;
    Tensor *cov = DO(cov, call->arg[0], I(1));
    if (!cov || !cov->ndim)
        return compose_end(c, op, call, cov ? DO(div, T(cov), T(cov)) : NULL);
    Tensor *spread = DO(sqrt, T(DO(diagonal, T(cov))));
    Tensor *scaled = DO(div, T(DO(div, T(cov), T(DO(unsqueeze, T(spread), I(1))))), T(DO(unsqueeze, T(spread), I(0))));
    return compose_end(c, op, call, DO(clamp, T(scaled), I(-1), I(1)));
}

FORWARD(histc)
{
    Tensor *t = call_tensor(call, 0), *in;
    int64_t bins = call_int(call, 1, 100), index[DIMS_MAX] = { 0 };
    double low = call_float(call, 2, 0), high = call_float(call, 3, 0);
    (void)plan;
    if (bins <= 0 || low > high)
        return err_set(err, ERR_RUNTIME, bins <= 0 ? "histc(): bins must be greater than 0" : "histc(): max must not be less than min");
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "histc() is not there for %s", dtype_name((DType)t->dtype));
    if (!(in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err)))
        return false;
    double least = INFINITY, most = -INFINITY;
    for (int64_t k = 0; low == high && k < t->numel; k++) {
        double x = number_double(number_load((DType)t->dtype, data_of(in) + (size_t)k * dtype_size((DType)t->dtype)));
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    if (low == high && t->numel)
        low = least, high = most;
    if (low == high)
        low -= 1, high += 1;
    Tensor *out = isfinite(low) && isfinite(high) ? call_result(ctx, op, call, 0, (DType)t->dtype, 1, &bins, NULL, err)
                : (err_set(err, ERR_RUNTIME, "histc(): the range from %g to %g is not finite", low, high), NULL);
    if (out)
        memset(data_of(out), 0, (size_t)bins * dtype_size((DType)out->dtype));
    for (int64_t k = 0; out && k < t->numel; k++) {
        double x = number_double(number_load((DType)t->dtype, data_of(in) + (size_t)k * dtype_size((DType)t->dtype)));
        if (!(x >= low && x <= high))
            continue;
        *index = (int64_t)((x - low) / (high - low) * (double)bins);
        *index = *index == bins ? bins - 1 : *index;
        Number count = tensor_element(out, index);
        count.f += 1;
        number_store((DType)out->dtype, data_of(out) + (size_t)*index * dtype_size((DType)out->dtype), count);
    }
    tensor_release(in);
    return out;
}

FORWARD(histogram)
{
    COMPOSE;
    bool at = op == OP_histogram_at;
    Tensor *t = call_tensor(call, 0), *edges = at ? call_tensor(call, 1) : NULL, *weight = call_tensor(call, at ? 2 : 3);
    if (t->dtype != DT_F32 && t->dtype != DT_F64)
        return err_set(err, ERR_RUNTIME, "histogram() is there for float32 and float64, not for %s", dtype_name((DType)t->dtype));
    if (!at) {
        const Arg *range = call_has(call, 2) ? &call->arg[2] : NULL;
        if (call_int(call, 1, 0) < 1 || (range && range->n != 2))
            return err_set(err, ERR_RUNTIME, range ? "histogram(): range is two numbers" : "histogram(): bins must be greater than 0");
        Number low = { 0 }, high = { 0 };
        Tensor *ends[2] = { range || !t->numel ? NULL : DO(min, T(t)), range || !t->numel ? NULL : DO(max, T(t)) };
        double from = range ? number_double(range->numbers[0]) : 0, to = range ? number_double(range->numbers[1]) : 1;
        if (ends[0] && ends[1] && tensor_item(ends[0], &low, err) && tensor_item(ends[1], &high, err))
            from = low.f, to = high.f;
        if (from == to)
            from -= range ? 0.5 : 0.5, to += 0.5;
        edges = DO(linspace, F(from), F(to), I(call_int(call, 1, 1) + 1), DT((DType)t->dtype));
    }
    if (!edges || edges->ndim != 1 || edges->numel < 2)
        return compose_fail(c) || (edges && err_set(err, ERR_RUNTIME, "histogram(): the edges are a vector of two or more"));
    int64_t bins = edges->numel - 1, flat = -1, last = bins;
    Tensor *x = DO(reshape, T(t), INTS(&flat, 1)), *most = DO(select, T(edges), I(0), I(last)), *least = DO(select, T(edges), I(0), I(0));
    Tensor *place = DO(sub, T(DO(searchsorted, T(edges), T(x), NONE, B(true))), I(1));
    place = DO(where, T(DO(eq, T(x), T(most))), I(bins - 1), T(place));
    Tensor *inside = DO(logical_and, T(DO(ge, T(x), T(least))), T(DO(le, T(x), T(most))));
    Tensor *ones = weight ? DO(reshape, T(weight), INTS(&flat, 1)) : DO(ones_like, T(x));
    Tensor *counted = DO(where, T(inside), T(ones), F(0));
    Tensor *hist = DO(scatter_add, T(DO(zeros, INTS(&bins, 1), DT((DType)t->dtype))), I(0), T(DO(clamp, T(place), I(0), I(bins - 1))), T(compose_cast(c, counted, (DType)t->dtype)));
    if (call_bool(call, at ? 3 : 4, false))
        hist = DO(div, T(DO(div, T(hist), T(DO(sum, T(hist), NONE)))), T(DO(diff, T(edges), I(1), I(-1))));
    Tensor *results[2] = { hist, edges };
    return compose_end_many(c, call, 2, results);
}

/* ---- distances ------------------------------------------------------------------------------------------------------------ */
FORWARD(cdist)
{
    COMPOSE;
    Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    if (a->ndim < 2 || b->ndim < 2 || shape_of(a)[a->ndim - 1] != shape_of(b)[b->ndim - 1])
        return err_set(err, ERR_RUNTIME, "cdist() takes two batches of vectors of one length");
    if (dtype_kind((DType)a->dtype) != DKIND_FLOAT || dtype_kind((DType)b->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "cdist() takes floating tensors, not %s and %s", dtype_name((DType)a->dtype), dtype_name((DType)b->dtype));
    if (call_float(call, 2, 2) < 0)
        return err_set(err, ERR_RUNTIME, "cdist(): p must not be negative");
    Tensor *apart = DO(sub, T(DO(unsqueeze, T(a), I(-2))), T(DO(unsqueeze, T(b), I(-3))));
    return compose_end(c, op, call, DO(norm, T(apart), F(call_float(call, 2, 2)), INTS(&LAST, 1)));
}

FORWARD(pdist)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    if (t->ndim != 2)
        return err_set(err, ERR_RUNTIME, "pdist() takes a matrix, not a tensor of %d dimensions", t->ndim);
    int64_t n = shape_of(t)[0];
    Tensor *all = DO(cdist, T(t), T(t), call->arg[1]), *pairs = DO(triu_indices, I(n), I(n), I(1));
    Tensor *flat = DO(add, T(DO(mul, T(DO(select, T(pairs), I(0), I(0))), I(n))), T(DO(select, T(pairs), I(0), I(1))));
    return compose_end(c, op, call, DO(take, T(all), T(flat)));
}

/* Slices along dim whose norm is larger than maxnorm are scaled down to it. */
FORWARD(renorm)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    int64_t dims[DIMS_MAX];
    int dim, n = 0;
    if (t->ndim < 2 || !shape_dim(call_int(call, 2, 0), t->ndim, &dim, err))
        return t->ndim < 2 ? err_set(err, ERR_RUNTIME, "renorm() takes tensors of two dimensions or more") : false;
    for (int d = 0; d < t->ndim; d++)
        if (d != dim)
            dims[n++] = d;
    double most = call_float(call, 3, 0);
    Tensor *norm = DO(norm, T(t), call->arg[1], INTS(dims, n), B(true));
    Tensor *scale = DO(div, F(most), T(DO(add, T(norm), F(1e-7))));
    return compose_end(c, op, call, DO(mul, T(t), T(DO(where, T(DO(gt, T(norm), F(most))), T(scale), F(1)))));
}

/* ---- products ------------------------------------------------------------------------------------------------------------- */
FORWARD(addbmm)
{
    COMPOSE;
    int64_t first = 0;
    Arg beta = call_has(call, 3) ? call->arg[3] : I(1), alpha = call_has(call, 4) ? call->arg[4] : I(1);
    Tensor *product = DO(sum, T(DO(bmm, call->arg[1], call->arg[2])), INTS(&first, 1));
    return compose_end(c, op, call, DO(add, T(DO(mul, call->arg[0], beta)), T(DO(mul, T(product), alpha))));
}

/* Summed over the dimensions that a tensor of these sizes would be expanded along. */
FORWARD(sum_to_size)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    int64_t dims[DIMS_MAX];
    int n, count = 0;
    const int64_t *size = call_ints(call, 1, &n);
    bool fits = n <= t->ndim;
    for (int d = 0; fits && d < t->ndim; d++) {
        int64_t wanted = d < t->ndim - n ? 1 : size[d - (t->ndim - n)];
        fits = wanted == 1 || wanted == shape_of(t)[d];
        if (d < t->ndim - n || (wanted == 1 && shape_of(t)[d] != 1))
            dims[count++] = d;
    }
    if (!fits)
        return err_set(err, ERR_RUNTIME, "sum_to_size(): these sizes do not expand to the tensor's");
    Tensor *sum = count ? DO(sum, T(t), INTS(dims, count), B(true)) : t;
    return compose_end(c, op, call, DO(view, T(sum), INTS(size, n)));
}

FORWARD(vander)
{
    COMPOSE;
    Tensor *x = call_tensor(call, 0);
    bool linalg = op == OP_linalg_vander, rising = linalg || call_bool(call, 2, false);
    if (x->ndim < 1 || (!linalg && x->ndim != 1))
        return err_set(err, ERR_RUNTIME, "vander() takes a vector, not a tensor of %d dimensions", x->ndim);
    int64_t n = call_int(call, 1, shape_of(x)[x->ndim - 1]);
    Tensor *powers = DO(arange, I(n));
    if (!rising)
        powers = DO(rsub, T(powers), I(n - 1));
    return compose_end(c, op, call, DO(pow, T(DO(unsqueeze, T(x), I(-1))), T(powers)));
}

FORWARD(scalar_tensor)
{
    COMPOSE;
    return compose_end(c, op, call, DO(full, INTS(&LAST, 0), call->arg[0], call_has(call, 1) ? call->arg[1] : DT(ctx->default_dtype)));
}
