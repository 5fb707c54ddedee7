"""Simulates random GOAL files with a simulator of its own, which matches messages by time, and compares the total
with that of tutti. TUTTI_SEED sets the seed."""

import argparse
import collections
import heapq
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

import harness
import script_main

FILES = 60
LATENCY_NS = 1000
PROCESSORS = 3
Node = collections.namedtuple("Node", "rank kind peer tag amount cpu")


def random_program(choice):
    """Returns nodes, rank by rank, and their relations: pairs (node, earlier node). The calculations of a processor are
    in a row, because LogGOPSim and tutti may begin simultaneous ones in different orders."""
    ranks = choice.randint(2, 4)
    of_rank = [[Node(rank, "calc", 0, 0, choice.choice((0, 300, 1500, 10000)), choice.randrange(PROCESSORS))
                for _ in range(choice.randint(1, 4))] for rank in range(ranks)]
    for size in range(1, choice.randint(2, 12)):
        src, dst = choice.sample(range(ranks), 2)
        tag = choice.randrange(2)
        of_rank[src].append(Node(src, "send", dst, tag, size, choice.randrange(PROCESSORS)))
        of_rank[dst].append(Node(dst, "recv", src, tag, 0, choice.randrange(PROCESSORS)))
    nodes, requires, irequires = [], set(), set()
    for own in of_rank:
        choice.shuffle(own)
        first = len(nodes)
        nodes += own
        in_file = list(range(first, len(nodes)))
        order = choice.sample(in_file, len(in_file)) if choice.random() < 0.3 else in_file
        for cpu in range(PROCESSORS):
            calculations = [at for at in order if nodes[at].kind == "calc" and nodes[at].cpu == cpu]
            requires.update(zip(calculations[1:], calculations))
        for place, at in enumerate(order[1:], 1):
            for _ in range(choice.randrange(3)):
                choice.choice((requires, requires, irequires)).add((at, order[choice.randrange(place)]))
    return ranks, nodes, requires, irequires


def file_order(nodes, pairs):
    """Returns the place of each node: of those whose earlier nodes have a place, the first in the file is next."""
    places = {}
    while len(places) < len(nodes):
        places[next(at for at in range(len(nodes)) if at not in places
                    and all(earlier in places for node, earlier in pairs if node == at))] = len(places)
    return places


def run(nodes, requires, irequires):
    """Returns the total, the send of each receive, and whether the messages between two ranks with one tag are sent
    and received in the order of the file; or None if the file ends in a deadlock."""
    places = file_order(nodes, requires | irequires)
    ready, ends, matched = {}, {}, {}
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    events = []  # time, place and kind of event, and the node

    def start_those_that_can(now):
        for at in range(len(nodes)):
            if at not in ready and all(ends.get(earlier, now + 1) <= now for node, earlier in requires if node == at) \
                    and all(earlier in ready for node, earlier in irequires if node == at):
                ready[at] = now
                heapq.heappush(events, (now, places[at], "begin", at))
                return start_those_that_can(now)

    start_those_that_can(0)
    while events:
        now, _, event, at = heapq.heappop(events)
        node = nodes[at]
        if event == "end":
            ends[at] = now
        elif node.kind == "calc":
            heapq.heappush(events, (now + node.amount, places[at], "end", at))
        else:
            is_send = node.kind == "send"
            envelope = (node.rank, node.peer, node.tag) if is_send else (node.peer, node.rank, node.tag)
            (sends if is_send else receives)[envelope].append(at)
            if is_send:
                heapq.heappush(events, (now, places[at], "end", at))
            number = len((sends if is_send else receives)[envelope]) - 1
            if number < min(len(sends[envelope]), len(receives[envelope])):
                send, receive = sends[envelope][number], receives[envelope][number]
                matched[receive] = send
                heapq.heappush(events, (max(ready[send] + LATENCY_NS, ready[receive]), places[receive], "end", receive))
        start_those_that_can(now)
    if len(ends) < len(nodes):
        return None
    in_order = all(places[a] < places[b] for of in (sends, receives) for row in of.values() for a, b in zip(row, row[1:]))
    return max(ends.values()), matched, in_order


def text_of(ranks, nodes, requires, irequires):
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        own = [at for at, node in enumerate(nodes) if node.rank == rank]
        for at in own:
            node = nodes[at]
            lines.append((f"l{at}: calc {node.amount}" if node.kind == "calc" else
                          f"l{at}: {node.kind} {node.amount}b {'to' if node.kind == 'send' else 'from'} {node.peer} "
                          f"tag {node.tag}") + (f" cpu {node.cpu}" if node.cpu else ""))
        for pairs, word in ((requires, "requires"), (irequires, "irequires")):
            lines += [f"l{at} {word} l{earlier}" for at, earlier in sorted(pairs) if nodes[at].rank == rank]
        lines.append("}")
    return "\n".join(lines) + "\n"


class Times(unittest.TestCase):
    def test_random_files(self):
        seed = int(os.environ.get("TUTTI_SEED", random.randrange(10**6)))
        print(f"TUTTI_SEED={seed}", file=sys.stderr)
        choice = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "random.goal"
            files = 0
            while files < FILES:
                ranks, nodes, requires, irequires = random_program(choice)
                found = run(nodes, requires, irequires)
                if found is None or not found[2]:
                    continue
                total, matched, _ = found
                # A receive has room for the message that belongs to it, and for no larger one.
                nodes = [node._replace(amount=nodes[matched[at]].amount) if at in matched else node
                         for at, node in enumerate(nodes)]
                path.write_text(text_of(ranks, nodes, requires, irequires))
                done = harness.run("simulate", path, "--engine", "critical-path", "--eager", 10**9, "--ports",
                                   "unlimited", "--alpha", f"{LATENCY_NS}ns", "--beta", "0ns", "--json", "-")
                with self.subTest(file=files):
                    self.assertEqual(done.returncode, 0, f"{path.read_text()}{done.stderr}")
                    self.assertAlmostEqual(1e9 * json.loads(done.stdout)["simulated_s"], total, 3, path.read_text())
                files += 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=FILES)
    known, rest = parser.parse_known_args()
    FILES = known.count
    script_main.main(*rest)
