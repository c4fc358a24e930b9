"""Exceptions as text."""
import sys
import _locus


def format_exception_only(exc, value=None):
    value = exc if value is None else value
    name = type(value).__name__
    if type(value).__module__ not in ('builtins', '__main__'):
        name = type(value).__module__ + '.' + name
    elif type(value).__module__ == '__main__':
        name = '__main__.' + name
    text = str(value)
    lines = [f'{name}: {text}\n' if text else f'{name}\n']
    return lines + [note + '\n' for note in getattr(value, '__notes__', ())]


def format_exception(exc, value=None, tb=None, limit=None, chain=True):
    return _locus.format_exception(exc if value is None else value).splitlines(True)


def format_exc(limit=None, chain=True):
    exception = _locus.handled()
    return 'NoneType: None\n' if exception is None else _locus.format_exception(exception)


def print_exc(limit=None, file=None, chain=True):
    print(format_exc(), end='', file=sys.stderr if file is None else file)


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    print(''.join(format_exception(exc, value)), end='', file=sys.stderr if file is None else file)
