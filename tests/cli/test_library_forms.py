"""Tests that tutti knows what Open MPI really runs for a rule. Open MPI cuts vectors in its own way, falls
back to other algorithms, and cannot run some rules at all."""

import json
import pathlib
import tempfile
import unittest

import harness

COLLECTIVES = {"allgather": 0, "allreduce": 2, "barrier": 6, "bcast": 7, "reduce_scatter": 12}


def choose(collective, number, ranks, size, segment=0, fan=0):
    """Returns the JSON and the text of `choose` for one rule of Open MPI 4."""
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder) / "rules.conf"
        rules.write_text(f"1\n{COLLECTIVES[collective]}\n1\n2\n1\n0 {number} {fan} {segment}\n")
        command = ["choose", collective, "-p", ranks, "-n", size, "--table", rules]
        if collective == "barrier":
            del command[4:6]
        return (harness.choice(*command[1:]), " ".join(harness.output(*command).split()))


class OpenMpi(unittest.TestCase):
    def test_two_proc_needs_two_ranks(self):
        for collective, number in [("allgather", 6), ("barrier", 5)]:
            chosen, text = choose(collective, number, 4, 64)
            self.assertIsNone(chosen["runs"])
            self.assertIn("two_proc works on 2 ranks only; on 4 the call fails", text)
            self.assertIsNotNone(choose(collective, number, 2, 64)[0]["runs"])

    def test_recursive_doubling_of_other_numbers_of_ranks_is_bruck(self):
        chosen, text = choose("allgather", 3, 6, 48)
        self.assertEqual(chosen["choice"]["algorithm"], "recursive_doubling")
        self.assertEqual(chosen["runs"]["algorithm"], "bruck_mirrored")
        self.assertIn("needs a number of ranks that is a power of two, not 6", text)
        self.assertEqual(choose("allgather", 3, 8, 64)[0]["runs"]["algorithm"],
                         "recursive_doubling")

    def test_a_split_tree_of_long_segments_is_a_chain(self):
        chosen, text = choose("bcast", 4, 6, 8000, segment=8192)
        self.assertEqual(chosen["runs"], {"algorithm": "pipeline", "segment_bytes": 8192,
                                          "tree": "chain", "cuts": "open_mpi"})
        self.assertIn("Open MPI then runs bcast/pipeline", text)
        runs = choose("bcast", 4, 6, 8000, segment=1005)[0]["runs"]
        self.assertEqual((runs["algorithm"], runs["cuts"]), ("split_binary_tree", "open_mpi"))

    def test_fewer_elements_than_ranks_change_the_algorithm(self):
        for number, instead in [(4, "recursive_doubling"), (5, "recursive_doubling"),
                                (6, "basic_linear")]:
            runs = choose("allreduce", number, 8, 24, segment=1024 * (number == 5))[0]["runs"]
            self.assertEqual(runs, {"algorithm": instead})
        self.assertEqual(choose("bcast", 9, 8, 24)[0]["runs"]["algorithm"], "linear")

    def test_algorithms_that_call_other_collectives(self):
        for collective, number, ours in [("allgather", 1, "gather_bcast"),
                                         ("allreduce", 2, "nonoverlapping"),
                                         ("reduce_scatter", 1, "nonoverlapping")]:
            runs = choose(collective, number, 8, 8192)[0]["runs"]
            self.assertEqual((runs["algorithm"], runs["parts"], runs["cuts"]),
                             (ours, "open_mpi", "open_mpi"))
        # With 7 ranks and 512 KiB per rank, Open MPI uses the gather that synchronises with empty messages.
        runs = choose("allgather", 1, 7, 7 * 524288)[0]["runs"]
        self.assertEqual((runs["algorithm"], runs["parts"]), ("gather_bcast", "open_mpi"))

    def test_numbers_of_chains_and_neighbor_exchange_with_odd_ranks(self):
        for fan, radix in [(0, None), (1, None), (4, 4), (40, 32)]:
            self.assertEqual(choose("bcast", 2, 48, 64, fan=fan)[0]["runs"].get("radix"), radix)
        self.assertEqual(choose("allgather", 5, 7, 56)[0]["runs"]["algorithm"], "ring")
        self.assertEqual(choose("allgather", 5, 8, 64)[0]["runs"]["algorithm"], "neighbor_exchange")

    def test_trees_and_folds_of_algorithms(self):
        self.assertEqual(choose("bcast", 6, 8, 64)[0]["choice"]["tree"], "doubling")
        self.assertEqual(choose("bcast", 7, 8, 64)[0]["choice"]["tree"], "knomial")
        self.assertEqual(choose("barrier", 3, 6, 0)[0]["choice"]["fold"], "far")

    def test_lint_prints_the_librarys_name_and_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.conf"
            path.write_text("2\n7\n1\n2\n2\n0 6 0 0\n65536 9 0 0\n"
                            "11\n1\n2\n2\n0 5 0 0\n65536 5 0 8192\n")
            linted = harness.output("lint", path)
            for words in ["6 binomial (pipeline, doubling tree)",
                          "9 scatter_allgather_ring (scatter_allgather)",
                          "5 binomial (pipeline, binomial tree)",
                          "5 binomial (pipeline, binomial tree, segments of 8 KiB)"]:
                self.assertIn(words, linted)
            chosen = harness.output("choose", "reduce", "-p", 3, "-n", "1K", "--table", path)
            self.assertTrue(chosen.startswith("5 binomial (pipeline, binomial tree)\n"), chosen)
            decided = harness.output("decide", "bcast", "-p", 8, "-n", "1K,64K", "--by", "exact",
                                     "--export", "ompi4", "-o", "/dev/null")
            self.assertRegex(decided, r"\d [a-z_]+ \(")

    def test_a_rule_is_read_as_the_schedule_that_is_timed(self):
        # Open MPI posts two receives at a time, so the second child of rank 0 need not wait for the first.
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.conf"
            path.write_text("1\n11\n1\n2\n1\n0 5 0 0\n")
            found = harness.json_output("decide", "reduce", "-p", 3, "-n", "64K", "--against", path,
                                        "--algorithms", "pipeline", "--tree", "binomial", "--cuts",
                                        "open_mpi", "--segment", "64K", "--json", "-")
            cell = found["against"]["cells"][0]
            self.assertEqual(cell["runs"]["algorithm"], "pipeline")
            self.assertEqual(cell["seconds"], cell["best_s"])

    def test_an_export_names_what_the_library_runs(self):
        """Open MPI's binomial broadcast uses a different tree from tutti's, and Open MPI has no equivalent of
        tutti's linear allgather."""
        for collective, missing in [("bcast", "binomial"), ("allgather", "linear")]:
            result = json.loads(harness.output(
                "decide", collective, "-p", 8, "-n", "1K,64K", "--by", "exact", "--export", "ompi4",
                "-o", "/dev/null", "--json", "-"))
            self.assertIn(missing, result["left_out"])
            harness.validate(result, "tutti-decide-2")


