"""Tests that `tutti lint --ran` says which rules a real Open MPI used. The messages that the ranks send show
independently whether a rule's algorithm ran."""

import glob
import json
import os
import shutil
import subprocess
import unittest

from launch import COLLECTIVE_CALL, OPEN_MPI, TUTTI, job, main
from test_ompi_han import AGENT, YIELD, can_look_like_nodes
from test_rules import open_mpi

RULES = """3
3 # alltoall
1
4
1
0 3 0 0 # modified bruck
7 # bcast
1
4
1
0 1 0 0 # linear
14 # scan
1
4
1
0 2 0 0 # recursive doubling
"""
SIZE = 4096
LINES = {"alltoall": 6, "bcast": 11, "scan": 16}
VERBOSE = ["--mca", "coll_base_verbose", 10, "--mca", "mpi_show_mca_params", "all"]
HAN = "coll/han (priority 100) ran them; it looks up rules only for parts of the ranks"


def joined(pattern, name):
    """Writes the files of four ranks to one file."""
    paths = sorted(glob.glob(pattern, recursive=True))
    if len(paths) != 4:
        raise AssertionError(paths)
    with open(name, "w", encoding="utf-8") as file:
        for path in paths:
            with open(path, encoding="utf-8") as one:
                file.write(one.read())


@unittest.skipUnless(OPEN_MPI, "not Open MPI")
@unittest.skipUnless(can_look_like_nodes(), "a namespace with another host name cannot be created")
class RulesOfRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open("agent", "w", encoding="ascii") as file:
            file.write(AGENT)
        os.chmod("agent", 0o755)
        with open("tuned.conf", "w", encoding="ascii") as file:
            file.write(RULES)
        with open("calls.csv", "w", encoding="ascii") as file:
            file.write(f"collective,p,bytes,calls\nalltoall,4,{SIZE},1\nbcast,4,{SIZE},1\n"
                       f"scan,4,{SIZE},1\n")
        cls.nodes = ["--mca", "plm_rsh_agent", os.path.abspath("agent"), "--host",
                     "tutti-node-0:2,tutti-node-1:2", *YIELD]
        cls.rules = ["--mca", "coll_tuned_dynamic_rules_filename", os.path.abspath("tuned.conf")]

    def log_of(self, *launch, dynamic=1):
        # With a file for each rank, mpirun does not mix the lines of several ranks.
        shutil.rmtree("logs", ignore_errors=True)
        done = job(4, COLLECTIVE_CALL, SIZE, "alltoall", "bcast", "scan", launch=[
            "--output-filename", os.path.abspath("logs"), *self.nodes, *VERBOSE, "--mca",
            "coll_tuned_use_dynamic_rules", dynamic, *self.rules, *launch])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        joined("logs/**/stderr", "run.log")

    def used(self, *logs):
        """Returns {collective: (number of uses, reasons why calls did not use the rule)}."""
        done = subprocess.run(
            [TUTTI, "lint", "tuned.conf", "--library", "Open MPI 4.1.4", "--json", "-",
             *[word for log in logs for word in ("--ran", log)]],
            capture_output=True, text=True, check=True, timeout=60)
        [file] = json.loads(done.stdout)["files"]
        for rule in file["ran"]["rules"]:
            self.assertEqual(rule["line"], LINES[rule["collective"]])
            self.assertEqual(rule["unknown"], [])
        return {rule["collective"]: (rule["used"], [each["why"] for each in rule["not_used"]])
                for rule in file["ran"]["rules"]}

    def sent(self, collective, *mca):
        return open_mpi(4, collective, SIZE, [*self.nodes, *mca])

    def test_one_rule_is_used_and_one_cannot_be(self):
        han = ["--mca", "coll_han_priority", 100]
        self.log_of(*han)
        self.assertEqual(self.used("run.log", "calls.csv"), {"alltoall": (1, []), "bcast": (0, [HAN]), "scan": (1, [])})
        forced = {"alltoall": 3, "bcast": 1}
        sent = {each: self.sent(each, "--mca", f"coll_tuned_{each}_algorithm", number)
                for each, number in forced.items()}
        self.assertEqual(self.sent("alltoall", *han, *self.rules), sent["alltoall"])
        self.assertNotEqual(self.sent("alltoall", *han), sent["alltoall"])
        # To count messages, Open MPI loads its component monitoring. With han, a broadcast of this
        # component reads memory that it never wrote, which crashes if a sanitizer fills new memory.
        if not os.environ.get("TUTTI_SANITIZE"):
            self.assertNotEqual(self.sent("bcast", *han, *self.rules), sent["bcast"])

    def test_both_rules_are_used_without_coll_han(self):
        self.log_of()
        self.assertEqual(self.used("run.log", "calls.csv"),
                         {"alltoall": (1, []), "bcast": (1, []), "scan": (1, [])})
        # Without rules, coll/basic runs a scan. coll/tuned runs it only if there are rules for it.
        self.assertEqual(self.sent("scan", *self.rules),
                         self.sent("scan", *self.rules, "--mca", "coll_tuned_scan_algorithm", 1))
        self.assertNotEqual(self.sent("scan", *self.rules), self.sent("scan"))
        forced = self.sent("bcast", "--mca", "coll_tuned_bcast_algorithm", 1)
        self.assertEqual(self.sent("bcast", *self.rules), forced)
        # Open MPI's monitoring counts the calls, too.
        joined("traffic.*.prof", "monitoring")
        self.assertEqual(self.used("run.log", "monitoring")["bcast"], (1, []))

    def test_rules_that_are_off_are_not_used(self):
        self.log_of(dynamic=0)
        off = (0, ["coll_tuned_use_dynamic_rules is off"])
        self.assertEqual(self.used("run.log", "calls.csv"),
                         {"alltoall": off, "bcast": off, "scan": (0, ["coll/basic (priority 10) ran them"])})


if __name__ == "__main__":
    main()
