/* arrange.c - copies of a tensor in another arrangement: repeated, rolled, flipped, turned, padded. */
#include "tensor/index.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/join.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define SELF Tensor *t = call->arg[0].tensor; (void)plan, (void)op

static Tensor *room(Context *ctx, Call *call, const Tensor *like, int n, const int64_t *shape,
                    const int64_t *strides, Err *err)
{
    if (!ndim_fits(n, err) || shape_numel(n, shape, err) < 0)
        return NULL;
    Tensor *to = tensor_new_dense(ctx, (DType)like->dtype, like->storage->device, n, shape, strides, err);
    return call_take(call, to) ? to : NULL;
}

/* Elements of a block of both tensors: `shape`, from these element offsets on. */
static void move_block(const Tensor *to, int64_t to_offset, const int64_t *to_strides, const Tensor *from,
                       int64_t from_offset,
                       const int64_t *from_strides, int n, const int64_t *shape)
{
    size_t size = dtype_size((DType)to->dtype);
    move_elements(size, n, shape, data_of(to) + to_offset * (int64_t)size, to_strides,
                  data_of(from) + from_offset * (int64_t)size,
                  from_strides);
}

/* ---- repeating --------------------------------------------------------------------------------------------- */
static bool repeated(Context *ctx, OpId id, Call *call, const Tensor *t, int n, const int64_t *times,
                     Err *err)
{
    int64_t shape[DIMS_MAX], sizes[2 * DIMS_MAX], a[2 * DIMS_MAX], b[2 * DIMS_MAX];
    if (n < t->ndim)
        return err_set(err, ERR_RUNTIME,
                       "%s() of a tensor of %d dimensions needs at least as many numbers, %d given",
                           op_info[id].name,
                       t->ndim, n);
    if (!ndim_fits(2 * n, err))
        return false;
    for (int d = 0; d < n; d++) {
        int from = d - (n - t->ndim);
        if (times[d] < 0)
            return err_set(err, ERR_RUNTIME, "%s(): %lld times is less than none", op_info[id].name,
                           (long long)times[d]);
        if (__builtin_mul_overflow(times[d], from < 0 ? 1 : shape_of(t)[from], &shape[d]))
            return err_set(err, ERR_RUNTIME, "%s(): the result is too large", op_info[id].name);
    }
    Tensor *to = room(ctx, call, t, n, shape, NULL, err);
    if (!to)
        return false;
    for (int d = 0; d < n; d++) {       /* two dimensions for each: which repetition, and where in it */
        int from = d - (n - t->ndim);
        int64_t size = from < 0 ? 1 : shape_of(t)[from];
        sizes[2 * d] = times[d];
        sizes[2 * d + 1] = size;
        a[2 * d] = strides_of(to)[d] * size;
        a[2 * d + 1] = strides_of(to)[d];
        b[2 * d] = 0;
        b[2 * d + 1] = from < 0 ? 0 : strides_of(t)[from];
    }
    move_block(to, 0, a, t, 0, b, 2 * n, sizes);
    return true;
}

FORWARD(repeat)
{
    SELF;
    int n;
    const int64_t *times = call_ints(call, 1, &n);
    return repeated(ctx, op, call, t, n, times, err);
}

FORWARD(tile)
{
    SELF;
    int n;
    int64_t all[DIMS_MAX];
    const int64_t *times = call_ints(call, 1, &n);
    if (n >= t->ndim || n > DIMS_MAX)
        return repeated(ctx, op, call, t, n, times, err);
    for (int d = 0; d < t->ndim; d++)   /* once along the leading dimensions that are not named */
        all[d] = d < t->ndim - n ? 1 : times[d - (t->ndim - n)];
    return repeated(ctx, op, call, t, t->ndim, all, err);
}

