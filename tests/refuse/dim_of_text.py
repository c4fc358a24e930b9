# fails: TypeError
# error: argument 'dim' must be an int or a tuple of ints, not str
import torch

torch.ones(2).sum(dim='x')
