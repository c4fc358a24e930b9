/*
 * parse.c - statements, and what is said where something else stands.
 */
#include "lang/syntax/parse.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>
#include "lang/run/state.h"

static Node *parse_statement(Parser *p, Node ***tail);

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
        return parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX, "invalid syntax: the {…} of an f-string ends too early");
    if (what == T_END || what == T_NEWLINE || what == T_DEDENT)
        return parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX, "invalid syntax: the line ends too early");
    if (what == T_INDENT)
        return parse_error(p, end, end + 1, ERR_INDENTATION, "unexpected indent: nothing above this line opens a block");
    if (what == T_ASYNC || what == T_AWAIT)
        return parse_refuse(p, start, end, what == T_ASYNC ? REFUSE_ASYNC : REFUSE_AWAIT);
    if (what == T_WALRUS)
        return parse_refuse(p, start, end, REFUSE_WALRUS);
    if (what == T_ASSIGN) {
        parse_error(p, start, end, ERR_SYNTAX, "invalid syntax: perhaps you meant '==' instead of '='?");
        return false;
    }
    if (what == T_ELSE && token[1].kind == T_IF) {
        parse_error(p, start, token[1].end, ERR_SYNTAX, "invalid syntax: perhaps you meant 'elif' instead of 'else if'?");
        return false;
    }
    if (what == T_ELIF || what == T_ELSE || what == T_EXCEPT || what == T_FINALLY)
        return parse_error(p, start, end, ERR_SYNTAX, "'%s' belongs to no block above it", token_text(what));
    return parse_error(p, start, end, ERR_SYNTAX, what == T_NAME || what == T_NUMBER || what == T_STRING ?
                       "invalid syntax: %s may not stand here; is an operator or a comma missing before it?" :
                       is_keyword(what) ? "invalid syntax: '%s' may not stand here (it is a word of the language)" :
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
    if (next == T_ERROR || next == T_ASSIGN || next == T_WALRUS || token == T_RPAREN || token == T_RBRACKET || token == T_RBRACE)
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
    if (mangle && p->class_name && n > 2 && s[0] == '_' && s[1] == '_' && !(s[n - 1] == '_' && s[n - 2] == '_')) {
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
            parse_error(p, token->start, token->end, ERR_SYNTAX, "'%s' is a word of the language and cannot be a name",
                        token_text(kind(p)));
        else if (token->kind == T_NEWLINE || token->kind == T_END)
            parse_error(p, p->last_end, p->last_end + 1, ERR_SYNTAX, "a name was expected");
        else if (token->kind == T_ERROR)
            parse_unexpected(p);
        else
            parse_error(p, token->start, token->end, ERR_SYNTAX, "a name was expected, not '%s'", token_text(kind(p)));
        return NULL;
    }
    parse_next(p);
    return parse_name_text(p, token->start, token->end, mangle);
}

static const char *node_text(const Node *node)
{
    switch (node->kind) {
    case E_NUMBER: case E_STRING: return "a literal";
    case E_FORMATTED: return "an f-string";
    case E_CONSTANT: return node->op == T_NONE ? "None" : node->op == T_TRUE ? "True" : node->op == T_FALSE ? "False" : "...";
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
        if (strcmp(node->name->s, "__debug__") != 0)
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
                return parse_error(p, item->start, item->end, ERR_SYNTAX, "two starred targets in one assignment");
        }
        return true;
    }
    default:
        break;
    }
    parse_error(p, node->start, node->end, ERR_SYNTAX, "cannot %s %s", what, node->kind == E_NAME ? node->name->s : node_text(node));
    if (*what == 'a' && node->kind != E_STAR && node->kind != E_CONSTANT)
        err_hint(p->err, "to compare, write '=='");
    return false;
}

