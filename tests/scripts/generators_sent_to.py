"""send, throw and close through yield from; with statements that swallow; finally with return."""


def inner():
    try:
        got = yield 1
        print('got', got)
        while True:
            try:
                got = yield got
            except ValueError as error:
                print('caught', error)
                got = 'v'
            if got == 'stop':
                return 'result'
    finally:
        print('inner ends')


def outer():
    result = yield from inner()
    print('result', result)
    yield 'last'


g = outer()
print(next(g), g.send(5), g.throw(ValueError('q')))
# expect: got 5
# expect: caught q
# expect: 1 5 v
print(g.send('stop'))
# expect: inner ends
# expect: result result
# expect: last
h = outer()
next(h)
h.close()                               # expect: inner ends
k = outer()
next(k)
try:
    k.throw(KeyError('k'))
except KeyError as error:
    print('out', error)
# expect: inner ends
# expect: out 'k'
try:
    k.send(None)
except StopIteration:
    print('over')                       # expect: over


def through():
    try:
        return 1
    finally:
        print('finally')


print(through())
# expect: finally
# expect: 1


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        print(kind.__name__, value, trace is not None)
        return True


with Swallow():
    raise ValueError('x')               # expect: ValueError x True
try:
    try:
        1 / 0
    except ZeroDivisionError as error:
        raise ValueError('y') from error
except ValueError as error:
    print(repr(error.__cause__), error.__suppress_context__)  # expect: ZeroDivisionError('division by zero') True
