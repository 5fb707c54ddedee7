// What reading platforms of groups is made of: see grouped_file.hpp. Each step says whether the
// file goes on as the form has it.
#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/cluster_platform.hpp"

namespace tutti::inline platforms {

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

// The links and routes of a zone, which stand behind its children.
struct GroupedZoneEnd {
  std::map<std::string, ClusterLinkFigures> links;
  std::map<std::pair<std::string, std::string>, GroupedRoute> routes;
};

// A leaf or a group, with the switch that leads out of it.
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

// Names, each of which is there once; figures, of which all of a kind are alike; hosts.
class GroupedParts {
 protected:
  // SimGrid keeps zones, routers and hosts in one list of names.
  bool name_point(const std::string& name);
  bool name_link(const std::string& name);
  // All links of a kind are alike.
  bool of_kind(ClusterLinkKind kind, const ClusterLinkFigures& figures);
  bool zone(const pugi::xml_node& node, std::string_view routing);
  bool router(const pugi::xml_node& node);
  // One that is left out is no number.
  static std::optional<ClusterLinkFigures> figures_of(const pugi::xml_node& node,
                                                      const char* bandwidth, const char* latency,
                                                      bool fatpipe);
  // <link>, split duplex or a fat pipe.
  std::optional<ClusterLinkFigures> link(const pugi::xml_node& node, bool fatpipe);
  // All hosts compute alike.
  bool host_figures(const pugi::xml_node& node);
  bool add_host(const std::string& name, std::uint32_t leaf);
  // Nothing but links, and then routes.
  bool zone_end(pugi::xml_node child, GroupedZoneEnd& end);

  GroupedShape shape_;
  std::vector<std::string> hosts_;
  std::optional<NetworkHost> host_;
  std::map<ClusterLinkKind, ClusterLinkFigures> figures_;

 private:
  std::set<std::string> points_;
  std::set<std::string> links_;
};

// Leaf switches and their hosts, in both of their forms.
class GroupedLeaves : protected GroupedParts {
 protected:
  bool leaf(const pugi::xml_node& node, std::uint32_t number);

  std::string switch_;  // of the leaf that was read last

 private:
  bool leaf_cluster(const pugi::xml_node& node, std::uint32_t number);
  bool leaf_zone(const pugi::xml_node& node, std::uint32_t number);
};

}  // namespace tutti::inline platforms
