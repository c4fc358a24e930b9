#!/usr/bin/env python3
"""Test files of tensors and arrays: what is written is read again, by real readers' rules, and no file does harm.

usage: test_files.py [LOCUS]     LOCUS: the program, build/locus if missing
"""
import base64
import json
import os
import pickletools
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "locus"))

WRITE = """
import numpy as np
import torch
from collections import OrderedDict
from safetensors.torch import save_file
a = np.arange(6.).reshape(2, 3)
np.save('a.npy', a)
np.save('t.npy', a.T)
np.savez('z.npz', a, x=a[0], i=np.arange(3, dtype=np.int32))
np.savez_compressed('c.npz', a=np.zeros(300), b=a)
x = torch.arange(6.).reshape(2, 3)
same = [1, 'text']
torch.save({'x': x, 'row': x[0], 'list': [1, -300, 2 ** 40, 2.5, None, True], 'same': (same, same), 'size': x.shape, 't': x.t(),
            'dtype': torch.float32, 'set': {1, 2}, 'ordered': OrderedDict(), 'grad': torch.ones(2, requires_grad=True),
            'half': torch.ones(2, dtype=torch.bfloat16), 'none': torch.zeros(0), 'bool': torch.tensor([True])}, 'd.pt')
save_file({'w': x, 'b': torch.ones(3, dtype=torch.float16), 'i': torch.arange(2), 'e': torch.zeros(0, 2)}, 'm.safetensors', metadata={'a': 'b'})
"""

READ = """
import sys
import numpy as np
import torch
from safetensors.torch import load_file
kinds = {}
for name in sys.argv[1:]:
    load = load_file if 'safetensors' in name else torch.load if '.pt' in name else np.load
    try:
        v = load(name)
        if '.npz' in name:
            v = dict(v.items())
        text = str(v)
        kind = 'read'
    except Exception as e:
        kind = type(e).__name__
        assert str(e)
    kinds[kind] = kinds.get(kind, 0) + 1
print(sorted(kinds.items()))
"""

