#!/usr/bin/env python3
"""The kernel in JupyterLab, as a user meets it: in Chromium, in the light and the dark theme.

usage: test_browser.py LOCUS_KERNEL OUT      OUT: folder for screenshots

Needs what tests/browser/setup installs. Ends with a line `N passed, N failed`.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

HERE = os.path.dirname(os.path.abspath(__file__))
LESSON = os.path.join(HERE, "..", "..", "notebooks", "lessons", "01_saving_memory.ipynb")
TOKEN = "for-this-run-only"
LIMIT = 120                                             # seconds that anything may take
LEAST_CONTRAST = 4.5                                    # WCAG 2.1, level AA, for text of this size

# Every piece of text in a card with the contrast it has against what is behind it (WCAG's relative luminance).
CONTRASTS = """(cards) => {
  const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const over = (a, b) => [0, 1, 2].map(k => a[k] * a[3] + b[k] * (1 - a[3])).concat(1);
  const light = c => { const f = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const ground = e => { const c = parse(getComputedStyle(e).backgroundColor);
                        return c[3] === 1 ? c : over(c, e.parentElement ? ground(e.parentElement) : [255, 255, 255, 1]); };
  const found = [];
  for (const card of cards) {
    const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent.trim(), e = node.parentElement;
      if (!text) continue;
      let alpha = 1;
      for (let up = e; up && up !== card.parentElement; up = up.parentElement) alpha *= Number(getComputedStyle(up).opacity);
      const behind = ground(e), own = parse(getComputedStyle(e).color);
      own[3] *= alpha;
      const a = light(over(own, behind)), b = light(behind);
      found.push([text.slice(0, 40), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]);
    }
  }
  return found;
}"""


class Lab:
    """JupyterLab over a folder of its own, which has the kernel under test and nothing else of the user's."""

    def __init__(self, kernel, folder):
        self.folder = folder
        self.work = os.path.join(folder, "work")
        data, settings = os.path.join(folder, "share", "jupyter"), os.path.join(folder, "settings")
        os.makedirs(self.work)
        for plugin, values in [("notebook-extension/tracker", {"windowingMode": "none"}),       # every cell is there, also out of sight
                               ("apputils-extension/notification", {"fetchNews": "false"})]:
            path = os.path.join(settings, "@jupyterlab", plugin + ".jupyterlab-settings")
            os.makedirs(os.path.dirname(path))
            with open(path, "w") as file:
                json.dump(values, file)
        shutil.copy(LESSON, self.work)
        self.env = dict(os.environ, HOME=folder, JUPYTER_DATA_DIR=data, JUPYTER_CONFIG_DIR=os.path.join(folder, "config"),
                        JUPYTER_RUNTIME_DIR=os.path.join(folder, "runtime"), JUPYTERLAB_SETTINGS_DIR=settings, JUPYTER_PREFER_ENV_PATH="0")
        subprocess.run([kernel, "install", "--prefix", folder], check=True, env=self.env, stdout=subprocess.DEVNULL)
        with open(os.path.join(data, "kernels", "locus", "kernel.json")) as file:
            self.spec = json.load(file)
        self.log = open(os.path.join(folder, "log"), "w")
        self.process = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), "jupyter"), "lab", "--no-browser", "--allow-root", "--port=0", "--ip=127.0.0.1",
             "--IdentityProvider.token=" + TOKEN, "--ServerApp.root_dir=" + self.work, "--LabApp.expose_app_in_browser=True",
             "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
            env=self.env, stdout=self.log, stderr=self.log, start_new_session=True)
        self.url = self.wait_for_url()

    def wait_for_url(self):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            runtime = self.env["JUPYTER_RUNTIME_DIR"]
            for name in os.listdir(runtime) if os.path.isdir(runtime) else []:
                if name.startswith("jpserver-") and name.endswith(".json"):
                    try:
                        with open(os.path.join(runtime, name)) as file:
                            return json.load(file)["url"]
                    except ValueError:
                        pass                            # it is being written
            time.sleep(0.1)
        self.close()
        with open(os.path.join(self.folder, "log")) as file:
            raise RuntimeError("JupyterLab did not start:\n" + file.read()[-2000:])

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        self.log.close()


