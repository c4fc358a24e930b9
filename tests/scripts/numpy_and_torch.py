"""Tensors and arrays over one storage: what is shared, copied, counted and refused."""
import torch
import numpy as np
a = np.ones(3)
t = torch.from_numpy(a)
print(t, t.dtype, t._version)  # expect: tensor([1., 1., 1.], dtype=torch.float64) torch.float64 0
a[0] = 5
print(t, t._version)  # expect: tensor([5., 1., 1.], dtype=torch.float64) 0
t[1] = 7
print(a, t._version)  # expect: [5. 7. 1.] 1
t.add_(1)
print(a, t._version, np.shares_memory(a, t.numpy()))  # expect: [6. 8. 2.] 2 True
b = t.numpy()
print(b is a, np.shares_memory(a, b), b.flags.owndata, type(b.base), b.base is t, b.base is b.base)
# expect: False True False <class 'torch.Tensor'> False True
c = torch.tensor(a); c[0] = -1
print(a[0], c.dtype)  # expect: 6.0 torch.float64
d = torch.as_tensor(a); d[0] = -2
print(a[0])  # expect: -2.0
e = torch.as_tensor(a, dtype=torch.float32); e[0] = 9
print(a[0], e)  # expect: -2.0 tensor([9., 8., 2.])
f = np.asarray(t); f[2] = 3
print(t)  # expect: tensor([-2.,  8.,  3.], dtype=torch.float64)
g = np.array(t); g[2] = 30
print(t)  # expect: tensor([-2.,  8.,  3.], dtype=torch.float64)
h = torch.asarray(a)
print(h.data_ptr() == t.data_ptr())  # expect: True
try:
    torch.ones(2, requires_grad=True).numpy()
except RuntimeError as x:
    print(x)
# expect: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
try:
    torch.ones(2, dtype=torch.bfloat16).numpy()
except TypeError as x:
    print(x)
# expect: Got unsupported ScalarType BFloat16
print(torch.ones(2, requires_grad=True).detach().numpy())  # expect: [1. 1.]
print(torch.ones(2) + np.ones(2), torch.ones(2) * np.float32(2), np.float64(2) * torch.ones(2), torch.ones(2) @ np.ones(2))
# expect: tensor([2., 2.], dtype=torch.float64) tensor([2., 2.]) tensor([2., 2.]) tensor(2., dtype=torch.float64)
try:
    np.ones(2) * torch.ones(2)
except TypeError as x:
    print('TypeError')
# expect: TypeError
try:
    torch.add(torch.ones(2), np.ones(2))
except TypeError as x:
    print('TypeError')
