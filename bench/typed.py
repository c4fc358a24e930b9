# What a typed line costs in Python: compiled and run, and as its own console does it.
import code
import time
import torch

N = 5000
ROUNDS = 7
LINE = "z = X + Y"


def least(body):
    best = 1e9
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(N):
            body()
        best = min(best, time.perf_counter() - start)
    return best * 1e9 / N


names = {"X": torch.ones(3, 4), "Y": torch.ones(3, 4)}
console = code.InteractiveConsole(names)
for name, body in [("line", lambda: exec(compile(LINE, "<stdin>", "single"), names)),
                   ("line at a prompt", lambda: console.push(LINE))]:
    print('{"name": "%s", "value": %.0f, "unit": "ns"}' % (name, least(body)))
