/*
 * class.c - classes: those of the language, and the objects that stand for built-in types and exceptions.
 */
#include "lang/run/class.h"
#include "lang/types/containers.h"
#include "lang/types/rows.h"
#include "lang/types/torch_types.h"
#include <stdio.h>
#include <string.h>

static Value class_value(const Class *cls) { return value_object_take((void *)cls); }

/* ---- making ------------------------------------------------------------------------------------------------- */
/* The linearisation C3 (Barrett and others, 1996) of a class over its bases' own; item 0 is the class, not counted. */
static Tuple *linearise(Session *s, Class *cls, Tuple *bases, Err *err)
{
    enum { LISTS = 32, LENGTH = 128 };
    const Tuple *list[LISTS];
    int64_t at[LISTS];
    Class *order[LENGTH];
    int lists = 0, n = 0;
    if (bases->n >= LISTS)
        return err_set(err, ERR_TYPE, "a class of more than %d bases", LISTS - 1), NULL;
    for (int64_t k = 0; k < bases->n; k++) {
        list[lists] = ((Class *)bases->item[k].object)->mro;
        at[lists++] = 0;
    }
    list[lists] = bases;
    at[lists++] = 0;
    for (;;) {
        Class *next = NULL;
        bool left = false;
        for (int k = 0; k < lists && !next; k++) {
            if (at[k] >= list[k]->n)
                continue;
            left = true;
            Class *candidate = (Class *)list[k]->item[at[k]].object;
            bool good = true;
            for (int j = 0; j < lists && good; j++)
                for (int64_t i = at[j] + 1; i < list[j]->n && good; i++)
                    good = (Class *)list[j]->item[i].object != candidate;
            next = good ? candidate : NULL;
        }
        if (!left)
            break;
        if (!next || n == LENGTH)
            return err_set(err, ERR_TYPE, "Cannot create a consistent method resolution order (MRO) for bases"), NULL;
        order[n++] = next;
        for (int k = 0; k < lists; k++)
            at[k] += at[k] < list[k]->n && (Class *)list[k]->item[at[k]].object == next;
    }
    Tuple *mro = tuple_new(s, n + 1, err);
    if (!mro)
        return NULL;
    mro->item[0] = class_value(cls);
    mro->head.flags |= TUPLE_FIRST_BORROWED;
    for (int k = 0; k < n; k++)
        mro->item[k + 1] = value_retain(class_value(order[k]));
    return mro;
}

static Class *class_new(Session *s, Str *name, Tuple *bases, Dict *dict, Err *err)
{
    Class *base = bases->n ? (Class *)bases->item[0].object : NULL;
    Class *cls = heap_object_new(s->heap, sizeof *cls, TYPE_CLASS, err);
    if (!cls)
        return NULL;
    *cls = (Class){ .head = cls->head, .name = name, .base = base, .dict = dict, .type = base ? base->type : TYPE_INSTANCE,
                    .error = base ? base->error : ERR_NONE, .module = "__main__", .make = NULL };
    s->class_changes++;
    name->head.count++;
    dict->head.count++;
    if (base)
        base->head.count++;
    if (!(cls->mro = linearise(s, cls, bases, err))) {
        object_release(&cls->head);
        return NULL;
    }
    return cls;
}

Class *class_new_builtin(Session *s, const char *name, Class *base, TypeId type, ErrKind error, Err *err)
{
    Str *str = str_intern(s, name, (int64_t)strlen(name), err);
    Tuple *bases = str ? tuple_new(s, base ? 1 : 0, err) : NULL;
    Dict *dict = bases ? dict_new(s, err) : NULL;
    Class *cls = NULL;
    if (bases && base)
        bases->item[0] = value_retain(class_value(base));
    if (dict && (cls = class_new(s, str, bases, dict, err))) {
        cls->type = type;
        cls->error = error;
        cls->module = "builtins";
    }
    if (dict)
        object_release(&dict->head);
    if (bases)
        object_release(&bases->head);
    if (str)
        object_release(&str->head);
    return cls;
}

static bool good_bases(Session *s, Tuple *bases, Err *err)
{
    for (int64_t k = 0; k < bases->n; k++) {
        Value v = bases->item[k];
        if (!value_is(v, TYPE_CLASS))
            return err_set(err, ERR_TYPE, "a class can be derived from classes, not from %s", value_type_name(v));
        const Class *cls = (Class *)v.object;
        if (cls->type != TYPE_INSTANCE && cls->type != TYPE_EXCEPTION)
            return err_set(err, ERR_TYPE, "deriving a class from '%s' is not supported by Locus", cls->name->s);
    }
    (void)s;
    return true;
}

