"""Tests, on random questions, that decide never misses a schedule that compare has, and that no candidate that
decide rules out is faster than decide says. TUTTI_SEED repeats the questions of a run."""

import argparse
import itertools
import os
import random
import sys
import tempfile
import unittest

import harness

QUESTIONS = 6  # by which decide is compared with compare
BEATEN = 40  # candidates that decide rules out, and that are then simulated
EQUAL = 1 + 1e-9

# Largest number of ranks that is asked about, and ranks on a host.
PLATFORMS = {
    "crossbar_64": (40, 1), "ethernet_10g_64": (40, 1), "ethernet_1g_32": (32, 1), "ethernet_1g_8": (8, 1),
    "infiniband_hdr_1024": (40, 1), "infiniband_hdr_1024_thin": (40, 1), "infiniband_hdr_128": (40, 1),
    "infiniband_hdr_128_thin": (40, 1), "slingshot_1024": (40, 1), "slingshot_128": (40, 1), "smp_16x8": (40, 8),
    "smp_32x32": (64, 32), "torus_512": (40, 1), "torus_64": (40, 1)}
COLLECTIVES = ["allreduce", "bcast", "reduce", "reduce_scatter", "allgather", "alltoall", "gather", "scatter",
               "barrier", "allgatherv", "gatherv", "scatterv", "alltoallv", "reduce_scatter_block", "scan", "exscan"]
ROOTED = ["bcast", "reduce", "gather", "scatter", "gatherv", "scatterv"]


def draws():
    """Returns a random generator, and prints its seed."""
    seed = int(os.environ.get("TUTTI_SEED", random.randrange(10**6)))
    print(f"TUTTI_SEED={seed}", file=sys.stderr)
    return random.Random(seed)


def problem(draw, collective, most_ranks, most_elements=2 ** 18):
    ranks = draw.choice([*range(2, 18), 24, 27, 32, 40])
    ranks = min(ranks, most_ranks)
    elements = draw.choice([draw.randrange(1, 3 * ranks), draw.randrange(1, 20000), 2 ** draw.randrange(4, 18),
                            3 * 2 ** draw.randrange(4, 15), 100 * draw.randrange(1, 1000)])
    elements = min(elements, 32768 if collective == "alltoall" else most_elements, most_elements)
    words = ["-p", ranks] + ([] if collective == "barrier" else ["-n", 8 * elements])
    if collective in ROOTED and draw.random() < 0.3:
        words += ["--root", draw.randrange(ranks)]
    return words


def machine(draw):
    """Returns options that change the default machine, or a platform."""
    words = []
    for option, values in [("--ports", [1, 1, 1, 2, 4, "unlimited"]), ("--eager", [None, None, None, "1K", "1GiB"])]:
        value = draw.choice(values)
        if value not in (None, 1):
            words += [option, value]
    return words


def shortest_of_compare(*arguments):
    """Returns the shortest time of the algorithms without switches, and the name of the algorithm."""
    rows = [(harness.time_of(row), row["algorithm"]) for row in harness.compared(*arguments)
            if row["simulated_s"] is not None]
    return min(rows)


