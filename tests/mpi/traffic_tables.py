"""Finds the messages of schedules and of a library's collectives, as {(src, dst): (messages, bytes)}."""

import collections
import csv
import json
import os
import subprocess

from launch import SOURCE_DIR, TUTTI, job

MPICH_TRAFFIC = os.environ.get("TUTTI_MPICH_TRAFFIC", "")

# Size of an int: the program that counts MPICH's messages sends ints.
ELEMENT_BYTES = 4
ROOTED = ("bcast", "reduce", "gather", "scatter", "gatherv", "scatterv")


def tutti(*arguments):
    return subprocess.run([TUTTI, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          check=False)


def scheduled(collective, choice, ranks, size, root=0, element_bytes=ELEMENT_BYTES, empty=True):
    """Returns the messages of the schedule for a choice of `tutti choose --json`, with or without empty
    messages. Returns None if tutti refuses the choice."""
    options = []
    for key, option in (("tree", "--tree"), ("skips", "--skips"), ("fold", "--fold"),
                        ("cuts", "--cuts"), ("parts", "--parts"), ("radix", "--radix"),
                        ("throttle", "--throttle"), ("segment_bytes", "--segment")):
        if choice.get(key):
            options += [option, choice[key]]
    if collective in ROOTED:
        options += ["--root", root]
    if collective != "barrier":
        options += ["-n", size]
    shown = tutti("show", f"{collective}/{choice['algorithm']}", "-p", ranks, "--elem-bytes",
                  element_bytes, "--format", "json", *options)
    if shown.returncode == 2 and "cannot" in shown.stderr:
        return None
    if shown.returncode != 0:
        raise AssertionError(shown.args, shown.stderr)
    return pairs_shown(shown.stdout, empty)


def pairs_shown(text, empty=True):
    """Returns the messages of a schedule that `text` describes in JSON."""
    pairs = collections.defaultdict(lambda: (0, 0))
    for op in json.loads(text)["ops"]:
        if op["kind"] == "comm" and (empty or op["bytes"] > 0):
            messages, total = pairs[op["src"], op["dst"]]
            pairs[op["src"], op["dst"]] = (messages + 1, total + op["bytes"])
    return dict(pairs)


def difference(sent, ours):
    """Describes the first pairs of ranks that differ; returns "" if none does."""
    pairs = sorted(pair for pair in sent.keys() | ours.keys() if sent.get(pair) != ours.get(pair))
    return "; ".join(f"{src} to {dst}: the library {sent.get((src, dst))}, "
                     f"tutti {ours.get((src, dst))}" for src, dst in pairs[:4])


def counted(lines):
    """Returns [(line, pairs)] for the output lines of a counting program."""
    calls = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return [(call, {(src, dst): (messages, total) for src, dst, messages, total in call["pairs"]})
            for call in calls]


def mpich_traffic(ranks, calls, launch=(), nodes=None):
    """Returns [(line, pairs)] of MPICH for each (collective, bytes, root, name or ""). `nodes` is (number of
    nodes, True if ranks are in blocks); without it every rank is a node."""
    with open("calls", "w", encoding="ascii") as file:
        for call in calls:
            print(*call, file=file)
    # By default every rank is a node, so that no message goes through shared memory. An algorithm that cannot
    # be forced is an error instead of a silent fallback.
    of_nodes = (["-genv", "MPIR_CVAR_NUM_CLIQUES", nodes[0], "-genv", "MPIR_CVAR_CLIQUES_BY_BLOCK",
                 int(nodes[1])] if nodes else ["-genv", "MPIR_CVAR_NOLOCAL", 1])
    done = job(ranks, MPICH_TRAFFIC, "calls", timeout=200,
               launch=[*of_nodes, "-genv", "MPIR_CVAR_COLLECTIVE_FALLBACK", "error", *launch])
    if done.returncode != 0:
        raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])
    lines = counted(done.stdout)
    if len(lines) != len(calls):
        raise AssertionError(f"the job ran {len(lines)} of {len(calls)} calls")
    return lines


def choice(collective, table, ranks, size, element_bytes=ELEMENT_BYTES):
    """Returns the choice of a table or rule file. Its key `runs` has what runs for the choice, or None."""
    sizes = [] if collective == "barrier" else ["-n", size]
    chosen = tutti("choose", collective, "-p", ranks, *sizes, "--elem-bytes", element_bytes,
                   "--table", table, "--json", "-")
    if chosen.returncode != 0:
        raise AssertionError(chosen.args, chosen.stderr)
    [found] = json.loads(chosen.stdout)["choices"]
    return {**found["choice"], "runs": found["runs"]}


def oldest_algorithms(library):
    """Returns [(collective, id, name, tutti's name)]: the algorithms of the oldest known version of a library,
    according to library_algorithms.csv."""
    with open(SOURCE_DIR / "src/rule_files/library_algorithms.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [(row["collective"], int(row["id"] or 0), row["name"], row["algorithm"]) for row in rows
            if row["library"] == library and not row["since"]]


def released(pairs, nodes):
    """Adds to `pairs` the bytes of the messages by which a barrier releases the ranks of each node. MPICH
    broadcasts one byte, because an empty broadcast would send nothing."""
    for node in nodes:
        tree = pairs_shown(tutti("show", "bcast/binomial", "-p", len(node), "--elem-bytes", 1,
                                 "-n", 1, "--format", "json").stdout)
        for (src, dst), (_, total) in tree.items():
            messages, before = pairs[node[src], node[dst]]
            pairs[node[src], node[dst]] = (messages, before + total)
    return pairs
