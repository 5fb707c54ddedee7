#include "platforms/grouped_file.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/grouped_parts.hpp"
#include "platforms/xml_numbers.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Reads a whole platform. Each step returns false if the file does not match the format.
class GroupedReader : private GroupedLeaves {
 public:
  std::optional<Cluster> read(const pugi::xml_node& platform) {
    const pugi::xml_node world = platform.first_child();
    if (!is_tag(platform, "platform") || !plain_attributes(platform, {"version"}) ||
        text_of(platform, "version") != "4.1" || !zone(world, "Full") || world.next_sibling()) {
      return std::nullopt;
    }
    pugi::xml_node child = world.first_child();
    for (; is_tag(child, "zone"); child = child.next_sibling()) {
      if (!group(child)) {
        return std::nullopt;
      }
    }
    GroupedZoneEnd end;
    if (shape_.leaf_of_host.empty() || !zone_end(child, end) || !between_groups(end) ||
        !loopbacks_alike() || !fits() || !names_differ()) {
      return std::nullopt;
    }
    // The parts are created before the cluster. If they were temporaries in the braces of its
    // initialisation, g++ 12 would destroy them twice when an allocation fails.
    ClusterNames names;
    names.of_hosts = std::move(hosts_);
    ClusterRoutes routes = GroupedRoutes(std::move(shape_));
    Cluster cluster{
        .names = std::move(names), .routes = std::move(routes), .figures = {}, .host = *host_};
    for (const auto& [kind, figures] : figures_) {
      cluster.figures[static_cast<std::size_t>(kind)] = figures;
    }
    return cluster;
  }

 private:
  bool group(const pugi::xml_node& node) {
    pugi::xml_node child = node.first_child();
    if (!zone(node, "Floyd") || !zone(child, "Full") || !router(child.first_child()) ||
        child.first_child().next_sibling()) {
      return false;
    }
    const GroupedGate core{text_of(child, "id"), text_of(child.first_child(), "id")};
    std::vector<GroupedGate> leaves;
    for (child = child.next_sibling(); is_tag(child, "cluster") || is_tag(child, "zone");
         child = child.next_sibling()) {
      const auto number = static_cast<std::uint32_t>(shape_.group_of_leaf.size());
      if (!leaf(child, number)) {
        return false;
      }
      shape_.group_of_leaf.push_back(static_cast<std::uint32_t>(groups_.size()));
      leaves.push_back({text_of(child, "id"), switch_});
    }
    groups_.push_back({text_of(node, "id"), core.router});
    GroupedZoneEnd end;
    return !leaves.empty() && zone_end(child, end) && trunks(leaves, core, end);
  }

  static const GroupedRoute* route_between(const GroupedZoneEnd& end, const GroupedGate& from,
                                           const GroupedGate& to) {
    const auto at = end.routes.find({from.zone, to.zone});
    const bool found = at != end.routes.end() && at->second.from_gate == from.router &&
                       at->second.to_gate == to.router;
    return found ? &at->second : nullptr;
  }

  // Reads the links between leaves and core. Each leaf must have one link, which is used in both
  // directions.
  bool trunks(const std::vector<GroupedGate>& leaves, const GroupedGate& core,
              const GroupedZoneEnd& end) {
    if (end.links.size() != leaves.size() || end.routes.size() != 2 * leaves.size()) {
      return false;
    }
    std::set<std::string> taken;
    for (const GroupedGate& leaf : leaves) {
      const GroupedRoute* const up = route_between(end, leaf, core);
      const GroupedRoute* const down = route_between(end, core, leaf);
      if (up == nullptr || down == nullptr || up->links.size() != 1) {
        return false;
      }
      const std::string& name = up->links[0].link;
      const auto figures = end.links.find(name);
      if (figures == end.links.end() || up->links != std::vector{GroupedCrossing{name, true}} ||
          down->links != std::vector{GroupedCrossing{name, false}} || !taken.insert(name).second ||
          !of_kind(ClusterLinkKind::router, figures->second)) {
        return false;
      }
      shape_.trunks.push_back(name);
    }
    return true;
  }

  // Reads the links between groups. Each pair of groups must use its own links. The first route
  // determines which kinds of links exist.
  bool between_groups(const GroupedZoneEnd& end) {
    const std::size_t count = groups_.size();
    if (end.routes.size() != count * (count - 1)) {
      return false;
    }
    if (count == 1) {
      return end.links.empty();
    }
    const GroupedRoute* const first = route_between(end, groups_[0], groups_[1]);
    if (first == nullptr || first->links.empty() || first->links.size() > 3) {
      return false;
    }
    shape_.outs = first->links.size() > 1;
    shape_.pairs = first->links.size() != 2;
    if (shape_.outs) {
      for (std::size_t group = 0; group < count; ++group) {
        const GroupedRoute* const out =
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

  bool pair_of_groups(const GroupedZoneEnd& end, std::size_t a, std::size_t b,
                      std::set<std::string>& taken) {
    const GroupedRoute* const there = route_between(end, groups_[a], groups_[b]);
    const GroupedRoute* const back = route_between(end, groups_[b], groups_[a]);
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
      std::vector<GroupedCrossing> links;
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

  bool figures_between(const GroupedZoneEnd& end) {
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

  // True if either all hosts or no hosts have a loopback.
  [[nodiscard]] bool loopbacks_alike() const {
    return shape_.loopbacks.empty() || shape_.loopbacks.size() == hosts_.size();
  }
  // True if all links fit into the range of link numbers.
  [[nodiscard]] bool fits() const {
    const std::uint64_t cables =
        hosts_.size() + shape_.trunks.size() + shape_.pair_cables.size() + shape_.out_cables.size();
    return 2 * cables + hosts_.size() + 1 <= Hop::kMaxLinks;
  }

  std::vector<GroupedGate> groups_;
};

}  // namespace

std::optional<Cluster> read_grouped(const pugi::xml_node& platform) {
  return GroupedReader().read(platform);
}

}}  // namespace tutti::platforms
