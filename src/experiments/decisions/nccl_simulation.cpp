#include "src/experiments/decisions/nccl_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "cost_models/nccl/constants.hpp"
#include "cost_models/nccl/costs.hpp"
#include "cost_models/nccl/rccl.hpp"
#include "platforms/gpu_file.hpp"
#include "schedules/patterns/nccl_chunks.hpp"
#include "schedules/patterns/nccl_tree.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/decisions/nccl_rings.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

namespace {

using enum NcclAlgorithm;
using nccl_constants::Link;

bool is_rooted(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce;
}

// Returns the share of user data among the sent bytes.
double payload(NcclProtocol protocol) {
  return protocol == NcclProtocol::ll ? 0.5 : protocol == NcclProtocol::ll128 ? 120.0 / 128.0 : 1;
}

// Returns the protocol as schedules name it. The namespace is needed, because sim/messages also has
// a Protocol.
schedules::Protocol protocol_of(NcclProtocol protocol) {
  using enum schedules::Protocol;
  return protocol == NcclProtocol::ll ? ll : protocol == NcclProtocol::ll128 ? ll128 : simple;
}

double step_s(const NcclCluster& cluster, Link link, NcclAlgorithm algorithm,
              NcclProtocol protocol) {
  const bool alone = link == Link::network && cluster.ranks == cluster.nodes;
  const NcclAlgorithm like = alone ? tree : algorithm;
  double us = cluster.rccl != nullptr
                  ? rccl_step_us(cluster, link, like, protocol)
                  : cluster.release->constants->link_latency_us(link, like, protocol);
  if (link == Link::network) {
    const double card_us = graph_of(cluster.graphs, algorithm).inter_latency_us;
    us += protocol == NcclProtocol::simple ? 2 * card_us : card_us;
  }
  return us / 1e6;
}

// Returns an upper bound on the bytes that a GPU sends per second, derived from the bandwidth in
// NCCL's model. For LL and LL128, the model has further limits on the bandwidth besides those of
// the links. For Simple, it has no further limits, so the function returns infinity.
double most_bytes_per_s(const NcclCluster& cluster, const NcclCall& call) {
  if (call.protocol == NcclProtocol::simple) {
    return std::numeric_limits<double>::infinity();
  }
  const double p = cluster.ranks;
  const bool both_ways = call.collective == Collective::allreduce;
  const double sent = call.algorithm == tree       ? 2
                      : is_rooted(call.collective) ? 1
                                                   : (both_ways ? 2 : 1) * (p - 1) / p;
  return sent * nccl_cost(cluster, call.collective, call.algorithm, call.protocol).gb_per_s * 1e9;
}

// As most_bytes_per_s(), but within a node: the cards do not limit the bandwidth, only the protocol
// and the links of the GPUs do.
double most_within_node(const NcclJob& job, const NcclCall& call) {
  NcclCluster fast = job.cluster;
  for (NcclGraph* graph : {&fast.graphs.ring, &fast.graphs.tree}) {
    const double of_channel = job.nodes.inner_bytes_per_s / 1e9 / std::max(graph->channels, 1);
    graph->intra_gb_per_s = std::max(graph->intra_gb_per_s, static_cast<float>(of_channel));
    graph->inter_gb_per_s = graph->intra_gb_per_s;
  }
  return most_bytes_per_s(fast, call);
}

struct HopOfCall : NcclNetworkHop {
  std::uint32_t channels = 1;
};

// Returns a hop between nodes with the measured parameters of the job, and the number of channels
// of the call; nothing if the job has no parameters for the call.
std::optional<HopOfCall> measured_hop(const NcclJob& job, const NcclCall& call) {
  if (job.fabric == nullptr || call.bytes == 0) {
    return std::nullopt;
  }
  const NcclModel model(job.cluster);
  const auto hop = nccl_network_hop(model, job.fabric->model, call.collective, call.algorithm,
                                    call.protocol, call.bytes);
  const int channels = model.channels_for(call.algorithm, call.protocol, call.bytes);
  return hop ? std::optional(HopOfCall{*hop, static_cast<std::uint32_t>(channels)}) : std::nullopt;
}

// Returns the nodes as the protocol sees them: with the rates of user data, and with the latency of
// a step.
GpuPlatform nodes_for(const NcclJob& job, const NcclCall& call) {
  const NcclCluster& cluster = job.cluster;
  GpuPlatform nodes = job.nodes;
  const bool multicast = call.algorithm == nvls || call.algorithm == nvls_tree;
  if (multicast && !nodes.reduces() && !job.nodes_described) {
    nodes.in_network = "yes";
  }
  const double share = payload(call.protocol);
  const bool nvlink = graph_of(cluster.graphs, call.algorithm).intra == NcclPath::nvl;
  nodes.inner_bytes_per_s = std::min(nodes.inner_bytes_per_s * share, most_within_node(job, call));
  // For NVLS, NCCL's model counts one latency. An allreduce has it for a load and a store together.
  const double inner_s =
      step_s(cluster, nvlink ? Link::nvlink : Link::pci, call.algorithm, call.protocol) /
      (multicast && call.collective == Collective::allreduce ? 2 : 1);
  nodes.inner_s = std::max(nodes.inner_s, inner_s);
  if (multicast) {
    nodes.inner_bytes_per_s *= double{nccl_constants::kNvlsEfficiency[nccl_generation(cluster)]};
  }
  nodes.memory_bytes_per_s *= share;
  nodes.pcie_bytes_per_s *= share;
  // Each channel leaves the node by one card, and a last node with fewer GPUs has fewer cards.
  const auto channels =
      static_cast<std::uint32_t>(std::max(graph_of(cluster.graphs, call.algorithm).channels, 1));
  const std::uint32_t of_last = (cluster.ranks - 1) % job.gpus_per_node + 1;
  const std::uint32_t least_cards =
      (of_last * nodes.cards + job.gpus_per_node - 1) / job.gpus_per_node;
  const auto hop = measured_hop(job, call);
  const double most_of_card =
      hop ? hop->bytes_per_s / std::min(least_cards, hop->channels)
          : most_bytes_per_s(cluster, call) / std::min(least_cards, channels);
  nodes.card_bytes_per_s = std::min(nodes.card_bytes_per_s * share, most_of_card);
  nodes.trunk_bytes_per_s *= share;
  nodes.pod_bytes_per_s *= share;
  nodes.pair_bytes_per_s *= share;
  const double between_s = 2 * nodes.card_s + nodes.switch_s;
  const double step = hop ? hop->s : step_s(cluster, Link::network, call.algorithm, call.protocol);
  nodes.card_s += std::max(0.0, step - between_s) / 2;
  return nodes;
}

Machine on_nodes(const NcclJob& job, const NcclCall& call) {
  Machine machine;
  machine.engine = &engine_named("flow");
  machine.spec.engine = "flow";
  machine.spec.source.file = "the machine";
  machine.files.cluster = std::make_shared<const ClusterPlatform>(
      std::make_shared<const Cluster>(tutti::cluster_of(nodes_for(job, call))),
      machine.spec.source.file);
  place_ranks(machine, job.cluster.ranks, 1);
  return machine;
}

// Returns the user's machine with all rates multiplied by the share of user data.
Machine on_platform(const OpenedMachine& platform, const NcclJob& job, const NcclCall& call,
                    std::uint32_t element_bytes) {
  OpenedMachine slower = platform;
  if (call.protocol != NcclProtocol::simple) {
    slower.spec.changes.links.push_back(
        {.which = "", .bandwidth = payload(call.protocol), .from = "the protocol"});
  }
  return slower.machine(job.cluster.ranks, job.ranks_per_host, element_bytes);
}

// Returns a problem on the ranks, nodes and cards of the job.
Problem problem_on(const NcclJob& job) {
  Problem problem;
  problem.ranks = job.cluster.ranks;
  problem.ranks_per_node = job.gpus_per_node;
  problem.cards = job.nodes.cards;
  return problem;
}

// Returns the number of channels of NCCL that have other ranks, or another order of ranks, than all
// channels before them.
std::uint32_t different_channels(const NcclJob& job, NcclAlgorithm algorithm) {
  switch (algorithm) {
    case ring:
      return different_nccl_channels(problem_on(job));
    case tree:
      return different_nccl_trees(problem_on(job));
    default:
      return job.cluster.nodes == 1 ? 1 : 2;
  }
}

// Returns the number of bytes that a channel receives before it forwards them. With the Simple
// protocol, this is a chunk. With LL and LL128, each line of data carries a flag that marks the
// line as complete, and each warp forwards its lines by itself. The number is that of a few warps,
// because there are too many messages otherwise: of 4 warps with LL, and of 20 with LL128. In a
// ring all links are busy all the time, and chunks take as long as lines.
std::uint64_t forwarded_bytes(const NcclJob& job, const NcclCall& call, std::uint64_t of_channel) {
  Problem problem = problem_on(job);
  problem.collective = call.collective;
  problem.element_bytes = 1;
  problem.protocol = protocol_of(call.protocol);
  if (call.algorithm == nvls_tree || call.algorithm == nvls) {
    return nccl_nvls_chunk(problem, of_channel);
  }
  const bool waits_for_all = call.algorithm == ring && !is_rooted(call.collective);
  if (call.protocol == NcclProtocol::simple) {
    return call.algorithm == tree ? nccl_tree_chunk(problem, of_channel)
                                  : nccl_ring_chunk_bytes(problem);
  }
  constexpr std::uint64_t kLlBytes = 1024;
  constexpr std::uint64_t kLl128Bytes = 38'400;
  if (waits_for_all) {
    return nccl_ring_chunk_bytes(problem);
  }
  if (call.protocol == NcclProtocol::ll128) {
    return kLl128Bytes;
  }
  // A tree has few steps, so that longer pieces of a long call hardly delay its end.
  constexpr std::uint64_t kPieces = 256;
  return call.algorithm == tree
             ? std::clamp(of_channel / kPieces, kLlBytes, nccl_tree_chunk(problem, of_channel))
             : kLlBytes;
}

// Only the first part of a schedule with more messages is simulated.
constexpr std::uint64_t kMostMessages = 250'000;

// True if a rank may have as many messages on their way as the buffers of its connections hold. In
// rings in which all ranks send all the time, and with PAT, there are few, and one rank of each
// class is simulated.
bool fills_buffers(const NcclCall& call) {
  return call.algorithm == tree || (call.algorithm == ring && is_rooted(call.collective)) ||
         (call.collective == Collective::allreduce &&
          (call.algorithm == nvls || call.algorithm == nvls_tree));
}

std::uint64_t rounded_piece(std::uint64_t bytes) {
  constexpr std::uint64_t kWhole = 64;  // a multiple of every element size
  return (bytes + kWhole - 1) / kWhole * kWhole;
}

// Returns the segment size of the schedule. The schedule has `merged` channels, NCCL uses `used`.
// The pieces of a ring are so long that rings over few ranks have at most kMostOfRing messages.
std::uint64_t piece_of(const NcclJob& job, const NcclCall& call, std::uint32_t used,
                       std::uint32_t merged) {
  const std::uint64_t p = job.cluster.ranks;
  const bool blocks =
      call.collective == Collective::allgather || call.collective == Collective::reduce_scatter;
  const std::uint64_t of_channel = call.bytes / (blocks ? p : 1) / used;
  const std::uint64_t own = forwarded_bytes(job, call, of_channel) * used / merged;
  if (!goes_around(call)) {
    return rounded_piece(own);
  }
  constexpr std::uint64_t kMostOfRing = 500'000;
  const std::uint64_t loops = std::max<std::uint64_t>(kMostOfRing / (2 * merged * p * p), 1);
  return rounded_piece(std::max(own, call.bytes / merged / p / loops + 1));
}

// Returns the size of a shorter call with at most kMostMessages, whose channels move a whole number
// of pieces in two halves; nothing if the call is not longer, or if no rank waits for a first
// piece.
std::optional<std::uint64_t> shorter_call(const NcclJob& job, const NcclCall& call,
                                          const Choice& schedule) {
  const std::uint64_t channels = std::max(schedule.options.values().channels, 1U);
  if (schedule.segment_bytes == 0 || goes_around(call)) {
    return std::nullopt;
  }
  const bool multicast = call.algorithm == nvls || call.algorithm == nvls_tree;
  // The heads of NVLS move a piece each.
  const std::uint64_t heads =
      multicast ? (job.cluster.nodes == 1 ? job.gpus_per_node : job.nodes.cards) : 1;
  const std::uint64_t loop_bytes = channels * heads * schedule.segment_bytes;
  const std::uint64_t messages =
      channels * heads * job.cluster.ranks * (is_rooted(call.collective) ? 1 : 2);
  const std::uint64_t halves = std::max<std::uint64_t>(kMostMessages / messages / 2, 1);
  const std::uint64_t bytes = 2 * halves * loop_bytes;
  return bytes < call.bytes ? std::optional(bytes) : std::nullopt;
}

// Returns the order of GPUs in the rings that NCCL's search found.
RingOrder ring_order(const NcclGraph& rings) {
  return rings.inter == NcclPath::pxn ? RingOrder::own
         : rings.crosses_cards        ? RingOrder::crossed
                                      : RingOrder::paired;
}

NodeLinks node_links(const NcclGraph& trees) {
  return trees.pattern == kNcclPlainTree   ? NodeLinks::plain
         : trees.pattern == kNcclSplitTree ? NodeLinks::split
                                           : NodeLinks::balanced;
}

}  // namespace

