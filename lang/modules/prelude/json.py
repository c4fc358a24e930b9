"""Plain values as JSON text."""
from _locus import quote_json


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        lineno = doc.count('\n', 0, pos) + 1
        colno = pos - doc.rfind('\n', 0, pos)
        super().__init__(f'{msg}: line {lineno} column {colno} (char {pos})')
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = lineno
        self.colno = colno


def _float(x, allow_nan):
    if x != x:
        text = 'NaN'
    elif x == float('inf'):
        text = 'Infinity'
    elif x == float('-inf'):
        text = '-Infinity'
    else:
        return float.__repr__(x)
    if not allow_nan:
        raise ValueError('Out of range float values are not JSON compliant')
    return text


class JSONEncoder:
    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False, indent=None,
                 separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = ' ' * indent if isinstance(indent, int) else indent
        self.item_separator, self.key_separator = separators or ((', ', ': ') if indent is None else (',', ': '))
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f'Object of type {o.__class__.__name__} is not JSON serializable')

    def encode(self, o):
        out = []
        self._write(o, out, '\n', [])
        return ''.join(out)

    def iterencode(self, o):
        return iter([self.encode(o)])

    def _key(self, key):
        if isinstance(key, str):
            return quote_json(str(key), self.ensure_ascii)
        if key is True:
            return '"true"'
        if key is False:
            return '"false"'
        if key is None:
            return '"null"'
        if isinstance(key, int):
            return f'"{int(key)}"'
        if isinstance(key, float):
            return f'"{_float(key, self.allow_nan)}"'
        if self.skipkeys:
            return None
        raise TypeError(f'keys must be str, int, float, bool or None, not {key.__class__.__name__}')

    def _write(self, o, out, newline, inside):
        if isinstance(o, str):
            out.append(quote_json(str(o), self.ensure_ascii))
        elif o is None:
            out.append('null')
        elif o is True:
            out.append('true')
        elif o is False:
            out.append('false')
        elif isinstance(o, int):
            out.append(str(int(o)))
        elif isinstance(o, float):
            out.append(_float(float(o), self.allow_nan))
        elif isinstance(o, (list, tuple, dict)):
            if id(o) in inside:
                raise ValueError('Circular reference detected')
            inside.append(id(o))
            self._write_container(o, out, newline, inside)
            inside.pop()
        else:
            self._write(self.default(o), out, newline, inside)

    def _write_container(self, o, out, newline, inside):
        is_dict = isinstance(o, dict)
        if not o:
            out.append('{}' if is_dict else '[]')
            return
        out.append('{' if is_dict else '[')
        separator = self.item_separator
        inner = newline
        if self.indent is not None:
            inner = newline + self.indent
            separator += inner
            out.append(inner)
        first = True
        if is_dict:
            for key, value in sorted(o.items()) if self.sort_keys else o.items():
                name = self._key(key)
                if name is None:
                    continue
                if not first:
                    out.append(separator)
                first = False
                out.append(name + self.key_separator)
                self._write(value, out, inner, inside)
        else:
            for value in o:
                if not first:
                    out.append(separator)
                first = False
                self._write(value, out, inner, inside)
        if self.indent is not None:
            out.append(newline)
        out.append('}' if is_dict else ']')


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None, separators=None,
          default=None, sort_keys=False):
    return (cls or JSONEncoder)(skipkeys=skipkeys, ensure_ascii=ensure_ascii, allow_nan=allow_nan, indent=indent, separators=separators,
                                default=default, sort_keys=sort_keys).encode(obj)


def dump(obj, fp, **kwargs):
    fp.write(dumps(obj, **kwargs))


_escapes = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}


