# fails: TypeError
# error: the seed must be an int, not str
import torch

torch.manual_seed('a')
