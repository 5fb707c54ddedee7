"""Tests that compare --db keeps finished results whichever process dies, and that tutti query reads these
results."""

import collections
import contextlib
import csv
import io
import json
import os
import pty
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import unittest

import harness
import sweeps
from sweep_case import Case, start, without_progress
from sweeps import count_of, processes_below, rows_of, wait_until, workers_below

NAMES, SOME, CELLS, MANY = sweeps.NAMES, sweeps.SOME, sweeps.CELLS, sweeps.MANY
COUNT = sweeps.COUNT
LONG = sweeps.LONG
LONG_COUNT = sweeps.LONG_COUNT


class Content(Case):
    def test_output_equals_that_of_compare(self):
        expected = harness.output("compare", *CELLS)
        self.assertEqual(self.sweep(*CELLS).stdout, expected)
        again = self.sweep(*CELLS)
        self.assertEqual(again.stdout, expected)
        self.assertRegex(again.stderr, r"^tutti: (\d+) results of \1 are in .*results.db already\n$")
        self.assertEqual(count_of(self.database), COUNT)

    def test_json_equals_that_of_compare(self):
        def masked(text):
            return [{k: v for k, v in r.items() if k not in ("wall_s", "peak_rss_bytes")}
                    for r in json.loads(text)["cells"]]
        torus = str(harness.SOURCE_DIR / "platforms" / "torus_64.xml")
        for machine in [[], ["--platform", torus], ["--platform", torus, "--engine", "both"],
                        ["--engine", "simgrid", "--alpha", "3us", "--copy-cost", "gamma"],
                        ["--platform", torus, "--engine", "critical-path", "--ports", "unlimited"],
                        ["--platform", "crossbar:16,lat=3us", "--ranks-per-host", "2",
                         "--placement", "cyclic"]]:
            with self.subTest(machine):
                arguments = [*SOME, "-p", "3,8", "-n", "1000,32K", *machine, "--json", "-"]
                expected = harness.output("compare", *arguments)
                for _ in range(2):
                    self.assertEqual(masked(self.sweep(*arguments).stdout), masked(expected))

    def test_the_number_of_jobs_changes_nothing(self):
        self.sweep(*CELLS, "--jobs", 1)
        other = self.folder / "other.db"
        self.sweep(*CELLS, "--jobs", 4, database=other)
        self.assertEqual(len(rows_of(self.database)), COUNT)
        self.assertEqual(rows_of(self.database), rows_of(other))

    def test_each_part_of_the_key_counts(self):
        """Each sweep has one cell for each algorithm. Each option must make new cells, even if the new cells
        take the same time as other cells."""
        cell = [*SOME, "-p", "4", "-n", "1K"]
        platform = self.folder / "one.xml"
        shutil.copy(harness.SOURCE_DIR / "platforms" / "torus_64.xml", platform)
        variants = [[], ["--ports", "2"], ["--alpha", "1us"], ["--beta", "1ns"],
                    ["--gamma", "1ns"], ["--copy-cost", "1ns"], ["--elem-bytes", "4"],
                    ["--engine", "simgrid"], ["--engine", "critical-path"], ["--eager", "64"],
                    ["--symmetry", "off"],
                    ["--engine", "simgrid", "--network-model", "lv08"],
                    ["--ranks-per-host", "2"], ["--ranks-per-host", "2", "--placement", "cyclic"],
                    ["--platform", "crossbar:64"], ["--platform", "crossbar:64,bw=1Gbps"],
                    ["--platform", str(platform)]]
        for number, variant in enumerate(variants, 1):
            self.assertNotIn("already", self.sweep(*cell, *variant).stderr)
            self.assertEqual(count_of(self.database), number * len(NAMES), variant)
        # A copy of a file under another name is the same platform; an edited file is another platform.
        other = self.folder / "two.xml"
        shutil.copy(platform, other)
        self.sweep(*cell, "--platform", other)
        self.assertEqual(count_of(self.database), len(variants) * len(NAMES))
        other.write_text(other.read_text().replace("<cluster", "\n<cluster"))
        self.sweep(*cell, "--platform", other)
        self.assertEqual(count_of(self.database), (len(variants) + 1) * len(NAMES))

    def test_refusals_are_recorded(self):
        self.sweep(*SOME, "-p", "8", "-n", "16,1K")
        refused = [r for r in rows_of(self.database) if "refused" in r]
        self.assertEqual(len(refused), 5)  # five algorithms refuse 2 elements on 8 ranks
        self.assertTrue(any("as many elements as ranks" in str(r) for r in refused))

    def test_bad_input_creates_no_database(self):
        done = harness.run("compare", "allreduce", "-p", "8", "-n", "7", "--db", self.database)
        self.assertEqual(done.returncode, 2)
        self.assertFalse(self.database.exists())

    def test_no_log_file_is_left(self):
        self.sweep(*CELLS)
        harness.output("query", self.database)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["results.db"])


