"""Tests the programs of the schedule document, exactly as printed there. Each program must run, or be refused
with an error that names its mistake.

The errors are compared with tests/golden/as_printed/*.err. After an intended change, run python3
tests/cli/test_as_printed.py --update, and look at the difference."""

import unittest

import harness

FOLDER = harness.SOURCE_DIR / "examples" / "schedules" / "as_printed"
SAID = harness.SOURCE_DIR / "tests" / "golden" / "as_printed"
PROBLEM = ("-p", 8, "-n", 1280)
# Part of the error message for each program.
SLIPS = {
    "bruck": "found '('",  # the program writes "(at most)", and leaves the number of bytes open
    "pipeline": "'root' has no value",  # the other programs write R instead of root
    # This program creates each message once per rank, so labels repeat.
    "recursive_doubling_constant": "a second operation with the label",
    "recursive_doubling_exponential": "found '('",  # the program has a remark among its statements
    "smp_linear": "'c' has no value",  # the other programs write C instead of c
    "split_binary_tree": "found 'agorithm'",  # one line of the program is prose
}
RUN = {"basic_linear", "binomial_tree"}


class Refused(unittest.TestCase):
    maxDiff = None

    @classmethod
    def files(cls):
        return [FOLDER / f"{name}.sched" for name in SLIPS]

    @classmethod
    def complaint(cls, path):
        return harness.run("simulate", path.name, *PROBLEM, cwd=FOLDER)

    def test_there_are_eight_programs(self):
        self.assertEqual({path.stem for path in FOLDER.glob("*.sched")}, RUN | set(SLIPS))
        for path in FOLDER.glob("*.sched"):
            self.assertIn("of [schedule document], as printed there.", path.read_text())

    def test_one_line_names_the_error_and_its_position(self):
        for path in self.files():
            with self.subTest(path.name):
                done = self.complaint(path)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, (SAID / f"{path.stem}.err").read_text())
                first, *excerpt = done.stderr.splitlines()
                self.assertRegex(first, rf"^tutti: {path.name}:\d+:\d+: ")
                self.assertIn(SLIPS[path.stem], first)
                self.assertEqual(len(excerpt), 2)


class Runs(unittest.TestCase):
    def test_basic_linear_has_times_but_no_proof(self):
        path = FOLDER / "basic_linear.sched"
        for ranks in [2, 5, 8]:
            problem = ["-p", ranks, "-n", 160 * ranks, "--json", "-"]
            printed = harness.json_output("simulate", path, *problem)
            built_in = harness.json_output("simulate", "alltoall/linear", *problem)
            self.assertEqual(printed["simulated_s"], built_in["simulated_s"])
            self.assertIn("and no blocks", printed["unproved"])
            done = harness.run("verify", path, *problem[:4])
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("UNPROVED 1 of 1", done.stdout)
            self.assertIn(f"blocks: Req(<1,0>,{{0,1}}) in line 11, of round 1, has 160 bytes and no "
                          "blocks", done.stdout)

    def test_the_binomial_tree_is_right_on_two_ranks_only(self):
        path = FOLDER / "binomial_tree.sched"
        self.assertIn("proved 1", harness.output("verify", path, "-p", 2))
        done = harness.run("verify", path, *PROBLEM)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("undefined read: rank 1 sends block 0 of work to rank 5 in Req(<0,0>,{1,5}) but "
                      "does not hold it", " ".join(done.stdout.split()))
        self.assertEqual(harness.run("simulate", path, *PROBLEM).returncode, 1)
        self.assertIn("17 messages in 3 rounds",
                      harness.output("simulate", path, *PROBLEM, "--no-verify"))
        # Brackets are missing in the program, so n2 is not a valid rank if the root is not 0.
        done = harness.run("simulate", path, *PROBLEM, "--root", 1)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(":13:4: rank 8: the ranks are 0 to 7", done.stderr)


if __name__ == "__main__":
    import sys
    if sys.argv[1:] == ["--update"]:
        for each in Refused.files():
            (SAID / f"{each.stem}.err").write_text(Refused.complaint(each).stderr)
    else:
        harness.main()
