"""Tests tutti report and tutti plot: pages and pictures from commands and from files, and refused input."""

import json
import pathlib
import re
import shlex
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

import xxhash

import harness
from test_validate import parameters, run_entry

PLATFORM = str(harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml")
RUN = ["simulate", "allreduce/ring", "-p", "8", "-n", "64KiB"]
# Allreduce algorithms: four that take the same time if the number of ranks is a power of two, and five others.
SOME = ["--algorithms", "basic_linear,nonoverlapping,recursive_doubling,ring,segmented_ring,"
        "rabenseifner,reduce_scatter_allgather,binary_blocks,circulant"]
SVG = "{http://www.w3.org/2000/svg}"


def page_data(text):
    """Returns the JSON data in a page, and the text of the page without this data."""
    found = re.search(r'<script type="application/json" id="tutti-data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1)), text[:found.start()] + text[found.end():]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def refused(self, *arguments):
        """Checks that the command is refused and writes no file. Returns its error line."""
        before = sorted(self.path.iterdir())
        done = harness.run(*arguments, cwd=self.path)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(sorted(self.path.iterdir()), before)
        return done.stderr


class Report(Folder):
    def test_report_on_commands_and_files(self):
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
        # The page loads nothing from a network.
        self.assertNotRegex(rest, r"<(script|link|img|iframe)[^>]*(src|href)=")
        self.assertIn("default-src 'none'", rest)

    def test_a_report_is_reproducible(self):
        arguments = ["report", "show", "allreduce/ring", "-p", "4", "-n", "64", "-o", "-"]
        self.assertEqual(harness.output(*arguments), harness.output(*arguments))

    def test_names_are_escaped(self):
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

    def test_report_on_a_database(self):
        database = str(self.path / "kept.db")
        harness.output("compare", "bcast", "-p", "4,8", "-n", "1K,64K", "--db", database)
        data, _ = page_data(harness.output("report", database, "-o", "-"))
        self.assertEqual(data["parts"][0]["kind"], "query")
        self.assertEqual(data["parts"][0]["pictures"][0]["group"], "comparison")
        # One map of winners covers all numbers of ranks, although each number of ranks has its own crossbar.
        self.assertEqual([picture["id"].split("-")[0] for picture in data["parts"][0]["pictures"]],
                         ["winners", "times", "times"])

    def test_a_comparison_is_read_with_and_without_its_frame(self):
        """Earlier versions of compare wrote only the list of the rows."""
        compared = harness.json_output("compare", "allreduce", "-p", "4,8", "-n", "8,64K", "--json", "-")
        self.assertTrue(any(row["refused"] for row in compared["cells"]))
        pages = []
        for document in (compared, compared["cells"]):
            (self.path / "compared.json").write_text(json.dumps(document))
            pages.append(page_data(harness.output("report", str(self.path / "compared.json"), "-o", "-"))[0])
        self.assertEqual(*pages)
        [part] = pages[0]["parts"]
        self.assertEqual((part["kind"], [picture["id"].split("-")[0] for picture in part["pictures"]]),
                         ("comparison", ["winners", "times", "times"]))
        del compared["best"]
        (self.path / "bad.json").write_text(json.dumps(compared))
        self.assertIn("best", self.refused("report", "bad.json"))
        compared["best"] = [{}]
        self.assertIn("bad.json", self.refused("report", "bad.json"))

    def test_an_explanation_is_reported_as_a_run(self):
        data, _ = page_data(harness.output("report", "explain", *RUN[1:], "--platform", PLATFORM,
                                           "-o", "-"))
        document = data["parts"][0]["document"]
        self.assertEqual(document["network"]["kind"], "fat_tree")
        self.assertGreater(len(document["explanation"]["improvements"]), 3)

    def test_bad_input(self):
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


    def test_two_runs_are_shown_side_by_side(self):
        data, _ = page_data(harness.output("report", "explain", "allreduce/ring", "-p", "8", "-n", "64K",
                                           "--against", "allreduce/circulant", "-o", "-"))
        account, rounds = data["parts"][0]["tables"]
        self.assertEqual([column["name"] for column in account["columns"]],
                         ["what", "ring", "circulant", "second minus first"])
        for row in account["rows"]:
            self.assertAlmostEqual(row[2] - row[1], row[3])
        self.assertEqual(len(rounds["rows"]), 14)
        self.assertIsNone(rounds["rows"][13][2])       # the circulant algorithm has only six rounds


    def test_bounds_are_drawn_on_their_network_with_a_table(self):
        data, _ = page_data(harness.output("report", "bound", "alltoall", "-p", "128", "-n",
                                           "1K,1MiB", "--platform", PLATFORM, "-o", "-"))
        part = data["parts"][0]
        harness.validate(part["document"], "tutti-bound-1")
        self.assertEqual((part["kind"], part["title"]), ("bound", "Lower bounds: alltoall"))
        self.assertEqual([picture["id"].split("-")[0] for picture in part["pictures"]], ["limits", "cut"])
        cut = part["pictures"][1]
        marked = [line.split(",")[0] for line in cut["csv"].splitlines() if line.endswith(",yes")]
        self.assertEqual(marked, [f"up-link {i} of leaf switch 0 (hosts 0-15)" for i in range(4)])
        self.assertEqual(cut["svg"].count("hosts 0-15&#10;hosts inside the cut"), 1)
        self.assertIn("hosts 0-15 must send 14 MiB", cut["alt"])
        bounds = part["document"]["bounds"]
        for row, bound in zip(part["tables"][0]["rows"], bounds):
            self.assertAlmostEqual(row[3], 1e6 * bound["bound_s"])
            self.assertEqual(row[3], max(time for time in row[6:10] if time is not None))
        self.assertIn("hosts 0-15 must send 14 MiB", part["tables"][0]["rows"][1][5])
        # The latencies of a barrier are not a place in the network.
        data, _ = page_data(harness.output("report", "bound", "all", "-p", "8", "-n", "1K", "--what-if",
                                           "bw*2", "-o", "-"))
        part = data["parts"][0]
        self.assertTrue(part["title"].endswith(", what if bw*2"))
        ids = [picture["id"] for picture in part["pictures"]]
        self.assertIn("cut-bcast-8-crossbar-8", ids)
        self.assertFalse(any("barrier" in each for each in ids), ids)

    def test_pages_of_runs_have_the_parts_beyond_the_limit(self):
        data, _ = page_data(harness.output("report", "explain", "alltoall/bruck", "-p", "64", "-n", "1MiB",
                                           "--platform", PLATFORM, "-o", "-"))
        part = data["parts"][0]
        harness.validate(part["document"], "tutti-recording-1")
        limit = part["document"]["explanation"]["limit"]
        self.assertIn("hosts 0-15 must send 12 MiB", limit["in_words"])
        picture = next(each for each in part["pictures"] if each["id"].startswith("limit-"))
        self.assertIn(limit["in_words"], picture["alt"])
        self.assertEqual(len(picture["csv"].splitlines()), 1 + len(limit["parts"]))

    def test_pages_compare_times_with_limits(self):
        data, _ = page_data(harness.output(
            "report", *RUN, "--and", "compare", "bcast", "-p", "4,8", "-n", "1K,1MiB", "--and", "decide", "bcast",
            "-p", "4,8", "-n", "1K..1MiB*32", "-o", "-"))
        run, comparison, decision = data["parts"]
        result = run["document"]["result"]
        self.assertAlmostEqual(result["of_limit"], result["simulated_s"] / result["bound_s"])
        for part, table in ((comparison, comparison["tables"][0]), (decision, decision["tables"][1])):
            at = [column["name"] for column in table["columns"]].index("x limit")
            factors = [row[at] for row in table["rows"]]
            self.assertTrue(all(factor >= 1 - 1e-9 for factor in factors), factors)
            of_limit = [cell["of_limit"] for cell in (part["document"]["cells"] if part is decision
                                                      else part["document"]) if "of_limit" in cell]
            self.assertEqual(sorted(factors), sorted(of_limit))
        for picture in comparison["pictures"][1:]:
            self.assertIn('data-series="limit"', picture["svg"])


class Plot(Folder):
    def svg(self, *arguments):
        path = self.path / "picture.svg"
        harness.output("plot", *arguments, "-o", str(path))
        return xml.etree.ElementTree.parse(path).getroot()

    def texts(self, picture):
        return [element.text or "" for element in picture.iter(SVG + "text")]

    def test_plot_of_a_comparison(self):
        picture = self.svg("compare", "allreduce", "-p", "8", "-n", "1K..1MiB*4", "--which", "times")
        self.assertIn("ring", self.texts(picture))
        self.assertIn("64 KiB", self.texts(picture))
        series = {group.get("data-series") for group in picture.iter(SVG + "g")}
        self.assertIn("recursive_doubling", series)

    def test_coinciding_curves_are_named(self):
        # If the number of ranks is a power of two, four of these algorithms take the same time.
        picture = self.svg("compare", "allreduce", *SOME, "-p", "8", "-n", "1K..1MiB*4", "--which",
                           "times")
        together = [text for text in self.texts(picture) if text.startswith("curves that coincide")]
        self.assertEqual(len(together), 1)
        self.assertIn("rabenseifner", together[0])
        # Four curves coincide, so each of them draws a fourth of the common line.
        dashes = [line.get("stroke-dasharray") for line in picture.iter(SVG + "polyline")]
        self.assertEqual(dashes.count("9 27"), 3, dashes)

    def test_plots_of_a_decision_and_of_losses(self):
        rules = str(harness.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json")
        arguments = ["decide", "allreduce", "-p", "4,16", "-n", "1K..1MiB*32", "--against", rules]
        winners = self.texts(self.svg(*arguments))
        self.assertTrue(any("rabenseifner" in text for text in winners), winners)
        losses = self.texts(self.svg(*arguments, "--which", "loss"))
        self.assertTrue(losses[0].endswith("Open MPI 4.1, fixed decision, operators that commute")
                        or "lost on average" in losses[0], losses[0])
        losses = self.texts(self.svg(*arguments[:-1], "Open MPI 5.0", "--which", "loss"))
        self.assertTrue(losses[0].endswith("by Open MPI 5.0"), losses[0])

    def test_plot_of_the_time_account(self):
        picture = self.svg(*RUN, "--platform", PLATFORM, "--which", "waterfall")
        self.assertIn("simulated", self.texts(picture))

    def test_plot_of_a_bound(self):
        picture = self.svg("bound", "alltoall", "-p", "128", "-n", "1MiB", "--platform", PLATFORM)
        marked = [line for line in picture.iter(SVG + "line") if line.get("class") == "bad"]
        self.assertEqual(len(marked), 4 + 1)           # four links, and an entry of the legend
        self.assertIn("hosts inside the cut", self.texts(picture))
        picture = self.svg("bound", "barrier", "-p", "8")
        self.assertIn("(no link is part of this certificate)", " ".join(self.texts(picture)))
        several = harness.output("plot", "bound", "all", "-p", "8", "-n", "1K", "--which", "cut", "-o",
                                 str(self.path / "cut.svg"))
        self.assertRegex(several, r"\nother pictures, with --which: cut-bcast-8-")
        picture = self.svg("bound", "alltoall", "-p", "128", "-n", "1K,1MiB", "--platform", PLATFORM,
                           "--which", "limits", "--what-if", "bw*2")
        self.assertTrue(any(text.endswith(", what if bw*2") for text in self.texts(picture)))
        picture = self.svg("bound", "all", "-p", "64", "-n", "1K..16MiB*4", "--which", "limits")
        self.assertRegex(" ".join(self.texts(picture)), r"coincide in part: \w+ with \w+")

    def test_plot_as_png(self):
        path = self.path / "picture.png"
        harness.output("plot", *RUN, "--which", "account", "-o", str(path))
        self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_plot_as_pdf(self):
        path = self.path / "a (b) \u00e9.pdf"
        written = []
        for _ in range(2):
            harness.output("plot", *RUN, "--which", "account", "-o", path)
            written.append(path.read_bytes())
        self.assertEqual(*written)
        pdf = written[0]
        self.assertTrue(pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF"))
        self.assertIn(b"/Font", pdf)
        self.assertNotIn(b"Date", pdf)
        pages = b"".join(zlib.decompress(stream) for stream in
                         re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", pdf, re.DOTALL))
        self.assertIn(b"BT", pages)                      # real text
        version = harness.output("--version").split()[1]
        self.assertIn(f"/Creator (tutti {version})".encode(), pdf)
        subject = re.search(rb"/Subject (<[0-9A-F]+>|\(.*\))", pdf).group(1)
        self.assertIn("plot simulate".encode("utf-16-be").hex().upper().encode(), subject)

    def test_svg_says_how_it_was_made(self):
        platform = self.path / "<p> & 'q'.xml"
        platform.write_text(harness.output("platform", "torus", "--dims", "4"))
        path = self.path / "times.svg"
        words = ("plot", "compare", "allreduce", "-p", "4", "-n", "1K", "--platform", platform, "-o", path)
        harness.output(*words)
        made = xml.etree.ElementTree.parse(path).getroot().find(f"{SVG}metadata")
        terms = {element.tag.rpartition("}")[2]: element.text for element in made.iter()}
        self.assertEqual(terms["creator"] + "\n", harness.output("--version"))
        self.assertEqual(shlex.split(terms["source"]), ["tutti", *map(str, words)])
        digest = xxhash.xxh3_128_hexdigest(platform.read_bytes())
        self.assertEqual(terms["relation"], f"{platform} (xxh128 {digest})")
        words = (*words[:-1], "-")
        self.assertNotIn("<metadata>", harness.output(*words))

    def test_plot_as_html(self):
        path = self.path / "picture.html"
        harness.output("plot", *RUN, "--which", "account", "-o", str(path))
        data, _ = page_data(path.read_text())
        self.assertEqual(len(data["parts"][0]["pictures"]), 1)

    def test_bad_input(self):
        self.assertIn("needs -o", self.refused("plot", *RUN))
        self.assertIn(".svg, .png, .pdf or .html", self.refused("plot", *RUN, "-o", "picture.gif"))
        self.assertIn("expected timeline",
                      self.refused("plot", *RUN, "-o", "x.svg", "--which", "nothing"))


class MeasuredRuns(Folder):
    def validation(self, *runs):
        (self.path / "runs.json").write_text(json.dumps(list(runs)))
        (self.path / "machine.json").write_text(json.dumps(parameters()))
        harness.output("validate", "runs.json", "--parameters", "machine.json", "--json",
                       "valid.json", cwd=self.path)
        return json.loads((self.path / "valid.json").read_text())

    def pictures(self, *arguments):
        data, _ = page_data(harness.output("report", *arguments, "-o", "-", cwd=self.path))
        return {picture["id"].split("-")[0]: picture for picture in data["parts"][0]["pictures"]}, \
            data["parts"][0]["tables"]

    def test_runs_are_distinguished_by_their_options(self):
        found = self.validation(run_entry("circulant", 8000, 7e-6, skips="halving"),
                                run_entry("circulant", 8000, 9e-6, skips="linear"))
        harness.validate(found, "tutti-validation-1")
        self.assertEqual([run["options"] for run in found["runs"]],
                         ["--skips halving", "--skips linear"])
        _, tables = self.pictures("valid.json")
        self.assertEqual([row[0] for row in tables[0]["rows"]],
                         ["allreduce/circulant --skips halving",
                          "allreduce/circulant --skips linear"])
        for skips, measured in [("halving", "7e-06"), ("linear", "9e-06"), ("sqrt", "")]:
            pictures, _ = self.pictures("compare", "allreduce/circulant", "--skips", skips, "-p", "2",
                                        "-n", "8000,16000", "--and", "valid.json")
            line = next(line for line in pictures["times"]["csv"].splitlines() if ",8000," in line)
            self.assertEqual(line.rsplit(",", 1)[1], measured, skips)
            self.assertEqual("squares: measured" in pictures["times"]["svg"], measured != "")
        # A file from an older version of tutti does not store options. Its run is used all the same, because
        # it is the only one that matches.
        for run in found["runs"]:
            del run["options"]
        del found["runs"][1]
        found["cells"] = []
        (self.path / "valid.json").write_text(json.dumps(found))
        pictures, _ = self.pictures("compare", "allreduce/circulant", "-p", "2", "-n", "8000,16000",
                                    "--and", "valid.json")
        self.assertIn(",7e-06", pictures["times"]["csv"])

    def test_no_dot_hides_another(self):
        names = ["ring", "recursive_doubling", "rabenseifner", "nonoverlapping"]
        self.validation(*(run_entry(name, 8000 * factor, 7e-6,
                                    **({"fold": "neighbours"} if name == names[1] else {}))
                          for name in names for factor in (1, 100)))
        pictures, _ = self.pictures("valid.json")
        places = re.findall(r'<circle class="f\d" cx="([\d.]+)" cy="([\d.]+)" r="4" data-tip',
                            pictures["error"]["svg"])
        self.assertEqual(len(places), 8)
        for i, (x, y) in enumerate(places):
            for other_x, other_y in places[:i]:
                self.assertGreater(abs(float(x) - float(other_x)) + abs(float(y) - float(other_y)), 7)
        self.assertNotIn("others, whose tooltips", pictures["error"]["svg"])
        # If both axes are times, a dot must keep its place, and its tip must name the dots that it covers.
        self.assertRegex(pictures["agreement"]["svg"], r"dots lie under others, whose tooltips|1 dot lies")
        self.assertRegex(pictures["agreement"]["svg"], r'data-tip="allreduce/rabens[^"]*&#10;[^"]*&#10;allreduce/ring')


class Figures(Folder):
    def test_the_largest_losses_come_first_and_figures_are_numbers(self):
        rules = str(harness.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json")
        data, _ = page_data(harness.output("report", "decide", "allreduce", "-p", "4,64", "-n",
                                           "1K..16MiB*16", "--against", rules, "-o", "-"))
        part = data["parts"][0]
        by_id = {table["id"]: table for table in part["tables"]}
        losses = [row[-1] for row in by_id["losses"]["rows"]]
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertEqual([column["name"] for column in by_id["rules"]["columns"]],
                         ["ranks", "from size", "algorithm"])
        self.assertFalse([text for row in by_id["losses"]["shown"] for text in row if "e+" in text])
        for line in part["pictures"][0]["csv"].splitlines()[1:]:
            float(line.rsplit(",", 1)[1])

    def test_the_second_best_on_a_map_is_slower(self):
        # If the number of ranks is a power of two, three other algorithms take the same time as the best. The
        # margin is the distance to the next slower algorithm.
        data, _ = page_data(harness.output("report", "compare", "allreduce", *SOME, "-p", "4,8",
                                           "-n", "16K,64K", "-o", "-"))
        winners = data["parts"][0]["pictures"][0]
        for line in winners["csv"].splitlines()[1:]:
            self.assertGreater(float(line.rsplit(",", 1)[1]), 0.01, line)
        self.assertEqual(winners["svg"].count("&#10;= "), 4 * 3)
        self.assertNotIn(">tie<", winners["svg"])

    def test_a_single_picture_is_marked_as_a_picture(self):
        harness.output("plot", *RUN, "--which", "account", "-o", str(self.path / "picture.html"))
        data, _ = page_data((self.path / "picture.html").read_text())
        self.assertEqual((data["parts"][0]["kind"], data["parts"][0]["document"]), ("picture", None))

    def test_colours_are_the_same_for_all_numbers_of_ranks(self):
        data, _ = page_data(harness.output("report", "compare", "allreduce", "-p", "4,12", "-n",
                                           "1K..1MiB*32", "-o", "-"))
        colours = {}
        for picture in data["parts"][0]["pictures"][1:]:
            for name, colour in re.findall(r'<g data-series="(\w+)">\n<polyline[^>]*class="s(\d)',
                                           picture["svg"]):
                self.assertEqual(colours.setdefault(name, colour), colour, name)
        self.assertGreater(len(set(colours.values())), 3)


if __name__ == "__main__":
    unittest.main()
