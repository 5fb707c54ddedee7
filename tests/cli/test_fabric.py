"""Tests fits of how NCCL uses a network, on outputs of nccl-tests that were made with known figures: tutti fit,
score, nccl and doctor with a file of such figures, and the plan of runs."""
import json
import math
import pathlib
import random
import stat
import subprocess
import tempfile
import unittest

import harness
from doctor_outputs import DEVICES, FACTORS

MACHINE = ["--gpu", "gh200"]
NODES = [2, 4, 16, 64]
TRUTH = {"path_growth": 0.15, "eager_bytes": 8192, "ll_hop_s": 7e-6, "ll_message_s": 9e-6, "ll_channels_s": 2e-6,
         "ll_hop_bytes_per_s": 12e9, "ll_ring_step_s": 3e-6, "ll_ring_bytes_per_s": 2.5e9, "ll128_hop_s": 9e-6,
         "ll128_hop_bytes_per_s": 30e9, "ll128_ring_step_s": 4e-6, "ll128_ring_share": 0.7, "simple_hop_s": 25e-6,
         "simple_hop_bytes_per_s": 70e9, "tree_hop_bytes": 4e6, "tree_bytes_per_s": 90e9, "tree_nodes": 80,
         "ring_step_s": 40e-6, "ring_share": 0.85}


def fabric_file(path, **changes):
    content = {"schema": "tutti-fabric/1", "machine": "made", "gpu": "", "gpus_per_node": 0, "library": "NCCL 2.23.4",
               "nodes": NODES, "measured": [],
               "parameters": {**TRUTH, **changes}}
    path.write_text(json.dumps({**content, "parameters": {k: v for k, v in content["parameters"].items()
                                                          if v is not None}}))
    return path


def output_of(ranks, rows, heading, gpus_per_node=4):
    """An output of nccl-tests: rows of bytes, microseconds out of place and in place."""
    lines = [f"# {heading}", "# nccl-tests version 2.13", "NCCL version 2.23.4+cuda12.4",
             "# Collective test starting: all_reduce_perf"]
    lines += [f"#  Rank {r:2} Group  0 Pid {100 + r} on node{r // gpus_per_node:03} device  {r % gpus_per_node} "
              f"[0x1b] {DEVICES['h100'].replace('H100 80GB HBM3', 'GH200 120GB')}" for r in range(ranks)]
    lines += ["#                                                              out-of-place                       "
              "in-place",
              "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
              "algbw   busbw #wrong",
              "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
              "(GB/s)  (GB/s)"]
    for n, out_us, in_us in rows:
        cells = []
        for us in (out_us, in_us):
            algbw = n / us / 1e3
            cells.append(f"{us:8.2f} {algbw:7.2f} {algbw * FACTORS['allreduce'](ranks):7.2f}      0")
        lines.append(f"{n:12} {n // 4:13}     float     sum      -1 {cells[0]} {cells[1]}")
    return "\n".join(lines) + "\n"


