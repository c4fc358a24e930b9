"""A loop as it is: no bar is drawn."""


class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, leave=True, **kwargs):
        self.iterable = iterable
        self.desc = desc
        self.total = len(iterable) if total is None and hasattr(iterable, '__len__') else total
        self.n = 0

    def __iter__(self):
        for x in self.iterable:
            yield x
            self.n += 1

    def __len__(self):
        return self.total

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        pass

    def update(self, n=1):
        self.n += n

    def set_description(self, desc=None, refresh=True):
        self.desc = desc

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        pass

    def set_postfix_str(self, s='', refresh=True):
        pass

    def refresh(self):
        pass

    def close(self):
        pass

    def reset(self, total=None):
        self.n = 0

    @classmethod
    def write(cls, s, file=None, end='\n'):
        print(s, file=file, end=end)


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)
