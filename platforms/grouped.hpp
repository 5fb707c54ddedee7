// Platforms whose leaf switches are in groups: dragonfly+, Slingshot, islands of fat trees. The
// core of each group joins its leaves and leads out of the group. One link represents all cables
// between two switches. The XML has the format described in grouped_file.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

// A leaf switch with the names of its hosts. The names of leaves and groups become parts of names
// in the XML.
struct LeafOfHosts {
  std::string name;
  std::vector<std::string> hosts;
};
struct GroupOfLeaves {
  std::string name;
  std::vector<LeafOfHosts> leaves;
};

struct GroupedPlatform {
  std::string kind;  // "dragonfly_plus": the subject of errors
  std::vector<GroupOfLeaves> groups;
  LinkFigures cable;                // from a host to its leaf
  LinkFigures trunk;                // from a leaf to the core of its group
  std::optional<LinkFigures> pair;  // between two groups; several groups need `pair`, `out` or both
  std::optional<LinkFigures> out;   // shared by all traffic that leaves a group, or enters it
  NodeFigures node;
  std::vector<std::string> description = {};
  std::string note = {};
};

// Returns `groups` groups of `leaves` leaves with `nodes` hosts each, named node-0, node-1, ...
// Throws UserError if that exceeds the largest platform.
[[nodiscard]] std::vector<GroupOfLeaves> numbered_groups(const std::string& kind,
                                                         std::uint32_t groups, std::uint32_t leaves,
                                                         std::uint32_t nodes);

// Throws UserError for impossible figures, for names that XML or SimGrid does not accept, and for a
// duplicate host.
[[nodiscard]] std::string to_xml(const GroupedPlatform& platform);

}  // namespace tutti::inline platforms
