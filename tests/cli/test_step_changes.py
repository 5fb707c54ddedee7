"""Tests tutti step: its limit, its changes (--what-if) and its timelines."""
import json
import pathlib
import random
import unittest

import harness
from test_step import ALPHA, BETA, MACHINE, Case, ring_s

COLLECTIVES = ["allreduce", "bcast", "reduce", "reduce_scatter", "allgather", "alltoall", "gather", "scatter", "barrier"]


def some_statements(draw, groups, depth=0):
    """Returns random statements, one a line."""
    lines = []
    for _ in range(draw.randint(1, 6)):
        kind = draw.randint(0, 9)
        group, size = draw.choice(groups)
        if kind <= 2:
            lines.append(f"compute {draw.randint(0, 3000)}us")
        elif kind == 3 and depth < 2:
            lines += [f"repeat {draw.randint(1, 3)} {{", *some_statements(draw, groups, depth + 1), "}"]
        else:
            collective = draw.choice(COLLECTIVES)
            if collective == "barrier":
                words = f"barrier on {group}"
            else:
                words = f"{collective} whole {draw.choice([0, 1, 3, 1000, 250000]) * 8}B on {group}"
            if collective in ("bcast", "reduce", "gather", "scatter"):
                words += f" root {draw.randrange(size)}"
            lines.append(draw.choice(["", "beside "]) + words)
            if draw.random() < 0.3:
                lines.append(f"wait {group}")
    return lines


def some_step(draw):
    """Returns a random description."""
    sizes = {axis: draw.randint(1, 4) for axis in ("a", "b")}
    lines = ["layout " + ", ".join(f"{axis} {size}" for axis, size in sizes.items())]
    groups = list(sizes.items())
    lines += some_statements(draw, [*groups, ("all", sizes["a"] * sizes["b"])])
    if draw.random() < 0.6:
        lines += [f"pipeline b, micro {draw.randint(1, 4)} {{", "forward {", *some_statements(draw, groups[:1]), "}",
                  "backward {", *some_statements(draw, groups[:1]), "}", f"handover {draw.choice([8, 100000])}B", "}"]
        lines += some_statements(draw, [*groups, ("all", sizes["a"] * sizes["b"])])
    return "\n".join(lines)


class Limit(Case):
    def test_a_collective_has_its_own_limit(self):
        found = self.answer("layout dp 8\nallgather whole 8MB on dp", *MACHINE)
        self.assertGreater(found["limit_s"], 0)
        self.assertEqual(found["limit_s"], found["calls"][0]["limit_s"])

    def test_a_pipeline_has_its_bubble(self):
        for stages, micro in ((2, 1), (4, 3), (3, 12)):
            found = self.answer(f"""layout pp {stages}
                pipeline pp, micro {micro} {{ forward {{ compute 1ms }}; backward {{ compute 2ms }}; handover 8B }}
                compute 4ms""", *MACHINE)
            self.assertAlmostEqual(found["limit_s"] / (3e-3 * (micro + stages - 1) + 4e-3), 1, delta=1e-9)
            self.assertGreaterEqual(found["total_s"], found["limit_s"])

    def test_what_is_beside_computing_is_not_added(self):
        found = self.answer("layout dp 4\nbeside allgather whole 4MB on dp\ncompute 20ms", *MACHINE)
        self.assertAlmostEqual(found["limit_s"], 20e-3, delta=1e-12)
        found = self.answer("layout dp 4\nbeside allgather whole 4MB on dp\ncompute 20us", *MACHINE)
        self.assertEqual(found["limit_s"], found["calls"][0]["limit_s"])

    def test_one_collective_before_computing_counts_as_a_whole(self):
        found = self.answer("layout dp 4\nallgather whole 4MB on dp\ncompute 20ms", *MACHINE)
        self.assertAlmostEqual(found["limit_s"], found["calls"][0]["limit_s"] + 20e-3, delta=1e-12)

    def test_no_step_is_faster(self):
        draw = random.Random(7)
        for number in range(60):
            text = some_step(draw)
            machine = [*MACHINE, "--ports", draw.choice(["1", "2", "unlimited"])]
            try:
                found = self.answer(text, *machine)
            except AssertionError as error:
                if "nothing takes time" in str(error) or "there is no collective" in str(error):
                    continue
                raise AssertionError(text) from error
            with self.subTest(number=number):
                self.assertLessEqual(found["limit_s"], found["total_s"] * (1 + 1e-9), text)


