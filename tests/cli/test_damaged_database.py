"""Tests result databases that are damaged, altered, or not made by tutti. Damaged rows must be reported and
never be used."""

import json
import os
import random
import shutil
import unittest

import harness
from sweep_case import Case
from sweeps import ALGORITHMS, CELLS, SOME, rows_of, sign

# Number of times that random bits are flipped, each time in a new copy of the database.
TRIES = int(os.environ.get("TUTTI_TEST_TRIES", 60))
SEED = int(os.environ.get("TUTTI_TEST_SEED", random.randrange(10**6)))
VIEWS = [[], ["--view", "best"], ["--view", "times"], ["--against", "ring"]]


class DamagedDatabase(Case):
    def setUp(self):
        super().setUp()
        self.sweep(*SOME, "-p", "4", "-n", "64,1000")
        self.whole = self.folder / "whole.db"
        shutil.copy(self.database, self.whole)

    def query(self, *arguments):
        done = harness.run("query", self.database, *arguments)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertLessEqual(done.stderr.count("\n"), 2, done.stderr)
        return done

    def refused(self, *mentioned):
        """Checks that query, which reads the database, and compare, which also writes it, refuse the database
        and leave it unchanged."""
        before = self.database.read_bytes()
        for done in (self.query(), harness.run("compare", *CELLS, "--db", self.database)):
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            for words in (str(self.database), *mentioned):
                self.assertIn(words, done.stderr)
        self.assertEqual(self.database.read_bytes(), before)

    def test_a_row_that_does_not_fit_its_checksum_is_not_used(self):
        printed = ("1 row is damaged, and not used; the first: allreduce/ring, p = 4, n = 64 bytes: "
                "its checksum is wrong")
        for change in ("simulated_s=simulated_s*1.0000001", "figures='{'", "effort=effort || ' '",
                       "status='failed'", "recorded_at='yesterday'", "platform=cast(x'ff' AS TEXT)",
                       "checksum=''"):
            with self.subTest(change=change):
                shutil.copy(self.whole, self.database)
                self.execute(f"UPDATE cells SET {change} WHERE algorithm='ring' AND bytes=64")
                for view in VIEWS:
                    done = self.query(*view)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(printed, done.stderr)
                self.assertIn(f"{len(rows_of(self.whole)) - 1} cells", self.query().stdout)

    def test_rows_that_are_not_used_are_not_shown(self):
        self.execute("UPDATE cells SET platform='forged', simulated_s=1 WHERE algorithm='ring'")
        done = self.query("--platform", "nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no cell of", done.stderr)
        self.assertIn("allreduce", done.stderr)
        self.assertNotIn("forged", done.stderr)
        self.execute("UPDATE cells SET platform='forged'")
        for arguments in ([], ["--platform", "nowhere"], ["--view", "best"]):
            done = self.query(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("rows are damaged, and not used", done.stderr)
            self.assertIn("has no undamaged cells", done.stderr)
            self.assertNotIn("forged", done.stderr)

    def test_a_sweep_deletes_damaged_rows_and_runs_them_again(self):
        rows = rows_of(self.database)
        for change in ("simulated_s=1", "ranks=5", "algorithm='rung'"):
            with self.subTest(change=change):
                self.execute(f"UPDATE cells SET {change} WHERE algorithm='ring' AND bytes=64")
                done = self.sweep(*SOME, "-p", "4", "-n", "64,1000")
                self.assertIn(f"{2 * ALGORITHMS - 1} results of {2 * ALGORITHMS} are in", done.stderr)
                self.assertIn("1 row is damaged, and deleted, to be run again", done.stderr)
                self.assertEqual(rows_of(self.database), rows)
        self.assertEqual(self.query().stderr, "")

    def test_impossible_values_are_not_used_even_with_a_valid_checksum(self):
        for change, words in (("element_bytes=0", "element_bytes is 0; it must be 1 to"),
                              ("ranks=-4", "ranks is -4"), ("simulated_s=-1", "simulated_s is -1"),
                              ("ties_least_s=1, ties_median_s=NULL", "are set only in part"),
                              ("message=cast(x'c328' AS TEXT)", "message is not valid UTF-8"),
                              ("figures='{'", "not valid JSON"),
                              ("status='refused'", "the cell has figures, although it is not done"), ("figures='[]'", "figures"),
                              ("effort='{}'", 'effort lacks "emit_wall_s"'),
                              ("figures=replace(figures, '\"ops\":', '\"ops\":-')", "figures/ops is -")):
            with self.subTest(change=change):
                shutil.copy(self.whole, self.database)
                self.alter(f"UPDATE cells SET {change} WHERE algorithm='ring' AND bytes=64")
                done = self.query("--json", "-")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("1 row is damaged, and not used", done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(len(json.loads(done.stdout)["rows"]), 2 * ALGORITHMS - 1)

    def test_no_code_in_the_file_is_run(self):
        self.execute("ALTER TABLE cells RENAME TO really", "CREATE VIEW cells AS SELECT * FROM really")
        self.refused("the view 'cells'", "tutti never makes")
        shutil.copy(self.whole, self.database)
        self.execute("CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM cells; END")
        self.refused("the trigger 't'")

    def test_files_with_other_tables_are_refused(self):
        for statement in ("ALTER TABLE cells DROP COLUMN effort", "ALTER TABLE cells ADD COLUMN more",
                          "DROP TABLE cells", "ALTER TABLE cells RENAME COLUMN figures TO numbers"):
            with self.subTest(statement=statement):
                shutil.copy(self.whole, self.database)
                self.execute(statement)
                done = self.query()
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "does not have the columns that tutti gives it|has no unique key")
        self.assertNotIn("SQL logic error", done.stderr)

    def test_databases_of_older_formats_are_refused(self):
        for make in (1, 2, 3, 4):
            self.execute(f"PRAGMA user_version={make}")
            done = self.query()
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"has format {make}, but this tutti reads and writes format 5", done.stderr)

    def test_no_flipped_bit_changes_a_value(self):
        """Flips random bits. Either tutti must refuse the file, or each row must be unchanged or left out.
        The exit code is 0 only if all rows are unchanged."""
        whole = {json.dumps(row, sort_keys=True) for row in
                 harness.json_output("query", self.whole, "--json", "-")["rows"]}
        content = self.whole.read_bytes()
        some = random.Random(SEED)
        codes = {0: 0, 1: 0, 2: 0}
        for number in range(TRIES):
            damaged = bytearray(content)
            for _ in range(1 if number % 4 else 20):
                bit = some.randrange(8 * len(content))
                damaged[bit // 8] ^= 1 << bit % 8
            self.database.write_bytes(damaged)
            done = self.query("--json", "-")
            codes[done.returncode] += 1
            with self.subTest(seed=SEED, number=number):
                self.assertNotIn("SQL logic error", done.stderr)
                if done.returncode == 2:
                    self.assertEqual(done.stdout, "")
                    continue
                rows = {json.dumps(row, sort_keys=True) for row in json.loads(done.stdout)["rows"]}
                self.assertLessEqual(rows, whole)
                self.assertEqual(done.returncode == 0, rows == whole)
        print(f"TUTTI_TEST_SEED={SEED}: exit codes {codes}")


if __name__ == "__main__":
    harness.main()
