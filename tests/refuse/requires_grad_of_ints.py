# fails: RuntimeError
# error: only tensors of a floating dtype can require grad, not int64
import torch

torch.arange(3, requires_grad=True)
