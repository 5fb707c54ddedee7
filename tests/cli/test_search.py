"""Tests of `tutti search`."""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness

FINDS = 3  # finds of random searches, which are proved again
COLLECTIVES = ["allreduce", "bcast", "reduce", "reduce_scatter", "allgather", "alltoall"]
PLATFORMS = ["crossbar_64", "ethernet_10g_64", "infiniband_hdr_128", "infiniband_hdr_128_thin", "slingshot_128",
             "smp_16x8", "torus_64"]
TORUS = ["--platform", "platforms/torus_64.xml"]
ALLTOALL = ["alltoall", "-p", 16, "-n", "1MiB", *TORUS]


class Search(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def found(self, *arguments):
        document = json.loads(harness.output("search", *arguments, "--json", "-", cwd=harness.SOURCE_DIR))
        harness.validate(document, "tutti-search-1")
        return document["sizes"] if len(document["sizes"]) > 1 else document["sizes"][0]

    def refused(self, text, *arguments):
        done = harness.run("search", *arguments, cwd=harness.SOURCE_DIR)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_schedule_of_the_user_is_the_baseline(self):
        found = self.found(*ALLTOALL, "--evaluations", 150, "-o", self.path / "found.tutti")
        # The best known algorithm, as the user's own schedule, changes nothing.
        known, *options = found["best_known"].split()
        mine = self.path / "mine.sched"
        mine.write_text(harness.output("show", known, "-p", 16, "-n", "1MiB", *options))
        again = self.found("alltoall", "--with", mine, *TORUS, "--evaluations", 150)
        self.assertEqual(again["found_s"], found["found_s"])
        given, = again["given"]
        self.assertEqual((given["file"], given["refused"], given["unproved"]), (str(mine), None, None))
        self.assertAlmostEqual(given["simulated_s"], found["best_known_s"], delta=1e-9)
        # The schedule that was found is a baseline that the same search does not beat.
        given = self.found("alltoall", "--with", self.path / "found.tutti", *TORUS, "--evaluations", 150)
        self.assertEqual(given["best_known"], given["given"][0]["algorithm"])
        self.assertAlmostEqual(given["best_known_s"], found["found_s"], delta=1e-9 * found["found_s"])
        self.assertIsNone(given["found_s"])
        text = harness.output("search", "alltoall", "--with", mine, *TORUS, "--evaluations", 150, cwd=harness.SOURCE_DIR)
        self.assertRegex(text, r"given +\S+ \S+ +\S+ x limit")
        self.assertRegex(text, r"against +\S+.*: .*; found takes [0-9.]+ % less")
        self.refused("-p/--ranks '8'", "alltoall", "--with", mine, "-p", 8, *TORUS)
        self.refused("is a schedule for alltoall", "allreduce", "--with", mine, *TORUS)

    def test_a_schedule_without_proof_has_no_limit(self):
        mine = self.path / "doc.sched"
        one = ("allreduce", "-p", 8, "-n", "1KiB")
        harness.output("show", "allreduce/recursive_doubling", *one[1:], "--format", "document", "-o", mine)
        printed = harness.output("search", *one, "--with", mine, "--evaluations", 10)
        given = re.search(r"^  given .*$", printed, re.M).group(0)
        self.assertIn("unproved", given)
        self.assertNotIn("limit", given)

    def test_a_find_is_faster_proved_and_the_same_in_simgrid(self):
        file = self.path / "found.tutti"
        found = self.found(*ALLTOALL, "--evaluations", 150, "-o", file)
        self.assertLess(found["found_s"], found["best_known_s"])
        self.assertGreaterEqual(found["found_s"], found["bound_s"])
        self.assertEqual(found["file"], str(file))
        self.assertEqual(sum(each["evaluations"] for each in found["families"]), found["evaluations"])
        text = file.read_text()
        self.assertIn("# Found by 'tutti search'", text)
        self.assertIn(found["best_known"], text)
        self.assertIn("proved 1", harness.output("verify", file))
        run = json.loads(harness.output("simulate", file, *TORUS, "--engine", "both", "--json", "-",
                                        cwd=harness.SOURCE_DIR))
        self.assertAlmostEqual(run["simulated_s"], found["found_s"], delta=1e-3 * found["found_s"])
        self.assertLess(run["engines_differ_by"], 1e-6)

    def test_a_find_as_a_program_goes_to_decide(self):
        file = self.path / "found.sched"
        found = self.found(*ALLTOALL, "--evaluations", 150, "-o", file)
        decided = json.loads(harness.output("decide", "alltoall", "-p", 16, "-n", "1MiB", "--crossover", 0, *TORUS,
                                            "--with", file, "--json", "-", cwd=harness.SOURCE_DIR))
        cell = decided["cells"][0]
        times = {decided["candidates"][i]["label"]: each.get("seconds") for i, each in enumerate(cell["times"])}
        mine = [seconds for label, seconds in times.items() if label.startswith("found_")]
        self.assertEqual(len(mine), 1, times)
        self.assertAlmostEqual(mine[0], found["found_s"], delta=1e-9 * found["found_s"])
        self.assertEqual(mine[0], min(seconds for seconds in times.values() if seconds))
        self.assertIn("proved 2", harness.output("verify", file, "-n", "8K,1MiB"))
        refused = harness.run("verify", file, "-p", 8, "-n", 64)
        self.assertIn("this program is for 16 ranks", refused.stdout + refused.stderr)

    def test_several_sizes(self):
        file = self.path / "found.sched"
        sizes = self.found("alltoall", "-p", 16, "-n", "4KiB,64KiB,1MiB", *TORUS, "--evaluations", 100, "-o", file)
        self.assertEqual([each["bytes"] for each in sizes], [4096, 65536, 1048576])
        chosen = {each["choice_bytes"] for each in sizes} - {None}
        self.assertTrue(chosen)
        for each in sizes:
            best = min(filter(None, [each["found_s"], each["best_known_s"]]))
            self.assertLessEqual(each["choice_s"], 1.01 * best)
            path = self.path / f"found_{each['bytes']}.sched"
            if path.exists():
                self.assertRegex(path.read_text(), rf"(?m)^algorithm found_\w+_{each['bytes']}$")
            self.assertEqual(each["file"], str(path) if each["bytes"] in chosen else None)
            self.assertEqual(path.exists(), each["bytes"] in chosen)
            if each["choice_bytes"] is None:
                self.assertEqual(each["choice_s"], each["best_known_s"])
                continue
            run = json.loads(harness.output(
                "simulate", self.path / f"found_{each['choice_bytes']}.sched", "-p", 16, "-n", each["bytes"], *TORUS,
                "--json", "-", cwd=harness.SOURCE_DIR))
            self.assertAlmostEqual(run["simulated_s"], each["choice_s"], delta=1e-2 * each["choice_s"])

    def test_the_best_known_is_that_of_decide(self):
        decided = json.loads(harness.output("decide", "allreduce", "-p", 16, "-n", "64KiB", "--crossover", 0,
                                            *TORUS, "--json", "-", cwd=harness.SOURCE_DIR))
        cell = decided["cells"][0]
        best = min(each["seconds"] for each in cell["times"] if each.get("seconds"))
        found = self.found("allreduce", "-p", 16, "-n", "64KiB", *TORUS, "--evaluations", 1)
        self.assertAlmostEqual(found["best_known_s"], best, delta=1e-12)

    def test_the_same_seed_gives_the_same(self):
        def text(*more):
            out = harness.output("search", *ALLTOALL, "--evaluations", 60, *more, cwd=harness.SOURCE_DIR)
            return [line for line in out.splitlines() if "with seed" not in line]
        self.assertEqual(text("--jobs", 1), text("--jobs", 2))
        self.assertNotEqual(text(), text("--seed", 2))

    def test_a_limit_that_is_reached_ends_the_search(self):
        file = self.path / "found.tutti"
        out = harness.output("search", "allgather", "-p", 12, "-n", "12KiB", "--time", "50s", "-o", file)
        self.assertIn("Nothing faster than the best known algorithm was found", out)
        self.assertRegex(out, "file +not written")
        self.assertIn("tried       0 schedules", out)
        self.assertFalse(file.exists())

    def test_ctrl_c_keeps_the_best(self):
        file = self.path / "found.tutti"
        command = [harness.TUTTI, "search", *map(str, ALLTOALL), "--time", "300s", "-o", file]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=harness.SOURCE_DIR) as process:
            out = ""
            while " %  " not in out:  # until the first row of the table
                out += process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=harness.TIMEOUT_S)
        self.assertIn("Found: ", rest)
        self.assertIn(f"the best so far is in {file}\n", errors)
        self.assertEqual(process.returncode, 130)
        self.assertIn("proved 1", harness.output("verify", file))

    def test_random_finds_are_right(self):
        seed = int(os.environ.get("TUTTI_SEED", random.randrange(10**6)))
        print(f"TUTTI_SEED={seed}", file=sys.stderr)
        draw = random.Random(seed)
        found = number = 0
        while found < FINDS:
            number += 1
            self.assertLess(number, 40 + 10 * FINDS, "nearly all searches find nothing")
            name = draw.choice(PLATFORMS)
            platform = ["--platform", f"platforms/{name}.xml", "--ranks-per-host", 8 if name == "smp_16x8" else 1,
                        "--ports", draw.choice(["1", "1", "2", "unlimited"])]
            ranks = draw.choice([2, 3, 7, 12, 16, 27, 32])
            collective = draw.choice(COLLECTIVES)
            size = ranks * draw.choice([8, 24, 512, 8192, 65536])
            if collective in ["allreduce", "bcast", "reduce"]:
                size += 8 * draw.randrange(ranks)
            file = self.path / f"{number}.{draw.choice(['tutti', 'sched'])}"
            arguments = [collective, "-p", ranks, "-n", size, *platform, "--evaluations", 48,
                         "--seed", draw.randrange(1000), "-o", file]
            with self.subTest(arguments=arguments):
                result = self.found(*arguments)
                if result["found_s"] is None:
                    self.assertFalse(file.exists())
                    continue
                found += 1
                self.assertLess(result["found_s"], result["best_known_s"])
                self.assertGreaterEqual(result["found_s"], result["bound_s"] * (1 - 1e-9))
                on = ["-p", ranks, "-n", size] if file.suffix == ".sched" else []
                self.assertIn("proved 1", harness.output("verify", file, *on))
        print(f"{found} of {number} searches found something", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--finds", type=int, default=FINDS)
    known, rest = parser.parse_known_args()
    FINDS = known.finds
    harness.script_main.main(*rest)
