/* test_compile.c - statements and their instructions. Each row is a text and its code as the disassembler
 * shows it, the
 * bookkeeping around a statement left out; and every code's stack is followed along all its ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/session.h"
#include "lang/syntax/compile.h"
#include "lang/syntax/disassemble.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
typedef struct Case { CompileMode mode; const char *text, *code; } Case;
static const Case cases[] = {
    { COMPILE_SCRIPT, "x = 1",
      "INT 1; SET_GLOBAL (x)" },
    { COMPILE_SCRIPT, "x = 1000",
      "CONST 0 (1000); SET_GLOBAL (x)" },
    { COMPILE_SCRIPT, "x = -1",
      "CONST 0 (-1); SET_GLOBAL (x)" },
    { COMPILE_SCRIPT, "x = y = z",
      "GLOBAL (z); DUP 0; SET_GLOBAL (x); SET_GLOBAL (y)" },
    { COMPILE_SCRIPT, "a, b = b, a",
      "GLOBAL (b); GLOBAL (a); SWAP 0; SET_GLOBAL (a); SET_GLOBAL (b)" },
    { COMPILE_SCRIPT, "a, b, c = c, b, a",
      "GLOBAL (c); GLOBAL (b); GLOBAL (a); ROT3 0; SWAP 0; SET_GLOBAL (a); SET_GLOBAL (b); "
      "SET_GLOBAL (c)" },
    { COMPILE_SCRIPT, "a, *b, c = x",
      "GLOBAL (x); UNPACK_STAR 257; SET_GLOBAL (a); SET_GLOBAL (b); SET_GLOBAL (c)" },
    { COMPILE_SCRIPT, "[a, b] = x",
      "GLOBAL (x); UNPACK 2; SET_GLOBAL (a); SET_GLOBAL (b)" },
    { COMPILE_SCRIPT, "(a, (b, c)) = x",
      "GLOBAL (x); UNPACK 2; SET_GLOBAL (a); UNPACK 2; SET_GLOBAL (b); SET_GLOBAL (c)" },
    { COMPILE_SCRIPT, "x += 1",
      "GLOBAL (x); INT 1; INPLACE 0 (+); SET_GLOBAL (x)" },
    { COMPILE_SCRIPT, "x[0] += 1",
      "GLOBAL (x); INT 0; DUP2 0; ITEM 0; INT 1; INPLACE 0 (+); ROT3 0; SET_ITEM 0" },
    { COMPILE_SCRIPT, "x.y -= 2",
      "GLOBAL (x); DUP 0; ATTR 0 0 (y); INT 2; INPLACE 1 (-); SWAP 0; SET_ATTR 0 1 (y)" },
    { COMPILE_SCRIPT, "x[0] = y",
      "GLOBAL (y); GLOBAL (x); INT 0; SET_ITEM 0" },
    { COMPILE_SCRIPT, "x.y = z",
      "GLOBAL (z); GLOBAL (x); SET_ATTR 0 0 (y)" },
    { COMPILE_SCRIPT, "del x, y[0], z.w",
      "DEL_GLOBAL (x); GLOBAL (y); INT 0; DEL_ITEM 0; GLOBAL (z); DEL_ATTR 0 (w)" },
    { COMPILE_SCRIPT, "x: int = 3",
      "INT 3; SET_GLOBAL (x); GLOBAL (int); POP 0" },
    { COMPILE_EXPRESSION, "a + b * c",
      "GLOBAL (a); GLOBAL (b); GLOBAL (c); BINARY 2 (*); BINARY 0 (+); RETURN 0" },
    { COMPILE_EXPRESSION, "-a ** -b",
      "GLOBAL (a); GLOBAL (b); UNARY 0; BINARY 6 (**); UNARY 0; RETURN 0" },
    { COMPILE_EXPRESSION, "not a",
      "GLOBAL (a); NOT 0; RETURN 0" },
    { COMPILE_EXPRESSION, "a < b",
      "GLOBAL (a); GLOBAL (b); COMPARE 0 (<); RETURN 0" },
    { COMPILE_EXPRESSION, "a < b < c",
      "GLOBAL (a); GLOBAL (b); DUP 0; ROT3 0; COMPARE 0 (<); FALSE_OR_POP 9; GLOBAL (c); "
      "COMPARE 0 (<); JUMP 11; SWAP 0; POP 0; RETURN 0" },
    { COMPILE_EXPRESSION, "a is not b",
      "GLOBAL (a); GLOBAL (b); IS 1; RETURN 0" },
    { COMPILE_EXPRESSION, "a not in [1, 2]",
      "GLOBAL (a); CONST 0 ((1, 2)); IN 1; RETURN 0" },
    { COMPILE_EXPRESSION, "a and b or c",
      "GLOBAL (a); FALSE_OR_POP 3; GLOBAL (b); TRUE_OR_POP 5; GLOBAL (c); RETURN 0" },
    { COMPILE_EXPRESSION, "a if b else c",
      "GLOBAL (b); IF_FALSE 4; GLOBAL (a); JUMP 5; GLOBAL (c); RETURN 0" },
    { COMPILE_EXPRESSION, "(1, 'a', None)",
      "CONST 0 ((1, 'a', None)); RETURN 0" },
    { COMPILE_EXPRESSION, "[1, 2, 3]",
      "LIST 0; CONST 0 ((1, 2, 3)); LIST_EXTEND 0; RETURN 0" },
    { COMPILE_EXPRESSION, "[a, b]",
      "GLOBAL (a); GLOBAL (b); LIST 2; RETURN 0" },
    { COMPILE_EXPRESSION, "[*a, b]",
      "LIST 0; GLOBAL (a); LIST_EXTEND 0; GLOBAL (b); LIST_APPEND 1; RETURN 0" },
    { COMPILE_EXPRESSION, "(*a, b)",
      "LIST 0; GLOBAL (a); LIST_EXTEND 0; GLOBAL (b); LIST_APPEND 1; LIST_TO_TUPLE 0; RETURN 0" },
    { COMPILE_EXPRESSION, "{a, b}",
      "GLOBAL (a); GLOBAL (b); SET 2; RETURN 0" },
    { COMPILE_EXPRESSION, "{a: 1, **b, c: 2}",
      "GLOBAL (a); INT 1; DICT 1; GLOBAL (b); DICT_UPDATE 0; GLOBAL (c); INT 2; DICT_ADD 1; "
      "RETURN 0" },
    { COMPILE_EXPRESSION, "x[1:2, ...]",
      "GLOBAL (x); INT 1; INT 2; NONE 0; SLICE 0; CONST 0 (Ellipsis); TUPLE 2; ITEM 0; RETURN 0" },
    { COMPILE_EXPRESSION, "x[:, None]",
      "GLOBAL (x); NONE 0; NONE 0; NONE 0; SLICE 0; NONE 0; TUPLE 2; ITEM 0; RETURN 0" },
    { COMPILE_EXPRESSION, "f(1, a)",
      "GLOBAL (f); INT 1; GLOBAL (a); CALL 2; RETURN 0" },
    { COMPILE_EXPRESSION, "f(a, k=1, m=2)",
      "GLOBAL (f); GLOBAL (a); INT 1; INT 2; CALL_KW 3 0 (('k', 'm')); RETURN 0" },
    { COMPILE_EXPRESSION, "f(*a, b, k=1, **d)",
      "GLOBAL (f); LIST 0; GLOBAL (a); LIST_EXTEND 0; GLOBAL (b); LIST_APPEND 1; DICT 0; "
      "CONST 0 ('k'); INT 1; DICT 1; DICT_MERGE 0; GLOBAL (d); DICT_MERGE 0; CALL_EX 1; RETURN 0" },
    { COMPILE_EXPRESSION, "a.f(1)",
      "GLOBAL (a); METHOD 0 0 (f); INT 1; CALL_METHOD 1; RETURN 0" },
    { COMPILE_EXPRESSION, "a.f(k=1)",
      "GLOBAL (a); METHOD 0 0 (f); INT 1; CALL_METHOD_KW 1 0 (('k',)); RETURN 0" },
    { COMPILE_EXPRESSION, "a.b.c",
      "GLOBAL (a); ATTR 0 0 (b); ATTR 1 1 (c); RETURN 0" },
    { COMPILE_EXPRESSION, "lambda x, y=1: x + y",
      "INT 1; TUPLE 1; FUNCTION 0 1 (<lambda>); RETURN 0; "
      "<lambda>: stack 2, locals 2, cells 0, free 0; LOCAL 0 (x); LOCAL 1 (y); BINARY 0 (+); "
      "RETURN 0" },
    { COMPILE_EXPRESSION, "f'a{x}b'",
      "CONST 0 ('a'); GLOBAL (x); FORMAT 0; CONST 1 ('b'); STRING 3; RETURN 0" },
    { COMPILE_EXPRESSION, "f'{x!r:>{w}}'",
      "GLOBAL (x); CONST 0 ('>'); GLOBAL (w); FORMAT 0; STRING 2; FORMAT 242; RETURN 0" },
    { COMPILE_EXPRESSION, "f'{x = }'",
      "CONST 0 ('x = '); GLOBAL (x); FORMAT 114; STRING 2; RETURN 0" },
    { COMPILE_EXPRESSION, "'a' 'b'",
      "CONST 0 ('ab'); RETURN 0" },
    { COMPILE_EXPRESSION, "[i for i in a if i > 1]",
      "FUNCTION 0 0 (<listcomp>); GLOBAL (a); ITER 0; CALL 1; RETURN 0; "
      "<listcomp>: stack 4, locals 2, cells 0, free 0; LIST 0; LOCAL 0 (.0); FOR 11; "
      "SET_LOCAL 1 (i); LOCAL 1 (i); INT 1; COMPARE_IF_FALSE 4 10 (>); LOCAL 1 (i); LIST_APPEND 2; "
      "JUMP_BACK 2; RETURN 0" },
    { COMPILE_EXPRESSION, "{k: v for k, v in a}",
      "FUNCTION 0 0 (<dictcomp>); GLOBAL (a); ITER 0; CALL 1; RETURN 0; "
      "<dictcomp>: stack 4, locals 3, cells 0, free 0; DICT 0; LOCAL 0 (.0); FOR 10; UNPACK 2; "
      "SET_LOCAL 1 (k); SET_LOCAL 2 (v); LOCAL 1 (k); LOCAL 2 (v); DICT_ADD 2; JUMP_BACK 2; "
      "RETURN 0" },
    { COMPILE_EXPRESSION, "sum(i for i in a)",
      "GLOBAL (sum); FUNCTION 0 0 (<genexpr>); GLOBAL (a); ITER 0; CALL 1; CALL 1; RETURN 0; "
      "<genexpr>: stack 2, locals 2, cells 0, free 0; LOCAL 0 (.0); FOR 7; SET_LOCAL 1 (i); "
      "LOCAL 1 (i); YIELD 0; POP 0; JUMP_BACK 1; NONE 0; RETURN 0" },
    { COMPILE_SCRIPT, "if a: b\nelif c: d\nelse: e",
      "GLOBAL (a); IF_FALSE 6; GLOBAL (b); POP 0; JUMP 13; GLOBAL (c); IF_FALSE 11; GLOBAL (d); "
      "POP 0; JUMP 13; GLOBAL (e); POP 0" },
    { COMPILE_SCRIPT, "if not (a and b): c",
      "GLOBAL (a); IF_FALSE 5; GLOBAL (b); IF_TRUE 7; GLOBAL (c); POP 0" },
    { COMPILE_SCRIPT, "while a < 3: a += 1\nelse: b",
      "GLOBAL (a); INT 3; COMPARE_IF_FALSE 0 10 (<); GLOBAL (a); INT 1; INPLACE 0 (+); "
      "SET_GLOBAL (a); JUMP_BACK 1; GLOBAL (b); POP 0" },
    { COMPILE_SCRIPT, "while True: break",
      "JUMP 3; JUMP_BACK 1" },
    { COMPILE_SCRIPT, "for x in a:\n  if x: continue\n  break\nelse: y",
      "GLOBAL (a); ITER 0; FOR 11; SET_GLOBAL (x); GLOBAL (x); IF_FALSE 8; JUMP_BACK 3; POP 0; "
      "JUMP 13; JUMP_BACK 3; GLOBAL (y); POP 0" },
    { COMPILE_SCRIPT, "assert a, b",
      "GLOBAL (a); IF_TRUE 5; GLOBAL (b); ASSERTION 1" },
    { COMPILE_SCRIPT, "raise a from b",
      "GLOBAL (a); GLOBAL (b); RAISE 2" },
    { COMPILE_SCRIPT, "import a.b",
      "IMPORT 0 (a.b); SET_GLOBAL (a)" },
    { COMPILE_SCRIPT, "import a.b as c",
      "IMPORT_LEAF 0 (a.b); SET_GLOBAL (c)" },
    { COMPILE_SCRIPT, "from a import b, c as d",
      "IMPORT_LEAF 0 (a); IMPORT_FROM 1 (b); SET_GLOBAL (b); IMPORT_FROM 2 (c); SET_GLOBAL (d); "
      "POP 0" },
    { COMPILE_SCRIPT, "from a import *",
      "IMPORT_LEAF 0 (a); IMPORT_STAR 0" },
    { COMPILE_SCRIPT, "try: a\nexcept B as e: c\nelse: d",
      "GLOBAL (a); POP 0; GLOBAL (d); POP 0; JUMP 26; ENTER_HANDLER 0; GLOBAL (B); "
      "EXCEPTION_MATCH 0; IF_FALSE 22; SET_GLOBAL (e); GLOBAL (c); POP 0; LEAVE_HANDLER 0; NONE 0; "
      "SET_GLOBAL (e); DEL_GLOBAL (e); JUMP 26; NONE 0; SET_GLOBAL (e); DEL_GLOBAL (e); RERAISE 0; "
      "RERAISE 0; SWAP 0; LEAVE_HANDLER 0; RERAISE 0; handler 1..3 to 6, depth 0; "
      "handler 11..13 to 18, depth 1; handler 7..13 to 23, depth 1; handler 18..23 to 23, depth 1" },
    { COMPILE_SCRIPT, "try: a\nfinally: b",
      "GLOBAL (a); POP 0; GLOBAL (b); POP 0; JUMP 13; ENTER_HANDLER 0; GLOBAL (b); POP 0; "
      "RERAISE 0; SWAP 0; LEAVE_HANDLER 0; RERAISE 0; handler 1..3 to 6, depth 0; "
      "handler 7..10 to 10, depth 1" },
    { COMPILE_SCRIPT, "with a as b, c: d",
      "GLOBAL (a); WITH 0; SET_GLOBAL (b); GLOBAL (c); WITH 0; POP 0; GLOBAL (d); POP 0; "
      "WITH_END 0; JUMP 21; ENTER_HANDLER 0; WITH_ERROR 0; IF_TRUE 18; RERAISE 0; SWAP 0; "
      "LEAVE_HANDLER 0; RERAISE 0; POP 0; LEAVE_HANDLER 0; POP 0; WITH_END 0; JUMP 33; "
      "ENTER_HANDLER 0; WITH_ERROR 0; IF_TRUE 30; RERAISE 0; SWAP 0; LEAVE_HANDLER 0; RERAISE 0; "
      "POP 0; LEAVE_HANDLER 0; POP 0; handler 6..9 to 11, depth 2; handler 12..15 to 15, depth 3; "
      "handler 3..21 to 23, depth 1; handler 24..27 to 27, depth 2" },
    { COMPILE_SCRIPT, "def f(a, /, b=1, *c, d=2, **e): return a",
      "INT 1; TUPLE 1; CONST 0 ('d'); INT 2; DICT 1; FUNCTION 1 3 (f); SET_GLOBAL (f); "
      "f: stack 1, locals 5, cells 0, free 0; LOCAL 0 (a); RETURN 0; NONE 0; RETURN 0" },
    { COMPILE_SCRIPT, "def f():\n  x = 1\n  def g():\n    nonlocal x\n    x += 1\n  return g",
      "FUNCTION 0 0 (f); SET_GLOBAL (f); f: stack 1, locals 2, cells 1, free 0; INT 1; "
      "SET_CELL 1 (x); CLOSURE 1 (x); TUPLE 1; FUNCTION 0 8 (f.<locals>.g); SET_LOCAL 0 (g); "
      "LOCAL 0 (g); RETURN 0; NONE 0; RETURN 0; f.<locals>.g: stack 2, locals 1, cells 0, free 1; "
      "CELL 0 (x); INT 1; INPLACE 0 (+); SET_CELL 0 (x); NONE 0; RETURN 0" },
    { COMPILE_SCRIPT, "def f():\n  try: return a\n  finally: b",
      "FUNCTION 0 0 (f); SET_GLOBAL (f); f: stack 3, locals 0, cells 0, free 0; GLOBAL (a); "
      "GLOBAL (b); POP 0; RETURN 0; GLOBAL (b); POP 0; JUMP 14; ENTER_HANDLER 0; GLOBAL (b); "
      "POP 0; RERAISE 0; SWAP 0; LEAVE_HANDLER 0; RERAISE 0; NONE 0; RETURN 0; "
      "handler 0..1 to 7, depth 0; handler 8..11 to 11, depth 1" },
    { COMPILE_SCRIPT, "def f():\n  for x in a:\n    try: return x\n    finally: b",
      "FUNCTION 0 0 (f); SET_GLOBAL (f); f: stack 4, locals 1, cells 0, free 0; GLOBAL (a); "
      "ITER 0; FOR 21; SET_LOCAL 0 (x); LOCAL 0 (x); GLOBAL (b); POP 0; SWAP 0; POP 0; RETURN 0; "
      "GLOBAL (b); POP 0; JUMP 20; ENTER_HANDLER 0; GLOBAL (b); POP 0; RERAISE 0; SWAP 0; "
      "LEAVE_HANDLER 0; RERAISE 0; JUMP_BACK 2; NONE 0; RETURN 0; handler 4..5 to 13, depth 1; "
      "handler 14..17 to 17, depth 2" },
    { COMPILE_SCRIPT, "def f():\n  yield 1\n  x = yield from g",
      "FUNCTION 0 0 (f); SET_GLOBAL (f); f: stack 2, locals 1, cells 0, free 0; INT 1; YIELD 0; "
      "POP 0; GLOBAL (g); ITER 0; NONE 0; YIELD_FROM 0; SET_LOCAL 0 (x); NONE 0; RETURN 0" },
    { COMPILE_SCRIPT, "class A(B):\n  'doc'\n  x = 1\n  def f(self): return super().f(x)",
      "GLOBAL (B); TUPLE 1; FUNCTION 0 0 (A); BUILD_CLASS 1 0 ('A'); SET_GLOBAL (A); "
      "A: stack 1, locals 1, cells 1, free 0; CONST 0 ('doc'); SET_CLASS_NAME 0 (__doc__); INT 1; "
      "SET_CLASS_NAME 1 (x); CLOSURE 0 (__class__); TUPLE 1; FUNCTION 1 8 (A.f); "
      "SET_CLASS_NAME 2 (f); CLOSURE 0 (__class__); RETURN 0; "
      "A.f: stack 3, locals 2, cells 0, free 1; GLOBAL (super); CALL 0; METHOD 0 0 (f); "
      "GLOBAL (x); CALL_METHOD 1; RETURN 0; NONE 0; RETURN 0" },
    { COMPILE_SCRIPT, "@d\ndef f() -> int: pass",
      "GLOBAL (d); CONST 0 ('return'); GLOBAL (int); DICT 1; FUNCTION 1 4 (f); CALL 1; "
      "SET_GLOBAL (f); f: stack 1, locals 0, cells 0, free 0; NONE 0; RETURN 0" },
    { COMPILE_SCRIPT, "def f(x):\n  return [x for y in x]",
      "FUNCTION 0 0 (f); SET_GLOBAL (f); f: stack 2, locals 2, cells 1, free 0; CLOSURE 1 (x); "
      "TUPLE 1; FUNCTION 0 8 (f.<locals>.<listcomp>); CELL 1 (x); ITER 0; CALL 1; RETURN 0; "
      "NONE 0; RETURN 0; f.<locals>.<listcomp>: stack 3, locals 3, cells 0, free 1; LIST 0; "
      "LOCAL 0 (.0); FOR 7; SET_LOCAL 1 (y); CELL 2 (x); LIST_APPEND 2; JUMP_BACK 2; RETURN 0" },
    { COMPILE_PROMPT, "x",
      "GLOBAL (x); RESULT 0" },
    { COMPILE_PROMPT, "for i in a: i",
      "GLOBAL (a); ITER 0; FOR 8; SET_GLOBAL (i); GLOBAL (i); RESULT 1; JUMP_BACK 3" },
    { COMPILE_CELL, "x\ny",
      "GLOBAL (x); RESULT 0; GLOBAL (y); RESULT 0" },
    { COMPILE_CELL, "y;",
      "GLOBAL (y); RESULT 0" },
    { COMPILE_CELL, "%who\ny",
      "COMMAND 0 ('%who'); GLOBAL (y); RESULT 0" },
};

static Session *session;

static int words_of(Opcode op)
{
    static const int words[] = {
#define CODE(name, n, text) n,
#include "lang/syntax/code.def"
    };
    return words[op];
}

/* Says that instruction `at` is reached with so many values on the stack. */
static void reach(int *depth, int *todo, int *n, int at, int values)
{
    if (depth[at] < 0)
        todo[(*n)++] = at;
    else
        assert_int_equal(depth[at], values);
    depth[at] = values;
}

