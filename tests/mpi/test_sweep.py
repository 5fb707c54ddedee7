"""tutti-sweep: the same results as one process, whatever dies on the way."""

import contextlib
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import launch

sys.path.insert(0, str(launch.SOURCE_DIR / "tests" / "cli"))
import sweeps
from sweeps import count_of, processes_below, rows_of, wait_until, workers_below

# Tests of one kind, all of them in the slow run.
ALL = "TUTTI_ALL_TRAFFIC" in os.environ
SWEEP = os.environ["TUTTI_SWEEP_BINARY"]
CELLS = ["compare", *sweeps.CELLS]
LONG = ["compare", *sweeps.LONG]


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.database = self.folder / "results.db"

    @staticmethod
    @functools.cache
    def alone(*command):
        """What compare by itself says, and writes."""
        with tempfile.TemporaryDirectory() as folder:
            whole = pathlib.Path(folder) / "alone.db"
            done = subprocess.run([launch.TUTTI, *command, "--db", whole, "--jobs", "2"],
                                  capture_output=True, text=True, check=True)
            return done.stdout, rows_of(whole)

    def sweep(self, ranks, *arguments, code=0, **options):
        done = launch.job(ranks, SWEEP, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    @contextlib.contextmanager
    def started(self, ranks, *arguments, launch_options=()):
        oversubscribe = ["--oversubscribe"] if launch.OPEN_MPI else []
        with subprocess.Popen(
                [launch.MPIEXEC, *oversubscribe, *launch_options, "-n", str(ranks), SWEEP,
                 *map(str, arguments)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env={**launch.ENVIRONMENT, **sweeps.SLOWLY}, start_new_session=True) as process:
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def test_the_same_as_alone(self):
        text, rows = self.alone(*CELLS)
        for ranks, options in [(1, ["--workers", "2"]), (3, []), (2, ["--workers", "3"])]:
            database = self.folder / f"{ranks}-{len(options)}.db"
            done = self.sweep(ranks, *options, *CELLS, "--db", database)
            self.assertEqual(done.stdout, text)
            self.assertEqual(rows_of(database), rows)
        again = self.sweep(3, *CELLS, "--db", database)
        self.assertEqual(again.stdout, text)
        self.assertIn("already", again.stderr)

    def test_without_a_database(self):
        text, _ = self.alone(*CELLS)
        self.assertEqual(self.sweep(3, *CELLS).stdout, text)

    if launch.OPEN_MPI:  # only its launcher binds
        def test_a_rank_that_is_bound_frees_its_workers(self):
            if len(os.sched_getaffinity(0)) < 2:
                self.skipTest("needs two processors")
            with self.started(1, "--workers", "2", *LONG, "--db", self.database,
                              launch_options=["--bind-to", "core"]) as job:
                wait_until(lambda: count_of(self.database) > 5)
                for worker in workers_below(job.pid):
                    with contextlib.suppress(ProcessLookupError):  # it may be through already
                        self.assertGreater(len(os.sched_getaffinity(worker)), 1)
                _, err = job.communicate(timeout=100)
                self.assertEqual(job.returncode, 0, err)

    else:  # it is UCX, below MPICH, that notices
        def test_no_message_is_left(self):
            """A message that is still under way at the end is an error of ours, of which UCX warns."""
            with unittest.mock.patch.dict(launch.ENVIRONMENT, {"UCX_LOG_LEVEL": "warn"}):
                for _ in range(3):
                    done = self.sweep(3, "--workers", "2", *CELLS)
                    self.assertNotIn("unexpected tag", done.stdout)
                    self.assertIn("by simulated time", done.stdout)

    def test_decide(self):
        """Waves of cells, each of which depends on the one before."""
        command = ["decide", "allreduce", "-p", "4,6,16", "-n", "64..1MiB*8", "--platform",
                   launch.SOURCE_DIR / "platforms" / "torus_64.xml", "--against",
                   launch.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json"]
        text, rows = self.alone(*command)
        for ranks in (1, 3):
            database = self.folder / f"{ranks}.db"
            self.assertEqual(self.sweep(ranks, *command, "--db", database).stdout, text)
            self.assertEqual(rows_of(database), rows)
        again = self.sweep(3, *command, "--db", database)
        self.assertEqual(again.stdout, text)
        self.assertIn("already", again.stderr)
        self.assertEqual(rows_of(database), rows)
        self.assertEqual(self.sweep(2, *command).stdout, text)

    def test_programs(self):
        """Workers read the files that cells name."""
        programs = sorted((launch.SOURCE_DIR / "examples" / "schedules").glob("*.sched"))
        program = next(p for p in programs if "\ncollective allgather\n" in p.read_text())
        command = ["compare", "allgather", "-p", "4,6", "-n", "960,48K", "--with", program]
        text, rows = self.alone(*command)
        self.assertIn(program.name, text)
        self.assertEqual(self.sweep(3, *command, "--db", self.database).stdout, text)
        self.assertEqual(rows_of(self.database), rows)

    def test_on_a_platform(self):
        platform = launch.SOURCE_DIR / "platforms" / "torus_64.xml"
        command = ["compare", "bcast", "-p", "5,16", "-n", "1K,64K", "--platform", platform,
                   "--engine", "simgrid"]
        text, rows = self.alone(*command)
        self.assertEqual(self.sweep(3, *command, "--db", self.database).stdout, text)
        self.assertEqual(rows_of(self.database), rows)

    def test_workers_are_killed(self):
        _, rows = self.alone(*LONG)
        with self.started(3, *LONG, "--db", self.database) as job:
            for least in [5, 120]:  # far apart, or it might be the same cell
                wait_until(lambda least=least: count_of(self.database) > least)
                workers = workers_below(job.pid)
                self.assertTrue(workers)
                os.kill(workers[0], signal.SIGKILL)
            out, err = job.communicate(timeout=100)
            self.assertEqual(job.returncode, 0, err)
            self.assertIn("by simulated time", out)
        self.assertEqual(rows_of(self.database), rows)

    def test_a_cell_that_kills_its_workers_has_failed(self):
        launch.ENVIRONMENT["TUTTI_TEST_WORKER_DIES_ON"] = "ring:8:32768"
        try:
            done = self.sweep(3, *CELLS, "--db", self.database, code=1)
        finally:
            del launch.ENVIRONMENT["TUTTI_TEST_WORKER_DIES_ON"]
        self.assertRegex(done.stderr, r"1 run failed, first of all allreduce/ring .*this is a test")
        self.assertEqual(len([r for r in rows_of(self.database) if "failed" in r]), 1)
        self.sweep(3, *CELLS, "--db", self.database, "--retry-failed")
        self.assertEqual(rows_of(self.database), self.alone(*CELLS)[1])

    def kill_and_resume(self, victims_of):
        """The job ends by itself, and badly; the next one goes on from there."""
        _, rows = self.alone(*LONG)
        with self.started(3, *LONG, "--db", self.database) as job:
            wait_until(lambda: count_of(self.database) > 20)
            for victim in victims_of(job):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
            said = "".join(job.communicate(timeout=100))
            self.assertNotEqual(job.returncode, 0)
        wait_until(lambda: not any(str(self.database) in " ".join(words)
                                   for words in processes_below(1).values()))
        before = rows_of(self.database)
        self.assertTrue(20 < len(before) < len(rows))
        self.assertTrue(set(before) <= set(rows))
        done = self.sweep(3, *LONG, "--db", self.database, timeout=100)
        found = int(re.search(r"tutti: ([\d,]+) results? of", done.stderr)[1].replace(",", ""))
        self.assertEqual(found, len(before))
        self.assertEqual(rows_of(self.database), rows)
        return said

    def ranks_of(self, job):
        return sorted(p for p, words in processes_below(job.pid).items() if words[0] == SWEEP)

    def leader_of(self, job):
        """Rank 0: the one that has started compare."""
        for rank in self.ranks_of(job):
            if any("compare" in words[1:2] for p, words in processes_below(rank).items()
                   if words[0] != SWEEP):
                return rank
        raise AssertionError("no rank leads")

    def test_a_rank_is_killed(self):
        said = self.kill_and_resume(lambda job: [next(r for r in self.ranks_of(job)
                                                      if r != self.leader_of(job))])
        self.assertRegex(said, "signal 9|EXIT CODE: 9")

    def test_the_leading_tutti_is_killed(self):
        said = self.kill_and_resume(
            lambda job: [next(p for p, words in processes_below(self.leader_of(job)).items()
                              if "compare" in words[1:2] and words[0] != SWEEP)])
        self.assertIn("the tutti that leads the sweep was ended by signal 9", said)

    if ALL:
        def test_rank_0_is_killed(self):
            self.kill_and_resume(lambda job: [self.leader_of(job)])

        def test_the_whole_job_is_killed(self):
            self.kill_and_resume(lambda job: list(processes_below(job.pid)))

    def test_a_rank_that_hangs_is_lost(self):
        with self.started(3, "--lost-after", "6s", *LONG, "--db", self.database) as job:
            wait_until(lambda: count_of(self.database) > 5)
            victim = next(r for r in self.ranks_of(job) if r != self.leader_of(job))
            os.kill(victim, signal.SIGSTOP)
            _, err = job.communicate(timeout=100)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(err, r"nothing heard from rank \d for 6 s: it is lost")

    def test_bad_input(self):
        for arguments, words in [
                ([], "what is to be swept"),
                (["--workers", "0", *CELLS], "--workers '0'"),
                (["--lost-after", "1s", *CELLS], "6s or more"),
                (["--tutti", "/nowhere/tutti", *CELLS], "cannot start '/nowhere/tutti"),
                (["--tutti", "/bin/true", *CELLS], "cannot start '/bin/true worker'"),
                (["compare", "allreduse", "-p", "4", "-n", "8"], "did you mean 'allreduce'"),
                ([*CELLS, "--db", self.folder / "nowhere" / "x.db"], "cannot open")]:
            with self.subTest(arguments):
                done = self.sweep(2, *arguments, code=2)
                own = [line for line in done.stderr.splitlines() if line.startswith("tutti")]
                self.assertEqual(len(own), 1, done.stderr)
                self.assertIn(words, own[0])


if __name__ == "__main__":
    launch.main()
