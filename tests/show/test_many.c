/* test_many.c - statements with more events than a record keeps: what is said of them is exact all the same. */
#include "session14.h"
#include <stdio.h>

static const Layout wide = { 80, COLOR_NONE, false };
static uint64_t object, storage;        /* the next ones */

static void open_stage(void)
{
    Text text = { 0 };
    stage_open(LEVEL_BRIEF);
    do_X();
    stage_show(&wide, &text);
    text_free(&text);
    object = 10;
    storage = 10;
}

/* A tensor is made and the name bound to it; what it held before is freed. */
static void turn(const char *name, uint64_t *held)
{
    stage_alloc(storage, (int)storage % 3 + 4, 0);
    Event *ev = stage_event(EVENT_BIND);
    record_text(stage.record, ev, name, strlen(name));
    ev->object = object++;
    if (*held)
        stage_free(*held, (int)*held % 3 + 4);
    *held = storage++;
}

/* The name holds what was made last: only now does the world see it. */
static void settle(const char *name, uint64_t held)
{
    Entry *entry = &stage.entry[stage.entries++];
    strcpy(entry->name, name);
    entry->hidden = false;
    entry->prop = stage_tensor(object - 1, held, (int)held % 3 + 4, DIMS(3, 4), DIMS(4, 1), 0, 5);
    stage.totals.next_object = object;
}

static void check_loop(void **state)
{
    (void)state;
    Text text = { 0 };
    uint64_t h = 0;
    open_stage();
    stage_begin("for i in range(5000):\n    h = X * 2", true);
    stage_at(2, "h = X * 2");
    for (int i = 0; i < 5000; i++)
        turn("h", &h);
    settle("h", h);
    record_flush(stage.record);
    assert_int_equal(stage.record->count, RECORD_FULL);
    assert_string_equal(stage_show(&wide, &text),
      "h    new       #5009      S5009  …1cc0           float32 (3, 4)            +48 B\n"
      "               5,000 times new: 5,000 allocated, 4,999 freed\n"
      "240,000 B allocated, 239,952 B freed\n");
    assert_int_equal(stage.show->rows[0]->rows, 1);
    assert_true(stage.show->rows[0]->turns == 5000);
    assert_int_equal(stage.show->rows[0]->change, 48);
    text_free(&text);
    stage_close();
}

/* What a function of another cell does counts on the line that calls it, though its own lines have the same numbers. */
static void check_call_in_loop(void **state)
{
    (void)state;
    Text text = { 0 };
    uint64_t y = 0;
    open_stage();
    stage_begin("for i in range(700):\n    y = f(X)\n    g(X)", true);
    for (int i = 0; i < 700; i++) {
        stage_at(2, "y = f(X)");
        turn("y", &y);
        stage_at(3, "g(X)");
        stage.place = (Place){ 9, 2, 4, 2, 10 };        /* in line 2 of the other cell */
        uint64_t t = 0;
        stage.called_from = 3;
        turn("t", &t);
        stage_free(t, (int)t % 3 + 4);
        stage.called_from = 0;
    }
    object = 5000;
    settle("y", y);
    record_flush(stage.record);
    stage_show(&wide, &text);
    const Rows *rows = stage.show->rows[0];
    assert_int_equal(rows->rows, 2);
    assert_string_equal(rows->row[0].name, "y");
    assert_int_equal(rows->row[0].line, 2);
    assert_true(rows->row[0].plus == 700 * 48 && rows->row[0].minus == 699 * 48);
    assert_int_equal(rows->row[1].verdict, VERDICT_TEMPORARY);
    assert_int_equal(rows->row[1].line, 3);
    assert_true(rows->row[1].plus == 700 * 48 && rows->row[1].minus == 700 * 48);
    assert_string_equal(rows->row[1].note[0].full, "700 allocated, 700 freed");
    assert_string_equal(rows->totals, "67,200 B allocated, 67,152 B freed");
    text_free(&text);
    stage_close();
}

/* One call that does much: all of it stands on the one line, also where the name was bound after the last kept row. */
static void check_call(void **state)
{
    (void)state;
    Text text = { 0 };
    uint64_t w = 0;
    open_stage();
    stage_begin("r = big(3000)", false);
    stage.place = (Place){ 9, 3, 8, 3, 17 };
    stage.called_from = 1;
    for (int i = 0; i < 3000; i++)
        turn("w", &w);
    stage.called_from = 0;
    stage_at(1, "r = big(3000)");
    Event *ev = stage_event(EVENT_BIND);
    ev->object = object - 1;
    settle("r", w);
    record_flush(stage.record);
    assert_string_equal(stage_show(&wide, &text),
      "r    new       #3009      S3009  …1c40           float32 (3, 4)            +48 B\n"
      "               3,000 allocated, 2,999 freed\n"
      "144,000 B allocated, 143,952 B freed\n");
    const Row *row = &stage.show->rows[0]->row[0];
    assert_true(row->plus == 3000 * 48 && row->minus == 2999 * 48);
    assert_int_equal(stage.show->rows[0]->rows, 1);
    text_free(&text);
    stage_close();
}

/* By chance, against sums that the test keeps: every line has all of its bytes, and no other's. */
static void check_chance(void **state)
{
    (void)state;
    Text text = { 0 };
    uint32_t seed = 7;
    for (int round = 0; round < 200; round++) {
        int64_t plus[6] = { 0 }, minus[6] = { 0 };
        uint64_t open[6] = { 0 };
        open_stage();
        stage_begin("for i in x:\n    a()\n    b()\n    c()\n    d()", true);
        for (int i = 0, n = 50 * round; i < n; i++) {
            static const char *const part[] = { "a()", "b()", "c()", "d()" };
            seed = seed * 1664525u + 1013904223u;
            int line = 2 + (int)(seed >> 24) % 4;
            stage_at(line, part[line - 2]);
            stage.called_from = 0;
            if (seed >> 16 & 1) {
                stage.place = (Place){ 9, 1 + (int)(seed >> 8) % 6, 0, 1, 1 };
                stage.called_from = line;
            }
            if (open[line] && (seed >> 17 & 1)) {
                stage_free(open[line], (int)open[line] % 3 + 4);
                minus[line] += 48;
                open[line] = 0;
            } else {
                stage_alloc(storage, (int)storage % 3 + 4, 0);
                plus[line] += 48;
                open[line] = storage++;
            }
        }
        stage.called_from = 0;
        record_flush(stage.record);
        stage_show(&wide, &text);                       /* checks the sum of all rows */
        const Rows *rows = stage.show->count ? stage.show->rows[0] : NULL;
        if (stage.record->seen > RECORD_FULL)
            for (size_t i = 0; i < rows->rows; i++) {
                int line = rows->row[i].line;
                assert_true(line >= 2 && line <= 5);
                assert_true(rows->row[i].plus == plus[line] && rows->row[i].minus == minus[line]);
                plus[line] = minus[line] = -1;          /* no line twice */
            }
        stage_close();
    }
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "a loop of 5,000 turns", check_loop, NULL, NULL, NULL },
        { "a function of another cell in a loop", check_call_in_loop, NULL, NULL, NULL },
        { "one call that does much", check_call, NULL, NULL, NULL },
        { "by chance", check_chance, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests_name("many", tests, NULL, NULL);
}
