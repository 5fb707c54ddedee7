"""Tests tutti compare, which shows the runs of simulate side by side. A refused run must not stop the other
runs."""

import csv
import io
import json
import math
import pathlib
import re
import resource
import tempfile
import unittest

import harness

HERE = ["-p", "3,8", "-n", "64,1000,96K"]
ALGORITHMS = len(harness.host_algorithms("allreduce"))
NUMBERS = ["simulated_s", "exact_s", "longest_path_s", "published_s", "messages", "bytes_sent",
           "alpha_s", "platform", "hosts_used", "critical_chain", "published",
           "options", "ops", "dependencies", "rounds", "blocks", "network_model"]


def compare(*arguments):
    return harness.compared(*arguments)


def masked(results):
    """Returns the results without the fields that differ from run to run."""
    return [{k: v for k, v in r.items() if k not in ("wall_s", "peak_rss_bytes")} for r in results]


def run_of(result):
    """Returns the arguments with which tutti simulates the run of `result` alone."""
    size = [] if result["collective"] == "barrier" else ["-n", result["bytes"]]
    return ["simulate", f"{result['collective']}/{result['algorithm']}", "-p", result["ranks"],
            *size, *result["options"].split(), "--json", "-"]


class WrittenOut(unittest.TestCase):
    """Schedules for single problems beside the algorithms."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def file(self, ranks, size, name="mine", algorithm="allreduce/circulant", file=None, options=()):
        """Writes a schedule under another name than its algorithm's."""
        text = harness.output("show", algorithm, "-p", ranks, "-n", size, *options)
        path = self.path / (file or f"{name}_{ranks}_{size}.sched")
        path.write_text(re.sub(r"(?m)^algorithm .*$", f"algorithm {name}", text))
        return path

    def refused(self, arguments, *words):
        done = harness.run(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for each in words:
            self.assertIn(each, done.stderr)

    def times(self, *arguments):
        """Returns the times by algorithm, ranks and bytes; those of refused runs are the reasons."""
        document = json.loads(harness.run("compare", *arguments, "--json", "-").stdout)
        harness.validate(document, "tutti-comparison-1")
        return {(cell["algorithm"], cell["ranks"], cell["bytes"]): cell["simulated_s"] or cell["refused"]
                for cell in document["cells"]}

    def test_one_schedule_needs_no_ranks_and_bytes(self):
        path = self.file(5, 4000)
        times = self.times(path)
        self.assertEqual(times["mine", 5, 4000], times["circulant", 5, 4000])
        self.assertEqual(len(times), ALGORITHMS + 1)
        self.assertEqual(times, self.times("allreduce", "--with", path, "-p", 5, "-n", 4000))
        decided = harness.json_output("decide", "allreduce", "--with", path, "--json", "-")
        self.assertEqual(({cell["ranks"] for cell in decided["cells"]}, {cell["bytes"] for cell in decided["cells"]}),
                         ({5}, {4000}))
        contrast = harness.output("explain", path, "--against", "allreduce/ring")
        self.assertEqual(contrast, harness.output("explain", path, "--against", "allreduce/ring", "-p", 5, "-n", 4000))
        self.assertIn("ring", contrast)

    def test_files_of_one_name_are_one_algorithm(self):
        files = [word for ranks in (4, 6) for word in ("--with", self.file(ranks, 960))]
        times = self.times("allreduce", *files, "--algorithms", "circulant,ring")
        self.assertEqual({name for name, _, _ in times}, {"mine", "circulant", "ring"})
        for ranks in (4, 6):
            self.assertEqual(times["mine", ranks, 960], times["circulant", ranks, 960])
        more = self.times("allreduce", *files, "--algorithms", "ring", "-p", "4,5,6")
        self.assertIn("is for 4 ranks and 960 bytes", more["mine", 5, 960])
        self.assertEqual(more["mine", 6, 960], times["mine", 6, 960])
        done = harness.run("compare", "allreduce", *files, "--algorithms", "ring", "-p", 6)
        self.assertEqual(done.returncode, 0)
        self.assertIn("mine_4_960.sched' is for 4 ranks, so it is not used with -p/--ranks '6'", done.stderr)

    def test_two_files_for_the_same_problem_are_two_algorithms(self):
        files = [self.file(4, 64, file="a.sched"), self.file(4, 64, file="b.sched", algorithm="allreduce/ring")]
        times = self.times("allreduce", *[word for file in files for word in ("--with", file)],
                           "--algorithms", "circulant,ring")
        self.assertEqual(times["mine (a.sched)", 4, 64], times["circulant", 4, 64])
        self.assertEqual(times["mine (b.sched)", 4, 64], times["ring", 4, 64])
        plain = self.path / "plain.sched"
        plain.write_text(harness.output("show", "allreduce/ring", "-p", 4, "-n", 64))
        times = self.times("allreduce", "--with", plain, "--algorithms", "ring")
        self.assertEqual(times["ring (plain.sched)", 4, 64], times["ring", 4, 64])

    def test_elements_and_roots_come_from_the_file(self):
        path = self.file(4, 36, algorithm="bcast/binomial", options=["--root", 3, "--elem-bytes", 4])
        times = self.times(path, "--algorithms", "binomial")
        self.assertEqual(times["mine", 4, 36], times["binomial", 4, 36])

    def test_blocks_of_different_sizes(self):
        path = self.file(3, 48, algorithm="allgatherv/ring", options=["--block-skew", 1])
        times = self.times(path, "--algorithms", "ring")
        self.assertEqual(times["mine", 3, 48], times["ring", 3, 48])

    def test_msccl_serves_any_size(self):
        path = self.path / "ring.xml"
        harness.run("convert", "allreduce/ring", path, "-p", 4, "-n", "4KiB")
        times = self.times(path, "-n", "4KiB,64KiB", "--algorithms", "ring")
        self.assertEqual(set(times), {(name, 4, size) for name in ("ring", "ring (ring.xml)") for size in (4096, 65536)})
        self.assertTrue(all(isinstance(seconds, float) for seconds in times.values()), times)
        times = self.times(path, "-n", "4KiB", "-p", "4,5", "--algorithms", "ring")
        self.assertIn("allreduce/ring (ring.xml) cannot run: ", times["ring (ring.xml)", 5, 4096])
        self.refused(["compare", path], "the size is missing")
        path.write_text(path.read_text().replace(' coll="allreduce"', ""))
        done = harness.run("compare", "allreduce", "--with", path, "-n", "4KiB", "--algorithms", "ring", "--json", "-")
        self.assertEqual(len(json.loads(done.stdout)["cells"]), 2)
        self.assertIn("the executor would not load the file: <algo> has no coll", done.stderr)
        self.refused(["compare", path, "-n", "4KiB"], "<algo> has no coll", "the file as --with")

    def test_databases_and_workers(self):
        path = self.file(5, 4000)
        here = [path, "--algorithms", "ring", "--db", self.path / "r.db"]
        first = self.times(*here)
        self.assertEqual(first["mine", 5, 4000], self.times(path, "--algorithms", "circulant")["circulant", 5, 4000])
        self.assertEqual(self.times(*here), first)
        path.write_text(path.read_text().replace("circulant", "mine") + "# changed\n")
        self.assertEqual(self.times(*here), first)


class AgreesWithSimulate(unittest.TestCase):
    def check_agreement(self, results, *machine):
        for result in results:
            with self.subTest(run_of(result)):
                if result["refused"]:
                    done = harness.run(*run_of(result), *machine)
                    self.assertEqual(done.returncode, 2)
                    self.assertEqual(done.stderr, f"tutti: {result['refused']}\n")
                    continue
                alone = harness.json_output(*run_of(result), *machine)
                for name in NUMBERS:
                    self.assertEqual(result[name], alone[name], name)

    def test_on_a_crossbar(self):
        results = compare("allreduce", *HERE)
        self.assertEqual(len(results), 2 * 3 * ALGORITHMS)
        self.check_agreement(results[::3])

    def test_on_the_critical_path(self):
        results = compare("allreduce", *HERE, "--engine", "critical-path", "--alpha", "7us")
        self.check_agreement(results[1::3], "--engine", "critical-path", "--alpha", "7us")

    def test_on_a_platform_with_contention(self):
        platform = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"
        for engine in ["simgrid", "critical-path"]:
            machine = ["--platform", platform, "--engine", engine]
            results = compare("bcast", "-p", "5,40", "-n", "32K", *machine)
            self.check_agreement(results[::2], *machine)

    def test_on_every_collective(self):
        listed = harness.host_algorithms()
        for collective in sorted({a["collective"] for a in listed}):
            with self.subTest(collective):
                size = [] if collective == "barrier" else ["-n", "4K"]
                results = compare(collective, "-p", 4, *size)
                self.assertEqual([f"{collective}/{r['algorithm']}" for r in results],
                                 [a["name"] for a in listed if a["collective"] == collective])
                self.check_agreement(results[:1])
                self.assertIn("p = 4", harness.output("compare", collective, "-p", 4, *size))

    def test_algorithms_with_switches_need_declared_switches(self):
        """Algorithms that use switches are compared if the platform declares such switches, or if the user
        names them."""
        with tempfile.TemporaryDirectory() as folder:
            declared = pathlib.Path(folder) / "star.xml"
            harness.output("platform", "crossbar", "--hosts", 4, "--in-network", "yes", "-o",
                           declared)
            here = ["-p", 4, "-n", "4K", "--platform", declared]
            for collective in ["allreduce", "allgather"]:
                listed = harness.json_output("list", collective, "--json", "-")["algorithms"]
                results = compare(collective, *here)
                self.assertEqual([r["algorithm"] for r in results],
                                 [a["algorithm"] for a in listed])
                self.assertFalse([r for r in results if r["algorithm"] in ("sharp", "nvls")
                                  and r["refused"]])
            self.check_agreement([r for r in compare("allreduce", *here)
                                  if r["algorithm"] in ("sharp", "nvls")], "--platform", declared)
        call_words = compare("allreduce", "-p", 4, "-n", "4K", "--algorithms", "ring,sharp")
        self.assertIn("declares none", call_words[1]["refused"])

    def test_earlier_runs_cost_later_ones_no_precision(self):
        """Each run begins at time 0, so 40 s of simulated time in earlier runs cost the last run no
        precision."""
        names = [a["algorithm"] for a in harness.host_algorithms("allreduce")]
        names.remove("double_tree")  # would take minutes, because it cuts 8 GiB into segments of 64 KiB
        results = compare("allreduce", "--algorithms", ",".join(names), "-p", "8", "-n", "8G,64")
        for result in results:
            if result["refused"] or result["exact_s"] is None:
                continue
            if result["bytes"] % (8 * result["blocks"]) == 0:  # the formulas hold for equal blocks
                self.assertTrue(math.isclose(result["simulated_s"], result["exact_s"],
                                             rel_tol=1e-9), result["algorithm"])


class Jobs(unittest.TestCase):
    def test_the_number_of_jobs_does_not_change_the_output(self):
        for engine in ["simgrid", "critical-path"]:
            here = ["allreduce", *HERE, "--engine", engine]
            texts = [harness.output("compare", *here, "--jobs", jobs) for jobs in [1, 2, 5]]
            self.assertEqual(len(set(texts)), 1)
            one, two = (masked(compare(*here, "--jobs", jobs)) for jobs in [1, 2])
            self.assertEqual(json.dumps(one), json.dumps(two))

    def test_the_order_of_ranks_and_sizes_does_not_matter(self):
        forwards = masked(compare("reduce", "-p", "2,9", "-n", "64,1K"))
        backwards = masked(compare("reduce", "-p", "9,2,9", "-n", "1K,64,64"))
        key = lambda r: (r["ranks"], r["bytes"], r["algorithm"])
        self.assertEqual([key(r) for r in backwards][0], (9, 1024, "linear"))
        self.assertEqual(sorted(map(json.dumps, forwards)), sorted(map(json.dumps, backwards)))


class Refusals(unittest.TestCase):
    def test_refusals_in_csv(self):
        text = harness.output("compare", "allreduce", "-p", 8, "-n", "8,64", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(text)))
        results = compare("allreduce", "-p", 8, "-n", "8,64")
        self.assertEqual(len(rows), len(results))
        for row, result in zip(rows, results):
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
            for name, value in row.items():
                if name.startswith("wall_") or name == "peak_rss_bytes":
                    continue
                given = result.get(name)
                self.assertEqual(value, "" if given is None else str(given).lower(), name)


