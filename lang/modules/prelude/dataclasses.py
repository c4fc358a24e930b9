"""Classes whose methods follow from their annotated names."""
import copy
import builtins


class _Missing:
    def __repr__(self):
        return '<dataclasses._MISSING_TYPE object>'


MISSING = _Missing()


class FrozenInstanceError(AttributeError):
    pass


class Field:
    def __init__(self, default, default_factory, init, repr, hash, compare):
        self.name = self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError('cannot specify both default and default_factory')
    return Field(default, default_factory, init, repr, hash, compare)


def _collect(cls):
    found = {}
    for base in reversed(cls.__mro__[1:]):
        for f in base.__dict__.get('__dataclass_fields__', {}).values():
            found[f.name] = f
    for name, kind in cls.__dict__.get('__annotations__', {}).items():
        if 'ClassVar' in (kind if isinstance(kind, str) else repr(kind)):
            continue
        default = cls.__dict__.get(name, MISSING)
        f = default if isinstance(default, Field) else field(default=default)
        if isinstance(f.default, (list, dict, set)):
            raise ValueError(f'mutable default {type(f.default)} for field {name} is not allowed: use default_factory')
        f.name, f.type = name, kind
        if isinstance(default, Field):
            if f.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, f.default)
        found[name] = f
    return found


def _init(cls, fields, frozen):
    taken = [f for f in fields if f.init]
    seen = False
    for f in taken:
        has = f.default is not MISSING or f.default_factory is not MISSING
        if seen and not has:
            raise TypeError(f'non-default argument {f.name!r} follows default argument')
        seen = seen or has

    def __init__(self, *args, **kwargs):
        who = type(self).__name__ + '.__init__()'
        if len(args) > len(taken):
            raise TypeError(f'{who} takes {len(taken) + 1} positional arguments but {len(args) + 1} were given')
        given = dict(zip([f.name for f in taken], args))
        for name in kwargs:
            if name in given:
                raise TypeError(f'{who} got multiple values for argument {name!r}')
            if not any(name == f.name for f in taken):
                raise TypeError(f'{who} got an unexpected keyword argument {name!r}')
            given[name] = kwargs[name]
        missing = [repr(f.name) for f in taken
                   if f.name not in given and f.default is MISSING and f.default_factory is MISSING]
        if missing:
            names = missing[0] if len(missing) == 1 else ', '.join(missing[:-1]) + (',' if len(missing) > 2 else '') + ' and ' + missing[-1]
            raise TypeError(f"{who} missing {len(missing)} required positional argument{'s' if len(missing) > 1 else ''}: {names}")
        for f in fields:
            if f.name in given:
                value = given[f.name]
            elif f.default_factory is not MISSING:
                value = f.default_factory()
            elif f.default is not MISSING:
                value = f.default
            else:
                continue
            object.__setattr__(self, f.name, value)
        if hasattr(self, '__post_init__'):
            self.__post_init__()
    return __init__


def _add(cls, name, function):
    function.__name__ = name
    function.__qualname__ = cls.__qualname__ + '.' + name
    setattr(cls, name, function)


def _process(cls, init, repr, eq, order, unsafe_hash, frozen):
    found = _collect(cls)
    cls.__dataclass_fields__ = found
    fields = list(found.values())
    compared = [f.name for f in fields if f.compare]

    def values(obj):
        return tuple([getattr(obj, name) for name in compared])

    def shown(self):
        return self.__class__.__qualname__ + '(' + ', '.join([f'{f.name}={getattr(self, f.name)!r}' for f in fields if f.repr]) + ')'

    def comparison(compare):
        def method(self, other):
            return compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented
        return method

    if init and '__init__' not in cls.__dict__:
        _add(cls, '__init__', _init(cls, fields, frozen))
    if repr and '__repr__' not in cls.__dict__:
        _add(cls, '__repr__', shown)
    own_eq = '__eq__' in cls.__dict__
    if eq and not own_eq:
        _add(cls, '__eq__', comparison(lambda a, b: a == b))
    if order:
        _add(cls, '__lt__', comparison(lambda a, b: a < b))
        _add(cls, '__le__', comparison(lambda a, b: a <= b))
        _add(cls, '__gt__', comparison(lambda a, b: a > b))
        _add(cls, '__ge__', comparison(lambda a, b: a >= b))
    if frozen:
        def refuse(self, name, *value):
            raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
        _add(cls, '__setattr__', lambda self, name, value: refuse(self, name, value))
        _add(cls, '__delattr__', lambda self, name: refuse(self, name))
    if unsafe_hash or (eq and frozen):
        _add(cls, '__hash__', lambda self: hash(values(self)))
    elif eq and not own_eq and '__hash__' not in cls.__dict__:
        cls.__hash__ = None
    cls.__match_args__ = tuple([f.name for f in fields if f.init])
    return cls


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False):
    def wrap(cls):
        return _process(cls, init, repr, eq, order, unsafe_hash, frozen)
    return wrap if cls is None else wrap(cls)


def fields(class_or_instance):
    try:
        return tuple(class_or_instance.__dataclass_fields__.values())
    except AttributeError:
        raise TypeError('must be called with a dataclass type or instance') from None


def is_dataclass(obj):
    return hasattr(obj, '__dataclass_fields__')


def _inner(value, make):
    if is_dataclass(value):
        return make(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_inner(v, make) for v in value])
    if isinstance(value, dict):
        return type(value)([(_inner(k, make), _inner(v, make)) for k, v in value.items()])
    return copy.deepcopy(value)


def asdict(obj):
    return {f.name: _inner(getattr(obj, f.name), asdict) for f in fields(obj)}


def astuple(obj):
    return tuple([_inner(getattr(obj, f.name), astuple) for f in fields(obj)])


def replace(obj, /, **changes):
    for f in fields(obj):
        if f.init and f.name not in changes:
            changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)
