"""Tests that the schemas, and the page with the fields of all documents, are those of the program.

After a change of a document's fields, run python3 tests/cli/test_documents.py --update, and look at the
difference. A schema is compiled into the program: build it again afterwards."""

import sys
import unittest

import harness

SCHEMAS = harness.SOURCE_DIR / "src" / "formats" / "schemas"
PAGE = harness.SOURCE_DIR / "docs" / "reference" / "documents.md"


def names():
    """The documents whose fields are lists in the program."""
    return [line.removeprefix("## ").strip() for line in harness.output("man", "--documents").splitlines()
            if line.startswith("## ")]


class Documents(unittest.TestCase):
    def test_schemas_are_up_to_date(self):
        self.assertGreater(len(names()), 15)
        for name in names():
            with self.subTest(name):
                path = SCHEMAS / f"{name}.schema.json"
                self.assertEqual(path.read_text(encoding="utf-8"), harness.output("man", "--schema", name),
                                 "python3 tests/cli/test_documents.py --update")

    def test_the_page_is_up_to_date(self):
        self.assertEqual(PAGE.read_text(encoding="utf-8"), harness.output("man", "--documents"),
                         "python3 tests/cli/test_documents.py --update")

    def test_unknown_documents_are_refused(self):
        done = harness.run("man", "--schema", "tutti-resul-1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'tutti-result-1'?", done.stderr)


def update():
    for name in names():
        (SCHEMAS / f"{name}.schema.json").write_text(harness.output("man", "--schema", name), encoding="utf-8")
    PAGE.write_text(harness.output("man", "--documents"), encoding="utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        harness.main()
