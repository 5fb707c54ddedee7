#include "src/experiments/decisions/predictions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/simulation/best_segment.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the largest power of two that is at most `bytes`, and 1.5 times and 2 times this power.
std::vector<std::uint64_t> round_sizes_around(std::uint64_t bytes) {
  const std::uint64_t below = std::bit_floor(bytes);
  return {below, below + below / 2, 2 * below};
}

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

double predicted_s(const Algorithm& algorithm, const Problem& problem, const Prices& prices,
                   const RunSetup& setup) {
  if (setup.ports == 1 && algorithm.exact_s != nullptr) {
    if (const auto seconds = algorithm.exact_s(problem, prices)) {
      return *seconds;
    }
  }
  const Schedule schedule =
      make_schedule(algorithm, problem, setup.curves ? Detail::payload : Detail::times_only);
  return CriticalPathEngine(prices).run_total(schedule, setup).total_s;
}

std::uint64_t find_segment(const Algorithm& algorithm, Problem problem, const Prices& prices,
                           const RunSetup& setup, bool round) {
  const BestSegment best = best_segment(algorithm, problem, prices, setup);
  if (best.bytes == 0 || best.bytes >= problem.bytes) {
    return best.bytes;
  }
  if (best.predicted_s >= best.whole_s) {
    return problem.bytes;  // unsegmented
  }
  std::uint64_t found = best.bytes;
  double least_s = std::numeric_limits<double>::infinity();
  for (const std::uint64_t bytes : round_sizes_around(best.bytes)) {
    if (!round || bytes % problem.element_bytes != 0 || bytes > problem.bytes) {
      continue;
    }
    problem.segment_bytes = bytes;
    if (algorithm.refusal != nullptr && algorithm.refusal(problem)) {
      continue;
    }
    const double seconds = predicted_s(algorithm, problem, prices, setup);
    if (seconds < least_s) {
      least_s = seconds;
      found = bytes;
    }
  }
  return least_s < best.whole_s ? found : problem.bytes;
}

std::optional<std::uint64_t> default_segment(const Algorithm& algorithm, Problem problem) {
  if (algorithm.layout == nullptr || problem.bytes == 0) {
    return std::nullopt;
  }
  const BlockLayout own = algorithm.layout(problem);
  std::uint64_t longest = 0;
  for (std::uint32_t block = 0; block < own.blocks(); ++block) {
    longest = std::max(longest, own.size_bytes(block));
  }
  for (const std::uint64_t bytes : {problem.bytes, longest}) {
    problem.segment_bytes = bytes;
    if (!(algorithm.refusal != nullptr && algorithm.refusal(problem)) &&
        algorithm.layout(problem) == own) {
      return bytes;
    }
  }
  return std::nullopt;
}

bool cuts_by_count(const Algorithm& algorithm) {
  // A vector so large that every algorithm cuts it, into blocks that cannot all have the same size.
  constexpr std::uint64_t kElements = (std::uint64_t{1} << 24U) - 3;
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = 16;
  problem.bytes = kElements * problem.element_bytes;
  const bool refused = algorithm.refusal != nullptr && algorithm.refusal(problem);
  return !refused && algorithm.layout != nullptr && !default_segment(algorithm, problem);
}

std::uint64_t MessageCount::of(std::size_t candidate, const Case& what) {
  if (what.problem.ranks <= 2 * kFewRanks) {
    return 0;
  }
  const auto [at, is_new] = counted_.try_emplace({candidate, what.problem.bytes});
  if (is_new) {
    at->second = {count_on(what, kFewRanks), count_on(what, 2 * kFewRanks)};
  }
  const MessageTotals& counted = at->second;
  if (counted.few == 0) {
    return 0;
  }
  const double growth = static_cast<double>(counted.more) / static_cast<double>(counted.few);
  const double doublings = std::log2(static_cast<double>(what.problem.ranks) / kFewRanks);
  const double count = static_cast<double>(counted.few) * std::pow(growth, doublings);
  return static_cast<std::uint64_t>(std::min(1e18, count));
}

}}  // namespace tutti::experiments
