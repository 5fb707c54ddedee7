"""Tests tutti nccl, choose --library NCCL and decide --against nccl, which predict what NCCL would run. No
GPU is needed."""
import json
import math
import os
import pathlib
import re
import shlex
import tempfile
import unittest

import harness
from script_main import some_of

GRAPHS = harness.SOURCE_DIR / "tests" / "cost_models" / "nccl" / "graphs"
THREE_NODES = GRAPHS / "h100_3_nodes.xml"
COLLECTIVES = ["bcast", "reduce", "allgather", "reduce_scatter", "allreduce"]


def answers(*arguments):
    found = harness.json_output("nccl", *arguments, "--json", "-")
    harness.validate(found, "tutti-nccl-1")
    return found["cells"]


def way(cell, algorithm, protocol):
    return next(each for each in cell["ways"]
                if (each["algorithm"], each["protocol"]) == (algorithm, protocol))


class Nccl(unittest.TestCase):
    def test_a_public_log_is_reproduced(self):
        # In the log of https://github.com/NVIDIA/nccl/issues/1453, a ring with the Simple protocol takes
        # 86069.968750 us for 8 GiB. The log is from NCCL 2.22, whose model counts two more steps between
        # nodes than later versions and tutti.
        [cell] = answers("allreduce", "-p", 24, "-n", "8GiB", "--graph", THREE_NODES, "--model-only")
        self.assertEqual(cell["nodes"], 3)
        ring = way(cell, "ring", "simple")
        self.assertAlmostEqual(ring["time_us"] + 1.4 * 2 * (14 - 3.4), 86069.96875, delta=0.02)

    def test_the_printed_commands_run(self):
        ran = 0
        for collective in COLLECTIVES:
            for size in ("8", "1K", "1MiB"):
                text = harness.output("nccl", collective, "-p", 8, "-n", size, "--gpu", "gb200")
                command = re.search(r"^ *to run it +tutti (.*)$", text, re.M)
                if command:
                    with self.subTest(command=command[1]):
                        harness.output(*shlex.split(command[1]))
                        ran += 1
        self.assertGreater(ran, 5)

    def test_a_described_machine_equals_its_graph_file(self):
        described = answers("allgather", "-p", 24, "-n", "1K..1GiB*64", "--nic-bw", "200Gbps",
                            "--gpus-per-switch", 2, "--model-only")
        from_file = answers("allgather", "-p", 24, "-n", "1K..1GiB*64", "--graph", THREE_NODES,
                            "--model-only")
        self.assertEqual(len(described), 4)
        for one, other in zip(described, from_file):
            self.assertEqual(one["graphs"]["ring"], other["graphs"]["ring"])
            self.assertEqual(way(one, "ring", "ll"), way(other, "ring", "ll"))

    def test_the_least_time_is_chosen_and_every_gap_has_a_reason(self):
        for collective in COLLECTIVES:
            for machine in [["-p", 8], ["-p", 64, "--gpu", "a100"],
                            ["-p", 16, "--gpus-per-node", 1, "--gpu", "b200"]]:
                for cell in answers(collective, "-n", "64,64K,64MiB", *machine, "--model-only"):
                    with self.subTest(collective=collective, machine=machine, n=cell["bytes"]):
                        times = {(each["algorithm"], each["protocol"]): each["time_us"]
                                 for each in cell["ways"] if each["time_us"] is not None}
                        choice = cell["choice"]
                        self.assertEqual(times[choice["algorithm"], choice["protocol"]],
                                         min(times.values()))
                        self.assertEqual(choice["time_us"], min(times.values()))
                        for each in cell["ways"]:
                            self.assertEqual(each["time_us"] is None, bool(each["why_not"]))
                            self.assertEqual(each["time_us"] is not None and not each["schedule"],
                                             each["lacking"] is not None)

    def test_large_calls_are_limited_by_links(self):
        # For large sizes, the schedule takes as long as NCCL's model says, except that NCCL's search rounds
        # the link bandwidth down: here from 370.8 GB/s to 360 GB/s.
        [cell] = answers("allgather", "-p", 8, "-n", "1GiB")
        ring = way(cell, "ring", "simple")
        self.assertAlmostEqual(ring["time_us"] / 1e6 / ring["simulated_s"], 370.8 / 360, delta=0.03)
        # On this network, the search rounds 25 GB/s down to 24 GB/s. The last loop of chunks is not full.
        [cell] = answers("allgather", "-p", 16, "-n", "256MiB", "--gpu", "a100", "--gpus-per-node", 1)
        ring = way(cell, "ring", "simple")
        self.assertAlmostEqual(ring["time_us"] / 1e6 / ring["simulated_s"], 1, delta=0.05)
        self.assertIsNotNone(way(cell, "pat", "simple")["simulated_s"])

    def test_limits_of_protocols_also_hold_for_schedules(self):
        # The protocol LL is limited to 141 GB/s within a node of H100 GPUs, however fast NVLink is.
        [cell] = answers("allgather", "-p", 8, "-n", "1GiB")
        ring = way(cell, "ring", "ll")
        # A chunk of 32 KiB on each of 24 channels waits for a latency of 0.6 us at each step.
        self.assertAlmostEqual(ring["simulated_s"], 7 / 8 * 2**30 * (1 / 141e9 + 0.6e-6 / (24 * 2**15)), delta=2e-4)
        self.assertAlmostEqual(ring["time_us"] / 1e6 / ring["simulated_s"], 0.9, delta=0.02)

    def test_multicast_is_simulated_with_its_switch(self):
        [cell] = answers("allreduce", "-p", 8, "-n", 64)
        nvls = way(cell, "nvls", "simple")
        self.assertAlmostEqual(nvls["latency_us"], 25)
        self.assertAlmostEqual(nvls["simulated_s"] * 1e6, 25, delta=0.5)
        # Each GPU sends the vector once, and its share once more, at 85 % of NVLink's rate. The first and the
        # last loop of chunks do not overlap with others.
        [cell] = answers("allreduce", "-p", 8, "-n", "1GiB")
        least_s = 25e-6 + 9 / 8 * 2**30 / (.85 * 370.8e9)
        self.assertGreater(way(cell, "nvls", "simple")["simulated_s"], least_s)
        self.assertLess(way(cell, "nvls", "simple")["simulated_s"], 1.2 * least_s)

    def test_a_broadcast_forwards_pieces(self):
        # The protocol Simple sends pieces of 512 KiB on each of 2 channels. So 1 MiB is one piece on each
        # channel, and each of 15 hops waits for the whole piece.
        [cell] = answers("bcast", "-p", 16, "-n", "1MiB", "--gpu", "a100", "--gpus-per-node", 1)
        ring = way(cell, "ring", "simple")
        self.assertEqual(ring["schedule"]["segment_bytes"], 2**20)
        self.assertAlmostEqual(ring["simulated_s"], 8.4e-6 + 15 * (14e-6 + 2**20 / 25e9), delta=1e-6)

    def test_steps_have_the_latencies_of_the_model(self):
        # A ring allreduce on 8 GPUs of one node has 14 steps of 0.6 us, and a fixed latency of 6.6 us.
        [cell] = answers("allreduce", "-p", 8, "-n", 64)
        ring = way(cell, "ring", "ll")
        self.assertAlmostEqual(ring["simulated_s"] * 1e6, 6.6 + 14 * 0.6, delta=0.05)
        self.assertAlmostEqual(ring["latency_us"], 6.6 + 14 * 0.6, delta=1e-4)

    def test_nvls_that_loads_or_stores_has_the_whole_latency_of_the_model(self):
        for collective in ("allgather", "reduce_scatter", "allreduce"):
            [cell] = answers(collective, "-p", 8, "-n", "64K")
            nvls = way(cell, "nvls", "simple")
            self.assertGreater(nvls["simulated_s"] * 1e6, 0.95 * nvls["latency_us"], collective)

    def test_slow_cards_do_not_slow_messages_within_a_node(self):
        [cell] = answers("allreduce", "-p", 142, "-n", "64K", "--gpu", "h200", "--gpus-per-node", 71, "--nics", 1,
                         "--nic-bw", "0.25GBps")
        for algorithm in ("ring", "tree"):
            found = way(cell, algorithm, "ll128")
            if found["simulated_s"]:
                self.assertLess(found["simulated_s"], 2 * way(cell, algorithm, "simple")["simulated_s"], algorithm)

    def test_the_printed_schedule_runs(self):
        for collective in COLLECTIVES:
            [cell] = answers(collective, "-p", 16, "-n", "1MiB", "--gpus-per-node", 8,
                             "--model-only")
            if cell["command"]:
                harness.output(*shlex.split(cell["command"])[1:])
        # NVLS needs switches that reduce, which no command-line option describes.
        [cell] = answers("allreduce", "-p", 8, "-n", "64MiB", "--model-only")
        self.assertEqual(cell["choice"]["algorithm"], "nvls")
        self.assertIsNone(cell["command"])

    def test_a_platform_given_by_the_user(self):
        with tempfile.TemporaryDirectory() as folder:
            thin = pathlib.Path(folder) / "thin.xml"
            harness.output("platform", "smp", "--hosts", 4, "--bw", "1GBps", "-o", thin)
            [own] = answers("allgather", "-p", 32, "-n", "64MiB", "--platform", thin)
            [described] = answers("allgather", "-p", 32, "-n", "64MiB")
            for protocol in ("ll", "ll128", "simple"):
                self.assertGreater(way(own, "ring", protocol)["simulated_s"],
                                   5 * way(described, "ring", protocol)["simulated_s"])
            self.assertEqual(own["choice"], described["choice"])

    def test_many_ranks_are_answered_quickly(self):
        [cell] = answers("allreduce", "-p", 1000000, "-n", "1MiB")
        self.assertIsNotNone(cell["choice"])
        ring = way(cell, "ring", "simple")
        self.assertIsNone(ring["simulated_s"])
        self.assertIn("1024 ranks", ring["lacking"])

    def test_text_of_an_answer(self):
        text = harness.output("nccl", "allreduce", "-p", 64, "-n", "64MiB", "--gpu", "h100")
        for words in ["8 nodes of 8 h100", "8 channels of 48 GB/s", "collnet_direct", "no CollNet"]:
            self.assertIn(words, text)
        several = harness.output("nccl", "bcast", "-p", "8,16", "-n", "1K,1MiB", columns=80)
        self.assertEqual(len(re.findall(r"^ +(?:8|16) ", several, re.M)), 4)

    def test_choose_for_nccl(self):
        found = harness.choice("allgather", "-p", 16, "-n", "1MiB", "--library", "NCCL 2.30", "--ranks-per-host", 8)
        self.assertEqual(found["choice"]["algorithm"], "nccl_ring")
        self.assertEqual(found["ranks_per_host"], 8)
        self.assertEqual([level["decided_by"] for level in found["path"]], ["search", "cost model"])
        [cell] = answers("allgather", "-p", 16, "-n", "1MiB", "--gpus-per-node", 8, "--model-only")
        self.assertIn(f"{cell['choice']['algorithm']} with {cell['choice']['protocol']}",
                      found["path"][-1]["chosen"])
        harness.output(*shlex.split(found["command"])[1:])
        text = harness.output("choose", "allreduce", "-p", 64, "-n", "64K", "--library", "nccl 2.30.7")
        self.assertIn("by the model of NCCL 2.30.7", text)

    def test_kernels_outside_the_model_are_listed(self):
        for collective, kernels, of_nodes, without_multicast in [
                ("allreduce", 4, 0, 2), ("allgather", 4, 1, 2), ("reduce_scatter", 3, 2, 2), ("bcast", 0, 0, 0),
                ("reduce", 0, 0, 0)]:
            [cell] = answers(collective, "-p", 8, "-n", "64K", "--model-only")
            self.assertEqual(len(cell["not_covered"]), kernels)
            for options, count in ((["-p", 16], of_nodes), (["-p", 8, "--version", "2.26"], 0),
                                   (["-p", 8, "--gpu", "a100"], without_multicast)):
                [other] = answers(collective, *options, "-n", "64K", "--model-only")
                self.assertEqual(len(other["not_covered"]), count, (collective, options))
            printed = " ".join(harness.output("nccl", collective, "-p", 8, "-n", "64K", "--model-only").split())
            several = " ".join(harness.output("nccl", collective, "-p", "8,16", "-n", "64K", "--model-only").split())
            for text in (printed, several):
                self.assertEqual("not covered: for buffers in symmetric windows" in text, kernels > 0)
                for kernel in cell["not_covered"]:
                    self.assertIn(kernel, text)
                    self.assertEqual(kernel.split("_")[0].lower(), collective.replace("_", ""))

    def test_rules_keep_choices_that_were_not_simulated(self):
        machine = ["--gpu", "h100", "--ranks-per-host", 8]
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder) / "tuner.csv"
            done = harness.run("decide", "allreduce", "-p", "32,64", "-n", "1MiB..256MiB*16", "--export", "nccl", "-o",
                               rules, *machine)
            self.assertEqual((done.returncode, done.stdout, os.listdir(folder)), (2, "", []), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertRegex(done.stderr, r"no rule to write: in \d of 6 cells, ")
            judged = replaced = 0
            for collective in ("allreduce", "allgather"):
                grid = ["-p", "8,16,64", "-n", "1K..64MiB*16"]
                done = harness.run("decide", collective, *grid, "--export", "nccl", "-o", rules, "--json",
                                   f"{folder}/d.json", "--gpu", "a100", "--gpus-per-node", 1, "--model-loss", "30%")
                if done.returncode == 2:
                    self.assertIn("no rule to write", done.stderr)
                    continue
                self.assertEqual(harness.run("lint", rules).returncode, 0)
                found = json.loads((pathlib.Path(folder) / "d.json").read_text())
                harness.validate(found, "tutti-decide-2")
                # Sizes on the grid, between its sizes, and outside.
                for ranks in (8, 16, 64):
                    sizes = [64, 512, 1024, 3072, 16384, 100000, 2**20, 2**24, 2**26, 2**28, 2**31]
                    own = answers(collective, "-p", ranks, "-n", ",".join(map(str, sizes)), "--gpu", "a100",
                                  "--gpus-per-node", 1, "--model-only")
                    for size, cell in zip(sizes, own):
                        chosen = harness.choice(collective, "-p", ranks, "-n", size, "--table", rules,
                                                "--ranks-per-host", 1)["choice"]
                        mine = chosen["library_algorithm"].split(" with ")[0]
                        if mine == cell["choice"]["algorithm"]:
                            judged += 1
                            continue
                        replaced += 1
                        self.assertIsNotNone(way(cell, *(cell["choice"][key] for key in ("algorithm", "protocol")))
                                             ["schedule"], (collective, ranks, size))
                        self.assertTrue(1024 <= size <= 2**26, (collective, ranks, size))
            self.assertGreater(judged, 0)
            self.assertGreater(replaced, 0)

    def test_protocols_on_a_platform(self):
        # On links of 1 GB/s, the latency does not matter. LL sends 8 bytes for 4 of data, LL128 128 for 120.
        with tempfile.TemporaryDirectory() as folder:
            gpus = pathlib.Path(folder) / "gpus.xml"
            nodes = pathlib.Path(folder) / "nodes.xml"
            harness.output("platform", "gpu", "--nodes", 2, "--gpu", "h100", "--card-bw", "1GBps", "-o", gpus)
            harness.output("platform", "smp", "--hosts", 2, "--cores", 8, "--bw", "1GBps", "-o", nodes)
            for machine in ([gpus], [nodes, "--gpu", "h100"]):
                [cell] = answers("allgather", "-p", 16, "-n", "256MiB", "--platform", *machine)
                self.assertEqual(cell["platform"], machine[0].name)
                times = [way(cell, "ring", protocol)["simulated_s"] for protocol in ("ll", "ll128", "simple")]
                # Several messages of a connection share a link, so the first of them arrives late.
                self.assertAlmostEqual(times[0] / times[2], 2.12, delta=0.13)
                self.assertAlmostEqual(times[1] / times[2], 1.14, delta=0.08)

    def test_channels_use_all_cards_of_a_platform(self):
        # A ring on 2 nodes sends 15/16 of the vector over the cards of a node, each of 1 GB/s.
        with tempfile.TemporaryDirectory() as folder:
            for cards in (8, 4):
                gpus = pathlib.Path(folder) / f"{cards}.xml"
                harness.output("platform", "gpu", "--nodes", 2, "--gpu", "h100", "--cards", cards, "--card-bw",
                               "1GBps", "-o", gpus)
                [cell] = answers("allgather", "-p", 16, "-n", "256MiB", "--platform", gpus)
                self.assertAlmostEqual(way(cell, "ring", "simple")["simulated_s"], 15 / 16 * 2**28 / (cards * 1e9),
                                       delta=0.03 * 2**28 / (cards * 1e9))

    def test_every_choice_has_a_schedule(self):
        for gpu in ("h100", "b200", "gb200", "a100"):
            for collective in COLLECTIVES:
                for cell in answers(collective, "-p", "8..1024*2", "-n", "1K..4GiB*4", "--gpu", gpu, "--model-only"):
                    choice = cell["choice"]
                    schedule = way(cell, choice["algorithm"], choice["protocol"])["schedule"]
                    self.assertIsNotNone(schedule, (gpu, collective, cell["ranks"], cell["bytes"]))

    def test_every_choice_on_racks_is_simulated(self):
        # Jobs are spread evenly over racks of 72, here with 64 ranks in each.
        for collective in some_of(COLLECTIVES, 4):
            for cell in answers(collective, "-p", "8..1024*2", "-n", "1K,256MiB", "--gpu", "gb200"):
                choice = cell["choice"]
                simulated = way(cell, choice["algorithm"], choice["protocol"])["simulated_s"]
                self.assertIsNotNone(simulated, (collective, cell["ranks"], cell["bytes"]))
                self.assertEqual(cell["gpus_per_node"], min(cell["ranks"], 64))

    def test_ranks_that_do_not_fill_whole_nodes(self):
        def machine(*arguments):
            [cell] = answers("allreduce", "-n", "1MiB", "--model-only", *arguments)
            return cell["machine"]
        self.assertEqual(machine("-p", 72, "--gpu", "gb200"), "1 node of 72 gb200")
        self.assertEqual(machine("-p", 144, "--gpu", "gb200"), "2 nodes of 72 gb200")
        self.assertEqual(machine("-p", 96, "--gpu", "gb200"), "2 nodes of 48 gb200 in racks of 72")
        self.assertEqual(machine("-p", 96, "--gpu", "gb200", "--nics", 36), "2 nodes of 48 gb200 in racks of 72")
        # Jobs have whole trays of 4 GPUs: 19 trays cannot be spread evenly over two racks, and three are too many.
        self.assertEqual(machine("-p", 76, "--gpu", "gb200"), "2 nodes of 40 gb200 in racks of 72, 36 of them in the last")
        self.assertEqual(machine("-p", 73, "--gpu", "gb200"), "2 nodes of 40 gb200 in racks of 72, 33 of them in the last")
        self.assertEqual(machine("-p", 150, "--gpu", "gb300"), "3 nodes of 52 gb300 in racks of 72, 46 of them in the last")
        self.assertEqual(machine("-p", 1000, "--gpu", "gb200"), "14 nodes of 72 gb200, 64 of them in the last")
        # The last tray may have fewer ranks, so that the last rack may, too.
        self.assertEqual(machine("-p", 143, "--gpu", "gb200"), "2 nodes of 72 gb200, 71 of them in the last")
        self.assertEqual(machine("-p", 96, "--gpu", "gb200", "--gpus-per-node", 72),
                         "2 nodes of 72 gb200, 24 of them in the last")
        self.assertEqual(machine("-p", 12, "--gpu", "h100"), "2 nodes of 8 h100, 4 of them in the last")
        # All ways of NCCL that tutti simulates on full nodes run there, too.
        full, part = (answers("allreduce", "-p", ranks, "-n", "1MiB", "--gpu", "h100")[0] for ranks in (16, 12))
        for each in full["ways"]:
            self.assertEqual(each["simulated_s"] is None,
                             way(part, each["algorithm"], each["protocol"])["simulated_s"] is None, each)

    def test_a_ring_with_too_many_messages_is_not_simulated(self):
        [cell] = answers("allgather", "-p", 1020, "-n", "64MiB", "--gpu", "gb200", "--gpus-per-node", 64)
        ring = way(cell, "ring", "simple")
        self.assertIsNone(ring["simulated_s"])
        self.assertIn("at least 33260160 messages are simulated, more than 4000000", ring["lacking"])

    def test_a_last_node_with_fewer_gpus_limits_all(self):
        # NCCL's ranks agree on the fewest channels and the lowest bandwidths of all nodes. 9 ranks have a last node with
        # one GPU and one card, so rings have the bandwidth of one card.
        for collective, ranks in (("allgather", 9), ("reduce_scatter", 17), ("allreduce", 12)):
            [cell] = answers(collective, "-p", ranks, "-n", "16MiB")
            last = ranks % 8
            ring = cell["graphs"]["ring"]
            self.assertEqual(ring["channels"] * ring["inter_gb_per_s"], 48 * last, (collective, ranks))
            for protocol in ("ll128", "simple"):
                found = way(cell, "ring", protocol)
                self.assertLess(abs(math.log(found["simulated_s"] * 1e6 / found["time_us"])), math.log(1.5),
                                (collective, ranks, protocol))

    def test_long_rings_of_unlike_ranks_are_extrapolated(self):
        # With pieces of one size, a ring takes a constant time for each rank: 21 and 41 nodes are simulated as a
        # whole, 45 and 125 nodes are not.
        def time(nodes, protocol):
            ranks = 8 * nodes
            [cell] = answers("allgather", "-p", ranks, "-n", ranks * 8 * 2560)
            found = way(cell, "ring", protocol)
            self.assertEqual(found["simulated_ranks"] is not None, nodes > 41, nodes)
            self.assertLess(found["simulated_ranks"] or 0, ranks)
            return found["simulated_s"]

        for protocol in some_of(("ll128", "simple"), 2):
            few, many = time(21, protocol), time(41, protocol)
            for nodes in (45, 125):
                expected = many + (many - few) / 20 * (nodes - 41)
                self.assertAlmostEqual(time(nodes, protocol) / expected, 1, delta=0.01)
        for ranks, sizes, what in ((360, 360 * 8 * 2560, "ring with ll128 as up to 248 ranks, "),
                                   (1000, "1K,16MiB", "16 MiB on 1,000 ranks as up to 344 ranks;")):
            text = " ".join(harness.output("nccl", "allgather", "-p", ranks, "-n", sizes).split())
            self.assertIn("simulated as shorter rings, because of the number of messages: " + what, text)

    def test_a_platform_of_gpus_has_the_nodes(self):
        with tempfile.TemporaryDirectory() as folder:
            for gpu, nodes in (("a100", 4), ("h100", 2), ("h200", 8), ("b200", 2), ("b300", 4), ("gb200", 2)):
                file = pathlib.Path(folder) / f"{gpu}.xml"
                harness.output("platform", "gpu", "--nodes", nodes, "--gpu", gpu, "-o", file)
                ranks = nodes * (72 if gpu.startswith("gb") else 8)
                call = ["allreduce", "-p", ranks, "-n", "1MiB,64MiB", "--model-only"]
                mine, theirs = answers(*call, "--platform", file), answers(*call, "--gpu", gpu)
                for cell in (*mine, *theirs):
                    del cell["command"]  # one rank on each host of the file, but eight without it
                self.assertEqual(mine, theirs)
            # A link at half the rate is a link at half the rate in NCCL's model.
            slow = pathlib.Path(folder) / "slow.xml"
            harness.output("platform", "gpu", "--nodes", 2, "--gpu", "h100", "--inner-bw", "185GBps", "-o", slow)
            call = ["allreduce", "-p", 16, "-n", "64MiB", "--model-only"]
            self.assertEqual(answers(*call, "--platform", slow), answers(*call, "--gpu", "h100", "--nvlink", 185.4))

    def test_decide_against_nccl(self):
        found = harness.json_output("decide", "allgather", "-p", "8,16", "-n", "1K..1MiB*32",
                                    "--against", "nccl", "--gpu", "a100", "--gpus-per-node", 1,
                                    "--json", "-")
        # Where NCCL's choice is faster than all candidates, the output does not call this a loss.
        text = " ".join(harness.output("decide", "allreduce", "-p", 16, "-n", "1MiB", "--gpu", "h100", "--against",
                                       "nccl", "--algorithms", "nccl_ring").split())
        self.assertRegex(text, r"takes \d\S* % less time than the best of all candidates on average over 1 of 1 cell")
        self.assertIn("in 1 cell, its choice is faster than all candidates", text)
        self.assertNotIn("loses", text.split("no cell loses")[0])
        judged = found["against"]
        self.assertEqual(judged["file"], "nccl")
        self.assertIn("NCCL", judged["name"])
        cells = answers("allgather", "-p", "8,16", "-n", "1K..1MiB*32", "--gpu", "a100",
                        "--gpus-per-node", 1, "--model-only")
        self.assertEqual(len(judged["cells"]), len(cells))
        for mine, nccl in zip(judged["cells"], cells):
            self.assertIn(nccl["choice"]["algorithm"], json.dumps(mine))


# Lines of a tuner file, each with words that the messages about the line must contain. Tutti reads such a
# file as NCCL's example plugin does.
TUNER = [
    ("allreduce,0,1024,ring,ll,0,-1,-1", []),
    ("allreduce,0,1024,ring,ll,0,-1,-1,-1", []),
    ("allreduce,0,1024,ring,ll,0,-1,8,-1,-1", []),
    ("allreduce,0,1024,ring,ll,0,-1,-1,1,0", []),
    ("allreduce,0,1024,ring,ll,0,-1,-1,4", ["only for groups of 4 calls"]),
    ("allreduce,0,1024,ring,ll,0,-1,-1,-1,1", ["only for registered buffers"]),
    ("allreduce,0,1024,ring,ll,0,-1,-1,0", ["calls in a group (numPipeOps) 0: no call has this value"]),
    ("allreduce,0,1024,ring,ll,0,-1,-1,-1,2", ["registered buffers (regBuff) 2: no call has this value"]),
    ("allreduce,0,1024,ring,ll,0,-1,-1,-1,-1,7", ["11 fields", "the last ones are ignored"]),
    ("allreduce,0,1024,ring,ll,0,-1", ["7 fields", "the line is ignored"]),
    ("allreduce,,1024,ring,ll,0,-1,-1,-1", ["an empty field is skipped", "'ring' is not a number",
                                            "'ll' is read as ring"]),
    ("allreduce,0,1024, ,ll,0,-1,-1", ["unknown algorithm '' is read as ring"]),
    ("allreduce,+64,1024,ring,ll,0,-1,-1", ["'+64' is not a number of bytes; it is read as 64"]),
    ("allreduce,1K,1M,ring,ll,0,-1,-1", ["'1K' is not a number of bytes; it is read as 1",
                                         "'1M' is not a number of bytes; it is read as 1"]),
    ("allreduce,0,99999999999999999999,ring,ll,0,-1,-1",
     ["it is read as 18446744073709551615"]),
    ("allreduce,-2,-1,ring,ll,0,-1,-1", ["it is read as 18446744073709551614"]),
    ("allreduce,0,1024,ring,ll,all,-1,-1", ["channels 'all' is not a number; it is read as 0"]),
    ("allreduce,0,1024,ring,ll,0,0,-1", ["nodes 0: no call has this value"]),
    ("allreduce,0,1024,ring,ll,0,-1,-8", ["ranks -8: no call has this value"]),
    ("allreduce,0,1024,ring,ll,0,4294967296,-1", ["does not fit an int"]),
    ("broadcast,0,1024,tree,simple,0,-1,-1", ["NCCL cannot run tree with simple for broadcast"]),
    ("allreduce,0,1024,nvls,ll,0,-1,-1", ["NCCL cannot run nvls with ll"]),
    ("allreduce,0,1024,pat,simple,0,-1,-1", ["NCCL cannot run pat"]),
    ("Allreduce,0,1024,Ring,LL,0,-1,-1", ["'Allreduce' is read as allreduce",
                                          "'Ring' is read as ring", "'LL' is read as simple"]),
    ("allreduce,0,1024,ring,ll,0,-1,-1\r", ["carriage return"]),
    ("allreduce,0,1024,ring,ll,0,-1,-1" + " " * 300, ["characters"]),
]


class Tuner(unittest.TestCase):
    def lint(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tuner.conf"
            path.write_text(text, newline="")
            done = harness.run("lint", path, "--format", "nccl", "--json", "-")
            return json.loads(done.stdout)["files"][0]

    def test_each_line_is_read_as_nccls_plugin_reads_it(self):
        for line, expected in TUNER:
            with self.subTest(line=line):
                printed = "; ".join(finding["text"] for finding in self.lint(line + "\n")["findings"])
                for words in expected:
                    self.assertIn(words, printed)
                if not expected:
                    self.assertEqual(printed, "")

    def test_rules_that_do_not_apply_hide_no_later_rule(self):
        # Rule 1 holds only for some calls, and NCCL never uses rule 2, so rule 3 can apply. Rule 3 covers all
        # sizes, so rule 4 is never reached.
        found = self.lint("allreduce,0,-1,ring,ll,0,-1,-1,4\nallreduce,0,-1,pat,simple,0,-1,-1\n"
                          "allreduce,0,-1,tree,simple,0,-1,-1\nallreduce,0,64,ring,ll,0,-1,-1\n")
        unreached = [finding["line"] for finding in found["findings"]
                     if "never reached" in finding["text"]]
        self.assertEqual(unreached, [4])
        [table] = found["tables"]
        self.assertEqual([rule["line"] for rule in table["rules"]] if "line" in table["rules"][0]
                         else len(table["rules"]), [3, 4] if "line" in table["rules"][0] else 2)
        # Rules for different numbers of nodes do not hide each other.
        found = self.lint("allreduce,0,-1,ring,ll,0,2,-1\nallreduce,0,-1,tree,ll,0,4,-1\n")
        self.assertNotIn("never reached", json.dumps(found))

    def test_an_export_has_all_columns_and_no_findings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tuner.conf"
            done = harness.run("decide", "allreduce", "-p", "8,64", "-n", "4MiB,16MiB", "--export",
                               "nccl", "-o", path, "--gpu", "a100", "--gpus-per-node", 1, "--model-loss", "40%")
            self.assertEqual(done.returncode, 0, done.stderr)
            rules = [line.split(",") for line in path.read_text().splitlines() if line[0] != "#"]
            self.assertEqual({len(rule) for rule in rules}, {10})
            self.assertEqual({tuple(rule[8:]) for rule in rules}, {("-1", "-1")})
            self.assertEqual(harness.run("lint", path).returncode, 0)
            text = harness.output("choose", "allreduce", "-p", 64, "-n", "256MiB", "--table", path,
                                  "--ranks-per-host", 1)
            self.assertIn("ring", text)


if __name__ == "__main__":
    unittest.main()
