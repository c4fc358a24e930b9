"""JupyterLab on loopback with the kernel installed in a folder of its own, and one page of a browser that looks at it."""
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none", "showHiddenCellsButton": False},
    "@jupyterlab/completer-extension:manager": {"autoCompletion": False},
}


def browser_path():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    raise FileNotFoundError("no chromium on PATH")


class Lab:
    """The server. Everything that it reads and writes lies in `place`, which goes away with it."""

    def __init__(self, notebooks):
        self.place = tempfile.mkdtemp(prefix="locus-browser-")
        self.folder = os.path.join(self.place, "notebooks")
        self.prefix = os.path.join(self.place, "prefix")
        os.mkdir(self.folder)
        for path in notebooks:
            shutil.copy(path, self.folder)
        self.token = secrets.token_hex(16)
        self.server = self.log = None
        own = {name: os.path.join(self.place, folder) for name, folder in (
            ("HOME", "home"), ("JUPYTER_DATA_DIR", "data"), ("JUPYTER_CONFIG_DIR", "config"), ("TMPDIR", "tmp"),
            ("JUPYTER_RUNTIME_DIR", "runtime"), ("IPYTHONDIR", "ipython"))}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "XDG_", "PYTHON"))}
        self.environment = dict(kept, **own, JUPYTER_PATH=os.path.join(self.prefix, "share", "jupyter"), LC_ALL="C.UTF-8")
        for folder in own.values():
            os.mkdir(folder)
        labconfig = os.path.join(own["JUPYTER_CONFIG_DIR"], "labconfig")
        os.mkdir(labconfig)
        with open(os.path.join(labconfig, "default_setting_overrides.json"), "w") as file:
            json.dump(SETTINGS, file)

    def install(self):
        subprocess.run(["make", "-s", "install", "PREFIX=" + self.prefix], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = open(os.path.join(self.place, "server.log"), "wb")
        self.server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=%d" % self.port,
             "--ServerApp.port_retries=0", "--IdentityProvider.token=" + self.token, "--ServerApp.root_dir=" + self.folder,
             "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=", "--ServerApp.terminals_enabled=False"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        until = time.monotonic() + 90
        while True:
            try:
                self.ask("api/status")
                return
            except (urllib.error.URLError, ConnectionError, socket.timeout):
                if self.server.poll() is not None or time.monotonic() > until:
                    raise RuntimeError("JupyterLab did not start:\n" + self.said())
                time.sleep(0.2)

    def ask(self, path):
        request = urllib.request.Request(self.url(path), headers={"Authorization": "token " + self.token})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def url(self, path):
        return "http://127.0.0.1:%d/%s" % (self.port, path)

    def said(self):
        with open(self.log.name, errors="replace") as file:
            return file.read()[-4000:]

    def stop(self):
        """Ends the server, which ends its kernels."""
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            try:
                self.server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(self.server.pid, signal.SIGKILL)
                self.server.wait()
        if self.log:
            self.log.close()

    def left_behind(self):
        """Command lines of processes that still run with the environment of this one."""
        mark, left = ("=" + self.place).encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % pid, "rb") as file:
                    if mark not in file.read():
                        continue
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    left.append(file.read().replace(b"\0", b" ").decode("utf-8", "replace"))
            except OSError:                             # it is gone, or somebody else's
                continue
        return left

    def remove(self):
        shutil.rmtree(self.place, ignore_errors=True)


def browse(playwright, lab):
    return playwright.chromium.launch(executable_path=browser_path(), headless=True, env=lab.environment,
                                      args=["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"])
