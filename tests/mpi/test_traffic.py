"""Checks with Open MPI's own message counters that tutti-mpi sends what the schedule says. Also compares the
messages of Open MPI's allreduce algorithms with tutti's."""

import collections
import glob
import itertools
import json
import os
import re
import subprocess
import unittest

from launch import COLLECTIVE_CALL, TUTTI, TUTTI_MPI, job, main
from script_main import some_of

# The first six have the numbers 1 to 6 in Open MPI's coll_tuned_allreduce_algorithm.
ALGORITHMS = ["basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
              "rabenseifner", "circulant"]
NONOVERLAPPING = 2
REDUCE_BINOMIAL, BCAST_BINOMIAL = 5, 6
BYTES = 8000
# Numbers of ranks: powers of two and others.
RANKS = [4, 5, 6, 8]


def monitored(ranks, kind, *command, mca=()):
    """Returns {(src, dst): (bytes, messages)} for the messages of one kind: "E" for point-to-point messages,
    "I" for the messages of collectives."""
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


def library(ranks, *calls, **forced):
    """Returns the messages of the library's own collectives `calls`. An argument such as allreduce=4 forces
    algorithm 4 of that collective."""
    mca = ["--mca", "coll_tuned_use_dynamic_rules", 1]
    for collective, number in forced.items():
        mca += ["--mca", f"coll_tuned_{collective}_algorithm", number]
    return monitored(ranks, "I", COLLECTIVE_CALL, BYTES, *calls, mca=mca)


def added(*traffics):
    total = collections.Counter()
    messages = collections.Counter()
    for traffic in traffics:
        for pair, (size, count) in traffic.items():
            total[pair] += size
            messages[pair] += count
    return {pair: (total[pair], messages[pair]) for pair in total}


def scheduled(ranks, algorithm):
    shown = subprocess.run([TUTTI, "show", algorithm, "-p", str(ranks), "-n",
                            str(BYTES), "--elem-bytes", "4", "--format", "json"],
                           capture_output=True, text=True, check=True, timeout=50)
    pairs = collections.defaultdict(lambda: (0, 0))
    for op in json.loads(shown.stdout)["ops"]:
        if op["kind"] == "comm":
            size, count = pairs[op["src"], op["dst"]]
            pairs[op["src"], op["dst"]] = (size + op["bytes"], count + 1)
    return dict(pairs)


@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Traffic(unittest.TestCase):
    def test_traffic_of_our_schedules(self):
        for ranks, algorithm in some_of(itertools.product(RANKS, ALGORITHMS), 4):
            with self.subTest(algorithm=algorithm, ranks=ranks):
                self.assertEqual(
                    monitored(ranks, "E", TUTTI_MPI, "run", f"allreduce/{algorithm}", "-n", BYTES, "--type",
                              "int32", "--check", "none", "--iterations", 1, "--warmup", 0),
                    scheduled(ranks, f"allreduce/{algorithm}"))

    def test_traffic_of_the_librarys_algorithms(self):
        """Each of the library's algorithms must send, pair by pair, what tutti's algorithm sends. The
        algorithm that calls other collectives has its own test."""
        others = [number for number in range(1, 7) if number != NONOVERLAPPING]
        for ranks, number in some_of(itertools.product(RANKS, others), 4):
            algorithm = ALGORITHMS[number - 1]
            with self.subTest(algorithm=algorithm, ranks=ranks):
                self.assertEqual(library(ranks, "allreduce", allreduce=number),
                                 scheduled(ranks, f"allreduce/{algorithm}"))

    def test_traffic_of_the_librarys_nonoverlapping_allreduce(self):
        """The library's nonoverlapping allreduce calls MPI_Reduce and MPI_Bcast. By themselves, these choose
        a pipeline for 8000 bytes on few ranks. If binomial trees are forced, the library's reduce sends what
        tutti's reduce sends, pair by pair, but the library's bcast uses a different binomial tree. In the
        library's tree, the parent of a rank is the rank's number without its highest bit, and distances grow
        from round to round. In tutti's tree, the parent is the number without its lowest bit, and distances
        shrink."""
        for ranks in some_of(RANKS, 4):
            with self.subTest(ranks=ranks):
                forced = {"reduce": REDUCE_BINOMIAL, "bcast": BCAST_BINOMIAL}
                ours = scheduled(ranks, "allreduce/nonoverlapping")
                trees = [scheduled(ranks, f"{each}/binomial") for each in ("reduce", "bcast")]
                self.assertEqual(ours, added(*trees))
                other_bcast = {(rank - (1 << rank.bit_length() - 1), rank): (BYTES, 1)
                               for rank in range(1, ranks)}
                self.assertEqual(library(ranks, "reduce", **forced), trees[0])
                self.assertEqual(library(ranks, "bcast", **forced), other_bcast)
                for kinds in ({}, forced):
                    whole = library(ranks, "allreduce", allreduce=NONOVERLAPPING, **kinds)
                    self.assertEqual(whole, library(ranks, "reduce", "bcast", **kinds))
                self.assertEqual(whole, added(trees[0], other_bcast))


if __name__ == "__main__":
    main()
