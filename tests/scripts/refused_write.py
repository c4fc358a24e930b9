# fails: RuntimeError
import torch

k = torch.arange(3)
try:
    k += 0.5
except RuntimeError as error:
    print(type(error).__name__)         # expect: RuntimeError
print(k, k._version)                    # expect: tensor([0, 1, 2]) 0
torch.ones(3, 4).t().view(12)
