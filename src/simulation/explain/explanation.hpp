// Explains why a run took as long as it did: an account of every moment, the steps from a published
// formula to the simulated time, and the slack of operations and ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/simulation/explain/limit_gap.hpp"
#include "src/simulation/explain/sensitivity.hpp"
#include "src/simulation/explain/slack.hpp"
#include "src/simulation/explain/time_account.hpp"
#include "src/simulation/explain/waterfall.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

// A link that the run used, with the time that it cost.
struct LinkInRun {
  NamedLinkStatistics link;
  double lost_on_chain_s = 0;  // time that messages on the critical chain lost to the link
};

// Counts, for one class of links, the parallel links that carried nothing although other links
// between the same two switches were used.
struct IdleParallelLinks {
  std::string group;       // the class
  std::uint32_t idle = 0;  // number of links that carried nothing
  // Number of parallel links between those pairs of switches that have at least one used link.
  std::uint32_t links = 0;
};

struct Explanation {
  Simulation run;  // the run, with its schedule and its timeline
  TimeAccount account;
  Waterfall waterfall;
  Slack slack;
  // Sorted by the time that the chain lost to the link, then by the time that all messages lost to
  // it, then by bytes, largest first. Empty if the engine has no network.
  std::vector<LinkInRun> links;
  std::optional<LimitGap> limit;             // unset if not computed
  std::optional<Improvements> improvements;  // unset if not computed
  std::vector<FlowStretch> stretches;        // of all operations; only with Watch::everything
  UsedRoutes routes;  // routes that messages took; with Watch::routes and Watch::everything

  // Returns the link with this number; null if it was not used.
  [[nodiscard]] const LinkInRun* link(std::uint32_t number) const;
};

// Returns the idle parallel links of each class whose links held messages back. The classes are in
// the order of `links`.
[[nodiscard]] std::vector<IdleParallelLinks> idle_parallel_links(
    const std::vector<LinkInRun>& links);

// Which operations explain() watches, and whether it keeps the routes of messages.
enum class Watch : std::uint8_t {
  chain,       // operations of the critical chain
  routes,      // operations of the critical chain; keeps routes
  everything,  // all operations; keeps routes
};

// Makes the next run on the machine record what explain() needs. Without this call, or if
// operations of the run wait for ports or cores, explain() repeats the run.
void watch_run(Machine& machine, Watch watch = Watch::chain);

// Explains a run, which must include its schedule and its timeline. Repeats the run to watch the
// operations of its chain, unless the run has recorded them. Throws UserError for an engine that
// cannot be watched.
[[nodiscard]] Explanation explain(Simulation run, Watch watch = Watch::chain);

// Returns why runs on the machine cannot be explained; nothing if they can.
[[nodiscard]] std::optional<std::string> unexplained(const Machine& machine);

// Utilization of a link over time.
struct LoadCurve {
  std::size_t link = 0;  // index in Explanation::links
  // Pairs of a time, in seconds and ascending, and the utilization from then on, as a share of the
  // link's capacity. The utilization is 1 while the link holds messages back, and 0 before the
  // first pair and after the last.
  std::vector<std::pair<double, double>> values;
};

inline constexpr std::size_t kMostLoadCurves = 8;

// Returns the curves of the first kMostLoadCurves links. Simulates the run once more, to record the
// rates of messages. Returns none for an engine without a network.
[[nodiscard]] std::vector<LoadCurve> load_curves(const Explanation& explanation);

}}  // namespace tutti::simulation
