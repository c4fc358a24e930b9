/*
 * reduce.c - reductions: which dims, which dtypes, then the runs of cpu/reduce.c for each result.
 */
#include "tensor/cpu/reduce.h"
#include "tensor/half.h"
#include "tensor/part.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/reduce.def"
#undef OP
#define SELF Tensor *t = call_tensor(call, 0); (void)plan; (void)op

/* ---- which dims ---------------------------------------------------------------------------------------------- */
/* The dims of argument k as a mask: an int, a list; none or an empty list is all. */
static bool dims_of(const Call *call, int k, const Tensor *t, uint64_t *mask, Err *err)
{
    const Arg *arg = &call->arg[k];
    uint64_t all = t->ndim ? ~UINT64_C(0) >> (64 - t->ndim) : 0;
    *mask = all;
    if (!call_has(call, k))
        return true;
    if (arg->kind == ARG_INT)
        return shape_dims(&arg->i, 1, t->ndim, mask, err);
    if (!arg->n)
        return true;
    return shape_dims(arg->ints, arg->n, t->ndim, mask, err) && (t->ndim || (*mask = 0, true));
}

static int result_shape(const Tensor *t, uint64_t dims, bool keepdim, int64_t *shape)
{
    int n = 0;
    for (int d = 0; d < t->ndim; d++)
        if (!(dims >> d & 1))
            shape[n++] = shape_of(t)[d];
        else if (keepdim)
            shape[n++] = 1;
    return n;
}

static const char *name_of(OpId op) { return op_info[op].name; }

/* The tensor in the dtype that is computed in: itself or a cast copy. */
static Tensor *in_dtype(Context *ctx, Tensor *t, DType dtype, Err *err)
{
    return t->dtype == dtype ? tensor_retain(t) : copy_new(ctx, t, dtype, true, COPY_DTYPE, err);
}

/* ---- many results, each from a stretch ------------------------------------------------------------------------- */
typedef struct Job Job;
struct Job {
    Reduction r;
    ReduceRun run;
    Reducer   reducer;
    DType     in, out;
    char     *to, *to_index;            /* results; indices (int64) or NULL */
    double    p, correction;
    Number  (*finish)(const Job *job, const char *base, Acc *acc);
};

/* The place of result k in a row-major result. */
static void one_result(const Job *job, int64_t k)
{
    Acc acc;
    const char *base = reduction_base(&job->r, k);
    reduce_begin(job->reducer, dtype_kind(job->in), &acc);
    if (job->run)
        reduction_walk(&job->r, base, job->run, &acc);
    number_store(job->out, job->to + k * (int64_t)dtype_size(job->out), job->finish(job, base, &acc));
    if (job->to_index)
        ((int64_t *)job->to_index)[k] = acc.at;
}

static void some_results(void *data, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++)
        one_result(data, k);
}

/* Part sums of one result, taken on several threads. */
typedef struct Parts { const Job *job; Acc *acc; int64_t size; } Parts;

static void some_parts(void *data, int64_t begin, int64_t end)
{
    const Parts *parts = data;
    const Reduction *r = &parts->job->r;
    for (int64_t k = begin; k < end; k++) {
        int64_t from = k * parts->size, n = r->each - from < parts->size ? r->each - from : parts->size;
        reduce_begin(parts->job->reducer, dtype_kind(parts->job->in), &parts->acc[k]);
        parts->job->run(&parts->acc[k], r->data + from * r->inner_stride[0], n, r->inner_stride[0], from);
    }
}

static bool sum_in_parts(Context *ctx, const Job *job, Err *err)
{
    enum { PART = 1 << 16 };
    Acc acc[4096], whole;
    int64_t parts = (job->r.each + PART - 1) / PART, size = PART;
    if (parts > 4096) {
        size = (job->r.each + 4095) / 4096;
        parts = (job->r.each + size - 1) / size;
    }
    Parts all = { job, acc, size };
    if (!parallel_for(ctx, parts, 1, some_parts, &all, err))
        return false;
    reduce_begin(job->reducer, dtype_kind(job->in), &whole);
    for (int64_t k = 0; k < parts; k++) {
        whole.f += acc[k].f;
        whole.i += acc[k].i;
        whole.n += acc[k].n;
    }
    number_store(job->out, job->to, job->finish(job, job->r.data, &whole));
    return true;
}

