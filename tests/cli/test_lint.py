"""Tests tutti lint: each fault in a rule file must be reported with its line, and a valid file must be read
as the library reads it."""

import json
import pathlib
import random
import tempfile
import unittest

import harness

BROKEN = harness.SOURCE_DIR / "tests" / "golden" / "broken_rules"
# Expected faults of each file: the line, and words of the message.
FAULTS = {
    "count_too_large.conf": [(5, "3 message sizes are declared, but 2 follow; Open MPI then silently ignores the whole file")],
    "count_too_small.conf": [(5, "1 message size is declared, but 2 follow; Open MPI uses the rules that it has read, and ignores line 7")],
    "no_first_zero.conf": [(6, "is 8, but must be 0")],
    "octal.conf": [(7, "octal: it is read as 8192")],
    "unknown_algorithm.conf": [(7, "no algorithm 7 for allreduce")],
    "unknown_collective.conf": [(2, "unknown collective 42")],
    "sizes_fall.conf": [(8, "message size 4096 after 8192")],
    "communicators_fall.conf": [(4, "smaller ones"), (7, "communicator size 4 after 16")],
    "unit.conf": [(7, "'64K' is not a plain number: it is read as 64")],
    "collective_missing.conf": [(1, "2 collectives are declared, but 1 follows")],
    "reducescatter.json": [(5, "write reduce_scatter")],
    "misspelt_key.json": [(8, "did you mean \"msg_size_min\"?"), (9, "never reached")],
    "disabled_rule.json": [(2, "rule_file_version 2"), (7, "no algorithm 'binomal'"),
                           (8, "is below \"msg_size_min\""), (8, "\"seg_size\" is 64K"),
                           (8, "these rules are incomplete")],
    "greater.mpich.json": [(1, "no rules for bcast"), (4, "'avg_msg_size>2048'"),
                           (5, "one with =any must follow"), (9, "only total_msg_size"),
                           (10, "only total_msg_size"), (10, "did you mean MPIR_Allgather_intra_ring?"),
                           (13, "barrier has no message size")],
    "parameters.mpich43.json": [
        (1, "no rules for allreduce"), (4, "anything but kary, knomial_1, knomial_2"),
        (5, "with k=1: k must be at least 2"), (6, "lacks is_non_blocking=, chunk_size="),
        (7, "'chunk_size=8192' is not a parameter of"),
        (11, "MPICH 4.0 has"),
        (14, "'k=four': must be a whole number"), (14, "with k=0: k must be at least 2")],
    "comma.mpich.json": [(4, "expected string literal; MPICH then silently ignores the file")],
    "names.csv": [(1, "must begin with #"), (2, "'treee' is read as ring; did you mean tree?"), (2, "channels -1 means one channel"),
                  (3, "unknown protocol 'll256'"), (3, "the rule never holds"),
                  (4, "'alltoall' is read as allreduce"), (5, "7 fields"), (6, "never reached")],
    "table.json": [(6, "did you mean ring?"), (7, "did you mean \"ranks_below\"?"),
                   (8, "never reached"), (9, "\"bytes_below\" is -8"),
                   (11, "either \"then\" or an algorithm"), (11, "never reached")],
    "options.json": [(5, "--parts 'foo': expected an algorithm for reduce"),
                     (6, "\"cuts\" is open_mpi, but allreduce/ring takes no cuts"),
                     (7, "there is no bcast/oak"), (8, "allreduce/ring takes no parts")],
    "trees.json": [(5, "'oak' is not a tree; use chain"), (6, "golden"),
                   (8, "bcast/binomial takes no tree")],
    "folds.json": [(5, "fold 'middle': expected neighbours or far")],
}


# Texts that users take for rule files, and words of the refusal.
OTHER_FILES = [
    ("export I_MPI_ADJUST_ALLREDUCE=4\n", "line 1 has 'I_MPI_ADJUST_ALLREDUCE', a setting of Intel MPI"),
    ("# settings\n-genv I_MPI_ADJUST_BCAST '1:0-1024;3:1024-8192'\n", "line 2 has 'I_MPI_ADJUST_BCAST'"),
    ('{"I_MPI_ADJUST_REDUCE": [1, 2]}\n', "Intel MPI"), ("\0\1\0\2\0\0tuning\0\0", "it is binary"),
    ("MPICH_COLL_OPT_OFF=mpi_allreduce\n", "HPE Cray MPICH"), ("setenv MPICH_ALLREDUCE_NO_SMP 1\n", "HPE Cray MPICH"),
    ("MV2_INTER_ALLREDUCE_TUNING=2\n", "MVAPICH2"), ("MVP_INTER_BCAST_TUNING=2\n", "MVAPICH 3"),
    ("{0, 1024, &MPIR_Allreduce_pt2pt_rd_MV2},\n", "MVAPICH"),
    ("CCL_ALLREDUCE=ring:0-4096;rabenseifner:4097-max\n", "oneCCL"), ("OFI_NCCL_TUNER_TYPE=Region\n", "aws-ofi-nccl"),
    ("NCCL_ALGO=Ring\n", "the file of rules is the value of NCCL_TUNER_CONFIG_FILE"), ("HCOLL_MAIN_IB=mlx5_0\n", "HCOLL"),
    ("coll_tuned_use_dynamic_rules = 1\n", "a setting of Open MPI, and no rule"),
    ("MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n", "a setting of MPICH"),
    ("# proto-message: Tuner\ncommunicator_configs {\n  node_range { min: 2 max: 3 }\n}\n", "Google's tuner for NCCL"),
    ('<?xml version="1.0"?>\n<platform version="4.1"/>\n', "it is a platform in XML, which --platform reads"),
    ("<algo name='a' nchannels='1'/>\n", "MSCCL schedule"),
    ('{"schema": "tutti-messages/1", "latency_s": 1e-6}\n', "it is tutti-messages/1, which --parameters reads"),
    ('{"schema": "tutti-result/1"}\n', "the output of another command of tutti"), ('{"a": 1}\n', "JSON without rules"),
    ("tutti-program 1\nallreduce\n", "it is a schedule"), ("collective,ranks,bytes,calls\nbcast,2,8,1\n", "table of times or calls"),
    ("# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n8  1.5\n", "it is the output of a benchmark"),
    ("#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n", "it is the output of a benchmark"),
]


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


