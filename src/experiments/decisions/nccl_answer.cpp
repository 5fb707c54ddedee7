#include "src/experiments/decisions/nccl_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "cost_models/nccl/rccl.hpp"
#include "cost_models/nccl/why_not.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/nccl/csv.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Simulating a ring on that many ranks takes seconds.
constexpr std::uint32_t kMostSimulated = 1024;

void check_collective(Collective collective) {
  const auto known = nccl_collectives();
  if (std::find(known.begin(), known.end(), collective) == known.end()) {
    throw UserError(fmt::format(
        "{}: NCCL's model covers bcast, reduce, allgather, reduce_scatter and allreduce only",
        name(collective)));
  }
}

// A kernel for buffers in symmetric windows. Kernels that need an environment variable to run
// (those with TMA) are left out.
// Source: NVIDIA/nccl 01050a1f, src/sym_kernels.cc, kernelMask_*, ncclSymkMask.
struct SymmetricKernel {
  Collective collective;
  std::string_view name;
  bool on_several_nodes = false;
  bool multicast = false;
};

constexpr std::array kSymmetricKernels{
    SymmetricKernel{Collective::allreduce, "AllReduce_AGxLL_R"},
    SymmetricKernel{Collective::allreduce, "AllReduce_AGxLLMC_R", false, true},
    SymmetricKernel{Collective::allreduce, "AllReduce_RSxLD_AGxST"},
    SymmetricKernel{Collective::allreduce, "AllReduce_RSxLDMC_AGxSTMC", false, true},
    SymmetricKernel{Collective::allgather, "AllGather_LL"},
    SymmetricKernel{Collective::allgather, "AllGather_LLMC", false, true},
    SymmetricKernel{Collective::allgather, "AllGather_ST"},
    SymmetricKernel{Collective::allgather, "AllGather_STMC", false, true},
    SymmetricKernel{Collective::allgather, "AllGather_RailRing_LsaSTMC", true, true},
    SymmetricKernel{Collective::reduce_scatter, "ReduceScatter_LL"},
    SymmetricKernel{Collective::reduce_scatter, "ReduceScatter_LD"},
    SymmetricKernel{Collective::reduce_scatter, "ReduceScatter_LDMC", false, true},
    SymmetricKernel{Collective::reduce_scatter, "ReduceScatter_RailA2A_LsaLD", true},
    SymmetricKernel{Collective::reduce_scatter, "ReduceScatter_RailA2A_LsaLDMC", true, true},
};

}  // namespace

const NcclWay* NcclAnswer::chosen() const {
  const auto found = std::find_if(ways.begin(), ways.end(), [&](const NcclWay& way) {
    return choice && way.algorithm == choice->algorithm && way.protocol == choice->protocol;
  });
  return found == ways.end() ? nullptr : &*found;
}

std::vector<std::string_view> nccl_not_covered(const NcclCluster& cluster, Collective collective) {
  if (cluster.rccl != nullptr) {
    return cluster.rccl->msccl ? std::vector<std::string_view>{"schedules of MSCCL or MSCCL++"}
                               : std::vector<std::string_view>();
  }
  constexpr int kFirstRelease = 27;
  std::vector<std::string_view> kernels;
  if (cluster.release->minor < kFirstRelease) {
    return kernels;
  }
  const bool several = cluster.nodes > 1;
  for (const SymmetricKernel& kernel : kSymmetricKernels) {
    if (kernel.collective == collective && kernel.on_several_nodes == several &&
        (!kernel.multicast || cluster.nvls)) {
      kernels.push_back(kernel.name);
    }
  }
  return kernels;
}

namespace {

// Sets the predicted time.
void predict(const NcclJob& job, const NcclModel& model, Collective collective, std::uint64_t bytes,
             NcclWay& way) {
  way.time_us = way.own_us;
  if (job.fabric != nullptr) {
    if (const auto us = nccl_fabric_us(model, job.fabric->model, collective, way.algorithm,
                                       way.protocol, bytes)) {
      way.time_us = static_cast<float>(*us);
      way.is_measured = true;
      way.is_extrapolated =
          !job.fabric->was_measured(collective, way.algorithm, way.protocol, bytes);
    }
  }
}

}  // namespace

