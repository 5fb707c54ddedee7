#include "platforms/simgrid/link_use.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

LinkUse::LinkUse(const SimGridPlatform& platform, std::span<const std::uint32_t> hosts)
    : hosts_(hosts.begin(), hosts.end()) {
  if (hosts.size() > kMostHostsOfPlaces) {
    return;
  }
  for (const std::uint32_t from : hosts_) {
    for (const std::uint32_t to : hosts_) {
      try {
        for (const simgrid::s4u::Link* link :
             platform.links_between(platform.hosts()[from], platform.hosts()[to]).links) {
          pairs_[link].emplace_back(from, to);
        }
        // A route that does not exist crosses no link.
      } catch (const UserError&) {
      }
    }
  }
}

LinkPlace LinkUse::place_of(const simgrid::s4u::Link* link) const {
  const auto at = pairs_.find(link);
  return place_by_name(link->get_name(), at == pairs_.end() ? decltype(at->second)() : at->second,
                       hosts_);
}

bool LinkUse::is_of_host(const simgrid::s4u::Link* link, std::uint32_t host) const {
  const auto at = pairs_.find(link);
  return at != pairs_.end() &&
         std::all_of(at->second.begin(), at->second.end(), [host](const auto& pair) {
           return pair.first == host || pair.second == host;
         });
}

}}  // namespace tutti::platforms
