# fails: TypeError
# error: int() got an unexpected keyword argument 'bas'
int('1', bas=2)
