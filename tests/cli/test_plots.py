"""The scripts that draw: without matplotlib, or without their file, one line and no traceback."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import harness

SCRIPTS = harness.SOURCE_DIR / "scripts"
ARGUMENTS = {"plot_compare.py": ["none.csv", "x.svg"], "plot_decide.py": ["winner", "none", "x.svg"],
             "plot_timeline.py": ["none.json", "x.svg"], "engine_growth": []}


class OneLine(unittest.TestCase):
    def complaint(self, script, modules):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in modules.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            done = subprocess.run(
                [sys.executable, "-B", SCRIPTS / script, *ARGUMENTS[script]], capture_output=True,
                text=True, check=False, timeout=50, cwd=folder,
                env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, rf"^{script}: .*\n$")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_all_are_here(self):
        drawing = {path.name for path in SCRIPTS.iterdir() if "import matplotlib\n" in
                   path.read_text() and path.suffix != ".sh"}
        self.assertEqual(drawing, set(ARGUMENTS))

    def test_without_matplotlib(self):
        for script in ARGUMENTS:
            with self.subTest(script):
                said = self.complaint(script, {"matplotlib.py": 'raise ImportError("it is not here")'})
                self.assertIn("it is not here", said)
                self.assertIn("python3-matplotlib", said)

    def test_without_the_file(self):
        # So that this needs no matplotlib itself.
        pretended = {"matplotlib/__init__.py": "def use(_): pass\n", "matplotlib/pyplot.py": "",
                     "matplotlib/ticker.py": "", "matplotlib/colors.py": "",
                     "matplotlib/patches.py": "", }
        for script in [name for name in ARGUMENTS if name.startswith("plot_")]:
            with self.subTest(script):
                self.assertIn("No such file", self.complaint(script, pretended))


class Lines(unittest.TestCase):
    def test_algorithms_that_always_take_the_same_time_have_one_line(self):
        modules = {name: types.ModuleType(name) for name in
                   ("matplotlib", "matplotlib.pyplot", "matplotlib.ticker")}
        modules["matplotlib"].use = lambda _: None
        modules["matplotlib"].pyplot = modules["matplotlib.pyplot"]
        modules["matplotlib"].ticker = modules["matplotlib.ticker"]
        spec = importlib.util.spec_from_file_location("plot_compare", SCRIPTS / "plot_compare.py")
        plot = importlib.util.module_from_spec(spec)
        with mock.patch.dict(sys.modules, modules):
            spec.loader.exec_module(plot)
        rows = [{"label": name, "platform": "torus", "ranks": "8", "bytes": size, "simulated_s": time,
                 "exact_s": exact}
                for name, times, exact in [("a", "12", "3"), ("b", "13", "3"), ("c", "12", "3"),
                                           ("d", "12", "4")]
                for size, time in zip(("64", "128"), times)]
        plot.merge_equals(rows)
        self.assertEqual([row["label"] for row in rows],
                         ["a = c", "a = c", "b", "b", "a = c", "a = c", "d", "d"])


if __name__ == "__main__":
    harness.main()
