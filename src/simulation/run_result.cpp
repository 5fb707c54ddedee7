#include "src/simulation/run_result.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/stopwatch.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/cost_curves.hpp"
#include "schedules/fingerprint.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/rank_part.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/steady_rounds.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/library_work.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/outcome_json.hpp"
#include "src/simulation/simgrid_run.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti { inline namespace simulation {

RunResult::RunResult() = default;
RunResult::RunResult(const RunResult&) = default;
RunResult::RunResult(RunResult&&) noexcept = default;
RunResult& RunResult::operator=(const RunResult&) = default;
RunResult& RunResult::operator=(RunResult&&) noexcept = default;
RunResult::~RunResult() = default;

namespace {

std::uint64_t own_peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// Counts the rounds that were left out of a stretch: each is like the last one that was kept.
void add_left_out(RunResult& result, const Schedule& schedule, const RepeatedRounds& stretch) {
  const std::uint64_t left_out = stretch.left_out;
  std::uint32_t highest = 0;
  std::uint32_t highest_before = 0;
  for (OpId id = stretch.begin_of(stretch.kept - 1); id < stretch.begin_of(stretch.kept); ++id) {
    const Op& op = schedule.op(id);
    highest = std::max(highest, op.label().level);
    highest_before = std::max(highest_before, schedule.op(id - stretch.ops).label().level);
    result.messages += op.is_comm() ? left_out : 0;
    result.bytes_sent += op.is_comm() ? left_out * op.bytes() : 0;
    result.bytes_reduced += op.kind() == OpKind::reduce ? left_out * op.bytes() : 0;
    result.dependencies += left_out * schedule.predecessors(id).size();
  }
  result.ops += left_out * stretch.ops;
  result.rounds += stretch.left_out * (highest - highest_before);
}

// Stores the facts of the whole schedule. If `part` is set, `schedule` is the part of one rank of
// each class, and its counts are scaled up.
void take_facts(RunResult& result, const Schedule& schedule, const RankPart* part) {
  const std::uint64_t times = part != nullptr ? part->stands_for() : 1;
  result.ops = schedule.size();
  result.dependencies = schedule.dependencies();
  result.messages = schedule.messages();
  result.bytes_sent = schedule.bytes_sent();
  result.bytes_reduced = schedule.bytes_reduced();
  result.rounds = schedule.rounds();
  for (const RepeatedRounds& stretch : schedule.repeated()) {
    add_left_out(result, schedule, stretch);
  }
  result.ops *= times;
  result.ops_simulated = times * schedule.size();
  result.dependencies = part != nullptr ? part->whole_dependencies : result.dependencies;
  result.messages *= times;
  result.bytes_sent *= times;
  result.bytes_reduced *= times;
  if (schedule.problem().collective == Collective::application) {
    result.calculations_s = 1e-9 * static_cast<double>(schedule.bytes_reduced());
    result.bytes_reduced = 0;
  }
  result.unproved = schedule.bytes_only() ? bytes_only_text(schedule) : "";
  result.blocks = schedule.blocks();
  const std::uint64_t owned = natural_blocks(result.problem.collective, result.problem.ranks);
  const bool in_parts = owned > 1 && schedule.blocks() % owned == 0;
  const auto parts = static_cast<std::uint32_t>(in_parts ? schedule.blocks() / owned : 1);
  result.smallest_block_bytes = result.smallest_owned_bytes =
      std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t first = 0; first < schedule.blocks(); first += parts) {
    std::uint64_t together = 0;
    for (std::uint32_t block = first; block < first + parts; ++block) {
      const std::uint64_t bytes = schedule.layout().size_bytes(block);
      result.smallest_block_bytes = std::min(result.smallest_block_bytes, bytes);
      result.largest_block_bytes = std::max(result.largest_block_bytes, bytes);
      together += bytes;
    }
    result.smallest_owned_bytes = std::min(result.smallest_owned_bytes, together);
    result.largest_owned_bytes = std::max(result.largest_owned_bytes, together);
  }
}

}  // namespace

