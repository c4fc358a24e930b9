/* test_card.c - the notebook's card: its text form exactly, and HTML that every front end keeps. */
#include "session14.h"
#include <stdio.h>

typedef void Step(void);
static Step *const before[] = { do_X, do_Y, do_sum, do_Z, do_fill, do_A, do_add, do_V, do_store };
static Step *const sum[] = { do_X, do_Y, do_sum };
typedef struct Case { const char *name; Step *const *step; int steps, cell; const char *expected; } Case;

static void play(const Case *c, int *line)
{
    Text text = { 0 };
    const Layout layout = { 80, COLOR_NONE, false };
    for (int i = 0; i < c->steps; i++) {
        if (i == c->cell) {
            show_cell_begin(stage.show, 3);
            *line = 0;
        }
        c->step[i]();
        if (i >= c->cell)               /* each statement stands on a line of its own in the cell */
            stage.statement.line = stage.statement.end_line = ++*line;
        for (size_t e = 0; i >= c->cell && e < stage.record->count; e++)
            stage.record->event[e].place.line = stage.record->event[e].outer = *line;
        if (i >= c->cell && stage.record->peak_line)
            stage.record->peak_line = *line;
        stage_show(&layout, &text);
    }
    text_free(&text);
}

static const Case cases[] = {
    { "one statement", sum, 3, 2,
      "Y    new       #3 → #4    S2  …1bc0 → S3  …1c00  float32 (3, 4)            +48 B\n"
      "     freed                S2  …1bc0              to cache                  −48 B\n"
      "live 96 B   peak 144 B   cache 64 B                                          0 B\n" },
    { "five lines", before, 9, 4,
      " 1  Z[:] = X + Y\n"
      "Z    in place  #5 stays   S4  …1bc0 stays        version 0 → 1               0 B\n"
      "     temporary            S5  …1c40              X + Y                 +48 −48 B\n"
      " 2  A = X\n"
      "A    alias     #2         S1  …1b80              same object as X            0 B\n"
      " 3  X += Y\n"
      "X    in place  #2 stays   S1  …1b80 stays        also seen through A         0 B\n"
      "               version 0 → 1\n"
      " 4  V = X.view(-1)\n"
      "V    view      #7         S1  …1b80              shared with X, A            0 B\n"
      "               float32 (12,) stride (1,)\n"
      " 5  V[0] = 100\n"
      "V    in place  #7 stays   S1  …1b80 stays        also seen through X, A      0 B\n"
      "               version 1 → 2\n"
      "live 144 B   peak 192 B in line 1   cache 64 B                               0 B\n" },
};

static void check_text(void **state)
{
    const Case *c = *state;
    Text text = { 0 };
    int line = 0;
    stage_open(LEVEL_BRIEF);
    play(c, &line);
    show_cell_text(stage.show, &text);
    assert_string_equal(text_end(&text), c->expected);
    text_free(&text);
    show_cell_begin(stage.show, 4);
    assert_true(show_cell_empty(stage.show));
    show_cell_text(stage.show, &text);
    show_cell_html(stage.show, &text);
    assert_int_equal(text.n, 0);
    stage_close();
}

/* ---- HTML ---- */
static const char *const properties[] = {
    "background", "color", "border", "border-radius", "border-collapse", "border-spacing", "border-left", "border-top", "display",
    "font-size", "font-weight", "font-family", "line-height", "max-width", "opacity", "padding", "padding-top", "padding-right",
    "padding-bottom", "padding-left", "table-layout", "text-align", "text-decoration", "vertical-align", "white-space", "width", "margin",
};

static void check_styles(const char *html)
{
    for (const char *s = html; (s = strstr(s, "style=\""));) {
        s += 7;
        while (*s && *s != '"') {
            size_t n = strcspn(s, ":\"");
            bool known = false;
            for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
                known |= strlen(properties[i]) == n && strncmp(s, properties[i], n) == 0;
            if (!known)
                fail_msg("property %.*s", (int)n, s);
            s += strcspn(s, ";\"");
            s += *s == ';';
        }
    }
}

/* Muted text lies in no other muted text: twice muted it has too little contrast. */
static void check_muted(const char *html)
{
    bool muted[64] = { false };
    int depth = 0, inside = 0;
    for (const char *s = html; (s = strchr(s, '<')); s++) {
        const char *end = strchr(s, '>'), *opacity = strstr(s, "opacity:");
        if (strncmp(s, "<br", 3) == 0)
            continue;
        if (s[1] == '/')
            inside -= muted[--depth];
        else {
            muted[depth] = opacity && opacity < end;
            inside += muted[depth++];
            assert_true(inside <= 1);
            assert_true(!muted[depth - 1] || opacity[9] >= '7');
        }
    }
}

/* Every tag that opens closes, in order; only what a card may have. */
static void check_tags(const char *html)
{
    char open[64][12];
    int depth = 0;
    for (const char *s = html; (s = strchr(s, '<')); s++) {
        bool closes = s[1] == '/';
        const char *name = s + 1 + closes;
        size_t n = strcspn(name, " >");
        char tag[12] = { 0 };
        assert_true(n && n < sizeof tag);
        memcpy(tag, name, n);
        static const char *const allowed[] = { "table", "tbody", "tr", "th", "td", "span", "b", "br" };
        bool known = false;
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            known |= strcmp(tag, allowed[i]) == 0;
        assert_true(known);
        if (strcmp(tag, "br") == 0)
            continue;
        if (closes)
            assert_string_equal(open[--depth], tag);
        else {
            assert_true(depth < 64);
            strcpy(open[depth++], tag);
        }
    }
    assert_int_equal(depth, 0);
}

