/* index.c - x[…] and x[…] = value: elements between x, seen as pick.c read the index, and a result or a value. */
#include "tensor/pick.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/index.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define SELF Tensor *t = call->arg[0].tensor; (void)plan, (void)op

/* ---- reading ----------------------------------------------------------------------------------------------- */
/* -1, 1 or 0 (nothing to tell by): does dimension a come inside of b? By the strides of x, then of each index tensor. */
static int inside(const Picked *p, const int64_t *const *strides, int a, int b)
{
    for (int k = 0; k <= p->picks; k++) {
        int64_t in_a = strides[k][a], in_b = strides[k][b];
        if (in_a == 0 || in_b == 0)
            continue;
        if (in_a != in_b)
            return in_a < in_b ? -1 : 1;
        if (p->result[a] > p->result[b])
            return 1;
    }
    return 0;
}

/* Strides of an index tensor that is seen with the result's dimensions; 0 where it is broadcast. */
static void seen_strides(const Picked *p, const Pick *pick, int64_t *to)
{
    int64_t shape[DIMS_MAX], strides[DIMS_MAX], wide[DIMS_MAX];
    int lead = p->ndim - pick->ndim;
    for (int d = p->ndim - 1; d >= 0; d--) {
        bool same = d >= lead && pick->shape[d - lead] == p->shape[d];
        strides[d] = same ? pick->strides[d - lead] : d >= lead || p->shape[d] != 1 ? 0
            : shape[d + 1] * strides[d + 1];
        shape[d] = p->shape[d];
    }
    for (int d = 0; d < p->result_ndim; d++)
        wide[d] = d >= p->first && d < p->first + p->ndim ? p->shape[d - p->first] : 1;
    if (!shape_view(p->ndim, shape, strides, p->result_ndim, wide, to))
        shape_row_major(p->result_ndim, wide, to);
    for (int d = 0; d < p->result_ndim; d++)
        if (wide[d] == 1 && p->result[d] != 1)
            to[d] = 0;
}

/* The result keeps the order of dimensions that x and the index tensors have in memory, as element by element operations do. */
static bool result_strides(Context *ctx, const Picked *p, int64_t *result, Err *err)
{
    int n = p->result_ndim, order[DIMS_MAX];
    size_t row = sizeof(int64_t) * (size_t)(n + 1);
    int64_t *all = mem_new(ctx->heap, row * (size_t)(p->picks + 1));
    const int64_t *strides[DIMS_MAX + 1];
    if (!all)
        return err_memory(err, row * (size_t)(p->picks + 1));
    memset(all, 0, row * (size_t)(p->picks + 1));
    for (int k = 0; k <= p->picks; k++) {
        strides[k] = all + k * (n + 1);
        if (k > 0)
            seen_strides(p, &p->pick[k - 1], all + k * (n + 1));
        for (int d = 0; d < p->rest && k == 0; d++)
            all[d < p->first ? d : d + p->ndim] = p->rest_strides[d];
    }
    for (int d = 0; d < n; d++)
        order[d] = n - 1 - d;           /* innermost first */
    for (int i = 1; i < n; i++) {
        for (int at = i, k = i - 1; k >= 0; k--) {
            int which = inside(p, strides, order[k], order[at]);
            if (which < 0)
                break;
            if (which > 0) {
                int swap = order[k];
                order[k] = order[at];
                order[at] = swap;
                at = k;
            }
        }
    }
    bool row_major = true,
        only_picks = p->count == 0;          /* nothing but picked dimensions, and no elements */
    for (int i = 0; i < n; i++)
        row_major &= order[i] == n - 1 - i;
    for (int d = 0; d < p->rest; d++)
        only_picks &= p->rest_shape[d] == 1;
    int64_t step = 1;
    for (int i = 0; i < n; i++) {
        result[order[i]] = step;
        step *= p->result[order[i]];
    }
    if (row_major || only_picks)
        shape_row_major(n, p->result, result);
    mem_free(ctx->heap, all);
    return true;
}

