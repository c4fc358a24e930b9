/*
 * compile_block.c - loops, try, with, and the ways out of them.
 * A return, break or continue undoes what lies between it and its goal: it drops iterators, calls __exit__,
 * runs a copy
 * of each finally. While that is written, the handlers of what has been undone are closed.
 */
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

static void push(Compiler *c, Block *block, BlockKind kind, Node *node)
{
    *block = (Block){ .outer = c->unit->block, .kind = kind, .node = node };
    c->unit->block = block;
}

static void pop(Compiler *c)
{
    handler_close(c, c->unit->block);
    c->unit->block = c->unit->block->outer;
}

static void set_depth(Compiler *c, int depth)
{
    c->unit->depth = depth;
    if (depth > c->unit->deepest)
        c->unit->deepest = depth;
}

/* ---- ways out ---- */
/* `except … as name`: the name goes at the end, however it is left. */
static void forget(Compiler *c, Node *name)
{
    emit(c, CODE_NONE, 0, name);
    name_set(c, name->name, name);
    name_del(c, name->name, name);
}

/* keep: a value on top of the stack must survive. */
static void undo(Compiler *c, Block *block, bool keep, const Node *at)
{
    switch (block->kind) {
    case BLOCK_WHILE: case BLOCK_TRY: case BLOCK_REGION:
        return;
    case BLOCK_FINALLY: {
        Block value;
        if (keep)
            push(c, &value, BLOCK_VALUE, NULL);
        compile_statements(c, block->node);
        if (keep)
            pop(c);
        return;
    }
    case BLOCK_HANDLER:
        handler_close(c, block->outer);         /* its region: the handled exception is gone from here on */
        if (keep)
            emit(c, CODE_SWAP, 0, at);
        emit(c, CODE_LEAVE_HANDLER, 0, at);
        if (block->node)
            forget(c, block->node);
        return;
    default:
        if (keep)
            emit(c, CODE_SWAP, 0, at);
        emit(c, block->kind == BLOCK_WITH ? CODE_WITH_END : CODE_POP, 0, block->kind == BLOCK_WITH
             ? block->node : at);
        if (block->kind != BLOCK_FINALLY_END)
            return;
        if (keep)
            emit(c, CODE_SWAP, 0, at);
        emit(c, CODE_LEAVE_HANDLER, 0, at);
    }
}

static bool is_loop(const Block *block)
{
    return block->kind == BLOCK_FOR || block->kind == BLOCK_WHILE;
}

void compile_leave(Compiler *c, Node *node)
{
    Unit *u = c->unit;
    Block *inner = u->block, *goal = NULL;
    const char *word = node->kind == S_BREAK ? "break" : "continue";
    if (!compile_deep(c, node))
        return;
    if (node->kind == S_RETURN) {
        if (u->scope->kind != SCOPE_FUNCTION) {
            compile_error(c, node, "'return' outside of a function");
            return;
        }
        if (node->a)
            compile_expr(c, node->a);
        else
            emit(c, CODE_NONE, 0, node);
    } else {
        for (goal = inner; goal && !is_loop(goal); )
            goal = goal->outer;
        if (!goal) {
            compile_error(c, node, "'%s' outside of a loop", word);
            return;
        }
    }
    int depth = u->depth;
    for (Block *block = inner; block != goal && !c->failed; block = block->outer) {
        handler_close(c, block);
        u->block = block->outer;
        undo(c, block, node->kind == S_RETURN, node);
    }
    if (node->kind == S_RETURN) {
        emit(c, CODE_RETURN, 0, node);
    } else if (node->kind == S_BREAK) {
        if (goal->kind == BLOCK_FOR)
            emit(c, CODE_POP, 0, node);
        emit(c, CODE_JUMP, (uint32_t)goal->on_break, node);
    } else {
        emit(c, CODE_JUMP_BACK, (uint32_t)goal->on_continue, node);
    }
    u->depth = node->kind == S_RETURN ? depth - 1 : depth;
    u->block = inner;
    for (Block *block = inner; block != goal; block = block->outer)
        if (block->guarded) {
            block->open = true;
            block->start = u->size;
        }
}

