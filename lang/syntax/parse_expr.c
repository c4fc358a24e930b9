/*
 * parse_expr.c - expressions, by a table of binding powers.
 * Chains (1+1+…, a.b.c…, ----1, x and y and …) are loops; what nests otherwise recurses, and looks at
 * the stack.
 */
#include "lang/syntax/parse.h"
#include <stdlib.h>
#include <string.h>
#include "lang/run/state.h"

static const struct { uint8_t power, op; } powers[T_COUNT] = {
    [T_OR] = { P_OR, 0 }, [T_AND] = { P_AND, 0 }, [T_NOT] = { P_COMPARE, LINK_NOT_IN }, [T_IN] =
        { P_COMPARE, LINK_IN },
    [T_IS] = { P_COMPARE, LINK_IS }, [T_LT] = { P_COMPARE, CMP_LT }, [T_LE] = { P_COMPARE, CMP_LE },
    [T_EQ] = { P_COMPARE, CMP_EQ }, [T_NE] = { P_COMPARE, CMP_NE }, [T_GT] = { P_COMPARE, CMP_GT },
    [T_GE] = { P_COMPARE, CMP_GE }, [T_BAR] = { P_BAR, BIN_OR }, [T_CARET] = { P_CARET, BIN_XOR },
    [T_AMPERSAND] = { P_AMPERSAND, BIN_AND }, [T_LSHIFT] = { P_SHIFT, BIN_LSHIFT }, [T_RSHIFT] =
        { P_SHIFT, BIN_RSHIFT },
    [T_PLUS] = { P_SUM, BIN_ADD }, [T_MINUS] = { P_SUM, BIN_SUB }, [T_STAR] = { P_TERM, BIN_MUL },
    [T_SLASH] = { P_TERM, BIN_TRUEDIV }, [T_FLOORDIV] = { P_TERM, BIN_FLOORDIV }, [T_PERCENT] =
        { P_TERM, BIN_MOD },
    [T_AT] = { P_TERM, BIN_MATMUL },
};

static Node *parse_factor(Parser *p);

static TokenKind kind(const Parser *p)
{
    return (TokenKind)p->token->kind;
}

/* ---- lists ---- */
static void append(Node ***tail, Node *node)
{
    **tail = node;
    *tail = &node->next;
}

/* Can an expression begin with the next token? */
static bool begins_expression(const Parser *p)
{
    switch (kind(p)) {
    case T_NAME: case T_NUMBER: case T_STRING: case T_NONE: case T_TRUE: case T_FALSE: case T_ELLIPSIS:
    case T_NOT:
    case T_LAMBDA: case T_LPAREN: case T_LBRACKET: case T_LBRACE: case T_MINUS: case T_PLUS:
    case T_TILDE: case T_AWAIT:
    case T_STAR: case T_YIELD:
        return true;
    default:
        return false;
    }
}

Node *parse_star_or_test(Parser *p, bool stars)
{
    uint32_t start = p->token->start;
    if (!stars || !parse_accept(p, T_STAR))
        return parse_test(p);
    Node *value = parse_binary(p, P_BAR);
    Node *node = value ? parse_node(p, E_STAR, start) : NULL;
    if (node)
        node->a = value;
    return node;
}

/* What follows `first` after a comma, up to `end` or whatever ends the list. */
Node *parse_rest(Parser *p, Node *first, uint32_t start, bool stars)
{
    Node *tuple = parse_node(p, E_TUPLE, start);
    if (!tuple)
        return NULL;
    Node **tail = &tuple->a;
    append(&tail, first);
    tuple->n = 1;
    while (parse_accept(p, T_COMMA)) {
        if (!begins_expression(p) || kind(p) == T_YIELD)
            break;
        Node *item = parse_star_or_test(p, stars);
        if (!item)
            return NULL;
        append(&tail, item);
        tuple->n++;
    }
    tuple->end = p->last_end;
    return tuple;
}

Node *parse_list(Parser *p, bool stars)
{
    uint32_t start = p->token->start;
    Node *first = parse_star_or_test(p, stars);
    if (!first)
        return NULL;
    if (kind(p) == T_COMMA)
        return parse_rest(p, first, start, stars);
    if (first->kind == E_STAR) {
        parse_error(p, first->start, first->end, ERR_SYNTAX,
                    "a starred expression may stand only in a list, a tuple or a call");
        err_hint(p->err, "for a tuple, put a comma behind it");
        return NULL;
    }
    return first;
}

