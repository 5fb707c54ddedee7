"""Tests schedules that come from files instead of algorithms.

The errors for the broken files are compared with tests/golden/broken_files/*.err. After an intended
change, run python3 tests/cli/test_files.py --update, and look at the difference."""

import json
import os
import pathlib
import tempfile
import unittest
from xml.etree import ElementTree

import broken
import harness

GOLDEN = harness.SOURCE_DIR / "tests" / "golden"
BROKEN = GOLDEN / "broken_files"


class BrokenFiles(broken.BrokenFiles, unittest.TestCase):
    folder = BROKEN
    pattern = "*.tutti"

    def test_all_commands_refuse_alike_and_leave_no_files(self):
        for path in self.files()[:5]:
            expected = path.with_suffix(".err").read_text().splitlines()[0].split(": ", 2)[2]
            with tempfile.TemporaryDirectory() as folder:
                for command in [["verify", path, "--json", "out"], ["show", path, "-o", "out"],
                                ["simulate", path, "--json", "out", "--timeline", "trace"],
                                ["simulate", path, "--no-verify", "--csv", "out"]]:
                    done = harness.run(*command, cwd=folder)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(expected, done.stderr)
                    self.assertEqual(os.listdir(folder), [])


class WrongSchedules(unittest.TestCase):
    """Tests schedules that can be read but are wrong. They must be refused with exit code 1 and an
    explanation."""

    CASES = {
        "binomial_tree_as_written_p3.tutti":
            "undefined read: rank 1 sends block 0 of work to rank 2 in Req(<1,0>,{1,2}) but does "
            "not hold it: Req(<1,0>,{0,1}) may bring it too late",
        "three_messages.tutti":
            "race: at rank 0, Req(<0,0>,{0,1}) reads and Req(<2,0>,{2,0}) writes block 0 of work, "
            "and nothing orders them; let Req(<2,0>,{2,0}) come after Req(<0,0>,{0,1})",
    }

    def test_verify_reports_the_errors(self):
        for name, sentence in self.CASES.items():
            with self.subTest(name):
                done = harness.run("verify", GOLDEN / name)
                self.assertEqual((done.returncode, done.stderr), (1, ""))
                self.assertIn(sentence, " ".join(done.stdout.split()))

    def test_verify_reports_the_errors_in_json(self):
        for name, sentence in self.CASES.items():
            done = harness.run("verify", GOLDEN / name, "--json", "-")
            self.assertEqual(done.returncode, 1)
            verdicts = json.loads(done.stdout)
            harness.validate(verdicts, "tutti-verify-1")
            self.assertFalse(verdicts[0]["proved"])
            finding = verdicts[0]["findings"][0]
            self.assertEqual(f"{finding['kind']}: {finding['text']}", sentence)
            self.assertEqual(verdicts[0]["file"], str(GOLDEN / name))

    def test_simulate_refuses_and_leaves_no_files(self):
        for name, sentence in self.CASES.items():
            with tempfile.TemporaryDirectory() as folder:
                done = harness.run("simulate", GOLDEN / name, "--json", "r", "--timeline", "t",
                                   cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(sentence, done.stderr)
                self.assertIn("--no-verify", done.stderr)
                self.assertEqual(os.listdir(folder), [])

    def test_no_verify_simulates_wrong_schedules(self):
        for name in self.CASES:
            result = harness.json_output("simulate", GOLDEN / name, "--no-verify", "--json", "-",
                                         "--engine", "critical-path")
            harness.validate(result, "tutti-result-1")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def file(self, text, name="a.tutti"):
        path = self.path / name
        path.write_text(text)
        return path

    def ring(self, name="ring.tutti"):
        return self.file(harness.output("show", "allreduce/ring", "-p", 4, "-n", 256), name)

    def test_a_shown_schedule_is_read_back_and_shown_the_same(self):
        for path in [*GOLDEN.glob("*_p[35].tutti"), self.ring()]:
            if "as_written" not in path.name:
                self.assertEqual(harness.output("show", path), path.read_text())
        for form in ["dot", "graphml", "json"]:
            self.assertEqual(
                harness.output("show", self.ring(), "--format", form),
                harness.output("show", "allreduce/ring", "-p", 4, "-n", 256, "--format", form))

    def test_graphml_has_the_same_content_as_json(self):
        command = ["show", "allreduce/rabenseifner", "-p", 5, "-n", 320, "--format"]
        xml = "{http://graphml.graphdrawing.org/xmlns}"
        root = ElementTree.fromstring(harness.output(*command, "graphml"))
        names = {key.get("id"): key.get("attr.name") for key in root.iter(f"{xml}key")}

        def values(element):
            return {names[data.get("key")]: data.text for data in element.iter(f"{xml}data")}

        nodes = [values(node) for node in root.iter(f"{xml}node")]
        edges = [(int(edge.get("source")[1:]), int(edge.get("target")[1:]), values(edge)["kind"])
                 for edge in root.iter(f"{xml}edge")]
        ops = json.loads(harness.output(*command, "json"))["ops"]
        self.assertEqual(len(nodes), len(ops))
        for node, op in zip(nodes, ops):
            for name in ["label", "kind", "src", "dst", "bytes", "level", "segment"]:
                self.assertEqual(node[name], str(op[name]))
            self.assertIn(f"{op['from']['buffer']}[", node["payload"])
        self.assertEqual(sorted(edges), sorted((before["op"], op["id"], before["kind"])
                                               for op in ops for before in op["after"]))

    def test_a_file_is_proved(self):
        done = harness.output("verify", self.ring())
        self.assertIn("proved 1", done)
        self.assertIn("ring.tutti", done)

    def test_a_file_takes_as_long_as_its_algorithm(self):
        one = harness.json_output("simulate", self.ring(), "--json", "-")
        other = harness.json_output("simulate", "allreduce/ring", "-p", 4, "-n", 256, "--json", "-")
        harness.validate(one, "tutti-result-1")
        for key in ["simulated_s", "longest_path_s", "ops", "dependencies", "bytes_sent"]:
            self.assertEqual(one[key], other[key], key)
        # The file may claim to be a ring, but tutti does not check that, so no formula applies.
        self.assertEqual((one["exact_s"], one["published"]), (None, []))

    def test_options_may_repeat_the_header_but_not_contradict_it(self):
        ring = self.ring()
        harness.output("verify", ring, "-p", 4, "-n", 256, "--root", 0, "--elem-bytes", 8)
        for option, value in [("-p", 5), ("-p", "2..8"), ("-n", 512), ("--root", 1),
                              ("--elem-bytes", 4), ("--skips", "linear"), ("--segment", 64),
                              ("--fold", "far"), ("--tree", "binary")]:
            for command in ["verify", "simulate", "show"]:
                done = harness.run(command, ring, option, value)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (command, option))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(f"'{value}'", done.stderr)

    def test_files_are_recognised_by_any_name(self):
        for name in ["r.sched", "no_ending"]:
            ring = self.ring(name)
            self.assertIn("proved 1", harness.output("verify", ring))
        for name, words in [("missing.tutti", "No such file"), ("missing.sched", "No such file"),
                            ("allreduce/rang", "did you mean"), ("folder.tutti", "folder")]:
            (self.path / "folder.tutti").mkdir(exist_ok=True)
            done = harness.run("simulate", name, "-p", 2, "-n", 8, cwd=self.path)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(words, done.stderr)
        # The name of an algorithm always means the algorithm, even if a file has the same name.
        (self.path / "allreduce").mkdir()
        (self.path / "allreduce" / "ring").write_text("no schedule")
        done = harness.run("verify", "allreduce/ring", "-p", 2, cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_pipe_is_read(self):
        text = self.ring().read_text()
        done = harness.run("verify", "/dev/stdin", input=text)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_short_file_cannot_use_all_memory(self):
        huge = self.file("tutti-schedule 1\ncollective bcast\nranks 1000000\nbytes 8000000\n"
                         "blocks 1000000\n")
        done = harness.run("verify", huge)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("this machine has", done.stderr)


class Schema(unittest.TestCase):
    def test_verdicts_match_their_schema(self):
        for arguments in [["allreduce", "-p", "1..5"], ["barrier", "-p", 3],
                          ["bcast/binomial", "-p", "2..3", "--root", "all"],
                          ["allreduce/rabenseifner", "-p", 4, "-n", "8,64"]]:
            verdicts = harness.json_output("verify", *arguments, "--json", "-")
            harness.validate(verdicts, "tutti-verify-1")
            self.assertTrue(all(v.get("proved", "refused" in v) for v in verdicts))


if __name__ == "__main__":
    broken.main(BrokenFiles)
