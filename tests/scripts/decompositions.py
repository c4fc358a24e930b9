# Decompositions of matrices, what they solve, and norms of matrices.
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
S = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]])
G = torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0], [2.0, 1.0, 0.5]])
T3 = torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0], [1.0, 1.0, 1.0]])
R1 = torch.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
Bt = torch.stack([G, S])
I = torch.tensor([[3, -1], [0, 5]])
v = torch.tensor([1.0, -2.0, 3.0])
D = G.double()
show(lambda: torch.linalg.svd(D))                                       # expect: float64[3, 3] [0.664, -0.468, -0.583, 0.719, 0.614, 0.325, 0.205, -0.635, 0.745] | float64[3] [5.15, 2.888, 1.177] | float64[3, 3] [0.209, 0.158, 0.965, -0.602, -0.757, 0.254, 0.771, -0.634, -0.063]
show(lambda: torch.linalg.svdvals(Bt))                                  # expect: float32[2, 3] [5.15, 2.888, 1.177, 4.623, 3.318, 1.06]
show(lambda: torch.linalg.svd(I))                                       # expect: RuntimeError
show(lambda: torch.linalg.svd(v))                                       # expect: RuntimeError
show(lambda: torch.linalg.svd(torch.tensor([[float('nan'), 1.], [1., 2.]])))  # expect: _LinAlgError
show(lambda: torch.linalg.svd(torch.zeros(0, 3)))                       # expect: float32[0, 0] [] | float32[0] [] | float32[3, 3] [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
show(lambda: torch.linalg.svd(G.half()))                                # expect: RuntimeError
show(lambda: torch.linalg.qr(T3))                                       # expect: float32[4, 3] [-0.816, 0.408, -0.099, -0.408, -0.816, 0.396, 0.0, -0.408, -0.891, -0.408, 0.0, -0.198] | float32[3, 3] [-2.449, -2.449, -0.816, 0.0, -2.449, -2.449, 0.0, 0.0, -3.367]
show(lambda: torch.linalg.qr(A))                                        # expect: float32[2, 2] [-0.447, -0.894, -0.894, 0.447] | float32[2, 3] [-3.354, 0.447, 0.783, 0.0, 2.012, -0.671]
show(lambda: torch.linalg.qr(T3, mode='complete'))                      # expect: float32[4, 4] [-0.816, 0.408, -0.099, -0.396, -0.408, -0.816, 0.396, -0.099, 0.0, -0.408, -0.891, -0.198, -0.408, 0.0, -0.198, 0.891] | float32[4, 3] [-2.449, -2.449, -0.816, 0.0, -2.449, -2.449, 0.0, 0.0, -3.367, 0.0, 0.0, 0.0]
show(lambda: torch.linalg.qr(T3, mode='r'))                             # expect: float32[0] [] | float32[3, 3] [-2.449, -2.449, -0.816, 0.0, -2.449, -2.449, 0.0, 0.0, -3.367]
show(lambda: torch.linalg.qr(Bt))                                       # expect: float32[2, 3, 3] [-0.447, 0.717, -0.535, 0.0, -0.598, -0.802, -0.894, -0.359, 0.267, -0.963, 0.173, -0.206, -0.241, -0.897, 0.371, -0.12, 0.406, 0.906] | float32[2, 3, 3] [-2.236, -1.789, -1.789, 0.0, 1.673, -0.418, 0.0, 0.0, -4.677, -4.153, -1.565, -0.482, 0.0, -2.924, 1.797, 0.0, 0.0, 1.338]
show(lambda: torch.qr(T3))                                              # expect: float32[4, 3] [-0.816, 0.408, -0.099, -0.408, -0.816, 0.396, 0.0, -0.408, -0.891, -0.408, 0.0, -0.198] | float32[3, 3] [-2.449, -2.449, -0.816, 0.0, -2.449, -2.449, 0.0, 0.0, -3.367]
show(lambda: torch.qr(T3, False))                                       # expect: float32[4, 4] [-0.816, 0.408, -0.099, -0.396, -0.408, -0.816, 0.396, -0.099, 0.0, -0.408, -0.891, -0.198, -0.408, 0.0, -0.198, 0.891] | float32[4, 3] [-2.449, -2.449, -0.816, 0.0, -2.449, -2.449, 0.0, 0.0, -3.367, 0.0, 0.0, 0.0]
show(lambda: torch.linalg.qr(T3, 'x'))                                  # expect: RuntimeError
show(lambda: torch.linalg.eigh(S))                                      # expect: float32[3] [1.06, 3.318, 4.623] | float32[3, 3] [0.32, 0.444, 0.837, -0.559, -0.624, 0.545, -0.765, 0.642, -0.048]
show(lambda: torch.linalg.eigh(S, UPLO='U'))                            # expect: float32[3] [1.06, 3.318, 4.623] | float32[3, 3] [-0.32, -0.444, -0.837, 0.559, 0.624, -0.545, 0.765, -0.642, 0.048]
show(lambda: torch.linalg.eigh(Bt))                                     # expect: float32[2, 3] [-1.934, -0.448, 2.882, 1.06, 3.318, 4.623] | float32[2, 3, 3] [-0.422, -0.555, 0.717, -0.663, 0.729, 0.174, 0.619, 0.402, 0.675, 0.32, 0.444, 0.837, -0.559, -0.624, 0.545, -0.765, 0.642, -0.048]
show(lambda: torch.linalg.eigvalsh(S))                                  # expect: float32[3] [1.06, 3.318, 4.623]
show(lambda: torch.linalg.eigh(A))                                      # expect: RuntimeError
show(lambda: torch.linalg.cholesky(S))                                  # expect: float32[3, 3] [2.0, 0.0, 0.0, 0.5, 1.658, 0.0, 0.25, -0.678, 1.215]
show(lambda: torch.linalg.cholesky(S, upper=True))                      # expect: float32[3, 3] [2.0, 0.5, 0.25, 0.0, 1.658, -0.678, 0.0, 0.0, 1.215]
show(lambda: torch.cholesky(S))                                         # expect: float32[3, 3] [2.0, 0.0, 0.0, 0.5, 1.658, 0.0, 0.25, -0.678, 1.215]
show(lambda: torch.linalg.cholesky(G))                                  # expect: _LinAlgError
show(lambda: torch.linalg.cholesky(torch.stack([S, S * 2])))            # expect: float32[2, 3, 3] [2.0, 0.0, 0.0, 0.5, 1.658, 0.0, 0.25, -0.678, 1.215, 2.828, 0.0, 0.0, 0.707, 2.345, 0.0, 0.354, -0.959, 1.719]
show(lambda: torch.cholesky_solve(v.reshape(3, 1), torch.linalg.cholesky(S)))  # expect: float32[3, 1] [0.154, -0.277, 1.323]
show(lambda: torch.cholesky_inverse(torch.linalg.cholesky(S)))          # expect: float32[3, 3] [0.308, -0.154, -0.154, -0.154, 0.477, 0.277, -0.154, 0.277, 0.677]
show(lambda: torch.linalg.lu(G))                                        # expect: float32[3, 3] [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0] | float32[3, 3] [1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, -0.667, 1.0] | float32[3, 3] [2.0, 1.0, 0.5, 0.0, 1.5, 2.75, 0.0, 0.0, 5.833]
show(lambda: torch.linalg.lu(T3))                                       # expect: float32[4, 4] [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0] | float32[4, 3] [1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.4, 1.0, 0.5, 0.2, 0.222] | float32[3, 3] [2.0, 1.0, 0.0, 0.0, 2.5, 1.0, 0.0, 0.0, 3.6]
show(lambda: torch.linalg.lu(A))                                        # expect: float32[2, 2] [0.0, 1.0, 1.0, 0.0] | float32[2, 2] [1.0, 0.0, 0.5, 1.0] | float32[2, 3] [3.0, 0.5, -1.0, 0.0, -2.25, 0.75]
show(lambda: torch.linalg.lu_factor(G))                                 # expect: float32[3, 3] [2.0, 1.0, 0.5, 0.5, 1.5, 2.75, 0.0, -0.667, 5.833] | int32[3] [3, 3, 3]
show(lambda: torch.linalg.slogdet(G))                                   # expect: float32[] [1.0] | float32[] [2.862]
show(lambda: torch.slogdet(Bt))                                         # expect: float32[2] [1.0, 1.0] | float32[2] [2.862, 2.788]
show(lambda: torch.slogdet(torch.zeros(2, 2)))                          # expect: float32[] [0.0] | float32[] [-inf]
show(lambda: torch.logdet(S))                                           # expect: float32[] [2.788]
show(lambda: torch.logdet(G))                                           # expect: float32[] [2.862]
show(lambda: G.logdet())                                                # expect: float32[] [2.862]
show(lambda: torch.logdet(-torch.eye(3)))                               # expect: float32[] [nan]
show(lambda: torch.det(G))                                              # expect: float32[] [17.5]
show(lambda: torch.linalg.det(Bt))                                      # expect: float32[2] [17.5, 16.25]
show(lambda: torch.linalg.inv(G))                                       # expect: float32[3, 3] [-0.257, 0.114, 0.629, 0.457, -0.314, -0.229, 0.114, 0.171, -0.057]
show(lambda: torch.inverse(Bt))                                         # expect: float32[2, 3, 3] [-0.257, 0.114, 0.629, 0.457, -0.314, -0.229, 0.114, 0.171, -0.057, 0.308, -0.154, -0.154, -0.154, 0.477, 0.277, -0.154, 0.277, 0.677]
show(lambda: torch.linalg.inv(torch.ones(2, 2)))                        # expect: _LinAlgError
show(lambda: torch.linalg.inv(A))                                       # expect: RuntimeError
show(lambda: torch.linalg.solve(G, v))                                  # expect: float32[3] [1.4, 0.4, -0.4]
show(lambda: torch.linalg.solve(G, T3[:3]))                             # expect: float32[3, 3] [-0.4, 0.714, 2.629, 0.6, -0.714, -1.229, 0.4, 0.571, -0.057]
show(lambda: torch.linalg.solve(Bt, Bt))                                # expect: float32[2, 3, 3] [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
show(lambda: torch.linalg.solve(torch.ones(2, 2), torch.ones(2)))       # expect: _LinAlgError
show(lambda: torch.linalg.solve(G, torch.ones(2)))                      # expect: RuntimeError
show(lambda: torch.linalg.solve_triangular(G.triu(), T3[:3], upper=True))  # expect: float32[3, 3] [4.0, -15.0, -86.0, -1.0, 5.0, 31.0, 0.0, 2.0, 8.0]
show(lambda: torch.linalg.solve_triangular(G.tril() + torch.eye(3), T3[:3], upper=False))  # expect: float32[3, 3] [1.0, 0.5, 0.0, inf, inf, inf, -inf, -inf, -inf]
show(lambda: torch.linalg.solve_triangular(G.triu(), T3, upper=True, left=False))  # expect: float32[4, 3] [2.0, 3.0, -36.0, 1.0, -1.0, 4.0, 0.0, -1.0, 16.0, 1.0, 1.0, -12.0]
show(lambda: torch.linalg.solve_triangular(G.triu(), T3[:3], upper=True, unitriangular=True))  # expect: float32[3, 3] [0.0, 0.0, 18.0, 1.0, -1.0, -15.0, 0.0, 1.0, 4.0]
show(lambda: torch.matrix_exp(G))                                       # expect: float32[3, 3] [26.008, 17.985, 40.711, 13.733, 9.74, 22.237, 17.985, 12.426, 28.379]
show(lambda: torch.linalg.matrix_exp(torch.zeros(2, 2)))                # expect: float32[2, 2] [1.0, 0.0, 0.0, 1.0]
show(lambda: torch.linalg.lstsq(T3, torch.ones(4, 2)))                  # expect: float32[3, 2] [0.49, 0.49, 0.098, 0.098, 0.235, 0.235] | float32[0] [] | int64[] [3] | float32[0] []
show(lambda: torch.linalg.lstsq(T3, torch.ones(4, 1)).solution)         # expect: float32[3, 1] [0.49, 0.098, 0.235]
show(lambda: torch.linalg.lstsq(T3, torch.ones(4, 1), driver='gelsd'))  # expect: float32[3, 1] [0.49, 0.098, 0.235] | float32[1] [0.039] | int64[] [3] | float32[3] [4.995, 3.047, 1.327]
show(lambda: torch.linalg.lstsq(T3, torch.ones(4, 1), driver='gels'))   # expect: float32[3, 1] [0.49, 0.098, 0.235] | float32[1] [0.039] | int64[0] [] | float32[0] []
show(lambda: torch.linalg.lstsq(R1, torch.ones(3, 1)).solution)         # expect: float32[2, 1] [0.086, 0.171]
show(lambda: torch.linalg.lstsq(R1, torch.ones(3, 1)).rank)             # expect: int64[] [1]
show(lambda: torch.linalg.lstsq(A, torch.ones(2, 1)).solution)          # expect: float32[3, 1] [0.364, -0.23, -0.024]
show(lambda: torch.linalg.lstsq(G, torch.ones(2, 1)))                   # expect: RuntimeError
show(lambda: torch.linalg.pinv(A))                                      # expect: float32[3, 2] [0.104, 0.26, -0.409, 0.178, 0.107, -0.132]
show(lambda: torch.linalg.pinv(T3))                                     # expect: float32[3, 4] [0.52, -0.245, 0.01, 0.206, -0.196, 0.451, -0.098, -0.059, 0.029, -0.118, 0.265, 0.059]
show(lambda: torch.linalg.pinv(R1))                                     # expect: float32[2, 3] [0.014, 0.029, 0.043, 0.029, 0.057, 0.086]
show(lambda: torch.pinverse(A))                                         # expect: float32[3, 2] [0.104, 0.26, -0.409, 0.178, 0.107, -0.132]
show(lambda: torch.linalg.pinv(G, rcond=0.5))                           # expect: float32[3, 3] [0.125, -0.099, 0.141, 0.143, -0.139, 0.173, 0.083, 0.189, -0.017]
show(lambda: torch.linalg.matrix_rank(R1))                              # expect: int64[] [1]
show(lambda: torch.linalg.matrix_rank(Bt))                              # expect: int64[2] [3, 3]
show(lambda: torch.linalg.matrix_rank(G, 2.0))                          # expect: int64[] [2]
show(lambda: torch.linalg.matrix_rank(G, atol=2.0))                     # expect: int64[] [2]
show(lambda: torch.linalg.matrix_rank(G, rtol=0.6))                     # expect: int64[] [1]
show(lambda: torch.linalg.matrix_rank(torch.zeros(2, 2)))               # expect: int64[] [0]
show(lambda: torch.linalg.cond(G))                                      # expect: float32[] [4.377]
show(lambda: torch.linalg.cond(G, 1))                                   # expect: float32[] [6.857]
show(lambda: torch.linalg.cond(G, 'fro'))                               # expect: float32[] [5.648]
show(lambda: torch.linalg.cond(G, -2))                                  # expect: float32[] [0.228]
show(lambda: torch.linalg.cond(G, float('inf')))                        # expect: float32[] [6.0]
show(lambda: torch.linalg.multi_dot([A, G, T3.t()]))                    # expect: float32[2, 4] [9.25, 14.375, -8.25, 3.875, 6.5, 25.0, 46.5, 16.0]
show(lambda: torch.linalg.multi_dot([v, G, v]))                         # expect: float32[] [-17.5]
show(lambda: torch.linalg.multi_dot([A]))                               # expect: RuntimeError
show(lambda: torch.linalg.vecdot(A, A))                                 # expect: float32[2] [6.312, 10.25]
show(lambda: torch.linalg.vecdot(A, A, dim=0))                          # expect: float32[3] [11.25, 4.25, 1.062]
show(lambda: torch.linalg.diagonal(Bt))                                 # expect: float32[2, 3] [1.0, -1.0, 0.5, 4.0, 3.0, 2.0]
show(lambda: torch.linalg.matrix_norm(A))                               # expect: float32[] [4.07]
show(lambda: torch.linalg.matrix_norm(Bt))                              # expect: float32[2] [6.021, 5.788]
show(lambda: torch.linalg.matrix_norm(A, 1))                            # expect: float32[] [4.5]
show(lambda: torch.linalg.matrix_norm(A, -1))                           # expect: float32[] [1.25]
show(lambda: torch.linalg.matrix_norm(A, float('inf')))                 # expect: float32[] [4.5]
show(lambda: torch.linalg.matrix_norm(A, 2))                            # expect: float32[] [3.476]
show(lambda: torch.linalg.matrix_norm(A, -2))                           # expect: float32[] [2.117]
show(lambda: torch.linalg.matrix_norm(A, 'nuc'))                        # expect: float32[] [5.593]
show(lambda: torch.linalg.matrix_norm(A, 3))                            # expect: RuntimeError
show(lambda: torch.linalg.matrix_norm(A, 'x'))                          # expect: RuntimeError
show(lambda: torch.linalg.matrix_norm(Bt, 1, dim=(0, 1)))               # expect: float32[3] [5.0, 4.0, 5.0]
show(lambda: torch.linalg.matrix_norm(Bt, 1, dim=(0, 2), keepdim=True))  # expect: float32[1, 3, 1] [5.0, 5.0, 2.5]
show(lambda: torch.linalg.matrix_norm(v))                               # expect: RuntimeError
show(lambda: torch.linalg.norm(A))                                      # expect: float32[] [4.07]
show(lambda: torch.linalg.norm(Bt))                                     # expect: float32[] [8.352]
show(lambda: torch.linalg.norm(A, 2))                                   # expect: float32[] [3.476]
show(lambda: torch.linalg.norm(A, 1))                                   # expect: float32[] [4.5]
show(lambda: torch.linalg.norm(A, 'fro'))                               # expect: float32[] [4.07]
show(lambda: torch.linalg.norm(A, 'nuc'))                               # expect: float32[] [5.593]
show(lambda: torch.linalg.norm(v, 1))                                   # expect: float32[] [6.0]
show(lambda: torch.linalg.norm(v, float('inf')))                        # expect: float32[] [3.0]
show(lambda: torch.linalg.norm(v, 3))                                   # expect: float32[] [3.302]
show(lambda: torch.linalg.norm(v, 0))                                   # expect: float32[] [3.0]
show(lambda: torch.linalg.norm(A, dim=1))                               # expect: float32[2] [2.512, 3.202]
show(lambda: torch.linalg.norm(A, dim=(0, 1)))                          # expect: float32[] [4.07]
show(lambda: torch.linalg.norm(A, 1, dim=0))                            # expect: float32[3] [4.5, 2.5, 1.25]
show(lambda: torch.linalg.norm(A, 1, dim=(0, 1)))                       # expect: float32[] [4.5]
show(lambda: torch.linalg.norm(A, dim=1, keepdim=True))                 # expect: float32[2, 1] [2.512, 3.202]
show(lambda: torch.linalg.norm(I))                                      # expect: RuntimeError
show(lambda: torch.linalg.norm(Bt, 2))                                  # expect: RuntimeError
show(lambda: torch.linalg.norm(v, 'fro'))                               # expect: RuntimeError
show(lambda: torch.linalg.norm(A, dtype=torch.float64))                 # expect: float64[] [4.07]
show(lambda: torch.linalg.vector_norm(A))                               # expect: float32[] [4.07]
show(lambda: torch.linalg.vector_norm(A, 1, dim=1))                     # expect: float32[2] [3.75, 4.5]
show(lambda: torch.norm(A))                                             # expect: float32[] [4.07]
show(lambda: torch.norm(A, p='nuc'))                                    # expect: float32[] [5.593]
show(lambda: torch.norm(A, p='fro'))                                    # expect: float32[] [4.07]
show(lambda: torch.norm(A, float('inf')))                               # expect: float32[] [3.0]
show(lambda: torch.norm(A, p=None))                                     # expect: float32[] [4.07]
show(lambda: torch.norm(A, 1, 0))                                       # expect: float32[3] [4.5, 2.5, 1.25]
show(lambda: torch.norm(A, p=2, dim=1))                                 # expect: float32[2] [2.512, 3.202]
show(lambda: torch.norm(Bt, p='nuc', dim=(0, 1)))                       # expect: float32[3] [6.156, 5.723, 7.303]
show(lambda: A.norm(p=1))                                               # expect: float32[] [8.25]
show(lambda: A.norm(2, 0))                                              # expect: float32[3] [3.354, 2.062, 1.031]
show(lambda: A.norm(dim=1, keepdim=True))                               # expect: float32[2, 1] [2.512, 3.202]
show(lambda: A.norm('fro'))                                             # expect: float32[] [4.07]
show(lambda: A.norm(0))                                                 # expect: float32[] [6.0]
show(lambda: torch.norm(A, float('-inf'), dim=1))                       # expect: float32[2] [0.25, 0.5]
show(lambda: torch.norm(I))                                             # expect: RuntimeError
show(lambda: torch.linalg.matrix_power(G, 3))                           # expect: float32[3, 3] [32.0, 23.5, 39.25, 4.0, 9.0, 43.0, 23.5, 12.75, 28.125]
show(lambda: torch.matrix_power(G, -1))                                 # expect: float32[3, 3] [-0.257, 0.114, 0.629, 0.457, -0.314, -0.229, 0.114, 0.171, -0.057]
show(lambda: torch.linalg.cross(v, v + 1))                              # expect: float32[3] [-5.0, 2.0, 3.0]

# The singular vectors' signs are the library's; their product is not. Results lie by columns, as LAPACK leaves them.
U, s, Vh = torch.linalg.svd(T3, full_matrices=False)
print(torch.allclose(U @ torch.diag(s) @ Vh, T3, atol=1e-5), U.stride(), Vh.stride())  # expect: True (1, 4) (1, 3)
U, s, V = torch.svd(Bt)
print(torch.allclose(U @ torch.diag_embed(s) @ V.mT, Bt, atol=1e-5), V.stride())        # expect: True (9, 3, 1)
print(torch.linalg.inv(G).stride(), torch.linalg.solve(G, G).stride())                  # expect: (1, 3) (1, 3)
try:
    torch.linalg.inv(torch.ones(2, 2))
except torch.linalg.LinAlgError as error:
    print(isinstance(error, RuntimeError), type(error).__name__)                        # expect: True _LinAlgError
torch.linalg.cholesky(G)                                                                # fails: _LinAlgError
