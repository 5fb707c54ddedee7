// The routes, links and hosts of a platform that SimGrid loaded, for engines other than SimGrid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platforms/network.hpp"
#include "platforms/route_pricing.hpp"
#include "platforms/simgrid/link_use.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"

namespace tutti { inline namespace platforms {

class SimGridNetwork final : public Network {
 public:
  // Contains only the hosts in use, in the order of their first ranks. `platform` and `hosts` must
  // outlive the network. Throws UserError for a network model that has no RoutePricing.
  SimGridNetwork(const SimGridPlatform& platform, const RankHosts& hosts,
                 const std::string& network_model);

  [[nodiscard]] const std::vector<std::uint32_t>& host_of_rank() const { return host_of_rank_; }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override;
  [[nodiscard]] std::uint32_t hosts() const override {
    return static_cast<std::uint32_t>(hosts_.size());
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;
  // Same as route(), for a caller that asks for each route once: does not keep the route.
  [[nodiscard]] NetworkRoute route_once(std::uint32_t src_host, std::uint32_t dst_host);

 private:
  // Throws UserError if there is no route, or if a link has a kind that is not modelled.
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) override;
  [[nodiscard]] std::uint32_t find(std::uint32_t src_host, std::uint32_t dst_host);
  // Returns a route whose hops are at the end of hops_.
  [[nodiscard]] CachedRoute append_route(std::uint32_t src_host, std::uint32_t dst_host);
  [[nodiscard]] std::uint32_t index_of(const simgrid::s4u::Link* link);
  void append_hops(const std::vector<simgrid::s4u::Link*>& links,
                   const std::vector<simgrid::s4u::Link*>& back);

  const SimGridPlatform& platform_;
  RoutePricing pricing_;
  std::vector<const simgrid::s4u::Host*> hosts_;
  std::vector<double> speed_factors_;  // by host in use; empty: all factors are 1
  std::vector<std::uint32_t> host_of_rank_;
  std::vector<std::uint32_t> hosts_in_use_;  // host numbers, ascending

  // Index in routes_ for each pair of hosts, used if there are too many hosts for table_.
  std::unordered_map<std::uint64_t, std::uint32_t> map_;
  FiguresTable figures_;
  std::vector<double> bandwidths_;  // scratch: bandwidths of the links of one route
  std::vector<Hop> hops_once_;      // scratch: the last route of route_once()

  std::unordered_map<const simgrid::s4u::Link*, std::uint32_t> link_index_;
  std::vector<const simgrid::s4u::Link*> link_of_index_;
  std::optional<LinkUse> use_;  // empty until the first call of link_place()
};

}}  // namespace tutti::platforms
