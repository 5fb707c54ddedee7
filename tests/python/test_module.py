"""The module tutti: arrays without copies, records, pictures, errors, threads, Ctrl-C."""

import concurrent.futures
import contextlib
import copy
import gc
import json
import os
import pickle
import re
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
            printed_text = json.loads(command("simulate", "allreduce/rabenseifner", "-p", 24, "-n", "64K", "--platform",
                                      platform, *words, "--json", "-"))
            self.assertEqual(run.total_s, printed_text["simulated_s"])
            self.assertEqual(run.exact_s, printed_text["exact_s"])
            self.assertEqual(json.loads(run.to_json())["simulated_s"], run.total_s)

    def test_ties_are_those_of_the_command(self):
        ring = command("platform", "torus", "--dims", "2,8")
        with tempfile.TemporaryDirectory() as folder:
            platform = os.path.join(folder, "torus.xml")
            with open(platform, "w", encoding="utf-8") as file:
                file.write(ring)
            call_words = ("bcast/pipeline", "-p", 16, "-n", "1MiB", "--tree", "binary", "--segment", 4096)
            printed_text = json.loads(command("simulate", *call_words, "--platform", platform, "--json", "-"))
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                run = tutti.simulate("bcast/pipeline", tutti.Machine(platform), ranks=16, bytes="1MiB",
                                     tree="binary", segment=4096)
                steady = tutti.simulate("allreduce/ring", ranks=4, bytes=64)
        self.assertEqual(run.total_s, printed_text["simulated_s"])
        self.assertEqual({name: getattr(run.ties, name) for name in ("runs", "least_s", "median_s", "most_s")},
                         {name: printed_text["ties"][name] for name in ("runs", "least_s", "median_s", "most_s")})
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
            printed_text = json.loads(command(*words, "--json", "-"))
            self.assertEqual(without_wall(record.to_dict()), without_wall(printed_text), words)

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

    def test_a_poor_fit_is_one_warning(self):
        with open("tests/mpi/recorded/machine.json", encoding="utf-8") as file:
            poor = {**json.load(file), "good": False, "doubts": ["for a test"]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "poor.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(poor, file)
            for call in (lambda machine: tutti.compare("allreduce", machine=machine, ranks=4, bytes=1024, algorithms=["ring"]),
                         lambda machine: tutti.simulate("allreduce/ring", machine, ranks=4, bytes=1024)):
                with warnings.catch_warnings(record=True) as heard, standard_error() as printed:
                    warnings.simplefilter("always")
                    call(tutti.Machine(parameters=path))
                    self.assertEqual(printed(), "")
                self.assertEqual([(each.category, str(each.message)) for each in heard],
                                 [(tutti.TuttiWarning, f"parameters '{path}' is marked as a poor fit: for a test")])


@contextlib.contextmanager
def standard_error():
    """Redirects what this process writes to its standard error, and gives a function that returns it."""
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)

        def printed():
            file.seek(0)
            return file.read().decode()

        try:
            yield printed
        finally:
            os.dup2(before, 2)
            os.close(before)


def mine(ranks, bytes):
    """An allreduce written in Python, in one round of messages to rank 0 and back. Not for 5 ranks."""
    if ranks == 5:
        return None
    with tutti.program("allreduce", ranks=ranks, bytes=bytes, blocks=1, name="there_and_back") as made:
        for rank in range(1, ranks):
            made.send(rank, 0, made.work[0], into=made.scratch_slot(rank - 1)[0])
            made.reduce(0, made.scratch_slot(rank - 1)[0], made.work[0])
        for rank in range(1, ranks):
            made.send(0, rank, made.work[0])
    return made


