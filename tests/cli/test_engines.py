"""Tests the values of --engine: which engine `auto` chooses, what `both` compares, and what `flow`
refuses."""

import csv
import io
import json
import pathlib
import tempfile
import unittest

import harness

RING = ["simulate", "allreduce/ring"]
HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
HOSTS = """
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed="1Gf"/>
    <link id="l" bandwidth="1GBps" latency="1us"{}/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
  </zone>
</platform>
"""


def simulate(*arguments):
    result = harness.json_output(*RING, *arguments, "--json", "-")
    harness.validate(result, "tutti-result-1")
    return result


class Engines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def refused(self, *arguments, mentioned):
        done = harness.run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in mentioned:
            self.assertIn(words, done.stderr)

    def test_auto_uses_flow_where_it_is_exact(self):
        torus = harness.SOURCE_DIR / "platforms/torus_64.xml"
        for machine in [[], ["--platform", torus], ["--platform", "crossbar:9"]]:
            result = simulate("-p", 6, "-n", "64K", *machine)
            self.assertEqual((result["engine"], result["engine_asked"]), ("flow", "auto"))
            self.assertIsNone(result["engines_differ_by"])
        self.assertIn("flow, chosen by auto", harness.output(*RING, "-p", 6, "-n", "64K"))

    def test_the_longest_path_depends_only_on_alpha_beta_and_gamma_in_every_engine(self):
        # The routes of this run are alike, and faster than the slowest route of the platform, which defines
        # alpha.
        torus = self.path / "torus.xml"
        harness.output("platform", "torus", "--dims", "4,4", "--bw", "1GBps", "--lat", "1us", "-o", torus)
        ring = ["allreduce/ring", "-p", 4, "-n", 1024, "--platform", torus]
        # The network model lv08 multiplies latencies by a factor.
        lv08 = ["bcast/linear", "-p", 4, "-n", 8, "--network-model", "lv08"]
        # With --symmetry auto, one rank is simulated on behalf of all.
        barrier = ["barrier/recursive_doubling", "-p", 4, "--network-model", "lv08"]
        for arguments, expected in [(ring, 13.632e-6), (lv08, 6.0192e-6), (barrier, 4e-6)]:
            engines = ["flow", "simgrid"] if "lv08" in arguments else ["flow", "simgrid", "critical-path"]
            for engine in engines:
                for symmetry in ["auto", "off"]:
                    with self.subTest(arguments=arguments, engine=engine, symmetry=symmetry):
                        result = harness.json_output("simulate", *arguments, "--engine", engine,
                                                     "--symmetry", symmetry, "--json", "-")
                        self.assertAlmostEqual(result["longest_path_s"], expected, delta=1e-12 * expected)

    def test_rankings_check_ties_on_platforms_that_simgrid_loads(self):
        names = "abcd"
        zone = '<zone id="z" routing="Dijkstra">' + "".join(
            f'<host id="{name}" speed="8Gf"/>' for name in names)
        zone += '<link id="l" bandwidth="1GBps" latency="1us"/>' + "".join(
            f'<route src="{a}" dst="{b}"><link_ctn id="l"/></route>'
            for a in names for b in names if a < b)
        platform = self.file("shared.xml", HEAD + zone + "</zone></platform>")
        for jobs in (1, 2):
            rows = harness.compared("alltoall", "-p", 4, "-n", "64K", "--platform", platform, "--jobs", jobs)
            ties = {row["algorithm"]: row["ties"] for row in rows}
            self.assertGreater(ties["linear_sync"]["most_s"], ties["linear_sync"]["least_s"])

    def test_auto_uses_simgrid_under_lv08(self):
        result = simulate("-p", 6, "-n", "64K", "--network-model", "lv08")
        self.assertEqual((result["engine"], result["network_model"]), ("simgrid", "lv08"))
        flow = simulate("-p", 6, "-n", "64K", "--network-model", "lv08", "--engine", "flow")
        self.assertAlmostEqual(flow["simulated_s"] / result["simulated_s"], 1, delta=1e-6)

    def test_both_engines_agree(self):
        torus = harness.SOURCE_DIR / "platforms/torus_64.xml"
        nodes = harness.SOURCE_DIR / "platforms/smp_16x8.xml"
        for machine in [[], ["--platform", torus, "--ports", "unlimited"],
                        ["--platform", nodes, "--ranks-per-host", 8]]:
            result = simulate("-p", 24, "-n", "64K", *machine, "--engine", "both")
            self.assertEqual(result["engine"], "flow")
            self.assertLess(result["engines_differ_by"], 1e-8)

    def test_both_engines_agree_in_a_comparison(self):
        tree = harness.SOURCE_DIR / "platforms/infiniband_hdr_128_thin.xml"
        here = ["compare", "allreduce", "-p", "5,16", "-n", "64K", "--platform", tree]
        rows = harness.compared(*here[1:], "--engine", "both")
        differences = [row["engines_differ_by"] for row in rows if not row["refused"]]
        self.assertEqual({row["algorithm"] for row in rows if not row["refused"]},
                         {row["algorithm"] for row in rows})
        self.assertGreaterEqual(len(differences), 16)
        self.assertLess(max(differences), 1e-8)
        self.assertIn("flow and simgrid, which agree", harness.output(*here, "--engine", "both"))

    def test_a_difference_above_the_tolerance_is_reported(self):
        # With a tolerance of 0, rounding errors alone count as a difference.
        tree = harness.SOURCE_DIR / "platforms/infiniband_hdr_128_thin.xml"
        here = ["-p", "16", "-n", "64K", "--platform", tree, "--engine", "both"]
        for command in [["simulate", "allreduce/circulant"], ["compare", "allreduce"]]:
            done = harness.run(*command, *here, "--engine-tolerance", "0")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("allreduce/circulant on 16 ranks", done.stderr)
            self.assertIn("flow and simgrid disagree: operation", done.stderr)
            self.assertIn("DISAGREE", done.stdout)
            if command[0] == "simulate":
                self.assertIn("the totals are the same in 8 other orders of simultaneous operations", done.stderr)
            self.assertEqual(harness.run(*command, *here).returncode, 0)
        self.refused(*RING, "-p", 4, "-n", 64, "--engine-tolerance", "0", mentioned=["--engine both"])
        self.refused(*RING, "-p", 4, "-n", 64, "--engine", "both", "--engine-tolerance", "-1",
                     mentioned=["'-1'"])

    def test_ties_explain_a_difference(self):
        # Ranks 0 and 1 send to rank 2, which has one port, and rank 1 then has more to do.
        path = self.file("tied.goal", """num_ranks 3
rank 0 {
a: calc 24
b: send 800b to 2 tag 1
b requires a
}
rank 1 {
a: calc 24
b: send 800b to 2 tag 2
c: calc 9000
b requires a
c requires b
}
rank 2 {
recv 800b from 0 tag 1
recv 800b from 1 tag 2
}
""")
        done = harness.run("simulate", path, "--engine", "both", "--engine-tolerance", "0", "--beta", "1.1ns", "--json", "-")
        result = json.loads(done.stdout)
        harness.validate(result, "tutti-result-1")
        orders = result["engine_orders"]
        if done.returncode == 0:
            self.assertIsNone(orders)  # not even the last bit differs
            return
        self.assertTrue(orders["explain"], orders)
        self.assertLess(orders["flow_least_s"], 0.9 * orders["flow_most_s"])
        self.assertAlmostEqual(orders["flow_least_s"], orders["simgrid_least_s"], delta=1e-12)
        self.assertAlmostEqual(orders["flow_most_s"], orders["simgrid_most_s"], delta=1e-12)
        self.assertIn("ties explain this: in 8 other orders of simultaneous operations, flow takes", done.stderr)

    def test_rounding_explains_a_difference(self):
        # The schedule multiplies each change of its times by about 1e8 on this cluster.
        path = self.file("thin.xml", harness.output("platform", "gpu", "--gpu", "mi250x", "--nodes", 16, "--unit", 4,
                                                    "--spine", "1:4"))
        here = ["simulate", "reduce_scatter/pairwise", "-p", 108, "-n", "3MiB", "--platform", path]
        done = harness.run(*here, "--engine", "both", "--json", "-")
        result = json.loads(done.stdout)
        harness.validate(result, "tutti-result-1")
        self.assertEqual(done.returncode, 1)
        self.assertLessEqual(result["engines_differ_by"], result["engine_rounding"])
        self.assertIn("rounding explains this: if operations take up to 1e-14 more or less time, flow's own times "
                      "change by up to", done.stderr)
        # Random times change the total less than they change the times of single operations.
        jitter = ["--jitter", "0.000000000001%", "--repeat", 5]
        repeats = harness.json_output(*here, *jitter, "--json", "-")["repeats"]
        spread = (repeats["most_s"] - repeats["least_s"]) / repeats["median_s"]
        self.assertGreater(spread, 1e-8)
        self.assertLess(spread, 10 * result["engine_rounding"])

        done = harness.run("simulate", "allreduce/ring", "-p", 100, "-n", "3MiB", "--platform", path, "--engine", "both",
                           "--engine-tolerance", "0", "--json", "-")
        if done.returncode == 1:
            self.assertLess(json.loads(done.stdout)["engine_rounding"], 1e-12)

    def test_a_network_model_that_flow_lacks(self):
        here = ["-p", 4, "-n", 64, "--network-model", "smpi"]
        self.assertEqual(simulate(*here)["engine"], "simgrid")
        self.assertIn("flow does not model the network model smpi", harness.output(*RING, *here))
        for engine in ["flow", "both"]:
            self.refused(*RING, *here, "--engine", engine, mentioned=["smpi", "--engine simgrid"])

    def test_platform_features_that_flow_lacks(self):
        self.file("slow.profile", "0.0 1e9\n1.0 5e8\n")
        profile = self.file("profile.xml",
                            HEAD + HOSTS.format(' bandwidth_file="slow.profile"'))
        failures = self.file("failures.xml",
                             HEAD + HOSTS.format(' state_file="fails.profile"'))
        wifi = self.file("wifi.xml", HEAD + HOSTS.format(' sharing_policy="WIFI"'))
        for path, words in [(profile, "a profile of its bandwidth"),
                            (failures, "a trace of its failures"), (wifi, "WiFi")]:
            with self.subTest(words):
                self.refused(*RING, "-p", 2, "-n", 64, "--platform", path, "--engine", "flow",
                             mentioned=[words, f"{path}:8" if path == wifi else "line 8", str(path)])
        done = harness.run(*RING, "-p", 2, "-n", 64, "--platform", profile, cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("simgrid, chosen by auto", done.stdout)

    def test_a_crossbar_can_be_given_by_name(self):
        result = simulate("-p", 4, "-n", "64K", "--platform", "crossbar:1000,bw=10Gbps,lat=1us")
        self.assertEqual((result["platform"], result["hosts_used"]), ("crossbar:1000", 4))
        self.assertEqual((result["alpha_s"], result["beta_s_per_byte"]), (1e-6, 8e-10))
        for text, words in [("crossbar:3", "--ranks-per-host 2"), ("crossbar:0", "at least 1"),
                            ("crossbar:x", "'x'"), ("crossbar:9,bw=fast", "'fast'"),
                            ("crossbar:9,color=red", "'color=red'")]:
            self.refused(*RING, "-p", 4, "-n", 64, "--platform", text, mentioned=[words])

    def test_a_missing_loopback_is_reported(self):
        """Ranks share a host, and the platform does not describe a loopback."""
        fat_tree = harness.SOURCE_DIR / "platforms/infiniband_hdr_128.xml"
        machine = ["-p", 4, "-n", 64, "--ranks-per-host", 2, "--platform", fat_tree]
        for engine in ["flow", "simgrid", "both", "critical-path"]:
            for run in [RING, ["compare", "allreduce"]]:
                self.assertIn("loopback", harness.output(*run, *machine, "--engine", engine))
        self.assertNotIn("  note ", harness.output(*RING, "-p", 4, "-n", 64, "--platform", fat_tree))

    def test_symmetry_is_used(self):
        here = ["-p", 12, "-n", 12 * 800]
        one, each = simulate(*here), simulate(*here, "--symmetry", "off")
        self.assertEqual((one["symmetry"], each["symmetry"]), ("rotation", None))
        self.assertEqual(one["classes"], 1)
        for key in each:
            if key not in ["symmetry", "classes", "wall_s", "peak_rss_bytes"]:
                self.assertEqual(one[key], each[key], key)
        self.assertIn("one rank was simulated for all 12", harness.output(*RING, *here))
        large = simulate("-p", 100000, "-n", 800000)
        self.assertEqual((large["symmetry"], large["messages"]), ("rotation", 199998 * 100000))
        self.assertAlmostEqual(large["relative_error"], 0, delta=1e-9)

    def test_symmetry_of_platforms_is_used(self):
        folder = harness.SOURCE_DIR / "platforms"
        for here, classes in [(["-p", 16, "--platform", folder / "torus_64.xml"], 4),
                              (["-p", 64, "--platform", folder / "infiniband_hdr_128.xml"], 16),
                              (["-p", 64, "--ranks-per-host", 8,
                                "--platform", folder / "smp_16x8.xml"], 8),
                              (["-p", 12, "--ranks-per-host", 3], 3),
                              (["-p", 12, "--network-model", "lv08", "--engine", "flow"], 1)]:
            with self.subTest(here):
                here += ["-n", here[1] * 800]
                some, each = simulate(*here), simulate(*here, "--symmetry", "off")
                self.assertEqual((some["symmetry"], some["classes"]), ("rotation", classes))
                self.assertIsNone(each["symmetry"])
                for key in each:
                    if key not in ["symmetry", "classes", "wall_s", "peak_rss_bytes"]:
                        self.same(some[key], each[key], key)
        self.assertIn("4 ranks were simulated for all 16",
                      harness.output(*RING, "-p", 16, "-n", "64K",
                                     "--platform", folder / "torus_64.xml"))
        # In this dragonfly, routes differ between groups, so no two ranks are equivalent.
        self.refused(*RING, "-p", 128, "-n", "64K", "--platform", folder / "slingshot_128.xml",
                     "--symmetry", "on", mentioned=["no two ranks"])

    def test_rounds_that_repeat_are_left_out(self):
        here = ["-p", 128, "-n", 128 * 800, "--platform",
                harness.SOURCE_DIR / "platforms/infiniband_hdr_128.xml"]
        some, each = simulate(*here), simulate(*here, "--all-rounds")
        self.assertEqual(each["ops_simulated"], each["ops"])
        self.assertLess(some["ops_simulated"], each["ops"] / 4)
        for key in each:
            if key not in ["ops_simulated", "relative_error", "published", "wall_s",
                           "peak_rss_bytes"]:
                self.same(some[key], each[key], key)
        self.assertIn("the other rounds repeat these", harness.output(*RING, *here))
        self.assertNotIn("repetition", harness.output(*RING, *here, "--all-rounds"))

    def same(self, value, reference, key):
        if isinstance(reference, float):
            self.assertAlmostEqual(value, reference, delta=1e-9 * abs(reference), msg=key)
        elif isinstance(reference, dict):
            for name in reference:
                self.same(value[name], reference[name], f"{key}.{name}")
        else:
            self.assertEqual(value, reference, key)

    def test_symmetry_is_used_only_where_it_holds(self):
        torus = harness.SOURCE_DIR / "platforms/torus_64.xml"
        here = ["-p", 12, "-n", 12 * 800]
        for arguments, words in [
                (["-p", 12, "-n", 808], "blocks are uneven"),
                ([*here, "--platform", torus], "no two ranks"),
                (["-p", 9, "-n", 720, "--ranks-per-host", 2], "no two ranks"),
                ([*here, "--engine", "both"], "SimGrid simulates every rank"),
                ([*here, "--timeline", "-"], "the timeline shows"),
                ([*here, "--links", "-"], "--links")]:
            with self.subTest(words):
                self.refused(*RING, *arguments, "--symmetry", "on", mentioned=[words])
                if "-" not in arguments:
                    self.assertIsNone(simulate(*arguments)["symmetry"])
        self.refused("simulate", "bcast/binomial", "-p", 4, "-n", 64, "--symmetry", "on",
                     mentioned=["do different things"])
        self.refused("simulate", "allreduce/recursive_doubling", "-p", 12, "-n", 64,
                     "--symmetry", "on", mentioned=["is not a power of two"])
        self.refused(*RING, *here, "--symmetry", "yes", mentioned=["'yes'", "auto, off or on"])
        self.refused(*RING, "-p", 1000000, "-n", 8000008,
                     mentioned=["1000000 ranks", "blocks are uneven"])

    def test_symmetry_is_used_in_a_comparison(self):
        here = ["compare", "allreduce", "-p", "6,8", "-n", "48K", "--csv", "-"]
        def rows(*more):
            return list(csv.DictReader(io.StringIO(harness.output(*here, *more))))
        for auto, off in zip(rows(), rows("--symmetry", "off"), strict=True):
            self.assertEqual(off["symmetry"], "")
            for key in ["simulated_s", "exact_s", "longest_path_s", "ops", "dependencies"]:
                self.assertEqual(auto[key], off[key], (auto["algorithm"], key))
        used = {(row["algorithm"], row["ranks"]): row["symmetry"] for row in rows()}
        self.assertEqual(used["recursive_doubling", "6"], "")
        self.assertEqual(used["recursive_doubling", "8"], "exchange")
        self.assertEqual(used["ring", "6"], "rotation")
        self.assertEqual(used["nonoverlapping", "8"], "")
        # Repeats the checks on a platform that separate processes load; these processes send their results
        # back.
        here[here.index("6,8")] = "32"
        here += ["--platform", harness.SOURCE_DIR / "platforms/infiniband_hdr_128.xml"]
        for auto, off in zip(rows(), rows("--symmetry", "off"), strict=True):
            self.assertEqual(off["symmetry"], "")
            self.assertAlmostEqual(float(auto["simulated_s"]), float(off["simulated_s"]),
                                   delta=1e-9 * float(off["simulated_s"]))
        used = {row["algorithm"]: row["symmetry"] for row in rows()}
        self.assertEqual((used["ring"], used["recursive_doubling"], used["nonoverlapping"]),
                         ("rotation", "exchange", ""))

    def test_loads_of_links_are_written(self):
        text = harness.output("simulate", "bcast/linear", "-p", 3, "-n", 1000, "--links", "-")
        rows = {row["link"]: row for row in csv.DictReader(io.StringIO(text))}
        self.assertEqual(rows["node-0 up"]["bytes"], "2000")
        self.assertEqual(rows["node-1 down"]["bytes"], "1000")
        self.assertEqual(rows["node-1 down"]["place"], "host 1 down")
        self.assertEqual(rows["node-1 down"]["class"], "host links")
        odd = self.file("odd.xml", HEAD + HOSTS.replace('"l"', '"l,&quot;1"').format(""))
        text = harness.output(*RING, "-p", 2, "-n", 64, "--platform", odd, "--links", "-")
        self.assertEqual([(row["link"], row["place"], row["class"])
                          for row in csv.DictReader(io.StringIO(text))],
                         [('l,"1', 'l,"1 between host 0 and the other', "host links")])
        self.refused(*RING, "-p", 4, "-n", 64, "--engine", "simgrid", "--links", "-",
                     mentioned=["--links", "--engine flow"])


if __name__ == "__main__":
    harness.main()
