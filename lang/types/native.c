/*
 * native.c - small objects of modules: one type, whose behaviour is that of each object's own row.
 */
#include "lang/types/native.h"

NativeObject *native_new(Session *s, const Type *row, Value a, Value b, Value c, Err *err)
{
    NativeObject *made = heap_object_new(s->heap, sizeof *made, TYPE_NATIVE, err);
    if (!made)
        return NULL;
    made->row = row;
    made->number = 0;
    made->held[0] = value_retain(a);
    made->held[1] = value_retain(b);
    made->held[2] = value_retain(c);
    return made;
}

static const Type *row_of(Value self)
{
    return ((NativeObject *)self.object)->row;
}

static void native_drop(Object *self)
{
    NativeObject object = *(NativeObject *)self;
    heap_object_free(self, sizeof object);
    for (int k = 0; k < 3; k++)
        value_release(object.held[k]);
}

static void native_visit(Object *self, Visitor *visitor)
{
    for (int k = 0; k < 3; k++)
        visitor->edge(visitor, ((NativeObject *)self)->held[k], "part", NULL, k);
}

static bool native_repr(Session *s, Value self, Text *text, Err *err)
{
    const Type *row = row_of(self);
    if (row->repr)
        return row->repr(s, self, text, err);
    text_print(text, "<%s object at 0x%llx>", row->name, (unsigned long long)value_id(s, self));
    return true;
}

static bool native_call_row(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    const Type *row = row_of(self);
    if (!row->call)
        return err_set(err, ERR_TYPE, "'%s' object is not callable", row->name);
    return row->call(s, self, args, n, nkw, names, out, err);
}

static bool native_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Type *row = row_of(self);
    *out = value_unset();
    if (row->get_attr && (!row->get_attr(s, self, name, out, err) || !value_is_unset(*out)))
        return err->kind == ERR_NONE || !value_is_unset(*out);
    const NativeRow *method = native_method(row, name);
    if (!method)
        return true;
    Builtin *bound = builtin_new(s, method, self, err);
    if (bound)
        *out = value_object_take(bound);
    return bound;
}

static bool native_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    const Type *row = row_of(self);
    return row->set_attr ? row->set_attr(s, self, name, value, err)
                         : err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute '%s' that can be set", row->name, name->s);
}

static void native_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    const Type *row = row_of(self);
    for (const NativeRow *method = row->methods; method && method->name; method++)
        each(to, method->name);
    if (row->dir)
        row->dir(s, self, each, to);
}

static bool native_length(Session *s, Value self, int64_t *length, Err *err)
{
    const Type *row = row_of(self);
    return row->length ? row->length(s, self, length, err) : err_set(err, ERR_TYPE, "object of type '%s' has no len()", row->name);
}

static bool native_truth(Session *s, Value self, bool *truth, Err *err)
{
    const Type *row = row_of(self);
    int64_t length = 1;
    if (row->length && !row->length(s, self, &length, err))
        return false;
    *truth = length != 0;
    return true;
}

static bool native_iter(Session *s, Value self, Value *out, Err *err)
{
    const Type *row = row_of(self);
    return row->iter ? row->iter(s, self, out, err) : err_set(err, ERR_TYPE, "'%s' object is not iterable", row->name);
}

static bool native_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    const Type *row = row_of(self);
    return row->get_item ? row->get_item(s, self, key, out, err) : err_set(err, ERR_TYPE, "'%s' object is not subscriptable", row->name);
}

static bool native_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    const Type *row = row_of(self);
    return row->set_item ? row->set_item(s, self, key, value, err)
                         : err_set(err, ERR_TYPE, "'%s' object does not support item assignment", row->name);
}

static bool native_del_item(Session *s, Value self, Value key, Err *err)
{
    const Type *row = row_of(self);
    return row->del_item ? row->del_item(s, self, key, err) : err_set(err, ERR_TYPE, "'%s' object does not support item deletion", row->name);
}

static bool native_contains(Session *s, Value self, Value item, bool *found, Err *err)
{
    const Type *row = row_of(self);
    return row->contains ? row->contains(s, self, item, found, err)
                         : err_set(err, ERR_TYPE, "argument of type '%s' is not iterable", row->name);
}

static bool native_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    const Type *row = value_is(a, TYPE_NATIVE) ? row_of(a) : row_of(b);
    *out = not_implemented_value();
    return !row->compare || row->compare(s, op, a, b, out, err);
}

static bool native_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    const Type *row = value_is(a, TYPE_NATIVE) ? row_of(a) : row_of(b);
    *out = not_implemented_value();
    return !row->binary || row->binary(s, op, a, b, out, err);
}

static bool native_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const Type *row = row_of(self);
    if (row->hash)
        return row->hash(s, self, hash, err);
    *hash = value_id(s, self) >> 4;
    return true;
}

const Type type_native = {
    .name = "native", .drop = native_drop, .visit = native_visit, .repr = native_repr, .hash = native_hash, .truth = native_truth,
    .compare = native_compare, .binary = native_binary, .length = native_length, .get_item = native_get_item, .set_item = native_set_item,
    .del_item = native_del_item, .contains = native_contains, .iter = native_iter, .call = native_call_row, .get_attr = native_get_attr, .set_attr = native_set_attr,
    .dir = native_dir,
};
