"""Tests that machine-readable results match their schemas, and that their values are right."""

import csv
import io
import json
import math
import pathlib
import tempfile
import unittest

import harness


def simulate(algorithm, *arguments):
    result = harness.json_output("simulate", algorithm, *arguments, "--json", "-")
    harness.validate(result, "tutti-result-1")
    return result


def algorithms():
    return [a["name"] for a in harness.host_algorithms()]


def size(algorithm, size_bytes):
    """Returns the arguments that give the size; a barrier needs none."""
    return [] if algorithm.startswith("barrier/") else ["-n", size_bytes]


class Result(unittest.TestCase):
    def test_every_algorithm_runs_on_a_crossbar(self):
        for algorithm in harness.every(8, algorithms()):
            with self.subTest(algorithm=algorithm):
                result = simulate(algorithm, "-p", 8, *size(algorithm, 8192))
                self.assertTrue(math.isclose(result["simulated_s"], result["longest_path_s"],
                                             rel_tol=1e-9))
                chain = result["critical_chain"]
                parts = sum(v for k, v in chain.items() if k != "ops")
                self.assertTrue(math.isclose(parts, result["simulated_s"], rel_tol=1e-6,
                                             abs_tol=1e-15), chain)

    def test_results_name_the_run_with_its_options(self):
        """The heading names only options whose value is not the default; the JSON names all options."""
        for algorithm, given, named in [
                ("bcast/pipeline", {"--segment": "8192", "--tree": "binary", "--cuts": "open_mpi",
                                    "--root": "3"}, True),
                ("bcast/pipeline", {"--tree": "chain", "--cuts": "even", "--root": "0"}, False),
                ("allreduce/nonoverlapping", {"--parts": "pipeline:binary:8192+linear"}, True),
                ("allreduce/recursive_doubling", {"--fold": "far"}, True),
                ("allreduce/circulant", {"--skips": "sqrt"}, True)]:
            with self.subTest(algorithm=algorithm, given=given):
                words = [word for pair in given.items() for word in pair]
                heading = harness.output("simulate", algorithm, "-p", 6, "-n", "64K",
                                         *words).split("\n\n")[0]
                self.assertEqual(" ".join(heading.split()), " ".join([algorithm, *(words if named else [])])
                                 + " on 6 ranks, 64 KiB (8,192 elements of 8 bytes)")
                result = simulate(algorithm, "-p", 6, "-n", "64K", *words)
                for name, value in given.items():
                    key = "segment_bytes" if name == "--segment" else name[2:]
                    self.assertEqual(str(result[key]), value)
        heading = harness.output("simulate", "alltoall/linear", "-p", 4, "-n", "64K").split("\n\n")[0]
        self.assertIn("64 KiB (8,192 elements of 8 bytes; 16 KiB for each rank)", " ".join(heading.split()))
        blocks = harness.output("simulate", "reduce_scatter/ring", "-p", 3, "--block-bytes",
                                "16,8,128").splitlines()[0]
        self.assertIn("on 3 ranks, 152 bytes in blocks of 8 bytes to 128 bytes (19 ele", blocks)

    def test_order_kept_by_chance_does_not_break_a_claim(self):
        # These problems are so small that operands are in rank order by chance.
        for arguments in (["allreduce/double_tree", "-p", 5, "-n", 8],
                          ["allreduce/circulant", "-p", 2, "-n", 8],
                          ["reduce_scatter/pat", "-p", 3, "--block-bytes", "0,40,8"],
                          ["reduce_scatter_block/multilane", "-p", 6, "-n", 1, "--elem-bytes", 1,
                           "--groups", 3, "--within", "circulant", "--across", "bine"]):
            with self.subTest(arguments=arguments):
                harness.output("verify", *arguments)

    def test_proofs_take_the_sizes_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            sizes = pathlib.Path(folder) / "sizes.csv"
            sizes.write_text("0,8\n16,0\n")
            harness.output("verify", "alltoallv/linear", "-p", 2, "--sizes", sizes)

    def test_parts_that_mpich_cuts_inside_elements_are_refused(self):
        for command, algorithm, ranks, size, parts in (
                ("verify", "allreduce/nonoverlapping", 4, 40, "linear+scatter_allgather"),
                ("simulate", "allgather/gather_bcast", 5, 8, "linear+scatter_doubling"),
                ("show", "allgatherv/gather_bcast", 4, 40, "linear+scatter_allgather")):
            arguments = [command, algorithm, "-p", ranks, "--cuts", "mpich", "--parts", parts]
            with self.subTest(arguments=arguments):
                done = harness.run(*arguments, "-n", size)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"a multiple of {ranks * 8} bytes", done.stderr)
                harness.output(*arguments, "-n", ranks * 8)

    def test_proofs_are_named_with_their_options(self):
        verdicts = harness.json_output("verify", "bcast/pipeline", "-p", "3", "--tree", "binary",
                                       "--json", "-")
        harness.validate(verdicts, "tutti-verify-1")
        self.assertEqual(verdicts[0]["options"], "--tree binary")

    def test_a_table_has_columns_for_options_that_only_some_algorithms_take(self):
        rows = list(csv.DictReader(io.StringIO(harness.output(
            "compare", "bcast", "-p", 6, "-n", "64K", "--tree", "binary", "--cuts", "open_mpi",
            "--csv", "-"))))
        cuts = {row["algorithm"]: row["cuts"] for row in rows}
        self.assertEqual((cuts["linear"], cuts["pipeline"]), ("", "open_mpi"))
        report = harness.output("compare", "bcast", "-p", 6, "-n", "64K", "--tree", "binary",
                                "--cuts", "open_mpi", "--root", 2)
        self.assertEqual(report.splitlines()[0],
                         "bcast --tree binary --cuts open_mpi --root 2 on 6 ranks, 64 KiB")

    def test_the_misprinted_cost_of_the_ring_is_half_the_right_one(self):
        result = simulate("allreduce/ring", "-p", 8, "-n", "1MiB", "--gamma", 0,
                          "--misprints")
        right, wrong = result["published"]
        self.assertTrue(wrong["misprint"])
        self.assertFalse(right["misprint"])
        self.assertTrue(math.isclose(2 * wrong["seconds"], result["simulated_s"], rel_tol=1e-9))
        self.assertTrue(math.isclose(right["seconds"], result["simulated_s"], rel_tol=1e-9))
        self.assertEqual(result["published_s"], right["seconds"])
        self.assertLess(abs(result["relative_error"]), 1e-9)

    def test_price_options_change_predictions_and_engine_alike(self):
        prices = ["--alpha", "5us", "--beta", "1Gbps", "--gamma", "3ns"]
        for engine in ["simgrid", "critical-path"]:
            result = simulate("allreduce/ring", "-p", 4, "-n", "64K", *prices, "--engine", engine)
            self.assertEqual(result["engine"], engine)
            self.assertEqual(result["overrides"], ["alpha", "beta", "gamma"])
            expected = 6 * 5e-6 + 1.5 * 65536 * 8e-9 + 0.75 * 65536 * 3e-9
            self.assertTrue(math.isclose(result["simulated_s"], expected, rel_tol=1e-9))
            self.assertTrue(math.isclose(result["exact_s"], expected, rel_tol=1e-9))

    def test_options_of_single_algorithms_take_effect(self):
        blocks = simulate("reduce_scatter/circulant", "-p", 3, "--block-bytes", "80,0,16")
        self.assertEqual(blocks["bytes"], 96)
        chain = simulate("bcast/pipeline", "-p", 4, "-n", "8K", "--segment", "1K")
        tree = simulate("bcast/pipeline", "-p", 4, "-n", "8K", "--segment", "1K", "--tree", "binary")
        self.assertNotEqual(chain["simulated_s"], tree["simulated_s"])
        self.assertEqual((chain["tree"], tree["tree"], chain["segment_bytes"]),
                         ("chain", "binary", 1024))
        nodes = simulate("bcast/smp_linear", "-p", 8, "-n", "8K", "--ranks-per-host", 4)
        self.assertEqual((nodes["hosts_used"], nodes["cores_per_node"]), (2, 4))
        # The cores of a node may be separate hosts.
        cores = simulate("bcast/smp_linear", "-p", 8, "-n", "8K", "--cores-per-node", 4)
        self.assertEqual((cores["hosts_used"], cores["cores_per_node"]), (8, 4))
        skips = simulate("allgather/circulant", "-p", 9, "-n", 720, "--skips", "sqrt")
        self.assertEqual((skips["skips"], skips["root"], skips["segment_bytes"]),
                         ("sqrt", None, None))

    def test_block_skew_equals_the_given_block_sizes(self):
        skewed = simulate("reduce_scatter/circulant", "-p", 3, "-n", 56, "--block-skew", 1)
        given = simulate("reduce_scatter/circulant", "-p", 3, "--block-bytes", "32,16,8")
        self.assertEqual(skewed["simulated_s"], given["simulated_s"])
        self.assertEqual((skewed["smallest_block_bytes"], skewed["largest_block_bytes"]), (8, 32))
        even = simulate("reduce_scatter/circulant", "-p", 3, "-n", 72, "--block-skew", 0)
        self.assertIsNotNone(even["exact_s"])
        shown = harness.json_output("show", "reduce_scatter/ring", "-p", 4, "-n", 808,
                                    "--block-skew", 3, "--format", "json")
        self.assertEqual(shown["block_bytes"], [608, 152, 40, 8])

    def test_the_best_segment_is_found(self):
        for arguments in [["bcast/pipeline"], ["reduce/pipeline"],
                          ["bcast/pipeline", "--tree", "binary"], ["bcast/split_binary_tree"],
                          ["bcast/smp_linear", "--cores-per-node", 3],
                          ["allreduce/segmented_ring"]]:
            with self.subTest(arguments):
                here = [*arguments, "-p", 12, "-n", "960K"]  # blocks are equal
                best = simulate(*here, "--segment", "auto")
                found = best["best_segment"]
                self.assertEqual(best["segment_bytes"], found["bytes"])
                self.assertTrue(math.isclose(best["simulated_s"], found["predicted_s"],
                                             rel_tol=1e-9))
                default = simulate(*here)
                self.assertIsNone(default["best_segment"])
                self.assertLessEqual(best["simulated_s"], default["simulated_s"] * (1 + 1e-9))
                again = simulate(*here, "--segment", found["bytes"])
                self.assertEqual(again["simulated_s"], best["simulated_s"])
        text = harness.output("simulate", "bcast/pipeline", "-p", 4, "-n", "1M", "--segment", "auto")
        self.assertRegex(text, r"segments +[0-9,]+ bytes, the best of [0-9,]+ sizes by the closed")

    def test_copies_can_have_a_price(self):
        # By Corollary 1 of the algorithm's paper, the copy of the m bytes at the start costs gamma m.
        here = ["reduce_scatter/circulant", "-p", 6, "-n", 4800]
        free = simulate(*here)
        for engine in ["simgrid", "critical-path"]:
            priced = simulate(*here, "--copy-cost", "gamma", "--engine", engine)
            self.assertEqual(priced["copy_s_per_byte"], priced["gamma_s_per_byte"])
            more = 4800 * priced["gamma_s_per_byte"]
            self.assertTrue(math.isclose(priced["simulated_s"], free["simulated_s"] + more,
                                         rel_tol=1e-9))
            self.assertTrue(math.isclose(priced["exact_s"], priced["simulated_s"], rel_tol=1e-9))
        mine = simulate(*here, "--copy-cost", "gamma", "--gamma", "2ns")
        self.assertEqual(mine["copy_s_per_byte"], 2e-9)

    def test_the_number_of_ports_changes_the_time(self):
        one = simulate("allreduce/basic_linear", "-p", 6, "-n", "64K")
        many = simulate("allreduce/basic_linear", "-p", 6, "-n", "64K", "--ports", "unlimited")
        self.assertEqual(one["ports"], 1)
        self.assertEqual(many["ports"], "unlimited")

    def test_results_are_repeatable(self):
        arguments = ["simulate", "allreduce/recursive_doubling", "-p", 13, "-n", 1000]
        def masked():
            result = simulate(*arguments[1:])
            del result["wall_s"], result["peak_rss_bytes"]
            return result
        self.assertEqual(masked(), masked())

    def test_csv_has_the_names_of_json(self):
        text = harness.output("simulate", "allreduce/ring", "-p", 4, "-n", "1K", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(len(rows), 1)
        result = simulate("allreduce/ring", "-p", 4, "-n", "1K")
        for part in ("least_s", "median_s", "most_s"):
            result[f"ties_{part}"] = result["ties"][part] if result["ties"] else None
        result |= {"least_s": None, "most_s": None}  # of several runs
        for name, value in rows[0].items():
            if name.startswith("wall_") or name == "peak_rss_bytes":
                continue
            self.assertEqual(value, "" if result[name] is None else str(result[name]))


class Lists(unittest.TestCase):
    def test_list_of_all_algorithms(self):
        listed = harness.json_output("list", "--json", "-")
        harness.validate(listed, "tutti-list-1")
        self.assertIn("allreduce/ring", algorithms())
        self.assertEqual(harness.output("list", "barrier").count("\n") > 0, True)

    def test_list_of_one_algorithm(self):
        text = harness.output("list", "allgather/knomial")
        self.assertIn("--radix [4]", text)
        self.assertIn("meant for", text)
        self.assertIn("below 4 KiB (UCC's default scores)", " ".join(text.split()))
        [one] = harness.json_output("list", "allgather/knomial", "--json", "-")["algorithms"]
        self.assertEqual(one["defaults"], {"--radix": "4"})
        self.assertEqual(one["recommended"], [{"when": "below 4 KiB",
                                               "source": "UCC's default scores"}])
        # The text on an algorithm without a recommendation has no line "meant for".
        self.assertNotIn("meant for", harness.output("list", "allgather/linear"))
        wrong = harness.run("list", "allgather/knomail")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean", wrong.stderr)

    def test_list_of_libraries(self):
        """The list of algorithms and the lists of libraries must agree. Every algorithm of tutti that a
        library's list names must exist."""
        by_algorithm = {}
        for algorithm in harness.json_output("list", "--json", "-")["algorithms"]:
            by_algorithm[algorithm["name"]] = {(use["library"], use["name"])
                                               for use in algorithm["libraries"]}
        seen = set()
        for library, least in [("Open MPI 4.1", 64), ("Open MPI 5.0.6", 66), ("Open MPI main", 69),
                               ("MPICH 4.0", 40), ("mpich 4.3", 50), ("NCCL 2.23", 8),
                               ("UCC 1.4", 25), ("Open MPI libnbc", 17), ("Open MPI HAN", 13),
                               ("UCC cl/hier", 5)]:
            listed = harness.json_output("list", "--library", library, "--json", "-")
            harness.validate(listed, "tutti-library-1")
            self.assertGreaterEqual(len(listed["algorithms"]), least, library)
            for row in listed["algorithms"]:
                if row["tutti"]:
                    seen.add(row["tutti"])
                    self.assertIn((row["library"], row["name"]), by_algorithm[row["tutti"]])
        self.assertEqual(seen, {name for name, uses in by_algorithm.items() if uses})
        text = harness.output("list", "bcast", "--library", "Open MPI 5.0")
        self.assertIn("9 of 9 have a counterpart", text)

    def test_sizes_of_pairs_are_read(self):
        """The rule given to --sizes determines how many bytes each rank sends. -n is the largest number of
        bytes of a rank, including the block that the rank keeps."""
        for words, pairs in [("sparse:2", 16), ("sparse:7:3", 56), ("capped:1", 56)]:
            shown = harness.json_output("show", "alltoallv/linear", "-p", 8, "-n", 64008, "--sizes",
                                        words, "--format", "json")
            sent = [0] * 8
            received = [0] * 8
            for op in shown["ops"]:
                sent[op["src"]] += op["bytes"]
                received[op["dst"]] += op["bytes"]
            self.assertEqual(sum(op["bytes"] > 0 for op in shown["ops"]), pairs, words)
            most = max(sent + received)
            if words.startswith("sparse"):
                self.assertEqual(set(sent + received), {64008})
            else:  # a rank does not send the block that it keeps
                self.assertLess(most, 64008)
                self.assertGreater(max(received), 3 * min(received))
        again = [harness.output("show", "alltoallv/linear", "-p", 8, "-n", 64008, "--sizes", words)
                 for words in ("sparse:2", "sparse:2:1", "sparse:2:2")]
        self.assertEqual(again[0], again[1])
        self.assertNotEqual(again[0], again[2])
        # If --sizes is a file, compare needs no -n. If it is a rule such as sparse:2, decide works too.
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("0,64,8\n8,0,24\n8,8,8\n")
            file.flush()
            compared = harness.compared("alltoallv", "-p", 3, "--sizes", file.name)
            self.assertEqual({row["bytes"] for row in compared}, {72})
        decided = harness.json_output("decide", "alltoallv", "-p", "4,8", "-n", "1K,64K", "--sizes",
                                      "sparse:2", "--json", "-")
        self.assertEqual({cell["ranks"] for cell in decided["cells"]}, {4, 8})

    def test_skewed_sizes_keep_what_each_rank_sends(self):
        # With skew 1 on 3 ranks, the shares of the receivers are 4, 2 and 1 of 7.
        size = 7 * 8 * 100
        for ranks, skew, largest in ((3, 1, 3 * 4 / 7), (4, 3, 4 * 64 / 85), (5, 0, 1)):
            run = ("alltoallv/pairwise", "-p", ranks, "-n", size)
            even = harness.json_output("simulate", *run, "--json", "-")
            skewed = harness.json_output("simulate", *run, "--sizes", f"skewed:{skew}", "--json", "-")
            # Over all senders, what stays is n: the share of each receiver once.
            self.assertEqual(skewed["bytes_sent"], (ranks - 1) * size)
            self.assertEqual(even["bytes_sent"], (ranks - 1) * size)
            self.assertAlmostEqual(skewed["bytes"], largest * size, delta=8 * ranks)
            self.assertGreaterEqual(skewed["simulated_s"], even["simulated_s"])
            capped = harness.json_output("simulate", *run, "--sizes", f"capped:{skew}", "--json", "-")
            self.assertEqual(capped["bytes"], size)
            self.assertAlmostEqual(capped["bytes_sent"], (ranks - 1) * size / largest, delta=8 * ranks * ranks)
        text = " ".join(harness.output("simulate", *run[:2], 3, "-n", size, "--sizes", "skewed:1").split())
        self.assertIn("a rank sends at most 5.469 KiB and receives at most 9.375 KiB", text)
        here = ("alltoallv", "-p", 3, "-n", f"{size},{4 * size}", "--sizes", "skewed:1")
        compared = harness.json_output("compare", *here, "--json", "-")
        self.assertEqual({cell["bytes"] for cell in compared["cells"]}, {cell["bytes"] for cell in compared["best"]})
        self.assertEqual(len(harness.json_output("decide", *here, "--json", "-")["cells"]), 2)

    def test_algorithms_without_individual_block_sizes_are_left_out(self):
        """One algorithm that splits the vector evenly does not keep a command from using the others."""
        for options, flag in ((("--block-bytes", "8,16,24,8"), "--block-bytes"),
                              (("-n", 4096, "--block-skew", 0.5), "--block-skew")):
            run = ("reduce_scatter", "-p", 4, *options)
            rows = harness.json_output("verify", *run, "--json", "-")
            harness.validate(rows, "tutti-verify-1")
            refused = {row["algorithm"]: row["refused"] for row in rows if "refused" in row}
            self.assertEqual(refused["multilane"], f"multilane splits the vector evenly, so {flag} does not apply")
            self.assertGreater(sum(row["proved"] for row in rows if "refused" not in row), 15)
            self.assertIn(refused["multilane"], " ".join(harness.output("verify", *run).split()))
            self.assertIn(refused["multilane"], " ".join(harness.output("compare", *run).split()))
        rows = harness.json_output("verify", "all", "-p", 4, "--block-bytes", "8,16,24,8", "--json", "-")
        with_blocks = {row["collective"] for row in rows if "refused" not in row}
        self.assertEqual(with_blocks, {"allgatherv", "gatherv", "scatterv", "reduce_scatter"})
        rows = harness.json_output("verify", "all", "-p", 4, "--sizes", "skewed:1", "--json", "-")
        self.assertEqual({row["collective"] for row in rows if "refused" not in row}, {"alltoallv"})
        for what in ("allreduce", "reduce_scatter/multilane"):
            done = harness.run("verify", what, "-p", 4, "--block-bytes", "8,16,24,8")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("takes --block-bytes" if what == "allreduce" else "takes no --block-bytes", done.stderr)

    def test_sizes_of_blocks_are_those_of_the_schedule(self):
        """Checks the sizes in JSON and in the text for all algorithms against the schedule, with default
        options, small segments, and more channels."""
        checked = 0
        for algorithm in harness.json_output("list", "--json", "-")["algorithms"]:
            takes = {option.split()[0] for option in algorithm["options"]}
            variants = [()]
            variants += [("--segment", "1K")] if "--segment" in takes else []
            variants += [("--channels", 2)] if "--channels" in takes else []
            size = () if algorithm["collective"] == "barrier" else ("-n", "64K")
            for options in variants:
                run = (algorithm["name"], "-p", 8, *size, *options)
                shown = harness.run("show", *run, "--format", "json")
                if shown.returncode != 0:
                    continue
                blocks = json.loads(shown.stdout)["block_bytes"]
                done = harness.run("simulate", *run, "--json", "-")
                if done.returncode != 0:  # such as an algorithm for switches
                    continue
                result = json.loads(done.stdout)
                with self.subTest(" ".join(map(str, run))):
                    checked += 1
                    self.assertEqual((result["blocks"], result["smallest_block_bytes"],
                                      result["largest_block_bytes"]), (len(blocks), min(blocks), max(blocks)))
                    if "--segment" in takes:
                        self.assertEqual(result["segment_bytes"], max(blocks))
        self.assertGreater(checked, 150)
        text = " ".join(harness.output("simulate", "allgather/circulant_blocks", "-p", 8, "-n", "64K", "--segment",
                                       "1K").split())
        self.assertIn("segments at most 1,024 bytes, 64 of them schedule", text)
        text = " ".join(harness.output("simulate", "reduce_scatter/circulant_blocks", "-p", 3, "--block-bytes",
                                       "1048576,8,8").split())
        self.assertIn("segments at most 52,432 bytes, 60 of them, the algorithm's default", text)
        text = " ".join(harness.output("list", "reduce_scatter/circulant_blocks").split())
        self.assertIn("S = 1 for equal blocks, otherwise sqrt(n (q-1) / 2500)", text)

    def test_unequal_blocks_of_pairs_are_proved_without_a_closed_form(self):
        """There is no closed form for unequal blocks of pairs."""
        for ranks, size in [(6, 640), (5, 1000), (4, 4096)]:
            self.assertEqual(harness.run("verify", "alltoallv", "-p", ranks, "-n", size).returncode, 0)

    def test_a_radix_of_1_is_refused(self):
        """An algorithm that uses the digits of ranks must refuse radix 1; a tree of radix 1 is a chain.
        Neither may hang."""
        for algorithm in harness.every(4, algorithms()[::5]):
            if "--radix" in harness.json_output("list", algorithm, "--json", "-")["algorithms"][0]["options"]:
                with self.subTest(algorithm=algorithm):
                    done = harness.run("verify", algorithm, "-p", 5, "--radix", 1)
                    self.assertIn(done.returncode, (0, 2), done.stderr)
                    if "--radix 1: must be at least 2" not in done.stderr:
                        self.assertEqual(done.stderr, "")

    def test_list_of_schedules(self):
        for algorithm in harness.every(6, algorithms()[::4]):
            with self.subTest(algorithm=algorithm):
                here = ["show", algorithm, "-p", 8, *size(algorithm, 640)]
                schedule = harness.json_output(*here, "--format", "json")
                harness.validate(schedule, "tutti-schedule-1")
                for i, op in enumerate(schedule["ops"]):
                    self.assertEqual(op["id"], i)
                    self.assertTrue(all(d["op"] < i for d in op["after"]))
                    self.assertEqual(op["src"] == op["dst"], op["kind"] != "comm")
                labels = [op["label"] for op in schedule["ops"]]
                self.assertEqual(len(labels), len(set(labels)))
                notation = harness.output(*here)
                self.assertEqual(notation.count(" = "), len(labels))
                dot = harness.output(*here, "--format", "dot")
                self.assertEqual(dot.count(" -> n"), sum(len(o["after"]) for o in schedule["ops"]))

    def test_help_and_version_are_printed(self):
        for command in [[], ["list"], ["show"], ["simulate"]]:
            text = harness.output(*command, "--help")
            self.assertIn("Usage", text)
        self.assertRegex(harness.output("--version"), r"^tutti \d+\.\d+\.\d+\+[0-9a-f]{12}\n$")

    def test_ports_decide_where_a_radix_sends_several_messages(self):
        knomial = ("bcast/pipeline", "--tree", "knomial", "-p", 16, "-n", 8, "--platform", "crossbar:16")
        text = " ".join(harness.output("simulate", *knomial, "--radix", 4).split())
        with_ports = harness.json_output("simulate", *knomial, "--radix", 4, "--ports", "unlimited", "--json", "-")
        seconds = with_ports["simulated_s"]
        self.assertIn(f"a radix of 4 at the same time, the run takes {1e6 * seconds:.6g} us", text)
        for more in (("--radix", 2), ("--radix", 4, "--ports", 1), ("--radix", 4, "--ports", "unlimited")):
            self.assertNotIn("with unlimited ports", harness.output("simulate", *knomial, *more))


if __name__ == "__main__":
    harness.main()
