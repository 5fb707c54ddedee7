"""Tests tutti validate and --parameters on files that this test makes, without MPI: results that are known in
advance, and refused input."""

import json
import pathlib
import tempfile
import unittest

import harness


def run_entry(algorithm, size, median_s, **changes):
    """Returns an entry of a file of runs, as the schema requires it. With `refused`, the entry has only the
    fields of a refused run."""
    problem = {"schema": "tutti-run/1", "collective": "allreduce", "algorithm": algorithm, "ranks": 2,
               "bytes": size, "element_bytes": 8, "type": "int64", "op": "sum", "root": None,
               "fold": None, "skips": None, "tree": None, "segment_bytes": None,
               "cores_per_node": None, "block_bytes": [], "engine": "mpi", "library": "none",
               "nodes": 1, "placement": "made up", "oversubscribed": False}
    if "refused" in changes:
        return {**problem, **changes}
    counts = dict.fromkeys(("messages", "bytes_sent", "bytes_reduced", "ops", "dependencies", "rounds",
                            "warmup", "left_out", "bytes_compared"), 0)
    times = dict.fromkeys(("median_s", "median_low_s", "median_high_s", "first_rank_s",
                           "last_rank_s"), median_s)
    return {**problem, **counts, **times, "iterations": 1, "fastest_s": median_s / 2,
            "times_s": [median_s], "library_call": None, "library_median_s": None,
            "library_times_s": [], "check": "none", "relative_bound": 0, "wrong": [],
            "clock_error_s": 0, **changes}


def parameters(**changes):
    curve = {"pieces": [{"from_bytes": 8, "fixed_s": 1e-6, "s_per_byte": 1e-9}], "memory": []}
    none = {"pieces": [], "memory": []}
    all_of_it = {"schema": "tutti-parameters/1", "library": "none", "placement": "made up",
                 "type": "int64", "op": "sum",
                 "within_node": {"alpha_s": 1e-6, "beta_s_per_byte": 1e-9}, "between_nodes": None,
                 "gamma_s_per_byte": 0, "copy_s_per_byte": 0, "eager_bytes": 4096,
                 "start_s": 0, "by_core": {"within_node": False, "between_nodes": False},
                 "curves": {"within_node.one_way": curve, "within_node.exchange": curve,
                            "between_nodes.one_way": none, "between_nodes.exchange": none,
                            "reduce": none, "reduce_sent": none, "copy": none}, "points": []}
    all_of_it.update(changes)
    return all_of_it


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def refused(self, text, *arguments):
        done = harness.run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)


