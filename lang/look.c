/*
 * look.c - what stands around the cursor, told from the tokens before it, and the values of dotted names.
 */
#include "lang/look.h"
#include <string.h>
#include "lang/syntax/lex.h"

/* ---- around the cursor ---- */
typedef struct Tokens { Lexer lexer; size_t n; } Tokens;    /* n: without what ends the text */

static bool read_tokens(Session *s, const char *text, size_t start, size_t end, bool inside, Tokens *tokens)
{
    Err err = { .kind = ERR_NONE };
    tokens->lexer = (Lexer){ .s = s, .text = text, .at = (uint32_t)start, .end = (uint32_t)end, .commands = !inside, .inside = inside };
    bool ok = lex(&tokens->lexer, &err);
    tokens->n = ok ? tokens->lexer.tokens : 0;
    while (tokens->n > 0) {
        uint8_t kind = tokens->lexer.token[tokens->n - 1].kind;
        bool at_end = tokens->lexer.token[tokens->n - 1].start >= end;
        if (kind != T_END && kind != T_ERROR && !((kind == T_NEWLINE || kind == T_DEDENT) && at_end))
            break;
        tokens->n--;
    }
    return ok;
}

/* Is the token that ended the text a string that is still open? Answers where it begins. */
static bool in_string(const Tokens *tokens, const char *text, size_t *start)
{
    const Lexer *x = &tokens->lexer;
    if (x->error.kind == ERR_NONE || x->open != UINT32_MAX)
        return false;
    size_t i = x->error_start;
    while (i < x->error_end && strchr("rRuUbBfF", text[i]))
        i++;
    *start = x->error_start;
    return i < x->error_end && (text[i] == '"' || text[i] == '\'');
}

/* Inside an f-string: where the expression begins that the cursor is in; false: in its text. */
static bool in_field(const char *text, size_t start, size_t cursor, size_t *field)
{
    bool formatted = false;
    for (; start < cursor && text[start] != '"' && text[start] != '\''; start++)
        formatted = formatted || text[start] == 'f' || text[start] == 'F';
    size_t open[8];
    int depth = 0;
    for (size_t i = start; formatted && i < cursor; i++) {
        if (text[i] == '{' && depth == 0 && i + 1 < cursor && text[i + 1] == '{')
            i++;
        else if (text[i] == '{' && depth < 8)
            open[depth++] = i + 1;
        else if (text[i] == '}' && depth > 0)
            depth--;
    }
    if (depth == 0)
        return false;
    *field = open[depth - 1];
    return !memchr(text + *field, ':', cursor - *field);
}

static bool in_comment(const char *text, size_t from, size_t cursor)
{
    for (size_t i = cursor; i > from; i--) {
        if (text[i - 1] == '\n')
            return false;
        if (text[i - 1] == '#')
            return true;
    }
    return false;
}

static bool is_word(uint8_t kind)
{
    return kind == T_NAME || (kind >= T_FALSE && kind <= T_YIELD);
}

/* The dotted names that end with token `last`: the first of them; last + 1 when there are none. */
static size_t chain_start(const Token *token, size_t last)
{
    size_t first = last + 1;
    for (size_t i = last; token[i].kind == T_NAME; i -= 2) {
        first = i;
        if (i < 2 || token[i - 1].kind != T_DOT)
            break;
        if (token[i - 2].kind != T_NAME)
            return last + 1;            /* something before it that cannot be told */
    }
    return first;
}

static void find_import(const Token *token, size_t n, Around *around, size_t word)
{
    size_t begin = n, import = n;
    while (begin > 0 && token[begin - 1].kind != T_NEWLINE && token[begin - 1].kind != T_SEMICOLON &&
           token[begin - 1].kind != T_INDENT && token[begin - 1].kind != T_DEDENT && token[begin - 1].kind != T_COLON)
        begin--;
    if (begin == n || (token[begin].kind != T_IMPORT && token[begin].kind != T_FROM))
        return;
    bool from = token[begin].kind == T_FROM;
    for (size_t i = begin; from && i < n; i++)
        if (token[i].kind == T_IMPORT)
            import = i;
    if (from && import < n) {
        around->kind = token[n - 1].kind == T_AS ? AROUND_NOTHING : AROUND_MEMBER;
        around->owner = token[begin + 1 < import ? begin + 1 : import].start;
        around->owner_end = token[import - 1].end;
    } else if (token[n - 1].kind == T_DOT || token[n - 1].kind == T_IMPORT || token[n - 1].kind == T_FROM ||
               token[n - 1].kind == T_COMMA) {
        around->kind = AROUND_MODULE;
        size_t first = token[n - 1].kind == T_DOT && n >= 2 ? chain_start(token, n - 2) : n;
        if (first < n - 1) {
            around->owner = token[first].start;
            around->owner_end = token[n - 2].end;
        }
    } else {
        around->kind = AROUND_NOTHING;
    }
    (void)word;
}

