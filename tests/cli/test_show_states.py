"""Tests show --state, --sum and --sum-tree, which print the contents of blocks during a schedule, in the same
form as papers and comments in Open MPI's source code. Also tests the graph of ranks."""

import csv
import io
import json
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

import harness

CIRCULANT_22 = ["show", "reduce_scatter/circulant", "-p", 22, "-n", 176]


def tables(*arguments):
    """Returns the output of --state all as {heading: {block: [value at each rank]}}."""
    found = {}
    for part in harness.output("show", *arguments, "--state", "all", columns=200).split("\n\n")[1:]:
        heading, _, *lines = part.splitlines()
        cells = ([cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines)
        found[heading] = {block: held for block, *held in cells}
    return found


class States(unittest.TestCase):
    def test_the_ring_of_five_ranks_matches_the_comment_in_open_mpi(self):
        """The sum of block b begins at rank b. After step k, it has reached rank b + k + 1, and the ranks from b
        to b + k hold partial sums."""
        seen = tables("allreduce/ring", "-p", 5, "-n", 200)
        for step in range(-1, 4):
            table = seen["before round 0" if step < 0 else f"after round {step}"]
            for block in range(5):
                for rank in range(5):
                    behind = (rank - block) % 5
                    ranks = [(block + i) % 5 for i in range(behind + 1)] if behind <= step + 1 else [rank]
                    expected = "full" if len(ranks) == 5 else " + ".join(f"x{r}" for r in ranks)
                    self.assertEqual(table[str(block)][rank], expected, (step, block, rank))
        self.assertEqual({cell for row in seen["after round 7"].values() for cell in row}, {"full"})

    def test_states_of_one_rank_over_all_rounds(self):
        text = harness.output("show", "allgather/bruck", "-p", 5, "-n", 200, "--state", 2)
        self.assertRegex(text, r"\n +scratch 1 +- +x1 +x1 +x1\n")

    def test_the_sum_matches_the_example_of_the_circulant_paper(self):
        lines = harness.output(*CIRCULANT_22, "--sum", "21,21").splitlines()[2:]
        self.assertEqual([line.strip() for line in lines], [
            "x21 + x10 +",
            "(x15 + x4) +",
            "(x18 + x7 + (x12 + x1)) +",
            "(x19 + x8 + (x13 + x2) + (x16 + x5)) +",
            "(x20 + x9 + (x14 + x3) + (x17 + x6 + (x11 + x0)))"])

    def test_the_sum_tree_matches_the_circulant_paper(self):
        """In Figure 1 of the paper, node i is rank 21 - i, and its parent is node i - s, where s is the skip
        of the round in which node i sends."""
        lines = [line for line in harness.output(*CIRCULANT_22, "--sum-tree", "21,21").splitlines()
                 if re.match(r" +x\d", line)]
        above, parent = [], {}
        for line in lines:
            depth = (len(line) - len(line.lstrip())) // 2 - 1
            name, *skip = line.split()
            node = 21 - int(name[1:])
            above[depth:] = [node]
            parent[node] = above[depth - 1] if depth > 0 else None
            # Each edge is labelled with the skip of its message.
            self.assertEqual(skip, [f"+{node - parent[node]}"] if depth > 0 else [])
        # In each round, every tree whose root is in the upper half of the remaining nodes becomes a child of
        # a root in the lower half.
        expected, size = {0: None}, 22
        for skip in [11, 6, 3, 2, 1]:
            expected.update({node: node - skip for node in range(skip, size)})
            size = skip
        self.assertEqual(parent, expected)

        graph = harness.output(*CIRCULANT_22, "--sum-tree", "21,21", "--format", "dot")
        edges = re.findall(r"-> n\d+ \[dir=back, label=\"(\d+)\"\]", graph)
        self.assertEqual(sorted(map(int, edges), reverse=True),
                         [11] * 11 + [6] * 5 + [3] * 3 + [2] + [1])


class Stats(unittest.TestCase):
    def stats(self, *arguments):
        found = harness.json_output("show", *arguments, "--format", "stats", "--json", "-")
        harness.validate(found, "tutti-stats-1")
        return found

    def test_the_longest_path_in_alpha_beta_and_gamma(self):
        prices = {"alpha_s": 1e-6, "beta_s_per_byte": 1e-9, "gamma_s_per_byte": 1e-10}
        given = ("--alpha", "1us", "--beta", "1ns", "--gamma", "0.1ns")
        with tempfile.TemporaryDirectory() as folder:
            program = harness.SOURCE_DIR / "examples/schedules/binomial_tree.sched"
            fixed = pathlib.Path(folder) / "ring.sched"
            fixed.write_text(harness.output("show", "allreduce/ring", "-p", 4, "-n", 4000))
            for subject, terms in (
                    (("allreduce/ring", "-p", 4, "-n", 4000), (6, 6000, 3000)), ((fixed,), (6, 6000, 3000)),
                    (("bcast/binomial", "-p", 8, "-n", 800), (3, 2400, 0)),
                    ((program, "-p", 8, "-n", 800), (3, 2400, 0)),
                    (("allreduce/rabenseifner", "-p", 8, "-n", 8000), (6, 14000, 7000))):
                with self.subTest(subject=subject):
                    found = self.stats(*subject, *given)
                    path = found["on_the_longest_path"]
                    self.assertTrue(path["terms_add_up"])
                    self.assertEqual((path["startups"], path["bytes_sent"], path["bytes_reduced"]), terms)
                    self.assertAlmostEqual(
                        sum(count * price for count, price in zip(terms, prices.values())),
                        found["longest_path_s"], delta=1e-15)
        text = harness.output("show", "allreduce/ring", "-p", 4, "-n", 4096, "--format", "stats")
        self.assertRegex(text, r"its cost +6 alpha \+ 3/2 n beta \+ 3/4 n gamma, for n = 4 KiB")


class Pictures(unittest.TestCase):
    def words(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rounds.svg"
            harness.output("plot", "show", *arguments, "-o", path)
            return re.search(r'aria-label="([^"]*)"', path.read_text()).group(1)

    def test_steps_have_the_ports_that_the_user_gives(self):
        run = ("bcast/pipeline", "--tree", "binary", "-p", 9, "-n", "64K", "--segment", "16K")
        rounds = harness.json_output("verify", "bcast/pipeline", "--tree", "binary", "-p", 9, "-n", "64K",
                                     "--segment", "16K", "--json", "-")[0]["rounds"]
        self.assertIn("in 10 steps; in a step, a rank sends and receives at most one message; its "
                      f"{rounds} rounds would need 8 ports", self.words(*run))
        self.assertIn("in 6 steps; in a step, a rank sends and receives at most 2 messages",
                      self.words(*run, "--ports", 2))
        for ports in (8, "unlimited"):
            self.assertIn(f"in {rounds} rounds.", self.words(*run, "--ports", ports))


class Ranks(unittest.TestCase):
    SKIPS = [11, 6, 3, 2, 1]
    BLOCKS = [11, 5, 3, 1, 1]  # numbers of blocks sent over each skip

    def test_the_circulant_graph_of_22_ranks(self):
        lines = harness.output(*CIRCULANT_22, "--format", "ranks").splitlines()[3:]
        edges = [[int(n) for n in re.findall(r"\d+", line)] for line in lines]
        self.assertEqual(sorted(edges), sorted(
            [rank, (rank + skip) % 22, skip, 1, 8 * blocks]
            for rank in range(22) for skip, blocks in zip(self.SKIPS, self.BLOCKS)))

        matrix = list(csv.reader(io.StringIO(harness.output(*CIRCULANT_22, "--format", "ranks-csv"))))
        self.assertEqual(matrix[0], ["from"] + [f"rank {rank}" for rank in range(22)])
        for src, dst, _, _, size in edges:
            self.assertEqual(matrix[src + 1][dst + 1], str(size))
        self.assertEqual(sum(int(cell) for row in matrix[1:] for cell in row[1:]), 22 * 21 * 8)

        graph = xml.etree.ElementTree.fromstring(
            harness.output(*CIRCULANT_22, "--format", "ranks-graphml"))
        kinds = [element.tag.split("}")[1] for element in graph.iter()]
        self.assertEqual((kinds.count("node"), kinds.count("edge")), (22, 110))
        self.assertEqual(harness.output(*CIRCULANT_22, "--format", "ranks-dot").count("->"), 110)

        graph = harness.json_output(*CIRCULANT_22, "--format", "ranks", "--json", "-")
        harness.validate(graph, "tutti-ranks-1")
        self.assertEqual(sorted([e["src"], e["dst"], e["messages"], e["bytes"]] for e in graph["edges"]),
                         sorted([src, dst, messages, size] for src, dst, _, messages, size in edges))

    def test_statistics_as_json(self):
        stats = harness.json_output(*CIRCULANT_22, "--format", "stats", "--json", "-")
        harness.validate(stats, "tutti-stats-1")
        self.assertEqual(stats["sent_to"], {"fewest": 5, "most": 5})
        self.assertEqual(stats["longest_run_blocks"], 11)
        self.assertEqual(stats["bytes_copied"], 22 * 176)
        self.assertEqual((stats["overrides"], stats["exact_cost"] is None), ([], stats["exact_s"] is None))
        half = harness.json_output(*CIRCULANT_22, "--copies", "half", "--format", "stats", "--json", "-")
        self.assertEqual(half["bytes_copied"], 22 * 176 // 2)
        for p in range(2, 34):
            run = harness.json_output("show", "reduce_scatter/circulant", "-p", p, "-n", 8 * p,
                                      "--format", "stats", "--json", "-")["longest_run_blocks"]
            self.assertEqual(run, p // 2)
            self.assertLessEqual(run, (p + 1) // 2)
        text = harness.output(*CIRCULANT_22, "--format", "stats")
        self.assertRegex(text, r"longest run +11 consecutive blocks in one message")
        self.assertRegex(text, r"neighbours +a rank sends to 5 and receives from 5")
        self.assertIn(f"= {stats['exact_cost']}", " ".join(text.split()))
        self.assertIn(f"; {stats['operations_with_listed_blocks']} operations with blocks listed one by one",
                      " ".join(text.split()))
        priced = harness.json_output(*CIRCULANT_22, "--beta", "1ns", "--format", "stats", "--json", "-")
        self.assertEqual((priced["overrides"], priced["beta_s_per_byte"]), (["beta"], 1e-9))

    def test_json_together_with_text(self):
        with tempfile.TemporaryDirectory() as folder:
            for format, schema in [("stats", "tutti-stats-1"), ("ranks", "tutti-ranks-1"),
                                   ("document", "tutti-schedule-1")]:
                path = f"{folder}/{format}.json"
                text = harness.output(*CIRCULANT_22, "--format", format, "--json", path)
                self.assertEqual(text, harness.output(*CIRCULANT_22, "--format", format))
                with open(path, encoding="utf-8") as file:
                    harness.validate(json.load(file), schema)
        self.assertEqual(harness.output(*CIRCULANT_22, "--json", "-"),
                         harness.output(*CIRCULANT_22, "--format", "json"))
        for options, words in [(["--format", "dot", "--json", "-"], "is already machine-readable"),
                               (["--sum", "0,0", "--json", "-"], "--sum prints text")]:
            done = harness.run(*CIRCULANT_22, *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    harness.main()