Node *parse_yield(Parser *p)
{
    uint32_t start = p->token->start;
    parse_next(p);
    bool from = parse_accept(p, T_FROM);
    Node *value = NULL;
    if (from || (begins_expression(p) && kind(p) != T_YIELD))
        if (!(value = from ? parse_test(p) : parse_list(p, true)))
            return NULL;
    Node *node = parse_node(p, from ? E_YIELD_FROM : E_YIELD, start);
    if (node)
        node->a = value;
    return node;
}

Node *parse_value(Parser *p)
{
    return kind(p) == T_YIELD ? parse_yield(p) : parse_list(p, true);
}

Node *parse_targets(Parser *p)
{
    uint32_t start = p->token->start;
    Node *list = NULL, **tail = &list;
    uint32_t n = 0;
    bool comma = false;
    do {
        uint32_t at = p->token->start;
        if (n > 0 && kind(p) == T_IN)
            break;
        bool star = parse_accept(p, T_STAR);
        Node *item = parse_binary(p, P_BAR), *wrapped = item;
        if (item && star && (wrapped = parse_node(p, E_STAR, at)))
            wrapped->a = item;
        if (!item || !wrapped)
            return NULL;
        append(&tail, wrapped);
        n++;
    } while (parse_accept(p, T_COMMA) && (comma = true));
    Node *target = list;
    if (comma) {
        if (!(target = parse_node(p, E_TUPLE, start)))
            return NULL;
        target->a = list;
        target->n = n;
    }
    return parse_target(p, target, "assign to", false) ? target : NULL;
}

static Node *parse_lambda(Parser *p)
{
    uint32_t start = p->token->start;
    parse_next(p);
    Node *params = parse_params(p, T_COLON, false);
    if (!params || !parse_expect(p, T_COLON))
        return NULL;
    Node *body = parse_test(p), *node = body ? parse_node(p, E_LAMBDA, start) : NULL;
    if (node) {
        node->a = params;
        node->b = body;
    }
    return node;
}

/* ---- calls and indices ---- */
static Node *parse_argument(Parser *p, bool *keywords, bool *unpacked, bool first)
{
    uint32_t start = p->token->start;
    if (kind(p) == T_STAR || kind(p) == T_POW) {
        bool two = kind(p) == T_POW;
        parse_next(p);
        if (!two && *unpacked) {
            parse_error(p, start, p->token->end, ERR_SYNTAX,
                        "a '*' argument cannot stand behind a '**' argument");
            return NULL;
        }
        *unpacked = *unpacked || two;
        Node *value = parse_test(p), *node = value ? parse_node(p, two ? E_DOUBLE_STAR : E_STAR, start)
            : NULL;
        if (node)
            node->a = value;
        return node;
    }
    if (kind(p) == T_NAME && p->token[1].kind == T_ASSIGN) {
        Name *name = parse_identifier(p, true);
        parse_next(p);
        if (name && (kind(p) == T_COMMA || kind(p) == T_RPAREN)) {
            parse_error(p, start, p->last_end, ERR_SYNTAX, "the keyword argument '%s' has no value", name->s);
            return NULL;
        }
        Node *value = name ? parse_test(p) : NULL, *node = value ? parse_node(p, E_KEYWORD, start) : NULL;
        if (!node)
            return NULL;
        node->a = value;
        node->name = name;
        *keywords = true;
        return node;
    }
    Node *value = parse_test(p);
    if (value && (kind(p) == T_FOR || kind(p) == T_ASYNC)) {
        uint32_t open = value->start;
        value = parse_comprehension(p, value, COMP_GENERATOR, open);
        if (value && (!first || (kind(p) == T_COMMA && p->token[1].kind != T_RPAREN))) {
            parse_error(p, value->start, value->end, ERR_SYNTAX,
                        "a generator expression needs parentheses of its own unless it is the only argument");
            return NULL;
        }
    } else if (value && kind(p) == T_ASSIGN) {
        parse_error(p, value->start, p->token->end, ERR_SYNTAX,
                    "the left side of '=' in a call must be the name of a parameter");
        err_hint(p->err, "to compare, write '=='");
        return NULL;
    } else if (value && (*keywords || *unpacked)) {
        parse_error(p, value->start, value->end, ERR_SYNTAX, *unpacked && !*keywords
                    ? "a positional argument stands behind '**'"
                    : "a positional argument stands behind a keyword argument");
        return NULL;
    }
    return value;
}

Node *parse_arguments(Parser *p, Node *call)
{
    Node **tail = &call->b;
    bool keywords = false, unpacked = false;
    while (kind(p) != T_RPAREN) {
        Node *argument = parse_argument(p, &keywords, &unpacked, call->n == 0);
        if (!argument)
            return NULL;
        if (argument->kind == E_KEYWORD)
            for (Node *other = call->b; other; other = other->next)
                if (other->kind == E_KEYWORD && other->name == argument->name) {
                    parse_error(p, argument->start, argument->end, ERR_SYNTAX,
                                "keyword argument repeated: %s", argument->name->s);
                    return NULL;
                }
        append(&tail, argument);
        call->n++;
        if (!parse_accept(p, T_COMMA))
            break;
    }
    if (!parse_expect(p, T_RPAREN))
        return NULL;
    call->end = p->last_end;
    return call;
}

