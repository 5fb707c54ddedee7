"""Compares the messages of MPICH's compositions on several nodes with tutti's hierarchies, pair by pair.
MPIR_CVAR_NUM_CLIQUES makes MPICH see several nodes on one machine; ranks are assigned to nodes in blocks or
in turn."""

import json
import os
import shlex
import unittest

from launch import TUTTI, main
from script_main import ALL_CASES
from traffic_tables import (ELEMENT_BYTES, MPICH_TRAFFIC, ROOTED, difference, mpich_traffic,
                            pairs_shown, released, tutti)

# (ranks, nodes, True if ranks are assigned to nodes in blocks). MPICH calls these nodes cliques. In some
# jobs, the nodes have different numbers of ranks.
SHAPES = [(6, 3, True), (7, 3, False), (8, 2, True), (9, 4, True)]
if ALL_CASES:
    SHAPES += [(4, 2, True), (5, 2, False), (7, 3, True), (8, 4, False), (12, 3, True), (16, 2, True),
               (16, 4, False)]


def nodes_of(ranks, cliques, blocks):
    """Returns the ranks of each node, as build_nodemap_byblock and build_nodemap_roundrobin of MPICH's
    mpir_pmi.c assign them."""
    if not blocks:
        return [list(range(node, ranks, cliques)) for node in range(cliques)]
    nodes, first = [], 0
    for node in range(cliques):
        size = ranks // cliques + (1 if node < ranks % cliques else 0)
        nodes.append(list(range(first, first + size)))
        first += size
    return nodes


def power_of_two(number):
    return number & (number - 1) == 0


def bcast_among(ranks, size):
    """Returns the algorithm (tutti's name) that MPIR_Bcast_allcomm_auto chooses by MPICH's built-in
    decisions."""
    if size < 12288 or ranks < 8:
        return "binomial"
    return ("scatter_doubling" if size < 524288 and power_of_two(ranks) else "scatter_allgather")


def parts(collective, shape, size):
    """Returns (--composition, --within, --across) for MPICH's built-in decisions. Returns None if MPICH
    chooses a flat algorithm, or different algorithms for different groups."""
    ranks, cliques, _ = shape
    sizes = {len(node) for node in nodes_of(*shape)}
    if collective == "barrier":
        return "mpich_alpha", "dissemination+binomial", "dissemination"
    if collective == "bcast":
        if ranks < 8 or size < 12288:
            composition = "mpich_alpha"
        elif size < 524288 and power_of_two(ranks):
            composition = "mpich_beta"
        else:
            return None
        within = {bcast_among(each, size) for each in sizes}
        return (composition, within.pop(), bcast_among(cliques, size)) if len(within) == 1 else None
    small = size <= 2048
    if collective == "reduce":
        part = "binomial" if small else "reduce_scatter_gather"
        return "mpich_beta" if small else "mpich_alpha", part, part
    within = {("binomial" if small else "reduce_scatter_gather") + "+" + bcast_among(each, size)
              for each in sizes}
    if len(within) > 1:
        return None
    few = size <= 8 or size // ELEMENT_BYTES < 1 << (cliques.bit_length() - 1)
    return "", within.pop(), "recursive_doubling" if few else "reduce_scatter_allgather"


def ours(collective, shape, size, root):
    chosen = parts(collective, shape, size)
    if chosen is None:
        return None
    composition, within, across = chosen
    groups = "/".join("+".join(map(str, node)) for node in nodes_of(*shape))
    options = ["--groups", groups, "--within", within, "--across", across]
    if composition:
        options += ["--composition", composition]
    if collective in ROOTED:
        options += ["--root", root]
    if collective != "barrier":
        options += ["-n", size]
    shown = tutti("show", f"{collective}/hierarchical", "-p", shape[0], "--elem-bytes",
                  ELEMENT_BYTES, "--format", "json", *options)
    if shown.returncode != 0:
        raise AssertionError(shown.args, shown.stderr)
    pairs = pairs_shown(shown.stdout)
    return released(pairs, nodes_of(*shape)) if collective == "barrier" else pairs


