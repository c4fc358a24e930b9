/*
 * create.c - tensors made from sizes and numbers: zeros, full, arange, linspace, eye,
     and the _like and new_ forms.
 */
#include <math.h>
#include <stdio.h>
#include "tensor/part.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/create.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define UNUSED (void)plan, (void)op

Tensor *tensor_empty(Context *ctx, DType dtype, Device device, int ndim, const int64_t *shape, Err *err)
{
    return ndim_fits(ndim, err) ? tensor_new_dense(ctx, dtype, device, ndim, shape, NULL, err) : NULL;
}

static bool number_range(DType dtype, Number number, Err *err)
{
    char text[40];
    if (number_fits(dtype, number))
        return true;
    if (number.kind == DKIND_FLOAT)
        snprintf(text, sizeof text, "%g", number.f);
    else
        snprintf(text, sizeof text, "%lld", (long long)number_int(number));
    return err_set(err, ERR_RUNTIME, "%s cannot be represented as %s", text, dtype_name(dtype));
}

bool tensor_store(Context *ctx, Tensor *t, int64_t first, const Number *numbers, int64_t n, Err *err)
{
    (void)ctx;
    size_t size = dtype_size((DType)t->dtype);
    char *to = data_of(t) + (size_t)first * size;
    for (int64_t i = 0; i < n; i++) {
        if (dtype_kind((DType)t->dtype) == DKIND_INT && numbers[i].kind == DKIND_INT
            && !number_range((DType)t->dtype, numbers[i], err))
            return false;
        number_store((DType)t->dtype, to + (size_t)i * size, numbers[i]);
    }
    return true;
}

/* ---- what every maker does: dtype, device and requires_grad stand from argument k on --------------------- */
static Tensor *make(Context *ctx, OpId id, Call *call, int k, DType inferred, int ndim, const int64_t *shape,
                    const int64_t *strides, Err *err)
{
    DType dtype = call_has(call, k) ? call_dtype(call, k) : inferred;
    Tensor *like = call_tensor(call, 0);
    const Arg *where = k + 1 < call->args ? &call->arg[k] + 1 : NULL;
    Device device = where && where->kind == ARG_DEVICE ? where->device : like ? like->storage->device
        : (Device){ 0, 0 };
    if (!ndim_fits(ndim, err) || shape_numel(ndim, shape, err) < 0)
        return NULL;
    if (call->given)
        return call_result(ctx, id, call, 0, call_has(call, k) ? dtype : (DType)call->out[0]->dtype, ndim,
                           shape, NULL, err);
    Tensor *t = tensor_new_dense(ctx, dtype, device, ndim, shape, strides, err);
    return call_take(call, t) ? t : NULL;
}

static bool made(Context *ctx, OpId id, Call *call, int k, Err *err)
{
    if (call->given)
        return call_finish(ctx, id, call, err);
    return !call_bool(call, k + 2, false) || tensor_set_requires_grad(ctx, call->out[0], true, err);
}

#define FILL(type)                                                      \
    do {                                                                \
        type *to = (type *)data_of(t), value;                           \
        memcpy(&value, element, sizeof value);                          \
        for (int64_t i = 0; i < t->numel; i++)                          \
            to[i] = value;                                              \
        return;                                                         \
    } while (0)
static void fill_with(Tensor *t, const void *element)
{
    static const int64_t zeros[DIMS_MAX];
    if (shape_is_dense(t->ndim, shape_of(t), strides_of(t)))
        switch (dtype_size((DType)t->dtype)) {
        case 1: FILL(uint8_t);
        case 2: FILL(uint16_t);
        case 4: FILL(uint32_t);
        default: FILL(uint64_t);
        }
    move_elements(dtype_size((DType)t->dtype), t->ndim, shape_of(t), data_of(t), strides_of(t), element, zeros);
}

static void zero_elements(Tensor *t)
{
    uint64_t zero = 0;
    if (shape_is_dense(t->ndim, shape_of(t), strides_of(t)))
        memset(data_of(t), 0, (size_t)t->numel * dtype_size((DType)t->dtype));
    else
        fill_with(t, &zero);
}

