#include "platforms/explicit_routes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

ExplicitRoutes::ExplicitRoutes(RouteLists lists)
    : cables_{.hosts = lists.hosts, .ways = 1, .loopback = false},
      names_(std::move(lists.link_names)),
      added_loopback_(lists.added_loopback),
      pairs_(names_.size(), [&](const auto& add) {
        for (std::uint32_t pair = 0; pair < lists.links.size(); ++pair) {
          for (const std::uint32_t link : lists.links[pair]) {
            add(link, pair);
          }
        }
      }) {
  TUTTI_INVARIANT(lists.links.size() == std::size_t{lists.hosts} * lists.hosts);
  first_of_pair_.reserve(lists.links.size() + 1);
  first_of_pair_.push_back(0);
  for (const std::vector<std::uint32_t>& links : lists.links) {
    TUTTI_INVARIANT(!links.empty());
    crossed_.insert(crossed_.end(), links.begin(), links.end());
    first_of_pair_.push_back(static_cast<std::uint32_t>(crossed_.size()));
    longest_ = std::max(longest_, static_cast<std::uint32_t>(links.size()));
  }
}

LinkPlace ExplicitRoutes::link_place(std::uint32_t link) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  if (cables_.hosts <= kMostHostsOfPlaces) {
    for_uses(link, [&](std::uint32_t from, std::uint32_t to) { pairs.emplace_back(from, to); });
  }
  std::vector<std::uint32_t> hosts(cables_.hosts);
  std::iota(hosts.begin(), hosts.end(), 0);
  return place_by_name(names_[link], std::move(pairs), hosts);
}

std::vector<std::uint32_t> ExplicitRoutes::links_of(std::uint32_t host) const {
  std::vector<std::uint32_t> links;
  for (std::uint32_t link = 0; link < links_in_file(); ++link) {
    bool used = false;
    bool elsewhere = false;
    for_uses(link, [&](std::uint32_t from, std::uint32_t to) {
      used = true;
      elsewhere |= from != host && to != host;
    });
    if (used && !elsewhere) {
      links.push_back(link);
    }
  }
  return links;
}

}}  // namespace tutti::platforms
