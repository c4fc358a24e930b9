/*
 * window.c - a window that moves over an image: convolution as a product with the windows laid out as columns, pooling, and the
 * layout itself. A signal of one dimension is an image of one row.
 */
#include "tensor/compose.h"
#include "tensor/cpu/matmul.h"
#include <math.h>

#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) FORWARD(forward);
#include "tensor/ops/window.def"
#undef OP

/* Of rows and of columns: the image, the window, its steps, and how many places it has. */
typedef struct Window { int64_t in[2], kernel[2], stride[2], pad[2], dilation[2], out[2]; } Window;

/* An argument of one int for both, or one for each; a single one of an image of one row is its columns'. */
static bool pair(OpId op, const Call *call, int k, bool line, int64_t otherwise, int64_t least, int64_t *to, Err *err)
{
    int n = 1;
    const int64_t *given = call_has(call, k) ? call_ints(call, k, &n) : &otherwise;
    if (n != 1 && (line || n != 2))
        return err_set(err, ERR_RUNTIME, "%s(): an argument of %d ints, where %s", op_info[op].name, n, line ? "one goes" : "one or two go");
    to[0] = line ? (least > 0 ? 1 : 0) : given[0];
    to[1] = given[n - 1];
    if (to[0] < least || to[1] < least)
        return err_set(err, ERR_RUNTIME, "%s(): %lld is too small: %lld is the least", op_info[op].name, (long long)(to[0] < to[1] ? to[0] : to[1]), (long long)least);
    return true;
}

/* How many places the window has. */
static bool places(OpId op, Window *w, bool ceil_mode, Err *err)
{
    for (int d = 0; d < 2; d++) {
        int64_t reach = w->dilation[d] * (w->kernel[d] - 1) + 1, room = w->in[d] + 2 * w->pad[d] - reach;
        if (room < 0)
            return err_set(err, ERR_RUNTIME, "%s(): a window of %lld does not fit into %lld elements%s", op_info[op].name, (long long)reach,
                           (long long)(w->in[d] + 2 * w->pad[d]), w->pad[d] ? " with their padding" : "");
        w->out[d] = room / w->stride[d] + 1;
        if (ceil_mode && room % w->stride[d] && w->out[d] * w->stride[d] < w->in[d] + w->pad[d])
            w->out[d]++;
    }
    return true;
}

/* The image as (samples, channels, rows, columns), whatever is missing in front or between. */
typedef struct Image { Tensor *dense; bool line; int64_t samples, channels, rows, columns; } Image;

static bool image_of(Context *ctx, OpId op, Tensor *t, bool line, DType dtype, Image *image, Err *err)
{
    int least = line ? 2 : 3;
    if (t->ndim != least && t->ndim != least + 1) {
        char shape[200];
        shape_print_to(shape, sizeof shape, t->ndim, shape_of(t));
        err_set(err, ERR_RUNTIME, "%s() takes (samples, channels, %s) or the same without samples, not the shape %s", op_info[op].name,
                line ? "length" : "rows, columns", shape);
        return err_hint(err, "unsqueeze(0) puts a dimension in front");
    }
    const int64_t *shape = shape_of(t) + t->ndim - least;
    *image = (Image){ .line = line, .samples = t->ndim == least ? 1 : shape_of(t)[0], .channels = shape[0], .rows = line ? 1 : shape[1],
                      .columns = shape[least - 1] };
    return (image->dense = copy_dense(ctx, t, dtype, t->dtype == dtype ? COPY_NOT_CONTIGUOUS : COPY_DTYPE, err));
}

static Tensor *image_result(Context *ctx, OpId op, Call *call, int k, DType dtype, const Image *image, int64_t channels, const int64_t *out, Err *err)
{
    const Tensor *t = call_tensor(call, 0);
    int64_t shape[4];
    int n = 0;
    if (t->ndim == (image->line ? 3 : 4))
        shape[n++] = image->samples;
    shape[n++] = channels;
    if (!image->line)
        shape[n++] = out[0];
    shape[n++] = out[1];
    return call_result(ctx, op, call, k, dtype, n, shape, NULL, err);
}

