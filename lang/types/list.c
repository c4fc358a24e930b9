/*
 * list.c - lists. Whatever calls back (comparisons, iterators of the program) may change the list: it is looked at anew
 * after each such call.
 */
#include "lang/types/containers.h"
#include <string.h>

static bool reserve(List *list, int64_t n, Err *err)
{
    if (n <= list->capacity)
        return true;
    int64_t capacity = n + n / 8 + 6;
    if (n > (INT64_MAX >> 6))
        return err_memory(err, SIZE_MAX);
    Value *item = mem_resize(heap_of(list), list->item, (size_t)capacity * sizeof *item);
    if (!item)
        return err_memory(err, (size_t)capacity * sizeof *item);
    list->item = item;
    list->capacity = capacity;
    return true;
}

List *list_new(Session *s, int64_t capacity, Err *err)
{
    List *list = heap_object_new(s->heap, sizeof *list, TYPE_LIST, err);
    if (!list)
        return NULL;
    list->n = list->capacity = 0;
    list->item = NULL;
    list->sorting = false;
    if (capacity > 0) {
        if (capacity > (INT64_MAX >> 6) || !(list->item = mem_new(s->heap, (size_t)capacity * sizeof *list->item))) {
            heap_object_free(list, sizeof *list);
            return err_memory(err, (size_t)capacity * sizeof *list->item), NULL;
        }
        list->capacity = capacity;
    }
    return list;
}

bool list_append(Session *s, List *list, Value v, Err *err)
{
    (void)s;
    if (list->n == list->capacity && !reserve(list, list->n + 1, err))
        return false;
    list->item[list->n++] = value_retain(v);
    return true;
}

/* Takes all elements out and lets go of them, last to first. */
static void empty(List *list)
{
    Value *item = list->item;
    int64_t n = list->n;
    list->item = NULL;
    list->n = list->capacity = 0;
    while (n-- > 0)
        value_release(item[n]);
    mem_free(heap_of(list), item);
}

static void list_drop(Object *self)
{
    empty((List *)self);
    heap_object_free(self, sizeof(List));
}

static void list_visit(Object *self, Visitor *visitor)
{
    const List *list = (List *)self;
    for (int64_t i = 0; i < list->n; i++)
        visitor->edge(visitor, list->item[i], "element", NULL, i);
}

static bool list_repr(Session *s, Value self, Text *text, Err *err)
{
    const List *list = (List *)self.object;
    bool ok = true;
    if (repr_enter(s, list)) {
        text_put(text, "[...]");
        return true;
    }
    text_put(text, "[");
    for (int64_t i = 0; ok && i < list->n; i++) {
        if (i)
            text_put(text, ", ");
        Value item = value_retain(list->item[i]);
        ok = value_repr(s, item, text, err);
        value_release(item);
    }
    text_put(text, "]");
    repr_leave(s, list);
    return ok;
}

static bool list_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)self, (void)hash;
    err_set(err, ERR_TYPE, "unhashable type: 'list'");
    return err_hint(err, "a tuple can be a key: tuple(x)");
}

static bool list_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (!value_is(a, TYPE_LIST) || !value_is(b, TYPE_LIST))
        return true;
    List *x = (List *)a.object, *y = (List *)b.object;
    int64_t n = x->n, m = y->n;
    if (n != m && (op == CMP_EQ || op == CMP_NE)) {
        *out = value_bool(op == CMP_NE);
        return true;
    }
    for (int64_t i = 0; i < x->n && i < y->n; i++) {   /* one by one: comparing may change the lists */
        bool equal;
        Value p = value_retain(x->item[i]), q = value_retain(y->item[i]);
        bool ok = value_equal(s, p, q, &equal, err);
        if (ok && !equal)
            ok = sequence_compare(s, op, &p, 1, &q, 1, out, err);
        value_release(p);
        value_release(q);
        if (!ok || !equal)
            return ok;
    }
    int64_t common = x->n < y->n ? x->n : y->n;         /* all of these are equal: the lengths decide */
    return sequence_compare(s, op, NULL, x->n - common, NULL, y->n - common, out, err);
}

