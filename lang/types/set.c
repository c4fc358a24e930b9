/*
 * set.c - set and frozenset: the table of dict.c with keys alone.
 */
#include "lang/types/containers.h"
#include <string.h>

static Value borrowed(Dict *d)
{
    return (Value){ V_OBJECT, { .object = &d->head } };
}

static bool set_repr(Session *s, Value self, Text *text, Err *err)
{
    Dict *set = (Dict *)self.object;
    bool frozen = set->head.type == TYPE_FROZENSET, ok = true, first = true;
    int64_t at = 0;
    Value key;
    if (!set->used) {
        text_put(text, frozen ? "frozenset()" : "set()");
        return true;
    }
    if (repr_enter(s, set)) {
        text_put(text, frozen ? "frozenset(...)" : "set(...)");
        return true;
    }
    text_put(text, frozen ? "frozenset({" : "{");
    for (; ok && dict_next(set, &at, &key, NULL); first = false) {
        if (!first)
            text_put(text, ", ");
        value_retain(key);
        ok = value_repr(s, key, text, err);
        value_release(key);
    }
    text_put(text, frozen ? "})" : "}");
    repr_leave(s, set);
    return ok;
}

static bool set_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    (void)s, (void)self, (void)hash;
    err_set(err, ERR_TYPE, "unhashable type: 'set'");
    return err_hint(err, "a frozenset can be a key");
}

/* Does not depend on the order. */
static bool frozenset_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const Dict *set = (Dict *)self.object;
    uint64_t mixed = 0;
    (void)s, (void)err;
    for (int64_t i = 0; i < set->filled; i++)
        if (!value_is_unset(set->entry[i].key)) {
            uint64_t h = set->entry[i].hash;
            mixed ^= ((h ^ 89869747u) ^ (h << 16)) * 3644798167u;
        }
    mixed ^= ((uint64_t)set->used + 1) * 1927868237u;
    mixed ^= (mixed >> 11) ^ (mixed >> 25);
    mixed = mixed * 69069u + 907133923u;
    *hash = mixed == UINT64_MAX ? 590923713u : mixed;
    return true;
}

static bool set_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((Dict *)self.object)->used;
    return true;
}

static bool set_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    uint64_t hash;
    if (!value_hash(s, item, &hash, err))
        return false;
    int64_t at = table_find(s, (Dict *)self.object, item, hash, err);
    *found = at >= 0;
    return at > -2;
}

static bool set_iter(Session *s, Value self, Value *out, Err *err)
{
    return iterator_over(s, self, out, err);
}

