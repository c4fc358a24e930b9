/*
 * vm_ops.c - what the instructions do that takes more than a few lines.
 */
#include "lang/run/frame.h"
#include "lang/types/rows.h"
#include "lang/types/torch_types.h"
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------ */
bool vm_unbound(Session *s, const Frame *frame, int slot, Err *err)
{
    const Code *code = frame->code;
    (void)s;
    if (slot >= code->free_first && slot < code->free_first + code->frees)
        return err_set(err, ERR_NAME, "cannot access free variable '%s' where it is not associated with a value in enclosing scope",
                       code->local[slot]->s);
    return err_set(err, ERR_UNBOUND_LOCAL, "cannot access local variable '%s' where it is not associated with a value", code->local[slot]->s);
}

/* Is it a builtin of Python's that the subset is without? */
static bool is_left_out(const char *name)
{
    static const char *const names[] = { "__import__", "aiter", "anext", "breakpoint", "bytearray", "compile", "complex", "copyright",
                                         "credits", "eval", "exec", "globals", "license", "locals", "memoryview" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k], name))
            return true;
    return false;
}

static bool undefined(Session *s, const Str *name, Err *err)
{
    Nearest nearest;
    nearest_begin(&nearest, name->s);
    for (int k = 0; k < s->globals; k++)
        if (!value_is_unset(s->global[k].value))
            nearest_look(&nearest, s->global[k].name->s);
    value_dir(s, value_object_take(s->builtins), nearest_look, &nearest);
    err_set(err, ERR_NAME, "name '%s' is not defined", name->s);
    if (is_left_out(name->s))
        err_hint(err, "Python's builtin %s is not supported by Locus", name->s);
    else if (nearest.best[0])
        err_hint(err, "did you mean '%s'?", nearest.best);
    return false;
}

bool vm_global(Session *s, int slot, Value *out, Err *err)
{
    if (!value_is_unset(s->global[slot].value)) {
        *out = value_retain(s->global[slot].value);
        return true;
    }
    if (!value_find_attr(s, value_object_take(s->builtins), s->global[slot].name, out, err))
        return false;
    return !value_is_unset(*out) || undefined(s, s->global[slot].name, err);
}

bool vm_del_global(Session *s, int slot, Err *err)
{
    Value old = s->global[slot].value;
    if (value_is_unset(old))
        return undefined(s, s->global[slot].name, err);
    if (s->record)
        run_bind(s, s->frame, value_unset(), old);
    s->global[slot].value = value_unset();
    value_release(old);
    return true;
}

int session_global_slot(Session *s, Str *name, Err *err)
{
    Value *found = s->global_index ? dict_find_str(s->global_index, name) : NULL;
    if (found)
        return (int)found->i;
    if (!s->global_index && !(s->global_index = dict_new(s, err)))
        return -1;
    if (s->globals == s->global_capacity) {
        int capacity = s->global_capacity ? 2 * s->global_capacity : 64;
        GlobalSlot *global = mem_resize(s->heap, s->global, (size_t)capacity * sizeof *global);
        if (!global)
            return err_memory(err, (size_t)capacity * sizeof *global), -1;
        s->global = global;
        s->global_capacity = capacity;
    }
    if (!dict_set(s, s->global_index, value_object_take(name), (Value){ V_INT, { .i = s->globals } }, err))
        return -1;
    name->head.count++;
    s->global[s->globals] = (GlobalSlot){ name, value_unset() };
    return s->globals++;
}

/* ---- unpacking, text ---------------------------------------------------------------------------------------- */
/* The values go to top[0] …, the first target on top. The star's list stands between. */
bool vm_unpack(Session *s, Value v, int before, int after, bool star, Value *top, Err *err)
{
    const Type *type = value_type(v);
    if (value_is_inert(v)) {
        for (int k = 0; k < before + after + star; k++)
            *top++ = value_retain(v);
        return true;
    }
    if (!type->iter)
        return err_set(err, ERR_TYPE, "cannot unpack non-iterable %s object", value_type_name(v));
    List *items = value_to_list(s, v, err);
    if (!items)
        return false;
    int64_t n = items->n, wanted = before + after, rest = n - wanted;
    List *middle = NULL;
    bool ok = star ? rest >= 0 : rest == 0;
    if (!ok)
        n < wanted ? err_set(err, ERR_VALUE, "not enough values to unpack (expected %s%lld, got %lld)", star ? "at least " : "", (long long)wanted, (long long)n)
                   : err_set(err, ERR_VALUE, "too many values to unpack (expected %lld)", (long long)wanted);
    if (ok && star && !(middle = list_new(s, rest, err)))
        ok = false;
    if (ok) {
        for (int64_t k = 0; k < after; k++)
            *top++ = value_retain(items->item[n - 1 - k]);
        if (star) {
            for (int64_t k = 0; k < rest; k++)
                middle->item[k] = value_retain(items->item[before + k]);
            middle->n = rest;
            *top++ = value_object_take(middle);
        }
        for (int64_t k = before - 1; k >= 0; k--)
            *top++ = value_retain(items->item[k]);
    }
    object_release(&items->head);
    return ok;
}

