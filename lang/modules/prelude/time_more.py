"""The rest of the module time."""
import time
import _locus

_fields = ('tm_year', 'tm_mon', 'tm_mday', 'tm_hour', 'tm_min', 'tm_sec', 'tm_wday', 'tm_yday', 'tm_isdst')


class struct_time(tuple):
    def __getattr__(self, name):
        if name in _fields:
            return self[_fields.index(name)]
        raise AttributeError(f"'time.struct_time' object has no attribute {name!r}")

    def __repr__(self):
        return 'time.struct_time(' + ', '.join([f'{f}={v}' for f, v in zip(_fields, self)]) + ')'


def localtime(seconds=None):
    return struct_time(_locus.calendar(int(time.time() if seconds is None else seconds), False))


def gmtime(seconds=None):
    return struct_time(_locus.calendar(int(time.time() if seconds is None else seconds), True))


def mktime(t):
    return _locus.make_time(t)


def strftime(format, t=None):
    return _locus.format_time(format, localtime() if t is None else t)


def asctime(t=None):
    t = localtime() if t is None else t
    return _locus.format_time('%a %b ', t) + f'{t[2]:2d}' + _locus.format_time(' %H:%M:%S %Y', t)


thread_time = time.process_time