/* ---- algebra -------------------------------------------------------------------------------------------- */
/* Calls `each` for every item of an iterable until it answers false. */
static bool each_of(Session *s, Value iterable, bool (*each)(Session *s, void *to, Value item, Err *err), void *to, Err *err)
{
    Value iterator, item;
    IterStatus status;
    if (!value_iter(s, iterable, &iterator, err))
        return false;
    while ((status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        bool ok = each(s, to, item, err);
        value_release(item);
        if (!ok) {
            status = ITER_ERROR;
            break;
        }
    }
    value_release(iterator);
    return status == ITER_END;
}

static bool add_item(Session *s, void *to, Value item, Err *err)
{
    return set_add(s, to, item, err);
}

bool set_update(Session *s, Dict *set, Value iterable, Err *err)
{
    if (is_set(iterable) && iterable.object == &set->head)
        return true;
    if (is_set(iterable) && !set_reserve(s, set, ((Dict *)iterable.object)->used, err))
        return false;
    return each_of(s, iterable, add_item, set, err);
}

static bool discard_item(Session *s, void *to, Value item, Err *err)
{
    bool found;
    return dict_delete(s, to, item, &found, err);
}

typedef struct Choice { Dict *to, *look; bool present; } Choice;

static bool choose_item(Session *s, void *to, Value item, Err *err)
{
    Choice *choice = to;
    bool found;
    return set_contains(s, borrowed(choice->look), item, &found, err)
        && (found != choice->present || set_add(s, choice->to, item, err));
}

/* The items of `from` that are (or are not) in `look`. */
static bool choose(Session *s, Dict *to, Value from, Dict *look, bool present, Err *err)
{
    Choice choice = { to, look, present };
    return each_of(s, from, choose_item, &choice, err);
}

static Dict *as_set(Session *s, Value v, Err *err)
{
    if (is_set(v))
        return (Dict *)value_retain(v).object;
    Dict *made = set_new(s, TYPE_SET, err);
    if (made && !set_update(s, made, v, err)) {
        object_release(&made->head);
        return NULL;
    }
    return made;
}

typedef enum Algebra { UNION, INTERSECTION, DIFFERENCE, SYMMETRIC } Algebra;

static bool combine(Session *s, Algebra how, Dict *a, Dict *b, Dict *to, Err *err)
{
    switch (how) {
    case UNION:
        return set_update(s, to, borrowed(a), err) && set_update(s, to, borrowed(b), err);
    case INTERSECTION:
        return b->used > a->used ? choose(s, to, borrowed(a), b, true, err) : choose(s, to, borrowed(b), a, true, err);
    case DIFFERENCE:
        return choose(s, to, borrowed(a), b, false, err);
    default:
        return choose(s, to, borrowed(a), b, false, err) && choose(s, to, borrowed(b), a, false, err);
    }
}

/* A new set of a's type. */
static bool combined(Session *s, Algebra how, Dict *a, Dict *b, Value *out, Err *err)
{
    Dict *made = how == UNION ? set_copy(s, a, a->head.type, err) : set_new(s, a->head.type, err);
    if (!made)
        return false;
    if (how == UNION ? set_update(s, made, borrowed(b), err) : combine(s, how, a, b, made, err)) {
        *out = value_object_take(made);
        return true;
    }
    object_release(&made->head);
    return false;
}

/* Puts what `from` holds into the place of what `set` holds. */
static void become(Dict *set, Dict *from)
{
    Dict old = *set;
    set->used = from->used;
    set->filled = from->filled;
    set->capacity = from->capacity;
    set->entry = from->entry;
    set->index = from->index;
    set->mask = from->mask;
    set->version++;
    from->used = old.used;
    from->filled = old.filled;
    from->capacity = old.capacity;
    from->entry = old.entry;
    from->index = old.index;
    from->mask = old.mask;
}

static bool combine_in_place(Session *s, Algebra how, Dict *set, Dict *with, Err *err)
{
    Value made;
    if (how == UNION)
        return set_update(s, set, borrowed(with), err);
    if (how == DIFFERENCE && set != with)
        return each_of(s, borrowed(with), discard_item, set, err);
    if (!combined(s, how, set, with, &made, err))
        return false;
    become(set, (Dict *)made.object);
    value_release(made);
    return true;
}

static bool algebra_of(BinaryOp op, Algebra *how)
{
    switch (op) {
    case BIN_OR: *how = UNION; return true;
    case BIN_AND: *how = INTERSECTION; return true;
    case BIN_SUB: *how = DIFFERENCE; return true;
    case BIN_XOR: *how = SYMMETRIC; return true;
    default: return false;
    }
}

static bool is_view_of_keys(Value v)
{
    return value_is(v, TYPE_DICT_VIEW) && ((DictView *)v.object)->kind != VIEW_VALUES;
}

static bool set_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Algebra how;
    *out = not_implemented_value();
    if (!algebra_of(op, &how) || (!is_set(a) && !is_view_of_keys(a)) || (!is_set(b) && !is_view_of_keys(b)))
        return true;
    Dict *x = as_set(s, a, err), *y = x ? as_set(s, b, err) : NULL;
    bool ok = y && combined(s, how, x, y, out, err);
    if (y)
        object_release(&y->head);
    if (x)
        object_release(&x->head);
    return ok;
}

static bool set_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    Algebra how;
    *out = not_implemented_value();
    if (!value_is(a, TYPE_SET) || !algebra_of(op, &how) || !is_set(b))
        return true;
    if (!combine_in_place(s, how, (Dict *)a.object, (Dict *)b.object, err))
        return false;
    *out = value_retain(a);
    return true;
}

/* Is every member of a in b? */
static bool is_subset(Session *s, Dict *a, Dict *b, bool *yes, Err *err)
{
    int64_t at = 0;
    Value key;
    *yes = a->used <= b->used;
    while (*yes && dict_next(a, &at, &key, NULL)) {
        value_retain(key);
        bool ok = set_contains(s, borrowed(b), key, yes, err);
        value_release(key);
        if (!ok)
            return false;
    }
    return true;
}

static bool set_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    bool yes;
    *out = not_implemented_value();
    if (!is_set(a) || !is_set(b))
        return true;
    Dict *x = (Dict *)a.object, *y = (Dict *)b.object;
    if (op == CMP_GT || op == CMP_GE) {
        Dict *kept = x;
        x = y;
        y = kept;
    }
    bool sizes = op == CMP_EQ || op == CMP_NE ? x->used == y->used : op == CMP_LT || op == CMP_GT ? x->used < y->used : true;
    if (!is_subset(s, x, y, &yes, err))
        return false;
    *out = value_bool((yes && sizes) != (op == CMP_NE));
    return true;
}

/* ---- methods -------------------------------------------------------------------------------------------- */
#define SET_METHOD(name) static bool set_##name(Session *s, Value self, Value *arg, Value *out, Err *err)
#define SELF Dict *set = (Dict *)self.object

SET_METHOD(add_method)
{
    *out = value_none();
    return set_add(s, (Dict *)self.object, arg[0], err);
}

SET_METHOD(clear)
{
    (void)s, (void)arg, (void)err;
    *out = value_none();
    dict_clear((Dict *)self.object);
    return true;
}