/* ---- convolution ---------------------------------------------------------------------------------------------------------- */
/* Windows as columns: row (channel, kernel row, kernel column), column a place of the window. */
#define COLUMNS(type)                                                                                                       \
    for (int64_t row = 0; row < channels * w->kernel[0] * w->kernel[1]; row++) {                                            \
        int64_t kc = row % w->kernel[1], kr = row / w->kernel[1] % w->kernel[0], c = row / w->kernel[1] / w->kernel[0];     \
        for (int64_t r = 0; r < w->out[0]; r++) {                                                                           \
            int64_t y = r * w->stride[0] - w->pad[0] + kr * w->dilation[0];                                                 \
            const type *line = (const type *)image + (c * w->in[0] + y) * w->in[1];                                         \
            type *put = (type *)to + (row * w->out[0] + r) * w->out[1];                                                     \
            for (int64_t k = 0; k < w->out[1]; k++) {                                                                       \
                int64_t x = k * w->stride[1] - w->pad[1] + kc * w->dilation[1];                                             \
                put[k] = y < 0 || y >= w->in[0] || x < 0 || x >= w->in[1] ? 0 : line[x];                                    \
            }                                                                                                               \
        }                                                                                                                   \
    }
static void lay_columns(DType dtype, const Window *w, int64_t channels, const void *image, void *to)
{
    if (dtype == DT_F64)
        COLUMNS(double)
    else
        COLUMNS(float)
}

static bool check_conv(OpId op, const Image *image, const Tensor *weight, const Tensor *bias, int64_t groups, Err *err)
{
    if (groups < 1 || image->channels % groups || shape_of(weight)[0] % groups)
        return err_set(err, ERR_RUNTIME, "%s(): %lld groups do not divide %lld input and %lld output channels", op_info[op].name, (long long)groups,
                       (long long)image->channels, (long long)shape_of(weight)[0]);
    if (shape_of(weight)[1] * groups != image->channels) {
        char shape[200];
        shape_print_to(shape, sizeof shape, weight->ndim, shape_of(weight));
        return err_set(err, ERR_RUNTIME, "%s(): a weight of shape %s (out, in / groups, …) takes %lld channels, and the input has %lld", op_info[op].name, shape,
                       (long long)(shape_of(weight)[1] * groups), (long long)image->channels);
    }
    return !bias || (bias->ndim == 1 && bias->numel == shape_of(weight)[0])
        || err_set(err, ERR_RUNTIME, "%s(): bias has one number for each of the %lld output channels", op_info[op].name, (long long)shape_of(weight)[0]);
}

static void add_bias(DType dtype, void *to, const Tensor *bias, int64_t channels, int64_t each)
{
    for (int64_t c = 0; c < channels; c++) {
        double b = number_double(tensor_element(bias, &c));
        for (int64_t k = 0; k < each; k++)
            if (dtype == DT_F64)
                ((double *)to)[c * each + k] += b;
            else
                ((float *)to)[c * each + k] += (float)b;
    }
}

/* 'same': as much padding as keeps the size; the odd one comes behind, which goes for windows of odd reach alone. */
static bool named_padding(OpId op, const Call *call, Window *w, Err *err)
{
    const char *name = call_has(call, 4) ? call->arg[4].str : "valid";
    bool same = !strcmp(name, "same");
    if (!same && strcmp(name, "valid"))
        return err_set(err, ERR_RUNTIME, "%s(): padding is a number, 'valid' or 'same', not '%s'", op_info[op].name, name);
    for (int d = 0; d < 2; d++) {
        int64_t reach = w->dilation[d] * (w->kernel[d] - 1);
        if (same && w->stride[d] != 1)
            return err_set(err, ERR_RUNTIME, "%s(): padding='same' goes with a stride of 1", op_info[op].name);
        if (same && reach % 2)
            return err_set(err, ERR_NOT_IMPLEMENTED, "%s(): padding='same' with an even window is not supported by Locus", op_info[op].name);
        w->pad[d] = same ? reach / 2 : 0;
    }
    return true;
}

