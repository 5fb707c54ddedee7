#include "src/experiments/decisions/fastest_prices.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "platforms/cluster_platform.hpp"
#include "platforms/rank_places.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the shortest latency and the largest bandwidth of all routes that lead from a host to the
// same host. Empty if each host has one rank, if these routes are unknown, or if options change
// them.
std::optional<PlatformView::Route> fastest_own_route(const Machine& machine) {
  if (machine.mapping.ranks_per_host == 1 || machine.spec.prices.any() ||
      machine.spec.changes.any()) {
    return std::nullopt;
  }
  const auto cluster = known_cluster(machine);
  if (cluster == nullptr) {
    return std::nullopt;
  }
  PlatformView::Route fastest{std::numeric_limits<double>::infinity(), 0};
  for (const std::uint32_t host : hosts_in_use(machine.mapping)) {
    const PlatformView::Route own = cluster->route(host, host);
    fastest.latency_s = std::min(fastest.latency_s, own.latency_s);
    fastest.bandwidth_bytes_per_s =
        std::max(fastest.bandwidth_bytes_per_s, own.bandwidth_bytes_per_s);
  }
  return fastest;
}

}  // namespace

Prices fastest_prices(const MachineFacts& facts, const Machine& machine) {
  Prices prices = facts.prices;
  if (machine.files.messages) {
    // With a message model, the sender of a small message continues with its next operation after
    // the send overhead, however slow the network is.
    const MessageModel model = message_model(machine);
    prices.alpha_s = std::min(model.send_overhead_s, model.node_overhead_s);
    prices.beta_s_per_byte = 0;
    prices.gamma_s_per_byte = model.reduce_s_per_byte;
    return prices;
  }
  const PlatformFacts& platform = facts.facts;
  if (!machine.spec.prices.alpha_s) {
    prices.alpha_s = std::min(prices.alpha_s, platform.fastest_latency_s);
  }
  if (!machine.spec.prices.beta_s_per_byte && platform.widest_bandwidth_bytes_per_s > 0) {
    prices.beta_s_per_byte =
        std::min(prices.beta_s_per_byte, 1 / platform.widest_bandwidth_bytes_per_s);
  }
  if (const auto own = fastest_own_route(machine)) {
    prices.alpha_s = std::min(prices.alpha_s, own->latency_s);
    prices.beta_s_per_byte = std::min(prices.beta_s_per_byte, 1 / own->bandwidth_bytes_per_s);
  }
  if (!machine.spec.prices.gamma_s_per_byte && platform.fastest_speed_flops_per_s > 0) {
    prices.gamma_s_per_byte *= facts.facts.speed_flops_per_s / platform.fastest_speed_flops_per_s;
  }
  return prices;
}

bool formulas_hold(const Machine& machine) {
  return machine.setup.ports == 1 && !machine.spec.eager_bytes &&
         (machine.mapping.ranks_per_host == 1 || fastest_own_route(machine)) &&
         machine.spec.network_model == "hockney";
}

}}  // namespace tutti::experiments
