"""Tests the keys that distinguish the cells of a database if several builds of tutti write the cells, and if
cells belong to users' programs or calibrated machines."""

import json
import shutil
import subprocess
import unittest

import harness
from sweep_case import Case
from sweeps import CELLS, COUNT, count_of, rows_of

PROGRAM = """tutti-program 1
collective allgather
algorithm my_ring
if N mod 2 == 1
  refuse "an even number of ranks is wanted"
for l < N-1
  for n < N
    Req(l,{n,(n+1) mod N}) = Comm(n,(n+1) mod N, work[(n-l) mod N:1]) After(Req(l-1,n),Req(l-1,(n+1) mod N))
"""
CURVE = {"pieces": [{"from_bytes": 8, "fixed_s": 1e-6, "s_per_byte": 1e-9},
                    {"from_bytes": 4096, "fixed_s": 3e-6, "s_per_byte": 5e-10}], "memory": []}
NONE = {"pieces": [], "memory": []}
PARAMETERS = {"schema": "tutti-parameters/1", "library": "none", "placement": "made up",
              "type": "int64", "op": "sum",
              "within_node": {"alpha_s": 1e-6, "beta_s_per_byte": 1e-9},
              "between_nodes": {"alpha_s": 2e-6, "beta_s_per_byte": 2e-9},
              "gamma_s_per_byte": 1e-10, "copy_s_per_byte": 1e-11, "eager_bytes": 4096,
              "start_s": 0, "by_core": {"within_node": False, "between_nodes": False},
              "curves": {"within_node.one_way": CURVE, "within_node.exchange": CURVE,
                         "between_nodes.one_way": CURVE, "between_nodes.exchange": NONE,
                         "reduce": NONE, "reduce_sent": NONE, "copy": NONE}, "points": []}
OTHER_BUILD = "0.1.0+000000000000"


