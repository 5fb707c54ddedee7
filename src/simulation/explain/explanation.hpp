// Why a run took as long as it did: every moment accounted for, the way from a formula to it, who
// could have been later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/simulation/explain/sensitivity.hpp"
#include "src/simulation/explain/slack.hpp"
#include "src/simulation/explain/time_account.hpp"
#include "src/simulation/explain/waterfall.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

// What a link did to the run.
struct LinkInRun {
  NamedLinkStatistics link;
  double lost_on_chain_s = 0;  // of what its messages lost, that which lies on the chain
};

// Parallel links of one class, of which some carried nothing although others between the same two
// switches were used.
struct IdleParallelLinks {
  std::string group;
  std::uint32_t idle = 0;
  std::uint32_t links = 0;  // all between switches where one of them was used
};

struct Explanation {
  Simulation run;  // with its schedule and its timeline
  TimeAccount account;
  Waterfall waterfall;
  Slack slack;
  // By what was lost to them on the chain, then in all, then by bytes. None without a network.
  std::vector<LinkInRun> links;
  std::optional<Improvements> improvements;  // where they were looked for
  // What held each message back, and the ways that they took: where all operations were watched.
  std::vector<FlowStretch> stretches;
  UsedRoutes routes;

  // Null for a link that was not used.
  [[nodiscard]] const LinkInRun* link(std::uint32_t number) const;
};

// Of the classes whose links held messages back, in the order of `links`.
[[nodiscard]] std::vector<IdleParallelLinks> idle_parallel_links(
    const std::vector<LinkInRun>& links);

// What is kept beside an account: of which operations what held them back.
enum class Watch : std::uint8_t {
  chain,
  routes,      // the chain, and the ways that messages took
  everything,  // all operations, and the ways
};

// Explains a run that has its schedule and its timeline, by running it again and watching its
// chain. Throws UserError for an engine that cannot be watched.
[[nodiscard]] Explanation explain(Simulation run, Watch watch = Watch::chain);

// What of the machine no explanation can be given for, in words; nothing if it can.
[[nodiscard]] std::optional<std::string> unexplained(const Machine& machine);

}  // namespace tutti::inline simulation
