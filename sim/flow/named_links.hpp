// Statistics of links for users: with the names of the links, and the ranks that used each link.
#pragma once

#include <string>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti { inline namespace sim {

struct NamedLinkStatistics {
  std::string name;
  LinkPlace place;
  LinkStatistics statistics;
  // The ranks whose messages crossed the link, and the levels of these messages in the schedule,
  // both ascending. In a large schedule, both lists are filled only for the links with the most
  // lost time or the most bytes, because they need memory for all messages of a link.
  std::vector<Rank> senders;
  std::vector<std::uint32_t> levels;
  // True if the link also carries acknowledgements of messages in the other direction (network
  // model lv08).
  bool acknowledges = false;
};

inline constexpr std::size_t kLinksWithUsers = 64;

// Returns the links in the order of the statistics.
[[nodiscard]] std::vector<NamedLinkStatistics> named_links(
    const std::vector<LinkStatistics>& statistics, Network& network, const FlowSetup& setup,
    const Schedule& schedule);

}}  // namespace tutti::sim
