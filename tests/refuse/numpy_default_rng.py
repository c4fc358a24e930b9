# fails: NotImplementedError
# error: np.random.default_rng is not supported by Locus
import numpy as np

np.random.default_rng(0)