/* ---- parameters ---- */
static bool same_param(Parser *p, const Node *list, const Node *param)
{
    for (const Node *other = list; other; other = other->next)
        if (other != param && other->name && other->name == param->name)
            return parse_error(p, param->start, param->start + 1, ERR_SYNTAX, "two parameters are called '%s'", param->name->s);
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
                parse_error(p, token->start, token->end, ERR_SYNTAX, "'/' may stand once, behind a parameter and before '*'");
                return NULL;
            }
            slash = true;
            for (Node *param = params->a; param; param = param->next)
                param->op = PARAM_POSITIONAL_ONLY;
        } else {
            bool one = parse_accept(p, T_STAR), two = !one && parse_accept(p, T_POW);
            if (one && star) {
                parse_error(p, token->start, token->end, ERR_SYNTAX, "'*' may stand only once among the parameters");
                return NULL;
            }
            if (one && (kind(p) == T_COMMA || kind(p) == end)) {
                star = bare_star = true;
            } else {
                Node *param = parse_node(p, E_PARAM, p->token->start);
                if (!param || !(param->name = parse_identifier(p, true)))
                    return NULL;
                param->op = one ? PARAM_STAR : two ? PARAM_DOUBLE_STAR : star ? PARAM_KEYWORD_ONLY : PARAM_PLAIN;
                star = star || one;
                bare_star = bare_star && (one || two);
                last = two;
                param->end = p->last_end;
                if (annotations && parse_accept(p, T_COLON) && !(param->b = one ? parse_list(p, true) : parse_test(p)))
                    return NULL;
                if (kind(p) == T_ASSIGN && !one && !two) {
                    parse_next(p);
                    if (!(param->a = parse_test(p)))
                        return NULL;
                    defaults = defaults || param->op == PARAM_PLAIN;
                } else if (defaults && param->op == PARAM_PLAIN) {
                    parse_error(p, param->start, param->end, ERR_SYNTAX, "the parameter '%s' without a default stands behind one with a default",
                                param->name->s);
                    return NULL;
                }
                *tail = param;
                tail = &param->next;
                params->n++;
                if (!same_param(p, params->a, param))
                    return NULL;
            }
        }
        if (!parse_accept(p, T_COMMA))
            break;
    }
    if (bare_star) {
        parse_error(p, params->start, p->last_end, ERR_SYNTAX, "behind a bare '*' a keyword-only parameter must follow");
        return NULL;
    }
    if (kind(p) != end) {
        if (kind(p) == T_COLON || kind(p) == T_LPAREN)
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "a parameter is a name, perhaps with a default");
        else
            parse_unexpected(p);
        return NULL;
    }
    params->end = p->last_end;
    return params;
}

/* ---- simple statements ---- */
static bool statement_ends(const Parser *p)
{
    return kind(p) == T_NEWLINE || kind(p) == T_SEMICOLON || kind(p) == T_END;
}

static int augmented_op(TokenKind token)
{
    static const uint8_t ops[T_COUNT] = {
        [T_ADD_SET] = BIN_ADD + 1, [T_SUB_SET] = BIN_SUB + 1, [T_MUL_SET] = BIN_MUL + 1, [T_TRUEDIV_SET] = BIN_TRUEDIV + 1,
        [T_FLOORDIV_SET] = BIN_FLOORDIV + 1, [T_MOD_SET] = BIN_MOD + 1, [T_POW_SET] = BIN_POW + 1,
        [T_MATMUL_SET] = BIN_MATMUL + 1, [T_LSHIFT_SET] = BIN_LSHIFT + 1, [T_RSHIFT_SET] = BIN_RSHIFT + 1,
        [T_AND_SET] = BIN_AND + 1, [T_OR_SET] = BIN_OR + 1, [T_XOR_SET] = BIN_XOR + 1,
    };
    return ops[token] - 1;
}

/* A name, then something that cannot follow it: `print x`, `match x:`. */
static bool odd_statement(Parser *p, const Token *first)
{
    size_t n = first->end - first->start;
    const char *s = p->text + first->start;
    if (first->kind != T_NAME || kind(p) == T_ERROR)
        return false;
    if (n == 5 && memcmp(s, "match", 5) == 0) {
        const Token *token = p->token;
        int depth = 0;
        for (; token->kind != T_NEWLINE && token->kind != T_END && token->kind != T_ERROR; token++)
            depth++;
        if (depth > 0 && token[-1].kind == T_COLON) {
            parse_refuse(p, first->start, first->end, REFUSE_MATCH);
            return true;
        }
    }
    if (first + 1 == p->token && ((n == 5 && memcmp(s, "print", 5) == 0) || (n == 4 && memcmp(s, "exec", 4) == 0))) {
        parse_error(p, first->start, p->token->end, ERR_SYNTAX, "parentheses are missing in the call of %.*s", (int)n, s);
        err_hint(p->err, "write %.*s(…)", (int)n, s);
        return true;
    }
    return false;
}

