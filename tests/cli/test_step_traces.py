#!/usr/bin/env python3
"""tutti step reads traces of Chakra: collectives of every kind, groups inside and beside, sends and receives,
and what is wrong with bad traces."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from chakra_traces import KINDS, Rank

TUTTI = os.environ["TUTTI_BINARY"]
MACHINE = ["--alpha", "1us", "--beta", "1ns", "--gamma", "0ns"]
NAMES = {"ALL_REDUCE": "allreduce", "REDUCE": "reduce", "ALL_GATHER": "allgather", "GATHER": "gather",
         "SCATTER": "scatter", "BROADCAST": "bcast", "ALL_TO_ALL": "alltoall", "REDUCE_SCATTER": "reduce_scatter",
         "REDUCE_SCATTER_BLOCK": "reduce_scatter", "BARRIER": "barrier"}
US = 1e-6


def run(*arguments):
    done = subprocess.run([TUTTI, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.strip()


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-9)


def check(condition, *what):
    if not condition:
        sys.exit(f"failed: {what}")


class Folder:
    def __init__(self, parent, name):
        self.path = pathlib.Path(parent) / name
        self.path.mkdir()

    def write(self, ranks):
        for i, rank in enumerate(ranks):
            rank.write(self.path / f"t.{i}.et")
        return self

    def step(self, *options, machine=MACHINE):
        return run("step", str(self.path / "t.0.et"), *machine, *options)

    def answer(self, *options, machine=MACHINE):
        code, out, err = self.step(*options, "--json", "-", machine=machine)
        check(code == 0, err)
        answer = json.loads(out)
        check_sums(answer)
        return answer

    def error(self, *options):
        code, out, err = self.step(*options)
        check(code == 2 and out == "", code, out, err)
        return err.replace(str(self.path) + "/", "").removeprefix("tutti: ")


def check_sums(answer):
    """All parts of the time add up."""
    last = answer["last"]
    check(near(last["computing_s"] + last["core_wait_s"] + last["exposed_s"], answer["total_s"]), answer)
    for key in ("last", "mean"):
        for part in last:
            check(near(sum(row[key][part] for row in answer["rows"]), answer[key][part]), key, part, answer)


def time_of(collective, ranks, size):
    """The fastest algorithm, as `tutti compare` finds it."""
    sized = [] if collective == "barrier" else ["-n", str(size)]
    code, out, err = run("compare", collective, "-p", str(ranks), *sized, *MACHINE, "--json", "-")
    check(code == 0, err)
    return min(each["simulated_s"] for each in json.loads(out)["cells"] if each["simulated_s"] is not None)


def every_kind(folder):
    """Collectives of every kind one after the other, of 4 ranks: the sum of their times alone."""
    size = 40_000
    ranks = []
    for _ in range(4):
        rank = Rank(first_id=100)
        last = rank.compute(50)
        for kind in KINDS:
            last = rank.collective(kind, size, data=[last])
        rank.compute(20, ctrl=[last])
        ranks.append(rank)
    answer = Folder(folder, "kinds").write(ranks).answer()
    whole = {call["collective"]: call["bytes"] for call in answer["calls"]}
    check(whole["allgather"] == whole["gather"] == 4 * size, whole)
    check(whole["allreduce"] == whole["scatter"] == whole["alltoall"] == whole["reduce_scatter"] == size, whole)
    check({call["collective"] for call in answer["calls"]} == set(NAMES.values()), answer["calls"])
    alone = {call["collective"]: call["alone_s"] for call in answer["calls"]}
    total = sum(alone[NAMES[kind]] for kind in KINDS) + 70 * US
    # Ranks leave a collective at different times, so that the next one may begin before it is over.
    check(0.8 * total < answer["total_s"] <= total * (1 + 1e-9), answer["total_s"], total)
    check(near(answer["last"]["computing_s"], 70 * US), answer)
    rows = {row["statement"]: row for row in answer["rows"]}
    check(rows["computing"]["times"] == 2, rows)
    check(rows[f"reduce_scatter whole {size}B on all"]["times"] == 2, rows)
    # A single collective takes the time of the fastest algorithm.
    for kind in ("ALL_REDUCE", "ALL_GATHER", "ALL_TO_ALL", "BROADCAST"):
        ranks = [Rank() for _ in range(4)]
        for rank in ranks:
            rank.collective(kind, size)
        answer = Folder(folder, f"one_{kind}").write(ranks).answer()
        best = time_of(NAMES[kind], 4, size * (4 if kind == "ALL_GATHER" else 1))
        check(near(answer["total_s"], best), kind, answer["total_s"], best)
    whole = Folder(folder, "whole").write(ranks_of(4, lambda rank: rank.collective("ALL_GATHER", size)))
    check(whole.answer("--trace-sizes", "whole")["calls"][0]["bytes"] == size)


def ranks_of(count, add):
    ranks = [Rank() for _ in range(count)]
    for rank in ranks:
        add(rank)
    return ranks


def ring_s(ranks, size, steps):
    return steps * (1 * US + size / ranks * 1e-9)


def overlap(folder):
    """By hand: a ring beside computing. The collective begins after the first calculation."""
    ranks = []
    for _ in range(4):
        rank = Rank()
        first = rank.compute(100)
        gather = rank.collective("ALL_REDUCE", 400_000, data=[first])
        second = rank.compute(300, ctrl=[first])
        rank.compute(50, data=[gather, second])
        ranks.append(rank)
    at = Folder(folder, "overlap").write(ranks)
    answer = at.answer("--algorithm", "allreduce ring")
    ring = ring_s(4, 400_000, 6)
    check(near(answer["total_s"], 100 * US + ring + 50 * US), answer["total_s"], ring)
    check(near(answer["last"]["exposed_s"], ring - 300 * US), answer["last"])
    check(near(answer["last"]["hidden_s"], 300 * US), answer["last"])
    check(near(answer["last"]["computing_s"], 450 * US), answer["last"])
    code, out, err = at.step("--algorithm", "allreduce ring")
    check(code == 0 and out.startswith("Chakra trace on 4 ranks\n"), out, err)
    both = at.answer("--algorithm", "allreduce ring", "--engine", "both")
    check(both["engines_differ"] < 1e-9, both["engines_differ"])


def groups(folder):
    """Groups inside the trace, and beside it: two pairs, and then all."""
    for inside in (True, False):
        ranks = []
        for i in range(4):
            rank = Rank()
            if inside:
                rank.groups(**{"7": [0, 1], "8": [2, 3], "9": []})
            pair = rank.collective("ALL_REDUCE", 200_000, pg_name="7" if i < 2 else "8")
            rank.collective("ALL_REDUCE", 400_000, data=[pair], pg_name="9" if inside else "0")
            ranks.append(rank)
        at = Folder(folder, f"groups_{inside}").write(ranks)
        if not inside:
            (at.path / "comm_group.json").write_text('{"7": [0, 1], "8": [2, 3], "0": [0, 1, 2, 3]}')
        answer = at.answer("--algorithm", "allreduce ring")
        check(near(answer["total_s"], ring_s(2, 200_000, 2) + ring_s(4, 400_000, 6)), answer["total_s"])
        members = {group["name"]: group["communicators"] for group in answer["groups"]}
        check(members["7"] == [[0, 1]] and members["8"] == [[2, 3]], members)
        check(members["9" if inside else "0"] == [[0, 1, 2, 3]], members)


def communicators(folder):
    """Groups with one name and other ranks are the communicators of one group."""
    ranks = []
    for i in range(4):
        rank = Rank()
        rank.groups(dp=[i % 2, i % 2 + 2])
        rank.collective("ALL_REDUCE", 200_000, pg_name="dp")
        ranks.append(rank)
    answer = Folder(folder, "communicators").write(ranks).answer()
    check([group["communicators"] for group in answer["groups"]] == [[[0, 2], [1, 3]]], answer["groups"])
    check(len(answer["rows"]) == len(answer["calls"]) == 1, answer["rows"])
    check(near(answer["mean"]["exposed_s"], answer["total_s"]), answer)


def messages(folder):
    """A pipeline of two stages: the receiver waits for the sender's computing and the message."""
    first = Rank()
    sent = first.send(100_000, 1, data=[first.compute(100)], tag=3)
    first.compute(10, data=[sent])
    second = Rank()
    second.compute(40, data=[second.receive(100_000, 0, tag=3)])
    answer = Folder(folder, "messages").write([first, second]).answer()
    check(near(answer["total_s"], (100 + 101 + 40) * US), answer["total_s"])
    check(answer["last_rank"] == 1 and near(answer["last"]["exposed_s"], 201 * US), answer)
    # Without partners, as PyTorch's converter writes them, and nodes that take no time.
    rank = Rank()
    rank.node(5, "send", comm_size=5)
    rank.node(4, "cpu", us=1000, is_cpu_op=True)
    rank.node(2, "load", us=1000)
    rank.compute(0, num_ops=5)
    rank.compute(10)
    answer = Folder(folder, "left_out").write([rank]).answer()
    check(near(answer["total_s"], 10 * US), answer["total_s"])
    check(answer["notes"] == ["left out: 1 node on the CPU, which takes no time",
                              "left out: 1 calculation without a duration, which takes no time",
                              "left out: 1 access to memory, which takes no time",
                              "left out: 1 send or receive without a partner, which takes no time (PyTorch's converter "
                              "writes none)"], answer["notes"])


