# fails: AttributeError
# error: module 'torch' has no attribute 'sparse_coo_tensor'
import torch

torch.sparse_coo_tensor([[0]], [1.0])
