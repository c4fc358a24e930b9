# fails: ValueError
# error: the step of a slice of a tensor must be greater than 0
import torch

torch.ones(2)[::-1]