/* The call around token n, if any. */
static void find_call(const Token *token, size_t n, bool anywhere, Around *around)
{
    int depth = 0;
    for (size_t i = n; i > 0; i--) {
        uint8_t kind = token[i - 1].kind;
        if (kind == T_RPAREN || kind == T_RBRACKET || kind == T_RBRACE)
            depth++;
        else if (kind == T_LPAREN || kind == T_LBRACKET || kind == T_LBRACE)
            depth--;
        if (depth >= 0)
            continue;
        if (kind != T_LPAREN || i < 2) {
            if (!anywhere)
                return;
            depth = 0;
            continue;
        }
        size_t first = chain_start(token, i - 2);
        if (first > i - 2 || (first > 0 && (token[first - 1].kind == T_DEF || token[first - 1].kind == T_CLASS ||
                                            token[first - 1].kind == T_DOT)))
            return;
        around->callee = token[first].start;
        around->callee_end = token[i - 2].end;
        return;
    }
}

void look_around(Session *s, const char *text, size_t n, size_t cursor, bool whole, Around *around)
{
    if (cursor > n)
        cursor = n;
    size_t end = cursor, line = cursor, length;
    while (whole && end < n && is_name_part(code_point(text + end, &length)))
        end += length;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    *around = (Around){ .kind = AROUND_NAME, .start = cursor, .end = end };
    Tokens tokens;
    bool ok = read_tokens(s, text, 0, end, false, &tokens);
    size_t string, from = 0;
    const Lexer *x = &tokens.lexer;
    if (ok && x->error.kind != ERR_NONE && !x->incomplete && x->error_start < line) {
        lex_free(&tokens.lexer);        /* a mistake further up: only this line counts */
        from = line;
        ok = read_tokens(s, text, line, end, false, &tokens);
    }
    if (ok && in_string(&tokens, text, &string)) {
        lex_free(&tokens.lexer);
        if (!in_field(text, string, end, &from)) {
            around->kind = AROUND_NOTHING;
            return;
        }
        ok = read_tokens(s, text, from, end, true, &tokens);
    }
    const Token *token = tokens.lexer.token;
    size_t k = tokens.n;
    if (k > 0 && token[k - 1].kind == T_STRING && token[k - 1].end >= cursor && token[k - 1].start < cursor && whole)
        ok = false;
    if (!ok || in_comment(text, k > 0 ? token[k - 1].end : from, end)) {
        around->kind = AROUND_NOTHING;
    } else {
        if (k > 0 && is_word(token[k - 1].kind) && token[k - 1].end == end && token[k - 1].start <= cursor) {
            k--;
            around->start = token[k].start;
        } else if (k > 0 && token[k - 1].end >= end && (token[k - 1].kind == T_NUMBER || token[k - 1].kind == T_STRING ||
                                                        token[k - 1].kind == T_COMMAND)) {
            around->kind = AROUND_NOTHING;
        }
        if (around->kind == AROUND_NAME && k > 0)
            find_import(token, k, around, k);
        if (around->kind == AROUND_NAME && k > 1 && token[k - 1].kind == T_DOT) {
            size_t first = chain_start(token, k - 2);
            around->kind = AROUND_ATTRIBUTE;
            around->of_string = token[k - 2].kind == T_STRING;
            if (first <= k - 2) {
                around->owner = token[first].start;
                around->owner_end = token[k - 2].end;
            }
        }
        find_call(token, k, whole, around);
        around->argument = k > 0 && (token[k - 1].kind == T_LPAREN || token[k - 1].kind == T_COMMA);
    }
    lex_free(&tokens.lexer);
}

