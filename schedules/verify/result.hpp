// Checks that every rank ends with the data that the collective demands.
#pragma once

#include "schedules/collective.hpp"
#include "schedules/schedule.hpp"
#include "schedules/verify/findings.hpp"
#include "schedules/verify/replay.hpp"

namespace tutti { inline namespace schedules {

struct Result {
  OperandOrder order = OperandOrder::none;
  bool bitwise_equal = false;
};

// Compares the final contents of `work` in the replay with the contract.
[[nodiscard]] Result check_result(const Schedule& schedule, const Contract& contract,
                                  Replay& replay, Findings& findings);

// Checks a barrier, which moves no data. An event of every rank must precede the last event of each
// rank, so that no rank leaves before all have entered. A receiver of a message hears from all
// ranks from which the sender has heard through events that precede the message.
void check_hearing(const Schedule& schedule, Findings& findings);

}}  // namespace tutti::schedules
