/*
 * compile_function.c - what has code of its own: functions, lambdas, classes, comprehensions.
 */
#include <stdio.h>
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

/* Slots of the parameters, in the order that Code.local asks for. */
static void place_params(Compiler *c, Node *params, Code *counts)
{
    static const uint8_t order[] = { PARAM_POSITIONAL_ONLY, PARAM_PLAIN, PARAM_KEYWORD_ONLY, PARAM_STAR,
                                     PARAM_DOUBLE_STAR };
    Unit *u = c->unit;
    for (size_t k = 0; k < sizeof order; k++)
        for (Node *param = params->a; param && !c->failed; param = param->next) {
            if (param->op != order[k] || !compile_room(c, &u->local, u->locals, &u->local_capacity,
                                                       sizeof *u->local))
                continue;
            Symbol *symbol = scope_find(u->scope, param->name);
            if (symbol->where == WHERE_LOCAL)
                symbol->slot = u->locals;
            u->local[u->locals++] = symbol;
            counts->positional_only += param->op == PARAM_POSITIONAL_ONLY;
            counts->positional += param->op <= PARAM_PLAIN;
            counts->keyword_only += param->op == PARAM_KEYWORD_ONLY;
            counts->flags |= param->op == PARAM_STAR ? CODE_VARARGS : param->op == PARAM_DOUBLE_STAR
                ? CODE_VARKEYWORDS : 0;
        }
}

/* The code of the unit, done, as a constant of the unit around it; -1: failed. */
static int leave(Compiler *c, const Code *counts, const Node *at)
{
    Code *code = unit_leave(c, at);
    if (!code)
        return -1;
    code->positional_only = counts->positional_only;
    code->positional = counts->positional;
    code->keyword_only = counts->keyword_only;
    code->flags |= counts->flags;
    int number = constant_take(c, value_object_take(code));
    return number < 0 ? -1 : constant_local(c, number);
}

/* The cells that the code inside wants, as a tuple. Answers the bit for FUNCTION. */
static uint32_t compile_closure(Compiler *c, Scope *inner, const Node *at)
{
    uint32_t n = 0;
    for (int k = inner->cells; k < inner->cells + inner->frees && !c->failed; k++)
        for (Symbol *it = inner->first; it; it = it->next) {
            bool wanted = it->where == WHERE_FREE || it->passed;
            if (!wanted || it->slot != k)
                continue;
            Symbol *here = scope_find(c->unit->scope, it->name);
            emit(c, CODE_CLOSURE, here ? (uint32_t)here->slot : 0, at);
            n++;
            break;
        }
    if (n > 0)
        emit(c, CODE_TUPLE, n, at);
    return n > 0 ? 8 : 0;
}

void compile_annotation(Compiler *c, Node *node)
{
    if (!c->future_annotations) {
        compile_expr(c, node);
        return;
    }
    Name *text = tree_name(c->tree, c->text->text + node->start, node->end - node->start);
    if (text)
        emit_constant(c, constant_string(c, text), node);
    else
        compile_memory(c);
}

/* Defaults and annotations, evaluated where the function is made. Answers the bits for FUNCTION. */
static uint32_t compile_defaults(Compiler *c, Node *params, Node *returns, bool annotations)
{
    uint32_t plain = 0, named = 0, noted = 0;
    for (Node *param = params->a; param && !c->failed; param = param->next)
        if (param->a && param->op <= PARAM_PLAIN) {
            compile_expr(c, param->a);
            plain++;
        }
    if (plain)
        emit(c, CODE_TUPLE, plain, params);
    for (Node *param = params->a; param && !c->failed; param = param->next)
        if (param->a && param->op > PARAM_PLAIN) {
            emit_constant(c, constant_string(c, param->name), param);
            compile_expr(c, param->a);
            named++;
        }
    if (named)
        emit(c, CODE_DICT, named, params);
    for (Node *param = params->a; annotations && param && !c->failed; param = param->next)
        if (param->b) {
            emit_constant(c, constant_string(c, param->name), param);
            compile_annotation(c, param->b);
            noted++;
        }
    if (returns && !c->failed) {
        Name *name = tree_name(c->tree, "return", 6);
        if (name)
            emit_constant(c, constant_string(c, name), returns);
        else
            compile_memory(c);
        compile_annotation(c, returns);
        noted++;
    }
    if (noted)
        emit(c, CODE_DICT, noted, params);
    return (plain ? 1u : 0) | (named ? 2u : 0) | (noted ? 4u : 0);
}

