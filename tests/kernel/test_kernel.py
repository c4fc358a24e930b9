#!/usr/bin/env python3
"""Test the kernel over real sockets: the tests of jupyter_kernel_test, the contract's own rules, a lesson by nbclient.

usage: test_kernel.py [KERNEL]          KERNEL: the program, build/locus-kernel if missing
"""
import hmac
import html
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "locus-kernel"))
PLACE = tempfile.mkdtemp(prefix="locus-kernel-")
os.environ["JUPYTER_PATH"] = os.path.join(PLACE, "share", "jupyter")
os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(PLACE, "runtime")

try:
    import jupyter_kernel_test
    import nbclient
    import nbformat
    import zmq
    from jupyter_client.blocking import BlockingKernelClient
    from jupyter_client.manager import start_new_kernel
    from jupyter_client.session import Session
except ImportError as problem:
    print("%s: install python3-jupyter-kernel-test and python3-nbclient" % problem)
    print("0 passed, 1 failed")
    sys.exit(1)

TIMEOUT = 10


class Suite(jupyter_kernel_test.KernelTests):
    kernel_name = "locus"
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys\nprint('problem', file=sys.stderr)"
    completion_samples = [{"text": "prin", "matches": ["print("]}, {"text": "no_such_name_at_all"}]
    complete_code_samples = ["1", "print('hello')", "def f(x):\n    return x\n\n", "", "x = [1,\n 2]"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n    x*2", "x = [1,", "for i in range(3):"]
    invalid_code_samples = ["import = 7q", "x = )"]
    code_generate_error = "raise ValueError('wrong')"
    code_execute_result = [{"code": "1 + 2", "result": "3"}, {"code": "'é' * 2", "result": "'éé'"}, {"code": "[1, 2.5]", "result": "[1, 2.5]"}]
    code_display_data = [{"code": "import torch\nX = torch.ones(2, 2)", "mime": "text/html"},
                         {"code": "Y = X + 1", "mime": "text/plain"}]
    code_history_pattern = "1 ? 2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "print"

    def test_completion(self):
        msg_id = self.kc.complete("prin")
        reply = self.get_non_kernel_info_reply(timeout=TIMEOUT)
        jupyter_kernel_test.validate_message(reply, "complete_reply", msg_id)
        self.assertTrue(any(match.startswith("print") for match in reply["content"]["matches"]))


class Talk:
    """A client of a running kernel that keeps what it is told."""

    def __init__(self, client):
        self.client = client

    def send(self, msg_type, content, channel="shell"):
        message = self.client.session.msg(msg_type, content)
        getattr(self.client, channel + "_channel").send(message)
        return message["header"]["msg_id"]

    def told(self, msg_id, timeout=TIMEOUT):
        """What iopub says of a request, up to idle."""
        messages = []
        while not messages or messages[-1]["content"] != {"execution_state": "idle"}:
            message = self.client.get_iopub_msg(timeout=timeout)
            if message["parent_header"].get("msg_id") == msg_id:
                messages.append(message)
        return messages

    def reply(self, msg_id, channel="shell", timeout=TIMEOUT):
        while True:
            message = getattr(self.client, "get_%s_msg" % channel)(timeout=timeout)
            if message["parent_header"].get("msg_id") == msg_id:
                return message

    def run(self, code, **fields):
        """Reply and iopub messages of a cell."""
        msg_id = self.send("execute_request", dict({"code": code}, **fields))
        messages = self.told(msg_id)
        return self.reply(msg_id)["content"], messages

    def quiet(self, seconds=0.3):
        """Whether no message comes on shell or iopub."""
        for get in (self.client.get_iopub_msg, self.client.get_shell_msg):
            try:
                get(timeout=seconds)
                return False
            except queue.Empty:
                pass
        return True


def types(messages):
    return [message["msg_type"] for message in messages]


def text_of(messages, name="stdout"):
    return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream" and m["content"]["name"] == name)


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.manager, cls.client = start_new_kernel(kernel_name="locus")
        cls.talk = Talk(cls.client)

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel()

    # ---- cells
    def test_order_of_messages(self):
        reply, told = self.talk.run("print('a')\n1 + 1")
        self.assertEqual(types(told), ["status", "execute_input", "stream", "execute_result", "status"])
        self.assertEqual(reply["execution_count"], told[1]["content"]["execution_count"])
        self.assertEqual(reply["execution_count"], told[3]["content"]["execution_count"])
        self.assertEqual(reply["payload"], [])

    def test_order_with_card(self):
        _, told = self.talk.run("import torch\nprint('a')\nT = torch.ones(3)\nT")
        self.assertEqual(types(told), ["status", "execute_input", "stream", "execute_result", "display_data", "status"])
        card = told[4]["content"]["data"]
        self.assertIn("T", card["text/plain"])
        self.assertNotIn("\x1b", card["text/plain"])
        for forbidden in ("<script", "<style", "<svg", "var(", "currentcolor"):
            self.assertNotIn(forbidden, card["text/html"].lower())

    def card(self, code):
        """The text of the card of a cell, each line with single blanks."""
        _, told = self.talk.run(code)
        shown = [m["content"]["data"]["text/plain"] for m in told if m["msg_type"] == "display_data"]
        return [" ".join(line.split()) for line in "".join(shown).splitlines()]

    def test_card_of_calls_in_a_loop(self):
        """What functions of other cells do counts on the line that calls them, whatever the numbers of their own lines."""
        self.talk.run("%memory brief\nimport torch\nX = torch.ones(3, 4)")
        self.talk.run("def f(x):\n    t = x * 3\n    return t * 2\ndef g(x):\n    u = x + 1\n    return u\n"
                      "def many(n):\n    for i in range(n):\n        w = X * 2\n    return w")
        for turns in (3, 3000):
            card = "\n".join(self.card("for i in range(%d):\n    y = g(X)\n    z = y + f(X)\ndel y, z" % turns))
            self.assertIn("1 for i in range(%d): %s turns\n2 y = g(X)\ny " % (turns, format(turns, ",")), card)
            for allocated, freed in ((turns, turns - 1), (3 * turns, 3 * turns - 1)):
                self.assertIn("%s allocated, %s freed" % (format(allocated, ","), format(freed, ",")), card)
            self.assertIn("%s B allocated, %s B freed" % (format(4 * 48 * turns, ","), format(4 * 48 * turns - 96, ",")), card)
        card = self.card("r = many(3000)")
        self.assertIn("+48 B", card[0])
        self.assertIn("3,000 allocated, 2,999 freed", card[1])
        self.assertIn("144,000 B allocated, 143,952 B freed", card[2])
        card = self.card("a = 1\nif a:\n    b = torch.ones(4)\n    c = (X + 1).sum()\ndel b")
        self.assertIn(" in line 4 ", card[-1])
        self.talk.run("%memory normal")

    def test_order_of_streams(self):
        _, told = self.talk.run("import sys\nfor i in range(3):\n    print(i)\n    print(-i, file=sys.stderr)")
        said = [(m["content"]["name"], m["content"]["text"]) for m in told if m["msg_type"] == "stream"]
        self.assertEqual(said, [("stdout", "0\n"), ("stderr", "0\n"), ("stdout", "1\n"), ("stderr", "-1\n"), ("stdout", "2\n"),
                                ("stderr", "-2\n")])

    def test_error(self):
        reply, told = self.talk.run("x = 41\n1 / 0")
        self.assertEqual(types(told), ["status", "execute_input", "error", "status"])
        error = told[2]["content"]
        for field in ("ename", "evalue", "traceback"):
            self.assertEqual(error[field], reply[field])
        self.assertEqual(error["ename"], "ZeroDivisionError")
        self.assertIn(error["ename"], "\n".join(error["traceback"]))
        self.assertIn(error["evalue"], "\n".join(error["traceback"]))
        self.assertEqual(self.talk.run("x + 1")[1][2]["content"]["data"], {"text/plain": "42"})

    def test_error_says_which_line(self):
        reply, _ = self.talk.run("a = 1\ndef f():\n    return a / 0")
        reply, _ = self.talk.run("b = 2\n\nb.no_such")
        number = reply["execution_count"]
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(reply["traceback"]))
        self.assertIn("  Cell In[%d], line 3\n    b.no_such\n    ^^^^^^^^^" % number, text)
        reply, _ = self.talk.run("f()")
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(reply["traceback"]))
        self.assertIn("  Cell In[%d], line 1, in <module>\n" % (number + 1), text)
        self.assertIn("  Cell In[%d], line 3, in f\n    return a / 0\n" % (number - 1), text)

    def test_syntax_error(self):
        reply, told = self.talk.run("x = = 1")
        self.assertEqual(types(told), ["status", "execute_input", "error", "status"])
        self.assertEqual(reply["ename"], "SyntaxError")

    def test_nothing_to_run(self):
        for code in ("", "  \n", "# a comment", "\r\n"):
            reply, told = self.talk.run(code)
            self.assertEqual(reply["status"], "ok")
            self.assertEqual(types(told), ["status", "execute_input", "status"])

    def test_lines_of_windows(self):
        reply, told = self.talk.run("if True:\r\n    print('a')\r\nprint('''b\r\nc''')\r\n")
        self.assertEqual(text_of(told), "a\nb\nc\n")

    def test_none_is_no_result(self):
        self.assertEqual(types(self.talk.run("None")[1]), ["status", "execute_input", "status"])

    def test_counter(self):
        first = self.talk.run("1")[0]["execution_count"]
        self.talk.run("1", silent=True)
        self.talk.run("1", store_history=False)
        self.assertEqual(self.talk.run("1 / 0")[0]["execution_count"], first + 1)
        self.assertEqual(self.talk.run("1")[0]["execution_count"], first + 2)

    def test_silent(self):
        reply, told = self.talk.run("hidden = 5\nprint('a')\nhidden", silent=True)
        self.assertEqual((reply["status"], types(told)), ("ok", ["status", "status"]))
        reply, told = self.talk.run("1 / 0", silent=True)
        self.assertEqual((reply["status"], types(told)), ("error", ["status", "status"]))
        self.assertEqual(self.talk.run("hidden")[1][2]["content"]["data"]["text/plain"], "5")

    def test_user_expressions(self):
        made = self.talk.run("v = 3", user_expressions={"good": "v * 2", "bad": "no_such", "none": "v ="})[0]
        self.assertEqual(made["status"], "ok")
        made = made["user_expressions"]
        self.assertEqual(made["good"], {"status": "ok", "data": {"text/plain": "6"}, "metadata": {}})
        self.assertEqual((made["bad"]["status"], made["bad"]["ename"]), ("error", "NameError"))
        self.assertEqual(made["none"]["ename"], "SyntaxError")

    def test_null_is_the_default(self):
        reply, told = self.talk.run("7", silent=None, store_history=None, user_expressions=None, allow_stdin=None, unknown=[{}])
        self.assertEqual(types(told), ["status", "execute_input", "execute_result", "status"])
        self.assertEqual(reply["status"], "ok")

    def test_wrong_fields(self):
        for fields in ({"code": 1}, {"code": None}, {"silent": "no"}, {"user_expressions": [1]}):
            reply, told = self.talk.run(**dict({"code": "1"}, **fields))
            self.assertEqual((reply["status"], reply["ename"]), ("error", "ProtocolError"))
            self.assertEqual(types(told), ["status", "status"])

    def test_stop_on_error(self):
        codes = ["1 / 0", "print('not run')", "print('nor this')"]
        ids = [self.talk.send("execute_request", {"code": code}) for code in codes]
        info = self.talk.send("kernel_info_request", {})
        told = [types(self.talk.told(msg_id)) for msg_id in ids]
        self.assertEqual(told[1:], [["status", "status"]] * 2)
        replies = [self.client.get_shell_msg(timeout=TIMEOUT) for _ in range(4)]
        self.assertEqual([r["parent_header"]["msg_id"] for r in replies], ids + [info])
        self.assertEqual([r["content"]["status"] for r in replies], ["error", "aborted", "aborted", "ok"])
        self.assertEqual(self.talk.run("1")[0]["status"], "ok")

    def test_go_on_after_error(self):
        first = self.talk.send("execute_request", {"code": "1 / 0", "stop_on_error": False})
        second = self.talk.send("execute_request", {"code": "1"})
        self.talk.told(first), self.talk.told(second)
        self.assertEqual(self.talk.reply(second)["content"]["status"], "ok")

    # ---- output
    def test_much_output(self):
        began = time.time()
        _, told = self.talk.run("for i in range(10000):\n    print('é' * 50)")
        self.assertEqual(text_of(told), ("é" * 50 + "\n") * 10000)
        self.assertLess(types(told).count("stream"), 300)
        self.assertLess(time.time() - began, 5)

    def test_one_large_text(self):
        _, told = self.talk.run("print('x' * 1000000)")
        self.assertEqual(text_of(told), "x" * 1000000 + "\n")

    def test_output_comes_while_it_runs(self):
        msg_id = self.talk.send("execute_request", {"code": "import time\nprint('now')\ntime.sleep(600)"})
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT)
            if message["msg_type"] == "stream" and message["parent_header"]["msg_id"] == msg_id:
                break
        self.manager.interrupt_kernel()                 # it still sleeps
        self.assertEqual(self.talk.reply(msg_id)["content"]["ename"], "KeyboardInterrupt")
        self.talk.told(msg_id)

    def test_large_code(self):
        reply, _ = self.talk.run("s = '" + "a" * 15000000 + "'\nlen(s)", store_history=False)
        self.assertEqual(reply["status"], "ok")
        self.talk.run("del s")

    # ---- input
    def test_stdin(self):
        msg_id = self.talk.send("execute_request", {"code": "print('before')\nname = input('who? ')\nprint('hi', name)",
                                                    "allow_stdin": True})
        asked = self.client.get_stdin_msg(timeout=TIMEOUT)
        self.assertEqual(asked["content"], {"prompt": "who? ", "password": False})
        self.assertEqual(asked["parent_header"]["msg_id"], msg_id)
        self.client.input("Zoë")
        self.assertEqual(text_of(self.talk.told(msg_id)), "before\nhi Zoë\n")

    def test_stdin_not_allowed(self):
        reply, _ = self.talk.run("input()")
        self.assertEqual(reply["status"], "error")
        self.assertIn("input", reply["evalue"])

    def test_stdin_interrupted(self):
        msg_id = self.talk.send("execute_request", {"code": "input()", "allow_stdin": True})
        self.client.get_stdin_msg(timeout=TIMEOUT)
        self.manager.interrupt_kernel()
        self.talk.told(msg_id)
        self.assertEqual(self.talk.reply(msg_id)["content"]["ename"], "KeyboardInterrupt")

    # ---- interrupts
    def interrupted(self, code, by_message=False):
        msg_id = self.talk.send("execute_request", {"code": code})
        while self.client.get_iopub_msg(timeout=TIMEOUT)["msg_type"] != "execute_input":
            pass
        time.sleep(0.1)
        if by_message:
            asked = self.talk.send("interrupt_request", {}, "control")
            self.assertEqual(self.talk.reply(asked, "control")["content"], {"status": "ok"})
        else:
            self.manager.interrupt_kernel()
        while self.client.get_iopub_msg(timeout=TIMEOUT)["msg_type"] != "error":
            pass
        reply = self.talk.reply(msg_id)["content"]
        self.assertEqual(reply["ename"], "KeyboardInterrupt")

    def test_interrupt(self):
        for code in ("while True: pass", "import time\ntime.sleep(60)", "while True: print('x' * 100)"):
            for by_message in (False, True):
                with self.subTest(code=code, by_message=by_message):
                    self.interrupted(code, by_message)

    def test_interrupt_while_idle(self):
        self.manager.interrupt_kernel()
        time.sleep(0.05)
        self.assertEqual(self.talk.run("1")[0]["status"], "ok")

    def test_caught_interrupt(self):
        msg_id = self.talk.send("execute_request", {"code": "import time\ntry:\n    while True: pass\nexcept KeyboardInterrupt:\n"
                                                            "    time.sleep(0.2)\n    print('caught')"})
        time.sleep(0.3)
        self.manager.interrupt_kernel()
        self.assertEqual(text_of(self.talk.told(msg_id)), "caught\n")

    # ---- other requests
    def test_unknown_types(self):
        for msg_type in ("no_such_request", "debug_request", "connect_request", "comm_msg", "comm_close"):
            for channel in ("shell", "control"):
                told = self.talk.told(self.talk.send(msg_type, {}, channel))
                self.assertEqual(types(told), ["status", "status"])

    def test_comms(self):
        told = self.talk.told(self.talk.send("comm_open", {"comm_id": "c", "target_name": "t", "data": {}}))
        self.assertEqual(types(told), ["status", "comm_close", "status"])
        self.assertEqual(told[1]["content"], {"comm_id": "c", "data": {}})
        asked = self.talk.send("comm_info_request", {})
        self.assertEqual(self.talk.reply(asked)["content"], {"status": "ok", "comms": {}})

    def test_control_while_busy(self):
        msg_id = self.talk.send("execute_request", {"code": "import time\nprint('begun')\ntime.sleep(600)"})
        while self.client.get_iopub_msg(timeout=TIMEOUT)["msg_type"] != "stream":
            pass
        asked = self.talk.send("kernel_info_request", {}, "control")
        self.assertEqual(self.talk.reply(asked, "control")["content"]["status"], "ok")
        self.manager.interrupt_kernel()                 # it was answered while the cell still slept
        self.assertEqual(self.talk.reply(msg_id)["content"]["ename"], "KeyboardInterrupt")
        self.talk.told(msg_id)

    def ask(self, msg_type, **content):
        msg_id = self.talk.send(msg_type, content)
        self.assertEqual(types(self.talk.told(msg_id)), ["status", "status"])
        return self.talk.reply(msg_id)["content"]

    def test_complete_counts_code_points(self):
        self.talk.run("smile_value = 1")
        code = "s = '😀é'; smile_v"
        made = self.ask("complete_request", code=code, cursor_pos=len(code))
        self.assertEqual((made["matches"], made["cursor_start"], made["cursor_end"]), (["smile_value"], code.index("smile"), len(code)))
        made = self.ask("complete_request", code="x = no_such_thing", cursor_pos=17)
        self.assertEqual((made["matches"], made["cursor_start"], made["cursor_end"]), ([], 17, 17))
        for odd in (-5, 10 ** 9, None):
            self.assertEqual(self.ask("complete_request", code=code, cursor_pos=odd)["status"], "ok")
            self.assertEqual(self.ask("inspect_request", code=code, cursor_pos=odd, detail_level=7)["status"], "ok")

    def test_inspect(self):
        made = self.ask("inspect_request", code="'😀'; print(", cursor_pos=10, detail_level=0)
        self.assertTrue(made["found"])
        made = self.ask("inspect_request", code="no_such", cursor_pos=3, detail_level=0)
        self.assertEqual((made["found"], made["data"]), (False, {}))

    def test_is_complete(self):
        self.assertEqual(self.ask("is_complete_request", code="for i in x:"), {"status": "incomplete", "indent": "    "})
        self.assertEqual(self.ask("is_complete_request", code=""), {"status": "complete"})

    def test_history(self):
        first = self.talk.run("11 + 1")[0]["execution_count"]
        self.talk.run("not_there")
        tail = self.ask("history_request", hist_access_type="tail", n=2, output=True, raw=True)["history"]
        self.assertEqual(tail, [[0, first, ["11 + 1", "12"]], [0, first + 1, ["not_there", None]]])
        part = self.ask("history_request", hist_access_type="range", session=0, start=first, stop=first + 1)["history"]
        self.assertEqual(part, [[0, first, "11 + 1"]])
        self.talk.run("11 + 1")
        found = self.ask("history_request", hist_access_type="search", pattern="?1 +*", unique=True)["history"]
        self.assertEqual(found, [[0, first + 2, "11 + 1"]])

    def test_content_is_no_object(self):
        session = self.client.session
        for content in (b"[]", b"{", b"\xff", b'{"code": "\\ud800"}'):
            header = session.msg_header("execute_request")
            frames = [json.dumps(header, default=str).encode(), b"{}", b"{}", content]
            self.client.shell_channel.socket.send_multipart([b"<IDS|MSG>", session.sign(frames)] + frames)
            self.assertEqual(types(self.talk.told(header["msg_id"])), ["status", "status"])
            self.assertEqual(self.talk.reply(header["msg_id"])["content"]["ename"], "ProtocolError")

    def test_messages_that_are_none(self):
        session, shell = self.client.session, self.client.shell_channel.socket
        frames = [json.dumps(session.msg_header("execute_request"), default=str).encode(), b"{}", b"{}", b'{"code": "print(1)"}']
        for bad in ([b"<IDS|MSG>", b"0" * 64] + frames, [b"<IDS|MSG>", b""] + frames, [b"x"], [b"<IDS|MSG>"] * 9, [b""] * 100,
                    [b"<IDS|MSG>", session.sign(frames)] + frames[:3]):
            shell.send_multipart(bad)
        self.assertTrue(self.talk.quiet())
        self.assertEqual(self.talk.run("1")[0]["status"], "ok")


