# fails: TypeError
# error: print() got an unexpected keyword argument 'foo'
print(1, foo=2)
