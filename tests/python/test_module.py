"""The module tutti: arrays without copies, records, pictures, errors, threads, Ctrl-C."""

import copy
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy

import python_module as here
import script_main
import tutti


def command(*arguments):
    return subprocess.run([here.BINARY, *map(str, arguments)], capture_output=True, text=True, check=True,
                          cwd=here.SOURCE).stdout


class Schedules(unittest.TestCase):
    def test_arrays_are_those_of_the_json(self):
        made = tutti.schedule("allreduce/rabenseifner", ranks=6, bytes=192)
        shown = json.loads(command("show", "allreduce/rabenseifner", "-p", 6, "-n", 192, "--format", "json"))
        ops = made.operations
        self.assertEqual(len(made), len(shown["ops"]))
        for number, op in enumerate(shown["ops"]):
            kind = ["comm", "reduce", "copy"][ops.kind[number]]
            self.assertEqual(kind, op["kind"])
            src = op.get("src", op.get("rank"))
            self.assertEqual((ops.src[number], ops.bytes[number], ops.level[number]),
                             (src, op["bytes"], op["level"]))
            after = ops.after[ops.after_first[number]:ops.after_first[number + 1]]
            self.assertEqual(after.tolist(), [before["op"] for before in op["after"]])
        self.assertEqual(ops.after_first[-1], made.dependencies)

    def test_arrays_outlive_the_schedule(self):
        ops = tutti.schedule("alltoall/pairwise", ranks=16, bytes=4096).operations
        expected = ops.after.copy()
        gc.collect()
        numpy.testing.assert_array_equal(ops.after, expected)

    def test_a_schedule_without_operations(self):
        made = tutti.schedule("allreduce/ring", ranks=1, bytes=8)
        self.assertEqual((len(made), made.operations.after.size), (0, 0))
        self.assertEqual(tutti.simulate(made).total_s, 0)
        self.assertEqual(made.to_networkx().number_of_nodes(), 0)

    def test_notation_pickle_and_copy(self):
        made = tutti.schedule("bcast/pipeline", ranks=5, bytes=1000, tree="binary", segment=64, root=2)
        self.assertEqual(made.notation(), command("show", "bcast/pipeline", "-p", 5, "-n", 1000, "--tree",
                                                  "binary", "--segment", 64, "--root", 2))
        for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
            self.assertEqual(again, made)
            self.assertEqual(tutti.simulate(again).total_s, tutti.simulate(made).total_s)

    def test_networkx_and_pandas(self):
        made = tutti.schedule("allreduce/ring", ranks=4, bytes=64)
        graph = made.to_networkx()
        self.assertEqual((graph.number_of_nodes(), graph.number_of_edges()), (len(made), made.dependencies))
        for before, after in graph.edges:
            self.assertLess(before, after)
        self.assertEqual(list(made.to_pandas().src), made.operations.src.tolist())

    def test_proof_of_a_wrong_schedule(self):
        text = tutti.schedule("allreduce/ring", ranks=3, bytes=48).notation()
        line = text.splitlines()[-1]
        wrong = tutti.Schedule.from_notation(text.replace(line + "\n", ""))
        with self.assertRaises(tutti.NotProved) as raised:
            wrong.prove()
        self.assertIn("result", str(raised.exception))
        self.assertFalse(raised.exception.result.proved)
        self.assertIsInstance(raised.exception, tutti.CheckFailed)


