# fails: TypeError
# error: a tensor is indexed by ints
import torch

torch.ones(2)['a']
