"""Tests that a terminal shows the progress of a long run and of a search, but not that of a short run."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import time

import harness
from script_main import some_of
from sweep_case import Case
from sweeps import SLOWLY
from test_interrupts import hear_signals

WIPE = "\r\x1b[K"
# A run that takes many times longer than the delay before progress is shown.
LONG_RUN = ["alltoall/linear", "-p", "2048", "--ranks-per-host", "2", "-n", "2MiB", "--symmetry",
            "off", "--platform", harness.SOURCE_DIR / "platforms" / "infiniband_hdr_1024_thin.xml"]


class Terminal(Case):
    def seen(self, *arguments, until=None, **environment):
        """Runs a command whose standard error is a terminal. Returns its exit code and the text on the
        terminal. Interrupts the command when the text matches `until`."""
        try:
            ours, its = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal is available here: {error}")
        process = subprocess.Popen(
            [harness.TUTTI, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=its,
            cwd=self.folder, env={**os.environ, **environment}, preexec_fn=hear_signals)
        self.addCleanup(process.kill)
        os.close(its)
        printed = ""
        sent = False
        with contextlib.suppress(OSError), contextlib.closing(os.fdopen(ours, "rb", 0)) as terminal:
            while piece := terminal.read(4096):
                printed += piece.decode()
                if until and not sent and re.search(until, printed):
                    process.send_signal(signal.SIGINT)
                    sent = True
        return process.wait(timeout=50), printed

    def test_one_long_run_shows_progress(self):
        line = (r"\rsimulating: [\d,]+ of [\d,]+ operations, \d+ %, [\d.]+ [mu]?s simulated, \d+ s, "
                r"about \d+ (s|min|h)( \d+ min)? left\x1b\[K")
        begun = time.monotonic()
        code, printed = self.seen("simulate", *LONG_RUN, until=line)
        self.assertEqual(code, 130, printed)
        self.assertRegex(printed, line)
        self.assertGreater(time.monotonic() - begun, 2)
        # The progress line is erased before any other output.
        self.assertTrue(printed.endswith(WIPE + "tutti: interrupted; nothing was written\r\n"), printed)

    def test_a_short_run_shows_no_progress(self):
        self.assertEqual(self.seen("simulate", "allreduce/ring", "-p", 64, "-n", "1MiB"), (0, ""))

    def test_a_search_shows_progress_of_the_known_cells(self):
        """The total number of cells is not known in advance."""
        code, printed = self.seen("decide", "allreduce", "-p", "8", "-n", "64..1MiB*4", "--db", "results.db",
                               "--jobs", "1", **{**SLOWLY, "TUTTI_TEST_WORKER_WAITS_MS": "40"})
        self.assertEqual(code, 0, printed)
        self.assertRegex(printed, r"\rdeciding: \d+ of \d+ cells known so far, \d+ % of their work, \d+ s, "
                               r"about \d+ s left for these\x1b\[K")
        self.assertTrue(printed.endswith(WIPE) or "tutti: " in printed, printed)


class Lines(Case):
    """Where standard error is no terminal, long work prints lines."""

    def lines(self, *arguments, until, **environment):
        """Runs a command until its standard error matches `until`. Returns its text."""
        process = subprocess.Popen(
            [harness.TUTTI, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env={**os.environ, "TUTTI_TEST_PROGRESS_MS": "300", **environment},
            preexec_fn=hear_signals)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        printed = ""
        for line in process.stderr:
            printed += line
            if re.search(until, printed):
                process.send_signal(signal.SIGINT)
                return printed
        self.fail(f"no such line: {printed}")

    def test_every_long_command_prints_lines(self):
        large = ["-p", "4096", "-n", "64K..8M*2", "--symmetry", "off"]
        machine = ["--platform", harness.SOURCE_DIR / "platforms" / "infiniband_hdr_1024_thin.xml"]
        time_left = r"\d+ % of the(ir)? work, \d+ s"
        profile = self.folder / "calls.csv"
        profile.write_text("collective,ranks,bytes,calls\n" + "".join(
            f"alltoall,2048,{8192 << i},10\n" for i in range(8)))
        model = self.folder / "start.json"
        start = json.loads((harness.SOURCE_DIR / "examples" / "fit" / "start.json").read_text())
        model.write_text(json.dumps({**start, "library": "Open MPI 4.1.6"}))
        for command, line in some_of((
                (["simulate", *LONG_RUN], r"^simulating: [\d,]+ of [\d,]+ operations, \d+ %"),
                (["explain", *LONG_RUN], r"^(explaining|simulating|tutti explain).*\d+ s"),
                (["compare", "alltoall", *large], rf"^comparing: \d+ of \d+ cells, {time_left}"),
                (["decide", "alltoall", *large], rf"^deciding: \d+ of \d+ cells known so far, {time_left}"),
                (["decide", "--profile", profile, "--ranks-per-host", 1],
                 rf"^deciding: \d+ of \d+ cells known so far, {time_left}"),
                (["fit", "--plan", "1h", "-p", 1024, *machine, "--parameters", model],
                 rf"^planning: \d+ of \d+ points, {time_left}"),
                (["verify", "alltoall", "-p", "512,1024"], r"^(proving: \d+ of \d+|tutti verify: still running)")), 3):
            with self.subTest(command=command[:2]):
                printed = self.lines(*command, until=f"(?m){line}")
                self.assertNotIn("\r", printed)

    def test_lines_are_a_minute_apart(self):
        """The first comes after ten seconds."""
        process = subprocess.Popen([harness.TUTTI, "simulate", *map(str, LONG_RUN)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=hear_signals,
                                   env={name: value for name, value in os.environ.items()
                                        if name != "TUTTI_TEST_PROGRESS_MS"})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stderr.read(), "tutti: interrupted; nothing was written\n")


class Memory(Case):
    def test_a_schedule_that_does_not_fit_is_refused_at_once(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

        start = time.monotonic()
        done = harness.run("simulate", "allreduce/ring", "-p", 8192, "-n", "64MiB", "--symmetry", "off", "--all-rounds",
                           preexec_fn=limit)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertRegex(done.stderr, r"allreduce on 8192 ranks takes 2013\d{5} operations, which need about \d+ GiB of "
                                      "memory, but only 4 GiB may be used; fewer ranks, or")
        # A run that is started takes tens of seconds.
        self.assertLess(time.monotonic() - start, 20)
        for less in [[], ["--symmetry", "off"]]:  # one rank, or without the rounds that repeat
            done = harness.run("simulate", "allreduce/ring", "-p", 8192, "-n", "64MiB", *less, preexec_fn=limit)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    harness.main()
