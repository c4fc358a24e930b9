# Differences, statistics, distances, histograms, parts written into copies, unique slices.
import torch
import torch.nn.functional as F


def short(value):
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype)[6:]
        rounded = [round(x, 3) + 0 if isinstance(x, float) else x for x in value.flatten().tolist()]
        return f"{kind}{list(value.shape)} {rounded}"
    if isinstance(value, (tuple, list)):
        return " | ".join([short(x) for x in value])
    return str(round(value, 4) if isinstance(value, float) else value)


def show(compute):
    try:
        print(short(compute()))
    except Exception as error:
        print(type(error).__name__)


A = torch.tensor([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])
Bm = torch.tensor([[2.0, 1.0, 4.0], [0.5, 3.0, 2.0]])
I = torch.tensor([[3, -1, 2], [0, 5, 1]])
v = torch.tensor([1.0, 4.0, 9.0, 16.0])
Q = torch.arange(24.).reshape(2, 3, 4).cos()
N = torch.tensor([[1.0, float('nan'), 3.0], [float('nan'), float('nan'), float('nan')]])
U = torch.tensor([[1, 2], [0, 5], [1, 2], [0, 5], [0, 4]])
X = torch.tensor([0, 1, 0, 2])
show(lambda: torch.diff(v))                                             # expect: float32[3] [3.0, 5.0, 7.0]
show(lambda: torch.diff(A, dim=0))                                      # expect: float32[1, 3] [1.5, 2.5, -1.25]
show(lambda: torch.diff(v, n=2))                                        # expect: float32[2] [2.0, 2.0]
show(lambda: torch.diff(v, prepend=torch.tensor([0.0])))                # expect: float32[4] [1.0, 3.0, 5.0, 7.0]
show(lambda: torch.diff(v, append=torch.tensor([0.0, 1.0])))            # expect: float32[5] [3.0, 5.0, 7.0, -16.0, 1.0]
show(lambda: torch.diff(v > 3))                                         # expect: bool[3] [True, False, False]
show(lambda: torch.diff(v, n=7))                                        # expect: float32[0] []
show(lambda: A.diff())                                                  # expect: float32[2, 2] [-3.5, 2.25, -2.5, -1.5]
show(lambda: torch.diff(torch.tensor(1.0)))                             # expect: RuntimeError
show(lambda: torch.trapezoid(v))                                        # expect: float32[] [21.5]
show(lambda: torch.trapezoid(A, dx=0.5))                                # expect: float32[2] [-0.562, 0.75]
show(lambda: torch.trapezoid(v, v))                                     # expect: float32[] [127.5]
show(lambda: torch.trapezoid(A, torch.tensor([0., 1., 3.])))            # expect: float32[2] [-2.0, 1.25]
show(lambda: torch.trapezoid(A, Bm, dim=0))                             # expect: float32[3] [-3.375, -1.5, 0.75]
show(lambda: torch.trapz(v))                                            # expect: float32[] [21.5]
show(lambda: torch.cumulative_trapezoid(v))                             # expect: float32[3] [2.5, 9.0, 21.5]
show(lambda: torch.cumulative_trapezoid(v, v))                          # expect: float32[3] [7.5, 40.0, 127.5]
show(lambda: torch.cov(A))                                              # expect: float32[2, 2] [3.146, 1.729, 1.729, 4.083]
show(lambda: torch.cov(v))                                              # expect: float32[] [43.0]
show(lambda: torch.cov(A.t(), correction=0))                            # expect: float32[3, 3] [0.562, 0.938, -0.469, 0.938, 1.562, -0.781, -0.469, -0.781, 0.391]
show(lambda: torch.cov(I))                                              # expect: float32[2, 2] [4.333, -5.5, -5.5, 7.0]
show(lambda: torch.corrcoef(A))                                         # expect: float32[2, 2] [1.0, 0.482, 0.482, 1.0]
show(lambda: torch.corrcoef(Q[0]))                                      # expect: float32[3, 3] [1.0, -0.871, -0.181, -0.871, 1.0, -0.327, -0.181, -0.327, 1.0]
show(lambda: torch.corrcoef(v))                                         # expect: float32[] [1.0]
show(lambda: torch.cdist(A, Bm))                                        # expect: float32[2, 2] [4.828, 5.391, 5.123, 4.637]
show(lambda: torch.cdist(A, Bm, p=1))                                   # expect: float32[2, 2] [7.25, 7.75, 6.5, 8.0]
show(lambda: torch.cdist(A, Bm[:1], 3.0))                               # expect: float32[2, 1] [4.306, 5.015]
show(lambda: torch.cdist(Q, Q))                                         # expect: float32[2, 3, 3] [0.0, 2.781, 2.142, 2.781, 0.0, 2.342, 2.142, 2.342, 0.0, 0.0, 2.824, 1.911, 2.824, 0.0, 2.648, 1.911, 2.648, 0.0]
show(lambda: torch.cdist(A, v))                                         # expect: RuntimeError
show(lambda: F.pdist(Q[0]))                                             # expect: float32[3] [2.781, 2.142, 2.342]
show(lambda: torch.renorm(A, 2, 0, 1.0))                                # expect: float32[2, 3] [0.597, -0.796, 0.1, 0.937, 0.156, -0.312]
show(lambda: torch.renorm(Bm, 1, 1, 3))                                 # expect: float32[2, 3] [2.0, 0.75, 2.0, 0.5, 2.25, 1.0]
show(lambda: torch.histc(v, 4))                                         # expect: float32[4] [2.0, 0.0, 1.0, 1.0]
show(lambda: torch.histc(A, bins=4, min=-2, max=2))                     # expect: float32[4] [1.0, 1.0, 2.0, 1.0]
show(lambda: torch.histc(torch.zeros(3), 2))                            # expect: float32[2] [0.0, 3.0]
show(lambda: torch.histc(v, 0))                                         # expect: RuntimeError
show(lambda: torch.histogram(v, 3))                                     # expect: float32[3] [2.0, 1.0, 1.0] | float32[4] [1.0, 6.0, 11.0, 16.0]
show(lambda: torch.histogram(v, bins=4, range=(0., 20.)))               # expect: float32[4] [2.0, 1.0, 0.0, 1.0] | float32[5] [0.0, 5.0, 10.0, 15.0, 20.0]
show(lambda: torch.histogram(v, torch.tensor([0., 4., 10.])))           # expect: float32[2] [1.0, 2.0] | float32[3] [0.0, 4.0, 10.0]
show(lambda: torch.histogram(v, 3, density=True))                       # expect: float32[3] [0.1, 0.05, 0.05] | float32[4] [1.0, 6.0, 11.0, 16.0]
show(lambda: torch.histogram(v, 3, weight=torch.tensor([1., 2., 3., 4.])))  # expect: float32[3] [3.0, 3.0, 4.0] | float32[4] [1.0, 6.0, 11.0, 16.0]
show(lambda: torch.logcumsumexp(v, 0))                                  # expect: float32[4] [1.0, 4.049, 9.007, 16.001]
show(lambda: torch.logcumsumexp(A * 100, 1))                            # expect: float32[2, 3] [150.0, 150.0, 150.0, 300.0, 300.0, 300.0]
show(lambda: torch.logcumsumexp(I, 0))                                  # expect: RuntimeError
show(lambda: torch.nanquantile(N, 0.5))                                 # expect: float32[] [2.0]
show(lambda: torch.nanquantile(N, 0.5, dim=1))                          # expect: float32[2] [2.0, nan]
show(lambda: torch.nanquantile(N, torch.tensor([0.25, 0.5]), dim=1))    # expect: float32[2, 2] [1.5, nan, 2.0, nan]
show(lambda: torch.nanquantile(N, 0.5, dim=1, keepdim=True))            # expect: float32[2, 1] [2.0, nan]
show(lambda: torch.nanquantile(A, 0.3, dim=0))                          # expect: float32[3] [1.95, -1.25, -0.625]
show(lambda: torch.block_diag(A, Bm))                                   # expect: float32[4, 6] [1.5, -2.0, 0.25, 0.0, 0.0, 0.0, 3.0, 0.5, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 1.0, 4.0, 0.0, 0.0, 0.0, 0.5, 3.0, 2.0]
show(lambda: torch.block_diag(v, torch.tensor(5.0), I))                 # expect: float32[4, 8] [1.0, 4.0, 9.0, 16.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, -1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 1.0]
show(lambda: torch.vander(v))                                           # expect: float32[4, 4] [1.0, 1.0, 1.0, 1.0, 64.0, 16.0, 4.0, 1.0, 729.0, 81.0, 9.0, 1.0, 4096.0, 256.0, 16.0, 1.0]
show(lambda: torch.vander(v, 3, increasing=True))                       # expect: float32[4, 3] [1.0, 1.0, 1.0, 1.0, 4.0, 16.0, 1.0, 9.0, 81.0, 1.0, 16.0, 256.0]
show(lambda: torch.vander(torch.tensor([1, 2, 3])))                     # expect: int64[3, 3] [1, 1, 1, 4, 2, 1, 9, 3, 1]
show(lambda: torch.linalg.vander(v, N=3))                               # expect: float32[4, 3] [1.0, 1.0, 1.0, 1.0, 4.0, 16.0, 1.0, 9.0, 81.0, 1.0, 16.0, 256.0]
show(lambda: torch.dsplit(Q, 2))                                        # expect: float32[2, 3, 2] [1.0, 0.54, -0.654, 0.284, -0.146, -0.911, 0.844, 0.907, -0.958, -0.275, 0.408, -0.548] | float32[2, 3, 2] [-0.416, -0.99, 0.96, 0.754, -0.839, 0.004, 0.137, -0.76, 0.66, 0.989, -1.0, -0.533]
show(lambda: torch.dsplit(Q, [1, 3]))                                   # expect: float32[2, 3, 1] [1.0, -0.654, -0.146, 0.844, -0.958, 0.408] | float32[2, 3, 2] [0.54, -0.416, 0.284, 0.96, -0.911, -0.839, 0.907, 0.137, -0.275, 0.66, -0.548, -1.0] | float32[2, 3, 1] [-0.99, 0.754, 0.004, -0.76, 0.989, -0.533]
show(lambda: torch.tensor_split(v, torch.tensor([1, 3])))               # expect: float32[1] [1.0] | float32[2] [4.0, 9.0] | float32[1] [16.0]
show(lambda: torch.tensor_split(v, torch.tensor(2)))                    # expect: float32[2] [1.0, 4.0] | float32[2] [9.0, 16.0]
show(lambda: torch.take_along_dim(A, torch.tensor([[0], [5]])))         # expect: float32[2] [1.5, -1.0]
show(lambda: torch.take_along_dim(A, torch.tensor([[2, 0, 1], [0, 0, 0]]), dim=1))  # expect: float32[2, 3] [0.25, 1.5, -2.0, 3.0, 3.0, 3.0]
show(lambda: torch.select_scatter(A, torch.zeros(3), 0, 1))             # expect: float32[2, 3] [1.5, -2.0, 0.25, 0.0, 0.0, 0.0]
show(lambda: torch.select_scatter(A, torch.zeros(2), 0, 1))             # expect: RuntimeError
show(lambda: torch.slice_scatter(A, torch.zeros(2, 1), dim=1, start=1, end=2))  # expect: float32[2, 3] [1.5, 0.0, 0.25, 3.0, 0.0, -1.0]
show(lambda: torch.slice_scatter(Q, torch.ones(2, 3, 2), 2, 0, 4, 2))   # expect: float32[2, 3, 4] [1.0, 0.54, 1.0, -0.99, 1.0, 0.284, 1.0, 0.754, 1.0, -0.911, 1.0, 0.004, 1.0, 0.907, 1.0, -0.76, 1.0, -0.275, 1.0, 0.989, 1.0, -0.548, 1.0, -0.533]
show(lambda: torch.diagonal_scatter(A, torch.tensor([8.0, 9.0])))       # expect: float32[2, 3] [8.0, -2.0, 0.25, 3.0, 9.0, -1.0]
show(lambda: v.scatter_reduce(0, X, torch.ones(4) * 2, reduce='sum'))   # expect: float32[4] [5.0, 6.0, 11.0, 16.0]
show(lambda: v.scatter_reduce(0, X, torch.ones(4) * 2, reduce='prod'))  # expect: float32[4] [4.0, 8.0, 18.0, 16.0]
show(lambda: v.scatter_reduce(0, X, torch.ones(4) * 2, reduce='mean'))  # expect: float32[4] [1.667, 3.0, 5.5, 16.0]
show(lambda: v.scatter_reduce(0, X, torch.ones(4) * 2, reduce='amax', include_self=False))  # expect: float32[4] [2.0, 2.0, 2.0, 16.0]
show(lambda: v.scatter_reduce(0, X, torch.ones(4) * 2, reduce='amin'))  # expect: float32[4] [1.0, 2.0, 2.0, 16.0]
show(lambda: v.scatter_reduce(0, X, torch.ones(4) * 2, reduce='x'))     # expect: RuntimeError
show(lambda: torch.tensor([5, 6, 7, 8]).scatter_reduce(0, X, torch.tensor([1, 2, 4, 8]), 'mean'))  # expect: int64[4] [3, 4, 7, 8]
show(lambda: torch.addbmm(torch.ones(3, 3), Q[:, :, :2], Q[:, :2, :3]))  # expect: float32[3, 3] [1.49, 2.21, 1.817, -0.384, -0.066, 1.232, 2.319, 1.184, -0.12]
show(lambda: Q.sum_to_size(1, 3, 1))                                    # expect: float32[1, 3, 1] [1.263, 1.76, -3.564]
show(lambda: Q.sum_to_size(3, 4))                                       # expect: float32[3, 4] [1.844, 1.448, -0.279, -1.75, -1.611, 0.008, 1.62, 1.743, 0.263, -1.459, -1.839, -0.528]
show(lambda: Q.sum_to_size(2, 2))                                       # expect: RuntimeError
show(lambda: torch.zeros(2).resize_as_(A).shape)                        # expect: 2 | 3
show(lambda: torch.unravel_index(torch.tensor([5, 3]), (2, 3)))         # expect: int64[2] [1, 1] | int64[2] [2, 0]
show(lambda: torch.pixel_shuffle(torch.arange(16.).reshape(1, 4, 2, 2), 2))  # expect: float32[1, 1, 4, 4] [0.0, 4.0, 1.0, 5.0, 8.0, 12.0, 9.0, 13.0, 2.0, 6.0, 3.0, 7.0, 10.0, 14.0, 11.0, 15.0]
show(lambda: torch.pixel_unshuffle(torch.arange(16.).reshape(1, 1, 4, 4), 2))  # expect: float32[1, 4, 2, 2] [0.0, 2.0, 8.0, 10.0, 1.0, 3.0, 9.0, 11.0, 4.0, 6.0, 12.0, 14.0, 5.0, 7.0, 13.0, 15.0]
show(lambda: torch.pixel_shuffle(Q, 2))                                 # expect: RuntimeError
show(lambda: torch.scalar_tensor(3))                                    # expect: float32[] [3.0]
show(lambda: torch.unique(U, dim=0))                                    # expect: int64[3, 2] [0, 4, 0, 5, 1, 2]
show(lambda: torch.unique(U, dim=0, return_inverse=True, return_counts=True))  # expect: int64[3, 2] [0, 4, 0, 5, 1, 2] | int64[5] [2, 1, 2, 1, 0] | int64[3] [1, 2, 2]
show(lambda: torch.unique(U, dim=1))                                    # expect: int64[5, 2] [1, 2, 0, 5, 1, 2, 0, 5, 0, 4]
show(lambda: torch.unique(U))                                           # expect: int64[5] [0, 1, 2, 4, 5]
show(lambda: torch.unique(U, dim=None))                                 # expect: int64[5] [0, 1, 2, 4, 5]
show(lambda: torch.unique(U, True, True, False, 0))                     # expect: int64[3, 2] [0, 4, 0, 5, 1, 2] | int64[5] [2, 1, 2, 1, 0]
show(lambda: torch.unique_consecutive(U[[0, 2, 1, 3, 4]], dim=0))       # expect: int64[3, 2] [1, 2, 0, 5, 0, 4]
show(lambda: torch.unique_consecutive(U[[0, 2, 1, 3, 4]], dim=0, return_inverse=True, return_counts=True))  # expect: int64[3, 2] [1, 2, 0, 5, 0, 4] | int64[5] [0, 0, 1, 1, 2] | int64[3] [2, 2, 1]
show(lambda: torch.unique(A, dim=0))                                    # expect: float32[2, 3] [1.5, -2.0, 0.25, 3.0, 0.5, -1.0]
show(lambda: torch.searchsorted(torch.tensor([[1., 3., 5.], [2., 4., 6.]]), torch.tensor([[3., 6.], [3., 6.]])))  # expect: int64[2, 2] [1, 3, 1, 2]
show(lambda: torch.searchsorted(torch.tensor([[1., 3., 5.], [2., 4., 6.]]), torch.tensor([[3.], [6.]]), right=True))  # expect: int64[2, 1] [2, 3]
show(lambda: torch.searchsorted(torch.tensor([1., 3., 5.]), torch.tensor([[3.], [6.]]), side='right'))  # expect: int64[2, 1] [2, 3]
show(lambda: torch.searchsorted(torch.tensor([1., 3., 5.]), 3.0))       # expect: int64[] [1]
show(lambda: torch.searchsorted(torch.tensor([1., 3., 5.]), torch.tensor([3., 0.]), out_int32=True))  # expect: int32[2] [1, 0]
show(lambda: torch.bucketize(torch.tensor([3., 6.]), torch.tensor([1., 3., 5.]), right=True))  # expect: int64[2] [2, 3]
show(lambda: torch.searchsorted(torch.tensor([[1., 3., 5.]]), torch.tensor([[3.], [6.]])))  # expect: RuntimeError

# What has no elements, no dimensions or sizes beyond all bounds is an error, or empty.
show(lambda: torch.trapezoid(torch.tensor(1.0)))                        # expect: IndexError
show(lambda: torch.nanquantile(torch.zeros(2, 0), 0.5))                 # expect: RuntimeError
show(lambda: F.instance_norm(torch.zeros(0, 2, 2)))                     # expect: float32[0, 2, 2] []
show(lambda: torch.unravel_index(torch.tensor([5], dtype=torch.uint8), (512, 3)))  # expect: int64[1] [1] | int64[1] [2]
show(lambda: torch.pixel_shuffle(torch.ones(1, 4, 2, 2), 2 ** 62))      # expect: RuntimeError
show(lambda: torch.tensor([1, 2], dtype=torch.uint8) // 256)            # expect: RuntimeError
show(lambda: torch.quantile(torch.tensor([1.0, 2.0]), torch.zeros(0)))  # expect: float32[0] []
show(lambda: torch.tensor_split(torch.ones(2), 2 ** 62))                # expect: RuntimeError
