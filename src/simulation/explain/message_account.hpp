// The parts of a run's time that come from a message model, for the account of the run.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow_record.hpp"
#include "sim/messages/message_parts.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

struct MessageAccount {
  std::vector<PartTime> start;  // work of the library before the schedule
  MessagePart reduction = MessagePart::none;
  MessagePart copying = MessagePart::none;
  // Returns the parts of a message's time.
  std::function<MessageTimes(OpId, const Op&)> times_of;
  // Returns the time at which a message started, in seconds.
  std::function<double(OpId)> start_s;
  // Returns the rate limit that a link of the network stands for; none for a link of the platform.
  std::function<MessagePart(std::uint32_t link)> limit_of;
};

// Returns nothing if the machine has no message model. `record` is that of the watched run.
[[nodiscard]] std::optional<MessageAccount> message_account(const Schedule& schedule,
                                                            const Machine& machine,
                                                            const FlowRecord& record);

}}  // namespace tutti::simulation
