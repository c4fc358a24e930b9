/* test_complete.c - completion, help and snapshots in a session in which a few lines have run. The cursor stands at `|`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/session.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
static const char prepared[] =
    "calls = 0\n"
    "class Point:\n"
    "    'A point of the plane.'\n"
    "    def __init__(self, x, y=2):\n"
    "        self.x = x\n"
    "        self.y = y\n"
    "    @property\n"
    "    def trap(self):\n"
    "        global calls\n"
    "        calls += 1\n"
    "    def move(self, dx, *, dy=0):\n"
    "        'Moves it.'\n"
    "def twice(value, /, times=2, *rest, named=None, **more):\n"
    "    '''Doubles.\n\n    And more.\n    '''\n"
    "    return value * times\n"
    "point = Point(1)\n"
    "numbers = [1, 2.5, 'a', None, True, [3]]\n"
    "numbers.append(numbers)\n"
    "table = {'k': (1, 2)}\n";

/* What must be among the candidates, separated by blanks; after a `-`, what must not. */
typedef struct Case { const char *text, *among; } Case;
static const Case cases[] = {
    { "numb|", "numbers" },                     { "poi|nt", "point" },
    { "whi|", "while" },                        { "prin|", "print" },
    { "point.|", "x y move trap" },             { "point.__|", "__init__" },
    { "point.|", "x - __init__" },              { "Point.mo|", "move" },
    { "x = point.m|", "move - x" },             { "numbers.app|", "append" },
    { "'abc'.up|", "upper" },                   { "table.ke|", "keys" },
    { "twice(1, ti|", "times=" },               { "twice(|", "times= named= - value=" },
    { "Point(|", "x= y=" },                     { "point.move(d|", "dx= dy=" },
    { "f'{numb|", "numbers" },                  { "'numb|", "- numbers" },
    { "# numb|", "- numbers" },                 { "later = 1\nlat|", "later" },
    { "import ma|", "math" },                   { "(numb|", "numbers" },
    { "1 +* )\nnumb|", "numbers" },             { "xyzzy|", "- xyzzy" },
};

static Session *session;

static bool has(const Completion *c, const char *word, size_t n)
{
    for (size_t i = 0; i < c->count; i++)
        if (strlen(c->match[i]) == n && memcmp(c->match[i], word, n) == 0)
            return true;
    return false;
}

/* Takes the bar out of a text; answers where it stood. */
static size_t take_cursor(const char *text, char *plain)
{
    size_t at = strcspn(text, "|");
    memcpy(plain, text, at);
    strcpy(plain + at, text + at + (text[at] == '|'));
    return at;
}

static void check(void **state)
{
    const Case *row = *state;
    char plain[200];
    size_t at = take_cursor(row->text, plain);
    Completion c;
    bool wanted = true;
    assert_true(session_complete(session, plain, strlen(plain), at, &c));
    for (const char *word = row->among; *word; word += strspn(word, " ")) {
        size_t n = strcspn(word, " ");
        if (n == 1 && *word == '-')
            wanted = false;
        else if (has(&c, word, n) != wanted)
            fail_msg("%.*s %s", (int)n, word, wanted ? "is missing" : "is there");
        word += n;
    }
    if (c.count > 0)
        assert_true(c.start <= at && c.end == at);
    completion_free(&c);
}

static void check_help(void **state)
{
    static const struct { const char *text, *part; int detail; } rows[] = {
        { "twi|ce", "twice(value, /, times=2, *rest, named=None, **more)", 0 },
        { "twice(1, |", "Doubles.", 0 },                { "twice(1, |", "\nAnd more.", 0 },
        { "point.mo|ve", "move(dx, *, dy=0)", 0 },      { "point.move|", "Moves it.", 0 },
        { "Point|", "A point of the plane.", 0 },       { "Point|", "Point(x, y=2)", 0 },
        { "num|bers", "list", 0 },                      { "twice|", "return value * times", 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char plain[200];
        size_t at = take_cursor(rows[i].text, plain);
        char *text = session_inspect(session, plain, strlen(plain), at, rows[i].detail);
        if (!text || !strstr(text, rows[i].part))
            fail_msg("%s: %s", rows[i].text, text ? text : "nothing");
        free(text);
    }
    assert_null(session_inspect(session, "nobody", 6, 3, 0));
    assert_null(session_inspect(session, "'twice'", 7, 3, 0));
}

static const Fact *find(const Snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->names; i++)
        if (strcmp(snapshot->name[i].name, name) == 0)
            return &snapshot->name[i].fact;
    return NULL;
}

