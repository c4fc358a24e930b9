# fails: NameError
# error: hint: Python's builtin eval is not supported by Locus
print(eval('1 + 1'))
