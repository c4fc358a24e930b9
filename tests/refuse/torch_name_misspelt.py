# fails: AttributeError
# error: hint: did you mean 'zeros'?
import torch

torch.zeross(2)
