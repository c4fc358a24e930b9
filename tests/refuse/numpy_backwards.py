# fails: NotImplementedError
# error: a view that steps backwards is not supported by Locus
import numpy as np

np.arange(3)[::-1]
