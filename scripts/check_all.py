"""`scripts/check all` and `scripts/check status`: run all slow checks. A unit that has passed runs
again only if a file that it reads has changed.

A part of the check consists of units. For example, each fuzz target is a unit of the part "fuzz", and
each source is a unit of the part "tidy". When a unit ends, its state and a hash of the files that it read
are saved in build/checks.json, so that an interrupted run continues where it stopped. The output of failed
units is in build/checks/."""

import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
JOBS = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or os.cpu_count() or 1)
SOURCES = ("base", "schedules", "platforms", "cost_models", "sim", "src", "include", "cmake",
           "CMakeLists.txt", "CMakePresets.json")
EVERYTHING = SOURCES + ("bindings", "tests", "examples",
                        *(f"scripts/{name}" for name in ("lib.sh", "make_platforms", "test", "tutti")))

file_hashes = {}


def file_hash(path):
    if path not in file_hashes:
        file_hashes[path] = hashlib.sha256(path.read_bytes()).hexdigest()
    return file_hashes[path]


def files_below(names):
    for name in names:
        place = ROOT / name
        if place.is_file():
            yield place
        for folder, folders, files in os.walk(place):
            folders[:] = [each for each in folders
                          if each not in ("node_modules", "__pycache__", "findings")]
            yield from (Path(folder) / each for each in files)


def key_of(paths, *more):
    """Returns a hash of the names and contents of the files, and of `more`."""
    digest = hashlib.sha256(repr(more).encode())
    for path in sorted(set(paths)):
        digest.update(f"{path.relative_to(ROOT)} {file_hash(path)}\n".encode())
    return digest.hexdigest()


def tree_key(names=EVERYTHING):
    return key_of(files_below(names))


def included(path, seen):
    """Adds `path` and all headers of the project that it includes, directly or indirectly, to `seen`."""
    if path in seen:
        return seen
    seen.add(path)
    for name in re.findall(r'^#include "(.+?)"', path.read_text(errors="replace"), re.M):
        if (ROOT / name).is_file():
            included(ROOT / name, seen)
    return seen


def run(command, log=None):
    """Runs a command, with its output to `log` or the terminal. Returns True if it succeeds."""
    if log is None:
        return subprocess.run(command, cwd=ROOT).returncode == 0
    with open(log, "w") as out:
        return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.STDOUT).returncode == 0


def script(*arguments):
    return [str(ROOT / "scripts" / "check"), *arguments]


class Unit:
    """`name` is PART or PART/UNIT. `act(log)` runs the unit and returns True if it passes. `key` is a
    hash of the sources. `built()` returns a hash of the built programs that the unit runs, and of the
    files that they read: if it is unchanged, a change of sources does not require a new run. If it
    returns None, only `key` counts. `figure(log)` returns what `status` prints about the unit: a number
    from its output."""

    def __init__(self, name, key, act, built=None, figure=None):
        self.name, self.key, self.act = name, key, act
        self.figure = figure or (lambda log: "")
        self.built = built or (lambda: None)

    def log(self):
        return BUILD / "checks" / (self.name.replace("/", "_") + ".log")


def tests_of(preset, slow):
    """Returns the numbers and commands of the tests of a built tree, grouped by first label."""
    listed = subprocess.run(["ctest", "--test-dir", str(BUILD / preset), "--show-only=json-v1"],
                            capture_output=True, text=True, check=True).stdout
    by_label = {}
    for number, test in enumerate(json.loads(listed)["tests"], 1):
        labels = next((each["value"] for each in test.get("properties", [])
                       if each["name"] == "LABELS"), [])
        if ("slow" in labels) == slow:
            first = next((label for label in labels if label != "slow"), "others")
            by_label.setdefault(first, []).append((number, test.get("command", [""])))
    return by_label


