# fails: NotImplementedError
# error: the sum of uint8 is uint64, which Locus does not have
import numpy as np

np.zeros(3, dtype=np.uint8).sum()