class Runs(unittest.TestCase):
    def test_times_are_views(self):
        made = tutti.schedule("alltoall/pairwise", ranks=1024, bytes=8192 * 1024)
        self.assertGreater(len(made), 1_000_000)
        run = tutti.simulate(made, tutti.Machine(engine="critical-path"))
        start, end = run._core._addresses
        self.assertEqual(run.start_s.__array_interface__["data"], (start, True))  # True: read-only
        self.assertEqual(run.end_s.__array_interface__["data"], (end, True))
        self.assertEqual(len(run.start_s), len(made))
        with self.assertRaises(ValueError):
            run.start_s[0] = 1
        last = run.end_s
        del run, made
        gc.collect()
        self.assertGreater(last.max(), 0)

    def test_same_times_as_the_command(self):
        platform = "platforms/torus_64.xml"
        os.chdir(here.SOURCE)
        for machine in ({}, {"ports": "unlimited"}, {"placement": "random:3"},
                        {"eager": 1024, "alpha": "3us"}):
            on = tutti.Machine(platform, **machine)
            run = tutti.simulate("allreduce/rabenseifner", on, ranks=24, bytes="64K")
            words = [word for name, value in machine.items()
                     for word in (f"--{name.replace('_', '-')}", value)]
            said = json.loads(command("simulate", "allreduce/rabenseifner", "-p", 24, "-n", "64K", "--platform",
                                      platform, *words, "--json", "-"))
            self.assertEqual(run.total_s, said["simulated_s"])
            self.assertEqual(run.exact_s, said["exact_s"])
            self.assertEqual(json.loads(run.to_json())["simulated_s"], run.total_s)

    def test_ties_are_those_of_the_command(self):
        ring = command("platform", "torus", "--dims", "2,8")
        with tempfile.TemporaryDirectory() as folder:
            platform = os.path.join(folder, "torus.xml")
            with open(platform, "w", encoding="utf-8") as file:
                file.write(ring)
            asked = ("bcast/pipeline", "-p", 16, "-n", "1MiB", "--tree", "binary", "--segment", 4096)
            said = json.loads(command("simulate", *asked, "--platform", platform, "--json", "-"))
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                run = tutti.simulate("bcast/pipeline", tutti.Machine(platform), ranks=16, bytes="1MiB",
                                     tree="binary", segment=4096)
                steady = tutti.simulate("allreduce/ring", ranks=4, bytes=64)
        self.assertEqual(run.total_s, said["simulated_s"])
        self.assertEqual({name: getattr(run.ties, name) for name in ("runs", "least_s", "median_s", "most_s")},
                         {name: said["ties"][name] for name in ("runs", "least_s", "median_s", "most_s")})
        self.assertTrue(run.ties.matter)
        [warning] = heard
        self.assertEqual((warning.category, warning.filename), (tutti.TuttiWarning, __file__))
        self.assertIn("the result depends on which of several simultaneous messages goes first", str(warning.message))
        self.assertTrue(steady.ties is None or not steady.ties.matter)

    def test_documents_are_of_this_run(self):
        # The number of ranks per host is part of the schedule, and of the machine on which it runs.
        for groups in ("host", None):
            made = tutti.schedule("allreduce/hierarchical", ranks=16, bytes="1K", groups=groups,
                                  machine=tutti.Machine("crossbar:8", ranks_per_host=4))
            self.assertEqual(made.stats().operations, len(made))
            for machine in (tutti.Machine("crossbar:16"), tutti.Machine("crossbar:8", ranks_per_host=2)):
                run = tutti.simulate(made, machine)
                self.assertEqual(json.loads(run.to_json())["simulated_s"], run.total_s)
                self.assertEqual(tutti.explain(made, machine).total_s, run.total_s)

    def test_a_file_that_changes_afterwards(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/changing.sched"
            tutti.schedule("allreduce/ring", ranks=4, bytes=64).save(file)
            made = tutti.load(file)
            tutti.schedule("allreduce/ring", ranks=8, bytes=64).save(file)
            run = tutti.simulate(made)
        self.assertEqual(json.loads(run.to_json())["simulated_s"], run.total_s)

    def test_pickle(self):
        run = tutti.simulate("bcast/pipeline", tutti.Machine("crossbar:8", ports=2), ranks=8, bytes="64K", segment="8K")
        again = pickle.loads(pickle.dumps(run))
        numpy.testing.assert_array_equal(again.start_s, run.start_s)
        self.assertEqual((again.exact_s, again.published, again.schedule.options),
                         (run.exact_s, run.published, run.schedule.options))

    def test_engine_simgrid(self):
        os.chdir(here.SOURCE)
        made = tutti.schedule("allreduce/ring", ranks=4, bytes="1K")
        try:
            other = tutti.simulate(made, tutti.Machine("platforms/torus_64.xml", engine="simgrid"))
        except tutti.BadInput as error:
            self.skipTest(str(error))
        ours = tutti.simulate(made, tutti.Machine("platforms/torus_64.xml"))
        self.assertAlmostEqual(other.total_s, ours.total_s, delta=1e-6 * ours.total_s)


class Results(unittest.TestCase):
    def setUp(self):
        os.chdir(here.SOURCE)

    def test_platforms_with_settings_and_failures(self):
        head = '<?xml version="1.0"?>\n<platform version="4.1">\n'
        body = ('{0}<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf" {1}/>'
                '<link id="l" bandwidth="1MBps" latency="1ms"/><route src="a" dst="b"><link_ctn id="l"/></route></zone>'
                '</platform>\n')
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.xml")

            def seconds(*parts, engine="auto"):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(head + body.format(*parts))
                return tutti.simulate("bcast/linear", ranks=2, bytes=8000, machine=tutti.Machine(path, engine=engine)).total_s
            for engine in ("auto", "flow", "simgrid"):
                self.assertAlmostEqual(seconds('<config><prop id="smpi/os" value="0"/></config>', "", engine=engine), 9e-3)
            with self.assertRaisesRegex(tutti.BadInput, "sets 'network/solver' to 'bmf'; expected maxmin"):
                seconds('<config><prop id="network/solver" value="bmf"/></config>', "")
            with open(os.path.join(folder, "off"), "w", encoding="utf-8") as file:
                file.write("0 1\n0.005 0\n")
            with self.assertRaisesRegex(tutti.BadInput, "host b is switched off by off, but the message"):
                seconds("", 'state_file="off"')

    def test_documents_are_those_of_the_commands(self):
        on = ["--platform", "platforms/torus_64.xml"]
        machine = "platforms/torus_64.xml"
        pairs = [
            (tutti.bound("allreduce", ranks=16, bytes="1MiB", machine=machine),
             ["bound", "allreduce", "-p", 16, "-n", "1MiB", *on]),
            (tutti.explain("alltoall/linear", machine, ranks=16, bytes="64K"),
             ["explain", "alltoall/linear", "-p", 16, "-n", "64K", *on]),
            (tutti.choose("bcast", ranks=64, bytes="64K", library="Open MPI 5.0.6"),
             ["choose", "bcast", "-p", 64, "-n", "64K", "--library", "Open MPI 5.0.6"]),
            (tutti.lint("examples/decisions/open_mpi_4.1.json"),
             ["lint", "examples/decisions/open_mpi_4.1.json"]),
            (tutti.schedule("allreduce/ring", ranks=4, bytes=64).stats(),
             ["show", "allreduce/ring", "-p", 4, "-n", 64, "--format", "stats"]),
        ]
        for record, words in pairs:
            said = json.loads(command(*words, "--json", "-"))
            self.assertEqual(without_wall(record.to_dict()), without_wall(said), words)

    def test_records_cannot_be_changed(self):
        record = tutti.compare("barrier", ranks=4)
        with self.assertRaises(AttributeError):
            record.cells = ()
        with self.assertRaises(AttributeError):
            del record.cells
        with self.assertRaises(AttributeError) as raised:
            record.best_algorithm  # noqa: B018
        self.assertIn("cells", str(raised.exception))
        self.assertEqual(pickle.loads(pickle.dumps(record)), record)
        self.assertEqual(type(pickle.loads(pickle.dumps(record))), tutti.Comparison)

    def test_pandas(self):
        table = tutti.compare("allreduce", ranks=[4, 6], bytes=[8, "1K"]).to_pandas()
        self.assertEqual(len(table), len(table.drop_duplicates(["algorithm", "options", "ranks", "bytes"])))
        self.assertEqual(sorted(table.ranks.unique()), [4, 6])
        self.assertTrue(table.simulated_s.isna().any())  # some need an element for each rank

    def test_pictures(self):
        made = tutti.schedule("allreduce/ring", ranks=4, bytes=64)
        compared = tutti.compare("allreduce", ranks=4, bytes="64..4K*2", algorithms="ring,rabenseifner")
        for drawn in (made, tutti.simulate(made), compared, tutti.explain(made),
                      tutti.bound("allreduce", ranks=4, bytes=64)):
            self.assertTrue(drawn._repr_svg_().startswith("<svg"), drawn)
        page = tutti.report(compared, tutti.explain(made), title="Two results")
        self.assertIn("<title>Two results</title>", page)

    def test_decisions(self):
        made = tutti.decide("bcast", ranks=[4, 8], bytes="1K..64K*8")
        again = pickle.loads(pickle.dumps(made))
        self.assertEqual(again.export("ompi4"), made.export("ompi4"))
        self.assertEqual(sorted(made.to_pandas().ranks.unique()), [4, 8])
        rules = tutti.decide("bcast", ranks=[64], machine="platforms/infiniband_hdr_128_thin.xml",
                             library="Open MPI 5.0")
        self.assertEqual(rules.export("ompi4"), rules.texts["tuned.conf"])
        self.assertTrue(rules.export("ompi5").startswith("rule-file-version-2"))
        self.assertEqual(tutti.choose("bcast", ranks=[4, 8], bytes="1K", library="MPICH 4.2").to_pandas().shape[0], 2)

    def test_platforms(self):
        torus = tutti.platform("torus", dims="4,4")
        expected = tutti.simulate("allreduce/ring", torus, ranks=16, bytes="1K").total_s
        child = os.fork()
        if child == 0:
            same = tutti.simulate("allreduce/ring", torus, ranks=16, bytes="1K").total_s == expected
            gc.collect()
            os._exit(0 if same else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        best = tutti.compare("allreduce", ranks=16, bytes="1K", machine=torus, algorithms="ring").best[0]
        self.assertEqual(best.time_s, expected)
        self.assertEqual(pickle.loads(pickle.dumps(tutti.Machine(torus))).platform.xml, torus.xml)

    def test_a_command_within_a_command(self):
        def progress(done, of):
            tutti.bound("allreduce", ranks=4, bytes=64)

        with self.assertRaisesRegex(tutti.BadInput, "must not run a command"):
            tutti.compare("allreduce", ranks=4, bytes=64, progress=progress)

    def test_a_temporary_folder_with_a_space(self):
        os.makedirs(here_folder := os.path.join(os.getcwd(), "build", "two words"), exist_ok=True)
        before, tempfile.tempdir = tempfile.tempdir, here_folder
        try:
            self.assertIn("<html", tutti.compare("allreduce", ranks=4, bytes=64).html().lower())
        finally:
            tempfile.tempdir = before
            os.removedirs(here_folder)

    def test_failed_checks(self):
        with self.assertRaises(tutti.CheckFailed) as raised:
            tutti.verify("tests/python/wrong.sched")
        self.assertFalse(raised.exception.result.proved)
        self.assertEqual(len(raised.exception.result.rows), 1)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            tutti.explain("alltoall/linear", "platforms/torus_64.xml", ranks=16, bytes="64K")
        self.assertTrue(heard)
        for each in heard:
            self.assertEqual(each.category, tutti.TuttiWarning)
            self.assertEqual(each.filename, __file__)


class Errors(unittest.TestCase):
    def test_arguments_have_the_names_of_python(self):
        tries = [
            (lambda: tutti.schedule("allreduce/ring", ranks="x", bytes=8), "ranks 'x'"),
            (lambda: tutti.schedule("allreduce/ring", ranks=4, bytes="8Q"), "bytes '8Q'"),
            (lambda: tutti.schedule("allreduce/ring", ranks=4, bytes=12), "elem_bytes"),
            (lambda: tutti.schedule("bcast/binomial", ranks=4, bytes=8, root=9), "root 9"),
            (lambda: tutti.schedule("allreduce/ring", ranks=4, bytes=8, segmnt=4), "segmnt"),
            (lambda: tutti.Machine("none.xml"), "none.xml"),
            (lambda: tutti.Machine(ranks_per_host=0), "ranks_per_host '0'"),
            (lambda: tutti.Machine(engine="fast"), "engine 'fast'"),
            (lambda: tutti.Machine(object()), "platform"),
            (lambda: tutti.simulate("allreduce/ring", 7, ranks=4, bytes=8), "machine 7"),
            (lambda: tutti.compare("allreduce", ranks=[], bytes=8), "ranks []: is empty"),
            (lambda: tutti.decide("allreduce", ranks=4, bytes=8, db={}), "db {}: is empty"),
            (lambda: tutti.compare("allreduce", ranks=4, bytes=8, executor=3), "executor 3"),
            (lambda: tutti.compare("allredce", ranks=4, bytes=8), "did you mean 'allreduce'"),
            (lambda: tutti.schedule("allreduce/ring", ranks=True, bytes=8), "ranks True"),
            (lambda: tutti.verify("allreduce", ranks=4, bytes=8, shard="1/2"), "shard"),
            (lambda: tutti.report(3), "3: a report shows"),
            (lambda: tutti.simulate(tutti.schedule("barrier/linear", ranks=2), ports=2), "ports"),
            (lambda: tutti.Schedule.from_notation("tutti-schedule 1\nranks 0\n"), "2:7"),
        ]
        for call, words in tries:
            with self.assertRaises(tutti.BadInput) as raised:
                call()
            self.assertIn(words, str(raised.exception))
            self.assertNotIn("--", str(raised.exception))
            self.assertNotIn("\n", str(raised.exception))

    def test_a_file_that_is_missing(self):
        with self.assertRaises(FileNotFoundError):
            tutti.load("none.sched")


class LongCalls(unittest.TestCase):
    def test_other_threads_run(self):
        counted = [0]
        over = threading.Event()

        def count():
            while not over.is_set():
                counted[0] += 1
                time.sleep(0.001)

        other = threading.Thread(target=count)
        other.start()
        made = tutti.schedule("alltoall/pairwise", ranks=256, bytes="64K")
        before = counted[0]
        made.prove()  # takes many times as long as the other thread sleeps
        during = counted[0] - before
        over.set()
        other.join()
        self.assertGreater(during, 3)

    def test_interrupt(self):
        torus = str(here.SOURCE / "platforms" / "torus_64.xml")
        wide = tutti.Machine("crossbar:1024", ports="unlimited", symmetry="off")
        made = tutti.schedule("alltoall/linear", ranks=700, bytes=700 * 8)
        calls = {
            "schedule": lambda: tutti.schedule("alltoall/linear", ranks=8000, bytes=8000 * 8),
            "prove": lambda: [made.prove() for _ in range(999)],
            "simulate": lambda: [tutti.simulate(made, wide) for _ in range(999)],
            "compare": lambda: tutti.compare("alltoall", ranks="200..900", bytes="1MiB"),
            "decide": lambda: tutti.decide("alltoall", ranks="64..900", bytes="1K..1MiB*2"),
            "decide with a database": lambda: tutti.decide(
                "alltoall", ranks="64..900", bytes="1K..1MiB*2", db="interrupted.db"),
            "verify": lambda: tutti.verify("alltoall", ranks="100..900", bytes="64K"),
            "explain": lambda: [tutti.explain("alltoall/pairwise", torus, ranks=64, bytes="64K")
                                for _ in range(999)],
            "simgrid": lambda: [tutti.simulate("alltoall/linear", tutti.Machine(torus, engine="simgrid"),
                                               ranks=64, bytes="64K") for _ in range(999)],
        }
        before = signal.getsignal(signal.SIGINT)
        for name, call in calls.items():
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            with self.subTest(name):
                timer.start()
                begun = time.monotonic()
                with self.assertRaises(KeyboardInterrupt):
                    call()
                timer.join()
                self.assertLess(time.monotonic() - begun, 30)  # to its end, each call takes minutes
        self.assertEqual(signal.getsignal(signal.SIGINT), before)
        # Later calls work.
        self.assertGreater(tutti.simulate("allreduce/ring", ranks=4, bytes=64).total_s, 0)


def without_wall(value):
    """A document without figures of wall-clock time and memory."""
    if isinstance(value, dict):
        return {name: without_wall(each) for name, each in value.items()
                if "wall" not in name and "rss" not in name}
    if isinstance(value, list):
        return [without_wall(each) for each in value]
    return value


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
