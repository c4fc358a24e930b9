import torch

X = torch.arange(12.).view(3, 4)
Y = torch.ones(3, 4)
before = id(Y)
Y = Y + X
print(id(Y) == before)                  # expect: False
Z = torch.zeros_like(Y)
kept = id(Z)
Z[:] = X + Y
print(id(Z) == kept)                    # expect: True
torch.add(X, Y, out=Z)
print(id(Z) == kept, Z._version)        # expect: True 2
before = id(X)
X += Y
print(id(X) == before, X._version)      # expect: True 1
V = X.view(-1)
V[0] = 100
print(X[0, 0].item(), X._version)       # expect: 100.0 2
