/*
 * compile.c - statements to instructions; the door to parser and compiler.
 */
#include "lang/run/state.h"
#include <string.h>
#include "lang/syntax/compile.h"
#include "lang/syntax/parse.h"

/* ---- simple statements ---- */
static void compile_assign(Compiler *c, Node *node)
{
    Node *target = node->a, *value = node->b;
    bool swap = target->kind == E_TUPLE && !target->next && value->kind == E_TUPLE && target->n == value->n &&
                (value->n == 2 || value->n == 3) && constant_of(c, value) < 0;
    for (Node *a = target->a, *b = value->a; swap && a; a = a->next, b = b->next)
        swap = a->kind != E_STAR && b->kind != E_STAR;
    if (swap) {                         /* p, q = q, p without a tuple */
        for (Node *item = value->a; item && !c->failed; item = item->next)
            compile_expr(c, item);
        if (value->n == 3)
            emit(c, CODE_ROT3, 0, target);
        emit(c, CODE_SWAP, 0, target);
        for (Node *item = target->a; item && !c->failed; item = item->next)
            compile_store(c, item);
        return;
    }
    compile_expr(c, value);
    for (; target && !c->failed; target = target->next) {
        if (target->next)
            emit(c, CODE_DUP, 0, target);
        compile_store(c, target);
    }
}

static void compile_augmented(Compiler *c, Node *node)
{
    Node *target = node->a;
    if (target->kind == E_NAME) {
        name_get(c, target->name, target);
    } else {
        compile_expr(c, target->a);
        if (target->kind == E_ATTR) {
            emit(c, CODE_DUP, 0, target);
            emit_attr(c, CODE_ATTR, target->name, target);
        } else {
            compile_expr(c, target->b);
            emit(c, CODE_DUP2, 0, target);
            emit(c, CODE_ITEM, 0, target);
        }
    }
    compile_expr(c, node->b);
    emit(c, CODE_INPLACE, node->op, node);
    if (target->kind == E_NAME) {
        name_set(c, target->name, target);
    } else if (target->kind == E_ATTR) {
        emit(c, CODE_SWAP, 0, target);
        emit_attr(c, CODE_SET_ATTR, target->name, target);
    } else {
        emit(c, CODE_ROT3, 0, target);
        emit(c, CODE_SET_ITEM, 0, target);
    }
}

static void compile_annotated(Compiler *c, Node *node)
{
    Scope *scope = c->unit->scope;
    if (node->d) {
        compile_expr(c, node->d);
        compile_store(c, node->a);
    }
    if (scope->kind == SCOPE_FUNCTION || (c->future_annotations && scope->kind != SCOPE_CLASS))
        return;
    compile_annotation(c, node->b);
    Name *all = scope->kind == SCOPE_CLASS && node->n ? tree_name(c->tree, "__annotations__", 15) : NULL;
    if (!all) {
        emit(c, CODE_POP, 0, node->b);
        return;
    }
    emit2(c, CODE_CLASS_NAME, (uint32_t)name_index(c, all), 0, node->b);
    emit_constant(c, constant_string(c, node->a->name), node->a);
    emit(c, CODE_SET_ITEM, 0, node->b);
}

static void compile_del(Compiler *c, Node *list)
{
    for (Node *target = list; target && !c->failed; target = target->next)
        switch (target->kind) {
        case E_NAME:
            name_del(c, target->name, target);
            break;
        case E_ATTR:
            compile_expr(c, target->a);
            emit_attr(c, CODE_DEL_ATTR, target->name, target);
            break;
        case E_ITEM:
            compile_expr(c, target->a);
            compile_expr(c, target->b);
            emit(c, CODE_DEL_ITEM, 0, target);
            break;
        default:
            if (compile_deep(c, target))
                compile_del(c, target->a);
        }
}

static void compile_import(Compiler *c, Node *node)
{
    for (Node *alias = node->a; alias && !c->failed; alias = alias->next) {
        uint32_t name = (uint32_t)name_index(c, alias->name);
        if (alias->a) {
            emit(c, CODE_IMPORT_LEAF, name, alias);
            name_set(c, alias->a->name, alias->a);
            continue;
        }
        const char *dot = strchr(alias->name->s, '.');
        Name *root = tree_name(c->tree, alias->name->s, dot ? (size_t)(dot - alias->name->s)
                               : alias->name->n);
        emit(c, CODE_IMPORT, name, alias);
        if (root)
            name_set(c, root, alias);
        else
            compile_memory(c);
    }
}

