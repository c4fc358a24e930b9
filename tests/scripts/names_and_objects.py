import torch

x = torch.zeros(2, 3)
y = x                                   # another name for the same object
print(y is x)                           # expect: True
z = x[:]                                # a new object over the same bytes
print(z is x)                           # expect: False
print(z.data_ptr() == x.data_ptr())     # expect: True
before = id(x)
x += 1                                  # written in place: every name sees it
print(id(x) == before)                  # expect: True
print(y)                                # expect: tensor([[1., 1., 1.],
# expect:         [1., 1., 1.]])
x = x + 1                               # bound to a new object
print(x is y)                           # expect: False
print(y[0, 0].item())                   # expect: 1.0
print(x[0, 0].item(), z[0, 0].item())   # expect: 2.0 1.0
