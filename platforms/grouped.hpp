// Platforms whose leaf switches are in groups, each with a core that joins them and leads out of
// the group: dragonfly+, Slingshot, islands of fat trees. One link stands for all cables between
// two switches. Written in the form that grouped_file.hpp says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

// Hosts are called as they are; leaves and groups get their names from these.
struct LeafOfHosts {
  std::string name;
  std::vector<std::string> hosts;
};
struct GroupOfLeaves {
  std::string name;
  std::vector<LeafOfHosts> leaves;
};

struct GroupedPlatform {
  std::string kind;  // "dragonfly_plus": the subject of complaints
  std::vector<GroupOfLeaves> groups;
  LinkFigures cable;                // of a host, to its leaf
  LinkFigures trunk;                // of a leaf, to the core of its group
  std::optional<LinkFigures> pair;  // between two groups; with several groups it needs one of these
  std::optional<LinkFigures> out;   // for all that leaves a group, and all that enters it
  NodeFigures node;
  std::vector<std::string> description = {};
  std::string note = {};
};

// So many groups of so many leaves of so many hosts: node-0, node-1, ... Throws UserError for more
// than a platform has.
[[nodiscard]] std::vector<GroupOfLeaves> numbered_groups(const std::string& kind,
                                                         std::uint32_t groups, std::uint32_t leaves,
                                                         std::uint32_t nodes);

// Throws UserError, one line, for figures that are impossible, for names that XML or SimGrid does
// not take, and for a host twice.
[[nodiscard]] std::string to_xml(const GroupedPlatform& platform);

}  // namespace tutti::inline platforms
