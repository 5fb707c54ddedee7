"""Tests the scripts of examples/sweep. RealSlurm submits them to a Slurm that it starts itself; it is skipped
with a reason if that is not possible. Parts runs them without Slurm."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
TUTTI = pathlib.Path(os.environ["TUTTI_BINARY"])
EXAMPLE = SOURCE_DIR / "examples" / "sweep"
TORUS = SOURCE_DIR / "platforms" / "torus_64.xml"
sys.path[:0] = [str(SOURCE_DIR / "tests"), str(SOURCE_DIR / "tests" / "cli")]

import one_node
import script_main
from sweeps import rows_of, wait_until

WHY_NOT = one_node.why_not()
BATCH = ["--nodes=1", "--ntasks=3", "--ntasks-per-node=3", "--cpus-per-task=1"]
SMALL = {"RANKS": "4..16*2", "SIZES": "1K..64K*4", "PLATFORM": str(TORUS)}
TIES = 24  # number of columns of a row before the columns about ties
LONG = {"RANKS": "64", "SIZES": "256..32K*2", "PLATFORM": str(TORUS)}


def alone(folder, collective, ranks, sizes, platform):
    """Runs the whole sweep in a single process, and returns the rows of its database."""
    database = folder / f"alone-{collective}.db"
    subprocess.run([TUTTI, "compare", collective, "-p", ranks, "-n", sizes, "--platform", platform,
                    "--db", database], check=True, capture_output=True)
    return rows_of(database)


def untied(rows):
    """Returns the columns of the rows before those about ties, which shards do not fill in."""
    return sorted({row[:TIES] for row in rows}, key=repr)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


@unittest.skipIf(WHY_NOT, f"no Slurm here: {WHY_NOT}")
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

    def rows(self):
        return {row for database in self.folder.glob("results-*.db") for row in rows_of(database)}

    def test_batch_job(self):
        self.run_job("sweep.slurm", *BATCH, **SMALL)
        self.assertEqual(len(list(self.folder.glob("results-0-*.db"))), 3)
        self.assertEqual(untied(self.rows()), untied(alone(self.folder, "allreduce", *SMALL.values())))

    def test_a_cancelled_job_continues_when_submitted_again(self):
        job = self.slurm.submit(EXAMPLE / "sweep.slurm", self.folder, *BATCH, **LONG)
        wait_until(lambda: len(self.rows()) > 3)
        self.slurm.run("scancel", job)
        self.assertNotEqual(self.slurm.wait_for_job(job), "COMPLETED")
        expected = untied(alone(self.folder, "allreduce", *LONG.values()))
        self.assertTrue(set(untied(self.rows())) <= set(expected))
        again = self.run_job("sweep.slurm", *BATCH, **LONG)
        self.assertIn("already", self.output_of(again))
        self.assertEqual(untied(self.rows()), expected)

    def test_array_job_and_join(self):
        self.run_job("sweep.slurm", "--nodes=1", "--ntasks=1", "--cpus-per-task=2", "--array=3-7:2",
                     **SMALL)
        self.assertEqual(sorted(p.name for p in self.folder.glob("results-*.db")),
                         [f"results-{task}-0.db" for task in (3, 5, 7)])
        join = re.search(r"#   (tutti query results-.*)", (EXAMPLE / "sweep.slurm").read_text())[1]
        subprocess.run(["bash", "-ec", join], cwd=self.folder, check=True, capture_output=True)
        self.assertEqual(untied(rows_of(self.folder / "results.db")),
                         untied(alone(self.folder, "allreduce", *SMALL.values())))


class Parts(Folder):
    """Tests without Slurm. A script that runs its command twice replaces srun."""

    def run_script(self, script, **environment):
        stand_in = self.folder / "bin"
        stand_in.mkdir(exist_ok=True)
        (stand_in / "srun").write_text(
            '#!/bin/sh\nexport SLURM_STEP_NUM_TASKS=2\n'
            'SLURM_PROCID=0 "$@" && SLURM_PROCID=1 "$@"\n', encoding="utf-8")
        (stand_in / "srun").chmod(0o755)
        return subprocess.run(
            ["bash", EXAMPLE / script], cwd=self.folder, capture_output=True, text=True,
            check=False, env={**os.environ, "PATH": f"{stand_in}:{TUTTI.parent}:{os.environ['PATH']}",
                              **environment})

    def test_scripts_use_only_known_slurm_options(self):
        for script in EXAMPLE.glob("*.slurm"):
            lines = [l for l in script.read_text().splitlines() if l.startswith("#SBATCH")]
            self.assertGreater(len(lines), 3)
            for line in lines:
                self.assertRegex(line, r"^#SBATCH --(job-name|nodes|ntasks|ntasks-per-node|"
                                       r"cpus-per-task|array|time|output)=\S+$")

    def test_batch_script(self):
        done = self.run_script("sweep.slurm", **SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tutti: shard 2/2: ", done.stderr)
        rows = [row for k in (0, 1) for row in rows_of(self.folder / f"results-0-{k}.db")]
        self.assertEqual(untied(rows), untied(alone(self.folder, "allreduce", *SMALL.values())))


class Tools(Folder):
    """Tests other tools that start the shards of a sweep on one machine."""

    def run_here(self, command):
        subprocess.run(["bash", "-ec", command], cwd=self.folder, check=True, capture_output=True,
                       env={**os.environ, "PATH": f"{TUTTI.parent}:{os.environ['PATH']}"})

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_gnu_parallel(self):
        line = re.search(r"`(seq .*?)` \|$", (EXAMPLE / "README.md").read_text(), re.MULTILINE)[1]
        self.run_here(line.replace("\\|", "|").replace(
            "...", f"allreduce -p {SMALL['RANKS']} -n {SMALL['SIZES']} --platform {TORUS}"))
        rows = [row for k in range(1, 9) for row in rows_of(self.folder / f"shard-{k}.db")]
        self.assertEqual(untied(rows), untied(alone(self.folder, "allreduce", *SMALL.values())))

    @unittest.skipUnless(shutil.which("snakemake"), "Snakemake is not installed")
    def test_snakemake(self):
        self.run_here(f"snakemake --cores 2 -s {EXAMPLE / 'Snakefile'}")
        self.assertIn("by simulated time", (self.folder / "table.txt").read_text())


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