# Files and folders that only the tests with these labels read.
FEW_READERS = {ROOT / place: labels for place, labels in {
    "CHANGELOG.md": (), "CITATION.cff": (), "README.md": ("cli", "docs"),
    "docs": ("cli", "docs"), "packaging": (),
    "tests/docs": ("docs",), "tests/fuzz": ("faults", "src"),
    "tests/golden": ("cli", "faults", "mpi", "mpi_plan"),
    "tests/mpi": ("mpi", "mpi_plan"), "tests/slurm": ("slurm",), "tests/web": ("web",)}.items()}


def others_private(path, label):
    return any(path.is_relative_to(place) and label not in labels
               for place, labels in FEW_READERS.items())


def programs_key(tests, label):
    """Returns a hash of the programs of the tests and of the files that they may read at run time: all
    files except sources and scripts. Returns None if a test is a script, because scripts may read or
    compile any file."""
    programs = {Path(command[0]) for _, command in tests}
    if not all(BUILD in each.parents for each in programs):
        return None
    return key_of([*programs, *(path for path in files_below(EVERYTHING)
                                if path.suffix not in (".cpp", ".hpp", ".py", ".ts") and
                                not others_private(path, label))])


def test_key(label):
    """Returns the hash of all files except the test sources and scripts of other labels."""
    if label == "layers":  # this test reads all files
        return tree_key()
    own = ROOT / "tests" / ("mpi" if label == "mpi_plan" else label)
    return key_of(path for path in files_below(EVERYTHING)
                  if not others_private(path, label) and
                  not (path.suffix == ".cpp" and path.is_relative_to(ROOT / "tests") and
                       path.parent != ROOT / "tests" and not path.is_relative_to(own)))


def test_units(part, preset, slow):
    def act_on(tests):
        wanted = "0,0,0," + ",".join(str(number) for number, _ in tests)
        command = ["ctest", "--test-dir", str(BUILD / preset), "-j", str(JOBS), "-I", wanted,
                   "--output-on-failure", "--no-tests=error"]
        return lambda log: run(command, log)

    # C++ tests come first, since they finish sooner.
    by_label = sorted(tests_of(preset, slow).items(), key=lambda item: item[0] in ("mpi", "cli"))
    return [Unit(f"{part}/{label}", test_key(label), act_on(tests),
                 lambda tests=tests, label=label: programs_key(tests, label)) for label, tests in by_label]


def format_units(_):
    key = key_of([*(path for path in files_below(EVERYTHING) if path.suffix in (".cpp", ".hpp")),
                  ROOT / ".clang-format"])
    return [Unit("format", key, lambda log: run(script("format"), log))]


def odr_units(_):
    return [Unit("odr", tree_key(SOURCES), lambda log: run(script("odr"), log))]


def build_units(_):
    """Measures the build from nothing, and compares it with tests/bench/speed/build.txt."""
    key = key_of([*files_below(SOURCES), ROOT / "scripts/cold_build", ROOT / "tests/bench/speed/build.txt"])
    command = [str(ROOT / "scripts" / "cold_build"), "--limit"]

    def figure(log):
        found = re.search(r"^\S+ units", log.read_text(), re.M)
        return found[0] if found else ""

    return [Unit("build", key, lambda log: run(command, log), figure=figure)]


def fuzz_key(target, seconds):
    seeds = (path for path in files_below(("tests/fuzz",)) if path.suffix not in (".cpp", ".hpp"))
    return key_of([BUILD / "asan" / "fuzz" / f"fuzz_{target}", *seeds], seconds)


def fuzz_units(options):
    seconds = round(60 * options.fuzz_minutes)
    run_script = str(ROOT / "tests" / "fuzz" / "run")
    targets = sorted(path.name for path in (ROOT / "tests" / "fuzz" / "corpus").iterdir() if path.is_dir())
    key = key_of(files_below((*SOURCES, "tests/fuzz")), seconds)
    return [Unit(f"fuzz/{target}", key,
                 lambda log, target=target: run([run_script, target, str(seconds)], log),
                 lambda target=target: fuzz_key(target, seconds))
            for target in targets]


