/*
 * functools.c - the module functools: reduce, partial, caches, wraps.
 */
#include "lang/modules/modules.h"
#include "lang/run/signature.h"
#include "lang/types/containers.h"
#include "lang/types/native.h"

NATIVE(functools_reduce)
{
    Value iterator, pair[2], next;
    IterStatus status = ITER_VALUE;
    (void)self;
    if (!value_iter(s, arg[1], &iterator, err))
        return false;
    Value total = value_is_unset(arg[2]) ? value_unset() : value_retain(arg[2]);
    bool ok = true;
    while (ok && (status = value_next(s, iterator, &pair[1], err)) == ITER_VALUE) {
        if (value_is_unset(total)) {
            total = pair[1];
            continue;
        }
        pair[0] = total;
        ok = value_call(s, arg[0], pair, 2, 0, NULL, &next, err);
        value_release(pair[1]);
        if (ok)
            value_replace(&total, next);
    }
    value_release(iterator);
    ok = ok && status == ITER_END;
    if (ok && value_is_unset(total))
        ok = err_set(err, ERR_TYPE, "reduce() of empty iterable with no initial value");
    if (ok)
        *out = total;
    else
        value_release(total);
    return ok;
}

/* ---- partial: held[0] the function, held[1] a tuple of arguments, held[2] a dict of keywords --------------- */
/* Calls a function with positional arguments (a tuple and more) and keywords of a dict and those of a call. */
static bool call_with(Session *s, Value function, const Tuple *first, Dict *keywords, Value *args, int n, int nkw, Tuple *names,
                      Value *out, Err *err)
{
    int more = (int)first->n, all_n = more + n, extra = 0;
    int64_t at = 0;
    Value key, value;
    Value *all = mem_new(s->heap, (size_t)(all_n + nkw + (int)keywords->used + 1) * sizeof *all);
    Tuple *all_names = all ? tuple_new(s, nkw + keywords->used, err) : NULL;
    if (!all)
        return err_memory(err, sizeof *all);
    if (!all_names)
        return mem_free(s->heap, all), false;
    for (int k = 0; k < more; k++)
        all[k] = first->item[k];
    for (int k = 0; k < n; k++)
        all[more + k] = args[k];
    for (int k = 0; k < nkw; k++) {
        all[all_n + k] = args[n + k];
        all_names->item[k] = value_retain(names->item[k]);
    }
    while (dict_next(keywords, &at, &key, &value)) {    /* those of the call win */
        bool given = false;
        for (int k = 0; k < nkw; k++)
            given = given || str_equal((Str *)names->item[k].object, (Str *)key.object);
        if (given)
            continue;
        all[all_n + nkw + extra] = value;
        all_names->item[nkw + extra++] = value_retain(key);
    }
    all_names->n = nkw + extra;
    bool ok = value_call(s, function, all, all_n, nkw + extra, nkw + extra ? all_names : NULL, out, err);
    for (int64_t k = nkw + extra; k < nkw + keywords->used; k++)
        all_names->item[k] = value_unset();
    all_names->n = nkw + keywords->used;                /* its size when it is given back */
    object_release(&all_names->head);
    mem_free(s->heap, all);
    return ok;
}

static bool partial_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    NativeObject *p = (NativeObject *)self.object;
    return call_with(s, p->held[0], (Tuple *)p->held[1].object, (Dict *)p->held[2].object, args, n, nkw, names, out, err);
}

static bool partial_repr(Session *s, Value self, Text *text, Err *err)
{
    const NativeObject *p = (NativeObject *)self.object;
    const Tuple *args = (Tuple *)p->held[1].object;
    int64_t at = 0;
    Value key, value;
    text_put(text, "functools.partial(");
    bool ok = value_repr(s, p->held[0], text, err);
    for (int64_t k = 0; ok && k < args->n; k++) {
        text_put(text, ", ");
        ok = value_repr(s, args->item[k], text, err);
    }
    while (ok && dict_next((Dict *)p->held[2].object, &at, &key, &value)) {
        text_print(text, ", %s=", ((Str *)key.object)->s);
        ok = value_repr(s, value, text, err);
    }
    text_put(text, ")");
    return ok;
}

static bool partial_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const NativeObject *p = (NativeObject *)self.object;
    (void)s, (void)err;
    *out = !strcmp(name->s, "func") ? value_retain(p->held[0]) : !strcmp(name->s, "args") ? value_retain(p->held[1])
         : !strcmp(name->s, "keywords") ? value_retain(p->held[2]) : value_unset();
    return true;
}

static const Type type_partial = { .name = "partial", .call = partial_call, .repr = partial_repr, .get_attr = partial_get_attr };

NATIVE(functools_partial)
{
    (void)self;
    if (!value_type(arg[0])->call)
        return err_set(err, ERR_TYPE, "the first argument must be callable");
    NativeObject *made = native_new(s, &type_partial, arg[0], arg[1], arg[2], err);
    if (made)
        *out = value_object_take(made);
    return made;
}

