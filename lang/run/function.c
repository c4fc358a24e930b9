/*
 * function.c - functions of the language, bound methods, cells and code as objects.
 */
#include "lang/run/frame.h"
#include "lang/types/rows.h"
#include <string.h>

static Value or_none(void *object)
{
    return object ? value_retain(value_object_take(object)) : value_none();
}

static void release(void *object)
{
    if (object)
        object_release(object);
}

static bool address_repr(Text *text, const char *form, const char *name, const void *object)
{
    text_print(text, form, name, (unsigned long long)(uintptr_t)object);
    return true;
}

/* ---- functions ---------------------------------------------------------------------------------------------- */
Function *function_new(Session *s, Code *code, Err *err)
{
    Function *f = heap_object_new(s->heap, sizeof *f, TYPE_FUNCTION, err);
    if (!f)
        return NULL;
    f->code = code;
    f->name = code->name;
    f->qualname = code->qualname ? code->qualname : code->name;
    code->head.count++;
    f->name->head.count++;
    f->qualname->head.count++;
    f->defaults = f->closure = NULL;
    f->keyword_defaults = f->annotations = f->dict = NULL;
    f->doc = or_none(code->doc);
    return f;
}

const struct Code *function_code(Value function, Tuple **defaults, Dict **keyword_defaults)
{
    Function *f = (Function *)function.object;
    *defaults = f->defaults;
    *keyword_defaults = f->keyword_defaults;
    return f->code;
}

static void function_drop(Object *self)
{
    Function *f = (Function *)self;
    release(f->defaults);
    release(f->keyword_defaults);
    release(f->annotations);
    release(f->closure);
    release(f->dict);
    value_release(f->doc);
    release(f->name);
    release(f->qualname);
    release(f->code);
    heap_object_free(f, sizeof *f);
}

static void edge(Visitor *visitor, void *object, const char *kind)
{
    if (object)
        visitor->edge(visitor, value_object_take(object), kind, NULL, 0);
}

static void function_visit(Object *self, Visitor *visitor)
{
    Function *f = (Function *)self;
    edge(visitor, f->defaults, "defaults");
    edge(visitor, f->keyword_defaults, "defaults");
    edge(visitor, f->annotations, "annotations");
    edge(visitor, f->dict, "attributes");
    edge(visitor, f->closure, "closure");
    visitor->edge(visitor, f->doc, "doc", NULL, 0);
}

static bool function_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    return address_repr(text, "<function %s at 0x%llx>", ((Function *)self.object)->qualname->s, self.object);
}

static bool function_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Function *f = (Function *)self.object;
    Value *own = f->dict ? dict_find_str(f->dict, name) : NULL;
    *out = own ? value_retain(*own) : value_unset();
    if (own)
        return true;
    if (!strcmp(name->s, "__name__"))
        *out = or_none(f->name);
    else if (!strcmp(name->s, "__qualname__"))
        *out = or_none(f->qualname);
    else if (!strcmp(name->s, "__doc__"))
        *out = value_retain(f->doc);
    else if (!strcmp(name->s, "__defaults__"))
        *out = or_none(f->defaults);
    else if (!strcmp(name->s, "__kwdefaults__"))
        *out = or_none(f->keyword_defaults);
    else if (!strcmp(name->s, "__closure__"))
        *out = or_none(f->closure);
    else if (!strcmp(name->s, "__code__"))
        *out = or_none(f->code);
    else if (!strcmp(name->s, "__module__")) {
        Str *main = str_intern(s, "__main__", 8, err);
        return str_out(main, out);
    } else if (!strcmp(name->s, "__annotations__")) {
        if (!f->annotations && !(f->annotations = dict_new(s, err)))
            return false;
        *out = or_none(f->annotations);
    } else if (!strcmp(name->s, "__dict__")) {
        if (!f->dict && !(f->dict = dict_new(s, err)))
            return false;
        *out = or_none(f->dict);
    }
    return true;
}

static bool function_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Function *f = (Function *)self.object;
    if ((!strcmp(name->s, "__name__") || !strcmp(name->s, "__qualname__")) && value_is(value, TYPE_STR)) {
        Str **place = name->s[2] == 'n' ? &f->name : &f->qualname, *old = *place;
        *place = (Str *)value_retain(value).object;
        object_release(&old->head);
        return true;
    }
    if (!strcmp(name->s, "__doc__") && !value_is_unset(value)) {
        value_replace(&f->doc, value_retain(value));
        return true;
    }
    if (!f->dict && !(f->dict = dict_new(s, err)))
        return false;
    if (!value_is_unset(value))
        return dict_set(s, f->dict, value_object_take(name), value, err);
    bool found;
    return dict_delete(s, f->dict, value_object_take(name), &found, err)
        && (found || err_set(err, ERR_ATTRIBUTE, "'function' object has no attribute '%s'", name->s));
}

