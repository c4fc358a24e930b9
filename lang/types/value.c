/*
 * value.c - operations on any value: each asks the row of behaviour of its operands' types.
 */
#include "lang/types/iterator.h"
#include "lang/types/native.h"
#include "lang/types/rows.h"
#include <stdlib.h>
#include <string.h>

const Type *const type_rows[TYPE_COUNT] = {
    [TYPE_STORAGE] = &type_storage, [TYPE_TENSOR] = &type_tensor, [TYPE_INT] = &type_int, [TYPE_STR] = &type_str, [TYPE_BYTES] = &type_bytes,
    [TYPE_LIST] = &type_list, [TYPE_TUPLE] = &type_tuple, [TYPE_DICT] = &type_dict, [TYPE_DICT_VIEW] = &type_dict_view,
    [TYPE_SET] = &type_set, [TYPE_FROZENSET] = &type_frozenset, [TYPE_RANGE] = &type_range, [TYPE_SLICE] = &type_slice,
    [TYPE_ITERATOR] = &type_iterator, [TYPE_FUNCTION] = &type_function, [TYPE_BUILTIN] = &type_builtin, [TYPE_METHOD] = &type_method,
    [TYPE_CLASS] = &type_class, [TYPE_INSTANCE] = &type_instance, [TYPE_EXCEPTION] = &type_exception, [TYPE_TRACEBACK] = &type_traceback,
    [TYPE_CELL] = &type_cell, [TYPE_CODE] = &type_code, [TYPE_GENERATOR] = &type_generator, [TYPE_MODULE] = &type_module,
    [TYPE_PROPERTY] = &type_property, [TYPE_SUPER] = &type_super, [TYPE_SIZE] = &type_size, [TYPE_NAMEDTUPLE] = &type_namedtuple,
    [TYPE_DTYPE] = &type_dtype, [TYPE_DEVICE] = &type_device, [TYPE_GENERATOR_RNG] = &type_generator_rng, [TYPE_FILE] = &type_file,
    [TYPE_NDARRAY] = &type_ndarray, [TYPE_NPSCALAR] = &type_npscalar, [TYPE_NPDTYPE] = &type_npdtype, [TYPE_CONTEXT] = &type_context, [TYPE_NATIVE] = &type_native,
};

const Type *value_type(Value v)
{
    static const Type *const tags[] = {
        [V_UNSET] = &type_none, [V_NONE] = &type_none, [V_BOOL] = &type_bool, [V_INT] = &type_int, [V_FLOAT] = &type_float,
        [V_ELLIPSIS] = &type_ellipsis, [V_NOT_IMPLEMENTED] = &type_not_implemented,
    };
    return value_tag(v) == V_OBJECT ? type_rows[v.object->type] : tags[value_tag(v)];
}

const char *value_type_name(Value v)
{
    if (value_is(v, TYPE_INSTANCE))
        return ((Instance *)v.object)->cls->name->s;
    if (value_is(v, TYPE_EXCEPTION))
        return ((Exception *)v.object)->cls->name->s;
    if (value_is(v, TYPE_NAMEDTUPLE))
        return ((Tuple *)v.object)->names->type;
    if (value_is(v, TYPE_NPSCALAR))
        return npscalar_type_name(((NpScalar *)v.object)->dtype);
    if (value_is_array(v))
        return "numpy.ndarray";
    if (value_is(v, TYPE_NATIVE))
        return ((NativeObject *)v.object)->row->name;
    if (value_is(v, TYPE_ITERATOR))
        return ((Iterator *)v.object)->kind->name;
    return value_type(v)->name;
}

const char *binary_symbol(BinaryOp op)
{
    static const char *const symbols[BIN_COUNT] = { "+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^" };
    return symbols[op];
}

const char *compare_symbol(CompareOp op)
{
    static const char *const symbols[] = { "<", "<=", "==", "!=", ">", ">=" };
    return symbols[op];
}

/* ---- identity ------------------------------------------------------------------------------------------- */
bool value_same(Value a, Value b)
{
    if (a.tag != b.tag)
        return false;
    return value_tag(a) == V_NONE || value_tag(a) == V_ELLIPSIS || value_tag(a) == V_NOT_IMPLEMENTED || a.i == b.i;
}

