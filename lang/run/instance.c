/*
 * instance.c - objects of classes of the language: special methods behind every operation; properties and super.
 */
#include "lang/run/class.h"
#include "lang/types/iterator.h"
#include <string.h>

/* ---- special methods ---------------------------------------------------------------------------------------- */
Str *special_name(Session *s, Special special)
{
    static const char *const names[] = {
#define SPECIAL(id, name) [SPECIAL_##id] = name,
#include "lang/run/special.def"
    };
    Err err = { 0 };
    if (!s->special[special])
        s->special[special] = str_intern(s, names[special], (int64_t)strlen(names[special]), &err);
    return s->special[special];
}

Value *special_find(Session *s, const Class *cls, Special special)
{
    struct SpecialCache *cache = &s->special_cache[((uintptr_t)cls / 64 + special * 7u) % 256];
    if (cache->cls == cls && cache->version == s->class_changes && cache->special == special)
        return cache->found;
    Str *name = special_name(s, special);
    Value *found = name ? class_lookup(cls, name) : NULL;
    *cache = (struct SpecialCache){ cls, s->class_changes, special, found };
    return found;
}

bool special_call(Session *s, Value self, Special special, Value *args, int n, bool *found, Value *out, Err *err)
{
    Value *place = special_find(s, class_of_instance(self), special), all[4], function;
    *found = place && !value_is_none(*place);
    if (!*found)
        return true;
    all[0] = self;
    for (int k = 0; k < n; k++)
        all[k + 1] = args[k];
    function = value_retain(*place);                    /* it may be taken out of the class meanwhile */
    bool ok;
    if (value_is(function, TYPE_FUNCTION) || (value_is(function, TYPE_BUILTIN) && ((Builtin *)function.object)->head.flags & BUILTIN_UNBOUND))
        ok = value_call(s, function, all, n + 1, 0, NULL, out, err);
    else {
        Value bound;
        ok = class_bind(s, function, self, class_of_instance(self), &bound, err);
        if (ok) {
            ok = value_call(s, bound, args, n, 0, NULL, out, err);
            value_release(bound);
        }
    }
    value_release(function);
    return ok;
}

/* Calls it; an object without it gives the error. */
static bool need(Session *s, Value self, Special special, Value *args, int n, const char *what, Value *out, Err *err)
{
    bool found;
    if (!special_call(s, self, special, args, n, &found, out, err))
        return false;
    return found || err_set(err, ERR_TYPE, "'%s' object %s", value_type_name(self), what);
}

/* ---- text --------------------------------------------------------------------------------------------------- */
static bool text_of(Session *s, Value self, Special special, bool *found, Text *text, Err *err)
{
    Value result;
    if (!special_call(s, self, special, NULL, 0, found, &result, err))
        return false;
    if (!*found)
        return true;
    bool ok = value_is(result, TYPE_STR)
        || err_set(err, ERR_TYPE, "%s returned non-string (type %s)", special_name(s, special)->s, value_type_name(result));
    if (ok)
        text_add(text, ((Str *)result.object)->s, (size_t)((Str *)result.object)->size);
    value_release(result);
    return ok;
}

static bool instance_repr(Session *s, Value self, Text *text, Err *err)
{
    bool found;
    if (!text_of(s, self, SPECIAL_REPR, &found, text, err))
        return false;
    if (!found && !value_is_unset(value_content(self))) {
        TypeId type = class_of_instance(self)->content->type;
        bool wrapped = type == TYPE_SET || type == TYPE_FROZENSET;
        if (wrapped)
            text_print(text, "%s(", class_of_instance(self)->name->s);
        if (!value_repr(s, value_content(self), text, err))
            return false;
        if (wrapped)
            text_char(text, ')');
        return true;
    }
    if (!found) {
        const Class *cls = class_of_instance(self);
        text_print(text, "<%s%s%s object at 0x%llx>", strcmp(cls->module, "builtins") ? cls->module : "", strcmp(cls->module, "builtins") ? "." : "",
                   cls->name->s, (unsigned long long)(uintptr_t)self.object);
    }
    return true;
}

static bool instance_str(Session *s, Value self, Text *text, Err *err)
{
    bool found;
    if (!text_of(s, self, SPECIAL_STR, &found, text, err) || found)
        return found;
    Value content = value_content(self);
    if (value_is(content, TYPE_STR) && !special_find(s, class_of_instance(self), SPECIAL_REPR))
        return value_str(s, content, text, err);
    return instance_repr(s, self, text, err);
}