class Builds(Case):
    def test_the_key_holds_the_engine_but_not_the_build(self):
        self.sweep(*CELLS)
        key = {column for _, _, column in self.execute(
            "SELECT info.* FROM pragma_index_list('cells') AS list, "
            "pragma_index_info(list.name) AS info WHERE list.origin='u'")}
        self.assertIn("version", key)
        self.assertFalse({"build", "schedule"} & key)
        build = harness.output("--version").split()[1]
        for row in self.execute(f"SELECT {', '.join(sorted(key))} FROM cells"):
            self.assertFalse(any(build in str(value) for value in row), row)
        self.assertRegex(self.execute("SELECT DISTINCT version FROM cells")[0][0], r"^flow \d+$")

    def test_results_of_another_build_with_the_same_schedule_are_used(self):
        """If the other build differs only in a comment or an additional algorithm, no cell is run again."""
        self.sweep(*CELLS)
        rows = rows_of(self.database)
        self.alter(f"UPDATE cells SET build='{OTHER_BUILD}'")
        self.watch()
        done = self.sweep(*CELLS)
        self.assertRegex(done.stderr, r"^tutti: (\d+) results of \1 are in .* already\n$")
        self.assertFalse((self.folder / "notes").exists())
        self.assertEqual(done.stdout, harness.output("compare", *CELLS))
        self.assertEqual(rows_of(self.database), rows)

    def test_results_of_another_build_with_another_schedule_are_not_used(self):
        """If the other build differs in one algorithm, only the cells of this algorithm are run again."""
        self.sweep(*CELLS)
        rows = rows_of(self.database)
        self.alter(f"UPDATE cells SET build='{OTHER_BUILD}'",
                   "UPDATE cells SET schedule='whole:0123456789abcdef', simulated_s=7 "
                   "WHERE algorithm='rabenseifner'")
        changed = self.execute("SELECT count(*) FROM cells WHERE simulated_s=7")[0][0]
        self.assertGreater(changed, 3)
        self.watch()
        done = self.sweep(*CELLS)
        self.assertIn(f"tutti: {changed} results in {self.database} are outdated because the "
                      "schedule changed; recomputing\n", done.stderr)
        self.assertEqual(len(self.attempts()), changed)
        self.assertTrue(all("allreduce/rabenseifner" in line for line in self.attempts()))
        self.assertEqual(done.stdout, harness.output("compare", *CELLS))
        self.assertEqual(rows_of(self.database), rows)

    def test_results_of_another_build_with_one_rank_for_all_are_used(self):
        command = ["allgather", "-p", "16,64", "-n", "1M"]
        self.sweep(*command)
        self.assertEqual({schedule.split(":")[0] for schedule, in self.execute(
            "SELECT schedule FROM cells WHERE algorithm='ring'")}, {"rank"})
        self.alter(f"UPDATE cells SET build='{OTHER_BUILD}'")
        self.watch()
        self.sweep(*command)
        self.assertFalse((self.folder / "notes").exists())

    def test_results_of_another_build_on_a_platform_that_simgrid_loads_are_used(self):
        torus = str(harness.SOURCE_DIR / "platforms" / "torus_64.xml")
        commands = [["alltoall", "-p", "4,9", "-n", "1K,64K", "--engine", engine, "--platform", torus]
                    for engine in ["flow", "both"]]
        for command in commands:
            self.sweep(*command)
        self.assertEqual(self.execute("SELECT count(*) FROM cells WHERE status='done' AND "
                                      "length(schedule)<20"), [(0,)])
        self.alter(f"UPDATE cells SET build='{OTHER_BUILD}'")
        self.watch()
        for command in commands:
            self.sweep(*command)
        self.assertFalse((self.folder / "notes").exists())

    def test_results_of_another_engine_version_are_kept_but_not_used(self):
        self.sweep(*CELLS)
        rows = rows_of(self.database)
        self.alter("UPDATE cells SET version='flow 0', simulated_s=7")
        done = self.sweep(*CELLS)
        self.assertRegex(done.stderr, rf"^tutti: {self.database} also holds \d+ results of another "
                                      r"version of the engine \(flow 0; this one is flow \d+\): they "
                                      "are kept, but not used\n$")
        self.assertEqual(done.stdout, harness.output("compare", *CELLS))
        self.assertEqual(count_of(self.database), 2 * COUNT)
        self.assertTrue(set(rows) <= set(rows_of(self.database)))

    def test_query_separates_versions(self):
        self.sweep(*CELLS)
        self.alter("UPDATE cells SET version='flow 0'")
        self.sweep(*CELLS)
        this = self.execute("SELECT DISTINCT version FROM cells WHERE version<>'flow 0'")[0][0]
        done = harness.run("query", self.database, "--view", "best", "--json", "-")
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(sorted(r["version"] for r in rows), sorted(9 * ["flow 0"] + 9 * [this]))
        self.assertIn(f"several versions of an engine: flow 0 ({COUNT} cells); {this}", done.stderr)
        rows = harness.json_output("query", self.database, "--engine-version", "flow 0", "--json",
                                   "-")["rows"]
        self.assertEqual([r["version"] for r in rows], COUNT * ["flow 0"])
        done = harness.run("query", self.database, "--engine-version", "flow 77")
        self.assertEqual(done.returncode, 2)
        self.assertIn(this, done.stderr)

    def test_a_worker_of_another_build_is_refused(self):
        cell = json.dumps({"schema": "tutti-cell/1", "version": OTHER_BUILD})
        done = subprocess.run([harness.TUTTI, "worker"], input=cell + "\n", capture_output=True,
                              text=True, check=True)
        answer = json.loads(done.stdout.splitlines()[1])
        self.assertEqual(answer["status"], "failed")
        self.assertIn(OTHER_BUILD, answer["message"])

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_the_build_is_a_hash_of_sources(self):
        def build(folder, content, seed="gcc 12"):
            (folder / "src").mkdir(parents=True, exist_ok=True)
            (folder / "src" / "a.cpp").write_text(content)
            (folder / "files.txt").write_text("src/a.cpp\n")
            subprocess.run(["cmake", f"-DROOT={folder}", f"-DFILES={folder / 'files.txt'}",
                            f"-DSEED={seed}", "-DVERSION=1.2.3", f"-DOUTPUT={folder / 'id.cpp'}", "-P",
                            harness.SOURCE_DIR / "cmake" / "WriteBuildId.cmake"], check=True)
            return (folder / "id.cpp").read_text()
        one = build(self.folder / "one", "int x;")
        self.assertRegex(one, r'"1\.2\.3\+[0-9a-f]{12}"')
        self.assertEqual(build(self.folder / "two", "int x;"), one)
        self.assertNotEqual(build(self.folder / "one", "int y;"), one)
        self.assertNotEqual(build(self.folder / "one", "int x;", "gcc 13"), one)
        self.assertEqual(build(self.folder / "one", "int x;"), one)


