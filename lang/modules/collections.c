/*
 * collections.c - the module collections: Counter, defaultdict, OrderedDict and deque.
 * The first three hold a dict (held[0]), whose methods they have; a deque holds a list, and in `number` its greatest length or -1.
 */
#include "lang/files/files.h"
#include "lang/modules/modules.h"
#include "lang/types/containers.h"
#include "lang/types/native.h"

static const Type type_counter, type_default, type_ordered, type_deque;

static Value inner(Value v)
{
    return ((NativeObject *)v.object)->held[0];
}

static Dict *dict_of(Value v)
{
    return (Dict *)inner(v).object;
}

static bool is_table(Value v)
{
    return is_native(v, &type_counter) || is_native(v, &type_default) || is_native(v, &type_ordered);
}

/* A new object over a container that is taken over. */
static bool over(Session *s, const Type *row, void *container, Value with, Value *out, Err *err)
{
    if (!container)
        return false;
    Value held = value_object_take(container);
    NativeObject *made = native_new(s, row, held, with, value_unset(), err);
    value_release(held);
    if (!made)
        return false;
    made->number = -1;
    *out = value_object_take(made);
    return true;
}

/* ---- what the dicts share ------------------------------------------------------------------------------- */
static bool table_length(Session *s, Value self, int64_t *length, Err *err)
{
    return value_length(s, inner(self), length, err);
}

static bool table_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    return dict_set(s, dict_of(self), key, value, err);
}

/* A Counter does not mind when there is no such key. */
static bool table_del_item(Session *s, Value self, Value key, Err *err)
{
    bool found;
    if (is_native(self, &type_counter))
        return dict_delete(s, dict_of(self), key, &found, err);
    return value_del_item(s, inner(self), key, err);
}

static bool table_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    return value_contains(s, inner(self), item, found, err);
}

static bool table_iter(Session *s, Value self, Value *out, Err *err)
{
    return value_iter(s, inner(self), out, err);
}

static bool table_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    return value_compare(s, op, is_table(a) ? inner(a) : a, is_table(b) ? inner(b) : b, out, err);
}

static bool unhashable(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)hash;
    return err_set(err, ERR_TYPE, "unhashable type: '%s'", ((NativeObject *)self.object)->row->name);
}

static const Type type_default;

/* Methods that have no row of their own are the dict's. */
static bool table_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    *out = value_unset();
    if (!strcmp(name->s, "default_factory") && ((NativeObject *)self.object)->row == &type_default)
        return *out = value_retain(((NativeObject *)self.object)->held[1]), true;
    if (native_method(((NativeObject *)self.object)->row, name) || !native_method(&type_dict, name))
        return true;
    return value_find_attr(s, inner(self), name, out, err);
}

static void table_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    value_dir(s, inner(self), each, to);
}

static bool table_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    return value_get_item(s, inner(self), key, out, err);
}

/* Another dict of the same kind: the shallow copy. */
NATIVE(table_copy)
{
    NativeObject *o = (NativeObject *)self.object;
    (void)arg;
    return over(s, o->row, dict_copy(s, dict_of(self), err), o->held[1], out, err);
}

#define TABLE_ROW                                                                                                         \
    .length = table_length, .set_item = table_set_item, .del_item = table_del_item, .contains = table_contains,              \
    .iter = table_iter, .compare = table_compare, .hash = unhashable, .get_attr = table_get_attr, .dir = table_dir

/* ---- defaultdict: held[1] makes what is missing ----------------------------------------------------------- */
static bool default_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Value found, factory = ((NativeObject *)self.object)->held[1];
    if (!dict_get(s, dict_of(self), key, &found, err))
        return false;
    if (!value_is_unset(found))
        return *out = value_retain(found), true;
    if (value_is_none(factory))
        return key_error(s, key, err);
    if (!value_call(s, factory, NULL, 0, 0, NULL, out, err))
        return false;
    if (dict_set(s, dict_of(self), key, *out, err))
        return true;
    value_release(*out);
    return false;
}

static bool default_repr(Session *s, Value self, Text *text, Err *err)
{
    text_put(text, "defaultdict(");
    if (!value_repr(s, ((NativeObject *)self.object)->held[1], text, err))
        return false;
    text_put(text, ", ");
    bool ok = value_repr(s, inner(self), text, err);
    text_put(text, ")");
    return ok;
}