def chosen_by_itself(collective, ranks, per_node, size, root):
    """Returns the messages of the schedule that `tutti choose --library` names, or None if it names none."""
    made = tutti("choose", collective, "-p", ranks, "-n", size, "--elem-bytes", ELEMENT_BYTES,
                 "--library", "MPICH 4.0.2", "--ranks-per-host", per_node, "--json", "-")
    if made.returncode != 0:
        raise AssertionError(made.args, made.stderr)
    command = json.loads(made.stdout)["choices"][0]["command"]
    if command is None:
        return None
    words = shlex.split(command)[2:]
    if "--ranks-per-host" in words:
        at = words.index("--ranks-per-host")
        del words[at:at + 2]
    if collective in ROOTED:
        words += ["--root", root]
    shown = tutti("show", *words, "--format", "json")
    if shown.returncode != 0:
        raise AssertionError(shown.args, shown.stderr)
    pairs = pairs_shown(shown.stdout)
    if collective == "barrier" and per_node > 1:
        return released(pairs, nodes_of(ranks, ranks // per_node, True))
    return pairs


@unittest.skipUnless(MPICH_TRAFFIC, "the counter of MPICH's messages is not built: no UCX headers")
@unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
class Compositions(unittest.TestCase):
    def test_built_in_compositions(self):
        compared = 0
        for shape in SHAPES:
            ranks, cliques, blocks = shape
            # Sizes are in bytes. Every algorithm cuts a vector whose size is a multiple of `4 * even` into
            # equal parts.
            even = 5040 * 16
            cells = [("barrier", 0, 0)]
            for size in (4, 400, 2048, 4 * even, 12000, 16384, 4 * 8 * even):
                cells.append(("allreduce", size, 0))
                for root in sorted({0, 1, ranks // 2, ranks - 1}):
                    cells += [("bcast", size, root), ("reduce", size, root)]
            cells = [cell for cell in cells
                     if cell[0] == "bcast" or cell[1] <= 2048 or cell[1] % even == 0]
            expected = [ours(cell[0], shape, *cell[1:]) for cell in cells]
            cells = [cell for cell, pairs in zip(cells, expected) if pairs is not None]
            expected = [pairs for pairs in expected if pairs is not None]
            lines = mpich_traffic(ranks, [(*cell, "") for cell in cells], nodes=(cliques, blocks))
            for (_, sent), cell, pairs in zip(lines, cells, expected):
                with self.subTest(shape=shape, cell=cell):
                    self.assertEqual(difference(sent, pairs), "")
                    compared += 1
        print(f"{compared} cells")

    def test_messages_match_those_of_choose(self):
        """Tries sizes on both sides of every change of composition or algorithm, and several numbers of ranks
        per node. All nodes have the same number of ranks, as `choose` assumes."""
        compared = {}
        for ranks, per_node in [(8, 4), (8, 8), (12, 4)] + ([(8, 1), (16, 2), (6, 3)] if ALL_CASES else []):
            cells = [("barrier", 0, 0)]
            for size in (4, 8, 2048, 2052, 12284, 12288, 12292, 524284, 524288, 524292):
                cells += [("bcast", size, 0), ("reduce", size, 0), ("allreduce", size, 0)]
                # If all ranks are on one node, MPICH sends through rank 0, but tutti does not.
                if per_node < ranks:
                    cells += [("bcast", size, ranks - 1), ("reduce", size, ranks - 1)]
            for block in (4, 256, 260, 6824, 6828, 32768, 32772, 65532, 65536):
                size = block * ranks
                cells += [("allgather", size, 0), ("alltoall", size, 0), ("gather", size, 0),
                          ("scatter", size, 0), ("reduce_scatter", size, 0),
                          ("reduce_scatter_block", size, 0), ("allgatherv", size, 0)]
            cells += [("exscan", 4096, 0), ("scan", 4096, 0)]
            expected = [chosen_by_itself(collective, ranks, per_node, size, root)
                        for collective, size, root in cells]
            known = [at for at, pairs in enumerate(expected) if pairs is not None]
            lines = mpich_traffic(ranks, [(*cells[at], "") for at in known],
                                  nodes=(ranks // per_node, True) if per_node > 1 else None)
            for at, (_, sent) in zip(known, lines):
                with self.subTest(ranks=ranks, per_node=per_node, cell=cells[at]):
                    self.assertEqual(difference(sent, expected[at]), "")
                    compared[cells[at][0]] = compared.get(cells[at][0], 0) + 1
        for collective in ("barrier", "bcast", "reduce", "allreduce", "alltoall", "exscan"):
            self.assertGreaterEqual(compared.get(collective, 0), 2, collective)
        print(f"{sum(compared.values())} cells by MPICH's own choice")


if __name__ == "__main__":
    main()
