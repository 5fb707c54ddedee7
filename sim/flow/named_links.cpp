#include "sim/flow/named_links.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim/messages/message_network.hpp"

namespace tutti { inline namespace sim {

namespace {

// Returns the links whose senders are reported, as indices of `links`, sorted by decreasing lost
// time.
std::vector<std::uint32_t> chosen(const std::vector<NamedLinkStatistics>& links, OpId operations) {
  std::vector<std::uint32_t> order(links.size());
  std::iota(order.begin(), order.end(), 0U);
  // If there are few operations, the senders of all links are reported.
  constexpr OpId kFewOps = OpId{1} << 16U;
  const std::size_t most =
      operations <= kFewOps ? order.size() : std::min(kLinksWithUsers, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const LinkStatistics& x = links[a].statistics;
                      const LinkStatistics& y = links[b].statistics;
                      return std::tuple(-x.lost_s, ~x.bytes, a) <
                             std::tuple(-y.lost_s, ~y.bytes, b);
                    });
  order.resize(most);
  return order;
}

void sort_out(std::vector<std::uint32_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

std::vector<NamedLinkStatistics> named_links(const std::vector<LinkStatistics>& statistics,
                                             Network& network, const FlowSetup& setup,
                                             const Schedule& schedule) {
  std::vector<NamedLinkStatistics> links;
  links.reserve(statistics.size());
  for (const LinkStatistics& link : statistics) {
    links.push_back(
        {network.link_name(link.link), network.link_place(link.link), link, {}, {}, false});
  }
  const std::vector<std::uint32_t> order = chosen(links, schedule.size());
  // Index in `order` of each link of the network.
  std::vector<std::uint32_t> place(network.links().size(), kNoLink);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[links[order[i]].statistics.link] = i;
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm() || op.bytes() == 0) {
      continue;
    }
    const NetworkRoute route = route_of_message(network, setup.host_of_rank, op);
    for (const Hop hop : route.hops) {
      if (hop.link() >= place.size() || place[hop.link()] == kNoLink) {
        continue;
      }
      NamedLinkStatistics& link = links[order[place[hop.link()]]];
      link.acknowledges = link.acknowledges || hop.backward() > 0;
      if (hop.forward() == 0) {
        continue;
      }
      // Successive messages often have the same sender and level, so the first check removes most
      // duplicates.
      if (op.src() < schedule.ranks() &&
          (link.senders.empty() || link.senders.back() != op.src())) {
        link.senders.push_back(op.src());
      }
      if (link.levels.empty() || link.levels.back() != op.label().level) {
        link.levels.push_back(op.label().level);
      }
      constexpr std::size_t kMany = std::size_t{1} << 16U;
      if (link.senders.size() >= kMany + schedule.ranks()) {
        sort_out(link.senders);
      }
      if (link.levels.size() >= kMany + schedule.ranks()) {
        sort_out(link.levels);
      }
    }
  }
  for (NamedLinkStatistics& link : links) {
    sort_out(link.senders);
    sort_out(link.levels);
  }
  return links;
}

}}  // namespace tutti::sim
