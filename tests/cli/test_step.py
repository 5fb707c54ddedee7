"""Tests tutti step: times beside formulas by hand, sums that add up, and what overlaps."""
import pathlib
import tempfile
import unittest

import harness

# Times of a message on the crossbar: ALPHA plus its bytes times BETA. Reductions take no time.
ALPHA, BETA = 2e-6, 1e-9
MACHINE = ["--alpha", "2us", "--beta", "1ns", "--gamma", "0ns"]


def ring_s(ranks, size):
    """Returns the time of a ring allgather or reduce_scatter alone."""
    return (ranks - 1) * (ALPHA + size / ranks * BETA)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = pathlib.Path(self.folder.name) / "a.step"
        path.write_text(text)
        return path

    def answer(self, text, *arguments):
        found = harness.json_output("step", self.file(text), *arguments, "--json", "-")
        harness.validate(found, "tutti-step-1")
        self.check_sums(found)
        return found

    def check_sums(self, found):
        last = found["last"]
        self.assertAlmostEqual((last["computing_s"] + last["core_wait_s"] + last["exposed_s"]) / found["total_s"], 1,
                               delta=1e-9)
        for which in ("last", "mean"):
            for key in ("computing_s", "core_wait_s", "exposed_s", "hidden_s"):
                of_rows = sum(row[which][key] for row in found["rows"])
                self.assertAlmostEqual(of_rows, found[which][key], delta=1e-9 * found["total_s"])
                self.assertTrue(all(row[which][key] >= 0 for row in found["rows"]), key)
            for key in ("exposed_s", "hidden_s"):
                of_groups = sum(group[which][key] for group in found["groups"])
                self.assertAlmostEqual(of_groups, found[which][key], delta=1e-9 * found["total_s"])

    def check_time(self, found, expected_s):
        self.assertAlmostEqual(found["total_s"] / expected_s, 1, delta=1e-9)


