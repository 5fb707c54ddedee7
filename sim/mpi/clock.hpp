// A common clock for all ranks.
//
// Ranks of a node share CLOCK_MONOTONIC, so their clocks agree. Between nodes, rank 0 exchanges
// ping-pongs with one rank of each other node. The other clock was read at some moment between the
// two that rank 0 saw; the middle is off by at most half of the round trip. So the fastest of many
// ping-pongs gives the best bound. The offsets before and after a run give the drift, and moments
// in between are interpolated.
#pragma once

#include <vector>

#include "sim/mpi/world.hpp"

namespace tutti::mpi {

// Returns the seconds of this rank's CLOCK_MONOTONIC, which all ranks of a node share, unlike
// MPI_Wtime() in some libraries.
[[nodiscard]] double now_s();

struct ClockReading {
  std::vector<double> at_s;      // by rank, on the rank's own clock
  std::vector<double> offset_s;  // by rank: added to its clock, gives rank 0's clock
  double error_s = 0;            // largest error of an offset
};

// Collective; the reading is on rank 0. `every_rank` measures each rank's clock, rather than one
// per node.
[[nodiscard]] ClockReading read_clocks(const World& world, bool every_rank = false);

// Collective. Returns, on each rank, the offset from its clock to rank 0's, given the reading on
// rank 0.
[[nodiscard]] double own_offset_s(const World& world, const ClockReading& reading);

class CommonClock {
 public:
  CommonClock(ClockReading before, ClockReading after)
      : before_(std::move(before)), after_(std::move(after)) {}

  // Converts time `s` of `rank`'s clock to rank 0's clock.
  [[nodiscard]] double common_s(Rank rank, double s) const;
  [[nodiscard]] double error_s() const {
    return before_.error_s > after_.error_s ? before_.error_s : after_.error_s;
  }

 private:
  ClockReading before_;
  ClockReading after_;
};

}  // namespace tutti::mpi
