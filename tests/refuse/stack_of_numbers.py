# fails: TypeError
# error: argument 'tensors' must be a tuple or list of Tensors
import torch

torch.stack([1, 2])
