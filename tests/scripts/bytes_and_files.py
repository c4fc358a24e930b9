"""Bytes, files of text and of bytes, and what an OSError carries."""
import os

b = b'abc\x00\xff'
print(b, len(b), b[0], b[-1], b[1:3], b[::-1], list(b'AB'))     # expect: b'abc\x00\xff' 5 97 255 b'bc' b'\xff\x00cba' [65, 66]
print(b'a' + b'b', b'ab' * 2, b'b' in b, 255 in b, b'a' < b'b', b'a' == 'a')    # expect: b'ab' b'abab' True True True False
print(bytes(3), bytes([65, 66]), bytes('é', 'utf-8'), 'é'.encode(), b'\xc3\xa9'.decode(), str(b'x', 'utf-8'))
# expect: b'\x00\x00\x00' b'AB' b'\xc3\xa9' b'\xc3\xa9' é x
print(b'a,b,'.split(b','), b' a  b '.split(), b','.join([b'1', b'2']), b'abc'.replace(b'b', b'--'), b' x '.strip())
# expect: [b'a', b'b', b''] [b'a', b'b'] b'1,2' b'a--c' b'x'
print(b.hex(), bytes.fromhex('00 ff'), b'abc'.find(b'c'), b'aXbX'.count(b'X'), b"'", rb'\n', b'\N', b'a' b'b', b'')
# expect: 61626300ff b'\x00\xff' 2 2 b"'" b'\\n' b'\\N' b'ab' b''
for bad in (lambda: b'\xff'.decode(), lambda: 'a' + b'b', lambda: bytes([256])):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
# expect: UnicodeDecodeError
# expect: TypeError
# expect: ValueError

name = 'bytes_and_files.tmp'
with open(name, 'wb') as f:
    print(f.write(b'one\r\ntwo\n\xff'), f.mode)     # expect: 10 wb
with open(name, 'rb') as f:
    print(f.readline(), f.tell(), f.read(), f.read())   # expect: b'one\r\n' 5 b'two\n\xff' b''
with open(name, 'w+', encoding='utf-8') as f:
    f.writelines(['one\n', 'twö\n'])
    f.seek(0)
    print(f.read(2), f.readlines(), f.readable(), f.writable(), f.encoding.lower())     # expect: on ['e\n', 'twö\n'] True True utf-8
with open(name, 'a') as f:
    print('three', file=f)
with open(name) as f:
    print([line.strip() for line in f], f.closed)   # expect: ['one', 'twö', 'three'] False
print(f.closed)                         # expect: True
try:
    f.read()
except ValueError as error:
    print(error)                        # expect: I/O operation on closed file.
try:
    open(name, 'x')
except FileExistsError as error:
    print(error.errno, error.strerror, error.filename, error.args)  # expect: 17 File exists bytes_and_files.tmp (17, 'File exists')
os.remove(name)
try:
    open(name)
except OSError as error:
    print(error)                        # expect: [Errno 2] No such file or directory: 'bytes_and_files.tmp'
print(OSError(2, 'gone', 'f.txt'), repr(OSError(2, 'gone', 'f.txt')))   # expect: [Errno 2] gone: 'f.txt' FileNotFoundError(2, 'gone')
print(__name__, os.path.basename(__file__), __doc__[:5])        # expect: __main__ bytes_and_files.py Bytes
