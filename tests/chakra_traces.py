"""Writes traces in Chakra's form (a stream of protobuf messages, each after its length).

The field numbers are those of et_def.proto of github.com/mlcommons/chakra, schema 1.0.2-chakra.0.0.4."""

import json
import pathlib

METADATA, MEM_LOAD, MEM_STORE, COMP, SEND, RECV, COLL = range(1, 8)
KINDS = ["ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL", "REDUCE_SCATTER",
         "REDUCE_SCATTER_BLOCK", "BARRIER"]


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytearray([value]))


def number(field, value):
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, bool):
        body = number(27, int(value))
    elif isinstance(value, int):
        body = number(9, value)  # int64
    else:
        body = text(29, value)
    return text(1, name) + body


class Rank:
    """The trace of a rank. Each method adds a node, and returns its id."""

    def __init__(self, first_id=0):
        self.next = first_id
        self.nodes = []

    def node(self, kind, name, data=(), ctrl=(), us=0, inputs=None, **attributes):
        body = number(1, self.next) + text(2, name) + number(3, kind)
        body += b"".join(number(4, each) for each in ctrl) + b"".join(number(5, each) for each in data)
        body += number(7, us)
        if inputs is not None:
            body += text(8, text(1, inputs))
        body += b"".join(text(10, attribute(*each)) for each in attributes.items())
        self.nodes.append(body)
        self.next += 1
        return self.next - 1

    def groups(self, **ranks):
        listed = [{"pg_name": name, "ranks": members} for name, members in ranks.items()]
        return self.node(METADATA, "process_group:init", inputs=json.dumps(listed))

    def compute(self, us, data=(), ctrl=(), **attributes):
        return self.node(COMP, "kernel", data, ctrl, us, is_cpu_op=False, **attributes)

    def collective(self, kind, size, data=(), ctrl=(), **attributes):
        sized = {} if kind == "BARRIER" else {"comm_size": size}
        return self.node(COLL, kind.lower(), data, ctrl, comm_type=KINDS.index(kind),
                         **{"is_cpu_op": False, **sized, **attributes})

    def send(self, size, to, data=(), tag=0, **attributes):
        return self.node(SEND, "send", data, comm_size=size, comm_dst=to, comm_tag=tag, **attributes)

    def receive(self, size, source, data=(), tag=0, **attributes):
        return self.node(RECV, "recv", data, comm_size=size, comm_src=source, comm_tag=tag, **attributes)

    def write(self, path):
        metadata = text(1, "0.0.4")
        messages = [metadata] + self.nodes
        pathlib.Path(path).write_bytes(b"".join(varint(len(each)) + each for each in messages))
