#!/usr/bin/env python3
"""Test the prompt as it is used: keys typed into a pseudo-terminal, and what stands on its screen.

usage: test_repl.py [LOCUS]             LOCUS: the program, build/locus if missing
"""
import os
import re
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "locus"))

try:
    from terminal import Terminal, without_escapes
except ImportError as problem:
    print("%s: install python3-pyte" % problem)
    print("0 passed, 1 failed")
    sys.exit(1)

CTRL_C, CTRL_D, CTRL_P, CTRL_U = "\x03", "\x04", "\x10", "\x15"
LEFT, BACKSPACE, TAB = "\x1b[D", "\x7f", "\t"
PASTE = "\x1b[200~%s\x1b[201~"


class Prompt(unittest.TestCase):
    options = ["--memory=off"]

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="locus-repl-")
        with open(os.path.join(self.home, "suppressions"), "w") as file:
            file.write("leak:wcsdup\n")                 # libedit never frees the names of functions that it is given
        self.opened = []
        self.t = self.open(*self.options)

    def tearDown(self):
        for terminal in self.opened:
            terminal.close()
        shutil.rmtree(self.home)

    def open(self, *options, **env):
        return self.start(options, dict(dict(TERM="xterm-256color", LANG="C.UTF-8", LOCUS_LEAKS="1"), **env))

    def start(self, options, env):
        sanitizer = "print_suppressions=0:suppressions=" + os.path.join(self.home, "suppressions")
        terminal = Terminal([PROGRAM, *options], dict(env, HOME=self.home, LSAN_OPTIONS=sanitizer))
        self.opened.append(terminal)
        terminal.wait_prompt()
        return terminal

    def leave(self, terminal):
        terminal.send(CTRL_D)
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn("leak:", terminal.text())


class Values(Prompt):
    def test_values_and_the_last_one(self):
        self.assertEqual(self.t.enter("1 + 2"), ["3"])
        self.assertEqual(self.t.enter("_ * 2"), ["6"])
        self.assertEqual(self.t.enter("None"), [])
        self.assertEqual(self.t.enter("_"), ["6"])
        self.assertEqual(self.t.enter("x = 'a'; x; x * 2"), ["'a'", "'aa'"])
        self.assertEqual(self.t.enter("print(1, 2)"), ["1 2"])
        self.assertEqual(self.t.enter("_ = 7; 8; _"), ["8", "7"])       # a `_` of one's own hides the last value
        self.leave(self.t)

    def test_the_last_value_keeps_a_tensor(self):
        self.t.enter("import torch")
        self.assertEqual(self.t.enter("torch.zeros(2)"), ["tensor([0., 0.])"])
        self.assertEqual(self.t.enter("_ is _, _ + 1"), ["(True, tensor([1., 1.]))"])
        self.leave(self.t)

    def test_errors_leave_the_session_whole(self):
        self.t.enter("x = 5")
        self.assertEqual(self.t.enter("x + nothing"), ["NameError: name 'nothing' is not defined", "    x + nothing", "        ^^^^^^^"])
        self.assertEqual(self.t.enter("1 +")[0].split(":")[0], "SyntaxError")
        self.assertEqual(self.t.enter("x ) y")[0].split(":")[0], "SyntaxError")
        self.assertEqual(self.t.enter("  x")[0].split(":")[0], "IndentationError")
        self.assertEqual(self.t.enter("'open")[0].split(":")[0], "SyntaxError")
        self.assertEqual(self.t.enter("x"), ["5"])
        self.leave(self.t)

    def test_sys_exit(self):
        for call, status in (("import sys; sys.exit(3)", 3), ("exit()", 0), ("import sys; sys.exit('why')", 1)):
            terminal = self.open(*self.options)
            terminal.send(call + "\r")
            self.assertEqual(terminal.end(), status)
        self.assertEqual(terminal.lines()[-1], "why")


