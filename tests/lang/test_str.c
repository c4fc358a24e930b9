/* test_str.c - text: methods, slices by code point, format specs and both kinds of formatting. */
#include "tests/lang/with_session.h"

/* methods and operators */
static const Row texts[] = {
    { "'a' + 'b' * 3", "'abbb'" },
    { "'it\\'s'", "\"it's\"" },
    { "'a\"b'", "'a\"b'" },
    { "'a\\'b\"c'", "'a\\'b\"c'" },
    { "'a\\n\\t\\\\'", "'a\\n\\t\\\\'" },
    { "'é\\x00\\u200b'", "'é\\x00\\u200b'" },
    { "'héllo'[1], 'héllo'[-1], 'héllo'[::-1], 'héllo'[1:3]", "('é', 'o', 'olléh', 'él')" },
    { "len('héllo wörld')", "11" },
    { "'abc'[5]", "!IndexError" },
    { "'abc'['a']", "!TypeError" },
    { "'  Some Text '.strip(), 'xxaxx'.strip('x'), 'xxaxx'.lstrip('x'), 'xxaxx'.rstrip('x')",
      "('Some Text', 'a', 'axx', 'xxa')" },
    { "'a,b,,c'.split(','), ' a  b '.split(), 'a b c'.split(None, 1), 'a,b,c'.rsplit(',', 1), ' a b  c '.rsplit(None, 1), ''.split(), ''.split(',')",
      "(['a', 'b', '', 'c'], ['a', 'b'], ['a', 'b c'], ['a,b', 'c'], [' a b', 'c'], [], [''])" },
    { "'a'.split('')", "!ValueError" },
    { "'-'.join(['x', 'y']), ''.join('abc'), ','.join([])", "('x-y', 'abc', '')" },
    { "','.join([1])", "!TypeError" },
    { "'banana'.replace('a', 'o'), 'banana'.replace('a', 'o', 2), 'ab'.replace('', '-')",
      "('bonono', 'bonona', '-a-b-')" },
    { "'banana'.find('an'), 'banana'.rfind('an'), 'banana'.find('z'), 'banana'.find('a', 2), 'banana'.find('', 9), 'héé'.find('é', 2)",
      "(1, 3, -1, 3, -1, 2)" },
    { "'banana'.index('z')", "!ValueError" },
    { "'banana'.count('an'), 'banana'.count(''), 'aaa'.count('aa')", "(2, 7, 1)" },
    { "'x=1'.partition('='), 'x=1=2'.rpartition('='), 'x'.partition('=')",
      "(('x', '=', '1'), ('x=1', '=', '2'), ('x', '', ''))" },
    { "'Abc'.startswith('Ab'), 'Abc'.startswith(('x', 'A')), 'Abc'.endswith('c'), 'Abc'.startswith('b', 1)",
      "(True, True, True, True)" },
    { "'abc'.removeprefix('a'), 'abc'.removesuffix('bc')", "('bc', 'a')" },
    { "'Title case here'.title(), 'hello world'.capitalize(), 'aBc'.swapcase(), 'ß'.upper(), 'ÀÉ'.lower()",
      "('Title Case Here', 'Hello world', 'AbC', 'SS', 'àé')" },
    { "'42'.isdigit(), ''.isdigit(), 'a1'.isalnum(), 'ab'.isalpha(), ' \\n'.isspace(), 'Ab'.isupper(), 'AB1'.isupper(), 'Ab Cd'.istitle(), 'a_1'.isidentifier()",
      "(True, False, True, True, True, False, True, True, True)" },
    { "'7'.zfill(3), '-7'.zfill(4), 'ab'.center(7, '*'), 'ab'.center(5), 'ab'.rjust(4), 'ab'.ljust(4)",
      "('007', '-007', '***ab**', '  ab ', '  ab', 'ab  ')" },
    { "'a\\nb\\r\\nc'.splitlines(), 'a\\nb\\n'.splitlines(True)", "(['a', 'b', 'c'], ['a\\n', 'b\\n'])" },
    { "'abc'.translate(str.maketrans('ab', 'xy')), 'a\\tb'.expandtabs(4)", "('xyc', 'a   b')" },
    { "'b' in 'abc', '' in 'a', 'z' in 'abc'", "(True, True, False)" },
    { "1 in 'abc'", "!TypeError" },
    { "'a' < 'b', 'a' < 'B', 'abc' < 'abd', 'a' == 'a', 'a' != 'b', 'a' == 1",
      "(True, False, True, True, True, False)" },
    { "'a' < 1", "!TypeError" },
    { "'a' + 1", "!TypeError" },
    { "'a' * -1, 3 * 'ab'", "('', 'ababab')" },
    { "'é'.encode(), 'abc'.encode('ascii').decode()", "(b'\\xc3\\xa9', 'abc')" },
    { "ord('é'), chr(233), ord('a'), chr(0x1f600)", "(233, 'é', 97, '😀')" },
    { "ord('ab')", "!TypeError" },
    { "chr(-1)", "!ValueError" },
    { "ascii('é'), repr('a')", "(\"'\\\\xe9'\", \"'a'\")" },
    { "str(1), str(1.0), str(None), str([1, 'a'])", "('1', '1.0', 'None', \"[1, 'a']\")" },
    { "'abc' is 'abc', sorted('hello')", "(True, ['e', 'h', 'l', 'l', 'o'])" },
    { "list('héy'), tuple('ab'), set('a')", "(['h', 'é', 'y'], ('a', 'b'), {'a'})" },
    { "'{} and {}'.format(1, 'x'), '{0}{1}{0}'.format('a', 'b'), '{a}{b[0]}'.format(a=1, b=[2]), '{{}}'.format()",
      "('1 and x', 'aba', '12', '{}')" },
    { "'{:>5}/{:<5}/{:^5}/'.format(1, 'a', 'b'), '{!r:>5}'.format('a'), '{:{}}'.format('a', 4)",
      "('    1/a    /  b  /', \"  'a'\", 'a   ')" },
    { "'{}'.format()", "!IndexError" },
    { "'{a}'.format()", "!KeyError" },
    { "'{'.format()", "!ValueError" },
    { "'%d items at %.1f' % (3, 2.55), '%s' % 'x', '%5d/%-5d/%05d/%x/%+d' % (3, 4, 5, 255, 7), '%%', '%(a)s' % {'a': 1}, '%r' % 'x', '%c' % 65, '%e' % 12345.678, '%g' % 1e-5, '%5.1f%%' % 3.14159, '%s' % [1], '%o' % 8, '%.3d' % 5",
      "('3 items at 2.5', 'x', '    3/4    /00005/ff/+7', '%%', '1', \"'x'\", 'A', '1.234568e+04', '1e-05', '  3.1%', '[1]', '10', '005')" },
    { "'%d' % 'a'", "!TypeError" },
    { "'%s %s' % 'a'", "!TypeError" },
    { "'%s' % (1, 2)", "!TypeError" },
    { "'%z' % 1", "!ValueError" },
};

