/* test_containers.c - lists, tuples, dicts, sets, ranges and iterators, and what happens when memory is refused. */
#include "tests/lang/with_session.h"

/* containers and iterators */
static const Row containers[] = {
    { "[1, 2, 3][1:], [1, 2, 3][::-1], [1, 2, 3][-2:], [1, 2, 3][5:], [1, 2, 3][::2]",
      "([2, 3], [3, 2, 1], [2, 3], [], [1, 3])" },
    { "[1][3]", "!IndexError" },
    { "[1]['a']", "!TypeError" },
    { "[1, 2] + [3], [0] * 3, 2 * [1, 2], [1] * -1", "([1, 2, 3], [0, 0, 0], [1, 2, 1, 2], [])" },
    { "[1] + (2,)", "!TypeError" },
    { "[1, 2] < [1, 3], [1] < [1, 2], [] == [], [1] == [1.0], [2] > [1, 5]",
      "(True, True, True, True, True)" },
    { "[1] < 1", "!TypeError" },
    { "[1, 'a', None, 2.0]", "[1, 'a', None, 2.0]" },
    { "[3, 1, 2].index(1), [1, 2, 1].count(1), 2 in [1, 2], 5 not in [1]", "(1, 2, True, True)" },
    { "[1].index(5)", "!ValueError" },
    { "[].pop()", "!IndexError" },
    { "[].remove(1)", "!ValueError" },
    { "sorted([3, 1, 2], reverse=True), sorted(['bb', 'a', 'ccc'], key=len), sorted([(2, 'a'), (1, 'b')]), sorted([3, -1, 2], key=lambda x: -x), sorted([(1, 'b'), (0, 'x'), (1, 'a')], key=lambda p: p[0], reverse=True)",
      "([3, 2, 1], ['a', 'bb', 'ccc'], [(1, 'b'), (2, 'a')], [3, 2, -1], [(1, 'b'), (1, 'a'), (0, 'x')])" },
    { "sorted([1, 'a'])", "!TypeError" },
    { "list(range(40, 0, -1)) == sorted(range(1, 41), reverse=True)", "True" },
    { "max([1, 5, 3]), min(4, 2, 9), max('abc'), max([1, 2], key=lambda x: -x), min([], default=7)",
      "(5, 2, 'c', 1, 7)" },
    { "max([])", "!ValueError" },
    { "sum([1, 2, 3]), sum([[1], [2]], []), sum(range(5))", "(6, [1, 2], 10)" },
    { "sum(['a'])", "!TypeError" },
    { "any([0, 1]), all([]), all([1, 0]), any([])", "(True, True, False, False)" },
    { "(1,), (), (1, 2)[0], (1, 2) + (3,), (1,) * 2, (1, 2) == (1, 2), (1, 2) < (1, 3)",
      "((1,), (), 1, (1, 2, 3), (1, 1), True, True)" },
    { "(1, 2)[5]", "!IndexError" },
    { "hash((1, 2)), hash(()), hash((1, (2, 3))), hash((0.5, -1))",
      "(-3550055125485641917, 5740354900026072187, 7267574591690527098, 6150435046063548694)" },
    { "hash([])", "!TypeError" },
    { "{'a': 1, 'b': [1]}, {}, dict(a=1), dict([(1, 2)]), dict({'x': 1}, y=2)",
      "({'a': 1, 'b': [1]}, {}, {'a': 1}, {1: 2}, {'x': 1, 'y': 2})" },
    { "{1: 'a', 1.0: 'b', True: 'c'}", "{1: 'c'}" },
    { "{'a': 1}['z']", "!KeyError" },
    { "{[]: 1}", "!TypeError" },
    { "{'a': 1}.get('z'), {'a': 1}.get('z', 5), {'a': 1}.get('a'), 'a' in {'a': 1}",
      "(None, 5, 1, True)" },
    { "list({'a': 1, 'b': 2}), list({'a': 1}.items()), {'a': 1}.keys(), {'a': 1}.values()",
      "(['a', 'b'], [('a', 1)], dict_keys(['a']), dict_values([1]))" },
    { "{'a': 1} == {'a': 1.0}, {'a': 1} != {}, {1: 2} | {3: 4}", "(True, True, {1: 2, 3: 4})" },
    { "{'a': 1}.pop('b')", "!KeyError" },
    { "{}.popitem()", "!KeyError" },
    { "dict([1])", "!TypeError" },
    { "dict([(1, 2, 3)])", "!ValueError" },
    { "dict.fromkeys('ab', 0), dict(zip('ab', [1, 2]))", "({'a': 0, 'b': 0}, {'a': 1, 'b': 2})" },
    { "{'a': 1}.keys() & {'a', 'b'}, {1: 1}.keys() | [2], {'a': 1}.keys() == {'a'}",
      "({'a'}, {1, 2}, True)" },
    { "set(), {1}, {3, 1, 2}, frozenset([1]), frozenset()",
      "(set(), {1}, {1, 2, 3}, frozenset({1}), frozenset())" },
    { "set([10, 20, 30, 5, 64, 128]), set(range(0, 100, 7)), {i * i % 17 for i in range(50)}",
      "({64, 128, 5, 10, 20, 30}, {0, 98, 35, 70, 7, 42, 77, 14, 49, 84, 21, 56, 91, 28, 63}, {0, 1, 2, 4, 8, 9, 13, 15, 16})" },
    { "{(1, 2), (0, 1), (3, 3)}, {1.5, 2.5, 100}, {-1, -2, -5}, set([2 ** 70, 1])",
      "({(0, 1), (1, 2), (3, 3)}, {1.5, 2.5, 100}, {-5, -1, -2}, {1180591620717411303424, 1})" },
    { "{1, 2} | {3}, {1, 2} & {2, 5}, {1, 2} - {1}, {1, 2} ^ {2, 3}, {1} < {1, 2}, {1, 2} >= {1}, {1} == frozenset([1])",
      "({1, 2, 3}, {2}, {2}, {1, 3}, True, True, True)" },
    { "{1, 2} | [3]", "!TypeError" },
    { "{1}.union([7, 5], [6]), {1, 2}.intersection([2]), {1, 2}.difference([2]), {8, 9}.symmetric_difference([9, 1]), {1}.issubset([1, 2]), {1}.isdisjoint([2])",
      "({1, 5, 6, 7}, {2}, {1}, {8, 1}, True, True)" },
    { "{1}.remove(2)", "!KeyError" },
    { "set().pop()", "!KeyError" },
    { "{[1]}", "!TypeError" },
    { "range(5), range(1, 5), range(5, 0, -2), list(range(5, 0, -2)), len(range(0, 10, 3)), 4 in range(0, 10, 2), range(10)[2:8:3], range(10)[-1], range(3) == range(0, 3, 1), range(0) == range(5, 5)",
      "(range(0, 5), range(1, 5), range(5, 0, -2), [5, 3, 1], 4, True, range(2, 8, 3), 9, True, True)" },
    { "range(1, 2, 0)", "!ValueError" },
    { "range(1.5)", "!TypeError" },
    { "range(5)[7]", "!IndexError" },
    { "slice(1, 2), slice(None), slice(1, 10, 2).indices(5)",
      "(slice(1, 2, None), slice(None, None, None), (1, 5, 2))" },
    { "list(enumerate('ab', 1)), list(zip([1, 2], [3, 4, 5])), list(map(lambda x: x * 2, [1, 2])), list(filter(None, [0, 1, 2])), list(reversed([1, 2, 3])), list(map(lambda a, b: a + b, [1, 2], [3, 4]))",
      "([(1, 'a'), (2, 'b')], [(1, 3), (2, 4)], [2, 4], [1, 2], [3, 2, 1], [4, 6])" },
    { "list(zip([1], [1, 2], strict=True))", "!ValueError" },
    { "next(iter([1])), next(iter([]), 'end')", "(1, 'end')" },
    { "next(iter([]))", "!StopIteration" },
    { "next([])", "!TypeError" },
    { "iter(5)", "!TypeError" },
    { "len(5)", "!TypeError" },
    { "list(5)", "!TypeError" },
    { "[x for x in range(10) if x % 2], {x: x * x for x in range(3)}, [a + b for a in 'ab' for b in 'cd'], list(x for x in (1, 2))",
      "([1, 3, 5, 7, 9], {0: 0, 1: 1, 2: 4}, ['ac', 'ad', 'bc', 'bd'], [1, 2])" },
    { "[*range(3), *'ab'], {**{'a': 1}, 'b': 2}, (*[1],)",
      "([0, 1, 2, 'a', 'b'], {'a': 1, 'b': 2}, (1,))" },
    { "isinstance(3, (int, str)), isinstance(True, int), issubclass(bool, int), type(1) == int, type([]) is list, callable(len)",
      "(True, True, True, True, True, True)" },
    { "isinstance(1, 2)", "!TypeError" },
    { "[[]] * 2, [[1, [2]], (3, {4: 5})]", "([[], []], [[1, [2]], (3, {4: 5})])" },
    { "bool([]), bool([0]), bool(()), bool({}), bool(range(0)), bool(''), not []",
      "(False, True, False, False, False, False, True)" },
    { "[1, 2, 3].__len__(), [1].__contains__(1), (1, 2).__getitem__(0)", "(3, True, 1)" },
    { "hasattr([], 'append'), getattr([1], 'foo', 9), [].foo if False else 1", "(True, 9, 1)" },
    { "[].foo", "!AttributeError" },
    { "divmod(7, 2), abs(-1), pow(2, 3), round(2.5), chr(97), ord('a'), repr('a'), str(2), len('abc')",
      "((3, 1), 1, 8, 2, 'a', 97, \"'a'\", '2', 3)" },
    { "list(iter([1, 2, 3].pop, 1))", "[3, 2]" },
};

static void test_containers(void **state)
{
    (void)state;
    check_rows(containers, COUNT(containers));
}

/* Each request for memory is refused once. */
static const Row refused[] = {
    { "[[1, 2], (3, 'x'), {4: 5}, {6}]", "[[1, 2], (3, 'x'), {4: 5}, {6}]" },
    { "sorted([3, 1, 2] * 9, key=lambda x: -x)[:2]", "[3, 3]" },
    { "{str(i): i for i in range(9)}['7']", "7" },
    { "len({i * 7 for i in range(40)})", "40" },
    { "list(zip('ab', map(str, [1, 2])))", "[('a', '1'), ('b', '2')]" },
    { "'-'.join('a b c'.split()).upper().center(9, '*')", "'**A-B-C**'" },
    { "'%05.1f %s' % (2.5, [1]) + '{:>4}'.format(7)", "'002.5 [1]   7'" },
    { "2 ** 100 // 3 ** 20", "363558641556578823726" },
    { "dict(a=1, **{'b': [2]}) | {'c': 3}", "{'a': 1, 'b': [2], 'c': 3}" },
};

static void test_refused(void **state)
{
    (void)state;
    check_refusals(refused, COUNT(refused));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
