// One clock for all ranks.
//
// Ranks of a node share CLOCK_MONOTONIC, so they agree to begin with. Between nodes, rank 0 and one
// rank of each other node exchange ping-pongs: the fastest of many bounds the offset best, because
// the other clock was read at some moment between the two that rank 0 saw; halfway is off by half
// of that round trip at most. Done before and after a run, the two offsets give the drift, and
// moments between are interpolated.
#pragma once

#include <vector>

#include "sim/mpi/world.hpp"

namespace tutti::mpi {

// Seconds of this rank's clock, CLOCK_MONOTONIC: one for all ranks of a node, whatever MPI_Wtime
// counts from.
[[nodiscard]] double now_s();

struct ClockReading {
  std::vector<double> at_s;      // by rank, on its own clock
  std::vector<double> offset_s;  // what to add to it for rank 0's clock
  double error_s = 0;            // no offset is off by more
};

// Collective; the reading is on rank 0. `every_rank` does not trust the node's common clock.
[[nodiscard]] ClockReading read_clocks(const World& world, bool every_rank = false);

// Collective: on each rank what to add to its clock for rank 0's, from the reading on rank 0.
[[nodiscard]] double own_offset_s(const World& world, const ClockReading& reading);

class CommonClock {
 public:
  CommonClock(ClockReading before, ClockReading after)
      : before_(std::move(before)), after_(std::move(after)) {}

  // `s` of `rank`'s clock on rank 0's.
  [[nodiscard]] double common_s(Rank rank, double s) const;
  [[nodiscard]] double error_s() const {
    return before_.error_s > after_.error_s ? before_.error_s : after_.error_s;
  }

 private:
  ClockReading before_;
  ClockReading after_;
};

}  // namespace tutti::mpi
