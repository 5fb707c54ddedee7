"""Tries the rules of scripts/check_prose.py on sources with planted faults."""

import os
import pathlib
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
sys.path[:0] = [str(SOURCE_DIR / "tests"), str(SOURCE_DIR / "scripts")]

import check_prose
import script_main


class Prose(unittest.TestCase):
    def found(self, text, suffix=".cpp"):
        """Returns the line and the fault of each finding in a source."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"source{suffix}"
            path.write_text(text)
            return [(number, what) for number, what, _ in check_prose.findings(path)]

    def assert_participles(self, text, *names, suffix=".cpp"):
        found = [what for _, what in self.found(text, suffix)]
        self.assertEqual(found, [f"the type '{name}' ends in a participle" for name in names])

    def test_types_that_end_in_a_participle(self):
        self.assert_participles("struct Judged {\n};\n", "Judged")
        self.assert_participles("  class HostsSaid final : public Base {\n", "HostsSaid")
        self.assert_participles("enum class Known : std::uint8_t { all };\n", "Known")
        self.assert_participles("using Loaded = std::tuple<int, int>;\n", "Loaded")
        self.assert_participles("class Refused(Case):\n    pass\n", "Refused", suffix=".py")
        self.assertEqual(self.found("\n\nstruct A {\n};\nstruct RuleRan {\n};\n"),
                         [(5, "the type 'RuleRan' ends in a participle")])

    def test_other_types(self):
        self.assert_participles("struct Seed {\n};\nclass LinkSpeed {\n};\nstruct GivenOption {\n};\n"
                                "struct RankNode {\n};\nenum class Spread : int {};\nstruct Unity;\n"
                                "struct Interrupted {\n};\n// struct Judged {\n")
        # A forward declaration and a use repeat the name of a type that is reported where it is defined.
        self.assert_participles("class Judged;\nJudged judged;\nstruct Judged judge();\n")

    def test_sentences(self):
        self.assertEqual(self.found("// Whether it ends.\nint a;\n"), [(1, "begins with 'Whether'")])
        self.assertIn("depends on", self.found("int a;  // The total hangs on ties.\n")[0][1])
        self.assertIn("'nobody'", self.found('fail("this is a file that nobody can read");\n')[0][1])
        self.assertEqual(self.found("// Returns the total.\nint a;\n"), [])


if __name__ == "__main__":
    script_main.main()