bool class_build(Session *s, Str *name, Tuple *bases, Function *body, Value *out, Err *err)
{
    Tuple *all = bases;
    Value cell = value_unset();
    if (!good_bases(s, bases, err))
        return false;
    if (!bases->n) {                                    /* class A: is class A(object): */
        if (!class_of_type(s, TYPE_INSTANCE, V_OBJECT) || !(all = tuple_new(s, 1, err)))
            return err->kind ? false : err_memory(err, sizeof *all);
        all->item[0] = value_retain(class_value(s->object_class));
    } else
        all->head.count++;
    Dict *dict = dict_new(s, err);
    Frame *frame = dict ? frame_new(s, body, NULL, 0, 0, NULL, err) : NULL;
    bool ok = frame;
    if (ok) {
        frame->names = dict;
        dict->head.count++;
        frame->entry = true;
        s->frame = frame;
        ok = session_enough_stack(s) ? vm_run(s, frame, &cell, err) == RUN_RETURNED : (frame_end(s, frame), recursion_error(err));
    }
    Class *cls = ok ? class_new(s, name, all, dict, err) : NULL;
    if (cls && value_is(cell, TYPE_CELL))
        value_replace(&((Cell *)cell.object)->value, value_retain(class_value(cls)));
    value_release(cell);
    if (dict)
        object_release(&dict->head);
    object_release(&all->head);
    *out = cls ? class_value(cls) : value_unset();
    return cls;
}

/* ---- the classes of built-in types --------------------------------------------------------------------------- */
static Class *kept_class(Session *s, Class **place, const char *name, Class *base, TypeId type)
{
    Err err = { 0 };
    if (!*place)
        *place = class_new_builtin(s, name, base, type, ERR_NONE, &err);
    return *place;
}

static Class *object_class(Session *s)
{
    return kept_class(s, &s->object_class, "object", NULL, TYPE_INSTANCE);
}

Class *class_of_type(Session *s, TypeId type, Tag tag)
{
    static const Value probes[] = {
        [V_NONE] = { V_NONE, { 0 } }, [V_BOOL] = { V_BOOL, { 0 } }, [V_INT] = { V_INT, { 0 } }, [V_FLOAT] = { V_FLOAT, { 0 } },
        [V_ELLIPSIS] = { V_ELLIPSIS, { 0 } }, [V_NOT_IMPLEMENTED] = { V_NOT_IMPLEMENTED, { 0 } },
    };
    Class *object = object_class(s), *base = object;
    if (!object || (tag == V_OBJECT && type == TYPE_INSTANCE))
        return object;
    if (tag != V_OBJECT || type == TYPE_INT) {
        tag = tag == V_OBJECT ? V_INT : tag;
        if (tag == V_BOOL && !(base = class_of_type(s, TYPE_NONE, V_INT)))
            return NULL;
        return kept_class(s, &s->tag_class[tag], value_type(probes[tag])->name, base, TYPE_NONE);
    }
    if ((type == TYPE_SIZE || type == TYPE_NAMEDTUPLE) && !(base = class_of_type(s, TYPE_TUPLE, V_OBJECT)))
        return NULL;
    Class *cls = kept_class(s, &s->type_class[type], type_rows[type] ? type_rows[type]->name : "object", base, type);
    if (cls && (type == TYPE_TENSOR || type == TYPE_SIZE || type == TYPE_DTYPE || type == TYPE_DEVICE || type == TYPE_GENERATOR_RNG))
        cls->module = "torch";
    if (cls && (type == TYPE_NDARRAY || type == TYPE_NPDTYPE))
        cls->module = type == TYPE_NDARRAY ? "numpy" : "numpy.dtypes";
    return cls;
}

/* torch.return_types.max: the class of the named results of one operation. */
static Class *named_class(Session *s, TupleNames *names)
{
    Class *base = class_of_type(s, TYPE_TUPLE, V_OBJECT), *cls;
    char name[48];
    if (!base)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(names->type, "|"), names->type);
    if ((cls = kept_class(s, &names->cls, name, base, TYPE_NAMEDTUPLE)))
        cls->module = "torch.return_types";
    return cls;
}

Class *value_class(Session *s, Value v)
{
    if (value_is(v, TYPE_NAMEDTUPLE) && ((Tuple *)v.object)->names)
        return named_class(s, ((Tuple *)v.object)->names);
    if (value_is(v, TYPE_INSTANCE) || value_is(v, TYPE_EXCEPTION))
        return class_of_instance(v);
    if (value_is(v, TYPE_NPSCALAR)) {
        Err err = { 0 };
        return np_scalar_class(s, ((NpScalar *)v.object)->dtype, &err);
    }
    return class_of_type(s, value_tag(v) == V_OBJECT ? (TypeId)v.object->type : TYPE_NONE, value_tag(v));
}

