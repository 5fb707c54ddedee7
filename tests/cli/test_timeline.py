"""Checks the timeline against the rules of Chrome's trace-event format, as the Perfetto UI reads it."""

import collections
import json
import re
import tempfile
import unittest

import harness


def timeline(*arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        harness.output("simulate", *arguments, "--timeline", file.name)
        with open(file.name, encoding="utf-8") as written:
            return json.load(written)


def ns(us):
    """Converts a time in microseconds, as in the file, to whole nanoseconds."""
    rounded = round(us * 1000)
    assert abs(us * 1000 - rounded) < 1e-3, us
    return rounded


class Timeline(unittest.TestCase):
    def check(self, trace, schedule):
        harness.validate(trace, "tutti-timeline-1")
        events = trace["traceEvents"]
        by_phase = collections.defaultdict(list)
        for event in events:
            by_phase[event["ph"]].append(event)
        self.check_threads(by_phase["M"], schedule["ranks"])
        chain = [e for e in by_phase["X"] if e["tid"] == 0]
        by_phase["X"] = [e for e in by_phase["X"] if e["tid"] != 0]
        self.check_slices(by_phase["X"], schedule)
        self.check_chain(chain, by_phase["X"])
        self.check_nesting(chain)
        self.check_counters(by_phase["C"], schedule)
        self.check_nesting(by_phase["X"])
        self.check_arrows(by_phase, schedule)
        used = {e["tid"] for e in events if "tid" in e}
        self.assertEqual(used, set(self.threads), "a thread without a name, or without an event")

    def check_threads(self, metadata, ranks):
        self.assertEqual([m["name"] for m in metadata].count("process_name"), 1)
        self.threads = {m["tid"]: m["args"]["name"] for m in metadata if m["name"] == "thread_name"}
        order = {m["tid"]: m["args"]["sort_index"] for m in metadata
                 if m["name"] == "thread_sort_index"}
        self.assertEqual(set(order), set(self.threads))
        self.assertEqual(len(set(order.values())), len(order), "sort indices repeat")
        self.assertEqual(len(set(self.threads.values())), len(self.threads), "names repeat")
        lanes = ["compute", "send", "receive"]
        keys = []
        for tid in sorted(order, key=order.get):
            if tid == 0:
                self.assertEqual(self.threads[tid], "chain that ends last")
                continue
            match = re.fullmatch(r"rank (\d+) (compute|send|receive)(?: (\d+))?", self.threads[tid])
            self.assertIsNotNone(match, self.threads[tid])
            rank, lane, copy = int(match[1]), lanes.index(match[2]), int(match[3] or 1)
            self.assertLess(rank, ranks)
            keys.append((rank, lane, copy))
        self.assertEqual(keys, sorted(keys), "threads are not in the order of ranks")

    def check_slices(self, slices, schedule):
        primary = collections.Counter()
        for piece in slices:
            op = schedule["ops"][piece["args"]["op"]]
            side = piece["args"].get("side")
            self.assertEqual(piece["args"]["label"], op["label"])
            who = f"{op['src']} -> {op['dst']}" if op["kind"] == "comm" else f"at {op['src']}"
            self.assertIn(who, piece["name"])
            self.assertIn(f"round {op['label'][5:].split(',')[0]}", piece["name"])
            self.assertEqual(piece["args"]["bytes"], op["bytes"])
            self.assertEqual(side is not None, op["kind"] == "comm")
            lane = side or "compute"
            rank = op["dst"] if side == "receive" else op["src"]
            self.assertTrue(self.threads[piece["tid"]].startswith(f"rank {rank} {lane}"))
            primary[piece["args"]["op"], side == "receive"] += 1
        expected = {(op["id"], False) for op in schedule["ops"]}
        expected |= {(op["id"], True) for op in schedule["ops"] if op["kind"] == "comm"}
        self.assertEqual(set(primary), expected)
        self.assertLessEqual(set(primary.values()), {1})

    def check_chain(self, chain, slices):
        critical = {e["args"]["op"] for e in slices if "critical" in e["cat"]}
        self.assertEqual(critical, {e["args"]["op"] for e in chain})

    def check_counters(self, counters, schedule):
        values = collections.defaultdict(list)
        for event in counters:
            values[event["name"]].append((ns(event["ts"]), event["args"]["value"]))
        for name, series in values.items():
            self.assertEqual(series, sorted(series, key=lambda at: at[0]), name)
            self.assertEqual(series[-1][1], 0, f"{name} does not end at 0")
            if name.startswith("load of"):
                self.assertLessEqual(max(value for _, value in series), 100.001)

    def check_nesting(self, slices):
        by_thread = collections.defaultdict(list)
        for piece in slices:
            start = ns(piece["ts"])
            by_thread[piece["tid"]].append((start, start + ns(piece["dur"])))
        for spans in by_thread.values():
            spans.sort()
            for (_, end), (next_start, _) in zip(spans, spans[1:]):
                self.assertLessEqual(end, next_start, "slices overlap on one thread")

    def check_arrows(self, by_phase, schedule):
        sends = {e["args"]["op"]: e for e in by_phase["X"] if e["args"].get("side") == "send"}
        receives = {e["args"]["op"]: e for e in by_phase["X"] if e["args"].get("side") == "receive"}
        starts = {e["id"]: e for e in by_phase["s"]}
        ends = {e["id"]: e for e in by_phase["f"]}
        messages = {op["id"] for op in schedule["ops"] if op["kind"] == "comm"}
        self.assertEqual(len(starts), len(by_phase["s"]), "flow ids repeat")
        self.assertEqual(len(ends), len(by_phase["f"]), "flow ids repeat")
        self.assertEqual(set(starts), messages)
        self.assertEqual(set(ends), messages)
        for message in messages:
            for flow, piece in [(starts[message], sends[message]),
                                (ends[message], receives[message])]:
                begin, at = ns(piece["ts"]), ns(flow["ts"])
                end = begin + ns(piece["dur"])
                self.assertEqual(flow["tid"], piece["tid"])
                # A viewer binds a flow event to the slice that encloses the time of the event. A slice does
                # not include its end.
                self.assertTrue(begin <= at < end or at == begin == end)
            self.assertEqual(ends[message]["bp"], "e")
            self.assertLessEqual(ns(starts[message]["ts"]), ns(ends[message]["ts"]))

    def both(self, algorithm, *arguments, machine=()):
        schedule = harness.json_output("show", algorithm, *arguments, "--format", "json")
        trace = timeline(algorithm, *arguments, *machine)
        self.check(trace, schedule)
        return trace

    def test_timeline_of_the_ring_on_8_ranks(self):
        trace = self.both("allreduce/ring", "-p", 8, "-n", "1MiB")
        self.assertEqual(len(self.threads), 24)
        result = harness.json_output("simulate", "allreduce/ring", "-p", 8, "-n", "1MiB",
                                     "--json", "-")
        last = max(e["ts"] + e["dur"] for e in trace["traceEvents"] if e["ph"] == "X")
        self.assertAlmostEqual(last, result["simulated_s"] * 1e6, delta=0.001)

    def test_timelines_of_other_algorithms(self):
        self.both("allreduce/recursive_doubling", "-p", 13, "-n", 1000)
        self.both("allreduce/ring", "-p", 5, "-n", 104, machine=["--engine", "critical-path"])
        self.both("allreduce/ring", "-p", 1, "-n", 8)
        # With these prices, no operation takes any time.
        self.both("allreduce/recursive_doubling", "-p", 4, "-n", 64,
                  machine=["--alpha", 0, "--beta", 0, "--gamma", 0, "--engine", "critical-path"])

    def test_overlapping_messages_get_their_own_lanes(self):
        self.both("allreduce/basic_linear", "-p", 5, "-n", "64K", machine=["--ports", "unlimited"])
        self.assertIn("rank 0 receive 4", self.threads.values())

    def test_the_timeline_has_the_critical_chain_and_link_loads(self):
        tree = harness.SOURCE_DIR / "platforms/infiniband_hdr_128_thin.xml"
        trace = self.both("allreduce/circulant", "-p", 32, "-n", "64K",
                          machine=["--platform", tree, "--explain"])
        events = trace["traceEvents"]
        chain = [e for e in events if e["ph"] == "X" and e["tid"] == 0]
        self.assertTrue(any("slowed by sharing" in e["args"]["spent"] for e in chain))
        loads = {e["name"] for e in events if e["ph"] == "C" and e["name"].startswith("load of")}
        self.assertEqual(len(loads), 8)
        self.assertTrue(any("leaf switch" in name for name in loads), loads)


if __name__ == "__main__":
    harness.main()
