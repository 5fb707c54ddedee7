"""Compares text output and machine-readable output with the files in tests/golden.

After an intended change, run python3 tests/cli/test_golden.py --update, and look at the difference."""

import difflib
import sys
import unittest

import harness

GOLDEN = harness.SOURCE_DIR / "tests" / "golden"
THIN = "platforms/infiniband_hdr_128_thin.xml"
TORUS = "platforms/torus_64.xml"
# Uses only some algorithms, so that the golden files stay readable; compare_map.txt has all algorithms.
SOME = ["--algorithms", "basic_linear,nonoverlapping,recursive_doubling,ring,segmented_ring,"
        "rabenseifner,reduce_scatter_allgather,binary_blocks,circulant"]
CASES = {
    "list_allreduce.txt": ["list", "allreduce"],
    "ring_p3.tutti": ["show", "allreduce/ring", "-p", 3, "-n", 40],
    "recursive_doubling_p5.tutti": ["show", "allreduce/recursive_doubling", "-p", 5, "-n", 64],
    "sharp_p3.tutti": ["show", "allreduce/sharp", "-p", 3, "-n", 16],
    "circulant_p5.tutti": ["show", "allreduce/circulant", "-p", 5, "-n", 48],
    "ring_p3.dot": ["show", "allreduce/ring", "-p", 3, "-n", 24, "--format", "dot"],
    "ring_p2.json": ["show", "allreduce/ring", "-p", 2, "-n", 16, "--format", "json"],
    "ring_p8_stats.txt": ["show", "allreduce/ring", "-p", 8, "-n", "1MiB", "--format", "stats"],
    "compare_map.txt": ["compare", "allreduce", "-p", "4,16,64", "-n", "1K..16MiB*4"],
    "compare_sizes.txt": ["compare", "allreduce/ring", "-p", 64, "-n", "8..16MiB*8"],
    "compare_cell.txt": ["compare", "allreduce", "-p", 64, "-n", "1MiB", "--platform", THIN,
                         *SOME],
    "compare_all.txt": ["compare", "allreduce", "-p", 128, "-n", "16K,4MiB", "--all", "--platform",
                        THIN, *SOME],
    "decide.txt": ["decide", "allreduce", "-p", "4..64*2", "-n", "8..16MiB*4", "--platform", TORUS],
    "decide_against.txt": ["decide", "allreduce", "-p", "8..64*2", "-n", "8..1MiB*4", "--platform",
                           TORUS, "--against", "examples/decisions/allreduce_tree.json"],
    "bound.txt": ["bound", "alltoall", "-p", 128, "-n", "1MiB", "--platform", THIN],
    "bound_all.txt": ["bound", "all", "-p", 64, "-n", "64K,1MiB", "--platform", TORUS],
    "nccl.txt": ["nccl", "allreduce", "-p", 8, "-n", "64K"],
    "nccl_nodes.txt": ["nccl", "allreduce", "-p", 64, "-n", "64MiB", "--nics", 4],
    "nccl_sizes.txt": ["nccl", "allgather", "-p", "4,64", "-n", "1K..256MiB*64", "--gpu", "a100",
                       "--gpus-per-node", 1],
    "recursive_doubling_p2_timeline.json": [
        "simulate", "allreduce/recursive_doubling", "-p", 2, "-n", 64, "--timeline", "-"],
}


# Words that the first 20 lines of each long output must contain if lines have at most 80 columns.
ANSWERS = {
    "compare_map.txt": ["recursive_doubling", "rabenseifner", "p = 64", "start-up: "],
    "compare_sizes.txt": ["bus GB/s", "16 MiB"],
    "compare_cell.txt": ["rabenseifner = reduce_scatter_allgather", "because "],
    "compare_all.txt": ["rabenseifner", "because "],
    "bound.txt": ["at least 148.201 us", "which decides", "of leaf switch 0"],
    "nccl.txt": ["ring with ll", "1 node of 8 h100", "its search"],
    "nccl_nodes.txt": ["8 nodes of 8 h100", "nvls_tree"],
    "nccl_sizes.txt": ["pat", "NCCL's time", "simulated"],
    "decide.txt": ["from 32 KiB on multi_ring", "ahead by "],
    "decide_against.txt": ["takes ", "on average", "basic_linear for rabenseifner"],
}


def now(name):
    return harness.output(*CASES[name], columns=80 if name in ANSWERS else None,
                          cwd=harness.SOURCE_DIR)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_golden_outputs_begin_with_the_answer(self):
        for name, words in ANSWERS.items():
            with self.subTest(name):
                lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
                self.assertLessEqual(max(map(len, lines)), 80)
                # Line breaks do not matter.
                first = " ".join(" ".join(lines[:20]).split())
                for word in words:
                    self.assertIn(word, first)

    def test_outputs_equal_the_golden_files(self):
        for name in CASES:
            with self.subTest(name):
                expected = (GOLDEN / name).read_text(encoding="utf-8")
                actual = now(name)
                if actual != expected:
                    self.fail("".join(difflib.unified_diff(
                        expected.splitlines(True), actual.splitlines(True), name, "now")))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for name in CASES:
            (GOLDEN / name).write_text(now(name), encoding="utf-8")
    else:
        harness.main()
