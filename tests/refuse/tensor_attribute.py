# fails: AttributeError
# error: 'Tensor' object has no attribute 'nonsense'
import torch

torch.ones(2).nonsense