/* Numbers are given addresses in a range that no region uses: small ints and constants first, then 32 bytes for each serial. */
uint64_t value_id(Session *s, Value v)
{
    enum { STEP = 32 };
    const uint64_t base = UINT64_C(0x10000000000), made = base + (UINT64_C(1) << 20);
    (void)s;
    switch (value_tag(v)) {
    case V_OBJECT: return (uint64_t)(uintptr_t)v.object;
    case V_INT: case V_FLOAT:
        return v.tag >> 8 ? made + (v.tag >> 8) * STEP : base + 0x1000 + (uint64_t)(v.i + 8) * STEP;
    case V_BOOL: return base + 0x100 + (v.b ? STEP : 0);
    default: return base + (uint64_t)value_tag(v) * STEP;
    }
}

/* ---- dropping ------------------------------------------------------------------------------------------- */
enum { DROP_DEPTH = 50 };
struct DropQueue { Object **item; size_t n, capacity; };

static bool drop_later(Session *s, Object *object)
{
    struct DropQueue *queue = s->drop_queue;
    if (!queue && !(s->drop_queue = queue = calloc(1, sizeof *queue)))
        return false;
    if (queue->n == queue->capacity) {
        size_t capacity = queue->capacity ? 2 * queue->capacity : 256;
        Object **item = realloc(queue->item, capacity * sizeof *item);
        if (!item)
            return false;
        queue->item = item;
        queue->capacity = capacity;
    }
    queue->item[queue->n++] = object;
    return true;
}

void object_drop(Object *object)
{
    Session *s = session_of(object);
    if (s->drop_depth >= DROP_DEPTH && drop_later(s, object))
        return;
    s->drop_depth++;
    type_rows[object->type]->drop(object);
    s->drop_depth--;
    while (!s->drop_depth && s->drop_queue && s->drop_queue->n) {
        object = s->drop_queue->item[--s->drop_queue->n];
        s->drop_depth++;
        type_rows[object->type]->drop(object);
        s->drop_depth--;
    }
}

void drop_queue_free(Session *s)
{
    if (s->drop_queue)
        free(s->drop_queue->item);
    free(s->drop_queue);
    s->drop_queue = NULL;
}

/* ---- text ----------------------------------------------------------------------------------------------- */
bool value_repr(Session *s, Value v, Text *text, Err *err)
{
    const Type *type = value_type(v);
    if (!session_enough_stack(s))
        return recursion_error(err);
    if (type->repr)
        return type->repr(s, v, text, err);
    text_print(text, "<%s object at 0x%llx>", value_type_name(v), (unsigned long long)value_id(s, v));
    return true;
}

bool value_str(Session *s, Value v, Text *text, Err *err)
{
    const Type *type = value_type(v);
    return type->str ? type->str(s, v, text, err) : value_repr(s, v, text, err);
}

bool value_format(Session *s, Value v, const char *spec, size_t n, Text *text, Err *err)
{
    const Type *type = value_type(v);
    if (type->format)
        return type->format(s, v, spec, n, text, err);
    if (n)
        return err_set(err, ERR_TYPE, "unsupported format string passed to %s.__format__", value_type_name(v));
    return value_str(s, v, text, err);
}

/* ---- truth, hashes, comparison -------------------------------------------------------------------------- */
bool value_truth(Session *s, Value v, bool *truth, Err *err)
{
    const Type *type;
    int64_t length;
    switch (value_tag(v)) {
    case V_UNSET: case V_NONE: return *truth = false, true;
    case V_BOOL: return *truth = v.b, true;
    case V_INT: return *truth = v.i != 0, true;
    case V_FLOAT: return *truth = v.f != 0, true;
    case V_OBJECT: break;
    default: return *truth = true, true;
    }
    type = type_rows[v.object->type];
    if (type->truth)
        return type->truth(s, v, truth, err);
    *truth = true;
    if (!type->length)
        return true;
    if (!type->length(s, v, &length, err))
        return false;
    *truth = length != 0;
    return true;
}

bool value_hash(Session *s, Value v, uint64_t *hash, Err *err)
{
    const Type *type = value_type(v);
    if (type->hash)
        return type->hash(s, v, hash, err);
    *hash = value_id(s, v) >> 4;
    return true;
}

bool value_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    const Type *type_a = value_type(a), *type_b = value_type(b);
    if (!session_enough_stack(s))
        return recursion_error(err);
    *out = not_implemented_value();
    if (type_a->compare && !type_a->compare(s, op, a, b, out, err))
        return false;
    if (value_tag(*out) != V_NOT_IMPLEMENTED)
        return true;
    if (type_b->compare && type_b != type_a && !type_b->compare(s, op, a, b, out, err))
        return false;
    if (value_tag(*out) != V_NOT_IMPLEMENTED)
        return true;
    if (op == CMP_EQ || op == CMP_NE) {
        *out = value_bool(value_same(a, b) == (op == CMP_EQ));
        return true;
    }
    return err_set(err, ERR_TYPE, "'%s' not supported between instances of '%s' and '%s'", compare_symbol(op), value_type_name(a),
                   value_type_name(b));
}

