// When to use an algorithm, according to its authors or to the libraries that run it. Sources are
// papers, comments in a library's source code, and a library's default decisions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti::inline rule_files {

struct Recommendation {
  Collective collective;
  std::string_view algorithm;  // without its collective
  std::string_view when;       // "p = 2^k, below 512 KiB"; sizes are n unless the text names
                               // another measure
  std::string_view source;     // "MPICH's default rules"
};

// Recommendations for an algorithm; empty if there are none.
[[nodiscard]] std::vector<Recommendation> recommendations_of(const Algorithm& algorithm);

// All recommendations, for tests.
[[nodiscard]] std::span<const Recommendation> all_recommendations();

}  // namespace tutti::inline rule_files
