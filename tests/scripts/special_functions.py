# Element-wise operations of several operands, and the functions beyond the everyday ones.
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
P = torch.tensor([[0.5, 0.1, 0.25], [0.3, 0.9, 1.0]])
TT = torch.tensor([[1., 0., 1.], [0., 1., 0.5]])
I = torch.tensor([[3, -1, 2], [0, 5, 1]])
Y = torch.tensor([2, 0])
W = torch.tensor([0.5, 2.0, 1.0])
Q = torch.arange(24.0).reshape(2, 3, 4) / 10
D = A.double()
H = A.half()
N = torch.tensor([float('nan'), float('inf'), -float('inf'), 0.0, 1.0])
show(lambda: torch.lerp(A, Bm, 0.3))                                    # expect: float32[2, 3] [1.65, -1.1, 1.375, 2.25, 1.25, -0.1]
show(lambda: torch.lerp(A, Bm, P))                                      # expect: float32[2, 3] [1.75, -1.7, 1.188, 2.25, 2.75, 2.0]
show(lambda: torch.lerp(I, I, 1))                                       # expect: RuntimeError
show(lambda: torch.addcmul(A, Bm, P, value=2))                          # expect: float32[2, 3] [3.5, -1.8, 2.25, 3.3, 5.9, 3.0]
show(lambda: torch.addcmul(I, I, I))                                    # expect: int64[2, 3] [12, 0, 6, 0, 30, 2]
show(lambda: torch.addcmul(A, Bm[0], P[:, :1]))                         # expect: float32[2, 3] [2.5, -1.5, 2.25, 3.6, 0.8, 0.2]
show(lambda: torch.addcdiv(A, Bm, P))                                   # expect: float32[2, 3] [5.5, 8.0, 16.25, 4.667, 3.833, 1.0]
show(lambda: torch.nan_to_num(N))                                       # expect: float32[5] [0.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 0.0, 1.0]
show(lambda: torch.nan_to_num(N, 1.0, 2.0, 3.0))                        # expect: float32[5] [1.0, 2.0, 3.0, 0.0, 1.0]
show(lambda: torch.nan_to_num(N.half()))                                # expect: float16[5] [0.0, 65504.0, -65504.0, 0.0, 1.0]
show(lambda: torch.nan_to_num(I))                                       # expect: int64[2, 3] [3, -1, 2, 0, 5, 1]
show(lambda: torch.round(A * 1.2345, decimals=2))                       # expect: float32[2, 3] [1.85, -2.47, 0.31, 3.7, 0.62, -1.23]
show(lambda: torch.isclose(A, A + 1e-9))                                # expect: bool[2, 3] [True, True, True, True, True, True]
show(lambda: torch.isclose(I, I))                                       # expect: bool[2, 3] [True, True, True, True, True, True]
show(lambda: torch.isclose(N, N, equal_nan=True))                       # expect: bool[5] [True, True, True, True, True]
show(lambda: torch.where(A > 0, A, Bm))                                 # expect: float32[2, 3] [1.5, 1.0, 0.25, 3.0, 0.5, 2.0]
show(lambda: torch.where(A > 0, A, 0))                                  # expect: float32[2, 3] [1.5, 0.0, 0.25, 3.0, 0.5, 0.0]
show(lambda: torch.where(A.t() > 0, A.t(), Bm.t()))                     # expect: float32[3, 2] [1.5, 3.0, 1.0, 0.5, 0.25, 2.0]
show(lambda: torch.where(A > 0, 1, 2.5))                                # expect: float32[2, 3] [1.0, 2.5, 1.0, 1.0, 1.0, 2.5]
show(lambda: torch.where(A > 0, A, Bm[0]))                              # expect: float32[2, 3] [1.5, 1.0, 0.25, 3.0, 0.5, 4.0]
show(lambda: torch.where(A[:, :1] > 0, Q[0, :2, :3], Q[1, :2, :1]))     # expect: float32[2, 3] [0.0, 0.1, 0.2, 0.4, 0.5, 0.6]
show(lambda: A.masked_fill(A > 0, 5))                                   # expect: float32[2, 3] [5.0, -2.0, 5.0, 5.0, 5.0, -1.0]
show(lambda: A.t().masked_fill(A.t() > 0, 5))                           # expect: float32[3, 2] [5.0, 5.0, -2.0, 5.0, 5.0, -1.0]
show(lambda: A.clone().masked_fill_(W > 0.7, 9))                        # expect: float32[2, 3] [1.5, 9.0, 9.0, 3.0, 9.0, 9.0]
show(lambda: I.masked_fill(I > 0, 2.7))                                 # expect: int64[2, 3] [2, -1, 2, 0, 2, 2]
show(lambda: torch.asinh(A))                                            # expect: float32[2, 3] [1.195, -1.444, 0.247, 1.818, 0.481, -0.881]
show(lambda: torch.acosh(A))                                            # expect: float32[2, 3] [0.962, nan, nan, 1.763, nan, nan]
show(lambda: torch.atanh(P))                                            # expect: float32[2, 3] [0.549, 0.1, 0.255, 0.31, 1.472, inf]
show(lambda: torch.arctanh(P))                                          # expect: float32[2, 3] [0.549, 0.1, 0.255, 0.31, 1.472, inf]
show(lambda: torch.erfinv(P))                                           # expect: float32[2, 3] [0.477, 0.089, 0.225, 0.272, 1.163, inf]
show(lambda: torch.erfinv(-P))                                          # expect: float32[2, 3] [-0.477, -0.089, -0.225, -0.272, -1.163, -inf]
show(lambda: torch.lgamma(Bm))                                          # expect: float32[2, 3] [0.0, 0.0, 1.792, 0.572, 0.693, 0.0]
show(lambda: torch.lgamma(I))                                           # expect: float32[2, 3] [0.693, inf, 0.0, inf, 3.178, 0.0]
show(lambda: torch.digamma(Bm))                                         # expect: float32[2, 3] [0.423, -0.577, 1.256, -1.964, 0.923, 0.423]
show(lambda: torch.digamma(A))                                          # expect: float32[2, 3] [0.036, nan, -4.227, 0.923, -1.964, nan]
show(lambda: torch.digamma(I))                                          # expect: float32[2, 3] [0.923, nan, 0.423, -inf, 1.506, -0.577]
show(lambda: torch.sinc(A))                                             # expect: float32[2, 3] [-0.212, 0.0, 0.9, 0.0, 0.637, 0.0]
show(lambda: torch.sinc(N))                                             # expect: float32[5] [nan, nan, nan, 1.0, 0.0]
show(lambda: torch.i0(A))                                               # expect: float32[2, 3] [1.647, 2.28, 1.016, 4.881, 1.063, 1.266]
show(lambda: torch.signbit(A))                                          # expect: bool[2, 3] [False, True, False, False, False, True]
show(lambda: torch.isposinf(N))                                         # expect: bool[5] [False, True, False, False, False]
show(lambda: torch.isneginf(N))                                         # expect: bool[5] [False, False, True, False, False]
show(lambda: torch.isreal(A))                                           # expect: bool[2, 3] [True, True, True, True, True, True]
show(lambda: torch.angle(A))                                            # expect: float32[2, 3] [0.0, 3.142, 0.0, 0.0, 0.0, 3.142]
show(lambda: torch.copysign(A, -1.0))                                   # expect: float32[2, 3] [-1.5, -2.0, -0.25, -3.0, -0.5, -1.0]
show(lambda: torch.copysign(Bm, A))                                     # expect: float32[2, 3] [2.0, -1.0, 4.0, 0.5, 3.0, -2.0]
show(lambda: torch.copysign(I, A))                                      # expect: float32[2, 3] [3.0, -1.0, 2.0, 0.0, 5.0, -1.0]
show(lambda: torch.nextafter(A, Bm) - A)                                # expect: float32[2, 3] [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
show(lambda: torch.heaviside(A, W))                                     # expect: float32[2, 3] [1.0, 0.0, 1.0, 1.0, 1.0, 0.0]
show(lambda: torch.heaviside(A, I))                                     # expect: RuntimeError
show(lambda: torch.xlogy(A, Bm))                                        # expect: float32[2, 3] [1.04, 0.0, 0.347, -2.079, 0.549, -0.693]
show(lambda: torch.xlogy(A, 2))                                         # expect: float32[2, 3] [1.04, -1.386, 0.173, 2.079, 0.347, -0.693]
show(lambda: torch.xlogy(0, A))                                         # expect: float32[2, 3] [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
show(lambda: torch.xlogy(I, I))                                         # expect: float32[2, 3] [3.296, nan, 1.386, 0.0, 8.047, 0.0]
show(lambda: torch.logaddexp2(A, Bm))                                   # expect: float32[2, 3] [2.772, 1.17, 4.103, 3.235, 3.235, 2.17]
show(lambda: torch.logaddexp(N, N))                                     # expect: float32[5] [nan, inf, -inf, 0.693, 1.693]
show(lambda: torch.gcd(I, torch.tensor(4)))                             # expect: int64[2, 3] [1, 1, 2, 4, 1, 1]
show(lambda: torch.gcd(I * 12, I * 18))                                 # expect: int64[2, 3] [18, 6, 12, 0, 30, 6]
show(lambda: torch.lcm(I, I + 1))                                       # expect: int64[2, 3] [12, 0, 6, 0, 30, 2]
show(lambda: torch.gcd(A, A))                                           # expect: RuntimeError
show(lambda: torch.float_power(A, 2))                                   # expect: float64[2, 3] [2.25, 4.0, 0.062, 9.0, 0.25, 1.0]
show(lambda: torch.float_power(2, I))                                   # expect: float64[2, 3] [8.0, 0.5, 4.0, 1.0, 32.0, 2.0]
show(lambda: torch.float_power(I, I))                                   # expect: float64[2, 3] [27.0, -1.0, 4.0, 1.0, 3125.0, 1.0]
show(lambda: torch.ldexp(A, I))                                         # expect: float32[2, 3] [12.0, -1.0, 1.0, 3.0, 16.0, -2.0]
show(lambda: torch.ldexp(A, torch.tensor(2)))                           # expect: float32[2, 3] [6.0, -8.0, 1.0, 12.0, 2.0, -4.0]
show(lambda: torch.frexp(A * 10))                                       # expect: float32[2, 3] [0.938, -0.625, 0.625, 0.938, 0.625, -0.625] | int32[2, 3] [4, 5, 2, 5, 3, 4]
show(lambda: torch.logit(P, 0.2))                                       # expect: float32[2, 3] [0.0, -1.386, -1.099, -0.847, 1.386, 1.386]
show(lambda: torch.logit(P, eps=1e-6))                                  # expect: float32[2, 3] [0.0, -2.197, -1.099, -0.847, 2.197, 13.802]
show(lambda: torch.logit(P))                                            # expect: float32[2, 3] [0.0, -2.197, -1.099, -0.847, 2.197, inf]
show(lambda: torch.positive(A))                                         # expect: float32[2, 3] [1.5, -2.0, 0.25, 3.0, 0.5, -1.0]
show(lambda: torch.mvlgamma(Bm + 2, 2))                                 # expect: float32[2, 3] [3.565, 1.55, 9.318, 0.857, 6.204, 3.565]

# Operations in place are functions of torch too.
x = torch.zeros(3)
print(torch.sin_(x) is x, torch.exp_(x), torch.relu_(x) is x, F.relu_(x) is x)  # expect: True tensor([1., 1., 1.]) True True
print(hasattr(torch, "add_"))                                                   # expect: False
