/*
 * index.c - x[…] and x[…] = value.
 * Ints, slices, None and Ellipsis only move a Part: what they leave is a view. Tensors among them pick positions:
 * their dimensions are replaced by the shape that the index tensors broadcast to, at the place of the first one where
 * they stand side by side, in front otherwise.
 */
#include "tensor/index.h"

#define OP(id, name, forms, signature, result, dtype, shape, forward, grad) \
    bool forward_##forward(Context *ctx, OpId op, Call *call, Plan *plan, Err *err);
#include "tensor/ops/index.def"
#undef OP
#define FORWARD(name) bool forward_##name(Context *ctx, OpId op, Call *call, Plan *plan, Err *err)
#define SELF Tensor *t = call->arg[0].tensor; (void)plan, (void)op

typedef struct Pick {                   /* one dimension and the positions picked along it */
    int      dim, ndim;                 /* of the part; of the index */
    const int64_t *shape, *strides;     /* of the index tensor; its positions in `at` are row-major */
    int64_t *at;                        /* owned by the first of the dimensions of a mask */
    int64_t  count;                     /* of a mask: its shape */
    bool     owned;
} Pick;

typedef struct Picked {
    Part     part;                      /* x after ints, slices and None */
    int      slots;
    const IndexItem *slot[DIMS_MAX];    /* what picks along a dimension of it; NULL: all is kept. A mask needs one slot */
    int      picks, masks;
    Pick     pick[DIMS_MAX];
    int      ndim, first;               /* of the broadcast index; where it stands in the result */
    int64_t  shape[DIMS_MAX], count;
    int64_t *offset;                    /* owned: for each position the elements to go from the part's start */
    int      rest;                      /* dimensions of the part that are kept */
    int64_t  rest_shape[DIMS_MAX], rest_strides[DIMS_MAX];
    int      result_ndim;
    int64_t  result[DIMS_MAX];
} Picked;

static const int64_t one_stride = 1, true_at = 0;

bool index_dtype(DType dtype)
{
    return dtype_kind(dtype) == DKIND_INT && dtype != DT_U8;
}

/* Visits the elements of t in row-major order: `next` is called with each address. */
typedef struct Walk { const Tensor *t; const char *at; int64_t index[DIMS_MAX]; } Walk;

static void walk_begin(Walk *walk, const Tensor *t)
{
    walk->t = t;
    walk->at = data_of(t);
    memset(walk->index, 0, sizeof(int64_t) * (size_t)(t->ndim + 1 < DIMS_MAX ? t->ndim + 1 : DIMS_MAX));
}

static void walk_next(Walk *walk, int64_t size)
{
    const Tensor *t = walk->t;
    for (int d = t->ndim - 1; d >= 0; d--) {
        walk->at += strides_of(t)[d] * size;
        if (++walk->index[d] < shape_of(t)[d])
            return;
        walk->at -= strides_of(t)[d] * shape_of(t)[d] * size;
        walk->index[d] = 0;
    }
}

int64_t *index_values(Context *ctx, const Tensor *t, int64_t size, int dim, bool wrap, Err *err)
{
    Walk walk;
    int64_t *at = mem_new(ctx->heap, sizeof *at * (size_t)(t->numel + 1)), bytes = (int64_t)dtype_size((DType)t->dtype);
    if (!at) {
        err_memory(err, sizeof *at * (size_t)(t->numel + 1));
        return NULL;
    }
    if (t->numel)
        walk_begin(&walk, t);
    for (int64_t i = 0; i < t->numel; i++) {
        int64_t k = t->dtype == DT_I64 ? *(const int64_t *)walk.at : number_int(number_load((DType)t->dtype, walk.at));
        if (k < (wrap ? -size : 0) || k >= size) {
            err_set(err, ERR_INDEX, "index %lld is out of range for dimension %d with size %lld", (long long)k, dim, (long long)size);
            mem_free(ctx->heap, at);
            return NULL;
        }
        at[i] = k < 0 ? k + size : k;
        walk_next(&walk, bytes);
    }
    return at;
}

static bool is_true(DType dtype, const char *at)
{
    switch (dtype_size(dtype)) {
    case 1: return *(const uint8_t *)at != 0;
    case 2: return dtype == DT_I16 ? *(const uint16_t *)at != 0 : (*(const uint16_t *)at & 0x7fff) != 0;
    case 4: return dtype == DT_F32 ? *(const float *)at != 0 : *(const uint32_t *)at != 0;
    default: return dtype == DT_F64 ? *(const double *)at != 0 : *(const uint64_t *)at != 0;
    }
}

