// Slack: how much later an operation or a rank could have finished without making the run longer.
//
// Durations stay as in the run, and so does the order in which operations use each port and core.
// The latest possible ends are computed backwards from the end of the run, from each operation to
// its predecessors. (Slack as in the critical path method; Kelley and Walker, "Critical-path
// planning and scheduling", 1959.)
//
// An eager message that arrives before its receiver is ready releases its ports first and ends
// later. Its slack is how much later both events could have happened.
//
// If a rank has k > 1 outgoing ports, the i-th message that it starts to send waits until any i - k
// earlier messages have released their ports. Incoming ports work in the same way. How late one of
// these messages may be depends on how late the others are. The computation assumes that the r-th
// message to release its port must do so before any message from the (r + k)-th on can start. The
// result is therefore a lower bound of the slack.
#pragma once

#include <span>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/timeline.hpp"

namespace tutti { inline namespace simulation {

struct RankSlack {
  // least slack of the rank's operations; the run's total time if the rank has no operations
  double slack_s = 0;
  double busy_s = 0;  // time during which at least one of the rank's operations was under way
};

struct Slack {
  std::vector<double> op_s;      // slack of each operation, in seconds
  std::vector<RankSlack> ranks;  // slack of each rank
  bool exact = true;             // false: the true slack may be larger
};

// Returns the slack of each operation and rank. Needs Timeline::arrival_s if messages may be eager.
[[nodiscard]] Slack slack_of(const Schedule& schedule, const Timeline& timeline,
                             const RunSetup& setup);

}}  // namespace tutti::simulation
