"""Tests that a real Open MPI or MPICH follows the rule files that tutti decide writes. At sizes on both sides
of each boundary, the library must send with the file exactly what it sends if the rule's algorithm is forced.
The algorithm on the other side of the boundary must send something else."""

import collections
import functools
import glob
import json
import math
import os
import re
import subprocess
import unittest

from launch import COLLECTIVE_CALL, OPEN_MPI, TUTTI, job, main
from script_main import some_of
from traffic_tables import mpich_traffic

# Sizes in bytes for each collective. On a crossbar with few ranks, the best algorithm of most collectives
# changes once or twice between the smallest and the largest of these sizes.
SIZES = {"allreduce": "512..32K*4", "bcast": "512..32K*4", "allgather": "8K", "alltoall": "2K..32K*4",
         "reduce": "512..32K*4", "barrier": None}


def decided(collective, ranks, library):
    """Writes the rule file and returns a list of (ranks, from_bytes, name of the algorithm, segment)."""
    sizes = SIZES[collective]
    subprocess.run([TUTTI, "decide", collective, "-p", ranks, "--elem-bytes", "4", "--export",
                    library, "-o", "rules", "--json", "decided.json",
                    *(["-n", sizes] if sizes else [])],
                   capture_output=True, text=True, check=True, timeout=60)
    with open("decided.json", encoding="utf-8") as file:
        result = json.load(file)
    candidates = {candidate["label"]: candidate for candidate in result["candidates"]}
    return [(d["ranks"], d["from_bytes"],
             candidates[d["candidate"]]["library_algorithm"], d["segment_bytes"] or 0)
            for d in result["decisions"]]


def open_mpi(ranks, collective, size, mca):
    """Returns {(src, dst): (bytes, messages)} sent by the collective itself."""
    for old in glob.glob("traffic.*"):
        os.remove(old)
    launch = ["--mca", "pml_monitoring_enable", 2, "--mca", "pml_monitoring_enable_output", 3,
              "--mca", "pml_monitoring_filename", "traffic", "--mca",
              "coll_tuned_use_dynamic_rules", 1, *mca]
    done = job(ranks, COLLECTIVE_CALL, size, collective, launch=launch)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    pairs = {}
    for name in glob.glob("traffic.*"):
        with open(name, encoding="ascii") as lines:
            for line in lines:
                found = re.match(r"I\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent", line)
                if found and int(found[4]):
                    pairs[int(found[1]), int(found[2])] = (int(found[3]), int(found[4]))
    return pairs


def with_open_mpi(ranks, collective, size, algorithm=None, segment=0):
    if algorithm is None:
        return open_mpi(ranks, collective, size,
                        ["--mca", "coll_tuned_dynamic_rules_filename", os.path.abspath("rules")])
    mca = ["--mca", f"coll_tuned_{collective}_algorithm", algorithm]
    if collective not in ("barrier", "allgather", "alltoall"):
        mca += ["--mca", f"coll_tuned_{collective}_algorithm_segmentsize", segment]
    return open_mpi(ranks, collective, size, mca)


def with_mpich(ranks, collective, size, algorithm=None, _segment=0):
    """Returns {(src, dst): (messages, bytes)} sent by the collective."""
    rules = () if algorithm else ("-genv", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                  os.path.abspath("rules"))
    (_, pairs), = mpich_traffic(ranks, [(collective, size, 0, algorithm or "")], rules)
    return pairs


@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Rules(unittest.TestCase):
    def check(self, collective, ranks, others=()):
        """Checks all rules of a collective. The algorithm of a neighbouring rule, or one of the algorithms
        `others`, must send something else: otherwise the test could not detect that the file is not read."""
        library = "ompi4" if OPEN_MPI else "mpich"
        run = functools.cache(with_open_mpi if OPEN_MPI else with_mpich)
        rules = [r for r in decided(collective, ranks, library)]
        distinct = False
        for own_ranks in sorted({r[0] for r in rules}):
            own = [r for r in rules if r[0] == own_ranks]
            whole = 4 * own_ranks if collective in ("allgather", "alltoall") else 4
            for i, (_, start, algorithm, segment) in enumerate(own):
                # The first and the last size to which this rule applies.
                sizes = [math.ceil(start / whole) * whole] if start else [8 * 1024 // whole * whole]
                if i + 1 < len(own):
                    sizes.append((own[i + 1][1] - 1) // whole * whole)
                    sizes = sizes if start else sizes[1:]
                for size in some_of(sizes, 2):
                    with self.subTest(ranks=own_ranks, size=size, algorithm=algorithm):
                        # Open MPI's linear alltoall has no counted messages, because its persistent requests
                        # are not counted. It still differs from all counted algorithms.
                        self.assertEqual(run(own_ranks, collective, size),
                                         run(own_ranks, collective, size, algorithm, segment))
                neighbours = [each for each in own[max(0, i - 1):i] + own[i + 1:i + 2]
                              if each[2:] != (algorithm, segment)]
                for neighbour in some_of(neighbours, 2):
                    with self.subTest(ranks=own_ranks, size=sizes[0], other=neighbour):
                        self.assertNotEqual(run(own_ranks, collective, sizes[0]),
                                            run(own_ranks, collective, sizes[0], *neighbour[2:]))
                        distinct = True
                for other in () if distinct else others:
                    distinct = distinct or (run(own_ranks, collective, sizes[0]) !=
                                                run(own_ranks, collective, sizes[0], other))
        self.assertTrue(distinct, "no rule's messages differ from another algorithm's")

    def test_rules_of_allreduce(self):
        self.check("allreduce", "4")

    def test_rules_of_bcast(self):
        self.check("bcast", "4")

    def test_rules_of_reduce(self):
        self.check("reduce", "4")

    def test_rules_of_alltoall(self):
        self.check("alltoall", "4")

    def test_rules_of_allgather(self):
        # The boundary of allgather is between numbers of ranks.
        self.check("allgather", "3,4,5", ["ring"] if OPEN_MPI
                   else ["MPIR_Allgather_intra_ring"])

    def test_rules_of_barrier(self):
        # If every rank is a node, MPICH has only one barrier besides a nonblocking one.
        if OPEN_MPI:
            self.check("barrier", "4,5", ["linear"])
        else:
            self.check_mpich_barrier()

    def check_mpich_barrier(self):
        decided("barrier", "4", "mpich")
        sent = with_mpich(4, "barrier", 0)
        self.assertEqual(collections.Counter(src for src, _ in sent),
                         {rank: 2 for rank in range(4)})  # ceil(lg 4) messages from each rank
        # The following shows that MPICH reads the file: MPICH aborts on an unknown name in it.
        with open("rules", encoding="utf-8") as file:
            text = file.read()
        with open("rules", "w", encoding="utf-8") as file:
            file.write(text.replace("MPIR_Barrier_intra_dissemination", "MPIR_Barrier_intra_none"))
        with self.assertRaises(AssertionError):
            with_mpich(4, "barrier", 0)


if __name__ == "__main__":
    main()
