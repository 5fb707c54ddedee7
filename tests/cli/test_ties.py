"""Totals that hang on ties: --ties, and the warning."""

import json
import pathlib
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

    def test_pipelines_in_small_segments(self):
        cases = [
            (["dragonfly", "--groups", 2, "--chassis", 2, "--routers", 2, "--nodes", 2,
              "--bw", "1GBps", "--lat", "1us"],
             ["bcast/split_binary_tree", "--segment", 1024]),
            (["torus", "--dims", "2,8"], ["bcast/pipeline", "--tree", "binary", "--segment", 4096]),
            (["torus", "--dims", "2,8"], ["bcast/split_binary_tree", "--segment", 512]),
        ]
        for platform, algorithm in cases:
            with self.subTest(platform=platform, algorithm=algorithm):
                asked = [*algorithm, "-p", 16, "-n", "1MiB",
                         "--platform", self.platform(*platform)]
                done = harness.run("simulate", *asked, "--ties", 10, "--json", "-")
                result = self.result(done)
                ties = result["ties"]
                self.assertEqual((ties["runs"], ties["seed"]), (10, 1))
                self.assertLessEqual(ties["least_s"], result["simulated_s"])
                self.assertGreaterEqual(ties["most_s"], result["simulated_s"])
                self.assertGreater(ties["spread"], 0.005)
                self.assertIn("the total hangs on ties", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                # Unasked, too, and the run itself is the same.
                unasked = harness.run("simulate", *asked, "--json", "-")
                self.assertIn("the total hangs on ties", unasked.stderr)
                self.assertIn("--ties 100", unasked.stderr)
                self.assertEqual(self.result(unasked)["simulated_s"], result["simulated_s"])
                # Unless it is not wanted.
                self.assertNotIn("ties", self.result(harness.run(
                    "simulate", *asked, "--ties", 0, "--json", "-")))
                self.assertEqual(harness.run("simulate", *asked, "--ties", 0).stderr, "")
                self.assertIn("ties", harness.run("simulate", *asked).stdout)

    def test_the_seed_decides(self):
        def ties(*more):
            return self.result(harness.run("simulate", "alltoall/linear", "-p", 16, "-n", "1MiB",
                                           "--ties", 2, "--json", "-", *more))["ties"]
        self.assertEqual(ties(), ties("--seed", 1))
        self.assertEqual(ties("--seed", 7), ties("--seed", 7))
        self.assertNotEqual(ties("--seed", 1), dict(ties("--seed", 7), seed=1))
        self.assertGreater(ties("--engine", "critical-path")["spread"], 0.05)

    def test_what_hangs_on_no_tie(self):
        # One rank is simulated for all unless ties are asked for.
        for more in [[], ["--ties", 3], ["--ties", 3, "--engine", "critical-path"]]:
            with self.subTest(more=more):
                done = harness.run("simulate", "allreduce/ring", "-p", 8, "-n", "64KiB", *more)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual("hardly matter" in done.stdout, bool(more))

    def test_refusals(self):
        for more, mentioned in [(["--ties", "few"], "--ties 'few'"),
                                (["--ties", "-1"], "--ties '-1'"),
                                (["--seed", "x"], "--seed 'x'"),
                                (["--ties", 3, "--engine", "simgrid"], "take --engine flow"),
                                (["--ties", 3, "--symmetry", "on"], "--ties moves each")]:
            with self.subTest(more=more):
                done = harness.run("simulate", "allreduce/ring", "-p", 4, "-n", "64KiB", *more)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(mentioned, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    harness.main()
