/* test_text.c - the lines of a terminal, character by character. */
#include "session14.h"
#include <stdio.h>

typedef struct Case {
    void (*step)(void);
    Level level;
    Layout layout;
    const char *expected;               /* NULL: not looked at */
} Case;
#define WIDE   { 100, COLOR_NONE, false }
#define NARROW { 80, COLOR_NONE, false }
#define SMALL  { 70, COLOR_NONE, false }
#define TINY   { 50, COLOR_NONE, false }
#define ASCII  { 80, COLOR_NONE, true }
#define DEEP   { 100, COLOR_256, false }
#define PLAIN  { 100, COLOR_16, false }

static void nothing(void) { stage_begin("print(X)", false); }
static void same(void) { stage_begin("X = X", false); stage_bind("X", X); }
static void long_name(void)
{
    do_A();
    stage_begin("encoder_layer_bias = X", false);
    stage_bind("encoder_layer_bias", X);
}

static const Case wide[] = {
    { do_X, LEVEL_BRIEF, WIDE,
      "X    new       #2         S1  …1b80              float32 (3, 4)                                +48 B\n" },
    { do_Y, LEVEL_BRIEF, WIDE,
      "Y    new       #3         S2  …1bc0              float32 (3, 4)                                +48 B\n" },
    { do_sum, LEVEL_BRIEF, WIDE,
      "Y    new       #3 → #4    S2  …1bc0 → S3  …1c00  float32 (3, 4)                                +48 B\n"
      "     freed                S2  …1bc0              to cache                                      −48 B\n" },
    { do_Z, LEVEL_BRIEF, WIDE,
      "Z    new       #5         S4  …1bc0              float32 (3, 4), in the block that S2 left     +48 B\n" },
    { do_fill, LEVEL_BRIEF, WIDE,
      "Z    in place  #5 stays   S4  …1bc0 stays        version 0 → 1                                   0 B\n"
      "     temporary            S5  …1c40              X + Y                                     +48 −48 B\n" },
    { do_A, LEVEL_BRIEF, WIDE,
      "A    alias     #2         S1  …1b80              same object as X                                0 B\n" },
    { do_add, LEVEL_BRIEF, WIDE,
      "X    in place  #2 stays   S1  …1b80 stays        also seen through A, version 0 → 1              0 B\n" },
    { do_V, LEVEL_BRIEF, WIDE,
      "V    view      #7         S1  …1b80              shared with X, A, (12,) stride (1,)             0 B\n" },
    { do_store, LEVEL_BRIEF, WIDE,
      "V    in place  #7 stays   S1  …1b80 stays        also seen through X, A, version 1 → 2           0 B\n" },
    { do_T, LEVEL_BRIEF, WIDE,
      "T    view      #8         S1  …1b80              shared with X, A, V, (4, 3) stride (1, 4)       0 B\n" },
    { do_S, LEVEL_BRIEF, WIDE,
      "S    view      #9         S1  …1b84              shared with X, A, V, T, offset 1                0 B\n"
      "               float32 (3, 2) stride (4, 2), 6 of 12 elements\n" },
    { do_R, LEVEL_BRIEF, WIDE,
      "R    new       #10        S6  …1c40              copied from T, 48 B: T is not contiguous      +48 B\n"
      "               float32 (12,), in the block that S5 left\n" },
    { do_del, LEVEL_BRIEF, WIDE,
      "Y    freed     #4 gone    S3  …1c00              to cache                                      −48 B\n" },
    { nothing, LEVEL_BRIEF, WIDE, "" },
    { same, LEVEL_BRIEF, WIDE,
      "X    same      #2         S1  …1b80              nothing written, version 2                      0 B\n"
      "               float32 (3, 4)\n" },
    { do_last, LEVEL_FULL, WIDE,
      "Y    new       #11        S7  …1c00              float32 (3, 4), in the block that S3 left     +48 B\n"
      "               id 94086234841200 (was #4's)   data 0x5592c0de1c00   stride (4, 1)   offset 0\n"
      "               version 0\n"
      "live 192 B   peak 192 B   cache 0 B                                                            +48 B\n" },
    { NULL, 0, WIDE, NULL },
};
static const Case narrow[] = {
    { do_X, LEVEL_BRIEF, NARROW, NULL },
    { do_Y, LEVEL_BRIEF, NARROW, NULL },
    { do_sum, LEVEL_NORMAL, NARROW,
      "Y    new       #3 → #4    S2  …1bc0 → S3  …1c00  float32 (3, 4)            +48 B\n"
      "               id 94086234841040 → 94086234841200\n"
      "               data 0x5592c0de1bc0 → 0x5592c0de1c00\n"
      "     freed                S2  …1bc0              to cache                  −48 B\n" },
    { do_Z, LEVEL_BRIEF, NARROW, NULL },
    { do_fill, LEVEL_NORMAL, NARROW,
      "Z    in place  #5 stays   S4  …1bc0 stays        version 0 → 1               0 B\n"
      "               id 94086234841040   data 0x5592c0de1bc0\n"
      "     temporary            S5  …1c40              X + Y                 +48 −48 B\n" },
    { do_A, LEVEL_NORMAL, NARROW,
      "A    alias     #2         S1  …1b80              same object as X            0 B\n"
      "               id 94086234841120   data 0x5592c0de1b80\n" },
    { do_add, LEVEL_BRIEF, NARROW,
      "X    in place  #2 stays   S1  …1b80 stays        also seen through A         0 B\n"
      "               version 0 → 1\n" },
    { do_V, LEVEL_BRIEF, NARROW,
      "V    view      #7         S1  …1b80              shared with X, A            0 B\n"
      "               float32 (12,) stride (1,)\n" },
    { do_store, LEVEL_NORMAL, NARROW,
      "V    in place  #7 stays   S1  …1b80 stays        also seen through X, A      0 B\n"
      "               version 1 → 2   id 94086234841280   data 0x5592c0de1b80\n" },
    { do_T, LEVEL_BRIEF, SMALL,
      "T    view      #8         S1  …1b80                                0 B\n"
      "               shared with X, A, V, float32 (4, 3) stride (1, 4)\n" },
    { do_S, LEVEL_OFF, NARROW, "" },
    { NULL, 0, WIDE, NULL },
};
static const Case odd[] = {
    { do_X, LEVEL_BRIEF, DEEP,
      "\33[1mX\33[0m   \33[48;5;194;38;5;22m new \33[0m      #2        \33[1;48;5;25;38;5;15m S1 \33[0m …1b80"
      "              float32 (3, 4)                                +48 B\n" },
    { do_Y, LEVEL_BRIEF, PLAIN,
      "\33[1mY\33[0m   \33[30;42m new \33[0m      #3        \33[1m S2 \33[0m …1bc0"
      "              float32 (3, 4)                                +48 B\n" },
    { do_sum, LEVEL_BRIEF, DEEP,
      "\33[1mY\33[0m   \33[48;5;194;38;5;22m new \33[0m      #3 → #4    \33[2;9mS2\33[0m  \33[2m…1bc0\33[0m → "
      "\33[1;48;5;36;38;5;16m S3 \33[0m …1c00 float32 (3, 4)                                +48 B\n"
      "     \33[2mfreed\33[0m                \33[2;9mS2\33[0m  \33[2m…1bc0\33[0m              to cache"
      "                                      −48 B\n" },
    { do_Z, LEVEL_BRIEF, ASCII,
      "Z    new       #5         S4  ~1bc0              float32 (3, 4)            +48 B\n"
      "               in the block that S2 left\n" },
    { do_fill, LEVEL_BRIEF, DEEP,
      "\33[1mZ\33[0m   \33[48;5;221;38;5;16m in place \33[0m #5 \33[2mstays\33[0m  \33[1;48;5;175;38;5;16m S4 \33[0m …1bc0 "
      "\33[2mstays\33[0m        version 0 → 1                                   0 B\n"
      "     \33[2mtemporary\33[0m           \33[48;5;252;38;5;16m S5 \33[0m …1c40              X + Y"
      "                                     +48 −48 B\n" },
    { do_A, LEVEL_BRIEF, DEEP,
      "\33[1mA\33[0m   \33[48;5;195;38;5;17m alias \33[0m    #2        \33[1;48;5;25;38;5;15m S1 \33[0m …1b80"
      "              same object as \33[1mX\33[0m                                0 B\n" },
    { do_add, LEVEL_BRIEF, ASCII,
      "X    in place  #2 stays   S1  ~1b80 stays        also seen through A         0 B\n"
      "               version 0 -> 1\n" },
    { long_name, LEVEL_BRIEF, NARROW,
      "encoder…bias alias #2     S1  …1b80              same object as X, A         0 B\n" },
    { do_V, LEVEL_BRIEF, TINY,
      "V    view      S1  …1b80                       0 B\n"
      "               #7   shared with X, A,\n"
      "               encoder…bias\n" },
    { NULL, 0, WIDE, NULL },
};

