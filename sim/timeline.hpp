// What a run yields: when each operation started and ended. Nothing less, nothing more.
#pragma once

#include <vector>

namespace tutti::inline sim {

struct Timeline {
  std::vector<double> start_s;  // by operation id, seconds since the start of the collective
  std::vector<double> end_s;
  double total_s = 0;  // the last end; 0 for an empty schedule
  // Some operation was ready and had to wait for a port or a core. Of the engines flow and
  // critical-path.
  bool waited = false;

  // By operation, when an eager message has arrived and lets go of its ports; its receiver may be
  // ready for it only later. Empty where no message may be eager, and for engine simgrid.
  std::vector<double> arrival_s;
  // By operation, what the two ends of a message took: the cores of both ranks, the network
  // interface, and waiting for them. Empty without message parameters.
  std::vector<double> at_ends_s;

  // When a message is at its receiver, where both ends were measured apart: from the post of the
  // receive until the data were there; the above is then the sender's end, from the post of the
  // send until the source may be reused. Empty for engines, in which both ends are one interval.
  std::vector<double> receive_start_s;
  std::vector<double> receive_end_s;
};

}  // namespace tutti::inline sim