SET_METHOD(copy_method)
{
    (void)arg;
    if (value_is(self, TYPE_FROZENSET)) {
        *out = value_retain(self);
        return true;
    }
    Dict *made = set_copy(s, (Dict *)self.object, TYPE_SET, err);
    if (made)
        *out = value_object_take(made);
    return made;
}

SET_METHOD(discard)
{
    *out = value_none();
    return discard_item(s, self.object, arg[0], err);
}

SET_METHOD(remove)
{
    bool found;
    *out = value_none();
    return dict_delete(s, (Dict *)self.object, arg[0], &found, err) && (found || key_error(s, arg[0], err));
}

SET_METHOD(pop)
{
    SELF;
    int64_t at = 0;
    Value none;
    (void)s, (void)arg;
    if (!dict_next(set, &at, out, NULL))
        return key_error_text(s, "pop from an empty set", err);
    table_take(set, set->index[at - 1], out, &none);
    return true;
}

/* union, intersection, difference: any number of iterables; the payload says which. */
SET_METHOD(combine)
{
    SELF;
    const Tuple *others = (Tuple *)arg[0].object;
    Dict *made = set_copy(s, set, set->head.type, err);
    for (int64_t i = 0; made && i < others->n; i++) {
        Value next;
        Dict *with = as_set(s, others->item[i], err);
        bool ok = with && combined(s, (Algebra)arg[-1].i, made, with, &next, err);
        if (with)
            object_release(&with->head);
        object_release(&made->head);
        made = ok ? (Dict *)next.object : NULL;
    }
    if (made)
        *out = value_object_take(made);
    return made;
}

SET_METHOD(combine_update)
{
    SELF;
    const Tuple *others = (Tuple *)arg[0].object;
    *out = value_none();
    for (int64_t i = 0; i < others->n; i++) {
        if (arg[-1].i == UNION) {
            if (!set_update(s, set, others->item[i], err))
                return false;
            continue;
        }
        Dict *with = as_set(s, others->item[i], err);
        bool ok = with && combine_in_place(s, (Algebra)arg[-1].i, set, with, err);
        if (with)
            object_release(&with->head);
        if (!ok)
            return false;
    }
    return true;
}

/* issubset, issuperset, isdisjoint */
SET_METHOD(relation)
{
    SELF;
    bool yes;
    Value common;
    Dict *with = as_set(s, arg[0], err);
    if (!with)
        return false;
    bool ok = arg[-1].i == 0 ? is_subset(s, set, with, &yes, err) : arg[-1].i == 1 ? is_subset(s, with, set, &yes, err)
            : combined(s, INTERSECTION, set, with, &common, err);
    if (ok && arg[-1].i == 2) {
        yes = !((Dict *)common.object)->used;
        value_release(common);
    }
    object_release(&with->head);
    if (ok)
        *out = value_bool(yes);
    return ok;
}

#define SHARED_METHODS                                                                                                 \
    { "copy", set_copy_method, "", 0, "A set of the same members." },                                                  \
    { "difference", set_combine, "*others", DIFFERENCE, "The members that are in none of the others." },               \
    { "intersection", set_combine, "*others", INTERSECTION, "The members that are in all of the others." },            \
    { "isdisjoint", set_relation, "other, /", 2, "Have they no member in common?" },                                   \
    { "issubset", set_relation, "other, /", 0, "Is every member in the other one?" },                                  \
    { "issuperset", set_relation, "other, /", 1, "Is every member of the other one in it?" },                          \
    { "symmetric_difference", set_combine, "*others", SYMMETRIC, "The members that are in one of the two." },          \
    { "union", set_combine, "*others", UNION, "The members of all." }

static const NativeRow set_methods[] = {
    SHARED_METHODS,
    { "add", set_add_method, "item, /", 0, "Puts a member in." },
    { "clear", set_clear, "", 0, "Takes all members out." },
    { "difference_update", set_combine_update, "*others", DIFFERENCE, "Takes out the members of the others." },
    { "discard", set_discard, "item, /", 0, "Takes a member out if it is there." },
    { "intersection_update", set_combine_update, "*others", INTERSECTION, "Keeps the members that are in all of the others." },
    { "pop", set_pop, "", 0, "Takes some member out and returns it." },
    { "remove", set_remove, "item, /", 0, "Takes a member out; KeyError if it is not there." },
    { "symmetric_difference_update", set_combine_update, "*others", SYMMETRIC, "Keeps the members that are in one of the two." },
    { "update", set_combine_update, "*others", UNION, "Puts the members of the others in." },
    { 0 }
};
static const NativeRow frozenset_methods[] = { SHARED_METHODS, { 0 } };

#define SET_ROW                                                                                                        \
    .drop = dict_drop, .visit = dict_visit, .repr = set_repr, .compare = set_compare, .binary = set_binary,              \
    .length = set_length, .contains = set_contains, .iter = set_iter
const Type type_set = { .name = "set", SET_ROW, .hash = set_hash, .inplace = set_inplace, .methods = set_methods };
const Type type_frozenset = { .name = "frozenset", SET_ROW, .hash = frozenset_hash, .methods = frozenset_methods };
