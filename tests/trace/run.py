#!/usr/bin/env python3
"""Run locus on cases and compare its traces with the expected ones.

usage: run.py LOCUS_BINARY CASES [CASES …] [-j N] [-v] [--expected DIR]

CASES is a folder of *.py or one such file.  Its expected trace is found by
turning the path's folder `cases` into `expected` and .py into .jsonl.
Prints a line for each mismatch (the first few of each case), then a table by
category, then 'N passed, N failed'.  Exit status 1 if any failed.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402


def find(tops, expected):
    """(category, name, script, expected trace) of every case, in order."""
    cases = []
    for top in tops:
        top = os.path.abspath(top)
        scripts = []
        if os.path.isdir(top):
            for folder, folders, files in os.walk(top):
                folders.sort()
                scripts += [os.path.join(folder, f) for f in sorted(files)
                            if f.endswith(".py")]
        else:
            scripts.append(top)
        for script in scripts:
            parts = script.split(os.sep)
            if "cases" in parts[:-1]:
                at = len(parts) - 2 - parts[:-1][::-1].index("cases")
                base, inner = os.sep.join(parts[:at]), parts[at + 1:]
            else:
                base, inner = os.path.dirname(script), parts[-1:]
            inner[-1] = inner[-1][:-3]
            root = expected or os.path.join(base, "expected")
            cases.append(("/".join(inner[:-1]) or "-", "/".join(inner), script,
                          os.path.join(root, *inner) + ".jsonl"))
    return cases


def run_one(binary, script, expected, name, timeout, version):
    """Mismatches of one case, as lines of text."""
    if not os.path.exists(expected):
        return ["%s: no expected trace" % name]
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.jsonl")
        # in a folder of its own, so that what a script writes stays there
        try:
            done = subprocess.run([binary, "--trace", trace, script], cwd=folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, timeout=timeout,
                                  env=dict(os.environ, LOCUS_LEAKS="1"))
        except subprocess.TimeoutExpired:
            return ["%s: ran longer than %g s" % (name, timeout)]
        except OSError as exc:
            return ["%s: cannot run: %s" % (name, exc)]
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        last = " (%s)" % said[-1] if said else ""
        leaks = [line for line in said if line.startswith("leak: ")]
        if leaks:
            return ["%s: did not let go of everything: %s" % (name, leaks[0])]
        if done.returncode < 0:
            try:
                killed = signal.Signals(-done.returncode).name
            except ValueError:
                killed = "signal %d" % -done.returncode
            return ["%s: killed by %s%s" % (name, killed, last)]
        if not os.path.exists(trace):
            return ["%s: no trace written, exit status %d%s"
                    % (name, done.returncode, last)]
        try:
            got = compare.read(trace)
        except (ValueError, UnicodeDecodeError) as exc:
            return ["%s: trace is no JSON Lines: %s" % (name, exc)]
    lines = compare.compare(compare.read(expected), got, name, version)
    return lines


def main():
    parser = argparse.ArgumentParser(description="Check locus against the oracle.")
    parser.add_argument("binary")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--expected", help="folder of the expected traces")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=10, help="seconds for a case")
    parser.add_argument("--max", type=int, default=3,
                        help="mismatches printed for one case (0: all)")
    parser.add_argument("--no-version", action="store_true",
                        help='leave the "version" of tensors out')
    parser.add_argument("--summary", action="store_true", help="print no mismatches")
    parser.add_argument("--except", dest="later", metavar="FILE",
                        help="a list of cases that are not run, one name a line, # for a comment")
    parser.add_argument("-v", "--verbose", action="store_true",
                        help="name the cases that passed too")
    args = parser.parse_args()
    binary = os.path.abspath(args.binary) if os.sep in args.binary or os.path.exists(
        args.binary) else args.binary
    cases = find(args.cases, args.expected)
    if args.later:
        with open(args.later, encoding="utf-8") as file:
            later = {line.split("#")[0].strip() for line in file}
        cases = [case for case in cases if case[1] not in later]
    table = {}
    with ThreadPoolExecutor(max(1, args.jobs)) as pool:
        futures = [pool.submit(run_one, binary, script, expected, name,
                               args.timeout, not args.no_version)
                   for _, name, script, expected in cases]
        for (category, name, _, _), future in zip(cases, futures):
            lines = future.result()
            row = table.setdefault(category, [0, 0])
            row[1 if lines else 0] += 1
            if lines and not args.summary:
                shown = lines if args.max == 0 else lines[:args.max]
                for line in shown:
                    print(line)
                if len(lines) > len(shown):
                    print("%s: and %d more" % (name, len(lines) - len(shown)))
            elif not lines and args.verbose:
                print("%s: passed" % name)
            sys.stdout.flush()
    passed = sum(row[0] for row in table.values())
    failed = sum(row[1] for row in table.values())
    width = max([len("category")] + [len(c) for c in table])
    print("%-*s  passed  failed" % (width, "category"))
    for category in sorted(table):
        print("%-*s  %6d  %6d" % (width, category, table[category][0], table[category][1]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
