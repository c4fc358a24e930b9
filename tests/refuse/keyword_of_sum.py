# fails: TypeError
# error: sum() got an unexpected keyword argument 'foo'
import torch

torch.ones(2).sum(foo=1)