class Step(Case):
    def fsdp(self, beside, compute_ms, layers=6):
        """Returns a step that gathers each layer, computes, and scatters its gradients; with `beside`, the next
        layer is gathered while this one computes, and the gradients of the last one are scattered meanwhile."""
        if not beside:
            return f"""layout dp 4
                algorithm allgather ring
                algorithm reduce_scatter ring
                repeat {layers} {{
                  allgather whole 4MB on dp; compute {compute_ms}ms; reduce_scatter whole 8MB on dp
                }}"""
        return f"""layout dp 4
            group again = dp                     # a communicator of its own
            algorithm allgather ring
            algorithm reduce_scatter ring
            name g[0]: beside allgather whole 4MB on dp
            repeat i {layers - 1} {{
              wait g[i]
              name g[i+1]: beside allgather whole 4MB on dp
              compute {compute_ms}ms
              beside reduce_scatter whole 8MB on again
            }}
            wait g[{layers - 1}]; compute {compute_ms}ms; reduce_scatter whole 8MB on again"""

    def test_fsdp_without_overlap_takes_the_sum(self):
        found = self.answer(self.fsdp(False, 20), *MACHINE)
        self.check_time(found, 6 * (ring_s(4, 4e6) + 20e-3 + ring_s(4, 8e6)))
        self.assertAlmostEqual(found["last"]["exposed_s"], 6 * (ring_s(4, 4e6) + ring_s(4, 8e6)), delta=1e-9)

    def test_fsdp_with_prefetch_hides_all_but_the_first_and_the_last(self):
        # Gather and scatter share the links, and together take less time than computing.
        found = self.answer(self.fsdp(True, 20), *MACHINE)
        self.check_time(found, ring_s(4, 4e6) + 6 * 20e-3 + ring_s(4, 8e6))
        exposed = {row["line"]: row["last"]["exposed_s"] for row in found["rows"] if row["call"] is not None}
        self.assertAlmostEqual(exposed[5], ring_s(4, 4e6), delta=1e-12)
        self.assertAlmostEqual(exposed[8], 0, delta=1e-12)
        hidden = sum(row["last"]["hidden_s"] for row in found["rows"])
        self.assertGreater(hidden, 5 * (ring_s(4, 4e6) + ring_s(4, 8e6)) * (1 - 1e-9))

    def test_fsdp_with_little_computing_takes_the_time_of_its_messages(self):
        # The links are busy from the beginning to the end, but for latencies.
        found = self.answer(self.fsdp(True, 0.5, 40), *MACHINE)
        busy_s = 40 * (ring_s(4, 4e6) + ring_s(4, 8e6))
        self.assertGreater(found["total_s"], 0.97 * busy_s)
        self.assertLess(found["total_s"], 1.03 * busy_s)
        self.assertGreater(found["last"]["exposed_s"], 0.8 * busy_s)

    def test_a_wait_is_charged_to_what_runs_meanwhile(self):
        found = self.answer("""layout dp 4
            algorithm allgather ring
            beside allgather whole 4MB on dp
            beside allgather whole 8MB on dp
            compute 1ms
            wait dp
            compute 1ms""", *MACHINE)
        exposed = {row["line"]: row["last"]["exposed_s"] for row in found["rows"] if row["call"] is not None}
        hidden = {row["line"]: row["last"]["hidden_s"] for row in found["rows"] if row["call"] is not None}
        self.assertAlmostEqual(exposed[3], ring_s(4, 4e6) - 1e-3, delta=1e-10)
        self.assertAlmostEqual(exposed[4], ring_s(4, 8e6), delta=1e-10)
        self.assertAlmostEqual(hidden[3], 1e-3, delta=1e-10)
        self.assertAlmostEqual(hidden[4], 0, delta=1e-10)

    def test_all_reduces_in_a_row_take_the_sum(self):
        found = self.answer("""layout tp 4, dp 2
            algorithm allreduce ring
            repeat 5 { compute 1ms; allreduce whole 1MB on tp; compute 0.25ms; allreduce whole 1MB on tp }""", *MACHINE)
        self.check_time(found, 5 * (1.25e-3 + 4 * ring_s(4, 1e6)))
        self.assertEqual(found["groups"][0]["communicators"], [[0, 1, 2, 3], [4, 5, 6, 7]])

    def test_communication_beside_other_communication_shares_the_links(self):
        # Two rings of the same direction: each message takes twice as long, but for its latency.
        text = """layout dp 4
            group a = all; group b = all
            algorithm allgather ring
            beside allgather whole 4MB on a
            beside allgather whole 4MB on b"""
        found = self.answer(text, *MACHINE, "--ports", "unlimited")
        self.check_time(found, 3 * (ALPHA + 2 * 1e6 * BETA))
        # With one communicator, the second one waits for the first.
        found = self.answer(text.replace("on b", "on a"), *MACHINE, "--ports", "unlimited")
        self.check_time(found, 2 * ring_s(4, 4e6))

    def test_a_pipeline_with_several_parts_at_each_stage_has_a_smaller_bubble(self):
        for parts in (1, 2, 4, 8):
            found = self.answer(f"""layout pp 4
                pipeline pp, micro 64, virtual {parts} {{
                  forward {{ compute 4ms / {parts} }}
                  backward {{ compute 8ms / {parts} }}
                  handover 1B
                }}""", "--alpha", "1ns", "--beta", "1ps", "--gamma", "0ns")
            self.assertAlmostEqual(found["total_s"], 12e-3 * (64 + 3 / parts), delta=1e-5)

    def test_the_first_and_the_last_micro_batch_may_do_something_else(self):
        found = self.answer("""layout pp 2
            pipeline pp, micro 4 {
              first { compute 3ms }
              forward { compute 1ms }
              backward { compute 2ms }
              last { compute 7ms }
              handover 1B
            }""", "--alpha", "1ns", "--beta", "1ps", "--gamma", "0ns")
        self.assertEqual([(row["line"], row["times"]) for row in found["rows"] if row["call"] is None],
                         [(3, 1), (4, 3), (5, 3), (6, 1)])
        self.assertAlmostEqual(found["last"]["computing_s"], (3 + 3 * 1 + 3 * 2 + 7) * 1e-3, delta=1e-12)

    def test_computing_is_slower_while_a_collective_runs_beside_it(self):
        text = """layout dp 4
            group other = dp
            algorithm allgather ring
            stream dp shares compute by 1.5
            stream other shares compute by 1.2
            compute 1ms
            beside allgather whole 4MB on dp
            compute 10ms
            wait dp
            beside allgather whole 4MB on other
            repeat 30 { compute 0.5ms }"""
        alone_s = ring_s(4, 4e6)
        expected_s = 26e-3 + alone_s * (1 - 1 / 1.5) + alone_s * (1 - 1 / 1.2)
        for arguments in ([], ["--symmetry", "off", "--every-iteration"]):
            found = self.answer(text, *MACHINE, *arguments)
            self.check_time(found, expected_s)
            self.assertAlmostEqual(found["last"]["slowed_s"], expected_s - 26e-3, delta=1e-11)
        # While both run, the larger factor counts. The collectives share the links.
        both = self.answer("""layout dp 4
            group other = dp
            algorithm allgather ring
            stream net shares compute by 1.2
            stream dp shares compute by 1.5
            beside allgather whole 4MB on dp
            beside allgather whole 8MB on other
            compute 40ms""", *MACHINE, "--ports", "unlimited")
        first_s, second_s = (both["rows"][row]["last"]["hidden_s"] for row in (0, 1))
        self.assertGreater(first_s, 1.9 * ring_s(4, 4e6))
        self.check_time(both, 40e-3 + first_s * (1 - 1 / 1.5) + (second_s - first_s) * (1 - 1 / 1.2))

    def test_computing_is_slower_beside_groups_that_come_later_and_beside_all(self):
        for stream, group, factor in (("net", "all", 1.5), ("all", "all", 1.5), ("net", "late", 1.5), ("dp", "all", 1)):
            found = self.answer(f"""layout dp 4
                stream {stream} shares compute by 1.5
                group late = dp
                algorithm allgather ring
                beside allgather whole 4MB on {group}
                compute 10ms""", *MACHINE)
            self.check_time(found, 10e-3 + ring_s(4, 4e6) * (1 - 1 / factor))

    def test_computing_can_be_operations_or_bytes_over_a_rate(self):
        found = self.answer("""layout dp 2
            let rate = 400TFLOPS
            compute 2 * 12TFLOP / rate
            compute 1PFLOP / (2 * rate)
            compute 48GB / 3.35TBps""", *MACHINE)
        self.check_time(found, 24 / 400 + 1000 / 800 + 48 / 3350)

    def test_copies_of_a_collective_are_not_slower_beside_another_one(self):
        text = """layout dp 4
            group other = dp
            algorithm allgather ring
            algorithm alltoall bruck
            beside allgather whole 4MB on dp
            alltoall whole 1MB on other"""
        machine = [*MACHINE, "--copy-cost", "1ns", "--ports", "unlimited"]
        plain = self.answer(text, *machine)
        slow = self.answer(text.replace("layout dp 4", "layout dp 4; stream net shares compute by 3"), *machine)
        self.assertEqual(slow["total_s"], plain["total_s"])
        self.assertGreater(plain["total_s"], 0)

    def test_an_alltoall_beside_a_ring_on_one_spine(self):
        # Two nodes of four ranks, which share one link between the nodes: the alltoall sends 4 * 4 * 1 MB over it in
        # each direction. The ring over all ranks sends 7 MB over the same link.
        platform = pathlib.Path(self.folder.name) / "spine.xml"
        platform.write_text("""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf" core="4"/><host id="b" speed="1Gf" core="4"/>
<link id="there" bandwidth="1GBps" latency="1us"/><link id="back" bandwidth="1GBps" latency="1us"/>
<link id="inside" bandwidth="1000GBps" latency="1us" sharing_policy="FATPIPE"/>
<route src="a" dst="a" symmetrical="NO"><link_ctn id="inside"/></route>
<route src="b" dst="b" symmetrical="NO"><link_ctn id="inside"/></route>
<route src="a" dst="b" symmetrical="NO"><link_ctn id="there"/></route>
<route src="b" dst="a" symmetrical="NO"><link_ctn id="back"/></route>
</zone></platform>""")
        machine = ["--platform", platform, "--ranks-per-host", 4, "--ports", "unlimited", "--gamma", "0ns"]
        text = """layout ep 8
            group other = ep
            algorithm alltoall linear
            algorithm allgather ring
            beside alltoall whole 8MB on ep
            {}"""
        alone = self.answer(text.format(""), *machine)
        self.assertAlmostEqual(alone["total_s"], 16e-3, delta=1e-4)
        together = self.answer(text.format("beside allgather whole 8MB on other"), *machine)
        self.assertAlmostEqual(together["total_s"], 23e-3, delta=2e-4)

    def test_communicators_without_a_common_link_take_their_time_alone(self):
        found = self.answer("""layout tp 2, dp 4
            algorithm allgather ring
            beside allgather whole 4MB on tp
            compute 1us""", *MACHINE)
        self.check_time(found, ring_s(2, 4e6))

    def test_the_bubble_of_a_pipeline(self):
        # Without handovers, 1F1B takes (m + p - 1) times as long as a micro-batch on a stage.
        for stages, micro in ((1, 4), (2, 1), (4, 8), (4, 3), (8, 8)):
            found = self.answer(f"""layout dp 2, pp {stages}
                pipeline pp, micro {micro} {{
                  forward {{ compute 1ms }}
                  backward {{ compute 1ms; compute 1ms }}
                  handover 0B
                }}""", "--alpha", "1ns", "--beta", "1ns")
            ideal_s = micro * 3e-3
            self.assertAlmostEqual(found["total_s"] / ideal_s, 1 + (stages - 1) / micro, delta=1e-5)
            self.assertAlmostEqual(found["last"]["computing_s"], ideal_s, delta=1e-12)

    def test_a_pipeline_with_collectives_in_its_stages(self):
        # The stages have no common link, and a stage's allreduces are blocking.
        found = self.answer("""layout tp 2, pp 3
            algorithm allreduce ring
            pipeline pp, micro 4 {
              forward { compute 1ms; allreduce whole 1MB on tp }
              backward { compute 2ms; allreduce whole 1MB on tp }
              handover 0B
            }
            allreduce whole 1MB on tp""", "--alpha", "1ns", "--beta", "1ns", "--gamma", "0ns")
        each_s = 3e-3 + 4 * (1e-9 + 0.5e6 * 1e-9)
        last_s = 2 * (1e-9 + 0.5e6 * 1e-9)
        self.assertAlmostEqual(found["total_s"] / ((4 + 3 - 1) * each_s + last_s), 1, delta=1e-5)
        rows = {row["line"]: row for row in found["rows"] if row["call"] is not None}
        self.assertEqual(rows[4]["times"], 4)
        self.assertEqual(found["calls"][rows[6]["call"]]["collective"], "handover")

    def test_a_handover_of_a_pipeline_is_exposed(self):
        # One micro-batch: p - 1 messages forward and p - 1 backward, and nothing beside them.
        found = self.answer("""layout pp 4
            pipeline pp, micro 1 { forward { compute 1ms }; backward { compute 2ms }; handover 3MB }""", *MACHINE)
        self.check_time(found, 4 * 3e-3 + 6 * (ALPHA + 3e6 * BETA))
        self.assertEqual(found["last_rank"], 0)

    def test_the_engines_agree_on_a_pipeline(self):
        found = self.answer("""layout tp 2, pp 4
            pipeline pp, micro 6 {
              forward { compute 0.3ms; beside allgather whole 100KB on tp; compute 0.1ms; wait tp }
              backward { compute 0.7ms; allreduce whole 100KB on tp }
              handover 200KB
            }""", "--engine", "both")
        self.assertLess(found["engines_differ"], 1e-9)

    def test_the_engines_agree(self):
        found = self.answer(self.fsdp(True, 1.5), "--engine", "both", "--ports", "unlimited")
        self.assertLess(found["engines_differ"], 1e-9)

    def test_on_a_cpu_reductions_and_computing_wait_for_each_other(self):
        text = "layout dp 2\nalgorithm allreduce ring\nbeside allreduce whole 8MB on dp\ncompute 4ms\n compute 4ms"
        free = self.answer(text, "--alpha", "2us", "--beta", "1ns", "--gamma", "0ns")
        self.assertEqual(free["last"]["core_wait_s"], 0)
        busy = self.answer(text, "--alpha", "2us", "--beta", "1ns", "--gamma", "0.2ns")
        self.assertGreater(busy["total_s"], free["total_s"] + 0.7e-3)

    def test_groups_with_one_rank_take_no_time(self):
        found = self.answer("""layout tp 1, dp 2, pp 1
            compute 1ms
            allreduce whole 1MB on tp
            beside alltoall whole 1MB on pp
            wait pp""", *MACHINE)
        self.check_time(found, 1e-3)
        self.assertIsNone(found["calls"][0]["algorithm"])

    def test_whole_and_share(self):
        whole = self.answer("layout dp 8\nallgather whole 8MB on dp", *MACHINE)
        share = self.answer("layout dp 8\nallgather share 1MB on dp", *MACHINE)
        self.assertEqual(whole["total_s"], share["total_s"])
        self.assertEqual(share["calls"][0]["bytes"], 8_000_000)
        twice = self.answer("layout dp 8\nallgather share 2MB on dp", *MACHINE)
        self.assertGreater(twice["total_s"], 1.8 * share["total_s"])

    def test_long_computing_keeps_its_time(self):
        found = self.answer("layout dp 2\ncompute 100s\ncompute 0.0000123ms", *MACHINE)
        self.assertAlmostEqual(found["total_s"], 100.0000000123, delta=2e-12 * 100)

    def test_limits_are_below_the_times_alone(self):
        found = self.answer("""layout tp 4, dp 4
            allreduce whole 1MB on tp; allgather whole 1MB on dp; alltoall whole 1MB on dp; bcast whole 1MB on tp root 3
            reduce_scatter whole 64KiB on all; barrier on dp""", *MACHINE)
        for call in found["calls"]:
            self.assertEqual(call["chosen_by"], "best")
            self.assertLessEqual(call["limit_s"], call["alone_s"] * (1 + 1e-9))

    def test_best_is_what_compare_finds(self):
        found = self.answer("layout dp 8\nallreduce whole 1MiB on dp", *MACHINE)
        compared = harness.compared("allreduce", "-p", 8, "-n", "1MiB", *MACHINE)
        best = min(cell["simulated_s"] for cell in compared)
        self.assertAlmostEqual(found["total_s"] / best, 1, delta=1e-9)

    def test_the_layout_places_the_groups(self):
        found = self.answer("""layout tp 2, dp 4, pp 2
            group ep = tp, dp 2
            allgather whole 1MB on ep; allgather whole 1MB on pp; allgather whole 1MB on dp""", *MACHINE)
        groups = {group["name"]: group["communicators"] for group in found["groups"]}
        self.assertEqual(groups["ep"], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]])
        self.assertEqual(groups["pp"], [[rank, rank + 8] for rank in range(8)])
        self.assertEqual(groups["dp"], [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]])


