// Recommendations on when to use an algorithm, by its authors or by the libraries that run it. The
// sources are papers, comments in the source code of libraries, and the default decisions of
// libraries.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace rule_files {

struct Recommendation {
  Collective collective;
  std::string_view algorithm;  // name without the collective
  // When to use the algorithm: "p = 2^k, below 512 KiB". p is the number of ranks. Sizes are those
  // of the whole vector unless the text says something else.
  std::string_view when;
  std::string_view source;  // "MPICH's default rules"
};

// Returns the recommendations for an algorithm; empty if there are none.
[[nodiscard]] std::vector<Recommendation> recommendations_of(const Algorithm& algorithm);

// Returns all recommendations, for tests.
[[nodiscard]] std::span<const Recommendation> all_recommendations();

}}  // namespace tutti::rule_files
