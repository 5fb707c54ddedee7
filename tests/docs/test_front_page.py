"""Tests that the front page is short, that its figures are true, and that every link of the manual leads to
an existing file."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("TUTTI_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE_DIR / "tests" / "cli"))

import harness

README = (SOURCE_DIR / "README.md").read_text(encoding="utf-8")


class FrontPage(unittest.TestCase):
    def test_front_page_is_short(self):
        self.assertLessEqual(len(README.encode()), 10000)

    def test_number_of_algorithms_and_collectives(self):
        listed = harness.json_output("list", "--json", "-")["algorithms"]
        collectives = {algorithm["collective"] for algorithm in listed}
        self.assertIn(f"It has {len(listed)} algorithms", README)
        self.assertIn(f"all-to-all and {len(collectives) - 3} more", re.sub(r"\s+", " ", README))

    def test_scores_match_those_of_the_supercomputers(self):
        scores = (SOURCE_DIR / "examples/supercomputers/README.md").read_text(encoding="utf-8")
        row = next(line for line in scores.splitlines() if line.startswith("| all |"))
        cells, points, error, within, loss, default = [cell.strip() for cell in row.split("|")[2:8]]
        text = re.sub(r"\s+", " ", README)
        self.assertIn(f"{points} measured times in {cells} cells", text)
        self.assertIn(f"median error {error}", text)
        self.assertIn(f"in {within} of the cells", text)
        self.assertIn(f"{100 * (float(default) - 1):.0f} % slower than the best algorithm", text)
        self.assertIn(f"following tutti costs {100 * (float(loss) - 1):.1f} %", text)


class Manual(unittest.TestCase):
    def test_links_lead_to_existing_files(self):
        done = subprocess.run([sys.executable, "-B", SOURCE_DIR / "docs" / "site.py", "--check"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_manual_lists_the_programs_commands(self):
        page = (SOURCE_DIR / "docs/reference/commands.md").read_text(encoding="utf-8")
        self.assertEqual(harness.output("man", "--markdown"), page,
                         "tutti man --markdown > docs/reference/commands.md")


if __name__ == "__main__":
    harness.main()
