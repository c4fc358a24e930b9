# fails: SyntaxError
# error: 'async' is not supported by Locus
async with lock:
    pass
