/* test_modules.c - math, random, itertools, functools, collections, copy, os.path, as Python answers. */
#include "tests/lang/with_session.h"

static const char imports[] = "import math, random, itertools, functools, collections, copy, os.path\n";

/* math */
static const Row mathematics[] = {
    { "math.sqrt(16), math.pi, math.e, math.inf, math.tau",
      "(4.0, 3.141592653589793, 2.718281828459045, inf, 6.283185307179586)" },
    { "math.floor(-2.5), math.ceil(2.1), math.trunc(-2.7), math.floor(2 ** 70)",
      "(-3, 3, -2, 1180591620717411303424)" },
    { "math.exp(0), math.log(8, 2), math.log2(8), math.log10(1000), math.log1p(0), math.log(10 ** 400)",
      "(1.0, 3.0, 3.0, 3.0, 0.0, 921.0340371976182)" },
    { "math.prod([2, 3, 4]), math.gcd(12, 18), math.gcd(), math.lcm(4, 6), math.factorial(20), math.factorial(25), math.comb(5, 2), math.perm(5, 2), math.comb(60, 30)",
      "(24, 6, 0, 12, 2432902008176640000, 15511210043330985984000000, 10, 20, 118264581564861424)" },
    { "math.isqrt(10 ** 20), math.isqrt(99), math.isqrt(0)",
      "(10000000000, 9, 0)" },
    { "math.hypot(3, 4), math.dist([0, 0], [3, 4]), math.fsum([0.1] * 10), math.fabs(-2), math.copysign(1, -0.0)",
      "(5.0, 5.0, 1.0, 2.0, -1.0)" },
    { "math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1), math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1)",
      "(True, True, True, True, False)" },
    { "math.modf(2.5), math.frexp(8.0), math.ldexp(0.5, 4), math.fmod(-7, 3), math.remainder(7, 4)",
      "((0.5, 2.0), (0.5, 4), 8.0, -1.0, -1.0)" },
    { "math.sin(0), math.cos(0), math.atan2(1, 1), math.degrees(math.pi), math.radians(180), math.tanh(0.5)",
      "(0.0, 1.0, 0.7853981633974483, 180.0, 3.141592653589793, 0.46211715726000974)" },
    { "math.sqrt(-1)",
      "!ValueError" },
    { "math.log(0)",
      "!ValueError" },
    { "math.exp(1000)",
      "!OverflowError" },
    { "math.factorial(-1)",
      "!ValueError" },
    { "math.floor(math.inf)",
      "!OverflowError" },
    { "math.floor(math.nan)",
      "!ValueError" },
    { "math.acos(2)",
      "!ValueError" },
    { "math.pow(0, -1)",
      "!ValueError" },
    { "math.sqrt('a')",
      "!TypeError" },
    { "math.gcd(1.5)",
      "!TypeError" },
    { "math.nothing",
      "!AttributeError" },
};

static void test_mathematics(void **state)
{
    (void)state;
    check_rows_after(imports, mathematics, COUNT(mathematics));
}

/* random: the numbers that belong to a seed */
static const Row streams[] = {
    { "random.seed(42), random.random(), random.randint(1, 100), random.choice([1, 2, 3]), random.uniform(0, 1)",
      "(None, 0.6394267984578837, 4, 3, 0.27502931836911926)" },
    { "random.seed(0), random.gauss(0, 1), random.gauss(0, 1), random.normalvariate(1, 2), random.expovariate(2), random.triangular(0, 1)",
      "(None, 0.9417154046806644, -1.3965781047011498, 0.6322635578134834, 0.35797737488357534, 0.44996340820694203)" },
    { "random.seed(1), random.sample(range(100), 5), random.sample(range(10), 8), random.choices([1, 2, 3], k=5), random.choices('abc', weights=[1, 2, 3], k=4)",
      "(None, [17, 72, 97, 8, 32], [1, 7, 8, 3, 5, 6, 9, 0], [2, 3, 2, 2, 3], ['c', 'b', 'c', 'c'])" },
    { "random.seed(-7), random.getrandbits(8), random.getrandbits(70), random.randrange(0, 100, 7), random.randrange(10 ** 12)",
      "(None, 82, 463951277996445748708, 70, 77516799952)" },
    { "random.seed(2 ** 70 + 3), random.random()",
      "(None, 0.16339507200642456)" },
    { "random.seed(3.5), random.random()",
      "(None, 0.3039190124834461)" },
    { "[random.seed(9), [5, 6, 7, 8], (lambda x: (random.shuffle(x), x))(list(range(10)))]",
      "[None, [5, 6, 7, 8], (None, [9, 8, 3, 2, 0, 6, 1, 4, 5, 7])]" },
    { "random.choice([])",
      "!IndexError" },
    { "random.sample([1], 2)",
      "!ValueError" },
    { "random.randint(5, 1)",
      "!ValueError" },
    { "(random.seed(5), (lambda t: (random.random(), random.setstate(t), random.random()))(random.getstate()))",
      "(None, (0.6229016948897019, None, 0.6229016948897019))" },
};

