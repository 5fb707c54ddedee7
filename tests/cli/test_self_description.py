"""What says what the command line is (manual page, completion, README), against the command line."""

import re
import shutil
import subprocess
import unittest

import harness


def commands():
    helped = harness.output("--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", helped, re.M)


def options(*command):
    return set(re.findall(r"(?<=[ ,])--[a-z][a-z-]*",
                          re.sub(r"\(.*?\)", "", harness.output(*command, "--help"))))


class Manual(unittest.TestCase):
    def test_names_every_command_and_option(self):
        page = harness.output("man").replace("\\-", "-")
        self.assertGreater(len(commands()), 5)
        for command in commands():
            section = page.split(f".SS tutti {command}\n")[1].split(".SS ")[0]
            listed = set(re.findall(r"--[a-z][a-z-]*", section))
            tagged = set(re.findall(r"(?<=[ ,B])--[a-z][a-z-]*", " ".join(
                line for line in section.splitlines() if line.startswith("\\fB"))))
            self.assertTrue(tagged <= listed)
            with self.subTest(command):
                real = harness.output(command, "--help")
                for option in tagged:
                    self.assertIn(option, real)
                names = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", real, re.M))
                self.assertEqual(names, tagged)

    def test_man_can_read_it(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=harness.output("man"),
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("compare", done.stdout)


class Completion(unittest.TestCase):
    def complete(self, *words):
        script = (harness.output("completion", "bash") +
                  'COMP_WORDS=(tutti "$@"); COMP_CWORD=$#; _tutti; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True,
                              text=True, check=True, cwd=harness.SOURCE_DIR)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_words(self):
        self.assertEqual(self.complete(""), commands())
        self.assertEqual(self.complete("com"), ["compare", "completion"])
        self.assertEqual(self.complete("compare", "allr"), ["allreduce"])
        self.assertEqual(self.complete("simulate", "barrier/d"), ["barrier/dissemination"])
        self.assertEqual(self.complete("compare", "allreduce", "--engine", "s"), ["simgrid"])
        self.assertEqual(self.complete("compare", "allreduce", "--jo"), ["--jobs"])
        self.assertEqual(self.complete("platform", "tor"), ["torus"])
        self.assertEqual(self.complete("platform", "torus", "--dims"), ["--dims"])
        self.assertEqual(self.complete("simulate", "--platform", "platforms/torus_6"),
                         ["platforms/torus_64.xml"])

    def test_every_option(self):
        for command in commands():
            names = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", harness.output(command, "--help"),
                                   re.M))
            self.assertEqual(set(self.complete(command, "--")), names, command)

    def test_words_are_accepted(self):
        """No value is offered that would be refused."""
        offered = {option: self.complete("simulate", option, "")
                   for option in ["--engine", "--network-model", "--placement", "--ports"]}
        offered["--skips"] = self.complete("simulate", "--skips", "")
        for option, values in offered.items():
            self.assertTrue(values)
            for value in values:
                harness.output("simulate", "allreduce/circulant", "-p", 4, "-n", 64, option, value)
        for option, algorithm in [("--fold", "allreduce/recursive_doubling"),
                                  ("--tree", "bcast/pipeline")]:
            for value in self.complete("simulate", option, ""):
                harness.output("simulate", algorithm, "-p", 4, "-n", 64, option, value)
        for value in self.complete("show", "--format", ""):
            harness.output("show", "bcast/binomial", "-p", 4, "-n", 64, "--format", value)

    def test_all_accepted_words_are_offered(self):
        here = ["simulate", "allreduce/recursive_doubling", "-p", 4, "-n", 64]
        for option in ["--engine", "--network-model", "--placement", "--fold"]:
            refusal = harness.run(*here, option, "?").stderr.strip()
            accepted = re.split(", | or ", refusal.split("accepted is ")[1])
            self.assertEqual(sorted(self.complete("simulate", option, "")), sorted(accepted))

    def test_other_shells_are_refused(self):
        done = harness.run("completion", "fish")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "tutti: unknown shell 'fish'; accepted is bash\n")


class Readme(unittest.TestCase):
    TEXT = (harness.SOURCE_DIR / "README.md").read_text(encoding="utf-8")

    def test_the_table_names_every_command(self):
        for command in commands():
            self.assertRegex(self.TEXT, rf"(?m)^\|.*`tutti {command}`.*\|")

    def test_the_output_shown_is_real(self):
        # The first is what the output below it came from; the wall clock varies.
        command = self.TEXT.split("./scripts/tutti ", 1)[1].split("./scripts", 1)[0]
        words = command.replace("\\\n", " ").split()
        done = harness.run(*words, cwd=harness.SOURCE_DIR)
        mask = lambda text: re.sub(r"(?m)^  (wall clock|peak memory) .*$", "", text)
        self.assertIn(mask(done.stdout), mask(self.TEXT))

    def test_links_lead_somewhere(self):
        for link in re.findall(r"\]\(([^)]+)\)", self.TEXT):
            if not link.startswith("http"):
                self.assertTrue((harness.SOURCE_DIR / link).exists(), link)


if __name__ == "__main__":
    harness.main()