class _Reader:
    def __init__(self, text, hook, pairs_hook):
        self.text = text
        self.at = 0
        self.hook = hook
        self.pairs_hook = pairs_hook

    def blank(self):
        text, at, n = self.text, self.at, len(self.text)
        while at < n and text[at] in ' \t\n\r':
            at += 1
        self.at = at

    def fail(self, msg, at=None):
        raise JSONDecodeError(msg, self.text, self.at if at is None else at)

    def value(self):
        text, at = self.text, self.at
        c = text[at:at + 1]
        if c == '"':
            return self.string()
        if c == '{':
            return self.object()
        if c == '[':
            return self.array()
        for word, meaning in (('null', None), ('true', True), ('false', False), ('NaN', float('nan')), ('Infinity', float('inf')),
                              ('-Infinity', float('-inf'))):
            if text.startswith(word, at):
                self.at += len(word)
                return meaning
        return self.number()

    def number(self):
        text, start = self.text, self.at
        n, at = len(text), self.at
        if at < n and text[at] == '-':
            at += 1
        digits = at
        while at < n and text[at] in '0123456789':
            at += 1
        if at == digits:
            self.fail('Expecting value')
        if text[digits] == '0':
            at = digits + 1
        is_float = False
        if at + 1 < n and text[at] == '.' and text[at + 1] in '0123456789':
            is_float = True
            at += 1
            while at < n and text[at] in '0123456789':
                at += 1
        if at < n and text[at] in 'eE':
            after = at + 1
            if after < n and text[after] in '+-':
                after += 1
            if after < n and text[after] in '0123456789':
                is_float = True
                at = after
                while at < n and text[at] in '0123456789':
                    at += 1
        self.at = at
        return float(text[start:at]) if is_float else int(text[start:at])

    def hex4(self, at):
        digits = self.text[at:at + 4]
        if len(digits) == 4 and digits.isalnum():
            try:
                return int(digits, 16)
            except ValueError:
                pass
        self.fail('Invalid \\uXXXX escape', at - 1)

    def string(self):
        text, begin = self.text, self.at
        at = begin + 1
        parts = []
        while True:
            stop = at
            while True:
                c = text[stop:stop + 1]
                if c == '' or c == '"' or c == '\\' or c < ' ':
                    break
                stop += 1
            if stop > at:
                parts.append(text[at:stop])
            at = stop
            if c == '':
                self.fail('Unterminated string starting at', begin)
            if c == '"':
                self.at = at + 1
                return ''.join(parts)
            if c != '\\':
                self.fail('Invalid control character at', at)
            c = text[at + 1:at + 2]
            if c == 'u':
                code = self.hex4(at + 2)
                at += 6
                if 0xd800 <= code < 0xdc00 and text[at:at + 2] == '\\u':
                    low = self.hex4(at + 2)
                    if 0xdc00 <= low < 0xe000:
                        code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00))
                        at += 6
                parts.append(chr(code))
            elif c in _escapes:
                parts.append(_escapes[c])
                at += 2
            elif c == '':
                self.fail('Unterminated string starting at', begin)
            else:
                self.fail('Invalid \\escape', at)

    def object(self):
        pairs = []
        self.at += 1
        self.blank()
        text = self.text
        if text[self.at:self.at + 1] == '}':
            self.at += 1
        else:
            while True:
                if text[self.at:self.at + 1] != '"':
                    self.fail('Expecting property name enclosed in double quotes')
                key = self.string()
                self.blank()
                if text[self.at:self.at + 1] != ':':
                    self.fail("Expecting ':' delimiter")
                self.at += 1
                self.blank()
                pairs.append((key, self.value()))
                self.blank()
                c = text[self.at:self.at + 1]
                if c == '}':
                    self.at += 1
                    break
                if c != ',':
                    self.fail("Expecting ',' delimiter")
                self.at += 1
                self.blank()
        if self.pairs_hook is not None:
            return self.pairs_hook(pairs)
        return dict(pairs) if self.hook is None else self.hook(dict(pairs))

    def array(self):
        values = []
        self.at += 1
        self.blank()
        text = self.text
        if text[self.at:self.at + 1] == ']':
            self.at += 1
            return values
        while True:
            values.append(self.value())
            self.blank()
            c = text[self.at:self.at + 1]
            if c == ']':
                self.at += 1
                return values
            if c != ',':
                self.fail("Expecting ',' delimiter")
            self.at += 1
            self.blank()


def loads(s, *, object_hook=None, object_pairs_hook=None):
    if isinstance(s, bytes):
        s = s.decode()
    if not isinstance(s, str):
        raise TypeError(f'the JSON object must be str, bytes or bytearray, not {s.__class__.__name__}')
    reader = _Reader(s, object_hook, object_pairs_hook)
    reader.blank()
    value = reader.value()
    reader.blank()
    if reader.at != len(s):
        reader.fail('Extra data')
    return value


def load(fp, **kwargs):
    return loads(fp.read(), **kwargs)
