"""NumPy's functions and methods, scalars and errors, one by one."""
import numpy as np
import torch
import math


def show(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, str(e)[:90])


a = np.arange(6.).reshape(2, 3)
show(lambda: a.sum(axis=(0,1)))  # expect: np.float64(15.0)
show(lambda: a.sum(axis=1, keepdims=True))
# expect: array([[ 3.],
# expect:        [12.]])
show(lambda: a.max(axis=0))  # expect: array([3., 4., 5.])
show(lambda: a.argmax(axis=1))  # expect: array([2, 2])
show(lambda: a.var(axis=0, ddof=1))  # expect: array([4.5, 4.5, 4.5])
show(lambda: np.arange(4).sum())  # expect: np.int64(6)
show(lambda: np.arange(4).mean())  # expect: np.float64(1.5)
show(lambda: np.arange(4).prod())  # expect: np.int64(0)
show(lambda: np.array([True, True]).sum())  # expect: np.int64(2)
show(lambda: np.array([1,2],dtype=np.int32).sum())  # expect: np.int64(3)
show(lambda: np.ones(3, dtype=np.float32).mean())  # expect: np.float32(1.0)
show(lambda: np.ones(3, dtype=np.float16).sum())  # expect: np.float16(3.0)
show(lambda: np.arange(3, dtype=np.float32).std())  # expect: np.float32(0.8164966)
show(lambda: np.exp(np.arange(3)))  # expect: array([1.        , 2.71828183, 7.3890561 ])
show(lambda: np.exp(np.arange(3, dtype=np.int8)))  # expect: array([1.   , 2.719, 7.39 ], dtype=float16)
show(lambda: np.sqrt(np.array([1,4], dtype=np.int16)))  # expect: array([1., 2.], dtype=float32)
show(lambda: np.abs(np.array([-1, 2])))  # expect: array([1, 2])
show(lambda: np.sign(np.array([-1., 0, 2])))  # expect: array([-1.,  0.,  1.])
show(lambda: np.arange(4) / 2)  # expect: array([0. , 0.5, 1. , 1.5])
show(lambda: np.arange(4) // 2)  # expect: array([0, 0, 1, 1])
show(lambda: np.arange(4) % 3)  # expect: array([0, 1, 2, 0])
show(lambda: np.arange(4) ** 2)  # expect: array([0, 1, 4, 9])
show(lambda: np.arange(4) ** -1)  # expect: ValueError Integers to negative integer powers are not allowed.
show(lambda: np.arange(4) ** 0.5)  # expect: array([0.        , 1.        , 1.41421356, 1.73205081])
show(lambda: 2 ** np.arange(4))  # expect: array([1, 2, 4, 8])
show(lambda: -7 // np.array([2]))  # expect: array([-4])
show(lambda: np.array([1,2], dtype=np.uint8) + 1)  # expect: array([2, 3], dtype=uint8)
show(lambda: np.array([1,2], dtype=np.uint8) + 1.5)  # expect: array([2.5, 3.5])
show(lambda: np.array([255], dtype=np.uint8) + np.uint8(1))  # expect: array([0], dtype=uint8)
show(lambda: np.array([1], dtype=np.int8) + np.array([1], dtype=np.int16))  # expect: array([2], dtype=int16)
show(lambda: np.array([1], dtype=np.uint8) + np.array([1], dtype=np.int8))  # expect: array([2], dtype=int16)
show(lambda: np.ones(2, dtype=np.float32) + np.float64(1))  # expect: array([2., 2.])
show(lambda: np.ones(2, dtype=np.float32) + 1.0)  # expect: array([2., 2.], dtype=float32)
show(lambda: np.ones(2, dtype=np.float32) + np.ones(2))  # expect: array([2., 2.])
show(lambda: np.ones(2, dtype=np.float32) * np.arange(2))  # expect: array([0., 1.])
show(lambda: np.float32(3) + 3)  # expect: np.float32(6.0)
show(lambda: np.float32(3) * 3.0)  # expect: np.float32(9.0)
show(lambda: np.array(3, dtype=np.float32) + np.ones(2, dtype=np.float16))  # expect: array([4., 4.], dtype=float32)
show(lambda: a + [1, 2, 3])
# expect: array([[1., 3., 5.],
# expect:        [4., 6., 8.]])
show(lambda: [1, 2, 3] + a)
# expect: array([[1., 3., 5.],
# expect:        [4., 6., 8.]])
show(lambda: a * (1, 2, 3))
# expect: array([[ 0.,  2.,  6.],
# expect:        [ 3.,  8., 15.]])
show(lambda: a == 'x')
# expect: array([[False, False, False],
# expect:        [False, False, False]])
show(lambda: a & 1)
# expect: TypeError ufunc 'bitwise_and' not supported for the input types, and the inputs could not be safely 
show(lambda: np.array([True, False]) & np.array([True, True]))  # expect: array([ True, False])
show(lambda: np.array([1, 2]) | 4)  # expect: array([5, 6])
show(lambda: ~np.array([True, False]))  # expect: array([False,  True])
show(lambda: ~np.array([1, 2]))  # expect: array([-2, -3])
show(lambda: np.array([1,2]) << 1)  # expect: array([2, 4])
show(lambda: (a > 1) & (a < 4))
# expect: array([[False, False,  True],
# expect:        [ True, False, False]])
show(lambda: a[(a > 1) & (a < 4)])  # expect: array([2., 3.])
show(lambda: a[a > 100])  # expect: array([], dtype=float64)
show(lambda: a[:, None].shape)  # expect: (2, 1, 3)
show(lambda: a[..., 0])  # expect: array([0., 3.])
show(lambda: a[1])  # expect: array([3., 4., 5.])
show(lambda: a[-1, -1])  # expect: np.float64(5.0)
show(lambda: a[:, ::2])
# expect: array([[0., 2.],
# expect:        [3., 5.]])
show(lambda: a[[1, 0], [0, 2]])  # expect: array([3., 2.])
show(lambda: a[np.array([[0, 1], [1, 0]])].shape)  # expect: (2, 2, 3)
show(lambda: a[0][1])  # expect: np.float64(1.0)
show(lambda: a[1:, 1:])  # expect: array([[4., 5.]])
show(lambda: a[2])  # expect: IndexError index 2 is out of bounds for axis 0 with size 2
show(lambda: a[0, 3])  # expect: IndexError index 3 is out of bounds for axis 1 with size 3
show(lambda: a[0, 0, 0])  # expect: IndexError too many indices for array: array is 2-dimensional, but 3 were indexed
show(lambda: a[1.5])
# expect: IndexError only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boole
show(lambda: a['x'])
# expect: IndexError only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boole
show(lambda: a[[5]])  # expect: IndexError index 5 is out of bounds for axis 0 with size 2
show(lambda: np.zeros(3)[np.array(1)])  # expect: np.float64(0.0)
show(lambda: np.array(5)[()])  # expect: np.int64(5)
show(lambda: np.array([[1, 2], [3]]))
# expect: ValueError setting an array element with a sequence. The requested array has an inhomogeneous shape a
show(lambda: np.array([1, [2]]))
# expect: ValueError setting an array element with a sequence. The requested array has an inhomogeneous shape a
show(lambda: np.full((2, 2), 1.5))
# expect: array([[1.5, 1.5],
# expect:        [1.5, 1.5]])
show(lambda: np.full(3, True))  # expect: array([ True,  True,  True])
show(lambda: np.empty((0,)).shape)  # expect: (0,)
show(lambda: np.zeros(3, int))  # expect: array([0, 0, 0])
show(lambda: np.ones((2,), dtype='int32'))  # expect: array([1, 1], dtype=int32)
show(lambda: np.zeros(-1))  # expect: ValueError negative dimensions are not allowed
show(lambda: np.eye(3, k=1))
# expect: array([[0., 1., 0.],
# expect:        [0., 0., 1.],
# expect:        [0., 0., 0.]])
show(lambda: np.identity(2))
# expect: array([[1., 0.],
# expect:        [0., 1.]])
show(lambda: np.diag([1, 2]))
# expect: array([[1, 0],
# expect:        [0, 2]])
show(lambda: np.tril(np.ones((3, 3))))
# expect: array([[1., 0., 0.],
# expect:        [1., 1., 0.],
# expect:        [1., 1., 1.]])
show(lambda: np.linspace(0, 1, 4, endpoint=False))  # expect: array([0.  , 0.25, 0.5 , 0.75])
show(lambda: np.logspace(0, 2, 3))  # expect: array([  1.,  10., 100.])
show(lambda: np.arange(10, 0, -3))  # expect: array([10,  7,  4,  1])
show(lambda: np.arange(0.5, 3))  # expect: array([0.5, 1.5, 2.5])
show(lambda: np.arange(3, dtype=np.float32))  # expect: array([0., 1., 2.], dtype=float32)
show(lambda: np.linspace(1, 10, 10, dtype=int))  # expect: array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10])
show(lambda: np.dot(3, np.ones(2)))  # expect: array([3., 3.])
show(lambda: np.inner([1, 2], [3, 4]))  # expect: np.int64(11)
show(lambda: np.outer([1, 2], [3, 4]))
# expect: array([[3, 4],
# expect:        [6, 8]])
show(lambda: np.matmul(a, a.T))
# expect: array([[ 5., 14.],
# expect:        [14., 50.]])
show(lambda: a @ a)
# expect: ValueError matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,
show(lambda: np.linalg.norm([3., 4.]))  # expect: np.float64(5.0)
show(lambda: np.linalg.norm(a, axis=1))  # expect: array([2.23606798, 7.07106781])
show(lambda: np.linalg.inv(np.array([[2., 0], [0, 4]])))
# expect: array([[0.5 , 0.  ],
# expect:        [0.  , 0.25]])
show(lambda: np.linalg.det(np.eye(2)))  # expect: np.float64(1.0)
show(lambda: np.linalg.solve(np.array([[2., 0], [0, 4]]), np.array([2., 4])))  # expect: array([1., 1.])
show(lambda: np.concatenate([a, a], axis=1).shape)  # expect: (2, 6)
show(lambda: np.concatenate((np.arange(2), np.ones(2))))  # expect: array([0., 1., 1., 1.])
show(lambda: np.stack([a, a], axis=-1).shape)  # expect: (2, 3, 2)
show(lambda: np.hstack([1, 2]))  # expect: array([1, 2])
show(lambda: np.split(np.arange(5), 2))  # expect: ValueError array split does not result in an equal division
show(lambda: np.array_split(np.arange(5), 2))  # expect: [array([0, 1, 2]), array([3, 4])]
show(lambda: np.split(np.arange(5), [1, 3]))  # expect: [array([0]), array([1, 2]), array([3, 4])]
show(lambda: np.vsplit(a, 2))  # expect: [array([[0., 1., 2.]]), array([[3., 4., 5.]])]
show(lambda: np.tile([1, 2], 2))  # expect: array([1, 2, 1, 2])
show(lambda: np.tile([1, 2], (2, 2)))
# expect: array([[1, 2, 1, 2],
# expect:        [1, 2, 1, 2]])
show(lambda: np.repeat([1, 2], 2))  # expect: array([1, 1, 2, 2])
show(lambda: np.repeat(a, 2, axis=0).shape)  # expect: (4, 3)
show(lambda: np.roll(np.arange(4), 1))  # expect: array([3, 0, 1, 2])
show(lambda: np.flip(a))
# expect: array([[5., 4., 3.],
# expect:        [2., 1., 0.]])
show(lambda: np.expand_dims(a, 0).shape)  # expect: (1, 2, 3)
show(lambda: np.squeeze(np.ones((1, 3))).shape)  # expect: (3,)
show(lambda: np.broadcast_to([1, 2], (2, 2)))
# expect: array([[1, 2],
# expect:        [1, 2]])
show(lambda: np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape)  # expect: (3, 4, 2)
show(lambda: np.swapaxes(a, 0, 1).shape)  # expect: (3, 2)
show(lambda: np.meshgrid([1, 2], [3, 4, 5]))
# expect: (array([[1, 2],
# expect:        [1, 2],
# expect:        [1, 2]]), array([[3, 3],
# expect:        [4, 4],
# expect:        [5, 5]]))
show(lambda: np.maximum(a, 2))
# expect: array([[2., 2., 2.],
# expect:        [3., 4., 5.]])
show(lambda: np.maximum([1, 5], [3, 2]))  # expect: array([3, 5])
show(lambda: np.minimum(1, 2))  # expect: np.int64(1)
show(lambda: np.add(1, 2))  # expect: np.int64(3)
show(lambda: np.add(1.5, 2))  # expect: np.float64(3.5)
show(lambda: np.power(2, 3))  # expect: np.int64(8)
show(lambda: np.multiply(a, 2))
# expect: array([[ 0.,  2.,  4.],
# expect:        [ 6.,  8., 10.]])
show(lambda: np.divide([1, 2], 2))  # expect: array([0.5, 1. ])
show(lambda: np.subtract(5, [1, 2]))  # expect: array([4, 3])
show(lambda: np.mod(7, 3))  # expect: np.int64(1)
show(lambda: np.logical_and([True, False], True))  # expect: array([ True, False])
show(lambda: np.isnan([1, np.nan]))  # expect: array([False,  True])
show(lambda: np.clip([1, 5, 9], 2, 6))  # expect: array([2, 5, 6])
show(lambda: np.floor([1.5, -1.5]))  # expect: array([ 1., -2.])
show(lambda: np.round([1.25, 2.567], 1))  # expect: array([1.2, 2.6])
show(lambda: np.isclose(1.0, 1.0 + 1e-9))  # expect: np.True_
show(lambda: np.allclose([1], [1.1]))  # expect: False
show(lambda: np.where([True, False], 1, 2.5))  # expect: array([1. , 2.5])
show(lambda: np.where(a > 2, a, np.float32(0)).dtype)  # expect: dtype('float64')
show(lambda: np.sort([[3, 1], [2, 0]]))
# expect: array([[1, 3],
# expect:        [0, 2]])
show(lambda: np.argsort([[3, 1], [2, 0]], axis=0))
# expect: array([[1, 1],
# expect:        [0, 0]])
show(lambda: np.unique(np.array([3, 1, 1]), return_inverse=True))  # expect: (array([1, 3]), array([1, 0, 0]))
show(lambda: np.median([1, 3, 2]))  # expect: np.float64(2.0)
show(lambda: np.percentile([1, 2, 3, 4], 50))  # expect: np.float64(2.5)
show(lambda: np.searchsorted([1, 2, 3], 2))  # expect: np.int64(1)
show(lambda: np.cumsum(a))  # expect: array([ 0.,  1.,  3.,  6., 10., 15.])
show(lambda: np.cumsum(a, axis=0))
# expect: array([[0., 1., 2.],
# expect:        [3., 5., 7.]])
show(lambda: np.cumprod([1, 2, 3]))  # expect: array([1, 2, 6])
show(lambda: np.any([0, 1]))  # expect: np.True_
show(lambda: np.all([1, 1]))  # expect: np.True_
show(lambda: np.trace(a))  # expect: np.float64(4.0)
show(lambda: np.ptp([1, 5]))  # expect: np.int64(4)
show(lambda: a.astype(np.int32).dtype)  # expect: dtype('int32')
show(lambda: a.astype(bool))
# expect: array([[False,  True,  True],
# expect:        [ True,  True,  True]])
show(lambda: np.array([1.7, -1.7]).astype(int))  # expect: array([ 1, -1])
show(lambda: a.dtype == np.float64)  # expect: True
show(lambda: a.dtype == 'float64')  # expect: True
show(lambda: np.dtype('int32').itemsize)  # expect: 4
show(lambda: a.dtype.name)  # expect: 'float64'
show(lambda: str(a.dtype))  # expect: 'float64'
show(lambda: np.float32 == np.dtype('float32'))  # expect: True
show(lambda: np.issubdtype(a.dtype, np.floating))  # expect: True
show(lambda: a.flatten().base is None)  # expect: True
show(lambda: a.ravel().base is a.base)  # expect: True
show(lambda: np.shares_memory(a, a.reshape(3, 2)))  # expect: True
show(lambda: a.T.flags.c_contiguous)  # expect: False
show(lambda: a.T.flags.f_contiguous)  # expect: True
show(lambda: a.T.strides)  # expect: (8, 24)
show(lambda: a.copy().base)  # expect: None
show(lambda: a.item(1))  # expect: 1.0
show(lambda: a.item(0, 1))  # expect: 1.0
show(lambda: np.array([3]).item())  # expect: 3
show(lambda: a.item())  # expect: ValueError can only convert an array of size 1 to a Python scalar
show(lambda: a.fill(2.))  # expect: None
show(lambda: a)
# expect: array([[2., 2., 2.],
# expect:        [2., 2., 2.]])
show(lambda: math.sqrt(np.float64(4)))  # expect: 2.0
show(lambda: math.floor(np.float64(1.5)))  # expect: 1
show(lambda: round(np.float64(1.5)))  # expect: 2
show(lambda: str(np.float64(1.5)))  # expect: '1.5'
show(lambda: [1, 2] * np.int64(2))  # expect: [1, 2, 1, 2]
show(lambda: 'ab' * 2)  # expect: 'abab'
show(lambda: np.int64(3) == 3.0)  # expect: np.True_
show(lambda: np.float64(3) is np.float64(3))  # expect: False
show(lambda: hash(np.int64(3)) == hash(3))  # expect: True
show(lambda: bool(np.float64(0)))  # expect: False
show(lambda: not np.True_)  # expect: False
show(lambda: np.float64('1.5'))  # expect: np.float64(1.5)
show(lambda: np.float32(1) / 3)  # expect: np.float32(0.33333334)
show(lambda: np.int64(7) % 4)  # expect: np.int64(3)
show(lambda: divmod(np.int64(7), 2))  # expect: (np.int64(3), np.int64(1))
show(lambda: np.float64(2) ** 0.5)  # expect: np.float64(1.4142135623730951)
show(lambda: -np.float32(2))  # expect: np.float32(-2.0)
show(lambda: np.int8(127) + np.int8(1))  # expect: np.int8(-128)
show(lambda: np.float64(1) < 2)  # expect: np.True_
show(lambda: 1 if np.bool_(True) else 0)  # expect: 1
show(lambda: np.iinfo(np.int32).max)  # expect: 2147483647
show(lambda: np.finfo(np.float32).eps)  # expect: np.float32(1.1920929e-07)
show(lambda: np.finfo(np.float64).max)  # expect: np.float64(1.7976931348623157e+308)
show(lambda: np.may_share_memory(a, a.T))  # expect: True
show(lambda: hash(a))  # expect: TypeError unhashable type: 'numpy.ndarray'
show(lambda: a in [1])
# expect: ValueError The truth value of an array with more than one element is ambiguous. Use a.any() or a.all(
show(lambda: {a: 1})  # expect: TypeError unhashable type: 'numpy.ndarray'
show(lambda: np.foo)  # expect: AttributeError module 'numpy' has no attribute 'foo'
show(lambda: a.foo)  # expect: AttributeError 'numpy.ndarray' object has no attribute 'foo'
show(lambda: len(np.ones((4, 2))))  # expect: 4
show(lambda: len(np.array(1)))  # expect: TypeError len() of unsized object
show(lambda: np.array(a, copy=False) is a)  # expect: True
show(lambda: np.asarray(a) is a)  # expect: True
show(lambda: np.asarray([1, 2], dtype=np.float32))  # expect: array([1., 2.], dtype=float32)
show(lambda: np.array([1, 2], float))  # expect: array([1., 2.])
show(lambda: np.array(range(3)))  # expect: array([0, 1, 2])
show(lambda: np.array((1, 2)))  # expect: array([1, 2])
show(lambda: np.array([np.arange(2), np.arange(2)]))
# expect: array([[0, 1],
# expect:        [0, 1]])
show(lambda: np.array([np.float32(1), np.float32(2)]))  # expect: array([1., 2.], dtype=float32)
show(lambda: np.array([np.float32(1), 2.0]))  # expect: array([1., 2.])
show(lambda: np.array([1, 2.5, True]))  # expect: array([1. , 2.5, 1. ])
show(lambda: np.array(3).shape)  # expect: ()
show(lambda: np.array([[]]).shape)  # expect: (1, 0)
show(lambda: np.array(torch.ones(2)))  # expect: array([1., 1.], dtype=float32)
show(lambda: np.einsum('ij->j', np.ones((2, 3))))  # expect: array([2., 2., 2.])
