// Statistics of links in a form for users: with the names of links, and the ranks that used them.
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
  // The ranks whose messages crossed the link, and the levels of these messages, both ascending. In
  // a large schedule, this is known only for the links that lost or carried most, because it needs
  // memory for all their messages.
  std::vector<Rank> senders;
  std::vector<std::uint32_t> levels;
  // True if acknowledgements of messages in the other direction use the link, too (network model
  // lv08).
  bool acknowledges = false;
};

inline constexpr std::size_t kLinksWithUsers = 64;

// Returns the links in the order of the statistics.
[[nodiscard]] std::vector<NamedLinkStatistics> named_links(
    const std::vector<LinkStatistics>& statistics, Network& network, const FlowSetup& setup,
    const Schedule& schedule);

}  // namespace tutti::inline sim