static void compile_from(Compiler *c, Node *node)
{
    if (!strcmp(node->name->s, "__future__"))           /* the parser has read it: nothing happens when it runs */
        return;
    emit(c, CODE_IMPORT_LEAF, (uint32_t)name_index(c, node->name), node);
    if (!node->a) {
        if (c->unit->scope->kind != SCOPE_MODULE)
            compile_error(c, node, "'import *' is allowed only outside of functions and classes");
        emit(c, CODE_IMPORT_STAR, 0, node);
        return;
    }
    for (Node *alias = node->a; alias && !c->failed; alias = alias->next) {
        emit(c, CODE_IMPORT_FROM, (uint32_t)name_index(c, alias->name), alias);
        name_set(c, alias->a ? alias->a->name : alias->name, alias->a ? alias->a : alias);
    }
    emit(c, CODE_POP, 0, node);
}

static void compile_if(Compiler *c, Node *node)
{
    int end = label_new(c);
    for (; node && !c->failed; node = node->d) {
        int otherwise = node->d ? label_new(c) : end;
        compile_jump_if(c, node->a, otherwise, false);
        compile_statements(c, node->b);
        if (!node->d)
            break;
        emit(c, CODE_JUMP, (uint32_t)end, node);
        label_here(c, otherwise);
        if (node->d->kind != S_IF || !node->d->n) {
            compile_statements(c, node->d);
            break;
        }
    }
    label_here(c, end);
}

static void compile_assert(Compiler *c, Node *node)
{
    int end = label_new(c), depth = c->unit->depth;
    compile_jump_if(c, node->a, end, true);
    if (node->b)
        compile_expr(c, node->b);
    emit(c, CODE_ASSERTION, node->b != NULL, node);
    label_here(c, end);
    c->unit->depth = depth;
}

/* An expression as a statement inside a block or function: shown at a prompt, as Python's does, else
 * dropped. */
static void compile_value(Compiler *c, Node *node)
{
    bool module = c->unit->scope->kind == SCOPE_MODULE;
    if (!module && constant_of(c, node->a) >= 0)
        return;
    compile_expr(c, node->a);
    if (module && c->mode == COMPILE_PROMPT)
        emit(c, CODE_RESULT, 1, node->a);
    else
        emit(c, CODE_POP, 0, node->a);
}

static void compile_statement(Compiler *c, Node *node)
{
    switch (node->kind) {
    case S_EXPRESSION: compile_value(c, node); break;
    case S_ASSIGN: compile_assign(c, node); break;
    case S_AUGMENTED: compile_augmented(c, node); break;
    case S_ANNOTATED: compile_annotated(c, node); break;
    case S_RETURN: case S_BREAK: case S_CONTINUE: compile_leave(c, node); break;
    case S_DEL: compile_del(c, node->a); break;
    case S_RAISE:
        if (node->a)
            compile_expr(c, node->a);
        if (node->b)
            compile_expr(c, node->b);
        emit(c, CODE_RAISE, (node->a != NULL) + (node->b != NULL), node);
        break;
    case S_ASSERT: compile_assert(c, node); break;
    case S_IMPORT: compile_import(c, node); break;
    case S_FROM: compile_from(c, node); break;
    case S_IF: compile_if(c, node); break;
    case S_WHILE: compile_while(c, node); break;
    case S_FOR: compile_for(c, node); break;
    case S_TRY: compile_try(c, node); break;
    case S_WITH: compile_with(c, node, node->a); break;
    case S_DEF: compile_def(c, node); break;
    case S_CLASS: compile_class(c, node); break;
    case S_COMMAND: emit(c, CODE_COMMAND, (uint32_t)constant_local(c, constant_string(c, node->name)),
                         node); break;
    default: break;                     /* pass, global, nonlocal */
    }
}

void compile_statements(Compiler *c, Node *list)
{
    if (!list || !compile_deep(c, list))
        return;
    for (; list && !c->failed; list = list->next)
        compile_statement(c, list);
}

/* ---- a whole source ---- */
static void compile_module(Compiler *c, Node *list)
{
    for (Node *node = list; node && !c->failed; node = node->next) {
        if (node->kind == S_COMMAND) {
            compile_statement(c, node);
            continue;
        }
        bool compound = node->kind >= S_IF && node->kind <= S_CLASS && node->kind != S_EXCEPT;
        bool expression = node->kind == S_EXPRESSION;
        bool echo = expression && (c->mode == COMPILE_PROMPT || (c->mode == COMPILE_CELL && !node->next &&
                                                                 !node->n));
        emit(c, CODE_STATEMENT, (uint32_t)compound | (uint32_t)expression << 1 | (uint32_t)echo << 2, node);
        if (expression) {
            compile_expr(c, node->a);
            emit(c, CODE_RESULT, 0, node->a);
        } else {
            compile_statement(c, node);
        }
        emit(c, CODE_STATEMENT_END, 0, node);
    }
}

/* The names of a library's module with what they hold. */
static void compile_library(Compiler *c, Node *list, const Node *whole)
{
    uint32_t n = 0;
    compile_statements(c, list);
    for (Symbol *it = c->unit->scope->first; it && !c->failed; it = it->next)
        if (it->bound) {
            emit_constant(c, constant_string(c, it->name), whole);
            name_get(c, it->name, whole);
            n++;
        }
    emit(c, CODE_DICT, n, whole);
}

