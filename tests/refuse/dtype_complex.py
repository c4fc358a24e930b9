# fails: AttributeError
# error: module 'torch' has no attribute 'complex64'
import torch

torch.ones(2, dtype=torch.complex64)
