"""Compares the messages of a real MPICH, pair by pair, with the schedules that `tutti choose` names: for each
forced algorithm that tutti knows by name, and for MPICH's own choices."""

import itertools
import json
import os
import unittest

from launch import SOURCE_DIR, TUTTI, main
from script_main import ALL_CASES
from traffic_tables import (MPICH_TRAFFIC, ROOTED, choice, difference, oldest_algorithms,
                            mpich_traffic, scheduled, tutti)

# The slow run tries all numbers of ranks and sizes; the fast run tries some.
RANKS = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16] if ALL_CASES else [6, 8]
NAMES = [(collective, name, ours) for collective, _, name, ours in oldest_algorithms("MPICH")]
BLOCKS = ("allgather", "alltoall", "gather", "scatter",
          "reduce_scatter_block")  # MPI requires equal blocks in these collectives
NONCOMMUTATIVE = "MPIR_Reduce_scatter_intra_noncommutative"  # for equal blocks only
POWERS_ONLY = ("MPIR_Allgather_intra_recursive_doubling", NONCOMMUTATIVE,
               "MPIR_Allgatherv_intra_recursive_doubling",
               "MPIR_Reduce_scatter_block_intra_noncommutative")
# In these algorithms MPICH omits empty messages. Tutti's schedules contain them, so that the schedule does
# not depend on sizes.
LEAVES_OUT_EMPTY = ("MPIR_Allgatherv_intra_ring", "MPIR_Alltoallv_intra_scattered",
                    "MPIR_Gatherv_allcomm_linear", "MPIR_Scatterv_allcomm_linear")
BUILT_IN = SOURCE_DIR / "examples/decisions/mpich_4.0.json"


def power_below(ranks):
    return 1 << (ranks.bit_length() - 1)


def sizes(collective, ranks):
    """Returns six sizes in bytes, or two in the fast run. If MPI does not require equal blocks, half of the
    sizes are not divisible by the number of ranks."""
    if collective == "barrier":
        return [0]
    if collective in BLOCKS:
        blocks = [1, 7, 512, 3, 999, 5000]
        return [4 * ranks * block for block in (blocks if ALL_CASES else blocks[1:3])]
    even = ranks * power_below(ranks)
    counts = [even, 10 * even, 100 * even, 1, 997, 8191]
    return [4 * count for count in (counts if ALL_CASES else [10 * even, 997])]


def roots(collective, ranks):
    """Returns the roots to try. Rank 1 is one of them, because a reduction may fold the data of rank 1 into
    another rank."""
    if collective not in ROOTED:
        return [0]
    return sorted({0, 1, ranks - 1} if ALL_CASES else {1, ranks - 1})


def leaf_file(collective, name):
    """Writes a rule file in which the tree of one collective is a single leaf, the given algorithm."""
    with open("base.json", encoding="utf-8") as file:
        rules = json.load(file)
    tree = rules[f"collective={collective}"]
    leaf = {f"algorithm={name}": {}}
    # exscan, gatherv and scatterv have no variant for intercommunicators, so their tree is a leaf.
    rules[f"collective={collective}"] = ({**tree, "comm_type=intra": leaf} if "comm_type=intra" in tree
                                         else leaf)
    path = f"leaf_{name}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(rules, file)
    return path


