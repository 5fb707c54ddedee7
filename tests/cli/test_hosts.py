"""Tests --hosts, which places the ranks on the hosts that a job scheduler assigned."""

import pathlib
import random
import tempfile
import unittest

import harness

PLATFORMS = harness.SOURCE_DIR / "platforms"
THIN = PLATFORMS / "infiniband_hdr_128_thin.xml"
DRAGONFLY = PLATFORMS / "slingshot_128.xml"
BY_SIMGRID = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Dijkstra">
<host id="far" speed="1Gf"/><host id="left" speed="1Gf"/><host id="right" speed="1Gf"/>
<link id="thin" bandwidth="1GBps" latency="1us"/>
<link id="wide" bandwidth="10GBps" latency="1us"/>
<route src="left" dst="right"><link_ctn id="wide"/></route>
<route src="far" dst="left"><link_ctn id="thin"/></route>
<route src="far" dst="right"><link_ctn id="thin"/></route>
</zone>
</platform>
"""


class Hosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def result(self, *arguments):
        result = harness.json_output("simulate", *arguments, "--json", "-")
        harness.validate(result, "tutti-result-1")
        return result

    def refused(self, *arguments, mentioned):
        done = harness.run("simulate", "allreduce/ring", "-n", "64K", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in mentioned:
            self.assertIn(part, done.stderr)

    def test_a_list_of_more_than_128_hosts(self):
        wide = PLATFORMS / "infiniband_hdr_1024.xml"
        result = self.result("allreduce/ring", "-p", 200, "-n", "200K", "--platform", wide,
                             "--hosts", "node-[0-199]")
        plain = self.result("allreduce/ring", "-p", 200, "-n", "200K", "--platform", wide)
        self.assertEqual(result["simulated_s"], plain["simulated_s"])

    def test_without_the_option_the_first_hosts_are_used(self):
        command = ["allreduce/ring", "-p", 32, "-n", "1MiB", "--platform", THIN]
        plain = self.result(*command)
        named = self.result(*command, "--hosts", "node-[0-31]")
        self.assertIsNone(plain["hosts"])
        self.assertEqual(named["hosts"], {"from": "--hosts", "hosts_given": 32,
                                          "of_ranks": [f"node-{i}" for i in range(32)]})
        for key in ("simulated_s", "alpha_s", "beta_s_per_byte", "hosts_used", "critical_chain"):
            self.assertEqual(named[key], plain[key])

    def test_engines_agree_on_any_hosts(self):
        for platform in (THIN, DRAGONFLY):
            draw = random.Random(7)
            hosts = [f"node-{i}" for i in range(128)]
            draw.shuffle(hosts)
            of_ranks = [draw.choice(hosts[:20]) for _ in range(40)]
            by_rank = self.file("alloc.csv", "rank,core,host\n" + "".join(
                f"{rank},0,{of_ranks[rank]}\n" for rank in draw.sample(range(40), 40)))
            for algorithm, printed in (("allreduce/rabenseifner", ",".join(hosts[:48])),
                                    ("alltoall/pairwise", by_rank)):
                with self.subTest(platform=platform.name, algorithm=algorithm):
                    command = [algorithm, "-p", 40, "-n", "256K", "--platform", platform]
                    both = self.result(*command, "--hosts", printed, "--engine", "both")
                    self.assertLess(both["engines_differ_by"], 1e-9)
                    self.assertNotAlmostEqual(both["simulated_s"] /
                                              self.result(*command)["simulated_s"], 1, places=3)

    def test_all_formats_of_host_files_are_read(self):
        command = ["bcast/binomial", "-p", 6, "-n", "64K", "--platform", THIN]
        wanted = ["node-9"] * 2 + ["node-3"] * 2 + ["node-100"] * 2
        by_list = self.result(*command, "--ranks-per-host", 2, "--hosts", "node-[9,3,100,7]")
        self.assertEqual((by_list["hosts"]["of_ranks"], by_list["hosts_used"]), (wanted, 3))
        csv = "host,rank\n" + "".join(f'"{host}",{rank}\r\n' for rank, host in enumerate(wanted))
        ranks = "".join(f"rank {rank}={host} slot={rank % 2}\n" for rank, host in enumerate(wanted))
        for name, text in {
                "alloc.csv": csv,
                "rankfile": "# of a job\n" + ranks,
                "hostfile": "node-9 slots=2\nnode-3 slots=2  # second\n\nnode-100 slots=2\n",
                "machinefile": "node-[9,3]:2\nnode-100:2\n"}.items():
            with self.subTest(form=name):
                found = self.result(*command, "--hosts", self.file(name, text))
                self.assertEqual(found["hosts"], {"from": name, "ranks_given": 6,
                                                  "of_ranks": wanted})
                self.assertEqual(found["simulated_s"], by_list["simulated_s"])
        plain = self.result(*command, "--ranks-per-host", 2, "--hosts",
                            self.file("plain.txt", "node-9\nnode-3\nnode-100\n"))
        self.assertEqual(plain["simulated_s"], by_list["simulated_s"])

    def test_unused_hosts_are_reported(self):
        command = ["simulate", "allreduce/ring", "-p", 4, "-n", "64K", "--platform", THIN]
        text = " ".join(harness.output(*command, "--hosts", "node-[0-9]").split())
        self.assertIn("4 of 128 hosts used; ranks on the hosts of --hosts, the first 4 of its 10 hosts",
                      text)
        alloc = self.file("a.csv", "rank,host\n" + "".join(f"{r},node-{r // 2}\n" for r in range(9)))
        text = " ".join(harness.output(*command, "--hosts", alloc).split())
        self.assertIn("2 of 128 hosts used; ranks on the hosts of a.csv, the first 4 of its 9 ranks",
                      text)

    def test_hosts_on_platforms_that_only_simgrid_loads(self):
        platform = self.file("world.xml", BY_SIMGRID)
        command = ["bcast/linear", "-p", 2, "-n", 1000000, "--platform", platform]
        near = self.result(*command, "--hosts", "left,right")
        far = self.result(*command, "--hosts", "left,far", "--engine", "both")
        self.assertGreater(far["simulated_s"], 5 * near["simulated_s"])
        self.refused("-p", 2, "--platform", platform, "--hosts", "left,rihgt",
                     mentioned=["no host 'rihgt'", "did you mean 'right'?"])
        what_if = self.result(*command, "--hosts", "right,far", "--what-if", "bw(thin)*10")
        self.assertAlmostEqual(what_if["simulated_s"], near["simulated_s"])

    def test_a_database_distinguishes_mappings(self):
        command = ["compare", "bcast", "-p", "4,8", "-n", "64K", "--platform", THIN, "--db",
                 self.folder / "all.db"]
        first = harness.output(*command, "--hosts", "node-[0-7]", "--algorithms", "linear")
        again = harness.run(*command, "--hosts", "node-[0-7]", "--algorithms", "linear")
        other = harness.run(*command, "--hosts", "node-[0,20,40,60,80,100,120,7]", "--algorithms",
                            "linear")
        self.assertEqual(first, again.stdout)
        self.assertNotEqual(first, other.stdout)
        rows = harness.json_output("query", self.folder / "all.db", "--json", "-")
        harness.validate(rows, "tutti-query-1")
        self.assertEqual(len({row["placement"] for row in rows["rows"]}), 2)

    def test_bad_input(self):
        at = ["-p", 4, "--platform", THIN]
        path = self.folder / "f.csv"
        for text, mentioned in {
                "rank,host\n0,node-1\n0,node-2\n": [f"{path}:3: rank 0 is listed twice", "line 2"],
                "rank,host\n0,node-1\n2,node-2\n": ["rank 1 is missing"],
                "rank,host\n0,node-1\n1\n": [f"{path}:3: '1' has 1 column"],
                "rank,host\nx,node-1\n": [f"{path}:2, rank 'x'"],
                "rank,host\n0,\n": [f"{path}:2: rank 0 has no host"],
                "ranks,host\n0,node-1\n": [f"{path}:1: invalid line 'ranks,host'"],
                "rank,host\n": ["lists no hosts"],
                "": ["lists no hosts"],
                "node-1\nnode-2\nnode-1\n": [f"{path}:3: host 'node-1' is listed twice", "line 1"],
                "node-1 cores=4\n": [f"{path}:1: invalid line 'node-1 cores=4'"],
                "node-1:4\nnode-2\n": [f"{path}:2: 'node-2'", "or for none"],
                "rank 0=node-1\nnode-2\n": [f"{path}:2: invalid line 'node-2'"],
                "node-[1-3]\nnode-1280\n": [f"{path}:2: {THIN} has no host 'node-1280'; did you mean"],
                "rank,host\n0,node-1\n1,node-1\n": ["the list has 2 ranks, but the run has 4 ranks"],
                "node-1\n": ["1 host is too few for 4 ranks", "use --ranks-per-host 4"]}.items():
            with self.subTest(text=text):
                path.write_text(text)
                self.refused(*at, "--hosts", path, mentioned=mentioned)
        for printed, mentioned in {
                "": ["a name is missing"],
                "node-1,,node-2": ["a name is missing"],
                "node-[3-1]": ["runs backwards"],
                "node-[1": ["unbalanced brackets"],
                "node-]1": ["unbalanced brackets"],
                "node-[]": ["'' in brackets"],
                "node-[1-a]": ["'1-a' in brackets"],
                "node-[0-99999999]": ["more than 8000000 hosts"],
                "n" * 300: ["more than 255 characters"],
                "[1]" * 9: ["more than 8 brackets"],
                "node-[1-2,2-3]": ["host 'node-2' is listed twice"],
                "frontier[1-4]": ["no host 'frontier1'", "node-0 to node-127"],
                str(self.folder / "none.csv"): ["none.csv", "cannot be read"]}.items():
            with self.subTest(printed=printed[:20]):
                self.refused(*at, "--hosts", printed, mentioned=mentioned)
        named = ["--hosts", "node-[0-3]"]
        self.refused("-p", 4, *named, mentioned=["hosts of a crossbar have no names"])
        self.refused(*at, *named, "--placement", "cyclic", mentioned=["--placement 'cyclic'"])
        self.refused(*at, *named, "--what-if", "placement=switch", mentioned=["placement=switch"])
        path.write_text("rank,host\n0,node-1\n1,node-1\n2,node-1\n3,node-2\n")
        self.refused(*at, "--hosts", path, "--ranks-per-host", 2,
                     mentioned=["leave out --ranks-per-host 2"])


if __name__ == "__main__":
    harness.main()
