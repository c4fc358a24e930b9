# fails: IndexError
# error: not by float
import torch

torch.ones(2)[0.5]
