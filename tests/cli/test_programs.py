"""Tests programs in tutti's notation, which commands accept in place of an algorithm.

The errors for the broken programs are compared with tests/golden/broken_programs/*.err. After an intended
change, run python3 tests/cli/test_programs.py --update, and look at the difference."""

import csv
import io
import json
import os
import pathlib
import re
import tempfile
import unittest

import broken
import harness

EXAMPLES = harness.SOURCE_DIR / "examples" / "schedules"
BROKEN = harness.SOURCE_DIR / "tests" / "golden" / "broken_programs"
# Small limits, so that endless programs stop soon.
LIMITS = "operations=100K,steps=1M,memory=16MiB"
BINOMIAL = EXAMPLES / "binomial_tree.sched"
CIRCULANT = EXAMPLES / "circulant_allreduce.sched"


class BrokenPrograms(broken.BrokenFiles, unittest.TestCase):
    folder = BROKEN
    pattern = "*.sched"
    arguments = ("-p", 5, "-n", 80, "--limit", LIMITS)

    def test_messages_of_exceeded_limits_name_the_limit_and_the_option(self):
        for name, bound in [("endless_loop", "steps"), ("long_loops", "steps"),
                            ("many_operations", "operations"), ("much_memory", "memory"), ("many_sets", "memory"),
                            ("deep_brackets", "nesting"), ("deep_statements", "nesting")]:
            text = (BROKEN / f"{name}.err").read_text()
            self.assertRegex(text, f"more than .*--limit {bound}=")

    def test_all_commands_refuse_alike_and_leave_no_files(self):
        path = BROKEN / "rank_outside.sched"
        with tempfile.TemporaryDirectory() as folder:
            for command in [["verify", path, "--json", "out"], ["show", path, "-o", "out"],
                            ["simulate", path, "--json", "out", "--timeline", "trace"],
                            ["simulate", path, "--no-verify", "--csv", "out"],
                            ["compare", "bcast", "--with", path, "--json", "out"]]:
                done = harness.run(*command, "-p", 5, "-n", 80, cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), command)
                self.assertIn("rank 5: the ranks are 0 to 4 (N = 5, n = 4)", done.stderr)
                self.assertTrue(done.stderr.endswith("^\n"))
                self.assertEqual(os.listdir(folder), [])


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def file(self, text, name="a.sched"):
        path = self.path / name
        path.write_text(text)
        return path

    def refused(self, arguments, *mentioned):
        done = harness.run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in mentioned:
            self.assertIn(words, done.stderr)

    def test_a_program_is_proved_for_any_ranks_and_roots(self):
        done = harness.output("verify", BINOMIAL, "-p", "1..9", "--root", "all")
        self.assertIn("proved 45", done)
        verdicts = harness.json_output("verify", BINOMIAL, "-p", "3", "--json", "-")
        harness.validate(verdicts, "tutti-verify-1")
        self.assertEqual(verdicts[0]["file"], str(BINOMIAL))

    PARAMETER = """tutti-program 1
collective bcast
algorithm fan
param k = 3
param shift = 1

for l < N
  for n < k
    n2 = l*k + n + shift
    if l*k+n+shift < N
      Req(<l,n>,{0,n2}) = Comm(0,n2,M)
"""

    def test_a_parameter_has_a_default_and_set_changes_it(self):
        fan = self.file(self.PARAMETER, "fan.sched")
        labels = {}
        for k in [3, 4]:
            options = ["-p", 6, "-n", 64, "--set", f"k={k}"]
            labels[k] = harness.output("show", fan, *options)
            self.assertIn("algorithm fan\n", labels[k])
            self.assertIn(f"fan.sched k={k} shift=1", harness.output("verify", fan, *options))
            result = harness.json_output("simulate", fan, *options, "--json", "-")
            harness.validate(result, "tutti-result-1")
            self.assertEqual(result["algorithm"], f"fan k={k} shift=1")
        self.assertNotEqual(labels[3], labels[4])
        self.assertEqual(labels[3], harness.output("show", fan, "-p", 6, "-n", 64))

    def test_compare_and_decide_take_several_values_of_a_parameter(self):
        fan = self.file(self.PARAMETER, "fan.sched")
        here = ["-p", 6, "-n", 64, "--set", "k=2,3", "--set", "shift=1,1"]
        text = harness.output("compare", fan, *here)
        for name in ["fan.sched k=2 shift=1", "fan.sched k=3 shift=1", "binomial"]:
            self.assertIn(name, text)
        names = {row["algorithm"] for row in harness.compared("bcast", "--with", fan, *here)}
        self.assertLessEqual({"fan k=2 shift=1", "fan k=3 shift=1"}, names)
        names = {row["label"] for row in harness.json_output(
            "decide", "bcast", "--with", fan, *here, "--json", "-")["candidates"]}
        self.assertLessEqual({"fan k=2 shift=1", "fan k=3 shift=1"}, names)
        done = harness.run("decide", "bcast", "--with", fan, *here, "--set", "j=1")
        self.assertIn("fan.sched has no parameter 'j'", done.stderr)

    def test_different_values_of_a_parameter_have_different_results(self):
        fan = self.file(self.PARAMETER, "fan.sched")
        one = ["compare", "bcast", "--algorithms", "linear", "--with", fan, "-p", 6, "-n", 64,
               "--db", self.path / "r.db"]
        harness.output(*one, "--set", "k=2")
        done = harness.run(*one, "--set", "k=2,3")
        self.assertIn("2 results of 3 are in", done.stderr)
        rows = harness.json_output("query", self.path / "r.db", "--json", "-")["rows"]
        self.assertEqual(sorted(row["algorithm"] for row in rows),
                         ["fan k=2 shift=1", "fan k=3 shift=1", "linear"])

    def test_bad_parameters(self):
        fan = self.file(self.PARAMETER, "fan.sched")
        here = ["simulate", fan, "-p", 6, "-n", 64, "--set"]
        self.refused(here + ["shfit=2"], "--set 'shfit=2'", "did you mean 'shift'")
        self.refused(here + ["k"], "--set 'k'", "k=4")
        self.refused(here + ["k=-1"], "--set k '-1'", "negative")
        self.refused(here + ["k=2,3"], "takes only one value")
        self.refused(here + ["k=2", "--set", "k=3"], "is already given", "k=2,3,4")
        self.refused(["simulate", "bcast/binomial", *here[2:], "k=2"], "--set 'k=2'", "applies only to programs")
        self.refused(["simulate", BINOMIAL, *here[2:], "k=2"], "no parameter 'k'", "param k = 2")
        self.refused(["simulate", fan, "-p", 6, "-n", 64, "--radix", 3], "--radix", "--set NAME=N")
        for line, words in [("param k = 4", "is repeated"), ("param 3 = k", "header"),
                            ("param N = 3", "N is predefined"), ("param q", "'='"),
                            ("param q = -3", "a number")]:
            text = self.PARAMETER.replace("\n\n", f"\n{line}\n\n", 1)
            done = harness.run("simulate", self.file(text), "-p", 6, "-n", 64)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(words, done.stderr)
        done = harness.run("simulate", self.file(self.PARAMETER + "k = 5\n"), "-p", 6, "-n", 64)
        self.assertIn("'k' is a parameter; it cannot be assigned, but --set k=N changes it", done.stderr)

    def test_advice_for_users_of_other_languages(self):
        head = "tutti-program 1\ncollective bcast\n"
        for line, words in [("if N = 2", "to compare, write =="), ("for n < N:", "no ':' is needed"),
                            ("for n in range(N)", "write 'for n < N'"), ("d *= 3", "write x = x * y"),
                            ("// text", "a comment begins with '#'"), ("a = 5 % 3", "write mod"),
                            ("if 1 && 2", "write and"), ("x = 7 // 2", "rounds down")]:
            done = harness.run("verify", self.file(head + line + "\n  x = 1\n"), "-p", 3)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = harness.run("verify", self.file(head + "if N == 2\n  x = 1\nelse if N == 3\n  x = 2\n"),
                           "-p", 3)
        self.assertIn("write elif", done.stderr)
        for line, words in [
                ("d = 7 ** 2", "write x^y for a power"), ("x++", "write x += 1"), ("x--", "write x = x - 1"),
                ("a = [1,2]", "a list is written in braces, such as {1,2}"),
                ("elseif N == 3", "write elif"), ("for n < N {", "no braces are needed"),
                ("end", "a block ends where its indentation ends"),
                ("Req(0,{0,1}) = Comm(0,1,M) after(Req(0,0))", "write After, with a capital letter"),
                ("Req(0,{0,1}) = comm(0,1,M)", "write Comm, with a capital letter")]:
            done = harness.run("verify", self.file(head + line + "\n"), "-p", 3)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(words, done.stderr)
        for text in ["", "collective bcast\nfor n < N\n"]:
            done = harness.run("verify", self.file(text), "-p", 3)
            self.assertIn("'tutti-program 1'", done.stderr)
            self.assertIn("'tutti-schedule 1'", done.stderr)

    def test_a_word_of_the_language_cannot_be_a_name(self):
        head = "tutti-program 1\ncollective bcast\nx = 1\n"
        for line, word in [("to = 3", "to"), ("op = 2", "op"), ("in += 2", "in"), ("for work < N\n  x = 1", "work"),
                           ("x = 1 + mod", "mod"), ("x = op", "op")]:
            done = harness.run("verify", self.file(head + line + "\n"), "-p", 3)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(f"'{word}' is a word of the language, and cannot be a name", done.stderr)

    def test_messages_point_to_the_option_for_programs(self):
        tree = self.file(BINOMIAL.read_text(), "tree.sched")
        here = ["-p", 4, "-n", 64]
        for command in (["compare", "bcast", "--algorithms", f"linear,{tree}"], ["compare", tree, tree],
                        ["decide", tree]):
            self.refused([*command, *here], f"--with {tree}")
        for command in ("verify", "simulate", "show", "compare"):
            self.refused([command, self.path / "tree.schd", *here], f"did you mean '{tree}'?")

    def test_a_label_names_the_sender_first(self):
        text = ("tutti-program 1\ncollective bcast\nfor 1 <= n < N\n"
                "  Req(0,{n,0}) = Comm(0,n,M)\n")
        done = harness.run("verify", self.file(text), "-p", 3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the label of a message from 0 to 1 must name {0,1}, not Req(0,{1,0})", done.stderr)
        # Here, one label names two messages, one in each direction.
        both = ("tutti-program 1\ncollective allreduce\n"
                "if N != 2\n  refuse \"2 ranks\"\n"
                "Req(0,{0,1}) = Comm(0,1,M, input[0] -> scratch) + Comm(1,0,M, input[0] -> scratch)\n")
        self.assertEqual(harness.run("show", self.file(both), "-p", 2, "-n", 8).returncode, 0)

    def test_a_fault_is_reported_for_the_fewest_ranks(self):
        text = ("tutti-program 1\ncollective bcast\nfor n < N\n  Req(0,{n,n+1}) = Comm(n,n+1,M)\n")
        done = harness.run("verify", self.file(text), "-p", "2..24")
        self.assertIn("(N = 2, n = 1)", done.stderr)

    def test_the_advice_on_a_race_follows_the_flow_of_data(self):
        text = ("tutti-program 1\ncollective reduce\nfor 1 <= n < N\n"
                "  Req(0,{0}) += Reduce(0, scratch#n op work[0] -> work)\n"
                "  Req(0,{n,0}) = Comm(n,0,M, work[0] -> scratch#n)\n")
        done = harness.run("verify", self.file(text), "-p", 2)
        self.assertIn("let Req(<0,0>,{0}) come after Req(<0,0>,{1,0})", " ".join(done.stdout.split()))

    def test_the_binomial_tree_as_printed_in_the_document_is_wrong(self):
        text = BINOMIAL.read_text().replace("nr mod (2*mask) == 0 and ", "")
        wrong = self.file(re.sub(r"    elif.*\n.*\n", "", text))
        sentence = "rank 1 sends block 0 of work to rank 2"
        done = harness.run("verify", wrong, "-p", 3)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn(sentence, done.stdout)
        for command in [["simulate", wrong], ["compare", "bcast", "--with", wrong]]:
            done = harness.run(*command, "-p", 3, "-n", 24)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(sentence, done.stderr)
            done = harness.run(*command, "-p", 3, "-n", 24, "--no-verify")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_program_takes_as_long_as_the_built_in_algorithm(self):
        problem = ["-p", 12, "-n", "64K", "--json", "-"]
        one = harness.json_output("simulate", CIRCULANT, *problem)
        other = harness.json_output("simulate", "allreduce/circulant", *problem)
        harness.validate(one, "tutti-result-1")
        for key in ["simulated_s", "longest_path_s", "ops", "dependencies", "bytes_sent"]:
            self.assertEqual(one[key], other[key], key)
        self.assertEqual((one["exact_s"], one["published"]), (None, []))
        self.assertEqual(one["file"], str(CIRCULANT))

    def test_the_schedule_of_a_program_is_shown_and_read_back(self):
        written_out = self.file(harness.output("show", CIRCULANT, "-p", 5, "-n", 80))
        self.assertIn("proved 1", harness.output("verify", written_out))
        self.assertIn("digraph", harness.output("show", CIRCULANT, "-p", 3, "-n", 24,
                                                "--format", "dot"))

    def test_a_program_takes_the_options_of_the_variables_that_it_uses(self):
        smp = EXAMPLES / "smp_linear.sched"
        done = harness.output("simulate", smp, "-p", 8, "-n", "1MiB", "--cores-per-node", 4,
                              "--segment", "128K", "--root", 3)
        self.assertIn("at most 131,072 bytes, 8 of them", done)
        self.refused(["simulate", BINOMIAL, "-p", 8, "-n", 64, "--segment", 8], "--segment")
        self.refused(["simulate", smp, "-p", 8, "-n", 64, "--tree", "binary"], "--tree")
        self.assertIn("7 messages in 4 rounds",
                      harness.output("simulate", smp, "-p", 8, "-n", 64, "--cores-per-node", 3))
        pipeline = EXAMPLES / "pipeline.sched"
        self.refused(["simulate", pipeline, "-p", 8, "-n", 64, "--tree", "oak"], "'oak'")
        done = harness.output("simulate", pipeline, "-p", 8, "-n", "1MiB", "--segment", "auto")
        self.assertIn("the best of", done)

    def test_programs_can_use_every_tree(self):
        names = harness.schema("tutti-result-1")["definitions"]["result"]["properties"]["tree"]
        for tree in filter(None, names["enum"]):
            with self.subTest(tree=tree):
                program = self.file((EXAMPLES / "pipeline.sched").read_text().replace(
                    "children(n,tree)", f"children(n,{tree})"))
                options = ["-p", 13, "-n", "64K", "--segment", "8K", "--json", "-"]
                one = harness.json_output("simulate", program, *options)
                other = harness.json_output("simulate", "bcast/pipeline", *options, "--tree", tree)
                self.assertEqual(one["simulated_s"], other["simulated_s"])

    def ring(self, begin, end=""):
        """An allgather in which the messages of a round are a loop over pairs."""
        body = [begin, "  for n < N", "    n2 = (n+1) mod N", "    l = max(level(n),level(n2))",
                "    Req(l,{n,n2}) = Comm(n,n2,work[(n+N-k) mod N]) After(Req(level(n)-1,n),Req(level(n2)-1,n2))", end]
        return self.file("tutti-program 1\ncollective allgather\nalgorithm pairs\nfor k < N-1\n" +
                         "".join(f"  {line}\n" for line in body if line))

    def test_the_messages_of_a_round_do_not_wait_for_each_other(self):
        slow = harness.output("verify", self.ring("if 1"), "-p", "2..9")
        self.assertIn("hint: on 9 ranks, 72 messages wait for each other in a row, but their data would allow 8 "
                      "rounds", " ".join(slow.split()))
        fast = harness.output("verify", self.ring("round"), "-p", "2..9")
        self.assertIn("proved 8", fast)
        self.assertNotIn("wait for each other", fast)
        rows = json.loads(harness.output("verify", self.path / "a.sched", "-p", "9", "--json", "-"))
        harness.validate(rows, "tutti-verify-1")
        self.assertEqual(rows[0]["message_chain"], {"messages": 8, "rounds_for_data": 8, "needless": False})
        rounds = harness.json_output("simulate", self.path / "a.sched", "-p", 9, "-n", "1K", "--json", "-")
        built_in = harness.json_output("simulate", "allgather/ring", "-p", 9, "-n", "1K", "--json", "-")
        self.assertAlmostEqual(rounds["simulated_s"], built_in["simulated_s"], delta=1e-12)

    def test_what_a_round_refuses(self):
        for end, fault in [("  use bcast/binomial among 0..N-1", "a call is not part of a round"),
                           ("  round\n      x = 1", "a round inside a round")]:
            done = harness.run("verify", self.ring("round", end), "-p", 4)
            self.assertEqual(done.returncode, 2)
            self.assertIn(fault, done.stderr)
        # After the round, levels count again; and a variable may have this name.
        path = self.file("tutti-program 1\ncollective bcast\nround = 7\nround\n  Req(level(0),{0,1}) = Comm(0,1,M)\n"
                         "if level(1) != 1 or round != 7\n  refuse \"wrong\"\n")
        self.assertIn("proved 1", harness.output("verify", path, "-p", 2))

    def test_no_example_waits_without_need(self):
        for path in sorted(EXAMPLES.glob("*.sched")):
            rows = json.loads(harness.run("verify", path, "-p", "2..16", "--json", "-").stdout or "[]")
            self.assertEqual([row["ranks"] for row in rows if row.get("message_chain", {}).get("needless")], [], path)

    def test_a_program_for_one_number_of_ranks(self):
        path = self.file("tutti-program 1\ncollective bcast\nranks 2\nReq(0,{0,1}) = Comm(0,1,M)\n")
        self.assertIn("proved 1", harness.output("verify", path))
        self.assertEqual(harness.json_output("simulate", path, "-n", "1K", "--json", "-")["ranks"], 2)
        self.assertIn("Req(<0,0>,{0,1})", harness.output("show", path, "-n", "1K"))
        refused = harness.run("simulate", path, "-p", 3, "-n", "1K")
        self.assertIn("bcast/unnamed cannot run: this program is for 2 ranks", refused.stderr)
        for line, fault in [("ranks 0", "at least 1 rank"), ("ranks x", "ranks"), ("ranks 2\nranks 2", "repeated")]:
            broken_path = self.file(f"tutti-program 1\ncollective bcast\n{line}\n", "b.sched")
            done = harness.run("verify", broken_path)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(fault, done.stderr)

    def test_programs_of_one_name_are_told_apart(self):
        text = "tutti-program 1\ncollective bcast\nalgorithm mine\nfor n < N\n  if n > 0\n    Req(n,{0,n}) = Comm(0,n,M)\n"
        (self.path / "c").mkdir()
        names = {}
        for other in ("b.sched", "c/a.sched"):
            paths = [self.file(text), self.file(text + "# another\n", other)]
            here = ["decide", "bcast", "-p", 4, "-n", "8", "--algorithms", "linear", "--with", paths[0], "--with", paths[1]]
            decided = harness.json_output(*here, "--json", "-")
            names[other] = [each["label"] for each in decided["candidates"] if each["label"].startswith("mine")]
            self.assertEqual({each["candidate"] for each in decided["cells"][0]["times"]} - {"linear"}, set(names[other]))
            rows = list(csv.DictReader(io.StringIO(harness.output(*here, "--csv", "-"))))
            for name in names[other]:
                self.assertIn(name, [value for row in rows for value in row.values()])
        self.assertEqual(names["b.sched"], ["mine (a.sched)", "mine (b.sched)"])
        self.assertEqual(names["c/a.sched"], [f"mine ({self.path}/a.sched)", f"mine ({self.path}/c/a.sched)"])

    def test_compare_with_a_program(self):
        arguments = ["compare", "allreduce", "--with", CIRCULANT, "-p", "4,6", "-n", "24,4800"]
        for engine in ["simgrid", "flow", "critical-path"]:
            results = harness.compared(*arguments[1:], "--engine", engine)
            own = [r for r in results if r["file"] == str(CIRCULANT)]
            built_in = [r for r in results if r["algorithm"] == "circulant" and not r["file"]]
            self.assertEqual(len(own), 4)
            for one, other in zip(own, built_in):
                self.assertEqual(one["simulated_s"], other["simulated_s"])
        rows = list(csv.DictReader(io.StringIO(harness.output(*arguments, "--csv", "-"))))
        self.assertEqual([r["file"] for r in rows if r["file"]], [str(CIRCULANT)] * 4)
        self.assertIn("circulant_allreduce.sched", harness.output(*arguments, "--algorithms", "circulant,ring"))
        self.refused(["compare", "bcast", "--with", CIRCULANT, "-p", 4, "-n", 64],
                     "a program for allreduce", "bcast")
        written_out = self.file(harness.output("show", CIRCULANT, "-p", 4, "-n", 64))
        results = harness.compared("allreduce", "--with", written_out, "--algorithms", "ring")
        self.assertEqual([r["file"] for r in results], [None, str(written_out)])

    def test_a_refusal_by_a_program_affects_only_its_own_cells(self):
        even = self.file("tutti-program 1\ncollective bcast\nif N mod 2 == 1\n  refuse \"odd\"\n"
                         "for n < N-1\n  Req(n,{n,n+1}) = Comm(n,n+1,M) After(Req(n-1,n))\n")
        results = harness.compared("bcast", "--with", even, "-p", "3,4", "-n", 64)
        own = [r["refused"] for r in results if r["file"]]
        self.assertEqual(own, ["bcast/unnamed cannot run: odd", None])
        harness.validate(harness.json_output("verify", even, "-p", "3,4", "--json", "-"),
                         "tutti-verify-1")
        self.assertIn("proved 1, refused 1", harness.output("verify", even, "-p", "3,4"))
        self.refused(["verify", even, "-p", 3], "bcast/unnamed cannot run: odd")

    def test_a_program_that_needs_equal_blocks_refuses_other_sizes(self):
        mirrored = self.file("""tutti-program 1
collective alltoall
algorithm mirrored
for n < N
  Req(0,{n,n}) = Copy(n, input[0] -> work[0])
  for 1 <= s < N
    m = (n+s) mod N
    Req(<1,s>,{n,n}) = Copy(n, input[s] -> scratch[N-1-s])
    Req(<2,s>,{n,m}) = Comm(n,m, scratch[N-1-s] -> work[s]) After(Req(<1,s>,{n,n}))
""")
        results = harness.compared("alltoall", "--with", mirrored, "--algorithms", "linear", "-p", "4,5", "-n", 128)
        own = [r["refused"] for r in results if r["file"]]
        self.assertIsNone(own[0])
        self.assertIn("a.sched:8:44: block 4 (24 bytes) goes to block 0 (32 bytes), because 128 bytes make 5 "
                      "blocks of different sizes; use a multiple of 40 bytes (N = 5, n = 0, s = 4)", own[1])
        self.refused(["simulate", mirrored, "-p", 5, "-n", 128], "use a multiple of 40 bytes")
        # A program that is wrong for every size still ends the comparison.
        wrong = self.file(mirrored.read_text().replace("-> work[s]", "-> work[s+1]"))
        done = harness.run("compare", "alltoall", "--with", wrong, "-p", 4, "-n", 128)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_query_finds_a_program_by_its_name(self):
        fan = self.file(self.PARAMETER, "fan.sched")
        database = self.path / "r.db"
        harness.output("compare", "bcast", "--algorithms", "linear", "--with", fan, "-p", 6, "-n", 64,
                       "--set", "k=2,3", "--db", database)
        for name, count in [("fan", 2), ("bcast/fan", 2), ("fan k=2 shift=1", 1), ("linear", 1)]:
            rows = harness.json_output("query", database, "--algorithm", name, "--json", "-")["rows"]
            self.assertEqual(len(rows), count, name)
        self.refused(["query", database, "--algorithm", "fa"], "algorithms: fan k=2 shift=1, fan k=3 shift=1, linear")

    def test_limits_are_checked_and_applied(self):
        self.refused(["show", BINOMIAL, "-p", 4, "-n", 64, "--limit", "steps"], "steps")
        self.refused(["show", BINOMIAL, "-p", 4, "-n", 64, "--limit", "stairs=3"], "'stairs=3'")
        self.refused(["show", BINOMIAL, "-p", 4, "-n", 64, "--limit", "nesting=9999"], "9999")
        self.refused(["show", "bcast/binomial", "-p", 4, "-n", 64, "--limit", "steps=3"], "program")
        self.refused(["compare", "bcast", "-p", 4, "-n", 64, "--limit", "steps=3"], "--with")
        done = harness.run("show", BINOMIAL, "-p", 4, "-n", 64, "--limit", "operations=2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("more than 2 operations; --limit operations=N", done.stderr)
        harness.output("show", BINOMIAL, "-p", 4, "-n", 64, "--limit", "operations=3,steps=100")


if __name__ == "__main__":
    broken.main(BrokenPrograms)
