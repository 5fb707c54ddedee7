"""Changes one step of an MSCCL file. Either `tutti verify` refuses the result, or it does no harm: an
independent replay of the file gives the right result, in many random orders. TUTTI_SEED sets the seed."""

import argparse
import os
import pathlib
import random
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import harness
import msccl_replay
import script_main

COUNT = 30  # files for each kind of change
ORDERS = 30
ALGORITHMS = ["allreduce/ring", "allreduce/recursive_doubling", "allreduce/rabenseifner", "allgather/bruck",
              "allgather/ring", "reduce_scatter/butterfly", "reduce_scatter/ring", "alltoall/pairwise",
              "alltoall/bruck"]


def drop_step(algo, choice):
    """Steps that wait for the dropped one wait for the one before it."""
    gpu, tb, step = choice(steps_of(algo))
    number = int(step.get("s"))
    tb.remove(step)
    for other in tb.findall("step"):
        if int(other.get("s")) > number:
            other.set("s", str(int(other.get("s")) - 1))
    for other in gpu.iter("step"):
        if other.get("depid") == tb.get("id") and int(other.get("deps")) >= number:
            other.set("deps", str(int(other.get("deps")) - 1))
    return len(tb.findall("step")) > 0


def drop_wait(algo, choice):
    waits = [step for _, _, step in steps_of(algo) if step.get("depid") != "-1"]
    if not waits:
        return False
    step = choice(waits)
    step.set("depid", "-1")
    step.set("deps", "-1")
    return True


def shift_offset(algo, choice):
    _, _, step = choice(steps_of(algo))
    name = choice(["srcoff", "dstoff"])
    step.set(name, str(max(int(step.get(name)) + choice([-1, 1]), 0)))
    return True


def swap_steps(algo, choice):
    _, tb, first = choice(steps_of(algo))
    second = choice(tb.findall("step"))
    for name in ("type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt"):
        a, b = first.get(name), second.get(name)
        first.set(name, b)
        second.set(name, a)
    return first is not second


def change_type(algo, choice):
    _, _, step = choice([each for each in steps_of(algo) if each[2].get("type") in ("r", "cpy", "re")])
    step.set("type", {"r": "rrc", "cpy": "re", "re": "cpy"}[step.get("type")])
    return True


def swap_channels(algo, choice):
    _, tb, _ = choice(steps_of(algo))
    tb.set("chan", str(int(tb.get("chan")) + 1))
    return True


CHANGES = [drop_step, drop_wait, shift_offset, swap_steps, change_type, swap_channels]


def steps_of(algo):
    return [(gpu, tb, step) for gpu in algo.findall("gpu") for tb in gpu.findall("tb")
            for step in tb.findall("step")]


class Mutants(unittest.TestCase):
    def setUp(self):
        seed = int(os.environ.get("TUTTI_SEED", random.randrange(10**6)))
        print(f"TUTTI_SEED={seed}", file=sys.stderr)
        self.random = random.Random(seed)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def written(self, algorithm, ranks):
        path = self.path / "good.xml"
        done = harness.run("convert", algorithm, path, "-p", ranks, "-n", ranks * 64)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_text()

    def replay(self, text):
        algo = ElementTree.fromstring(text)
        for form, in_place in (("outofplace", False), ("inplace", True)):
            if algo.get(form) == "1":
                for _ in range(ORDERS):
                    msccl_replay.Replay(text, in_place).run(self.random)

    def test_the_files_themselves_are_right(self):
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                self.replay(self.written(algorithm, 4))

    def test_changed_files(self):
        texts = [self.written(algorithm, ranks) for algorithm in ALGORITHMS for ranks in (2, 4)]
        for change in CHANGES:
            refused = 0
            for number in range(COUNT):
                algo = ElementTree.fromstring(self.random.choice(texts))
                while not change(algo, self.random.choice):
                    algo = ElementTree.fromstring(self.random.choice(texts))
                text = ElementTree.tostring(algo, encoding="unicode")
                path = self.path / "changed.xml"
                path.write_text(text)
                done = harness.run("verify", path)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                if done.returncode != 0:
                    refused += 1
                    continue
                with self.subTest(change.__name__, number=number):
                    try:
                        self.replay(text)
                    except msccl_replay.Wrong as wrong:
                        self.fail(f"tutti verify accepts a wrong file ({wrong}):\n{text}")
            print(f"{change.__name__}: {refused} of {COUNT} are refused, the others are harmless", file=sys.stderr)
            if COUNT >= 500:  # few files may by chance all stay harmless
                self.assertGreater(refused, COUNT // 4, change.__name__)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=COUNT)
    known, rest = parser.parse_known_args()
    COUNT = known.count
    script_main.main(*rest)
