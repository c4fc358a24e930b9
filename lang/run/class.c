/*
 * class.c - classes: those of the language, and the objects that stand for built-in types and exceptions.
 */
#include "lang/run/class.h"
#include "lang/types/containers.h"
#include "lang/types/iterator.h"
#include "lang/types/native.h"
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

/* A built-in type that classes can be derived from. */
static bool holds_content(const Class *cls)
{
    static const char *const names[] = { "list", "dict", "set", "frozenset", "tuple", "str", "int", "float" };
    for (size_t k = 0; cls->make && cls->type != TYPE_EXCEPTION && k < sizeof names / sizeof *names; k++)
        if (!strcmp(cls->name->s, names[k]))
            return true;
    return false;
}

/* Have all classes in its order, but for object, __slots__? */
static bool has_slots(Session *s, const Class *cls)
{
    Err err = { 0 };
    Str *key = str_intern(s, "__slots__", 9, &err);
    bool all = key && !cls->content && cls->type == TYPE_INSTANCE;
    for (int64_t k = 0; all && k < cls->mro->n; k++) {
        const Class *at = (Class *)cls->mro->item[k].object;
        all = at == s->object_class || dict_find_str(at->dict, key);
    }
    if (key)
        object_release(&key->head);
    return all && cls != s->object_class && s->object_class;
}

static Class *class_new(Session *s, Str *name, Tuple *bases, Dict *dict, Err *err)
{
    Class *base = bases->n ? (Class *)bases->item[0].object : NULL;
    Class *cls = heap_object_new(s->heap, sizeof *cls, TYPE_CLASS, err);
    if (!cls)
        return NULL;
    *cls = (Class){ .head = cls->head, .name = name, .base = base, .dict = dict, .type = base ? base->type : TYPE_INSTANCE,
                    .error = base ? base->error : ERR_NONE, .bases = bases, .module = "__main__", .make = NULL };
    s->class_changes++;
    name->head.count++;
    dict->head.count++;
    bases->head.count++;
    if (base)
        base->head.count++;
    if (!(cls->mro = linearise(s, cls, bases, err))) {
        object_release(&cls->head);
        return NULL;
    }
    for (int64_t k = 1; k < cls->mro->n; k++) {
        Class *behind = (Class *)cls->mro->item[k].object;
        cls->content = !cls->content && holds_content(behind) ? behind : cls->content;
        if (behind->type == TYPE_EXCEPTION && cls->type != TYPE_EXCEPTION) {    /* class E(Mixin, ValueError) */
            cls->type = TYPE_EXCEPTION;
            cls->error = behind->error;
        }
    }
    if (cls->content)
        cls->type = TYPE_INSTANCE;
    cls->slotted = has_slots(s, cls);
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
        if (cls->type != TYPE_INSTANCE && cls->type != TYPE_EXCEPTION && !holds_content(cls))
            return err_set(err, ERR_TYPE, "deriving a class from '%s' is not supported by Locus", cls->name->s);
    }
    (void)s;
    return true;
}

/* __new__ is a static method and __init_subclass__ a class method without being told so. What is not supported is refused. */
static bool prepare_dict(Session *s, Dict *dict, Err *err)
{
    static const struct { const char *name; int kind; } made[] = {
        { "__new__", PROPERTY_STATIC }, { "__init_subclass__", PROPERTY_CLASS }, { "__class_getitem__", PROPERTY_CLASS },
        { "__getattribute__", -1 }, { "__prepare__", -1 }, { "__instancecheck__", -1 }, { "__mro_entries__", -1 } };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        Str *key = str_intern(s, made[k].name, (int64_t)strlen(made[k].name), err);
        Value *found = key ? dict_find_str(dict, key) : NULL, method;
        bool ok = key && (!found || made[k].kind >= 0 || err_set(err, ERR_TYPE, "a method '%s' is not supported by Locus", made[k].name));
        if (ok && found && value_is(*found, TYPE_FUNCTION) && (ok = property_new(s, (PropertyKind)made[k].kind, *found, value_none(), value_none(), &method, err)))
            value_replace(found, method);
        if (key)
            object_release(&key->head);
        if (!ok)
            return false;
    }
    return true;
}

/* What a new class tells: each descriptor its name, and the classes behind it that it is there. */
static bool announce(Session *s, Class *cls, Err *err)
{
    Value key, value, result, args[2] = { class_value(cls), value_unset() };
    bool found, ok = true;
    for (int64_t at = 0; ok && dict_next(cls->dict, &at, &key, &value); ) {
        args[1] = key;
        ok = !value_is(value, TYPE_INSTANCE) || special_call(s, value, SPECIAL_SET_NAME, args, 2, &found, &result, err);
        if (ok && value_is(value, TYPE_INSTANCE) && found)
            value_release(result);
    }
    Value *hook = NULL, bound;
    for (int64_t k = 1; ok && k < cls->mro->n && !hook; k++)
        hook = special_find(s, (Class *)cls->mro->item[k].object, SPECIAL_INIT_SUBCLASS);
    if (!ok || !hook)
        return ok;
    if (!class_bind(s, *hook, class_value(cls), cls, &bound, err))
        return false;
    ok = value_call(s, bound, NULL, 0, 0, NULL, &result, err);
    value_release(bound);
    if (ok)
        value_release(result);
    return ok;
}

