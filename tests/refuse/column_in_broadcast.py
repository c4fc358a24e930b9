# A vector stands for a row; where it would go as a column, the hint says so.
import torch

a = torch.ones(3, 4)
b = torch.ones(3)
print(a + b.unsqueeze(1) is not None)       # expect: True
a + b                                       # fails: RuntimeError
# error: shapes (3, 4) and (3,) do not broadcast: 4 against 3 at dimension 1
# error: the second one as a column goes: b.unsqueeze(1)
