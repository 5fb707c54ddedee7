// What a run yields: when each operation started and ended. Nothing less, nothing more.
#pragma once

#include <vector>

namespace tutti {

struct Timeline {
  std::vector<double> start_s;  // by operation id, seconds since the start of the collective
  std::vector<double> end_s;
  double total_s = 0;  // the last end; 0 for an empty schedule
};

}  // namespace tutti