/* How often each place is repeated, as an array from mem_new. */
static int64_t *counts_of(Context *ctx, const Tensor *counts, int64_t *sum, Err *err)
{
    if (!index_dtype((DType)counts->dtype) || counts->ndim > 1) {
        err_set(err, ERR_RUNTIME, "repeat_interleave(): repeats must be a vector of integers");
        return NULL;
    }
    int64_t *each = index_values(ctx, counts, INT64_MAX, 0, false, err);
    if (!each)
        return err_set(err, ERR_RUNTIME, "repeat_interleave(): repeats must not be negative"), NULL;
    *sum = 0;
    for (int64_t i = 0; i < counts->numel; i++)
        *sum += each[i];
    return each;
}

static bool interleaved(Context *ctx, Call *call, Tensor *t, int dim, const int64_t *each, int64_t times,
                        int64_t sum, Err *err)
{
    int64_t shape[DIMS_MAX], block[DIMS_MAX], from[DIMS_MAX], at = 0;
    memcpy(shape, shape_of(t), sizeof(int64_t) * t->ndim);
    memcpy(block, shape_of(t), sizeof(int64_t) * t->ndim);
    memcpy(from, strides_of(t), sizeof(int64_t) * t->ndim);
    shape[dim] = sum;
    Tensor *to = room(ctx, call, t, t->ndim, shape, NULL, err);
    if (!to)
        return false;
    from[dim] = 0;                      /* place i of the source, `block[dim]` times */
    for (int64_t i = 0; i < shape_of(t)[dim]; at += block[dim], i++) {
        block[dim] = each ? each[i] : times;
        if (block[dim])
            move_block(to, at * strides_of(to)[dim], strides_of(to), t, i * strides_of(t)[dim], from, t->ndim,
                       block);
    }
    return true;
}

FORWARD(repeat_interleave)
{
    SELF;
    int dim = 0;
    int64_t sum = 0, times = 0, flat = t->numel, *each = NULL;
    Tensor *seen = call_has(call, 2) ? tensor_retain(t) : tensor_reshape(ctx, t, 1, &flat, err);
    bool ok = seen != NULL;
    if (ok && call_has(call, 2))
        ok = t->ndim ? shape_dim(call_int(call, 2, 0), t->ndim, &dim, err)
                     : err_set(err, ERR_INDEX,
                               "repeat_interleave() along a dimension needs a tensor that has one");
    const Tensor *counts = call_tensor(call, 1);
    int64_t size = ok ? shape_of(seen)[dim] : 0;
    if (ok && counts) {
        each = counts_of(ctx, counts, &sum, err);
        ok = each != NULL;
        if (ok && counts->numel == 1) {
            times = each[0];
            sum = size * times;
        } else if (ok && counts->numel != size) {
            ok = err_set(err, ERR_RUNTIME, "repeat_interleave(): %lld repeats for a dimension of size %lld",
                         (long long)counts->numel,
                         (long long)size);
        }
    } else if (ok) {
        times = call_int(call, 1, 0);
        if (times < 0)
            ok = err_set(err, ERR_RUNTIME,
                         "repeat_interleave(): repeats must not be negative, but it is %lld",
                             (long long)times);
        else if (__builtin_mul_overflow(size, times, &sum))
            ok = err_set(err, ERR_RUNTIME, "repeat_interleave(): the result is too large");
    }
    ok = ok && interleaved(ctx, call, seen, dim, counts && counts->numel != 1 ? each : NULL, times, sum, err);
    mem_free(ctx->heap, each);
    tensor_release(seen);
    return ok;
}

/* Only repeats: each position as often as it says. */
FORWARD(repeat_index)
{
    SELF;
    int64_t sum = 0, at = 0;
    if (t->ndim != 1)
        return err_set(err, ERR_RUNTIME, "repeat_interleave(): repeats must be a vector of integers");
    int64_t *each = counts_of(ctx, t, &sum, err);
    Tensor *to = each ? tensor_new_dense(ctx, DT_I64, t->storage->device, 1, &sum, NULL, err) : NULL;
    for (int64_t i = 0; to && i < t->numel; i++)
        for (int64_t k = 0; k < each[i]; k++)
            ((int64_t *)data_of(to))[at++] = i;
    mem_free(ctx->heap, each);
    return call_take(call, to);
}

