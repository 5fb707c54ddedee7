#include "platforms/grouped_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/xml_numbers.hpp"

namespace tutti {

namespace {

constexpr std::uint64_t kMostCores = 1U << 20U;

std::string text_of(const pugi::xml_node& node, const char* attribute) {
  return node.attribute(attribute).value();
}

bool is(const pugi::xml_node& node, std::string_view tag) { return node.name() == tag; }

bool same(const ClusterLinkFigures& a, const ClusterLinkFigures& b) {
  return a.bandwidth_bytes_per_s == b.bandwidth_bytes_per_s && a.latency_s == b.latency_s &&
         a.fatpipe == b.fatpipe;
}

struct Crossing {
  std::string link;
  bool up = true;

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

struct ZoneRoute {
  std::string from_gate;
  std::string to_gate;
  std::vector<Crossing> links;
};

// The links and routes of a zone, which stand behind its children.
struct ZoneEnd {
  std::map<std::string, ClusterLinkFigures> links;
  std::map<std::pair<std::string, std::string>, ZoneRoute> routes;
};

// A leaf or a group, with the switch that leads out of it.
struct Gate {
  std::string zone;
  std::string router;
};

// Each step says whether the file goes on as the form has it.
class GroupedReader {
 public:
  std::optional<Cluster> read(const pugi::xml_node& platform) {
    const pugi::xml_node world = platform.first_child();
    if (!is(platform, "platform") || !plain_attributes(platform, {"version"}) ||
        text_of(platform, "version") != "4.1" || !zone(world, "Full") || world.next_sibling()) {
      return std::nullopt;
    }
    pugi::xml_node child = world.first_child();
    for (; is(child, "zone"); child = child.next_sibling()) {
      if (!group(child)) {
        return std::nullopt;
      }
    }
    ZoneEnd end;
    if (shape_.leaf_of_host.empty() || !zone_end(child, end) || !between_groups(end) ||
        !loopbacks_alike() || !fits()) {
      return std::nullopt;
    }
    Cluster cluster{.names = {.id = "",
                              .prefix = "",
                              .suffix = "",
                              .radicals = {},
                              .of_hosts = std::move(hosts_)},
                    .routes = GroupedRoutes(std::move(shape_)),
                    .figures = {},
                    .host = *host_};
    for (const auto& [kind, figures] : figures_) {
      cluster.figures[static_cast<std::size_t>(kind)] = figures;
    }
    return cluster;
  }

 private:
  // SimGrid keeps zones, routers and hosts in one list of names.
  bool name_point(const std::string& name) { return !name.empty() && points_.insert(name).second; }
  bool name_link(const std::string& name) { return !name.empty() && links_.insert(name).second; }

  // All links of a kind are alike.
  bool of_kind(ClusterLinkKind kind, const ClusterLinkFigures& figures) {
    return same(figures_.emplace(kind, figures).first->second, figures);
  }

  bool zone(const pugi::xml_node& node, std::string_view routing) {
    return is(node, "zone") && plain_attributes(node, {"id", "routing"}) &&
           text_of(node, "routing") == routing && name_point(text_of(node, "id"));
  }
  bool router(const pugi::xml_node& node) {
    return is(node, "router") && plain_attributes(node, {"id"}) && !node.first_child() &&
           name_point(text_of(node, "id"));
  }

  // One that is left out is no number.
  static std::optional<ClusterLinkFigures> figures_of(const pugi::xml_node& node,
                                                      const char* bandwidth, const char* latency,
                                                      bool fatpipe) {
    const std::optional<double> bytes_per_s = xml_bandwidth(text_of(node, bandwidth));
    const std::optional<double> seconds = xml_latency(text_of(node, latency));
    if (!bytes_per_s || !seconds) {
      return std::nullopt;
    }
    return ClusterLinkFigures{*bytes_per_s, *seconds, fatpipe};
  }

  // <link>, split duplex or a fat pipe.
  std::optional<ClusterLinkFigures> link(const pugi::xml_node& node, bool fatpipe) {
    if (!is(node, "link") || node.first_child() ||
        !plain_attributes(node, {"id", "bandwidth", "latency", "sharing_policy"}) ||
        text_of(node, "sharing_policy") != (fatpipe ? "FATPIPE" : "SPLITDUPLEX") ||
        !name_link(text_of(node, "id"))) {
      return std::nullopt;
    }
    return figures_of(node, "bandwidth", "latency", fatpipe);
  }

  // All hosts compute alike.
  bool host_figures(const pugi::xml_node& node) {
    const std::string cores = text_of(node, "core");
    const std::optional<double> speed = xml_speed(text_of(node, "speed"));
    const std::optional<std::uint32_t> count = xml_whole(cores.empty() ? "1" : cores, kMostCores);
    if (!speed || !count || *count == 0) {
      return false;
    }
    const NetworkHost host{*speed, *count};
    host_ = host_.value_or(host);
    return *host_ == host;
  }

