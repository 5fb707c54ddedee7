"""Compares the rates of schedules on clusters of GPUs with published measurements of large collectives.

A published rate is nccl-tests' bus bandwidth in GB/s. A cluster has the defaults of its GPU, which are the rates of
links; what starts a message, and the protocols of NCCL, matter less the larger the message. Rates of NVLS are not
here, because a reduction within the switch of a node moves fewer bytes.
"""

import pathlib
import tempfile
import unittest

import harness

GIB = 1 << 30
EXAMPLE = harness.SOURCE_DIR / "examples/gpu_clusters"
RINGS = EXAMPLE / "node_rings.sched"
LANES = EXAMPLE / "rail_lanes.sched"
DIRECT = ["allreduce/sra_knomial", "--radix", "8"]  # all links of a mesh at once
NVIDIA = "NVIDIA/nccl issue"
BENCHMARKS = "stas00/ml-engineering, network/benchmarks"

# Cluster, GPUs, collective and schedule, bytes, measured GB/s, source. {n} stands for the bytes.
PUBLISHED = [
    (["a100", 1], 8, ["allreduce/ring"], 16 * GIB, 234.9, BENCHMARKS),
    (["h100", 1], 8, ["allreduce/ring"], 4 * GIB, 367.5, f"{NVIDIA} 1455: 365 to 370"),
    (["h200", 1], 8, ["allreduce/ring"], 16 * GIB, 367.6, f"{BENCHMARKS}, NVLS off"),
    (["h200", 1], 8, ["allgather/ring"], 16 * GIB, 361.4, BENCHMARKS),
    (["h200", 1], 8, ["reduce_scatter/ring"], 16 * GIB, 362.9, BENCHMARKS),
    (["b200", 1], 8, ["allreduce/ring"], 8 * GIB, 682, f"{BENCHMARKS}, ring"),
    (["mi300x", 1], 8, DIRECT, 4 * GIB, 312.9, BENCHMARKS),
    (["mi300x", 1], 2, ["allreduce/ring"], 4 * GIB, 47.7, BENCHMARKS),
    (["gaudi3", 1], 8, DIRECT, GIB // 4, 513, "docs.habana.ai, Collectives_Performance"),
    (["a100", 4], 32, [RINGS], 4 * GIB, 192, f"{NVIDIA} 812, for 16 and more GPUs"),
    (["h100", 2, "--card-bw", "200Gbps"], 16, [LANES], 8 * GIB, 338.8, "lessizzmore/create-a3mega-ztan-fork"),
    (["h100", 8], 64, [RINGS], 8 * GIB, 386.6, "coreweave/nccl-tests"),
    (["h200", 4], 32, [RINGS], 4 * GIB, 364.9, f"{BENCHMARKS}, ring, 16 cards of 200 Gb/s"),
    (["b200", 4], 32, [RINGS], 16 * GIB, 381.8, BENCHMARKS),
]


class GpuRates(unittest.TestCase):
    def test_rates_are_within_a_tenth_of_published_ones(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        platform = pathlib.Path(folder.name) / "gpus.xml"
        for (gpu, nodes, *figures), ranks, schedule, size, published, source in PUBLISHED:
            with self.subTest(gpu=gpu, nodes=nodes, schedule=schedule, source=source):
                harness.output("platform", "gpu", "--gpu", gpu, "--nodes", nodes, *figures, "-o", platform)
                run = harness.json_output("simulate", *schedule, "-p", ranks, "-n", size, "--platform", platform,
                                          "--ports", "unlimited", "--json", "-")
                rounds = 1 if run["collective"] in ("allgather", "reduce_scatter") else 2
                rate = rounds * (ranks - 1) / ranks * size / run["simulated_s"] / 1e9
                print(f"{gpu} x {ranks}: {rate:.1f} GB/s, published {published} ({rate / published - 1:+.1%})")
                self.assertLess(abs(rate / published - 1), 0.1)


if __name__ == "__main__":
    harness.main()
