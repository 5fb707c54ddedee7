#include "schedules/patterns/census.hpp"

#include <ranges>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

std::vector<CensusPhase> census_phases(std::uint32_t ranks,
                                       const std::vector<std::uint32_t>& radices) {
  // The digits of ranks - 1, the lowest first.
  std::vector<std::uint32_t> digits;
  std::uint32_t left = ranks - 1;
  for (const std::uint32_t radix : std::views::reverse(radices)) {
    digits.push_back(left % radix);
    left /= radix;
  }
  TUTTI_INVARIANT(left == 0);
  std::vector<CensusPhase> phases;
  std::uint32_t before = 0;  // k
  for (std::size_t at = 0; at < radices.size(); ++at) {
    const std::uint32_t digit = digits[digits.size() - 1 - at];
    const std::uint32_t messages = before == 0 ? digit : radices[at] - 1;
    if (messages == 0) {
      continue;  // a leading zero
    }
    CensusPhase& phase = phases.emplace_back();
    std::uint32_t reached = before;
    for (std::uint32_t i = 0; i < messages; ++i) {
      const bool with_own = i < digit;
      phase.push_back({reached + (with_own ? 1 : 0), with_own});
      reached += before + (with_own ? 1 : 0);
    }
    before = reached;
  }
  return phases;
}

}}  // namespace tutti::schedules