/* ---- values ---- */
static Value member_of_dict(Dict *dict, Str *name)
{
    Value *place = dict ? dict_find_str(dict, name) : NULL;
    return place && !value_is_unset(*place) ? value_retain(*place) : value_unset();
}

static Value member_of_class(const Class *cls, Str *name)
{
    for (int64_t i = 0; cls->mro && i < cls->mro->n; i++) {
        const Class *one = (const Class *)cls->mro->item[i].object;
        Value found = member_of_dict(one->dict, name);
        if (!value_is_unset(found))
            return found;
    }
    return value_unset();
}

/* Attributes of tensors that are tensors again, or would make one: what comes behind them is known without making it. */
static bool is_same_kind(const char *name)
{
    static const char *const names[] = { "T", "H", "mT", "mH", "data", "real" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

Value look_attribute(Session *s, Value owner, Str *name)
{
    Err err = { .kind = ERR_NONE };
    Value out = value_unset();
    TypeId type = value_tag(owner) == V_OBJECT ? (TypeId)owner.object->type : TYPE_NONE;
    if (type == TYPE_INSTANCE || type == TYPE_EXCEPTION) {
        bool instance = type == TYPE_INSTANCE;
        out = member_of_dict(instance ? ((Instance *)owner.object)->dict : ((Exception *)owner.object)->dict, name);
        if (value_is_unset(out))
            out = member_of_class(instance ? ((Instance *)owner.object)->cls : ((Exception *)owner.object)->cls, name);
        static const char *const parts[] = { "_parameters", "_buffers", "_modules" };
        for (size_t i = 0; instance && value_is_unset(out) && i < sizeof parts / sizeof *parts; i++) {
            Str *key = str_intern(s, parts[i], (int64_t)strlen(parts[i]), &err);
            Value *part = key && ((Instance *)owner.object)->dict ? dict_find_str(((Instance *)owner.object)->dict, key) : NULL;
            if (part && value_is(*part, TYPE_DICT))
                out = member_of_dict((Dict *)part->object, name);
            if (key)
                object_release(&key->head);
        }
    } else if (type == TYPE_CLASS) {
        out = member_of_class((Class *)owner.object, name);
    } else if ((type == TYPE_TENSOR || type == TYPE_NDARRAY) && is_same_kind(name->s)) {
        out = value_retain(owner);
    } else if (type == TYPE_MODULE || type == TYPE_FUNCTION || type == TYPE_TENSOR || type == TYPE_NDARRAY || type == TYPE_STR ||
               type == TYPE_LIST || type == TYPE_TUPLE || type == TYPE_DICT || type == TYPE_SET || type == TYPE_RANGE ||
               type == TYPE_SIZE || type == TYPE_NAMEDTUPLE || type == TYPE_DTYPE || type == TYPE_DEVICE || type == TYPE_NONE) {
        if (!value_find_attr(s, owner, name, &out, &err))
            out = value_unset();
    }
    if (err.kind == ERR_RAISED) {
        Exception *raised = session_exception(s, &err);
        if (raised)
            object_release(&raised->head);
    }
    if (value_is(out, TYPE_PROPERTY)) {
        value_release(out);             /* its getter would have to run */
        out = value_unset();
    }
    return out;
}

static Value global_or_builtin(Session *s, Str *name)
{
    for (int i = 0; i < s->globals; i++)
        if (!value_is_unset(s->global[i].value) && str_equal(s->global[i].name, name))
            return value_retain(s->global[i].value);
    return s->builtins ? look_attribute(s, value_object_take(s->builtins), name) : value_unset();
}

Value look_up(Session *s, const char *chain, size_t n)
{
    Value at = value_unset();
    bool first = true;
    for (size_t i = 0; i < n; ) {
        size_t start = i, length;
        while (i < n && is_name_part(code_point(chain + i, &length)))
            i += length;
        if (i == start) {
            i++;                        /* a dot, or blanks around it */
            continue;
        }
        Err err = { .kind = ERR_NONE };
        Str *name = str_intern(s, chain + start, (int64_t)(i - start), &err);
        if (!name) {
            value_release(at);
            return value_unset();
        }
        Value next = first ? global_or_builtin(s, name) : look_attribute(s, at, name);
        object_release(&name->head);
        value_release(at);
        if (value_is_unset(next))
            return next;
        at = next;
        first = false;
    }
    return at;
}
