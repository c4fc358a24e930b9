# fails: TypeError
# error: type() with three arguments is not supported by Locus
type('C', (), {})
