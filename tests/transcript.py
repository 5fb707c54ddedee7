"""Runs a transcript: a file of commands, with what each of them prints.

    python3 tests/transcript.py tests/cli/NAME.test [--update]

Example:

    # A count that is too large is reported with its line.
    file rules
      1 2 1 2
      2
      0 3 0 0
    $ tutti lint rules
      rules: rules of Open MPI 4.1 to 5.0.6, cut short at line 3
      ...
    exit 1

    $ tutti simulate allreduce/ring -p 0 -n 64
    error --ranks '0': at least 1 rank is needed

A command is a line that begins with `$ `; a `\\` at its end continues it on the next line. The commands of a
file run in order, each in a bash of its own (with pipefail, so write `sed -n 1p` in place of `head -1`), all in one
temporary folder with links to `platforms`, `examples`, `tests` and `golden` (tests/golden). The lines below a command say what it must do:

    (two blanks) LINE   it prints this line. All lines of standard output are compared; the line `...` stands
                        for any number of lines, and $PWD for the temporary folder
    words TEXT          standard output contains TEXT; any white space may stand for a blank
    no words TEXT       standard output does not contain TEXT
    regex REGEX         the regular expression matches somewhere in standard output; ^ and $ match at lines
    json PATH VALUE     the JSON on standard output has this value, such as `json cells.0.ranks 4`
    values PATH: FIELD ...
                        the JSON on standard output has these values: the lines below, which begin with two blanks,
                        each have the FIELDs of an object at PATH, in which * stands for every item of a list
    schema NAME         the JSON on standard output is valid for src/formats/schemas/NAME.schema.json
    same                standard output is that of the command before
    stderr              standard error consists of the lines below, which begin with two blanks
    stderr words TEXT   standard error contains TEXT; also `stderr no words` and `stderr regex`
    exit N              the exit status is N; without this line, it is 0
    error TEXT          the command is refused: standard error is `tutti: TEXT`, nothing else is printed, no file
                        appears in the folder, and the exit status is 2

A command that ends in ` ...` stands for several commands that are refused. Each line `refused WORDS => TEXT` below
it replaces the dots by words, and says which error is then expected, as in

    $ tutti simulate allreduce/ring -p 4 ...
    refused -n 1.5 => --bytes '1.5': not a number of bytes
    refused -n -8 => --bytes '-8': must not be negative

A stream for which there is no line must be empty. Comments begin with `#`. `unless sanitizers` above a command
leaves it out with sanitizers, where it would take minutes.

--update replaces lines, errors, values and exit statuses by the present ones, and adds them below a command
that has none. It keeps `words`, `regex` and the other partial checks. Look at the difference afterwards."""

import difflib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("TUTTI_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[1]))
SANITIZERS = os.environ.get("TUTTI_SANITIZE", "")
TIMEOUT_S = 500 if SANITIZERS else 50
VARYING = [(re.compile(r"^(  wall clock +).*$", re.M), r"\1(varies)"),
           (re.compile(r"^(  peak memory +).*$", re.M), r"\1(varies)"),
           (re.compile(r"(simgrid took) [\d.]+ \w+"), r"\1 (varies)")]
SHELL = re.compile(r"^\w+=|[|&;<>()$`\\\"*?\[\]{}~#!\n]")
EXPECTATION = re.compile(r"(?:stderr )?(?:no )?words .|(?:stderr )?regex .|json \S+ .|schema \S+$|same$|stderr$|"
                         r"exit \d+$|error .|refused .|values \S*: \S")


def environment():
    """Returns the environment of commands: `tutti` is the program that was built. No progress is printed, even
    on a slow machine, lines have their default width, and `sort` does not depend on the user's language."""
    binary = pathlib.Path(os.environ.get("TUTTI_BINARY", ROOT / "build" / "release" / "tutti"))
    if not binary.exists():
        sys.exit(f"'{binary}' does not exist; build tutti, or set TUTTI_BINARY")
    variables = dict(os.environ, PATH=f"{binary.resolve().parent}:{os.environ['PATH']}",
                     TUTTI_TEST_PROGRESS_MS="1000000000", LC_ALL="C.UTF-8")
    variables.pop("COLUMNS", None)
    variables.pop("NO_COLOR", None)
    return variables


def masked(text):
    """Returns the text without times and sizes that differ from run to run."""
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return text


def lines_of(text):
    """Returns the lines without blanks at their ends, and without empty lines at the end of the text."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def matches(expected, actual):
    """Compares lines. The line `...` stands for any number of lines, and ` ...` in a line for any text."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\ \.\.\.", " .*") + "\n"
                      for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def closest(line, lines, start, near):
    """Returns the index, from `start` on, of the line that is most like `line`. Prefers lines near `near`."""
    def likeness(index):
        return difflib.SequenceMatcher(None, line, lines[index]).ratio() - 0.005 * abs(index - near)
    return max(range(start, len(lines)), key=likeness)


