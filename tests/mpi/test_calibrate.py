"""Tests tutti-mpi calibrate: tutti must accept the parameters and the platform file that calibrate writes,
and must compare real runs with simulated ones.

The quality of a calibration depends on how busy this machine is. Tests that need a good calibration use a
recorded one."""

import json
import os
import pathlib
import subprocess
import time
import unittest

from launch import SOURCE_DIR, TUTTI, busy_machine, main, tutti_mpi
from test_output import validate

# Time budget of a calibration with two ranks, in seconds.
BUDGET_S = 5
RECORDED = SOURCE_DIR / "tests" / "mpi" / "recorded"
CORES = len(os.sched_getaffinity(0))


def tutti(*arguments):
    return subprocess.run([TUTTI, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                          check=False)


@unittest.skipUnless(CORES >= 2, "two ranks need two cores")
class Calibrate(unittest.TestCase):
    """Calibrates this machine, however busy it is. The printed messages must agree with the figures."""

    def test_a_good_fit_is_reported(self):
        pathlib.Path("machine.xml").unlink(missing_ok=True)
        done = tutti_mpi(2, "calibrate", "-n", "8..1MiB*2", "--budget", f"{BUDGET_S}s", "--json",
                         "machine.json", "--platform", "machine.xml", timeout=120)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        parameters = json.loads(pathlib.Path("machine.json").read_text())
        check_output(self, done, parameters, BUDGET_S)
        priced = None not in (*parameters["within_node"].values(), parameters["gamma_s_per_byte"])
        self.assertEqual(pathlib.Path("machine.xml").exists(), priced)
        self.assertIsNone(parameters["between_nodes"])
        self.assertIn("eager", done.stdout)


@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class RecordPolicy(unittest.TestCase):
    """Uses a good calibration of Open MPI 4.1.4 on an idle machine with 2 cores, recorded with 'tutti-mpi
    calibrate -n 8..1MiB*2 --budget 20s'."""

    def setUp(self):
        self.parameters = json.loads((RECORDED / "machine.json").read_text())

    def test_recorded_parameters(self):
        validate(self.parameters, "tutti-parameters-1")
        self.assertTrue(self.parameters["good"])
        within = self.parameters["within_node"]
        self.assertTrue(1e-9 < within["alpha_s"] < 1e-2, within)
        self.assertTrue(1e-13 < within["beta_s_per_byte"] < 1e-6, within)
        # Open MPI's btl_vader_eager_limit determines this size.
        self.assertTrue(3500 <= self.parameters["eager_bytes"] <= 4096)
        for name in ("within_node.one_way", "within_node.exchange", "reduce", "copy"):
            sizes = {p["bytes"] for p in self.parameters["points"] if p["what"] == name}
            self.assertGreaterEqual(len({8 << k for k in range(18)} & sizes), 6, name)

    def test_the_fit_is_near_the_measured_times(self):
        residuals = {}
        for point in self.parameters["points"]:
            residual = point["fitted_s"] / point["seconds"] - 1
            self.assertAlmostEqual(point["residual"], residual)
            residuals.setdefault(point["what"], []).append(abs(residual))
        for name, each in residuals.items():
            self.assertLess(sorted(each)[len(each) // 2], 0.1, name)

    def test_simulate_and_compare_take_the_parameters(self):
        first = self.parameters["curves"]["within_node.one_way"]["pieces"][0]
        done = tutti("simulate", "bcast/binomial", "-p", 2, "-n", first["from_bytes"],
                     "--parameters", RECORDED / "machine.json", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        validate(result, "tutti-result-1")
        self.assertAlmostEqual(result["simulated_s"],
                               self.parameters["start_s"] + first["fixed_s"] +
                               first["from_bytes"] * first["s_per_byte"],
                               delta=1e-9 * result["simulated_s"])
        for engine in ("flow", "critical-path"):
            done = tutti("compare", "allreduce", "-p", 2, "-n", "1K,64K", "--parameters",
                         RECORDED / "machine.json", "--eager", "calibrated", "--engine", engine)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = tutti("simulate", "allreduce/ring", "-p", 2, "-n", "1K", "--parameters",
                     RECORDED / "machine.json", "--engine", "simgrid")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--engine simgrid: SimGrid uses one latency", done.stderr)

    def test_recorded_platform(self):
        done = tutti("simulate", "bcast/binomial", "-p", 2, "-n", "8K", "--platform",
                     RECORDED / "machine.xml", "--engine", "both", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        within = self.parameters["within_node"]
        self.assertAlmostEqual(json.loads(done.stdout)["simulated_s"],
                               within["alpha_s"] + 8192 * within["beta_s_per_byte"], delta=1e-11)

    def test_recorded_runs_are_validated(self):
        done = tutti_mpi(2, "run", "allreduce", "-n", "64,8K", "--budget", "5ms", "--json",
                         "runs.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        path = pathlib.Path("runs.json")
        runs = json.loads(path.read_text())
        measured = {(r["algorithm"], r["bytes"]): r for r in runs if "median_s" in r}
        # The quality of the times does not matter here.
        for run in measured.values():
            run["too_busy"] = False
        path.write_text(json.dumps(runs))
        done = tutti("validate", path, "--parameters", RECORDED / "machine.json", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        validation = json.loads(done.stdout)
        validate(validation, "tutti-validation-1")
        self.assertEqual(len(validation["runs"]), len(measured))
        for run in validation["runs"]:
            self.assertEqual(run["measured_s"], measured[run["algorithm"], run["bytes"]]["median_s"])
            self.assertAlmostEqual(run["error"], run["simulated_s"] / run["measured_s"] - 1)
            self.assertTrue(run["operations"])


def check_output(test, done, parameters, budget_s):
    """Checks that the exit code, the mark in the file, standard output and standard error agree, and that the
    budget was kept."""
    validate(parameters, "tutti-parameters-1")
    test.assertEqual(done.returncode, 0 if parameters["good"] else 1, done.stderr)
    test.assertEqual(parameters["good"], not parameters["doubts"])
    complaints = [line for line in done.stderr.splitlines() if line.startswith("tutti-mpi:")]
    test.assertEqual("POOR" in done.stdout, not parameters["good"])
    if parameters["good"]:
        test.assertEqual(complaints, [])
    else:
        test.assertEqual(len(complaints), 1, done.stderr)
        test.assertIn(parameters["doubts"][0], complaints[0])
        test.assertIn("the figures are in", complaints[0])
    # A run that begins within the budget may end a little after it.
    test.assertLess(parameters["effort"]["seconds"], budget_s + 3)
    figures = {"start_s": parameters["start_s"],
               "within_node.alpha_s": parameters["within_node"]["alpha_s"],
               "within_node.beta_s_per_byte": parameters["within_node"]["beta_s_per_byte"],
               "gamma_s_per_byte": parameters["gamma_s_per_byte"],
               "copy_s_per_byte": parameters["copy_s_per_byte"]}
    for name, value in figures.items():
        test.assertEqual(name in parameters["bounds"], value is not None)
        if value is not None:
            bounds = parameters["bounds"][name]
            test.assertTrue(bounds["low"] <= value <= bounds["high"], (name, value, bounds))


@unittest.skipUnless(CORES >= 2, "two ranks need two cores")
class BusyMachine(unittest.TestCase):
    def test_measured_times_are_kept_and_the_budget_is_respected(self):
        # If other programs keep the processors busy too, a short budget may end before the first run.
        for budget_s in (3, 12, 40):
            pathlib.Path("busy.json").unlink(missing_ok=True)
            start_s = time.monotonic()
            with busy_machine():
                done = tutti_mpi(2, "calibrate", "-n", "8..64K*2", "--budget", f"{budget_s}s", "--json",
                                 "busy.json", "--platform", "busy.xml", timeout=120)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            # Includes the time that mpirun needs.
            self.assertLess(time.monotonic() - start_s, budget_s + 27)
            parameters = json.loads(pathlib.Path("busy.json").read_text())
            check_output(self, done, parameters, budget_s)
            if parameters["effort"]["runs"] > 0:
                return
        self.fail("no budget was enough for a run")


class Refusals(unittest.TestCase):
    def refuse(self, text, *arguments, ranks=2):
        done = tutti_mpi(ranks, "calibrate", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(text, done.stderr)

    def test_bad_input(self):
        self.refuse("calibrate on 1 rank: needs at least 2", ranks=1)
        self.refuse("-n/--bytes '64': 1 size", "-n", "64")
        self.refuse("0 bytes; sizes must be multiples", "-n", "0,8,16,24")
        self.refuse("--op 'xor': expected ", "--op", "xor")
        self.refuse("--passes '2': must be at least 3", "--passes", "2")
        self.refuse("--budget '4ms': must be at least 1 s", "--budget", "4ms")
        self.refuse("ranks share cores", ranks=CORES + 1)


if __name__ == "__main__":
    main()
