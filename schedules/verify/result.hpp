// Checks that every rank ends with what its collective demands.
#pragma once

#include "schedules/collective.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/findings.hpp"
#include "schedules/verify/replay.hpp"

namespace tutti::inline schedules {

struct Result {
  OperandOrder order = OperandOrder::none;
  bool bitwise_equal = false;
};

// Compares what the replay left in `work` with the contract.
[[nodiscard]] Result check_result(const Schedule& schedule, const Contract& contract,
                                  Replay& replay, Findings& findings);

// Checks the barrier, which moves no data: an event of every rank must precede the last event of
// each rank, so that no rank leaves before all have come. A message tells its receiver about all
// ranks that its sender had heard of through ordered events.
void check_hearing(const Schedule& schedule, Findings& findings);

}  // namespace tutti::inline schedules
