/*
 * pick.c - reads an index x[…].
 * Ints, slices, None and Ellipsis only move a Part: what they leave is a view. Tensors among them pick positions:
 * their dimensions are replaced by the shape that the index tensors broadcast to,
     at the place of the first one where
 * they stand side by side, in front otherwise.
 */
#include "tensor/pick.h"

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
    int64_t *at = mem_new(ctx->heap, sizeof *at * (size_t)(t->numel + 1)),
        bytes = (int64_t)dtype_size((DType)t->dtype);
    if (!at) {
        err_memory(err, sizeof *at * (size_t)(t->numel + 1));
        return NULL;
    }
    int64_t done = 0;
    if (t->dtype == DT_I64 && tensor_is_contiguous(t))  /* until one is out of range: the loop below says so */
        for (const int64_t *from = (const int64_t *)data_of(t); done < t->numel; done++) {
            int64_t k = from[done];
            if (k < (wrap ? -size : 0) || k >= size)
                break;
            at[done] = k < 0 ? k + size : k;
        }
    if (t->numel && done < t->numel) {
        walk_begin(&walk, t);
        done = 0;
    }
    for (int64_t i = done; i < t->numel; i++) {
        int64_t k = t->dtype == DT_I64 ? *(const int64_t *)walk.at : number_int(number_load((DType)t->dtype,
                walk.at));
        if (k < (wrap ? -size : 0) || k >= size) {
            err_set(err, ERR_INDEX, "index %lld is out of range for dimension %d with size %lld",
                    (long long)k, dim, (long long)size);
            mem_free(ctx->heap, at);
            return NULL;
        }
        at[i] = k < 0 ? k + size : k;
        walk_next(&walk, bytes);
    }
    return at;
}

bool index_is_true(DType dtype, const char *at)
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
        n += index_is_true((DType)mask->dtype, walk.at);
    size_t size = sizeof(int64_t) * (size_t)(n * mask->ndim + 1);
    int64_t *at = mem_new(ctx->heap, size);
    if (!at) {
        err_memory(err, size);
        return NULL;
    }
    if (numel)
        walk_begin(&walk, mask);
    for (int64_t i = 0; i < numel; i++, walk_next(&walk, bytes)) {
        if (!index_is_true((DType)mask->dtype, walk.at))
            continue;
        for (int d = 0; d < mask->ndim; d++)
            at[d * n + k] = walk.index[d];
        k++;
    }
    *count = n;
    return at;
}

/* ---- from items to a Part and picks ------------------------------------------------------------------------ */
void picked_free(Context *ctx, Picked *p)
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
        strides[d] = d != dim ? strides_of(t)[from++] : dim < t->ndim ? shape_of(t)[dim] * strides_of(t)[dim]
            : 1;
    }
    part_dims(part, t, t->ndim + 1, shape, strides, t->offset);
    return true;
}

