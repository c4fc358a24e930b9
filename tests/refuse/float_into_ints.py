# A float result does not go into a tensor of whole numbers; nothing is written.
import torch

k = torch.tensor([1, 2])
try:
    k += 0.5
except RuntimeError:
    print(k, k._version)                    # expect: tensor([1, 2]) 0
k += 0.5                                    # fails: RuntimeError
# error: the result is float32, which cannot be written into a tensor of int64
# error: out of place it makes a new tensor of float32
