// Finds out whether the total of a schedule depends on ties. If two operations are ready at one
// instant, a rule decides which goes first (sim/engine.hpp); on a real machine, chance decides. So
// the schedule runs again, with the start of each operation shifted by a tiny random time. Events
// of one instant are then separate, in another order in each run. A change of the total that is
// larger than the shifts was caused by a tie.
#pragma once

#include <cstdint>
#include <functional>

#include "schedules/op.hpp"

namespace tutti::inline sim {

// Shift of each operation's start. The operation already holds its ports and its core meanwhile.
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
  [[nodiscard]] double part_of(OpId id) const;  // in [0, 1)
};

// Parameters of the search for ties.
struct TieProbe {
  std::uint32_t runs = 0;  // number of runs with shifted starts; 0: no search
  std::uint64_t seed = 1;
  // Limit on the number of operations, so that the search costs little. With a limit, the search is
  // also skipped if no operation waited for a port or a core. 0: no limit, always search.
  std::uint32_t most_ops = 0;
};

// Totals of the run itself and of the runs with shifted starts.
struct TieRange {
  std::uint32_t runs = 0;  // number of runs with shifted starts; 0: no search was done
  std::uint64_t seed = 0;  // seed of the shifts
  double least_s = 0;
  double median_s = 0;
  double most_s = 0;
};

// A time for ranking, and how far another order of ties moves it down or up. Both distances are 0
// if no search was done.
struct RangedTime {
  double seconds = 0;
  double below_s = 0;
  double above_s = 0;

  [[nodiscard]] double least_s() const { return seconds - below_s; }
  [[nodiscard]] double most_s() const { return seconds + above_s; }
  // True if the range is more than kTiesMatter of the time.
  [[nodiscard]] bool ties_matter() const;
};

// If the range is larger than this share of the time, the order of ties matters as much as the
// algorithm.
inline constexpr double kTiesMatter = 0.001;

// Returns the time with its range: the median of all runs if ties matter, else `own_s`, the time of
// the run without shifts.
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

}  // namespace tutti::inline sim