# What a damaged file may raise; anything else is a defect.
ERRORS = {"read", "RuntimeError", "ValueError", "TypeError", "KeyError", "OverflowError", "NotImplementedError", "RecursionError", "MemoryError"}


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="locus-")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def locus(self, code, *arguments):
        """What it prints. Nothing may be left behind."""
        self.put("script.py", code.encode())
        done = subprocess.run([PROGRAM, "--memory=off", "script.py", *arguments], cwd=self.folder, capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL, env=dict(os.environ, LOCUS_LEAKS="1"))
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        return done.stdout.decode()

    def fails(self, code):
        """The last line of what a script that fails says."""
        done = subprocess.run([PROGRAM, "--memory=off", "-c", code], cwd=self.folder, capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, LOCUS_LEAKS="1"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn(b"leak:", done.stderr)
        self.assertNotIn(b"Sanitizer", done.stderr)
        return [line for line in done.stderr.decode().splitlines() if "Error" in line][-1]


class Written(Files):
    def setUp(self):
        super().setUp()
        self.locus(WRITE)

    def test_npy(self):
        """Byte for byte what NumPy writes."""
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
        data = self.get("a.npy")
        self.assertEqual(data[:10], b"\x93NUMPY\1\0\x76\0")
        self.assertEqual(data[10:128], header + b" " * (117 - len(header)) + b"\n")
        self.assertEqual(data[128:], struct.pack("<6d", *range(6)))
        self.assertIn(b"'fortran_order': True, 'shape': (3, 2)", self.get("t.npy"))
        self.assertEqual(self.get("t.npy")[128:], data[128:])

    def test_npz(self):
        with zipfile.ZipFile(self.path("z.npz")) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()), ["arr_0.npy", "i.npy", "x.npy"])
            self.assertEqual(archive.read("arr_0.npy"), self.get("a.npy"))
        with zipfile.ZipFile(self.path("c.npz")) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.read("b.npy"), self.get("a.npy"))
            self.assertLess(archive.getinfo("a.npy").compress_size, 200)

    def test_pt(self):
        """A zip archive whose storages begin at multiples of 64, and whose pickle another reader takes apart."""
        with zipfile.ZipFile(self.path("d.pt")) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            self.assertEqual(names[0], "d/data.pkl")
            self.assertEqual(archive.read("d/version"), b"3\n")
            self.assertEqual(archive.read("d/byteorder"), b"little")
            self.assertEqual(archive.read("d/data/0"), struct.pack("<6f", *range(6)))
            self.assertEqual(sum("data/" in name for name in names), 5)      # x, row and t are over one
            pickled = archive.read("d/data.pkl")
        names = [arg for op, arg, _ in pickletools.genops(pickled) if op.name == "GLOBAL"]
        self.assertEqual(names.count("torch._utils _rebuild_tensor_v2"), 7)
        self.assertTrue({"torch FloatStorage", "torch BFloat16Storage", "torch Size", "torch float32", "collections OrderedDict"} <= set(names))

    def test_safetensors(self):
        data = self.get("m.safetensors")
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + size])
        self.assertEqual(size % 8, 0)
        self.assertEqual(list(header), ["__metadata__", "i", "e", "w", "b"])
        self.assertEqual(header["w"], {"dtype": "F32", "shape": [2, 3], "data_offsets": [16, 40]})
        self.assertEqual(data[8 + size + 16:8 + size + 40], struct.pack("<6f", *range(6)))

    def test_read_again(self):
        out = self.locus("""
import numpy as np
import torch
from safetensors.torch import load_file
print(np.load('a.npy').tolist(), np.load('t.npy').strides, np.load('z.npz')['x'])
z = np.load('z.npz')
print(sorted(z.files), z['i'].dtype, len(z), 'x' in z, z['x'] is z['x'])
with np.load('c.npz') as c:
    print(c['a'].sum(), c['b'].shape)
d = torch.load('d.pt')
print(list(d), d['list'], d['size'], d['dtype'], d['set'], d['ordered'], d['grad'], d['half'], d['none'], d['bool'])
print(d['same'][0] is d['same'][1], d['x'].data_ptr() == d['row'].data_ptr(), d['t'].stride(), d['x']._base, d['x']._version)
d['row'][0] = 9
print(d['x'][0, 0], d['t'][0, 0])
print(load_file('m.safetensors'))
torch.save(d, 'again.pt')
print(torch.equal(torch.load('again.pt', map_location='cpu', weights_only=True)['t'], d['t']))
""")
        self.assertEqual(out, """\
[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] (8, 24) [0. 1. 2.]
['arr_0', 'i', 'x'] int32 3 True False
0.0 (2, 3)
['x', 'row', 'list', 'same', 'size', 't', 'dtype', 'set', 'ordered', 'grad', 'half', 'none', 'bool'] [1, -300, 1099511627776, 2.5, None, True] \
torch.Size([2, 3]) torch.float32 {1, 2} OrderedDict() tensor([1., 1.], requires_grad=True) tensor([1., 1.], dtype=torch.bfloat16) \
tensor([]) tensor([True])
True True (1, 3) None 1
tensor(9.) tensor(9.)
{'i': tensor([0, 1]), 'e': tensor([], size=(0, 2)), 'w': tensor([[0., 1., 2.],
        [3., 4., 5.]]), 'b': tensor([1., 1., 1.], dtype=torch.float16)}
True
""")

    def test_recorded(self):
        """A file that PyTorch itself wrote."""
        with open(os.path.join(HERE, "recorded.txt")) as file:
            self.put("r.pt", base64.b64decode(file.read()))
        self.assertEqual(self.locus("import torch\nd = torch.load('r.pt')\nprint(d, d['w'].data_ptr() == d['row'].data_ptr())\n"),
                         "OrderedDict([('w', tensor([[0., 1.],\n        [2., 3.]])), ('row', tensor([0., 1.])), ('n', [1, 'two', 3.5])]) True\n")

    def damaged(self, name):
        """Versions of a file: cut off, bytes changed at random, parts moved."""
        data, rng, made = self.get(name), random.Random(name), []
        stem, ending = name.split(".")
        for k in range(400):
            bad = bytearray(data)
            if k < 60:
                bad = bad[:len(bad) * k // 60]
            elif k < 340:
                for _ in range(rng.randint(1, 4)):
                    bad[rng.randrange(len(bad))] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
            else:
                at, n, to = rng.randrange(len(bad)), rng.randrange(64), rng.randrange(len(bad))
                bad[to:to + n] = bad[at:at + n]
            made.append("%s%d.%s" % (stem, k, ending))
            self.put(made[-1], bytes(bad))
        return made

    def test_damaged(self):
        for name in ("a.npy", "z.npz", "c.npz", "d.pt", "m.safetensors"):
            with self.subTest(name):
                kinds = dict(eval(self.locus(READ, *self.damaged(name))))
                self.assertLessEqual(set(kinds), ERRORS)
                self.assertEqual(sum(kinds.values()), 400)
                self.assertGreater(400 - kinds.get("read", 0), 60)

    def test_damaged_pickle(self):
        """Pickles whose archive is whole again: the checksum does not save the reader."""
        with zipfile.ZipFile(self.path("d.pt")) as archive:
            records = {name: archive.read(name) for name in archive.namelist()}
        rng, made = random.Random(1), []
        for k in range(600):
            bad = bytearray(records["d/data.pkl"])
            for _ in range(rng.randint(1, 3)):
                bad[rng.randrange(len(bad))] = rng.choice(b"(}])NKMJXqrhjteasucRQb.\x85\x86\x87\x88\x8a\x8c\x93\xff\0" + bytes([rng.randrange(256)]))
            made.append("p%d.pt" % k)
            with zipfile.ZipFile(self.path(made[-1]), "w") as archive:
                for name, data in records.items():
                    archive.writestr(name, bytes(bad) if name == "d/data.pkl" else data)
        kinds = dict(eval(self.locus(READ, *made)))
        self.assertLessEqual(set(kinds), ERRORS)
        self.assertGreater(kinds.get("RuntimeError", 0), 100)


class Hostile(Files):
    def pt(self, pickled, **records):
        with zipfile.ZipFile(self.path("h.pt"), "w") as archive:
            archive.writestr("h/data.pkl", pickled)
            for key, data in records.items():
                archive.writestr("h/data/" + key[1:], data)
        return self.fails("import torch\ntorch.load('h.pt')")

    def tensor(self, offset=0, size=b"K\4", stride=b"K\1", numel=b"K\4", storage=b"FloatStorage"):
        return (b"\x80\2ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\n" + storage + b"\nX\1\0\0\0\x30X\3\0\0\0cpu" + numel + b"tQ"
                b"K" + bytes([offset]) + b"(" + size + b"t(" + stride + b"t\x89ccollections\nOrderedDict\n)RtR.")

    def test_names(self):
        for name in (b"os\nsystem", b"builtins\neval", b"torch\nload", b"numpy\nndarray"):
            self.assertIn("which Locus does not load", self.pt(b"\x80\2c" + name + b"\n(X\1\0\0\0atR."))

    def test_opcodes(self):
        for pickled, problem in (
                (b"\x80\2\x81.", "opcode 0x81"), (b"\x80\2i.", "opcode 0x69"), (b"\x80\2", "ends too early"), (b"", "ends too early"),
                (b"\x80\2.", "than there is"), (b"\x80\2t.", "a mark is missing"), (b"\x80\2K\1K\2s.", "than there is"),
                (b"\x80\2K\1K\2K\3s.", "no dict"), (b"\x80\2K\1(K\2e.", "no list"), (b"\x80\2h\5.", "was not kept"), (b"\x80\2]r\xff\xff\xff\xff.", "out of order"),
                (b"\x80\2X\xff\xff\xff\x7fa.", "too long"), (b"\x80\2\x8a\xff1.", "ends too early"), (b"\x80\2\x8a\x10" + b"1" * 16 + b".", "beyond 64 bits"),
                (b"\x80\x09N.", "protocol"), (b"\x80\2" + b"(" * 20000 + b".", "nested too deep"), (b"\x80\2}(]K\1u.", "unhashable"),
                (b"\x80\2ccollections\nOrderedDict\n.", "no value"), (b"\x80\2]ccollections\nOrderedDict\n\x85a.", "no value"),
                (b"\x80\2K\1)R.", "no function"), (b"\x80\2N}b.", "attributes"), (b"\x80\2K\1Q.", "not described"), (b"\x80\2X\1\0\0\0\xff.", "")):
            with self.subTest(pickled[:20]):
                self.assertIn(problem, self.pt(pickled))

    def test_depth(self):
        """A list 200,000 deep is read, and let go of."""
        with zipfile.ZipFile(self.path("deep.pt"), "w") as archive:
            archive.writestr("deep/data.pkl", b"\x80\2" + b"]" * 200000 + b"a" * 199999 + b".")
        self.assertEqual(self.locus("import torch\nx = torch.load('deep.pt')\nprint(len(x))\ntry:\n    torch.save(x, 'again.pt')\n"
                                    "except RecursionError:\n    print('too deep')\n"), "1\ntoo deep\n")

    def test_tensors(self):
        data = struct.pack("<4f", 1, 2, 3, 4)
        with zipfile.ZipFile(self.path("good.pt"), "w") as archive:
            archive.writestr("good/data.pkl", self.tensor())
            archive.writestr("good/data/0", data)
        self.assertEqual(self.locus("import torch\nprint(torch.load('good.pt'))\n"), "tensor([1., 2., 3., 4.])\n")
        huge = b"\x8a\x08" + struct.pack("<q", 2 ** 62)
        for changes, problem in (
                ({"offset": 1}, "beyond its storage"), ({"size": b"K\5"}, "beyond its storage"), ({"stride": b"K\2"}, "beyond its storage"),
                ({"size": huge, "stride": b"K\4"}, "beyond its storage"), ({"size": huge, "stride": huge}, "beyond its storage"),
                ({"size": b"K\2K\2"}, "not described as one"), ({"size": b"J\xff\xff\xff\xff"}, "not described as one"), ({"size": b"N"}, "not described"),
                ({"numel": b"K\5"}, "has 16 bytes in the file"), ({"numel": huge}, "has 16 bytes in the file"), ({"storage": b"DoubleStorage"}, "has 16 bytes"),
                ({"storage": b"QInt8Storage"}, "does not load")):
            with self.subTest(changes):
                self.assertIn(problem, self.pt(self.tensor(**changes), _0=data))
        self.assertIn("no record of storage", self.pt(self.tensor()))
        self.assertIn("map_location", self.pt(self.tensor().replace(b"X\3\0\0\0cpu", b"X\6\0\0\0cuda:0"), _0=data))

    def test_zip(self):
        with zipfile.ZipFile(self.path("o.pt"), "w") as archive:
            archive.writestr("o/data.pkl", b"\x80\2N.")
            archive.writestr("o/version", b"3\n")
        data = self.get("o.pt")
        directory = data.rindex(b"PK\1\2")
        first = data.index(b"PK\1\2")
        for at, value, problem in (
                (directory + 42, b"\0\0\0\0", "overlap"), (directory + 42, b"\xff\xff\xff\x7f", "not where"), (first + 20, b"\xff\xff\xff\x7f", "beyond its end"),
                (first + 24, b"\xff\xff\xff\x7f", "impossible size"), (first + 10, b"\x0c\0", "method 12"), (first + 8, b"\1\0", "encrypted"),
                (first + 16, b"\0\0\0\0", "checksum"), (len(data) - 6, b"\xff\xff\xff\x7f", "directory"), (len(data) - 12, b"\xff\x7f", "directory")):
            with self.subTest(problem):
                self.put("b.pt", data[:at] + value + data[at + len(value):])
                self.assertIn(problem, self.fails("import torch\ntorch.load('b.pt')"))
        for content in (b"", b"PK", b"\x80\2N.", b"x" * 100):
            self.put("b.pt", content)
            self.assertIn("no zip archive", self.fails("import torch\ntorch.load('b.pt')"))

    def test_bomb(self):
        """An entry that says it unpacks to far more than its bytes can hold."""
        with zipfile.ZipFile(self.path("b.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.npy", b"\0" * 100000)
        data = bytearray(self.get("b.npz"))
        at = data.index(b"PK\1\2")
        data[at + 24:at + 28] = b"\xff\xff\xff\xf0"
        self.put("b.npz", bytes(data))
        self.assertIn("impossible size", self.fails("import numpy as np\nnp.load('b.npz')"))

    def npy(self, header, data=b"", version=b"\1\0"):
        self.put("h.npy", b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + data)
        return self.fails("import numpy as np\nnp.load('h.npy')")

    def test_npy(self):
        good = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
        for header, problem in (
                (good, "the file ends after 0 of 16 bytes"), (good.replace(b"(2,)", b"(2000000000, 2000000000, 2000000000)"), "beyond all memory"),
                (good.replace(b"(2,)", b"(99999999999999999999,)"), "shape cannot be read"), (good.replace(b"(2,)", b"(-2,)"), "shape cannot be read"),
                (good.replace(b"<f8", b"|O"), "allow_pickle=False"), (good.replace(b"<f8", b">f8"), "not supported"), (good.replace(b"<f8", b"<c16"), "not supported"),
                (good.replace(b"'<f8'", b"[('a', '<f8')]"), "structures"), (good.replace(b"False", b"Maybe"), "cannot be read"), (good[:-10], "cannot be read"),
                (good.replace(b"shape", b"share"), "unknown entry"), (b"{}", "not whole"), (b"", "no dict"), (b"{'descr", "cannot be read"),
                (b"{'shape': (" + b"1," * 100 + b")}", "shape cannot be read")):
            with self.subTest(header):
                self.assertIn(problem, self.npy(header))
        self.assertIn("version", self.npy(good, version=b"\x09\0"))
        self.put("h.npy", b"\x93NUMPY\2\0\xff\xff\xff\xff")
        self.assertIn("cut off", self.fails("import numpy as np\nnp.load('h.npy')"))

    def safe(self, header, data=b""):
        header = header if isinstance(header, bytes) else json.dumps(header).encode()
        self.put("h.safetensors", struct.pack("<Q", len(header)) + header + data)
        return self.fails("from safetensors.torch import load_file\nload_file('h.safetensors')")

    def test_safetensors(self):
        def one(**changes):
            return {"a": dict({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, **changes)}
        for header, problem in (
                (one(), "more or fewer bytes"), (one(shape=[3]), "does not fit"), (one(shape=[-2]), "no list of sizes"), (one(shape=[1 << 62, 1 << 62]), "beyond all memory"),
                (one(shape=2), "not described"), (one(data_offsets=[8, 0]), "does not fit"), (one(data_offsets=[-8, 0]), "no number"),
                (one(data_offsets=[0]), "not described"), (one(dtype="F8_E4M3"), "not supported"), (one(dtype=3), "not described"), ([], "no JSON object"),
                (b"{", "no JSON object"), (b"[" * 5000, "no JSON object"), ({"a": 1}, "not described"), (b'{"a":1,"a":2}', "no JSON object")):
            with self.subTest(header):
                self.assertIn(problem, self.safe(header))
        self.assertIn("overlap", self.safe({"a": one()["a"], "b": one()["a"]}, b"\0" * 16))
        self.assertIn("overlap", self.safe({"a": one()["a"], "b": one(data_offsets=[16, 24])["a"]}, b"\0" * 24))
        self.assertIn("more or fewer bytes", self.safe(one(), b"\0" * 9))
        for content in (b"", b"\0" * 7, b"\xff" * 8, struct.pack("<Q", 100) + b"{}"):
            self.put("h.safetensors", content)
            self.assertIn("no safetensors file", self.fails("from safetensors.torch import load_file\nload_file('h.safetensors')"))

    def test_names_of_files(self):
        for code, problem in (
                ("np.load('none.npy')", "FileNotFoundError"), ("torch.load('none.pt')", "FileNotFoundError"), ("np.load('.')", "IsADirectoryError"),
                ("torch.save(1, '/none/x.pt')", "FileNotFoundError"), ("np.save(1, 1)", "TypeError"), ("torch.load(3)", "TypeError"), ("np.load('a\\0b')", "ValueError"),
                ("torch.save(np.ones(2), 'x.pt')", "TypeError"), ("torch.save([torch], 'x.pt')", "TypeError"), ("torch.save(1, '/dev/full')", "OSError"),
                ("np.load('a.npy', allow_pickle=True)", "NotImplementedError")):
            with self.subTest(code):
                self.assertIn(problem, self.fails("import numpy as np\nimport torch\n" + code))

    def test_paths(self):
        self.assertEqual(self.locus("import torch\nimport numpy as np\nfrom pathlib import Path\nfolder = Path('.')\ntorch.save([1], folder / 'x.pt')\n"
                                    "np.save(folder / 'x', np.ones(2))\nprint(torch.load(folder / 'x.pt'), np.load('x.npy'))\n"), "[1] [1. 1.]\n")

    def test_one_storage_of_two_dtypes(self):
        self.assertIn("view the same data as different types", self.fails("import torch\nx = torch.ones(4)\ntorch.save([x, x.view(torch.int32)], 'x.pt')"))


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=1).result
    bad = len({test.id().split(" ")[0] for test, _ in result.failures + result.errors})
    print("%d passed, %d failed" % (result.testsRun - bad, bad))
    sys.exit(1 if bad else 0)
