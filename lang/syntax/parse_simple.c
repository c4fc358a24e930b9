/*
 * parse_simple.c - statements of one line: assignments, imports, del, return and the like.
 */
#include <string.h>
#include "lang/syntax/parse.h"

static TokenKind kind(const Parser *p)
{
    return (TokenKind)p->token->kind;
}

/* ---- simple statements ---- */
static bool statement_ends(const Parser *p)
{
    return kind(p) == T_NEWLINE || kind(p) == T_SEMICOLON || kind(p) == T_END;
}

static int augmented_op(TokenKind token)
{
    static const uint8_t ops[T_COUNT] = {
        [T_ADD_SET] = BIN_ADD + 1, [T_SUB_SET] = BIN_SUB + 1, [T_MUL_SET] = BIN_MUL + 1, [T_TRUEDIV_SET] =
            BIN_TRUEDIV + 1,
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
    if (first + 1 == p->token && ((n == 5 && memcmp(s, "print", 5) == 0) ||
                                  (n == 4 && memcmp(s, "exec", 4) == 0))) {
        parse_error(p, first->start, p->token->end, ERR_SYNTAX,
                    "parentheses are missing in the call of %.*s", (int)n, s);
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
        if (value->kind == E_YIELD || value->kind == E_YIELD_FROM || !parse_target(p, value, "assign to",
                false)) {
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
        parse_error(p, target->start, target->end, ERR_SYNTAX,
                    "only a single name, attribute or item can be annotated");
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
    if (kind(p) == T_COLON && !odd_statement(p, first) && p->err->kind == ERR_NONE &&
        p->token[1].kind != T_NEWLINE)
        return parse_annotated(p, value, start);
    if (p->err->kind != ERR_NONE)
        return NULL;
    if (op >= 0) {
        if (value->kind != E_NAME && value->kind != E_ATTR && value->kind != E_ITEM) {
            parse_error(p, value->start, value->end, ERR_SYNTAX,
                        "'%s' cannot change %s: it needs a name, an attribute or an item",
                        token_text(kind(p)), parse_node_text(value));
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
        if (!(alias->a = parse_node(p, E_NAME, p->token->start)) ||
            !(alias->a->name = parse_identifier(p, true)))
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
    static const char *const features[] = { "annotations", "division", "print_function", "absolute_import",
                                            "unicode_literals",
                                            "generators", "nested_scopes", "with_statement",
                                                "generator_stop" };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(alias->name->s, features[i]) == 0) {
            p->future_annotations = p->future_annotations || i == 0;
            return true;
        }
    return parse_error(p, alias->start, alias->end, ERR_SYNTAX, "the future feature '%s' is not defined",
                       alias->name->s);
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
            parse_error(p, p->last_end - 1, p->last_end, ERR_SYNTAX,
                        "a comma at the end needs parentheses around the names");
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
        if (which != S_RETURN && parse_accept(p, which == S_RAISE ? T_FROM : T_COMMA) &&
            !(node->b = parse_test(p)))
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
bool parse_line(Parser *p, Node ***tail)
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
