"""Tests that a terminal shows the progress of a long run and of a search, but not that of a short run."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import time

import harness
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
        said = ""
        sent = False
        with contextlib.suppress(OSError), contextlib.closing(os.fdopen(ours, "rb", 0)) as terminal:
            while piece := terminal.read(4096):
                said += piece.decode()
                if until and not sent and re.search(until, said):
                    process.send_signal(signal.SIGINT)
                    sent = True
        return process.wait(timeout=50), said

    def test_one_long_run_shows_progress(self):
        line = (r"\rsimulating: [\d,]+ of [\d,]+ operations, \d+ %, [\d.]+ [mu]?s simulated, \d+ s, "
                r"about \d+ (s|min|h)( \d+ min)? left\x1b\[K")
        begun = time.monotonic()
        code, said = self.seen("simulate", *LONG_RUN, until=line)
        self.assertEqual(code, 130, said)
        self.assertRegex(said, line)
        self.assertGreater(time.monotonic() - begun, 2)
        # The progress line is erased before any other output.
        self.assertTrue(said.endswith(WIPE + "tutti: interrupted; nothing was written\r\n"), said)

    def test_a_short_run_shows_no_progress(self):
        self.assertEqual(self.seen("simulate", "allreduce/ring", "-p", 64, "-n", "1MiB"), (0, ""))

    def test_a_search_shows_progress_of_the_known_cells(self):
        """The total number of cells is not known in advance."""
        code, said = self.seen("decide", "allreduce", "-p", "8", "-n", "64..1MiB*4", "--db", "results.db",
                               "--jobs", "1", **{**SLOWLY, "TUTTI_TEST_WORKER_WAITS_MS": "40"})
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\rdeciding: \d+ of \d+ cells known so far, \d+ % of their work, \d+ s, "
                               r"about \d+ s left for these\x1b\[K")
        self.assertTrue(said.endswith(WIPE) or "tutti: " in said, said)


if __name__ == "__main__":
    harness.main()
