"""Tests that docs/reference/messages.md names exactly the parameters of the message model."""

import pathlib
import re
import tempfile
import unittest

import harness

DOCUMENT = harness.SOURCE_DIR / "docs" / "reference" / "messages.md"
START = harness.SOURCE_DIR / "examples" / "supercomputers" / "start" / "lumi.json"
PLATFORM = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128.xml"
POINT = "collective,ranks,bytes,tutti,median_us\nallreduce,4,1024,ring,10\n"


class MessageParameters(unittest.TestCase):
    def test_the_document_lists_the_programs_parameters(self):
        with tempfile.TemporaryDirectory() as folder:
            points = pathlib.Path(folder) / "points.csv"
            points.write_text(POINT)
            done = harness.run("fit", points, "--fit", "nonsense", "--platform", PLATFORM,
                               "--parameters", START)
        self.assertEqual(done.returncode, 2, done.stderr)
        known = re.findall(r"\w+", done.stderr.split("expected ", 1)[1].replace(" or ", " "))
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ", DOCUMENT.read_text(), re.MULTILINE)
        self.assertEqual([name for name, unit in rows], known)
        for name, unit in rows:
            with self.subTest(name):
                ending = {"s": "_s", "B": "_bytes", "s/B": "_s_per_byte", "B/s": "_bytes_per_s"}
                self.assertTrue(unit in ("ratio", "count") or name.endswith(ending[unit]), unit)


if __name__ == "__main__":
    harness.main()