  bool add_host(const std::string& name, std::uint32_t leaf) {
    hosts_.push_back(name);
    shape_.leaf_of_host.push_back(leaf);
    return name_point(name) && hosts_.size() <= kMostXmlHosts;
  }

  bool group(const pugi::xml_node& node) {
    pugi::xml_node child = node.first_child();
    if (!zone(node, "Floyd") || !zone(child, "Full") || !router(child.first_child()) ||
        child.first_child().next_sibling()) {
      return false;
    }
    const Gate core{text_of(child, "id"), text_of(child.first_child(), "id")};
    std::vector<Gate> leaves;
    for (child = child.next_sibling(); is(child, "cluster") || is(child, "zone");
         child = child.next_sibling()) {
      const auto number = static_cast<std::uint32_t>(shape_.group_of_leaf.size());
      if (is(child, "cluster") ? !leaf_cluster(child, number) : !leaf_zone(child, number)) {
        return false;
      }
      shape_.group_of_leaf.push_back(static_cast<std::uint32_t>(groups_.size()));
      leaves.push_back({text_of(child, "id"), switch_});
    }
    groups_.push_back({text_of(node, "id"), core.router});
    ZoneEnd end;
    return !leaves.empty() && zone_end(child, end) && trunks(leaves, core, end);
  }

