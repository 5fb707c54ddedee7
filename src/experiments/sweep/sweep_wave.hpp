// One wave of a sweep: how its cells go to the workers, and their results to the database.
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

// What the database holds of a cell, by another build.
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
  // Made once for all cells of a machine.
  const std::string& text_of(const PendingCell& cell);
  // Results are kept soon, but not one by one where they come thick and fast.
  [[nodiscard]] int patience_ms() const;
  void keep_rows();
  void hear(const WorkerEvent& event);
  // `seconds`: what it took, where it was run here and has a result.
  void is_over(CellTicket ticket, std::optional<double> seconds);

  Sweep& sweep_;
  std::vector<PendingCell>& todo_;
  Progress& progress_;
  std::deque<CellTicket> pending_;
  std::vector<CellRow> rows_;  // results that are not kept yet
  std::map<const Machine*, std::string> machine_texts_;
  std::size_t done_ = 0;
  WorkEstimate estimate_;
  Clock::time_point kept_ = Clock::now();
};

}  // namespace tutti::inline experiments
