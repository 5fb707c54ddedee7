"""Tests tutti doctor on a corpus of outputs: with planted faults, each of which must be named among the first
three symptoms, and without, which must be called right."""
import pathlib
import tempfile
import unittest

import harness
from doctor_outputs import DEVICES, Machine, Output, VendorTimes

SIZES = "8..8GiB*2"
MIB = 2 ** 20
GIB = 2 ** 30


def machines():
    def of(collective, ranks, gpu, *options, sizes=SIZES):
        return Machine(harness.output, collective, ranks, gpu, sizes, options)
    return {
        "node": of("allreduce", 8, "h100"), "a100": of("allreduce", 8, "a100"), "b200": of("allreduce", 8, "b200"),
        "two": of("allreduce", 16, "h100", "--model-only"), "four": of("allreduce", 32, "h100", "--model-only"),
        "eight": of("allreduce", 64, "a100", "--model-only"), "gather": of("allgather", 32, "h200", "--model-only"),
        "scatter": of("reduce_scatter", 16, "h100", "--model-only"), "bcast": of("bcast", 8, "h100", "--model-only"),
        "alltoall": of("alltoall", 16, "h100", sizes="1K..1GiB*4"),
        **{f"{gpu}x{ranks}": VendorTimes(gpu, ranks)
           for gpu, ranks in (("h100", 8), ("a100", 8), ("h100", 16), ("h200", 8), ("b200", 8), ("b200", 32))},
    }


# Options that describe a machine beyond what its outputs say.
OPTIONS = {"h100x16": ["--nic-bw", "200Gbps"]}


def share(part, start_s=30e-6):
    """The machine reaches only a part of its rate."""
    return lambda n, time: start_s + (time - start_s) / part if time > start_s else time


def plant(names, change):
    return [(name, change) for name in names]


def dip(low, high, factor):
    return lambda output: output.scale(lambda n, time: time / factor, lambda n: low <= n <= high)


def header(text):
    def change(output):
        output.before = text
    return change


def rank_count(ranks):
    def change(output):
        output.factor_ranks = ranks
    return change


def duplicates(output):
    output.copies_of_header = 2


def wrong(output):
    for row in output.rows[-5:]:
        row[3] = 12


def in_place(output):
    for row in output.rows:
        row[2] *= 1.3


def outlier(output):
    output.rows[12][1] *= 5


def noisy(output):
    output.scale(lambda n, time: time * output.noisy(0.2))


def cold(output):
    output.rows[0][1] *= 6


def step_cost(rate):
    """Each step costs a fixed time, so the rate is at most `rate` bytes/s of the largest buffer."""
    return lambda output: output.scale(lambda n, time: max(time, n / rate))


def one_rank(output):
    output.machine = type("One", (), {**vars(output.machine), "ranks": 1})()
    output.factor_ranks = 1
    output.nodes = 1


def plus(seconds):
    return lambda output: output.scale(lambda n, time: time + seconds)


def scaled(part):
    return lambda output: output.scale(share(part))


