/*
 * dict_methods.c - dict as a type of the language, and its views.
 */
#include "lang/types/containers.h"
#include <string.h>

static Value borrowed(Dict *d)
{
    return (Value){ V_OBJECT, { .object = &d->head } };
}

static bool dict_repr(Session *s, Value self, Text *text, Err *err)
{
    Dict *d = (Dict *)self.object;
    int64_t at = 0;
    bool ok = true, first = true;
    Value key, value;
    if (repr_enter(s, d)) {
        text_put(text, "{...}");
        return true;
    }
    text_put(text, "{");
    for (; ok && dict_next(d, &at, &key, &value); first = false) {
        if (!first)
            text_put(text, ", ");
        value_retain(key);
        value_retain(value);
        ok = value_repr(s, key, text, err);
        text_put(text, ": ");
        ok = ok && value_repr(s, value, text, err);
        value_release(key);
        value_release(value);
    }
    text_put(text, "}");
    repr_leave(s, d);
    return ok;
}

static bool dict_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)self, (void)hash;
    return err_set(err, ERR_TYPE, "unhashable type: 'dict'");
}

static bool equal_dicts(Session *s, Dict *a, Dict *b, bool *equal, Err *err)
{
    *equal = a->used == b->used;
    for (int64_t i = 0; *equal && i < a->filled; i++) {
        if (value_is_unset(a->entry[i].key))
            continue;
        Value key = value_retain(a->entry[i].key), value = value_retain(a->entry[i].value);
        int64_t at = table_find(s, b, key, a->entry[i].hash, err);
        Value other = at >= 0 ? value_retain(b->entry[at].value) : value_unset();
        bool ok = at > -2;
        if (at >= 0)
            ok = value_equal(s, value, other, equal, err);
        else
            *equal = false;
        value_release(key);
        value_release(value);
        value_release(other);
        if (!ok)
            return false;
    }
    return true;
}

static bool dict_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    bool equal;
    *out = not_implemented_value();
    if (!value_is(a, TYPE_DICT) || !value_is(b, TYPE_DICT) || (op != CMP_EQ && op != CMP_NE))
        return true;
    if (!equal_dicts(s, (Dict *)a.object, (Dict *)b.object, &equal, err))
        return false;
    *out = value_bool(equal == (op == CMP_EQ));
    return true;
}

static bool dict_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((Dict *)self.object)->used;
    return true;
}

static bool dict_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Value found;
    if (!dict_get(s, (Dict *)self.object, key, &found, err))
        return false;
    if (value_is_unset(found))
        return key_error(s, key, err);
    *out = value_retain(found);
    return true;
}

static bool dict_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    return dict_set(s, (Dict *)self.object, key, value, err);
}

static bool dict_del_item(Session *s, Value self, Value key, Err *err)
{
    bool found;
    return dict_delete(s, (Dict *)self.object, key, &found, err) && (found || key_error(s, key, err));
}

static bool dict_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    Value value;
    if (!dict_get(s, (Dict *)self.object, item, &value, err))
        return false;
    *found = !value_is_unset(value);
    return true;
}

static bool dict_iter(Session *s, Value self, Value *out, Err *err)
{
    return iterator_over(s, self, out, err);
}

/* ---- taking others in ----------------------------------------------------------------------------------- */
static bool repeated(Session *s, Value key, Err *err)
{
    (void)s;
    return err_set(err, ERR_TYPE, "got two values for keyword argument '%.200s'",
                   value_is(key, TYPE_STR) ? ((Str *)key.object)->s : "?");
}

static bool set_once(Session *s, Dict *d, Value key, Value value, bool refuse, Err *err)
{
    bool found = false;
    if (refuse && (!dict_contains(s, borrowed(d), key, &found, err) || found))
        return found ? repeated(s, key, err) : false;
    return dict_set(s, d, key, value, err);
}

static bool update_from_dict(Session *s, Dict *d, Dict *from, bool refuse, Err *err)
{
    int64_t at = 0;
    Value key, value;
    bool ok = true;
    if (d == from)
        return true;
    while (ok && dict_next(from, &at, &key, &value)) {
        value_retain(key);
        value_retain(value);
        ok = set_once(s, d, key, value, refuse, err);
        value_release(key);
        value_release(value);
    }
    return ok;
}

