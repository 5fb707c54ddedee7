#!/usr/bin/env python3
"""Runs one example and compares its output with the file `expected` in the example's folder.

    examples/run_example.py examples/ring_on_a_crossbar [--update]

`command` is a shell script. It runs in a temporary folder; `tutti` is the program that was built, and
$EXAMPLE is the folder of the example. Wall-clock times and memory sizes vary and are not compared.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VARYING = [(re.compile(r"^(  wall clock +).*$", re.M), r"\1(varies)"),
           (re.compile(r"^(  peak memory +).*$", re.M), r"\1(varies)")]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    root = folder.parents[1]
    binary = pathlib.Path(os.environ.get("TUTTI_BINARY", root / "build" / "release" / "tutti"))
    environment = dict(os.environ, EXAMPLE=str(folder),
                       PATH=f"{binary.resolve().parent}:{os.environ['PATH']}",
                       TUTTI_TEST_PROGRESS_MS="1000000000")  # no progress, even on a slow machine
    environment.pop("COLUMNS", None)  # so that the output has its default width
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(["sh", "-eu", folder / "command"], cwd=scratch, env=environment,
                              capture_output=True, text=True, check=False)
    if "this tutti was built without SimGrid" in done.stderr:
        print("needs SimGrid")
        sys.exit(77)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"exit {done.returncode}\n{done.stderr}")
    actual = done.stdout
    for pattern, replacement in VARYING:
        actual = pattern.sub(replacement, actual)
    expected_file = folder / "expected"
    if sys.argv[2:] == ["--update"]:
        expected_file.write_text(actual, encoding="utf-8")
        return
    expected = expected_file.read_text(encoding="utf-8")
    if actual != expected:
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True),
                                                   actual.splitlines(True), "expected", "now"))
        sys.exit(1)


main()
