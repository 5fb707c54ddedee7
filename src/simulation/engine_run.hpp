// One run of one schedule by the machine's engine.
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
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// Totals of both engines for a schedule and for `runs` schedules that differ from it only in the
// order in which simultaneous operations start.
struct EngineOrders {
  std::uint32_t runs = 0;
  double flow_least_s = 0;
  double flow_most_s = 0;
  double simgrid_least_s = 0;
  double simgrid_most_s = 0;

  void add(double flow_s, double simgrid_s);
  [[nodiscard]] bool overlap() const {
    return flow_least_s <= simgrid_most_s && simgrid_least_s <= flow_most_s;
  }
  // True if an order changes a total by more than this share of it.
  [[nodiscard]] bool matter(double share) const {
    return flow_most_s - flow_least_s > share * flow_most_s ||
           simgrid_most_s - simgrid_least_s > share * simgrid_most_s;
  }
};

// Compares, operation by operation, how the flow engine and SimGrid run one schedule.
struct EngineComparison {
  // Largest difference between the two engines in the start or the end of an operation, as a share
  // of the longer total time.
  double worst = 0;
  OpId op = kNoOp;  // operation with that difference
  double simgrid_total_s = 0;
  double simgrid_wall_s = 0;

  static constexpr double kTolerance = 1e-6;
  double tolerance = kTolerance;
  EngineOrders orders = {};  // set by explain_difference()
  // Largest difference, measured as `worst`, between the flow engine's run and runs of it in which
  // each operation takes up to kRounding more or less time; set by explain_difference().
  std::optional<double> rounding = {};
  // The errors of some hundred roundings of a double. Both engines round after each event.
  static constexpr double kRounding = 1e-14;

  [[nodiscard]] bool agrees() const { return worst <= tolerance; }
  [[nodiscard]] bool rounding_explains() const { return rounding && worst <= *rounding; }
};

[[nodiscard]] EngineComparison compare_engines(const Timeline& flow, const Timeline& simgrid,
                                               double simgrid_wall_s,
                                               double tolerance = EngineComparison::kTolerance);

struct EngineRun {
  // Defaulted in the source file: otherwise, dozens of objects would each have this code.
  EngineRun();
  EngineRun(EngineRun&&) noexcept;
  EngineRun& operator=(EngineRun&&) noexcept;
  ~EngineRun();

  Timeline timeline;
  MachineFacts machine;
  double load_s = 0;      // wall-clock time to read the platform
  double simulate_s = 0;  // wall-clock time of the engine
  // Peak memory of the process that ran the engine; 0 if the engine ran in this process.
  std::uint64_t peak_rss_bytes = 0;
  // Time of the slowest rank from its own start, in seconds; set if ranks start after a barrier.
  std::optional<double> call_s;
  std::vector<NamedLinkStatistics> links;  // statistics of links; flow engine only, if requested
  std::optional<EngineComparison> comparison;  // set if both engines were requested
  FlowRecord record;                           // what operations and links in setup.watched did
  UsedRoutes routes;                           // routes of messages; flow engine only, if requested
  TieRange ties;                               // set if ties were checked
  Repeats repeats;                             // set if the run was repeated
  // Function that returns the time of an operation if no other operation runs, with each message on
  // its own route. Empty if only the prices are known.
  OwnTimes own_times;
};

struct SymmetricEngineRun {
  RankPart part;
  EngineRun run;
};

// Function that simulates one rank of each class of equivalent ranks in place of all ranks. It
// returns nothing if the result would not be exact. The std::function is empty if the engine or the
// platform does not support symmetry.
using SymmetricRunner = std::function<std::optional<SymmetricEngineRun>(const SymmetricSchedule&)>;

// An engine, together with the platform on which it runs schedules.
struct RunEngine {
  // Runs a schedule. Uses at most two members of `wanted`: setup.ties and, with files.messages,
  // library_work. Everything else comes from the engine's own machine.
  std::function<EngineRun(const Schedule&, const Machine& wanted)> run;
  // Simulates one rank of each class in place of all ranks. Empty if the platform is not in this
  // process.
  SymmetricRunner run_symmetric;
};

// Runs the engine that `machine` names; for "both", flow and then SimGrid. `facts` are the
// machine's facts; if null, the engine determines them itself. Throws UserError if the platform is
// invalid, or if the run needs SimGrid and this build has none.
[[nodiscard]] EngineRun run_engine(const Schedule& schedule, const Machine& machine,
                                   const MachineFacts* facts = nullptr);

// If the engines disagree, finds out whether ties or rounding errors are the reason: sets
// `comparison.orders`, if the schedule has at most 20,000 operations, and `comparison.rounding`.
// The flow engine took `flow_total_s` for the schedule.
void explain_difference(EngineComparison& comparison, double flow_total_s, const Schedule& schedule,
                        const Machine& machine);

// Returns a RunEngine that calls run_engine() with `machine` and `facts`, which must outlive the
// result.
[[nodiscard]] RunEngine engine_of(const Machine& machine, const MachineFacts* facts = nullptr);

}}  // namespace tutti::simulation