std::string program_of(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.program != nullptr ? algorithm.program->file(problem) : "";
}

bool unverified(const Algorithm& algorithm) {
  return algorithm.program != nullptr && algorithm.program->unverified();
}

void price(RunResult& result) {
  const Prices& prices = result.described.prices;
  // Closed forms do not model late ranks, varying times, or switches that take time to reduce.
  if (result.algorithm->exact_s != nullptr && !result.machine.setup.disturbance.any() &&
      !(result.algorithm->in_network() && switches_take_time(result.machine))) {
    result.exact_s = result.algorithm->exact_s(result.problem, prices);
  }
  if (result.file.empty()) {  // there are no published formulas for files
    result.published = published_costs(*result.algorithm, result.problem, prices);
  }
}

const PublishedCost* RunResult::main_published() const {
  for (const PublishedCost& cost : published) {
    if (!cost.misprint()) {
      return &cost;
    }
  }
  return nullptr;
}

std::string RunResult::why_unproved() const {
  return unproved.empty() && unverified(*algorithm) ? with_fields(kNoVerify) : unproved;
}

void RunResult::drop_misprints() {
  std::erase_if(published, [](const PublishedCost& cost) { return cost.misprint(); });
}

bool differs(double value, double reference) {
  constexpr double kEqualTimes = 1e-9;
  // NaN differs from every value.
  return !(std::fabs(value - reference) <=
           kEqualTimes * std::max(std::fabs(value), std::fabs(reference)));
}

OwnTimes nominal_times(const RunResult& result, const Schedule& schedule) {
  const RunSetup& setup = result.machine.setup;
  if (setup.curves) {
    return [measured = prices_of(schedule, *setup.curves, setup.same_node)](
               OpId id, const Op& op) -> OwnTime {
      if (!op.is_comm()) {
        return {0, measured.seconds(id, op)};
      }
      const CostPiece& line = measured.lines[id];
      return {line.fixed_s, static_cast<double>(op.bytes()) * line.s_per_byte};
    };
  }
  const Prices& prices = result.described.prices;
  return [prices, ranks = schedule.ranks(), messages = own_times_by(prices, schedule.ranks())](
             OpId id, const Op& op) -> OwnTime {
    return op.is_comm() ? messages(id, op) : OwnTime{0, op_s(op, prices, ranks)};
  };
}

