# fails: SyntaxError
# error: the future feature 'nothing' is not defined
from __future__ import nothing
