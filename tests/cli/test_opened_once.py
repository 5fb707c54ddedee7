"""Tests that each file that a command reads is opened once, however many runs need it."""

import ctypes
import os
import pathlib
import shutil
import struct
import tempfile
import unittest

import harness

libc = ctypes.CDLL(None, use_errno=True)
# Constants of <sys/inotify.h>. The kernel merges equal consecutive events. Close events are watched too, so
# that two opens of a file are not merged.
IN_CLOSE_WRITE, IN_CLOSE_NOWRITE, IN_OPEN = 0x8, 0x10, 0x20

PLATFORM, THIN, MODEL, POINTS, TABLE, PROGRAM = FILES = [
    "platforms/infiniband_hdr_128.xml", "platforms/infiniband_hdr_128_thin.xml",
    "examples/fit/start.json", "examples/fit/points.csv", "examples/decisions/open_mpi_4.1.json",
    "examples/schedules/split_binary_tree.sched"]
GRID = ["-p", "4,8", "-n", "1K,64K"]


def opened(folder, paths, *arguments):
    """Returns how often the command opens each of `paths` in the folder."""
    notes = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    watched = {libc.inotify_add_watch(notes, os.fsencode(folder / path), IN_CLOSE_WRITE |
                                      IN_CLOSE_NOWRITE | IN_OPEN): path for path in paths}
    if notes < 0 or min(watched) < 0:
        raise unittest.SkipTest("file opens cannot be watched here")
    try:
        harness.output(*arguments, cwd=folder)
        counts = dict.fromkeys(paths, 0)
        try:
            events = os.read(notes, 1 << 16)
        except BlockingIOError:
            events = b""
        # No event has a name, since files are watched and not folders. So each event has 16 bytes.
        for place in range(0, len(events), 16):
            watch, what = struct.unpack_from("iI", events, place)
            counts[watched[watch]] += (what & IN_OPEN) // IN_OPEN
        return counts
    finally:
        os.close(notes)


class OpenedOnce(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in FILES:  # copies, since other tests open the originals
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(harness.SOURCE_DIR / name, self.folder / name)

    def once(self, paths, *arguments):
        with self.subTest(" ".join(map(str, arguments))):
            self.assertEqual(opened(self.folder, paths, *arguments), dict.fromkeys(paths, 1))

    def test_simulate_explain_and_compare_open_files_once(self):
        for what in (["simulate", "allreduce/ring"], ["explain", "allreduce/ring"]):
            self.once([PLATFORM, MODEL], *what, "-p", 8, "-n", "1K", "--platform", PLATFORM,
                      "--parameters", MODEL)
        self.once([PLATFORM, MODEL], "compare", "allreduce", *GRID, "--platform", PLATFORM,
                  "--parameters", MODEL)
        self.once([PROGRAM], "compare", "bcast", *GRID, "--with", PROGRAM)
        for command in ("show", "simulate"):
            self.once([PROGRAM], command, PROGRAM, "-p", 4, "-n", 64)
        self.once([PROGRAM], "verify", PROGRAM, "-p", "2..5")

    def test_decide_choose_and_lint_open_files_once(self):
        self.once([PLATFORM, TABLE], "decide", "allreduce", *GRID, "--platform", PLATFORM,
                  "--against", TABLE)
        self.once([PLATFORM], "decide", "all", "--library", "Open MPI 5.0.6", "-p", "4,8", "-n",
                  "1K..64K*8", "--platform", PLATFORM, "-o", "site")
        for command in (["choose", "allreduce", "-p", 8, "-n", "1K", "--table"], ["lint"]):
            self.once([TABLE], *command, TABLE)

    def test_score_and_fit_open_files_once(self):
        here = ["--platform", THIN, "--parameters", MODEL]
        self.once([POINTS, THIN, MODEL], "score", POINTS, *here)
        self.once([POINTS, THIN, MODEL], "fit", POINTS, *here, "--job", "a", "--fit",
                  "latency_s,rank_bytes_per_s", "-o", "fitted.json")

    def test_report_and_plot_open_files_once(self):
        for command, picture in (("report", "page.html"), ("plot", "picture.svg")):
            self.once([PLATFORM], command, "decide", "allreduce", *GRID, "--platform", PLATFORM,
                      "--output", picture)


if __name__ == "__main__":
    harness.main()
