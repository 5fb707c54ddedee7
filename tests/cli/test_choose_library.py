"""Tests tutti choose --library, which prints each step of the library's own decision, and the command that
simulates the chosen algorithm."""
import shlex
import unittest

import harness

VERSIONS = ["Open MPI 4.1", "Open MPI 5.0", "Open MPI main", "MPICH 4.0", "MPICH 4.1",
            "MPICH 4.2", "MPICH 4.3"]


def chosen(collective, ranks, size, library, *more):
    return harness.choice(collective, "-p", ranks, "-n", size, "--library", library, *more)


class ChooseLibrary(unittest.TestCase):
    def test_a_single_component_decides(self):
        found = chosen("allreduce", 64, "1MiB", "Open MPI 4.1.6")
        self.assertEqual(found["choice"]["algorithm"], "rabenseifner")
        self.assertEqual([level["decided_by"] for level in found["path"]],
                         ["coll framework", "coll/tuned"])
        self.assertEqual(found["path"][-1]["chosen"], "6 rabenseifner")

    def test_han_decides_on_several_ranks_of_a_node(self):
        found = chosen("bcast", 64, "64K", "Open MPI 5.0.6", "--ranks-per-host", 8)
        self.assertEqual(found["choice"]["algorithm"], "hierarchical")
        self.assertEqual(found["path"][0]["chosen"], "coll/han")
        self.assertEqual({level["depth"] for level in found["path"]}, {0, 1})
        alone = chosen("bcast", 64, "64K", "Open MPI 5.0.6")
        self.assertEqual(alone["path"][0]["chosen"], "coll/tuned")

    def test_a_composition_of_mpich_decides(self):
        found = chosen("bcast", 512, "64K", "MPICH 4.2", "--ranks-per-host", 8)
        self.assertEqual([level["decided_by"] for level in found["path"]],
                         ["ch4 composition", "Coll", "posix", "Coll"])
        self.assertTrue(found["path"][0]["chosen"].startswith("MPIDI_Bcast_intra_composition_beta"))
        self.assertIn("several ranks on a node", found["path"][0]["because"])
        self.assertEqual(found["path"][1]["ranks"], "64 ranks, the first of each node, bcast")
        self.assertEqual(found["path"][1]["chosen"],
                         "MPIR_Bcast_intra_scatter_recursive_doubling_allgather")
        self.assertEqual((found["choice"]["algorithm"], found["choice"]["composition"]),
                         ("hierarchical", "mpich_beta"))

    def test_mpich_without_nodes(self):
        found = chosen("bcast", 512, "64K", "MPICH 4.2")
        self.assertEqual([level["decided_by"] for level in found["path"]],
                         ["ch4 composition", "Coll"])
        self.assertEqual(found["choice"]["algorithm"], "scatter_doubling")
        # MPICH 4.1 introduced a different barrier.
        for library, barrier in [("MPICH 4.0.2", "MPIR_Barrier_intra_dissemination"),
                                 ("MPICH 4.1", "MPIR_Barrier_intra_k_dissemination, k=2")]:
            found = chosen("barrier", 64, 0, library)
            self.assertEqual(found["path"][-1]["chosen"], barrier)
            self.assertEqual(found["choice"]["algorithm"], "dissemination")

    def test_some_choices_have_no_schedule(self):
        for call in [("scan", 64, "64K", "--ranks-per-host", 8), ("bcast", 1, 64),
                     ("allreduce", 8, 0)]:
            collective, ranks, size, *more = call
            found = chosen(collective, ranks, size, "MPICH 4.3", *more)
            self.assertIsNone(found["command"], call)
            self.assertIsNone(found["choice"], call)
            self.assertTrue(found["refused"], call)

    def test_with_one_rank_per_node_the_example_tables_agree(self):
        for library, table in [("Open MPI 4.1.4", "open_mpi_4.1.json"),
                               ("MPICH 4.0.2", "mpich_4.0.json")]:
            path = harness.SOURCE_DIR / "examples/decisions" / table
            for collective, ranks, size in [
                    ("allreduce", 12, 96), ("allreduce", 12, "768K"), ("bcast", 8, 12288),
                    ("bcast", 8, 12296), ("reduce", 12, 2048), ("reduce", 12, 2064),
                    ("allgather", 12, 81888), ("alltoall", 12, 12 * 256), ("gather", 8, "64K"),
                    ("reduce_scatter", 12, "768K"), ("barrier", 12, 0)]:
                with self.subTest(library=library, collective=collective, size=size):
                    by_table = harness.choice(collective, "-p", ranks, "-n", size, "--table", path)
                    self.assertEqual(chosen(collective, ranks, size, library)["runs"],
                                     by_table["runs"])

    def test_the_printed_command_runs_the_schedule(self):
        for library in VERSIONS:
            for collective, size, per_host in [("allreduce", "1MiB", 8), ("bcast", 64, 1),
                                               ("reduce", "1MiB", 1), ("alltoall", "64K", 1),
                                               ("allgather", "32K", 1), ("barrier", 0, 4),
                                               ("bcast", 64, 8), ("reduce", "1MiB", 8)]:
                with self.subTest(library=library, collective=collective):
                    found = chosen(collective, 16, size, library, "--ranks-per-host", per_host)
                    if not found["command"]:
                        continue
                    harness.output(*shlex.split(found["command"])[1:])

    def test_each_segment_has_the_librarys_choice_for_it(self):
        # For the first segment, coll/han chooses the algorithm as for a blocking call, and for the other
        # segments as libnbc does.
        for ranks, size in [(64, "256K"), (64, "2M"), (64, "100000"), (1024, "2M")]:
            with self.subTest(ranks=ranks, size=size):
                found = chosen("bcast", ranks, size, "Open MPI 5.0", "--ranks-per-host", 8)
                self.assertEqual(found["choice"]["algorithm"], "hierarchical", found["refused"])
                command = shlex.split(found["command"])[1:]
                self.assertIn("/", command[command.index("--across") + 1])
                if ranks < 1024:
                    harness.output("verify", *command[1:])

    def test_text_of_a_choice(self):
        text = harness.output("choose", "allreduce", "-p", 64, "-n", "1MiB", "--library",
                              "Open MPI 5.0", "--ranks-per-host", 8)
        self.assertIn("coll/han has priority 35", text)
        self.assertIn("nbc_ireduce.c", text)
        self.assertIn("tutti simulate allreduce/hierarchical -p 64", text)

    def test_text_for_several_numbers_of_ranks(self):
        text = harness.output("choose", "allreduce", "-p", "2,64", "-n", "64", "--library",
                              "Open MPI 5.0", "--ranks-per-host", 8)
        self.assertIn("Open MPI 5.0: allreduce, up to 8 ranks on each node", text)

    def test_several_calls_have_the_choices_of_each(self):
        table = harness.SOURCE_DIR / "examples/decisions/open_mpi_4.1.json"
        for given in (["--library", "MPICH 4.3", "--ranks-per-host", 8], ["--table", table]):
            for collective in ("allreduce", "barrier"):
                sizes = [[]] if collective == "barrier" else [["-n", 8], ["-n", "64K"]]
                several = ["-n", "8,64K"] if len(sizes) > 1 else []
                found = harness.json_output("choose", collective, "-p", "3,64", *several, *given, "--json", "-")
                harness.validate(found, "tutti-choice-2")
                self.assertEqual(found["choices"], [harness.choice(collective, "-p", ranks, *size, *given)
                                                    for ranks in (3, 64) for size in sizes])
                self.assertEqual((found["library"], found["table"]), (given[1], None) if given[0] == "--library"
                                 else (None, str(table)))

    def test_a_refused_choice_of_a_table_has_its_rules_and_what_runs_instead(self):
        table = harness.SOURCE_DIR / "examples/decisions/open_mpi_4.1.json"
        call = ["allreduce", "-p", 3, "-n", 4, "--elem-bytes", 4, "--table", table]
        found = harness.choice(*call)
        text = " ".join(harness.output("choose", *call).split())
        self.assertEqual((found["choice"], found["runs"]), ({"algorithm": "ring"}, {"algorithm": "recursive_doubling"}))
        self.assertIn(f"table {found['table']}", text)
        self.assertIn(f"refused {found['refused']} instead recursive_doubling", text)
        self.assertEqual(len(found["rules"]), 2)
        for rule in found["rules"]:
            self.assertIn(f"line {rule['line']}: {rule['because']}", text)

    def test_bad_input(self):
        call = ["choose", "bcast", "-p", "4", "-n", "64"]
        for more, words in [
                (["--library", "Open MPI 3.0"], ["'Open MPI 3.0'", "Open MPI 5.0"]),
                (["--library", "openmpi 5.0.6"], ["did you mean 'Open MPI 5.0.6'?"]),
                (["--library", "OpenMPI 5.0"], ["did you mean 'Open MPI 5.0'?"]),
                (["--library", "ompi 5"], ["did you mean 'Open MPI 5.0'?"]),
                (["--library", "UCC 1.4"], ["UCC 1.4", "Open MPI 4.1", "NCCL"]),
                (["--library", "MPICH 3.4"], ["'MPICH 3.4'", "MPICH 4.0"]),
                ([], ["--library"])]:
            done = harness.run(*call, *more)
            self.assertEqual(done.returncode, 2, more)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
