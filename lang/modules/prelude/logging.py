"""Messages on standard error, by level."""
import sys

NOTSET, DEBUG, INFO, WARNING, ERROR, CRITICAL = 0, 10, 20, 30, 40, 50
WARN = WARNING
FATAL = CRITICAL
_names = {0: 'NOTSET', 10: 'DEBUG', 20: 'INFO', 30: 'WARNING', 40: 'ERROR', 50: 'CRITICAL'}
_loggers = {}
_configured = [False, '%(levelname)s:%(name)s:%(message)s', sys.stderr]


def getLevelName(level):
    return _names.get(level, f'Level {level}')


class Logger:
    def __init__(self, name, level=NOTSET):
        self.name = name
        self.level = _level(level)
        self.handlers = []
        self.propagate = True

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        return self.level or root.level

    def isEnabledFor(self, level):
        return level >= self.getEffectiveLevel()

    def log(self, level, msg, *args, **kwargs):
        if not self.isEnabledFor(level):
            return
        message = str(msg) % args if args else str(msg)
        if _configured[0]:
            message = _configured[1] % {'levelname': getLevelName(level), 'name': self.name, 'message': message,
                                        'asctime': '', 'levelno': level}
        elif level < WARNING:
            return
        print(message, file=_configured[2])

    def debug(self, msg, *args, **kwargs): self.log(DEBUG, msg, *args, **kwargs)
    def info(self, msg, *args, **kwargs): self.log(INFO, msg, *args, **kwargs)
    def warning(self, msg, *args, **kwargs): self.log(WARNING, msg, *args, **kwargs)
    def error(self, msg, *args, **kwargs): self.log(ERROR, msg, *args, **kwargs)
    def critical(self, msg, *args, **kwargs): self.log(CRITICAL, msg, *args, **kwargs)


def _level(level):
    if isinstance(level, str):
        return {name: number for number, name in _names.items()}[level]
    return level


root = Logger('root', WARNING)


def getLogger(name=None):
    if not name:
        return root
    if name not in _loggers:
        _loggers[name] = Logger(name)
    return _loggers[name]


def basicConfig(*, level=None, format=None, stream=None, force=False, datefmt=None):
    if _configured[0] and not force:
        return
    _configured[0] = True
    if format is not None:
        _configured[1] = format
    if stream is not None:
        _configured[2] = stream
    if level is not None:
        root.setLevel(level)


def _on_root(level, msg, args):
    if not _configured[0]:
        basicConfig()
    root.log(level, msg, *args)


def debug(msg, *args, **kwargs): _on_root(DEBUG, msg, args)
def info(msg, *args, **kwargs): _on_root(INFO, msg, args)
def warning(msg, *args, **kwargs): _on_root(WARNING, msg, args)
def error(msg, *args, **kwargs): _on_root(ERROR, msg, args)
def critical(msg, *args, **kwargs): _on_root(CRITICAL, msg, args)
