# fails: SyntaxError
# error: '\N{…}' in a string is not supported by Locus
x = '\N{EM DASH}'