GpuPlatform nccl_nodes(const NcclJob& job) {
  GpuPlatform nodes =
      nodes_for(job, {Collective::allgather, 0, NcclAlgorithm::ring, NcclProtocol::simple});
  if (job.cluster.nvls && !job.nodes_described) {
    nodes.in_network = "yes";
  }
  return nodes;
}

double nccl_payload(const NcclJob& job, NcclAlgorithm algorithm, NcclProtocol protocol) {
  const bool multicast = algorithm == nvls || algorithm == nvls_tree;
  return payload(protocol) *
         (multicast ? double{nccl_constants::kNvlsEfficiency[nccl_generation(job.cluster)]} : 1);
}

NcclSchedule nccl_schedule(const NcclJob& job, const NcclModel& model, const NcclCall& call) {
  const NcclGraphs& graphs = job.cluster.graphs;
  Choice choice;
  Problem over;
  over.protocol = protocol_of(call.protocol);
  over.cards = job.nodes.cards;
  over.ring_order = ring_order(graphs.ring);
  over.node_links = node_links(graphs.tree);
  const auto used =
      static_cast<std::uint32_t>(model.channels_for(call.algorithm, call.protocol, call.bytes));
  over.channels = std::min(used, different_channels(job, call.algorithm));
  const bool several = job.cluster.nodes > 1;
  if (job.cluster.rccl != nullptr) {
    return {{}, "RCCL has a list of rings for these nodes, of which tutti has no schedules"};
  }
  if (!several && job.gpus_per_node > 2 && job.nodes.inner != "switch") {
    return {{},
            "NCCL spreads its channels over the links between the pairs of GPUs of a node, of "
            "which tutti has no schedule"};
  }
  switch (call.algorithm) {
    case ring:
      choice.algorithm = "nccl_ring";
      if (several) {
        choice.options.give(Option::ring_order, over);
      }
      break;
    case tree:
      choice.algorithm = "nccl_tree";
      if (several) {
        choice.options.give(Option::node_links, over);
      }
      break;
    case nvls:
      if (job.cluster.nodes > 1) {
        return {{}, "NVLS on several nodes needs CollNet, of which tutti has no schedule"};
      }
      if (call.collective != Collective::allreduce) {
        choice.algorithm = "nvls";
        return {std::move(choice), ""};
      }
      choice.algorithm = "nccl_nvls_tree";
      break;
    case nvls_tree:
      choice.algorithm = "nccl_nvls_tree";
      break;
    case pat:
      choice.algorithm = "pat";
      return {std::move(choice), ""};
    case collnet_direct:
    case collnet_chain:
      return {{}, "tutti has no CollNet within nodes"};
  }
  if (several) {
    choice.options.give(Option::cards, over);
  }
  choice.options.give(Option::channels, over);
  if (call.algorithm != nvls_tree && call.algorithm != nvls) {
    choice.options.give(Option::protocol, over);
  }
  choice.segment_bytes = piece_of(job, call, used, over.channels);
  return {std::move(choice), ""};
}