def tidy_units(_):
    """Checks batches of sources, since clang-tidy spends most of its time on headers of libraries."""
    folder = BUILD / "tidy"
    commands = json.loads((folder / "compile_commands.json").read_text())
    flags = key_of([ROOT / ".clang-tidy", ROOT / "CMakeLists.txt", *files_below(("cmake",))])
    ours = r"--header-filter=/(base|schedules|platforms|cost_models|sim|src|tests)/.*\.[ch]pp$"
    units = []
    for path in sorted({Path(each["file"]) for each in commands}):
        if BUILD in path.parents and (BUILD / "tidy" / "batches") not in path.parents:
            continue  # generated
        name = path.relative_to(folder if BUILD in path.parents else ROOT)
        checks = "--checks=-bugprone-suspicious-include"
        if "tests" in re.split(r"[/_]", str(name)):  # as in tests/.clang-tidy, which does not apply
                                                     # to batches
            checks += ",-readability-container-size-empty"
        command = ["clang-tidy-16", "-p", str(folder), "--quiet", ours, checks, str(path)]
        if BUILD in path.parents:  # sources of a batch may use a name for different things
            command.append("--extra-arg=-Wno-shadow")
        units.append(Unit(f"tidy/{name}", key_of(included(path, set()), flags),
                          lambda log, command=command: run(command, log)))
    return units


def bare_root_units(_):
    return [Unit("bare_root", tree_key(), lambda log: run(script("bare_root"), log))]


# The parts: name, number of units that run in parallel, build step, and function that returns the
# units. Parts that fail soonest come first.
PARTS = (
    ("format", 1, None, format_units),
    ("build", 1, None, build_units),
    ("odr", 1, None, odr_units),
    ("fuzz", JOBS, ("prepare", "fuzz"), fuzz_units),
    ("sanitize", 1, ("prepare", "sanitize"),
     lambda _: test_units("sanitize", "asan", False)),
    ("tidy", JOBS, ("prepare", "tidy"), tidy_units),
    ("slow", 1, ("prepare", "slow"), lambda _: test_units("slow", "release", True)),
    ("bare_root", 1, None, bare_root_units),
)


class State:
    def __init__(self):
        self.path = BUILD / "checks.json"
        self.lock = threading.Lock()
        self.parts = {}
        if self.path.exists():
            self.parts = json.loads(self.path.read_text())

    def begin(self, part, units):
        """Sets the units of a part: removes units that no longer exist, and adds new ones."""
        old = self.parts.get(part, {})
        self.parts[part] = {unit.name: old.get(unit.name, {"state": "not run"}) for unit in units}

    def passed(self, part, unit):
        """Returns True if the unit has passed with the current sources. The part must be built."""
        known = self.parts[part][unit.name]
        if known["state"] != "passed":
            return False
        built = unit.built()
        if known["key"] != unit.key and built is not None and known.get("built") == built:
            known["key"] = unit.key
        return known["key"] == unit.key

    def note(self, part, unit, passed, seconds):
        with self.lock:
            self.parts[part][unit.name] = {
                "state": "passed" if passed else "FAILED", "key": unit.key, "built": unit.built(),
                "when": time.strftime("%Y-%m-%d %H:%M:%S"), "seconds": round(seconds, 1),
                "figure": unit.figure(unit.log())}
            self.save(part)

    def save(self, part):
        """Saves one part. Keeps the states of other parts that other processes have saved meanwhile."""
        with open(self.path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = json.loads(self.path.read_text()) if self.path.exists() else {}
            kept[part] = self.parts[part]
            self.parts = kept
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps(kept, indent=1) + "\n")
            new.replace(self.path)


def say(text):
    print(f"tutti: {text}", file=sys.stderr, flush=True)


