# fails: SyntaxError
# error: an imaginary number is not supported by Locus
x = 1j
