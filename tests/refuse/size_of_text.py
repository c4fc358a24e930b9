# fails: TypeError
# error: argument 'size' must be ints or a tuple of ints, not str
import torch

torch.ones('a')
