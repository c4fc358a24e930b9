# fails: TypeError
# error: a method '__getattribute__' is not supported by Locus
class C:
    def __getattribute__(self, name):
        return 1
