# fails: SyntaxError
# error: a relative import is not supported by Locus
from . import x
