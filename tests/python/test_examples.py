"""Runs all examples in docstrings, and those of the page about Python."""

import doctest
import importlib
import os
import pkgutil
import re
import sys

import python_module as here
import script_main
import tutti
import unittest

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def names():
    return {"tutti": tutti, "Record": tutti.Record}


class Examples(unittest.TestCase):
    def setUp(self):
        os.chdir(here.SOURCE)  # examples name files relative to it

    def test_docstrings(self):
        tried = 0
        modules = [tutti, *(importlib.import_module(f"tutti.{each.name}")
                            for each in pkgutil.iter_modules(tutti.__path__) if each.name != "_core")]
        for module in modules:
            found = {**vars(module), **names()}
            result = doctest.testmod(module, globs=found, optionflags=FLAGS)
            self.assertEqual(result.failed, 0, module.__name__)
            tried += result.attempted
        self.assertGreater(tried, 40)

    def test_page(self):
        page = here.SOURCE / "docs" / "reference" / "python.md"
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 3)
        shared = names()
        for block in blocks:
            test = doctest.DocTestParser().get_doctest(block, shared, page.name, str(page), 0)
            self.assertTrue(test.examples, block)
            runner = doctest.DocTestRunner(optionflags=FLAGS)
            runner.run(test, clear_globs=False)
            shared = test.globs
            self.assertEqual(runner.failures, 0, block)

    def test_everything_public_has_a_docstring(self):
        for name in tutti.__all__:
            if not name.isupper() and name != "__version__":
                self.assertTrue(getattr(tutti, name).__doc__, name)


if __name__ == "__main__":
    script_main.main(*sys.argv[1:])