static bool run_job(Context *ctx, const Job *job, Err *err)
{
    int64_t grain = job->r.each ? (1 << 15) / job->r.each : 1 << 15;
    if (job->r.results == 1 && job->run && job->r.inner == 1 && job->r.each > 1 << 18 && (job->reducer == REDUCE_SUM || job->reducer == REDUCE_NANSUM || job->reducer == REDUCE_NONZERO))
        return sum_in_parts(ctx, job, err);
    return parallel_for(ctx, job->r.results, grain > 0 ? grain : 1, some_results, (void *)job, err);
}

/* A result that run_job can write: row-major, of `dtype`; what was given for out= may be neither. */
static Tensor *dense_result(Context *ctx, OpId op, Call *call, int k, DType dtype, int ndim, const int64_t *shape, Tensor **room, Err *err)
{
    Tensor *out = call_result(ctx, op, call, k, dtype, ndim, shape, NULL, err);
    *room = NULL;
    if (!out || (out->dtype == dtype && tensor_is_contiguous(out)))
        return out;
    return *room = tensor_new_dense(ctx, dtype, (Device){ 0, 0 }, ndim, shape, NULL, err);
}

static bool reduce(Context *ctx, OpId op, Call *call, Tensor *t, Job *job, uint64_t dims, bool keepdim, bool with_index, Err *err)
{
    int64_t shape[DIMS_MAX];
    Tensor *room = NULL, *index_room = NULL;
    int ndim = result_shape(t, dims, keepdim, shape);
    bool ok = false;
    Tensor *out = dense_result(ctx, op, call, 0, job->out, ndim, shape, &room, err);
    Tensor *index = out && with_index ? dense_result(ctx, op, call, 1, DT_I64, ndim, shape, &index_room, err) : NULL;
    if (out && (index || !with_index)) {
        reduction_of(&job->r, t, dims);
        job->in = (DType)t->dtype;
        job->to = out->numel ? data_of(out) : NULL;
        job->to_index = index && index->numel ? data_of(index) : NULL;
        if (!job->run)
            job->run = NULL;
        ok = !out->numel || run_job(ctx, job, err);
        ok = ok && (!room || copy_elements(ctx, call->out[0], room, COPY_REASONS, err))
            && (!index_room || copy_elements(ctx, call->out[1], index_room, COPY_REASONS, err)) && call_finish(ctx, op, call, err);
    }
    tensor_release(room);
    tensor_release(index_room);
    return ok;
}

/* ---- sums and products ------------------------------------------------------------------------------------------ */
static Number take_acc(const Job *job, const char *base, Acc *acc)
{
    (void)base;
    return dtype_kind(job->in) == DKIND_FLOAT ? (Number){ DKIND_FLOAT, { .f = acc->f } } : (Number){ DKIND_INT, { .i = acc->i } };
}

static Number take_int(const Job *job, const char *base, Acc *acc)
{
    (void)job, (void)base;
    return (Number){ DKIND_INT, { .i = acc->i } };
}

static Number take_mean(const Job *job, const char *base, Acc *acc)
{
    (void)base;
    return (Number){ DKIND_FLOAT, { .f = acc->f / (double)(job->reducer == REDUCE_NANSUM ? acc->n : job->r.each) } };
}

static bool sum_like(Context *ctx, OpId op, Call *call, Tensor *t, DType dtype, Reducer reducer, Number (*finish)(const Job *, const char *, Acc *), Err *err)
{
    uint64_t dims;
    Job job = { .reducer = reducer, .out = dtype, .finish = finish };
    if (!dims_of(call, 1, t, &dims, err))
        return false;
    /* Whole numbers are summed as they are, whatever the result's dtype; a cast would cost a copy. */
    bool direct = t->dtype == dtype || (dtype == DT_I64 && dtype_kind((DType)t->dtype) != DKIND_FLOAT);
    Tensor *in = direct ? tensor_retain(t) : in_dtype(ctx, t, dtype, err);
    if (!in)
        return false;
    job.run = reduce_run(reducer, (DType)in->dtype);
    bool ok = reduce(ctx, op, call, in, &job, dims, call_bool(call, 2, false), false, err);
    tensor_release(in);
    return ok;
}