def renewed(expected, actual):
    """Returns the actual lines, shortened where the expected lines have `...`: keeps for each run of expected
    lines the actual lines from the one that is most like its first to the one that is most like its last."""
    if matches(expected, actual):
        return expected
    if not actual or "..." not in expected:
        return actual
    lines = []
    at = 0
    for is_gap, run_of_lines in itertools.groupby(expected, lambda line: line == "..."):
        run_of_lines = list(run_of_lines)
        if is_gap:
            lines.append("...")
            continue
        first = closest(run_of_lines[0], actual, at, at) if lines else 0
        last = closest(run_of_lines[-1], actual, first, first + len(run_of_lines) - 1)
        lines += actual[first:last + 1]
        at = min(last + 1, len(actual) - 1)
    if expected[-1] != "...":
        lines += actual[last + 1:]
    return lines


class TranscriptError(Exception):
    """A line of a transcript that is not understood."""


class Command:
    """A command of a transcript, with the checks below it."""

    def __init__(self, lines, number):
        self.lines = lines
        self.number = number
        self.text = "\n".join(lines)[2:]
        self.out = []
        self.err = []
        self.checks = []
        self.refused = []
        self.error = None
        self.status = 0

    def expect(self, line, number, body):
        """Reads one expectation. `body` has the indented lines below it."""
        if line.startswith("refused "):
            words, _, text = line[8:].partition(" => ")
            self.refused.append((number, words, text))
        elif line == "stderr":
            self.err += body
        elif line.startswith("exit "):
            self.status = int(line[5:])
        elif line.startswith("error "):
            self.error = line[6:]
        else:
            self.checks.append((line, body))

    def parts(self):
        """Returns the commands that this command stands for: itself, or one for each line `refused`."""
        if not self.text.endswith(" ..."):
            return [self]
        commands = []
        for number, words, text in self.refused:
            commands.append(Command([f"$ {self.text[:-4]} {words}"], number))
            commands[-1].error = text
        return commands

    def partial(self, stream):
        """True if words, values or the like of a stream are checked, instead of its lines."""
        return any(check.startswith("stderr ") == (stream == "err") for check, _ in self.checks)

    def rewritten(self, done):
        """Returns the expectations that hold for the finished command. Partial checks stay as they are."""
        one_line = re.fullmatch(r"tutti: (.+)\n", done.err)
        if (done.status, done.out) == (2, "") and one_line and not done.new_files and not self.checks:
            return [f"error {renewed([self.error or ''], [one_line[1].rstrip()])[0]}"]
        lines = []
        if not self.partial("out"):
            lines += [f"  {line}".rstrip() for line in renewed(self.out, lines_of(done.out))]
        for check, body in self.checks:
            check, body = done.with_values(check, body)
            lines += [check, *(f"  {line}".rstrip() for line in body)]
        if done.err and not self.partial("err"):
            lines += ["stderr", *(f"  {line}".rstrip() for line in renewed(self.err, lines_of(done.err)))]
        return lines + ([f"exit {done.status}"] if done.status else [])


