/*
 * inert.c - modules whose work is no part of Locus but stands in lessons all the same (drawing, notebooks): each attribute, call
 * and item of one is a value that does nothing, said once a session.
 */
#include "lang/modules/modules.h"
#include "lang/run/frame.h"
#include "lang/types/native.h"

static const char *const roots[] = { "matplotlib", "matplotlib_inline", "mpl_toolkits", "IPython", "seaborn" };

static bool is_inert(const char *name)
{
    size_t n = strcspn(name, ".");
    for (size_t k = 0; k < sizeof roots / sizeof *roots; k++)
        if (strlen(roots[k]) == n && !memcmp(roots[k], name, n))
            return true;
    return false;
}

static const Type type_inert;

static bool give(Session *s, Value *out, Err *err)
{
    NativeObject *made = native_new(s, &type_inert, value_unset(), value_unset(), value_unset(), err);
    *out = made ? value_object_take(made) : value_unset();
    return made;
}

static bool same(Value self, Value *out)
{
    *out = value_retain(self);
    return true;
}

static bool inert_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    (void)s, (void)args, (void)n, (void)nkw, (void)names, (void)err;
    return same(self, out);
}

static bool nothing(Session *s, Value self, Value *arg, Value *out, Err *err)
{
    (void)s, (void)self, (void)arg, (void)err;
    *out = value_none();
    return true;
}

static const NativeRow methods[] = { { "__exit__", nothing, "*args", 0, NULL }, { 0 } };    /* swallows no exception */

static bool inert_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    (void)s, (void)err;
    bool special = name->s[0] == '_' && name->s[1] == '_' && strcmp(name->s, "__enter__");
    *out = value_unset();
    return special || same(self, out);
}

static bool inert_set_attr(Session *s, Value self, Str *name, Value value, Err *err)
{
    (void)s, (void)self, (void)name, (void)value, (void)err;
    return true;
}

static bool inert_get_item(Session *s, Value self, Value key, Value *out, Err *err)
{
    (void)s, (void)key, (void)err;
    return same(self, out);
}

static bool inert_set_item(Session *s, Value self, Value key, Value value, Err *err)
{
    (void)s, (void)self, (void)key, (void)value, (void)err;
    return true;
}

static bool inert_binary(Session *s, BinaryOp op, Value a, Value b, Value *out, Err *err)
{
    (void)s, (void)op, (void)err;
    return same(is_native(a, &type_inert) ? a : b, out);
}

/* A loop over it runs once. Unpacking it takes as many as are wanted (vm_unpack). */
static bool inert_iter(Session *s, Value self, Value *out, Err *err)
{
    List *list = list_new(s, 1, err);
    bool ok = list && list_append(s, list, self, err) && value_iter(s, value_object_take(list), out, err);
    if (list)
        object_release(&list->head);
    return ok;
}

static bool inert_length(Session *s, Value self, int64_t *length, Err *err)
{
    (void)s, (void)self, (void)err;
    *length = 1;
    return true;
}

static bool inert_repr(Session *s, Value self, Text *text, Err *err)
{
    (void)s, (void)self, (void)err;
    text_put(text, "<nothing: plots are not drawn>");
    return true;
}

static const Type type_inert = {
    .name = "Inert", .repr = inert_repr, .call = inert_call, .get_attr = inert_get_attr, .set_attr = inert_set_attr, .get_item = inert_get_item,
    .set_item = inert_set_item, .binary = inert_binary, .iter = inert_iter, .length = inert_length, .methods = methods,
};

bool value_is_inert(Value v) { return is_native(v, &type_inert); }

static bool find(Session *s, Module *m, Str *name, Value *out, Err *err)
{
    (void)m;
    if (name->s[0] == '_' && name->s[1] == '_')
        return false;
    return give(s, out, err);
}

Module *inert_module(Session *s, const char *name, Err *err)
{
    if (!is_inert(name))
        return NULL;
    Module *m = module_new(s, name, NULL, err);
    if (!m)
        return NULL;
    m->find = find;
    if (!s->told_inert) {
        static const char text[] = "note: plots are not drawn; matplotlib and its like do nothing in Locus\n";
        session_write(s, STREAM_ERR, text, sizeof text - 1);
        s->told_inert = true;
    }
    return m;
}