static Code *compile_tree(Compiler *c, Node *list)
{
    Unit unit;
    Node whole = { .start = 0, .end = 0 };
    Scope *scope = scope_analyse(c, list);
    if (!scope)
        return NULL;
    if (unit_enter(c, &unit, scope, "<module>")) {
        if (c->mode != COMPILE_EXPRESSION && list && list->kind == S_EXPRESSION && list->a->kind == E_STRING && !list->a->op)
            unit.doc = list->a->name;
        if (c->mode == COMPILE_EXPRESSION) {
            compile_expr(c, list);
        } else if (c->mode == COMPILE_LIBRARY) {
            compile_library(c, list, &whole);
        } else {
            compile_module(c, list);
            emit(c, CODE_NONE, 0, &whole);
        }
        emit(c, CODE_RETURN, 0, c->mode == COMPILE_EXPRESSION ? list : &whole);
    }
    return unit_leave(c, &whole);
}

Code *compile_source(Session *s, int source, CompileMode mode, Place *where, Err *err)
{
    Tree tree;
    const Source *text = source_get(s, source);
    *where = (Place){ .source = source };
    tree_init(&tree, s->heap);
    Parser parser;
    parser.s = s;
    parser.tree = &tree;
    parser.mode = mode;
    parser.err = err;
    Compiler c = { .s = s, .tree = &tree, .text = text, .source = source, .mode = mode, .err = err };
    c.spine = c.few;
    c.spine_capacity = sizeof c.few / sizeof *c.few;
    bool empty = false;
    Node *list = parse(&parser, text->text, text->size, &empty);
    c.future_annotations = parser.future_annotations;
    c.error_start = parser.error_start;
    c.error_end = parser.error_end;
    Code *code = NULL;
    if (list || empty) {
        err->kind = ERR_NONE;
        code = compile_tree(&c, list);
    }
    if (!code)
        *where = source_place(text, source, c.error_start, c.error_end);
    compiler_close(&c);
    tree_free(&tree);
    return code;
}

/* ---- is it whole? ---- */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

/* Does the text end with an empty line (which ends a block at a prompt)? */
static bool ends_blank(const char *text, size_t n)
{
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    if (n == 0 || text[n - 1] != '\n')
        return false;
    for (n--; n > 0 && is_blank(text[n - 1]); )
        n--;
    return n == 0 || text[n - 1] == '\n';
}

/* The columns that the line after the last one should begin with. */
static int next_indent(const char *text, size_t n)
{
    while (n > 0 && (is_blank(text[n - 1]) || text[n - 1] == '\n'))
        n--;
    size_t start = n;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    int column = 0;
    size_t i = start;
    for (; i < n && is_blank(text[i]); i++)
        column += text[i] == '\t' ? 8 - column % 8 : 1;
    if (n > start && text[n - 1] == ':')
        return column + 4;
    static const char *const leaves[] = { "return", "pass", "break", "continue", "raise" };
    for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
        size_t size = strlen(leaves[k]);
        if (n - i >= size && memcmp(text + i, leaves[k], size) == 0 &&
            (n - i == size || is_blank(text[i + size])))
            return column >= 4 ? column - 4 : 0;
    }
    return column;
}

static bool is_compound(const Node *list)
{
    while (list && list->next)
        list = list->next;
    return list && list->kind >= S_IF && list->kind <= S_CLASS;
}

Completeness syntax_check(Session *s, const char *utf8, size_t n, int *indent)
{
    Err err = { .kind = ERR_NONE };
    Tree tree;
    size_t size, bad;
    *indent = 0;
    char *text = source_fits(n, &err) ? mem_new(s->heap, n + 1) : NULL;
    if (!text || !source_normalise(utf8, n, text, &size, &bad, &err)) {
        mem_free(s->heap, text);
        return INPUT_INVALID;
    }
    Completeness answer = INPUT_INVALID;
    tree_init(&tree, s->heap);
    Parser p;
    p.s = s;
    p.tree = &tree;
    p.mode = COMPILE_PROMPT;
    p.err = &err;
    bool empty;
    Node *list = parse(&p, text, size, &empty);
    bool open = p.incomplete && err.kind == ERR_SYNTAX && p.lexer.incomplete;   /* a bracket or string: blank lines do not end it */
    if (list || empty)
        answer = is_compound(list) && !ends_blank(text, size) ? INPUT_INCOMPLETE : INPUT_COMPLETE;
    else if (p.incomplete)
        answer = open || !ends_blank(text, size) ? INPUT_INCOMPLETE : INPUT_INVALID;
    if (answer == INPUT_INCOMPLETE)
        *indent = open ? 0 : next_indent(text, size);
    tree_free(&tree);
    mem_free(s->heap, text);
    return answer;
}