int64_t *index_true(Context *ctx, const Tensor *mask, int64_t *count, Err *err)
{
    Walk walk;
    int64_t bytes = (int64_t)dtype_size((DType)mask->dtype), n = 0, k = 0, numel = mask->numel;
    if (numel)
        walk_begin(&walk, mask);
    for (int64_t i = 0; i < numel; i++, walk_next(&walk, bytes))
        n += is_true((DType)mask->dtype, walk.at);
    size_t size = sizeof(int64_t) * (size_t)(n * mask->ndim + 1);
    int64_t *at = mem_new(ctx->heap, size);
    if (!at) {
        err_memory(err, size);
        return NULL;
    }
    if (numel)
        walk_begin(&walk, mask);
    for (int64_t i = 0; i < numel; i++, walk_next(&walk, bytes)) {
        if (!is_true((DType)mask->dtype, walk.at))
            continue;
        for (int d = 0; d < mask->ndim; d++)
            at[d * n + k] = walk.index[d];
        k++;
    }
    *count = n;
    return at;
}

/* ---- from items to a Part and picks ------------------------------------------------------------------------ */
static void picked_free(Context *ctx, Picked *p)
{
    for (int i = 0; i < p->picks; i++)
        if (p->pick[i].owned)
            mem_free(ctx->heap, p->pick[i].at);
    mem_free(ctx->heap, p->offset);
}

static bool part_insert(Part *part, int dim, Err *err)
{
    Tensor *t = &part->t;
    int64_t shape[DIMS_MAX + 1], strides[DIMS_MAX + 1];
    if (!ndim_fits(t->ndim + 1, err))
        return false;
    for (int d = 0, from = 0; d <= t->ndim; d++) {
        shape[d] = d == dim ? 1 : shape_of(t)[from];
        strides[d] = d != dim ? strides_of(t)[from++] : dim < t->ndim ? shape_of(t)[dim] * strides_of(t)[dim] : 1;
    }
    part_dims(part, t, t->ndim + 1, shape, strides, t->offset);
    return true;
}

static bool part_select(Part *part, int dim, int axis, int64_t index, Err *err)
{
    Tensor *t = &part->t;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX], size = shape_of(t)[dim];
    if (index < -size || index >= size)
        return err_set(err, ERR_INDEX, "index %lld is out of range for dimension %d with size %lld", (long long)index, axis,
                       (long long)size);
    int64_t offset = t->offset + (index < 0 ? index + size : index) * strides_of(t)[dim];
    for (int d = 0, to = 0; d < t->ndim; d++) {
        if (d == dim)
            continue;
        shape[to] = shape_of(t)[d];
        strides[to++] = strides_of(t)[d];
    }
    part_dims(part, t, t->ndim - 1, shape, strides, offset);
    return true;
}

static bool is_mask(const IndexItem *item)
{
    return item->kind == INDEX_TENSOR && (item->tensor->dtype == DT_BOOL || item->tensor->dtype == DT_U8);
}

static int consumed(const IndexItem *item)     /* how many dimensions of x an item speaks of */
{
    switch (item->kind) {
    case INDEX_INT: case INDEX_SLICE: return 1;
    case INDEX_TENSOR: return is_mask(item) ? item->tensor->ndim : 1;
    default: return 0;
    }
}

static Pick *add_pick(Picked *p, int dim, Err *err)
{
    if (p->picks == DIMS_MAX) {
        err_set(err, ERR_INDEX, "too many index tensors");
        return NULL;
    }
    Pick *pick = &p->pick[p->picks++];
    *pick = (Pick){ .dim = dim };
    return pick;
}

static bool pick_bool(Picked *p, int dim, bool flag, Err *err)
{
    Pick *pick = add_pick(p, dim, err);
    if (!pick)
        return false;
    pick->ndim = 1;
    pick->count = flag;
    pick->shape = &pick->count;
    pick->strides = &one_stride;
    pick->at = (int64_t *)&true_at;
    return true;
}

