/* test_why.c - %why: what it says, and that it keeps its promises. */
#include "watched.h"
#include "lang/owners.h"

static void says_where_from(void **state)
{
    (void)state;
    static const char *const line[] = {
        "import torch", "X = torch.arange(12.).view(3, 4)", "Y = torch.ones(3, 4)", "Y = Y + X", "A = X", "X += Y", "V = X.view(-1)",
        "V[0] = 100", "T = X.t()", "S = X[:, 1::2]", "keep = [X, X[1]]", "R = T.reshape(12)",
    };
    open_watched();
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        assert_true(type_line(line[i]));
    assert_string_equal(ask_plain("%why X"),
        "X  #2  float32 (3, 4)  12 elements at 0x?\n"
        "made by     statement 2: X = torch.arange(12.).view(3, 4), a view of #1\n"
        "storage     S1  48 B, cpu  version 2, last written by statement 8: V[0] = 100\n"
        "\n"
        "who else reads and writes S1\n"
        "  X, A, keep[0] #2    float32 (3, 4)                ████████████  0..48\n"
        "  V             #5    float32 (12,)                 ████████████  0..48  12 of X's 12\n"
        "  T             #6    float32 (4, 3) stride (1, 4)  ████████████  0..48  12 of X's 12\n"
        "  S             #7    float32 (3, 2) stride (4, 2)  ·█·█·█·█·█·█  4..48  6 of X's 12\n"
        "  keep[1]       #8    float32 (4,)                  ····████····  16..32  4 of X's 12\n"
        "\n"
        "what keeps S1's 48 B\n"
        "  S1 ─┬─ #2 ──┬─ X\n"
        "      │       ├─ A\n"
        "      │       └─ keep[0] ── keep\n"
        "      ├─ #1 ──── base of #2\n"
        "      ├─ #5 ──── V\n"
        "      ├─ #6 ──── T\n"
        "      ├─ #7 ──── S\n"
        "      └─ #8 ──── keep[1] ── keep\n"
        "to free it  del X, A, V, T, S, keep   gives back 48 B\n");
    assert_string_equal(ask_plain("%why R"),
        "R  #10  float32 (12,)  12 elements at 0x?\n"
        "made by     statement 12: R = T.reshape(12), copied 48 B from T\n"
        "storage     S4  48 B, cpu  version 0, in the block that S2 left\n"
        "why a copy  to join T's (4, 3) into (12,), stride[0] must be size[1] ×\n"
        "            stride[1]: 3 × 4 = 12, but it is 1. So no view of T has this shape.\n"
        "a view is   X.view(12), A.view(12), T.t().view(12): 0 B, in the order of the\n"
        "            bytes\n"
        "shared      with nobody\n"
        "\n"
        "what keeps S4's 48 B\n"
        "  S4 ─── #10 ─── R\n"
        "to free it  del R   gives back 48 B\n");
    assert_string_equal(ask("%why nope"), "NameError: name 'nope' is not defined");
    assert_string_equal(ask("%why keep"), "TypeError: 'keep' is no tensor, but list");
    assert_string_equal(ask("%why"), "TypeError: %why needs the name of a tensor");
    close_watched();
}

/* Each kind of holder is named as a program would write it, or in words. */
static void names_owners(void **state)
{
    (void)state;
    static const struct { const char *before, *asked, *said; } row[] = {
        { "L = [0, [t]]; del t", "L[1][0]", "#1 ──── L[1][0] ── L[1] ── L\n" },
        { "D = {'w': t, 7: 1}; del t", "D['w']", "#1 ──── D['w'] ── D\n" },
        { "P = (t,); del t", "P[0]", "#1 ──── P[0] ── P\nto free it  del P " },
        { "f = (lambda h: lambda: h)(t); del t", "f()", "#1 ──── closure of f: h ── f\n" },
        { "class C: w = t\ndel t", "C.w", "#1 ──── C.w ── C\n" },
        { "class C: pass\nc = C(); c.net = C(); c.net.w = t; del t", "c.net.w", "#1 ──── c.net.w ── c.net ── c\n" },
        { "def f(x=t): return x\ndel t", "f()", "of f" },
        { "def g(x):\n    yield x\n    yield x\nk = g(t); n = next(k); del t, n", "next(k)", "#1 ──── x in k ── k\n" },
        { "m = t.add_; del t", "m(0)", "#1 ──── self of a method of m ── m\n" },
        { "t", "t", "└─ _\n" },
        { "L = [t]; L.append(L); del t", "L[0]", "#1 ──── L[0] ── L\nto free it  no del frees it" },
        { "def bad(x): raise ValueError(1)\nbad(t)", "t", "x in last error" },
        { "L = [t, t]; M = L; del t", "L[0]", "to free it  del L, M   gives back 12 B\n" },
        { "L = [0, t]; M = L; N = L; del t", "L[1]", "to free it  del L[1]   gives back 12 B\n" },
        { "v = t[1:]; del t", "v", "#1 ──── base of #2\n" },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char command[100];
        open_watched();
        type_line("import torch");
        type_line("t = torch.ones(3)");
        for (const char *s = row[i].before, *end; *s; s = *end ? end + 1 : end) {       /* a compound statement goes to its next unindented line */
            for (end = s; *end && !(*end == '\n' && end[1] != ' '); end++)
                continue;
            char part[300];
            snprintf(part, sizeof part, "%.*s\n", (int)(end - s), s);
            type_line(part);
        }
        snprintf(command, sizeof command, "%%why %s", row[i].asked);
        const char *said = ask(command);
        if (!strstr(said, row[i].said)) {
            print_error("%s: %s should say %s\nbut says\n%s\n", row[i].before, row[i].asked, row[i].said, said);
            fail();
        }
        close_watched();
    }
}

