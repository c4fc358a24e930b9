# fails: TypeError
# error: add() takes at least one Tensor
import torch

torch.add(1, 2)
