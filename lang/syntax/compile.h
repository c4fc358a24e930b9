/*
 * compile.h - a syntax tree to instructions. What the files of the compiler share.
 * Functions return nothing: after the first error `failed` is set and the rest does no harm.
 */
#ifndef LANG_SYNTAX_COMPILE_H
#define LANG_SYNTAX_COMPILE_H
#include "lang/syntax/ast.h"
#include "lang/syntax/code.h"
#include "lang/syntax/lex.h"
#include "lang/syntax/scope.h"
#include "lang/syntax/source.h"

/* Small whole numbers by two words. */
typedef struct Map { struct MapRow { uint64_t a, b; int32_t value; } *row; uint32_t size, used; } Map;

/* What a return, break or continue has to undo on its way out. */
typedef enum BlockKind { BLOCK_WHILE, BLOCK_FOR, BLOCK_TRY, BLOCK_FINALLY, BLOCK_FINALLY_END, BLOCK_REGION,
                         BLOCK_HANDLER,
                         BLOCK_WITH, BLOCK_VALUE } BlockKind;
typedef struct Block {
    struct Block *outer;
    BlockKind kind;
    int       on_break, on_continue;    /* labels of a loop */
    bool      guarded, open;            /* there is a handler; its range is being written */
    int       start, handler, depth;
    Node     *node;                     /* of FINALLY: statements; HANDLER: name or NULL; WITH: manager */
} Block;

/* The code of one function, class body, comprehension or module while it is made. */
typedef struct Unit {
    struct Unit *outer;
    Scope    *scope;
    const char *name;
    char     *qualname;                 /* owned: mem_new */
    Instr    *code;                     /* owned; jumps hold labels until the end */
    uint32_t (*span)[2];                /* owned: bytes of the source for each word */
    int       size, capacity;
    int       depth, deepest;
    Handler  *handler;                  /* owned; `handler` is a label until the end */
    int       handlers, handler_capacity;
    int32_t  *label;                    /* owned: where each label stands */
    int       labels, label_capacity;
    int32_t  *constant;                 /* owned: numbers of the compiler's constants */
    int       constants, constant_capacity;
    Name    **names_;                   /* owned */
    int       names, name_capacity;
    Map       constant_map, name_map;
    Symbol  **local;                    /* owned */
    int       locals, local_capacity;
    int       caches;
    Block    *block;                    /* innermost */
    Name     *doc;
} Unit;

/* Names that the compiler itself looks for: "__class__", "super", ".0". */
typedef enum FixedName { NAME_CLASS, NAME_SUPER, NAME_ITERABLE, FIXED_NAMES } FixedName;

typedef struct Compiler {
    Session *s;
    Tree    *tree;
    const Source *text;
    int      source;
    CompileMode mode;
    bool     future_annotations;
    Err     *err;
    uint32_t error_start, error_end;
    bool     failed;
    Unit    *unit;
    Value   *constant;                  /* owned: of all code of the source; shared */
    int      constants, constant_capacity;
    Map      constant_map;
    Node   **spine;                     /* owned, or `few`: a stack, for chains that are walked without recursion */
    size_t   spines, spine_capacity;
    Node    *few[16];
    Name    *fixed[FIXED_NAMES];        /* made at first use: see compile_name */
} Compiler;

void compile_error(Compiler *c, const Node *at, const char *format, ...) __attribute__((format(printf, 3, 4),
        cold));
void compile_memory(Compiler *c);
Name *compile_name(Compiler *c, FixedName which);       /* NULL: failed */
bool compile_deep(Compiler *c, const Node *at);         /* enough stack? else the error is set */
/* Makes room for one more element; false: failed. */
bool compile_room(Compiler *c, void *array, int n, int *capacity, size_t size);

/* ---- emit.c ---- */
enum { ARG_LIMIT = 1 << 24 };
int  map_get(const Map *map, uint64_t a, uint64_t b);   /* -1: not there */
void map_set(Compiler *c, Map *map, uint64_t a, uint64_t b, int value);
void emit(Compiler *c, Opcode op, uint32_t arg, const Node *at);
void emit2(Compiler *c, Opcode op, uint32_t arg, uint32_t word, const Node *at);
void emit_attr(Compiler *c, Opcode op, Name *name, const Node *at);     /* with a cache where it has one */
int  label_new(Compiler *c);
void label_here(Compiler *c, int label);
int  code_effect(Opcode op, uint32_t arg, uint32_t word, bool jumps);   /* on the depth of the stack */
void handler_open(Compiler *c, Block *block, int label, int depth);
void handler_close(Compiler *c, Block *block);
int  name_index(Compiler *c, Name *name);
void name_get(Compiler *c, Name *name, const Node *at);
void name_set(Compiler *c, Name *name, const Node *at);
void name_del(Compiler *c, Name *name, const Node *at);
/* ---- constant.c ---- */
Str *name_str(Compiler *c, Name *name);                 /* borrowed; NULL: failed */
/* Numbers of constants; -1: failed, or for constant_of: not a constant. */
int  constant_of(Compiler *c, const Node *node);
int  constant_string(Compiler *c, Name *text);
int  constant_tuple(Compiler *c, const int32_t *item, int n);
int  constant_take(Compiler *c, Value taken);
int  constant_local(Compiler *c, int number);           /* its index in the code of the unit */
void emit_constant(Compiler *c, int number, const Node *at);
/* ---- unit.c ---- */
bool unit_enter(Compiler *c, Unit *unit, Scope *scope, const char *name);
Code *unit_leave(Compiler *c, const Node *at);          /* NULL: failed; frees the unit's parts either way */
void compiler_close(Compiler *c);

/* ---- compile_expr.c ---- */
void compile_expr(Compiler *c, Node *node);
void compile_jump_if(Compiler *c, Node *node, int label, bool when);
void compile_store(Compiler *c, Node *target);
/* ---- compile_function.c ---- */
void compile_annotation(Compiler *c, Node *node);       /* its value, or its text where the future is imported */
void compile_lambda(Compiler *c, Node *node);
void compile_def(Compiler *c, Node *node);
void compile_class(Compiler *c, Node *node);
void compile_comprehension(Compiler *c, Node *node);
/* ---- compile_block.c ---- */
void compile_try(Compiler *c, Node *node);
void compile_with(Compiler *c, Node *node, Node *item);
void compile_for(Compiler *c, Node *node);
void compile_while(Compiler *c, Node *node);
void compile_leave(Compiler *c, Node *node);            /* return, break, continue */
/* ---- compile.c ---- */
void compile_statements(Compiler *c, Node *list);
#endif
