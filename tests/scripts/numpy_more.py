"""Arrays and scalars in the places where numbers and tensors stand; random streams; shapes."""
import numpy as np
import torch


def show(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, str(e)[:90])


a = np.arange(4.)
a.flags.writeable = False
try:
    a[0] = 1
except ValueError as e:
    print(e)
# expect: assignment destination is read-only
b = np.arange(6)
b.shape = (2, 3)
print(b)
# expect: [[0 1 2]
# expect:  [3 4 5]]
show(lambda: np.broadcast_to(np.ones(2), (2, 2)).__setitem__(0, 1))
# expect: ValueError assignment destination is read-only


class Net:
    def __init__(self):
        self.w = np.ones(2)


n = Net()
n.w += 1
print(n.w)  # expect: [2. 2.]
x = np.ones((2, 2))
x[0] += 1
print(x)
# expect: [[2. 2.]
# expect:  [1. 1.]]
x[:, 1] = [7, 8]
print(x)
# expect: [[2. 7.]
# expect:  [1. 8.]]
x[x > 5] *= 2
print(x)
# expect: [[ 2. 14.]
# expect:  [ 1. 16.]]
show(lambda: x[None].shape)  # expect: (1, 2, 2)
show(lambda: x[np.newaxis, :, 0])  # expect: array([[2., 1.]])
show(lambda: x[..., np.newaxis].shape)  # expect: (2, 2, 1)
show(lambda: x[True])
# expect: array([[[ 2., 14.],
# expect:         [ 1., 16.]]])
show(lambda: x[[True, False]])  # expect: array([[ 2., 14.]])
show(lambda: x[np.array([1, 0]), 1])  # expect: array([16., 14.])
show(lambda: x[:, [1, 0]])
# expect: array([[14.,  2.],
# expect:        [16.,  1.]])
show(lambda: x[[0, 1], :1])
# expect: array([[2.],
# expect:        [1.]])
show(lambda: np.add(x, 1, out=x))
# expect: array([[ 3., 15.],
# expect:        [ 2., 17.]])
show(lambda: np.exp(x, out=np.empty((2, 2))).shape)  # expect: (2, 2)
show(lambda: np.maximum(x, 0, out=x) is x)  # expect: True
x -= x.mean(axis=0)
print(x)
# expect: [[ 0.5 -1. ]
# expect:  [-0.5  1. ]]
x /= 2
print(x)
# expect: [[ 0.25 -0.5 ]
# expect:  [-0.25  0.5 ]]
show(lambda: x.mean(1))  # expect: array([-0.125,  0.125])
show(lambda: x.sum(0))  # expect: array([0., 0.])
show(lambda: x.max(1).shape)  # expect: (2,)
show(lambda: np.sum(x, 1))  # expect: array([-0.25,  0.25])
show(lambda: np.mean(x, axis=-1))  # expect: array([-0.125,  0.125])
show(lambda: np.sum(x, axis=(0,)))  # expect: array([0., 0.])
show(lambda: sum(np.arange(5)))  # expect: np.int64(10)
show(lambda: max(np.array([1.5, 2])))  # expect: np.float64(2.0)
show(lambda: min(3, np.float64(2)))  # expect: np.float64(2.0)
show(lambda: [i for i in np.arange(2)])  # expect: [np.int64(0), np.int64(1)]
show(lambda: dict(enumerate(np.arange(2))))  # expect: {0: np.int64(0), 1: np.int64(1)}
show(lambda: list(map(float, np.arange(2))))  # expect: [0.0, 1.0]
for i in range(np.arange(3).size):
    pass
