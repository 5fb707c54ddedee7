// What links carried, for people: what they are called, and who used them.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti::inline sim {

struct NamedLinkStatistics {
  std::string name;
  LinkPlace place;
  LinkStatistics statistics;
  // The ranks whose messages crossed it, and the levels of these messages, ascending. Of a large
  // schedule this is told of the links that lost or carried most, since it takes as much as all
  // their messages.
  std::vector<Rank> senders;
  std::vector<std::uint32_t> levels;
  // Acknowledgements of messages that go the other way use it, too (network model lv08).
  bool acknowledges = false;
};

inline constexpr std::size_t kLinksWithUsers = 64;

// In the order of the statistics.
[[nodiscard]] std::vector<NamedLinkStatistics> named_links(
    const std::vector<LinkStatistics>& statistics, Network& network, const FlowSetup& setup,
    const Schedule& schedule);

}  // namespace tutti::inline sim
