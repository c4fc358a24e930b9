/*
 * modules.c - what `import` finds: the table of modules, and members of theirs that are modules again (torch.nn).
 */
#include "lang/modules/modules.h"
#include "lang/types/rows.h"

typedef struct Entry { const char *name; Module *(*make)(Session *s, Err *err); } Entry;
static const Entry entries[] = {
#define MODULE(name, make) { name, make },
#include "lang/modules/modules.def"
};

static Module *made_module(Session *s, const char *name, Err *err)
{
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        if (!strcmp(entries[k].name, name))
            return library_more(entries[k].make(s, err), name);
    Module *made = library_module(s, name, err);
    return made || err->kind ? made : inert_module(s, name, err);
}

void session_module_names(Session *s, void (*each)(void *to, const char *name), void *to)
{
    (void)s;
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        if (entries[k].name[0] != '_')
            each(to, entries[k].name);
    library_names(each, to);
}

/* Modules that programs ask for and Locus has not, with what to do. */
static const struct { const char *name, *instead; } refused[] = {
#define REFUSED(name, instead) { name, instead },
#include "lang/modules/refused.def"
};

static Module *missing(Session *s, const char *name, Err *err)
{
    Nearest nearest;
    nearest_begin(&nearest, name);
    session_module_names(s, nearest_look, &nearest);
    err_set(err, ERR_MODULE_NOT_FOUND, "No module named '%.200s'", name);
    const char *instead = NULL;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (!strncmp(refused[k].name, name, strlen(refused[k].name)) && strchr(".", name[strlen(refused[k].name)]))
            instead = refused[k].instead;
    if (instead)
        err_hint(err, "%s", instead);
    else if (nearest.best[0])
        err_hint(err, "did you mean '%s'?", nearest.best);
    return NULL;
}

/* "torch.nn.functional": the member `functional` of the module torch.nn. */
static Module *member(Session *s, const char *name, Err *err)
{
    const char *dot = strrchr(name, '.');
    char parent[128];
    Value found;
    if (!dot || (size_t)(dot - name) >= sizeof parent)
        return missing(s, name, err);
    memcpy(parent, name, (size_t)(dot - name));
    parent[dot - name] = 0;
    Module *m = session_import(s, parent, err);
    Str *key = m ? str_intern(s, dot + 1, (int64_t)strlen(dot + 1), err) : NULL;
    bool ok = key && value_find_attr(s, (Value){ V_OBJECT, { .object = &m->head } }, key, &found, err);
    if (key)
        object_release(&key->head);
    if (m)
        object_release(&m->head);
    if (ok && value_is(found, TYPE_MODULE))
        return (Module *)found.object;
    if (ok) {
        value_release(found);
        return missing(s, name, err);
    }
    return NULL;
}

/* import a.b makes b an attribute of a. */
static bool join_parent(Session *s, const char *name, const char *dot, Module *made, Err *err)
{
    char parent[128];
    if ((size_t)(dot - name) >= sizeof parent)
        return true;
    memcpy(parent, name, (size_t)(dot - name));
    parent[dot - name] = 0;
    Module *m = session_import(s, parent, err);
    if (!m)
        return err->kind == ERR_MODULE_NOT_FOUND ? (err->kind = ERR_NONE, true) : false;
    Str *key = str_intern(s, dot + 1, (int64_t)strlen(dot + 1), err);
    bool ok = key && (dict_find_str(m->dict, key) || dict_set(s, m->dict, (Value){ V_OBJECT, { .object = &key->head } }, (Value){ V_OBJECT, { .object = &made->head } }, err));
    if (key)
        object_release(&key->head);
    object_release(&m->head);
    return ok;
}

Module *session_import(Session *s, const char *name, Err *err)
{
    Module *made = NULL;
    if (!s->modules && !(s->modules = dict_new(s, err)))
        return NULL;
    Str *key = str_intern(s, name, (int64_t)strlen(name), err);
    if (!key)
        return NULL;
    Value *known = dict_find_str(s->modules, key);
    if (known)
        made = (Module *)value_retain(*known).object;
    else if (!strcmp(name, "builtins") && s->builtins)
        made = (Module *)value_retain((Value){ V_OBJECT, { .object = &s->builtins->head } }).object;
    else {
        made = made_module(s, name, err);
        if (!made && !err->kind)
            made = member(s, name, err);
        if (made && !dict_set(s, s->modules, (Value){ V_OBJECT, { .object = &key->head } }, (Value){ V_OBJECT, { .object = &made->head } }, err)) {
            object_release(&made->head);
            made = NULL;
        }
        const char *dot = strrchr(name, '.');
        if (made && dot && !join_parent(s, name, dot, made, err)) {
            object_release(&made->head);
            made = NULL;
        }
    }
    object_release(&key->head);
    return made;
}