/* ---- loops ---- */
static bool always_true(Compiler *c, Node *node)
{
    int number = node->kind == E_CONSTANT || node->kind == E_NUMBER ? constant_of(c, node) : -1;
    if (number < 0)
        return false;
    Value v = c->constant[number];
    return (value_tag(v) == V_BOOL && v.b) || (value_tag(v) == V_INT && v.i != 0);
}

void compile_while(Compiler *c, Node *node)
{
    Block loop;
    int otherwise = label_new(c), end = label_new(c), top = label_new(c);
    push(c, &loop, BLOCK_WHILE, NULL);
    loop.on_break = end;
    loop.on_continue = top;
    label_here(c, top);
    if (!always_true(c, node->a))
        compile_jump_if(c, node->a, otherwise, false);
    compile_statements(c, node->b);
    emit(c, CODE_JUMP_BACK, (uint32_t)top, node->a);
    pop(c);
    label_here(c, otherwise);
    compile_statements(c, node->d);
    label_here(c, end);
}

void compile_for(Compiler *c, Node *node)
{
    Block loop;
    int otherwise = label_new(c), end = label_new(c), top = label_new(c), depth = c->unit->depth;
    Node constant = { .kind = E_TUPLE, .start = node->b->start, .end = node->b->end, .n = node->b->n, .a =
                      node->b->a };
    int number = node->b->kind == E_LIST && node->b->n > 0 ? constant_of(c, &constant) : -1;
    if (number >= 0)                    /* a list that nobody sees */
        emit_constant(c, number, node->b);
    else
        compile_expr(c, node->b);
    emit(c, CODE_ITER, 0, node->b);
    push(c, &loop, BLOCK_FOR, NULL);
    loop.on_break = end;
    loop.on_continue = top;
    label_here(c, top);
    emit(c, CODE_FOR, (uint32_t)otherwise, node->b);
    compile_store(c, node->a);
    compile_statements(c, node->e);
    emit(c, CODE_JUMP_BACK, (uint32_t)top, node->b);
    pop(c);
    label_here(c, otherwise);
    c->unit->depth = depth;
    compile_statements(c, node->d);
    label_here(c, end);
}

/* ---- errors ---- */
/* An error inside a handler: the one that was handled before is back, then the new one goes on. Stack:
 * previous, error. */
static void pass_on(Compiler *c, int label, int depth, const Node *at)
{
    label_here(c, label);
    set_depth(c, depth);
    emit(c, CODE_SWAP, 0, at);
    emit(c, CODE_LEAVE_HANDLER, 0, at);
    emit(c, CODE_RERAISE, 0, at);
}

static void compile_handler(Compiler *c, Node *handler, Block *region, int end, int depth)
{
    Block block;
    int next = label_new(c), cleanup = label_new(c);
    if (handler->a) {
        compile_expr(c, handler->a);
        emit(c, CODE_EXCEPTION_MATCH, 0, handler->a);
        emit(c, CODE_IF_FALSE, (uint32_t)next, handler->a);
    }
    if (handler->d)
        name_set(c, handler->d->name, handler->d);
    else
        emit(c, CODE_POP, 0, handler);
    push(c, &block, BLOCK_HANDLER, handler->d);
    if (handler->d)
        handler_open(c, &block, cleanup, depth + 1);
    compile_statements(c, handler->b);
    pop(c);
    handler_close(c, region);
    emit(c, CODE_LEAVE_HANDLER, 0, handler);
    if (handler->d)
        forget(c, handler->d);
    emit(c, CODE_JUMP, (uint32_t)end, handler);
    handler_open(c, region, region->handler, region->depth);
    if (handler->d) {
        label_here(c, cleanup);
        set_depth(c, depth + 2);
        forget(c, handler->d);
        emit(c, CODE_RERAISE, 0, handler);
    }
    label_here(c, next);
    set_depth(c, depth + 2);
}