/* Anything with keys() and items. */
static bool update_from_mapping(Session *s, Dict *d, Value mapping, Value keys, bool refuse, Err *err)
{
    Value names, iterator, key, value;
    IterStatus status;
    if (!value_call(s, keys, NULL, 0, 0, NULL, &names, err))
        return false;
    bool ok = value_iter(s, names, &iterator, err);
    value_release(names);
    if (!ok)
        return false;
    while ((status = value_next(s, iterator, &key, err)) == ITER_VALUE) {
        ok = value_get_item(s, mapping, key, &value, err);
        if (ok) {
            ok = set_once(s, d, key, value, refuse, err);
            value_release(value);
        }
        value_release(key);
        if (!ok)
            break;
    }
    value_release(iterator);
    return ok && status == ITER_END;
}

static bool update_from_pairs(Session *s, Dict *d, Value pairs, bool refuse, Err *err)
{
    Value iterator, item;
    IterStatus status;
    bool ok = true;
    if (!value_iter(s, pairs, &iterator, err))
        return false;
    for (int64_t i = 0; ok && (status = value_next(s, iterator, &item, err)) == ITER_VALUE; i++) {
        List *pair = value_type(item)->iter ? value_to_list(s, item, err) : NULL;
        if (!pair && !value_type(item)->iter)
            err_set(err, ERR_TYPE, "cannot convert dictionary update sequence element #%lld to a sequence", (long long)i);
        ok = pair && (pair->n == 2
            || err_set(err, ERR_VALUE, "dictionary update sequence element #%lld has length %lld; 2 is required", (long long)i, (long long)pair->n));
        ok = ok && set_once(s, d, pair->item[0], pair->item[1], refuse, err);
        if (pair)
            object_release(&pair->head);
        value_release(item);
    }
    value_release(iterator);
    return ok && status == ITER_END;
}

bool dict_update(Session *s, Dict *d, Value mapping, bool refuse_repeats, Err *err)
{
    Value keys = value_unset();
    if (value_is(mapping, TYPE_DICT))
        return update_from_dict(s, d, (Dict *)mapping.object, refuse_repeats, err);
    Str *name = str_intern(s, "keys", 4, err);
    if (!name)
        return false;
    bool ok = value_find_attr(s, mapping, name, &keys, err);
    object_release(&name->head);
    if (!ok)
        return false;
    if (!value_is_unset(keys))
        ok = update_from_mapping(s, d, mapping, keys, refuse_repeats, err);
    else if (refuse_repeats)
        ok = err_set(err, ERR_TYPE, "the argument after ** must be a mapping, not %s", value_type_name(mapping));
    else
        ok = update_from_pairs(s, d, mapping, false, err);
    value_release(keys);
    return ok;
}

static bool dict_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (op != BIN_OR || !value_is(a, TYPE_DICT) || !value_is(b, TYPE_DICT))
        return true;
    Dict *made = dict_copy(s, (Dict *)a.object, err);
    if (!made)
        return false;
    if (!update_from_dict(s, made, (Dict *)b.object, false, err)) {
        object_release(&made->head);
        return false;
    }
    *out = value_object_take(made);
    return true;
}

static bool dict_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (op != BIN_OR)
        return true;
    if (!dict_update(s, (Dict *)a.object, b, false, err))
        return false;
    *out = value_retain(a);
    return true;
}

/* ---- methods -------------------------------------------------------------------------------------------- */
#define DICT_METHOD(name) static bool dict_##name(Session *s, Value self, Value *arg, Value *out, Err *err)
#define SELF Dict *d = (Dict *)self.object

DICT_METHOD(get_method)
{
    Value found;
    if (!dict_get(s, (Dict *)self.object, arg[0], &found, err))
        return false;
    *out = value_retain(value_is_unset(found) ? arg[1] : found);
    return true;
}

DICT_METHOD(setdefault)
{
    SELF;
    Value found;
    if (!dict_get(s, d, arg[0], &found, err))
        return false;
    if (value_is_unset(found)) {
        if (!dict_set(s, d, arg[0], arg[1], err))
            return false;
        found = arg[1];
    }
    *out = value_retain(found);
    return true;
}

