"""Tests platform files with content that tutti must refuse. Each file must lead to exit code 2 and a single
error line, and no file may change."""

import pathlib
import tempfile
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

    def refused(self, body, *words):
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
            self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["bad.xml", "precious.txt"])

    def test_settings_that_write_files_are_refused(self):
        self.refused(settings(("tracing", "yes"), ("tracing/filename", "precious.txt")),
                     "bad.xml:4: <config> sets 'tracing', which writes trace files")
        self.refused(settings(("tracing/filename", "precious.txt")), "sets 'tracing/filename', which")

    def test_settings_inside_a_value_are_refused(self):
        self.refused(settings(("network/crosstraffic", "0 tracing:yes tracing/filename:precious.txt")),
                     "sets 'network/crosstraffic' to '0 tracing:yes")

    def test_settings_that_stop_the_program_are_refused(self):
        self.refused(settings(("debug/breakpoint", "1e-6")), "sets 'debug/breakpoint', which")

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
