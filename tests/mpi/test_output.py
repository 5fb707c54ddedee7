"""Tests the output of tutti-mpi run: the report, JSON and the timeline."""

import csv
import json
import pathlib
import unittest

from launch import SOURCE_DIR, busy_machine, main, tutti_mpi


def validate(instance, name):
    import jsonschema
    schema = json.loads((SOURCE_DIR / "src/formats/schemas" / f"{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(instance, schema, jsonschema.Draft7Validator)


class Output(unittest.TestCase):
    def test_text_report(self):
        done = tutti_mpi(3, "run", "reduce_scatter/circulant", "-n", "1000", "--block-bytes",
                         "400,0,600", "--type", "float", "--tags", "1", "--budget", "10ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("reduce_scatter/circulant on 3 ranks, 1000 bytes in blocks of 0 bytes "
                      "to 600 bytes (float, sum)", done.stdout)
        self.assertIn("3 ranks on 1 node: ranks 0-2 on ", done.stdout)
        self.assertRegex(done.stdout, r"all 1000 bytes correct after each of \d+ runs: ")

    def test_a_schedule_file_is_run(self):
        done = tutti_mpi(3, "run", SOURCE_DIR / "tests" / "golden" / "ring_p3.tutti", "--iterations",
                         "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bytes correct", done.stdout)

    def test_schedules_without_blocks_are_refused(self):
        program = SOURCE_DIR / "examples" / "schedules" / "as_printed" / "basic_linear.sched"
        form = SOURCE_DIR / "tests" / "golden" / "ring_p2_document.tutti"
        for file, options, where in [(program, ["-n", "160"], "Req(<1,0>,{0,1}) in line 11"),
                                     (form, [], "Req(<0,0>,{0,1}) in line 10")]:
            done = tutti_mpi(2, "run", file, *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            complaints = [line for line in done.stderr.splitlines() if line.startswith("tutti")]
            self.assertEqual(len(complaints), 1, done.stderr)
            self.assertIn("MPI cannot run it, because nothing says which data it sends", complaints[0])
            self.assertIn(where, complaints[0])

    def test_switches_are_refused(self):
        """An algorithm that needs switches is refused if it is given by name or in a file. If a whole
        collective is run, such algorithms are left out silently."""
        for what in [["allreduce/sharp", "-n", "64"],
                     [SOURCE_DIR / "tests" / "golden" / "sharp_p3.tutti"]]:
            done = tutti_mpi(3, "run", *what)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            complaints = [line for line in done.stderr.splitlines() if line.startswith("tutti")]
            self.assertEqual(len(complaints), 1, done.stderr)
            self.assertIn("MPI has only ranks", complaints[0])
        done = tutti_mpi(2, "run", "barrier", "--iterations", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("sharp", done.stdout)

    def test_json_output(self):
        done = tutti_mpi(2, "run", "bcast/binomial", "-n", "64K", "--root", "1", "--iterations",
                         "3", "--warmup", "1", "--against-library", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        validate(result, "tutti-run-1")
        # The job does three runs of tutti's schedule and three of the library's collective. A busy machine
        # may disturb some of them.
        self.assertEqual(len(result["times_s"]), result["iterations"])
        self.assertEqual(len(result["times_s"] + result["library_times_s"]) + result["left_out"], 6)
        self.assertGreaterEqual(result["disturbed"], result["left_out"])
        self.assertEqual(result["library_call"], "MPI_Bcast")
        self.assertEqual(result["bytes_compared"], 2 * 65536)
        # There are one warm-up run, three timed runs, and five recorded runs.
        self.assertEqual(result["runs_compared"], 9)
        self.assertEqual(result["wrong"], [])
        self.assertEqual(len(result["timeline"]["end_s"]), result["ops"])

    def test_options_that_none_of_a_collectives_algorithms_takes_are_refused(self):
        done = tutti_mpi(2, "run", "scan", "-n", "64", "--tree", "chain")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("no algorithm of scan takes --tree", done.stderr)
        done = tutti_mpi(2, "run", "allreduce/ring,allreduce", "-n", "64", "--fold", "far")
        self.assertIn("allreduce/ring takes no --fold", done.stderr)

    def test_algorithms_without_individual_block_sizes_are_left_out(self):
        done = tutti_mpi(2, "run", "reduce_scatter", "--block-bytes", "8,48", "--budget", "1ms", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(done.stdout)
        self.assertEqual({result["algorithm"]: result["refused"] for result in results if result.get("refused")},
                         {name: f"{name} splits the vector evenly, so --block-bytes does not apply"
                          for name in ("multilane", "nccl_ring")})
        self.assertGreater(len(results), 10)

    def test_lists_of_algorithms_and_sizes(self):
        """Runs every algorithm of a collective at several sizes; table, JSON and CSV must agree."""
        done = tutti_mpi(3, "run", "allgather", "-n", "8,1200", "--budget", "5ms", "--json",
                         "runs.json", "--csv", "runs.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(pathlib.Path("runs.json").read_text())
        validate(results, "tutti-run-1")
        with open("runs.csv", encoding="ascii", newline="") as file:
            rows = list(csv.DictReader(file))
        table = [line.split() for line in done.stdout.splitlines() if line.startswith("allgather/")]
        self.assertEqual(len(results), len(rows))
        self.assertEqual(len(results), len(table))
        self.assertEqual([cell[:2] for cell in table],
                         [[f"allgather/{r['algorithm']}", str(r["bytes"])] for r in results])
        for result, row, cells in zip(results, rows, table):
            self.assertEqual(result.get("refused", ""), row["refused"])
            if "refused" in result:
                self.assertEqual(cells[2], "refused:")
                continue
            self.assertEqual(float(row["median_s"]), result["median_s"])
            self.assertLess(abs(float(cells[2]) - 1e6 * result["median_s"]), 0.0051)
            self.assertIn("right", cells)
            self.assertEqual("busy:" in cells, result["too_busy"])
            self.assertEqual(row["too_busy"], str(result["too_busy"]).lower())
            self.assertLessEqual(result["median_low_s"], result["median_s"])
            self.assertLessEqual(result["median_s"], result["median_high_s"])
            self.assertLessEqual(result["first_rank_s"], result["last_rank_s"])
            self.assertGreaterEqual(result["iterations"], 3)

    def test_no_verdict_on_a_busy_machine(self):
        """Disturbances are random, but the statements about them must be consistent."""
        with busy_machine():
            done = tutti_mpi(2, "run", "allreduce/recursive_doubling", "-n", "64K", "--iterations",
                             "12", "--warmup", "1", "--against-library", "--json", "busy.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(pathlib.Path("busy.json").read_text())
        validate(result, "tutti-run-1")
        if result["oversubscribed"]:
            self.skipTest("two ranks share a core, so nothing counts as a disturbance")
        self.assertEqual("TOO BUSY" in done.stdout, result["too_busy"])
        self.assertEqual("times as long" in done.stdout, not result["too_busy"])
        lists = len(result["times_s"] + result["library_times_s"])
        self.assertEqual(lists + result["left_out"], 24)
        self.assertEqual(result["fastest_s"], min(result["times_s"]))
        if result["too_busy"]:
            self.assertGreater(result["disturbed"], 6)
            self.assertRegex(done.stdout, r"fastest .*, median .* of 12 runs, \d+ of them disturbed")
        else:
            self.assertLess(result["disturbed"], 14)

    def test_timeline_of_a_run(self):
        path = pathlib.Path("timeline.json")
        done = tutti_mpi(4, "run", "allreduce/ring", "-n", "4000", "--iterations", "3",
                         "--timeline", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        timeline = json.loads(path.read_text())
        validate(timeline, "tutti-timeline-1")
        slices = [e for e in timeline["traceEvents"] if e["ph"] == "X"]
        # 24 messages have a slice at the sender and one at the receiver, and there are 12 reductions.
        self.assertEqual(len(slices), 60)
        sends = {e["args"]["op"]: e for e in slices if e["args"].get("side") == "send"}
        for event in slices:
            if event["args"].get("side") == "receive":
                # By the common clock, no data arrive before they are sent.
                end = event["ts"] + event["dur"]
                self.assertGreaterEqual(end, sends[event["args"]["op"]]["ts"])


if __name__ == "__main__":
    main()