/* The row of f(x, dtype) as that of f(x, dim, keepdim, dtype), with neither given. */
static void without_dims(Call *call)
{
    call->arg[3] = call->args > 1 ? call->arg[1] : (Arg){ .kind = ARG_NONE };
    call->arg[1] = call->arg[2] = (Arg){ .kind = ARG_NONE };
    call->args = 4;
}

FORWARD(sum)
{
    SELF;
    if (op == OP_sum_all || op == OP_prod_all)
        without_dims(call);
    DType dtype = call_has(call, 3) ? call_dtype(call, 3) : dtype_kind((DType)t->dtype) == DKIND_FLOAT ? (DType)t->dtype : DT_I64;
    Reducer reducer = op == OP_prod || op == OP_prod_all ? REDUCE_PROD : op == OP_nansum ? REDUCE_NANSUM : REDUCE_SUM;
    return sum_like(ctx, op, call, t, dtype, reducer, take_acc, err);
}

FORWARD(mean)
{
    SELF;
    if (op == OP_mean_all)
        without_dims(call);
    DType dtype = call_has(call, 3) ? call_dtype(call, 3) : (DType)t->dtype;
    if (dtype_kind(dtype) != DKIND_FLOAT) {
        err_set(err, ERR_RUNTIME, "%s() needs a floating dtype, and the tensor is %s", name_of(op), dtype_name((DType)t->dtype));
        return err_hint(err, "x.float().mean(), or x.mean(dtype=torch.float32)");
    }
    return sum_like(ctx, op, call, t, dtype, op == OP_nanmean ? REDUCE_NANSUM : REDUCE_SUM, take_mean, err);
}

FORWARD(count_nonzero)
{
    SELF;
    uint64_t dims;
    Job job = { .reducer = REDUCE_NONZERO, .out = DT_I64, .finish = take_int, .run = reduce_run(REDUCE_NONZERO, (DType)t->dtype) };
    return dims_of(call, 1, t, &dims, err) && reduce(ctx, op, call, t, &job, dims, false, false, err);
}

FORWARD(truth_of)
{
    SELF;
    uint64_t dims;
    Reducer reducer = op == OP_all ? REDUCE_ALL : REDUCE_ANY;
    Job job = { .reducer = reducer, .out = t->dtype == DT_U8 ? DT_U8 : DT_BOOL, .finish = take_int, .run = reduce_run(reducer, (DType)t->dtype) };
    return dims_of(call, 1, t, &dims, err) && reduce(ctx, op, call, t, &job, dims, call_bool(call, 2, false), false, err);
}

/* ---- extremes ---------------------------------------------------------------------------------------------------- */
static bool is_max(OpId op)
{
    return op == OP_max || op == OP_max_dim || op == OP_amax || op == OP_argmax || op == OP_cummax;
}

/* No element has no extreme. */
static bool has_elements(OpId op, const Tensor *t, uint64_t dims, bool by_dim, Err *err)
{
    Reduction r;
    reduction_of(&r, t, dims);
    if (r.each || (by_dim && !r.results))
        return true;
    return err_set(err, by_dim ? ERR_INDEX : ERR_RUNTIME, "%s() of no elements has no result", name_of(op));
}

FORWARD(extreme)
{
    SELF;
    uint64_t dims;
    Reducer reducer = is_max(op) ? REDUCE_MAX : REDUCE_MIN;
    Job job = { .reducer = reducer, .out = (DType)t->dtype, .finish = take_acc, .run = reduce_run(reducer, (DType)t->dtype) };
    bool all = op == OP_max || op == OP_min;
    if (!(all ? (dims = t->ndim ? ~UINT64_C(0) >> (64 - t->ndim) : 0, true) : dims_of(call, 1, t, &dims, err)))
        return false;
    return has_elements(op, t, dims, !all && call_has(call, 1), err) && reduce(ctx, op, call, t, &job, dims, !all && call_bool(call, 2, false), false, err);
}

/* The mask of one wrapped dim; a 0-d tensor has none to reduce. */
static bool one_dim(const Call *call, int k, const Tensor *t, uint64_t *mask, Err *err)
{
    int dim;
    if (!shape_dim(call_int(call, k, 0), t->ndim, &dim, err))
        return false;
    *mask = t->ndim ? UINT64_C(1) << dim : 0;
    return true;
}

