// Finds out whether the total time of a schedule depends on ties. If two operations are ready at
// the same instant, a rule decides which goes first (sim/engine.hpp); on a real machine, chance
// decides. So the schedule runs several more times, with the start of each operation shifted by a
// tiny random time. The events of an instant are then at different times, in another order in each
// run. If the total changes by more than the shifts, a tie is the cause.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "schedules/op.hpp"

namespace tutti { inline namespace sim {

// Shift of each operation's start. During the shift, the operation already holds its ports and its
// core.
struct StartShifts {
  double most_s = 0;  // upper limit of the shifts; 0: no shifts
  std::uint64_t seed = 0;

  [[nodiscard]] double of(OpId id) const {
    if (most_s == 0) [[likely]] {
      return 0;
    }
    return most_s * part_of(id);
  }

 private:
  // Returns a number in [0, 1) that depends on `seed` and `id`.
  [[nodiscard]] double part_of(OpId id) const;
};

// Parameters of the search for ties.
struct TieProbe {
  std::uint32_t runs = 0;  // number of runs with shifted starts; 0: no search
  std::uint64_t seed = 1;
  // The search is skipped if no operation waited for a port or a core. To limit the cost, it is
  // also skipped if the schedule has more operations than this. 0: the search is never skipped.
  std::uint32_t most_ops = 0;
  // Total of the run without shifts, if it is known from an earlier run in which operations waited.
  // The engine then runs only the schedules with shifted starts.
  std::optional<double> known_total_s = {};
};

// Totals of the run itself and of the runs with shifted starts.
struct TieRange {
  std::uint32_t runs = 0;  // number of runs with shifted starts; 0: no search was done
  std::uint64_t seed = 0;  // seed of the shifts
  double least_s = 0;
  double median_s = 0;
  double most_s = 0;
};

// A time by which algorithms are ranked, and the amounts by which another order of ties can
// decrease it (`below_s`) or increase it (`above_s`). Both amounts are 0 if no search was done.
struct RangedTime {
  double seconds = 0;
  double below_s = 0;
  double above_s = 0;

  [[nodiscard]] double least_s() const { return seconds - below_s; }
  [[nodiscard]] double most_s() const { return seconds + above_s; }
  // True if the range is larger than the share kTiesMatter of the time.
  [[nodiscard]] bool ties_matter() const;
};

// If the range is larger than this share of the time, the order of ties may matter as much as the
// algorithm.
inline constexpr double kTiesMatter = 0.001;

// Returns a time with its range. The time is the median of all runs if ties matter, else `own_s`,
// the total of the run without shifts.
[[nodiscard]] RangedTime ranged_time(double own_s, const TieRange& ties);
// True if the ranges overlap, so that ties decide which time is shorter.
[[nodiscard]] bool level_within_ties(const RangedTime& a, const RangedTime& b);

// Largest shift of a start, as a share of the total. It exceeds the rounding errors of a few
// thousand operations in a row, and is too small to matter to a user.
inline constexpr double kShiftOfTotal = 1e-12;

struct RunSetup;

// Calls total_s() for each of the runs with shifted starts that setup.ties asks for. `own_total_s`
// and `waited` describe the run without shifts; `ops` is the number of operations in the schedule.
[[nodiscard]] TieRange look_for_ties(const RunSetup& setup, std::uint64_t ops, double own_total_s,
                                     bool waited,
                                     const std::function<double(const RunSetup&)>& total_s);

}}  // namespace tutti::sim
