# fails: TypeError
# error: add() does not take (Tensor, int, alpha=str)
import torch

torch.add(torch.ones(2), 1, alpha='x')
