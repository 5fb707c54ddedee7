"""Calls leave nothing behind: neither in Python nor in the library."""

import gc
import sys
import tracemalloc
import unittest

import python_module as here  # noqa: F401
import script_main
import tutti

CALLS = 1000


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def one_round():
    made = tutti.schedule("allreduce/ring", ranks=16, bytes="64K")
    run = tutti.simulate(made, tutti.Machine("crossbar:16"))
    assert run.start_s.sum() >= 0 and made.operations.after.size and made.prove().proved
    try:
        tutti.schedule("allreduce/ring", ranks=16, bytes=1)
    except tutti.BadInput:
        pass


class Memory(unittest.TestCase):
    def test_a_thousand_calls(self):
        for _ in range(CALLS // 10):
            one_round()
        gc.collect()
        tracemalloc.start()
        before, of_process = tracemalloc.get_traced_memory()[0], resident_bytes()
        for _ in range(CALLS):
            one_round()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        # Less than a tenth of one schedule (480 operations of 48 bytes) for each call.
        self.assertLess(grown, 100 * CALLS)
        self.assertLess(resident_bytes() - of_process, 2000 * CALLS)

    def test_commands(self):
        for _ in range(20):
            tutti.compare("allreduce", ranks=4, bytes=64)
        gc.collect()
        of_process = resident_bytes()
        for _ in range(CALLS // 10):
            tutti.compare("allreduce", ranks=4, bytes=64)
        gc.collect()
        self.assertLess(resident_bytes() - of_process, 20_000 * CALLS // 10)


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
