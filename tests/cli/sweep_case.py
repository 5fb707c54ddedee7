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
from sweeps import SLOWLY, rows_of


def start(*arguments, **options):
    """A sweep that goes on for a while."""
    return subprocess.Popen([harness.TUTTI, *map(str, arguments)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **SLOWLY},
                            **options)


def without_progress(err):
    """Of standard error: how far it is gets said now and then, on a machine that is slow."""
    return re.sub(r"^[a-z ]+: \d+ of \d+ cells.*\n", "", err, flags=re.MULTILINE)


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

    def watch(self):
        """From now on, each result that anybody wants to keep is noted, though it be there already."""
        self.execute(
            "CREATE TABLE attempts (collective, algorithm, options, ranks, bytes, element_bytes)",
            "CREATE TRIGGER watch BEFORE INSERT ON cells WHEN NEW.status='done' BEGIN "
            "INSERT INTO attempts VALUES (NEW.collective, NEW.algorithm, NEW.options, NEW.ranks, "
            "NEW.bytes, NEW.element_bytes); END")

    def attempts(self):
        return self.execute("SELECT * FROM attempts")
