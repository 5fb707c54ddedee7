"""Output that people and programs read, held against files in tests/golden.

After a wanted change: python3 tests/cli/test_golden.py --update, and look at the difference.
"""

import difflib
import sys
import unittest

import harness

GOLDEN = harness.SOURCE_DIR / "tests" / "golden"
CASES = {
    "list_allreduce.txt": ["list", "allreduce"],
    "ring_p3.tutti": ["show", "allreduce/ring", "-p", 3, "-n", 40],
    "recursive_doubling_p5.tutti": ["show", "allreduce/recursive_doubling", "-p", 5, "-n", 64],
    "circulant_p5.tutti": ["show", "allreduce/circulant", "-p", 5, "-n", 48],
    "ring_p3.dot": ["show", "allreduce/ring", "-p", 3, "-n", 24, "--format", "dot"],
    "ring_p2.json": ["show", "allreduce/ring", "-p", 2, "-n", 16, "--format", "json"],
    "ring_p8_stats.txt": ["show", "allreduce/ring", "-p", 8, "-n", "1MiB", "--format", "stats"],
    "recursive_doubling_p2_timeline.json": [
        "simulate", "allreduce/recursive_doubling", "-p", 2, "-n", 64, "--timeline", "-"],
}


class Golden(unittest.TestCase):
    maxDiff = None

    def test_golden(self):
        for name, arguments in CASES.items():
            with self.subTest(name):
                expected = (GOLDEN / name).read_text(encoding="utf-8")
                actual = harness.output(*arguments)
                if actual != expected:
                    self.fail("".join(difflib.unified_diff(
                        expected.splitlines(True), actual.splitlines(True), name, "now")))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for name, arguments in CASES.items():
            (GOLDEN / name).write_text(harness.output(*arguments), encoding="utf-8")
    else:
        harness.main()
