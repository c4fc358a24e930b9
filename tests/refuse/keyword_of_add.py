# fails: TypeError
# error: add(
import torch

torch.add(torch.ones(2), 1, beta=2)
