"""Paths as objects."""
import os
import _locus


def _parse(parts):
    text = ''
    for part in parts:
        part = os.fspath(part)
        text = part if part.startswith('/') or not text else text + '/' + part
    root = '/' if text.startswith('/') else ''
    return root, [p for p in text.split('/') if p and p != '.']


class PurePath:
    def __init__(self, *args):
        self._root, self._parts = _parse(args)
        self._text = self._root + '/'.join(self._parts) or '.'

    def __fspath__(self):
        return self._text

    def __str__(self):
        return self._text

    def __repr__(self):
        return f'{self._shown}({self._text!r})'

    def as_posix(self):
        return self._text

    def __hash__(self):
        return hash(self._text)

    def __eq__(self, other):
        return self._text == other._text if isinstance(other, PurePath) else NotImplemented

    def __lt__(self, other):
        return self._parts < other._parts if isinstance(other, PurePath) else NotImplemented

    def __le__(self, other):
        return self._parts <= other._parts if isinstance(other, PurePath) else NotImplemented

    def __gt__(self, other):
        return self._parts > other._parts if isinstance(other, PurePath) else NotImplemented

    def __ge__(self, other):
        return self._parts >= other._parts if isinstance(other, PurePath) else NotImplemented

    def __truediv__(self, key):
        if not isinstance(key, (str, PurePath)):
            return NotImplemented
        return self.__class__(self, key)

    def __rtruediv__(self, key):
        return self.__class__(key, self) if isinstance(key, str) else NotImplemented

    def joinpath(self, *other):
        return self.__class__(self, *other)

    @property
    def parts(self):
        return tuple(([self._root] if self._root else []) + self._parts)

    @property
    def root(self):
        return self._root

    @property
    def anchor(self):
        return self._root

    @property
    def drive(self):
        return ''

    @property
    def name(self):
        return self._parts[-1] if self._parts else ''

    @property
    def suffix(self):
        name = self.name
        i = name.rfind('.')
        return name[i:] if 0 < i < len(name) - 1 else ''

    @property
    def suffixes(self):
        name = self.name
        return [] if name.endswith('.') else ['.' + s for s in name.lstrip('.').split('.')[1:]]

    @property
    def stem(self):
        name = self.name
        i = name.rfind('.')
        return name[:i] if 0 < i < len(name) - 1 else name

    @property
    def parent(self):
        return self.__class__(self._root + '/'.join(self._parts[:-1]))

    @property
    def parents(self):
        found, path = [], self
        while path.parent != path:
            path = path.parent
            found.append(path)
        return tuple(found)

    def is_absolute(self):
        return bool(self._root)

    def with_name(self, name):
        if not self.name:
            raise ValueError(f'{self!r} has an empty name')
        return self.__class__(self.parent, name)

    def with_stem(self, stem):
        return self.with_name(stem + self.suffix)

    def with_suffix(self, suffix):
        if suffix and not suffix.startswith('.') or suffix == '.':
            raise ValueError(f'Invalid suffix {suffix!r}')
        return self.with_name(self.stem + suffix)

    def relative_to(self, *other):
        root, parts = _parse(other)
        if root != self._root or self._parts[:len(parts)] != parts:
            raise ValueError(f'{self._text!r} is not in the subpath of {root + "/".join(parts)!r} OR one path is relative and the other is absolute.')
        return self.__class__('/'.join(self._parts[len(parts):]))

    def is_relative_to(self, *other):
        root, parts = _parse(other)
        return root == self._root and self._parts[:len(parts)] == parts

    def match(self, path_pattern):
        root, parts = _parse([path_pattern])
        if root and root != self._root or len(parts) > len(self._parts):
            return False
        return all(_matches(n, p) for n, p in zip(self._parts[len(self._parts) - len(parts):], parts))


PurePath._shown = 'PurePosixPath'
PurePosixPath = PurePath


def _matches(name, pattern):
    if not pattern:
        return not name
    c = pattern[0]
    if c == '*':
        return any(_matches(name[i:], pattern[1:]) for i in range(len(name) + 1))
    if not name:
        return False
    if c == '[' and ']' in pattern[2:]:
        end = pattern.index(']', 2)
        inside = pattern[1:end]
        no = inside.startswith('!')
        chars = inside[1:] if no else inside
        found, i = False, 0
        while i < len(chars):
            if i + 2 < len(chars) and chars[i + 1] == '-':
                found = found or chars[i] <= name[0] <= chars[i + 2]
                i += 3
            else:
                found = found or chars[i] == name[0]
                i += 1
        return found != no and _matches(name[1:], pattern[end + 1:])
    return (c == '?' or c == name[0]) and _matches(name[1:], pattern[1:])


def _select(folder, parts):
    if not parts:
        yield folder
        return
    if parts[0] == '**':
        yield from _select(folder, parts[1:])
        for name in os.listdir(folder):
            if os.path.isdir(folder / name):
                yield from _select(folder / name, parts)
        return
    for name in os.listdir(folder):
        if _matches(name, parts[0]):
            found = folder / name
            if len(parts) == 1:
                yield found
            elif os.path.isdir(found):
                yield from _select(found, parts[1:])


class Path(PurePath):
    _shown = 'PosixPath'

    @classmethod
    def cwd(cls):
        return cls(os.getcwd())

    @classmethod
    def home(cls):
        return cls(os.path.expanduser('~'))

    def exists(self):
        return os.path.exists(self)

    def is_file(self):
        return os.path.isfile(self)

    def is_dir(self):
        return os.path.isdir(self)

    def stat(self):
        return os.stat(self)

    def absolute(self):
        return self if self._root else self.__class__(os.getcwd(), self)

    def resolve(self, strict=False):
        return self.__class__(os.path.abspath(self))

    def expanduser(self):
        return self.__class__(os.path.expanduser(self._text))

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        try:
            os.mkdir(self)
        except FileNotFoundError:
            if not parents or self.parent == self:
                raise
            self.parent.mkdir(parents=True, exist_ok=True)
            self.mkdir(mode, parents=False, exist_ok=exist_ok)
        except OSError:
            if not exist_ok or not self.is_dir():
                raise

    def rmdir(self):
        os.rmdir(self)

    def unlink(self, missing_ok=False):
        try:
            os.remove(self)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def touch(self, mode=0o666, exist_ok=True):
        if not exist_ok and self.exists():
            raise FileExistsError(17, 'File exists', self._text)
        open(self, 'a').close()

    def rename(self, target):
        _locus.rename(self, target)
        return self.__class__(target)

    replace = rename

    def open(self, mode='r', buffering=-1, encoding=None, errors=None, newline=None):
        return open(self, mode, buffering, encoding, errors, newline)

    def read_text(self, encoding=None, errors=None):
        with open(self, 'r', -1, encoding, errors) as f:
            return f.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        if not isinstance(data, str):
            raise TypeError(f'data must be str, not {data.__class__.__name__}')
        with open(self, 'w', -1, encoding, errors, newline) as f:
            return f.write(data)

    def read_bytes(self):
        with open(self, 'rb') as f:
            return f.read()

    def write_bytes(self, data):
        with open(self, 'wb') as f:
            return f.write(data)

    def iterdir(self):
        for name in os.listdir(self):
            yield self / name

    def glob(self, pattern):
        if not pattern:
            raise ValueError(f'Unacceptable pattern: {pattern!r}')
        if self.is_dir():
            yield from _select(self, pattern.split('/'))

    def rglob(self, pattern):
        yield from self.glob('**/' + pattern)


PosixPath = Path
