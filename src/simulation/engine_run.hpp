// One run of one schedule by the engine that the user's options come to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/flow/named_links.hpp"
#include "sim/flow/used_routes.hpp"
#include "sim/symmetry/symmetric_run.hpp"
#include "src/simulation/critical_chain.hpp"
#include "src/simulation/engine_comparison.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

struct EngineRun {
  Timeline timeline;
  MachineFacts machine;
  double load_s = 0;                 // wall clock: reading the platform
  double simulate_s = 0;             // wall clock: the engine
  std::uint64_t peak_rss_bytes = 0;  // of a process that it ran in, if of its own
  // Of the rank that takes longest, from its own start; where ranks begin after a barrier.
  std::optional<double> call_s;
  std::vector<NamedLinkStatistics> links;      // of the flow engine, where asked for
  std::optional<EngineComparison> comparison;  // where both engines were asked for
  FlowRecord record;                           // of what setup.watched names
  UsedRoutes routes;                           // of the flow engine, where asked for
  TieRange ties;                               // where they were looked for
  Repeats repeats;                             // where it was repeated
  // What messages take alone, each on its own route; empty where only the prices are known.
  OwnTimes own_times;
};

// A run of one rank of each class of a symmetric schedule.
struct SymmetricEngineRun {
  RankPart part;
  EngineRun run;
};

// Empty where there is none.
using SymmetricRunner = std::function<std::optional<SymmetricEngineRun>(const SymmetricSchedule&)>;

// An engine on a platform.
struct RunEngine {
  // `asked` is the machine of this run: its library_work counts, with Machine::messages, and
  // whether it looks for ties. Everything else is as the engine's own machine has it.
  std::function<EngineRun(const Schedule&, const Machine& asked)> run;
  // One rank of each class for all; nothing where that is not exact. Empty where the platform is
  // not in this process.
  SymmetricRunner run_symmetric;
};

// Runs the engine that `machine` names; for "both", flow and then SimGrid. Throws UserError when
// the platform is at fault, or when it needs SimGrid and that was not built in.
[[nodiscard]] EngineRun run_engine(const Schedule& schedule, const Machine& machine);

// It as a RunEngine; `machine` must outlive it.
[[nodiscard]] RunEngine engine_of(const Machine& machine);

// The machine's engine on a platform that needs no SimGrid, with `facts` where they are known, or
// null. Both must outlive it.
[[nodiscard]] RunEngine engine_here(const Machine& machine, const MachineFacts* facts);

}  // namespace tutti::inline simulation
