/*
 * look.c - what stands around the cursor, told from the tokens before it, and the values of dotted names.
 */
#include "lang/look.h"
#include "lang/run/frame.h"
#include <string.h>
#include "lang/run/signature.h"
#include "lang/syntax/code.h"
#include "lang/syntax/lex.h"
#include "lang/syntax/source.h"

/* ---- around the cursor ---- */
typedef struct Tokens { Lexer lexer; size_t n; } Tokens;    /* n: without what ends the text */

static bool read_tokens(Session *s, const char *text, size_t start, size_t end, bool inside, Tokens *tokens)
{
    Err err = { .kind = ERR_NONE };
    tokens->lexer = (Lexer){ .s = s, .text = text, .at = (uint32_t)start, .end = (uint32_t)end, .commands =
                             !inside, .inside = inside };
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

static void find_import(const Token *token, size_t n, Around *around)
{
    size_t begin = n, import = n;
    while (begin > 0 && token[begin - 1].kind != T_NEWLINE && token[begin - 1].kind != T_SEMICOLON &&
           token[begin - 1].kind != T_INDENT && token[begin - 1].kind != T_DEDENT &&
               token[begin - 1].kind != T_COLON)
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
        if (first > i - 2 || (first > 0 && (token[first - 1].kind == T_DEF ||
                                            token[first - 1].kind == T_CLASS ||
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
    *around = (Around){ .start = cursor, .end = cursor };
    if (n > UINT32_MAX / 2 || !source_is_utf8(text, n))
        return;
    while (cursor > 0 && cursor < n && ((unsigned char)text[cursor] & 0xc0) == 0x80)
        cursor--;
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
    if (k > 0 && token[k - 1].kind == T_STRING && token[k - 1].end >= cursor &&
        token[k - 1].start < cursor && whole)
        ok = false;
    if (!ok || in_comment(text, k > 0 ? token[k - 1].end : from, end)) {
        around->kind = AROUND_NOTHING;
    } else {
        if (k > 0 && is_word(token[k - 1].kind) && token[k - 1].end == end && token[k - 1].start <= cursor) {
            k--;
            around->start = token[k].start;
        } else if (k > 0 && token[k - 1].end >= end && (token[k - 1].kind == T_NUMBER ||
                                                        token[k - 1].kind == T_STRING ||
                                                        token[k - 1].kind == T_COMMAND)) {
            around->kind = AROUND_NOTHING;
        }
        if (around->kind == AROUND_NAME && k > 0)
            find_import(token, k, around);
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

/* Attributes of tensors that are tensors again, or would make one: what comes behind them is known without
 * making it. */
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
        out = member_of_dict(instance ? ((Instance *)owner.object)->dict : ((Exception *)owner.object)->dict,
                             name);
        if (value_is_unset(out)) {
            Value bound, found = member_of_class(instance ? ((Instance *)owner.object)->cls : ((Exception *)owner.object)->cls, name);
            out = found;
            if (value_is(found, TYPE_FUNCTION) && method_new(s, found, owner, &bound, &err)) {
                out = bound;
                value_release(found);
            }
        }
        static const char *const parts[] = { "_parameters", "_buffers", "_modules" };
        for (size_t i = 0; instance && value_is_unset(out) && i < sizeof parts / sizeof *parts; i++) {
            Str *key = str_intern(s, parts[i], (int64_t)strlen(parts[i]), &err);
            Value *part = key && ((Instance *)owner.object)->dict
                ? dict_find_str(((Instance *)owner.object)->dict, key) : NULL;
            if (part && value_is(*part, TYPE_DICT))
                out = member_of_dict((Dict *)part->object, name);
            if (key)
                object_release(&key->head);
        }
    } else if (type == TYPE_CLASS) {
        out = member_of_class((Class *)owner.object, name);
    } else if ((type == TYPE_TENSOR || type == TYPE_NDARRAY) && is_same_kind(name->s)) {
        out = value_retain(owner);
    } else if (type == TYPE_MODULE || type == TYPE_FUNCTION || type == TYPE_TENSOR || type == TYPE_NDARRAY ||
               type == TYPE_STR ||
               type == TYPE_LIST || type == TYPE_TUPLE || type == TYPE_DICT || type == TYPE_SET ||
                   type == TYPE_RANGE ||
               type == TYPE_SIZE || type == TYPE_NAMEDTUPLE || type == TYPE_DTYPE || type == TYPE_DEVICE ||
                   type == TYPE_NONE) {
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

static void each_of_dict(Dict *dict, void (*each)(void *to, const char *name), void *to)
{
    int64_t position = 0;
    Value key, value;
    while (dict && dict_next(dict, &position, &key, &value))
        if (value_is(key, TYPE_STR))
            each(to, ((Str *)key.object)->s);
}

static void each_of_class(const Class *cls, void (*each)(void *to, const char *name), void *to)
{
    for (int64_t i = 0; cls && cls->mro && i < cls->mro->n; i++)
        each_of_dict(((Class *)cls->mro->item[i].object)->dict, each, to);
}

void look_members(Session *s, Value owner, void (*each)(void *to, const char *name), void *to)
{
    if (value_is(owner, TYPE_INSTANCE)) {       /* by hand: a __dir__ or property of its class is not run */
        Dict *dict = ((Instance *)owner.object)->dict;
        int64_t position = 0;
        Value key, value;
        each_of_dict(dict, each, to);
        while (dict && dict_next(dict, &position, &key, &value))
            if (value_is(key, TYPE_STR) && value_is(value, TYPE_DICT) &&
                (strcmp(((Str *)key.object)->s, "_parameters") == 0 ||
                 strcmp(((Str *)key.object)->s, "_buffers") == 0 ||
                 strcmp(((Str *)key.object)->s, "_modules") == 0))
                each_of_dict((Dict *)value.object, each, to);
        each_of_class(((Instance *)owner.object)->cls, each, to);
    } else if (value_is(owner, TYPE_CLASS)) {
        each_of_class((Class *)owner.object, each, to);
    } else {
        value_dir(s, owner, each, to);
    }
}

/* ---- what can be called ---- */
/* What a call of the value runs: a function, and how many parameters are bound already. */
static Value function_of(Session *s, Value callee, int *skip)
{
    Err err = { .kind = ERR_NONE };
    *skip = 0;
    if (value_is(callee, TYPE_METHOD)) {
        *skip = 1;
        return value_retain(((Method *)callee.object)->function);
    }
    bool is_class = value_is(callee, TYPE_CLASS);
    if (!is_class && !value_is(callee, TYPE_INSTANCE))
        return value_retain(callee);
    const Class *cls = is_class ? (Class *)callee.object : ((Instance *)callee.object)->cls;
    static const char *const names[] = { "__init__", "forward", "__call__" };
    Value found = value_unset();
    for (int i = is_class ? 0 : 1; i < (is_class ? 1 : 3) && value_is_unset(found); i++) {
        Str *name = str_intern(s, names[i], (int64_t)strlen(names[i]), &err);
        if (!name)
            break;
        found = member_of_class(cls, name);
        object_release(&name->head);
    }
    *skip = 1;
    return found;
}

static const char *native_signature(const Builtin *b)
{
    return b->row ? b->row->signature : b->group ? op_info[b->group->id[0]].signature : NULL;
}

static int native_skip(const Builtin *b)
{
    return !b->row && b->group && b->group->face >= FACE_METHOD && b->group->face <= FACE_ATTRIBUTE;
}

static const Signature *parsed(Session *s, Value function)
{
    Err err = { .kind = ERR_NONE };
    const char *text = value_is(function, TYPE_BUILTIN) ? native_signature((Builtin *)function.object) : NULL;
    return text ? signature_get(s, text, &err) : NULL;
}

void look_parameters(Session *s, Value callee, void (*each)(void *to, const char *name), void *to)
{
    int skip;
    Value function = function_of(s, callee, &skip);
    if (value_is(function, TYPE_FUNCTION)) {
        Tuple *defaults;
        Dict *keyword_defaults;
        const Code *code = function_code(function, &defaults, &keyword_defaults);
        int first = skip > code->positional_only ? skip : code->positional_only;
        for (int i = first; i < code->positional + code->keyword_only; i++)
            each(to, code->local[i]->s);
    }
    const Signature *sig = parsed(s, function);
    for (int i = sig ? native_skip((Builtin *)function.object) : 0; sig && i < sig->params; i++) {
        const SigParam *param = &sig->param[i];
        char name[64];
        if ((param->kind != PARAM_NORMAL && param->kind != PARAM_KEYWORD) ||
            param->name_size >= (int)sizeof name)
            continue;
        memcpy(name, param->name, (size_t)param->name_size);
        name[param->name_size] = 0;
        each(to, name);
    }
    value_release(function);
}

/* A default as text, without asking the program. */
static void put_default(Session *s, Value v, Text *text)
{
    Err err = { .kind = ERR_NONE };
    bool plain = value_tag(v) != V_OBJECT || value_is(v, TYPE_STR) || value_is(v, TYPE_INT) ||
        value_is(v, TYPE_DTYPE);
    if (!plain || !value_repr(s, v, text, &err))
        text_print(text, "<%s>", value_type_name(v));
}

static void put_function(Session *s, Value function, int skip, Text *text)
{
    Tuple *defaults;
    Dict *keyword_defaults;
    const Code *code = function_code(function, &defaults, &keyword_defaults);
    int plain = code->positional, named = plain + code->keyword_only, given = defaults ? (int)defaults->n : 0;
    bool varargs = code->flags & CODE_VARARGS, comma = false;
    text_char(text, '(');
    for (int i = skip; i < named; i++) {
        if (i == plain && !varargs)
            text_put(text, comma ? ", *" : "*"), comma = true;
        if (i == plain && varargs)
            text_print(text, "%s*%s", comma ? ", " : "", code->local[named]->s), comma = true;
        text_print(text, "%s%s", comma ? ", " : "", code->local[i]->s);
        comma = true;
        Value *at = i >= plain && keyword_defaults ? dict_find_str(keyword_defaults, code->local[i]) : NULL;
        if (i < plain && i >= plain - given)
            at = &defaults->item[i - (plain - given)];
        if (at && !value_is_unset(*at)) {
            text_char(text, '=');
            put_default(s, *at, text);
        }
        if (code->positional_only > 0 && i == code->positional_only - 1)
            text_put(text, ", /");
    }
    if (varargs && code->keyword_only == 0)
        text_print(text, "%s*%s", comma ? ", " : "", code->local[named]->s), comma = true;
    if (code->flags & CODE_VARKEYWORDS)
        text_print(text, "%s**%s", comma ? ", " : "", code->local[named + varargs]->s);
    text_char(text, ')');
}

bool look_signature(Session *s, Value callee, Text *text)
{
    int skip;
    Value function = function_of(s, callee, &skip);
    const Signature *sig = parsed(s, function);
    bool known = sig || value_is(function, TYPE_FUNCTION);
    if (value_is(function, TYPE_FUNCTION)) {
        put_function(s, function, skip, text);
    } else if (sig) {
        text_char(text, '(');
        signature_print(sig, native_skip((Builtin *)function.object), text);
        text_char(text, ')');
    }
    value_release(function);
    return known;
}

const char *look_doc(Session *s, Value v, size_t *n)
{
    Tuple *defaults;
    Dict *keyword_defaults;
    Value function = value_is(v, TYPE_METHOD) ? ((Method *)v.object)->function : v;
    *n = 0;
    if (value_is(function, TYPE_FUNCTION)) {
        const Code *code = function_code(function, &defaults, &keyword_defaults);
        *n = code->doc ? (size_t)code->doc->size : 0;
        return code->doc ? code->doc->s : NULL;
    }
    if (value_is(v, TYPE_BUILTIN)) {
        const NativeRow *row = ((Builtin *)v.object)->row;
        const char *doc = row ? row->doc : NULL;
        *n = doc ? strlen(doc) : 0;
        return doc;
    }
    if (!value_is(v, TYPE_CLASS) && !value_is(v, TYPE_INSTANCE))
        return NULL;
    Err err = { .kind = ERR_NONE };
    Str *name = str_intern(s, "__doc__", 7, &err);
    const Class *cls = value_is(v, TYPE_CLASS) ? (Class *)v.object : ((Instance *)v.object)->cls;
    Value *place = name && cls->dict ? dict_find_str(cls->dict, name) : NULL;
    if (name)
        object_release(&name->head);
    if (!place || !value_is(*place, TYPE_STR))
        return NULL;
    *n = (size_t)((Str *)place->object)->size;
    return ((Str *)place->object)->s;
}
