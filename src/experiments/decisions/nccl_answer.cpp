#include "src/experiments/decisions/nccl_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "cost_models/nccl/constants.hpp"
#include "cost_models/nccl/why_not.hpp"
#include "platforms/single_switch.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/nccl/csv.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

namespace {

using enum NcclAlgorithm;
using nccl_constants::Link;

// Returns the number of bytes that a channel receives before it forwards them. With the Simple
// protocol, this is one step of the channel's buffer. With LL and LL128, each line of data carries
// a flag that marks the line as complete, so the number is only what all threads hold at once (512
// threads with LL, 640 with LL128). Source: NCCL, src/enqueue.cc, calcCollChunking; src/init.cc,
// DEFAULT_BUFFSIZE; src/device/prims_ll.h and prims_ll128.h.
std::uint64_t piece_bytes(NcclProtocol protocol) {
  switch (protocol) {
    case NcclProtocol::ll:
      return 4096;
    case NcclProtocol::ll128:
      return 38'400;
    case NcclProtocol::simple:
      break;
  }
  return std::uint64_t{512} << 10U;
}

// Returns the segment size in bytes, as a sum over all channels. It is large enough that no
// schedule has more than a few thousand segments.
std::uint64_t segment_of(NcclProtocol protocol, int channels, std::uint64_t bytes) {
  constexpr std::uint64_t kMost = 4096;
  constexpr std::uint64_t kWhole = 64;  // a multiple of every element size
  const std::uint64_t own = static_cast<std::uint64_t>(channels) * piece_bytes(protocol);
  const std::uint64_t least = (bytes / kMost + kWhole - 1) / kWhole * kWhole;
  return std::max(own, least);
}

// Returns the share of user data among the sent bytes.
double payload(NcclProtocol protocol) {
  return protocol == NcclProtocol::ll ? 0.5 : protocol == NcclProtocol::ll128 ? 120.0 / 128.0 : 1;
}

Choice schedule_named(std::string_view algorithm) {
  Choice choice;
  choice.algorithm = algorithm;
  return choice;
}

double step_s(const NcclCluster& cluster, Link link, NcclAlgorithm algorithm,
              NcclProtocol protocol) {
  const bool alone = link == Link::network && cluster.ranks == cluster.nodes;
  double us = cluster.release->constants->link_latency_us(link, alone ? tree : algorithm, protocol);
  if (link == Link::network) {
    const double card_us = graph_of(cluster.graphs, algorithm).inter_latency_us;
    us += protocol == NcclProtocol::simple ? 2 * card_us : card_us;
  }
  return us / 1e6;
}

// Returns an upper bound on the bytes that a GPU sends per second, derived from the bandwidth in
// NCCL's model. For LL and LL128, the model has further limits on the bandwidth besides those of
// the links. For Simple, it has no further limits, so the function returns infinity.
double most_bytes_per_s(const NcclAnswer& answer, const NcclWay& way) {
  if (way.protocol == NcclProtocol::simple) {
    return std::numeric_limits<double>::infinity();
  }
  const double p = answer.job.cluster.ranks;
  const bool both_ways = answer.collective == Collective::allreduce;
  const bool whole =
      answer.collective == Collective::bcast || answer.collective == Collective::reduce;
  const double sent = way.algorithm == tree ? 2 : whole ? 1 : (both_ways ? 2 : 1) * (p - 1) / p;
  return sent * way.cost.gb_per_s * 1e9;
}

void use_cluster(Machine& machine, const SingleSwitch& figures) {
  machine.files.cluster =
      std::make_shared<const ClusterPlatform>(cluster_of(figures, machine.spec.source.file));
}

// Returns the machine on which to simulate `way`. The GPUs of a node are connected with the
// bandwidth NcclFabric::gpu_gb_per_s. If there are several nodes, each has a single network card,
// which is as fast as all cards of a real node together. The latency of a message is that of one
// step in NCCL's model; during this latency, the message does not occupy its links.
Machine machine_of(const NcclAnswer& answer, const NcclWay& way) {
  const NcclJob& job = answer.job;
  const NcclCluster& cluster = job.cluster;
  const NcclAlgorithm algorithm = way.algorithm;
  const NcclProtocol protocol = way.protocol;
  const bool nvlink = graph_of(cluster.graphs, algorithm).intra == NcclPath::nvl;
  const double share = payload(protocol) * 1e9;
  const double most = most_bytes_per_s(answer, way);
  LinkFigures inside{step_s(cluster, nvlink ? Link::nvlink : Link::pci, algorithm, protocol),
                     std::min(job.fabric.gpu_gb_per_s * share, most)};
  if (algorithm == nvls) {
    // NCCL's model counts this latency once for all loads and stores together. On p ranks, the
    // longest path of the schedule contains (p + 5) / 2 latencies (5 / 2 on 2 ranks, 7 / 2 on 3
    // ranks): see exact_s() in schedules/allreduce/nvls.cpp. The factor makes these latencies add
    // up to one.
    inside.latency_s *= 2.0 / (cluster.ranks + std::min(cluster.ranks + 1.0, 5.0));
  }
  Machine machine;
  machine.engine = &engine_named("flow");
  machine.spec.engine = "flow";
  constexpr double kFlops = 1e15;  // so fast that reductions do not slow down transfers
  if (algorithm == nvls) {
    SingleSwitch domain;
    domain.hosts = cluster.ranks;
    domain.route = inside;
    domain.node.speed_flops_per_s = kFlops;
    domain.in_network = "yes";
    machine.spec.source.file = "an NVLink domain";
    use_cluster(machine, domain);
    place_ranks(machine, cluster.ranks, 1);
  } else if (cluster.nodes == 1) {
    machine.spec.source.crossbar.latency_s = inside.latency_s;
    machine.spec.source.crossbar.bandwidth_bytes_per_s = inside.bandwidth_bytes_per_s;
    machine.spec.source.crossbar.speed_flops_per_s = kFlops;
    place_ranks(machine, cluster.ranks, 1);
  } else {
    SingleSwitch nodes;
    nodes.hosts = cluster.nodes;
    nodes.route = {step_s(cluster, Link::network, algorithm, protocol),
                   std::min(job.fabric.node_gb_per_s * share, most)};
    nodes.node.cores = std::max(job.gpus_per_node, 2U);
    nodes.node.speed_flops_per_s = kFlops;
    nodes.node.loopback = inside;
    if (job.gpus_per_node == 1) {
      nodes.node.loopback = nodes.route;
    }
    machine.spec.source.file = "GPU nodes";
    use_cluster(machine, nodes);
    place_ranks(machine, cluster.ranks, job.gpus_per_node);
  }
  if (algorithm == nvls) {
    return machine;
  }
  machine.setup.ports = kUnlimitedPorts;
  machine.setup.eager_bytes = std::numeric_limits<std::int64_t>::max();
  return machine;
}

void simulate_way(NcclAnswer& answer, const OpenedMachine* platform, NcclWay& way) {
  constexpr std::uint32_t kMostRanks = 1024;  // simulating a ring on that many ranks takes seconds
  if (answer.job.cluster.ranks > kMostRanks) {
    way.refusal = fmt::format(
        "more than {} ranks, the limit for simulations here; use 'tutti simulate'", kMostRanks);
    return;
  }
  Problem problem;
  problem.collective = answer.collective;
  problem.ranks = answer.job.cluster.ranks;
  problem.bytes = answer.bytes;
  const bool whole = problem.bytes % problem.element_bytes == 0;
  problem.element_bytes = whole ? problem.element_bytes : 1;
  DecisionTable table;
  table.collective = answer.collective;
  ProblemTemplate problem_template;
  problem_template.element_bytes = problem.element_bytes;
  problem_template.ranks_per_host = answer.job.ranks_per_host;
  Machine machine;
  if (platform != nullptr) {
    machine = platform->machine(problem.ranks, answer.job.ranks_per_host, problem.element_bytes);
    if (answer.platform.empty()) {
      const MachineFacts facts = describe(machine);
      answer.platform = facts.facts.name;
      answer.notes = facts.facts.notes;
      if (!answer.job.platform_note.empty()) {
        answer.notes.push_back(answer.job.platform_note);
      }
    }
  } else {
    machine = machine_of(answer, way);
    machine.element_bytes = problem.element_bytes;
  }
  const TableRun run = table_run(table, way.schedule.choice, problem_template, problem);
  if (!run.what) {
    way.refusal = run.refusal;
    return;
  }
  const auto& constants = *answer.job.cluster.release->constants;
  const double before_s = constants.base_latency_us(way.algorithm, way.protocol) / 1e6;
  const Outcome outcome = tutti::outcome_of([&]() -> Outcome {
    return Outcome(
        simulate(*run.what->algorithm, run.what->problem, machine, Detail::times_only).result);
  });
  if (const RunResult* const result = outcome.result()) {
    way.simulated_s = before_s + result->simulated_s;
  } else {
    way.refusal = outcome.why_not();
  }
}

void check_collective(Collective collective) {
  const auto known = nccl_collectives();
  if (std::find(known.begin(), known.end(), collective) == known.end()) {
    throw UserError(fmt::format(
        "{}: NCCL's model covers bcast, reduce, allgather, reduce_scatter and allreduce only",
        name(collective)));
  }
}

NcclSchedule nccl_schedule(const NcclCluster& cluster, Collective collective,
                           NcclAlgorithm algorithm, NcclProtocol protocol, int channels,
                           std::uint64_t bytes) {
  const bool alone = cluster.ranks == cluster.nodes;
  switch (algorithm) {
    case ring: {
      if (collective != Collective::bcast && collective != Collective::reduce) {
        return {schedule_named("ring"), ""};
      }
      Choice chain = schedule_named("pipeline");
      Problem over;
      over.tree = Tree::chain;
      chain.options.give(Option::tree, over);
      chain.segment_bytes = std::min(segment_of(protocol, channels, bytes), bytes);
      return {std::move(chain), ""};
    }
    case tree: {
      if (!alone) {
        return {{},
                "tutti's double trees have one GPU per node; NCCL's have a chain within each node"};
      }
      Choice trees = schedule_named("double_tree");
      trees.segment_bytes = std::min(segment_of(protocol, channels, bytes) / 2, bytes);
      return {std::move(trees), ""};
    }
    case nvls:
      if (cluster.nodes > 1) {
        return {{}, "tutti's nvls runs within one NVLink domain only"};
      }
      return {schedule_named("nvls"), ""};
    case pat:
      return {schedule_named("pat"), ""};
    case nvls_tree:
      return {{}, "tutti has no tree of NVLink domains"};
    case collnet_direct:
    case collnet_chain:
      break;
  }
  return {{}, "tutti has no CollNet within nodes"};
}

}  // namespace

