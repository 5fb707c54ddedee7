// The hosts where ranks compute, and the speeds of these hosts. Each rank has its own cores. On a
// host with more ranks than cores, however, the ranks share the cores as messages share a link.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti { inline namespace sim {

class Workplaces {
 public:
  Workplaces(const Schedule& schedule, const Network& network, const FlowSetup& setup);

  // Returns the speed of a rank's host. A switch does one operation per second, so the work of
  // switches is given in seconds.
  [[nodiscard]] double speed_flops_per_s(Rank rank) const {
    if (rank >= ranks_) [[unlikely]] {
      return 1;
    }
    return alike_ ? speed_flops_per_s_ : network_.host(setup_.host_of_rank[rank]).speed_flops_per_s;
  }
  [[nodiscard]] bool shares_cores(Rank rank) const {
    return !cores_shared_.empty() && rank < ranks_ && cores_shared_[setup_.host_of_rank[rank]] != 0;
  }

  // The cores of each host as a link. A calculation gets at most one core. Empty if no host has
  // more ranks than cores.
  [[nodiscard]] const std::vector<NetworkLink>& core_links() const { return core_links_; }
  [[nodiscard]] const RouteFigures& core_figures(std::uint32_t host) const {
    return core_figures_[host];
  }

 private:
  const Network& network_;
  const FlowSetup& setup_;
  Rank ranks_;
  bool alike_ = true;
  double speed_flops_per_s_ = 0;  // speed of all hosts, if they are equal
  // By host: 1 if the host has more ranks than cores. Empty if there is no such host.
  std::vector<std::uint8_t> cores_shared_;
  std::vector<NetworkLink> core_links_;
  std::vector<RouteFigures> core_figures_;
};

}}  // namespace tutti::sim
