/*
 * rearrange.c - more ways to take tensors apart and to write into copies of them: matrices on a diagonal, splits at positions in a
 * tensor, parts scattered, unique slices, pixels shuffled.
 */
#include "tensor/compose.h"
#include <math.h>
#include <stdlib.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/more.def"
#undef OP

FORWARD(block_diag)
{
    const Arg *list = &call->arg[0];
    int64_t shape[2] = { 0, 0 }, at[2] = { 0, 0 };
    DType dtype = DT_NONE;
    (void)plan;
    for (int k = 0; k < list->n; k++) {
        const Tensor *t = list->tensors[k];
        if (t->ndim > 2)
            return err_set(err, ERR_RUNTIME, "block_diag() takes tensors of up to 2 dimensions; tensor %d has %d", k, t->ndim);
        dtype = dtype == DT_NONE ? (DType)t->dtype : dtype_promote(dtype, (DType)t->dtype);
        shape[0] += t->ndim == 2 ? shape_of(t)[0] : 1;
        shape[1] += t->ndim ? shape_of(t)[t->ndim - 1] : 1;
    }
    Tensor *out = call_result(ctx, op, call, 0, dtype == DT_NONE ? ctx->default_dtype : dtype, 2, shape, NULL, err);
    if (out)
        memset(data_of(out), 0, (size_t)out->numel * dtype_size((DType)out->dtype));
    for (int k = 0; out && k < list->n; k++) {
        const Tensor *t = list->tensors[k];
        int64_t size[2] = { t->ndim == 2 ? shape_of(t)[0] : 1, t->ndim ? shape_of(t)[t->ndim - 1] : 1 };
        int64_t strides[2] = { shape[1], 1 };
        Part place, from;
        part_dims(&place, out, 2, size, strides, at[0] * shape[1] + at[1]);
        part_dims(&from, t, 2, size, (int64_t[]){ t->ndim == 2 ? strides_of(t)[0] : 0, t->ndim ? strides_of(t)[t->ndim - 1] : 0 }, t->offset);
        if (!copy_elements(ctx, &place.t, &from.t, COPY_REASONS, err))
            return false;
        at[0] += size[0];
        at[1] += size[1];
    }
    return out;
}

FORWARD(dsplit)
{
    Tensor *t = call_tensor(call, 0);
    int n;
    const int64_t *at = call_ints(call, 1, &n);
    Call split = { .args = 3 };
    bool sections = call->arg[1].kind == ARG_INT || n == 1;
    (void)plan, (void)op;
    if (t->ndim < 3)
        return err_set(err, ERR_RUNTIME, "dsplit() needs a tensor with at least 3 dimensions, this one has %d", t->ndim);
    split.arg[0] = T(t);
    split.arg[1] = sections ? I(at[0]) : call->arg[1];
    split.arg[2] = I(2);
    if (sections && at[0] > 0 && shape_of(t)[2] % at[0])
        return err_set(err, ERR_RUNTIME, "dsplit(): dimension 2 with size %lld does not divide into %lld equal parts", (long long)shape_of(t)[2], (long long)at[0]);
    if (!op_call(ctx, sections ? OP_tensor_split : OP_tensor_split_at, &split, err))
        return false;
    call->many = split.many;
    call->many_count = split.many_count;
    return true;
}

/* The sections, or the positions, stand in an int64 tensor. */
FORWARD(tensor_split_by)
{
    const Tensor *by = call_tensor(call, 1);
    int64_t at[DIMS_MAX];
    Call split = { .args = 3 };
    (void)plan, (void)op;
    if (by->dtype != DT_I64 || by->ndim > 1 || by->numel > DIMS_MAX)
        return err_set(err, ERR_RUNTIME, "tensor_split(): the positions are an int64 tensor of up to %d elements in 0 or 1 dimensions", DIMS_MAX);
    for (int64_t k = 0; k < by->numel; k++)
        at[k] = tensor_element(by, &k).i;
    split.arg[0] = call->arg[0];
    split.arg[1] = by->ndim ? INTS(at, (int)by->numel) : I(at[0]);
    split.arg[2] = I(call_int(call, 2, 0));
    if (!op_call(ctx, by->ndim ? OP_tensor_split_at : OP_tensor_split, &split, err))
        return false;
    call->many = split.many;
    call->many_count = split.many_count;
    return true;
}

FORWARD(take_along_flat)
{
    COMPOSE;
    int64_t flat = -1;
    return compose_end(c, op, call, DO(gather, T(DO(reshape, call->arg[0], INTS(&flat, 1))), I(0), T(DO(reshape, call->arg[1], INTS(&flat, 1)))));
}

