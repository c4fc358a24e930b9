"""Names for annotations: they mean nothing when a program runs."""
import types
import collections.abc
from collections import namedtuple

TYPE_CHECKING = False


def _shown(x):
    return types._shown(x)


class _Form:
    def __init__(self, name, origin=None, args=None):
        self._name = name
        self.__origin__ = origin
        self.__args__ = args

    def __getitem__(self, item):
        args = item if isinstance(item, tuple) else (item,)
        if self._name == 'Optional':
            return _Form('Optional', Union, (args[0], types.NoneType))
        if self._name == 'Union':
            flat = []
            for arg in args:
                arg = types.NoneType if arg is None else arg
                for member in arg.__args__ if isinstance(arg, _Form) and arg.__origin__ is Union else (arg,):
                    if member not in flat:
                        flat.append(member)
            if len(flat) == 1:
                return flat[0]
            return _Form('Optional' if len(flat) == 2 and flat[1] is types.NoneType else 'Union', Union, tuple(flat))
        return _Form(self._name, self.__origin__ or self, args)

    def __repr__(self):
        if not self.__args__:
            return 'typing.' + self._name
        args = self.__args__[:-1] if self._name == 'Optional' else self.__args__
        return 'typing.' + self._name + '[' + ', '.join(map(_shown, args)) + ']'

    def __call__(self, *args, **kwargs):
        if isinstance(self.__origin__, type):
            return self.__origin__(*args, **kwargs)
        raise TypeError(f'Type {self._name} cannot be instantiated')

    def __eq__(self, other):
        if not isinstance(other, _Form):
            return NotImplemented
        return (self._name, self.__args__) == (other._name, other.__args__)

    def __hash__(self):
        return hash((self._name, self.__args__))

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]


Any = _Form('Any')
Union = _Form('Union')
Optional = _Form('Optional')
Callable = _Form('Callable', collections.abc.Callable)
Literal = _Form('Literal')
Final = _Form('Final')
ClassVar = _Form('ClassVar')
Annotated = _Form('Annotated')
Concatenate = _Form('Concatenate')
TypeAlias = _Form('TypeAlias')
NoReturn = _Form('NoReturn')
Self = _Form('Self')
LiteralString = _Form('LiteralString')
AnyStr = _Form('AnyStr')
Text = str
List = _Form('List', list)
Dict = _Form('Dict', dict)
Set = _Form('Set', set)
FrozenSet = _Form('FrozenSet', frozenset)
Tuple = _Form('Tuple', tuple)
Type = _Form('Type', type)
DefaultDict = _Form('DefaultDict')
OrderedDict = _Form('OrderedDict')
Counter = _Form('Counter')
Deque = _Form('Deque')
Iterable = _Form('Iterable', collections.abc.Iterable)
Iterator = _Form('Iterator', collections.abc.Iterator)
Generator = _Form('Generator', collections.abc.Generator)
Sequence = _Form('Sequence', collections.abc.Sequence)
MutableSequence = _Form('MutableSequence', collections.abc.MutableSequence)
Mapping = _Form('Mapping', collections.abc.Mapping)
MutableMapping = _Form('MutableMapping', collections.abc.MutableMapping)
Collection = _Form('Collection', collections.abc.Collection)
Container = _Form('Container', collections.abc.Container)
Hashable = _Form('Hashable', collections.abc.Hashable)
Sized = _Form('Sized', collections.abc.Sized)
ContextManager = _Form('ContextManager')
SupportsFloat = _Form('SupportsFloat')
SupportsInt = _Form('SupportsInt')
IO = _Form('IO')
TextIO = _Form('TextIO')
BinaryIO = _Form('BinaryIO')
Pattern = _Form('Pattern')


class TypeVar:
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        self.__name__ = name

    def __repr__(self):
        return '~' + self.__name__


class ParamSpec(TypeVar):
    pass


class Generic:
    def __class_getitem__(cls, item):
        return cls


class Protocol:
    def __class_getitem__(cls, item):
        return cls


class NamedTuple(tuple):
    def __init_subclass__(cls):
        fields = list(cls.__annotations__)
        made = namedtuple(cls.__name__, fields, defaults=[getattr(cls, f) for f in fields if f in cls.__dict__])
        for name in ('__new__', '__repr__', '_asdict', '_replace', '_fields', '_field_defaults', '_make') + tuple(fields):
            setattr(cls, name, made.__dict__[name])


def NewType(name, tp):
    return lambda x: x


def cast(typ, val):
    return val


def overload(func):
    return func


def final(f):
    return f


def no_type_check(arg):
    return arg


def runtime_checkable(cls):
    return cls


def get_type_hints(obj):
    return dict(obj.__annotations__)


def get_origin(tp):
    return getattr(tp, '__origin__', None)


def get_args(tp):
    return getattr(tp, '__args__', None) or ()
