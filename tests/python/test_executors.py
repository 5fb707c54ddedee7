"""compare, decide, verify and score on executors: the same rows as without one, also if a worker is killed."""

import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import warnings
from pathlib import Path

import python_module as here
import script_main
import tutti

PLATFORM = str(here.SOURCE / "platforms" / "torus_64.xml")
# SimGrid-free and quick, but with refused cells, a best segment and ties.
GRID = {"ranks": [6, 8, 16], "bytes": "1K..256K*16", "machine": PLATFORM}


def rows(comparison):
    return [[cell.algorithm, cell.options, cell.ranks, cell.bytes, cell.simulated_s, cell.refused]
            for cell in comparison.cells]


def all_answers(executor, **more):
    """What the four functions answer on an executor, as JSON that can be compared."""
    measured = Path("measured.csv")
    measured.write_text("collective,tutti,ranks,bytes,median_s\n"
                        "allreduce,ring,8,8192,1e-4\nallreduce,recursive_doubling,8,8192,2e-4\n")
    return json.dumps({
        "compare": rows(tutti.compare("allreduce", executor=executor, **GRID, **more)),
        "decide": tutti.decide("bcast", executor=executor, ranks=[8, 16], bytes="1K..64K*4", machine=PLATFORM,
                               **more).to_dict()["decisions"],
        "verify": tutti.verify("reduce", ranks="1..9", bytes=64, root="all", executor=executor).to_dict(),
        "score": tutti.score(measured, executor=executor, machine=PLATFORM, **more).to_dict()["points"],
    })