/* A copy of self with src written into a row, a slice or a diagonal of it. */
FORWARD(part_scatter)
{
    COMPOSE;
    Tensor *copy = DO(clone, call->arg[0]), *place = NULL;
    if (op == OP_select_scatter)
        place = DO(select, T(copy), call->arg[2], call->arg[3]);
    else if (op == OP_diagonal_scatter)
        place = DO(diagonal, T(copy), I(call_int(call, 2, 0)), I(call_int(call, 3, 0)), I(call_int(call, 4, 1)));
    else {
        int dim;
        Part part;
        int64_t start = call_int(call, 3, 0), stop = call_int(call, 4, 0), step = call_int(call, 5, 1);
        if (!copy || !shape_dim(call_int(call, 2, 0), copy->ndim, &dim, err))
            return compose_fail(c);
        if (step < 1)
            return compose_fail(c) || err_set(err, ERR_RUNTIME, "slice_scatter(): step must be greater than 0");
        slice_bounds(shape_of(copy)[dim], call_has(call, 3), &start, call_has(call, 4), &stop);
        part_whole(&part, copy);
        part_narrow(&part, dim, start, stop > start ? (stop - start + step - 1) / step : 0, step);
        place = compose_keep(c, tensor_new_view(ctx, copy, copy->ndim, shape_of(&part.t), strides_of(&part.t), part.t.offset, err));
    }
    const Tensor *src = call_tensor(call, 1);
    if (place && (place->ndim != src->ndim || memcmp(shape_of(place), shape_of(src), (size_t)src->ndim * sizeof(int64_t)))) {
        char a[200], b[200];
        shape_print_to(a, sizeof a, src->ndim, shape_of(src));
        shape_print_to(b, sizeof b, place->ndim, shape_of(place));
        return compose_fail(c) || err_set(err, ERR_RUNTIME, "%s(): src is of shape %s, and the part of %s", op_info[op].name, a, b);
    }
    if (place && !copy_elements(ctx, place, src, COPY_REASONS, err))
        return compose_fail(c);
    return compose_end(c, op, call, place ? copy : NULL);
}

/* ---- scatter_reduce ------------------------------------------------------------------------------------------------------- */
static double reduce_two(char how, double a, double b)
{
    switch (how) {
    case 's': case 'm': return a + b;
    case 'p': return a * b;
    case 'x': return isnan(a) || a > b ? a : b;
    default: return isnan(a) || a < b ? a : b;
    }
}

FORWARD(scatter_reduce)
{
    Tensor *t = call_tensor(call, 0), *index = call_tensor(call, 2), *src = call_tensor(call, 3), *out;
    const char *how = call->arg[4].str;
    bool include = call_bool(call, 5, true);
    static const struct { const char *name; char how; } ways[] = { { "sum", 's' }, { "prod", 'p' }, { "mean", 'm' }, { "amax", 'x' }, { "amin", 'n' } };
    char way = 0;
    int dim;
    (void)plan;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        way = strcmp(how, ways[k].name) ? way : ways[k].how;
    if (!way)
        return err_set(err, ERR_RUNTIME, "scatter_reduce(): reduce is 'sum', 'prod', 'mean', 'amax' or 'amin', not '%s'", how);
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    bool fits = index->dtype == DT_I64 && src->dtype == t->dtype && index->ndim == t->ndim && src->ndim == t->ndim;
    for (int d = 0; fits && d < t->ndim; d++)
        fits = shape_of(index)[d] <= shape_of(src)[d] && (d == dim || shape_of(index)[d] <= shape_of(t)[d]);
    if (!fits)
        return err_set(err, ERR_RUNTIME, "scatter_reduce(): index (int64) and src (the tensor's dtype) do not fit the tensor");
    int64_t at[DIMS_MAX] = { 0 }, length = t->ndim ? shape_of(t)[dim] : 1;
    for (int64_t k = 0; k < index->numel; k++) {
        int64_t x = tensor_element(index, at).i;
        if (x < 0 || x >= length)
            return err_set(err, ERR_RUNTIME, "scatter_reduce(): position %lld is out of range: dimension %d has %lld elements", (long long)x, dim, (long long)length);
        for (int d = index->ndim - 1; d >= 0 && ++at[d] == shape_of(index)[d]; d--)
            at[d] = 0;
    }
    if (!(out = call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err)) || (out != t && !copy_elements(ctx, out, t, COPY_REASONS, err)))
        return false;
    int64_t *count = mem_new(ctx->heap, ((size_t)t->numel + 1) * sizeof *count);
    if (!count)
        return err_memory(err, ((size_t)t->numel + 1) * sizeof *count);
    for (int64_t k = 0; k < t->numel; k++)
        count[k] = include;
    for (int64_t k = 0; k < index->numel; k++) {
        int64_t place = 0, flat = 0, x = tensor_element(index, at).i;
        for (int d = 0; d < t->ndim; d++) {
            place += (d == dim ? x : at[d]) * strides_of(out)[d];
            flat = flat * shape_of(t)[d] + (d == dim ? x : at[d]);
        }
        char *to = data_of(out) + place * (int64_t)dtype_size((DType)out->dtype);
        double value = number_double(tensor_element(src, at)), old = number_double(number_load((DType)out->dtype, to));
        value = count[flat]++ ? reduce_two(way, old, value) : value;
        number_store((DType)out->dtype, to, (Number){ DKIND_FLOAT, { .f = value } });
        for (int d = index->ndim - 1; d >= 0 && ++at[d] == shape_of(index)[d]; d--)
            at[d] = 0;
    }
    memset(at, 0, sizeof at);
    for (int64_t k = 0; way == 'm' && k < t->numel; k++) {
        int64_t place = 0;
        for (int d = 0; d < t->ndim; d++)
            place += at[d] * strides_of(out)[d];
        char *to = data_of(out) + place * (int64_t)dtype_size((DType)out->dtype);
        double mean = number_double(number_load((DType)out->dtype, to)) / (double)(count[k] ? count[k] : 1);
        number_store((DType)out->dtype, to, (Number){ DKIND_FLOAT, { .f = dtype_kind((DType)out->dtype) == DKIND_FLOAT ? mean : floor(mean) } });
        for (int d = t->ndim - 1; d >= 0 && ++at[d] == shape_of(t)[d]; d--)
            at[d] = 0;
    }
    mem_free(ctx->heap, count);
    return call_finish(ctx, op, call, err);
}

