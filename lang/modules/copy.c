/*
 * copy.c - the module copy: shallow copies, and deep ones that keep what is shared shared.
 */
#include "lang/modules/modules.h"
#include "lang/numpy/numpy.h"
#include "lang/run/frame.h"
#include "lang/types/containers.h"

static Value borrowed(void *object)
{
    return (Value){ V_OBJECT, { .object = object } };
}

/* A tensor over the same storage (shallow), or over a copy of its elements. */
static bool copy_tensor(Session *s, Tensor *t, bool deep, Value *out, Err *err)
{
    if (deep && tensor_requires_grad(t) && !tensor_is_leaf(t))
        return err_set(err, ERR_RUNTIME, "only tensors that are leaves of the graph can be deep-copied; this one came out of an operation")
            || err_hint(err, "x.detach().clone() copies its elements");
    Tensor *plain = op_unary(&s->ctx, OP_detach, t, err), *made = plain;
    if (plain && deep) {
        made = op_unary(&s->ctx, OP_clone, plain, err);
        tensor_release(plain);
    }
    if (made && tensor_requires_grad(t) && tensor_is_leaf(t) && !tensor_set_requires_grad(&s->ctx, made, true, err)) {
        tensor_release(made);
        return false;
    }
    if (made)
        *out = value_tensor_take(made);
    return made;
}

/* ---- shallow -------------------------------------------------------------------------------------------- */
static bool shallow(Session *s, Value v, Value *out, Err *err);

static bool copy_instance(Session *s, Instance *from, Value *out, Err *err)
{
    Dict *dict = NULL;
    if (from->dict && !(dict = dict_copy(s, from->dict, err)))
        return false;
    if (!class_instance(s, from->cls, out, err)) {
        if (dict)
            object_release(&dict->head);
        return false;
    }
    ((Instance *)out->object)->dict = dict;
    if (from->cls->content && !shallow(s, ((Derived *)from)->content, &((Derived *)out->object)->content, err)) {
        ((Derived *)out->object)->content = value_unset();
        value_release(*out);
        return false;
    }
    return true;
}

static bool shallow(Session *s, Value v, Value *out, Err *err)
{
    bool found;
    Dict *dict;
    List *list;
    if (value_tag(v) != V_OBJECT)
        return *out = v, true;
    switch (v.object->type) {
    case TYPE_LIST:
        list = value_to_list(s, v, err);
        *out = list ? value_object_take(list) : value_unset();
        return list;
    case TYPE_DICT: case TYPE_SET:
        dict = v.object->type == TYPE_DICT ? dict_copy(s, (Dict *)v.object, err) : set_copy(s, (Dict *)v.object, TYPE_SET, err);
        *out = dict ? value_object_take(dict) : value_unset();
        return dict;
    case TYPE_TENSOR:
        return copy_tensor(s, value_tensor(v), false, out, err);
    case TYPE_NDARRAY:
        return array_out(np_op(s, OP_clone, 1, (Arg[]){ arg_t(value_tensor(v)) }, err), out);
    case TYPE_INSTANCE:
        if (!call_method(s, v, "__copy__", NULL, 0, &found, out, err))
            return false;
        return found || copy_instance(s, (Instance *)v.object, out, err);
    case TYPE_NATIVE:
        if (!call_method(s, v, "copy", NULL, 0, &found, out, err))
            return false;
        if (found)
            return true;
        break;
    case TYPE_GENERATOR:
        return err_set(err, ERR_TYPE, "cannot copy a generator");
    }
    *out = value_retain(v);
    return true;
}

NATIVE(copy_copy)
{
    (void)self;
    return shallow(s, arg[0], out, err);
}

/* ---- deep ----------------------------------------------------------------------------------------------- */
/* The memo: id of an object to its copy. The program may hand it over (and __deepcopy__ gets it). */
static bool remember(Session *s, Dict *memo, Value v, Value copy, Err *err)
{
    return dict_set(s, memo, int_new(s, (int64_t)value_id(s, v)), copy, err);
}

static bool deep(Session *s, Dict *memo, Value v, Value *out, Err *err);

static bool deep_list(Session *s, Dict *memo, Value v, Value *out, Err *err)
{
    List *from = (List *)v.object, *made = list_new(s, from->n, err);
    bool ok = made && remember(s, memo, v, borrowed(made), err);
    for (int64_t i = 0; ok && i < from->n; i++) {
        Value item = value_retain(from->item[i]), copy;
        ok = deep(s, memo, item, &copy, err);
        value_release(item);
        if (ok) {
            ok = list_append(s, made, copy, err);
            value_release(copy);
        }
    }
    if (ok)
        *out = value_object_take(made);
    else if (made)
        object_release(&made->head);
    return ok;
}

