"""What an object can do, as classes: isinstance(x, Iterable)."""


def _has(*names):
    def check(x):
        for name in names:
            if getattr(x, name, None) is None:
                return False
        return True
    return check


class Iterable:
    _instance_of = _has('__iter__')

    def __class_getitem__(cls, item):
        return cls


class Iterator(Iterable):
    _instance_of = _has('__iter__', '__next__')


class Generator(Iterator):
    _instance_of = _has('__iter__', '__next__', 'send', 'throw', 'close')


class Sized:
    _instance_of = _has('__len__')


class Container:
    _instance_of = _has('__contains__')

    def __class_getitem__(cls, item):
        return cls


class Hashable:
    def _instance_of(x):
        try:
            hash(x)
        except TypeError:
            return False
        return True


class Callable:
    _instance_of = callable

    def __class_getitem__(cls, item):
        return cls


class Reversible(Iterable):
    _instance_of = _has('__iter__', '__reversed__')


class Collection(Sized, Iterable, Container):
    _instance_of = _has('__len__', '__iter__', '__contains__')


class Sequence(Collection):
    def _instance_of(x):
        return isinstance(x, (list, tuple, str, bytes, range))

    def __iter__(self):
        i = 0
        try:
            while True:
                yield self[i]
                i += 1
        except IndexError:
            return

    def __contains__(self, value):
        for v in iter(self):
            if v is value or v == value:
                return True
        return False

    def __reversed__(self):
        for i in reversed(range(len(self))):
            yield self[i]

    def index(self, value):
        for i in range(len(self)):
            if self[i] is value or self[i] == value:
                return i
        raise ValueError

    def count(self, value):
        return sum(1 for v in self if v is value or v == value)


class MutableSequence(Sequence):
    def _instance_of(x):
        return isinstance(x, list)


class Mapping(Collection):
    def _instance_of(x):
        return isinstance(x, dict) or hasattr(x, 'keys') and hasattr(x, 'items')

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return list(self)

    def items(self):
        return [(key, self[key]) for key in self]

    def values(self):
        return [self[key] for key in self]


class MutableMapping(Mapping):
    def update(self, other=(), /, **kwds):
        for key, value in dict(other, **kwds).items():
            self[key] = value

    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class Set(Collection):
    def _instance_of(x):
        return isinstance(x, (set, frozenset))


class MutableSet(Set):
    def _instance_of(x):
        return isinstance(x, set)
