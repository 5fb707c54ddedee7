"""The executor inside SimGrid: its MPI, under smpirun, runs tutti-mpi itself on a simulated crossbar.
Its time is what tutti simulates for the same platform, with the 16 bytes that SMPI adds to every
message, messages that need not wait for ports, and reductions for nothing."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE_DIR / "tests"))

import told

TUTTI = os.environ["TUTTI_BINARY"]
MODULE = os.environ["TUTTI_SMPI_MODULE"]
SMPIRUN = os.environ["TUTTI_SMPIRUN"]
BUILD_DIR = os.environ["TUTTI_BUILD_DIR"]

ALPHA_NS = 2000
NS_PER_BYTE = 0.8  # 10 Gb/s
HEADER_BYTES = 16
ALGORITHMS = ["ring", "recursive_doubling", "rabenseifner", "circulant"]
PURE = ["network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
        "surf/precision:1e-12", "smpi/simulate-computation:no", "smpi/wtime:0", "smpi/or:0:0",
        "smpi/os:0:0", "smpi/ois:0:0", "smpi/send-is-detached-thresh:0"]


def text_of(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def under_smpi(ranks, size):
    """{algorithm: simulated seconds}"""
    pathlib.Path("crossbar.xml").write_text(text_of(
        TUTTI, "platform", "crossbar", "--hosts", ranks, "--bw", "10Gbps", "--lat", "2us"))
    pathlib.Path("hosts").write_text("".join(f"node-{i}\n" for i in range(ranks)))
    text_of(SMPIRUN, "-np", ranks, "-platform", "crossbar.xml", "-hostfile", "hosts",
            *(f"--cfg={setting}" for setting in PURE), "--log=root.thresh:critical", MODULE, "run",
            ",".join(f"allreduce/{name}" for name in ALGORITHMS), "-n", size, "--iterations", 1,
            "--warmup", 0, "--check", "library", "--json", "smpi.json", timeout=300)
    return {run["algorithm"]: run["median_s"]
            for run in json.loads(pathlib.Path("smpi.json").read_text())}


def simulated(ranks, size, algorithm):
    return json.loads(text_of(
        TUTTI, "simulate", f"allreduce/{algorithm}", "-p", ranks, "-n", size, "--ports", "unlimited",
        "--alpha", f"{ALPHA_NS + HEADER_BYTES * NS_PER_BYTE:.3f}ns", "--beta", "10Gbps", "--gamma", "0",
        "--json", "-"))["simulated_s"]


class ThirdOpinion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text_of("cmake", "--build", BUILD_DIR, "--target", "tutti-mpi-smpi")

    def test_times(self):
        worst = 0
        for ranks in range(2, 18):
            # A multiple of all blocks, and one that leaves some an element longer.
            for size in (8 * 720720, 8 * 1009):
                for algorithm, smpi_s in under_smpi(ranks, size).items():
                    tutti_s = simulated(ranks, size, algorithm)
                    worst = max(worst, abs(smpi_s / tutti_s - 1))
                    with self.subTest(ranks=ranks, size=size, algorithm=algorithm):
                        self.assertAlmostEqual(smpi_s / tutti_s, 1, delta=1e-6)
        print(f"largest relative difference: {worst:.1e}")


if __name__ == "__main__":
    told.main()