/* ---- caches: held[0] the function, held[1] a dict of results; number: how many at most, or -1 -------------- */
/* What a call is known by: its arguments, then names and values of keywords. */
static Tuple *call_key(Session *s, Value *args, int n, int nkw, Tuple *names, Err *err)
{
    Tuple *key = tuple_new(s, n + 2 * nkw, err);
    if (!key)
        return NULL;
    for (int k = 0; k < n; k++)
        key->item[k] = value_retain(args[k]);
    for (int k = 0; k < nkw; k++) {
        key->item[n + 2 * k] = value_retain(names->item[k]);
        key->item[n + 2 * k + 1] = value_retain(args[n + k]);
    }
    return key;
}

/* held[2]: hits in the high 32 bits, misses in the low ones. */
static void count_call(Session *s, NativeObject *c, bool hit)
{
    int64_t known = value_is_unset(c->held[2]) ? 0 : c->held[2].i;
    c->held[2] = int_new(s, known + (hit ? (int64_t)1 << 32 : 1));
}

static bool cache_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    NativeObject *c = (NativeObject *)self.object;
    Dict *results = (Dict *)c->held[1].object;
    Value found, key_value;
    Tuple *key = call_key(s, args, n, nkw, names, err);
    if (!key)
        return false;
    key_value = value_object_take(key);
    bool ok = dict_get(s, results, key_value, &found, err);
    if (ok)
        count_call(s, c, !value_is_unset(found));
    if (ok && !value_is_unset(found)) {
        *out = value_retain(found);
        if (c->number >= 0) {           /* now the last that was used */
            bool there;
            ok = dict_delete(s, results, key_value, &there, err) && dict_set(s, results, key_value, *out, err);
        }
    } else if (ok && (ok = value_call(s, c->held[0], args, n, nkw, names, out, err))) {
        ok = dict_set(s, results, key_value, *out, err);
        int64_t at = 0;
        Value oldest, value;
        bool there;
        if (ok && c->number >= 0 && results->used > c->number && dict_next(results, &at, &oldest, &value)) {
            value_retain(oldest);
            ok = dict_delete(s, results, oldest, &there, err);
            value_release(oldest);
        }
        if (!ok)
            value_release(*out);
    }
    value_release(key_value);
    return ok;
}

NATIVE(cache_clear)
{
    (void)s, (void)arg, (void)err;
    *out = value_none();
    dict_clear((Dict *)((NativeObject *)self.object)->held[1].object);
    ((NativeObject *)self.object)->held[2] = value_unset();
    return true;
}

NATIVE(cache_info)
{
    const NativeObject *c = (NativeObject *)self.object;
    Module *m = session_import(s, "functools", err);
    Str *name = m ? str_intern(s, "_cache_info", 11, err) : NULL;
    int64_t known = value_is_unset(c->held[2]) ? 0 : c->held[2].i;
    Value make = value_unset();
    Value args[] = { int_new(s, known >> 32), int_new(s, known & 0xffffffff), c->number < 0 ? value_none() : int_new(s, c->number),
                     int_new(s, ((Dict *)c->held[1].object)->used) };
    (void)arg;
    bool ok = name && value_get_attr(s, (Value){ V_OBJECT, { .object = &m->head } }, name, &make, err) && value_call(s, make, args, 4, 0, NULL, out, err);
    value_release(make);
    if (name)
        object_release(&name->head);
    if (m)
        object_release(&m->head);
    return ok;
}

static bool cache_get_attr(Session *s, Value self, Str *name, Value *out, Err *err)
{
    const NativeObject *c = (NativeObject *)self.object;
    *out = value_unset();
    if (!strcmp(name->s, "__wrapped__"))
        *out = value_retain(c->held[0]);
    else if (!strcmp(name->s, "__name__") || !strcmp(name->s, "__doc__"))
        return value_find_attr(s, c->held[0], name, out, err);
    return true;
}

static const NativeRow cache_methods[] = { { "cache_clear", cache_clear, "", 0, "Forgets all results." },
                                           { "cache_info", cache_info, "", 0, "How often a result was known." }, { 0 } };
static const Type type_cache = { .name = "_lru_cache_wrapper", .call = cache_call, .get_attr = cache_get_attr, .methods = cache_methods };

static bool cached(Session *s, Value function, int64_t most, Value *out, Err *err)
{
    Dict *results = dict_new(s, err);
    if (!results)
        return false;
    NativeObject *made = native_new(s, &type_cache, function, (Value){ V_OBJECT, { .object = &results->head } }, value_unset(), err);
    object_release(&results->head);
    if (!made)
        return false;
    made->number = most;
    *out = value_object_take(made);
    return true;
}

/* lru_cache(maxsize=n) answers this, which takes the function. */
static bool cacher_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    (void)names;
    if (n != 1 || nkw)
        return err_set(err, ERR_TYPE, "lru_cache() takes one function");
    return cached(s, args[0], ((NativeObject *)self.object)->number, out, err);
}

