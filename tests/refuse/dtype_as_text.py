# fails: TypeError
# error: argument 'dtype' must be a torch.dtype, not str
import torch

torch.ones(2, dtype='float32')
