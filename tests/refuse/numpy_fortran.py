# fails: NotImplementedError
# error: another order of elements than 'C' is not supported by Locus
import numpy as np

np.zeros((2, 2), order="F")
