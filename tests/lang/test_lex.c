/* test_lex.c - text to tokens: each row is a text and its tokens as they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "lang/session.h"
#include "lang/syntax/lex.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
typedef struct Case { const char *name, *text, *tokens; bool commands; } Case;

/* NL the end of a line, > and < indentation, $ the end, ! an error. */
static const Case cases[] = {
    { "a line", "x = 1\n", "x = 1 NL $", false },
    { "no newline at the end", "x", "x NL $", false },
    { "blank lines and comments", "\n# a\n  # b\nx # c\n\n", "x NL $", false },
    { "a block", "if x:\n  y\nz", "if x : NL > y NL < z NL $", false },
    { "blocks that end with the text", "if x:\n if y:\n  z", "if x : NL > if y : NL > z NL < < $", false },
    { "a tab is as good as eight blanks nowhere", "if x:\n\ty\n        z", "if x : NL > y NL !TabError",
      false },
    { "between two levels", "if x:\n    y\n  z", "if x : NL > y NL < !IndentationError", false },
    { "brackets join lines", "f(1,\n  2)\n", "f ( 1 , 2 ) NL $", false },
    { "a backslash joins lines", "x = \\\n  1", "x = 1 NL $", false },
    { "a backslash at the end", "x = \\\n", "x = !the text ends where '\\' asks for another line", false },
    { "numbers", "0 1_000 0xfF 0o17 0b1_0 1.5 .5 5. 1e3 1E-3 00",
      "0 1_000 0xfF 0o17 0b1_0 1.5 .5 5. 1e3 1E-3 00 NL $", false },
    { "a keyword right behind a number", "1if x else 2", "1 if x else 2 NL $", false },
    { "a name right behind a number", "1abc",
      "!invalid decimal number: a name or a digit stands right behind it", false },
    { "a leading zero", "0123", "!a decimal number may not begin with 0; for an octal one write 0o…", false },
    { "imaginary", "3j", "!an imaginary number is not supported by Locus", false },
    { "a member of a number", "1..real", "1. . real NL $", false },
    { "strings", "'a' \"b\" r'\\d' 'c\\'d' '''e\nf''' f'{x}'",
      "'a' \"b\" r'\\d' 'c\\'d' '''e\nf''' f'{x}' NL $", false },
    { "bytes", "b'a' Rb'\\d'", "b'a' Rb'\\d' NL $", false },
    { "an open string", "'abc\n", "!this string was never closed: ' is missing at the end of the line",
      false },
    { "an open triple string", "'''abc\n", "!this string was never closed: ''' is missing", false },
    { "operators", "a**=b//c<<d->e!=f...:=", "a **= b // c << d -> e != f ... := NL $", false },
    { "an unmatched bracket", "a)", "a !unmatched ')'", false },
    { "a wrong bracket", "(a]", "( a !']' does not close the '(' that was opened before", false },
    { "an open bracket", "(a\nb", "( a b !'(' was never closed", false },
    { "a name of other letters", "größe = π", "größe = π NL $", false },
    { "typographic quotes", "x = “a”", "x = !invalid character '“' (U+201C)", false },
    { "commands", "%who\nx?\n!ls\nif a:\n  %map x\n",
      "[%who] NL [x?] NL [!ls] NL if a : NL > [%map x] NL < $", true },
    { "no command inside brackets", "(a\n% b)", "( a % b ) NL $", true },
    { "no commands in a script", "x?", "x !'?' has no meaning here", false },
};

static void put(Text *out, const Lexer *x, const Token *token)
{
    if (out->n > 0)
        text_char(out, ' ');
    switch (token->kind) {
    case T_NAME: case T_NUMBER: case T_STRING: text_add(out, x->text + token->start,
                                                        token->end - token->start); break;
    case T_COMMAND: text_print(out, "[%.*s]", (int)(token->end - token->start),
                               x->text + token->start); break;
    case T_NEWLINE: text_put(out, "NL"); break;
    case T_INDENT: text_char(out, '>'); break;
    case T_DEDENT: text_char(out, '<'); break;
    case T_END: text_char(out, '$'); break;
    case T_ERROR: text_print(out, "!%s", x->error.kind == ERR_SYNTAX ? x->error.message
                             : err_name(x->error.kind)); break;
    default: text_put(out, token_text((TokenKind)token->kind));
    }
}

static Session *session;

static void check(void **state)
{
    const Case *row = *state;
    Err err = { .kind = ERR_NONE };
    Text out = { 0 };
    Lexer x = { .s = session, .text = row->text, .end = (uint32_t)strlen(row->text), .commands =
                row->commands };
    assert_true(lex(&x, &err));
    for (size_t i = 0; i < x.tokens; i++)
        put(&out, &x, &x.token[i]);
    assert_string_equal(text_end(&out), row->tokens);
    text_free(&out);
    lex_free(&x);
}

static int open_session(void **state)
{
    Err err = { .kind = ERR_NONE };
    (void)state;
    session = session_new(&(Observer){ 0 }, &(SessionOptions){ 0 }, &err);
    return session ? 0 : -1;
}

static int close_session(void **state)
{
    (void)state;
    session_free(session);
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){ cases[i].name, check, NULL, NULL, (void *)&cases[i] };
    return cmocka_run_group_tests_name("lex", tests, open_session, close_session);
}
