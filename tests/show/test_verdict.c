/* test_verdict.c - lists, `_`, several names at once, functions, failures; and the commands. */
#include "session14.h"
#include <stdio.h>

static Fact items[4];
static Prop *list;

static Prop *holder(uint64_t object, size_t n)
{
    Prop *p = &stage.prop[stage.props++];
    *p = (Prop){ .fact = { .kind = FACT_LIST, .type = "list", .id = STAGE_ID, .object = object, .item = items, .items = n,
                           .holds_tensor = n > 0 } };
    return p;
}
static void do_list(void)               /* one element is X, the other nobody else's */
{
    stage_begin("L = [X, X * 2]", false);
    stage_at(1, "X * 2");
    stage_alloc(3, 3, 0);
    items[0] = X->fact;
    items[1] = stage_tensor(4, 3, 3, DIMS(3, 4), DIMS(4, 1), 0, 3)->fact;
    stage_at(1, "L = [X, X * 2]");
    stage_bind("L", list = holder(5, 2));
}
static void do_append(void)
{
    stage_begin("L.append(Y)", false);
    items[2] = Y->fact;
    list->fact.items = 3;
}
static void do_pop(void)                /* the first goes, the others move up: no line for them */
{
    stage_begin("L.pop(0)", false);
    items[0] = items[1];
    items[1] = items[2];
    list->fact.items = 2;
}
static void do_del_list(void)
{
    stage_begin("del L", false);
    stage_unbind("L");
    stage_free(3, 3);
}
static void do_underscore(void)
{
    stage_begin("X + 1", false);
    stage_alloc(22, 5, 0);
    Prop *p = stage_tensor(31, 22, 5, DIMS(3, 4), DIMS(4, 1), 0, 9);
    stage.entry[stage.entries++] = (Entry){ "_", p, true };
    stage.entry[stage.entries++] = (Entry){ "Out[3]", p, true };
    stage.totals.next_object = 32;
}
static void do_del_kept(void)           /* the name goes, `_` still holds the object */
{
    stage.entry[stage.entries] = (Entry){ "K", stage_entry("_")->prop, false };
    stage.entries++;
    Text text = { 0 };
    stage_begin("K = _", false);
    stage_show(&(Layout){ 80, COLOR_NONE, false }, &text);
    text_free(&text);
    stage_begin("del K", false);
    stage_unbind("K");
}
static void do_both(void)               /* a = b = … */
{
    stage_begin("a = b = torch.ones(3, 4)", false);
    stage_alloc(9, 6, 0);
    Prop *p = stage_tensor(21, 9, 6, DIMS(3, 4), DIMS(4, 1), 0, 10);
    stage_bind("a", p);
    stage_bind("b", p);
}
static void do_swap(void)
{
    stage_begin("X, Y = Y, X", false);
    Prop *x = X, *y = Y;
    stage_bind("X", y);
    stage_bind("Y", x);
    X = y, Y = x;
}
static void do_call(void)               /* a function writes to its argument, under a name of its own */
{
    stage_begin("fill(X)", false);
    stage.place = (Place){ 9, 2, 4, 2, 10 };
    Event *ev = stage_event(EVENT_BIND);
    record_text(stage.record, ev, "Y", 1);
    ev->object = X->fact.object;
    stage.place.source = 0;
    stage_write(X, NULL, NULL);
    stage.place = (Place){ 9, 3, 4, 3, 10 };
    ev = stage_event(EVENT_UNBIND);
    record_text(stage.record, ev, "Y", 1);
    ev->was = X->fact.object;
}
static void do_fail(void)
{
    static const ErrorInfo error = { .type = "RuntimeError", .message = "a leaf", .line = 1 };
    stage_begin("X += 1", false);
    stage.statement.error = &error;
}
static void do_refused(void)
{
    static const ErrorInfo error = { .type = "OutOfMemoryError", .message = "", .line = 1 };
    stage_begin("c = torch.ones(3072, 1024)", false);
    stage.statement.error = &error;
    Event *ev = stage_event(EVENT_OOM);
    ev->bytes = 12 << 20;
}
static void do_number(void)             /* X = 5: the tensor's name holds a number now */
{
    stage_begin("X = 5", false);
    stage_unbind("X");
    stage.record->event[0].kind = EVENT_BIND;
    stage_free(1, 1);
}
static void do_copy(void) { make("Y = X.clone()", "Y", &Y, 30, 20, 7, 0, 12); }