class Nccl(Case):
    def test_nccl_chooses_for_each_group(self):
        found = self.answer("""layout tp 8, dp 4
            allgather whole 64MiB on tp; reduce_scatter whole 256MiB on dp; alltoall whole 64MiB on all""",
                            "--gpu", "h100")
        for call, collective, machine in zip(found["calls"], ("allgather", "reduce_scatter", "alltoall"),
                                             (["-p", 8], ["-p", 4, "--gpus-per-node", 1, "--nics", 1], ["-p", 32])):
            [cell] = harness.json_output("nccl", collective, "-n", call["bytes"], "--gpu", "h100", *machine,
                                         "--json", "-")["cells"]
            self.assertEqual(call["chosen_by"], "nccl")
            if cell["choice"]:
                self.assertIn(f"{cell['choice']['algorithm']} with {cell['choice']['protocol']}", call["library"])
                way = next(each for each in cell["ways"] if each["algorithm"] == cell["choice"]["algorithm"]
                           and each["protocol"] == cell["choice"]["protocol"])
                simulated_s = way["simulated_s"]
                self.assertAlmostEqual(call["model_s"] * 1e6 / way["time_us"], 1, delta=1e-9)
            else:
                simulated_s = cell["grouped"]["simulated_s"]
                self.assertIsNone(call["model_s"])
            self.assertAlmostEqual(call["alone_s"] / simulated_s, 1, delta=0.1, msg=collective)

    def test_small_collectives_are_noted(self):
        def text(size):
            file = self.file(f"layout tp 8\nallreduce whole {size} on tp\ncompute 1ms")
            return " ".join(harness.output("step", file, "--gpu", "h100").split())

        [call] = self.answer("layout tp 8\nallreduce whole 4KB on tp", "--gpu", "h100")["calls"]
        factor = call["alone_s"] / call["model_s"]
        self.assertGreater(factor, 2)
        self.assertIn(f"up to 3.906 KiB take up to {factor:.3g} times as long as by NCCL's cost model", text("4KB"))
        self.assertNotIn("times as long", text("64MB"))

    def test_reductions_of_gpus_do_not_wait_for_computing(self):
        found = self.answer("""layout dp 8
            beside reduce_scatter whole 64MiB on dp
            compute 5ms""", "--gpu", "h100")
        self.check_time(found, 5e-3)
        self.assertEqual(found["last"]["core_wait_s"], 0)

    def test_a_gpu_platform_sets_the_machine(self):
        path = pathlib.Path(self.folder.name) / "h100.xml"
        harness.output("platform", "gpu", "--nodes", 2, "--gpu", "h100", "-o", path)
        found = self.answer("layout dp\nallgather whole 64MiB on dp", "-p", 16, "--platform", path)
        self.assertEqual(found["calls"][0]["chosen_by"], "nccl")
        self.assertIn("ring", found["calls"][0]["library"])


