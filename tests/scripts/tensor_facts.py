# Small facts about tensors, and apply_(), which calls back for each element.
import torch

x = torch.tensor([[1.0, -2.0, 3.0]])
print(x.is_cpu, x.is_cuda, x.is_sparse, x.is_quantized, x.is_meta, x.get_device())  # expect: True False False False False -1
print(torch.tensor(0.0).is_nonzero(), torch.is_nonzero(torch.tensor([2])))          # expect: False True
print(x.is_same_size(x + 1), torch.is_same_size(x, x.t()))                          # expect: True False
print(torch.is_complex(x), torch.is_signed(x), torch.get_device(x))                 # expect: False True -1
print(torch.is_storage(x.untyped_storage()), torch.is_storage(x))                   # expect: True False
y = x.t()
print(y.apply_(lambda v: v * 10 + 1) is y, x)                                       # expect: True tensor([[ 11., -19.,  31.]])
i = torch.tensor([1, 2, 3])
i.apply_(lambda v: v + 1)
print(i)                                                                            # expect: tensor([2, 3, 4])
try:
    x.is_nonzero()
except RuntimeError:
    print("of one element alone")                                                   # expect: of one element alone
x.apply_(lambda v: 1 / 0)                                                           # fails: ZeroDivisionError
