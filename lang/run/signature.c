/*
 * signature.c - signatures as text: parsing, binding of arguments, printing.
 */
#include "lang/run/signature.h"
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Cached { const char *text; Signature *signature; } Cached;
struct Signatures { Cached *slot; size_t used, capacity; };      /* open addressing by the text's address */

static const struct { const char *name; ParamType type; } type_names[] = {
    { "any", PARAM_ANY }, { "tensor", PARAM_TENSOR }, { "operand", PARAM_OPERAND }, { "number", PARAM_NUMBER },
    { "int", PARAM_INT }, { "float", PARAM_FLOAT }, { "bool", PARAM_BOOL }, { "ints", PARAM_INTS },
    { "sizes", PARAM_SIZES }, { "list", PARAM_LIST }, { "dims", PARAM_SIZES }, { "tensors", PARAM_TENSORS }, { "dtype", PARAM_DTYPE }, { "device", PARAM_DEVICE },
    { "str", PARAM_STR }, { "index", PARAM_INDEX }, { "generator", PARAM_GENERATOR }, { "numbers", PARAM_NUMBERS }, { "format", PARAM_FORMAT }, { "axes", PARAM_AXES },
};

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n')
        p++;
    return p;
}

static const char *read_name(const char *p, const char **name, int *size)
{
    *name = p;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
        p++;
    *size = (int)(p - *name);
    return p;
}

static bool read_default(Session *s, const char *text, size_t n, Value *out, Err *err)
{
    *out = value_unset();
    if (n == 4 && !memcmp(text, "None", 4))
        *out = value_none();
    else if (n == 4 && !memcmp(text, "True", 4))
        *out = value_bool(true);
    else if (n == 5 && !memcmp(text, "False", 5))
        *out = value_bool(false);
    else if (n >= 2 && (*text == '\'' || *text == '"')) {
        Str *str = str_intern(s, text + 1, (int64_t)n - 2, err);
        if (!str)
            return false;
        *out = value_object_take(str);
    } else if (n && memcmp(text, "...", n < 3 ? n : 3)) {
        char *end, *whole;
        int64_t i = strtoll(text, &end, 10);
        double f = strtod(text, &whole);
        *out = end == whole ? int_new(s, i) : float_new(s, f);
    }
    return true;
}

static const char *read_param(Session *s, const char *p, SigParam *param, Err *err)
{
    p = read_name(p, &param->name, &param->name_size);
    while (*p == '|')
        p = read_name(p + 1, &param->alias, &param->alias_size);
    p = skip_blanks(p);
    if (*p == ':') {
        const char *name;
        int size;
        p = skip_blanks(read_name(skip_blanks(p + 1), &name, &size));
        for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
            if ((int)strlen(type_names[i].name) == size && !memcmp(type_names[i].name, name, (size_t)size))
                param->type = type_names[i].type;
        if (*p == '?') {
            param->optional = true;
            p = skip_blanks(p + 1);
        }
    }
    if (*p == '=') {
        const char *start = p = skip_blanks(p + 1);
        if (*p == '\'' || *p == '"') {
            for (p++; *p && *p != *start; p++)
                continue;
            p += *p != 0;
        } else {
            int depth = 0;
            for (; *p && (depth || *p != ','); p++)
                depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        }
        const char *end = p;
        while (end > start && end[-1] == ' ')
            end--;
        param->has_default = true;
        if (!read_default(s, start, (size_t)(end - start), &param->default_value, err))
            return NULL;
    }
    return skip_blanks(p);
}

static bool parse(Session *s, Signature *sig, Err *err)
{
    ParamKind kind = PARAM_NORMAL;
    const char *p = skip_blanks(sig->text);
    sig->varargs = sig->varkeywords = -1;
    while (*p) {
        SigParam *param = &sig->param[sig->params];
        if (*p == '/') {
            for (int i = 0; i < sig->params; i++)
                sig->param[i].kind = PARAM_POSITIONAL;
            p = skip_blanks(p + 1);
        } else if (*p == '*' && (p[1] == ',' || p[1] == 0)) {
            kind = PARAM_KEYWORD;
            p = skip_blanks(p + 1);
        } else {
            assert(sig->params < SIGNATURE_PARAMS);
            *param = (SigParam){ .kind = kind };
            if (p[0] == '*' && p[1] == '*') {
                param->kind = PARAM_VARKEYWORDS;
                sig->varkeywords = sig->params;
                p += 2;
            } else if (*p == '*') {
                param->kind = PARAM_VARARGS;
                sig->varargs = sig->params;
                kind = PARAM_KEYWORD;
                p++;
            }
            if (!(p = read_param(s, p, param, err)))
                return false;
            if (param->kind == PARAM_NORMAL)
                sig->positional = sig->params + 1;
            sig->params++;
        }
        if (*p == ',')
            p = skip_blanks(p + 1);
        else if (*p) {
            assert(!"a signature's text is malformed");
            break;
        }
    }
    return true;
}