class OtherMachines(Case):
    TEXT = """step "model"
        layout tp 2, dp 8
        compute 4ms / tp
        allreduce whole 64MiB on dp
        allgather whole 8MiB on tp"""

    def compared(self, *arguments):
        found = harness.json_output("step", self.file(self.TEXT), *arguments, "--json", "-")
        harness.validate(found, "tutti-step-layouts-1")
        return found["layouts"]

    def test_each_machine_is_that_of_a_call_with_its_options(self):
        taper = pathlib.Path(self.folder.name) / "taper.xml"
        harness.output("platform", "gpu", "--nodes", 2, "--unit", 1, "--spine", "1:4", "-o", taper)
        given = ["--gpu", "h100", "--nics", 4]
        changed = {"--nics 8": ["--gpu", "h100", "--nics", 8],
                   "--gpu a100 --nics=2": ["--gpu", "a100", "--nics", 2],
                   "--algorithm 'allreduce on dp ring'": [*given, "--algorithm", "allreduce on dp ring"]}
        # A machine of which the options contradict each other cannot run.
        refused = f"--platform '{taper}'"
        found = self.compared(*given, "--versus", refused)
        self.assertEqual([each["machine"] for each in found], [0, 1])
        self.assertEqual(found[1]["options"], refused)
        self.assertIn("--nics '4'", found[1]["refusal"])
        words = [word for each in changed for word in ("--versus", each)]
        for layouts in ([], ["--layout", "tp=2,4,dp=4,8"]):
            found = self.compared(*given, *words, *layouts)
            self.assertEqual([each["total_s"] for each in found], sorted(each["total_s"] for each in found))
            self.assertEqual(len(found), 4 * (4 if layouts else 1))
            for each in found:
                self.assertEqual(each["options"], [None, *changed][each["machine"]])
                call = changed.get(each["options"], given)
                sizes = ",".join(f"{axis['name']}={axis['size']}" for axis in each["layout"])
                alone = self.answer(self.TEXT, *call, "--layout", sizes)
                self.assertEqual(each["total_s"], alone["total_s"])
                self.assertEqual(each["exposed_s"], alone["last"]["exposed_s"])

    def test_text(self):
        text = harness.output("step", self.file(self.TEXT), "--alpha", "1us", "--versus", "--alpha 2us",
                              "--versus=--ports unlimited")
        self.assertIn("model: 3 cases compared\n", text)
        self.assertIn("  machine 1: --alpha 2us\n  machine 2: --ports unlimited\n", text)
        self.assertRegex(text, r"\n  given +2 +8 +16 .*\n  1 +2 +8 +16 ")

    def test_engines_that_disagree(self):
        # The step is not exact in two engines to the last bit, so a tolerance of 0 must be exceeded.
        machine = ["--platform", harness.SOURCE_DIR / "platforms" / "torus_64.xml"]
        done = harness.run("step", self.file(self.TEXT), *machine, "--versus", "--engine both --engine-tolerance 0.01")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = harness.run("step", self.file(self.TEXT), *machine, "--versus", "--engine both --engine-tolerance 0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("2 cases compared", done.stdout)

    def test_gpus_of_another_vendor(self):
        found = self.compared("--gpu", "h100", "--versus", "--gpu mi300x", "--versus", "--gpu mi250x")
        self.assertEqual({each["refusal"] for each in found}, {None})
        total = {each["machine"]: each["total_s"] for each in found}
        self.assertTrue(total[0] < total[1] < total[2], total)

    def test_words_that_are_refused(self):
        for words, message in (("--json x", "--versus '--json x': --json cannot be changed; expected an option of the"),
                               ("--layout tp=2", "--layout cannot be changed"),
                               ("-p 8", "--ranks cannot be changed"),
                               ("--placment cyclic", "'--placment cyclic': unknown option '--placment': did you mean"),
                               ("cyclic", "unexpected argument 'cyclic'"),
                               (" ", "--versus ' ': expected options, such as --placement cyclic"),
                               ("--help", "expected options of the machine, found --help"),
                               ("--hosts 'a b", "a quote does not end"),
                               ("--platform none.xml", "'--platform none.xml': 'none.xml' cannot be read"),
                               ("--placement cyclc", "did you mean 'cyclic'?")):
            done = harness.run("step", self.file(self.TEXT), f"--versus={words}")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
        for call, words in ((["examples/steps/chakra/step.0.et", "--gpu", "h100"], "--symmetry off"),):
            done = harness.run("step", harness.SOURCE_DIR / call[0], *call[1:], "--versus", words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("--versus '--symmetry off': --symmetry is not available for traces", done.stderr)
        done = harness.run("step", self.file(self.TEXT), "--versus", "--ports 2", "--what-if")
        self.assertIn("--what-if with --versus: needs one machine", done.stderr)


class Layouts(Case):
    TEXT = """step "model"
        layout tp 2, pp 2, dp
        group pair = tp, dp 1
        algorithm allgather ring
        repeat 24 / pp { compute 8ms / tp; allgather whole 48KB * pair on tp }
        beside allgather whole 4MB / pp on dp"""

    def compared(self, text, *arguments):
        found = harness.json_output("step", self.file(text), *MACHINE, *arguments, "--json", "-")
        harness.validate(found, "tutti-step-layouts-1")
        return found

    def sizes(self, layout):
        return {axis["name"]: axis["size"] for axis in layout["layout"] or layout["given"]}

    def test_each_layout_is_that_of_a_description_with_its_sizes(self):
        found = self.compared(self.TEXT, "-p", 16, "--layout", "tp=1..8*2,pp=2,4,5")
        layouts = found["layouts"]
        self.assertEqual(len(layouts), 12)
        ran = [each for each in layouts if each["refusal"] is None]
        self.assertEqual([each["total_s"] for each in ran], sorted(each["total_s"] for each in ran))
        self.assertEqual(layouts[:len(ran)], ran)
        self.assertEqual({(self.sizes(each)["tp"], self.sizes(each)["pp"]) for each in ran},
                         {(1, 2), (1, 4), (2, 2), (2, 4), (4, 2), (4, 4), (8, 2)})
        for each in ran:
            tp, pp, dp = (self.sizes(each)[axis] for axis in ("tp", "pp", "dp"))
            self.assertEqual((tp * pp * dp, each["ranks"]), (16, 16))
            alone = self.answer(self.TEXT.replace("tp 2, pp 2, dp", f"tp {tp}, pp {pp}, dp {dp}"), *MACHINE)
            self.assertEqual(each["total_s"], alone["total_s"])
            for key in ("computing_s", "exposed_s", "core_wait_s", "hidden_s"):
                self.assertEqual(each[key], alone["last"][key])
            exposed = {group["name"]: group["last"]["exposed_s"] for group in alone["groups"]}
            self.assertEqual({group["name"]: group["exposed_s"] for group in each["groups"]},
                             {name: exposed[name] for name in ("tp", "dp")})
            # By hand: a group of one rank does not communicate.
            self.assertAlmostEqual(each["computing_s"], 24 / pp * 8e-3 / tp, delta=1e-12)
            self.check_time(each, 24 / pp * (8e-3 / tp + ring_s(tp, 48e3 * tp)) + ring_s(dp, 4e6 / pp))
        for each in layouts[len(ran):]:
            wanted = self.sizes(each)["tp"] * self.sizes(each)["pp"]
            self.assertIn(f"16 GPUs cannot be divided by {wanted}", each["refusal"])
            self.assertIsNone(each["total_s"])
        self.assertEqual(found["not_scaled"], [])

    def test_sizes_that_do_not_divide_the_work_are_refused(self):
        found = self.compared(self.TEXT, "-p", 35, "--layout", "pp=1,5,7,tp=1")
        self.assertEqual([each["refusal"] is None for each in found["layouts"]], [True, False, False])
        self.assertIn("4.8: repeat needs a whole number", found["layouts"][1]["refusal"])

    def test_axes_that_do_not_scale_computing_are_named(self):
        for text, expected in (("compute 1ms / tp", ["dp"]),
                               ("let part = 8 / dp\ncompute part * 1ms", ["tp"]),
                               ("let other = tp\ncompute 1ms", ["tp", "dp"]),
                               ("group half = tp, dp 2\ncompute 1ms / half", ["dp"]),
                               ("group half = all\ncompute 1ms / half", []),
                               ("repeat 8 / dp { repeat i 2 / tp { compute 1ms } }", []),
                               ("repeat 8 / dp { allgather whole 1MB on dp }; compute 1ms / tp", ["dp"])):
            with self.subTest(text=text):
                found = self.compared(f"layout tp 2, dp 4\n{text}\nallgather whole 1MB on tp",
                                      "--layout", "tp=1,2,dp=2,4")
                self.assertEqual(found["not_scaled"], expected)
        text = " ".join(harness.output("step", self.file("layout dp 4\ncompute 1ms"), "--layout", "dp=2,4").split())
        self.assertIn("no computing time depends on the size of dp", text)
        self.assertIn("the layouts have different numbers of ranks", text)

    def test_a_single_layout_is_an_answer(self):
        found = self.answer(self.TEXT, *MACHINE, "-p", 8, "--layout", "tp=4,pp=1")
        self.assertEqual([axis["size"] for axis in found["layout"]], [4, 1, 2])


if __name__ == "__main__":
    harness.main()
