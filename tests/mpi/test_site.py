"""Tests that the real library loads every rule file that `tutti decide all` writes for a site. On both sides
of each boundary, every collective must send what the file implies, pair by pair, also with several ranks on a
node."""

import csv
import json
import os
import shutil
import subprocess
import unittest

from launch import OPEN_MPI, TUTTI, main
from traffic_tables import (MPICH_TRAFFIC, ROOTED, choice, difference, mpich_traffic, pairs_shown,
                            scheduled, tutti)

OMPI_TRAFFIC = os.environ.get("TUTTI_OMPI_TRAFFIC", "")
RANKS = (4, 7, 16)
PER_HOST = (1, 2)
BLOCKS = ("allgather", "alltoall", "gather", "scatter", "reduce_scatter_block")
# In these collectives, Open MPI sends no empty messages, but tutti's schedules contain them; see
# test_ompi_traffic.py.
EMPTY_LEFT_OUT = ("reduce_scatter", "allgatherv")
# MPICH sends no empty messages in these collectives; see test_mpich_traffic.py.
LEAVES_OUT_EMPTY = ("allgatherv", "alltoallv", "gatherv", "scatterv")


def exported(library, element_bytes):
    """Exports rules for the library. Returns the folder with the files, and the rows of its gains.csv."""
    folder = os.path.abspath(library.replace(" ", "_"))
    shutil.rmtree(folder, ignore_errors=True)
    done = tutti("decide", "all", "--library", library, "--ranks-per-host",
                 ",".join(map(str, PER_HOST)), "-p", ",".join(map(str, RANKS)), "-n",
                 "512..32KiB*8", "--elem-bytes", element_bytes, "-o", folder)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    with open(os.path.join(folder, "gains.csv"), encoding="utf-8", newline="") as file:
        return folder, list(csv.DictReader(file))


def bounds(rules):
    """Returns the sizes in bytes at which a rule of a table begins or ends."""
    found = set()
    for rule in rules:
        found |= {rule[key] for key in ("bytes_below", "bytes_from") if key in rule}
        found |= bounds(rule.get("then", []))
    return found


def boundaries(path):
    """Returns {collective: sizes at which a rule begins or ends} of a rule file, as `tutti lint` reads it."""
    done = tutti("lint", path, "--json", "-")
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return {table["collective"]: bounds(table["rules"])
            for table in json.loads(done.stdout)["files"][0]["tables"]}


