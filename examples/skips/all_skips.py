"""Finds the best skips of the circulant allreduce for some numbers of ranks: among all lists that the paper's
Corollary 2 accepts if there are at most 2,000, otherwise by a local search that begins with the four named
schemes. Prints a row for each network and number of ranks, with the best of the four named schemes beside it.

usage: all_skips.py PLATFORM[:RANKS_PER_HOST]...
"""

import json
import pathlib
import subprocess
import sys

PLATFORMS = pathlib.Path(__file__).resolve().parents[2] / "platforms"


def tutti(*arguments):
    return json.loads(subprocess.run(["tutti", *map(str, arguments), "--json", "-"], check=True,
                                     capture_output=True, text=True).stdout)


def main():
    print(f"{'platform':<24}{'p':>4}{'bytes':>9}  {'best scheme':>11}{'us':>11}{'best us':>11}  gain  best skips")
    for machine in sys.argv[1:]:
        name, _, per_host = machine.partition(":")
        where = ["--platform", PLATFORMS / f"{name}.xml", "--ranks-per-host", per_host or 1]
        for ranks in (12, 22, 48, 100):
            for size in (512, 4 << 20):
                cell = ["-p", ranks, "-n", size, *where]
                *schemes, found = tutti("compare", "allreduce/circulant", *cell, "--skips", "all;search")["cells"]
                best = min(schemes, key=lambda each: each["simulated_s"])
                scheme = best["options"].removeprefix("--skips ")
                skips = found["options"].removeprefix("--skips ")
                gain = round(100 * (1 - found["simulated_s"] / best["simulated_s"]), 1) + 0.0  # not -0.0
                print(f"{name:<24}{ranks:>4}{size:>9}  {scheme:>11}{1e6 * best['simulated_s']:>11.2f}"
                      f"{1e6 * found['simulated_s']:>11.2f}{gain:>5.1f}%  {skips}", flush=True)


if __name__ == "__main__":
    main()
