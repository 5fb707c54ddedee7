"""Tests decide --profile: profiles of a program's calls in every format, and the seconds that rules save."""

import csv
import io
import pathlib
import tempfile
import unittest

import harness

CORPUS = harness.SOURCE_DIR / "tests" / "fuzz" / "corpus"
HAND = """collective,p,bytes,calls
allreduce,8,8,1000000
allreduce,8,8388608,100
alltoall,8,64,200000
alltoall,8,8388608,50
barrier,8,0,5000
"""
PRICES = ["--alpha", "1us", "--beta", "1ns", "--gamma", "0.25ns", "--by", "exact"]

def without_lines(rules):
    return [{key: without_lines(value) if key == "then" else value
             for key, value in rule.items() if key != "line"} for rule in rules]


class Profiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="run.csv"):
        path = self.folder / name
        path.write_text(text)
        return path

    def decided(self, path, *arguments):
        found = harness.json_output("decide", *arguments, "--profile", path, "--json", "-")
        harness.validate(found, "tutti-profile-1")
        return found

    def calls(self, path):
        """Returns {(collective, ranks, bytes): number of calls}."""
        found = self.decided(path, "--by", "exact")
        return {(cell["collective"], cell["ranks"], cell["bytes"]): cell["calls"]
                for cell in found["cells"]}

    def refused(self, *arguments, mentioned):
        done = harness.run("decide", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in mentioned:
            self.assertIn(part, done.stderr)

    def test_the_best_rules_of_a_profile_match_a_calculation_by_hand(self):
        found = self.decided(self.file(HAND), *PRICES)
        a, b, g, p, small, large = 1e-6, 1e-9, 0.25e-9, 8, 8, 8388608
        # The closed forms are worked out by hand. For a large allreduce, recursive doubling works on the
        # whole vector in each of its three rounds, whereas Rabenseifner's algorithm works on halves, quarters
        # and eighths of it.
        wanted = {
            ("allreduce", small): ("recursive_doubling", 1e6 * 3 * (a + small * b + small * g)),
            ("allreduce", large): (None, 100 * (6 * a + 2 * (7 / 8) * large * b
                                                + (7 / 8) * large * g)),
            ("alltoall", 64): (None, 200000 * 3 * (a + 32 * b)),
            ("alltoall", large): (None, 50 * 7 * (a + large / p * b)),
            ("barrier", 0): (None, 5000 * 3 * a)}
        total = 0
        for cell in found["cells"]:
            name, seconds = wanted.pop((cell["collective"], cell["bytes"]))
            self.assertAlmostEqual(cell["after_s"] / seconds, 1, places=9)
            total += seconds
            choice = found["rules"][cell["rule"]]["choice"]
            self.assertIn(name, (None, choice["algorithm"]))
        self.assertEqual(wanted, {})
        self.assertAlmostEqual(found["after_s"] / total, 1, places=9)
        self.assertAlmostEqual(found["before_s"] - found["after_s"], found["saved_s"])
        # A single algorithm for all allreduces loses at one of the two sizes, so each size needs a rule. The
        # rules that save the most must come first.
        saved = [rule["saved_s"] for rule in found["rules"]]
        self.assertEqual(saved, sorted(saved, reverse=True))
        self.assertEqual(found["rules"][0]["collective"], "allreduce")
        self.assertGreater(saved[0], 0)
        before = {cell["before"] for cell in found["cells"] if cell["collective"] == "allreduce"}
        self.assertEqual(len(before), 1)

    def test_a_profile_is_compared_with_a_table(self):
        table = harness.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json"
        path = self.file("collective,ranks,bytes,calls\nallreduce,16,65536,1000\n"
                         "allreduce,16,64,7\n")
        found = self.decided(path, "--against", table)
        judged = harness.json_output("decide", "allreduce", "-p", 16, "-n", "64,64K", "--against",
                                     table, "--json", "-")
        seconds = {cell["bytes"]: cell["seconds"] for cell in judged["against"]["cells"]}
        calls = {65536: 1000, 64: 7}
        for cell in found["cells"]:
            self.assertAlmostEqual(cell["before_s"] / (calls[cell["bytes"]] * seconds[cell["bytes"]]),
                                   1, places=9)
        self.assertEqual(found["before"], f"what {table} chooses")

    def test_calls_are_weighted_by_seconds_and_not_by_size(self):
        # Calls of one size are far more frequent than all others, so only the rule for this size is kept.
        sizes = [8 << i for i in range(14)]
        rows = "".join(f"allreduce,16,{n},{10**9 if n == 8 else 1}\n" for n in sizes)
        found = self.decided(self.file("collective,p,bytes,calls\n" + rows), *PRICES)
        self.assertEqual(len(found["rules"]), 1)
        self.assertEqual(found["rules"][0]["choice"]["algorithm"], "recursive_doubling")
        rows = "".join(f"allreduce,16,{n},{10**9 if n == sizes[-1] else 1}\n" for n in sizes)
        found = self.decided(self.file("collective,p,bytes,calls\n" + rows), *PRICES)
        self.assertEqual(len(found["rules"]), 1)
        self.assertNotEqual(found["rules"][0]["choice"]["algorithm"], "recursive_doubling")

    def test_a_trace_of_an_smpi_run_is_read(self):
        # This trace was written by smpirun -trace-ti (SimGrid 3.32) on four ranks; computation is left out.
        trace = CORPUS / "profiles_ti" / "run.trace"
        wanted = {("allreduce", 4, 8000): 3, ("bcast", 4, 4096): 1, ("reduce", 4, 400): 1,
                  ("alltoall", 4, 320): 1, ("allgather", 4, 80): 1, ("gather", 4, 80): 1,
                  ("scatter", 4, 96): 1, ("reduce_scatter", 4, 80): 1, ("allgatherv", 4, 80): 1,
                  ("gatherv", 4, 80): 1, ("scatterv", 4, 80): 1, ("alltoallv", 4, 32): 1,
                  ("scan", 4, 88): 1, ("exscan", 4, 96): 1, ("barrier", 4, 0): 1,
                  ("allreduce", 4, 104): 1, ("allreduce", 4, 112): 1}
        self.assertEqual(self.calls(trace), wanted)
        found = self.decided(trace, "--by", "exact")
        printed = " ".join(found["profile"]["assumed"])
        for part in ("nonblocking", "1 call of bcast with a type whose size the trace does not give",
                     "1 call of reduce_scatter or reduce_scatter_block without sizes"):
            self.assertIn(part, printed)
        # Reads the same calls from one file for each rank. The file run.ti in the parent folder lists these
        # files.
        (self.folder / "run_files").mkdir()
        lines = trace.read_text().splitlines()
        names = []
        for rank in range(4):
            names.append(f"run_files/rank-{rank + 1}.txt")
            own = [line for line in lines if line.startswith(f"{rank} ")]
            (self.folder / names[-1]).write_text("\n".join(own) + "\n")
        listed = self.file("\n".join(names) + "\n", "run.ti")
        self.assertEqual(self.calls(listed), wanted)

    def test_element_types_of_a_trace_are_applied(self):
        both = "".join(f"{r} init{{}}\n{r} bcast 1000\n{r} bcast 1000 0 5\n" for r in range(2))
        self.assertEqual(self.calls(self.file(both.format("", ""), "byte")),
                         {("bcast", 2, 1000): 1, ("bcast", 2, 4000): 1})
        self.assertEqual(self.calls(self.file(both.format(" 1", " 1"), "double")),
                         {("bcast", 2, 8000): 1, ("bcast", 2, 4000): 1})

    def test_reports_of_profilers_are_read(self):
        for name, wanted in {
                "profiles_csv/calls.csv": {
                    ("allreduce", 8, 8): 1000000, ("allreduce", 8, 8388608): 100,
                    ("alltoall", 8, 64): 200000, ("alltoall", 8, 8388608): 50,
                    ("bcast", 8, 64): 10, ("barrier", 8, 0): 5000},
                # mpiP and IPM count the bytes that one rank sends; for alltoall, those that it sends to one rank.
                "profiles_mpip/report.mpiP": {
                    ("allreduce", 4, 8): 100, ("alltoall", 4, 4096): 10, ("barrier", 4, 0): 7},
                "profiles_ipm/log.xml": {
                    ("allreduce", 4, 8): 100, ("allgather", 4, 1024): 10, ("barrier", 4, 0): 7},
                # This profile is from a run with Debian's Open MPI: seven allreduces of 800 bytes and three
                # bcasts of 8000 bytes.
                "profiles_ompi/open_mpi_4.1.4.txt": {("allreduce", 4, 800): 7,
                                                     ("bcast", 4, 8000): 3},
                # This profile adds up the bytes that a rank sends to all three other ranks. It also has a
                # barrier on a communicator of two ranks.
                "profiles_ompi/monitoring.prof": {
                    ("bcast", 4, 1024): 4, ("allreduce", 4, 8): 100, ("barrier", 2, 0): 5}}.items():
            with self.subTest(file=name):
                self.assertEqual(self.calls(CORPUS / name), wanted)
        report = (CORPUS / "profiles_mpip/report.mpiP").read_text()
        short = report[:report.index("@--- Callsite Time")]
        self.assertEqual(self.calls(self.file(short, "short")),
                         {("allreduce", 4, 8): 100, ("alltoall", 4, 4080): 10})
        log = (CORPUS / "profiles_ipm/log.xml").read_text()
        without = "".join(line + "\n" for line in log.splitlines() if "hent" not in line
                          and "hash" not in line)
        self.assertEqual(self.calls(self.file(without, "without.xml")), {("allreduce", 4, 8): 100})

    def test_many_sizes_are_grouped(self):
        rows = "".join(f"bcast,4,{1000 + 8 * i},2\n" for i in range(500))
        calls = self.calls(self.file("collective,p,bytes,calls\n" + rows))
        self.assertLess(len(calls), 48)
        self.assertEqual(sum(calls.values()), 1000)

    def test_rules_for_one_collective(self):
        path = self.file(HAND)
        rules = harness.output("decide", "allreduce", "--profile", path, "--export", "ompi4", "-o",
                               "-", "--by", "exact")
        self.assertIn("# allreduce", rules)
        written = self.file(rules, "rules.conf")
        self.assertIn("no errors or warnings", harness.output("lint", written))
        self.refused("--profile", path, "--export", "csv",
                     mentioned=["--export 'csv'", "holds only one collective", "has 3",
                                "tutti decide allreduce"])
        self.refused("bcast", "--profile", path,
                     mentioned=["the file has no calls to bcast", "allreduce, alltoall, barrier"])
        self.assertEqual({cell["collective"] for cell in
                          self.decided(path, "alltoall", "--by", "exact")["cells"]}, {"alltoall"})
        self.assertEqual(len({cell["collective"] for cell in
                              self.decided(path, "all", "--by", "exact")["cells"]}), 3)

    def test_rules_of_several_collectives_form_one_file(self):
        path = self.file(HAND + "scan,8,64,2\n")
        written = self.folder / "rules.conf"
        printed = harness.output("decide", "--profile", path, *PRICES, "--export", "ompi4", "-o",
                              written)
        self.assertIn(f"rules written to {written}", " ".join(printed.split()))
        self.assertIn("loaded with: mpirun --mca coll_tuned_use_dynamic_rules 1", printed)
        tables = harness.json_output("lint", written, "--json", "-")["files"][0]["tables"]
        self.assertEqual({table["collective"] for table in tables},
                         {"allreduce", "alltoall", "barrier", "scan"})
        # For each collective, the file must have the rules that decide writes for this collective alone.
        alone = self.folder / "alone.conf"
        for table in tables:
            harness.output("decide", table["collective"], "--profile", path, *PRICES, "--export",
                           "ompi4", "-o", alone)
            own = harness.json_output("lint", alone, "--json", "-")["files"][0]["tables"]
            self.assertEqual([without_lines(each["rules"]) for each in own],
                             [without_lines(table["rules"])])

    def test_collectives_without_rules_in_the_library_are_reported(self):
        path = self.file("collective,p,bytes,calls\nallreduce,64,1048576,1\nscan,4,8,1\n")
        done = harness.run("decide", "--profile", path, "--export", "nccl", "--gpu", "a100", "--gpus-per-node", 1)
        # No other algorithm of NCCL is faster by its model than the one that it chooses.
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("any of tutti's algorithms for scan, so the file leaves this collective out", done.stderr)
        self.assertIn("nothing to write", done.stderr)
        self.refused("--profile", self.file("collective,p,bytes,calls\nscan,4,8,1\nexscan,4,8,1\n"),
                     "--export", "nccl", mentioned=["--export 'nccl'", "for scan, exscan"])

    def test_only_what_the_library_can_run_saves_time(self):
        path = self.file("collective,p,bytes,calls\nallreduce,32,16384,1000\nallreduce,32,32768,1000\n"
                         "allreduce,32,65536,1000\nbcast,32,65536,2000\nallreduce,32,8,7\n")
        self.refused("--profile", path, "--against", "Open MPI 5.0", mentioned=["--ranks-per-host is missing"])
        self.refused("--profile", path, "--library", "Open MPI 5.0.6", "-o", self.folder / "rules",
                     mentioned=["--ranks-per-host is missing"])
        hosts = ["--ranks-per-host", 4]
        found = self.decided(path, *hosts, "--against", "Open MPI 5.0")
        for cell in found["cells"]:
            choice = found["rules"][cell["rule"]]["choice"]
            self.assertIn("library_algorithm", choice)
            self.assertGreaterEqual(cell["saved_s"], -0.011 * cell["before_s"])
        # Text: a row for each size, and what the rules are for.
        text = harness.output("decide", "--profile", path, *hosts, "--against", "Open MPI 5.0")
        for size in ("16 KiB", "32 KiB", "64 KiB", "8 bytes"):
            self.assertRegex(text, rf"(?m)^ +-?[\d.]+ .*allreduce +32 +{size} ")
        self.assertIn("algorithms that rules for Open MPI 5.0 can choose", " ".join(text.split()))
        self.assertIn("1 rank on each host, since", " ".join(harness.output("decide", "--profile", path).split()))

    def test_the_rules_for_a_library_are_those_of_the_saving(self):
        path = self.file("collective,p,bytes,calls\nallreduce,32,16384,1000\nallreduce,32,65536,10\n"
                         "bcast,32,65536,2000\nscan,16,8,7\n")
        rules = self.folder / "rules"
        call = ["decide", "--profile", path, "--library", "Open MPI 5.0.6", "--ranks-per-host", 4, "-o", rules]
        found = harness.json_output(*call, "--json", "-")
        harness.validate(found, "tutti-site-1")
        cells = {(cell["collective"], cell["ranks"], cell["bytes"]): cell for cell in found["cells"]}
        self.assertEqual({key: cell["calls"] for key, cell in cells.items()},
                         {("allreduce", 32, 16384): 1000, ("allreduce", 32, 65536): 10, ("bcast", 32, 65536): 2000,
                          ("scan", 16, 8): 7})
        known = [cell for cell in cells.values() if cell["saved_s"] is not None]
        self.assertAlmostEqual(found["profile"]["saved_s"], sum(cell["saved_s"] for cell in known))
        self.assertAlmostEqual(found["profile"]["before_s"],
                               sum(cell["calls"] * cell["built_in_s"] for cell in known))
        self.assertGreaterEqual(found["profile"]["saved_s"], 0)
        self.assertEqual({file.name for file in rules.iterdir()} >= {"README.md", "gains.csv"}, True)
        with open(rules / "gains.csv", encoding="utf-8") as gains:
            self.assertEqual(sum(float(row["calls"]) for row in csv.DictReader(gains)), 3017)
        call[-1] = self.folder / "again"
        self.assertIn("spent in collectives", harness.output(*call))
        call[-1] = self.folder / "third"
        self.refused(*call[1:], "-p", 4, mentioned=["--profile already gives the calls"])
        call[call.index("--ranks-per-host") + 1] = "4,8"
        self.refused(*call[1:], mentioned=["--ranks-per-host '4,8'"])

    def test_text_and_csv(self):
        path = self.file(HAND)
        text = harness.output("decide", "--profile", path, *PRICES)
        self.assertIn("spent in collectives", text)
        self.assertLess(text.index("allreduce"), text.index("barrier"))
        rows = list(csv.DictReader(io.StringIO(
            harness.output("decide", "--profile", path, *PRICES, "--csv", "-"))))
        self.assertEqual({row["collective"] for row in rows}, {"allreduce", "alltoall", "barrier"})
        found = self.decided(path, *PRICES)
        self.assertEqual([float(row["saved_s"]) for row in rows],
                         [cell["saved_s"] for cell in found["cells"]])

    def test_unknown_times_are_left_out_of_sums_and_reported(self):
        # On nodes with several ranks, Open MPI's reduce_scatter calls coll/han's reduce; tutti has no
        # schedule for that.
        path = self.file("collective,p,bytes,calls\nreduce_scatter,64,64,10\n"
                         "allreduce,64,64,20\n")
        machine = self.folder / "nodes.xml"
        machine.write_text(harness.output("platform", "crossbar", "--hosts", 8, "--cores", 8))
        how = ["--against", "Open MPI 5.0", "--ranks-per-host", 8, "--platform", machine]
        found = self.decided(path, *how)
        self.assertEqual(found["untold_calls"], 10)
        rules = {rule["collective"]: rule for rule in found["rules"]}
        unknown = rules["reduce_scatter"]
        self.assertEqual([unknown[key] for key in ("before_s", "after_s", "saved_s")], [None] * 3)
        self.assertEqual(unknown["untold_calls"], 10)
        self.assertEqual(rules["allreduce"]["before_s"], found["before_s"])
        self.assertEqual(found["rules"][-1], unknown)
        text = harness.output("decide", "--profile", path, *how, columns=200)
        line = next(line for line in text.splitlines() if " reduce_scatter " in line)
        self.assertEqual(line.count("not known"), 4, line)
        self.assertNotRegex(line, r"\b0\.0")
        self.assertIn("10 calls are left out of all sums", text)

    def test_bad_input(self):
        head = "collective,p,bytes,calls\n"
        for text, mentioned in {
                head + "allreduce,8,8,-5\n": ["line 2: calls '-5'", "a whole number, 0 or more"],
                head + "allredce,8,8,5\n": ["line 2: unknown collective 'allredce'", "'allreduce'"],
                head + "allreduce,0,8,5\n": ["line 2: p '0'", "from 1 to"],
                head + "allreduce,8,-8,5\n": ["line 2: bytes '-8'"],
                head + "allreduce,8,1e3,5\n": ["line 2: bytes '1e3'"],
                head + "allreduce,8,8\n": ["line 2: has 3 values; expected 4, one per column"],
                head + "barrier,8,8,5\n": ["a barrier moves no data"],
                head + "allreduce,8,99999999999999999,5\n": ["the maximum is"],
                head: ["with no calls to collectives"],
                "": ["the file has no calls"],
                "collective,p,bytes,call\n": ["there is no column calls; did you mean 'call'?"],
                "collective,p,bytes,calls,root\nbcast,8,8,1,8\n": ["root '8'", "from 0 to 7"],
                "0 allreduce\n1 allreduce\n": ["line 1: allreduce is followed by 0 numbers"],
                "0 allreduce -3 0\n1 barrier\n": ["line 1: allreduce of '-3'"],
                "0 barrier\n2 barrier\n": ["line 2: this line is from rank 2, but rank 1 has no lines"],
                "0 barrier\n": ["all actions are from rank 0"],
                "0 barrier\n1 dance\n": ["line 2: 'dance' is not an action that SimGrid replays"],
                "./none.txt\n": ["none.txt", "cannot be read"],
                "@ mpiP\n": ["does not say how many tasks there were"],
                "@ mpiP\n@ MPI Task Assignment : 0 a\n@ MPI Task Assignment : 1 a\n"
                "@--- Callsite Message Sent statistics\nAllreduce 2 0\n":
                    ["line 5: has 3 values", "truncated"],
                "<ipm_job_profile><task mpi_size='4'>": ["the XML is not complete", "truncated"],
                "<ipm_job_profile></ipm_job_profile>": ["this IPM log has no <task>"],
                "<ipm_job_profile><task mpi_size='-4'/></ipm_job_profile>": ["mpi_size '-4'"],
                "<ipm_job_profile><task mpi_size='4'><hash><hent call='MPI_Bcast' bytes='8' "
                "count='-1'/></hash></task></ipm_job_profile>": ["count '-1'"],
                "D\tW\tprocs: 0,1\nO2A\t0\t8 bytes\nA2A\t0\t8 bytes\t1 msgs sent\n":
                    ["line 2: 'O2A 0 8 bytes' is not a line of Open MPI's monitoring output"],
                "D\tW\tprocs: 0,1\nO2A\t0\t8 bytes\t-1 msgs sent\nA2A\t":
                    ["line 2: calls '-1'"]}.items():
            with self.subTest(text=text):
                self.refused("--profile", self.file(text), "--by", "exact", mentioned=mentioned)
        path = self.file(HAND)
        self.refused("--profile", path, "-p", 8, mentioned=["-p/--ranks '8'", "--profile already gives the calls"])
        self.refused("--profile", self.folder / "none", mentioned=["cannot be read"])
        self.refused(mentioned=["which collective?"])
        self.refused("--profile", path, "--hosts", "node[001-", "--platform",
                     harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml",
                     mentioned=["--hosts 'node[001-'", "unbalanced brackets"])


if __name__ == "__main__":
    harness.main()
