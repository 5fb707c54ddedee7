"""What goes over the network is what the schedule says, by Open MPI's own count; and what its own
allreduce algorithms send, compared with ours."""

import collections
import glob
import json
import os
import re
import subprocess
import unittest

from launch import OPEN_MPI, TUTTI, TUTTI_MPI, job, main

ALGORITHMS = ["basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
              "rabenseifner", "circulant"]
BYTES = 8000


def monitored(ranks, kind, *command, mca=()):
    """{(src, dst): (bytes, messages)}: kind E is point-to-point, I is sent by collectives."""
    for old in glob.glob("traffic.*"):
        os.remove(old)
    launch = ["--mca", "pml_monitoring_enable", 2, "--mca", "pml_monitoring_enable_output", 3,
              "--mca", "pml_monitoring_filename", "traffic", *mca]
    done = job(ranks, *command, launch=launch)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    pairs = {}
    for name in glob.glob("traffic.*"):
        with open(name, encoding="ascii") as lines:
            for line in lines:
                found = re.match(rf"{kind}\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent", line)
                if found:
                    src, dst, size, count = map(int, found.groups())
                    if count:
                        pairs[src, dst] = (size, count)
    return pairs


def scheduled(ranks, algorithm, *options):
    shown = subprocess.run([TUTTI, "show", f"allreduce/{algorithm}", "-p", str(ranks), "-n",
                            str(BYTES), "--elem-bytes", "4", "--format", "json", *options],
                           capture_output=True, text=True, check=True, timeout=50)
    pairs = collections.defaultdict(lambda: (0, 0))
    for op in json.loads(shown.stdout)["ops"]:
        if op["kind"] == "comm":
            size, count = pairs[op["src"], op["dst"]]
            pairs[op["src"], op["dst"]] = (size + op["bytes"], count + 1)
    return dict(pairs)


@unittest.skipUnless(OPEN_MPI, "MPICH counts no messages")
@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Traffic(unittest.TestCase):
    def test_ours(self):
        for ranks in (4, 5, 6, 8):
            for algorithm in ALGORITHMS:
                with self.subTest(algorithm=algorithm, ranks=ranks):
                    self.assertEqual(
                        monitored(ranks, "E", TUTTI_MPI, "run", f"allreduce/{algorithm}", "-n",
                                  BYTES, "--type", "int32", "--check", "none"),
                        scheduled(ranks, algorithm))


if __name__ == "__main__":
    main()
