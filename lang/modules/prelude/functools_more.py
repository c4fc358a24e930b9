"""The rest of the module functools."""
import functools
from collections import namedtuple

WRAPPER_ASSIGNMENTS = ('__module__', '__name__', '__qualname__', '__doc__', '__annotations__')

_cache_info = namedtuple('CacheInfo', 'hits misses maxsize currsize')


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = None
        self.__doc__ = func.__doc__

    def __set_name__(self, owner, name):
        self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        cache = instance.__dict__
        if self.attrname not in cache:
            cache[self.attrname] = self.func(instance)
        return cache[self.attrname]


def total_ordering(cls):
    has = [name for name in ('__lt__', '__le__', '__gt__', '__ge__') if getattr(cls, name, None) is not None]
    if not has:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    root = has[0]

    def less(a, b):
        if root == '__lt__':
            return a.__lt__(b)
        if root == '__gt__':
            r = a.__gt__(b)
        elif root == '__le__':
            r = a.__le__(b)
            return r if r is NotImplemented else r and not a == b
        else:
            r = a.__ge__(b)
            return r if r is NotImplemented else not r
        return r if r is NotImplemented else not r and not a == b

    def flip(a, b, negate, equal):
        r = less(a, b)
        if r is NotImplemented:
            return r
        if negate:
            return not r if equal else not r and not a == b
        return r or a == b if equal else r

    if '__lt__' not in has:
        cls.__lt__ = lambda self, other: flip(self, other, False, False)
    if '__le__' not in has:
        cls.__le__ = lambda self, other: flip(self, other, False, True)
    if '__gt__' not in has:
        cls.__gt__ = lambda self, other: flip(self, other, True, False)
    if '__ge__' not in has:
        cls.__ge__ = lambda self, other: flip(self, other, True, True)
    return cls


def update_wrapper(wrapper, wrapped, assigned=None, updated=None):
    return functools.wraps(wrapped)(wrapper)


def singledispatch(func):
    registry = {object: func}

    def dispatch(cls):
        for base in cls.__mro__:
            if base in registry:
                return registry[base]

    @functools.wraps(func)
    def wrapper(*args, **kw):
        return dispatch(args[0].__class__)(*args, **kw)

    def register(cls, f=None):
        if f is None:
            if isinstance(cls, type):
                return lambda f: register(cls, f)
            f = cls
            cls = [f.__annotations__[name] for name in f.__annotations__ if name != 'return'][0]
        registry[cls] = f
        return f

    wrapper.register = register
    wrapper.dispatch = dispatch
    wrapper.registry = registry
    return wrapper