const NcclWay* NcclAnswer::chosen() const {
  const auto found = std::find_if(ways.begin(), ways.end(), [&](const NcclWay& way) {
    return choice && way.algorithm == choice->algorithm && way.protocol == choice->protocol;
  });
  return found == ways.end() ? nullptr : &*found;
}

bool NcclAnswer::is_fastest(const NcclWay& way) const {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  return std::none_of(ways.begin(), ways.end(), [&](const NcclWay& other) {
    const float other_us = other.time_us.value_or(kNever);
    const float own_us = way.time_us.value_or(kNever);
    return other.algorithm == way.algorithm &&
           (other_us < own_us || (other_us == own_us && &other < &way));
  });
}

std::vector<std::string_view> nccl_symmetric_kernels(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return {"AllReduce_AGxLL_R", "AllReduce_AGxLLMC_R", "AllReduce_RSxTmaLD_AGxTmaST",
              "AllReduce_RSxLD_AGxST", "AllReduce_RSxLDMC_AGxSTMC"};
    case Collective::allgather:
      return {"AllGather_LL",      "AllGather_LLMC", "AllGather_TmaST",           "AllGather_ST",
              "AllGather_TmaSTMC", "AllGather_STMC", "AllGather_RailRing_LsaSTMC"};
    case Collective::reduce_scatter:
      return {"ReduceScatter_LL",   "ReduceScatter_TmaLD",         "ReduceScatter_LD",
              "ReduceScatter_LDMC", "ReduceScatter_RailA2A_LsaLD", "ReduceScatter_RailA2A_LsaLDMC"};
    default:
      return {};
  }
}