bool value_equal(Session *s, Value a, Value b, bool *equal, Err *err)
{
    Value result;
    if (value_same(a, b))
        return *equal = true, true;
    if (!value_compare(s, CMP_EQ, a, b, &result, err))
        return false;
    bool ok = value_truth(s, result, equal, err);
    value_release(result);
    return ok;
}

/* ---- operators ------------------------------------------------------------------------------------------ */
static bool operator_error(BinaryOp op, const char *mark, Value a, Value b, Err *err)
{
    err_set(err, ERR_TYPE, "unsupported operand type(s) for %s%s: '%s' and '%s'", op == BIN_POW && !*mark ? "** or pow()" : binary_symbol(op), mark,
            value_type_name(a), value_type_name(b));
    if (op == BIN_ADD && (value_is(a, TYPE_STR) || value_is(b, TYPE_STR)))
        err_hint(err, "str(x) or an f-string makes text of a value");
    return false;
}

static bool binary_or_not(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    const Type *type_a = value_type(a), *type_b = value_type(b);
    *out = not_implemented_value();
    if (type_a->binary && !type_a->binary(s, op, a, b, out, err))
        return false;
    if (value_tag(*out) == V_NOT_IMPLEMENTED && type_b != type_a && type_b->binary)
        return type_b->binary(s, op, a, b, out, err);
    return true;
}

bool value_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    if (!binary_or_not(s, op, a, b, out, err))
        return false;
    return value_tag(*out) != V_NOT_IMPLEMENTED || operator_error(op, "", a, b, err);
}

bool value_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    const Type *type = value_type(a);
    *out = not_implemented_value();
    if (type->inplace && !type->inplace(s, op, a, b, out, err))
        return false;
    if (value_tag(*out) == V_NOT_IMPLEMENTED && !binary_or_not(s, op, a, b, out, err))
        return false;
    return value_tag(*out) != V_NOT_IMPLEMENTED || operator_error(op, "=", a, b, err);
}

bool value_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    static const char *const symbols[] = { "-", "+", "~" };
    const Type *type = value_type(a);
    *out = not_implemented_value();
    if (type->unary && !type->unary(s, op, a, out, err))
        return false;
    return value_tag(*out) != V_NOT_IMPLEMENTED
        || err_set(err, ERR_TYPE, "bad operand type for unary %s: '%s'", symbols[op], value_type_name(a));
}

/* ---- items ---------------------------------------------------------------------------------------------- */
bool value_length(Session *s, Value v, int64_t *length, Err *err)
{
    const Type *type = value_type(v);
    if (!type->length)
        return err_set(err, ERR_TYPE, "object of type '%s' has no len()", value_type_name(v));
    return type->length(s, v, length, err);
}

bool value_get_item(Session *s, Value v, Value key, Value *out, Err *err)
{
    const Type *type = value_type(v);
    if (!type->get_item)
        return err_set(err, ERR_TYPE, "'%s' object is not subscriptable", value_type_name(v));
    return type->get_item(s, v, key, out, err);
}

bool value_set_item(Session *s, Value v, Value key, Value value, Err *err)
{
    const Type *type = value_type(v);
    if (!type->set_item)
        return err_set(err, ERR_TYPE, "'%s' object does not support item assignment", value_type_name(v));
    return type->set_item(s, v, key, value, err);
}

bool value_del_item(Session *s, Value v, Value key, Err *err)
{
    const Type *type = value_type(v);
    if (!type->del_item)
        return err_set(err, ERR_TYPE, "'%s' object does not support item deletion", value_type_name(v));
    return type->del_item(s, v, key, err);
}

bool value_contains(Session *s, Value v, Value item, bool *found, Err *err)
{
    const Type *type = value_type(v);
    Value iterator, next;
    IterStatus status;
    if (type->contains)
        return type->contains(s, v, item, found, err);
    if (!type->iter)
        return err_set(err, ERR_TYPE, "argument of type '%s' is not iterable", value_type_name(v));
    if (!value_iter(s, v, &iterator, err))
        return false;
    *found = false;
    while ((status = value_next(s, iterator, &next, err)) == ITER_VALUE) {
        bool ok = value_equal(s, next, item, found, err);
        value_release(next);
        if (!ok || *found) {
            value_release(iterator);
            return ok;
        }
    }
    value_release(iterator);
    return status == ITER_END;
}