def on_cpu(folder):
    """Nodes on the CPU take no time, whatever their type, and what depends on them waits for what is before them."""
    size = 4_000_000
    ranks = [Rank(), Rank()]
    for i, rank in enumerate(ranks):
        rank.compute(1)
        last = rank.node(4, "cpu", us=1000, is_cpu_op=True, data=[rank.compute(10)])
        last = rank.collective("ALL_REDUCE", size, data=[last], is_cpu_op=True)
        message = rank.send if i == 0 else rank.receive
        rank.compute(30, data=[message(size, 1 - i, data=[last], is_cpu_op=True)])
        for _ in range(2):
            rank.node(2, "load")
            rank.compute(0)
            rank.node(5, "send")
    answer = Folder(folder, "on_cpu").write(ranks).answer()
    check(near(answer["total_s"], 41 * US) and not answer["calls"], answer)
    check(answer["notes"] == ["left out: 6 nodes on the CPU, which take no time",
                              "left out: 4 calculations without a duration, which take no time",
                              "left out: 4 accesses to memory, which take no time",
                              "left out: 4 sends or receives without a partner, which take no time (PyTorch's "
                              "converter writes none)"], answer["notes"])


def alone(folder):
    """The time of a message alone is that between its own ranks, on other nodes here, and not between ranks 0 and 1."""
    ranks = ranks_of(16, lambda rank: None)
    ranks[3].send(1 << 20, 2)
    ranks[3].send(1 << 24, 9)
    ranks[2].receive(1 << 20, 3)
    ranks[9].receive(1 << 24, 3)
    at = Folder(folder, "alone").write(ranks)
    answer = at.answer(machine=["--gpu", "h100"])
    near_by, far = answer["calls"]
    check(near_by["collective"] == far["collective"] == "message" and near_by["chosen_by"] is None, answer["calls"])
    only = ranks_of(16, lambda rank: None)
    only[3].send(1 << 24, 9)
    only[9].receive(1 << 24, 3)
    total = Folder(folder, "alone_far").write(only).answer(machine=["--gpu", "h100"])["total_s"]
    check(near(far["alone_s"], total), far, total)
    only = ranks_of(16, lambda rank: None)
    only[0].send(1 << 20, 1)
    only[1].receive(1 << 20, 0)
    total = Folder(folder, "alone_near").write(only).answer(machine=["--gpu", "h100"])["total_s"]
    check(near(near_by["alone_s"], total), near_by, total)
    check(far["alone_s"] > 40 * near_by["alone_s"], answer["calls"])
    code, out, err = at.step(machine=["--gpu", "h100"])
    check(code == 0 and "  message     16,777,216  messages" in out and "handover" not in out, out, err)