/* The class of a body that has run, or of type(name, bases, dict). */
static Class *class_made(Session *s, Str *name, Tuple *bases, Dict *dict, Err *err)
{
    Str *equal = special_name(s, SPECIAL_EQ), *hash = special_name(s, SPECIAL_HASH);
    if (equal && hash && dict_find_str(dict, equal) && !dict_find_str(dict, hash) && !dict_set(s, dict, value_object_take(hash), value_none(), err))
        return NULL;                                    /* what compares by value has no hash of its own */
    return prepare_dict(s, dict, err) ? class_new(s, name, bases, dict, err) : NULL;
}

bool class_of_parts(Session *s, Str *name, Tuple *bases, Dict *from, Value *out, Err *err)
{
    Tuple *all = bases->n ? bases : tuple_new(s, 1, err);
    Dict *dict = all ? dict_copy(s, from, err) : NULL;
    if (all == bases)
        all->head.count++;
    else if (all)
        all->item[0] = value_retain(class_value(s->object_class));
    Class *cls = dict && good_bases(s, bases, err) ? class_made(s, name, all, dict, err) : NULL;
    if (dict)
        object_release(&dict->head);
    if (all)
        object_release(&all->head);
    *out = cls ? class_value(cls) : value_unset();
    if (cls && !announce(s, cls, err)) {
        value_release(*out);
        return false;
    }
    return cls;
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
    Class *cls = ok ? class_made(s, name, all, dict, err) : NULL;
    if (cls && value_is(cell, TYPE_CELL))
        value_replace(&((Cell *)cell.object)->value, value_retain(class_value(cls)));
    if (cls && !announce(s, cls, err)) {
        object_release(&cls->head);
        cls = NULL;
    }
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

/* Iterators and small objects of modules share a type; their classes go by name. */
static Class *class_by_name(Session *s, const char *name, const char *module)
{
    Err err = { 0 };
    Str *key = str_intern(s, name, (int64_t)strlen(name), &err);
    Value *known = key && s->named_class ? dict_find_str(s->named_class, key) : NULL;
    Class *cls = known ? (Class *)known->object : NULL, *base = s->object_class;
    if (!cls && key && (s->named_class || (s->named_class = dict_new(s, &err))) && (cls = class_new_builtin(s, name, base, TYPE_NATIVE, ERR_NONE, &err))) {
        cls->module = module;
        bool kept = dict_set(s, s->named_class, value_object_take(key), class_value(cls), &err);
        cls = kept && --cls->head.count ? cls : NULL;   /* the dict keeps it */
    }
    if (key)
        object_release(&key->head);
    return cls;
}

Class *value_class(Session *s, Value v)
{
    if (value_tag(v) != V_OBJECT)
        return class_of_type(s, TYPE_NONE, value_tag(v));
    if (value_is(v, TYPE_INSTANCE) || value_is(v, TYPE_EXCEPTION))
        return class_of_instance(v);
    if (value_is(v, TYPE_ITERATOR))
        return class_by_name(s, ((Iterator *)v.object)->kind->name, "builtins");
    if (value_is(v, TYPE_NATIVE)) {
        const char *name = ((NativeObject *)v.object)->row->name;
        bool table = !strcmp(name, "Counter") || !strcmp(name, "deque") || !strcmp(name, "defaultdict") || !strcmp(name, "OrderedDict");
        return class_by_name(s, name, table ? "collections" : "functools");
    }
    if (value_is(v, TYPE_NAMEDTUPLE) && ((Tuple *)v.object)->names)
        return named_class(s, ((Tuple *)v.object)->names);
    if (value_is(v, TYPE_NPSCALAR)) {
        Err err = { 0 };
        return np_scalar_class(s, ((NpScalar *)v.object)->dtype, &err);
    }
    if (value_is(v, TYPE_PROPERTY) && ((Property *)v.object)->kind != PROPERTY_PROPERTY)
        return s->object_class;                         /* staticmethod and classmethod are functions here */
    return class_of_type(s, (TypeId)v.object->type, V_OBJECT);
}

bool class_is_subclass(const Class *cls, const Class *of)
{
    for (int64_t k = 0; cls && k < cls->mro->n; k++)
        if ((Class *)cls->mro->item[k].object == of)
            return true;
    return false;
}

/* Classes of the library that stand for what an object can do (collections.abc) have a function that says it. */
static bool says_instance(Session *s, Value v, const Class *cls, bool *yes, Err *err)
{
    Str *key = str_intern(s, "_instance_of", 12, err);
    Value *found = key ? dict_find_str(cls->dict, key) : NULL, result;
    if (key)
        object_release(&key->head);
    if (!found || value_is(v, TYPE_CLASS))
        return key;
    Value function = value_is(*found, TYPE_PROPERTY) ? ((Property *)found->object)->get : *found;
    if (!value_call(s, function, &v, 1, 0, NULL, &result, err))
        return false;
    bool ok = value_truth(s, result, yes, err);
    value_release(result);
    return ok;
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
    if (value_is(classes, TYPE_INSTANCE)) {             /* int | str */
        Str *key = str_intern(s, "__args__", 8, err);
        Value members = value_unset();
        bool ok = key && value_find_attr(s, classes, key, &members, err) && value_is(members, TYPE_TUPLE) && value_isinstance(s, v, members, yes, err);
        value_release(members);
        if (key)
            object_release(&key->head);
        if (ok || err->kind)
            return ok;
    }
    if (value_is_none(classes))
        return *yes = value_is_none(v), true;
    if (!value_is(classes, TYPE_CLASS))
        return err_set(err, ERR_TYPE, "isinstance() arg 2 must be a type, a tuple of types, or a union");
    *yes = class_is_subclass(value_class(s, v), (Class *)classes.object);
    return *yes || !strcmp(((Class *)classes.object)->module, "builtins") || says_instance(s, v, (Class *)classes.object, yes, err);
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
    if (s->named_class) {
        Dict *named = s->named_class;
        s->named_class = NULL;
        object_release(&named->head);
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
    if (value_is(found, TYPE_INSTANCE) && special_find(s, class_of_instance(found), SPECIAL_GET)) {
        Value args[2] = { value_is(self, TYPE_CLASS) ? value_none() : self, class_value(cls) };
        bool has;
        return special_call(s, found, SPECIAL_GET, args, 2, &has, out, err);
    }
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
    if (!row && holds_content(cls) && (!strcmp(name->s, "__new__") || !strcmp(name->s, "__init__")))
        row = native_method(&type_instance, name);
    if (!row && type && type != &type_instance && type != &type_exception)
        row = slot_method(type, name);
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
        if ((value_is(*found, TYPE_PROPERTY) && ((Property *)found->object)->kind != PROPERTY_PROPERTY) || value_is(*found, TYPE_INSTANCE))
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
        const Tuple *from = name->s[2] == 'b' ? cls->bases : cls->mro;
        Tuple *copy = tuple_new(s, from->n, err);
        for (int64_t k = 0; copy && k < from->n; k++)
            copy->item[k] = value_retain(from->item[k]);
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
    object_release(&cls->bases->head);
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
    visitor->edge(visitor, value_object_take(cls->bases), "bases", NULL, 0);
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

static bool class_mro(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)arg;
    List *list = value_to_list(s, value_object_take(((Class *)self.object)->mro), err);
    *out = list ? value_object_take(list) : value_unset();
    return list;
}

/* C[x]: what __class_getitem__ says; for annotations also list[int]. */
/* An annotation that is a value of the module types: list[int], int | None. */
static bool annotation(Session *s, const char *maker, Value a, Value b, Value *out, Err *err)
{
    Module *types = session_import(s, "types", err);
    Str *name = types ? str_intern(s, maker, (int64_t)strlen(maker), err) : NULL;
    Value function = value_unset(), args[2] = { a, b };
    bool ok = name && value_get_attr(s, value_object_take(types), name, &function, err) && value_call(s, function, args, 2, 0, NULL, out, err);
    value_release(function);
    if (name)
        object_release(&name->head);
    if (types)
        object_release(&types->head);
    return ok;
}

static bool class_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    *out = not_implemented_value();
    bool fits = op == BIN_OR && (value_is(a, TYPE_CLASS) || value_is_none(a) || value_is(a, TYPE_INSTANCE))
             && (value_is(b, TYPE_CLASS) || value_is_none(b) || value_is(b, TYPE_INSTANCE));
    return !fits || annotation(s, "_union", a, b, out, err);
}

static bool class_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    Str *name = str_intern(s, "__class_getitem__", 17, err);
    Value *found = name ? class_lookup((Class *)self.object, name) : NULL, bound;
    if (name)
        object_release(&name->head);
    if (!found && !strcmp(((Class *)self.object)->module, "builtins") && (holds_content((Class *)self.object) || !strcmp(((Class *)self.object)->name->s, "type")))
        return name && annotation(s, "GenericAlias", self, key, out, err);
    if (!found)
        return name && err_set(err, ERR_TYPE, "type '%s' is not subscriptable", ((Class *)self.object)->name->s);
    if (!class_bind(s, *found, self, (Class *)self.object, &bound, err))
        return false;
    bool ok = value_call(s, bound, &key, 1, 0, NULL, out, err);
    value_release(bound);
    return ok;
}

static const NativeRow class_methods[] = { { "mro", class_mro, "", 0, "The classes an attribute is looked for in, in order." }, { 0 } };

const Type type_class = {
    .methods = class_methods, .get_item = class_get_item, .binary = class_binary,
    .name = "type", .drop = class_drop, .visit = class_visit, .repr = class_repr, .get_attr = class_get_attr, .set_attr = class_set_attr,
    .call = class_call, .dir = class_dir,
};
