# Numbers drawn in bulk are those that are drawn one at a time, across the points where the generator makes new words.
import torch


def alike(draw, n):
    torch.manual_seed(11)
    bulk = draw(n)
    torch.manual_seed(11)
    return torch.equal(bulk, torch.cat([draw(1) for k in range(n)]))


print(alike(lambda n: torch.rand(n), 1300))                                         # expect: True
print(alike(lambda n: torch.rand(n, dtype=torch.float64), 700))                     # expect: True
print(alike(lambda n: torch.randint(-5, 1000, (n,)), 1300))                         # expect: True
print(alike(lambda n: torch.zeros(n).uniform_(-2, 3), 1300))                        # expect: True

# Normal numbers from 16 on come in groups; PyTorch's for this seed.
torch.manual_seed(7)
x = torch.randn(1000)
print(round(x[0].item(), 6), round(x[500].item(), 6), round(x[999].item(), 6))      # expect: -0.820135 0.681514 -0.848776
torch.manual_seed(7)
print(torch.randperm(1000)[:6].tolist())                                            # expect: [615, 284, 599, 580, 347, 92]
torch.manual_seed(7)
torch.rand(623)
print(torch.rand(3).tolist())                                                       # expect: [0.07923638820648193, 0.47894805669784546, 0.9790933132171631]
y = torch.softmax(torch.tensor([[0.0, 1.0, -200.0] * 12, [float("inf")] + [0.0] * 35]), 1)
print([round(v, 6) for v in y[0, :3].tolist()], y[1].isnan().all().item())          # expect: [0.022412, 0.060922, 0.0] True