DICT_METHOD(pop)
{
    SELF;
    uint64_t hash;
    Value key;
    if (!value_hash(s, arg[0], &hash, err))
        return false;
    int64_t at = table_find(s, d, arg[0], hash, err);
    if (at == -2)
        return false;
    if (at == -1) {
        if (value_is_unset(arg[1]))
            return key_error(s, arg[0], err);
        *out = value_retain(arg[1]);
        return true;
    }
    table_take(d, at, &key, out);
    value_release(key);
    return true;
}

DICT_METHOD(popitem)
{
    SELF;
    int64_t at = dict_last(d);
    (void)arg;
    if (at < 0)
        return key_error_text(s, "popitem(): dictionary is empty", err);
    Tuple *pair = tuple_new(s, 2, err);
    if (!pair)
        return false;
    dict_take_last(d, at, &pair->item[0], &pair->item[1]);
    *out = value_object_take(pair);
    return true;
}

DICT_METHOD(update_method)
{
    SELF;
    *out = value_none();
    return (value_is_unset(arg[0]) || dict_update(s, d, arg[0], false, err))
        && update_from_dict(s, d, (Dict *)arg[1].object, false, err);
}

DICT_METHOD(clear_method)
{
    (void)s, (void)arg, (void)err;
    *out = value_none();
    dict_clear((Dict *)self.object);
    return true;
}

DICT_METHOD(copy_method)
{
    (void)arg;
    Dict *made = dict_copy(s, (Dict *)self.object, err);
    if (made)
        *out = value_object_take(made);
    return made;
}

/* keys, values, items: the payload says which. */
DICT_METHOD(view)
{
    DictView *view = dict_view_new(s, (Dict *)self.object, (ViewKind)arg[-1].i, err);
    if (view)
        *out = value_object_take(view);
    return view;
}

DICT_METHOD(fromkeys)
{
    Value iterator, key;
    IterStatus status = ITER_END;
    bool ok = true;
    (void)self;
    Dict *made = dict_new(s, err);
    if (!made || !value_iter(s, arg[0], &iterator, err)) {
        if (made)
            object_release(&made->head);
        return false;
    }
    while (ok && (status = value_next(s, iterator, &key, err)) == ITER_VALUE) {
        ok = dict_set(s, made, key, arg[1], err);
        value_release(key);
    }
    value_release(iterator);
    if (ok && status == ITER_END) {
        *out = value_object_take(made);
        return true;
    }
    object_release(&made->head);
    return false;
}

static const NativeRow dict_methods[] = {
    { "clear", dict_clear_method, "", 0, "Takes all entries out." },
    { "copy", dict_copy_method, "", 0, "A new dict of the same entries." },
    { "fromkeys", dict_fromkeys, "iterable, value = None, /", ROW_STATIC, "A new dict with these keys and one value." },
    { "get", dict_get_method, "key, default = None, /", 0, "The value of a key, or the default if it is not there." },
    { "items", dict_view, "", VIEW_ITEMS, "A view of its pairs of key and value." },
    { "keys", dict_view, "", VIEW_KEYS, "A view of its keys." },
    { "pop", dict_pop, "key, default = ..., /", 0, "Takes an entry out and returns its value." },
    { "popitem", dict_popitem, "", 0, "Takes the last entry out and returns key and value." },
    { "setdefault", dict_setdefault, "key, default = None, /", 0, "The value of a key, which is put in if it is not there." },
    { "update", dict_update_method, "other = ..., /, **kwargs", 0, "Takes the entries of another mapping in." },
    { "values", dict_view, "", VIEW_VALUES, "A view of its values." },
    { 0 }
};

const Type type_dict = {
    .name = "dict", .drop = dict_drop, .visit = dict_visit, .repr = dict_repr, .hash = dict_hash, .compare = dict_compare,
    .binary = dict_binary, .inplace = dict_inplace, .length = dict_length, .get_item = dict_get_item, .set_item = dict_set_item,
    .del_item = dict_del_item, .contains = dict_contains, .iter = dict_iter, .methods = dict_methods,
};

/* ---- views ---------------------------------------------------------------------------------------------- */
DictView *dict_view_new(Session *s, Dict *dict, ViewKind kind, Err *err)
{
    DictView *view = heap_object_new(s->heap, sizeof *view, TYPE_DICT_VIEW, err);
    if (!view)
        return NULL;
    view->dict = (Dict *)value_retain(borrowed(dict)).object;
    view->kind = kind;
    return view;
}