static bool instance_format(Session *s, Value self, const char *spec, size_t n, Text *text, Err *err)
{
    Value *place = special_find(s, class_of_instance(self), SPECIAL_FORMAT), result, arg;
    bool found;
    if (!place && !value_is_unset(value_content(self)) && !special_find(s, class_of_instance(self), SPECIAL_STR))
        return value_format(s, value_content(self), spec, n, text, err);
    if (!place) {
        if (n)
            return err_set(err, ERR_TYPE, "unsupported format string passed to %s.__format__", value_type_name(self));
        return instance_str(s, self, text, err);
    }
    Str *str = str_new(s, spec, (int64_t)n, err);
    if (!str)
        return false;
    arg = value_object_take(str);
    bool ok = special_call(s, self, SPECIAL_FORMAT, &arg, 1, &found, &result, err);
    value_release(arg);
    if (!ok)
        return false;
    ok = value_is(result, TYPE_STR) || err_set(err, ERR_TYPE, "__format__ must return a str, not %s", value_type_name(result));
    if (ok)
        text_add(text, ((Str *)result.object)->s, (size_t)((Str *)result.object)->size);
    value_release(result);
    return ok;
}

/* ---- operations ---------------------------------------------------------------------------------------------- */
static bool instance_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    Value result;
    bool found;
    Class *cls = class_of_instance(self);
    Value *own = special_find(s, cls, SPECIAL_HASH);
    if (own ? value_is_none(*own) : special_find(s, cls, SPECIAL_EQ) != NULL)
        return err_set(err, ERR_TYPE, "unhashable type: '%s'", cls->name->s);
    if (!special_call(s, self, SPECIAL_HASH, NULL, 0, &found, &result, err))
        return false;
    if (!found && !value_is_unset(value_content(self)))
        return value_hash(s, value_content(self), hash, err);
    if (!found)
        return *hash = value_id(s, self) >> 4, true;
    bool ok = value_is_int(result) ? value_hash(s, result, hash, err) : err_set(err, ERR_TYPE, "__hash__ method should return an integer");
    value_release(result);
    return ok;
}

static bool instance_truth(Session *s, Value self, bool *truth, Err *err)
{
    Value result;
    bool found;
    if (!special_call(s, self, SPECIAL_BOOL, NULL, 0, &found, &result, err))
        return false;
    if (found) {
        bool ok = value_tag(result) == V_BOOL || err_set(err, ERR_TYPE, "__bool__ should return bool, returned %s", value_type_name(result));
        *truth = ok && result.b;
        value_release(result);
        return ok;
    }
    if (!special_call(s, self, SPECIAL_LEN, NULL, 0, &found, &result, err))
        return false;
    *truth = true;
    if (!found)
        return value_is_unset(value_content(self)) || value_truth(s, value_content(self), truth, err);
    bool ok = value_truth(s, result, truth, err);
    value_release(result);
    return ok;
}

static bool is_instance(Value v) { return value_is(v, TYPE_INSTANCE); }

/* Asks a's method, then b's mirrored one; a class under a's is asked first. NotImplemented when neither answers. */
static bool ask_both(Session *s, Value a, Special special, Value b, Special mirrored, Value *out, Err *err)
{
    bool found = false, b_first = is_instance(a) && is_instance(b) && class_of_instance(a) != class_of_instance(b)
                                && class_is_subclass(class_of_instance(b), class_of_instance(a));
    for (int turn = 0; turn < 2; turn++) {
        bool is_b = (turn == 1) != b_first;
        Value self = is_b ? b : a, other = is_b ? a : b;
        *out = not_implemented_value();
        if (!is_instance(self) || (is_b && is_instance(a) && class_of_instance(a) == class_of_instance(b) && special == mirrored))
            continue;
        if (!special_call(s, self, is_b ? mirrored : special, &other, 1, &found, out, err))
            return false;
        if (found && value_tag(*out) != V_NOT_IMPLEMENTED)
            return true;
    }
    *out = not_implemented_value();
    return true;
}

/* The value inside, or the value itself. */
static Value plain(Value v)
{
    Value content = value_content(v);
    return value_is_unset(content) ? v : content;
}

static bool has_content(Value a, Value b) { return !value_is_unset(value_content(a)) || !value_is_unset(value_content(b)); }

