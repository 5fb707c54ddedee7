"""Tests tutti choose --library, which prints each step of the library's own decision, and the command that
simulates the chosen algorithm."""
import json
import shlex
import unittest

import harness

VERSIONS = ["Open MPI 4.1", "Open MPI 5.0", "Open MPI main", "MPICH 4.0", "MPICH 4.1",
            "MPICH 4.2", "MPICH 4.3"]


def chosen(collective, ranks, size, library, *more):
    return harness.choice(collective, "-p", ranks, "-n", size, "--library", library, *more)


class ChooseLibrary(unittest.TestCase):
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

    def test_mpichs_own_tree_as_a_file_changes_nothing(self):
        """A file for one collective has MPICH's built-in tree for all others."""
        for library, form in [("MPICH 4.0.2", "mpich"), ("MPICH 4.3", "mpich43")]:
            harness.output("decide", "allgather", "-p", 4, "-n", "1K", "--export", form, "-o", "tree.json")
            for collective, size in [("bcast", 8), ("bcast", "64K"), ("bcast", "1MiB"), ("reduce", 1024),
                                     ("reduce", "64K"), ("allreduce", 8), ("allreduce", "64K"), ("alltoall", "4K"),
                                     ("alltoall", "1MiB"), ("gather", "4K"), ("scatter", "4K"), ("barrier", 0),
                                     ("reduce_scatter", "64K"), ("reduce_scatter", "1MiB")]:
                for ranks, per_host in [(6, 1), (16, 1), (16, 4), (12, 4), (16, 16)]:
                    with self.subTest(library=library, collective=collective, size=size, ranks=ranks):
                        call = (collective, ranks, size, library, "--ranks-per-host", per_host)
                        own, by_file = chosen(*call), chosen(*call, "--table", "tree.json")
                        self.assertEqual(by_file["command"], own["command"])
                        self.assertEqual([level["chosen"] for level in by_file["path"]],
                                         [level["chosen"] for level in own["path"]])


if __name__ == "__main__":
    unittest.main()
