"""Tests the options that change the machine of a run: --what-if, --slow-link, --slow-host, --late-ranks and
--jitter."""

import csv
import io
import pathlib
import tempfile
import unittest

import harness

TORUS = harness.SOURCE_DIR / "platforms" / "torus_64.xml"
THIN = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"
RING = ["simulate", "allreduce/ring", "-p", 8, "-n", "64K"]
JITTER = ["--jitter", "20%", "--late-ranks", "uniform:0..50us"]


class WhatIf(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def result(self, *arguments):
        result = harness.json_output(*arguments, "--json", "-")
        harness.validate(result, "tutti-result-1")
        return result

    def refused(self, *arguments, mentioned):
        done = harness.run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in mentioned:
            self.assertIn(part, done.stderr)

    def test_faster_links_change_the_time(self):
        asked = ["simulate", "alltoall/linear", "-p", 128, "-n", "1MiB", "--platform", THIN,
                 "--ports", "unlimited"]
        plain = self.result(*asked)
        self.assertIsNone(plain["what_if"])
        changed = self.result(*asked, "--what-if", "bw(leaf up-links)*4; bw(leaf down-links) * 4")
        self.assertEqual(changed["what_if"], ["bw(leaf up-links)*4", "bw(leaf down-links) * 4"])
        self.assertLess(changed["simulated_s"], 0.5 * plain["simulated_s"])
        text = harness.output(*asked, "--what-if", "lat*0.5;ports=2", "--slow-host", "node-1*0.5")
        self.assertIn("lat*0.5; ports=2; slow host node-1*0.5", text)

    def test_simgrids_own_route_from_a_host_to_itself_is_kept(self):
        xml = ('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
               '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/>'
               '<host id="b" speed="1Gf"/><link id="l" bandwidth="{}" latency="1us"/>'
               '<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>\n')
        for name, bandwidth in (("one.xml", "1GBps"), ("two.xml", "2GBps")):
            (self.folder / name).write_text(xml.format(bandwidth))
        asked = ["simulate", "bcast/binomial", "-p", 2, "-n", "1M", "--ranks-per-host", 2, "--platform"]
        edited = self.result(*asked, self.folder / "two.xml")
        changed = self.result(*asked, self.folder / "one.xml", "--what-if", "bw*2")
        self.assertEqual(changed["simulated_s"], edited["simulated_s"])

    def test_a_run_is_repeatable_with_its_seed(self):
        one = self.result(*RING, *JITTER, "--seed", 7)
        for key in ("simulated_s", "longest_path_s", "critical_chain"):
            self.assertEqual(one[key], self.result(*RING, *JITTER, "--seed", 7)[key])
        self.assertNotEqual(one["simulated_s"],
                            self.result(*RING, *JITTER, "--seed", 8)["simulated_s"])
        self.assertIsNone(one["exact_s"])
        self.assertIsNone(one["symmetry"])
        self.assertEqual(one["what_if"], ["late ranks uniform:0..50us", "jitter 20%"])

    def test_repeats_report_the_median(self):
        for more in ([], ["--platform", TORUS], ["--engine", "critical-path"],
                     ["--network-model", "lv08", "--engine", "flow"]):
            with self.subTest(more=more):
                times = sorted(
                    self.result(*RING, *JITTER, *more, "--seed", seed)["simulated_s"]
                    for seed in range(3, 8))
                repeated = self.result(*RING, *JITTER, *more, "--seed", 3, "--repeat", 5)
                self.assertEqual(repeated["simulated_s"], times[2])
                found = repeated["repeats"]
                self.assertEqual((found["runs"], found["least_s"], found["median_s"],
                                  found["most_s"]), (5, times[0], times[2], times[4]))
                again = self.result(*RING, *JITTER, *more, "--seed", found["seed"])
                self.assertEqual(again["simulated_s"], times[2])
        self.assertIn("in 5 runs", harness.output(*RING, *JITTER, "--repeat", 5))

    def test_late_ranks_are_read_from_a_file(self):
        late = self.folder / "late"
        late.write_text("0\n# the second\n30us # it is late\n\n0s\n0\r\n0\n0\n0\n0\n")
        plain = self.result(*RING)
        result = self.result(*RING, "--late-ranks", late)
        self.assertAlmostEqual(result["simulated_s"], plain["simulated_s"] + 30e-6, delta=1e-9)
        late.write_text("0\n1us\n")
        self.refused(*RING, "--late-ranks", late, mentioned=["2 times", "8 ranks"])
        late.write_text("0\nsoon\n")
        self.refused(*RING, "--late-ranks", late, mentioned=["late:2", "soon"])
        self.refused(*RING, "--late-ranks", self.folder / "none", mentioned=["none"])

    def test_compare_sorts_by_the_median_and_shows_the_worst(self):
        asked = ["compare", "allreduce", "-p", "8", "-n", "4K", *JITTER, "--repeat", 7]
        bus = self.folder / "bus.xml"  # a platform that only SimGrid can load
        hosts = range(8)
        bus.write_text(
            '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
            '<platform version="4.1"><zone id="z" routing="Dijkstra">'
            + "".join(f'<host id="h{h}" speed="1Gf"/>' for h in hosts)
            + '<link id="bus" bandwidth="1GBps" latency="1us"/>'
            + "".join(f'<route src="h{a}" dst="h{b}"><link_ctn id="bus"/></route>'
                      for a in hosts for b in range(a + 1, 8)) + "</zone></platform>")
        for more in ([], ["--platform", TORUS, "--engine", "flow", "--network-model", "lv08"],
                     ["--platform", bus]):
            rows = list(csv.DictReader(io.StringIO(harness.output(*asked, *more, "--csv", "-"))))
            done = [row for row in rows if row["simulated_s"]]
            self.assertGreater(len(done), 5)
            for row in done:
                self.assertEqual(row["repeats"], "7")
                self.assertLessEqual(float(row["least_s"]), float(row["simulated_s"]))
                self.assertLess(float(row["simulated_s"]), float(row["most_s"]))
            one = self.result("simulate", "allreduce/ring", *asked[2:], *more)
            ring = next(row for row in done if row["algorithm"] == "ring")
            self.assertEqual((float(ring["simulated_s"]), float(ring["most_s"])),
                             (one["simulated_s"], one["repeats"]["most_s"]))
        text = harness.output(*asked)
        self.assertEqual(text, harness.output(*asked, "--jobs", 1))
        for words in ("median", "worst", "of 7 runs", "late ranks uniform:0..50us; jitter 20%"):
            self.assertIn(words, text)
        self.assertNotIn("worst", harness.output("compare", "allreduce", "-p", 8, "-n", "4K"))
        self.assertTrue(all(run["refused"] or run["repeats"]["runs"] == 7 for run in harness.compared(*asked[1:])))

    def test_decide_reports_what_if_changes(self):
        asked = ["decide", "allreduce", "-p", "4,8", "-n", "8,64K", "--what-if", "lat*4"]
        self.assertIn("lat*4", harness.output(*asked))
        decision = harness.json_output(*asked, "--json", "-")
        harness.validate(decision, "tutti-decide-2")
        self.assertEqual(decision["machine"]["what_if"], ["lat*4"])
        self.refused(*asked[:-2], *JITTER, "--by", "exact", mentioned=["--by 'exact'", "--jitter"])

    def test_links_that_are_not_shared_are_not_said_to_be(self):
        text = " ".join(harness.output(*RING, "--what-if", "sharing=off").split())
        self.assertIn("links are not shared, as --what-if says", text)
        self.assertNotIn("use are shared", text)

    def test_bad_changes(self):
        for text, mentioned in [
                ("bw(spine links)*2", ["spine links", "leaf up-links", "host links"]),
                ("bw(torus x links)*2", ["torus x links", "leaf up-links"]),
                ("bw*0", ["'0'", "above 0"]),
                ("bw*-2", ["'-2'", "above 0"]),
                ("lat*", ["factor ''"]),
                ("gamma*1e999", ["factor"]),
                ("bw()*2", ["bw()*2", "bw*2"]),
                ("bw(leaf*2", ["bw(leaf*2"]),
                ("beta*2", ["beta*2", "bw*2"]),
                ("gamma(leaf up-links)*2", ["gamma("]),
                ("lat*0.5;;", ["separated by ';'"]),
                ("", ["separated by ';'"]),
                ("ports=0", ["ports=0", "unlimited"]),
                ("ports=many", ["ports=many"]),
                ("placement=random", ["placement=random", "switch"]),
                ("sharing=on", ["sharing=off"]),
                ("copy*2", ["--copy-cost"]),
                ("ports", ["'ports'"])]:
            with self.subTest(text=text):
                self.refused(*RING, "--platform", THIN, "--what-if", text,
                             mentioned=["--what-if", *mentioned])
        self.refused(*RING, "--what-if", "bw(up-links)*2", mentioned=["crossbar:8", "host links"])
        self.refused(*RING, "--platform", TORUS, "--what-if", "placement=switch",
                     mentioned=["does not say", "block or cyclic"])

    def test_ranks_by_switch_are_kept(self):
        asked = ["compare", "allreduce", "-p", "32", "-n", "64K", "--platform", THIN,
                 "--placement", "switch", "--csv", "-"]
        database = ["--db", self.folder / "results.db"]

        def times(*more):
            done = harness.run(*asked, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [(row["algorithm"], row["simulated_s"])
                    for row in csv.DictReader(io.StringIO(done.stdout))]

        plain = times()
        asked[asked.index("switch")] = "block"
        self.assertNotEqual(plain, times())
        asked[asked.index("block")] = "switch"
        self.assertEqual(plain, times(*database))
        self.assertEqual(plain, times(*database))

    def test_bad_links_and_hosts(self):
        for option, text, mentioned in [
                ("--slow-link", "nowhere*0.5", ["nowhere", "host links"]),
                ("--slow-link", "host 1 up", ["NAME*0.5"]),
                ("--slow-link", "host 1 up*2", ["half as fast"]),
                ("--slow-link", "host 1 up*0", ["'0'"]),
                ("--slow-link", "*0.5", ["NAME*0.5"]),
                ("--slow-host", "8*0.5", ["'8'", "0 to 7"]),
                ("--slow-host", "nobody*0.5", ["nobody", "node-0"]),
                ("--slow-host", "1*-1", ["'-1'"])]:
            with self.subTest(option=option, text=text):
                self.refused(*RING, option, text, mentioned=[option, *mentioned])
        # If SimGrid loads the platform, the error also names the wrong and the known links.
        self.refused(*RING, "--engine", "simgrid", "--platform", THIN, "--slow-link", "nowhere*0.5",
                     mentioned=["nowhere", "leaf up-links"])

    def test_bad_disturbances(self):
        self.refused("compare", "allreduce", "-p", 4, "-n", 64, "--seed", 3,
                     mentioned=["--seed '3'", "--jitter"])
        for arguments, mentioned in [
                (["--jitter", "10"], ["--jitter '10'", "10%"]),
                (["--jitter", "100%"], ["below 100%"]),
                (["--jitter", "-1%"], ["--jitter"]),
                (["--late-ranks", "uniform:50us"], ["uniform:0..50us"]),
                (["--late-ranks", "uniform:9us..5us"], ["write the smaller time first"]),
                (["--late-ranks", "uniform:..5us"], ["--late-ranks"]),
                (["--repeat", 3], ["--repeat '3'", "--jitter"]),
                (["--repeat", 3, "--late-ranks", "uniform:0..0us"], ["--repeat '3'"]),
                (["--repeat", 0, "--jitter", "1%"], ["--repeat '0'"]),
                (["--jitter", "1%", "--engine", "simgrid"], ["--jitter '1%'", "--engine flow"]),
                (["--jitter", "1%", "--engine", "both"], ["--jitter '1%'", "--engine flow"]),
                (["--jitter", "1%", "--symmetry", "on"], ["--symmetry on", "late"]),
                (["--late-ranks", "uniform:0..1us", "--network-model", "smpi"],
                 ["--late-ranks", "--engine flow"])]:
            with self.subTest(arguments=arguments):
                self.refused(*RING, *arguments, mentioned=mentioned)

    def test_results_with_changes_are_not_kept_in_a_database(self):
        for more in (["--what-if", "lat*2"], JITTER, ["--slow-host", "1*0.5"]):
            database = self.folder / "results.db"
            self.refused("compare", "allreduce", "-p", 4, "-n", 64, "--db", database, *more,
                         mentioned=["--db"])
            self.assertFalse(database.exists())


if __name__ == "__main__":
    harness.main()
