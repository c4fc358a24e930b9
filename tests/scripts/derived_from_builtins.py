"""Classes derived from list, dict, set, str, int, float and tuple."""
import copy


class Stack(list):
    def push(self, x):
        self.append(x)

    def append(self, x):
        super().append(x * 2)


s = Stack([1, 2])
s.push(3)
s += [4]
s.name = 'n'
print(s, len(s), s[0], s[1:], s == [1, 2, 6, 4], type(s) is Stack, isinstance(s, list))
# expect: [1, 2, 6, 4] 4 1 [2, 6, 4] True True True
s[0] = 9
del s[1]
s.sort()
print([*s], sorted(s), 9 in s, s + [1], s.name, max(s))     # expect: [4, 6, 9] [4, 6, 9] True [4, 6, 9, 1] n 9


class Plain(list):
    pass


s = Plain([[1], 2])
t, u = copy.deepcopy(s), copy.copy(s)
t[0].append(1)
print(t, u, s, type(t) is Plain, u[0] is s[0])  # expect: [[1, 1], 2] [[1], 2] [[1], 2] True True


class Named(dict):
    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key)

    def __setattr__(self, key, value):
        self[key] = value

    def __missing__(self, key):
        if key == 'lazy':
            return 'made'
        raise KeyError(key)


n = Named(a=1)
n.b = 2
print(n, n.a, n['b'], n['lazy'], len(n), list(n), 'a' in n, n.get('q'), dict(n), {**n})
# expect: {'a': 1, 'b': 2} 1 2 made 2 ['a', 'b'] True None {'a': 1, 'b': 2} {'a': 1, 'b': 2}
print(hasattr(n, 'zz'), sorted(n.items()))      # expect: False [('a', 1), ('b', 2)]


def f(**kw):
    return kw


print(f(**n))                           # expect: {'a': 1, 'b': 2}


class Counts(dict):
    def __init__(self, words):
        super().__init__()
        for word in words:
            self[word] = self.get(word, 0) + 1

    def __getitem__(self, key):
        return super().__getitem__(key) * 100


c = Counts('aab')
print(c, c['a'], c.get('a'))            # expect: {'a': 2, 'b': 1} 200 2


class Shout(str):
    def shout(self):
        return self.upper() + '!'


h = Shout('hi')
print(h, h.shout(), len(h), h + 'x', h == 'hi', f'{h:>4}', repr(h))  # expect: hi HI! 2 hix True   hi 'hi'


class Even(int):
    def __new__(cls, x):
        return super().__new__(cls, x - x % 2)

    def half(self):
        return self // 2


e = Even(7)
print(e, e.half(), e + 1, [0] * e, range(e), 'abcdefgh'[e], f'{e:03d}', -e, int(e), float(e))
# expect: 6 3 7 [0, 0, 0, 0, 0, 0] range(0, 6) g 006 -6 6 6.0


class Pair(tuple):
    def __new__(cls, a, b):
        return super().__new__(cls, (a, b))

    @property
    def first(self):
        return self[0]


p = Pair(1, 2)
x, y = p
print(p, p.first, x, y, p == (1, 2), hash(p) == hash((1, 2)))  # expect: (1, 2) 1 1 2 True True


class Bag(set):
    def fill(self, *items):
        for item in items:
            self.add(item)


b = Bag()
b.fill(1, 2, 1)
print(b, len(b), 1 in b, b | {3})       # expect: Bag({1, 2}) 2 True {1, 2, 3}


class Celsius(float):
    pass


print(Celsius(2.5) + 1, Celsius(2.5), Celsius(1) < Celsius(2))       # expect: 3.5 2.5 True


class Shape(Exception):
    pass


class Both(Shape, ValueError):
    pass


try:
    raise Both('why')
except ValueError as error:
    print(repr(error))                  # expect: Both('why')
