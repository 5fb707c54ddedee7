"""Tests that the plotting script prints one line and no traceback if matplotlib is missing."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import harness

SCRIPT = harness.SOURCE_DIR / "scripts" / "engine_growth"


class OneLine(unittest.TestCase):
    def test_missing_matplotlib_is_reported_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "matplotlib.py").write_text(
                'raise ImportError("it is not here")')
            done = subprocess.run(
                [sys.executable, "-B", SCRIPT], capture_output=True, text=True, check=False,
                timeout=50, cwd=folder,
                env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"^engine_growth: .*it is not here.*python3-matplotlib.*\n$")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