def sides(collective, sizes, ranks, element_bytes):
    """Returns sizes in bytes that are valid for the call: those on both sides of each of `sizes`, and one
    more."""
    if collective == "barrier":
        return [0]
    step = element_bytes * ranks if collective in BLOCKS else element_bytes
    found = {step * max(1, 1024 // step)}
    for size in sizes:
        low = (size - 1) // step * step
        found |= {each for each in (low, low + step) if each > 0}
    return sorted(found)


def own_choice(collective, ranks, size):
    """Returns Open MPI's choice without rules: the JSON of `tutti choose`."""
    sizes = [] if collective == "barrier" else ["-n", size]
    chosen = tutti("choose", collective, "-p", ranks, *sizes, "--elem-bytes", 8, "--library",
                   "Open MPI 4.1", "--json", "-")
    if chosen.returncode != 0:
        raise AssertionError(chosen.args, chosen.stderr)
    return json.loads(chosen.stdout)["choices"][0]["choice"]


class Site(unittest.TestCase):
    def check(self, sent, ours, collective, what):
        with self.subTest(what=what):
            self.assertIsNotNone(ours, "the file says what tutti refuses")
            if collective in EMPTY_LEFT_OUT and OPEN_MPI:
                ours = {pair: amount for pair, amount in ours.items() if amount[1] > 0}
                sent = {pair: amount for pair, amount in sent.items() if amount[1] > 0}
            self.assertEqual(difference(sent, ours), "")

    @unittest.skipUnless(OMPI_TRAFFIC if OPEN_MPI else MPICH_TRAFFIC,
                         "the counter of the library's messages is not built")
    def test_the_library_follows_every_file(self):
        if OPEN_MPI:
            self.open_mpi()
        else:
            self.mpich()

    def open_mpi(self):
        from test_ompi_traffic import traffic_of_job
        folder, _ = exported("Open MPI 4.1.4", 8)
        compared = set()
        count = 0
        for per_host in PER_HOST:
            path = f"{folder}/{per_host}_per_host/tuned.conf"
            known = boundaries(path)
            for ranks in RANKS:
                calls = [(collective, "-", size, 0, ranks - 1 if collective in ROOTED else 0)
                         for collective, sizes in known.items()
                         for size in sides(collective, sizes, ranks, 8)]
                sent = traffic_of_job(ranks, calls, ["--mca", "coll_tuned_dynamic_rules_filename", path])
                for (line, pairs), (collective, _, size, _, root) in zip(sent, calls):
                    self.assertNotIn("error", line)
                    chosen = choice(collective, path, ranks, size, 8)
                    # A rule may leave the choice to the library.
                    runs = chosen["runs"] or own_choice(collective, ranks, size)
                    if not runs.get("algorithm"):
                        continue
                    ours = scheduled(collective, runs, ranks, size, root, 8)
                    self.check(pairs, ours, collective, (per_host, ranks, collective, size, chosen))
                    compared.add((collective, runs["algorithm"]))
                    count += 1
        self.assertGreaterEqual(len({collective for collective, _ in compared}), 13)
        print(f"{count} calls, {len(compared)} algorithms of Open MPI")

    def mpich(self):
        from test_mpich_compositions import nodes_of, released
        Facts.base()
        folder, _ = exported("MPICH 4.0.2", 4)
        tree = f"{folder}/coll.json"
        levels = f"{folder}/ch4.json"
        launch = ["-genv", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", tree]
        with open(tree, encoding="utf-8") as file:
            tree = json.load(file)
        composed = {}
        if os.path.exists(levels):
            launch += ["-genv", "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE", levels]
            with open(levels, encoding="utf-8") as file:
                composed = json.load(file)
        compared = set()
        kept = count = 0
        for per_host in PER_HOST:
            for ranks in RANKS:
                nodes = -(-ranks // per_host)
                calls = []
                for key in tree:
                    collective = key.removeprefix("collective=")
                    sizes = thresholds(tree[key], collective) | thresholds(composed.get(key, {}), collective)
                    if collective == "alltoall":
                        sizes = {ranks * (size - 1) + 1 for size in sizes}
                    if collective not in KNOWN_CALLS or sizes is None:
                        continue
                    calls += [(collective, size, ranks - 1 if collective in ROOTED else 0, "")
                              for size in sides(collective, sizes, ranks, 4)]
                sent = mpich_traffic(ranks, calls, launch,
                                     nodes=(nodes, True) if per_host > 1 else None)
                for (_, pairs), (collective, size, root, _) in zip(sent, calls):
                    facts = Facts(collective, ranks, nodes, per_host, size)
                    composition = facts.leaf(composed.get(f"collective={collective}", {}), "composition=")
                    if composition and composition.rpartition("_")[2] in COMPOSES.get(collective, ()):
                        ours = built_in(collective, ranks, size, root, per_host, composition)
                        if ours is None:
                            continue
                        if collective == "barrier":
                            ours = released(ours, nodes_of(ranks, nodes, True))
                        kept += 1
                    elif facts.has_no_schedule(tree[f"collective={collective}"]):
                        continue
                    else:
                        chosen = facts.rule(tree[f"collective={collective}"])
                        ours = scheduled(collective, chosen, ranks, size, root,
                                         empty=collective not in LEAVES_OUT_EMPTY)
                        compared.add((collective, chosen["algorithm"]))
                    self.check(pairs, ours, collective, (per_host, ranks, collective, size, composition))
                    count += 1
        self.assertEqual({collective for collective, _ in compared}, set(KNOWN_CALLS))
        print(f"{count} calls, {kept} of them by compositions, {len(compared)} algorithms of MPICH")


KNOWN_CALLS = ("allreduce", "bcast", "reduce", "allgather", "allgatherv", "alltoall", "alltoallv",
               "gather", "gatherv", "scatter", "scatterv", "reduce_scatter", "reduce_scatter_block",
               "scan", "exscan", "barrier")
# Collectives without a variant for intercommunicators; their tree is a leaf.
LEAVES = ("exscan", "gatherv", "scatterv")
# Compositions with separate parts within nodes and between nodes.
COMPOSES = {"bcast": ("alpha", "beta"), "reduce": ("alpha", "beta"), "allreduce": ("alpha",),
            "barrier": ("alpha",), "scan": ("alpha",)}


def thresholds(tree, collective):
    """Returns the sizes n at which a tree of conditions may change its choice."""
    found = set()
    for key, below in tree.items():
        if key.startswith(("avg_msg_size<=", "total_msg_size<=")):
            found.add(int(key.partition("<=")[2]) + 1)
        found |= thresholds(below, collective)
    return found


class Facts:
    """The properties of a call that are tested by the conditions of a selection tree."""

    def __init__(self, collective, ranks, nodes, per_host, size):
        self.collective, self.ranks, self.nodes, self.size = collective, ranks, nodes, size
        self.parent = per_host > 1 and nodes > 1
        # For alltoall, MPICH's message size is the block that one rank sends to another.
        self.message = size // ranks if collective == "alltoall" else size

    def holds(self, key):
        name, _, number = key.partition("<=")
        if number and number != "any":
            value = {"comm_size": self.ranks, "avg_msg_size": self.message, "total_msg_size": self.size,
                     "count": self.size // 4}.get(name)
            return (self.ranks <= int(number) * self.nodes if name == "comm_avg_ppn"
                    else value <= int(number))
        if key == "count<pow2":
            return self.size // 4 < 1 << (self.ranks.bit_length() - 1)
        if key == "comm_size=pow2":
            return self.ranks & (self.ranks - 1) == 0
        return {"comm_type=intra": True, "comm_hierarchy=parent": self.parent,
                "is_op_built_in=yes": True, "is_commutative=yes": True,
                "is_node_consecutive=yes": self.parent, "is_node_consecutive=no": not self.parent,
                "is_sendbuf_inplace=no": True, "is_block_regular=yes": True}.get(key, key.endswith("=any"))

    def leaf(self, tree, prefix):
        """Returns the name at the end of the first path on which all conditions hold, or "" if there is
        none."""
        for key, below in tree.items():
            if key.startswith(prefix):
                return key[len(prefix):]
            if self.holds(key):
                return self.leaf(below, prefix)
        return ""

    def has_no_schedule(self, tree):
        """True if tutti has no schedule for the tree's choice: MPICH's ring for allgatherv sends blocks above
        32 KiB in pieces, and tutti lacks the compositions of MPICH's generic layer."""
        name = self.leaf(tree, "algorithm=")
        return name.endswith("_smp") or (name == "MPIR_Allgatherv_intra_ring" and
                                         self.size > 32768 * self.ranks)

    def rule(self, tree):
        """Returns the choice of the tree in tutti's terms, by running `tutti choose` on a file that has only
        the chosen leaf."""
        name = self.leaf(tree, "algorithm=")
        with open("base.json", encoding="utf-8") as file:
            rules = json.load(file)
        leaf = {f"algorithm={name}": {}}
        if self.collective in LEAVES:
            rules[f"collective={self.collective}"] = leaf
        else:
            rules[f"collective={self.collective}"]["comm_type=intra"] = leaf
        with open("leaf.json", "w", encoding="utf-8") as file:
            json.dump(rules, file)
        return choice(self.collective, "leaf.json", self.ranks, self.size)["runs"]

    @staticmethod
    def base():
        subprocess.run([TUTTI, "decide", "barrier", "-p", "2", "--export", "mpich", "-o", "base.json"],
                       capture_output=True, check=True, timeout=60)


def built_in(collective, ranks, size, root, per_host, composition):
    """Returns what MPICH sends without rules: the composition with its built-in parts. Returns None if MPICH
    chooses another composition, or if tutti has no such schedule."""
    sizes = [] if collective == "barrier" else ["-n", size, "--elem-bytes", 4]
    chosen = tutti("choose", collective, "-p", ranks, *sizes, "--library", "MPICH 4.0",
                   "--ranks-per-host", per_host, "--json", "-")
    if chosen.returncode != 0:
        raise AssertionError(chosen.stderr)
    found = json.loads(chosen.stdout)["choices"][0]
    command = found["command"]
    if command is None or not found["path"][0]["chosen"].startswith(composition + ":"):
        return None
    words = command.split()[2:]
    if "--ranks-per-host" in words:
        at = words.index("--ranks-per-host")
        del words[at:at + 2]
    roots = ["--root", root] if collective in ROOTED else []
    shown = tutti("show", *words, *roots, "--format", "json")
    if shown.returncode != 0:
        raise AssertionError(shown.args, shown.stderr)
    return pairs_shown(shown.stdout)


if __name__ == "__main__":
    main()
