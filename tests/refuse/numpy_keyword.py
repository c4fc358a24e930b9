# fails: TypeError
# error: unexpected keyword argument 'where'
import numpy as np

np.sum(np.ones(3), where=[True, False, True])
