"""Tests tutti choose --library, which prints each step of the library's own decision, and the command that
simulates the chosen algorithm."""
import json
import pathlib
import re
import shlex
import tempfile
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

    def written(self, name, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_text(text)
        return path

    def test_rules_of_two_components_of_open_mpi(self):
        tuned = self.written("tuned.conf", "1\n7 # bcast\n1\n4\n2\n0 1 0 0\n4096 6 0 0\n")
        gives = "1\nbcast\n1\nglobal_communicator\n1\n1\n2\n0 {}\n4096 tuned\n"
        han = self.written("han.conf", gives.format("han"))
        call = ("bcast", 16, 64, "Open MPI 5.0", "--ranks-per-host", 4, "--table", tuned)
        for more, size, steps in [
                ((), 8192, "coll/han"), (("--table", han), 8192, "coll/tuned"), (("--table", han), 64, "coll/han")]:
            found = chosen(*call[:2], size, *call[3:], *more)
            self.assertEqual(found["path"][0]["chosen"], steps, (more, size))
        found = chosen("bcast", 16, 8192, *call[3:], "--table", han)
        self.assertIn(f"{han}, line 9, names tuned", found["path"][0]["because"])
        self.assertEqual((found["path"][1]["where"], found["path"][1]["chosen"]),
                         (f"{tuned}, line 7", "6 binomial, not segmented"))
        # coll/han's parts look up the rules of coll/tuned for 4 ranks.
        parts = chosen("bcast", 16, 64, *call[3:], "--table", han)["path"][2:]
        self.assertEqual({(level["where"], level["chosen"]) for level in parts},
                         {(f"{tuned}, line 6", "1 basic_linear")})
        found = chosen(*call, "--table", self.written("han.conf", gives.format("basic")))
        self.assertIsNone(found["choice"])
        self.assertIn("to that of coll/basic", found["refused"])
        same = [chosen(*call, "--table", self.written("han.conf", gives.format(each)))["runs"]
                for each in ("han", "han @intra", "han @default")]
        self.assertEqual(same, [same[0]] * 3)

    def test_a_rule_of_coll_han_without_sizes_keeps_coll_han(self):
        han = self.written("han.conf", "2\nbcast\n1\nglobal_communicator\n1\n1\n0\n"
                                       "reduce\n1\nglobal_communicator\n1\n1\n1\n0 tuned\n")
        found = chosen("bcast", 16, 64, "Open MPI 5.0", "--ranks-per-host", 4, "--table", han)
        self.assertEqual(found["path"][0]["chosen"], "coll/han")

    @staticmethod
    def composed(collective, tree):
        return json.dumps({f"collective={collective}": tree})

    def test_files_of_three_levels_of_mpich(self):
        base = "MPIDI_Bcast_intra_composition_"
        leaf = {letter: {f"composition={base}{letter}": {}} for letter in ("alpha", "beta", "gamma", "delta")}
        ch4 = self.written("ch4.json", self.composed("bcast", {"comm_type=intra": {
            "comm_hierarchy=parent": {"comm_avg_ppn<=2": {"avg_msg_size<=512": leaf["alpha"],
                                                          "avg_msg_size=any": leaf["gamma"]},
                                      "comm_size=any": leaf["beta"]},
            "comm_hierarchy=any": leaf["gamma"]}}))
        harness.output("decide", "allgather", "-p", 4, "-n", "1K", "--export", "mpich43", "-o", "tree.json")
        tree = json.loads(pathlib.Path("tree.json").read_text())
        ring, binomial, smp = ({f"algorithm=MPIR_Bcast_intra_{name}": {}}
                               for name in ("scatter_ring_allgather", "binomial", "smp"))
        tree["collective=bcast"] = {"comm_type=intra": {
            "comm_hierarchy=node": ring, "comm_hierarchy=node_roots": binomial,
            "comm_hierarchy=parent": {"count<=128": smp, "count=any": ring}, "comm_hierarchy=any": binomial},
            "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}}
        coll = self.written("coll.json", json.dumps(tree, indent=1))
        posix = self.written("posix.json", self.composed("reduce", {
            "is_commutative=yes": {"algorithm=MPIDI_POSIX_mpi_reduce_release_gather": {}}}))

        def path_of(ranks, size, per_host, *tables):
            more = [word for table in tables for word in ("--table", table)]
            found = chosen("bcast", ranks, size, "MPICH 4.3", "--ranks-per-host", per_host, *more)
            return [level["chosen"].split(":")[0].removeprefix("MPIR_Bcast_intra_").removeprefix(base)
                    for level in found["path"]], found

        files = (ch4, coll, posix)
        self.assertEqual(path_of(8, 512, 2, *files)[0],
                         ["alpha", "binomial", "as chosen by Coll (next line)", "scatter_ring_allgather"])
        self.assertEqual(path_of(8, 4096, 2, *files)[0], ["gamma", "scatter_ring_allgather"])
        self.assertEqual(path_of(16, 4096, 4, *files)[0][:2], ["beta", "binomial"])
        self.assertEqual(path_of(8, 4096, 1, *files)[0], ["gamma", "binomial"])
        # Conditions on counts compare elements: 1024 bytes are 128 elements of 8 bytes.
        self.assertEqual(path_of(8, 1024, 2, *files)[0], ["gamma", "smp"])
        self.assertEqual(path_of(8, 1032, 2, *files)[0], ["gamma", "scatter_ring_allgather"])
        self.assertIn("equivalent to MPIR_Bcast_intra_smp", path_of(8, 1024, 2, *files)[1]["refused"])
        posix.write_text(self.composed("bcast", {"algorithm=MPIDI_POSIX_mpi_bcast_ipc_read": {}}))
        self.assertIn("from the 5th: MPIDI_POSIX_mpi_bcast_ipc_read", path_of(8, 512, 2, *files)[1]["path"][2]["chosen"])
        _, found = path_of(8, 4096, 2, *files)
        self.assertEqual(found["path"][0]["where"], f"{ch4}, line 1")
        self.assertTrue(found["path"][1]["where"].startswith(f"{coll}, line "))
        self.assertEqual(found["runs"]["algorithm"], "scatter_allgather")
        # Without the other files, MPICH's own decisions apply.
        self.assertEqual(path_of(8, 512, 2, ch4)[0][:2], ["alpha", "binomial"])
        self.assertEqual(path_of(8, 4096, 2)[0], path_of(8, 4096, 2, coll)[0][:1] + path_of(8, 4096, 2)[0][1:])

        broken = self.written("ch4.json", self.composed("bcast", {"comm_type=intra": leaf["alpha"]}))
        self.assertIn("several ranks on a node", path_of(8, 64, 1, broken)[1]["refused"])
        delta = self.written("ch4.json", self.composed("bcast", leaf["delta"]))
        self.assertIn("composition_delta", path_of(8, 64, 2, delta)[1]["refused"])
        other = self.written("ch4.json", self.composed("reduce", {
            "composition=MPIDI_Reduce_intra_composition_gamma": {}}))
        self.assertEqual(path_of(8, 64, 2, other)[0], ["none", "binomial"])

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

    def test_a_flat_barrier_of_mpich_splits_the_ranks_all_the_same(self):
        flat = self.written("ch4.json", self.composed("barrier", {
            "composition=MPIDI_Barrier_intra_composition_beta": {}}))
        several = chosen("barrier", 8, 0, "MPICH 4.0.2", "--ranks-per-host", 4, "--table", flat)
        self.assertEqual(several["path"][-1]["chosen"], "MPIR_Barrier_intra_smp")
        self.assertIsNone(several["choice"])
        one = chosen("barrier", 8, 0, "MPICH 4.0.2", "--table", flat)
        self.assertEqual(one["path"][-1]["chosen"], "MPIR_Barrier_intra_dissemination")

    def test_tables_for_lists_of_calls(self):
        tuned = self.written("tuned.conf", "1\n3 # alltoall\n1\n4\n2\n0 1 0 0\n65536 2 0 0\n")
        han = self.written("han.conf", "1\nalltoall\n1\nglobal_communicator\n1\n1\n1\n0 tuned\n")
        given = ["--library", "Open MPI 5.0", "--table", tuned, "--table", han]
        call = ["choose", "alltoall", "-p", "4,8", "-n", "1K..64K*8", *given]
        found = harness.json_output(*call, "--json", "-")
        harness.validate(found, "tutti-choice-2")
        self.assertEqual(found["table"], [str(tuned), str(han)])
        self.assertEqual(found["choices"], [harness.choice("alltoall", "-p", p, "-n", n, *given)
                                            for p in (4, 8) for n in (1024, 8192, 65536)])
        lines = harness.output(*call, columns=160).splitlines()
        self.assertIn("osu_alltoall", lines[2])
        cells = [line.split() for line in lines[3:9]]
        self.assertEqual([row[5] for row in cells], ["256", "2048", "16384", "128", "1024", "8192"])
        self.assertEqual(len(cells), 6)
        self.assertIn("16 KiB", lines[5])
        one = harness.output("choose", "alltoall", "-p", 1024, "-n", "64K", *given)
        self.assertIn("64 KiB (64 bytes for each rank; osu_alltoall calls this 64)", " ".join(one.split()))
        alone = harness.output("choose", "alltoall", "-p", 1024, "-n", "64K", "--table", tuned)
        self.assertIn("64 KiB (64 bytes for each rank; osu_alltoall calls this 64)", " ".join(alone.split()))
        # OSU's benchmark of reduce_scatter reports the whole vector, and ranks do not own parts of a bcast.
        for collective, words in [("reduce_scatter", "osu_reduce_scatter calls this 65536"), ("bcast", "bcast of 64 KiB on")]:
            text = harness.output("choose", collective, "-p", 16, "-n", "64K", "--library", "Open MPI 5.0")
            self.assertIn(words, " ".join(text.split()))

    def test_a_list_of_calls_names_the_rule_of_each(self):
        rules = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "ar.mpich43"
        harness.output("decide", "allreduce", "-p", "4,8", "-n", "1K,64K", "--export", "mpich43", "-o", rules)
        lines = harness.output("choose", "allreduce", "-p", "4,8", "-n", "1K,64K", "--library", "MPICH 4.3",
                               "--table", rules)
        one = harness.output("choose", "allreduce", "-p", 4, "-n", "1K", "--library", "MPICH 4.3", "--table", rules)
        [line] = set(re.findall(r"ar\.mpich43, line (\d+)", " ".join(one.split())))
        self.assertIn(f"ar.mpich43, line {line}", " ".join(lines.split()))
        self.assertNotIn(", line", harness.output("choose", "allreduce", "-p", "4,8", "-n", "1K", "--library",
                                                  "MPICH 4.3"))

    def test_bad_tables(self):
        tuned = self.written("tuned.conf", "1\n7\n1\n4\n1\n0 1 0 0\n")
        ch4 = self.written("ch4.json", self.composed("bcast", {"composition=MPIDI_Bcast_intra_composition_gamma": {}}))
        broken = self.written("bad.json", self.composed("bcast", {"composition=MPIDI_Bcast_intra_composition_omega": {}}))
        empty = self.written("empty", "").parent
        for library, tables, words in [
                ("Open MPI 5.0", [tuned, tuned], ["already has rules that choose the algorithm"]),
                ("MPICH 4.3", [ch4, ch4], ["already has rules that choose the composition"]),
                ("Open MPI 5.0", [ch4], ["Open MPI 5.0 reads no JSON compositions of MPICH"]),
                ("MPICH 4.3", [broken], ["bad.json:1: ", "tutti lint"]),
                ("MPICH 4.3", [empty], ["no coll.json or ch4.json for 1 rank per host"]),
                ("Open MPI 5.0", [empty], ["no tuned.conf or tuned.json or han.conf for 1 rank per host"]),
                ("NCCL 2.30", [tuned], ["NCCL 2.30 reads no rules of Open MPI"]),
                (None, [tuned, ch4], [f"--table '{ch4}'", "--library"])]:
            given = [] if library is None else ["--library", library]
            done = harness.run("choose", "bcast", "-p", 4, "-n", 64, *given,
                               *[word for table in tables for word in ("--table", table)])
            self.assertEqual((done.returncode, done.stdout), (2, ""), tables)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)

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


class Nodes(unittest.TestCase):
    """Rules of NCCL and RCCL may be for a number of nodes."""

    RULES = "allreduce,0,1048576,tree,ll,8,2,8\nallreduce,0,1048576,ring,simple,4,4,8\nbroadcast,0,-1,ring,ll,2,-1,-1\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.rules = pathlib.Path(folder.name, "nodes.csv")
        self.rules.write_text(self.RULES)

    def test_ranks_per_host_decide_which_rule_applies(self):
        for per_host, algorithm, protocol, channels in [(4, "tree", "ll", 8), (2, "ring", "simple", 4)]:
            found = harness.choice("allreduce", "-p", 8, "-n", "64K", "--table", self.rules, "--ranks-per-host", per_host)
            self.assertEqual((found["choice"]["library_algorithm"], found["choice"]["protocol"],
                              found["choice"]["nccl_channels"]), (algorithm, protocol, channels))
            found = harness.choice("allreduce", "-p", 8, "-n", "64K", "--table", self.rules, "--library", "NCCL 2.30",
                                   "--ranks-per-host", per_host)
            self.assertEqual(found["path"][-1]["decided_by"], "tuner")
            self.assertEqual(found["path"][-1]["chosen"], f"{algorithm} with {protocol}, {channels} channels")
        found = harness.choice("allreduce", "-p", 8, "-n", "2MiB", "--table", self.rules, "--library", "NCCL 2.30",
                               "--ranks-per-host", 2)
        self.assertEqual([each["decided_by"] for each in found["path"]], ["search", "tuner", "cost model"])
        self.assertIn("no rule holds", found["path"][1]["because"])

    def test_without_them_the_rules_are_listed(self):
        done = harness.run("choose", "allreduce", "-p", 8, "-n", "64K", "--table", self.rules)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for words in ["depend on the number of nodes", "on 2 nodes, tree, ll, 8 channels (double_tree) (line 1)",
                      "on 4 nodes, ring, simple, 4 channels (line 2)", "otherwise, no rule", "add --ranks-per-host 4 or 2"]:
            self.assertIn(words, done.stderr)
        # The flag that is suggested works, and other rules need none.
        for per_host in (4, 2):
            harness.output("choose", "allreduce", "-p", 8, "-n", "64K", "--table", self.rules, "--ranks-per-host", per_host)
        self.assertIn("ring, ll, 2 channels", harness.output("choose", "bcast", "-p", 8, "-n", "64K", "--table", self.rules))
        done = harness.run("choose", "allreduce", "-p", 8, "-n", "64K", "--table", self.rules, "--ranks-per-host", 8)
        self.assertIn("no rule for allreduce on 8 ranks and 1 node", done.stderr)

    def test_decide_judges_the_rule_for_its_nodes(self):
        grid = ["decide", "allreduce", "-p", 8, "-n", "64K", "--against", self.rules, "--all", "--json", "-", "--ranks-per-host"]
        for per_host, name in [(4, "tree"), (2, "ring")]:
            [cell] = harness.json_output(*grid, per_host)["against"]["cells"]
            self.assertEqual(cell["choice"]["library_algorithm"], name)


class Han(unittest.TestCase):
    def test_simple_has_a_schedule(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder, "han.conf")
            for collective, within, across in [("allreduce", ["reduce", "bcast"], ["allreduce"]),
                                               ("bcast", ["bcast"], ["bcast"]), ("reduce", ["reduce"], ["reduce"])]:
                rules.write_text(f"1\n{collective}\n1\n2\n1\n1\n1\n0 han @simple\n")
                found = harness.choice(collective, "-p", 32, "-n", "1MiB", "--library", "Open MPI 5.0", "--table", rules,
                                       "--ranks-per-host", 8)
                levels = [level for level in found["path"] if level["depth"] == 1]
                parts = [(level["ranks"].split(", ")[-1], "one of each node" in level["ranks"]) for level in levels
                         if level["decided_by"] == "coll framework" or level["decided_by"] == "coll/tuned"]
                self.assertEqual({name for name, between in parts if between}, set(across), found["path"])
                self.assertEqual({name for name, between in parts if not between}, set(within), found["path"])
                self.assertEqual(found["choice"]["algorithm"], "hierarchical")
                self.assertNotIn("segment_bytes", found["choice"])
                self.assertIn("han.conf, line 8", found["path"][1]["because"])
                harness.output(*shlex.split(found["command"])[1:])  # it runs

    def test_the_assumption_about_xpmem_is_said(self):
        call = ["choose", "alltoall", "-p", "32", "--library", "Open MPI main", "--ranks-per-host", 8]
        for sizes in ("64K", "64K,1MiB"):
            shown = " ".join(harness.output(*call, "-n", sizes).split())
            self.assertIn("assumed ranks of a node cannot map each other's memory; where XPMEM is installed, coll/han runs "
                          "alltoall", shown)
            shown = " ".join(harness.output(*call, "-n", sizes, "--xpmem").split())
            self.assertNotIn("assumed", shown)
            self.assertIn("coll/han's smsc", shown)
            self.assertIn("tutti has no alltoall equivalent to coll/han's", shown)
        self.assertNotIn("assumed", harness.output(*call[:-2], "-n", "64K"))  # one rank on each node
        self.assertIn("assumed: ranks of a node cannot map",
                      " ".join(harness.output("decide", "alltoall", "-p", 32, "-n", "64K", "--ranks-per-host", 8, "--against",
                                              "Open MPI main", "--algorithms", "linear,pairwise").split()))
        done = harness.run("choose", "alltoall", "-p", 32, "-n", "64K", "--library", "MPICH 4.2", "--xpmem")
        self.assertEqual(done.returncode, 2)
        self.assertIn("only Open MPI's choices depend on it", done.stderr)

    def test_components_that_are_not_modelled_are_named(self):
        call = ["choose", "allreduce", "-p", 32, "-n", "64K", "--ranks-per-host", 8, "--library"]
        self.assertIn("--mca coll_hcoll_enable 0 --mca coll_ucc_enable 0", " ".join(harness.output(*call, "Open MPI 5.0").split()))
        self.assertNotIn("hcoll", harness.output(*call, "MPICH 4.2"))


if __name__ == "__main__":
    unittest.main()