class Programs(Case):
    CELLS = ["allgather", "-p", "3,4,8", "-n", "64,1K"]

    def setUp(self):
        super().setUp()
        self.program = self.folder / "mine.sched"
        self.program.write_text(PROGRAM)

    def test_output_equals_that_of_compare(self):
        command = [*self.CELLS, "--with", self.program]
        expected = harness.output("compare", *command)
        self.assertIn("mine.sched", expected)
        self.assertEqual(self.sweep(*command).stdout, expected)
        again = self.sweep(*command)
        self.assertEqual(again.stdout, expected)
        self.assertRegex(again.stderr, r"^tutti: (\d+) results of \1 are in .* already\n$")
        rows = harness.json_output("query", self.database, "--algorithm", "my_ring", "--json",
                                   "-")["rows"]
        self.assertEqual([r["status"] for r in rows], 2 * ["refused"] + 4 * ["done"])
        shown = harness.output("query", self.database, "--algorithm", "my_ring")
        self.assertRegex(shown, r"my_ring \(program [0-9a-f]{4}\) ")

    def test_on_a_platform_together_with_other_programs(self):
        torus = str(harness.SOURCE_DIR / "platforms" / "torus_64.xml")
        other = self.folder / "other.sched"
        other.write_text(PROGRAM.replace("my_ring", "his_ring"))
        for engine in ["flow", "simgrid"]:
            command = ["allgather", "-p", "4,16", "-n", "1K,64K", "--platform", torus, "--engine",
                       engine, "--with", self.program, "--with", other]
            self.assertEqual(self.sweep(*command).stdout, harness.output("compare", *command))

    def test_an_edited_program_has_other_results(self):
        def mine():
            return {(r["options"], r["ranks"], r["bytes"]) for r in harness.json_output(
                "query", self.database, "--algorithm", "my_ring", "--json", "-")["rows"]}
        command = [*self.CELLS, "--with", self.program]
        self.sweep(*command)
        first = mine()
        self.assertEqual(len({options for options, _, _ in first}), 1)
        # A copy under another name is the same program.
        moved = self.folder / "moved.sched"
        shutil.copy(self.program, moved)
        self.assertRegex(self.sweep(*self.CELLS, "--with", moved).stderr,
                         r"^tutti: (\d+) results of \1 are")
        self.assertEqual(mine(), first)
        self.program.write_text(PROGRAM + "\n# another day\n")
        done = self.sweep(*command)
        self.assertRegex(done.stderr, r"^tutti: \d+ results of \d+ are")
        self.assertEqual(len(mine()), 2 * len(first))
        self.assertTrue(first < mine())
        self.assertIn("with several sets of options", harness.run("query", self.database, "--against",
                                                     "my_ring").stderr)
        # A different limit also makes new cells, because the program might exceed it and be refused.
        self.sweep(*command, "--limit", "operations=500")
        self.assertEqual(len(mine()), 3 * len(first))

    def test_a_worker_refuses_another_program(self):
        self.sweep(*self.CELLS, "--with", self.program)
        cell = {"schema": "tutti-cell/1", "version": harness.output("--version").split()[1],
                "algorithm": "allgather/my_ring",
                "program": {"file": str(self.program), "hash": 32 * "0", "operations": 1000,
                            "steps": 1000, "memory_bytes": 1 << 30, "nesting": 100},
                "problem": {"ranks": 4, "bytes": 64, "element_bytes": 8, "root": 0,
                            "options": {}},
                "machine": {"platform_id": "", "platform": "none.xml", "engine": "flow",
                            "symmetry": "auto", "all_rounds": False, "eager_bytes": None, "network_model": "hockney",
                            "ports": 1, "ranks_per_host": 1, "placement": "block", "alpha_s": None,
                            "beta_s_per_byte": None, "gamma_s_per_byte": None,
                            "copy_s_per_byte": 0, "after_barrier": False, "barrier": "", "placement_seed": None}}
        done = subprocess.run([harness.TUTTI, "worker"], input=json.dumps(cell) + "\n", check=True,
                              capture_output=True, text=True)
        answer = json.loads(done.stdout.splitlines()[1])
        self.assertEqual(answer["status"], "failed")
        self.assertIn("not the same program here", answer["message"])


