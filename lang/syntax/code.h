/*
 * code.h - what the compiler makes and the interpreter runs.
 * An instruction is 32 bits: operation in the low 8, argument in the high 24 (unsigned). Some are followed by one more word.
 */
#ifndef LANG_SYNTAX_CODE_H
#define LANG_SYNTAX_CODE_H
#include "lang/session.h"
#include "lang/types/value.h"

typedef uint32_t Instr;
typedef enum Opcode {
#define CODE(op, words, text) CODE_##op,
#include "lang/syntax/code.def"
    CODE_COUNT
} Opcode;
static inline Opcode instr_op(Instr i) { return (Opcode)(i & 0xff); }
static inline uint32_t instr_arg(Instr i) { return i >> 8; }

/* One entry of the table of handlers: while pc is in [start, end), an error drops the stack to `depth`, pushes the
 * exception and goes on at `handler`. Inner ones stand before outer ones. */
typedef struct Handler { int32_t start, end, handler, depth; } Handler;

typedef struct Param { Str *name; } Param;
enum { CODE_GENERATOR = 1, CODE_VARARGS = 2, CODE_VARKEYWORDS = 4, CODE_MODULE = 8, CODE_CLASS = 16, CODE_HAS_CELLS = 32,
       CODE_LIBRARY = 64 };            /* of the library that is written in the language: errors and events are the caller's */

typedef struct Code {
    Object   head;                      /* TYPE_CODE */
    Str     *name, *qualname;           /* "<module>", "f", "<lambda>", "<listcomp>" */
    Str     *doc;                       /* docstring or NULL */
    uint32_t flags;                     /* CODE_… */
    int      source;                    /* Place.source */
    int      line;                      /* of its `def` */
    void    *room;                      /* owned: holds all the arrays below */
    Instr   *code;
    int      size;                      /* words */
    Place   *place;                     /* one for each word of code */
    Handler *handler;
    int      handlers;
    Value   *constant;                  /* the values owned */
    int      constants;
    Str    **name_;                     /* names of attributes, keywords, imports, class-body names */
    int      names;
    Str    **local;                     /* names of slots. Parameters first: positional-only, positional, keyword-only,
                                         * then *args, then **kwargs; then other locals; then cells and free variables */
    int      locals;                    /* slots in all, with cells and free ones */
    int      cell_first, cells;         /* slots [cell_first, +cells) hold Cells made at entry */
    int      free_first, frees;         /* slots [free_first, +frees) get the closure's Cells */
    int32_t *cell_of_param;             /* for each cell, the parameter slot whose argument moves in at entry, or -1 */
    int      positional_only, positional, keyword_only;     /* numbers of parameters; positional includes positional_only */
    int      stack;                     /* deepest operand stack, in values */
    int      caches;                    /* attribute caches: words that follow ATTR and the like index them */
    struct AttrCache *cache;            /* `caches` of them */
} Code;

/* What an attribute instruction found last time: see run/attr_cache.h. */
typedef struct AttrCache {
    const void *owner;                  /* the class of the object, the module, or what stands for all tensors; NULL: nothing yet */
    uint32_t    version;                /* of the owner then: it holds while this has not changed */
    int32_t     entry;                  /* where the object's own dict had the name, as a guess; -1: nowhere */
    Value      *place;                  /* a module's member */
    Value       value;                  /* what the class has, borrowed; unset: nothing */
} AttrCache;

typedef struct Source Source;
/* Sources outlive the code made from them: kept by the session, numbered from 1. Copies the text; \r\n and \r become \n;
 * SyntaxError for invalid UTF-8 or a zero byte. Returns its number, or 0. */
int   source_add(Session *s, const char *name, const char *utf8, size_t n, Err *err);
const char *source_name(const Session *s, int source);
const char *source_text(const Session *s, int source, size_t *n);
const char *source_line(const Session *s, int source, int line, size_t *n);     /* without newline; NULL beyond the end */
/* The text between two places; *n bytes. */
const char *source_span(const Session *s, Place place, size_t *n);
void  sources_free(Session *s);

typedef enum CompileMode { COMPILE_SCRIPT, COMPILE_PROMPT, COMPILE_CELL, COMPILE_EXPRESSION, COMPILE_LIBRARY } CompileMode;
/*
 * Parses and compiles a source as a module. Global names become slots of the session (session_global_slot). NULL: err is
 * SyntaxError (or a kind under it) and *where is the place of the caret.
 * COMPILE_EXPRESSION: one expression; its value is what RETURN gives.
 * COMPILE_LIBRARY: a module of its own, whose names are variables like those of a function; RETURN gives a dict of them.
 */
Code *compile_source(Session *s, int source, CompileMode mode, Place *where, Err *err);
/* The parser's answer for session_check: complete, incomplete (and the indentation of the next line), invalid. */
Completeness syntax_check(Session *s, const char *utf8, size_t n, int *indent);
/* The slot of a global name, made (unbound) when new; -1: no memory. Provided by run/. */
int   session_global_slot(Session *s, Str *name, Err *err);

extern const Type type_code;
#endif
