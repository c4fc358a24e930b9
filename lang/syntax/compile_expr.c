/*
 * compile_expr.c - expressions, conditions and targets to instructions.
 * The left sides of chains (a + b + c, a.b().c[0], ---x) are walked with a stack of our own, not the C stack.
 */
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

enum { AT_ONCE = 64 };                  /* elements that wait on the stack together */

/* ---- displays ---- */
static bool has_star(const Node *list)
{
    for (; list; list = list->next)
        if (list->kind == E_STAR || list->kind == E_DOUBLE_STAR)
            return true;
    return false;
}

/* All of a list's elements as one constant tuple, or -1. */
static int constant_elements(Compiler *c, const Node *node)
{
    Node tuple = { .kind = E_TUPLE, .start = node->start, .end = node->end, .n = node->n, .a = node->a };
    return constant_of(c, &tuple);
}

/* A list or set is on the stack; elements from `item` on go into it one by one. */
static void add_elements(Compiler *c, Node *item, bool set, const Node *at)
{
    for (; item && !c->failed; item = item->next) {
        bool star = item->kind == E_STAR;
        compile_expr(c, star ? item->a : item);
        if (star)
            emit(c, set ? CODE_SET_UPDATE : CODE_LIST_EXTEND, 0, item);
        else
            emit(c, set ? CODE_SET_ADD : CODE_LIST_APPEND, 1, at);
    }
}

/* A list (for a tuple or a call too) or a set. */
static void compile_elements(Compiler *c, Node *list, uint32_t n, bool set, const Node *at)
{
    Opcode make = set ? CODE_SET : CODE_LIST;
    uint32_t first = 0;
    if (n <= AT_ONCE)
        for (; list && list->kind != E_STAR; list = list->next, first++)
            compile_expr(c, list);
    emit(c, make, first, at);
    add_elements(c, list, set, at);
}

static void compile_list(Compiler *c, Node *node)
{
    int number = node->n >= 3 && !has_star(node->a) ? constant_elements(c, node) : -1;
    if (number >= 0) {
        emit(c, CODE_LIST, 0, node);
        emit_constant(c, number, node);
        emit(c, CODE_LIST_EXTEND, 0, node);
    } else {
        compile_elements(c, node->a, node->n, false, node);
    }
}

static void compile_tuple(Compiler *c, Node *node)
{
    if (has_star(node->a) || node->n > AT_ONCE) {
        compile_elements(c, node->a, node->n, false, node);
        emit(c, CODE_LIST_TO_TUPLE, 0, node);
        return;
    }
    for (Node *item = node->a; item && !c->failed; item = item->next)
        compile_expr(c, item);
    emit(c, CODE_TUPLE, node->n, node);
}

static void compile_dict(Compiler *c, Node *node)
{
    Node *pair = node->a;
    uint32_t n = 0;
    for (; pair && pair->a && n < AT_ONCE / 2; pair = pair->next, n++) {
        compile_expr(c, pair->a);
        compile_expr(c, pair->b);
    }
    emit(c, CODE_DICT, n, node);
    for (; pair && !c->failed; pair = pair->next) {
        if (pair->a)
            compile_expr(c, pair->a);
        compile_expr(c, pair->b);
        if (pair->a)
            emit(c, CODE_DICT_ADD, 1, pair);
        else
            emit(c, CODE_DICT_UPDATE, 0, pair);
    }
}

static void compile_formatted(Compiler *c, Node *node)
{
    uint32_t n = 0;
    for (Node *part = node->a; part && !c->failed; part = part->next, n++) {
        if (part->kind == E_STRING) {
            emit_constant(c, constant_string(c, part->name), part);
            continue;
        }
        compile_expr(c, part->a);
        if (part->b)
            compile_expr(c, part->b);
        emit(c, CODE_FORMAT, part->op | (part->b ? 128u : 0), part);
        if (n % 256 == 255) {           /* long ones are joined as they grow */
            emit(c, CODE_STRING, n + 1, node);
            n = 0;
        }
    }
    if (n == 0) {
        Name *empty = tree_name(c->tree, "", 0);
        if (!empty)
            compile_memory(c);
        else
            emit_constant(c, constant_string(c, empty), node);
    } else if (n > 1) {
        emit(c, CODE_STRING, n, node);
    }
}