/* ---- rolling ----------------------------------------------------------------------------------------------- */
FORWARD(roll)
{
    SELF;
    int n, m;
    const int64_t *shifts = call_ints(call, 1, &n), *dims = call_ints(call, 2, &m);
    int64_t shift[DIMS_MAX] = { 0 }, strides[DIMS_MAX], shape[DIMS_MAX], flat_strides[1] = { 1 };
    const Tensor *from = t;
    Tensor *flat = NULL;
    if (m == 0) {                       /* as one row, whatever its shape */
        if (n != 1)
            return err_set(err, ERR_RUNTIME, "roll() without dims takes one shift, %d given", n);
        flat = tensor_reshape(ctx, t, 1, &(int64_t){ t->numel }, err);
        from = flat;
        shift[0] = shifts[0];
    } else if (n != m) {
        return err_set(err, ERR_RUNTIME,
                       "roll() takes a shift for each dimension: %d shifts and %d dims given", n, m);
    }
    for (int i = 0; i < m; i++) {
        int dim;
        if (t->ndim == 0)
            return err_set(err, ERR_INDEX, "roll() along a dimension needs a tensor that has one");
        if (!shape_dim(dims[i], t->ndim, &dim, err))
            return false;
        shift[dim] += shifts[i];
    }
    Tensor *to = from ? room(ctx, call, t, t->ndim, shape_of(t), NULL, err) : NULL;
    if (to && to->numel) {
        uint64_t corner, corners = 1, split = 0;
        int order[DIMS_MAX], pieces = 0;
        memcpy(strides, flat ? flat_strides : strides_of(to), sizeof(int64_t) * from->ndim);
        for (int d = 0; d < from->ndim; d++) {
            shift[d] = (shift[d] % shape_of(from)[d] + shape_of(from)[d]) % shape_of(from)[d];
            if (shift[d]) {
                order[pieces++] = d;
                split |= (uint64_t)1 << d;
                corners *= 2;
            }
        }
        for (corner = 0; corner < corners; corner++) {      /* each rolled dimension falls into two pieces */
            int64_t here = 0, there = 0;
            memcpy(shape, shape_of(from), sizeof(int64_t) * from->ndim);
            for (int k = 0; k < pieces; k++) {
                int d = order[k];
                bool tail = corner >> k & 1;
                shape[d] = tail ? shift[d] : shape_of(from)[d] - shift[d];
                here += (tail ? 0 : shift[d]) * strides[d];
                there += (tail ? shape_of(from)[d] - shift[d] : 0) * strides_of(from)[d];
            }
            move_block(to, here, strides, from, there, strides_of(from), from->ndim, shape);
        }
    }
    tensor_release(flat);
    return to != NULL;
}

/* ---- flipping and turning ----------------------------------------------------------------------------------- */
/* `to` has t's shape, and t's elements with the dims in `mask` from back to front. */
static void flip_into(const Tensor *to, const int64_t *to_strides, const Tensor *t, uint64_t mask)
{
    int64_t strides[DIMS_MAX], offset = 0;
    for (int d = 0; d < t->ndim; d++) {
        bool back = mask >> d & 1;
        strides[d] = back ? -strides_of(t)[d] : strides_of(t)[d];
        offset += back ? (shape_of(t)[d] - 1) * strides_of(t)[d] : 0;
    }
    if (t->numel)
        move_block(to, 0, to_strides, t, offset, strides, t->ndim, shape_of(t));
}

static bool flipped(Context *ctx, Call *call, Tensor *t, uint64_t mask, Err *err)
{
    int64_t strides[DIMS_MAX];
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    Tensor *to = room(ctx, call, t, t->ndim, shape_of(t), strides, err);
    if (to)
        flip_into(to, strides_of(to), t, t->ndim ? mask : 0);
    return to != NULL;
}

