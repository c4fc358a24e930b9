/*
 * test_refusal.c - a whole script with each request for memory refused once: the session says so or goes on, and lets go of everything.
 */
#define _GNU_SOURCE 1
#include "lang/session.h"
#include "show/show.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static const char plain[] =
    "import math\n"
    "from collections import Counter\n"
    "class Point:\n"
    "    count = 0\n"
    "    def __init__(self, x, y=1):\n"
    "        self.x, self.y = x, y\n"
    "        Point.count += 1\n"
    "    def __add__(self, other):\n"
    "        return Point(self.x + other.x, self.y + other.y)\n"
    "    def __repr__(self):\n"
    "        return f'Point({self.x}, {self.y:>3})'\n"
    "    @property\n"
    "    def size(self):\n"
    "        return math.sqrt(self.x ** 2 + self.y ** 2)\n"
    "class Far(Point):\n"
    "    def __init__(self, *args, **named):\n"
    "        super().__init__(*args, **named)\n"
    "print(Point(1) + Far(2, y=5), Far(3, 4).size, isinstance(Far(1), Point), Point.count)\n"
    "def adder(n):\n"
    "    total = 0\n"
    "    def add(k):\n"
    "        nonlocal total\n"
    "        total += n * k\n"
    "        return total\n"
    "    return add\n"
    "add = adder(10 ** 20)\n"
    "print([add(k) for k in range(5)], add(2 ** 70))\n"
    "def numbers(n):\n"
    "    try:\n"
    "        for k in range(n):\n"
    "            yield k * k\n"
    "    finally:\n"
    "        pass\n"
    "print(sum(numbers(10)), list(zip(numbers(4), 'abcd')), max(numbers(3), key=lambda k: -k))\n"
    "words = 'the cat and the dog and the bird'.split()\n"
    "seen = {}\n"
    "for word in words:\n"
    "    seen[word] = seen.get(word, 0) + 1\n"
    "print(seen, sorted(seen.items(), key=lambda item: (-item[1], item[0])), sorted({w[0] for w in words} - {'x'}))\n"
    "print(Counter(words).most_common(1), {n: str(n) * n for n in range(4)})\n"
    "def fails(n):\n"
    "    if n == 0:\n"
    "        raise ValueError('wrong', n)\n"
    "    return fails(n - 1)\n"
    "try:\n"
    "    fails(5)\n"
    "except ValueError as error:\n"
    "    print(error.args, error)\n"
    "    try:\n"
    "        {}['key']\n"
    "    except KeyError as inner:\n"
    "        print(repr(inner), inner.__context__ is error)\n"
    "first, *rest = [1, [2, (3, 'four')], {5: None}, 'six', 7.5, -10 ** 30]\n"
    "print(first, rest, rest[::-1][1:3], 'a-{}-{:.3f}'.format(1, 2.0), '%5d|%s' % (3, [4]))\n"
    "loop = [1]\n"
    "loop.append(loop)\n"
    "print(loop, ' '.join(map(str, filter(None, [0, 1, 2]))))\n"
    "del loop, add\n";