/* ---- unique slices -------------------------------------------------------------------------------------------------------- */
typedef struct Slice { const Tensor *rows; int64_t at; } Slice;        /* row `at` of a dense matrix */

static int compare_slices(const void *left, const void *right)
{
    const Slice *a = left, *b = right;
    const Tensor *rows = a->rows;
    size_t size = dtype_size((DType)rows->dtype);
    int64_t n = shape_of(rows)[1];
    for (int64_t k = 0; k < n; k++) {
        Number x = number_load((DType)rows->dtype, data_of(rows) + (size_t)(a->at * n + k) * size);
        Number y = number_load((DType)rows->dtype, data_of(rows) + (size_t)(b->at * n + k) * size);
        bool less = x.kind == DKIND_FLOAT ? x.f < y.f : number_int(x) < number_int(y), more = x.kind == DKIND_FLOAT ? x.f > y.f : number_int(x) > number_int(y);
        if (less || more)
            return less ? -1 : 1;
    }
    return 0;
}

static int compare_stable(const void *left, const void *right)
{
    int order = compare_slices(left, right);
    int64_t a = ((const Slice *)left)->at, b = ((const Slice *)right)->at;
    return order ? order : a < b ? -1 : a > b;
}

FORWARD(unique_dim)
{
    COMPOSE;
    bool runs = op == OP_unique_consecutive_dim;
    int first = runs ? 1 : 2, dim;
    Tensor *t = call_tensor(call, 0);
    if (!call_has(call, first + 2)) {
        Call flat = { .args = first + 2 };
        memcpy(flat.arg, call->arg, (size_t)(first + 2) * sizeof *flat.arg);
        if (!op_call(ctx, runs ? OP_unique_consecutive : OP_unique, &flat, err))
            return false;
        memcpy(call->out, flat.out, sizeof flat.out);
        call->outs = flat.outs;
        return true;
    }
    if (!shape_dim(call_int(call, first + 2, 0), t->ndim, &dim, err))
        return false;
    int64_t n = t->ndim ? shape_of(t)[dim] : 1, found = 0, each = n ? t->numel / n : 0;
    Tensor *rows = DO(reshape, T(DO(movedim, T(t), I(dim), I(0))), INTS(((int64_t[]){ n, each }), 2));
    rows = DO(contiguous, T(rows));
    Slice *slice = rows ? mem_new(ctx->heap, ((size_t)n + 1) * sizeof *slice) : NULL;
    Tensor *kept = slice ? compose_keep(c, tensor_new_dense(ctx, DT_I64, (Device){ 0, 0 }, 1, &n, NULL, err)) : NULL;
    Tensor *inverse = kept ? compose_keep(c, tensor_new_dense(ctx, DT_I64, (Device){ 0, 0 }, 1, &n, NULL, err)) : NULL;
    Tensor *counts = inverse ? DO(zeros, INTS(&n, 1), DT(DT_I64)) : NULL;
    if (!counts) {
        mem_free(ctx->heap, slice);
        return compose_fail(c) || (rows && !slice && err_memory(err, ((size_t)n + 1) * sizeof *slice));
    }
    for (int64_t k = 0; k < n; k++)
        slice[k] = (Slice){ rows, k };
    if (!runs)
        qsort(slice, (size_t)n, sizeof *slice, compare_stable);
    for (int64_t k = 0; k < n; k++) {
        if (!k || compare_slices(&slice[k], &slice[k - 1]))
            ((int64_t *)data_of(kept))[found++] = slice[k].at;
        ((int64_t *)data_of(inverse))[slice[k].at] = found - 1;
        ((int64_t *)data_of(counts))[found - 1]++;
    }
    mem_free(ctx->heap, slice);
    Tensor *results[3] = { DO(index_select, T(t), I(dim), T(DO(narrow, T(kept), I(0), I(0), I(found)))) };
    int outs = 1;
    if (call_bool(call, first, false))
        results[outs++] = inverse;
    if (call_bool(call, first + 1, false))
        results[outs++] = DO(clone, T(DO(narrow, T(counts), I(0), I(0), I(found))));
    return compose_end_many(c, call, outs, results);
}

