#!/usr/bin/env python3
"""Test that the prompt, scripts and notebooks tell the same facts of memory, and that fixed addresses are fixed.

usage: test_front_ends.py [LOCUS [KERNEL]]      the programs, build/locus and build/locus-kernel if missing
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "locus"))
KERNEL = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(PROGRAM), "locus-kernel"))

try:
    from front_ends import FrontEnds, cut, read_trace
except ImportError as problem:
    print("%s: install python3-pyte and python3-nbclient" % problem)
    print("0 passed, 1 failed")
    sys.exit(1)

# new, view, alias, in place, freed, same, unbound; loops, functions, errors; and one value that only `_` and Out keep
STATEMENTS = r"""
import torch
X = torch.arange(6.).view(2, 3)
Y = X
Y = Y + X
V = X.view(-1)
V[0] = 100
T = X.t()
R = T.reshape(6)
Y *= 2
Y[:] = X + Y
W = Y
Y = Y - 1
del W
L = [X, torch.zeros(2), X[0]]
L[1] = L[0]
L.append(torch.ones(3, dtype=torch.float16))
D = {"a": L[3]}
X = X
for k in range(4):
    Y = Y + k
def double(t):
    u = t * 2
    return u
Z = double(double(X))
def change(t):
    t.add_(1)
change(Z)
try:
    T.view(6)
except RuntimeError as error:
    print(type(error).__name__)
class Box:
    def __init__(self, t):
        self.t = t
B = Box(Z + 1)
B.t = None
T.view(6)
n = X.sum().item()
a, b = Y, torch.cat([X, X])
X.sum() + n
c = torch.empty(0)
X = Y = Z = V = T = R = None
L.clear()
""".strip("\n")


def event_facts(event):
    """What must be alike: not the time, not the place in a source of another shape, not the address."""
    return {key: value for key, value in event.items() if key not in ("time", "span", "address")}


def without_addresses(value):
    """ids and data addresses are the process's own."""
    if isinstance(value, dict):
        return {key: without_addresses(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_addresses(item) for item in value]
    return "address" if isinstance(value, int) and value > 1 << 40 else value


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="locus-ends-")
        self.ends = FrontEnds(PROGRAM, KERNEL, self.folder)

    def tearDown(self):
        shutil.rmtree(self.folder)


class Facts(Case):
    def compare(self, name, other, statements, kept):
        """`kept`: a statement whose value lives on in the other; only when it dies may differ, and what takes its block."""
        one, two = read_trace(self.ends.trace("script")), read_trace(self.ends.trace(name))
        self.assertEqual((len(one), len(two)), (len(statements), len(statements)))
        alive = set()
        for text, a, b in zip(statements, one, two):
            for key in ("n", "stdout", "result"):
                self.assertEqual(a[key], b[key], (name, text))
            self.assertEqual((a["error"] or {}).get("type"), (b["error"] or {}).get("type"), (name, text))
            self.assertEqual(without_addresses(a["vars"]), without_addresses(b["vars"]), (name, text))
            mine, theirs = list(map(event_facts, a["events"])), list(map(event_facts, b["events"]))
            if text == kept:
                alive = {(kind, event[kind]) for event in theirs if event["kind"] in ("tensor", "alloc") for kind in ("object", "storage")
                         if event.get(kind)} - {(kind, event[kind]) for event in theirs if event["kind"] in ("drop", "free")
                                                for kind in ("object", "storage") if event.get(kind)}
                self.assertEqual(len(alive), 2, "the value and its storage")
            for events in (mine, theirs):
                events[:] = [event for event in events if not (event["kind"] == "drop" and ("object", event["object"]) in alive)
                             and not (event["kind"] == "free" and ("storage", event["storage"]) in alive)]
                for event in events if alive else ():
                    event.pop("origin", None), event.pop("was", None)
            self.assertEqual(mine, theirs, (name, text))
            if other and not alive:
                self.assertEqual([event.get("address") for event in a["events"]], [event.get("address") for event in b["events"]], text)
        return alive

    def all_three(self, source, kept=None):
        statements = cut(source)
        shown = [self.ends.prompt(statements, "--fixed-addresses"), self.ends.script(statements, "--fixed-addresses"),
                 self.ends.notebook(statements)]
        for name in ("prompt", "notebook"):
            self.assertEqual(bool(self.compare(name, name == "prompt", statements, kept)), bool(kept))
        self.assertGreater(sum(len(self.rows(answer)) for answer in shown[0]), 30)
        for text, *answers in zip(statements, *shown):
            rows = [self.rows(answer) for answer in answers]
            if text == kept:
                break
            self.assertEqual(rows[0], rows[1], text)
            self.assertEqual(rows[0], rows[2], text)

    @staticmethod
    def rows(shown):
        """(name, verdict, object, bytes) of each line of the display."""
        line = re.compile(r"^(.{4,12}?) +(new|view|alias|in place|same|freed|unbound|temporary) +(#\d+(?: → #\d+| stays)?)?.*?([+−][0-9, +−]+ B|0 B)$", re.M)
        return [tuple(part.strip() for part in match.groups("")) for match in line.finditer(shown)]

    def test_a_lesson(self):
        with open(os.path.join(ROOT, "notebooks", "lessons", "01_saving_memory.py"), encoding="utf-8") as file:
            self.all_three(file.read())

    def test_statements(self):
        source = STATEMENTS.replace("\nT.view(6)\nn =", "\nn =")        # a script would end with an error
        self.all_three(source, "X.sum() + n")

    def test_an_error(self):
        statements = cut(STATEMENTS)
        last = statements.index("T.view(6)") + 1
        shown = [self.ends.prompt(statements[:last]), self.ends.script(statements[:last]), self.ends.notebook(statements[:last])]
        for name in ("prompt", "notebook"):
            self.compare(name, False, statements[:last], None)
        for answers in shown:
            self.assertIn("RuntimeError: ", answers[-1])