class Memory(Prompt):
    options = ["--no-color"]

    def setUp(self):
        super().setUp()
        for line in ("import torch", "X = torch.ones(3, 4)", "Y = torch.ones(3, 4)"):
            self.t.enter(line)

    def number(self, expression):
        return int(self.t.enter("int(%s)" % expression)[0])

    def test_new(self):
        before, data = self.number("id(Y)"), self.number("Y.data_ptr()")
        shown = self.t.enter("Y = Y + X")
        self.assertEqual(len(shown), 3)
        self.assertRegex(shown[0], r"^Y    new       #2 → #3    S2  …\w{4} → +S3  …\w{4} +float32 \(3, 4\) +\+48 B$")
        self.assertEqual(shown[1].split("   data ")[0].strip(), "id %d → %d" % (before, self.number("id(Y)")))
        self.assertEqual(shown[1].split("   data ")[1], "%#x → %#x" % (data, self.number("Y.data_ptr()")))
        self.assertRegex(shown[2], r"^     freed +S2  …\w{4} +to cache +−48 B$")

    def test_view_alias_in_place_and_temporary(self):
        self.assertRegex(self.t.enter("V = X.view(-1)")[0], r"^V    view      #3         S1  …\w{4} +shared with X, .*  0 B$")
        shown = self.t.enter("V[0] = 100")
        self.assertRegex(shown[0], r"^V    in place  #3 stays   S1  …\w{4} stays +also seen through X, version 0 → 1 +0 B$")
        self.assertEqual(shown[1].strip(), "id %d   data %#x" % (self.number("id(V)"), self.number("X.data_ptr()")))
        self.assertRegex(self.t.enter("A = X")[0], r"^A    alias     #1 ")
        shown = self.t.enter("Y[:] = X + Y")
        self.assertRegex(shown[0], r"^Y    in place  #2 stays   S2  …\w{4} stays +version 0 → 1 +0 B$")
        self.assertRegex(shown[-1], r"^     temporary +S3  …\w{4} +X \+ Y +\+48 −48 B$")
        self.assertRegex(self.t.enter("del A")[0], r"^A    unbound ")

    def test_a_statement_without_tensors_has_no_line(self):
        self.assertEqual(self.t.enter("n = 1"), [])
        self.assertEqual(self.t.enter("X.shape"), ["torch.Size([3, 4])"])

    def test_levels(self):
        self.assertEqual(self.t.enter("%memory brief"), [])
        self.assertEqual(len(self.t.enter("Z = X + 1")), 1)
        self.t.enter("%memory full")
        full = self.t.enter("Z = X + 1")
        self.assertIn("stride (4, 1)", "\n".join(full))
        self.assertRegex(full[-1], r"^live 144 B   peak 192 B   cache \d+ B +0 B$")
        self.t.enter("%memory off")
        self.assertEqual(self.t.enter("Z = X + 1"), [])
        self.t.enter("%memory normal")
        self.assertEqual(len(self.t.enter("W = X + 1")), 2)
        self.assertEqual(self.t.enter("%memory loud")[0], "ValueError: %memory knows no level 'loud'")
        self.assertEqual(self.t.enter("%memory")[0], "%memory normal")

    def test_another_width(self):
        self.t.resize(80)
        shown = self.t.enter("Z = X + 1")
        self.assertEqual(max(map(len, shown)), 80)
        self.t.resize(100)
        self.assertEqual(max(map(len, self.t.enter("Z = X + 1"))), 100)

    def test_who(self):
        self.t.enter("V = X.view(-1)")
        shown = self.t.enter("%who")
        self.assertEqual([line.split()[0] for line in shown], ["X", "Y", "V", "live"])
        self.assertIn("id %d " % self.number("id(X)"), shown[0])
        self.assertTrue(shown[0].endswith(" 48 B") and shown[2].endswith(" shared"), shown)
        self.assertTrue(shown[3].endswith(" 96 B"), shown)

    def test_timeline(self):
        t = self.open()
        self.assertIn("nothing has happened to memory yet", "\n".join(t.enter("%timeline")))
        for line in ("import torch", "X = torch.ones(4, 4)", "n = 5", "X = X + X", "X.view(7)", "del X"):
            t.enter(line)
        lines = [line.split() for line in t.enter("%timeline")]
        self.assertEqual(lines[0], ["n", "statement", "what", "live", "peak", "cache", "0", "128"])
        figures = [(line[0], [w for w in line if w.isdigit()][-3:]) for line in lines[1:] if line and line[0].isdigit()]
        self.assertEqual(figures, [("2", ["64", "64", "0"]), ("4", ["64", "128", "64"]), ("5", ["64", "64", "64"]),
                                   ("6", ["0", "64", "128"])])
        bars = [line[-1] for line in lines[1:] if line and line[0].isdigit()]
        self.assertEqual(set(bars[0]), {"█"})
        self.assertLessEqual(abs(len(bars[1]) - 2 * len(bars[0])), 1)
        self.assertEqual(bars[1], bars[0] + "░" * (len(bars[1]) - len(bars[0])))
        self.leave(t)

    def test_commands(self):
        shown = "\n".join(self.t.enter("%help"))
        for name in ("%who", "%timeline", "%memory", "%reset", "%xdel", "%help"):
            self.assertIn(name, shown)
        self.assertTrue(self.t.enter("%help memory")[0].startswith("%memory [off|brief|normal|full]"))
        self.assertEqual(self.t.enter("%xyz")[0], "NameError: there is no command '%xyz'")
        self.assertIn("not run", self.t.enter("!ls")[0])
        self.assertTrue(self.t.enter("%matplotlib inline")[0].startswith("skipped"))
        self.assertTrue(self.t.enter("print?")[0].startswith("Signature: print("))
        self.assertTrue(self.t.enter("%reset")[0].startswith("live 0 B "))
        self.assertIn("NameError", self.t.enter("X")[0])
        self.leave(self.t)

    def test_an_error_after_a_temporary(self):
        shown = self.t.enter("(X + 1).view(5)")
        self.assertTrue(shown[0].startswith("RuntimeError: "), shown)
        self.assertRegex(shown[-1], r"^     temporary +S3 .*\+48 −48 B$")


