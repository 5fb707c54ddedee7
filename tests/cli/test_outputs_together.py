"""Tests that a command with several outputs writes all of them or none: on a full disk, if a file cannot get
its name, and if the user interrupts the program while files get their names."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

import harness

# A library that replaces the functions that rename files: the call number FAIL_AT fails, and the process
# gets SIGINT after the call number SIGNAL_AT.
RENAMES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static int done;
static int number(const char *name) { const char *text = getenv(name); return text ? atoi(text) : 0; }
/* The file that cannot be renamed. */
static char failed[4096];
static int fails(const char *from) {
  if (!*failed && done + 1 == number("FAIL_AT")) strncpy(failed, from, sizeof failed - 1);
  if (!*failed || strcmp(failed, from)) return 0;
  errno = EACCES;
  return 1;
}
static int ended(int result) {
  if (result == 0 && ++done == number("SIGNAL_AT")) { kill(getpid(), SIGINT); usleep(500000); }
  return result;
}
int rename(const char *from, const char *to) {
  int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  return fails(from) ? -1 : ended(next(from, to));
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  int (*next)(int, const char *, int, const char *, unsigned) = dlsym(RTLD_NEXT, "renameat2");
  return fails(from) ? -1 : ended(next(a, from, b, to, flags));
}
"""

DECIDE = ["decide", "allreduce", "-p", "4,8", "-n", "64,4K"]
TWO_SIZES = ["search", "alltoall", "-p", "8", "-n", "4K,64K", "--evaluations", "30", "--seed", "1", "--platform",
             harness.SOURCE_DIR / "platforms" / "torus_64.xml"]
# Commands with two outputs or more, and their outputs.
COMMANDS = {
    "decide": ([*DECIDE, "--export", "ompi4", "-o", "rules", "--json", "d.json"], ["rules", "d.json"]),
    "compare": (["compare", "bcast", "-p", "8", "-n", "1K", "--json", "c.json", "--csv", "c.csv"],
                ["c.json", "c.csv"]),
    "simulate": (["simulate", "bcast/binomial", "-p", "8", "-n", "1K", "--json", "s.json", "--csv", "s.csv",
                  "--timeline", "t.json"], ["s.json", "s.csv", "t.json"]),
    "site": (["decide", "allreduce", "--library", "Open MPI 4.1.4", "-p", "4", "-n", "64,4K", "-o", "site",
              "--json", "site.json"], ["site", "site.json"]),
    "convert": (["convert", "allgather/ring", "-p", "3", "-n", "48", "ring.et"],
                ["ring.0.et", "ring.1.et", "ring.2.et"]),
}


class Together(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, command, **options):
        return harness.run(*command, cwd=self.folder, **options)

    def left(self):
        return sorted(os.listdir(self.folder))

    def test_a_full_disk_leaves_no_output(self):
        def check(command, outputs):
            self.assertEqual(self.run_in(command).returncode, 0)
            sizes = sorted((self.folder / name).stat().st_size for name in outputs)
            self.assertEqual(self.left(), sorted(outputs))
            for name in outputs:
                (self.folder / name).unlink()
            limit = (sizes[0] + sizes[-1]) // 2  # the smallest file fits, the largest does not
            self.assertLess(sizes[0] + 100, limit)

            def little():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            done = self.run_in(command, preexec_fn=little)
            self.assertEqual((done.returncode, self.left()), (2, []), done.stderr)
            self.assertIn("cannot write all of", done.stderr)

        with self.subTest("search"):
            found = [*TWO_SIZES, "-o", "found.sched", "--json", "found.json"]
            self.assertEqual(self.run_in(found).returncode, 0)
            outputs = self.left()
            self.assertGreater(len(outputs), 1)
            for name in outputs:
                (self.folder / name).unlink()
            check(found, outputs)
        for name in ("decide", "compare", "simulate"):
            with self.subTest(name):
                check(*COMMANDS[name])

    def renames(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("g++")
        if compiler is None:
            self.skipTest("needs a C compiler")
        hooks = tempfile.TemporaryDirectory()
        self.addCleanup(hooks.cleanup)
        source = pathlib.Path(hooks.name) / "renames.c"
        source.write_text(RENAMES)
        library = source.with_suffix(".so")
        subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return str(library)

    @harness.without_sanitizers
    def test_a_name_that_cannot_be_given_takes_back_the_others(self):
        library = self.renames()
        for name, (command, outputs) in COMMANDS.items():
            for old in (False, True):
                if old and name == "site":
                    continue  # the folder must be new
                with self.subTest(name, old=old):
                    for each in outputs if old else []:
                        (self.folder / each).write_text("old")
                    done = self.run_in(command, env={**os.environ, "LD_PRELOAD": library, "FAIL_AT": "2"})
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(self.left(), sorted(outputs) if old else [])
                    for each in outputs if old else []:
                        self.assertEqual((self.folder / each).read_text(), "old")
                        (self.folder / each).unlink()

    @harness.without_sanitizers
    def test_an_interrupt_between_two_names(self):
        library = self.renames()

        def hear():
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        for name, (command, outputs) in COMMANDS.items():
            with self.subTest(name):
                done = self.run_in(command, env={**os.environ, "LD_PRELOAD": library, "SIGNAL_AT": "1"},
                                   preexec_fn=hear)
                self.assertEqual((done.returncode, self.left()), (130, sorted(outputs)), done.stderr)
                for each in outputs:
                    path = self.folder / each
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    harness.main()
