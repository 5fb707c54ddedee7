#include "src/experiments/decisions/nccl_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "platforms/gpu_file.hpp"
#include "platforms/gpu_presets.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/nccl/csv.hpp"

namespace tutti { inline namespace experiments {

namespace {

Candidate candidate_of(NcclAlgorithm algorithm, NcclProtocol protocol) {
  Candidate candidate;
  candidate.library = RuleFormat::nccl;
  candidate.choice.library_algorithm = name(algorithm);
  candidate.choice.protocol = name(protocol);
  candidate.contender.label = library_in_words(candidate.choice);
  return candidate;
}

// True if one of `only` is the schedule of NCCL's algorithm, or if `only` is empty.
bool is_wanted(Collective collective, NcclAlgorithm algorithm,
               const std::vector<const Algorithm*>& only) {
  const LibraryAlgorithm* const known = find_by_name(RuleFormat::nccl, collective, name(algorithm));
  return only.empty() || std::ranges::any_of(only, [&](const Algorithm* each) {
           return each->name == name(algorithm) || (known != nullptr && each->name == known->ours);
         });
}

// Returns the algorithm and protocol of the answer that the candidate runs; null if there is none.
const NcclWay* way_of(const NcclAnswer& answer, const Candidate& candidate) {
  if (candidate.baseline) {
    return answer.chosen();
  }
  const auto found = std::ranges::find_if(answer.ways, [&](const NcclWay& way) {
    return name(way.algorithm) == candidate.choice.library_algorithm &&
           name(way.protocol) == candidate.choice.protocol;
  });
  return found == answer.ways.end() ? nullptr : &*found;
}

CandidateTime time_of(const NcclWay* way) {
  CandidateTime time;
  if (way != nullptr && way->simulated_s) {
    time.state = CandidateTime::State::timed;
    time.seconds = *way->simulated_s;
    return time;
  }
  time.state = CandidateTime::State::refused;
  time.refusal = way == nullptr                           ? "NCCL's model gives it no time"
                 : !way->time_us                          ? way->why_not
                 : way->schedule.choice.algorithm.empty() ? way->schedule.lacking
                                                          : way->refusal;
  return time;
}

void fill_in(const Decision& decision, const NcclAnswer& answer, TimedCell& cell) {
  const NcclWay* const own = answer.chosen();
  cell.times.clear();
  cell.barred.clear();
  cell.at_most_s = 0;
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const Candidate& candidate = decision.candidates[i];
    const NcclWay* const way = way_of(answer, candidate);
    cell.times.push_back(time_of(way));
    cell.barred.push_back(own == nullptr || way == nullptr || !way->time_us ||
                          *way->time_us > *own->time_us * (1 + *decision.model_loss));
    if (candidate.baseline) {
      cell.baseline = i;
      cell.at_most_s = cell.times.back().timed() ? cell.times.back().seconds : 0;
    }
  }
}

// Returns the preset of the GPU or, if it has none, of another GPU with the same capability.
const GpuPreset& preset_for(std::string_view gpu, const NcclCluster& cluster) {
  const auto named = std::ranges::find(gpu_presets(), gpu, &GpuPreset::name);
  if (named != gpu_presets().end()) {
    return *named;
  }
  const auto alike = std::ranges::find_if(gpu_presets(), [&](const GpuPreset& each) {
    const NcclGpu* const known = nccl_gpu_named(each.name);
    return known != nullptr && known->machine.capability == cluster.lowest_capability;
  });
  TUTTI_INVARIANT(alike != gpu_presets().end());
  return *alike;
}

}  // namespace

void use_nccl_candidates(PreparedDecision& prepared, const NcclRuleSetup& setup,
                         const std::vector<const Algorithm*>& only) {
  Decision& decision = prepared.decision;
  decision.model_loss = setup.model_loss;
  decision.candidates.clear();
  decision.of_switches.clear();
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    const auto algorithm = static_cast<NcclAlgorithm>(a);
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      const auto protocol = static_cast<NcclProtocol>(p);
      if (nccl_has(decision.collective, name(algorithm), name(protocol)) &&
          is_wanted(decision.collective, algorithm, only)) {
        decision.candidates.push_back(candidate_of(algorithm, protocol));
      }
    }
  }
  if (decision.candidates.empty()) {
    throw UserError("$export=nccl: the library has none of the algorithms in $algorithms");
  }
  add_baseline(decision, "NCCL's own choice",
               nccl_rival(setup.machine, decision.collective, decision.ranks.back(),
                          prepared.problem_template)
                   .choose);
}

void carry_out_nccl(Decision& decision, const NcclRuleSetup& setup, std::size_t jobs) {
  std::vector<NcclJob> machines;
  for (const std::uint32_t ranks : decision.ranks) {
    machines.push_back(setup.machine.job(ranks));
  }
  const OpenedMachine* const platform = setup.platform ? &*setup.platform : nullptr;
  const auto time = [&](const std::vector<TimedCell*>& cells) {
    const auto work = [&](std::size_t i) {
      return static_cast<double>(decision.ranks[cells[i]->rank_index]);
    };
    for_each_parallel(cells.size(), {jobs, work}, [&](std::size_t i) {
      TimedCell& cell = *cells[i];
      fill_in(decision,
              nccl_answer_near_choice(machines[cell.rank_index], decision.collective, cell.bytes,
                                      platform),
              cell);
    });
  };
  std::vector<TimedCell*> grid;
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      grid.push_back(&cell);
    }
  }
  time(grid);
  SearchTiming timing;
  timing.time = time;
  timing.cuts = [](std::size_t) { return false; };
  search_decisions(decision.decisions,
                   {decision.limits, decision.crossover, decision.element_bytes}, timing);
}

std::shared_ptr<const ClusterPlatform> nccl_platform(const NcclOptions& machine,
                                                     std::uint32_t ranks) {
  const NcclJob job = machine.job(ranks);
  const GpuPlatform usual =
      usual_platform(preset_for(machine.gpu.value_or("h100"), job.cluster), job.cluster.nodes);
  GpuPlatform nodes = job.nodes;
  nodes.inner_s = usual.inner_s;
  nodes.card_s = usual.card_s;
  nodes.switch_s = usual.switch_s;
  nodes.memory_bytes_per_s = usual.memory_bytes_per_s;
  nodes.pcie_bytes_per_s = std::max(usual.pcie_bytes_per_s, nodes.card_bytes_per_s);
  nodes.speed_flops_per_s = usual.speed_flops_per_s;
  nodes.in_network = job.cluster.nvls ? "yes" : "";
  return std::make_shared<const ClusterPlatform>(
      std::make_shared<const Cluster>(tutti::cluster_of(nodes)), job.machine);
}

}}  // namespace tutti::experiments
