"""What the tests of the built program share: running it, and complaining readably."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("TUTTI_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE_DIR / "tests"))

import script_main

# Which of them the program is built with; it is then several times slower, and needs a large address
# space.
SANITIZERS = os.environ.get("TUTTI_SANITIZE", "")
TUTTI = os.environ.get("TUTTI_BINARY", str(SOURCE_DIR / "build" / "release" / "tutti"))
TIMEOUT_S = 500 if SANITIZERS else 50

without_sanitizers = unittest.skipIf(SANITIZERS, "minutes of numbers, which other builds are held to")
limits_addresses = unittest.skipIf(SANITIZERS, "sanitizers take more addresses than this leaves")


def every(step, cases):
    """Every `step`th of the cases with sanitizers, which take minutes for all; else all."""
    return list(cases)[::step if SANITIZERS else 1]


def run(*arguments, columns=None, **options):
    """Runs tutti; text streams, and no terminal, so no colour, and 100 columns where none are asked
    for."""
    environment = {name: value for name, value in options.pop("env", os.environ).items()
                   if name not in ("COLUMNS", "NO_COLOR")}
    if columns is not None:
        environment["COLUMNS"] = str(columns)
    done = subprocess.run(
        [TUTTI, *map(str, arguments)],
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment, **options)
    if "this tutti was built without SimGrid" in done.stderr:
        raise unittest.SkipTest("needs SimGrid")
    return done


def output(*arguments, **options):
    """The standard output of a run that must succeed, and say nothing on standard error, unless it is
    that its total hangs on ties."""
    done = run(*arguments, **options)
    if done.returncode != 0 or any(not line.startswith("tutti: the total hangs on ties")
                                   for line in done.stderr.splitlines()):
        raise AssertionError(f"tutti {' '.join(map(str, arguments))}: exit {done.returncode}\n"
                             f"{done.stderr}")
    return done.stdout


def json_output(*arguments):
    return json.loads(output(*arguments))


def time_of(result):
    """What commands rank a result by: the median over other orders of ties, where these matter."""
    ties = result.get("ties")
    return ties["median_s"] if ties and ties["spread"] > 0.001 else result["simulated_s"]


def range_of(result):
    """The range of its time over other orders of ties."""
    ties = result.get("ties", {})
    return (ties.get("least_s", result["simulated_s"]), ties.get("most_s", result["simulated_s"]))


def host_algorithms(*collective):
    """What list says of those in which no switches take part: they run on any platform."""
    listed = json_output("list", *collective, "--json", "-")["algorithms"]
    return [algorithm for algorithm in listed if "in_network" not in algorithm]


def schema(name):
    return json.loads((SOURCE_DIR / "src/formats/schemas" / f"{name}.schema.json").read_text())


def validate(instance, schema_name):
    import jsonschema
    jsonschema.Draft7Validator.check_schema(schema(schema_name))
    jsonschema.validate(instance, schema(schema_name), jsonschema.Draft7Validator)


def main():
    script_main.main(*sys.argv[1:])