static Node *last_of(Node *list)
{
    while (list->next)
        list = list->next;
    return list;
}

void compile_lambda(Compiler *c, Node *node)
{
    Unit unit;
    Code counts = { 0 };
    uint32_t bits = compile_defaults(c, node->a, NULL, false);
    if (c->failed)
        return;
    if (unit_enter(c, &unit, node->scope, "<lambda>")) {
        place_params(c, node->a, &counts);
        compile_expr(c, node->b);
        emit(c, CODE_RETURN, 0, node->b);
    }
    int code = leave(c, &counts, node);
    if (code < 0)
        return;
    bits |= compile_closure(c, node->scope, node);
    emit2(c, CODE_FUNCTION, (uint32_t)code, bits, node);
}

/* A docstring at the beginning of a body: answers what comes after it. */
static Node *take_doc(Node *body, Name **doc)
{
    if (body->kind == S_EXPRESSION && body->a->kind == E_STRING && !body->a->op) {
        *doc = body->a->name;
        return body->next;
    }
    return body;
}

/* Evaluated before what they decorate, called after it from the last to the first. */
static uint32_t compile_decorators(Compiler *c, Node *list)
{
    uint32_t n = 0;
    for (Node *decorator = list; decorator && !c->failed; decorator = decorator->next, n++)
        compile_expr(c, decorator);
    return n;
}

void compile_def(Compiler *c, Node *node)
{
    Unit unit;
    Code counts = { 0 };
    uint32_t decorators = compile_decorators(c, node->d);
    Node line = { .kind = E_NAME, .start = node->f->start, .end = node->f->end };
    uint32_t bits = compile_defaults(c, node->a, node->e, true);
    if (c->failed)
        return;
    if (unit_enter(c, &unit, node->scope, node->name->s)) {
        place_params(c, node->a, &counts);
        Node *body = take_doc(node->b, &unit.doc);
        compile_statements(c, body);
        Node *last = last_of(node->b);
        emit(c, CODE_NONE, 0, last);
        emit(c, CODE_RETURN, 0, last);
    }
    int code = leave(c, &counts, &line);
    if (code < 0)
        return;
    bits |= compile_closure(c, node->scope, &line);
    emit2(c, CODE_FUNCTION, (uint32_t)code, bits, &line);
    for (uint32_t i = 0; i < decorators; i++)
        emit(c, CODE_CALL, 1, node->d);
    name_set(c, node->name, &line);
}

/* Does the body of a class annotate names? (not: of what is inside it) */
static bool annotates(const Node *list)
{
    for (; list; list = list->next)
        if (list->kind == S_ANNOTATED && list->n)
            return true;
    return false;
}