static Node *parse_slice(Parser *p)
{
    uint32_t start = p->token->start;
    Node *part[3] = { NULL, NULL, NULL };
    if (kind(p) == T_STAR)
        return parse_star_or_test(p, true);
    if (kind(p) != T_COLON) {
        if (!(part[0] = parse_test(p)))
            return NULL;
        if (kind(p) != T_COLON)
            return part[0];
    }
    for (int i = 1; i < 3 && parse_accept(p, T_COLON); i++)
        if (kind(p) != T_COLON && kind(p) != T_COMMA && kind(p) != T_RBRACKET && !(part[i] = parse_test(p)))
            return NULL;
    Node *node = parse_node(p, E_SLICE, start);
    if (node) {
        node->a = part[0];
        node->b = part[1];
        node->c = part[2];
    }
    return node;
}

static Node *parse_index(Parser *p)
{
    uint32_t start = p->token->start;
    Node *first = parse_slice(p);
    if (!first || (kind(p) != T_COMMA && first->kind != E_STAR))
        return first;
    Node *tuple = parse_node(p, E_TUPLE, start);
    if (!tuple)
        return NULL;
    Node **tail = &tuple->a;
    append(&tail, first);
    tuple->n = 1;
    while (parse_accept(p, T_COMMA) && kind(p) != T_RBRACKET) {
        Node *item = parse_slice(p);
        if (!item)
            return NULL;
        append(&tail, item);
        tuple->n++;
    }
    tuple->end = p->last_end;
    return tuple;
}

/* ---- operands ---- */
static Node *parse_atom(Parser *p)
{
    Token *token = p->token;
    Node *node;
    switch (kind(p)) {
    case T_NAME:
        if (!(node = parse_node(p, E_NAME, token->start)) || !(node->name = parse_identifier(p, true)))
            return NULL;
        break;
    case T_NUMBER:
        parse_next(p);
        return parse_node(p, E_NUMBER, token->start);
    case T_STRING:
        return parse_strings(p);
    case T_NONE: case T_TRUE: case T_FALSE: case T_ELLIPSIS:
        parse_next(p);
        if (!(node = parse_node(p, E_CONSTANT, token->start)))
            return NULL;
        node->op = token->kind;
        break;
    case T_LPAREN:
        return parse_parentheses(p);
    case T_LBRACKET:
        return parse_brackets(p);
    case T_LBRACE:
        return parse_braces(p);
    case T_AWAIT:
        parse_refuse(p, token->start, token->end, REFUSE_AWAIT);
        return NULL;
    default:
        parse_unexpected(p);
        return NULL;
    }
    node->end = p->last_end;
    return node;
}

static Node *parse_postfix(Parser *p)
{
    if (!parse_deep(p))
        return NULL;
    uint32_t start = p->token->start;
    Node *node = parse_atom(p);
    while (node) {
        TokenKind next = kind(p);
        if (next != T_DOT && next != T_LPAREN && next != T_LBRACKET)
            break;
        Node *left = node;
        if (!(node = parse_node(p, next == T_DOT ? E_ATTR : next == T_LPAREN ? E_CALL : E_ITEM, start)))
            return NULL;
        node->a = left;
        parse_next(p);
        if (next == T_LPAREN) {
            node = parse_arguments(p, node);
        } else if (next == T_DOT) {
            if (!(node->name = parse_identifier(p, true)))
                return NULL;
            node->end = p->last_end;
        } else {
            if (kind(p) == T_RBRACKET) {
                parse_error(p, p->token->start, p->token->end, ERR_SYNTAX,
                            "an index is missing between '[' and ']'");
                return NULL;
            }
            if (!(node->b = parse_index(p)) || !parse_expect(p, T_RBRACKET))
                return NULL;
            node->end = p->last_end;
        }
    }
    return node;
}