NcclAnswer nccl_answer(const NcclJob& job, Collective collective, std::uint64_t bytes,
                       NcclSimulation simulated, const OpenedMachine* platform) {
  check_collective(collective);
  const NcclModel model(job.cluster);
  NcclAnswer answer;
  answer.job = job;
  answer.collective = collective;
  answer.bytes = bytes;
  answer.choice = model.choose(collective, bytes);
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      NcclWay way;
      way.algorithm = static_cast<NcclAlgorithm>(a);
      way.protocol = static_cast<NcclProtocol>(p);
      if (!nccl_has(collective, name(way.algorithm), name(way.protocol))) {
        continue;
      }
      way.cost = model.cost(collective, way.algorithm, way.protocol);
      way.time_us = model.time_us(collective, way.algorithm, way.protocol, bytes);
      way.why_not = nccl_why_not(model, collective, way.algorithm, way.protocol);
      if (way.time_us) {
        way.schedule = nccl_schedule(job.cluster, collective, way.algorithm, way.protocol,
                                     model.channels_for(way.algorithm, way.protocol, bytes), bytes);
        way.schedule.choice.library_algorithm = name(way.algorithm);
      }
      answer.ways.push_back(std::move(way));
    }
  }
  for (NcclWay& way : answer.ways) {
    if (way.schedule.choice.algorithm.empty() || simulated == NcclSimulation::none ||
        (simulated == NcclSimulation::chosen && &way != answer.chosen())) {
      continue;
    }
    if (platform != nullptr && !job.why_no_schedule.empty()) {
      way.refusal = job.why_no_schedule;
      continue;
    }
    if (platform != nullptr && !answer.is_fastest(way)) {
      way.refusal = "protocols are not modelled on a platform";
      continue;
    }
    simulate_way(answer, platform, way);
  }
  return answer;
}

