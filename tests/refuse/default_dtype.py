# fails: TypeError
# error: the default dtype must be a floating one
import torch

torch.set_default_dtype(torch.int32)
