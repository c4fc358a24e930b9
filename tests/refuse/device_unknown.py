# fails: RuntimeError
# error: 'nowhere' names no device
import torch

torch.ones(2, device='nowhere')
