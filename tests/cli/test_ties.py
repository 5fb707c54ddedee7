"""Tests the option --ties, and the warning that a result depends on ties."""

import csv
import io
import json
import pathlib
import re
import tempfile
import unittest

import harness


class Ties(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def platform(self, *arguments):
        path = self.folder / "platform.xml"
        path.write_text(harness.output("platform", *arguments))
        return path

    def result(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        harness.validate(result, "tutti-result-1")
        return result

    def test_pipelines_in_small_segments_depend_on_ties(self):
        cases = [
            (["dragonfly", "--groups", 2, "--chassis", 2, "--routers", 2, "--nodes", 2,
              "--bw", "1GBps", "--lat", "1us"],
             ["bcast/split_binary_tree", "--segment", 1024]),
            (["torus", "--dims", "2,8"], ["bcast/pipeline", "--tree", "binary", "--segment", 4096]),
            (["torus", "--dims", "2,8"], ["bcast/split_binary_tree", "--segment", 512]),
        ]
        for platform, algorithm in cases:
            with self.subTest(platform=platform, algorithm=algorithm):
                command = [*algorithm, "-p", 16, "-n", "1MiB",
                         "--platform", self.platform(*platform)]
                done = harness.run("simulate", *command, "--ties", 10, "--json", "-")
                result = self.result(done)
                ties = result["ties"]
                self.assertEqual((ties["runs"], ties["seed"]), (10, 1))
                self.assertLessEqual(ties["least_s"], result["simulated_s"])
                self.assertGreaterEqual(ties["most_s"], result["simulated_s"])
                self.assertGreater(ties["spread"], 0.005)
                self.assertIn("the result depends on which of several simultaneous messages", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                # The warning also appears without --ties, and the run itself is the same.
                by_default = harness.run("simulate", *command, "--json", "-")
                self.assertIn("the result depends on which of several simultaneous messages", by_default.stderr)
                self.assertIn("--ties 100", by_default.stderr)
                self.assertEqual(self.result(by_default)["simulated_s"], result["simulated_s"])
                # --ties 0 turns the warning off.
                self.assertIsNone(self.result(harness.run(
                    "simulate", *command, "--ties", 0, "--json", "-"))["ties"])
                self.assertEqual(harness.run("simulate", *command, "--ties", 0).stderr, "")
                self.assertIn("ties", harness.run("simulate", *command).stdout)

    def test_the_seed_determines_the_result(self):
        def ties(*more):
            return self.result(harness.run("simulate", "alltoall/linear", "-p", 16, "-n", "1MiB",
                                           "--ties", 2, "--json", "-", *more))["ties"]
        self.assertEqual(ties(), ties("--seed", 1))
        self.assertEqual(ties("--seed", 7), ties("--seed", 7))
        self.assertNotEqual(ties("--seed", 1), dict(ties("--seed", 7), seed=1))
        self.assertGreater(ties("--engine", "critical-path")["spread"], 0.05)

    def test_a_run_without_ties_gets_no_warning(self):
        # One rank is simulated on behalf of all ranks, unless --ties is given.
        for more in [[], ["--ties", 3], ["--ties", 3, "--engine", "critical-path"]]:
            with self.subTest(more=more):
                done = harness.run("simulate", "allreduce/ring", "-p", 8, "-n", "64KiB", *more)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual("hardly matter" in done.stdout, bool(more))

    def test_bad_options_for_ties(self):
        for more, mentioned in [(["--ties", "few"], "--ties 'few'"),
                                (["--ties", "-1"], "--ties '-1'"),
                                (["--seed", "x"], "--seed 'x'"),
                                (["--ties", 3, "--engine", "simgrid"], "use --engine flow"),
                                (["--ties", 3, "--symmetry", "on"], "--ties delays each")]:
            with self.subTest(more=more):
                done = harness.run("simulate", "allreduce/ring", "-p", 4, "-n", "64KiB", *more)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(mentioned, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)


# A program for recursive multiplying by 3. If ties are broken in the order of operations, no rank waits for a
# port that another rank has taken. In most other orders some ranks do wait, and the algorithm takes as long
# as recursive doubling.
PROGRAM = """tutti-program 1
collective allreduce
algorithm recmul3

d = 1
l = 0
while d < N
  if N mod (3*d) != 0
    refuse "N is no power of 3"
  for n < N
    digit = (n/d) mod 3
    for k = 1 to 2
      n2 = n + ((digit+k) mod 3 - digit)*d
      Req(l,{n,n2}) = Comm(n,n2, work[0] -> scratch#k) After(Req(l-1,n),Req(l-1,n2))
  for n < N
    digit = (n/d) mod 3
    a = n + ((digit+1) mod 3 - digit)*d
    b = n + ((digit+2) mod 3 - digit)*d
    Req(<l,1>,{n}) = Reduce(n, scratch#1 op work[0] -> work)
      After(Req(l,{b,n}),Req(l,{n,a}),Req(l,{n,b}))
    Req(<l,2>,{n}) = Reduce(n, scratch#2 op work[0] -> work) After(Req(l,{a,n}),Req(<l,1>,{n}))
  d = 3*d
  l += 1
"""


class Rankings(unittest.TestCase):
    """Tests that an algorithm is not ranked best if it is the fastest only because of the order of ties."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, *arguments):
        return [r for r in harness.compared(*arguments) if not r["refused"]]

    def test_a_program_that_wins_by_ties_is_reported(self):
        program = self.folder / "recmul3.sched"
        program.write_text(PROGRAM)
        # census and node_aware have fewer rounds than recmul3.
        others = [each["algorithm"] for each in harness.json_output("list", "allreduce", "--json", "-")["algorithms"]
                  if each["algorithm"] not in ("census", "node_aware")]
        here = ["allreduce", "--with", program, "--algorithms", ",".join(others), "-p", 9, "-n", "1K"]
        results = self.compare(*here)
        mine = next(r for r in results if r["algorithm"] == "recmul3")
        other = min((r for r in results if r is not mine), key=harness.time_of)
        # In the default order of ties, recmul3 is by far the fastest.
        self.assertLess(mine["simulated_s"], 0.9 * other["simulated_s"])
        self.assertGreater(mine["ties"]["spread"], 0.2)
        self.assertGreaterEqual(harness.range_of(mine)[1], harness.range_of(other)[0] * (1 - 1e-9))
        # The median of recmul3 equals the time of the fastest other algorithm, so recmul3 does not lead.
        self.assertAlmostEqual(harness.time_of(mine) / harness.time_of(other), 1, places=9)
        row = re.search(r"^ +[\d.]+ [num]s .*$", harness.output("compare", *here), re.M)[0]
        self.assertNotRegex(row, r"%  recmul3")
        decided = harness.output("decide", *here)
        self.assertIn("recmul3 is the best in none of 1 cell", decided)
        self.assertIn("level", decided)

    def test_texts_do_not_contradict_the_medians(self):
        program = self.folder / "recmul3.sched"
        program.write_text(PROGRAM)
        here = ["-p", 9, "-n", "1K"]
        head = harness.output("explain", program, *here, "--against", "recursive_doubling").split("\n\n")[0]
        # The run takes 11.8 us only in the default order of ties.
        self.assertIn("takes 11.7888..14.608 us (median 14.608 us), recursive_doubling 14.608 us: ", head)
        self.assertRegex(head, r": (the same median|level within ties; which of them .*)\n")
        self.assertIn("one run of each, with one order of ties: 11.7888 us and 14.608 us", head)
        text = harness.output("compare", "allreduce", "--with", program, "--algorithms", "ring,bucket", *here)
        self.assertIn("11.7888..14.608 us", text)
        self.assertIn("ahead of bucket", text)
        self.assertNotIn("because start-up", text)

    def test_databases_keep_the_ranges(self):
        here = ["alltoall", "-p", 8, "-n", "64K,1MiB"]
        database = self.folder / "results.db"
        kept = ["--db", database]
        plain = harness.output("compare", *here)
        self.assertIn("..", plain)
        text = harness.output("compare", *here, "--all")
        self.assertIn("the median decides, and is meant by x limit", " ".join(text.split()))
        for result in self.compare(*here):
            median = f"{harness.time_of(result) / result['bound_s']:.2f}"
            if median != f"{result['simulated_s'] / result['bound_s']:.2f}":
                self.assertRegex(text, rf"\b{result['algorithm']} .*\.\..* {median} ")
                break
        else:
            self.fail("the median differs for no result")
        for _ in range(2):
            self.assertEqual(harness.run("compare", *here, *kept).stdout, plain)
        command = self.compare(*here)
        ranged = {(r["bytes"], r["algorithm"]): r for r in command if r["ties"]}
        self.assertGreater(len(ranged), 2)
        self.assertTrue(any(r["ties"]["spread"] > 0.1 for r in ranged.values()))
        rows = harness.json_output("query", database, "--json", "-")
        harness.validate(rows, "tutti-query-1")
        found = 0
        for row in rows["rows"]:
            result = ranged.get((row["bytes"], row["algorithm"]))
            if result:
                found += 1
                for key in ("least_s", "median_s", "most_s"):
                    self.assertEqual(row[f"ties_{key}"], result["ties"][key])
        self.assertEqual(found, len(ranged))
        best = harness.json_output("query", database, "--view", "best", "--json", "-")
        harness.validate(best, "tutti-query-1")
        for row in best["rows"]:
            inside = [r for r in command if r["bytes"] == row["bytes"]]
            self.assertEqual(row["simulated_s"], min(map(harness.time_of, inside)))
        # CSV tables have the medians too.
        table = list(csv.DictReader(io.StringIO(harness.output("compare", *here, "--csv", "-"))))
        self.assertEqual(sum(bool(row["ties_median_s"]) for row in table), len(ranged))

    def test_decisions_use_the_median(self):
        result = harness.json_output("decide", "alltoall", "-p", 8, "-n", "64K,1MiB", "--all",
                                     "--json", "-")
        harness.validate(result, "tutti-decide-2")
        compared = self.compare("alltoall", "-p", 8, "-n", "64K,1MiB")
        ranged = 0
        for cell in result["cells"]:
            times = {t["candidate"]: t for t in cell["times"] if t["state"] == "timed"}
            if not cell["on_grid"]:
                continue
            best = times[cell["best"]]
            self.assertLessEqual(best["seconds"],
                                 min(t["seconds"] for t in times.values()) * (1 + 1e-9))
            for other in compared:
                if other["bytes"] == cell["bytes"] and other["algorithm"] in times:
                    time = times[other["algorithm"]]
                    if time["ties"]:
                        ranged += 1
                        self.assertEqual((time["ties"]["least_s"], time["ties"]["most_s"]),
                                         harness.range_of(other))
                        self.assertEqual(time["seconds"], harness.time_of(other))
        self.assertGreater(ranged, 0)

    def test_curves_use_the_median(self):
        here = ["allreduce/multi_ring", "-p", 27, "-n"]
        # In the default order of ties, an allreduce of 2 KiB takes about a fifth less time than one of 1 KiB.
        # The medians differ less. Their difference is due to uneven blocks: some blocks have two elements,
        # others three.
        small, large = self.compare(*here, "1K,2K")
        self.assertLess(large["simulated_s"], 0.85 * small["simulated_s"])
        self.assertGreater(harness.time_of(large), 0.95 * harness.time_of(small))
        self.assertIn("..", harness.output("compare", *here, "1K,2K"))
        # With equal blocks, more data takes longer.
        even = [harness.time_of(r) for r in self.compare(*here, "5616..89856*2")]
        self.assertEqual(len(even), 5)
        self.assertEqual(even, sorted(even))


if __name__ == "__main__":
    harness.main()
