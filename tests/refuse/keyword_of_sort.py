# fails: TypeError
# error: sort() got an unexpected keyword argument 'foo'
[].sort(foo=1)
