// Finds which hosts use which links of a platform loaded by SimGrid, from the routes between these
// hosts.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platforms/link_place.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"

namespace tutti { inline namespace platforms {

class LinkUse {
 public:
  // `hosts` are host numbers, ascending. With more than kMostHostsOfPlaces hosts, the use of links
  // is unknown, and all links belong to one class.
  LinkUse(const SimGridPlatform& platform, std::span<const std::uint32_t> hosts);

  [[nodiscard]] LinkPlace place_of(const simgrid::s4u::Link* link) const;
  // True if every route that crosses the link begins or ends at the host.
  [[nodiscard]] bool is_of_host(const simgrid::s4u::Link* link, std::uint32_t host) const;

 private:
  std::vector<std::uint32_t> hosts_;
  std::unordered_map<const simgrid::s4u::Link*,
                     std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      pairs_;
};

}}  // namespace tutti::platforms
