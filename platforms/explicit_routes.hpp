// The routes of a platform whose file lists the links of every route. Needs memory for each pair of
// hosts, unlike the routes of clusters, which are computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/rows.hpp"
#include "platforms/cluster_cables.hpp"
#include "platforms/link_place.hpp"
#include "platforms/platform_shape.hpp"

namespace tutti { inline namespace platforms {

// The contents of a file. Hosts and links are numbered in the order of the file. A split-duplex
// link is two links: first its direction up, then its direction down.
struct RouteLists {
  std::uint32_t hosts = 0;
  std::vector<std::string> link_names;
  // True if the last link is not in the file: the loopback that SimGrid adds.
  bool added_loopback = false;
  // Links of each route in the order in which the route crosses them, by source, then destination.
  // No list is empty.
  std::vector<std::vector<std::uint32_t>> links;
};

class ExplicitRoutes {
 public:
  explicit ExplicitRoutes(RouteLists lists);

  // The hosts count; the other members have no meaning here. A route may cross a link several
  // times, hence `ways` is 1.
  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::uint32_t links_in_file() const { return links() - (added_loopback_ ? 1 : 0); }
  [[nodiscard]] std::uint32_t longest() const { return longest_; }
  [[nodiscard]] static std::uint32_t hosts_per_switch() { return 0; }  // switches are not known
  [[nodiscard]] static std::uint32_t alike_sources(std::uint32_t host) { return host; }
  [[nodiscard]] static std::uint32_t classes() { return 1; }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    const std::size_t pair = std::size_t{from} * cables_.hosts + to;
    for (std::uint32_t i = first_of_pair_[pair]; i < first_of_pair_[pair + 1]; ++i) {
      add(crossed_[i]);
    }
    return 0;
  }

  // All links are of one kind. Their figures are in Cluster::figures_of_link.
  [[nodiscard]] static ClusterLinkKind kind(std::uint32_t) { return ClusterLinkKind::cable; }
  [[nodiscard]] const std::string& link_name(std::uint32_t link, const ClusterNames&) const {
    return names_[link];
  }
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  [[nodiscard]] static PlatformShape shape() { return {}; }
  // Returns the links of which every use is by a route that begins or ends at the host.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

 private:
  // Calls look(from, to) for each crossing of the link.
  template <typename Look>
  void for_uses(std::uint32_t link, Look&& look) const {
    for (const std::uint32_t pair : pairs_[link]) {
      look(pair / cables_.hosts, pair % cables_.hosts);
    }
  }

  ClusterCables cables_;
  std::vector<std::string> names_;
  bool added_loopback_;
  std::uint32_t longest_ = 0;
  // The links of pair p of hosts are crossed_[first_of_pair_[p]] to crossed_[first_of_pair_[p +
  // 1]].
  std::vector<std::uint32_t> first_of_pair_;
  std::vector<std::uint32_t> crossed_;
  // The inverse: the pairs of hosts whose routes cross a link.
  Rows<std::uint32_t> pairs_;
};

}}  // namespace tutti::platforms