class Changes(Case):
    def changes(self, text, *arguments):
        found = self.answer(text, *arguments, "--what-if")
        totals = [each["total_s"] for each in found["changes"]]
        self.assertEqual(totals, sorted(totals))
        for each in found["changes"]:
            self.assertAlmostEqual(each["won_s"], found["total_s"] - each["total_s"], delta=1e-15)
        plain = self.answer(text, *arguments)
        self.assertEqual(plain["changes"], [])
        self.assertEqual(plain["total_s"], found["total_s"])
        return found

    def of_row(self, found, line, kind):
        """Returns the only change of a kind of the row with this line."""
        [change] = [each for each in found["changes"] if each["kind"] == kind and each["row"] is not None
                    and found["rows"][each["row"]]["line"] == line]
        return change

    TEXT = """layout tp 2, dp 4
        repeat 3 {
          beside allgather whole 4MB on dp
          compute 20ms
          allreduce whole 8MB on tp
        }
        allgather whole 1MB on dp"""

    def test_each_kind_by_hand(self):
        found = self.changes(self.TEXT, *MACHINE)
        calls = found["calls"]
        allreduce_s, allgather_s, last_s = (next(each["alone_s"] for each in calls if each["bytes"] == size)
                                            for size in (8e6, 4e6, 1e6))
        self.check_time(found, 3 * (20e-3 + allreduce_s) + last_s)
        self.check_time(self.of_row(found, 5, "free"), 60e-3 + last_s)
        self.check_time(self.of_row(found, 6 + 1, "free"), 3 * (20e-3 + allreduce_s))
        self.check_time(self.of_row(found, 3, "free"), found["total_s"])
        self.check_time(self.of_row(found, 3, "blocking"), found["total_s"] + 3 * allgather_s)
        [group] = [each for each in found["changes"] if each["group"] == "dp" and each["kind"] == "free"]
        self.check_time(group, 3 * (20e-3 + allreduce_s))
        self.assertFalse(any(each["group"] == "tp" for each in found["changes"]))  # has one row
        limit_s = next(each["limit_s"] for each in calls if each["bytes"] == 1e6)
        for each in found["changes"]:
            if each["kind"] == "limit":
                self.assertLess(limit_s, last_s)
                self.assertEqual(found["rows"][each["row"]]["line"], 7)
                self.assertAlmostEqual(each["total_s"] / (3 * (20e-3 + allreduce_s) + limit_s), 1, delta=1e-4)

    def test_the_next_algorithm_is_that_of_another_description(self):
        found = self.changes(self.TEXT, *MACHINE)
        change = self.of_row(found, 5, "next")
        other = self.answer(self.TEXT.replace("layout tp 2, dp 4",
                                              f"layout tp 2, dp 4; algorithm allreduce on tp {change['what']}"),
                            *MACHINE)
        self.assertEqual(change["total_s"], other["total_s"])
        self.assertNotIn(change["what"], [each["algorithm"] for each in found["calls"]
                                          if each["collective"] == "allreduce"])

    def test_faster_links_are_those_of_another_machine(self):
        found = self.changes("layout dp 4\nalgorithm allgather ring\nallgather whole 4MB on dp\ncompute 1ms", *MACHINE)
        [links] = [each for each in found["changes"] if each["kind"] == "links"]
        self.check_time(links, 1e-3 + 3 * (ALPHA + 1e6 * BETA / 2))
        self.assertIn("the next algorithm: the description names the algorithm", " ".join(found["not_compared"]))

    def test_free_messages_still_keep_the_bubble(self):
        found = self.changes("""layout tp 2, pp 4
            pipeline pp, micro 3 {
              forward { compute 1ms; allreduce whole 1MB on tp }
              backward { compute 2ms; allreduce whole 1MB on tp }
              handover 1MB
            }""", *MACHINE)
        for name, rest_s in (("tp", None), ("pp", 3e-3 + 2 * found["calls"][0]["alone_s"])):
            free = [each for each in found["changes"] if each["kind"] == "free"
                    and (each["group"] == name or each["row"] is not None and
                         found["calls"][found["rows"][each["row"]]["call"]]["group"] == name)]
            self.assertTrue(free)
            if rest_s is not None:
                self.check_time(free[0], rest_s * (3 + 4 - 1))

    def test_a_free_collective_with_a_root_waits_for_those_it_needs(self):
        # In the second stage, ranks are later. With free messages, everybody waits for the stages before.
        text = """layout pp 2, dp 2
            pipeline pp, micro 1 {{ forward {{ compute 1ms }}; backward {{ compute 1ms }}; handover 8B }}
            {0} whole 1MB on all root {1}
            compute 5ms"""
        for collective, root, expected_s in (("reduce", 0, 9e-3), ("bcast", 1, 9e-3)):
            found = self.changes(text.format(collective, root), *MACHINE)
            self.assertAlmostEqual(self.of_row(found, 3, "free")["total_s"], expected_s, delta=20e-6)

    def test_screen(self):
        text = " ".join(harness.output("step", self.file(self.TEXT), *MACHINE, "--what-if").split())
        self.assertIn("What if, each simulated", text)
        self.assertRegex(text, r"Largest gain: line 5, no time: the step takes \S+ ms, \d+\.\d % less")
        done = harness.run("step", self.file(self.TEXT), "--what-if", "--layout", "tp=2,4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--what-if with --layout 'tp=2,4': needs one layout", done.stderr)

    def test_next_ways_of_nccl(self):
        found = self.changes("layout dp 16\nallreduce whole 64MB on dp\nalltoall whole 16MB on dp", "--gpu", "h100")
        self.assertRegex(self.of_row(found, 2, "next")["what"], "^(ring|tree|nvls|nvls_tree) with (simple|ll|ll128)$")
        self.assertFalse(any(each["kind"] == "next" and found["rows"][each["row"]]["line"] == 3
                             for each in found["changes"]))
        self.assertGreater(len([each for each in found["changes"] if each["kind"] == "links"]), 1)


