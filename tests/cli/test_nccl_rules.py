"""Tests that rules for NCCL never make it slower: by its own cost model, and by simulation."""
import json
import os
import pathlib
import re
import tempfile
import unittest

import harness

# ext-tuner/example/subset_gpus_nccl_cu_tuning.conf of ROCm/rccl at ad585775. It has rules for 8 ranks on 2, 4
# and 8 nodes.
SUBSET = harness.SOURCE_DIR / "tests" / "golden" / "rccl_subset.conf"
KIB, MIB = 2**10, 2**20
# A file as older versions of tutti wrote it: a ring for all sizes, on 16 nodes of 8 H100.
RINGS = """allreduce,0,3145727,ring,ll,0,-1,128,-1,-1
allreduce,3145728,805306367,ring,ll128,0,-1,128,-1,-1
allreduce,805306368,-1,ring,simple,0,-1,128,-1,-1
"""
NODES = ["fat_tree", "--down", "32,4", "--up", "1,32", "--bw", "3200Gbps", "--lat", "1us", "--cores", 8,
         "--loopback-bw", "450GBps", "--loopback-lat", "1us", "--speed", "100Gf"]


def answers(*arguments):
    return harness.json_output("nccl", *arguments, "--json", "-")["cells"]


def rules_in(path):
    """The rules of a tuner file, as lists of fields."""
    return [line.split(",") for line in path.read_text().splitlines() if line and line[0] != "#"]


def rule_for(rules, collective, size, nodes, ranks):
    """Algorithm and protocol of the first rule that matches, as NCCL's example tuner looks it up."""
    for rule in rules:
        if (rule[0] == collective and int(rule[1]) <= size and (rule[2] == "-1" or size <= int(rule[2]))
                and rule[6] in ("-1", str(nodes)) and rule[7] in ("-1", str(ranks))):
            return rule[3], rule[4]
    return None


