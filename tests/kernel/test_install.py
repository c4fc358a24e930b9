#!/usr/bin/env python3
"""Test make install and make install-kernel: what they write, where, and that Jupyter finds and starts it.

usage: test_install.py [BUILD]          BUILD: the folder of the programs, build if missing
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
SPEC = os.path.join("kernels", "locus")


class Install(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="locus-install-")
        self.addCleanup(shutil.rmtree, self.place)
        self.home = os.path.join(self.place, "home")
        os.mkdir(self.home)

    def environment(self, **changes):
        """Of somebody who has set nothing but these."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "XDG_"))}
        return dict(kept, HOME=self.home, **changes)

    def make(self, *arguments, **changes):
        sanitized = ["SAN=1"] if os.path.basename(BUILD) == "san" else []
        done = subprocess.run(["make", "-s"] + sanitized + list(arguments), cwd=ROOT, env=self.environment(**changes),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout.decode("utf-8", "replace"))

    def check_spec(self, folder, program):
        """The folder holds a whole kernelspec that starts the program."""
        self.assertEqual(sorted(os.listdir(folder)), ["kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"])
        with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
            spec = json.load(file)
        self.assertEqual((spec["argv"], spec["display_name"], spec["language"], spec["interrupt_mode"]),
                         ([program, "-f", "{connection_file}"], "Locus", "python", "signal"))
        for size in (32, 64):
            with open(os.path.join(folder, "logo-%dx%d.png" % (size, size)), "rb") as file:
                head = file.read(24)
            self.assertEqual((head[:8], struct.unpack(">II", head[16:])), (b"\x89PNG\r\n\x1a\n", (size, size)))
        root = xml.etree.ElementTree.parse(os.path.join(folder, "logo-svg.svg")).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertTrue(root.get("viewBox"))

    def check_start(self, **changes):
        """Jupyter's own client finds the kernel and runs a cell in it."""
        code = ("from jupyter_client.manager import start_new_kernel\n"
                "manager, client = start_new_kernel(kernel_name='locus', startup_timeout=30)\n"
                "client.execute_interactive('print(6 * 7)', timeout=30)\n"
                "client.stop_channels(); manager.shutdown_kernel()\n")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=self.environment(**changes), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, b"42\n"), done.stderr.decode("utf-8", "replace"))

    def test_prefix(self):
        prefix = os.path.join(self.place, "own place")
        self.make("install", "PREFIX=" + prefix)
        programs = [os.path.join(prefix, "bin", name) for name in ("locus", "locus-kernel")]
        for program in programs:
            self.assertEqual(os.stat(program).st_mode & 0o777, 0o755)
        self.assertEqual(subprocess.run([programs[0], "-c", "print(6 * 7)"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        timeout=60).stdout, b"42\n")
        self.check_spec(os.path.join(prefix, "share", "jupyter", SPEC), programs[1])
        self.check_start(JUPYTER_PATH=os.path.join(prefix, "share", "jupyter"))

    def test_relative_prefix(self):
        prefix = os.path.join(self.place, "p")
        self.make("install", "PREFIX=" + os.path.relpath(prefix, ROOT))
        self.check_spec(os.path.join(prefix, "share", "jupyter", SPEC), os.path.join(prefix, "bin", "locus-kernel"))

    def test_staged(self):
        stage = os.path.join(self.place, "stage")
        self.make("install", "PREFIX=/opt/locus", "DESTDIR=" + stage)
        self.assertEqual(sorted(os.listdir(stage + "/opt/locus/bin")), ["locus", "locus-kernel"])
        self.check_spec(os.path.join(stage + "/opt/locus/share/jupyter", SPEC), "/opt/locus/bin/locus-kernel")

    def test_for_oneself(self):
        shared, data = os.path.join(self.place, "shared"), os.path.join(self.place, "data")
        for changes, folder in (({}, os.path.join(self.home, ".local", "share", "jupyter")),
                                ({"XDG_DATA_HOME": shared}, os.path.join(shared, "jupyter")),
                                ({"XDG_DATA_HOME": shared, "JUPYTER_DATA_DIR": data}, data)):
            with self.subTest(changes=changes):
                self.make("install-kernel", **changes)
                self.check_spec(os.path.join(folder, SPEC), os.path.join(BUILD, "locus-kernel"))
                self.check_start(**changes)
                shutil.rmtree(folder)                   # and it was written nowhere else
                self.assertEqual([files for _, _, files in os.walk(self.place) if "kernel.json" in files], [])


def main():
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Install))
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print("%d passed, %d failed" % (result.testsRun - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