class Deaths(Case):
    def test_all_processes_are_killed(self):
        process = start("compare", *LONG, "--db", self.database, "--jobs", "2",
                        start_new_session=True)
        wait_until(lambda: count_of(self.database) > 20)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        before = count_of(self.database)
        self.assertGreater(before, 20)
        done = self.sweep(*LONG)
        found = int(done.stderr.split()[1].replace(",", ""))
        self.assertGreater(found, 20)
        rows = rows_of(self.database)
        self.assertLess(before, len(rows))
        self.assertEqual(rows, self.complete(*LONG))

    def test_only_the_main_process_is_killed(self):
        process = start("compare", *LONG, "--db", self.database, "--jobs", "2")
        wait_until(lambda: count_of(self.database) > 5)
        workers = workers_below(process.pid)
        self.assertEqual(len(workers), 2)
        process.kill()
        process.communicate()
        wait_until(lambda: not set(workers) & set(processes_below(1)))

    def test_workers_are_killed(self):
        process = start("compare", *LONG, "--db", self.database, "--jobs", "2")
        for least in [5, 70, 140]:  # far apart, so that each kill hits a different cell
            wait_until(lambda least=least: count_of(self.database) > least)
            os.kill(workers_below(process.pid)[0], signal.SIGKILL)
        _, err = process.communicate(timeout=100)
        self.assertEqual((process.returncode, without_progress(err)), (0, ""))
        self.assertEqual(rows_of(self.database), self.complete(*LONG))

    def test_a_cell_that_kills_its_workers_has_failed(self):
        deadly = dict(os.environ, TUTTI_TEST_WORKER_DIES_ON="ring:8:32768")
        done = self.sweep(*CELLS, "--all", "--jobs", 2, code=1, env=deadly)
        self.assertRegex(done.stderr, r"^tutti: 1 run failed; the first: allreduce/ring with -p 8 "
                                      r"-n 32768: the worker was killed by signal 9 .*this is a test.*"
                                      r"in 2 tries; --retry-failed")
        self.assertRegex(done.stdout, r"\n +ring +failed +\[\d\]")
        self.assertRegex(done.stdout, r"allreduce/ring: the worker was killed by signal 9")
        failed = [r for r in rows_of(self.database) if "failed" in r]
        self.assertEqual(len(failed), 1)
        self.assertEqual(count_of(self.database), COUNT)
        # A failed cell is not tried again without --retry-failed.
        self.assertIn("1 run failed", self.sweep(*CELLS, code=1).stderr)
        self.sweep(*CELLS, "--retry-failed")
        self.assertEqual(rows_of(self.database), self.complete(*CELLS))

    def test_two_sweeps_share_a_file(self):
        others = [start("compare", *LONG, "--db", self.database, "--jobs", "1") for _ in range(2)]
        for process in others:
            _, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
            self.assertRegex(without_progress(err).replace(",", ""),
                             rf"^(tutti: \d+ results? of {LONG_COUNT} are in .* already\n)?$")
        self.assertEqual(rows_of(self.database), self.complete(*LONG))