@contextlib.contextmanager
def dask_client():
    """A real scheduler and two workers, each a process of its own."""
    distributed = importlib_or_skip("distributed")
    address = Path("scheduler.json").absolute()
    address.unlink(missing_ok=True)
    def dask(kind, *words):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", address, *words],
            stdout=open(f"{kind}.log", "a"), stderr=subprocess.STDOUT)
    processes = [dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
    try:
        wait_for(address.exists)
        workers = [dask("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
                   for _ in range(2)]
        processes += workers
        with distributed.Client(scheduler_file=str(address), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, workers
    finally:
        for process in processes:
            process.kill()
            process.wait()


def importlib_or_skip(name):
    try:
        return __import__(name)
    except ImportError as error:
        raise unittest.SkipTest(str(error)) from None


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it takes longer than a minute")


class Executors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = all_answers(None)

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertEqual(all_answers(pool), self.expected)

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(all_answers(pool), self.expected)

    def test_mpi(self):
        importlib_or_skip("mpi4py")
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not installed")
        script = Path("on_mpi.py")
        script.write_text("import sys\n"
                          f"sys.path.insert(0, {str(here.SOURCE / 'tests' / 'python')!r})\n"
                          "import test_executors\n"
                          "from mpi4py.futures import MPIPoolExecutor\n"
                          "if __name__ == '__main__':\n"
                          "    with MPIPoolExecutor() as pool:\n"
                          "        print(test_executors.all_answers(pool))\n")
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable,
                               "-m", "mpi4py.futures", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), self.expected)

    def test_more_parts_than_proofs(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool, warnings.catch_warnings():
            warnings.simplefilter("error")
            for what, ranks in [("allreduce/ring", 4), ("allgather/bine", [7, 8]), ("allreduce", 7)]:
                expected = tutti.verify(what, ranks=ranks, bytes=64).to_dict()
                self.assertEqual(tutti.verify(what, ranks=ranks, bytes=64, executor=pool).to_dict(), expected)
                self.assertEqual(tutti.verify(what, ranks=ranks, bytes=64,
                                              progress=lambda done, of: None).to_dict(), expected)
            with self.assertRaisesRegex(tutti.BadInput, "7 ranks"):
                tutti.verify("allgather/bine", ranks=7, bytes=64, executor=pool)

    def test_dask(self):
        with dask_client() as (client, _):
            self.assertEqual(all_answers(client), self.expected)

    def test_database_is_written_by_the_caller(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            first = tutti.compare("allreduce", db="results.db", executor=pool, **GRID)
        again = tutti.compare("allreduce", db="results.db", **GRID)  # all cells are in it
        for compared in (first, again):
            self.assertEqual(json.dumps(rows(compared)), json.dumps(json.loads(self.expected)["compare"]))
        kept = tutti.query("results.db")
        self.assertEqual(len([row for row in kept.rows if row.status == "done"]),
                         len([row for row in first.cells if row.simulated_s is not None]))

    def test_progress(self):
        heard = []
        tutti.compare("allreduce", progress=lambda done, of: heard.append((done, of)), **GRID)
        self.assertEqual(heard[-1][0], heard[-1][1])
        self.assertEqual(heard, sorted(heard))
        self.assertGreater(heard[-1][1], 20)


class ChangedFiles(unittest.TestCase):
    """A platform file changes while the worker lives."""

    @classmethod
    def setUpClass(cls):
        cls.platforms = {rate: tutti.platform("crossbar", hosts=8, bw=rate) for rate in ("10Gbps", "40Gbps")}

    def write(self, rate):
        self.platforms[rate].save("changed.xml")

    @staticmethod
    def compared(engine, executor, model=None):
        machine = tutti.Machine("changed.xml", engine=engine, network_model=model)
        return tutti.compare("allreduce", ranks=8, bytes="1MiB", algorithms="ring", machine=machine,
                             executor=executor)

    def test_cells_are_run_on_the_new_file(self):
        for engine in ("flow", "simgrid"):
            times = []
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                for rate in ("10Gbps", "40Gbps", "10Gbps"):
                    self.write(rate)
                    [cell] = self.compared(engine, pool).cells
                    self.assertEqual(cell.simulated_s, self.compared(engine, None).cells[0].simulated_s)
                    times.append(cell.simulated_s)
            self.assertNotEqual(times[0], times[1])
            self.assertEqual(times[0], times[2])

    def test_a_cell_of_the_old_file_is_refused(self):
        test = self

        class Late:
            """Changes the file before the cell runs, but after the command has read it."""

            def __init__(self, pool):
                self.pool = pool

            def submit(self, *call):
                test.write("40Gbps")
                return self.pool.submit(*call)

        for engine in ("flow", "simgrid"):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                self.write("10Gbps")
                self.compared(engine, pool)  # the worker knows the old file, but for another network model
                with self.assertRaisesRegex(tutti.CheckFailed, "is not the same file here"):
                    self.compared(engine, Late(pool), "lv08")
                [cell] = self.compared(engine, pool, "lv08").cells
                self.assertEqual(cell.simulated_s, self.compared(engine, None, "lv08").cells[0].simulated_s)


class LostWorkers(unittest.TestCase):
    """A worker is killed in the middle: the rows are the same."""

    def setUp(self):
        self.expected = rows(tutti.compare("allreduce", **GRID))

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool, warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            killed = []

            def kill(done, of):
                if done > 5 and not killed:
                    killed.append(next(iter(pool._processes)))
                    os.kill(killed[0], signal.SIGKILL)

            compared = tutti.compare("allreduce", executor=pool, progress=kill, **GRID)
        self.assertTrue(killed)
        self.assertEqual(rows(compared), self.expected)
        self.assertIn("a process of the executor died", str(heard[0].message))

    def test_proofs_on_a_broken_pool(self):
        expected = tutti.verify("reduce", ranks="1..9", bytes=64).to_dict()
        with concurrent.futures.ProcessPoolExecutor(2) as pool, warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            with self.assertRaises(concurrent.futures.BrokenExecutor):
                pool.submit(os._exit, 1).result()
            self.assertEqual(tutti.verify("reduce", ranks="1..9", bytes=64, executor=pool).to_dict(), expected)
        self.assertIn("a process of the executor died", str(heard[0].message))

    def test_dask(self):
        with dask_client() as (client, workers):
            killed = []

            def kill(done, of):
                if done > 5 and not killed:
                    killed.append(workers[0])
                    workers[0].kill()

            compared = tutti.compare("allreduce", executor=client, progress=kill, **GRID)
            self.assertTrue(killed)
            self.assertEqual(rows(compared), self.expected)

    def test_errors_of_a_function_reach_the_caller(self):
        def wrong(done, of):
            raise ZeroDivisionError("in the user's function")

        with self.assertRaisesRegex(ZeroDivisionError, "in the user's function"):
            tutti.compare("allreduce", progress=wrong, **GRID)
        self.assertEqual(rows(tutti.compare("allreduce", **GRID)), self.expected)


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
