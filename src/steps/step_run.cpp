#include "src/steps/step_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace steps {

namespace {

// A part of a step for classes of ranks cannot be made.
struct NotAlike {};

// A simulated step, without the short step.
struct PlacedRun {
  StepPlaces places;
  StepSchedule step;
  Schedule schedule;
  EngineRun run;
};

// True if only the flow engine runs, and nothing tells ranks or iterations apart.
bool runs_alike(const Machine& machine) {
  return !machine.engine->by_simgrid && !machine.both_engines() &&
         !machine.setup.disturbance.any() && machine.setup.eager_bytes < 0 &&
         machine.setup.ties.runs == 0;
}

PlacedRun simulate_all(const StepDescription& step, CallParts& parts, const StepMachine& machine) {
  StepPlaces places = all_places(step.ranks);
  ScheduleUnion into(step.ranks);
  StepSchedule made = schedule_of(step, places, *placed_calls(step, places, parts), into);
  Schedule schedule = into.finish();
  Machine own = machine.machine;
  own.setup.slow_computing = slow_computing(step, made, schedule.size());
  EngineRun run = run_engine(schedule, own);
  return {std::move(places), std::move(made), std::move(schedule), std::move(run)};
}

struct ReplicaSchedule {
  StepSchedule step;
  RankPart part;
};

ReplicaSchedule replica_schedule(const StepDescription& step, const StepPlaces& places,
                                 CallParts& parts) {
  const auto calls = placed_calls(step, places, parts);
  if (!calls) {
    throw NotAlike();
  }
  ScheduleUnion into(RankClasses::turned(step.ranks, places.simulated));
  StepSchedule made = schedule_of(step, places, *calls, into);
  return {std::move(made), into.finish_part()};
}

// Simulates the first replicas only. Returns nothing if that would not be exact.
std::optional<PlacedRun> simulate_replicas(const StepDescription& step, CallParts& parts,
                                           const StepMachine& machine) {
  auto places = replicated_places(step, parts);
  if (!places) {
    return std::nullopt;
  }
  Machine placed = machine_of_members(machine, places->rank_of_place);
  placed.copy_s_per_byte = machine.machine.copy_s_per_byte;
  const SymmetricRunner simulate = placed.engine->symmetric(placed);
  if (!simulate) {
    return std::nullopt;
  }
  try {
    ReplicaSchedule made = replica_schedule(step, *places, parts);
    const auto set_slow_computing = [&] {
      placed.setup.slow_computing = slow_computing(step, made.step, made.part.schedule.size());
    };
    set_slow_computing();
    SymmetricSchedule wanted{step.ranks, Symmetry::rotation, distances(made.part), {}, false};
    wanted.has_switches = made.part.schedule.switches() > 0;
    wanted.part = [&](const RankClasses& classes, std::uint32_t) {
      if (classes.count() != places->simulated) {
        places->simulated = classes.count();
        made = replica_schedule(step, *places, parts);
        set_slow_computing();
      }
      return std::move(made.part);
    };
    auto found = simulate(wanted);
    if (!found) {
      return std::nullopt;
    }
    return PlacedRun{std::move(*places), std::move(made.step), std::move(found->part.schedule),
                     std::move(found->run)};
  } catch (const NotAlike&) {
    return std::nullopt;
  }
}

// Returns the times when each place reaches the actions in begins() of a short step.
std::vector<std::vector<double>> times_reached(const ShortStep& shortened, const PlacedRun& run) {
  const StepDescription& step = shortened.step();
  const std::vector<std::size_t> begins = shortened.begins();
  const std::vector<double>& end_s = run.run.timeline.end_s;
  const std::uint32_t places = run.step.places;
  std::vector<std::vector<double>> reached;
  std::vector<double> now_s(places, 0.0);
  std::size_t computed = 0;
  for (std::size_t i = 0; i <= step.actions.size() && reached.size() < begins.size(); ++i) {
    if (begins[reached.size()] == i) {
      reached.push_back(now_s);
    }
    if (i == step.actions.size()) {
      break;
    }
    const StepAction& action = step.actions[i];
    const bool computes = action.kind == StepAction::Kind::compute;
    const std::uint32_t collective = run.step.collective_of[i];
    const bool waits = action.kind == StepAction::Kind::collective ||
                       (!computes && !action.calls() && collective != kNoCollective);
    for (std::uint32_t place = 0; place < places && (computes || waits); ++place) {
      if (step.takes_part(action, run.places.rank_of_place[place])) {
        const OpId last = computes ? run.step.computed[computed * places + place]
                                   : run.step.ends[std::size_t{collective} * places + place];
        now_s[place] = std::max(now_s[place], last == kNoOp ? 0 : end_s[last]);
      }
    }
    computed += computes ? 1 : 0;
  }
  return reached;
}

}  // namespace

void check_slowdowns(const StepDescription& step, const StepMachine& machine) {
  const Machine& runs_on = machine.machine;
  if (!step.slowdowns.empty() && (runs_on.engine->name != "flow" || runs_on.both_engines())) {
    throw UserError(fmt::format(
        "$engine '{}': only the flow engine makes computing slower beside communication; use "
        "$engine=flow, or leave the statement 'stream' out",
        runs_on.spec.engine));
  }
  if (!step.slowdowns.empty() && machine.shares_cores) {
    throw UserError(
        "a host has more ranks than cores, which is not modelled together with 'stream ... shares "
        "compute'; place fewer ranks on each host, or leave the statement out");
  }
}

StepRun run_step(const StepDescription& step, CallParts& parts, const StepMachine& machine) {
  check_slowdowns(step, machine);
  const bool alike = runs_alike(machine.machine);
  bool replicas = alike && machine.replicas;
  ShortStep::IterationsToKeep kept;
  while (true) {
    ShortStep shortened(step, kept, !alike || !machine.repetition);
    std::optional<PlacedRun> found;
    if (replicas) {
      found = simulate_replicas(shortened.step(), parts, machine);
      replicas = found.has_value();
    }
    if (!found) {
      found = simulate_all(shortened.step(), parts, machine);
    }
    const auto more =
        shortened.find_cycles(found->schedule, found->run.timeline, found->step.first_ops,
                              times_reached(shortened, *found));
    if (!more) {
      return {std::move(shortened), std::move(found->places), std::move(found->step),
              std::move(found->schedule), std::move(found->run)};
    }
    kept = *more;
  }
}

double time_alone_s(const CallRun& run, const StepMachine& machine,
                    const std::vector<Rank>& members) {
  StepDescription alone;
  alone.ranks = static_cast<std::uint32_t>(members.size());
  alone.layout = {{"rank", alone.ranks}};
  alone.groups = {group_of("rank", alone.layout, {{0, alone.ranks}})};
  alone.calls = {{run.problem.collective, run.problem.bytes, run.problem.root, 0}};
  alone.actions.emplace_back().kind = StepAction::Kind::collective;
  CallParts parts({run}, machine.plain.copy_s_per_byte);
  return run_step(alone, parts, part_of_machine(machine, members)).run.timeline.total_s;
}

}}  // namespace tutti::steps