typedef enum Way { READ, WRITE, ADD } Way;

static void add_element(DType dtype, char *to, const char *from)
{
    Number a = number_load(dtype, to), b = number_load(dtype, from);
    if (a.kind == DKIND_FLOAT)
        a.f += b.f;
    else if (a.kind == DKIND_INT)
        a.i += b.i;
    else
        a.b |= b.b;
    number_store(dtype, to, a);
}

static void add_all(DType dtype, int n, const int64_t *shape, char *to, const int64_t *a, const char *from,
                    const int64_t *b)
{
    int64_t size = (int64_t)dtype_size(dtype);
    if (n == 0) {
        add_element(dtype, to, from);
        return;
    }
    for (int64_t i = 0; i < shape[0]; i++)
        add_all(dtype, n - 1, shape + 1, to + i * a[0] * size, a + 1, from + i * b[0] * size, b + 1);
}

/* Single elements, where the positions follow each other in `other` with one step. */
#define SINGLES(type)                                                                   \
    do {                                                                                \
        type *here = (type *)data_of(&p->part.t), *there = (type *)other;               \
        if (way == READ)                                                                \
            for (int64_t b = 0; b < p->count; b++, there += step)                       \
                *there = here[p->offset[b]];                                            \
        else                                                                            \
            for (int64_t b = 0; b < p->count; b++, there += step)                       \
                here[p->offset[b]] = *there;                                            \
    } while (0)

static bool transfer_singles(const Picked *p, Way way, char *other, const int64_t *along)
{
    int64_t step = p->ndim ? along[p->ndim - 1] : 0;
    for (int d = p->ndim - 1; d > 0; d--)
        if (along[d - 1] != along[d] * p->shape[d])
            return false;
    switch (dtype_size((DType)p->part.t.dtype)) {
    case 1: SINGLES(uint8_t); break;
    case 2: SINGLES(uint16_t); break;
    case 4: SINGLES(uint32_t); break;
    default: SINGLES(uint64_t);
    }
    return true;
}

/* Elements between the part and `other`, which is laid out as the result with these strides. */
static void transfer(const Picked *p, Way way, char *other, const int64_t *strides)
{
    const Tensor *part = &p->part.t;
    DType dtype = (DType)part->dtype;
    int64_t size = (int64_t)dtype_size(dtype), at[DIMS_MAX] = { 0 }, rest[DIMS_MAX], numel = 1;
    const int64_t *along = strides + p->first;
    memcpy(rest, strides, sizeof(int64_t) * (size_t)p->first);
    memcpy(rest + p->first, strides + p->first + p->ndim, sizeof(int64_t) * (size_t)(p->rest - p->first));
    for (int d = 0; d < p->rest; d++)
        numel *= p->rest_shape[d];
    if (way != ADD && numel == 1 && transfer_singles(p, way, other, along))
        return;
    for (int64_t b = 0; b < p->count && numel; b++) {
        char *here = data_of(part) + p->offset[b] * size;
        if (way == ADD)
            add_all(dtype, p->rest, p->rest_shape, here, p->rest_strides, other, rest);
        else if (numel == 1)
            memcpy(way == READ ? other : here, way == READ ? here : other, (size_t)size);
        else if (way == READ)
            move_elements((size_t)size, p->rest, p->rest_shape, other, rest, here, p->rest_strides);
        else
            move_elements((size_t)size, p->rest, p->rest_shape, here, p->rest_strides, other, rest);
        for (int d = p->ndim - 1; d >= 0; d--) {
            other += along[d] * size;
            if (++at[d] < p->shape[d])
                break;
            other -= along[d] * p->shape[d] * size;
            at[d] = 0;
        }
    }
}

/* An event of its own: elements of one storage came into another by index tensors. */
static void report_copy(Context *ctx, OpId id, const Tensor *from, const Tensor *to)
{
    if (!ctx->heap->record)
        return;
    Event *event = record_add(ctx->heap->record, EVENT_COPY);
    event->op = (uint16_t)id;
    event->dtype = event->from_dtype = to->dtype;
    event->storage = to->storage->head.serial;
    event->other = from->storage->head.serial;
    event->bytes = to->numel * (int64_t)dtype_size((DType)to->dtype);
    event->reason = COPY_INDEXING;
}

