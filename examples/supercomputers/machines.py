"""Common code of the programs in this folder: the machines, the fits of their parameters, and functions
that run tutti."""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
POINTS = HERE / "points.csv"

# For each machine: the job to which its parameters are fitted, the largest number of ranks used
# (None: all), the sizes used (None: all), the weight of the start values, and the fitted parameters.
FITS = {
    "leonardo": {
        "job": "2025_06_04___14_26_23", "largest": 300, "sizes": None, "prior": "0.2",
        "fit": "send_overhead_s,latency_s,wire_latency_factor,peer_switch_s,eager_s_per_byte,"
               "handshake_s,medium_bytes_per_s,long_bytes_per_s,reduce_s_per_byte,"
               "reduce_memory_s_per_byte,fresh_s_per_byte,node_rank_bytes_per_s,node_latency_s",
    },
    "lumi": {
        "job": "2025_04_07___16_33_47", "largest": None, "sizes": None, "prior": "0.1",
        "fit": "send_overhead_s,latency_s,buffered_s,handshake_s,medium_bytes_per_s,"
               "rank_bytes_per_s,reduce_s_per_byte,reduce_memory_s_per_byte,"
               "copy_memory_s_per_byte,fresh_s_per_byte",
    },
    # There is only one job: three of its sizes are fitted, and the others are predicted.
    "mare_nostrum": {
        "job": "2025_04_10___20_36_45", "largest": None, "sizes": [2048, 131072, 67108864],
        "prior": "0.2",
        "fit": "send_overhead_s,latency_s,handshake_s,medium_bytes_per_s,rank_bytes_per_s,"
               "long_bytes_per_s,copy_memory_s_per_byte,fresh_s_per_byte",
    },
}


def points():
    with open(POINTS, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def program():
    """Returns the path of tutti: $TUTTI, tutti on the PATH, or the one built in this tree."""
    built = HERE.parents[1] / "build" / "release" / "tutti"
    found = os.environ.get("TUTTI") or shutil.which("tutti") or (built.exists() and str(built))
    if not found:
        sys.exit("tutti not found: build it, or set TUTTI to its path")
    return found


def run(command, *options, after_barrier=True, platforms=HERE / "platforms"):
    """Runs `tutti score` or `tutti fit` on the points, each job on its hosts."""
    return subprocess.run(
        [program(), command, str(POINTS), "--platform", str(platforms / "{machine}.xml"),
         "--hosts", str(HERE / "hosts/{machine}.{job}.{ranks}.csv"),
         *(["--after-barrier"] if after_barrier else []), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def tutti(command, *options, **more):
    """Like run(), but returns the output, and exits if tutti fails."""
    done = run(command, *options, **more)
    if done.returncode != 0:
        sys.exit(f"tutti {command}: {done.stderr.strip()}")
    return done.stdout


def fitted_names(machine):
    return FITS[machine]["fit"].split(",")


def cells_beside(machine):
    """Returns the cells of the fitted job that the fit leaves out, if it uses only some sizes."""
    fit = FITS[machine]
    if fit["sizes"] is None:
        return []
    return sorted({point["cell"] for point in points()
                   if (point["machine"], point["job"]) == (machine, fit["job"])
                   and int(point["bytes"]) not in fit["sizes"]})


def fit_parameters(machine, job, output):
    """Fits the parameters of a machine to a job, in the same way as those in the folder parameters.
    Returns the output of `tutti fit`. If `job` is not the job in FITS, parameters on which none of its
    points depends keep their start values."""
    fit = FITS[machine]
    options = ["--only", f"{machine}/", "--job", job, "--prior", fit["prior"], "--parameters",
               str(HERE / "start" / f"{machine}.json"), "-o", str(output)]
    if fit["largest"] is not None:
        options += ["--largest", str(fit["largest"])]
    if beside := cells_beside(machine):
        options += ["--without", ",".join(beside)]
    names = fitted_names(machine)
    while True:
        done = run("fit", *options, "--fit", ",".join(names))
        if done.returncode == 0:
            return done.stdout
        idle = re.search(r"--fit '(\w+)': (?:the fit moves .*)?no point depends on", done.stderr)
        if not idle or job == fit["job"]:
            sys.exit(f"tutti fit: {done.stderr.strip()}")
        names.remove(idle[1])


def cells_of_fit(machine):
    """Returns the cells that are not scored: those of the fitted job that the fit uses."""
    fit = FITS[machine]
    beside = set(cells_beside(machine))
    return sorted({point["cell"] for point in points()
                   if (point["machine"], point["job"]) == (machine, fit["job"])} - beside)