static size_t slot_of(const struct Signatures *table, const char *text)
{
    size_t at = ((uintptr_t)text >> 3) * 0x9E3779B97F4A7C15u >> 20;
    for (at &= table->capacity - 1; table->slot[at].text && table->slot[at].text != text; at = (at + 1) & (table->capacity - 1))
        continue;
    return at;
}

static bool grow(Session *s, struct Signatures *table, Err *err)
{
    struct Signatures larger = { .used = table->used, .capacity = table->capacity ? 2 * table->capacity : 256 };
    if (!(larger.slot = mem_new(s->heap, larger.capacity * sizeof *larger.slot)))
        return err_memory(err, larger.capacity * sizeof *larger.slot);
    memset(larger.slot, 0, larger.capacity * sizeof *larger.slot);
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slot[i].text)
            larger.slot[slot_of(&larger, table->slot[i].text)] = table->slot[i];
    mem_free(s->heap, table->slot);
    *table = larger;
    return true;
}

const Signature *signature_get(Session *s, const char *text, Err *err)
{
    struct Signatures *table = s->signatures;
    if (!table) {
        if (!(table = mem_new(s->heap, sizeof *table)))
            return err_memory(err, sizeof *table), NULL;
        memset(table, 0, sizeof *table);
        s->signatures = table;
    }
    if (2 * table->used >= table->capacity && !grow(s, table, err))
        return NULL;
    Cached *cached = &table->slot[slot_of(table, text)];
    if (cached->text)
        return cached->signature;
    Signature *sig = mem_new(s->heap, sizeof *sig);
    if (!sig)
        return err_memory(err, sizeof *sig), NULL;
    *sig = (Signature){ .text = text };
    if (!parse(s, sig, err)) {
        for (int i = 0; i < sig->params; i++)
            value_release(sig->param[i].default_value);
        mem_free(s->heap, sig);
        return NULL;
    }
    *cached = (Cached){ text, sig };
    table->used++;
    return sig;
}

void signatures_free(Session *s)
{
    struct Signatures *table = s->signatures;
    if (!table)
        return;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slot[i].text) {
            for (int k = 0; k < table->slot[i].signature->params; k++)
                value_release(table->slot[i].signature->param[k].default_value);
            mem_free(s->heap, table->slot[i].signature);
        }
    mem_free(s->heap, table->slot);
    mem_free(s->heap, table);
    s->signatures = NULL;
}

/* ---- binding -------------------------------------------------------------------------------------------- */
/* PyTorch takes NumPy's names for its own everywhere. */
static bool also_named(const SigParam *param, const Str *name, const char *own, const char *other)
{
    return (size_t)param->name_size == strlen(own) && !memcmp(param->name, own, (size_t)param->name_size) && !strcmp(name->s, other);
}

static bool is_named(const SigParam *param, const Str *name)
{
    return (param->name_size == name->size && !memcmp(param->name, name->s, (size_t)name->size))
        || (param->alias && param->alias_size == name->size && !memcmp(param->alias, name->s, (size_t)name->size))
        || also_named(param, name, "self", "input") || also_named(param, name, "dim", "axis") || also_named(param, name, "keepdim", "keepdims");
}

bool signature_has(const Signature *sig, const Str *name)
{
    for (int k = 0; k < sig->params; k++)
        if (is_named(&sig->param[k], name))
            return true;
    return false;
}