/* The dels that are proposed free what they promise, to the byte, and there is no smaller promise of nothing. */
static void dels_free_what_they_promise(void **state)
{
    (void)state;
    enum { STATEMENTS = 14 };
    int kept = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (char name = 'a'; name <= 'f'; name++) {
            dice = seed * 0x9E3779B97F4A7C15u;
            open_watched();
            type_line("import torch");
            char line[200], expression[8] = { name };
            for (int i = 0; i < STATEMENTS; i++) {
                random_statement(line, sizeof line);
                type_line(line);
            }
            type_line("None");
            ask("%xdel nothing");
            Err err = { .kind = ERR_NONE };
            Owners *o = session_owners(watched.session, expression, 1, &err);
            if (o && o->frees_target && o->dels) {
                int64_t before = live_bytes();
                bool hidden = false;
                for (size_t i = 0; i < o->dels; i++)
                    hidden = hidden || o->del_hidden[i];
                for (size_t i = o->dels; i-- && !hidden; ) {            /* from behind: L[1] before L[0] */
                    snprintf(line, sizeof line, "del %s", o->del[i]);
                    type_line(line);
                }
                if (!hidden && before - live_bytes() != o->freed)
                    fail_msg("seed %d: del %s … promised %lld, gave %lld", (int)seed, o->del[0], (long long)o->freed,
                             (long long)(before - live_bytes()));
                kept += !hidden;
            } else
                refused += o != NULL;
            owners_free(o);
            close_watched();
        }
    assert_true(kept > 150);
    assert_true(refused < kept / 4);
}

/* A reason for a copy is given exactly when the data lies elsewhere. */
static void reason_when_copied(void **state)
{
    (void)state;
    static const char *const view[] = { "t", "t.t()", "t[1:]", "t[:, 1:3]", "t[::2]", "t.t()[1:]", "t[0].expand(3, 4)", "t.view(4, 3)", "t.unsqueeze(1)" };
    static const char *const op[] = {
        "reshape(-1)", "contiguous()", "flatten()", "reshape(v.shape)", "float()", "double()", "to(torch.float32)", "clone()", "view_as(v)",
        "reshape(-1, 1)", "t()", "squeeze()", "__getitem__(torch.tensor([0]))", "__getitem__(0)", "ravel()",
    };
    int copies = 0, views = 0;
    for (size_t i = 0; i < sizeof view / sizeof *view; i++)
        for (size_t k = 0; k < sizeof op / sizeof *op; k++) {
            char line[200];
            open_watched();
            type_line("import torch");
            type_line("t = torch.arange(12.).view(3, 4)");
            snprintf(line, sizeof line, "v = %s", view[i]);
            assert_true(type_line(line));
            snprintf(line, sizeof line, "y = v.%s", op[k]);
            if (type_line(line)) {
                bool copied = type_line("assert y.data_ptr() >= t.data_ptr() + 48 or y.data_ptr() < t.data_ptr()");
                bool reason = strstr(ask("%why y"), "why a copy") != NULL;
                if (copied != reason)
                    fail_msg("%s.%s: copied %d, reason %d\n%s", view[i], op[k], copied, reason, watched.answer.s);
                copies += copied;
                views += !copied;
            }
            close_watched();
        }
    assert_true(copies > 30 && views > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_where_from), cmocka_unit_test(names_owners), cmocka_unit_test(dels_free_what_they_promise),
        cmocka_unit_test(reason_when_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