class Typing(Prompt):
    def test_continuation_and_indentation(self):
        self.t.send("def f(x):\r")
        self.t.wait_line("...     ")
        self.t.send("if x:\r")
        self.t.wait_line("...         ")
        self.t.send("return 'yes'\r")
        self.t.wait_line("...     ")            # after return: one level less
        self.t.send("return 'no'\r")
        self.t.wait_line("... ")
        self.assertEqual(self.t.enter(""), [])
        self.assertEqual(self.t.enter("f(1), f(0)"), ["('yes', 'no')"])

    def test_backspace_takes_the_indentation_back(self):
        self.t.send("if True:\r")
        self.t.wait_line("...     ")
        self.t.send("x = 1\r")
        self.t.wait_line("...     ")
        self.t.send(BACKSPACE * 4 + "else:\r")
        self.t.wait_line("...     ")
        self.t.send("x = 2\r")
        self.t.wait_line("...     ")
        self.t.enter("")
        self.assertEqual(self.t.enter("x"), ["1"])

    def test_brackets_and_strings_over_lines(self):
        self.t.send("x = [1,\r")
        self.t.wait(lambda: self.t.cursor_line().startswith("..."), "a continuation")
        self.t.enter("2]")
        self.assertEqual(self.t.enter("x"), ["[1, 2]"])
        self.t.send('s = """a\r')
        self.t.wait(lambda: self.t.cursor_line().startswith("..."), "a continuation")
        self.t.send(CTRL_U + 'b"""\r')
        self.t.wait_prompt()
        self.assertEqual(self.t.enter("s"), ["'a\\nb'"])

    def test_typed_fast(self):
        text = "def f(x):\r    y = x + 1\r\r    # a remark\r\r    return y\r\r\rprint(f(1))\rprint('end')\r"
        self.t.send(text)
        self.t.wait(lambda: "end" in self.t.lines(), "the end")
        self.assertIn("2", self.t.lines())
        self.assertNotIn("Error", self.t.text())

    def test_pasted(self):
        self.t.send(PASTE % "def f(x):\r    y = x + 1\r\r    return y\r\rf(1)\rf(2)\r")
        self.t.wait_prompt()
        self.assertEqual(self.t.lines()[-3:], ["2", "3", ">>>"])
        self.assertNotIn("Error", self.t.text())

    def test_pasted_without_a_last_newline(self):
        self.t.send(PASTE % "40 + 2")
        self.t.wait_line(">>> 40 + 2")
        self.assertEqual(self.t.enter(" - 1"), ["41"])
        self.t.send(PASTE % "for i in range(2):\n\n\tprint(i)")     # a tab stays a tab
        self.t.wait(lambda: self.t.cursor_line().endswith("print(i)"), "the last line")
        self.t.enter_more("")
        self.assertEqual(self.t.enter(""), ["0", "1"])

    def test_pasted_class_with_blank_lines(self):
        self.t.send(PASTE % "class C:\n    a = 1\n\n    def f(self):\n\n        return 2\n\n    def g(self):\n        return 3\n")
        self.t.wait_prompt()
        self.assertEqual(self.t.enter("C().a, C().f(), C().g()"), ["(1, 2, 3)"])

    def test_long_lines(self):
        line = "x = [" + "1, " * 1000 + "]"
        self.t.send(PASTE % line)
        self.t.enter("")
        self.assertEqual(self.t.enter("len(x)"), ["1000"])

    def test_input(self):
        self.t.send("x = input('name? ')\r")
        self.t.wait_line("name? ")
        self.t.send("Ada 名\r")
        self.t.wait_prompt()
        self.assertEqual(self.t.enter("x"), ["'Ada 名'"])
        self.t.send("input()\r")
        self.t.wait_cooked()
        self.t.send(CTRL_D)
        self.t.wait_text("EOFError")
        self.t.wait_prompt()
        self.assertEqual(self.t.enter("1"), ["1"])

    def test_cjk(self):
        self.assertEqual(self.t.enter("名字 = '中文'"), [])
        self.assertEqual(self.t.enter("名字"), ["'中文'"])
        self.assertEqual(self.t.enter("'中文' + 未知 + 1"), ["NameError: name '未知' is not defined", "    '中文' + 未知 + 1",
                                                        "             ^^^^"])
        self.t.send("y = '中文字'" + LEFT * 2)
        self.t.wait(lambda: self.t.screen.cursor.x == len(">>> y = '") + 4, "the cursor before 字")
        self.t.send(BACKSPACE + "好")
        self.t.wait(lambda: self.t.cursor_line() == ">>> y = '中好字'", "the edited line")
        self.t.enter("")
        self.assertEqual(self.t.enter("y, len(y)"), ["('中好字', 3)"])

    def test_leaving(self):
        self.t.send(CTRL_D)
        self.assertEqual(self.t.end(), 0)


