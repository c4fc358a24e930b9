/*
 * complete.c - what may stand under the cursor: names, attributes, modules, keyword arguments. It reads text
 * that need not
 * parse, and runs nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "lang/look.h"
#include "lang/syntax/lex.h"

typedef struct Found {
    Completion *to;
    const char *prefix;                 /* borrowed: in the text */
    size_t      prefix_size, capacity;
    const char *suffix;                 /* "=" behind a keyword argument */
    const char *owner;                  /* modules: only those under this one, the part behind its dot */
    size_t      owner_size;
    bool        public_only, failed;
} Found;

static void add(void *to, const char *name)
{
    Found *f = to;
    Completion *c = f->to;
    size_t n = strlen(name);
    if (f->failed || n < f->prefix_size || memcmp(name, f->prefix, f->prefix_size) != 0)
        return;
    if (n == 0 || *name == '<' || *name == '.' || (*name == '_' && (f->public_only || f->prefix_size == 0)))
        return;
    if (c->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 32;
        char **match = realloc(c->match, capacity * sizeof *match);
        if (!match) {
            f->failed = true;
            return;
        }
        c->match = match;
        f->capacity = capacity;
    }
    size_t extra = strlen(f->suffix);
    char *copy = malloc(n + extra + 1);
    if (!copy) {
        f->failed = true;
        return;
    }
    memcpy(copy, name, n);
    memcpy(copy + n, f->suffix, extra + 1);
    c->match[c->count++] = copy;
}

/* Of "torch.nn", with owner "torch": nn. Without one: torch. */
static void add_module(void *to, const char *name)
{
    Found *f = to;
    char part[128];
    if (f->owner_size > 0) {
        if (strncmp(name, f->owner, f->owner_size) != 0 || name[f->owner_size] != '.')
            return;
        name += f->owner_size + 1;
    }
    size_t n = strcspn(name, ".");
    if (n >= sizeof part)
        return;
    memcpy(part, name, n);
    part[n] = 0;
    add(f, part);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts what was added since `from`, and drops what is there twice. */
static void sort(Completion *c, size_t from)
{
    size_t kept = from;
    if (c->count > from)
        qsort(c->match + from, c->count - from, sizeof *c->match, compare);
    for (size_t i = from; i < c->count; i++)
        if (kept > from && strcmp(c->match[kept - 1], c->match[i]) == 0)
            free(c->match[i]);
        else
            c->match[kept++] = c->match[i];
    c->count = kept;
}

/* Names that the text itself binds: they may not have run yet. */
static void add_bound(Session *s, const char *text, size_t n, const Around *around, Found *f)
{
    Err err = { .kind = ERR_NONE };
    Lexer x = { .s = s, .text = text, .end = (uint32_t)n, .commands = true };
    if (!lex(&x, &err)) {
        lex_free(&x);
        return;
    }
    for (size_t i = 0; i < x.tokens; i++) {
        const Token *token = &x.token[i];
        char name[128];
        size_t size = token->end - token->start;
        if (token->kind != T_NAME || size >= sizeof name || (token->start <= around->start &&
                                                             token->end >= around->end))
            continue;
        uint8_t before = i > 0 ? token[-1].kind : T_NEWLINE, after = i + 1 < x.tokens ? token[1].kind : T_END;
        bool bound = before == T_DEF || before == T_CLASS || before == T_AS || before == T_FOR ||
            before == T_IMPORT ||
                     (after == T_ASSIGN && before != T_DOT) ||
                     ((after == T_COMMA || after == T_COLON) && (before == T_NEWLINE || before == T_INDENT));
        if (!bound)
            continue;
        memcpy(name, text + token->start, size);
        name[size] = 0;
        add(f, name);
    }
    lex_free(&x);
}

static void add_names(Session *s, Found *f)
{
    for (int k = T_FALSE; k <= T_YIELD; k++)
        if (k != T_ASYNC && k != T_AWAIT)
            add(f, token_text((TokenKind)k));
    for (int i = 0; i < s->globals; i++)
        if (!value_is_unset(s->global[i].value))
            add(f, s->global[i].name->s);
    if (s->builtins)
        look_members(s, value_object_take(s->builtins), add, f);
}

static void add_members(Session *s, const char *text, const Around *around, Found *f)
{
    Value owner = value_unset();
    if (around->of_string) {
        Err err = { .kind = ERR_NONE };
        Str *empty = str_new(s, "", 0, &err);
        if (empty)
            owner = value_object_take(empty);
    } else {
        owner = look_up(s, text + around->owner, around->owner_end - around->owner);
    }
    if (!value_is_unset(owner))
        look_members(s, owner, add, f);
    value_release(owner);
}

/* from MODULE import …: its members when it is there already; its submodules. */
static void add_from(Session *s, const char *text, const Around *around, Found *f)
{
    Err err = { .kind = ERR_NONE };
    size_t n = around->owner_end - around->owner;
    Str *name = n > 0 ? str_new(s, text + around->owner, (int64_t)n, &err) : NULL;
    Value *place = name && s->modules ? dict_find_str(s->modules, name) : NULL;
    if (place && value_is(*place, TYPE_MODULE))
        look_members(s, *place, add, f);
    if (name)
        object_release(&name->head);
    f->owner = text + around->owner;
    f->owner_size = n;
    session_module_names(s, add_module, f);
}

bool session_complete(Session *s, const char *text, size_t n, size_t cursor, Completion *c)
{
    Around around;
    *c = (Completion){ 0 };
    if (cursor > n)
        cursor = n;
    look_around(s, text, n, cursor, false, &around);
    c->start = c->end = cursor;
    Found f = { .to = c, .prefix = text + around.start, .prefix_size = around.end - around.start, .suffix =
                "" };
    switch (around.kind) {
    case AROUND_NOTHING:
        return true;
    case AROUND_ATTRIBUTE:
        add_members(s, text, &around, &f);
        break;
    case AROUND_MODULE:
        f.owner = text + around.owner;
        f.owner_size = around.owner_end - around.owner;
        session_module_names(s, add_module, &f);
        break;
    case AROUND_MEMBER:
        add_from(s, text, &around, &f);
        break;
    case AROUND_NAME:
        if (around.argument && around.callee_end > around.callee) {
            Value callee = look_up(s, text + around.callee, around.callee_end - around.callee);
            f.suffix = "=";
            look_parameters(s, callee, add, &f);
            f.suffix = "";
            value_release(callee);
        }
        break;
    }
    size_t keywords = around.kind == AROUND_NAME ? c->count : 0;
    if (around.kind == AROUND_NAME) {
        add_names(s, &f);
        add_bound(s, text, n, &around, &f);
    }
    sort(c, keywords);
    if (c->count > 0)
        c->start = around.start;
    if (f.failed)
        completion_free(c);
    return !f.failed;
}

void completion_free(Completion *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->match[i]);
    free(c->match);
    *c = (Completion){ 0 };
}