def lines(folder):
    """The line of a row is the position of its first node, in the first rank that has one."""
    first, second = Rank(), Rank()
    for rank in (first, second):
        rank.node(4, "cpu", us=5, is_cpu_op=True)
        rank.collective("ALL_REDUCE", 8)
    second.compute(0)
    second.compute(10)
    second.compute(10)
    answer = Folder(folder, "lines").write([first, second]).answer()
    check({row["statement"].split()[0]: row["line"] for row in answer["rows"]} == {"allreduce": 2, "computing": 4},
          answer["rows"])


def tags(folder):
    """Tags have 64 bits, and may be negative."""
    first, second = Rank(), Rank()
    first.send(100_000, 1, tag=5)
    first.send(200_000, 1, tag=5 + (1 << 32))
    first.send(300_000, 1, tag=-1)
    second.receive(200_000, 0, tag=5 + (1 << 32))
    second.receive(100_000, 0, tag=5)
    second.receive(300_000, 0, tag=-1)
    answer = Folder(folder, "tags").write([first, second]).answer()
    check(sorted(call["bytes"] for call in answer["calls"]) == [100_000, 200_000, 300_000], answer["calls"])


def gpus(folder):
    ranks = ranks_of(16, lambda rank: rank.collective("ALL_REDUCE", 1 << 24))
    answer = Folder(folder, "gpus").write(ranks).answer(machine=["--gpu", "h100"])
    check(answer["calls"][0]["chosen_by"] == "nccl", answer["calls"])