class Best(unittest.TestCase):
    def best(self, *arguments):
        document = harness.json_output("compare", *arguments, "--json", "-")
        harness.validate(document, "tutti-comparison-1")
        return document["best"], document["cells"]

    def test_the_best_of_each_cell_follows_from_its_rows(self):
        found, rows = self.best("allreduce", "-p", "16,6", "-n", "1MiB,8,64K")
        self.assertEqual([(each["ranks"], each["bytes"]) for each in found],
                         [(p, n) for p in (6, 16) for n in (8, 65536, 1048576)])
        for each in found:
            inside = {row["algorithm"]: row for row in rows if row["simulated_s"] is not None and
                      (row["ranks"], row["bytes"]) == (each["ranks"], each["bytes"])}
            times = {name: harness.time_of(row) for name, row in inside.items()}
            self.assertEqual(each["time_s"], min(times.values()))
            best = inside[each["algorithm"]]
            self.assertEqual((each["label"], each["options"], each["bound_s"], each["of_limit"]),
                             (best["algorithm"], best["options"], best["bound_s"], best["of_limit"]))
            ranges = {name: harness.range_of(row) for name, row in inside.items()}
            same = [name for name in times if math.isclose(times[name], each["time_s"], rel_tol=1e-9)]
            least, most = min((ranges[name] for name in same), key=lambda both: both[1])
            self.assertAlmostEqual(each["least_s"], least, delta=1e-9 * least)
            self.assertAlmostEqual(each["most_s"], most, delta=1e-9 * most)
            level = [name for name in times if name not in same and ranges[name][0] <= most]
            self.assertEqual(sorted(each["equally_fast"] + [each["label"]]), sorted(same + level))
            second = min((times[name], name) for name in times if name not in same)
            self.assertEqual(times[each["second"]], second[0])
            self.assertAlmostEqual(each["margin"], 0 if level else second[0] / each["time_s"] - 1, delta=1e-9)
        self.assertTrue(any(each["margin"] == 0 for each in found))
        self.assertTrue(any(each["margin"] > 0.01 for each in found))


