"""Tests files that may do harm or come to harm: outputs that are also inputs, special files, hostile names
and texts, and outputs that cannot be finished."""

import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import harness
from sweeps import sign

RULES = harness.SOURCE_DIR / "tests" / "golden" / "broken_rules" / "unit.conf"
PLATFORM = harness.SOURCE_DIR / "platforms" / "crossbar_64.xml"
RING = ["simulate", "allreduce/ring", "-p", 4, "-n", "1K"]
COMPARE = ["compare", "allreduce", "-p", 4, "-n", "1K"]

# Arguments that each command requires.
REQUIRED = {
    ("simulate",): ["allreduce/ring"], ("show",): ["allreduce/ring"], ("verify",): ["allreduce/ring"],
    ("compare",): ["allreduce"], ("decide",): ["allreduce"], ("list",): [],
    ("choose",): ["allreduce", "--table", "none"], ("lint",): ["none"], ("query",): ["none"],
    ("validate",): ["none"], ("score",): ["none"], ("fit",): ["none", "--fit", "latency_s"],
    **{("platform", kind): [] for kind in ["crossbar", "smp", "fat_tree", "torus", "mesh", "dragonfly"]},
}


class InAFolder(unittest.TestCase):
    """Base class for tests. Each test runs in its own folder, which contains the database r.db and the
    platform p.xml."""

    @classmethod
    def setUpClass(cls):
        cls.templates = tempfile.TemporaryDirectory()
        harness.run(*COMPARE, "--db", os.path.join(cls.templates.name, "r.db"))

    @classmethod
    def tearDownClass(cls):
        cls.templates.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copy(os.path.join(self.templates.name, "r.db"), self.folder)
        shutil.copy(PLATFORM, self.folder / "p.xml")

    def run_here(self, *arguments, **options):
        return harness.run(*arguments, cwd=self.folder, **options)

    def refused(self, done, *sentences):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stderr)

    def shell(self, command, timeout=50):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True,
                              timeout=timeout, check=False, env={**os.environ, "TUTTI": harness.TUTTI})


def options_with_files(command):
    """Returns two lists of (option, kind of value), taken from the --help of `command`: first the options for
    files that the command writes, then the options for files that it reads. A positional argument has the
    option ""."""
    written, read = [], []
    text = harness.output(*command, "--help", "all")
    for names, kind in re.findall(r"^ {2}(-\S+) (WHAT \[FILE\]|\S*FILE\S*)", text, re.MULTILINE):
        option = names.split(",")[-1]
        (written if kind in ("FILE|-", "FILE|FOLDER|-", "FILE.db") else read).append((option, kind))
    for kind in re.findall(r"^ {2}[a-z]\S* (\S*(?:FILE|ALG)\S*) REQUIRED", text, re.MULTILINE):
        read.append(("", kind))
    return written, read


