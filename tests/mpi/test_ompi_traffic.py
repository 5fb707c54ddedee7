"""Compares the messages of a real Open MPI, pair by pair, with the schedules that `tutti choose` names: for
each algorithm that tutti maps, forced by number, and for Open MPI's own choices."""

import functools
import itertools
import os
import unittest

from launch import OPEN_MPI, SOURCE_DIR, TUTTI, job, main
from script_main import ALL_CASES, some_of
from traffic_tables import ROOTED, choice, counted, difference, oldest_algorithms, scheduled

OMPI_TRAFFIC = os.environ.get("TUTTI_OMPI_TRAFFIC", "")
# The slow run tries all numbers of ranks and sizes; the fast run tries some.
RANKS = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16] if ALL_CASES else [2, 5, 8]
# Elements are 64-bit integers. Open MPI rounds a segment of 1005 bytes to 126 elements.
ELEMENT_BYTES = 8
SEGMENTS = [0, 8192, 1005] if ALL_CASES else [0, 1005]
# Sizes in bytes: three that are divisible by every number of ranks in RANKS, three that are divisible by few
# of them, one that is smaller than a segment, and one with fewer elements than most jobs have ranks.
VECTORS = [8 * count for count in (5040, 10080, 40320, 5041, 10007, 40127, 1001, 3)]
BLOCKS = ("allgather", "alltoall", "gather", "scatter", "reduce_scatter_block")  # MPI requires equal blocks
IDS = {"allgather": 0, "allreduce": 2, "alltoall": 3, "barrier": 6, "bcast": 7, "gather": 9,
       "reduce": 11, "reduce_scatter": 12, "scatter": 15, "allgatherv": 1, "alltoallv": 4,
       "exscan": 8, "reduce_scatter_block": 13, "scan": 14}  # numbers of collectives in rule files
BUILT_IN_COLLECTIVES = ("allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce",
                        "reduce_scatter", "scatter")
BUILT_IN = SOURCE_DIR / "examples/decisions/open_mpi_4.1.json"
# Built-in choices, on up to 16 ranks, for which tutti has no equivalent algorithm.
UNKNOWN = set()


MAPPED = [row for row in oldest_algorithms("Open MPI") if row[3]]  # those with an equal one in tutti
SEGMENTED = {("allreduce", "segmented_ring"), ("bcast", "chain"), ("bcast", "pipeline"),
             ("bcast", "split_binary_tree"), ("bcast", "binary_tree"), ("bcast", "binomial"),
             ("bcast", "knomial"), ("reduce", "chain"), ("reduce", "pipeline"),
             ("reduce", "binary"), ("reduce", "binomial"), ("reduce", "in-order_binary"),
             ("gather", "linear_sync")}
# Numbers of chains that begin at the root; 0 counts as 1.
FANS = [0, 1, 2, 4, 7] if ALL_CASES else [0, 3]


