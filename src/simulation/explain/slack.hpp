// How much later an operation, or a rank, could have been without the run being any longer.
//
// Everything takes as long as it did in the run, and who has a port or a core goes before whom it
// went before: latest ends follow from the last one back through what comes after what. (Slack as
// in the critical path method; Kelley and Walker, "Critical-path planning and scheduling", 1959.)
//
// An eager message that was there before its receiver was ready lets go of its ports first and is
// over later: its slack is how much later both could have been.
//
// With room for k > 1 at the ports of a rank, the one that starts as the i-th waits until any i - k
// are over: how much later one of them may be then hangs on how late the others are. It is taken
// that all wait for it that started after so many were over as when it was: so what is found is
// slack that there is at least.
#pragma once

#include <span>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline simulation {

struct RankSlack {
  double slack_s = 0;  // the least of its operations; the total of the run for a rank that has none
  double busy_s = 0;   // with at least one operation of its own
};

struct Slack {
  std::vector<double> op_s;      // by operation
  std::vector<RankSlack> ranks;  // by rank
  bool exact = true;             // or there may be more than that
};

// Needs Timeline::arrival_s where messages may be eager.
[[nodiscard]] Slack slack_of(const Schedule& schedule, const Timeline& timeline,
                             const RunSetup& setup);

}  // namespace tutti::inline simulation
