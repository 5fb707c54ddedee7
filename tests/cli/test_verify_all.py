"""Proves every algorithm on more ranks than the tests of the registry do.

Options: --ranks COUNTS, in the form of `tutti verify -p`."""

import argparse
import collections
import json
import subprocess
import sys
import unittest

import harness

OPTIONS = argparse.Namespace(ranks="34..63")


class VerifyAll(unittest.TestCase):
    def test_all_algorithms_are_proved(self):
        done = subprocess.run([harness.TUTTI, "verify", "all", "-p", OPTIONS.ranks, "--json", "-"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        proved = collections.defaultdict(set)
        for result in json.loads(done.stdout):
            name = f"{result['collective']}/{result['algorithm']}"
            if "refused" in result:
                proved[name]  # adds the name, so that the last check finds algorithms that refuse every problem
                continue
            with self.subTest(name=name, ranks=result["ranks"]):
                self.assertTrue(result["proved"], result["findings"])
                self.assertTrue(result["claims_hold"], result["findings"])
            proved[name].add(result["ranks"])
        known = {algorithm["name"]
                 for algorithm in harness.json_output("list", "--json", "-")["algorithms"]}
        self.assertEqual(set(proved), known)
        self.assertEqual([name for name, ranks in proved.items() if not ranks], [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default=OPTIONS.ranks)
    OPTIONS, sys.argv[1:] = parser.parse_known_args()
    harness.main()
