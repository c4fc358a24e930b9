# fails: TypeError
# error: max() does not take (Tensor, str); it takes (self)
import torch

torch.ones(2).max('a')