/* ---- operators ---- */
static void compile_boolean(Compiler *c, Node *node)
{
    int end = label_new(c);
    for (Node *item = node->a; item && !c->failed; item = item->next) {
        compile_expr(c, item);
        if (item->next)
            emit(c, node->op == T_AND ? CODE_FALSE_OR_POP : CODE_TRUE_OR_POP, (uint32_t)end, item);
    }
    label_here(c, end);
}

/* What `in` and `for` only look through may be a constant tuple. */
static void compile_looked_through(Compiler *c, Node *node)
{
    int number = node->kind == E_LIST && node->n > 0 && !has_star(node->a) ? constant_elements(c, node) : -1;
    if (number >= 0)
        emit_constant(c, number, node);
    else
        compile_expr(c, node);
}

static void compile_link(Compiler *c, int op, const Node *at)
{
    if (op >= LINK_IN)
        emit(c, CODE_IN, op == LINK_NOT_IN, at);
    else if (op >= LINK_IS)
        emit(c, CODE_IS, op == LINK_IS_NOT, at);
    else
        emit(c, CODE_COMPARE, (uint32_t)op, at);
}

static void compile_right(Compiler *c, Node *link)
{
    if (link->op >= LINK_IN && !link->next)
        compile_looked_through(c, link->a);
    else
        compile_expr(c, link->a);
}

/* a < b < c: b is computed once. */
static void compile_compare(Compiler *c, Node *node)
{
    compile_expr(c, node->a);
    int cleanup = node->n > 1 ? label_new(c) : 0;
    for (Node *link = node->b; link && !c->failed; link = link->next) {
        compile_right(c, link);
        if (link->next) {
            emit(c, CODE_DUP, 0, node);
            emit(c, CODE_ROT3, 0, node);
        }
        compile_link(c, link->op, node);
        if (link->next)
            emit(c, CODE_FALSE_OR_POP, (uint32_t)cleanup, node);
    }
    if (node->n > 1) {
        int end = label_new(c);
        emit(c, CODE_JUMP, (uint32_t)end, node);
        label_here(c, cleanup);
        c->unit->depth++;
        if (c->unit->depth > c->unit->deepest)
            c->unit->deepest = c->unit->depth;
        emit(c, CODE_SWAP, 0, node);
        emit(c, CODE_POP, 0, node);
        label_here(c, end);
    }
}

static void compare_jump_if(Compiler *c, Node *node, int label, bool when)
{
    compile_expr(c, node->a);
    int cleanup = label_new(c), end = label_new(c);
    for (Node *link = node->b; link->next && !c->failed; link = link->next) {
        compile_right(c, link);
        emit(c, CODE_DUP, 0, node);
        emit(c, CODE_ROT3, 0, node);
        compile_link(c, link->op, node);
        emit(c, CODE_IF_FALSE, (uint32_t)cleanup, node);
    }
    Node *last = node->b;
    while (last->next)
        last = last->next;
    compile_right(c, last);
    if (last->op < LINK_IS && !when) {
        emit2(c, CODE_COMPARE_IF_FALSE, last->op, (uint32_t)label, node);
    } else {
        compile_link(c, last->op, node);
        emit(c, when ? CODE_IF_TRUE : CODE_IF_FALSE, (uint32_t)label, node);
    }
    if (node->n > 1) {
        emit(c, CODE_JUMP, (uint32_t)end, node);
        label_here(c, cleanup);
        c->unit->depth++;
        emit(c, CODE_POP, 0, node);
        if (!when)
            emit(c, CODE_JUMP, (uint32_t)label, node);
    }
    label_here(c, end);
}

void compile_jump_if(Compiler *c, Node *node, int label, bool when)
{
    if (!compile_deep(c, node))
        return;
    while (node->kind == E_NOT) {
        node = node->a;
        when = !when;
    }
    if (node->kind == E_COMPARE) {
        compare_jump_if(c, node, label, when);
    } else if (node->kind == E_BOOLEAN) {
        bool jumps_early = (node->op == T_OR) == when;      /* one operand alone decides for the label */
        int end = label_new(c);
        for (Node *item = node->a; item && !c->failed; item = item->next)
            if (item->next && !jumps_early)
                compile_jump_if(c, item, end, !when);
            else
                compile_jump_if(c, item, label, when);
        label_here(c, end);
    } else {
        compile_expr(c, node);
        emit(c, when ? CODE_IF_TRUE : CODE_IF_FALSE, (uint32_t)label, node);
    }
}