class Addresses(Case):
    CODE = "import torch\nX = torch.ones(1000)\nY = [X + 1, torch.zeros(300000)]\nL = []\nprint(id(X), X.data_ptr(), id(Y), Y[1].data_ptr(), id(L), id(print), id('a'), id(1000))\n"

    def printed(self, *options, path="s.py", **environment):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(self.CODE)
        done = subprocess.run([PROGRAM, *options, path, "argument" * len(environment)], capture_output=True, timeout=60, check=True,
                              env=dict(self.ends.environment, **environment))
        return done.stdout

    def test_fixed(self):
        first = self.printed("--fixed-addresses")
        self.assertEqual(self.printed("--fixed-addresses", path="another/and/longer/" + "n" * 200 + ".py"), first)
        self.assertEqual(self.printed("--fixed-addresses", LONG="x" * 100000), first)
        self.assertEqual(self.printed("--fixed-addresses", "--memory=off"), first)
        self.assertEqual(self.printed("--fixed-addresses", "--memory=full", "--trace", os.path.join(self.folder, "t")), first)
        self.assertEqual(self.printed("--fixed-addresses", "--memory=off", "--trace", os.path.join(self.folder, "t")), first)

    def test_the_display_moves_nothing(self):
        """Without fixed addresses too: what lies side by side does so shown or not."""
        def distance(*options):
            numbers = list(map(int, self.printed(*options).split()))
            return numbers[4] - numbers[2]              # of two lists
        self.assertEqual(distance("--memory=off"), distance("--memory=full"))


class Documents(Case):
    """What posts on saving memory show, typed, run and executed: each statement tells id, data address, verdict and bytes."""
    SOURCE = r"""
import torch
X = torch.ones(4, 5)
Y = torch.full((4, 5), 2.)
x = torch.zeros(2 * 3 * 224 * 224)
before = id(Y)
Y = Y + X
print(id(Y) == before, id(Y), Y.data_ptr())
z = torch.zeros_like(Y)
print('id(z):', id(z), z.data_ptr())
z[:] = Y + X
print('id(z):', id(z), z.data_ptr())
before = id(X)
X += Y
print(id(X) == before, id(X), X.data_ptr())
z = x.view(-1, 3, 224, 224)
print(id(z), z.data_ptr(), x.data_ptr(), z.shape)
def model(batch):
    return batch * 2
with torch.no_grad():
    output = model(X)
print(id(output), output.data_ptr())
half = torch.randn(1000, 1000, dtype=torch.float16)
print(id(half), half.data_ptr())
def total():
    numbers = [i for i in range(100000)]
    return sum(numbers)
print(total())
""".strip("\n")
    # statement, verdict, change of live bytes, where in the next statement's output its id and data address stand
    CLAIMS = [("Y = Y + X", "new", "+80 B", 1), ("z = torch.zeros_like(Y)", "new", "+80 B", 1), ("z[:] = Y + X", "in place", "0 B", 1),
              ("X += Y", "in place", "0 B", 1), ("z = x.view(-1, 3, 224, 224)", "view", "0 B", 0),
              ("with torch.no_grad():\n    output = model(X)", "new", "+80 B", 0),
              ("half = torch.randn(1000, 1000, dtype=torch.float16)", "new", "+2,000,000 B", 0)]

    def check(self, name, statements, shown):
        told = dict(zip(statements, shown))
        following = dict(zip(statements, shown[1:]))
        for text, verdict, change, at in self.CLAIMS:
            with self.subTest(front_end=name, statement=text):
                lines = told[text].split("\n")
                while lines and not re.match(r"\w+ +%s " % verdict, lines[0]):
                    lines.pop(0)                        # a cell of several lines is shown before them
                self.assertTrue(lines, told[text])
                self.assertTrue(lines[0].endswith(" " + change), lines)
                identity, data = following[text].replace("id(z): ", "True ").split()[at:at + 2]
                numbers = " ".join(lines[1:4])
                self.assertRegex(numbers, r"id (\d+ → )?%s\b" % identity)
                self.assertRegex(numbers, r"data (0x[0-9a-f]+ → )?%#x\b" % int(data))
        self.assertEqual(following["Y = Y + X"].split()[0], "False")
        self.assertEqual(following["X += Y"].split()[0], "True")
        self.assertEqual(*(following[text].split()[1] for text in ("z = torch.zeros_like(Y)", "z[:] = Y + X")))
        self.assertRegex(told["z[:] = Y + X"], r"(?m)^     temporary +S\d+ .* Y \+ X +\+80 −80 B$")
        self.assertRegex(told["Y = Y + X"], r"(?m)^     freed +S\d+ .*to cache +−80 B$")
        self.assertIn("shared with x", told["z = x.view(-1, 3, 224, 224)"])
        self.assertEqual(shown[-1].split()[0], "4999950000")

    def test_prompt(self):
        statements = cut(self.SOURCE)
        self.check("prompt", statements, self.ends.prompt(statements))

    def test_script(self):
        statements = cut(self.SOURCE)
        self.check("script", statements, self.ends.script(statements))

    def test_notebook(self):
        statements = cut(self.SOURCE)
        self.check("notebook", statements, self.ends.notebook(statements))


def main():
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromName("__main__"))
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print("%d passed, %d failed" % (result.testsRun - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
