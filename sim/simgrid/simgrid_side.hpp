// Interface to SimGrid within the process that uses SimGrid. This header does not need SimGrid's
// library, so a program that links only this interface does not load the library.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/simgrid/isolated_run.hpp"

namespace tutti { inline namespace sim {

// Report of a run, without the times of its operations.
struct SimGridReport {
  PlatformFacts facts;
  double total_s = 0;
  double load_s = 0;
  double simulate_s = 0;
  bool waited = false;  // as Timeline::waited; flow engine only
  std::vector<NamedLinkStatistics> links;
  FlowRecord record;
  UsedRoutes routes;
  TieRange ties;
  Repeats repeats;
  AloneTimes alone;
  std::vector<double> arrival_s;  // as in Timeline
};

// The description of the current work (see ParentLink::doing()) while SimGrid simulates.
inline constexpr std::string_view kSimGridSimulates = "simulating";

// A platform that is loaded in this process. Tells the parent process what SimGrid is about to do.
class SimGridSide {
 public:
  SimGridSide() = default;
  SimGridSide(const SimGridSide&) = delete;
  SimGridSide& operator=(const SimGridSide&) = delete;
  virtual ~SimGridSide() = default;

  // Sets the parent process to which this object reports. Must be called after a fork, because the
  // new process has another parent.
  virtual void set_parent(ParentLink& parent) = 0;
  [[nodiscard]] virtual SimGridReport simulate(const Schedule& schedule, const RunSetup& setup,
                                               Simulator simulator, std::span<double> start_s,
                                               std::span<double> end_s) = 0;
  // Simulates one rank of each class in place of all; see run_symmetric().
  [[nodiscard]] virtual std::optional<std::pair<SymmetricRun, SimGridReport>> simulate_symmetric(
      const SymmetricSchedule& schedule, const RunSetup& setup) = 0;
  [[nodiscard]] virtual SimGridReport describe(std::uint32_t ranks) = 0;
  // See routes_isolated().
  [[nodiscard]] virtual SimGridRoutes routes(std::uint32_t ranks) = 0;
  // Returns the names of the hosts, in the order of the XML.
  [[nodiscard]] virtual std::vector<std::string> host_names() const = 0;
};

// Loads the platform in this process. Both arguments must outlive the result. Throws UserError if
// the platform is invalid, or if SimGrid is not available.
[[nodiscard]] std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config,
                                                             ParentLink& parent);

}}  // namespace tutti::sim
