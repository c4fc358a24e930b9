# fails: SyntaxError
# error: 'await' is not supported by Locus
def f():
    await g()
