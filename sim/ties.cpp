#include "sim/ties.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/engine.hpp"
#include "sim/random_part.hpp"

namespace tutti { inline namespace sim {

double StartShifts::part_of(OpId id) const { return random_part(seed, id); }

bool RangedTime::ties_matter() const { return below_s + above_s > kTiesMatter * seconds; }

RangedTime ranged_time(double own_s, const TieRange& ties) {
  if (ties.runs == 0) {
    return {own_s};
  }
  const bool matters = ties.most_s - ties.least_s > kTiesMatter * own_s;
  const double seconds = matters ? ties.median_s : own_s;
  return {seconds, seconds - ties.least_s, ties.most_s - seconds};
}

bool level_within_ties(const RangedTime& a, const RangedTime& b) {
  return a.least_s() <= b.most_s() && b.least_s() <= a.most_s();
}

TieRange look_for_ties(const RunSetup& setup, std::uint64_t ops, double own_total_s, bool waited,
                       const std::function<double(const RunSetup&)>& total_s) {
  const TieProbe& probe = setup.ties;
  TieRange range{0, probe.seed, own_total_s, own_total_s, own_total_s};
  if (probe.most_ops > 0 && (!waited || ops > probe.most_ops)) {
    return range;
  }
  RunSetup moved = setup;
  moved.give_up_s = std::numeric_limits<double>::infinity();
  moved.shifts.most_s = kShiftOfTotal * own_total_s;
  std::vector<double> totals_s{own_total_s};
  for (; range.runs < probe.runs; ++range.runs) {
    moved.shifts.seed = mixed_bits(probe.seed) + range.runs;
    totals_s.push_back(total_s(moved));
  }
  std::sort(totals_s.begin(), totals_s.end());
  const std::size_t middle = totals_s.size() / 2;
  range.least_s = totals_s.front();
  range.median_s =
      totals_s.size() % 2 == 1 ? totals_s[middle] : (totals_s[middle - 1] + totals_s[middle]) / 2;
  range.most_s = totals_s.back();
  return range;
}

}}  // namespace tutti::sim
