"""Compares the messages of a real MPICH with tutti's schedules, pair by pair, for algorithms in which each
round handles one digit of the ranks' numbers in a given radix. MPICH 4.0 has these algorithms only in
non-blocking collectives. A blocking collective calls its non-blocking variant if "nb" is forced as its
algorithm. An environment variable sets the radix."""

import os
import unittest

from launch import TUTTI, main
from script_main import ALL_CASES
from test_mpich_traffic import sizes
from traffic_tables import MPICH_TRAFFIC, difference, mpich_traffic, scheduled

# The slow run tries all numbers of ranks, radices and sizes; the fast run tries some.
RANKS = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16] if ALL_CASES else [5, 9]
RADICES = [2, 3, 4, 5, 8] if ALL_CASES else [3, 4]
# For each collective: (end of the name of the variable that sets the radix, MPICH's algorithm, tutti's equal
# algorithm).
NAMES = {
    "allgather": [("BRUCKS_KVAL", "tsp_brucks", "bruck_mirrored"),
                  ("RECEXCH_KVAL", "tsp_recexch_doubling", "recursive_exchange"),
                  ("RECEXCH_KVAL", "tsp_recexch_halving", "recursive_exchange_halving")],
    "alltoall": [("BRUCKS_KVAL", "tsp_brucks", "bruck")],
    "allreduce": [("RECEXCH_KVAL", "tsp_recexch_single_buffer", "recursive_exchange"),
                  ("RECEXCH_KVAL", "tsp_recexch_multiple_buffer", "recursive_exchange"),
                  ("RECEXCH_KVAL", "tsp_recexch_reduce_scatter_recexch_allgatherv",
                   "k_reduce_scatter_allgather")],
    "reduce_scatter": [("RECEXCH_KVAL", "tsp_recexch", "recursive_exchange")],
}
CUTS = {"k_reduce_scatter_allgather": "mpich"}


@unittest.skipUnless(MPICH_TRAFFIC, "the counter of MPICH's messages is not built: no UCX headers")
@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Digits(unittest.TestCase):
    def test_forced_algorithms_send_the_same_messages(self):
        """Compares messages and bytes of every pair, for every algorithm in NAMES."""
        compared = {(collective, name): 0 for collective, names in NAMES.items()
                    for _, name, _ in names}
        for ranks in RANKS:
            for radix in RADICES:
                # A job runs one algorithm of each collective, since MPICH reads the variables when the job
                # starts.
                for turn in range(max(map(len, NAMES.values()))):
                    forced = [(collective, *names[turn]) for collective, names in NAMES.items()
                              if turn < len(names)]
                    self.compare(ranks, radix, forced, compared)
        for name, cells in compared.items():
            self.assertGreaterEqual(cells, 2 * len(RANKS) * len(RADICES), name)
        print(f"{sum(compared.values())} cells of {len(compared)} algorithms")

    def compare(self, ranks, radix, forced, compared):
        launch = []
        cells = []
        for collective, kval, name, ours in forced:
            variable = f"MPIR_CVAR_I{collective.upper()}_"
            launch += ["-genv", f"{variable}INTRA_ALGORITHM", name, "-genv", variable + kval, radix]
            chosen = {"algorithm": ours, "radix": radix, "cuts": CUTS.get(ours)}
            cells += [((collective, size, 0, "nb"), name,
                       scheduled(collective, chosen, ranks, size))
                      for size in sizes(collective, ranks)]
        calls = [call for call, _, _ in cells]
        for (_, sent), (call, name, ours) in zip(mpich_traffic(ranks, calls, launch), cells):
            with self.subTest(ranks=ranks, radix=radix, call=call, name=name):
                self.assertEqual(difference(sent, ours), "")
                compared[call[0], name] += 1


if __name__ == "__main__":
    main()