# expect: TypeError
print(np.add(np.ones(2), torch.ones(2)), np.exp(torch.zeros(2)), torch.ones(2) == np.ones(2))
# expect: tensor([2., 2.], dtype=torch.float64) tensor([1., 1.]) tensor([True, True])
print(torch.tensor(np.float32(3)), torch.tensor(np.float64(3)), torch.tensor([np.float32(3)]), torch.tensor(np.int64(3)), torch.tensor([a, a]))
# expect: tensor(3.) tensor(3., dtype=torch.float64) tensor([3.]) tensor(3) tensor([[-2.,  8.,  3.],
# expect:         [-2.,  8.,  3.]], dtype=torch.float64)
print(torch.tensor(np.int32(3)).dtype, torch.from_numpy(np.arange(3, dtype=np.int32)), torch.from_numpy(np.array([True])))
# expect: torch.int32 tensor([0, 1, 2], dtype=torch.int32) tensor([True])
x = torch.zeros(3); x[:] = torch.from_numpy(np.arange(3.)); x[0] = a[0]
print(x)  # expect: tensor([-2.,  1.,  2.])
a[:] = x; a[1] = x[1]
print(a)  # expect: [-2.  1.  2.]
m = np.arange(6).reshape(2, 3); tm = torch.from_numpy(m.T)
print(tm, tm.stride(), tm.is_contiguous())
# expect: tensor([[0, 3],
# expect:         [1, 4],
# expect:         [2, 5]]) (1, 3) False
print(torch.arange(6).reshape(2,3).t().numpy().strides, torch.arange(6)[2:].numpy())  # expect: (8, 24) [2 3 4 5]
a = a + 1
print(t[0].item() == a[0])  # expect: False
print(x[np.array([0, 2])], m[torch.tensor([0])], x[np.int64(1)])  # expect: tensor([-2.,  2.]) [0 1 2] tensor(1.)
print(torch.zeros(2).numpy().dtype, torch.zeros(2, dtype=torch.int64).numpy().dtype, torch.tensor(3.).numpy(), repr(torch.tensor(3.).numpy()))
# expect: float32 int64 3.0 array(3., dtype=float32)
print(x.numpy().sum(), x.numpy().mean(), repr(x.sum().numpy()))  # expect: 1.0 0.33333334 array(1., dtype=float32)
print(torch.tensor(x.numpy()).dtype, torch.Tensor(np.arange(3)))  # expect: torch.float32 tensor([0., 1., 2.])
print(isinstance(t, torch.Tensor), isinstance(a, torch.Tensor), torch.is_tensor(a))  # expect: True False False
print(np.mean([1,2,3]), np.max([1,5]), np.sum([[1,2],[3,4]], axis=0))  # expect: 2.0 5 [4 6]
xs = np.linspace(0, 2*np.pi, 5)
print(torch.tensor(np.sin(xs), dtype=torch.float32), torch.from_numpy(xs).float())
# expect: tensor([ 0.0000e+00,  1.0000e+00,  1.2246e-16, -1.0000e+00, -2.4493e-16]) tensor([0.0000, 1.5708, 3.1416, 4.7124, 6.2832])
print(torch.zeros(2).new_tensor(a), torch.zeros(2, dtype=torch.float64).copy_(torch.from_numpy(a[:2])))
# expect: tensor([-1.,  2.,  3.]) tensor([-1.,  2.], dtype=torch.float64)
import copy
k = copy.deepcopy(a); k[0] = 100
print(a[0] == 100)  # expect: False
print(len(a), list(np.arange(3)), max(np.arange(3)), sum(np.arange(3)), sorted(np.array([3, 1])), list(zip(np.arange(2), np.ones(2))))
# expect: 3 [np.int64(0), np.int64(1), np.int64(2)] 2 3 [np.int64(1), np.int64(3)] [(np.int64(0), np.float64(1.0)), (np.int64(1), np.float64(1.0))]
print([1, 2, 3][np.int64(1)], 'ab'[np.int64(0)], list(range(np.int64(2))), {1: 'x'}[np.int64(1)], np.float64(2.0) == 2, 2 in np.arange(3))
# expect: 2 a [0, 1] x True True
for i, row in enumerate(m): print(i, row)
# expect: 0 [0 1 2]
# expect: 1 [3 4 5]
m[0] += 1; m[:, 1] *= 2
print(m); m[1:] = m[:1]
# expect: [[1 4 3]
# expect:  [3 8 5]]
print(m)
# expect: [[1 4 3]
# expect:  [1 4 3]]
v = np.arange(5); v[1:] = v[:-1]
print(v); v[1:] += v[:-1]  # expect: [0 0 1 2 3]
print(v)  # expect: [0 0 1 3 5]
p, q = np.array([1, 2]), np.array([3, 4]); p, q = q, p
print(p, q)  # expect: [3 4] [1 2]
z = np.array([1, 2]); z[0], z[1] = z[1], z[0]
print(z)  # expect: [2 1]
r = m[[0, 1]]
print(r.base is None, np.shares_memory(r, m)); r = m[0:1]  # expect: True False
print(r.base is m.base, np.may_share_memory(r, m))  # expect: True True