NcclAnswer nccl_answer(const NcclJob& job, Collective collective, std::uint64_t bytes) {
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
      way.own_us = model.time_us(collective, way.algorithm, way.protocol, bytes);
      predict(job, model, collective, bytes, way);
      way.why_not = nccl_why_not(model, collective, way.algorithm, way.protocol);
      if (way.time_us) {
        way.schedule = nccl_schedule(job, model, {collective, bytes, way.algorithm, way.protocol});
        way.schedule.choice.library_algorithm = name(way.algorithm);
      }
      answer.ways.push_back(std::move(way));
    }
  }
  if (const NcclWay* const chosen = answer.chosen()) {
    answer.choice->time_us = *chosen->time_us;
  }
  return answer;
}

std::vector<std::string> differences_of_figures(const NcclJob& job) {
  std::vector<std::string> found;
  if (job.fabric == nullptr) {
    return found;
  }
  const FabricFile& file = *job.fabric;
  if ((!file.gpu.empty() && file.gpu != job.gpu) ||
      (file.gpus_per_node != 0 && file.gpus_per_node != job.gpus_per_node)) {
    found.push_back(fmt::format("the figures are of nodes of {} {}, not of {} {}",
                                file.gpus_per_node, file.gpu, job.gpus_per_node, job.gpu));
  }
  if (const std::string library = job.cluster.release->title();
      !file.library.empty() && file.library != library) {
    found.push_back(fmt::format("the figures are of {}, not of {}", file.library, library));
  }
  constexpr std::uint32_t kNear = 2;
  const std::uint32_t nodes = job.cluster.nodes;
  if (!file.nodes.empty() && nodes > 1 &&
      (nodes > kNear * std::ranges::max(file.nodes) ||
       kNear * nodes < std::ranges::min(file.nodes))) {
    found.push_back(fmt::format("on {} nodes the figures are extrapolated", nodes));
  }
  return found;
}

void add_ranges(NcclAnswer& answer, double level) {
  const NcclModel model(answer.job.cluster);
  for (NcclWay& way : answer.ways) {
    if (way.is_measured && !way.is_extrapolated) {
      way.range = {level, answer.job.fabric->range(level, [&](const NcclFabric& fabric) {
                     return nccl_fabric_us(model, fabric, answer.collective, way.algorithm,
                                           way.protocol, answer.bytes)
                         .value();
                   })};
    }
  }
}

std::vector<NcclWay*> ways_with_schedule(NcclAnswer& answer, bool all) {
  std::vector<NcclWay*> found;
  const NcclWay* const chosen = answer.chosen();
  for (NcclWay& way : answer.ways) {
    if (!way.schedule.choice.algorithm.empty() && (all || &way == chosen)) {
      found.insert(&way == chosen ? found.begin() : found.end(), &way);
    }
  }
  return found;
}

void simulate_nccl_way(const NcclAnswer& answer, const OpenedMachine* platform, NcclWay& way) {
  const NcclJob& job = answer.job;
  if (job.cluster.ranks > kMostSimulated) {
    way.refusal =
        fmt::format("more than {} ranks, the most that 'tutti nccl' simulates", kMostSimulated);
    return;
  }
  const NcclCall call{answer.collective, answer.bytes, way.algorithm, way.protocol};
  NcclSimulatedTime time = nccl_simulated(job, call, way.schedule.choice, platform);
  way.simulated_s = time.s;
  way.refusal = std::move(time.refusal);
  way.simulated_bytes = time.simulated_bytes;
  way.simulated_ranks = time.simulated_ranks;
}

