"""Runs tests on files that are broken on purpose. Beside each file, a .err file contains the expected error
message."""

import sys

import harness


class BrokenFiles:
    """Mix-in for a subclass of unittest.TestCase. The subclass must define `folder`, the folder of the broken
    files, and `pattern`, a glob pattern for their names. It may define `arguments`, further arguments of
    `tutti show`."""

    maxDiff = None
    arguments = ()

    @classmethod
    def files(cls):
        return sorted(cls.folder.glob(cls.pattern))

    @classmethod
    def complaint(cls, path):
        return harness.run("show", path.name, *cls.arguments, cwd=cls.folder)

    def test_there_are_broken_files(self):
        self.assertGreaterEqual(len(self.files()), 20)

    def test_each_file_is_refused_with_line_column_and_caret(self):
        for path in self.files():
            with self.subTest(path.name):
                done = self.complaint(path)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, path.with_suffix(".err").read_text())
                first, *rest = done.stderr.splitlines()
                self.assertRegex(first, rf"^tutti: {path.name}:\d+:\d+: ")
                self.assertEqual(len(rest), 2)
                for line in rest:
                    self.assertTrue(line.startswith("  "), line)
                self.assertTrue(rest[1].endswith("^"))


def main(broken):
    """Runs the tests. With --update, writes the present error messages to the .err files instead."""
    if sys.argv[1:] == ["--update"]:
        for path in broken.files():
            path.with_suffix(".err").write_text(broken.complaint(path).stderr)
    else:
        harness.main()
