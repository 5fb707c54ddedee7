"""What the tests of sweeps by one tutti share: a folder, a database in it, and who has written to it."""

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
    """A sweep that goes on for a while."""
    return subprocess.Popen([harness.TUTTI, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **SLOWLY},
                            **options)


def without_progress(err):
    """Of standard error: how far it is gets said now and then, on a machine that is slow."""
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
        """What an undisturbed sweep writes."""
        whole = self.folder / "whole.db"
        self.sweep(*arguments, database=whole, **options)
        return rows_of(whole)

    def execute(self, *statements):
        """SQL on the database; returns what the last one finds."""
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as connection:
            with connection:
                for statement in statements:
                    found = connection.execute(statement).fetchall()
        return found

    def alter(self, *statements):
        """As execute(), and the rows get checksums that fit."""
        self.execute(*statements)
        sign(self.database)

    def watch(self):
        """From now on, each cell that anybody runs is noted, though its result be there already."""
        os.environ["TUTTI_TEST_WORKER_NOTES"] = str(self.folder / "notes")
        self.addCleanup(os.environ.pop, "TUTTI_TEST_WORKER_NOTES")

    def attempts(self):
        return (self.folder / "notes").read_text().splitlines()