std::string graph_in_words(const NcclGraph& graph, bool between) {
  const std::string channels = fmt::format(
      "{} of {:.4g} GB/s", counted(static_cast<std::uint64_t>(graph.channels), "channel"),
      graph.intra_gb_per_s);
  if (!between) {
    return fmt::format("{} over {}", channels, name(graph.intra));
  }
  return fmt::format("{} within a node, {:.4g} between nodes, over {} and {}", channels,
                     graph.inter_gb_per_s, name(graph.intra), name(graph.inter));
}

LibraryDecision nccl_decision(const NcclAnswer& answer) {
  const NcclCluster& cluster = answer.job.cluster;
  LibraryDecision decision;
  decision.path.push_back({0, "search", "", "src/graph/search.cc", answer.job.machine,
                           "rings: " + graph_in_words(cluster.graphs.ring, cluster.nodes > 1)});
  const NcclWay* const chosen = answer.chosen();
  if (chosen == nullptr) {
    decision.lacking = "NCCL's model gives no time for any algorithm";
    return decision;
  }
  const NcclWay* next = nullptr;
  std::size_t times = 0;
  for (const NcclWay& way : answer.ways) {
    times += way.time_us ? 1 : 0;
    if (&way != chosen && way.time_us && (next == nullptr || *way.time_us < *next->time_us)) {
      next = &way;
    }
  }
  std::string because =
      fmt::format("{:.4g} us by the model of NCCL {}, the lowest of {}", *chosen->time_us,
                  answer.job.cluster.release->name, counted(times, "time"));
  if (next != nullptr) {
    because += fmt::format("; the second lowest is {} with {}, {:.4g} us", name(next->algorithm),
                           name(next->protocol), *next->time_us);
  }
  decision.path.push_back(
      {0, "cost model", "", "src/graph/tuning.cc, ncclTopoGetAlgoTime", std::move(because),
       fmt::format("{} with {}, at most {} of {} threads", name(chosen->algorithm),
                   name(chosen->protocol),
                   counted(static_cast<std::uint64_t>(answer.choice->channels), "channel"),
                   answer.choice->threads)});
  decision.choice = chosen->schedule.choice;
  decision.lacking = chosen->schedule.lacking;
  return decision;
}

