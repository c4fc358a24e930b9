# fails: SyntaxError
# error: 'metaclass=' is not supported by Locus
class C(metaclass=type):
    pass
