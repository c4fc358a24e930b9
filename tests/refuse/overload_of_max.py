# fails: TypeError
# error: max() does not take (Tensor, int, int, int)
import torch

torch.ones(2).max(0, 1, 2)
