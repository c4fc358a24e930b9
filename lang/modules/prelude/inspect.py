"""What an object is."""
import types


def isfunction(x): return isinstance(x, types.FunctionType)
def ismethod(x): return isinstance(x, types.MethodType)
def isclass(x): return isinstance(x, type)
def ismodule(x): return isinstance(x, types.ModuleType)
def isbuiltin(x): return isinstance(x, types.BuiltinFunctionType)
def isgenerator(x): return isinstance(x, types.GeneratorType)
def isroutine(x): return isfunction(x) or ismethod(x) or isbuiltin(x)
def isgeneratorfunction(x): return isfunction(x) and bool(x.__code__.co_flags & 32)


def cleandoc(doc):
    lines = doc.expandtabs().split('\n')
    margin = min([len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()], default=0)
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return '\n'.join(lines)


def getdoc(x):
    doc = getattr(x, '__doc__', None)
    return cleandoc(doc) if isinstance(doc, str) else None


def getmembers(x, predicate=None):
    pairs = [(name, getattr(x, name)) for name in sorted(dir(x)) if hasattr(x, name)]
    return [pair for pair in pairs if predicate is None or predicate(pair[1])]
