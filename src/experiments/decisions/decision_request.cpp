#include "src/experiments/decisions/decision_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/decide.hpp"
#include "src/experiments/decisions/measured.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/requests/machine_options.hpp"

namespace tutti::inline experiments {

namespace {

template <typename Number>
void sort_and_drop_repeated(std::vector<Number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void read_grid(DecisionRequest& request, Decision& decision) {
  decision.ranks = std::move(request.problems.ranks);
  sort_and_drop_repeated(decision.ranks);
  decision.sizes_bytes = std::move(request.problems.bytes);
  decision.sizes_are_blocks = request.sizes_are_blocks;
  if (decision.collective == Collective::barrier) {
    if (!decision.sizes_bytes.empty() && decision.sizes_bytes != std::vector<std::uint64_t>{0}) {
      throw UserError(
          fmt::format("$bytes '{}': a barrier moves no data; leave $bytes out",
                      request.problems.each.in_words(std::ranges::max(decision.sizes_bytes))));
    }
    decision.sizes_bytes = {0};
  }
  if (decision.sizes_bytes.empty()) {
    throw UserError("how many bytes? Give $bytes, such as 8..16MiB*2");
  }
  sort_and_drop_repeated(decision.sizes_bytes);
}

void read_machines(const DecisionRequest& request, Decision& decision) {
  const ProblemTemplate& each = request.problems.each;
  // Throws UserError unless every size is a whole number of elements.
  for (const std::uint32_t ranks : decision.ranks) {
    for (const std::uint64_t bytes : decision.sizes_bytes) {
      (void)plain_problem(decision.collective, each, ranks, decision.bytes_of(bytes, ranks));
    }
  }
  decision.element_bytes = each.element_bytes;
  const MachineSpec& spec = request.machine.spec;
  if (request.by == TimedBy::measured) {
    if (!spec.what_ifs.empty()) {
      throw UserError(
          "$by 'measured': measured times cannot include what-ifs, late ranks or jitter; leave "
          "them out");
    }
    return;
  }
  OpenedMachine machine = request.machine;
  const std::uint32_t placements = request.placements.value_or(1);
  if (request.placements) {
    constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint32_t>::max();
    if (spec.disturbance.seed + placements - 1 > kMostSeed) {
      throw UserError(fmt::format(
          "$seed '{}': the next {} seeds are used too, and the largest valid seed is {}",
          spec.disturbance.seed, placements - 1, kMostSeed));
    }
    decision.first_seed = static_cast<std::uint32_t>(spec.disturbance.seed);
  }
  for (std::uint32_t k = 0; k < placements; ++k) {
    if (request.placements) {
      machine.spec.placement_seed = decision.first_seed + k;
    }
    for (const std::uint32_t ranks : decision.ranks) {
      decision.machines.push_back(machine.machine(ranks, each.ranks_per_host, each.element_bytes));
    }
  }
  if (request.by == TimedBy::exact && spec.disturbance.any()) {
    throw UserError(
        "$by 'exact': closed forms cannot include late ranks or jitter; leave out $late_ranks and "
        "$jitter, or use $by simulation");
  }
  decision.facts = describe(decision.machines[decision.ranks.size() - 1]);
}

// Throws UserError for an option that no candidate takes, for example because the library lacks all
// algorithms that take it.
void refuse_untaken_options(const DecisionRequest& request, const Decision& decision) {
  std::vector<const Algorithm*> algorithms;
  for (const Candidate& each : decision.candidates) {
    algorithms.push_back(each.contender.algorithm);
  }
  refuse_what_none_takes(request.problems.said, algorithms);
}

}  // namespace

PreparedDecision prepare_decision(DecisionRequest request) {
  PreparedDecision prepared;
  Decision& decision = prepared.decision;
  decision.collective = request.collective;
  decision.by = request.by;
  decision.measured_file = request.measured_file;
  decision.limits = request.limits;
  decision.crossover = request.crossover;
  ProblemTemplate& each = request.problems.each;
  take_groups_from(request.machine, each);
  read_grid(request, decision);
  Candidates candidates = candidates_of(request.collective, each, request.who);
  decision.candidates = std::move(candidates.all);
  decision.left_out = std::move(candidates.left_out);
  if (request.machine.files.has_reducing_switches()) {
    const std::vector<const Algorithm*>& only = request.who.only;
    for (const Algorithm* algorithm : algorithms()) {
      if (algorithm->in_network() && algorithm->collective == request.collective &&
          (only.empty() || std::ranges::find(only, algorithm) != only.end())) {
        decision.of_switches.emplace_back(algorithm->name);
      }
    }
  }
  refuse_untaken_options(request, decision);
  read_machines(request, decision);
  prepared.asked = std::move(each);
  make_grid(decision);
  return prepared;
}

void carry_out(Decision& decision, Runner* runner, std::size_t jobs, bool everything) {
  if (decision.by != TimedBy::measured) {
    decide_by_times(decision, runner, jobs, everything);
    return;
  }
  fill_in_measured(decision.measured_file, decision);
  search_decisions(decision.decisions, {decision.limits, 0, decision.element_bytes}, {});
}

}  // namespace tutti::inline experiments
