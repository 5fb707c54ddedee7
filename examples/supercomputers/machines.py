"""Common code of the programs in this folder: the machines, the fits of their parameters, and functions
that run tutti."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
POINTS = HERE / "points.csv"

KINDS = True  # whether jobs of different kinds have different parameters


def ignore_kinds():
    """Takes all jobs of a machine for one kind, as on a new machine."""
    global KINDS
    KINDS = False


def kind_of(point):
    """Returns the key in FITS of the kind of jobs to which a point belongs."""
    if KINDS:
        for kind, fit in FITS.items():
            if (machine_of(kind) == point["machine"] and "of" not in fit
                    and includes(fit.get("limits", {}), point)):
                found = kind
        return found
    return point["machine"]


def includes(limits, point):
    """Returns whether the limits of a kind in a parameter file include the job of the point."""
    return all(limits.get(f"{name}_from", 0) <= float(point[name]) <= limits.get(f"{name}_to", 1e9)
               for name in ("nodes", "ranks_per_node"))


def barrier_of(point):
    """Returns the barrier that PICO's rules for Open MPI force (selector/ompi_dynamic_rules.txt, since 5 April
    2025), "library" for earlier jobs, or "" on LUMI, which has another library."""
    if point["machine"] == "lumi":
        return ""
    return "recursive_doubling" if point["job"] >= "2025_04_05" else "library"


# Parameters that a dozen points can determine.
FEW = ("latency_s,handshake_s,medium_bytes_per_s,rank_bytes_per_s,reduce_s_per_byte,"
       "reduce_memory_s_per_byte,fresh_s_per_byte").split(",")
# Each entry is a kind of jobs, or a second fit of the parameters of all jobs of a machine:
# largest: the largest number of ranks of a job that is fitted (larger simulations take too long for a fit)
# prior:   the weight of the start values
# fit:     the fitted parameters
# machine: the machine, if the entry has another name
# limits:  the limits of the kind, as in a parameter file; the last kind that includes a job counts
# source:  where the values of the kind come from, in words
# sizes:   the sizes that are fitted [all]
# start:   start values that differ from those of all jobs
# of:      the kinds whose jobs are fitted, in place of limits
FITS = {
    "leonardo": {
        "largest": 300, "prior": "0.2",
        "fit": "latency_s,wire_latency_factor,handshake_s,medium_bytes_per_s,"
               "rank_bytes_per_s,long_bytes_per_s",
    },
    # The queue boost_qos_bprod, in which a job asks for the GPUs and for 32 tasks on each node (PICO's
    # config/environments/leonardo.sh).
    "leonardo_bprod": {
        "largest": 300, "prior": "0.2", "machine": "leonardo",
        "limits": {"nodes_from": 65, "nodes_to": 256},
        "source": "queue boost_qos_bprod",
        "fit": "latency_s,handshake_s,rank_bytes_per_s",
    },
    # The parameters of all jobs once more, now that the queue has its own.
    "leonardo_both": {
        "largest": 300, "prior": "0.2", "machine": "leonardo", "of": ["leonardo", "leonardo_bprod"],
        "fit": "latency_s,wire_latency_factor,handshake_s,medium_bytes_per_s,rank_bytes_per_s,long_bytes_per_s,"
               "reduce_s_per_byte,reduce_memory_s_per_byte,copy_s_per_byte,copy_memory_s_per_byte,fresh_s_per_byte,"
               "register_s,register_s_per_byte",
    },
    # Jobs that are too large for that queue. The run of 1,024 nodes is not fitted, and tests these values.
    "leonardo_large": {
        "largest": 512, "prior": "0.2", "machine": "leonardo",
        "limits": {"nodes_from": 257},
        "source": "more than 256 nodes",
        "fit": "latency_s,wire_latency_factor,handshake_s,medium_bytes_per_s,rank_bytes_per_s",
    },
    "leonardo_several": {
        "largest": 1024, "prior": "0.2", "machine": "leonardo", "sizes": [131072, 8388608, 536870912],
        "limits": {"ranks_per_node_from": 2},
        "source": "several ranks on a node",
        # Chosen in view of the times of the run of 1,024 ranks, all its sizes: a fit from the values of one rank
        # on a node had an error of 15.0 %, the one from these 14.3 %. Only the first is a public figure: one of
        # four HDR100 ports.
        "start": {"rank_bytes_per_s": 12.5e9, "node_handshake_s": 5e-6, "node_rank_bytes_per_s": 7e9, "load": 0.25},
        "fit": "node_handshake_s,node_rank_bytes_per_s,node_map_s_per_byte,rank_bytes_per_s,load",
    },
    "lumi": {
        "largest": 300, "prior": "0.1",
        "fit": "send_overhead_s,latency_s,wire_latency_factor,buffered_s,handshake_s,"
               "medium_bytes_per_s,rank_bytes_per_s,reduce_s_per_byte,reduce_memory_s_per_byte,"
               "fresh_s_per_byte",
    },
    "mare_nostrum": {
        "largest": 300, "prior": "0.2",
        "fit": "latency_s,handshake_s,peer_switch_s,medium_bytes_per_s,rank_bytes_per_s,"
               "long_bytes_per_s,reduce_s_per_byte,reduce_memory_s_per_byte,copy_s_per_byte,"
               "copy_memory_s_per_byte,fresh_s_per_byte,register_s,register_s_per_byte",
    },
}


def points(path=POINTS):
    with open(path, encoding="utf-8", newline="") as file:
        return [{**point, "barrier": barrier_of(point)} for point in csv.DictReader(file)]


def machine_of(kind):
    return FITS[kind].get("machine", kind)


MACHINES = sorted({machine_of(kind) for kind in FITS})


def start_file(machine):
    """Returns the path of the parameters of a machine from public figures."""
    return HERE / "start" / f"{machine}.json"


def program():
    """Returns the path of tutti: $TUTTI, tutti on the PATH, or the one built in this tree."""
    built = HERE.parents[1] / "build" / "release" / "tutti"
    found = os.environ.get("TUTTI") or shutil.which("tutti") or (built.exists() and str(built))
    if not found:
        sys.exit("tutti not found: build it, or set TUTTI to its path")
    return found


def run(command, *options, chosen=None, source=POINTS, after_barrier=True,
        platforms=HERE / "platforms"):
    """Runs `tutti score` or `tutti fit`, each job on its hosts. The points are those in the file
    `source` of which `chosen` is true; without `chosen`, all."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "points.csv"
        write_points(file, [point for point in points(source) if chosen is None or chosen(point)])
        return subprocess.run(
            [program(), command, str(file), "--platform", str(platforms / "{machine}.xml"),
             "--hosts", str(HERE / "hosts/{machine}.{job}.{ranks}.csv"),
             *(["--after-barrier"] if after_barrier else []), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def write_points(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def tutti(command, *options, **more):
    """Like run(), but returns the output, and exits if tutti fails."""
    done = run(command, *options, **more)
    if done.returncode != 0:
        sys.exit(f"tutti {command}: {done.stderr.strip()}")
    return done.stdout


def jobs_of(machine):
    return sorted({point["job"] for point in points() if point["machine"] == machine})


def kinds_of(machine):
    return [kind for kind in FITS if machine_of(kind) == machine]


def kept(machine):
    """Returns the path of the kept parameters."""
    return HERE / "parameters" / f"{machine}.json"


def fits(kind, point):
    """True if the point is one to which parameters of the kind of jobs are fitted."""
    return (kind_of(point) in FITS[kind].get("of", [kind]) and point["tutti"] != ""
            and int(point["ranks"]) <= FITS[kind]["largest"]
            and int(point["bytes"]) in FITS[kind].get("sizes", [int(point["bytes"])])
            and point["collective"] != "alltoall")


def planned_points(machine, count, output):
    """Writes the points of the machine that `tutti fit --plan` chooses to the file `output`."""
    tutti("fit", "--plan", "1h", "--count", str(count), "--prior", FITS[machine]["prior"],
          "--parameters", str(HERE / "start" / f"{machine}.json"), "--fit", ",".join(FEW), "-o",
          str(output),
          chosen=lambda point: fits(machine, point))


def fit_parameters(kind, output, chosen=lambda point: True, source=POINTS, names=None, start=None,
                   fitted=fits, **more):
    """Fits the parameters of a kind of jobs to the points in the file `source` for which chosen(POINT) and
    fitted(KIND, POINT) are true, and returns the output of `tutti fit` and the names. Parameters on which none of
    these points depends keep their start values. `more`: for run()."""
    fit = FITS[kind]
    names = names or fit["fit"].split(",")
    while True:
        done = run("fit", "--prior", fit["prior"], "--parameters", str(start or start_file(machine_of(kind))), "-o",
                   str(output), "--fit", ",".join(names), source=source,
                   chosen=lambda point: fitted(kind, point) and chosen(point), **more)
        if done.stdout:
            return done.stdout, names
        idle = re.search(r"--fit '(\w+)': (?:the fit moves .*)?no point depends on", done.stderr)
        if not idle:
            sys.exit(f"tutti fit: {done.stderr.strip()}")
        names = [name for name in names if name != idle[1]]


def read_file(path):
    file = json.loads(path.read_text(encoding="utf-8"))
    file.pop("made_by", None)
    return file


def write_file(path, file):
    path.write_text(json.dumps(file, indent=2) + "\n", encoding="utf-8")


def fit_machine(machine, output, chosen=None, show=lambda text: None):
    """Writes the parameters of a machine: the kinds of FITS, one after the other, are fitted to those of their points
    for which chosen(POINT) is true. A kind with too few points has no parameters of its own. Without `chosen`, all
    points are fitted. Otherwise, if the fits of all jobs lose no point, the kinds before the first one that loses a point
    keep their kept parameters."""
    kinds = kinds_of(machine)
    made, found = read_file(start_file(machine)), []
    if chosen is not None:
        last = max(at for at, kind in enumerate(kinds) if "limits" not in FITS[kind]) + 1
        first = next((at for at, kind in enumerate(kinds)
                      if any(fits(kind, point) and not chosen(point) for point in points())), len(kinds))
        if first >= last:
            made = read_file(kept(machine))
            sources = [FITS[kind].get("source") for kind in kinds[:first]]
            found = [each for each in made.pop("job_kinds", []) if each["source"] in sources]
            kinds = kinds[first:]
    chosen = chosen or (lambda point: True)
    with tempfile.TemporaryDirectory() as folder:
        start, result = pathlib.Path(folder) / "start.json", pathlib.Path(folder) / "result.json"
        for kind in kinds:
            fit = FITS[kind]
            names = fit["fit"].split(",")
            if sum(fits(kind, point) and chosen(point) for point in points()) <= len(names):
                continue
            of_all = "limits" not in fit
            # A value of an earlier kind would hide that of the start.
            before = [{**each, "parameters": {name: value for name, value in each["parameters"].items()
                                              if of_all or name not in names}} for each in found]
            base = read_file(start_file(machine)) if of_all else made
            write_file(start, {**base, "parameters": {**base["parameters"], **fit.get("start", {})},
                               "job_kinds": before})
            text, names = fit_parameters(kind, result, chosen=chosen, start=start)
            show(f"{kind}\n{text}")
            fitted = read_file(result)
            if of_all:
                made = fitted
            else:
                found.append({**fit["limits"], "parameters": {name: fitted["parameters"][name] for name in names},
                              "source": fit["source"]})
    made.pop("job_kinds", None)
    write_file(output, {**made, "job_kinds": found} if found else made)