class Text(unittest.TestCase):
    def test_the_best_is_marked(self):
        """The algorithm that the text marks as best has the smallest time in the JSON."""
        here = ["allreduce", "-p", "4,16", "-n", "8..4MiB*8"]
        # With 140 columns, the text has one line for each algorithm.
        text = harness.output("compare", *here, "--all", columns=140)
        results = [r for r in compare(*here) if not r["refused"]]
        tables = text.split("\np = ")[1:]
        cells = sorted({(r["ranks"], r["bytes"]) for r in results})
        self.assertEqual(len(tables), len(cells))
        for table, cell in zip(tables, cells):
            marked = {line.split()[1] for line in table.splitlines() if line.startswith("* ")
                      and not line.startswith("* best")}
            inside = [r for r in results if (r["ranks"], r["bytes"]) == cell]
            best = min(harness.time_of(r) for r in inside)
            self.assertEqual(marked, {r["algorithm"] for r in inside
                                      if math.isclose(harness.time_of(r), best, rel_tol=1e-9)})
            # The table is sorted by time.
            shown = [line[1:].split()[0] for line in table.splitlines()[2:2 + len(inside)]]
            times = {r["algorithm"]: harness.time_of(r) for r in inside}
            for one, next_one in zip(shown, shown[1:]):
                self.assertLessEqual(times[one], times[next_one] * (1 + 1e-9))

    def test_the_map_shows_the_best_and_its_margin(self):
        here = ["allreduce", "-p", "4,16,64", "-n", "1K..4MiB*4", "--platform",
                harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"]
        results = [r for r in compare(*here) if not r["refused"]]
        for columns in [60, 100, 200]:
            text = harness.output("compare", *here, columns=columns)
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
            named = dict(re.findall(r"^  ([A-Z])  (\w+)", text, re.M))
            rows = [line for line in text.splitlines()
                    if re.match(r" +\d+ [KM]iB +\w", line)]
            sizes = sorted({r["bytes"] for r in results})
            self.assertEqual(len(rows), len(sizes))
            for row, size in zip(rows, sizes):
                cells = re.findall(r"(\w+) +(\+[\d.]+ %|level)", row.split("iB", 1)[1])
                self.assertEqual(len(cells), 3, row)
                for (who, margin), ranks in zip(cells, [4, 16, 64]):
                    inside = [r for r in results if (r["ranks"], r["bytes"]) == (ranks, size)]
                    times = {r["algorithm"]: harness.time_of(r) for r in inside}
                    best = min(times.values())
                    self.assertTrue(math.isclose(times[named.get(who, who)], best, rel_tol=1e-9))
                    behind = [r for r in inside if harness.time_of(r) > best * (1 + 1e-9)]
                    if margin == "level":
                        most = min(harness.range_of(r)[1] for r in inside if r not in behind)
                        self.assertLessEqual(min(harness.range_of(r)[0] for r in behind), most)
                        continue
                    second = min(map(harness.time_of, behind))
                    self.assertAlmostEqual(float(margin.strip("+% ")), 100 * (second / best - 1),
                                           delta=0.051 if "." in margin else 0.51)

    def test_some_algorithms_can_be_selected(self):
        here = ["-p", "4,8", "-n", "1K,64K"]
        every = masked(compare("allreduce", *here))
        self.assertEqual(masked(compare("allreduce", "--algorithms", "circulant,allreduce/ring",
                                        *here)),
                         sorted((r for r in every if r["algorithm"] in ("ring", "circulant")),
                                key=lambda r: (r["ranks"], r["bytes"], r["algorithm"])))
        ring = [r for r in every if r["algorithm"] == "ring"]
        self.assertEqual(masked(compare("allreduce/ring", *here)), ring)

    def test_one_algorithm_over_several_sizes(self):
        text = harness.output("compare", "allreduce/ring", "-p", 64, "-n", "64K,1MiB")
        for result in compare("allreduce/ring", "-p", 64, "-n", "64K,1MiB"):
            size = {65536: "64 KiB", 1 << 20: "1 MiB"}[result["bytes"]]
            row = re.search(rf"^ +{size} +([\d,.]+) +([\d.]+) +([\d.]+) +[\d,.]+ +equal", text, re.M)
            self.assertAlmostEqual(float(row[1].replace(",", "")), 1e6 * result["simulated_s"],
                                   delta=0.01)
            self.assertAlmostEqual(float(row[2]), result["of_limit"], delta=0.006)
            bus = 2 * 63 / 64 * result["bytes"] / result["simulated_s"] / 1e9
            self.assertAlmostEqual(float(row[3]) / bus, 1, delta=0.002)

    def test_the_best_skips_are_those_of_a_search(self):
        torus = ["-p", 12, "-n", "1MiB", "--platform", harness.SOURCE_DIR / "platforms/torus_64.xml"]
        results = compare("allreduce/circulant", *torus, "--skips", "all;search")
        self.assertEqual(len(results), 5)
        *named, best = results
        self.assertLess(best["simulated_s"], min(each["simulated_s"] for each in named))
        found = json.loads(harness.output("search", "allreduce", *torus, "--families", "skips", "--evaluations", 359,
                                          "--json", "-"))["sizes"][0]["families"][0]
        self.assertAlmostEqual(best["simulated_s"], found["best_s"], delta=1e-9 * found["best_s"])
        [alone] = compare("allreduce/circulant", *torus, "--skips", "search")
        self.assertEqual(alone["simulated_s"], best["simulated_s"])
        self.assertIn("--skips", alone["options"])
        done = harness.run("simulate", "allreduce/circulant", *torus, "--skips", "search")
        self.assertEqual(done.returncode, 2)

    def test_irregular_blocks_are_served_by_the_pipelined_reduce_scatter(self):
        """All blocks but one are tiny, and reduce_scatter/circulant sends the large block in each round."""
        sizes = ",".join(["1048576"] + ["8"] * 15)
        times = {r["algorithm"]: r["simulated_s"]
                 for r in compare("reduce_scatter", "-p", 16, "--block-bytes", sizes)
                 if r["simulated_s"] is not None}
        self.assertEqual(min(times, key=times.get), "circulant_blocks")
        self.assertLess(2.5 * times["circulant_blocks"], times["circulant"])

    def test_the_best_segment_is_found_for_each_run(self):
        results = compare("bcast", "-p", 8, "-n", "64K,1MiB", "--segment", "auto")
        pipelines = [r for r in results if r["algorithm"] == "pipeline"]
        sizes = [r["options"].split()[1] for r in pipelines]
        self.assertEqual(len(set(sizes)), 2)
        for pipeline in pipelines:
            alone = harness.json_output("simulate", "bcast/pipeline", "-p", 8, "-n",
                                        pipeline["bytes"], "--segment", "auto", "--json", "-")
            self.assertEqual(pipeline["simulated_s"], alone["simulated_s"])
        self.assertIn("segments of", harness.output("compare", "bcast", "-p", 8, "-n", "1MiB",
                                                    "--segment", "auto"))


class BadInput(unittest.TestCase):
    @harness.limits_addresses
    def test_too_many_runs(self):
        """The error must come at once, before memory is allocated for all runs."""
        def no_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        for command in ["compare", "verify"]:
            done = harness.run(command, "allreduce", "-p", "1..1000000", "-n", "8..8000000*2,24,40",
                               preexec_fn=no_memory)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"^tutti: .*give [0-9,]+ (runs|proofs), but at most 1,000,000")


if __name__ == "__main__":
    harness.main()