static Node *parse_assignment(Parser *p, Node *first, uint32_t start)
{
    Node *node = parse_node(p, S_ASSIGN, start);
    if (!node)
        return NULL;
    Node **tail = &node->a, *value = first;
    while (parse_accept(p, T_ASSIGN)) {
        if (value->kind == E_YIELD || value->kind == E_YIELD_FROM || !parse_target(p, value, "assign to", false)) {
            if (p->err->kind == ERR_NONE)
                parse_error(p, value->start, value->end, ERR_SYNTAX, "cannot assign to a yield expression");
            return NULL;
        }
        *tail = value;
        tail = &value->next;
        if (!(value = parse_value(p)))
            return NULL;
    }
    node->b = value;
    node->end = p->last_end;
    return node;
}

static Node *parse_annotated(Parser *p, Node *target, uint32_t start)
{
    if (target->kind != E_NAME && target->kind != E_ATTR && target->kind != E_ITEM) {
        parse_error(p, target->start, target->end, ERR_SYNTAX, "only a single name, attribute or item can be annotated");
        return NULL;
    }
    Node *node = parse_node(p, S_ANNOTATED, start);
    if (!node)
        return NULL;
    parse_next(p);
    node->a = target;
    node->n = target->kind == E_NAME && !target->parenthesised;
    if (!(node->b = parse_test(p)) || (parse_accept(p, T_ASSIGN) && !(node->d = parse_value(p))))
        return NULL;
    node->end = p->last_end;
    return node;
}

static Node *parse_expression_statement(Parser *p)
{
    Token *first = p->token;
    uint32_t start = first->start;
    Node *value = parse_value(p);
    if (!value) {
        if (p->err->kind == ERR_SYNTAX && kind(p) != T_ERROR)
            odd_statement(p, first);
        return NULL;
    }
    int op = augmented_op(kind(p));
    if (kind(p) == T_ASSIGN)
        return parse_assignment(p, value, start);
    if (kind(p) == T_COLON && !odd_statement(p, first) && p->err->kind == ERR_NONE && p->token[1].kind != T_NEWLINE)
        return parse_annotated(p, value, start);
    if (p->err->kind != ERR_NONE)
        return NULL;
    if (op >= 0) {
        if (value->kind != E_NAME && value->kind != E_ATTR && value->kind != E_ITEM) {
            parse_error(p, value->start, value->end, ERR_SYNTAX, "'%s' cannot change %s: it needs a name, an attribute or an item",
                        token_text(kind(p)), node_text(value));
            return NULL;
        }
        parse_next(p);
        Node *right = parse_value(p), *node = right ? parse_node(p, S_AUGMENTED, start) : NULL;
        if (node) {
            node->op = (uint8_t)op;
            node->a = value;
            node->b = right;
        }
        return node;
    }
    if (!statement_ends(p)) {
        if (!odd_statement(p, first))
            parse_unexpected(p);
        return NULL;
    }
    Node *node = parse_node(p, S_EXPRESSION, start);
    if (node)
        node->a = value;
    return node;
}

static Name *parse_dotted(Parser *p)
{
    uint32_t start = p->token->start, end;
    bool plain = true;
    if (!parse_identifier(p, false))
        return NULL;
    end = p->last_end;
    while (kind(p) == T_DOT) {
        plain = plain && p->token->start == end;
        parse_next(p);
        plain = plain && p->token->start == p->last_end;
        if (!parse_identifier(p, false))
            return NULL;
        end = p->last_end;
    }
    if (!plain) {
        parse_error(p, start, end, ERR_SYNTAX, "the name of a module is written without blanks");
        return NULL;
    }
    return parse_name_text(p, start, end, false);
}

