// A platform whose routes are known here, without SimGrid: one <cluster> of any of SimGrid's
// topologies, groups of leaf switches (grouped_routes.hpp), nodes of GPUs (gpu_routes.hpp), or
// hosts whose routes the file lists (explicit_routes.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_routes.hpp"
#include "platforms/network.hpp"
#include "platforms/platform_changes.hpp"
#include "platforms/rank_places.hpp"
#include "platforms/route_pricing.hpp"

namespace tutti { inline namespace platforms {

struct ClusterLinkFigures {
  double bandwidth_bytes_per_s = 0;
  double latency_s = 0;
  bool fatpipe = false;

  friend bool operator==(const ClusterLinkFigures&, const ClusterLinkFigures&) = default;
};

// Switches that reduce the data sent to them, and multicast.
struct InNetwork {
  double reduce_bytes_per_s = std::numeric_limits<double>::infinity();  // rate of each switch
};

// The contents of a file.
struct Cluster {
  ClusterNames names;
  ClusterRoutes routes;
  std::array<ClusterLinkFigures, kClusterLinkKinds> figures;  // by ClusterLinkKind
  NetworkHost host;                                           // speed and cores of every host
  std::optional<InNetwork> in_network = {};  // empty if the file declares no such switches
  // Used instead of `figures` and `host` if links of one kind, or hosts, may differ; otherwise
  // empty.
  std::vector<ClusterLinkFigures> figures_of_link = {};
  std::vector<NetworkHost> host_of_each = {};

  [[nodiscard]] const NetworkHost& host_at(std::uint32_t index) const {
    return host_of_each.empty() ? host : host_of_each[index];
  }
};

// Copies share the cluster and are cheap, unless links were changed. Each copy has its own link
// figures.
class ClusterPlatform final : public PlatformView {
 public:
  ClusterPlatform(std::shared_ptr<const Cluster> cluster, std::string path,
                  std::vector<std::string> notes = {});

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view path() const override { return path_; }
  [[nodiscard]] std::span<const std::string> notes() const override { return notes_; }
  [[nodiscard]] std::uint32_t host_count() const override;
  [[nodiscard]] double speed_flops_per_s(std::uint32_t host) const override {
    return cluster_->host_at(host).speed_flops_per_s * speed_factor(host);
  }
  [[nodiscard]] std::uint32_t cores(std::uint32_t host) const override {
    return cluster_->host_at(host).cores;
  }
  [[nodiscard]] Route route(std::uint32_t from, std::uint32_t to) const override;
  [[nodiscard]] LoopbackRoute own_route(std::uint32_t host) const override;
  void scale_links(double slower, double narrower) override;
  void change(const PlatformChanges& changes, std::span<const std::uint32_t> hosts) override;

  // Returns the numbers of the links on the route between two hosts, in the order in which the
  // route crosses them.
  [[nodiscard]] std::vector<std::uint32_t> links_between(std::uint32_t from,
                                                         std::uint32_t to) const;
  [[nodiscard]] std::uint32_t link_count() const;
  // Returns links that no route between the first `hosts` hosts crosses. There may be more.
  [[nodiscard]] LinkRange unused_links(std::uint32_t hosts) const;
  // Returns the number of links that the user's changes may apply to; they come first. The loopback
  // that SimGrid adds cannot be changed, because it is not in the file.
  [[nodiscard]] std::uint32_t changeable_links() const;
  [[nodiscard]] const ClusterLinkFigures& link_figures(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  // Returns the name that the link has if SimGrid loads the same platform. It differs from
  // link_name() only in crossbars.
  [[nodiscard]] std::string link_name_in_simgrid(std::uint32_t link) const;
  [[nodiscard]] std::string host_name(std::uint32_t host) const override;
  [[nodiscard]] NetworkHost host(std::uint32_t index) const {
    return {speed_flops_per_s(index), cores(index)};
  }
  // Returns the effect of the user's changes on each link and each host.
  // Factors of `unused` links, which no route crosses, may be 1.
  [[nodiscard]] ChangeFactors factors_of(const PlatformChanges& changes,
                                         LinkRange unused = {}) const;
  // True if any two links of the same kind have the same figures.
  [[nodiscard]] bool kinds_alike() const { return figures_of_link_.empty(); }
  [[nodiscard]] PlatformShape shape() const;
  // Returns the number of hosts at each switch; 0 if there are no switches, or if the switches have
  // different numbers of hosts.
  [[nodiscard]] std::uint32_t hosts_per_switch() const;
  // Returns the number of hosts of a node: that of its GPUs if hosts are GPUs, otherwise 1.
  [[nodiscard]] std::uint32_t hosts_per_node() const;
  // Returns how data change rails, for clusters of GPUs with rails; otherwise "".
  [[nodiscard]] std::string rails_in_words() const;
  // True for clusters of GPUs in which any two units could be exchanged with all their links.
  [[nodiscard]] bool nodes_alike() const;
  // Returns, by host, the number of its pod: a part of a cluster of GPUs that has several groups.
  // Returns nothing if the platform has no pods.
  [[nodiscard]] std::vector<std::uint32_t> pod_of_hosts() const;
  // leaf_of_hosts() returns, by host, the number of the switch to which the host is attached;
  // nothing if the platform has no switches. group_of_hosts() returns, by host, the number of the
  // host's group; nothing if the platform has no groups.
  [[nodiscard]] std::vector<std::uint32_t> leaf_of_hosts() const;
  [[nodiscard]] std::vector<std::uint32_t> group_of_hosts() const;

  [[nodiscard]] const std::optional<InNetwork>& in_network() const { return cluster_->in_network; }
  // The following four functions are only for stars, fat trees and GPUs, whose switches are
  // vertices of the network, as hosts are. They return the switch of a host, the lowest switch
  // above two vertices, the switch one level above `of` (nothing at the top), and the name of a
  // switch in words.
  [[nodiscard]] std::uint32_t switch_of_host(std::uint32_t host) const;
  [[nodiscard]] std::uint32_t switch_above(std::uint32_t one, std::uint32_t other) const;
  [[nodiscard]] std::optional<std::uint32_t> next_above(std::uint32_t of) const;
  [[nodiscard]] std::string switch_name(std::uint32_t of) const;

  // Returns the network between the first `hosts` hosts. The network may outlive the platform.
  // Throws UserError for a network model that has no RoutePricing.
  [[nodiscard]] std::unique_ptr<Network> network(std::uint32_t hosts,
                                                 const std::string& network_model) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> in_runs_of(std::uint32_t each) const;
  [[nodiscard]] double speed_factor(std::uint32_t host) const {
    return speed_factors_ == nullptr ? 1 : (*speed_factors_)[host];
  }

  std::shared_ptr<const Cluster> cluster_;
  // Figures by ClusterLinkKind, as changed by scale_links() and change().
  std::array<ClusterLinkFigures, kClusterLinkKinds> figures_;
  // Figures of each link, with the user's changes, if links of the same kind may differ; otherwise
  // empty.
  std::vector<ClusterLinkFigures> figures_of_link_;
  // Factor on each host's speed; null: all factors are 1.
  std::shared_ptr<const std::vector<double>> speed_factors_;
  std::string name_;
  std::string path_;
  std::vector<std::string> notes_;
};

// Returns a crossbar as a cluster, so that the user's changes can be applied to it.
[[nodiscard]] ClusterPlatform crossbar_cluster(const Crossbar& crossbar);

}}  // namespace tutti::platforms
