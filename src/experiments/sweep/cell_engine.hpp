// Runs cells one after the other, as they arrive, in a worker of a sweep.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "src/experiments/sweep/cell.hpp"
#include "src/simulation/outcome.hpp"
#include "src/simulation/schedule_cache.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace experiments {

// Keeps the platform of the previous cell loaded. Also keeps the facts of the machines of earlier
// cells, and the schedule of a cell if the next cell may need a schedule of the same shape (see
// ScheduleCache).
class CellEngine {
 public:
  CellEngine();

  // Runs a cell. Returns a failure if a file has changed since the cell was read.
  [[nodiscard]] Outcome run(const ReceivedCell& received);

 private:
  Outcome run_cell(const ReceivedCell& received);
  Outcome run_on_simgrid_platform(const ReceivedCell& received);
  const MachineFacts& facts_of(const ReceivedCell& received);

  ScheduleCache cache_;
  std::string loaded_;  // text that identifies the machine that simgrid_ has loaded
  std::uint32_t loaded_hosts_ = 0;
  std::unique_ptr<SimGridRuns> simgrid_;
  std::map<std::string, MachineFacts> facts_;  // key: machine and number of ranks
};

}}  // namespace tutti::experiments
