"""Changes a line of a GOAL file. `tutti verify` refuses the result exactly if an independent run of the file
does not end properly. TUTTI_SEED sets the seed."""

import argparse
import collections
import os
import pathlib
import random
import re
import sys
import tempfile
import unittest

import harness
import script_main

COUNT = 40  # files for each kind of change
ALGORITHMS = ["allreduce/ring", "allreduce/rabenseifner", "allgather/bruck", "alltoall/pairwise", "bcast/binomial",
              "scan/recursive_doubling", "barrier/dissemination"]
OPERATION = re.compile(r"(?:(\w+): )?(send|recv|calc) (\d+)(?:b (?:to|from) (\d+) tag (\d+))?$")
REQUIRES = re.compile(r"(\w+) requires (\w+)$")


def ends_properly(lines):
    """Runs the file with buffers for all messages: every operation runs, and every message is received."""
    ops, wants = {}, collections.defaultdict(set)
    rank = -1
    for number, line in enumerate(lines):
        line = line.strip()
        if line.startswith("rank "):
            rank += 1
        elif found := OPERATION.match(line):
            ops[rank, found[1] or number] = found.groups()[1:]
        elif found := REQUIRES.match(line):
            if (rank, found[1]) not in ops or (rank, found[2]) not in ops:
                return False
            wants[rank, found[1]].add((rank, found[2]))
    messages = collections.defaultdict(collections.deque)
    left = dict(ops)
    while left:
        done = []
        for (rank, label), (kind, amount, peer, tag) in left.items():
            if any(each in left for each in wants[rank, label]):
                continue
            if kind == "send":
                messages[rank, int(peer), tag].append(int(amount))
            elif kind == "recv":
                waiting = messages[int(peer), rank, tag]
                if not waiting:
                    continue
                if waiting.popleft() > int(amount):
                    return False
            done.append((rank, label))
        if not done:
            return False
        for each in done:
            del left[each]
    return not any(messages.values())


def drop_line(lines, choice):
    at = choice([i for i, line in enumerate(lines) if OPERATION.match(line.strip()) or REQUIRES.match(line.strip())])
    del lines[at]


def swap(pattern):
    def change(lines, choice):
        of_messages = [i for i, line in enumerate(lines) if re.search(pattern, line)]
        i, j = choice(of_messages), choice(of_messages)
        a, b = re.search(pattern, lines[i])[0], re.search(pattern, lines[j])[0]
        lines[i], lines[j] = re.sub(pattern, b, lines[i]), re.sub(pattern, a, lines[j])
    return change


def change_size(lines, choice):
    at = choice([i for i, line in enumerate(lines) if " tag " in line])
    lines[at] = re.sub(r"(\d+)b", lambda found: f"{max(int(found[1]) + choice([-1, 1]), 0)}b", lines[at])


def turn_round(lines, choice):
    at = choice([i for i, line in enumerate(lines) if REQUIRES.match(line.strip())])
    lines[at] = re.sub(r"(\w+) requires (\w+)", r"\2 requires \1", lines[at])


CHANGES = {"drop a line": drop_line, "swap tags": swap(r"(?<=tag )\d+"), "swap peers": swap(r"\d+(?= tag)"),
           "change a size": change_size, "turn a dependency round": turn_round}


class Mutants(unittest.TestCase):
    def setUp(self):
        seed = int(os.environ.get("TUTTI_SEED", random.randrange(10**6)))
        print(f"TUTTI_SEED={seed}", file=sys.stderr)
        self.random = random.Random(seed)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def written(self, algorithm, ranks):
        path = self.path / "good.goal"
        done = harness.run("convert", algorithm, path, "-p", ranks,
                           *([] if algorithm.startswith("barrier") else ["-n", ranks * 64]))
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_text().splitlines()

    def test_changed_files(self):
        files = [self.written(algorithm, ranks) for algorithm in ALGORITHMS for ranks in (3, 4)]
        for lines in files:
            self.assertTrue(ends_properly(lines))
        path = self.path / "changed.goal"
        for name, change in CHANGES.items():
            refused = 0
            for number in range(COUNT):
                lines = list(self.random.choice(files))
                change(lines, self.random.choice)
                path.write_text("\n".join(lines) + "\n")
                done = harness.run("verify", path)
                with self.subTest(name, number=number):
                    self.assertIn((done.returncode, "UNPROVED" in done.stdout), ((1, True), (2, False)))
                    self.assertEqual(done.returncode == 1, ends_properly(lines), f"{path.read_text()}\n{done.stderr}")
                refused += done.returncode == 2
            print(f"{name}: {refused} of {COUNT} are refused, the others end properly", file=sys.stderr)
            if COUNT >= 500:  # few files may by chance all stay sound
                self.assertGreater(refused, COUNT // 20, name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=COUNT)
    known, rest = parser.parse_known_args()
    COUNT = known.count
    script_main.main(*rest)
