// A fat tree: hosts at the bottom, levels of switches above.
//
// This is SimGrid's parallel-ports generalised fat tree (Zahavi: D-Mod-K Routing Providing
// Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees, 2010) with d-mod-k routes:
// the destination alone selects the cables up and the switch at the top. If parallel cables join
// two switches, SimGrid lets the source select the cable down, which deviates from d-mod-k. Trees
// therefore have single cables here, unless the user asks for parallel ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

// Each list has one number per level, starting with the level of the hosts.
struct FatTree {
  std::vector<std::uint32_t> down;    // children of a switch; their product is the number of hosts
  std::vector<std::uint32_t> up;      // parents of a host or switch; 1 for hosts with one cable
  std::vector<std::uint32_t> cables;  // parallel cables between child and parent
  LinkFigures link;                   // of each cable, including those to the hosts
  NodeFigures node;
  std::string in_network = {};  // see ClusterTag
  std::string note = {};
  std::vector<std::string> wiring = {};  // comment lines on how to build the tree
};

// Number of hosts (the product of `down`), but at most one more than the largest platform.
[[nodiscard]] std::uint64_t hosts_of(const FatTree& tree);

// Number of links on the longest route, which leads up to the top level and down again.
[[nodiscard]] inline std::uint64_t longest_route_links(const FatTree& tree) {
  return 2 * tree.down.size();
}

// Returns the tree with the fewest switches of `radix` ports and 1 to 3 levels for exactly this
// number of hosts. Below the top level, switches have as many cables up as down. At the top there
// are `thinness` times fewer cables (1: a full tree; 4: all hosts together can send a quarter of
// their bandwidth over the top). If the tree with the fewest switches needs parallel cables,
// returns with_single_cables() of it. Throws UserError if there is no such tree.
[[nodiscard]] FatTree fat_tree_for(std::uint64_t hosts, std::uint32_t radix, double thinness = 1);

// Replaces parallel cables by single cables to different parents, with the same number of cables at
// each level. Each switch with parallel cables down is split into several switches. Returns nothing
// if its cables up cannot be divided evenly among these. Each list must have one number per level.
[[nodiscard]] std::optional<FatTree> with_single_cables(FatTree tree);

// Throws UserError if the parameters are impossible or contradict each other.
[[nodiscard]] std::string to_xml(const FatTree& tree);

}  // namespace tutti::inline platforms
