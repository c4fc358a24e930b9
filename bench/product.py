# The product of two square matrices. Locus and Python both run this file. Arguments: torch or numpy, threads.
import sys
import time

N = 1024
ROUNDS = 20

if sys.argv[1] == "numpy":
    import numpy as np
    A = np.random.default_rng(0).random((N, N), dtype=np.float32)
    B = np.random.default_rng(1).random((N, N), dtype=np.float32)
else:
    import torch
    torch.set_num_threads(int(sys.argv[2]))
    A = torch.rand(N, N)
    B = torch.rand(N, N)

best = 1e9
for _ in range(ROUNDS):
    start = time.perf_counter()
    A @ B
    best = min(best, time.perf_counter() - start)
print('{"name": "A @ B", "value": %.0f, "unit": "ns"}' % (best * 1e9))