static bool list_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((List *)self.object)->n;
    return true;
}

static bool list_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    List *list = (List *)self.object;
    bool ok = true;
    *found = false;
    for (int64_t i = 0; ok && !*found && i < list->n; i++) {
        Value other = value_retain(list->item[i]);
        ok = value_equal(s, other, item, found, err);
        value_release(other);
    }
    return ok;
}

static bool list_iter(Session *s, Value self, Value *out, Err *err)
{
    return iterator_over(s, self, out, err);
}

/* ---- items ---------------------------------------------------------------------------------------------- */
static bool index_of(Session *s, const List *list, Value key, const char *doing, int64_t *index, Err *err)
{
    if (value_tag(key) == V_INT)
        *index = key.i;
    else if (!value_is_int(key) && !value_is(key, TYPE_TENSOR) && !value_is(key, TYPE_INSTANCE) && !value_is(key, TYPE_NPSCALAR) && !value_is_array(key))
        return err_set(err, ERR_TYPE, "list indices must be integers or slices, not %s", value_type_name(key));
    else if (!value_index(s, key, "a list's index", index, err))
        return false;
    if (*index < 0)
        *index += list->n;
    if (*index >= 0 && *index < list->n)
        return true;
    err_set(err, ERR_INDEX, "list %sindex out of range", doing);
    return err_hint(err, "it has %lld element%s", (long long)list->n, list->n == 1 ? "" : "s");
}

static bool list_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    List *list = (List *)self.object;
    int64_t index, stop, step, count;
    if (!value_is(key, TYPE_SLICE)) {
        if (!index_of(s, list, key, "", &index, err))
            return false;
        *out = value_retain(list->item[index]);
        return true;
    }
    if (!slice_resolve(s, (Slice *)key.object, list->n, &index, &stop, &step, &count, err))
        return false;
    List *made = list_new(s, count, err);
    if (!made)
        return false;
    for (int64_t i = 0; i < count; i++)
        made->item[i] = value_retain(list->item[index + i * step]);
    made->n = count;
    *out = value_object_take(made);
    return true;
}

/* Puts `n` values (copies of `with`, which are retained) in the place of the elements from start to stop. */
static bool splice(List *list, int64_t start, int64_t stop, const Value *with, int64_t n, Err *err)
{
    Heap *heap = heap_of(list);
    int64_t gone = stop - start;
    Value *old = gone ? mem_new(heap, (size_t)gone * sizeof *old) : NULL;
    if ((gone && !old) || !reserve(list, list->n - gone + n, err)) {
        mem_free(heap, old);
        return err->kind ? false : err_memory(err, (size_t)gone * sizeof *old);
    }
    if (gone)
        memcpy(old, list->item + start, (size_t)gone * sizeof *old);
    if (list->n > stop)
        memmove(list->item + start + n, list->item + stop, (size_t)(list->n - stop) * sizeof *old);
    for (int64_t i = 0; i < n; i++)
        list->item[start + i] = value_retain(with[i]);
    list->n += n - gone;
    while (gone-- > 0)
        value_release(old[gone]);
    mem_free(heap, old);
    return true;
}

static bool set_slice(Session *s, List *list, const Slice *slice, Value value, Err *err)
{
    int64_t start, stop, step, count;
    err->kind = ERR_NONE;
    if (!value_type(value)->iter)
        return err_set(err, ERR_TYPE, "can only assign an iterable");
    List *with = value_to_list(s, value, err);
    if (!with)
        return false;
    bool ok = slice_resolve(s, slice, list->n, &start, &stop, &step, &count, err);
    if (ok && step == 1)
        ok = splice(list, start, start + count, with->item, with->n, err);
    else if (ok && with->n != count)
        ok = err_set(err, ERR_VALUE, "attempt to assign sequence of size %lld to extended slice of size %lld", (long long)with->n,
                     (long long)count);
    else if (ok)
        for (int64_t i = 0; i < count; i++) {       /* the old ones go with `with` */
            Value old = list->item[start + i * step];
            list->item[start + i * step] = with->item[i];
            with->item[i] = old;
        }
    object_release(&with->head);
    return ok;
}