def values_at(document, keys):
    """Yields the values of a JSON document at a path of keys. `*` stands for every item, "" for the document, and #
    for the number of items."""
    key, *others = keys
    if key == "*":
        for item in document if isinstance(document, list) else document.values():
            yield from values_at(item, others) if others else [item]
        return
    if document is None:
        others = []
    elif key == "#":
        document = len(document)
    elif isinstance(document, list):
        document = document[int(key)]
    elif key:
        document = document.get(key)
    yield from values_at(document, others) if others else [document]


def word(value):
    """Returns a value as one of the words of a line: texts without quotes, and numbers with the 9 digits that do
    not depend on the compiler."""
    if isinstance(value, float):
        return f"{value:.9g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class CommandRun:
    """A finished command: what it printed, its exit status, and whether it left new files."""

    NONE = " (there is none"  # after a check whose value the output lacks

    def __init__(self, text, folder, variables):
        before = set(os.listdir(folder))
        # Without characters that only a shell understands, the shell is left out, which saves time.
        needs_shell = SHELL.search(re.sub(r"'[^']*'", "", text))
        command = ["bash", "-o", "pipefail", "-c", text] if needs_shell else shlex.split(text)
        try:
            done = subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            sys.exit(f"'{text}' takes more than {TIMEOUT_S} s")
        self.out, self.err = (masked(stream.decode(errors="replace").replace(str(folder), "$PWD"))
                              for stream in (done.stdout, done.stderr))
        self.status = done.returncode
        self.new_files = sorted(set(os.listdir(folder)) - before)

    def faults(self, command, before):
        """Yields what is wrong, one text for each fault."""
        out, err, status = command.out, command.err, command.status
        if command.error is not None:
            out, err, status = [], [f"tutti: {command.error}"], 2
            if self.new_files:
                yield f"new files: {' '.join(self.new_files)}"
        for stream, expected, actual in (("out", out, self.out), ("err", err, self.err)):
            if not command.partial(stream) and not matches(expected, lines_of(actual)):
                yield "\n".join(difflib.unified_diff(expected, lines_of(actual), "expected", f"std{stream}",
                                                     lineterm=""))
        for check, body in command.checks:
            fault = self.fault(check, body, before)
            if fault:
                yield f"{check}\n{fault}"
        if self.status != status:
            yield f"exit {self.status} instead of {status}" + (f"\n{self.err}" if not command.err else "")

    def fault(self, check, body, before):
        """Returns why a partial check fails; "" if it holds."""
        name, text = check, self.out
        if check.startswith("stderr "):
            name, text = check[7:], self.err
        kind, _, rest = name.partition(" ")
        if kind == "same":
            return "" if before is not None and before.out == self.out else f"printed: {self.out}"
        if kind == "schema":
            import jsonschema
            schema = json.loads((ROOT / "src/formats/schemas" / f"{rest}.schema.json").read_text())
            try:
                jsonschema.validate(json.loads(text), schema, jsonschema.Draft7Validator)
            except (ValueError, jsonschema.ValidationError) as error:
                return str(error)
            return ""
        if kind in ("json", "values"):
            now, lines = self.with_values(check, body)
            if self.NONE in now:
                return now
            if kind == "json" or now != check:
                return "" if now == check else now
            return "" if matches(body, lines) else "\n".join(difflib.unified_diff(body, lines, lineterm=""))
        if kind == "regex":
            return "" if re.search(rest, text, re.M) else f"printed: {text}"
        words = rest.removeprefix("words ") if kind == "no" else rest
        found = " ".join(words.split()) in " ".join(text.split())
        return "" if found == (kind == "words") else f"printed: {text}"

    def with_values(self, check, body):
        """Returns a check `json` or `values`, and the lines below it, with the present values; returns other checks
        unchanged."""
        check = check.partition(self.NONE)[0]
        try:
            if check.startswith("json "):
                path = check.split(" ")[1]
                value, = values_at(json.loads(self.out), path.split("."))
                return f"json {path} {json.dumps(value, ensure_ascii=False)}", body
            if check.startswith("values "):
                path, _, fields = check[7:].partition(": ")
                lines = [" ".join(word(next(values_at(found, field.split(".")), None)) for field in fields.split())
                         for found in values_at(json.loads(self.out), path.split("."))]
                return check, renewed(body, lines)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            return f"{check}{self.NONE}: {error})", body
        return check, body


