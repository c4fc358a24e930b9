"""Files and folders as a whole."""
import os


def copyfile(src, dst):
    with open(src, 'rb') as f, open(dst, 'wb') as g:
        g.write(f.read())
    return dst


def copy(src, dst):
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    return copyfile(src, dst)


copy2 = copy


def copytree(src, dst, dirs_exist_ok=False):
    os.makedirs(dst, exist_ok=dirs_exist_ok)
    for name in os.listdir(src):
        a, b = os.path.join(src, name), os.path.join(dst, name)
        if os.path.isdir(a):
            copytree(a, b, dirs_exist_ok)
        else:
            copyfile(a, b)
    return dst


def rmtree(path, ignore_errors=False):
    if not os.path.isdir(path):
        if ignore_errors:
            return
        raise FileNotFoundError(2, 'No such file or directory', os.fspath(path))
    for name in os.listdir(path):
        inner = os.path.join(path, name)
        if os.path.isdir(inner):
            rmtree(inner)
        else:
            os.remove(inner)
    os.rmdir(path)


def move(src, dst):
    os.rename(src, os.path.join(dst, os.path.basename(src)) if os.path.isdir(dst) else dst)
    return dst