def said_of(text, *options):
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
    def test_each_fault_is_reported_with_its_line(self):
        for name, faults in FAULTS.items():
            with self.subTest(name=name):
                code, result = lint(BROKEN / name)
                self.assertEqual(code, 1)
                found = result["findings"]
                self.assertEqual([f["line"] for f in found], [line for line, _ in faults], found)
                for finding, (_, words) in zip(found, faults):
                    self.assertIn(words, finding["text"])

    def test_a_header_that_the_version_does_not_know_is_reported(self):
        code, result = lint(BROKEN / "header.conf", "--format", "ompi4")
        self.assertEqual(code, 1)
        self.assertEqual(result["findings"][0]["line"], 1)
        self.assertIn("read it as the number -2", result["findings"][0]["text"])
        code, result = lint(BROKEN / "header.conf")
        self.assertEqual((code, result["format"]), (0, "ompi5"))
        self.assertEqual(result["findings"], [])
        self.assertIn("before 5.0.7", result["notes"][0]["text"])

    def test_an_algorithm_of_a_later_version_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            path.write_text("1\n0\n1\n2\n1\n0 7 0 0\n")
            self.assertEqual(lint(path, "--format", "ompi5")[0], 0)
            code, result = lint(path, "--format", "ompi4")
            self.assertEqual(code, 1)
            self.assertIn("has 1 to 6", result["findings"][0]["text"])

    def test_a_file_on_a_single_line_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            path.write_text("1 2 1 2 2 0 3 0 0 4096 5 0 0x400\n")
            code, result = lint(path)
            self.assertIn("'0x400' is not a plain number: it is read as 1024",
                          result["findings"][0]["text"])
            rules = result["tables"][0]["rules"][0]["then"]
            self.assertEqual([r["algorithm"] for r in rules],
                             ["recursive_doubling", "segmented_ring"])
            self.assertEqual(rules[1]["segment_bytes"], 1024)
            self.assertEqual(code, 1)

    def test_an_algorithm_that_never_ends_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.json"
            rules = [{"msg_size_max": 100, "alg": "bruck-k-fanout"},
                     {"msg_size_max": 200, "alg": 2, "faninout": 2},
                     {"msg_size_max": 300, "alg": 2, "faninout": 4}, {"alg": "bruck"}]
            path.write_text(json.dumps({"rule_file_version": 3, "collectives": {
                "allgather": [{"rules": rules}], "bcast": [{"rules": [{"alg": 2, "faninout": 3}]}]}}))
            code, result = lint(path)
            texts = " ".join(f["text"] for f in result["findings"])
            self.assertEqual(code, 1)
            self.assertIn('needs a "faninout" of at least 2: with 0 the call never ends', texts)
            self.assertIn("no algorithm 'bruck'", texts)
            allgather, bcast = result["tables"]
            self.assertEqual([r.get("algorithm") for r in allgather["rules"][0]["then"]],
                             [None, "bruck_mirrored", "bruck_mirrored"])
            self.assertEqual([r.get("radix") for r in allgather["rules"][0]["then"]],
                             [None, 2, 4])
            self.assertEqual(bcast["rules"][0]["then"][0]["radix"], 3)

    def test_an_algorithm_for_two_ranks_only_is_reported(self):
        """An algorithm for two ranks is allowed if the next rule begins at 3 ranks. Otherwise calls on 3
        ranks fail, and lint must report this."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            for number, collective in [(0, "allgather"), (3, "alltoall"), (6, "barrier")]:
                two = {0: 6, 3: 5, 6: 5}[number]
                cases = [([(2, two)], "also applies to 3 ranks and more, where the call fails"),
                         ([(2, two), (3, 1)], None),
                         ([(2, two), (4, 1)], "also applies to 3 ranks, where"),
                         ([(2, 1), (8, two)], "also applies to 8 ranks and more, where"),
                         ([(2, 1), (8, two), (16, 1)], "also applies to 8 ranks and more, where")]
                for sizes, words in harness.every(4, cases):
                    with self.subTest(collective=collective, sizes=sizes):
                        path.write_text(f"1\n{number}\n{len(sizes)}\n" + "".join(
                            f"{ranks}\n1\n0 {algorithm} 0 0\n" for ranks, algorithm in sizes))
                        code, result = lint(path)
                        texts = [f["text"] for f in result["findings"]]
                        self.assertEqual(code, 0 if words is None else 1)
                        self.assertEqual(len(texts), 0 if words is None else 1, texts)
                        if words is not None:
                            self.assertIn("two_proc works on 2 ranks only", texts[0])
                            self.assertIn(words, texts[0])
                            line = next(3 + 3 * i + 3 for i, (_, algorithm) in enumerate(sizes)
                                        if algorithm == two)
                            self.assertEqual(result["findings"][0]["line"], line)
            rules = {"comm_size_max": 4, "rules": [{"alg": "two_proc"}]}
            path.write_text(json.dumps({"rule_file_version": 3, "collectives": {
                "allgather": [rules, {"rules": [{"alg": "ring"}]}]}}, indent=1))
            self.assertIn("also applies to 3 ranks and more", lint(path)[1]["findings"][0]["text"])
            rules["comm_size_max"] = 2
            path.write_text(json.dumps({"rule_file_version": 3, "collectives": {
                "allgather": [rules, {"rules": [{"alg": "ring"}]}]}}, indent=1))
            self.assertEqual(lint(path)[1]["findings"], [])

    def test_open_mpi_6_gets_algorithm_names_and_fan_outs_that_it_knows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.json"
            result = harness.run("decide", "allgather", "-p", "6", "-n", "48", "--export", "ompi6",
                                 "-o", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            rules = json.loads(path.read_text())["collectives"]["allgather"]
            self.assertEqual([(each["comm_size_min"], each["rules"][0]["alg"], each["rules"][0]["faninout"])
                              for each in rules], [(0, "ignore", 0), (6, "bruck-k-fanout", 2), (7, "ignore", 0)])

    def test_numbers_out_of_range_are_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            path.write_text("allreduce,0,65536,ring,simple,2,-1,4294967298\n")
            code, result = lint(path)
            self.assertEqual(code, 1)
            self.assertIn("ranks '4294967298' does not fit an int", result["findings"][0]["text"])
            table = {"schema": "tutti-decisions/1", "collective": "bcast", "rules": [
                {"ranks_below": 4, "algorithm": "binomial"},
                {"algorithm": "pipeline", "segment_bytes": 2**44}]}
            path.write_text(json.dumps(table, indent=1))
            code, result = lint(path)
            self.assertEqual(code, 1)
            self.assertEqual([(f["line"], f["text"]) for f in result["findings"]],
                             [(11, f"/rules/1/segment_bytes is {2**44}; expected an integer from 0 "
                                   f"up to {2**44 - 1}")])

    def test_nccl_chooses_its_channels(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.csv"
            result = harness.run("decide", "allreduce", "-p", 64, "-n", "1MiB,16MiB", "--export", "nccl",
                                 "--gpu", "a100", "--gpus-per-node", 1, "-o", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(lint(path), (0, lint(path)[1] | {"findings": []}))
            rules = [line.split(",") for line in path.read_text().splitlines() if line[0] != "#"]
            self.assertEqual({rule[5] for rule in rules}, {"0"})

    def test_arbitrary_bytes_are_handled(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            for content in [b"", b"\xff\x1b[31m 1 2\n", b"\xff,\x1b[31m,3\n", b"a,1,2,\xff\x1b,ll,1,1,1",
                            b"[" * 100000, b'{"a":' * 100000,
                            b'{"tutti-decisions/": [' + b'{"then":[' * 100000]:
                with self.subTest(content=content[:30]):
                    path.write_bytes(content)
                    code, result = lint(path)
                    self.assertEqual(code, 1)
                    self.assertNotIn("\x1b", json.dumps(result, ensure_ascii=False))
                    self.assertNotIn("\x1b", harness.run("lint", path).stdout)

    def test_collectives_for_which_a_later_version_has_more_algorithms(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            path.write_text("1\n1\n1\n2\n1\n0 6 0 0\n")  # collective 1 is allgatherv
            self.assertEqual(lint(path, "--format", "ompi4")[0], 1)
            self.assertEqual(lint(path, "--format", "ompi5")[0], 0)

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
                    changed[at] = str(max(int(len(wrong) > 1), int(lines[at]) + draw.choice([-1, 1, 2])))
            wrong = [at for at in wrong if changed[at] != lines[at]]
            text = "\n".join(changed) + "\n"
            with self.subTest(seed=seed, trial=trial, text=text):
                code, found = lint_text(text)
                self.assertEqual((code, found["rule_file"]), (1, True))
                said = [(each["line"], each["text"]) for each in found["findings"] if "declared, but" in each["text"]]
                self.assertEqual([line for line, _ in said], [at + 1 for at in wrong])
                self.assertEqual([int(words.split()[0]) for _, words in said], [int(changed[at]) for at in wrong])
                for (_, words), at in zip(said, wrong):
                    follow = words.split("but ")[1].split()[0]
                    self.assertEqual(follow, "none" if lines[at] == "0" else lines[at].split(" ")[0], words)
                self.assertEqual(len([words for _, words in said if "Open MPI" in words]), 1, said)
                self.assertIsNotNone(found["cut_at"])

    def test_a_truncated_file_is_named_by_its_library(self):
        lines, _ = drawn_rules(random.Random(3))
        first = next(i for i, line in enumerate(lines) if " " in line)
        for end in range(first + 1, len(lines)):
            for rest in ("", lines[end].rsplit(" ", 1)[0] if " " in lines[end] else ""):
                text = "\n".join(lines[:end] + ([rest] if rest else [])) + "\n"
                with self.subTest(text=text):
                    done = said_of(text)
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

    def test_counts_that_are_all_one_too_large(self):
        text = "2\n2\n1\n4\n3\n0 3 0 0\n1024 4 0 0\n7\n2\n2\n2\n0 1 0 0\n8\n3\n0 6 0 0\n4096 7 0 0\n"
        done = said_of(text)
        shown = " ".join(done.stdout.split())
        self.assertIn("cut short at line 5", shown)
        self.assertIn("line 5: error: 3 message sizes are declared, but 2 follow; Open MPI reads on, and takes 7 2 2 2 "
                      "(lines 8 to 11) for a rule", shown)
        self.assertIn("line 11: error: 2 message sizes are declared, but 1 follows", shown)
        self.assertIn("line 14: error: 3 message sizes are declared, but 2 follow", shown)
        self.assertIn("3 numbers of message sizes are wrong, each of them 1 too large", shown)

    def test_other_writings_of_the_same_rules(self):
        plain = "1\n2\n1\n2\n2\n0 3 0 0\n4096 4 0 0\n"
        for text, words in [(plain.replace("\n", "\r\n"), None), (plain.replace(" ", ","), "commas"),
                            (plain.replace(" ", ", "), "commas"), ("\ufeff" + plain, "byte order mark"),
                            (plain.replace("4 0 0", "4 0"), "the line has 3 numbers, but a rule has 4"),
                            (plain.replace("3 0 0", "3 0 0 0"), "the line has 5 numbers, but a rule has 4")]:
            with self.subTest(text=text):
                code, found = lint_text(text)
                texts = [each["text"] for each in found["findings"]]
                self.assertEqual(code, 1 if words and "numbers" in words else 0, texts)
                if words is None:
                    self.assertEqual(texts, [])
                else:
                    self.assertEqual(len([each for each in texts if words in each]), 1, texts)
                if code == 0:
                    self.assertEqual([rule["library_algorithm"] for rule in found["tables"][0]["rules"][0]["then"]],
                                     ["recursive_doubling", "ring"])

    def test_a_segment_size_in_the_place_of_the_fan_out(self):
        for collective, rule, words in [
                (7, "0 2 131072 0", "fan-out 131072 is read as 32, the largest; was the segment size meant? It is the fourth number"),
                (7, "0 3 131072 0", "pipeline does not use the fan-out 131072; was the segment size meant?"),
                (7, "0 1 8192 0", "nor does basic_linear use a segment size"),
                (7, "0 2 64 0", "fan-out 64 is read as 32, the largest"), (7, "0 2 4 131072", None), (2, "0 3 0 0", None)]:
            with self.subTest(rule=rule):
                code, found = lint_text(f"1\n{collective}\n1\n2\n1\n{rule}\n")
                texts = [(each["line"], each["severity"]) for each in found["findings"] if "fan-out" in each["text"]]
                self.assertEqual((code, texts), (0, [(6, "warning")] if words else []))
                if words:
                    self.assertIn(words, found["findings"][0]["text"])
        text = json.dumps({"rule_file_version": 3, "collectives": {"bcast": [{"rules": [{"alg": "chain", "faninout": 65536}]}]}})
        self.assertIn('It is "seg_size"', lint_text(text)[1]["findings"][0]["text"])

    def test_files_of_others_are_refused_by_name(self):
        for text, words in OTHER_FILES:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "file")
                path.write_text(text)
                for call in [["lint", path], ["lint", path, "--library", "Open MPI 5.0.6"],
                             ["choose", "allreduce", "-p", 8, "-n", 64, "--table", path],
                             ["choose", "allreduce", "-p", 8, "-n", 64, "--library", "Open MPI 5.0.6", "--table", path],
                             ["decide", "allreduce", "-p", 4, "-n", 64, "--against", path]]:
                    done = harness.run(*call)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), call)
                    [line] = done.stderr.splitlines()
                    self.assertIn("not a rule file", line)
                    self.assertIn(words, line)

    def test_comments_may_name_other_libraries(self):
        self.assertEqual(lint_text("# from I_MPI_ADJUST_ALLREDUCE=4, OSU MPI Allreduce\n1\n2\n1\n2\n1\n0 3 0 0\n")[0], 0)

    def test_several_files(self):
        with tempfile.TemporaryDirectory() as folder:
            han, tuned = pathlib.Path(folder, "han.conf"), pathlib.Path(folder, "tuned.conf")
            han.write_text("1\nbcast\n1\n2\n1\n1\n1\n0 tuned\n")
            tuned.write_text("1\n7\n1\n2\n1\n0 6 0 0\n")
            done = harness.run("lint", han, tuned, "--json", "-")
            self.assertEqual([each["format"] for each in json.loads(done.stdout)["files"]], ["han", "ompi4"])
            done = harness.run("lint", han, han)
            self.assertEqual(done.returncode, 2)
            self.assertIn("given twice", done.stderr)
            tuned.write_text(tuned.read_text()[:-8])
            self.assertEqual(harness.run("lint", han, tuned).returncode, 1)
            han.write_text("1\nbcast\n1\n2\n1\n1\n2\n0 tuned\n")  # a count too large
            self.assertIn("rules of Open MPI's coll/han, cut short at line 8", harness.run("lint", han).stdout)

    def test_nccl_rules_are_shown_as_the_tuner_reads_them(self):
        shown = said_of("allreduce,0,65536,badring,simple,4,-1,-1\nallreduce,65537,-1,tree,LL128,-1,2,8\n"
                        "allreduce,65537,-1,tree,ll,0,-1,-1\n").stdout
        self.assertIn("size below 65,537 bytes: ring, simple, 4 channels\n", shown)
        self.assertIn("on 2 nodes, size from 65,537 bytes: tree, simple, 1 channel (double_tree)", " ".join(shown.split()))
        self.assertIn("tree, ll (double_tree)", " ".join(shown.split()))

    def test_equal_findings_are_printed_once(self):
        text = "UCC_TL_UCP_TUNE=bcast:@0\n" + "".join(f"UCC_TL_UCP_A{i}_KN_RADIX=4\n" for i in range(40))
        shown = said_of(text).stdout
        self.assertEqual(shown.count("radix"), 1, shown)
        shown = said_of("1\n2\n1\n2\n3\n0 4 0 64\n1024 4 0 64\n2048 4 0 64\n").stdout
        self.assertIn("lines 6, 7 and 8: warning: ring does not segment", " ".join(shown.split()))

    def test_ucc_rules_that_never_apply(self):
        code, found = lint_text("UCC_TL_UCP_TUNE=allgatherv:0-4k:@knomial#alltoallv:0-4k:@pairwise#alltoallv:4k-inf:@hybrid\n")
        self.assertEqual((code, found["others"]), (0, ["allgatherv", "alltoallv"]))
        [finding] = found["findings"]
        self.assertIn("'alltoallv:4k-inf:@hybrid' never applies to alltoallv", finding["text"])
        shown = said_of("UCC_TL_UCP_TUNE=allgatherv:0-4k:@knomial\n").stdout
        self.assertIn("and rules for allgatherv: tutti does not model UCC's algorithms for it", shown)

    def test_a_missing_file_is_refused(self):
        done = harness.run("lint", "nowhere.conf")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'nowhere.conf'", done.stderr)
        done = harness.run("lint", BROKEN / "unit.conf", "--format", "ompi")
        self.assertEqual(done.returncode, 2)
        self.assertIn("ompi4", done.stderr)

    def test_a_format_that_the_release_reads_wrongly_is_reported(self):
        """Open MPI's main branch of August 2026 applies the rules of each communicator size to the next
        size."""
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder, "rules.conf")
            harness.output("decide", "bcast", "-p", "4,8", "-n", "64..64K*8", "--export", "ompi5",
                           "-o", rules)
            self.assertEqual(lint(rules)[0], 0)
            code, found = lint(rules, "--library", "Open MPI main")
            self.assertEqual(code, 1)
            self.assertIn("not as shown below",
                          found["findings"][0]["text"])

    def test_a_file_that_is_not_a_rule_file_is_reported(self):
        for text in ("Rules, as they are.\n", "hello world\n", "{}"):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "text")
                path.write_text(text)
                code, found = lint(path)
                self.assertEqual(code, 1, text)
                self.assertFalse(found["rule_file"])
                path.write_text(text * 9)
                said = harness.run("lint", path).stdout.splitlines()
                self.assertEqual(said[0], f"{path}: this is not a rule file")
                self.assertIn("name its format with --format or --library",
                              " ".join(" ".join(said[1:4]).split()))
                self.assertLess(sum(": error: " in line for line in said), 6)

    def test_rules_that_the_library_rejects_are_still_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rules.conf")
            path.write_text("1\n2\n1\n0\n1\n1024 4 0 0\n")
            code, found = lint(path)
            self.assertEqual((code, found["rule_file"]), (1, True))
            said = harness.run("lint", path).stdout
            self.assertIn("rules.conf: rules of Open MPI 4.1 to 5.0.6\n", said)
            self.assertIn("silently ignores the whole file", " ".join(said.split()))
            # Most lines of this text are errors.
            path.write_text("a, b, c\n" * 20 + "allreduce,0,1024,ring,simple,2,-1,16\n")
            self.assertFalse(lint(path)[1]["rule_file"])

    def test_settings_that_override_a_file_are_named(self):
        """In Open MPI, coll/han can override a rule file from 5.0 on. In MPICH, the compositions of ch4
        can."""
        with tempfile.TemporaryDirectory() as folder:
            def notes(library, form, collective):
                path = pathlib.Path(folder) / "rules"
                harness.output("decide", collective, "-p", 4, *([] if collective == "barrier" else
                                                                ["-n", 960]),
                               "--export", form, "-o", path)
                _, linted = lint(path, "--library", library)
                self.assertEqual(linted["findings"], [])
                return path.read_text(), linted["decided_before"] or ""

            text, said = notes("Open MPI 4.1", "ompi4", "bcast")
            self.assertEqual(said, "")
            self.assertIn("# From Open MPI 5.0 on coll/han decides first for bcast", text)
            self.assertIn("# mpirun --mca coll_tuned_use_dynamic_rules 1", text)
            text, said = notes("Open MPI 5.0.6", "ompi4", "bcast")
            self.assertIn("Coll/han decides first for bcast on communicators over several nodes", said)
            self.assertIn("coll_han_priority 0", said)
            self.assertEqual(notes("Open MPI 5.0.6", "ompi4", "alltoall")[1], "")
            self.assertIn("Coll/han decides first for alltoall",
                          notes("Open MPI main", "ompi6", "alltoall")[1])
            # A rule file for MPICH has rules for all collectives, so the note names every collective for
            # which ch4 decides first.
            self.assertIn("The compositions of ch4 decide first for bcast, allreduce, reduce, scan and "
                          "barrier", notes("MPICH 4.2", "mpich41", "gather")[1])
            done = harness.output("decide", "gather", "-p", 4, "-n", 960, "--export", "mpich41", "-o",
                                  pathlib.Path(folder) / "gather")
            self.assertNotIn("ch4", done)

    def test_barrier_of_mpich_by_release(self):
        """MPICH 4.1 no longer has the dissemination barrier of MPICH 4.0. An unknown key in a rule file makes
        MPICH abort every program."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            for form, name in [("mpich", "MPIR_Barrier_intra_dissemination"),
                               ("mpich41", "MPIR_Barrier_intra_k_dissemination"),
                               ("mpich43", "MPIR_Barrier_intra_k_dissemination")]:
                harness.output("decide", "bcast", "-p", 4, "-n", 960, "--export", form, "-o", path)
                self.assertIn(f"algorithm={name}", path.read_text())
            harness.output("decide", "bcast", "-p", 4, "-n", 960, "--export", "mpich", "-o", path)
            code, linted = lint(path, "--library", "MPICH 4.1.2")
            self.assertEqual(code, 1)
            self.assertIn("did you mean MPIR_Barrier_intra_k_dissemination?",
                          linted["findings"][0]["text"])

    def test_coll_han_and_compositions_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules"
            path.write_text("1\nbcast 1\nglobal_communicator 1\n1 2\n0 tuned\n4096 han @simple\n")
            code, linted = lint(path)
            self.assertEqual((code, linted["format"], linted["findings"]), (0, "han", []))
            self.assertIn("4.1 uses coll/han only if", lint(path, "--library", "Open MPI 4.1.4")[1]
                          ["decided_before"])
            self.assertIn("han @simple", harness.output("lint", path, "--library", "Open MPI 5.0"))
            path.write_text(json.dumps({"collective=bcast": {"comm_type=intra": {
                "composition=MPIDI_Bcast_intra_composition_delta": {}}}}))
            self.assertEqual(lint(path)[1]["format"], "mpich_ch4")
            self.assertEqual(lint(path, "--library", "MPICH 4.3")[0], 0)
            code, linted = lint(path, "--library", "MPICH 4.2")
            self.assertEqual(code, 1)
            self.assertIn("MPICH 4.3 to 5.0 has", linted["findings"][0]["text"])

    def test_unknown_libraries_are_refused(self):
        for library, words in [("MPICH 3.4", "expected Open MPI 4.1"),
                               ("UCC cl/hier", "does not know this library's rule files"),
                               ("Open MPI", "expected ")]:
            refused = harness.run("lint", BROKEN / "unit.conf", "--library", library)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn(words, refused.stderr)
        refused = harness.run("lint", BROKEN / "unit.conf", "--library", "MPICH 4.2", "--format", "nccl")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("MPICH 4.2 does not read this format", refused.stderr)

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