bool value_iter(Session *s, Value v, Value *out, Err *err)
{
    const Type *type = value_type(v);
    if (!type->iter)
        return err_set(err, ERR_TYPE, "'%s' object is not iterable", value_type_name(v));
    return type->iter(s, v, out, err);
}

IterStatus value_next(Session *s, Value iterator, Value *out, Err *err)
{
    const Type *type = value_type(iterator);
    if (!type->next) {
        err_set(err, ERR_TYPE, "'%s' object is not an iterator", value_type_name(iterator));
        return ITER_ERROR;
    }
    return type->next(s, iterator, out, err);
}

List *value_to_list(Session *s, Value iterable, Err *err)
{
    Value iterator, item, *from = NULL;
    int64_t n = 0;
    if (value_is(iterable, TYPE_TUPLE) || value_is(iterable, TYPE_SIZE) || value_is(iterable, TYPE_NAMEDTUPLE))
        from = ((Tuple *)iterable.object)->item, n = ((Tuple *)iterable.object)->n;
    else if (value_is(iterable, TYPE_LIST))
        from = ((List *)iterable.object)->item, n = ((List *)iterable.object)->n;
    int64_t room = value_is(iterable, TYPE_RANGE) ? ((Range *)iterable.object)->length : n;
    List *list = list_new(s, room, err);                /* of a range too large for memory: refused before it is walked */
    if (!list)
        return NULL;
    for (int64_t i = 0; i < n; i++)
        list->item[i] = value_retain(from[i]);
    list->n = n;
    if (from || value_is(iterable, TYPE_LIST) || value_is(iterable, TYPE_TUPLE))
        return list;
    IterStatus status = value_iter(s, iterable, &iterator, err) ? ITER_VALUE : ITER_ERROR;
    if (status == ITER_ERROR) {
        object_release(&list->head);
        return NULL;
    }
    while ((status = value_next(s, iterator, &item, err)) == ITER_VALUE) {
        bool ok = list_append(s, list, item, err);
        value_release(item);
        if (!ok) {
            status = ITER_ERROR;
            break;
        }
    }
    value_release(iterator);
    if (status == ITER_END)
        return list;
    object_release(&list->head);
    return NULL;
}

/* ---- attributes ----------------------------------------------------------------------------------------- */
const NativeRow *native_method(const Type *type, const Str *name)
{
    for (const NativeRow *row = type->methods; row && row->name; row++)
        if (row->name[0] == name->s[0] && !strcmp(row->name, name->s))
            return row;
    return NULL;
}

bool value_find_attr(Session *s, Value v, Str *name, Value *out, Err *err)
{
    const Type *type = value_type(v);
    *out = value_unset();
    err->kind = ERR_NONE;
    if (type->get_attr && !type->get_attr(s, v, name, out, err))
        return false;
    if (!value_is_unset(*out))
        return true;
    const NativeRow *row = native_method(type, name);
    bool own = type == &type_instance || type == &type_exception || type == &type_class || type == &type_module || type == &type_super;
    if (!row && !own)
        row = slot_method(type, name);
    if (row) {
        Builtin *bound = builtin_new(s, row, v, err);
        *out = bound ? value_object_take(bound) : value_unset();
        return bound;
    }
    if (!strcmp(name->s, "__class__")) {
        Class *cls = value_class(s, v);
        *out = cls ? value_retain(value_object_take(cls)) : value_unset();
        return cls || err_memory(err, sizeof *cls);
    }
    return true;
}

bool value_get_attr(Session *s, Value v, Str *name, Value *out, Err *err)
{
    Nearest nearest;
    if (!value_find_attr(s, v, name, out, err))
        return false;
    if (!value_is_unset(*out))
        return true;
    nearest_begin(&nearest, name->s);
    value_dir(s, v, nearest_look, &nearest);
    if (value_is(v, TYPE_MODULE))
        err_set(err, ERR_ATTRIBUTE, "module '%s' has no attribute '%s'", ((Module *)v.object)->name->s, name->s);
    else if (value_is(v, TYPE_CLASS))
        err_set(err, ERR_ATTRIBUTE, "type object '%s' has no attribute '%s'", ((Class *)v.object)->name->s, name->s);
    else
        err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute '%s'", value_type_name(v), name->s);
    if (nearest.best[0])
        err_hint(err, "did you mean '%s'?", nearest.best);
    return false;
}

bool value_set_attr(Session *s, Value v, Str *name, Value value, Err *err)
{
    const Type *type = value_type(v);
    if (type->set_attr)
        return type->set_attr(s, v, name, value, err);
    return err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute '%s' that can be %s", value_type_name(v), name->s,
                   value_is_unset(value) ? "deleted" : "set");
}