static void test_streams(void **state)
{
    (void)state;
    check_rows_after(imports, streams, COUNT(streams));
}

/* the others */
static const Row others[] = {
    { "list(itertools.islice(itertools.count(5, 2), 3)), list(itertools.chain([1], 'ab')), list(itertools.chain.from_iterable([[1], [2, 3]]))",
      "([5, 7, 9], [1, 'a', 'b'], [1, 2, 3])" },
    { "list(itertools.product([1, 2], 'ab')), list(itertools.permutations([1, 2, 3], 2)), list(itertools.combinations('abcd', 2)), list(itertools.combinations_with_replacement('ab', 2)), list(itertools.product(repeat=2))",
      "([(1, 'a'), (1, 'b'), (2, 'a'), (2, 'b')], [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)], [('a', 'b'), ('a', 'c'), ('a', 'd'), ('b', 'c'), ('b', 'd'), ('c', 'd')], [('a', 'a'), ('a', 'b'), ('b', 'b')], [()])" },
    { "list(itertools.accumulate([1, 2, 3])), list(itertools.accumulate([1, 2, 3], lambda a, b: a * b, initial=10)), list(itertools.zip_longest([1, 2], [3], fillvalue=0)), list(itertools.repeat(1, 3))",
      "([1, 3, 6], [10, 10, 20, 60], [(1, 3), (2, 0)], [1, 1, 1])" },
    { "list(itertools.takewhile(lambda x: x < 3, [1, 2, 5, 1])), list(itertools.dropwhile(lambda x: x < 3, [1, 2, 5, 1])), list(itertools.pairwise([1, 2, 3])), list(itertools.starmap(pow, [(2, 3), (3, 2)]))",
      "([1, 2], [5, 1], [(1, 2), (2, 3)], [8, 9])" },
    { "[(k, list(g)) for k, g in itertools.groupby('aabbbc')]",
      "[('a', ['a', 'a']), ('b', ['b', 'b', 'b']), ('c', ['c'])]" },
    { "functools.reduce(lambda a, b: a + b, [1, 2, 3]), functools.partial(int, base=2)('101'), sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))",
      "(6, 5, [3, 2, 1])" },
    { "functools.reduce(lambda a, b: a, [])",
      "!TypeError" },
    { "collections.Counter('banana'), collections.Counter('banana').most_common(1), collections.Counter('a')['z']",
      "(Counter({'a': 3, 'n': 2, 'b': 1}), [('a', 3)], 0)" },
    { "collections.defaultdict(int)['x'], collections.defaultdict(list, a=1), collections.OrderedDict(a=1)",
      "(0, defaultdict(<class 'list'>, {'a': 1}), OrderedDict([('a', 1)]))" },
    { "collections.deque([1, 2, 3], maxlen=2), len(collections.deque('abc')), collections.deque([1])[0]",
      "(deque([2, 3], maxlen=2), 3, 1)" },
    { "collections.deque().pop()",
      "!IndexError" },
    { "copy.deepcopy([[1], (2, [3])]), copy.copy({1: [2]}), (lambda x: copy.deepcopy([x, x])[0] is x)([1])",
      "([[1], (2, [3])], {1: [2]}, False)" },
    { "os.path.join('a', 'b', '/c', 'd'), os.path.basename('/x/y.txt'), os.path.splitext('/x/y.tar.gz')",
      "('/c/d', 'y.txt', ('/x/y.tar', '.gz'))" },
};

static void test_others(void **state)
{
    (void)state;
    check_rows_after(imports, others, COUNT(others));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mathematics),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
