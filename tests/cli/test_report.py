"""tutti report and tutti plot: pages and pictures from commands and from files, and what is refused."""

import json
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

import harness

PLATFORM = str(harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml")
RUN = ["simulate", "allreduce/ring", "-p", "8", "-n", "64KiB"]
SVG = "{http://www.w3.org/2000/svg}"


def page_data(text):
    """The data of a page, and all of it beside them."""
    found = re.search(r'<script type="application/json" id="tutti-data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1)), text[:found.start()] + text[found.end():]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def refused(self, *arguments):
        """Its one line; nothing is written."""
        before = sorted(self.path.iterdir())
        done = harness.run(*arguments, cwd=self.path)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(sorted(self.path.iterdir()), before)
        return done.stderr


class Report(Folder):
    def test_of_commands_and_files(self):
        harness.output(*RUN, "--record", str(self.path / "run.json"))
        compared = ["compare", "bcast", "-p", "4,8", "-n", "1K,1MiB"]
        done = harness.output("report", str(self.path / "run.json"), "--and", *compared, "--and",
                              "decide", "bcast", "-p", "4,8", "-n", "1K..1MiB*32", "-o", "-")
        data, rest = page_data(done)
        self.assertEqual(data["schema"], "tutti-report/1")
        self.assertEqual([part["kind"] for part in data["parts"]], ["run", "comparison", "decision"])
        self.assertEqual(data["parts"][1]["source"], " ".join(compared))
        harness.validate(data["parts"][0]["document"], "tutti-recording-1")
        self.assertEqual(data["parts"][0]["document"],
                         json.loads((self.path / "run.json").read_text()))
        for part in data["parts"]:
            for picture in part["pictures"]:
                xml.etree.ElementTree.fromstring(picture["svg"])
                self.assertGreater(len(picture["alt"]), 20)
                self.assertGreater(picture["csv"].count("\n"), 1)
            for table in part["tables"]:
                for row in table["rows"] + table["shown"]:
                    self.assertEqual(len(row), len(table["columns"]))
        # It asks nothing of any network: no address of one is in what a browser loads.
        self.assertNotRegex(rest, r"<(script|link|img|iframe)[^>]*(src|href)=")
        self.assertIn("default-src 'none'", rest)

    def test_is_the_same_again(self):
        arguments = ["report", "show", "allreduce/ring", "-p", "4", "-n", "64", "-o", "-"]
        self.assertEqual(harness.output(*arguments), harness.output(*arguments))

    def test_names_are_data(self):
        name = "</script><script>alert(1)</script>\"'\n"
        harness.output(*RUN, "--record", str(self.path / "run.json"))
        recording = json.loads((self.path / "run.json").read_text())
        recording["title"] = name
        recording["network"]["links"][0]["place"] = name
        recording["network"]["nodes"][0]["name"] = name
        (self.path / "run.json").write_text(json.dumps(recording))
        page = harness.output("report", str(self.path / "run.json"), "-o", "-", "--title", name)
        self.assertNotIn("<script>alert(1)", page)
        data, _ = page_data(page)
        self.assertEqual(data["title"], name)
        self.assertEqual(data["parts"][0]["document"]["network"]["links"][0]["place"], name)

    def test_of_a_database(self):
        database = str(self.path / "kept.db")
        harness.output("compare", "bcast", "-p", "4,8", "-n", "1K,64K", "--db", database)
        data, _ = page_data(harness.output("report", database, "-o", "-"))
        self.assertEqual(data["parts"][0]["kind"], "query")
        self.assertEqual(data["parts"][0]["pictures"][0]["group"], "comparison")
        # One map for all ranks, though each number of them has a crossbar of its own.
        self.assertEqual([picture["id"].split("-")[0] for picture in data["parts"][0]["pictures"]],
                         ["winners", "times", "times"])

    def test_an_explanation_is_a_run(self):
        data, _ = page_data(harness.output("report", "explain", *RUN[1:], "--platform", PLATFORM,
                                           "-o", "-"))
        document = data["parts"][0]["document"]
        self.assertEqual(document["network"]["kind"], "fat_tree")
        self.assertGreater(len(document["explanation"]["improvements"]), 3)

    def test_refused(self):
        harness.output(*RUN, "--record", str(self.path / "run.json"))
        text = (self.path / "run.json").read_text()
        (self.path / "cut.json").write_text(text[:len(text) // 2])
        self.assertIn("cut.json", self.refused("report", "cut.json"))
        (self.path / "other.json").write_text('{"schema": "other/1"}')
        self.assertIn("other/1", self.refused("report", "other.json"))
        self.assertIn("none.json", self.refused("report", "none.json"))
        recording = json.loads(text)
        for change, place in [(lambda ops: ops["src"].__setitem__(0, 99), "/ops/src/0 is 99"),
                              (lambda ops: ops["after_start"].pop(), "after_start"),
                              (lambda ops: ops["held_by"].__setitem__(3, 10**6), "/ops/held_by/3"),
                              (lambda ops: ops["end_s"].pop(), "/ops/end_s")]:
            changed = json.loads(text)
            change(changed["ops"])
            (self.path / "changed.json").write_text(json.dumps(changed))
            self.assertIn(place, self.refused("report", "changed.json"))
        self.assertGreater(len(recording["ops"]["kind"]), 0)
        self.assertIn("needs something to show", self.refused("report"))
        self.assertIn("simulate", self.refused("report", "simulat", "allreduce/ring"))
        self.assertIn("ring2", self.refused("report", "simulate", "allreduce/ring2", "-p", "4"))
        self.assertIn("leave the option out",
                      self.refused("report", *RUN, "--record", "x.json"))
        self.assertIn("no/such", self.refused("report", *RUN, "-o", "no/such/folder.html"))


class Plot(Folder):
    def svg(self, *arguments):
        path = self.path / "picture.svg"
        harness.output("plot", *arguments, "-o", str(path))
        return xml.etree.ElementTree.parse(path).getroot()

    def texts(self, picture):
        return [element.text or "" for element in picture.iter(SVG + "text")]

    def test_a_comparison(self):
        picture = self.svg("compare", "allreduce", "-p", "8", "-n", "1K..1MiB*4", "--which", "times")
        self.assertIn("ring", self.texts(picture))
        self.assertIn("64 KiB", self.texts(picture))
        series = {group.get("data-series") for group in picture.iter(SVG + "g")}
        self.assertIn("recursive_doubling", series)

    def test_curves_on_each_other_are_named(self):
        # On a power of two these two are one and the same.
        picture = self.svg("compare", "allreduce", "-p", "8", "-n", "1K..1MiB*4", "--which", "times")
        together = [text for text in self.texts(picture) if text.startswith("on each other")]
        self.assertEqual(len(together), 1)
        self.assertIn("rabenseifner", together[0])
        self.assertTrue(any("dash1" in line.get("class")
                            for line in picture.iter(SVG + "polyline")))

    def test_a_decision_and_what_rules_lose(self):
        rules = str(harness.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json")
        arguments = ["decide", "allreduce", "-p", "4,16", "-n", "1K..1MiB*32", "--against", rules]
        winners = self.texts(self.svg(*arguments))
        self.assertTrue(any("rabenseifner" in text for text in winners), winners)
        losses = self.texts(self.svg(*arguments, "--which", "loss"))
        self.assertTrue(losses[0].endswith("Open MPI 4.1, fixed decision, operators that commute")
                        or "lost on average" in losses[0], losses[0])

    def test_where_the_time_goes(self):
        picture = self.svg(*RUN, "--platform", PLATFORM, "--which", "waterfall")
        self.assertIn("simulated", self.texts(picture))

    def test_png(self):
        path = self.path / "picture.png"
        harness.output("plot", *RUN, "--which", "account", "-o", str(path))
        self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_html(self):
        path = self.path / "picture.html"
        harness.output("plot", *RUN, "--which", "account", "-o", str(path))
        data, _ = page_data(path.read_text())
        self.assertEqual(len(data["parts"][0]["pictures"]), 1)

    def test_refused(self):
        self.assertIn("needs -o", self.refused("plot", *RUN))
        self.assertIn(".svg, .png or .html", self.refused("plot", *RUN, "-o", "picture.gif"))
        self.assertIn("there are timeline",
                      self.refused("plot", *RUN, "-o", "x.svg", "--which", "nothing"))


if __name__ == "__main__":
    unittest.main()
