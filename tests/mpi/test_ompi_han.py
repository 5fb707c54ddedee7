"""Compares the messages that a real Open MPI sends with coll/han, pair by pair, to those of tutti's
hierarchies. One machine looks like several nodes.

Each daemon of Open MPI runs in its own UTS namespace with its own host name, so that Open MPI believes
that its ranks are on a separate node. Some machines do not permit such namespaces."""

import os
import subprocess
import unittest

from launch import OPEN_MPI, TUTTI, job, main
from script_main import ALL_CASES
from traffic_tables import ROOTED, choice, counted, difference, pairs_shown, tutti

OMPI_TRAFFIC = os.environ.get("TUTTI_OMPI_TRAFFIC", "")
# (nodes, cores per node, True if ranks are dealt out to nodes in turn).
SHAPES = [(2, 2, False), (3, 2, True)]
if ALL_CASES:
    SHAPES += [(2, 3, False), (2, 4, False), (4, 2, False), (3, 3, False), (2, 3, True), (4, 2, True)]
ELEMENT_BYTES = 8

# Open MPI believes that each daemon has a core for each rank, so waiting ranks must be told to yield.
YIELD = ["--mca", "mpi_yield_when_idle", 1]

# Script that starts a daemon of Open MPI on a host. Arguments: the host's name and the command.
AGENT = """#!/bin/sh
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*"
"""

# For each collective: the number of the algorithm to force in coll/tuned both within nodes and between nodes,
# settings for other collectives that coll/han calls, and tutti's names of the algorithms within and between
# nodes.
FORCED = {
    "allreduce": (3, "reduce_algorithm=5 bcast_algorithm=6",
                  ("binomial+pipeline:doubling", "recursive_doubling")),
    "bcast": (6, "", ("pipeline:doubling", "pipeline:doubling")),
    "reduce": (5, "", ("binomial", "binomial")),
    "barrier": (4, "", ("dissemination", "dissemination")),
    "allgather": (2, "gather_algorithm=2 bcast_algorithm=6",
                  ("binomial+pipeline:doubling", "bruck_mirrored")),
    "gather": (2, "", ("binomial", "binomial")),
    "scatter": (2, "", ("binomial", "binomial")),
}
# Between nodes, the pipelined variants of coll/han use coll/libnbc. In the binomial trees of coll/libnbc, the
# root and rank 0 are swapped, whereas tutti's trees number the ranks relative to the root. On up to three
# nodes, these trees are the same.
BETWEEN = ["--mca", "coll_libnbc_ibcast_algorithm", 2, "--mca", "coll_libnbc_ireduce_algorithm", 2]
SIMPLE = [word for collective in FORCED if collective != "barrier"
          for word in ("--mca", f"coll_han_use_simple_{collective}", 1)]


# Rules for communicators of 2 and of 4 ranks, which coll/han creates on two nodes with four ranks each:
# pipelines or linear trees on a node, and other algorithms between nodes.
RULES = """3 # collectives
2 # allreduce
2
2 1
0 4 0 0 # ring
4 1
0 3 0 0 # recursive doubling
7 # bcast
2
2 1
0 1 0 0 # linear
4 2
0 3 0 0 # pipeline
1024 1 0 0
11 # reduce
2
2 1
0 1 0 0 # linear
4 2
0 1 0 0
1024 3 0 0 # pipeline
"""
# Collectives that coll/han calls within a node and between nodes. The simple variants use coll/tuned only.
STAGES = {"allreduce": (("reduce", "bcast"), ("allreduce",)), "bcast": (("bcast",), ("bcast",)),
          "reduce": (("reduce",), ("reduce",))}


def can_look_like_nodes():
    return subprocess.run(["unshare", "--uts", "true"], capture_output=True,
                          check=False).returncode == 0


def groups(nodes, cores, dealt):
    if not dealt:
        return str(cores)
    return "/".join("+".join(str(node + nodes * core) for core in range(cores))
                    for node in range(nodes))


def by_rules(collective, size, shape):
    """Returns the values of --within and --across that the rule table implies for this shape."""
    nodes, cores, _ = shape

    def part(stage, ranks):
        runs = choice(stage, "rules.conf", ranks, size, ELEMENT_BYTES)["runs"]
        return ":".join(filter(None, (runs["algorithm"], runs.get("tree"))))

    within, across = STAGES[collective]
    return "+".join(part(each, cores) for each in within), "+".join(part(each, nodes) for each in across)


def ours(call, shape, segment, levels=None):
    collective, size, root = call
    nodes, cores, _ = shape
    within, across = levels or FORCED[collective][2]
    options = ["--groups", groups(*shape), "--within", within, "--across", across]
    if segment:
        if collective == "allreduce":
            options[-1] = "binomial+pipeline:doubling"
        options += ["--segment", segment]
    if collective in ROOTED:
        options += ["--root", root]
    if collective != "barrier":
        options += ["-n", size]
    shown = tutti("show", f"{collective}/hierarchical", "-p", nodes * cores, "--elem-bytes",
                  ELEMENT_BYTES, "--format", "json", *options)
    if shown.returncode != 0:
        raise AssertionError(shown.args, shown.stderr)
    return pairs_shown(shown.stdout)


