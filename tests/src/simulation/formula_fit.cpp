// Compares every published formula with the schedules of its algorithm, under the conditions of the
// formula.
#include "src/simulation/formula_fit.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "schedules/equal_blocks.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_formula_fit {

namespace {

constexpr Prices kPrices{1.7e-6, 0.93e-9, 0.31e-9, 0};

bool power(const Problem& p) { return std::has_single_bit(p.ranks); }
bool schemes(const Problem& p) {
  return p.skips.scheme == Skips::Scheme::halving || p.skips.scheme == Skips::Scheme::doubling;
}
bool odd_and_folded(const Problem& p) {
  return p.root % 2 == 1 && p.root < 2 * (p.ranks - power_of_two_below(p.ranks));
}

using Meaning = bool (*)(const Problem&);

bool radix_2(const Problem& problem) { return problem.radix == 0 || problem.radix == 2; }

// Meaning of the conditions that are printed beside the formulas.
const std::map<std::string_view, Meaning> kConditions{
    {"any p", [](const Problem&) { return true; }},
    {"any p, with lg p rounded up", [](const Problem&) { return true; }},
    {"p a power of two", power},
    {"p not a power of two", [](const Problem& p) { return !power(p); }},
    {"any p, radix 2", radix_2},
    {"p a power of two, radix 2", [](const Problem& p) { return power(p) && radix_2(p); }},
    {"p not a power of two, radix 2", [](const Problem& p) { return !power(p) && radix_2(p); }},
    {"any p, equal blocks", [](const Problem& p) { return p.block_bytes.empty(); }},
    {"p a power of two, equal blocks",
     [](const Problem& p) { return power(p) && p.block_bytes.empty(); }},
    {"p not a power of two, equal blocks",
     [](const Problem& p) { return !power(p) && p.block_bytes.empty(); }},
    {"any p, without $parts", [](const Problem& p) { return p.parts.standard(); }},
    {"any p, halving or doubling skips", schemes},
    {"any p, halving or doubling skips, equal blocks",
     [](const Problem& p) { return schemes(p) && p.block_bytes.empty(); }},
    {"any p, halving or doubling skips, unequal blocks",
     [](const Problem& p) { return schemes(p) && !p.block_bytes.empty(); }},
    {"p not a power of two, a root that is not folded in",
     [](const Problem& p) { return !power(p) && !odd_and_folded(p); }},
    {"p not a power of two, except an odd root of a pair with $cuts open_mpi",
     [](const Problem& p) {
       return !power(p) && !(odd_and_folded(p) && p.cuts == Cuts::open_mpi);
     }},
};

void check_formulas(const Algorithm& algorithm, const Problem& problem,
                    std::set<std::string>& compared) {
  const auto costs = published_costs(algorithm, problem, kPrices);
  std::size_t found = 0;
  for (const PublishedFormula& formula : published_formulas(algorithm.full_name())) {
    INFO(formula.formula << " for " << formula.condition);
    const bool holds = found < costs.size() && costs[found] == formula;
    found += holds ? 1 : 0;
    REQUIRE(kConditions.count(formula.condition) == 1);
    CHECK(holds == kConditions.at(formula.condition)(problem));
  }
  CHECK(found == costs.size());
  if (costs.empty() || refuses(algorithm, problem)) {
    return;
  }
  const bool equal = equal_blocks(problem, algorithm.layout(problem));
  const double path_s = CriticalPathEngine(kPrices)
                            .run_total(make_schedule(algorithm, problem, Detail::times_only), {})
                            .total_s;
  for (const PublishedCost& cost : costs) {
    INFO(cost.formula << " for " << cost.condition);
    if (cost.account == Account::exact && equal) {
      CHECK(cost.seconds == Approx(path_s).epsilon(1e-9).margin(0));
      compared.insert(algorithm.full_name());
    } else if (cost.account == Account::bound) {
      CHECK(cost.seconds >= path_s * (1 - 1e-12));
    }
  }
}

void check_all(std::uint32_t most_for_all_roots) {
  std::set<std::string> compared;
  for (const Algorithm* algorithm : algorithms()) {
    if (published_formulas(algorithm->full_name()).empty()) {
      continue;
    }
    for (std::uint32_t ranks = kFewestFitted; ranks <= kMostFitted; ++ranks) {
      std::vector<Rank> tried = roots(algorithm->collective, ranks);
      if (has_root(algorithm->collective) && ranks <= most_for_all_roots) {
        tried.clear();
        for (Rank root = 0; root < ranks; ++root) {
          tried.push_back(root);
        }
      }
      for (const Rank root : tried) {
        for (const Problem& problem : option_variants(
                 *algorithm, even_problem(algorithm->collective, ranks, 1U << 20U, root))) {
          INFO(algorithm->full_name()
               << " p=" << ranks << " root=" << root << " n=" << problem.bytes
               << " skips=" << to_text(problem.skips) << " cuts=" << name(problem.cuts));
          check_formulas(*algorithm, problem, compared);
        }
      }
    }
  }
  for (const Algorithm* algorithm : algorithms()) {
    for (const PublishedFormula& formula : published_formulas(algorithm->full_name())) {
      INFO(algorithm->full_name() << ": " << formula.formula);
      CHECK((formula.account != Account::exact || compared.count(algorithm->full_name()) == 1));
    }
  }
}

}  // namespace

TEST_CASE("formulas hold under their conditions, and exact ones equal the longest path there") {
  check_all(9);
}

TEST_CASE("formulas hold under their conditions, at every root", "[slow]") {
  check_all(kMostFitted);
}

TEST_CASE("at most one formula without a misprint holds for a problem") {
  for (const Algorithm* algorithm : algorithms()) {
    for (std::uint32_t ranks = 1; ranks <= 65; ++ranks) {
      std::size_t right = 0;
      for (const PublishedCost& cost : published_costs(
               *algorithm, even_problem(algorithm->collective, ranks, 1U << 20U, 0), kPrices)) {
        right += cost.misprint() ? 0 : 1;
      }
      INFO(algorithm->full_name() << " p=" << ranks);
      CHECK(right <= 1);
    }
  }
}

TEST_CASE("the table of formulas lists all of them, with their errors") {
  std::size_t formulas = 0;
  for (const Algorithm* algorithm : algorithms()) {
    formulas += published_formulas(algorithm->full_name()).size();
  }
  const std::vector<FormulaFit> fits = formula_fits(algorithms());
  CHECK(fits.size() == formulas);
  for (const FormulaFit& fit : fits) {
    INFO(fit.formula.algorithm << ": " << fit.formula.formula);
    REQUIRE(fit.deviation.has_value());
    CHECK((fit.ranks >= kFewestFitted && fit.ranks <= kMostFitted));
    CHECK_FALSE(fit.formula.section.empty());
    if (fit.formula.account == Account::exact) {
      CHECK(std::fabs(*fit.deviation) < 1e-9);
    } else if (fit.formula.misprint()) {
      CHECK(std::fabs(*fit.deviation) > 0.5);
    }
  }
}

}  // namespace tutti::test_formula_fit
