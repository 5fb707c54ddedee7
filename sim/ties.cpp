#include "sim/ties.hpp"

#include <algorithm>

#include "sim/engine.hpp"

namespace tutti {

namespace {

// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

double StartShifts::part_of(OpId id) const {
  return static_cast<double>(mixed(seed ^ mixed(id)) >> 11U) * 0x1p-53;
}

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
    moved.shifts.seed = mixed(probe.seed) + range.runs;
    const double seconds = total_s(moved);
    range.least_s = std::min(range.least_s, seconds);
    range.most_s = std::max(range.most_s, seconds);
  }
  return range;
}

}  // namespace tutti
