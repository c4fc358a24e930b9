"""A format that fails lets go of what it was given; numbers of derived classes are formatted as numbers."""


class Even(int):
    pass


class Other:
    pass


for template in ('%d', '%5.2f', '%(x)d'):
    try:
        print(template % ({'x': Other()} if '(' in template else Other()))
    except TypeError as error:
        print(type(error).__name__)
# expect: TypeError
# expect: TypeError
# expect: TypeError
print('%d %05d %s %.1f' % (Even(4), Even(3), Even(2), Even(1)))     # expect: 4 00003 2 1.0
print('abc'.replace('', '-'), 'äbä'.replace('ä', 'ue', 1), ''.replace('', 'x'), 'aaa'.replace('aa', 'b'))
# expect: -a-b-c- uebä x ba
