"""Helpers for the tests of the built program: they run it and report failures readably."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("TUTTI_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE_DIR / "tests"))

import script_main

# Sanitizers with which the program is built; empty if there are none. They make the program several times
# slower, and need a large address space.
SANITIZERS = os.environ.get("TUTTI_SANITIZE", "")
TUTTI = os.environ.get("TUTTI_BINARY", str(SOURCE_DIR / "build" / "release" / "tutti"))
# Without a terminal, long runs print progress now and then, which would depend on the machine's speed.
os.environ.setdefault("TUTTI_TEST_PROGRESS_MS", "1000000000")
TIMEOUT_S = 500 if SANITIZERS else 150

without_sanitizers = unittest.skipIf(SANITIZERS, "takes minutes with sanitizers")
limits_addresses = unittest.skipIf(SANITIZERS, "sanitizers need more address space than this limit leaves")


def every(step, cases):
    """Returns all cases, or with sanitizers only every `step`th one, because all cases would take minutes."""
    return list(cases)[::step if SANITIZERS else 1]


def run(*arguments, columns=None, **options):
    """Runs tutti without a terminal, so its output has no colour. Returns the completed process, whose output
    is text. Output lines have at most `columns` columns, or at most 100 if `columns` is not given."""
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
    """Returns the standard output of a run, which must succeed. The run must write nothing to standard error,
    except warnings that the result depends on ties."""
    done = run(*arguments, **options)
    if done.returncode != 0 or any(not line.startswith("tutti: the result depends on which of")
                                   for line in done.stderr.splitlines()):
        raise AssertionError(f"tutti {' '.join(map(str, arguments))}: exit {done.returncode}\n"
                             f"{done.stderr}")
    return done.stdout


def json_output(*arguments):
    return json.loads(output(*arguments))


def compared(*arguments, **options):
    """Runs compare, and returns the rows of its JSON, which must all have the same fields."""
    document = json.loads(output("compare", *arguments, "--json", "-", **options))
    validate(document, "tutti-comparison-1")
    validate(document["cells"], "tutti-result-1")
    if len({tuple(row) for row in document["cells"]}) != 1:
        raise AssertionError("the rows have different fields")
    return document["cells"]


def choice(*arguments):
    """Runs choose for a single call, and returns its choice."""
    document = json_output("choose", *arguments, "--json", "-")
    validate(document, "tutti-choice-2")
    [found] = document["choices"]
    return found


def time_of(result):
    """Returns the time by which commands rank a result: the simulated time or, if that time depends on the
    order of ties, the median over several orders."""
    ties = result.get("ties")
    return ties["median_s"] if ties and ties["spread"] > 0.001 else result["simulated_s"]


def range_of(result):
    """Returns the shortest and the longest time of a result over several orders of ties. If only one order
    was simulated, both are the simulated time."""
    ties = result.get("ties") or {}
    return (ties.get("least_s", result["simulated_s"]), ties.get("most_s", result["simulated_s"]))


def host_algorithms(*collective):
    """Returns the entries of `list` for algorithms without in-network computation, which run on any
    platform."""
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
