# fails: SyntaxError
# error: expected '('
def f[T](x):
    return x
