"""How long something takes."""
import time

default_timer = time.perf_counter
default_number = 1000000
default_repeat = 5


class Timer:
    def __init__(self, stmt='pass', setup='pass', timer=default_timer, globals=None):
        for what in (stmt, setup):
            if not callable(what) and what != 'pass':
                raise TypeError('a text of code is not supported by Locus: give a function, timeit.timeit(lambda: f(x))')
        self.stmt = stmt if callable(stmt) else lambda: None
        self.setup = setup if callable(setup) else lambda: None
        self.timer = timer

    def timeit(self, number=default_number):
        self.setup()
        stmt = self.stmt
        start = self.timer()
        for _ in range(number):
            stmt()
        return self.timer() - start

    def repeat(self, repeat=default_repeat, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback=None):
        i = 1
        while True:
            for j in 1, 2, 5:
                taken = self.timeit(i * j)
                if callback:
                    callback(i * j, taken)
                if taken >= 0.2:
                    return i * j, taken
            i *= 10


def timeit(stmt='pass', setup='pass', timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer).timeit(number)


def repeat(stmt='pass', setup='pass', timer=default_timer, repeat=default_repeat, number=default_number, globals=None):
    return Timer(stmt, setup, timer).repeat(repeat, number)
