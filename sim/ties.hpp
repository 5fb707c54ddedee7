// Does the total of a schedule hang on ties? Where two operations are ready at one instant, the
// rule of order (sim/engine.hpp) says which goes first; a real machine would let chance say it. So
// the schedule runs again with the start of each operation moved by next to nothing, and events
// that were one instant are apart, in another order each time. What then changes by more than it
// was moved was decided by a tie.
#pragma once

#include <cstdint>
#include <functional>

#include "schedules/op.hpp"

namespace tutti::inline sim {

// By how much the start of each operation is moved, its ports and its core already held.
struct StartShifts {
  double most_s = 0;  // each by a part of this; 0: none is moved
  std::uint64_t seed = 0;

  [[nodiscard]] double of(OpId id) const {
    if (most_s == 0) [[likely]] {
      return 0;
    }
    return most_s * part_of(id);
  }

 private:
  [[nodiscard]] double part_of(OpId id) const;  // in [0, 1)
};

// What to look for beside a run.
struct TieProbe {
  std::uint32_t runs = 0;  // with starts moved; 0: do not look
  std::uint64_t seed = 1;
  // Only where it can matter and costs little: some operation waited for a port or a core, and
  // there are at most so many operations. 0: in any case.
  std::uint32_t most_ops = 0;
};

// Totals of the run itself and of the runs with starts moved.
struct TieRange {
  std::uint32_t runs = 0;  // with starts moved; 0: nobody looked
  std::uint64_t seed = 0;  // of the shifts
  double least_s = 0;
  double median_s = 0;
  double most_s = 0;
};

// A time to rank by, and how far other orders of ties move it. Both are 0 where nobody looked.
struct RangedTime {
  double seconds = 0;
  double below_s = 0;
  double above_s = 0;

  [[nodiscard]] double least_s() const { return seconds - below_s; }
  [[nodiscard]] double most_s() const { return seconds + above_s; }
  // The range is more than kTiesMatter of the time.
  [[nodiscard]] bool ties_matter() const;
};

// A range beyond this share of a time says as much about ties as about the algorithm.
inline constexpr double kTiesMatter = 0.001;

// The median where ties matter, else `own_s`, the time of the run itself; with the range.
[[nodiscard]] RangedTime ranged_time(double own_s, const TieRange& ties);
// The ranges overlap: which of the two is shorter depends on ties.
[[nodiscard]] bool level_within_ties(const RangedTime& a, const RangedTime& b);

// Starts are moved by parts of this share of the total: more than what rounding does to the times
// of a few thousand operations in a row, and nothing to any user.
inline constexpr double kShiftOfTotal = 1e-12;

struct RunSetup;

// Calls total_s(setup) for `setup` with each of the shifts that setup.ties asks for. `own_total_s`
// and `waited` are of the run without them, of a schedule of `ops` operations.
[[nodiscard]] TieRange look_for_ties(const RunSetup& setup, std::uint64_t ops, double own_total_s,
                                     bool waited,
                                     const std::function<double(const RunSetup&)>& total_s);

}  // namespace tutti::inline sim
