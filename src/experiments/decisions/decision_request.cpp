#include "src/experiments/decisions/decision_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/decisions/measured.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/requests/machine_options.hpp"
#include "src/simulation/machine_bound.hpp"

namespace tutti { inline namespace experiments {

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
    throw UserError("the size is missing; give $bytes, such as 8..16MiB*2");
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
        "$jitter, or use $by=simulation");
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
  refuse_what_none_takes(request.problems.given_options, algorithms);
}

// Adds an untimed cell for each number of ranks and each size of the decision.
void make_grid(Decision& decision) {
  for (std::uint32_t r = 0; r < decision.ranks.size(); ++r) {
    RankDecision each;
    each.ranks = decision.ranks[r];
    for (const std::uint64_t bytes : decision.sizes_bytes) {
      TimedCell cell;
      cell.rank_index = r;
      cell.bytes = decision.bytes_of(bytes, each.ranks);
      each.cells.push_back(std::move(cell));
    }
    decision.decisions.push_back(std::move(each));
  }
}

// Rounds `count` up to two significant digits, because counts of messages are estimates.
std::uint64_t rounded_up(std::uint64_t count) {
  std::uint64_t unit = 1;
  while (count / unit >= 100) {
    unit *= 10;
  }
  return (count + unit - 1) / unit * unit;
}

// Finds the first number of ranks for which a candidate that is too large to be simulated might be
// the best. Removes this number of ranks, all larger ones, and their machines. Returns true if
// there is such a number.
bool leave_out_undecided(Decision& decision) {
  const auto first = std::ranges::find_if(decision.decisions, [](const RankDecision& each) {
    return std::ranges::any_of(each.cells, &TimedCell::undecided);
  });
  if (first == decision.decisions.end()) {
    return false;
  }
  for (auto each = first; each != decision.decisions.end(); ++each) {
    for (const TimedCell& cell : each->cells) {
      decision.messages_needed = std::max(decision.messages_needed, cell.messages_needed);
    }
  }
  decision.messages_needed = rounded_up(decision.messages_needed);
  const auto left = static_cast<std::size_t>(first - decision.decisions.begin());
  const std::size_t before = decision.ranks.size();
  std::vector<Machine> machines;
  for (std::size_t i = 0; i < decision.machines.size(); ++i) {
    if (i % before < left) {
      machines.push_back(std::move(decision.machines[i]));
    }
  }
  decision.machines = std::move(machines);
  decision.too_many_ranks.assign(decision.ranks.begin() + static_cast<std::ptrdiff_t>(left),
                                 decision.ranks.end());
  decision.ranks.resize(left);
  decision.decisions.erase(first, decision.decisions.end());
  return true;
}

// Times the cells of the grid. Then adds and times cells between the sizes of the grid, to locate
// the boundaries between rules, and fills in the rules. `decision.by` must not be `measured`.
// `runner` may be null if nothing is run. If `everything` is set, simulates all candidates to
// their end.
void decide_by_times(Decision& decision, Runner* runner, std::size_t jobs, bool everything) {
  std::vector<TimedCell*> cells;
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      cells.push_back(&cell);
    }
  }
  const TimingSetup setup{
      decision.candidates, decision.ranks, decision.machines, decision.by,
      // If the number of rules is limited, a rule may have to cover sizes at which its candidate is
      // much slower than the best, so the times of slow candidates are needed too.
      everything || decision.limits.at_most.has_value(), decision.limits.tolerance > 0,
      decision.limits.tolerance, jobs, runner, decision.most_messages};
  std::optional<CandidateTimer> of_all(setup);
  of_all->time(cells, "deciding");
  if (leave_out_undecided(decision)) {
    if (decision.ranks.empty()) {
      return;
    }
    of_all.emplace(setup);  // with only the remaining machines
  }
  const CandidateTimer& timer = *of_all;
  SearchTiming timing;
  timing.time = [&](const std::vector<TimedCell*>& wave) {
    timer.time(wave, "finding boundaries");
  };
  timing.cuts = [&](std::size_t candidate) { return decision.candidates[candidate].cuts; };
  // Without a tolerance, every size gets its own best segment size.
  if (decision.limits.tolerance > 0) {
    timing.estimate = [&](const std::vector<SegmentTrial>& wishes) { timer.estimate(wishes); };
    timing.recut = [&](const std::vector<SegmentTrial>& wishes) {
      timer.recut(wishes, "trying segments");
    };
  }
  search_decisions(decision.decisions,
                   {decision.limits, decision.crossover, decision.element_bytes}, timing);
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
  prepared.problem_template = std::move(each);
  make_grid(decision);
  return prepared;
}

