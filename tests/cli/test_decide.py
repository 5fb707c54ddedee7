"""Tests tutti decide and tutti choose: decisions, comparisons of existing tables with the best decisions, and
bad input."""

import csv
import io
import json
import math
import pathlib
import tempfile
import unittest

import harness

TREE = harness.SOURCE_DIR / "examples" / "decisions" / "allreduce_tree.json"
FAT_TREE = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128.xml"
SMALL = ["-p", "4,6,16", "-n", "64..256K*8"]


def decide(collective, *arguments):
    result = harness.json_output("decide", collective, *arguments, "--json", "-")
    harness.validate(result, "tutti-decide-2")
    return result


def cell_of(result, ranks, size):
    return next(c for c in result["cells"] if (c["ranks"], c["bytes"]) == (ranks, size))


def times_of(cell):
    """Returns the times of a cell as {candidate: entry}."""
    return {time["candidate"]: time for time in cell["times"]}


def candidate_named(result, label):
    return next(c for c in result["candidates"] if c["label"] == label)


class Decide(unittest.TestCase):
    def test_sizes_without_a_candidate_that_can_run_are_named(self):
        arguments = ["decide", "allreduce", "-p", 4, "--algorithms", "ring", "--elem-bytes", 8]
        text = " ".join(harness.output(*arguments, "-n", "8,16,1K").split())
        self.assertIn("no times 2 cells, the first at p = 4, n = 8 bytes, where no candidate can run "
                      "(allreduce/ring cannot run: 1 element on 4 ranks; ", text)
        self.assertIn("the rule of the nearest other size applies", text)
        self.assertNotIn("no times", harness.output(*arguments, "-n", "1K,4K"))

    def test_the_best_equals_the_best_of_compare(self):
        result = decide("allreduce", *SMALL, "--platform", FAT_TREE, "--all", "--tolerance", 0,
                        "--crossover", 0)
        here = ["compare", "allreduce", *SMALL, "--platform", FAT_TREE, "--csv", "-"]
        runs = [["--skips", "all", "--segment", "auto"]]
        # decide tries several values of --channels and --radix; compare tries only the values that it is
        # given.
        for option in ["channels", "radix"]:
            for value in sorted({c[option] for c in result["candidates"] if option in c}):
                names = sorted({c["algorithm"] for c in result["candidates"]
                                if c.get(option) == value})
                runs.append(["--algorithms", ",".join(names), f"--{option}", value])
        self.assertGreater(len(runs), 2)
        best = {}
        for more in runs:
            for row in csv.DictReader(io.StringIO(harness.output(*here, *more))):
                if row["simulated_s"]:
                    key = int(row["ranks"]), int(row["bytes"])
                    seconds = float(row["simulated_s"])
                    if row["ties_median_s"]:
                        spread = float(row["ties_most_s"]) - float(row["ties_least_s"])
                        seconds = float(row["ties_median_s"]) if spread > 1e-3 * seconds else seconds
                    best[key] = min(best.get(key, math.inf), seconds)
        self.assertEqual(len(best), 15)
        for (ranks, size), seconds in best.items():
            cell = cell_of(result, ranks, size)
            self.assertTrue(math.isclose(times_of(cell)[cell["best"]]["seconds"], seconds,
                                         rel_tol=1e-9))

    def test_candidates_left_out_as_beaten_are_slower(self):
        quick = decide("allreduce", *SMALL, "--platform", FAT_TREE)
        whole = decide("allreduce", *SMALL, "--platform", FAT_TREE, "--all")
        self.assertEqual(quick["decisions"], whole["decisions"])
        beaten = 0
        for cell in quick["cells"]:
            other = cell_of(whole, cell["ranks"], cell["bytes"])
            self.assertEqual(cell["best"], other["best"])
            for mine, all_of_it in zip(cell["times"], other["times"]):
                if mine["state"] == "beaten":
                    beaten += 1
                    self.assertGreaterEqual(all_of_it["seconds"], mine["at_least_s"] * (1 - 1e-9))
                    self.assertGreater(mine["at_least_s"],
                                       2 * times_of(cell)[cell["best"]]["seconds"])
        self.assertGreater(beaten, 20)

    def test_boundaries_are_accurate_to_5_percent(self):
        for by in ["simulation", "exact", "longest-path"]:
            result = decide("allreduce", *SMALL, "--by", by, "--tolerance", 0)
            found = 0
            decisions = result["decisions"]
            for before, after in zip(decisions, decisions[1:]):
                if before["ranks"] != after["ranks"] or before["candidate"] == after["candidate"]:
                    continue
                found += 1
                if any(d["ranks"] < after["ranks"] and d["from_bytes"] == after["from_bytes"] and
                       d["candidate"] == after["candidate"] for d in decisions):
                    continue  # the boundary was found for fewer ranks, and is reused
                low, high = after["crossover_after"], after["crossover_by"]
                self.assertLessEqual(high, low * 1.05 + 8)
                # Boundaries are round numbers close to the crossover.
                self.assertLess(abs(math.log2(after["from_bytes"] / math.sqrt(low * high))), 0.55)
                first = times_of(cell_of(result, after["ranks"], low))
                second = times_of(cell_of(result, after["ranks"], high))
                a, b = before["candidate"], after["candidate"]
                self.assertLessEqual(first[a]["seconds"], first[b]["seconds"] * (1 + 1e-9))
                self.assertLessEqual(second[b]["seconds"], second[a]["seconds"] * (1 + 1e-9))
            self.assertGreaterEqual(found, 3)

    def test_on_a_crossbar_all_sources_of_times_agree(self):
        # At these sizes, all blocks are equal.
        grid = ["-p", "4,16", "-n", "2K..512K*4", "--tolerance", 0, "--crossover", 0]
        simulated, exact, path = (decide("allreduce", *grid, "--by", by)["cells"]
                                  for by in ["simulation", "exact", "longest-path"])
        agreed = 0
        for cells in zip(simulated, exact, path):
            best = cells[0]["best"]
            first, by_formula, by_path = (times_of(cell)[best]["seconds"] for cell in cells)
            self.assertTrue(math.isclose(first, by_path, rel_tol=1e-9))
            if by_formula is None:
                self.assertEqual(times_of(cells[1])[best]["refused"], "no closed form is known")
                continue
            self.assertTrue(math.isclose(first, by_formula, rel_tol=1e-9))
            agreed += 1
        self.assertGreaterEqual(agreed, 5)

    def test_a_tolerance_makes_tables_shorter_and_is_respected(self):
        strict = decide("allreduce", "-p", "8", "-n", "64..1MiB*4", "--tolerance", 0)
        lenient = decide("allreduce", "-p", "8", "-n", "64..1MiB*4", "--tolerance", "20%")
        self.assertLess(len(lenient["decisions"]), len(strict["decisions"]))
        # The mean loss is bounded: each dropped rule would have saved less than the tolerance.
        dropped = len(strict["decisions"]) - len(lenient["decisions"])
        self.assertLessEqual(lenient["losses"][0]["mean"], 0.2 * dropped)
        few = decide("allreduce", "-p", "8", "-n", "64..1MiB*4", "--tolerance", 0,
                     "--rules-at-most", 2)
        self.assertEqual(len(few["decisions"]), 2)
        self.assertGreaterEqual(few["losses"][0]["mean"], strict["losses"][0]["mean"])

    def test_no_candidate_repeats_a_default(self):
        """A value of an option that equals the algorithm's default is not tried in addition to the
        default."""
        for collective, algorithm, tried in [
                ("allgather", "multi_ring", [None]), ("allgather", "bucket", [None, 2]),
                ("allgather", "knomial", [None, 8]), ("barrier", "knomial", [None, 4]),
                ("allgather", "bruck", [None, 4, 8])]:
            with self.subTest(collective=collective, algorithm=algorithm):
                size = [] if collective == "barrier" else ["-n", 1008]
                found = decide(collective, "-p", 6, *size)
                self.assertEqual([c.get("radix", c.get("channels")) for c in found["candidates"]
                                  if c["algorithm"] == algorithm], tried)
        trees = decide("bcast", "-p", 6, "-n", 1008)["candidates"]
        self.assertEqual([c.get("radix") for c in trees
                          if c["algorithm"] == "pipeline" and c["tree"] == "chain"], [None, 4, 8])

    def test_options_apply_to_the_algorithms_that_take_them(self):
        """Algorithms that do not take a given option are still candidates."""
        grid = ["-p", 6, "-n", "1000,64K", "--all"]
        by_mpich = decide("bcast", *grid, "--cuts", "mpich")
        labels = {c["label"] for c in by_mpich["candidates"]}
        self.assertLessEqual({"linear", "binomial", "scatter_allgather, mpich cuts"}, labels)
        cell = cell_of(by_mpich, 6, 1000)
        times = {c["label"]: time for c, time in zip(by_mpich["candidates"], cell["times"])}
        self.assertIn("MPICH has no broadcast in halves",
                      times["split_binary_tree, mpich cuts"]["refused"])
        self.assertIsNone(times["linear"]["refused"])
        own = harness.json_output("simulate", "bcast/scatter_allgather", "-p", 6, "-n", 1000,
                                  "--cuts", "mpich", "--json", "-")
        self.assertEqual(times["scatter_allgather, mpich cuts"]["seconds"], own["simulated_s"])
        binary = decide("bcast", *grid, "--tree", "binary", "--segment", "8K")
        labels = {c["label"] for c in binary["candidates"]}
        self.assertEqual({label for label in labels if label.startswith("pipeline")},
                         {"pipeline, binary tree"})
        self.assertIn("split_binary_tree", labels)

    def test_a_rule_for_all_sizes_is_timed_at_all_of_them(self):
        # No candidate may be dropped as too slow, because a single rule for all sizes is far from optimal at
        # some sizes.
        result = decide("allreduce", "-p", 64, "-n", "8..16MiB*8", "--platform", FAT_TREE,
                        "--rules-at-most", 1, "--tolerance", 0)
        for loss in result["losses"]:
            self.assertLess(loss["most"], 100)
        for cell in result["cells"]:
            self.assertNotIn("beaten", [time["state"] for time in cell["times"]])

    def test_the_documents_tree_is_compared_with_the_best(self):
        result = decide("allreduce", "-p", "2..64*2", "-n", "8..1MiB*8", "--platform", FAT_TREE,
                        "--against", TREE)
        against = result["against"]
        self.assertEqual(len(against["cells"]), len(result["ranks"]) * len(result["sizes_bytes"]))
        losses = []
        for cell in against["cells"]:
            best = cell_of(result, cell["ranks"], cell["bytes"])
            self.assertTrue(math.isclose(cell["best_s"], times_of(best)[best["best"]]["seconds"]))
            self.assertGreaterEqual(cell["loss"], -1e-9)
            losses.append(cell["loss"])
            if cell["refused"]:
                self.assertNotEqual(cell["choice"]["algorithm"], cell["runs"]["algorithm"])
        self.assertTrue(math.isclose(against["mean_loss"], sum(losses) / len(losses)))
        self.assertTrue(math.isclose(against["worst"]["loss"], max(losses)))
        # The vector of 8 bytes has fewer elements than there are ranks. The segmented ring therefore falls
        # back to the plain ring, and the plain ring to recursive doubling.
        cell = next(c for c in against["cells"] if (c["ranks"], c["bytes"]) == (16, 8))
        self.assertEqual(cell["choice"]["algorithm"], "segmented_ring")
        self.assertEqual(cell["runs"]["algorithm"], "recursive_doubling")

    def test_the_decided_table_loses_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.json"
            grid = ["allreduce", *SMALL, "--platform", FAT_TREE]
            self.assertEqual(harness.run("decide", *grid, "--tolerance", 0, "--export", "json",
                                         "-o", table).returncode, 0)
            harness.validate(json.loads(table.read_text()), "tutti-decisions-1")
            against = decide(*grid, "--against", table)["against"]
            self.assertLess(against["worst"]["loss"], 1e-9)

    def test_decisions_are_repeatable(self):
        arguments = ["decide", "allreduce", *SMALL, "--platform", FAT_TREE, "--export", "csv"]
        first = harness.output(*arguments, "--jobs", 1)
        self.assertEqual(first, harness.output(*arguments, "--jobs", 3))

    def test_options_in_a_csv_row_reproduce_its_time(self):
        rows = csv.DictReader(io.StringIO(harness.output(
            "decide", "bcast", "-p", 8, "-n", "1K,1MiB", "--algorithms", "pipeline", "--tree",
            "all", "--all", "--crossover", 0, "--export", "csv")))
        for row in rows:
            if row["state"] == "timed":
                with self.subTest(row=row):
                    result = harness.json_output(
                        "simulate", "bcast/pipeline", "-p", row["ranks"], "-n", row["bytes"],
                        "--tree", row["tree"], "--segment", row["segment_bytes"],
                        *(["--radix", row["radix"]] if row["radix"] else []), "--json", "-")
                    self.assertAlmostEqual(result["simulated_s"] / float(row["seconds"]), 1)

    def test_simulated_times_can_be_used_as_measured_times(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "times.csv"
            simulated = ["allreduce", *SMALL, "--platform", FAT_TREE]
            harness.output("decide", *simulated, "--crossover", 0, "--csv", table)
            again = decide("allreduce", *SMALL, "--by", "measured", table)
            first = decide(*simulated, "--crossover", 0)
            self.assertEqual([d["candidate"] for d in again["decisions"]],
                             [d["candidate"] for d in first["decisions"]])

    def test_a_library_gets_only_its_own_algorithms(self):
        result = decide("allreduce", "-p", "6,8", "-n", "1K..64K*4", "--export", "mpich", "-o",
                        "/dev/null")
        self.assertEqual({c["algorithm"] for c in result["candidates"]},
                         {"recursive_doubling", "reduce_scatter_allgather"})
        self.assertIn("circulant", result["left_out"])
        gathered = decide("allgather", "-p", "6,8", "-n", "960,9600", "--export", "ompi4", "-o",
                          "/dev/null")
        for cell in gathered["cells"]:
            if cell["ranks"] == 6:  # Open MPI then runs Bruck's algorithm instead of recursive doubling
                self.assertNotEqual(candidate_named(gathered, cell["best"])["algorithm"],
                                    "recursive_doubling")

    def test_schemas_have_all_options_of_a_choice(self):
        options = set(harness.schema("tutti-choice-2")["definitions"]["choice"]["properties"])
        measured = harness.schema("tutti-measured-1")["definitions"]["run"]["properties"]
        self.assertLessEqual(options - {"library_algorithm", "protocol", "nccl_channels", "default_segments"}, set(measured))
        harness.validate([{"ranks": 4, "bytes": 64, "algorithm": "ring", "seconds": 1e-6, "radix": 4, "dims": "2,2",
                           "cuts": None, "too_busy": False}], "tutti-measured-1")

    def test_measured_runs_of_other_parts_and_folds_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runs.csv"

            def rules(collective, *lines):
                path.write_text("\n".join(lines) + "\n")
                size = [] if collective == "barrier" else ["-n", 64]
                return harness.output("decide", collective, "-p", 4, *size, "--by", "measured",
                                      path, "--export", "ompi4")

            # nonoverlapping is Open MPI's algorithm 2 only if it consists of the same parts as in Open MPI.
            head = "ranks,bytes,algorithm,seconds"
            times = ["4,64,ring,2e-6", "4,64,nonoverlapping,1e-6"]
            self.assertIn("# ring", rules("allreduce", head, *times))
            composed = rules("allreduce", head + ",parts", times[0] + ",", times[1] + ",open_mpi")
            self.assertIn("# nonoverlapping", composed)
            self.assertIn("# ring", rules("allreduce", head + ",cuts", times[0] + ",",
                                          "4,64,segmented_ring,1e-6,even"))
            # Open MPI's recursive doubling for barriers folds ranks as --fold far does. tutti's dissemination
            # is called bruck in Open MPI.
            times = ["4,0,dissemination,2e-6", "4,0,recursive_doubling,1e-6"]
            near = rules("barrier", head + ",fold", times[0] + ",", times[1] + ",neighbours")
            self.assertIn("# bruck", near)
            far = rules("barrier", head + ",fold", times[0] + ",", times[1] + ",far")
            self.assertIn("# recursive_doubling", far)
            # Simulated times of the library's own variants are read back as measured times of these variants.
            grid = ["allreduce", "-p", "4,6", "-n", "64..64K*32", "--export", "ompi4"]
            simulated = harness.output("decide", *grid, "--all", "--crossover", 0, "--csv", path)
            measured = harness.output("decide", *grid, "--by", "measured", path)
            # Only the reasons differ, because fewer reasons follow from measured times.
            rules = [[line.split("#")[0] for line in text.splitlines()[1:]]
                     for text in (measured, simulated)]
            self.assertEqual(*rules)


if __name__ == "__main__":
    harness.main()
