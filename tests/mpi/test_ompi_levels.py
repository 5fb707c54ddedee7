"""Tests that a real Open MPI follows the coll/han rules that tutti writes. On both sides of each boundary, a
collective that the rules give to coll/tuned must send what it sends without coll/han."""

import os
import subprocess
import unittest

from launch import OPEN_MPI, job, main
from script_main import some_of
from test_ompi_han import AGENT, FORCED, OMPI_TRAFFIC, SIMPLE, YIELD, can_look_like_nodes
from traffic_tables import counted

LEVEL_RULES = os.environ.get("TUTTI_LEVEL_RULES", "")
NODES, CORES = 2, 2
HAN = ["--mca", "coll_han_priority", 100, *SIMPLE]


def rules(path):
    return ["--mca", "coll_han_use_dynamic_file_rules", 1, "--mca", "coll_han_dynamic_rules_filename",
            os.path.abspath(path)]


@unittest.skipUnless(OPEN_MPI and OMPI_TRAFFIC, "not Open MPI")
@unittest.skipUnless(can_look_like_nodes(), "a namespace with another host name cannot be created")
class Levels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open("agent", "w", encoding="ascii") as file:
            file.write(AGENT)
        os.chmod("agent", 0o755)
        for how in ("tuned", "stepped"):
            with open(how, "w", encoding="ascii") as file:
                subprocess.run([LEVEL_RULES, "han", how, "401"], stdout=file, check=True)

    def sent(self, calls, launch, ranks=NODES * CORES):
        with open("calls", "w", encoding="ascii") as file:
            for collective, size in calls:
                number, others, _ = FORCED[collective]
                print(collective, number, size, 0, 0, "twice", others, file=file)
        hosts = ",".join(f"tutti-node-{node}:{CORES}" for node in range(NODES))
        done = job(ranks, OMPI_TRAFFIC, "calls", timeout=250, launch=[
            "--mca", "plm_rsh_agent", os.path.abspath("agent"), "--host", hosts, "--mca",
            "pml_monitoring_enable", 1, "--mca", "coll_tuned_use_dynamic_rules", 1, "--mca", "coll",
            "^sm", *YIELD, *launch])
        lines = counted(done.stdout)
        self.assertEqual(len(lines), len(calls), done.stdout[-2000:] + done.stderr[-2000:])
        return [pairs for _, pairs in lines]

    # In Open MPI 4.1, coll/han never leaves an allreduce to coll/tuned; see han_lets_go().
    COLLECTIVES = [each for each in FORCED if each != "allreduce"]

    def test_all_calls_go_to_coll_tuned(self):
        calls = [(each, 0 if each == "barrier" else 4000) for each in self.COLLECTIVES]
        flat = self.sent(calls, [])
        by_han = self.sent(calls, HAN)
        with_rules = self.sent(calls, HAN + rules("tuned"))
        self.assertEqual(with_rules, flat)
        self.assertNotEqual(with_rules, by_han)

    def test_the_component_depends_on_the_size(self):
        """With 4 ranks or more, the rules choose coll/tuned for less than 4096 bytes. For a collective with
        blocks, coll/han counts the bytes of one block."""
        for collective in some_of(("bcast", "reduce", "allgather", "gather", "scatter"), 3):
            blocks = 4 if collective in ("allgather", "gather", "scatter") else 1
            calls = [(collective, 4088 * blocks), (collective, 4096 * blocks)]
            with self.subTest(collective=collective):
                stepped = self.sent(calls, HAN + rules("stepped"))
                flat = self.sent(calls, [])
                by_han = self.sent(calls, HAN)
                self.assertEqual(stepped, [flat[0], by_han[1]])

    def test_an_invalid_file_is_ignored(self):
        with open("tuned", encoding="ascii") as file:
            text = file.read()
        with open("broken", "w", encoding="ascii") as file:
            file.write(text.replace("0 tuned", "0 turned", 1))
        calls = [("bcast", 4000), ("barrier", 0)]
        by_han = self.sent(calls, HAN)
        self.assertEqual(self.sent(calls, HAN + rules("broken")), by_han)


if __name__ == "__main__":
    main()