static bool instance_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    if (!ask_both(s, a, (Special)(SPECIAL_ADD + op), b, (Special)(SPECIAL_RADD + op), out, err))
        return false;
    return value_tag(*out) != V_NOT_IMPLEMENTED || !has_content(a, b) || value_binary(s, op, plain(a), plain(b), out, err);
}

static bool instance_inplace(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    bool found;
    if (!special_call(s, a, (Special)(SPECIAL_IADD + op), &b, 1, &found, out, err))
        return false;
    if (found)
        return true;
    *out = not_implemented_value();
    Value content = value_content(a);
    if (!value_is(content, TYPE_LIST) && !value_is(content, TYPE_DICT) && !value_is(content, TYPE_SET))
        return true;
    if (!value_inplace(s, op, content, plain(b), out, err))
        return false;
    if (value_same(*out, content))
        value_replace(out, value_retain(a));
    return true;
}

static bool instance_unary(Session *s, UnaryOp op, Value a, Value *out, Err *err)
{
    bool found;
    if (!special_call(s, a, op == UN_NEG ? SPECIAL_NEG : op == UN_POS ? SPECIAL_POS : SPECIAL_INVERT, NULL, 0, &found, out, err))
        return false;
    if (!found && !value_is_unset(value_content(a)))
        return value_unary(s, op, value_content(a), out, err);
    if (!found)
        *out = not_implemented_value();
    return true;
}

static bool instance_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    static const Special specials[] = { SPECIAL_LT, SPECIAL_LE, SPECIAL_EQ, SPECIAL_NE, SPECIAL_GT, SPECIAL_GE };
    static const Special mirrored[] = { SPECIAL_GT, SPECIAL_GE, SPECIAL_EQ, SPECIAL_NE, SPECIAL_LT, SPECIAL_LE };
    if (!ask_both(s, a, specials[op], b, mirrored[op], out, err))
        return false;
    if (value_tag(*out) == V_NOT_IMPLEMENTED && has_content(a, b)
        && !(is_instance(a) && special_find(s, class_of_instance(a), SPECIAL_EQ)))
        return value_compare(s, op, plain(a), plain(b), out, err);
    if (value_tag(*out) != V_NOT_IMPLEMENTED || op != CMP_NE)
        return true;
    Value equal;                                        /* != without __ne__ is not == */
    bool truth;
    if (!ask_both(s, a, SPECIAL_EQ, b, SPECIAL_EQ, &equal, err))
        return false;
    if (value_tag(equal) == V_NOT_IMPLEMENTED)
        return true;
    bool ok = value_truth(s, equal, &truth, err);
    value_release(equal);
    *out = value_bool(!truth);
    return ok;
}

static bool instance_length(Session *s, Value self, int64_t *length, Err *err)
{
    Value result;
    if (!value_is_unset(value_content(self)) && !special_find(s, class_of_instance(self), SPECIAL_LEN))
        return value_length(s, value_content(self), length, err);
    if (!need(s, self, SPECIAL_LEN, NULL, 0, "has no len()", &result, err))
        return false;
    bool ok = value_is_int(result) ? value_index(s, result, "a length", length, err)
                                   : err_set(err, ERR_TYPE, "'%s' object cannot be interpreted as an integer", value_type_name(result));
    value_release(result);
    return ok && (*length >= 0 || err_set(err, ERR_VALUE, "__len__() should return >= 0"));
}

static bool instance_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Value content = value_content(self), known;
    if (!value_is_unset(content) && !special_find(s, class_of_instance(self), SPECIAL_GETITEM)) {
        if (value_is(content, TYPE_DICT) && special_find(s, class_of_instance(self), SPECIAL_MISSING)) {
            if (!dict_get(s, (Dict *)content.object, key, &known, err))
                return false;
            if (value_is_unset(known))
                return need(s, self, SPECIAL_MISSING, &key, 1, "has no __missing__", out, err);
        }
        return value_get_item(s, content, key, out, err);
    }
    return need(s, self, SPECIAL_GETITEM, &key, 1, "is not subscriptable", out, err);
}

