// Runs SimGrid in a process of its own.
//
// One engine and one platform per process is all that SimGrid allows, its clock goes on from run to
// run, and a platform that it dislikes may abort the process. So each run forks: the child loads,
// simulates and leaves the times in memory that both share; whatever becomes of it, the caller gets
// a result or one clear line.
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
#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/flow/alone_times.hpp"
#include "sim/flow/named_links.hpp"
#include "sim/flow/used_routes.hpp"
#include "sim/isolated_process.hpp"
#include "sim/symmetry/symmetric_run.hpp"

namespace tutti::inline platforms {
class ClusterPlatform;
}  // namespace tutti::inline platforms

namespace tutti::inline sim {

class SimGridSide;

struct SimGridConfig {
  PlatformSource platform;
  std::string network_model = "hockney";  // or "lv08", "smpi", "ib"
  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  std::uint32_t element_bytes = 8;  // a reduction is one flop per element
  PriceOverrides overrides;
  PlatformChanges changes;
  std::uint32_t hosts_per_switch = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> place_at_switch;  // these two as in Mapping
  std::shared_ptr<const std::vector<std::uint32_t>> host_of_rank;
  // What the links are called and where they are, where that is known without SimGrid; for changes.
  std::shared_ptr<const ClusterPlatform> known_as;
  double copy_s_per_byte = 0;
  bool link_statistics = false;  // of the flow engine
  bool keep_routes = false;      // likewise
  Updates updates = Updates::lazy;
};

// Who runs the schedule on the platform that SimGrid loaded.
enum class Simulator : std::uint8_t {
  simgrid,
  flow,  // sim/flow, which has the routes from SimGrid and does the rest itself
};

struct SimGridResult {
  Timeline timeline;
  PlatformFacts facts;  // after the overrides
  Prices prices;        // alpha, beta, gamma of the formulas, after the overrides
  double load_s = 0;    // wall clock
  double simulate_s = 0;
  std::uint64_t peak_rss_bytes = 0;        // of the child
  std::vector<NamedLinkStatistics> links;  // of the flow engine, where asked for
  FlowRecord record;                       // of the flow engine, of what setup.watched names
  UsedRoutes routes;                       // of the flow engine, where asked for
  TieRange ties;                           // of the flow engine, where they were looked for
  Repeats repeats;                         // likewise
  AloneTimes alone;                        // likewise
};

// What one rank of each class of a symmetric schedule has come to.
struct SymmetricResult {
  RankPart part;
  SimGridResult result;
};

// Throws UserError when the platform is at fault (missing, malformed, too few hosts, no route
// between two ranks, ...), InvariantError when the simulation did not finish.
[[nodiscard]] SimGridResult simulate_isolated(const Schedule& schedule, const SimGridConfig& config,
                                              const RunSetup& setup,
                                              Simulator simulator = Simulator::simgrid);

// Loads and describes only: facts and prices as simulate_isolated() would report them for `ranks`.
[[nodiscard]] SimGridResult describe_isolated(std::uint32_t ranks, const SimGridConfig& config);

// What the hosts of the platform are called, in the order of the XML.
[[nodiscard]] std::vector<std::string> host_names_isolated(const SimGridConfig& config);

// A platform that is loaded, in the process of a cell of PlatformProcess.
class LoadedPlatform {
 public:
  LoadedPlatform(SimGridSide& side, const SimGridConfig& config) : side_(side), config_(config) {}

  // SimGrid: once per cell, which must be forked, since a second run would start on a clock that is
  // not 0. The flow engine: again and again; with overrides, each time with as many ranks. Throws
  // as simulate_isolated(), except that SimGrid may end this process; run() then says so.
  [[nodiscard]] SimGridResult simulate(const Schedule& schedule, const RunSetup& setup,
                                       Simulator simulator = Simulator::simgrid) const;

  // One rank of each class for all, by the flow engine: see run_symmetric().
  [[nodiscard]] std::optional<SymmetricResult> simulate_symmetric(const SymmetricSchedule& schedule,
                                                                  const RunSetup& setup) const;

 private:
  SimGridSide& side_;
  const SimGridConfig& config_;
};

// For sweeps: a process that loads a platform once. A cell is a function of a request in a
// few bytes, since schedules are cheaper made than sent; it runs in that process or a fork of it,
// sees what the caller had when it made this object, and returns bytes.
class PlatformProcess {
 public:
  enum class Cells : std::uint8_t {
    forked,    // each in a fork, so that it has a fresh clock
    in_place,  // for the flow engine alone, without overrides: it keeps the routes it has found
  };
  using Cell =
      std::function<std::string(const std::string& request, const LoadedPlatform& platform)>;

  // Throws UserError when the platform is at fault. Keep it on the thread that made it: the process
  // ends with that thread.
  PlatformProcess(SimGridConfig config, Cell cell, Cells cells = Cells::forked);

  // Runs cell(request); again, should its process die of it or be killed. Throws what the cell
  // threw, or what became of it; others can be run all the same.
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

}  // namespace tutti::inline sim
