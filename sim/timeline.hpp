// Result of a run: when each operation started and ended.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti { inline namespace sim {

// Rounds of a stretch of a cut schedule (schedules/repeated_rounds.hpp): each operation of the
// rounds first + 1 to last starts and ends one period after that of the round before. The rounds
// that were left out would do the same.
struct SteadyRounds {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  double period_s = 0;
};

struct Timeline {
  std::vector<double> start_s;  // by operation id, seconds since the start of the collective
  std::vector<double> end_s;
  double total_s = 0;  // end of the last operation; 0 for an empty schedule
  // For each stretch of a cut schedule. total_s then includes the rounds that were left out, but
  // all other times are those of the cut schedule.
  std::vector<SteadyRounds> steady;
  // True if some operation was ready and had to wait for a port or a core. Only the engines flow
  // and critical-path set this.
  bool waited = false;

  // By operation: the time when an eager message arrived and freed its ports. Its receiver may be
  // ready for it only later. Empty if no message may be eager, and for the engine simgrid.
  std::vector<double> arrival_s;
  // By operation: the time that a message spent at its two ends: on the cores of its ranks, in the
  // network interface, and waiting for these. Empty without message parameters.
  std::vector<double> at_ends_s;

  // Interval of each message at its receiver, from the posting of the receive until the data had
  // arrived, if both ends were measured separately. start_s and end_s are then the sender's
  // interval, from the posting of the send until the buffer could be reused. Empty for engines,
  // which have one interval for both ends.
  std::vector<double> receive_start_s;
  std::vector<double> receive_end_s;
};

}}  // namespace tutti::sim
