"""Tests random placements of ranks: --placement random:SEED, and decide --placements."""

import pathlib
import tempfile
import unittest

import harness

PLATFORMS = harness.SOURCE_DIR / "platforms"
THIN = PLATFORMS / "infiniband_hdr_128_thin.xml"
BY_SIMGRID = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Dijkstra">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="thin" bandwidth="1GBps" latency="1us"/>
<link id="wide" bandwidth="10GBps" latency="1us"/>
<route src="b" dst="c"><link_ctn id="wide"/></route>
<route src="a" dst="b"><link_ctn id="thin"/></route>
<route src="a" dst="c"><link_ctn id="thin"/></route>
</zone>
</platform>
"""


def mixed_bits(value):
    """Returns the output of splitmix64 for `value`, as in sim/random_part.hpp."""
    mask = (1 << 64) - 1
    value = (value + 0x9e3779b97f4a7c15) & mask
    value = ((value ^ (value >> 30)) * 0xbf58476d1ce4e5b9) & mask
    value = ((value ^ (value >> 27)) * 0x94d049bb133111eb) & mask
    return value ^ (value >> 31)


def drawn(count, of, seed):
    order = list(range(of))
    for i in range(count):
        other = i + mixed_bits(mixed_bits(seed) ^ mixed_bits(i)) % (of - i)
        order[i], order[other] = order[other], order[i]
    return sorted(order[:count])


class Placements(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def without_wall(self, *arguments):
        """Returns the output of a command as one line, without the wall time at its end."""
        return " ".join(harness.output(*arguments).split()).partition(" emit ")[0]

    def result(self, *arguments):
        found = harness.json_output("simulate", "allreduce/ring", "-n", "64K", *arguments, "--json",
                                    "-")
        harness.validate(found, "tutti-result-1")
        return found

    def test_hosts_depend_only_on_the_seed(self):
        for seed in (0, 7, 4294967295):
            for per_host in (1, 4):
                found = self.result("-p", 32, "--platform", THIN, "--ranks-per-host", per_host,
                                    "--placement", f"random:{seed}")
                hosts = drawn(32 // per_host, 128, seed)
                self.assertEqual(found["hosts"]["of_ranks"],
                                 [f"node-{hosts[rank // per_host]}" for rank in range(32)])
                self.assertEqual(found["hosts"]["from"], f"--placement random:{seed}")
                # If --hosts names these hosts, the run must take the same time.
                named = self.result("-p", 32, "--platform", THIN, "--ranks-per-host", per_host,
                                    "--hosts", ",".join(f"node-{host}" for host in hosts))
                self.assertEqual(found["simulated_s"], named["simulated_s"])
        self.assertTrue(set(drawn(8, 128, 7)) < set(drawn(16, 128, 7)))

    def test_every_command_that_runs_a_machine_takes_a_random_placement(self):
        at = ["-p", 4, "-n", "8K", "--platform", THIN]
        hosts = ",".join(f"node-{host}" for host in drawn(4, 128, 3))
        csv = self.folder / "runs.csv"
        csv.write_text("collective,ranks,bytes,tutti,median_us\nallreduce,4,8192,ring,50\n")
        ring = ["allreduce/ring", *at]
        for command in (["simulate", *ring], ["explain", *ring], ["show", *ring, "--format", "stats"],
                        ["compare", "allreduce", *at, "--algorithms", "ring"],
                        ["decide", "allreduce", *at],
                        ["validate", csv, "--platform", THIN],
                        ["score", csv, "--platform", THIN]):
            with self.subTest(command=command[0]):
                by_name = self.without_wall(*command, "--hosts", hosts)
                drawn_here = self.without_wall(*command, "--placement", "random:3")
                self.assertNotEqual(drawn_here, self.without_wall(*command))
                for text in ("the hosts of --hosts", "those of --hosts, from the first on, "
                             "as many as needed"):
                    by_name = by_name.replace(text, "X")
                for text in ("the hosts drawn by --placement random:3",
                             "drawn by --placement random:3, in the platform's order"):
                    drawn_here = drawn_here.replace(text, "X")
                self.assertEqual(drawn_here, by_name)
        self.assertEqual(self.without_wall("simulate", *ring, "--placement", "by-switch"),
                         self.without_wall("simulate", *ring, "--placement", "switch"))

    def test_random_placements_on_platforms_that_only_simgrid_loads(self):
        platform = self.folder / "world.xml"
        platform.write_text(BY_SIMGRID)
        seeds = {tuple(drawn(2, 3, seed)): seed for seed in range(20)}
        far = self.result("-p", 2, "--platform", platform, "--placement", f"random:{seeds[(0, 1)]}")
        near = self.result("-p", 2, "--platform", platform, "--placement", f"random:{seeds[(1, 2)]}")
        self.assertEqual(near["hosts"]["of_ranks"], ["b", "c"])
        self.assertGreater(far["simulated_s"], 2 * near["simulated_s"])

    def test_a_database_distinguishes_seeds(self):
        words = ["compare", "bcast", "-p", "4,8", "-n", "64K", "--platform", THIN, "--db",
                 self.folder / "all.db", "--algorithms", "linear"]
        texts = {seed: harness.output(*words, "--placement", f"random:{seed}") for seed in (1, 2)}
        for seed, text in texts.items():
            self.assertEqual(harness.run(*words, "--placement", f"random:{seed}").stdout, text)
        rows = harness.json_output("query", self.folder / "all.db", "--json", "-")
        harness.validate(rows, "tutti-query-1")
        self.assertEqual({row["placement"] for row in rows["rows"]}, {"random:1", "random:2"})
        self.assertIn("placement random:1", harness.output("query", self.folder / "all.db"))

    def test_a_decision_takes_the_mean_over_placements(self):
        at = ["decide", "allreduce", "-p", "4,16", "-n", "8K,1MiB", "--platform", THIN,
              "--algorithms", "ring,recursive_doubling,rabenseifner", "--crossover", "0",
              "--tolerance", "0", "--all"]
        several = harness.json_output(*at, "--placements", 5, "--seed", 11, "--json", "-")
        harness.validate(several, "tutti-decide-2")
        alone = [harness.json_output(*at, "--placement", f"random:{11 + k}", "--json", "-")
                 for k in range(5)]

        def times(found):
            return {(cell["ranks"], cell["bytes"]): {time["candidate"]: time["seconds"]
                                                    for time in cell["times"]}
                    for cell in found["cells"]}

        means, each = times(several), [times(one) for one in alone]
        self.assertEqual(several["placements"]["count"], 5)
        self.assertEqual(several["placements"]["first_seed"], 11)
        self.assertEqual(len(several["placements"]["cells"]), 4)
        for cell in several["placements"]["cells"]:
            place = (cell["ranks"], cell["bytes"])
            own = [one[place] for one in each]
            for candidate, mean_s in means[place].items():
                self.assertAlmostEqual(mean_s * 5 / sum(one[candidate] for one in own), 1, places=12)
            choice = cell["candidate"]
            self.assertEqual(choice, min(means[place], key=means[place].get))
            chosen = [one[choice] for one in own]
            best = [min(one.values()) for one in own]
            losses = [a / b - 1 for a, b in zip(chosen, best)]
            self.assertAlmostEqual(cell["mean_loss"], sum(chosen) / sum(best) - 1, places=9)
            self.assertAlmostEqual(cell["most_loss"], max(losses), places=9)
            self.assertAlmostEqual(cell["least_s"], min(chosen))
            self.assertAlmostEqual(cell["most_s"], max(chosen))
            if cell["worst_seed"] is not None:
                self.assertAlmostEqual(losses[cell["worst_seed"] - 11], max(losses), places=9)
            self.assertEqual(sum(one["placements"] for one in cell["winners"]), 5)
            self.assertEqual(cell["choice_wins"],
                             sum(loss < 1e-9 for loss in losses))
            for winner in cell["winners"]:
                name = winner["candidate"]
                self.assertEqual(winner["placements"],
                                 sum(one[name] <= least * (1 + 1e-9) and
                                     (name == choice or chosen[k] > least * (1 + 1e-9))
                                     for k, (one, least) in enumerate(zip(own, best))))
        text = " ".join(harness.output(*at, "--placements", 5, "--seed", 11).split())
        self.assertIn("Over 5 random placements", text)
        self.assertIn("seeds 11 to 15", text)

    def test_tables_and_rules_take_the_mean_over_placements(self):
        at = ["decide", "allreduce", "-p", 16, "-n", "64K", "--platform", THIN, "--placements", 3]
        rules = harness.output(*at, "--export", "ompi4", "-o", "-")
        self.assertIn("the mean of 3 random placements", rules)
        table = harness.SOURCE_DIR / "examples" / "decisions" / "open_mpi_4.1.json"
        judged = harness.json_output(*at, "--against", table, "--json", "-")
        alone = [harness.json_output(*at[:-2], "--placement", f"random:{seed}", "--against", table,
                                     "--json", "-") for seed in (1, 2, 3)]
        self.assertAlmostEqual(
            judged["against"]["cells"][0]["seconds"] * 3 /
            sum(one["against"]["cells"][0]["seconds"] for one in alone), 1, places=9)


if __name__ == "__main__":
    harness.main()
