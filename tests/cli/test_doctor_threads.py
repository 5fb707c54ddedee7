"""Tests tutti doctor on outputs that public threads discuss, on messages between pairs of ranks, and on hardware for
which little is known."""
import pathlib
import tempfile
import unittest

import harness
from doctor_threads import GIB, H100, MIB, NCCL, PAIRS, hosts, nccl, one_size, osu, ranks_of, time_us


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def report(self, texts, *arguments):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        for i, text in enumerate(texts):
            (folder / f"output{i}.txt").write_text(text)
        found = harness.json_output("doctor", folder, *arguments, "--json", "-")
        harness.validate(found, "tutti-doctor-1")
        return found

    def doctor(self, text, *arguments):
        return self.report([text], *arguments)["outputs"][0]

    def refused(self, text, *arguments):
        path = pathlib.Path(self.folder.name) / "refused.txt"
        path.write_text(text)
        done = harness.run("doctor", path, *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        return done.stderr

    def check(self, cases):
        wrong = []
        for name, text, options, verdicts, shapes in cases:
            found = self.doctor(text, *options)
            first = [each["shape"] for each in found["symptoms"][:3]]
            if found["verdict"] not in verdicts or (shapes and not set(first) & set(shapes)):
                wrong.append((name, found["verdict"], first, found["headline"]))
        self.assertEqual(wrong, [])

    def test_threads_on_nccl(self):
        self.assertGreaterEqual(len({name.split(",")[0] for name, *_ in NCCL}), 15)
        self.check(NCCL)

    def test_threads_on_messages_between_pairs(self):
        self.check(PAIRS)

    # Row 9 of two racks, and others, of published results: coreweave/nccl-tests, README.md; ROCm/cvs, rccl_config.json;
    # stas00/ml-engineering, network/benchmarks.
    def test_hardware_with_few_published_numbers(self):
        def verdict(device, program, ranks, nodes, size, busbw, *options):
            above = [f"# Collective test starting: {program}_perf"]
            return self.doctor(one_size(program, ranks, size, busbw, device, nodes, above), *options)
        for device, program, ranks, nodes, size, busbw in (
                ("NVIDIA GB200", "all_reduce", 72, 18, 8 * GIB, 834.6), ("NVIDIA GB200", "all_reduce", 144, 36, 16 * GIB, 810),
                ("NVIDIA GB200", "all_reduce", 8, 2, 16 * GIB, 811), ("AMD Instinct MI300X", "all_reduce", 8, 1, 4 * GIB, 312.9),
                ("AMD Instinct MI300X", "all_reduce", 2, 1, 4 * GIB, 47.7), ("AMD Instinct MI300X", "all_reduce", 16, 2, 8 * GIB, 330),
                ("AMD Instinct MI300X", "all_gather", 16, 2, 8 * GIB, 330),
                ("AMD Instinct MI300X", "sendrecv", 16, 2, 16 * GIB, 48), ("NVIDIA H200", "all_gather", 8, 1, 16 * GIB, 361.4),
                ("NVIDIA H200", "reduce_scatter", 8, 1, 16 * GIB, 362.9)):
            with self.subTest(device=device, program=program, ranks=ranks):
                found = verdict(device, program, ranks, nodes, size, busbw)
                self.assertEqual(found["verdict"], "right", found["headline"])
                low = verdict(device, program, ranks, nodes, size, busbw / 2)
                self.assertEqual(low["verdict"], "slow", low["headline"])
        racks = verdict("NVIDIA GB200", "all_reduce", 1440, 360, 16 * GIB, 406)
        self.assertEqual(racks["verdict"], "unknown")
        self.assertIn("more than 2 racks", racks["why_not"])
        racks = verdict("NVIDIA GB200", "all_reduce", 1440, 360, 16 * GIB, 406, "--gpu", "gb200")
        self.assertEqual(racks["verdict"], "unknown")
        for gpu, program, ranks, nodes, busbw in (("mi300x", "all_reduce", 2, 1, 47.7), ("mi300x", "sendrecv", 16, 2, 48)):
            found = self.doctor(nccl(program, ranks, [(4 * GIB, time_us(program, ranks, 4 * GIB, busbw))],
                                     above=[f"./{program}_perf"]), "-p", ranks, "--nodes", nodes, "--gpu", gpu)
            self.assertEqual(found["verdict"], "right", found["headline"])
        for device in ("NVIDIA H20", "NVIDIA H100 NVL", "NVIDIA L40S", "Tesla V100-SXM2-32GB", "NVIDIA GeForce RTX 4090"):
            found = verdict(device, "all_reduce", 8, 1, GIB, 100)
            self.assertEqual(found["verdict"], "unknown")
            self.assertIn(device, found["why_not"])
        sharp = verdict(H100, "all_reduce", 64, 8, 16 * GIB, 450)
        self.assertEqual(sharp["verdict"], "right")
        self.assertIn("SHARP", sharp["symptoms"][0]["text"])

    def test_figures_of_two_generations_of_the_model(self):
        # coreweave/nccl-tests, README.md: 72 GB200 with NCCL 2.26.2, whose model expects 1,050 GB/s, and that of 2.28 and
        # later 916 GB/s.
        sizes = {512 * MIB: 586, GIB: 681, 8 * GIB: 834.6}
        text = nccl("all_reduce", 72, [(size, time_us("all_reduce", 72, size, busbw)) for size, busbw in sizes.items()],
                    above=["NCCL version 2.26.2+cuda12.8"] + ranks_of("NVIDIA GB200", [f"tray{i}" for i in range(18)], 4))
        found = self.doctor(text)
        self.assertEqual((found["verdict"], found["expected_of"], found["also_expected_of"]),
                         ("right", "NCCL 2.26.2", "NCCL 2.29.7"))
        times = {version: harness.json_output("nccl", "allreduce", "-p", 72, "-n", "8GiB", "--gpu", "gb200", "--version",
                                              version, "--model-only", "--json", "-")["cells"][0]["choice"]["time_us"] / 1e6
                 for version in ("2.26.2", "2.29.7")}
        row = found["rows"][-1]
        self.assertEqual((row["model_s"], row["also_model_s"]), tuple(times.values()))
        self.assertEqual((row["expected_low_s"], row["expected_high_s"]), (min(times.values()), max(times.values())))

    def test_a_rate_that_was_reached_before_is_no_missing_card(self):
        rates = {256 * MIB: 350, 512 * MIB: 365, GIB: 372, 2 * GIB: 251, 4 * GIB: 250, 8 * GIB: 252}
        times = [(size, time_us("all_gather", 32, size, busbw)) for size, busbw in rates.items()]
        above = ["# Collective test starting: all_gather_perf", *ranks_of(H100, ["a", "b", "c", "d"], 8)]
        found = self.doctor(nccl("all_gather", 32, times, above=above))
        self.assertEqual([each["shape"] for each in found["symptoms"] if each["severity"] != "remark"], ["falls_at_the_end"])
        self.assertTrue(found["headline"].startswith("Low from 2 GiB on: "), found["headline"])

    def test_healthy_numbers_that_look_low(self):
        def sweep(program, ranks, nodes, rates, above=(), in_place=1.0):
            rows = []
            for size, busbw in rates.items():
                time = time_us(program, ranks, size, busbw)
                rows.append((size, time, time * in_place))
            per_host = ranks // nodes
            return nccl(program, ranks, rows, above=[f"# Collective test starting: {program}_perf", *above,
                                                     *ranks_of(H100, [f"n{i}" for i in range(nodes)], per_host)])
        # Rings on two nodes reach the rate of the cards, 400 GB/s; trees are not always faster.
        ring = {GIB: 385, 2 * GIB: 386, 4 * GIB: 387, 8 * GIB: 388}
        self.assertEqual(self.doctor(sweep("all_reduce", 16, 2, ring))["verdict"], "right")
        # In place saves a copy.
        found = self.doctor(sweep("all_gather", 8, 1, {MIB << i: 360 for i in range(6, 14)}, in_place=0.86))
        self.assertEqual(found["verdict"], "right", found["headline"])
        # One size of 8 bytes to 1 KiB that is slow once, in place, too: within what a start-up may take.
        small = {8 << i: (8 << i) * 7 / 4 / 14e3 for i in range(8)}
        small[32] /= 4
        found = self.doctor(sweep("all_reduce", 8, 1, small | {GIB: 466, 4 * GIB: 475, 8 * GIB: 480}))
        self.assertEqual(found["verdict"], "right", found["headline"])
        # "^" excludes a protocol.
        for value, verdict in (("^LL128", "right"), ("Ring", "unknown")):
            found = self.doctor(sweep("all_reduce", 16, 2, ring, above=[f"NCCL_PROTO={value} ./all_reduce_perf -b 1G"]))
            self.assertEqual(found["verdict"], verdict, found["headline"])

    def test_causes_are_possible_where_the_machine_is_assumed(self):
        text = one_size("all_reduce", 32, 8 * GIB, 96, H100, 4)
        for options, sure, words in (([], "possible", "fewer or slower cards than assumed (--nics and --nic-bw"),
                                     (["--nics", 8], "likely", "2 cards of the 8")):
            found = self.doctor(text, *options)
            self.assertEqual((found["verdict"], found["sureness"]), ("slow", sure))
            self.assertIn(words, found["headline"])
        found = self.doctor(one_size("all_reduce", 8, 16 * GIB, 130, "AMD Instinct MI250X", 1))
        self.assertIn("which no measurement has confirmed", found["headline"])
        self.assertEqual(found["sureness"], "possible")
        # A list with '^' names the cards that are not used.
        text = one_size("all_reduce", 32, 8 * GIB, 96, H100, 4, ["NCCL_IB_HCA=^mlx5_4,mlx5_5 ./all_reduce_perf -b 8G"])
        self.assertNotEqual(self.doctor(text, "--nics", 8)["sureness"], "sure")
        # Without NVLink between trays, each tray is a node.
        text = one_size("all_reduce", 8, 16 * GIB, 200, "NVIDIA GB300", 2, ["NCCL_MNNVL_ENABLE=0 ./all_reduce_perf -b 16G"])
        self.assertEqual(self.doctor(text)["machine"], "2 nodes of 4 gb300")

    def test_a_slow_host(self):
        # NVIDIA/nccl-tests issue 106: pairs of nodes, one of which an author of NCCL called slow.
        pairs = [("se02gn644", "se02gn699", 49.36), ("se02gn632", "se02gn641", 88.36), ("se02gn641", "se02gn644", 49.30),
                 ("se02gn404", "se02gn699", 86.81)]
        texts = [nccl("all_reduce", 16, [(8 * GIB, time_us("all_reduce", 16, 8 * GIB, busbw))], above=ranks_of(H100, [a, b], 8))
                 for a, b, busbw in pairs]
        together = self.report(texts, "--nic-bw", "100Gbps")["together"]
        self.assertEqual(together[0]["shape"], "slow_host")
        self.assertIn("'se02gn644'", together[0]["text"])
        texts[2] = texts[1]
        self.assertNotIn("slow_host", [each["shape"] for each in self.report(texts, "--nic-bw", "100Gbps")["together"]])

    def test_a_slow_number_of_nodes(self):
        # NVIDIA/nccl issue 1856: 40, 20 and 40 GB/s on 2, 3 and 4 nodes.
        def texts(rates):
            return [one_size("all_gather", 8 * nodes, GIB, busbw, H100, nodes, ["./all_gather_perf -b 1G"])
                    for nodes, busbw in zip((2, 3, 4), rates)]
        self.assertEqual(self.report(texts((40, 20, 40)))["together"][0]["shape"], "slow_between")
        self.assertNotIn("slow_between", [each["shape"] for each in self.report(texts((40, 30, 30)))["together"]])

    def test_both_directions_share_something(self):
        sizes = 23
        one = osu("Bandwidth Test v7.4", "Bandwidth (MB/s)", [min(2.0 * 2 ** i, 12000) for i in range(sizes)])

        def both(most):
            return osu("Bi-Directional Bandwidth Test v7.4", "Bandwidth (MB/s)", [min(2.0 * 2 ** i, most) for i in range(sizes)])
        self.assertEqual(self.report([one, both(12400)])["together"][0]["shape"], "half_duplex")
        self.assertEqual(self.report([one, both(23600)])["together"], [])
        found = self.doctor(both(12400), "--nic-bw", "100Gbps")
        self.assertEqual((found["verdict"], found["symptoms"][0]["shape"]), ("slow", "half_duplex"))

    def test_times_and_bandwidths_of_pairs(self):
        latency = osu("Latency Test v7.4", "Avg Latency(us)", [2.0 + 2 ** i / 12500 for i in range(23)])
        found = self.doctor(latency, "--platform", "crossbar:2,bw=100Gbps,lat=2us")
        self.assertEqual(found["verdict"], "right", found["headline"])
        for row in found["rows"]:
            self.assertAlmostEqual(row["measured_s"], (2.0 + row["bytes"] / 12500) / 1e6, places=7)
            self.assertLessEqual(row["limit_s"] or 0, row["simulated_s"] * (1 + 1e-9))
        self.assertEqual(self.doctor(latency, "--platform", "crossbar:2,bw=400Gbps,lat=2us")["verdict"], "slow")
        one_node = self.doctor(latency, "--platform", "crossbar:2,bw=100Gbps,lat=2us", "--nodes", "1")
        self.assertEqual(one_node["verdict"], "unknown")
        several = ("# OSU MPI Multiple Bandwidth / Message Rate Test v5.7.1\n# [ pairs: 8 ] [ window size: 64 ]\n"
                   "# Size                  MB/s        Messages/s\n"
                   + "".join(f"{2 ** i}  {min(16.0 * 2 ** i, 24000):.2f}  1000.00\n" for i in range(23)))
        found = self.doctor(several, "--nic-bw", "200Gbps")
        self.assertEqual((found["verdict"], found["ranks"]), ("right", 16))
        self.assertAlmostEqual(found["rows"][-1]["algbw_gb_per_s"], 24, places=6)
        self.assertAlmostEqual(found["rows"][-1]["busbw_gb_per_s"], 24, places=6)
        self.assertEqual(self.doctor(several, "--nic-bw", "400Gbps")["symptoms"][0]["shape"], "half_rate")
        for name, in_one_time in (("PingPong", 1), ("PingPing", 1), ("Sendrecv", 1), ("Exchange", 2)):
            printed = {"PingPong": 1, "PingPing": 1, "Sendrecv": 2, "Exchange": 4}[name]
            times = "t[usec]" if name.startswith("Ping") else "t_min[usec]  t_max[usec]  t_avg[usec]"
            rows = "".join(f"{2 ** i} 100 " + " ".join([f"{2 + in_one_time * 2 ** i / 12500:.2f}"] * len(times.split()))
                           + f" {printed * 2 ** i / (2 + in_one_time * 2 ** i / 12500):.2f}\n" for i in range(23))
            found = self.doctor(f"# Benchmarking {name}\n# #processes = 2\n#bytes #repetitions {times} Mbytes/sec\n{rows}",
                                "--nic-bw", "100Gbps")
            last = found["rows"][-1]
            self.assertEqual(found["verdict"], "right", (name, found["headline"]))
            self.assertAlmostEqual(last["busbw_gb_per_s"], 12.4, delta=0.2)
            self.assertAlmostEqual(last["algbw_gb_per_s"] / last["busbw_gb_per_s"], printed / in_one_time, places=6)

    def test_pairs_without_a_known_link(self):
        # Usual on one node: a step at 16 KiB, and buffers that leave the caches.
        def rates(last):
            return [min(4.0 * 2 ** i, 9000) for i in range(14)] + [6000, 9000, 12000, 15000, 15000, 14000, last, last, last]
        found = self.doctor(osu("Bandwidth Test v7.4", "Bandwidth (MB/s)", rates(8000)))
        self.assertEqual(found["verdict"], "unknown", found["headline"])
        shapes = [each["shape"] for each in found["symptoms"]]
        self.assertTrue({"falls_at_the_end", "rendezvous_step", "usual_rate"} <= set(shapes), shapes)
        found = self.doctor(osu("Bandwidth Test v7.4", "Bandwidth (MB/s)", rates(4000)))
        self.assertEqual((found["verdict"], found["symptoms"][0]["shape"]), ("slow", "falls_at_the_end"))
        # A size in the middle is 20 times too slow.
        latency = [2.0 + 2 ** i / 12500 for i in range(23)]
        latency[10] *= 20
        found = self.doctor(osu("Latency Test v7.4", "Latency (us)", latency))
        self.assertEqual((found["verdict"], found["symptoms"][0]["shape"]), ("slow", "dip"))
        latency[10] /= 8
        self.assertEqual(self.doctor(osu("Latency Test v7.4", "Latency (us)", latency))["verdict"], "unknown")
        allreduce = osu("Allreduce Latency Test v7.4", "Avg Latency(us)", [5.0 + 2 ** i / 5000 for i in range(2, 24)])
        found = self.doctor(allreduce, "-p", "16")
        self.assertEqual(found["verdict"], "unknown")
        self.assertIn("crossbar:16", found["why_not"])

    def test_cards_in_logs(self):
        def found(busbw, *above):
            return self.doctor(one_size("all_reduce", 16, 8 * GIB, busbw, H100, 2, above))["symptoms"]

        def sure(busbw, *above):
            return [each["shape"] for each in found(busbw, *above) if each["sureness"] == "sure"]
        info = "node0:1000:1100 [0] NCCL INFO "
        for value in ("^mlx5_4,mlx5_5", "^=mlx5_4,mlx5_5", "mlx5_bond_0,mlx5_bond_1", "mlx5_0+mlx5_1,mlx5_2+mlx5_3"):
            self.assertNotIn("cards_missing", sure(98, f"mpirun -x NCCL_IB_HCA={value} all_reduce_perf"), value)
            self.assertNotIn("cards_missing", sure(98, f"{info}NCCL_IB_HCA set to {value}"), value)
        for line in ("mpirun -x NCCL_IB_HCA==mlx5_0,mlx5_3 all_reduce_perf", 'export NCCL_IB_HCA="mlx5_0,mlx5_3"',
                     f"{info}NCCL_IB_HCA set to mlx5_0,mlx5_3"):
            self.assertIn("cards_missing", sure(98, line), line)
        using = f"{info}NET/IB : Using [0]mlx5_%s:1/RoCE [1]mlx5_%s:1/RoCE [RO]; OOB eth0"
        self.assertIn("cards_missing", sure(98, using % (0, 1)))
        self.assertNotIn("cards_missing", sure(98, using % ("bond_0", "bond_1")))
        self.assertNotIn("cards_missing", sure(98, f"{info}NET/IB : Made virtual device [0] name=mlx5_0+mlx5_1 "
                                                   "speed=400000 ndevs=2", using % (0, 1)))

    def test_gpudirect_in_logs(self):
        info = "node0:1000:1100 [0] NCCL INFO "
        channel = f"{info}Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0"
        disabled = f"{info}NET/IB : GPU Direct RDMA Disabled for HCA 8 'mlx5_8'"
        for lines, wanted in (([channel], "possible"), ([channel + "/GDRDMA"], "possible"), ([disabled, channel], "sure"),
                              ([disabled, channel + "/GDRDMA"], "possible")):
            symptoms = self.doctor(one_size("all_reduce", 16, 8 * GIB, 150, H100, 2, lines))["symptoms"]
            sureness = {each["shape"]: each["sureness"] for each in symptoms}
            self.assertIn(sureness.get("gpudirect_off", "possible"), wanted, lines)

    def test_quoted_variables(self):
        def choices(*above):
            return [row["choice"] for row in self.doctor(one_size("all_reduce", 8, 8 * GIB, 360, H100, 1, above))["rows"]]
        ring = choices("export NCCL_ALGO=Ring")
        self.assertNotEqual(ring, choices())
        self.assertEqual(choices('export NCCL_ALGO="Ring"'), ring)
        self.assertEqual(choices("export NCCL_ALGO='Ring'"), ring)

    def test_groups_of_ranks(self):
        # NCCL_TESTS_SPLIT='MOD 8': 8 groups of 2 ranks, each of which has a GPU of both nodes.
        ranks = [line.replace("Group  0", f"Group {i % 8:2}") for i, line in enumerate(ranks_of(H100, hosts(2), 8))]
        found = self.doctor(nccl("all_reduce", 2, [(GIB, time_us("all_reduce", 2, GIB, 47))], above=ranks))
        self.assertEqual((found["ranks"], found["nodes"]), (2, 2))
        self.assertNotEqual(found["verdict"], "invalid")

    def test_several_types(self):
        head, *rows = nccl("all_reduce", 8, [(GIB, time_us("all_reduce", 8, GIB, 470))],
                           above=ranks_of(H100, hosts(1), 8)).partition("(us)  (GB/s)  (GB/s)       \n")
        row = rows[-1].splitlines()[0]
        text = head + rows[0] + "\n".join([row, row.replace("float", " int8"), row.replace("  sum", " prod")]) + "\n"
        found = self.report([text])
        self.assertEqual([len(each["rows"]) for each in found["outputs"]], [1, 1, 1])
        self.assertEqual(found["together"], [])

    def test_options_that_contradict_the_file(self):
        text = one_size("all_reduce", 8, GIB, 470, H100, 1, ["# Collective test starting: all_reduce_perf"])
        self.assertIn("--ranks '16'", self.refused(text, "-p", 16))
        self.assertIn("--collective 'bcast'", self.refused(text, "--collective", "bcast"))
        self.assertEqual(self.doctor(text, "-p", 8, "--collective", "allreduce")["verdict"], "right")
        latency = "# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n4 1.0\n"
        self.assertIn("--collective 'bcast'", self.refused(latency, "-p", 16, "--collective", "bcast"))

    def test_two_tables_of_one_file(self):
        text = one_size("all_reduce", 8, GIB, 470, H100, 1, ["# Collective test starting: all_reduce_perf"])
        slower = one_size("all_reduce", 8, GIB, 300, H100, 1, ["# Collective test starting: all_reduce_perf"])
        found = self.report([text + slower])
        lines = [each["rows"][0]["line"] for each in found["outputs"]]
        for line in lines:
            self.assertIn(f"'output0.txt', line {line}", found["together"][0]["text"])
        self.assertNotIn("line", self.report([text, slower])["together"][0]["text"])

    def test_outputs_that_are_none(self):
        table = one_size("all_reduce", 8, GIB, 400, H100, 1, ["./all_reduce_perf"])
        latency = osu("Latency Test v7.4", "Latency (us)", [1.0, 1.1, 1.2])
        for text in ("", "\0\1\2\3" * 100, "hello\nworld\n", "1 2 3\n4 5 6\n", table.replace("(us)", "(ms)"),
                     table[:table.index(" 1073741824")], latency.replace("Latency (us)", "Latency (ms)"),
                     latency.replace("1.10", "1,10"), latency.replace("1.10", "0.00"), latency.replace("1.10", "nan"),
                     "# OSU MPI Init Test v7.4\nnprocs: 2, min: 10 ms\n",
                     *(f"# OSU MPI Bandwidth Test v7.4\n# Size  Bandwidth (MB/s)\n1 {rate}\n"
                       for rate in ("0.00", "1e308", "1e-300", "-5", "inf"))):
            self.refused(text)
        self.assertIn("more nodes than the 8 ranks", self.refused(table, "--nodes", "9"))
        self.assertEqual(harness.run("doctor", "/dev/null").returncode, 2)
        self.assertEqual(harness.run("doctor", self.folder.name + "/none.txt").returncode, 2)
        for text in (osu("Latency Test v7.4", "Latency (us)", [1.0]),
                     "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n4 3\n2 2\n1 1\n"):
            self.assertEqual(self.doctor(text)["verdict"], "unknown")


if __name__ == "__main__":
    harness.main()
