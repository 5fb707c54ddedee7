#include "src/steps/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/gpu_file.hpp"
#include "schedules/schedule_union.hpp"
#include "src/experiments/decisions/nccl_simulation.hpp"
#include "src/simulation/flow_run.hpp"

namespace tutti { inline namespace steps {

namespace {

std::uint32_t node_of(const StepMachine& machine, Rank rank) {
  const std::uint32_t host = machine.host_of_rank[rank];
  return machine.gpus ? host / machine.ranks_per_node : host;
}

}  // namespace

std::optional<NcclOptions> gpus_for_steps(const NcclOptions& gpus, const MachineOptions& machine,
                                          const RanksOption& ranks_per_host) {
  const NcclOptions there = gpus.on_platform(machine.platform_file());
  if (there.hosts_are_gpus() || (!machine.platform && !there.given().empty())) {
    return there.with_ranks_per_host(ranks_per_host);
  }
  if (!there.given().empty()) {
    throw UserError(fmt::format(
        "{} has no effect: the hosts of $platform '{}' are not GPUs; leave one of the two out",
        there.given(), *machine.platform));
  }
  return std::nullopt;
}

StepMachine step_machine(OpenedMachine opened, const std::optional<NcclOptions>& gpus,
                         std::uint32_t ranks, std::uint32_t ranks_per_host,
                         std::uint32_t element_bytes) {
  if (!opened.spec.parameters.empty()) {
    throw UserError(fmt::format(
        "$parameters '{}': measured costs and message models do not cover computing between "
        "collectives; leave it out",
        opened.spec.parameters));
  }
  StepMachine made;
  made.gpus = gpus;
  made.ranks_per_node = ranks_per_host;
  if (gpus) {
    if (opened.spec.both_engines() || opened.spec.engine == "simgrid") {
      throw UserError(fmt::format(
          "$engine '{}': SimGrid does not know the latencies of NCCL's steps; use $engine=flow",
          opened.spec.engine));
    }
    const NcclJob job = gpus->job(std::max(ranks, 2U));
    const std::string path = opened.spec.built_in() ? job.machine : opened.spec.source.file;
    opened.files.cluster = std::make_shared<const ClusterPlatform>(
        std::make_shared<const Cluster>(cluster_of(nccl_nodes(job))), path);
    opened.spec.source.file = path;
    made.ranks_per_node = job.gpus_per_node;
    if (!opened.spec.ports) {
      opened.spec.ports = kUnlimitedPorts;
    }
    if (!opened.spec.prices.gamma_s_per_byte) {
      opened.spec.prices.gamma_s_per_byte = 0;
    }
  }
  made.replicas = opened.spec.symmetry != SymmetryUse::off;
  opened.spec.symmetry = SymmetryUse::off;
  made.plain = opened.machine(ranks, ranks_per_host, element_bytes);
  made.machine = made.plain;
  made.machine.copy_s_per_byte = kUnionCopy_s_per_byte;
  const FlowNetwork flow = flow_network(ranks, made.plain);
  made.host_of_rank = flow.setup.host_of_rank;
  std::map<std::uint32_t, std::uint32_t> ranks_of_host;
  for (const std::uint32_t host : made.host_of_rank) {
    made.shares_cores |= ++ranks_of_host[host] > flow.network->host(host).cores;
  }
  made.opened = std::move(opened);
  return made;
}

std::optional<std::uint32_t> ranks_on_each_node(const StepMachine& machine,
                                                const std::vector<Rank>& members) {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> counts;
  for (const Rank rank : members) {
    const std::uint32_t node = node_of(machine, rank);
    if (nodes.empty() || nodes.back() != node) {
      if (std::ranges::find(nodes, node) != nodes.end()) {
        return std::nullopt;
      }
      nodes.push_back(node);
      counts.push_back(0);
    }
    ++counts.back();
  }
  const bool equal = std::ranges::all_of(counts, [&](auto each) { return each == counts[0]; });
  return equal ? std::optional(counts[0]) : std::nullopt;
}

Machine machine_of_members(const StepMachine& machine, const std::vector<Rank>& members) {
  Machine own = machine.plain;
  auto hosts = std::make_shared<std::vector<std::uint32_t>>();
  std::map<std::uint32_t, std::uint32_t> ranks_of_host;
  own.mapping.ranks_per_host = 1;
  for (const Rank rank : members) {
    hosts->push_back(machine.host_of_rank[rank]);
    own.mapping.ranks_per_host =
        std::max(own.mapping.ranks_per_host, ++ranks_of_host[hosts->back()]);
  }
  own.mapping.ranks = static_cast<std::uint32_t>(members.size());
  own.mapping.host_of_rank = std::move(hosts);
  return own;
}

StepMachine part_of_machine(const StepMachine& machine, const std::vector<Rank>& members) {
  StepMachine own = machine;
  own.plain = machine_of_members(machine, members);
  own.machine = own.plain;
  own.machine.copy_s_per_byte = machine.machine.copy_s_per_byte;
  own.host_of_rank = *own.plain.mapping.host_of_rank;
  return own;
}

}}  // namespace tutti::steps
