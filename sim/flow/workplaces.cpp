#include "sim/flow/workplaces.hpp"

#include <optional>

namespace tutti { inline namespace sim {

Workplaces::Workplaces(const Schedule& schedule, const Network& network, const FlowSetup& setup)
    : network_(network), setup_(setup), ranks_(schedule.ranks()) {
  std::vector<std::uint32_t> ranks_of_host(network.hosts(), 0);
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    ++ranks_of_host[setup.host_of_rank[rank]];
  }
  std::optional<NetworkHost> first;
  cores_shared_.assign(network.hosts(), 0);
  bool any_shared = false;
  for (std::uint32_t index = 0; index < network.hosts(); ++index) {
    if (ranks_of_host[index] == 0) {
      continue;
    }
    const NetworkHost host = network.host(index);
    alike_ = alike_ && host.speed_flops_per_s == first.value_or(host).speed_flops_per_s;
    first = first.value_or(host);
    cores_shared_[index] = ranks_of_host[index] > host.cores ? 1 : 0;
    any_shared |= cores_shared_[index] != 0;
  }
  speed_flops_per_s_ = first ? first->speed_flops_per_s : 0;
  if (!any_shared) {
    cores_shared_.clear();
    return;
  }
  core_figures_.resize(network.hosts());
  for (std::uint32_t index = 0; index < network.hosts(); ++index) {
    const NetworkHost host = network.host(index);
    core_figures_[index].cap_bytes_per_s = host.speed_flops_per_s;
    core_figures_[index].alone_bytes_per_s = host.speed_flops_per_s;
    core_links_.push_back({host.speed_flops_per_s * host.cores, false});
  }
}

}}  // namespace tutti::sim
