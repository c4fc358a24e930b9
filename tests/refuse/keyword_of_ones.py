# fails: TypeError
# error: ones() got an unexpected keyword argument 'foo'
import torch

torch.ones(2, foo=1)
