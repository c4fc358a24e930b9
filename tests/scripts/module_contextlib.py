"""contextmanager and its kin; functools, operator, itertools beyond the basics."""
import functools
import itertools
import operator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress


@contextmanager
def marked(name):
    print('in', name)
    try:
        yield name * 2
    except ValueError as error:
        print('handled', error)
    finally:
        print('out', name)


with marked('a') as value:
    print(value)
# expect: in a
# expect: aa
# expect: out a
with marked('b'):
    raise ValueError('why')
# expect: in b
# expect: handled why
# expect: out b
try:
    with marked('c'):
        raise KeyError('k')
except KeyError as error:
    print('KeyError', error)
# expect: in c
# expect: out c
# expect: KeyError 'k'


@marked('d')
def inside():
    return 'f'


print(inside())
# expect: in d
# expect: out d
# expect: f
with suppress(ZeroDivisionError, KeyError):
    print(1 / 0)
with nullcontext(5) as five:
    print(five)                         # expect: 5
with ExitStack() as stack:
    stack.enter_context(marked('e'))
    stack.callback(print, 'called back')
# expect: in e
# expect: called back
# expect: out e


@functools.total_ordering
class Size:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n

    @functools.cached_property
    def square(self):
        print('worked out')
        return self.n ** 2


s = Size(3)
print(s.square, s.square, Size(1) <= Size(2), Size(3) > Size(2), Size(2) >= Size(3))
# expect: worked out
# expect: 9 9 True True False


@functools.singledispatch
def kind(x):
    return 'other'


@kind.register
def _(x: int):
    return 'int'


print(kind(1), kind('a'))               # expect: int other
print(operator.itemgetter(1, 0)('ab'), operator.attrgetter('real')(5), operator.methodcaller('upper')('a'))
# expect: ('b', 'a') 5 A
print(functools.reduce(operator.mul, [1, 2, 3]), sorted([(1, 'b'), (0, 'a')], key=operator.itemgetter(1)))
# expect: 6 [(0, 'a'), (1, 'b')]
print(list(itertools.compress('abc', [1, 0, 1])), [list(x) for x in itertools.tee([1, 2])])
# expect: ['a', 'c'] [[1, 2], [1, 2]]