static void check_snapshot(void **state)
{
    (void)state;
    Snapshot *snapshot = session_snapshot(session, 8, 100);
    assert_non_null(snapshot);
    const Fact *numbers = find(snapshot, "numbers"), *table = find(snapshot, "table"), *point = find(snapshot, "point");
    assert_int_equal(numbers->kind, FACT_LIST);
    assert_int_equal(numbers->items, 7);
    assert_string_equal(numbers->item[0].text, "1");
    assert_true(numbers->item[1].f == 2.5);
    assert_string_equal(numbers->item[2].text, "a");
    assert_int_equal(numbers->item[3].kind, FACT_NONE);
    assert_true(numbers->item[4].b);
    assert_int_equal(numbers->item[6].items, 0);        /* itself: cut */
    assert_true(numbers->item[6].object == numbers->object);
    assert_string_equal(table->item[0].key, "'k'");
    assert_int_equal(table->item[0].items, 2);
    assert_int_equal(point->kind, FACT_INSTANCE);
    assert_string_equal(point->type, "Point");
    assert_string_equal(point->item[0].key, "x");
    assert_int_equal(find(snapshot, "twice")->kind, FACT_HIDDEN);
    assert_null(find(snapshot, "later"));
    assert_string_equal(find(snapshot, "calls")->text, "0");    /* nothing of the program ran */
    snapshot_free(snapshot);
    snapshot = session_snapshot(session, 0, 2);
    assert_int_equal(find(snapshot, "numbers")->items, 0);
    assert_true(find(snapshot, "numbers")->cut);
    snapshot_free(snapshot);
    snapshot = session_snapshot(session, 1, 2);
    assert_int_equal(find(snapshot, "numbers")->items, 2);
    assert_int_equal(find(snapshot, "numbers")->length, 7);
    snapshot_free(snapshot);
}

/* What cells keep of their results is no name of the program, unless it is given one. */
static void check_out(void **state)
{
    (void)state;
    static const char *const cell[] = { "1 + 1", "kept = Out", "Out = 3" };
    static const bool named[] = { false, false, true };
    for (int i = 0; i < 3; i++) {
        Err err = { .kind = ERR_NONE };
        assert_true(session_run(session, RUN_CELL, "<cell>", cell[i], strlen(cell[i]), i + 1, &err));
        Snapshot *snapshot = session_snapshot(session, 1, 10);
        assert_int_equal(find(snapshot, "Out") != NULL, named[i]);
        assert_null(find(snapshot, "_"));
        assert_int_equal(find(snapshot, "kept") != NULL, i > 0);
        bool held = false;
        for (size_t h = 0; h < snapshot->hidden_names; h++)
            held |= strcmp(snapshot->hidden[h].name, "Out[1]") == 0;
        assert_true(held);
        snapshot_free(snapshot);
    }
}

/* Every place in a text that is cut anywhere: no crash, no candidate outside of it. */
static void check_everywhere(void **state)
{
    static const char text[] = "from math import (sin,\n  cos)\nx = f'{point.x:{numbers[0]}}' + 'größe'.upper()\n"
                               "def f(a, *b): return twice(a, times=b)[1:2]\n";
    (void)state;
    for (size_t n = 0; n < sizeof text; n++)
        for (size_t at = 0; at <= n; at++) {
            Completion c;
            assert_true(session_complete(session, text, n, at, &c));
            assert_true(c.start <= c.end && c.end <= n);
            completion_free(&c);
            free(session_inspect(session, text, n, at, 0));
        }
}

static int open_session(void **state)
{
    Err err = { .kind = ERR_NONE };
    (void)state;
    session = session_new(&(Observer){ 0 }, &(SessionOptions){ 0 }, &err);
    return session && session_run(session, RUN_SCRIPT, "<test>", prepared, strlen(prepared), 0, &err) ? 0 : -1;
}

static int close_session(void **state)
{
    (void)state;
    session_free(session);
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 4];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[n++] = (struct CMUnitTest){ cases[i].text, check, NULL, NULL, (void *)&cases[i] };
    tests[n++] = (struct CMUnitTest){ "help", check_help, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "snapshots", check_snapshot, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "Out is no name", check_out, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "texts cut anywhere", check_everywhere, NULL, NULL, NULL };
    return cmocka_run_group_tests_name("complete", tests, open_session, close_session);
}