FORWARD(index)
{
    SELF;
    Picked p;
    int64_t strides[DIMS_MAX];
    bool ok = picked_read(ctx, &p, t, &call->arg[1], err);
    if (ok && p.picks == 0) {
        Tensor *part = &p.part.t;
        ok = call_take(call, tensor_new_view(ctx, t, part->ndim, shape_of(part), strides_of(part),
                                             part->offset, err));
    } else if (ok) {
        ok = result_strides(ctx, &p, strides, err)
          && call_take(call, tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, p.result_ndim,
                                              p.result, strides, err));
        if (ok) {
            transfer(&p, READ, data_of(call->out[0]), strides);
            report_copy(ctx, op, t, call->out[0]);
        }
    }
    picked_free(ctx, &p);
    return ok;
}

/* ---- writing ----------------------------------------------------------------------------------------------- */
/* A number as `dtype` in `bytes`; RuntimeError where it cannot be represented. */
static bool encode(DType dtype, Number number, void *bytes, Err *err)
{
    if (!number_fits(dtype, number)) {
        if (number.kind == DKIND_FLOAT)
            return err_set(err, ERR_RUNTIME, "%g cannot be represented as %s", number.f, dtype_name(dtype));
        return err_set(err, ERR_RUNTIME, "%lld cannot be represented as %s", (long long)number_int(number),
                       dtype_name(dtype));
    }
    number_store(dtype, bytes, number);
    return true;
}

/* May t be written at all? Elements that share a byte matter only to whoever copies different values into them. */
static bool writable(Context *ctx, OpId id, const Tensor *t, bool distinct, Err *err)
{
    Part point;
    if (distinct)
        part_whole(&point, t);
    else
        part_dims(&point, t, 0, NULL, NULL, t->offset);
    return inplace_check(ctx, id, &point.t, err);
}

/* `value` without leading ones that the place has no dimensions for; RuntimeError where it does not broadcast to it. */
static bool fit_value(Part *part, const Tensor *value, int n, const int64_t *shape, Err *err)
{
    int skip = 0;
    while (value->ndim - skip > n && shape_of(value)[skip] == 1)
        skip++;
    part_dims(part, value, value->ndim - skip, shape_of(value) + skip, strides_of(value) + skip,
              value->offset);
    bool fits = part->t.ndim <= n;
    for (int d = 1; fits && d <= part->t.ndim; d++) {
        int64_t size = shape_of(&part->t)[part->t.ndim - d];
        fits = size == 1 || size == shape[n - d];
    }
    if (fits)
        return true;
    char a[200], b[200];
    shape_print_to(a, sizeof a, value->ndim, shape_of(value));
    shape_print_to(b, sizeof b, n, shape);
    return err_set(err, ERR_RUNTIME, "a value of shape %s cannot be written to a place of shape %s", a, b);
}

static bool put_basic(Context *ctx, OpId id, Picked *p, const Arg *value, bool add, Err *err)
{
    Tensor *place = &p->part.t;
    Part part;
    if (value->kind == ARG_TENSOR) {
        if (!writable(ctx, id, place, true, err) || !fit_value(&part, value->tensor, place->ndim,
                                                               shape_of(place), err)
            || (part.t.numel == place->numel && !inplace_check_overlap(place, &part.t, err)))
            return false;
        if (add) {
            int64_t shape[DIMS_MAX], strides[DIMS_MAX];
            if (part.t.dtype != place->dtype)
                return err_set(err, ERR_RUNTIME,
                               "index_put_() adds values of the tensor's own dtype %s, not %s",
                               dtype_name((DType)place->dtype), dtype_name((DType)part.t.dtype));
            expand_dims(&part.t, place->ndim, shape_of(place), shape, strides, err);
            add_all((DType)place->dtype, place->ndim, shape, data_of(place), strides_of(place),
                    data_of(&part.t), strides);
        } else if (!copy_elements(ctx, place, &part.t, COPY_ASSIGN, err)) {
            return false;
        }
    } else {
        uint64_t bytes;
        Number number;
        int64_t zeros[DIMS_MAX] = { 0 };
        arg_kind_number(value, &number);
        if (!writable(ctx, id, place, false, err) || !encode((DType)place->dtype, number, &bytes, err))
            return false;
        if (add)
            add_all((DType)place->dtype, place->ndim, shape_of(place), data_of(place), strides_of(place),
                    (char *)&bytes, zeros);
        else if (!fill_elements(ctx, place, number, err))
            return false;
    }
    inplace_done(ctx, id, place);
    return true;
}

