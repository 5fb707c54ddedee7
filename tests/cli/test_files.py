"""Tests of schedules and programs in files that compute something; the others are in files.test and programs.test."""

import json
import pathlib
import tempfile
import unittest
from xml.etree import ElementTree

import harness


class Files(unittest.TestCase):
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

    def test_verdicts_match_their_schema(self):
        for arguments in [["allreduce", "-p", "1..5"], ["barrier", "-p", 3],
                          ["bcast/binomial", "-p", "2..3", "--root", "all"],
                          ["allreduce/rabenseifner", "-p", 4, "-n", "8,64"]]:
            verdicts = harness.json_output("verify", *arguments, "--json", "-")
            harness.validate(verdicts, "tutti-verify-1")
            self.assertTrue(all(v.get("proved", "refused" in v) for v in verdicts))

    def test_programs_can_use_every_tree(self):
        names = harness.schema("tutti-result-1")["definitions"]["result"]["properties"]["tree"]
        text = (harness.SOURCE_DIR / "examples" / "schedules" / "pipeline.sched").read_text()
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "a.sched"
            for tree in filter(None, names["enum"]):
                with self.subTest(tree=tree):
                    program.write_text(text.replace("children(n,tree)", f"children(n,{tree})"))
                    options = ["-p", 13, "-n", "64K", "--segment", "8K", "--json", "-"]
                    one = harness.json_output("simulate", program, *options)
                    other = harness.json_output("simulate", "bcast/pipeline", *options, "--tree", tree)
                    self.assertEqual(one["simulated_s"], other["simulated_s"])


if __name__ == "__main__":
    harness.main()
