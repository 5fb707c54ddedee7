// How much later an operation, or a rank, could have been without the run being any longer.
//
// Everything takes as long as it did in the run, and who has a port or a core goes before whom it
// went before: latest ends follow from the last one back through what comes after what. (Slack as
// in the critical path method; Kelley and Walker, "Critical-path planning and scheduling", 1959.)
#pragma once

#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/timeline.hpp"

namespace tutti {

struct RankSlack {
  double slack_s = 0;  // the least of its operations; the total of the run for a rank that has none
  double busy_s = 0;   // with at least one operation of its own
};

struct Slack {
  std::vector<double> op_s;      // by operation
  std::vector<RankSlack> ranks;  // by rank
};

[[nodiscard]] Slack slack_of(const Schedule& schedule, const Timeline& timeline,
                             const RunSetup& setup);

}  // namespace tutti
