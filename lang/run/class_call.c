/*
 * class_call.c - calling a class: a new object, __new__, __init__; the value inside an object of a class derived from a built-in type.
 */
#include "lang/run/class.h"
#include "lang/types/rows.h"
#include <string.h>

static Value class_value(const Class *cls) { return value_object_take((void *)cls); }

bool class_instance(Session *s, Class *cls, Value *out, Err *err)
{
    Instance *made = heap_object_new(s->heap, cls->content ? sizeof(Derived) : sizeof *made, TYPE_INSTANCE, err);
    if (!made)
        return false;
    made->cls = cls;
    cls->head.count++;
    made->dict = NULL;
    if (cls->content)
        ((Derived *)made)->content = value_unset();
    *out = value_object_take(made);
    return true;
}

bool class_derived(Session *s, Class *cls, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Value content;
    Class *of = cls->content;
    if (!of->make(s, of, args, n, nkw, names, &content, err))
        return false;
    if (!strcmp(of->name->s, "tuple") || !strcmp(of->name->s, "str") || !strcmp(of->name->s, "int") || !strcmp(of->name->s, "float")
        || !strcmp(of->name->s, "frozenset") || content.object->count == 1) {
        if (class_instance(s, cls, out, err))
            return ((Derived *)out->object)->content = content, true;
    }
    value_release(content);
    return false;
}

/* A new object before __init__: what __new__ gives, or a plain one. A mutable value inside is filled by __init__ where there is one. */
static bool new_object(Session *s, Class *cls, const Value *init, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Value *make = special_find(s, cls, SPECIAL_NEW);
    if (make) {
        Value few[16], *all = few, bound;
        if (n + nkw >= 16 && !(all = mem_new(s->heap, (size_t)(n + nkw + 1) * sizeof *all)))
            return err_memory(err, (size_t)(n + nkw + 1) * sizeof *all);
        all[0] = class_value(cls);
        if (n + nkw)
            memcpy(all + 1, args, (size_t)(n + nkw) * sizeof *all);
        bool ok = class_bind(s, *make, class_value(cls), cls, &bound, err);
        if (ok) {
            ok = value_call(s, bound, all, n + 1, nkw, names, out, err);
            value_release(bound);
        }
        if (all != few)
            mem_free(s->heap, all);
        return ok;
    }
    if (!cls->content)
        return class_instance(s, cls, out, err);
    TypeId type = cls->content->type;
    bool fills = init && (type == TYPE_LIST || type == TYPE_DICT || type == TYPE_SET);
    return fills ? class_derived(s, cls, NULL, 0, 0, NULL, out, err) : class_derived(s, cls, args, n, nkw, names, out, err);
}

enum { INIT_ARGS = 15 };                /* more are rare, and take the longer way */

bool class_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    Class *cls = (Class *)self.object;
    Value result;
    if (cls->make && cls->type != TYPE_EXCEPTION)
        return cls->make(s, cls, args, n, nkw, names, out, err);
    Value *init = special_find(s, cls, SPECIAL_INIT);
    if (cls->type == TYPE_EXCEPTION) {
        if (!exception_make(s, cls, args, n, init ? 0 : nkw, names, out, err))
            return false;
    } else if (cls->type != TYPE_INSTANCE)
        return err_set(err, ERR_TYPE, "cannot create '%s' instances", cls->name->s);
    else if (!new_object(s, cls, init, args, n, nkw, names, out, err))
        return false;
    if (cls->type == TYPE_INSTANCE && (!value_is(*out, TYPE_INSTANCE) || !class_is_subclass(((Instance *)out->object)->cls, cls)))
        return true;                                    /* __new__ gave something else: its __init__ is not for this class */
    if (!init) {
        if (cls->type == TYPE_EXCEPTION || !(n + nkw) || cls->content || special_find(s, cls, SPECIAL_NEW))
            return true;
        err_set(err, ERR_TYPE, "%s() takes no arguments", cls->name->s);
        value_release(*out);
        return false;
    }
    Value few[16], *all = few;
    bool ok = n + nkw < 16 || (all = mem_new(s->heap, (size_t)(n + nkw + 1) * sizeof *all)) || err_memory(err, sizeof *all);
    if (ok) {
        all[0] = *out;
        if (n + nkw)
            memcpy(all + 1, args, (size_t)(n + nkw) * sizeof *all);
        ok = value_call(s, *init, all, n + 1, nkw, names, &result, err);
    }
    if (all != few)
        mem_free(s->heap, all);
    if (ok && !value_is_none(result)) {
        ok = err_set(err, ERR_TYPE, "__init__() should return None, not '%s'", value_type_name(result));
        value_release(result);
    }
    if (!ok)
        value_release(*out);
    return ok;
}

Frame *class_enter(Session *s, Class *cls, const Value *args, int n, Err *err)
{
    if (cls->known != s->class_changes) {
        bool plain = cls->type == TYPE_INSTANCE && !cls->make && !cls->content && !special_find(s, cls, SPECIAL_NEW);
        Value *found = plain ? special_find(s, cls, SPECIAL_INIT) : NULL;
        cls->init = found && value_is(*found, TYPE_FUNCTION) && !(((Function *)found->object)->code->flags & CODE_GENERATOR) ? found : NULL;
        cls->known = s->class_changes;
    }
    Value *init = cls->init, made;
    if (!init || n >= INIT_ARGS)
        return NULL;
    Value all[INIT_ARGS + 1];
    if (!class_instance(s, cls, &made, err))
        return NULL;
    all[0] = made;
    memcpy(all + 1, args, (size_t)n * sizeof *args);
    Frame *frame = frame_new(s, (Function *)init->object, all, n + 1, 0, NULL, err);
    if (!frame)
        return value_release(made), NULL;
    frame->instance = made;
    return frame;
}
