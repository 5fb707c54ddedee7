"""Kills processes of sweeps at random: the leader, workers, and the child processes in which SimGrid runs.

At the end, the database must have the rows of an undisturbed sweep. Options: --kills N, --seed N."""

import argparse
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

import harness
from sweep_case import Case, without_progress
from sweeps import SOME, count_of, rows_of, wait_until

OPTIONS = argparse.Namespace(kills=3, seed=None)
TORUS = str(harness.SOURCE_DIR / "platforms" / "torus_64.xml")
# A sweep with cells that take a few milliseconds each. Each cell runs in a fork of a process that has loaded
# the platform; that process is a child of a worker, and the worker is a child of the leader.
SIMGRID = [*SOME, "-p", "12,16", "-n", ",".join(str(65536 + 96 * i) for i in range(10)), "--platform", TORUS,
           "--engine", "simgrid"]
DEPTHS = ["the leader", "a worker", "a process with a platform", "a process with a cell"]


def start(database, jobs=2, wait_ms=5):
    return subprocess.Popen([harness.TUTTI, "compare", *SIMGRID, "--db", str(database), "--retry-failed",
                             "--jobs", str(jobs)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TUTTI_TEST_WORKER_WAITS_MS": str(wait_ms)})


def family(pid):
    """Returns {id: depth} of a living process, which has depth 0, and of all its living descendants."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            if fields[0] not in "ZX":
                parents[int(path.name)] = int(fields[1])
    depths = {pid: 0} if pid in parents else {}
    grown = True
    while grown:
        found = {p: depths[parent] + 1 for p, parent in parents.items()
                 if parent in depths and p not in depths}
        grown = bool(found)
        depths.update(found)
    return depths


def is_there(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Random(Case):
    def test_killed_processes_lose_no_results(self):
        seed = OPTIONS.seed if OPTIONS.seed is not None else random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}: --seed {seed} repeats the same choices; the timing may differ", flush=True)
        self.dice = random.Random(seed)
        expected = self.complete(*SIMGRID)
        killed = dict.fromkeys(DEPTHS, 0)
        sweeps = 0
        while sum(killed.values()) < OPTIONS.kills:
            sweeps += 1
            self.disturb(killed)
            # If two processes were killed while they ran the same cell, the cell has failed, and the next
            # sweep runs it again.
            for _ in range(5):
                with start(self.database, wait_ms=0) as process:
                    _, err = process.communicate(timeout=100)
                self.assertIn(process.returncode, (0, 1), err)
                if process.returncode == 0:
                    break
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(rows_of(self.database), expected)
            self.database.unlink()
        print(f"{sum(killed.values())} kills in {sweeps} sweeps:",
              ", ".join(f"{count} of {name}" for name, count in killed.items()), flush=True)

    def disturb(self, killed):
        """Runs a sweep and kills its processes at random. If the leader is killed, starts another sweep,
        until a sweep ends by itself or enough processes were killed."""
        while sum(killed.values()) < OPTIONS.kills:
            process = start(self.database)
            everybody = set()
            while sum(killed.values()) < OPTIONS.kills and process.poll() is None:
                depth = self.dice.randrange(len(DEPTHS))
                moment = time.monotonic() + self.dice.uniform(0, 0.3)
                chance = self.dice.random()
                victims = []
                # Waits until there is a process at this depth, and then until the chosen moment.
                while process.poll() is None and not (victims and time.monotonic() > moment):
                    there = family(process.pid)
                    everybody |= set(there)
                    victims = sorted(p for p, d in there.items() if d == depth)
                with contextlib.suppress(ProcessLookupError, IndexError):
                    os.kill(victims[int(chance * len(victims))], signal.SIGKILL)
                    killed[DEPTHS[depth]] += 1
            _, err = process.communicate(timeout=100)
            # No process may outlive the leader.
            wait_until(lambda everybody=everybody: not any(is_there(p) for p in everybody))
            self.assertIn(process.returncode, (0, 1, -signal.SIGKILL), err)
            self.assertNotIn("internal error", err)
            if process.returncode >= 0:
                return


class OneOfThem(Case):
    def test_the_idle_platform_process_is_killed(self):
        """No process is notified when the process with the platform dies, and all later cells need this
        process."""
        expected = self.complete(*SIMGRID)
        process = start(self.database, jobs=1, wait_ms=40)
        for least in [3, 10, 20]:
            wait_until(lambda least=least: count_of(self.database) > least)
            for pid in [p for p, depth in family(process.pid).items() if depth == 2]:
                os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=100)
        self.assertEqual((process.returncode, without_progress(err)), (0, ""))
        self.assertEqual(rows_of(self.database), expected)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int)
    OPTIONS, sys.argv[1:] = parser.parse_known_args()
    harness.main()
