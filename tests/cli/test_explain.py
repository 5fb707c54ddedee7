"""Tests tutti explain: its account must add up and use familiar names, and its statements must be true."""

import csv
import io
import json
import pathlib
import random
import re
import tempfile
import unittest

import harness

THIN = harness.SOURCE_DIR / "platforms/infiniband_hdr_128_thin.xml"
README = ["allreduce/circulant", "-p", 64, "-n", "1MiB", "--platform", THIN]


def explained(*arguments):
    explanation = harness.json_output("explain", *arguments, "--json", "-")
    harness.validate(explanation, "tutti-explanation-1")
    harness.validate(explanation["result"], "tutti-result-1")
    return explanation


def random_program(rng):
    """Returns a program for some ranks whose messages and reductions depend on each other at random."""
    ranks = rng.randint(3, 8)
    lines = ["tutti-program 1", "collective allreduce", f"ranks {ranks}"]
    ended = {rank: [] for rank in range(ranks)}
    for number in range(rng.randint(5, 60)):
        source = rng.randrange(ranks)
        target = rng.randrange(ranks) if rng.random() < 0.7 else source
        size = 8 * rng.randint(1, 20000)
        what = f"Reduce({source},{size})" if source == target else f"Comm({source},{target},{size})"
        after = rng.sample(ended[source], min(len(ended[source]), rng.randint(0, 2)))
        lines.append(f"Req({number}) = {what}" + (
            f" After({','.join(f'Req({each})' for each in after)})" if after else ""))
        ended[target].append(number)
    return "\n".join(lines) + "\n"


