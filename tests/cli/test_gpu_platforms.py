"""Tests clusters of GPUs (tutti platform gpu): both engines agree, limits by hand, a schedule over rails."""

import pathlib
import random
import tempfile
import unittest

import harness

GIB = 1 << 30

RAIL_LANES = harness.SOURCE_DIR / "examples/gpu_clusters/rail_lanes.sched"


class GpuPlatforms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def platform(self, *arguments):
        path = self.folder / "gpus.xml"
        self.assertEqual(harness.output("platform", "gpu", *arguments, "-o", path), "")
        return path

    def test_both_engines_agree_on_random_clusters(self):
        draw = random.Random(20261203)
        algorithms = ["allreduce/ring", "allreduce/rabenseifner", "allreduce/recursive_doubling",
                      "allgather/bruck", "allgather/ring", "alltoall/pairwise", "alltoall/linear",
                      "reduce_scatter/pairwise", "bcast/binomial", "gather/linear"]
        for number in harness.every(4, range(10)):
            gpu = draw.choice(["a100", "h100", "b300", "gh200", "mi250x", "mi300x"])
            nodes = draw.choice([1, 2, 3, 4, 6, 8])
            units = [unit for unit in (1, 2, 3, 4) if nodes % unit == 0]
            unit = draw.choice(units)
            options = ["--nodes", nodes, "--gpu", gpu, "--unit", unit]
            if unit < nodes:
                options += ["--spine", f"1:{draw.randint(1, 4)}"]
            if gpu not in ("mi250x", "gh200"):
                options += ["--rail", draw.choice(["sender", "receiver"])]
            platform = self.platform(*options)
            hosts = platform.read_text().count("<host ")
            for algorithm in draw.sample(algorithms, 3):
                with self.subTest(number=number, options=options, algorithm=algorithm):
                    result = harness.json_output(
                        "simulate", algorithm, "-p", draw.randint(2, hosts), "-n",
                        draw.choice(["24KiB", "3MiB", "64MiB"]), "--platform", platform, "--engine", "both",
                        "--ports", draw.choice(["1", "3", "unlimited"]), "--json", "-")
                    self.assertLess(result["engines_differ_by"], 1e-9)

    def test_simgrid_simulates_16384_gpus(self):
        platform = self.platform("--nodes", 2048, "--unit", 32, "--spine", "1:2")
        self.assertNotIn("<host ", platform.read_text())
        result = harness.json_output("simulate", "bcast/binomial", "-p", 16384, "-n", "1MiB", "--platform", platform,
                                     "--engine", "both", "--json", "-")
        self.assertLess(result["engines_differ_by"], 1e-9)

    def test_simgrid_needs_memory_for_each_gpu(self):
        platform = self.platform("--nodes", 131072)
        for engine in ("simgrid", "both"):
            done = harness.run("simulate", "bcast/binomial", "-p", 1 << 20, "-n", "64KiB", "--platform", platform,
                               "--engine", engine)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn("SimGrid would have 1048576 hosts", done.stderr)
            self.assertIn("use --engine flow", done.stderr)

    def test_the_cards_of_nodes_limit_an_allreduce(self):
        platform = self.platform("--nodes", 64, "--gpu", "h100")
        bound = harness.json_output("bound", "allreduce", "-p", 512, "-n", "1GiB", "--platform", platform,
                                    "--ports", "unlimited", "--json", "-")["bounds"][0]
        by_hand_s = 2 * 63 / 64 * GIB / (8 * 50e9)
        self.assertGreater(bound["bound_s"], by_hand_s)
        self.assertLess(bound["bound_s"], by_hand_s + 2e-6)
        certificate = bound["parts"][0]["certificate"]
        self.assertEqual((certificate["groups"], certificate["per_s"]), (64, 64 * 8 * 50e9))

        harness.output("verify", RAIL_LANES, "-p", "32", "--set", "parts=2")
        run = harness.json_output("simulate", RAIL_LANES, "-p", 512, "-n", "1GiB", "--platform", platform,
                                  "--ports", "unlimited", "--no-verify", "--json", "-")
        self.assertGreater(run["simulated_s"], bound["bound_s"])
        self.assertLess(run["simulated_s"], 1.1 * by_hand_s)

    def test_the_links_of_pods_limit_an_exchange_between_them(self):
        platform = self.platform("--nodes", 16, "--gpus", 4, "--cards", 4, "--unit", 2, "--pod", 8, "--pod-spine", "1:7")
        machine = ["-p", 64, "-n", "64MiB", "--platform", platform, "--ports", "unlimited", "--json", "-"]
        bound = harness.json_output("bound", "alltoall", *machine)["bounds"][0]
        # 32 GPUs send half of their bytes to the other pod, over a seventh of their 32 cards of 50 GB/s.
        by_hand_s = 32 * (32 << 20) / (32 * 50e9 / 7)
        self.assertGreater(bound["bound_s"], by_hand_s)
        self.assertLess(bound["bound_s"], by_hand_s + 3e-6)
        run = harness.json_output("simulate", "alltoall/linear", *machine)
        self.assertAlmostEqual(run["simulated_s"], bound["bound_s"], delta=1e-9)

    def test_a_thinner_spine_slows_what_crosses_it(self):
        times_s = []
        for spine in ("1:1", "1:4"):
            platform = self.platform("--nodes", 4, "--gpu", "h100", "--unit", 2, "--spine", spine)
            result = harness.json_output("simulate", "alltoall/linear", "-p", 32, "-n", "512MiB", "--platform",
                                         platform, "--ports", "unlimited", "--engine", "both", "--json", "-")
            self.assertLess(result["engines_differ_by"], 1e-9)
            times_s.append(result["simulated_s"])
        # Each GPU sends half of its data to the other unit, over a quarter of 50 GB/s.
        self.assertAlmostEqual(times_s[1], (512 << 20) / 2 / 12.5e9, delta=1e-5)
        self.assertLess(times_s[0], 0.5 * times_s[1])

    def test_nodes_are_groups(self):
        platform = self.platform("--nodes", 4, "--gpus", 4)
        machine = ["-p", 16, "-n", "1MiB", "--platform", platform, "--json", "-"]
        for level, ranks in (("node", 4), ("switch", 4), ("host", 1)):
            with self.subTest(level=level):
                by_word = harness.json_output("simulate", "allreduce/hierarchical", "--groups", level, *machine)
                by_number = harness.json_output("simulate", "allreduce/hierarchical", "--groups", ranks, *machine)
                self.assertEqual(by_word["simulated_s"], by_number["simulated_s"])
        smp = self.folder / "smp.xml"
        harness.output("platform", "smp", "--hosts", 4, "--cores", 4, "-o", smp)
        machine = ["-p", 16, "-n", "1MiB", "--ranks-per-host", 4, "--platform", smp, "--json", "-"]
        times_s = {harness.json_output("simulate", "allreduce/hierarchical", "--groups", level,
                                       *machine)["simulated_s"] for level in ("node", "host")}
        self.assertEqual(len(times_s), 1)

    def test_the_switch_of_a_node_reduces(self):
        platform = self.platform("--nodes", 2, "--gpu", "h100", "--in-network", "yes")
        run = harness.json_output("simulate", "allreduce/nvls", "-p", 8, "-n", "1GiB", "--platform", platform, "--json",
                                  "-")
        # Each GPU sends p + 1 shares of its vector, and waits for the first one and for the last ones: the times of 4
        # shares if both directions of a link have the same latency. Here a share that comes from the switch also
        # passes the memory, so that another one is sent first.
        self.assertAlmostEqual(run["simulated_s"], 14 * GIB / 8 / 370e9, delta=0.01 * run["simulated_s"])
        done = harness.run("simulate", "allreduce/nvls", "-p", 16, "-n", "1MiB", "--platform", platform)
        self.assertEqual(done.returncode, 2)
        self.assertIn("one is at the switch of node 0 and the other at the switch of node 1", done.stderr)
        done = harness.run("platform", "gpu", "--nodes", 2, "--gpu", "mi300x", "--in-network", "yes")
        self.assertEqual((done.returncode, done.stderr), (2, "tutti: gpu: --in-network 'yes': only the switch of a "
                                                             "node reduces, but --inner is mesh\n"))

    def test_each_node_has_a_switch_of_nccls_nvls_tree(self):
        def time_s(nodes, *cards):
            platform = self.platform("--nodes", nodes, "--gpu", "h100", "--in-network", "yes", *cards)
            run = harness.json_output("simulate", "allreduce/nccl_nvls_tree", "-p", 8 * nodes, "-n", "1GiB",
                                      "--cores-per-node", 8, "--channels", 16, "--ports", "unlimited", "--platform",
                                      platform, "--json", "-")
            return run["simulated_s"]
        # Every GPU sends its vector and one of 8 shares over NVLink.
        inner_s = 9 / 8 * GIB / 370e9
        for nodes in (1, 2):
            self.assertGreater(time_s(nodes), inner_s)
            self.assertLess(time_s(nodes), 1.08 * inner_s)
        # Every GPU sends half of its share up, and the other half down.
        card_s = GIB / 8 / 20e9
        self.assertGreater(time_s(2, "--card-bw", "20GBps"), card_s)
        self.assertLess(time_s(2, "--card-bw", "20GBps"), 1.08 * card_s)
        done = harness.run("simulate", "allreduce/nccl_nvls_tree", "-p", 16, "-n", "1MiB", "--cores-per-node", 16,
                           "--platform", self.platform("--nodes", 2, "--gpu", "h100", "--in-network", "yes"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("one is at the switch of node 0 and the other at the switch of node 1", done.stderr)

    def test_links_pass_gpus_without_ranks(self):
        platform = self.platform("--nodes", 2, "--gpu", "mi250x")
        for ranks in (3, 5, 7):
            harness.json_output("bound", "allreduce", "-p", ranks, "-n", "1MiB", "--platform", platform, "--json", "-")
            harness.output("plot", "bound", "allreduce", "-p", ranks, "-n", "1MiB", "--platform", platform, "-o",
                           self.folder / "cut.svg")
            harness.output("report", "explain", "allreduce/ring", "-p", ranks, "-n", "1MiB", "--platform", platform,
                           "-o", self.folder / "page.html")
        done = harness.run("simulate", "allreduce/hierarchical", "--groups", "node", "-p", 24, "-n", "1KiB",
                           "--platform", platform)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)

    def test_an_edited_file_is_left_to_simgrid(self):
        platform = self.platform("--nodes", 2, "--gpus", 2)
        text = platform.read_text()
        platform.write_text(text.replace('<link id="node-0-card-0_out" bandwidth="400Gbps"',
                                         '<link id="node-0-card-0_out" bandwidth="100Gbps"'))
        bound_s = []
        for each in (text, platform.read_text()):
            platform.write_text(each)
            document = harness.json_output("bound", "alltoall", "-p", 4, "-n", "1MiB", "--platform", platform,
                                           "--json", "-")
            bound_s.append(document["bounds"][0]["bound_s"])
        self.assertGreater(bound_s[1], 1.5 * bound_s[0])
        result = harness.json_output("simulate", "allreduce/ring", "-p", 4, "-n", "1MiB", "--platform", platform,
                                     "--engine", "simgrid", "--json", "-")
        self.assertGreater(result["simulated_s"], 0)
        platform.write_text(text.replace('"tutti:gpu:unit" value="2"', '"tutti:gpu:unit" value="3"'))
        done = harness.run("bound", "allreduce", "-p", 4, "-n", "1MiB", "--platform", platform)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("--unit 3: the 2 nodes cannot be divided evenly", done.stderr)


if __name__ == "__main__":
    harness.main()
