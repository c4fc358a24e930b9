import gc

gc.collect()


class Node:
    def __init__(self):
        self.me = self

    def name(self):
        return super().__repr__()


def outer():
    def inner():
        return inner
    return inner


class Keeper:
    def __init__(self):
        self.call = lambda: self


a = []
a.append(a)
print(a)                                # expect: [[...]]
n = Node()
f = outer()
k = Keeper()


def numbers():
    held = [1]
    held.append(held)
    yield held


g = numbers()
first = next(g)
try:
    1 / 0
except ZeroDivisionError as error:
    kept = error
    kept.me = kept
print(kept)                             # expect: division by zero
