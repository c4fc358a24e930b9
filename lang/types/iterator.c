/*
 * iterator.c - iterators over containers, and enumerate, zip, map, filter, reversed.
 */
#include "lang/types/iterator.h"
#include "lang/types/containers.h"
#include <string.h>

Iterator *iterator_new(Session *s, const IteratorKind *kind, Value over, Value with, Err *err)
{
    Iterator *it = heap_object_new(s->heap, sizeof *it, TYPE_ITERATOR, err);
    if (!it)
        return NULL;
    it->kind = kind;
    it->at = it->step = it->end = 0;
    it->over = value_retain(over);
    it->with = value_retain(with);
    return it;
}

IterStatus iterator_end(Iterator *it)
{
    Value over = it->over, with = it->with;
    it->over = it->with = value_unset();
    value_release(over);
    value_release(with);
    return ITER_END;
}

/* ---- containers ----------------------------------------------------------------------------------------- */
static IterStatus next_list(Session *s, Iterator *it, Value *out, Err *err)
{
    const List *list = (List *)it->over.object;
    (void)s, (void)err;
    if (value_is_unset(it->over) || it->at >= list->n)
        return iterator_end(it);
    *out = value_retain(list->item[it->at++]);
    return ITER_VALUE;
}

static int64_t left_list(const Iterator *it)
{
    return value_is_unset(it->over) ? 0 : ((List *)it->over.object)->n - it->at;
}

static IterStatus next_tuple(Session *s, Iterator *it, Value *out, Err *err)
{
    const Tuple *tuple = (Tuple *)it->over.object;
    (void)s, (void)err;
    if (value_is_unset(it->over) || it->at >= tuple->n)
        return iterator_end(it);
    *out = value_retain(tuple->item[it->at++]);
    return ITER_VALUE;
}

static int64_t left_tuple(const Iterator *it)
{
    return value_is_unset(it->over) ? 0 : ((Tuple *)it->over.object)->n - it->at;
}

/* at: the next number; end: how many are left. */
static IterStatus next_range(Session *s, Iterator *it, Value *out, Err *err)
{
    (void)err;
    if (it->end <= 0)
        return ITER_END;
    it->end--;
    *out = int_new(s, it->at);
    it->at += it->step;
    return ITER_VALUE;
}

static int64_t left_range(const Iterator *it)
{
    return it->end;
}

/* at: a byte offset. */
static IterStatus next_str(Session *s, Iterator *it, Value *out, Err *err)
{
    const Str *str = (Str *)it->over.object;
    if (value_is_unset(it->over) || it->at >= str->size)
        return iterator_end(it);
    int64_t n = 1;
    while (it->at + n < str->size && ((unsigned char)str->s[it->at + n] & 0xc0) == 0x80)
        n++;
    Str *one = str_intern(s, str->s + it->at, n, err);         /* single characters are shared */
    if (!one)
        return ITER_ERROR;
    it->at += n;
    *out = value_object_take(one);
    return ITER_VALUE;
}

/* at: a position of dict_next; end: how many entries there were; step: the ViewKind. */
static IterStatus next_dict(Session *s, Iterator *it, Value *out, Err *err)
{
    Dict *d = (Dict *)it->over.object;
    Value key, value;
    if (value_is_unset(it->over))
        return ITER_END;
    if (d->used != it->end) {
        it->end = -1;                   /* and so at every later call */
        err_set(err, ERR_RUNTIME, "%s changed size during iteration", d->head.type == TYPE_DICT ? "dictionary" : "Set");
        err_hint(err, "list(…) makes a copy that can be walked meanwhile");
        return ITER_ERROR;
    }
    if (!dict_next(d, &it->at, &key, &value))
        return iterator_end(it);
    if (it->step != VIEW_ITEMS) {
        *out = value_retain(it->step == VIEW_KEYS ? key : value);
        return ITER_VALUE;
    }
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair)
        return ITER_ERROR;
    pair->item[0] = value_retain(key);
    pair->item[1] = value_retain(value);
    *out = value_object_take(pair);
    return ITER_VALUE;
}

