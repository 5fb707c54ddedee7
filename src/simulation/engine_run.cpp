#include "src/simulation/engine_run.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "schedules/assemble.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/simgrid_run.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti { inline namespace simulation {

EngineRun::EngineRun() = default;
EngineRun::EngineRun(EngineRun&&) noexcept = default;
EngineRun& EngineRun::operator=(EngineRun&&) noexcept = default;
EngineRun::~EngineRun() = default;

namespace {

Machine with_work(Machine machine, const LibraryWork& work) {
  machine.library_work = work;
  return machine;
}

// Returns the operations in a random order that their dependencies allow.
std::vector<OpId> random_order(const Schedule& schedule, std::mt19937_64& random) {
  std::vector<std::uint32_t> waits(schedule.size());
  std::vector<OpId> ready;
  for (OpId id = 0; id < schedule.size(); ++id) {
    waits[id] = static_cast<std::uint32_t>(schedule.predecessors(id).size());
    if (waits[id] == 0) {
      ready.push_back(id);
    }
  }
  std::vector<OpId> order;
  order.reserve(schedule.size());
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const OpId id = ready.back();
    ready.pop_back();
    order.push_back(id);
    for (const OpId successor : schedule.successors(id)) {
      if (--waits[successor] == 0) {
        ready.push_back(successor);
      }
    }
  }
  return order;
}

// Returns the schedule with its operations in this order. Engines start simultaneous operations in
// the order of their ids.
Schedule in_order(const Schedule& schedule, const std::vector<OpId>& order) {
  ScheduleParts parts = parts_of(schedule);
  reorder(parts, order);
  return assemble(std::move(parts));
}

}  // namespace

void EngineOrders::add(double flow_s, double simgrid_s) {
  flow_least_s = std::min(flow_least_s, flow_s);
  flow_most_s = std::max(flow_most_s, flow_s);
  simgrid_least_s = std::min(simgrid_least_s, simgrid_s);
  simgrid_most_s = std::max(simgrid_most_s, simgrid_s);
}

EngineComparison compare_engines(const Timeline& flow, const Timeline& simgrid,
                                 double simgrid_wall_s, double tolerance) {
  EngineComparison result;
  result.simgrid_total_s = simgrid.total_s;
  result.simgrid_wall_s = simgrid_wall_s;
  result.tolerance = tolerance;
  const double total_s = std::max(flow.total_s, simgrid.total_s);
  if (total_s == 0) {
    return result;
  }
  for (std::size_t id = 0; id < flow.start_s.size(); ++id) {
    for (const double off : {std::abs(flow.start_s[id] - simgrid.start_s[id]) / total_s,
                             std::abs(flow.end_s[id] - simgrid.end_s[id]) / total_s}) {
      if (!(off <= result.worst)) {
        result.worst = off;
        result.op = static_cast<OpId>(id);
      }
      if (std::isnan(off)) {  // NaN: the engines disagree, whatever the other differences are
        return result;
      }
    }
  }
  return result;
}

namespace {

void try_other_orders(EngineComparison& comparison, double flow_total_s, const Schedule& schedule,
                      const Machine& machine) {
  constexpr std::uint32_t kOrders = 8;
  constexpr OpId kMostOps = 20'000;
  constexpr double kRounding = 1e-9;
  if (schedule.size() > kMostOps) {
    return;
  }
  // Rounding alone does not make two totals different.
  const auto simgrid_s = [](double flow_s, double total_s) {
    return std::abs(total_s - flow_s) <= kRounding * flow_s ? flow_s : total_s;
  };
  const double simgrid_total_s = simgrid_s(flow_total_s, comparison.simgrid_total_s);
  EngineOrders& orders = comparison.orders;
  orders = {kOrders, flow_total_s, flow_total_s, simgrid_total_s, simgrid_total_s};
  std::mt19937_64 random(1);
  for (std::uint32_t i = 0; i < kOrders; ++i) {
    const EngineRun run = run_engine(in_order(schedule, random_order(schedule, random)), machine);
    const double flow_s = run.timeline.total_s;
    orders.add(flow_s, simgrid_s(flow_s, run.comparison->simgrid_total_s));
  }
}

void try_rounding(EngineComparison& comparison, const Schedule& schedule, Machine machine) {
  constexpr std::uint64_t kRuns = 4;
  const auto flow = [&] { return machine.engine->run(schedule, machine, nullptr).timeline; };
  const Timeline plain = flow();
  machine.setup.disturbance.jitter = EngineComparison::kRounding;
  comparison.rounding = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    machine.setup.disturbance.seed = seed;
    comparison.rounding = std::max(*comparison.rounding, compare_engines(plain, flow(), 0).worst);
  }
}

}  // namespace

EngineRun run_engine(const Schedule& schedule, const Machine& machine, const MachineFacts* facts) {
  check_switches(schedule, machine);
  EngineRun run = machine.engine->run(schedule, machine, facts);
  if (machine.both_engines()) {
    const EngineRun judge = run_with_simgrid(schedule, machine);
    run.comparison = compare_engines(run.timeline, judge.timeline, judge.simulate_s,
                                     machine.spec.engine_tolerance);
  }
  return run;
}

void explain_difference(EngineComparison& comparison, double flow_total_s, const Schedule& schedule,
                        const Machine& machine) {
  if (comparison.agrees()) {
    return;
  }
  Machine plain = machine;
  plain.setup.ties = {};
  try_other_orders(comparison, flow_total_s, schedule, plain);
  try_rounding(comparison, schedule, std::move(plain));
}

RunEngine engine_of(const Machine& machine, const MachineFacts* facts) {
  return {.run =
              [&machine, facts](const Schedule& schedule, const Machine& wanted) {
                return machine.files.messages
                           ? run_engine(schedule, with_work(machine, wanted.library_work), facts)
                           : run_engine(schedule, machine, facts);
              },
          .run_symmetric = machine.engine->symmetric(machine)};
}

}}  // namespace tutti::simulation
