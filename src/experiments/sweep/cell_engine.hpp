// Runs cells one after the other, as they come: what a worker of a sweep does.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "src/experiments/sweep/cell.hpp"
#include "src/simulation/outcome.hpp"
#include "src/simulation/schedule_cache.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti::inline experiments {

// Keeps the platform of the last cell loaded, and what is known of it; and its schedule, if the
// next one may have its shape.
class CellEngine {
 public:
  CellEngine();

  // Where a file is not the one that the cell names by its hash, the cell has failed.
  [[nodiscard]] Outcome run(const ReceivedCell& received);

 private:
  void check_files(const ReceivedCell& received);
  Outcome run_cell(const Case& cell);
  Outcome run_on_simgrid_platform(const Case& cell);
  const MachineFacts& facts_of(const Case& cell);

  PlatformIds ids_;
  ScheduleCache cache_;
  std::string loaded_;  // what simgrid_ has loaded
  std::uint32_t loaded_hosts_ = 0;
  std::unique_ptr<SimGridRuns> simgrid_;
  std::map<std::string, MachineFacts> facts_;  // by machine and ranks
};

}  // namespace tutti::inline experiments