const IteratorKind iterator_range = { "range_iterator", next_range, left_range };
static const IteratorKind kind_list = { "list_iterator", next_list, left_list }, kind_tuple = { "tuple_iterator", next_tuple, left_tuple },
    kind_str = { "str_iterator", next_str, NULL },
    kind_set = { "set_iterator", next_dict, NULL },
    kind_dict[] = { { "dict_keyiterator", next_dict, NULL }, { "dict_valueiterator", next_dict, NULL }, { "dict_itemiterator", next_dict, NULL } };

static bool over_table(Session *s, Dict *d, ViewKind what, Value *out, Err *err)
{
    Value table = { V_OBJECT, { .object = &d->head } };
    Iterator *it = iterator_new(s, d->head.type == TYPE_DICT ? &kind_dict[what] : &kind_set, table, value_unset(), err);
    if (!it)
        return false;
    it->end = d->used;
    it->step = what;
    *out = value_object_take(it);
    return true;
}

static bool over_range(Session *s, const Range *range, Value *out, Err *err)
{
    Iterator *it = iterator_new(s, &iterator_range, value_unset(), value_unset(), err);
    if (!it)
        return false;
    it->at = range->start;
    it->step = range->step;
    it->end = range->length;
    *out = value_object_take(it);
    return true;
}

bool iterator_over(Session *s, Value over, Value *out, Err *err)
{
    const IteratorKind *kind;
    switch (over.object->type) {
    case TYPE_RANGE: return over_range(s, (Range *)over.object, out, err);
    case TYPE_DICT: case TYPE_SET: case TYPE_FROZENSET: return over_table(s, (Dict *)over.object, VIEW_KEYS, out, err);
    case TYPE_DICT_VIEW: return over_table(s, ((DictView *)over.object)->dict, ((DictView *)over.object)->kind, out, err);
    case TYPE_LIST: kind = &kind_list; break;
    case TYPE_STR: kind = &kind_str; break;
    default: kind = &kind_tuple;
    }
    Iterator *it = iterator_new(s, kind, over, value_unset(), err);
    if (it)
        *out = value_object_take(it);
    return it;
}

/* ---- reversed ------------------------------------------------------------------------------------------- */
/* at: the next index, downwards. */
static IterStatus next_reversed(Session *s, Iterator *it, Value *out, Err *err)
{
    int64_t length;
    if (value_is_unset(it->over) || it->at < 0)
        return iterator_end(it);
    if (value_is(it->over, TYPE_LIST)) {
        const List *list = (List *)it->over.object;
        if (it->at >= list->n)
            return iterator_end(it);
        *out = value_retain(list->item[it->at--]);
        return ITER_VALUE;
    }
    if (!value_length(s, it->over, &length, err) || !value_get_item(s, it->over, int_new(s, it->at), out, err))
        return ITER_ERROR;
    it->at--;
    return ITER_VALUE;
}

static int64_t left_reversed(const Iterator *it)
{
    return value_is_unset(it->over) ? 0 : it->at + 1;
}

static const IteratorKind kind_reversed = { "reversed", next_reversed, left_reversed };

bool iterator_reversed(Session *s, Value sequence, Value *out, Err *err)
{
    int64_t length;
    Value taken = value_retain(sequence);
    const Type *type = value_type(sequence);
    if (value_is(sequence, TYPE_DICT) || value_is(sequence, TYPE_DICT_VIEW)) {
        List *list = value_to_list(s, sequence, err);
        value_release(taken);
        if (!list)
            return false;
        taken = value_object_take(list);
    } else if (!type->get_item || !type->length) {
        value_release(taken);
        return err_set(err, ERR_TYPE, "'%s' object is not reversible", value_type_name(sequence));
    }
    Iterator *it = value_length(s, taken, &length, err) ? iterator_new(s, &kind_reversed, taken, value_unset(), err) : NULL;
    value_release(taken);
    if (!it)
        return false;
    it->at = length - 1;
    *out = value_object_take(it);
    return true;
}