CORPUS = [
    *[(f"{j} of 8 cards", name, scaled(j / 8), "cards_missing")
      for name, j in (("four", 1), ("four", 3), ("eight", 2), ("eight", 5), ("gather", 3), ("scatter", 6),
                      ("four", 6), ("gather", 2))],
    *[("half of the rate", name, scaled(0.5), "half_rate") for name in ("four", "eight", "node", "a100", "gather")],
    *[("sockets", name, scaled(0.01), "sockets") for name in ("four", "gather", "eight")],
    *[("NVLink unused", name, scaled(part), "nvlink_unused") for name, part in (("node", 0.05), ("a100", 0.08))],
    *[("a start-up of 100 us more", name, plus(100e-6), "slow_start") for name in ("node", "a100", "b200", "four")],
    *[("a cost of each step", name, step_cost(rate), "step_cost")
      for name, rate in (("four", 60e9), ("node", 60e9), ("eight", 37e9))],
    *[("a dip", name, dip(low, high, 0.6), "dip")
      for name, low, high in (("node", 32 * MIB, 64 * MIB), ("four", 128 * MIB, 256 * MIB), ("a100", MIB, 2 * MIB),
                              ("gather", 256 * MIB, 256 * MIB))],
    *[("a fall at the end", name, dip(4 * GIB, 1e15, 0.7), "falls_at_the_end") for name in ("node", "four")],
    *[("noise", name, noisy, "noise") for name in ("node", "four")],
    ("separate runs", "node", duplicates, "separate_runs"), ("one rank", "node", one_rank, "one_rank"),
    ("factor of allgather", "node", rank_count(3), "wrong_factor"), ("wrong results", "four", wrong, "wrong_results"),
    ("in place slower", "a100", in_place, "in_place_apart"), ("too fast", "a100", scaled(3), "below_limit"),
    ("sockets in the log", "two", lambda output: (header("a:1:2 [0] NCCL INFO Using network Socket")(output),
                                                  scaled(0.1)(output)), "sockets"),
    *[(f"{j} of 8 cards", name, scaled(j / 8), "cards_missing")
      for name, j in (("b200x32", 1), ("b200x32", 3), ("b200x32", 6), ("h100x16", 2), ("b200x32", 5))],
    *[("half of the rate", name, scaled(0.5), "half_rate") for name in ("b200x32", "h100x8", "h200x8", "a100x8")],
    *[("sockets", name, scaled(0.01), "sockets") for name in ("b200x32", "h100x16")],
    *[("a start-up of 100 us more", name, plus(100e-6), "slow_start") for name in ("h100x8", "h200x8")],
    *[("a cost of each step", name, step_cost(rate), "step_cost")
      for name, rate in (("b200x32", 60e9), ("h100x8", 60e9))],
    *[("a dip", name, dip(low, high, 0.6), "dip")
      for name, low, high in (("h100x8", 32 * MIB, 64 * MIB), ("b200x32", 128 * MIB, 256 * MIB),
                              ("a100x8", MIB, 2 * MIB), ("h200x8", 64 * MIB, 64 * MIB))],
    *[("a fall at the end", name, dip(4 * GIB, 1e15, 0.7), "falls_at_the_end") for name in ("h200x8", "b200x32")],
    *[("noise", name, noisy, "noise") for name in ("h100x8", "b200x32")],
]
HEALTHY = [("node", 0.02), ("a100", 0.02), ("b200", 0.02), ("two", 0.02), ("four", 0.02), ("eight", 0.02),
           ("gather", 0.02), ("scatter", 0.02), ("bcast", 0.02), ("alltoall", 0.02), ("node", 0.05), ("a100", 0.05),
           ("b200", 0.04), ("two", 0.05), ("four", 0.05), ("eight", 0.05), ("gather", 0.05), ("scatter", 0.05),
           ("node", 0.01), ("four", 0.01),
           *[(name, noise) for noise in (0.02, 0.05)
             for name in ("h100x8", "a100x8", "h100x16", "h200x8", "b200x8", "b200x32")]]


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.machines = machines()

    def doctor(self, text, *arguments):
        path = pathlib.Path(self.folder.name) / "measured.txt"
        path.write_text(text)
        found = harness.json_output("doctor", path, *arguments, "--json", "-")
        harness.validate(found, "tutti-doctor-1")
        return found["outputs"][0]

    def test_planted_faults_are_named(self):
        missed = []
        for seed, (what, machine, change, shape) in enumerate(CORPUS):
            output = Output(self.machines[machine], seed)
            change(output)
            found = self.doctor(output.text(), *OPTIONS.get(machine, []))
            shapes = [each["shape"] for each in found["symptoms"][:3]]
            if shape not in shapes:
                missed.append((what, machine, shapes, found["headline"]))
        self.assertGreaterEqual(len(CORPUS), 60)
        self.assertLessEqual(len(missed), len(CORPUS) // 50, missed)

    def test_healthy_outputs_are_right(self):
        alarms = []
        for seed, (machine, noise) in enumerate(HEALTHY):
            output = Output(self.machines[machine], 1000 + seed, noise)
            found = self.doctor(output.text(), *OPTIONS.get(machine, []))
            if found["verdict"] != "right":
                alarms.append((machine, noise, found["headline"]))
        self.assertEqual(alarms, [])

    def test_parts_of_healthy_outputs_are_right(self):
        alarms = []
        for seed, (machine, noise) in enumerate(HEALTHY):
            for wanted in (lambda n: n >= MIB, lambda n: n <= 256 * MIB, lambda n: n >= 4 * GIB):
                output = Output(self.machines[machine], 2000 + seed, noise)
                output.rows = [row for row in output.rows if wanted(row[0])]
                if not output.rows:
                    continue
                found = self.doctor(output.text(), *OPTIONS.get(machine, []))
                if found["verdict"] != "right":
                    alarms.append((machine, noise, len(output.rows), found["headline"]))
        self.assertEqual(alarms, [])

    def test_limits_are_not_above_expected_times(self):
        rows = 0
        for gpu in set(DEVICES) - {"mi300x"}:
            for collective, sizes in (("allreduce", "8..8GiB*64"), ("allgather", "1K..8GiB*64"),
                                      ("reduce_scatter", "1K..8GiB*64"), ("bcast", "8..8GiB*64"),
                                      ("alltoall", "64K..1GiB*128")):
                for ranks in (2, 8, 16):
                    machine = Machine(harness.output, collective, ranks, gpu, sizes, ["--model-only"]
                                      if collective != "alltoall" else [])
                    found = self.doctor(Output(machine, 1, 0).text())
                    for row in found["rows"]:
                        for key in ("model_s", "simulated_s"):
                            if row[key] is not None:
                                self.assertLessEqual(row["limit_s"], row[key] * (1 + 1e-9),
                                                     (gpu, collective, ranks, row))
                                rows += 1
        self.assertGreater(rows, 300)

    def test_ratios_and_bandwidths(self):
        output = Output(self.machines["node"], 3)
        found = self.doctor(output.text())
        for row, (size, time, in_place, _) in zip(found["rows"], output.rows):
            self.assertEqual(row["bytes"], size)
            self.assertAlmostEqual(row["measured_s"] / time, 1, places=3)
            self.assertAlmostEqual(row["in_place_s"] / in_place, 1, places=3)
            self.assertAlmostEqual(row["algbw_gb_per_s"] * 1e9 * row["measured_s"] / size, 1, places=9)
            self.assertAlmostEqual(row["busbw_gb_per_s"] / row["algbw_gb_per_s"], 2 * 7 / 8, places=9)
            low, high = row["expected_low_s"], row["expected_high_s"]
            times = [row[key] for key in ("model_s", "also_model_s", "simulated_s")
                     if row[key] is not None]
            self.assertEqual((low, high), (min(times), max(times)))
            nearest = min(max(row["measured_s"], low), high)
            self.assertAlmostEqual(row["ratio"], row["measured_s"] / nearest, places=9)

    def test_logs_as_people_have_them(self):
        text = Output(self.machines["node"], 3).text()
        wanted = self.doctor(text)["rows"]

        def prefixed(prefix):
            return "".join(prefix + line + "\n" for line in text.splitlines())
        no_ranks = "".join(line for line in text.splitlines(True) if "Rank" not in line)
        title = "#" + no_ranks[no_ranks.index("  size") - 5:]
        for changed, options in (
                (prefixed("[1,0]<stdout>:"), []), (prefixed("[1,0]<stdout>: "), []), (prefixed("0: "), []),
                (prefixed("Thu Nov 26 10:11:12 2026[1,0]<stdout>:"), []), (prefixed("> "), []),
                (prefixed("2026-11-26T10:11:12.345678Z "), []), (text.replace("\n", "\r\n"), []),
                ("Loading module\n" + text + "slurmstepd: error: *** STEP 1.0 CANCELLED ***\n", []),
                (no_ranks, ["--gpu", "h100"]), (title, ["--gpu", "h100", "--collective", "allreduce"])):
            rows = self.doctor(changed, *options)["rows"]
            for row, own in zip(rows, wanted):
                row["line"] = own["line"] = 0
            self.assertEqual(rows, wanted, changed[:300])

    def test_several_outputs(self):
        folder = pathlib.Path(self.folder.name) / "several"
        folder.mkdir()
        machine = self.machines["gather"]
        (folder / "before.txt").write_text(Output(machine, 1).text())
        slower = Output(machine, 2)
        dip(64 * MIB, 128 * MIB, 0.6)(slower)
        slower.before = "a:1:1 [0] NCCL INFO NCCL version 2.27.7+cuda12.8"
        (folder / "later.txt").write_text(slower.text())
        (folder / "two.txt").write_text(Output(self.machines["two"], 3).text())
        half = Output(self.machines["four"], 4)
        scaled(0.6)(half)
        (folder / "zfour.txt").write_text(half.text())
        found = harness.json_output("doctor", folder, "--json", "-")
        harness.validate(found, "tutti-doctor-1")
        self.assertEqual(len(found["outputs"]), 4)
        shapes = {each["shape"]: each for each in found["together"]}
        self.assertEqual(sorted(shapes), ["growth", "slower_than_before"])
        self.assertIn("32 ranks", shapes["growth"]["text"])
        self.assertIn(shapes["slower_than_before"]["from_bytes"], (64 * MIB, 128 * MIB))

    def test_mpi_outputs(self):
        crossbar = "crossbar:16,bw=100Gbps,lat=1us"
        result = harness.json_output("compare", "allreduce", "-p", 16, "-n", "1K..16MiB*4", "--elem-bytes", 4,
                                     "--platform", crossbar, "--json", "-")["cells"]
        best = {}
        for cell in result:
            if cell["simulated_s"] is not None:
                best[cell["bytes"]] = min(best.get(cell["bytes"], 1), cell["simulated_s"])
        for factor, verdict in ((1.1, "right"), (3, "slow")):
            lines = ["# OSU MPI Allreduce Latency Test v7.4", "# Size       Avg Latency(us)   Min Latency(us)   "
                     "Max Latency(us)  Iterations"]
            lines += [f"{n} {time * factor * 1e6:.2f} {time * 1e6:.2f} {time * factor * 1e6:.2f} 100"
                      for n, time in sorted(best.items())]
            found = self.doctor("\n".join(lines) + "\n", "-p", 16, "--platform", crossbar)
            self.assertEqual(found["verdict"], verdict, found["headline"])
            self.assertEqual(self.doctor("\n".join(lines) + "\n", "-p", 16)["verdict"], "unknown")
        for row in found["rows"]:
            self.assertAlmostEqual(row["simulated_s"] / best[row["bytes"]], 1, places=6)
            self.assertIsNone(row["limit_s"])  # the speed of reductions is a default
        self.assertIn("4 GB/s", " ".join(found["assumed"]))
        priced = self.doctor("\n".join(lines) + "\n", "-p", 16, "--platform", crossbar, "--gamma", "0.25ns")
        self.assertNotIn("GB/s", " ".join(priced["assumed"]))
        for row in priced["rows"]:
            self.assertLessEqual(row["limit_s"], row["simulated_s"] * (1 + 1e-9))

    def test_mpi_outputs_of_many_ranks(self):
        lines = ["# OSU MPI Allreduce Latency Test v7.4", "# Size       Avg Latency(us)"]
        lines += [f"{4 << i} {10 + (4 << i) / 5000:.2f}" for i in range(21)]
        for ranks in (1024, 16384):
            found = self.doctor("\n".join(lines) + "\n", "-p", ranks, "--platform", f"crossbar:{ranks},bw=200Gbps,lat=1us")
            self.assertIn("--library", " ".join(found["assumed"]))
            self.assertEqual(sum(row["simulated_s"] is not None for row in found["rows"]), 3)


if __name__ == "__main__":
    harness.main()