class Shards(Case):
    def shard(self, number, of, *arguments, environment=None, **options):
        """Runs one shard and returns its database."""
        database = self.folder / f"{number}of{of}.db"
        text = "auto" if environment else f"{number}/{of}"
        done = self.sweep(*arguments, "--shard", text, database=database,
                          env={**os.environ, **(environment or {})}, **options)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"^(tutti: .* already\n)?tutti: shard {number}/{of}: \d+ results are in {database}; \d+ "
                                      r"cells belong to other shards: join the databases with 'tutti query \.\.\. ")
        return database

    def join(self, databases):
        harness.output("query", *databases, "--into", self.database)

    def test_all_shards_together_have_all_results(self):
        expected = self.complete(*CELLS)
        shards = [self.shard(number, 3, *CELLS) for number in (1, 2, 3)]
        own = [set(rows_of(shard)) for shard in shards]
        refused = set.intersection(*own)  # every shard has the refusals
        self.assertTrue(all("refused" in row for row in refused))
        self.assertEqual(sum(len(rows - refused) for rows in own) + len(refused), COUNT)
        self.assertTrue(all(len(rows - refused) > COUNT / 10 for rows in own))
        # The three sizes of an algorithm and number of ranks take similar times, so each shard gets one of them.
        groups = [collections.Counter((row[2], row[5]) for row in rows - refused) for rows in own]
        complete = [group for group, count in sum(groups, collections.Counter()).items() if count == 3]
        self.assertGreater(len(complete), COUNT / 9)
        for group in complete:
            self.assertEqual([counts[group] for counts in groups], [1, 1, 1], group)
        self.join(shards)
        done = self.sweep(*CELLS)  # only runs the leaders again, in other orders of ties
        self.assertIn(f"tutti: {COUNT - len(refused)} results of {COUNT - len(refused)} are in", done.stderr)
        self.assertEqual(done.stdout, harness.output("compare", *CELLS))
        self.assertEqual(rows_of(self.database), expected)

    def test_an_interrupted_shard_continues(self):
        shard = self.shard(1, 2, *CELLS)
        rows = rows_of(shard)
        with contextlib.closing(sqlite3.connect(shard)) as connection, connection:
            connection.execute("DELETE FROM cells WHERE ranks=4")
        self.shard(1, 2, *CELLS)
        self.assertEqual(rows_of(shard), rows)

    def test_shard_numbers_come_from_the_environment(self):
        for number, environment in [
                (2, {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "3",
                     "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "3"}),
                (3, {"SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "3"}),
                (1, {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "3"}),
                (2, {"PMI_RANK": "1", "PMI_SIZE": "3"})]:
            with self.subTest(environment):
                self.shard(number, 3, *CELLS, environment=environment)
        # Also tries a job array in which each task has several processes.
        self.shard(4, 6, *CELLS, environment={
            "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_COUNT": "2",
            "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "3"})

    def test_shards_of_decide(self):
        command = ["allreduce", "-p", "4,6", "-n", "64..1MiB*8"]
        expected = harness.output("decide", *command)
        self.join([self.shard(number, 2, *command, command="decide") for number in (1, 2)])
        self.assertEqual(self.sweep(*command, command="decide").stdout, expected)

    def test_shards_of_score(self):
        points = self.folder / "points.csv"
        points.write_text("collective,ranks,bytes,tutti,median_us\n" + "".join(
            f"allreduce,{ranks},{size},{name},100\n"
            for ranks in (4, 8) for size in (1024, 65536) for name in ("ring", "recursive_doubling")))
        command = [points, "--platform", "crossbar:8"]
        expected = harness.output("score", *command)
        self.join([self.shard(number, 2, *command, command="score") for number in (1, 2)])
        self.watch()
        self.assertEqual(self.sweep(*command, command="score").stdout, expected)
        self.assertFalse((self.folder / "notes").exists())

    def test_shards_of_verify(self):
        command = ["verify", "allreduce", "-p", "2..9"]

        def proofs(*more):
            return harness.json_output(*command, *more, "--json", "-")
        whole = proofs()
        parts = [proofs("--shard", f"{number}/3") for number in (1, 2, 3)]
        self.assertEqual(sorted(map(repr, sum(parts, []))), sorted(map(repr, whole)))
        self.assertTrue(all(parts))
        done = harness.run("verify", "allreduce/ring", "-p", "4", "--shard", "2/2")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", "tutti: shard 2/2: has none of the 1 proof\n"))
        done = harness.run("verify", "allreduce/ring", "-p", "4", "--shard", "2/2", "--json", "-")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[]\n", ""))

    def test_shard_of_refused_proofs(self):
        done = harness.run("verify", "allgather/bine", "-p", "7..8", "--shard", "1/2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("proved 0, refused 1", done.stdout)

    def test_bad_shards(self):
        for text, words in [("3", "such as 1/8"), ("0/4", "must be from 1/4 to 4/4"),
                            ("5/4", "must be from 1/4 to 4/4"), ("1/0", "1/1"),
                            ("x/4", "--shard"), ("auto", "not in a Slurm array")]:
            with self.subTest(text):
                done = self.sweep(*CELLS, "--shard", text, code=2)
                self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1))
                self.assertIn(words, done.stderr)
        done = harness.run("compare", *CELLS, "--shard", "1/2")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--shard '1/2' needs --db", done.stderr)


class SaysHowFarItIs(Case):
    def test_progress_on_a_terminal(self):
        try:
            ours, its = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal is available here: {error}")
        process = subprocess.Popen(
            [harness.TUTTI, "compare", *SOME, "-p", "192", "-n", "64K,96K..192K*2", "--skips",
             "all", "--engine", "simgrid", "--jobs", "1", "--db", self.database],
            stdout=subprocess.DEVNULL, stderr=its)
        os.close(its)
        printed = b""
        with contextlib.suppress(OSError), contextlib.closing(os.fdopen(ours, "rb", 0)) as terminal:
            while piece := terminal.read(4096):
                printed += piece
        self.assertEqual(process.wait(timeout=50), 0)
        lines = printed.decode().split("\r")
        self.assertTrue(any(re.match(r"comparing: \d+ of \d+ cells, \d+ % of the work, \d+ s, about \d+ s left",
                                     line) for line in lines), lines)
        self.assertEqual(lines[-1], "\x1b[K")  # the progress line is erased


class BadDatabases(Case):
    def refused(self, *words, database=None):
        done = self.sweep(*CELLS, code=2, database=database)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_a_limit_on_the_file_size_is_reported(self):
        self.sweep(*SOME, "-p", "4", "-n", "1K")
        before = rows_of(self.database)
        limit = self.database.stat().st_size + 200_000

        def cap():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = harness.run("compare", *MANY, "--db", self.database, preexec_fn=cap)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        last = done.stderr.splitlines()[-1]
        self.assertIn(f"cannot write '{self.database}'", last)
        self.assertIn("run the same command to continue", last)
        stored = set(rows_of(self.database))
        self.assertTrue(set(before) <= stored)
        # How much was stored before the limit was reached depends on the speed of the machine.
        self.assertEqual("already" in self.sweep(*MANY).stderr, stored > set(before))
        self.assertEqual(set(rows_of(self.database)), set(before) | set(self.complete(*MANY)))

    def test_a_full_device_is_reported(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=800k", "tmpfs", disk],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        database = disk / "results.db"
        done = self.sweep(*MANY, database=database, code=2)
        self.assertIn(f"cannot write '{database}': database or disk is full", done.stderr)
        kept = count_of(database)
        self.assertGreater(kept, 10)
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        done = self.sweep(*MANY, database=database)
        self.assertIn("already", done.stderr)
        self.assertEqual(rows_of(database), self.complete(*MANY))

    def test_a_read_only_folder_is_reported(self):
        self.folder.chmod(0o755)
        (self.folder / "there").mkdir()
        shutil.copy(harness.TUTTI, self.folder / "tutti")
        options = {}
        if os.geteuid() == 0:
            options = {"user": 65534, "group": 65534}
        else:
            (self.folder / "there").chmod(0o555)
        database = self.folder / "there" / "results.db"
        done = subprocess.run([self.folder / "tutti", "compare", *CELLS, "--db", database],
                              capture_output=True, text=True, check=False, cwd="/", **options)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^tutti: cannot open '.*results.db': .*; give a path in an "
                                      r"existing, writable folder\n$")
        # query also reads a database in a folder that is not writable.
        if os.geteuid() == 0:
            self.sweep(*CELLS, database=database)
            done = subprocess.run([self.folder / "tutti", "query", database], capture_output=True,
                                  text=True, check=False, cwd="/", **options)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"{COUNT} cells", done.stdout)

    def test_a_file_that_is_not_a_database_is_refused(self):
        self.database.write_text("results, of a kind\n" * 100)
        self.refused("damaged, or not a database")
        self.assertEqual(self.database.read_text(), "results, of a kind\n" * 100)

    def test_a_database_of_another_program_is_refused(self):
        with sqlite3.connect(self.database) as connection:
            connection.execute("CREATE TABLE cells (a)")
        connection.close()
        before = self.database.read_bytes()
        self.refused("is not a tutti results database")
        self.assertEqual(self.database.read_bytes(), before)

    def test_a_database_of_another_format_is_refused(self):
        self.sweep("barrier", "-p", "2")
        with sqlite3.connect(self.database) as connection:
            connection.execute("PRAGMA user_version=7")
        connection.close()
        self.refused("has format 7")
        done = harness.run("query", self.database)
        self.assertIn("has format 7", done.stderr)

    def test_a_database_damaged_in_the_middle_is_refused(self):
        self.sweep("allreduce", "-p", "4", "-n", "1K..2K", "--elem-bytes", "1")
        content = bytearray(self.database.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
        self.database.write_bytes(content)
        self.refused("damaged")
        done = harness.run("query", self.database)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("damaged", done.stderr)

    def test_a_folder_and_a_missing_folder_are_refused(self):
        self.refused("is a folder", database=self.folder)
        self.refused("cannot open", database=self.folder / "nowhere" / "x.db")

    def test_retry_needs_a_database(self):
        done = harness.run("compare", *CELLS, "--retry-failed")
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs --db", done.stderr)


class Worker(unittest.TestCase):
    def answers(self, *lines):
        done = subprocess.run([harness.TUTTI, "worker"], input="".join(l + "\n" for l in lines),
                              capture_output=True, text=True, timeout=50, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        greeting, *answers = done.stdout.splitlines()
        self.assertRegex(greeting, r"^tutti worker \d")
        for answer in answers:
            harness.validate(json.loads(answer), "tutti-cell-answer-1")
        return [json.loads(answer) for answer in answers]

    def cell(self, algorithm="allreduce/ring", ranks=4, size=1024, **machine):
        hosts = max(4, ranks)
        cell = {"schema": "tutti-cell/1", "version": harness.output("--version").split()[1],
                "algorithm": algorithm,
                "problem": {"ranks": ranks, "bytes": size, "element_bytes": 8, "root": 0,
                            "options": {}},
                "machine": {"platform_id": f"crossbar:{hosts},bw=1250000000Bps,lat=2e-06s,speed=1000000000f",
                            "crossbar": {"hosts": hosts, "latency_s": 2e-6,
                                         "bandwidth_bytes_per_s": 1.25e9, "speed_flops_per_s": 1e9},
                            "engine": "flow", "network_model": "hockney", "ports": 1,
                            "ranks_per_host": 1, "placement": "block", "alpha_s": None,
                            "beta_s_per_byte": None, "gamma_s_per_byte": None,
                            "copy_s_per_byte": 0, "symmetry": "auto", "all_rounds": False, "eager_bytes": None,
                            "after_barrier": False, "barrier": "", "placement_seed": None, **machine}}
        harness.validate(cell, "tutti-cell-1")
        return json.dumps(cell)

    def test_a_worker_simulates_a_cell(self):
        expected = harness.json_output("simulate", "allreduce/ring", "-p", 4, "-n", 1024, "--json",
                                       "-")
        for engine in ["flow", "simgrid", "critical-path"]:
            answer, = self.answers(self.cell(engine=engine))
            self.assertEqual(answer["status"], "done")
            self.assertAlmostEqual(answer["figures"]["simulated_s"], expected["simulated_s"],
                                   delta=1e-9 * expected["simulated_s"])

    def test_a_worker_answers_bad_requests(self):
        answers = self.answers("no JSON", "{}", self.cell("allreduce/rong"), self.cell(ranks=200),
                               self.cell(platform_id="xxh128:0"), self.cell())
        self.assertEqual([a["status"] for a in answers], ["failed"] * 3 + ["refused", "failed", "done"])
        self.assertIn("as many elements as ranks", answers[3]["message"])
        self.assertIn("not the same", answers[4]["message"])
        self.assertIn("$retry_failed", answers[4]["message"])

    def test_the_worker_command_is_hidden(self):
        self.assertNotIn("worker", harness.output("--help"))
        self.assertNotIn("worker", harness.run().stderr)


class Query(Case):
    def setUp(self):
        super().setUp()
        self.torus = str(harness.SOURCE_DIR / "platforms" / "torus_64.xml")
        self.sweep(*SOME, "-p", "4,8", "-n", "8,1K,64K", "--platform", self.torus)
        self.sweep("bcast", "-p", "4", "-n", "1K")

    def rows(self, *arguments):
        answer = harness.json_output("query", self.database, *arguments, "--json", "-")
        harness.validate(answer, "tutti-query-1")
        return answer["rows"]

    def test_filters_select_rows(self):
        everything = self.rows()
        self.assertEqual(len(everything), count_of(self.database))
        for arguments, holds in [
                (["--collective", "bcast"], lambda r: r["collective"] == "bcast"),
                (["--algorithm", "ring"], lambda r: r["algorithm"] == "ring"),
                (["--algorithm", "allreduce/circulant"],
                 lambda r: (r["collective"], r["algorithm"]) == ("allreduce", "circulant")),
                (["-p", "8"], lambda r: r["ranks"] == 8),
                (["-n", "8..1K*2"], lambda r: r["bytes"] <= 1024),
                (["--platform", "torus_64.xml"], lambda r: r["platform"] == "torus_64.xml"),
                (["--platform", "torus_64"], lambda r: r["platform"] == "torus_64.xml"),
                (["--platform", "crossbar"], lambda r: r["platform"] == "crossbar:4"),
                (["--platform", next(r["platform_id"] for r in everything
                                     if r["collective"] == "allreduce")[7:17]],
                 lambda r: r["platform"] == "torus_64.xml"),
                (["--status", "refused"], lambda r: r["status"] == "refused"),
                (["--engine", "flow", "-p", "4", "--collective", "allreduce"],
                 lambda r: r["collective"] == "allreduce" and r["ranks"] == 4)]:
            expected = [r for r in everything if holds(r)]
            self.assertTrue(0 < len(expected) < len(everything), arguments)
            self.assertEqual(self.rows(*arguments), expected, arguments)

    def test_the_best_view(self):
        cells = [r for r in self.rows("--platform", "torus_64.xml") if r["status"] == "done"]
        for row in self.rows("--view", "best", "--platform", "torus_64.xml"):
            times = sorted(c["simulated_s"] for c in cells
                           if (c["ranks"], c["bytes"]) == (row["ranks"], row["bytes"]))
            self.assertEqual(row["contenders"], len(times))
            # Several algorithms may have the best time. The second time is that of the next slower algorithm.
            second = next(t for t in times if t > times[0] * (1 + 1e-9))
            self.assertEqual([row["simulated_s"], row["second_s"]], [times[0], second])
            self.assertAlmostEqual(row["margin"], second / times[0] - 1)
        self.assertEqual(len(self.rows("--view", "best")), 7)

    def test_the_times_view(self):
        rows = self.rows("--view", "times", "-p", "8", "--collective", "allreduce")
        self.assertEqual([r["bytes"] for r in rows], [8, 1024, 65536])
        self.assertIsNone(rows[0]["times_s"]["ring"])
        done = harness.json_output("simulate", "allreduce/ring", "-p", 8, "-n", "64K", "--platform",
                                   self.torus, "--json", "-")
        self.assertEqual(rows[2]["times_s"]["ring"], done["simulated_s"])

    def test_the_losses_view(self):
        rows = self.rows("--against", "ring")
        self.assertEqual(len(rows), 6)
        for row in rows:
            if row["simulated_s"] is None:
                self.assertIn("as many elements", row["message"])
                self.assertIsNone(row["loss"])
            else:
                self.assertAlmostEqual(row["loss"], row["simulated_s"] / row["best_s"] - 1)
        large = [r for r in rows if r["loss"] is None or r["loss"] > 0.2]
        self.assertTrue(0 < len(large) < len(rows))
        self.assertEqual(self.rows("--against", "ring", "--loses-more-than", "20%"), large)
        self.assertIn(f"{len(large)} of 6 cells listed",
                      harness.output("query", self.database, "--against", "ring",
                                     "--loses-more-than", "20%"))

    def test_csv_has_the_same_content_as_json(self):
        for view in [["--view", "cells"], ["--view", "best"], ["--view", "times"],
                     ["--against", "ring"]]:
            rows = self.rows(*view)
            table = list(csv.DictReader(io.StringIO(
                harness.output("query", self.database, *view, "--csv", "-"))))
            self.assertEqual(len(table), len(rows))
            for line, row in zip(table, rows):
                flat = {**row, **row.get("times_s", {})}
                for name, text in line.items():
                    value = flat.get(name)
                    if isinstance(value, float):
                        self.assertEqual(float(text), value)
                    elif isinstance(value, (bool, list)):
                        self.assertEqual(json.loads(text), value)
                    else:
                        self.assertEqual(text, "" if value is None else str(value))

    def test_rows_as_text(self):
        shown = harness.output("query", self.database, "--view", "best")
        self.assertIn("allreduce, torus_64.xml, engine flow", shown)
        self.assertIn("bcast, crossbar,bw=", shown)
        self.assertRegex(shown, r"\n +8 +64 KiB +rabenseifner = ")

    def test_several_databases_are_joined_with_into(self):
        parts = [self.folder / f"{n}.db" for n in (1, 2)]
        self.sweep("bcast", "-p", "4", "-n", "1K,2K", database=parts[0])
        self.sweep("bcast", "-p", "4", "-n", "2K,4K", database=parts[1])
        joined = self.folder / "joined.db"
        for _ in range(2):
            harness.output("query", *parts, "--into", joined)
        whole = self.folder / "whole.db"
        self.sweep("bcast", "-p", "4", "-n", "1K,2K,4K", database=whole)
        self.assertEqual(rows_of(joined), rows_of(whole))
        self.assertIn("already", self.sweep("bcast", "-p", "4", "-n", "1K,2K,4K",
                                            database=joined).stderr)

    def test_bad_options_of_query(self):
        for arguments, words in [
                (["--view", "worst"], "expected cells, best, times or losses"),
                (["--view", "losses"], "needs --against"),
                (["--loses-more-than", "20%"], "needs --against"),
                (["--against", "ring", "--loses-more-than", "much"], "--loses-more-than"),
                (["--against", "rong"], "neither an algorithm of a matching cell"),
                (["--platform", "tours"], "available: "),
                (["--status", "lost"], "expected done, refused or failed"),
                (["-p", "four"], "-p/--ranks")]:
            done = harness.run("query", self.database, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(words, done.stderr)
        done = harness.run("query", self.folder / "none.db")
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not exist", done.stderr)
        self.assertFalse((self.folder / "none.db").exists())


if __name__ == "__main__":
    harness.main()