namespace {

// NCCL's models for several numbers of ranks. Each is created on its first use.
class NcclModels {
 public:
  explicit NcclModels(NcclOptions options) : options_(std::move(options)) {}

  const NcclModel& on(std::uint32_t ranks) {
    auto at = models_.find(ranks);
    if (at == models_.end()) {
      at = models_.emplace(ranks, NcclModel(options_.job(ranks).cluster)).first;
    }
    return at->second;
  }

 private:
  NcclOptions options_;
  std::map<std::uint32_t, NcclModel> models_;
};

// Returns the protocol with which the model predicts the shortest time for the algorithm; "simple"
// if the model predicts no time, because rule files must name a protocol.
std::string_view best_protocol(const NcclModel& model, Collective collective,
                               std::string_view algorithm, std::uint64_t bytes) {
  std::string_view best = name(NcclProtocol::simple);
  std::optional<float> least;
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    if (name(static_cast<NcclAlgorithm>(a)) != algorithm) {
      continue;
    }
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      const auto protocol = static_cast<NcclProtocol>(p);
      const auto time = model.time_us(collective, static_cast<NcclAlgorithm>(a), protocol, bytes);
      if (time && (!least || *time < *least)) {
        least = time;
        best = name(protocol);
      }
    }
  }
  return best;
}

}  // namespace

Rival nccl_rival(const NcclOptions& options, Collective collective, std::uint32_t most_ranks,
                 const ProblemTemplate& problem_template) {
  check_collective(collective);
  Rival rival;
  rival.name = "nccl";
  const NcclJob largest = options.job(most_ranks);
  rival.title = fmt::format("NCCL {} on {}", largest.cluster.release->name, largest.machine);
  rival.choose = [options, problem_template](const Problem& problem) {
    const NcclJob job = options.job(problem.ranks);
    RivalChoice chosen;
    const auto choice = NcclModel(job.cluster).choose(problem.collective, problem.bytes);
    if (!choice) {
      chosen.run.refusal = "NCCL's model gives no time for any algorithm";
      return chosen;
    }
    NcclSchedule schedule = nccl_schedule(job.cluster, problem.collective, choice->algorithm,
                                          choice->protocol, choice->channels, problem.bytes);
    schedule.choice.library_algorithm =
        fmt::format("{} with {}", name(choice->algorithm), name(choice->protocol));
    chosen.choice = schedule.choice;
    if (schedule.choice.algorithm.empty() || !job.why_no_schedule.empty()) {
      chosen.run.refusal =
          schedule.choice.algorithm.empty() ? std::move(schedule.lacking) : job.why_no_schedule;
      chosen.run.choice = std::move(schedule.choice);
      return chosen;
    }
    DecisionTable none;
    none.collective = problem.collective;
    chosen.run = table_run(none, schedule.choice, problem_template, problem);
    return chosen;
  };
  return rival;
}

std::function<NcclLine(std::uint32_t, std::string_view, std::uint64_t)> nccl_lines(
    const NcclOptions& options, Collective collective) {
  auto models = std::make_shared<NcclModels>(options);
  return [collective, models](std::uint32_t ranks, std::string_view algorithm,
                              std::uint64_t bytes) -> NcclLine {
    const NcclModel& model = models->on(ranks);
    if (!algorithm.empty()) {
      return {algorithm, best_protocol(model, collective, algorithm, bytes)};
    }
    const auto own = model.choose(collective, bytes);
    TUTTI_INVARIANT(own);
    return {name(own->algorithm), name(own->protocol)};
  };
}

}}  // namespace tutti::experiments
