# fails: ImportError
# error: cannot import name 'nothing' from 'torch'
from torch import nothing