class Page:
    """One JupyterLab page, driven through its own commands."""

    def __init__(self, page, lab, out):
        self.page, self.lab, self.out = page, lab, out
        page.set_default_timeout(LIMIT * 1000)

    def open(self, path):
        self.page.goto("%slab/tree/%s?token=%s&reset" % (self.lab.url, path, TOKEN))
        self.page.wait_for_function("() => window.jupyterapp && document.querySelector('.jp-Notebook')")
        self.wait_for_kernel()

    def new_notebook(self):
        name = self.page.evaluate("async () => (await jupyterapp.commands.execute('notebook:create-new',"
                                  " {kernelName: 'locus'})).context.path")
        self.wait_for_kernel()
        return name

    def wait_for_kernel(self):
        self.page.wait_for_function("""() => { const w = jupyterapp.shell.currentWidget, s = w && w.sessionContext;
            return s && s.isReady && s.session && s.session.kernel && s.session.kernel.status === 'idle'; }""")

    def command(self, name, arguments=None):
        return self.page.evaluate("async ([name, a]) => { await jupyterapp.commands.execute(name, a); }", [name, arguments or {}])

    def run_all(self):
        self.command("notebook:run-all-cells")
        self.wait_for_kernel()

    def type(self, source, run=True):
        """Types a cell at the end of the notebook and runs it; its index among the cells."""
        self.page.evaluate("""(source) => { const n = jupyterapp.shell.currentWidget.content;
            n.activeCellIndex = n.widgets.length - 1; n.activeCell.model.sharedModel.setSource(source); }""", source)
        index = self.page.evaluate("() => jupyterapp.shell.currentWidget.content.activeCellIndex")
        if run:
            self.command("notebook:run-cell-and-insert-below")
            self.wait_for_kernel()
        return index

    def cell(self, index):
        """Of a cell: its kind, count, and for each output its kind and data."""
        return self.page.evaluate("""(k) => { const c = jupyterapp.shell.currentWidget.content.widgets[k].model;
            return {kind: c.type, count: c.type === 'code' ? c.executionCount : null,
                    outputs: c.type === 'code' ? c.outputs.toJSON() : []}; }""", index)

    def cells(self):
        n = self.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length")
        return [self.cell(k) for k in range(n)]

    def theme(self, name):
        self.command("apputils:change-theme", {"theme": name})
        self.page.wait_for_function("(dark) => document.body.dataset.jpThemeLight === (dark ? 'false' : 'true')", arg="Dark" in name)
        time.sleep(0.5)                                 # its style sheet is being swapped

    def cards(self):
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output.jp-RenderedHTMLCommon table")

    def shot(self, name):
        panel = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook")
        panel.evaluate("(e) => { e.scrollTop = 0; }")
        self.page.screenshot(path=os.path.join(self.out, name + ".png"))

    def text_of(self, index):
        return "".join(o.get("text", "") if isinstance(o.get("text", ""), str) else "".join(o["text"])
                       for o in self.cell(index)["outputs"] if o["output_type"] == "stream")


# ---- what is checked: each takes the page ---------------------------------------------------------------------
def lesson_runs(page):
    page.open("01_saving_memory.ipynb")
    page.run_all()
    code = [c for c in page.cells() if c["kind"] == "code"]
    assert len(code) > 5
    for number, cell in enumerate(code, 1):
        assert cell["count"] == number, (number, cell["count"])
        assert not [o for o in cell["outputs"] if o["output_type"] == "error"], cell["outputs"]
    shown = [c for c in code if any("text/html" in o.get("data", {}) for o in c["outputs"])]
    assert len(shown) >= len(code) - 2, "cards under %d of %d cells" % (len(shown), len(code))


def cards_are_seen(page):
    n = page.cards().count()
    assert n > 5, n
    for k in range(n):
        inside = page.cards().nth(k).evaluate("""(e) => { const a = e.getBoundingClientRect(),
            b = e.closest('.jp-OutputArea-output').getBoundingClientRect();
            return a.width > 200 && a.height > 10 && a.left >= b.left - 1 && a.right <= b.right + 1; }""")
        assert inside, "card %d is cut off or empty" % k


def columns_line_up(page):
    """The second and the third column of a card begin at one place in all its rows."""
    for k in range(page.cards().count()):
        lefts = page.cards().nth(k).evaluate("""(e) => [1, 2].map(c => [...new Set([...e.rows]
            .filter(r => r.cells.length > 3 && ![...r.cells].some(x => x.colSpan > 1))
            .map(r => Math.round(r.cells[c].getBoundingClientRect().left)))])""")
        for column in lefts:
            assert len(column) <= 1, "card %d: %s" % (k, lefts)


def readable(theme):
    def check(page):
        page.theme(theme)
        pieces = page.cards().evaluate_all(CONTRASTS)
        assert len(pieces) > 50, len(pieces)
        faint = sorted({(text, round(ratio, 2)) for text, ratio in pieces if ratio < LEAST_CONTRAST}, key=lambda p: p[1])
        page.shot("lesson_" + theme.split()[-1].lower())
        assert not faint, faint[:8]
    check.__name__ = "readable in the theme " + theme
    return check