namespace {

// Returns the time that each operation takes alone in this run. Leaves `run.own_times` in a
// moved-from state.
OwnTimes own_times_of(EngineRun& run, const RunResult& result, const Schedule& schedule) {
  const Machine& machine = result.machine;
  const bool ends = !machine.setup.curves && run.own_times && !run.timeline.at_ends_s.empty();
  OwnTimes steady = machine.setup.curves ? nominal_times(result, schedule)
                    : run.own_times      ? std::move(run.own_times)
                                         : own_times_by(result.described.prices, schedule.ranks());
  if (machine.setup.disturbance.jitter == 0) {
    return steady;
  }
  // Jitter scales the network and local work. The work at the two ends of a message keeps its time.
  return [steady = std::move(steady), disturbance = machine.setup.disturbance,
          at_ends_s = ends ? run.timeline.at_ends_s : std::vector<double>()](
             OpId id, const Op& op) -> OwnTime {
    const double factor = disturbance.factor(id);
    const OwnTime own = steady(id, op);
    const double at_ends = at_ends_s.empty() || !op.is_comm() ? 0 : at_ends_s[id];
    return {(own.startup_s - at_ends) * factor + at_ends, own.transfer_s * factor};
  };
}

// Returns nothing if rounds were left out of the schedule, and do not repeat on the longest path.
std::optional<PathTotal> longest_path(const Prices& prices, const Schedule& schedule,
                                      const RunSetup& setup) {
  CriticalPathEngine engine(prices);
  if (schedule.repeated().empty()) {
    return engine.run_total(schedule, setup);
  }
  Timeline timeline = engine.run(schedule, setup);
  return add_left_out_rounds(schedule, timeline)
             ? std::optional(PathTotal{timeline.total_s, timeline.waited})
             : std::nullopt;
}

// Moves the results of the run into `result`, whose algorithm, problem, machine and schedule facts
// must be set. Leaves the timeline in `run`. Returns false if rounds were left out of the schedule
// and the result is not known without them.
[[nodiscard]] bool take_run(RunResult& result, const Schedule& schedule, EngineRun& run,
                            ResultFields wanted = ResultFields::everything) {
  Timeline& timeline = run.timeline;
  result.described = std::move(run.machine);
  result.repeats = run.repeats;
  if (run.repeats.runs > 0) {
    result.machine.setup.disturbance.seed = run.repeats.seed;
  }
  result.load_wall_s = run.load_s;
  result.simulate_wall_s = run.simulate_s;
  const Prices& prices = result.described.prices;
  result.simulated_s = run.call_s.value_or(timeline.total_s);
  result.longest_path_s = timeline.total_s;
  result.waited = timeline.waited;
  if (result.machine.engine->has_network && wanted == ResultFields::everything) {
    // The prices are those of the slowest route, so the longest path may take longer than the run.
    RunSetup setup = result.machine.setup;
    setup.give_up_s = std::numeric_limits<double>::infinity();
    const auto longest = longest_path(prices, schedule, setup);
    if (!longest) {
      return false;
    }
    result.longest_path_s = longest->total_s;
    timeline.waited |= longest->waited;
  }
  result.comparison = run.comparison;
  result.ties = run.ties;
  price(result);
  if (wanted != ResultFields::time) {
    result.chain =
        critical_chain(schedule, timeline, own_times_of(run, result, schedule),
                       result.machine.setup, run_starts_s(result.machine, result.problem.bytes));
    result.chain_ops = result.chain.steps.size();
  }
  result.peak_rss_bytes = std::max(own_peak_rss_bytes(), run.peak_rss_bytes);
  return result.chain.is_known;
}

Simulation run(RunResult result, Schedule schedule, const RunEngine& engine,
               ResultFields wanted = ResultFields::everything) {
  EngineRun run = engine.run(schedule, result.machine);
  if (const auto& known_total_s = result.machine.setup.ties.known_total_s) {
    result.simulated_s = *known_total_s;
    result.ties = run.ties;
  } else {
    const bool known = take_run(result, schedule, run, wanted);
    TUTTI_INVARIANT(known);
  }
  // The result describes a run of its own, which may be repeated with another record.
  result.machine.record = {};
  result.machine.setup.watched = nullptr;
  return {std::move(schedule),
          std::move(run.timeline),
          std::move(result),
          {std::move(run.record), std::move(run.links), std::move(run.routes)}};
}

// Returns why one rank of each class cannot represent all ranks; "" if nothing known before the run
// prevents it.
std::string symmetry_obstacle(const Algorithm& algorithm, const Problem& problem,
                              const Machine& machine, Detail detail) {
  const RankSymmetry ranks = symmetry_of(algorithm, problem);
  if (!ranks.symmetry) {
    return std::string(ranks.lacking);
  }
  if (problem.ranks == 1) {
    return "there is only one rank";
  }
  if (detail == Detail::payload) {
    return "the timeline shows every rank";
  }
  if (machine.setup.disturbance.any()) {
    return "late ranks and jitter make every rank different";
  }
  if (machine.setup.curves || machine.files.messages) {
    return "the cost of messages in $parameters depends on which ranks share a node";
  }
  if (machine.setup.eager_bytes >= 0) {
    return "the two ends of an eager message behave differently";
  }
  if (machine.setup.ties.runs > 0 && machine.setup.ties.most_ops == 0) {
    return "$ties delays each rank differently";
  }
  if (machine.both_engines() || machine.engine->by_simgrid) {
    return "SimGrid simulates every rank";
  }
  return {};
}

// Simulates one rank of each class of the schedule in place of all ranks, on a machine on which all
// ranks are equivalent. Returns nothing if the result would not be exact.
std::optional<RunResult> simulate_alike(RunResult result, const RankPart& part,
                                        const RunEngine& engine) {
  result.classes = part.classes.count();
  take_facts(result, part.schedule, &part);
  EngineRun run = engine.run(part.schedule, result.machine);
  const bool known = take_run(result, part.schedule, run);
  TUTTI_INVARIANT(known);
  return run.timeline.waited ? std::nullopt : std::optional(std::move(result));
}

// False if all rounds are wanted, or if more than the state of a run decides what happens next, so
// that rounds need not go on as they have begun.
bool may_leave_out_rounds(const RunResult& asked) {
  const Machine& machine = asked.machine;
  const RunSetup& setup = machine.setup;
  return !machine.spec.all_rounds && !setup.disturbance.any() && !setup.curves &&
         !machine.files.messages && !setup.slow_computing &&
         setup.give_up_s == std::numeric_limits<double>::infinity() && !setup.ties.known_total_s &&
         setup.shifts.most_s == 0;
}

// Simulates one rank of each class in place of all ranks. The platform determines the classes.
std::optional<RunResult> simulate_classes(const RunResult& asked, const RankPart& one,
                                          const RunEngine& engine, bool leaves_out) {
  RunResult result = asked;
  const Algorithm& algorithm = *asked.algorithm;
  double emit_s = 0;
  auto symmetric =
      engine.run_symmetric({result.problem.ranks, one.classes.symmetry(), distances(one),
                            [&](const RankClasses& classes, std::uint32_t most_rounds) {
                              const Stopwatch emit_watch;
                              RankPart part =
                                  emit_part(algorithm, result.problem, {classes}, most_rounds);
                              emit_s += emit_watch.seconds();
                              return part;
                            },
                            false, leaves_out, algorithm.has_alike_rounds_in_part});
  if (!symmetric) {
    return std::nullopt;
  }
  const RankPart& part = symmetric->part;
  result.classes = part.classes.count();
  take_facts(result, part.schedule, &part);
  if (!take_run(result, part.schedule, symmetric->run)) {
    return simulate_classes(asked, one, engine, false);
  }
  result.emit_wall_s += emit_s;
  result.simulate_wall_s -= emit_s;
  return symmetric->run.timeline.waited ? std::nullopt : std::optional(std::move(result));
}

// Number of additional operations to emit, beyond those of three ranks, to check that equivalent
// ranks have the same operations. In a small schedule, this covers all ranks.
constexpr std::size_t kOpsLookedAt = std::size_t{1} << 17U;

// Simulates one rank, or one rank of each class, in place of all ranks. Returns nothing if the
// result would not be exact.
std::optional<RunResult> simulate_some(RunResult result, const RunEngine& engine) {
  const bool one = result.machine.engine->all_alike(result.machine);
  const Stopwatch emit_watch;
  const RankSymmetry symmetry = symmetry_of(*result.algorithm, result.problem);
  result.symmetry = symmetry.symmetry;
  const auto part =
      make_rank_part(*result.algorithm, result.problem, symmetry, one ? 0 : kOpsLookedAt);
  if (!part) {
    return std::nullopt;
  }
  result.emit_wall_s = emit_watch.seconds();
  return one ? simulate_alike(std::move(result), *part, engine)
             : simulate_classes(result, *part, engine, may_leave_out_rounds(result));
}

// Like simulate_some(), for a platform that no process has loaded yet: a new process loads the
// platform, emits the operations of the simulated ranks, and simulates them.
std::optional<RunResult> simulate_some_isolated(const RunResult& result) {
  SimGridRuns runs(result.machine, [&](const std::string&, const RunEngine& engine) {
    auto done = simulate_some(result, engine);
    return done ? outcome_line(std::move(*done)) : std::string();
  });
  const std::string line = runs.run({});
  if (line.empty()) {
    return std::nullopt;
  }
  Outcome outcome = outcome_of_line({result.algorithm, result.problem, &result.machine}, line);
  return std::move(*outcome.result());
}

}  // namespace

