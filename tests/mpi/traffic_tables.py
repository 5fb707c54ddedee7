"""What a schedule sends, and what a library's collectives send, pair by pair: {(src, dst): (messages,
bytes)}."""

import collections
import json
import os
import re
import subprocess

from launch import SOURCE_DIR, TUTTI, job

MPICH_TRAFFIC = os.environ.get("TUTTI_MPICH_TRAFFIC", "")

# Ints, as the counting programs use.
ELEMENT_BYTES = 4
ROOTED = ("bcast", "reduce", "gather", "scatter", "gatherv", "scatterv")


def tutti(*arguments):
    return subprocess.run([TUTTI, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          check=False)


def scheduled(collective, choice, ranks, size, root=0, element_bytes=ELEMENT_BYTES, empty=True):
    """What the schedule sends that a choice of `tutti choose --json` names, with messages of no bytes
    or without. None where tutti refuses it."""
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
    """Of a schedule in JSON."""
    pairs = collections.defaultdict(lambda: (0, 0))
    for op in json.loads(text)["ops"]:
        if op["kind"] == "comm" and (empty or op["bytes"] > 0):
            messages, total = pairs[op["src"], op["dst"]]
            pairs[op["src"], op["dst"]] = (messages + 1, total + op["bytes"])
    return dict(pairs)


def difference(sent, ours):
    """The first pairs that differ, in words; "" where none does."""
    pairs = sorted(pair for pair in sent.keys() | ours.keys() if sent.get(pair) != ours.get(pair))
    return "; ".join(f"{src} to {dst}: the library {sent.get((src, dst))}, "
                     f"tutti {ours.get((src, dst))}" for src, dst in pairs[:4])


def counted(lines):
    """[(line, pairs)] of what a counting program prints."""
    calls = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return [(call, {(src, dst): (messages, total) for src, dst, messages, total in call["pairs"]})
            for call in calls]


def mpich_traffic(ranks, calls, launch=(), nodes=None):
    """[(line, pairs)] of MPICH's, for (collective, bytes, root, name or "") each. On as many nodes,
    in blocks or not, as (number, blocks) says; else every rank is one."""
    with open("calls", "w", encoding="ascii") as file:
        for call in calls:
            print(*call, file=file)
    # Every rank is a node, so that no message goes through shared memory; what cannot be forced is
    # an error, not another algorithm in silence.
    of_nodes = (["-genv", "MPIR_CVAR_NUM_CLIQUES", nodes[0], "-genv", "MPIR_CVAR_CLIQUES_BY_BLOCK",
                 int(nodes[1])] if nodes else ["-genv", "MPIR_CVAR_NOLOCAL", 1])
    done = job(ranks, MPICH_TRAFFIC, "calls", timeout=200,
               launch=[*of_nodes, "-genv", "MPIR_CVAR_COLLECTIVE_FALLBACK", "error", *launch])
    if done.returncode != 0:
        raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])
    lines = counted(done.stdout)
    if len(lines) != len(calls):
        raise AssertionError(f"{len(lines)} answers to {len(calls)} calls")
    return lines


def choice(collective, table, ranks, size, element_bytes=ELEMENT_BYTES):
    """What a table or rule file takes: the JSON of `tutti choose`."""
    sizes = [] if collective == "barrier" else ["-n", size]
    chosen = tutti("choose", collective, "-p", ranks, *sizes, "--elem-bytes", element_bytes,
                   "--table", table, "--json", "-")
    if chosen.returncode != 0:
        raise AssertionError(chosen.args, chosen.stderr)
    return json.loads(chosen.stdout)


def library_names(array, version=99):
    """[(collective, id, name, ours)] of a table in library_algorithms.cpp; what later versions brought
    is left out."""
    text = (SOURCE_DIR / "src/rule_files/library_algorithms.cpp").read_text(encoding="utf-8")
    body = re.search(rf"constexpr std::array {array}{{(.*?)\n}};", text, re.DOTALL)[1]
    return [(collective, int(number), name, ours) for collective, number, name, ours, since in
            re.findall(r'LibraryAlgorithm{(\w+), (\d+), "([^"]+)",\s*"(\w*)",\s*"\w*"'
                       r'(?:,\s*\w+,\s*(\d+))?', body) if int(since or 4) <= version]