class Validate(Files):
    def test_known_errors_of_predictions(self):
        # With these parameters, recursive doubling takes 1 us + 8000 ns, and the ring takes 2 (1 us + 4000
        # ns).
        runs = self.write("runs.json", [run_entry("recursive_doubling", 8000, 9e-6,
                                                  fold="neighbours"),
                                        run_entry("ring", 8000, 8e-6),
                                        run_entry("rabenseifner", 8, 1, refused="too small")])
        machine = self.write("machine.json", parameters())
        result = harness.json_output("validate", runs, "--parameters", machine, "--json", "-")
        harness.validate(result, "tutti-validation-1")
        self.assertAlmostEqual(result["runs"][0]["error"], 0)
        self.assertAlmostEqual(result["runs"][1]["error"], 0.25)
        self.assertEqual(result["cells"][0]["picked"], 0)
        self.assertEqual(result["cells"][0]["fastest"], 1)
        self.assertFalse(result["cells"][0]["right"])
        text = harness.output("validate", runs, "--parameters", machine)
        self.assertIn("picked recursive_doubling, which takes 12.5 % longer than ring", text)
        self.assertIn("0 of 1", text)
        fastest = harness.json_output("validate", runs, "--parameters", machine, "--measured",
                                      "fastest", "--json", "-")
        self.assertAlmostEqual(fastest["runs"][0]["error"], 1)
        self.assertIn("# 1 run of the file had been refused", text)

    def test_score_reads_the_same_runs(self):
        runs = self.write("runs.json", [run_entry("recursive_doubling", 8000, 9e-6, fold="neighbours"),
                                        run_entry("ring", 8000, 8e-6),
                                        run_entry("ring", 800, 8e-6, too_busy=True),
                                        run_entry("binomial", 8000, 9e-6, collective="bcast", op=None, root=1),
                                        run_entry("ring", 80, 9e-6, oversubscribed=True)])
        machine = ["--parameters", self.write("machine.json", parameters())]
        validated = harness.json_output("validate", runs, *machine, "--json", "-")["runs"]
        done = harness.run("score", runs, *machine, "--platform", "crossbar:2,bw=1GBps,lat=1us",
                           "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = json.loads(done.stdout)["points"]
        self.assertEqual([[p["measured_s"], p["predicted_s"]] for p in points],
                         [[run["measured_s"], run["simulated_s"]] for run in validated[:2]])
        for words in ("of another root than rank 0", "in which ranks shared cores",
                      "during which the machine was too busy"):
            self.assertIn(words, " ".join(done.stderr.split()))

    def test_points_that_an_algorithm_refuses_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            points = pathlib.Path(folder) / "points.csv"
            points.write_text("collective,ranks,bytes,tutti,median_us\n"
                              "allgather,4,32,neighbor_exchange,5\n"
                              "allgather,3,24,neighbor_exchange,5\n")
            text = " ".join(harness.output("validate", points).split())
        self.assertIn("1 run of the file had been refused", text)
        self.assertIn("line 3: allgather/neighbor_exchange on 3 ranks, 24 bytes: 3 ranks cannot be "
                      "paired", text)

    def test_runs_of_a_busy_machine_are_left_out(self):
        good = run_entry("ring", 8000, 8e-6, too_busy=False)
        busy = run_entry("recursive_doubling", 8000, 31e-3, fold="neighbours", too_busy=True)
        machine = self.write("machine.json", parameters())
        runs = self.write("runs.json", [good, busy])
        result = harness.json_output("validate", runs, "--parameters", machine, "--json", "-")
        harness.validate(result, "tutti-validation-1")
        self.assertEqual([run["algorithm"] for run in result["runs"]], ["ring"])
        self.assertEqual(result["too_busy"], ["allreduce/recursive_doubling, 2 ranks, 8000 bytes"])
        self.assertLess(result["summaries"][0]["worst_error"], 0.5)
        text = harness.output("validate", runs, "--parameters", machine)
        self.assertIn("# left out: 1 run, because the machine was too busy", text)
        self.assertNotIn("31000", text)
        self.refused("every run is marked too_busy", "validate", self.write("busy.json", busy),
                     "--parameters", machine)

    def test_parameters_marked_as_a_poor_fit_give_a_warning(self):
        runs = self.write("runs.json", [run_entry("ring", 8000, 8e-6)])
        doubtful = self.write("doubtful.json", parameters(good=False, doubts=["it was \x1b[1mnoisy"]))
        done = harness.run("validate", runs, "--parameters", doubtful)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, f"tutti: --parameters '{doubtful}' is marked as a poor fit: "
                                      "it was ?[1mnoisy\n")
        nothing = self.write("nothing.json", parameters(gamma_s_per_byte=None))
        self.refused("gamma_s_per_byte is null: the machine was too busy", "validate", runs,
                     "--parameters", nothing)

    def test_bad_input(self):
        machine = self.write("machine.json", parameters())
        for content, text in (("no JSON", "not valid JSON: parse error"), ([], "has 0 items; expected at least 1"),
                              ([run_entry("ring", 8, 1, refused="too small")],
                               "the file has no usable runs"),
                              ({"schema": "tutti-result/1"}, "its schema is not tutti-run/1"),
                              (run_entry("rong", 8, 1), "unknown algorithm 'allreduce/rong'"),
                              (run_entry("ring", 8, 1), "at least as many elements as ranks"),
                              (run_entry("ring", 80, 0), "/median_s is 0; expected a number from"),
                              (run_entry("ring", 80, 1, type="float", element_bytes=4),
                               "calibrate with --type float --op sum")):
            with self.subTest(text=text):
                self.refused(text, "validate", self.write("runs.json", content), "--parameters",
                             machine)
        self.refused("cannot be read", "validate", self.path / "none.json")
        self.refused("--measured 'mean': expected median or fastest", "validate", machine,
                     "--measured", "mean")


    def test_values_of_runs_must_be_in_range(self):
        good = run_entry("recursive_doubling", 8000, 9e-6, fold="neighbours")
        for changes, text in (({"ranks": 4294967298}, "/ranks is 4294967298; expected an integer "
                                                      "from 1 up to 8388608"),
                              ({"ranks": 2.7}, "/ranks is 2.7; expected an integer"),
                              ({"bytes": 8000.9}, "/bytes is 8000.9"),
                              ({"bytes": 2**63}, f"/bytes is {2**63}"),
                              ({"fold": "sideways"}, '/fold is "sideways"; expected "neighbours", '
                                                     '"far" or null'),
                              ({"fastest_s": -1}, "/fastest_s is -1"),
                              ({"fastest_s": 1}, "median_s is 9e-06, below fastest_s, which is 1"),
                              ({"median_low_s": 1e-5, "median_high_s": 8e-6},
                               "median_s is 9e-06, below median_low_s"),
                              ({"median_high_s": 8e-6}, "median_high_s is 8e-06, below median_s"),
                              ({"median_s": 1e-320}, "/median_s is 1e-320"),
                              ({"times_s": [1, "2"]}, '/times_s/1 is "2"; expected a number'),
                              ({"block_bytes": [8]}, "does not accept individual block sizes"),
                              ({"sekip": 1}, "/sekip is not a known key"),
                              ({"timeline": {"start_s": [1], "end_s": [2, 3], "total_s": 1,
                                             "receive_start_s": [], "receive_end_s": []}},
                               "timeline/end_s has 2 items; expected 1")):
            with self.subTest(changes=changes):
                self.refused(text, "validate", self.write("runs.json", {**good, **changes}))
                both = self.write("runs.json", [good, {**good, **changes}])
                self.refused("'" + str(both) + "': /1", "validate", both)
        lacking = dict(good)
        del lacking["median_s"]
        self.refused('lacks "median_s"', "validate", self.write("runs.json", lacking))
        self.refused('lacks "median_s"', "validate", self.path)


