import sys


class Kept:
    def __init__(self):
        self.text = ""
        self.flushed = 0

    def write(self, text):
        self.text += text

    def flush(self):
        self.flushed += 1


class Deaf:
    def write(self, text):
        pass


kept = Kept()
print("a", 1, file=kept)
print("b", file=kept, flush=True)
print(repr(kept.text), kept.flushed)            # expect: 'a 1\nb\n' 1
print("out", file=sys.stdout, flush=True)       # expect: out
print("flush", flush=[1])                       # expect: flush
try:
    print("c", file=Deaf(), flush=True)
except AttributeError as error:
    print(error)                                # expect: 'Deaf' object has no attribute 'flush'
