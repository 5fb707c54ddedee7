// A dragonfly (Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA
// 2008): routers with a few hosts each, densely wired groups of routers, and cables between all
// pairs of groups.
//
// This is SimGrid's variant, modelled on Cray's Cascade. A group consists of chassis of routers.
// All routers of a chassis are wired to each other, and so are all routers at the same position of
// different chassis. Router j of the first chassis holds all cables to group j. Routes are minimal
// and fixed.
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
  // Numbers of parallel cables. SimGrid models them as one link with their total bandwidth.
  std::uint32_t group_cables = 1;    // between two groups
  std::uint32_t chassis_cables = 1;  // between routers at the same position of two chassis
  std::uint32_t router_cables = 1;   // between two routers of a chassis
  LinkFigures link;                  // of each cable, including those to the hosts
  NodeFigures node;
  std::string note;
};

// Returns a dragonfly for this number of hosts, with one chassis per group. It is as close as
// possible to Kim's balance, which is twice as many routers per group as hosts per router. The
// cables out of a group carry `taper` times the bandwidth of its hosts. Throws UserError if no
// dragonfly with at least 2 groups has this number of hosts.
[[nodiscard]] Dragonfly dragonfly_for(std::uint64_t hosts, double taper = 1);

// Throws UserError if the parameters are impossible.
[[nodiscard]] std::string to_xml(const Dragonfly& dragonfly);

}  // namespace tutti::inline platforms
