# fails: TypeError
# error: set_printoptions() got an unexpected keyword argument 'foo'
import torch

torch.set_printoptions(foo=1)
