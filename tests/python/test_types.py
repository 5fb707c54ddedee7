"""mypy accepts the package and a program that uses it."""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import python_module as here
import script_main


class Types(unittest.TestCase):
    def check(self, *words):
        if shutil.which("mypy") is None:
            self.skipTest("mypy is not installed")
        return subprocess.run(["mypy", "--cache-dir=mypy_cache", *map(str, words)], capture_output=True, text=True)

    def test_package(self):
        done = self.check("--strict", here.SOURCE / "bindings" / "python" / "tutti")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_program(self):
        program = Path("user.py")
        program.write_text("import tutti\n"
                           "run = tutti.simulate('allreduce/ring', ranks=4, bytes='1KiB')\n"
                           "seconds: float = run.total_s\n"
                           "wrong: str = run.total_s\n")
        done = self.check(program)
        self.assertIn('user.py:4: error: Incompatible types in assignment', done.stdout)
        self.assertIn("Found 1 error", done.stdout)


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
