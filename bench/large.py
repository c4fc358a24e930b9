# Three ways to add, for three sizes. Locus and Python both run this file. Arguments: torch or numpy, threads.
import sys
import time

if sys.argv[1] == "numpy":
    import numpy as np

    def ones(n):
        return np.ones(n, dtype=np.float32)
else:
    import torch
    torch.set_num_threads(int(sys.argv[2]))

    def ones(n):
        return torch.ones(n)

ROUNDS = 7


def add_new(Y, X, Z, n):
    for _ in range(n):
        Y = Y + X


def add_in_place(Y, X, Z, n):
    for _ in range(n):
        X += Y


def add_into(Y, X, Z, n):
    for _ in range(n):
        Z[:] = X + Y


def least(body, size, n):
    X, Y, Z = ones(size), ones(size), ones(size)
    best = 1e9
    for _ in range(ROUNDS):
        start = time.perf_counter()
        body(Y, X, Z, n)
        best = min(best, time.perf_counter() - start)
    return best / n


for size, bytes, n in [(1 << 10, "4 KB", 10000), (1 << 18, "1 MB", 500), (1 << 24, "64 MB", 5)]:
    for name, body in [("Y = Y + X", add_new), ("X += Y", add_in_place), ("Z[:] = X + Y", add_into)]:
        print('{"name": "%s, %s", "value": %.0f, "unit": "ns"}' % (name, bytes, least(body, size, n) * 1e9))