static void follow(const Code *code)
{
    int *depth = malloc((size_t)code->size * sizeof *depth), *todo =
        malloc((size_t)code->size * sizeof *todo), n = 0, deepest = 0;
    memset(depth, -1, (size_t)code->size * sizeof *depth);
    reach(depth, todo, &n, 0, 0);
    while (n > 0) {
        int at = todo[--n], values = depth[at];
        Opcode op = instr_op(code->code[at]);
        uint32_t arg = instr_arg(code->code[at]), word = words_of(op) == 2 ? code->code[at + 1] : 0;
        int after = values + code_effect(op, arg, word, false);
        assert_true(after >= 0);
        deepest = after > deepest ? after : deepest;
        for (int k = 0; k < code->handlers; k++)
            if (at >= code->handler[k].start && at < code->handler[k].end) {
                assert_true(code->handler[k].depth <= values);
                reach(depth, todo, &n, code->handler[k].handler, code->handler[k].depth + 1);
                break;
            }
        bool leaves = op == CODE_JUMP || op == CODE_JUMP_BACK || op == CODE_RETURN || op == CODE_RAISE ||
            op == CODE_RERAISE ||
                      op == CODE_ASSERTION;
        bool jumps = op == CODE_JUMP || op == CODE_JUMP_BACK || op == CODE_IF_FALSE || op == CODE_IF_TRUE ||
                     op == CODE_FALSE_OR_POP || op == CODE_TRUE_OR_POP || op == CODE_FOR ||
                         op == CODE_COMPARE_IF_FALSE;
        if (!leaves)
            reach(depth, todo, &n, at + words_of(op), after);
        if (jumps)
            reach(depth, todo, &n, (int)(op == CODE_COMPARE_IF_FALSE ? word : arg),
                  values + code_effect(op, arg, word, true));
    }
    assert_true(deepest <= code->stack);
    for (int i = 0; i < code->constants; i++)
        if (value_is(code->constant[i], TYPE_CODE))
            follow((Code *)code->constant[i].object);
    free(depth);
    free(todo);
}

