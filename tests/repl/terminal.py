"""terminal.py - a program in a pseudo-terminal: keys go in, a screen comes out."""
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

import pyte

PROMPT = ">>> "


def set_size(fd, columns, lines):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


class Terminal:
    """A program with a terminal of its own. Every wait ends with what is waited for, or fails after `timeout` seconds."""

    def __init__(self, command, env=None, columns=100, lines=300, timeout=30):
        self.timeout = timeout
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""                  # all that it wrote
        self.status = None              # exit status; negative: killed by that signal
        self.typed_at = -1              # the line in which the last keys were typed
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            set_size(0, columns, lines)
            os.environ.clear()
            os.environ.update(env or {})
            try:
                os.execv(command[0], command)
            finally:
                os._exit(127)

    # ---- looking ----
    def lines(self):
        """The screen's lines without what is empty at the end."""
        shown = [line.rstrip() for line in self.screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def text(self):
        return "\n".join(self.lines())

    def cursor_line(self):
        return self.screen.display[self.screen.cursor.y].rstrip()

    def _read(self, seconds):
        """Takes what the program wrote; False: it has ended, or wrote nothing for so long."""
        if not select.select([self.fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError as problem:      # the other end is closed
            if problem.errno != errno.EIO:
                raise
            data = b""
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def wait(self, condition, what):
        end = time.monotonic() + self.timeout
        while not condition():
            if not self._read(end - time.monotonic()) and not condition():
                raise AssertionError("waited for %s; the screen shows\n%s" % (what, self.text()))

    def wait_text(self, text):
        self.wait(lambda: text in self.text(), repr(text))

    def wait_prompt(self, prompt=PROMPT):
        """Until a new prompt stands below the line that was typed last."""
        self.wait(lambda: self.screen.cursor.y > self.typed_at and self.cursor_line() == prompt.rstrip()
                  and self.screen.cursor.x == len(prompt), "the prompt %r" % prompt)

    def wait_line(self, line):
        """Until the cursor stands at the end of this line."""
        width = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
        self.wait(lambda: self.cursor_line() == line.rstrip() and self.screen.cursor.x == width, "the line %r" % line)

    def wait_cooked(self):
        """Until no line is edited: a statement runs."""
        while not termios.tcgetattr(self.fd)[3] & termios.ICANON:
            self._read(0.01)

    # ---- doing ----
    def resize(self, columns):
        self.screen.resize(self.screen.lines, columns)
        set_size(self.fd, columns, self.screen.lines)

    def send(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.typed_at = self.screen.cursor.y
        while data:
            ready = select.select([self.fd], [self.fd], [], self.timeout)
            if self.fd in ready[0]:
                self._read(0)           # what is not read stops it from reading
            if self.fd in ready[1]:
                data = data[os.write(self.fd, data[:4000]):]
            elif not ready[0]:
                raise AssertionError("it reads no keys")

    def enter(self, line, prompt=PROMPT):
        """Types a line at a prompt. Gives back the lines that were shown until the next prompt."""
        self.send(line + "\r")
        self.wait_prompt(prompt)
        return self.lines()[self.typed_at + 1:self.screen.cursor.y]

    def block(self, *lines):
        """Types the lines of one statement, each when it is asked for, then a blank line. The indentation is not typed."""
        for line in lines:
            self.enter_more(line)
        return self.enter("")

    def enter_more(self, line):
        """Types a line that does not end the statement."""
        first = self.screen.cursor.y + 1
        self.send(line + "\r")
        self.wait(lambda: self.screen.cursor.y == first and self.cursor_line().startswith("..."), "a continuation")

    def end(self):
        """Waits until the program has ended; its status."""
        while self.status is None:
            try:
                self.wait(lambda: self.status is not None or os.waitid(
                    os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT), "its end")
            except AssertionError:
                if not os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                    raise
            status = os.waitpid(self.pid, 0)[1]
            self.status = os.waitstatus_to_exitcode(status)
        while self._read(0):            # what it wrote last
            pass
        return self.status

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(self.fd)


def without_escapes(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
