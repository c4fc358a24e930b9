/* test_parse.c - what is no program: each row is a text, where its error stands, and what it says; and
 * whether a text typed
 * so far is whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "lang/session.h"
#include "lang/syntax/code.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
typedef struct Case { const char *text, *error; } Case;     /* error: "line:column kind: message" */
static const Case cases[] = {
    { "x = (1, 2\ny = 3\n", "1:4 SyntaxError: '(' was never closed" },
    { "if x\n  y", "1:4 SyntaxError: expected ':'" },
    { "if x = 3: pass", "1:5 SyntaxError: invalid syntax: perhaps you meant '==' instead of '='?" },
    { "print 'x'", "1:0 SyntaxError: parentheses are missing in the call of print" },
    { "match x:\n  case 1: pass", "1:0 SyntaxError: the 'match' statement is not supported by Locus" },
    { "class = 3", "1:6 SyntaxError: a name was expected, not '='" },
    { "x = 5 +", "1:7 SyntaxError: invalid syntax: the line ends too early" },
    { "(1, 2))", "1:6 SyntaxError: unmatched ')'" },
    { "else: x", "1:0 SyntaxError: 'else' belongs to no block above it" },
    { "x ++", "1:4 SyntaxError: invalid syntax: the line ends too early" },
    { "async def f(): pass", "1:0 SyntaxError: 'async' is not supported by Locus" },
    { "(y := 3)", "1:3 SyntaxError: ':=' (the walrus operator) is not supported by Locus" },
    { "class C(metaclass=M): pass", "1:8 SyntaxError: 'metaclass=' is not supported by Locus" },
    { "@d\nclass C: pass", "fine" },
    { "b'x' b'y'", "fine" },
    { "b'x' 'y'", "1:5 SyntaxError: cannot mix bytes and nonbytes literals" },
    { "3j", "1:0 SyntaxError: an imaginary number is not supported by Locus" },
    { "'\\N{DASH}'", "1:1 SyntaxError: '\\N{…}' in a string is not supported by Locus" },
    { "from . import x", "1:5 SyntaxError: a relative import is not supported by Locus" },
    { "return 1", "1:0 SyntaxError: 'return' outside of a function" },
    { "yield 1", "1:0 SyntaxError: 'yield' outside of a function" },
    { "break", "1:0 SyntaxError: 'break' outside of a loop" },
    { "def f():\n  continue", "2:2 SyntaxError: 'continue' outside of a loop" },
    { "1 = x", "1:0 SyntaxError: cannot assign to a literal" },
    { "f() = 3", "1:0 SyntaxError: cannot assign to the result of a call" },
    { "f(x)=3\n", "1:0 SyntaxError: cannot assign to the result of a call" },
    { "def f(a, a): pass", "1:9 SyntaxError: two parameters are called 'a'" },
    { "nonlocal x", "1:0 SyntaxError: 'nonlocal' has no meaning outside of a function" },
    { "def f():\n  from x import *",
      "2:2 SyntaxError: 'import *' is allowed only outside of functions and classes" },
    { "x = 'abc\n", "1:4 SyntaxError: this string was never closed: ' is missing at the end of the line" },
    { "x = '''abc\n", "1:4 SyntaxError: this string was never closed: ''' is missing" },
    { "  x = 1", "1:2 IndentationError: unexpected indent: nothing above this line opens a block" },
    { "if x:\ny", "2:0 IndentationError: an indented block was expected after 'if'" },
    { "if x:\n    y\n  z",
      "3:0 IndentationError: this line is indented less than the block before it, but not as far as any outer one" },
    { "if x:\n\ty\n        z",
      "3:0 TabError: tabs and blanks are mixed in the indentation so that it depends on the width of a tab" },
    { "f(a=1, 2)", "1:7 SyntaxError: a positional argument stands behind a keyword argument" },
    { "f(**a, *b)", "1:7 SyntaxError: a '*' argument cannot stand behind a '**' argument" },
    { "f(a=1,a=2)", "1:6 SyntaxError: keyword argument repeated: a" },
    { "def f(a=1, b): pass",
      "1:11 SyntaxError: the parameter 'b' without a default stands behind one with a default" },
    { "lambda *: 1", "1:7 SyntaxError: behind a bare '*' a keyword-only parameter must follow" },
    { "0123", "1:0 SyntaxError: a decimal number may not begin with 0; for an octal one write 0o…" },
    { "1_000_", "1:0 SyntaxError: invalid decimal number: an underscore may stand only between digits" },
    { "0x", "1:0 SyntaxError: invalid hexadecimal number: a digit was expected" },
    { "0b12", "1:3 SyntaxError: the digit '2' is not one of a binary number" },
    { "1abc", "1:0 SyntaxError: invalid decimal number: a name or a digit stands right behind it" },
    { "x = “hi”", "1:4 SyntaxError: invalid character '“' (U+201C)" },
    { "a, b += 1", "1:0 SyntaxError: '+=' cannot change a tuple: it needs a name, an attribute or an item" },
    { "del f()", "1:4 SyntaxError: cannot delete the result of a call" },
    { "del x, (y, z), w[0]", "fine" },
    { "f'{'", "1:2 SyntaxError: '{' in an f-string was never closed" },
    { "f'{}'", "1:2 SyntaxError: an expression is missing in the {…} of an f-string" },
    { "f'{x!z}'", "1:4 SyntaxError: behind '!' in an f-string stands 's', 'r' or 'a'" },
    { "f'}'", "1:2 SyntaxError: a single '}' in an f-string: write '}}' to show one" },
    { "f'{a\\n}'", "1:4 SyntaxError: the {…} of an f-string may not hold a backslash" },
    { "x = [1,\n 2\n", "1:4 SyntaxError: '[' was never closed" },
    { "try:\n  x\n", "3:0 SyntaxError: 'except' or 'finally' was expected after the block of 'try'" },
    { "try:\n  x\ny", "3:0 SyntaxError: 'except' or 'finally' was expected after the block of 'try'" },
    { "for x in y: pass\nelse if z: pass",
      "2:0 SyntaxError: invalid syntax: perhaps you meant 'elif' instead of 'else if'?" },
    { "if a:\n pass\nelse if b:\n pass",
      "3:0 SyntaxError: invalid syntax: perhaps you meant 'elif' instead of 'else if'?" },
    { "x = 1\n%who\n",
      "2:0 SyntaxError: invalid syntax: commands (%…) are for the prompt and for cells; a script is plain Python" },
    { "global x\nx=1", "fine" },
    { "def f():\n  x=1\n  global x", "3:9 SyntaxError: 'x' is assigned before it is declared global" },
    { "def f(x):\n  global x", "2:9 SyntaxError: 'x' is a parameter and cannot be global" },
    { "def f():\n  nonlocal q",
      "2:11 SyntaxError: no function around this one binds 'q', so it cannot be nonlocal" },
    { "x = yield", "1:4 SyntaxError: 'yield' outside of a function" },
    { "a if b", "1:0 SyntaxError: a conditional expression needs 'else' and a value" },
    { "for f() in x: pass", "1:4 SyntaxError: cannot assign to the result of a call" },
    { "[x for x in *a]", "1:12 SyntaxError: invalid syntax: '*' may not stand here" },
    { "{**a for a in b}", "1:1 SyntaxError: a comprehension cannot unpack with '*' or '**'" },
    { "{1:2, 3}", "1:7 SyntaxError: ':' and a value are missing behind this key of a dict" },
    { "{1, 2:3}", "1:4 SyntaxError: a set holds values, not pairs with ':'" },
    { "with a as f(): pass", "1:10 SyntaxError: cannot assign to the result of a call" },
    { "import a.b as c.d", "1:15 SyntaxError: invalid syntax: '.' may not stand here" },
    { "from x import (a, b,)", "fine" },
    { "from x import a,", "1:16 SyntaxError: a name was expected" },
    { "from __future__ import nope", "1:23 SyntaxError: the future feature 'nope' is not defined" },
    { "*a = 3", "1:0 SyntaxError: a starred expression may stand only in a list, a tuple or a call" },
    { "*a, = 3", "fine" },
    { "*a, *b = 3", "1:4 SyntaxError: two starred targets in one assignment" },
    { "x: int = 3", "fine" },
    { "(x, y): int", "1:0 SyntaxError: only a single name, attribute or item can be annotated" },
    { "x = 1 2",
      "1:6 SyntaxError: invalid syntax: a number may not stand here; is an operator or a comma missing before it?" },
    { "x = a b",
      "1:6 SyntaxError: invalid syntax: a name may not stand here; is an operator or a comma missing before it?" },
    { "print(a b)",
      "1:8 SyntaxError: invalid syntax: a name may not stand here; is an operator or a comma missing before it?" },
    { "f(x for x in y, 1)",
      "1:2 SyntaxError: a generator expression needs parentheses of its own unless it is the only argument" },
    { "f(1, x for x in y)",
      "1:5 SyntaxError: a generator expression needs parentheses of its own unless it is the only argument" },
    { "assert", "1:6 SyntaxError: invalid syntax: the line ends too early" },
    { "import", "1:6 SyntaxError: a name was expected" },
    { "def", "1:3 SyntaxError: a name was expected" },
    { "raise x from", "1:12 SyntaxError: invalid syntax: the line ends too early" },
    { "x = $", "1:4 SyntaxError: '$' has no meaning here" },
    { "x = a?", "1:5 SyntaxError: '?' has no meaning here" },
    { "%time x", "1:0 SyntaxError: invalid syntax: commands (%…) are for the prompt and for cells; a script is plain Python" },
    { "!ls", "1:0 SyntaxError: '!' has no meaning here" },
    { "x?", "1:1 SyntaxError: '?' has no meaning here" },
    { "`x`", "1:0 SyntaxError: '`' has no meaning here" },
    { "a <> b", "1:3 SyntaxError: invalid syntax: '>' may not stand here" },
    { "x = [1, 2", "1:4 SyntaxError: '[' was never closed" },
    { "d = {'a': 1 'b': 2}",
      "1:12 SyntaxError: invalid syntax: a string may not stand here; is an operator or a comma missing before it?" },
    { "while True print(1)", "1:10 SyntaxError: expected ':'" },
    { "def f()\n  pass", "1:7 SyntaxError: expected ':'" },
    { "class A\n pass", "1:7 SyntaxError: expected ':'" },
    { "f(x y)",
      "1:4 SyntaxError: invalid syntax: a name may not stand here; is an operator or a comma missing before it?" },
    { "a = 1 if b else", "1:15 SyntaxError: invalid syntax: the line ends too early" },
    { "x.1",
      "1:1 SyntaxError: invalid syntax: a number may not stand here; is an operator or a comma missing before it?" },
    { "1.x", "1:0 SyntaxError: invalid decimal number: a name or a digit stands right behind it" },
    { "1..real", "fine" },
    { "x = 'a' b",
      "1:8 SyntaxError: invalid syntax: a name may not stand here; is an operator or a comma missing before it?" },
    { "except*", "1:0 SyntaxError: 'except' belongs to no block above it" },
    { "try:\n x\nexcept* E:\n y", "3:0 SyntaxError: 'except*' is not supported by Locus" },
    { "try: x\nexcept A, B: y",
      "2:7 SyntaxError: several exception classes need parentheses: except (A, B):" },
    { "None = 1", "1:0 SyntaxError: cannot assign to None" },
    { "f(None=1)", "1:2 SyntaxError: the left side of '=' in a call must be the name of a parameter" },
    { "f(True)", "fine" },
    { "x = not", "1:7 SyntaxError: invalid syntax: the line ends too early" },
    { "a not b", "1:2 SyntaxError: invalid syntax: 'not' may not stand here (it is a word of the language)" },
    { "a = b = c = 1", "fine" },
    { "a = 1 = b", "1:4 SyntaxError: cannot assign to a literal" },
    { "(a) += 1", "fine" },
    { "(a, b) += 1",
      "1:0 SyntaxError: '+=' cannot change a tuple: it needs a name, an attribute or an item" },
    { "'\\xz'", "1:1 SyntaxError: '\\x' in a string needs 2 hexadecimal digits" },
    { "'\\ud800'", "1:1 SyntaxError: the lone surrogate U+D800 is not supported by Locus" },
    { "print(x", "1:5 SyntaxError: '(' was never closed" },
    { "x = 0777", "1:4 SyntaxError: a decimal number may not begin with 0; for an octal one write 0o…" },
    { "1__0", "1:0 SyntaxError: invalid decimal number: an underscore may stand only between digits" },
    { "1e", "1:0 SyntaxError: invalid decimal number: a name or a digit stands right behind it" },
    { "1e5_", "1:0 SyntaxError: invalid decimal number: an underscore may stand only between digits" },
    { "0_7", "1:0 SyntaxError: a decimal number may not begin with 0; for an octal one write 0o…" },
    { "00", "fine" },
    { "0o8", "1:0 SyntaxError: invalid octal number: a digit was expected" },
    { "if 1:\n    x\n\ty",
      "3:0 TabError: tabs and blanks are mixed in the indentation so that it depends on the width of a tab" },
};