static bool list_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    List *list = (List *)self.object;
    int64_t index;
    if (value_is(key, TYPE_SLICE))
        return set_slice(s, list, (Slice *)key.object, value, err);
    if (!index_of(s, list, key, "assignment ", &index, err))
        return false;
    value_replace(&list->item[index], value_retain(value));
    return true;
}

static Value take_at(List *list, int64_t index)
{
    Value taken = list->item[index];
    memmove(list->item + index, list->item + index + 1, (size_t)(list->n - index - 1) * sizeof taken);
    list->n--;
    return taken;
}

static bool del_slice(Session *s, List *list, const Slice *slice, Err *err)
{
    int64_t start, stop, step, count, kept = 0;
    if (!slice_resolve(s, slice, list->n, &start, &stop, &step, &count, err))
        return false;
    if (!count)
        return true;
    if (step < 0) {
        start += (count - 1) * step;
        step = -step;
    }
    if (step == 1) {
        err->kind = ERR_NONE;
        return splice(list, start, start + count, NULL, 0, err);
    }
    List *gone = list_new(s, count, err);
    if (!gone)
        return false;
    for (int64_t i = 0; i < list->n; i++) {
        bool goes = i >= start && (i - start) % step == 0 && (i - start) / step < count;
        if (goes)
            gone->item[gone->n++] = list->item[i];
        else
            list->item[kept++] = list->item[i];
    }
    list->n = kept;
    object_release(&gone->head);
    return true;
}

static bool list_del_item(Session *s, Value self, Value key, Err *err)
{
    List *list = (List *)self.object;
    int64_t index;
    if (value_is(key, TYPE_SLICE))
        return del_slice(s, list, (Slice *)key.object, err);
    if (!index_of(s, list, key, "assignment ", &index, err))
        return false;
    value_release(take_at(list, index));
    return true;
}

/* ---- operators ------------------------------------------------------------------------------------------ */
static List *joined(Session *s, const List *a, const List *b, Err *err)
{
    List *made = list_new(s, a->n + b->n, err);
    if (!made)
        return NULL;
    for (int64_t i = 0; i < a->n; i++)
        made->item[i] = value_retain(a->item[i]);
    for (int64_t i = 0; i < b->n; i++)
        made->item[a->n + i] = value_retain(b->item[i]);
    made->n = a->n + b->n;
    return made;
}

static List *repeated(Session *s, const List *list, int64_t times, Err *err)
{
    times = times < 0 ? 0 : times;
    if (list->n && times > (INT64_MAX >> 6) / list->n)
        return err_memory(err, SIZE_MAX), NULL;
    List *made = list_new(s, list->n * times, err);
    if (!made)
        return NULL;
    made->n = list->n * times;
    for (int64_t i = 0; i < made->n; i++)
        made->item[i] = value_retain(list->item[i % list->n]);
    return made;
}

static bool list_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    int64_t times;
    List *made = NULL;
    *out = not_implemented_value();
    if (op == BIN_ADD && value_is(a, TYPE_LIST) && value_is(b, TYPE_LIST))
        made = joined(s, (List *)a.object, (List *)b.object, err);
    else if (op == BIN_ADD && value_is(a, TYPE_LIST) && (value_tag(b) != V_OBJECT || is_tuple(b) || value_is(b, TYPE_STR)))
        return err_set(err, ERR_TYPE, "can only concatenate list (not \"%s\") to list", value_type_name(b));
    else if (op == BIN_MUL && (value_is(a, TYPE_LIST) ? value_is_int(b) : value_is_int(a))) {
        if (!value_index(s, value_is(a, TYPE_LIST) ? b : a, "the factor", &times, err))
            return false;
        made = repeated(s, (List *)(value_is(a, TYPE_LIST) ? a : b).object, times, err);
    } else
        return true;
    if (made)
        *out = value_object_take(made);
    return made;
}

