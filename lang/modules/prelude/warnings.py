"""Warnings go to standard error, each once."""
import sys
import _locus

_filters = []
_seen = set()
_record = [None]


class WarningMessage:
    def __init__(self, message, category, filename, lineno):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno

    def __repr__(self):
        return f'{{message : {self.message!r}, category : {self.category.__name__!r}, filename : {self.filename!r}, lineno : {self.lineno}}}'


def _action(category, text):
    for action, wanted, kind in _filters:
        if issubclass(category, kind) and (not wanted or text.lower().startswith(wanted.lower().strip('.*'))):
            return action
    return 'ignore' if issubclass(category, (PendingDeprecationWarning, ImportWarning, ResourceWarning)) else 'default'


def warn(message, category=None, stacklevel=1, source=None):
    if isinstance(message, Warning):
        category, text = type(message), str(message)
    else:
        category, text = category or UserWarning, str(message)
        message = category(text)
    action = _action(category, text)
    if action == 'ignore':
        return
    if action == 'error':
        raise message
    filename, lineno, line = _locus.caller()
    if _record[0] is not None:
        _record[0].append(WarningMessage(message, category, filename, lineno))
        return
    key = (text, category, lineno)
    if action != 'always' and key in _seen:
        return
    _seen.add(key)
    sys.stderr.write(f'{filename}:{lineno}: {category.__name__}: {text}\n  {line}\n')


def filterwarnings(action, message='', category=Warning, module='', lineno=0, append=False):
    if append:
        _filters.append((action, message, category))
    else:
        _filters.insert(0, (action, message, category))


def simplefilter(action, category=Warning, lineno=0, append=False):
    filterwarnings(action, '', category, append=append)


def resetwarnings():
    _filters.clear()


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning):
        self._wanted = record
        self._filter = action, category

    def __enter__(self):
        self._kept = _filters[:], _record[0]
        if self._filter[0]:
            simplefilter(*self._filter)
        _record[0] = [] if self._wanted else _record[0]
        return _record[0] if self._wanted else None

    def __exit__(self, *exc_info):
        _filters[:] = self._kept[0]
        _record[0] = self._kept[1]