FORWARD(conv)
{
    Tensor *t = call_tensor(call, 0), *weight = call_tensor(call, 1), *bias = call_tensor(call, 2), *out = NULL, *dense = NULL;
    bool line = op == OP_conv1d || op == OP_conv1d_same, named = op == OP_conv1d_same || op == OP_conv2d_same;
    DType dtype = (DType)t->dtype;
    int64_t groups = call_int(call, 6, 1);
    Window w;
    Image image;
    (void)plan;
    if (t->dtype != weight->dtype || (bias && bias->dtype != t->dtype))
        return err_set(err, ERR_RUNTIME, "%s(): the input is %s, and the weight %s", op_info[op].name, dtype_name(dtype), dtype_name((DType)weight->dtype));
    if (dtype != DT_F32 && dtype != DT_F64)
        return err_set(err, ERR_RUNTIME, "%s() is there for float32 and float64, not for %s", op_info[op].name, dtype_name(dtype));
    if (weight->ndim != (line ? 3 : 4))
        return err_set(err, ERR_RUNTIME, "%s(): weight has %d dimensions (out, in / groups, %s), not %d", op_info[op].name, line ? 3 : 4,
                       line ? "length" : "rows, columns", weight->ndim);
    if (!image_of(ctx, op, t, line, dtype, &image, err))
        return false;
    w = (Window){ .in = { image.rows, image.columns }, .kernel = { line ? 1 : shape_of(weight)[2], shape_of(weight)[line ? 2 : 3] } };
    bool ok = check_conv(op, &image, weight, bias, groups, err) && pair(op, call, 3, line, 1, 1, w.stride, err)
           && pair(op, call, 5, line, 1, 1, w.dilation, err)
           && (named ? named_padding(op, call, &w, err) : pair(op, call, 4, line, 0, 0, w.pad, err)) && places(op, &w, false, err)
           && (dense = copy_dense(ctx, weight, dtype, COPY_NOT_CONTIGUOUS, err))
           && (out = image_result(ctx, op, call, 0, dtype, &image, shape_of(weight)[0], w.out, err));
    if (ok && out->numel) {
        int64_t size = (int64_t)dtype_size(dtype), each = w.out[0] * w.out[1], made = shape_of(weight)[0] / groups, taken = image.channels / groups;
        int64_t rows = taken * w.kernel[0] * w.kernel[1];
        bool as_it_is = rows == taken && each == image.rows * image.columns;    /* a window of one element: the image is its columns */
        char *columns = as_it_is ? NULL : mem_new(ctx->heap, (size_t)(rows * each * size) + 1);
        ok = columns || as_it_is || err_memory(err, (size_t)(rows * each * size));
        for (int64_t k = 0; ok && k < image.samples * groups; k++) {
            const char *from = data_of(image.dense) + k * taken * image.rows * image.columns * size;
            char *to = data_of(out) + k * made * each * size;
            if (!as_it_is)
                lay_columns(dtype, &w, taken, from, columns);
            Product p = { dtype, made, each, rows, data_of(dense) + k % groups * made * rows * size, as_it_is ? from : columns, to, rows, 1, each, 1 };
            ok = rows ? product_run(ctx, &p, err) : (memset(to, 0, (size_t)(made * each * size)), true);
            ok = ok && !interrupted(ctx, err);
        }
        for (int64_t k = 0; ok && bias && k < image.samples; k++)
            add_bias(dtype, data_of(out) + k * made * groups * each * size, bias, made * groups, each);
        mem_free(ctx->heap, columns);
    }
    tensor_release(dense);
    tensor_release(image.dense);
    return ok;
}