FORWARD(flip)
{
    SELF;
    int n;
    uint64_t mask;
    const int64_t *dims = call_ints(call, 1, &n);
    return shape_dims(dims, n, t->ndim, &mask, err) && flipped(ctx, call, t, mask, err);
}

FORWARD(fliplr)
{
    SELF;
    return t->ndim >= 2 ? flipped(ctx, call, t, 2, err)
                        : err_set(err, ERR_RUNTIME,
                                  "fliplr() needs a tensor with at least 2 dimensions, this one has %d",
                                      t->ndim);
}

FORWARD(flipud)
{
    SELF;
    return t->ndim >= 1 ? flipped(ctx, call, t, 1, err)
                        : err_set(err, ERR_RUNTIME, "flipud() needs a tensor with at least one dimension");
}

FORWARD(rot90)
{
    SELF;
    int n, a, b;
    static const int64_t first_two[2] = { 0, 1 };
    const int64_t *dims = call_ints(call, 2, &n);
    int64_t k = ((call_int(call, 1, 1) % 4) + 4) % 4, strides[DIMS_MAX], shape[DIMS_MAX];
    if (!dims) {
        dims = first_two;
        n = 2;
    }
    if (n != 2 || t->ndim < 2)
        return err_set(err, ERR_RUNTIME,
                       "rot90() turns two dimensions of a tensor with at least 2: %d dims given, the tensor has %d", n,
                       t->ndim);
    if (!shape_dim(dims[0], t->ndim, &a, err) || !shape_dim(dims[1], t->ndim, &b, err))
        return false;
    if (a == b)
        return err_set(err, ERR_RUNTIME,
                       "rot90() needs two dimensions that differ, dimension %d is given twice", a);
    if (k == 2)
        return flipped(ctx, call, t, (uint64_t)1 << a | (uint64_t)1 << b, err);
    if (k == 0)
        return call_take(call, copy_new(ctx, t, (DType)t->dtype, false, COPY_CLONE, err));
    shape_like(t->ndim, shape_of(t), strides_of(t), strides);
    memcpy(shape, shape_of(t), sizeof(int64_t) * t->ndim);
    shape[a] = shape_of(t)[b];          /* a flip, seen with the two dimensions exchanged */
    shape[b] = shape_of(t)[a];
    int64_t stride = strides[a];
    strides[a] = strides[b];
    strides[b] = stride;
    Tensor *to = room(ctx, call, t, t->ndim, shape, strides, err);
    if (!to)
        return false;
    memcpy(strides, strides_of(to), sizeof(int64_t) * t->ndim);
    strides[a] = strides_of(to)[b];
    strides[b] = strides_of(to)[a];
    flip_into(to, strides, t, (uint64_t)1 << (k == 1 ? b : a));
    return true;
}

/* ---- padding ------------------------------------------------------------------------------------------------ */
static bool pad_constant(Context *ctx, Call *call, Tensor *t, const int64_t *before, const int64_t *shape,
                         Number value, Err *err)
{
    int64_t block[DIMS_MAX], zeros[DIMS_MAX] = { 0 }, here = 0, there = 0;
    uint64_t bytes;
    bool any = true;
    if (!number_fits((DType)t->dtype, value))
        return err_set(err, ERR_RUNTIME, "pad(): the value %g cannot be represented as %s",
                       number_double(value), dtype_name((DType)t->dtype));
    Tensor *to = room(ctx, call, t, t->ndim, shape, NULL, err);
    if (!to)
        return false;
    number_store((DType)t->dtype, &bytes, value);
    move_elements(dtype_size((DType)t->dtype), to->ndim, shape, data_of(to), strides_of(to), (char *)&bytes,
                  zeros);
    for (int d = 0; d < t->ndim; d++) {
        int64_t from = before[d] < 0 ? -before[d] : 0, at = before[d] > 0 ? before[d] : 0;
        int64_t left = shape_of(t)[d] - from;
        block[d] = left < shape[d] - at ? left : shape[d] - at;
        any &= block[d] > 0;
        here += at * strides_of(to)[d];
        there += from * strides_of(t)[d];
    }
    if (any)
        move_block(to, here, strides_of(to), t, there, strides_of(t), t->ndim, block);
    return true;
}

