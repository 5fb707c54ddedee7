"""Tests schedules whose messages have bytes but no blocks, as in the schedule document. tutti must simulate
and draw such schedules, and must mark every result as unproved. Commands that need the blocks must refuse
such schedules."""

import csv
import io
import json
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

import harness

# As in the pipeline of the schedule document, several messages between the same two ranks at the same level
# belong to one request.
PIPELINE = """tutti-program 1
collective bcast
algorithm pipeline
num_segments = M/S
nodes[N] = {R}
for l < N
  next_nodes[N] = {}
  for n in nodes
    C = children(n,tree)
    next_nodes = next_nodes+C
    for s < num_segments
      for n2 in C
        Req(l,{n,n2})+=Comm(n,n2,S) After(Req(l-1,n),Req(l-1,n2))
  nodes = next_nodes
"""
PROBLEM = ["-p", 3, "-n", 16, "--segment", 8]
MISSING = "Req(<0,0>,{0,1}) in line 13, of round 1, has 8 bytes and no blocks"


class Bare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.program = self.file(PIPELINE, "pipeline.sched")

    def file(self, text, name):
        path = self.path / name
        path.write_text(text)
        return path

    def refused(self, *arguments):
        done = harness.run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_every_engine_simulates_a_bare_schedule_and_reports_it_as_unproved(self):
        # The schedule has four messages of 8 bytes, one after the other.
        for engine in ["flow", "simgrid", "critical-path", "both"]:
            with self.subTest(engine=engine):
                arguments = ["simulate", self.program, *PROBLEM, "--engine", engine]
                result = harness.json_output(*arguments, "--json", "-")
                harness.validate(result, "tutti-result-1")
                self.assertAlmostEqual(result["simulated_s"], 4 * (2e-6 + 8 * 0.8e-9), delta=1e-14)
                self.assertEqual(result["unproved"], MISSING)
                text = harness.output(*arguments)
                self.assertIn("unproved", text)
                self.assertIn(MISSING[:40], text)
        rows = list(csv.DictReader(io.StringIO(
            harness.output("simulate", self.program, *PROBLEM, "--csv", "-"))))
        self.assertEqual([row["unproved"] for row in rows], [MISSING])

    def test_a_bare_file_works_like_a_bare_program(self):
        written = self.file(harness.output("show", self.program, *PROBLEM), "pipeline.tutti")
        result = harness.json_output("simulate", written, "--json", "-")
        self.assertRegex(result["unproved"], r"^Req\(<0,0>,\{0,1\}\) in line 10, of round 1, ")
        self.assertEqual(harness.run("verify", written).returncode, 1)

    def test_the_timeline_has_everything_except_blocks(self):
        trace = json.loads(harness.output("simulate", self.program, *PROBLEM, "--timeline", "-"))
        harness.validate(trace, "tutti-timeline-1")
        self.assertEqual(trace["otherData"]["unproved"], MISSING)
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(len(slices), 8)
        self.assertTrue(all("blocks" not in each["args"] for each in slices))

    def test_comparisons_mark_only_the_bare_program(self):
        arguments = ["compare", "bcast", "--with", self.program, *PROBLEM]
        results = harness.compared(*arguments[1:])
        self.assertEqual([r["unproved"] for r in results if r["unproved"]], [MISSING])
        rows = list(csv.DictReader(io.StringIO(harness.output(*arguments, "--csv", "-"))))
        self.assertEqual([r["unproved"] for r in rows if r["unproved"]], [MISSING])
        text = harness.output(*arguments)
        note = re.search(r"pipeline\.sched .*\[(\d+)\]$", text, re.M).group(1)
        self.assertRegex(re.sub(r"\s+", " ", text), rf"\[{note}\] unproved: ")
        others = harness.output("compare", "bcast", "-p", 3, "-n", 16)
        self.assertNotIn("unproved", others)

    def test_a_bare_schedule_is_drawn(self):
        show = ["show", self.program, *PROBLEM, "--format"]
        shown = harness.json_output(*show, "json")
        harness.validate(shown, "tutti-schedule-1")
        self.assertEqual(shown["unproved"], MISSING)
        self.assertNotIn("from", shown["ops"][0])
        self.assertEqual([op["after"] for op in shown["ops"][2:]], 2 * [[{"op": 0}, {"op": 1}]])
        dot = harness.output(*show, "dot")
        self.assertIn(f'label="unproved: {MISSING}"', dot)
        self.assertIn('n3 [label="Req(<1,1>,{1,2})\\ncomm 8 bytes"];', dot)
        graph = xml.etree.ElementTree.fromstring(harness.output(*show, "graphml"))
        self.assertIn(MISSING, [data.text for data in graph.iter() if data.tag.endswith("data")])
        stats = harness.output(*show, "stats")
        self.assertIn(MISSING, re.sub(r"\s+", " ", stats))
        self.assertIn("8.0256 us", stats)
        for option in [["--state", "all"], ["--sum", "1,0"], ["--sum-tree", "1,0"]]:
            self.assertIn(MISSING, self.refused("show", self.program, *PROBLEM, *option))

    def test_the_proof_reports_what_is_missing(self):
        done = harness.run("verify", self.program, "-p", "2..7", "-n", 16, "--segment", 8)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("UNPROVED 6 of 6", done.stdout)
        self.assertIn(f"p = 3, n = 16, root 0: blocks: {MISSING}, so the result",
                      " ".join(done.stdout.split()))
        self.assertIn("and 3 more unproved", done.stdout)
        self.assertNotIn("BROKEN", done.stdout)
        done = harness.run("verify", self.program, *PROBLEM, "--json", "-")
        verdict, = json.loads(done.stdout)
        harness.validate([verdict], "tutti-verify-1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual((verdict["proved"], verdict["counts"]["blocks"]), (False, 1))
        # If the whole vector is one segment, no blocks are missing.
        self.assertIn("proved 1", harness.output("verify", self.program, "-p", 3, "-n", 16,
                                                 "--segment", 16))

    def test_errors_that_hold_for_any_blocks_are_refused(self):
        wrong = self.file("tutti-program 1\ncollective bcast\nReq(0,{0,1}) = Comm(0,1,1)\n"
                          "Req(1,{2,3}) = Comm(2,3,1) After(Req(0,{0,1}))\n", "wrong.sched")
        done = harness.run("simulate", wrong, "-p", 4, "-n", 16)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no rank takes part in both", done.stderr)
        self.assertIn("BROKEN 1 of 1", harness.run("verify", wrong, "-p", 4, "-n", 16).stdout)

    def test_built_in_algorithms_are_printed_in_the_documents_form(self):
        text = harness.output("show", "allreduce/ring", "-p", 2, "-n", 16, "--format", "document")
        self.assertEqual(text, (harness.SOURCE_DIR / "tests" / "golden" / "ring_p2_document.tutti")
                         .read_text())
        written = self.file(text, "ring.tutti")
        for engine in ["flow", "simgrid"]:
            one, other = (harness.json_output("simulate", what, "--engine", engine, "--json", "-", *rest)
                          for what, rest in [(written, []), ("allreduce/ring", ["-p", 2, "-n", 16])])
            self.assertEqual(one["simulated_s"], other["simulated_s"])
            self.assertTrue(one["unproved"])
            self.assertIsNone(other["unproved"])


if __name__ == "__main__":
    harness.main()
