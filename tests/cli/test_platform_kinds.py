"""Tests bounds, limits and searches on a platform of each kind that SimGrid's documentation describes
(platform_kinds.py). The figures of the platforms are random; TUTTI_PLATFORM_SEED sets other ones."""

import json
import os
import pathlib
import random
import re
import tempfile
import unittest

import harness
import platform_kinds
from script_main import some_of

SEED = os.environ.get("TUTTI_PLATFORM_SEED", "20261129")
FAST = ["allreduce", "bcast", "reduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter"]


class PlatformKinds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.files = platform_kinds.write_all(cls.folder, SEED)
        print(f"TUTTI_PLATFORM_SEED={SEED}")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def hosts_of(self, kind):
        """Returns the number of hosts, from the message for too many ranks."""
        done = harness.run("bound", "barrier", "-p", 5000, "--platform", self.files[kind])
        found = re.search(r"do not fit on the (\d+) hosts? of ", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        return int(found.group(1))

    def machine_of(self, kind, rng):
        """Returns options of a random machine on the platform, and the number of ranks."""
        hosts = min(self.hosts_of(kind), 12)
        per_host = 2 if hosts == 1 or (rng.randrange(3) == 0 and self.has_loopbacks(kind)) else 1
        ranks = per_host * rng.randint(max(2 // per_host, min(hosts, 3)), hosts)
        change = rng.choice([[], [], ["--what-if", "bw*0.5"], ["--what-if", "lat*3"]])
        return ["--platform", self.files[kind], "--ranks-per-host", per_host,
                "--placement", rng.choice(["block", "cyclic"] if per_host > 1 else ["block"]),
                "--ports", rng.choice(["1", "1", "2", "unlimited"]), *change], ranks

    def has_loopbacks(self, kind):
        return harness.run("bound", "barrier", "-p", 2, "--ranks-per-host", 2, "--platform",
                           self.files[kind]).returncode == 0

    def test_hosts_whose_own_routes_differ_only_in_a_shared_link_are_not_alike(self):
        """On host 0, a link as narrow as the fat pipe beside it is shared. On the others it is wide."""
        text = '<router id="r"/>'
        for host in range(4):
            wide = "1GBps" if host == 0 else "100GBps"
            text += (f'<host id="h{host}" speed="100Gf" core="16"/><link id="up{host}" bandwidth="16GBps" latency="1us"/>'
                     f'<link id="down{host}" bandwidth="16GBps" latency="1us"/>'
                     f'<link id="pipe{host}" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>'
                     f'<link id="bus{host}" bandwidth="{wide}" latency="1us"/>')
        for host in range(4):
            for src, dst, links in ((f"h{host}", "r", [f"up{host}"]), ("r", f"h{host}", [f"down{host}"]),
                                    (f"h{host}", f"h{host}", [f"pipe{host}", f"bus{host}"])):
                crossed = "".join(f'<link_ctn id="{link}"/>' for link in links)
                text += f'<route src="{src}" dst="{dst}" symmetrical="NO">{crossed}</route>'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bus.xml"
            path.write_text('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                            f'<platform version="4.1"><zone id="z" routing="Dijkstra">{text}</zone></platform>\n')
            machine = ["-p", 64, "-n", "64MiB", "--root", 16, "--platform", path, "--ranks-per-host", 16, "--ports",
                       "unlimited", "--json", "-"]
            bound = harness.json_output("bound", "gather", *machine)["bounds"][0]["bound_s"]
            self.assertLessEqual(bound, harness.json_output("simulate", "gather/linear", *machine)["simulated_s"])

    def test_bounds_are_never_above_simulated_times(self):
        for kind in some_of(platform_kinds.KINDS, 4):
            rng = random.Random(f"{SEED} {kind}")
            machine, ranks = self.machine_of(kind, rng)
            collective = rng.choice(FAST)
            size = 8 * ranks * rng.choice([1, 16, 1000, 20000])
            with self.subTest(kind=kind, collective=collective, machine=machine, ranks=ranks, size=size):
                bound = harness.json_output("bound", collective, "-p", ranks, "-n", size, *machine, "--json", "-")
                [answer] = bound["bounds"]
                if kind != "one host":
                    self.assertGreater(answer["bound_s"], 0)
                done = harness.run("compare", collective, "-p", ranks, "-n", size, *machine, "--engine", "both",
                                   "--json", "-")
                rows = [row for row in json.loads(done.stdout)["cells"] if row.get("simulated_s")]
                self.assertGreater(len(rows), 1)
                for row in rows:
                    with self.subTest(algorithm=row["algorithm"]):
                        self.assertGreaterEqual(row["bound_s"], 0)
                        self.assertLess(row["engines_differ_by"], 1e-6)
                        self.assertLessEqual(row["bound_s"], row["simulated_s"] * (1 + 1e-9))
                        self.assertLessEqual(answer["bound_s"], row["simulated_s"] * (1 + 1e-9))
                        self.assertLessEqual(row["bound_s"], answer["bound_s"] * (1 + 1e-9))

    def test_a_search_keeps_to_the_limit(self):
        for kind in ("clusters in zones in a zone", "cluster with limiter and backbone", "Vivaldi with peers"):
            with self.subTest(kind=kind):
                document = harness.json_output("search", "allgather", "-p", 5, "-n", 40000, "--platform",
                                               self.files[kind], "--evaluations", 60, "--json", "-")
                [found] = document["sizes"]
                self.assertGreater(found["bound_s"], 0)
                self.assertGreaterEqual(found["best_known_s"], found["bound_s"])

    def test_limits_do_not_depend_on_other_numbers_of_ranks(self):
        for kind in ("two clusters with limiter", "clusters in zones in a zone", "Floyd with routers"):
            machine = ["-n", "64K", "--platform", self.files[kind], "--algorithms", "ring,recursive_doubling",
                       "--json", "-"]
            rows = harness.json_output("compare", "allreduce", "-p", "2..6", *machine)["cells"]
            for ranks in range(2, 7):
                with self.subTest(kind=kind, ranks=ranks):
                    alone = harness.json_output("compare", "allreduce", "-p", ranks, *machine)["cells"]
                    limits = {row["bound_s"] for row in alone + rows if row["ranks"] == ranks}
                    self.assertEqual(len(limits), 1)
                    self.assertGreater(limits.pop(), 0)

    def test_limits_of_profiles_are_unknown(self):
        rows = harness.json_output("compare", "bcast", "-p", 2, "-n", "1MiB", "--platform",
                                   self.files["profile of a bandwidth"], "--json", "-")["cells"]
        self.assertEqual({row["bound_s"] for row in rows}, {None})
        self.assertGreater(max(row["simulated_s"] or 0 for row in rows), 0)

    def test_explain_names_limiters(self):
        path = self.folder / "limiter.xml"
        path.write_text(platform_kinds.platform(platform_kinds.zone(
            "z", "Full", '<cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="5us" '
            'limiter_link="1GBps"/>')))
        text = harness.output("explain", "allreduce/ring", "-p", 8, "-n", "1MiB", "--platform", path)
        self.assertIn("slowed by sharing limiter links", text)
        self.assertIn("c_link_0_limiter between host 0 and the others", text)
        self.assertIn("The limit for any schedule is", text)

    def test_refusals_give_the_reason(self):
        for kind, (_, reason) in platform_kinds.REFUSED.items():
            for command in (["bound"], ["search", "--time", "1s"]):
                with self.subTest(kind=kind, command=command):
                    done = harness.run(*command, "allreduce", "-p", 2 if "missing" not in kind else 3, "-n", "64K",
                                       "--platform", self.files[kind])
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn(reason, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    harness.main()
