"""Base class for tests of sweeps on one machine. Each test has a folder with a database, and can record which
cells are run."""

import contextlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import harness
from sweeps import SLOWLY, rows_of, sign


def start(*arguments, **options):
    """Starts tutti with workers that wait a little at each cell, so that a sweep takes a while."""
    return subprocess.Popen([harness.TUTTI, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **SLOWLY},
                            **options)


def without_progress(err):
    """Returns `err`, the standard error of a run, without progress lines, which appear only on slow
    machines."""
    return re.sub(r"^[a-z ]+: [\d,]+ of [\d,]+ cells.*\n", "", err, flags=re.MULTILINE)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.database = self.folder / "results.db"

    def sweep(self, *arguments, database=None, code=0, command="compare", **options):
        done = harness.run(command, *arguments, "--db", database or self.database, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        done.stderr = without_progress(done.stderr)
        return done

    def complete(self, *arguments, **options):
        """Returns the rows that an undisturbed sweep writes."""
        whole = self.folder / "whole.db"
        self.sweep(*arguments, database=whole, **options)
        return rows_of(whole)

    def execute(self, *statements):
        """Executes SQL statements on the database and returns the rows of the last statement."""
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as connection:
            with connection:
                for statement in statements:
                    found = connection.execute(statement).fetchall()
        return found

    def alter(self, *statements):
        """Like execute(), but also updates the checksums of the rows."""
        self.execute(*statements)
        sign(self.database)

    def watch(self):
        """Makes workers note, from now on, each cell that they run, even if the cell's result exists
        already."""
        os.environ["TUTTI_TEST_WORKER_NOTES"] = str(self.folder / "notes")
        self.addCleanup(os.environ.pop, "TUTTI_TEST_WORKER_NOTES")

    def attempts(self):
        return (self.folder / "notes").read_text().splitlines()