class OutputsThatAreInputs(InAFolder):
    def test_no_output_option_takes_a_file_of_another_option(self):
        pairs = 0
        for command, required in REQUIRED.items():
            written, read = options_with_files(command)
            self.assertTrue(written, command)
            for (output, _), (other, kind) in harness.every(
                    4, itertools.product(written, written + read)):
                if output == other:
                    continue
                target = "p.xml"
                arguments = list(required)
                if other == "":
                    arguments[0] = target
                elif other in arguments:
                    arguments[arguments.index(other) + 1] = target
                elif kind == "WHAT [FILE]":
                    arguments += [other, "measured", target]
                else:
                    arguments += [other, target]
                with self.subTest(" ".join([*command, *arguments, output])):
                    done = self.run_here(*command, *arguments, output, "./" + target)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertEqual((self.folder / target).read_bytes(), PLATFORM.read_bytes())
                pairs += 1
        self.assertGreater(pairs, len(harness.every(4, range(50))))

    def write_inputs(self):
        self.run_here(*RING, "--record", "rec.json")
        shutil.copy(self.folder / "rec.json", self.folder / "rec.svg")
        self.run_here(*RING, "--json", "run.json")
        shutil.copy(self.folder / "run.json", self.folder / "run.html")
        (self.folder / "soft.svg").symlink_to("rec.svg")
        shutil.copy(self.folder / "rec.json", self.folder / "rec.html")
        shutil.copy(self.folder / "r.db", self.folder / "r.html.db")
        shutil.copy(PLATFORM, self.folder / "p.svg")
        shutil.copy(PLATFORM, self.folder / "p.html")
        (self.folder / "y.sched.html").write_text(
            harness.output("show", "bcast/binomial", "-p", 4, "-n", 64))
        for name, text in {
                "s.csv": "0,8\n16,0\n", "late.html": "1us\n" * 4,
                "h.html": "node-0\nnode-1\nnode-2\nnode-3\n",
                "osu.txt": "# OSU MPI Allreduce Latency Test v7.0\n# Size       Avg Latency(us)\n"
                           "64            3.5\n1024          5.5\n",
                "pts.csv": "machine,job,collective,ranks,bytes,type,tutti,median_us\n"
                           "m,a,allreduce,4,256,int32,ring,48.2\nm,a,allreduce,4,4096,int32,ring,58.2\n",
                "m.json": json.dumps({"schema": "tutti-messages/1", "machine": "x", "library": "none",
                                      "parameters": {
                                          "send_overhead_s": 1e-6, "receive_overhead_s": 3e-7,
                                          "latency_s": 2e-6, "eager_bytes": 8192,
                                          "eager_s_per_byte": 2e-10, "handshake_s": 5e-7,
                                          "rank_bytes_per_s": 2e10, "reduce_s_per_byte": 5e-11}}),
                "jobs/a.csv": "rank,host\n0,node-0\n1,node-1\n2,node-2\n3,node-3\n",
                "list.txt": "a.t\nb.t\n", "a.t": "0 init\n0 allreduce 8 0 2 0\n0 finalize\n",
                "b.t": "1 init\n1 allreduce 8 0 2 0\n1 finalize\n"}.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)

    def test_no_input_of_a_command_is_overwritten(self):
        self.write_inputs()
        ring = ["allreduce/ring", "-p", 4, "-n", 64]
        sizes = ["alltoallv/linear", "-p", 2, "--sizes", "s.csv"]
        jobs = ["pts.csv", "--platform", "p.xml", "--hosts", "jobs/{job}.csv"]
        for path, command in [
                ("rec.html", ["report", "rec.html", "-o", "rec.html"]),
                ("rec.svg", ["plot", "rec.svg", "-o", "soft.svg"]),
                ("run.html", ["report", "run.html", "-o", "./run.html"]),
                ("r.html.db", ["query", "r.html.db", "--csv", "r.html.db"]),
                ("r.html.db", ["query", "r.html.db", "--into", "./r.html.db"]),
                ("p.html", ["report", "simulate", *ring, "--platform", "p.html", "-o", "p.html"]),
                ("late.html", ["report", "simulate", *ring, "--late-ranks", "late.html", "-o",
                               "late.html"]),
                ("h.html", ["report", "simulate", *ring, "--platform", "p.xml", "--hosts", "h.html",
                            "-o", "h.html"]),
                ("y.sched.html", ["report", "simulate", "y.sched.html", "-o", "y.sched.html"]),
                ("p.svg", ["plot", "simulate", *ring, "--platform", "p.svg", "-o", "p.svg"]),
                ("s.csv", ["simulate", *sizes, "--csv", "s.csv"]),
                ("s.csv", ["simulate", *sizes, "--timeline", "s.csv"]),
                ("s.csv", ["explain", *sizes, "--json", "s.csv"]),
                ("s.csv", ["compare", "alltoallv", *sizes[1:], "--csv", "s.csv"]),
                ("s.csv", ["show", *sizes, "-o", "s.csv"]),
                ("osu.txt", ["validate", "allreduce/ring@4=osu.txt", "--json", "osu.txt"]),
                ("jobs/a.csv", ["score", *jobs, "--json", "jobs/a.csv"]),
                ("m.json", ["score", "pts.csv", "--platform", "crossbar:4", "--parameters", "{machine}.json", "--json",
                            "m.json"]),
                ("jobs/a.csv", ["fit", *jobs, "--parameters", "m.json", "--fit", "latency_s", "-o",
                                "jobs/a.csv"]),
                ("b.t", ["decide", "--profile", "list.txt", "--json", "b.t"])]:
            with self.subTest(" ".join(map(str, command))):
                before = (self.folder / path).read_bytes()
                self.refused(self.run_here(*command))
                self.assertEqual((self.folder / path).read_bytes(), before)
                endings = {"--json": ".json", "--csv": ".csv", "--timeline": ".json"}
                endings["-o"] = {"fit": ".json", "show": ".tutti"}.get(
                    command[0], pathlib.Path(command[-1]).suffix)
                new = "new" + endings.get(command[-2], "")
                done = self.run_here(*command[:-1], new)
                self.assertEqual(done.returncode, 0, done.stderr)
                (self.folder / new).unlink()

    def test_inputs_are_recognised_by_any_path(self):
        (self.folder / "link").symlink_to("r.db")
        os.link(self.folder / "r.db", self.folder / "hard")
        (self.folder / "sub").symlink_to(".")
        before = (self.folder / "r.db").read_bytes()
        for path in ["r.db", "./r.db", "sub/r.db", "link", "hard", self.folder / "r.db",
                     "r.db-wal", "r.db-journal", "sub/r.db-shm"]:
            with self.subTest(path):
                self.refused(self.run_here("query", "r.db", "--csv", path), "which this command reads")
                # A name with the ending of another format is refused before the database is opened.
                ends = pathlib.Path(path).suffix
                self.refused(self.run_here(*COMPARE, "--db", "r.db", "--json", path),
                             "its name must end in" if ends else "which this command reads")
        self.assertEqual((self.folder / "r.db").read_bytes(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["hard", "link", "p.xml", "r.db", "sub"])

    def test_outputs_that_do_not_exist_yet_are_compared_too(self):
        (self.folder / "sub").symlink_to(".")
        (self.folder / "link").symlink_to("new")
        for path in ["new", "./new", "sub/new", "link", self.folder / "new"]:
            self.refused(self.run_here(*RING, "--json", "new", "--csv", path), "are the same file")
            self.refused(self.run_here(*COMPARE, "--db", "new", "--csv", path), "which this command reads")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "p.xml", "r.db", "sub"])

    def test_files_named_by_a_platform_are_inputs_too(self):
        (self.folder / "profile").write_text("0.0 1.0\n")
        (self.folder / "host.xml").write_text(
            '<platform version="4.1"><zone id="z" routing="Full"><host id="h" speed="1Gf" '
            'availability_file="profile"/></zone></platform>')
        self.refused(self.run_here(*RING, "--platform", "host.xml", "--json", "profile"),
                     "'profile' would overwrite", "which this command reads")
        self.assertEqual((self.folder / "profile").read_text(), "0.0 1.0\n")

    def test_of_two_profiles_with_one_name_the_one_in_the_working_directory_is_read(self):
        (self.folder / "sub").mkdir()
        for profile in [self.folder / "profile", self.folder / "sub" / "profile"]:
            profile.write_text("0.0 1.0\n")
        (self.folder / "sub" / "host.xml").write_text(
            '<platform version="4.1"><zone id="z" routing="Full"><host id="h" speed="1Gf" '
            'availability_file="profile"/></zone></platform>')
        self.refused(self.run_here(*RING, "--platform", "sub/host.xml", "--json", "profile"),
                     "'profile' would overwrite", "which this command reads")
        self.assertEqual((self.folder / "profile").read_text(), "0.0 1.0\n")

    def test_standard_output_is_an_output_too(self):
        before = (self.folder / "r.db").read_bytes()
        done = self.shell('"$TUTTI" query r.db >> r.db')
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output goes to 'r.db', which this command reads", done.stderr)
        self.assertEqual((self.folder / "r.db").read_bytes(), before)
        done = self.shell('"$TUTTI" list --json out > out')
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output goes to 'out' as well", done.stderr)
        # A device may be both the standard output and the output file of --json.
        done = self.shell('"$TUTTI" list --json /dev/null > /dev/null')
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class SpecialFiles(InAFolder):
    READERS = [["simulate", "{}"], ["verify", "{}"], ["show", "{}"], ["lint", "{}"], ["query", "{}"],
               ["validate", "{}"], ["score", "{}"], [*RING, "--platform", "{}"], [*RING, "--parameters", "{}"],
               [*COMPARE, "--with", "{}"], [*COMPARE, "--db", "{}"],
               [*RING, "--engine", "simgrid", "--platform", "{}"],
               ["choose", "allreduce", "-p", 4, "-n", 8, "--table", "{}"],
               ["decide", "allreduce", "-p", 4, "-n", 8, "--by", "measured", "{}"],
               ["decide", "allreduce", "-p", 4, "-n", 8, "--against", "{}"],
               ["query", "r.db", "--into", "{}"]]

    def test_special_files_are_refused_without_waiting(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "folder").mkdir()
        for path, kind in [("pipe", "a pipe"), ("/dev/zero", "a device"), ("./folder", "a folder"),
                           ("/proc/self/mem", None)]:
            for reader in harness.every(3, self.READERS):
                if kind == "a folder" and reader[0] in ("simulate", "verify", "show") and \
                        len(reader) == 2:
                    continue  # these commands take the path for an algorithm's name
                arguments = [path if each == "{}" else each for each in reader]
                with self.subTest(" ".join(map(str, arguments))):
                    begun = time.monotonic()
                    done = self.run_here(*arguments)
                    # choose and lint also accept a folder with the rule files of a library.
                    printed = "folder" if reader[0] in ("choose", "lint") and kind == "a folder" else f"is {kind}"
                    self.refused(done, *([printed] if kind else []))
                    self.assertLess(time.monotonic() - begun, 20)

    def test_an_anonymous_pipe_is_read(self):
        text = harness.output("show", "allreduce/ring", "-p", 4, "-n", 64)
        (self.folder / "ring.tutti").write_text(text)
        for command in ['cat ring.tutti | "$TUTTI" show /dev/stdin', '"$TUTTI" show <(cat ring.tutti)',
                        '"$TUTTI" show /dev/stdin < ring.tutti']:
            done = self.shell(command)
            self.assertEqual((done.returncode, done.stdout.decode()), (0, text), done.stderr)
        done = self.shell('"$TUTTI" simulate allreduce/ring -p 4 -n 64 --platform <(cat p.xml)')
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is a pipe; a platform must be a regular file", done.stderr)

    def test_files_that_are_too_large_are_refused_before_they_are_read(self):
        with open(self.folder / "large", "wb") as large:
            large.truncate(1 << 42)
        for reader in harness.every(3, self.READERS):
            if "{}" not in reader or reader[0] == "query" or "--db" in reader:
                continue
            arguments = ["large" if each == "{}" else each for each in reader]
            with self.subTest(" ".join(map(str, arguments))):
                self.refused(self.run_here(*arguments), "has 4398046511104 bytes")

    def test_a_short_platform_of_a_hundred_million_hosts_is_refused(self):
        (self.folder / "many.xml").write_text(
            '<platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="n" suffix="" '
            'radical="0-99999999" speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>')
        for engine in ["flow", "simgrid", "auto", "both"]:
            self.refused(self.run_here(*RING, "--platform", "many.xml", "--engine", engine),
                         "many.xml:1: ", "has 100000000 hosts")

    def test_a_view_instead_of_the_table_is_refused(self):
        with sqlite3.connect(self.folder / "r.db") as real:
            columns = [row[1] for row in real.execute("PRAGMA table_info(cells)")]
            marks = [real.execute(f"PRAGMA {name}").fetchone()[0]
                     for name in ("application_id", "user_version")]
        fake = sqlite3.connect(self.folder / "view.db")
        fake.execute(f"PRAGMA application_id={marks[0]}")
        fake.execute(f"PRAGMA user_version={marks[1]}")
        fake.execute("CREATE VIEW cells AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
                     "SELECT " + ",".join(f"i AS {name}" for name in columns) + " FROM n")
        fake.commit()
        fake.close()
        begun = time.monotonic()
        self.refused(self.run_here("query", "view.db"), "'view.db'")
        self.assertLess(time.monotonic() - begun, 45)