bool instance_index(Session *s, Value v, const char *what, int64_t *index, Err *err)
{
    Value result;
    bool found;
    if (value_is_int(value_content(v)))
        return value_index(s, value_content(v), what, index, err);
    if (!special_call(s, v, SPECIAL_INDEX, NULL, 0, &found, &result, err))
        return false;
    if (!found)
        return err_set(err, ERR_TYPE, "%s must be an int, not %s", what, value_type_name(v));
    bool ok = value_is_int(result) ? value_index(s, result, what, index, err)
                                   : err_set(err, ERR_TYPE, "__index__ returned non-int (type %s)", value_type_name(result));
    value_release(result);
    return ok;
}

static bool instance_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    Value args[2] = { key, value }, result;
    if (!value_is_unset(value_content(self)) && !special_find(s, class_of_instance(self), SPECIAL_SETITEM))
        return value_set_item(s, value_content(self), key, value, err);
    if (!need(s, self, SPECIAL_SETITEM, args, 2, "does not support item assignment", &result, err))
        return false;
    value_release(result);
    return true;
}

static bool instance_del_item(Session *s, Value self, Value key, Err *err)
{
    Value result;
    if (!value_is_unset(value_content(self)) && !special_find(s, class_of_instance(self), SPECIAL_DELITEM))
        return value_del_item(s, value_content(self), key, err);
    if (!need(s, self, SPECIAL_DELITEM, &key, 1, "does not support item deletion", &result, err))
        return false;
    value_release(result);
    return true;
}

static bool instance_contains(Session *s, Value self, Value item, bool *yes, Err *err)
{
    Value result, iterator;
    bool found;
    IterStatus status;
    if (!special_call(s, self, SPECIAL_CONTAINS, &item, 1, &found, &result, err))
        return false;
    if (found) {
        bool ok = value_truth(s, result, yes, err);
        value_release(result);
        return ok;
    }
    if (!value_is_unset(value_content(self)) && !special_find(s, class_of_instance(self), SPECIAL_ITER))
        return value_contains(s, value_content(self), item, yes, err);
    if (!value_iter(s, self, &iterator, err))
        return false;
    *yes = false;
    while ((status = value_next(s, iterator, &result, err)) == ITER_VALUE) {
        bool ok = value_equal(s, result, item, yes, err);
        value_release(result);
        if (!ok || *yes) {
            value_release(iterator);
            return ok;
        }
    }
    value_release(iterator);
    return status == ITER_END;
}

static bool index_ended(Session *s, Err *err)
{
    ErrKind kind = err->kind;
    if (kind == ERR_RAISED && s->raised && class_is_subclass(s->raised->cls, class_of_error(s, ERR_INDEX))) {
        Exception *old = s->raised;
        s->raised = NULL;
        object_release(&old->head);
        kind = ERR_INDEX;
    }
    return kind == ERR_INDEX ? (err->kind = ERR_NONE, true) : false;
}

static IterStatus next_item(Session *s, Iterator *it, Value *out, Err *err)
{
    if (value_is_unset(it->over))
        return ITER_END;
    if (value_get_item(s, it->over, int_new(s, it->at), out, err)) {
        it->at++;
        return ITER_VALUE;
    }
    return index_ended(s, err) ? iterator_end(it) : ITER_ERROR;
}

static const IteratorKind kind_items = { "iterator", next_item, NULL };

static bool iterator_items(Session *s, Value self, Value *out, Err *err)
{
    Iterator *it = iterator_new(s, &kind_items, self, value_unset(), err);
    *out = it ? value_object_take(it) : value_unset();
    return it;
}

/* Without __iter__, __getitem__(0), (1) … until IndexError. */
static bool instance_iter(Session *s, Value self, Value *out, Err *err)
{
    bool found;
    if (!special_call(s, self, SPECIAL_ITER, NULL, 0, &found, out, err))
        return false;
    if (found)
        return true;
    if (!value_is_unset(value_content(self)))
        return value_iter(s, value_content(self), out, err);
    if (special_find(s, class_of_instance(self), SPECIAL_GETITEM))
        return iterator_items(s, self, out, err);
    return err_set(err, ERR_TYPE, "'%s' object is not iterable", value_type_name(self));
}

static IterStatus instance_next(Session *s, Value self, Value *out, Err *err)
{
    if (need(s, self, SPECIAL_NEXT, NULL, 0, "is not an iterator", out, err))
        return ITER_VALUE;
    if (err->kind == ERR_RAISED && s->raised && class_is_subclass(s->raised->cls, class_of_error(s, ERR_STOP_ITERATION))) {
        Exception *old = s->raised;
        s->raised = NULL;
        err->kind = ERR_NONE;
        object_release(&old->head);
        return ITER_END;
    }
    if (err->kind == ERR_STOP_ITERATION)
        return err->kind = ERR_NONE, ITER_END;
    return ITER_ERROR;
}

