/*
 * property.c - property, staticmethod, classmethod, and super.
 */
#include "lang/run/class.h"
#include "lang/types/rows.h"
#include <string.h>

/* ---- properties ------------------------------------------------------------------------------------------------ */
bool property_new(Session *s, PropertyKind kind, Value get, Value set, Value del, Value *out, Err *err)
{
    Property *p = heap_object_new(s->heap, sizeof *p, TYPE_PROPERTY, err);
    if (!p)
        return false;
    p->kind = kind;
    p->get = value_retain(get);
    p->set = value_retain(set);
    p->del = value_retain(del);
    *out = value_object_take(p);
    return true;
}

static bool make_property(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self;
    return property_new(s, PROPERTY_PROPERTY, arg[0], arg[1], arg[2], out, err);
}

static bool make_method(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)self;
    return property_new(s, (PropertyKind)arg[-1].i, arg[0], value_none(), value_none(), out, err);
}

/* @x.setter and its kin: a new property with that function changed. */
static bool property_with(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    const Property *p = (Property *)self.object;
    int64_t which = arg[-1].i;
    return property_new(s, p->kind, which == 0 ? arg[0] : p->get, which == 1 ? arg[0] : p->set, which == 2 ? arg[0] : p->del, out, err);
}

static void property_drop(Object *self)
{
    Property *p = (Property *)self;
    value_release(p->get);
    value_release(p->set);
    value_release(p->del);
    heap_object_free(p, sizeof *p);
}

static void property_visit(Object *self, Visitor *visitor)
{
    Property *p = (Property *)self;
    visitor->edge(visitor, p->get, "function", NULL, 0);
    visitor->edge(visitor, p->set, "setter", NULL, 0);
    visitor->edge(visitor, p->del, "deleter", NULL, 0);
}

static bool property_repr(Session *s, Value self, Text *text, Err *err)
{
    static const char *const names[] = { "property", "staticmethod", "classmethod" };
    (void)s, (void)err;
    text_print(text, "<%s object at 0x%llx>", names[((Property *)self.object)->kind], (unsigned long long)(uintptr_t)self.object);
    return true;
}

static bool property_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    const Property *p = (Property *)self.object;
    if (p->kind != PROPERTY_STATIC)
        return err_set(err, ERR_TYPE, "'%s' object is not callable", p->kind == PROPERTY_CLASS ? "classmethod" : "property");
    return value_call(s, p->get, args, n, nkw, names, out, err);
}

static const NativeRow property_methods[] = {
    { "getter", property_with, "function, /", 0, NULL },
    { "setter", property_with, "function, /", 1, NULL },
    { "deleter", property_with, "function, /", 2, NULL },
    { 0 },
};

static bool property_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Property *p = (Property *)self.object;
    *out = value_unset();
    if (!strcmp(name->s, "fget") || !strcmp(name->s, "__func__"))
        *out = value_retain(p->get);
    else if (!strcmp(name->s, "fset"))
        *out = value_retain(p->set);
    else if (!strcmp(name->s, "fdel"))
        *out = value_retain(p->del);
    else if (!strcmp(name->s, "__doc__") || !strcmp(name->s, "__name__"))
        return value_find_attr(s, p->get, name, out, err);
    return true;
}

const Type type_property = {
    .get_attr = property_get_attr,
    .name = "property", .drop = property_drop, .visit = property_visit, .repr = property_repr, .call = property_call, .methods = property_methods,
};

/* ---- super ------------------------------------------------------------------------------------------------------- */
/* The class and self of the method that runs: its free variable __class__ and its first argument. */
static bool super_here(Session *s, Class **start, Value *self, Err *err)
{
    const Frame *frame = s->frame;
    if (!frame || !frame->function || !frame->code->positional)
        return err_set(err, ERR_RUNTIME, "super(): no arguments");
    const Code *code = frame->code;
    *start = NULL;
    for (int k = code->free_first; k < code->free_first + code->frees; k++)
        if (!strcmp(code->local[k]->s, "__class__") && value_is(((Cell *)frame->slot[k].object)->value, TYPE_CLASS))
            *start = (Class *)((Cell *)frame->slot[k].object)->value.object;
    if (!*start)
        return err_set(err, ERR_RUNTIME, "super(): __class__ cell not found");
    *self = frame->slot[0];
    for (int k = 0; k < code->cells; k++)
        if (code->cell_of_param && code->cell_of_param[k] == 0)
            *self = ((Cell *)frame->slot[code->cell_first + k].object)->value;
    return !value_is_unset(*self) || err_set(err, ERR_RUNTIME, "super(): arg[0] deleted");
}

