# fails: TypeError
# error: max() takes at most 3 positional arguments but 4 were given
import torch

torch.ones(2).max(0, 1, 2)
