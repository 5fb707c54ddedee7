"""Tests the options that change the machine of a run: --what-if, --slow-link, --slow-host, --late-ranks and
--jitter."""

import csv
import io
import json
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
        call_words = ["simulate", "alltoall/linear", "-p", 128, "-n", "1MiB", "--platform", THIN,
                 "--ports", "unlimited"]
        plain = self.result(*call_words)
        self.assertIsNone(plain["what_if"])
        changed = self.result(*call_words, "--what-if", "bw(leaf up-links)*4; bw(leaf down-links) * 4")
        self.assertEqual(changed["what_if"], ["bw(leaf up-links)*4", "bw(leaf down-links) * 4"])
        self.assertLess(changed["simulated_s"], 0.5 * plain["simulated_s"])
        text = harness.output(*call_words, "--what-if", "lat*0.5;ports=2", "--slow-host", "node-1*0.5")
        self.assertIn("lat*0.5; ports=2; slow host node-1*0.5", text)

    def test_simgrids_own_route_from_a_host_to_itself_is_kept(self):
        xml = ('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
               '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/>'
               '<host id="b" speed="1Gf"/><link id="l" bandwidth="{}" latency="1us"/>'
               '<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>\n')
        for name, bandwidth in (("one.xml", "1GBps"), ("two.xml", "2GBps")):
            (self.folder / name).write_text(xml.format(bandwidth))
        call_words = ["simulate", "bcast/binomial", "-p", 2, "-n", "1M", "--ranks-per-host", 2, "--platform"]
        edited = self.result(*call_words, self.folder / "two.xml")
        changed = self.result(*call_words, self.folder / "one.xml", "--what-if", "bw*2")
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
        call_words = ["compare", "allreduce", "-p", "8", "-n", "4K", *JITTER, "--repeat", 7]
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
            rows = list(csv.DictReader(io.StringIO(harness.output(*call_words, *more, "--csv", "-"))))
            done = [row for row in rows if row["simulated_s"]]
            self.assertGreater(len(done), 5)
            for row in done:
                self.assertEqual(row["repeats"], "7")
                self.assertLessEqual(float(row["least_s"]), float(row["simulated_s"]))
                self.assertLess(float(row["simulated_s"]), float(row["most_s"]))
            one = self.result("simulate", "allreduce/ring", *call_words[2:], *more)
            ring = next(row for row in done if row["algorithm"] == "ring")
            self.assertEqual((float(ring["simulated_s"]), float(ring["most_s"])),
                             (one["simulated_s"], one["repeats"]["most_s"]))
        text = harness.output(*call_words)
        self.assertEqual(text, harness.output(*call_words, "--jobs", 1))
        for words in ("median", "worst", "of 7 runs", "late ranks uniform:0..50us; jitter 20%"):
            self.assertIn(words, text)
        self.assertNotIn("worst", harness.output("compare", "allreduce", "-p", 8, "-n", "4K"))
        self.assertTrue(all(run["refused"] or run["repeats"]["runs"] == 7 for run in harness.compared(*call_words[1:])))

    def test_decide_reports_what_if_changes(self):
        call_words = ["decide", "allreduce", "-p", "4,8", "-n", "8,64K", "--what-if", "lat*4"]
        self.assertIn("lat*4", harness.output(*call_words))
        decision = harness.json_output(*call_words, "--json", "-")
        harness.validate(decision, "tutti-decide-2")
        self.assertEqual(decision["machine"]["what_if"], ["lat*4"])
        self.refused(*call_words[:-2], *JITTER, "--by", "exact", mentioned=["--by 'exact'", "--jitter"])

    def test_links_that_are_not_shared_are_not_named_as_shared(self):
        text = " ".join(harness.output(*RING, "--what-if", "sharing=off").split())
        self.assertIn("links are not shared, as --what-if says", text)
        self.assertNotIn("use are shared", text)

    def test_ranks_by_switch_are_kept(self):
        call_words = ["compare", "allreduce", "-p", "32", "-n", "64K", "--platform", THIN,
                 "--placement", "switch", "--csv", "-"]
        database = ["--db", self.folder / "results.db"]

        def times(*more):
            done = harness.run(*call_words, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [(row["algorithm"], row["simulated_s"])
                    for row in csv.DictReader(io.StringIO(done.stdout))]

        plain = times()
        call_words[call_words.index("switch")] = "block"
        self.assertNotEqual(plain, times())
        call_words[call_words.index("block")] = "switch"
        self.assertEqual(plain, times(*database))
        self.assertEqual(plain, times(*database))


# One message of 1,000,000 bytes between two hosts that are much faster than the rank: 1 us (sender) + 0.5 us (first
# message to this rank) + 3 us (handshake) + 2 us (latency) + 1000 us (bytes) + 1 us (receiver).
TINY = {"send_overhead_s": 1e-6, "receive_overhead_s": 1e-6, "latency_s": 2e-6, "handshake_s": 3e-6,
        "peer_switch_s": 0.5e-6, "rank_bytes_per_s": 1e9, "eager_bytes": 8, "under_way": 16,
        "reduce_s_per_byte": 1e-9, "copy_s_per_byte": 0.5e-9, "node_latency_s": 1e-6}
MESSAGE = ["bcast/binomial", "-p", 2, "-n", 1_000_000, "--elem-bytes", 1, "--platform", "crossbar:2,bw=80Gbps,lat=5us"]


class MessageModelChanges(unittest.TestCase):
    """What-ifs of a message model, whose times can be computed by hand."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, **changes):
        file = self.folder / "tiny.json"
        file.write_text(json.dumps({"schema": "tutti-messages/1", "machine": "tiny", "library": "none",
                                    "parameters": {**TINY, **changes}}))
        return ["--parameters", file]

    def time_us(self, *arguments):
        return 1e6 * harness.json_output("simulate", *arguments, "--json", "-")["simulated_s"]

    def test_each_change_acts_on_what_decides(self):
        for change, us in [
                (None, 1007.5), ("rank_bytes_per_s*2", 507.5), ("bw*2", 507.5), ("bw(host links)*4", 257.5),
                ("bw*0.5", 2007.5), ("rank_bytes_per_s=4GBps", 257.5), ("bw*2;rank_bytes_per_s=4GBps", 257.5),
                ("lat*0.5", 1006.5), ("lat*3", 1011.5), ("handshake_s*0.5", 1006), ("handshake_s=10us", 1014.5),
                ("peer_switch_s*2", 1008), ("send_overhead_s*3", 1009.5), ("eager_bytes=1M", 1004.5),
                ("gamma*2", 1007.5), ("rank_bytes_per_s*0.5;rank_bytes_per_s*4;latency_s*2", 509.5)]:
            with self.subTest(change=change):
                what_if = ["--what-if", change] if change else []
                self.assertAlmostEqual(self.time_us(*MESSAGE, *self.model(), *what_if), us, delta=1e-6 * us)

    def test_changes_equal_an_edited_file(self):
        for algorithm, change, edited in [
                ("reduce/binomial", "gamma*3", {"reduce_s_per_byte": 3e-9}),
                ("reduce/binomial", "reduce_s_per_byte*0.5", {"reduce_s_per_byte": 0.5e-9}),
                ("alltoall/bruck", "copy*4", {"copy_s_per_byte": 2e-9}),
                ("alltoall/linear", "under_way=2", {"under_way": 2}),
                ("alltoall/linear", "node_latency_s*2;lat*2", {"node_latency_s": 4e-6, "latency_s": 4e-6})]:
            with self.subTest(algorithm=algorithm, change=change):
                call_words = [algorithm, "-p", 8, "-n", "64K", "--ranks-per-host", 2, "--platform",
                         "crossbar:8,bw=80Gbps,lat=5us"]
                self.assertAlmostEqual(
                    self.time_us(*call_words, *self.model(), "--what-if", change) /
                    self.time_us(*call_words, *self.model(**edited)), 1, delta=1e-9)

    def test_a_slow_host_slows_only_its_own_reductions(self):
        call_words = ["reduce/binomial", "-p", 4, "-n", "64K", "--platform", "crossbar:4,bw=80Gbps,lat=5us"]
        self.assertGreater(self.time_us(*call_words, *self.model(), "--slow-host", "0*0.5"),
                           self.time_us(*call_words, *self.model()) * 1.1)

    def test_every_command_says_what_changes(self):
        call_words = ["-p", "4", "-n", "64K", "--platform", "crossbar:4,bw=80Gbps,lat=5us", *self.model(), "--what-if",
                 "bw*2"]
        time = self.time_us("bcast/binomial", *call_words)
        for command in (["simulate", "bcast/binomial"], ["explain", "bcast/binomial"], ["compare", "bcast"],
                        ["decide", "bcast"]):
            with self.subTest(command=command):
                text = " ".join(harness.output(*command, *call_words).split())
                self.assertIn("bw*2; this changes, in --parameters: rank_bytes_per_s 1 GB/s -> 2 GB/s", text)
        rows = {run["algorithm"]: run for run in harness.compared("bcast", *call_words)}
        self.assertAlmostEqual(1e6 * rows["binomial"]["simulated_s"], time, delta=1e-9 * time)
        self.assertEqual(harness.json_output("simulate", "bcast/binomial", *call_words, "--json", "-")["what_if"], ["bw*2"])

    def test_a_change_that_changes_no_parameter_is_reported(self):
        text = " ".join(harness.output("simulate", "bcast/binomial", "-p", 32, "-n", "64K", "--platform", THIN,
                                       *self.model(), "--what-if", "bw(leaf up-links)*2").split())
        self.assertIn("on the platform only, and rank_bytes_per_s in --parameters is 1 GB/s", text)

    def test_a_platform_faster_than_the_ranks_is_noted(self):
        note = "each rank sends at most 1 GB/s (rank_bytes_per_s in tiny.json), and all links in use have at least"
        self.assertIn(note, " ".join(harness.output("simulate", *MESSAGE, *self.model()).split()))
        self.assertNotIn(note, " ".join(harness.output("simulate", *MESSAGE, *self.model(rank_bytes_per_s=8e9)).split()))

    def test_the_account_names_each_part_of_the_model(self):
        explanation = harness.json_output("explain", *MESSAGE, *self.model(), "--json", "-")
        harness.validate(explanation, "tutti-explanation-1")
        us = {row["part"]: 1e6 * row["seconds"] for row in explanation["account"]}
        for part, expected in [("rank_rate", 1000), ("handshake", 3), ("latency", 2), ("sender_core", 1),
                               ("receiver_core", 1), ("peer_switch", 0.5)]:
            self.assertAlmostEqual(us.pop(part), expected, delta=1e-6)
        self.assertEqual(us, {})
        steps = {step["what"] for step in explanation["waterfall"]["steps"]}
        self.assertLess({"handshake (handshake_s)", "switching peers (peer_switch_s)"}, steps)
        self.assertFalse(any("routes" in step for step in steps), steps)
        improvements = {one["what_if"]: 1e6 * one["simulated_s"] for one in explanation["improvements"]}
        self.assertAlmostEqual(improvements["rank_bytes_per_s*2"], 507.5, delta=1e-3)
        self.assertAlmostEqual(improvements["handshake_s*0.5"], 1006, delta=1e-3)
        self.assertAlmostEqual(improvements["lat*0.5"], 1006.5, delta=1e-3)
        self.assertAlmostEqual(improvements["bw(host links)*2"], 507.5, delta=1e-3)
        self.assertFalse(any(name.startswith("ports=") for name in improvements), improvements)

    def test_the_account_adds_up_on_a_real_machine(self):
        smp = harness.SOURCE_DIR / "platforms/smp_16x8.xml"
        for file in sorted((harness.SOURCE_DIR / "examples/supercomputers/parameters").glob("*.json")):
            for more in (["allreduce/ring", "-p", 32, "-n", "8MiB", "--ranks-per-host", 8, "--platform", smp],
                         ["alltoall/pairwise", "-p", 16, "-n", "1MiB", "--platform", THIN, "--jitter", "5%"],
                         ["alltoall/linear", "-p", 64, "-n", "256K", "--ranks-per-host", 8, "--platform", smp],
                         ["allreduce/rabenseifner", "-p", 32, "-n", "64MiB", "--platform", THIN]):
                with self.subTest(file=file.name, more=more):
                    explanation = harness.json_output("explain", *more, "--parameters", file, "--json", "-")
                    harness.validate(explanation, "tutti-explanation-1")
                    total = explanation["total_s"]
                    self.assertAlmostEqual(sum(row["seconds"] for row in explanation["account"]), total,
                                           delta=1e-12 * total)
                    so_far = 0
                    for step in explanation["waterfall"]["steps"]:
                        if step["kind"] == "subtotal":
                            self.assertAlmostEqual(step["seconds"], so_far, delta=1e-9 * total)
                        else:
                            so_far += step["seconds"]
                        self.assertNotEqual(step["what"], "longer routes")
                        if step["what"] == "waiting for ports and cores":
                            self.assertGreater(step["seconds"], 0)


if __name__ == "__main__":
    harness.main()
