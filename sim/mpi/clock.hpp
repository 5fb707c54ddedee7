// A common clock for all ranks.
//
// Ranks of a node share CLOCK_MONOTONIC, so their clocks agree. Between nodes, rank 0 exchanges
// ping-pongs with one rank of each other node. The other rank reads its clock at some moment
// between rank 0's send and receive. The middle of these two times differs from that moment by at
// most half of the round trip. The fastest of many ping-pongs therefore has the smallest error. The
// offsets before and after a run show the drift; offsets at times in between are interpolated.
#pragma once

#include <vector>

#include "sim/mpi/world.hpp"

namespace tutti::mpi {

// Returns this rank's CLOCK_MONOTONIC, in seconds. All ranks of a node share this clock, unlike
// MPI_Wtime() in some libraries.
[[nodiscard]] double now_s();

struct ClockReading {
  std::vector<double> at_s;      // by rank: time of the reading, on the rank's own clock
  std::vector<double> offset_s;  // by rank: rank 0's clock minus the rank's clock
  double error_s = 0;            // upper bound on the error of every offset
};

// All ranks must call this. Returns the reading on rank 0.
[[nodiscard]] ClockReading read_clocks(const World& world);

// All ranks must call this. Returns, on each rank, rank 0's clock minus the rank's clock. `reading`
// is used on rank 0 only.
[[nodiscard]] double own_offset_s(const World& world, const ClockReading& reading);

class CommonClock {
 public:
  CommonClock(ClockReading before, ClockReading after)
      : before_(std::move(before)), after_(std::move(after)) {}

  // Converts the time `s` on the clock of `rank` to the time on rank 0's clock, both in seconds.
  [[nodiscard]] double common_s(Rank rank, double s) const;
  [[nodiscard]] double error_s() const {
    return before_.error_s > after_.error_s ? before_.error_s : after_.error_s;
  }

 private:
  ClockReading before_;
  ClockReading after_;
};

}  // namespace tutti::mpi
