/*
 * ast.h - the syntax tree: nodes and names in one arena, freed at once.
 * A node has up to three children a, b, c (statements five); `next` chains the members of a list. What each
 * kind keeps
 * where stands beside its name.
 */
#ifndef LANG_SYNTAX_AST_H
#define LANG_SYNTAX_AST_H
#include "lang/session.h"
#include "lang/types/value.h"

/* Memory that is given back all at once. Also holds snapshots. */
typedef struct Arena {
    Heap *heap;                         /* borrowed */
    struct Chunk *chunk;                /* owned: a chain */
    char *at, *end;
} Arena;
void *arena_take(Arena *arena, size_t bytes);   /* not cleared, aligned for anything; NULL: no memory */
void  arena_free(Arena *arena);

/* An identifier or the value of a string: one for one text in a tree, so that pointers compare. */
typedef struct Name {
    struct Name *chain, *before;        /* of its bucket; of all names */
    Str     *str;                       /* owned by the compiler, made at first use */
    const struct Node *param_of;        /* the parameters that it was last met in */
    uint32_t hash, n;
    int32_t  global;                    /* the session's slot + 1; 0: not asked yet */
    char     s[];                       /* UTF-8, terminated */
} Name;

typedef enum NodeKind {
    /* expressions */
    E_NAME,                             /* name */
    E_NUMBER, E_STRING,                 /* its span; name: the decoded text; op 1: bytes, one for each code point */
    E_FORMATTED,                        /* a: list of E_STRING and E_FIELD */
    E_FIELD,                            /* a: expression, b: spec (E_FORMATTED) or NULL; op: conversion */
    E_CONSTANT,                         /* op: T_NONE, T_TRUE, T_FALSE, T_ELLIPSIS */
    E_TUPLE, E_LIST, E_SET, E_DICT,     /* a: list, n of them; of a dict: E_PAIR */
    E_PAIR,                             /* a: key, NULL for `**b`; b: value */
    E_BINARY,                           /* op: BinaryOp; a, b */
    E_UNARY, E_NOT,                     /* op: UnaryOp; a */
    E_BOOLEAN,                          /* op: T_AND, T_OR; a: list, n */
    E_COMPARE,                          /* a: first; b: list of E_LINK */
    E_LINK,                             /* op: CompareOp, LINK_…; a: what is compared with */
    E_IF,                               /* a: condition, b: if true, c: else */
    E_LAMBDA,                           /* a: PARAMS, b: body; scope */
    E_CALL,                             /* a: callee, b: arguments (or E_STAR, E_KEYWORD, …), n */
    E_KEYWORD,                          /* name = a */
    E_STAR, E_DOUBLE_STAR,              /* a */
    E_ATTR,                             /* a . name */
    E_ITEM,                             /* a [ b ] */
    E_SLICE,                            /* a : b : c, each may be NULL */
    E_COMPREHENSION,                    /* op: COMP_…; a: element or E_PAIR, b: E_COMP_FOR …; scope */
    E_COMP_FOR,                         /* a: target, b: iterable, c: list of conditions */
    E_YIELD, E_YIELD_FROM,              /* a or NULL */
    E_PARAMS,                           /* a: list of E_PARAM */
    E_PARAM,                            /* name; a: default, b: annotation; op: PARAM_… */
    E_ALIAS,                            /* name, a: E_NAME it is bound to, or NULL */
    E_WITH_ITEM,                        /* a: manager, b: target or NULL */
    EXPRESSIONS,
    /* statements */
    S_EXPRESSION = EXPRESSIONS,         /* a; n: 1 when a semicolon follows */
    S_ASSIGN,                           /* a: list of targets, b: value */
    S_AUGMENTED,                        /* op: BinaryOp; a: target, b: value */
    S_ANNOTATED,                        /* a: target, b: annotation, d: value or NULL; n: 1 for a bare name */
    S_RETURN, S_DEL,                    /* a: value or NULL; list of targets */
    S_PASS, S_BREAK, S_CONTINUE,
    S_RAISE, S_ASSERT,                  /* a, b: both may be NULL; b may */
    S_GLOBAL, S_NONLOCAL,               /* a: list of E_NAME */
    S_IMPORT,                           /* a: list of E_ALIAS */
    S_FROM,                             /* name: module; a: list of E_ALIAS, NULL for a star */
    S_IF, S_WHILE,                      /* a: condition, b: body, d: else (elif: an S_IF with n = 1) */
    S_FOR,                              /* a: target, b: iterable, e: body, d: else */
    S_TRY,                              /* b: body, a: list of S_EXCEPT, d: else, e: finally */
    S_EXCEPT,                           /* a: class or NULL, name or NULL, b: body; d: the E_NAME */
    S_WITH,                             /* a: list of E_WITH_ITEM, b: body */
    S_DEF,                              /* name, a: PARAMS, b: body, d: decorators, e: returns, f: target */
    S_CLASS,                            /* name, a: list of bases, n, b: body, d: decorators; scope; f */
    S_COMMAND,                          /* name: the line */
    NODE_KINDS
} NodeKind;
enum { LINK_IS = 16, LINK_IS_NOT, LINK_IN, LINK_NOT_IN };
enum { COMP_LIST, COMP_SET, COMP_DICT, COMP_GENERATOR };
enum { PARAM_POSITIONAL_ONLY, PARAM_PLAIN, PARAM_STAR, PARAM_KEYWORD_ONLY, PARAM_DOUBLE_STAR };

typedef struct Node {
    uint8_t  kind, op;
    bool     parenthesised;
    uint32_t start, end, n;             /* its bytes in the source */
    struct Node *next, *a, *b;
    union { struct Node *c; Name *name; };
    /* statements, lambdas and comprehensions only */
    struct Scope *scope;
    struct Node *d, *e, *f;
} Node;

/* Lies on the C stack: what a typed line needs has room in it, so that such a line takes no memory for its tree. */
typedef struct Tree {
    Arena  arena;
    Name **bucket;                      /* owned, or `few` */
    size_t buckets, names;
    Name  *last;                        /* all names, the latest first */
    Name  *few[64];
    _Alignas(16) char room[6144];
} Tree;
void  tree_init(Tree *tree, Heap *heap);
void  tree_free(Tree *tree);            /* and the references that the names hold */
Node *tree_node(Tree *tree, NodeKind kind, uint32_t start, uint32_t end);   /* NULL: no memory */
Name *tree_name(Tree *tree, const char *s, size_t n);
#endif