static Number take_extreme(const Job *job, const char *base, Acc *acc)
{
    if (acc->at < 0)
        acc->at = 0;
    return take_acc(job, base, acc);
}

FORWARD(extreme_dim)
{
    SELF;
    uint64_t dims;
    Reducer reducer = is_max(op) ? REDUCE_MAX : REDUCE_MIN;
    Job job = { .reducer = reducer, .out = (DType)t->dtype, .finish = take_extreme, .run = reduce_run(reducer, (DType)t->dtype) };
    return one_dim(call, 1, t, &dims, err) && has_elements(op, t, dims, true, err)
        && reduce(ctx, op, call, t, &job, dims, call_bool(call, 2, false), true, err);
}

FORWARD(pair)
{
    (void)plan;
    Call pair = *call;                  /* maximum and minimum are the rows that do it */
    pair.outs = 0;
    pair.given = call->given;
    bool ok = op_call(ctx, op == OP_max_pair ? OP_maximum : OP_minimum, &pair, err);
    if (ok && call->given)
        tensor_release(pair.out[0]);
    else if (ok) {
        call->out[0] = pair.out[0];
        call->outs = 1;
    }
    return ok;
}

static Number take_at(const Job *job, const char *base, Acc *acc)
{
    (void)job, (void)base;
    return (Number){ DKIND_INT, { .i = acc->at } };
}

FORWARD(arg_extreme)
{
    SELF;
    uint64_t dims;
    Reducer reducer = op == OP_argmax ? REDUCE_MAX : REDUCE_MIN;
    Job job = { .reducer = reducer, .out = DT_I64, .finish = take_at, .run = reduce_run(reducer, (DType)t->dtype) };
    bool all = !call_has(call, 1);
    if (t->dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "%s() is not there for bool tensors", name_of(op));
    if (!(all ? (dims = t->ndim ? ~UINT64_C(0) >> (64 - t->ndim) : 0, true) : one_dim(call, 1, t, &dims, err)))
        return false;
    return has_elements(op, t, dims, true, err) && reduce(ctx, op, call, t, &job, dims, call_bool(call, 2, false), false, err);
}

FORWARD(aminmax)
{
    SELF;
    uint64_t dims = t->ndim ? ~UINT64_C(0) >> (64 - t->ndim) : 0;
    if (call_has(call, 1) && !one_dim(call, 1, t, &dims, err))
        return false;
    if (!has_elements(op, t, dims, false, err))
        return false;
    Tensor *both[2] = { NULL, NULL };
    for (int k = 0; k < 2; k++) {
        Reducer reducer = k ? REDUCE_MAX : REDUCE_MIN;
        Job job = { .reducer = reducer, .out = (DType)t->dtype, .finish = take_acc, .run = reduce_run(reducer, (DType)t->dtype) };
        Call one = { .args = 0 };
        if (!reduce(ctx, op, &one, t, &job, dims, call_bool(call, 2, false), false, err)) {
            call_drop(&one);
            tensor_release(both[0]);
            return false;
        }
        both[k] = one.out[0];
    }
    call->out[0] = both[0];
    call->out[1] = both[1];
    call->outs = 2;
    return true;
}

/* ---- variance: two walks, so that large means cost no digits -------------------------------------------------------- */
static double square_sum(const Job *job, const char *base, double mean)
{
    const Reduction *r = &job->r;
    int64_t index[DIMS_MAX] = { 0 };
    double sum = 0;
    for (int64_t k = 0; k < r->each; k++) {
        double x = number_double(number_load(job->in, base)) - mean;
        sum += x * x;
        for (int d = r->inner - 1; d >= 0; d--) {
            base += r->inner_stride[d];
            if (++index[d] < r->inner_shape[d])
                break;
            base -= r->inner_stride[d] * r->inner_shape[d];
            index[d] = 0;
        }
    }
    return sum;
}

static Number take_var(const Job *job, const char *base, Acc *acc)
{
    double n = (double)job->r.each, mean = acc->f / n, divisor = n - job->correction;
    double var = square_sum(job, base, mean) / (divisor > 0 ? divisor : 0);
    return (Number){ DKIND_FLOAT, { .f = job->p == 2 ? sqrt(var) : var } };
}

