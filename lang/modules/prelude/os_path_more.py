"""The rest of the module os.path."""
import os
import _locus

sep = '/'
curdir = '.'
pardir = '..'
extsep = '.'
pathsep = ':'


def isabs(s):
    return os.fspath(s).startswith('/')


def islink(path):
    return False


def lexists(path):
    return os.path.exists(path)


def normpath(path):
    path = os.fspath(path)
    if not path:
        return '.'
    slashes = 2 if path.startswith('//') and not path.startswith('///') else 1 if path.startswith('/') else 0
    parts = []
    for part in path.split('/'):
        if part in ('', '.'):
            continue
        if part != '..' or (not slashes and not parts) or (parts and parts[-1] == '..'):
            parts.append(part)
        elif parts:
            parts.pop()
    return '/' * slashes + '/'.join(parts) or '.'


def realpath(path):
    return os.path.abspath(path)


def relpath(path, start='.'):
    a = [p for p in os.path.abspath(start).split('/') if p]
    b = [p for p in os.path.abspath(path).split('/') if p]
    n = 0
    while n < len(a) and n < len(b) and a[n] == b[n]:
        n += 1
    return '/'.join(['..'] * (len(a) - n) + b[n:]) or '.'


def commonprefix(m):
    if not m:
        return ''
    low, high = min(m), max(m)
    for i, c in enumerate(low):
        if c != high[i:i + 1]:
            return low[:i]
    return low


def commonpath(paths):
    split = [p.split('/') for p in paths]
    return '/'.join(commonprefix(split)) or ('/' if paths[0].startswith('/') else '')


def getmtime(path):
    return os.stat(path).st_mtime


def samefile(a, b):
    return _locus.status(a) is not None and _locus.status(a)[3] == _locus.status(b)[3]


def splitdrive(p):
    return '', p


def expandvars(path):
    for name, value in sorted(os.environ.items(), reverse=True):
        path = path.replace('${' + name + '}', value).replace('$' + name, value)
    return path
