/*
 * parse_block.c - statements that hold others: if, while, for, try, with, def, class; and lines for the
 * front end.
 */
#include <string.h>
#include "lang/syntax/parse.h"

static TokenKind kind(const Parser *p)
{
    return (TokenKind)p->token->kind;
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
        parse_error(p, p->token->start, p->token->end, ERR_INDENTATION,
                    "an indented block was expected after %s", what);
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
    if (kind(p) != T_ELSE)
        return true;
    if (p->token[1].kind == T_IF)
        return parse_unexpected(p);     /* else if */
    parse_next(p);
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
            parse_error(p, node->a->start, p->token->end, ERR_SYNTAX,
                        "several exception classes need parentheses: except (A, B):");
            return NULL;
        }
        if (parse_accept(p, T_AS)) {
            if (!(node->d = parse_node(p, E_NAME, p->token->start)) ||
                !(node->d->name = parse_identifier(p, true)))
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
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX,
                        "a bare 'except:' must be the last one");
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
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX,
                        "'except' or 'finally' was expected after the block of 'try'");
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
    if (parse_accept(p, T_AS) && (!(item->b = parse_test(p)) || !parse_target(p, item->b, "assign to",
            false)))
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
    if (!parse_expect(p, T_LPAREN) || !(node->a = parse_params(p, T_RPAREN, true)) ||
        !parse_expect(p, T_RPAREN))
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
    if (kind(p) != T_DEF && kind(p) != T_CLASS) {
        if (kind(p) == T_ASYNC || kind(p) == T_ERROR) {
            parse_unexpected(p);
        } else {
            p->incomplete = kind(p) == T_END;
            parse_error(p, p->token->start, p->token->end, ERR_SYNTAX,
                        "a function or class was expected after its decorator");
        }
        return NULL;
    }
    Node *node = kind(p) == T_CLASS ? parse_class(p) : parse_def(p);
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

Node *parse_statement(Parser *p, Node ***tail)
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