static Node *parse_alias(Parser *p, bool dotted)
{
    Node *alias = parse_node(p, E_ALIAS, p->token->start);
    if (!alias || !(alias->name = dotted ? parse_dotted(p) : parse_identifier(p, true)))
        return NULL;
    alias->end = p->last_end;
    if (parse_accept(p, T_AS)) {
        if (!(alias->a = parse_node(p, E_NAME, p->token->start)) || !(alias->a->name = parse_identifier(p, true)))
            return NULL;
        alias->a->end = alias->end = p->last_end;
    }
    return alias;
}

static Node *parse_import(Parser *p)
{
    Node *node = parse_node(p, S_IMPORT, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    Node **tail = &node->a;
    do {
        Node *alias = parse_alias(p, true);
        if (!alias)
            return NULL;
        *tail = alias;
        tail = &alias->next;
    } while (parse_accept(p, T_COMMA));
    node->end = p->last_end;
    return node;
}

static bool future_feature(Parser *p, const Node *alias)
{
    static const char *const features[] = { "annotations", "division", "print_function", "absolute_import", "unicode_literals",
                                            "generators", "nested_scopes", "with_statement", "generator_stop" };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(alias->name->s, features[i]) == 0) {
            p->future_annotations = p->future_annotations || i == 0;
            return true;
        }
    return parse_error(p, alias->start, alias->end, ERR_SYNTAX, "the future feature '%s' is not defined", alias->name->s);
}