static bool pick_mask(Context *ctx, Picked *p, int *dim, const Tensor *mask, Err *err)
{
    const Tensor *t = &p->part.t;
    for (int d = 0; d < mask->ndim; d++) {
        if (*dim + d < t->ndim && shape_of(mask)[d] == shape_of(t)[*dim + d])
            continue;
        char a[200], b[200];
        shape_print_to(a, sizeof a, mask->ndim, shape_of(mask));
        shape_print_to(b, sizeof b, t->ndim, shape_of(t));
        return err_set(err, ERR_INDEX, "a mask of shape %s does not fit dimension %d and those behind it of a tensor of shape %s", a, *dim, b);
    }
    int64_t count, *at = index_true(ctx, mask, &count, err);
    if (!at)
        return false;
    for (int d = 0; d < mask->ndim; d++) {
        Pick *pick = add_pick(p, (*dim)++, err);
        if (!pick) {
            if (d == 0)
                mem_free(ctx->heap, at);
            return false;
        }
        pick->ndim = 1;
        pick->count = count;
        pick->shape = &pick->count;
        pick->strides = &one_stride;
        pick->at = at + d * count;
        pick->owned = d == 0;
    }
    p->masks++;
    return true;
}

/* Ints, slices and None are done at once; what picks by tensors waits in a slot until all dimensions are known. */
static bool pick_item(Picked *p, const IndexItem *item, int *dim, int axis, Err *err)
{
    Part *part = &p->part;
    const Tensor *index = item->tensor;
    int64_t start = item->start, stop = item->stop;
    bool flag = item->kind == INDEX_BOOL || (is_mask(item) && index->ndim == 0);
    switch (item->kind) {
    case INDEX_INT:
        return part_select(part, *dim, axis, item->start, err);
    case INDEX_SLICE:
        if (item->step <= 0)
            return err_set(err, ERR_VALUE, "the step of a slice of a tensor must be greater than 0, but it is %lld", (long long)item->step)
                || err_hint(err, "flip() gives the elements in reverse, as a copy");
        slice_bounds(shape_of(&part->t)[*dim], item->has_start, &start, item->has_stop, &stop);
        part_narrow(part, (*dim)++, start, (stop - start) / item->step + ((stop - start) % item->step != 0), item->step);
        return true;
    case INDEX_NONE:
        return part_insert(part, (*dim)++, err);
    case INDEX_ELLIPSIS:
        return true;
    default:
        if (!flag && !is_mask(item) && !index_dtype((DType)index->dtype))
            return err_set(err, ERR_INDEX, "a tensor used as index must hold integers or bools, not %s", dtype_name((DType)index->dtype));
        if (!flag && index->ndim == 0)
            return part_select(part, *dim, axis, number_int(number_load((DType)index->dtype, data_of(index))), err);
        if (flag && !part_insert(part, *dim, err))
            return false;
        while (p->slots < *dim)
            p->slot[p->slots++] = NULL;
        p->slot[p->slots++] = item;
        ++*dim;
        return true;
    }
}

static bool pick_positions(Context *ctx, Picked *p, int dim, const Tensor *index, Err *err)
{
    if (dim >= p->part.t.ndim)
        return err_set(err, ERR_INDEX, "too many indices for a tensor with %d dimensions", p->part.t.ndim);
    int64_t *at = index_values(ctx, index, shape_of(&p->part.t)[dim], dim, true, err);
    Pick *pick = at ? add_pick(p, dim, err) : NULL;
    if (!pick) {
        mem_free(ctx->heap, at);
        return false;
    }
    pick->ndim = index->ndim;
    pick->shape = shape_of(index);
    pick->strides = strides_of(index);
    pick->at = at;
    pick->owned = true;
    return true;
}

/* A mask takes as many dimensions as it has, which moves the slots behind it. */
static bool pick_slots(Context *ctx, Picked *p, Err *err)
{
    int dim = 0;
    for (int i = 0; i < p->slots; i++) {
        const IndexItem *item = p->slot[i];
        bool ok = true;
        if (!item)
            dim++;
        else if (item->kind == INDEX_BOOL || item->tensor->ndim == 0)
            ok = pick_bool(p, dim++, item->kind == INDEX_BOOL ? item->flag : is_true((DType)item->tensor->dtype, data_of(item->tensor)), err);
        else if (is_mask(item))
            ok = pick_mask(ctx, p, &dim, item->tensor, err);
        else
            ok = pick_positions(ctx, p, dim++, item->tensor, err);
        if (!ok)
            return false;
    }
    return true;
}

