// Lower bounds for all schedules on a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost_models/bounds/network_bound.hpp"
#include "platforms/network.hpp"
#include "sim/flow/flow_engine.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

// Names the part of the machine for which no bounds are known, as a sentence for the user; returns
// nothing if bounds are known.
[[nodiscard]] std::optional<std::string> why_no_bound(const Machine& machine);

// Bounds for any number of problems with as many ranks as the machine has.
struct MachineBounds {
  std::shared_ptr<Network> network;  // for the names of links, and for routes
  FlowSetup setup;                   // the places of the ranks
  NetworkBounds bounds;
};
// The machine must outlive the bounds. Throws UserError if why_no_bound() says so, or if hosts are
// not connected.
[[nodiscard]] MachineBounds bounds_of(const Machine& machine);

// The limits with which results on one machine are compared: bounds without a search for the best
// cuts and lengths, which may take longer than a run. Looks for the bound of each problem only
// once.
class Limits {
 public:
  // A result has a limit only if the bound looks at this many routes or fewer, which takes 0.1 s at
  // most. Beyond that, a bound may take longer than the run.
  static constexpr std::uint64_t kMostRoutes = std::uint64_t{1} << 15U;

  // The machine must outlive the object.
  explicit Limits(const Machine& machine, std::uint64_t most_routes = kMostRoutes);

  // Returns the least time, in seconds, of any schedule for the problem; nothing if it is unknown.
  // It is unknown if the machine has a part without bounds, if too many routes would have to be
  // looked at, or if the machine's engine does not simulate the network. It is also unknown if
  // making the bounds throws a UserError: every UserError is caught, for example the one for hosts
  // that are not connected.
  [[nodiscard]] std::optional<double> of(const Problem& problem);
  // Sets result.bound_s. A schedule that is not proved has no bound, because it may do less than
  // the collective must do. Keeps a bound that the result already has.
  void put_in(RunResult& result);

 private:
  const Machine& machine_;
  bool known_;
  std::optional<MachineBounds> bounds_;  // made for the first problem
  double latest_start_s_ = 0;            // of any rank, after a barrier
  std::vector<std::pair<Problem, double>> found_s_;
};

}}  // namespace tutti::simulation
