"""The rest of the module sys."""
import sys
import _locus
from collections import namedtuple

version_info = namedtuple('version_info', 'major minor micro releaselevel serial')(3, 11, 0, 'final', 0)
version_info.__class__.__repr__ = lambda self: "sys.version_info(major=3, minor=11, micro=0, releaselevel='final', serial=0)"
float_info = namedtuple('float_info', 'max max_exp max_10_exp min min_exp min_10_exp dig mant_dig epsilon radix rounds')(
    1.7976931348623157e+308, 1024, 308, 2.2250738585072014e-308, -1021, -307, 15, 53, 2.220446049250313e-16, 2, 1)
int_info = namedtuple('int_info', 'bits_per_digit sizeof_digit default_max_str_digits str_digits_check_threshold')(30, 4, 4300, 640)
hash_info = namedtuple('hash_info', 'width modulus inf nan')(64, 2305843009213693951, 314159, 0)
hexversion = 0x030b00f0
api_version = 1013
maxunicode = 1114111
prefix = exec_prefix = ''
dont_write_bytecode = True
builtin_module_names = ()


class _Implementation:
    name = 'locus'
    version = version_info


implementation = _Implementation()


def exc_info():
    e = _locus.handled()
    return (None, None, None) if e is None else (type(e), e, e.__traceback__)


def setrecursionlimit(limit, /):
    if limit < 1:
        raise ValueError('recursion limit must be greater or equal than 1')


def getfilesystemencoding():
    return 'utf-8'


class _Input:
    def readline(self):
        try:
            return input() + '\n'
        except EOFError:
            return ''

    def __iter__(self):
        return iter(self.readline, '')

    def read(self):
        return ''.join(self)

    def readlines(self):
        return list(self)

    def isatty(self):
        return False


stdin = _Input()