void value_dir(Session *s, Value v, void (*each)(void *to, const char *name), void *to)
{
    const Type *type = value_type(v);
    for (const NativeRow *row = type == &type_class ? NULL : type->methods; row && row->name; row++)
        each(to, row->name);
    if (type->dir)
        type->dir(s, v, each, to);
}

void nearest_begin(Nearest *nearest, const char *name)
{
    size_t n = strlen(name);
    nearest->name = name;
    nearest->best[0] = 0;
    nearest->distance = n < 3 ? 1 : n < 6 ? 2 : 3;      /* more changes than this name nothing */
}

/* The edit distance with neighbours swapped as one change (Damerau), by rows; names of up to 63 bytes. */
void nearest_look(void *to, const char *candidate)
{
    Nearest *nearest = to;
    int row[3][64];
    size_t n = strlen(nearest->name), m = strlen(candidate);
    if (n > 62 || m > 62 || candidate[0] == '_' || (n > m ? n - m : m - n) >= (size_t)nearest->distance)
        return;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *twice = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = nearest->name[i - 1] == candidate[j - 1];
            int best = above[j - 1] + !same;
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && nearest->name[i - 1] == candidate[j - 2] && nearest->name[i - 2] == candidate[j - 1] && twice[j - 2] + 1 < best)
                best = twice[j - 2] + 1;
            now[j] = best;
        }
    }
    if (row[n % 3][m] < nearest->distance) {
        nearest->distance = row[n % 3][m];
        strcpy(nearest->best, candidate);
    }
}

/* ---- numbers as indices --------------------------------------------------------------------------------- */
bool value_index(Session *s, Value v, const char *what, int64_t *index, Err *err)
{
    Number number;
    (void)s;
    if (value_tag(v) == V_INT)
        return *index = v.i, true;
    if (value_tag(v) == V_BOOL)
        return *index = v.b, true;
    if (value_is(v, TYPE_INT))
        return *index = big_sign(v) < 0 ? INT64_MIN : INT64_MAX, true;
    if (value_is(v, TYPE_NPSCALAR) && ((NpScalar *)v.object)->number.kind != DKIND_FLOAT) {
        number = ((NpScalar *)v.object)->number;
        *index = number.kind == DKIND_INT ? number.i : number.b;
        return true;
    }
    if ((value_is(v, TYPE_TENSOR) || value_is_array(v)) && tensor_numel(value_tensor(v)) == 1 && dtype_kind(tensor_dtype(value_tensor(v))) != DKIND_FLOAT) {
        if (!tensor_item(value_tensor(v), &number, err))
            return false;
        *index = number.kind == DKIND_INT ? number.i : number.b;
        return true;
    }
    if (value_is(v, TYPE_INSTANCE))
        return instance_index(s, v, what, index, err);
    return err_set(err, ERR_TYPE, "%s must be an int, not %s", what, value_type_name(v));
}

bool value_to_number(Value v, Number *number)
{
    switch (value_tag(v)) {
    case V_BOOL: *number = (Number){ DKIND_BOOL, { .b = v.b } }; return true;
    case V_INT: *number = (Number){ DKIND_INT, { .i = v.i } }; return true;
    case V_FLOAT: *number = (Number){ DKIND_FLOAT, { .f = v.f } }; return true;
    case V_OBJECT:
        if (v.object->type == TYPE_NPSCALAR) {
            *number = ((NpScalar *)v.object)->number;
            return true;
        }
        return false;
    default: return false;
    }
}

bool value_can_hold(Value v)
{
    if (value_tag(v) != V_OBJECT)
        return false;
    switch (v.object->type) {
    case TYPE_TENSOR: case TYPE_NDARRAY: case TYPE_LIST: case TYPE_TUPLE: case TYPE_NAMEDTUPLE: case TYPE_DICT: case TYPE_INSTANCE: return true;
    default: return false;
    }
}

/* ---- the small constants --------------------------------------------------------------------------------- */
static bool none_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)self, (void)err;
    text_put(text, "None");
    return true;
}

static bool ellipsis_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)self, (void)err;
    text_put(text, "Ellipsis");
    return true;
}

static bool not_implemented_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)self, (void)err;
    text_put(text, "NotImplemented");
    return true;
}

const Type type_none = { .name = "NoneType", .repr = none_repr };
const Type type_ellipsis = { .name = "ellipsis", .repr = ellipsis_repr };
const Type type_not_implemented = { .name = "NotImplementedType", .repr = not_implemented_repr };
