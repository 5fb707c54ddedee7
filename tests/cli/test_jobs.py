"""Tests tutti jobs: times beside formulas by hand, jobs that do not meet, and both engines."""
import os
import pathlib
import random
import tempfile
import unittest

import harness
from script_main import some_of

# The spine of self.spine(): bytes per second of each direction, and the latency of every route.
RATE, LATENCY = 1e9, 1e-6
UNLIMITED = ["--ports", "unlimited", "--gamma", "0ns"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def spine(self, hosts=8):
        """Returns a platform with half of the hosts on each side of one link for each direction."""
        half = hosts // 2
        lines = [f'<host id="h{i}" speed="1Gf"/>' for i in range(hosts)]
        lines += [f'<link id="{name}" bandwidth="1GBps" latency="1us"/>' for name in ("there", "back")]
        lines += ['<link id="inside" bandwidth="1000000GBps" latency="1us" sharing_policy="FATPIPE"/>']
        for i in range(hosts):
            for j in range(hosts):
                link = "inside" if (i < half) == (j < half) else "there" if i < half else "back"
                lines.append(f'<route src="h{i}" dst="h{j}" symmetrical="NO"><link_ctn id="{link}"/></route>')
        return self.write("spine.xml", "<?xml version='1.0'?>\n"
                          '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                          '<platform version="4.1"><zone id="z" routing="Full">\n' + "\n".join(lines) +
                          "\n</zone></platform>\n")

    def answer(self, jobs, *arguments):
        found = harness.json_output("jobs", self.write("all.jobs", jobs), *arguments, "--json", "-")
        harness.validate(found, "tutti-jobs-1")
        self.assertEqual(len(found["pairs"]), 0 if "--no-pairs" in arguments else
                         len(found["jobs"]) * (len(found["jobs"]) - 1))
        for job in found["jobs"]:
            self.check_sums(job["alone"])
            self.check_sums(job["together"])
            self.assertAlmostEqual(job["slowdown"] * job["alone"]["step_s"] / job["together"]["step_s"], 1, delta=1e-9)
        return found

    def check_sums(self, times):
        last = times["last"]
        self.assertAlmostEqual((last["computing_s"] + last["core_wait_s"] + last["exposed_s"]) / times["total_s"], 1,
                               delta=1e-9)

    def check_as_alone(self, found):
        for job in found["jobs"]:
            self.assertAlmostEqual(job["slowdown"], 1, delta=1e-9)
            for key in ("computing_s", "exposed_s", "hidden_s"):
                self.assertAlmostEqual(job["together"]["last"][key], job["alone"]["last"][key],
                                       delta=1e-9 * job["alone"]["total_s"])
        self.assertTrue(all(abs(pair["slowdown"] - 1) <= 1e-9 for pair in found["pairs"]))

    def near(self, found, expected, share=1e-9):
        self.assertAlmostEqual(found / expected, 1, delta=share)


class WithoutACommonLink(Case):
    def jobs(self, first, second):
        self.write("a.step", "layout dp\nrepeat 3 { beside allgather whole 4MB on dp; compute 1ms; wait dp\n"
                   "allreduce whole 1MB on dp }")
        self.write("b.step", "layout tp 2, dp\ncompute 0.3ms\nalltoall whole 2MB on dp\nallreduce whole 512KiB on tp")
        return f"job a = a.step on {first}\njob b = b.step on {second} start 10us"

    def test_on_different_leaf_switches(self):
        # infiniband_hdr_128 has leaf switches of 16 hosts.
        platform = ["--platform", harness.SOURCE_DIR / "platforms/infiniband_hdr_128.xml"]
        found = self.answer(self.jobs("hosts 0..15", "hosts 16..31"), *platform)
        self.check_as_alone(found)
        self.assertEqual(found["shared_links"], [])
        self.assertFalse(any(pair["meets"] for pair in found["pairs"]))
        step = harness.json_output("step", self.path / "a.step", "-p", 16, *platform, "--json", "-")
        self.near(found["jobs"][0]["alone"]["total_s"], step["total_s"])
        self.near(found["jobs"][0]["together"]["total_s"], step["total_s"])
        self.near(found["jobs"][0]["together"]["last"]["exposed_s"], step["last"]["exposed_s"])
        # On the same leaf switch, too, each host has links of its own.
        self.check_as_alone(self.answer(self.jobs("hosts 0,2..8*2", "hosts 1..9*3,11"), *platform))

    def test_on_gpus_of_different_nodes_below_one_switch(self):
        found = self.answer(self.jobs("nodes 0..1", "nodes 2,3"), "--gpu", "h100")
        self.check_as_alone(found)
        self.assertEqual([job["ranks"] for job in found["jobs"]], [16, 16])
        self.assertEqual(found["jobs"][1]["hosts"], list(range(16, 32)))
        step = harness.json_output("step", self.path / "a.step", "-p", 16, "--gpu", "h100", "--json", "-")
        self.near(found["jobs"][0]["together"]["total_s"], step["total_s"])

    def test_a_job_with_several_ranks_on_each_host(self):
        self.write("a.step", "layout dp\nallreduce whole 1MB on dp")
        platform = ["--platform", harness.SOURCE_DIR / "platforms/infiniband_hdr_128.xml", "--ranks-per-host", 2]
        found = self.answer("job a = a.step on hosts 0..3\njob b = a.step on hosts 16..19", *platform)
        self.check_as_alone(found)
        self.assertEqual(found["jobs"][1]["ranks"], 8)
        step = harness.json_output("step", self.path / "a.step", "-p", 8, *platform, "--json", "-")
        self.near(found["jobs"][1]["together"]["total_s"], step["total_s"])


class OnOneSpine(Case):
    """A ring sends one message of SENT bytes in each direction over the spine. An alltoall of two hosts on each side
    sends four of EACH bytes in each direction at the same time."""

    SENT, EACH = 20e6, 10e6

    def setUp(self):
        super().setUp()
        self.platform = ["--platform", self.spine(), *UNLIMITED]
        self.write("ring.step", f"layout dp 2\nalgorithm allgather ring\nallgather whole {2 * self.SENT:.0f}B on dp")
        self.write("all.step", "layout ep 4\nalgorithm alltoall linear\n"
                   f"alltoall whole {4 * self.EACH:.0f}B on ep")

    def jobs(self, more="", ring_more=""):
        return f"job ring = ring.step on hosts 0,4 {ring_more}\njob all = all.step on hosts 1,2,5,6 {more}\n"

    def test_five_messages_share_the_link_until_the_short_ones_are_over(self):
        found = self.answer(self.jobs(), *self.platform)
        ring, other = found["jobs"]
        self.near(ring["alone"]["total_s"], LATENCY + self.SENT / RATE)
        self.near(other["alone"]["total_s"], LATENCY + 4 * self.EACH / RATE)
        # The four short messages take 5 * EACH / RATE. The ring then has the link to itself.
        self.near(other["together"]["total_s"], LATENCY + 5 * self.EACH / RATE)
        self.near(ring["together"]["total_s"], LATENCY + (4 * self.EACH + self.SENT) / RATE)
        self.near(found["total_s"], LATENCY + (4 * self.EACH + self.SENT) / RATE)
        self.assertEqual({link["name"] for link in found["shared_links"]}, {"there", "back"})
        for link in found["shared_links"]:
            of_ring, of_all = link["jobs"]
            self.assertEqual((of_ring["job"], of_all["job"]), ("ring", "all"))
            self.assertEqual((of_ring["bytes"], of_all["bytes"]), (self.SENT, 4 * self.EACH))
            self.assertAlmostEqual(of_ring["lost_alone_s"], 0)
            self.near(of_ring["lost_s"], 4 * self.EACH / RATE)
            self.near(of_all["lost_alone_s"], 4 * 3 * self.EACH / RATE)
            self.near(of_all["lost_s"], 4 * 4 * self.EACH / RATE)
        slower = {(pair["job"], pair["beside"]): pair for pair in found["pairs"]}
        self.near(slower["ring", "all"]["slowdown"], ring["slowdown"])
        self.near(slower["all", "ring"]["slowdown"], other["slowdown"])
        self.assertIn(slower["ring", "all"]["link"], ("there", "back"))
        self.near(slower["ring", "all"]["lost_s"], 4 * self.EACH / RATE)

    def test_a_job_that_starts_later(self):
        # The alltoall has the link to itself until the ring starts. It then has 4 of 5 shares.
        start_s = 10e-3
        found = self.answer(self.jobs(ring_more="start 10ms"), *self.platform)
        ring, other = found["jobs"]
        self.near(ring["start_s"], start_s)
        left = self.EACH - start_s * RATE / 4
        self.near(other["together"]["total_s"], LATENCY + start_s + 5 * left / RATE)
        self.near(ring["together"]["total_s"], LATENCY + (4 * left + self.SENT) / RATE)
        self.near(ring["alone"]["total_s"], LATENCY + self.SENT / RATE)
        # With the start behind the end of the other job, nothing is shared at the same time.
        self.check_as_alone(self.answer(self.jobs(ring_more="start 50ms"), *self.platform))

    def test_repeats_follow_each_other(self):
        found = self.answer(self.jobs(more="repeat 3"), *self.platform)
        ring, other = found["jobs"]
        self.assertEqual((other["begun"], other["steps"], ring["steps"]), (3, 3, 1))
        self.near(other["alone"]["total_s"], 3 * (LATENCY + 4 * self.EACH / RATE))
        self.near(other["alone"]["step_s"], LATENCY + 4 * self.EACH / RATE)
        # The link is busy but for latencies.
        self.near(other["together"]["total_s"], (12 * self.EACH + self.SENT) / RATE + 3 * LATENCY, 1e-4)
        self.near(ring["slowdown"], 5 * self.SENT / self.SENT, 1e-3)

    def test_a_job_beside_two_others(self):
        far = "job far = ring.step on hosts 3\n".replace("ring.step", "idle.step")
        self.write("idle.step", "layout dp 1\ncompute 5ms")
        found = self.answer(self.jobs() + far, *self.platform)
        slower = {(pair["job"], pair["beside"]): pair for pair in found["pairs"]}
        two = self.answer(self.jobs(), *self.platform)
        self.near(slower["ring", "all"]["slowdown"], two["jobs"][0]["slowdown"])
        self.near(slower["all", "ring"]["slowdown"], two["jobs"][1]["slowdown"])
        self.assertEqual([slower[pair]["meets"] for pair in (("far", "all"), ("ring", "far"), ("ring", "all"))],
                         [False, False, True])
        third = self.answer(self.jobs() + "job third = ring.step on hosts 3,7\n", *self.platform)
        slower = {(pair["job"], pair["beside"]): pair for pair in third["pairs"]}
        self.near(slower["ring", "third"]["slowdown"], (LATENCY + 2 * self.SENT / RATE) / (LATENCY + self.SENT / RATE))
        self.near(slower["ring", "all"]["slowdown"], two["jobs"][0]["slowdown"])
        # Six messages share the link with all jobs.
        self.near(third["jobs"][1]["together"]["total_s"], LATENCY + 6 * self.EACH / RATE)


class UntilAnotherJobEnds(Case):
    def setUp(self):
        super().setUp()
        self.write("long.step", "layout dp 2\ncompute 10.5ms")
        self.write("short.step", "layout dp 2\ncompute 1ms")
        self.write("exact.step", "layout dp 2\ncompute 10ms")

    def steps(self, jobs, *arguments):
        found = self.answer(jobs, "--platform", self.spine(), *UNLIMITED, *arguments)
        return {job["name"]: (job["begun"], job["steps"]) for job in found["jobs"]}, found

    def test_steps_that_begin_before_the_end_are_carried_out(self):
        steps, found = self.steps("job a = long.step on hosts 0,1\njob b = short.step on hosts 2,3 repeat until a")
        self.assertEqual(steps, {"a": (1, 1), "b": (11, 10)})
        self.near(found["jobs"][1]["together"]["total_s"], 10e-3)
        self.near(found["total_s"], 11e-3)
        # A step does not begin at the end, whatever the rounding.
        steps, _ = self.steps("job a = exact.step on hosts 0,1\njob b = short.step on hosts 2,3 repeat until a")
        self.assertEqual(steps["b"], (10, 10))
        steps, _ = self.steps("job a = long.step on hosts 0,1 start 3ms repeat 2\n"
                              "job b = short.step on hosts 2,3 start 0.2ms repeat until a")
        self.assertEqual(steps["b"], (24, 23))

    def test_a_step_that_is_longer_than_the_other_job_counts(self):
        steps, found = self.steps("job a = short.step on hosts 0,1\njob b = long.step on hosts 2,3 repeat until a")
        self.assertEqual(steps["b"], (1, 1))
        self.near(found["jobs"][1]["together"]["total_s"], 10.5e-3)

    def test_chains(self):
        steps, _ = self.steps("job c = short.step on hosts 4,5 repeat until b\n"
                              "job b = exact.step on hosts 2,3 repeat until a\njob a = long.step on hosts 0,1")
        self.assertEqual(steps, {"a": (1, 1), "b": (2, 1), "c": (20, 20)})

    def test_traffic_that_makes_the_other_job_longer(self):
        # A message of 20 MB beside short ones of 1 MB: each gets half of the link. It takes 40 ms, in which 20 short
        # ones pass, but for their latencies; alone, only 10 would.
        self.write("message.step", "layout dp 2\nalgorithm allgather ring\nallgather whole 40MB on dp")
        self.write("small.step", "layout dp 2\nalgorithm allgather ring\nallgather whole 2MB on dp")
        steps, found = self.steps("job a = message.step on hosts 0,4\n"
                                  "job b = small.step on hosts 1,5 repeat until a\n"
                                  "job c = small.step on hosts 2,3 repeat until b\n")
        self.assertIn(steps["b"], {(20, 19), (20, 20), (21, 20)})
        self.near(found["jobs"][0]["together"]["total_s"], 40e-3, 2e-3)
        self.near(found["jobs"][1]["slowdown"], 2, 3e-3)
        # Without other traffic, each of the small messages takes 1 us on the other links.
        self.assertGreater(steps["c"][0], 20000)


class BothEngines(Case):
    @harness.without_sanitizers
    def test_random_pairs(self):
        collectives = ["allgather", "allreduce", "reduce_scatter", "alltoall", "bcast"]
        for name, hosts in some_of((("infiniband_hdr_128_thin", 128), ("torus_64", 64), ("slingshot_128", 128),
                                    ("ethernet_1g_32", 32)), 4):
            draw = random.Random(f"7 {name}")
            platform = harness.SOURCE_DIR / "platforms" / f"{name}.xml"
            for _ in range(int(os.environ.get("TUTTI_TEST_PAIRS", "1"))):
                there = draw.sample(range(hosts), 12)
                for job in "ab":
                    body = []
                    for _ in range(draw.randint(2, 4)):
                        what = draw.choice(collectives)
                        beside = draw.choice(["", "beside "])
                        body.append(f"{beside}{what} whole {draw.randint(1, 64) * 12 * 1024}B on "
                                    f"{draw.choice(['dp', 'tp', 'all'])}")
                        body.append(f"compute {draw.randint(0, 200)}us")
                    self.write(f"{job}.step", "layout tp 2, dp\n" + "\n".join(body))
                jobs = (f"job a = a.step on hosts {','.join(map(str, there[:8]))} repeat {draw.randint(1, 3)}\n"
                        f"job b = b.step on hosts {','.join(map(str, there[8:]))} start {draw.randint(0, 300)}us "
                        f"{draw.choice(['', 'repeat 2', 'repeat until a'])}\n")
                with self.subTest(platform=name, jobs=jobs):
                    found = self.answer(jobs, "--platform", platform, "--engine", "both", "--ports",
                                        draw.choice(["1", "unlimited"]))
                    self.assertLess(found["engines_differ"], 1e-9)

    def test_simgrid_alone(self):
        self.write("a.step", "layout dp 2\nalgorithm allgather ring\nallgather whole 4MB on dp")
        jobs = "job a = a.step on hosts 0,4\njob b = a.step on hosts 1,5\n"
        flow = self.answer(jobs, "--platform", self.spine(), *UNLIMITED)
        simgrid = self.answer(jobs, "--platform", self.spine(), *UNLIMITED, "--engine", "simgrid")
        self.near(simgrid["jobs"][0]["slowdown"], flow["jobs"][0]["slowdown"])
        self.assertEqual(simgrid["shared_links"], [])


class Slower(Case):
    def test_computing_of_each_job_is_slower_beside_its_own_communication(self):
        text = "layout dp 2\nalgorithm allgather ring\n{}beside allgather whole 4MB on dp\ncompute 10ms"
        self.write("a.step", text.format("stream dp shares compute by 1.5\n"))
        self.write("b.step", text.format(""))
        self.write("c.step", text.format("stream dp shares compute by 1.25\n"))
        found = self.answer("job b = b.step on hosts 1,5\njob a = a.step on hosts 0,4\njob c = c.step on hosts 2,6\n",
                            "--platform", self.spine(), *UNLIMITED)
        b, a, c = found["jobs"]
        message_s, shared_s = LATENCY + 2e6 / RATE, LATENCY + 3 * 2e6 / RATE
        self.near(b["together"]["total_s"], 10e-3)
        self.near(a["alone"]["total_s"], 10e-3 + message_s * (1 - 1 / 1.5))
        self.near(a["together"]["total_s"], 10e-3 + shared_s * (1 - 1 / 1.5))
        self.near(c["together"]["total_s"], 10e-3 + shared_s * (1 - 1 / 1.25))


if __name__ == "__main__":
    harness.main()