FORWARD(var)
{
    SELF;
    uint64_t dims = t->ndim ? ~UINT64_C(0) >> (64 - t->ndim) : 0;
    bool flag_only = op == OP_var_all || op == OP_std_all, pair = op == OP_var_mean || op == OP_std_mean;
    bool keepdim = !flag_only && call_bool(call, 3, false), unbiased = call_bool(call, flag_only ? 1 : 2, true);
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() needs a floating dtype, and the tensor is %s", name_of(op), dtype_name((DType)t->dtype));
    if (!flag_only && !dims_of(call, 1, t, &dims, err))
        return false;
    Job job = { .reducer = REDUCE_SUM, .out = (DType)t->dtype, .finish = take_var, .run = reduce_run(REDUCE_SUM, (DType)t->dtype),
                .correction = !flag_only && call_has(call, 4) ? call_float(call, 4, 1) : unbiased, .p = op == OP_std || op == OP_std_all || op == OP_std_mean ? 2 : 1 };
    if (!pair)
        return reduce(ctx, op, call, t, &job, dims, keepdim, false, err);
    Job mean = { .reducer = REDUCE_SUM, .out = (DType)t->dtype, .finish = take_mean, .run = job.run };
    Call one = { .args = 0 };
    if (!reduce(ctx, op, call, t, &job, dims, keepdim, false, err))
        return false;
    if (!reduce(ctx, op, &one, t, &mean, dims, keepdim, false, err)) {
        call_drop(&one);
        return false;
    }
    call->out[1] = one.out[0];
    call->outs = 2;
    return true;
}

/* ---- norms ------------------------------------------------------------------------------------------------------------ */
typedef double (*Fold)(double so_far, double x, double p);
static double fold_two(double so_far, double x, double p) { return (void)p, so_far + x * x; }
static double fold_one(double so_far, double x, double p) { return (void)p, so_far + fabs(x); }
static double fold_zero(double so_far, double x, double p) { return (void)p, so_far + (x != 0); }
static double fold_max(double so_far, double x, double p) { return (void)p, isnan(x) || fabs(x) > so_far ? fabs(x) : so_far; }
static double fold_min(double so_far, double x, double p) { return (void)p, so_far < 0 || isnan(x) || fabs(x) < so_far ? fabs(x) : so_far; }
static double fold_any(double so_far, double x, double p) { return so_far + pow(fabs(x), p); }

static double fold(const Job *job, const char *base, Fold step, double start)
{
    const Reduction *r = &job->r;
    int64_t index[DIMS_MAX] = { 0 };
    for (int64_t k = 0; k < r->each; k++) {
        start = step(start, number_double(number_load(job->in, base)), job->p);
        for (int d = r->inner - 1; d >= 0; d--) {
            base += r->inner_stride[d];
            if (++index[d] < r->inner_shape[d])
                break;
            base -= r->inner_stride[d] * r->inner_shape[d];
            index[d] = 0;
        }
    }
    return start;
}

/* The sum of squares along stretches without gaps; 0 and false where there are none. */
static bool fold_squares(const Job *job, const char *base, double *result)
{
    const Reduction *r = &job->r;
    int64_t size = (int64_t)dtype_size(job->in), n = 1;
    if ((job->in != DT_F32 && job->in != DT_F64) || r->inner > 1)
        return false;
    if (r->inner == 1) {
        if (r->inner_stride[0] != size)
            return false;
        n = r->inner_shape[0];
    }
    double sum[4] = { 0 };                              /* several, so that they go on side by side */
    int64_t k = 0;
    for (; job->in == DT_F32 && k < n - n % 4; k += 4)
        for (int j = 0; j < 4; j++) {
            double x = ((const float *)base)[k + j];
            sum[j] += x * x;
        }
    for (; k < n; k++) {
        double x = job->in == DT_F32 ? ((const float *)base)[k] : ((const double *)base)[k];
        sum[k % 4] += x * x;
    }
    *result = sum[0] + sum[1] + (sum[2] + sum[3]);
    return true;
}

static Number take_norm(const Job *job, const char *base, Acc *acc)
{
    double p = job->p, f;
    (void)acc;
    if (p == 2)
        f = sqrt(fold_squares(job, base, &f) ? f : fold(job, base, fold_two, 0));
    else if (p == 1)
        f = fold(job, base, fold_one, 0);
    else if (p == 0)
        f = fold(job, base, fold_zero, 0);
    else if (isinf(p))
        f = fold(job, base, p > 0 ? fold_max : fold_min, p > 0 ? 0 : -1);
    else
        f = pow(fold(job, base, fold_any, 0), 1 / p);
    return (Number){ DKIND_FLOAT, { .f = f } };
}