class CalibrationKeys(Case):
    CELLS = ["allreduce", "-p", "3,8", "-n", "64,1000,32K", "--ranks-per-host", "2"]

    def setUp(self):
        super().setUp()
        self.machine = self.folder / "machine.json"
        self.machine.write_text(json.dumps(PARAMETERS))

    def test_output_equals_that_of_compare_and_the_sweep_resumes(self):
        for number, more in enumerate([[], ["--eager", "calibrated"], ["--engine", "critical-path"]]):
            with self.subTest(more):
                self.database = self.folder / f"{number}.db"
                command = [*self.CELLS, "--parameters", self.machine, *more]
                expected = harness.output("compare", *command)
                self.assertNotEqual(expected, harness.output("compare", *self.CELLS))
                self.assertEqual(self.sweep(*command).stdout, expected)
                rows = rows_of(self.database)
                self.assertRegex(self.sweep(*command).stderr, r"^tutti: (\d+) results of \1 are in")
                self.execute("DELETE FROM cells WHERE bytes=1000")
                again = self.sweep(*command)
                self.assertEqual(again.stdout, expected)
                self.assertRegex(again.stderr, r"^tutti: \d+ results of \d+ are in")
                self.assertEqual(rows_of(self.database), rows)

    def test_the_content_of_the_file_is_part_of_the_key(self):
        command = [*self.CELLS, "--parameters", self.machine]
        self.sweep(*command)
        count = count_of(self.database)
        other = self.folder / "other.json"
        shutil.copy(self.machine, other)
        self.sweep(*self.CELLS, "--parameters", other)
        self.assertEqual(count_of(self.database), count)
        self.sweep(*self.CELLS)
        self.assertEqual(count_of(self.database), 2 * count)
        # No other column contains the pieces of a cost curve, so only the hash of the file distinguishes
        # different curves.
        curve = {"pieces": [{"from_bytes": 8, "fixed_s": 2e-6, "s_per_byte": 1e-9}], "memory": []}
        changed = {**PARAMETERS, "curves": {**PARAMETERS["curves"], "between_nodes.one_way": curve}}
        self.machine.write_text(json.dumps(changed))
        done = self.sweep(*command)
        self.assertEqual(count_of(self.database), 3 * count)
        self.assertEqual(done.stdout, harness.output("compare", *command))

    def test_decide_with_calibrated_parameters(self):
        command = ["allreduce", "-p", "4,8", "-n", "64..256K*8", "--parameters", self.machine]
        expected = harness.output("decide", *command)
        for _ in range(2):
            self.assertEqual(self.sweep(*command, command="decide").stdout, expected)


class Profiles(Case):
    PLATFORM = """<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="profile"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>"""

    def test_of_two_profiles_with_one_name_the_one_that_simgrid_reads_is_hashed(self):
        beside = self.folder / "beside"
        beside.mkdir()
        (beside / "p.xml").write_text(self.PLATFORM)
        for folder in [self.folder, beside]:
            (folder / "profile").write_text("0.0 1e9\n")

        def times():
            self.sweep("allreduce", "-p", 2, "-n", "1M", "--engine", "simgrid", "--platform",
                       "beside/p.xml", cwd=self.folder)
            return self.execute("SELECT count(*), max(simulated_s) FROM cells")[0]
        cells, fast_s = times()
        (beside / "profile").write_text("0.0 1e6\n")
        self.assertEqual(times(), (cells, fast_s))
        (self.folder / "profile").write_text("0.0 1e6\n")
        now, slow_s = times()
        self.assertEqual(now, 2 * cells)
        self.assertGreater(slow_s, 100 * fast_s)


if __name__ == "__main__":
    harness.main()