@unittest.skipUnless(MPICH_TRAFFIC, "the counter of MPICH's messages is not built: no UCX headers")
@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Traffic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        exported = tutti("decide", "barrier", "-p", 2, "--export", "mpich", "-o", "base.json")
        if exported.returncode != 0:
            raise AssertionError(exported.stderr)

    def test_forced_algorithms_send_the_same_messages(self):
        """Compares messages and bytes of every pair, for every name that tutti maps."""
        mapped = [(collective, name) for collective, name, ours in NAMES
                  if ours and not name.endswith("_tree")]  # MPICH has these from 4.1 on
        self.assertGreaterEqual(len(mapped), 21)
        files = {name: leaf_file(collective, name) for collective, name in mapped}
        compared = {name: 0 for _, name in mapped}
        for ranks in RANKS:
            cells = []
            for collective, name in mapped:
                # In-place calls need equal blocks for all pairs.
                like = "alltoall" if name.endswith("sendrecv_replace") else collective
                for size in sizes(like, ranks):
                    if name == NONCOMMUTATIVE and size % (4 * ranks) != 0:
                        continue
                    chosen = choice(collective, files[name], ranks, size)
                    if chosen["runs"] is None:
                        # A leaf has no fallback. Either MPICH's algorithm works only if the number of ranks
                        # is a power of two, or tutti's algorithm must refuse this problem too.
                        if name not in POWERS_ONLY or ranks == power_below(ranks):
                            self.assertIsNone(scheduled(collective, chosen, ranks, size), name)
                        continue
                    for root in roots(collective, ranks):
                        ours = scheduled(collective, chosen, ranks, size, root,
                                         empty=name not in LEAVES_OUT_EMPTY)
                        cells.append(((collective, size, root, name), ours))
            for (call, sent), (cell, ours) in zip(mpich_traffic(ranks, [cell for cell, _ in cells]),
                                                  cells):
                with self.subTest(ranks=ranks, cell=cell):
                    self.assertEqual((call["collective"], call["bytes"], call["root"], call["id"]),
                                     cell)
                    self.assertEqual(difference(sent, ours), "")
                    compared[cell[3]] += 1
        for name, cells in compared.items():
            self.assertGreaterEqual(cells, 1, name)
        print(f"{sum(compared.values())} cells of {len(compared)} algorithms")

    def test_throttle_is_applied(self):
        """Compares the scattered all-to-all in batches of 1, 3 and 4 messages."""
        name = "MPIR_Alltoall_intra_scattered"
        for ranks, bound in itertools.product(RANKS, (1, 3, 4) if ALL_CASES else (3,)):
            size = 4 * ranks * 7
            chosen = {**choice("alltoall", leaf_file("alltoall", name), ranks, size)["runs"],
                      "throttle": bound}
            ours = scheduled("alltoall", chosen, ranks, size)
            launch = ["-genv", "MPIR_CVAR_ALLTOALL_THROTTLE", bound]
            [(_, sent)] = mpich_traffic(ranks, [("alltoall", size, 0, name)], launch)
            with self.subTest(ranks=ranks, bound=bound):
                self.assertEqual(difference(sent, ours), "")

    def test_trees_send_the_same_messages(self):
        """Compares MPICH's trees. MPICH 4.0 has them only in non-blocking collectives. A blocking collective
        calls its non-blocking variant if "nb" is forced as its algorithm."""
        trees = itertools.product(("kary", "knomial_1", "knomial_2"), (2, 3, 4, 7) if ALL_CASES else (2, 3))
        compared = 0
        for (tree, radix), ranks in itertools.product(trees, RANKS if ALL_CASES else RANKS[:1]):
            for chunk in (0, 4096) if ALL_CASES else (4096,):
                launch = []
                cells = []
                for collective, ours in (("bcast", "pipeline"), ("reduce", "pipeline"),
                                         ("allreduce", "tree")):
                    for variable, value in (("INTRA_ALGORITHM", "tsp_tree"), ("TREE_TYPE", tree),
                                            ("TREE_KVAL", radix), ("TREE_PIPELINE_CHUNK_SIZE", chunk)):
                        launch += ["-genv", f"MPIR_CVAR_I{collective.upper()}_{variable}", value]
                    taken = {"algorithm": ours, "tree": tree, "radix": radix, "cuts": "mpich",
                             "segment_bytes": chunk}
                    for size, root in itertools.product((4 * 5041, 4 * 7), roots(collective, ranks)):
                        cells.append(((collective, size, root, "nb"),
                                      scheduled(collective, taken, ranks, size, root)))
                lines = mpich_traffic(ranks, [cell for cell, _ in cells], launch)
                for (_, sent), (cell, ours) in zip(lines, cells):
                    with self.subTest(ranks=ranks, tree=tree, radix=radix, chunk=chunk, cell=cell):
                        self.assertEqual(difference(sent, ours), "")
                        compared += 1
        print(f"{compared} cells of trees")

    def test_built_in_choices_match_the_table(self):
        """MPICH's own choice for 13 sizes of each collective must match the table of built-in decisions in
        examples/decisions. If tutti lacks the chosen algorithm, the table must say so."""
        # Sizes in bytes on both sides of the thresholds in MPICH's selection trees.
        vectors = [4, 8, 12, 60, 2048, 2052, 12288, 12292, 81916, 81920, 524284, 524288, 600004]
        blocks = [4, 8, 60, 256, 260, 2048, 5460, 10236, 10244, 32768, 32772, 65532, 65536]
        compared = 0
        unknown = set()
        for ranks in RANKS:
            cells = []
            for collective in ("allreduce", "reduce", "bcast", "reduce_scatter", "barrier", *BLOCKS[:4]):
                own = [0] if collective == "barrier" else vectors
                if collective in BLOCKS:
                    own = [ranks * block for block in blocks]
                for size in own if ALL_CASES else own[1::4] or own:
                    chosen = choice(collective, BUILT_IN, ranks, size)
                    if "algorithm" not in chosen:
                        unknown.add(chosen["library_algorithm"])
                        continue
                    root = roots(collective, ranks)[-1]
                    cells.append(((collective, size, root, ""),
                                  scheduled(collective, chosen, ranks, size, root)))
            for (_, sent), (cell, ours) in zip(mpich_traffic(ranks, [cell for cell, _ in cells]), cells):
                with self.subTest(ranks=ranks, cell=cell):
                    self.assertEqual(difference(sent, ours), "")
                    compared += 1
        self.assertEqual(unknown, set())
        print(f"{compared} cells by MPICH's own choice")


if __name__ == "__main__":
    main()
