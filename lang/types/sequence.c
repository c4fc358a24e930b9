/*
 * sequence.c - what tuples, lists and ranges share: slices, indices, comparison item by item, sorting; and the slice itself.
 * Whatever calls back holds a reference to what it works on.
 */
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>

/* ---- slices ---------------------------------------------------------------------------------------------- */
Slice *slice_new(Session *s, Value start, Value stop, Value step, Err *err)
{
    Slice *slice = heap_object_new(s->heap, sizeof *slice, TYPE_SLICE, err);
    if (!slice)
        return NULL;
    slice->start = value_retain(start);
    slice->stop = value_retain(stop);
    slice->step = value_retain(step);
    return slice;
}

/* As slice.indices(): bounds are clamped into the sequence. */
bool slice_resolve(Session *s, const Slice *slice, int64_t length, int64_t *start, int64_t *stop, int64_t *step, int64_t *count, Err *err)
{
    *step = 1;
    if (!value_is_none(slice->step) && !value_index(s, slice->step, "a slice's step", step, err))
        return false;
    if (*step == 0)
        return err_set(err, ERR_VALUE, "slice step cannot be zero");
    if (*step == INT64_MIN)
        *step = -INT64_MAX;
    int64_t low = *step < 0 ? -1 : 0, high = *step < 0 ? length - 1 : length;
    int64_t *const bound[] = { start, stop };
    const Value given[] = { slice->start, slice->stop };
    for (int k = 0; k < 2; k++) {
        if (value_is_none(given[k])) {
            *bound[k] = (*step < 0) == (k == 0) ? high : low;
            continue;
        }
        if (!value_index(s, given[k], "slice indices", bound[k], err))
            return false;
        if (*bound[k] < 0)
            *bound[k] = *bound[k] < -length ? low : *bound[k] + length < low ? low : *bound[k] + length;
        else if (*bound[k] > high)
            *bound[k] = high;
    }
    if (*step < 0)
        *count = *stop < *start ? (*start - *stop - 1) / -*step + 1 : 0;
    else
        *count = *start < *stop ? (*stop - *start - 1) / *step + 1 : 0;
    return true;
}

static void slice_drop(Object *self)
{
    Slice *slice = (Slice *)self;
    value_release(slice->start);
    value_release(slice->stop);
    value_release(slice->step);
    heap_object_free(slice, sizeof *slice);
}

static bool slice_repr(Session *s, Value self, Text *text, Err *err)
{
    const Slice *slice = (Slice *)self.object;
    text_put(text, "slice(");
    if (!value_repr(s, slice->start, text, err))
        return false;
    text_put(text, ", ");
    if (!value_repr(s, slice->stop, text, err))
        return false;
    text_put(text, ", ");
    if (!value_repr(s, slice->step, text, err))
        return false;
    text_char(text, ')');
    return true;
}

static bool slice_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Slice *slice = (Slice *)self.object;
    (void)s, (void)err;
    *out = !strcmp(name->s, "start") ? value_retain(slice->start) : !strcmp(name->s, "stop") ? value_retain(slice->stop)
         : !strcmp(name->s, "step") ? value_retain(slice->step) : value_unset();
    return true;
}

static bool slice_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (!value_is(a, TYPE_SLICE) || !value_is(b, TYPE_SLICE))
        return true;
    Slice *x = (Slice *)a.object, *y = (Slice *)b.object;
    return sequence_compare(s, op, &x->start, 3, &y->start, 3, out, err);
}

static bool slice_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)self, (void)hash;
    return err_set(err, ERR_TYPE, "unhashable type: 'slice'");
}