/* Instructions alone, joined by semicolons, without indices, slots of globals and what every statement has.
 * */
static void shorten(Text *text, Text *out)
{
    static const char *const dull[] = { "STATEMENT", "STATEMENT_END", "<module>:" };
    char *line = text_end(text);
    for (char *next; line && *line; line = next) {
        next = strchr(line, '\n');
        *next++ = 0;
        line += strspn(line, "0123456789");
        line += *line == ' ';
        bool skip = false;
        for (size_t i = 0; i < COUNT(dull); i++)
            skip = skip || strncmp(line, dull[i], strlen(dull[i])) == 0;
        char *name = strstr(line, " (");
        if (strstr(line, "GLOBAL") && name)
            memmove(strchr(line, ' '), name, strlen(name) + 1);
        if (!skip && out->n > 0)
            text_put(out, "; ");
        if (!skip)
            text_put(out, line);
    }
}

static void check(void **state)
{
    const Case *row = *state;
    Err err = { .kind = ERR_NONE };
    Place place;
    Text text = { 0 }, out = { 0 };
    int source = source_add(session, "<test>", row->text, strlen(row->text), &err);
    Code *code = compile_source(session, source, row->mode, &place, &err);
    assert_non_null(code);
    follow(code);
    code_print(session, code, &text);
    shorten(&text, &out);
    const char *tail = "; NONE 0; RETURN 0";
    char *s = text_end(&out), *end = strstr(s, tail);
    if (end && row->mode != COMPILE_EXPRESSION)
        memmove(end, end + strlen(tail), strlen(end + strlen(tail)) + 1);
    assert_string_equal(s, row->code);
    object_release(&code->head);
    text_free(&text);
    text_free(&out);
}

