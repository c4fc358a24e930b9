/*
 * scope.c - names become variables, in two walks over the tree: the first notes in each scope what is bound
 * and used,
 * the second looks outwards for what is used and not bound.
 */
#include "lang/syntax/scope.h"
#include <string.h>
#include "lang/run/state.h"
#include "lang/syntax/compile.h"

static void visit(Compiler *c, Scope *scope, Node *node);
static void visit_statements(Compiler *c, Scope *scope, Node *list);

/* ---- tables of symbols ---- */
static uint32_t place_of(const Scope *scope, const Name *name)
{
    uint32_t i = name->hash & (scope->size - 1);
    while (scope->table[i] && scope->table[i]->name != name)
        i = (i + 1) & (scope->size - 1);
    return i;
}

Symbol *scope_find(const Scope *scope, const Name *name)
{
    return scope->table[place_of(scope, name)];
}

static bool resize(Compiler *c, Scope *scope, uint32_t size)
{
    Symbol **table = arena_take(&c->tree->arena, size * sizeof *table);
    if (!table) {
        compile_memory(c);
        return false;
    }
    memset(table, 0, size * sizeof *table);
    scope->table = table;
    scope->size = size;
    for (Symbol *symbol = scope->first; symbol; symbol = symbol->next)
        table[place_of(scope, symbol->name)] = symbol;
    return true;
}

static Scope *scope_new(Compiler *c, ScopeKind kind, Scope *outer, Node *node)
{
    Scope *scope = arena_take(&c->tree->arena, sizeof *scope);
    if (!scope) {
        compile_memory(c);
        return NULL;
    }
    *scope = (Scope){ .kind = kind, .outer = outer, .node = node };
    scope->tail = &scope->first;
    if (!resize(c, scope, 8))
        return NULL;
    if (outer) {
        scope->next = outer->inside;
        outer->inside = scope;
    }
    return scope;
}

/* The symbol of a name, made where there is none. NULL: failed. */
static Symbol *symbol(Compiler *c, Scope *scope, Name *name)
{
    if (c->failed || !name)
        return NULL;
    Symbol *found = scope_find(scope, name);
    if (found)
        return found;
    if (4 * (scope->symbols + 1) > 3 * scope->size && !resize(c, scope, 2 * scope->size))
        return NULL;
    found = arena_take(&c->tree->arena, sizeof *found);
    if (!found) {
        compile_memory(c);
        return NULL;
    }
    *found = (Symbol){ .name = name, .slot = -1 };
    scope->table[place_of(scope, name)] = found;
    *scope->tail = found;
    scope->tail = &found->next;
    scope->symbols++;
    return found;
}

static void bind(Compiler *c, Scope *scope, Name *name)
{
    Symbol *found = symbol(c, scope, name);
    if (found)
        found->bound = true;
}

static void use(Compiler *c, Scope *scope, Name *name)
{
    Symbol *found = symbol(c, scope, name);
    if (found)
        found->used = true;
    if (name && scope->kind == SCOPE_FUNCTION && name == compile_name(c, NAME_SUPER))
        use(c, scope, compile_name(c, NAME_CLASS));
}

static void declare(Compiler *c, Scope *scope, Node *statement)
{
    bool global = statement->kind == S_GLOBAL;
    if (!global && scope->kind == SCOPE_MODULE) {
        compile_error(c, statement, "'nonlocal' has no meaning outside of a function");
        return;
    }
    for (Node *node = statement->a; node && !c->failed; node = node->next) {
        Symbol *found = symbol(c, scope, node->name);
        if (!found)
            return;
        const char *word = global ? "global" : "nonlocal";
        if (found->parameter)
            compile_error(c, node, "'%s' is a parameter and cannot be %s", node->name->s, word);
        else if (global ? found->nonlocal : found->global)
            compile_error(c, node, "'%s' is declared both global and nonlocal", node->name->s);
        else if ((found->bound || found->used) && !(global ? found->global : found->nonlocal) &&
                 scope->kind != SCOPE_MODULE)
            compile_error(c, node, "'%s' is %s before it is declared %s", node->name->s, found->bound
                          ? "assigned" : "used", word);
        if (scope->kind != SCOPE_MODULE) {
            found->global = found->global || global;
            found->nonlocal = found->nonlocal || !global;
        }
        found->declared = node;
    }
}