void explain_nccl_way(const NcclAnswer& answer, const OpenedMachine* platform, NcclWay& way) {
  if (way.simulated_s && answer.job.fabric == nullptr) {
    way.why_apart = nccl_why_apart(answer.job, NcclModel(answer.job.cluster),
                                   {answer.collective, answer.bytes, way.algorithm, way.protocol},
                                   *way.simulated_s, platform);
  }
}

NcclAnswer nccl_answer_near_choice(const NcclJob& job, Collective collective, std::uint64_t bytes,
                                   const OpenedMachine* platform) {
  NcclAnswer answer = nccl_answer(job, collective, bytes);
  for (NcclWay* const way : ways_with_schedule(answer, true)) {
    if (*way->time_us > kNearChoice * answer.choice->time_us) {
      way->refusal = fmt::format(
          "NCCL's model finds it more than {:g} times as slow as NCCL's own choice", kNearChoice);
    } else {
      simulate_nccl_way(answer, platform, *way);
    }
  }
  return answer;
}

void use_platform(NcclAnswer& answer, const OpenedMachine& platform) {
  const NcclJob& job = answer.job;
  const MachineFacts facts =
      describe(platform.machine(job.cluster.ranks, job.ranks_per_host, Problem{}.element_bytes));
  answer.platform = facts.facts.name;
  answer.notes = facts.facts.notes;
}

std::string graph_in_words(const NcclCluster& cluster, const NcclGraph& graph) {
  const std::string_view inside = cluster.rccl != nullptr ? "xGMI" : name(graph.intra);
  const std::string channels = fmt::format(
      "{} of {:.4g} GB/s", counted(static_cast<std::uint64_t>(graph.channels), "channel"),
      graph.intra_gb_per_s);
  if (cluster.nodes == 1) {
    return fmt::format("{} over {}", channels, inside);
  }
  return fmt::format("{} within a node, {:.4g} between nodes, over {} and {}", channels,
                     graph.inter_gb_per_s, inside, name(graph.inter));
}

LibraryDecision nccl_decision(const NcclAnswer& answer) {
  const NcclCluster& cluster = answer.job.cluster;
  LibraryDecision decision;
  decision.path.push_back(
      {0, "search", "",
       cluster.rccl != nullptr ? "src/graph/rome_models.cc" : "src/graph/search.cc",
       answer.job.machine, "rings: " + graph_in_words(cluster, cluster.graphs.ring)});
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
      fmt::format("{:.4g} us by the model of {}, the lowest of {}", *chosen->time_us,
                  answer.job.cluster.release->title(), counted(times, "time"));
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
  for (std::size_t p = 0; p < kNcclProtocols; ++p) {
    const std::string_view protocol = name(static_cast<NcclProtocol>(p));
    const auto time = nccl_model_us(model, collective, {algorithm, protocol}, bytes);
    if (time && (!least || *time < *least)) {
      least = time;
      best = protocol;
    }
  }
  return best;
}

}  // namespace

std::optional<float> nccl_model_us(const NcclModel& model, Collective collective,
                                   const NcclLine& line, std::uint64_t bytes) {
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      const auto algorithm = static_cast<NcclAlgorithm>(a);
      const auto protocol = static_cast<NcclProtocol>(p);
      if (line == NcclLine{name(algorithm), name(protocol)}) {
        return model.time_us(collective, algorithm, protocol, bytes);
      }
    }
  }
  return std::nullopt;
}

namespace {

// Returns the run of one of NCCL's algorithms with a protocol, as 'tutti nccl' simulates it.
RivalChoice run_of_nccl(const NcclJob& job, const NcclModel& model, NcclAlgorithm algorithm,
                        NcclProtocol protocol, const ProblemTemplate& problem_template,
                        const Problem& problem) {
  RivalChoice chosen;
  NcclSchedule schedule =
      nccl_schedule(job, model, {problem.collective, problem.bytes, algorithm, protocol});
  schedule.choice.library_algorithm = fmt::format("{} with {}", name(algorithm), name(protocol));
  chosen.choice = schedule.choice;
  if (schedule.choice.algorithm.empty()) {
    chosen.run.refusal = std::move(schedule.lacking);
    chosen.run.choice = std::move(schedule.choice);
    return chosen;
  }
  ProblemTemplate on_nodes = problem_template;
  Problem nodes;
  nodes.ranks_per_node = job.gpus_per_node;
  on_nodes.give(Option::ranks_per_node, nodes);
  DecisionTable none;
  none.collective = problem.collective;
  chosen.run = table_run(none, schedule.choice, on_nodes, problem);
  return chosen;
}

}  // namespace