static void view_drop(Object *self)
{
    Dict *dict = ((DictView *)self)->dict;
    heap_object_free(self, sizeof(DictView));
    object_release(&dict->head);
}

static void view_visit(Object *self, Visitor *visitor)
{
    visitor->edge(visitor, borrowed(((DictView *)self)->dict), "dict of a view", NULL, 0);
}

static bool view_repr(Session *s, Value self, Text *text, Err *err)
{
    const DictView *view = (DictView *)self.object;
    static const char *const names[] = { "dict_keys", "dict_values", "dict_items" };
    List *list = value_to_list(s, self, err);
    if (!list)
        return false;
    text_print(text, "%s(", names[view->kind]);
    bool ok = value_repr(s, value_object_take(list), text, err);
    text_put(text, ")");
    object_release(&list->head);
    return ok;
}

static bool view_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((DictView *)self.object)->dict->used;
    return true;
}

static bool view_iter(Session *s, Value self, Value *out, Err *err)
{
    return iterator_over(s, self, out, err);
}

static bool view_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    const DictView *view = (DictView *)self.object;
    Value value;
    *found = false;
    if (view->kind == VIEW_KEYS)
        return dict_contains(s, borrowed(view->dict), item, found, err);
    if (view->kind == VIEW_ITEMS) {
        Tuple *pair = (Tuple *)item.object;
        if (!value_is(item, TYPE_TUPLE) || pair->n != 2)
            return true;
        if (!dict_get(s, view->dict, pair->item[0], &value, err))
            return false;
        if (value_is_unset(value))
            return true;
        value_retain(value);
        bool ok = value_equal(s, value, pair->item[1], found, err);
        value_release(value);
        return ok;
    }
    List *list = value_to_list(s, self, err);
    if (!list)
        return false;
    bool ok = value_contains(s, value_object_take(list), item, found, err);
    object_release(&list->head);
    return ok;
}

/* Views of keys and items act as sets. */
static bool view_as_set(Session *s, Value v, Value *out, Err *err)
{
    if (is_set(v)) {
        *out = value_retain(v);
        return true;
    }
    Dict *made = set_new(s, TYPE_SET, err);
    if (!made)
        return false;
    if (!set_update(s, made, v, err)) {
        object_release(&made->head);
        return false;
    }
    *out = value_object_take(made);
    return true;
}

static bool is_set_like(Value v)
{
    return is_set(v) || (value_is(v, TYPE_DICT_VIEW) && ((DictView *)v.object)->kind != VIEW_VALUES);
}

static bool view_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    Value x, y;
    *out = not_implemented_value();
    if (!is_set_like(a) || !is_set_like(b))
        return true;
    if (!view_as_set(s, a, &x, err))
        return false;
    bool ok = view_as_set(s, b, &y, err);
    if (ok) {
        ok = value_compare(s, op, x, y, out, err);
        value_release(y);
    }
    value_release(x);
    return ok;
}

static bool view_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Value x, y;
    bool algebra = op == BIN_OR || op == BIN_AND || op == BIN_SUB || op == BIN_XOR;
    *out = not_implemented_value();
    if (!algebra || !is_set_like(a) || !value_type(b)->iter)
        return true;
    if (!view_as_set(s, a, &x, err))
        return false;
    bool ok = view_as_set(s, b, &y, err);
    if (ok) {
        ok = value_binary(s, op, x, y, out, err);
        value_release(y);
    }
    value_release(x);
    return ok;
}

static bool view_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    if (((DictView *)self.object)->kind != VIEW_VALUES)
        return err_set(err, ERR_TYPE, "unhashable type: 'dict_%s'", ((DictView *)self.object)->kind == VIEW_KEYS ? "keys" : "items");
    *hash = value_id(s, self) >> 4;
    return true;
}

const Type type_dict_view = {
    .name = "dict_keys", .drop = view_drop, .visit = view_visit, .repr = view_repr, .hash = view_hash, .compare = view_compare,
    .binary = view_binary, .length = view_length, .contains = view_contains, .iter = view_iter,
};
