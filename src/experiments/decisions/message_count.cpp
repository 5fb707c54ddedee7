#include "src/experiments/decisions/message_count.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "schedules/algorithm.hpp"

namespace tutti::inline experiments {

namespace {

// Smaller number of ranks for which messages are counted. The help of --messages-at-most states
// twice this number.
constexpr std::uint32_t kFewRanks = 64;

std::uint64_t count_on(const Case& what, std::uint32_t ranks) {
  Problem problem = what.problem;
  problem.ranks = ranks;
  problem.root = 0;
  try {
    return make_schedule(*what.algorithm, problem, Detail::times_only).messages();
  } catch (const UserError&) {
    return 0;
  }
}

}  // namespace

std::uint64_t MessageCount::of(std::size_t candidate, const Case& what) {
  if (what.problem.ranks <= 2 * kFewRanks) {
    return 0;
  }
  const auto [at, is_new] = counted_.try_emplace({candidate, what.problem.bytes});
  if (is_new) {
    at->second = {count_on(what, kFewRanks), count_on(what, 2 * kFewRanks)};
  }
  const Counted& counted = at->second;
  if (counted.few == 0) {
    return 0;
  }
  const double growth = static_cast<double>(counted.more) / static_cast<double>(counted.few);
  const double doublings = std::log2(static_cast<double>(what.problem.ranks) / kFewRanks);
  const double count = static_cast<double>(counted.few) * std::pow(growth, doublings);
  return static_cast<std::uint64_t>(std::min(1e18, count));
}

}  // namespace tutti::inline experiments
