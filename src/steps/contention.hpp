// Groups whose messages slow each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/steps/step_run.hpp"

namespace tutti { inline namespace steps {

// Time that the messages of a group lost on a class of links, because other messages shared a link.
struct GroupLoss {
  std::uint32_t group = 0;
  // The group whose messages the same link held back at the time: `group` itself for other messages
  // of the group. Nothing if the link held back no other message, because other links slowed those
  // with which it was shared.
  std::optional<std::uint32_t> other;
  std::string links;  // the class
  std::string worst;  // the link of the class on which most time is lost
  double lost_s = 0;  // sum over all messages
};

struct StepContention {
  // False if there are too many messages, or if an operation waited for a port or a core, so that
  // nothing is known.
  bool known = false;
  std::vector<GroupLoss> losses;  // most first
  std::vector<double> message_s;  // by group: sum of the times of its messages
};

// Returns the losses of a run whose operations were watched, on a machine with link statistics. The
// time that a message loses at a link is divided among the groups in proportion to the number of
// their messages that the link holds back meanwhile.
[[nodiscard]] StepContention contention_of(const StepRun& run);

// Makes the machine's runs record what contention_of() needs.
void watch_contention(StepMachine& machine);

}}  // namespace tutti::steps
