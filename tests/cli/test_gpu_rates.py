"""Compares the rates of schedules on clusters of GPUs with published measurements of large collectives.

A published rate is nccl-tests' bus bandwidth in GB/s. A cluster has the defaults of its GPU, which are the rates of
links; what starts a message, and the protocols of NCCL, matter less the larger the message. Rates of NVLS are not
here, because a reduction within the switch of a node moves fewer bytes. The table in docs/how_to/gpu_clusters.md has
the same rates, and is compared with them.
"""

import pathlib
import re
import tempfile
import unittest

import harness

GIB = 1 << 30
PAGE = harness.SOURCE_DIR / "docs/how_to/gpu_clusters.md"
EXAMPLE = harness.SOURCE_DIR / "examples/gpu_clusters"
RINGS = EXAMPLE / "node_rings.sched"
LANES = EXAMPLE / "rail_lanes.sched"
DIRECT = ["allreduce/sra_knomial", "--radix", "8"]  # all links of a mesh at once
NVIDIA = "NVIDIA/nccl issue"
BENCHMARKS = "stas00/ml-engineering, network/benchmarks"

# Cluster, GPUs, collective and schedule, bytes, measured GB/s (or the lowest and the highest rate), source. The table
# of the page has the same order.
PUBLISHED = [
    (["a100", 1], 8, ["allreduce/ring"], 16 * GIB, 234.9, BENCHMARKS),
    (["h100", 1], 8, ["allreduce/ring"], 4 * GIB, (365, 370), f"{NVIDIA} 1455"),
    (["h200", 1], 8, ["allreduce/ring"], 16 * GIB, 367.6, f"{BENCHMARKS}, NVLS off"),
    (["b200", 1], 8, ["allreduce/ring"], 8 * GIB, 682, f"{BENCHMARKS}, ring"),
    (["h200", 1], 8, ["allgather/ring"], 16 * GIB, 361.4, BENCHMARKS),
    (["h200", 1], 8, ["reduce_scatter/ring"], 16 * GIB, 362.9, BENCHMARKS),
    (["mi300x", 1], 8, DIRECT, 4 * GIB, 312.9, BENCHMARKS),
    (["mi300x", 1], 2, ["allreduce/ring"], 4 * GIB, 47.7, BENCHMARKS),
    (["gaudi3", 1], 8, DIRECT, GIB // 4, 513, "docs.habana.ai, Collectives_Performance"),
    (["a100", 4], 32, [RINGS], 4 * GIB, 192, f"{NVIDIA} 812, for 16 and more GPUs"),
    (["h100", 2, "--card-bw", "200Gbps"], 16, [LANES], 8 * GIB, 338.8, "lessizzmore/create-a3mega-ztan-fork"),
    (["h100", 8], 64, [RINGS], 8 * GIB, 386.6, "coreweave/nccl-tests"),
    (["h200", 4], 32, [RINGS], 4 * GIB, 364.9, f"{BENCHMARKS}, ring, 16 cards of 200 Gb/s"),
    (["b200", 4], 32, [RINGS], 16 * GIB, 381.8, BENCHMARKS),
]


def rows_of_page():
    """Returns the cells of each row of the page's table of rates: cluster, GPUs, size, measured, simulated."""
    table = re.search(r"^\| cluster \| GPUs \| size .*\n\|[-|]*\n((?:\|.*\n)+)", PAGE.read_text(encoding="utf-8"), re.M)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def gamma_free_rates_of_page():
    """Returns the rates without time for reductions, which the page tells for the first rows of the table."""
    sentence = re.search(r"`--gamma 0` the first four rows have ([\d., and]+) GB/s", PAGE.read_text(encoding="utf-8"))
    return re.findall(r"\d+\.\d", sentence[1])


def simulated_rate(schedule, ranks, size, platform, *options):
    """Returns the bus bandwidth in GB/s."""
    run = harness.json_output("simulate", *schedule, "-p", ranks, "-n", size, "--platform", platform, "--ports",
                              "unlimited", *options, "--json", "-")
    rounds = 1 if run["collective"] in ("allgather", "reduce_scatter") else 2
    return rounds * (ranks - 1) / ranks * size / run["simulated_s"] / 1e9


def size_text(size):
    return f"{size // GIB} GiB" if size % GIB == 0 else f"{size // (GIB >> 10)} MiB"


class GpuRates(unittest.TestCase):
    def test_rates_are_within_a_tenth_of_published_ones_and_as_on_the_page(self):
        rows = rows_of_page()
        self.assertEqual(len(rows), len(PUBLISHED))
        free_rates = gamma_free_rates_of_page()
        self.assertEqual(len(free_rates), 4)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        platform = pathlib.Path(folder.name) / "gpus.xml"
        for i, ((gpu, nodes, *figures), ranks, schedule, size, measured, source) in enumerate(PUBLISHED):
            low, high = measured if isinstance(measured, tuple) else (measured, measured)
            published = (low + high) / 2
            with self.subTest(gpu=gpu, nodes=nodes, schedule=schedule, source=source):
                harness.output("platform", "gpu", "--gpu", gpu, "--nodes", nodes, *figures, "-o", platform)
                rate = simulated_rate(schedule, ranks, size, platform)
                print(f"{gpu} x {ranks}: {rate:.1f} GB/s, published {published} ({rate / published - 1:+.1%})")
                self.assertLess(abs(rate / published - 1), 0.1)
                cluster, *cells = rows[i]
                self.assertIn(gpu.upper(), cluster.replace(" ", "").upper())
                self.assertEqual(cells, [str(ranks), size_text(size), str(low) if low == high else f"{low} to {high}",
                                         f"{rate:.1f}"])
                if i < len(free_rates):
                    free_rate = simulated_rate(schedule, ranks, size, platform, "--gamma", 0)
                    self.assertEqual(f"{free_rate:.1f}", free_rates[i])


if __name__ == "__main__":
    harness.main()
