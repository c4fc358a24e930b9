# Floats that an int cannot hold become what the processor's conversion gives: the least int, by way of 32 bits for the small ones.
import torch

x = torch.tensor([float("nan"), float("inf"), 3e9, -3e9, 300.7, -1.5], dtype=torch.float64)
print(x.to(torch.int64).tolist())       # expect: [-9223372036854775808, -9223372036854775808, 3000000000, -3000000000, 300, -1]
print(x.to(torch.int32).tolist())       # expect: [-2147483648, -2147483648, -2147483648, -2147483648, 300, -1]
print(x.to(torch.int16).tolist())       # expect: [0, 0, 0, 0, 300, -1]
print(x.to(torch.uint8).tolist())       # expect: [0, 0, 0, 0, 44, 255]
print(x.float().int().tolist())         # expect: [-2147483648, -2147483648, -2147483648, -2147483648, 300, -1]
print(x[0].int().item(), x[2].short().item())   # expect: -2147483648 0
print(len("ab" * 1001), ("é" * 3)[-1], "x" * 0 == "")   # expect: 2002 é True
for n in (10 ** 12, 2 ** 62):
    try:
        "a" * n
    except MemoryError:
        print("refused")                # expect: refused
# expect: refused
print(torch.tril_indices(3, 2, -1).tolist(), torch.triu_indices(2, 3, 1).tolist())   # expect: [[1, 2, 2], [0, 0, 1]] [[0, 0, 1], [1, 2, 2]]
try:
    torch.tril_indices(2 ** 40, 2 ** 40)
except RuntimeError as e:
    print(e)                            # expect: tril_indices(): more indices than a tensor can hold
