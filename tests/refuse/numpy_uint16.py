# fails: NotImplementedError
# error: np.uint16 is not supported by Locus
import numpy as np

np.zeros(3, dtype=np.uint16)
