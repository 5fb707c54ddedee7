// Measures how well published formulas fit the schedules that they describe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cost_models/published.hpp"

namespace tutti { inline namespace simulation {

struct FormulaFit {
  PublishedFormula formula;
  // Relative error of the formula as a prediction of the schedule's longest path, which includes
  // waiting for ports and cores. This is the largest error in magnitude over all numbers of ranks
  // from kFewestFitted to kMostFitted for which the formula holds. The problem has root 0 and about
  // 1 MiB. Prices are those of the built-in crossbar: alpha 2 us, beta for 1.25 GB/s, gamma for 8
  // GB/s. Blocks are equal; algorithms that also accept unequal blocks are tried with unequal
  // blocks too.
  std::optional<double> deviation;  // unset if the formula holds for none of these numbers
  std::uint32_t ranks = 0;          // number of ranks with this error
};

inline constexpr std::uint32_t kFewestFitted = 2;
inline constexpr std::uint32_t kMostFitted = 64;

// Returns the fit of every formula of these algorithms, in the order of `algorithms`.
[[nodiscard]] std::vector<FormulaFit> formula_fits(std::span<const Algorithm* const> algorithms);

}}  // namespace tutti::simulation
