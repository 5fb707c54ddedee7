"""Tests Ctrl-C and SIGTERM: the program must say which results are kept and how to continue, and must leave
no partial file and no process behind."""

import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import time
import unittest

import harness
from sweep_case import Case, without_progress
from sweeps import ALGORITHMS, SOME, count_of, processes_below, rows_of, wait_until

CELLS = [*SOME, "-p", "4,8", "-n", "64,1000,32K,64K"]
COUNT = 2 * 4 * ALGORITHMS
# A run that takes much longer than a test, on fast machines too: 17 million messages.
LONG_RUN = ["alltoall/linear", "-p", "4096", "--ranks-per-host", "4", "-n", "1MiB", "--symmetry", "off",
            "--platform", harness.SOURCE_DIR / "platforms" / "infiniband_hdr_1024_thin.xml"]


def hear_signals():
    """Restores the default signal actions, because a test that runs in the background may inherit an ignored
    SIGINT."""
    for number in [signal.SIGINT, signal.SIGTERM]:
        signal.signal(number, signal.SIG_DFL)


def cpu_seconds(pid):
    """Returns the time that a process has used, without its children's."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime and stime


def is_there(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Interrupts(Case):
    def start(self, *arguments, preexec_fn=hear_signals, **environment):
        process = subprocess.Popen(
            [harness.TUTTI, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env={**os.environ, **environment}, preexec_fn=preexec_fn,
            start_new_session=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process, number=signal.SIGINT, group=False):
        """Ends the process with a signal and returns its standard error without progress lines."""
        everybody = processes_below(process.pid)
        (os.killpg if group else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (128 + number, ""), err)
        wait_until(lambda: not any(is_there(p) for p in everybody), 10)
        self.assertEqual([n for n in os.listdir(self.folder) if "part" in n or "out" in n], [])
        return without_progress(err)

    def sweep(self, *arguments, **options):
        if options or "--db" not in arguments:
            return super().sweep(*arguments, **options)
        process = self.start("compare", *arguments, TUTTI_TEST_WORKER_WAITS_MS="60")
        wait_until(lambda: count_of(self.database) > 3)
        return process

    def check_kept(self, printed):
        match = re.fullmatch(rf"tutti: interrupted: (\d+) of {COUNT} cells are kept in results.db; "
                             r"to continue:\n  (.*)\n", printed)
        self.assertIsNotNone(match, printed)
        rows = self.execute("SELECT status FROM cells")
        self.assertLess(len(rows), COUNT)
        self.assertEqual(self.execute("SELECT count(*) FROM cells WHERE status='failed'"), [(0,)])
        # Refusals are known before any run, and are also in the database.
        self.assertLessEqual(int(match[1]), len(rows))
        return match[2]

    def test_an_interrupted_sweep_keeps_its_results(self):
        for number, group in [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, True)]:
            process = self.sweep(*CELLS, "--db", "results.db", "--csv", "it's out")
            command = self.check_kept(self.end(process, number, group))
            self.assertEqual(shlex.split(command),
                             [harness.TUTTI, "compare", *CELLS, "--db", "results.db", "--csv", "it's out"])
            if not group:
                done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True,
                                      timeout=50, check=True)
                self.assertRegex(done.stderr, r"^tutti: \d+ results of \d+ are in results.db already\n$")
                self.assertEqual(rows_of(self.database), self.complete(*CELLS))
                (self.folder / "it's out").unlink()
            self.database.unlink()

    def test_a_second_signal_ends_at_once(self):
        process = self.sweep(*CELLS, "--db", "results.db")
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as connection:
            connection.execute("BEGIN EXCLUSIVE")  # from now on, results cannot be stored
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            time.sleep(1)
            self.assertIsNone(process.poll())
            self.end(process)

    @unittest.skipIf(harness.SANITIZERS, "with sanitizers the run may not have begun to count by then")
    def test_without_a_database_no_results_are_kept(self):
        process = self.start("compare", "alltoall", "-p", "1024", "-n", "64K..8M*2", "--symmetry", "off",
                             "--json", "out")
        wait_until(lambda: cpu_seconds(process.pid) > 1.5)  # the first cells are running
        self.assertRegex(self.end(process),
                         r"^tutti: interrupted: \d+ of \d+ cells (was|were) done; their results are not kept; with --db "
                         r"FILE.db they are, and the same command continues from there\n$")

    def test_one_interrupted_run_writes_nothing(self):
        for command, number in [("simulate", signal.SIGINT), ("explain", signal.SIGTERM)]:
            process = self.start(command, *LONG_RUN, "--json", "out")
            wait_until(lambda: cpu_seconds(process.pid) > 0.5)  # the run has begun
            self.assertEqual(self.end(process, number), "tutti: interrupted; nothing was written\n")

    def test_an_interrupted_plan_uses_what_is_simulated(self):
        folder = harness.SOURCE_DIR / "examples" / "fit"
        model = json.loads((folder / "start.json").read_text())
        (self.folder / "start.json").write_text(json.dumps({**model, "library": "Open MPI 4.1.6"}))
        platform = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_1024_thin.xml"
        process = self.start("fit", "--plan", "1h", "-p", 128, "--platform", platform, "--parameters", "start.json",
                             "-o", "plan.sh", TUTTI_TEST_PROGRESS_MS="100")
        printed = ""
        while not re.search(r"planning: (\d{3,}|[6-9]\d) of \d+ points", printed):
            line = process.stderr.readline()
            self.assertNotEqual(line, "", printed)
            printed += line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=50)
        self.assertEqual(process.returncode, 130, err)
        match = re.search(r"tutti: interrupted; the plan is made from the (\d+) of (\d+) candidates that were simulated "
                          r"by then\n\Z", err)
        self.assertIsNotNone(match, err)
        self.assertLess(int(match[1]), int(match[2]))
        self.assertRegex(out, rf"^\d+ runs of {match[2]} candidates, of which {match[1]} were simulated: ")
        script = (self.folder / "plan.sh").read_text()
        self.assertIn(f"# The plan was interrupted: {match[1]} of {match[2]} candidates were simulated.\n", script)
        self.assertIn("run$job.1.txt", script)

    def test_an_interrupted_plan_that_tells_nothing_writes_nothing(self):
        folder = harness.SOURCE_DIR / "examples" / "fit"
        model = json.loads((folder / "start.json").read_text())
        (self.folder / "start.json").write_text(json.dumps({**model, "library": "Open MPI 4.1.6"}))
        platform = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_1024_thin.xml"
        process = self.start("fit", "--plan", "1h", "-p", 1024, "--platform", platform, "--parameters", "start.json",
                             "-o", "plan.sh")
        self.assertRegex(process.stderr.readline(), r"^tutti: planning from \d+ candidates on up to 1,024 ranks, which "
                                                    r"may take minutes; fewer ranks")
        self.assertEqual(self.end(process), "tutti: interrupted; too few candidates were simulated for a plan; nothing "
                                            "was written\n")
        self.assertFalse((self.folder / "plan.sh").exists())

    def test_an_interrupted_profile_prints_what_is_decided(self):
        (self.folder / "calls.csv").write_text(
            "collective,ranks,bytes,calls\nbcast,64,1024,10\n" +
            "".join(f"alltoallv,1024,{2 ** 20 << i},10\n" for i in range(12)))
        process = self.start("decide", "--profile", "calls.csv", "--ranks-per-host", 1, "--json", "out.json")
        wait_until(lambda: cpu_seconds(process.pid) > 2)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=50)
        self.assertEqual(process.returncode, 143, err)
        self.assertRegex(without_progress(err),
                         r"\Atutti: interrupted; not decided: alltoallv; no file was written; with --db FILE, an "
                         r"interrupted command goes on where it stopped\n\Z")
        self.assertRegex(out, r"bcast +64 +1 KiB")
        self.assertIn("interrupted: the calls of alltoallv are not decided", out)
        self.assertEqual([n for n in os.listdir(self.folder) if "out" in n], [])

    def test_an_interrupted_fit_has_the_values_so_far(self):
        folder = harness.SOURCE_DIR / "examples" / "fit"
        process = self.start("fit", folder / "points.csv", "--platform",
                             harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml", "--parameters",
                             folder / "start.json", "--fit", "latency_s,rank_bytes_per_s,handshake_s,send_overhead_s",
                             "-o", "fitted.json", "--jobs", 1, TUTTI_TEST_PROGRESS_MS="1")
        printed = ""
        while "round 4" not in printed:
            line = process.stderr.readline()
            if line == "":
                self.skipTest("the fit was too fast")
            printed += line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=50)
        if process.returncode == 0:
            self.skipTest("the fit was too fast")
        self.assertEqual(process.returncode, 130, err)
        self.assertRegex(err, r"tutti: interrupted; the fit has not converged: its values are those after \d+ steps?\n\Z")
        self.assertIn("latency_s", out)
        self.assertIn("latency_s", (self.folder / "fitted.json").read_text())

    def test_a_simgrid_run_is_interrupted(self):
        process = self.start("simulate", *LONG_RUN, "--engine", "simgrid")
        wait_until(lambda: len(processes_below(process.pid)) > 1 or process.poll() is not None)
        if process.poll() is not None:
            self.skipTest("needs SimGrid")
        time.sleep(0.5)  # SimGrid is loaded, but its run may not have started
        # If the signal arrives after one process of the SimGrid run has ended and before the next has
        # started, the message may be shorter.
        self.assertRegex(self.end(process, group=True),
                         r"\Atutti: interrupted(; nothing was written)?\n\Z")

    def test_an_ignored_signal_does_not_interrupt(self):
        process = self.start("compare", *CELLS, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=50)
        self.assertEqual((process.returncode, err), (0, ""))


if __name__ == "__main__":
    harness.main()
