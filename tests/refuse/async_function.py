# fails: SyntaxError
# error: 'async' is not supported by Locus
async def f():
    pass