static Node *parse_from(Parser *p)
{
    Node *node = parse_node(p, S_FROM, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (kind(p) == T_DOT || kind(p) == T_ELLIPSIS) {
        parse_refuse(p, p->token->start, p->token->end, REFUSE_RELATIVE);
        return NULL;
    }
    if (!(node->name = parse_dotted(p)) || !parse_expect(p, T_IMPORT))
        return NULL;
    if (!parse_accept(p, T_STAR)) {
        bool open = parse_accept(p, T_LPAREN);
        Node **tail = &node->a;
        do {
            if (open && node->a && kind(p) == T_RPAREN)
                break;
            Node *alias = parse_alias(p, false);
            if (!alias || (strcmp(node->name->s, "__future__") == 0 && !future_feature(p, alias)))
                return NULL;
            *tail = alias;
            tail = &alias->next;
        } while (parse_accept(p, T_COMMA));
        if (open && !parse_expect(p, T_RPAREN))
            return NULL;
        if (!open && p->token[-1].kind == T_COMMA) {
            parse_error(p, p->last_end - 1, p->last_end, ERR_SYNTAX, "a comma at the end needs parentheses around the names");
            return NULL;
        }
    }
    node->end = p->last_end;
    return node;
}

static Node *parse_names(Parser *p, NodeKind which)
{
    Node *node = parse_node(p, which, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    Node **tail = &node->a;
    do {
        Node *name = parse_node(p, E_NAME, p->token->start);
        if (!name || !(name->name = parse_identifier(p, true)))
            return NULL;
        name->end = p->last_end;
        *tail = name;
        tail = &name->next;
    } while (parse_accept(p, T_COMMA));
    node->end = p->last_end;
    return node;
}

static Node *parse_del(Parser *p)
{
    Node *node = parse_node(p, S_DEL, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    Node *list = parse_list(p, true);
    if (!list || !parse_target(p, list, "delete", false))
        return NULL;
    node->a = list->kind == E_TUPLE && !list->parenthesised ? list->a : list;
    node->end = p->last_end;
    return node;
}

/* return, raise, assert: up to two expressions. */
static Node *parse_with_values(Parser *p, NodeKind which)
{
    Node *node = parse_node(p, which, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (which == S_ASSERT || !statement_ends(p)) {
        if (!(node->a = which == S_RETURN ? parse_list(p, true) : parse_test(p)))
            return NULL;
        if (which != S_RETURN && parse_accept(p, which == S_RAISE ? T_FROM : T_COMMA) && !(node->b = parse_test(p)))
            return NULL;
    }
    node->end = p->last_end;
    return node;
}

static Node *parse_simple(Parser *p)
{
    uint32_t start = p->token->start;
    switch (kind(p)) {
    case T_PASS: case T_BREAK: case T_CONTINUE: {
        NodeKind which = kind(p) == T_PASS ? S_PASS : kind(p) == T_BREAK ? S_BREAK : S_CONTINUE;
        parse_next(p);
        return parse_node(p, which, start);
    }
    case T_RETURN: return parse_with_values(p, S_RETURN);
    case T_RAISE: return parse_with_values(p, S_RAISE);
    case T_ASSERT: return parse_with_values(p, S_ASSERT);
    case T_DEL: return parse_del(p);
    case T_GLOBAL: return parse_names(p, S_GLOBAL);
    case T_NONLOCAL: return parse_names(p, S_NONLOCAL);
    case T_IMPORT: return parse_import(p);
    case T_FROM: return parse_from(p);
    default: return parse_expression_statement(p);
    }
}

/* Simple statements up to the end of the line. */
static bool parse_line(Parser *p, Node ***tail)
{
    for (;;) {
        Node *node = parse_simple(p);
        if (!node)
            return false;
        **tail = node;
        *tail = &node->next;
        bool more = kind(p) == T_SEMICOLON;
        if (more && node->kind == S_EXPRESSION)
            node->n = 1;
        if (more)
            parse_next(p);
        if (parse_accept(p, T_NEWLINE) || (kind(p) == T_END && p->mode == COMPILE_EXPRESSION))
            return true;
        if (!more)
            return parse_unexpected(p);
    }
}

/* ---- compound statements ---- */
/* `:` and the block behind it. `what`, with the line it began on, is for the error. */
static Node *parse_block(Parser *p, const char *what)
{
    Node *list = NULL, **tail = &list;
    if (!parse_expect(p, T_COLON))
        return NULL;
    if (!parse_accept(p, T_NEWLINE))
        return parse_line(p, &tail) ? list : NULL;
    if (kind(p) == T_ERROR) {
        parse_unexpected(p);
        return NULL;
    }
    if (!parse_accept(p, T_INDENT)) {
        p->incomplete = kind(p) == T_END || (kind(p) == T_DEDENT && p->token->start >= p->size);
        parse_error(p, p->token->start, p->token->end, ERR_INDENTATION, "an indented block was expected after %s", what);
        return NULL;
    }
    while (kind(p) != T_DEDENT && kind(p) != T_END)
        if (!parse_statement(p, &tail))
            return NULL;
    parse_accept(p, T_DEDENT);
    return list;
}

static uint32_t block_end(const Node *list, uint32_t otherwise)
{
    while (list && list->next)
        list = list->next;
    return list ? list->end : otherwise;
}

static bool parse_else(Parser *p, Node *node)
{
    if (!parse_accept(p, T_ELSE))
        return true;
    if (!(node->d = parse_block(p, "'else'")))
        return false;
    node->end = block_end(node->d, node->end);
    return true;
}

static Node *parse_if(Parser *p)
{
    Node *first = NULL, *last = NULL;
    while (kind(p) == (first ? T_ELIF : T_IF)) {
        Node *node = parse_node(p, S_IF, p->token->start);
        if (!node)
            return NULL;
        parse_next(p);
        if (!(node->a = parse_test(p)) || !(node->b = parse_block(p, first ? "'elif'" : "'if'")))
            return NULL;
        node->end = block_end(node->b, node->end);
        if (last)
            last->d = node;
        node->n = first != NULL;
        first = first ? first : node;
        first->end = node->end;
        last = node;
    }
    if (!parse_else(p, last))
        return NULL;
    first->end = last->end;
    return first;
}

static Node *parse_while(Parser *p)
{
    Node *node = parse_node(p, S_WHILE, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (!(node->a = parse_test(p)) || !(node->b = parse_block(p, "'while'")))
        return NULL;
    node->end = block_end(node->b, node->end);
    return parse_else(p, node) ? node : NULL;
}

static Node *parse_for(Parser *p)
{
    Node *node = parse_node(p, S_FOR, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (!(node->a = parse_targets(p)) || !parse_expect(p, T_IN) || !(node->b = parse_list(p, true)) ||
        !(node->e = parse_block(p, "'for'")))
        return NULL;
    node->end = block_end(node->e, node->end);
    return parse_else(p, node) ? node : NULL;
}

static Node *parse_handler(Parser *p)
{
    Node *node = parse_node(p, S_EXCEPT, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (kind(p) == T_STAR) {
        parse_refuse(p, node->start, p->token->end, REFUSE_EXCEPT_STAR);
        return NULL;
    }
    if (kind(p) != T_COLON) {
        if (!(node->a = parse_test(p)))
            return NULL;
        if (kind(p) == T_COMMA) {
            parse_error(p, node->a->start, p->token->end, ERR_SYNTAX, "several exception classes need parentheses: except (A, B):");
            return NULL;
        }
        if (parse_accept(p, T_AS)) {
            if (!(node->d = parse_node(p, E_NAME, p->token->start)) || !(node->d->name = parse_identifier(p, true)))
                return NULL;
            node->d->end = p->last_end;
        }
    }
    if (!(node->b = parse_block(p, "'except'")))
        return NULL;
    node->end = block_end(node->b, node->end);
    return node;
}

static Node *parse_try(Parser *p)
{
    Node *node = parse_node(p, S_TRY, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (!(node->b = parse_block(p, "'try'")))
        return NULL;
    node->end = block_end(node->b, node->end);
    Node **tail = &node->a;
    for (bool bare = false; kind(p) == T_EXCEPT; ) {
        if (bare) {
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "a bare 'except:' must be the last one");
            return NULL;
        }
        Node *handler = parse_handler(p);
        if (!handler)
            return NULL;
        bare = !handler->a;
        *tail = handler;
        tail = &handler->next;
        node->end = handler->end;
    }
    if (node->a && !parse_else(p, node))
        return NULL;
    if (parse_accept(p, T_FINALLY)) {
        if (!(node->e = parse_block(p, "'finally'")))
            return NULL;
        node->end = block_end(node->e, node->end);
    } else if (!node->a) {
        if (kind(p) == T_ERROR) {
            parse_unexpected(p);
        } else {
            p->incomplete = kind(p) == T_END || (kind(p) == T_DEDENT && p->token->start >= p->size);
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "'except' or 'finally' was expected after the block of 'try'");
        }
        return NULL;
    }
    return node;
}

static Node *parse_with_item(Parser *p)
{
    Node *item = parse_node(p, E_WITH_ITEM, p->token->start);
    if (!item || !(item->a = parse_test(p)))
        return NULL;
    if (parse_accept(p, T_AS) && (!(item->b = parse_test(p)) || !parse_target(p, item->b, "assign to", false)))
        return NULL;
    item->end = p->last_end;
    return item;
}

/* Do the parentheses at the next token hold items of a with, rather than one expression? */
static bool with_parentheses(const Parser *p)
{
    const Token *token = p->token;
    int depth = 0;
    bool as = false;
    if (token->kind != T_LPAREN)
        return false;
    for (; token->kind != T_END && token->kind != T_ERROR && token->kind != T_NEWLINE; token++) {
        depth += token->kind == T_LPAREN || token->kind == T_LBRACKET || token->kind == T_LBRACE;
        depth -= token->kind == T_RPAREN || token->kind == T_RBRACKET || token->kind == T_RBRACE;
        as = as || (depth == 1 && (token->kind == T_AS || token->kind == T_COMMA));
        if (depth == 0)
            return as && token[1].kind == T_COLON;
    }
    return false;
}

static Node *parse_with(Parser *p)
{
    Node *node = parse_node(p, S_WITH, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    bool parentheses = with_parentheses(p);
    if (parentheses)
        parse_next(p);
    Node **tail = &node->a;
    do {
        if (parentheses && kind(p) == T_RPAREN)
            break;
        Node *item = parse_with_item(p);
        if (!item)
            return NULL;
        *tail = item;
        tail = &item->next;
    } while (parse_accept(p, T_COMMA));
    if ((parentheses && !parse_expect(p, T_RPAREN)) || !(node->b = parse_block(p, "'with'")))
        return NULL;
    node->end = block_end(node->b, node->end);
    return node;
}

static Node *parse_def(Parser *p)
{
    Node *node = parse_node(p, S_DEF, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    if (!(node->f = parse_node(p, E_NAME, p->token->start)) || !(node->name = parse_identifier(p, true)))
        return NULL;
    node->f->name = node->name;
    node->f->end = p->last_end;
    if (!parse_expect(p, T_LPAREN) || !(node->a = parse_params(p, T_RPAREN, true)) || !parse_expect(p, T_RPAREN))
        return NULL;
    if (parse_accept(p, T_ARROW) && !(node->e = parse_list(p, false)))
        return NULL;
    if (!(node->b = parse_block(p, "the line of 'def'")))
        return NULL;
    node->end = block_end(node->b, node->end);
    return node;
}

static Node *parse_class(Parser *p)
{
    Node *node = parse_node(p, S_CLASS, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    uint32_t start = p->token->start;
    if (!(node->f = parse_node(p, E_NAME, start)) || !(node->name = parse_identifier(p, true)))
        return NULL;
    node->f->name = node->name;
    node->f->end = p->last_end;
    Name *outer = p->class_name, *own = parse_name_text(p, start, p->last_end, false);
    if (!own)
        return NULL;
    if (parse_accept(p, T_LPAREN)) {
        Node *call = parse_node(p, E_CALL, start);
        if (!call || !parse_arguments(p, call))
            return NULL;
        for (Node *base = call->b; base; base = base->next)
            if (base->kind == E_KEYWORD || base->kind == E_DOUBLE_STAR) {
                bool meta = base->kind == E_KEYWORD && strcmp(base->name->s, "metaclass") == 0;
                parse_refuse(p, base->start, base->end, meta ? REFUSE_METACLASS : REFUSE_CLASS_KEYWORD);
                return NULL;
            }
        node->a = call->b;
        node->n = call->n;
    }
    p->class_name = own;
    node->b = parse_block(p, "the line of 'class'");
    p->class_name = outer;
    if (!node->b)
        return NULL;
    node->end = block_end(node->b, node->end);
    return node;
}

static Node *parse_decorated(Parser *p)
{
    uint32_t start = p->token->start;
    Node *list = NULL, **tail = &list;
    while (parse_accept(p, T_AT)) {
        Node *decorator = parse_test(p);
        if (!decorator)
            return NULL;
        *tail = decorator;
        tail = &decorator->next;
        if (!parse_accept(p, T_NEWLINE)) {
            parse_unexpected(p);
            return NULL;
        }
    }
    if (kind(p) == T_CLASS) {
        parse_refuse(p, start, list->end, REFUSE_CLASS_DECORATOR);
        return NULL;
    }
    if (kind(p) != T_DEF) {
        if (kind(p) == T_ASYNC || kind(p) == T_ERROR) {
            parse_unexpected(p);
        } else {
            p->incomplete = kind(p) == T_END;
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX, "a function was expected after its decorator");
        }
        return NULL;
    }
    Node *node = parse_def(p);
    if (node) {
        node->d = list;
        node->start = start;
    }
    return node;
}

static Node *parse_command(Parser *p)
{
    Token *token = p->token;
    parse_next(p);
    Node *node = parse_node(p, S_COMMAND, token->start);
    if (!node || !(node->name = tree_name(p->tree, p->text + token->start, token->end - token->start))) {
        err_memory(p->err, sizeof *node);
        return NULL;
    }
    parse_accept(p, T_NEWLINE);
    return node;
}

static Node *parse_statement(Parser *p, Node ***tail)
{
    if (!parse_deep(p))
        return NULL;
    Node *node;
    switch (kind(p)) {
    case T_IF: node = parse_if(p); break;
    case T_WHILE: node = parse_while(p); break;
    case T_FOR: node = parse_for(p); break;
    case T_TRY: node = parse_try(p); break;
    case T_WITH: node = parse_with(p); break;
    case T_DEF: node = parse_def(p); break;
    case T_CLASS: node = parse_class(p); break;
    case T_AT: node = parse_decorated(p); break;
    case T_COMMAND: node = parse_command(p); break;
    default: {
        Node **first = *tail;
        return parse_line(p, tail) ? *first : NULL;
    }
    }
    if (node) {
        **tail = node;
        *tail = &node->next;
    }
    return node;
}

Node *parse(Parser *p, const char *text, size_t n, bool *empty)
{
    p->text = text;
    p->size = (uint32_t)n;
    p->incomplete = false;
    p->err->kind = ERR_NONE;
    p->lexer = (Lexer){ .s = p->s, .text = text, .end = (uint32_t)n,
                        .commands = p->mode == COMPILE_PROMPT || p->mode == COMPILE_CELL };
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