/* ---- enumerate, zip, map, filter, iter(f, end) ---------------------------------------------------------- */
static IterStatus next_enumerate(Session *s, Iterator *it, Value *out, Err *err)
{
    Value item;
    if (value_is_unset(it->over))
        return ITER_END;
    IterStatus status = value_next(s, it->over, &item, err);
    if (status != ITER_VALUE)
        return status == ITER_END ? iterator_end(it) : status;
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair) {
        value_release(item);
        return ITER_ERROR;
    }
    pair->item[0] = int_new(s, it->at++);
    pair->item[1] = item;
    *out = value_object_take(pair);
    return ITER_VALUE;
}

/* One item of each iterator of the tuple `over`; they all end with the first that does. step: they must be equally long. */
static IterStatus next_of_each(Session *s, Iterator *it, Tuple **items, Err *err)
{
    Tuple *from = (Tuple *)it->over.object, *made;
    if (value_is_unset(it->over) || !from->n)
        return ITER_END;
    if (!(made = tuple_new(s, from->n, err)))
        return ITER_ERROR;
    value_retain(it->over);
    IterStatus status = ITER_VALUE;
    int64_t k = 0;
    for (; k < from->n && status == ITER_VALUE; k++)
        status = value_next(s, from->item[k], &made->item[k], err);
    if (status == ITER_END && it->step && k > 1) {
        err_set(err, ERR_VALUE, "zip() argument %lld is shorter than argument%s %lld", (long long)k, k > 2 ? "s 1-" : "", (long long)k - 1);
        status = ITER_ERROR;
    } else if (status == ITER_END && it->step)
        for (Value extra; k < from->n && status == ITER_END; k++) {
            status = value_next(s, from->item[k], &extra, err);
            if (status == ITER_VALUE) {
                value_release(extra);
                err_set(err, ERR_VALUE, "zip() argument %lld is longer than argument%s %lld", (long long)k + 1, k > 1 ? "s 1-" : "", (long long)k);
                status = ITER_ERROR;
            }
        }
    object_release(&from->head);
    if (status == ITER_VALUE) {
        *items = made;
        return ITER_VALUE;
    }
    object_release(&made->head);
    return status == ITER_END ? iterator_end(it) : status;
}

static IterStatus next_zip(Session *s, Iterator *it, Value *out, Err *err)
{
    Tuple *items;
    IterStatus status = next_of_each(s, it, &items, err);
    if (status == ITER_VALUE)
        *out = value_object_take(items);
    return status;
}

static IterStatus next_map(Session *s, Iterator *it, Value *out, Err *err)
{
    Tuple *items;
    IterStatus status = next_of_each(s, it, &items, err);
    if (status != ITER_VALUE)
        return status;
    Value function = value_retain(it->with);
    bool ok = value_call(s, function, items->item, (int)items->n, 0, NULL, out, err);
    value_release(function);
    object_release(&items->head);
    return ok ? ITER_VALUE : ITER_ERROR;
}

static IterStatus next_filter(Session *s, Iterator *it, Value *out, Err *err)
{
    for (;;) {
        Value answer;
        bool keep;
        if (value_is_unset(it->over))
            return ITER_END;
        IterStatus status = value_next(s, it->over, out, err);
        if (status != ITER_VALUE)
            return status == ITER_END ? iterator_end(it) : status;
        bool ok = true;
        if (value_is_none(it->with))
            answer = value_retain(*out);
        else {
            Value function = value_retain(it->with);
            ok = value_call(s, function, out, 1, 0, NULL, &answer, err);
            value_release(function);
        }
        if (ok) {
            ok = value_truth(s, answer, &keep, err);
            value_release(answer);
        }
        if (ok && keep)
            return ITER_VALUE;
        value_release(*out);
        if (!ok)
            return ITER_ERROR;
    }
}

static IterStatus next_calls(Session *s, Iterator *it, Value *out, Err *err)
{
    bool last;
    if (value_is_unset(it->over))
        return ITER_END;
    if (!value_call(s, it->over, NULL, 0, 0, NULL, out, err))
        return ITER_ERROR;
    if (!value_equal(s, *out, it->with, &last, err)) {
        value_release(*out);
        return ITER_ERROR;
    }
    if (!last)
        return ITER_VALUE;
    value_release(*out);
    return iterator_end(it);
}