Simulation simulate(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                    Detail detail) {
  return simulate(algorithm, problem, machine, detail, engine_of(machine));
}

namespace {

// Returns the detail with which schedules for the machine are made. With measured costs, the cost
// of a reduction depends on which blocks were sent.
Detail detail_of(const Machine& machine, Detail if_no_curves = Detail::times_only) {
  return machine.setup.curves ? Detail::payload : if_no_curves;
}

// Returns nothing if the schedule, although it is cut, is too large.
std::optional<Schedule> schedule_if_small(const Algorithm& algorithm, const Problem& problem,
                                          std::uint32_t most_rounds) {
  try {
    return make_schedule(algorithm, problem, Detail::times_only, most_rounds);
  } catch (const ScheduleTooLarge&) {
    return std::nullopt;
  }
}

// Simulates a schedule without the rounds that repeat. Returns nothing if the result would not be
// exact, or if more than the times is wanted.
std::optional<RunResult> simulate_steady(const RunResult& asked, const RunEngine& engine) {
  const Machine& machine = asked.machine;
  const bool recorded = machine.setup.watched != nullptr || machine.record.link_statistics ||
                        machine.record.keep_routes;
  // Without the arrivals of eager messages, their state is not known.
  const bool seen = machine.setup.eager_bytes < 0 || machine.record.message_ends;
  if (!asked.algorithm->has_alike_rounds || !may_leave_out_rounds(asked) ||
      machine.both_engines() || machine.engine->by_simgrid || recorded || !seen) {
    return std::nullopt;
  }
  Machine without_ties = machine;
  without_ties.setup.ties = {};
  constexpr double kMostShare = 1.0 / 24;  // ranks may run ahead of others more and more
  for (RoundCuts cuts(asked.problem.ranks, kMostShare); cuts.now() != kAllRounds;) {
    RunResult result = asked;
    const Stopwatch emit_watch;
    const auto made = schedule_if_small(*asked.algorithm, asked.problem, cuts.now());
    if (!made || !cuts.pays(*made, cuts.now())) {
      break;
    }
    const Schedule& schedule = *made;
    result.emit_wall_s = emit_watch.seconds();
    take_facts(result, schedule, nullptr);
    const TieProbe& ties = machine.setup.ties;
    EngineRun run = engine.run(schedule, without_ties);
    if (ties.runs > 0 &&
        (ties.most_ops == 0 || (run.timeline.waited && result.ops <= ties.most_ops))) {
      break;  // ties are looked for in runs of the whole
    }
    if (add_left_out_rounds(schedule, run.timeline)) {
      const double total_s = run.timeline.total_s;
      run.ties = {0, ties.seed, total_s, total_s, total_s};
      if (take_run(result, schedule, run)) {
        return result;
      }
    }
    cuts.advance(schedule);
  }
  return std::nullopt;
}

using MakeSchedule = std::function<Schedule(const Algorithm&, const Problem&, Detail)>;

Simulation simulate(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                    Detail detail, const RunEngine& engine, const MakeSchedule& make,
                    ResultFields wanted) {
  RunResult result;
  result.algorithm = &algorithm;
  result.file = program_of(algorithm, problem);
  result.problem = problem;
  result.machine = machine;
  if (machine.files.messages) {
    result.machine.library_work = library_work(machine.files.library, problem, algorithm.name);
  }

  std::string obstacle;
  // If one rank represents all, no operation waits, so the ties of such a run are not looked for.
  const bool only_ties = machine.setup.ties.known_total_s.has_value();
  if (machine.spec.symmetry != SymmetryUse::off && !only_ties) {
    obstacle = symmetry_obstacle(algorithm, problem, machine, detail);
    if (obstacle.empty()) {
      const bool here = machine.engine->all_alike(machine) || engine.run_symmetric != nullptr;
      if (auto done = here ? simulate_some(result, engine) : simulate_some_isolated(result)) {
        return {std::nullopt, {}, std::move(*done)};
      }
      obstacle = machine.engine->all_alike(machine)
                     ? "ranks differ in which of their operations wait for ports or cores"
                     : "no two ranks reach all others over equivalent links, or ranks differ in "
                       "which of their operations wait for ports or cores";
    }
    if (machine.spec.symmetry == SymmetryUse::on) {
      throw UserError(fmt::format("$symmetry=on: one rank of {} cannot represent {} here: {}",
                                  algorithm.full_name(),
                                  machine.engine->all_alike(machine) ? "all" : "others", obstacle));
    }
  }
  if (detail == Detail::times_only && wanted == ResultFields::everything) {
    if (auto done = simulate_steady(result, engine)) {
      return {std::nullopt, {}, *std::move(done)};
    }
  }
  const Stopwatch emit_watch;
  Schedule schedule = [&] {
    try {
      const auto other = as_run_by(machine.files.library, algorithm, problem);
      return make(other ? *other->algorithm : algorithm, other ? other->problem : problem,
                  detail_of(machine, detail));
    } catch (const ScheduleTooLarge& error) {
      if (obstacle.empty() || algorithm.symmetry == nullptr) {
        throw;
      }
      throw UserError(
          fmt::format("{}; one rank cannot represent all here: {}", error.what(), obstacle));
    }
  }();
  result.emit_wall_s = emit_watch.seconds();
  take_facts(result, schedule, nullptr);
  return run(std::move(result), std::move(schedule), engine, wanted);
}

}  // namespace