static void compile_conditional(Compiler *c, Node *node)
{
    int otherwise = label_new(c), end = label_new(c);
    compile_jump_if(c, node->a, otherwise, false);
    int depth = c->unit->depth;
    compile_expr(c, node->b);
    emit(c, CODE_JUMP, (uint32_t)end, node);
    label_here(c, otherwise);
    c->unit->depth = depth;
    compile_expr(c, node->c);
    label_here(c, end);
}

/* ---- calls ---- */
static bool is_plain_call(const Node *node)
{
    return !has_star(node->b) && node->n <= 4 * AT_ONCE;
}

/* The callee is on the stack; with stars the arguments become a list and a dict. */
static void compile_call_unpacked(Compiler *c, Node *node)
{
    Node *item = node->b;
    uint32_t first = 0;
    for (; item && item->kind != E_STAR && item->kind != E_KEYWORD && item->kind != E_DOUBLE_STAR &&
         first < AT_ONCE;
         item = item->next, first++)
        compile_expr(c, item);
    emit(c, CODE_LIST, first, node);
    bool named = false;
    for (; item && !c->failed; item = item->next) {
        if (item->kind == E_KEYWORD || item->kind == E_DOUBLE_STAR) {
            named = true;
            continue;
        }
        compile_expr(c, item->kind == E_STAR ? item->a : item);
        emit(c, item->kind == E_STAR ? CODE_LIST_EXTEND : CODE_LIST_APPEND, item->kind != E_STAR, item);
    }
    if (named) {
        emit(c, CODE_DICT, 0, node);
        for (item = node->b; item && !c->failed; item = item->next) {
            if (item->kind != E_KEYWORD && item->kind != E_DOUBLE_STAR)
                continue;
            if (item->kind == E_KEYWORD)
                emit_constant(c, constant_string(c, item->name), item);
            compile_expr(c, item->a);
            if (item->kind == E_KEYWORD)
                emit(c, CODE_DICT, 1, item);
            emit(c, CODE_DICT_MERGE, 0, item);
        }
    }
    emit(c, CODE_CALL_EX, named, node);
}

static void compile_call(Compiler *c, Node *node, bool method)
{
    if (!is_plain_call(node)) {
        compile_call_unpacked(c, node);
        return;
    }
    int32_t names[4 * AT_ONCE];
    int n = 0;
    for (Node *item = node->b; item && !c->failed; item = item->next) {
        if (item->kind == E_KEYWORD)
            names[n++] = constant_string(c, item->name);
        compile_expr(c, item->kind == E_KEYWORD ? item->a : item);
    }
    if (c->failed)
        return;
    if (n == 0) {
        emit(c, method ? CODE_CALL_METHOD : CODE_CALL, node->n, node);
        return;
    }
    int tuple = constant_tuple(c, names, n);
    if (tuple >= 0)
        emit2(c, method ? CODE_CALL_METHOD_KW : CODE_CALL_KW, node->n, (uint32_t)constant_local(c, tuple),
              node);
}

/* ---- chains ---- */
static bool is_spine(Compiler *c, const Node *node)
{
    switch (node->kind) {
    case E_UNARY:
        return node->op != UN_NEG || node->a->kind != E_NUMBER || constant_of(c, node) < 0;
    case E_BINARY: case E_NOT: case E_ATTR: case E_ITEM: case E_CALL:
        return true;
    default:
        return false;
    }
}

/* The left side of `node` is on the stack: the rest of it. `call`: the call of which it is the callee, or
 * NULL. */
static void compile_link_of_spine(Compiler *c, Node *node, const Node *call)
{
    switch (node->kind) {
    case E_BINARY:
        compile_expr(c, node->b);
        emit(c, CODE_BINARY, node->op, node);
        break;
    case E_UNARY:
        emit(c, CODE_UNARY, node->op, node);
        break;
    case E_NOT:
        emit(c, CODE_NOT, 0, node);
        break;
    case E_ATTR:
        emit_attr(c, call && is_plain_call(call) ? CODE_METHOD : CODE_ATTR, node->name, node);
        break;
    case E_ITEM:
        compile_expr(c, node->b);
        emit(c, CODE_ITEM, 0, node);
        break;
    default:
        compile_call(c, node, node->a->kind == E_ATTR && is_plain_call(node));
    }
}