Machine nccl_machine(const NcclJob& job, const NcclCall& call, std::uint32_t element_bytes,
                     const OpenedMachine* platform) {
  Machine machine = platform != nullptr && !job.nodes_described
                        ? on_platform(*platform, job, call, element_bytes)
                        : on_nodes(job, call);
  machine.element_bytes = element_bytes;
  // NCCL's kernels reduce data as they receive them.
  machine.spec.prices.gamma_s_per_byte = 0;
  machine.setup.ports = kUnlimitedPorts;
  if (fills_buffers(call) && machine.engine == &engine_named("flow") &&
      !flow_needs_simgrid(machine)) {
    machine.engine = &flow_in_order();
    machine.spec.symmetry = SymmetryUse::off;
  }
  return machine;
}

namespace {

// Simulates the whole schedule. The time does not include NCCL's base latency.
NcclSimulatedTime simulated_whole(const NcclJob& job, const NcclCall& call, const Choice& schedule,
                                  const OpenedMachine* platform) {
  Problem problem;
  problem.collective = call.collective;
  problem.ranks = job.cluster.ranks;
  problem.bytes = call.bytes;
  const bool whole = problem.bytes % problem.element_bytes == 0;
  problem.element_bytes = whole ? problem.element_bytes : 1;
  DecisionTable table;
  table.collective = call.collective;
  ProblemTemplate problem_template;
  problem_template.element_bytes = problem.element_bytes;
  Problem nodes;
  nodes.ranks_per_node = job.gpus_per_node;
  problem_template.give(Option::ranks_per_node, nodes);
  const TableRun run = table_run(table, schedule, problem_template, problem);
  if (!run.what) {
    return {{}, run.refusal, {}, {}};
  }
  if (std::string why = too_many_messages(call, *run.what->algorithm, run.what->problem);
      !why.empty()) {
    return {{}, std::move(why), {}, {}};
  }
  const Outcome outcome = tutti::outcome_of([&]() -> Outcome {
    const Machine machine = nccl_machine(job, call, problem.element_bytes, platform);
    Problem on_machine = run.what->problem;
    on_machine.in_order = machine.engine == &flow_in_order();
    return Outcome(simulate(*run.what->algorithm, on_machine, machine, Detail::times_only).result);
  });
  if (const RunResult* const result = outcome.result()) {
    return {result->simulated_s, "", {}, {}};
  }
  return {{}, outcome.why_not(), {}, {}};
}

// Simulates the whole schedule, or shorter rings in its place, whose times are extrapolated.
NcclSimulatedTime simulated_or_extrapolated(const NcclJob& job, const NcclCall& call,
                                            const Choice& schedule, const OpenedMachine* platform) {
  const auto rings =
      platform == nullptr ? shorter_rings(job, call, schedule) : std::optional<ShorterRings>();
  if (!rings) {
    return simulated_whole(job, call, schedule, platform);
  }
  const NcclSimulatedTime least =
      simulated_whole(rings->least_job, rings->least_call, schedule, platform);
  NcclSimulatedTime time = simulated_whole(rings->most_job, rings->most_call, schedule, platform);
  if (!least.s || !time.s) {
    return least.s ? time : least;
  }
  const double most = rings->most_job.cluster.ranks;
  *time.s +=
      (*time.s - *least.s) * (job.cluster.ranks - most) / (most - rings->least_job.cluster.ranks);
  time.simulated_ranks = rings->most_job.cluster.ranks;
  return time;
}

// Returns the job on so few nodes that a simulation reaches its final rate soon; nothing if it has
// no more nodes. The links of a node carry as much as in the whole job.
std::optional<NcclJob> on_fewer_nodes(const NcclJob& job) {
  constexpr std::uint32_t kFew = 8;
  if (job.cluster.nodes <= kFew || job.cluster.ranks != job.cluster.nodes * job.gpus_per_node) {
    return std::nullopt;
  }
  return with_nodes(job, kFew);
}

}  // namespace

