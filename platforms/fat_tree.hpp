// A fat tree: hosts at the bottom, and levels of switches above them.
//
// This is SimGrid's parallel-ports generalised fat tree (Zahavi: D-Mod-K Routing Providing
// Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees, 2010) with d-mod-k routes:
// the destination alone selects the cables up and the switch at the top. If parallel cables join
// two switches, SimGrid lets the source select the cable down, which deviates from d-mod-k. Trees
// in this project therefore have single cables, unless the user asks for parallel ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

// A fat tree with one number per level in each list, starting with the level of the hosts.
struct FatTree {
  // Children of a switch; the product of all levels is the number of hosts.
  std::vector<std::uint32_t> down;
  // Parents of a host or switch; 1 at the level of the hosts if a host has one cable.
  std::vector<std::uint32_t> up;
  std::vector<std::uint32_t> cables;  // parallel cables between a child and a parent
  LinkFigures link;                   // figures of each cable, including cables to hosts
  NodeFigures node;
  std::string in_network = {};  // see ClusterTag
  std::string note = {};
  std::vector<std::string> wiring = {};  // comment lines on how to build the tree
};

// Returns the number of hosts (the product of `down`), capped at one more than the largest allowed
// platform.
[[nodiscard]] std::uint64_t hosts_of(const FatTree& tree);

// Returns the number of links on the longest route, which leads up to the top level and down again.
[[nodiscard]] inline std::uint64_t longest_route_links(const FatTree& tree) {
  return 2 * tree.down.size();
}

// Returns a tree for exactly this number of hosts, with 1 to 3 levels of switches that have `radix`
// ports, and with as few switches as possible. Switches below the top level have as many cables up
// as down. The top level has `thinness` times fewer cables (1: a full tree; 4: all hosts together
// can send a quarter of their bandwidth over the top). If the tree with the fewest switches needs
// parallel cables, they are replaced by with_single_cables(). Throws UserError if there is no such
// tree.
[[nodiscard]] FatTree fat_tree_for(std::uint64_t hosts, std::uint32_t radix, double thinness = 1);

// Replaces parallel cables by single cables to different parents, with the same number of cables at
// each level. Each switch with parallel cables down is split into several switches. Returns nothing
// if the cables up of such a switch cannot be divided evenly among the switches into which it is
// split. Each list of `tree` must have one number per level.
[[nodiscard]] std::optional<FatTree> with_single_cables(FatTree tree);

// Returns the text of a platform file. Throws UserError if the parameters are impossible or
// contradict each other.
[[nodiscard]] std::string to_xml(const FatTree& tree);

}}  // namespace tutti::platforms
