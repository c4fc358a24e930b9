#!/usr/bin/env python3
"""Test what nobody should write: it ends with a clear error or does what Python does, without a crash, and soon.

usage: test_bad_input.py [LOCUS]        LOCUS: the program, build/locus if missing
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "locus"))
SECONDS = 60
DEEP, MANY, LARGE = 100_000, 100_000, 10_000_000
TOO_DEEP = "SyntaxError: this is nested too deeply"
BRACKETS = "SyntaxError: too many nested parentheses"
RECURSION = "RecursionError: maximum recursion depth exceeded"
NO_MEMORY = "no memory for "


def blocks(head):
    return "".join(" " * k + head + "\n" for k in range(1000)) + " " * 1000 + "x = 1\n"


def nested(make, use):
    """What is nested DEEP levels deep is made, used, and let go of."""
    return "x = None\nfor i in range(%d):\n    x = %s\ntry:\n    %s\n    print('did')\nexcept RecursionError:\n    print('did')\ndel x\nprint('gone')\n" % (
        DEEP, make, use)


# name, source, what the last line of standard error begins with; None: it runs, and the last line it prints follows
SOURCES = [
    ("an open bracket", "x = (1,\ny = 2\n", "SyntaxError: '(' was never closed"),
    ("a bracket too many", "x = (1))\n", "SyntaxError"),
    ("the wrong bracket", "x = (1]\n", "SyntaxError"),
    ("an open string", "x = 'abc\n", "SyntaxError"),
    ("an open long string", "x = '''abc\n", "SyntaxError"),
    ("an open f-string", "x = f'{1'\n", "SyntaxError"),
    ("an open field", "x = f'{'\n", "SyntaxError"),
    ("indented", "  x = 1\n", "IndentationError"),
    ("indented too little", "if 1:\n    x = 1\n  y = 2\n", "IndentationError"),
    ("not indented", "if 1:\nx = 1\n", "IndentationError"),
    ("tabs and blanks", "if 1:\n        x = 1\n\ty = 2\n", "TabError"),
    ("a line that goes on nowhere", "x = 1 + \\", "SyntaxError"),
    ("no UTF-8", b"x = '\xff'\n", "SyntaxError: source text is not valid UTF-8 (byte 0xff)"),
    ("half a character", b"# \xc3\n", "SyntaxError: source text is not valid UTF-8 (byte 0xc3)"),
    ("a surrogate", b"x = '\xed\xa0\x80'\n", "SyntaxError: source text is not valid UTF-8"),
    ("a zero byte", b"x = 1\0\n", "SyntaxError: source text holds a zero byte"),
    ("a zero byte in a string", b"x = '\0'\n", "SyntaxError: source text holds a zero byte"),
    ("a form feed", b"\x0cprint(1)\n", None, "1"),
    ("other controls", b"x = \x01\n", "SyntaxError"),
    ("a no-break space", "x =\u00a01\n", "SyntaxError"),

    ("open brackets", "x = " + "(" * DEEP, BRACKETS),
    ("brackets", "x = " + "[" * DEEP + "]" * DEEP, BRACKETS),
    ("all kinds of brackets", "x = " + "([{" * DEEP, BRACKETS),
    ("targets", "(" * DEEP + "x" + ",)" * DEEP + " = 1", BRACKETS),
    ("signs", "x = " + "-" * DEEP + "1\nprint(x)", None, "1"),
    ("nots", "x = " + "not " * DEEP + "1\nprint(x)", None, "True"),
    ("powers", "x = " + "**".join(["1"] * DEEP), TOO_DEEP),
    ("conditions", "x = " + "1 if 0 else " * DEEP + "2", TOO_DEEP),
    ("lambdas", "x = " + "lambda: " * 20_000 + "1", TOO_DEEP),
    ("attributes", "y = 1\nx = y" + ".real" * DEEP + "\nprint(x)", None, "1"),
    ("subscripts", "y = [1]\nx = y" + "[0]" * DEEP, "TypeError: 'int' object is not subscriptable"),
    ("calls", "f = 1\nx = f" + "()" * DEEP, "TypeError: 'int' object is not callable"),
    ("a long sum", "a = 1\nprint(" + "+".join(["a"] * MANY) + ")", None, str(MANY)),
    ("a long comparison", "print(" + "<".join(["1"] * MANY) + ")", None, "False"),
    ("ands", "print(" + " and ".join(["1"] * MANY) + ")", None, "1"),
    ("ors", "print(" + " or ".join(["0"] * MANY) + ")", None, "0"),
    ("strings side by side", "print(len(" + " ".join(["'a'"] * MANY) + "))", None, str(MANY)),
    ("elifs", "x = 5\nif x == -1:\n    pass\n" + "".join("elif x == %d:\n    y = %d\n" % (k, k) for k in range(MANY)) + "print(y)", None, "5"),
    ("chained assignment", "x = " * MANY + "1\nprint(x)", None, "1"),
    ("many statements", "x = 1; " * MANY + "\nprint(x)", None, "1"),
    ("many names", "".join("x%d = %d\n" % (k, k) for k in range(1000)) + "print(x999)", None, "999"),
    ("many decorators", "@f\n" * MANY + "def g(): pass", "NameError: name 'f' is not defined"),
    ("many arguments", "def f(*a): return len(a)\nprint(f(" + "1," * MANY + "))", None, str(MANY)),
    ("many items", "print(len([" + "1," * MANY + "]), len({" + "1: 2," * MANY + "}))", None, "%d 1" % MANY),
    ("ifs in ifs", blocks("if 1:"), "IndentationError: too many levels of indentation"),
    ("functions in functions", blocks("def f():"), "IndentationError: too many levels of indentation"),
    ("loops in loops", blocks("for i in [1]:"), "IndentationError: too many levels of indentation"),
    ("classes in classes", blocks("class C:"), "IndentationError: too many levels of indentation"),
    ("comprehensions", "x = " + "[i for i in " * DEEP + "[1]" + "]" * DEEP, BRACKETS),
    ("fields in fields", "x = f'" + "{1:" * DEEP + "'", "SyntaxError: the fields of an f-string are nested too deeply"),

    ("a long expression", "x = " + "1 + " * (LARGE // 4) + "1\nprint(x)", None, str(LARGE // 4 + 1)),
    ("a long string", "x = '" + "a" * LARGE + "'\nprint(len(x))", None, str(LARGE)),
    ("a long name", "x" * LARGE + " = 1\nprint(" + "x" * LARGE + ")", None, "1"),
    ("a long name that is nothing", "x" * LARGE, "NameError: name 'xxxx"),
    ("a long number", "x = " + "9" * LARGE, "SyntaxError: a decimal number of 10000000 digits is too long"),
    ("a long fraction", "print(0." + "9" * LARGE + ")", None, "1.0"),
    ("a long comment", "#" + "a" * LARGE + "\nprint(1)", None, "1"),
    ("a long indentation", "if 1:\n" + " " * LARGE + "print(1)", None, "1"),
    ("a long error line", "x = [" + "1, " * (LARGE // 3) + "] + y", "NameError: name 'y' is not defined"),
    ("a long output", "print('x' * %d)" % LARGE, None, "x" * LARGE),

    ("lists, printed", nested("[x]", "repr(x)"), None, "gone"),
    ("lists, compared", nested("[x]", "x == [x[0]], [[[1]]] == x"), None, "gone"),
    ("lists, copied", "import copy\n" + nested("[x]", "copy.deepcopy(x)"), None, "gone"),
    ("tuples, hashed", nested("(x,)", "hash(x)"), None, "gone"),
    ("tuples, sorted", nested("(x,)", "sorted([x, x]), x in {(1,), 2}"), None, "gone"),
    ("dicts", nested("{1: x}", "repr(x), x == {1: {1: 2}}"), None, "gone"),
    ("instances", "class C:\n    def __init__(self, n): self.n = n\n" + nested("C(x)", "x.n.n.n"), None, "gone"),
    ("closures", nested("(lambda g: lambda: g())(x)", "x()"), None, "gone"),
    ("iterators", nested("map(str, x or [1])", "list(x)"), None, "gone"),
    ("chains", "import itertools\n" + nested("itertools.chain(x or [1])", "list(x)"), None, "gone"),
    ("partials", "import functools\n" + nested("functools.partial(x or abs)", "x(1)"), None, "gone"),
    ("errors", "e = None\nfor i in range(%d):\n    try:\n        raise ValueError(i) from e\n    except ValueError as f:\n        e = f\nraise e" % DEEP,
     "ValueError: %d" % (DEEP - 1)),
    ("a list in itself", "x = []\nx.append(x)\nprint(x)\ny = []\ny.append(y)\nx == y", RECURSION),
    ("recursion", "def f():\n    return f()\nf()", RECURSION),
    ("recursion of repr", "class C:\n    def __repr__(self): return repr(self)\nprint(C())", RECURSION),
    ("recursion of ==", "class C:\n    def __eq__(self, o): return self == o\nC() == C()", RECURSION),
    ("recursion of attributes", "class C:\n    def __getattr__(self, n): return self.x\nC().y", RECURSION),
    ("recursion of keys", "def f(x): return sorted([1, 2], key=f)\nf(1)", RECURSION),
    ("recursion of generators", "def g():\n    yield from g()\nnext(g())", RECURSION),
    ("recursion of hooks", "class C:\n    def __init__(self): C()\nC()", RECURSION),

    ("a large power", "x = 10**10000\nprint(x % 7)", None, "4"),
    ("a power that is too large", "10**10**10", "MemoryError"),
    ("a shift that is too large", "1 << 10**12", "MemoryError"),
    ("digits of a large int", "print(10**10000)", "ValueError: Exceeds the limit (4300 digits) for integer string conversion"),
    ("as many digits as there may be", "print(len(str(-10**4299)), len(f'{10**4299}'), len('%d' % 10**4299))", None, "4301 4300 4300"),
    ("a digit more", "f'{10**4300}'", "ValueError: Exceeds the limit (4300 digits)"),
    ("an int from many digits", "int('9' * 10**6)", "ValueError: Exceeds the limit (4300 digits)"),
    ("a large int as a float", "float(10**400)", "OverflowError: int too large to convert to float"),
    ("a large range", "print(len(range(2**63 - 1)))\nrange(2**63)", "OverflowError"),
    ("a range that is too long", "range(-2**63, 2**63 - 1)", "OverflowError"),
    ("a list of a large range", "list(range(10**14))", "MemoryError"),
    ("a large text", "'a' * 10**14", "MemoryError"),
    ("a large list", "[1] * 10**14", "MemoryError"),
    ("a wide format", "f'{1:1000000000000}'", "ValueError"),
    ("a large index", "[1][10**30]", "IndexError"),
    ("a large slice", "print([1, 2][-10**30:10**30], [1, 2][::10**30])", None, "[1, 2] [1]"),
    ("a long sleep", "import time\ntime.sleep(10**30)", "OverflowError"),
    ("a script that does not stop by itself", "x = {1: 1}\nfor k in x:\n    x[k + 1] = 1", "RuntimeError: dictionary changed size during iteration"),
]

TENSORS = [
    ("torch.zeros(2**62)", "RuntimeError"),
    ("torch.zeros(10**12)", "RuntimeError: no memory for a tensor of 4000000000000 bytes"),
    ("torch.zeros(10**10, 10**10)", "RuntimeError: a tensor of more than 2**63 elements"),
    ("torch.zeros(2**63)", "OverflowError"),
    ("torch.zeros(10**30)", "OverflowError"),
    ("torch.zeros(-1)", "RuntimeError: dimension 0 has the negative size -1"),
    ("torch.zeros(2, 3).view(-1, -1)", "RuntimeError: only one size can be -1"),
    ("torch.zeros(2).view(-2)", "RuntimeError"),
    ("torch.zeros(0).view(-1, 0)", "RuntimeError"),
    ("torch.ones(3).reshape(2**62, -1)", "RuntimeError"),
    ("torch.zeros(2)[10**18]", "IndexError"),
    ("torch.zeros(2)[10**30]", "IndexError"),
    ("torch.zeros(2)[10**18:]", None, "tensor([])"),
    ("torch.zeros(2)[-10**30:10**30:10**18]", None, "tensor([0.])"),
    ("torch.zeros(1).expand(2**62)", None, "tensor([0., 0., 0.,  ..., 0., 0., 0.])"),
    ("torch.zeros(1).expand(2**62) + 1", "RuntimeError"),
    ("torch.zeros(1).expand(2**40).contiguous()", "RuntimeError: no memory"),
    ("torch.zeros(1).expand(2**62, 2**62)", "RuntimeError: a tensor of more than 2**63 elements"),
    ("torch.zeros(2, 1).expand(2, 2**63 - 1)", "RuntimeError: a tensor of more than 2**63 elements"),
    ("torch.broadcast_to(torch.zeros(1), (2**32, 2**32))", "RuntimeError: a tensor of more than 2**63 elements"),
    ("torch.zeros(1).expand(2**62).tolist()", "MemoryError"),
    ("torch.zeros(0, 2**62, 2**62).shape", None, "torch.Size([0, 4611686018427387904, 4611686018427387904])"),
    ("torch.cat([torch.zeros(1).expand(2**40)] * 3)", "RuntimeError: no memory"),
    ("torch.ones(2).repeat(2**62, 2**62)", "RuntimeError"),
    ("torch.meshgrid(*[torch.arange(1000)] * 7)", "RuntimeError: a tensor of more than 2**63 elements"),
    ("torch.outer(torch.zeros(10**6), torch.zeros(10**7))", "RuntimeError: no memory"),
    ("torch.arange(10**15)", "RuntimeError: no memory"),
    ("torch.arange(0, 1, 1e-300)", "RuntimeError: arange(): 1e+300 elements are too many"),
    ("torch.arange(0, float('inf'))", "RuntimeError"),
    ("torch.ones(*[1] * 100000)", "RuntimeError: a tensor has at most 64 dimensions"),
    ("torch.ones(2).narrow(0, 2**62, 2**62)", "IndexError"),
    ("torch.ones(8).as_strided((4,), (2**62,))", "RuntimeError"),
    ("torch.ones(8).as_strided((2,), (1,), 2**63 - 1)", "RuntimeError"),
    ("torch.ones(8).as_strided((2**40, 2**40), (1, 1))", "RuntimeError"),
    ("torch.ones(8).unfold(0, 2**62, 1)", "RuntimeError"),
    ("torch.ones(2).roll(10**18)", None, "tensor([1., 1.])"),
    ("torch.zeros(2).sum(2**62)", "IndexError"),
    ("torch.zeros(2).sum(-2**63)", "IndexError"),
    ("torch.zeros(2).unsqueeze(10**9)", "IndexError"),
    ("torch.ones(3).split(0)", "RuntimeError"),
    ("torch.topk(torch.ones(3), 2**62)", "RuntimeError"),
    ("torch.bincount(torch.tensor([2**40]))", "RuntimeError: no memory"),
    ("torch.tensor(10**10000)", "RuntimeError: an int beyond 64 bits does not fit into a tensor"),
    ("torch.tensor([2**63])", "RuntimeError: an int beyond 64 bits does not fit into a tensor"),
    ("torch.tensor(300, dtype=torch.uint8)", "RuntimeError: 300 cannot be represented as uint8"),
    ("torch.full((2,), 10**400)", "OverflowError"),
    ("torch.ones(2) + 10**400", "OverflowError"),
    ("torch.arange(3) * 2**63", "OverflowError"),
    ("torch.ones(2).fill_(10**400)", "OverflowError"),
    ("torch.arange(3) // 0", "RuntimeError: ZeroDivisionError"),
    ("torch.tensor(-2**63) // -1", None, "tensor(-9223372036854775808)"),
    ("torch.tensor(-2**63) % -1", None, "tensor(0)"),
]


def problem_of(source, fails, *last):
    """What is wrong with running this source; None: nothing."""
    with tempfile.NamedTemporaryFile(suffix=".py") as script:
        script.write(source if isinstance(source, bytes) else source.encode())
        script.flush()
        try:
            done = subprocess.run([PROGRAM, script.name], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                                  env=dict(os.environ, LOCUS_LEAKS="1", LC_ALL="C.UTF-8",
                                           ASAN_OPTIONS="allocator_may_return_null=1"))
        except subprocess.TimeoutExpired:
            return "it ran longer than %d seconds" % SECONDS
    out, err = done.stdout.decode("utf-8", "replace").splitlines(), done.stderr.decode("utf-8", "replace").splitlines()
    for line in err:
        if "ERROR: " in line and "Sanitizer" in line or "runtime error: " in line or line.startswith("leak:"):
            return line
    if fails is None:
        if done.returncode or out[-1:] != list(last):
            return "status %d, the last lines are %.200s and %.200s" % (done.returncode, out[-1:], err[-1:])
    elif done.returncode != 1 or not any(line.startswith(fails) for line in err):
        return "status %d, %r is not among %.300r" % (done.returncode, fails, [line[:100] for line in err[-4:]])
    elif sum(len(line) for line in err) > 5_000 + LARGE // 100:
        return "the error is %d characters long" % sum(len(line) for line in err)
    return None


def main():
    passed = failed = 0
    for name, source, *expected in SOURCES + [(e, "import torch\nprint(%s)\n" % e, *rest) for e, *rest in TENSORS]:
        problem = problem_of(source, *expected)
        passed += not problem
        failed += bool(problem)
        if problem:
            print("%s: %s" % (name, problem), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
