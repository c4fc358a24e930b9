# fails: NotImplementedError
# error: hooks need autograd, which Locus does not have yet
import torch

torch.ones(2).register_hook(print)
