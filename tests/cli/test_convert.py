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
        printed = self.convert(RING[0], "ring.et", *RING[1:])
        self.assertIn("other tools see calculations in whole microseconds", printed)
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
        self.refused(["simulate", "ring.xml"], "the size is missing; give -n/--bytes")
        self.refused(["simulate", "ring.xml", "-n", 96, "--elem-bytes", "2MiB"], "must be from 1 byte to 1 MiB")
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

    def test_msccl_without_a_collective(self):
        self.convert(RING[0], "ring.xml", *RING[1:])
        path = self.path / "ring.xml"
        whole = path.read_text()
        path.write_text(whole.replace(' coll="allreduce"', ""))
        self.assertNotEqual(path.read_text(), whole)
        for command in (["simulate", path, "-n", "4KiB"], ["verify", path]):
            self.refused(command, "line 1: <algo> has no coll", "which is allreduce, reduce, bcast",
                         "give --collective, or")
        taken = [path, "-n", "4KiB", "--collective", "allreduce"]
        done = harness.run("simulate", *taken, "--json", "-")
        self.assertIn('<algo> has no coll; add coll="allreduce"', done.stderr)
        seconds = json.loads(done.stdout)["simulated_s"]
        path.write_text(whole)
        self.assertEqual(seconds, self.simulated(path, "-n", "4KiB"))
        self.refused(["simulate", path, "-n", "4KiB", "--collective", "bcast"], "--collective 'bcast'",
                     "is a schedule of allreduce")
        self.refused(["simulate", *RING, "--collective", "allreduce"], "only an MSCCL file")
        self.refused(["simulate", path, "--collective", "allredcue"], "allredcue", "allreduce")

    def test_other_files_are_named(self):
        plan = {"name": "mine", "collective": "allreduce", "protocol": "LL", "inplace": True,
                "gpus": [{"id": 0, "threadblocks": [{"id": 0, "ops": [{"name": "signal"}]}]}]}
        old = {"name": "mine", "collective": "allgather",
               "gpus": [{"id": 0, "inputChunks": 1, "threadblocks": [], "channels": []}]}
        node = {"id": "7", "name": "all", "type": "COMM_COLL_NODE", "dataDeps": ["3"], "attr": [{"name": "pg_name"}]}
        cases = {
            "an execution plan of MSCCL++": [json.dumps(plan), json.dumps(old, indent=2), " \n" + json.dumps(plan)],
            "a Chakra trace as JSON": [
                json.dumps({"workload_graph": [{"Id": 0, "Name": "x", "NodeType": 4}]}),
                json.dumps({"version": "0.0.4"}) + "\n" + json.dumps(node, indent=2)],
            "an execution trace of PyTorch": [
                json.dumps({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1, "ctrl_deps": 0}]})],
            "a trace of events": [json.dumps({"traceEvents": []})],
            "a sketch of TACCL": [
                json.dumps({"nnodes": 2, "intranode_sketch": {"strategy": "none"}, "internode_sketch": {}})],
            "a topology of TACCL": [json.dumps({"name": "x", "gpus_per_node": 8, "node_betas_list": [1]})],
            "a result of TE-CCL": [json.dumps({"1-Epoch_Duration": 1e-6, "7-Flows": []})],
            "a result of tutti (tutti-result/1)": [harness.output("simulate", *RING, "--json", "-")],
            "is JSON that tutti does not know": ["{}", "[1, 2]"],
            "a platform of SimGrid": ["<?xml version='1.0'?>\n<!DOCTYPE platform>\n<platform version='4.1'/>"],
            "a topology that NCCL wrote": ["<system version='1'><cpu numaid='0'/></system>"],
            "the rings and trees that NCCL found": ["<graphs version='1'/>"],
            "a topology of hwloc": ["<?xml version='1.0'?><topology version='2.0'/>"],
            "is XML with the root <html>": ["<html/>"],
            "is a damaged or incomplete gzip file": ["\x1f\x8b\x08"],
            "is a database": ["SQLite format 3\0"],
        }
        for what, texts in cases.items():
            for text in texts:
                path = self.path / "given.txt"
                path.write_bytes(text.encode("latin-1"))
                for command in (["simulate", path], ["compare", "allreduce", "--with", path, "-p", 4, "-n", 64],
                                ["verify", path], ["explain", *RING, "--against", path]):
                    self.refused(command, "'" + str(path) + "'", what)

    def test_a_collective_in_a_trace(self):
        self.convert(RING[0], "t.et", *RING[1:])

        def node(*attributes):
            """A node of type 7 with attributes: name, field number, and a number or a text."""
            def varint(value):
                out = b""
                while value > 127:
                    out, value = out + bytes([value & 127 | 128]), value >> 7
                return out + bytes([value])

            def delimited(field, payload):
                return varint(field << 3 | 2) + varint(len(payload)) + payload

            body = b"\x08\x63\x18\x07"
            for name, field, value in attributes:
                coded = delimited(field, value.encode()) if isinstance(value, str) else varint(field << 3) + varint(value)
                body += delimited(10, delimited(1, name.encode()) + coded)
            return varint(len(body)) + body

        whole = (self.path / "t.0.et").read_bytes()
        for attributes, printed in (
                ([("comm_type", 9, 0), ("comm_size", 9, 1 << 20)],
                 ["node 99 is the collective allreduce of 1 MiB", "'tutti compare allreduce -p 4 -n 1048576'"]),
                ([("comm_type", 9, 2), ("comm_size", 13, 64), ("pg_name", 29, "dp")],
                 ["the collective allgather of 64 bytes in the group 'dp'", "compare allgather -p RANKS -n SIZE"]),
                ([("comm_type", 29, "BARRIER")], ["the collective barrier, and", "'tutti compare barrier -p 4'"]),
                ([("comm_type", 9, 77)], ["node 99 is a collective, and"])):
            (self.path / "t.0.et").write_bytes(whole + node(*attributes))
            self.refused(["simulate", "t.0.et"], "'t.0.et'", "'tutti step' simulates whole traces", *printed)

    def test_goal_with_several_processors(self):
        text = ("num_ranks 2\nrank 0 {\ncalc 5000 cpu 1\ncalc 7000\nsend 8b to 1 tag 1 nic 3\nsend 8b to 1 tag 2\n}\n"
                "rank 1 {\nrecv 8b from 0 tag 1 cpu 2\nrecv 8b from 0 tag 2 nic 1\n}\n")
        machine = ["--alpha", "6us", "--beta", "0ns"]
        (self.path / "two.goal").write_text(text)
        for name in ("two.goal", "two.tutti", "again.goal"):
            if name != "two.goal":
                self.convert("two.goal", name)
            self.assertAlmostEqual(self.simulated(name, *machine), 7e-6)
        self.convert("two.goal", "two.schedule.json")
        found = json.loads((self.path / "two.schedule.json").read_text())
        harness.validate(found, "tutti-schedule-1")
        self.assertEqual(sorted((op["src_core"], op["dst_core"], op["src_nic"], op["dst_nic"]) for op in found["ops"]),
                         [(0, 0, 0, 0), (0, 0, 0, 1), (0, 2, 3, 0), (1, 1, 0, 0)])
        # Calculations take the time in the file, also with the parameters of a library.
        (self.path / "long.goal").write_text("num_ranks 1\nrank 0 {\ncalc 10000\n}\n")
        for name in ("start", "truth"):
            parameters = harness.SOURCE_DIR / "examples" / "fit" / f"{name}.json"
            self.assertAlmostEqual(self.simulated("long.goal", "--parameters", parameters), 10e-6, 12)
        # SimGrid does not know these processors, so it cannot slow them when a host becomes slower.
        (self.path / "speed.txt").write_text("0.0 1.0\n0.000001 0.5\n")
        (self.path / "slower.xml").write_text(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            '<platform version="4.1">\n<zone id="z" routing="Full">\n<host id="a" speed="1Gf" speed_file="speed.txt"/>\n'
            '<host id="b" speed="1Gf"/>\n<link id="l" bandwidth="1GBps" latency="1us"/>\n'
            '<route src="a" dst="b"><link_ctn id="l"/></route>\n</zone>\n</platform>\n')
        self.refused(["simulate", "two.goal", "--platform", "slower.xml"],
                     "ranks with several processors cannot run on a platform whose hosts or links change")
        done = harness.run("convert", "two.goal", "two.et", cwd=self.path)
        self.assertIn("so the calculations of a rank follow each other", done.stderr)
        self.assertAlmostEqual(self.simulated("two.0.et", *machine), 12e-6)
        harness.run("simulate", "two.goal", *machine, "--timeline", "two.json", cwd=self.path)
        threads = {event["args"]["name"] for event in json.loads((self.path / "two.json").read_text())["traceEvents"]
                   if event["name"] == "thread_name"}
        self.assertEqual(threads, {"rank 0 compute", "rank 0 core 1 compute", "rank 0 send", "rank 0 interface 3 send",
                                   "rank 1 receive", "rank 1 interface 1 receive"})
        # Without the second processor, the calculations follow each other; explain names the core.
        (self.path / "one.goal").write_text(text.replace(" cpu 1", ""))
        for name, total, waits in (("two.goal", 7e-6, 0), ("one.goal", 12e-6, 1)):
            found = json.loads(harness.run("explain", name, *machine, "--json", "-", cwd=self.path).stdout)
            self.assertAlmostEqual(found["total_s"], total)
            self.assertEqual(len(found["waits"]), waits)

    def test_a_picture_of_a_schedule(self):
        self.convert(RING[0], "ring.sched", *RING[1:])
        for command in ("plot", "report"):
            self.refused([command, "ring.sched", "-o", "x.html"], "'ring.sched': a schedule or program",
                         f"'tutti {command} show ring.sched'")
        self.refused(["plot", "ring.sched", "-p", 4, "-o", "x.svg"], "'tutti plot simulate ring.sched'")
        harness.run("plot", "show", "ring.sched", "-o", "x.svg", cwd=self.path)
        self.assertTrue((self.path / "x.svg").exists())

    def test_formats(self):
        self.refused(["convert", RING[0], "ring.txt", *RING[1:]], "unknown format; end the name in .tutti")
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
