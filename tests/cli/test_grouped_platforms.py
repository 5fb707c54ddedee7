"""Tests the platforms that consist of groups of leaf switches (tutti platform dragonfly_plus, slingshot and
islands), and those whose hosts have several network cards."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import harness

KEPT = harness.SOURCE_DIR / "examples" / "supercomputers" / "platforms"
SMALL = ["--groups", 3, "--leaves", 2, "--nodes", 4, "--bw", "10GBps", "--cable-bw", "5GBps"]
ONE = "bcast/linear"


class GroupedPlatforms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def platform(self, *arguments):
        path = self.folder / "platform.xml"
        self.assertEqual(harness.output("platform", *arguments, "-o", path), "")
        return path

    def seconds(self, platform, hosts, algorithm="alltoall/pairwise", size="16MiB", *more):
        result = harness.json_output("simulate", algorithm, "-p", hosts.count(",") + 1, "-n", size,
                                     "--platform", platform, "--hosts", hosts, "--engine", "both",
                                     "--json", "-", *more)
        self.assertLess(result["engines_differ_by"], 1e-9)
        return result["simulated_s"]

    def refused(self, *arguments, mentioned):
        done = harness.run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in mentioned:
            self.assertIn(part, done.stderr)

    def test_latencies_depend_on_the_number_of_switches(self):
        for kind, in_group, between in (("dragonfly_plus", 3, 4), ("slingshot", 2, 4),
                                        ("islands", 3, 5)):
            platform = self.platform(kind, *SMALL, "--lat", "1us", "--switch-lat", "0.25us",
                                     "--group-lat", "0.5us")
            for other, switches, cables_us in ((1, 1, 2.0), (4, in_group, 2.0), (8, between, 2.5)):
                with self.subTest(kind=kind, other=other):
                    self.assertAlmostEqual(
                        1e6 * self.seconds(platform, f"node-0,node-{other}", ONE, 0),
                        cables_us + 0.25 * switches, places=9)

    def test_bundles_of_cables_limit_the_bandwidth_and_are_shared(self):
        # Each of four hosts sends a stream to a host of another group, so 4 x 10 GB/s would flow over the
        # cables if the cables did not limit the rate.
        four = ",".join(f"node-{i}" for i in (0, 1, 2, 3, 8, 9, 10, 11))
        table = self.folder / "sizes.csv"
        table.write_text("".join(",".join("800000000" if row < 4 and column == row + 4 else "0"
                                          for column in range(8)) + "\n" for row in range(8)))
        for options, gbytes_per_s in (
                (["dragonfly_plus", "--trunk-cables", 8, "--group-cables", 2], 10),
                (["dragonfly_plus", "--trunk-cables", 2, "--group-cables", 8], 10),
                (["slingshot", "--trunk-cables", 8, "--group-cables", 2, "--routing", "adaptive"], 20),
                (["slingshot", "--trunk-cables", 8, "--group-cables", 2, "--routing", "adaptive",
                  "--detours", 1.5], 15),
                (["slingshot", "--trunk-cables", 8, "--group-cables", 2, "--routing", "adaptive",
                  "--detours", 9], 20),  # limited by all cables that leave the group
                (["islands", "--trunk-cables", 8], 40),
                (["islands", "--trunk-cables", 8, "--taper", 4], 20)):
            with self.subTest(options=options):
                platform = self.platform(*options, *SMALL)
                took = self.seconds(platform, four, "alltoallv/linear", 800000000, "--sizes", table,
                                    "--ports", "unlimited")
                self.assertAlmostEqual(took * gbytes_per_s / 3.2, 1, places=3)

    def test_a_map_file_gives_the_names(self):
        table = self.folder / "map.csv"
        table.write_text("machine,group,host,leaf\n" + "".join(
            f"a,{group},{host},{leaf}\n" for group, leaf, host in (
                ("x", "1", "n09"), ("x", "1", "n10"), ("y", "1", "login"), ("x", "2", "n11"),
                ("y", "1", "n08"))) + "b,x,n09,1\n")
        platform = self.platform("dragonfly_plus", "--map", table, "--machine", "a")
        shown = harness.json_output("simulate", "allgather/ring", "-p", 10, "-n", "10K",
                                    "--ranks-per-host", 2, "--platform", platform, "--hosts",
                                    "login,n[08-11]", "--engine", "both", "--json", "-")
        self.assertEqual(shown["hosts"]["of_ranks"][::2], ["login", "n08", "n09", "n10", "n11"])
        self.assertLess(shown["engines_differ_by"], 1e-9)

    def test_platforms_in_the_repository_match_the_script(self):
        subprocess.run([KEPT / "make_platforms", harness.TUTTI, self.folder], check=True,
                       env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        for made in self.folder.iterdir():
            self.assertEqual(made.read_text(), (KEPT / made.name).read_text(), made.name)

    def test_platforms_in_the_repository_have_all_hosts(self):
        for machine, hosts, first, last in (("leonardo", 4992, "lrdn[0001-0009]", "lrdn4992"),
                                            ("lumi", 2976, "nid[005000-005008]", "nid007975"),
                                            ("mare_nostrum", 1120, "as01r1b[01-09]", "as07r5b32")):
            with self.subTest(machine=machine):
                text = harness.output("simulate", "allreduce/ring", "-p", 10, "-n", "64K", "--platform",
                                      KEPT / f"{machine}.xml", "--hosts", f"{first},{last}")
                self.assertIn(f"{machine}.xml, 10 of {hosts:,} hosts used", " ".join(text.split()))

    def test_bad_input(self):
        self.refused("platform", "slingshot", mentioned=["give --groups, --leaves and --nodes, or --map"])
        self.refused("platform", "slingshot", *SMALL, "--trunk-cables", 0,
                     mentioned=["--trunk-cables is 0", "at least 1 cable"])
        self.refused("platform", "slingshot", *SMALL, "--group-cables", 0, mentioned=["--group-cables is 0"])
        self.refused("platform", "islands", *SMALL, "--taper", 0.5, mentioned=["--taper is 0.5"])
        self.refused("platform", "slingshot", *SMALL, "--detours", 2, mentioned=["--routing adaptive"])
        self.refused("platform", "slingshot", *SMALL, "--routing", "adaptve",
                     mentioned=["--routing 'adaptve'", "did you mean 'adaptive'?"])
        self.refused("platform", "slingshot", "--groups", 300, "--leaves", 300, "--nodes", 300,
                     mentioned=["hosts is 1048577; it must be 1 to 1048576"])
        self.refused("platform", "slingshot", "--groups", 0, "--leaves", 3, "--nodes", 3,
                     mentioned=["hosts is 0"])
        self.refused("platform", "slingshot", *SMALL, "--machine", "a", mentioned=["--map FILE"])
        table = self.folder / "map.csv"
        for text, more, mentioned in (
                ("host,leaf,group\nn1,1,1\nn2,1,1\nn1,2,1\n", [],
                 [f"{table}:4: host 'n1' is listed twice (first on line 2)"]),
                ("host,leaf\nn1,1\n", [], [f"{table}:1: no column 'group'"]),
                ("host,leaf,group\nn1,1\n", [], [f"{table}:2: the group is missing"]),
                ("host,leaf,group\nn1,,1\n", [], [f"{table}:2: the leaf is empty"]),
                ("host,leaf,group\n", [], ["the file has no hosts"]),
                ("", [], ["the file has no hosts"]),
                ("host,leaf,group\nn 1,1,1\n", [], ["the host 'n 1'", "may have only letters"]),
                ("host,leaf,group\ngroup-1_core,1,1\n", [], ["other names"]),
                ("host,leaf,group\nn1,1,1\n", ["--machine", "a"], ["no column 'machine'"]),
                ("host,leaf,group\nn1,1,1\n", ["--groups", 2], ["--groups '2'"]),
                ("machine,host,leaf,group\na,n1,1,1\nb,n1,1,1\n", [], ["--machine a, or b"]),
                ("machine,host,leaf,group\na,n1,1,1\nb,n1,1,1\n", ["--machine", "c"],
                 ["--machine 'c'", "a or b"])):
            with self.subTest(text=text):
                table.write_text(text)
                self.refused("platform", "islands", "--map", table, *more, mentioned=mentioned)
        self.refused("platform", "islands", "--map", self.folder / "none.csv", mentioned=["none.csv"])

    def test_two_cards_double_the_bandwidth_but_not_the_latency(self):
        # All messages of an all-to-all are under way at once. Each card carries those of its ranks to the 12 ranks
        # on other hosts; the others cross the memory of the host, which is faster.
        figures = ["--hosts", 4, "--cores", 4, "--bw", "10GBps", "--lat", "2us", "--loopback-bw", "100GBps"]
        for cards, ranks_per_card in ((1, 4), (2, 2), (4, 1)):
            for kind in ("crossbar", "smp"):
                platform = self.platform(kind, *figures, "--cards", cards)
                for block, engine in ((1_000_000, "both"), (0, "flow"), (1_000_000, "simgrid")):
                    done = harness.json_output("simulate", "alltoall/linear", "-p", 16, "-n", 16 * block, "--elem-bytes", 1,
                                               "--platform", platform, "--ranks-per-host", ranks_per_card, "--ports",
                                               100, "--engine", engine, "--json", "-")
                    self.assertAlmostEqual(1e6 * done["simulated_s"], 2 + 1e6 * ranks_per_card * 12 * block / 10e9,
                                           delta=1e-6)
                # A limit is known, and it is not above the time.
                harness.output("bound", "alltoall", "-p", 16, "-n", "1MiB", "--platform", platform,
                               "--ranks-per-host", ranks_per_card)
        # Parts of a host reach each other by its memory, whatever their cards.
        self.assertAlmostEqual(1e6 * self.seconds(self.platform("crossbar", *figures, "--cards", 2),
                                                  "node-1-0,node-1-1", ONE, 1_000_000), 0.3 + 10, delta=1e-6)

    def test_cards_are_at_one_leaf_switch_or_on_rails(self):
        figures = ["--down", "4,2", "--up", "1,2", "--cards", 2, "--bw", "10GBps", "--lat", "1us", "--cores", 2]
        for wiring, latencies_us in (("leaf", {"node-0-0,node-1-0": 2, "node-0-0,node-1-1": 2, "node-0-0,node-2-0": 4,
                                               "node-0-1,node-3-0": 4}),
                                     ("rail", {"node-0-0,node-1-0": 2, "node-0-0,node-1-1": 4, "node-0-1,node-3-1": 2,
                                               "node-0-1,node-3-0": 4})):
            platform = self.platform("fat_tree", *figures, "--card-wiring", wiring)
            for hosts, latency_us in latencies_us.items():
                self.assertAlmostEqual(1e6 * self.seconds(platform, hosts, ONE, 0), latency_us, delta=1e-6, msg=hosts)
        self.assertEqual(self.platform("fat_tree", "--hosts", 16, "--cards", 1).read_text(),
                         harness.output("platform", "fat_tree", "--hosts", 16))
        self.assertIn("4 hosts with 2 network cards each",
                      self.platform("fat_tree", "--hosts", 4, "--rails", 2).read_text())

    def test_impossible_cards_are_refused(self):
        for arguments, mentioned in (
                (["smp", "--hosts", 4, "--cards", 3], "--cards 3: the 16 cores of a host (--cores)"),
                (["crossbar", "--hosts", 300, "--cards", 2], "600 cards are too many"),
                (["crossbar", "--hosts", 1, "--cards", 2], "for 2 hosts or more"),
                (["crossbar", "--hosts", 4, "--cards", 0], "--cards"),
                (["fat_tree", "--down", "3,3", "--up", "1,3", "--cards", 2], "9 ports for cards"),
                (["fat_tree", "--hosts", 4, "--card-wiring", "rail"], "no effect with one card"),
                (["fat_tree", "--hosts", 4, "--cards", 2, "--card-wiring", "both"], "write leaf or rail"),
                (["fat_tree", "--down", "4,2", "--up", "1,2", "--hosts", 8, "--cards", 2], "with 2 cards each"),
                (["crossbar", "--hosts", 4, "--cards", 2, "--in-network", "yes"], "--in-network")):
            self.refused("platform", *arguments, mentioned=[mentioned])


if __name__ == "__main__":
    harness.main()