def sizes(collective, ranks):
    if collective == "barrier":
        return [0]
    vectors = VECTORS if ALL_CASES else [VECTORS[4], VECTORS[7]]
    if collective in BLOCKS:
        blocks = [size // (ELEMENT_BYTES * ranks) for size in vectors]
        return [block * ELEMENT_BYTES * ranks for block in blocks if block > 0]
    return vectors


def roots(collective, ranks):
    if collective not in ROOTED:
        return [0]
    return [0, ranks - 1] if ALL_CASES or ranks != 5 else [0, 1, ranks - 1]


@functools.lru_cache(maxsize=None)
def rule_file(collective, number, segment, fan=0):
    path = f"{collective}_{number}_{segment}_{fan}.conf"
    with open(path, "w", encoding="ascii") as file:
        print(1, IDS[collective], 1, 2, 1, f"0 {number} {fan} {segment}", sep="\n", file=file)
    return path


# Open MPI reads the forced algorithm of these collectives only at its start, so each algorithm needs its own
# job. In the fast run, each of these algorithms runs on only one number of ranks.
AT_START = ("allgatherv", "alltoallv", "exscan", "reduce_scatter_block", "scan")


def traffic(ranks, calls):
    """Returns [(call, pairs)] of Open MPI for each (collective, id, bytes, segment, root, variables...) of
    `calls`, in the order of `calls`."""
    jobs = {}
    for at, call in enumerate(calls):
        jobs.setdefault(call[:2] if call[0] in AT_START else (), []).append(at)
    lines = [None] * len(calls)
    for forced, places in jobs.items():
        launch = []
        command = [calls[at] for at in places]
        if forced:
            launch = ["--mca", f"coll_tuned_{forced[0]}_algorithm", forced[1]]
            command = [(collective, "-", *rest) for collective, _, *rest in command]
        for at, line in zip(places, traffic_of_job(ranks, command, launch)):
            lines[at] = line
    return lines


def traffic_of_job(ranks, calls, launch):
    with open("calls", "w", encoding="ascii") as file:
        for collective, number, size, segment, root, *variables in calls:
            if collective in ("bcast", "reduce") and not variables:
                variables = [f"{collective}_algorithm_chain_fanout=1"]
            print(collective, number, size, segment, root, *variables, file=file)
    done = job(ranks, OMPI_TRAFFIC, "calls", timeout=250,
               launch=["--mca", "pml_monitoring_enable", 1,
                       "--mca", "coll_tuned_use_dynamic_rules", 1, *launch])
    if done.returncode != 0:
        raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])
    lines = counted(done.stdout)
    if len(lines) != len(calls):
        raise AssertionError(f"the job ran {len(lines)} of {len(calls)} calls")
    return lines