/* ---- the first walk ---- */
static void visit_list(Compiler *c, Scope *scope, Node *list)
{
    for (; list && !c->failed; list = list->next)
        visit(c, scope, list);
}

static void bind_target(Compiler *c, Scope *scope, Node *node)
{
    switch (node->kind) {
    case E_NAME:
        bind(c, scope, node->name);
        break;
    case E_STAR:
        bind_target(c, scope, node->a);
        break;
    case E_TUPLE: case E_LIST:
        for (Node *item = node->a; item && !c->failed; item = item->next)
            bind_target(c, scope, item);
        break;
    default:
        visit(c, scope, node);
    }
}

static void visit_params(Compiler *c, Scope *outer, Scope *inner, Node *params, bool annotations)
{
    for (Node *param = params->a; param && !c->failed; param = param->next) {
        visit(c, outer, param->a);
        if (annotations && !c->future_annotations)
            visit(c, outer, param->b);
        Symbol *found = symbol(c, inner, param->name);
        if (found)
            found->parameter = found->bound = true;
    }
}

static void visit_comprehension(Compiler *c, Scope *scope, Node *node)
{
    Scope *inner = scope_new(c, SCOPE_COMPREHENSION, scope, node);
    if (!inner)
        return;
    node->scope = inner;
    inner->generator = node->op == COMP_GENERATOR;
    Symbol *iterable = symbol(c, inner, compile_name(c, NAME_ITERABLE));
    if (iterable)
        iterable->parameter = iterable->bound = true;
    for (Node *loop = node->b; loop && !c->failed; loop = loop->next) {
        visit(c, loop == node->b ? scope : inner, loop->b);
        bind_target(c, inner, loop->a);
        visit_list(c, inner, loop->c);
    }
    visit(c, inner, node->a);
}

static void visit_yield(Compiler *c, Scope *scope, Node *node)
{
    if (scope->kind == SCOPE_COMPREHENSION)
        compile_error(c, node, "'yield' cannot stand inside a comprehension");
    else if (scope->kind != SCOPE_FUNCTION)
        compile_error(c, node, "'yield' outside of a function");
    scope->generator = true;
    visit(c, scope, node->a);
}

static void visit(Compiler *c, Scope *scope, Node *node)
{
    if (!node || c->failed || !compile_deep(c, node))
        return;
    for (;;) {                          /* down the left side of chains without recursion */
        if (node->kind == E_BINARY || node->kind == E_ITEM)
            visit(c, scope, node->b);
        else if (node->kind == E_CALL)
            visit_list(c, scope, node->b);
        else if (node->kind != E_UNARY && node->kind != E_NOT && node->kind != E_ATTR)
            break;
        node = node->a;
    }
    switch (node->kind) {
    case E_NAME:
        use(c, scope, node->name);
        break;
    case E_FORMATTED: case E_TUPLE: case E_LIST: case E_SET: case E_DICT: case E_BOOLEAN:
        visit_list(c, scope, node->a);
        break;
    case E_FIELD: case E_PAIR:
        visit(c, scope, node->a);
        visit(c, scope, node->b);
        break;
    case E_COMPARE:
        visit(c, scope, node->a);
        visit_list(c, scope, node->b);
        break;
    case E_LINK: case E_STAR: case E_DOUBLE_STAR: case E_KEYWORD:
        visit(c, scope, node->a);
        break;
    case E_IF: case E_SLICE:
        visit(c, scope, node->a);
        visit(c, scope, node->b);
        visit(c, scope, node->c);
        break;
    case E_LAMBDA: {
        Scope *inner = scope_new(c, SCOPE_FUNCTION, scope, node);
        if (!inner)
            return;
        node->scope = inner;
        visit_params(c, scope, inner, node->a, false);
        visit(c, inner, node->b);
        break;
    }
    case E_COMPREHENSION:
        visit_comprehension(c, scope, node);
        break;
    case E_YIELD: case E_YIELD_FROM:
        visit_yield(c, scope, node);
        break;
    default:
        break;
    }
}

