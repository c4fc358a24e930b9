"""@dataclass: fields, defaults, order, frozen, inheritance, and what takes it apart."""
from dataclasses import asdict, astuple, dataclass, field, fields, replace


@dataclass
class Config:
    lr: float
    epochs: int = 10
    tags: list = field(default_factory=list)
    hidden: int = field(default=3, repr=False)

    def steps(self):
        return self.epochs * 2


c = Config(0.1)
c.tags.append('a')
print(c, c.steps(), Config(0.1) == Config(0.1), c == Config(0.1), Config(1, epochs=2))
# expect: Config(lr=0.1, epochs=10, tags=['a']) 20 True False Config(lr=1, epochs=2, tags=[])
print(asdict(c), replace(c, lr=0.5), [f.name for f in fields(Config)])
# expect: {'lr': 0.1, 'epochs': 10, 'tags': ['a'], 'hidden': 3} Config(lr=0.5, epochs=10, tags=['a']) ['lr', 'epochs', 'tags', 'hidden']
try:
    Config()
except TypeError as error:
    print(error)                        # expect: Config.__init__() missing 1 required positional argument: 'lr'
try:
    Config(1, size=2)
except TypeError as error:
    print(error)                        # expect: Config.__init__() got an unexpected keyword argument 'size'


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0


print(Version(1) < Version(1, 2), sorted([Version(2), Version(1, 5)]), hash(Version(1)) == hash(Version(1)), astuple(Version(3)))
# expect: True [Version(major=1, minor=5), Version(major=2, minor=0)] True (3, 0)
try:
    Version(1).major = 2
except AttributeError as error:
    print(type(error).__name__, error)  # expect: FrozenInstanceError cannot assign to field 'major'


@dataclass
class Child(Config):
    name: str = 'child'

    def __post_init__(self):
        self.total = self.lr * self.epochs


print(Child(0.5, 4), Child(0.5, 4).total, Child(1).name)
# expect: Child(lr=0.5, epochs=4, tags=[], name='child') 2.0 child
