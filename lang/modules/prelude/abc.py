"""Abstract classes."""


def abstractmethod(funcobj):
    funcobj.__isabstractmethod__ = True
    return funcobj


def _is_abstract(value):
    if isinstance(value, property):
        value = value.fget
    return getattr(getattr(value, '__func__', value), '__isabstractmethod__', False)


class ABC:
    __abstractmethods__ = frozenset()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        names = set()
        for base in cls.__mro__:
            for name in base.__dict__:
                if _is_abstract(base.__dict__[name]) and _is_abstract(_found(cls, name)):
                    names.add(name)
        cls.__abstractmethods__ = frozenset(names)

    def __new__(cls, *args, **kwargs):
        names = sorted(cls.__abstractmethods__)
        if names:
            s = 's' if len(names) > 1 else ''
            raise TypeError(f"Can't instantiate abstract class {cls.__name__} with abstract method{s} {', '.join(names)}")
        return super().__new__(cls)


def _found(cls, name):
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]


def abstractproperty(f):
    f.__isabstractmethod__ = True
    return property(f)
