#include "src/experiments/decisions/segment_search.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "sim/critical_path/critical_path_engine.hpp"
#include "src/simulation/best_segment.hpp"

namespace tutti::inline experiments {

namespace {

// Returns the largest power of two that is at most `bytes`, and 1.5 times and 2 times this power.
std::vector<std::uint64_t> round_sizes_around(std::uint64_t bytes) {
  const std::uint64_t below = std::bit_floor(bytes);
  return {below, below + below / 2, 2 * below};
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

}  // namespace tutti::inline experiments