static void visit_def(Compiler *c, Scope *scope, Node *node)
{
    visit_list(c, scope, node->d);
    bool is_class = node->kind == S_CLASS;
    if (is_class)
        visit_list(c, scope, node->a);
    Scope *inner = scope_new(c, is_class ? SCOPE_CLASS : SCOPE_FUNCTION, scope, node);
    if (!inner)
        return;
    node->scope = inner;
    if (!is_class) {
        visit_params(c, scope, inner, node->a, true);
        if (!c->future_annotations)
            visit(c, scope, node->e);
    }
    bind(c, scope, node->name);
    visit_statements(c, inner, node->b);
}

static void visit_import(Compiler *c, Scope *scope, Node *node)
{
    for (Node *alias = node->a; alias && !c->failed; alias = alias->next) {
        Name *name = alias->a ? alias->a->name : alias->name;
        const char *dot = alias->a || node->kind == S_FROM ? NULL : strchr(name->s, '.');
        if (dot && !(name = tree_name(c->tree, name->s, (size_t)(dot - name->s))))
            compile_memory(c);
        bind(c, scope, name);
    }
}

static void visit_try(Compiler *c, Scope *scope, Node *node)
{
    visit_statements(c, scope, node->b);
    for (Node *handler = node->a; handler && !c->failed; handler = handler->next) {
        visit(c, scope, handler->a);
        if (handler->d)
            bind(c, scope, handler->d->name);
        visit_statements(c, scope, handler->b);
    }
    visit_statements(c, scope, node->d);
    visit_statements(c, scope, node->e);
}

static void visit_statement(Compiler *c, Scope *scope, Node *node)
{
    switch (node->kind) {
    case S_EXPRESSION: case S_RETURN: case S_RAISE: case S_ASSERT:
        visit(c, scope, node->a);
        visit(c, scope, node->b);
        break;
    case S_ASSIGN:
        visit(c, scope, node->b);
        for (Node *target = node->a; target && !c->failed; target = target->next)
            bind_target(c, scope, target);
        break;
    case S_AUGMENTED:
        visit(c, scope, node->a);
        visit(c, scope, node->b);
        bind_target(c, scope, node->a);
        break;
    case S_ANNOTATED: {
        if (node->d || node->n)
            bind_target(c, scope, node->a);
        else
            visit(c, scope, node->a);
        Symbol *found = node->n && !c->failed ? scope_find(scope, node->a->name) : NULL;
        if (found && (found->global || found->nonlocal))
            compile_error(c, node, "'%s' is declared %s and cannot be annotated", found->name->s,
                          found->global ? "global" : "nonlocal");
        if (!c->future_annotations && scope->kind != SCOPE_FUNCTION)
            visit(c, scope, node->b);
        visit(c, scope, node->d);
        break;
    }
    case S_DEL:
        for (Node *target = node->a; target && !c->failed; target = target->next)
            bind_target(c, scope, target);
        break;
    case S_GLOBAL: case S_NONLOCAL:
        declare(c, scope, node);
        break;
    case S_IMPORT: case S_FROM:
        visit_import(c, scope, node);
        break;
    case S_WHILE: case S_IF:
        for (Node *link = node; link && !c->failed; link = link->d) {
            visit(c, scope, link->a);
            visit_statements(c, scope, link->b);
            if (!link->d || link->d->kind != S_IF || !link->d->n || link->kind != S_IF) {
                visit_statements(c, scope, link->d);
                break;
            }
        }
        break;
    case S_FOR:
        visit(c, scope, node->b);
        bind_target(c, scope, node->a);
        visit_statements(c, scope, node->e);
        visit_statements(c, scope, node->d);
        break;
    case S_TRY:
        visit_try(c, scope, node);
        break;
    case S_WITH:
        for (Node *item = node->a; item && !c->failed; item = item->next) {
            visit(c, scope, item->a);
            if (item->b)
                bind_target(c, scope, item->b);
        }
        visit_statements(c, scope, node->b);
        break;
    case S_DEF: case S_CLASS:
        visit_def(c, scope, node);
        break;
    default:
        break;
    }
}

