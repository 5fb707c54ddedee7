"""Tests tutti bound: known bounds, its JSON document, and refused input."""

import json
import pathlib
import tempfile
import unittest

import harness

TORUS = "platforms/torus_64.xml"
THIN = "platforms/infiniband_hdr_128_thin.xml"


def bounds(*arguments):
    document = json.loads(harness.output("bound", *arguments, "--json", "-", cwd=harness.SOURCE_DIR))
    harness.validate(document, "tutti-bound-1")
    return document["bounds"]


class Bound(unittest.TestCase):
    def refused(self, text, *arguments):
        done = harness.run("bound", *arguments, cwd=harness.SOURCE_DIR)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_bounds_of_a_crossbar_are_known(self):
        # One link of 1 GB/s per host and direction; a message starts after 1 us.
        crossbar = ("-p", 8, "-n", 8000, "--alpha", "1us", "--beta", "1ns", "--gamma", "0.1ns")
        known = {"allreduce": 15.75, "bcast": 11, "reduce": 11, "allgather": 10, "reduce_scatter": 10,
                 "alltoall": 14, "gather": 10, "scatter": 10, "scan": 11, "exscan": 11, "barrier": 3}
        found = {each["collective"]: each for each in bounds("all", *crossbar)}
        for collective, us in known.items():
            with self.subTest(collective):
                self.assertAlmostEqual(found[collective]["bound_s"], us * 1e-6, delta=1e-14)
        self.assertEqual(found["barrier"]["decided_by"], "rounds")
        reductions = {part["kind"]: part for part in found["reduce"]["parts"]}["reductions"]
        self.assertAlmostEqual(reductions["bound_s"], 1.7e-6, delta=1e-14)

    def test_no_algorithm_is_faster(self):
        for collective in ("allreduce", "alltoall", "bcast"):
            bound = bounds(collective, "-p", 32, "-n", "64K", "--platform", TORUS)[0]["bound_s"]
            runs = harness.compared(collective, "-p", 32, "-n", "64K", "--platform", TORUS,
                                    cwd=harness.SOURCE_DIR)
            times = [run["simulated_s"] for run in runs if run["simulated_s"] is not None]
            self.assertGreater(len(times), 3)
            self.assertGreaterEqual(min(times), bound * (1 - 1e-9))

    def test_results_are_compared_with_the_bound(self):
        sizes = ("-p", 16, "-n", "1K,64K", "--platform", TORUS)
        bound_s = {each["bytes"]: each["bound_s"] for each in bounds("alltoall", *sizes)}
        with tempfile.TemporaryDirectory() as folder:
            database = pathlib.Path(folder) / "r.db"
            for options in ((), ("--db", database), ("--db", database)):  # run, stored, found there
                done = harness.run("compare", "alltoall", *sizes, *options, "--json", "-",
                                   cwd=harness.SOURCE_DIR)
                self.assertEqual(done.returncode, 0, done.stderr)
                runs = json.loads(done.stdout)["cells"]
                harness.validate(runs, "tutti-result-1")
                runs = [run for run in runs if run["simulated_s"] is not None]
                self.assertGreater(len(runs), 10)
                for run in runs:
                    self.assertEqual(run["bound_s"], bound_s[run["bytes"]])
                    self.assertEqual(run["of_limit"], harness.time_of(run) / run["bound_s"])
                    self.assertGreaterEqual(run["of_limit"], 1)
            for view in ("cells", "best"):
                rows = json.loads(harness.output("query", database, "--view", view, "--json", "-"))
                harness.validate(rows, "tutti-query-1")
                for row in (row for row in rows["rows"] if row["simulated_s"] is not None):
                    self.assertEqual(row["bound_s"], bound_s[row["bytes"]])
                    run, = (run for run in runs if (run["bytes"], run["algorithm"], run["options"]) == (
                        row["bytes"], row["algorithm"], row["options"]))
                    self.assertEqual(row["of_limit"], run["of_limit"])
                text = harness.output("query", database, "--view", view)
                self.assertIn("x limit", text.splitlines()[1])
                least = min(run["of_limit"] for run in runs)
                self.assertIn(f" {least:.2f} ", text)
        text = harness.output("compare", "alltoall", *sizes, cwd=harness.SOURCE_DIR)
        self.assertIn("x limit", text)
        ring = ("allgather/ring", "-p", 16, "-n", "64K", "--platform", TORUS)
        run = json.loads(harness.output("simulate", *ring, "--json", "-", cwd=harness.SOURCE_DIR))
        harness.validate(run, "tutti-result-1")
        self.assertEqual(run["bound_s"],
                         bounds("allgather", "-p", 16, "-n", "64K", "--platform", TORUS)[0]["bound_s"])
        text = harness.output("simulate", *ring, cwd=harness.SOURCE_DIR)
        self.assertIn(f"this one takes {run['of_limit']:.2f} times as", " ".join(text.split()))

    def test_all_outputs_have_the_same_factor_of_the_limit(self):
        # Ties change the time of the pipeline. Its factor is that of the median everywhere.
        with tempfile.TemporaryDirectory() as folder:
            torus, database = pathlib.Path(folder) / "torus.xml", pathlib.Path(folder) / "r.db"
            torus.write_text(harness.output("platform", "torus", "--dims", "2,8"))
            here = ("--tree", "binary", "--segment", 4096, "-p", 16, "-n", "1MiB", "--platform", torus)
            one, several = ("bcast/pipeline", *here), ("bcast", "--algorithms", "pipeline,linear", *here)
            result = harness.json_output("simulate", *one, "--json", "-")
            median = result["ties"]["median_s"] / result["bound_s"]
            self.assertNotAlmostEqual(median, result["simulated_s"] / result["bound_s"], delta=0.001)
            found = {"simulate": result["of_limit"]}
            explained = harness.json_output("explain", *one, "--json", "-")
            harness.validate(explained, "tutti-explanation-1")
            found["explain"], found["its result"] = explained["of_limit"], explained["result"]["of_limit"]
            found["simulate --explain"] = harness.json_output("simulate", *one, "--explain", "--json",
                                                              "-")["of_limit"]
            compared = harness.json_output("compare", *several, "--db", database, "--json", "-")
            found["compare"], = (c["of_limit"] for c in compared["cells"] if c["algorithm"] == "pipeline")
            found["best of compare"] = compared["best"][0]["of_limit"]
            for view in ("cells", "best"):
                rows = harness.json_output("query", database, "--view", view, "--json", "-")["rows"]
                found[view], = (row["of_limit"] for row in rows if row["algorithm"] == "pipeline")
            for what, of_limit in found.items():
                self.assertAlmostEqual(of_limit, median, delta=1e-12, msg=what)
            for text in (harness.output("simulate", *one), harness.output("compare", *one),
                         harness.output("compare", *several), harness.output("query", database)):
                self.assertIn(f" {median:.2f} ", text)
            self.assertIn(f"the median under other orders of simultaneous messages, {median:.3g} times",
                          " ".join(harness.output("explain", *one).split()))

    def test_schedules_that_are_not_proved_have_no_limit(self):
        # Each sends half of the vector to the next rank, in a third of the least time of an allreduce.
        programs = {"little.sched": "blocks 2\nfor n < N\n  Req(0,{n,(n+1) mod N}) = "
                                    "Comm(n,(n+1) mod N,work[0:1])\n",
                    "bare.sched": "for n < N\n  Req(0,{n,(n+1) mod N}) = Comm(n,(n+1) mod N,M/2)\n"}
        here = ("-p", 8, "-n", "1MiB")
        with tempfile.TemporaryDirectory() as folder:
            for name, body in programs.items():
                path = pathlib.Path(folder) / name
                path.write_text(f"tutti-program 1\ncollective allreduce\n{body}")
                shown = pathlib.Path(folder) / f"{name}.shown.tutti"
                shown.write_text(harness.output("show", path, *here))
                database = pathlib.Path(folder) / f"{name}.db"
                for file, command in ((path, (path, *here)), (shown, (shown,))):
                    with self.subTest(file.name):
                        run = ("simulate", *command, "--no-verify")
                        result = harness.json_output(*run, "--json", "-")
                        harness.validate(result, "tutti-result-1")
                        self.assertEqual((result["bound_s"], result["of_limit"]), (None, None))
                        self.assertTrue(result["unproved"])
                        self.assertNotIn("limit", harness.output(*run))
                        self.assertIn("unproved", harness.output(*run))
                        explained = harness.json_output("explain", *command, "--no-verify", "--json", "-")
                        harness.validate(explained, "tutti-explanation-1")
                        self.assertEqual((explained["bound_s"], explained["limit"]), (None, None))
                        self.assertIn("may do less than", explained["no_limit_because"])
                for options in ((), ("--db", database), ("--db", database)):
                    done = harness.run("compare", "allreduce", "--with", path, "--algorithms", "ring", *here,
                                       "--no-verify", *options, "--json", "-")
                    cells = json.loads(done.stdout)["cells"]
                    self.assertEqual([cell["bound_s"] is None for cell in cells], [False, True])
                    self.assertTrue(cells[1]["unproved"])
                rows = harness.json_output("query", database, "--json", "-")["rows"]
                self.assertEqual({row["bound_s"] is None for row in rows}, {False, True})
                decided = harness.json_output("decide", "allreduce", "--with", path, "--algorithms", "ring", *here,
                                              "--no-verify", "--json", "-")
                self.assertEqual([cell["bound_s"] for cell in decided["cells"]], [None])

    def test_quick_limits_know_the_nodes_of_a_file_of_routes(self):
        # 3 nodes of 2 devices: fast links within a node, one link of 1 GB/s out of it.
        lines = ["<platform version='4.1'>", "<zone id='z' routing='Floyd'>"]
        lines += [f"<host id='h{i}' speed='1Gf'/>" for i in range(6)]
        lines += [f"<router id='{name}'/>" for name in ("n0", "n1", "n2", "top")]
        ends = [(f"h{i}", f"n{i // 2}", "100GBps") for i in range(6)] + [(f"n{i}", "top", "1GBps") for i in range(3)]
        lines += [f"<link id='l{i}' bandwidth='{bandwidth}' latency='1us' sharing_policy='SPLITDUPLEX'/>"
                  for i, (_, _, bandwidth) in enumerate(ends)]
        for i, (low, high, _) in enumerate(ends):
            for src, dst, direction in ((low, high, "UP"), (high, low, "DOWN")):
                lines.append(f"<route src='{src}' dst='{dst}' symmetrical='NO'>"
                             f"<link_ctn id='l{i}' direction='{direction}'/></route>")
        with tempfile.TemporaryDirectory() as folder:
            platform = pathlib.Path(folder) / "nodes.xml"
            platform.write_text("\n".join(["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM '
                                           '"https://simgrid.org/simgrid.dtd">', *lines, "</zone>", "</platform>"]))
            run = harness.json_output("simulate", "bcast/linear", "-p", 6, "-n", "10000000", "--platform", platform,
                                      "--json", "-")
        self.assertAlmostEqual(run["bound_s"], 10e-3, delta=0.1e-3)

    def test_top_switches_are_drawn_once(self):
        # No route between two leaf switches passes from one cable of a leaf switch to another.
        for leaves, tops in ((2, 4), (2, 1), (3, 2)):
            with tempfile.TemporaryDirectory() as folder:
                tree = pathlib.Path(folder) / "tree.xml"
                tree.write_text(harness.output("platform", "fat_tree", "--down", f"4,{leaves}", "--up",
                                               f"1,{tops}", "--bw", "1GBps", "--lat", "1us"))
                document = harness.json_output("bound", "alltoall", "-p", 4 * leaves, "-n", "64K", "--platform",
                                               tree, "--json", "-")
                levels = [node["level"] for node in document["networks"][0]["nodes"]]
                self.assertEqual([levels.count(level) for level in range(3)], [4 * leaves, leaves, tops])

    def test_results_of_an_all_to_all_have_the_limit_of_its_lengths(self):
        # A host of the torus is 3 links from the 64 hosts on average, with itself. 384 links of 5 GB/s
        # carry 64 * 64 blocks of 16 KiB over 3 links each.
        run = json.loads(harness.output("simulate", "alltoall/linear", "-p", 64, "-n", "1MiB", "--platform",
                                        TORUS, "--ports", "unlimited", "--json", "-",
                                        cwd=harness.SOURCE_DIR))
        self.assertAlmostEqual(run["bound_s"], 400e-9 + 64 * 64 * 2**14 * 3 / (384 * 5e9), delta=1e-12)

    def test_the_corner_of_a_mesh_decides(self):
        # A corner of the mesh receives 24/25 GB over two links of 50 GB/s, after the latency of one.
        with tempfile.TemporaryDirectory() as folder:
            mesh = f"{folder}/mesh.xml"
            harness.output("platform", "mesh", "--sides", "5,5", "--bw", "50GBps", "--lat", "0.5us", "-o", mesh)
            bound = bounds("allgather", "-p", 25, "-n", 10**9, "--ports", "unlimited", "--platform", mesh)[0]
            self.assertAlmostEqual(bound["bound_s"], 9600e-6 + 0.5e-6, delta=1e-12)
            ring = ("simulate", "allgather/ring", "-p", 25, "-n", 10**6, "--platform", mesh, "--json", "-")
            run = harness.json_output(*ring, "--engine", "both")
            self.assertLess(run["engines_differ_by"], 1e-8)
            shared = harness.json_output(*ring, "--engine", "both", "--ranks-per-host", 2, "--network-model", "lv08")
            self.assertLess(shared["engines_differ_by"], 1e-6)

    def test_no_part_of_an_explained_run_is_negative(self):
        runs = 0
        for algorithm in ("bcast/binomial", "bcast/linear", "scan/linear", "reduce/binomial", "allgather/ring",
                          "scatter/binomial"):
            for options in (("-n", "1KiB"), ("-n", "64KiB", "--platform", TORUS)):
                with self.subTest(algorithm, options=options):
                    explained = json.loads(harness.output("explain", algorithm, "-p", 8, *options, "--json",
                                                          "-", cwd=harness.SOURCE_DIR))
                    total_s = explained["result"]["simulated_s"]
                    parts = explained["limit"]["parts"]
                    self.assertAlmostEqual(sum(part["seconds"] for part in parts) / total_s, 1, delta=1e-9)
                    for part in parts:
                        self.assertGreater(part["seconds"], 1e-10 * total_s, part)  # nor 0
                    runs += 1
        self.assertEqual(runs, 12)

    def test_decisions_are_compared_with_the_bound(self):
        grid = ("bcast", "-p", "4,16", "-n", "1K,64K", "--root", 3, "--platform", TORUS)
        decided = json.loads(harness.output("decide", *grid, "--crossover", 0, "--json", "-",
                                            cwd=harness.SOURCE_DIR))
        harness.validate(decided, "tutti-decide-2")
        expected = {(each["ranks"], each["bytes"]): each["bound_s"] for each in bounds(*grid)}
        self.assertEqual(len(decided["cells"]), 4)
        for cell in decided["cells"]:
            self.assertEqual(cell["bound_s"], expected[cell["ranks"], cell["bytes"]])
            best = min(time["seconds"] for time in cell["times"] if time["seconds"] is not None)
            self.assertEqual(cell["of_limit"], best / cell["bound_s"])
        chosen = {cell["of_limit"] for cell in decided["cells"]}
        text = harness.output("decide", *grid, "--crossover", 0, "--tolerance", 0,
                              cwd=harness.SOURCE_DIR)
        self.assertIn(f"x limit {min(chosen):.2f} to {max(chosen):.2f}", " ".join(text.split()))
        for by in ("exact", "longest-path"):
            cells = json.loads(harness.output("decide", *grid, "--by", by, "--json", "-",
                                              cwd=harness.SOURCE_DIR))["cells"]
            self.assertTrue(all(cell["bound_s"] is None for cell in cells))

    def test_no_limit_is_shown_where_none_is_known(self):
        for options in (("--engine", "critical-path"), ("--jitter", "5%"),
                        ("--network-model", "lv08", "--engine", "simgrid")):
            with self.subTest(options):
                run = json.loads(harness.output("simulate", "allreduce/ring", "-p", 4, "-n", "1K",
                                                *options, "--json", "-"))
                self.assertIsNone(run["bound_s"])
                self.assertIsNone(run["of_limit"])
                self.assertNotIn("  limit  ",
                                 harness.output("simulate", "allreduce/ring", "-p", 4, "-n", "1K",
                                                *options))

    def test_certificates_can_be_checked(self):
        for each in bounds("all", "-p", 64, "-n", "1MiB", "--platform", THIN):
            longest = max(part["bound_s"] for part in each["parts"])
            self.assertAlmostEqual(each["bound_s"], longest, delta=1e-15)
            for part in each["parts"]:
                proof = part["certificate"]
                if proof is None:
                    self.assertEqual(part["bound_s"], 0)
                elif proof["form"] == "rounds":
                    self.assertAlmostEqual(part["bound_s"], proof["amount"] * proof["startup_s"])
                elif proof["form"] != "route":
                    self.assertAlmostEqual(part["bound_s"],
                                           proof["startup_s"] + proof["amount"] / proof["per_s"])
                if proof and "limits" in proof:
                    capacity = sum(limit["bytes_per_s"] * limit.get("length", 1)
                                   for limit in proof["limits"])
                    self.assertAlmostEqual(capacity / proof["per_s"], 1, delta=1e-9)

    def test_variants_with_the_same_line_are_listed_once(self):
        # On the second platform, reductions decide reduce and reduce_scatter, in the same words.
        for platform in ((), ("--platform", THIN)):
            lines = harness.output("bound", "all", "-p", 8, "-n", 800000, *platform,
                                   cwd=harness.SOURCE_DIR).splitlines()
            names = [line.split()[0] for line in lines[2:-2] if not line.startswith("   ")]
            self.assertEqual(names, ["allreduce", "bcast", "reduce", "reduce_scatter", "allgather",
                                     "alltoall", "gather", "scatter", "barrier", "scan", "exscan"])
            self.assertEqual(" ".join(" ".join(lines[-2:]).split()),
                             "With equal blocks, the same bounds hold for allgatherv, gatherv, "
                             "scatterv, alltoallv, reduce_scatter_block.")
        lines = harness.output("bound", "allgather", "-p", "3,4", "-n", "1K,64K").splitlines()
        self.assertEqual(lines[0], "lower bounds on crossbars with as many hosts as needed")
        self.assertNotIn("same bounds", " ".join(lines))
        # With 7 elements, the last rank gets no piece in alltoallv, but does in alltoall.
        text = harness.output("bound", "all", "-p", 8, "-n", "56,8000", "--alpha", "1ns",
                              cwd=harness.SOURCE_DIR)
        self.assertEqual(text.count("\n  alltoallv "), 2)

    def test_a_thin_top_is_named(self):
        text = harness.output("bound", "bcast", "-p", 64, "-n", "1MiB", "--platform", THIN,
                              "--ports", "unlimited", cwd=harness.SOURCE_DIR)
        self.assertIn("which decides", text)
        certificate = bounds("alltoall", "-p", 64, "-n", "1MiB", "--platform", THIN)[0]
        deciding = next(part for part in certificate["parts"]
                        if part["kind"] == certificate["decided_by"])
        self.assertEqual(deciding["certificate"]["form"], "cut")
        self.assertIn("leaf switch", deciding["certificate"]["words"])

    def test_uneven_sizes_ranks_on_a_host_and_what_ifs(self):
        even = bounds("allgatherv", "-p", 4, "-n", 320000)[0]["bound_s"]
        uneven = bounds("allgatherv", "-p", 4, "--block-bytes", "0,0,0,320000")[0]["bound_s"]
        self.assertGreater(uneven, even)
        apart = bounds("allgather", "-p", 64, "-n", "1MiB", "--platform", TORUS)[0]["bound_s"]
        together = bounds("allgather", "-p", 64, "-n", "1MiB", "--ranks-per-host", 64)[0]["bound_s"]
        self.assertGreater(apart, 0)
        self.assertGreater(together, 0)
        twice = bounds("allgather", "-p", 64, "-n", "64MiB", "--platform", TORUS, "--what-if",
                       "bw*0.5;lat*2")[0]["bound_s"]
        once = bounds("allgather", "-p", 64, "-n", "64MiB", "--platform", TORUS)[0]["bound_s"]
        self.assertAlmostEqual(twice / once, 2, delta=1e-9)

    def test_the_heading_has_the_sizes_of_blocks_and_the_changes(self):
        for arguments, words in (
                (("allgatherv", "-p", 4, "-n", "1K", "--block-bytes", "8,8,8,1000"),
                 "n = 1 KiB in blocks of 8 bytes to 1000 bytes: at least"),
                (("allgatherv", "-p", 4, "-n", "1K", "--block-skew", 2), "in blocks of 24 bytes to 688 bytes:"),
                (("alltoallv", "-p", 4, "-n", "1K", "--sizes", "capped:2"),
                 "n = 1 KiB in blocks of 8 bytes to 256 bytes:"),
                (("alltoallv", "-p", 4, "-n", "1K", "--sizes", "skewed:2"),
                 "n = 2.688 KiB in blocks of 24 bytes to 688 bytes:"),
                (("allgather", "-p", 3, "-n", "1K"), "in blocks of 336 bytes to 344 bytes:"),
                (("allgather", "-p", 4, "-n", "1K"), "n = 1 KiB (256 bytes for each rank): at least"),
                (("bcast", "-p", 4, "-n", "1K,2K", "--what-if", "bw*2;lat*2"),
                 "lower bounds on crossbar:4, what if bw*2; lat*2"),
                (("bcast", "-p", 4, "-n", "1K", "--what-if", "bw*2"), "on crossbar:4, what if bw*2"),
                (("bcast", "-p", 4, "-n", "1K,2K", "--root", 1), " bcast --root 1 ")):
            with self.subTest(arguments):
                self.assertIn(words, " ".join(harness.output("bound", *arguments).split()))

    def test_the_document_has_all_that_the_user_changed(self):
        changed = bounds("bcast", "-p", 8, "-n", "1K", "--platform",
                         "platforms/smp_16x8.xml", "--ranks-per-host", 2, "--placement",
                         "cyclic", "--eager", "4K", "--beta", "1ns", "--what-if", "lat*2")[0]
        self.assertEqual({key: changed[key] for key in ("ranks_per_host", "placement", "eager_bytes",
                                                        "overrides", "what_if")},
                         {"ranks_per_host": 2, "placement": "cyclic", "eager_bytes": 4096,
                          "overrides": {"beta_s_per_byte": 1e-9}, "what_if": ["lat*2"]})

    def test_certificates_are_plain(self):
        for arguments, words in (
                (("alltoall", "-p", 64, "-n", "1MiB", "--platform", TORUS, "--ports", "unlimited"),
                 "send each other 63 MiB, and each byte must cross 3.048 of the 384 links on average; "
                 "together these carry 1.92 TB/s"),
                (("alltoall", "-p", 64, "-n", "1MiB", "--platform", THIN), "127.229 us: as bytes"),
                (("alltoall", "-p", 8, "-n", "8K"), "the cheapest mix of direct and combined messages has "),
                (("allreduce", "-p", 8, "-n", "8K"), "each byte needs 14 messages, 112 KiB in all"),
                (("bcast", "-p", 2, "-n", "1K"), "must send 1 KiB to the other host over")):
            with self.subTest(arguments):
                text = harness.output("bound", *arguments, cwd=harness.SOURCE_DIR)
                self.assertIn(words, " ".join(text.split()))

    def test_what_has_no_bound_is_refused_in_one_line(self):
        self.refused("unknown collective 'allredcue': did you mean 'allreduce'", "allredcue", "-p", 4,
                     "-n", 8)
        self.refused("exscan, all", "foo", "-p", 4, "-n", 8)
        self.refused("the number of ranks is missing", "bcast", "-n", 8)
        self.refused("the size is missing", "bcast", "-p", 8)
        self.refused("--jitter", "bcast", "-p", 8, "-n", 8, "--jitter", "10%")
        leonardo = ("--platform", "examples/supercomputers/platforms/leonardo.xml", "--parameters",
                    "examples/supercomputers/parameters/leonardo.json")
        self.refused("--after-barrier", "bcast", "-p", 8, "-n", 8, *leonardo, "--after-barrier")
        done = harness.run("search", "bcast", "-p", 8, "-n", 8, *leonardo, cwd=harness.SOURCE_DIR)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--parameters", done.stderr)
        self.refused("--block-bytes", "bcast", "-p", 2, "--block-bytes", "8,8")
        self.refused("root 9", "bcast", "-p", 8, "-n", 8, "--root", 9)
        with tempfile.TemporaryDirectory() as folder:
            computing = pathlib.Path(folder) / "computing.xml"
            harness.output("platform", "crossbar", "--hosts", 8, "--in-network", "yes", "-o", computing)
            self.refused("reduce and multicast", "bcast", "-p", 8, "-n", 8, "--platform", computing)


if __name__ == "__main__":
    harness.main()
