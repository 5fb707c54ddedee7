"""Tests the published formulas: which are shown, when they hold, and the table of all formulas.

The table is in cost_models/README.md. After an intended change, run python3 tests/cli/test_formulas.py
--update, and look at the difference."""

import json
import math
import re
import sys
import unittest

import harness

README = harness.SOURCE_DIR / "cost_models" / "README.md"
BEGIN, END = "<!-- formulas -->\n", "<!-- end of formulas -->\n"
THIN = harness.SOURCE_DIR / "platforms" / "infiniband_hdr_128_thin.xml"


def short(citation):
    """Returns only the authors of a citation; REFERENCES.md has the titles."""
    return citation.split(", \"")[0].split(" in the sources")[0].split(", which")[0]


def table():
    rows = [["algorithm", "formula", "source", "section", "holds for", "accuracy",
             "largest deviation"]]
    for row in harness.json_output("list", "--formulas", "--json", "-")["formulas"]:
        source = next((library for library in ("MPICH", "Open MPI")
                       if f"in the sources of {library}," in row["citation"]), None)
        source = source or short(row["citation"])
        rows.append([row["algorithm"], f"`{row['formula']}`", source, row["section"],
                     row["holds_for"], row["account"], row["deviation_in_words"]])
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def evaluated(text, values):
    """Returns the value of a printed formula, such as "2 lg p alpha + (p-1)/p n beta". `values` has the values
    of its words. Words and brackets side by side are multiplied."""
    words = re.findall(r"ceil\(|floor\(|max\(|min\(|lg p'|lg p|[A-Za-z]+'?|\d+|[-+*/^(),]", text)
    if re.sub(r"\s", "", text) != re.sub(r"\s", "", "".join(words)):
        raise ValueError(text)
    code, before = [], ""
    for word in words:
        begins = word not in "+-*/^),"
        if begins and before and (before == ")" or before[-1] not in "(,+-*/^"):
            code.append("*")
        code.append("**" if word == "^" else word if not begins or word.endswith("(") or word.isdigit()
                    else f"({values[word]!r})")
        before = word
    return eval("".join(code), {"ceil": math.ceil, "floor": math.floor, "max": max, "min": min})


def values_of(result):
    ranks = result["ranks"]
    return {"p": ranks, "p'": 2 ** (ranks.bit_length() - 1), "n": result["bytes"], "lg p": math.log2(ranks),
            "lg p'": ranks.bit_length() - 1, "alpha": result["alpha_s"], "beta": result["beta_s_per_byte"],
            "gamma": result["gamma_s_per_byte"]}


def own_cost(cost, ranks):
    """Returns the formula for a number of ranks in an algorithm's own cost; None if it has other words than p, n
    and the prices, such as the number of segments."""
    power = ranks.bit_count() == 1
    for clause in re.split(r"; (?:else )?", re.sub(r",? (for|and) equal blocks", "", cost or "")):
        formula, _, condition = clause.partition(" for ")
        condition = re.sub(r" > \d$", "", condition)
        if condition == "p = p'" and not power or condition not in ("", "p = p'"):
            continue
        formula, _, means = formula.partition(", with ")
        for name, value in re.findall(r"([AG]) = (.*?)(?: and |$)", means):
            formula = re.sub(rf"\b{name}\b", f"({value})", formula)
        formula = re.sub(r",? (?:over|in|with one) .*", "", formula)
        words = set(re.findall(r"[A-Za-z]+'?", formula))
        return formula if words <= {"p", "p'", "n", "lg", "alpha", "beta", "gamma", "ceil", "floor", "max"} else None
    return None


def parts():
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    kept, after = rest.split(END)
    return before, kept, after


def simulate(*arguments):
    result = harness.json_output("simulate", *arguments, "--json", "-")
    harness.validate(result, "tutti-result-1")
    return result


