// A dragonfly (Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA
// 2008): routers with a few hosts each, densely wired groups of routers, and cables between all
// pairs of groups.
//
// This is SimGrid's variant, modelled on Cray's Cascade. A group consists of chassis, and a chassis
// consists of routers. All routers of a chassis are wired to each other, and so are all routers at
// the same position of different chassis of a group. In each group, all cables to group j are at
// router j of the first chassis. Routes are minimal and fixed.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

struct Dragonfly {
  std::uint32_t groups = 1;
  std::uint32_t chassis = 1;  // chassis per group
  std::uint32_t routers = 1;  // routers per chassis; must be at least `groups`
  std::uint32_t nodes = 1;    // hosts per router
  // Numbers of parallel cables. SimGrid models them as one link with their total bandwidth.
  std::uint32_t group_cables = 1;    // between two groups
  std::uint32_t chassis_cables = 1;  // between routers at the same position of two chassis
  std::uint32_t router_cables = 1;   // between two routers of a chassis
  LinkFigures link;                  // figures of each cable, including cables to hosts
  NodeFigures node;
  std::string note;
};

// Returns a dragonfly for this number of hosts, with one chassis per group. The dragonfly is as
// close as possible to the balance of Kim et al., where a group has twice as many routers as a
// router has hosts. The total bandwidth of the cables out of a group is `taper` times the total
// bandwidth of its hosts. Throws UserError if no dragonfly with at least 2 groups has this number
// of hosts.
[[nodiscard]] Dragonfly dragonfly_for(std::uint64_t hosts, double taper = 1);

// Returns the text of a platform file. Throws UserError if the parameters are impossible.
[[nodiscard]] std::string to_xml(const Dragonfly& dragonfly);

}}  // namespace tutti::platforms