print(i, 'shape is', x.shape, f'{np.pi:.3f} {np.float32(1)/3:.4f} {np.int64(5):03d} {x.shape}', '{:.1f}'.format(np.float64(2)), '%5.2f|%s' % (np.float64(1), np.float32(2.5)))
# expect: 2 shape is (2, 2) 3.142 0.3333 005 (2, 2) 2.0  1.00|2.5
show(lambda: np.array([1, 2, 3]).tolist() == [1, 2, 3])  # expect: True
show(lambda: (np.array([1, 2]) == [1, 2]).all())  # expect: np.True_
show(lambda: np.array([1, 2]) != np.array([1, 3]))  # expect: array([False,  True])
show(lambda: np.array([1,2]) == np.array([1,2,3]))
# expect: ValueError operands could not be broadcast together with shapes (2,) (3,) 
show(lambda: np.float64(0.1) + np.float64(0.2))  # expect: np.float64(0.30000000000000004)
show(lambda: 0.1 + np.float32(0.2))  # expect: np.float32(0.3)
show(lambda: np.float32(0.1) == 0.1)  # expect: np.True_
show(lambda: np.float32(0.1).item())  # expect: 0.10000000149011612
show(lambda: np.float64(3).dtype)  # expect: dtype('float64')
show(lambda: np.float64(7.5).astype(int))  # expect: np.int64(7)
show(lambda: np.int64(3).sum())  # expect: np.int64(3)
show(lambda: np.float64(4).reshape(1))  # expect: array([4.])
show(lambda: type(np.arange(3).sum() + 1))  # expect: <class 'numpy.int64'>
show(lambda: np.bool_(True) & False)  # expect: np.False_
show(lambda: np.True_ + np.True_)  # expect: np.True_
show(lambda: True + np.int64(1))  # expect: np.int64(2)
show(lambda: 3 * np.ones(2))  # expect: array([3., 3.])
show(lambda: np.int64(2) ** np.int64(3))  # expect: np.int64(8)
show(lambda: 5 % np.int64(3))  # expect: np.int64(2)
show(lambda: -np.int64(7) // 2)  # expect: np.int64(-4)
show(lambda: torch.zeros(np.int64(2)))  # expect: tensor([0., 0.])
show(lambda: torch.ones(2)[np.int64(1)])  # expect: tensor(1.)
show(lambda: torch.arange(np.int64(3)))  # expect: tensor([0, 1, 2])
show(lambda: torch.full((2,), np.float32(1.5)))  # expect: tensor([1.5000, 1.5000])
show(lambda: torch.tensor([1, 2]) + np.int64(1))  # expect: tensor([2, 3])
show(lambda: torch.tensor([1., 2.]) > np.float64(1))  # expect: tensor([False,  True])
show(lambda: np.int64(3) * torch.tensor([1, 2]))  # expect: tensor([3, 6])
show(lambda: torch.zeros(3).reshape(np.int64(3), 1).shape)  # expect: torch.Size([3, 1])
show(lambda: torch.tensor(np.array([[1, 2]])))  # expect: tensor([[1, 2]])
show(lambda: torch.zeros(2, 3).numpy().T.shape)  # expect: (3, 2)
show(lambda: torch.tensor(np.zeros((0, 2))).shape)  # expect: torch.Size([0, 2])
show(lambda: torch.from_numpy(np.float64(3)))  # expect: TypeError expected np.ndarray (got numpy.float64)
show(lambda: torch.as_tensor(np.float32(2)))  # expect: tensor(2.)
show(lambda: torch.from_numpy(np.array(3.)))  # expect: tensor(3., dtype=torch.float64)
show(lambda: torch.stack([torch.from_numpy(a), torch.from_numpy(a)]).shape)  # expect: torch.Size([2, 4])
show(lambda: torch.as_tensor([np.int64(1), 2]))  # expect: tensor([1, 2])
show(lambda: torch.tensor([np.arange(2), np.arange(2)]))
# expect: tensor([[0, 1],
# expect:         [0, 1]])
show(lambda: torch.Tensor(np.ones(2)).dtype)  # expect: torch.float32
show(lambda: torch.tensor(5).numpy())  # expect: array(5)
show(lambda: np.array(torch.arange(3)).dtype)  # expect: dtype('int64')
show(lambda: np.array([torch.tensor(1.), torch.tensor(2.)]))  # expect: array([1., 2.], dtype=float32)
show(lambda: torch.equal(torch.from_numpy(np.ones(2)), torch.ones(2, dtype=torch.float64)))  # expect: True
show(lambda: np.random.seed(1))  # expect: None
show(lambda: np.random.rand(2))  # expect: array([0.417022  , 0.72032449])
show(lambda: np.random.exponential(1.0, 2))  # expect: array([1.14381359e-04, 3.60012755e-01])
show(lambda: np.random.standard_normal((1, 2)))  # expect: array([[-0.52817175, -1.07296862]])
show(lambda: np.random.random(2))  # expect: array([0.39676747, 0.53881673])
show(lambda: np.random.randint(3, 9, (2, 2)))
# expect: array([[8, 5],
# expect:        [7, 6]])
show(lambda: np.random.randint(2**40))  # expect: 1086103244266
show(lambda: np.random.uniform(size=2))  # expect: array([0.22957721, 0.53441391])
show(lambda: np.random.choice(np.array([1., 2, 3]), size=(2, 2)))
# expect: array([[1., 2.],
# expect:        [2., 3.]])
show(lambda: np.random.permutation(np.array([[1, 2], [3, 4], [5, 6]])))
# expect: array([[3, 4],
# expect:        [5, 6],
# expect:        [1, 2]])
l = [1, 2, 3, 4]
np.random.shuffle(l)
print(l)  # expect: [1, 3, 4, 2]
m = np.arange(6).reshape(3, 2)
np.random.shuffle(m)
print(m)
# expect: [[4 5]
# expect:  [0 1]
# expect:  [2 3]]
show(lambda: np.random.normal(size=3))  # expect: array([1.11829698, 0.05561319, 0.37665664])
show(lambda: np.random.normal(5, 0.1))  # expect: 5.037613502148493
show(lambda: np.random.rand(3, 2).dtype)  # expect: dtype('float64')
show(lambda: np.random.randint(0, 2, 10))  # expect: array([1, 0, 0, 1, 1, 0, 0, 0, 0, 1])
show(lambda: np.random.choice(5, 2, False))  # expect: array([0, 4])
show(lambda: np.arange(12).reshape(3, -1).shape)  # expect: (3, 4)
show(lambda: np.arange(12).reshape((-1, 2, 3)).shape)  # expect: (2, 2, 3)
show(lambda: np.reshape(np.arange(4), -1))  # expect: array([0, 1, 2, 3])
show(lambda: np.arange(4).reshape(2, 2, order='C'))
# expect: array([[0, 1],
# expect:        [2, 3]])
show(lambda: np.arange(5).reshape(-1, 2))  # expect: ValueError cannot reshape array of size 5 into shape (2)
show(lambda: np.ravel([[1, 2]]))  # expect: array([1, 2])
show(lambda: np.transpose(np.ones((2, 3))).shape)  # expect: (3, 2)
show(lambda: np.ones((2, 3)).transpose((1, 0)).shape)  # expect: (3, 2)
show(lambda: np.ones((2, 3)).transpose(1, 0).shape)  # expect: (3, 2)
show(lambda: np.ones((1, 2)).squeeze(0).shape)  # expect: (2,)
show(lambda: np.ones((2, 3, 4)).T.shape)  # expect: (4, 3, 2)
show(lambda: np.arange(3).reshape(3, 1) + np.arange(2))
# expect: array([[0, 1],
# expect:        [1, 2],
# expect:        [2, 3]])
show(lambda: np.float32(3.0))  # expect: np.float32(3.0)
show(lambda: np.zeros(2, np.float32).dtype.type)  # expect: <class 'numpy.float32'>
show(lambda: np.dtype(np.float32))  # expect: dtype('float32')
show(lambda: np.dtype('float64') == float)  # expect: True
show(lambda: np.array([1.5]).dtype.kind)  # expect: 'f'
show(lambda: np.ones(2).dtype is np.ones(3).dtype)  # expect: True
show(lambda: np.float64 is np.double)  # expect: True
show(lambda: np.array([1, 2], dtype='f4'))  # expect: array([1., 2.], dtype=float32)
show(lambda: np.array([1], dtype=torch.float32))  # expect: TypeError Cannot interpret 'torch.float32' as a data type
show(lambda: np.array([1], dtype='foo'))  # expect: TypeError data type 'foo' not understood
show(lambda: np.append([1, 2], 3))  # expect: array([1, 2, 3])
show(lambda: np.append(np.ones((1, 2)), [[2, 3]], axis=0))
# expect: array([[1., 1.],
# expect:        [2., 3.]])
show(lambda: np.diff([1, 4, 9]))  # expect: array([3, 5])
show(lambda: np.diff(np.arange(6).reshape(2, 3) ** 2, axis=0))  # expect: array([[ 9, 15, 21]])
show(lambda: np.diff([1, 4, 9], n=2))  # expect: array([2])
show(lambda: np.argwhere([0, 1, 2]))
# expect: array([[1],
# expect:        [2]])
show(lambda: np.isin([1, 2, 3], [2, 5]))  # expect: array([False,  True, False])
show(lambda: np.bincount([0, 1, 1, 3]))  # expect: array([1, 2, 0, 1])
