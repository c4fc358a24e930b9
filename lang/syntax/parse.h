/*
 * parse.h - tokens to a syntax tree. What the files of the parser share.
 */
#ifndef LANG_SYNTAX_PARSE_H
#define LANG_SYNTAX_PARSE_H
#include "lang/syntax/ast.h"
#include "lang/syntax/code.h"
#include "lang/syntax/lex.h"

typedef struct Parser {
    Session    *s;
    Tree       *tree;                   /* borrowed: filled */
    const char *text;                   /* borrowed */
    uint32_t    size;
    Lexer       lexer;                  /* of the text, or of an expression inside an f-string */
    Token      *token;                  /* the next one */
    uint32_t    last_end;               /* where the token before it ended */
    CompileMode mode;
    Err        *err;
    uint32_t    error_start, error_end; /* with err: the place */
    bool        incomplete;             /* with err: the text ends too early */
    Name       *class_name;             /* of the class around, for names that begin with __ */
    bool        future_annotations;
    int         fields;                 /* how deep in fields of f-strings */
} Parser;

/* The statements of a text (or one expression, in COMPILE_EXPRESSION) as a list; *empty when there is none. NULL: err. */
Node *parse(Parser *p, const char *text, size_t n, bool *empty);

/* ---- for the parser's own files. They return NULL or false with err set. ---- */
bool  parse_error(Parser *p, uint32_t start, uint32_t end, ErrKind kind, const char *format, ...)
    __attribute__((format(printf, 5, 6), cold));
bool  parse_refuse(Parser *p, uint32_t start, uint32_t end, Refusal what);
bool  parse_unexpected(Parser *p);      /* the next token is none that may stand here */
bool  parse_expect(Parser *p, TokenKind kind);
bool  parse_accept(Parser *p, TokenKind kind);
void  parse_next(Parser *p);
Node *parse_node(Parser *p, NodeKind kind, uint32_t start);             /* ends at last_end */
Name *parse_name_text(Parser *p, uint32_t start, uint32_t end, bool mangle);
Name *parse_identifier(Parser *p, bool mangle);                         /* the next token, a NAME */
bool  parse_deep(Parser *p);            /* is there enough stack? */

Node *parse_test(Parser *p);                    /* one expression, no star, no yield */
Node *parse_list(Parser *p, bool stars);        /* expressions with commas: a tuple if there are any */
Node *parse_value(Parser *p);                   /* yield, or a list with stars: right of '=' */
Node *parse_targets(Parser *p);                 /* of a for */
Node *parse_params(Parser *p, TokenKind end, bool annotations);
Node *parse_arguments(Parser *p, Node *call);   /* after '(' up to and with ')' */
Node *parse_strings(Parser *p);                 /* adjacent STRING tokens */
/* May it be assigned to (or deleted)? `what`: "assign to", "delete". */
bool  parse_target(Parser *p, Node *node, const char *what, bool stars);
#endif
