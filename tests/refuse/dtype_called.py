# fails: TypeError
# error: 'dtype' object is not callable
import torch

torch.float32(1)