static void compile_try_except(Compiler *c, Node *node)
{
    Block body, region;
    int caught = label_new(c), cleanup = label_new(c), end = label_new(c), depth = c->unit->depth;
    push(c, &body, BLOCK_TRY, NULL);
    handler_open(c, &body, caught, depth);
    compile_statements(c, node->b);
    pop(c);
    compile_statements(c, node->d);
    emit(c, CODE_JUMP, (uint32_t)end, node);
    label_here(c, caught);
    set_depth(c, depth + 1);
    emit(c, CODE_ENTER_HANDLER, 0, node->a);
    push(c, &region, BLOCK_REGION, NULL);
    handler_open(c, &region, cleanup, depth + 1);
    bool bare = false;
    for (Node *handler = node->a; handler && !c->failed; handler = handler->next) {
        compile_handler(c, handler, &region, end, depth);
        bare = !handler->a;
    }
    if (!bare)
        emit(c, CODE_RERAISE, 0, node->a);
    pop(c);
    pass_on(c, cleanup, depth + 2, node->a);
    label_here(c, end);
    c->unit->depth = depth;
}

void compile_try(Compiler *c, Node *node)
{
    if (!node->e) {
        compile_try_except(c, node);
        return;
    }
    Block body, region;
    int caught = label_new(c), cleanup = label_new(c), end = label_new(c), depth = c->unit->depth;
    push(c, &body, BLOCK_FINALLY, node->e);
    handler_open(c, &body, caught, depth);
    if (node->a)
        compile_try_except(c, node);
    else
        compile_statements(c, node->b);
    pop(c);
    compile_statements(c, node->e);
    emit(c, CODE_JUMP, (uint32_t)end, node->e);
    label_here(c, caught);
    set_depth(c, depth + 1);
    emit(c, CODE_ENTER_HANDLER, 0, node->e);
    push(c, &region, BLOCK_FINALLY_END, NULL);
    handler_open(c, &region, cleanup, depth + 1);
    compile_statements(c, node->e);
    emit(c, CODE_RERAISE, 0, node->e);
    pop(c);
    pass_on(c, cleanup, depth + 2, node->e);
    label_here(c, end);
    c->unit->depth = depth;
}

void compile_with(Compiler *c, Node *node, Node *item)
{
    if (!item) {
        compile_statements(c, node->b);
        return;
    }
    if (!compile_deep(c, item))
        return;
    Block body, region;
    int caught = label_new(c), cleanup = label_new(c), swallowed = label_new(c), end = label_new(c), depth =
        c->unit->depth;
    compile_expr(c, item->a);
    emit(c, CODE_WITH, 0, item->a);
    push(c, &body, BLOCK_WITH, item->a);
    handler_open(c, &body, caught, depth + 1);
    if (item->b)
        compile_store(c, item->b);
    else
        emit(c, CODE_POP, 0, item->a);
    compile_with(c, node, item->next);
    pop(c);
    emit(c, CODE_WITH_END, 0, item->a);
    emit(c, CODE_JUMP, (uint32_t)end, item->a);
    label_here(c, caught);
    set_depth(c, depth + 2);
    emit(c, CODE_ENTER_HANDLER, 0, item->a);
    push(c, &region, BLOCK_REGION, NULL);
    handler_open(c, &region, cleanup, depth + 2);
    emit(c, CODE_WITH_ERROR, 0, item->a);
    emit(c, CODE_IF_TRUE, (uint32_t)swallowed, item->a);
    emit(c, CODE_RERAISE, 0, item->a);
    pop(c);
    pass_on(c, cleanup, depth + 3, item->a);
    label_here(c, swallowed);
    set_depth(c, depth + 3);
    emit(c, CODE_POP, 0, item->a);
    emit(c, CODE_LEAVE_HANDLER, 0, item->a);
    emit(c, CODE_POP, 0, item->a);
    label_here(c, end);
    c->unit->depth = depth;
}