/* 0 whole, 1 more to come, 2 wrong; and the columns that the next line begins with. */
typedef struct Whole { const char *text; int answer, indent; } Whole;
static const Whole wholes[] = {
    { "", 0, 0 }, { "x = 1", 0, 0 }, { "# c", 0, 0 }, { "%who", 0, 0 }, { "x?", 0, 0 },
    { "if x:", 1, 4 }, { "if x:\n    y\n", 1, 4 }, { "if x:\n    y\n\n", 0, 0 }, { "if x: y", 1, 0 },
    { "if x: y\n\n", 0, 0 }, { "def f():\n    return 1\n", 1, 0 }, { "for i in x:\n    if i:\n        pass",
                                                                     1, 4 },
    { "if x:\n    y\nelse:", 1, 4 }, { "try:\n    x\n", 1, 4 }, { "try:\n    x\n\n", 2, 0 }, { "@d\n", 1, 0 },
    { "x = (1,", 1, 0 }, { "f(\n\n\n", 1, 0 }, { "x = '''a", 1, 0 }, { "x = \\\n", 1, 0 },
    { "x = 'a", 2, 0 }, { "x = 1 +", 2, 0 }, { "else: x", 2, 0 }, { "  x", 2, 0 },
};

static Session *session;

static void check(void **state)
{
    const Case *row = *state;
    Err err = { .kind = ERR_NONE };
    Place place;
    char found[1200] = "fine";
    int source = source_add(session, "<test>", row->text, strlen(row->text), &err);
    Code *code = source ? compile_source(session, source, COMPILE_SCRIPT, &place, &err) : NULL;
    if (!code)
        snprintf(found, sizeof found, "%d:%d %s: %s", place.line, place.column, err_name(err.kind),
                 err.message);
    else
        object_release(&code->head);
    assert_string_equal(found, row->error);
}

