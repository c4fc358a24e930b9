# fails: SyntaxError
# error: a decorator on a class is not supported by Locus
def keep(c):
    return c


@keep
class C:
    pass
