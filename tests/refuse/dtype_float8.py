# fails: AttributeError
# error: module 'torch' has no attribute 'float8_e4m3fn'
import torch

torch.ones(2, dtype=torch.float8_e4m3fn)
