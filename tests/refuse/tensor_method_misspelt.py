# fails: AttributeError
# error: hint: did you mean 'view'?
import torch

torch.ones(2).veiw(2)