static bool only_mask(const Picked *p)
{
    int used = 0;
    for (int i = 0; i < p->slots; i++)
        used += p->slot[i] != NULL;
    return used == 1 && p->masks == 1;
}

static bool put_picked(Context *ctx, OpId id, Picked *p, const Arg *value, bool add, Err *err)
{
    Tensor *place = &p->part.t;
    Part part;
    uint64_t bytes = 0;
    Number number;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX] = { 0 };
    char *from = (char *)&bytes;
    if (!writable(ctx, id, place, false, err))
        return false;
    if (value->kind == ARG_TENSOR && value->tensor->numel == 1 && only_mask(p) && !add) {
        number = number_load((DType)value->tensor->dtype,
                             data_of(value->tensor));      /* a mask takes one value of any dtype */
        number_store((DType)place->dtype, &bytes, number);
    } else if (value->kind == ARG_TENSOR) {
        if (value->tensor->dtype != place->dtype)
            return err_set(err, ERR_RUNTIME,
                           "values of dtype %s cannot be written by index tensors into a tensor of %s",
                           dtype_name((DType)value->tensor->dtype), dtype_name((DType)place->dtype))
                || err_hint(err, "to() converts them: value.to(torch.%s)", dtype_name((DType)place->dtype));
        if (!fit_value(&part, value->tensor, p->result_ndim, p->result, err)
            || !inplace_check_apart(place, value->tensor, err)
            || !expand_dims(&part.t, p->result_ndim, p->result, shape, strides, err))
            return false;
        from = data_of(&part.t);
    } else {
        arg_kind_number(value, &number);
        if (!encode((DType)place->dtype, number, &bytes, err))
            return false;
    }
    transfer(p, add ? ADD : WRITE, from, strides);
    inplace_done(ctx, id, place);
    return true;
}

static bool put(Context *ctx, OpId id, Tensor *t, const Arg *index, const Arg *value, bool add, Err *err)
{
    Picked p;
    IndexItem none = { .kind = INDEX_NONE };
    Arg item = { .kind = ARG_INDEX, .n = 1, .index = &none };
    if (index->n == 1 && index->index[0].kind == INDEX_BOOL) {  /* x[False] = v does nothing, x[True] = v writes all of x */
        if (!index->index[0].flag)
            return true;
        index = &item;
    }
    bool ok = picked_read(ctx, &p, t, index, err)
           && (p.picks ? put_picked(ctx, id, &p, value, add, err) : put_basic(ctx, id, &p, value, add, err));
    picked_free(ctx, &p);
    return ok;
}

FORWARD(index_put_)
{
    SELF;
    return put(ctx, op, t, &call->arg[1], &call->arg[2], call_bool(call, 3, false), err) && call_take(call,
            tensor_retain(t));
}

FORWARD(index_put)
{
    SELF;
    if (call->inplace)
        return forward_index_put_(ctx, op, call, plan, err);
    Tensor *copy = copy_like(ctx, t, err);
    if (!call_take(call, copy) || !put(ctx, op, copy, &call->arg[1], &call->arg[2], call_bool(call, 3, false), err))
        return false;
    copy->version->writes = 0;                          /* written as it was made */
    return true;
}
