"""Tests that docs/reference/messages.md names exactly the parameters of the message model."""

import json
import pathlib
import random
import re
import tempfile
import unittest

import harness

DOCUMENT = harness.SOURCE_DIR / "docs" / "reference" / "messages.md"
START = harness.SOURCE_DIR / "examples" / "supercomputers" / "start" / "lumi.json"
PLATFORM = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128.xml"
POINT = "collective,ranks,bytes,tutti,median_us\nallreduce,4,1024,ring,10\n"


class MessageParameters(unittest.TestCase):
    def test_the_document_lists_the_programs_parameters(self):
        with tempfile.TemporaryDirectory() as folder:
            points = pathlib.Path(folder) / "points.csv"
            points.write_text(POINT)
            done = harness.run("fit", points, "--fit", "nonsense", "--platform", PLATFORM,
                               "--parameters", START)
        self.assertEqual(done.returncode, 2, done.stderr)
        known = re.findall(r"\w+", done.stderr.split("expected ", 1)[1].replace(" or ", " "))
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ", DOCUMENT.read_text(), re.MULTILINE)
        self.assertEqual([name for name, unit in rows], known)
        for name, unit in rows:
            with self.subTest(name):
                ending = {"s": "_s", "B": "_bytes", "s/B": "_s_per_byte", "B/s": "_bytes_per_s"}
                self.assertTrue(unit in ("ratio", "count") or name.endswith(ending[unit]), unit)

    def random_parameters(self, rng):
        """Returns parameters of which each is left out or random, over several orders of magnitude."""
        units = {"s": (-8, -4), "s/B": (-12, -8), "B/s": (8, 11), "B": (0, 6)}
        found = {}
        for name, unit in re.findall(r"^\| `(\w+)` \| ([^|]+) \| ", DOCUMENT.read_text(), re.MULTILINE):
            if rng.random() < 0.3:
                continue
            found[name] = (rng.uniform(0, 0.9) if name == "load" else rng.uniform(0, 2) if unit == "ratio"
                           else rng.randint(1, 20) if unit == "count" else 10 ** rng.uniform(*units[unit]))
            found[name] = int(found[name]) if unit == "B" else found[name]
        found["eager_bytes"] = max(found.get("eager_bytes", 0), found.get("inline_bytes", 0))
        return found

    def test_no_schedule_is_faster_than_the_limit(self):
        kept = sorted((harness.SOURCE_DIR / "examples/supercomputers/parameters").glob("*.json"))
        platforms = [("--platform", harness.SOURCE_DIR / "platforms" / f"{name}.xml")
                     for name in ("infiniband_hdr_128", "infiniband_hdr_128_thin", "smp_16x8", "torus_64",
                                  "slingshot_128")] + [()]
        collectives = sorted({each["collective"] for each in harness.json_output(
            "list", "--json", "-")["algorithms"]})
        seed = random.randrange(2 ** 32)
        rng = random.Random(seed)
        cells, least = 0, float("inf")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "random.json"
            for case in harness.every(5, range(60)):
                parameters = rng.choice(kept) if case % 3 == 0 else file
                if parameters == file:
                    file.write_text(json.dumps({
                        "schema": "tutti-messages/1", "machine": "random",
                        "library": rng.choice(["Open MPI 4.1.6", "MPICH 4.0"]),
                        "parameters": self.random_parameters(rng)}))
                platform = rng.choice(platforms)
                per_host = rng.choice([2, 3, 4] if "smp" in str(platform) else [1, 1, 2, 3, 4])
                per_host = 1 if "torus_64" in str(platform) else per_host
                collective = rng.choice(collectives)
                more = [] if collective == "barrier" else ["-n", rng.choice(["8", "1K", "8K", "64K", "1MiB"])]
                more += rng.choice([[], [], ["--after-barrier"], ["--what-if", "bw*3"],
                                    ["--what-if", "gamma*0.1"], ["--what-if", "lat*0.2"]])
                words = (collective, "-p", rng.choice([2, 3, 5, 8, 12, 16, 17, 24]), *more, *platform,
                         "--ranks-per-host", per_host, "--parameters", parameters)
                for run in harness.compared(*words):
                    if run["of_limit"] is None:
                        continue
                    cells += 1
                    least = min(least, run["of_limit"])
                    self.assertGreaterEqual(
                        run["simulated_s"], run["bound_s"] * (1 - 1e-9),
                        (seed, words, run["algorithm"], parameters.read_text()))
        self.assertGreater(cells, 20)
        self.assertLess(least, 1.5, seed)     # the limit is of some use

    def test_limits_by_hand(self):
        model = {"send_overhead_s": 1e-6, "latency_s": 5e-6, "receive_overhead_s": 2e-6,
                 "rank_bytes_per_s": 1e9, "reduce_s_per_byte": 1e-8}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "m.json"

            def parts(*words, **changes):
                file.write_text(json.dumps({"schema": "tutti-messages/1", "machine": "m", "library": "MPICH 4",
                                            "parameters": {**model, **changes}}))
                document = harness.json_output("bound", *words, "--parameters", file, "--json", "-",
                                               "--platform", PLATFORM)
                harness.validate(document, "tutti-bound-1")
                [bound] = document["bounds"]
                return {part["kind"]: part for part in bound["parts"]}, bound["bound_s"]

            # A message takes 8 us; the root can send another one each microsecond. Rank 1 to 3 have the data
            # after 8, 9 and 10 us.
            found, _ = parts("bcast", "-p", 4, "-n", 8)
            self.assertAlmostEqual(found["rounds"]["bound_s"], 10e-6, delta=1e-15)
            self.assertEqual(found["rounds"]["certificate"]["form"], "postal")
            # Backwards, the core of the receiver needs 2 us for each.
            found, _ = parts("gather", "-p", 4, "-n", 32)
            self.assertAlmostEqual(found["rounds"]["bound_s"], 12e-6, delta=1e-15)
            # 1 MB at 1 GB/s after 8 us.
            _, seconds = parts("bcast", "-p", 2, "-n", 1000000)
            self.assertAlmostEqual(seconds, 1008e-6, delta=1e-12)
            # 3 reductions of 1 MB by 4 ranks at 10 ns per byte, and twice that outside of the caches.
            found, _ = parts("reduce", "-p", 4, "-n", 1000000)
            self.assertAlmostEqual(found["reductions"]["bound_s"], 7508e-6, delta=1e-12)
            found, _ = parts("reduce", "-p", 4, "-n", 1000000, cache_bytes=1.9e6,
                             reduce_memory_s_per_byte=2e-8)
            self.assertAlmostEqual(found["reductions"]["bound_s"], 15008e-6, delta=1e-12)

    def test_alpha_says_which_message_it_is_for(self):
        here = ("allreduce", "-p", "8,32", "-n", "1K", "--platform", PLATFORM, "--parameters", START)
        for words in (("compare", *here, "--all"), ("decide", *here)):
            text = " ".join(harness.output(*words).split())
            alphas = re.findall(r"alpha [\d.]+ .?s (.{20})", text)
            self.assertTrue(alphas, text)
            self.assertEqual(set(alphas), {"(an eager message on"}, text)

    def test_more_ports_are_no_advice_where_no_message_waits_for_one(self):
        for words in (("allreduce/ring", "-p", 8, "-n", "1MiB", "--platform", PLATFORM,
                       "--parameters", START), ("allreduce/ring", "-p", 8, "-n", "1MiB")):
            text = harness.output("explain", *words)
            self.assertNotIn("ports=", text)
        self.assertIn("ports=2", harness.output("explain", "alltoall/linear", "-p", 8, "-n", "1MiB"))


if __name__ == "__main__":
    harness.main()
