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
#include <string>

#include "platforms/platform.hpp"
#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/isolated_process.hpp"

namespace tutti {

struct SimGridConfig {
  PlatformSource platform;
  std::string network_model = "hockney";  // or "lv08", "smpi", "ib"
  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  std::uint32_t element_bytes = 8;  // a reduction is one flop per element
  PriceOverrides overrides;
  double copy_s_per_byte = 0;
};

struct SimGridResult {
  Timeline timeline;
  PlatformFacts facts;  // after the overrides
  Prices prices;        // alpha, beta, gamma of the formulas, after the overrides
  double load_s = 0;    // wall clock
  double simulate_s = 0;
  std::uint64_t peak_rss_bytes = 0;  // of the child
};

// Throws UserError when the platform is at fault (missing, malformed, too few hosts, no route
// between two ranks, ...), InvariantError when the simulation did not finish.
[[nodiscard]] SimGridResult simulate_isolated(const Schedule& schedule, const SimGridConfig& config,
                                              const RunSetup& setup);

// Loads and describes only: facts and prices as simulate_isolated() would report them for `ranks`.
[[nodiscard]] SimGridResult describe_isolated(std::uint32_t ranks, const SimGridConfig& config);

// A platform that is loaded, in the process of a cell of PlatformProcess.
class LoadedPlatform {
 public:
  class Impl;
  explicit LoadedPlatform(Impl& impl) : impl_(impl) {}

  // Call it once per cell: a second run would start on a clock that is not 0. Throws as
  // simulate_isolated(), except that SimGrid may end this process; run() then says so.
  [[nodiscard]] SimGridResult simulate(const Schedule& schedule, const RunSetup& setup) const;

 private:
  Impl& impl_;
};

// For sweeps: a process that loads a platform once and forks itself for each cell, so that each has
// a fresh clock. A cell is a function of an index, since schedules are cheaper made than sent; it
// runs in the fork, sees what the caller had when it made this object, and returns bytes.
class PlatformProcess {
 public:
  using Cell = std::function<std::string(std::size_t index, const LoadedPlatform& platform)>;

  // Throws UserError when the platform is at fault. Keep it on the thread that made it: the process
  // ends with that thread.
  PlatformProcess(SimGridConfig config, Cell cell);

  // Runs cell(index). Throws what it threw, or what became of it; others can be run all the same.
  [[nodiscard]] std::string run(std::size_t index);

 private:
  std::string receive();

  SimGridConfig config_;
  ChildProcess child_;
};

// The network models by name, with what each is in a few words.
[[nodiscard]] bool is_network_model(const std::string& name);

}  // namespace tutti