/* ---- pooling -------------------------------------------------------------------------------------------------------------- */
typedef struct Pooling { Window w; Image image; DType dtype; const char *from; char *to; int64_t *at; bool include_pad; int64_t divisor; OpId op; } Pooling;

static double value_at(const Pooling *p, int64_t k)
{
    return p->dtype == DT_F32 ? (double)((const float *)p->from)[k] : number_double(number_load(p->dtype, p->from + k * (int64_t)dtype_size(p->dtype)));
}

static void put_value(const Pooling *p, int64_t k, double f)
{
    if (p->dtype == DT_F32)
        ((float *)p->to)[k] = (float)f;
    else
        number_store(p->dtype, p->to + k * (int64_t)dtype_size(p->dtype), (Number){ DKIND_FLOAT, { .f = f } });
}

static void max_of(const Pooling *p, int64_t base, int64_t top, int64_t left, int64_t to)
{
    const Window *w = &p->w;
    double most = -INFINITY;
    int64_t at = -1;
    for (int64_t r = 0; r < w->kernel[0]; r++)
        for (int64_t c = 0; c < w->kernel[1]; c++) {
            int64_t y = top + r * w->dilation[0], x = left + c * w->dilation[1];
            if (y < 0 || y >= w->in[0] || x < 0 || x >= w->in[1])
                continue;
            double f = value_at(p, base + y * w->in[1] + x);
            if (at < 0 || f > most || isnan(f))
                most = f, at = y * w->in[1] + x;
        }
    put_value(p, to, most);
    if (p->at)
        p->at[to] = at;
}

static void mean_of(const Pooling *p, int64_t base, int64_t top, int64_t left, int64_t to)
{
    const Window *w = &p->w;
    int64_t bottom = top + w->kernel[0], right = left + w->kernel[1];
    bottom = bottom < w->in[0] + w->pad[0] ? bottom : w->in[0] + w->pad[0];
    right = right < w->in[1] + w->pad[1] ? right : w->in[1] + w->pad[1];
    int64_t whole = (bottom - top) * (right - left), count = 0;
    double sum = 0;
    for (int64_t y = top > 0 ? top : 0; y < bottom && y < w->in[0]; y++)
        for (int64_t x = left > 0 ? left : 0; x < right && x < w->in[1]; x++, count++)
            sum += value_at(p, base + y * w->in[1] + x);
    put_value(p, to, sum / (double)(p->divisor ? p->divisor : p->include_pad ? whole : count));
}

static void pool_channels(void *data, int64_t begin, int64_t end)
{
    const Pooling *p = data;
    const Window *w = &p->w;
    for (int64_t k = begin; k < end; k++)
        for (int64_t r = 0; r < w->out[0]; r++)
            for (int64_t c = 0; c < w->out[1]; c++) {
                int64_t to = (k * w->out[0] + r) * w->out[1] + c, top = r * w->stride[0] - w->pad[0], left = c * w->stride[1] - w->pad[1];
                (p->at || p->op == OP_max_pool2d || p->op == OP_max_pool1d ? max_of : mean_of)(p, k * w->in[0] * w->in[1], top, left, to);
            }
}

