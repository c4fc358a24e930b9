"""The rest of the module collections."""
import sys


def _getter(i, doc):
    return property(lambda self: self[i], doc=doc)


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(',', ' ').split()
    fields = tuple([str(name) for name in field_names])
    if rename:
        fields = tuple([f'_{i}' if not name.isidentifier() or name.startswith('_') or name in fields[:i] else name
                        for i, name in enumerate(fields)])
    for i, name in enumerate(fields):
        if not name.isidentifier():
            raise ValueError(f'Type names and field names must be valid identifiers: {name!r}')
        if name.startswith('_'):
            raise ValueError(f'Field names cannot start with an underscore: {name!r}')
        if name in fields[:i]:
            raise ValueError(f'Encountered duplicate field name: {name!r}')
    defaults = tuple(defaults or ())
    if len(defaults) > len(fields):
        raise TypeError('Got more default values than field names')
    filled = dict(zip(fields[len(fields) - len(defaults):], defaults))
    n = len(fields)

    def __new__(cls, *args, **kwargs):
        if len(args) == n and not kwargs:
            return tuple.__new__(cls, args)
        who = f'{typename}.__new__()'
        if len(args) > n:
            raise TypeError(f'{who} takes {n + 1} positional arguments but {len(args) + 1} were given')
        given = dict(zip(fields, args))
        for name in kwargs:
            if name not in fields:
                raise TypeError(f'{who} got an unexpected keyword argument {name!r}')
            if name in given:
                raise TypeError(f'{who} got multiple values for argument {name!r}')
            given[name] = kwargs[name]
        missing = [repr(name) for name in fields if name not in given and name not in filled]
        if missing:
            names = missing[0] if len(missing) == 1 else ', '.join(missing[:-1]) + (',' if len(missing) > 2 else '') + ' and ' + missing[-1]
            raise TypeError(f"{who} missing {len(missing)} required positional argument{'s' if len(missing) > 1 else ''}: {names}")
        return tuple.__new__(cls, [given[name] if name in given else filled[name] for name in fields])

    def __repr__(self):
        return self.__class__.__name__ + '(' + ', '.join([f'{name}={self[i]!r}' for i, name in enumerate(fields)]) + ')'

    def _asdict(self):
        return dict(zip(fields, self))

    def _replace(self, /, **kwds):
        values = [kwds.pop(name, self[i]) for i, name in enumerate(fields)]
        if kwds:
            raise ValueError(f'Got unexpected field names: {list(kwds)!r}')
        return self.__class__(*values)

    def _make(cls, iterable):
        return cls(*iterable)

    body = {'__new__': __new__, '__repr__': __repr__, '_asdict': _asdict, '_replace': _replace, '_make': classmethod(_make),
            '_fields': fields, '_field_defaults': filled, '__doc__': f'{typename}({", ".join(fields)})'}
    for i, name in enumerate(fields):
        body[name] = _getter(i, f'Alias for field number {i}')
    return type(typename, (tuple,), body)


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __contains__(self, key):
        return any(key in m for m in self.maps)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        del self.maps[0][key]

    def __iter__(self):
        d = {}
        for mapping in reversed(self.maps):
            d.update(dict.fromkeys(mapping))
        return iter(d)

    def __len__(self):
        return len(list(iter(self)))

    def keys(self):
        return list(self)

    def items(self):
        return [(k, self[k]) for k in self]

    def values(self):
        return [self[k] for k in self]

    def new_child(self, m=None):
        return ChainMap({} if m is None else m, *self.maps)

    def __repr__(self):
        return 'ChainMap(' + ', '.join(map(repr, self.maps)) + ')'
