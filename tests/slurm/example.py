"""The scripts of examples/sweep: RealSlurm hands them in to a Slurm that is started here, and says
so where it cannot be (a skip); Parts runs them without."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
TUTTI = pathlib.Path(os.environ["TUTTI_BINARY"])
SWEEP = TUTTI.parent / "tutti-sweep"
EXAMPLE = SOURCE_DIR / "examples" / "sweep"
TORUS = SOURCE_DIR / "platforms" / "torus_64.xml"
sys.path[:0] = [str(SOURCE_DIR / "tests"), str(SOURCE_DIR / "tests" / "cli")]

import one_node
import script_main
from sweeps import count_of, rows_of, wait_until

WHY_NOT = one_node.why_not()
BATCH = ["--nodes=1", "--ntasks=3", "--ntasks-per-node=3"]
SMALL = {"RANKS": "4..16*2", "SIZES": "1K..64K*4", "PLATFORM": str(TORUS)}
TIES = 24  # columns of a row before those of ties
LONG = {"RANKS": "64", "SIZES": "256..32K*2", "PLATFORM": str(TORUS)}


def alone(folder, collective, ranks, sizes, platform):
    """What one process writes."""
    database = folder / f"alone-{collective}.db"
    subprocess.run([TUTTI, "compare", collective, "-p", ranks, "-n", sizes, "--platform", platform,
                    "--db", database], check=True, capture_output=True)
    return rows_of(database)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


@unittest.skipIf(WHY_NOT, f"no Slurm here: {WHY_NOT}")
@unittest.skipIf(not SWEEP.exists(), "tutti-sweep is not built")
class RealSlurm(Folder):
    @classmethod
    def setUpClass(cls):
        os.environ["PATH"] = f"{TUTTI.parent}:{os.environ['PATH']}"
        cls.slurm = cls.enterClassContext(one_node.OneNode())

    def output_of(self, job):
        return "\n".join(p.read_text() for p in self.folder.glob(f"tutti-*{job}*.out"))

    def run_job(self, script, *options, expected="COMPLETED", **environment):
        job = self.slurm.submit(EXAMPLE / script, self.folder, *options, **environment)
        self.assertEqual(self.slurm.wait_for_job(job), expected, self.output_of(job))
        return job

    def test_batch(self):
        job = self.run_job("sweep.slurm", *BATCH, **SMALL)
        expected = alone(self.folder, "allreduce", *SMALL.values())
        self.assertEqual(rows_of(self.folder / "results.db"), expected)
        self.assertIn(" algorithms by simulated time", (self.folder / f"compare-{job}.txt").read_text())
        best = (self.folder / f"best-{job}.csv").read_text().splitlines()
        self.assertEqual(len(best), 1 + 3 * 4)

    def test_cancelled_and_submitted_again(self):
        database = self.folder / "results.db"
        job = self.slurm.submit(EXAMPLE / "sweep.slurm", self.folder, *BATCH, **LONG)
        wait_until(lambda: count_of(database) > 3)
        self.slurm.run("scancel", job)
        self.assertNotEqual(self.slurm.wait_for_job(job), "COMPLETED")
        expected = alone(self.folder, "allreduce", *LONG.values())
        before = rows_of(database)
        # A time is stored before it is known how much of it depends on ties.
        self.assertTrue({row[:TIES] for row in before} <= {row[:TIES] for row in expected})
        again = self.run_job("sweep.slurm", *BATCH, **LONG)
        self.assertIn("already", self.output_of(again))
        self.assertEqual(rows_of(database), expected)

    def test_a_lost_task_ends_the_job(self):
        database = self.folder / "results.db"
        job = self.slurm.submit(EXAMPLE / "sweep.slurm", self.folder, *BATCH, **LONG)
        wait_until(lambda: count_of(database) > 3)
        ranks = [int(p.name) for p in pathlib.Path("/proc").glob("[0-9]*")
                 if os.path.basename(os.readlink(p / "exe") if os.access(p / "exe", os.R_OK) else "")
                 == "tutti-sweep" and f"SLURM_JOB_ID={job}".encode() in
                 (p / "environ").read_bytes().split(b"\0") and b"SLURM_PROCID=2" in
                 (p / "environ").read_bytes().split(b"\0")]
        self.assertEqual(len(ranks), 1)
        os.kill(ranks[0], signal.SIGKILL)
        self.assertEqual(self.slurm.wait_for_job(job), "FAILED", self.output_of(job))
        self.run_job("sweep.slurm", *BATCH, **LONG)
        self.assertEqual(rows_of(database), alone(self.folder, "allreduce", *LONG.values()))

    def test_array(self):
        self.run_job("sweep_array.slurm", "--cpus-per-task=2", "--array=0-1", **SMALL)
        for collective in ["allreduce", "bcast"]:
            self.assertEqual(rows_of(self.folder / f"results-{collective}.db"),
                             alone(self.folder, collective, *SMALL.values()))
        self.assertFalse((self.folder / "results-alltoall.db").exists())
        join = re.search(r"#   (tutti query results-.*?)  +#", (EXAMPLE / "sweep_array.slurm")
                         .read_text())[1]
        subprocess.run(["bash", "-ec", join], cwd=self.folder, check=True, capture_output=True)
        self.assertEqual(count_of(self.folder / "results.db"),
                         sum(count_of(self.folder / f"results-{c}.db")
                             for c in ["allreduce", "bcast"]))


class Parts(Folder):
    """Without Slurm: srun is played by a script that runs the command once."""

    def run_script(self, script, **environment):
        stand_in = self.folder / "bin"
        stand_in.mkdir(exist_ok=True)
        (stand_in / "srun").write_text('#!/bin/sh\nshift\nexec "$@"\n', encoding="utf-8")
        (stand_in / "srun").chmod(0o755)
        return subprocess.run(
            ["bash", EXAMPLE / script], cwd=self.folder, capture_output=True, text=True,
            check=False, env={**os.environ, "PATH": f"{stand_in}:{TUTTI.parent}:{os.environ['PATH']}",
                              "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                              "SLURM_JOB_ID": "7", **environment})

    def test_slurms_options_are_known(self):
        for script in EXAMPLE.glob("*.slurm"):
            lines = [l for l in script.read_text().splitlines() if l.startswith("#SBATCH")]
            self.assertGreater(len(lines), 3)
            for line in lines:
                self.assertRegex(line, r"^#SBATCH --(job-name|nodes|ntasks|ntasks-per-node|"
                                       r"cpus-per-task|array|time|output)=\S+$")

    def test_batch(self):
        if not SWEEP.exists():
            self.skipTest("tutti-sweep is not built")
        done = self.run_script("sweep.slurm", **SMALL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(rows_of(self.folder / "results.db"),
                         alone(self.folder, "allreduce", *SMALL.values()))

    def test_array(self):
        done = self.run_script("sweep_array.slurm", SLURM_ARRAY_TASK_ID="1", **SMALL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(rows_of(self.folder / "results-bcast.db"),
                         alone(self.folder, "bcast", *SMALL.values()))


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
