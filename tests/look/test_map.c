/* test_map.c - %map, %at and %back: what is drawn, and that the past is what it was. */
#include "watched.h"

static void type_session(void)
{
    static const char *const line[] = {
        "import torch", "X = torch.arange(12.).view(3, 4)", "Y = torch.ones(3, 4)", "Y = Y + X", "A = X", "X += Y", "V = X.view(-1)",
        "V[0] = 100", "T = X.t()", "S = X[:, 1::2]",
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        assert_true(type_line(line[i]));
}

static void draws_cells(void **state)
{
    (void)state;
    open_watched();
    type_session();
    assert_string_equal(ask_plain("%map X T S"),
        " S1  48 B on cpu at 0x?  version 2\n"
        "\n"
        "byte      0    4    8    12   16   20   24   28   32   36   40   44   48\n"
        "          ┌────┬────┬────┬────┬────┬────┬────┬────┬────┬────┬────┬────┐\n"
        "value     │100.│  3.│  5.│  7.│  9.│ 11.│ 13.│ 15.│ 17.│ 19.│ 21.│ 23.│\n"
        "          ├────┼────┼────┼────┼────┼────┼────┼────┼────┼────┼────┼────┤\n"
        "X, A      │0,0 │0,1 │0,2 │0,3 │1,0 │1,1 │1,2 │1,3 │2,0 │2,1 │2,2 │2,3 │\n"
        "T         │0,0 │1,0 │2,0 │3,0 │0,1 │1,1 │2,1 │3,1 │0,2 │1,2 │2,2 │3,2 │\n"
        "S         │    │0,0 │    │0,1 │    │1,0 │    │1,1 │    │2,0 │    │2,1 │\n"
        "          └────┴────┴────┴────┴────┴────┴────┴────┴────┴────┴────┴────┘\n"
        "          ↑    ↑\n"
        "          │    └ S starts here, offset 1\n"
        "          └ X, A, T start here, offset 0\n"
        "\n"
        "name  object  type            stride  offset   next row   next column\n"
        "X, A  #2      float32 (3, 4)  (4, 1)  0        +4 (16 B)  +1 (4 B)\n"
        "T     #6      float32 (4, 3)  (1, 4)  0        +1 (4 B)   +4 (16 B)\n"
        "S     #7      float32 (3, 2)  (4, 2)  1 (4 B)  +4 (16 B)  +2 (8 B)\n"
        "also on S1: V (#5)\n");
    watched.layout.ascii = true;
    assert_non_null(strstr(ask("%map X T S"), "T         |0,0 |1,0 |2,0 |3,0 |0,1 |1,1 |2,1 |3,1 |0,2 |1,2 |2,2 |3,2 |\n"
                                              "S         |    |0,0 |    |0,1 |"));
    close_watched();
}

static void draws_odd_tensors(void **state)
{
    (void)state;
    open_watched();
    type_line("import torch");
    type_line("b = torch.tensor([1, 2, 3])");
    type_line("e = b.expand(4, 3)");
    assert_non_null(strstr(ask("%map e"), "e         │:,0 │:,1 │:,2 │\n"));       /* four elements at each cell */
    type_line("w = b.as_strided((2, 2), (1, 1))");
    assert_non_null(strstr(ask("%map w"), "w         │0,0 │0,1+│1,1 │\n"));
    type_line("s = b[2]");
    assert_non_null(strstr(ask("%map s"), "└ s starts here, offset 2\n"));
    type_line("z = torch.zeros(0)");
    assert_non_null(strstr(ask("%map z"), "0 B"));
    type_line("x = torch.zeros(256, 100); y = x[:, ::2]; h = x[128:]");
    const char *ranges = ask("%map x");
    assert_non_null(strstr(ranges, "x             ██████████████████████████████████████  0..102,400\n"));
    assert_non_null(strstr(ranges, "y             ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  0..102,396\n"));
    assert_non_null(strstr(ranges, "h             ···················███████████████████  51,200..102,400\n"));
    assert_string_equal(ask("%map nope"), "NameError: no tensor has the name 'nope'");
    assert_string_equal(ask("%at 99"), "IndexError: statement 99 is not on record");
    assert_string_equal(ask("%at x"), "TypeError: %at needs the number of a statement, but 'x' was given");
    assert_string_equal(ask("%back now"), "TypeError: %back takes no argument, but 'now' was given");
    close_watched();
}

static void draws_blocks(void **state)
{
    (void)state;
    open_watched();
    type_line("import torch");
    type_line("h = [torch.zeros(10 + i) for i in range(20)]");
    type_line("x = torch.zeros(100, 100)");
    type_line("tmp = torch.zeros(60, 100)");
    type_line("y = torch.zeros(5000)");
    type_line("del tmp");
    assert_string_equal(ask_plain("%map"),
        "cpu   live 61,560 B   storages 22\n"
        "      cache 24,576 B   free blocks 1, the largest 24,576 B\n"
        "\n"
        "88,128 B at 0x?                                             72 % used\n"
        "┌─┬────────────────────────────────────┬─────────────────────┬─────────────────┐\n"
        "│+│                 x                  │░░░░░░ was tmp ░░░░░░│        y        │\n"
        "└─┴────────────────────────────────────┴─────────────────────┴─────────────────┘\n"
        "                                        free 24,576 B\n"
        "\n"
        "S21  x            ████████████████████████████████████████              40,000 B\n"
        "S23  y            ████████████████████                                  20,000 B\n"
        "S20  h[19]        █                                                        116 B\n"
        "S19  h[18]        █                                                        112 B\n"
        "S18  h[17]        █                                                        108 B\n"
        "S17  h[16]        █                                                        104 B\n"
        "S16  h[15]        █                                                        100 B\n"
        "S15  h[14]        █                                                         96 B\n"
        "S14  h[13]        █                                                         92 B\n"
        "     13 more      █                                                        832 B\n"
        "     22 in all                                                          61,560 B\n"
        "\n"
        "░ free   was tmp: the block was tmp's   +26: 26 blocks too narrow to draw\n");
    close_watched();
}

/* %at N is the map of a session that was stopped there. */
static void past_is_what_it_was(void **state)
{
    (void)state;
    enum { STATEMENTS = 40 };
    char line[STATEMENTS][100];
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        dice = seed * 0x9E3779B97F4A7C15u;
        char *was[STATEMENTS];
        open_watched();
        type_line("import torch");
        for (int i = 0; i < STATEMENTS; i++) {
            random_statement(line[i], sizeof line[i]);
            type_line(line[i]);
            was[i] = strdup(ask("%map"));
        }
        for (int i = 0; i < STATEMENTS; i++) {
            char command[32];
            snprintf(command, sizeof command, "%%at %d", i + 2);
            const char *now = ask(command), *map = strchr(now, '\n');
            if (!map || strcmp(map + 1, was[i])) {
                print_error("seed %d, statement %d: %s\n%s\nwas\n%s\n", (int)seed, i + 2, line[i], now, was[i]);
                fail();
            }
            compared++;
        }
        close_watched();
        for (int i = 0; i < STATEMENTS; i++)
            free(was[i]);
    }
    assert_int_equal(compared, 12 * STATEMENTS);
}

static void goes_back(void **state)
{
    (void)state;
    open_watched();
    type_session();
    char *three = strdup(ask("%at 3"));
    assert_non_null(strstr(three, "after statement 3: Y = torch.ones(3, 4)\n"));
    assert_non_null(strstr(ask("%back"), "after statement 2: X = torch.arange(12.).view(3, 4)\n"));
    assert_string_equal(ask("%at 3"), three);
    type_line("q = 1");                                 /* a statement: back is counted from the present again */
    assert_non_null(strstr(ask("%back"), "after statement 10: S = X[:, 1::2]\n"));
    ask("%memory off");
    assert_string_equal(ask("%back"), "ValueError: nothing is known of memory");
    free(three);
    close_watched();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_cells), cmocka_unit_test(draws_odd_tensors), cmocka_unit_test(draws_blocks),
        cmocka_unit_test(past_is_what_it_was), cmocka_unit_test(goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
