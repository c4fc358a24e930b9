"""The rest of the module itertools."""


def compress(data, selectors):
    return (d for d, s in zip(data, selectors) if s)


def tee(iterable, n=2):
    it = iter(iterable)
    queues = [[] for _ in range(n)]

    def gen(mine):
        while True:
            if not mine:
                try:
                    value = next(it)
                except StopIteration:
                    return
                for q in queues:
                    q.append(value)
            yield mine.pop(0)
    return tuple([gen(q) for q in queues])
