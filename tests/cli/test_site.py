"""Tests tutti decide --library, which writes every rule file that a release reads, how to load each file, and
what the rules gain."""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import harness
from script_main import some_of

VERSIONS = {
    "Open MPI 4.1.4": {"1_per_host/tuned.conf", "4_per_host/tuned.conf"},
    "Open MPI 5.0.6": {"1_per_host/tuned.conf", "4_per_host/tuned.conf", "4_per_host/han.conf"},
    "Open MPI 5.0.9": {"1_per_host/tuned.conf", "4_per_host/tuned.conf", "4_per_host/han.conf"},
    "Open MPI main": {"1_per_host/tuned.json", "4_per_host/tuned.json", "4_per_host/han.conf"},
    "MPICH 4.0.2": {"coll.json", "ch4.json"},
    "MPICH 4.1": {"coll.json", "ch4.json"},
    "MPICH 4.2": {"coll.json", "ch4.json"},
    "MPICH 4.3": {"coll.json", "ch4.json"},
}
GRID = ("-p", "4,8,16", "-n", "512..32KiB*8", "--ranks-per-host", "1,4")


def gains_in(folder):
    with open(f"{folder}/gains.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}


class Site(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.chdir(self.folder.name)

    def test_every_release_reads_the_files_written_for_it(self):
        for library, files in VERSIONS.items():
            with self.subTest(library=library):
                folder = library.replace(" ", "_")
                printed = harness.output("decide", "all", "--library", library, *GRID, "-o", folder)
                self.assertIn(f"{folder}/README.md says how", printed)
                found = files_in(folder)
                self.assertEqual(set(found), files | {"README.md", "gains.csv", "site.json"})
                page = found["README.md"].decode()
                for name in files:
                    self.assertIn(f'"$RULES"/{name}', page)
                linted = harness.json_output("lint", folder, "--library", library, "--json", "-")
                harness.validate(linted, "tutti-lint-2")
                self.assertEqual({each["file"] for each in linted["files"]},
                                 {f"{folder}/{name}" for name in files})
                self.assertTrue(linted["sound"] and all(each["sound"] for each in linted["files"]))
                text = harness.output("lint", folder, "--library", library)
                for each in linted["files"]:
                    self.assertIn(f"{each['file']}: {each['description']}", text)
                    self.assertIn(each["decided_before"] or "", " ".join(text.split()))

    def test_a_fault_in_one_file_of_a_folder_is_reported(self):
        harness.output("decide", "bcast", "--library", "Open MPI 5.0.6", *GRID, "-o", "rules")
        path = pathlib.Path("rules/4_per_host/tuned.conf")
        path.write_text("1\n42\n1\n2\n1\n0 1 0 0\n")
        done = harness.run("lint", "rules", "--json", "-")
        linted = json.loads(done.stdout)
        self.assertEqual((done.returncode, linted["sound"]), (1, False))
        self.assertEqual([each["file"] for each in linted["files"] if not each["sound"]], [str(path)])
        os.mkdir("empty")
        done = harness.run("lint", "empty")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("the folder has no tuned.conf", done.stderr)

    def test_json_has_what_the_text_and_the_files_say(self):
        call_words = ("decide", "bcast", "--library", "Open MPI 5.0.6", *GRID)
        found = harness.json_output(*call_words, "-o", "rules", "--json", "-")
        harness.validate(found, "tutti-site-1")
        text = harness.output(*call_words, "-o", "again", "--json", "site.json")
        with open("site.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["cells"], found["cells"])
        rows = gains_in("rules")
        self.assertEqual([{name: "" if value is None else str(value) for name, value in cell.items()}
                          for cell in found["cells"]], rows)
        self.assertEqual({each["file"] for each in found["files"]} | {"README.md", "gains.csv", "site.json"},
                         set(files_in("rules")))
        readme = pathlib.Path("rules/README.md").read_text()
        for each in found["files"]:
            loaded = each["loaded_with"].replace("rules/" + each["file"], "$RULES/" + each["file"])
            for words in loaded.split()[1:]:
                self.assertIn(words, readme)
            self.assertIn(each["decided_before"] or "", readme)
        for gain in found["gains"]:
            cells = [cell for cell in found["cells"] if cell["ranks_per_host"] == gain["ranks_per_host"]]
            known = [cell["gain"] for cell in cells if cell["gain"] is not None]
            self.assertEqual((gain["cells"], gain["known"]), (len(cells), len(known)))
            self.assertEqual(gain["up_to_ranks"], max(cell["ranks"] for cell in cells))
            self.assertAlmostEqual(gain["mean"], sum(known) / len(known))
            self.assertEqual((gain["least"]["gain"], gain["most"]["gain"]), (min(known), max(known)))
            self.assertIn(gain["most"], cells)
        line = re.findall(r"^ +bcast +(\d+) +(\d+) ", text, re.M)
        self.assertEqual([(str(gain["up_to_ranks"]), str(gain["rules"])) for gain in found["gains"]], line)
        self.assertEqual(found["losses"], {"least_mean_gain": 0, "worst": None})
        self.assertIn("no rule is slower than", " ".join(text.split()))
        self.assertEqual((found["folder"], found["parameters"], found["left_out"]), ("rules", None, []))

    def test_a_page_shows_the_folder(self):
        """The page of a folder, and of the command that writes it: gains, all cells, and how to install."""
        call_words = ("decide", "bcast", "--library", "Open MPI 5.0.6", *GRID)
        harness.output(*call_words, "-o", "rules")
        pages = [harness.output("report", "rules", "-o", "-"), harness.output("report", *call_words, "-o", "-")]
        documents = []
        for page in pages:
            data = json.loads(re.search(r'<script type="application/json" id="tutti-data">(.*?)</script>', page, re.S).group(1))
            [part] = data["parts"]
            self.assertEqual(part["kind"], "decision")
            harness.validate(part["document"], "tutti-site-1")
            documents.append(part["document"])
            tables = {table["id"]: table for table in part["tables"]}
            self.assertEqual(set(tables), {"gains", "install", "site-cells"})
            rows = gains_in("rules")
            self.assertEqual(len(tables["site-cells"]["rows"]), len(rows))
            stays = [row[-1] for row in tables["site-cells"]["rows"]].count("own choice")
            self.assertEqual(stays, sum(row["rules"] == row["built_in"] for row in rows))
            self.assertIn('"$RULES"/', json.dumps(tables["install"]["rows"]).replace('\\"', '"'))
            self.assertEqual([picture["group"] for picture in part["pictures"]], ["decision"] * 2)
            known = sum(bool(row["gain"]) for row in rows)
            self.assertEqual(sum(line.rsplit(",", 1)[1] != "null" for picture in part["pictures"]
                                 for line in picture["csv"].splitlines()[1:]), known)
            self.assertIn("Times are simulated", " ".join(part["notes"]))
        self.assertEqual(documents[0]["cells"], documents[1]["cells"])
        self.assertEqual(set(os.listdir()), {"rules"})
        for path, words in [("rules/gains.csv", "give the folder, 'rules'"), (".", "the folder has no site.json")]:
            done = harness.run("report", path, "-o", "page.html")
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        self.assertIn("written", harness.output("plot", "rules", "--which", "gain-bcast-4", "-o", "gain.svg"))

    def test_large_gains_are_factors(self):
        """A gain above 100 % is printed as a factor, as are all gains of the same table."""
        # The library's own choice for 2 ranks on slow links is far from the best.
        shown = harness.output("decide", "scan", "--library", "Open MPI 5.0.6", "-p", "16", "-n", "64..1KiB*4", "-o", "rules")
        rows = [float(row["gain"]) for row in gains_in("rules") if row["gain"]]
        self.assertGreater(max(rows), 1)
        [line] = re.findall(r"^ +scan .*$", shown, re.M)
        self.assertEqual(re.findall(r"([\d.]+) x", line)[-1], f"{1 + max(rows):.2f}"[:len(re.findall(r"([\d.]+) x", line)[-1])])
        self.assertNotIn("%", line)
        self.assertIn("(2 x: twice as fast with the rules)", " ".join(shown.split()))
        readme = pathlib.Path("rules/README.md").read_text()
        table = readme[readme.index("### scan"):]
        self.assertNotIn("%", table)
        self.assertIn(" x |", table)
        self.assertIn("--mca coll_hcoll_enable 0 --mca coll_ucc_enable 0", readme)

    def test_gains_match_the_cells(self):
        harness.output("decide", "all", "--library", "Open MPI 5.0.6", *GRID, "-o", "rules")
        rows = gains_in("rules")
        self.assertEqual({row["ranks_per_host"] for row in rows}, {"1", "4"})
        self.assertGreaterEqual(len({row["collective"] for row in rows}), 14)
        with_han = 0
        for row in rows:
            if row["gain"]:
                gain = float(row["built_in_s"]) / float(row["rules_s"]) - 1
                self.assertAlmostEqual(float(row["gain"]), gain)
            with_han += row["rules"].startswith("hierarchical")
        # The time of the built-in choice must equal the time that is simulated by the command that choose
        # prints.
        row = next(row for row in rows if row["collective"] == "bcast" and row["ranks"] == "16" and
                   row["ranks_per_host"] == "4" and row["gain"])
        command = harness.choice("bcast", "-p", 16, "-n", row["bytes"], "--library", "Open MPI 5.0",
                                 "--ranks-per-host", 4)["command"]
        run = harness.json_output(*command.split()[1:], "--json", "-")
        self.assertAlmostEqual(run["simulated_s"], float(row["built_in_s"]))

    @harness.without_sanitizers
    def test_no_rule_makes_the_library_slower(self):
        """For each number of ranks, the rules must not be slower on average than the library's own choices.
        At any size, they may be slower by at most the tolerance."""
        machine = harness.SOURCE_DIR / "examples/supercomputers/parameters/leonardo.json"
        harness.output("platform", "fat_tree", "--down", "4,4", "--up", "1,1", "--bw", "200Gbps",
                       "--lat", "0.35us", "--cores", 4, "-o", "thin.xml")
        for library, more in some_of((("Open MPI 5.0.6", ["--parameters", machine]), ("Open MPI 4.1.4", []),
                                      ("MPICH 4.2", [])), 3):
            with self.subTest(library=library):
                folder = library.replace(" ", "_")
                printed = harness.output("decide", "all", "--library", library, "--platform", "thin.xml",
                                      "-p", "4,16,32", "--ranks-per-host", "1,4", *more, "-o", folder)
                self.assertIn("averaged over sizes, no rule is slower than", " ".join(printed.split()))
                gains = {}
                for row in gains_in(folder):
                    if row["gain"]:
                        slower = float(row["rules_s"]) / float(row["built_in_s"]) - 1
                        self.assertLessEqual(slower, 0.01 + 1e-6, row)
                        key = row["ranks_per_host"], row["collective"], row["ranks"]
                        gains.setdefault(key, []).append(float(row["gain"]))
                for key, values in gains.items():
                    self.assertGreaterEqual(sum(values), -1e-6, key)
                self.assertGreater(max(max(values) for values in gains.values()), 0.05)

    def test_a_rule_that_loses_at_some_sizes_is_written_for_the_other_sizes(self):
        """At the sizes at which the rule loses, the library's own choice is kept: number 0 in Open MPI's
        table."""
        harness.output("platform", "crossbar", "--hosts", 8, "--bw", "1Gbps", "--lat", "20us", "-o",
                       "slow.xml")
        harness.output("decide", "reduce", "--library", "Open MPI 5.0.6", "--platform", "slow.xml",
                       "-p", "8,16,32", "-n", "64..1MiB*4", "--ranks-per-host", 4, "-o", "rules")
        table = pathlib.Path("rules/tuned.conf").read_text()
        self.assertIn(" 0 0 0 # ignore: the library's own choice\n", table)
        self.assertEqual(harness.run("lint", "rules/tuned.conf", "--library",
                                     "Open MPI 5.0.6").returncode, 0)
        left = [row for row in gains_in("rules") if row["rules"] == row["built_in"]]
        self.assertTrue(left)
        for row in left:
            self.assertAlmostEqual(float(row["gain"] or 0), 0, msg=row)

    @harness.without_sanitizers
    def test_default_sizes_are_those_of_benchmarks(self):
        """For a collective in which each rank has its own block, the sizes are those of a block, so that every
        rank has data."""
        harness.output("decide", "all", "--library", "Open MPI 5.0.6", "-p", "16", "-o", "rules")
        sizes = {}
        for row in gains_in("rules"):
            self.assertEqual(row["block_bytes"] != "", row["collective"] not in
                             ("allreduce", "bcast", "reduce", "barrier", "scan", "exscan"))
            if row["block_bytes"]:
                self.assertEqual(int(row["bytes"]), 16 * int(row["block_bytes"]), row)
            sizes.setdefault(row["collective"], []).append(int(row["bytes"]))
        vector = [8 ** power for power in range(1, 8)]
        self.assertEqual(sizes["allreduce"], vector)
        self.assertEqual(sizes["reduce_scatter"], [size for size in vector if size >= 16 * 8])
        for collective in ("alltoall", "alltoallv", "allgather", "gather", "scatter"):
            self.assertEqual(sizes[collective],
                             [16 * block for block in (*vector[:-1], 2 ** 20)], collective)
        page = pathlib.Path("rules/README.md").read_text()
        self.assertIn("### alltoall, 1 rank on each host, by block size", page)
        harness.output("decide", "allgather", "--library", "Open MPI 5.0.6", "-p", "16", "-n",
                       "8..1KiB*2", "-o", "given")
        self.assertEqual([int(row["bytes"]) for row in gains_in("given")], [128, 256, 512, 1024])

    def test_hosts_whose_ranks_share_a_core_are_reported(self):
        harness.output("platform", "crossbar", "--hosts", 4, "-o", "one.xml")
        harness.output("platform", "crossbar", "--hosts", 4, "--cores", 8, "-o", "eight.xml")
        core = "8 ranks on a host share its only core"
        link = "two ranks on one host talk through the host's network link"
        for command in (["decide", "bcast", "--library", "MPICH 4.2", "-p", "32", "-n", "64",
                         "--ranks-per-host", "8", "-o"],
                        ["decide", "bcast", "-p", "32", "-n", "64", "--ranks-per-host", "8"],
                        ["compare", "bcast", "-p", "32", "-n", "64", "--ranks-per-host", "8"],
                        ["simulate", "bcast/binomial", "-p", "32", "-n", "64", "--ranks-per-host", "8"],
                        ["explain", "bcast/binomial", "-p", "32", "-n", "64", "--ranks-per-host", "8"]):
            for platform, shared in (("one.xml", True), ("eight.xml", False)):
                with self.subTest(command=command, platform=platform):
                    folder = [f"to_{platform}"] if command[-1] == "-o" else []
                    printed = " ".join(harness.output(*command, *folder, "--platform", platform).split())
                    self.assertEqual((core in printed, link in printed), (shared, shared), printed)
                    if folder:
                        page = pathlib.Path(folder[0], "README.md").read_text()
                        self.assertEqual(core in page, shared)

    def test_an_interrupt_leaves_all_files_or_none(self):
        call_words = [harness.TUTTI, "decide", "bcast", "--library", "Open MPI 5.0.6", "-p", "2,8", "-n",
                 "8..64KiB*64", "-o", "rules"]
        interrupted = 0
        for _ in range(10):
            process = subprocess.Popen(call_words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while process.poll() is None and not os.listdir():
                time.sleep(0.0002)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=50)
            interrupted += process.returncode != 0
            self.assertIn(os.listdir(), ([], ["rules"]))
            found = files_in(".")
            self.assertIn(set(found), (set(), {"rules/README.md", "rules/gains.csv", "rules/site.json",
                                               "rules/tuned.conf"}))
            for path in found:
                os.unlink(path)
            for folder in os.listdir():
                os.rmdir(folder)
        self.assertGreater(interrupted, 0)

    def test_output_must_be_a_new_folder(self):
        call_words = ["decide", "bcast", "--library", "Open MPI 5.0.6", "-p", "4", "-n", "64", "-o"]
        done = harness.run(*call_words, ".")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this is the current folder; name a new one", done.stderr)
        self.assertEqual(os.listdir(), [])

    def test_the_readme_has_the_lines_that_load_the_rules(self):
        harness.output("decide", "bcast", "--library", "Open MPI 5.0.6", "-p", "16", "-n", "64,1MiB",
                       "-o", "rules")
        page = pathlib.Path("rules/README.md").read_text()
        for line in ("    export OMPI_MCA_coll_tuned_use_dynamic_rules=1",
                     '    export OMPI_MCA_coll_tuned_dynamic_rules_filename="$RULES"/tuned.conf',
                     "    coll_tuned_dynamic_rules_filename = $RULES/tuned.conf"):
            self.assertIn(line, page.splitlines())

    def test_the_folder_says_which_prices_were_used(self):
        call_words = ["decide", "alltoall", "--library", "Open MPI 5.0.6", "-p", "4", "-n", "64", "-o"]
        printed = harness.output(*call_words, "ideal")
        self.assertIn("with ideal prices (no --parameters)", " ".join(printed.split()))
        self.assertIn("ideal, as the platform has them, without --parameters",
                      pathlib.Path("ideal/README.md").read_text())
        prices = harness.SOURCE_DIR / "examples/fit/start.json"
        self.assertNotIn("ideal", harness.output(*call_words, "priced", "--parameters", prices))
        self.assertIn(f"--parameters {prices}", pathlib.Path("priced/README.md").read_text())

    def test_choose_names_the_ranks_per_host_of_a_folder(self):
        harness.output("decide", "bcast", "--library", "Open MPI 5.0.6", *GRID, "-o", "rules")
        done = harness.run("choose", "bcast", "-p", 8, "-n", 64, "--library", "Open MPI 5.0.6", "--table", "rules",
                           "--ranks-per-host", 2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("it has rules for --ranks-per-host 1 or 4", done.stderr)

    def test_the_parts_of_coll_han_use_the_rules_too(self):
        """If coll/han handles a bcast instead of leaving it to coll/tuned, the parts of this bcast must also
        use the rule table. The platform has no room for larger jobs, whose parts might be slower with it."""
        harness.output("platform", "crossbar", "--hosts", 4, "--bw", "10Gbps", "--lat", "1us", "--cores", 4, "-o",
                       "four.xml")
        harness.output("decide", "bcast", "--library", "Open MPI 5.0.6", "--platform", "four.xml", "-p", "4,16", "-n",
                       "512..32KiB*8", "--ranks-per-host", "4", "-o", "rules")
        with open("rules/gains.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["rules"].startswith("hierarchical")]
        self.assertGreaterEqual(len(rows), 2)
        self.assertTrue(any(row["rules"] != row["built_in"] for row in rows))
        for row in rows:
            # With four ranks on each of four nodes, both parts look up a rule for four ranks.
            runs = harness.choice("bcast", "-p", 4, "-n", row["bytes"], "--table", "rules/tuned.conf")["runs"]
            part = ":".join(filter(None, (runs["algorithm"], runs.get("tree"), runs.get("cuts"))))
            self.assertEqual(row["rules"], f"hierarchical, groups of 4, {part} within, {part} across")
            run = harness.json_output("simulate", "bcast/hierarchical", "-p", 16, "-n", row["bytes"],
                                      "--groups", 4, "--within", part, "--across", part, "--platform",
                                      "four.xml", "--ranks-per-host", 4, "--json", "-")
            self.assertAlmostEqual(run["simulated_s"], float(row["rules_s"]))

    def test_a_rule_with_longer_segments_also_applies_to_a_compositions_parts(self):
        """A rule whose segments are longer than the messages of a part does not cut these messages."""
        harness.output("platform", "crossbar", "--hosts", 8, "--bw", "1Gbps", "--lat", "20us", "-o",
                       "slow.xml")
        harness.output("decide", "reduce", "--library", "Open MPI 5.0.6", "--platform", "slow.xml",
                       "-p", "8,16,32", "-n", "64..1MiB*4", "--ranks-per-host", 4, "-o", "rules")
        with open("rules/gains.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if int(row["bytes"]) <= 65536]
        self.assertTrue(all(row["rules_s"] for row in rows))
        self.assertGreater(min(float(row["gain"]) for row in rows if row["gain"]), -0.01)

    def test_coll_tuned_is_used_where_coll_han_is_slower(self):
        """Without shared memory, a hierarchy has more start-ups in sequence and is slower."""
        harness.output("platform", "crossbar", "--hosts", 4, "--bw", "1Gbps", "--lat", "20us", "-o",
                       "slow.xml")
        harness.output("decide", "barrier", "--library", "Open MPI 5.0.6", "--platform", "slow.xml",
                       "-p", "8,16", "--ranks-per-host", 4, "-o", "rules")
        for row in gains_in("rules"):
            self.assertGreater(float(row["gain"]), 0, row)
        self.assertIn(" tuned\n", pathlib.Path("rules/han.conf").read_text())

    def test_the_limit_of_messages_can_be_raised(self):
        """A linear alltoall on 256 ranks has 255 * 256 = 65,280 messages. Small numbers of ranks are never
        left out."""
        call_words = ["decide", "alltoall", "--library", "Open MPI 5.0.6", "-p", "128,256", "-n", "16MiB"]
        ranks = {}
        for most, words in [("1", "at most 1 are simulated; add --messages-at-most 6"),
                            ("60000", "at most 60,000 are simulated; add --messages-at-most 6"),
                            ("70000", "")]:
            printed = harness.output(*call_words, "--messages-at-most", most, "-o", most)
            self.assertEqual("left out" in printed, words != "", printed)
            self.assertIn(words, " ".join(printed.split()))
            with open(f"{most}/gains.csv", encoding="utf-8", newline="") as file:
                ranks[most] = {row["ranks"] for row in csv.DictReader(file)}
        self.assertEqual(ranks, {"1": {"128"}, "60000": {"128"}, "70000": {"128", "256"}})

    @harness.without_sanitizers
    def test_two_runs_write_the_same_bytes(self):
        for folder in ("one", "two"):
            harness.output("decide", "bcast", "--library", "MPICH 4.2", *GRID, "-o", folder)
        two = {name: text.replace(b"-o two", b"-o one") for name, text in files_in("two").items()}
        self.assertEqual(files_in("one"), two)

    def test_bad_input_gets_one_line_and_writes_nothing(self):
        pathlib.Path("taken").write_text("mine")
        for arguments, words in [
                (["all"], ["decide all", "--library"]),
                (["all", "--library", "MPICH 4.2", *GRID], ["--output is missing", "--output rules"]),
                (["all", "--library", "Open MPI 3.1"], ["Open MPI 3.1", "Open MPI 4.1", "MPICH 4.3"]),
                (["all", "--library", "UCC 1.4", *GRID], ["UCC 1.4", "--export ucc"]),
                (["all", "--library", "MPICH 4.2", *GRID, "-o", "taken"], ["taken", "this is a file"]),
                (["all", "--library", "MPICH 4.2", *GRID, "-o", "a/b/c"], ["a/b/c"]),
                (["all", "--library", "MPICH 4.2", *GRID, "-o", "-"], ["name a folder"]),
                (["all", "--library", "MPICH 4.2", *GRID, "--export", "mpich"], ["--export", "mpich"]),
                (["all", "--library", "MPICH 4.2", "-n", "64"], ["the number of ranks is missing"]),
                (["bcast", "--library", "MPICH 4.2", "-p", "8", "-n", "64", "--ranks-per-host", "0"],
                 ["--ranks-per-host '0'"]),
                (["bcast", "--library", "MPICH 4.2", "-p", "64", "-n", "64", "--platform",
                  "crossbar:8"], ["64", "room for at most 8"]),
                (["bcast", "-p", "8", "-n", "64", "--messages-at-most", "9"],
                 ["--messages-at-most '9'", "--library"]),
                (["bcast", "--library", "MPICH 4.2", *GRID, "--messages-at-most", "0"],
                 ["--messages-at-most '0'"]),
                (["bcast", "--library", "MPICH 4.2", *GRID, "--messages-at-most", "9", "--by", "exact"],
                 ["--messages-at-most '9'", "--by exact"]),
                (["alltoall", "--library", "MPICH 4.2", "-p", "256", "-n", "16MiB",
                  "--messages-at-most", "1"], ["at most 1 are simulated", "for 256 ranks"]),
                (["bcast", "--library", "MPICH 4.2", *GRID, "--messages-at-most", "few"],
                 ["--messages-at-most 'few'"]),
                (["alltoallw", "--library", "MPICH 4.2", *GRID], ["alltoallw"]),
                (["bcast", "-p", "8", "-n", "64", "--against", "Open MPI 3"], ["Open MPI 3", "Open MPI 5.0"]),
                (["bcast", "-p", "8", "-n", "64", "--against", "MPICH 4.2", "--ranks-per-host", "2",
                  "--placement", "cyclic"], ["--against 'MPICH 4.2'", "in blocks"]),
        ]:
            with self.subTest(arguments=arguments):
                if "--library" in arguments and "-o" not in arguments and arguments != [
                        "all", "--library", "MPICH 4.2", *GRID]:
                    arguments = [*arguments, "-o", "new"]
                done = harness.run("decide", *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertEqual(set(os.listdir()), {"taken"})
                self.assertEqual(pathlib.Path("taken").read_text(), "mine")

    def test_decide_against_a_library(self):
        found = harness.json_output("decide", "bcast", "-p", "8,16", "-n", "1K,64K", "--against",
                                    "Open MPI 5.0.6", "--ranks-per-host", 4, "--json", "-")["against"]
        self.assertEqual((found["file"], found["judged"]), ("Open MPI 5.0", 4))
        self.assertEqual({cell["choice"]["algorithm"] for cell in found["cells"]}, {"hierarchical"})

    def test_decide_with_ones_own_program(self):
        program = harness.SOURCE_DIR / "examples/schedules/recursive_doubling_allreduce.sched"
        printed = harness.output("decide", "allreduce", "-p", "8", "-n", "64,1MiB", "--with", program,
                              "--algorithms", "ring")
        self.assertIn("is the best in 1 of 2 cells", printed)
        self.assertIn("p = 8, n = 64 bytes: by ", printed)
        printed = harness.output("decide", "allreduce", "-p", "8", "-n", "1MiB", "--with", program,
                              "--algorithms", "ring")
        self.assertIn("is the best in none of 1 cell; nearest at p = 8, n = 1 MiB", printed)


if __name__ == "__main__":
    unittest.main()