/* The same tuple again where nothing in it needed a copy. */
static bool deep_tuple(Session *s, Dict *memo, Value v, Value *out, Err *err)
{
    Tuple *from = (Tuple *)v.object, *made = tuple_new(s, from->n, err);
    bool ok = made, changed = false;
    Value known;
    for (int64_t i = 0; ok && i < from->n; i++) {
        ok = deep(s, memo, from->item[i], &made->item[i], err);
        if (!ok)
            made->item[i] = value_unset();
        changed = changed || (ok && !value_same(from->item[i], made->item[i]));
    }
    ok = ok && dict_get(s, memo, int_new(s, (int64_t)value_id(s, v)), &known, err);
    if (ok && !value_is_unset(known))   /* it holds itself, through a list */
        *out = value_retain(known);
    else if (ok && !changed)
        *out = value_retain(v);
    else if (ok && (ok = remember(s, memo, v, borrowed(made), err))) {
        made->head.type = from->head.type;
        made->names = from->names;
        *out = value_object_take(made);
        return true;
    }
    if (made)
        object_release(&made->head);
    return ok;
}

static bool deep_entries(Session *s, Dict *memo, Dict *from, Dict *to, Err *err)
{
    int64_t at = 0;
    Value key, value, new_key, new_value;
    while (dict_next(from, &at, &key, &value)) {
        value_retain(key);
        value_retain(value);
        bool ok = deep(s, memo, key, &new_key, err);
        if (ok) {
            ok = deep(s, memo, value, &new_value, err);
            if (ok) {
                ok = dict_set(s, to, new_key, new_value, err);
                value_release(new_value);
            }
            value_release(new_key);
        }
        value_release(key);
        value_release(value);
        if (!ok)
            return false;
    }
    return true;
}

static bool deep_table(Session *s, Dict *memo, Value v, Value *out, Err *err)
{
    Dict *from = (Dict *)v.object, *made = from->head.type == TYPE_DICT ? dict_new(s, err) : set_new(s, (TypeId)from->head.type, err);
    bool ok = made && remember(s, memo, v, borrowed(made), err) && deep_entries(s, memo, from, made, err);
    if (ok)
        *out = value_object_take(made);
    else if (made)
        object_release(&made->head);
    return ok;
}

static bool deep_instance(Session *s, Dict *memo, Value v, Value *out, Err *err)
{
    Instance *from = (Instance *)v.object;
    Value argument = borrowed(memo), made;
    bool found;
    if (!call_method(s, v, "__deepcopy__", &argument, 1, &found, out, err))
        return false;
    if (found)
        return remember(s, memo, v, *out, err) || (value_release(*out), false);
    if (!class_instance(s, from->cls, &made, err))
        return false;
    bool ok = remember(s, memo, v, made, err);
    if (ok && from->dict) {
        Dict *dict = dict_new(s, err);
        ((Instance *)made.object)->dict = dict;
        ok = dict && deep_entries(s, memo, from->dict, dict, err);
    }
    if (ok && from->cls->content && !(ok = deep(s, memo, ((Derived *)from)->content, &((Derived *)made.object)->content, err)))
        ((Derived *)made.object)->content = value_unset();
    if (ok)
        *out = made;
    else
        value_release(made);
    return ok;
}

static bool deep(Session *s, Dict *memo, Value v, Value *out, Err *err)
{
    Value known;
    if (value_tag(v) != V_OBJECT)
        return *out = v, true;
    if (!session_enough_stack(s))
        return recursion_error(err);
    if (!dict_get(s, memo, int_new(s, (int64_t)value_id(s, v)), &known, err))
        return false;
    if (!value_is_unset(known))
        return *out = value_retain(known), true;
    switch (v.object->type) {
    case TYPE_LIST:
        return deep_list(s, memo, v, out, err);
    case TYPE_TUPLE: case TYPE_NAMEDTUPLE:
        return deep_tuple(s, memo, v, out, err);
    case TYPE_DICT: case TYPE_SET: case TYPE_FROZENSET:
        return deep_table(s, memo, v, out, err);
    case TYPE_INSTANCE:
        return deep_instance(s, memo, v, out, err);
    case TYPE_NDARRAY:
        return shallow(s, v, out, err) && (remember(s, memo, v, *out, err) || (value_release(*out), false));
    case TYPE_TENSOR:
        return copy_tensor(s, value_tensor(v), true, out, err) && (remember(s, memo, v, *out, err) || (value_release(*out), false));
    case TYPE_GENERATOR:
        return err_set(err, ERR_TYPE, "cannot copy a generator");
    default:
        return shallow(s, v, out, err);
    }
}

NATIVE(copy_deepcopy)
{
    (void)self;
    Dict *memo = value_is(arg[1], TYPE_DICT) ? (Dict *)value_retain(arg[1]).object : dict_new(s, err);
    bool ok = memo && deep(s, memo, arg[0], out, err);
    if (memo)
        object_release(&memo->head);
    return ok;
}

static const NativeRow rows[] = {
    { "copy", copy_copy, "x", 0, "A new object with the same parts." },
    { "deepcopy", copy_deepcopy, "x, memo = None", 0, "A new object with copies of all parts." },
    { 0 }
};

Module *module_copy(Session *s, Err *err)
{
    return module_new(s, "copy", rows, err);
}
