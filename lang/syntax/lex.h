/*
 * lex.h - text to tokens: all at once, into one array.
 * A mistake becomes an ERROR token where it stands, so that what comes before it is parsed (and complained
 * about) first.
 */
#ifndef LANG_SYNTAX_LEX_H
#define LANG_SYNTAX_LEX_H
#include "lang/session.h"

typedef enum TokenKind {
#define TOKEN(id, text)    T_##id,
#define KEYWORD(id, text)  T_##id,
#define OPERATOR(id, text) T_##id,
#include "lang/syntax/token.def"
    T_COUNT
} TokenKind;
const char *token_text(TokenKind kind);

typedef enum Refusal {
#define REFUSE(id, what, hint) REFUSE_##id,
#include "lang/syntax/refuse.def"
    REFUSALS
} Refusal;
bool refuse(Err *err, Refusal what);    /* SyntaxError: … is not supported by Locus; returns false */

typedef struct Token { uint8_t kind; uint32_t start, end; } Token;      /* bytes */

enum { BRACKETS = 200, INDENTS = 100, TOKENS_FEW = 64 };
typedef struct Lexer {
    Session    *s;
    const char *text;                   /* borrowed */
    uint32_t    at, end;                /* the stretch of it that is read */
    bool        commands;               /* % lines, !lines and obj? where a statement may begin */
    bool        inside;                 /* an f-string: newlines are blanks, no indentation */
    Token      *token;                  /* owned, or `few`: a Lexer is never copied */
    size_t      tokens, capacity;
    Err         error;                  /* kind ERR_NONE: no ERROR token at the end */
    uint32_t    error_start, error_end;
    bool        incomplete;             /* the error is that the text ends too early */
    uint32_t    open;                   /* with that: the bracket that was never closed, or UINT32_MAX */
    struct { char c; uint32_t at; } bracket[BRACKETS];
    int         brackets;
    struct { int column, alternative; } indent[INDENTS];
    int         indents;
    Token       few[TOKENS_FEW];
} Lexer;

/* A lexer of text[at, end), which the text must outlive. */
void lex_begin(Lexer *lexer, Session *s, const char *text, uint32_t at, uint32_t end);
/* Fills in `token`, the last of them END or ERROR. False: no memory. */
bool lex(Lexer *lexer, Err *err);
void lex_free(Lexer *lexer);
/* Is the code point one that an identifier may begin with, or go on with? */
bool is_name_start(uint32_t c);
bool is_name_part(uint32_t c);
uint32_t code_point(const char *s, size_t *length);     /* of valid UTF-8 */
#endif
