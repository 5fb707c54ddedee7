"""Ends a script of tests so that ctest tells what was skipped: exit 77, which ctest shows as a skipped
test, where a test was skipped and none failed. What ran and passed is in the output."""

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
