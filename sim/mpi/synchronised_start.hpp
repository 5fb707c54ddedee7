// Starts all ranks at the same moment of a common clock.
//
// Ranks leave a barrier microseconds apart, and a small collective lasts no longer than that. So
// the ranks agree on a moment slightly in the future, and each spins until its clock shows that
// moment. An iteration is invalid if any rank was late, or if the system took the core from any
// rank. All ranks are told whether an iteration was valid before the next one begins.
#pragma once

#include "sim/mpi/world.hpp"

namespace tutti::mpi {

class SynchronisedStart {
 public:
  // `offset_s` is rank 0's clock minus this rank's clock (own_offset_s() in clock.hpp).
  SynchronisedStart(const World& world, double offset_s) : world_(world), offset_s_(offset_s) {}

  // The previous iteration, as seen by all ranks together.
  struct Before {
    bool late = false;
    bool interrupted = false;
    double slowest_s = 0;
    double now_s = 0;  // time on the common clock; equal on all ranks
  };
  // All ranks must call this. Returns at the agreed moment, or later if this rank is late.
  // `elapsed_s` is the most recent result of stop().
  Before wait(double elapsed_s);
  // Returns the seconds since the agreed moment.
  double stop();

 private:
#if TUTTI_UNDER_SMPI
  static constexpr double kFirstAheadS = 1;  // simulated waiting costs nothing
#else
  static constexpr double kFirstAheadS = 20e-6;
#endif

  const World& world_;
  double offset_s_;
  double ahead_s_ = kFirstAheadS;  // time until the agreed moment; doubled whenever a rank was late
  double start_s_ = 0;             // agreed moment, on this rank's clock
  bool late_ = false;
  bool interrupted_ = false;
  long switches_ = 0;
};

}  // namespace tutti::mpi
