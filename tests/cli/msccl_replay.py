"""Runs a file of MSCCL as its executor does, thread block by thread block, in a random order.

A value of a chunk is the multiset of what was added up in it: how often the chunk `c` of the input of GPU
`g` is in it."""

import collections
import xml.etree.ElementTree as ElementTree

RECEIVES = {"r", "rcs", "rrs", "rrc", "rrcs"}
SENDS = {"s", "rcs", "rrs", "rrcs"}


class Wrong(Exception):
    """The run stops, or its result is wrong."""


class Step:
    def __init__(self, node):
        self.type = node.get("type")
        self.source = (node.get("srcbuf"), int(node.get("srcoff")))
        self.destination = (node.get("dstbuf"), int(node.get("dstoff")))
        self.count = int(node.get("cnt"))
        self.waits = (int(node.get("depid")), int(node.get("deps")))
        self.signals = node.get("hasdep") == "1"


def joined(steps):
    """As the executor does, makes one step of reductions that follow one another and have the same destination:
    it has all their sources, the last one's number of chunks, and reads the destination once. The steps that
    it takes the place of become None."""
    before = None
    for i, step in enumerate(steps):
        if step.type == "nop":
            continue
        step.sources = [step.source]
        if (step.type == "re" and before is not None and step.waits[0] < 0 and not steps[before].signals and
                (step.destination, step.source[0]) == (steps[before].destination, steps[before].source[0])):
            step.sources = steps[before].sources + step.sources
            step.waits = steps[before].waits
            steps[before] = None
        before = i if step.type == "re" else None
    return steps


class Replay:
    def __init__(self, text, in_place):
        algo = ElementTree.fromstring(text)
        self.gpus = int(algo.get("ngpus"))
        self.chunks = int(algo.get("nchunksperloop"))
        self.collective = algo.get("coll")
        self.in_place = in_place
        self.blocks = {}
        self.memory = []
        for gpu in sorted(algo.findall("gpu"), key=lambda node: int(node.get("id"))):
            rank = int(gpu.get("id"))
            for tb in gpu.findall("tb"):
                self.blocks[rank, int(tb.get("id"))] = (
                    int(tb.get("send")), int(tb.get("recv")), int(tb.get("chan")),
                    joined([Step(node) for node in tb.findall("step")]))
            self.memory.append({})
            for chunk in range(int(gpu.get("i_chunks"))):
                self.write(rank, ("i", chunk), collections.Counter({(rank, chunk): 1}))

    def place(self, rank, place):
        """The input and the output of a call in place are the same memory."""
        buffer, chunk = place
        part = self.chunks // self.gpus
        if not self.in_place or buffer == "s":
            return place
        if self.collective == "allgather" and buffer == "i":
            return "o", rank * part + chunk
        if self.collective == "reducescatter" and buffer == "o":
            return "i", rank * part + chunk
        return ("i" if self.collective == "reducescatter" else "o"), chunk

    def read(self, rank, place):
        value = self.memory[rank].get(self.place(rank, place))
        if value is None:
            raise Wrong(f"gpu {rank} reads {place}, which has no data")
        return value

    def write(self, rank, place, value):
        self.memory[rank][self.place(rank, place)] = value

    def run(self, random):
        """Raises Wrong if the thread blocks cannot go on, or if the result is wrong."""
        at = {name: 0 for name in self.blocks}
        done = {name: -1 for name in self.blocks}  # the last step that has signalled
        fifos = collections.defaultdict(collections.deque)
        left = sum(len(block[3]) for block in self.blocks.values())
        while left:
            ready = [name for name in self.blocks if self.can_step(name, at, done, fifos)]
            if not ready:
                raise Wrong("a deadlock")
            name = random.choice(ready)
            step = self.blocks[name][3][at[name]]
            if step is not None:
                self.do(name, step, fifos)
                if step.signals:
                    done[name] = at[name]
            at[name] += 1
            left -= 1
        if any(fifos.values()):
            raise Wrong("a message is left over")
        self.check()

    def can_step(self, name, at, done, fifos):
        rank, _ = name
        send, receive, channel, steps = self.blocks[name]
        if at[name] == len(steps):
            return False
        step = steps[at[name]]
        if step is None:
            return True
        block, number = step.waits
        if block >= 0 and done.get((rank, block), -1) < number:
            return False
        if step.type in RECEIVES and not fifos[receive, rank, channel]:
            return False
        return step.type not in SENDS or len(fifos[rank, send, channel]) < 2

    def do(self, name, step, fifos):
        rank, _ = name
        send, receive, channel, _ = self.blocks[name]
        if step.type == "nop":
            return

        def places(place):
            return [(place[0], place[1] + i) for i in range(step.count)]
        values = fifos[receive, rank, channel].popleft() if step.type in RECEIVES else []
        if step.type in RECEIVES and len(values) != step.count:
            raise Wrong("a message of another length")
        if step.type in ("s", "cpy"):
            values = [self.read(rank, place) for place in places(step.source)]
        if step.type in ("rrs", "rrc", "rrcs"):
            values = [value + self.read(rank, place) for value, place in zip(values, places(step.source))]
        if step.type == "re":
            values = [sum((self.read(rank, place) for place in same), collections.Counter())
                      for same in zip(places(step.destination), *map(places, step.sources))]
        if step.type not in ("s", "rrs"):
            for place, value in zip(places(step.destination), values):
                self.write(rank, place, value)
        if step.type in SENDS:
            fifos[rank, send, channel].append(values)

    def check(self):
        part = self.chunks // self.gpus
        everyone = range(self.gpus)
        for rank in everyone:
            if self.collective == "allreduce":
                wanted = {c: collections.Counter((g, c) for g in everyone) for c in range(self.chunks)}
            elif self.collective == "allgather":
                wanted = {g * part + c: collections.Counter({(g, c): 1}) for g in everyone for c in range(part)}
            elif self.collective == "reducescatter":
                wanted = {c: collections.Counter((g, rank * part + c) for g in everyone) for c in range(part)}
            else:  # alltoall
                wanted = {g * part + c: collections.Counter({(g, rank * part + c): 1})
                          for g in everyone for c in range(part)}
            for chunk, value in wanted.items():
                if self.read(rank, ("o", chunk)) != value:
                    raise Wrong(f"gpu {rank} ends with a wrong chunk {chunk}")
