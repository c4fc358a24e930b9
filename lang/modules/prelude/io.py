"""Files in memory."""
from builtins import open

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


class UnsupportedOperation(OSError, ValueError):
    pass


class _Memory:
    def __init__(self, initial):
        self._data = initial
        self._pos = 0
        self.closed = False

    def _check(self):
        if self.closed:
            raise ValueError('I/O operation on closed file.')

    def getvalue(self):
        self._check()
        return self._data

    def read(self, size=-1):
        self._check()
        end = len(self._data) if size is None or size < 0 else self._pos + size
        part = self._data[self._pos:end]
        self._pos += len(part)
        return part

    def readline(self, size=-1):
        self._check()
        end = self._data.find(self._newline, self._pos) + 1 if self._pos <= len(self._data) else 0
        end = end or len(self._data)
        if size is not None and size >= 0:
            end = min(end, self._pos + size)
        part = self._data[self._pos:end]
        self._pos += len(part)
        return part

    def readlines(self, hint=-1):
        return list(self)

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def write(self, s):
        self._check()
        if not isinstance(s, type(self._empty)):
            raise TypeError(f'string argument expected, got {type(s).__name__!r}' if self._empty == '' else
                            f"a bytes-like object is required, not {type(s).__name__!r}")
        data, pos = self._data, self._pos
        if pos > len(data):
            data += self._zero * (pos - len(data))
        self._data = data + s if pos == len(data) else data[:pos] + s + data[pos + len(s):]
        self._pos = pos + len(s)
        return len(s)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def seek(self, pos, whence=0):
        self._check()
        self._pos = pos if whence == 0 else self._pos + pos if whence == 1 else len(self._data) + pos
        return self._pos

    def tell(self):
        return self._pos

    def truncate(self, size=None):
        self._data = self._data[:self._pos if size is None else size]
        return len(self._data)

    def flush(self):
        pass

    def readable(self): return True
    def writable(self): return True
    def seekable(self): return True
    def isatty(self): return False

    def close(self):
        self.closed = True

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *exc_info):
        self.close()


class StringIO(_Memory):
    _empty, _zero, _newline = '', '\0', '\n'

    def __init__(self, initial_value='', newline='\n'):
        super().__init__(initial_value or '')


class BytesIO(_Memory):
    _empty, _zero, _newline = b'', b'\0', b'\n'

    def __init__(self, initial_bytes=b''):
        super().__init__(bytes(initial_bytes))

    def getbuffer(self):
        return self._data
