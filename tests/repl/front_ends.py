"""front_ends.py - the same statements typed at a prompt, run as a script and executed as a notebook."""
import ast
import json
import os
import subprocess
import sys

import nbclient
import nbformat

from terminal import Terminal


def cut(source):
    """The texts of the statements at top level."""
    lines = source.splitlines()
    texts = []
    for node in ast.parse(source).body:
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        texts.append("\n".join(lines[first - 1:node.end_lineno]))
    return texts


def read_trace(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class FrontEnds:
    """Each of prompt(), script() and notebook() answers what was shown after each statement, and leaves a trace."""

    def __init__(self, program, kernel, folder):
        self.program, self.kernel, self.folder = program, kernel, folder
        self.environment = {"HOME": folder, "LANG": "C.UTF-8", "TERM": "xterm", "PATH": os.environ.get("PATH", ""),
                            "ASAN_OPTIONS": "detect_leaks=0"}

    def trace(self, name):
        return os.path.join(self.folder, name + ".jsonl")

    def prompt(self, statements, *options):
        terminal = Terminal([self.program, "--no-color", "--trace", self.trace("prompt"), *options], self.environment, lines=1000)
        try:
            terminal.wait_prompt()
            shown = []
            for text in statements:
                first = terminal.screen.cursor.y + 1
                terminal.send("\x1b[200~%s\n\x1b[201~" % text)
                terminal.wait_prompt()
                lines = terminal.lines()[first:terminal.screen.cursor.y]
                shown.append("\n".join(line for line in lines if not line.startswith("...")))
            terminal.send("\x04")
            if terminal.end():
                raise AssertionError("the prompt ended with status %d" % terminal.status)
            return shown
        finally:
            terminal.close()

    def script(self, statements, *options, name="script", **environment):
        """What is shown is told apart by a line printed behind each statement, where shown is asked for."""
        path = os.path.join(self.folder, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(statements) + "\n")
        subprocess.run([self.program, "--trace", self.trace(name), *options, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60, env=dict(self.environment, **environment))
        marked = "\n".join("%s\nprint('@@')" % text for text in statements)
        done = subprocess.run([self.program, "--no-color", "-c", marked], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60, env=self.environment)
        return [text.strip("\n") for text in done.stdout.decode().split("@@\n")[:len(statements)]]

    def notebook(self, statements):
        spec = os.path.join(self.folder, "share", "jupyter", "kernels", "traced")
        os.makedirs(spec, exist_ok=True)
        with open(os.path.join(spec, "kernel.json"), "w") as file:
            json.dump({"argv": [self.kernel, "--trace", self.trace("notebook"), "-f", "{connection_file}"], "display_name": "Locus",
                       "language": "python", "env": {"ASAN_OPTIONS": "detect_leaks=0"}}, file)
        os.environ["JUPYTER_PATH"] = os.path.join(self.folder, "share", "jupyter")
        os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(self.folder, "runtime")
        cells = [nbformat.v4.new_code_cell(text) for text in statements]
        notebook = nbformat.v4.new_notebook(cells=cells)
        nbclient.NotebookClient(notebook, kernel_name="traced", timeout=60, allow_errors=True).execute()
        return [self._text(cell.outputs) for cell in notebook.cells]

    @staticmethod
    def _text(outputs):
        texts = []
        for output in outputs:
            if output.output_type == "stream":
                texts.append(output.text.strip("\n"))
            elif output.output_type == "error":
                texts.append("%s: %s" % (output.ename, output.evalue))
            else:
                texts.append(output.data["text/plain"].strip("\n"))
        return "\n".join(texts)