class Timelines(Case):
    TEXT = """step "a pipeline"
        layout tp 2, pp 3
        pipeline pp, micro 4 {
          forward { compute 1ms; allreduce whole 1MB on tp }
          backward { beside allreduce whole 1MB on tp; compute 2ms }
          handover 4MB
        }"""

    def timeline(self, text, *arguments):
        path = pathlib.Path(self.folder.name) / "timeline.json"
        found = self.answer(text, *arguments, "--timeline", path)
        trace = json.loads(path.read_text())
        harness.validate(trace, "tutti-step-timeline-1")
        return found, trace

    def test_slices_are_what_ranks_do(self):
        found, trace = self.timeline(self.TEXT, *MACHINE)
        slices = [each for each in trace["traceEvents"] if each["ph"] == "X"]
        names = {(each["pid"], each["tid"]): each["args"]["name"] for each in trace["traceEvents"]
                 if each["name"] == "thread_name"}
        processes = {each["pid"]: each["args"]["name"] for each in trace["traceEvents"]
                     if each["name"] == "process_name"}
        self.assertEqual(processes, {rank + 1: f"rank {rank}, stage {rank // 2}" for rank in range(6)})
        ends = {}
        for each in sorted(slices, key=lambda each: each["ts"]):
            thread = (each["pid"], each["tid"])
            self.assertGreaterEqual(each["ts"], ends.get(thread, 0))
            ends[thread] = round(each["ts"] + each["dur"], 3)
        self.assertAlmostEqual(max(ends.values()) * 1e-6, found["total_s"], delta=2e-9)
        for rank in range(6):
            mine = [each for each in slices if each["pid"] == rank + 1]
            computing = [each for each in mine if names[rank + 1, each["tid"]] == "computing"]
            self.assertAlmostEqual(sum(each["dur"] for each in computing), 12e3, delta=0.1)
            self.assertEqual(len(computing), 8)
            self.assertEqual(len([each for each in mine if names[rank + 1, each["tid"]] == "tp"]), 8)

            def messages(of, kind):
                return sorted((each["ts"], each["dur"]) for each in slices if each["pid"] == of + 1
                              and names[of + 1, each["tid"]].startswith(f"pp, {kind}"))

            self.assertEqual(len(messages(rank, "sent")), 4 if rank < 2 or rank >= 4 else 8)
            if rank < 2:
                self.assertTrue(set(messages(rank, "received")) <= set(messages(rank + 2, "sent")))

    def test_streams_of_the_document(self):
        self.assertEqual(self.answer(self.TEXT, *MACHINE)["streams"], [])
        found = self.answer(self.TEXT, *MACHINE, "--streams")
        self.assertEqual([each["stage"] for each in found["streams"]],
                         sorted([0, 1, 2] + ([] if found["last_rank"] % 2 == 0 else [found["last_rank"] // 2])))
        last = next(each for each in found["streams"] if each["rank"] == found["last_rank"])
        busy_s = sum(each["busy_s"] for each in last["slices"] if each["kind"] == "computing")
        self.assertAlmostEqual(busy_s, found["last"]["computing_s"], delta=1e-12)
        self.assertEqual(sum(each["count"] for each in last["slices"] if each["kind"] == "computing"), 8)

    def test_many_short_statements_are_joined(self):
        found = self.answer("layout dp 2\nrepeat 5000 { compute 10us; allreduce whole 1KB on dp }", *MACHINE,
                            "--streams")
        [streams] = found["streams"]
        self.assertLess(len(streams["slices"]), 4 * 800)
        for kind, times in (("computing", found["last"]["computing_s"]), ("collectives", found["last"]["exposed_s"])):
            slices = [each for each in streams["slices"] if each["kind"] == kind]
            self.assertEqual(sum(each["count"] for each in slices), 5000)
            self.assertAlmostEqual(sum(each["busy_s"] for each in slices), times, delta=1e-9)

    def test_pictures(self):
        svg = harness.output("plot", "step", self.file(self.TEXT), *MACHINE, "-o", "-")
        for words in ("rank 0, stage 0", "rank 4, stage 2", "pp, received", "line 4: compute 1ms"):
            self.assertIn(words, svg)
        page = pathlib.Path(self.folder.name) / "page.html"
        harness.output("report", "step", self.file(self.TEXT), *MACHINE, "--what-if", "-o", page)
        for words in ("What the streams do: a pipeline", "What each statement takes", "What if, each simulated"):
            self.assertIn(words, page.read_text())


class Contention(Case):
    def test_two_groups_on_one_link(self):
        # As in test_step: two rings of the same direction, so that each message takes twice as long.
        found = self.answer("""layout dp 4
            group a = all; group b = all
            algorithm allgather ring
            repeat 5 {
              beside allgather whole 4MB on a
              beside allgather whole 4MB on b
              wait a; wait b; compute 1ms
            }""", *MACHINE, "--ports", "unlimited", "--explain")
        messages = 5 * 4 * 3
        losses = [(each["group"], each["other"]) for each in found["contention"]]
        self.assertEqual(sorted(losses), [("a", "b"), ("b", "a")])
        for each in found["contention"]:
            self.assertAlmostEqual(each["lost_s"] / (messages * 1e6 * BETA), 1, delta=1e-6)
            self.assertEqual(each["links"], "host links")
        for name in ("a", "b"):
            [group] = [each for each in found["groups"] if each["name"] == name]
            self.assertAlmostEqual(group["message_s"] / (messages * 2e6 * BETA), 1, delta=1e-6)

    def test_one_group_and_none(self):
        found = self.answer("layout dp 4\nalgorithm alltoall linear\nalltoall whole 4MB on dp\ncompute 1ms", *MACHINE,
                            "--ports", "unlimited", "--explain")
        self.assertEqual({(each["group"], each["other"]) for each in found["contention"]}, {("dp", "dp")})
        text = "layout dp 4\nalgorithm allgather ring\nallgather whole 4MB on dp"
        found = self.answer(text, *MACHINE, "--ports", "unlimited", "--explain")
        self.assertEqual(found["contention"], [])
        self.assertIn("no message is slower than it would be alone",
                      harness.output("step", self.file(text), *MACHINE, "--ports", "unlimited", "--explain"))
        self.assertIsNone(self.answer(text, *MACHINE)["groups"][0]["message_s"])

    def test_gpus(self):
        found = self.answer("""layout tp 8, dp 2
            beside allgather whole 256MB on dp
            allreduce whole 256MB on tp
            compute 10ms""", "--gpu", "h100", "--explain")
        plain = self.answer("""layout tp 8, dp 2
            beside allgather whole 256MB on dp
            allreduce whole 256MB on tp
            compute 10ms""", "--gpu", "h100")
        self.assertAlmostEqual(found["total_s"] / plain["total_s"], 1, delta=1e-9)
        for each in found["groups"]:
            self.assertIsNotNone(each["message_s"])


if __name__ == "__main__":
    harness.main()
