// Every rank's block travels directly to the root, or from it, in rank order.
#pragma once

#include <optional>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

// Provides the functions of an Algorithm that gathers (kUp) or scatters.
template <bool kUp>
struct RootedLinear {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.layout = block_per_rank;
    own.exact_s = exact_s;
    own.emit = emit;
    own.one_shape = always;
    return own;
  }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    const double p = problem.ranks;
    return (p - 1) *
           (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    builder.reserve(problem.ranks - 1, 0);
    std::uint32_t level = 0;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      if (rank != problem.root) {
        builder.comm({level++}, kUp ? rank : problem.root, kUp ? problem.root : rank,
                     {{rank, 1}, kWork, kWork}, {});
      }
    }
  }
};

}}  // namespace tutti::schedules
