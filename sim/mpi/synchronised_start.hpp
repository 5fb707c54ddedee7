// Starts all ranks at the same moment of a common clock.
//
// Ranks leave a barrier microseconds apart, which is as long as a small collective takes. So the
// ranks agree on a moment slightly in the future, and each spins until its clock shows that moment.
// An iteration is not valid if some rank was late, or if the system took the core from some rank.
// All ranks learn of this before the next iteration.
#pragma once

#include "sim/mpi/world.hpp"

namespace tutti::mpi {

class SynchronisedStart {
 public:
  // `offset_s`, added to this rank's clock, gives rank 0's clock (own_offset_s() in clock.hpp).
  SynchronisedStart(const World& world, double offset_s) : world_(world), offset_s_(offset_s) {}

  // The previous iteration, as seen by all ranks together.
  struct Before {
    bool late = false;
    bool interrupted = false;
    double slowest_s = 0;
    double now_s = 0;  // time on the common clock; equal on all ranks
  };
  // Collective. Returns at the agreed moment, or late. `elapsed_s` is the last result of stop().
  Before wait(double elapsed_s);
  // Returns the seconds since the agreed moment.
  double stop();

 private:
#if TUTTI_UNDER_SMPI
  static constexpr double kFirstAheadS = 1;  // simulated time is free
#else
  static constexpr double kFirstAheadS = 20e-6;
#endif

  const World& world_;
  double offset_s_;
  double ahead_s_ = kFirstAheadS;  // doubled whenever a rank was late
  double start_s_ = 0;             // on this rank's clock
  bool late_ = false;
  bool interrupted_ = false;
  long switches_ = 0;
};

}  // namespace tutti::mpi
