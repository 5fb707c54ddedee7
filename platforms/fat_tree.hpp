// A fat tree: hosts at the bottom, levels of switches above.
//
// SimGrid's, a parallel-ports generalised fat tree (Zahavi: D-Mod-K Routing Providing Non-Blocking
// Traffic for Shift Permutations on Real Life Fat Trees, 2010), with its d-mod-k routes: the cable
// up is chosen by the destination alone, so two messages may meet on one while others idle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti {

// One number per level in each list, the level of the hosts first.
struct FatTree {
  std::vector<std::uint32_t> down;    // children of a switch; their product is the number of hosts
  std::vector<std::uint32_t> up;      // parents of a host or switch; 1 for hosts with one cable
  std::vector<std::uint32_t> cables;  // parallel cables between child and parent
  LinkFigures link;                   // of each cable, those to the hosts included
  NodeFigures node;
  std::string in_network = {};  // as that of ClusterTag
  std::string note = {};
};

// Product of `down`; what exceeds the largest platform is that plus 1.
[[nodiscard]] std::uint64_t hosts_of(const FatTree& tree);

// Highest switches on the longest route are this many levels up.
[[nodiscard]] inline std::uint64_t longest_route_links(const FatTree& tree) {
  return 2 * tree.down.size();
}

// The tree of fewest switches, of 1 to 3 levels, that joins exactly this many hosts with switches
// of `radix` ports. Below the top level it has as many cables up as down; at the top, `thinness`
// times as few (1: a full tree; 4: all hosts below the top can send a quarter of what they have).
// Throws UserError when there is none.
[[nodiscard]] FatTree fat_tree_for(std::uint64_t hosts, std::uint32_t radix, double thinness = 1);

// Throws UserError, one line, when the parameters are impossible or do not fit each other.
[[nodiscard]] std::string to_xml(const FatTree& tree);

}  // namespace tutti