void compile_class(Compiler *c, Node *node)
{
    Unit unit;
    Code counts = { 0 };
    uint32_t decorators = compile_decorators(c, node->d);
    Node line = { .kind = E_NAME, .start = node->f->start, .end = node->f->end };
    Node bases = { .kind = E_TUPLE, .start = node->f->start, .end = node->a ? last_of(node->a)->end
                   : node->f->end,
                   .n = node->n, .a = node->a };
    compile_expr(c, &bases);
    if (c->failed)
        return;
    if (unit_enter(c, &unit, node->scope, node->name->s)) {
        Name *doc = NULL, *word;
        Node *body = take_doc(node->b, &doc);
        if (doc && (word = tree_name(c->tree, "__doc__", 7))) {
            emit_constant(c, constant_string(c, doc), node->b);
            emit(c, CODE_SET_CLASS_NAME, (uint32_t)name_index(c, word), node->b);
        }
        if (annotates(body) && (word = tree_name(c->tree, "__annotations__", 15))) {
            emit(c, CODE_DICT, 0, &line);
            emit(c, CODE_SET_CLASS_NAME, (uint32_t)name_index(c, word), &line);
        }
        compile_statements(c, body);
        Node *last = last_of(node->b);
        Symbol *cell = node->scope->class_cell ? scope_find(node->scope, compile_name(c, NAME_CLASS)) : NULL;
        if (cell)
            emit(c, CODE_CLOSURE, (uint32_t)cell->slot, last);
        else
            emit(c, CODE_NONE, 0, last);
        emit(c, CODE_RETURN, 0, last);
    }
    int code = leave(c, &counts, &line);
    if (code < 0)
        return;
    uint32_t bits = compile_closure(c, node->scope, &line);
    emit2(c, CODE_FUNCTION, (uint32_t)code, bits, &line);
    emit2(c, CODE_BUILD_CLASS, (uint32_t)constant_local(c, constant_string(c, node->name)), 0, &line);
    for (uint32_t i = 0; i < decorators; i++)
        emit(c, CODE_CALL, 1, node->d);
    name_set(c, node->name, &line);
}

/* ---- comprehensions ---- */
/* The loops from `loop` inwards, and in the innermost the element. */
static void compile_loops(Compiler *c, Node *node, Node *loop, uint32_t depth)
{
    if (!compile_deep(c, loop))
        return;
    int top = label_new(c), skip = label_new(c), end = label_new(c);
    if (loop == node->b) {
        emit(c, CODE_LOCAL, 0, loop->b);
    } else {
        compile_expr(c, loop->b);
        emit(c, CODE_ITER, 0, loop->b);
    }
    label_here(c, top);
    int before = c->unit->depth - 1;
    emit(c, CODE_FOR, (uint32_t)end, loop->b);
    compile_store(c, loop->a);
    for (Node *condition = loop->c; condition && !c->failed; condition = condition->next)
        compile_jump_if(c, condition, skip, false);
    if (loop->next) {
        compile_loops(c, node, loop->next, depth + 1);
    } else if (node->op == COMP_DICT) {
        compile_expr(c, node->a->a);
        compile_expr(c, node->a->b);
        emit(c, CODE_DICT_ADD, depth + 1, node->a);
    } else {
        compile_expr(c, node->a);
        if (node->op == COMP_GENERATOR) {
            emit(c, CODE_YIELD, 0, node->a);
            emit(c, CODE_POP, 0, node->a);
        } else {
            emit(c, node->op == COMP_SET ? CODE_SET_ADD : CODE_LIST_APPEND, depth + 1, node->a);
        }
    }
    label_here(c, skip);
    emit(c, CODE_JUMP_BACK, (uint32_t)top, loop->b);
    label_here(c, end);
    c->unit->depth = before;
}

void compile_comprehension(Compiler *c, Node *node)
{
    static const char *const names[] = { "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>" };
    static const Opcode makes[] = { CODE_LIST, CODE_SET, CODE_DICT, CODE_NONE };
    Unit unit;
    Code counts = { .positional = 1, .positional_only = 1 };
    if (unit_enter(c, &unit, node->scope, names[node->op])) {
        Symbol *iterable = scope_find(node->scope, compile_name(c, NAME_ITERABLE));
        if (compile_room(c, &unit.local, 0, &unit.local_capacity, sizeof *unit.local)) {
            unit.local[unit.locals++] = iterable;
            iterable->slot = 0;
        }
        if (node->op != COMP_GENERATOR)
            emit(c, makes[node->op], 0, node);
        compile_loops(c, node, node->b, 1);
        if (node->op == COMP_GENERATOR)
            emit(c, CODE_NONE, 0, node);
        emit(c, CODE_RETURN, 0, node);
    }
    int code = leave(c, &counts, node);
    if (code < 0)
        return;
    uint32_t bits = compile_closure(c, node->scope, node);
    emit2(c, CODE_FUNCTION, (uint32_t)code, bits, node);
    compile_expr(c, node->b->b);
    emit(c, CODE_ITER, 0, node->b->b);
    emit(c, CODE_CALL, 1, node);
}
