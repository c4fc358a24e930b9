/*
 * parse.c - the door of the parser, and what its files share: errors, names, targets, parameters.
 */
#include "lang/syntax/parse.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>
#include "lang/run/state.h"

static TokenKind kind(const Parser *p)
{
    return (TokenKind)p->token->kind;
}

/* ---- what the files of the parser share ---- */
bool parse_error(Parser *p, uint32_t start, uint32_t end, ErrKind error, const char *format, ...)
{
    char message[800];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    p->error_start = start;
    p->error_end = start < p->size && p->text[start] == '\n' ? start : end > start ? end : start + 1;
    return err_set(p->err, error, "%s", message);
}

bool parse_refuse(Parser *p, uint32_t start, uint32_t end, Refusal what)
{
    p->error_start = start;
    p->error_end = end;
    return refuse(p->err, what);
}

/* The lexer's own error, which the parser has come to. */
static bool lexer_error(Parser *p)
{
    *p->err = p->lexer.error;
    p->error_start = p->lexer.error_start;
    p->error_end = p->lexer.error_end;
    p->incomplete = p->lexer.incomplete && p->fields == 0;
    return false;
}

static bool is_keyword(TokenKind token)
{
    return token >= T_FALSE && token <= T_YIELD;
}

bool parse_unexpected(Parser *p)
{
    Token *token = p->token;
    TokenKind what = kind(p);
    uint32_t start = token->start, end = token->end;
    if (what == T_ERROR)
        return lexer_error(p);
    if (p->lexer.open < start && p->lexer.error.kind != ERR_NONE && p->fields == 0 &&
        memchr(p->text + p->lexer.open, '\n', start - p->lexer.open))
        return lexer_error(p);          /* a bracket was left open lines before: that is the mistake */
    if (p->fields > 0 && what == T_END)
        return parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX,
                           "invalid syntax: the {…} of an f-string ends too early");
    if (what == T_END || what == T_NEWLINE || what == T_DEDENT)
        return parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX,
                           "invalid syntax: the line ends too early");
    if (what == T_INDENT)
        return parse_error(p, end, end + 1, ERR_INDENTATION,
                           "unexpected indent: nothing above this line opens a block");
    if (what == T_ASYNC || what == T_AWAIT)
        return parse_refuse(p, start, end, what == T_ASYNC ? REFUSE_ASYNC : REFUSE_AWAIT);
    if (what == T_WALRUS)
        return parse_refuse(p, start, end, REFUSE_WALRUS);
    if (what == T_ASSIGN) {
        parse_error(p, start, end, ERR_SYNTAX, "invalid syntax: perhaps you meant '==' instead of '='?");
        return false;
    }
    if (what == T_ELSE && token[1].kind == T_IF) {
        parse_error(p, start, token[1].end, ERR_SYNTAX,
                    "invalid syntax: perhaps you meant 'elif' instead of 'else if'?");
        return false;
    }
    if (what == T_PERCENT && (p->last_end == 0 || token[-1].kind == T_NEWLINE))
        return parse_error(p, start, end, ERR_SYNTAX,
                           "invalid syntax: commands (%%…) are for the prompt and for cells; a script is plain Python");
    if (what == T_ELIF || what == T_ELSE || what == T_EXCEPT || what == T_FINALLY)
        return parse_error(p, start, end, ERR_SYNTAX, "'%s' belongs to no block above it", token_text(what));
    return parse_error(p, start, end, ERR_SYNTAX, what == T_NAME || what == T_NUMBER || what == T_STRING ?
                       "invalid syntax: %s may not stand here; is an operator or a comma missing before it?" :
                       is_keyword(what) ?
                       "invalid syntax: '%s' may not stand here (it is a word of the language)" :
                       "invalid syntax: '%s' may not stand here", token_text(what));
}

void parse_next(Parser *p)
{
    p->last_end = p->token->end;
    if (p->token->kind != T_END && p->token->kind != T_ERROR)
        p->token++;
}

bool parse_accept(Parser *p, TokenKind token)
{
    if (kind(p) != token)
        return false;
    parse_next(p);
    return true;
}

bool parse_expect(Parser *p, TokenKind token)
{
    if (parse_accept(p, token))
        return true;
    TokenKind next = kind(p);
    if (next == T_ERROR || next == T_ASSIGN || next == T_WALRUS || token == T_RPAREN ||
        token == T_RBRACKET || token == T_RBRACE)
        return parse_unexpected(p);
    if (next == T_NEWLINE || next == T_END || token == T_COLON)
        return parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX, "expected '%s'", token_text(token));
    return parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "expected '%s'", token_text(token));
}

Node *parse_node(Parser *p, NodeKind node_kind, uint32_t start)
{
    Node *node = tree_node(p->tree, node_kind, start, p->last_end > start ? p->last_end : start);
    if (!node)
        err_memory(p->err, sizeof *node);
    return node;
}

