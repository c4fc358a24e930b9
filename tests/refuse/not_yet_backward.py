# fails: NotImplementedError
# error: backward() needs autograd, which Locus does not have yet
import torch

torch.ones(2).sum().backward()
