"""Tests of tutti lint with files that decide writes, and with files that are damaged at random; the others are in
lint.test and lint_ran.test."""

import json
import pathlib
import random
import tempfile
import unittest

import harness


def drawn_rules(draw):
    """Returns the lines of a correct file of classic rules, and the indices of the lines with counts."""
    ids = draw.sample([0, 2, 3, 7, 11], draw.randint(1, 4))
    lines, counts = [str(len(ids))], [0]
    for number in ids:
        sizes = sorted(draw.sample([2, 4, 8, 16, 64, 512], draw.randint(1, 4)))
        lines += [str(number), str(len(sizes))]
        counts.append(len(lines) - 1)
        for ranks in sizes:
            bytes_from = [0, *sorted(draw.sample([1024, 4096, 65536, 1048576], draw.randint(1, 3)))]
            lines += [str(ranks), f"{len(bytes_from)}"]
            counts.append(len(lines) - 1)
            lines += [f"{size} {draw.choice([1, 2, 3, 4])} 0 0" for size in bytes_from]
    return lines, counts


def lint_text(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rules")
        path.write_bytes(text.encode())
        return lint(path, *options)


def text_of(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rules")
        path.write_bytes(text.encode())
        return harness.run("lint", path, *options)


def lint(path, *options):
    done = harness.run("lint", path, *options, "--json", "-")
    document = json.loads(done.stdout)
    harness.validate(document, "tutti-lint-2")
    [result] = document["files"]
    return done.returncode, result


class Lint(unittest.TestCase):
    def test_arbitrary_bytes_are_handled(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            for content in [b"\xff\x1b[31m 1 2\n", b"\xff,\x1b[31m,3\n", b"a,1,2,\xff\x1b,ll,1,1,1",
                            b"[" * 100000, b'{"a":' * 100000,
                            b'{"tutti-decisions/": [' + b'{"then":[' * 100000]:
                with self.subTest(content=content[:30]):
                    path.write_bytes(content)
                    code, result = lint(path)
                    self.assertEqual(code, 1)
                    self.assertNotIn("\x1b", json.dumps(result, ensure_ascii=False))
                    self.assertNotIn("\x1b", harness.run("lint", path).stdout)

    def test_parameters_of_mpich_are_checked(self):
        """From MPICH 4.1 on, the parameters of an algorithm are its children in the tree of a rule file;
        tutti reads them as options."""
        leaf = lambda name, *children: {f"algorithm=MPIR_{name}": {child: {} for child in children}}
        given = {
            "bcast": {
                "avg_msg_size<=4096": leaf("Bcast_intra_tree", "tree_type=knomial_2", "k=8",
                                           "is_non_blocking=1"),
                "avg_msg_size<=65536": leaf("Bcast_intra_pipelined_tree", "tree_type=kary", "k=3",
                                            "chunk_size=8192", "is_non_blocking=0",
                                            "recv_pre_posted=0"),
                "avg_msg_size=any": leaf("Bcast_intra_tree", "tree_type=knomial_1", "k=2",
                                         "is_non_blocking=0")},
            "barrier": leaf("Barrier_intra_k_dissemination", "k = 4"),
            "allreduce": {"avg_msg_size<=8": leaf("Allreduce_intra_recursive_multiplying", "k=3"),
                          "avg_msg_size=any": leaf("Allreduce_intra_ring")}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.json"
            self.assertEqual(harness.run("decide", "allgather", "-p", 4, "-n", 960, "--export",
                                         "mpich43", "-o", path).returncode, 0)
            rules = json.loads(path.read_text())
            for collective, tree in given.items():
                rules[f"collective={collective}"]["comm_type=intra"] = tree
            path.write_text(json.dumps(rules))
            code, linted = lint(path)
            self.assertEqual((code, linted["format"]), (0, "mpich43"), linted["findings"])

            def chosen(collective, n=None):
                sizes = [] if n is None else ["-n", n]
                found = harness.choice(collective, "-p", 16, *sizes, "--table", path)["choice"]
                return {key: found.get(key) for key in
                        ["algorithm", "tree", "radix", "segment_bytes"]}

            self.assertEqual(chosen("bcast", 4096), {"algorithm": "pipeline", "tree": "knomial_2",
                                                     "radix": 8, "segment_bytes": None})
            self.assertEqual(chosen("bcast", 4104), {"algorithm": "pipeline", "tree": "kary",
                                                     "radix": 3, "segment_bytes": 8192})
            self.assertEqual(chosen("bcast", "1MiB")["tree"], "knomial_1")
            self.assertEqual(chosen("barrier")["radix"], 4)
            self.assertEqual(chosen("allreduce", 8)["radix"], 3)
            self.assertEqual(chosen("allreduce", 800)["algorithm"], "ring")
            # Before 4.3, MPICH identifies a kind of tree by a number. MPICH 4.0 has no such parameter.
            self.assertEqual(lint(path, "--library", "MPICH 4.3")[0], 0)
            for release, words in [("MPICH 4.2", "before 4.3, MPICH expects a number"),
                                   ("MPICH 4.0", "MPICH 4.1 and later has")]:
                code, linted = lint(path, "--library", release)
                self.assertEqual(code, 1)
                self.assertIn(words, " ".join(found["text"] for found in linted["findings"]))

    def test_files_for_mpich_by_decide_are_read_back_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.json"
            decided = harness.json_output("decide", "bcast", "-p", 16, "-n", "64,1MiB", "--ports",
                                          "unlimited", "--tolerance", 0, "--export", "mpich43", "-o",
                                          path, "--json", "-")
            written = path.read_text()
            self.assertIn("tree_type=", written)
            self.assertIn("chunk_size=", written)
            for decision in decided["decisions"]:
                candidate = next(c for c in decided["candidates"] if c["label"] == decision["candidate"])
                read = harness.choice("bcast", "-p", 16, "-n", max(decision["from_bytes"], 64), "--table",
                                      path)["choice"]
                for key in ["algorithm", "tree"]:
                    self.assertEqual(read.get(key), candidate.get(key))
                if "radix" in candidate:
                    self.assertEqual(read["radix"], candidate["radix"])

    def test_every_wrong_count_is_reported(self):
        """Changes counts of a correct file at all levels: each of them must be reported with its line, and no
        other count."""
        seed = random.randrange(2**32)
        draw = random.Random(seed)
        for trial in range(40):
            lines, counts = drawn_rules(draw)
            # If the counts of collectives and of communicator sizes are wrong as well as all others, the lines have
            # more than one meaning.
            messages = [at for at in counts if " " in lines[at + 1]]
            wrong = sorted(draw.choice([draw.sample(counts, 1), draw.sample(counts, 2), messages]))
            changed = list(lines)
            for at in wrong:
                if int(lines[at]) > 0:
                    # If one of several wrong counts is 0, the lines have more than one meaning.
                    smallest = int(len(wrong) > 1)
                    others = [int(lines[at]) + change for change in (-1, 1, 2)]
                    changed[at] = str(draw.choice([count for count in others if count >= smallest]))
            wrong = [at for at in wrong if changed[at] != lines[at]]
            text = "\n".join(changed) + "\n"
            with self.subTest(seed=seed, trial=trial, text=text):
                code, found = lint_text(text)
                self.assertEqual((code, found["rule_file"]), (1, True))
                printed = [(each["line"], each["text"]) for each in found["findings"] if "declared, but" in each["text"]]
                self.assertEqual([line for line, _ in printed], [at + 1 for at in wrong])
                self.assertEqual([int(words.split()[0]) for _, words in printed], [int(changed[at]) for at in wrong])
                for (_, words), at in zip(printed, wrong):
                    follow = words.split("but ")[1].split()[0]
                    self.assertEqual(follow, "none" if lines[at] == "0" else lines[at].split(" ")[0], words)
                self.assertEqual(len([words for _, words in printed if "Open MPI" in words]), 1, printed)
                self.assertIsNotNone(found["cut_at"])

    def test_a_truncated_file_is_named_by_its_library(self):
        lines, _ = drawn_rules(random.Random(3))
        first = next(i for i, line in enumerate(lines) if " " in line)
        for end in range(first + 1, len(lines)):
            for rest in ("", lines[end].rsplit(" ", 1)[0] if " " in lines[end] else ""):
                text = "\n".join(lines[:end] + ([rest] if rest else [])) + "\n"
                with self.subTest(text=text):
                    done = text_of(text)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("rules of Open MPI 4.1 to 5.0.6, cut short at line ", done.stdout.splitlines()[0])
                    self.assertIn("ignores", done.stdout)

    def test_damaged_json_is_named_by_its_library(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rules.json")
            for form, words in [("ompi6", "JSON rules of Open MPI 6"), ("mpich43", "JSON selection tree of MPICH"),
                                ("mpich51", "JSON selection trees of MPICH 5.1"), ("json", "decision table of tutti")]:
                harness.output("decide", "allreduce", "-p", "4,8", "-n", "64..64K*32", "--export", form, "-o", path)
                whole = path.read_text()
                for share in (0.4, 0.8):
                    path.write_text(whole[:int(share * len(whole))])
                    done = harness.run("lint", path)
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.stdout.splitlines()[0], f"{words}.*, cut short at line \\d+$")
                path.unlink()

    def test_files_by_decide_are_valid_and_equivalent_in_every_format(self):
        for collective, n in harness.every(4, [
                ("allreduce", "64..256K*16"), ("bcast", "64..16K*16"), ("allgather", "960,60K"),
                ("alltoall", "960,60K"), ("reduce_scatter", "960,60K"), ("gather", "960"),
                ("scatter", "960"), ("reduce", "64..16K*16"), ("barrier", None)]):
            sizes = ["-n", n] if n else []
            chosen = {}
            for library, release in [("ompi4", "Open MPI 4.1.4"), ("ompi5", "Open MPI 5.0.9"),
                                     ("ompi6", "Open MPI main"), ("mpich", "MPICH 4.0.2"),
                                     ("mpich41", "MPICH 4.1"), ("mpich43", "MPICH 4.3")]:
                with self.subTest(collective=collective, library=library), \
                        tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / "rules"
                    result = harness.run("decide", collective, "-p", "4,6,15", *sizes, "--export",
                                         library, "-o", path)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertIn("loaded with: ", result.stdout)
                    self.assertIn(str(path), result.stdout.split("loaded with: ")[1])
                    code, linted = lint(path, "--library", release)
                    self.assertEqual((code, linted["findings"]), (0, []))
                    self.assertEqual(linted["format"], library)
                    code, linted = lint(path)
                    self.assertEqual((code, linted["findings"]), (0, []))
                    chosen[library] = [
                        harness.choice(collective, "-p", ranks, *(["-n", size] if n else []), "--table",
                                       path)["choice"].get("algorithm")
                        for ranks, size in [(4, 960), (6, 15360), (15, 983040)]]
            self.assertEqual(chosen["ompi4"], chosen["ompi6"])


class NewFormats(unittest.TestCase):
    """Formats whose libraries have a reader of their own: UCC and MPICH 5.1."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "rules"

    def test_written_rules_make_the_same_choices_when_they_are_read(self):
        grid = ["-p", "4,16", "-n", "64,4K,1M"]
        for form, comments in [("ucc", "UCC_CONFIG_FILE=FILE"), ("mpich51", "")]:
            for collective in ("allreduce", "allgather", "reduce_scatter"):
                with self.subTest(form=form, collective=collective):
                    command = ["decide", collective, *grid, "--crossover", 0, "--tolerance", 0]
                    done = harness.output(*command, "--export", form, "-o", self.path)
                    self.assertIn("loaded with: ", done)
                    text = self.path.read_text()
                    self.assertIn(comments, text)
                    self.assertLess(max(len(line) for line in text.splitlines()), 8192)
                    code, result = lint(self.path)
                    self.assertEqual((code, result["format"]), (0, form), result["findings"])
                    again = harness.json_output(*command, "--export", form, "-o", self.path.with_suffix(".2"),
                                                "--against", self.path, "--json", "-")
                    self.assertLess(again["against"]["worst"]["loss"], 1e-9)
                    self.assertGreaterEqual(len(again["against"]["cells"]), 5)


# MPICH's pull request 7547, with `mpiexec -l`.
COUNTERS = """\
[0] No Errors
[0] ==== Dump collective algorithm counters ====
[0]          4  MPIR_Bcast_intra_scatter_ring_allgather
[0]         16  MPIR_Bcast_intra_binomial
[0]          1  MPIR_Reduce_intra_binomial
[0]          2  MPIR_Alltoall_intra_brucks
[0]          6  MPIR_Allgather_intra_ring
[0] ==== END collective algorithm counters ====
[0]          9  MPIR_Bcast_intra_smp
"""


class LintOfRuns(unittest.TestCase):
    """Counters of MPICH; lint_ran.test has the logs of other libraries."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def ran(self, rules, *logs, library):
        """Returns the rules' uses: {line: (used, [(calls, why)], [(calls, why)], untold)}, and the whole object."""
        done = harness.run("lint", rules, "--library", library,
                           *[word for log in logs for word in ("--ran", log)], "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        harness.validate(document, "tutti-lint-2")
        found = document["files"][-1]["ran"]
        pairs = lambda calls: [(each["calls"], each["why"]) for each in calls]
        return {rule["line"]: (rule["used"], pairs(rule["not_used"]), pairs(rule["unknown"]), rule["untold"])
                for rule in found["rules"]}, found

    def test_mpich_counters(self):
        tree = self.mpich_tree()
        text = tree.read_text().splitlines()
        # A rule has the line of its last condition, which is the one before its algorithm.
        doubling, ring = (max(i for i, line in enumerate(text) if f'=MPIR_Bcast_intra_{name}"' in line)
                          for name in ("scatter_recursive_doubling_allgather", "scatter_ring_allgather"))
        used, found = self.ran(tree, self.written("run.log", COUNTERS), library="MPICH 4.3")
        self.assertEqual(used[doubling], (0, [], [], None))
        # Some of the lines that name the ring are for communicators with a hierarchy, which the table leaves out.
        named = [i + 1 for i, line in enumerate(text) if '=MPIR_Bcast_intra_scatter_ring_allgather"' in line]
        self.assertEqual(used[ring][3], "MPIR_Bcast_intra_scatter_ring_allgather ran 4 times, for all lines that name "
                         f"it: {', '.join(map(str, named))}")
        brucks = next(i for i, line in enumerate(text) if '=MPIR_Alltoall_intra_brucks"' in line)
        self.assertEqual(used[brucks], (2, [], [], None))  # a single line names it
        self.assertIn({"collective": "allgather", "calls": 6, "what": "MPIR_Allgather_intra_ring, which no rule names"},
                      found["without_rule"])
        # The line after the end of the counters is not a counter.
        self.assertFalse(any("smp" in each["what"] for each in found["without_rule"]))
        self.assertFalse(any("smp ran" in untold for *_, untold in used.values() if untold))
        shown = " ".join(harness.output("lint", tree, "--ran", self.folder / "run.log").split())
        self.assertIn("(scatter_doubling): never used: its algorithm did not run", shown)

    def mpich_tree(self):
        path = self.folder / "tree.json"
        harness.output("decide", "allgather", "-p", 4, "-n", "1K", "--export", "mpich43", "-o", path)
        tree = json.loads(path.read_text())
        tree["collective=allgather"] = {"comm_type=intra": {"algorithm=MPIR_Allgather_intra_brucks": {}},
                                        "comm_type=inter": {"algorithm=MPIR_Allgather_inter_local_gather_remote_bcast": {}}}
        path.write_text(json.dumps(tree, indent=1))
        return path

    def test_mpich_without_counters(self):
        calls = self.written("calls.csv", "collective,p,bytes,calls\nallgather,4,64,2\n")
        used, _ = self.ran(self.mpich_tree(), calls, library="MPICH 4.3")
        self.assertTrue(all(count is None and "5.1" in untold for count, _, _, untold in used.values()))
        self.assertEqual([unknown for _, _, unknown, _ in used.values() if unknown],
                         [[(2, "they meet the conditions")]])


if __name__ == "__main__":
    harness.main()
