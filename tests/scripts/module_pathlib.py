"""pathlib, os and os.path, shutil, glob: in a folder of their own."""
import glob
import os
import shutil
from pathlib import Path

p = Path('a') / 'b' / 'c.tar.gz'
print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts)
# expect: a/b/c.tar.gz PosixPath('a/b/c.tar.gz') c.tar.gz c.tar .gz ['.tar', '.gz'] a/b ('a', 'b', 'c.tar.gz')
print(p.with_suffix('.txt'), p.with_name('z'), p.is_absolute(), 'q' / Path('r'), Path('a//b/./c'), Path(), Path('/') / 'x')
# expect: a/b/c.tar.txt a/b/z False q/r a/b/c . /x
print(Path('a') == Path('a'), {Path('a'): 1}[Path('a')], sorted([Path('b'), Path('a')]), Path('x').relative_to('x'), p.match('*.gz'))
# expect: True 1 [PosixPath('a'), PosixPath('b')] . True
d = Path('module_pathlib.tmp')
shutil.rmtree(d, ignore_errors=True)
(d / 'in').mkdir(parents=True)
d.mkdir(exist_ok=True)
print((d / 'f.txt').write_text('héllo\n'), (d / 'f.txt').read_text().strip(), d.is_dir(), (d / 'f.txt').exists())
# expect: 6 héllo True True
print([x.name for x in sorted(d.iterdir())], [str(x) for x in d.glob('*.txt')], (d / 'f.txt').stat().st_size)
# expect: ['f.txt', 'in'] ['module_pathlib.tmp/f.txt'] 7
try:
    d.mkdir()
except FileExistsError as error:
    print(error)                        # expect: [Errno 17] File exists: 'module_pathlib.tmp'
with open(d / 'f.txt') as f, (d / 'g.bin').open('wb') as g:
    print(f.read(2), g.write(b'\x00'))  # expect: hé 1
print(os.path.exists(d), os.path.join(d, 'x'), sorted(os.listdir(d)), glob.glob(str(d / '*.bin')))
# expect: True module_pathlib.tmp/x ['f.txt', 'g.bin', 'in'] ['module_pathlib.tmp/g.bin']
print([(r, sorted(ds), sorted(fs)) for r, ds, fs in os.walk(d)])
# expect: [('module_pathlib.tmp', ['in'], ['f.txt', 'g.bin']), ('module_pathlib.tmp/in', [], [])]
os.rename(d / 'f.txt', d / 'h.txt')
shutil.copy(d / 'h.txt', d / 'in')
print(os.path.isfile(d / 'in' / 'h.txt'), os.path.normpath('a//b/../c'), os.path.isabs('/a'), os.path.relpath('/a/b', '/a/c'))
# expect: True a/c True ../b
print(os.path.splitext('a/b.tar.gz'), os.path.split('/a/b'), os.environ.get('NO_SUCH_NAME', 'none'), os.sep, os.linesep == '\n')
# expect: ('a/b.tar', '.gz') ('/a', 'b') none / True
shutil.rmtree(d)
print(d.exists())                       # expect: False