typedef struct Case { void (*step)(void); const char *expected; } Case;
static const Case lists[] = {
    { do_X, NULL },
    { do_list, "L    new       #5         S1  S3                 holds X, list, 2 items        +48 B\n" },
    { do_copy, NULL },
    { do_append, "L[2] alias     #30        S20  …1d00             same object as Y                0 B\n" },
    { do_underscore, "_    new       #31        S22  …1c80             float32 (3, 4)                +48 B\n" },
    { do_pop, "" },
    { do_del_kept, "K    unbound   #31        S22  …1c80             held by _                       0 B\n" },
    { do_del_list, "L    freed     #5 gone    S3  S20                to cache                      −48 B\n" },
    { NULL, NULL },
};
static const Case names[] = {
    { do_X, NULL },
    { do_Y, NULL },
    { do_both, "a    new       #21        S9  …1cc0              float32 (3, 4)                +48 B\n"
               "b    alias     #21        S9  …1cc0              same object as a                0 B\n" },
    { do_swap, "X    alias     #2 → #3    S1  …1b80 → S2  …1bc0  was Y                           0 B\n"
               "Y    alias     #3 → #2    S2  …1bc0 → S1  …1b80  was X                           0 B\n" },
    { do_call, "X    in place  #3 stays   S2  …1bc0 stays        version 0 → 1                   0 B\n" },
    { do_fail, "X    same      #3         S2  …1bc0              nothing written                 0 B\n"
               "               version 1, float32 (3, 4)\n" },
    { do_refused, "c    refused                                     12 MiB in one piece             0 B\n" },
    { NULL, NULL },
};
static const Case gone[] = {
    { do_X, NULL },
    { do_number, "X    freed     #2 gone    S1  …1b80              to cache                      −48 B\n" },
    { NULL, NULL },
};

static void check(void **state)
{
    Text text = { 0 };
    const Layout layout = { 84, COLOR_NONE, false };
    stage_open(LEVEL_BRIEF);
    for (const Case *c = *state; c->step; c++) {
        c->step();
        const char *shown = stage_show(&layout, &text);
        if (c->expected)
            assert_string_equal(shown, c->expected);
    }
    text_free(&text);
    stage_close();
}

static void check_limit(void **state)
{
    (void)state;
    Text text = { 0 };
    const Layout layout = { 80, COLOR_NONE, false };
    stage_open(LEVEL_BRIEF);
    stage_begin("a = make()", false);
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        stage_alloc((uint64_t)i + 1, i, 0);
        stage_bind(name, stage_tensor((uint64_t)i + 2, (uint64_t)i + 1, i, DIMS(12), DIMS(1), 0, i));
    }
    const char *shown = stage_show(&layout, &text);
    assert_non_null(strstr(shown, "\nand 8 more: 8 new, +384 B\n"));
    text_free(&text);
    stage_close();
}

/* ---- chance: whatever happens, the rows' bytes add up (stage_show looks) and every line has its width ---- */
static uint32_t seed = 12345;
static int chance(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 8) % (uint32_t)n);
}
static void free_unheld(void)           /* storages that no name reaches any more */
{
    for (int i = 0; i < stage.props; i++) {
        bool held = false;
        for (int j = 0; j < stage.entries; j++)
            held |= stage.entry[j].prop->tensor.storage == stage.prop[i].tensor.storage;
        if (held || stage.prop[i].tensor.bytes < 0)
            continue;
        stage_free(stage.prop[i].tensor.storage, (int)stage.prop[i].tensor.storage % 50);
        for (int j = stage.props - 1; j >= i; j--)
            if (stage.prop[j].tensor.storage == stage.prop[i].tensor.storage)
                stage.prop[j].tensor.bytes = -1;
    }
}

static void check_chance(void **state)
{
    (void)state;
    static const char *const name[] = { "a", "b", "c", "d", "e", "encoder.layer.bias", "\u540d" };
    Text text = { 0 };
    for (int round = 0; round < 40; round++) {
        uint64_t object = 1, storage = 1;
        stage_open(LEVEL_NORMAL);
        for (int n = 0; n < 50 && stage.props < STAGE_NAMES - 8; n++) {
            stage_begin(chance(3) ? "a = b(c) + d[e]" : "for i in range(3):\n    a = b", chance(2));
            for (int k = chance(4); k >= 0; k--) {
                const char *to = name[chance(7)];
                Prop *any = stage.entries ? stage.entry[chance(stage.entries)].prop : NULL;
                switch (any ? chance(6) : 0) {
                case 0:
                case 1:
                    stage_alloc(storage, (int)storage % 50, chance(2) ? storage - 1 : 0);
                    stage_bind(to, stage_tensor(++object, storage, (int)storage % 50, DIMS(3, 4), DIMS(4, 1), 0, chance(9)));
                    storage++;
                    break;
                case 2:
                    stage_bind(to, stage_tensor(++object, any->tensor.storage, (int)any->tensor.storage % 50, DIMS(4, 3),
                                                DIMS(1, 4), 0, chance(9)));
                    break;
                case 3: stage_bind(to, any); break;
                case 4: stage_write(any, NULL, NULL); break;
                case 5: stage_unbind(stage.entry[chance(stage.entries)].name); break;
                }
                if (chance(2)) {
                    stage_alloc(storage, (int)storage % 50, 0);
                    stage_free(storage, (int)storage % 50);
                    storage++;
                }
            }
            free_unheld();
            stage.totals.next_object = object + 1;
            const Layout layout = { 20 + chance(81), (Color)chance(3), chance(2) };
            stage_show(&layout, &text);
        }
        stage_close();
    }
    text_free(&text);
}