static const Type type_cacher = { .name = "function", .call = cacher_call };

NATIVE(functools_lru_cache)
{
    int64_t most = -1;
    (void)self;
    if (!value_is_none(arg[0]) && !value_is_int(arg[0]) && value_type(arg[0])->call)
        return cached(s, arg[0], 128, out, err);
    if (!value_is_none(arg[0]) && !value_index(s, arg[0], "maxsize", &most, err))
        return false;
    NativeObject *made = native_new(s, &type_cacher, value_unset(), value_unset(), value_unset(), err);
    if (!made)
        return false;
    made->number = value_is_none(arg[0]) ? -1 : most < 0 ? 0 : most;
    *out = value_object_take(made);
    return true;
}

NATIVE(functools_cache)
{
    (void)self;
    return cached(s, arg[0], -1, out, err);
}

/* ---- wraps: held[0] is the function that is wrapped -------------------------------------------------------- */
static bool copy_attribute(Session *s, Value from, Value to, const char *name, Err *err)
{
    Value found;
    Str *key = str_intern(s, name, (int64_t)strlen(name), err);
    bool ok = key && value_find_attr(s, from, key, &found, err);
    if (ok && !value_is_unset(found)) {
        if (!value_set_attr(s, to, key, found, err)) {
            ok = error_is(s, err, ERR_ATTRIBUTE);
            if (ok)
                error_clear(s, err);
        }
        value_release(found);
    }
    if (key)
        object_release(&key->head);
    return ok;
}

static bool wrapper_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    static const char *const copied[] = { "__name__", "__qualname__", "__doc__", "__module__" };
    Value wrapped = ((NativeObject *)self.object)->held[0];
    (void)names;
    if (n != 1 || nkw)
        return err_set(err, ERR_TYPE, "wraps() takes one function");
    for (size_t k = 0; k < sizeof copied / sizeof *copied; k++)
        if (!copy_attribute(s, wrapped, args[0], copied[k], err))
            return false;
    Str *key = str_intern(s, "__wrapped__", 11, err);
    bool ok = key && value_set_attr(s, args[0], key, wrapped, err);
    if (key)
        object_release(&key->head);
    if (ok)
        *out = value_retain(args[0]);
    return ok;
}

static const Type type_wrapper = { .name = "function", .call = wrapper_call };

NATIVE(functools_wraps)
{
    (void)self;
    NativeObject *made = native_new(s, &type_wrapper, arg[0], value_unset(), value_unset(), err);
    if (made)
        *out = value_object_take(made);
    return made;
}

/* ---- cmp_to_key: held[0] the comparison, held[1] the value ------------------------------------------------- */
static const Type type_key;

static bool key_compare(Session *s, CompareOp op, Value a, Value b, Value *out, Err *err)
{
    Value answer;
    if (!is_native(a, &type_key) || !is_native(b, &type_key))
        return *out = not_implemented_value(), true;
    NativeObject *x = (NativeObject *)a.object, *y = (NativeObject *)b.object;
    Value pair[] = { x->held[1], y->held[1] };
    if (!value_call(s, x->held[0], pair, 2, 0, NULL, &answer, err))
        return false;
    bool ok = value_compare(s, op, answer, int_new(s, 0), out, err);
    value_release(answer);
    return ok;
}

static bool key_call(Session *s, Value self, Value *args, int n, int nkw, Tuple *names, Value *out, Err *err)
{
    (void)names;
    if (n != 1 || nkw)
        return err_set(err, ERR_TYPE, "a key function takes one value");
    NativeObject *made = native_new(s, &type_key, ((NativeObject *)self.object)->held[0], args[0], value_unset(), err);
    if (made)
        *out = value_object_take(made);
    return made;
}

static const Type type_key = { .name = "KeyWrapper", .compare = key_compare, .call = key_call };

NATIVE(functools_cmp_to_key)
{
    (void)self;
    NativeObject *made = native_new(s, &type_key, arg[0], value_unset(), value_unset(), err);
    if (made)
        *out = value_object_take(made);
    return made;
}

static const NativeRow rows[] = {
    { "cache", functools_cache, "user_function, /", 0, "The function with a memory of its results." },
    { "cmp_to_key", functools_cmp_to_key, "mycmp", 0, "A key for sorting, from a function that compares two values." },
    { "lru_cache", functools_lru_cache, "maxsize = 128, typed = False", 0, "A function with a memory of its last results." },
    { "partial", functools_partial, "func, /, *args, **keywords", 0, "The function with some arguments given." },
    { "reduce", functools_reduce, "function, iterable, initial = ..., /", 0, "The elements put together by a function of two, from the left." },
    { "wraps", functools_wraps, "wrapped", 0, "Gives a function the name and text of the one that it wraps." },
    { 0 }
};

Module *module_functools(Session *s, Err *err)
{
    return module_new(s, "functools", rows, err);
}