class Options(unittest.TestCase):
    def show(self, algorithm, *options, size=4000):
        return harness.run("show", algorithm, "-p", 5, "-n", size, "--format", "stats", *options)

    def test_bad_cuts(self):
        for options, words in [(["bcast/pipeline", "--cuts", "lam"], "--cuts 'lam': expected even"),
                               (["bcast/split_binary_tree", "--cuts", "mpich"],
                                "MPICH has no broadcast in halves"),
                               (["allreduce/ring", "--cuts", "open_mpi"], "takes no --cuts"),
                               (["allgather/gather_bcast", "--cuts", "mpich"],
                                "--cuts mpich has no effect: neither gather/binomial nor "
                                "bcast/binomial takes --cuts"),
                               (["allreduce/nonoverlapping", "--cuts", "open_mpi"],
                                "neither reduce/binomial nor bcast/binomial takes --cuts"),
                               (["reduce_scatter/nonoverlapping", "--cuts", "mpich", "--parts",
                                 "linear+linear"], "neither reduce/linear nor scatter/linear"),
                               (["allreduce/nonoverlapping", "--cuts", "mpich", "--parts",
                                 "open_mpi"], "use --cuts open_mpi, or leave --cuts out"),
                               (["allreduce/nonoverlapping", "--cuts", "mpich", "--parts",
                                 "linear+split_binary_tree"], "MPICH has no broadcast in halves")]:
            done = self.show(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_cuts_apply_to_parts_that_take_them(self):
        def messages(*options):
            return self.show("allreduce/nonoverlapping", "--parts", "linear+scatter_allgather",
                             *options, size=4008).stdout
        self.assertNotEqual(messages("--cuts", "mpich"), messages())
        self.assertEqual(self.show("allreduce/nonoverlapping", "--parts", "open_mpi", "--cuts",
                                   "open_mpi").returncode, 0)
        # In a comparison, algorithms without the option --cuts run without it.
        done = harness.run("compare", "allreduce", "-p", 5, "-n", 4000, "--cuts", "open_mpi")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"nonoverlapping +[0-9]")

    def test_bad_parts(self):
        for parts, words in [("linear", "expected an algorithm for reduce and one for bcast"),
                             ("linear+oak", "there is no bcast/oak"),
                             ("+", "expected an algorithm for reduce and one for bcast"),
                             ("pipeline:oak+linear", "'oak' is not a tree"),
                             ("pipeline:binary:chain+linear", "'chain' is not allowed here"),
                             ("pipeline:80:160+linear", "'160' is not allowed here"),
                             ("pipeline:80:chain+linear", "'chain' is not allowed here"),
                             ("pipeline:8q+linear", "neither a tree nor a segment")]:
            done = self.show("allreduce/nonoverlapping", "--parts", parts)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        self.assertEqual(self.show("allreduce/nonoverlapping", "--parts",
                                   "pipeline:binary:80+pipeline:doubling").returncode, 0)

    def test_parts_determine_the_order_of_operands(self):
        # On two ranks, or with a part that moves whole results, the order of operands is kept although no
        # part promises it.
        for parts in ["circulant+linear", "pipeline:binary+linear", "linear+linear"]:
            done = harness.run("verify", "allreduce/nonoverlapping", "--parts", parts, "-p", "2..6")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("order", done.stdout)
        for tree in ["binary", "binomial", "doubling", "knomial"]:
            done = harness.run("verify", "reduce/pipeline", "--tree", tree, "-p", "2..6")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_cuts_and_parts_are_in_the_results(self):
        result = json.loads(harness.output(
            "simulate", "allreduce/nonoverlapping", "-p", 5, "-n", 4000, "--parts",
            "pipeline:binary:1005+linear", "--cuts", "open_mpi", "--json", "-"))
        harness.validate(result, "tutti-result-1")
        self.assertEqual((result["cuts"], result["parts"]),
                         ("open_mpi", "pipeline:binary:1005+linear"))
        plain = json.loads(harness.output("simulate", "allreduce/nonoverlapping", "-p", 5, "-n",
                                          4000, "--json", "-"))
        self.assertEqual((plain["cuts"], plain["parts"]), ("even", ""))


if __name__ == "__main__":
    harness.main()