@unittest.skipUnless(OPEN_MPI and OMPI_TRAFFIC, "not Open MPI")
@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
@unittest.skipUnless(can_look_like_nodes(), "a namespace with another host name cannot be created")
class Han(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open("agent", "w", encoding="ascii") as file:
            file.write(AGENT)
        os.chmod("agent", 0o755)

    def traffic(self, shape, calls, launch, forced=True):
        nodes, cores, dealt = shape
        with open("calls", "w", encoding="ascii") as file:
            for collective, size, root in calls:
                number, others, _ = FORCED[collective] if forced else ("-", "", None)
                print(collective, number, size, 0, root, "twice", others, file=file)
        hosts = ",".join(f"tutti-node-{node}:{cores}" for node in range(nodes))
        launch = ["--mca", "plm_rsh_agent", os.path.abspath("agent"), "--host", hosts,
                  *(["--map-by", "node"] if dealt else []),
                  "--mca", "pml_monitoring_enable", 1, "--mca", "coll_tuned_use_dynamic_rules", 1,
                  "--mca", "coll_han_priority", 100, "--mca", "coll", "^sm", *YIELD, *launch]
        done = job(nodes * cores, OMPI_TRAFFIC, "calls", timeout=250, launch=launch)
        # Ignores the exit code, because Open MPI 4.1.4 crashes at the end of the program, when it frees the
        # communicators of its pipelines.
        lines = counted(done.stdout)
        self.assertEqual(len(lines), len(calls), done.stdout[-2000:] + done.stderr[-2000:])
        return lines

    def compare(self, shape, calls, launch, segment=0):
        for (line, sent), call in zip(self.traffic(shape, calls, launch), calls):
            with self.subTest(shape=shape, call=call, segment=segment):
                self.assertNotIn("error", line)
                self.assertEqual(difference(sent, ours(call, shape, segment)), "")
        return len(calls)

    def test_simple_variants_send_the_same_messages(self):
        compared = 0
        for shape in SHAPES:
            ranks = shape[0] * shape[1]
            calls = [("barrier", 0, 0)]
            for collective in FORCED:
                if collective == "barrier":
                    continue
                for size in (8 * ranks, 8 * 12 * ranks + (8 if collective in
                                                          ("allreduce", "bcast", "reduce") else 0)):
                    for root in sorted({0, 1, ranks - 1}) if collective in ROOTED else [0]:
                        calls.append((collective, size, root))
            compared += self.compare(shape, calls, SIMPLE)
        print(f"{compared} cells")

    def test_pipelined_variants_send_the_same_messages(self):
        """Compares pipelined collectives. In Open MPI 4.1.4, an allreduce with a shorter last segment writes
        beyond the vector, so its last segment is a whole one here. Shapes that deal ranks out to nodes are
        left out."""
        compared = 0
        for shape in [(2, 2, False), *SHAPES[2:]]:
            if shape[2]:
                continue
            ranks = shape[0] * shape[1]
            for segment in (8000, 800):
                launch = [*BETWEEN]
                for collective in ("allreduce", "bcast", "reduce"):
                    launch += ["--mca", f"coll_han_{collective}_segsize", segment]
                calls = [("allreduce", 8000, 0)]
                roots = (0, 1, ranks - 1) if shape[0] <= 3 else (0, 1)
                calls += [("bcast", 8008, root) for root in roots]
                calls += [("reduce", 8008, root) for root in roots]
                calls += [("allgather", 80 * ranks, 0), ("gather", 80 * ranks, 1),
                          ("scatter", 80 * ranks, ranks - 1)]
                with_segments = [call for call in calls if call[0] in ("allreduce", "bcast", "reduce")]
                compared += self.compare(shape, with_segments, launch, segment)
                compared += self.compare(shape, calls[len(with_segments):], launch)
        print(f"{compared} cells")

    def test_rules_reach_the_parts(self):
        """A rule table decides which algorithm coll/tuned uses for the parts of coll/han, by the ranks and
        bytes of each part."""
        with open("rules.conf", "w", encoding="ascii") as file:
            file.write(RULES)
        shape = (2, 4, False)
        calls = [(collective, size, 0) for collective in STAGES for size in (64, 4096)]
        launch = [*SIMPLE, "--mca", "coll_tuned_dynamic_rules_filename", os.path.abspath("rules.conf")]
        levels = [by_rules(collective, size, shape) for collective, size, _ in calls]
        # The choices for different sizes must differ, so that no comparison succeeds by chance.
        self.assertEqual(len({(call[0], level) for call, level in zip(calls, levels)}), len(calls))
        for (line, sent), call, level in zip(self.traffic(shape, calls, launch, False), calls, levels):
            with self.subTest(call=call, levels=level):
                self.assertNotIn("error", line)
                self.assertEqual(difference(sent, ours(call, shape, 0, level)), "")


if __name__ == "__main__":
    main()