/* The shape that the index tensors have in common, and for each of its positions how far to go. */
static bool join_picks(Context *ctx, Picked *p, Err *err)
{
    int64_t so_far[DIMS_MAX];
    for (int i = 0; i < p->picks; i++) {
        Pick *pick = &p->pick[i];
        int before = p->ndim;
        memcpy(so_far, p->shape, sizeof(int64_t) * (size_t)before);
        if (!shape_broadcast(before, so_far, pick->ndim, pick->shape, &p->ndim, p->shape, err)) {
            char a[200], b[200];
            shape_print_to(a, sizeof a, before, so_far);
            shape_print_to(b, sizeof b, pick->ndim, pick->shape);
            return err_set(err, ERR_INDEX, "index tensors of shapes %s and %s do not broadcast to one shape", a, b);
        }
    }
    p->count = 1;
    for (int d = 0; d < p->ndim; d++)
        p->count *= p->shape[d];
    p->offset = mem_new(ctx->heap, sizeof(int64_t) * (size_t)(p->count + 1));
    if (!p->offset)
        return err_memory(err, sizeof(int64_t) * (size_t)(p->count + 1));
    memset(p->offset, 0, sizeof(int64_t) * (size_t)p->count);
    for (int i = 0; i < p->picks && p->count; i++) {
        const Pick *pick = &p->pick[i];
        int64_t step[DIMS_MAX], at[DIMS_MAX] = { 0 }, dense = 1, from = 0, scale = strides_of(&p->part.t)[pick->dim];
        for (int d = p->ndim - 1; d >= 0; d--) {
            int k = d - (p->ndim - pick->ndim);
            step[d] = k < 0 || pick->shape[k] == 1 ? 0 : dense;
            dense *= k < 0 ? 1 : pick->shape[k];
        }
        for (int64_t b = 0; b < p->count; b++) {
            p->offset[b] += pick->at[from] * scale;
            for (int d = p->ndim - 1; d >= 0; d--) {
                from += step[d];
                if (++at[d] < p->shape[d])
                    break;
                from -= step[d] * p->shape[d];
                at[d] = 0;
            }
        }
    }
    return true;
}

static bool lay_out(Picked *p, Err *err)
{
    const Tensor *part = &p->part.t;
    int first = p->pick[0].dim, last = p->pick[p->picks - 1].dim, k = 0;
    p->first = last - first + 1 == p->picks ? first : 0;
    if (!ndim_fits(part->ndim - p->picks + p->ndim, err))
        return false;
    for (int d = 0; d < part->ndim; d++) {
        if (k < p->picks && p->pick[k].dim == d) {
            k++;
            continue;
        }
        p->rest_shape[p->rest] = shape_of(part)[d];
        p->rest_strides[p->rest++] = strides_of(part)[d];
    }
    memcpy(p->result, p->rest_shape, sizeof(int64_t) * (size_t)p->first);
    memcpy(p->result + p->first, p->shape, sizeof(int64_t) * (size_t)p->ndim);
    memcpy(p->result + p->first + p->ndim, p->rest_shape + p->first, sizeof(int64_t) * (size_t)(p->rest - p->first));
    p->result_ndim = p->rest + p->ndim;
    return shape_numel(p->result_ndim, p->result, err) >= 0;
}

static bool pick_all(Context *ctx, Picked *p, Tensor *t, const Arg *index, Err *err)
{
    int dim = 0, axis = 0, spoken = 0;
    bool ellipsis = false;
    p->picks = p->masks = p->ndim = p->rest = p->slots = 0;
    p->offset = NULL;
    part_whole(&p->part, t);
    for (int i = 0; i < index->n; i++)
        spoken += consumed(&index->index[i]);
    if (spoken > t->ndim) {
        if (t->ndim == 0)
            return err_set(err, ERR_INDEX, "a tensor without dimensions cannot be indexed")
                || err_hint(err, "item() gives its number");
        return err_set(err, ERR_INDEX, "too many indices: %d for a tensor with %d dimension%s", spoken, t->ndim, t->ndim == 1 ? "" : "s");
    }
    for (int i = 0; i < index->n; i++) {
        const IndexItem *item = &index->index[i];
        if (item->kind == INDEX_ELLIPSIS && !ellipsis) {
            ellipsis = true;
            dim += t->ndim - spoken;
            axis += t->ndim - spoken;
        } else if (!pick_item(p, item, &dim, axis, err)) {
            return false;
        }
        axis += consumed(item);
    }
    return pick_slots(ctx, p, err) && (p->picks == 0 || (join_picks(ctx, p, err) && lay_out(p, err)));
}

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
        strides[d] = same ? pick->strides[d - lead] : d >= lead || p->shape[d] != 1 ? 0 : shape[d + 1] * strides[d + 1];
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
    int64_t step = 1;
    for (int i = 0; i < n; i++) {
        result[order[i]] = step;
        step *= p->result[order[i]];
    }
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

