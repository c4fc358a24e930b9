# fails: SyntaxError
# error: a keyword argument of a class is not supported by Locus
class C(flag=1):
    pass
