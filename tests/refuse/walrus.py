# fails: SyntaxError
# error: ':=' (the walrus operator) is not supported by Locus
if (n := 3) > 2:
    pass
