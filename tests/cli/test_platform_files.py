"""Tests platform files that tutti must refuse, with exit code 2 and a single error line, and files with settings,
failures, slow hosts and kinds of links about which tutti must say something. No other file may change."""

import csv
import io
import pathlib
import tempfile
import time
import unittest

import harness

PLATFORM = ('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            '<platform version="4.1">\n{}</platform>\n')
CLUSTER = '<cluster id="c" prefix="n-" suffix="" radical="0-3" speed="{}" bw="{}" lat="{}"/>\n'
GOOD = CLUSTER.format("1Gf", "1GBps", "1us")
ROUTE = ('<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
         '<link id="l" bandwidth="1GBps" latency="1us"{}/>'
         '<route src="a" dst="b">{}</route></zone>\n')


def settings(*pairs):
    return "".join(['<config>\n', *(f'<prop id="{name}" value="{value}"/>\n' for name, value in pairs),
                    '</config>\n', GOOD])


class PlatformFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.precious = self.path / "precious.txt"
        self.precious.write_text("precious")

    def platform(self, body):
        path = self.path / "bad.xml"
        path.write_text(PLATFORM.format(body))
        return path

    def ways(self, path, engines=("flow", "simgrid", "both", "auto", "critical-path")):
        """Yields the arguments of several commands that load the platform `path`."""
        cell = ["-p", 2, "-n", "8000", "--platform", path]
        for engine in engines:
            yield ["simulate", "allreduce/ring", *cell, "--engine", engine]
        yield ["show", "allreduce/ring", *cell, "--format", "stats"]
        yield ["compare", "allreduce", *cell]
        yield ["compare", "allreduce", *cell, "--engine", "simgrid", "--ports", "2"]
        yield ["decide", "allreduce", *cell]

    def refused(self, body, *words, files=()):
        path = self.platform(body)
        for arguments in self.ways(path):
            done = harness.run(*arguments, cwd=self.path)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            # With --engine flow and --engine both, the first error may be that flow does not model a part of the
            # platform.
            if "does not model" not in done.stderr:
                for word in words:
                    self.assertIn(word, done.stderr, arguments)
            self.assertEqual(self.precious.read_text(), "precious", arguments)
            self.assertEqual(sorted(p.name for p in self.path.iterdir()), sorted({"bad.xml", "precious.txt", *files}))

    def runs(self, body, *words, ranks=4, **more):
        """Runs every engine that can, and returns the simulated time, which must be the same in all of them."""
        path = self.platform(body)
        times = set()
        for engine in more.get("engines", ("auto", "flow", "simgrid", "both")):
            cell = ["-p", ranks, "-n", 8000, "--platform", path, "--engine", engine]
            text = harness.output("simulate", "allreduce/ring", *cell)
            for word in words:
                self.assertIn(word, " ".join(text.split()), engine)
            times.add(round(harness.json_output("simulate", "allreduce/ring", *cell, "--json", "-")["simulated_s"],
                            15))
        self.assertEqual(len(times), 1, times)
        self.assertEqual(self.precious.read_text(), "precious")
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["bad.xml", "precious.txt"])
        return times.pop()

    def test_settings_that_cannot_change_a_time_are_ignored_with_one_note(self):
        plain = self.runs(GOOD)
        for pairs in ([("tracing", "yes"), ("tracing/filename", "precious.txt")], [("debug/breakpoint", "1e-6")],
                      [("smpi/host-speed", "50Gf"), ("contexts/stack-size", "16")],
                      [("network/TCP_gamma", "20000"), ("network/crosstraffic", "yes")],
                      [("plugin", "host_energy"), ("cpu/optim", "TI")]):
            names = ", ".join(name for name, _ in pairs)
            self.assertEqual(self.runs(settings(*pairs), f"network model hockney: <config>'s {names} engine"), plain)
        path = self.platform(settings(("smpi/host-speed", "50Gf")))
        cell = ["-p", 4, "-n", 8000, "--platform", path]
        for command in (["explain", "allreduce/ring"], ["compare", "allreduce"], ["decide", "allreduce"]):
            self.assertIn("<config>'s smpi/host-speed", " ".join(harness.output(*command, *cell).split()))
        harness.output("bound", "allreduce", *cell)

    def test_settings_that_change_a_time_are_used_or_refused_by_name(self):
        body = settings(("network/latency_factor", "3"))
        self.assertGreater(self.runs(body, engines=("auto", "simgrid")), 1.5 * self.runs(GOOD))
        for engine in ("flow", "both"):
            done = harness.run("simulate", "allreduce/ring", "-p", 4, "-n", 8000, "--platform", self.platform(body),
                               "--engine", engine)
            self.assertEqual(done.returncode, 2)
            self.assertIn("does not model the setting network/latency-factor in <config> (line 4)", done.stderr)
            self.assertIn("--engine simgrid", done.stderr)
        for name, value, words in (("host/model", "ptask_L07", "expected default or compound"),
                                   ("network/solver", "bmf", "expected maxmin"),
                                   ("plugin", "host_dvfs", "a plugin that only observes"),
                                   ("network/bandwith-factor", "1", "did you mean 'network/bandwidth-factor'?")):
            path = self.platform(settings((name, value)))
            # No engine is advised that refuses the file as well.
            for arguments in self.ways(path):
                done = harness.run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
                self.assertIn(f"bad.xml:4: <config> sets '{name}'", done.stderr)
                self.assertIn(words, done.stderr)

    def test_a_network_model_that_is_not_used_is_named(self):
        path = self.platform(settings(("network/model", "LV08")))
        cell = ["simulate", "allreduce/ring", "-p", 4, "-n", 8000, "--platform", path]
        hint = "--network-model lv08"
        self.assertIn(f"LV08, but hockney is used; {hint}", " ".join(harness.output(*cell).split()))
        self.assertNotIn("LV08, but", " ".join(harness.output(*cell, *hint.split()).split()))

    def off(self, *profiles, message=8000, how="state_file"):
        """A platform of two hosts, each with a link; `profiles` are for a, b, the link of a, and that of b."""
        states = []
        for number, profile in enumerate(profiles):
            if profile:
                (self.path / f"{number}.profile").write_text(profile)
            states.append(f'{how}="{number}.profile"' if profile else "")
        states += [""] * (4 - len(states))
        path = self.platform(
            f'<zone id="z" routing="Full"><host id="a" speed="1Gf" {states[0]}/><host id="b" speed="1Gf" {states[1]}/>'
            f'<link id="la" bandwidth="1MBps" latency="1ms" {states[2]}/>'
            f'<link id="lb" bandwidth="1MBps" latency="1ms" {states[3]}/>'
            '<route src="a" dst="b"><link_ctn id="la"/><link_ctn id="lb"/></route></zone>')
        return harness.run("simulate", "bcast/linear", "-p", 2, "-n", message, "--platform", path)

    def test_a_host_or_link_that_is_switched_off_is_named(self):
        # The message of 8,000 bytes is under way from 0 to 10 ms.
        for profiles, who in ((("0 1\n0.005 0\n",), "host a is switched off by 0.profile"),
                              (("", "0 1\n0.005 0\n"), "host b is switched off by 1.profile"),
                              (("", "", "0 1\n0.005 0\n"), "link la is switched off by 2.profile"),
                              (("", "", "", "0 1\n0.005 0\n0.006 1\n"), "link lb is switched off by 3.profile")):
            done = self.off(*profiles)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"bad.xml: {who}, but the message from rank 0 to rank 1 needs it at 5 ms; ", done.stderr)
        for profiles, who in ((("0 0\n1 1\n",), "host a is switched off by 0.profile"),
                              (("", "", "0 0\n1 1\n"), "link la is switched off by 2.profile")):
            done = self.off(*profiles)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{who}, but the message from rank 0 to rank 1 needs it", done.stderr)

    def test_what_is_off_after_the_run_or_only_slower_runs(self):
        for profiles in (("", "0 1\n1 0\n"), ("", "", "0 1\n1 0\n2 1\n")):
            done = self.off(*profiles)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("10 ms", done.stdout)
        done = self.off("", "", "0 1000000\n0.006 500000\n", how="bandwidth_file")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("14 ms", done.stdout)  # 4 ms at 1 MB/s, 8 ms at half of it, after 2 ms of latency

    def test_profiles_that_simgrid_cannot_run_are_refused(self):
        done = self.off("", "", "0 0.003\n0.001 0.005\n", how="latency_file")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn('remove <link> with latency_file="2.profile"', done.stderr)
        (self.path / "2.profile").unlink()
        link = ROUTE.format(' sharing_policy="SPLITDUPLEX" state_file="precious.txt"',
                            '<link_ctn id="l" direction="UP"/>')
        self.refused(link, "bad.xml:3: SimGrid cannot switch off a SPLITDUPLEX <link>")
        self.refused(ROUTE.format("", '<link_ctn id="l"/>') + '<trace id="t" periodicity="10">0 1</trace>'
                     '<trace_connect kind="LINK_AVAIL" trace="t" element="l"/>', "cannot connect a <trace> to a link")

    def test_profiles_with_values_that_end_simgrid_are_refused(self):
        for how, profile, words in (
                ("bandwidth_file", "0 1000000\n0.006 -1\n", "'2.profile', line 2: a bandwidth of -1; it must be more than 0"),
                ("bandwidth_file", "# x\n0 nan\n", "'2.profile', line 2: a bandwidth of nan; it must be more than 0"),
                ("latency_file", "0 -1\n", "'2.profile', line 1: a latency of -1; it must be 0 or more"),
                ("state_file", "0 1\n1 0\n1 1\n", "'2.profile', line 3: switched on and off at the same time, 1 s")):
            done = self.off("", "", profile, how=how)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"<link>: the profile {words}", done.stderr)
        done = self.off("0 1\n1 0\n", how="speed_file")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("<host>: the profile '0.profile', line 2: a speed of 0; it must be more than 0", done.stderr)
        self.refused(ROUTE.format("", '<link_ctn id="l"/>') + '<trace id="t" periodicity="10">\n0 -1\n</trace>'
                     '<trace_connect kind="BANDWIDTH" trace="t" element="l"/>', "'t', line 2: a bandwidth of -1",
                     files=("0.profile", "2.profile"))

    def test_traces_in_the_file_are_named(self):
        path = self.platform(
            '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
            '<link id="l" bandwidth="1MBps" latency="1ms"/><route src="a" dst="b"><link_ctn id="l"/></route></zone>'
            '<trace id="failures" periodicity="10">\n0 1\n0.005 0\n</trace>'
            '<trace_connect kind="HOST_AVAIL" trace="failures" element="b"/>')
        cell = ["-p", 2, "-n", 8000, "--platform", path]
        done = harness.run("simulate", "bcast/linear", *cell)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("host b is switched off by the <trace> 'failures'", done.stderr)
        # A comparison says it for each algorithm.
        done = harness.run("compare", "bcast", *cell, "--algorithms", "linear,binomial")
        self.assertIn("host b is switched off", " ".join((done.stdout + done.stderr).split()))
        # Nobody is told to use an engine that refuses the file.
        done = harness.run("explain", "bcast/linear", *cell)
        self.assertEqual(done.returncode, 2)
        self.assertIn("flow", done.stderr)
        self.assertNotIn("use --engine flow", done.stderr)

    def test_a_host_that_is_far_slower_gets_a_hint_that_works(self):
        path = self.platform('<zone id="z" routing="Full"><host id="master" speed="42f"/>' +
                             "".join(f'<host id="n{i}" speed="1Gf"/>' for i in range(8)) +
                             '<link id="l" bandwidth="1GBps" latency="1us"/>' +
                             "".join(f'<route src="{a}" dst="{b}"><link_ctn id="l"/></route>'
                                     for names in [["master", *(f"n{i}" for i in range(8))]]
                                     for k, a in enumerate(names) for b in names[k + 1:]) + "</zone>")
        cell = ["-p", 8, "-n", 8000, "--platform", path]
        for command in (["simulate", "allreduce/ring"], ["explain", "allreduce/ring"], ["compare", "allreduce"],
                        ["decide", "allreduce"]):
            text = " ".join(harness.output(*command, *cell).split())
            self.assertIn("host master is 2.38e+07 times slower than most hosts in use (42 against 1e+09 flop/s)", text)
            self.assertIn("--hosts 'n[0-7]'", text)
            self.assertNotIn("times slower", harness.output(*command, *cell, "--hosts", "n[0-7]"))
        self.assertIn("use at most 8 hosts, with --hosts 'n[0-7]'",
                      " ".join(harness.output("simulate", "allreduce/ring", "-p", 9, *cell[2:]).split()))
        # A host that is a hundred times slower is a host like others.
        path.write_text(path.read_text().replace("42f", "10Mf"))
        self.assertNotIn("times slower", harness.output("simulate", "allreduce/ring", *cell))

    def test_links_are_named_apart(self):
        limiter = GOOD.replace("/>", ' limiter_link="1GBps"/>')
        path = self.platform(limiter)
        cell = ["-p", 4, "-n", 64000, "--platform", path]
        text = " ".join(harness.output("explain", "allreduce/ring", *cell).split())
        self.assertIn("slowed by sharing limiter links", text)
        self.assertIn("c_link_0_limiter between host 0 and the others", text)
        self.assertIn("bw(limiter links)*2", text)
        dragonfly = ('<cluster id="c" prefix="n-" suffix="" radical="0-31" speed="1Gf" bw="1GBps" lat="1us" '
                     'topology="DRAGONFLY" topo_parameters="2,1;2,1;4,1;2"{}/>')
        for body in ('<zone id="z" routing="Full">' + dragonfly.format("") + "</zone>",
                     dragonfly.format(' limiter_link="1TBps"')):
            path = self.platform(body)
            loads = harness.output("simulate", "alltoall/linear", "-p", 32, "-n", 8000, "--platform", path, "--links",
                                   "-", "--engine", "flow")
            rows = list(csv.DictReader(io.StringIO(loads)))
            self.assertGreaterEqual({row["class"] for row in rows},
                                    {"host links", "global links", "green local links", "black local links"})
            self.assertEqual(len({row["place"] for row in rows}), len(rows))

    def test_the_account_of_the_simulation_has_all_of_its_time(self):
        side = 24
        ends = [(i, j) for i in range(side * side) for j in
                (i // side * side + (i + 1) % side, (i + side) % (side * side))]
        path = self.platform(
            '<zone id="z" routing="Dijkstra">' +
            "".join(f'<host id="h{i}" speed="1Gf"/><router id="r{i}"/>' for i in range(side * side)) +
            "".join(f'<link id="c{i}" bandwidth="10GBps" latency="1us"/>' for i in range(side * side)) +
            "".join(f'<link id="l{i}_{j}" bandwidth="10GBps" latency="100ns"/>' for i, j in ends) +
            "".join(f'<route src="h{i}" dst="r{i}"><link_ctn id="c{i}"/></route>' for i in range(side * side)) +
            "".join(f'<route src="r{i}" dst="r{j}"><link_ctn id="l{i}_{j}"/></route>' for i, j in ends) + "</zone>")

        def seconds(ranks):
            begin = time.monotonic()
            wall = harness.json_output("simulate", "allreduce/ring", "-p", ranks, "-n", 8000, "--platform", path,
                                       "--json", "-")["wall_s"]
            return time.monotonic() - begin, sum(wall.values())
        runs = [seconds(64) for _ in range(3)]
        self.assertGreater(max(sum_s / all_s for all_s, sum_s in runs), 0.5, runs)
        # With up to 64 ranks every route is looked at, with more ranks a part of them.
        self.assertLess(min(all_s for all_s, _ in runs), 4 * min(seconds(65)[0] for _ in range(3)), runs)
        harness.output("simulate", "allreduce/ring", "-p", 64, "-n", 8000, "--platform", path, "--engine", "both")

    def test_settings_inside_a_value_are_refused(self):
        self.refused(settings(("network/crosstraffic", "0 tracing:yes tracing/filename:precious.txt")),
                     "sets 'network/crosstraffic' to '0 tracing:yes")

    def test_factors_that_stop_all_messages_are_refused(self):
        self.refused(settings(("network/bandwidth-factor", "0")), "sets 'network/bandwidth-factor' to '0'")
        self.refused(settings(("network/bandwidth-factor", "-1")), "sets 'network/bandwidth-factor' to '-1'")
        self.refused(settings(("smpi/bw-factor", "0:0")), "sets 'smpi/bw-factor' to '0:0'")

    def test_infinite_numbers_are_refused(self):
        self.refused(CLUSTER.format("1Gf", "inf", "1us"), 'bw="inf"')
        self.refused(CLUSTER.format("1Gf", "1e308GBps", "1us"), 'bw="1e308GBps"')
        self.refused(CLUSTER.format("inf", "1GBps", "1us"), 'speed="inf"')
        self.refused(CLUSTER.format("1Gf", "1GBps", "inf"), 'lat="inf"')

    def test_wifi_is_refused(self):
        self.refused(ROUTE.format(' sharing_policy="WIFI"', '<link_ctn id="l"/>'), "a WiFi <link>")

    def test_a_link_may_occur_many_times_in_a_route(self):
        path = self.platform(ROUTE.format("", '<link_ctn id="l"/>' * 40))
        for arguments in self.ways(path):
            done = harness.run(*arguments, cwd=self.path)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        both = harness.json_output("simulate", "allreduce/ring", "-p", 2, "-n", 8000, "--platform", path,
                                   "--engine", "both", "--json", "-")
        # The run has two rounds, each with one message in each direction. Each route crosses the only link,
        # which has a latency of 1 us, 40 times.
        self.assertAlmostEqual(both["simulated_s"], 720.5e-6, delta=1e-9)


if __name__ == "__main__":
    harness.main()