static bool instance_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Value *place = special_find(s, class_of_instance(self), SPECIAL_CALL), bound;
    if (!place)
        return err_set(err, ERR_TYPE, "'%s' object is not callable", value_type_name(self));
    if (!class_bind(s, *place, self, class_of_instance(self), &bound, err))
        return false;
    bool ok = value_call(s, bound, args, n, nkw, names, out, err);
    value_release(bound);
    return ok;
}

/* ---- attributes ----------------------------------------------------------------------------------------------- */
/* An object in a class that wants to know of assignments to its name: it goes before the instance's own value. */
static bool is_data_descriptor(Session *s, Value found)
{
    return value_is(found, TYPE_INSTANCE) && special_find(s, class_of_instance(found), SPECIAL_SET);
}

static bool instance_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Instance *instance = (Instance *)self.object;
    Value *found = class_lookup(instance->cls, name);
    *out = value_unset();
    if (found && ((value_is(*found, TYPE_PROPERTY) && ((Property *)found->object)->kind == PROPERTY_PROPERTY) || is_data_descriptor(s, *found)))
        return class_bind(s, *found, self, instance->cls, out, err);
    Value *own = instance->dict ? dict_find_str(instance->dict, name) : NULL;
    if (own)
        return *out = value_retain(*own), true;
    if (found)
        return class_bind(s, *found, self, instance->cls, out, err);
    if (!strcmp(name->s, "__dict__") && !instance->cls->slotted) {
        if (!instance->dict && !(instance->dict = dict_new(s, err)))
            return false;
        return *out = value_retain(value_object_take(instance->dict)), true;
    }
    if (!strcmp(name->s, "__class__"))
        return *out = value_retain(value_object_take(instance->cls)), true;
    if (!strcmp(name->s, "__doc__"))
        return *out = value_none(), true;
    if (!strcmp(name->s, "__module__"))
        return str_out(str_new(s, instance->cls->module, (int64_t)strlen(instance->cls->module), err), out);
    if (instance->cls->content && !native_method(&type_instance, name) && (!value_find_attr(s, value_content(self), name, out, err) || !value_is_unset(*out)))
        return !value_is_unset(*out);
    Value key = value_object_take(name);
    bool has;
    return name->s[0] == '_' && name->s[1] == '_' ? true : special_call(s, self, SPECIAL_GETATTR, &key, 1, &has, out, err);
}

/* Is it one of the names in __slots__ of its classes? AttributeError where not. */
static bool slot_named(Session *s, const Class *cls, Str *name, bool *found, Err *err)
{
    Str *key = str_intern(s, "__slots__", 9, err);
    for (int64_t k = 0; key && k < cls->mro->n && !*found; k++) {
        Value *slots = dict_find_str(((Class *)cls->mro->item[k].object)->dict, key);
        if (slots && value_is(*slots, TYPE_STR))
            *found = str_equal((Str *)slots->object, name);
        else if (slots && !value_contains(s, *slots, value_object_take(name), found, err))
            break;
    }
    if (key)
        object_release(&key->head);
    return *found || (!err->kind && err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute '%s'", cls->name->s, name->s));
}

static bool plain_set_attr(Session *s, Instance *instance, Str *name, Value value, Err *err)
{
    bool found = false;
    if (!instance->dict && !(instance->dict = dict_new(s, err)))
        return false;
    if (instance->cls->slotted && !value_is_unset(value) && !slot_named(s, instance->cls, name, &found, err))
        return false;
    if (!value_is_unset(value))
        return dict_set(s, instance->dict, value_object_take(name), value, err);
    return dict_delete(s, instance->dict, value_object_take(name), &found, err)
        && (found || err_set(err, ERR_ATTRIBUTE, "'%s' object has no attribute '%s'", instance->cls->name->s, name->s));
}

static bool instance_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Instance *instance = (Instance *)self.object;
    Value *found = class_lookup(instance->cls, name), args[2] = { self, value }, result;
    bool has;
    if (found && value_is(*found, TYPE_PROPERTY) && ((Property *)found->object)->kind == PROPERTY_PROPERTY) {
        Value setter = value_is_unset(value) ? ((Property *)found->object)->del : ((Property *)found->object)->set;
        if (value_is_unset(setter) || value_is_none(setter))
            return err_set(err, ERR_ATTRIBUTE, "property '%s' of '%s' object has no %s", name->s, instance->cls->name->s,
                           value_is_unset(value) ? "deleter" : "setter");
        if (!value_call(s, setter, args, value_is_unset(value) ? 1 : 2, 0, NULL, &result, err))
            return false;
        value_release(result);
        return true;
    }
    if (found && !value_is_unset(value) && is_data_descriptor(s, *found)) {
        if (!special_call(s, *found, SPECIAL_SET, args, 2, &has, &result, err))
            return false;
        value_release(result);
        return true;
    }
    args[0] = value_object_take(name);
    if (!special_call(s, self, value_is_unset(value) ? SPECIAL_DELATTR : SPECIAL_SETATTR, args, value_is_unset(value) ? 1 : 2, &has, &result, err))
        return false;
    if (has) {
        value_release(result);
        return true;
    }
    return plain_set_attr(s, instance, name, value, err);
}