class Parameters(Files):
    def test_values_of_parameters_must_be_in_range(self):
        pieces = [{"from_bytes": -1, "fixed_s": 0, "s_per_byte": 0}]
        curves = {**parameters()["curves"], "copy": {"pieces": pieces, "memory": []}}
        tiny = {"alpha_s": 1e-320, "beta_s_per_byte": 1e-9}
        most = 2**44 - 1
        for changes, text in (({"eager_bytes": -1}, "/eager_bytes is -1; expected null or an "
                                                    f"integer from 0 up to {most}"),
                              ({"eager_bytes": 2**63}, f"/eager_bytes is {2**63}"),
                              ({"eager_bytes": 1.5}, "/eager_bytes is 1.5"),
                              ({"curves": curves}, "/curves/copy/pieces/0/from_bytes is -1"),
                              ({"within_node": tiny}, "/within_node/alpha_s is 1e-320"),
                              ({"within_node": None}, "/within_node is null; expected an object"),
                              ({"op": "mean"}, '/op is "mean"')):
            with self.subTest(changes=changes):
                self.refused(text, "compare", "allreduce", "-p", 2, "-n", 8, "--parameters",
                             self.write("machine.json", parameters(**changes)))
        self.refused("folder", "compare", "allreduce", "-p", 2, "-n", 8, "--parameters", self.path)

    def test_the_schema_check_agrees_with_python3_jsonschema(self):
        """Replaces each value of a parameter file in turn: tutti must refuse exactly the documents that
        python3-jsonschema refuses."""
        import jsonschema
        schema = harness.schema("tutti-parameters-1")
        validator = jsonschema.Draft7Validator(schema)
        document = json.dumps(parameters())
        places = [at for at in range(len(document)) if document[at:at + 2] == ": "]
        for number, at in enumerate(places):
            end = json.JSONDecoder().raw_decode(document, at + 2)[1]
            value = ["-1", "null", "[]", '"x"', "true", "2.5", "1e30", "{}"][number % 8]
            text = document[:at + 2] + value + document[end:]
            done = harness.run("simulate", "allreduce/ring", "-p", 2, "-n", 80, "--parameters",
                               self.write("machine.json", text))
            fits = not list(validator.iter_errors(json.loads(text)))
            by_schema = "expected " in done.stderr or "lacks" in done.stderr
            with self.subTest(text=text):
                self.assertIn(done.returncode, (0, 2), done.stderr)
                if fits:
                    self.assertNotIn("expected 0 or a number", done.stderr)
                else:
                    self.assertEqual((done.returncode, by_schema or "schema" in done.stderr),
                                     (2, True), done.stderr)

    def test_bad_input(self):
        line = {"alpha_s": -1e-6, "beta_s_per_byte": 1e-9}
        falling = {"memory": [], "pieces": [{"from_bytes": size, "fixed_s": 0, "s_per_byte": 0}
                                            for size in (64, 8)]}
        nowhere = {"pieces": [], "memory": [{"working_set_bytes": 0, "s_per_byte": 0}]}
        curves = parameters()["curves"]
        for content, text in ((parameters(within_node=line), "/within_node/alpha_s is -1e-06; expected 0, null or a number from 1e-24 up to"),
                              (parameters(schema="x"), "its schema is neither tutti-parameters/1 nor tutti-messages/1"),
                              (parameters(curves={**curves, "reduce": falling}),
                               "/curves/reduce/pieces/1/from_bytes is 8, after 64"),
                              (parameters(curves={**curves, "copy": nowhere}),
                               "/curves/copy/memory/0/working_set_bytes is 0; expected a number above 0"),
                              (parameters(start_s=-1), "/start_s is -1; expected 0 or"),
                              (parameters(curves={**curves,
                                                  "within_node.one_way": curves["reduce"]}),
                               "/curves/within_node.one_way/pieces has no piece"),
                              ("{", "not valid JSON: parse error")):
            with self.subTest(text=text):
                self.refused(text, "simulate", "allreduce/ring", "-p", 2, "-n", 80, "--parameters",
                             self.write("machine.json", content))
        good = self.write("machine.json", parameters())
        self.refused("--alpha '1us': --parameters already has this price", "simulate",
                     "allreduce/ring", "-p", 2, "-n", 80, "--parameters", good, "--alpha", "1us")
        self.refused("--eager 'calibrated': needs --parameters FILE", "simulate",
                     "allreduce/ring", "-p", 2, "-n", 80, "--eager", "calibrated")
        self.refused("--eager 'much'", "simulate", "allreduce/ring", "-p", 2, "-n", 80, "--eager",
                     "much")

    def test_eager_messages_take_the_same_time_in_every_engine(self):
        """With one port per rank, no two messages share a link of a crossbar, so all engines must agree."""
        times = {}
        for engine in ("flow", "simgrid", "critical-path"):
            for eager in ("8", "64"):
                times[engine, eager] = harness.json_output(
                    "simulate", "allreduce/nonoverlapping", "-p", 7, "-n", 64,
                    "--eager", eager, "--engine", engine, "--json", "-")["simulated_s"]
        for eager in ("8", "64"):
            for engine in ("simgrid", "critical-path"):
                self.assertAlmostEqual(times[engine, eager] / times["flow", eager], 1, delta=1e-9)


if __name__ == "__main__":
    harness.main()
