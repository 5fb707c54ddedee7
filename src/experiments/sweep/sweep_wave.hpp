// Runs one wave of a sweep: sends the cells to the workers, and writes the results to the database.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sweep/run_cells.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline experiments {

struct Sweep::PendingCell {
  CaseRun* run = nullptr;
  CellKey key;
  unsigned deaths = 0;
};

// A result in the database that another build of tutti wrote for a cell.
struct Sweep::CachedResult {
  PendingCell todo;
  CellRow row;
  bool holds = false;
};

class Sweep::Run {
 public:
  Run(Sweep& sweep, std::vector<PendingCell>& todo, Progress& progress);
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  void hand_out();
  // Returns the machine_text() of a cell's machine. This text is made only once for all cells on
  // the same machine.
  const std::string& text_of(const PendingCell& cell);
  // Returns how many milliseconds to wait for workers before results are written to the database.
  // Results are written soon after they arrive, but in batches if many arrive at a time.
  [[nodiscard]] int patience_ms() const;
  void keep_rows();
  void hear(const WorkerEvent& event);
  // Marks a cell as finished. `seconds` is the wall time of the cell, if the cell was run here and
  // has a result.
  void is_over(CellTicket ticket, std::optional<double> seconds);

  Sweep& sweep_;
  std::vector<PendingCell>& todo_;
  Progress& progress_;
  std::deque<CellTicket> pending_;
  std::vector<CellRow> rows_;  // results that are not in the database yet
  std::map<const Machine*, std::string> machine_texts_;
  std::size_t done_ = 0;
  WorkEstimate estimate_;
  Clock::time_point kept_ = Clock::now();
};

}  // namespace tutti::inline experiments