static void visit_statements(Compiler *c, Scope *scope, Node *list)
{
    if (!list || !compile_deep(c, list))
        return;
    for (; list && !c->failed; list = list->next)
        visit_statement(c, scope, list);
}

/* ---- the second walk ---- */
/* The nearest function around that binds the name lends it: it becomes a cell there, and free on the way. */
static bool borrow(Compiler *c, Scope *scope, Name *name)
{
    Scope *owner = NULL;
    for (Scope *outer = scope->outer; outer && !owner; outer = outer->outer) {
        if (outer->kind == SCOPE_MODULE)
            return false;
        if (outer->kind == SCOPE_CLASS) {
            if (name == compile_name(c, NAME_CLASS))
                owner = outer;
            continue;
        }
        Symbol *found = scope_find(outer, name);
        if (found && found->global)
            return false;
        if (found && found->bound && !found->nonlocal)
            owner = outer;
    }
    if (!owner)
        return false;
    Symbol *lent = symbol(c, owner, name);
    if (!lent)
        return false;
    owner->class_cell = owner->class_cell || owner->kind == SCOPE_CLASS;
    lent->where = WHERE_CELL;
    for (Scope *between = scope->outer; between != owner; between = between->outer) {
        Symbol *passing = symbol(c, between, name);
        if (!passing)
            return false;
        if (between->kind == SCOPE_CLASS && passing->bound)
            passing->passed = true;     /* its own variable of that name is another one */
        else
            passing->where = WHERE_FREE;
    }
    return true;
}

static void resolve(Compiler *c, Scope *scope)
{
    for (Symbol *it = scope->first; it && !c->failed; it = it->next) {
        if (it->where == WHERE_CELL || it->where == WHERE_FREE)
            continue;                   /* a scope inside has asked already */
        if (scope->kind == SCOPE_MODULE || it->global)
            it->where = WHERE_GLOBAL;
        else if (it->bound && !it->nonlocal)
            it->where = scope->kind == SCOPE_CLASS ? WHERE_CLASS : WHERE_LOCAL;
        else if (borrow(c, scope, it->name))
            it->where = WHERE_FREE;
        else if (it->nonlocal)
            compile_error(c, it->declared, "no function around this one binds '%s', so it cannot be nonlocal",
                          it->name->s);
        else
            it->where = WHERE_GLOBAL;
    }
}

static void resolve_all(Compiler *c, Scope *scope)
{
    if (!scope->node || compile_deep(c, scope->node)) {
        resolve(c, scope);
        for (Scope *inside = scope->inside; inside && !c->failed; inside = inside->next)
            resolve_all(c, inside);
    }
}

/* Cells and free variables are numbered in the order of their names. */
static void number_symbols(Scope *scope, Where where, int *count)
{
    Symbol *last = NULL;
    for (;;) {
        Symbol *next = NULL;
        for (Symbol *it = scope->first; it; it = it->next) {
            bool wanted = it->where == where || (where == WHERE_FREE && it->passed);
            if (wanted && (!last || strcmp(it->name->s, last->name->s) > 0) &&
                (!next || strcmp(it->name->s, next->name->s) < 0))
                next = it;
        }
        if (!next)
            return;
        next->slot = (*count)++;
        last = next;
    }
}

static void number_all(Scope *scope)
{
    int count = 0;
    number_symbols(scope, WHERE_CELL, &count);
    scope->cells = count;
    number_symbols(scope, WHERE_FREE, &count);
    scope->frees = count - scope->cells;
    for (Scope *inside = scope->inside; inside; inside = inside->next)
        number_all(inside);
}

Scope *scope_analyse(Compiler *c, Node *list)
{
    Scope *module = scope_new(c, c->mode == COMPILE_LIBRARY ? SCOPE_FUNCTION : SCOPE_MODULE, NULL, NULL);
    if (!module)
        return NULL;
    if (c->mode == COMPILE_EXPRESSION)
        visit(c, module, list);
    else
        visit_statements(c, module, list);
    if (!c->failed)
        resolve_all(c, module);
    if (!c->failed)
        number_all(module);
    return c->failed ? NULL : module;
}
