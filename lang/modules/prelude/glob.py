"""Files by pattern."""
import os
from pathlib import Path


def iglob(pathname, *, root_dir=None, recursive=False):
    if not any(c in pathname for c in '*?['):
        if os.path.exists(pathname):
            yield pathname
        return
    start = Path('/') if pathname.startswith('/') else Path()
    pattern = pathname.lstrip('/')
    if not recursive:
        pattern = pattern.replace('**', '*')
    parts = pattern.split('/')
    for found in start.glob(pattern):
        if not any(p.startswith('.') for p in found.parts[-len(parts):]) or any(p.startswith('.') for p in parts):
            yield str(found)


def glob(pathname, *, root_dir=None, recursive=False):
    return list(iglob(pathname, recursive=recursive))