def learner_types(page):
    page.new_notebook()
    page.type("import torch\nX = torch.arange(12.0).reshape(3, 4)\nY = torch.ones(3, 4)")
    page.type("Y = Y + X\nX += Y\nv = X[0]")
    page.type("for i in range(3):\n    Y = Y * 2")
    value = page.cell(page.type("X[:2]"))["outputs"]
    assert any("tensor(" in str(o.get("data", {}).get("text/plain")) for o in value if o["output_type"] == "execute_result"), value
    who = page.cell(page.type("%who"))["outputs"]
    text = json.dumps(who)
    assert ">X<" in text and ">Y<" in text, text[:400]
    assert ">Out<" not in text and ">_<" not in text, "names of the notebook's own are listed"
    page.theme("JupyterLab Light")
    page.shot("typed_light")
    page.theme("JupyterLab Dark")
    page.shot("typed_dark")
    page.theme("JupyterLab Light")


def error_is_shown(page):
    outputs = page.cell(page.type("X @ torch.ones(3, 3)"))["outputs"]
    error = [o for o in outputs if o["output_type"] == "error"]
    assert error and error[0]["ename"] == "RuntimeError", outputs
    seen = page.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']")
    text = seen.last.inner_text()
    lines = text.splitlines()
    carets = [k for k, line in enumerate(lines) if set(line.strip()) == {"^"}]
    assert carets, text
    under = lines[carets[0] - 1][lines[carets[0]].index("^"):].rstrip()
    assert under.startswith("X @ torch.ones(3, 3)"), text
    page.shot("error_light")


def tab_completes(page):
    page.type("torch.zer", run=False)
    page.page.evaluate("""() => { const c = jupyterapp.shell.currentWidget.content; c.mode = 'edit';
        c.activeCell.editor.focus(); c.activeCell.editor.setCursorPosition({line: 0, column: 9}); }""")
    page.page.keyboard.press("Tab")
    page.page.wait_for_selector(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item")
    offered = page.page.locator(".jp-Completer-item").all_inner_texts()
    assert any("zeros" in o for o in offered) and any("zeros_like" in o for o in offered), offered
    page.page.keyboard.press("Escape")


def shift_tab_explains(page):
    page.type("torch.zeros", run=False)
    page.page.evaluate("""() => { const c = jupyterapp.shell.currentWidget.content; c.mode = 'edit';
        c.activeCell.editor.focus(); c.activeCell.editor.setCursorPosition({line: 0, column: 11}); }""")
    page.page.keyboard.press("Shift+Tab")
    tip = page.page.wait_for_selector(".jp-Tooltip-content")
    text = tip.inner_text()
    assert "zeros(" in text and "dtype" in text, text
    page.page.keyboard.press("Escape")


def interrupt_works(page):
    index = page.type("while True:\n    pass", run=False)
    page.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-cell-and-insert-below'); }")
    page.page.wait_for_function("() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'busy'")
    page.command("kernelmenu:interrupt")
    page.wait_for_kernel()
    error = [o for o in page.cell(index)["outputs"] if o["output_type"] == "error"]
    assert error and error[0]["ename"] == "KeyboardInterrupt", page.cell(index)
    assert page.text_of(page.type("print('after', 1 + 1)")) == "after 2\n"


def restart_works(page):
    page.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }")
    page.wait_for_kernel()
    error = [o for o in page.cell(page.type("X"))["outputs"] if o["output_type"] == "error"]
    assert error and error[0]["ename"] == "NameError", error
    assert page.text_of(page.type("print(40 + 2)")) == "42\n"


def launcher_shows_the_logo(page):
    page.command("launcher:create")
    card = page.page.wait_for_selector(".jp-LauncherCard[title='Locus']")
    image = card.query_selector("img")
    assert image and image.evaluate("(e) => e.complete && e.naturalWidth") >= 32
    page.page.screenshot(path=os.path.join(page.out, "launcher.png"))


def kernelspec_is_whole(page):
    spec = page.lab.spec
    assert os.path.isabs(spec["argv"][0]) and os.access(spec["argv"][0], os.X_OK), spec
    assert "{connection_file}" in spec["argv"] and spec["language"] == "python", spec
    folder = os.path.join(page.lab.env["JUPYTER_DATA_DIR"], "kernels", "locus")
    assert {"logo-32x32.png", "logo-64x64.png"} <= set(os.listdir(folder)), os.listdir(folder)


CHECKS = [kernelspec_is_whole, lesson_runs, cards_are_seen, columns_line_up, readable("JupyterLab Light"), readable("JupyterLab Dark"),
          learner_types, error_is_shown, tab_completes, shift_tab_explains, interrupt_works, restart_works, launcher_shows_the_logo]


def main():
    kernel, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(out, exist_ok=True)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(kernel, folder)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
                page = Page(browser.new_page(viewport={"width": 1200, "height": 1600}), lab, out)
                for check in CHECKS:
                    try:
                        check(page)
                        passed += 1
                    except Exception:
                        failed += 1
                        print("%s:\n%s" % (check.__name__, traceback.format_exc()[-1500:]), flush=True)
                        page.page.screenshot(path=os.path.join(out, "failed_%s.png" % check.__name__.replace(" ", "_")))
                browser.close()
        finally:
            lab.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