static bool part_select(Part *part, int dim, int axis, int64_t index, Err *err)
{
    Tensor *t = &part->t;
    int64_t shape[DIMS_MAX], strides[DIMS_MAX], size = shape_of(t)[dim];
    if (index < -size || index >= size)
        return err_set(err, ERR_INDEX, "index %lld is out of range for dimension %d with size %lld",
                       (long long)index, axis,
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
        return err_set(err, ERR_INDEX,
                       "a mask of shape %s does not fit dimension %d and those behind it of a tensor of shape %s", a, *dim, b);
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
            return err_set(err, ERR_VALUE,
                           "the step of a slice of a tensor must be greater than 0, but it is %lld",
                               (long long)item->step)
                || err_hint(err, "flip() gives the elements in reverse, as a copy");
        slice_bounds(shape_of(&part->t)[*dim], item->has_start, &start, item->has_stop, &stop);
        part_narrow(part, (*dim)++, start, (stop - start) / item->step + ((stop - start) % item->step != 0),
                    item->step);
        return true;
    case INDEX_NONE:
        return part_insert(part, (*dim)++, err);
    case INDEX_ELLIPSIS:
        return true;
    default:
        if (!flag && !is_mask(item) && !index_dtype((DType)index->dtype))
            return err_set(err, ERR_INDEX, "a tensor used as index must hold integers or bools, not %s",
                           dtype_name((DType)index->dtype));
        if (!flag && index->ndim == 0)
            return part_select(part, *dim, axis, number_int(number_load((DType)index->dtype, data_of(index))),
                               err);
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
            ok = pick_bool(p, dim++, item->kind == INDEX_BOOL ? item->flag
                           : index_is_true((DType)item->tensor->dtype, data_of(item->tensor)), err);
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
            return err_set(err, ERR_INDEX, "index tensors of shapes %s and %s do not broadcast to one shape",
                           a, b);
        }
    }
    p->count = 1;
    for (int d = 0; d < p->ndim; d++)
        p->count *= p->shape[d];
    if (p->picks == 1 && p->pick[0].owned) {            /* its own shape is the shape, and its positions become the offsets */
        p->offset = p->pick[0].at;
        p->pick[0].owned = false;
        int64_t stride = strides_of(&p->part.t)[p->pick[0].dim];
        for (int64_t b = 0; b < p->count && stride != 1; b++)
            p->offset[b] *= stride;
        return true;
    }
    p->offset = mem_new(ctx->heap, sizeof(int64_t) * (size_t)(p->count + 1));
    if (!p->offset)
        return err_memory(err, sizeof(int64_t) * (size_t)(p->count + 1));
    memset(p->offset, 0, sizeof(int64_t) * (size_t)p->count);
    for (int i = 0; i < p->picks && p->count; i++) {
        const Pick *pick = &p->pick[i];
        if (p->picks == 1) {
            for (int64_t b = 0; b < p->count; b++)
                p->offset[b] = pick->at[b] * strides_of(&p->part.t)[pick->dim];
            break;
        }
        int64_t step[DIMS_MAX], at[DIMS_MAX] = { 0 }, dense = 1, from = 0,
            scale = strides_of(&p->part.t)[pick->dim];
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
    memcpy(p->result + p->first + p->ndim, p->rest_shape + p->first,
           sizeof(int64_t) * (size_t)(p->rest - p->first));
    p->result_ndim = p->rest + p->ndim;
    return shape_numel(p->result_ndim, p->result, err) >= 0;
}

bool picked_read(Context *ctx, Picked *p, Tensor *t, const Arg *index, Err *err)
{
    int dim = 0, axis = 0, spoken = 0;
    int ellipses = 0;
    p->picks = p->masks = p->ndim = p->rest = p->slots = 0;
    p->offset = NULL;
    part_whole(&p->part, t);
    for (int i = 0; i < index->n; i++)
        spoken += consumed(&index->index[i]);
    if (spoken > t->ndim) {
        if (t->ndim == 0)
            return err_set(err, ERR_INDEX, "a tensor without dimensions cannot be indexed")
                || err_hint(err, "item() gives its number");
        return err_set(err, ERR_INDEX, "too many indices: %d for a tensor with %d dimension%s", spoken,
                       t->ndim, t->ndim == 1 ? "" : "s");
    }
    for (int i = 0; i < index->n; i++) {
        const IndexItem *item = &index->index[i];
        ellipses += item->kind == INDEX_ELLIPSIS;
        if (item->kind == INDEX_ELLIPSIS && ellipses == 1) {
            dim += t->ndim - spoken;
            axis += t->ndim - spoken;
        } else if (item->kind != INDEX_ELLIPSIS && ellipses > 1 && spoken < t->ndim) {
            return err_set(err, ERR_INDEX, "an index with two '...' is too long for a tensor with %d dimensions", t->ndim);
        } else if (!pick_item(p, item, &dim, axis, err)) {
            return false;
        }
        axis += consumed(item);
    }
    return pick_slots(ctx, p, err) && (p->picks == 0 || (join_picks(ctx, p, err) && lay_out(p, err)));
}