static bool nuclear_norm(Context *ctx, Call *call, Err *err)
{
    Call norm = { .args = 5 };
    memcpy(norm.arg, call->arg, 5 * sizeof *norm.arg);
    return op_call(ctx, OP_matrix_norm_name, &norm, err) && call_take(call, norm.out[0]);
}

FORWARD(norm)
{
    SELF;
    uint64_t dims;
    DType dtype = call_has(call, 4) ? call_dtype(call, 4) : (DType)t->dtype;
    Job job = { .reducer = REDUCE_SUM, .out = dtype, .finish = take_norm, .p = call_float(call, 1, 2) };
    if (op == OP_norm_name && !strcmp(call->arg[1].str, "nuc"))
        return nuclear_norm(ctx, call, err);
    if (op == OP_norm_name && strcmp(call->arg[1].str, "fro"))
        return err_set(err, ERR_NOT_IMPLEMENTED, "norm(): p='%s' is not supported by Locus", call->arg[1].str);
    if (dtype_kind(dtype) != DKIND_FLOAT || dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() needs a floating dtype, and the tensor is %s", name_of(op), dtype_name((DType)t->dtype));
    return dims_of(call, 2, t, &dims, err) && reduce(ctx, op, call, t, &job, dims, call_bool(call, 3, false), false, err);
}

FORWARD(dist)
{
    SELF;
    uint64_t dims = 0;
    Tensor *difference = op_binary(ctx, OP_sub, t, call_tensor(call, 1), err);
    if (!difference)
        return false;
    Job job = { .reducer = REDUCE_SUM, .out = (DType)difference->dtype, .finish = take_norm, .p = call_float(call, 2, 2) };
    dims = difference->ndim ? ~UINT64_C(0) >> (64 - difference->ndim) : 0;
    bool ok = reduce(ctx, op, call, difference, &job, dims, false, false, err);
    tensor_release(difference);
    return ok;
}

/* ---- exponentials --------------------------------------------------------------------------------------------------- */
static double fold_exp(double so_far, double x, double shift) { return so_far + exp(x - shift); }

static Number take_logsumexp(const Job *job, const char *base, Acc *acc)
{
    Job shifted = *job;
    shifted.p = isinf(acc->f) ? 0 : acc->f;
    return (Number){ DKIND_FLOAT, { .f = job->r.each ? log(fold(&shifted, base, fold_exp, 0)) + shifted.p : -INFINITY } };
}

FORWARD(logsumexp)
{
    SELF;
    uint64_t dims;
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() needs a floating dtype, and the tensor is %s", name_of(op), dtype_name((DType)t->dtype));
    Job job = { .reducer = REDUCE_MAX, .out = (DType)t->dtype, .finish = take_logsumexp, .run = reduce_run(REDUCE_MAX, (DType)t->dtype) };
    return dims_of(call, 1, t, &dims, err) && reduce(ctx, op, call, t, &job, dims, call_bool(call, 2, false), false, err);
}

/* Stretches along one dim of a dense tensor: element k of a stretch lies k * step further. */
typedef struct Lines { int64_t count, length, step, inner; } Lines;

static Lines lines_of(const Tensor *t, int dim)
{
    Lines lines = { 1, t->ndim ? shape_of(t)[dim] : 1, 1, 1 };
    for (int d = dim + 1; d < t->ndim; d++)
        lines.inner *= shape_of(t)[d];
    lines.step = lines.inner;
    lines.count = lines.length ? t->numel / lines.length : 0;
    return lines;
}

static int64_t line_start(const Lines *lines, int64_t k)
{
    return k / lines->inner * lines->inner * lines->length + k % lines->inner;
}

typedef struct Along {
    Lines lines;
    DType dtype;
    const char *from;
    char *to;
    int64_t *at;
    OpId  op;
} Along;

static double read_at(const Along *a, int64_t k)
{
    return number_double(number_load(a->dtype, a->from + k * (int64_t)dtype_size(a->dtype)));
}

static void write_at(const Along *a, int64_t k, double f)
{
    number_store(a->dtype, a->to + k * (int64_t)dtype_size(a->dtype), (Number){ DKIND_FLOAT, { .f = f } });
}

/* exp of x <= 0 to the last digit or so, as a polynomial (S. Moshier's Cephes library) that becomes vector code. */
static inline float exp_negative(float x)
{
    float n = floorf(x * 1.44269504088896341f + 0.5f), r = x - n * 0.693359375f - n * -2.12194440e-4f, y = 1.9875691500e-4f;
    union { int32_t i; float f; } power = { ((int32_t)(n > -126 ? n : -126) + 127) << 23 };
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = (y * r * r + r + 1) * power.f;
    return x != x ? x : x < -87 ? 0 : y;                 /* less is nothing beside the 1 of the largest */
}

/* A line of float32 without gaps. Several maxima and sums go on side by side. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void softmax_line_f32(const float *x, float *y, int64_t n, bool logs)
{
    enum { LANES = 16 };
    float most[LANES];
    double sum[LANES] = { 0 };
    int64_t dense = n - n % LANES, i;
    for (int k = 0; k < LANES; k++)
        most[k] = -INFINITY;
    for (i = 0; i < dense; i += LANES)
        for (int k = 0; k < LANES; k++)
            most[k] = x[i + k] > most[k] || x[i + k] != x[i + k] ? x[i + k] : most[k];
    for (; i < n; i++)
        most[0] = x[i] > most[0] || x[i] != x[i] ? x[i] : most[0];
    for (int k = 1; k < LANES; k++)
        most[0] = most[k] > most[0] || most[k] != most[k] ? most[k] : most[0];
    for (i = 0; i < n; i++)
        y[i] = exp_negative(x[i] - most[0]);
    for (i = 0; i < dense; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += (double)y[i + k];
    for (; i < n; i++)
        sum[0] += (double)y[i];
    for (int k = 1; k < LANES; k++)
        sum[0] += sum[k];
    float scale = (float)(1 / sum[0]), shift = (float)log(sum[0]);
    for (i = 0; i < n; i++)
        y[i] = logs ? x[i] - most[0] - shift : y[i] * scale;
}

static void softmax_lines(void *data, int64_t begin, int64_t end)
{
    const Along *a = data;
    for (int64_t k = begin; k < end; k++) {
        if (a->dtype == DT_F32 && a->lines.step == 1 && a->from != a->to) {
            int64_t at = line_start(&a->lines, k);
            softmax_line_f32((const float *)a->from + at, (float *)a->to + at, a->lines.length, a->op != OP_softmax);
            continue;
        }
        int64_t start = line_start(&a->lines, k);
        double most = -INFINITY, sum = 0;
        for (int64_t i = 0; i < a->lines.length; i++) {
            double x = read_at(a, start + i * a->lines.step);
            most = x > most || isnan(x) ? x : most;
        }
        for (int64_t i = 0; i < a->lines.length; i++)
            sum += exp(read_at(a, start + i * a->lines.step) - most);
        for (int64_t i = 0; i < a->lines.length; i++) {
            int64_t at = start + i * a->lines.step;
            double x = read_at(a, at) - most;
            write_at(a, at, a->op == OP_softmax ? exp(x) / sum : x - log(sum));
        }
    }
}

FORWARD(softmax)
{
    SELF;
    int dim;
    DType dtype = call_has(call, 2) ? call_dtype(call, 2) : (DType)t->dtype;
    if (dtype_kind(dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() needs a floating dtype, and the tensor is %s", name_of(op), dtype_name(dtype));
    if (dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "%s_() is not there for bool tensors", name_of(op));
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    Tensor *in = copy_dense(ctx, t, dtype, t->dtype == dtype ? COPY_NOT_CONTIGUOUS : COPY_DTYPE, err);
    Tensor *out = in ? call_result(ctx, op, call, 0, dtype, t->ndim, shape_of(t), NULL, err) : NULL;
    Along along = { .dtype = dtype, .op = op };
    bool ok = out;
    if (ok && out->numel) {
        along.lines = lines_of(in, dim);
        along.from = data_of(in);
        along.to = data_of(out);
        ok = parallel_for(ctx, along.lines.count, 1 + 4096 / along.lines.length, softmax_lines, &along, err);
    }
    tensor_release(in);
    return ok && call_finish(ctx, op, call, err);
}

/* ---- running results --------------------------------------------------------------------------------------------------- */
static void cumulate_lines(void *data, int64_t begin, int64_t end)
{
    const Along *a = data;
    int64_t size = (int64_t)dtype_size(a->dtype);
    bool is_float = dtype_kind(a->dtype) == DKIND_FLOAT, product = a->op == OP_cumprod;
    for (int64_t k = begin; k < end; k++) {
        int64_t start = line_start(&a->lines, k), whole = product;
        double f = product;
        for (int64_t i = 0; i < a->lines.length; i++) {
            int64_t at = start + i * a->lines.step;
            Number x = number_load(a->dtype, a->from + at * size);
            if (is_float) {
                f = product ? f * x.f : f + x.f;
                if (a->dtype == DT_F64 || a->dtype == DT_F32)
                    x.f = f;
                else
                    x.f = f;
            } else {
                int64_t y = number_int(x);
                whole = product ? whole * y : whole + y;
                x = (Number){ DKIND_INT, { .i = whole } };
            }
            number_store(a->dtype, a->to + at * size, x);
        }
    }
}

FORWARD(cumulate)
{
    SELF;
    int dim;
    DType dtype = call_has(call, 2) ? call_dtype(call, 2) : call->inplace ? (DType)t->dtype : dtype_kind((DType)t->dtype) == DKIND_FLOAT ? (DType)t->dtype : DT_I64;
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    Tensor *in = copy_dense(ctx, t, dtype, t->dtype == dtype ? COPY_NOT_CONTIGUOUS : COPY_DTYPE, err), *room = NULL;
    Tensor *out = in ? dense_result(ctx, op, call, 0, dtype, t->ndim, shape_of(t), &room, err) : NULL;
    Along along = { .dtype = dtype, .op = op };
    bool ok = out;
    if (ok && out->numel) {
        along.lines = lines_of(in, dim);
        along.from = data_of(in);
        along.to = data_of(out);
        ok = parallel_for(ctx, along.lines.count, 1 + (1 << 14) / along.lines.length, cumulate_lines, &along, err);
    }
    ok = ok && (!room || copy_elements(ctx, call->out[0], room, COPY_REASONS, err));
    tensor_release(room);
    tensor_release(in);
    return ok && call_finish(ctx, op, call, err);
}

static void cummax_lines(void *data, int64_t begin, int64_t end)
{
    const Along *a = data;
    int64_t size = (int64_t)dtype_size(a->dtype);
    for (int64_t k = begin; k < end; k++) {
        int64_t start = line_start(&a->lines, k), best_at = 0;
        Number best = { DKIND_INT, { 0 } };
        for (int64_t i = 0; i < a->lines.length; i++) {
            int64_t at = start + i * a->lines.step;
            Number x = number_load(a->dtype, a->from + at * size);
            double new_x = number_double(x), old = number_double(best);
            bool takes = !i || isnan(new_x) || (!isnan(old) && (x.kind == DKIND_INT ? (a->op == OP_cummax ? x.i >= best.i : x.i <= best.i)
                                                                                     : a->op == OP_cummax ? new_x >= old : new_x <= old));
            if (takes) {
                best = x;
                best_at = i;
            }
            number_store(a->dtype, a->to + at * size, best);
            a->at[at] = best_at;
        }
    }
}

FORWARD(cummax)
{
    SELF;
    int dim;
    if (!shape_dim(call_int(call, 1, 0), t->ndim, &dim, err))
        return false;
    Tensor *in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err);
    Tensor *out = in ? call_result(ctx, op, call, 0, (DType)t->dtype, t->ndim, shape_of(t), NULL, err) : NULL;
    Tensor *at = out ? call_result(ctx, op, call, 1, DT_I64, t->ndim, shape_of(t), NULL, err) : NULL;
    bool ok = at;
    if (ok && out->numel) {
        Along along = { lines_of(in, dim), (DType)t->dtype, data_of(in), data_of(out), (int64_t *)data_of(at), op };
        ok = parallel_for(ctx, along.lines.count, 1 + (1 << 12) / along.lines.length, cummax_lines, &along, err);
    }
    tensor_release(in);
    return ok;
}
