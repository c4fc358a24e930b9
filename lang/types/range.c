/*
 * range.c - ranges: start, stop, step and their length in 64 bits.
 */
#include "lang/types/containers.h"
#include <string.h>

/* -1: more than 2**63. */
static int64_t length_of(int64_t start, int64_t stop, int64_t step)
{
    uint64_t distance, stride;
    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    distance = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    distance = (distance - 1) / stride + 1;
    return distance > INT64_MAX ? -1 : (int64_t)distance;
}

Range *range_new(Session *s, int64_t start, int64_t stop, int64_t step, Err *err)
{
    if (!step)
        return err_set(err, ERR_VALUE, "range() arg 3 must not be zero"), NULL;
    int64_t length = length_of(start, stop, step);
    if (length < 0)
        return err_set(err, ERR_OVERFLOW, "a range of more than 2**63 ints"), NULL;
    Range *range = heap_object_new(s->heap, sizeof *range, TYPE_RANGE, err);
    if (!range)
        return NULL;
    range->start = start;
    range->stop = stop;
    range->step = step;
    range->length = length;
    return range;
}

static void range_drop(Object *self)
{
    heap_object_free(self, sizeof(Range));
}

static bool range_repr(Session *s, Value self, Text *text, Err *err)
{
    const Range *range = (Range *)self.object;
    (void)s, (void)err;
    text_print(text, "range(%lld, %lld", (long long)range->start, (long long)range->stop);
    if (range->step != 1)
        text_print(text, ", %lld", (long long)range->step);
    text_put(text, ")");
    return true;
}

static bool range_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((Range *)self.object)->length;
    return true;
}

static bool same_ranges(const Range *a, const Range *b)
{
    return a->length == b->length && (!a->length || (a->start == b->start && (a->length == 1 || a->step == b->step)));
}

static bool range_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = not_implemented_value();
    if (value_is(a, TYPE_RANGE) && value_is(b, TYPE_RANGE) && (op == CMP_EQ || op == CMP_NE))
        *out = value_bool(same_ranges((Range *)a.object, (Range *)b.object) == (op == CMP_EQ));
    return true;
}

static bool range_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const Range *range = (Range *)self.object;
    (void)s, (void)err;
    *hash = (uint64_t)range->length * 0x9E3779B97F4A7C15u;
    if (range->length)
        *hash ^= (uint64_t)range->start * 31 + (range->length > 1 ? (uint64_t)range->step : 0);
    return true;
}

static bool range_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    const Range *range = (Range *)self.object;
    int64_t index, stop, step, count;
    if (value_is(key, TYPE_SLICE)) {
        if (!slice_resolve(s, (Slice *)key.object, range->length, &index, &stop, &step, &count, err))
            return false;
        Range *made = range_new(s, range->start + index * range->step, range->start + stop * range->step, range->step * step, err);
        if (made)
            *out = value_object_take(made);
        return made;
    }
    if (!sequence_index(s, key, range->length, "range object", &index, err))
        return false;
    *out = value_int(s, range->start + index * range->step);
    return true;
}

/* Where an int is in the range; -1: nowhere. */
static int64_t place_of(const Range *range, int64_t i)
{
    int64_t last = range->start + (range->length - 1) * range->step;
    if (!range->length || (range->step > 0 ? i < range->start || i > last : i > range->start || i < last))
        return -1;
    return (i - range->start) % range->step ? -1 : (i - range->start) / range->step;
}

static bool find(Session *s, const Range *range, Value item, int64_t *at, Err *err)
{
    *at = -1;
    if (value_tag(item) == V_INT || value_tag(item) == V_BOOL) {
        *at = place_of(range, item.i);
        return true;
    }
    for (int64_t i = 0; value_tag(item) != V_NONE && i < range->length; i++) {
        bool equal;
        if (!value_equal(s, int_new(s, range->start + i * range->step), item, &equal, err))
            return false;
        if (equal) {
            *at = i;
            return true;
        }
    }
    return true;
}

static bool range_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    int64_t at;
    if (!find(s, (Range *)self.object, item, &at, err))
        return false;
    *found = at >= 0;
    return true;
}

static bool range_iter(Session *s, Value self, Value *out, Err *err)
{
    return iterator_over(s, self, out, err);
}

static bool range_index(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    int64_t at;
    if (!find(s, (Range *)self.object, arg[0], &at, err))
        return false;
    if (at < 0)
        return err_set(err, ERR_VALUE, "the value is not in the range");
    *out = value_int(s, at);
    return true;
}

static bool range_count(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    int64_t at;
    if (!find(s, (Range *)self.object, arg[0], &at, err))
        return false;
    *out = value_int(s, at >= 0);
    return true;
}

static bool range_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Range *range = (Range *)self.object;
    (void)err;
    *out = !strcmp(name->s, "start") ? value_int(s, range->start) : !strcmp(name->s, "stop") ? value_int(s, range->stop)
         : !strcmp(name->s, "step") ? value_int(s, range->step) : value_unset();
    return true;
}

static void range_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    (void)s, (void)self;
    each(to, "start");
    each(to, "stop");
    each(to, "step");
}

static const NativeRow range_methods[] = {
    { "count", range_count, "value, /", 0, "1 if the value is in it, else 0." },
    { "index", range_index, "value, /", 0, "Where the value is; ValueError if it is not there." },
    { 0 }
};
const Type type_range = {
    .name = "range", .drop = range_drop, .repr = range_repr, .hash = range_hash, .compare = range_compare, .length = range_length,
    .get_item = range_get_item, .contains = range_contains, .iter = range_iter, .get_attr = range_get_attr, .methods = range_methods,
    .dir = range_dir,
};
