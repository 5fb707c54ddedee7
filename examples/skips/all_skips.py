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
LISTS_FOR_12 = 359
TRIED = 240  # with more ranks


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
                named = {each["options"].removeprefix("--skips "): each["simulated_s"]
                         for each in tutti("compare", "allreduce/circulant", *cell, "--skips", "all")["cells"]}
                scheme = min(named, key=named.get)
                found = tutti("search", "allreduce", *cell, "--families", "skips", "--evaluations",
                              LISTS_FOR_12 if ranks == 12 else TRIED)["families"][0]
                skips = found["best"].rpartition("--skips ")[2]
                gain = 100 * (1 - found["best_s"] / named[scheme])
                print(f"{name:<24}{ranks:>4}{size:>9}  {scheme:>11}{1e6 * named[scheme]:>11.2f}"
                      f"{1e6 * found['best_s']:>11.2f}{gain:>5.1f}%  {skips}", flush=True)


if __name__ == "__main__":
    main()