static bool extend(Session *s, List *list, Value iterable, Err *err)
{
    Value iterator, item;
    IterStatus status;
    if (value_is(iterable, TYPE_LIST) || is_tuple(iterable)) {
        bool other = value_is(iterable, TYPE_LIST);
        int64_t n = other ? ((List *)iterable.object)->n : ((Tuple *)iterable.object)->n;
        if (!reserve(list, list->n + n, err))
            return false;
        const Value *from = other ? ((List *)iterable.object)->item : ((Tuple *)iterable.object)->item;
        for (int64_t i = 0; i < n; i++)
            list->item[list->n + i] = value_retain(from[i]);
        list->n += n;
        return true;
    }
    if (!value_iter(s, iterable, &iterator, err))
        return false;
    while ((status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        bool ok = list_append(s, list, item, err);
        value_release(item);
        if (!ok) {
            status = ITER_ERROR;
            break;
        }
    }
    value_release(iterator);
    return status == ITER_END;
}

static bool list_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    List *list = (List *)a.object;
    int64_t times;
    *out = not_implemented_value();
    if (op == BIN_ADD) {
        if (!extend(s, list, b, err))
            return false;
    } else if (op == BIN_MUL && value_is_int(b)) {
        int64_t n = list->n;
        if (!value_index(s, b, "the factor", &times, err))
            return false;
        if (times <= 0)
            empty(list);
        else if (n && (times > (INT64_MAX >> 6) / n || !reserve(list, n * times, err)))
            return err->kind ? false : err_memory(err, SIZE_MAX);
        else if (n) {
            for (int64_t i = n; i < n * times; i++)
                list->item[i] = value_retain(list->item[i % n]);
            list->n = n * times;
        }
    } else
        return true;
    *out = value_retain(a);
    return true;
}

/* ---- methods -------------------------------------------------------------------------------------------- */
#define LIST_METHOD(name) static bool list_##name(Session *s, Value self, Value *arg, Value *out, Err *err)
#define SELF List *list = (List *)self.object

LIST_METHOD(append_method)
{
    *out = value_none();
    return list_append(s, (List *)self.object, arg[0], err);
}

LIST_METHOD(extend)
{
    *out = value_none();
    return extend(s, (List *)self.object, arg[0], err);
}

LIST_METHOD(insert)
{
    SELF;
    int64_t index;
    if (!value_index(s, arg[0], "the index", &index, err))
        return false;
    index = index < 0 ? (index + list->n < 0 ? 0 : index + list->n) : index > list->n ? list->n : index;
    *out = value_none();
    err->kind = ERR_NONE;
    return splice(list, index, index, &arg[1], 1, err);
}

LIST_METHOD(pop)
{
    SELF;
    int64_t index = -1;
    if (!value_is_unset(arg[0]) && !value_index(s, arg[0], "the index", &index, err))
        return false;
    if (!list->n)
        return err_set(err, ERR_INDEX, "pop from empty list");
    index = index < 0 ? index + list->n : index;
    if (index < 0 || index >= list->n)
        return err_set(err, ERR_INDEX, "pop index out of range");
    *out = take_at(list, index);
    return true;
}

/* Where an equal element is, from start to stop; -1: nowhere, -2: an error. */
static int64_t find(Session *s, List *list, Value value, int64_t start, int64_t stop, Err *err)
{
    for (int64_t i = start; i < list->n && i < stop; i++) {
        bool equal;
        Value other = value_retain(list->item[i]);
        bool ok = value_equal(s, other, value, &equal, err);
        value_release(other);
        if (!ok)
            return -2;
        if (equal)
            return i;
    }
    return -1;
}

LIST_METHOD(remove)
{
    SELF;
    int64_t at = find(s, list, arg[0], 0, INT64_MAX, err);
    if (at == -2)
        return false;
    if (at < 0 || at >= list->n)
        return err_set(err, ERR_VALUE, "list.remove(x): x not in list");
    *out = value_none();
    value_release(take_at(list, at));
    return true;
}