class Fabric(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.truth = fabric_file(self.path / "truth.json")

    def cells(self, ranks, *options):
        found = harness.json_output("nccl", "allreduce", *MACHINE, "--version", "2.23.4", "-p", ranks, "-n",
                                    "8..1GiB*4", "--model-only", *options, "--json", "-")
        harness.validate(found, "tutti-nccl-1")
        return found["cells"]

    def measure(self, name, nodes, noise=0.03, way=None):
        """Writes the output of a run on the true machine."""
        rng = random.Random(f"{name} {nodes} {way}")
        rows = []
        for cell in self.cells(4 * nodes, "--parameters", self.truth):
            choice = way or (cell["choice"]["algorithm"], cell["choice"]["protocol"])
            us = next(each["time_us"] for each in cell["ways"] if (each["algorithm"], each["protocol"]) == choice)
            rows.append((cell["bytes"], *(us * math.exp(rng.gauss(0, noise)) for _ in range(2))))
        heading = f"NCCL_ALGO={way[0].upper()} NCCL_PROTO={way[1].upper()}" if way else ""
        path = self.path / f"{name}_{nodes}_{'_'.join(way or [])}.txt"
        path.write_text(output_of(4 * nodes, rows, heading))
        return path

    def refused(self, text, *arguments):
        done = harness.run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_fit_to_outputs_finds_the_figures(self):
        files = [self.measure("fit", nodes, way=(algorithm, protocol)) for nodes in NODES
                 for algorithm in ("tree", "ring") for protocol in ("ll", "simple")]
        fitted = self.path / "fitted.json"
        report = harness.json_output("fit", *files, *MACHINE, "-o", fitted, "--json", "-")
        harness.validate(report, "tutti-fabric-score-1")
        self.assertEqual(report["library"], "NCCL 2.23.4")
        written = json.loads(fitted.read_text())
        harness.validate(written, "tutti-fabric-1")
        self.assertEqual(written["parameters"]["eager_bytes"], TRUTH["eager_bytes"])
        self.assertEqual(written["nodes"], NODES)
        self.assertNotIn("ll128_hop_s", written["parameters"])
        for figure in report["figures"]:
            with self.subTest(figure["name"]):
                self.assertAlmostEqual(math.log(figure["fitted"] / TRUTH[figure["name"]]), 0, delta=0.5)
                self.assertEqual(written["parameters"][figure["name"]], figure["fitted"])
                self.assertEqual(written["fit"]["parameters"][figure["name"]],
                                 {"low": figure["low"], "high": figure["high"]})
        inside = [f["low"] <= TRUTH[f["name"]] <= f["high"] for f in report["figures"]]
        self.assertGreaterEqual(sum(inside), len(inside) - 3)
        models = {each["model"]: each["scores"][-1] for each in report["models"]}
        self.assertLess(models["these figures"]["factor"], 1.05)
        self.assertGreater(models["NCCL's model"]["factor"], 1.5)
        self.assertLess(models["a fit to the other numbers of nodes"]["factor"], 1.3)
        # The score of other runs, in which NCCL chose.
        checks = [self.measure("check", nodes) for nodes in (8, 32)]
        score = harness.json_output("score", *checks, *MACHINE, "--parameters", fitted, "--json", "-")
        harness.validate(score, "tutti-fabric-score-1")
        last = score["models"][-1]["scores"][-1]
        self.assertEqual(last["calls"], len(score["calls"]))
        self.assertLess(last["factor"], 1.1)
        errors = [abs(math.log(call["predicted_s"]["these figures"] / call["measured_s"])) for call in score["calls"]]
        self.assertAlmostEqual(last["factor"], math.exp(sum(errors) / len(errors)), places=6)
        text = harness.output("score", *checks, *MACHINE, "--parameters", fitted)
        self.assertIn(f"{last['factor']:.3f}", text)
        # A figure that is wrong is noticed.
        wrong = json.loads(fitted.read_text())
        wrong["parameters"]["ll_hop_s"] *= 3
        (self.path / "wrong.json").write_text(json.dumps(wrong))
        worse = harness.json_output("score", *checks, *MACHINE, "--parameters", self.path / "wrong.json", "--json", "-")
        self.assertGreater(worse["models"][-1]["scores"][-1]["factor"], 1.3)

    def test_nccl_takes_the_figures_and_keeps_its_choice(self):
        own = self.cells(64)
        for cell, without in zip(self.cells(64, "--parameters", self.truth), own):
            for key in ("algorithm", "protocol", "channels"):
                self.assertEqual(cell["choice"][key], without["choice"][key])
            for way, other in zip(cell["ways"], without["ways"]):
                self.assertEqual(way["own_us"], other["time_us"])
                self.assertFalse(other["measured"])
                covered = way["algorithm"] in ("tree", "ring") and way["time_us"] is not None
                self.assertEqual(way["measured"], covered, way)
                if covered:
                    self.assertNotEqual(way["time_us"], way["own_us"])
        # A way that needs a figure without value has the time of NCCL's model.
        part = fabric_file(self.path / "part.json", ring_step_s=None)
        for cell in self.cells(64, "--parameters", part):
            ring = next(way for way in cell["ways"] if (way["algorithm"], way["protocol"]) == ("ring", "simple"))
            self.assertFalse(ring["measured"])
            self.assertEqual(ring["time_us"], ring["own_us"])

    def test_simulated_times_take_the_figures_too(self):
        [cell] = harness.json_output("nccl", "allreduce", *MACHINE, "--version", "2.23.4", "-p", 32, "-n", "64K",
                                     "--parameters", self.truth, "--json", "-")["cells"]
        simulated = 0
        for way in cell["ways"]:
            if way["simulated_s"]:
                simulated += 1
                with self.subTest(way["algorithm"] + way["protocol"]):
                    self.assertAlmostEqual(math.log(way["simulated_s"] * 1e6 / way["time_us"]), 0, delta=0.45)
        self.assertGreaterEqual(simulated, 4)

    def test_ranges(self):
        files = [self.measure("fit", nodes, noise=0.1) for nodes in NODES]
        fitted = self.path / "fitted.json"
        harness.output("fit", *files, *MACHINE, "-o", fitted)
        for cell in self.cells(32, "--parameters", fitted, "--sure", "80%"):
            narrow = next(way for way in cell["ways"] if way["algorithm"] == cell["choice"]["algorithm"]
                          and way["protocol"] == cell["choice"]["protocol"])
            self.assertLess(narrow["low_us"], narrow["time_us"])
            self.assertGreater(narrow["high_us"], narrow["time_us"])
        wide = self.cells(32, "--parameters", fitted, "--sure", "95%")[0]["ways"][0]
        narrow = self.cells(32, "--parameters", fitted, "--sure", "80%")[0]["ways"][0]
        self.assertGreater(wide["high_us"], narrow["high_us"])
        self.assertIn("80% range", harness.output("nccl", "allreduce", *MACHINE, "-p", 32, "-n", "1K..1M*16",
                                                  "--parameters", fitted, "--sure", "80%", "--model-only"))

    def test_doctor_takes_the_figures(self):
        path = self.measure("run", 16, noise=0.02)
        without = harness.json_output("doctor", path, *MACHINE, "--json", "-")
        with_figures = harness.json_output("doctor", path, *MACHINE, "--parameters", self.truth, "--json", "-")
        harness.validate(with_figures, "tutti-doctor-1")
        for before, row in zip(without["outputs"][0]["rows"], with_figures["outputs"][0]["rows"]):
            if row["bytes"] <= 2 ** 20:
                self.assertLess(before["expected_high_s"], 0.7 * row["measured_s"])
            self.assertAlmostEqual(row["model_s"] / row["measured_s"], 1, delta=0.1)
        self.assertEqual(with_figures["outputs"][0]["expected_of"], "NCCL 2.23.4 with measured figures")

    def test_the_planned_script_runs_and_its_outputs_can_be_fitted(self):
        script = self.path / "plan.sh"
        harness.output("fit", "--plan", "10min", *MACHINE, "-p", 64, "--library", "2.23.4", "-o", script)
        # A program in place of nccl-tests: prints the output that measure() would write.
        fake = self.path / "all_reduce_perf"
        fake.write_text("#!/bin/sh\ncat \"$OUTPUTS/$nodes.$NCCL_ALGO.$NCCL_PROTO\"\n")
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        outputs = self.path / "outputs"
        outputs.mkdir()
        for nodes in (2, 4, 8, 16):
            for way in [(a, p) for a in ("tree", "ring") for p in ("ll", "ll128", "simple")] + [None]:
                if way and way[1] == "ll128":
                    continue
                text = self.measure("plan", nodes, way=way).read_text()
                text = "".join(text.splitlines(keepends=True)[1:])
                name = f"{nodes}.{way[0].upper()}.{way[1].upper()}" if way else f"{nodes}.."
                (outputs / name).write_text(text)
        plan = harness.json_output("fit", "--plan", "10min", *MACHINE, "-p", 64, "--library", "2.23.4", "--json", "-")
        harness.validate(plan, "tutti-fabric-plan-1")
        self.assertTrue(all(run["protocol"] != "LL128" for run in plan["runs"]))  # cannot run there
        text = script.read_text().replace('env "$@" $launch', 'nodes=$((hosts)) OUTPUTS="$OUTPUTS" env "$@" $launch')
        script.write_text(text)
        subprocess.run(["sh", script], cwd=self.path, check=True, stderr=subprocess.DEVNULL,
                       env={"PATH": "/usr/bin:/bin", "OUTPUTS": str(outputs), "LAUNCH": "env",
                            "ALL_REDUCE_PERF": str(fake)})
        runs = sorted(self.path.glob("fit_*.txt"))
        self.assertEqual(len(runs), sum(run["algorithm"] is not None for run in plan["runs"]))
        fitted = self.path / "fitted.json"
        harness.output("fit", *runs, *MACHINE, "-o", fitted)
        score = harness.json_output("score", *sorted(self.path.glob("check_*.txt")), *MACHINE, "--parameters", fitted,
                                    "--json", "-")
        self.assertLess(score["models"][-1]["scores"][-1]["factor"], 1.1)

    def with_uncertainty(self, name):
        path = fabric_file(self.path / "uncertain.json", **{name: None})
        content = json.loads(path.read_text())
        content["fit"] = {"points": 9, "error": 0.1, "parameters": {}, "uncertainty": {
            "parameters": [name], "covariance": [[0.1]], "spread": {"job": 0.1, "point": 0.1, "jobs": 3}}}
        path.write_text(json.dumps(content))
        return path

    def anonymous(self, run):
        path = self.path / "anonymous.txt"
        path.write_text("".join(line for line in run.read_text().splitlines(keepends=True) if "NCCL version" not in line))
        return path

    def test_times_given_twice_count_once(self):
        files = [self.measure("fit", nodes) for nodes in NODES]
        once = harness.json_output("fit", *files, *MACHINE, "--json", "-")
        done = harness.run("fit", *files, *files, *MACHINE, "--json", "-")
        self.assertIn("count once, with their median", done.stderr)
        self.assertEqual(json.loads(done.stdout)["figures"], once["figures"])

    def test_other_machines_and_sizes_are_named(self):
        files = [self.measure("fit", nodes) for nodes in NODES]
        fitted = self.path / "fitted.json"
        harness.output("fit", *files, *MACHINE, "-o", fitted)
        text = harness.output("nccl", "allreduce", "--gpu", "h100", "-p", 8 * 256, "-n", "64K", "--parameters", fitted,
                              "--model-only")
        for part in ("of nodes of 4 gh200, not of 8 h100", "of NCCL 2.23.4, not of NCCL 2.29.7",
                     "on 256 nodes the figures are extrapolated", "~: nothing of this collective"):
            self.assertIn(part, " ".join(text.split()))
        [cell] = harness.json_output("nccl", "allgather", *MACHINE, "--version", "2.23.4", "-p", 64, "-n", "64K",
                                     "--parameters", fitted, "--model-only", "--sure", "80%", "--json", "-")["cells"]
        rings = [way for way in cell["ways"] if way["measured"]]
        self.assertTrue(rings)
        self.assertTrue(all(way["extrapolated"] and way["low_us"] is None for way in rings))
        doctor = harness.output("doctor", self.measure("run", 4), "--gpus-per-node", 2, "--parameters", fitted)
        self.assertIn("although the figures are of nodes of 4 gh200, not of 2 gh200", " ".join(doctor.split()))

    def test_bad_input(self):
        run = self.measure("run", 4)
        nccl = ["nccl", "allreduce", *MACHINE, "-p", 64, "-n", "1K"]
        self.refused("cover allreduce, allgather and reduce_scatter", "nccl", "bcast", *MACHINE, "-p", 64, "-n", "1K",
                     "--parameters", self.truth)
        self.refused("one of them", *nccl, "--parameters", self.truth, "--version", "2.23.4,2.27")
        self.refused("--sure '80%': needs --parameters", *nccl, "--sure", "80%")
        self.refused("does not state its uncertainty", *nccl, "--sure", "80%", "--parameters", self.truth)
        self.refused("did you mean 'ring_step_s'?", *nccl, "--parameters",
                     fabric_file(self.path / "typo.json", ring_step=1))
        self.refused("its schema is not tutti-fabric/1", *nccl, "--parameters",
                     harness.SOURCE_DIR / "examples" / "fit" / "start.json")
        self.refused("it must be from", *nccl, "--parameters", fabric_file(self.path / "far.json", ring_step_s=5))
        self.refused("has an effect only on message models", "fit", run, *MACHINE, "--fit", "latency_s")
        self.refused("has an effect only on message models", "score", run, *MACHINE, "--by", "job")
        self.refused("has an effect only on machines of NCCL", "score", run, "--library", "2.23")
        self.refused("--only with --gpu: has an effect only on message models", "fit", run, *MACHINE, "--only", "x")
        self.refused("does not describe GPUs", "fit", run, *MACHINE, "--platform", "crossbar:16,bw=10Gbps,lat=1us")
        self.refused("give a multiple of 4, such as 20", "fit", "--plan", "10min", *MACHINE, "-p", 17)
        self.refused("has no value in /parameters", *nccl, "--parameters", self.with_uncertainty("ll128_hop_s"))
        self.refused("does not name the release", "fit", self.anonymous(run), *MACHINE)
        self.refused("--gpu 'h100'", "fit", run, "--gpu", "h100")
        self.refused("has an effect only on outputs of nccl-tests", "doctor", harness.SOURCE_DIR / "examples" / "fit" /
                     "osu_allreduce.txt", "-p", 16, "--platform", "crossbar:16,bw=100Gbps,lat=1us", "--parameters",
                     self.truth)
        self.refused("not for RCCL", "fit", run, "--gpu", "mi300x")
        self.refused("are a single node", "fit", "--plan", "10min", *MACHINE, "-p", 4)
        self.refused("--ranks is missing", "fit", "--plan", "10min", *MACHINE)
        self.refused("does not suffice", "fit", "--plan", "20s", *MACHINE, "-p", 64)
        self.assertIn("hardly determined: ll_message_s", harness.output("fit", self.measure("one", 2, way=("tree", "ll")),
                                                                       *MACHINE))
        done = harness.run("fit", harness.SOURCE_DIR / "examples" / "fit" / "osu_allreduce.txt", "-p", 16, *MACHINE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("it is not of nccl-tests", done.stderr)


if __name__ == "__main__":
    harness.main()
