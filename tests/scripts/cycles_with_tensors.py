import torch


class Holder:
    def __init__(self):
        self.data = torch.zeros(1024, 1024)
        self.me = self


def peak():
    for i in range(200):                # 800 MB that only cycles keep: found while the loop runs
        Holder()
    return "done"


print(peak())                           # expect: done
