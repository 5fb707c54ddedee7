"""Tests what tutti nccl prints, draws and writes: bandwidths, grouped calls, rows as they come."""
import json
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import harness

FACTORS = {"allreduce": lambda p: 2 * (p - 1) / p, "allgather": lambda p: (p - 1) / p,
           "reduce_scatter": lambda p: (p - 1) / p, "alltoall": lambda p: (p - 1) / p,
           "gather": lambda p: (p - 1) / p, "scatter": lambda p: (p - 1) / p,
           "bcast": lambda p: 1, "reduce": lambda p: 1, "sendrecv": lambda p: 1}
GROUPED = ["alltoall", "gather", "scatter", "sendrecv"]


def answers(*arguments):
    found = harness.json_output("nccl", *arguments, "--json", "-")
    harness.validate(found, "tutti-nccl-1")
    return found["cells"]


class NcclOutput(unittest.TestCase):
    def check(self, collective, cell, time_s, algbw, busbw):
        if time_s is None:
            self.assertIsNone(algbw)
            self.assertIsNone(busbw)
            return 0
        self.assertAlmostEqual(algbw * 1e9 * time_s / cell["bytes"], 1, places=6)
        self.assertAlmostEqual(busbw / algbw, FACTORS[collective](cell["ranks"]), places=9)
        return 1

    def test_bandwidths_follow_from_the_times(self):
        checked = 0
        for collective in ("allreduce", "allgather", "reduce_scatter", "bcast", "reduce"):
            for cell in answers(collective, "-p", "8,24", "-n", "64K,1MiB"):
                self.assertIsNone(cell["grouped"])
                for way in cell["ways"]:
                    model_s = None if way["time_us"] is None else way["time_us"] / 1e6
                    checked += self.check(collective, cell, model_s, way["algbw_gb_per_s"], way["busbw_gb_per_s"])
                    checked += self.check(collective, cell, way["simulated_s"], way["simulated_algbw_gb_per_s"],
                                          way["simulated_busbw_gb_per_s"])
        self.assertGreater(checked, 60)
        text = harness.output("nccl", "bcast", "-p", 8, "-n", "64MiB")
        [cell] = answers("bcast", "-p", 8, "-n", "64MiB")
        [chosen] = [way for way in cell["ways"] if way["time_us"] == cell["choice"]["time_us"]]
        rate = f"{chosen['busbw_gb_per_s']:.2f}"
        self.assertIn(f"by NCCL's model; algbw {rate} GB/s, busbw {rate} GB/s\n", text)

    def test_grouped_calls_have_simulated_times_and_a_limit(self):
        for call in GROUPED:
            for cell in answers(call, "-p", "8,32", "-n", "64K,64MiB", "--gpu", "h200"):
                with self.subTest(call=call, p=cell["ranks"], n=cell["bytes"]):
                    grouped = cell["grouped"]
                    self.assertEqual((cell["collective"], cell["choice"], cell["ways"]), (call, None, []))
                    self.check(call, cell, grouped["simulated_s"], grouped["algbw_gb_per_s"],
                               grouped["busbw_gb_per_s"])
                    self.assertLessEqual(grouped["bound_s"], grouped["simulated_s"])
        # On one node, each of 8 GPUs sends 7/8 of 1 GiB over NVLink with 370.8 GB/s; on two nodes, each card of
        # 50 GB/s takes half of each GPU's data.
        one, two = answers("alltoall", "-p", "8,16", "-n", "1GiB", "--gpu", "h100")
        self.assertAlmostEqual(one["grouped"]["simulated_s"], 7 / 8 * 2**30 / 370.8e9, delta=2e-5)
        self.assertAlmostEqual(two["grouped"]["simulated_s"], 2**30 / 2 / 50e9, delta=4e-5)
        # The GPUs of one node represent all others, so that many nodes take seconds.
        [many] = answers("alltoall", "-p", 8192, "-n", "1GiB", "--gpu", "h100")
        self.assertEqual(many["grouped"]["schedule"]["algorithm"], "nccl")
        self.assertAlmostEqual(many["grouped"]["simulated_s"], (1 - 8 / 8192) * 2**30 / 50e9, delta=6e-4)
        self.assertAlmostEqual(many["grouped"]["bound_s"], (1 - 8 / 8192) * 2**30 / 50e9, delta=4e-5)
        # In sendrecv, each GPU sends everything to the next one: in a node over NVLink, and from the last GPU of a
        # node over one card.
        [node, ring] = answers("sendrecv", "-p", "8,16", "-n", "1GiB", "--gpu", "h100")
        self.assertAlmostEqual(node["grouped"]["simulated_s"], 2**30 / 370.8e9, delta=2e-5)
        self.assertAlmostEqual(ring["grouped"]["simulated_s"], 2**30 / 50e9, delta=4e-5)
        # If it sent to another GPU, more than one message would share the only card of a node.
        [card] = answers("sendrecv", "-p", 4, "-n", "1GiB", "--gpu", "h100", "--gpus-per-node", 2, "--nics", 1)
        self.assertAlmostEqual(card["grouped"]["simulated_s"], 2**30 / 50e9, delta=4e-5)
        self.assertEqual(ring["command"], None)
        # The limit is that of a message that takes the same card alone: messages are not split between cards.
        for cell in (node, ring, card):
            self.assertAlmostEqual(cell["grouped"]["bound_s"] / cell["grouped"]["simulated_s"], 1, delta=1e-9)
        self.assertIn("for one message alone; this call takes 1.00 times as long",
                      harness.output("nccl", "sendrecv", "-p", 16, "-n", "1GiB"))

    def test_a_platform_of_gpus_carries_grouped_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "slow.xml"
            harness.output("platform", "gpu", "--nodes", 2, "--gpu", "h100", "--card-bw", "25GBps", "-o", file)
            [cell] = answers("alltoall", "-p", 16, "-n", "1GiB", "--platform", file)
            self.assertEqual(cell["platform"], "slow.xml")
            self.assertAlmostEqual(cell["grouped"]["simulated_s"], 2**30 / 2 / 25e9, delta=1e-4)
            text = harness.output("nccl", "alltoall", "-p", 16, "-n", "1MiB,1GiB", "--platform", file)
            self.assertIn("all messages at once, on slow.xml", " ".join(text.split()))

    def test_releases_side_by_side(self):
        call = ["allreduce", "-p", "8,64", "-n", "64K..1GiB*16", "--gpu", "b200"]
        releases = ["2.27.7", "2.29.7"]
        both = answers(*call, "--version", ",".join(releases))
        each = [answers(*call, "--version", release, "--model-only") for release in releases]
        self.assertEqual(both, [cell for pair in zip(*each) for cell in pair])
        self.assertEqual([cell["release"] for cell in both[:2]], releases)
        text = harness.output("nccl", *call, "--version", ",".join(releases), columns=140)
        rows = [line.split() for line in text.splitlines() if re.match(r" +(8|64) +\d", line)]
        self.assertEqual(len(rows), len(each[0]))
        different, most = 0, 0.0
        for row, old, new in zip(rows, *each):
            names = [f"{cell['choice']['algorithm']} {cell['choice']['protocol']}" for cell in (old, new)]
            for name in names:
                self.assertIn(name, " ".join(row))
            if names[0] == names[1]:
                self.assertEqual(row[-1], "-")
                continue
            different += 1
            kept = next(way["time_us"] for way in new["ways"]
                        if (way["algorithm"], way["protocol"]) == tuple(names[0].split()))
            if kept is None:
                self.assertEqual(row[-2:], ["cannot", "run"])
            else:
                cost = 100 * (kept / new["choice"]["time_us"] - 1)
                most = max(most, cost)
                self.assertEqual(row[-2:], [f"{cost:+.1f}", "%"])
        self.assertGreater(different, 0)
        words = " ".join(text.split())
        self.assertIn(f"choose differently in {different} of {len(rows)} cells", words)
        if most:
            self.assertIn(f"takes at most {most:.1f} % longer", words)
        for more, message in ((["--version", "2.27,2.27.7"], "names NCCL 2.27.7 twice"),
                              (["--version", "2.27,9"], "'9'")):
            done = harness.run("nccl", *call, *more)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(message, done.stderr)
        done = harness.run("nccl", "alltoall", "-p", 8, "-n", 64, "--version", "2.27,2.29")
        self.assertIn("several releases: NCCL's model does not cover this call", done.stderr)

    def test_calls_that_nccl_does_not_have(self):
        for call, words in (("gatherv", "NCCL does not have this collective"), ("alreduce", "did you mean 'allreduce'"),
                            ("sendreceive", "did you mean 'sendrecv'"), ("foo", "unknown collective")):
            done = harness.run("nccl", call, "-p", 8, "-n", "1K")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(words, done.stderr)
        self.assertIn("bcast, reduce, allgather, reduce_scatter, allreduce, alltoall, gather, scatter, sendrecv",
                      done.stderr)
        done = harness.run("nccl", "ncclAllReduce", "-p", 8, "-n", "1K", "--model-only")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rows_are_printed_as_they_come(self):
        # The last row takes most of the time.
        call = [harness.TUTTI, "nccl", "allgather", "-p", "8,1024", "-n", "64K,1GiB", "--gpu", "a100"]
        start = time.monotonic()
        with subprocess.Popen(list(map(str, call)), stdout=subprocess.PIPE, text=True) as process:
            rows = []
            for line in process.stdout:
                if line.split()[0] in ("8", "1024"):
                    rows.append((line.split()[0], time.monotonic() - start))
            process.wait()
        took = time.monotonic() - start
        self.assertEqual([ranks for ranks, _ in rows], ["8", "8", "1024", "1024"])
        self.assertLess(rows[1][1], 0.5 * took)

    def test_rows_of_one_answer_are_in_order(self):
        text = harness.output("nccl", "allreduce", "-p", 16, "-n", "64K", "--gpus-per-node", 1)
        rows = [tuple(line.replace("*", "").split()[:2]) for line in text.splitlines()
                if line[2:].startswith(("tree ", "ring ", "nvls", "collnet")) and line.replace("*", "").split()[1] in ("ll", "ll128", "simple")]
        [cell] = answers("allreduce", "-p", 16, "-n", "64K", "--gpus-per-node", 1)
        self.assertEqual(rows, [(way["algorithm"], way["protocol"]) for way in cell["ways"]])

    def test_no_row_before_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "two.xml"
            harness.output("platform", "gpu", "--nodes", 2, "--gpu", "h100", "-o", file)
            for call in ("allreduce", "alltoall"):
                done = harness.run("nccl", call, "-p", "8,32", "-n", "64K", "--platform", file)
                self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_pictures_and_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            call = ["nccl", "allreduce", "-p", "8,64", "-n", "1K..256MiB*16"]
            answer = harness.json_output(*call, "--json", "-")
            (path / "answer.json").write_text(json.dumps(answer))
            [which] = re.findall(r"times-allreduce-64\S*\b", harness.output("plot", *call, "-o", path / "winners.svg"))
            harness.output("plot", *call, "--which", which, "-o", path / "times.svg")
            harness.output("plot", path / "answer.json", "--which", which, "-o", path / "same.svg")
            drawn = (path / "times.svg").read_text()
            self.assertIn("allreduce on 64 ranks, h100, by the model of NCCL", drawn)
            self.assertIn("squares: simulated, in the algorithm", drawn)
            # Lines mark where the choice changes.
            choices = [f"{cell['choice']['algorithm']} {cell['choice']['protocol']}".replace("nvls_tree simple", "nvls_tree")
                       for cell in answer["cells"] if cell["ranks"] == 64]
            changes = [new for old, new in zip(choices, choices[1:]) if new != old]
            self.assertGreater(len(changes), 1)
            for choice in changes:
                self.assertIn(f"{choice} from ", drawn)
            self.assertEqual(drawn.split("<style>")[1], (path / "same.svg").read_text().split("<style>")[1])
            harness.output("plot", "nccl", "alltoall", "-p", 64, "-n", "1K..1GiB*32", "-o", path / "grouped.svg")
            self.assertIn("limit: no algorithm can be faster", (path / "grouped.svg").read_text())
            page = harness.output("report", *call, "--and", "nccl", "sendrecv", "-p", 8, "-n", "1MiB", "-o", "-")
            for words in ("NCCL&#39;s time", "Not covered: for buffers in symmetric windows"):
                self.assertTrue(words in page or words.replace("&#39;", "'") in page, words)


if __name__ == "__main__":
    harness.main()
