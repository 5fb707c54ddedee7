// All ranks start at one moment of one clock.
//
// After a barrier ranks start when each of them leaves it, which is microseconds apart: as long as
// a small collective takes. So they agree on a moment a little ahead, and each spins until its
// clock shows it. An iteration that some rank came late to, or in which the system took the core
// from some rank, is not one of the collective alone; all ranks hear of it before the next one.
#pragma once

#include "sim/mpi/world.hpp"

namespace tutti::mpi {

class SynchronisedStart {
 public:
  // `offset_s` is what to add to this rank's clock for rank 0's (own_offset_s in clock.hpp).
  SynchronisedStart(const World& world, double offset_s) : world_(world), offset_s_(offset_s) {}

  // What the ranks together saw of the iteration before.
  struct Before {
    bool late = false;
    bool interrupted = false;
    double slowest_s = 0;
    double now_s = 0;  // on the common clock; the same for all ranks
  };
  // Collective. Returns at the moment, or late. `elapsed_s` is what stop() returned before.
  Before wait(double elapsed_s);
  // Seconds since the moment.
  double stop();

 private:
#if TUTTI_UNDER_SMPI
  static constexpr double kFirstAheadS = 1;  // simulated time costs nobody anything
#else
  static constexpr double kFirstAheadS = 20e-6;
#endif

  const World& world_;
  double offset_s_;
  double ahead_s_ = kFirstAheadS;  // doubled whenever somebody was late
  double start_s_ = 0;             // on this rank's clock
  bool late_ = false;
  bool interrupted_ = false;
  long switches_ = 0;
};

}  // namespace tutti::mpi