Simulation simulate(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                    Detail detail, const RunEngine& engine) {
  const Stopwatch watch;
  Simulation done = simulate(
      algorithm, problem, machine, detail, engine,
      [](const Algorithm& made, const Problem& for_problem, Detail with) {
        return make_schedule(made, for_problem, with);
      },
      ResultFields::everything);
  RunResult& result = done.result;
  result.other_wall_s = std::max(
      0.0, watch.seconds() - result.emit_wall_s - result.load_wall_s - result.simulate_wall_s);
  result.load_wall_s += machine.files.read_s;
  return done;
}

bool takes_whole_schedule(const Algorithm& algorithm, const Problem& problem,
                          const Machine& machine) {
  return machine.spec.symmetry == SymmetryUse::off || !machine.engine->all_alike(machine) ||
         !symmetry_obstacle(algorithm, problem, machine, Detail::times_only).empty();
}

RunResult simulate_times(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                         const RunEngine& engine, ScheduleCache& cache, ScheduleCache::Place* place,
                         Fingerprint fingerprint, ResultFields wanted) {
  Simulation done = simulate(
      algorithm, problem, machine, Detail::times_only, engine,
      [&](const Algorithm& made, const Problem& for_problem, Detail detail) {
        return cache.take(place, made, for_problem, detail);
      },
      wanted);
  if (fingerprint == Fingerprint::taken) {
    done.result.schedule = fingerprint_of(done);
  }
  if (done.schedule) {
    cache.give_back(place, std::move(*done.schedule));
  }
  return std::move(done.result);
}

