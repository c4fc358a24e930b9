/*
 * tuple.c - tuples, torch.Size and named results: one layout, three types.
 */
#include "lang/types/rows.h"
#include <string.h>

Tuple *tuple_new(Session *s, int64_t n, Err *err)
{
    Tuple *t = heap_object_new(s->heap, sizeof *t + (size_t)n * sizeof(Value), TYPE_TUPLE, err);
    if (!t)
        return NULL;
    t->n = n;
    t->names = NULL;
    for (int64_t i = 0; i < n; i++)
        t->item[i] = value_unset();
    return t;
}

/* Last item first, as CPython does. */
static void tuple_drop(Object *self)
{
    Tuple *t = (Tuple *)self;
    for (int64_t i = t->n - 1; i >= 0; i--)
        value_release(t->item[i]);
    heap_object_free(t, sizeof *t + (size_t)t->n * sizeof(Value));
}

static void tuple_visit(Object *self, Visitor *visitor)
{
    const Tuple *t = (Tuple *)self;
    for (int64_t i = t->head.flags & TUPLE_FIRST_BORROWED; i < t->n; i++)
        visitor->edge(visitor, t->item[i], "element", NULL, i);
}

static bool items_repr(Session *s, const Tuple *t, Text *text, Err *err)
{
    for (int64_t i = 0; i < t->n; i++) {
        if (i)
            text_put(text, ", ");
        if (!value_repr(s, t->item[i], text, err))
            return false;
    }
    return true;
}

static bool tuple_repr(Session *s, Value self, Text *text, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    if (repr_enter(s, t)) {
        text_put(text, "(...)");
        return true;
    }
    text_char(text, '(');
    bool ok = items_repr(s, t, text, err);
    text_put(text, t->n == 1 ? ",)" : ")");
    repr_leave(s, t);
    return ok;
}

static bool size_repr(Session *s, Value self, Text *text, Err *err)
{
    text_put(text, "torch.Size([");
    bool ok = items_repr(s, (Tuple *)self.object, text, err);
    text_put(text, "])");
    return ok;
}

/* Field names end at a comma or with the text. */
static size_t field_size(const char *field) { return strcspn(field, ", "); }

static bool named_repr(Session *s, Value self, Text *text, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    text_print(text, "torch.return_types.%.*s(", (int)strcspn(t->names->type, "|"), t->names->type);
    for (int64_t i = 0; i < t->n; i++) {
        text_print(text, "%s\n%.*s=", i ? "," : "", (int)field_size(t->names->field[i]), t->names->field[i]);
        if (!value_repr(s, t->item[i], text, err))
            return false;
    }
    text_char(text, ')');
    return true;
}

static bool named_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    (void)s, (void)err;
    *out = value_unset();
    for (int64_t i = 0; i < t->n; i++)
        if (field_size(t->names->field[i]) == (size_t)name->size && !memcmp(t->names->field[i], name->s, (size_t)name->size))
            *out = value_retain(t->item[i]);
    return true;
}

static void named_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    const Tuple *t = (Tuple *)self.object;
    (void)s;
    for (int64_t i = 0; i < t->n; i++) {
        char name[32];
        size_t n = field_size(t->names->field[i]);
        n = n < sizeof name - 1 ? n : sizeof name - 1;
        memcpy(name, t->names->field[i], n);
        name[n] = 0;
        each(to, name);
    }
}

/* CPython's way to mix hashes of items (xxHash's rounds). */
static bool tuple_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    uint64_t sum = 2870177450012600261u;
    if (!session_enough_stack(s))
        return recursion_error(err);
    for (int64_t i = 0; i < t->n; i++) {
        uint64_t one;
        if (!value_hash(s, t->item[i], &one, err))
            return false;
        sum += one * 14029467366897019727u;
        sum = (sum << 31 | sum >> 33) * 11400714785074694791u;
    }
    *hash = sum + ((uint64_t)t->n ^ (2870177450012600261u ^ 3527539u));
    return true;
}

static bool is_tuple(Value v)
{
    return value_is(v, TYPE_TUPLE) || value_is(v, TYPE_SIZE) || value_is(v, TYPE_NAMEDTUPLE);
}

static bool tuple_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (!is_tuple(a) || !is_tuple(b))
        return true;
    Tuple *x = (Tuple *)a.object, *y = (Tuple *)b.object;
    return sequence_compare(s, op, x->item, x->n, y->item, y->n, out, err);
}

/* torch.Size goes on as one as long as everything in it is an int. */
static bool all_ints(const Tuple *t)
{
    for (int64_t i = 0; i < t->n; i++)
        if (value_tag(t->item[i]) != V_INT)
            return false;
    return true;
}