@unittest.skipUnless(OPEN_MPI and OMPI_TRAFFIC, "not Open MPI")
@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Traffic(unittest.TestCase):
    def compare(self, ranks, cells):
        """Compares Open MPI's messages with tutti's. `cells` is [((collective, id, bytes, segment, root,
        variables...), choice)]."""
        lines = traffic(ranks, [call for call, _ in cells])
        for (line, sent), (call, chosen) in zip(lines, cells):
            with self.subTest(ranks=ranks, call=call):
                self.assertNotIn("error", line)
                ours = scheduled(call[0], chosen["runs"], ranks, call[2], call[4],
                                 element_bytes=ELEMENT_BYTES)
                if call[:2] in (("reduce_scatter", 1), ("allgatherv", 1)):
                    # Open MPI implements these two with a scatterv or gatherv, which sends no empty messages.
                    ours = {pair: amount for pair, amount in ours.items() if amount[1] > 0}
                self.assertEqual(difference(sent, ours), "")

    def test_forced_algorithms_send_the_same_messages(self):
        """Compares messages and bytes of every pair, for numbers that tutti maps."""
        self.assertGreaterEqual(len(MAPPED), 49)
        rows = some_of(MAPPED, 3)
        compared = {row[:3]: 0 for row in rows}
        for ranks in RANKS:
            cells = []
            for collective, number, name, _ in rows:
                if collective in AT_START and not ALL_CASES and ranks != (2 if name == "two_proc" else 5):
                    continue
                segments = SEGMENTS if (collective, name) in SEGMENTED else [0]
                for segment in segments:
                    rules = rule_file(collective, number, segment)
                    for size in sizes(collective, ranks):
                        if size < segment and not ALL_CASES:
                            continue  # sends the same messages as without segments
                        chosen = choice(collective, rules, ranks, size, ELEMENT_BYTES)
                        if name == "two_proc" and ranks != 2:
                            self.assertIsNone(chosen["runs"])
                            continue
                        if chosen["runs"] is None:
                            self.assertIn(chosen.get("parts"), ["open_mpi"])
                            continue  # Open MPI calls an algorithm that tutti lacks, and tutti says so
                        for root in roots(collective, ranks):
                            cells.append(((collective, number, size, segment, root), chosen))
                            compared[collective, number, name] += 1
            self.compare(ranks, cells)
        for row, count in compared.items():
            self.assertGreaterEqual(count, 1, row)
        print(f"{sum(compared.values())} calls of {len(compared)} algorithms")

    def test_fan_out_and_radix_are_applied(self):
        """Compares parallel chains, k-nomial trees with other radices than 4, and a limit on pending
        messages, which changes no message."""
        compared = 0
        for ranks in RANKS if ALL_CASES else RANKS[1:]:
            cells = []
            for collective, segment, size in itertools.product(("bcast", "reduce"), SEGMENTS[::2],
                                                               sizes("bcast", ranks)[:2]):
                for root, fan in itertools.product(roots(collective, ranks), FANS):
                    chosen = choice(collective, rule_file(collective, 2, segment, fan), ranks, size,
                                    ELEMENT_BYTES)
                    self.assertEqual(chosen.get("radix", 1), max(fan, 1))
                    variable = f"{collective}_algorithm_chain_fanout={fan}"
                    cells.append(((collective, 2, size, segment, root, variable), chosen))
                    if collective == "bcast" and fan > 1:
                        chosen = choice(collective, rule_file(collective, 7, segment), ranks, size,
                                        ELEMENT_BYTES)
                        chosen = {"runs": {**chosen["runs"], "radix": fan}}
                        variable = f"bcast_algorithm_knomial_radix={fan}"
                        cells.append(((collective, 7, size, segment, root, variable), chosen))
            for size, bound in itertools.product(sizes("alltoall", ranks)[:2], (1, 2, 5)):
                chosen = choice("alltoall", rule_file("alltoall", 4, 0), ranks, size, ELEMENT_BYTES)
                chosen = {"runs": {**chosen["runs"], "throttle": bound}}
                variable = f"alltoall_algorithm_max_requests={bound}"
                cells.append((("alltoall", 4, size, 0, 0, variable), chosen))
            self.compare(ranks, cells)
            compared += len(cells)
        print(f"{compared} calls with other parameters")

    def test_two_proc_fails_on_more_ranks(self):
        for line, _ in traffic(3, [("allgather", 6, 240, 0, 0), ("alltoall", 5, 240, 0, 0),
                                   ("barrier", 5, 0, 0, 0)]):
            self.assertIn("error", line)

    def test_built_in_choices_match_the_table(self):
        """Open MPI's own choice for 13 sizes of each collective must match the table of built-in decisions in
        examples/decisions. If tutti lacks the chosen algorithm, the table must name this algorithm."""
        vectors = [8, 24, 72, 264, 1000, 4096, 8200, 20000, 65536, 131080, 300000, 600008, 1200000]
        blocks = [8, 16, 40, 80, 136, 520, 1024, 2056, 8192, 20000, 40000, 70000, 135000]
        compared = 0
        unknown = set()
        for ranks in RANKS:
            cells = []
            for collective in some_of(BUILT_IN_COLLECTIVES, 2):
                own = [0] if collective == "barrier" else vectors
                if collective in BLOCKS:
                    own = [ranks * block for block in blocks]
                for size in own if ALL_CASES else own[::4]:
                    chosen = choice(collective, BUILT_IN, ranks, size, ELEMENT_BYTES)
                    if chosen["runs"] is None:
                        unknown.add(chosen.get("library_algorithm", chosen.get("algorithm")))
                        continue
                    for root in roots(collective, ranks):
                        cells.append(((collective, "-", size, 0, root), chosen))
            self.compare(ranks, cells)
            compared += len(cells)
        self.assertLessEqual(unknown, UNKNOWN)
        print(f"{compared} calls by Open MPI's own choice; tutti has no equivalent of {sorted(unknown)}")


if __name__ == "__main__":
    main()
