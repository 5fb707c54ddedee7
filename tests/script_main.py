"""Runs the tests of a script so that ctest reports skips. The exit code is 77, which ctest shows as skipped,
if a test was skipped and none failed. Standard error lists the skipped tests.

A test with many cases runs some of them: each run draws others, and TUTTI_TEST_SEED repeats those of a run of the
whole script. With TUTTI_ALL_CASES, as in the slow tests, all run."""

import functools
import os
import random
import sys
import unittest

ALL_CASES = "TUTTI_ALL_CASES" in os.environ
SEED = os.environ.get("TUTTI_TEST_SEED") or str(random.randrange(10**6))
drawn = random.Random(SEED)


@functools.cache
def print_seed():
    print(f"TUTTI_TEST_SEED={SEED}", file=sys.stderr)


def some_of(cases, share):
    """Returns 1/`share` of the cases, drawn at random, in their order; at least one if there are any."""
    cases = list(cases)
    if ALL_CASES:
        return cases
    print_seed()
    return [cases[at] for at in sorted(drawn.sample(range(len(cases)), -(-len(cases) // share)))]


def main(*arguments):
    program = unittest.main(module="__main__", argv=[sys.argv[0], *arguments], exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0 and not result.skipped:
        print("no test was found", file=sys.stderr)
        sys.exit(1)
    for test, why in result.skipped:
        print(f"skipped: {test}: {why}", file=sys.stderr)
    if result.skipped:
        sys.exit(77)
