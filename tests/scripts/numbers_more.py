"""Methods of numbers, pow with a modulus, __slots__, caches of functions."""
import functools
from collections import defaultdict, deque

print((255).bit_length(), (255).bit_count(), (5).as_integer_ratio(), (3.0).is_integer(), (0.75).as_integer_ratio())
# expect: 8 8 (5, 1) True (3, 4)
print((0.5).hex(), (-3.7).hex(), float.fromhex('0x1.8p+1'), float.fromhex('-0x.8p0'), (0.0).hex(), float('inf').hex())
# expect: 0x1.0000000000000p-1 -0x1.d99999999999ap+1 3.0 -0.5 0x0.0p+0 inf
print((258).to_bytes(2, 'little'), (258).to_bytes(4, 'big'), int.from_bytes(b'\x01\x00', 'big'), int.from_bytes(b'\x01\x00', 'little'))
# expect: b'\x02\x01' b'\x00\x00\x01\x02' 256 1
print((10 ** 30).bit_count(), (7).numerator, (7).denominator, (7).real, (7).imag, (2.5).conjugate())
# expect: 37 7 1 7 0 2.5
print(pow(2, 10, 1000), pow(3, -1, 7), pow(5, -2, 11), pow(2, 0, 1))  # expect: 24 5 4 0
try:
    pow(2, -1, 4)
except ValueError as error:
    print(error)                        # expect: base is not invertible for the given modulus


class Index:
    def __index__(self):
        return 2

    def __pow__(self, other, modulo=None):
        return 'pow', other, modulo

    def __divmod__(self, other):
        return 'divmod', other


i = Index()
print([10, 20, 30][i], 'abc'[i], (1, 2, 3)[i], range(i), hex(i), pow(i, 3, 5), i ** 2, divmod(i, 4), [0, 1, 2, 3][:i])
# expect: 30 c 3 range(0, 2) 0x2 ('pow', 3, 5) ('pow', 2, None) ('divmod', 4) [0, 1]


class Slotted:
    __slots__ = ('a', 'b')

    def __init__(self):
        self.a = 1


s = Slotted()
s.b = 2
try:
    s.c = 3
except AttributeError as error:
    print(error)                        # expect: 'Slotted' object has no attribute 'c'
print(s.a, s.b, hasattr(s, '__dict__'))  # expect: 1 2 False


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(30), fib.cache_info())        # expect: 832040 CacheInfo(hits=28, misses=31, maxsize=None, currsize=31)
fib.cache_clear()
print(fib.cache_info().currsize, defaultdict(int).default_factory, deque(maxlen=3).maxlen)
# expect: 0 <class 'int'> 3
