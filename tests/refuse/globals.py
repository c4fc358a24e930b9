# fails: NameError
# error: hint: Python's builtin globals is not supported by Locus
globals()['x'] = 1
