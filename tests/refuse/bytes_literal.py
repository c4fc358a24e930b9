# fails: SyntaxError
# error: a bytes literal is not supported by Locus
x = b'abc'
