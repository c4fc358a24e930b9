# fails: TypeError
# error: ones() got an unexpected keyword argument 'pin_memory'
import torch

torch.ones(2, pin_memory=True)