static bool make_filled(Context *ctx, OpId id, Call *call, int k, DType inferred, int n, const int64_t *shape,
                        const int64_t *strides, Number value, Err *err)
{
    Tensor *t = make(ctx, id, call, k, inferred, n, shape, strides, err);
    if (!t)
        return false;
    if (!number_range((DType)t->dtype, value, err))
        return false;
    uint64_t bytes;
    number_store((DType)t->dtype, &bytes, value);
    if (number_double(value) == 0 && !signbit(number_double(value)))
        zero_elements(t);
    else
        fill_with(t, &bytes);
    return made(ctx, id, call, k, err);
}

static Number whole(int64_t i)
{
    return (Number){ .kind = DKIND_INT, .i = i };
}

static Number number_arg(const Call *call, int k, int64_t otherwise)
{
    Number number = whole(otherwise);
    if (call_has(call, k))
        arg_kind_number(&call->arg[k], &number);
    return number;
}

static DType number_dtype(Context *ctx, Number number)
{
    return number.kind == DKIND_BOOL ? DT_BOOL : number.kind == DKIND_INT ? DT_I64 : ctx->default_dtype;
}

FORWARD(empty)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 0, &n);
    return make(ctx, op, call, 1, ctx->default_dtype, n, size, NULL, err) && made(ctx, op, call, 1, err);
}

FORWARD(zeros)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 0, &n);
    return make_filled(ctx, op, call, 1, ctx->default_dtype, n, size, NULL, whole(0), err);
}

FORWARD(ones)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 0, &n);
    return make_filled(ctx, op, call, 1, ctx->default_dtype, n, size, NULL, whole(1), err);
}

FORWARD(full)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 0, &n);
    Number value = number_arg(call, 1, 0);
    return make_filled(ctx, op, call, 2, number_dtype(ctx, value), n, size, NULL, value, err);
}

/* ---- like another tensor: its dtype, and the order of its dimensions -------------------------------------- */
static const int64_t *like_strides(const Tensor *t, int64_t *strides)
{
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    return strides;
}

static bool like_filled(Context *ctx, OpId id, Call *call, int k, Number value, Err *err)
{
    Tensor *t = call->arg[0].tensor;
    int64_t strides[DIMS_MAX];
    return make_filled(ctx, id, call, k, (DType)t->dtype, t->ndim, shape_of(t), like_strides(t, strides),
                       value, err);
}

FORWARD(empty_like)
{
    UNUSED;
    Tensor *t = call->arg[0].tensor;
    int64_t strides[DIMS_MAX];
    return make(ctx, op, call, 1, (DType)t->dtype, t->ndim, shape_of(t), like_strides(t, strides), err)
        && made(ctx, op, call, 1, err);
}

FORWARD(zeros_like)
{
    UNUSED;
    return like_filled(ctx, op, call, 1, whole(0), err);
}

FORWARD(ones_like)
{
    UNUSED;
    return like_filled(ctx, op, call, 1, whole(1), err);
}

FORWARD(full_like)
{
    UNUSED;
    return like_filled(ctx, op, call, 2, number_arg(call, 1, 0), err);
}

FORWARD(new_empty)
{
    UNUSED;
    int n;
    const int64_t *size = call_ints(call, 1, &n);
    return make(ctx, op, call, 2, (DType)call->arg[0].tensor->dtype, n, size, NULL, err) && made(ctx, op,
            call, 2, err);
}

static bool new_filled(Context *ctx, OpId id, Call *call, int k, Number value, Err *err)
{
    int n;
    const int64_t *size = call_ints(call, 1, &n);
    return make_filled(ctx, id, call, k, (DType)call->arg[0].tensor->dtype, n, size, NULL, value, err);
}

FORWARD(new_zeros)
{
    UNUSED;
    return new_filled(ctx, op, call, 2, whole(0), err);
}

FORWARD(new_ones)
{
    UNUSED;
    return new_filled(ctx, op, call, 2, whole(1), err);
}

FORWARD(new_full)
{
    UNUSED;
    return new_filled(ctx, op, call, 3, number_arg(call, 2, 0), err);
}

/* ---- rows of numbers -------------------------------------------------------------------------------------- */
enum { LANES_BYTES = 32 };              /* PyTorch fills in registers of 32 bytes, whose first element alone is exact */