def parse(text):
    """Returns the parts of a transcript: commands, and (line, ...) tuples of other lines in between."""
    lines = text.splitlines()
    parts = []
    at = 0

    def indented(start):
        """Returns the indented lines from `start` on. Blank lines inside belong to them, blank lines at the end
        do not."""
        end = start
        while end < len(lines) and (lines[end].startswith("  ") or not lines[end]):
            end += 1
        while end > start and not lines[end - 1]:
            end -= 1
        return [line[2:] for line in lines[start:end]]

    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        if line.startswith("$ "):
            while lines[at - 1].endswith("\\") and at < len(lines):
                at += 1
            command = Command(lines[number - 1:at], number)
            parts.append(command)
            out = indented(at)
            at += len(out)
            command.out = out
            while at < len(lines) and lines[at] and EXPECTATION.match(lines[at]):
                body = indented(at + 1) if lines[at] == "stderr" or lines[at].startswith("values ") else []
                command.expect(lines[at], at + 1, body)
                at += 1 + len(body)
            if command.text.endswith(" ...") != bool(command.refused):
                raise TranscriptError(f"{number}: 'refused' belongs to a command that ends in ' ...'")
        elif line.startswith("file "):
            body = indented(at)
            parts.append(("file", line, *body))
            at += len(body)
        elif not line or line.startswith("#") or line == "unless sanitizers":
            parts.append((line,))
        else:
            raise TranscriptError(f"{number}: '{line}' is neither a command nor what a command does")
    if not any(isinstance(part, Command) for part in parts):
        raise TranscriptError("1: there is no command")
    return parts


def run(path, update=False):
    """Runs a transcript. Returns the faults, each with its line, whether a part was left out, and the text with
    the present output."""
    faults, lines, left_out, before, leave_out = [], [], False, None, False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        for link, target in (("platforms", "platforms"), ("examples", "examples"), ("tests", "tests"),
                             ("golden", "tests/golden")):
            (folder / link).symlink_to(ROOT / target)
        variables = environment()
        for part in parse(path.read_text(encoding="utf-8")):
            if isinstance(part, tuple):
                if part[0] == "file":
                    (folder / part[1][5:]).parent.mkdir(parents=True, exist_ok=True)
                    (folder / part[1][5:]).write_text("".join(f"{line}\n" for line in part[2:]), encoding="utf-8")
                    lines += [part[1], *(f"  {line}".rstrip() for line in part[2:])]
                else:
                    leave_out = leave_out or bool(SANITIZERS) and part[0] == "unless sanitizers"
                    lines.append(part[0])
                continue
            lines += part.lines
            if leave_out:
                leave_out = False
                left_out = True
                continue
            for command in part.parts():
                done = CommandRun(command.text, folder, variables)
                if "this tutti was built without SimGrid" in done.err:
                    left_out = True
                    continue
                faults += [f"{path}:{command.number}: {command.text}\n{fault}"
                           for fault in done.faults(command, before)]
                expectations = command.rewritten(done)
                if command is not part:  # the error of one of several commands
                    words = command.lines[0].removeprefix(f"$ {part.text[:-4]} ")
                    expectations = [f"refused {words} => " + expectations[0].removeprefix("error ")]
                lines += expectations
                before = done
    return faults, left_out, "".join(f"{line}\n" for line in lines)


def main():
    path = pathlib.Path(sys.argv[1])
    update = sys.argv[2:] == ["--update"]
    try:
        faults, left_out, text = run(path)
        if update:
            if left_out:
                sys.exit("not updated: some commands cannot run in this build")
            path.write_text(text, encoding="utf-8")
            faults, _, _ = run(path)
    except TranscriptError as error:
        sys.exit(f"{path}:{error}")
    for fault in faults:
        print(fault, end="\n\n")
    sys.exit(1 if faults else 77 if left_out else 0)


if __name__ == "__main__":
    main()