/* object.__setattr__(self, name, value): past a class's own __setattr__. */
static bool object_setattr(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    if (!value_is(arg[0], TYPE_STR))
        return err_set(err, ERR_TYPE, "attribute name must be string, not '%s'", value_type_name(arg[0]));
    *out = value_none();
    return plain_set_attr(s, (Instance *)self.object, (Str *)arg[0].object, arg[1], err);
}

static bool object_delattr(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    if (!value_is(arg[0], TYPE_STR))
        return err_set(err, ERR_TYPE, "attribute name must be string, not '%s'", value_type_name(arg[0]));
    *out = value_none();
    return plain_set_attr(s, (Instance *)self.object, (Str *)arg[0].object, value_unset(), err);
}

/* object.__new__(cls): also of what is derived from a built-in type, whose arguments follow. */
static bool object_new(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self;
    if (!value_is(arg[0], TYPE_CLASS) || ((Class *)arg[0].object)->type != TYPE_INSTANCE)
        return err_set(err, ERR_TYPE, "object.__new__(X): X is not a class that it can make an object of");
    Class *cls = (Class *)arg[0].object;
    Tuple *args = (Tuple *)arg[1].object;
    TypeId type = cls->content ? cls->content->type : TYPE_NONE;
    if (!cls->content)
        return class_instance(s, cls, out, err);
    bool fills = type == TYPE_LIST || type == TYPE_DICT || type == TYPE_SET;
    return class_derived(s, cls, args->item, fills ? 0 : (int)args->n, 0, NULL, out, err);
}

static bool object_init_subclass(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self, (void)arg, (void)err;
    *out = value_none();
    return true;
}

/* list.__init__ and its kin: the value inside is filled anew. */
static bool content_init(Session *s, Value self, const Tuple *args, const Dict *keywords, Err *err)
{
    Class *of = class_of_instance(self)->content;
    Value all[2] = { value_unset(), value_unset() }, made = value_unset();
    if (of->type != TYPE_LIST && of->type != TYPE_DICT && of->type != TYPE_SET)
        return true;
    if (args->n > 1)
        return err_set(err, ERR_TYPE, "%s expected at most 1 argument, got %lld", of->name->s, (long long)args->n);
    all[0] = args->n ? args->item[0] : value_unset();
    if (!of->make(s, of, all, args->n ? 1 : 0, 0, NULL, &made, err))
        return false;
    bool ok = of->type != TYPE_DICT || dict_update(s, (Dict *)made.object, value_object_take((void *)keywords), false, err);
    if (ok)
        value_replace(&((Derived *)self.object)->content, made);
    else
        value_release(made);
    return ok;
}

static bool object_str(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Text text = { 0 };
    (void)arg;
    return (value_repr(s, self, &text, err) || (text_free(&text), false)) && text_out(s, &text, out, err);
}

static bool object_eq(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = value_same(self, arg[0]) ? value_bool(true) : not_implemented_value();
    return true;
}

static bool object_hash(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)arg, (void)err;
    *out = value_int(s, (int64_t)(value_id(s, self) >> 4));
    return true;
}

