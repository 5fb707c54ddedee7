// Runs SimGrid in a process of its own.
//
// One engine and one platform per process is all that SimGrid allows, its clock goes on from run to
// run, and a platform that it dislikes may abort the process. So each run forks: the child loads,
// simulates and leaves the times in memory that both share; whatever becomes of it, the caller gets
// a result or one clear line.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/platform.hpp"
#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"

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

// The network models by name, with what each is in a few words.
[[nodiscard]] bool is_network_model(const std::string& name);

}  // namespace tutti
