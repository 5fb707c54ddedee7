#include "src/requests/segment_auto.hpp"

#include "src/simulation/machine.hpp"

namespace tutti::inline requests {

std::optional<BestSegment> take_best_segment(const ProblemOptions& given,
                                             const Algorithm& algorithm, const Machine& machine,
                                             Problem& problem) {
  if (!given.wants_best_segment()) {
    return std::nullopt;
  }
  const BestSegment best =
      best_segment(algorithm, problem, describe(machine).prices, machine.setup);
  problem.segment_bytes = best.bytes;
  return best;
}

}  // namespace tutti::inline requests
