#include "src/simulation/explain/one_rank.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "schedules/rank_part.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Times that are at most this far apart count as tied. The tolerance is ten times that of
// walk_chain(), so that no tie is missed.
double tie_s(double at_s) { return std::max(2e-11, 1e-8 * at_s); }

// True if walk_chain() has no choice at any step of this chain.
bool is_only_chain(const Schedule& schedule, const Timeline& timeline,
                   const std::vector<ChainStep>& chain) {
  const auto ends = [&](double at_s) {
    return
        [&timeline, from_s = at_s - tie_s(at_s)](OpId id) { return timeline.end_s[id] >= from_s; };
  };
  std::size_t last = 0;
  for (OpId id = 0; id < schedule.size(); ++id) {
    last += ends(timeline.total_s)(id) ? 1 : 0;
  }
  return last == 1 && std::ranges::all_of(chain, [&](const ChainStep& step) {
           const double start_s = timeline.start_s[step.op];
           const auto tied = std::ranges::count_if(schedule.predecessors(step.op), ends(start_s));
           return step.waiter == kNoOp && (tied == 1 || (tied == 0 && start_s == 0));
         });
}

// Time during which a rank works, in seconds. `one` is the schedule of one rank, which sends as
// rank 0 and receives as rank 1.
double busy_of_rank_s(const Schedule& one, const Timeline& timeline) {
  std::vector<std::pair<double, double>> spans;
  spans.reserve(one.size());
  for (OpId id = 0; id < one.size(); ++id) {
    spans.emplace_back(timeline.start_s[id], timeline.end_s[id]);
  }
  std::ranges::sort(spans);
  double busy_s = 0;
  double until_s = 0;
  for (const auto& [from_s, to_s] : spans) {
    busy_s += std::max(0.0, to_s - std::max(from_s, until_s));
    until_s = std::max(until_s, to_s);
  }
  return busy_s;
}

// Gives all ranks the slack of the one rank. Returns false if the rank has slack or is idle. With
// all ranks, the last digits of idle times may then depend on the order of the operations.
bool put_slack(Explanation& explanation, std::uint32_t ranks) {
  // Half of the share of the total that print_explanation() counts as 0.
  constexpr double kNone = 5e-10;
  const Simulation& run = explanation.run;
  const double total_s = run.timeline.total_s;
  const std::vector<double>& op_s = explanation.slack.op_s;
  const RankSlack rank{*std::ranges::min_element(op_s),
                       busy_of_rank_s(*run.schedule, run.timeline)};
  explanation.slack.ranks.assign(ranks, rank);
  return rank.slack_s <= kNone * total_s && total_s - rank.busy_s <= kNone * total_s;
}

// Simulates one rank, and records what explain() needs. Returns nothing if one rank cannot
// represent all, or if a link held a message back.
std::optional<Simulation> run_of_one_rank(const Algorithm& algorithm, const Problem& problem,
                                          const Machine& machine) {
  Machine on = machine;
  on.spec.symmetry = SymmetryUse::on;
  RunResult result;
  try {
    result = simulate(algorithm, problem, on, Detail::times_only).result;
  } catch (const UserError&) {
    return std::nullopt;  // the caller finds out why when it simulates all ranks
  }
  if (result.classes != 1) {
    return std::nullopt;
  }
  auto part = make_rank_part(algorithm, problem, symmetry_of(algorithm, problem));
  TUTTI_INVARIANT(part);
  watch_run(on);
  EngineRun run = on.engine->run(part->schedule, on, nullptr);
  const bool held = std::ranges::any_of(
      run.record.stretches, [](const FlowStretch& stretch) { return stretch.link != kNoLink; });
  if (held || run.timeline.waited || (on.engine->has_network && !run.record.complete)) {
    return std::nullopt;
  }
  // The result describes the run of all ranks, as if each had been simulated.
  result.symmetry.reset();
  result.classes = 0;
  result.machine.spec.symmetry = SymmetryUse::off;
  return Simulation{std::move(part->schedule),
                    std::move(run.timeline),
                    std::move(result),
                    {std::move(run.record), std::move(run.links), {}}};
}

bool is_only_longest_path(const Simulation& run, const OwnTimes& nominal) {
  const RunSetup& setup = run.result.machine.setup;
  const Timeline longest =
      CriticalPathEngine(run.result.described.prices).run(*run.schedule, setup);
  return !longest.waited &&
         is_only_chain(*run.schedule, longest, walk_chain(*run.schedule, longest, setup, nominal));
}

}  // namespace

std::optional<Explanation> explain_one_rank(const Algorithm& algorithm, const Problem& problem,
                                            const Machine& machine, bool improve) {
  if (!machine.engine->all_alike(machine) || takes_whole_schedule(algorithm, problem, machine) ||
      machine.mapping.host_of_rank != nullptr) {
    return std::nullopt;
  }
  std::optional<Simulation> run = run_of_one_rank(algorithm, problem, machine);
  if (!run || run->timeline.total_s == 0 ||
      !is_only_chain(*run->schedule, run->timeline, run->result.chain.steps) ||
      !is_only_longest_path(*run, nominal_times(run->result, *run->schedule))) {
    return std::nullopt;
  }
  Explanation explanation = explain(std::move(*run));
  if (!put_slack(explanation, problem.ranks)) {
    return std::nullopt;
  }
  explanation.limit = limit_gap(explanation.run, explanation.account, true);
  explanation.run.result.bound_s = explanation.limit->bound_s();
  if (improve) {
    explanation.improvements = what_would_help_all(explanation.run, machine);
  }
  return explanation;
}

}}  // namespace tutti::simulation