static void store_double(Tensor *t, int64_t i, double value)
{
    size_t size = dtype_size((DType)t->dtype);
    Number number = dtype_kind((DType)t->dtype) == DKIND_INT ? whole((int64_t)value)
        : (Number){ .kind = DKIND_FLOAT, .f = value };
    number_store((DType)t->dtype, data_of(t) + (size_t)(i * strides_of(t)[0]) * size, number);
}

/* base, base + step, … for one register: the base is rounded before the steps are added. Products that meet a sum are
 * rounded once with it, as in PyTorch's vector code. */
static double lane(DType dtype, double base, double step, int64_t k)
{
    return dtype == DT_F32 ? (double)(float)fma((double)k, step, (float)base) : fma((double)k, step, base);
}

/* Loops with fma() of the processor where it has one. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define FUSED __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FUSED
#endif

/* The dense part of fill_arange(), register by register. */
FUSED static void arange_f32(float *to, int64_t n, double start, double step)
{
    enum { LANES = LANES_BYTES / sizeof(float) };
    for (int64_t i = 0; i < n; i += LANES) {
        float base = (float)fma(step, (double)i, start);
        for (int k = 0; k < LANES; k++)
            to[i + k] = (float)fma((double)k, step, (double)base);
    }
}

FUSED static void arange_f64(double *to, int64_t n, double start, double step)
{
    enum { LANES = LANES_BYTES / sizeof(double) };
    for (int64_t i = 0; i < n; i += LANES) {
        double base = fma(step, (double)i, start);
        for (int k = 0; k < LANES; k++)
            to[i + k] = fma((double)k, step, base);
    }
}

static void fill_arange(Tensor *t, double start, double step)
{
    int64_t lanes = LANES_BYTES / (int64_t)dtype_size((DType)t->dtype);
    bool wide = t->dtype == DT_F32 || t->dtype == DT_F64;
    int64_t n = t->numel, dense = wide ? n - n % (2 * lanes) : 0, done = 0;
    if (dense && strides_of(t)[0] == 1) {
        if (t->dtype == DT_F32)
            arange_f32((float *)data_of(t), dense, start, step);
        else
            arange_f64((double *)data_of(t), dense, start, step);
        done = dense;
    }
    for (int64_t i = done; i < n; i++)
        store_double(t, i, i < dense ? lane((DType)t->dtype, fma(step, (double)(i - i % lanes), start), step,
                                            i % lanes)
                                     : fma(step, (double)i, start));
}

static bool arange(Context *ctx, OpId id, Call *call, int k, Number start, Number end, Number step,
                   bool closed, Err *err)
{
    double from = number_double(start), to = number_double(end), by = number_double(step);
    bool floats = start.kind == DKIND_FLOAT || end.kind == DKIND_FLOAT || step.kind == DKIND_FLOAT;
    DType dtype = call_has(call, k) ? call_dtype(call, k) : call->given ? (DType)call->out[0]->dtype
                : floats || closed ? ctx->default_dtype : DT_I64;
    const char *name = op_info[id].name;
    if (by == 0)
        return err_set(err, ERR_RUNTIME, "%s(): step must not be 0", name);
    if (!isfinite(from) || !isfinite(to))
        return err_set(err, ERR_RUNTIME, "%s(): there is no range from %g to %g", name, from, to);
    if (by > 0 ? from > to : from < to)
        return err_set(err, ERR_RUNTIME, "%s(): from %g in steps of %g one never comes to %g", name, from, by,
                       to);
    if (dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "%s() is not defined for bool", name);
    int64_t size;
    if (dtype == DT_I64) {
        int64_t a = number_int(start), b = number_int(end), s = number_int(step), sign = (s > 0) - (s < 0);
        if (s == 0)
            return err_set(err, ERR_RUNTIME, "%s(): step %g is 0 as int64", name, by);
        size = closed ? (b - a) / s + 1 : (b - a + s - sign) / s;
        size = size < 0 ? 0 : size;
        Tensor *t = make(ctx, id, call, k, dtype, 1, &size, NULL, err);
        bool plain = t && t->dtype == DT_I64 && strides_of(t)[0] == 1;
        int64_t *whole_numbers = plain ? (int64_t *)data_of(t) : NULL;
        for (int64_t i = 0; plain && i < size; i++)
            whole_numbers[i] = a + i * s;
        for (int64_t i = 0; t && !plain && i < size; i++)
            number_store((DType)t->dtype,
                         data_of(t) + (size_t)(i * strides_of(t)[0]) * dtype_size((DType)t->dtype),
                             whole(a + i * s));
        return t && made(ctx, id, call, k, err);
    }
    double count = closed ? floor((to - from) / by) + 1 : ceil((to - from) / by);
    if (!(count < 9e18))
        return err_set(err, ERR_RUNTIME, "%s(): %g elements are too many", name, count);
    size = (int64_t)count;
    Tensor *t = make(ctx, id, call, k, dtype, 1, &size, NULL, err);
    if (!t)
        return false;
    if (dtype_kind((DType)t->dtype) == DKIND_INT) {
        from = trunc(from);
        by = trunc(by);
    }
    if (closed)
        for (int64_t i = 0; i < size; i++)
            store_double(t, i, fma(by, (double)i, from));
    else
        fill_arange(t, from, by);
    return made(ctx, id, call, k, err);
}

