"""Common code of the programs in this folder: the machines, the fits of their parameters, and functions
that run tutti."""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
POINTS = HERE / "points.csv"

# In the jobs of Leonardo with 200 to 256 nodes, small messages take two to three times as long as in
# those with fewer or more nodes. The parameters are those of the others; the slow times count only for the
# spread. On a new machine, such a rule is not known: use_all_modes() drops it.
SLOW_NODES = range(100, 300)
SLOW_BYTES = 8_000_000


def use_all_modes():
    global SLOW_NODES
    SLOW_NODES = range(0)


def in_usual_mode(point):
    return (point["machine"] != "leonardo" or int(point["nodes"]) not in SLOW_NODES
            or int(point["bytes"]) >= SLOW_BYTES)


# For each machine: the largest number of ranks of a job that is fitted (simulations of more take too
# long for a fit), the weight of the start values, and the fitted parameters.
# FEW: those that a dozen points can determine.
FEW = ("latency_s,handshake_s,medium_bytes_per_s,rank_bytes_per_s,reduce_s_per_byte,"
       "reduce_memory_s_per_byte,fresh_s_per_byte").split(",")
FITS = {
    "leonardo": {
        "largest": 300, "prior": "0.2",
        "fit": "latency_s,wire_latency_factor,peer_switch_s,handshake_s,medium_bytes_per_s,"
               "rank_bytes_per_s,long_bytes_per_s,reduce_s_per_byte,reduce_memory_s_per_byte,"
               "copy_s_per_byte,copy_memory_s_per_byte,fresh_s_per_byte,register_s,"
               "register_s_per_byte,node_overhead_s,node_latency_s,node_rank_bytes_per_s",
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
        return list(csv.DictReader(file))


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
        file = source
        if chosen is not None:
            file = pathlib.Path(folder) / "points.csv"
            write_points(file, [point for point in points(source) if chosen(point)])
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


def counts_for_spread(machine, point):
    """True if the point counts for the spread of jobs and times of the machine."""
    return (point["machine"] == machine and point["tutti"] != ""
            and int(point["ranks"]) <= FITS[machine]["largest"])


def fits(machine, point):
    """True if the point is one to which parameters of the machine are fitted."""
    return counts_for_spread(machine, point) and in_usual_mode(point)


def planned_points(machine, count, output):
    """Writes the points of the machine that `tutti fit --plan` chooses to the file `output`."""
    tutti("fit", "--plan", "1h", "--count", str(count), "--prior", FITS[machine]["prior"],
          "--parameters", str(HERE / "start" / f"{machine}.json"), "--fit", ",".join(FEW), "-o",
          str(output),
          chosen=lambda point: fits(machine, point))


def fit_parameters(machine, output, chosen=lambda point: True, source=POINTS, names=None,
                   start=None, **more):
    """Fits the parameters of a machine to its chosen usual points in the file `source`, and returns the
    output of `tutti fit`. Parameters on which none of these points depends keep their start values.
    `more`: for run()."""
    fit = FITS[machine]
    names = names or fit["fit"].split(",")
    fitted = [point for point in points(source) if fits(machine, point) and chosen(point)]
    slow = [point for point in points(source)
            if counts_for_spread(machine, point) and not in_usual_mode(point) and chosen(point)]
    with tempfile.TemporaryDirectory() as folder:
        file, slow_file = pathlib.Path(folder) / "points.csv", pathlib.Path(folder) / "slow.csv"
        write_points(file, fitted)
        if slow:
            write_points(slow_file, slow)
        while True:
            done = run("fit", "--prior", fit["prior"], "--parameters",
                       str(start or HERE / "start" / f"{machine}.json"), "-o", str(output), "--fit",
                       ",".join(names), *(["--spread-only", str(slow_file)] if slow else []),
                       source=file, **more)
            if done.stdout:
                return done.stdout
            idle = re.search(r"--fit '(\w+)': (?:the fit moves .*)?no point depends on", done.stderr)
            if not idle:
                sys.exit(f"tutti fit: {done.stderr.strip()}")
            names = [name for name in names if name != idle[1]]