static const NativeRow default_methods[] = { { "copy", table_copy, "", 0, "A new one of the same entries." }, { 0 } };
static const Type type_default = {
    .name = "defaultdict", TABLE_ROW, .get_item = default_get_item, .repr = default_repr, .methods = default_methods,
};

NATIVE(new_default)
{
    (void)self;
    if (!value_is_none(arg[0]) && !value_type(arg[0])->call)
        return err_set(err, ERR_TYPE, "first argument must be callable or None");
    Dict *dict = dict_new(s, err);
    if (dict && (value_is_unset(arg[1]) || dict_update(s, dict, is_table(arg[1]) ? inner(arg[1]) : arg[1], false, err))
        && dict_update(s, dict, arg[2], false, err))
        return over(s, &type_default, dict, arg[0], out, err);
    if (dict)
        object_release(&dict->head);
    return false;
}

/* ---- OrderedDict ---------------------------------------------------------------------------------------- */
static bool ordered_repr(Session *s, Value self, Text *text, Err *err)
{
    int64_t at = 0;
    Value key, value;
    bool ok = true, first = true;
    text_put(text, dict_of(self)->used ? "OrderedDict([" : "OrderedDict(");
    for (; ok && dict_next(dict_of(self), &at, &key, &value); first = false) {
        text_put(text, first ? "(" : ", (");
        value_retain(key);
        value_retain(value);
        ok = value_repr(s, key, text, err);
        text_put(text, ", ");
        ok = ok && value_repr(s, value, text, err);
        text_put(text, ")");
        value_release(key);
        value_release(value);
    }
    text_put(text, dict_of(self)->used ? "])" : ")");
    return ok;
}

NATIVE(ordered_move)
{
    Value found;
    bool last, there;
    Dict *dict = dict_of(self);
    *out = value_none();
    if (!value_truth(s, arg[1], &last, err) || !dict_get(s, dict, arg[0], &found, err))
        return false;
    if (value_is_unset(found))
        return key_error(s, arg[0], err);
    value_retain(found);
    bool ok = dict_delete(s, dict, arg[0], &there, err);
    if (ok && last)
        ok = dict_set(s, dict, arg[0], found, err);
    else if (ok) {
        Dict *anew = dict_new(s, err);
        Value old = inner(self);
        ok = anew && dict_set(s, anew, arg[0], found, err) && dict_update(s, anew, old, false, err);
        if (ok)
            value_replace(&((NativeObject *)self.object)->held[0], value_object_take(anew));
        else if (anew)
            object_release(&anew->head);
    }
    value_release(found);
    return ok;
}

static const NativeRow ordered_methods[] = {
    { "copy", table_copy, "", 0, "A new one of the same entries." },
    { "move_to_end", ordered_move, "key, last = True", 0, "Puts an entry at the end, or at the beginning." },
    { 0 }
};
static const Type type_ordered = {
    .name = "OrderedDict", TABLE_ROW, .get_item = table_get_item, .repr = ordered_repr, .methods = ordered_methods,
};

Dict *ordered_dict(Value v) { return is_native(v, &type_ordered) ? dict_of(v) : NULL; }

bool ordered_new(Session *s, Dict *taken, Value *out, Err *err) { return over(s, &type_ordered, taken, value_unset(), out, err); }

NATIVE(new_ordered)
{
    (void)self;
    Dict *dict = dict_new(s, err);
    if (dict && (value_is_unset(arg[0]) || dict_update(s, dict, is_table(arg[0]) ? inner(arg[0]) : arg[0], false, err))
        && dict_update(s, dict, arg[1], false, err))
        return over(s, &type_ordered, dict, value_unset(), out, err);
    if (dict)
        object_release(&dict->head);
    return false;
}

/* ---- Counter -------------------------------------------------------------------------------------------- */
/* count[key] += amount, or -= */
static bool count_key(Session *s, Dict *dict, Value key, Value amount, bool minus, Err *err)
{
    Value found, sum;
    if (!dict_get(s, dict, key, &found, err)
        || !value_binary(s, minus ? BIN_SUB : BIN_ADD, value_is_unset(found) ? int_new(s, 0) : found, amount, &sum, err))
        return false;
    bool ok = dict_set(s, dict, key, sum, err);
    value_release(sum);
    return ok;
}