static void check_html(void **state)
{
    const Case *c = *state;
    Text html = { 0 };
    int line = 0;
    for (Level level = LEVEL_BRIEF; level <= LEVEL_FULL; level++) {
        stage_open(level);
        play(c, &line);
        show_cell_html(stage.show, &html);
        const char *s = text_end(&html);
        check_styles(s);
        check_tags(s);
        check_muted(s);
        assert_null(strstr(s, "class="));
        assert_null(strstr(s, "<img"));
        assert_non_null(strstr(s, "<th "));
        assert_non_null(strstr(s, c->cell == 2 ? "<span title=\"id 94086234841040\">#3</span> → <span title=\"id 94086234841200\">#4</span>"
                                               : "also seen through <b>X, A</b> · version 1 → 2"));
        assert_non_null(strstr(s, "<b>live "));
        if (level >= LEVEL_NORMAL)
            assert_non_null(strstr(s, c->cell == 2 ? ">id 94086234841040 →</span> <span style=\"white-space:nowrap\">94086234841200<"
                                                   : ">data 0x5592c0de1b80<"));
        text_free(&html);
        stage_close();
    }
}

static void do_hostile(void)            /* what the source says is text, never markup */
{
    stage_begin("q = torch.ones(3, 4) < 1 & '<script>'", false);
    stage_at(1, "1 & '<script>'");
    stage_alloc(2, 2, 0);
    stage_free(2, 2);
}

static void check_escape(void **state)
{
    (void)state;
    Text html = { 0 }, text = { 0 };
    const Layout layout = { 80, COLOR_NONE, false };
    stage_open(LEVEL_NORMAL);
    show_cell_begin(stage.show, 1);
    do_X();
    stage_show(&layout, &text);
    do_hostile();
    stage_show(&layout, &text);
    show_cell_html(stage.show, &html);
    assert_null(strstr(text_end(&html), "<script>"));
    assert_non_null(strstr(html.s, "&lt;script&gt;"));
    text_free(&html);
    text_free(&text);
    stage_close();
}

/* What is longer than the card is wide ends in "…" and stands whole in the title; characters are not cut in two. */
static void check_long_source(void **state)
{
    (void)state;
    char source[200] = "q = torch.ones(3, 4)  # ";
    Text html = { 0 }, text = { 0 };
    const Layout layout = { 80, COLOR_NONE, false };
    while (strlen(source) < 190)
        strcat(source, "\xe5\xad\x98");              /* 存: three bytes, two columns */
    stage_open(LEVEL_NORMAL);
    show_cell_begin(stage.show, 1);
    do_X();
    stage_show(&layout, &text);
    stage_begin(source, false);
    stage_alloc(2, 2, 0);
    stage_bind("q", stage_tensor(3, 2, 2, DIMS(3, 4), DIMS(4, 1), 0, 3));
    stage_show(&layout, &text);
    show_cell_html(stage.show, &html);
    const char *title = strstr(text_end(&html), " title=\"q = torch"), *shown = title ? strchr(title, '>') + 1 : NULL;
    assert_non_null(title);
    assert_true(strncmp(title + 8, source, strlen(source)) == 0);
    size_t n = strcspn(shown, "<");
    assert_true(n > 3 && memcmp(shown + n - 3, "…", 3) == 0 && memcmp(shown, source, n - 3) == 0);
    assert_true((unsigned char)source[n - 3] == 0xE5);
    assert_int_equal(text_width(shown, n), 77);         /* 24, 26 times 2, 1 */
    text_free(&html);
    text_free(&text);
    stage_close();
}

static void check_loop(void **state)
{
    (void)state;
    Text html = { 0 }, text = { 0 };
    const Layout layout = { 80, COLOR_NONE, false };
    stage_open(LEVEL_BRIEF);
    do_X();
    stage_show(&layout, &text);
    make("Y = torch.ones(3, 4)", "Y", &Y, 4, 3, 3, 0, 3);
    stage_show(&layout, &text);
    show_cell_begin(stage.show, 2);
    do_loop();
    stage_show(&layout, &text);
    text_free(&text);
    show_cell_text(stage.show, &text);
    assert_string_equal(text_end(&text),
      " 1  for i in range(100):        100 turns\n"
      " 2      h = X * 2\n"
      "h    new       #210       S206  …1e00            float32 (3, 4)            +48 B\n"
      "               100 times new: 100 allocated, 99 freed\n"
      " 3      Y = Y + h\n"
      "Y    new       #4 → #211  S3  …1c00 → S207  …2080 float32 (3, 4)             0 B\n"
      "               100 times new: 100 allocated, 100 freed\n"
      "9,600 B allocated, 9,552 B freed, all in 4 blocks\n"
      "live 144 B   peak 192 B   cache 12,736 B                                   +48 B\n");
    show_cell_html(stage.show, &html);
    check_styles(text_end(&html));
    check_tags(html.s);
    assert_non_null(strstr(html.s, "&nbsp;&nbsp;&nbsp;&nbsp;<span style=\"opacity:.85;white-space:pre-wrap\">h = X * 2</span>"));
    text_free(&html);
    text_free(&text);
    stage_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "text: one statement", check_text, NULL, NULL, (void *)&cases[0] },
        { "text: five lines", check_text, NULL, NULL, (void *)&cases[1] },
        { "HTML: one statement", check_html, NULL, NULL, (void *)&cases[0] },
        { "HTML: five lines", check_html, NULL, NULL, (void *)&cases[1] },
        { "HTML: source is no markup", check_escape, NULL, NULL, NULL },
        { "HTML: a long line of source", check_long_source, NULL, NULL, NULL },
        { "a loop", check_loop, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