static const IteratorKind kind_enumerate = { "enumerate", next_enumerate, NULL }, kind_zip = { "zip", next_zip, NULL },
    kind_map = { "map", next_map, NULL }, kind_filter = { "filter", next_filter, NULL },
    kind_calls = { "callable_iterator", next_calls, NULL };

bool iterator_enumerate(Session *s, Value iterable, int64_t start, Value *out, Err *err)
{
    Value inner;
    if (!value_iter(s, iterable, &inner, err))
        return false;
    Iterator *it = iterator_new(s, &kind_enumerate, inner, value_unset(), err);
    value_release(inner);
    if (!it)
        return false;
    it->at = start;
    *out = value_object_take(it);
    return true;
}

static bool over_several(Session *s, const IteratorKind *kind, Value with, const Value *iterables, int64_t n, bool strict, Value *out, Err *err)
{
    Tuple *inner = tuple_new(s, n, err);
    Iterator *it = NULL;
    bool ok = inner;
    for (int64_t i = 0; ok && i < n; i++) {
        ok = value_iter(s, iterables[i], &inner->item[i], err);
        if (!ok)
            inner->item[i] = value_unset();
    }
    if (ok && (it = iterator_new(s, kind, value_object_take(inner), with, err))) {
        it->step = strict;
        *out = value_object_take(it);
    }
    if (inner)
        object_release(&inner->head);
    return it;
}

bool iterator_zip(Session *s, const Value *iterables, int64_t n, bool strict, Value *out, Err *err)
{
    return over_several(s, &kind_zip, value_unset(), iterables, n, strict, out, err);
}

bool iterator_map(Session *s, Value function, const Value *iterables, int64_t n, Value *out, Err *err)
{
    return over_several(s, &kind_map, function, iterables, n, false, out, err);
}

bool iterator_filter(Session *s, Value function, Value iterable, Value *out, Err *err)
{
    Value inner;
    if (!value_iter(s, iterable, &inner, err))
        return false;
    Iterator *it = iterator_new(s, &kind_filter, inner, function, err);
    value_release(inner);
    if (it)
        *out = value_object_take(it);
    return it;
}

bool iterator_calls(Session *s, Value callable, Value sentinel, Value *out, Err *err)
{
    Iterator *it = iterator_new(s, &kind_calls, callable, sentinel, err);
    if (it)
        *out = value_object_take(it);
    return it;
}

/* ---- the type ------------------------------------------------------------------------------------------- */
static void iterator_drop(Object *self)
{
    Iterator *it = (Iterator *)self;
    iterator_end(it);
    heap_object_free(it, sizeof *it);
}

static void iterator_visit(Object *self, Visitor *visitor)
{
    const Iterator *it = (Iterator *)self;
    visitor->edge(visitor, it->over, "what an iterator walks over", NULL, 0);
    visitor->edge(visitor, it->with, "function of an iterator", NULL, 0);
}

static bool iterator_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)err;
    text_print(text, "<%s object at 0x%llx>", ((Iterator *)self.object)->kind->name, (unsigned long long)value_id(s, self));
    return true;
}

static bool iterator_iter(Session *s, Value self, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = value_retain(self);
    return true;
}

static IterStatus iterator_next(Session *s, Value self, Value *out, Err *err)
{
    Iterator *it = (Iterator *)self.object;
    if (!session_enough_stack(s))
        return recursion_error(err), ITER_ERROR;
    it->head.count++;                   /* what it calls may let go of it */
    IterStatus status = it->kind->next(s, it, out, err);
    object_release(&it->head);
    return status;
}

static bool iterator_length_hint(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Iterator *it = (Iterator *)self.object;
    (void)arg, (void)err;
    *out = value_int(s, it->kind->left ? it->kind->left(it) : 0);
    return true;
}

static const NativeRow iterator_methods[] = {
    { "__length_hint__", iterator_length_hint, "", 0, "How many are to come, as far as it is known." },
    { 0 }
};
const Type type_iterator = {
    .name = "iterator", .drop = iterator_drop, .visit = iterator_visit, .repr = iterator_repr, .iter = iterator_iter, .next = iterator_next,
    .methods = iterator_methods,
};
