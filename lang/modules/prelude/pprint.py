"""Values as text, over several lines where one is too short."""


def _key(x):
    return (str(type(x)), id(x))


def _sorted(items, key=lambda x: x):
    try:
        return sorted(items, key=key)
    except TypeError:
        return sorted(items, key=lambda x: _key(key(x)))


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
        self._indent = indent
        self._width = width
        self._depth = depth
        self._stream = stream
        self._compact = compact
        self._sort = sort_dicts
        self._underscore = underscore_numbers

    def pprint(self, object):
        print(self.pformat(object), file=self._stream)

    def pformat(self, object):
        out = []
        self._format(object, out.append, 0, 0, set(), 0)
        return ''.join(out)

    def _items(self, d):
        return _sorted(d.items(), lambda kv: kv[0]) if self._sort else d.items()

    def _repr(self, x, context, level):
        if isinstance(x, (dict, list, tuple)) and x:
            if self._depth and level >= self._depth:
                return '{...}' if isinstance(x, dict) else '[...]' if isinstance(x, list) else '(...)'
            if id(x) in context:
                return f'<Recursion on {type(x).__name__} with id={id(x)}>'
        if type(x) is dict or (isinstance(x, dict) and type(x).__repr__ is dict.__repr__):
            inner = context | {id(x)}
            parts = [self._repr(k, inner, level + 1) + ': ' + self._repr(v, inner, level + 1) for k, v in self._items(x)]
            return '{' + ', '.join(parts) + '}'
        if type(x) is list or type(x) is tuple:
            inner = context | {id(x)}
            parts = [self._repr(v, inner, level + 1) for v in x]
            if type(x) is list:
                return '[' + ', '.join(parts) + ']'
            return '(' + ', '.join(parts) + (',)' if len(parts) == 1 else ')')
        if type(x) is int and self._underscore:
            return f'{x:_d}'
        return repr(x)

    def _format(self, x, write, indent, allowance, context, level):
        rep = self._repr(x, context, level)
        if id(x) in context or len(rep) <= self._width - indent - allowance or (self._depth and level >= self._depth):
            write(rep)
            return
        inner = context | {id(x)}
        gap = (self._indent - 1) * ' '
        if type(x) is dict and x:
            write('{' + gap)
            self._format_pairs(list(self._items(x)), write, indent, allowance + 1, inner, level + 1)
            write('}')
        elif type(x) is list and x:
            write('[')
            self._format_items(x, write, indent, allowance + 1, inner, level + 1)
            write(']')
        elif type(x) is tuple and x:
            end = ',)' if len(x) == 1 else ')'
            write('(')
            self._format_items(x, write, indent, allowance + len(end), inner, level + 1)
            write(end)
        elif type(x) in (set, frozenset) and x:
            start, end = ('{', '}') if type(x) is set else ('frozenset({', '})')
            write(start)
            self._format_items(_sorted(x), write, indent + len(start) - 1, allowance + len(end), inner, level + 1)
            write(end)
        elif type(x) is str and x:
            self._format_str(x, write, indent, allowance, level + 1)
        else:
            write(rep)

    def _format_pairs(self, items, write, indent, allowance, context, level):
        indent += self._indent
        for k, (key, value) in enumerate(items):
            last = k == len(items) - 1
            rep = self._repr(key, context, level)
            write(rep + ': ')
            self._format(value, write, indent + len(rep) + 2, allowance if last else 1, context, level)
            if not last:
                write(',\n' + ' ' * indent)

    def _format_items(self, items, write, indent, allowance, context, level):
        indent += self._indent
        write((self._indent - 1) * ' ')
        items = list(items)
        width = max_width = self._width - indent + 1
        delim = ''
        for k, value in enumerate(items):
            last = k == len(items) - 1
            if last:
                max_width -= allowance
                width -= allowance
            if self._compact:
                rep = self._repr(value, context, level)
                w = len(rep) + 2
                if width < w:
                    width = max_width
                    if delim:
                        delim = ',\n' + ' ' * indent
                if width >= w:
                    width -= w
                    write(delim + rep)
                    delim = ', '
                    continue
            write(delim)
            delim = ',\n' + ' ' * indent
            self._format(value, write, indent, allowance if last else 1, context, level)

    def _format_str(self, x, write, indent, allowance, level):
        chunks = []
        if level == 1:
            indent += 1
            allowance += 1
        lines = x.splitlines(True)
        max_width1 = max_width = self._width - indent
        for i, line in enumerate(lines):
            rep = repr(line)
            if i == len(lines) - 1:
                max_width1 -= allowance
            if len(rep) <= max_width1:
                chunks.append(rep)
                continue
            parts = _words(line)
            max_width2 = max_width
            current = ''
            for j, part in enumerate(parts):
                candidate = current + part
                if j == len(parts) - 1 and i == len(lines) - 1:
                    max_width2 -= allowance
                if len(repr(candidate)) > max_width2:
                    if current:
                        chunks.append(repr(current))
                    current = part
                else:
                    current = candidate
            if current:
                chunks.append(repr(current))
        if len(chunks) == 1:
            write(chunks[0])
            return
        if level == 1:
            write('(')
        write(('\n' + ' ' * indent).join(chunks))
        if level == 1:
            write(')')


def _words(line):
    parts, start, i = [], 0, 0
    while i < len(line):
        while i < len(line) and not line[i].isspace():
            i += 1
        while i < len(line) and line[i].isspace():
            i += 1
        parts.append(line[start:i])
        start = i
    return parts


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts,
                  underscore_numbers=underscore_numbers).pprint(object)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts,
                         underscore_numbers=underscore_numbers).pformat(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)
