"""Random arguments of every kind: either a result, or an exception that says what is wrong; never a crash.
TUTTI_SEED sets the seed."""

import os
import random
import sys
import unittest
import warnings

import numpy
import python_module as here
import script_main
import tutti

VALUES = [None, True, False, 0, -1, 1, 3, 4, 7, 2**31, 2**64, -2**70, 0.5, float("nan"), float("inf"), 1e300, "",
          "x", "4", "1KiB", "1..", "8..4", "4..64*2", "--help", "-p", "a\0b", "\ud800", "ü", b"8", b"\xff", [], [4], [4, 8],
          [[4]], ["x", 4], (), {}, {"k": 3}, {3: 4}, object(), numpy.int64(4), numpy.array([4, 8]), numpy.float32(2),
          range(2, 5), "allreduce", "allreduce/ring", "bcast/pipeline", "nothing/else", "crossbar:8", "crossbar:x",
          "/", "/dev/null", "none.xml", "auto", "flow", "simgrid", "unlimited", "random:3", "host", "all", "all:all"]
NAMES = ["ranks", "bytes", "root", "segment", "tree", "skips", "elem_bytes", "set", "groups", "dims", "radix", "limit",
         "unknown", "block_bytes", "machine", "progress", "executor", "db", "algorithms", "with_", "json", "help"]
MACHINE = ["platform", "ranks_per_host", "placement", "hosts", "ports", "engine", "network_model", "eager", "alpha",
           "beta", "gamma", "copy_cost", "parameters", "what_if", "jitter", "late_ranks", "symmetry", "unknown"]
EXPECTED = (tutti.BadInput, tutti.CheckFailed, TypeError, OSError, UnicodeError)


class BadInput(unittest.TestCase):
    def setUp(self):
        seed = int(os.environ.get("TUTTI_SEED", random.randrange(10**6)))
        print(f"TUTTI_SEED={seed}", file=sys.stderr)
        self.random = random.Random(seed)

    def some(self, names, most):
        return {name: self.random.choice(VALUES) for name in self.random.sample(names, self.random.randrange(most))}

    def test_random_arguments(self):
        calls = [
            lambda what, more: tutti.schedule(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.simulate(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.compare(what, **{"ranks": 4, "bytes": 64, "algorithms": "ring", **more}),
            lambda what, more: tutti.decide(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.verify(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.bound(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.explain(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.choose(what, **{"ranks": 4, "bytes": 64, "library": "Open MPI 5.0.6", **more}),
            lambda what, more: tutti.program("bcast", ranks=4, bytes=64).send(0, what, what),
            lambda what, more: tutti.program("bcast", ranks=what, bytes=64, element_bytes=what),
            lambda what, more: tutti.search(what, **{"ranks": 4, "bytes": 64, "evaluations": 1, **more}),
            lambda what, more: tutti.nccl(what, **{"ranks": 4, "bytes": 64, **more}),
            lambda what, more: tutti.list(what),
            lambda what, more: tutti.convert(what, "made.pdf", **more),
            lambda what, more: tutti.plot(what, "made.pdf"),
            lambda what, more: tutti.from_json(what),
            lambda what, more: tutti.lint(what, **more),
            lambda what, more: tutti.score(what, **more),
            lambda what, more: tutti.fit(what, self.random.choice(VALUES), **more),
            lambda what, more: tutti.query(what, **more),
            lambda what, more: tutti.load(what, **more),
            lambda what, more: tutti.platform(what, **more),
            lambda what, more: tutti.Schedule.from_notation(what),
            lambda what, more: tutti.command(what, *more.values()),
            lambda what, more: tutti.Machine(what, **self.some(MACHINE, 4)),
        ]
        refused = 0
        for number in range(10_000):
            call = self.random.choice(calls)
            what = self.random.choice(["allreduce", "allreduce/ring", "bcast", *VALUES])
            more = self.some(NAMES, 4)
            # These values are valid, and would take long or write files.
            if "/" in map(str, (what, *more.values())):
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call(what, more)
            except EXPECTED as error:
                refused += 1
                self.assertTrue(str(error), (number, what, more))
                self.assertNotIn("\n", str(error).strip(), (number, what, more))
        self.assertGreater(refused, 2500)
        self.assertGreater(tutti.simulate("allreduce/ring", ranks=4, bytes=64).total_s, 0)


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
