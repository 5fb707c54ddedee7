// Routes of a platform whose leaf switches are in groups: cells of a dragonfly+, groups of
// Slingshot, islands of fat trees. All cables between two switches are modelled as one link with
// their total bandwidth, because adaptive routing aims at an ideal load balance.
//
// The core of a group connects its leaves. Routes to other groups cross one link per pair of
// groups, or one link for all traffic that leaves a group, or both. For files in the format of
// grouped_file.hpp, the routes equal those of SimGrid 3.32; tests check this.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_cables.hpp"
#include "platforms/images.hpp"
#include "platforms/link_place.hpp"
#include "platforms/platform_shape.hpp"

namespace tutti { inline namespace platforms {

// Leaves and groups are numbered in the order of the file. Hosts of a leaf have consecutive
// numbers, and so have the leaves of a group.
struct GroupedShape {
  std::vector<std::uint32_t> leaf_of_host;
  std::vector<std::uint32_t> group_of_leaf;
  bool pairs = false;  // true if there is a cable per pair of groups
  // True if there is a cable per group, for all traffic that leaves or enters the group.
  bool outs = false;
  // The following members are SimGrid's names of the links, without _UP and _DOWN.
  std::vector<std::string> host_cables;
  std::vector<std::string> loopbacks;  // by host; empty if hosts have no loopbacks
  std::vector<std::string> trunks;     // by leaf
  std::vector<std::string> pair_cables;
  std::vector<std::string> out_cables;
};

// Cables are numbered in this order: cables of hosts, trunks (cables from a leaf to a core), cables
// between pairs of groups, cables out of groups.
class GroupedRoutes {
 public:
  explicit GroupedRoutes(GroupedShape shape);

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_loopback() + (cables_.loopback ? cables_.hosts : 0);
  }
  [[nodiscard]] static std::uint32_t longest() { return 7; }
  // Returns the number of hosts per leaf; 0 if leaves have different numbers of hosts.
  [[nodiscard]] std::uint32_t hosts_per_switch() const { return hosts_per_leaf_; }
  [[nodiscard]] std::uint32_t alike_sources(std::uint32_t host) const {
    return shape_.leaf_of_host[host];
  }
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

  // Calls add(link) for the links of a route in the order in which SimGrid sums their latencies:
  // links between two zones before those within the zones. The order affects the last digit of the
  // sum.
  template <typename Add>
  void latencies(std::uint32_t from, std::uint32_t to, Add&& add) const {
    std::array<std::uint32_t, 7> links{};
    std::size_t count = 0;
    route(from, to, [&](std::uint32_t link) { links[count++] = link; });
    // Number of links at each end of a route: host cable and trunk.
    constexpr std::size_t kEnds = 2;
    if (count <= kEnds) {
      std::for_each_n(links.begin(), count, add);
      return;
    }
    for (std::size_t i = kEnds; i + kEnds < count; ++i) {
      add(links[i]);
    }
    if (count == 2 * kEnds) {  // same group: both trunks join zones of that group
      for (const std::size_t i : {1U, 2U, 0U, 3U}) {
        add(links[i]);
      }
      return;
    }
    for (const std::size_t i : {std::size_t{1}, std::size_t{0}, count - 2, count - 1}) {
      add(links[i]);
    }
  }

  // Returns `router` for trunks, `group` for links between pairs of groups, and `chassis` for links
  // out of a group.
  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames& names) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  // As Network::is_between_switches(), but without a description in words.
  [[nodiscard]] bool is_between_switches(std::uint32_t link) const {
    return kind(link) != ClusterLinkKind::cable && kind(link) != ClusterLinkKind::loopback;
  }
  [[nodiscard]] PlatformShape shape() const { return {"generic", {}, hosts_per_group_}; }
  // See cluster_routes.hpp.
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const;
  // Returns the links that begin or end at the host, without duplicates.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

  [[nodiscard]] const std::vector<std::uint32_t>& leaf_of_host() const {
    return shape_.leaf_of_host;
  }
  [[nodiscard]] std::uint32_t group_of_host(std::uint32_t host) const {
    return shape_.group_of_leaf[shape_.leaf_of_host[host]];
  }

 private:
  // Returns the number of a pair of groups. `first` must be less than `second`.
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

}}  // namespace tutti::platforms