static void add_all(DType dtype, int n, const int64_t *shape, char *to, const int64_t *a, const char *from, const int64_t *b)
{
    int64_t size = (int64_t)dtype_size(dtype);
    if (n == 0) {
        add_element(dtype, to, from);
        return;
    }
    for (int64_t i = 0; i < shape[0]; i++)
        add_all(dtype, n - 1, shape + 1, to + i * a[0] * size, a + 1, from + i * b[0] * size, b + 1);
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
    bool ok = pick_all(ctx, &p, t, &call->arg[1], err);
    if (ok && p.picks == 0) {
        Tensor *part = &p.part.t;
        ok = call_take(call, tensor_new_view(ctx, t, part->ndim, shape_of(part), strides_of(part), part->offset, err));
    } else if (ok) {
        ok = result_strides(ctx, &p, strides, err)
          && call_take(call, tensor_new_dense(ctx, (DType)t->dtype, t->storage->device, p.result_ndim, p.result, strides, err));
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
        return err_set(err, ERR_RUNTIME, "%lld cannot be represented as %s", (long long)number_int(number), dtype_name(dtype));
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
    part_dims(part, value, value->ndim - skip, shape_of(value) + skip, strides_of(value) + skip, value->offset);
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
        if (!writable(ctx, id, place, true, err) || !fit_value(&part, value->tensor, place->ndim, shape_of(place), err)
            || !inplace_check_overlap(place, &part.t, err))
            return false;
        if (add) {
            int64_t shape[DIMS_MAX], strides[DIMS_MAX];
            if (part.t.dtype != place->dtype)
                return err_set(err, ERR_RUNTIME, "index_put_() adds values of the tensor's own dtype %s, not %s",
                               dtype_name((DType)place->dtype), dtype_name((DType)part.t.dtype));
            expand_dims(&part.t, place->ndim, shape_of(place), shape, strides, err);
            add_all((DType)place->dtype, place->ndim, shape, data_of(place), strides_of(place), data_of(&part.t), strides);
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
            add_all((DType)place->dtype, place->ndim, shape_of(place), data_of(place), strides_of(place), (char *)&bytes, zeros);
        else if (!fill_elements(ctx, place, number, err))
            return false;
    }
    inplace_done(ctx, id, place);
    return true;
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
    if (value->kind == ARG_TENSOR && value->tensor->numel == 1 && value->tensor->dtype != place->dtype && p->masks && !add) {
        number = number_load((DType)value->tensor->dtype, data_of(value->tensor));      /* a mask takes one value of any dtype */
        number_store((DType)place->dtype, &bytes, number);
    } else if (value->kind == ARG_TENSOR) {
        if (value->tensor->dtype != place->dtype)
            return err_set(err, ERR_RUNTIME, "values of dtype %s cannot be written by index tensors into a tensor of %s",
                           dtype_name((DType)value->tensor->dtype), dtype_name((DType)place->dtype))
                || err_hint(err, "to() converts them: value.to(torch.%s)", dtype_name((DType)place->dtype));
        if (!fit_value(&part, value->tensor, p->result_ndim, p->result, err) || !inplace_check_overlap(place, value->tensor, err)
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
    bool ok = pick_all(ctx, &p, t, index, err)
           && (p.picks ? put_picked(ctx, id, &p, value, add, err) : put_basic(ctx, id, &p, value, add, err));
    picked_free(ctx, &p);
    return ok;
}

FORWARD(index_put_)
{
    SELF;
    return put(ctx, op, t, &call->arg[1], &call->arg[2], call_bool(call, 3, false), err) && call_take(call, tensor_retain(t));
}

FORWARD(index_put)
{
    SELF;
    if (call->inplace)
        return forward_index_put_(ctx, op, call, plan, err);
    Tensor *copy = copy_new(ctx, t, (DType)t->dtype, true, COPY_CLONE, err);
    return call_take(call, copy) && put(ctx, op, copy, &call->arg[1], &call->arg[2], call_bool(call, 3, false), err);
}