def bad(folder):
    count = 0

    def refused(expected, ranks, *options, groups=None):
        nonlocal count
        count += 1
        at = Folder(folder, f"bad_{count}").write(ranks)
        if groups is not None:
            (at.path / "comm_group.json").write_text(groups)
        found = at.error(*options)
        check(found == expected, found, expected)

    def pair(a, b):
        ranks = [Rank(), Rank()]
        a(ranks[0])
        b(ranks[1])
        return ranks

    def gatherer(first_id, count=1):
        rank = Rank(first_id)
        for _ in range(count):
            rank.collective("ALL_GATHER", 4)
        return rank

    def reduces(size=8, **attributes):
        return lambda rank: rank.collective("ALL_REDUCE", size, **attributes)

    refused("'t.1.et', node 0: collective 1 of group 'all' is allgather of 8 bytes, but rank 0 has allreduce of 8 bytes "
            "there (node 0)", pair(reduces(), lambda rank: rank.collective("ALL_GATHER", 8)))
    refused("'t.1.et', node 0: collective 1 of group 'all' is allreduce of 16 bytes, but rank 0 has allreduce of 8 bytes "
            "there (node 0)", pair(reduces(), reduces(16)))
    refused("'t.0.et', node 0: collective 1 of group 'all' is allreduce of 8 bytes, but rank 1 has only 0",
            pair(reduces(), lambda rank: rank.compute(1)))
    refused("'t.1.et', node 8: collective 2 of group 'all' is allgather of 4 bytes, but rank 0 has only 1",
            [gatherer(1), gatherer(7, 2)])
    refused("'t.0.et': node 0: the process group '5' is neither in the trace nor in comm_group.json, beside it",
            pair(reduces(pg_name="5"), reduces(pg_name="5")))
    refused("'t.1.et': node 0: rank 1 is not in its process group '5'",
            pair(reduces(pg_name="5"), reduces(pg_name="5")), groups='{"5": [0]}')
    refused("'comm_group.json': group '5': 7 is not one of the 2 ranks",
            pair(reduces(pg_name="5"), reduces(pg_name="5")), groups='{"5": [0, 7]}')
    for wrong in ("0", "null", "{}", '"0"'):
        refused(f"'comm_group.json': group '5': expected a list of ranks, such as [0, 1], not {wrong}",
                pair(reduces(pg_name="5"), reduces(pg_name="5")), groups=f'{{"5": {wrong}}}')
    refused("'t.0.et': group '5': expected a list of ranks, such as [0, 1], not null",
            pair(lambda rank: rank.groups(**{"5": None}), reduces()))
    refused("'t.0.et': node 0: the process group '-1' is neither in the trace nor in comm_group.json, beside it",
            pair(reduces(pg_name=-1), reduces(pg_name=-1)))
    refused("'comm_group.json': expected an object of groups, such as {\"1\": [0, 1]}",
            pair(reduces(pg_name="5"), reduces(pg_name="5")), groups="[1]")
    refused("'t.0.et': node 0: the process groups are not a list in JSON",
            pair(lambda rank: rank.node(1, "process_group:init", inputs="{"), reduces()))
    refused("'t.0.et': node 0: the unknown collective '77'",
            pair(lambda rank: rank.node(7, "x", comm_type=77, comm_size=1), reduces()))
    refused("'t.0.et': node 0: comm_type is missing", pair(lambda rank: rank.node(7, "x", comm_size=1), reduces()))
    refused("'t.0.et': node 0: the unknown collective '-1'",
            pair(lambda rank: rank.node(7, "x", comm_type=-1, comm_size=1), reduces()))
    for size in (-1, 1 << 44):
        refused(f"'t.0.et': node 0: comm_size {size}; expected 0 to 17592186044415 bytes",
                pair(reduces(size), reduces()))
    refused("'t.0.et': node 0: a calculation of 17592186045 us; the maximum is 17592186044 us",
            pair(lambda rank: rank.compute(17_592_186_045), reduces()))
    refused("'t.0.et': node 0: comm_size is missing", pair(lambda rank: rank.node(7, "x", comm_type=0), reduces()))
    refused("'t.0.et': node 0 has the unknown type 9", pair(lambda rank: rank.node(9, "x"), reduces()))
    refused("'t.0.et': node 0 depends on node 4, which the file does not have",
            pair(reduces(data=[4]), reduces()))
    refused("'t.0.et', node 0: it depends on itself, directly or through other nodes", pair(reduces(data=[0]), reduces()))
    refused("'t.0.et', node 0: sends 8 bytes to rank 1 with tag 0, but nothing there receives them",
            pair(lambda rank: rank.send(8, 1), lambda rank: rank.compute(1)))
    refused("'t.0.et', node 0: sends 8 bytes to rank 1 with tag -1, but nothing there receives them",
            pair(lambda rank: rank.send(8, 1, tag=-1), lambda rank: rank.receive(8, 0, tag=(1 << 32) - 1)))
    refused("'t.0.et': node 0: comm_dst -1; the ranks are 0 to 1, and this is rank 0",
            pair(lambda rank: rank.send(8, -1), lambda rank: rank.compute(1)))
    refused("'t.1.et', node 0: receives 8 bytes from rank 0 with tag 2, but nothing there sends them",
            pair(lambda rank: rank.compute(1), lambda rank: rank.receive(8, 0, tag=2)))
    refused("'t.1.et', node 0: receives 4 bytes, but the message has 8",
            pair(lambda rank: rank.send(8, 1), lambda rank: rank.receive(4, 0)))
    refused("'t.0.et': node 0: comm_dst 5; the ranks are 0 to 1, and this is rank 0",
            pair(lambda rank: rank.send(8, 5), lambda rank: rank.compute(1)))
    # Each rank begins with the collective that the other one has last.
    first, second = Rank(), Rank()
    first.collective("ALL_REDUCE", 8, data=[first.collective("ALL_REDUCE", 8, pg_name="1")], pg_name="2")
    second.collective("ALL_REDUCE", 8, data=[second.collective("ALL_REDUCE", 8, pg_name="2")], pg_name="1")
    refused("'t.0.et', node 0: it never begins, because collectives and messages of different ranks wait for each other",
            [first, second], groups='{"1": [0, 1], "2": [0, 1]}')
    plain = pair(reduces(), reduces())
    refused("-p/--ranks '3': there are traces of 2 ranks", plain, "-p", "3")
    refused("--trace-sizes 'share': expected input or whole", plain, "--trace-sizes", "share")
    refused("--algorithm 'ringo': expected a collective, such as allgather, or all", plain, "--algorithm", "ringo ring")
    refused("--algorithm: unknown group 'dp'; expected all", plain, "--algorithm", "all on dp by best")
    refused("--algorithm 'all by luck': expected 'by nccl', 'by nccl' and a release, or 'by best'", plain,
            "--algorithm", "all by luck")
    refused("--algorithm 'all ring': all collectives can only have 'by nccl' or 'by best'", plain,
            "--algorithm", "all ring")
    refused("--algorithm 'allreduce': expected 'by nccl', 'by best', or an algorithm, such as ring", plain,
            "--algorithm", "allreduce")
    for option in (["--every-iteration"], ["--symmetry", "on"], ["--what-if"], ["--streams"], ["--explain"]):
        refused(f"{option[0]} is not available for traces of Chakra; leave it out", plain, *option)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (every_kind, overlap, groups, communicators, messages, on_cpu, alone, lines, tags, gpus, bad):
            test(folder)


main()
