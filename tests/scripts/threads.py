# Large operations give the same numbers on any number of threads; those that sleep end with the session.
import torch

x = torch.arange(3_000_000, dtype=torch.float32)
expected = (x * 2).sum()
for n in [1, 2, 3, 8]:
    torch.set_num_threads(n)
    print(torch.get_num_threads(), torch.equal((x * 2).sum(), expected), torch.equal(x + x, x * 2))
# expect: 1 True True
# expect: 2 True True
# expect: 3 True True
# expect: 8 True True
try:
    torch.set_num_threads(0)
except RuntimeError as e:
    print(e)                            # expect: set_num_threads expects a positive integer