std::string fingerprint_of(const Simulation& done) {
  const RunResult& result = done.result;
  if (done.schedule) {
    return fingerprint(*done.schedule, detail_of(result.machine));
  }
  const Detail detail = detail_of(result.machine);
  return result.symmetry
             ? fingerprint_of_rank(*result.algorithm, result.problem)
             : fingerprint(make_schedule(*result.algorithm, result.problem, detail), detail);
}

std::string fingerprint_like(const std::string& known, const Case& what) {
  return fingerprint_like(known, *what.algorithm, what.problem, detail_of(*what.machine));
}

Simulation simulate_file(const std::string& file, const Algorithm& algorithm, Schedule schedule,
                         const Machine& machine, double read_wall_s) {
  RunResult result;
  result.algorithm = &algorithm;
  result.problem = schedule.problem();
  result.file = file;
  result.machine = machine;
  result.emit_wall_s = read_wall_s;
  if (machine.spec.symmetry == SymmetryUse::on) {
    throw UserError(
        fmt::format("$symmetry=on: {} is a file, but equivalent ranks are known only for "
                    "algorithms; leave $symmetry out",
                    file));
  }
  take_facts(result, schedule, nullptr);
  return run(std::move(result), std::move(schedule), engine_of(machine));
}

}}  // namespace tutti::simulation
