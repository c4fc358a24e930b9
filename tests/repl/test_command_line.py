#!/usr/bin/env python3
"""Test the command line: options, arguments of scripts, what goes to which stream, exit status.

usage: test_command_line.py [LOCUS]     LOCUS: the program, build/locus if missing
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "locus"))
TENSORS = "import torch\nX = torch.ones(2)\nprint(X)\nX += 1\n"


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="locus-")
        self.environment = dict(os.environ, LANG="C.UTF-8", LOCUS_LEAKS="1")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def run_locus(self, *arguments, text="", **options):
        """(status, standard output, standard error)"""
        done = subprocess.run([PROGRAM, *arguments], input=text if isinstance(text, bytes) else text.encode(), capture_output=True,
                              timeout=60, cwd=self.folder, env=self.environment, **options)
        self.assertNotIn(b"leak:", done.stderr)
        self.assertNotIn(b"Sanitizer", done.stderr)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


class Sources(CommandLine):
    def test_script_and_its_arguments(self):
        path = self.file("s.py", "import sys\nprint(sys.argv, __name__)\n")
        self.assertEqual(self.run_locus("--memory=off", path, "a", "--memory=off", "-c", "名"),
                         (0, "%r __main__\n" % [path, "a", "--memory=off", "-c", "名"], ""))

    def test_standard_input(self):
        text = "import sys\nprint(sys.argv)\nprint(1 + 1)\n2\n"
        self.assertEqual(self.run_locus("-", "a", text=text), (0, "['-', 'a']\n2\n", ""))
        self.assertEqual(self.run_locus(text=text), (0, "['']\n2\n", ""))
        self.assertEqual(self.run_locus(), (0, "", ""))

    def test_input(self):
        self.assertEqual(self.run_locus("-c", "print(input('? '), input())", text="a 名\nb"), (0, "? a 名 b\n", ""))
        for text, problem in ((b"", "EOFError"), (b"\xff\n", "ValueError"), (b"a\0b\n", "ValueError")):
            status, out, err = self.run_locus("-c", "input()", text=text)
            self.assertEqual((status, out, err.split(":")[0]), (1, "", problem))

    def test_code(self):
        self.assertEqual(self.run_locus("-c", "import sys; print(sys.argv)", "a", "-b"), (0, "['-c', 'a', '-b']\n", ""))
        self.assertEqual(self.run_locus("-c", ""), (0, "", ""))

    def test_forms_of_text(self):
        for text in ("\ufeffprint(1)\r\nif 1:\r\n    print(2)", "print(1)\rprint(2)\r", "print(1)\n\n\n# end\nprint(2) # end", "#!/usr/bin/env locus\nprint(1);print(2)"):
            self.assertEqual(self.run_locus(self.file("s.py", text)), (0, "1\n2\n", ""))
        for text in ("", "\n", "# nothing", "\n\n   \n\t\n", "\ufeff"):
            self.assertEqual(self.run_locus(self.file("s.py", text)), (0, "", ""))

    def test_commands_are_for_prompts(self):
        for text in ("%who\n", "print?\n", "!ls\n"):
            status, out, err = self.run_locus("-c", text)
            self.assertEqual((status, out, err.split(":")[0]), (1, "", "SyntaxError"))


class Options(CommandLine):
    def test_streams(self):
        path = self.file("s.py", TENSORS)
        status, out, err = self.run_locus(path)
        self.assertEqual((status, out), (0, "tensor([1., 1.])\n"))
        self.assertEqual([line[:15].strip() for line in err.splitlines() if line[:5].strip()], ["X    new", "X    in place"])
        self.assertNotIn("\x1b", err)

    def test_memory_of_arrays(self):
        """An array and a tensor over one storage: who shares with whom, what is written through which, whose version counts."""
        path = self.file("s.py", "import numpy as np\nimport torch\na = np.ones((2, 3))\nt = torch.from_numpy(a)\na[0] = 5\nt.mul_(2)\n"
                                 "n = t.numpy()\nc = torch.tensor(a)\ndel a\nx = np.float64(2)\n")
        status, _, err = self.run_locus("--memory=normal", "--no-color", path)
        lines = [re.sub(r"…[0-9a-f]{4}", "…", " ".join(line.split())) for line in err.splitlines() if not line.startswith("   ")]
        self.assertEqual((status, lines), (0, [
            "a new #1 S1 … ndarray float64 (2, 3) +48 B",
            "t view #2 S1 … shared with a 0 B",
            "a in place #1 stays S1 … stays also seen through t 0 B",
            "t in place #2 stays S1 … stays also seen through a 0 B",
            "n view #3 S1 … shared with a, t 0 B",
            "c new #4 S2 … copied from a, 48 B +48 B",
            "a unbound #1 gone S1 … shared with t, n 0 B"]))
        self.assertIn("ndarray float64 (2, 3) stride (24, 8) B", err)
        self.assertIn("float64 (2, 3) stride (3, 1)", err)
        self.assertEqual(err.count("version 0 → 1"), 2)

    def test_memory(self):
        path, lines = self.file("s.py", TENSORS), {}
        for level in ("off", "brief", "normal", "full"):
            status, out, err = self.run_locus("--memory=" + level, path)
            self.assertEqual((status, out), (0, "tensor([1., 1.])\n"))
            lines[level] = len(err.splitlines())
            self.assertEqual(self.run_locus("--memory", level, path)[2].count("\n"), lines[level])
        self.assertEqual((lines["off"], lines["brief"], lines["normal"]), (0, 2, 4))
        self.assertGreater(lines["full"], 4)

    def test_trace(self):
        path, trace = self.file("s.py", TENSORS), os.path.join(self.folder, "t.jsonl")
        for options in (("--trace", trace), ("--trace=" + trace, "--memory=off")):
            status, out, _ = self.run_locus(*options, path)
            self.assertEqual((status, out), (0, "tensor([1., 1.])\n"))
            with open(trace) as file:
                lines = [json.loads(line) for line in file]
            self.assertEqual([line["n"] for line in lines], [1, 2, 3, 4])
            self.assertEqual(lines[2]["stdout"], "tensor([1., 1.])\n")
            self.assertEqual([event["kind"] for event in lines[3]["events"]], ["write", "bind"])

    def test_trace_of_a_failure(self):
        trace = os.path.join(self.folder, "t.jsonl")
        for code, kind, count in (("x = 1\n1 / 0\ny = 2", "ZeroDivisionError", 2), ("x = (", "SyntaxError", 1)):
            self.assertEqual(self.run_locus("--trace", trace, "-c", code)[0], 1)
            with open(trace) as file:
                lines = [json.loads(line) for line in file]
            self.assertEqual((len(lines), lines[-1]["error"]["type"]), (count, kind))

    def test_a_trace_that_cannot_be_written(self):
        status, out, err = self.run_locus("--trace", "/nonexistent/t", "-c", "print(1)")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("/nonexistent/t", err)
        status, out, err = self.run_locus("--trace", "/dev/full", "--memory=off", "-c", "print(1)\nprint(2)")
        self.assertEqual((status, out), (1, "1\n2\n"))
        self.assertEqual(err.count("/dev/full"), 1)

    def test_version_and_help(self):
        self.assertRegex(self.run_locus("--version")[1], r"^locus \d+\.\d+\.\d+\n$")
        status, out, err = self.run_locus("--help")
        self.assertEqual((status, err), (0, ""))
        for option in ("-c CODE", "--memory=", "--trace FILE", "--no-color", "--fixed-addresses", "--version", "--help"):
            self.assertIn(option, out)

    def test_bad_usage(self):
        path = self.file("s.py", "print(1)\n")
        for arguments, word in ((["--bad", path], "--bad"), (["-x"], "-x"), (["-c"], "-c"), (["--memory=loud", path], "loud"),
                                (["--memory"], "--memory"), (["--trace"], "--trace"), (["--trace=", path], "--trace"),
                                (["--memoryoff", path], "--memoryoff"), (["--versions"], "--versions"), (["-cprint(1)"], "-cprint(1)")):
            status, out, err = self.run_locus(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(word, err)

    def test_unreadable(self):
        locked = self.file("locked.py", "print(1)\n")
        os.chmod(locked, 0)
        paths = ["missing.py", self.folder, "s.py/x", "n" * 5000] + ([locked] if os.geteuid() else [])
        self.file("s.py", "")
        for path in paths:
            status, out, err = self.run_locus(path)
            self.assertEqual((status, out), (2, ""), path)
            self.assertIn("cannot open", err)


class Status(CommandLine):
    def test_errors(self):
        path = self.file("s.py", "def f():\n    return 1 / 0\nprint(1)\nf()\nprint(2)\n")
        status, out, err = self.run_locus(path)
        self.assertEqual((status, out), (1, "1\n"))
        self.assertTrue(err.startswith("Traceback (most recent call last):\n  File \"%s\", line 4, in <module>\n" % path), err)
        self.assertTrue(err.endswith("ZeroDivisionError: division by zero\n"), err)
        self.assertEqual(self.run_locus("-c", "x = (")[0], 1)

    def test_exit(self):
        for code, status, said in (("sys.exit()", 0, ""), ("sys.exit(None)", 0, ""), ("sys.exit(0)", 0, ""), ("sys.exit(7)", 7, ""),
                                   ("sys.exit(True)", 1, ""), ("sys.exit(-1)", 255, ""), ("sys.exit(259)", 3, ""),
                                   ("sys.exit('text')", 1, "text\n"), ("sys.exit('12')", 1, "12\n"), ("sys.exit('')", 1, "\n"),
                                   ("sys.exit([1])", 1, "[1]\n"), ("exit(4)", 4, ""), ("quit()", 0, ""),
                                   ("raise SystemExit(5)", 5, ""), ("raise SystemExit", 0, "")):
            path = self.file("s.py", "import sys\nprint('a')\n%s\nprint('b')\n" % code)
            self.assertEqual(self.run_locus(path), (status, "a\n", said), code)

    def test_interrupt(self):
        process = subprocess.Popen([PROGRAM, "-c", "print('on', flush=True)\nwhile True: pass"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual(process.stdout.readline(), b"on\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, b""))
        self.assertIn(b"KeyboardInterrupt", err)

    def test_reader_that_leaves(self):
        """As in `locus … | head -1`."""
        path = self.file("s.py", "for i in range(1000000): print(i)\n")
        process = subprocess.Popen([PROGRAM, "--memory=off", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual(process.stdout.readline(), b"0\n")
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(err, b"")
        self.assertEqual(process.wait(60), -signal.SIGPIPE)             # quietly, as programs in a pipe end

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "-c", "print(1)"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 120)
        self.assertIn(b"No space left", done.stderr)

    def test_closed_streams(self):
        trace = os.path.join(self.folder, "t.jsonl")
        for closing in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
            done = subprocess.run(["sh", "-c", '"$0" "$@" ' + closing, PROGRAM, "--trace", trace, "-c", TENSORS], capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=60, env=self.environment)
            self.assertEqual(done.returncode, 0, closing)
            with open(trace) as file:
                self.assertEqual(len([json.loads(line) for line in file]), 4)

    def test_order_of_the_streams(self):
        done = subprocess.run([PROGRAM, "--memory=brief", "-c", TENSORS + "print('end')\n1/0"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60, env=self.environment)
        words = [line.split()[0] for line in done.stdout.decode().splitlines()]
        self.assertEqual(words[:5], ["X", "tensor([1.,", "X", "end", "ZeroDivisionError:"])


def main():
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromName("__main__"))
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print("%d passed, %d failed" % (result.testsRun - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
