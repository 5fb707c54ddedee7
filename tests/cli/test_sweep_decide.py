"""Tests that decide --db makes the same decisions as decide without a database, even if processes are
killed."""

import json
import os
import signal

import harness
from script_main import some_of
from sweep_case import Case, start, without_progress
from sweeps import count_of, rows_of, wait_until, workers_below

TORUS = harness.SOURCE_DIR / "platforms" / "torus_64.xml"
OPEN_MPI = harness.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json"
SMALL = ["allreduce", "-p", "4,6,16", "-n", "64..1MiB*8", "--platform", TORUS]
# A search with about a hundred short cells. start() makes workers wait a little at each cell.
LONG = ["allreduce", "-p", "24,32", "-n", "1K..1MiB*8"]


def masked(text):
    return {k: v for k, v in json.loads(text).items() if k != "wall_s"}


class Decide(Case):
    def decide(self, *arguments, **options):
        return self.sweep(*arguments, command="decide", **options)

    def test_output_equals_that_of_decide(self):
        for more in some_of([[], ["--against", OPEN_MPI], ["--by", "longest-path"],
                             ["--engine", "simgrid", "--against", OPEN_MPI, "--crossover", "0"],
                             ["--all", "--tolerance", "0"]], 3):
            with self.subTest(more):
                database = self.folder / f"{len(more)}{more[-1:]}.db".replace("/", "_")
                expected = harness.output("decide", *SMALL, *more)
                first = self.decide(*SMALL, *more, database=database)
                self.assertEqual((first.stdout, first.stderr), (expected, ""))
                rows = rows_of(database)
                again = self.decide(*SMALL, *more, database=database)
                self.assertEqual(again.stdout, expected)
                self.assertRegex(again.stderr.replace(",", ""),
                                 r"^tutti: (\d+) results of \1 were in .*.db already\n$")
                self.assertEqual(rows_of(database), rows)

    def test_json_and_exports_equal_those_of_decide(self):
        whole = harness.output("decide", *SMALL, "--json", "-")
        rules = harness.output("decide", *SMALL, "--export", "ompi4")
        for _ in range(2):
            self.assertEqual(masked(self.decide(*SMALL, "--json", "-").stdout), masked(whole))
            self.assertEqual(self.decide(*SMALL, "--export", "ompi4").stdout, rules)

    def test_cells_equal_those_of_compare(self):
        command = ["bcast", "-p", "8", "-n", "1K,64K", "--root", "3"]
        self.sweep(*command)
        done = self.decide(*command, "--all", "--crossover", "0")
        self.assertRegex(done.stderr, r"^tutti: \d+ results of \d+ were in .* already\n$")

    def test_all_processes_are_killed(self):
        process = start("decide", *LONG, "--db", self.database, "--jobs", "2",
                        start_new_session=True)
        wait_until(lambda: count_of(self.database) > 40)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        before = rows_of(self.database)
        self.watch()
        done = self.decide(*LONG)
        attempts = self.attempts()
        self.assertIn("already", done.stderr)
        self.assertEqual(done.stdout, harness.output("decide", *LONG))
        rows = rows_of(self.database)
        self.assertTrue(40 < len(before) < len(rows))
        self.assertEqual(rows, self.complete(*LONG, command="decide"))
        # Each cell was run once, before or after the kill, including the cells at boundaries. Leading candidates
        # were run once more with other orders of ties.
        self.assertEqual(len(attempts), len(set(attempts)))
        first = [line for line in attempts if '"ties":true' not in line]
        self.assertEqual(len(before) + len(first), len(rows))

    def test_a_worker_is_killed(self):
        process = start("decide", *LONG, "--db", self.database, "--jobs", "2")
        wait_until(lambda: count_of(self.database) > 20)
        os.kill(workers_below(process.pid)[0], signal.SIGKILL)
        _, err = process.communicate(timeout=100)
        self.assertEqual((process.returncode, without_progress(err)), (0, ""))
        self.assertEqual(rows_of(self.database), self.complete(*LONG, command="decide"))

    def test_a_cell_that_kills_its_workers_has_failed(self):
        deadly = dict(os.environ, TUTTI_TEST_WORKER_DIES_ON="ring:16:262144")
        done = self.decide(*SMALL, code=1, env=deadly)
        self.assertRegex(done.stderr, r"^tutti: 1 run failed; the first: allreduce/ring with -p 16 "
                                      r"-n 262144: .*this is a test.*--retry-failed")
        self.assertIn("1 run failed", self.decide(*SMALL, code=1).stderr)
        done = self.decide(*SMALL, "--retry-failed")
        self.assertEqual(done.stdout, harness.output("decide", *SMALL))

    def test_options_for_a_database_need_cells_to_keep(self):
        for arguments, words in [(["--by", "exact", "--db", self.database], "--by exact"),
                                 (["--retry-failed"], "needs --db")]:
            done = harness.run("decide", *SMALL, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(words, done.stderr)
            self.assertFalse(self.database.exists())


class AgainstATable(Case):
    """Tests that query --against FILE gives the same answers as decide --against FILE for the same cells."""

    def setUp(self):
        super().setUp()
        self.sweep(*SMALL, "--against", OPEN_MPI, "--all", "--crossover", "0", command="decide")

    def rows(self, *arguments):
        answer = harness.json_output("query", self.database, *arguments, "--json", "-")
        harness.validate(answer, "tutti-query-1")
        return answer["rows"]

    def test_losses_of_a_table(self):
        judged = harness.json_output("decide", *SMALL, "--against", OPEN_MPI, "--all", "--crossover",
                                     "0", "--json", "-")["against"]["cells"]
        expected = {(c["ranks"], c["bytes"]): c["loss"] for c in judged}
        self.assertEqual(len(expected), 15)
        rows = self.rows("--against", OPEN_MPI)
        self.assertEqual({(r["ranks"], r["bytes"]): r["loss"] for r in rows}, expected)
        large = [r for r in rows if r["loss"] is None or r["loss"] > 0.2]
        self.assertTrue(0 < len(large) < len(rows))
        self.assertEqual(self.rows("--against", OPEN_MPI, "--loses-more-than", "20%"), large)
        text = harness.output("query", self.database, "--against", OPEN_MPI, "--loses-more-than",
                              "20%")
        self.assertIn(f"{len(large)} of 15 cells listed", text)
        self.assertNotIn("not judged", text)

    def test_losses_of_a_librarys_rules(self):
        rules = self.folder / "rules.conf"
        rules.write_text("1\n2\n1\n2\n1\n0 4 0 0\n")  # this rule always chooses the ring
        rows = self.rows("--against", rules)
        # With fewer elements than ranks, Open MPI runs recursive doubling.
        self.assertEqual({r["algorithm"] for r in rows if r["loss"] is not None},
                         {"ring", "recursive_doubling"})
        times = {(r["ranks"], r["bytes"]): r["simulated_s"] for r in rows
                 if r["algorithm"] == "ring" and r["loss"] is not None}
        named = self.rows("--against", "ring")
        self.assertEqual(times, {(r["ranks"], r["bytes"]): r["simulated_s"] for r in named
                                 if r["loss"] is not None})

    def test_cells_missing_in_the_database_are_counted(self):
        self.execute("DELETE FROM cells WHERE algorithm='recursive_doubling' AND ranks=16")
        text = harness.output("query", self.database, "--against", OPEN_MPI)
        self.assertRegex(" ".join(text.split()), r"\d+ cells? not judged: the database lacks the table's choice, "
                               r"such as recursive_doubling --fold neighbours at p = 16, n = 64")

    def test_bad_tables(self):
        other = self.folder / "other.json"
        other.write_text("{}")
        for against, words in [(other, "other.json:1"),
                               (self.folder / "none.json", "nor a file with a decision table")]:
            done = harness.run("query", self.database, "--against", against)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(words, done.stderr)
        barriers = self.folder / "barriers.db"
        self.sweep("barrier", "-p", "4", database=barriers)
        tree = harness.SOURCE_DIR / "examples" / "decisions" / "allreduce_tree.json"
        done = harness.run("query", barriers, "--against", tree)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no table for the collective of a matching cell; its tables: allreduce", done.stderr)


if __name__ == "__main__":
    harness.main()
