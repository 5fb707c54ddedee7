// Runs SimGrid in a separate process.
//
// SimGrid allows only one engine and one platform per process, its clock goes on from run to run,
// and an invalid platform may abort the process. So each run forks. The child loads the platform,
// simulates, and writes the times into shared memory. Whatever happens to the child, the caller
// gets a result or an error message of one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/network_models.hpp"
#include "platforms/platform.hpp"
#include "platforms/platform_changes.hpp"
#include "platforms/route_set.hpp"
#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/flow/alone_times.hpp"
#include "sim/flow/named_links.hpp"
#include "sim/flow/used_routes.hpp"
#include "sim/isolated_process.hpp"
#include "sim/symmetry/symmetric_run.hpp"

namespace tutti { inline namespace platforms {
class ClusterPlatform;
}}  // namespace tutti::platforms

namespace tutti { inline namespace sim {

class SimGridSide;

struct SimGridConfig {
  PlatformSource platform;
  std::string network_model = "hockney";  // or "lv08", "smpi", "ib"
  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  std::uint32_t element_bytes = 8;  // a reduction needs one flop per element
  PriceOverrides overrides;
  PlatformChanges changes;
  std::uint32_t hosts_per_switch = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> place_at_switch;  // as in Mapping
  std::shared_ptr<const std::vector<std::uint32_t>> host_of_rank;
  // The same platform, loaded without SimGrid, for the names and places of links; null if it cannot
  // be loaded without SimGrid. Needed for `changes`.
  std::shared_ptr<const ClusterPlatform> known_as;
  double copy_s_per_byte = 0;
  bool link_statistics = false;  // flow engine only
  bool keep_routes = false;      // flow engine only
  Updates updates = Updates::lazy;
};

// The simulator that runs a schedule on a platform that SimGrid has loaded.
enum class Simulator : std::uint8_t {
  simgrid,
  flow,  // the engine of sim/flow, with routes from SimGrid
};

struct SimGridResult {
  Timeline timeline;
  PlatformFacts facts;  // after the user's prices were applied
  Prices prices;        // alpha, beta and gamma of the cost formulas, with the user's prices
  double load_s = 0;    // wall-clock time to load the platform
  double simulate_s = 0;
  std::uint64_t peak_rss_bytes = 0;        // of the child process
  std::vector<NamedLinkStatistics> links;  // flow engine only, if asked for
  FlowRecord record;                       // flow engine only: what RunSetup::watched asks for
  UsedRoutes routes;                       // flow engine only, if asked for
  TieRange ties;                           // flow engine only, if RunSetup::ties asks for it
  Repeats repeats;                         // flow engine only, if the run was repeated
  AloneTimes alone;                        // flow engine only
};

// The routes between the hosts of ranks, with the user's prices and changes.
struct SimGridRoutes {
  RouteSet routes;
  std::vector<std::uint32_t> host_of_rank;  // numbers in the order of the XML
  // As in RankPlaces.
  double flops_per_byte = 0;
  bool free_transfers = false;
  PlatformFacts facts;
  double load_s = 0;
};

// Result of a run in which one rank of each class was simulated.
struct SymmetricResult {
  RankPart part;
  SimGridResult result;
};

// Simulates a schedule. Throws UserError if the platform is invalid (missing, malformed, too few
// hosts, no route between two ranks, ...). Throws InvariantError if the simulation does not finish.
[[nodiscard]] SimGridResult simulate_isolated(const Schedule& schedule, const SimGridConfig& config,
                                              const RunSetup& setup,
                                              Simulator simulator = Simulator::simgrid);

// Loads the platform and describes it: facts and prices as simulate_isolated() would report them
// for `ranks` ranks.
[[nodiscard]] SimGridResult describe_isolated(std::uint32_t ranks, const SimGridConfig& config);

// Loads the platform and returns all routes between the hosts of `ranks` ranks, for the flow engine
// and its network model. Throws UserError if hosts are not connected, if the flow engine does not
// model a link, or if the routes need more memory than kMostRouteBytes.
inline constexpr std::size_t kMostRouteBytes = std::size_t{1} << 29U;
[[nodiscard]] SimGridRoutes routes_isolated(std::uint32_t ranks, const SimGridConfig& config);

// Returns the names of the platform's hosts, in the order of the XML.
[[nodiscard]] std::vector<std::string> host_names_isolated(const SimGridConfig& config);

// A loaded platform, as a cell of PlatformProcess sees it.
class LoadedPlatform {
 public:
  LoadedPlatform(SimGridSide& side, const SimGridConfig& config) : side_(side), config_(config) {}

  // Simulates a schedule. SimGrid can run only once per cell, and the cell must be forked, because
  // a second run would start on a clock that is not 0. The flow engine can run any number of times,
  // but if the user's prices are applied, the number of ranks must stay the same. Throws the same
  // errors as simulate_isolated(). SimGrid may also end this process; PlatformProcess::run() then
  // reports the error.
  [[nodiscard]] SimGridResult simulate(const Schedule& schedule, const RunSetup& setup,
                                       Simulator simulator = Simulator::simgrid) const;

  // Simulates one rank of each class in place of all, with the flow engine; see run_symmetric().
  [[nodiscard]] std::optional<SymmetricResult> simulate_symmetric(const SymmetricSchedule& schedule,
                                                                  const RunSetup& setup) const;

 private:
  SimGridSide& side_;
  const SimGridConfig& config_;
};

// A process for sweeps, which loads a platform once and then runs cells. A cell is a function that
// gets a request and returns bytes. The request is a short text rather than a schedule, because
// building a schedule is cheaper than sending it. The cell runs in the process or in a fork of it,
// and sees the state that the caller had when the PlatformProcess was made.
class PlatformProcess {
 public:
  enum class Cells : std::uint8_t {
    forked,  // each cell runs in a fork, with a fresh clock
    // All cells run in one process, which caches routes. Works only for the flow engine without the
    // user's prices.
    in_place,
  };
  using Cell =
      std::function<std::string(const std::string& request, const LoadedPlatform& platform)>;

  // Throws UserError if the platform is invalid. The object must stay on the thread that made it,
  // because the process ends with that thread.
  PlatformProcess(SimGridConfig config, Cell cell, Cells cells = Cells::forked);

  // Runs cell(request) and returns its result. Runs the cell again if the process is killed before
  // the cell ends. Throws what the cell threw, or ChildCrash. Other cells can run afterwards.
  [[nodiscard]] std::string run(const std::string& request);

 private:
  void start();
  void serve(ParentLink& parent);
  void answer(const std::string& request, ParentLink& parent, SimGridSide& side);

  SimGridConfig config_;
  Cell cell_;
  Cells cells_;
  std::unique_ptr<ChildProcess> child_;
};

}}  // namespace tutti::sim
