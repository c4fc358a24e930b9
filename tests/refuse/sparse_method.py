# fails: AttributeError
# error: 'Tensor' object has no attribute 'to_sparse'
import torch

torch.ones(2).to_sparse()
