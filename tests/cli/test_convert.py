"""Tests of `tutti convert`, and of the commands with files of other tools."""

import json
import pathlib
import tempfile
import unittest

import harness

CHAKRA_SCHEMA = "1.0.2-chakra.0.0.4"
RING = ["allreduce/ring", "-p", 4, "-n", "4KiB"]


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def convert(self, *arguments):
        done = harness.run("convert", *arguments, cwd=self.path)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return done.stderr

    def refused(self, arguments, *words):
        before = sorted(self.path.iterdir())
        done = harness.run(*arguments, cwd=self.path)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for each in words:
            self.assertIn(each, done.stderr)
        self.assertEqual(sorted(self.path.iterdir()), before)

    def simulated(self, *arguments):
        return json.loads(harness.output("simulate", *arguments, "--json", "-", cwd=self.path))["simulated_s"]

    def test_an_application_takes_the_same_time(self):
        self.assertIn("neither the collective nor the data", self.convert(RING[0], "ring.goal", *RING[1:]))
        self.assertAlmostEqual(self.simulated("ring.goal"), self.simulated(*RING), delta=1e-9)
        # The speed of the hosts and the reductions of the file are different things.
        slow = ["--alpha", "1us", "--beta", "1ns"]
        self.convert(RING[0], "slow.goal", *RING[1:], "--gamma", "7ns")
        self.assertAlmostEqual(self.simulated("slow.goal", *slow),
                               self.simulated(*RING, *slow, "--gamma", "7ns"), delta=1e-12)
        # 6 messages in a row of 1 us and 1 KiB at 1 ns per byte, and 3 sums of 1 KiB at 7 ns per byte
        self.assertAlmostEqual(self.simulated("slow.goal", *slow), 6 * (1e-6 + 1024e-9) + 3 * 1024 * 7e-9,
                               delta=1e-12)

    def test_an_application_through_the_notation(self):
        self.convert(RING[0], "ring.goal", *RING[1:])
        self.convert("ring.goal", "ring.tutti", "--no-verify")
        text = (self.path / "ring.tutti").read_text()
        self.assertIn("collective application\n", text)
        self.assertIn(" = Calc(", text)
        self.assertEqual(self.simulated("ring.goal"), self.simulated("ring.tutti"))
        again = harness.output("show", "ring.tutti", cwd=self.path)
        self.assertEqual(again, text)

    def test_what_an_application_shows(self):
        self.convert(RING[0], "ring.goal", *RING[1:])
        text = harness.output("simulate", "ring.goal", cwd=self.path)
        self.assertIn("ring.goal: application/ring (4 ranks)\n", text)
        self.assertIn("calculations        each takes the time that the file gives", text)
        self.assertIn("24 KiB sent, 1.536 us of calculations", " ".join(text.split()))
        self.assertNotIn("gamma", text)
        self.assertNotIn("published", text)
        self.assertIn("an application has no collective to check", text)
        done = harness.run("verify", "ring.goal", cwd=self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("UNPROVED", done.stdout)
        for command in (["explain", "ring.goal"], ["show", "ring.goal", "--format", "stats"],
                        ["show", "ring.goal", "--format", "dot"]):
            self.assertTrue(harness.output(*command, cwd=self.path))
        self.refused(["simulate", "ring.goal", "--gamma", "1ns"], "--gamma '1 ns'", "leave --gamma out")
        self.refused(["simulate", "ring.goal", "-p", "8"], "-p/--ranks '8'")

    def test_chakra_has_a_file_for_each_rank(self):
        said = self.convert(RING[0], "ring.et", *RING[1:])
        self.assertIn("other tools see calculations in whole microseconds", said)
        self.assertEqual([path.name for path in sorted(self.path.iterdir())],
                         [f"ring.{rank}.et" for rank in range(4)])
        self.assertIn(CHAKRA_SCHEMA.encode(), (self.path / "ring.0.et").read_bytes())
        self.assertAlmostEqual(self.simulated("ring.2.et"), self.simulated(*RING), delta=1e-9)
        (self.path / "ring.3.et").unlink()
        self.refused(["simulate", "ring.0.et"], "there is no ring.3.et, but rank 0 receives from rank 3")
        (self.path / "ring.1.et").unlink()
        self.refused(["simulate", "ring.2.et"], "there is no ring.1.et", "without gaps")
        self.refused(["convert", RING[0], "-", *RING[1:], "--to", "chakra"], "a file for each rank")

    def test_msccl_serves_any_size(self):
        self.assertEqual(self.convert(RING[0], "ring.xml", *RING[1:]), "")
        text = harness.output("verify", "ring.xml", cwd=self.path)
        self.assertIn("proved 1", text)
        self.assertIn("both forms are proved: with separate buffers, and in place", text)
        for size in ("4KiB", "1MiB"):
            self.assertAlmostEqual(self.simulated("ring.xml", "-n", size),
                                   self.simulated(RING[0], "-p", 4, "-n", size), delta=1e-12)
        self.refused(["verify", "rinx.xml"], "'rinx.xml' cannot be read", "did you mean 'ring.xml'?")
        self.refused(["simulate", "ring.xml"], "how many bytes? Give -n/--bytes")
        self.refused(["simulate", "ring.xml", "-n", 96, "--elem-bytes", "2MiB"], "expected 1 byte to 1 MiB")
        self.refused(["simulate", "ring.xml", "-n", 100], "-n/--bytes '100'", "for multiples of 32 bytes")
        self.refused(["convert", "barrier/dissemination", "x.xml", "-p", 4], "MSCCL has no barrier")
        self.assertIn("does not say that the root is 1",
                      self.convert("bcast/binomial", "b.xml", "-p", 4, "-n", 64, "--root", 1))

    def test_notes_on_msccl(self):
        self.convert(RING[0], "ring.xml", *RING[1:])
        path = self.path / "ring.xml"
        path.write_text(path.read_text().replace(' maxBytes="0"', ""))
        note = 'the executor would not load the file: <algo> has no maxBytes; add maxBytes="0"'
        self.assertIn(note, " ".join(harness.output("verify", path).split()))
        done = harness.run("simulate", path, "-n", "4KiB")
        self.assertEqual((done.returncode, done.stderr), (0, f"tutti: '{path}': {note}\n"))

    def test_formats(self):
        self.refused(["convert", RING[0], "ring.txt", *RING[1:]], "which format? Let the name end in .tutti")
        self.refused(["convert", RING[0], "ring.txt", *RING[1:], "--to", "gaol"], "did you mean 'goal'?")
        for name, start in (("a.dot", "//"), ("a.graphml", "<?xml"), ("a.json", '{"schema":"tutti-schedule/1"'),
                            ("a.tutti", "tutti-schedule 1\n"), ("a.sched", "tutti-schedule 1\n")):
            self.convert(RING[0], name, *RING[1:])
            self.assertTrue((self.path / name).read_text().replace(" ", "").startswith(start.replace(" ", "")), name)
        self.assertIn("proved 1", harness.output("verify", "a.sched", cwd=self.path))
        self.assertIn("nothing can be proved of it", self.convert(RING[0], "b.sched", *RING[1:], "--to", "document"))
        self.refused(["convert", RING[0], "c.goal", *RING[1:], "--ports", 2], "--ports '2': it changes nothing")
        self.refused(["convert", RING[0], "c.xml", *RING[1:], "--gamma", "1ns"], "--gamma '1ns'", "msccl")
        wrong = self.path / "wrong.tutti"
        self.convert("allgather/ring", wrong, "-p", 3, "-n", 48)
        wrong.write_text(wrong.read_text().replace("work[0] ->", "input[1] ->"))
        self.refused(["convert", wrong, "d.xml", "--no-verify"], "rank 0 uses block 1 of its input")
        text = harness.run("convert", *RING[:1], "-", *RING[1:], "--to", "goal").stdout
        self.assertTrue(text.startswith("num_ranks 4\n"))


if __name__ == "__main__":
    harness.script_main.main()
