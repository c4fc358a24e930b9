# Activations, losses and norms of torch.nn.functional, value by value.
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
show(lambda: F.relu(A))                                                 # expect: float32[2, 3] [1.5, 0.0, 0.25, 3.0, 0.5, 0.0]
show(lambda: F.relu(A, inplace=False))                                  # expect: float32[2, 3] [1.5, 0.0, 0.25, 3.0, 0.5, 0.0]
show(lambda: F.relu(I))                                                 # expect: int64[2, 3] [3, 0, 2, 0, 5, 1]
show(lambda: F.relu(A.clone(), True))                                   # expect: float32[2, 3] [1.5, 0.0, 0.25, 3.0, 0.5, 0.0]
show(lambda: F.gelu(A))                                                 # expect: float32[2, 3] [1.4, -0.046, 0.15, 2.996, 0.346, -0.159]
show(lambda: F.gelu(A, approximate='tanh'))                             # expect: float32[2, 3] [1.4, -0.045, 0.15, 2.996, 0.346, -0.159]
show(lambda: F.gelu(D))                                                 # expect: float64[2, 3] [1.4, -0.046, 0.15, 2.996, 0.346, -0.159]
show(lambda: F.gelu(I))                                                 # expect: RuntimeError
show(lambda: F.silu(A))                                                 # expect: float32[2, 3] [1.226, -0.238, 0.141, 2.858, 0.311, -0.269]
show(lambda: F.silu(N))                                                 # expect: float32[5] [nan, inf, nan, 0.0, 0.731]
show(lambda: F.silu(H))                                                 # expect: float16[2, 3] [1.227, -0.238, 0.141, 2.857, 0.311, -0.269]
show(lambda: F.mish(A))                                                 # expect: float32[2, 3] [1.403, -0.253, 0.17, 2.987, 0.375, -0.303]
show(lambda: F.elu(A))                                                  # expect: float32[2, 3] [1.5, -0.865, 0.25, 3.0, 0.5, -0.632]
show(lambda: F.elu(A, 2.0))                                             # expect: float32[2, 3] [1.5, -1.729, 0.25, 3.0, 0.5, -1.264]
show(lambda: F.elu(A, alpha=0.5))                                       # expect: float32[2, 3] [1.5, -0.432, 0.25, 3.0, 0.5, -0.316]
show(lambda: F.selu(A))                                                 # expect: float32[2, 3] [1.576, -1.52, 0.263, 3.152, 0.525, -1.111]
show(lambda: torch.selu(A))                                             # expect: float32[2, 3] [1.576, -1.52, 0.263, 3.152, 0.525, -1.111]
show(lambda: F.celu(A, 2.0))                                            # expect: float32[2, 3] [1.5, -1.264, 0.25, 3.0, 0.5, -0.787]
show(lambda: F.leaky_relu(A))                                           # expect: float32[2, 3] [1.5, -0.02, 0.25, 3.0, 0.5, -0.01]
show(lambda: F.leaky_relu(A, 0.2))                                      # expect: float32[2, 3] [1.5, -0.4, 0.25, 3.0, 0.5, -0.2]
show(lambda: F.leaky_relu(I))                                           # expect: RuntimeError
show(lambda: F.hardtanh(A))                                             # expect: float32[2, 3] [1.0, -1.0, 0.25, 1.0, 0.5, -1.0]
show(lambda: F.hardtanh(A, -0.5, 0.5))                                  # expect: float32[2, 3] [0.5, -0.5, 0.25, 0.5, 0.5, -0.5]
show(lambda: F.hardtanh(I))                                             # expect: int64[2, 3] [1, -1, 1, 0, 1, 1]
show(lambda: F.hardtanh(N))                                             # expect: float32[5] [nan, 1.0, -1.0, 0.0, 1.0]
show(lambda: F.relu6(A * 5))                                            # expect: float32[2, 3] [6.0, 0.0, 1.25, 6.0, 2.5, 0.0]
show(lambda: F.hardsigmoid(A))                                          # expect: float32[2, 3] [0.75, 0.167, 0.542, 1.0, 0.583, 0.333]
show(lambda: F.hardswish(A))                                            # expect: float32[2, 3] [1.125, -0.333, 0.135, 3.0, 0.292, -0.333]
show(lambda: F.softplus(A))                                             # expect: float32[2, 3] [1.701, 0.127, 0.826, 3.049, 0.974, 0.313]
show(lambda: F.softplus(A, 2, 1))                                       # expect: float32[2, 3] [1.5, 0.009, 0.487, 3.0, 0.657, 0.063]
show(lambda: F.softplus(A * 30))                                        # expect: float32[2, 3] [45.0, 0.0, 7.501, 90.0, 15.0, 0.0]
show(lambda: F.softshrink(A))                                           # expect: float32[2, 3] [1.0, -1.5, 0.0, 2.5, 0.0, -0.5]
show(lambda: F.hardshrink(A))                                           # expect: float32[2, 3] [1.5, -2.0, 0.0, 3.0, 0.0, -1.0]
show(lambda: F.threshold(A, 0.3, 20))                                   # expect: float32[2, 3] [1.5, 20.0, 20.0, 3.0, 0.5, 20.0]
show(lambda: F.threshold(I, 1, 20))                                     # expect: int64[2, 3] [3, 20, 2, 20, 5, 20]
show(lambda: F.logsigmoid(A))                                           # expect: float32[2, 3] [-0.201, -2.127, -0.576, -0.049, -0.474, -1.313]
show(lambda: F.logsigmoid(A * 100))                                     # expect: float32[2, 3] [0.0, -200.0, 0.0, 0.0, 0.0, -100.0]
show(lambda: F.tanhshrink(A))                                           # expect: float32[2, 3] [0.595, -1.036, 0.005, 2.005, 0.038, -0.238]
show(lambda: F.softsign(A))                                             # expect: float32[2, 3] [0.6, -0.667, 0.2, 0.75, 0.333, -0.5]
show(lambda: F.prelu(A, torch.tensor([0.25])))                          # expect: float32[2, 3] [1.5, -0.5, 0.25, 3.0, 0.5, -0.25]
show(lambda: F.prelu(A, W))                                             # expect: float32[2, 3] [1.5, -4.0, 0.25, 3.0, 0.5, -1.0]
show(lambda: F.glu(Q))                                                  # expect: float32[2, 3, 2] [0.0, 0.057, 0.258, 0.334, 0.585, 0.675, 0.963, 1.063, 1.373, 1.479, 1.8, 1.909]
show(lambda: F.glu(A))                                                  # expect: RuntimeError
show(lambda: F.glu(Q, 0))                                               # expect: float32[1, 3, 4] [0.0, 0.079, 0.16, 0.245, 0.333, 0.423, 0.515, 0.609, 0.705, 0.802, 0.9, 1.0]
show(lambda: F.softmin(A, dim=1))                                       # expect: float32[2, 3] [0.027, 0.881, 0.093, 0.015, 0.18, 0.806]
show(lambda: F.softmax(A, dim=1))                                       # expect: float32[2, 3] [0.759, 0.023, 0.218, 0.909, 0.075, 0.017]
show(lambda: F.softmax(A))                                              # expect: float32[2, 3] [0.759, 0.023, 0.218, 0.909, 0.075, 0.017]
show(lambda: F.log_softmax(A, 0))                                       # expect: float32[2, 3] [-1.701, -2.579, -0.252, -0.201, -0.079, -1.502]
show(lambda: F.softmax(A, dim=-1, dtype=torch.float64))                 # expect: float64[2, 3] [0.759, 0.023, 0.218, 0.909, 0.075, 0.017]
show(lambda: F.linear(A, Bm))                                           # expect: float32[2, 2] [2.0, -4.75, 2.5, 1.0]
show(lambda: F.linear(A, Bm, torch.tensor([1., 2.])))                   # expect: float32[2, 2] [3.0, -2.75, 3.5, 3.0]
show(lambda: F.linear(A, W))                                            # expect: float32[2] [-3.0, 1.5]
show(lambda: F.linear(Q, torch.ones(5, 4)))                             # expect: float32[2, 3, 5] [0.6, 0.6, 0.6, 0.6, 0.6, 2.2, 2.2, 2.2, 2.2, 2.2, 3.8, 3.8, 3.8, 3.8, 3.8, 5.4, 5.4, 5.4, 5.4, 5.4, 7.0, 7.0, 7.0, 7.0, 7.0, 8.6, 8.6, 8.6, 8.6, 8.6]
show(lambda: F.linear(A, torch.ones(2, 2)))                             # expect: RuntimeError
show(lambda: F.embedding(Y, A))                                         # expect: IndexError
show(lambda: F.embedding(Y.reshape(2, 1), A.t()))                       # expect: float32[2, 1, 2] [0.25, -1.0, 1.5, 3.0]
show(lambda: F.embedding(torch.tensor([5]), A))                         # expect: IndexError
show(lambda: F.embedding(A, A))                                         # expect: RuntimeError
show(lambda: F.one_hot(Y))                                              # expect: int64[2, 3] [0, 0, 1, 1, 0, 0]
show(lambda: F.one_hot(Y, 5))                                           # expect: int64[2, 5] [0, 0, 1, 0, 0, 1, 0, 0, 0, 0]
show(lambda: F.one_hot(Y, 2))                                           # expect: RuntimeError
show(lambda: F.one_hot(torch.tensor([[0, 1], [2, 1]]), num_classes=3))  # expect: int64[2, 2, 3] [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0]
show(lambda: F.one_hot(torch.tensor(2)))                                # expect: int64[3] [0, 0, 1]
show(lambda: F.one_hot(A))                                              # expect: RuntimeError
show(lambda: F.normalize(A))                                            # expect: float32[2, 3] [0.597, -0.796, 0.1, 0.937, 0.156, -0.312]
show(lambda: F.normalize(A, dim=0))                                     # expect: float32[2, 3] [0.447, -0.97, 0.243, 0.894, 0.243, -0.97]
show(lambda: F.normalize(A, p=1, dim=1))                                # expect: float32[2, 3] [0.4, -0.533, 0.067, 0.667, 0.111, -0.222]
show(lambda: F.normalize(W, dim=0))                                     # expect: float32[3] [0.218, 0.873, 0.436]
show(lambda: F.cosine_similarity(A, Bm))                                # expect: float32[2] [0.174, 0.086]
show(lambda: F.cosine_similarity(A, Bm, dim=0))                         # expect: float32[3] [0.651, -0.077, -0.217]
show(lambda: F.cosine_similarity(A, W))                                 # expect: float32[2] [-0.521, 0.204]
show(lambda: torch.cosine_similarity(A, Bm, dim=1))                     # expect: float32[2] [0.174, 0.086]
show(lambda: F.pairwise_distance(A, Bm))                                # expect: float32[2] [4.828, 4.637]
show(lambda: F.pairwise_distance(A, Bm, p=1, keepdim=True))             # expect: float32[2, 1] [7.25, 8.0]
show(lambda: F.layer_norm(A, (3,)))                                     # expect: float32[2, 3] [1.093, -1.323, 0.23, 1.313, -0.202, -1.111]
show(lambda: F.layer_norm(A, [3], W, W))                                # expect: float32[2, 3] [1.047, -0.647, 1.23, 1.157, 1.596, -0.111]
show(lambda: F.layer_norm(A, (2, 3)))                                   # expect: float32[2, 3] [0.695, -1.467, -0.077, 1.622, 0.077, -0.85]
show(lambda: F.layer_norm(A, (2,)))                                     # expect: RuntimeError
show(lambda: F.layer_norm(Q, (4,), eps=1e-3))                           # expect: float32[2, 3, 4] [-1.291, -0.43, 0.43, 1.291, -1.291, -0.43, 0.43, 1.291, -1.291, -0.43, 0.43, 1.291, -1.291, -0.43, 0.43, 1.291, -1.291, -0.43, 0.43, 1.291, -1.291, -0.43, 0.43, 1.291]
show(lambda: F.group_norm(torch.arange(24.).reshape(2, 4, 3), 2))       # expect: float32[2, 4, 3] [-1.464, -0.878, -0.293, 0.293, 0.878, 1.464, -1.464, -0.878, -0.293, 0.293, 0.878, 1.464, -1.464, -0.878, -0.293, 0.293, 0.878, 1.464, -1.464, -0.878, -0.293, 0.293, 0.878, 1.464]
show(lambda: F.batch_norm(A, torch.zeros(3), torch.ones(3)))            # expect: float32[2, 3] [1.5, -2.0, 0.25, 3.0, 0.5, -1.0]
show(lambda: F.batch_norm(A, torch.zeros(3), torch.ones(3), training=True))  # expect: float32[2, 3] [-1.0, -1.0, 1.0, 1.0, 1.0, -1.0]
show(lambda: F.batch_norm(A, W, W))                                     # expect: float32[2, 3] [1.414, -2.828, -0.75, 3.535, -1.061, -2.0]
show(lambda: F.batch_norm(Q, None, None, training=True))                # expect: float32[2, 3, 4] [-1.229, -1.065, -0.901, -0.737, -1.229, -1.065, -0.901, -0.737, -1.229, -1.065, -0.901, -0.737, 0.737, 0.901, 1.065, 1.229, 0.737, 0.901, 1.065, 1.229, 0.737, 0.901, 1.065, 1.229]
show(lambda: F.batch_norm(Q, None, None, W, W, True))                   # expect: float32[2, 3, 4] [-0.114, -0.032, 0.049, 0.131, -0.458, -0.13, 0.198, 0.525, -0.229, -0.065, 0.099, 0.263, 0.869, 0.951, 1.032, 1.114, 3.475, 3.802, 4.13, 4.458, 1.737, 1.901, 2.065, 2.229]
show(lambda: F.instance_norm(Q))                                        # expect: float32[2, 3, 4] [-1.341, -0.447, 0.447, 1.341, -1.341, -0.447, 0.447, 1.341, -1.341, -0.447, 0.447, 1.341, -1.341, -0.447, 0.447, 1.341, -1.341, -0.447, 0.447, 1.341, -1.341, -0.447, 0.447, 1.341]
show(lambda: F.rms_norm(A, (3,)))                                       # expect: float32[2, 3] [1.034, -1.379, 0.172, 1.623, 0.271, -0.541]
show(lambda: F.mse_loss(A, Bm))                                         # expect: float32[] [7.469]
show(lambda: F.mse_loss(A, Bm, reduction='sum'))                        # expect: float32[] [44.812]
show(lambda: F.mse_loss(A, Bm, reduction='none'))                       # expect: float32[2, 3] [0.25, 9.0, 14.062, 6.25, 6.25, 9.0]
show(lambda: F.mse_loss(A, Bm, reduction='xx'))                         # expect: ValueError
show(lambda: F.mse_loss(A, Bm.double()))                                # expect: float64[] [7.469]
show(lambda: F.mse_loss(I, I))                                          # expect: RuntimeError
show(lambda: F.mse_loss(A, I))                                          # expect: float32[] [6.594]
show(lambda: F.l1_loss(A, Bm))                                          # expect: float32[] [2.542]
show(lambda: F.l1_loss(A, Bm, reduction='none'))                        # expect: float32[2, 3] [0.5, 3.0, 3.75, 2.5, 2.5, 3.0]
show(lambda: F.smooth_l1_loss(A, Bm))                                   # expect: float32[] [2.062]
show(lambda: F.smooth_l1_loss(A, Bm, beta=0.5))                         # expect: float32[] [2.292]
show(lambda: F.smooth_l1_loss(A, Bm, beta=0))                           # expect: float32[] [2.542]
show(lambda: F.huber_loss(A, Bm, delta=0.7))                            # expect: float32[] [1.538]
show(lambda: F.huber_loss(A, Bm, reduction='sum'))                      # expect: float32[] [12.375]
show(lambda: F.binary_cross_entropy(P, TT))                             # expect: float32[] [8.774]
show(lambda: F.binary_cross_entropy(P, TT, reduction='none'))           # expect: float32[2, 3] [0.693, 0.105, 1.386, 0.357, 0.105, 50.0]
show(lambda: F.binary_cross_entropy(P, TT, weight=Bm))                  # expect: float32[] [17.922]
show(lambda: F.binary_cross_entropy(A, TT))                             # expect: RuntimeError
show(lambda: F.binary_cross_entropy(P, TT[0]))                          # expect: ValueError
show(lambda: F.binary_cross_entropy_with_logits(A, TT))                 # expect: float32[] [0.873]
show(lambda: F.binary_cross_entropy_with_logits(A, TT, reduction='none'))  # expect: float32[2, 3] [0.201, 0.127, 0.576, 3.049, 0.474, 0.813]
show(lambda: F.binary_cross_entropy_with_logits(A, TT, pos_weight=W))   # expect: float32[] [0.936]
show(lambda: F.binary_cross_entropy_with_logits(A, TT, weight=W, reduction='sum'))  # expect: float32[] [4.216]
show(lambda: F.kl_div(A, P))                                            # expect: float32[] [-0.39]
show(lambda: F.kl_div(A, P, reduction='batchmean'))                     # expect: float32[] [-1.171]
show(lambda: F.kl_div(A, P, reduction='sum', log_target=True))          # expect: float32[] [3.448]
show(lambda: F.kl_div(A, TT, reduction='none'))                         # expect: float32[2, 3] [-1.5, 0.0, -0.25, 0.0, -0.5, 0.153]
show(lambda: F.nll_loss(A, Y))                                          # expect: float32[] [-1.625]
show(lambda: F.nll_loss(A, Y, weight=W))                                # expect: float32[] [-1.167]
show(lambda: F.nll_loss(A, Y, reduction='none'))                        # expect: float32[2] [-0.25, -3.0]
show(lambda: F.nll_loss(A, Y, reduction='sum'))                         # expect: float32[] [-3.25]
show(lambda: F.nll_loss(A, torch.tensor([2, -100])))                    # expect: float32[] [-0.25]
show(lambda: F.nll_loss(A, torch.tensor([2, 5])))                       # expect: IndexError
show(lambda: F.nll_loss(A, torch.tensor([2, 1, 0])))                    # expect: ValueError
show(lambda: F.nll_loss(A, Y.float()))                                  # expect: RuntimeError
show(lambda: F.nll_loss(A[0], torch.tensor(1)))                         # expect: float32[] [2.0]
show(lambda: F.cross_entropy(A, Y))                                     # expect: float32[] [0.81]
show(lambda: F.cross_entropy(A, Y, W))                                  # expect: float32[] [1.049]
show(lambda: F.cross_entropy(A, Y, reduction='none'))                   # expect: float32[2] [1.525, 0.096]
show(lambda: F.cross_entropy(A, Y, label_smoothing=0.1))                # expect: float32[] [0.935]
show(lambda: F.cross_entropy(A, Y, W, label_smoothing=0.1))             # expect: float32[] [1.356]
show(lambda: F.cross_entropy(A, Y, reduction='none', label_smoothing=0.1))  # expect: float32[2] [1.558, 0.312]
show(lambda: F.cross_entropy(A, P))                                     # expect: float32[] [3.678]
show(lambda: F.cross_entropy(A, P, W, label_smoothing=0.2))             # expect: float32[] [4.613]
show(lambda: F.cross_entropy(A, P, reduction='sum'))                    # expect: float32[] [7.357]
show(lambda: F.cross_entropy(A, torch.tensor([2, -100])))               # expect: float32[] [1.525]
show(lambda: F.cross_entropy(A, torch.tensor([2, -1]), ignore_index=-1))  # expect: float32[] [1.525]
show(lambda: F.cross_entropy(A, Y.float()))                             # expect: RuntimeError
show(lambda: F.cross_entropy(A, torch.tensor([3, 0])))                  # expect: IndexError
show(lambda: F.cross_entropy(Q, torch.zeros(2, 4, dtype=torch.long)))   # expect: float32[] [1.551]
show(lambda: F.cross_entropy(A[0], torch.tensor(2)))                    # expect: float32[] [1.525]
show(lambda: F.cross_entropy(A, torch.tensor([0, 1, 2])))               # expect: ValueError
show(lambda: F.cross_entropy(A, Y.reshape(2, 1)))                       # expect: RuntimeError
show(lambda: F.margin_ranking_loss(A, Bm, torch.ones(2, 3)))            # expect: float32[] [2.125]
show(lambda: F.cosine_embedding_loss(A, Bm, torch.tensor([1, -1])))     # expect: float32[] [0.456]
show(lambda: F.triplet_margin_loss(A, Bm, P))                           # expect: float32[] [2.878]
show(lambda: F.soft_margin_loss(A, torch.ones(2, 3)))                   # expect: float32[] [0.79]
show(lambda: F.tanh(A))                                                 # expect: float32[2, 3] [0.905, -0.964, 0.245, 0.995, 0.462, -0.762]
show(lambda: F.sigmoid(A))                                              # expect: float32[2, 3] [0.818, 0.119, 0.562, 0.953, 0.622, 0.269]