class OwnSchedules(unittest.TestCase):
    """with_: schedules and functions of the user beside tutti's algorithms."""

    def setUp(self):
        os.chdir(here.SOURCE)

    def times(self, comparison, name):
        return {(cell.ranks, cell.bytes): cell.simulated_s or cell.refused
                for cell in comparison.cells if cell.algorithm == name}

    def test_schedules(self):
        made = [mine(4, 64).schedule, mine(6, 64)]
        compared = tutti.compare("allreduce", with_=made, algorithms="ring,rabenseifner")
        self.assertEqual(self.times(compared, "there_and_back"),
                         {(ranks, 64): tutti.simulate(mine(ranks, 64).schedule).total_s for ranks in (4, 6)})
        one = tutti.compare(mine(4, 64), algorithms="ring")
        self.assertEqual(self.times(one, "there_and_back"), {(4, 64): self.times(compared, "there_and_back")[4, 64]})
        self.assertEqual([cell.file for cell in one.cells], [None, "there_and_back.sched"])
        self.assertEqual(one.to_dict()["cells"][1]["file"], "there_and_back.sched")
        self.assertIn("there_and_back", tutti.report(one))
        with self.assertRaisesRegex(tutti.BadInput, "ranks '8': 'there_and_back.sched' is for 4 ranks"):
            tutti.compare("allreduce", ranks=8, bytes=64, with_=mine(4, 64).schedule)
        known = tutti.schedule("allreduce/ring", ranks=4, bytes=64)
        both = tutti.compare("allreduce", with_=known, algorithms="ring")
        self.assertEqual(*(cell.simulated_s for cell in both.cells))

    def test_a_function(self):
        calls = []

        def counted(ranks, bytes):
            calls.append((ranks, bytes))
            return mine(ranks, bytes)

        compared = tutti.compare("allreduce", ranks=[3, 5, 8], bytes=[64, 4096], with_=counted, algorithms="ring")
        times = self.times(compared, "counted")
        self.assertEqual(sorted(calls), sorted(set(calls)))
        self.assertEqual(set(calls), {(ranks, size) for ranks in (3, 5, 8) for size in (64, 4096)})
        for ranks in (3, 8):
            self.assertEqual(times[ranks, 64], tutti.simulate(mine(ranks, 64).schedule).total_s)
        self.assertIn("counted returns no schedule for 5 ranks", times[5, 64])
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            again = tutti.compare("allreduce", ranks=[3, 8], bytes=64, with_=mine, algorithms="ring", executor=pool)
        self.assertEqual(self.times(again, "mine")[3, 64], times[3, 64])

    def test_decisions_and_searches(self):
        call_words = {"ranks": 3, "bytes": "8..1MiB*32", "algorithms": "ring"}
        decided = tutti.decide("allreduce", with_=mine, **call_words)
        self.assertEqual(decided.decisions[0].candidate, "mine")
        self.assertEqual(decided.decisions[-1].candidate, "ring")
        self.assertIn("mine", decided.export("csv"))
        with self.assertRaisesRegex(tutti.BadInput, "with_ 'mine': a library does not have this schedule"):
            decided.export("ompi5")
        fixed = tutti.decide("allreduce", with_=[mine(3, 8), mine(3, 1 << 20)], algorithms="ring")
        self.assertEqual({cell.bytes for cell in fixed.cells}, {8, 1 << 20})
        found = tutti.search("allreduce", ranks=4, bytes=1 << 16, with_=mine, evaluations=30)
        self.assertEqual((found.sizes[0].given[0].algorithm, found.sizes[0].given[0].simulated_s),
                         ("mine", tutti.simulate(mine(4, 1 << 16).schedule).total_s))
        made = tutti.search("alltoall", ranks=16, bytes="1MiB", machine="platforms/torus_64.xml", evaluations=150)
        [schedule] = made.schedules
        self.assertTrue(schedule.prove().proved)
        self.assertAlmostEqual(tutti.simulate(schedule, "platforms/torus_64.xml").total_s, made.sizes[0].found_s,
                               delta=1e-12)
        self.assertIsNone(made.sizes[0].file)
        again = tutti.search("alltoall", with_=schedule, machine="platforms/torus_64.xml", evaluations=10)
        self.assertAlmostEqual(again.sizes[0].best_known_s, made.sizes[0].found_s, delta=1e-12)
        self.assertEqual(pickle.loads(pickle.dumps(made)).schedules, made.schedules)
        against = tutti.explain(mine(4, 64), against=tutti.schedule("allreduce/ring", ranks=4, bytes=64))
        self.assertEqual(against.schema, "tutti-contrast/1")

    def test_exceptions_of_a_function(self):
        def fails(ranks, bytes):
            raise ZeroDivisionError("in the user's function")

        for call in (lambda: tutti.compare("allreduce", ranks=[3, 4], bytes=64, with_=fails),
                     lambda: tutti.decide("allreduce", ranks=[3, 4], bytes=64, with_=fails),
                     lambda: tutti.search("allreduce", ranks=3, bytes=64, with_=fails, evaluations=1)):
            with self.assertRaisesRegex(ZeroDivisionError, "in the user's function") as raised:
                call()
            self.assertIn("fails(3, 64)", "".join(getattr(raised.exception, "__notes__", ["fails(3, 64)"])))
        self.assertGreater(tutti.compare("barrier", ranks=3).best[0].time_s, 0)

    def test_a_failed_check_says_why(self):
        wrong = os.path.join(here.SOURCE, "tests", "python", "wrong.sched")
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(tutti.CheckFailed, r"is wrong \(no_verify .*\)\n  result: rank 1 ends"):
                tutti.convert(wrong, os.path.join(folder, "wrong.goal"))
            self.assertEqual(os.listdir(folder), [])

    def test_wrong_schedules(self):
        def unfinished(ranks, bytes):
            with tutti.program("allreduce", ranks=ranks, bytes=bytes, blocks=1) as made:
                made.send(0, 1, made.work[0])
            return made

        with self.assertRaisesRegex(tutti.CheckFailed, r"unfinished\(3, 64\): the schedule is wrong: "):
            tutti.compare("allreduce", ranks=3, bytes=64, with_=unfinished)
        with self.assertRaisesRegex(tutti.CheckFailed, "is wrong"):
            tutti.compare(unfinished(3, 64))
        for made, words in ((lambda p, n: mine(p + 1, n), "returned a schedule for 4 ranks and 64 bytes"),
                            (lambda p, n: 7, "returned 7: expected a tutti.Schedule")):
            with self.assertRaisesRegex(tutti.BadInput, words):
                tutti.compare("allreduce", ranks=3, bytes=64, with_=made)
        with self.assertRaisesRegex(tutti.CheckFailed, "returns a schedule of bcast"):
            tutti.compare("allreduce", ranks=3, bytes=64,
                          with_=lambda p, n: tutti.schedule("bcast/linear", ranks=p, bytes=n))
        for value in (3, [object()], {"a": 1}.values()):
            with self.assertRaisesRegex(tutti.BadInput, "with_ .*expected a tutti.Schedule"):
                tutti.compare("allreduce", ranks=3, bytes=64, with_=value)

    def test_warnings_name_files_without_their_folders(self):
        given = [tutti.Schedule.from_notation(tutti.schedule("allreduce/ring", ranks=ranks, bytes=64).notation())
                 for ranks in (4, 8)]
        with self.assertWarnsRegex(tutti.TuttiWarning, "^'ring.sched' is for 8 ranks, so it is not used"):
            tutti.compare("allreduce", ranks=4, bytes=64, with_=given)

        def calls_tutti(ranks, bytes):
            tutti.bound("allreduce", ranks=4, bytes=64)

        with self.assertRaisesRegex(tutti.BadInput, "must not run a command of tutti"):
            tutti.compare("allreduce", ranks=4, bytes=64, with_=calls_tutti)


