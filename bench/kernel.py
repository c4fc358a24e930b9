"""Memory of an idle kernel, and the time from a request until it is idle again.

usage: kernel.py COMMAND [ARGUMENT]...          {connection_file} in an argument is replaced

jupyter_client makes and signs the requests. What comes back is only searched, so that little of the time is
the client's own.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

PLACE = tempfile.mkdtemp(prefix="locus-bench-")
os.environ["IPYTHONDIR"] = os.environ["JUPYTER_RUNTIME_DIR"] = PLACE

import zmq                                              # from here on: the environment is read at import
from jupyter_client import write_connection_file
from jupyter_client.session import Session

WARM, TRIPS = 50, 500
PATIENCE = 60                                           # seconds to wait for anything
OK = b'"status":"ok"'


def say(name, value, unit):
    print('{"name": "%s", "value": %.0f, "unit": "%s"}' % (name, value, unit), flush=True)


def receive(socket, *wanted):
    """The next message that holds all of these bytes, without its blanks."""
    message = b""
    while not all(part in message for part in wanted):
        message = b"".join(socket.recv_multipart()).replace(b" ", b"")
    return message


class Kernel:
    def __init__(self, command):
        path, ports = write_connection_file(os.path.join(PLACE, "kernel.json"), ip="127.0.0.1")
        context = zmq.Context()
        self.session = Session(key=ports["key"].encode())
        self.shell, self.iopub = context.socket(zmq.DEALER), context.socket(zmq.SUB)
        self.iopub.subscribe(b"")
        self.shell.connect("tcp://127.0.0.1:%d" % ports["shell_port"])
        self.iopub.connect("tcp://127.0.0.1:%d" % ports["iopub_port"])
        command = [part.replace("{connection_file}", path) for part in command]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def trip(self, request, content, patience=PATIENCE):
        """Seconds from a request until the kernel says that it is idle after it, and whether it went well."""
        self.shell.RCVTIMEO = self.iopub.RCVTIMEO = int(patience * 1000)
        start = time.perf_counter()
        sent = self.session.send(self.shell, request, content)["header"]["msg_id"].encode()
        receive(self.iopub, sent, b'"execution_state":"idle"')
        took = time.perf_counter() - start
        return took, OK in receive(self.shell, sent, b'"status"')

    def run(self, code):
        return self.trip("execute_request", {"code": code, "silent": False, "store_history": False,
                                             "user_expressions": {}, "allow_stdin": False})

    def wait_until_ready(self):
        for _ in range(PATIENCE):                       # what it says before it knows its subscribers is lost
            try:
                return self.trip("kernel_info_request", {}, 1)
            except zmq.Again:
                pass
        raise SystemExit("kernel.py: no answer from " + self.process.args[0])

    def held(self):
        """Bytes that the process holds after a second of rest; pages shared with others count in part."""
        time.sleep(1)
        with open("/proc/%d/smaps_rollup" % self.process.pid) as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    kernel = Kernel(sys.argv[1:])
    try:
        kernel.wait_until_ready()
        say("idle", kernel.held(), "bytes")
        times = [kernel.run("1+1")[0] for _ in range(WARM + TRIPS)][WARM:]
        say("round trip", sorted(times)[TRIPS // 2] * 1e9, "ns")
        if kernel.run("import torch; x = torch.zeros(3)")[1]:
            say("idle, torch imported", kernel.held(), "bytes")
    finally:
        kernel.end()


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)
