// The steps of reading a platform of groups; grouped_file.hpp describes the format. Some are also
// steps of explicit_file.hpp. Each step returns false if the file does not match the format.
#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

struct GroupedCrossing {
  std::string link;
  bool up = true;

  friend bool operator==(const GroupedCrossing&, const GroupedCrossing&) = default;
};

struct GroupedRoute {
  std::string from_gate;
  std::string to_gate;
  std::vector<GroupedCrossing> links;
};

// The end of a zone: the links and routes that follow its child zones.
struct GroupedZoneEnd {
  std::map<std::string, ClusterLinkFigures> links;
  std::map<std::pair<std::string, std::string>, GroupedRoute> routes;
};

// A leaf or a group, and the router through which traffic leaves it.
struct GroupedGate {
  std::string zone;
  std::string router;
};

[[nodiscard]] inline std::string text_of(const pugi::xml_node& node, const char* attribute) {
  return node.attribute(attribute).value();
}
[[nodiscard]] inline bool is_tag(const pugi::xml_node& node, std::string_view tag) {
  return node.name() == tag;
}

// Collects the hosts of a platform, the names in it (which must be unique), and the figures of its
// links (which must be equal for all links of the same kind).
class GroupedParts {
 protected:
  // Register the name of a zone, router or host, and of a link. Return false if the name is empty.
  bool name_point(const std::string& name);
  bool name_link(const std::string& name);
  // True if no two links have the same name, and no two of the zones, routers and hosts, which
  // SimGrid keeps in one list.
  [[nodiscard]] bool names_differ() const;
  // Sets the figures of a link kind. Returns false if earlier links of this kind have different
  // figures.
  bool of_kind(ClusterLinkKind kind, const ClusterLinkFigures& figures);
  bool zone(const pugi::xml_node& node, std::string_view routing);
  bool router(const pugi::xml_node& node);
  // Reads the attributes named `bandwidth` and `latency`. Returns nothing if one of them is missing
  // or invalid.
  static std::optional<ClusterLinkFigures> figures_of(const pugi::xml_node& node,
                                                      const char* bandwidth, const char* latency,
                                                      bool fatpipe);
  // Reads a <link>, which must be split duplex, or a fat pipe if `fatpipe` is true.
  std::optional<ClusterLinkFigures> link(const pugi::xml_node& node, bool fatpipe);
  // Reads the speed and the cores of a host. Returns nothing if one of them is invalid.
  static std::optional<NetworkHost> host_of(const pugi::xml_node& node);
  // Calls host_of(). Returns false if the result differs from that of earlier hosts.
  bool host_figures(const pugi::xml_node& node);
  bool add_host(const std::string& name, std::uint32_t leaf);
  // Reads the rest of a zone: links, then routes, and nothing else.
  bool zone_end(pugi::xml_node child, GroupedZoneEnd& end);

  GroupedShape shape_;
  std::vector<std::string> hosts_;
  std::optional<NetworkHost> host_;
  std::map<ClusterLinkKind, ClusterLinkFigures> figures_;

 private:
  std::vector<std::string> points_;
  std::vector<std::string> links_;
};

// Reads leaf switches and their hosts. Each leaf is either a <cluster> or a <zone>.
class GroupedLeaves : protected GroupedParts {
 protected:
  bool leaf(const pugi::xml_node& node, std::uint32_t number);

  std::string switch_;  // name of the router of the leaf that was read last

 private:
  bool leaf_cluster(const pugi::xml_node& node, std::uint32_t number);
  bool leaf_zone(const pugi::xml_node& node, std::uint32_t number);
};

}}  // namespace tutti::platforms