class Interrupt(Prompt):
    def test_half_a_line(self):
        self.t.send("abc = 1 +")
        self.t.wait_line(">>> abc = 1 +")
        self.t.send(CTRL_C)
        self.t.wait_text("KeyboardInterrupt")
        self.t.wait_prompt()
        self.assertIn("NameError", self.t.enter("abc")[0])

    def test_half_a_block(self):
        self.t.send("def f():\r")
        self.t.wait_line("...     ")
        self.t.send("return 1\r")
        self.t.wait_line("... ")
        self.t.send(CTRL_C)
        self.t.wait_text("KeyboardInterrupt")
        self.t.wait_prompt()
        self.assertIn("NameError", self.t.enter("f")[0])
        self.assertEqual(self.t.enter("1 + 1"), ["2"])

    def interrupted(self, line, blank=False, caught="KeyboardInterrupt"):
        if blank:
            self.t.enter_more(line)
        self.t.send("\r" if blank else line + "\r")
        self.t.wait_cooked()
        self.t.send(CTRL_C)
        self.t.wait_prompt()
        self.assertIn(caught, "\n".join(self.t.lines()[self.t.typed_at:]))
        self.assertEqual(self.t.enter("1 + 1"), ["2"])

    def test_a_loop(self):
        self.interrupted("while True: pass", blank=True)
        self.interrupted("while True: pass", blank=True)

    def test_sleep(self):
        self.interrupted("import time; time.sleep(60)")

    def test_input(self):
        self.interrupted("input()")
        for line in ("try:", "input()", BACKSPACE * 4 + "except KeyboardInterrupt:", "print('caught', sum(range(1000)))"):
            self.t.enter_more(line)
        self.interrupted("", caught="^Ccaught 499500")

    def test_early(self):
        """Ctrl-C that comes before the statement has begun to wait ends it all the same."""
        for _ in range(20):
            self.t.send("input()\r")
            self.t.wait_cooked()
            self.t.send(CTRL_C)
            self.t.wait_prompt()

    def test_a_large_product(self):
        self.t.enter("import torch; X = torch.ones(400, 400)")
        self.interrupted("for i in range(10**9): Y = X @ X", blank=True)

    def test_many_at_once(self):
        for _ in range(20):
            self.t.send(CTRL_C * 5)
        self.t.wait_text("KeyboardInterrupt")
        self.t.send("\r1 + 41\r")
        self.t.wait_text("42")
        self.t.wait_prompt()
        self.leave(self.t)

    def test_a_handler_of_its_own(self):
        for line in ("try:", "while True: pass", BACKSPACE * 4 + "except KeyboardInterrupt:", "print('caught')"):
            self.t.enter_more(line)
        self.t.send("\r")
        self.t.wait_cooked()
        self.t.send(CTRL_C)
        self.t.wait_text("^Ccaught")
        self.t.wait_prompt()


