// Routes of a platform whose leaf switches are in groups: cells of a dragonfly+, groups of
// Slingshot, islands of fat trees. What is between two switches is one link, as wide as all cables
// together: ideal spreading, as adaptive routing strives for it.
//
// The core of a group joins its leaves, and leads to other groups over a link for each pair of
// groups, or a link for all that leaves a group, or both. Routes are SimGrid 3.32's for files of
// the form that grouped_file.hpp reads; tests hold the two against each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_cables.hpp"
#include "platforms/link_place.hpp"
#include "platforms/platform_shape.hpp"

namespace tutti::inline platforms {

// Leaves and groups are counted in the order of the file; hosts of a leaf, and leaves of a group,
// are neighbours.
struct GroupedShape {
  std::vector<std::uint32_t> leaf_of_host;
  std::vector<std::uint32_t> group_of_leaf;
  bool pairs = false;  // a cable for each two groups
  bool outs = false;   // a cable for each group: all that leaves or enters it
  // Names of links as SimGrid has them, but for _UP and _DOWN.
  std::vector<std::string> host_cables;
  std::vector<std::string> loopbacks;  // by host; or none
  std::vector<std::string> trunks;     // by leaf
  std::vector<std::string> pair_cables;
  std::vector<std::string> out_cables;
};

// Cables are counted so: of hosts, of leaves up, between pairs of groups, out of groups.
class GroupedRoutes {
 public:
  explicit GroupedRoutes(GroupedShape shape);

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_loopback() + (cables_.loopback ? cables_.hosts : 0);
  }
  [[nodiscard]] static std::uint32_t longest() { return 7; }
  // 0 where leaves differ in size.
  [[nodiscard]] std::uint32_t hosts_per_switch() const { return hosts_per_leaf_; }
  [[nodiscard]] static std::uint32_t classes() { return 4; }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from == to && cables_.loopback) {
      add(first_loopback() + from);
      return 3;
    }
    const std::uint32_t leaf = shape_.leaf_of_host[from];
    const std::uint32_t other_leaf = shape_.leaf_of_host[to];
    if (leaf == other_leaf) {
      add(cables_.up(from));
      add(cables_.down(to));
      return 0;
    }
    const std::uint32_t group = shape_.group_of_leaf[leaf];
    const std::uint32_t other_group = shape_.group_of_leaf[other_leaf];
    add(cables_.up(from));
    add(cables_.up(first_trunk_ + leaf));
    if (group != other_group) {
      if (shape_.outs) {
        add(cables_.up(first_out_ + group));
      }
      if (shape_.pairs) {
        add(group < other_group ? cables_.up(first_pair_ + pair(group, other_group))
                                : cables_.down(first_pair_ + pair(other_group, group)));
      }
      if (shape_.outs) {
        add(cables_.down(first_out_ + other_group));
      }
    }
    add(cables_.down(first_trunk_ + other_leaf));
    add(cables_.down(to));
    return group == other_group ? 1 : 2;
  }

  // The same links in the order in which SimGrid adds their latencies up: those between two zones
  // before those within them. The last digit hangs on it.
  template <typename Add>
  void latencies(std::uint32_t from, std::uint32_t to, Add&& add) const {
    std::array<std::uint32_t, 7> links{};
    std::size_t count = 0;
    route(from, to, [&](std::uint32_t link) { links[count++] = link; });
    constexpr std::size_t kEnds = 2;  // of each side: its cable and its trunk
    if (count <= kEnds) {
      std::for_each_n(links.begin(), count, add);
      return;
    }
    for (std::size_t i = kEnds; i + kEnds < count; ++i) {
      add(links[i]);
    }
    if (count == 2 * kEnds) {  // both trunks are between zones of one
      for (const std::size_t i : {1U, 2U, 0U, 3U}) {
        add(links[i]);
      }
      return;
    }
    for (const std::size_t i : {std::size_t{1}, std::size_t{0}, count - 2, count - 1}) {
      add(links[i]);
    }
  }

  // Trunks are of the kind of routers, links of pairs of that of groups, links out of that of
  // chassis.
  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames& names) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  [[nodiscard]] PlatformShape shape() const { return {"generic", {}, hosts_per_group_}; }
  // Those that begin or end at the host, each once.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

  [[nodiscard]] const std::vector<std::uint32_t>& leaf_of_host() const {
    return shape_.leaf_of_host;
  }
  [[nodiscard]] std::uint32_t group_of_host(std::uint32_t host) const {
    return shape_.group_of_leaf[shape_.leaf_of_host[host]];
  }

 private:
  // Numbers the pairs; `first` is below `second`.
  [[nodiscard]] std::uint32_t pair(std::uint32_t first, std::uint32_t second) const {
    return first * (2 * groups_ - first - 1) / 2 + (second - first - 1);
  }
  [[nodiscard]] std::uint32_t first_loopback() const { return all_cables_ * cables_.ways; }
  [[nodiscard]] std::string hosts_of_leaf(std::uint32_t leaf) const;
  [[nodiscard]] std::string hosts_of_group(std::uint32_t group) const;

  GroupedShape shape_;
  ClusterCables cables_;
  std::uint32_t groups_ = 0;
  std::uint32_t hosts_per_leaf_ = 0;
  std::uint32_t hosts_per_group_ = 0;
  std::uint32_t first_trunk_ = 0;
  std::uint32_t first_pair_ = 0;
  std::uint32_t first_out_ = 0;
  std::uint32_t all_cables_ = 0;
};

}  // namespace tutti::inline platforms