# Lines for RCCL's tuner: the line, words of the findings, and whether the line gives a rule.
RCCL_LINES = [
    ("allreduce,0,65535,ring,ll,-1,-1,8", [], True),
    ("  # allreduce,0,1,ring,ll,-1,-1,8,-1,-1", [], False),
    (" \t ", [], False),
    ("allreduce,0,65535,ring,ll,-1,-1,8\r", [], True),
    ("  allreduce , 0 ,65535,ring,ll,-1,-1, 8 ", [], True),
    ("collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks",
     ["RCCL skips this header line"], False),
    ("alltoall,0,65535,ring,ll,-1,-1,8", ["unknown collective 'alltoall': RCCL skips the line"], False),
    ("allreduce,0,65535,treee,ll,-1,-1,8",
     ["unknown algorithm 'treee': RCCL skips the line; did you mean tree?"], False),
    ("allreduce,0,65535,ring,LL,-1,-1,8", ["unknown protocol 'LL': RCCL skips the line"], False),
    ("allreduce,0,65535, ,ll,-1,-1,8,-1,-1", ["a field consists of blanks: RCCL skips the line"], False),
    ("allreduce,0,65535,,ring,ll,-1,-1,8", ["an empty field is skipped"], True),
    ("allreduce,0,65535,ring,ll,-1,8", ["7 fields, but a rule has 8 to 10: the line is ignored"], False),
    ("allreduce,0,65535,ring,ll,-1,-1,8,-1,-1,cpx", ["11 fields"], True),
    ("allreduce,0,65535,ring,ll,0,-1,8", ["with 0 channels RCCL chooses the number, as with -1"], True),
    ("allreduce,0,64K,ring,ll,-1,-1,8", ["'64K' is not a number of bytes; it is read as 64"], True),
    ("allreduce,65536,65535,ring,ll,-1,-1,8", ["so the rule never holds"], False),
    ("allreduce,0,65535,pat,simple,-1,-1,8", ["RCCL cannot run pat with simple for allreduce"], False),
    ("allreduce,0,65535,tree,simple,-1,-1,8",
     ["on one node of gfx942 or gfx950, RCCL cannot run tree with simple"], True),
    ("allreduce,0,65535,tree,simple,-1,2,8", [], True),
    ("allreduce,0,65535,tree,simple,-1,9,8", ["8 ranks on 9 nodes: no call has fewer ranks than nodes"], False),
    ("allreduce,0,65535,ring,ll,-1,-1,8\0,-1", ["a zero byte: the rest of the file is ignored"], True),
    ("# " + "a" * 260 + ",1,2,3,4,5,6,7,8",
     ["characters: the part after character 255 is read as another line", "unknown collective",
      "unknown protocol", "unknown algorithm"], False),
    ("# " + "a" * 400, [], False),
]
# Values of UCC_TL_UCP_TUNE: the value, words of the findings, and whether the value gives rules.
UCC_TUNES = [
    ("allreduce:0-4k:@0#allreduce:4k-inf:@sra_knomial", [], True),
    ("ALLREDUCE:Host:0-4KB:@Knomial:5#allreduce:4096-inf:[4-16,32]:@1", [], True),
    ("allreduce:0-4095:@0#allreduce:4096-inf:@1", ["must begin where 'allreduce:0-4095:@0' ends"], True),
    ("allreduce:0-8k:@0#allreduce:4k-inf:@1", ["overlap; UCC ignores this value"], False),
    ("allreduce:0-8k:[2-4]:@0#allreduce:4k-inf:[5-inf]:@1", [], True),
    ("allreduce:8k-4k:@0", ["a range must begin below its end"], False),
    ("allreduce:0-4x:@0", ["'0-4x' in 'allreduce:0-4x:@0' is not a collective"], False),
    ("allreduce:4096:0-4k:64:@0", ["'64' in"], False),
    ("allreduce:bcast:@0", ["'bcast' in"], False),
    ("allreduce:[8-4]:@0", ["'[8-4]' in"], False),
    ("allreduce:@5", ["allreduce has no algorithm '5', only 0 to 4: knomial"], False),
    ("allreduce:@rign", ["allreduce has no algorithm 'rign'"], False),
    ("allgatherv:@2", ["allgatherv has no algorithm '2', only 0 to 1: ring, knomial"], False),
    ("barrier:@0", ["UCC lets no file choose the algorithm of barrier"], False),
    ("0-4k:@1", ["names an algorithm, but no collective"], False),
    ("allreduce:cuda:@0", [], False),
]
# Lines for which UCC does not start.
UCC_FILES = [
    ("[team_size=4\nUCC_TL_UCP_TUNE=bcast:@0\n", 1, "']' is missing"),
    ("UCC_TL_UCP_TUNE\n", 1, "is not NAME=VALUE"),
    ("TL_UCP_TUNE=bcast:@0 UCC\n#UCC_\n", 1, "'TL_UCP_TUNE' must contain UCC_"),
    ("UCC_A=1\nUCC_A=2\n", 2, "'UCC_A' occurs a second time"),
    ("UCC_A=1\n  2\n", 2, "an indented line continues the value above"),
    ("[ranks=4]\nUCC_A=2\n", 1, "unknown condition 'ranks'"),
    ("[team_size=4-inf]\nUCC_A=2\n", 1, "team_size '4-inf': expected a number or a range"),
    ("[vendor]\nUCC_A=2\n", 1, "'vendor' has no value"),
]
# Faults of the trees of MPICH 5.1 for which every program aborts in MPI_Init.
NAMED_TREES = [
    ('{"name=bcast-intra-auto": {"comm_size=pow2": {"algorithm=MPIR_Bcast_intra_binomial":{}}}}',
     "write \"pof2\""),
    ('{"name=bcast-intra-auto": {"comm_size=any": {"algorithm=MPIR_Bcast_intra_binomial":{}}}}',
     "write \"any\""),
    ('{"name=bcast-intra-auto": {"pow2": {"algorithm=MPIR_Bcast_intra_binomial":{}}}}',
     "unknown condition 'pow2'"),
    ('{"name=bcast-intra-auto": {"algorithm=MPIR_Bcast_intra_binomal":{}}}',
     "did you mean MPIR_Bcast_intra_binomial?"),
    ('{"name=bcast-intra-auto": {"algorithm=MPIR_Barrier_intra_k_dissemination":{"k=2":{}}}}',
     "belongs to barrier, but is under bcast"),
    ('{"name=barrier-intra-auto": {"algorithm=MPIR_Barrier_intra_k_dissemination":{}}}', "lacks k="),
    ('{"name=bcast-intra-auto": {}}', "must be an object with conditions or an algorithm"),
    ('{"name=bcast-intra-auto": "bcast-inter-auto"}', "must begin with call="),
    ('{"name=bcast-intra-auto": "call=nowhere"}', "no tree has the name 'nowhere'"),
    ('{"name=bcast-intra-auto": "call=other", "comm_size<8": {}}', "beside named trees"),
    ('{"name=auto": {"collective=bcast": "call=bcast-intra-auto"}}', "unknown collective 'bcast'"),
    ('{"name=bcast-intra-auto": {"any": 3}}', "must be an object with conditions"),
]
# Other faults, and what the file's tree says.
NAMED_TREES_READ = [
    ('{"name=bcast-intra-auto": {"any": {"algorithm=MPIR_Bcast_intra_binomial":{}}, '
     '"pof2": "call=bcast-inter-auto"}}', "never reached: 'pof2' follows \"any\""),
    ('{"name=bcast-intra-auto": {"pof2": "call=main", "algorithm=MPIR_Bcast_intra_binomial":{}}}',
     "MPICH ignores all keys beside"),
    ('{"name=bcast-intra-auto": {"comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial":{}}}}',
     "a call of bcast for which none of the conditions holds ends the program; add \"any\""),
    ('{"name=bcast-intra-auto": {"comm_size(any)": "call=main", "any": "call=main"}}',
     "'any' is not a number; MPICH reads it as 0"),
    ('{"name=bcast-intra-auto": {"!comm_size>8": "call=bcast-inter-auto", "any": '
     '{"algorithm=MPIR_Bcast_intra_binomial":{}}}}', "MPICH ignores the ! of '!comm_size>8'"),
    ('{"name=bcast-intra-auto": "call=a", "name=a": "call=b", "name=b": "call=a"}',
     "the call of 'a' in 'b' comes back to it: such a call never ends"),
    ('{"name=barrier-intra-auto": {"avg_msg_size<9": "call=main", "any": "call=main"}}',
     "barrier has no message size"),
    ('{"name=bcast-intra-auto": {"algorithm=MPIR_Bcast_intra_binomial":{}}, "name=mine": "call=main"}',
     "no tree calls 'mine'"),
    ('{"name=' + "a" * 50 + '": "call=main"}', "the name has 50 characters"),
]


