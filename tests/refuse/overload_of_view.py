# fails: TypeError
# error: view() does not take (Tensor, str)
import torch

torch.ones(2).view('int')