static void compile_spine(Compiler *c, Node *node)
{
    size_t base = c->spines;
    for (; is_spine(c, node); node = node->a) {
        if (c->spines == c->spine_capacity) {
            size_t capacity = 2 * c->spine_capacity;
            Node **spine = mem_resize(c->s->heap, c->spine == c->few ? NULL : c->spine, capacity * sizeof *spine);
            if (!spine) {
                compile_memory(c);
                break;
            }
            if (c->spine == c->few)
                memcpy(spine, c->few, sizeof c->few);
            c->spine = spine;
            c->spine_capacity = capacity;
        }
        c->spine[c->spines++] = node;
    }
    if (!c->failed)
        compile_expr(c, node);
    while (c->spines > base && !c->failed) {
        Node *link = c->spine[--c->spines];
        Node *above = c->spines > base ? c->spine[c->spines - 1] : NULL;
        compile_link_of_spine(c, link, above && above->kind == E_CALL ? above : NULL);
    }
    c->spines = base;
}

static void compile_slice(Compiler *c, Node *node)
{
    Node *part[] = { node->a, node->b, node->c };
    for (int i = 0; i < 3; i++)
        if (part[i])
            compile_expr(c, part[i]);
        else
            emit(c, CODE_NONE, 0, node);
    emit(c, CODE_SLICE, 0, node);
}

static void compile_yield(Compiler *c, Node *node)
{
    if (node->a)
        compile_expr(c, node->a);
    else
        emit(c, CODE_NONE, 0, node);
    if (node->kind == E_YIELD) {
        emit(c, CODE_YIELD, 0, node);
        return;
    }
    emit(c, CODE_ITER, 0, node);
    emit(c, CODE_NONE, 0, node);
    emit(c, CODE_YIELD_FROM, 0, node);
}

void compile_expr(Compiler *c, Node *node)
{
    if (c->failed || !compile_deep(c, node))
        return;
    if (is_spine(c, node)) {
        compile_spine(c, node);
        return;
    }
    int number = constant_of(c, node);
    if (number >= 0) {
        emit_constant(c, number, node);
        return;
    }
    switch (node->kind) {
    case E_NAME: name_get(c, node->name, node); break;
    case E_FORMATTED: compile_formatted(c, node); break;
    case E_TUPLE: compile_tuple(c, node); break;
    case E_LIST: compile_list(c, node); break;
    case E_SET: compile_elements(c, node->a, node->n, true, node); break;
    case E_DICT: compile_dict(c, node); break;
    case E_BOOLEAN: compile_boolean(c, node); break;
    case E_COMPARE: compile_compare(c, node); break;
    case E_IF: compile_conditional(c, node); break;
    case E_LAMBDA: compile_lambda(c, node); break;
    case E_SLICE: compile_slice(c, node); break;
    case E_COMPREHENSION: compile_comprehension(c, node); break;
    case E_YIELD: case E_YIELD_FROM: compile_yield(c, node); break;
    case E_STAR: compile_error(c, node, "a starred expression may not stand here"); break;
    default: break;
    }
}

/* ---- targets ---- */
static void compile_unpack(Compiler *c, Node *target)
{
    uint32_t before = 0, after = 0;
    bool star = false;
    for (Node *item = target->a; item; item = item->next) {
        if (item->kind == E_STAR)
            star = true;
        else if (star)
            after++;
        else
            before++;
    }
    if (before > 255 && star)
        compile_error(c, target, "more than 255 targets before a starred one");
    else if (star)
        emit(c, CODE_UNPACK_STAR, before | after << 8, target);
    else
        emit(c, CODE_UNPACK, target->n, target);
    for (Node *item = target->a; item && !c->failed; item = item->next)
        compile_store(c, item->kind == E_STAR ? item->a : item);
}

/* Binds what is on top of the stack. */
void compile_store(Compiler *c, Node *target)
{
    if (c->failed || !compile_deep(c, target))
        return;
    switch (target->kind) {
    case E_NAME:
        name_set(c, target->name, target);
        break;
    case E_ATTR:
        compile_expr(c, target->a);
        emit_attr(c, CODE_SET_ATTR, target->name, target);
        break;
    case E_ITEM:
        compile_expr(c, target->a);
        compile_expr(c, target->b);
        emit(c, CODE_SET_ITEM, 0, target);
        break;
    default:
        compile_unpack(c, target);
    }
}
