// Platforms whose leaf switches are in groups: dragonfly+, Slingshot, fat trees with islands. The
// core of each group connects the leaves of the group with each other and with other groups. One
// link represents all cables between two switches. The XML has the format that grouped_file.hpp
// describes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

// A leaf switch with the names of its hosts. The names of leaves and groups become parts of the
// names of zones and links in the XML.
struct LeafOfHosts {
  std::string name;
  std::vector<std::string> hosts;
};
struct GroupOfLeaves {
  std::string name;
  std::vector<LeafOfHosts> leaves;
};

struct GroupedPlatform {
  std::string kind;  // beginning of error messages, such as "dragonfly_plus"
  std::vector<GroupOfLeaves> groups;
  LinkFigures cable;  // link from a host to its leaf
  LinkFigures trunk;  // link from a leaf to the core of its group
  // Link between two groups. If there are several groups, `pair`, `out` or both must be set.
  std::optional<LinkFigures> pair;
  // Link for all traffic that leaves or enters a group.
  std::optional<LinkFigures> out;
  NodeFigures node;
  std::vector<std::string> description = {};
  std::string note = {};
};

// Returns `groups` groups with `leaves` leaves each. Each leaf has `nodes` hosts, which are named
// node-0, node-1, ... Throws UserError if there would be more than kMaxPlatformHosts hosts.
[[nodiscard]] std::vector<GroupOfLeaves> numbered_groups(const std::string& kind,
                                                         std::uint32_t groups, std::uint32_t leaves,
                                                         std::uint32_t nodes);

// Returns the text of a platform file. Throws UserError for impossible figures, for names that XML
// or SimGrid does not accept, and for a duplicate host.
[[nodiscard]] std::string to_xml(const GroupedPlatform& platform);

}}  // namespace tutti::platforms