static const char tensors[] =
    "import torch\n"
    "torch.manual_seed(1)\n"
    "X = torch.arange(12.).view(3, 4)\n"
    "Y = torch.ones(3, 4)\n"
    "Y = Y + X\n"
    "Z = torch.zeros_like(Y)\n"
    "Z[:] = X + Y\n"
    "X += Y\n"
    "V, T = X.view(-1), X.t()\n"
    "V[0] = 100\n"
    "print(X, T.shape, V[1:3], T.reshape(12).sum(), X[X > 5].numel(), X[[0, 2]], X[:, 1])\n"
    "a, b = torch.randn(4, 3), torch.randint(0, 9, (3, 2))\n"
    "print((a @ b.float()).shape, a.max(0).indices.dtype, b.sort().values.shape, torch.cat([a, a], dim=1).shape)\n"
    "def step(x, rate=0.5):\n"
    "    x.mul_(1 - rate).add_(torch.full_like(x, 2.))\n"
    "    return x.mean(dim=0, keepdim=True)\n"
    "kept = [step(Y) for _ in range(3)] + [{'w': Y[0]}]\n"
    "print(kept[0].shape, kept[3]['w'].tolist(), torch.tensor([[1, 2], [3, 4]]).half(), Y.to(torch.int64))\n"
    "try:\n"
    "    T.view(12)\n"
    "except RuntimeError as error:\n"
    "    if 'no memory' in str(error): raise\n"
    "    print('refused')\n"
    "try:\n"
    "    torch.arange(3).add_(0.5)\n"
    "except RuntimeError as error:\n"
    "    if 'no memory' in str(error): raise\n"
    "    print('refused')\n"
    "for row in X:\n"
    "    row += 1\n"
    "big = torch.stack([torch.ones(1000, 100) * k for k in range(3)])\n"
    "print(big, torch.where(X > 10, X, -X), X.std(), torch.linspace(0, 1, 5), torch.eye(3, dtype=torch.bool))\n"
    "x = y = torch.empty(0, 3)\n"
    "del X, V, kept\n";

typedef struct Watch {
    Show *show;
    Text  out;
    bool  ignored;                      /* an error that nobody could be told of */
} Watch;

static void on_text(void *self, Stream to, const char *utf8, size_t n)
{
    Watch *w = self;
    if (to == STREAM_OUT)
        text_add(&w->out, utf8, n);
    else
        w->ignored = true;
}

static void on_statement(void *self, const Statement *done)
{
    Watch *w = self;
    Layout layout = { .width = 100 };
    Text text = { 0 };
    show_statement(w->show, done);
    show_text(w->show, &layout, &text);
    text_free(&text);
}

static int  leaks;                      /* the file that standard error goes to meanwhile */
static char problem[2000];              /* what went wrong; told when standard error is itself again */