def without_provenance(text):
    """Returns the text of a file without the parts that say which command made it."""
    text = re.sub(r"<metadata>.*?</metadata>\n", "", text, flags=re.DOTALL)
    if text.startswith("{"):
        document = json.loads(text)
        document.pop("made_by", None)
        return json.dumps(document)
    return text


class Files(unittest.TestCase):
    def setUp(self):
        os.chdir(here.SOURCE)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name

    def name(self, name):
        return os.path.join(self.path, name)

    def text(self, name):
        with open(self.name(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def test_save_goes_by_the_ending(self):
        call_words = ("allreduce/ring", "-p", 4, "-n", "4KiB")
        known = tutti.schedule("allreduce/ring", ranks=4, bytes="4KiB")
        own = tutti.Schedule.from_notation(known.notation())
        for ending in ("sched", "tutti", "goal", "xml", "json", "dot", "graphml"):
            command("convert", call_words[0], self.name(f"said.{ending}"), *call_words[1:])
            for made in (known, own):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made.save(self.name(f"made.{ending}"))
                self.assertEqual(without_provenance(self.text(f"made.{ending}")),
                                 without_provenance(self.text(f"said.{ending}")), ending)
                self.assertNotIn("tutti-python-", self.text(f"made.{ending}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known.save(self.name("made.et"))
            known.save(self.name("made.txt"), format="goal")
        self.assertTrue(os.path.exists(self.name("made.3.et")))
        self.assertEqual(self.text("made.txt"), self.text("said.goal"))
        before = sorted(os.listdir(self.path))
        for name, options, words in (("made.pdf", {}, r"made.pdf': unknown format; end the name in .tutti, "),
                                     ("made", {}, "or give format"),
                                     ("made.sched", {"format": "gaol"}, "format 'gaol': .*did you mean 'goal'")):
            with self.assertRaisesRegex(tutti.BadInput, words):
                known.save(self.name(name), **options)
        self.assertEqual(sorted(os.listdir(self.path)), before)
        wrong = tutti.Schedule.from_notation("\n".join(known.notation().splitlines()[:-1]) + "\n")
        wrong.save(self.name("wrong.sched"))
        self.assertEqual(self.text("wrong.sched"), wrong.notation())
        with self.assertRaisesRegex(tutti.CheckFailed, "is wrong"):
            wrong.save(self.name("wrong.xml"))
        self.assertFalse(os.path.exists(self.name("wrong.xml")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tutti.convert(self.name("made.xml"), self.name("again.json"), bytes="4KiB")
        tutti.convert("bcast/linear", self.name("read.sched"), ranks=3, bytes=8)
        self.assertEqual(tutti.load(self.name("read.sched")).algorithm, "bcast/linear")
        self.assertIn("tutti-schedule/1", self.text("again.json"))

    def test_documents_that_commands_wrote(self):
        for words, kind in ((["compare", "allreduce", "-p", 4, "-n", 64], tutti.Comparison),
                            (["decide", "bcast", "-p", 4, "-n", 64], tutti.Decision),
                            (["verify", "allreduce/ring", "-p", "2..4", "-n", 64], tutti.Verification),
                            (["search", "allreduce", "-p", 4, "-n", 64, "--evaluations", 1], tutti.Search),
                            (["nccl", "allreduce", "-p", 8, "-n", "1MiB"], tutti.Nccl),
                            (["simulate", "allreduce/ring", "-p", 4, "-n", 64], tutti.Record)):
            path = self.name("said.json")
            command(*words, "--json", path)
            read = tutti.read(path)
            self.assertIsInstance(read, kind)
            printed_text = json.loads(self.text("said.json"))
            self.assertEqual(read.rows if kind is tutti.Verification else read,
                             tuple(map(tutti.Record, printed_text)) if kind is tutti.Verification else tutti.Record(printed_text))
        compared = tutti.compare("allreduce", ranks=4, bytes=64)
        self.assertEqual(tutti.Comparison.from_json(compared.to_json()), compared)
        self.assertTrue(tutti.from_json(compared.to_json()).svg().startswith("<svg"))
        with self.assertRaisesRegex(tutti.BadInput, "is a Comparison .tutti-comparison/1., not a Decision"):
            tutti.Decision.from_json(compared.to_json())
        with open(self.name("other.json"), "w", encoding="utf-8") as file:
            file.write('{"a": 1}')
        for call, words in ((lambda: tutti.read(self.name("other.json")), "other.json' is not a document of tutti"),
                            (lambda: tutti.from_json("{"), "the text is not JSON"),
                            (lambda: tutti.from_json("[]"), "not a document of tutti"),
                            (lambda: tutti.from_json('{"schema": 3}'), "not a document of tutti")):
            with self.assertRaisesRegex(tutti.BadInput, words):
                call()
        decided = tutti.decide("bcast", ranks=[4], bytes=[64])
        with self.assertRaisesRegex(tutti.BadInput, "read from a file"):
            tutti.from_json(decided.to_json()).export("ompi5")

    def test_functions_of_the_other_commands(self):
        for record, words in ((tutti.nccl("allreduce", ranks=16, bytes="1MiB", gpu="h100"),
                               ["nccl", "allreduce", "-p", 16, "-n", "1MiB", "--gpu", "h100"]),
                              (tutti.step("examples/steps/pipeline.step", gpu="h100"),
                               ["step", "examples/steps/pipeline.step", "--gpu", "h100"]),
                              (tutti.list("bcast"), ["list", "bcast"]), (tutti.list(), ["list"])):
            self.assertEqual(record.to_dict(), json.loads(command(*words, "--json", "-")))
        answer = tutti.nccl("allreduce", ranks=[8, 16], bytes="1K,64MiB", model_only=True)
        ways = answer.ways()
        self.assertEqual(sum(way.chosen for way in ways), 4)
        self.assertEqual({(way.ranks, way.bytes) for way in ways}, {(p, n) for p in (8, 16) for n in (1024, 2**26)})
        for way in ways:
            self.assertGreater(way.time_us, 0)
        self.assertTrue(answer.svg("winners").startswith("<svg"))
        self.assertIn("NCCL's time", answer.html())
        [sent] = tutti.nccl("sendrecv", ranks=16, bytes="1MiB").ways()
        self.assertAlmostEqual(sent.busbw_gb_per_s * 1e9 * sent.simulated_s / 2**20, 1)
        with self.assertRaisesRegex(tutti.BadInput, "does not have this collective"):
            tutti.nccl("gatherv", ranks=16, bytes="1MiB")
        made = tutti.schedule("allreduce/ring", ranks=4, bytes=64)
        run = tutti.simulate(made)
        compared = tutti.compare("allreduce", ranks=4, bytes="64,4K")
        for what, which in ((made, None), (mine(4, 64), None), (run, "timeline"), (compared, "times")):
            tutti.plot(what, self.name("made.svg"), which=which)
            self.assertTrue(self.text("made.svg").startswith("<svg"))
        self.assertEqual(compared.svg("times"), without_provenance(self.text("made.svg")))
        os.chdir(self.path)
        for ending in ("svg", "pdf", "html"):  # equal calls write equal files, without temporary paths
            written = []
            for _ in range(2):
                tutti.plot(compared, f"equal.{ending}", which="times")
                with open(f"equal.{ending}", "rb") as file:
                    written.append(file.read())
            self.assertEqual(written[0], written[1], ending)
            self.assertFalse(b"tutti-python-" in written[0], ending)
        self.assertIn("<dc:source>tutti plot result.json --output=equal.svg", self.text("equal.svg"))
        os.chdir(here.SOURCE)
        command("compare", "allreduce", "-p", 4, "-n", 64, "--json", self.name("c.json"))
        tutti.plot(self.name("c.json"), self.name("times.png"))
        with open(self.name("times.png"), "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        with self.assertRaisesRegex(tutti.BadInput, "what 3: expected a schedule"):
            tutti.plot(3, self.name("x.svg"))
        with self.assertRaises(tutti.BadInput):
            tutti.plot(compared, self.name("x.eps"))

    def test_platforms_are_xml_or_files(self):
        path = "platforms/torus_64.xml"
        with self.assertRaisesRegex(tutti.BadInput, "expected the text of a platform file.*tutti.Machine"):
            tutti.Platform(path)
        self.assertEqual(tutti.simulate("allreduce/ring", tutti.Platform.load(path), ranks=4, bytes=64).total_s,
                         tutti.simulate("allreduce/ring", path, ranks=4, bytes=64).total_s)

    def test_long_values_in_errors_are_cut(self):
        compared = tutti.compare("allreduce", ranks=4, bytes=64)
        for call, words in ((lambda: tutti.report([compared, compared]), r"a list of 2: give the results one by one"),
                            (lambda: tutti.report(list(range(999)).__iter__()), "a report shows"),
                            (lambda: tutti.compare("allreduce", ranks=compared, bytes=64), "ranks"),
                            (lambda: tutti.simulate("allreduce/ring", compared, ranks=4, bytes=8), "machine Comparison")):
            with self.assertRaisesRegex(tutti.BadInput, words) as raised:
                call()
            self.assertLess(len(str(raised.exception)), 220)


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

    def test_a_database_needs_an_executor(self):
        for flag in ("--db=none.db", "\u2013-db=none.db", "\u2014db=none.db"):
            code, out, messages = tutti._core.run_command(
                [word.encode() for word in ("compare", "allreduce", "-p", "4", "-n", "64", flag)], None, [])
            self.assertEqual((code, out), (2, ""))
            self.assertEqual(messages[0][1], "db: give an executor, which runs the cells")
            self.assertFalse(os.path.exists("none.db"))

    def test_options_are_those_of_the_command(self):
        self.assertEqual(tutti.platform("torus", dims=[4, 2]).xml, tutti.platform("torus", dims="4,2").xml)
        self.assertEqual(tutti.schedule("allreduce/bucket", ranks=8, bytes=64, dims=[4, 2]),
                         tutti.schedule("allreduce/bucket", ranks=8, bytes=64, dims="4x2"))
        with self.assertRaisesRegex(tutti.BadInput, "hosts True: expected a value: Number of hosts"):
            tutti.platform("crossbar", hosts=True)
        with self.assertRaisesRegex(tutti.BadInput, "engine_tolerance '0.1': needs engine='both'"):
            tutti.Machine(engine_tolerance="0.1")

    def test_truth_values_of_numpy(self):
        alone = tutti.compare("allreduce", ranks=4, bytes=64, all=True).to_dict()["cells"]
        found = tutti.compare("allreduce", ranks=4, bytes=64, all=numpy.bool_(True), what_if=None,
                              after_barrier=numpy.bool_(False)).to_dict()["cells"]
        self.assertEqual(len(found[0]), len(alone[0]))

    def test_options_without_a_value(self):
        with self.assertRaisesRegex(tutti.BadInput, "unknown option 'explain'; 'simulate', 'step' have this option"):
            tutti.compare("allreduce", ranks=4, bytes=64, explain=True)
        with self.assertRaisesRegex(tutti.BadInput, "jitter True: expected a value: Vary the time of each message"):
            tutti.compare("allreduce", ranks=4, bytes=64, jitter=True)

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
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
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
                "alltoall", ranks="64..900", bytes="1K..1MiB*2", db=os.path.join(folder.name, "interrupted.db")),
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
