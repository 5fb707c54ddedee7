"""Sweeps that share a database over machines whose clocks differ: who is alive shows by what changes."""

import contextlib
import os
import pty
import subprocess
import threading
import time
import unittest

import harness
from sweep_case import Case, start
from sweeps import CELLS, COUNT, count_of, rows_of, wait_until

HOUR_S = 3600


def patience(ms):
    return {**os.environ, "TUTTI_TEST_SWEEP_LOST_AFTER_MS": str(ms)}


class Clocks(Case):
    def setUp(self):
        super().setUp()
        self.interrupted()

    def interrupted(self):
        # What a sweep elsewhere would have claimed: the cells, by the number that each of them has.
        process = start("compare", *CELLS, "--db", self.database, "--jobs", "1", start_new_session=True)
        wait_until(lambda: count_of(self.database) > 3)
        process.kill()
        process.communicate()
        claimed = self.execute("SELECT cell FROM claims")
        self.assertGreater(len(claimed), 0)
        self.claim = ["DELETE FROM sweeps", "UPDATE claims SET owner=1"]

    def elsewhere(self, ahead_s, host="'elsewhere'"):
        self.execute(*self.claim, f"INSERT INTO sweeps VALUES (1, {host}, 77, '1', "
                     f"{int(time.time()) + ahead_s})")

    def test_one_that_is_gone(self):
        for ahead_s in [HOUR_S, -HOUR_S, 10**12]:
            with self.subTest(ahead_s):
                self.elsewhere(ahead_s)
                begun = time.monotonic()
                self.sweep(*CELLS, env=patience(1500))
                self.assertGreater(time.monotonic() - begun, 1.5)
                self.assertEqual(rows_of(self.database), self.complete(*CELLS))
                self.assertEqual(self.execute("SELECT * FROM sweeps"), [])
                self.database.unlink()
                self.interrupted()

    def test_one_that_is_there(self):
        """An hour behind, and it goes on; or one whose clock is set back."""
        self.elsewhere(-HOUR_S)
        stop = threading.Event()

        def live():
            while not stop.wait(0.2):
                self.execute("UPDATE sweeps SET alive_at=alive_at-1 WHERE owner=1")
        thread = threading.Thread(target=live)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(stop.set)
        claims = len(self.execute("SELECT * FROM claims WHERE owner=1"))
        done = []
        sweep = threading.Thread(target=lambda: done.append(self.sweep(*CELLS, env=patience(2000))))
        sweep.start()
        self.addCleanup(sweep.join)
        wait_until(lambda: count_of(self.database) == COUNT - claims)
        time.sleep(6)
        self.assertEqual(done, [])
        self.assertEqual(len(self.execute("SELECT * FROM claims WHERE owner=1")), claims)
        stop.set()
        sweep.join(timeout=50)
        self.assertEqual(rows_of(self.database), self.complete(*CELLS))
        # Whoever waited knew for what, and for how long.
        said = done[0].stderr.splitlines()
        self.assertRegex(said[1], rf"^tutti: waiting for {claims} cells?, for [5-9] s now: another sweep is at "
                                  r"them, process 77 on elsewhere, last heard from \d s ago; with no sign of "
                                  r"life for 2 s they are run here$")
        self.assertRegex(said[2], r"^tutti: nothing heard from process 77 on elsewhere for 2 s: what it was "
                                  r"at is run here$")

    def test_what_is_said_on_a_terminal(self):
        """Its line is wiped away for that; and the name of a host, which others wrote, is no control of it."""
        try:
            ours, its = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be had here: {error}")
        self.elsewhere(0, "'else' || char(10, 27) || '[31mwhere'")
        process = subprocess.Popen([harness.TUTTI, "compare", *CELLS, "--db", self.database],
                                   stdout=subprocess.DEVNULL, stderr=its, env=patience(5500))
        os.close(its)
        said = b""
        with contextlib.suppress(OSError), contextlib.closing(os.fdopen(ours, "rb", 0)) as terminal:
            while piece := terminal.read(4096):
                said += piece
        self.assertEqual(process.wait(timeout=50), 0)
        self.assertIn(b"\r\x1b[Ktutti: nothing heard from process 77 on else ?[31mwhere for ", said)

    def test_claims_of_nobody(self):
        self.execute(*self.claim)
        self.sweep(*CELLS)
        self.assertEqual(rows_of(self.database), self.complete(*CELLS))
        self.assertEqual(self.execute("SELECT * FROM claims"), [])


if __name__ == "__main__":
    harness.main()