void carry_out(Decision& decision, Runner* runner, std::size_t jobs, bool everything) {
  if (decision.by != TimedBy::measured) {
    decide_by_times(decision, runner, jobs, everything);
    return;
  }
  fill_in_measured(decision.measured_file, decision);
  take_baseline_times(decision);
  search_decisions(decision.decisions, {decision.limits, 0, decision.element_bytes}, {});
}

void find_limits(Decision& decision) {
  // NCCL's algorithms are timed on nodes of their own, not on the decision's machines.
  if (decision.by != TimedBy::simulation || decision.model_loss) {
    return;
  }
  // Routes of the machine with most ranks, which comes last, may serve all others.
  for (std::size_t r = decision.ranks.size(); r-- > 0;) {
    std::vector<Limits> of_placements;
    for (std::size_t i = 0; i < decision.placements(); ++i) {
      of_placements.emplace_back(decision.machines[i * decision.ranks.size() + r]);
    }
    for (TimedCell& cell : decision.decisions[r].cells) {
      const auto best = cell.best();
      if (!best) {
        continue;
      }
      // The candidate of a library's own choice has no algorithm.
      const Algorithm* const algorithm = decision.candidates[*best].contender.algorithm;
      if (algorithm != nullptr && unverified(*algorithm)) {
        continue;
      }
      const Problem problem =
          first_look(decision.candidates[*best], decision.ranks[r], cell.bytes).problem;
      double sum_s = 0;
      bool known = true;
      for (Limits& limits : of_placements) {
        const std::optional<double> bound_s = limits.of(problem);
        known = known && bound_s;
        sum_s += bound_s.value_or(0);
      }
      if (known) {
        cell.bound_s = sum_s / static_cast<double>(of_placements.size());
      }
    }
  }
}

std::vector<RankStep> steps_decided(const Decision& decision, const WhyRule& why) {
  std::vector<RankStep> steps = steps_of(
      decision.decisions, decision.candidates, [&](const RankDecision& each, std::size_t interval) {
        return why ? why(decision, each, interval) : std::string();
      });
  return has_rules(decision) ? steps : std::vector<RankStep>();
}

bool has_rules(const Decision& decision) {
  return std::ranges::any_of(decision.decisions, [&](const RankDecision& each) {
    return std::ranges::any_of(each.intervals, [&](const SizeInterval& interval) {
      return !decision.candidates[interval.candidate].choice.left_to_library;
    });
  });
}

RulesToWrite rules_to_write(const Decision& decision, const WhyRule& why) {
  RulesToWrite rules;
  rules.collective = decision.collective;
  rules.ranks = decision.ranks;
  rules.steps = steps_decided(decision, why);
  return rules;
}

bool something_runs(const Decision& decision) {
  return std::any_of(decision.decisions.begin(), decision.decisions.end(),
                     [](const RankDecision& each) { return !each.intervals.empty(); });
}

void check_something_runs(const Decision& decision) {
  if (!something_runs(decision)) {
    throw UserError(first_refusal(decision).value_or(
        "no algorithm has a time for any of these numbers of ranks and sizes"));
  }
}

std::optional<std::string> first_refusal(const Decision& decision) {
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      for (const CandidateTime& time : cell.times) {
        if (!time.refusal.empty()) {
          return time.refusal;
        }
      }
    }
  }
  return std::nullopt;
}

}}  // namespace tutti::experiments