static bool bind_keyword(Session *s, const Signature *sig, const char *function, Str *name, Value value, Value *bound, Err *err)
{
    for (int k = 0; k < sig->params; k++) {
        const SigParam *param = &sig->param[k];
        if ((param->kind != PARAM_NORMAL && param->kind != PARAM_KEYWORD) || !is_named(param, name))
            continue;
        if (!value_is_unset(bound[k]))
            return err_set(err, ERR_TYPE, "%s() got two values for argument '%s'", function, name->s);
        bound[k] = value;
        return true;
    }
    if (sig->varkeywords >= 0)
        return dict_set(s, (Dict *)bound[sig->varkeywords].object, (Value){ V_OBJECT, { .object = &name->head } }, value, err);
    err_set(err, ERR_TYPE, "%s() got an unexpected keyword argument '%s'", function, name->s);
    Text hint = { 0 };
    signature_print(sig, 0, &hint);
    if (text_end(&hint))
        err_hint(err, "it takes (%s)", hint.s);
    text_free(&hint);
    return false;
}

bool signature_bind(Session *s, const Signature *sig, const char *function, int skip, Value *args, int n, int nkw,
                    Tuple *names, Value *bound, Err *err)
{
    int positional = n < sig->positional - skip ? n : sig->positional - skip;
    for (int k = skip; k < sig->params; k++)
        bound[k] = value_unset();
    for (int k = 0; k < positional; k++)
        bound[skip + k] = args[k];
    if (sig->varargs >= 0) {
        Tuple *rest = tuple_new(s, n - positional, err);
        if (!rest)
            return false;
        for (int k = positional; k < n; k++)
            rest->item[k - positional] = value_retain(args[k]);
        bound[sig->varargs] = value_object_take(rest);
    } else if (n > positional) {
        err_set(err, ERR_TYPE, "%s() takes %s%d positional argument%s but %d %s given", function,
                sig->positional - skip && sig->param[sig->positional - 1].has_default ? "at most " : "", sig->positional - skip,
                sig->positional - skip == 1 ? "" : "s", n, n == 1 ? "was" : "were");
        return false;
    }
    if (sig->varkeywords >= 0) {
        Dict *rest = dict_new(s, err);
        if (!rest)
            return signature_unbind(sig, bound), false;
        bound[sig->varkeywords] = value_object_take(rest);
    }
    for (int k = 0; k < nkw; k++)
        if (!value_is_unset(args[n + k]) && !bind_keyword(s, sig, function, (Str *)names->item[k].object, args[n + k], bound, err))
            return signature_unbind(sig, bound), false;
    for (int k = skip; k < sig->params; k++) {
        const SigParam *param = &sig->param[k];
        if (!value_is_unset(bound[k]) || param->kind == PARAM_VARARGS || param->kind == PARAM_VARKEYWORDS)
            continue;
        if (!param->has_default) {
            err_set(err, ERR_TYPE, "%s() missing required argument: '%.*s'", function, param->name_size, param->name);
            return signature_unbind(sig, bound), false;
        }
        bound[k] = param->default_value;
    }
    return true;
}

void signature_unbind(const Signature *sig, Value *bound)
{
    if (sig->varargs >= 0)
        value_release(bound[sig->varargs]), bound[sig->varargs] = value_unset();
    if (sig->varkeywords >= 0)
        value_release(bound[sig->varkeywords]), bound[sig->varkeywords] = value_unset();
}

void signature_print(const Signature *sig, int skip, Text *text)
{
    bool keyword_only = sig->varargs >= 0;
    for (int k = skip; k < sig->params; k++) {
        const SigParam *param = &sig->param[k];
        if (k > skip)
            text_put(text, ", ");
        if (param->kind == PARAM_KEYWORD && !keyword_only) {
            text_put(text, "*, ");
            keyword_only = true;
        }
        if (param->kind == PARAM_VARARGS || (param->type == PARAM_SIZES && param->kind == PARAM_NORMAL))
            text_put(text, "*");
        if (param->kind == PARAM_VARKEYWORDS)
            text_put(text, "**");
        text_add(text, param->name, (size_t)param->name_size);
        if (param->has_default) {
            Value v = param->default_value;
            text_put(text, "=");
            switch (value_tag(v)) {
            case V_NONE: text_put(text, "None"); break;
            case V_BOOL: text_put(text, v.i ? "True" : "False"); break;
            case V_INT: text_print(text, "%lld", (long long)v.i); break;
            case V_FLOAT: number_print((Number){ DKIND_FLOAT, { .f = v.f } }, text); break;
            case V_OBJECT: text_print(text, "'%s'", ((Str *)v.object)->s); break;
            default: text_put(text, "...");
            }
        }
        if (param->kind == PARAM_POSITIONAL && (k + 1 == sig->params || sig->param[k + 1].kind != PARAM_POSITIONAL))
            text_put(text, ", /");
    }
}