static void check_whole(void **state)
{
    const Whole *row = *state;
    int indent = -1;
    assert_int_equal(syntax_check(session, row->text, strlen(row->text), &indent), row->answer);
    assert_int_equal(indent, row->indent);
}

/* Long and deep texts are compiled, or refused, without running out of stack. */
static void check_size(void **state)
{
    static const struct { const char *before, *again, *after; int times; bool good; } texts[] = {
        { "x = ", "1+", "1", 100000, true },    { "x = ", "-", "1", 100000, true },
              { "x = ", "not ", "1", 100000, true },
        { "x = a", ".b", "", 100000, true },    { "x = a", "()", "", 100000, true },
             { "", "x = ", "1", 100000, true },
        { "if a: pass\n", "elif b: pass\n", "", 100000, true },                       { "x = [", "1,", "]",
                100000, true },
        { "x = a", " and a", "", 100000, true },                                     { "x = a", " < a", "",
                100000, true },
        { "", "(", "", 201, false },            { "x = ", "lambda: ", "1", 1000000, false },
        { "x = ", "1 if a else ", "1", 1000000, false },                             { "x = ", "a**-", "1",
                1000000, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        Err err = { .kind = ERR_NONE };
        Place place;
        Text text = { 0 };
        text_put(&text, texts[i].before);
        for (int k = 0; k < texts[i].times; k++)
            text_put(&text, texts[i].again);
        text_put(&text, texts[i].after);
        int source = source_add(session, "<test>", text.s, text.n, &err);
        Code *code = compile_source(session, source, COMPILE_SCRIPT, &place, &err);
        assert_int_equal(code != NULL, texts[i].good);
        assert_int_equal(err.kind, texts[i].good ? ERR_NONE : ERR_SYNTAX);
        if (code)
            object_release(&code->head);
        text_free(&text);
    }
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

/* A text as the name of its test: on one line. */
static const char *title(const char *text)
{
    static char room[COUNT(cases) + 64][60];
    static size_t used;
    char *to = room[used++];
    snprintf(to, sizeof room[0], "%s", text);
    for (; *to; to++)
        *to = *to == '\n' ? '|' : *to;
    return room[used - 1];
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + COUNT(wholes) + 1];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[n++] = (struct CMUnitTest){ title(cases[i].text), check, NULL, NULL, (void *)&cases[i] };
    for (size_t i = 0; i < COUNT(wholes); i++)
        tests[n++] = (struct CMUnitTest){ title(wholes[i].text), check_whole, NULL, NULL,
                                          (void *)&wholes[i] };
    tests[n++] = (struct CMUnitTest){ "long and deep texts", check_size, NULL, NULL, NULL };
    return cmocka_run_group_tests_name("parse", tests, open_session, close_session);
}
