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

QUEUES = True  # whether jobs in different queues have different parameters


def ignore_queues():
    """Takes all jobs of a machine for one kind, as on a new machine."""
    global QUEUES
    QUEUES = False


def kind_of(point):
    """Returns the key in FITS of the parameters that the job of a point has. On Leonardo, jobs of more
    than 64 nodes ran in the queue boost_qos_bprod, in which a job asks for the GPUs and for 32 tasks on
    each node (PICO's config/environments/leonardo.sh). From 28 March to 2 April 2025, those of more than
    256 nodes ran in another one."""
    large, job = int(point["nodes"]) > 64, point["job"]
    other_queue = int(point["nodes"]) > 256 and "2025_03_28" <= job < "2025_04_03"
    if QUEUES and point["machine"] == "leonardo" and large and not other_queue:
        return "leonardo_bprod"
    return point["machine"]


def barrier_of(point):
    """Returns the barrier that PICO's rules for Open MPI force (selector/ompi_dynamic_rules.txt, since the
    first days of April 2025); "" for the library's own choice."""
    forced = point["machine"] in ("leonardo", "mare_nostrum") and point["job"] >= "2025_04_05"
    return "recursive_doubling" if forced else ""


# For each kind of jobs: the largest number of ranks of a job that is fitted (simulations of more take too
# long for a fit), the weight of the start values, the fitted parameters, the machine if its name is
# another one, and the kind whose kept parameters are the start values, if there is one.
# FEW: those that a dozen points can determine.
FEW = ("latency_s,handshake_s,medium_bytes_per_s,rank_bytes_per_s,reduce_s_per_byte,"
       "reduce_memory_s_per_byte,fresh_s_per_byte").split(",")
FITS = {
    "leonardo": {
        "largest": 300, "prior": "0.2",
        "fit": "latency_s,wire_latency_factor,handshake_s,medium_bytes_per_s,"
               "rank_bytes_per_s,long_bytes_per_s,reduce_s_per_byte,reduce_memory_s_per_byte,"
               "copy_s_per_byte,copy_memory_s_per_byte,fresh_s_per_byte,register_s,"
               "register_s_per_byte,node_overhead_s,node_latency_s,node_rank_bytes_per_s",
    },
    "leonardo_bprod": {
        "largest": 300, "prior": "0.2", "machine": "leonardo", "start": "leonardo",
        "fit": "latency_s,handshake_s,rank_bytes_per_s,reduce_memory_s_per_byte",
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


def start_file(kind):
    """Returns the path of the parameters from public figures."""
    return HERE / "start" / f"{machine_of(kind)}.json"


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


def jobs_of(kind):
    return sorted({point["job"] for point in points() if kind_of(point) == kind})


def kept(kind):
    """Returns the path of the kept parameters."""
    return HERE / "parameters" / f"{kind}.json"


def by_job(folder, of_kind=kept):
    """Copies the file of_kind(KIND), if there is one, to the folder for each job of the kind. Returns the
    pattern for --parameters."""
    for kind, machine, job in {(kind_of(each), each["machine"], each["job"]) for each in points()}:
        if of_kind(kind).exists():
            shutil.copy(of_kind(kind), folder / f"{machine}.{job}.json")
    return folder / "{machine}.{job}.json"


def fits(kind, point):
    """True if the point is one to which parameters of the kind of jobs are fitted."""
    return (kind_of(point) == kind and point["tutti"] != ""
            and int(point["ranks"]) <= FITS[kind]["largest"])


def planned_points(machine, count, output):
    """Writes the points of the machine that `tutti fit --plan` chooses to the file `output`."""
    tutti("fit", "--plan", "1h", "--count", str(count), "--prior", FITS[machine]["prior"],
          "--parameters", str(HERE / "start" / f"{machine}.json"), "--fit", ",".join(FEW), "-o",
          str(output),
          chosen=lambda point: fits(machine, point))


def fit_parameters(kind, output, chosen=lambda point: True, source=POINTS, names=None, start=None,
                   fitted=fits, **more):
    """Fits the parameters of a kind of jobs to the points in the file `source` for which chosen(POINT) and
    fitted(KIND, POINT) are true, and returns the output of `tutti fit`. Parameters on which none of these
    points depends keep their start values. `more`: for run()."""
    fit = FITS[kind]
    names = names or fit["fit"].split(",")
    start = start or (kept(fit["start"]) if "start" in fit else start_file(kind))
    while True:
        done = run("fit", "--prior", fit["prior"], "--parameters", str(start), "-o",
                   str(output), "--fit", ",".join(names), source=source,
                   chosen=lambda point: fitted(kind, point) and chosen(point), **more)
        if done.stdout:
            return done.stdout
        idle = re.search(r"--fit '(\w+)': (?:the fit moves .*)?no point depends on", done.stderr)
        if not idle:
            sys.exit(f"tutti fit: {done.stderr.strip()}")
        names = [name for name in names if name != idle[1]]
