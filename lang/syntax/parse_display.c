/*
 * parse_display.c - what stands in brackets: tuples, lists, sets, dicts, comprehensions.
 */
#include "lang/syntax/parse.h"

static TokenKind kind(const Parser *p)
{
    return (TokenKind)p->token->kind;
}

static void append(Node ***tail, Node *node)
{
    **tail = node;
    *tail = &node->next;
}

/* The for … in … if … of a comprehension whose element has been read. */
Node *parse_comprehension(Parser *p, Node *element, int op, uint32_t start)
{
    Node *node = parse_node(p, E_COMPREHENSION, start);
    if (!node)
        return NULL;
    node->op = (uint8_t)op;
    node->a = element;
    Node **tail = &node->b;
    if (element->kind == E_STAR || (element->kind == E_PAIR && !element->a)) {
        parse_error(p, element->start, element->end, ERR_SYNTAX,
                    "a comprehension cannot unpack with '*' or '**'");
        return NULL;
    }
    while (kind(p) == T_FOR) {
        Node *loop = parse_node(p, E_COMP_FOR, p->token->start);
        if (!loop)
            return NULL;
        parse_next(p);
        if (!(loop->a = parse_targets(p)) || !parse_expect(p, T_IN) || !(loop->b = parse_binary(p, P_OR)))
            return NULL;
        Node **condition = &loop->c;
        while (parse_accept(p, T_IF)) {
            Node *test = parse_binary(p, P_OR);
            if (!test)
                return NULL;
            append(&condition, test);
        }
        loop->end = p->last_end;
        append(&tail, loop);
    }
    if (kind(p) == T_ASYNC) {
        parse_refuse(p, p->token->start, p->token->end, REFUSE_ASYNC);
        return NULL;
    }
    node->end = p->last_end;
    return node;
}

Node *parse_parentheses(Parser *p)
{
    uint32_t start = p->token->start;
    bool own = true;                    /* the parentheses belong to the node itself */
    Node *node;
    parse_next(p);
    if (kind(p) == T_RPAREN) {
        node = parse_node(p, E_TUPLE, start);
    } else if (kind(p) == T_YIELD) {
        node = parse_yield(p);
        own = false;
    } else {
        node = parse_star_or_test(p, true);
        if (node && (kind(p) == T_FOR || kind(p) == T_ASYNC)) {
            node = parse_comprehension(p, node, COMP_GENERATOR, start);
        } else if (node && kind(p) == T_COMMA) {
            node = parse_rest(p, node, start, true);
        } else if (node && node->kind == E_STAR) {
            parse_error(p, node->start, node->end, ERR_SYNTAX,
                        "a starred expression in parentheses needs a comma to be a tuple");
            return NULL;
        } else {
            own = false;
        }
    }
    if (!node || !parse_expect(p, T_RPAREN))
        return NULL;
    if (own)
        node->end = p->last_end;
    node->parenthesised = true;
    return node;
}

Node *parse_brackets(Parser *p)
{
    Node *node = parse_node(p, E_LIST, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    Node **tail = &node->a;
    while (kind(p) != T_RBRACKET) {
        Node *item = parse_star_or_test(p, true);
        if (!item)
            return NULL;
        if (node->n == 0 && (kind(p) == T_FOR || kind(p) == T_ASYNC)) {
            Node *comp = parse_comprehension(p, item, COMP_LIST, node->start);
            if (!comp || !parse_expect(p, T_RBRACKET))
                return NULL;
            comp->end = p->last_end;
            return comp;
        }
        append(&tail, item);
        node->n++;
        if (!parse_accept(p, T_COMMA))
            break;
    }
    if (!parse_expect(p, T_RBRACKET))
        return NULL;
    node->end = p->last_end;
    return node;
}

static Node *parse_pair(Parser *p, bool *is_set)
{
    uint32_t start = p->token->start;
    if (parse_accept(p, T_POW)) {
        Node *value = parse_binary(p, P_BAR), *pair = value ? parse_node(p, E_PAIR, start) : NULL;
        if (pair)
            pair->b = value;
        return pair;
    }
    Node *key = parse_star_or_test(p, true);
    if (!key || kind(p) != T_COLON) {
        *is_set = true;
        return key;
    }
    parse_next(p);
    Node *value = parse_test(p), *pair = value ? parse_node(p, E_PAIR, start) : NULL;
    if (pair) {
        pair->a = key;
        pair->b = value;
    }
    return pair;
}

Node *parse_braces(Parser *p)
{
    Node *node = parse_node(p, E_DICT, p->token->start);
    if (!node)
        return NULL;
    parse_next(p);
    Node **tail = &node->a;
    while (kind(p) != T_RBRACE) {
        bool is_set = false;
        Node *item = parse_pair(p, &is_set);
        if (!item)
            return NULL;
        if (node->n == 0 && is_set)
            node->kind = E_SET;
        if (is_set != (node->kind == E_SET)) {
            if (is_set)
                parse_error(p, item->end, item->end + 1, ERR_SYNTAX,
                            "':' and a value are missing behind this key of a dict");
            else
                parse_error(p, item->start, item->end, ERR_SYNTAX, "a set holds values, not pairs with ':'");
            return NULL;
        }
        if (node->n == 0 && (kind(p) == T_FOR || kind(p) == T_ASYNC)) {
            Node *comp = parse_comprehension(p, item, is_set ? COMP_SET : COMP_DICT, node->start);
            if (!comp || !parse_expect(p, T_RBRACE))
                return NULL;
            comp->end = p->last_end;
            return comp;
        }
        append(&tail, item);
        node->n++;
        if (!parse_accept(p, T_COMMA))
            break;
    }
    if (!parse_expect(p, T_RBRACE))
        return NULL;
    node->end = p->last_end;
    return node;
}