class GrowingSets(InAFolder):
    PROGRAM = """tutti-program 1
collective allgather
algorithm grow
for l < 100000
  for n < N
    Req(<l,0>,{n,(n+1) mod N}) = Comm(n,(n+1) mod N, work[0:1])
    Req(100000,0) += Req(l,n)
    Req(100000,0) += Req(100000,0)
"""

    @harness.limits_addresses
    def test_growing_sets_count_as_steps(self):
        (self.folder / "grow.sched").write_text(self.PROGRAM)
        limit = resource.getrlimit(resource.RLIMIT_AS)
        done = self.run_here("show", "grow.sched", "-p", 64, "-n", "64K", "--limit", "steps=10M",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, limit[1])))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the program takes more than 10485760 steps; --limit steps=N allows more",
                      done.stderr)


class TextsOfStrangers(InAFolder):
    ESCAPES = "\x1b[31mRED\x07\x9b1m\u202e\nforged line"

    def assert_printable(self, text, lines=None):
        self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
        if lines is not None:
            self.assertEqual(len(text.splitlines()), lines)
        for line in text.splitlines():
            self.assertFalse(line.startswith("forged line"), text)

    def test_columns_of_a_database_are_escaped(self):
        with sqlite3.connect(self.folder / "r.db") as database:
            for column in ["platform", "engine", "algorithm", "version", "placement", "message"]:
                database.execute(f"UPDATE cells SET {column}={column} || ?", (self.ESCAPES,))
        sign(self.folder / "r.db")
        for view in ["cells", "best", "times"]:
            done = self.run_here("query", "r.db", "--view", view)
            self.assert_printable(done.stdout)
            self.assert_printable(done.stderr)
        self.assert_printable(self.run_here("query", "r.db", "--csv", "-").stdout.replace("\nforged", ""))
        self.assert_printable(self.run_here("query", "r.db", "--algorithm", "none").stderr, 1)

    def test_names_of_files_with_control_characters_are_refused(self):
        name = "a\x1b[31m\nforged line"
        shutil.copy(PLATFORM, self.folder / name)
        (self.folder / (name + ".sched")).write_text(
            harness.output("show", "allreduce/ring", "-p", 4, "-n", 64))
        (self.folder / (name + ".rules")).write_text("\x1b[31m\n")
        for arguments in [[*RING, "--platform", name], [*COMPARE, "--platform", name, "--engine", "both"],
                          ["simulate", name + ".sched"], ["verify", name + ".sched"],
                          [*RING, "--timeline", name + ".json"], ["lint", name + ".rules"],
                          ["simulate", name + "3.sched"], [*RING, "--platform", name + "3"],
                          ["lint", name + ".sched"], [*COMPARE, "--db", name + ".db"],
                          ["query", name + ".none"],
                          ["decide", "allreduce", "-p", 4, "-n", "1K", "--export", "ompi4", "-o", name + ".conf"],
                          ["choose", "allreduce", "-p", 4, "-n", "1K", "--table", name + ".rules"],
                          ["decide", "allreduce", "-p", 4, "-n", "1K", "--against", name + ".rules"]]:
            with self.subTest(arguments):
                done = self.run_here(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assert_printable(done.stderr, 1)

    def test_names_that_are_not_utf8_are_escaped(self):
        name = os.fsencode(self.folder) + b"/a\xff.xml"
        shutil.copy(PLATFORM, name)
        done = subprocess.run([harness.TUTTI, *map(str, RING), "--platform", name, "--json", "-"],
                              capture_output=True, timeout=50, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(json.loads(done.stdout.decode())["platform"], "a\ufffd.xml")
        program = (harness.SOURCE_DIR / "examples" / "schedules" /
                   "recursive_doubling_allreduce.sched").read_text()
        for read, text in [("--platform", PLATFORM.read_text()), ("--with", program)]:
            pathlib.Path(os.fsdecode(name)).write_text(text)
            done = subprocess.run([harness.TUTTI, *map(str, COMPARE), read, name, "--db",
                                   str(self.folder / "new.db")],
                                  capture_output=True, timeout=50, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertIn("with --db the path must be UTF-8", done.stderr.decode())
            self.assertFalse((self.folder / "new.db").exists())
        # The name of a database from which results are only copied is not stored, so it need not be UTF-8.
        database = os.fsencode(self.folder) + b"/\xff.db"
        shutil.copy(self.folder / "r.db", database)
        done = subprocess.run([harness.TUTTI, "query", database, "--into", self.folder / "into.db"],
                              capture_output=True, timeout=50, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_paths_that_begin_with_two_slashes_work(self):
        done = self.run_here("query", f"/{self.folder}/r.db")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.run_here("query", "r.db").stdout)

    def test_long_arguments_are_shortened(self):
        long = "a" * 100000
        for arguments in [["simulate", long, "-p", 4, "-n", 8], ["simulate", "allreduce/ring", "-p", long],
                          [long], ["list", long], [*RING, "--" + long], [*RING, "--platform", long],
                          [*RING, "--json", long], ["query", long], [*RING, long],
                          ["simulate", "allreduce/circulant", "-p", 4, "-n", 8, "--skips", "a " * 50000]]:
            done = self.run_here(*arguments)
            self.refused(done, "more bytes ...]")
            self.assertLess(len(done.stderr), 2500)

    def test_the_content_of_binary_files_is_not_shown(self):
        programs = ["tutti-program 1\ncollective allreduce\n\0\1\2\xff\x1b[31m = junk\n",
                    "tutti-program 1\ncollective allreduce\nfor l < \x1b[31m\n"]
        for text, lines in zip(programs, [1, 3]):
            (self.folder / "binary.sched").write_text(text, encoding="latin-1")
            done = self.run_here("verify", "binary.sched", "-p", 4)
            self.assertEqual(done.returncode, 2)
            self.assert_printable(done.stderr, lines)
        shutil.copy(harness.TUTTI, self.folder / "binary.sched")
        self.refused(self.run_here("verify", "binary.sched", "-p", 4))


class UnfinishedOutputs(InAFolder):
    def left(self):
        return sorted(set(os.listdir(self.folder)) - {"p.xml", "r.db"})

    def test_a_full_standard_output_is_reported(self):
        for where in [">/dev/full", ">&-"]:
            for command in ["simulate allreduce/ring -p 4 -n 1K --json out --csv out2 --timeline out3",
                            "compare allreduce -p 4 -n 1K --json out --csv out2",
                            "verify allreduce/ring -p 4 --json out", "list --json out",
                            "decide allreduce -p 4 -n 1K --export json -o out",
                            "query r.db --json out", f"lint {RULES} --json out"]:
                with self.subTest(command + where):
                    done = self.shell(f'"$TUTTI" {command} {where}')
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(b"cannot write all of standard output", done.stderr)
                    self.assertEqual([name for name in self.left() if name.endswith(".part")], [])

    def test_an_output_that_cannot_be_written_leaves_no_database(self):
        for command in [COMPARE, ["decide", "allreduce", "-p", 4, "-n", "1K"]]:
            self.refused(self.run_here(*command, "--db", "new.db", "--json", "no/such"), "no/such")
            self.refused(self.run_here(*command, "--db", "new.db", "--csv", "."), "directory")
            self.assertEqual(self.left(), [])

    def test_a_limit_on_the_file_size_is_reported(self):
        done = self.shell('ulimit -f 10; "$TUTTI" show allreduce/ring -p 64 -n 64K -o out')
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write all of 'out'", done.stderr)
        done = self.shell('ulimit -f 10; "$TUTTI" show allreduce/ring -p 64 -n 64K > ../out')
        self.assertEqual(done.returncode, 2)
        done = self.shell('ulimit -f 4; "$TUTTI" compare allreduce -p 4 -n 1K --db new.db')
        self.assertEqual(done.returncode, 2)
        self.assertEqual([name for name in self.left() if name.endswith(".part")], [])

    @harness.limits_addresses
    def test_too_little_memory_for_a_picture_is_reported(self):
        done = self.shell('ulimit -c 0; ulimit -v 400000; '
                          '"$TUTTI" show alltoall/linear -p 400 -n 1MiB --picture d.svg')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr, b"tutti: out of memory; use fewer ranks or a larger machine\n")
        self.assertEqual(self.left(), [])

    @harness.limits_addresses
    def test_a_failure_to_start_a_thread_is_reported(self):
        # A thread cannot start if there is no memory for its stack. The error is the same as with too many
        # processes.
        refused = 0
        for size in range(24, 48, 4):
            done = self.shell(f'ulimit -c 0; ulimit -s 8192; ulimit -v {size}000; '
                              '"$TUTTI" decide allreduce -p 4 -n 64 --jobs 1 > out')
            with self.subTest(size=size):
                if done.returncode != 1 or not re.search(b" runs? failed; ", done.stderr):
                    self.assertIn(done.returncode, (0, 2, 127), done.stderr)
                if b"error while loading" not in done.stderr:
                    self.assertLessEqual(done.stderr.count(b"\n"), 1, done.stderr)
                    refused += done.returncode == 2
        self.assertGreater(refused, 0)

    def test_tables_at_inaccessible_paths_are_refused(self):
        os.symlink("loop", self.folder / "loop")
        for table in ("loop", "x" * 300):
            for library in ([], ["--library", "Open MPI 5.0.6"]):
                self.refused(harness.run("choose", "allreduce", "-p", 4, "-n", 64, "--table",
                                         self.folder / table, *library), "cannot be read")

    def test_a_killed_run_leaves_nothing(self):
        for number in [signal.SIGKILL, signal.SIGTERM]:
            run = subprocess.Popen(
                [harness.TUTTI, "show", "alltoall/linear", "-p", "4000", "-n", "1M", "-o", "out"],
                cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(1)
            self.assertIsNone(run.poll())
            run.send_signal(number)
            self.assertEqual(run.wait(), 128 + number if number == signal.SIGTERM else -number)
            self.assertEqual(self.left(), [])


if __name__ == "__main__":
    harness.main()
