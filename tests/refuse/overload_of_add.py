# fails: TypeError
# error: add(): argument 'alpha' must be a number, not str
import torch

torch.add(torch.ones(2), 1, alpha='x')
