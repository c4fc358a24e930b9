"""The rest of the module os."""
import os
import _locus

sep = '/'
altsep = None
extsep = '.'
pathsep = ':'
linesep = '\n'
curdir = '.'
pardir = '..'
devnull = '/dev/null'
name = 'posix'
error = OSError


def rename(src, dst):
    _locus.rename(src, dst)


replace = rename


def chdir(path):
    _locus.chdir(path)


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    if hasattr(path, '__fspath__'):
        return path.__fspath__()
    raise TypeError(f'expected str, bytes or os.PathLike object, not {type(path).__name__}')


class stat_result:
    def __init__(self, mode, size, mtime, ino):
        self.st_mode = mode
        self.st_size = size
        self.st_mtime = mtime
        self.st_ino = ino


def stat(path):
    found = _locus.status(path)
    if found is None:
        raise FileNotFoundError(2, 'No such file or directory', fspath(path))
    return stat_result(*found)


class DirEntry:
    def __init__(self, folder, name):
        self.name = name
        self.path = os.path.join(folder, name)

    def is_dir(self): return os.path.isdir(self.path)
    def is_file(self): return os.path.isfile(self.path)
    def stat(self): return stat(self.path)
    def __fspath__(self): return self.path
    def __repr__(self): return f'<DirEntry {self.name!r}>'


class _Scan:
    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self): return self
    def __next__(self): return next(self._entries)
    def __enter__(self): return self
    def __exit__(self, *exc_info): pass


def scandir(path='.'):
    folder = fspath(path)
    return _Scan([DirEntry(folder, name) for name in os.listdir(folder)])


def walk(top, topdown=True):
    top = fspath(top)
    if not os.path.isdir(top):
        return
    names = os.listdir(top)
    dirs = [n for n in names if os.path.isdir(os.path.join(top, n))]
    files = [n for n in names if n not in dirs]
    if topdown:
        yield top, dirs, files
    for n in dirs:
        yield from walk(os.path.join(top, n), topdown)
    if not topdown:
        yield top, dirs, files


def removedirs(name):
    os.rmdir(name)
    head = os.path.dirname(name)
    while head:
        try:
            os.rmdir(head)
        except OSError:
            break
        head = os.path.dirname(head)


class PathLike:
    def _instance_of(x):
        return hasattr(x, '__fspath__')
