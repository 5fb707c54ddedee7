#include <fmt/format.h>

#include "platforms/grouped_parts.hpp"
#include "platforms/xml_numbers.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Returns true if `node` is the given <route>, and advances `node` to its next sibling. The route
// of a loopback has no direction.
bool leaf_route(pugi::xml_node& node, const std::string& from, const std::string& to,
                const std::string& link, std::string_view direction) {
  const pugi::xml_node crossed = node.first_child();
  const bool right = is_tag(node, "route") &&
                     plain_attributes(node, {"src", "dst", "symmetrical"}) &&
                     text_of(node, "src") == from && text_of(node, "dst") == to &&
                     text_of(node, "symmetrical") == "NO" && is_tag(crossed, "link_ctn") &&
                     !crossed.next_sibling() && !crossed.first_child() &&
                     plain_attributes(crossed, {"id", "direction"}) &&
                     text_of(crossed, "id") == link && text_of(crossed, "direction") == direction;
  node = node.next_sibling();
  return right;
}

}  // namespace

bool GroupedLeaves::leaf(const pugi::xml_node& node, std::uint32_t number) {
  return is_tag(node, "cluster") ? leaf_cluster(node, number) : leaf_zone(node, number);
}

bool GroupedLeaves::leaf_cluster(const pugi::xml_node& node, std::uint32_t number) {
  const auto has = [&node](const char* name) { return !node.attribute(name).empty(); };
  const std::string id = text_of(node, "id");
  const std::optional<std::vector<std::uint32_t>> radicals = xml_radicals(text_of(node, "radical"));
  const auto cable = figures_of(node, "bw", "lat", false);
  if (node.first_child() ||
      !plain_attributes(node, {"id", "prefix", "suffix", "radical", "speed", "core", "bw", "lat",
                               "sharing_policy", "loopback_bw", "loopback_lat", "router_id"}) ||
      !has("prefix") || !has("suffix") || !radicals || !cable || !host_figures(node) ||
      text_of(node, "sharing_policy") != "SPLITDUPLEX" ||
      !of_kind(ClusterLinkKind::cable, *cable) || !name_point(id)) {
    return false;
  }
  const bool loopback = has("loopback_bw") || has("loopback_lat");
  if (loopback) {
    const auto figures = figures_of(node, "loopback_bw", "loopback_lat", true);
    if (!figures || !of_kind(ClusterLinkKind::loopback, *figures)) {
      return false;
    }
  }
  switch_ = text_of(node, "router_id");
  for (const std::uint32_t radical : *radicals) {
    const std::string link = fmt::format("{}_link_{}", id, radical);
    shape_.host_cables.push_back(link);
    if (loopback) {
      shape_.loopbacks.push_back(link + "_loopback");
    }
    if (!name_link(link) || (loopback && !name_link(shape_.loopbacks.back())) ||
        !add_host(fmt::format("{}{}{}", text_of(node, "prefix"), radical, text_of(node, "suffix")),
                  number)) {
      return false;
    }
  }
  return name_point(switch_);
}

// Reads the elements in this order: hosts, router, link and loopback of each host, three routes of
// each host.
bool GroupedLeaves::leaf_zone(const pugi::xml_node& node, std::uint32_t number) {
  if (!zone(node, "Floyd")) {
    return false;
  }
  const std::size_t first = hosts_.size();
  std::vector<std::string> loopbacks;
  pugi::xml_node child = node.first_child();
  for (; is_tag(child, "host"); child = child.next_sibling()) {
    if (!plain_attributes(child, {"id", "speed", "core"}) || child.first_child() ||
        !host_figures(child) || !add_host(text_of(child, "id"), number)) {
      return false;
    }
  }
  if (hosts_.size() == first || !router(child)) {
    return false;
  }
  switch_ = text_of(child, "id");
  child = child.next_sibling();
  for (std::size_t host = first; host < hosts_.size(); ++host) {
    const auto cable = link(child, false);
    const pugi::xml_node behind = child.next_sibling();
    const auto loopback = link(behind, true);
    if (!cable || !loopback || !of_kind(ClusterLinkKind::cable, *cable) ||
        !of_kind(ClusterLinkKind::loopback, *loopback)) {
      return false;
    }
    shape_.host_cables.push_back(text_of(child, "id"));
    loopbacks.push_back(text_of(behind, "id"));
    child = behind.next_sibling();
  }
  for (std::size_t host = first; host < hosts_.size(); ++host) {
    const std::string& name = hosts_[host];
    if (!leaf_route(child, name, switch_, shape_.host_cables[host], "UP") ||
        !leaf_route(child, switch_, name, shape_.host_cables[host], "DOWN") ||
        !leaf_route(child, name, name, loopbacks[host - first], "")) {
      return false;
    }
  }
  shape_.loopbacks.insert(shape_.loopbacks.end(), loopbacks.begin(), loopbacks.end());
  return !child;
}

}}  // namespace tutti::platforms