bool vm_format(Session *s, Value v, uint32_t conversion, const Value *spec, Value *out, Err *err)
{
    Text text = { 0 }, converted = { 0 };
    const char *form = spec ? ((Str *)spec->object)->s : "";
    size_t n = spec ? (size_t)((Str *)spec->object)->size : 0;
    bool ok = true;
    if (!conversion)
        ok = value_format(s, v, form, n, &text, err);
    else {
        ok = conversion == 's' ? value_str(s, v, &converted, err) : value_repr(s, v, &converted, err);
        ok = ok && format_text(s, converted.s ? converted.s : "", converted.n, form, n, &text, err);
    }
    text_free(&converted);
    if (!ok) {
        text_free(&text);
        return false;
    }
    return text_out(s, &text, out, err);
}

bool vm_concat(Session *s, const Value *parts, int n, Value *out, Err *err)
{
    Text text = { 0 };
    for (int k = 0; k < n; k++)
        text_add(&text, ((Str *)parts[k].object)->s, (size_t)((Str *)parts[k].object)->size);
    return text_out(s, &text, out, err);
}

/* ---- calls -------------------------------------------------------------------------------------------------- */
bool vm_merge_keywords(Session *s, Dict *to, Value mapping, Err *err)
{
    Value key, value;
    if (!value_is(mapping, TYPE_DICT)) {                /* one with keys() and items; read as a dict first */
        Dict *read = dict_new(s, err);
        bool ok = read && dict_update(s, read, mapping, true, err) && vm_merge_keywords(s, to, value_object_take(read), err);
        if (read)
            object_release(&read->head);
        return ok;
    }
    for (int64_t at = 0; dict_next((Dict *)mapping.object, &at, &key, &value); ) {
        if (!value_is(key, TYPE_STR))
            return err_set(err, ERR_TYPE, "keywords must be strings");
        if (dict_find_str(to, (Str *)key.object))
            return err_set(err, ERR_TYPE, "got multiple values for keyword argument '%s'", ((Str *)key.object)->s);
        if (!dict_set(s, to, key, value, err))
            return false;
    }
    return true;
}

bool vm_call_spread(Session *s, Value callee, Value args, Value keywords, Value *out, Err *err)
{
    List *items = value_to_list(s, args, err);
    if (!items)
        return false;
    Dict *dict = value_is_unset(keywords) ? NULL : (Dict *)keywords.object;
    int n = (int)items->n, nkw = dict ? (int)dict->used : 0, k = 0;
    Tuple *names = tuple_new(s, nkw, err);
    Value *all = names ? mem_new(s->heap, (size_t)(n + nkw + 1) * sizeof *all) : NULL, key, value;
    bool ok = all || (names && err_memory(err, (size_t)(n + nkw + 1) * sizeof *all));
    for (int i = 0; ok && i < n; i++)
        all[i] = items->item[i];
    for (int64_t at = 0; ok && dict && dict_next(dict, &at, &key, &value); k++) {
        names->item[k] = value_retain(key);
        all[n + k] = value;
    }
    ok = ok && value_call(s, callee, all, n, nkw, names, out, err);
    mem_free(s->heap, all);
    if (names)
        object_release(&names->head);
    object_release(&items->head);
    return ok;
}

/* ---- functions ---------------------------------------------------------------------------------------------- */
bool vm_function(Session *s, Frame *frame, Code *code, uint32_t bits, Value **top, Value *out, Err *err)
{
    Function *f = function_new(s, code, err);
    Value *at = *top;
    (void)frame;
    if (!f)
        return false;
    if (bits & 8)
        f->closure = (Tuple *)(--at)->object;
    if (bits & 4)
        f->annotations = (Dict *)(--at)->object;
    if (bits & 2)
        f->keyword_defaults = (Dict *)(--at)->object;
    if (bits & 1)
        f->defaults = (Tuple *)(--at)->object;
    *top = at;
    *out = value_object_take(f);
    return true;
}

/* ---- errors ------------------------------------------------------------------------------------------------- */
static bool is_exception_class(Value v)
{
    return value_is(v, TYPE_CLASS) && ((Class *)v.object)->type == TYPE_EXCEPTION;
}

bool vm_exception_match(Session *s, Value exception, Value classes, bool *matches, Err *err)
{
    *matches = false;
    if (value_is(classes, TYPE_TUPLE)) {
        const Tuple *tuple = (Tuple *)classes.object;
        for (int64_t k = 0; k < tuple->n && !*matches; k++)
            if (!vm_exception_match(s, exception, tuple->item[k], matches, err))
                return false;
        return true;
    }
    if (!is_exception_class(classes))
        return err_set(err, ERR_TYPE, "catching classes that do not inherit from BaseException is not allowed");
    *matches = class_is_subclass(((Exception *)exception.object)->cls, (Class *)classes.object);
    return true;
}