/* Signs, then an operand, then perhaps a power, whose right side may have signs again. */
static Node *parse_factor(Parser *p)
{
    Node *signs = NULL;                 /* a chain by `next`, the innermost first */
    for (; kind(p) == T_MINUS || kind(p) == T_PLUS || kind(p) == T_TILDE; parse_next(p)) {
        Node *sign = parse_node(p, E_UNARY, p->token->start);
        if (!sign)
            return NULL;
        sign->op = kind(p) == T_MINUS ? UN_NEG : kind(p) == T_PLUS ? UN_POS : UN_INVERT;
        sign->next = signs;
        signs = sign;
    }
    uint32_t start = p->token->start;
    Node *node = parse_postfix(p);
    if (node && kind(p) == T_POW) {
        Node *left = node, *right;
        parse_next(p);
        if (!(right = parse_factor(p)) || !(node = parse_node(p, E_BINARY, start)))
            return NULL;
        node->op = BIN_POW;
        node->a = left;
        node->b = right;
    }
    for (Node *next; node && signs; signs = next) {
        next = signs->next;
        signs->next = NULL;
        signs->a = node;
        signs->end = p->last_end;
        node = signs;
    }
    return node;
}

static Node *parse_not(Parser *p)
{
    Node *nots = NULL;
    for (; kind(p) == T_NOT; parse_next(p)) {
        Node *one = parse_node(p, E_NOT, p->token->start);
        if (!one)
            return NULL;
        one->next = nots;
        nots = one;
    }
    Node *node = parse_binary(p, P_COMPARE);
    for (Node *next; node && nots; nots = next) {
        next = nots->next;
        nots->next = NULL;
        nots->a = node;
        nots->end = p->last_end;
        node = nots;
    }
    return node;
}

static Node *parse_links(Parser *p, Node *first, uint32_t start)
{
    Node *node = parse_node(p, E_COMPARE, start);
    if (!node)
        return NULL;
    node->a = first;
    Node **tail = &node->b;
    while (powers[kind(p)].power == P_COMPARE) {
        Node *link = parse_node(p, E_LINK, p->token->start);
        if (!link)
            return NULL;
        link->op = powers[kind(p)].op;
        bool negated = kind(p) == T_NOT;
        if (negated && p->token[1].kind != T_IN)
            break;                      /* `a not b`: the caller complains */
        parse_next(p);
        if (negated)
            parse_next(p);
        else if (link->op == LINK_IS && parse_accept(p, T_NOT))
            link->op = LINK_IS_NOT;
        if (!(link->a = parse_binary(p, P_BAR)))
            return NULL;
        link->end = p->last_end;
        append(&tail, link);
        node->n++;
    }
    node->end = p->last_end;
    return node->n ? node : first;
}

Node *parse_binary(Parser *p, int least)
{
    uint32_t start = p->token->start;
    Node *node = kind(p) == T_NOT && least <= P_NOT ? parse_not(p) : parse_factor(p);
    while (node) {
        TokenKind token = kind(p);
        int power = powers[token].power;
        if (power < least || power == 0)
            break;
        if (power == P_COMPARE) {
            Node *links = parse_links(p, node, start);
            if (links == node)
                break;
            node = links;
            continue;
        }
        Node *left = node;
        if (power == P_OR || power == P_AND) {
            if (!(node = parse_node(p, E_BOOLEAN, start)))
                return NULL;
            node->op = (uint8_t)token;
            Node **tail = &node->a;
            append(&tail, left);
            node->n = 1;
            while (parse_accept(p, token)) {
                Node *right = parse_binary(p, power + 1);
                if (!right)
                    return NULL;
                append(&tail, right);
                node->n++;
            }
            node->end = p->last_end;
            continue;
        }
        parse_next(p);
        Node *right = parse_binary(p, power + 1);
        if (!right || !(node = parse_node(p, E_BINARY, start)))
            return NULL;
        node->op = powers[token].op;
        node->a = left;
        node->b = right;
    }
    return node;
}

Node *parse_test(Parser *p)
{
    if (!parse_deep(p))
        return NULL;
    if (kind(p) == T_LAMBDA)
        return parse_lambda(p);
    uint32_t start = p->token->start;
    Node *node = parse_binary(p, P_OR);
    if (node && kind(p) == T_IF) {
        Node *value = node;
        parse_next(p);
        Node *condition = parse_binary(p, P_OR);
        if (!condition)
            return NULL;
        if (kind(p) != T_ELSE && kind(p) != T_ERROR) {
            parse_error(p, start, p->last_end, ERR_SYNTAX,
                        "a conditional expression needs 'else' and a value");
            return NULL;
        }
        if (!parse_expect(p, T_ELSE))
            return NULL;
        Node *otherwise = parse_test(p);
        if (!otherwise || !(node = parse_node(p, E_IF, start)))
            return NULL;
        node->a = condition;
        node->b = value;
        node->c = otherwise;
    }
    if (node && kind(p) == T_WALRUS) {
        parse_refuse(p, p->token->start, p->token->end, REFUSE_WALRUS);
        return NULL;
    }
    return node;
}