Rival nccl_rival(const NcclOptions& options, Collective collective, std::uint32_t most_ranks,
                 const ProblemTemplate& problem_template) {
  check_collective(collective);
  Rival rival;
  rival.name = "nccl";
  const NcclJob largest = options.job(most_ranks);
  rival.title = fmt::format("{} on {}", largest.cluster.release->title(), largest.machine);
  rival.runs_nccl = true;
  rival.choose = [options, problem_template](const Problem& problem) {
    const NcclJob job = options.job(problem.ranks);
    const NcclModel model(job.cluster);
    const auto choice = model.choose(problem.collective, problem.bytes);
    if (!choice) {
      RivalChoice none;
      none.run.refusal = "NCCL's model gives no time for any algorithm";
      return none;
    }
    return run_of_nccl(job, model, choice->algorithm, choice->protocol, problem_template, problem);
  };
  return rival;
}

void simulate_rules_as_nccl(const NcclOptions& options, const ProblemTemplate& problem_template,
                            Rival& rival) {
  rival.runs_nccl = true;
  rival.choose = [options, problem_template, table = rival.nccl_rules](const Problem& problem) {
    const NcclJob job = options.job(problem.ranks);
    const auto found =
        look_up(*table, problem.ranks, problem.bytes, problem.element_bytes, job.cluster.nodes);
    RivalChoice chosen;
    if (!found) {
      chosen.run.refusal = "the table has no rule for this case";
      return chosen;
    }
    const NcclModel model(job.cluster);
    for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
      for (std::size_t p = 0; p < kNcclProtocols; ++p) {
        const auto algorithm = static_cast<NcclAlgorithm>(a);
        const auto protocol = static_cast<NcclProtocol>(p);
        if (name(algorithm) == found->choice->library_algorithm &&
            name(protocol) == found->choice->protocol &&
            model.time_us(problem.collective, algorithm, protocol, problem.bytes)) {
          return run_of_nccl(job, model, algorithm, protocol, problem_template, problem);
        }
      }
    }
    chosen.choice = *found->choice;
    chosen.run.choice = *found->choice;
    chosen.run.refusal = fmt::format("NCCL cannot run {} with {} here",
                                     found->choice->library_algorithm, found->choice->protocol);
    return chosen;
  };
}

NcclRules nccl_rules(const NcclOptions& options, Collective collective,
                     std::optional<double> model_loss) {
  auto models = std::make_shared<NcclModels>(options);
  NcclRules rules;
  rules.nodes = [models](std::uint32_t ranks) { return models->on(ranks).cluster().nodes; };
  rules.line = [collective, models, model_loss](std::uint32_t ranks, const NcclLine& decided,
                                                std::uint64_t bytes) -> NcclLine {
    const NcclModel& model = models->on(ranks);
    const auto own = model.choose(collective, bytes);
    TUTTI_INVARIANT(own);
    const NcclLine line =
        !decided.protocol.empty() || decided.algorithm.empty()
            ? decided
            : NcclLine{decided.algorithm,
                       best_protocol(model, collective, decided.algorithm, bytes)};
    const auto time = nccl_model_us(model, collective, line, bytes);
    const bool taken = !line.algorithm.empty() &&
                       (!model_loss || (time && *time <= own->time_us * (1 + *model_loss)));
    return taken ? line : NcclLine{name(own->algorithm), name(own->protocol)};
  };
  return rules;
}

}}  // namespace tutti::experiments