static bool count_all(Session *s, Dict *dict, Value from, bool minus, Err *err)
{
    Value iterator, key, value;
    IterStatus status = ITER_END;
    bool ok = true;
    if (is_table(from))
        from = inner(from);
    if (value_is(from, TYPE_DICT)) {
        int64_t at = 0;
        while (ok && dict_next((Dict *)from.object, &at, &key, &value)) {
            value_retain(key);
            value_retain(value);
            ok = count_key(s, dict, key, value, minus, err);
            value_release(key);
            value_release(value);
        }
        return ok;
    }
    if (!value_iter(s, from, &iterator, err))
        return false;
    while (ok && (status = value_next(s, iterator, &key, err)) == ITER_VALUE) {
        ok = count_key(s, dict, key, int_new(s, 1), minus, err);
        value_release(key);
    }
    value_release(iterator);
    return ok && status == ITER_END;
}

/* update and subtract: the payload is 0 and 1. */
NATIVE(counter_update)
{
    *out = value_none();
    return (value_is_unset(arg[0]) || count_all(s, dict_of(self), arg[0], arg[-1].i, err))
        && count_all(s, dict_of(self), arg[1], arg[-1].i, err);
}

/* Pairs by their counts, the largest first; equal ones as they came. */
static List *by_count(Session *s, Value self, Err *err)
{
    int64_t at = 0, n = 0;
    Value key, value;
    Dict *dict = dict_of(self);
    List *pairs = list_new(s, dict->used, err), *sorted = pairs ? list_new(s, dict->used, err) : NULL;
    Value *counts = sorted ? mem_new(s->heap, ((size_t)dict->used + 1) * sizeof *counts) : NULL;
    bool ok = counts || (sorted && err_memory(err, (size_t)dict->used * sizeof *counts));
    while (ok && dict_next(dict, &at, &key, &value)) {          /* (-count, place): sorted by two keys */
        Tuple *pair = tuple_new(s, 2, err), *order = pair ? tuple_new(s, 2, err) : NULL;
        Value minus;
        ok = order && value_unary(s, UN_NEG, value, &minus, err);
        if (pair) {
            pair->item[0] = value_retain(key);
            pair->item[1] = value_retain(value);
        }
        if (ok) {
            order->item[0] = minus;
            order->item[1] = int_new(s, n);
            counts[n++] = value_object_take(order);
            ok = list_append(s, pairs, value_object_take(pair), err);
        } else if (order)
            object_release(&order->head);
        if (pair)
            object_release(&pair->head);
    }
    ok = ok && values_sort(s, counts, n, value_none(), false, err);
    for (int64_t i = 0; ok && i < n; i++)
        ok = list_append(s, sorted, pairs->item[((Tuple *)counts[i].object)->item[1].i], err);
    while (n-- > 0)
        value_release(counts[n]);
    mem_free(s->heap, counts);
    if (pairs)
        object_release(&pairs->head);
    if (ok)
        return sorted;
    if (sorted)
        object_release(&sorted->head);
    return NULL;
}

NATIVE(counter_most_common)
{
    int64_t most = INT64_MAX;
    if (!value_is_none(arg[0]) && !value_index(s, arg[0], "n", &most, err))
        return false;
    List *list = by_count(s, self, err);
    if (!list)
        return false;
    while (list->n > (most < 0 ? 0 : most))
        value_release(list->item[--list->n]);
    *out = value_object_take(list);
    return true;
}

NATIVE(counter_elements)
{
    int64_t at = 0;
    Value key, value;
    (void)arg;
    List *list = list_new(s, 0, err);
    bool ok = list;
    while (ok && dict_next(dict_of(self), &at, &key, &value))
        for (int64_t k = 0; ok && value_tag(value) == V_INT && k < value.i; k++)
            ok = list_append(s, list, key, err);
    ok = ok && iterator_over(s, (Value){ V_OBJECT, { .object = &list->head } }, out, err);
    if (list)
        object_release(&list->head);
    return ok;
}

NATIVE(counter_total)
{
    int64_t at = 0;
    Value key, value, total = int_new(s, 0), next;
    (void)arg;
    while (dict_next(dict_of(self), &at, &key, &value)) {
        if (!value_binary(s, BIN_ADD, total, value, &next, err))
            return value_release(total), false;
        value_replace(&total, next);
    }
    *out = total;
    return true;
}

static bool counter_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Value found;
    if (!dict_get(s, dict_of(self), key, &found, err))
        return false;
    *out = value_is_unset(found) ? int_new(s, 0) : value_retain(found);
    return true;
}