/* Window, stride (the window's own size when it is not given) and padding of a row; false when they do not fit. */
static bool pooling_open(Context *ctx, OpId op, Call *call, bool line, int dilation_at, int ceil_at, Pooling *p, Err *err)
{
    Tensor *t = call_tensor(call, 0);
    *p = (Pooling){ .op = op, .dtype = (DType)t->dtype };
    Window *w = &p->w;
    if (!pair(op, call, 1, line, 1, 1, w->kernel, err) || !pair(op, call, 3, line, 0, 0, w->pad, err)
        || !pair(op, call, dilation_at, line, 1, 1, w->dilation, err))
        return false;
    if (call_has(call, 2) ? !pair(op, call, 2, line, 1, 1, w->stride, err) : (memcpy(w->stride, w->kernel, sizeof w->stride), false))
        return false;
    for (int d = 0; d < 2; d++)
        if (w->pad[d] > w->kernel[d] / 2)
            return err_set(err, ERR_RUNTIME, "%s(): a padding of %lld is more than half of the window's %lld", op_info[op].name, (long long)w->pad[d], (long long)w->kernel[d]);
    if (t->dtype == DT_BOOL)
        return err_set(err, ERR_RUNTIME, "%s() is not there for bool", op_info[op].name);
    if (!image_of(ctx, op, t, line, (DType)t->dtype, &p->image, err))
        return false;
    w->in[0] = p->image.rows;
    w->in[1] = p->image.columns;
    p->from = data_of(p->image.dense);
    return places(op, w, call_bool(call, ceil_at, false), err);
}

FORWARD(max_pool)
{
    Pooling p;
    bool line = op == OP_max_pool1d, indices = call_bool(call, 6, false);
    (void)plan;
    bool ok = pooling_open(ctx, op, call, line, 4, 5, &p, err);
    Tensor *out = ok ? image_result(ctx, op, call, 0, p.dtype, &p.image, p.image.channels, p.w.out, err) : NULL;
    Tensor *at = out && indices ? image_result(ctx, op, call, 1, DT_I64, &p.image, p.image.channels, p.w.out, err) : NULL;
    ok = out && (at || !indices);
    if (ok) {
        p.to = data_of(out);
        p.at = at ? (int64_t *)data_of(at) : NULL;
        ok = parallel_for(ctx, p.image.samples * p.image.channels, 1 + 4096 / (1 + p.w.out[0] * p.w.out[1]), pool_channels, &p, err);
    }
    tensor_release(p.image.dense);
    return ok;
}