NcclSimulatedTime nccl_simulated(const NcclJob& job, const NcclCall& call, const Choice& schedule,
                                 const OpenedMachine* platform) {
  NcclCall first = call;
  const std::optional<std::uint64_t> shorter = shorter_call(job, call, schedule);
  first.bytes = shorter.value_or(call.bytes);
  NcclSimulatedTime time = simulated_or_extrapolated(job, first, schedule, platform);
  if (!time.s) {
    return time;
  }
  if (shorter) {
    const std::optional<NcclJob> fewer = platform == nullptr && job.fabric == nullptr
                                             ? on_fewer_nodes(job)
                                             : std::optional<NcclJob>();
    NcclCall part = first;
    NcclSimulatedTime both = time;
    if (fewer) {
      part.bytes = shorter_call(*fewer, call, schedule).value_or(call.bytes);
      both = simulated_whole(*fewer, part, schedule, platform);
    }
    part.bytes /= 2;
    const NcclSimulatedTime half = simulated_whole(fewer ? *fewer : job, part, schedule, platform);
    if (!both.s || !half.s) {
      return both.s ? half : both;
    }
    *time.s += (*both.s - *half.s) * static_cast<double>(call.bytes - first.bytes) /
               static_cast<double>(part.bytes);
    time.simulated_bytes = shorter;
  }
  *time.s += job.cluster.release->constants->base_latency_us(call.algorithm, call.protocol) / 1e6;
  return time;
}

}}  // namespace tutti::experiments
