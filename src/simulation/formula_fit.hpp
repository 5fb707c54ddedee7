// How well the published formulas fit the schedules that they are for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cost_models/published.hpp"

namespace tutti::inline simulation {

struct FormulaFit {
  PublishedFormula formula;
  // The relative error of the formula as a prediction of the schedule's longest path (ports and
  // cores counted in) that is largest in size, over all ranks from kFewestFitted to kMostFitted for
  // which it holds; with equal blocks where it is not for unequal ones, root 0, and about 1 MiB at
  // 2 us, 1.25 GB/s and 8 GB/s.
  std::optional<double> deviation;  // nothing where it holds for none of them
  std::uint32_t ranks = 0;          // where it is that large
};

inline constexpr std::uint32_t kFewestFitted = 2;
inline constexpr std::uint32_t kMostFitted = 64;

// Fits all formulas of these algorithms, in their order.
[[nodiscard]] std::vector<FormulaFit> formula_fits(std::span<const Algorithm* const> algorithms);

}  // namespace tutti::inline simulation
