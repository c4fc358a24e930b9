# Dropout draws from the stream that PyTorch's CPU draws from, and leaves values alone outside of training.
import torch
import torch.nn.functional as F

x = torch.tensor([1.5, -2.0, 0.25, 3.0, 0.5, -1.0])
torch.manual_seed(3)
print(F.dropout(x))                                 # expect: tensor([ 3., -4.,  0.,  6.,  0., -0.])
torch.manual_seed(3)
print(F.dropout2d(torch.ones(1, 4, 2, 2))[0, :, 0, 0].tolist())  # expect: [2.0, 2.0, 0.0, 2.0]
print(F.dropout(x, training=False) is x)            # expect: True
print(F.dropout(x, 0.0).data_ptr() == x.data_ptr())  # expect: True
y = torch.ones(4)
z = F.dropout(y, 1.0, inplace=True)
print(z is y, y)                                    # expect: True tensor([0., 0., 0., 0.])
try:
    F.dropout(x, 1.5)
except ValueError:
    print("no probability")                         # expect: no probability