static bool function_row_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    return function_call(s, (Function *)self.object, args, n, nkw, names, out, err);
}

const Type type_function = {
    .name = "function", .drop = function_drop, .visit = function_visit, .repr = function_repr, .get_attr = function_get_attr,
    .set_attr = function_set_attr, .call = function_row_call,
};

/* ---- bound methods ------------------------------------------------------------------------------------------- */
bool method_new(Session *s, Value function, Value self, Value *out, Err *err)
{
    Method *m = heap_object_new(s->heap, sizeof *m, TYPE_METHOD, err);
    if (!m)
        return false;
    m->self = value_retain(self);
    m->function = value_retain(function);
    *out = value_object_take(m);
    return true;
}

static void method_drop(Object *self)
{
    Method *m = (Method *)self;
    value_release(m->function);
    value_release(m->self);
    heap_object_free(m, sizeof *m);
}

static void method_visit(Object *self, Visitor *visitor)
{
    visitor->edge(visitor, ((Method *)self)->self, "self of a method", NULL, 0);
    visitor->edge(visitor, ((Method *)self)->function, "function", NULL, 0);
}

static bool method_repr(Session *s, Value self, Text *text, Err *err)
{
    const Method *m = (Method *)self.object;
    text_print(text, "<bound method %s of ", value_is(m->function, TYPE_FUNCTION) ? ((Function *)m->function.object)->qualname->s : "?");
    bool ok = value_repr(s, m->self, text, err);
    text_char(text, '>');
    return ok;
}

static bool method_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const Method *m = (Method *)self.object;
    *out = value_unset();
    if (!strcmp(name->s, "__self__"))
        *out = value_retain(m->self);
    else if (!strcmp(name->s, "__func__"))
        *out = value_retain(m->function);
    else
        return value_find_attr(s, m->function, name, out, err);
    return true;
}

static bool method_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    const Method *m = (Method *)self.object;
    Value few[12], *all = few;
    if (n + nkw >= 12 && !(all = mem_new(s->heap, (size_t)(n + nkw + 1) * sizeof *all)))
        return err_memory(err, (size_t)(n + nkw + 1) * sizeof *all);
    all[0] = m->self;
    if (n + nkw)
        memcpy(all + 1, args, (size_t)(n + nkw) * sizeof *all);
    bool ok = value_call(s, m->function, all, n + 1, nkw, names, out, err);
    if (all != few)
        mem_free(s->heap, all);
    return ok;
}

static bool method_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = not_implemented_value();
    if (!value_is(a, TYPE_METHOD) || !value_is(b, TYPE_METHOD) || (op != CMP_EQ && op != CMP_NE))
        return true;
    const Method *x = (Method *)a.object, *y = (Method *)b.object;
    *out = value_bool((value_same(x->self, y->self) && value_same(x->function, y->function)) == (op == CMP_EQ));
    return true;
}

static bool method_hash(Session *s, Value self, uint64_t *hash, Err *err)
{
    const Method *m = (Method *)self.object;
    (void)err;
    *hash = (value_id(s, m->self) >> 4) ^ (value_id(s, m->function) >> 4) * 31;
    return true;
}

const Type type_method = {
    .name = "method", .drop = method_drop, .visit = method_visit, .repr = method_repr, .hash = method_hash, .compare = method_compare,
    .get_attr = method_get_attr, .call = method_call,
};

/* ---- cells ---------------------------------------------------------------------------------------------------- */
Cell *cell_new(Session *s, Value taken, Err *err)
{
    Cell *cell = heap_object_new(s->heap, sizeof *cell, TYPE_CELL, err);
    if (!cell)
        value_release(taken);
    else
        cell->value = taken;
    return cell;
}

static void cell_drop(Object *self)
{
    value_release(((Cell *)self)->value);
    heap_object_free(self, sizeof(Cell));
}

static void cell_visit(Object *self, Visitor *visitor)
{
    visitor->edge(visitor, ((Cell *)self)->value, "cell", NULL, 0);
}

static bool cell_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    (void)s, (void)err;
    *out = !strcmp(name->s, "cell_contents") ? value_retain(((Cell *)self.object)->value) : value_unset();
    return true;
}

const Type type_cell = { .name = "cell", .drop = cell_drop, .visit = cell_visit, .get_attr = cell_get_attr };
