# fails: TypeError
# error: must be ints or a tuple of ints, not str
import torch
torch.ones(2, 3, 'a')
