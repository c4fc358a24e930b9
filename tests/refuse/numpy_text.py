# fails: ValueError
# error: too many dimensions
import numpy as np

np.array(["a", "b"])
