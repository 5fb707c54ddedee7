#include "src/simulation/formula_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/relative_error.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Prices of the built-in crossbar, which is used if no platform is given.
constexpr Prices kPrices{2e-6, 0.8e-9, 0.125e-9, 0};
constexpr std::uint64_t kBytes = std::uint64_t{1} << 20U;

// Returns a problem on p = `ranks` ranks whose size is about kBytes. Its number of elements is a
// multiple of p p', where p' is the largest power of two that does not exceed p, so that all blocks
// of all algorithms are equal.
Problem even_problem(const Algorithm& algorithm, std::uint32_t ranks) {
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = ranks;
  if (algorithm.collective != Collective::barrier) {
    const std::uint64_t unit =
        std::uint64_t{ranks} * power_of_two_below(ranks) * problem.element_bytes;
    problem.bytes = std::max<std::uint64_t>(1, (kBytes + unit / 2) / unit) * unit;
  }
  return problem;
}

// Returns even_problem() and, if the algorithm takes block sizes, a problem with all data in the
// last rank's block.
std::vector<Problem> problems(const Algorithm& algorithm, std::uint32_t ranks) {
  std::vector<Problem> both{even_problem(algorithm, ranks)};
  if (takes(algorithm, Option::block_sizes)) {
    both.push_back(both.front());
    both.back().block_bytes.assign(ranks, 0);
    both.back().block_bytes.back() = both.back().bytes;
  }
  return both;
}

void take(FormulaFit& fit, double error, std::uint32_t ranks) {
  if (!fit.deviation || std::fabs(error) > std::fabs(*fit.deviation)) {
    fit.deviation = error;
    fit.ranks = ranks;
  }
}

}  // namespace

std::vector<FormulaFit> formula_fits(std::span<const Algorithm* const> algorithms) {
  std::vector<FormulaFit> all;
  for (const Algorithm* algorithm : algorithms) {
    std::vector<FormulaFit> fits;
    for (const PublishedFormula& formula : published_formulas(algorithm->full_name())) {
      fits.push_back({formula, std::nullopt, 0});
    }
    for (std::uint32_t ranks = kFewestFitted; !fits.empty() && ranks <= kMostFitted; ++ranks) {
      for (const Problem& problem : problems(*algorithm, ranks)) {
        const auto costs = published_costs(*algorithm, problem, kPrices);
        if (costs.empty()) {
          continue;
        }
        const double path_s =
            CriticalPathEngine(kPrices)
                .run_total(make_schedule(*algorithm, problem, Detail::times_only), {})
                .total_s;
        for (const PublishedCost& cost : costs) {
          const auto fit = std::find_if(fits.begin(), fits.end(), [&cost](const FormulaFit& each) {
            return each.formula == cost;
          });
          if (const auto error = relative_error(cost.seconds, path_s)) {
            take(*fit, *error, ranks);
          }
        }
      }
    }
    all.insert(all.end(), fits.begin(), fits.end());
  }
  return all;
}

}}  // namespace tutti::simulation
