#!/usr/bin/env python3
"""Makes points.csv: times that tutti simulates with the parameters of truth.json, with about 3 % noise and
one outlier.

    examples/fit/make_points.py OUTPUT
"""

import csv
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
TUTTI = os.environ.get("TUTTI_BINARY", ROOT / "build" / "release" / "tutti")
PLATFORM = ROOT / "platforms" / "infiniband_hdr_128_thin.xml"
JOBS = [("a", 16, 16), ("b", 64, 64), ("c", 48, 24)]
ALGORITHMS = {"allreduce": ["ring", "recursive_doubling", "rabenseifner"],
              "allgather": ["ring", "bruck"], "reduce_scatter": ["ring", "recursive_halving"]}
SIZES = [256, 4096, 65536, 1 << 20]
SPREAD = 0.03
OUTLIER = 10


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    rows = []
    for job, ranks, nodes in JOBS:
        for collective, algorithms in ALGORITHMS.items():
            for size in SIZES:
                least = 4 * ranks  # one element per rank
                rows += [{"machine": "thin", "job": job, "collective": collective, "ranks": ranks,
                          "nodes": nodes, "bytes": max(size // least, 1) * least, "type": "int32",
                          "tutti": algorithm, "role": "counts", "median_us": 1}
                         for algorithm in algorithms]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "points.csv"
        write(path, rows)
        printed = subprocess.run([TUTTI, "score", path, "--platform", PLATFORM, "--parameters",
                               FOLDER / "truth.json", "--points-csv", "-"],
                              capture_output=True, text=True, check=True).stdout
    seconds = {(row["cell"], row["algorithm"]): float(row["predicted_s"])
               for row in csv.DictReader(printed.splitlines())}
    chance = random.Random(4)
    points = []
    for number, row in enumerate(rows):
        cell = "/".join(str(row[key]) for key in ("machine", "job", "collective", "bytes", "ranks"))
        time = seconds[cell, row["tutti"]] * math.exp(chance.gauss(0, SPREAD))
        row["median_us"] = f"{time * 1e6 * (6 if number == OUTLIER else 1):.3f}"
        points.append(row)
        if row["tutti"] == ALGORITHMS[row["collective"]][-1]:  # the library's default
            points.append({**row, "tutti": "", "role": "default"})
    write(sys.argv[1], points)


main()
