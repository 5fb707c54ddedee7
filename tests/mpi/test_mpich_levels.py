"""Tests that a real MPICH follows the composition files that tutti writes. Depending on the size, the number
of ranks and the ranks per node, these files decide whether MPICH uses its selection tree for all ranks."""

import json
import os
import subprocess
import unittest

from launch import TUTTI, main
from traffic_tables import MPICH_TRAFFIC, mpich_traffic

LEVEL_RULES = os.environ.get("TUTTI_LEVEL_RULES", "")
COMPOSITIONS = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
BLOCKS = (2, True)  # two nodes, with ranks in blocks


def written(*words):
    path = "_".join(map(str, words))
    with open(path, "w", encoding="ascii") as file:
        subprocess.run([LEVEL_RULES, *map(str, words)], stdout=file, check=True)
    return os.path.abspath(path)


def sent(ranks, calls, *launch, nodes=BLOCKS):
    return [pairs for _, pairs in mpich_traffic(ranks, [(*call, "") for call in calls],
                                                launch, nodes=nodes)]


def chosen(collective, ranks, size, nodes, path):
    """Returns the composition that `tutti choose` shows for a call with the file `path`: "alpha"."""
    done = subprocess.run([TUTTI, "choose", collective, "-p", str(ranks), "-n", str(size), "--elem-bytes", "4",
                           "--library", "MPICH 4.0.2", "--ranks-per-host", str(-(-ranks // nodes)),
                           "--table", path, "--json", "-"], capture_output=True, text=True, check=True, timeout=60)
    [call] = json.loads(done.stdout)["choices"]
    return call["path"][0]["chosen"].split(":")[0].rsplit("_", 1)[1]


@unittest.skipUnless(MPICH_TRAFFIC, "the counter of MPICH's messages is not built: no UCX headers")
class Levels(unittest.TestCase):
    CALLS = [("bcast", 16384, 0), ("bcast", 400, 3), ("allreduce", 4096, 0), ("reduce", 4096, 1),
             ("allgather", 4032, 0), ("alltoall", 4032, 0), ("gather", 4032, 0),
             ("scatter", 4032, 0), ("reduce_scatter", 4032, 0)]  # 4032 bytes are divisible into equal blocks

    def test_the_built_in_compositions_change_nothing(self):
        for ranks in (7, 8):
            self.assertEqual(sent(ranks, self.CALLS, "-genv", COMPOSITIONS, written("built_in", 400)),
                             sent(ranks, self.CALLS))

    def test_flat_uses_the_selection_tree_for_all_ranks(self):
        for ranks in (4, 7, 8):
            flat = sent(ranks, self.CALLS, "-genv", COMPOSITIONS, written("flat", 400))
            self.assertEqual(flat, sent(ranks, self.CALLS, "-genv", "MPIR_CVAR_DEVICE_COLLECTIVES",
                                        "none"))
            if ranks > 4:
                self.assertNotEqual(flat, sent(ranks, self.CALLS))

    def test_compositions_by_ranks_per_node_ranks_and_size(self):
        """With the file `composed`, bcast is flat for at most 2 ranks per node. With more ranks per node,
        bcast uses composition beta on fewer than 8 ranks. From 8 ranks on, it uses composition alpha below
        4096 bytes, and is flat from 4096 bytes on."""
        composed = ("-genv", COMPOSITIONS, written("composed", 400))
        forced = {letter: ("-genv", COMPOSITIONS, self.one("bcast", letter))
                  for letter in ("alpha", "beta", "gamma")}
        distinct = 0
        for ranks, nodes, size, letter in [(4, (2, True), 4000, "gamma"), (7, (2, True), 4000, "beta"),
                                           (8, (2, True), 4092, "alpha"),
                                           (8, (2, True), 4096, "gamma"), (8, (4, True), 400, "gamma"),
                                           (9, (4, True), 400, "alpha")]:
            calls = [("bcast", size, root) for root in (0, 1, ranks - 1)]
            with self.subTest(ranks=ranks, nodes=nodes, size=size):
                self.assertEqual(chosen("bcast", ranks, size, nodes[0], composed[2]), letter)
                ours = sent(ranks, calls, *composed, nodes=nodes)
                all_of = {which: sent(ranks, calls, *launch, nodes=nodes)
                          for which, launch in forced.items()}
                self.assertEqual(ours, all_of[letter])
                distinct += sum(ours != pairs for pairs in all_of.values())
        self.assertGreaterEqual(distinct, 6)

    @staticmethod
    def one(collective, letter):
        path = f"{collective}_{letter}"
        name = f"MPIDI_{collective.capitalize()}_intra_composition_{letter}"
        with open(path, "w", encoding="ascii") as file:
            file.write(f'{{"collective={collective}": {{"comm_type=intra": {{"comm_hierarchy=parent": '
                       f'{{"composition={name}": {{}}}}, "comm_hierarchy=any": {{"composition='
                       f'MPIDI_{collective.capitalize()}_intra_composition_gamma": {{}}}}}}}}}}\n')
        return os.path.abspath(path)

    def test_a_name_of_later_releases_ends_the_program(self):
        with self.assertRaises(AssertionError):
            sent(4, [("bcast", 400, 0)], "-genv", COMPOSITIONS, written("flat", 401))


if __name__ == "__main__":
    main()