static void check(void **state)
{
    Text text = { 0 };
    stage_open(LEVEL_BRIEF);
    for (const Case *c = *state; c->step; c++) {
        show_set_level(stage.show, c->level);
        c->step();
        const char *shown = stage_show(&c->layout, &text);
        if (c->expected && c->layout.width != 50)
            assert_string_equal(shown, c->expected);
        else if (c->expected)           /* narrower than a row: no line is cut short of its facts, none is too long */
            assert_non_null(strstr(shown, "#7"));
    }
    text_free(&text);
    stage_close();
}

static void check_loop(void **state)
{
    (void)state;
    Text text = { 0 };
    const Layout layout = NARROW;
    stage_open(LEVEL_BRIEF);
    do_X();
    stage_show(&layout, &text);
    make("Y = torch.ones(3, 4)", "Y", &Y, 4, 3, 3, 0, 3);
    stage_show(&layout, &text);
    do_loop();
    assert_string_equal(stage_show(&layout, &text),
      "h    new       #210       S206  …1e00            float32 (3, 4)            +48 B\n"
      "               100 times new: 100 allocated, 99 freed\n"
      "Y    new       #4 → #211  S3  …1c00 → S207  …2080 float32 (3, 4)             0 B\n"
      "               100 times new: 100 allocated, 100 freed\n"
      "9,600 B allocated, 9,552 B freed, all in 4 blocks\n");
    text_free(&text);
    stage_close();
}

static void check_memory(void **state)  /* whatever is refused: no crash, nothing lost */
{
    (void)state;
    static void (*const steps[])(void) = { do_X, do_Y, do_sum, do_Z, do_fill, do_A, do_add, do_V };
    for (int n = 0; n < 60; n += 1 + n / 8) {
        Text text = { 0 };
        const Layout layout = NARROW;
        stage_open(LEVEL_BRIEF);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            if (i == 4)
                heap_fail_after(stage.heap, n);
            steps[i]();
            stage_show(&layout, &text);
        }
        heap_fail_after(stage.heap, -1);
        text_free(&text);
        stage_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "100 columns", check, NULL, NULL, (void *)wide },
        { "80 columns and less", check, NULL, NULL, (void *)narrow },
        { "colours, ASCII, long names", check, NULL, NULL, (void *)odd },
        { "a loop", check_loop, NULL, NULL, NULL },
        { "no memory", check_memory, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
