#include "platforms/grouped_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "platforms/xml_numbers.hpp"

namespace tutti { inline namespace platforms {

namespace {

bool same(const ClusterLinkFigures& a, const ClusterLinkFigures& b) {
  return a.bandwidth_bytes_per_s == b.bandwidth_bytes_per_s && a.latency_s == b.latency_s &&
         a.fatpipe == b.fatpipe;
}

// Sorts by hash, which takes a fourth of the time of sorting by name.
bool all_differ(const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::uint32_t>> order;
  order.reserve(names.size());
  for (const std::string& name : names) {
    order.emplace_back(std::hash<std::string>()(name), static_cast<std::uint32_t>(order.size()));
  }
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size() && order[j].first == order[i].first; ++j) {
      if (names[order[i].second] == names[order[j].second]) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool GroupedParts::name_point(const std::string& name) {
  points_.push_back(name);
  return !name.empty();
}
bool GroupedParts::name_link(const std::string& name) {
  links_.push_back(name);
  return !name.empty();
}
bool GroupedParts::names_differ() const { return all_differ(points_) && all_differ(links_); }

bool GroupedParts::of_kind(ClusterLinkKind kind, const ClusterLinkFigures& figures) {
  return same(figures_.emplace(kind, figures).first->second, figures);
}

bool GroupedParts::zone(const pugi::xml_node& node, std::string_view routing) {
  return is_tag(node, "zone") && plain_attributes(node, {"id", "routing"}) &&
         text_of(node, "routing") == routing && name_point(text_of(node, "id"));
}
bool GroupedParts::router(const pugi::xml_node& node) {
  return is_tag(node, "router") && plain_attributes(node, {"id"}) && !node.first_child() &&
         name_point(text_of(node, "id"));
}

std::optional<ClusterLinkFigures> GroupedParts::figures_of(const pugi::xml_node& node,
                                                           const char* bandwidth,
                                                           const char* latency, bool fatpipe) {
  const std::optional<double> bytes_per_s = xml_bandwidth(text_of(node, bandwidth));
  const std::optional<double> seconds = xml_latency(text_of(node, latency));
  if (!bytes_per_s || !seconds) {
    return std::nullopt;
  }
  return ClusterLinkFigures{*bytes_per_s, *seconds, fatpipe};
}

std::optional<ClusterLinkFigures> GroupedParts::link(const pugi::xml_node& node, bool fatpipe) {
  if (!is_tag(node, "link") || node.first_child() ||
      !plain_attributes(node, {"id", "bandwidth", "latency", "sharing_policy"}) ||
      text_of(node, "sharing_policy") != (fatpipe ? "FATPIPE" : "SPLITDUPLEX") ||
      !name_link(text_of(node, "id"))) {
    return std::nullopt;
  }
  return figures_of(node, "bandwidth", "latency", fatpipe);
}

std::optional<NetworkHost> GroupedParts::host_of(const pugi::xml_node& node) {
  const std::string cores = node.attribute("core") ? text_of(node, "core") : "1";
  const std::optional<double> speed = xml_speed(text_of(node, "speed"));
  const std::optional<std::uint32_t> count = xml_whole(cores, kMostXmlCores);
  if (!speed || !count || *count == 0) {
    return std::nullopt;
  }
  return NetworkHost{*speed, *count};
}

bool GroupedParts::host_figures(const pugi::xml_node& node) {
  const std::optional<NetworkHost> host = host_of(node);
  host_ = host_ ? host_ : host;
  return host && *host_ == *host;
}

bool GroupedParts::add_host(const std::string& name, std::uint32_t leaf) {
  hosts_.push_back(name);
  shape_.leaf_of_host.push_back(leaf);
  return name_point(name) && hosts_.size() <= kMostXmlHosts;
}

bool GroupedParts::zone_end(pugi::xml_node child, GroupedZoneEnd& end) {
  for (; is_tag(child, "link"); child = child.next_sibling()) {
    const std::optional<ClusterLinkFigures> figures = link(child, false);
    if (!figures) {
      return false;
    }
    end.links.emplace(text_of(child, "id"), *figures);
  }
  for (; is_tag(child, "zoneRoute"); child = child.next_sibling()) {
    if (!plain_attributes(child, {"src", "dst", "gw_src", "gw_dst", "symmetrical"}) ||
        text_of(child, "symmetrical") != "NO") {
      return false;
    }
    GroupedRoute route{text_of(child, "gw_src"), text_of(child, "gw_dst"), {}};
    for (const pugi::xml_node& crossed : child.children()) {
      const std::string direction = text_of(crossed, "direction");
      if (!is_tag(crossed, "link_ctn") || !plain_attributes(crossed, {"id", "direction"}) ||
          crossed.first_child() || (direction != "UP" && direction != "DOWN")) {
        return false;
      }
      route.links.push_back({text_of(crossed, "id"), direction == "UP"});
    }
    if (!end.routes.emplace(std::pair(text_of(child, "src"), text_of(child, "dst")), route)
             .second) {
      return false;
    }
  }
  return !child;
}

}}  // namespace tutti::platforms
