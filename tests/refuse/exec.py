# fails: NameError
# error: hint: Python's builtin exec is not supported by Locus
exec('x = 1')
