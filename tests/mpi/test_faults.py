"""Tests the message and the exit code for each kind of bad input, and for each fault at run time."""

import pathlib
import time
import unittest

from launch import FAULTS, OPEN_MPI, SOURCE_DIR, job, main, tutti_mpi

GOLDEN = SOURCE_DIR / "tests" / "golden"


class BadInput(unittest.TestCase):
    def refuse(self, code, text, *arguments, ranks=2):
        done = tutti_mpi(ranks, "run", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout.replace("=", "").strip() if OPEN_MPI else "", "")
        ours = [line for line in done.stderr.splitlines() if line.startswith("tutti-mpi:")]
        self.assertEqual(len(ours), 1, done.stderr)  # printed once, not by every rank
        self.assertIn(text, ours[0])

    def test_bad_names(self):
        self.refuse(2, "unknown algorithm 'allreduce/rong': did you mean 'allreduce/ring'?",
                    "allreduce/rong", "-n", "96")
        self.refuse(2, "--op 'xor': expected sum, prod, max", "allreduce/ring", "-n", "96",
                    "--op", "xor")
        self.refuse(2, "--check 'some': expected one of none, library, replay, full",
                    "allreduce/ring", "-n", "96", "--check", "some")

    def test_bad_commands(self):
        for arguments, text in [
                ([], "no command given; expected one of run, calibrate ('tutti-mpi --help' explains them)"),
                (["calibrate", "more"], "unexpected argument 'more' for 'tutti-mpi calibrate'")]:
            done = tutti_mpi(2, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            ours = [line for line in done.stderr.splitlines() if line.startswith("tutti-mpi:")]
            self.assertEqual(ours, [f"tutti-mpi: {text}"])

    def test_bad_values(self):
        self.refuse(2, "--op 'bxor' does not support --type float", "allreduce/ring", "-n", "96",
                    "--type", "float", "--op", "bxor")
        self.refuse(2, "97 bytes are not a whole number of 8-byte elements (--type int64); use a "
                    "multiple of 8, or a smaller type", "allreduce/ring", "-n", "97")
        self.refuse(2, "-p/--ranks '5': mpirun started 2 ranks", "allreduce/ring", "-n", "96",
                    "-p", "5")
        self.refuse(2, "--timeout '0s'", "allreduce/ring", "-n", "96", "--timeout", "0s")
        self.refuse(2, "unknown option '--elem-bytes'", "allreduce/ring", "-n", "96",
                    "--elem-bytes", "4")
        self.refuse(2, "-n/--bytes was given 2 times, as '96' and '97'; give it once", "allreduce/ring",
                    "-n", "96", "-n", "97")
        self.refuse(2, "'allreduce,': missing name", "allreduce,", "-n", "96")
        self.refuse(2, "--timeline 't.json': records a single run", "allreduce", "-n", "96", "--timeline",
                    "t.json")
        self.refuse(2, "the size is missing", "allreduce/ring")
        self.refuse(2, "needs at least as many elements as ranks", "allreduce/ring", "-n", "8")

    def test_an_operator_that_does_not_commute_is_refused(self):
        self.refuse(2, "--op matrix does not commute", "allreduce/ring", "-n", "960", "--op",
                    "matrix", ranks=3)

    def test_wrong_schedules_are_refused(self):
        self.refuse(1, "its proof fails (race)", GOLDEN / "three_messages.tutti", ranks=3)
        self.refuse(1, "its proof fails", GOLDEN / "binomial_tree_as_written_p3.tutti", ranks=3)
        self.refuse(2, "needs 3 ranks; start that number of ranks", GOLDEN / "ring_p3.tutti", ranks=2)

    def test_a_dependency_without_a_shared_rank_is_refused(self):
        path = pathlib.Path("not_local.tutti")
        path.write_text("tutti-schedule 1\ncollective barrier\nalgorithm not_local\nranks 4\n"
                        "bytes 0\nblocks 1\n\n"
                        "Req(<0,0>,{0,1}) = Comm(0,1,0, work[0] -> scratch[0])\n"
                        "Req(<1,0>,{2,3}) = Comm(2,3,0, work[0] -> scratch[0]) "
                        "After(Req(<0,0>,{0,1}))\n")
        self.refuse(1, "its proof fails (locality)", path, ranks=4)


class Faults(unittest.TestCase):
    def fault(self, name, ranks=3):
        start = time.monotonic()
        done = job(ranks, FAULTS, name)
        self.assertLess(time.monotonic() - start, 30)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        return done.stderr + done.stdout

    def test_a_wrong_byte_is_reported(self):
        self.assertIn("rank 2, block 2, offset 8: expected ", self.fault("wrong"))

    def test_a_wrong_byte_in_some_runs_only_is_reported(self):
        """The job does two warm-up runs and five timed runs. It keeps no copy of the very first result, so it
        cannot name the wrong byte of that result."""
        self.assertRegex(self.fault("spoilt_once"),
                         r"rank 2, block 2, offset 8: expected .*; in run 3 of 7, warm-up included\n")
        self.assertIn("rank 2: run 1 of 7, warm-up included, and others: the bytes differ from those "
                      "of the last run, which are correct\n", self.fault("spoilt_often"))
        self.assertRegex(self.fault("spoilt_last"),
                         r"rank 2, block 2, .*; in 2 of 7 runs, including the last\n")

    def test_a_hang_in_a_call_of_the_library_is_reported(self):
        text = self.fault("library")
        self.assertIn("rank 0: the library's own MPI_Allreduce did not return within 1 s", text)

    def test_a_hang_is_reported(self):
        text = self.fault("missing")
        self.assertRegex(text, r"rank 0: no progress for 2 s; unfinished: Req\(<0,0>,\{")
        self.assertRegex(text, r"Req\(<0,0>,\{2,0\}\) \(receive, posted\)")

    def test_an_mpi_error_is_reported(self):
        self.assertRegex(self.fault("truncated"),
                         r"MPI_\w+ (for the MPI_Irecv )?of Req\(<\d+,\d+>,\{0,1\}\): .*[Tt]runc")

    def test_a_killed_rank_is_reported(self):
        text = self.fault("killed")
        self.assertRegex(text, "signal 9|SIGNAL|KILLED")


if __name__ == "__main__":
    main()
