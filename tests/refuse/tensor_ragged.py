# fails: ValueError
# error: the list has 1 items at dim 1, the first one there has 2
import torch

torch.tensor([[1, 2], [3]])
