# fails: TypeError
# error: sum() takes at most 3 positional arguments
import torch

torch.ones(2).sum(0, True, None, 3)
