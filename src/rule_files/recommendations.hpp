// When an algorithm is to be taken, by those who made it or run it: what a paper says of it, or a
// library's sources, in a comment or in what they take by default.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti::inline rule_files {

struct Recommendation {
  Collective collective;
  std::string_view algorithm;  // without its collective
  std::string_view when;       // "p = 2^k, below 512 KiB": sizes are n, unless it says otherwise
  std::string_view source;     // "MPICH's default rules"
};

// None where nobody has said so.
[[nodiscard]] std::vector<Recommendation> recommendations_of(const Algorithm& algorithm);

// All, for tests.
[[nodiscard]] std::span<const Recommendation> all_recommendations();

}  // namespace tutti::inline rule_files
