# fails: SyntaxError
# error: 'except*' is not supported by Locus
try:
    pass
except* ValueError:
    pass