class Explain(unittest.TestCase):
    def test_rows_add_up_and_the_waterfall_ends_at_the_total(self):
        for arguments in [README, [*README, "--ports", "unlimited"], [*README, "--eager", "16K"],
                          ["gather/linear", "-p", 9, "-n", 1000, "--root", 3],
                          ["bcast/pipeline", "-p", 8, "-n", "1MiB", "--segment", "8K"],
                          ["reduce/binomial", "-p", 1, "-n", 64],
                          ["allreduce/ring", "-p", 7, "-n", 1000, "--engine", "critical-path"]]:
            explanation = explained(*arguments)
            total = explanation["total_s"]
            self.assertEqual(total, explanation["result"]["simulated_s"])
            self.assertAlmostEqual(sum(row["seconds"] for row in explanation["account"]), total,
                                   delta=1e-12 * total)
            for wait in explanation["waits"]:
                self.assertAlmostEqual(sum(part["seconds"] for part in wait["of_which"]),
                                       wait["seconds"], delta=1e-12 * total)
            so_far = 0
            for step in explanation["waterfall"]["steps"]:
                if step["kind"] == "subtotal":
                    self.assertAlmostEqual(step["seconds"], so_far, delta=1e-9 * total)
                else:
                    so_far += step["seconds"]
            if explanation["waterfall"]["steps"]:
                self.assertEqual(explanation["waterfall"]["steps"][-1]["what"], "simulated")

    def test_no_row_below_0_is_called_waiting(self):
        seed = random.randrange(2 ** 32)
        rng = random.Random(seed)
        below = 0
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "random.sched"
            for case in range(20):
                program.write_text(random_program(rng))
                run = (program, "-n", 160000, "--no-verify", "--ports", rng.randint(1, 3),
                       *rng.choice([[], ["--platform", harness.SOURCE_DIR / "platforms/ethernet_1g_8.xml"]]))
                explanation = explained(*run)
                for step in explanation["waterfall"]["steps"]:
                    if step["seconds"] < 0:
                        below += 1
                        self.assertNotIn("wait", step["what"], (seed, case))
                for row in explanation["account"]:
                    self.assertGreaterEqual(row["seconds"], 0, (seed, case))
                text = harness.output("explain", *run)
                for line in text.splitlines():
                    self.assertNotRegex(line, r"^ *-.*wait", (seed, case))
        self.assertGreater(below, 0, seed)

    def test_parts_between_the_limit_and_the_run_add_up(self):
        bruck = ["alltoall/bruck", "-p", 64, "-n", "1MiB", "--ports", "unlimited", "--platform", THIN]
        explanation = explained(*bruck)
        limit = explanation["limit"]
        bound = harness.json_output("bound", "alltoall", *bruck[1:], "--json", "-")["bounds"][0]
        self.assertEqual(explanation["bound_s"], bound["bound_s"])
        self.assertAlmostEqual(explanation["of_limit"],
                               explanation["total_s"] / explanation["bound_s"], delta=1e-12)
        self.assertEqual(limit["decided_by"], bound["decided_by"])
        seconds = {part["part"]: part["seconds"] for part in limit["parts"]}
        self.assertEqual(seconds["limit"], bound["bound_s"])
        self.assertAlmostEqual(sum(seconds.values()), explanation["total_s"],
                               delta=1e-9 * explanation["total_s"])
        self.assertEqual(limit["must_cross"], 12 << 20)
        self.assertEqual(limit["crossed"], 23.5 * (1 << 20))

    def test_simulate_and_explain_have_the_same_account(self):
        hosts = ["allreduce/hierarchical", "-p", 64, "-n", "64K", "--ranks-per-host", 8, "--platform"]
        smp = harness.SOURCE_DIR / "platforms/smp_16x8.xml"
        one_core = harness.SOURCE_DIR / "platforms/infiniband_hdr_128.xml"
        leonardo = harness.SOURCE_DIR / "examples/supercomputers/parameters/leonardo.json"
        for arguments in [README, [*README, "--ports", "unlimited"], [*README, "--eager", "16K"],
                          [*hosts, smp], [*hosts, one_core],
                          [*hosts, smp, "--network-model", "lv08", "--engine", "flow"],
                          [*hosts, smp, "--jitter", "5%"],
                          [*hosts, smp, "--late-ranks", "uniform:0..50us"],
                          [*hosts, smp, "--slow-host", "2*0.5"],
                          [*hosts, smp, "--parameters", leonardo],
                          [*README, "--parameters", leonardo],
                          ["bcast/linear", "-p", 9, "-n", 4096, "--engine", "critical-path"]]:
            with self.subTest(arguments=arguments):
                explanation = explained(*arguments)
                total = explanation["total_s"]
                chain = harness.json_output("simulate", *arguments, "--json", "-")["critical_chain"]
                for key, seconds in chain.items():
                    if key != "ops":
                        rows = sum(row["seconds"] for row in explanation["account"]
                                   if row["row"] + "_s" == key)
                        self.assertAlmostEqual(seconds, rows, delta=2e-9 * total, msg=key)

    def test_jitter_does_not_change_the_measured_ends_of_messages(self):
        leonardo = harness.SOURCE_DIR / "examples/supercomputers/parameters/leonardo.json"
        for seed in range(1, 9):
            chain = harness.json_output(
                "simulate", "bcast/binomial", "-p", 2, "-n", 64, "--platform",
                harness.SOURCE_DIR / "platforms/crossbar_64.xml", "--parameters", leonardo,
                "--jitter", "20%", "--seed", seed, "--json", "-")["critical_chain"]
            self.assertLess(chain["sharing_s"], 1e-15)
            self.assertGreater(chain["startup_s"], 0.5e-6)

    def test_the_first_example_names_its_links(self):
        explanation = explained(*README)
        lost = sum(row["seconds"] for row in explanation["account"] if row["row"] == "sharing")
        self.assertAlmostEqual(lost / explanation["total_s"], 0.466, places=3)  # README.md says 46.6 %
        by_name = {link["link"]: link for link in explanation["links"]}
        for row in explanation["account"]:
            if row["row"] == "sharing":
                self.assertRegex(by_name[row["link"]]["place"], r"leaf switch \d+ \(hosts ")
                self.assertTrue(set(row["rounds"]) <= set(by_name[row["link"]]["rounds"]))
        # Links must be sorted by the time that they cost.
        costs = [(link["lost_on_chain_s"], link["lost_s"]) for link in explanation["links"]]
        self.assertEqual(costs, sorted(costs, reverse=True))
        text = harness.output("explain", *README)
        self.assertIn("slowed by sharing leaf", text)
        self.assertNotRegex(text, r"\d{101}")

    def test_more_bandwidth_ends_the_sharing(self):
        text = THIN.read_text()
        wide = re.sub(r'topo_parameters="([^"]*)"', self.widened, text)
        self.assertNotEqual(wide, text)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wide.xml"
            file.write_text(wide)
            explanation = explained(*README[:-1], file)
        thin = explained(*README)
        lost = {name: sum(row["seconds"] for row in e["account"] if row["row"] == "sharing")
                for name, e in [("thin", thin), ("wide", explanation)]}
        self.assertLess(lost["wide"], lost["thin"])
        self.assertLess(explanation["total_s"], thin["total_s"])

    def test_idle_parallel_cables_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "tree.xml"
            shape = ["platform", "fat_tree", "--down", "16,8", "--bw", "200Gbps", "-o", file]
            run = ["allreduce/recursive_doubling", "-p", 128, "-n", "1MiB", "--platform", file]
            self.assertEqual(harness.run(*shape, "--up", "1,4", "--cables", "1,4").returncode, 0)
            # Each of the 8 leaf switches has 4 cables from each of 4 spine switches. Only cable i of the 4
            # cables from spine switch i to a leaf switch is used.
            text = " ".join(harness.output("explain", *run).split())
            self.assertIn("leaf down-links: 96 of 128 parallel cables carried nothing", text)
            self.assertNotIn("leaf up-links:", text)
            rows = csv.DictReader(io.StringIO(harness.output("simulate", *run, "--links", "-")))
            self.assertEqual({row["parallel_links"] for row in rows if row["class"] == "leaf down-links"},
                             {"4"})
            parallel = explained(*run)
            self.assertEqual({link["parallel_links"] for link in parallel["links"]
                              if link["class"].startswith("leaf")}, {4})
            harness.output(*shape, "--up", "1,16")
            text = harness.output("explain", *run)
            self.assertIn("No link slowed a message down", text)
            self.assertNotIn("parallel", text)

    @staticmethod
    def widened(match):
        levels, down, up, cables = match[1].split(";")
        counts = up.split(",")
        counts[-1] = str(4 * int(counts[-1]))
        return f'topo_parameters="{levels};{down};{",".join(counts)};{cables}"'

    def test_links_of_simulate_equal_those_of_explain(self):
        rows = list(csv.DictReader(io.StringIO(
            harness.output("simulate", *README, "--links", "-"))))
        links = explained(*README)["links"]
        self.assertEqual([row["link"] for row in rows], [link["link"] for link in links])
        for row, link in zip(rows, links):
            self.assertAlmostEqual(float(row["lost_s"]), link["lost_s"], delta=1e-8)
            self.assertEqual(int(row["bytes"]), link["bytes"])

    def test_simulate_also_explains(self):
        whole = harness.output("simulate", *README, "--explain")
        alone = harness.output("explain", *README).split("\n\n", 1)[1]
        self.assertIn(alone.split("What would help")[0].rstrip(), whole)

    def test_improvements_equal_their_simulation(self):
        explanation = explained(*README)
        self.assertEqual(explanation["improvements"],
                         sorted(explanation["improvements"], key=lambda one: one["simulated_s"]))
        for one in explanation["improvements"]:
            done = harness.json_output("simulate", *README, "--what-if", one["what_if"], "--json", "-")
            self.assertAlmostEqual(done["simulated_s"], one["simulated_s"],
                                   delta=1e-9 * one["simulated_s"], msg=one["what_if"])

    def test_a_disturbed_network_is_accounted_for(self):
        late = explained(*README, "--late-ranks", "uniform:0..500us", "--jitter", "10%", "--seed", 3)
        self.assertIn("lateness", {row["row"] for row in late["account"]})
        self.assertAlmostEqual(sum(row["seconds"] for row in late["account"]), late["total_s"],
                               delta=1e-12 * late["total_s"])
        again = explained(*README, "--late-ranks", "uniform:0..500us", "--jitter", "10%", "--seed", 3)
        self.assertEqual(late["account"], again["account"])

    def test_two_algorithms_are_compared(self):
        here = ["-p", 64, "-n", "1MiB", "--platform", THIN]
        contrast = harness.json_output("explain", "allreduce/rabenseifner", "--against",
                                       "allreduce/circulant", *here, "--json", "-")
        harness.validate(contrast, "tutti-contrast-1")
        for both, explanation in zip(zip(*[row["seconds"] for row in contrast["account"]]),
                                     contrast["explanations"]):
            harness.validate(explanation, "tutti-explanation-1")
            self.assertAlmostEqual(sum(both), explanation["total_s"],
                                   delta=1e-12 * explanation["total_s"])
        text = harness.output("explain", "allreduce/rabenseifner", "--against",
                              "allreduce/circulant", *here)
        self.assertIn("times as long", text)

    def test_each_of_two_algorithms_takes_the_options_that_apply_to_it(self):
        here = ["-p", 16, "-n", "64K"]

        def of_two(first, second, *options):
            contrast = harness.json_output("explain", first, "--against", second, *here, *options,
                                           "--json", "-")
            return [one["total_s"] for one in contrast["explanations"]]

        def alone(algorithm, *options):
            return harness.json_output("simulate", algorithm, *here, *options,
                                       "--json", "-")["simulated_s"]

        for segment in ["8K", "auto"]:
            expected = [alone("bcast/pipeline", "--segment", segment), alone("bcast/binomial")]
            self.assertEqual(of_two("bcast/pipeline", "bcast/binomial", "--segment", segment),
                             expected)
            self.assertEqual(of_two("bcast/binomial", "bcast/pipeline", "--segment", segment),
                             expected[::-1])
        self.assertEqual(of_two("allreduce/ring", "bcast/binomial", "--root", 3),
                         [alone("allreduce/ring"), alone("bcast/binomial", "--root", 3)])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "made.sched"
            file.write_text(harness.output("show", "bcast/binomial", *here))
            self.assertEqual(of_two("bcast/pipeline", file, "--segment", "8K"),
                             [alone("bcast/pipeline", "--segment", "8K"), alone("bcast/binomial")])

    def test_what_ifs_may_end_with_a_semicolon(self):
        one = explained(*README, "--what-if", "lat*0.5")
        self.assertEqual(one["total_s"], explained(*README, "--what-if", "lat*0.5; ")["total_s"])
        self.assertLess(one["total_s"], explained(*README)["total_s"])

    def test_acknowledgements_are_named(self):
        here = ["allreduce/ring", "-p", 8, "-n", "64K", "--platform", THIN, "--engine", "flow"]
        for model, expected in [("lv08", True), ("hockney", False)]:
            links = explained(*here, "--network-model", model)["links"]
            self.assertEqual(any(link["acknowledges"] for link in links), expected, model)

    def test_ties_give_a_warning(self):
        done = harness.run("explain", "alltoall/linear", "-p", 8, "-n", "64K", "--ranks-per-host", 8,
                           "--platform", harness.SOURCE_DIR / "platforms/smp_16x8.xml")
        self.assertEqual(done.returncode, 0)
        self.assertIn("several simultaneous messages goes first", done.stderr)

    def test_gains_smaller_than_ties_are_marked(self):
        here = ["-p", 8, "-n", "64K", "--ranks-per-host", 8,
                "--platform", harness.SOURCE_DIR / "platforms/smp_16x8.xml"]
        ties = explained("alltoall/linear", *here)["improvements"]
        for one in ties:
            # simulate must compute the same time.
            run = harness.json_output("simulate", "alltoall/linear", *here, "--what-if",
                                      one["what_if"], "--ties", 3, "--json", "-")
            self.assertEqual(one["simulated_s"], run["simulated_s"])
            self.assertGreaterEqual(2.0000001 * one["ties_s"],
                                    run["ties"]["most_s"] - run["ties"]["least_s"])
        by_change = {one["what_if"]: one for one in ties}
        self.assertTrue(by_change["gamma*0.5"]["within_ties"])  # this run has no reductions
        self.assertGreater(by_change["gamma*0.5"]["ties_s"], 0)
        text = harness.output("explain", "alltoall/linear", *here)
        self.assertEqual(text.count("within ties, +-"),
                         sum(one["within_ties"] and abs(one["saved"]) >= 5e-4 for one in ties))
        self.assertIn("within ties, +-", text)
        # In this run, nothing depends on ties.
        self.assertEqual({one["ties_s"] for one in explained("allreduce/ring", "-p", 8, "-n", "64K")
                          ["improvements"]}, {0})

    def test_waiting_for_cores_that_move_messages_is_reported(self):
        measured = harness.SOURCE_DIR / "tests/fuzz/corpus/parameters/all.json"
        parameters = json.loads(measured.read_text())
        parameters["by_core"] = dict.fromkeys(parameters["by_core"], True)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "by_core.json"
            file.write_text(json.dumps(parameters))
            explanation = explained("gather/linear", "-p", 8, "-n", "64K", "--parameters", file,
                                    "--ports", "unlimited")
        self.assertEqual({wait["resource"] for wait in explanation["waits"]}, {"core"})
        self.assertAlmostEqual(max(explanation["op_slack_s"][step["op"]]
                                   for step in explanation["chain"]), 0)


if __name__ == "__main__":
    harness.main()