FORWARD(avg_pool)
{
    Pooling p;
    bool line = op == OP_avg_pool1d;
    (void)plan;
    if (dtype_kind((DType)call_tensor(call, 0)->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() is not there for %s", op_info[op].name, dtype_name((DType)call_tensor(call, 0)->dtype));
    if (!line && call_has(call, 6) && call_int(call, 6, 0) == 0)
        return err_set(err, ERR_RUNTIME, "%s(): divisor_override must not be 0", op_info[op].name);
    bool ok = pooling_open(ctx, op, call, line, CALL_ARGS, 4, &p, err);
    Tensor *out = ok ? image_result(ctx, op, call, 0, p.dtype, &p.image, p.image.channels, p.w.out, err) : NULL;
    if ((ok = out)) {
        p.include_pad = call_bool(call, 5, true);
        p.divisor = line ? 0 : call_int(call, 6, 0);
        p.to = data_of(out);
        ok = parallel_for(ctx, p.image.samples * p.image.channels, 1 + 4096 / (1 + p.w.out[0] * p.w.out[1]), pool_channels, &p, err);
    }
    tensor_release(p.image.dense);
    return ok;
}

/* Windows of such sizes that there are as many as asked for: place k reaches from ⌊k n / m⌋ to ⌈(k + 1) n / m⌉. */
FORWARD(adaptive_pool)
{
    Tensor *t = call_tensor(call, 0);
    bool line = op == OP_adaptive_avg_pool1d;
    Pooling p = { .op = op == OP_adaptive_max_pool2d ? OP_max_pool2d : OP_avg_pool2d, .dtype = (DType)t->dtype, .include_pad = true };
    (void)plan;
    if (dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "%s() is not there for %s", op_info[op].name, dtype_name((DType)t->dtype));
    if (!pair(op, call, 1, line, 1, 0, p.w.out, err) || !image_of(ctx, op, t, line, (DType)t->dtype, &p.image, err))
        return false;
    if (line)
        p.w.out[0] = 1;
    p.w.in[0] = p.image.rows;
    p.w.in[1] = p.image.columns;
    p.w.dilation[0] = p.w.dilation[1] = 1;
    p.from = data_of(p.image.dense);
    Tensor *out = image_result(ctx, op, call, 0, p.dtype, &p.image, p.image.channels, p.w.out, err);
    for (int64_t k = 0; out && k < out->numel; k++) {
        int64_t c = k % p.w.out[1], r = k / p.w.out[1] % p.w.out[0], top = r * p.w.in[0] / p.w.out[0], left = c * p.w.in[1] / p.w.out[1];
        p.to = data_of(out);
        p.w.kernel[0] = ((r + 1) * p.w.in[0] + p.w.out[0] - 1) / p.w.out[0] - top;
        p.w.kernel[1] = ((c + 1) * p.w.in[1] + p.w.out[1] - 1) / p.w.out[1] - left;
        (p.op == OP_max_pool2d ? max_of : mean_of)(&p, k / p.w.out[1] / p.w.out[0] * p.w.in[0] * p.w.in[1], top, left, k);
    }
    tensor_release(p.image.dense);
    return out;
}

/* ---- the layout itself ---------------------------------------------------------------------------------------------------- */
FORWARD(unfold_windows)
{
    Tensor *t = call_tensor(call, 0), *out = NULL;
    Window w = { .in = { 0 } };
    Image image;
    int64_t shape[3];
    (void)plan;
    if (t->dtype != DT_F32 && t->dtype != DT_F64)
        return err_set(err, ERR_RUNTIME, "unfold() is there for float32 and float64, not for %s", dtype_name((DType)t->dtype));
    if (!image_of(ctx, op, t, false, (DType)t->dtype, &image, err))
        return false;
    w.in[0] = image.rows;
    w.in[1] = image.columns;
    bool ok = pair(op, call, 1, false, 1, 1, w.kernel, err) && pair(op, call, 2, false, 1, 1, w.dilation, err) && pair(op, call, 3, false, 0, 0, w.pad, err)
           && pair(op, call, 4, false, 1, 1, w.stride, err) && places(op, &w, false, err);
    int n = 0;
    if (t->ndim == 4)
        shape[n++] = image.samples;
    shape[n++] = image.channels * w.kernel[0] * w.kernel[1];
    shape[n++] = w.out[0] * w.out[1];
    ok = ok && (out = call_result(ctx, op, call, 0, (DType)t->dtype, n, shape, NULL, err));
    size_t size = dtype_size((DType)t->dtype);
    for (int64_t k = 0; ok && k < image.samples; k++)
        lay_columns((DType)t->dtype, &w, image.channels, data_of(image.dense) + (size_t)(k * image.channels * image.rows * image.columns) * size,
                    data_of(out) + (size_t)(k * shape[n - 2] * shape[n - 1]) * size);
    tensor_release(image.dense);
    return ok;
}

/* The way back: what lies in several windows is added. */
FORWARD(fold)
{
    Tensor *t = call_tensor(call, 0), *in, *out = NULL;
    Window w = { .in = { 0 } };
    int64_t shape[4];
    int n = 0;
    (void)plan;
    if (!pair(op, call, 1, false, 1, 1, w.in, err) || !pair(op, call, 2, false, 1, 1, w.kernel, err) || !pair(op, call, 3, false, 1, 1, w.dilation, err)
        || !pair(op, call, 4, false, 0, 0, w.pad, err) || !pair(op, call, 5, false, 1, 1, w.stride, err) || !places(op, &w, false, err))
        return false;
    int64_t window = w.kernel[0] * w.kernel[1], each = w.out[0] * w.out[1];
    if ((t->ndim != 2 && t->ndim != 3) || shape_of(t)[t->ndim - 2] % window || shape_of(t)[t->ndim - 1] != each || dtype_kind((DType)t->dtype) != DKIND_FLOAT)
        return err_set(err, ERR_RUNTIME, "fold() takes (samples, channels × %lld, %lld) of floats for these sizes", (long long)window, (long long)each);
    int64_t samples = t->ndim == 3 ? shape_of(t)[0] : 1, channels = shape_of(t)[t->ndim - 2] / window;
    if (t->ndim == 3)
        shape[n++] = samples;
    shape[n++] = channels;
    shape[n++] = w.in[0];
    shape[n++] = w.in[1];
    if (!(in = copy_dense(ctx, t, (DType)t->dtype, COPY_NOT_CONTIGUOUS, err)))
        return false;
    if ((out = call_result(ctx, op, call, 0, (DType)t->dtype, n, shape, NULL, err)))
        memset(data_of(out), 0, (size_t)out->numel * dtype_size((DType)t->dtype));
    int64_t size = (int64_t)dtype_size((DType)t->dtype);
    for (int64_t k = 0; out && k < in->numel; k++) {
        int64_t c = k % w.out[1], r = k / w.out[1] % w.out[0], row = k / each, kc = row % w.kernel[1], kr = row / w.kernel[1] % w.kernel[0], image = row / window;
        int64_t y = r * w.stride[0] - w.pad[0] + kr * w.dilation[0], x = c * w.stride[1] - w.pad[1] + kc * w.dilation[1];
        if (y < 0 || y >= w.in[0] || x < 0 || x >= w.in[1])
            continue;
        char *to = data_of(out) + ((image * w.in[0] + y) * w.in[1] + x) * size;
        double sum = number_double(number_load((DType)t->dtype, to)) + number_double(number_load((DType)t->dtype, data_of(in) + k * size));
        number_store((DType)t->dtype, to, (Number){ DKIND_FLOAT, { .f = sum } });
    }
    tensor_release(in);
    return out;
}

/* Each new element takes the nearest old one: index ⌊k n / m⌋ along every dimension behind the channels. */
FORWARD(interpolate)
{
    COMPOSE;
    Tensor *t = call_tensor(call, 0), *result = t;
    const char *mode = call_has(call, 3) ? call->arg[3].str : "nearest";
    int n = 0, dims = t->ndim - 2;
    const int64_t *size = call_has(call, 1) ? call_ints(call, 1, &n) : NULL;
    const Arg *scale = call_has(call, 2) ? &call->arg[2] : NULL;
    if (strcmp(mode, "nearest"))
        return err_set(err, ERR_NOT_IMPLEMENTED, "interpolate(): mode='%s' is not supported by Locus, 'nearest' is", mode);
    if (dims < 1 || !size == !scale)
        return err_set(err, ERR_VALUE, dims < 1 ? "interpolate() takes (samples, channels, …)" : "interpolate() takes either size or scale_factor");
    n = scale ? scale->n : n;
    if (n != 1 && n != dims)
        return err_set(err, ERR_VALUE, "interpolate(): %d numbers for %d dimensions", n, dims);
    for (int d = 0; d < dims; d++) {
        int64_t old = shape_of(t)[d + 2];
        double factor = scale ? number_double(scale->numbers[n == 1 ? 0 : d]) : 0;
        int64_t new = scale ? (int64_t)floor((double)old * factor) : size[n == 1 ? 0 : d];
        if (new < 1)
            return compose_fail(c) || err_set(err, ERR_RUNTIME, "interpolate(): a size of %lld", (long long)new);
        Tensor *index = DO(arange, I(new));
        index = DO(mul, T(index), F(scale ? 1 / factor : (double)old / (double)new));
        index = DO(clamp_max, T(compose_cast(c, DO(floor, T(index)), DT_I64)), I(old - 1));
        result = DO(index_select, T(result), I(d + 2), T(index));
    }
    return compose_end(c, op, call, result);
}