/* An exception for `raise v`: the object itself, or a new one of the class. */
static Exception *exception_of(Session *s, Value v, Err *err)
{
    Value made;
    if (value_is(v, TYPE_EXCEPTION))
        return (Exception *)value_retain(v).object;
    if (!is_exception_class(v)) {
        err_set(err, ERR_TYPE, "exceptions must derive from BaseException");
        return NULL;
    }
    if (!value_call(s, v, NULL, 0, 0, NULL, &made, err))
        return NULL;
    if (!value_is(made, TYPE_EXCEPTION)) {
        value_release(made);
        err_set(err, ERR_TYPE, "calling the class did not give an exception");
        return NULL;
    }
    return (Exception *)made.object;
}

bool vm_raise(Session *s, int n, Value *args, Err *err)
{
    if (!n) {
        if (!s->handled)
            return err_set(err, ERR_RUNTIME, "No active exception to reraise");
        return session_raise(s, s->handled, err);
    }
    Exception *exception = exception_of(s, args[0], err);
    if (!exception)
        return false;
    if (n == 2) {
        Value cause = value_none();
        if (!value_is_none(args[1])) {
            Exception *made = exception_of(s, args[1], err);
            if (!made) {
                object_release(&exception->head);
                return false;
            }
            cause = value_object_take(made);
        }
        value_replace(&exception->cause, cause);
        exception->suppress_context = true;
    }
    session_raise(s, exception, err);
    object_release(&exception->head);
    return false;
}

bool vm_with(Session *s, Value manager, Value *leave, Value *entered, Err *err)
{
    Value enter;
    Str *enter_name = str_intern(s, "__enter__", 9, err), *exit_name = str_intern(s, "__exit__", 8, err);
    bool ok = enter_name && exit_name && value_find_attr(s, manager, enter_name, &enter, err);
    if (ok && !(ok = value_find_attr(s, manager, exit_name, leave, err)))
        value_release(enter);
    if (ok && (value_is_unset(enter) || value_is_unset(*leave))) {
        value_release(enter);
        value_release(*leave);
        ok = err_set(err, ERR_TYPE, "'%s' object does not support the context manager protocol", value_type_name(manager));
    } else if (ok) {
        ok = value_call(s, enter, NULL, 0, 0, NULL, entered, err);
        value_release(enter);
        if (!ok)
            value_release(*leave);
    }
    if (enter_name)
        object_release(&enter_name->head);
    if (exit_name)
        object_release(&exit_name->head);
    return ok;
}

/* ---- imports ------------------------------------------------------------------------------------------------ */
bool vm_import(Session *s, Frame *frame, Str *name, bool leaf, Value *out, Err *err)
{
    const char *dot = strchr(name->s, '.');
    Module *module = session_import(s, name->s, err);
    (void)frame;
    if (!module)
        return false;
    if (!leaf && dot) {
        Str *root = str_new(s, name->s, dot - name->s, err);
        object_release(&module->head);
        module = root ? session_import(s, root->s, err) : NULL;
        if (root)
            object_release(&root->head);
        if (!module)
            return false;
    }
    *out = value_object_take(module);
    return true;
}

bool vm_import_from(Session *s, Value module, Str *name, Value *out, Err *err)
{
    if (!value_find_attr(s, module, name, out, err))
        return false;
    if (!value_is_unset(*out))
        return true;
    Text dotted = { 0 };
    text_print(&dotted, "%s.%s", value_is(module, TYPE_MODULE) ? ((Module *)module.object)->name->s : "?", name->s);
    char *whole = text_end(&dotted);
    Module *inner = whole ? session_import(s, whole, err) : NULL;
    text_free(&dotted);
    if (inner) {
        *out = value_object_take(inner);
        return true;
    }
    Nearest nearest;
    nearest_begin(&nearest, name->s);
    value_dir(s, module, nearest_look, &nearest);
    err_set(err, ERR_IMPORT, "cannot import name '%s' from '%s'", name->s, value_is(module, TYPE_MODULE) ? ((Module *)module.object)->name->s : "?");
    if (nearest.best[0])
        err_hint(err, "did you mean '%s'?", nearest.best);
    return false;
}

typedef struct Star { Session *s; Value module; Err *err; bool failed; } Star;

static void import_one(void *to, const char *name)
{
    Star *star = to;
    Value v = value_unset();
    if (star->failed || name[0] == '_')
        return;
    Str *str = str_intern(star->s, name, (int64_t)strlen(name), star->err);
    int slot = str ? session_global_slot(star->s, str, star->err) : -1;
    star->failed = slot < 0 || !value_find_attr(star->s, star->module, str, &v, star->err);
    if (str)
        object_release(&str->head);
    if (!star->failed && !value_is_unset(v))
        value_replace(&star->s->global[slot].value, v);
}

bool vm_import_star(Session *s, Value module, Err *err)
{
    Star star = { s, module, err, false };
    value_dir(s, module, import_one, &star);
    return !star.failed;
}
