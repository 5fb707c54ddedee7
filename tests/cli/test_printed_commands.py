"""Tests names of files that a shell would read as something else. Every command that tutti prints or writes
must name the file as one word, and must run nothing else. Names with control characters are refused."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import harness

NAMES = ["my rules", "it's", "-x", "--help", "~", "*", "#a", "$HOME",
         "a 'b' \"c\" \\ ; touch PWNED; & | touch PWNED $(touch PWNED) `touch PWNED` {a,b} > PWNED ! ~ * #"]
CONTROL = ["a\ntouch PWNED\n", "a\x1b[31m", "a\tb", "a\rb", "a\x7f", "a\u202eb", "a\u009bb"]
# Prints its name and its arguments, each on a line.
STUB = "#!/bin/sh\nprintf '%s\\n' \"$(basename \"$0\")\" \"$@\"\n"
RULES = ["decide", "allreduce", "-p", "4,8", "-n", "64,64K"]
# Variables in which libraries look for a file of rules.
VARIABLES = {"mpich": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "ucc": "UCC_CONFIG_FILE",
             "ompi4": "OMPI_MCA_coll_tuned_dynamic_rules_filename",
             "ompi6": "OMPI_MCA_coll_tuned_dynamic_rules_filename"}
PARAMETERS = harness.SOURCE_DIR / "examples" / "fit" / "start.json"


class PrintedCommands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "run"
        self.folder.mkdir()
        stubs = pathlib.Path(folder.name) / "stubs"
        stubs.mkdir()
        for name in ("mpirun", "srun", "tutti"):
            (stubs / name).write_text(STUB)
            (stubs / name).chmod(0o755)
        self.environment = {"PATH": f"{stubs}:/usr/bin:/bin", "HOME": "/nowhere"}

    def tutti(self, *arguments, code=0):
        done = harness.run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def shell(self, command):
        """Runs a command, which must do nothing but call a stub, and returns the lines that it prints."""
        before = sorted(os.listdir(self.folder))
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        self.assertEqual(sorted(os.listdir(self.folder)), before, command)
        return done.stdout.splitlines()

    def is_file(self, word, name):
        """Checks that a program which gets `word` opens the file `name`, and takes it for no option."""
        self.assertEqual(os.path.normpath(self.folder / word), str(self.folder / name))
        self.assertFalse(word.startswith("-"), word)

    def test_lines_that_load_rules(self):
        for name in NAMES:
            for form, variable in VARIABLES.items():
                with self.subTest(name, form=form):
                    text = self.tutti(*RULES, "--export", form, f"--output={name}").stdout
                    here = re.search(r"^loaded with: (.*)$", text, re.M)[1]
                    if variable.startswith("OMPI"):
                        self.is_file(self.shell(here)[-1], name)
                    else:
                        [value] = self.shell(f"{here} sh -c 'printf %s \"${variable}\"'")
                        self.is_file(value, name)
                    anywhere = re.search(r"^with srun: +(.*)$", text, re.M)[1]
                    [value] = self.shell(f"{anywhere}; printf %s \"${variable}\"")
                    self.assertEqual(value, str(self.folder / name))
                    (self.folder / name).unlink()

    def test_the_folder_of_a_site(self):
        for name in NAMES:
            with self.subTest(name):
                text = self.tutti("decide", "allreduce", "--library", "Open MPI 4.1.4", "-p", "8,64", "-n", "8,64K",
                                  f"--output={name}", "--json", "-").stdout
                [file] = json.loads(text)["files"]
                self.is_file(self.shell(file["loaded_with"])[-1], f"{name}/{file['file']}")
                readme = (self.folder / name / "README.md").read_text()
                commands = re.findall(r"^    ((?:export|mpirun) .*)$", readme, re.M)
                self.assertGreater(len(commands), 2)
                outer, self.folder = self.folder, self.folder / name
                printed = self.shell("; ".join(commands) + '; printf %s "$OMPI_MCA_coll_tuned_dynamic_rules_filename"')
                self.assertEqual(printed.count(str(self.folder / "tuned.conf")), 2, printed)
                self.folder = outer

    def test_the_script_and_the_commands_of_a_plan(self):
        start = PARAMETERS.read_text().replace('"library": "none"', '"library": "Open MPI 4.1.6"')
        for name in NAMES:
            name = name.replace("{a,b} ", "")  # the braces of --parameters have a meaning
            with self.subTest(name):
                (self.folder / name).write_text(start)
                plan = ["fit", "--plan", "10min", "-p", "16", "--ranks-per-host", "2", "--count", "7", "--platform",
                        harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml", f"--parameters={name}",
                        "--only", "bcast/"]
                text = self.tutti(*plan).stdout
                self.is_file(self.words_after("--parameters", re.search(r"^Then\n  (.*)$", text, re.M)[1]), name)
                script = self.tutti(*plan, "-o", "-").stdout
                comment = re.search(r"^#   (tutti fit .*)$", script, re.M)[1]
                self.is_file(self.words_after("--parameters", comment), name)
                self.assertTrue(all(re.match(r"#|job=|launcher=|sockets=|launch\(\)|\{|  |\}|$", line) for line in script.splitlines()), script)
                (self.folder / name).unlink()

    def words_after(self, option, command):
        words = self.shell(command)
        return words[words.index(option) + 1]

    def test_commands_in_errors(self):
        for name in NAMES:
            if name.startswith("-"):
                continue  # an option in these places
            with self.subTest(name):
                (self.folder / name).write_text("collective,p,bytes,calls\nallreduce,4,64,1\nbcast,4,64,1\n")
                for arguments, pattern in [
                        (["decide", name], r"file with (--with .*)$"),
                        (["compare", "bcast", name], r"write (--with .*)$"),
                        (["decide", "--profile", name, "--export", "json"], r"such as (tutti .*)$")]:
                    printed = self.tutti(*arguments, code=2).stderr.strip()
                    found = re.search(pattern, printed)
                    self.assertIsNotNone(found, printed)
                    command = found[1] if found[1].startswith("tutti") else f"tutti {found[1]}"
                    self.is_file(self.shell(command)[-1], name)
                (self.folder / name).unlink()

    def test_names_of_found_schedules(self):
        for name in NAMES[:4]:
            with self.subTest(name):
                text = self.tutti("search", "alltoall", "-p", "8", "-n", "4K,64K", "--evaluations", "30", "--seed", "1",
                                  "--platform", harness.SOURCE_DIR / "platforms" / "torus_64.xml",
                                  "-o", f"{name}.sched").stdout
                command = re.search(r"use with +(tutti decide (?:.*\n)*)", text)[1].replace("\n", " ").replace("...", "")
                words = self.shell(" ".join(command.split()) if "  " not in name else command)
                files = [words[i + 1] for i, word in enumerate(words) if word == "--with"]
                self.assertEqual(sorted(map(os.path.normpath, files)), sorted(os.listdir(self.folder)))
                for file in files:
                    self.assertFalse(file.startswith("-"))
                    (self.folder / file).unlink()

    def test_names_with_control_characters_are_refused(self):
        platform = (harness.SOURCE_DIR / "platforms" / "torus_64.xml").read_text()
        schedule = harness.output("show", "bcast/binomial", "-p", "4", "-n", "64", "-o", "-")
        for name in CONTROL:
            with self.subTest(repr(name)):
                (self.folder / name).write_text("1")
                for arguments in [["verify", name], ["lint", name], ["choose", "allreduce", "-p", "4", "-n", "64",
                                                                     "--table", name],
                                  ["decide", "--profile", name], ["query", name], ["score", name]]:
                    printed = self.tutti(*arguments, code=2).stderr
                    self.assertIn("control characters", printed, arguments)
                    self.assertEqual(len(printed.splitlines()), 1, printed)
                (self.folder / name).write_text(platform)
                simulate = ["simulate", "bcast/binomial", "-p", "4", "-n", "64"]
                for arguments in [[*simulate, "--platform", name]]:
                    self.assertIn("control characters", self.tutti(*arguments, code=2).stderr)
                (self.folder / name).write_text(schedule)
                self.assertIn("control characters", self.tutti("simulate", name, code=2).stderr)
                (self.folder / name).unlink()
                for arguments in [[*simulate, "--json", name], [*RULES, "--export", "ompi4", "-o", name],
                                  [*RULES, "--db", name],
                                  ["decide", "allreduce", "--library", "Open MPI 4.1.4", "-p", "4", "-n", "64", "-o",
                                   name]]:
                    self.assertIn("control characters", self.tutti(*arguments, code=2).stderr)
                    self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    harness.main()
