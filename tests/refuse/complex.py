# fails: NameError
# error: hint: Python's builtin complex is not supported by Locus
complex(1, 2)