/* The place along one dimension that place i of the padded one repeats. */
static int64_t mirror(char mode, int64_t i, int64_t size)
{
    if (i >= 0 && i < size)
        return i;
    if (mode == 'c')
        return (i % size + size) % size;
    if (mode == 'r')
        return i < 0 ? -i : 2 * (size - 1) - i;
    return i < 0 ? 0 : size - 1;
}

static bool pad_mirrored(Context *ctx, Call *call, Tensor *t, int padded, const int64_t *before,
                         const int64_t *shape, char mode, Err *err)
{
    int64_t at[DIMS_MAX] = { 0 };
    size_t size = dtype_size((DType)t->dtype);
    for (int d = t->ndim - padded; d < t->ndim; d++) {
        int64_t after = shape[d] - shape_of(t)[d] - before[d], most = shape_of(t)[d] - (mode == 'r');
        if (mode != 'p' && (before[d] > most || after > most))
            return err_set(err, ERR_RUNTIME,
                           "pad(): dimension %d with size %lld cannot be padded by %lld and %lld of its own elements", d,
                           (long long)shape_of(t)[d], (long long)before[d], (long long)after);
        if (shape_of(t)[d] == 0)
            return err_set(err, ERR_RUNTIME, "pad(): dimension %d has no elements to repeat", d);
    }
    Tensor *to = room(ctx, call, t, t->ndim, shape, NULL, err);
    if (!to)
        return false;
    for (int64_t i = 0; i < to->numel; i++) {
        int64_t from = 0;
        for (int d = 0; d < t->ndim; d++)
            from += mirror(mode, at[d] - before[d], shape_of(t)[d]) * strides_of(t)[d];
        memcpy(data_of(to) + (size_t)i * size, data_of(t) + from * (int64_t)size, size);
        for (int d = t->ndim - 1; d >= 0 && ++at[d] == shape[d]; d--)
            at[d] = 0;
    }
    return true;
}

FORWARD(pad)
{
    SELF;
    int n;
    const int64_t *pad = call_ints(call, 1, &n);
    int64_t before[DIMS_MAX] = { 0 }, shape[DIMS_MAX];
    const char *mode = call_has(call, 2) ? call->arg[2].str : "constant";
    Number value = { .kind = DKIND_INT, .i = 0 };
    if (call_has(call, 3))
        arg_kind_number(&call->arg[3], &value);
    if (n % 2 || n / 2 > t->ndim)
        return err_set(err, ERR_RUNTIME,
                       "pad() takes two numbers for each dimension, the last one first: %d numbers for %d dimension%s", n,
                       t->ndim, t->ndim == 1 ? "" : "s");
    for (int d = 0; d < t->ndim; d++) {
        int k = 2 * (t->ndim - 1 - d);
        before[d] = k < n ? pad[k] : 0;
        shape[d] = shape_of(t)[d] + before[d] + (k < n ? pad[k + 1] : 0);
        if (shape[d] < 0)
            return err_set(err, ERR_RUNTIME, "pad(): dimension %d with size %lld would have size %lld", d,
                           (long long)shape_of(t)[d],
                           (long long)shape[d]);
    }
    if (!strcmp(mode, "constant"))
        return pad_constant(ctx, call, t, before, shape, value, err);
    char how = !strcmp(mode, "reflect") ? 'r' : !strcmp(mode, "replicate") ? 'p' : !strcmp(mode, "circular")
        ? 'c' : 0;
    if (!how)
        return err_set(err, ERR_VALUE,
                       "pad(): mode is 'constant', 'reflect', 'replicate' or 'circular', not '%s'", mode);
    return pad_mirrored(ctx, call, t, n / 2, before, shape, how, err);
}
