"""Compares times of SimGrid's own MPI, SMPI, with those of tutti. SMPI adds a header of 16 bytes to every
message, so the tests add it in tutti too. Messages do not wait for ports, and reductions take no time.

ThirdOpinion runs tutti-mpi itself on a simulated crossbar. PostedReceives calls SMPI's collectives, whose
code comes from Open MPI, on networks with shared links."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE_DIR / "tests"))

import script_main

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
    """Runs tutti-mpi under SMPI. Returns {algorithm: simulated seconds}."""
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

    def test_times_agree_with_smpi(self):
        worst = 0
        for ranks in range(2, 18):
            # A size that is divisible into any number of equal blocks up to 16, and a size with uneven
            # blocks.
            for size in (8 * 720720, 8 * 1009):
                for algorithm, smpi_s in under_smpi(ranks, size).items():
                    tutti_s = simulated(ranks, size, algorithm)
                    worst = max(worst, abs(smpi_s / tutti_s - 1))
                    with self.subTest(ranks=ranks, size=size, algorithm=algorithm):
                        self.assertAlmostEqual(smpi_s / tutti_s, 1, delta=1e-6)
        print(f"largest relative difference: {worst:.1e}")


BACKBONE = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-15" speed="1Gf" bw="1GBps" lat="1us"
           bb_bw="2GBps" bb_lat="1us"/>
</platform>
"""
PLATFORMS = {
    "torus": ["torus", "--dims", "4,4", "--bw", "1GBps", "--lat", "1us"],
    "thin_tree": ["fat_tree", "--down", "4,4", "--up", "1,2", "--bw", "1GBps", "--lat",
                  "1us"],
}


def collectives(ranks):
    """Returns [(collective, SMPI's algorithm, tutti's algorithm, bytes, segment size that SMPI chooses)]."""
    chain = ["--tree", "chain"]
    return [
        ("reduce", "ompi_binary", ["reduce/pipeline", "--tree", "binary"], 140_000, 32768),
        ("reduce", "ompi_chain", ["reduce/pipeline", *chain, "--radix", ranks // 2], 280_000,
         65536),
        ("reduce", "ompi_pipeline", ["reduce/pipeline", *chain], 200_000,
         32768 if ranks > 2 else 65536),
        ("reduce", "ompi_binomial", ["reduce/pipeline", "--tree", "binomial"], 8_200,
         1024 if ranks > 7 else 0),
        ("reduce", "ompi_in_order_binary", ["reduce/in_order_binary"], 8_200, 0),
        ("bcast", "ompi_split_bintree", ["bcast/split_binary_tree"], 12_400, 1024),
        ("bcast", "ompi_pipeline", ["bcast/pipeline", *chain], 80_000,
         16384 if 2 < ranks < 10 else 0),
    ]


class PostedReceives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text_of("smpicc", "-O2", SOURCE_DIR / "tests/mpi/smpi_call.c", "-o", "smpi_call")
        pathlib.Path("backbone.xml").write_text(BACKBONE)
        for name, arguments in PLATFORMS.items():
            pathlib.Path(f"{name}.xml").write_text(text_of(TUTTI, "platform", *arguments))
        pathlib.Path("hosts16").write_text("".join(f"node-{i}\n" for i in range(16)))

    @staticmethod
    def smpi_s(platform, ranks, collective, algorithm, size, root):
        settings = [*PURE, "network/optim:Full", "smpi/async-small-thresh:0",
                    f"smpi/{collective}:{algorithm}"]
        return max(float(line) for line in text_of(
            SMPIRUN, "-np", ranks, "-platform", f"{platform}.xml", "-hostfile", "hosts16",
            *(f"--cfg={setting}" for setting in settings), "--log=root.thresh:critical",
            "./smpi_call", collective, size // 8, root, timeout=300).split())

    @staticmethod
    def tutti_s(platform, ranks, ours, size, segment, root):
        schedule = text_of(TUTTI, "show", *ours, "-p", ranks, "-n", size, "--root", root, "--cuts",
                           "open_mpi", *(["--segment", segment] if segment else []), "--format",
                           "notation")
        schedule = re.sub(r"Comm\((\d+),(\d+),(\d+), [^)]*\)", lambda found:
                          f"Comm({found[1]},{found[2]},{int(found[3]) + HEADER_BYTES})", schedule)
        pathlib.Path("call.tutti").write_text(schedule)
        return json.loads(text_of(
            TUTTI, "simulate", "call.tutti", "--platform", f"{platform}.xml", "--ports",
            "unlimited", "--gamma", "0", "--json", "-"))["simulated_s"]

    def test_times_agree_with_smpi(self):
        worst = 0
        for platform in ("backbone", *PLATFORMS):
            for ranks in (2, 3, 4, 5, 7, 8, 9, 12, 16):
                for collective, theirs, ours, size, segment in collectives(ranks):
                    root = ranks // 3
                    with self.subTest(platform=platform, ranks=ranks, collective=collective,
                                      algorithm=theirs):
                        smpi_s = self.smpi_s(platform, ranks, collective, theirs, size, root)
                        tutti_s = self.tutti_s(platform, ranks, ours, size, segment, root)
                        worst = max(worst, abs(smpi_s / tutti_s - 1))
                        self.assertAlmostEqual(smpi_s / tutti_s, 1, delta=1e-6)
        print(f"largest relative difference: {worst:.1e}")


if __name__ == "__main__":
    script_main.main()
