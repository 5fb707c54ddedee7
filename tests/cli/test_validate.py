"""tutti validate and --parameters on files made here, no MPI needed: figures known beforehand, and
what is refused."""

import json
import pathlib
import tempfile
import unittest

import harness


def run_entry(algorithm, size, median_s, **changes):
    entry = {"schema": "tutti-run/1", "collective": "allreduce", "algorithm": algorithm, "ranks": 2,
             "bytes": size, "element_bytes": 8, "type": "int64", "op": "sum", "root": None,
             "fold": None, "skips": None, "tree": None, "segment_bytes": None,
             "cores_per_node": None, "block_bytes": [], "oversubscribed": False,
             "median_s": median_s, "median_low_s": median_s, "median_high_s": median_s,
             "fastest_s": median_s / 2}
    entry.update(changes)
    return entry


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
    def test_known_figures(self):
        # Recursive doubling takes 1 us + 8000 ns, the ring 2 (1 us + 4000 ns).
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

    def test_refused(self):
        machine = self.write("machine.json", parameters())
        for content, text in (("no JSON", "parse error"), ([], "there is no run in it"),
                              ({"schema": "tutti-result/1"}, "its schema is not tutti-run/1"),
                              (run_entry("rong", 8, 1), "unknown algorithm 'allreduce/rong'"),
                              (run_entry("ring", 8, 1), "at least as many elements as ranks"),
                              (run_entry("ring", 80, 0), "median_s is 0"),
                              (run_entry("ring", 80, 1, type="float", element_bytes=4),
                               "calibrate with --type float --op sum")):
            with self.subTest(text=text):
                self.refused(text, "validate", self.write("runs.json", content), "--parameters",
                             machine)
        self.refused("cannot be read", "validate", self.path / "none.json")
        self.refused("--measured 'mean': accepted is median or fastest", "validate", machine,
                     "--measured", "mean")


class Parameters(Files):
    def test_refused(self):
        line = {"alpha_s": -1e-6, "beta_s_per_byte": 1e-9}
        falling = {"memory": [], "pieces": [{"from_bytes": size, "fixed_s": 0, "s_per_byte": 0}
                                            for size in (64, 8)]}
        nowhere = {"pieces": [], "memory": [{"working_set_bytes": 0, "s_per_byte": 0}]}
        curves = parameters()["curves"]
        for content, text in ((parameters(within_node=line), "alpha_s is -1e-06"),
                              (parameters(schema="x"), "its schema is not tutti-parameters/1"),
                              (parameters(curves={**curves, "reduce": falling}),
                               "the pieces of reduce are not in ascending order"),
                              (parameters(curves={**curves, "copy": nowhere}),
                               "the working sets of copy are not in ascending order, from above"),
                              (parameters(start_s=-1), "start_s is -1"),
                              (parameters(curves={**curves,
                                                  "within_node.one_way": curves["reduce"]}),
                               "curves.within_node.one_way has no piece"),
                              ("{", "parse error")):
            with self.subTest(text=text):
                self.refused(text, "simulate", "allreduce/ring", "-p", 2, "-n", 80, "--parameters",
                             self.write("machine.json", content))
        good = self.write("machine.json", parameters())
        self.refused("--alpha '1us': --parameters has that price already", "simulate",
                     "allreduce/ring", "-p", 2, "-n", 80, "--parameters", good, "--alpha", "1us")
        self.refused("--eager 'calibrated': --parameters FILE must say", "simulate",
                     "allreduce/ring", "-p", 2, "-n", 80, "--eager", "calibrated")
        self.refused("--eager 'much'", "simulate", "allreduce/ring", "-p", 2, "-n", 80, "--eager",
                     "much")

    def test_eager_in_every_engine(self):
        """With one port per rank nothing is shared on a crossbar, and all engines agree."""
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
