"""Types that have no name among the builtins, and what annotations such as list[int] and int | None give."""
import math


def _function(): pass


def _generator(): yield


class _C:
    def method(self): pass


FunctionType = LambdaType = type(_function)
BuiltinFunctionType = BuiltinMethodType = type(len)
MethodType = type(_C().method)
GeneratorType = type(_generator())
ModuleType = type(math)
NoneType = type(None)
EllipsisType = type(...)
CodeType = type(_function.__code__)


class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return 'namespace(' + ', '.join([f'{k}={v!r}' for k, v in self.__dict__.items()]) + ')'

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and self.__dict__ == other.__dict__


def _shown(x):
    if x is ...:
        return '...'
    if x is None or x is NoneType:
        return 'None'
    if isinstance(x, type):
        return x.__qualname__ if x.__module__ == 'builtins' else x.__module__ + '.' + x.__qualname__
    if isinstance(x, list):
        return '[' + ', '.join(map(_shown, x)) + ']'
    return repr(x)


class GenericAlias:
    def __init__(self, origin, args):
        self.__origin__ = origin
        self.__args__ = args if isinstance(args, tuple) else (args,)

    def __repr__(self):
        return _shown(self.__origin__) + '[' + ', '.join(map(_shown, self.__args__)) + ']'

    def __call__(self, *args, **kwargs):
        return self.__origin__(*args, **kwargs)

    def __getitem__(self, item):
        return GenericAlias(self.__origin__, item)

    def __eq__(self, other):
        return isinstance(other, GenericAlias) and (self.__origin__, self.__args__) == (other.__origin__, other.__args__)

    def __hash__(self):
        return hash((self.__origin__, self.__args__))

    def __or__(self, other):
        return _union(self, other)

    def __ror__(self, other):
        return _union(other, self)


class UnionType:
    def __init__(self, args):
        self.__args__ = args

    def __repr__(self):
        return ' | '.join(map(_shown, self.__args__))

    def __eq__(self, other):
        return isinstance(other, UnionType) and set(self.__args__) == set(other.__args__)

    def __hash__(self):
        return hash(frozenset(self.__args__))

    def __or__(self, other):
        return _union(self, other)

    def __ror__(self, other):
        return _union(other, self)


def _union(a, b):
    args = []
    for x in (a, b):
        for member in x.__args__ if isinstance(x, UnionType) else (NoneType if x is None else x,):
            if member not in args:
                args.append(member)
    return args[0] if len(args) == 1 else UnionType(tuple(args))