class Rules(unittest.TestCase):
    def check_no_loss(self, path, collective, ranks, sizes, machine, loss=0.0):
        """Checks every size against NCCL's choice: by its model and, where a rule differs from that choice, by
        simulation. Returns how often a rule differs."""
        rules = rules_in(path)
        differs = 0

        def ways_of(cell):
            ways = {(way["algorithm"], way["protocol"]): way for way in cell["ways"]}
            return (ways[cell["choice"]["algorithm"], cell["choice"]["protocol"]],
                    ways[rule_for(rules, collective, cell["bytes"], cell["nodes"], cell["ranks"])])

        for cell in answers(collective, "-p", ",".join(map(str, ranks)), "-n", ",".join(map(str, sizes)), *machine,
                            "--model-only"):
            with self.subTest(ranks=cell["ranks"], size=cell["bytes"]):
                own, ruled = ways_of(cell)
                self.assertLessEqual(ruled["time_us"], own["time_us"] * (1 + loss))
                if ruled is not own:
                    differs += 1
                    [simulated] = answers(collective, "-p", cell["ranks"], "-n", cell["bytes"], *machine)
                    own, ruled = ways_of(simulated)
                    self.assertLessEqual(ruled["simulated_s"], own["simulated_s"])
        return differs

    def test_rules_run_as_nccl_runs_them(self):
        # Without --platform, on the machine of --gpu, with NCCL's channels and chunks.
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            path.write_text("allreduce,1048576,1048576,ring,simple,-1,2,16,-1,-1\n")
            found = harness.json_output("decide", "allreduce", "-p", 16, "-n", "1MiB", "--gpu", "h100", "--against", path,
                                        "--json", "-")
            [cell] = found["against"]["cells"]
            self.assertEqual((cell["choice"]["algorithm"], cell["choice"]["library_algorithm"]),
                             ("nccl_ring", "ring with simple"))
            own = harness.json_output("decide", "allreduce", "-p", 16, "-n", "1MiB", "--gpu", "h100", "--against", "nccl",
                                      "--json", "-")
            self.assertEqual(found["machine"], own["machine"])

    def test_equal_lines_are_joined(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "tuner.csv"
            text = harness.output("decide", "allreduce", "-p", 16, "-n", "1K..256MiB*4", "--gpu", "h100", "--export",
                                  "nccl", "--model-loss", "20%", "-o", file)
            self.assertIn("compared with the best that --model-loss allows for each size",
                          " ".join(text.split()))
            text = file.read_text().splitlines()
            lines = [line.split(",") for line in text if line[0] != "#"]
            for line, after in zip(text, text[1:]):
                if line[0] != "#" and after[0] != "#":
                    self.assertNotEqual(line.split(",")[3:5], after.split(",")[3:5])
            for line, after in zip(lines, lines[1:]):
                self.assertEqual(int(line[2]) + 1, int(after[1]))

    def test_no_cell_is_slower_with_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            nodes, gpus, path = (pathlib.Path(folder) / name for name in ("node.xml", "gpus.xml", "t.csv"))
            harness.output("platform", *NODES, "-o", nodes)
            harness.output("platform", "gpu", "--nodes", 16, "--gpu", "h100", "-o", gpus)
            grid = ["-p", "16,128", "-n", "1MiB..256MiB*4"]
            for machine in (["--platform", nodes, "--ranks-per-host", 8, "--gamma", "1000GBps"],
                            ["--platform", gpus], []):
                done = harness.run("decide", "allreduce", *grid, *machine, "--gpu", "h100", "--export", "nccl",
                                   "-o", path)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("no rule to write: in ", done.stderr)
                self.assertFalse(path.exists())
            harness.output("decide", "allreduce", *grid, "--gpu", "h100", "--export", "nccl", "-o", path,
                           "--model-loss", "30%")
            differs = self.check_no_loss(path, "allreduce", (16, 128), [4**k * MIB for k in range(5)],
                                         ["--gpu", "h100"], 0.3)
            self.assertGreater(differs, 0)

    def test_a_rule_is_no_slower_by_model_and_by_simulation(self):
        machine = ["--gpu", "a100", "--gpus-per-node", 1]
        sizes = [64, 1000, 16 * KIB, 54634, 54635, 100 * KIB, 256 * KIB, MIB, 2 * MIB, 3 * MIB, 4 * MIB, 5 * MIB,
                 64 * MIB, 2**30]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            call = ["decide", "allreduce", "-p", "8,64", "-n", "1K..16MiB*16", "--export", "nccl", "-o", path, *machine]
            done = harness.run(*call)
            self.assertEqual((done.returncode, done.stdout, os.listdir(folder)), (2, "", []), done.stderr)
            self.assertRegex(done.stderr, r"in \d of 8 cells, what is faster by simulation is slower by NCCL's own "
                                          r"model: .*\(p = \d+: 256 KiB.*--model-loss allows a loss")
            text = harness.output(*call, "--model-loss", "20%")
            differs = self.check_no_loss(path, "allreduce", (8, 64), sizes, machine, 0.2)
            self.assertGreater(differs, 0)
            # The rules say for which nodes they are, and the file says where there are none.
            self.assertEqual({tuple(rule[6:]) for rule in rules_in(path)},
                             {("8", "8", "-1", "-1"), ("64", "64", "-1", "-1")})
            comments = " ".join(line[2:] for line in path.read_text().splitlines() if line[0] == "#")
            for words in ("slower by NCCL's own model by at most 20 %", "rules for allreduce: in ",
                          "NCCL 2.29.7 on 64 nodes of 1 a100"):
                self.assertIn(words, comments)
            self.assertIn("slower by NCCL's own model by at most 20 %", " ".join(text.split()))
            # lint allows what the file allows. Without that comment, it names the rule that loses by the model, on
            # the machine that the file names.
            self.assertIn("no errors or warnings", harness.output("lint", path))
            path.write_text(path.read_text().replace("at most 20 %", "at most 1 %"))
            lint = harness.json_output("lint", path, "--json", "-")
            [found] = lint["files"]
            self.assertTrue(found["sound"])
            self.assertTrue(found["findings"])
            for finding in found["findings"]:
                self.assertIn("nodes of 1 a100", finding["text"])
                loss = float(re.search(r"takes (\S+) times as long", finding["text"])[1])
                self.assertTrue(1.01 < loss <= 1.2, finding)

    def test_sizes_without_a_rule_have_nccls_own_choice(self):
        machine = ["--gpu", "a100", "--gpus-per-node", 1]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            harness.output("decide", "allreduce", "-p", 64, "-n", "4MiB..16MiB*2", "--export", "nccl", "-o", path,
                           "--model-loss", "30%", *machine)
            rules = rules_in(path)
            self.assertEqual((rules[0][1], rules[-1][2]), ("0", "-1"))
            for one, other in zip(rules, rules[1:]):
                self.assertEqual(int(one[2]) + 1, int(other[1]))
            ends = [int(rule[1]) for rule in rules[1:]]
            outside = [size for end in ends for size in (end - 1, end) if not 4 * MIB <= size <= 16 * MIB]
            self.assertGreater(len(outside), 3)
            cells = answers("allreduce", "-p", 64, "-n", ",".join(map(str, sorted(outside))), "--model-only", *machine)
            for size, cell in zip(sorted(outside), cells):
                choice = cell["choice"]
                self.assertEqual(rule_for(rules, "allreduce", size, 64, 64),
                                 (choice["algorithm"], choice["protocol"]), size)

    def test_lint_names_rules_that_lose(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            path.write_text(RINGS)
            text = " ".join(harness.output("lint", path).split())
            self.assertIn("line 1: warning: by the model of NCCL 2.29.7 on 16 nodes of 8 h100, ring with ll takes", text)
            self.assertIn("on nodes of h100 (the default; --gpu names another)", text)
            for protocol in ("ring, ll", "ring, ll128", "ring, simple"):
                self.assertIn(f": {protocol}", text)
            found = harness.json_output("lint", path, "--json", "-")["files"][0]["findings"]
            self.assertEqual([finding["line"] for finding in found], [1, 2, 3])
            for finding in found:
                rule, own = (float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit] for number, unit in
                             re.findall(r"([\d.]+) (us|ms|s)\b", finding["text"]))
                times, size, unit = re.search(r"takes (\S+) times as long as NCCL's own choice at (\S+) (\S+):",
                                              finding["text"]).groups()
                self.assertAlmostEqual(rule / own, float(times), delta=0.02 * float(times))
                [cell] = answers("allreduce", "-p", 128, "-n", f"{size.replace(',', '')}{unit.replace('bytes', '')}",
                                 "--model-only")
                self.assertAlmostEqual(cell["choice"]["time_us"] / own, 1, delta=0.01)
            older = harness.output("lint", path, "--library", "NCCL 2.27", columns=200)
            self.assertIn("by the model of NCCL 2.27", older)
            # The number of nodes is that of the rule, and of ranks that of --ranks if the rule has none.
            path.write_text("allreduce,0,-1,ring,ll,0,16,16\nallreduce,0,-1,ring,simple,0,-1,-1\n")
            self.assertIn("16 nodes of 1 h100", " ".join(harness.output("lint", path).split()))
            self.assertIn("line 2: not compared with NCCL's own choices", harness.output("lint", path, columns=200))
            self.assertIn("4 nodes of 8 h100", harness.output("lint", path, "-p", 32, columns=200))
            # Rules that choose what NCCL chooses lose nothing.
            [cell] = answers("allreduce", "-p", 128, "-n", "64MiB", "--model-only")
            choice = cell["choice"]
            path.write_text(f"allreduce,{64 * MIB},{64 * MIB},{choice['algorithm']},{choice['protocol']},0,16,128\n")
            self.assertIn("no errors or warnings", harness.output("lint", path))

    def test_lint_says_which_rules_it_cannot_compare(self):
        graph = harness.SOURCE_DIR / "tests" / "cost_models" / "nccl" / "graphs" / "h100_3_nodes.xml"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            of_one_gpu = "allreduce,0,-1,ring,simple,0,16,16,-1,-1\n"
            path.write_text(of_one_gpu)
            self.assertIn("line 1: not compared with NCCL's own choices: the machine has no such nodes",
                          harness.output("lint", path, "--graph", graph, columns=200))
            # If the model covers no rule, the options are wrong; if it covers some, the others get a note.
            self.assertEqual(harness.run("lint", path, "--gpu", "mi300x").returncode, 2)
            path.write_text(of_one_gpu + "allreduce,0,-1,ring,simple,0,2,16,-1,-1\n")
            text = harness.output("lint", path, "--gpu", "mi300x", columns=200)
            self.assertIn("line 1: not compared with NCCL's own choices: ", text)
            self.assertIn("line 2: warning: by the model of RCCL", text)
            # Options that name no GPU leave the GPU of the file.
            path.write_text("# NCCL's own choices: by the model of NCCL 2.29.7 on 2 nodes of 8 a100\n"
                            "allreduce,0,-1,ring,simple,0,2,16,-1,-1\n")
            self.assertIn("2 nodes of 8 a100,", harness.output("lint", path, "--gpus-per-node", 8, columns=200))

    def test_lint_replaces_rules_that_lose(self):
        with tempfile.TemporaryDirectory() as folder:
            path, better = (pathlib.Path(folder) / name for name in ("t.csv", "better.csv"))
            path.write_text("# mine\n" + RINGS + "allreduce,0,-1,badring,simple,0,16,128\n"
                            "broadcast,0,1024,ring,ll,0,2,2\n")
            harness.run("lint", path, "--gpu", "h100", "-o", better)
            rules = rules_in(better)
            self.assertEqual({rule[0] for rule in rules}, {"allreduce", "broadcast"})
            # The sizes of the rules are those of before, and the rules are NCCL's own choices.
            rules = [rule for rule in rules if rule[0] == "allreduce"]
            self.assertEqual((rules[0][1], rules[-1][2]), ("0", "-1"))
            sizes = [1, 100, 4 * KIB, 100 * KIB, MIB, 40 * MIB, 2**30]
            for one, other in zip(rules, rules[1:]):
                self.assertEqual(int(one[2]) + 1, int(other[1]))
                sizes += [int(one[2]), int(other[1])]
            for cell in answers("allreduce", "-p", 128, "-n", ",".join(map(str, sorted(set(sizes)))), "--model-only"):
                self.assertEqual(rule_for(rules, "allreduce", cell["bytes"], 16, 128),
                                 (cell["choice"]["algorithm"], cell["choice"]["protocol"]), cell["bytes"])
            self.assertIn("no errors or warnings", harness.output("lint", better))
            self.assertIn("# left out: by the model of NCCL 2.29.7", better.read_text())
            self.assertIn("# left out: unknown algorithm 'badring'", better.read_text())
            self.assertTrue(better.read_text().startswith("# mine\n"))

    def test_the_default_machine_is_that_of_the_gpu(self):
        call = ["decide", "allreduce", "-p", "8,16", "-n", "64K", "--algorithms", "ring", "--against", "nccl", "--json", "-"]
        found = harness.json_output(*call, "--gpu", "b200")
        self.assertEqual(found["machine"]["platform"], "2 nodes of 8 b200")
        self.assertLess(found["machine"]["beta_s_per_byte"], 1 / 45e9)
        slower = harness.json_output(*call, "--gpu", "a100")
        self.assertLess(found["machine"]["beta_s_per_byte"] * 1.9, slower["machine"]["beta_s_per_byte"])
        self.assertIn("of 2 nodes of 8 h100,", harness.output(*call[:-2]))


class Subset(unittest.TestCase):
    def test_rules_by_nodes_are_read_chosen_and_written_back(self):
        for form in ("nccl", "rccl"):
            with tempfile.TemporaryDirectory() as folder:
                again = pathlib.Path(folder) / "again.conf"
                options = ["--format", form, "-o", again]
                self.assertEqual(harness.run("lint", SUBSET, *options).returncode, 0)
                self.assertEqual(again.read_bytes(), SUBSET.read_bytes())
                if form == "nccl":  # replaced only if the user says for which GPU the rules are
                    self.assertEqual(harness.run("lint", SUBSET, *options, "--gpu", "h100").returncode, 0)
                    self.assertIn("# left out: by the model of NCCL", again.read_text())
        for per_host, channels, line in ((4, 16, 16), (2, 4, 21)):
            chosen = harness.choice("allreduce", "-p", 8, "-n", "64MiB", "--table", SUBSET, "--ranks-per-host", per_host)
            self.assertEqual(chosen["choice"]["nccl_channels"], channels)
            text = harness.output("choose", "allreduce", "-p", 8, "-n", "64MiB", "--table", SUBSET, "--ranks-per-host",
                                  per_host)
            self.assertIn(f"line {line}: ", text)
        done = harness.run("choose", "allreduce", "-p", 8, "-n", "64MiB", "--table", SUBSET)
        self.assertEqual(done.returncode, 2)
        self.assertIn("depend on the number of nodes", done.stderr)


class Refusals(unittest.TestCase):
    def test_options_without_effect_are_refused(self):
        call = ["decide", "allreduce", "-p", 16, "-n", "1MiB"]
        for options, words in [
                (["--model-loss", "5%"], "--model-loss '5%': has no effect without --export nccl"),
                (["--export", "nccl", "--segment", "4K"], "--segment"),
                (["--export", "nccl", "--db", "x.db"], "--db has no effect with --export nccl"),
                (["--export", "nccl", "--by", "exact"], "--by 'exact'"),
                (["--export", "nccl", "--placement", "cyclic"], "--placement has no effect"),
                (["--export", "nccl", "--against", "MPICH 4.2"], "--against"),
                (["--against", "nccl", "--engine", "simgrid"], "write one with 'tutti platform gpu'")]:
            with self.subTest(options=options):
                done = harness.run(*call, *options)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
