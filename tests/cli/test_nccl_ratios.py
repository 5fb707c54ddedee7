"""Tests the table of simulated times beside those of NCCL's model in docs/how_to/nccl.md.

The test computes the columns of small numbers of GPUs again. python3 tests/cli/test_nccl_ratios.py --update
computes all columns, which takes some minutes, and rewrites the table. Look at the difference."""
import re
import statistics
import sys
import unittest

import harness

PAGE = harness.SOURCE_DIR / "docs" / "how_to" / "nccl.md"
BEGIN, END = "<!-- ratios -->\n", "<!-- end of ratios -->\n"
RANKS = [8, 16, 32, 64, 128, 256, 512, 1024]
SIZES = "1K..4GiB*4"
MODELLED = ["allreduce", "allgather", "reduce_scatter", "bcast", "reduce"]
CALLS = MODELLED + ["alltoall"]


def ratios(call, ranks):
    """Returns (ratio, size, reason) for each size: the simulated time of NCCL's choice over the time of its
    model or, for a call without a model, over the limit of the machine."""
    found = []
    for cell in harness.json_output("nccl", call, "-p", ranks, "-n", SIZES, "--gpu", "h100", "--json", "-")["cells"]:
        if cell["grouped"]:
            found.append((cell["grouped"]["simulated_s"] / cell["grouped"]["bound_s"], cell["bytes"], ""))
            continue
        choice = cell["choice"]
        [way] = [each for each in cell["ways"]
                 if (each["algorithm"], each["protocol"]) == (choice["algorithm"], choice["protocol"])]
        found.append((way["simulated_s"] * 1e6 / way["time_us"], cell["bytes"], way["why_apart"] or ""))
    return found


def farthest(found):
    return max(found, key=lambda each: max(each[0], 1 / each[0]))


def in_words(size):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}"
    return f"{size} bytes"


def cell_of(found):
    return f"{statistics.median(each[0] for each in found):.2f} ({farthest(found)[0]:.2f})"


def row(cells):
    return f"| {' | '.join(cells)} |\n"


def table():
    text = row(["GPUs", *map(str, RANKS)]) + row(["---"] * (1 + len(RANKS)))
    reasons = "\n"
    for call in CALLS:
        of_ranks = {ranks: ratios(call, ranks) for ranks in RANKS}
        text += row([call, *(cell_of(found) for found in of_ranks.values())])
        ranks = max(RANKS, key=lambda each: max(farthest(of_ranks[each])[0], 1 / farthest(of_ranks[each])[0]))
        ratio, size, reason = farthest(of_ranks[ranks])
        if reason:
            reasons += (f"- {call} of {in_words(size)} on {ranks} GPUs, {ratio:.2f}: "
                        f"{reason[reason.index('because') + 8:]}.\n")
    return text + reasons


def printed_rows():
    """Returns the cells of each call by number of GPUs, as the page has them."""
    text = PAGE.read_text()
    lines = text[text.index(BEGIN) + len(BEGIN):text.index(END)].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    heads = [int(each) for each in rows[0][1:]]
    return {each[0]: dict(zip(heads, each[1:])) for each in rows[2:]}


class Ratios(unittest.TestCase):
    def test_the_table_has_all_columns(self):
        self.assertEqual({call: list(cells) for call, cells in printed_rows().items()},
                         {call: RANKS for call in CALLS})

    def test_a_sample_of_the_table_is_what_tutti_computes(self):
        rows = printed_rows()
        for call, sample in [("allreduce", [8, 16, 64]), ("allgather", [8, 32]), ("reduce_scatter", [16]),
                             ("bcast", [8, 16]), ("reduce", [8]), ("alltoall", [8, 64])]:
            for ranks in sample:
                with self.subTest(call=call, ranks=ranks):
                    self.assertEqual(rows[call][ranks], cell_of(ratios(call, ranks)))

    def test_times_that_are_far_apart_have_a_reason(self):
        for call in MODELLED:
            for ratio, size, reason in ratios(call, 16):
                self.assertEqual(bool(reason), not 1 / 1.5 < ratio < 1.5, (call, size, ratio))
        # A chain of 8 GPUs fills chunk by chunk. NCCL's model has the time of one step.
        ratio, _, reason = max(ratios("bcast", 8))
        self.assertGreater(ratio, 3)
        self.assertIn("512 KiB in each of 24 channels", reason)

    def test_long_calls_are_simulated_in_part(self):
        # The time of a call that is simulated in part continues those of shorter calls.
        cells = harness.json_output("nccl", "bcast", "-p", 128, "-n", "256MiB,512MiB,1GiB", "--gpu", "h100",
                                    "--json", "-")["cells"]
        chosen = [next(way for way in cell["ways"] if (way["algorithm"], way["protocol"]) ==
                       (cell["choice"]["algorithm"], cell["choice"]["protocol"])) for cell in cells]
        self.assertEqual(chosen[0]["protocol"], chosen[2]["protocol"])
        self.assertIsNotNone(chosen[2]["simulated_bytes"])
        self.assertLess(chosen[2]["simulated_bytes"], 2**30)
        first, second, third = (way["simulated_s"] for way in chosen)
        self.assertAlmostEqual((third - second) / (second - first), 2, delta=0.03)
        text = harness.output("nccl", "bcast", "-p", 128, "-n", "1GiB", "--gpu", "h100")
        self.assertRegex(" ".join(text.split()), "simulated only in part, because of the number of messages: .*ring")


def update():
    page = PAGE.read_text()
    PAGE.write_text(re.sub(re.escape(BEGIN) + "(?s:.*)" + re.escape(END), lambda _: BEGIN + table() + END, page))


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