  // Nothing but links, and then routes.
  bool zone_end(pugi::xml_node child, ZoneEnd& end) {
    for (; is(child, "link"); child = child.next_sibling()) {
      const std::optional<ClusterLinkFigures> figures = link(child, false);
      if (!figures) {
        return false;
      }
      end.links.emplace(text_of(child, "id"), *figures);
    }
    for (; is(child, "zoneRoute"); child = child.next_sibling()) {
      if (!plain_attributes(child, {"src", "dst", "gw_src", "gw_dst", "symmetrical"}) ||
          text_of(child, "symmetrical") != "NO") {
        return false;
      }
      ZoneRoute route{text_of(child, "gw_src"), text_of(child, "gw_dst"), {}};
      for (const pugi::xml_node& crossed : child.children()) {
        const std::string direction = text_of(crossed, "direction");
        if (!is(crossed, "link_ctn") || !plain_attributes(crossed, {"id", "direction"}) ||
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

  static const ZoneRoute* route_between(const ZoneEnd& end, const Gate& from, const Gate& to) {
    const auto at = end.routes.find({from.zone, to.zone});
    const bool found = at != end.routes.end() && at->second.from_gate == from.router &&
                       at->second.to_gate == to.router;
    return found ? &at->second : nullptr;
  }

  // One link for each leaf, up to the core and down again.
  bool trunks(const std::vector<Gate>& leaves, const Gate& core, const ZoneEnd& end) {
    if (end.links.size() != leaves.size() || end.routes.size() != 2 * leaves.size()) {
      return false;
    }
    std::set<std::string> taken;
    for (const Gate& leaf : leaves) {
      const ZoneRoute* const up = route_between(end, leaf, core);
      const ZoneRoute* const down = route_between(end, core, leaf);
      if (up == nullptr || down == nullptr || up->links.size() != 1) {
        return false;
      }
      const std::string& name = up->links[0].link;
      const auto figures = end.links.find(name);
      if (figures == end.links.end() || up->links != std::vector{Crossing{name, true}} ||
          down->links != std::vector{Crossing{name, false}} || !taken.insert(name).second ||
          !of_kind(ClusterLinkKind::router, figures->second)) {
        return false;
      }
      shape_.trunks.push_back(name);
    }
    return true;
  }

  bool leaf_cluster(const pugi::xml_node& node, std::uint32_t number) {
    const auto has = [&node](const char* name) { return !node.attribute(name).empty(); };
    const std::string id = text_of(node, "id");
    const std::optional<std::vector<std::uint32_t>> radicals =
        xml_radicals(text_of(node, "radical"));
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
          !add_host(
              fmt::format("{}{}{}", text_of(node, "prefix"), radical, text_of(node, "suffix")),
              number)) {
        return false;
      }
    }
    return name_point(switch_);
  }

  // <host>s, the router, for each host its link and its loopback, and for each its three routes.
  bool leaf_zone(const pugi::xml_node& node, std::uint32_t number) {
    if (!zone(node, "Floyd")) {
      return false;
    }
    const std::size_t first = hosts_.size();
    std::vector<std::string> loopbacks;
    pugi::xml_node child = node.first_child();
    for (; is(child, "host"); child = child.next_sibling()) {
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

  // Goes on to what is behind it. A loopback has no direction.
  static bool leaf_route(pugi::xml_node& node, const std::string& from, const std::string& to,
                         const std::string& link, std::string_view direction) {
    const pugi::xml_node crossed = node.first_child();
    const bool right = is(node, "route") && plain_attributes(node, {"src", "dst", "symmetrical"}) &&
                       text_of(node, "src") == from && text_of(node, "dst") == to &&
                       text_of(node, "symmetrical") == "NO" && is(crossed, "link_ctn") &&
                       !crossed.next_sibling() && !crossed.first_child() &&
                       plain_attributes(crossed, {"id", "direction"}) &&
                       text_of(crossed, "id") == link && text_of(crossed, "direction") == direction;
    node = node.next_sibling();
    return right;
  }

  // Each pair of groups over what is theirs; the first route says what there is.
  bool between_groups(const ZoneEnd& end) {
    const std::size_t count = groups_.size();
    if (end.routes.size() != count * (count - 1)) {
      return false;
    }
    if (count == 1) {
      return end.links.empty();
    }
    const ZoneRoute* const first = route_between(end, groups_[0], groups_[1]);
    if (first == nullptr || first->links.empty() || first->links.size() > 3) {
      return false;
    }
    shape_.outs = first->links.size() > 1;
    shape_.pairs = first->links.size() != 2;
    if (shape_.outs) {
      for (std::size_t group = 0; group < count; ++group) {
        const ZoneRoute* const out =
            route_between(end, groups_[group], groups_[group == 0 ? 1 : 0]);
        if (out == nullptr || out->links.empty()) {
          return false;
        }
        shape_.out_cables.push_back(out->links.front().link);
      }
    }
    std::set<std::string> taken(shape_.out_cables.begin(), shape_.out_cables.end());
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        if (!pair_of_groups(end, a, b, taken)) {
          return false;
        }
      }
    }
    const std::size_t links = shape_.out_cables.size() + shape_.pair_cables.size();
    return end.links.size() == links && taken.size() == links && figures_between(end);
  }

  bool pair_of_groups(const ZoneEnd& end, std::size_t a, std::size_t b,
                      std::set<std::string>& taken) {
    const ZoneRoute* const there = route_between(end, groups_[a], groups_[b]);
    const ZoneRoute* const back = route_between(end, groups_[b], groups_[a]);
    if (there == nullptr || back == nullptr ||
        there->links.size() != (shape_.outs ? 2U : 0U) + (shape_.pairs ? 1U : 0U)) {
      return false;
    }
    std::string own;
    if (shape_.pairs) {
      own = there->links[shape_.outs ? 1 : 0].link;
      shape_.pair_cables.push_back(own);
      if (!taken.insert(own).second) {
        return false;
      }
    }
    const auto wanted = [&](std::size_t from, std::size_t to, bool up) {
      std::vector<Crossing> links;
      if (shape_.outs) {
        links.push_back({shape_.out_cables[from], true});
      }
      if (shape_.pairs) {
        links.push_back({own, up});
      }
      if (shape_.outs) {
        links.push_back({shape_.out_cables[to], false});
      }
      return links;
    };
    return there->links == wanted(a, b, true) && back->links == wanted(b, a, false);
  }

  bool figures_between(const ZoneEnd& end) {
    const auto alike = [&](const std::vector<std::string>& names, ClusterLinkKind kind) {
      for (const std::string& name : names) {
        const auto at = end.links.find(name);
        if (at == end.links.end() || !of_kind(kind, at->second)) {
          return false;
        }
      }
      return true;
    };
    return alike(shape_.pair_cables, ClusterLinkKind::group) &&
           alike(shape_.out_cables, ClusterLinkKind::chassis);
  }

  // All hosts have one, or none.
  [[nodiscard]] bool loopbacks_alike() const {
    return shape_.loopbacks.empty() || shape_.loopbacks.size() == hosts_.size();
  }
  // Each link can have its number.
  [[nodiscard]] bool fits() const {
    const std::uint64_t cables =
        hosts_.size() + shape_.trunks.size() + shape_.pair_cables.size() + shape_.out_cables.size();
    return 2 * cables + hosts_.size() + 1 <= Hop::kMaxLinks;
  }

  GroupedShape shape_;
  std::vector<std::string> hosts_;
  std::vector<Gate> groups_;
  std::string switch_;  // of the leaf that was read last
  std::optional<NetworkHost> host_;
  std::map<ClusterLinkKind, ClusterLinkFigures> figures_;
  std::set<std::string> points_;
  std::set<std::string> links_;
};

}  // namespace

std::optional<Cluster> read_grouped(const pugi::xml_node& platform) {
  return GroupedReader().read(platform);
}

}  // namespace tutti
