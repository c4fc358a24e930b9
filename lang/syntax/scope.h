/*
 * scope.h - which variable a name means: a slot of its function, a cell shared with functions inside, or a
 * global.
 * compile.h's Compiler carries the error.
 */
#ifndef LANG_SYNTAX_SCOPE_H
#define LANG_SYNTAX_SCOPE_H
#include "lang/syntax/ast.h"

struct Compiler;
typedef enum ScopeKind { SCOPE_MODULE, SCOPE_FUNCTION, SCOPE_COMPREHENSION, SCOPE_CLASS } ScopeKind;
typedef enum Where { WHERE_LOCAL, WHERE_CELL, WHERE_FREE, WHERE_GLOBAL, WHERE_CLASS } Where;

typedef struct Symbol {
    Name    *name;
    struct Symbol *next;
    uint8_t  where;                     /* Where */
    bool     parameter, bound, used, global, nonlocal;
    bool     passed;                    /* a class that binds it; inside, another's cell is meant */
    int32_t  slot;                      /* locals: -1 until first used; cells and free ones: their number */
    const Node *declared;               /* the global or nonlocal statement's name */
} Symbol;

typedef struct Scope {
    ScopeKind kind;
    struct Scope *outer, *inside, *next;
    Node     *node;
    Symbol   *first, **tail, **table;   /* in order of appearance; by hash */
    uint32_t  symbols, size;
    bool      generator;
    bool      class_cell;               /* a class: its functions need the cell `__class__` */
    int       cells, frees;
} Scope;

/* Finds the scopes of a list of statements (or an expression) and hangs them on their nodes. NULL: the
 * compiler has the error. */
Scope  *scope_analyse(struct Compiler *c, Node *list);
Symbol *scope_find(const Scope *scope, const Name *name);       /* NULL: it does not know the name */
#endif