static bool counter_repr(Session *s, Value self, Text *text, Err *err)
{
    List *list = by_count(s, self, err);
    bool ok = list;
    if (!ok)
        return false;
    text_put(text, list->n ? "Counter({" : "Counter(");
    for (int64_t i = 0; ok && i < list->n; i++) {
        const Tuple *pair = (Tuple *)list->item[i].object;
        text_put(text, i ? ", " : "");
        ok = value_repr(s, pair->item[0], text, err);
        text_put(text, ": ");
        ok = ok && value_repr(s, pair->item[1], text, err);
    }
    text_put(text, list->n ? "})" : ")");
    object_release(&list->head);
    return ok;
}

/* Keeps the counts above 0. */
static bool drop_rest(Session *s, Dict *dict, Err *err)
{
    for (int64_t i = 0; i < dict->filled; i++) {
        Value key = dict->entry[i].key, positive;
        bool found;
        if (value_is_unset(key))
            continue;
        if (!value_compare(s, CMP_GT, dict->entry[i].value, int_new(s, 0), &positive, err))
            return false;
        if (positive.i)
            continue;
        value_retain(key);
        bool ok = dict_delete(s, dict, key, &found, err);
        value_release(key);
        if (!ok)
            return false;
    }
    return true;
}

static bool counter_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if ((op != BIN_ADD && op != BIN_SUB) || !is_native(a, &type_counter) || !is_native(b, &type_counter))
        return true;
    Dict *made = dict_copy(s, dict_of(a), err);
    if (made && count_all(s, made, b, op == BIN_SUB, err) && drop_rest(s, made, err))
        return over(s, &type_counter, made, value_unset(), out, err);
    if (made)
        object_release(&made->head);
    return false;
}

static const NativeRow counter_methods[] = {
    { "copy", table_copy, "", 0, "A new one of the same counts." },
    { "elements", counter_elements, "", 0, "Each key as often as it was counted." },
    { "most_common", counter_most_common, "n = None", 0, "Pairs of key and count, the largest counts first." },
    { "subtract", counter_update, "iterable = ..., /, **kwds", 1, "Counts backwards." },
    { "total", counter_total, "", 0, "The sum of the counts." },
    { "update", counter_update, "iterable = ..., /, **kwds", 0, "Counts more." },
    { 0 }
};
static const Type type_counter = {
    .name = "Counter", TABLE_ROW, .get_item = counter_get_item, .repr = counter_repr, .binary = counter_binary, .methods = counter_methods,
};

NATIVE(new_counter)
{
    (void)self;
    Dict *dict = dict_new(s, err);
    if (dict && (value_is_unset(arg[0]) || value_is_none(arg[0]) || count_all(s, dict, arg[0], false, err)) && count_all(s, dict, arg[1], false, err)) {
        if (!over(s, &type_counter, dict, value_unset(), out, err))
            return false;
        return true;
    }
    if (dict)
        object_release(&dict->head);
    return false;
}

/* ---- deque ---------------------------------------------------------------------------------------------- */
static List *list_of(Value v)
{
    return (List *)inner(v).object;
}

/* Takes elements off one end until it is short enough. */
static void shorten(Value self, bool left)
{
    List *list = list_of(self);
    int64_t most = ((NativeObject *)self.object)->number;
    while (most >= 0 && list->n > most) {
        Value gone = left ? list->item[0] : list->item[list->n - 1];
        if (left)
            memmove(list->item, list->item + 1, (size_t)(list->n - 1) * sizeof gone);
        list->n--;
        value_release(gone);
    }
}

static bool push(Session *s, Value self, Value v, bool left, Err *err)
{
    List *list = list_of(self);
    if (!list_append(s, list, v, err))
        return false;
    if (left) {
        Value last = list->item[list->n - 1];
        memmove(list->item + 1, list->item, (size_t)(list->n - 1) * sizeof last);
        list->item[0] = last;
    }
    shorten(self, !left);
    return true;
}

/* append and appendleft, extend and extendleft, pop and popleft: the payload is 1 for the left end. */
NATIVE(deque_append)
{
    *out = value_none();
    return push(s, self, arg[0], arg[-1].i, err);
}

NATIVE(deque_extend)
{
    *out = value_none();
    List *from = value_to_list(s, arg[0], err);
    bool ok = from;
    for (int64_t i = 0; ok && i < from->n; i++)
        ok = push(s, self, from->item[i], arg[-1].i, err);
    if (from)
        object_release(&from->head);
    return ok;
}

