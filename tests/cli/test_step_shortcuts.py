"""A step of which only some ranks and some iterations are simulated takes the same time as with all of them."""
import os
import pathlib
import random
import tempfile
import unittest

import harness

SEED = int(os.environ.get("TUTTI_TEST_SEED", "20261129"))
ALL = ["--symmetry", "off", "--every-iteration"]
MACHINES = [
    ["--gpu", "h100"],
    ["--gpu", "a100"],
    ["--alpha", "2us", "--beta", "1ns", "--gamma", "0ns"],
    ["--alpha", "2us", "--beta", "1ns", "--gamma", "1ns", "--ports", "unlimited"],
    ["--platform", harness.SOURCE_DIR / "platforms/torus_64.xml"],
]


class RandomStep:
    """Makes a description with loops, groups on all axes, waits and sometimes a pipeline."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.axes = {"tp": self.random.choice([1, 2, 4, 8]), "dp": self.random.choice([2, 4, 8]),
                     "pp": self.random.choice([1, 1, 2, 3, 4])}
        while self.axes["tp"] * self.axes["dp"] * self.axes["pp"] > 64:
            self.axes["dp"] //= 2
        self.names = 0

    def text(self):
        order = list(self.axes)
        self.random.shuffle(order)
        lines = ["layout " + ", ".join(f"{axis} {self.axes[axis]}" for axis in order)]
        groups = ["tp", "dp"]
        if self.random.random() < 0.3:
            lines.append("group near = tp, dp 1")
            groups.append("near")
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if kind < 0.4 and self.axes["pp"] > 1:
                lines += self.pipeline(["tp"] if self.axes["tp"] > 1 else ["dp"])
            elif kind < 0.9:
                lines += self.repeat(groups, self.random.random() < 0.3)
            else:
                lines += self.statements(groups, "")
        lines += ["wait all" if "on all" in "".join(lines) else "compute 1ms", self.call("dp")]
        return "\n".join(lines) + "\n"

    def call(self, group):
        collective = self.random.choice(["allgather", "reduce_scatter", "allreduce", "alltoall"])
        return f"{collective} whole {self.random.choice([1, 3, 16, 40])}MB on {group}"

    def statements(self, groups, index):
        lines = []
        computes = self.random.random() < 0.8
        for _ in range(self.random.randint(1, 3)):
            if computes:
                lines.append(f"compute {self.random.choice([0.3, 1, 2.5, 9])}ms")
            beside = self.random.random() < 0.5
            lines.append(("beside " if beside else "") + self.call(self.random.choice(groups)))
            if beside and self.random.random() < 0.5:
                lines.append(f"wait {lines[-1].split()[-1]}")
        return lines

    def repeat(self, groups, nested):
        """Returns a loop that waits for what the iteration before began, or one without a wait."""
        times = self.random.choice([3, 12, 40])
        body = self.statements(groups, "i")
        if nested:
            body += ["repeat 9 {", *self.statements(groups, ""), "}"]
        if self.random.random() < 0.5:
            return [f"repeat {times} {{", *body, "}"]
        self.names += 1
        name = f"x{self.names}"
        begin = f"beside {self.call(self.random.choice(groups))}"
        return [f"name {name}[0]: {begin}", f"repeat i {times} {{", f"wait {name}[i]", f"name {name}[i+1]: {begin}",
                *body, "}", f"wait {name}[{times}]"]

    def pipeline(self, groups):
        lines = [f"pipeline pp, micro {self.random.choice([4, 16, 64])} {{"]
        for block in ("forward", "backward", "first", "last"):
            if block in ("forward", "backward") or self.random.random() < 0.3:
                lines += [f"{block} {{", *self.statements(groups, "")]
                lines += ["repeat 20 {", *self.statements(groups, ""), "}", "}"] if block == "first" else ["}"]
        return [*lines, "handover 3MB", "}"]


class Shortcuts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "a.step"

    def answer(self, text, *arguments):
        self.path.write_text(text)
        return harness.json_output("step", self.path, *arguments, "--json", "-")

    def difference(self, short, whole, what):
        """Returns the largest difference of any time as a share of the time of the step."""
        self.assertEqual([row["times"] for row in short["rows"]], [row["times"] for row in whole["rows"]], what)
        worst = abs(short["total_s"] - whole["total_s"])
        for one, other in zip(short["rows"], whole["rows"]):
            for key in ("computing_s", "core_wait_s", "exposed_s", "hidden_s"):
                worst = max(worst, abs(one["mean"][key] - other["mean"][key]))
        return worst / whole["total_s"]

    def spread(self, text, machine, total_s):
        """Returns by how much the time of the step depends on when it begins, as a share of it. This is more than
        rounding only if the order of simultaneous messages decides."""
        worst = 0
        for shift_ms in (17, 61, 143):
            lines = text.splitlines()
            at = 2 if lines[1].startswith("group") else 1
            lines.insert(at, f"compute {shift_ms}ms")
            later = self.answer("\n".join(lines), *machine, *ALL)
            worst = max(worst, abs(later["total_s"] - shift_ms * 1e-3 - total_s) / total_s)
        return worst

    def test_a_queue_that_grows_is_no_cycle(self):
        text = "layout tp 2\nrepeat 40 { beside allreduce whole 1MB on tp }\n"
        machine = ["--alpha", "1us", "--beta", "1ns", "--gamma", "0ns"]
        self.assertAlmostEqual(self.answer(text, *machine)["total_s"], 40 * 1.001e-3, delta=1e-12)

    def test_random_steps(self):
        print(f"TUTTI_TEST_SEED={SEED}")
        shorter = [0, 0]
        exact = []
        for i in range(int(os.environ.get("TUTTI_TEST_STEPS", "40"))):
            text = RandomStep(SEED + i).text()
            machine = MACHINES[i % len(MACHINES)]
            what = f"seed {SEED + i} on {machine}:\n{text}"
            short = self.answer(text, *machine)
            whole = self.answer(text, *machine, *ALL)
            difference = self.difference(short, whole, what)
            exact.append(difference < 1e-9)
            if not exact[-1]:
                self.assertLess(difference, 100 * self.spread(text, machine, whole["total_s"]), what)
            self.assertEqual(whole["simulated_ranks"], whole["ranks"], what)
            self.assertEqual(whole["simulated_operations"], whole["operations"], what)
            shorter[0] += short["simulated_ranks"] < short["ranks"]
            shorter[1] += (short["simulated_operations"] * short["ranks"]
                           < 0.99 * short["operations"] * short["simulated_ranks"])
        self.assertGreater(sum(exact), 0.9 * len(exact))
        self.assertGreater(min(shorter), 5, f"{shorter} steps with fewer ranks, and with fewer iterations")


if __name__ == "__main__":
    unittest.main()
