#!/usr/bin/env python3
"""Runs the commands of one page of the manual and compares their output with the page.

    tests/docs/run_page.py README.md [--update]

In a code block marked `console`, each line that begins with `$ ` is a command for the shell, and the lines
below the command are its output. A line `...` matches any number of lines. If there are no lines below a
command, its output is not compared. If the exit status of a command must be N instead of 0, the command ends
with `# exits with N`. The content of a code block marked `file=NAME` is written to the file NAME. Commands
run in order in an empty folder with links to `platforms` and `examples`; `tutti` is the program that was
built.

--update rewrites the output in the page, and keeps each `...`. Look at the difference: what stands between two
`...` is found by its likeness to the old lines."""

import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import transcript

FENCE = re.compile(r"^```(.*)\n((?s:.*?))^```$", re.M)


def commands_of(block):
    """Returns (lines of the command, expected lines) for each command in a console block."""
    parts = []
    for line in block.splitlines():
        if line.startswith("$ "):
            parts.append(([line], []))
        elif parts and not parts[-1][1] and parts[-1][0][-1].endswith("\\"):
            parts[-1][0].append(line)
        elif parts:
            parts[-1][1].append(line)
        else:
            sys.exit(f"output before the first command: {line}")
    return parts


def run(text, folder, environment):
    status = re.search(r"# exits with (\d+)$", text)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False)
    if "this tutti was built without SimGrid" in done.stderr:
        print("needs SimGrid")
        sys.exit(77)
    if done.returncode != (int(status[1]) if status else 0):
        sys.exit(f"{text}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    printed = done.stdout + (done.stderr if status else "")
    return [line.rstrip() for line in transcript.masked(printed).splitlines()]


def main():
    page = (ROOT / sys.argv[1]).resolve()
    update = sys.argv[2:] == ["--update"]
    text = page.read_text(encoding="utf-8")
    wrong = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for link in ("platforms", "examples"):
            (folder / link).symlink_to(ROOT / link)
        environment = transcript.environment()

        def visit(fence):
            nonlocal wrong
            words, block = fence[1].split(), fence[2]
            for word in words:
                if word.startswith("file="):
                    (folder / word[5:]).write_text(block, encoding="utf-8")
            if words[:1] != ["console"]:
                return fence[0]
            lines = []
            for command, expected in commands_of(block):
                actual = run("\n".join(command)[2:], folder, environment)
                lines += command
                if expected and not transcript.matches(expected, actual):
                    if update:
                        expected = transcript.renewed(expected, actual)
                    else:
                        wrong = True
                        print("\n".join(command))
                        print("\n".join(difflib.unified_diff(expected, actual, "page", "printed",
                                                             lineterm="")))
                lines += expected
            return f"```{fence[1]}\n" + "".join(line + "\n" for line in lines) + "```"

        renewed_text = FENCE.sub(visit, text)
    if update:
        page.write_text(renewed_text, encoding="utf-8")
    sys.exit(1 if wrong else 0)


main()
