"""Tests tutti doctor on machines and calls on which its thresholds were not chosen: with planted faults, and without."""
import pathlib
import tempfile
import unittest

import harness
import test_doctor as faults
from doctor_outputs import Machine, Output
from test_doctor import GIB, MIB, SIZES


def machines():
    def of(collective, ranks, gpu, *options, sizes=SIZES):
        return Machine(harness.output, collective, ranks, gpu, sizes, options or ["--model-only"])
    return {
        "h200 allreduce": of("allreduce", 32, "h200"), "b200 allreduce": of("allreduce", 16, "b200"),
        "a100 bcast": of("bcast", 32, "a100"), "h100 reduce_scatter": of("reduce_scatter", 64, "h100"),
        "b200 allgather": of("allgather", 64, "b200", sizes="1K..8GiB*2"), "h100 alltoall": of(
            "alltoall", 32, "h100", "--nics", "8", sizes="4K..4GiB*4"),
        "h100 allreduce": of("allreduce", 128, "h100"), "h200 node": of("allgather", 8, "h200"),
        "b300 node": of("allreduce", 8, "b300"), "h800 node": of("allreduce", 8, "h800"),
        "mi300x node": of("allreduce", 8, "mi300x"), "gb200 rack": of("allreduce", 72, "gb200"),
        "h100 half of a node": of("allreduce", 4, "h100"),
    }


# On several nodes, and within one.
BETWEEN = [*[(faults.scaled(j / 8), {"cards_missing"}) for j in (1, 2, 6)], (faults.scaled(0.5), {"cards_missing", "half_rate"}),
           (faults.scaled(0.01), {"sockets"})]
WITHIN = [(faults.scaled(0.5), {"half_rate"}), (faults.scaled(0.05), {"nvlink_unused"})]
ANYWHERE = [(faults.plus(300e-6), {"slow_start"}), (faults.step_cost(20e9), {"step_cost"}),
            (faults.dip(64 * MIB, 128 * MIB, 0.6), {"dip"}), (faults.dip(256 * MIB, 256 * MIB, 0.6), {"dip"}),
            (faults.dip(2 * GIB, 1e15, 0.7), {"falls_at_the_end"}), (faults.noisy, {"noise"}),
            (faults.in_place, {"in_place_apart"}), (faults.wrong, {"wrong_results"})]


class OtherMachines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.machines = machines()

    def doctor(self, output):
        path = pathlib.Path(self.folder.name) / "measured.txt"
        path.write_text(output.text())
        return harness.json_output("doctor", path, "--json", "-")["outputs"][0]

    def test_planted_faults_are_named(self):
        missed, cases = [], 0
        for name, machine in self.machines.items():
            within = machine.ranks <= 8 or machine.gpu == "gb200"
            for change, shapes in (WITHIN if within else BETWEEN) + ANYWHERE:
                output = Output(machine, 5000 + cases)
                change(output)
                found = self.doctor(output)
                first = {each["shape"] for each in found["symptoms"][:3]}
                cases += 1
                if not first & shapes:
                    missed.append((name, shapes, first, found["headline"]))
        self.assertGreater(cases, 150)
        self.assertLessEqual(len(missed), cases // 20, missed)

    def test_healthy_outputs_are_right(self):
        alarms, cases = [], 0
        for name, machine in self.machines.items():
            for noise in (0.01, 0.02, 0.05):
                for wanted in (lambda n: True, lambda n: n >= MIB, lambda n: n <= 64 * MIB):
                    output = Output(machine, 7000 + cases, noise)
                    output.rows = [row for row in output.rows if wanted(row[0])]
                    cases += 1
                    found = self.doctor(output)
                    if found["verdict"] != "right":
                        alarms.append((name, noise, found["headline"]))
        self.assertEqual(alarms, [], f"{len(alarms)} of {cases}")


if __name__ == "__main__":
    harness.main()
