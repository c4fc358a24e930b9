# What one statement on small tensors costs, net of the loop around it. Locus and Python both run this file.
import time
import torch

N = 50000
ROUNDS = 7
X = torch.arange(12.0).view(3, 4)
Y = torch.ones(3, 4)


def empty():
    for _ in range(N):
        pass


def add():
    for _ in range(N):
        X + Y


def add_in_place():
    global X
    for _ in range(N):
        X += Y


def row():
    for _ in range(N):
        X[0]


def view():
    for _ in range(N):
        X.view(-1)


def least(body):
    best = 1e9
    for _ in range(ROUNDS):
        start = time.perf_counter()
        body()
        best = min(best, time.perf_counter() - start)
    return best


loop = least(empty)
for name, body in [("X + Y", add), ("X += Y", add_in_place), ("X[0]", row), ("X.view(-1)", view)]:
    print('{"name": "%s", "value": %.1f, "unit": "ns"}' % (name, (least(body) - loop) * 1e9 / N))