static bool slice_indices(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    int64_t length, bound[3], count;
    if (!value_index(s, arg[0], "the length", &length, err)
        || !slice_resolve(s, (Slice *)self.object, length, &bound[0], &bound[1], &bound[2], &count, err))
        return false;
    Tuple *made = tuple_new(s, 3, err);
    for (int k = 0; made && k < 3; k++)
        made->item[k] = int_new(s, bound[k]);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

static const NativeRow slice_methods[] = { { "indices", slice_indices, "length, /", 0, NULL }, { 0 } };
const Type type_slice = {
    .name = "slice", .drop = slice_drop, .repr = slice_repr, .get_attr = slice_attr, .compare = slice_compare, .hash = slice_hash,
    .methods = slice_methods,
};

/* ---- indices and items ------------------------------------------------------------------------------------ */
bool sequence_index(Session *s, Value key, int64_t n, const char *what, int64_t *index, Err *err)
{
    if (!value_is_int(key) && !value_is(key, TYPE_TENSOR) && !value_is(key, TYPE_INSTANCE) && !value_is(key, TYPE_NPSCALAR) && !value_is_array(key))
        return err_set(err, ERR_TYPE, "%s indices must be integers or slices, not %s", what, value_type_name(key));
    if (!value_index(s, key, "an index", index, err))
        return false;
    if (*index < -n || *index >= n)
        return err_set(err, ERR_INDEX, "%s index out of range", what);
    *index += *index < 0 ? n : 0;
    return true;
}

bool sequence_find(Session *s, const Value *item, int64_t n, Value wanted, int64_t *at, Err *err)
{
    for (*at = 0; *at < n; ++*at) {
        bool equal;
        Value held = value_retain(item[*at]);
        bool ok = value_equal(s, held, wanted, &equal, err);
        value_release(held);
        if (!ok)
            return false;
        if (equal)
            return true;
    }
    *at = -1;
    return true;
}

bool sequence_compare(Session *s, CompareOp op, const Value *a, int64_t n, const Value *b, int64_t m, Value *out, Err *err)
{
    if (n != m && (op == CMP_EQ || op == CMP_NE))
        return *out = value_bool(op == CMP_NE), true;
    for (int64_t i = 0; i < n && i < m; i++) {
        bool equal;
        Value x = value_retain(a[i]), y = value_retain(b[i]);
        bool ok = value_equal(s, x, y, &equal, err);
        if (ok && !equal && op != CMP_EQ && op != CMP_NE)
            ok = value_compare(s, op, x, y, out, err);
        value_release(x);
        value_release(y);
        if (!ok)
            return false;
        if (equal)
            continue;
        if (op == CMP_EQ || op == CMP_NE)
            *out = value_bool(op == CMP_NE);
        return true;
    }
    *out = value_bool(op == CMP_LT ? n < m : op == CMP_LE ? n <= m : op == CMP_EQ ? n == m : op == CMP_NE ? n != m : op == CMP_GT ? n > m : n >= m);
    return true;
}

/* ---- repr of what holds itself ------------------------------------------------------------------------------ */
bool repr_enter(Session *s, const void *object)
{
    Object *o = (Object *)object;
    (void)s;
    if (o->flags & OBJECT_MARKED)
        return true;
    o->flags |= OBJECT_MARKED;
    return false;
}

void repr_leave(Session *s, const void *object)
{
    (void)s;
    ((Object *)object)->flags &= (uint16_t)~OBJECT_MARKED;
}

/* ---- sorting: a stable merge, runs of 8 sorted by insertion -------------------------------------------------- */
typedef struct Pair { Value key, value; } Pair;
typedef struct Sort { Session *s; Err *err; bool reverse, failed; } Sort;

/* Does b come before a? */
static bool before(Sort *sort, Value b, Value a)
{
    Value result;
    bool truth = false;
    if (sort->failed)
        return false;
    bool ok = sort->reverse ? value_compare(sort->s, CMP_LT, a, b, &result, sort->err) : value_compare(sort->s, CMP_LT, b, a, &result, sort->err);
    if (ok) {
        ok = value_truth(sort->s, result, &truth, sort->err);
        value_release(result);
    }
    sort->failed = !ok;
    return truth && ok;
}

static void merge_sort(Sort *sort, Pair *pair, Pair *room, int64_t n)
{
    enum { RUN = 8 };
    if (n <= RUN) {
        for (int64_t i = 1; i < n; i++) {
            Pair one = pair[i];
            int64_t at = i;
            for (; at && before(sort, one.key, pair[at - 1].key); at--)
                pair[at] = pair[at - 1];
            pair[at] = one;
        }
        return;
    }
    int64_t half = n / 2, i = 0, j = half;
    merge_sort(sort, pair, room, half);
    merge_sort(sort, pair + half, room, n - half);
    if (!before(sort, pair[half].key, pair[half - 1].key))
        return;
    memcpy(room, pair, (size_t)half * sizeof *pair);
    for (int64_t to = 0; i < half; to++)
        pair[to] = j < n && before(sort, pair[j].key, room[i].key) ? pair[j++] : room[i++];
}

bool values_sort(Session *s, Value *item, int64_t n, Value key, bool reverse, Err *err)
{
    Sort sort = { s, err, reverse, false };
    if (n < 1)
        return true;
    Pair *pair = mem_new(s->heap, 2 * (size_t)n * sizeof *pair);
    if (!pair)
        return err_memory(err, 2 * (size_t)n * sizeof *pair);
    int64_t made = 0;
    for (; made < n && !sort.failed; made++) {
        pair[made].value = item[made];
        if (value_is_none(key))
            pair[made].key = value_retain(item[made]);
        else if (!value_call(s, key, &item[made], 1, 0, NULL, &pair[made].key, err))
            sort.failed = true, made--;
    }
    if (!sort.failed)
        merge_sort(&sort, pair, pair + n, n);
    for (int64_t i = 0; i < made; i++) {
        if (!sort.failed || made == n)
            item[i] = pair[i].value;
        value_release(pair[i].key);
    }
    mem_free(s->heap, pair);
    return !sort.failed;
}
