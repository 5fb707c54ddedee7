"""tutti choose --library: what a library decides by itself, level by level, and the schedule."""
import shlex
import unittest

import harness

VERSIONS = ["Open MPI 4.1", "Open MPI 5.0", "Open MPI main"]


def chosen(collective, ranks, size, library, *more):
    return harness.json_output("choose", collective, "-p", ranks, "-n", size, "--library", library,
                               "--json", "-", *more)


class ChooseLibrary(unittest.TestCase):
    def test_one_component_decides(self):
        found = chosen("allreduce", 64, "1MiB", "Open MPI 4.1.6")
        self.assertEqual(found["algorithm"], "rabenseifner")
        self.assertEqual([level["decided_by"] for level in found["path"]],
                         ["coll framework", "coll/tuned"])
        self.assertEqual(found["path"][-1]["chosen"], "6 rabenseifner")

    def test_han_decides_on_several_ranks_of_a_node(self):
        found = chosen("bcast", 64, "64K", "Open MPI 5.0.6", "--ranks-per-host", 8)
        self.assertEqual(found["algorithm"], "hierarchical")
        self.assertEqual(found["path"][0]["chosen"], "coll/han")
        self.assertEqual({level["depth"] for level in found["path"]}, {0, 1})
        alone = chosen("bcast", 64, "64K", "Open MPI 5.0.6")
        self.assertEqual(alone["path"][0]["chosen"], "coll/tuned")

    def test_the_schedule_runs_as_it_is_printed(self):
        for library in VERSIONS:
            for collective, size, per_host in [("allreduce", "1MiB", 8), ("bcast", 64, 1),
                                               ("reduce", "1MiB", 1), ("alltoall", "64K", 1),
                                               ("allgather", "32K", 1)]:
                with self.subTest(library=library, collective=collective):
                    found = chosen(collective, 16, size, library, "--ranks-per-host", per_host)
                    if not found["command"]:
                        continue
                    harness.output(*shlex.split(found["command"])[1:])

    def test_what_is_said(self):
        text = harness.output("choose", "allreduce", "-p", 64, "-n", "1MiB", "--library",
                              "Open MPI 5.0", "--ranks-per-host", 8)
        self.assertIn("coll/han has priority 35", text)
        self.assertIn("nbc_ireduce.c", text)
        self.assertIn("tutti simulate allreduce/hierarchical -p 64", text)

    def test_bad_input(self):
        call = ["choose", "bcast", "-p", "4", "-n", "64"]
        for more, words in [
                (["--library", "Open MPI 3.0"], ["'Open MPI 3.0'", "Open MPI 5.0"]),
                (["--library", "UCC 1.4"], ["UCC 1.4", "Open MPI 4.1", "NCCL"]),
                ([], ["--library"])]:
            done = harness.run(*call, *more)
            self.assertEqual(done.returncode, 2, more)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
