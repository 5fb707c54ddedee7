// A dragonfly (Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA
// 2008): routers with a few hosts each, groups of routers in which everyone is near, and cables
// between all pairs of groups.
//
// SimGrid's, modelled on Cray's Cascade: a group is chassis of routers; routers of one chassis are
// all wired to each other, and so are routers in the same place of different chassis. One router of
// the first chassis, that in place j, holds all cables to group j. Routes are minimal and fixed.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

struct Dragonfly {
  std::uint32_t groups = 1;
  std::uint32_t chassis = 1;  // per group
  std::uint32_t routers = 1;  // per chassis; at least as many as groups
  std::uint32_t nodes = 1;    // hosts per router
  // Parallel cables; SimGrid makes one link of them, that many times as wide.
  std::uint32_t group_cables = 1;    // between two groups
  std::uint32_t chassis_cables = 1;  // between routers in the same place of two chassis
  std::uint32_t router_cables = 1;   // between two routers of a chassis
  LinkFigures link;                  // of each cable, those to the hosts included
  NodeFigures node;
  std::string note;
};

// Groups, routers, nodes and group_cables for this number of hosts, one chassis per group: as near
// to Kim's balance (twice as many routers in a group as hosts at a router) as the number allows,
// and cables between groups for `taper` times what the hosts of a group send at most.
// Throws UserError when no dragonfly of at least 2 groups has that many hosts.
[[nodiscard]] Dragonfly dragonfly_for(std::uint64_t hosts, double taper = 1);

// Throws UserError, one line, when the parameters are impossible.
[[nodiscard]] std::string to_xml(const Dragonfly& dragonfly);

}  // namespace tutti::inline platforms
