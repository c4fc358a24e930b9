# fails: RuntimeError
# error: a tensor of 2 elements is neither true nor false
import torch

if torch.ones(2):
    pass