class Formulas(unittest.TestCase):
    maxDiff = None

    def test_the_committed_table_is_up_to_date(self):
        self.assertEqual(parts()[1], table())

    def test_json_has_every_formula(self):
        found = harness.json_output("list", "--formulas", "--json", "-")
        harness.validate(found, "tutti-formulas-1")
        listed = harness.json_output("list", "--json", "-")["algorithms"]
        self.assertEqual(
            [(a["name"], f["formula"]) for a in listed for f in a["published"]],
            [(f["algorithm"], f["formula"]) for f in found["formulas"]])
        for formula in found["formulas"]:
            with self.subTest(formula["algorithm"], formula=formula["formula"]):
                if formula["account"] == "exact":
                    self.assertLess(abs(formula["deviation"]), 1e-9)
        reduces = harness.json_output("list", "reduce", "--formulas", "--json", "-")["formulas"]
        self.assertEqual({f["algorithm"].split("/")[0] for f in reduces}, {"reduce"})

    def test_text_has_every_formula(self):
        text = " ".join(harness.output("list", "--formulas").split())
        for formula in harness.json_output("list", "--formulas", "--json", "-")["formulas"]:
            self.assertIn(formula["formula"], text)
            self.assertIn(formula["deviation_in_words"], text)

    def test_formulas_for_other_numbers_of_ranks_are_not_used(self):
        self.assertIsNone(
            simulate("allreduce/recursive_doubling", "-p", 6, "-n", "64K")["published_s"])
        for algorithm, ranks, size, seconds in [
                ("reduce_scatter/recursive_halving", 12, "48K", 100.4192e-6),
                ("allreduce/rabenseifner", 6, "64K", 236.0032e-6),
                ("gather/binomial", 12, "48K", 44.0448e-6)]:
            result = simulate(algorithm, "-p", ranks, "-n", size)
            self.assertTrue(math.isclose(result["published_s"], seconds, rel_tol=1e-9), algorithm)
            self.assertEqual(len(result["published"]), 1)
        text = " ".join(harness.output("simulate", "allreduce/recursive_doubling", "-p", 6,
                                       "-n", "64K").split())
        self.assertIn("none for this run: lg p alpha + n lg p beta + n lg p gamma is for p a power "
                      "of two", text)
        row = next(line for line in harness.output("compare", "allreduce", "-p", 6, "-n", "96K",
                                                    "--all").splitlines()
                   if line.startswith("   recursive_doubling"))
        self.assertEqual(row.split()[7], "-")

    def test_printed_formulas_have_the_printed_values(self):
        """Evaluates the texts of formulas: the published ones with their values in a run, and the algorithms'
        own costs where these consist of p, n and the prices alone."""
        published, own = set(), set()
        for algorithm in harness.json_output("list", "--json", "-")["algorithms"]:
            for ranks in (7, 8):
                size = () if algorithm["collective"] == "barrier" else ("-n", 8 * 56 * 16)
                done = harness.run("simulate", algorithm["name"], "-p", ranks, *size, "--misprints", "--json", "-")
                if done.returncode != 0:  # refused: not for this number of ranks, or needs switches
                    continue
                result = json.loads(done.stdout)
                values = values_of(result)
                for formula in result["published"]:
                    with self.subTest(algorithm["name"], formula=formula["formula"], ranks=ranks):
                        rounded = formula["holds_for"].endswith("lg p rounded up")
                        found = evaluated(formula["formula"], {**values, "lg p": math.ceil(values["lg p"])}
                                          if rounded else values)
                        self.assertTrue(math.isclose(found, formula["seconds"], rel_tol=1e-12))
                        published.add(algorithm["name"])
                cost = own_cost(algorithm["cost"], ranks)
                if cost and result["exact_s"] is not None:
                    with self.subTest(algorithm["name"], cost=cost, ranks=ranks):
                        self.assertTrue(math.isclose(evaluated(cost, values), result["exact_s"], rel_tol=1e-12))
                        own.add(algorithm["name"])
        self.assertGreater(len(published), 25)
        self.assertGreater(len(own), 70, sorted(own))

    def test_misprints_are_shown_on_request(self):
        for command in [["simulate", "allreduce/ring"], ["compare", "allreduce"]]:
            run = [*command, "-p", 8, "-n", "64K"]
            self.assertNotIn("ring allgather", harness.output(*run))
            self.assertIn("ring allgather", harness.output(*run, "--misprints"))
            self.assertNotIn('"misprint": true', harness.output(*run, "--json", "-"))
            self.assertIn('"misprint": true', harness.output(*run, "--misprints", "--json", "-"))
        self.assertIn("misprint   (p-1) alpha", harness.output("list", "allreduce"))

    def test_relative_errors_have_one_definition(self):
        run = ["allreduce/circulant", "-p", 64, "-n", "1MiB", "--platform", THIN]
        result = simulate(*run)
        error = (result["exact_s"] - result["simulated_s"]) / result["simulated_s"]
        self.assertTrue(math.isclose(result["relative_error"], error, rel_tol=1e-12))
        self.assertLess(error, -0.1)
        self.assertIn(f"{-100 * error:.1f} % below simulated", harness.output("simulate", *run))
        self.assertTrue(math.isclose(
            result["published"][0]["relative_error"],
            (result["published_s"] - result["simulated_s"]) / result["simulated_s"],
            rel_tol=1e-12))

    def test_numbers_of_rounds_match_the_theorems(self):
        for program, rounds in [("circulant_reduce_scatter", 5), ("circulant_allreduce", 10)]:
            path = harness.SOURCE_DIR / "examples" / "schedules" / f"{program}.sched"
            self.assertEqual(simulate(path, "-p", 22, "-n", "22K")["rounds"], rounds)
        self.assertEqual(simulate("bcast/smp_linear", "-p", 2, "-n", "1K")["rounds"], 1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        before, _, after = parts()
        README.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
    else:
        harness.main()