bool class_is_subclass(const Class *cls, const Class *of)
{
    for (int64_t k = 0; cls && k < cls->mro->n; k++)
        if ((Class *)cls->mro->item[k].object == of)
            return true;
    return false;
}

bool value_isinstance(Session *s, Value v, Value classes, bool *yes, Err *err)
{
    *yes = false;
    if (value_is(classes, TYPE_TUPLE)) {
        const Tuple *tuple = (Tuple *)classes.object;
        for (int64_t k = 0; k < tuple->n && !*yes; k++)
            if (!value_isinstance(s, v, tuple->item[k], yes, err))
                return false;
        return true;
    }
    if (!value_is(classes, TYPE_CLASS))
        return err_set(err, ERR_TYPE, "isinstance() arg 2 must be a type, a tuple of types, or a union");
    *yes = class_is_subclass(value_class(s, v), (Class *)classes.object);
    return true;
}

void classes_free(Session *s)
{
    Class **all[] = { s->type_class, s->tag_class, s->error_class, &s->object_class };
    const int n[] = { TYPE_COUNT, V_OBJECT, ERR_COUNT, 1 };
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < n[k]; i++)
            if (all[k][i]) {
                Class *cls = all[k][i];
                all[k][i] = NULL;
                object_release(&cls->head);
            }
    for (int k = 0; k < SPECIALS; k++)
        if (s->special[k]) {
            object_release(&s->special[k]->head);
            s->special[k] = NULL;
        }
}

/* ---- attributes of classes ------------------------------------------------------------------------------------ */
Value *class_lookup(const Class *cls, Str *name)
{
    for (int64_t k = 0; k < cls->mro->n; k++) {
        Value *found = dict_find_str(((Class *)cls->mro->item[k].object)->dict, name);
        if (found)
            return found;
    }
    return NULL;
}

bool class_bind(Session *s, Value found, Value self, Class *cls, Value *out, Err *err)
{
    if (value_is(found, TYPE_FUNCTION))
        return method_new(s, found, self, out, err);
    if (!value_is(found, TYPE_PROPERTY))
        return *out = value_retain(found), true;
    const Property *p = (Property *)found.object;
    if (p->kind == PROPERTY_STATIC)
        return *out = value_retain(p->get), true;
    if (p->kind == PROPERTY_CLASS)
        return method_new(s, p->get, class_value(cls), out, err);
    if (value_is_unset(p->get) || value_is_none(p->get))
        return err_set(err, ERR_ATTRIBUTE, "unreadable attribute");
    return value_call(s, p->get, &self, 1, 0, NULL, out, err);
}

static bool str_attr(Session *s, const char *text, Value *out, Err *err)
{
    Str *str = str_new(s, text, (int64_t)strlen(text), err);
    *out = str ? value_object_take(str) : value_unset();
    return str;
}

/* A method of a built-in type asked of its class: takes self first. */
static bool unbound_method(Session *s, const Class *cls, Str *name, Value *out, Err *err)
{
    const Type *type = cls->type != TYPE_NONE ? type_rows[cls->type] : cls == s->tag_class[V_FLOAT] ? &type_float : &type_int;
    const NativeRow *row = type ? native_method(type, name) : NULL;
    if (cls->type == TYPE_TENSOR) {
        Builtin *method = tensor_find_method(s, name, err);
        if (method)
            return *out = value_retain(value_object_take(method)), true;
        if (err->kind)
            return false;
    }
    if (!row)
        return true;
    Builtin *made = builtin_new(s, row, value_unset(), err);
    if (!made)
        return false;
    made->head.flags |= BUILTIN_UNBOUND;
    *out = value_object_take(made);
    return true;
}