FORWARD(arange)
{
    UNUSED;
    return arange(ctx, op, call, 1, whole(0), number_arg(call, 0, 0), whole(1), false, err);
}

FORWARD(arange_from)
{
    UNUSED;
    return arange(ctx, op, call, 3, number_arg(call, 0, 0), number_arg(call, 1, 0), number_arg(call, 2, 1),
                  false, err);
}

FORWARD(range)
{
    UNUSED;
    return arange(ctx, op, call, 3, number_arg(call, 0, 0), number_arg(call, 1, 0), number_arg(call, 2, 1),
                  true, err);
}

/* Element i of n from both ends to the middle, so that the last one is `end` itself. */
static double spaced(DType dtype, int64_t i, int64_t n, double start, double end, double step, bool fused)
{
    bool near = i < n / 2;
    double count = (double)(near ? i : n - i - 1), by = near ? step : -step, from = near ? start : end;
    if (dtype == DT_F32)
        return fused ? fmaf((float)by, (float)count, (float)from) : (float)from + (float)by * (float)count;
    return fused ? fma(by, count, from) : from + by * count;
}

/* The elements of one register are counted from its first one, product and sum rounded apart. */
static double linspace_at(DType dtype, int64_t i, int64_t n, double start, double end, double step)
{
    int64_t lanes = LANES_BYTES / (int64_t)dtype_size(dtype), more = i % lanes;
    bool dense = (dtype == DT_F32 || dtype == DT_F64) && i < n - n % (2 * lanes);
    if (!dense || more == 0)
        return spaced(dtype, i, n, start, end, step, true);
    double base = spaced(dtype, i - more, n, start, end, step, true);
    return dtype == DT_F32 ? (double)((float)base + (float)more * (float)step) : base + (double)more * step;
}

/* The dense part of a linspace of float32; n elements in all. */
FUSED static void linspace_f32(float *to, int64_t dense, int64_t n, float start, float end, float step)
{
    enum { LANES = LANES_BYTES / sizeof(float) };
    for (int64_t i = 0; i < dense; i += LANES) {
        bool near = i < n / 2;
        float base = fmaf(near ? step : -step, (float)(near ? i : n - i - 1), near ? start : end);
        for (int k = 0; k < LANES; k++)
            to[i + k] = base + (float)k * step;
    }
}

FORWARD(linspace)
{
    UNUSED;
    int64_t n = call_int(call, 2, 0);
    double start = call_float(call, 0, 0), end = call_float(call, 1, 0);
    if (n < 0)
        return err_set(err, ERR_RUNTIME,
                       "linspace(): the number of steps must not be negative, but it is %lld", (long long)n);
    Tensor *t = make(ctx, op, call, 3, ctx->default_dtype, 1, &n, NULL, err);
    if (!t)
        return false;
    DType dtype = (DType)t->dtype;
    double step = dtype == DT_F32 ? ((float)end - (float)start) / (float)(n - 1)
        : (end - start) / (double)(n - 1);
    int64_t done = 0;
    if (dtype == DT_F32 && n > 1 && strides_of(t)[0] == 1)
        linspace_f32((float *)data_of(t), done = n - n % 16, n, (float)start, (float)end, (float)step);
    for (int64_t i = done; i < n; i++)
        store_double(t, i, n == 1 ? start : linspace_at(dtype, i, n, start, end, step));
    return made(ctx, op, call, 3, err);
}

