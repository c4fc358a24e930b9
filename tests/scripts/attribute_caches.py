# What an attribute instruction found once must not be found again after a class, a module or an object has changed.
import math
import torch


class Base:
    kind = "base"

    def __init__(self, x):
        self.x = x

    def name(self):
        return "Base.name"


class Derived(Base):
    pass


def read(o):
    return o.kind, o.name(), o.x


def write(o, value):
    o.x = value


d = Derived(1)
print(read(d))                          # expect: ('base', 'Base.name', 1)
Base.kind = "changed"
print(read(d))                          # expect: ('changed', 'Base.name', 1)
Derived.name = lambda self: "Derived.name"
print(read(d))                          # expect: ('changed', 'Derived.name', 1)
d.name = lambda: "own"
print(read(d))                          # expect: ('changed', 'own', 1)
print(read(Derived(2)))                 # expect: ('changed', 'Derived.name', 2)
del d.name
del Derived.name
print(read(d))                          # expect: ('changed', 'Base.name', 1)

write(d, 5)
print(d.x)                              # expect: 5
Derived.x = property(lambda self: "asked", lambda self, v: print("set", v))
write(d, 6)                             # expect: set 6
print(read(d))                          # expect: ('changed', 'Base.name', 'asked')
del Derived.x
print(read(d))                          # expect: ('changed', 'Base.name', 5)


def loud(self, name, value):
    print("loud", name, value)
    object.__setattr__(self, name, value)


Base.__setattr__ = loud
write(d, 7)                             # expect: loud x 7
print(d.x)                              # expect: 7
del Base.__setattr__
write(d, 8)
print(d.x)                              # expect: 8


class Other:                            # the same names in another order
    def __init__(self):
        self.y = 0
        self.x = 10
        self.kind = "mine"

    def name(self):
        return "Other.name"


for o in [d, Other(), d, Other()]:
    print(read(o))
# expect: ('changed', 'Base.name', 8)
# expect: ('mine', 'Other.name', 10)
# expect: ('changed', 'Base.name', 8)
# expect: ('mine', 'Other.name', 10)


def root(v):
    return math.sqrt(v)


print(root(4.0))                        # expect: 2.0
kept = math.sqrt
math.sqrt = lambda v: "replaced"
print(root(4.0))                        # expect: replaced
math.sqrt = kept
print(root(9.0))                        # expect: 3.0


def total(t):
    return t.sum()


t = torch.ones(3)
print(total(t))                         # expect: tensor(3.)
t.sum = lambda: "own"
print(total(t), total(torch.ones(2)))   # expect: own tensor(2.)


class Loud:
    def __init__(self, name):
        self.called = name

    def __del__(self):
        print("gone", self.called)


class Holder:
    def __init__(self, a, b):
        a = None
        print("in the call")
        b = None


Holder(Loud("a"), Loud("b"))
# expect: in the call
# expect: gone a
# expect: gone b


class Fails:
    def __init__(self, a):
        raise ValueError("no")


class Strange:
    def __init__(self):
        return 5


try:
    Fails(Loud("c"))
except ValueError as e:
    print("caught", e)
# expect: caught no
# expect: gone c
try:
    Strange()
except TypeError as e:
    print(e)                            # expect: __init__() should return None, not 'int'
try:
    Base()
except TypeError as e:
    print(e)                            # expect: Base.__init__() missing 1 required positional argument: 'x'
