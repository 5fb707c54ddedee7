"""Tests tutti score on points that this test makes: results that are known in advance, every input format,
and refused input."""

import csv
import io
import json
import math
import pathlib
import tempfile
import unittest

import harness

HEAD = "collective,ranks,bytes,tutti,median_us"
# With these prices, an allreduce of 8192 bytes on 4 ranks takes 6 (1 us + 2048 ns) by a ring and 2 (1 us +
# 8192 ns) by recursive doubling.
PRICES = ["--alpha", "1us", "--beta", "1ns", "--gamma", "0"]
RING_US, DOUBLING_US = 6 * 3.048, 2 * 9.192


def normal(z):
    """The standard normal distribution."""
    return math.erfc(-z / math.sqrt(2)) / 2


class Points(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def points(self, *lines, head=HEAD):
        return self.write("points.csv", "\n".join([head, *lines]) + "\n")

    def refused(self, text, *arguments):
        done = harness.run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)


class Score(Points):
    def cells(self):
        head = ("machine,job,cell,collective,ranks,nodes,ranks_per_node,bytes,type,tutti,role,"
                "choices,min_ns,median_ns,p90_ns")
        rows = []
        for cell, ring, doubling, default in (("x", 2, 1, 1.5), ("y", 1, 1.05, None),
                                              ("z", 1, 8, 1)):
            both = (("ring", RING_US * ring, "counts"),
                    ("recursive_doubling", DOUBLING_US * doubling, "counts"),
                    ("", RING_US * default if default else 0, "default"),
                    ("", 0, "not in tutti"))
            rows += [f"m,j{cell},{cell},allreduce,4,4,1,8192,int32,{name},{role},2,{1000 * us / 2},"
                     f"{1000 * us},{1000 * us}" for name, us, role in both
                     if us or role != "default"]
        return self.points(*rows, head=head)

    def test_known_errors_of_predictions(self):
        path = self.cells()
        result = harness.json_output("score", path, *PRICES, "--json", "-")
        harness.validate(result, "tutti-score-1")
        everything = result["scores"][0]
        self.assertEqual((everything["group"], everything["cells"], everything["points"]),
                         ("", 3, 6))
        # The ring is predicted at 18.288 us and recursive doubling at 18.384 us, so the ring is always
        # chosen.
        self.assertAlmostEqual(result["points"][0]["predicted_s"], RING_US * 1e-6, delta=1e-12)
        self.assertAlmostEqual(everything["best"], 2 / 3)
        self.assertAlmostEqual(everything["in_10"], 2 / 3)
        worst = 2 * RING_US / DOUBLING_US
        self.assertAlmostEqual(everything["worst"], worst)
        self.assertAlmostEqual(everything["loss"], worst ** (1 / 3))
        self.assertAlmostEqual(everything["default"],
                               (1.5 * RING_US / DOUBLING_US * 1) ** 0.5)
        self.assertAlmostEqual(everything["in_2x"], 5 / 6)
        self.assertAlmostEqual(result["points"][0]["p90_over_min"], 2)
        text = harness.output("score", path, *PRICES, "--by", "job")
        self.assertIn("  m/jx", text)
        self.assertNotIn("allreduce  ", text.split("Off by")[0])
        self.assertIn("Off by a factor of more than 3\n", text)
        self.assertRegex(text, r"(?s)z\s+recursive_doubling\s.*147.072.*18.384.*0.12.*2.00")

    def test_points_are_written_as_csv(self):
        rows = list(csv.DictReader(io.StringIO(
            harness.output("score", self.cells(), *PRICES, "--points-csv", "-"))))
        self.assertEqual(len(rows), 6)
        self.assertEqual(rows[0]["cell"], "x")
        self.assertAlmostEqual(float(rows[0]["predicted_over_measured"]), 0.5)

    def test_left_out_cells_are_counted(self):
        path = self.cells()
        for file in ("[\"x\"]", json.dumps({"machine": {"alpha": 1, "cells": ["x", "nowhere"]}})):
            left = self.write("left.json", file)
            result = harness.json_output("score", path, *PRICES, "--leave-out", left, "--json", "-")
            self.assertEqual(result["scores"][0]["cells"], 2)
        self.assertEqual(harness.json_output("score", path, *PRICES, "--without", "x,y", "--json", "-")
                         ["scores"][0]["cells"], 1)
        self.assertEqual(harness.json_output("score", path, *PRICES, "--only", "z", "--json", "-")
                         ["scores"][0]["cells"], 1)
        self.refused("--without 'xx': no points are in that cell", "score", path, "--without", "xx")
        self.refused("no cells are left to score", "score", path, "--largest", 3)
        self.refused("no cells found", "score", path, "--leave-out",
                     self.write("none.json", "{}"))
        self.refused("not valid JSON", "score", path, "--leave-out", self.write("none.json", "x"))
        self.refused("--by 'size': expected machine", "score", path, "--by", "size")

    def test_a_pattern_names_a_file_for_each_machine_and_job(self):
        path = self.cells()
        for job, latency in (("x", "1us"), ("y", "2us"), ("z", "4us")):
            self.write(f"m.j{job}.4.xml", harness.output("platform", "crossbar", "--hosts", 4,
                                                         "--lat", latency))
        result = harness.json_output("score", path, "--platform",
                                     self.path / "{machine}.{job}.{ranks}.xml", "--json", "-")
        times = [point["predicted_s"] for point in result["points"]]
        self.assertLess(times[0], times[2])
        self.assertLess(times[2], times[4])
        self.refused("the braces must contain machine, job or ranks", "score", path, "--platform",
                     "{hosts}.xml")
        self.refused("cannot be read", "score", path, "--platform", self.path / "{job}.xml")
        plain = self.points("allreduce,4,8192,ring,18")
        self.refused("does not state the machine", "score", plain, "--platform", "{machine}.xml")

    def test_a_host_file_places_the_ranks(self):
        platform = self.write("smp.xml", harness.output("platform", "smp", "--hosts", 4, "--cores",
                                                         2))
        # The host file determines which ranks share a host, even if the points state a different number of
        # nodes.
        path = self.points("allreduce,4,8192,recursive_doubling,18,j,2", head=HEAD + ",job,nodes")
        times = []
        for hosts in ((0, 0, 1, 1), (0, 1, 2, 3)):
            self.write("hosts.j", "rank,host\n" + "".join(
                f"{rank},node-{host}\n" for rank, host in enumerate(hosts)))
            result = harness.json_output("score", path, "--platform", platform, "--hosts",
                                         self.path / "hosts.{job}", "--json", "-")
            times.append(result["points"][0]["predicted_s"])
        self.assertLess(times[0], times[1])
        # SimGrid loads the platform once for each host file, with the ranks on the hosts of that file.
        both = self.points(*(f"allreduce,4,8192,recursive_doubling,18,{job},2" for job in "jk"),
                           head=HEAD + ",job,nodes")
        self.write("hosts.k", (self.path / "hosts.j").read_text())
        self.write("hosts.j", "rank,host\n0,node-0\n1,node-0\n2,node-1\n3,node-1\n")
        by_engine = [[point["predicted_s"] for point in harness.json_output(
            "score", both, "--platform", platform, "--hosts", self.path / "hosts.{job}", "--engine",
            engine, "--json", "-")["points"]] for engine in ("flow", "simgrid")]
        self.assertEqual(by_engine[0], times)
        for flow, simgrid in zip(*by_engine):
            self.assertAlmostEqual(simgrid / flow, 1, delta=1e-9)
        path = self.points("allreduce,4,8192,recursive_doubling,18,j,2", head=HEAD + ",job,nodes")
        listed = harness.json_output("score", path, "--platform", platform, "--hosts",
                                     "node-[0-1]", "--json", "-")
        self.assertEqual(listed["points"][0]["predicted_s"], times[0])

    def test_a_point_names_the_barrier_before_each_call(self):
        barriers = ("", "dissemination", "barrier/recursive_doubling", "tree")
        path = self.points(*(f"bcast,16,64,binomial,18,{job},{barrier}"
                             for job, barrier in enumerate(barriers)), head=HEAD + ",job,barrier")
        result = harness.json_output(
            "score", path, "--platform", harness.SOURCE_DIR / "platforms/infiniband_hdr_128_thin.xml",
            "--parameters", harness.SOURCE_DIR / "examples/fit/start.json", "--after-barrier", "--json", "-")
        usual, dissemination, doubling, tree = (point["predicted_s"] for point in result["points"])
        self.assertEqual(usual, dissemination)
        # The last rank of the tree leaves the barrier of recursive doubling long before the root, and a
        # tree barrier long after it.
        self.assertGreater(doubling, 1.3 * usual)
        self.assertLess(tree, 0.7 * usual)
        self.refused("column barrier is 'trees': ", "score", self.points(
            "bcast,16,64,binomial,18,trees", head=HEAD + ",barrier"), *PRICES)

    def test_outputs_of_benchmarks_are_read(self):
        osu = self.write("osu.txt", "# OSU MPI Allreduce Latency Test v5.8\n"
                                    "# Size       Avg Latency(us)   Max Latency(us)\n8192     31.25  36.576\n")
        text = harness.output("score", osu, "--algorithm", "allreduce/ring", "-p", 4, *PRICES)
        self.assertIn("100%", text)
        self.assertIn("no cell has two algorithms", text)
        other = self.write("other.txt", osu.read_text().replace("36.576", "18.4"))
        result = harness.json_output("score", osu, other, "--algorithm", "allreduce/ring",
                                     "--algorithm", "allreduce/recursive_doubling", "-p", 4,
                                     *PRICES, "--json", "-")
        self.assertEqual(result["scores"][0]["cells"], 1)
        self.assertEqual(result["scores"][0]["best"], 0)
        self.refused("give the algorithm, as in --algorithm", "score", osu, "-p", 4)
        self.refused("give -p/--ranks", "score", osu, "--algorithm", "allreduce/ring")
        done = harness.run("score", osu, other, "--algorithm", "allreduce/ring", "-p", 4, *PRICES,
                           "--json", "-")
        self.assertIn("up to 2 files have times of the same run; their medians are used", done.stderr)
        point, = json.loads(done.stdout)["points"]
        self.assertAlmostEqual(point["measured_s"], (36.576e-6 + 18.4e-6) / 2)
        self.refused("unknown algorithm", "score", osu, "--algorithm", "allreduce/rong", "-p", 4)
        self.refused("-p/--ranks '0'", "score", osu, "--algorithm", "allreduce/ring", "-p", 0)
        self.refused("the file says which algorithm ran", "score",
                     self.points("allreduce,4,8192,ring,18"), "--algorithm", "allreduce/ring")

    def test_bad_input(self):
        for line, text in (("allreduce,4,8192,ring,-1", "median_us is '-1'; expected a number above 0"),
                           ("allreduce,4,8192,ring,0", "median_us is '0'"),
                           ("allreduce,4,8192,ring,x", "median_us is 'x'"),
                           ("allreduce,4,8192,ring,1e12", "suggests another unit"),
                           ("allreduce,0,8192,ring,1", "ranks is '0'"),
                           ("allreduce,4,8191,ring,1", "bytes is '8191'; expected a multiple of the element size, 4"),
                           ("allreduce,4,8192,rong,1", "tutti is 'rong'"),
                           ("allreduce,4,8192,ring --fold far,1", "takes no --fold"),
                           ("allreduce,4,8192", "has 3 values; expected 5")):
            with self.subTest(line=line):
                path = self.points(line)
                self.refused(f"'{path}', line 2: ", "score", path, *PRICES)
                self.refused(text, "score", path, *PRICES)
        self.refused("there is no column tutti", "score", self.points(head="collective,ranks,bytes,algorithm,median_us"))
        self.refused("no points found", "score",
                     self.points("allreduce,4,8192,,1,default", head=HEAD + ",role"))
        self.refused("is already in line 2", "score",
                     self.points("allreduce,4,8192,ring,1", "allreduce,4,8192,ring,2"))
        self.refused("cannot be read", "score", self.path / "none.csv")

    def messages(self, name, spread, fit=True):
        """A message model that gives the times of PRICES, with a known uncertainty."""
        uncertainty = {"parameters": ["latency_s"], "covariance": [[0]], "spread": spread}
        content = {"schema": "tutti-messages/1", "machine": "", "library": "",
                   "parameters": {"latency_s": 1e-6}}
        if fit:
            content["fit"] = {"points": 3, "error": 0.1, "parameters": {},
                              "uncertainty": uncertainty}
        return self.write(name, json.dumps(content))

    def test_ranges_and_sure_choices(self):
        spread = {"job": 0.12, "point": 0.09, "jobs": 0}  # together 0.15
        machine = ["--platform", "crossbar:4,bw=1GBps,lat=0.1us"]
        model = [*machine, "--parameters", self.messages("m.json", spread)]
        times = [point["predicted_s"] for point in harness.json_output(
            "score", self.cells(), *model, "--json", "-")["points"][:2]]
        width = math.exp(1.281552 * 0.15)
        rows = []
        for cell, ring, doubling in (("x", width * 1.01, width / 1.01), ("y", 1 / width / 1.01, 1)):
            rows += [f"{cell},allreduce,4,8192,{name},{1e6 * seconds * factor}"
                     for name, seconds, factor in (("ring", times[0], ring),
                                                   ("recursive_doubling", times[1], doubling))]
        path = self.points(*rows, head="cell,collective,ranks,bytes,tutti,median_us")
        result = harness.json_output("score", path, *model, "--sure", "80%", "--json", "-")
        harness.validate(result, "tutti-score-1")
        self.assertEqual(result["level"], 0.8)
        everything = result["scores"][0]
        self.assertEqual(everything["in_range"], 0.5)
        for point, seconds in zip(result["points"], times):
            self.assertAlmostEqual(point["low_s"] * width / seconds, 1, delta=1e-5)
            self.assertAlmostEqual(point["high_s"] / width / seconds, 1, delta=1e-5)
        # A point's factor is independent, and that of the job cancels.
        by = math.log(times[1] / times[0])
        wide = 0.09 * math.sqrt(2)
        for point, ahead in zip(result["points"], (by, -by)):
            self.assertAlmostEqual(point["chance_in_10"],
                                   normal((ahead + math.log(1.1)) / wide), delta=1e-3)
        best = 0 if by > 0 else 1
        chance = result["points"][best]["chance_in_10"]
        for level, sure in ((chance * 100 - 1, 1), (chance * 100 + 0.1, 0)):
            scores = harness.json_output("score", path, *model, "--sure", f"{level:.3f}%", "--json",
                                         "-")["scores"][0]
            self.assertEqual(scores["sure"], sure)
            self.assertEqual(scores["sure_in_10"], scores["in_10"] if sure else None)
        text = harness.output("score", path, *model, "--sure", "80%", "--by", "job")
        self.assertIn("in range", text)
        self.assertIn("sure in 10%", text)
        self.assertEqual(text, harness.output("score", path, *model, "--sure", "80%", "--by", "job"))
        rows = list(csv.DictReader(io.StringIO(harness.output(
            "score", path, *model, "--sure", "80%", "--points-csv", "-"))))
        self.assertAlmostEqual(float(rows[0]["low_s"]), result["points"][0]["low_s"])

    def test_uncertainty_is_refused_if_it_is_unknown(self):
        spread = {"job": 0.1, "point": 0.1, "jobs": 0}
        path = self.points("allreduce,4,8192,ring,18")
        machine = ["score", path, "--platform", "crossbar:4"]
        good = [*machine, "--parameters", self.messages("m.json", spread)]
        for level in ("0", "0%", "100%", "101%", "abc", "80", "-5%", "%"):
            self.refused(f"--sure '{level}': ", *good, f"--sure={level}")
        self.refused("above 0% and below 100%, such as 80%", *good, "--sure", "abc")
        self.refused("--sure: needs a message model", *machine, "--sure", "80%")
        old = self.messages("old.json", spread, fit=False)
        self.refused(f"--parameters '{old}': does not state how uncertain its parameters are",
                     *machine, "--parameters", old, "--sure", "80%")
        self.assertIn("100%", harness.output(*machine, "--parameters", old, "--by", "job"))
        text = self.messages("m.json", spread).read_text()
        for wrong in ("[[-1]]", "[[1, 0]]", "[]"):
            bad = self.write("bad.json", text.replace("[[0]]", wrong))
            self.refused("/fit/uncertainty/covariance: must be", *machine, "--parameters", bad)
        bad = self.write("bad.json", text.replace('["latency_s"]', '["latncy_s"]'))
        self.refused("did you mean 'latency_s'", *machine, "--parameters", bad)

    def test_a_simulation_has_a_range(self):
        model = ["--parameters", self.messages("m.json", {"job": 0.12, "point": 0.09, "jobs": 0})]
        run = ["simulate", "allreduce/ring", "-p", 4, "-n", 8192, "--platform", "crossbar:4",
               *model, "--sure", "80%"]
        result = harness.json_output(*run, "--json", "-")
        harness.validate(result, "tutti-result-1")
        width = math.exp(1.281552 * 0.15)
        self.assertAlmostEqual(result["range"]["low_s"] * width / result["simulated_s"], 1,
                               delta=1e-5)
        self.assertAlmostEqual(result["range"]["high_s"] / width / result["simulated_s"], 1,
                               delta=1e-5)
        self.assertRegex(harness.output(*run), r"range +\S+ us to \S+ us with a probability of 80 %")

    def test_a_decision_names_what_cannot_be_told_apart(self):
        run = ["decide", "allreduce", "-p", 4, "-n", "64,1MiB", "--platform", "crossbar:4"]
        wide = [*run, "--parameters", self.messages("m.json", {"job": 0, "point": 2, "jobs": 0})]
        text = harness.output(*wide, "--sure", "90%")
        self.assertIn("Cannot tell apart", text)
        self.assertRegex(text, r"sure +in 0 of 2 cells")
        result = harness.json_output(*wide, "--sure", "90%", "--json", "-")
        harness.validate(result, "tutti-decide-2")
        cells = {cell["bytes"]: cell for cell in result["cells"]}
        for sure in result["sure"]["cells"]:
            self.assertEqual(sure["best"], cells[sure["bytes"]]["best"])
            self.assertEqual(sure["may_be_best"][0], sure["best"])
            self.assertGreater(len(sure["may_be_best"]), 1)
            self.assertFalse(sure["sure"])
        narrow = [*run, "--parameters", self.messages("n.json", {"job": 2, "point": 0.001,
                                                                 "jobs": 0})]
        sure = harness.json_output(*narrow, "--sure", "80%", "--json", "-")["sure"]["cells"]
        self.assertTrue(all(cell["sure"] and cell["may_be_best"] == [] for cell in sure))
        self.assertNotIn("Cannot tell apart", harness.output(*narrow, "--sure", "80%"))
        self.refused("--sure: needs simulated times", *narrow, "--sure", "80%", "--by", "exact")
        self.refused("--sure: needs a message model", *run, "--sure", "80%")

    def test_the_choice_comes_first_though_another_is_faster_by_a_rounding_error(self):
        example = harness.SOURCE_DIR / "examples" / "fit"
        machine = ["--platform", harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"]
        fitted = self.path / "fitted.json"
        harness.output("fit", example / "points.csv", "--parameters", example / "start.json", *machine,
                       "--fit", "latency_s,rank_bytes_per_s", "--job", "a,b,c", "-o", fitted)
        result = harness.json_output("decide", "alltoall", "-p", 31, "-n", "1K", *machine, "--parameters",
                                     fitted, "--sure", "99.9%", "--json", "-")
        [cell] = result["cells"]
        seconds = {time["candidate"]: time["seconds"] for time in cell["times"]}
        faster = [label for label, time in seconds.items() if time and time < seconds[cell["best"]]]
        self.assertTrue(faster)
        [sure] = result["sure"]["cells"]
        self.assertEqual(sure["may_be_best"][0], cell["best"])
        self.assertNotIn(faster[0], sure["may_be_best"])

    def test_a_comparison_names_what_cannot_be_told_apart(self):
        model = ["--parameters", self.messages("m.json", {"job": 0.3, "point": 0.09, "jobs": 0})]
        run = ["compare", "allreduce", "-p", "4,8", "-n", "32K,64", "--platform", "crossbar:8", *model]
        # recursive_exchange sends the messages of recursive_doubling, so it is not a third choice.
        names = ["--algorithms", "ring,recursive_doubling,recursive_exchange"]
        result = harness.json_output(*run, *names, "--sure", "99%", "--json", "-")
        harness.validate(result, "tutti-comparison-1")
        best = {(cell["ranks"], cell["bytes"]): cell for cell in result["best"]}
        self.assertEqual(len(result["sure"]["cells"]), len(best))
        unsure = 0
        for cell in result["sure"]["cells"]:
            fastest = best[cell["ranks"], cell["bytes"]]
            self.assertEqual(cell["best"], fastest["label"])
            ahead = math.log(1.1) + math.log1p(fastest["margin"])
            # Those that take more than twice the best time are left out.
            chance = normal(ahead / (0.09 * math.sqrt(2))) if fastest["margin"] <= 1 else 1
            self.assertAlmostEqual(cell["chance"], chance, delta=1e-3)
            self.assertEqual(cell["sure"], chance >= 0.99)
            self.assertEqual(cell["may_be_best"],
                             [] if cell["sure"] else [cell["best"], fastest["second"]])
            unsure += not cell["sure"]
        self.assertIn(unsure, range(1, len(best)))
        text = harness.output(*run, *names, "--sure", "99%")
        self.assertIn("Cannot tell apart", text)
        self.assertRegex(text, rf"sure +in {len(best) - unsure} of {len(best)} cells")
        self.assertNotIn("sure", harness.json_output(*run, *names, "--json", "-"))
        self.refused("--sure '99%': there is only one algorithm", *run, "--algorithms", "ring",
                     "--sure", "99%")
        self.refused("--sure: needs a message model", *run[:8], "--sure", "99%")
        self.refused("leave out --repeat", *run, "--sure", "99%", "--jitter", "1%", "--repeat", 3)
        for command in [run, ["decide", *run[1:]]]:
            self.refused("--sure: has no effect with --csv -", *command, "--sure", "99%", "--csv", "-")

    def test_choices_with_uncertain_parameters(self):
        """On two ranks, the ring takes 2 a + n b + n r / 2, and recursive doubling a + n b + n r. At a = n r / 2
        the times are equal, but the choice is not sure, since a is uncertain."""
        n, latency = 8000, 1e-6
        content = {"schema": "tutti-messages/1", "machine": "", "library": "",
                   "parameters": {"latency_s": latency, "reduce_s_per_byte": 2 * latency / n},
                   "fit": {"points": 3, "error": 0.1, "parameters": {},
                           "uncertainty": {"parameters": ["latency_s"], "covariance": [[1]],
                                           "spread": {"job": 0, "point": 0, "jobs": 0}}}}
        model = self.write("m.json", json.dumps(content))
        names = "ring,recursive_doubling,recursive_exchange"
        for command in ["compare", "decide"]:
            result = harness.json_output(
                command, "allreduce", "--algorithms", names, "-p", 2, "-n", n, "--platform", "crossbar:2,bw=1GBps",
                "--parameters", model, "--sure", "90%", "--json", "-")
            [cell] = result["sure"]["cells"]
            self.assertEqual(cell["may_be_best"][0], cell["best"])
            self.assertEqual(set(cell["may_be_best"]), {"ring", "recursive_doubling"})
            # Logarithms of times change linearly, as from a to a e^0.5.
            parts = n * 1e-9 / latency
            ring, doubling = [2 * math.log((count * math.exp(0.5) + parts + 3 - count) / (parts + 3))
                              for count in (2, 1)]
            self.assertAlmostEqual(cell["chance"], normal(math.log(1.1) / (ring - doubling)), delta=5e-3)

    def test_points_that_an_algorithm_refuses_are_not_predicted(self):
        path = self.points("allreduce,4,8,ring,9", "allreduce,4,8,recursive_doubling,9",
                           "allreduce,4,8192,ring,18", "allreduce,4,8192,recursive_doubling,18")
        text = harness.output("score", path, *PRICES)
        self.assertIn("1 cell not predicted", text)
        self.assertIn("Not predicted\n  allreduce/8/4, ring: allreduce/ring cannot run", text)
        self.assertIn("# left out: 1 point in cells in which another algorithm is not predicted: "
                      "allreduce/8/4 recursive_doubling", " ".join(text.split()))
        result = harness.json_output("score", path, *PRICES, "--json", "-")
        harness.validate(result, "tutti-score-1")
        self.assertEqual((result["scores"][0]["cells"], result["scores"][0]["missing"]), (1, 1))
        self.assertIsNone(result["points"][0]["predicted_s"])
        self.assertEqual(result["left_out"], [{"cell": "allreduce/8/4", "algorithm": "recursive_doubling",
                                               "why": "another algorithm of its cell is not predicted"}])

    def test_points_that_are_left_out_are_named(self):
        rows = [f"allreduce,4,{8192 + 4 * i},ring,9" for i in range(5)]
        path = self.points(*rows, "allreduce,4,65536,ring,9", "allreduce,4,65536,recursive_doubling,9")
        text = " ".join(harness.output("score", path, *PRICES).replace("#", "").split())
        self.assertIn("left out: 5 points without another algorithm in their cell, so that there is nothing to "
                      "choose: allreduce/8192/4 ring, allreduce/8196/4 ring, allreduce/8200/4 ring and 2 more; "
                      "score them alone to see their error", text)
        result = harness.json_output("score", path, *PRICES, "--json", "-")
        harness.validate(result, "tutti-score-1")
        self.assertEqual(result["scores"][0]["points"], 2)
        self.assertEqual([each["cell"] for each in result["left_out"]],
                         [f"allreduce/{8192 + 4 * i}/4" for i in range(5)])
        alone = self.write("alone.csv", "\n".join([HEAD, *rows]) + "\n")
        self.assertEqual(harness.json_output("score", alone, *PRICES, "--json", "-")["scores"][0]["points"], 5)

    def test_the_machine_is_required(self):
        path = self.points("allreduce,4,8192,ring,18")
        asks = ("--platform is missing: name the machine on which the times were measured: a SimGrid file "
                "('tutti platform' writes one), or crossbar:HOSTS,bw=RATE,lat=TIME")
        self.refused(asks, "score", path)
        self.refused(asks, "score", path, "--alpha", "1us")
        self.refused(asks, "score", path, "--parameters", self.messages("m.json", {}, fit=False))
        self.refused(asks, "fit", path, "--parameters", self.messages("m.json", {}, fit=False), "--fit", "latency_s")
        harness.output("score", path, "--platform", "crossbar:4")
        harness.output("score", path, "--alpha", "1us", "--beta", "1ns")
        nccl = self.write("all_reduce.log", "".join(
            f"#  Rank {rank:2} Group  0 Pid  47 on node1 device {rank:2} [0x07] NVIDIA H100 80GB HBM3\n"
            for rank in range(8)) + "#  size  count  type  redop  root  time  algbw  busbw  #wrong\n"
            "#  (B) (elements)  (us)  (GB/s)  (GB/s)\n1024 256 float sum -1 21.50 0.05 0.09 0\n")
        arguments = ["score", nccl, "--algorithm", "allreduce/ring"]
        self.refused(asks, *arguments)
        done = harness.run(*arguments)
        self.assertIn("on the GPU that the output names: tutti nccl allreduce -p 8 -n 1024 --gpu h100", done.stderr)
        harness.output(*done.stderr.split("names: tutti ")[1].split())  # the command works

    def test_notes_on_outputs(self):
        """What is left out or averaged is said once, before the result."""
        osu = "# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n8192     36.576\n"
        (self.path / "runs" / "job").mkdir(parents=True)
        self.write("runs/ring.txt", "# tutti: allreduce/ring -p 4\n" + osu + "srun: error\n")
        self.write("runs/job/doubling.txt", "# tutti: allreduce/recursive_doubling -p 4\n" + osu)
        self.write("runs/failed.txt", "# tutti: allreduce/ring -p 4 --job 2\n" + osu.split("8192")[0] + "Killed\n")
        self.write("runs/plan.sh", "#!/bin/sh\n")
        runs = self.path / "runs"
        done = harness.run("score", runs, *PRICES, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["scores"][0]["cells"], result["scores"][0]["points"]), (1, 2))
        self.assertEqual(done.stderr.splitlines(), [
            f"tutti: note: '{runs}': left out 1 file without measured times, such as '{runs}/plan.sh'",
            f"tutti: note: '{runs}/failed.txt': the benchmark ended before its first row of times; left out",
            f"tutti: note: '{runs}/job/doubling.txt' and 1 other file: no column Max Latency(us), which OSU benchmarks "
            "print with -f; the times are averages over the ranks, not those of the slowest rank"])
        output = self.path / "scores.json"
        self.assertEqual(harness.run("score", runs, *PRICES, "--json", output).returncode, 0)
        self.assertEqual([each["path"] for each in json.loads(output.read_text())["made_by"]["inputs"]],
                         [f"{runs}/failed.txt", f"{runs}/job/doubling.txt", f"{runs}/ring.txt"])
        self.refused("the benchmark ended before its first row of times", "score", runs / "failed.txt", *PRICES)
        (self.path / "empty").mkdir()
        self.refused("is a folder without measured times: it has no files", "score", self.path / "empty", *PRICES)
        # The other commands that read outputs.
        validated = harness.run("validate", runs / "job", "--platform", "crossbar:4")
        self.assertEqual(validated.returncode, 0, validated.stderr)
        self.assertIn("recursive_doubling", validated.stdout)
        self.assertIn("averages over the ranks", validated.stderr)
        (runs / "failed.txt").unlink()
        decided = harness.run("decide", "allreduce", "-p", 4, "-n", 8192, "--by", "measured", runs)
        self.assertEqual(decided.returncode, 0, decided.stderr)
        self.assertIn("averages over the ranks", decided.stderr)


if __name__ == "__main__":
    harness.main()
