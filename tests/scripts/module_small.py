"""collections, io, string, heapq, bisect, statistics, timeit, warnings, traceback, types, inspect, tqdm, importlib, time, sys."""
import bisect
import heapq
import importlib.metadata
import inspect
import io
import statistics
import string
import sys
import time
import timeit
import traceback
import types
import warnings
from collections import ChainMap, namedtuple
from pprint import pprint

P = namedtuple('P', 'x y', defaults=[9])
p = P(1)
x, y = p
print(p, p.x, p[1], x, y, p._asdict(), p._replace(x=5), P._fields, P(y=2, x=1) == (1, 2), P._make([3, 4]), isinstance(p, tuple))
# expect: P(x=1, y=9) 1 9 1 9 {'x': 1, 'y': 9} P(x=5, y=9) ('x', 'y') True P(x=3, y=4) True
try:
    P()
except TypeError as error:
    print(error)                        # expect: P.__new__() missing 1 required positional argument: 'x'
print(ChainMap({'a': 1}, {'b': 2})['b'])  # expect: 2
text = io.StringIO('a\nb')
print(repr(text.readline()), text.read(), text.getvalue() == 'a\nb')  # expect: 'a\n' b True
out = io.StringIO()
print('x', 1, file=out)
print(repr(out.getvalue()), io.BytesIO(b'ab').read(1))  # expect: 'x 1\n' b'a'
print(string.ascii_lowercase, string.digits, string.punctuation, string.capwords('a b'))
# expect: abcdefghijklmnopqrstuvwxyz 0123456789 !"#$%&'()*+,-./:;<=>?@[\]^_`{|}~ A B
heap = [3, 1, 2]
heapq.heapify(heap)
heapq.heappush(heap, 0)
print(heapq.heappop(heap), heap, heapq.nlargest(2, [1, 5, 3]), bisect.bisect([1, 2, 3], 2), bisect.bisect_left([1, 2, 3], 2))
# expect: 0 [1, 3, 2] [5, 3] 2 1
print(statistics.mean([1, 2, 3]), statistics.median([1, 3, 2, 4]), statistics.stdev([1, 2, 3]), statistics.mode([1, 1, 2]))
# expect: 2 2.5 1.0 1
print(timeit.default_timer() > 0, timeit.timeit(lambda: None, number=3) >= 0, len(timeit.repeat(lambda: 1, number=2, repeat=3)))
# expect: True True 3
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    warnings.warn('careful')
    print(len(caught), caught[0].message, caught[0].category.__name__)  # expect: 1 careful UserWarning
warnings.filterwarnings('error')
try:
    warnings.warn('now an error', RuntimeWarning)
except RuntimeWarning as error:
    print(repr(error))                  # expect: RuntimeWarning('now an error')


def fails():
    return 1 / 0


try:
    fails()
except ZeroDivisionError as error:
    print(traceback.format_exc().splitlines()[0], '|', traceback.format_exc().splitlines()[-1])
    print(traceback.format_exception_only(type(error), error), sys.exc_info()[0].__name__)
# expect: Traceback (most recent call last): | ZeroDivisionError: division by zero
# expect: ['ZeroDivisionError: division by zero\n'] ZeroDivisionError
print(types.SimpleNamespace(a=1, b='x'), isinstance(fails, types.FunctionType), inspect.isfunction(len), inspect.isclass(int))
# expect: namespace(a=1, b='x') True False True
pprint({'b': 1, 'a': [1, 2]})           # expect: {'a': [1, 2], 'b': 1}
pprint([list(range(30)), 'short'])
# expect: [[0,
# expect:   1,
# expect:   2,
# expect:   3,
# expect:   4,
# expect:   5,
# expect:   6,
# expect:   7,
# expect:   8,
# expect:   9,
# expect:   10,
# expect:   11,
# expect:   12,
# expect:   13,
# expect:   14,
# expect:   15,
# expect:   16,
# expect:   17,
# expect:   18,
# expect:   19,
# expect:   20,
# expect:   21,
# expect:   22,
# expect:   23,
# expect:   24,
# expect:   25,
# expect:   26,
# expect:   27,
# expect:   28,
# expect:   29],
# expect:  'short']
pprint({'key%d' % i: i * 1000 for i in range(8)})
# expect: {'key0': 0,
# expect:  'key1': 1000,
# expect:  'key2': 2000,
# expect:  'key3': 3000,
# expect:  'key4': 4000,
# expect:  'key5': 5000,
# expect:  'key6': 6000,
# expect:  'key7': 7000}
print(time.strftime('%Y-%m-%d %H:%M', time.gmtime(0)), time.gmtime(86400).tm_mday, time.localtime().tm_year > 2000)
# expect: 1970-01-01 00:00 2 True
print(sys.version_info >= (3, 8), sys.version_info.major, sys.float_info.max, sys.maxsize, sys.platform)
# expect: True 3 1.7976931348623157e+308 9223372036854775807 linux
print(isinstance(importlib.metadata, types.ModuleType), importlib.import_module('math').pi)
# expect: True 3.141592653589793