/* Each instruction names the stretch of text that an error or an event is about. */
static void check_places(void **state)
{
    static const struct { const char *text; Opcode op; const char *span; } rows[] = {
        { "Y = Y + X", CODE_BINARY, "Y + X" },          { "x = f(a, b)[0]", CODE_CALL, "f(a, b)" },
        { "x = f(a)[0]", CODE_ITEM, "f(a)[0]" },        { "x = a.b.c", CODE_ATTR, "a.b" },
        { "x[0] = y", CODE_SET_ITEM, "x[0]" },          { "x[0] += y", CODE_INPLACE, "x[0] += y" },
        { "größe = x", CODE_SET_GLOBAL, "größe" },      { "@d\ndef f():\n  pass\n", CODE_STATEMENT,
                                                          "@d\ndef f():\n  pass" },
        { "x = a; y = b", CODE_STATEMENT, "x = a" },    { "x = a.f(1)", CODE_METHOD, "a.f" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        Err err = { .kind = ERR_NONE };
        Place place;
        size_t n = 0;
        int source = source_add(session, "<test>", rows[i].text, strlen(rows[i].text), &err), at = 0;
        Code *code = compile_source(session, source, COMPILE_SCRIPT, &place, &err);
        assert_non_null(code);
        while (instr_op(code->code[at]) != rows[i].op)
            at += words_of(instr_op(code->code[at]));
        const char *span = source_span(session, code->place[at], &n);
        assert_int_equal(n, strlen(rows[i].span));
        assert_memory_equal(span, rows[i].span, n);
        object_release(&code->head);
    }
}

/* Equal constants of one type are one value; 1, 1.0 and True, and 0.0 and -0.0, are not. */
static void check_constants(void **state)
{
    static const char text[] = "a = 1000; b = 1000; c = 1000.0; d = (1000, 'a b'); e = (1000, 'a b'); f = 'a b'\n"
                               "g = 0.0; h = -0.0";
    Err err = { .kind = ERR_NONE };
    Place place;
    (void)state;
    int source = source_add(session, "<test>", text, strlen(text), &err);
    Code *code = compile_source(session, source, COMPILE_SCRIPT, &place, &err);
    assert_non_null(code);
    assert_int_equal(code->constants, 6);
    Tuple *tuple = (Tuple *)code->constant[2].object;
    assert_true(tuple->item[0].tag == code->constant[0].tag);
    assert_ptr_equal(tuple->item[1].object, code->constant[3].object);
    object_release(&code->head);
}

/* Whatever request for memory is refused, nothing is left behind. */
static void check_memory(void **state)
{
    static const char text[] = "class C(B):\n  def f(self, x=1, *a, k=2, **kw):\n"
                               "    try:\n      return super().f(f'{x!r:>{k}}')\n"
                               "    finally:\n      y = [i for i in a if i]\n";
    (void)state;
    Heap *heap = session_heap(session);
    for (int64_t n = 0; ; n++) {
        Err err = { .kind = ERR_NONE };
        Place place;
        int64_t before = mem_count(heap);
        int source = source_add(session, "<test>", text, strlen(text), &err);
        assert_true(source > 0);
        before = mem_count(heap);
        heap_fail_after(heap, n);
        Code *code = compile_source(session, source, COMPILE_SCRIPT, &place, &err);
        heap_fail_after(heap, -1);
        if (code) {
            object_release(&code->head);
            break;
        }
        assert_int_equal(err.kind, ERR_MEMORY);
        assert_true(mem_count(heap) <= before + 4);     /* the session's own tables may have grown */
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
    struct CMUnitTest tests[COUNT(cases) + 3];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[n++] = (struct CMUnitTest){ title(cases[i].text), check, NULL, NULL, (void *)&cases[i] };
    tests[n++] = (struct CMUnitTest){ "places", check_places, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "constants", check_constants, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "memory", check_memory, NULL, NULL, NULL };
    return cmocka_run_group_tests_name("compile", tests, open_session, close_session);
}