/* ---- commands ---- */
static const struct { const char *line, *shown, *error, *hint; } lines[] = {
    { "%who", "X     #2   id 94086234841120   S1  0x5592c0de1b80   float32 (3, 4) stride (4, 1)                48 B\n"
              "live                                                                                            48 B\n", NULL, NULL },
    { "%matplotlib inline", "skipped: %matplotlib inline (plots are not drawn)\n", NULL, NULL },
    { "!pip install d2l", "skipped: !pip install d2l (torch and what goes with it is built in)\n", NULL, NULL },
    { "!ls", NULL, "system commands such as '!ls' are not run", "only Python and the commands that %help lists" },
    { "%hoo", NULL, "there is no command '%hoo'", "the nearest is %who; %help lists all" },
    { "%memory loud", NULL, "%memory knows no level 'loud'", "the levels are off, brief, normal, full" },
    { "%memory full", "", NULL, NULL },
    { "%memory", "%memory full\nlive 48 B   peak 0 B   cache 0 B   storages 0\n", NULL, NULL },
    { "X?", "X: a tensor\n", NULL, NULL },
    { "?X", "X: a tensor\n", NULL, NULL },
    { "nix??", NULL, "there is no help on 'nix'", "" },
    { "%xdel", NULL, "%xdel needs the name of what to let go of", "" },
    { "%xdel q", NULL, "name 'q' is not defined", "" },
    { "%help %xdel", "%xdel NAME   lets go of one object, with what `_`, Out and the last error hold of it\n", NULL, NULL },
    { "%reset", "live 0 B   cache 0 B                                                                           −48 B\n", NULL, NULL },
    { "%who", "no names\nlive                                                                                             0 B\n",
      NULL, NULL },
};

static void check_commands(void **state)
{
    (void)state;
    Text text = { 0 };
    const Layout layout = { 100, COLOR_NONE, false };
    stage_open(LEVEL_NORMAL);
    do_X();
    stage_show(&layout, &text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        Err err = { .kind = ERR_NONE };
        Text html = { 0 };
        text_free(&text);
        bool good = show_command(stage.show, lines[i].line, strlen(lines[i].line), &layout, &text, &html, &err);
        assert_int_equal(good, lines[i].error == NULL);
        if (good)
            assert_string_equal(text_end(&text), lines[i].shown);
        else {
            assert_string_equal(err.message, lines[i].error);
            assert_string_equal(err.hint, lines[i].hint);
        }
        text_free(&html);
    }
    assert_int_equal(show_level(stage.show), LEVEL_FULL);
    show_set_level(stage.show, LEVEL_OFF);
    assert_false(stage.watched);
    text_free(&text);
    stage_close();
}

/* Bookkeeping is no name: `_` and Out[n] appear only where nothing else keeps the bytes. */
static void check_kept(void **state)
{
    (void)state;
    Text text = { 0 };
    const Layout layout = { 80, COLOR_NONE, false };
    static Prop number = { .fact = { .kind = FACT_INT, .type = "int", .id = 7, .text = "3", .text_size = 1 } };
    Err err = { .kind = ERR_NONE };
    stage_open(LEVEL_NORMAL);
    do_X();
    Prop *kept = stage_tensor(9, 5, 2, DIMS(3, 4), DIMS(4, 1), 0, 4), *low = stage_tensor(8, 4, 3, DIMS(3, 4), DIMS(4, 1), 0, 3);
    const Entry more[] = { { "_", &number, false }, { "_i", &number, false }, { "n", &number, false }, { "_low", low, false },
                           { "_", kept, true }, { "Out[3]", kept, true }, { "Out[2]", X, true }, { "Out[1]", &number, true } };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        stage.entry[stage.entries++] = more[i];
    stage.totals.live = 144;
    assert_true(show_command(stage.show, "%who", 4, &layout, &text, NULL, &err));
    assert_string_equal(text_end(&text),
      "X          #2   id 94086234841120   S1  0x5592c0de1b80   float32 (3, 4)     48 B\n"
      "_low       #8   id 94086234841200   S4  0x5592c0de1c00   float32 (3, 4)     48 B\n"
      "n               id 7   int 3\n"
      "_, Out[3]  #9   id 94086234841280   S5  0x5592c0de1bc0   float32 (3, 4)     48 B\n"
      "live                                                                       144 B\n");
    text_free(&text);
    stage_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "lists and _", check, NULL, NULL, (void *)lists },
        { "names", check, NULL, NULL, (void *)names },
        { "a name that holds a number now", check, NULL, NULL, (void *)gone },
        { "twelve lines at most", check_limit, NULL, NULL, NULL },
        { "by chance", check_chance, NULL, NULL, NULL },
        { "what only Out keeps", check_kept, NULL, NULL, NULL },
        { "commands", check_commands, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
