# fails: AttributeError
# error: module 'torch' has no attribute 'ffft'
import torch

torch.ffft