static void test_texts(void **state)
{
    (void)state;
    check_rows(texts, COUNT(texts));
}

/* format specs */
static const Row formats[] = {
    { "format(3.14159, '.2f'), format(42, 'b'), format(42, 'o'), format(255, 'x'), format(255, '#X'), format(255, '#010x')",
      "('3.14', '101010', '52', 'ff', '0XFF', '0x000000ff')" },
    { "format('x', '>3'), format('x', '*^5'), format('abc', '.2'), format('é', '<3')",
      "('  x', '**x**', 'ab', 'é  ')" },
    { "format(1234567, ','), format(1234567.891, ',.2f'), format(12345678, '_'), format(0xffff, '_b'), format(1e6, ',')",
      "('1,234,567', '1,234,567.89', '12_345_678', '1111_1111_1111_1111', '1,000,000.0')" },
    { "format(-5, '05d'), format(-5, '+'), format(5, '+d'), format(5, ' d'), format(1234, '010,'), format(5, '=+5'), format(5, '<5'), format(5, '^5')",
      "('-0005', '-5', '+5', ' 5', '00,001,234', '+   5', '5    ', '  5  ')" },
    { "format(0.5, '%'), format(0.1234, '.1%'), format(1e10, '.3e'), format(1e-5, 'g'), format(123456789.0, 'g'), format(1.0, 'g'), format(0.0, 'e'), format(1e100, '.3g')",
      "('50.000000%', '12.3%', '1.000e+10', '1e-05', '1.23457e+08', '1', '0.000000e+00', '1e+100')" },
    { "format(1.0, '.1'), format(12.5, '.3'), format(100.0, '.4'), format(1e-7, '.2'), format(123456.0, '.3'), format(2.5, '8'), format(2.5, '')",
      "('1e+00', '12.5', '100.0', '1e-07', '1.23e+05', '     2.5', '2.5')" },
    { "format(float('nan'), '8.2f'), format(float('inf'), 'F'), format(-float('inf'), '08'), format(-0.0, '.1f'), format(-0.0, 'z.1f')",
      "('     nan', 'INF', '-0000inf', '-0.0', '0.0')" },
    { "format(True, 'd'), format(True), format(True, '>6'), format(None, ''), format(65, 'c')",
      "('1', 'True', '     1', 'None', 'A')" },
    { "format(2 ** 70, ','), format(2 ** 70, 'x'), format(10, 'e'), format(3, '.2f'), format(-255, '#b')",
      "('1,180,591,620,717,411,303,424', '400000000000000000', '1.000000e+01', '3.00', '-0b11111111')" },
    { "format('a', 'd')", "!ValueError" },
    { "format(1.5, 'd')", "!ValueError" },
    { "format(1, 's')", "!ValueError" },
    { "format([], '5')", "!TypeError" },
    { "format(1, '.2')", "!ValueError" },
    { "format('a', '=5')", "!ValueError" },
    { "format(1, '5q')", "!ValueError" },
    { "f'{2.5:{8}.{2}f}', f'{3!r:>4}', f'{\"a\":>{3}}', f'{1}{2}', f'{{}}'",
      "('    2.50', '   3', '  a', '12', '{}')" },
};

static void test_formats(void **state)
{
    (void)state;
    check_rows(formats, COUNT(formats));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
