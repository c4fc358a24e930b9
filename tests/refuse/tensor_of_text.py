# fails: ValueError
# error: a tensor holds numbers
import torch

torch.tensor(['a'])
