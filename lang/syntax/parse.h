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

/* The caller sets s, tree, mode and err; parse() the rest. The statements of a text (or one expression, in COMPILE_EXPRESSION) as a list; *empty when there is none.
 * NULL: err. */
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

/* Binding powers, for parse_binary. */
enum { P_OR = 2, P_AND, P_NOT, P_COMPARE, P_BAR, P_CARET, P_AMPERSAND, P_SHIFT, P_SUM, P_TERM };
Node *parse_binary(Parser *p, int least);       /* operators of at least this power */
Node *parse_star_or_test(Parser *p, bool stars);
Node *parse_rest(Parser *p, Node *first, uint32_t start, bool stars);   /* a tuple that begins with `first` */
Node *parse_yield(Parser *p);
Node *parse_parentheses(Parser *p);
Node *parse_brackets(Parser *p);
Node *parse_braces(Parser *p);
Node *parse_comprehension(Parser *p, Node *element, int op, uint32_t start);    /* behind the element */
const char *parse_node_text(const Node *node);  /* what an error calls it */
Node *parse_test(Parser *p);                    /* one expression, no star, no yield */
Node *parse_list(Parser *p, bool stars);        /* expressions with commas: a tuple if there are any */
Node *parse_value(Parser *p);                   /* yield, or a list with stars: right of '=' */
Node *parse_targets(Parser *p);                 /* of a for */
Node *parse_params(Parser *p, TokenKind end, bool annotations);
Node *parse_arguments(Parser *p, Node *call);   /* after '(' up to and with ')' */
Node *parse_strings(Parser *p);                 /* adjacent STRING tokens */
/* A statement, or several on one line, hung on the tail of a list. */
Node *parse_statement(Parser *p, Node ***tail);
bool  parse_line(Parser *p, Node ***tail);
/* May it be assigned to (or deleted)? `what`: "assign to", "delete". */
bool  parse_target(Parser *p, Node *node, const char *what, bool stars);
#endif