class Process(unittest.TestCase):
    """What the process does from start to end."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=PLACE)
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                pipe.close()

    def connection(self, **changes):
        sockets = [socket.socket() for _ in range(5)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        ports = [each.getsockname()[1] for each in sockets]
        for each in sockets:
            each.close()
        settings = dict(zip(("shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"), ports))
        settings.update(ip="127.0.0.1", transport="tcp", key="secret", signature_scheme="hmac-sha256", kernel_name="locus")
        settings.update(changes)
        path = os.path.join(self.folder, "connection.json")
        with open(path, "w") as file:
            json.dump({k: v for k, v in settings.items() if v is not ...}, file)
        return path

    def start(self, *arguments, **options):
        process = subprocess.Popen([PROGRAM] + list(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **options)
        self.started.append(process)
        return process

    def client(self, path):
        client = BlockingKernelClient(connection_file=path)
        client.load_connection_file()
        client.start_channels()
        client.wait_for_ready(timeout=TIMEOUT)
        self.addCleanup(client.stop_channels)
        return client

    def ended(self, process, seconds=1.0):
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.fail("the process did not end")

    def test_bad_files(self):
        taken = socket.socket()
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        self.addCleanup(taken.close)
        for changes in ({"shell_port": ...}, {"hb_port": 70000}, {"hb_port": 0}, {"hb_port": "1"}, {"transport": "udp"}, {"key": 1},
                        {"signature_scheme": "hmac-md5"}, {"iopub_port": taken.getsockname()[1]}, {"ip": None}):
            with self.subTest(changes=str(changes)):
                process = self.start("-f", self.connection(**changes))
                self.assertEqual(self.ended(process), 1)
                self.assertEqual(process.stderr.read().count(b"\n"), 1)
        for text in ("", "{", "[]"):
            path = os.path.join(self.folder, "bad.json")
            with open(path, "w") as file:
                file.write(text)
            self.assertEqual(self.ended(self.start("-f", path)), 1)
        self.assertEqual(self.ended(self.start("-f", os.path.join(self.folder, "none"))), 1)

    def test_usage(self):
        for arguments in ([], ["--no-such"], ["-f"], ["a", "b"], ["install", "--prefix"], ["install", "x"]):
            process = self.start(*arguments)
            self.assertEqual(self.ended(process), 2)
            self.assertIn(b"usage", process.stderr.read())
        self.assertEqual(self.ended(self.start("--help")), 0)
        self.assertEqual(self.ended(self.start("--version")), 0)

    def test_life(self):
        path = self.connection()
        with open(path) as file:
            before = file.read()
        process = self.start(path)
        client = self.client(path)
        talk = Talk(client)
        self.assertEqual(talk.run("print(1)\n2")[0]["execution_count"], 1)
        self.assertTrue(client.hb_channel.is_beating())
        asked = talk.send("shutdown_request", {"restart": True}, "control")
        self.assertEqual(talk.reply(asked, "control")["content"], {"status": "ok", "restart": True})
        self.assertEqual(self.ended(process), 0)
        self.assertEqual((process.stdout.read(), process.stderr.read()), (b"", b""))
        with open(path) as file:
            self.assertEqual(file.read(), before)
        self.start(path)                                # again on the same ports
        talk = Talk(self.client(path))
        self.assertEqual(talk.run("1")[0]["execution_count"], 1)

    def test_empty_key_and_ipc(self):
        path = self.connection(key="", transport="ipc", ip=os.path.join(self.folder, "k"))
        process = self.start("-f", path)
        talk = Talk(self.client(path))
        self.assertEqual(talk.run("print(1)")[0]["status"], "ok")
        self.assertEqual(self.ended(self.start("-f", path)), 1)        # taken
        self.assertEqual(talk.run("1")[0]["status"], "ok")
        asked = talk.send("shutdown_request", {"restart": False}, "shell")
        self.assertEqual(talk.reply(asked)["content"]["restart"], False)
        self.assertEqual(self.ended(process), 0)

    def test_shutdown_while_busy(self):
        for code in ("while True: pass", "while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass"):
            path = self.connection()
            process = self.start("-f", path)
            talk = Talk(self.client(path))
            talk.send("execute_request", {"code": code})
            talk.send("execute_request", {"code": "1"})
            time.sleep(0.2)
            asked = talk.send("shutdown_request", {"restart": False}, "control")
            self.assertEqual(talk.reply(asked, "control")["content"]["status"], "ok")
            self.assertEqual(self.ended(process, 1.2), 0)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            for code in ("1", "while True: pass"):
                path = self.connection()
                process = self.start("-f", path)
                Talk(self.client(path)).send("execute_request", {"code": code})
                time.sleep(0.2)
                process.send_signal(number)
                self.ended(process, 1.2)

    def test_orphan(self):
        path = self.connection()
        script = "import os, subprocess, sys, time; os.environ['JPY_PARENT_PID'] = str(os.getpid())\n" \
                 "print(subprocess.Popen([sys.argv[1], sys.argv[2]]).pid, flush=True); sys.stdin.readline()"
        parent = subprocess.Popen([sys.executable, "-c", script, PROGRAM, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        pid = int(parent.stdout.readline())
        self.client(path)
        parent.stdin.close()
        parent.stdout.close()
        parent.wait()
        deadline = time.time() + 3
        while time.time() < deadline and alive(pid):
            time.sleep(0.05)
        self.assertFalse(alive(pid))

    def test_closed_descriptors(self):
        path = self.connection()
        process = self.start("-f", path, preexec_fn=lambda: [os.close(fd) for fd in (0, 1, 2)])
        self.assertEqual(Talk(self.client(path)).run("print(1)")[0]["status"], "ok")
        for fd in (0, 1, 2):
            self.assertEqual(os.readlink("/proc/%d/fd/%d" % (process.pid, fd)), "/dev/null")

    def test_idle_takes_no_time(self):
        path = self.connection()
        process = self.start("-f", path)
        Talk(self.client(path)).run("print(1)")
        client_quiet = ticks(process.pid)
        time.sleep(1)
        self.assertLessEqual(ticks(process.pid) - client_quiet, 3)

    def test_welcome_and_topics(self):
        path = self.connection()
        self.start("-f", path)
        self.client(path)
        with open(path) as file:
            settings = json.load(file)
        context = zmq.Context()
        iopub = context.socket(zmq.SUB)
        iopub.linger = 0
        iopub.connect("tcp://127.0.0.1:%d" % settings["iopub_port"])
        iopub.subscribe(b"")
        self.assertTrue(iopub.poll(3000))
        frames = iopub.recv_multipart()
        _, message = Session(key=b"secret").feed_identities(frames)
        message = Session(key=b"secret").deserialize(message)
        self.assertEqual((message["msg_type"], message["content"], message["parent_header"]), ("iopub_welcome", {"subscription": ""}, {}))
        self.assertEqual(frames[0], b"")
        while (message["msg_type"], message["parent_header"]) != ("status", {}):        # and the state, which it may have missed
            self.assertTrue(iopub.poll(3000))
            _, message = Session(key=b"secret").feed_identities(iopub.recv_multipart())
            message = Session(key=b"secret").deserialize(message)
        self.assertEqual(message["content"], {"execution_state": "idle"})
        iopub.close()
        context.term()

    def test_frames(self):
        path = self.connection()
        self.start("-f", path)
        self.client(path)
        with open(path) as file:
            settings = json.load(file)
        header = b'{ "msg_type":"kernel_info_request",  "msg_id": "caf\\u00e9", "n": 1.50, "session": "s" }'
        dicts = [header, b"{}", b"{}", b"{}"]
        context = zmq.Context()
        shell = context.socket(zmq.DEALER)
        shell.linger = 0
        shell.connect("tcp://127.0.0.1:%d" % settings["shell_port"])
        shell.send_multipart([b"one", b"", b"two", b"<IDS|MSG>", sign(dicts)] + dicts + [b"a buffer"])
        self.assertTrue(shell.poll(3000))
        frames = shell.recv_multipart()
        self.assertEqual(frames[:4], [b"one", b"", b"two", b"<IDS|MSG>"])
        self.assertEqual(frames[4], sign(frames[5:]))
        self.assertEqual((len(frames), frames[6]), (9, header))
        self.assertEqual(json.loads(frames[8])["status"], "ok")
        shell.close()
        context.term()

    def test_trace(self):
        path, trace = self.connection(), os.path.join(self.folder, "trace.jsonl")
        process = self.start("-f", path, "--trace", trace)
        talk = Talk(self.client(path))
        talk.run("import torch\nX = torch.ones(2)")
        talk.send("shutdown_request", {"restart": False}, "control")
        self.assertEqual(self.ended(process), 0)
        with open(trace) as file:
            self.assertGreaterEqual(len([json.loads(line) for line in file]), 2)

    def test_install(self):
        prefix = os.path.join(self.folder, "p")
        self.assertEqual(self.ended(self.start("install", "--prefix", prefix, "--name", "mine", "--display-name", "Mine é")), 0)
        folder = os.path.join(prefix, "share", "jupyter", "kernels", "mine")
        self.assertEqual(sorted(os.listdir(folder)), ["kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"])
        with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
            spec = json.load(file)
        self.assertEqual((spec["argv"], spec["display_name"], spec["language"]),
                         ([PROGRAM, "-f", "{connection_file}"], "Mine é", "python"))
        self.assertEqual(self.ended(self.start("uninstall", "--prefix", prefix, "--name", "mine")), 0)
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(self.ended(self.start("uninstall", "--prefix", prefix, "--name", "mine")), 1)
        self.assertEqual(self.ended(self.start("install", "--prefix", prefix, "--name", "../x")), 1)


class Levels(unittest.TestCase):
    """What a card says and what the terminal says is the same; the levels differ in detail alone."""
    CODE = ("import torch", "X = torch.arange(12.).view(3, 4)", "Y = torch.ones(3, 4)", "Y = Y + X", "Z = torch.zeros_like(Y)",
            "Z[:] = X + Y", "A = X", "X += Y", "V = X.t()", "V[0] = 100", "R = V.reshape(12)", "L = [X, Y]", "del Z",
            "for i in range(3):\n    Y = Y + X", "del L, A")

    def cards(self, level):
        """Text and HTML of the cards, one cell for a statement."""
        manager, client = start_new_kernel(kernel_name="locus")
        try:
            talk, shown = Talk(client), []
            for code in ("%memory " + level,) + self.CODE:
                shown += [m["content"]["data"] for m in talk.run(code)[1] if m["msg_type"] == "display_data"]
        finally:
            client.stop_channels()
            manager.shutdown_kernel()
        return [card["text/plain"] for card in shown], [html.unescape(re.sub("<[^>]*>", " ", card["text/html"])) for card in shown]

    def terminal(self, level):
        path = os.path.join(PLACE, "levels.py")
        with open(path, "w") as file:
            file.write("\n".join(self.CODE) + "\n")
        done = subprocess.run([os.path.join(os.path.dirname(PROGRAM), "locus"), "--memory=" + level, path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env=dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8"))
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        return done.stderr.decode()

    def words(self, text):
        """Words in order. Ids and addresses, of which each process has its own, are all the same word."""
        return re.sub(r"…[0-9a-f]+|0x[0-9a-f]+|[0-9]{9,}", "@", text.replace(" ·", "").replace(",", " ")).split()

    def test_off(self):
        self.assertEqual((self.terminal("off"), self.cards("off")), ("", ([], [])))

    def test_same_in_terminal_and_notebook(self):
        for level in ("brief", "normal", "full"):
            with self.subTest(level=level):
                texts, _ = self.cards(level)
                text = re.sub(r"(?m)^ *\d+  .*\n", "", "".join(texts))                  # source, as in every cell with a loop
                if level != "full":
                    text = re.sub(r"(?m)^live .*\n", "", text)
                self.assertEqual(self.words(text), self.words(self.terminal(level)))

    def test_html_says_all_of_the_text(self):
        for level in ("brief", "normal", "full"):
            for text, table in zip(*self.cards(level)):
                self.assertLessEqual(set(self.words(text)), set(self.words(table)))

    def test_more_in_each_level(self):
        levels = [self.cards(level) for level in ("brief", "normal", "full")]
        for form in (0, 1):
            sizes = [sum(len(self.words(card)) for card in cards[form]) for cards in levels]
            self.assertTrue(sizes[0] < sizes[1] < sizes[2], sizes)
            for less, more in ((0, 1), (1, 2)):
                self.assertEqual(len(levels[less][form]), len(levels[more][form]))
                for a, b in zip(levels[less][form], levels[more][form]):
                    self.assertLessEqual(set(self.words(a)), set(self.words(b)))


class Lessons(unittest.TestCase):
    def test_lesson(self):
        path = os.path.join(ROOT, "notebooks", "lessons", "01_saving_memory.ipynb")
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(notebook, kernel_name="locus", timeout=60).execute()
        cards = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
                 if output.output_type == "display_data"]
        self.assertGreater(len(cards), 3)
        for card in cards:
            self.assertTrue(card.data["text/plain"] and card.data["text/html"])


def sign(dicts):
    return hmac.new(b"secret", b"".join(dicts), "sha256").hexdigest().encode()


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ticks(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def main():
    subprocess.run([PROGRAM, "install", "--prefix", PLACE], check=True, stdout=subprocess.DEVNULL)
    try:
        loader = unittest.defaultTestLoader
        suite = unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Suite, Contract, Process, Levels, Lessons))
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print("%d passed, %d failed" % (result.testsRun - failed - len(result.skipped), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
