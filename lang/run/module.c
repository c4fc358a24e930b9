/*
 * module.c - modules as objects: members from rows at once, others by `find` when they are first asked for.
 */
#include "lang/run/frame.h"
#include "lang/types/rows.h"
#include <string.h>

Module *module_new(Session *s, const char *name, const NativeRow *rows, Err *err)
{
    Module *m = heap_object_new(s->heap, sizeof *m, TYPE_MODULE, err);
    if (!m)
        return NULL;
    m->find = NULL;
    m->names = NULL;
    m->rows = rows;
    m->more = false;
    m->dict = NULL;
    if (!(m->name = str_intern(s, name, (int64_t)strlen(name), err))) {
        heap_object_free(m, sizeof *m);
        return NULL;
    }
    if (!(m->dict = dict_new(s, err))) {
        object_release(&m->head);
        return NULL;
    }
    return m;
}

bool module_set(Session *s, Module *m, const char *name, Value taken, Err *err)
{
    Str *str = str_intern(s, name, (int64_t)strlen(name), err);
    bool ok = str && dict_set(s, m->dict, value_object_take(str), taken, err);
    if (str)
        object_release(&str->head);
    value_release(taken);
    return ok;
}

static void module_drop(Object *self)
{
    Module *m = (Module *)self;
    if (m->dict)
        object_release(&m->dict->head);
    object_release(&m->name->head);
    heap_object_free(m, sizeof *m);
}

static void module_visit(Object *self, Visitor *visitor)
{
    visitor->edge(visitor, value_object_take(((Module *)self)->dict), "members", NULL, 0);
}

static bool module_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)err;
    text_print(text, "<module '%s' (built-in)>", ((Module *)self.object)->name->s);
    return true;
}

static bool module_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    Module *m = (Module *)self.object;
    Value *found = dict_find_str(m->dict, name);
    *out = found ? value_retain(*found) : value_unset();
    if (found)
        return true;
    for (const NativeRow *row = m->rows; row && row->name && value_is_unset(*out); row++)
        if (row->name[0] == name->s[0] && !strcmp(row->name, name->s)) {
            Builtin *made = builtin_new(s, row, value_unset(), err);
            if (!made)
                return false;
            *out = value_object_take(made);
        }
    if (value_is_unset(*out) && m->find && !m->find(s, m, name, out, err) && err->kind)
        return false;
    if (value_is_unset(*out) && m->more) {
        if (!module_load_more(s, m, err))
            return false;
        found = dict_find_str(m->dict, name);
        *out = found ? value_retain(*found) : value_unset();
        return true;
    }
    if (!value_is_unset(*out))
        return dict_set(s, m->dict, value_object_take(name), *out, err) || (value_release(*out), *out = value_unset(), false);
    if (!strcmp(name->s, "__name__"))
        *out = value_retain(value_object_take(m->name));
    else if (!strcmp(name->s, "__doc__"))
        *out = value_none();
    return true;
}

static bool module_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    Module *m = (Module *)self.object;
    bool found;
    if (!value_is_unset(value))
        return dict_set(s, m->dict, value_object_take(name), value, err);
    return dict_delete(s, m->dict, value_object_take(name), &found, err)
        && (found || err_set(err, ERR_ATTRIBUTE, "module '%s' has no attribute '%s'", m->name->s, name->s));
}

static void module_dir(Session *s, Value self, void (*each)(void *to, const char *name), void *to)
{
    Module *m = (Module *)self.object;
    Value key, value;
    for (const NativeRow *row = m->rows; row && row->name; row++)
        each(to, row->name);
    for (int64_t at = 0; dict_next(m->dict, &at, &key, &value); )
        if (value_is(key, TYPE_STR))
            each(to, ((Str *)key.object)->s);
    if (m->names)
        m->names(s, m, each, to);
}

const Type type_module = {
    .name = "module", .drop = module_drop, .visit = module_visit, .repr = module_repr, .get_attr = module_get_attr,
    .set_attr = module_set_attr, .dir = module_dir,
};
