// A fat tree: hosts at the bottom, levels of switches above.
//
// SimGrid's parallel-ports generalised fat tree (Zahavi: D-Mod-K Routing Providing Non-Blocking
// Traffic for Shift Permutations on Real Life Fat Trees, 2010), with its d-mod-k routes: the
// destination alone chooses the cable up and the switch at the top. Where two switches are joined
// by several parallel cables, SimGrid chooses the one down by the source instead; d-mod-k knows no
// such choice. So trees have single cables here, unless the user asks for parallel ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

// One number per level in each list, the level of the hosts first.
struct FatTree {
  std::vector<std::uint32_t> down;    // children of a switch; their product is the number of hosts
  std::vector<std::uint32_t> up;      // parents of a host or switch; 1 for hosts with one cable
  std::vector<std::uint32_t> cables;  // parallel cables between child and parent
  LinkFigures link;                   // of each cable, those to the hosts included
  NodeFigures node;
  std::string in_network = {};  // as that of ClusterTag
  std::string note = {};
  std::vector<std::string> wiring = {};  // lines of the file that say how it would be built
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
// Where the fewest switches need parallel cables, the tree is that of with_single_cables().
// Throws UserError when there is none.
[[nodiscard]] FatTree fat_tree_for(std::uint64_t hosts, std::uint32_t radix, double thinness = 1);

// The same number of cables at each level, and a parent of its own for each of several parallel
// ones. Returns nothing if the cables up from a switch cannot be shared out evenly among those that
// it becomes. Each list must have one number per level.
[[nodiscard]] std::optional<FatTree> with_single_cables(FatTree tree);

// Throws UserError, one line, when the parameters are impossible or do not fit each other.
[[nodiscard]] std::string to_xml(const FatTree& tree);

}  // namespace tutti::inline platforms
