"""Checks that the compiler enforces the table in CONTRIBUTING.md, which lists for each folder the
folders that it may include."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE_DIR / "tests"))

import script_main

BUILD_DIR = pathlib.Path(os.environ["TUTTI_BINARY"]).parent
NOT_ITS_OWN = ["platforms/simgrid/", "sim/simgrid/", "sim/mpi/"]


def table():
    """Returns the rows of the table: {folder: folders that it may include}."""
    text = (SOURCE_DIR / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+)` \|[^|]*\|([^|]*)\|$", text, re.MULTILINE)
    return {folder: re.findall(r"`([\w/]+)`", sees) for folder, sees in rows}


def closure(sees, folder):
    found, todo = set(), [folder]
    while todo:
        found.add(next_one := todo.pop())
        todo += [other for other in sees[next_one] if other not in found]
    return found


def of_folder(folder, ending):
    paths = sorted((SOURCE_DIR / folder).rglob(f"*{ending}"))
    paths = [str(path.relative_to(SOURCE_DIR)) for path in paths]
    return [path for path in paths if not any(path.startswith(other) for other in NOT_ITS_OWN)]


def sources(*folders):
    return [path for folder in folders for path in (SOURCE_DIR / folder).rglob("*.[ch]pp")]


def without_comments(path):
    return re.sub(r"(^|\s)//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


def includes(command, header):
    """True if a source compiled with this command can include the header."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cpp"
        source.write_text(f'#include "{header}"\n')
        done = subprocess.run([*command, "-E", "-o", os.devnull, str(source)], capture_output=True,
                              text=True)
    missing = (f"fatal error: {header}: No such file", f"fatal error: '{header}' file not found")
    if done.returncode != 0 and not any(words in done.stderr for words in missing):
        raise AssertionError(done.stderr)
    return done.returncode == 0


def commands():
    """Returns the compile command of each source, without the arguments that name files."""
    found = {}
    for entry in json.loads((BUILD_DIR / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        kept = [words[1] if "ccache" in words[0] else words[0]]
        kept += [word for word in words if re.match(r"-(I|D|std)", word)]
        path = pathlib.Path(entry["directory"], entry["file"])
        sources = [path]
        if BUILD_DIR / "batches" in path.parents:  # a batch file includes several sources
            names = re.findall(r'^#include "(.*)"$', path.read_text(), re.MULTILINE)
            sources = [SOURCE_DIR / name for name in names]
        for source in sources:
            found.setdefault(os.path.relpath(source, SOURCE_DIR), kept)
    return found


class Layers(unittest.TestCase):
    def test_the_layer_table_matches_what_compiles(self):
        sees = table()
        self.assertGreater(len(sees), 10)
        compiled = commands()
        for folder in sees:
            command = compiled[of_folder(folder, ".cpp")[0]]
            allowed = closure(sees, folder)
            for other in sees:
                header = of_folder(other, ".hpp")[0]
                self.assertEqual(includes(command, header), other in allowed,
                                 f"a file of {folder} that includes {header}")

    def test_every_folder_of_sources_is_in_the_table(self):
        known = [*table(), "src/mpi", "bindings/python", "tests", "examples"]
        listed = subprocess.run(["find", ".", "-name", "*.cpp", "-not", "-path", "./build*"],
                                capture_output=True, text=True, cwd=SOURCE_DIR, check=True)
        for path in listed.stdout.split():
            path = path[2:]
            if path.count("/") == 1 and path.startswith("src/"):
                continue  # main() and similar files
            self.assertTrue(any(path.startswith(folder + "/") for folder in known), path)

    def test_bindings_use_the_public_headers_alone(self):
        text = (SOURCE_DIR / "bindings/python/core.cpp").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r'^#include "(.*)"', text, re.MULTILINE), ["tutti/tutti.hpp"])

    def test_output_layer_runs_no_simulation(self):
        engines = r'#include "(sim/(flow|critical_path|simgrid|mpi)/|src/simulation/\w+_run\.hpp|src/experiments/runner/(?!proof_cells))'
        for path in (SOURCE_DIR / "src/output").rglob("*.[ch]pp"):
            self.assertNotRegex(path.read_text(encoding="utf-8"), engines, path)

    def test_tests_are_in_the_folder_of_their_layer(self):
        for folder in table():
            for path in (SOURCE_DIR / "tests" / folder).rglob("*.cpp"):
                text = path.read_text(encoding="utf-8")
                if "TEST_CASE(" in text:
                    headers = "tutti" if folder == "src/public_api" else folder
                    self.assertRegex(text, f'#include "(tests/)?{headers}/', path)

    def test_tools_find_the_functions(self):
        # universal-ctags 5.9 finds no function in "namespace tutti::inline schedules {".
        folders = [folder for folder in table() if "/" not in folder] + ["src", "include", "bindings"]
        for path in sources(*folders, "tests"):
            self.assertNotRegex(path.read_text(encoding="utf-8"), r"(?m)^namespace [\w:]*::inline ", path)
        listed = subprocess.run(["ctags", "-x", "--c++-kinds=f", "--languages=C++", "-R", *folders], cwd=SOURCE_DIR,
                                capture_output=True, check=True, text=True).stdout.splitlines()
        self.assertGreaterEqual(sum(not line.startswith("__anon") for line in listed), 7_000)

    def test_only_programs_write_to_standard_error(self):
        # Other code reports to Messages (base/messages.hpp). src/mpi has programs too.
        programs = ("src/main.cpp", "src/formats/standard_streams.cpp")
        for path in sources("base", "schedules", "platforms", "cost_models", "sim", "src", "include", "bindings"):
            name = str(path.relative_to(SOURCE_DIR))
            if name not in programs and not name.startswith("src/mpi/"):
                self.assertNotIn("std::cerr", without_comments(path), path)

    def test_no_flags_below_the_command_line(self):
        # Messages in these folders name fields such as "$ports", which base/field_names.hpp replaces by
        # flags.
        for folder in ("base", "schedules", "platforms", "sim", "cost_models", "src/simulation", "src/experiments",
                       "src/output"):
            for path in (SOURCE_DIR / folder).rglob("*.[ch]pp"):
                # The meanings of the fields of documents are for readers of their schemas.
                text = re.sub(r"fields<[^>]*>\(\{.*?^\}\);|^(extern )?const \w*Document\w*(<[^\n]*>)? ?\w+\{.*?\};",
                              "", without_comments(path), flags=re.MULTILINE | re.DOTALL)
                for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', text):
                    # Options of SimGrid, and of programs that start jobs.
                    ours = re.sub(r"--((cfg|log)=|(mca|map-by) )", "", literal)
                    self.assertNotRegex(ours, "--[a-z]", path)

    def test_experiments_and_output_know_no_command_line(self):
        for folder in ("src/experiments", "src/output"):
            for path in (SOURCE_DIR / folder).rglob("*.[ch]pp"):
                self.assertNotRegex(path.read_text(encoding="utf-8"), r'#include "src/requests/command_', path)

    def test_a_change_in_any_folder_triggers_a_build(self):
        # scripts/tutti builds again when a file in one of these folders is newer than the program.
        text = (SOURCE_DIR / "scripts/lib.sh").read_text(encoding="utf-8")
        watched = re.search(r"^source_folders=\((.*?)\)$", text, re.MULTILINE | re.DOTALL).group(1).split()
        self.assertLessEqual({folder.split("/")[0] for folder in table()}, set(watched))


if __name__ == "__main__":
    script_main.main()
