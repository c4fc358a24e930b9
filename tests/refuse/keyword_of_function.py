# fails: TypeError
# error: f() got an unexpected keyword argument 'b'
def f(a):
    return a


f(b=1)
