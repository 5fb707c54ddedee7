"""Compares what `tutti decide --library` promises with what runs with its files. For decided numbers of ranks, the
promised time equals that of the schedule that `tutti choose` names with the files. On other numbers of ranks,
between the decided ones and outside of them, no call is slower with the files than without. TUTTI_SEED sets the
seed of the samples; --count 0 checks everything."""

import argparse
import concurrent.futures
import csv
import json
import os
import random
import sys
import tempfile
import unittest

import harness
import script_main

COUNT = 25  # cells to check, for each library and each number of ranks per host
TOLERANCE = 0.01
LIBRARIES = ("Open MPI 4.1.4", "Open MPI 5.0.6", "MPICH 4.2")
PER_HOST = (1, 4)
RANKS = (4, 8, 16, 32)
# Collectives in which each rank has data of its own.
BLOCKS = ("allgather", "allgatherv", "alltoall", "alltoallv", "gather", "gatherv", "reduce_scatter",
          "reduce_scatter_block", "scatter", "scatterv")
UNDECIDED = 5  # numbers of ranks
ROOM = 80  # ranks on the platform with 4 on each host


class Promise(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        os.chdir(cls.folder.name)
        seed = int(os.environ.get("TUTTI_SEED", random.randrange(1 << 32)))
        print(f"TUTTI_SEED={seed}", file=sys.stderr)
        cls.random = random.Random(seed)
        cls.platforms = {"thin.xml": ("fat_tree", "--down", "5,4", "--up", "1,2", "--bw", "100Gbps", "--lat", "0.5us",
                                      "--cores", 4, "--loopback-bw", "100Gbps", "--loopback-lat", "0.2us"),
                         "slow.xml": ("crossbar", "--hosts", 20, "--bw", "1Gbps", "--lat", "20us", "--cores", 4)}
        for name, words in cls.platforms.items():
            harness.output("platform", *words, "-o", name)
        cls.times = {}

    def sample(self, cells):
        return cells if COUNT == 0 else self.random.sample(cells, min(COUNT, len(cells)))

    def time_all(self, platform, commands):
        """Fills in self.times: the simulated time of each command that `choose` printed."""
        new = sorted({(platform, command) for command in commands if command} - set(self.times))

        def simulate(key):
            return harness.time_of(harness.json_output(*key[1].split()[1:], "--platform", key[0], "--json", "-"))

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.times.update(zip(new, pool.map(simulate, new)))

    def chosen(self, library, collective, ranks, sizes, per_host, *table):
        """Returns {(ranks, size): command or None}."""
        given = [] if collective == "barrier" else ["-n", ",".join(map(str, sizes))]
        found = harness.json_output("choose", collective, "-p", ranks, *given, "--library", library, *table,
                                    "--ranks-per-host", per_host, "--json", "-")["choices"]
        return {(ranks, size): each["command"] for size, each in zip(sizes, found)}

    def test_files_do_what_was_promised(self):
        for number, library in enumerate(LIBRARIES):
            platform = list(self.platforms)[number % 2]
            folder = library.replace(" ", "_")
            harness.output("decide", "all", "--library", library, "--platform", platform, "-p",
                           ",".join(map(str, RANKS)), "-n", "64,4K,64K,512K", "--ranks-per-host",
                           ",".join(map(str, PER_HOST)), "-o", folder)
            with open(f"{folder}/gains.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            for per_host in PER_HOST:
                own = [row for row in rows if row["ranks_per_host"] == str(per_host)]
                self.decided(library, platform, folder, per_host, self.sample(own))
                self.undecided(library, platform, folder, per_host, own)

    def decided(self, library, platform, folder, per_host, rows):
        commands = {}
        for row in rows:
            collective, ranks, size = row["collective"], int(row["ranks"]), int(row["bytes"])
            command = self.chosen(library, collective, ranks, [size], per_host, "--table", folder)[ranks, size]
            self.assertEqual(command is None, row["rules_s"] == "", (library, row))
            commands[json.dumps(row)] = command
        self.time_all(platform, commands.values())
        for row, command in commands.items():
            if command:
                with self.subTest(library=library, row=row, command=command):
                    promised = float(json.loads(row)["rules_s"])
                    self.assertAlmostEqual(self.times[platform, command] / promised, 1, delta=1e-9)
        print(f"{library}, {per_host} per host: {len(rows)} promised times", file=sys.stderr)

    def undecided(self, library, platform, folder, per_host, rows):
        room = ROOM // 4 * per_host
        decided = sorted({int(row["ranks"]) for row in rows})
        others = [p for p in range(2, room + 1) if p not in decided]
        outside = [p for p in others if not decided[0] <= p <= decided[-1]]
        inside = [p for p in others if p not in outside]
        several = min(2, len(outside))
        numbers = self.random.sample(outside, several) + self.random.sample(
            inside, min(len(inside), UNDECIDED - several))
        sizes = {row["collective"]: set() for row in rows}
        for row in rows:
            sizes[row["collective"]].add(int(row["bytes"]))
        units = {ranks: 8 * ranks for ranks in numbers}  # equal blocks, which some collectives need
        calls = [(collective, ranks, size // units[ranks] * units[ranks] if collective in BLOCKS else size)
                 for collective, own in sorted(sizes.items()) for size in sorted(own) for ranks in numbers
                 if collective not in BLOCKS or size >= units[ranks]]
        pairs = {}
        for collective, ranks, size in self.sample(calls):
            key = (ranks, size)
            pairs[collective, ranks, size] = (
                self.chosen(library, collective, ranks, [size], per_host, "--table", folder)[key],
                self.chosen(library, collective, ranks, [size], per_host)[key])
        changed = {call: pair for call, pair in pairs.items() if pair[0] != pair[1]}
        self.time_all(platform, [command for pair in changed.values() for command in pair])
        for call, (command, without) in changed.items():
            with self.subTest(library=library, per_host=per_host, call=call, command=command, without=without):
                if without:
                    self.assertIsNotNone(command)
                    self.assertLessEqual(self.times[platform, command],
                                         self.times[platform, without] * (1 + TOLERANCE + 1e-9))
        print(f"{library}, {per_host} per host: {len(pairs)} calls on {sorted(numbers)} ranks, {len(changed)} of them "
              "run in another way", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=COUNT)
    known, rest = parser.parse_known_args()
    COUNT = known.count
    script_main.main(*rest)