static void check(int64_t request)
{
    char said[500];
    ssize_t n = pread(leaks, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = 0;
    if (n > 0 || problem[0])
        fail_msg("request %d was refused: %s%s", (int)request, problem, said);
}

static const char arrays[] =
    "import numpy as np\n"
    "import torch\n"
    "a = np.array([[1, 2.5], [3, 4]])\n"
    "b = a[1:]\n"
    "b += [1, 2]\n"
    "print(a, repr(b), b.base is a, a.T.strides, a.sum(), a.mean(axis=0), a.std(), a.dtype)\n"
    "print(a[0, 1], a[a > 2], a[[0, 1], [1, 0]], np.exp(a)[0], np.where(a > 2, a, 0), a @ a, a.tolist())\n"
    "t = torch.from_numpy(a)\n"
    "t[0] = 7\n"
    "n = t.numpy()\n"
    "n[1] = np.arange(2)\n"
    "print(t, t._version, n.base is t, torch.tensor(a).dtype, t + a, np.float32(1) + 1, np.int64(3) // 2)\n"
    "np.random.seed(3)\n"
    "print(np.random.randn(2), np.random.randint(5, size=3), np.random.permutation(4), np.random.choice(9, 2, replace=False))\n"
    "print(np.concatenate([a, n]), np.stack([a, a]).shape, np.split(np.arange(4), 2), np.unique([2, 1, 2], return_counts=True))\n"
    "try:\n"
    "    a.reshape(3)\n"
    "except ValueError as e:\n"
    "    print(e)\n"
    "print(np.linspace(0, 1, 3), np.eye(2), isinstance(a[0, 0], float), np.sort([3, 1]), a.argmax(), a.cumsum(), a.flags.owndata)\n";

/* Runs the script with one request refused, in a session of its own. False: there were no more requests. */
static bool run_refused(const char *script, int64_t request, const char *answer)
{
    Watch watch = { 0 };
    Observer observer = { .self = &watch, .text = on_text, .statement = on_statement };
    SessionOptions options = { .report_leaks = true };
    Err err = { 0 };
    Session *s = session_new(&observer, &options, &err);
    watch.show = s ? show_new(s, &err) : NULL;
    assert_non_null(watch.show);
    heap_fail_after(session_heap(s), request);
    bool ok = session_run(s, RUN_SCRIPT, "script.py", script, strlen(script), 0, &err);
    bool reached = session_heap(s)->fail_after < 0;
    heap_fail_after(session_heap(s), -1);
    if (!ok && err.kind != ERR_MEMORY && !(err.kind == ERR_RUNTIME && strstr(err.message, "no memory")))
        snprintf(problem, sizeof problem, "%s: %s\n", err_name(err.kind), err.message);
    text_end(&watch.out);
    if (ok && !watch.ignored && answer && strcmp(watch.out.s, answer))
        snprintf(problem, sizeof problem, "the script went on and said\n%sinstead of\n%s", watch.out.s, answer);
    char *again = session_evaluate(s, "sum([1, 2, 3])", 14, &err);
    if (!again || strcmp(again, "6"))
        snprintf(problem, sizeof problem, "afterwards sum([1, 2, 3]) is %s\n", again ? again : err.message);
    free(again);
    show_free(watch.show);
    session_free(s);
    text_free(&watch.out);
    return reached;
}

/* What the script prints when nothing is refused: new text. */
static char *whole_answer(const char *script)
{
    Watch watch = { 0 };
    Observer observer = { .self = &watch, .text = on_text };
    Err err = { 0 };
    Session *s = session_new(&observer, NULL, &err);
    assert_non_null(s);
    if (!session_run(s, RUN_SCRIPT, "script.py", script, strlen(script), 0, &err))
        fail_msg("%s: %s", err_name(err.kind), err.message);
    session_free(s);
    return text_end(&watch.out);
}

static void refuse_each(const char *script)
{
    char *answer = whole_answer(script);
    problem[0] = 0;
    int kept = dup(STDERR_FILENO);
    leaks = memfd_create("leaks", 0);
    assert_true(kept >= 0 && leaks >= 0);
    int64_t request = 0;
    for (bool more = true; more; request++) {
        fflush(stderr);
        dup2(leaks, STDERR_FILENO);
        more = run_refused(script, request, answer);
        fflush(stderr);
        dup2(kept, STDERR_FILENO);
        check(request);
    }
    close(kept);
    close(leaks);
    free(answer);
    assert_true(request > 500);         /* else the script asks for too little to be a test */
}

static void test_plain(void **state)   { (void)state; refuse_each(plain); }
static void test_tensors(void **state) { (void)state; refuse_each(tensors); }
static void test_arrays(void **state)  { (void)state; refuse_each(arrays); }

/* Files are written and read in a folder of their own. */
static void test_files(void **state)
{
    static const char files[] =
        "import numpy as np\n"
        "import torch\n"
        "from safetensors.torch import save_file, load_file\n"
        "x = torch.arange(4.).reshape(2, 2)\n"
        "torch.save({'x': x, 'row': x[0], 'list': [1, 'two', (3.5, None)], 'size': x.shape}, 'a.pt')\n"
        "d = torch.load('a.pt')\n"
        "print(d, d['x'].data_ptr() == d['row'].data_ptr())\n"
        "np.save('a.npy', x.numpy().T)\n"
        "np.savez_compressed('a.npz', x.numpy(), b=np.arange(3))\n"
        "z = np.load('a.npz')\n"
        "print(np.load('a.npy'), z.files, z['b'], [k for k in z])\n"
        "save_file({'x': x, 'b': torch.ones(2)}, 'a.safetensors', metadata={'k': 'v'})\n"
        "print(load_file('a.safetensors'))\n";
    char folder[] = "/tmp/locus-refusal-XXXXXX", command[64];
    char *before = getcwd(NULL, 0);
    (void)state;
    assert_true(before && mkdtemp(folder) && !chdir(folder));
    refuse_each(files);
    assert_true(!chdir(before));
    free(before);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_plain), cmocka_unit_test(test_tensors), cmocka_unit_test(test_arrays),
                                        cmocka_unit_test(test_files) };
    return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
