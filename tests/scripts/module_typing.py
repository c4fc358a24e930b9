"""Annotations by typing, list[int] and int | None; abstract classes; what an object can do."""
import collections.abc
import typing
from abc import ABC, abstractmethod
from numbers import Number
from typing import Any, Callable, Dict, Generic, Iterable, List, NamedTuple, Optional, Tuple, TypeVar, Union

T = TypeVar('T')


def f(a: List[int], b: Optional[str] = None, c: Dict[str, Tuple[int, ...]] = None, d: Union[int, float] = 1) -> Any:
    return a


def g(a: int | None, b: list[int] | None = None, c: dict[str, int] = None) -> None:
    pass


print(f([1]), g(1), T)                  # expect: [1] None ~T
print(List[int], Optional[int], Union[int, str], Callable[[int], str], Tuple[int, ...])
# expect: typing.List[int] typing.Optional[int] typing.Union[int, str] typing.Callable[[int], str] typing.Tuple[int, ...]
print(list[int], dict[str, list[int]], int | None, typing.Any)
# expect: list[int] dict[str, list[int]] int | None typing.Any
print(f.__annotations__['a'], isinstance(1, int | str), isinstance(None, int | None), isinstance('a', int | None))
# expect: typing.List[int] True True False


class Box(Generic[T]):
    def __init__(self, item: T):
        self.item = item


class Point(NamedTuple):
    x: int
    y: int = 5


print(Box[int](3).item, Point(1), Point(1, 2).y, Point(1) == (1, 5))  # expect: 3 Point(x=1, y=5) 2 True


class Shape(ABC):
    @abstractmethod
    def area(self):
        ...

    def twice(self):
        return 2 * self.area()


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2


print(Square(3).twice(), isinstance(Square(1), Shape))  # expect: 18 True
try:
    Shape()
except TypeError as error:
    print(error)                        # expect: Can't instantiate abstract class Shape with abstract method area
print([isinstance(x, collections.abc.Iterable) for x in ([], 'a', {}, 5, iter([]), Square(1))])
# expect: [True, True, True, False, True, False]
print([isinstance(x, collections.abc.Sequence) for x in ([], 'a', {}, ())], isinstance(len, collections.abc.Callable))
# expect: [True, True, False, True] True
print(isinstance(1, Number), isinstance('1', Number), isinstance([], typing.List) if False else True)
# expect: True False True