bool parse_deep(Parser *p)
{
    if (session_enough_stack(p->s))
        return true;
    return parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "this is nested too deeply");
}

Name *parse_name_text(Parser *p, uint32_t start, uint32_t end, bool mangle)
{
    const char *s = p->text + start;
    size_t n = end - start;
    bool ascii = true;
    for (size_t i = 0; i < n; i++)
        ascii = ascii && (unsigned char)s[i] < 0x80;
    Name *name = NULL;
    utf8proc_uint8_t *folded = NULL;
    if (!ascii) {                       /* names that look alike are one name: NFKC, as in Python */
        utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)n, &folded,
                                             UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
        if (size >= 0) {
            s = (const char *)folded;
            n = (size_t)size;
        }
    }
    if (mangle && p->class_name && n > 2 && s[0] == '_' && s[1] == '_' &&
        !(s[n - 1] == '_' && s[n - 2] == '_')) {
        const char *cls = p->class_name->s + strspn(p->class_name->s, "_");
        size_t size = strlen(cls);
        char *both = size ? mem_new(p->s->heap, size + n + 1) : NULL;
        if (both) {
            both[0] = '_';
            memcpy(both + 1, cls, size);
            memcpy(both + 1 + size, s, n);
            name = tree_name(p->tree, both, size + n + 1);
            mem_free(p->s->heap, both);
        } else if (size == 0) {
            name = tree_name(p->tree, s, n);
        }
    } else {
        name = tree_name(p->tree, s, n);
    }
    free(folded);
    if (!name)
        err_memory(p->err, n);
    return name;
}

Name *parse_identifier(Parser *p, bool mangle)
{
    Token *token = p->token;
    if (token->kind != T_NAME) {
        if (is_keyword(kind(p)))
            parse_error(p, token->start, token->end, ERR_SYNTAX,
                        "'%s' is a word of the language and cannot be a name",
                        token_text(kind(p)));
        else if (token->kind == T_NEWLINE || token->kind == T_END)
            parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX, "a name was expected");
        else if (token->kind == T_ERROR)
            parse_unexpected(p);
        else
            parse_error(p, token->start, token->end, ERR_SYNTAX, "a name was expected, not '%s'",
                        token_text(kind(p)));
        return NULL;
    }
    parse_next(p);
    return parse_name_text(p, token->start, token->end, mangle);
}

const char *parse_node_text(const Node *node)
{
    switch (node->kind) {
    case E_NUMBER: case E_STRING: return "a literal";
    case E_FORMATTED: return "an f-string";
    case E_CONSTANT: return node->op == T_NONE ? "None" : node->op == T_TRUE ? "True" : node->op == T_FALSE
        ? "False" : "...";
    case E_CALL: return "the result of a call";
    case E_LAMBDA: return "a lambda";
    case E_COMPARE: return "a comparison";
    case E_IF: return "a conditional expression";
    case E_COMPREHENSION: return node->op == COMP_GENERATOR ? "a generator expression" : "a comprehension";
    case E_DICT: return "a dict display";
    case E_SET: return "a set display";
    case E_YIELD: case E_YIELD_FROM: return "a yield expression";
    case E_STAR: return "a starred expression";
    case E_TUPLE: return "a tuple";
    case E_LIST: return "a list";
    default: return "an expression";
    }
}

bool parse_target(Parser *p, Node *node, const char *what, bool stars)
{
    if (!parse_deep(p))
        return false;
    switch (node->kind) {
    case E_NAME:
        if (node->name->s[0] != '_' || strcmp(node->name->s, "__debug__") != 0)
            return true;
        break;
    case E_ATTR: case E_ITEM:
        return true;
    case E_STAR:
        if (stars)
            return parse_target(p, node->a, what, false);
        break;
    case E_TUPLE: case E_LIST: {
        bool assign = strcmp(what, "delete") != 0;
        int starred = 0;
        for (Node *item = node->a; item; item = item->next) {
            if (!parse_target(p, item, what, assign))
                return false;
            if (item->kind == E_STAR && ++starred > 1)
                return parse_error(p, item->start, item->end, ERR_SYNTAX,
                                   "two starred targets in one assignment");
        }
        return true;
    }
    default:
        break;
    }
    parse_error(p, node->start, node->end, ERR_SYNTAX, "cannot %s %s", what, node->kind == E_NAME
                ? node->name->s : parse_node_text(node));
    if (*what == 'a' && node->kind != E_STAR && node->kind != E_CONSTANT)
        err_hint(p->err, "to compare, write '=='");
    return false;
}