static bool class_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Class *cls = (Class *)self.object;
    Value *found = class_lookup(cls, name);
    *out = value_unset();
    if (found) {
        if (value_is(*found, TYPE_PROPERTY) && ((Property *)found->object)->kind != PROPERTY_PROPERTY)
            return class_bind(s, *found, self, cls, out, err);
        return *out = value_retain(*found), true;
    }
    if (!strcmp(name->s, "__name__") || !strcmp(name->s, "__qualname__"))
        return *out = value_retain(value_object_take(cls->name)), true;
    if (!strcmp(name->s, "__module__"))
        return str_attr(s, cls->module, out, err);
    if (!strcmp(name->s, "__doc__"))
        return *out = value_none(), true;
    if (!strcmp(name->s, "__dict__")) {
        Dict *copy = dict_copy(s, cls->dict, err);      /* Python's is a view that cannot be written through */
        *out = copy ? value_object_take(copy) : value_unset();
        return copy;
    }
    if (!strcmp(name->s, "__base__"))
        return *out = cls->base ? value_retain(class_value(cls->base)) : value_none(), true;
    if (!strcmp(name->s, "__mro__") || !strcmp(name->s, "__bases__")) {
        int64_t from = name->s[2] == 'b', n = from ? (cls->base != NULL) : cls->mro->n;
        Tuple *copy = tuple_new(s, n, err);
        for (int64_t k = 0; copy && k < n; k++)
            copy->item[k] = value_retain(from ? class_value(cls->base) : cls->mro->item[k]);
        *out = copy ? value_object_take(copy) : value_unset();
        return copy;
    }
    return unbound_method(s, cls, name, out, err);
}

static bool class_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Class *cls = (Class *)self.object;
    bool found;
    if (strcmp(cls->module, "__main__"))
        return err_set(err, ERR_TYPE, "cannot set '%s' attribute of immutable type '%s'", name->s, cls->name->s);
    s->class_changes++;
    if (!value_is_unset(value))
        return dict_set(s, cls->dict, value_object_take(name), value, err);
    return dict_delete(s, cls->dict, value_object_take(name), &found, err)
        && (found || err_set(err, ERR_ATTRIBUTE, "type object '%s' has no attribute '%s'", cls->name->s, name->s));
}

static void class_drop(Object *self)
{
    Class *cls = (Class *)self;
    if (cls->mro) {
        cls->mro->item[0] = value_unset();              /* itself, which was not counted */
        object_release(&cls->mro->head);
    }
    object_release(&cls->dict->head);
    if (cls->base)
        object_release(&cls->base->head);
    object_release(&cls->name->head);
    heap_object_free(cls, sizeof *cls);
}

static void class_visit(Object *self, Visitor *visitor)
{
    Class *cls = (Class *)self;
    visitor->edge(visitor, value_object_take(cls->dict), "attributes", NULL, 0);
    if (cls->base)
        visitor->edge(visitor, class_value(cls->base), "base", NULL, 0);
    if (cls->mro)
        visitor->edge(visitor, value_object_take(cls->mro), "order of bases", NULL, 0);
}

static bool class_repr(Session *s, Value self, Text *text, Err *err)
{
    const Class *cls = (Class *)self.object;
    (void)s, (void)err;
    if (!strcmp(cls->module, "builtins"))
        text_print(text, "<class '%s'>", cls->name->s);
    else
        text_print(text, "<class '%s.%s'>", cls->module, cls->name->s);
    return true;
}

static void class_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    const Class *cls = (Class *)self.object;
    Value key, value;
    for (int64_t k = 0; k < cls->mro->n; k++)
        for (int64_t at = 0; dict_next(((Class *)cls->mro->item[k].object)->dict, &at, &key, &value); )
            if (value_is(key, TYPE_STR))
                each(to, ((Str *)key.object)->s);
    const Type *type = cls->type != TYPE_NONE ? type_rows[cls->type] : NULL;
    for (const NativeRow *row = type ? type->methods : NULL; row && row->name; row++)
        each(to, row->name);
    if (cls->type == TYPE_TENSOR)
        type->dir(s, self, each, to);
}

/* ---- calling a class -------------------------------------------------------------------------------------------- */
bool class_instance(Session *s, Class *cls, Value *out, Err *err)
{
    Instance *made = heap_object_new(s->heap, sizeof *made, TYPE_INSTANCE, err);
    if (!made)
        return false;
    made->cls = cls;
    cls->head.count++;
    made->dict = NULL;
    *out = value_object_take(made);
    return true;
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
    else if (!class_instance(s, cls, out, err))
        return false;
    if (!init) {
        if (cls->type == TYPE_EXCEPTION || !(n + nkw))
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
    if (cls->type != TYPE_INSTANCE || cls->make)
        return NULL;
    Value *init = special_find(s, cls, SPECIAL_INIT), made;
    if (!init || !value_is(*init, TYPE_FUNCTION) || ((Function *)init->object)->code->flags & CODE_GENERATOR || n >= INIT_ARGS)
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

const Type type_class = {
    .name = "type", .drop = class_drop, .visit = class_visit, .repr = class_repr, .get_attr = class_get_attr, .set_attr = class_set_attr,
    .call = class_call, .dir = class_dir,
};