/* ---- places and sizes ----------------------------------------------------------------------------------------------------- */
FORWARD(resize_as)
{
    Tensor *like = call_tensor(call, 1);
    Call resize = { .args = 2, .inplace = true };
    resize.arg[0] = call->arg[0];
    resize.arg[1] = INTS(shape_of(like), like->ndim);
    (void)plan, (void)op;
    return op_call(ctx, OP_resize, &resize, err) && call_take(call, resize.out[0]);
}

FORWARD(unravel_index)
{
    COMPOSE;
    int n;
    const int64_t *shape = call_ints(call, 1, &n);
    int64_t behind[DIMS_MAX], step = 1;
    if (dtype_kind((DType)call_tensor(call, 0)->dtype) != DKIND_INT)
        return err_set(err, ERR_RUNTIME, "unravel_index() takes whole numbers, not %s", dtype_name((DType)call_tensor(call, 0)->dtype));
    if (n > DIMS_MAX || shape_numel(n, shape, err) < 0)
        return n > DIMS_MAX ? err_set(err, ERR_RUNTIME, "unravel_index(): a shape of %d dimensions", n) : false;
    Tensor *indices = compose_cast(c, call_tensor(call, 0), DT_I64);
    for (int d = n - 1; d >= 0; d--) {
        behind[d] = step;
        step *= shape[d];
    }
    if (!call_many(ctx, call, n, err))
        return false;
    for (int d = 0; d < n; d++) {
        Tensor *at = DO(remainder, T(DO(floor_divide, T(indices), I(behind[d] ? behind[d] : 1))), I(shape[d] ? shape[d] : 1));
        if (!call_more(ctx, call, at ? tensor_retain(at) : NULL))
            return compose_fail(c);
    }
    compose_fail(c);
    return true;
}

FORWARD(pixel_shuffle)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0);
    int64_t f = call_int(call, 1, 1), shape[DIMS_MAX], last[DIMS_MAX], order[DIMS_MAX];
    int n = t->ndim, lead = n - 3;
    bool apart = op == OP_pixel_unshuffle;
    if (n < 3 || f < 1 || f > 1 << 20 || n + 2 > DIMS_MAX)
        return err_set(err, ERR_RUNTIME, "%s() takes (…, channels, rows, columns) and a factor of 1 or more", op_info[op].name);
    int64_t channels = shape_of(t)[lead], rows = shape_of(t)[lead + 1], columns = shape_of(t)[lead + 2];
    if (apart ? rows % f || columns % f : channels % (f * f))
        return err_set(err, ERR_RUNTIME, "%s(): the sizes do not divide by %lld", op_info[op].name, (long long)f);
    for (int d = 0; d < lead; d++)
        shape[d] = last[d] = shape_of(t)[d], order[d] = d;
    static const int together[] = { 0, 3, 1, 4, 2 }, taken[] = { 0, 2, 4, 1, 3 };
    const int64_t in[5] = { apart ? channels : channels / (f * f), apart ? rows / f : f, f, apart ? columns / f : rows, apart ? f : columns };
    for (int d = 0; d < 5; d++) {
        shape[lead + d] = in[d];
        order[lead + d] = lead + (apart ? taken[d] : together[d]);
    }
    last[lead] = apart ? channels * f * f : channels / (f * f);
    last[lead + 1] = apart ? rows / f : rows * f;
    last[lead + 2] = apart ? columns / f : columns * f;
    Tensor *turned = DO(permute, T(DO(reshape, T(t), INTS(shape, lead + 5))), INTS(order, lead + 5));
    return compose_end(c, op, call, DO(reshape, T(turned), INTS(last, n)));
}
