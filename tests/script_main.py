"""Runs the tests of a script so that ctest reports skips. The exit code is 77, which ctest shows as skipped,
if a test was skipped and none failed. Standard error lists the skipped tests."""

import sys
import unittest


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
