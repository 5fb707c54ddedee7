#include "src/experiments/decisions/assumptions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A loss counts only if it is larger than this share of the shorter time.
constexpr double kLeastLoss = 0.01;

// True if `longer` is the longer time by more than kLeastLoss, whatever the order of ties.
bool clearly_longer(const RangedTime& longer, const RangedTime& shorter) {
  return shorter.seconds > 0 && longer.seconds / shorter.seconds - 1 > kLeastLoss &&
         !level_within_ties(longer, shorter);
}

std::uint64_t operations_of(const Comparison& comparison) {
  std::uint64_t ops = 0;
  for (const CaseRun& run : comparison.runs) {
    const RunResult* const result = run.outcome.result();
    ops += result != nullptr ? result->ops : 0;
  }
  return ops;
}

// True if the cells can be run again, with all values, in less than about half a second.
bool is_cheap_to_check(const Comparison& comparison) {
  constexpr std::size_t kMostCells = 4;
  constexpr std::uint64_t kMostOps = 300'000;
  const Machine& machine = comparison.machines.front();
  return comparison.ranks.size() * comparison.sizes_bytes.size() <= kMostCells &&
         !machine.both_engines() && !machine.engine->needs_simgrid(machine) &&
         operations_of(comparison) <= kMostOps;
}

// Returns the built-in algorithms of a comparison that can be candidates of a decision.
std::vector<const Algorithm*> candidates_among(const std::vector<const Algorithm*>& algorithms) {
  std::vector<const Algorithm*> candidates;
  std::ranges::copy_if(algorithms, std::back_inserter(candidates), [](const Algorithm* each) {
    return each->program == nullptr && !each->in_network();
  });
  return candidates;
}

// Decides between all values of all options of `algorithms`, in the cells of `comparison`.
Decision decide_all_values(const Comparison& comparison, const ComparisonRequest& request,
                           std::vector<const Algorithm*> algorithms, std::size_t jobs,
                           Messages& messages) {
  DecisionRequest all;
  all.collective = comparison.collective;
  all.problems = request.problems;
  all.problems.given_options
      .clear();  // some options may apply only to algorithms that are left out
  all.problems.bytes = comparison.sizes_bytes;
  all.machine = request.machine;
  all.who.only = std::move(algorithms);
  all.limits.tolerance = kLeastLoss;
  all.crossover = 0;  // no sizes between those of the comparison
  Decision decision = prepare_decision(std::move(all)).decision;
  const auto runner = local_runner(decision.machines.front(), jobs, messages);
  carry_out(decision, runner.get(), jobs, false);
  return decision;
}

// Compares the best of all candidates in a cell with the winner of the comparison. `found` has the
// indices of the cell.
void compare_values(const Decision& decision, const TimedCell& cell, const CellWinners& winners,
                    OtherBest found, std::vector<OtherBest>& all) {
  const auto best = cell.best();
  if (!best || winners.who.empty()) {
    return;
  }
  const CandidateTime& time = cell.times[*best];
  if (clearly_longer(winners.best, time.time())) {
    found.best = in_words(decision.candidates[*best], time.segment_bytes);
    found.seconds = time.seconds;
    found.loss = winners.best.seconds / time.seconds - 1;
    all.push_back(std::move(found));
  }
}

// Adds the cells in which another value of an option makes an algorithm the best.
void check_values(const Comparison& comparison, const WinnerMap& winners,
                  const ComparisonRequest& request, std::size_t jobs, Messages& messages,
                  std::vector<OtherBest>& found) {
  std::vector<const Algorithm*> algorithms = candidates_among(request.algorithms);
  if (algorithms.empty()) {
    return;
  }
  const Decision decision =
      decide_all_values(comparison, request, std::move(algorithms), jobs, messages);
  for (std::size_t r = 0; r < decision.decisions.size(); ++r) {
    std::size_t s = 0;
    for (const TimedCell& cell : decision.decisions[r].cells) {
      if (const auto shown = winners.shown(r, s)) {
        compare_values(
            decision, cell, winners.at(r, s),
            {winners.ranks()[r], winners.sizes()[s], "", 0, comparison.contenders[*shown].label},
            found);
      }
      ++s;
    }
  }
}

// Returns the time of the contender in `who` that is the fastest in a cell; null if none of them
// has a time there.
std::optional<RangedTime> fastest(const Comparison& comparison, std::size_t rank, std::size_t size,
                                  const std::vector<std::size_t>& who) {
  std::optional<RangedTime> least;
  for (const std::size_t contender : who) {
    const RunResult* const result = comparison.run(rank, size, contender).outcome.result();
    if (result != nullptr && (!least || result->time().seconds < least->seconds)) {
      least = result->time();
    }
  }
  return least;
}

// Adds the cells in which another contender is the best with `other_ports`.
void check_ports(const Comparison& comparison, const WinnerMap& winners, ComparisonRequest request,
                 std::size_t jobs, Messages& messages, Assumptions& found) {
  found.other_ports =
      comparison.machines.front().setup.ports == kUnlimitedPorts ? 1 : kUnlimitedPorts;
  request.machine.spec.ports = found.other_ports;
  Comparison other = prepare_comparison(std::move(request));
  const auto runner = local_runner(other.machines.front(), jobs, messages);
  run(other, *runner);
  const WinnerMap others(other);
  for (std::size_t r = 0; r < winners.ranks().size(); ++r) {
    for (std::size_t s = 0; s < winners.sizes().size(); ++s) {
      const std::size_t rank = winners.ranks()[r];
      const std::size_t size = winners.sizes()[s];
      const auto here = winners.shown(r, s);
      const auto there = others.shown(r, s);
      const auto longer = fastest(other, rank, size, winners.at(r, s).who);
      const RangedTime& shorter = others.at(r, s).best;
      if (here && there && longer && clearly_longer(*longer, shorter)) {
        found.ports.push_back({rank, size, other.contenders[*there].label, shorter.seconds,
                               comparison.contenders[*here].label,
                               longer->seconds / shorter.seconds - 1});
      }
    }
  }
}

}  // namespace

Assumptions assumptions_of(const Comparison& comparison, const WinnerMap& winners,
                           const ComparisonRequest& request, std::size_t jobs, Messages& messages) {
  Assumptions found;
  // The caller, not prepare_comparison(), finds the skips of contenders with finds_skips.
  const bool finds_skips = std::ranges::any_of(comparison.contenders, &Contender::finds_skips);
  if (!is_cheap_to_check(comparison) || request.machine.spec.disturbance.any() || finds_skips) {
    return found;
  }
  try {
    check_values(comparison, winners, request, jobs, messages, found.values);
  } catch (const UserError&) {
    // A decision does not support every request of a comparison, such as individual block sizes.
  }
  check_ports(comparison, winners, request, jobs, messages, found);
  return found;
}

}}  // namespace tutti::experiments
