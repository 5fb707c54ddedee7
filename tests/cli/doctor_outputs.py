"""Writes outputs as nccl-tests prints them, of healthy machines and of machines with a planted fault.

Healthy times are those of tutti nccl: the simulated time where there is one, otherwise that of NCCL's model.
Each has noise of its own.
"""
import json
import math
import random

FACTORS = {"allreduce": lambda p: 2 * (p - 1) / p, "allgather": lambda p: (p - 1) / p,
           "reduce_scatter": lambda p: (p - 1) / p, "alltoall": lambda p: (p - 1) / p, "bcast": lambda p: 1}
PROGRAMS = {"allreduce": "all_reduce", "allgather": "all_gather", "reduce_scatter": "reduce_scatter",
            "alltoall": "alltoall", "bcast": "broadcast"}
DEVICES = {"h100": "NVIDIA H100 80GB HBM3", "a100": "NVIDIA A100-SXM4-80GB", "h200": "NVIDIA H200",
           "b200": "NVIDIA B200", "b300": "NVIDIA B300", "h800": "NVIDIA H800", "gb200": "NVIDIA GB200",
           "mi300x": "AMD Instinct MI300X"}


class Machine:
    """The healthy times of a call on a machine."""

    def __init__(self, tutti, collective, ranks, gpu, sizes, options=()):
        self.collective, self.ranks, self.gpu = collective, ranks, gpu
        text = tutti("nccl", collective, "-p", str(ranks), "-n", sizes, "--gpu", gpu, *options, "--json", "-")
        self.times = {}
        for cell in json.loads(text)["cells"]:
            choice = cell["choice"]
            if choice is None:
                self.times[cell["bytes"]] = cell["grouped"]["simulated_s"]
                continue
            way = next(way for way in cell["ways"] if (way["algorithm"], way["protocol"])
                       == (choice["algorithm"], choice["protocol"]))
            model = way["time_us"] / 1e6
            self.times[cell["bytes"]] = math.sqrt(model * (way["simulated_s"] or model))


# Published all-reduces of healthy machines, which are independent of tutti's models: microseconds by bytes, or GB/s
# (busbw). NVIDIA/dgxc-benchmarking, nccl/README.md (8 H100); stas00/ml-engineering, network/benchmarks (8 A100, 8
# H200, 8 and 32 B200); lessizzmore/create-a3mega-ztan-fork (16 H100 with 8 cards of 200 Gb/s on each node).
K, MIB, GIB = 2 ** 10, 2 ** 20, 2 ** 30
PUBLISHED_US = {
    ("h100", 8): {8: 13.7, K: 16.9, 64 * K: 19.5, 512 * K: 20.7, MIB: 27.4, 4 * MIB: 54.2, 16 * MIB: 123.8,
                  64 * MIB: 324.7, 256 * MIB: 1112, GIB: 4029, 8 * GIB: 31304},
    ("a100", 8): {32 * K: 43.8, MIB: 101.9, 16 * MIB: 276.6, GIB: 8204, 16 * GIB: 127990},
    ("h100", 16): {8: 123, K: 123, MIB: 203, 16 * MIB: 978, 128 * MIB: 1652, GIB: 6759, 8 * GIB: 47539},
}
PUBLISHED_BUSBW = {
    ("h200", 8): {32 * K: 1.44, MIB: 39.9, 16 * MIB: 219.9, 64 * MIB: 346.5, 256 * MIB: 436.2, GIB: 463.6,
                  16 * GIB: 482.3},
    ("b200", 8): {MIB: 36.1, 64 * MIB: 400.6, GIB: 723, 16 * GIB: 845.7},
    ("b200", 32): {MIB: 5.4, 16 * MIB: 64.4, 64 * MIB: 157, 256 * MIB: 229, GIB: 362, 16 * GIB: 381.8},
}


class VendorTimes:
    """Times of an all-reduce that were published, at all powers of two, between them on straight lines of
    logarithms."""

    collective = "allreduce"

    def __init__(self, gpu, ranks):
        self.gpu, self.ranks = gpu, ranks
        factor = FACTORS["allreduce"](ranks)
        known = {n: us / 1e6 for n, us in PUBLISHED_US.get((gpu, ranks), {}).items()}
        known.update({n: n * factor / busbw / 1e9 for n, busbw in PUBLISHED_BUSBW.get((gpu, ranks), {}).items()})
        sizes = sorted(known)
        self.times = {}
        for low, high in zip(sizes, sizes[1:]):
            n = low
            while n <= high:
                part = math.log(n / low) / math.log(high / low)
                self.times[n] = known[low] ** (1 - part) * known[high] ** part
                n *= 2


class Output:
    """An output of nccl-tests. `rows`: bytes, seconds out of place, seconds in place, wrong results."""

    def __init__(self, machine, seed, noise=0.02):
        self.machine = machine
        self.random = random.Random(seed)
        self.rows = [[n, time * self.noisy(noise), time * self.noisy(noise), 0]
                     for n, time in sorted(machine.times.items())]
        self.factor_ranks = machine.ranks
        self.copies_of_header = 1
        self.before = ""
        self.nodes = math.ceil(machine.ranks / 8)

    def noisy(self, noise):
        return math.exp(self.random.gauss(0, noise))

    def scale(self, times, which=lambda n: True):
        for row in self.rows:
            if which(row[0]):
                row[1] = times(row[0], row[1])
                row[2] = times(row[0], row[2])
        return self

    def text(self):
        machine = self.machine
        program = PROGRAMS[machine.collective]
        lines = [self.before] if self.before else []
        for _ in range(self.copies_of_header):
            lines += [f"# nThread 1 nGpus 1 minBytes {self.rows[0][0]} maxBytes {self.rows[-1][0]} step: 2(factor) "
                      "warmup iters: 5 iters: 20 agg iters: 1 validate: 1 graph: 0", "#", "# Using devices"]
            per_node = math.ceil(machine.ranks / self.nodes)
            for rank in range(machine.ranks):
                lines.append(f"#  Rank {rank:2} Group  0 Pid {4000 + rank:6} on node{rank // per_node:03} device "
                             f"{rank % per_node:2} [0x{rank % per_node + 1:02x}] {DEVICES[machine.gpu]}")
        redop = "sum" if machine.collective in ("allreduce", "reduce_scatter") else "none"
        root = 0 if machine.collective == "bcast" else -1
        lines += [f"# Collective test starting: {program}_perf",
                  "#                                        out-of-place                       in-place",
                  "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
                  "  algbw   busbw #wrong",
                  "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
                  " (GB/s)  (GB/s)       "]
        factor = FACTORS[machine.collective](self.factor_ranks) if self.factor_ranks > 1 else 0
        total = 0
        for n, out, inside, wrong in self.rows:
            parts = ""
            for time in (out, inside):
                rate = n / time / 1e9
                total += rate * factor
                parts += f" {time * 1e6:8.2f} {rate:7.2f} {rate * factor:7.2f} {wrong:6}"
            parts_of = 1 if machine.collective in ("allreduce", "bcast") else machine.ranks
            lines.append(f"{n:12} {n // 4 // parts_of:12}     float {redop:>7} {root:7}{parts}")
        lines += ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {total / 2 / len(self.rows):.4f}", "#"]
        return "\n".join(lines) + "\n"
