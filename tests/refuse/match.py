# fails: SyntaxError
# error: the 'match' statement is not supported by Locus
x = 1
match x:
    case 1:
        pass
