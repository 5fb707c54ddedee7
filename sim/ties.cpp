#include "sim/ties.hpp"

#include <algorithm>

#include "sim/engine.hpp"
#include "sim/random_part.hpp"

namespace tutti {

double StartShifts::part_of(OpId id) const { return random_part(seed, id); }

TieRange look_for_ties(const RunSetup& setup, std::uint64_t ops, double own_total_s, bool waited,
                       const std::function<double(const RunSetup&)>& total_s) {
  TieRange range{0, own_total_s, own_total_s};
  const TieProbe& probe = setup.ties;
  if (probe.most_ops > 0 && (!waited || ops > probe.most_ops)) {
    return range;
  }
  RunSetup moved = setup;
  moved.shifts.most_s = kShiftOfTotal * own_total_s;
  for (; range.runs < probe.runs; ++range.runs) {
    moved.shifts.seed = mixed_bits(probe.seed) + range.runs;
    const double seconds = total_s(moved);
    range.least_s = std::min(range.least_s, seconds);
    range.most_s = std::max(range.most_s, seconds);
  }
  return range;
}

}  // namespace tutti
