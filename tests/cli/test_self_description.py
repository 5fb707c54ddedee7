"""Compares the descriptions of the command line (manual page, completion) with the command line itself."""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import harness
from script_main import some_of


def commands():
    helped = harness.output("--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", helped, re.M)


def options(*command):
    return set(re.findall(r"(?<=[ ,])--[a-z][a-z-]*",
                          re.sub(r"\(.*?\)", "", harness.output(*command, "--help", "all"))))


class Manual(unittest.TestCase):
    def test_manual_names_every_command_and_option(self):
        page = harness.output("man").replace("\\-", "-")
        self.assertGreater(len(commands()), 5)
        for command in commands():
            section = page.split(f".SS tutti {command}\n")[1].split(".SS ")[0]
            listed = set(re.findall(r"--[a-z][a-z-]*", section))
            tagged = set(re.findall(r"(?<=[ ,B])--[a-z][a-z-]*", " ".join(
                line for line in section.splitlines() if line.startswith("\\fB"))))
            self.assertTrue(tagged <= listed)
            with self.subTest(command):
                real = harness.output(command, "--help", "all")
                for option in tagged:
                    self.assertIn(option, real)
                names = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", real, re.M))
                self.assertEqual(names, tagged)

    def test_man_can_read_the_manual(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=harness.output("man"),
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("compare", done.stdout)


def zsh_completes(line, folder, environment):
    """Types `line` and the Tab key in an interactive zsh. Returns the line that the terminal shows once the
    completion has been inserted."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
    try:
        os.write(terminal, b"PS1='> '; fpath=($HOME $fpath); autoload -Uz compinit; compinit -D -u; "
                           b"print rea''dy\n")
        shown = b""
        sent = None
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 4096)
            # The prompt after "ready" shows that zsh waits for input.
            if sent is None and re.search(rb"\nready.*> ", shown, re.S):
                sent = len(shown)
                os.write(terminal, line.encode() + b"\t#")
            # The "#" typed after Tab appears once the completion has been inserted.
            if sent is not None and b"#" in shown[sent:]:
                break
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "",
                      shown[sent or 0:].decode(errors="replace"))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


class Completion(unittest.TestCase):
    def complete(self, *words):
        script = (harness.output("completion", "bash") +
                  'COMP_WORDS=("$TUTTI" "$@"); COMP_CWORD=$#; _tutti; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True,
                              text=True, check=True, cwd=harness.SOURCE_DIR,
                              env=dict(os.environ, TUTTI=harness.TUTTI))
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_words_are_completed(self):
        self.assertEqual(self.complete(""), commands())
        self.assertEqual(self.complete("com"), ["compare", "completion"])
        self.assertEqual(self.complete("compare", "allr"), ["allreduce"])
        self.assertEqual(self.complete("simulate", "barrier/di"), ["barrier/dissemination"])
        self.assertEqual(self.complete("compare", "allreduce", "--engine", "s"), ["simgrid"])
        self.assertEqual(self.complete("compare", "allreduce", "--jo"), ["--jobs"])
        self.assertEqual(self.complete("platform", "tor"), ["torus"])
        self.assertEqual(self.complete("platform", "torus", "--dims"), ["--dims"])
        # The shell itself completes file names.
        self.assertEqual(self.complete("simulate", "--platform", "platf"), [])
        self.assertIn("complete -o default -F", harness.output("completion", "bash"))
        self.assertEqual(self.complete("simulate", "--platform", "cross"), ["crossbar:"])
        self.assertEqual(self.complete("compare", "allreduce/circ"),
                         ["allreduce/circulant", "allreduce/circulant_blocks"])
        self.assertEqual(self.complete("compare", "bcast", "--algorithms", "binomial,pipe"),
                         ["binomial,pipeline"])
        self.assertEqual(self.complete("query", "results.db", "--view", ""),
                         ["cells", "best", "times", "losses"])
        self.assertEqual(self.complete("decide", "bcast", "--export", "ompi"),
                         ["ompi4", "ompi5", "ompi6"])
        self.assertEqual(self.complete("decide", "bcast", "--engine", "=", "fl"), ["flow"])
        self.assertEqual(harness.output("__complete", "decide", "--engine=fl"), "--engine=flow\n")
        self.assertEqual(self.complete("help", "platform", "dra"),
                         ["dragonfly", "dragonfly_plus"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("list", "--color", "a"), ["auto", "always"])
        # Words with spaces are offered as a whole.
        self.assertEqual(harness.output("__complete", "choose", "bcast", "--library", "Open MPI 4"),
                         "Open MPI 4.1\n")
        listed = harness.output("__complete", "list", "allreduce", "--library", "Op").splitlines()
        self.assertIn("Open MPI 5.0", listed)
        self.assertTrue(all(word.startswith("Open MPI") for word in listed), listed)
        self.assertEqual(self.complete("simulate", "--within", "linear+rabens"),
                         ["linear+rabenseifner"])

    def test_every_option_is_offered(self):
        for command in harness.every(5, commands()):
            names = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", harness.output(command, "--help", "all"),
                                   re.M))
            self.assertEqual(set(self.complete(command, "--")), names, command)

    def test_offered_values_are_accepted(self):
        offered = {option: self.complete("simulate", option, "")
                   for option in ["--engine", "--network-model", "--placement", "--ports"]}
        offered["--skips"] = self.complete("simulate", "--skips", "")
        for option, values in offered.items():
            self.assertTrue(values)
            for value in harness.every(2, values):
                harness.output("simulate", "allreduce/circulant", "-p", 4, "-n", 64, option, value)
        for option, algorithm in [("--fold", "allreduce/recursive_doubling"),
                                  ("--tree", "bcast/pipeline")]:
            for value in self.complete("simulate", option, ""):
                harness.output("simulate", algorithm, "-p", 4, "-n", 64, option, value)
        for value in self.complete("show", "--format", ""):
            harness.output("show", "bcast/binomial", "-p", 4, "-n", 64, "--format", value)

    def test_all_accepted_values_are_offered(self):
        here = ["simulate", "allreduce/recursive_doubling", "-p", 4, "-n", 64]
        for option in ["--engine", "--network-model", "--placement", "--fold"]:
            refusal = harness.run(*here, option, "?").stderr.strip()
            accepted = re.split(", | or ", re.split("expected ", refusal)[1])
            if option == "--placement":
                accepted.remove("random:SEED")  # a pattern, not a word
            self.assertEqual(sorted(self.complete("simulate", option, "")), sorted(accepted))

    def test_arguments_of_report_and_plot_are_completed(self):
        """Arguments of report and plot are completed like those of the command that they run."""
        self.assertEqual(self.complete("report", "sim"), ["simulate"])
        self.assertEqual(self.complete("report", "simulate", "barrier/di"), ["barrier/dissemination"])
        self.assertEqual(self.complete("plot", "decide", "bcast", "--engine", "fl"), ["flow"])
        self.assertEqual(self.complete("plot", "decide", "bcast", "--wh"), ["--what-if", "--which"])
        self.assertEqual(
            self.complete("report", "simulate", "allreduce/ring", "--and", "compare", "allr"),
            ["allreduce"])
        self.assertEqual(self.complete("report", "simulate", "allreduce/ring", "--an"), ["--and"])

    def test_fish_completion(self):
        script = harness.output("completion", "fish")
        self.assertIn("__complete", script)
        if not shutil.which("fish"):
            self.skipTest("there is no fish")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(harness.TUTTI, pathlib.Path(folder) / "tutti")
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", HOME=folder)
            subprocess.run(["fish", "-n"], input=script, text=True, check=True, env=environment)
            for line, found in [("tutti com", "compare\ncompletion\n"),
                                ("tutti simulate barrier/di", "barrier/dissemination\n"),
                                ("tutti decide bcast --engine=fl", "--engine=flow\n"),
                                ("tutti simulate --platform platforms/torus_6",
                                 "platforms/torus_64.xml\n"),
                                ("tutti completion ", "bash\nfish\nzsh\n")]:
                done = subprocess.run(["fish", "-c", f"{script}\ncomplete -C '{line}'"], text=True,
                                      check=True, capture_output=True, cwd=harness.SOURCE_DIR,
                                      env=environment)
                self.assertEqual((done.stdout, done.stderr), (found, ""), line)

    def test_zsh_completion(self):
        script = harness.output("completion", "zsh")
        self.assertIn("__complete", script)
        if not shutil.which("zsh"):
            self.skipTest("there is no zsh")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["zsh", "-n"], input=script, text=True, check=True)
            os.symlink(harness.TUTTI, pathlib.Path(folder) / "tutti")
            (pathlib.Path(folder) / "my net.xml").write_text("")
            (pathlib.Path(folder) / "_tutti").write_text(script)
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", HOME=folder,
                               TERM="dumb", ZDOTDIR=folder)
            for line, found in [("tutti simulate barrier/di", "barrier/dissemination"),
                                ("tutti decide bcast --engine=fl", "--engine=flow"),
                                ("~/tutti compare allr", "allreduce"),
                                ("tutti simulate --platform my", r"my\ net.xml")]:
                self.assertIn(found, zsh_completes(line, folder, environment), line)

    def test_other_shells_are_refused(self):
        done = harness.run("completion", "bsh")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "tutti: unknown shell 'bsh'; expected bash, zsh or fish; "
                                      "did you mean 'bash'?\n")


class Help(unittest.TestCase):
    def test_each_command_has_its_own_help(self):
        self.assertEqual(harness.output("help", "compare"), harness.output("compare", "--help"))
        self.assertEqual(harness.output("help", "platform", "torus"),
                         harness.output("platform", "torus", "--help"))
        self.assertEqual(harness.output("help"), harness.output("--help"))
        self.assertIn("did you mean 'compare'?", harness.run("help", "compar").stderr)
        self.assertEqual(harness.output("help", "compare", "--all"), harness.output("compare", "--help", "all"))
        self.assertEqual(harness.output("-V"), harness.output("--version"))

    def test_short_help_has_the_usual_options(self):
        for command in ["compare", "decide", "simulate", "explain", "show", "score", "fit", "search"]:
            usual = harness.output(command, "--help")
            names = [set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.M))
                     for text in (usual, harness.output(command, "--help", "all"))]
            self.assertLess(names[0], names[1])
            self.assertIn(f"{len(names[1] - names[0])} more options: tutti {command} --help all", usual)
            self.assertLess(usual.count("\n  -"), 25, command)

    def test_json_describes_every_option(self):
        described = harness.json_output("help", "--json", "-")
        harness.validate(described, "tutti-help-1")
        by_name = {each["command"]: each for each in described["commands"]}
        for command in commands():
            names = {name for option in by_name[command]["options"] for name in option["names"]}
            listed = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", harness.output(command, "--help", "all"), re.M)
            self.assertEqual({name for name in names if name.startswith("--")}, set(listed))
        set_ = next(each for each in by_name["compare"]["options"] if each["field"] == "set")
        self.assertEqual((set_["value"], set_["repeated"], set_["usual"]), ("NAME=N", True, False))

    def test_help_fits_the_page(self):
        for columns in harness.every(3, [60, 80, 100]):
            for command in [[], *([command] for command in commands()), ["platform", "torus"]]:
                for line in harness.output(*command, "--help", "all", columns=columns).splitlines():
                    self.assertLessEqual(len(line), columns, f"{command}: {line}")

    def test_each_command_has_three_examples_that_work(self):
        with tempfile.TemporaryDirectory() as folder:
            for shared in ["platforms", "examples"]:
                os.symlink(harness.SOURCE_DIR / shared, pathlib.Path(folder) / shared)
            os.symlink(harness.TUTTI, pathlib.Path(folder) / "tutti")
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
            # The last three read files that the examples of the first two write.
            others = [name for name in commands() if name not in ("compare", "decide", "query", "lint", "choose")]
            for command in ("compare", "decide", *some_of(others, 4), "query", "lint", "choose"):
                examples = harness.output(command, "--help").split("Examples:\n")[1]
                examples = re.sub(r" \\\n +", " ", examples).splitlines()
                self.assertEqual(len(examples), 3, command)
                for example in examples:
                    if not shutil.which(example.split("|")[-1].split()[0]) and "|" in example:
                        continue
                    done = subprocess.run(["bash", "-c", "set -o pipefail; " + example], cwd=folder,
                                          env=environment, capture_output=True, text=True,
                                          check=False, timeout=harness.TIMEOUT_S)
                    # runs.json does not exist here, but the command line is valid.
                    if "runs.json" in example:
                        self.assertIn("cannot be read", done.stderr)
                    else:
                        self.assertIn(done.returncode, (0, 141), f"{example}\n{done.stderr}")


class Terminal(unittest.TestCase):
    def test_colour_is_for_terminals_and_on_request(self):
        here = ["compare", "allreduce", "-p", 8, "-n", "1K"]
        plain = harness.output(*here)
        self.assertNotIn("\x1b", plain)
        coloured = harness.output(*here, "--color", "always")
        self.assertIn("\x1b[1;32mrecursive_doubling", coloured)
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", coloured), plain)
        done = harness.run(*here, "--color", "alwys")
        self.assertEqual(done.stderr, "tutti: --color 'alwys': expected auto, always or never; "
                                      "did you mean 'always'?\n")

    def test_colour_and_width_on_a_terminal(self):
        for environment, coloured in [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]:
            leader, follower = os.openpty()
            fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 64, 0, 0))
            base = {name: value for name, value in os.environ.items()
                    if name not in ("NO_COLOR", "COLUMNS")}
            subprocess.run([harness.TUTTI, "compare", "allreduce", "-p", "8,16", "-n", "1K..1MiB*4"],
                           stdout=follower, stderr=subprocess.DEVNULL, check=True,
                           env={**base, "TERM": "xterm", "COLUMNS": "200", **environment})
            os.close(follower)
            text = b""
            while True:
                try:
                    part = os.read(leader, 65536)
                except OSError:
                    part = b""
                if not part:
                    break
                text += part
            os.close(leader)
            self.assertEqual(b"\x1b[" in text, coloured)
            lines = re.sub(rb"\x1b\[[0-9;]*m", b"", text).decode().splitlines()
            self.assertGreater(len(lines), 5)
            self.assertLessEqual(max(map(len, lines)), 64)

    def test_no_line_is_wider_than_the_page(self):
        thin = "platforms/infiniband_hdr_128_thin.xml"
        points, start = "examples/fit/points.csv", "examples/fit/start.json"
        with tempfile.TemporaryDirectory() as folder:
            database = pathlib.Path(folder) / "results.db"
            harness.run("compare", "allreduce", "-p", "4,8", "-n", "1K..1MiB*8", "--db", database)
            for command in [
                    ["list"], ["list", "--formulas"], ["verify", "allreduce", "-p", "1..5"],
                    ["show", "allreduce/ring", "-p", 16, "-n", 256, "--state", "all"],
                    ["show", "allreduce/ring", "-p", 5, "-n", 200, "--sum", "0,0"],
                    ["show", "allreduce/ring", "-p", 8, "-n", "1MiB", "--format", "stats"],
                    ["simulate", "allreduce/circulant", "-p", 64, "-n", "1MiB", "--platform", thin],
                    ["explain", "allreduce/circulant", "-p", 64, "-n", "1MiB", "--platform", thin],
                    ["compare", "bcast", "-p", "8,64", "-n", "1K,1MiB", "--all", "--misprints"],
                    ["compare", "allreduce", "-p", 8, "-n", "1K..64K*8", "--jitter", "10%",
                     "--repeat", 3, "--all"],
                    ["decide", "allreduce", "-p", "4,8", "-n", "8..64K*8", "--all", "--against",
                     "examples/decisions/open_mpi_4.1.json"],
                    ["choose", "allreduce", "-p", 48, "-n", "100K", "--table",
                     "examples/decisions/open_mpi_4.1.json"],
                    ["lint", "examples/decisions/open_mpi_4.1.json"],
                    ["score", points, "--platform", thin, "--parameters", start],
                    ["fit", points, "--platform", thin, "--parameters", start, "--job", "a",
                     "--fit", "latency_s,rank_bytes_per_s"],
                    ["query", database], ["query", database, "--view", "best"],
                    ["query", database, "--view", "times"],
                    ["query", database, "--against", "ring"]]:
                for columns in harness.every(2, [72, 80]):
                    done = harness.run(*command, columns=columns, cwd=harness.SOURCE_DIR)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for line in done.stdout.splitlines():
                        self.assertLessEqual(len(line), columns, f"{command[:2]}: {line}")


class NearlyRight(unittest.TestCase):
    def test_misspelled_words_get_the_right_suggestion(self):
        run = ["-p", 4, "-n", 64]
        ring = ("did you mean 'allreduce/ring', 'reduce_scatter/ring', 'allgather/ring', "
                "'allgatherv/ring' or 'reduce_scatter_block/ring'?")
        for command, words in [
                (["simulate", "ring", *run], ring), (["verify", "rign", "-p", 4], ring),
                (["show", "allreduce/rnig", *run], "'allreduce/ring'"),
                (["query", "x.db", "--view", "bst"], "did you mean 'best'?"),
                (["simulate", "allreduce/ring", *run, "--engine", "flwo"], "did you mean 'flow'?"),
                (["simulate", "allreduce/ring", *run, "--placement", "cylic"], "'cyclic'?"),
                (["simulate", "allreduce/ring", *run, "--symmetry", "of"], "'off'?"),
                (["simulate", "allreduce/ring", *run, "--network-model", "hokney"], "'hockney'?"),
                (["simulate", "bcast/pipeline", *run, "--tree", "bianry"], "did you mean 'binary'?"),
                (["simulate", "allreduce/ring", *run, "--platform", "platforms/torus_46.xml"],
                 "did you mean 'platforms/torus_64.xml'?"),
                (["lint", "examples/decisions/open_mpi_41.json"],
                 "did you mean 'examples/decisions/open_mpi_4.1.json'?"),
                (["compare", "allreduce", *run, "--algoritms", "ring"], "'--algorithms'?"),
                (["show", "allreduce/ring", *run, "--format", "jsn"], "did you mean 'json'?"),
                (["decide", "bcast", *run, "--export", "omp4"], "did you mean 'ompi4'?"),
                (["decide", "bcast", *run, "--by", "exat"], "did you mean 'exact'?")]:
            done = harness.run(*command, cwd=harness.SOURCE_DIR)
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(words, done.stderr)


class Sources(unittest.TestCase):
    def test_references_list_every_source(self):
        """REFERENCES.md must contain the volume, conference year or number that identifies a source."""
        known = (harness.SOURCE_DIR / "REFERENCES.md").read_text(encoding="utf-8")
        known = re.sub(r"[()]", " ", known.replace("arxiv.org/abs/", "arXiv "))
        known = re.sub(r"\s+", " ", known)
        formulas = harness.json_output("list", "--formulas", "--json", "-")["formulas"]
        listed = harness.json_output("list", "--json", "-")["algorithms"]
        for source in [a["source"] for a in listed] + [f["citation"] for f in formulas]:
            for date in re.findall(r"arXiv \d+\.\d+|\d+\(\d+\)|[A-Z][A-Za-z/]+'\d\d|"
                                   r"[A-Z][A-Za-z/]+ (?:19|20)\d\d|\[[a-z ]+\]", source):
                self.assertIn(re.sub(r"[()]", " ", date).strip(), known, source)

    def test_limits_and_flaws_of_sources_are_listed(self):
        for algorithm, words in [("allreduce/rabenseifner", "commutative operators and intra-communicators"),
                                 ("reduce_scatter/circulant", "Corollary 2"),
                                 ("allreduce/ring", "2p-1 steps, one too many")]:
            text = re.sub(r"\s+", " ", harness.output("list", algorithm))
            self.assertIn(words, text)
            self.assertIn(words, harness.json_output("list", algorithm, "--json", "-")
                          ["algorithms"][0]["remark"])


if __name__ == "__main__":
    harness.main()