/* ---- parameters ---- */
static bool new_param(Parser *p, const Node *params, const Node *param)
{
    const Node *met = param->name ? param->name->param_of : NULL;
    if (param->name)
        param->name->param_of = params;
    for (const Node *other = met ? params->a : NULL; other; other = other->next)    /* a lambda in a default may have it too */
        if (other != param && other->name && other->name == param->name)
            return parse_error(p, param->start, param->start + 1, ERR_SYNTAX,
                               "two parameters are called '%s'", param->name->s);
    return true;
}

Node *parse_params(Parser *p, TokenKind end, bool annotations)
{
    Node *params = parse_node(p, E_PARAMS, p->token->start);
    if (!params)
        return NULL;
    Node **tail = &params->a;
    bool star = false, bare_star = false, slash = false, defaults = false, last = false;
    while (kind(p) != end) {
        Token *token = p->token;
        if (last) {
            parse_error(p, token->start, token->end, ERR_SYNTAX, "no parameter may stand behind '**'");
            return NULL;
        }
        if (parse_accept(p, T_SLASH)) {
            if (slash || star || !params->a) {
                parse_error(p, token->start, token->end, ERR_SYNTAX,
                            "'/' may stand once, behind a parameter and before '*'");
                return NULL;
            }
            slash = true;
            for (Node *param = params->a; param; param = param->next)
                param->op = PARAM_POSITIONAL_ONLY;
        } else {
            bool one = parse_accept(p, T_STAR), two = !one && parse_accept(p, T_POW);
            if (one && star) {
                parse_error(p, token->start, token->end, ERR_SYNTAX,
                            "'*' may stand only once among the parameters");
                return NULL;
            }
            if (one && (kind(p) == T_COMMA || kind(p) == end)) {
                star = bare_star = true;
            } else {
                Node *param = parse_node(p, E_PARAM, p->token->start);
                if (!param || !(param->name = parse_identifier(p, true)))
                    return NULL;
                param->op = one ? PARAM_STAR : two ? PARAM_DOUBLE_STAR : star ? PARAM_KEYWORD_ONLY
                    : PARAM_PLAIN;
                star = star || one;
                bare_star = bare_star && (one || two);
                last = two;
                param->end = p->last_end;
                if (annotations && parse_accept(p, T_COLON) && !(param->b = one ? parse_list(p, true)
                                                                 : parse_test(p)))
                    return NULL;
                if (kind(p) == T_ASSIGN && !one && !two) {
                    parse_next(p);
                    if (!(param->a = parse_test(p)))
                        return NULL;
                    defaults = defaults || param->op == PARAM_PLAIN;
                } else if (defaults && param->op == PARAM_PLAIN) {
                    parse_error(p, param->start, param->end, ERR_SYNTAX,
                                "the parameter '%s' without a default stands behind one with a default",
                                param->name->s);
                    return NULL;
                }
                *tail = param;
                tail = &param->next;
                params->n++;
                if (!new_param(p, params, param))
                    return NULL;
            }
        }
        if (!parse_accept(p, T_COMMA))
            break;
    }
    if (bare_star) {
        parse_error(p, params->start, p->last_end, ERR_SYNTAX,
                    "behind a bare '*' a keyword-only parameter must follow");
        return NULL;
    }
    if (kind(p) != end) {
        if (kind(p) == T_COLON || kind(p) == T_LPAREN)
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX,
                        "a parameter is a name, perhaps with a default");
        else
            parse_unexpected(p);
        return NULL;
    }
    params->end = p->last_end;
    return params;
}

/* ---- a whole text ---- */
Node *parse(Parser *p, const char *text, size_t n, bool *empty)
{
    p->text = text;
    p->size = (uint32_t)n;
    p->incomplete = false;
    p->err->kind = ERR_NONE;
    p->error_start = p->error_end = p->last_end = 0;
    p->class_name = NULL;
    p->future_annotations = false;
    p->fields = 0;
    lex_begin(&p->lexer, p->s, text, 0, p->size);
    p->lexer.commands = p->mode == COMPILE_PROMPT || p->mode == COMPILE_CELL;
    Node *list = NULL, **tail = &list;
    *empty = false;
    bool ok = lex(&p->lexer, p->err);
    p->token = p->lexer.token;
    while (ok && kind(p) == T_NEWLINE)
        parse_next(p);
    if (ok && p->mode == COMPILE_EXPRESSION) {
        if (kind(p) == T_INDENT)
            parse_next(p);
        list = parse_list(p, false);
        ok = list != NULL;
        while (ok && (kind(p) == T_NEWLINE || kind(p) == T_DEDENT))
            parse_next(p);
        if (ok && kind(p) != T_END)
            ok = parse_unexpected(p);
    } else {
        while (ok && kind(p) != T_END)
            ok = parse_statement(p, &tail) != NULL;
        *empty = ok && !list;
    }
    if (!ok)
        list = NULL;
    lex_free(&p->lexer);
    return list;
}
