"""Tests tutti fit on the points of examples/fit, which were made with known parameters. Also tests what tutti
fit refuses."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import xxhash

import harness

FOLDER = harness.SOURCE_DIR / "examples" / "fit"
POINTS = FOLDER / "points.csv"
NAMES = "send_overhead_s,latency_s,handshake_s,rank_bytes_per_s,reduce_s_per_byte"
MACHINE = ["--platform", harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"]
START = [*MACHINE, "--parameters", FOLDER / "start.json"]


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Makes the points with the program that is tested."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.made = pathlib.Path(cls.folder.name) / "points.csv"
        subprocess.run([sys.executable, "-B", FOLDER / "make_points.py", cls.made], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def refused(self, text, *arguments):
        done = harness.run("fit", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_fit_finds_the_parameters_that_made_the_points(self):
        fitted = self.path / "fitted.json"
        jobs = ["--job", "a,c"]
        result = harness.json_output("fit", self.made, *START, *jobs, "--fit", NAMES, "-o", fitted,
                                     "--json", "-")
        harness.validate(result, "tutti-fit-1")
        self.assertEqual(result["points"], 56)
        truth = json.loads((FOLDER / "truth.json").read_text())["parameters"]
        for each in result["parameters"]:
            with self.subTest(each["name"]):
                self.assertLess(each["low"], truth[each["name"]])
                self.assertGreater(each["high"], truth[each["name"]])
        written = json.loads(fitted.read_text())
        harness.validate(written, "tutti-messages-1")
        self.assertEqual(written["parameters"]["latency_s"], result["parameters"][1]["fitted"])
        self.assertEqual(written["parameters"]["eager_bytes"], truth["eager_bytes"])
        self.assertEqual(written["fit"]["points"], 56)
        before = harness.json_output("score", self.made, *START, "--json", "-")["scores"][0]
        after = harness.json_output("score", self.made, *MACHINE, "--parameters", fitted, "--json",
                                    "-")["scores"][0]
        self.assertLess(after["error"], before["error"] / 10)
        again = harness.output("fit", self.made, *START, *jobs, "--fit", NAMES, "-o", "-")
        made_by = written.pop("made_by")
        platform = START[1]
        self.assertIn({"path": str(platform), "xxh128": xxhash.xxh3_128_hexdigest(platform.read_bytes())},
                      made_by["inputs"])
        self.assertEqual(json.loads(again), written)

    def test_wide_bounds_are_reported(self):
        text = harness.output("fit", self.made, *START, "--only", "thin/b/allreduce/65536",
                              "--fit", "handshake_s,latency_s")  # only 3 points
        self.assertRegex(text, r"Hardly determined by the points\n  .*latency_s \(the upper bound")

    def test_points_used_for_the_fit_can_be_left_out_of_the_score(self):
        cells = self.path / "cells.json"
        harness.output("fit", POINTS, *START, "--job", "a", "--fit", "latency_s,rank_bytes_per_s",
                       "--json", cells)
        scores = harness.json_output("score", POINTS, *START, "--leave-out", cells, "--json", "-")
        self.assertEqual({point["job"] for point in scores["points"]}, {"b", "c"})

    def test_points_can_count_only_for_the_spread(self):
        """Times of a job that are twice as long change no parameter."""
        with open(POINTS, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        slow = [{**row, "job": "slow", "median_us": 2 * float(row["median_us"])}
                for row in rows if row["job"] == "a"]
        count = sum(row["tutti"] != "" for row in slow)  # the library chose the algorithm of the others
        path = self.path / "slow.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, slow[0].keys())
            writer.writeheader()
            writer.writerows(slow)
        options = [POINTS, *START, "--fit", "latency_s,rank_bytes_per_s", "--json", "-"]
        usual = harness.json_output("fit", *options)
        wide = harness.json_output("fit", *options, "--spread-only", path)
        harness.validate(wide, "tutti-fit-1")
        self.assertEqual((usual["spread_only"], wide["spread_only"]), (0, count))
        for key in ("points", "jobs", "error", "parameters"):
            self.assertEqual(usual[key], wide[key])
        self.assertEqual(len({cell for cell in wide["cells"] if "/slow/" in cell}),
                         len(set(wide["cells"]) - set(usual["cells"])))
        # Options that select points do not apply to the others.
        selected = harness.json_output("fit", *options, "--job", "b,c", "--spread-only", path)
        self.assertEqual((selected["jobs"], selected["spread_only"]), (["b", "c"], count))
        self.assertLess(usual["spread"]["job"], 0.2)
        self.assertGreater(wide["spread"]["job"], 0.4)
        self.assertIn(f"; {count} more points only for this spread",
                      " ".join(harness.output("fit", *options[:-2], "--spread-only",
                                              path).split()))
        few = [POINTS, *START, "--fit", "latency_s,rank_bytes_per_s"]
        self.refused("the spread between jobs needs at least 3", *few, "--job", "a",
                     "--spread-only", path)
        self.refused("is also a file to fit", *few, "--spread-only", POINTS)
        self.refused("--job 'slow': expected a, b or c", *few, "--job", "slow", "--spread-only",
                     path)
        self.refused("--spread-only: has no effect", POINTS, *START, "--plan", "1h",
                     "--spread-only", path)

    def test_jobs_can_be_left_out_in_turn(self):
        few = ["--only", "allgather", "--fit", "latency_s,rank_bytes_per_s", "--leave-out-jobs"]
        result = harness.json_output("fit", POINTS, *START, *few, "--json", "-")
        harness.validate(result, "tutti-fit-1")
        self.assertEqual([(each["fitted"], each["job"]) for each in result["left_out"]],
                         [(how, "thin/" + job) for how in ("to", "without") for job in "abc"])
        self.assertEqual(result["left_out"][0]["off"]["points"], 16)
        self.assertEqual(result["left_out"][3]["off"]["points"], 8)
        self.assertRegex(harness.output("fit", POINTS, *START, *few), r"without +thin/c")
        self.refused("the only job is 'thin/a'", POINTS, *START, "--fit", "latency_s", "--job",
                     "a", "--leave-out-jobs")

    def test_a_parameter_on_which_no_point_depends_keeps_its_value(self):
        model = json.loads((FOLDER / "start.json").read_text())
        model["parameters"].update(reduce_memory_s_per_byte=1.7e-10, cache_bytes=5e8)
        start = self.write("memory.json", json.dumps(model))
        names = "latency_s,reduce_memory_s_per_byte,rank_bytes_per_s"
        arguments = ["fit", POINTS, *MACHINE, "--parameters", start, "--job", "a", "--fit", names]
        fitted = self.path / "fitted.json"
        result = harness.json_output(*arguments, "-o", fitted, "--json", "-")
        harness.validate(result, "tutti-fit-1")
        self.assertEqual([each["name"] for each in result["parameters"]], ["latency_s", "rank_bytes_per_s"])
        self.assertEqual([(each["name"], each["value"]) for each in result["kept"]],
                         [("reduce_memory_s_per_byte", 1.7e-10)])
        self.assertEqual(json.loads(fitted.read_text())["parameters"]["reduce_memory_s_per_byte"], 1.7e-10)
        text = " ".join(harness.output(*arguments).split())
        self.assertIn("Not fitted reduce_memory_s_per_byte kept at 1.7e-10 s/B: no point depends on it; is cache_bytes "
                      "(476.8 MiB) too large? no point is larger than the caches", text)
        # The others are those of a fit without the parameter.
        without = harness.json_output(*arguments[:-1], "latency_s,rank_bytes_per_s", "--json", "-")
        self.assertEqual([each["fitted"] for each in result["parameters"]],
                         [each["fitted"] for each in without["parameters"]])
        self.refused("--fit 'reduce_memory_s_per_byte': no point depends on this parameter", *arguments[1:-1],
                     "reduce_memory_s_per_byte")

    def test_a_parameter_that_the_fit_makes_unobservable_keeps_its_value(self):
        """The model puts the larger points into memory, but the measured ones were in the caches."""
        model = json.loads((FOLDER / "start.json").read_text())
        model["parameters"].update(reduce_memory_s_per_byte=2e-9, cache_bytes=65536, memory_bytes_per_s=2e10)
        start = self.write("memory.json", json.dumps(model))
        text = " ".join(harness.output("fit", POINTS, *MACHINE, "--parameters", start, "--job", "a", "--fit",
                                       "latency_s,reduce_memory_s_per_byte,rank_bytes_per_s").split())
        self.assertRegex(text, r"Not fitted reduce_memory_s_per_byte kept at 2e-09 s/B: the fit moved it to \S+ s/B, "
                         r"where no point depends on it; is cache_bytes \(64 KiB\) too small\? the larger points may "
                         r"be in the caches")

    def test_a_folder_is_read(self):
        runs = self.path / "runs"
        runs.mkdir()
        (runs / "points.csv").write_text(POINTS.read_text())
        (runs / "machine.json").write_text("{}")
        names = ["--job", "a", "--fit", "latency_s,rank_bytes_per_s", "--json", "-"]
        done = harness.run("fit", runs, *START, *names)
        self.assertEqual(json.loads(done.stdout), harness.json_output("fit", POINTS, *START, *names))
        self.assertIn("left out 1 file without measured times", done.stderr)

    def test_bad_input(self):
        for names, text in (("latency", "--fit 'latency': expected "),
                            ("latency_s,latency_s", "twice"),
                            ("eager_bytes", "this is a size threshold"),
                            ("under_way", "this is a count"),
                            ("host_gap_s", "this parameter is 0 in --parameters"),
                            ("memory_bytes_per_s", "this parameter is infinite in --parameters"),
                            ("latency_s,wire_latency_factor,send_overhead_s,handshake_s,"
                             "rank_bytes_per_s", "3 points cannot determine 5 parameters")):
            with self.subTest(names=names):
                cell = ["--only", "thin/a/allreduce/256/"]
                self.refused(text, POINTS, *START, *cell, "--fit", names)
        self.refused("--job 'x': expected a, b or c", POINTS, *START, "--fit", "latency_s",
                     "--job", "x")
        self.refused("--job '7': no point names a job; add --job 7 to the line '# tutti: ...'",
                     FOLDER / "osu_allreduce.txt", "--algorithm", "allreduce/ring", "-p", 16, *START, "--fit",
                     "latency_s", "--job", "7")
        self.refused("no points are left to fit", POINTS, *START, "--fit", "latency_s", "--largest",
                     2)
        self.refused("--parameters is missing", POINTS, *MACHINE, "--fit", "latency_s")
        self.refused("lacks \"machine\"", POINTS, *MACHINE, "--fit", "latency_s", "--parameters",
                     self.write("other.json", json.dumps({"schema": "tutti-parameters/1"})))
        self.refused("--prior 'x'", POINTS, *START, "--fit", "latency_s", "--prior", "x")
        self.refused("cannot be read", self.path / "none", *START, "--fit", "latency_s")

    def test_a_fit_starts_from_one_file(self):
        for job in "abc":
            self.write(f"{job}.json", (FOLDER / "start.json").read_text())
        pattern = ["--parameters", self.path / "{job}.json"]
        self.refused("a fit starts from one file", POINTS, *MACHINE, *pattern, "--fit", "latency_s")
        harness.output("fit", POINTS, *MACHINE, *pattern, "--fit", "latency_s", "--job", "b")

    def test_an_algorithm_that_refuses_a_point_is_reported(self):
        with POINTS.open() as file:
            rows = list(csv.reader(file))
        row = dict(zip(rows[0], rows[1]), ranks="64", nodes="64", bytes="8")
        rows[1] = list(row.values())
        path = self.write("points.csv", "".join(",".join(each) + "\n" for each in rows))
        self.refused("line 2: ", path, *START, "--fit", "latency_s")


if __name__ == "__main__":
    harness.main()
