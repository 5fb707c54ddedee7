"""Tests the runner of transcripts (tests/transcript.py): it must find each planted fault, show its line and the
difference, and repair the file with --update."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import harness

RUNNER = harness.SOURCE_DIR / "tests" / "transcript.py"
FILE = """\
# A file, which the commands below read.
file rules
  1
  0

  1
"""
# Commands with what they do.
GOOD = ["""\
$ grep -n 1 rules
  1:1
  4:1
""", """\
$ cat rules missing
words 1 0 1
no words 2
regex ^0$
stderr
  cat: missing: No such ...
exit 1
""", """\
$ echo '{"cells": [{"p": 4, "n": "8"}, {"p": 5, "n": "9"}]}'
json cells.1.p 5
json cells.# 2
values cells.*: p n
  4 8
  5 9
""", """\
$ grep -c . rules; grep 0 rules; echo "$PWD"
  ...
  0
  $PWD
""", """\
$ tutti simulate allreduce/ring -p 4 -n 1.5
error -n/--bytes '1.5': not a whole number of bytes; ...
""", """\
$ tutti simulate allreduce/ring -p 4 ...
refused -n -1 => -n/--bytes '-1': must not be negative; ...
refused -n 1e3 => -n/--bytes '1e3': not a size; write 1000
""", """\
$ tutti list --library 'Open MPI 5.0' > out
""", """\
$ printf 'a\\nb\\n'
  a
  b
$ printf 'a\\nb\\n'
same
"""]
# The number of a part of GOOD, what is replaced in it, and words of the report.
FAULTS = [
    (0, "  4:1\n", "  4:2\n", "-4:2\n+4:1"), (0, "  4:1\n", "", "+4:1"),
    (1, "words 1 0 1", "words 1 0 2", "words 1 0 2"), (1, "no words 2", "no words 1", "no words 1"),
    (1, "regex ^0$", "regex ^2$", "regex ^2$"),
    (1, "cat: missing", "cat: absent", "+cat: missing: No such file or directory"),
    (1, "exit 1", "exit 2", "exit 1 instead of 2"), (1, "exit 1\n", "", "exit 1 instead of 0"),
    (2, "cells.1.p 5", "cells.1.p 6", "json cells.1.p 5"), (2, "cells.1.p 5", "cells.2.p 5", "there is none"),
    (2, "cells.# 2", "cells.# 3", "json cells.# 2"), (2, "  5 9\n", "  5 8\n", "-5 8\n+5 9"),
    (3, "  ...\n  0\n", "  0\n", "+3"),
    (4, "whole number of bytes; ...", "number of bytes; ...", "+tutti: -n/--bytes '1.5': not a whole number"),
    (4, "$ tutti", "$ touch x; tutti", "new files: x"),
    (5, "write 1000", "write 1001", "write 1000"), (5, "-n -1 => -n", "-n -1 -o x => -n", "unknown option '-o'"),
    (6, "5.0' > out", "5.0'", "+++ stdout"), (7, "same\n", "same\n$ echo a\nsame\n", "printed: a"),
]
BY_HAND = ("words", "no words", "regex", "cells.2", "same")
# Files that are not transcripts, and the error message.
MALFORMED = [
    ("", "1: there is no command"), ("# A comment.\nfile x\n  y\n", "1: there is no command"),
    ("$ echo a\n  a\nword a\n", "3: 'word a' is neither a command nor what a command does"),
    ("$ echo a\n  a\nexit one\n", "3: 'exit one' is neither"), ("$ echo a\nwords \n", "2: 'words ' is neither"),
    ("$ tutti ...\n", "1: 'refused' belongs to a command that ends in ' ...'"),
    ("$ tutti list\nrefused x => y\n", "1: 'refused' belongs to a command that ends in ' ...'"),
]


class Transcripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "some.test")

    def run_on(self, text, *options):
        self.path.write_text(text)
        environment = dict(os.environ, TUTTI_SOURCE_DIR=str(harness.SOURCE_DIR), TUTTI_BINARY=harness.TUTTI)
        return subprocess.run([sys.executable, "-B", RUNNER, self.path, *options], capture_output=True, text=True,
                              check=False, env=environment)

    def test_a_right_transcript_passes_and_is_not_changed(self):
        good = FILE + "\n".join(GOOD)
        done = self.run_on(good)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.run_on(good, "--update").returncode, 0)
        self.assertEqual(self.path.read_text(), good)

    def test_each_fault_is_found_and_repaired(self):
        for part, old, new, words in FAULTS:
            with self.subTest(old=old, new=new):
                wrong = FILE + GOOD[part].replace(old, new, 1)
                self.assertNotEqual(wrong, FILE + GOOD[part])
                done = self.run_on(wrong, "--update")
                # Partial checks must be repaired by hand.
                self.assertEqual(done.returncode, 1 if new.startswith(BY_HAND) else 0, done.stdout)
                found = done.stdout or self.run_on(wrong).stdout
                [line] = re.findall(r"some\.test:(\d+): ", found)
                self.assertRegex(wrong.splitlines()[int(line) - 1], r"^(\$|refused) ")
                self.assertIn(words, found)

    def test_malformed_transcripts_fail(self):
        for text, words in MALFORMED:
            with self.subTest(text=text):
                done = self.run_on(text)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(f"some.test:{words}", done.stderr)

    def test_a_new_command_gets_its_output(self):
        done = self.run_on("$ echo a; echo b >&2; exit 3\n$ tutti simulate allreduce/ring -p 4 ...\nrefused -n 1e3\n"
                           "$ echo '{\"a\": [1, 2]}'\njson a.1 0\n", "--update")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.path.read_text(), "$ echo a; echo b >&2; exit 3\n  a\nstderr\n  b\nexit 3\n"
                         "$ tutti simulate allreduce/ring -p 4 ...\nrefused -n 1e3 => -n/--bytes '1e3': not a size; "
                         "write 1000\n$ echo '{\"a\": [1, 2]}'\njson a.1 2\n")

    def test_without_the_program_nothing_is_updated(self):
        self.path.write_text(FILE + GOOD[0])
        done = subprocess.run([sys.executable, "-B", RUNNER, self.path, "--update"], capture_output=True, text=True,
                              check=False, env=dict(os.environ, TUTTI_BINARY="/nowhere/tutti"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not exist", done.stderr)
        self.assertEqual(self.path.read_text(), FILE + GOOD[0])


if __name__ == "__main__":
    harness.main()