class Completion(Prompt):
    def completes(self, typed, shown):
        self.t.send(typed + TAB)
        self.t.wait_line(">>> " + shown)
        self.t.send(CTRL_U)
        self.t.wait_line(">>> ")

    def test_names_attributes_and_keywords(self):
        for line in ("import torch", "X = torch.ones(2)", "a_long_name = 1", "def f(apple, pear=1): return apple"):
            self.t.send(line + "\r")
        self.t.wait_line("... ")
        self.t.enter("")
        self.completes("a_lo", "a_long_name")
        self.completes("1 + a_lo", "1 + a_long_name")
        self.completes("prin", "print")
        self.completes("X.data_p", "X.data_ptr")
        self.completes("X.requires_g", "X.requires_grad")
        self.completes("torch.arang", "torch.arange")
        self.completes("torch.ones(2, dty", "torch.ones(2, dtype=")
        self.completes("f(1, pe", "f(1, pear=")
        self.completes("'中文', a_lo", "'中文', a_long_name")
        self.completes("whi", "while")
        self.completes("%memo", "%memory")
        self.completes("%matp", "%matplotlib")

    def test_several(self):
        self.t.enter("import torch")
        self.t.send("torch.zeros" + TAB)
        self.t.wait_text("zeros_like")
        self.t.wait_line(">>> torch.zeros")
        self.t.send("(1)\r")
        self.t.wait_text("tensor([0.])")

    def test_in_a_block(self):
        self.t.send("if True:\r")
        self.t.wait_line("...     ")
        self.t.send("a_name = 5\r")
        self.t.wait_line("...     ")
        self.t.send("print(a_na" + TAB)
        self.t.wait_line("...     print(a_name")
        self.t.send(")\r")
        self.t.wait_line("...     ")
        self.assertEqual(self.t.enter(""), ["5"])

    def test_no_match_runs_nothing(self):
        self.t.send("no_such_na" + TAB)
        self.t.send("me\r")
        self.t.wait_text("NameError: name 'no_such_name' is not defined")


class HistoryFile(Prompt):
    def test_kept_from_run_to_run(self):
        self.t.enter("first = 1")
        self.t.block("if first:", "second = 2")
        self.leave(self.t)
        path = os.path.join(self.home, ".local", "state", "locus", "history")
        self.assertEqual(os.stat(path).st_mode & 0o077, 0)              # nobody else may read it
        again = self.open("--memory=off")
        again.send(CTRL_P * 2)
        again.wait_line(">>> first = 1")
        again.enter("")
        self.assertEqual(again.enter("first"), ["1"])

    def test_a_block_comes_back_whole(self):
        self.t.block("for i in range(2):", "print(i)")
        self.t.send(CTRL_P)
        self.t.wait(lambda: self.t.cursor_line().endswith("print(i)"), "the block")
        self.t.enter_more("")
        self.assertEqual(self.t.enter(""), ["0", "1"])

    def test_places(self):
        for name in ("LOCUS_HISTORY", "XDG_STATE_HOME"):
            place = os.path.join(self.home, name, "a", "b")
            terminal = self.open(**{name: place})
            terminal.enter("1")
            self.leave(terminal)
            self.assertTrue(os.path.isfile(place if name == "LOCUS_HISTORY" else os.path.join(place, "locus", "history")))

    def test_nowhere_to_write(self):
        terminal = self.open(LOCUS_HISTORY="/dev/null/history")
        terminal.enter("1")
        self.leave(terminal)


class Colour(Prompt):
    options = []

    def coloured(self, terminal):
        for line in ("import torch", "X = torch.ones(2)", "X += 1", "nothing", "%who"):
            terminal.enter(line)
        return [code for code in re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw) if code not in (b"", b"0")]

    def test_on_a_terminal(self):
        self.assertGreater(len(self.coloured(self.t)), 5)
        self.assertIn(b"\x1b[2m>>>", self.t.raw)

    def test_none(self):
        for terminal in (self.open("--no-color"), self.open(NO_COLOR="1")):
            self.assertEqual(self.coloured(terminal), [])

    def test_the_same_words(self):
        plain = self.open("--no-color", "--fixed-addresses")
        colourful = self.open("--fixed-addresses")
        self.assertNotEqual(self.coloured(colourful), self.coloured(plain))
        self.assertEqual(colourful.lines(), plain.lines())

    def test_another_locale(self):
        terminal = self.start([], {"TERM": "xterm", "LC_ALL": "C"})
        terminal.enter("import torch; X = torch.ones(2)")
        shown = terminal.enter("X += 1")
        self.assertIn("version 0 -> 1", shown[0])
        self.assertTrue(without_escapes("\n".join(shown)).isascii(), shown)

    def test_a_dumb_terminal(self):
        terminal = self.start(["--memory=off"], {"TERM": "dumb", "LANG": "C.UTF-8"})
        self.assertEqual(terminal.enter("1 + 1"), ["2"])
        self.assertNotIn(b"\x1b", terminal.raw)


def main():
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromName("__main__"))
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print("%d passed, %d failed" % (result.testsRun - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