static bool object_init(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    if (value_is(self, TYPE_INSTANCE) && class_of_instance(self)->content) {
        *out = value_none();
        return content_init(s, self, (Tuple *)arg[0].object, (Dict *)arg[1].object, err);
    }
    if (((Tuple *)arg[0].object)->n || ((Dict *)arg[1].object)->used)
        return err_set(err, ERR_TYPE, "%s.__init__() takes exactly one argument (the instance to initialize)", value_type_name(self));
    *out = value_none();
    return true;
}

static bool object_repr(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Text text = { 0 };
    (void)arg;
    text_print(&text, "<%s.%s object at 0x%llx>", class_of_instance(self)->module, class_of_instance(self)->name->s, (unsigned long long)(uintptr_t)self.object);
    return text_out(s, &text, out, err);
}

static const NativeRow object_methods[] = {
    { "__init__", object_init, "*args, **kwargs", 0, NULL },
    { "__new__", object_new, "cls, /, *args, **kwargs", ROW_STATIC, NULL },
    { "__init_subclass__", object_init_subclass, "", 0, NULL },
    { "__delattr__", object_delattr, "name, /", 0, NULL },
    { "__str__", object_str, "", 0, NULL },
    { "__eq__", object_eq, "other, /", 0, NULL },
    { "__hash__", object_hash, "", 0, NULL },
    { "__setattr__", object_setattr, "name, value, /", 0, NULL },
    { "__repr__", object_repr, "", 0, NULL },
    { 0 },
};

/* Calls __del__, once in the object's life; an error in it is told and passed over. */
static void finalise(Session *s, Object *self)
{
    Exception *raised = s->raised;
    Value result;
    Err err = { 0 };
    bool found;
    s->raised = NULL;
    self->flags |= OBJECT_QUEUED;
    if (special_call(s, value_object_take(self), SPECIAL_DEL, NULL, 0, &found, &result, &err)) {
        if (found)
            value_release(result);
    } else {
        Exception *failed = session_exception(s, &err);
        Text text = { 0 };
        text_put(&text, "Exception ignored in __del__: ");
        if (value_repr(s, value_object_take(failed), &text, &err))
            text_char(&text, '\n');
        if (text_end(&text))
            session_write(s, STREAM_ERR, text.s, text.n);
        text_free(&text);
        object_release(&failed->head);
    }
    s->raised = raised;
}

static void instance_drop(Object *self)
{
    Instance *instance = (Instance *)self;
    Session *s = session_of(self);
    self->count = 1;                                    /* alive while __del__ runs */
    if (!(self->flags & OBJECT_QUEUED) && special_find(s, instance->cls, SPECIAL_DEL))
        finalise(s, self);
    if (--self->count)
        return;                                         /* somebody kept it */
    bool derived = instance->cls->content;
    if (instance->dict)
        object_release(&instance->dict->head);
    if (derived)
        value_release(((Derived *)instance)->content);
    object_release(&instance->cls->head);
    heap_object_free(instance, derived ? sizeof(Derived) : sizeof *instance);
}

static void instance_visit(Object *self, Visitor *visitor)
{
    const Instance *instance = (Instance *)self;
    if (instance->dict)
        visitor->edge(visitor, value_object_take(instance->dict), "attributes", NULL, 0);
    if (instance->cls->content)
        visitor->edge(visitor, ((Derived *)instance)->content, "content", NULL, 0);
    visitor->edge(visitor, value_object_take(instance->cls), "class", NULL, 0);
}

static void instance_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    const Instance *instance = (Instance *)self.object;
    Value key, value;
    for (int64_t at = 0; instance->dict && dict_next(instance->dict, &at, &key, &value); )
        if (value_is(key, TYPE_STR))
            each(to, ((Str *)key.object)->s);
    if (instance->cls->content)
        value_dir(s, value_content(self), each, to);
    value_dir(s, value_object_take(instance->cls), each, to);
}

const Type type_instance = {
    .name = "object", .drop = instance_drop, .visit = instance_visit, .repr = instance_repr, .str = instance_str, .hash = instance_hash,
    .truth = instance_truth, .compare = instance_compare, .binary = instance_binary, .inplace = instance_inplace, .unary = instance_unary,
    .length = instance_length, .get_item = instance_get_item, .set_item = instance_set_item, .del_item = instance_del_item,
    .contains = instance_contains, .iter = instance_iter, .next = instance_next, .call = instance_call, .get_attr = instance_get_attr,
    .set_attr = instance_set_attr, .format = instance_format, .methods = object_methods, .dir = instance_dir,
};
