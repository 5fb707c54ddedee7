"""Tests that tutti answers bad input with exit code 2 and one line on standard error, which names the invalid
value, and that tutti then writes no files."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import harness

RING = ["simulate", "allreduce/ring"]
CLUSTER = '<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>'
PLATFORM = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  {CLUSTER}
</platform>
"""
TWO_ISLANDS = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed="1Gf"/>
  </zone>
</platform>
"""


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def refused(self, arguments, *mentioned, code=2):
        """Runs tutti in this test's folder. It must exit with `code` and print one line that contains all
        words in `mentioned`."""
        before = sorted(os.listdir(self.path))
        done = harness.run(*arguments, cwd=self.path)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("tutti: "), done.stderr)
        for words in mentioned:
            self.assertIn(str(words), done.stderr)
        self.assertEqual(sorted(os.listdir(self.path)), before, "a file was left behind")

    def file(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def test_a_missing_value_does_not_take_the_next_option(self):
        self.refused(["compare", "allreduce", "-p", 4, "-n", 64, "--db=", "--json=-"], "--db needs a value")
        self.refused(["--color=", "list"], "--color")
        self.refused([*RING, "--platform=", "--ports=2"], "--platform needs a value")

    def test_unknown_names_suggest_the_nearest(self):
        self.refused([], "list", "show", "simulate")
        self.refused(["simulat"], "'simulat'", "'simulate'")
        self.refused(["simulate", "allreduce/rang", "-p", 4, "-n", 64], "'allreduce/ring'")
        self.refused([*RING, "-p", 4, "-n", 64, "--prots", 2], "'--prots'", "'--ports'")
        self.refused(["--hlp"], "'--help'")
        self.refused(["list", "allredce"], "'allreduce'")
        self.refused(["simulate", "reduce", "-p", 4, "-n", 64], "'reduce'", "reduce/linear")
        for command in ["verify", "show"]:  # the algorithm's name is checked before the options
            self.refused([command, "nothing"], "'nothing'")
        self.refused(["show", "allreduce/ring", "-p", 4, "-n", 64, "--format", "xml"], "notation")

    def test_the_likely_correction_comes_first(self):
        here = ["-p", 4, "-n", 64]
        for command in [["compare", "allreduce"], ["verify", "allreduce/ring"]]:
            for text in ["4-64", "4:64"]:
                self.refused([*command, "-p", text, "-n", 64],
                             f"'{text}': not a number or range; write 4..64, 4..64*2 or 4,64")
        self.refused([*RING, "-p", "8..1024*2", "-n", 64],
                     "'8..1024*2': only one number is allowed here, not a list or range")
        self.refused([*RING, *here, "--alpha", 5], "--alpha '5': no unit; write 5us, or 5s for seconds")
        self.refused([*RING, *here, "--beta", 2], "--beta '2': no unit; write 2ns")
        self.refused(["platform", "crossbar", "--hosts", 4, "--bw", 200],
                     "--bw '200': no unit; write 200Gbps (bits) or 25GBps (bytes)")
        self.refused(["report", *RING, *here, "--out", "x.html"], "'--out': did you mean '--output'")
        self.refused(["show", "allreduce/ring", *here, "--out", "x"], "'--out': did you mean '--output'")
        self.refused(["report", *RING, *here, "-o", "x.pdf"], "-o 'x.pdf'", ".html")
        self.refused(["list", "ring"], "'ring' is an algorithm", "'allreduce/ring'", "'allgather/ring'")
        self.refused(["compare", "ring", *here], "'allreduce/ring'")
        self.refused(["compare", "allreduce", *here, "--algorithms", "ring, rabenseifer"],
                     "no algorithm 'rabenseifer'", "did you mean 'rabenseifner'")
        harness.output("compare", "allreduce", *here, "--algorithms", " ring, rabenseifner ")
        self.file("recmul3.sched", "tutti-program 1\ncollective allreduce\n")
        self.refused(["compare", "allreduce", *here, "--with", "recmul3"], "did you mean 'recmul3.sched'")
        self.refused([*RING, *here, "--what-if", "bandwidth*2"], "did you mean 'bw*2'")
        self.refused([*RING, *here, "--what-if", "gama*2"], "did you mean 'gamma*2'")
        self.refused(["plot", "explain", "allreduce/ring", *here, "-o", "x.svg", "--which", "foo"],
                     "--which 'foo': expected timeline, waterfall, account, limit or improvements")
        self.refused(["explain", "allreduce/ring", *here, "--against", "rabenseifer"],
                     "no algorithm 'rabenseifer' for allreduce", "did you mean 'rabenseifner'")
        harness.output("explain", "allreduce/ring", *here, "--against", "rabenseifner")
        done = harness.run("help", "foo")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("did you mean", done.stderr)

    def test_missing_or_repeated_options(self):
        self.refused(["simulate"], "ALG")
        self.refused(RING + ["-n", 64], "-p")
        self.refused(RING + ["-p", 4], "-n")
        self.refused(RING + ["-p", 4, "-n"], "--bytes")
        self.refused(RING + ["-p", 4, "-p", 5, "-n", 64], "4 and 5")
        self.refused(RING + ["-p", 4, "-n", 64, "more"], "'more'")

    def test_bad_numbers_of_ranks(self):
        self.refused(RING + ["-p", 0, "-n", 64], "'0'", "at least 1")
        self.refused(RING + ["-p", -3, "-n", 64], "'-3'", "negative")
        self.refused(RING + ["-p", "four", "-n", 64], "'four'")
        self.refused(RING + ["-p", "2..4", "-n", 64], "'2..4'")
        self.refused(RING + ["-p", "18446744073709551617", "-n", 64], "18446744073709551617")
        self.refused(RING + ["-p", 4000000000, "-n", "1G"], "4000000000", "up to 8388608")

    def test_bad_sizes(self):
        for size in ["-1", "1.5", "1KB", "12x", "", "1e3", "99999999999999999999", "16T", "17TiB",
                     "18446744073709551616", "1..2", "nan"]:
            self.refused(RING + ["-p", 2, "-n", size], f"'{size}'", "--bytes")
        self.refused(RING + ["-p", 2, "-n", 1001], "1001", "--elem-bytes")
        self.refused(RING + ["-p", 4, "-n", 8], "1 element")
        self.refused(RING + ["-p", 2, "-n", 64, "--elem-bytes", 0], "'0'")

    def test_options_that_the_algorithm_does_not_take(self):
        self.refused(RING + ["-p", 2, "-n", 64, "--fold", "far"], "allreduce/ring", "--fold")
        self.refused(RING + ["-p", 2, "-n", 64, "--segment", "8"], "--segment")
        self.refused(RING + ["-p", 2, "-n", 64, "--skips", "sqrt"], "--skips")
        self.refused(RING + ["-p", 2, "-n", 64, "--root", 1], "--root")
        self.refused(["simulate", "allreduce/recursive_doubling", "-p", 2, "-n", 64, "--fold", "x"],
                     "'x'", "neighbours", "far")

    def test_bad_block_sizes(self):
        here = ["simulate", "reduce_scatter/ring", "-p", 3]
        self.refused(here + ["--block-bytes", "8,8"], "2 sizes", "3 ranks")
        self.refused(here + ["--block-bytes", "8,8,9"], "9 bytes")
        self.refused(here + ["--block-bytes", "8,8,8", "-n", 25], "24")
        self.refused(here + ["--block-bytes", "8,8,12"], "12 bytes", "whole number")
        self.refused(here + ["--block-bytes", "8,-8,8"], "'-8'", "negative")
        self.refused(RING + ["-p", 3, "--block-bytes", "8,8,8"], "--block-bytes")
        self.refused(here + ["-n", 24, "--block-skew", -1], "'-1'", "negative")
        self.refused(here + ["-n", 24, "--block-skew", "inf"], "'inf'", "--block-skew")
        self.refused(here + ["-n", 25, "--block-skew", 1], "25 bytes", "whole number")
        self.refused(here + ["--block-skew", 1], "-n")
        self.refused(here + ["--block-skew", 1, "--block-bytes", "8,8,8"],
                     "leave out one of the two options")
        self.refused(RING + ["-p", 3, "-n", 24, "--block-skew", 1], "--block-skew")

    def test_bad_sizes_of_pairs(self):
        here = ["simulate", "alltoallv/pairwise", "-p", 3]
        self.refused(here + ["-n", 24, "--sizes", "spares:1"], "'spares:1'", "sparse:K")
        self.refused(here + ["-n", 24, "--sizes", "sparse:3"], "'sparse:3'", "from 1 to 2")
        self.refused(here + ["-n", 24, "--sizes", "sparse:"], "sparse ''")
        self.refused(here + ["-n", 24, "--sizes", "skewed:-1"], "'-1'")
        self.refused(here + ["-n", 24, "--sizes", "sparse:1:x"], "seed 'x'")
        self.refused(here + ["--sizes", "sparse:1"], "-n")
        self.refused(here + ["-n", 24, "--block-skew", 1], "--sizes skewed:1")
        self.refused(here + ["-n", 24, "--sizes", "uniform", "--block-bytes", "8"],
                     "leave out one of the two options")
        self.refused(here + ["--block-bytes", "8,8,8"], "3 sizes", "each pair")
        self.refused(["simulate", "alltoall/linear", "-p", 3, "-n", 24, "--sizes", "uniform"],
                     "only alltoallv")
        for text, words in [("8,8\n8,8\n", "2 ranks"), ("8,8,8\n8,8,8\n", "2 rows of 3 sizes"),
                            ("8,8,8\n8,8\n8,8,8\n", "row 2"), ("", "0 rows"),
                            ("8,8,8\n8,x,8\n8,8,8\n", "row 2 'x'"),
                            ("8,8,8\n8,-8,8\n8,8,8\n", "'-8'"),
                            ("8,8,8\n8,9,8\n8,8,8\n", "9 bytes")]:
            self.refused(here + ["--sizes", self.file("sizes.csv", text)], words)
        sizes = self.file("sizes.csv", "0,8,8\n8,0,8\n8,80,0\n")
        self.refused(here + ["-n", 24, "--sizes", sizes], "'24'", "has 88")

    def test_bad_libraries(self):
        self.refused(["list", "--library", "Open MPI 5.1"], "'Open MPI 5.1'", "Open MPI 5.0")
        self.refused(["list", "--library", ""], "''", "MPICH 4.0")
        self.refused(["list", "--library", "NCCL 2.23", "--formulas"], "different lists")
        self.refused(["simulate", "barrier/dissemination", "-p", 3, "-n", "1K"], "'1K'", "barrier")

    def test_bad_roots_nodes_trees_and_segments(self):
        smp = ["simulate", "bcast/smp_linear", "-p", 8, "-n", 64]
        for command in ["simulate", "show", "verify"]:
            for collective in ["bcast", "reduce", "gather", "scatter"]:
                here = [command, f"{collective}/binomial", "-p", 8, "-n", 64]
                if command != "verify":  # verify reports a refusal as a result
                    self.refused(here + ["--root", 8], "root 8", "0 to 7")
                self.refused(here + ["--root", -1], "'-1'", "negative")
        self.refused(smp + ["--cores-per-node", 0], "'0'", "at least 1")
        self.refused(RING + ["-p", 8, "-n", 64, "--cores-per-node", 2], "--cores-per-node")
        pipeline = ["simulate", "bcast/pipeline", "-p", 8, "-n", 64]
        self.refused(pipeline + ["--tree", "oak"], "'oak'", "binomial")
        self.refused(pipeline + ["--tree", "oak", "--segment", "auto"], "'oak'", "binomial")
        self.refused(pipeline + ["--segment", "best"], "'best'", "--segment")
        self.refused(pipeline + ["--segment", 128], "128 bytes", "64 bytes")
        self.refused(["verify", "bcast/pipeline", "-p", 8, "--segment", "auto"], "no machine")
        # Bad values are also refused if only one of many algorithms takes the option.
        self.refused(["verify", "bcast", "-p", "2..4", "--tree", "oak"], "'oak'", "binomial")
        self.refused(["verify", "allreduce", "-p", "2..4", "--parts", "foo"], "'foo'", "reduce")
        self.refused(["verify", "allreduce", "-p", "2..4", "--parts", "foo+linear"], "reduce/foo")
        self.refused(["verify", "allreduce", "-p", "2..4", "--skips", "foo"], "'foo'", "halving")
        self.refused(["simulate", "bcast/linear", "-p", 8, "-n", 64, "--segment", "auto"], "--segment")
        self.refused(pipeline + ["--copy-cost", "delta"], "'delta'", "--copy-cost")

    def test_bad_machine_options(self):
        here = RING + ["-p", 4, "-n", 64]
        self.refused(here + ["--ports", 0], "'0'", "unlimited")
        self.refused(here + ["--engine", "sim"], "'sim'", "critical-path")
        self.refused(here + ["--network-model", "tcp"], "'tcp'", "hockney")
        self.refused(here + ["--engine", "critical-path", "--network-model", "lv08"], "lv08")
        self.refused(here + ["--placement", "round"], "'round'", "cyclic")
        self.refused(here + ["--ranks-per-host", 0], "'0'")
        self.refused(here + ["--alpha", "-1us"], "'-1us'", "negative")
        self.refused(here + ["--alpha", "1d"], "'d'", "us")
        self.refused(here + ["--beta", "inf"], "'inf'")
        self.refused(here + ["--gamma", "0Gbps"], "'0Gbps'")
        self.refused(here + ["--beta", "1e-320"], "'1e-320'")
        self.refused(here + ["--gamma", "1e300"], "'1e300'")
        self.refused(here + ["--no-verify"], "--no-verify", "allreduce/ring")
        self.refused(here + ["--platform", "crossbar:4,lat=1us,lat=2us"], "lat", "twice")

    def test_show_takes_machine_options_with_stats_only(self):
        here = ["show", "allreduce/ring", "-p", 4, "-n", 64]
        for option, value in [("--platform", "x.xml"), ("--ports", "2"), ("--placement", "cyclic"),
                              ("--alpha", "1us"), ("--beta", "1ns"), ("--gamma", "1ns"),
                              ("--copy-cost", "gamma")]:
            self.refused(here + [option, value], option, f"'{value}'", "stats")
            if option != "--ports":     # pictures show steps with this number of ports
                self.refused(here + ["--format", "json", option, value], option, "json")
        self.refused(here + ["--format", "stats", "--platform", "missing.xml"], "missing.xml")

    def test_bad_options_for_switches(self):
        """SHARP and NVLS must be refused on platforms without switches that reduce, and on platforms whose
        switches do not suit these algorithms."""
        sharp = ["simulate", "allreduce/sharp", "-p", 4, "-n", 64]
        self.refused(sharp, "1 switch takes part", "crossbar:4", "tutti:in_network", "--in-network")
        self.refused(["explain", *sharp[1:]], "1 switch takes part", "tutti:in_network")
        self.refused(sharp + ["--engine", "critical-path"], "declares none")
        self.refused(sharp + ["--groups", "2", "--platform", self.file("four.xml", PLATFORM)],
                     "3 switches take part", "four.xml", "tutti:in_network")
        self.refused(sharp + ["--groups", "0-2"], "--groups lists 3 ranks, but the problem has 4")
        self.refused(sharp + ["--groups", "2,3"], "2,3", "nest")
        self.refused(sharp + ["--segment", "128"], "128", "64")

        # With SimGrid, compare leaves out algorithms that use switches, unless the user names these
        # algorithms.
        tree = self.file("tree.xml", PLATFORM.replace(
            CLUSTER, CLUSTER.replace("/>", "><prop id='tutti:in_network' value='yes'/></cluster>")))
        for options in (["--engine", "simgrid"], ["--engine", "both"], ["--network-model", "lv08"]):
            done = harness.run("compare", "allreduce", "-p", 4, "-n", 1024, "--platform", tree,
                               "--all", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("signal", done.stdout + done.stderr)
            self.assertNotIn("sharp", done.stdout)
        done = harness.run("compare", "allreduce", "-p", 4, "-n", 1024, "--engine", "simgrid",
                           "--algorithms", "sharp")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("refused", done.stdout)
        self.assertIn("use --engine flow", done.stdout)
        slow = self.file("slow.xml", PLATFORM.replace(
            CLUSTER, CLUSTER.replace("/>", "><prop id='tutti:in_network' value='1GBps'/></cluster>")))
        self.refused(sharp + ["--platform", slow, "--engine", "critical-path"], "how fast", "flow")

        def declared(attributes, value, name):
            cluster = CLUSTER.replace("/>", f" {attributes}><prop id='tutti:in_network' "
                                            f"value='{value}'/></cluster>")
            return ["--platform", self.file(name, PLATFORM.replace(CLUSTER, cluster))]

        fat_tree = 'topology="FAT_TREE" topo_parameters="2;2,2;1,1;1,1"'
        here = declared(fat_tree, "yes", "tree.xml")
        self.refused(sharp + here, "ranks 0 and 2", "hosts 0-1", "hosts 2-3", "--groups switch")
        self.refused(sharp + here + ["--groups", "1,2"], "no switch above that", "tree.xml")
        for engine in ("simgrid", "both"):
            self.refused(sharp + here + ["--groups", "2", "--engine", engine], f"--engine {engine}",
                         "--engine flow")
        self.refused(sharp + here + ["--groups", "2", "--record", "r.json"], "recording")
        for value in ("no", "maybe", "50", "-1Gbps", "0GBps", ""):
            self.refused(sharp + declared("", value, f"rate{value}.xml"), f"'{value}'", "50GBps")
        for attributes in ('topology="TORUS" topo_parameters="2,2"',
                           'topology="DRAGONFLY" topo_parameters="1,1;1,1;2,1;2"',
                           'bb_bw="1GBps" bb_lat="1us"'):
            self.refused(sharp + declared(attributes, "yes", "shape.xml"), "shape.xml:4", "FAT_TREE")
        self.refused(["platform", "crossbar", "--hosts", 4, "--in-network", "fast"], "'fast'",
                     "50GBps")
        self.refused(["platform", "torus", "--hosts", 8, "--in-network", "yes"], "--in-network")
        self.refused(["simulate", "allreduce/hierarchical", "-p", 4, "-n", 64, "--groups", "2",
                      "--across", "nvls"], "allreduce/nvls", "needs switches")
        self.refused(["simulate", "allreduce/nonoverlapping", "-p", 4, "-n", 64, "--parts",
                      "sharp+binomial"], "reduce/sharp")

    def test_bad_platform_files(self):
        here = RING + ["-p", 4, "-n", 64, "--platform"]
        self.refused(here + ["missing.xml"], "missing.xml")
        self.refused(here + [self.file("empty.xml", "")], "empty.xml")
        self.refused(here + [self.file("cut.xml", PLATFORM[:140])], "cut.xml")
        self.refused(here + [self.file("text.xml", "four hosts\n")], "text.xml")
        no_hosts = PLATFORM.replace(CLUSTER, '<zone id="z" routing="Full"/>')
        self.refused(here + [self.file("none.xml", no_hosts)], "no hosts")
        self.refused(here + [self.path], self.path)
        self.refused(RING + ["-p", 5, "-n", 64, "--platform", self.file("four.xml", PLATFORM)],
                     "5", "4", "--ranks-per-host")
        self.refused(RING + ["-p", 2, "-n", 64, "--platform", self.file("cut_off.xml", TWO_ISLANDS)],
                     "route", "host a", "host b")

    def test_outputs_that_cannot_be_written(self):
        here = RING + ["-p", 4, "-n", 64]
        for option in ["--json", "--csv", "--timeline"]:
            self.refused(here + [option, "no/such/folder/x"], "no/such/folder/x")
            self.refused(here + [option, self.path], self.path)
            self.refused(here + [option, ""], "''")
        self.refused(here + ["--json", "-", "--csv", "-"], "standard output")
        self.refused(["show", "allreduce/ring", "-p", 4, "-n", 64, "-o", "no/such/x"], "no/such/x")
        self.refused(here + ["--json", "x", "--csv", "./x"], "'./x'", "are the same file")
        # The first output file is already open when the second is refused.
        self.refused(here + ["--json", "fine.json", "--timeline", "no/such/x"], "no/such/x")

    def test_a_failed_run_keeps_the_old_file(self):
        old = self.file("result.json", "precious")
        self.refused(RING + ["-p", 4, "-n", 64, "--platform", "missing.xml", "--json", old])
        self.assertEqual(old.read_text(), "precious")

    def test_a_full_disk_is_reported(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.refused(RING + ["-p", 4, "-n", 64, "--json", "/dev/full"], "/dev/full")
        for arguments in [RING + ["-p", 4, "-n", 64], ["list"], ["--help"]]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([harness.TUTTI, *map(str, arguments)], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("standard output", done.stderr)


class Outputs(unittest.TestCase):
    def test_a_device_is_written_and_not_replaced(self):
        harness.output(*RING, "-p", 4, "-n", 64, "--json", "/dev/null")
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))

    def test_a_symbolic_link_is_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "target.json"
            link = pathlib.Path(folder) / "link.json"
            link.symlink_to("target.json")
            harness.output(*RING, "-p", 4, "-n", 64, "--json", link)
            self.assertTrue(link.is_symlink())
            self.assertIn("tutti-result/1", target.read_text())
            self.assertEqual(len(os.listdir(folder)), 2)


if __name__ == "__main__":
    harness.main()
