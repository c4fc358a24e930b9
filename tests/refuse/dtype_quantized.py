# fails: AttributeError
# error: module 'torch' has no attribute 'qint8'
import torch

torch.ones(2, dtype=torch.qint8)
