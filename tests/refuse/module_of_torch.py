# fails: ModuleNotFoundError
# error: No module named 'torch.nothing'
import torch.nothing
