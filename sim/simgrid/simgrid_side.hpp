// What there is of SimGrid in the process that has it, for those who must do without: nothing here
// needs SimGrid's library, so that whoever links this does not load it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/simgrid/isolated_run.hpp"

namespace tutti::inline sim {

// What a run says of itself, apart from the times.
struct SimGridReport {
  PlatformFacts facts;
  double total_s = 0;
  double load_s = 0;
  double simulate_s = 0;
  bool waited = false;  // as Timeline::waited, of the flow engine
  std::vector<NamedLinkStatistics> links;
  FlowRecord record;
  UsedRoutes routes;
  TieRange ties;
  Repeats repeats;
  AloneTimes alone;
  std::vector<double> arrival_s;  // as in Timeline
};

// What the parent is told that SimGrid does, once it has its platform.
inline constexpr std::string_view kSimGridSimulates = "simulating";

// A platform in this process, and whom to tell what SimGrid is about to do.
class SimGridSide {
 public:
  SimGridSide() = default;
  SimGridSide(const SimGridSide&) = delete;
  SimGridSide& operator=(const SimGridSide&) = delete;
  virtual ~SimGridSide() = default;

  // A fork of the process tells its own parent.
  virtual void set_parent(ParentLink& parent) = 0;
  [[nodiscard]] virtual SimGridReport simulate(const Schedule& schedule, const RunSetup& setup,
                                               Simulator simulator, std::span<double> start_s,
                                               std::span<double> end_s) = 0;
  // One rank of each class for all, with its report: see run_symmetric().
  [[nodiscard]] virtual std::optional<std::pair<SymmetricRun, SimGridReport>> simulate_symmetric(
      const SymmetricSchedule& schedule, const RunSetup& setup) = 0;
  [[nodiscard]] virtual SimGridReport describe(std::uint32_t ranks) = 0;
  // In the order of the XML.
  [[nodiscard]] virtual std::vector<std::string> host_names() const = 0;
};

// Loads the platform in this process. Both arguments must outlive the result. Throws UserError when
// the platform is at fault, or when there is no SimGrid to be had.
[[nodiscard]] std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config,
                                                             ParentLink& parent);

}  // namespace tutti::inline sim