class NewFormats(unittest.TestCase):
    """Formats whose libraries have a reader of their own: RCCL, UCC and MPICH 5.1."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "rules"

    def lint(self, text, *options):
        self.path.write_text(text, newline="")
        return lint(self.path, *options)[1]

    def check(self, result, words, text):
        found = [finding["text"] for finding in result["findings"]]
        self.assertEqual(len(found), len(words), (text, found))
        for finding, word in zip(found, words):
            self.assertIn(word, finding, text)

    def test_rccl_reads_each_line_as_its_tuner_does(self):
        for line, words, rule in harness.every(4, RCCL_LINES):
            with self.subTest(line=line):
                result = self.lint(line + "\n", "--library", "RCCL 2.28")
                self.check(result, words, line)
                rules = [each for table in result["tables"] for each in table["rules"]]
                self.assertEqual(len(rules), int(rule), result)

    def test_rccl_uses_the_next_line_where_nccl_would_use_the_first(self):
        text = "allreduce,0,-1,rign,ll,-1,1,8\nallreduce,0,-1,tree,ll,-1,1,8\n"
        for library, rules, words in [("NCCL 2.30", 2, "'rign' is read as ring"),
                                      ("RCCL 2.30", 1, "'rign': RCCL skips the line")]:
            result = self.lint(text, "--library", library)
            self.assertEqual(len(result["tables"][0]["rules"]), rules)
            self.assertIn(words, result["findings"][0]["text"])

    def test_rccl_loses_amds_own_rules(self):
        result = self.lint("allreduce,0,65535,ring,ll,-1,1,8\nallreduce,131072,-1,ring,ll,-1,1,8\n"
                           "bcast,0,-1,ring,ll,-1,-1,-1\nbroadcast,0,1,ring,ll,-1,-1,-1\n",
                           "--library", "RCCL 2.28")
        [note] = [note["text"] for note in result["notes"]]
        self.assertIn("The file replaces AMD's own table as a whole: 1 size has no rule for allreduce "
                      "on 8 ranks: 64 KiB; allreduce has rules only for 8 ranks; 40 sizes have no rule for bcast on any number of ranks: 2 bytes to "
                      "1 TiB; 41 sizes have no rule for allgather, reduce, reduce_scatter.", note)
        self.assertIn("append AMD's file rccl_tuner_<GPU>.csv", note)
        self.assertIn("RCCL_DDA_ENABLE=0", result["decided_before"])

    def test_ucc_reads_each_value_as_its_parser_does(self):
        for tune, words, rules in harness.every(4, UCC_TUNES):
            with self.subTest(tune=tune):
                result = self.lint(f"[team_size=2-64]\nUCC_TL_UCP_TUNE={tune}\n")
                self.assertEqual(result["format"], "ucc")
                self.check(result, words, tune)
                self.assertEqual(bool(result["tables"]), rules, result)

    def test_ucc_does_not_start_with_an_invalid_file(self):
        for text, line, words in UCC_FILES:
            with self.subTest(text=text):
                result = self.lint(text, "--library", "UCC 1.8")
                [finding] = result["findings"]
                self.assertEqual(finding["line"], line)
                self.assertIn(words, finding["text"])
                self.assertIn("UCC then does not start", finding["text"])
                self.assertEqual(result["tables"], [])

    def test_ucc_sections_must_not_overlap(self):
        both = "[team_size=4-8]\nUCC_TL_UCP_TUNE=bcast:@0\n[team_size=8-9{}]\nUCC_TL_UCP_TUNE=bcast:@2\n"
        self.assertIn("match both this section and that of line 1",
                      self.lint(both.format(""))["findings"][0]["text"])
        self.assertIn("match both", self.lint(both.format(" ppn=1"))["findings"][0]["text"])
        apart = both.replace("4-8", "4-8 ppn=2").format(" ppn=1")
        self.assertEqual(self.lint(apart)["findings"], [])
        self.assertEqual([note["text"] for note in self.lint(apart)["notes"]],
                         ["tutti assumes that the section's condition 'ppn' holds"] * 2)
        general = "UCC_TL_UCP_TUNE=bcast:@1\n" + both.format("").replace("8-9", "9")
        self.assertEqual([f["line"] for f in self.lint(general)["findings"]], [3, 5])
        self.assertIn("line 1 sets UCC_TL_UCP_TUNE for all", self.lint(general)["findings"][0]["text"])
        never = self.lint("[team_size=9-8]\nUCC_TL_UCP_TUNE=bcast:@1\n")
        self.assertIn("so the section never applies", never["findings"][0]["text"])
        self.assertEqual(never["tables"], [])
        self.assertTrue(self.lint("UCC_TL_UCP_TUNE=allreduce:@99\n")["rule_file"])
        self.assertIn("did you mean UCC_TL_UCP_TUNE?",
                      self.lint("UCC_TL_UCP_TUNES=bcast:@1\n")["findings"][0]["text"])

    def test_the_smaller_size_of_a_ucc_range_belongs_to_the_range_before(self):
        self.lint("UCC_TL_UCP_TUNE=bcast:0-4k:@0#bcast:4k-8k:@1#bcast:16k-inf:@2\n")
        chosen = {n: harness.choice("bcast", "-p", 8, "-n", n, "--elem-bytes", 1, "--table", self.path)["choice"]
                  for n in (4096, 4097, 8192, 16385)}
        self.assertEqual([chosen[n]["library_algorithm"] for n in chosen],
                         ["knomial", "sag_knomial", "sag_knomial", "dbt"])
        for n in (8193, 16384):  # UCC's own choice
            self.assertIn("has no rule", harness.run("choose", "bcast", "-p", 8, "-n", n,
                                                     "--elem-bytes", 1, "--table", self.path).stderr)

    def test_mpich_51_aborts_with_an_invalid_tree(self):
        for text, words in harness.every(4, NAMED_TREES):
            with self.subTest(text=text):
                result = self.lint(text, "--library", "MPICH 5.1")
                self.assertEqual(result["format"], "mpich51")
                said = " ".join(finding["text"] for finding in result["findings"])
                self.assertIn(words, said)
                if "belongs to" not in words:
                    self.assertIn("every program then aborts in MPI_Init", said)

    def test_mpich_51_misreads_trees(self):
        for text, words in harness.every(4, NAMED_TREES_READ):
            with self.subTest(text=text):
                result = self.lint(text)
                self.assertEqual(result["format"], "mpich51")
                self.assertIn(words, " ".join(finding["text"] for finding in result["findings"]))
        self.assertIn("silently ignores the file",
                      self.lint("{", "--library", "MPICH 5.1")["findings"][0]["text"])

    def test_mpich_51_follows_its_trees(self):
        leaf = '{"algorithm=MPIR_Bcast_intra_%s": {}}'
        self.lint('{"name=main": {"collective=bcast-intra": "call=mine", "any": "call=auto"}, "name=mine": '
                  '{"!pof2": %s, "comm_size>=8": %s, "any": {"avg_msg_size<64": %s, "avg_msg_size(12288)": %s, '
                  '"any": %s}}}' % tuple(
                      leaf % name for name in ("binomial", "scatter_ring_allgather",
                                               "scatter_ring_allgather", "binomial",
                                               "scatter_recursive_doubling_allgather")))
        for ranks, n, name in [(6, 20000, "binomial"), (8, 64, "scatter_ring_allgather"),
                               (4, 63, "scatter_ring_allgather"), (4, 64, "binomial"),
                               (4, 12288, "binomial"),
                               (4, 12289, "scatter_recursive_doubling_allgather")]:
            found = harness.choice("bcast", "-p", ranks, "-n", n, "--elem-bytes", 1, "--table", self.path)
            self.assertEqual(found["choice"]["library_algorithm"], "MPIR_Bcast_intra_" + name)

    def test_written_rules_make_the_same_choices_when_they_are_read(self):
        grid = ["-p", "4,16", "-n", "64,4K,1M"]
        for form, comments in [("ucc", "UCC_CONFIG_FILE=FILE"), ("mpich51", "")]:
            for collective in ("allreduce", "allgather", "reduce_scatter"):
                with self.subTest(form=form, collective=collective):
                    asked = ["decide", collective, *grid, "--crossover", 0, "--tolerance", 0]
                    done = harness.output(*asked, "--export", form, "-o", self.path)
                    self.assertIn("loaded with: ", done)
                    text = self.path.read_text()
                    self.assertIn(comments, text)
                    self.assertLess(max(len(line) for line in text.splitlines()), 8192)
                    code, result = lint(self.path)
                    self.assertEqual((code, result["format"]), (0, form), result["findings"])
                    again = harness.json_output(*asked, "--export", form, "-o", self.path.with_suffix(".2"),
                                                "--against", self.path, "--json", "-")
                    self.assertLess(again["against"]["worst"]["loss"], 1e-9)
                    self.assertGreaterEqual(len(again["against"]["cells"]), 5)

    def test_each_launcher_has_its_lines(self):
        for form, lines in [
                ("ompi4", ["loaded with: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
                           "coll_tuned_dynamic_rules_filename rules",
                           "with srun:   export OMPI_MCA_coll_tuned_use_dynamic_rules=1 "
                           "OMPI_MCA_coll_tuned_dynamic_rules_filename={}",
                           "  coll_tuned_use_dynamic_rules = 1",
                           "  coll_tuned_dynamic_rules_filename = {}"]),
                ("mpich51", ["loaded with: MPIR_CVAR_COLL_SELECTION_JSON_FILE=rules",
                             "with srun:   export MPIR_CVAR_COLL_SELECTION_JSON_FILE={}"]),
                ("ucc", ["with srun:   export UCC_CONFIG_FILE={}"])]:
            with self.subTest(form=form):
                said = harness.output("decide", "allreduce", "-p", 4, "-n", 64, "--export", form, "-o", "rules")
                for line in lines:
                    self.assertIn(line.format(pathlib.Path("rules").absolute()), said.splitlines())
                self.assertEqual("openmpi-mca-params.conf" in said, form == "ompi4")
                pathlib.Path("rules").unlink()


# Lines that Open MPI 4.1.4 prints on two hosts with two ranks each, if coll/han has priority 100.
OPEN_MPI_LINES = """\
[{host}:{process}] coll_tuned_use_dynamic_rules={dynamic} (environment)
[{host}:{process}] coll_tuned_dynamic_rules_filename=/site/tuned.conf (environment)
[{host}:{process}] coll:base:comm_select: new communicator: MPI_COMM_WORLD (cid 0)
[{host}:{process}] coll:base:comm_select: Checking all available modules
[{host}:{process}] coll:base:comm_select: component disqualified: sm (priority -1 < 0)
[{host}:{process}] coll:base:comm_select: selecting       adapt, priority   0, Disabled
[{host}:{process}] coll:base:comm_select: selecting      libnbc, priority  10, Enabled
[{host}:{process}] coll:base:comm_select: selecting       basic, priority  10, Enabled
[{host}:{process}] coll:base:comm_select: selecting       tuned, priority  30, Enabled
[{host}:{process}] coll:base:comm_select: selecting         han, priority 100, Enabled
[{host}:{process}] coll:base:comm_select: selecting  monitoring, priority 200, Enabled
[{host}:{process}] coll:base:comm_select: new communicator: MPI_COMM_SELF (cid 1)
[{host}:{process}] coll:base:comm_select: selecting        self, priority  75, Enabled
"""
TUNED = "2\n3 # alltoall\n1\n4\n2\n0 1 0 0\n1024 2 0 0\n7 # bcast\n1\n4\n1\n0 6 0 0\n"
CALLS = "collective,p,bytes,calls\nalltoall,4,512,5\nalltoall,4,4096,3\nbcast,4,64,7\nreduce,4,64,9\n"
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
NCCL_LINES = """\
gpu1:10:12 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 1000 commId 0x1 - Init START
gpu1:10:12 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}
gpu1:10:12 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}
gpu1:10:12 [0] NCCL INFO AllReduce: 2048 Bytes -> Algo TREE proto LL128 channel{Lo..Hi}={0..1}
gpu1:10:12 [0] NCCL INFO AllGather: 512 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}
gpu1:10:12 [0] NCCL INFO AllReduce: 9999999 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}
gpu1:10:12 [0] NCCL INFO AllGather [Copy Engine]: 4096 Bytes -> cudaMemcpyAsync
"""


class Ran(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def open_mpi(self, name="run.log", dynamic="true", hosts=("a", "a", "b", "b"), without=""):
        text = "".join(OPEN_MPI_LINES.format(host=host, process=100 + i, dynamic=dynamic)
                       for i, host in enumerate(hosts))
        return self.written(name, "".join(line for line in text.splitlines(True)
                                          if not without or without not in line))

    def ran(self, rules, *logs, library="Open MPI 4.1.4", sound=True):
        """Returns the rules' uses: {line: (used, [(calls, why)], [(calls, why)], untold)}, and the whole object."""
        done = harness.run("lint", rules, *(["--library", library] if library else []),
                           *[word for log in logs for word in ("--ran", log)], "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0 if sound else 1, ""))
        document = json.loads(done.stdout)
        harness.validate(document, "tutti-lint-2")
        found = document["files"][-1]["ran"]
        pairs = lambda calls: [(each["calls"], each["why"]) for each in calls]
        return {rule["line"]: (rule["used"], pairs(rule["not_used"]), pairs(rule["unknown"]), rule["untold"])
                for rule in found["rules"]}, found

    HAN = "coll/han (priority 100) ran them; it looks up rules only for parts of the ranks"

    def test_open_mpi_with_a_profile_of_the_calls(self):
        rules, calls = self.written("tuned.conf", TUNED), self.written("calls.csv", CALLS)
        used, found = self.ran(rules, self.open_mpi(), calls)
        self.assertEqual(used, {6: (5, [], [], None), 7: (3, [], [], None), 12: (0, [(7, self.HAN)], [], None)})
        self.assertEqual(found["without_rule"], [])
        self.assertIn("MPI_COMM_WORLD (4 ranks on 2 hosts): coll/han (priority 100) for bcast; coll/tuned "
                      "(priority 30) for alltoall", found["notes"])
        text = " ".join(harness.output("lint", rules, "--library", "Open MPI 4.1.4", "--ran", self.open_mpi(),
                                       "--ran", calls).split())
        for words in ["alltoall line 6, 1 linear: used 5 times line 7, 2 pairwise: used 3 times bcast line 12, 6 "
                      f"binomial (pipeline, doubling tree): never used not for 7 calls: {self.HAN}"]:
            self.assertIn(words, text)

    def test_open_mpi_prefixes_of_mpirun(self):
        """mpirun --tag-output begins each line with the rank."""
        log = self.open_mpi().read_text().splitlines(True)
        tagged = self.written("tagged.log", "".join(f"[1,{i % 4}]<stderr>:{line}" for i, line in enumerate(log)))
        rules, calls = self.written("tuned.conf", TUNED), self.written("calls.csv", CALLS)
        self.assertEqual(self.ran(rules, tagged, calls), self.ran(rules, self.open_mpi(), calls))

    def test_open_mpi_lines_that_mpirun_mixed(self):
        rules, calls = self.written("tuned.conf", TUNED), self.written("calls.csv", CALLS)
        whole, log = self.ran(rules, self.open_mpi(), calls), self.open_mpi()
        text = log.read_text()
        for torn in ("[b:103] coll:base:comm_select: selecting         han, priority 100, Enabled\n",
                     "[a:101] coll:base:comm_select: selecting       tuned, priority  30, Enabled\n"):
            self.assertIn(torn, text)
            log.write_text(text.replace(torn, torn[8:]))
            self.assertEqual(self.ran(rules, log, calls), whole)

    def test_open_mpi_passes_calls_on_from_coll_han(self):
        """coll/han passes calls on if every host has one rank, and if its rules name coll/tuned."""
        rules, calls = self.written("tuned.conf", TUNED), self.written("calls.csv", CALLS)
        used, _ = self.ran(rules, self.open_mpi(hosts="abcd"), calls)
        self.assertEqual(used[12], (7, [], [], None))
        used, _ = self.ran(rules, self.open_mpi(hosts="aaab"), calls)  # an uneven number on each host
        self.assertEqual(used[12], (7, [], [], None))
        self.written("han.conf", "1\n7\n1\n2\n1\n1\n1\n0 tuned\n")
        log = self.open_mpi()
        self.assertEqual(self.ran(self.folder, log, calls)[0][12][0], 0)
        log.write_text(log.read_text() + "[a:100] coll_han_use_dynamic_file_rules=true (environment)\n")
        self.assertEqual(self.ran(self.folder, log, calls)[0][12], (7, [], [], None))

    def test_open_mpi_obeys_rules_for_scan(self):
        """coll/tuned runs scan and exscan only if it has loaded rules for them; otherwise coll/basic does."""
        rules = self.written("tuned.conf", "1\n14 # scan\n1\n2\n1\n0 2 0 0\n")
        calls = self.written("calls.csv", "collective,p,bytes,calls\nscan,4,512,5\nexscan,4,512,2\n")
        used, found = self.ran(rules, self.open_mpi(), calls)
        self.assertEqual(used, {6: (5, [], [], None)})
        self.assertIn("coll/tuned (priority 30) for scan", " ".join(found["notes"]))
        used, _ = self.ran(rules, self.open_mpi(dynamic="false"), calls)
        self.assertEqual(used, {6: (0, [(5, "coll/basic (priority 10) ran them")], [], None)})

    def test_open_mpi_did_not_load_the_file(self):
        rules, calls = self.written("tuned.conf", TUNED), self.written("calls.csv", CALLS)
        other = self.written("other.conf", TUNED)
        for path, log, why in [
                (rules, self.open_mpi("off.log", dynamic="false"), "coll_tuned_use_dynamic_rules is off"),
                (other, self.open_mpi(), "the run loaded another file, '/site/tuned.conf'"),
                (rules, self.open_mpi("none.log", without="rules_filename"), "no rule file was loaded")]:
            used, _ = self.ran(path, log, calls)
            self.assertEqual([used[line][:3] for line in (6, 7)], [(0, [(5, why)], []), (0, [(3, why)], [])])

    def test_open_mpi_what_cannot_be_told(self):
        rules, calls = self.written("tuned.conf", TUNED), self.written("calls.csv", CALLS)
        used, _ = self.ran(rules, self.open_mpi(without="coll_tuned"), calls)
        [(count, why)] = used[6][2]
        self.assertEqual((used[6][:2], count), ((0, []), 5))
        self.assertIn("mpi_show_mca_params all", why)
        used, _ = self.ran(rules, self.open_mpi(without="comm_select"), calls)
        self.assertIn("coll_base_verbose 10", used[6][2][0][1])
        used, _ = self.ran(rules, self.open_mpi())
        self.assertTrue(all(count is None and "profile" in untold for count, _, _, untold in used.values()))
        used, _ = self.ran(rules, self.open_mpi(hosts="aaa"), calls)  # the calls are on 4 ranks
        self.assertIn("no communicator of 4 ranks", used[6][2][0][1])
        strange = self.open_mpi("strange.log")
        strange.write_text(strange.read_text().replace("monitoring, priority 200", "hcoll, priority 200"))
        self.assertEqual(self.ran(rules, strange, calls)[0][6][2],
                         [(5, "tutti does not know which collectives coll/hcoll runs")])

    def test_open_mpi_6_prints_each_call(self):
        rules = self.written("tuned.conf", "{}")
        harness.output("decide", "bcast", "-p", "4", "-n", "64..64K*1024", "--export", "ompi6", "-o", rules)
        lines = "".join(
            f"[a:{process}] coll:tuned:dynamic: For bcast with communicator size 4 selected rule number 1\n\n" +
            f"[a:{process}] coll:tuned:dynamic For bcast with msg_size=64: selected rule number 1:\n" * 3
            for process in (1, 2, 3, 4))
        log = self.written("run.log", lines)
        used, found = self.ran(rules, log, library="Open MPI main")
        self.assertEqual([count for count, *_ in used.values() if count], [3])
        calls = self.written("calls.csv", "collective,p,bytes,calls\nbcast,4,64,50\n")
        log.write_text(lines + self.open_mpi("components.log", hosts="aaaa", without="selecting         han").read_text())
        used, _ = self.ran(rules, log, calls, library="Open MPI main")  # not counted twice
        self.assertEqual([count for count, *_ in used.values() if count], [3])
        log.write_text(lines + "[a:1] coll:tuned:dynamic: For bcast with communicator size 2 selected rule number 1\n")
        log.write_text(log.read_text().replace("[a:2]", "[a:1]").replace("[a:3]", "[a:1]").replace("[a:4]", "[a:1]"))
        used, _ = self.ran(rules, log, library="Open MPI main")
        unknown = [why for each in used.values() for _, why in each[2]]
        self.assertTrue(unknown and all("several communicators" in why for why in unknown), used)

    def test_open_mpi_runs_another_algorithm_than_the_rule_names(self):
        """coll/base replaces the ring allreduce if there are fewer elements than ranks."""
        rules = self.written("tuned.conf", "1\n2\n1\n4\n1\n0 4 0 0\n")
        calls = self.written("calls.csv", "collective,p,bytes,calls\nallreduce,4,3,2\nallreduce,4,64,1\n")
        used, _ = self.ran(rules, self.open_mpi(hosts="abcd"), calls)
        self.assertEqual(used[6][0], 1)
        [(count, why)] = used[6][1]
        self.assertEqual(count, 2)
        self.assertIn("coll/base ran recursive_doubling instead", why)

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

    def test_nccl(self):
        rules = self.written("rules.csv", "allreduce,0,1024,tree,ll,0,-1,8\nallreduce,1025,4096,tree,simple,0,-1,-1\n"
                             "allgather,0,4096,ring,simple,0,-1,-1\nallgather,4097,8192,pat,simple,0,-1,-1\n")
        log = self.written("run.log", NCCL_LINES)
        used, found = self.ran(rules, log, library=None)
        # The 512 bytes of the allgather are one block of 8.
        self.assertEqual(used, {1: (1, [(1, "NCCL ran ring/ll")], [], None),
                                2: (0, [(1, "NCCL ran tree/ll128")], [], None), 3: (1, [], [], None),
                                4: (0, [], [], None)})
        self.assertEqual([(each["collective"], each["calls"]) for each in found["without_rule"]], [("allreduce", 1)])
        self.assertIn("NCCL ran ring/simple", found["without_rule"][0]["what"])
        self.assertTrue(any("1 call ran without an algorithm" in note for note in found["notes"]))
        self.assertTrue(any("NCCL_TUNER_PLUGIN" in note for note in found["notes"]))
        calls = self.written("calls.csv", "collective,p,bytes,calls\nallreduce,3,8192,7\nallreduce,8,64,2\n")
        used, found = self.ran(rules, calls, library=None)
        self.assertEqual([each["what"] for each in found["without_rule"]], ["3 ranks, 8 KiB"])
        self.assertEqual(used[1][2], [(2, "a profile does not say what NCCL ran")])
        # RCCL prints the lines of NCCL, but nothing about its tuner.
        rccl = self.written("rccl.csv", "# RCCL\n" + rules.read_text())
        used, found = self.ran(rccl, log, library="RCCL 2.28")
        self.assertEqual(used[2][1], [(1, "RCCL ran ring/ll")])
        self.assertFalse(any("TUNER" in note for note in found["notes"]))
        log.write_text(NCCL_LINES + "gpu1:10:12 [0] NCCL INFO TUNER/ExamplePlugin: Applied config for collType=allreduce\n")
        self.assertFalse(any("NCCL_TUNER_PLUGIN" in note for note in self.ran(rules, log, library=None)[1]["notes"]))
        log.write_text(NCCL_LINES.replace("nranks 8 ", ""))
        used, found = self.ran(rules, log, library=None)
        self.assertEqual(used[1][0], 0)
        self.assertIn("NCCL_DEBUG_SUBSYS=INIT,TUNING", " ".join(why for _, why in used[1][2]))

    def test_nccl_without_the_lines_of_its_start(self):
        """Such a log does not tell the number of ranks. A rule for any number of ranks is used nevertheless, and
        a rule for some number of ranks may have been used."""
        log = self.written("nccl.log", NCCL_LINES.replace("nranks 8 ", ""))
        used, _ = self.ran(self.written("any.csv", "allreduce,0,1535,tree,ll,4,-1,-1\nallreduce,1536,-1,ring,simple,4,-1,-1\n"
                                        "allgather,0,-1,ring,simple,4,-1,-1\n"), log, library=None)
        self.assertEqual({line: (each[0], each[1], each[2]) for line, each in used.items()},
                         {1: (1, [(1, "NCCL ran ring/ll")], []), 2: (1, [(1, "NCCL ran tree/ll128")], []), 3: (1, [], [])})
        some = self.written("some.csv", "allreduce,0,-1,tree,ll,4,-1,8\nallreduce,0,-1,ring,ll,4,-1,-1\n")
        used, found = self.ran(some, log, library=None)
        self.assertEqual([[calls for calls, _ in used[line][2]] for line in (1, 2)], [[1, 1, 1, 1]] * 2)
        self.assertIn("the number of ranks is not known", used[1][2][0][1])
        shown = harness.run("lint", some, "--ran", log).stdout
        self.assertNotIn("never used", shown)

    def test_nccl_on_a_number_of_nodes(self):
        rules = self.written("nodes.csv", "allreduce,0,-1,tree,ll,4,2,8\nallreduce,0,-1,ring,ll,4,4,8\n")
        start = "gpu1:10:12 [0] NCCL INFO comm 0x5 rank 0 nRanks 8 nNodes {} localRanks 2 localRank 0 MNNVL 0\n"
        log = self.written("nodes.log", NCCL_LINES + start.format(4))
        used, _ = self.ran(rules, log, library=None)
        self.assertEqual((used[1][0], used[2][0]), (0, 1))
        log.write_text(NCCL_LINES + start.format(2))
        used, _ = self.ran(rules, log, library=None)
        self.assertEqual((used[1][0], used[2][0]), (1, 0))
        log.write_text(NCCL_LINES)
        used, _ = self.ran(rules, log, library=None)
        self.assertIn("the number of nodes is not known", used[1][2][0][1])

    def test_bad_runs(self):
        rules = self.written("tuned.conf", TUNED)
        log, nccl = self.open_mpi(), self.written("nccl.log", NCCL_LINES)
        ucc = self.written("ucc.conf", "UCC_TL_UCP_TUNE=bcast:@1\n")
        text, han = self.written("notes.txt", "nothing\n"), self.written("han.conf", "1\n7\n1\n2\n1\n1\n1\n0 tuned\n")
        for arguments, words in [
                ([rules, "--ran", log], ["--ran needs --library, such as \"Open MPI 4.1.4\""]),
                ([rules, "--library", "Open MPI 4.1.4", "--ran", nccl], ["the log is of NCCL, but"]),
                ([rules, "--library", "Open MPI 4.1.4", "--ran", log, "--ran", nccl], ["output of NCCL, but an earlier"]),
                ([rules, "--library", "Open MPI 4.1.4", "--ran", text], ["notes.txt'", "coll_base_verbose 10", "profile"]),
                ([han, "--library", "Open MPI 4.1.4", "--ran", log], ["rules that name algorithms"]),
                ([ucc, "--ran", log], ["rules that name algorithms"]),
                ([rules, "--library", "Open MPI 4.1.4", "--ran", log, "--ran", log], ["is given twice"]),
                ([rules, "--ran", "absent.log"], ["absent.log"])]:
            done = harness.run("lint", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    harness.main()
