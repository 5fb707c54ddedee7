"""Tests tutti fit --plan: the runs that it chooses determine the parameters, and its commands and files lead to a
fit."""

import csv
import json
import math
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

import harness

FOLDER = harness.SOURCE_DIR / "examples" / "fit"
POINTS = FOLDER / "points.csv"
TRUTH = json.loads((FOLDER / "truth.json").read_text())["parameters"]
NAMES = "send_overhead_s,latency_s,handshake_s,rank_bytes_per_s,reduce_s_per_byte"
MACHINE = ["--platform", harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"]
START = [*MACHINE, "--parameters", FOLDER / "start.json"]
STUDENT_7 = 2.3646  # 97.5 % quantile of Student's distribution with 7 degrees of freedom


def widths(fit):
    """Returns the mean logarithm of upper bound over lower bound."""
    return sum(math.log(each["high"] / each["low"]) for each in fit["parameters"]) / len(fit["parameters"])


def error(fit):
    """Returns the largest logarithm of fitted over true value."""
    return max(abs(math.log(each["fitted"] / TRUTH[each["name"]])) for each in fit["parameters"])


class Plan(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def library(self, name, parameters=None):
        """Writes a parameter file whose library can be forced to run algorithms."""
        model = json.loads((FOLDER / "start.json").read_text())
        model["library"] = name
        model["parameters"].update(parameters or {})
        path = self.path / "start.json"
        path.write_text(json.dumps(model))
        return [*MACHINE, "--parameters", path]

    def rows(self, text):
        return list(csv.DictReader(text.splitlines()))

    def plan(self, *arguments):
        plan = harness.json_output("fit", *arguments, "--json", "-")
        harness.validate(plan, "tutti-plan-1")
        self.assertAlmostEqual(plan["run_s"], sum(run["run_s"] for run in plan["runs"]))
        self.assertLessEqual(plan["run_s"], plan["allowed_s"])
        return plan

    def refused(self, text, *arguments):
        done = harness.run("fit", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_chosen_points_determine_the_parameters_better_than_random_ones(self):
        chosen = self.path / "chosen.csv"
        names = ["--fit", NAMES]
        dozen = [*names, "--plan", "30min", "--count", 12]
        plan = self.plan(POINTS, *START, *dozen)
        harness.output("fit", POINTS, *START, *dozen, "-o", chosen)
        self.assertEqual(len(self.rows(chosen.read_text())), 12)
        fit = harness.json_output("fit", chosen, *START, *names, "--json", "-")
        self.assertEqual(fit["points"], 12)
        for each in fit["parameters"]:
            self.assertTrue(each["low"] < TRUTH[each["name"]] < each["high"], each)
        lines = POINTS.read_text().splitlines()
        points = [line for line in lines[1:] if ",counts," in line]
        chance = random.Random(1)
        wider = []
        errors = []
        for _ in range(8):
            some = self.path / "some.csv"
            some.write_text("\n".join([lines[0], *chance.sample(points, 12)]) + "\n")
            other = self.plan(some, *START, *dozen)
            wider.append(len(other["parameters"]) < 5 or widths(other) > widths(plan))
            done = harness.run("fit", some, *START, *names, "--json", "-")
            errors.append(error(json.loads(done.stdout)) if done.returncode != 2 else math.inf)
        self.assertEqual(wider, [True] * 8)
        self.assertLess(error(fit), sorted(errors)[3])

    def test_the_points_file_has_the_measured_times(self):
        text = harness.output("fit", POINTS, *START, "--plan", "1min", "-o", "-", "--fit", "latency_s",
                              "--count", 3)
        times = {(row["job"], row["collective"], row["bytes"], row["tutti"]): float(row["median_us"])
                 for row in self.rows(POINTS.read_text()) if row["role"] == "counts"}
        rows = self.rows(text)
        self.assertEqual(len(rows), 3)
        for row in rows:
            key = row["job"], row["collective"], row["bytes"], row["tutti"]
            self.assertAlmostEqual(float(row["median_s"]) * 1e6, times[key])

    def test_expected_bounds_and_times_are_those_of_the_formulas(self):
        """A parameter on which the times depend alone: a broadcast of 8 bytes from rank 0 to rank 1."""
        path = self.path / "points.csv"
        path.write_text("collective,ranks,nodes,bytes,tutti,median_us\n" +
                        "".join(f"bcast,2,2,{size},linear,1\n" for size in range(8, 16)))
        model = self.path / "latency.json"
        model.write_text(json.dumps({"schema": "tutti-messages/1", "machine": "", "library": "none",
                                     "parameters": {"latency_s": 1e-5}}))
        plan = self.plan(path, *MACHINE, "--parameters", model, "--plan", "1min", "--elem-bytes", 1)
        # 8 slopes of nearly 1, errors of 10 %, and a factor of 10 before the runs; --elem-bytes 1
        [latency] = plan["parameters"]
        sd = 1 / math.sqrt(8 / 0.1**2 + 1 / math.log(10)**2)
        self.assertAlmostEqual(math.log(latency["high"] / 1e-5), STUDENT_7 * sd, delta=0.003)
        self.assertAlmostEqual(math.log(1e-5 / latency["low"]), STUDENT_7 * sd, delta=0.003)
        for run in plan["runs"]:
            self.assertAlmostEqual(run["call_s"], 1e-5, delta=1e-6)
            self.assertAlmostEqual(run["run_s"], 5 + 1100 * run["call_s"])
            self.assertEqual((run["tells"], run["command"]), (["latency_s"], None))

    def test_planned_runs_recover_the_parameters(self):
        """Runs the script of a plan in three jobs with a fake mpirun, which prints its command. Replaces the
        command by the output of the benchmark, with times that are simulated with the true parameters."""
        start = self.library("Open MPI 4.1.6")
        script = self.path / "plan.sh"
        few = ["-p", 16, "--ranks-per-host", 2, "--plan", "10min"]
        plan = self.plan(*start, *few, "-o", script)
        self.assertTrue(all(each["determined"] for each in plan["parameters"]))
        self.assertEqual({run["ranks_per_host"] for run in plan["runs"]}, {1, 2})
        truth = self.path / "truth.json"
        model = json.loads((FOLDER / "truth.json").read_text())
        truth.write_text(json.dumps({**model, "library": "Open MPI 4.1.6"}))
        here = {**self.fake_launchers(), "SOCKETS": "2"}
        for job in [{"SLURM_JOB_ID": "4711"}, {"PBS_JOBID": "4712.server"}, {}]:
            subprocess.run(["sh", "plan.sh"], cwd=self.path, check=True, env={**here, **job})
        jobs = sorted(path.name[len("run"):-len(".1.txt")] for path in self.path.glob("run*.1.txt"))
        self.assertEqual(jobs[1:], ["4711", "4712.server"])
        self.assertRegex(jobs[0], r"^20\d{6}-\d{6}$")  # the date
        titles = {"bcast": "Broadcast", "alltoall": "All-to-All"}
        chance = random.Random(2)
        for number, run in enumerate(plan["runs"], 1):
            printed = f"{run['algorithm']} -p {run['ranks']} --ranks-per-host {run['ranks_per_host']}"
            size = re.search(r"osu_(\w+) -f -m (\d+):\2$", run["command"])
            self.assertEqual(size[1], run["collective"])
            result = harness.json_output(
                "simulate", *printed.split(), "-n", run["bytes"], "--elem-bytes",
                4 if "reduce" in size[1] else 1, *MACHINE, "--parameters", truth, "--json", "-")
            title = titles.get(size[1], size[1].capitalize())
            for job in jobs:
                output = self.path / f"run{job}.{number}.txt"
                line = f"# tutti: {printed} --job {job}\n"
                settings, benchmark = self.parts(run["command"])
                place = "ppr:1:socket" if run["ranks_per_host"] == 2 else "ppr:1:node"
                self.assertEqual(output.read_text(), f"{line}mpirun -np {run['ranks']} --map-by {place} {benchmark}\n"
                                 f"{settings}")
                output.write_text(
                    f"{line}\n# OSU MPI {title} Latency Test v7.4\n# Size  Avg Latency(us)  Max Latency(us)\n"
                    f"{size[2]}  1.0  {result['simulated_s'] * 1e6 * math.exp(chance.gauss(0, 0.02)):.3f}\n")
        names = plan["next"].split()[-1]
        self.assertTrue(plan["next"].startswith("tutti fit run*.txt --platform "))
        fit = harness.json_output("fit", *sorted(self.path.glob("run*.txt")), *start, "--fit", names,
                                  "--json", "-")
        self.assertEqual((fit["points"], fit["jobs"]), (3 * len(plan["runs"]), jobs))
        self.assertEqual([each["name"] for each in fit["parameters"]],
                         [each["name"] for each in plan["parameters"]])
        for each in fit["parameters"]:
            with self.subTest(each["name"]):
                self.assertLess(abs(math.log(each["fitted"] / TRUTH[each["name"]])), math.log(1.25))

    def fake_launchers(self):
        """Makes commands that print their arguments and the settings. Returns the environment to use them."""
        for name in ["mpirun", "mpiexec", "srun"]:
            path = self.path / name
            path.write_text(f'#!/bin/sh\necho "{name} $*"\nenv | grep -E "^(OMPI_MCA|MPIR_CVAR)_" | sort\n')
            path.chmod(0o755)
        return {"PATH": f"{self.path}:{os.environ['PATH']}"}

    @staticmethod
    def parts(command):
        """Returns the settings of a command, as lines of an environment, and its benchmark."""
        settings = [f"OMPI_MCA_{name}={value}" for name, value in re.findall(r"--mca (\S+) (\S+)", command)]
        settings += re.findall(r"MPIR_CVAR_\S+", command)
        return "".join(f"{each}\n" for each in sorted(settings)), re.search(r"osu_.*", command)[0]

    def test_the_script_has_other_launchers_and_records_settings(self):
        few = ["-p", 8, "--ranks-per-host", 4, "--plan", "3min", "--only", "allreduce/", "--fit", "latency_s",
               "--count", 2]
        here = {**self.fake_launchers(), "SOCKETS": "2", "SLURM_JOB_ID": "7", "UCX_TLS": "rc,self", "SECRET": "x"}
        for library, launchers in (
                ("Open MPI 4.1.6", {"mpirun --hostfile h": "mpirun --hostfile h -np {p} --map-by {place} ",
                                    "srun --mpi=pmix": "srun --mpi=pmix {slurm}"}),
                ("MPICH 4.2", {"": "mpiexec -n {p} -ppn {k} -map-by socket ", "srun": "srun {slurm}"})):
            plan = self.plan(*self.library(library), *few, "-o", self.path / "plan.sh")
            for launcher, expected in launchers.items():
                subprocess.run(["sh", "plan.sh"], cwd=self.path, check=True, env={**here, "LAUNCHER": launcher})
                for number, run in enumerate(plan["runs"], 1):
                    settings, benchmark = self.parts(run["command"])
                    p, k = run["ranks"], run["ranks_per_host"]
                    first = expected.format(
                        p=p, k=k, place=f"ppr:{k // 2}:socket" if k > 1 else "ppr:1:node",
                        slurm=f"-N 2 -n {p} --ntasks-per-node={k} --distribution=block:cyclic ")
                    _, *lines = (self.path / f"run7.{number}.txt").read_text().splitlines(keepends=True)
                    self.assertEqual("".join(lines), f"{first}{benchmark}\n{settings}")
        recorded = (self.path / "environment7.txt").read_text()
        self.assertIn("UCX_TLS=rc,self\n", recorded)
        self.assertNotIn("SECRET", recorded)

    def test_commands(self):
        """Commands force the algorithm, and run it on as many ranks per node as the plan says."""
        few = ["-p", 8, "--ranks-per-host", 2, "--plan", "3min", "--only", "allreduce/"]
        plan = self.plan(*self.library("Open MPI 4.1.6"), *few, "--fit", "latency_s")
        ids = {"basic_linear": 1, "nonoverlapping --parts open_mpi": 2, "recursive_doubling": 3, "ring": 4,
               "segmented_ring": 5, "rabenseifner": 6}
        for run in plan["runs"]:
            number = ids[run["algorithm"].removeprefix("allreduce/")]
            self.assertEqual(
                run["command"],
                f"mpirun -np {run['ranks']} --map-by ppr:{run['ranks_per_host']}:node --mca "
                "coll_hcoll_enable 0 --mca coll_han_priority 0 --mca coll_tuned_use_dynamic_rules true "
                f"--mca coll_tuned_allreduce_algorithm {number} osu_allreduce -f -m "
                f"{run['bytes']}:{run['bytes']}")
        plan = self.plan(*self.library("MPICH 4.2"), "-p", 6, "--plan", "2min", "--only", "allgather/",
                         "--fit", "latency_s")
        names = {"bruck_mirrored": "brucks", "ring": "ring"}  # 6 is no power of two
        self.assertEqual({run["algorithm"].removeprefix("allgather/") for run in plan["runs"]}, set(names))
        for run in plan["runs"]:
            name = names[run["algorithm"].removeprefix("allgather/")]
            self.assertEqual(
                run["command"],
                f"MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM={name} mpiexec -n 6 "
                f"-ppn 1 osu_allgather -f -m {run['bytes'] // 6}:{run['bytes'] // 6}")

    def test_text(self):
        start = self.library("Open MPI 4.1.6")
        few = [*start, "-p", 8, "--plan", "2min", "--only", "allreduce/", "--count", 5]
        text = harness.output("fit", *few, "--fit", "latency_s,rank_bytes_per_s")
        plan = self.plan(*few, "--fit", "latency_s,rank_bytes_per_s")
        self.assertIn(f"5 runs of {plan['candidates']} candidates: about {plan['run_s']:.0f} s of 2 min", text)
        for run in plan["runs"]:
            self.assertIn(f"     {run['command']}\n", text)
            self.assertIn(f"{run['run_s']:.1f} s; determines {' and '.join(run['tells'])}",
                          re.sub(r"\n    (?! )", " ", text))
        for each in plan["parameters"]:
            self.assertRegex(text, rf"{each['name']} .* x {each['high'] / each['start']:.2f}\n")
        self.assertIn("With -o plan.sh, a script runs these commands with mpirun or srun", text)
        self.assertTrue(text.endswith(f"\nThen\n  {plan['next']}\n"))
        self.assertEqual(text, harness.output("fit", *few, "--fit", "latency_s,rank_bytes_per_s"))
        self.assertEqual(text, harness.output("fit", *few, "--fit", "latency_s,rank_bytes_per_s", "--jobs", 1))

    def test_candidates_with_many_operations_are_left_out(self):
        """Three all-to-alls on 256 ranks have 65,280 messages, in six sizes each. On one rank of each host, all are few."""
        start = self.library("Open MPI 4.1.6")
        result = harness.run("fit", *start, "-p", 256, "--ranks-per-host", 32, "--plan", "2min", "--only", "alltoall/",
                             "--fit", "latency_s", "--count", 2, "--json", "plan.json")
        self.assertRegex(result.stderr, r"candidates on up to 256 ranks; 18 candidates with more than 50,000 operations "
                                        r"are left out")

    def test_parameters_that_no_candidate_determines(self):
        start = self.library("Open MPI 4.1.6", {"node_latency_s": 1e-6, "memory_bytes_per_s": 1e12})
        plan = self.plan(*start, "-p", 8, "--plan", "2min", "--only", "allgather/")
        why = {each["name"]: each["why"] for each in plan["left_out"]}
        self.assertIn("every candidate has one rank per host", why["node_latency_s"])
        self.assertEqual(why["memory_bytes_per_s"],
                         "no candidate's time depends on it at 1e+12 B/s")
        self.assertIn("cannot tell it from", why["send_overhead_s"] if "send_overhead_s" in why
                      else why["receive_overhead_s"])
        self.assertFalse(set(why) & {each["name"] for each in plan["parameters"]})
        self.assertIn("Not worth fitting\n", harness.output("fit", *start, "-p", 8, "--plan", "2min",
                                                            "--only", "allgather/"))

    def test_bad_input(self):
        start = self.library("Open MPI 4.1.6")
        plan = ["--plan", "1min"]
        for text, arguments in (
                ("FILE is missing", [*start, "--fit", "latency_s"]),
                ("--fit is missing", [POINTS, *START]),
                ("--count '3': has an effect only with --plan", [POINTS, *START, "--fit", "latency_s",
                                                                 "--count", 3]),
                ("--plan 'soon'", [POINTS, *START, "--plan", "soon"]),
                ("--leave-out-jobs", [POINTS, *START, *plan, "--leave-out-jobs"]),
                ("library is 'none'", [*START, *plan, "-p", 8]),
                ("-p/--ranks is missing", [*start, *plan]),
                ("--platform is missing: name the machine for which the plan is", [*start[2:], *plan, "-p", 8]),
                ("-p/--ranks '1': must be", [*start, *plan, "-p", 1]),
                ("--job: --plan without a file", [*start, *plan, "-p", 8, "--job", "a"]),
                ("--algorithm: --plan without", [*start, *plan, "-p", 8, "--algorithm", "bcast/linear"]),
                ("--parameters is missing", [*MACHINE, *plan, "-p", 8]),
                ("give --count 3 or more", [POINTS, *START, *plan, "--fit", "latency_s,handshake_s",
                                            "--count", 2]),
                ("1 run cannot determine 1 parameter; give more than 6 s",
                 [POINTS, *START, "--plan", "6s", "--fit", "latency_s"]),
                ("no candidate determines any parameter; wire_latency_factor",
                 [POINTS, *START, *plan, "--only", "/allgather/256/16", "--fit", "wire_latency_factor"])):
            with self.subTest(text=text):
                self.refused(text, *arguments)


if __name__ == "__main__":
    harness.main()