NATIVE(deque_pop)
{
    List *list = list_of(self);
    (void)s;
    if (!list->n)
        return err_set(err, ERR_INDEX, "pop from an empty deque");
    *out = list->item[arg[-1].i ? 0 : list->n - 1];
    if (arg[-1].i)
        memmove(list->item, list->item + 1, (size_t)(list->n - 1) * sizeof *list->item);
    list->n--;
    return true;
}

NATIVE(deque_rotate)
{
    List *list = list_of(self);
    int64_t n;
    *out = value_none();
    if (!value_index(s, arg[0], "n", &n, err))
        return false;
    if (list->n)
        for (n = ((n % list->n) + list->n) % list->n; n; n--) {
            Value last = list->item[list->n - 1];
            memmove(list->item + 1, list->item, (size_t)(list->n - 1) * sizeof last);
            list->item[0] = last;
        }
    return true;
}

NATIVE(deque_copy)
{
    (void)arg;
    if (!over(s, &type_deque, value_to_list(s, inner(self), err), value_unset(), out, err))
        return false;
    ((NativeObject *)out->object)->number = ((NativeObject *)self.object)->number;
    return true;
}

static bool deque_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    int64_t index;
    return sequence_index(s, key, list_of(self)->n, "deque", &index, err)
        && ((*out = value_retain(list_of(self)->item[index])), true);
}

static bool deque_repr(Session *s, Value self, Text *text, Err *err)
{
    int64_t most = ((NativeObject *)self.object)->number;
    text_put(text, "deque(");
    bool ok = value_repr(s, inner(self), text, err);
    if (most >= 0)
        text_print(text, ", maxlen=%lld", (long long)most);
    text_put(text, ")");
    return ok;
}

static bool deque_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    return !is_native(a, &type_deque) || !is_native(b, &type_deque) || value_compare(s, op, inner(a), inner(b), out, err);
}

static bool deque_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    static const char *const of_list[] = { "clear", "count", "index", "insert", "remove", "reverse" };
    int64_t most = ((NativeObject *)self.object)->number;
    *out = value_unset();
    if (!strcmp(name->s, "maxlen"))
        *out = most < 0 ? value_none() : int_new(s, most);
    for (size_t k = 0; k < sizeof of_list / sizeof *of_list; k++)
        if (!strcmp(of_list[k], name->s))
            return value_find_attr(s, inner(self), name, out, err);
    return true;
}

static const NativeRow deque_methods[] = {
    { "append", deque_append, "item, /", 0, "Adds at the right end." },
    { "appendleft", deque_append, "item, /", 1, "Adds at the left end." },
    { "copy", deque_copy, "", 0, "A new one of the same elements." },
    { "extend", deque_extend, "iterable, /", 0, "Adds all at the right end." },
    { "extendleft", deque_extend, "iterable, /", 1, "Adds all at the left end, one after another." },
    { "pop", deque_pop, "", 0, "Takes the last element out." },
    { "popleft", deque_pop, "", 1, "Takes the first element out." },
    { "rotate", deque_rotate, "n = 1, /", 0, "Moves elements from the right end to the left." },
    { 0 }
};
static const Type type_deque = {
    .name = "deque", .length = table_length, .get_item = deque_get_item, .set_item = NULL, .contains = table_contains, .iter = table_iter,
    .compare = deque_compare, .hash = unhashable, .repr = deque_repr, .get_attr = deque_get_attr, .methods = deque_methods,
};

NATIVE(new_deque)
{
    int64_t most = -1;
    (void)self;
    if (!value_is_none(arg[1]) && !value_index(s, arg[1], "maxlen", &most, err))
        return false;
    if (!value_is_none(arg[1]) && most < 0)
        return err_set(err, ERR_VALUE, "maxlen must be non-negative");
    List *list = value_is_unset(arg[0]) ? list_new(s, 0, err) : value_to_list(s, arg[0], err);
    if (!over(s, &type_deque, list, value_unset(), out, err))
        return false;
    ((NativeObject *)out->object)->number = most;
    shorten(*out, true);
    return true;
}

static const NativeRow rows[] = {
    { "Counter", new_counter, "iterable = ..., /, **kwds", 0, "A dict of counts." },
    { "OrderedDict", new_ordered, "mapping = ..., /, **kwds", 0, "A dict that can put its entries in another order." },
    { "defaultdict", new_default, "default_factory = None, mapping = ..., /, **kwds", 0, "A dict that makes what is missing." },
    { "deque", new_deque, "iterable = ..., maxlen = None", 0, "A list with two ends." },
    { 0 }
};

Module *module_collections(Session *s, Err *err)
{
    return module_new(s, "collections", rows, err);
}
