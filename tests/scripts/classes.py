"""Decorators on classes, __new__, hooks of classes, descriptors, type() with three arguments."""


def tag(cls):
    cls.tag = 5
    return cls


def numbered(n):
    def inner(cls):
        cls.n = n
        return cls
    return inner


@numbered(1)
@tag
class Decorated:
    pass


print(Decorated.tag, Decorated.n)       # expect: 5 1


class Single:
    made = None

    def __new__(cls, value):
        if cls.made is None:
            cls.made = super().__new__(cls)
        return cls.made

    def __init__(self, value):
        self.value = value


a, b = Single(1), Single(2)
print(a is b, a.value)                  # expect: True 2
Single.made = None


class Base:
    known = []

    def __init_subclass__(cls):
        super().__init_subclass__()
        Base.known.append(cls.__name__)


class One(Base):
    pass


class Two(One):
    pass


print(Base.known)                       # expect: ['One', 'Two']


class Limited:
    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, obj, owner):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        setattr(obj, self.name, min(value, 10))


class Dial:
    level = Limited()

    def __init__(self, level):
        self.level = level


d = Dial(20)
print(d.level, d._level, isinstance(Dial.level, Limited))   # expect: 10 10 True
d.level = 3
print(d.level)                          # expect: 3
T = type('T', (Base,), {'x': 1, 'f': lambda self: self.x})
print(T.__name__, T().f(), Base.known)  # expect: T 1 ['One', 'Two', 'T']


class Left:
    pass


class Right:
    pass


class Both(Left, Right):
    pass


print([c.__name__ for c in Both.__bases__], [c.__name__ for c in Both.mro()])
# expect: ['Left', 'Right'] ['Both', 'Left', 'Right', 'object']


class Kind:
    def __class_getitem__(cls, item):
        return cls.__name__, item


print(Kind[int])                        # expect: ('Kind', <class 'int'>)


class Guarded:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)

    def __delattr__(self, name):
        print('del', name)
        object.__delattr__(self, name)


g = Guarded()
g.x = 2
print(g.x)                              # expect: 4
del g.x                                 # expect: del x
print(hasattr(g, 'x'))                  # expect: False
