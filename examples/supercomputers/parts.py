"""Parts of the message model, and how to disable each: by changing parameters, or by an option."""

import json
import re
import shutil

from machines import HERE, MACHINES, kept

HUGE = 1e15


def no_overheads(values):
    values["latency_s"] += values["send_overhead_s"] + values["receive_overhead_s"]
    values["send_overhead_s"] = values["receive_overhead_s"] = 0


def no_handshake(values):
    values["handshake_s"] = values["node_handshake_s"] = 0
    values["eager_bytes"] = HUGE


def medium_as_any(values):
    values["medium_bytes_per_s"] = values["rank_bytes_per_s"]


def zero(*names):
    return lambda values: values.update({name: 0 for name in names})


def dropped(*names):
    """Returns a function that removes parameters: without its rate or threshold, a limit does not apply."""
    def change(values):
        for name in names:
            values.pop(name, None)
    return change


PARTS = {
    "overheads (as latency)": no_overheads,
    "turn to another peer": zero("peer_switch_s"),
    "latency of wires": zero("wire_latency_factor"),
    "asking the receiver first": no_handshake,
    "cost of an eager byte": zero("eager_s_per_byte"),
    "inline and buffered messages": zero("inline_bytes", "buffered_s"),
    "medium messages' rate": medium_as_any,
    "both ways at once": dropped("long_bytes", "long_bytes_per_s"),
    "limits of a node": dropped("node_rank_bytes_per_s", "node_bytes_per_s", "host_bytes_per_s"),
    "memory beyond the caches": dropped("cache_bytes", "memory_bytes_per_s"),
    "fresh pages": zero("fresh_s_per_byte", "register_s", "register_s_per_byte", "node_map_s_per_byte"),
    "registering them": zero("register_s", "register_s_per_byte"),
    "a heap that gives pages back": dropped("heap_bytes"),
    "cheaper messages inside a node": dropped("node_overhead_s"),
    "few connections": dropped("connections"),
    "static routes that collide": zero("load"),
    "shared cables": None,
    "the barrier before": None,
    "the library's ways": None,
}


def wide_cables(platform):
    """Removes the bandwidth limit of all cables except those of hosts. Latencies stay."""
    return re.sub(r'(<link id="group-[^"]*" bandwidth=")[^"]*"', r'\g<1>1000000000Gbps"', platform)


def without(part, folder):
    """Writes a parameter file without `part` for each machine to the folder. Returns further arguments
    for tutti()."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for machine in MACHINES:
        file = json.loads(kept(machine).read_text(encoding="utf-8"))
        file.pop("fit", None)
        if part is not None and PARTS[part]:
            before = dict(file["parameters"])
            PARTS[part](file["parameters"])
            for kind in file.get("job_kinds", []):
                # The values of jobs of this kind without the part, where they differ from those of all jobs.
                whole = {**before, **kind["parameters"]}
                PARTS[part](whole)
                kind["parameters"] = {name: value for name, value in whole.items()
                                      if value != file["parameters"].get(name)}
            file["sources"] = {name: text for name, text in file["sources"].items()
                               if name in file["parameters"]}
        if part == "the library's ways":
            file["library"] = "other"
        (folder / f"{machine}.json").write_text(json.dumps(file), encoding="utf-8")
    if part == "shared cables":
        for machine in MACHINES:
            platform = (HERE / "platforms" / f"{machine}.xml").read_text(encoding="utf-8")
            (folder / f"{machine}.xml").write_text(wide_cables(platform), encoding="utf-8")
    changed = {"after_barrier": False} if part == "the barrier before" else {}
    if part == "shared cables":
        changed["platforms"] = folder
    return changed
