# fails: RuntimeError
# error: a tensor is made of numbers, not of dict
import torch

torch.tensor({})