class DecideBest(unittest.TestCase):
    def test_decide_is_never_worse_than_compare(self):
        draw = draws()
        for collective in itertools.islice(itertools.cycle(draw.sample(COLLECTIVES, len(COLLECTIVES))), QUESTIONS):
            name = draw.choice(sorted(PLATFORMS))
            most_ranks, per_host = PLATFORMS[name]
            changes = machine(draw)
            # With several ports, decide simulates many segment sizes of large problems.
            question = [collective, *problem(draw, collective, most_ranks, 4000 if "--ports" in changes else 2 ** 18),
                        "--platform", harness.SOURCE_DIR / "platforms" / f"{name}.xml", *changes]
            if per_host > 1:
                question += ["--ranks-per-host", draw.choice([per_host // 2, per_host, per_host])]
            with self.subTest(question=" ".join(map(str, question))):
                seconds, algorithm = shortest_of_compare(*question)
                decided = harness.json_output("decide", *question, "--crossover", 0, "--json", "-")
                [cell] = decided["cells"]
                times = [time["seconds"] for time in cell["times"] + cell["cuts"] if time["seconds"] is not None]
                self.assertLessEqual(min(times), seconds * EQUAL, f"compare: {algorithm}")

    def test_candidates_that_are_ruled_out_take_at_least_the_time_given(self):
        draw = draws()
        seen = 0
        while seen < BEATEN:
            collective = draw.choice(COLLECTIVES)
            # Small problems, because candidates that are ruled out may have very many segments.
            question = [collective, *problem(draw, collective, 17, 4000), *machine(draw)]
            for option, values in [("--alpha", ["1ns", "10ns", "1us", "30us"]), ("--beta", ["0.01ns", "1ns", "100ns"]),
                                   ("--gamma", ["0.1ns", "10ns", "1us"])]:
                if draw.random() < 0.7:
                    question += [option, draw.choice(values)]
            with self.subTest(question=" ".join(map(str, question))):
                seen += self.check_ruled_out(question)

    def check_ruled_out(self, question):
        """Returns the number of candidates that were ruled out."""
        run = ["decide", *question, "--crossover", 0, "--json", "-"]
        [quick], [whole] = (harness.json_output(*run, *more)["cells"] for more in ([], ["--all"]))
        seen = 0
        for time, simulated in zip(quick["times"], whole["times"]):
            self.assertEqual(time["candidate"], simulated["candidate"])
            if time["at_least_s"] is not None:
                # With ties, the time is a median, which may be shorter than that of the usual order.
                most_s = simulated["ties"]["most_s"] if simulated["ties"] else simulated["seconds"]
                self.assertLessEqual(time["at_least_s"], most_s * EQUAL, time["candidate"])
                seen += 1
        return seen

    def test_times_that_closed_forms_exceed(self):
        # The closed forms of these algorithms are longer than their times: blocks differ in size, or messages
        # are eager.
        for question in (
                ["alltoall", "-p", 17, "-n", 16, "--gamma", "100ns", "--alpha", "10ns", "--beta", "10ns"],
                ["alltoall", "-p", 11, "-n", 8, "--alpha", "1ns", "--beta", "100ns", "--gamma", "0.1ns"],
                ["allreduce", "-p", 3, "-n", 8, "--eager", 1000000000, "--gamma", "1us"],
                ["reduce", "-p", 12, "-n", 288, "--eager", 1000000000]):
            with self.subTest(question=question):
                self.check_ruled_out(question)
                [cell] = harness.json_output("decide", *question, "--crossover", 0, "--json", "-")["cells"]
                times = [time["seconds"] for time in cell["times"] if time["seconds"] is not None]
                self.assertLessEqual(min(times), shortest_of_compare(*question)[0] * EQUAL)

    def test_default_segments_are_tried(self):
        # The default of circulant_blocks is a number of equal blocks; no rule that names bytes is as fast.
        question = ["bcast", "-p", 8, "-n", "64K", "--platform",
                    harness.SOURCE_DIR / "platforms/ethernet_1g_32.xml"]
        decided = harness.json_output("decide", *question, "--json", "-")
        harness.validate(decided, "tutti-decide-2")
        [rule] = decided["decisions"]
        self.assertEqual(rule["candidate"], "circulant_blocks, default segments")
        # The table says so too, and is read back.
        with tempfile.TemporaryDirectory() as folder:
            table = f"{folder}/rules.json"
            harness.output("decide", *question, "--export", "json", "-o", table)
            against = harness.json_output("decide", *question, "--against", table, "--json", "-")["against"]
            self.assertEqual(against["mean_loss"], 0)
            [cell] = against["cells"]
            self.assertEqual(cell["choice"], {"algorithm": "circulant_blocks", "default_segments": True})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--beaten", type=int, default=BEATEN)
    known, rest = parser.parse_known_args()
    QUESTIONS = known.questions
    BEATEN = known.beaten
    harness.script_main.main(*rest)