static bool tuple_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    if (op == BIN_ADD && is_tuple(a) && is_tuple(b)) {
        const Tuple *x = (Tuple *)a.object, *y = (Tuple *)b.object;
        Tuple *made = tuple_new(s, x->n + y->n, err);
        if (!made)
            return false;
        for (int64_t i = 0; i < made->n; i++)
            made->item[i] = value_retain(i < x->n ? x->item[i] : y->item[i - x->n]);
        if (x->head.type == TYPE_SIZE && all_ints(y))
            made->head.type = TYPE_SIZE;
        *out = value_object_take(made);
        return true;
    }
    if (op != BIN_MUL || (!value_is_int(a) && !value_is_int(b)))
        return true;
    const Tuple *t = (Tuple *)(is_tuple(a) ? a : b).object;
    int64_t times;
    if (!value_index(s, is_tuple(a) ? b : a, "the number of repeats", &times, err))
        return false;
    times = times < 0 ? 0 : times;
    if (t->n && times > (INT64_C(1) << 31) / t->n)
        return err_memory(err, (size_t)-1);
    Tuple *made = tuple_new(s, t->n * times, err);
    if (!made)
        return false;
    for (int64_t i = 0; i < made->n; i++)
        made->item[i] = value_retain(t->item[i % t->n]);
    *out = value_object_take(made);
    return true;
}

static bool tuple_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)err;
    *length = ((Tuple *)self.object)->n;
    return true;
}

static bool tuple_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Tuple *t = (Tuple *)self.object;
    int64_t start, stop, step, count;
    if (!value_is(key, TYPE_SLICE)) {
        if (!sequence_index(s, key, t->n, "tuple", &start, err))
            return false;
        *out = value_retain(t->item[start]);
        return true;
    }
    if (!slice_resolve(s, (Slice *)key.object, t->n, &start, &stop, &step, &count, err))
        return false;
    if (count == t->n && step == 1 && t->head.type != TYPE_NAMEDTUPLE)
        return *out = value_retain(self), true;
    Tuple *made = tuple_new(s, count, err);
    if (!made)
        return false;
    made->head.type = t->head.type == TYPE_SIZE ? TYPE_SIZE : TYPE_TUPLE;
    for (int64_t i = 0; i < count; i++)
        made->item[i] = value_retain(t->item[start + i * step]);
    *out = value_object_take(made);
    return true;
}

static bool tuple_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    int64_t at;
    const Tuple *t = (Tuple *)self.object;
    return sequence_find(s, t->item, t->n, item, &at, err) && (*found = at >= 0, true);
}

static bool tuple_count(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    int64_t n = 0;
    for (int64_t i = 0; i < t->n; i++) {
        bool equal;
        if (!value_equal(s, t->item[i], arg[0], &equal, err))
            return false;
        n += equal;
    }
    *out = int_new(s, n);
    return true;
}

static bool tuple_index(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    int64_t at;
    if (!sequence_find(s, t->item, t->n, arg[0], &at, err))
        return false;
    if (at < 0)
        return err_set(err, ERR_VALUE, "tuple.index(x): x not in tuple");
    *out = int_new(s, at);
    return true;
}

static bool size_numel(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Tuple *t = (Tuple *)self.object;
    int64_t n = 1;
    (void)arg, (void)err;
    for (int64_t i = 0; i < t->n; i++)
        n *= t->item[i].i;
    *out = int_new(s, n);
    return true;
}

static const NativeRow methods[] = {
    { "count", tuple_count, "value, /", 0, NULL }, { "index", tuple_index, "value, /", 0, NULL }, { 0 },
};
static const NativeRow size_methods[] = {
    { "count", tuple_count, "value, /", 0, NULL }, { "index", tuple_index, "value, /", 0, NULL },
    { "numel", size_numel, "", 0, "How many elements a tensor of this shape has." }, { 0 },
};

#define COMMON .drop = tuple_drop, .visit = tuple_visit, .hash = tuple_hash, .compare = tuple_compare, .binary = tuple_binary,  \
               .length = tuple_length, .get_item = tuple_get_item, .contains = tuple_contains, .iter = iterator_over
const Type type_tuple = { .name = "tuple", .repr = tuple_repr, .methods = methods, COMMON };
const Type type_size = { .name = "Size", .repr = size_repr, .methods = size_methods, COMMON };
const Type type_namedtuple = {
    .name = "namedtuple", .repr = named_repr, .get_attr = named_attr, .dir = named_dir, .methods = methods, COMMON
};
