#include "src/simulation/machine_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/cluster_platform.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/groups_of_hosts.hpp"
#include "src/simulation/message_changes.hpp"
#include "src/simulation/message_setup.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Returns the problem without the algorithm's options, which do not change its bound.
Problem without_options(const Problem& problem) {
  Problem bare;
  bare.collective = problem.collective;
  bare.ranks = problem.ranks;
  bare.bytes = problem.bytes;
  bare.element_bytes = problem.element_bytes;
  bare.root = problem.root;
  bare.block_bytes = problem.block_bytes;
  return bare;
}

// Returns the number of routes, or more: from one host of each leaf switch to all hosts. On
// clusters of GPUs, some routes of each host suffice, whose number grows with the GPUs of a node,
// if nodes are alike and ranks are in blocks.
std::uint64_t route_limit(const Machine& machine) {
  const Mapping& mapping = machine.mapping;
  const std::uint64_t hosts =
      mapping.ranks / std::max(mapping.ranks_per_host, std::uint32_t{1}) + 1;
  if (machine.built_in()) {
    return hosts;
  }
  std::vector<std::uint32_t> leaves;
  if (const auto& cluster = machine.files.cluster) {
    if (cluster->hosts_per_node() > 1) {
      const bool in_blocks = machine.spec.placement == Placement::block &&
                             !machine.spec.placement_seed && !machine.spec.hosts;
      const bool alike = in_blocks && cluster->nodes_alike();
      return (hosts - 1) * (alike ? cluster->hosts_per_node() : hosts);
    }
    leaves = cluster->leaf_of_hosts();
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  }
  return hosts * (leaves.empty() ? hosts : std::min<std::uint64_t>(hosts, leaves.size()));
}

// Returns the network of a message model, and puts the model's limits of ranks into `placed`.
// Messages that ask first share a number of ports, but eager ones need none, so there are no ports.
std::shared_ptr<Network> limited_by_messages(const Machine& machine,
                                             std::shared_ptr<Network> platform,
                                             BoundMachine& placed) {
  const MessageModel model = message_model(machine);
  auto network = message_network(machine, std::move(platform), placed.host_of_rank);
  const MessageEnds between = network->ends_of_empty(false);
  const MessageEnds within = network->ends_of_empty(true);
  placed.ranks = {.ports = 0,
                  .bytes_per_s = model.rank_bytes_per_s,
                  .own_bytes_per_s = model.node_rank_bytes_per_s,
                  .send_s = between.send_s,
                  .receive_s = between.receive_s,
                  .own_send_s = within.send_s,
                  .own_receive_s = within.receive_s,
                  .host_gap_s = between.gap_s};
  placed.flops_per_byte_for = [&machine, hosts = placed.host_of_rank](std::uint64_t bytes) {
    return flops_per_byte(machine, bytes, hosts);
  };
  return network;
}

}  // namespace

namespace {

// Same as why_no_bound(), for runs whose ranks start together.
std::optional<std::string> why_no_bound_from_start(const Machine& machine) {
  const MachineSpec& spec = machine.spec;
  if (machine.setup.curves) {
    return fmt::format(
        "$parameters '{}': bounds need one latency and one bandwidth for messages of all sizes, or "
        "a message model (tutti-messages/1); give the platform's own costs, or $alpha, $beta and "
        "$gamma",
        spec.parameters);
  }
  if (spec.disturbance.any()) {
    return "bounds are for ranks that start together and messages that take their usual time; "
           "leave "
           "out $late_ranks and $jitter";
  }
  if (machine.files.has_reducing_switches()) {
    return fmt::format(
        "the switches of {} reduce and multicast, but bounds are known only for schedules on ranks "
        "alone; use the same platform without $in_network",
        platform_name(machine));
  }
  if (spec.network_model != "hockney") {
    return fmt::format("$network_model '{}': bounds are known only for hockney",
                       spec.network_model);
  }
  if (machine.files.unmodelled) {
    return fmt::format("{}: bounds do not model {}; remove it", spec.source.file,
                       *machine.files.unmodelled);
  }
  return std::nullopt;
}

MachineBounds bounds_from_start(const Machine& machine) {
  FlowNetwork flow = flow_network(machine.mapping.ranks, machine);
  flow.setup.host_of_rank.resize(machine.mapping.ranks);
  BoundMachine placed;
  placed.host_of_rank = flow.setup.host_of_rank;
  placed.ranks.ports = machine.setup.ports;
  placed.flops_per_byte = flow.setup.flops_per_byte;
  placed.free_transfers = flow.setup.free_transfers;
  if (!machine.built_in()) {
    if (const auto& cluster = machine.files.cluster) {
      placed.groups_of_hosts = groups_of_hosts(*cluster);
    }
    if (placed.groups_of_hosts.empty()) {
      placed.groups_of_hosts = groups_by_routes(*flow.network, flow.setup.host_of_rank);
    }
  }
  if (machine.files.messages) {
    flow.network = limited_by_messages(machine, std::move(flow.network), placed);
  }
  NetworkBounds bounds(*flow.network, std::move(placed));
  return {std::move(flow.network), std::move(flow.setup), std::move(bounds)};
}

}  // namespace

std::optional<std::string> why_no_bound(const Machine& machine) {
  if (machine.spec.after_barrier) {
    return "with $after_barrier ranks start at different times, and the time of a rank's own call "
           "counts; bounds are for ranks that start together, so leave it out";
  }
  return why_no_bound_from_start(machine);
}

MachineBounds bounds_of(const Machine& machine) {
  if (const auto why = why_no_bound(machine)) {
    throw UserError(*why);
  }
  return bounds_from_start(machine);
}

Limits::Limits(const Machine& machine, std::uint64_t most_routes)
    : machine_(machine),
      known_(machine.engine->has_network && !why_no_bound_from_start(machine) &&
             route_limit(machine) <= most_routes) {}

std::optional<double> Limits::of(const Problem& problem) {
  if (!known_) {
    return std::nullopt;
  }
  Problem bare = without_options(problem);
  for (auto found = found_s_.rbegin(); found != found_s_.rend(); ++found) {
    if (found->first == bare) {
      return found->second;
    }
  }
  if (!bounds_) {
    try {
      bounds_.emplace(bounds_from_start(machine_));
    } catch (const UserError&) {
      // Some pairs of hosts, which no schedule may need, have no route.
      known_ = false;
      return std::nullopt;
    }
    latest_start_s_ = machine_.spec.after_barrier ? latest_start_s(machine_) : 0;
  }
  // Bounds assume that all ranks start together. A rank that leaves the barrier late does not end
  // earlier, but its call is shorter by the delay; so the longest delay is subtracted.
  const double seconds = bounds_->bounds.of(bare, BoundSearch::quick).seconds() - latest_start_s_;
  if (seconds < 0) {
    return std::nullopt;
  }
  found_s_.emplace_back(std::move(bare), seconds);
  return seconds;
}

void Limits::put_in(RunResult& result) {
  if (!result.why_unproved().empty()) {
    result.bound_s.reset();
  } else if (!result.bound_s) {
    result.bound_s = of(result.problem);
  }
}

}}  // namespace tutti::simulation