FORWARD(logspace)
{
    UNUSED;
    int64_t n = call_int(call, 2, 0);
    double start = call_float(call, 0, 0), end = call_float(call, 1, 0), base = call_float(call, 3, 10);
    if (n < 0)
        return err_set(err, ERR_RUNTIME,
                       "logspace(): the number of steps must not be negative, but it is %lld", (long long)n);
    Tensor *t = make(ctx, op, call, 4, ctx->default_dtype, 1, &n, NULL, err);
    if (!t)
        return false;
    DType dtype = (DType)t->dtype;
    if (dtype == DT_F32) {
        start = (float)start;
        end = (float)end;
    }
    double step = (end - start) / (double)(n - 1);
    for (int64_t i = 0; i < n; i++)
        store_double(t, i, pow(base, n == 1 ? start : spaced(DT_F64, i, n, start, end, step, false)));
    return made(ctx, op, call, 4, err);
}

FORWARD(eye)
{
    UNUSED;
    int64_t shape[2] = { call_int(call, 0, 0), call_int(call, 1, call_int(call, 0, 0)) };
    if (shape[0] < 0 || shape[1] < 0)
        return err_set(err, ERR_RUNTIME, "eye() of %lld rows and %lld columns: neither may be negative",
                       (long long)shape[0],
                       (long long)shape[1]);
    Tensor *t = make(ctx, op, call, 2, ctx->default_dtype, 2, shape, NULL, err);
    if (!t)
        return false;
    zero_elements(t);
    size_t step = (size_t)(strides_of(t)[0] + strides_of(t)[1]) * dtype_size((DType)t->dtype);
    char *at = data_of(t);
    for (int64_t i = 0; i < shape[0] && i < shape[1]; i++, at += step)
        number_store((DType)t->dtype, at, whole(1));
    return made(ctx, op, call, 2, err);
}

__extension__ typedef __int128 Wide;
/* How many elements lie left of the diagonal that begins `shift` columns in: the sum of min(max(r + shift, 0), columns) over rows r. */
static Wide left_of(int64_t rows, int64_t columns, int64_t shift)
{
    Wide from = shift < 0 ? -(Wide)shift : 0, full = (Wide)columns - shift;
    from = from < rows ? from : rows;
    full = full < from ? from : full < rows ? full : rows;
    return (full - from) * (from + full - 1 + 2 * (Wide)shift) / 2 + (rows - full) * columns;
}

FORWARD(triangle_indices)
{
    UNUSED;
    int64_t rows = call_int(call, 0, 0), columns = call_int(call, 1, 0), shift = call_int(call, 2, 0), n = 0;
    bool lower = op == OP_tril_indices;
    if (rows < 0 || columns < 0)
        return err_set(err, ERR_RUNTIME, "%s(): rows and columns must not be negative", op_info[op].name);
    Wide many = lower ? left_of(rows, columns, shift + (shift < INT64_MAX)) : (Wide)rows * columns - left_of(rows, columns, shift);
    if (many > INT64_MAX / 64)
        return err_set(err, ERR_RUNTIME, "%s(): more indices than a tensor can hold", op_info[op].name);
    n = (int64_t)many;
    int64_t shape[2] = { 2, n }, at = 0;
    Tensor *t = make(ctx, op, call, 3, DT_I64, 2, shape, NULL, err);
    if (!t)
        return false;
    size_t size = dtype_size((DType)t->dtype);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            if (lower ? c > r + shift : c < r + shift)
                continue;
            number_store((DType)t->dtype, data_of(t) + (size_t)at * size, whole(r));
            number_store((DType)t->dtype, data_of(t) + (size_t)(n + at++) * size, whole(c));
        }
    }
    return made(ctx, op, call, 3, err);
}
