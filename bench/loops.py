# What a turn of a loop and a call of a function cost. Locus and Python both run this file.
import time

N = 1000000
ROUNDS = 5


def count():
    i = 0
    while i < N:
        i += 1


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


CALLS = 150049                          # that fib(24) makes, itself counted

clock = time.perf_counter
outside = inside = calls = 1e9
for _ in range(ROUNDS):
    start = clock()
    i = 0
    while i < N:
        i += 1
    outside = min(outside, clock() - start)

    start = clock()
    count()
    inside = min(inside, clock() - start)

    start = clock()
    assert fib(24) == 46368
    calls = min(calls, clock() - start)

for name, each in [("turn", outside / N), ("turn in a function", inside / N), ("call", calls / CALLS)]:
    print('{"name": "%s", "value": %.2f, "unit": "ns"}' % (name, each * 1e9))