def run_part(name, at_once, before, units_of, options, state):
    if before and not run(script(*before)):
        say(f"{name}: its build FAILED")
        return False
    units = units_of(options)
    if not units:
        say(f"{name}: there is nothing to run")
        return False
    state.begin(name, units)
    if options.parts and name not in options.parts:
        wanted = [unit for unit in units if unit.name in options.parts]
        if not wanted:
            say(f"{name}: no such unit; there are " + ", ".join(unit.name for unit in units))
            return False
        units = wanted
    todo = [unit for unit in units if not state.passed(name, unit)]
    state.save(name)
    say(f"{name}: {len(units)} units, of which {len(units) - len(todo)} have already passed")
    # Units that failed the last time come first.
    todo.sort(key=lambda unit: state.parts[name][unit.name]["state"] != "FAILED")
    failed = []

    def do(unit):
        if failed and not options.keep_going:
            return
        start = time.monotonic()
        passed = unit.act(unit.log())
        state.note(name, unit, passed, time.monotonic() - start)
        if passed:
            unit.log().unlink(missing_ok=True)
        else:
            failed.append(unit)
            say(f"{unit.name} FAILED (its output: {unit.log().relative_to(ROOT)})")

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        list(pool.map(do, todo))
    return not failed


def check_all(options):
    (BUILD / "checks").mkdir(parents=True, exist_ok=True)
    state = State()
    good = True
    for name, at_once, before, units_of in PARTS:
        if options.parts and name not in [each.split("/")[0] for each in options.parts]:
            continue
        start = time.monotonic()
        passed = run_part(name, at_once, before, units_of, options, state)
        say(f"{name}: {'passed' if passed else 'FAILED'}, {time.monotonic() - start:.0f} s")
        good = good and passed
        if not good and not options.keep_going:
            break
    print_status(options, state)
    return 0 if good else 1


def print_status(options, state=None):
    state = state or State()
    rows = [("part", "state", "units", "last run", "took")]
    for name, _, _, units_of in PARTS:
        known = state.parts.get(name, {})
        try:
            now = {unit.name: unit.key for unit in units_of(options)}
        except (OSError, subprocess.CalledProcessError):  # if nothing is built yet
            now = {}
        done = [each for each in known.values() if each["state"] != "not run"]
        if any(each["state"] == "FAILED" for each in done):
            bad = [unit for unit, each in known.items() if each["state"] == "FAILED"]
            more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
            word = f"FAILED: {bad[0]}{more}"
        elif not done:
            word = "not run"
        elif any(now.get(unit) != each.get("key") for unit, each in known.items()) or \
                set(now) != set(known):
            current = sum(now.get(unit) == each.get("key") for unit, each in known.items())
            word = f"outdated ({current} of {len(now)} hold)" if current else "outdated"
        else:
            word = "passed"
        seconds = sum(each["seconds"] for each in done)
        word = ", ".join([word, *(each["figure"] for each in done if each.get("figure"))])
        rows.append((name, word, str(len(known) or ""), max((e["when"] for e in done), default=""),
                     f"{seconds:.0f} s" if done else ""))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0


def main():
    parser = argparse.ArgumentParser(prog="scripts/check")
    parser.add_argument("what", choices=("all", "status"))
    parser.add_argument("parts", nargs="*", metavar="PART",
                        help="run only these parts or units, such as slow or slow/mpi [all]; parts: " +
                        ", ".join(p[0] for p in PARTS))
    parser.add_argument("--fuzz-minutes", type=float, default=1, metavar="N",
                        help="run each fuzz target for N minutes [1]")
    parser.add_argument("--keep-going", action="store_true",
                        help="run the other parts and units even after a failure [stop at the first]")
    options = parser.parse_intermixed_args()
    for part in options.parts:
        if part.split("/")[0] not in [each[0] for each in PARTS]:
            parser.error(f"unknown part '{part}'; there are " + ", ".join(p[0] for p in PARTS))
    if not options.fuzz_minutes > 0:
        parser.error("--fuzz-minutes: must be above 0")
    sys.exit(check_all(options) if options.what == "all" else print_status(options))


if __name__ == "__main__":
    main()