static bool make_super(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    Class *start = NULL;
    Value of = arg[1];
    (void)self;
    if (value_is_unset(arg[0])) {
        if (!super_here(s, &start, &of, err))
            return false;
    } else if (!value_is(arg[0], TYPE_CLASS) || value_is_unset(of))
        return err_set(err, ERR_TYPE, "super() takes a class and an object of it, or nothing inside a method");
    else
        start = (Class *)arg[0].object;
    const Class *cls = value_is(of, TYPE_CLASS) ? (Class *)of.object : value_class(s, of);
    if (!class_is_subclass(cls, start))
        return err_set(err, ERR_TYPE, "super(type, obj): obj must be an instance or subtype of type");
    Super *made = heap_object_new(s->heap, sizeof *made, TYPE_SUPER, err);
    if (!made)
        return false;
    made->start = start;
    start->head.count++;
    made->self = value_retain(of);
    *out = value_object_take(made);
    return true;
}

static void super_drop(Object *self)
{
    Super *super = (Super *)self;
    value_release(super->self);
    object_release(&super->start->head);
    heap_object_free(super, sizeof *super);
}

static void super_visit(Object *self, Visitor *visitor)
{
    visitor->edge(visitor, ((Super *)self)->self, "self", NULL, 0);
    visitor->edge(visitor, value_object_take(((Super *)self)->start), "class", NULL, 0);
}

static bool super_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Super *super = (Super *)self.object;
    Class *cls = value_is(super->self, TYPE_CLASS) ? (Class *)super->self.object : value_class(s, super->self);
    bool behind = false;
    *out = value_unset();
    for (int64_t k = 0; k < cls->mro->n; k++) {
        Class *at = (Class *)cls->mro->item[k].object;
        Value *found = behind ? dict_find_str(at->dict, name) : NULL;
        behind |= at == super->start;
        if (found)
            return value_is(super->self, TYPE_CLASS) && value_is(*found, TYPE_FUNCTION) ? (*out = value_retain(*found), true)
                                                                                        : class_bind(s, *found, super->self, cls, out, err);
    }
    if (value_is(super->self, TYPE_CLASS) && strcmp(name->s, "__new__") && strcmp(name->s, "__init_subclass__"))
        return true;
    if (!value_is_unset(value_content(super->self)) && strcmp(name->s, "__init__") && strcmp(name->s, "__setattr__"))
        return value_find_attr(s, value_content(super->self), name, out, err);
    if (value_is(super->self, TYPE_CLASS)) {
        const NativeRow *own = native_method(&type_instance, name);
        Builtin *bound = own ? builtin_new(s, own, super->self, err) : NULL;
        *out = bound ? value_object_take(bound) : value_unset();
        return bound || !own;
    }
    const NativeRow *row = native_method(value_type(super->self), name);       /* object.__init__, Exception.__init__ … */
    if (!row)
        return true;
    Builtin *made = builtin_new(s, row, super->self, err);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

const Type type_super = { .name = "super", .drop = super_drop, .visit = super_visit, .get_attr = super_get_attr };

const NativeRow property_row = { "property", make_property, "fget = None, fset = None, fdel = None, doc = None", 0,
                                 "An attribute that is asked of a function." };
const NativeRow class_functions[] = {
    { "staticmethod", make_method, "function, /", PROPERTY_STATIC, "A function in a class that gets no self." },
    { "classmethod", make_method, "function, /", PROPERTY_CLASS, "A method that gets the class." },
    { "super", make_super, "type = ..., object = ..., /", 0, "The attributes of the classes behind this one." },
    { 0 },
};
