"""Checks the timeline against the rules of Chrome's trace-event format, as the Perfetto UI reads it."""

import collections
import gzip
import json
import pathlib
import re
import shlex
import tempfile
import unittest

import xxhash

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


class Files(unittest.TestCase):
    """Names and contents of output files."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def refused(self, *arguments):
        done = harness.run(*arguments, cwd=self.path)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(list(self.path.iterdir()), [])
        return done.stderr

    def test_a_name_with_the_ending_of_another_format_is_refused(self):
        run = ("allreduce/ring", "-p", 4, "-n", "1K")
        cells = ("allreduce", "-p", 4, "-n", "1K")
        for option, ending, words in (
                ("--timeline", ".json", ("simulate", *run)), ("--record", ".json", ("simulate", *run)),
                ("--links", ".csv or .txt", ("simulate", *run)), ("--json", ".json", ("simulate", *run)),
                ("--csv", ".csv or .txt", ("simulate", *run)), ("--json", ".json", ("explain", *run)),
                ("--json", ".json", ("compare", *cells)), ("--csv", ".csv or .txt", ("compare", *cells)),
                ("--json", ".json", ("decide", *cells)), ("--json", ".json", ("bound", *cells)),
                ("--json", ".json", ("show", *run)), ("--json", ".json", ("list",)),
                ("--json", ".json", ("verify", *run[:3])), ("--output", ".tutti or .sched or .txt",
                                                          ("show", *run)),
                ("--output", ".dot or .gv", ("show", *run, "--format", "dot")),
                ("--output", ".xml", ("platform", "crossbar", "--hosts", 4))):
            for name in ("t.pdf", "t.pdf.gz"):
                with self.subTest(option=option, words=words, name=name):
                    printed = self.refused(*words, option, name)
                    self.assertIn(f"{option} '{name}': the file contains ", printed)
                    self.assertIn(ending.split()[0], printed)

    def test_gz_is_compressed(self):
        run = ("allreduce/ring", "-p", 16, "-n", "1MiB")
        plain, packed = self.path / "t.json", self.path / "t.json.gz"
        harness.output("simulate", *run, "--timeline", plain)
        harness.output("simulate", *run, "--timeline", packed)
        self.assertLess(5 * packed.stat().st_size, plain.stat().st_size)
        documents = [json.loads(plain.read_text()), json.loads(gzip.decompress(packed.read_bytes()))]
        for document in documents:
            harness.validate(document, "tutti-timeline-1")
            made = document["otherData"].pop("made_by")
            self.assertEqual(made["program"] + "\n", harness.output("--version"))
        self.assertEqual(*documents)
        first = packed.read_bytes()
        harness.output("simulate", *run, "--timeline", packed)
        self.assertEqual(packed.read_bytes(), first)

    def test_packed_files_are_read(self):
        harness.output("convert", "allreduce/ring", self.path / "r.tutti.gz", "-p", 4,
                       "-n", "1K")
        harness.output("simulate", "allreduce/ring", "-p", 4, "-n", "1K", "--record", self.path / "r.json.gz")
        self.assertIn("proved", harness.output("verify", self.path / "r.tutti.gz"))
        self.assertIn("<svg", harness.output("plot", self.path / "r.json.gz", "-o", "-"))
        packed = (self.path / "r.tutti.gz").read_bytes()
        for damaged in (packed[:len(packed) // 2], packed[:40] + b"?" + packed[41:], packed[:3]):
            (self.path / "d.tutti.gz").write_bytes(damaged)
            done = harness.run("verify", self.path / "d.tutti.gz")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("d.tutti.gz' is a damaged or incomplete gzip file", done.stderr)

    def test_files_say_how_they_were_made_and_standard_output_does_not(self):
        platform = self.path / "t.xml"
        platform.write_text(harness.output("platform", "torus", "--dims", "4"))
        digest = xxhash.xxh3_128_hexdigest(platform.read_bytes())
        cells = ("compare", "allreduce", "-p", 4, "-n", "1K", "--platform", platform)
        words = [*map(str, cells), "--json", str(self.path / "it's.json"), "--csv", str(self.path / "c.csv")]
        harness.output(*words)
        document = json.loads((self.path / "it's.json").read_text())
        harness.validate(document, "tutti-comparison-1")
        made = document["made_by"]
        self.assertEqual(shlex.split(made["command"]), ["tutti", *words])
        self.assertEqual(made["inputs"], [{"path": str(platform), "xxh128": digest}])
        lines = (self.path / "c.csv").read_text().splitlines()
        self.assertEqual(lines[:3], [f"# made by {made['program']}", f"# command: {made['command']}",
                                     f"# input: {platform} (xxh128 {digest})"])
        import pandas
        table = pandas.read_csv(self.path / "c.csv", comment="#")
        self.assertEqual(len(table), len(lines) - 4)
        self.assertNotIn("made_by", harness.json_output(*cells, "--json", "-"))
        self.assertFalse(harness.output(*cells, "--csv", "-").startswith("#"))

    def test_documents_with_their_heads_are_read(self):
        run = self.path / "e.json"
        harness.output("explain", "allreduce/ring", "-p", 4, "-n", "1K", "--json", run)
        self.assertIn("made_by", json.loads(run.read_text()))
        self.assertIn("<svg", harness.output("plot", run, "-o", "-"))
        decided = self.path / "d.json"
        harness.output("decide", "allreduce", "-p", 4, "-n", "1K", "--json", decided)
        self.assertIn("<html", harness.output("report", decided, "-o", "-"))


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