LIST_METHOD(index)
{
    SELF;
    int64_t start, stop;
    if (!value_index(s, arg[1], "start", &start, err) || !value_index(s, arg[2], "stop", &stop, err))
        return false;
    start = start < 0 ? (start + list->n < 0 ? 0 : start + list->n) : start;
    stop = stop < 0 ? stop + list->n : stop;
    int64_t at = find(s, list, arg[0], start, stop, err);
    if (at == -2)
        return false;
    if (at >= 0) {
        *out = value_int(s, at);
        return true;
    }
    Text text = { 0 };
    Err ignored;
    bool shown = value_repr(s, arg[0], &text, &ignored) && text_end(&text);
    err_set(err, ERR_VALUE, "%.200s is not in list", shown ? text.s : "the value");
    text_free(&text);
    return false;
}

LIST_METHOD(count)
{
    SELF;
    int64_t count = 0, at = -1;
    while ((at = find(s, list, arg[0], at + 1, INT64_MAX, err)) >= 0)
        count++;
    *out = value_int(s, count);
    return at == -1;
}

LIST_METHOD(clear)
{
    (void)s, (void)arg, (void)err;
    *out = value_none();
    empty((List *)self.object);
    return true;
}

LIST_METHOD(copy)
{
    (void)arg;
    List *made = value_to_list(s, self, err);
    if (made)
        *out = value_object_take(made);
    return made;
}

LIST_METHOD(reverse)
{
    SELF;
    (void)s, (void)arg, (void)err;
    for (int64_t i = 0; i < list->n / 2; i++) {
        Value kept = list->item[i];
        list->item[i] = list->item[list->n - 1 - i];
        list->item[list->n - 1 - i] = kept;
    }
    *out = value_none();
    return true;
}

/* While it is sorted the list is empty, so that nothing that is called back sees it half done. */
LIST_METHOD(sort)
{
    SELF;
    bool reverse;
    if (!value_truth(s, arg[1], &reverse, err))
        return false;
    List was = *list;
    list->item = NULL;
    list->n = list->capacity = 0;
    list->head.count++;
    bool ok = values_sort(s, was.item, was.n, arg[0], reverse, err);
    List touched = *list;
    list->item = was.item;
    list->n = was.n;
    list->capacity = was.capacity;
    if (touched.item) {
        for (int64_t i = touched.n; i-- > 0;)
            value_release(touched.item[i]);
        mem_free(s->heap, touched.item);
        if (ok)
            ok = err_set(err, ERR_VALUE, "list modified during sort");
    }
    object_release(&list->head);
    *out = value_none();
    return ok;
}

static const NativeRow list_methods[] = {
    { "append", list_append_method, "object, /", 0, "Adds one element at the end." },
    { "clear", list_clear, "", 0, "Takes all elements out." },
    { "copy", list_copy, "", 0, "A new list of the same elements." },
    { "count", list_count, "value, /", 0, "How often the value is in it." },
    { "extend", list_extend, "iterable, /", 0, "Adds all elements of another iterable at the end." },
    { "index", list_index, "value, start = 0, stop = 9223372036854775807, /", 0, "Where the value is first; ValueError if it is not there." },
    { "insert", list_insert, "index, object, /", 0, "Puts an element before the index." },
    { "pop", list_pop, "index = ..., /", 0, "Takes an element out, the last one without an index, and returns it." },
    { "remove", list_remove, "value, /", 0, "Takes out the first element that is equal; ValueError if there is none." },
    { "reverse", list_reverse, "", 0, "Turns the order round, in place." },
    { "sort", list_sort, "*, key = None, reverse = False", 0, "Sorts in place; equal elements keep their order." },
    { 0 }
};

const Type type_list = {
    .name = "list", .drop = list_drop, .visit = list_visit, .repr = list_repr, .hash = list_hash, .compare = list_compare,
    .binary = list_binary, .inplace = list_inplace, .length = list_length, .get_item = list_get_item, .set_item = list_set_item,
    .del_item = list_del_item, .contains = list_contains, .iter = list_iter, .methods = list_methods,
};
